#![doc = include_str!("../../asm-notes/avx2_gfni.md")]

mod tables;

use core::arch::x86_64::*;

use tables::{Avx2GfniHeld, Order, Places, Table};

use crate::Square;
use crate::batch::avx2::Avx2;
use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::entries::Planes;
use crate::batch::kernel::slider_sets::{Products, SliderSets};
use crate::batch::kernel::{bit_matrix, few_boards};
use crate::batch::simd::{BitPlanes, Blocks, Matrices, Packs, Prefetch, Ranks, Rows};
use crate::batch::vector;
use crate::line::A1_TO_H8;
use crate::table::each;

/// How many boards a block has.
const BOARDS: usize = 32;
/// How many boards a vector has.
const FEW: usize = 4;

type V = __m256i;

token! {
    /// Proof that the CPU has AVX2 and GFNI.
    Avx2Gfni(super::Avx2GfniHeld), "avx2,gfni"
}

/// Bishops, fewer than a block. The number of pairs from which a loop takes two vectors at a time was measured for each
/// slider.
type Bishops = few_boards::Bishop<Avx2Gfni, FEW, { few_boards::NEVER }>;
/// Rooks, fewer than a block.
type Rooks = few_boards::Rook<Avx2Gfni, FEW, 0>;
/// Queens, fewer than a block.
type Queens = few_boards::Queen<Avx2Gfni, FEW, 13>;

few! {
    Avx2Gfni, "avx2,gfni",
    bishop: Bishops;
    rook: Rooks;
    queen: Queens;
}

entries! {
    Avx2Gfni, "avx2,gfni", BOARDS, few,
    bishop: bit_matrix::Bishop<Avx2Gfni>, Bishops::over(Avx2Gfni::plain());
    rook: bit_matrix::Rook<Avx2Gfni>, Rooks::over(Avx2Gfni::plain());
    queen: bit_matrix::Queen<Avx2Gfni>, Queens::over(Avx2Gfni::plain());
}

/// Writes the attack sets of sets of sliders.
#[inline(never)]
#[target_feature(enable = "avx2,gfni")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    let kernel = SliderSets(Avx2::plain(), Products(Avx2Gfni::plain()));
    vector::attack_sets::<BOARDS, _>(kernel, sets, out, stream);
}

/// Writes the numbers of as many positions as `out` has, at most 64.
#[inline(never)]
#[target_feature(enable = "avx2,gfni")]
pub(super) fn numbers(planes: &Planes, out: &mut [[u8; 64]]) {
    vector::numbers(Avx2Gfni::new(), planes, out);
}

operations! {
    "avx2,gfni",

    impl Matrices for Avx2Gfni {
        type Vector = V;
        type Squares = [u8; BOARDS];
        type Boards = [u64; BOARDS];

        fn splat(self, lane: u64) -> V { _mm256_set1_epi64x(lane as i64) }
        fn and(self, a: V, b: V) -> V { _mm256_and_si256(a, b) }
        fn xor(self, a: V, b: V) -> V { _mm256_xor_si256(a, b) }
        fn add(self, a: V, b: V) -> V { _mm256_add_epi8(a, b) }
        fn sub(self, a: V, b: V) -> V { _mm256_sub_epi8(a, b) }
        fn product<const FLIPPED: i32>(self, a: V, matrix: V) -> V {
            _mm256_gf2p8affine_epi64_epi8::<FLIPPED>(a, matrix)
        }
        fn by_file(self, table: u64, squares: V) -> V { _mm256_shuffle_epi8(_mm256_set1_epi64x(table as i64), squares) }
        fn by_rank(self as simd, table: u64, squares: V) -> V {
            _mm256_shuffle_epi8(_mm256_set1_epi64x(table as i64), ranks_of(simd, squares))
        }
        fn pairs(self as simd, a: V, b: V) -> [V; 2] {
            let (even, odd) = (read(&simd.1.0.even), read(&simd.1.0.odd));
            [
                _mm256_or_si256(_mm256_and_si256(a, even), _mm256_slli_epi16::<8>(b)),
                _mm256_or_si256(_mm256_and_si256(a, odd), _mm256_srli_epi16::<8>(b)),
            ]
        }
        fn board(self, boards: &[u64; BOARDS], group: usize) -> V { bytemuck::cast(boards.as_chunks::<FEW>().0[group]) }
        fn store(self, boards: &mut [u64; BOARDS], group: usize, vector: V, traffic: Traffic) {
            if traffic.streams() {
                stream!(_mm256_stream_si256, boards, [(group, vector)]);
            } else {
                boards.as_chunks_mut::<FEW>().0[group] = bytemuck::cast(vector);
            }
        }
    }

    impl Blocks<1> for Avx2Gfni {
        fn group(self, _pack: usize, place: usize) -> usize { place }
        fn load_squares(self as simd, squares: &[u8; BOARDS]) -> V {
            let squares = _mm256_shuffle_epi8(read(squares), read(&simd.1.0.one.squares));
            _mm256_permutevar8x32_epi32(squares, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
        }
        fn times(self as simd, pack: V, boards: &[V; 8]) -> V {
            let even = _mm256_and_si256(pack, read(&simd.1.0.even));
            let odd = _mm256_and_si256(pack, read(&simd.1.0.odd));
            let mut pairs = *boards;
            each! { pair in 0 1 2 3 => {
                let low = _mm256_gf2p8affine_epi64_epi8::<0>(even, boards[2 * pair]);
                let high = _mm256_gf2p8affine_epi64_epi8::<0>(odd, boards[2 * pair + 1]);
                pairs[pair] = _mm256_or_si256(low, high);
            } }
            join(pairs[0], pairs[1], pairs[2], pairs[3])
        }
    }

    impl Ranks<1> for Avx2Gfni {
        fn ranks(self as simd, squares: V, boards: &[V; 8]) -> V {
            let pairs = pairs_of_ranks(simd, squares, boards, &simd.1.0.one.upper);
            join(pairs[0], pairs[1], pairs[2], pairs[3])
        }
    }

    impl Blocks<2> for Avx2Gfni {
        fn group(self, pack: usize, place: usize) -> usize { 4 * pack + place }
        fn load_squares(self as simd, squares: &[u8; BOARDS]) -> V { load_squares(squares, &simd.1.0.two) }
        fn times(self, pack: V, boards: &[V; 8]) -> V {
            let mut products = *boards;
            each! { place in 0 1 2 3 => {
                products[place] = _mm256_gf2p8affine_epi64_epi8::<0>(pack, boards[place]);
            } }
            join(products[0], products[1], products[2], products[3])
        }
    }

    impl Packs<2> for Avx2Gfni {
        fn packs(self, rows: [V; 2]) -> [V; 2] {
            [_mm256_unpacklo_epi8(rows[0], rows[1]), _mm256_unpackhi_epi8(rows[0], rows[1])]
        }
        fn copies(self as simd, number: usize, row: V) -> V {
            _mm256_shuffle_epi8(row, read(&simd.1.0.of_word[number]))
        }
        fn star<const QUEEN: bool>(self as simd, squares: V, group: usize) -> V {
            star_of::<QUEEN>(simd, squares, &simd.1.0.two.of_group[group])
        }
    }

    impl Blocks<4> for Avx2Gfni {
        fn group(self, pack: usize, place: usize) -> usize { 2 * pack + place }
        fn load_squares(self as simd, squares: &[u8; BOARDS]) -> V { load_squares(squares, &simd.1.0.four) }
        fn times(self as simd, pack: V, boards: &[V; 8]) -> V {
            let low = _mm256_gf2p8affine_epi64_epi8::<0>(pack, boards[0]);
            let high = _mm256_gf2p8affine_epi64_epi8::<0>(pack, boards[1]);
            _mm256_and_si256(_mm256_blend_epi32::<0xaa>(low, high), read(&simd.1.0.paired.three))
        }
    }

    impl Ranks<4> for Avx2Gfni {
        fn ranks(self as simd, squares: V, boards: &[V; 8]) -> V {
            let pairs = pairs_of_ranks(simd, squares, boards, &simd.1.0.four.upper);
            let low = _mm256_blend_epi32::<0x22>(pairs[0], pairs[1]);
            let high = _mm256_blend_epi32::<0x88>(pairs[2], pairs[3]);
            _mm256_blend_epi32::<0xcc>(low, high)
        }
    }

    impl Packs<4> for Avx2Gfni {
        fn packs(self, rows: [V; 4]) -> [V; 4] {
            let [a, b, c, d] = rows;
            let (ab_low, ab_high) = (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi8(c, d), _mm256_unpackhi_epi8(c, d));
            [
                _mm256_unpacklo_epi16(ab_low, cd_low),
                _mm256_unpackhi_epi16(ab_low, cd_low),
                _mm256_unpacklo_epi16(ab_high, cd_high),
                _mm256_unpackhi_epi16(ab_high, cd_high),
            ]
        }
        fn copies(self as simd, number: usize, row: V) -> V {
            _mm256_shuffle_epi8(row, read(&simd.1.0.of_dword[number]))
        }
        fn star<const QUEEN: bool>(self as simd, squares: V, group: usize) -> V {
            star_of::<QUEEN>(simd, squares, &simd.1.0.four.of_group[group])
        }
    }

    impl Rows<FEW, 1> for Avx2Gfni {
        fn load_few_squares(self as simd, squares: [&[u8; FEW]; 1]) -> V {
            let squares = _mm256_set1_epi32(i32::from_le_bytes(*squares[0]));
            _mm256_shuffle_epi8(squares, read(&simd.1.0.alone.squares))
        }
        fn load_few(self, boards: &[u64; FEW]) -> V { bytemuck::cast(*boards) }
        fn store_few(self, boards: &mut [u64; FEW], vector: V) { *boards = bytemuck::cast(vector); }
        fn rows_by_file<const ROOK: bool, const BISHOP: bool>(self as simd, squares: V) -> V {
            rows_by_file(simd, few_boards::rows(ROOK, BISHOP), squares, &simd.1.0.alone)
        }
        fn star_of_lane<const QUEEN: bool>(self as simd, squares: V, _place: usize) -> V {
            let file = _mm256_and_si256(squares, read(&simd.1.0.seven));
            star_between::<QUEEN>(simd, file, ranks_of(simd, squares))
        }
        fn answers(self as simd, rows: V, boards: [V; 1]) -> V { simd.product::<0>(rows, boards[0]) }
        fn doubles(self as simd, squares: V) -> [V; 2] { doubles(simd, squares, &simd.1.0.alone) }
        fn with_rank(self as simd, answers: V, squares: V, boards: [V; 1]) -> V {
            let from = _mm256_or_si256(ranks_of(simd, squares), read(&simd.1.0.alone.to_fourth));
            _mm256_or_si256(answers, _mm256_shuffle_epi8(boards[0], from))
        }
        fn exchanged(self as simd, answers: V, rows: V, _squares: V) -> [V; 2] {
            [answers, _mm256_or_si256(rows, _mm256_shuffle_epi8(answers, read(&simd.1.0.to_fifth)))]
        }
    }

    impl Rows<FEW, 2> for Avx2Gfni {
        fn load_few_squares(self as simd, squares: [&[u8; FEW]; 2]) -> V {
            let [low, high] = squares;
            let (low, high) = (i32::from_le_bytes(*low), i32::from_le_bytes(*high));
            let squares = _mm256_blend_epi32::<0xaa>(_mm256_set1_epi32(low), _mm256_set1_epi32(high));
            _mm256_shuffle_epi8(squares, read(&simd.1.0.paired.squares))
        }
        fn load_few(self, boards: &[u64; FEW]) -> V { bytemuck::cast(*boards) }
        fn store_few(self, boards: &mut [u64; FEW], vector: V) { *boards = bytemuck::cast(vector); }
        fn rows_by_file<const ROOK: bool, const BISHOP: bool>(self as simd, squares: V) -> V {
            rows_by_file(simd, few_boards::rows(ROOK, BISHOP), squares, &simd.1.0.paired)
        }
        fn star_of_lane<const QUEEN: bool>(self as simd, squares: V, place: usize) -> V {
            star_of::<QUEEN>(simd, squares, &simd.1.0.of_place[place])
        }
        fn answers(self as simd, rows: V, boards: [V; 2]) -> V {
            _mm256_blend_epi32::<0xaa>(simd.product::<0>(rows, boards[0]), simd.product::<0>(rows, boards[1]))
        }
        fn doubles(self as simd, squares: V) -> [V; 2] { doubles(simd, squares, &simd.1.0.paired) }
        fn with_rank(self as simd, answers: V, squares: V, boards: [V; 2]) -> V {
            let from = _mm256_or_si256(ranks_of(simd, squares), read(&simd.1.0.paired.to_fourth));
            let (low, high) = (_mm256_shuffle_epi8(boards[0], from), _mm256_shuffle_epi8(boards[1], from));
            _mm256_or_si256(answers, _mm256_blend_epi32::<0xaa>(low, high))
        }
        fn exchanged(self as simd, answers: V, rows: V, squares: V) -> [V; 2] {
            let fourth = read(&simd.1.0.paired.fourth);
            let rank = _mm256_and_si256(fourth, simd.by_rank(bit_matrix::MIRRORED, squares));
            [
                _mm256_or_si256(_mm256_andnot_si256(fourth, answers), rank),
                _mm256_or_si256(rows, _mm256_and_si256(fourth, answers)),
            ]
        }
    }

    impl BitPlanes<FEW> for Avx2Gfni {
        fn numbers(self as simd, planes: [&[u64; FEW]; 5], out: &mut [[u8; 64]; FEW]) {
            let [ones, twos, fours, eights, sixteens] = planes;
            let [ones, twos]: [V; 2] = [bytemuck::cast(*ones), bytemuck::cast(*twos)];
            let [fours, eights]: [V; 2] = [bytemuck::cast(*fours), bytemuck::cast(*eights)];
            let sixteens: V = bytemuck::cast(*sixteens);
            let low = [_mm256_unpacklo_epi8(twos, ones), _mm256_unpackhi_epi8(twos, ones)];
            let high = [_mm256_unpacklo_epi8(eights, fours), _mm256_unpackhi_epi8(eights, fours)];
            let highest = [
                _mm256_permute4x64_epi64::<0b10_00_10_00>(sixteens),
                _mm256_permute4x64_epi64::<0b11_01_11_01>(sixteens),
            ];
            let mut numbers = [[low[0]; 2]; FEW];
            for odd in 0..2 {
                let halves = [_mm256_unpacklo_epi16(high[odd], low[odd]), _mm256_unpackhi_epi16(high[odd], low[odd])];
                for (half, four) in halves.into_iter().enumerate() {
                    // From one position in each 128 bits to the ranks of a half board in order, alternating between the two positions.
                    let four = _mm256_permute4x64_epi64::<0b11_01_10_00>(four);
                    let highest = _mm256_shuffle_epi8(highest[odd], read(&simd.1.0.highest[half]));
                    let rows = [_mm256_unpacklo_epi32(highest, four), _mm256_unpackhi_epi32(highest, four)];
                    for (pair, rows) in rows.into_iter().enumerate() {
                        let diagonal = _mm256_set1_epi64x(A1_TO_H8 as i64);
                        numbers[2 * pair + odd][half] = _mm256_gf2p8affine_epi64_epi8::<0>(diagonal, rows);
                    }
                }
            }
            *out = bytemuck::cast(numbers);
        }
    }

    impl Prefetch for Avx2Gfni {
        fn prefetch_line(self, address: *const u8) {
            _mm_prefetch::<_MM_HINT_T0>(address.cast())
        }
    }
}

#[inline(always)]
fn read(table: &Table) -> V {
    bytemuck::cast(*table)
}

/// The numbers of the squares' ranks.
#[inline]
#[target_feature(enable = "avx2")]
fn ranks_of(simd: Avx2Gfni, squares: V) -> V {
    _mm256_and_si256(_mm256_srli_epi16::<3>(squares), read(&simd.1.0.seven))
}

/// The squares in the order of unpacking.
#[inline]
#[target_feature(enable = "avx2")]
fn load_squares(squares: &Table, order: &Order) -> V {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(read(squares), read(&order.squares)))
}

/// The first three rows of boards, each from its table by file. The tables are known where this is compiled.
#[inline]
#[target_feature(enable = "avx2")]
fn rows_by_file(simd: Avx2Gfni, [first, second, third]: [u64; 3], squares: V, places: &Places) -> V {
    let lookup = |table: u64, from: V| _mm256_shuffle_epi8(_mm256_set1_epi64x(table as i64), from);
    if first == third {
        return _mm256_and_si256(lookup(first, squares), read(&places.three));
    }
    let file = _mm256_and_si256(squares, read(&simd.1.0.seven));
    let sides = _mm256_setr_epi64x(first as i64, second as i64, first as i64, second as i64);
    let sides = _mm256_shuffle_epi8(sides, _mm256_or_si256(file, read(&places.sides)));
    if third == 0 {
        return sides;
    }
    _mm256_or_si256(sides, lookup(third, _mm256_or_si256(file, read(&places.third))))
}

/// The doubles of the slider by the rank, and in the fourth rows by the file.
#[inline]
#[target_feature(enable = "avx2")]
fn doubles(simd: Avx2Gfni, squares: V, places: &Places) -> [V; 2] {
    // By file, an entry of the one table is that of the seventh minus the file of the other.
    let ranks = ranks_of(simd, squares);
    let file = _mm256_xor_si256(_mm256_xor_si256(squares, ranks), read(&simd.1.0.seven));
    let number = _mm256_xor_si256(ranks, _mm256_and_si256(file, read(&places.fourth)));
    [
        _mm256_shuffle_epi8(_mm256_set1_epi64x(bit_matrix::MIRRORED_TWICE as i64), number),
        _mm256_shuffle_epi8(_mm256_set1_epi64x(bit_matrix::TWICE as i64), number),
    ]
}

/// Bytes 0 and 1 of the first, 2 and 3 of the second, 4 and 5 of the third, 6 and 7 of the fourth, in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn join(a: V, b: V, c: V, d: V) -> V {
    _mm256_blend_epi32::<0xaa>(_mm256_blend_epi16::<0xaa>(a, b), _mm256_blend_epi16::<0xaa>(c, d))
}

/// For each pair of groups, the ranks of the squares, those of the first in bytes with even numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn pairs_of_ranks(simd: Avx2Gfni, squares: V, boards: &[V; 8], upper: &Table) -> [V; 4] {
    let from = _mm256_or_si256(ranks_of(simd, squares), read(upper));
    // A shuffle gives zero where the topmost bit of the place to take from is set.
    let even = _mm256_or_si256(from, read(&simd.1.0.odd));
    let odd = _mm256_or_si256(from, read(&simd.1.0.even));
    let mut pairs = [from; 4];
    each! { pair in 0 1 2 3 => {
        let low = _mm256_shuffle_epi8(boards[2 * pair], even);
        pairs[pair] = _mm256_or_si256(low, _mm256_shuffle_epi8(boards[2 * pair + 1], odd));
    } }
    pairs
}

/// The stars of a group.
#[inline]
#[target_feature(enable = "avx2,gfni")]
fn star_of<const QUEEN: bool>(simd: Avx2Gfni, squares: V, of_group: &Table) -> V {
    let files = _mm256_shuffle_epi8(_mm256_and_si256(squares, read(&simd.1.0.seven)), read(of_group));
    star_between::<QUEEN>(simd, files, _mm256_shuffle_epi8(ranks_of(simd, squares), read(of_group)))
}

/// The stars of squares whose files and ranks are in every byte of the lanes: a square is on a diagonal if its
/// distances in files and in ranks are the same. The product of the distances, each as one bit, tests this. On the file
/// and the rank of the slider, all bits are set.
#[inline]
#[target_feature(enable = "avx2,gfni")]
fn star_between<const QUEEN: bool>(simd: Avx2Gfni, files: V, ranks: V) -> V {
    let tables = simd.1.0;
    let distance = read(if QUEEN { &tables.distance_or_all } else { &tables.distance });
    let files = _mm256_shuffle_epi8(distance, _mm256_add_epi8(files, read(&tables.up)));
    let ranks = _mm256_shuffle_epi8(distance, _mm256_add_epi8(ranks, read(&tables.down)));
    _mm256_gf2p8affine_epi64_epi8::<0>(ranks, files)
}
