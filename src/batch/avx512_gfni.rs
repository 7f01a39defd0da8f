#![doc = include_str!("../../asm-notes/avx512_gfni.md")]

pub(super) mod lists;
mod tables;
pub(super) mod text;

use core::arch::x86_64::*;

use tables::{Avx512GfniHeld, BISHOP_STAR, Masks, QUEEN_STAR, TABLES, Tables, for_squares, lanes_of};

use crate::Square;
use crate::batch::avx512::Avx512;
use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::entries::{Planes, Task};
use crate::batch::kernel::slider_sets::{Products, SliderSets};
use crate::batch::kernel::{bit_matrix, few_boards};
use crate::batch::simd::{BitPlanes, Blocks, Matrices, Packs, Prefetch, Ranks, Rows};
use crate::batch::vector;
use crate::line::A1_TO_H8;
use crate::table::{each, table};

/// How many boards a block has.
const BOARDS: usize = 64;
/// How many boards a vector has.
const FEW: usize = 8;

type V = __m512i;

token! {
    /// Proof that the CPU has AVX-512 F, BW, DQ, VL, CD, VBMI and VBMI2, and GFNI.
    Avx512Gfni(super::Avx512GfniHeld), "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni"
}

/// Bishops, fewer than a block. The number of pairs from which a loop takes two vectors at a time was measured for each
/// slider.
type Bishops = few_boards::Bishop<Avx512Gfni, FEW, 0>;
/// Rooks, fewer than a block.
type Rooks = few_boards::Rook<Avx512Gfni, FEW, 0>;
/// Queens, fewer than a block.
type Queens = few_boards::Queen<Avx512Gfni, FEW, 0>;

few! {
    Avx512Gfni, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni",
    bishop: Bishops;
    rook: Rooks;
    queen: Queens;
}

entries! {
    Avx512Gfni, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni", BOARDS, few,
    bishop: bit_matrix::Bishop<Avx512Gfni>, Bishops::over(Avx512Gfni::plain());
    rook: bit_matrix::Rook<Avx512Gfni>, Rooks::over(Avx512Gfni::plain());
    queen: bit_matrix::Queen<Avx512Gfni>, Queens::over(Avx512Gfni::plain());
}

/// Writes the attack sets of sets of sliders.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    let kernel = SliderSets(Avx512::plain(), Products(Avx512Gfni::plain()));
    vector::attack_sets::<BOARDS, _>(kernel, sets, out, stream);
}

/// The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq")]
pub(super) fn perform_counts(task: impl Task) {
    task.perform();
}

/// Writes the numbers of as many positions as `out` has, at most 64.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn numbers(planes: &Planes, out: &mut [[u8; 64]]) {
    vector::numbers(Avx512Gfni::new(), planes, out);
}

operations! {
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni",

    impl Matrices for Avx512Gfni {
        type Vector = V;
        type Squares = [u8; BOARDS];
        type Boards = [u64; BOARDS];

        fn splat(self, lane: u64) -> V { _mm512_set1_epi64(lane as i64) }
        fn and(self, a: V, b: V) -> V { _mm512_and_si512(a, b) }
        fn xor(self, a: V, b: V) -> V { _mm512_xor_si512(a, b) }
        fn add(self, a: V, b: V) -> V { _mm512_add_epi8(a, b) }
        fn sub(self, a: V, b: V) -> V { _mm512_sub_epi8(a, b) }
        fn product<const FLIPPED: i32>(self, a: V, matrix: V) -> V {
            _mm512_gf2p8affine_epi64_epi8::<FLIPPED>(a, matrix)
        }
        fn by_file(self, table: u64, squares: V) -> V { _mm512_shuffle_epi8(_mm512_set1_epi64(table as i64), squares) }
        fn by_rank(self, table: u64, squares: V) -> V {
            _mm512_permutexvar_epi8(squares, bytemuck::cast(for_squares(table)))
        }
        fn pairs(self as simd, a: V, b: V) -> [V; 2] {
            let odd = simd.1.masks.odd;
            let b = _mm512_shldi_epi16::<8>(b, b);
            [_mm512_mask_blend_epi8(odd, a, b), _mm512_mask_blend_epi8(odd, b, a)]
        }
        fn board(self, boards: &[u64; BOARDS], group: usize) -> V { bytemuck::cast(boards.as_chunks::<FEW>().0[group]) }
        fn store(self, boards: &mut [u64; BOARDS], group: usize, vector: V, traffic: Traffic) {
            if traffic.streams() {
                stream!(_mm512_stream_si512, boards, [(group, vector)]);
            } else {
                boards.as_chunks_mut::<FEW>().0[group] = bytemuck::cast(vector);
            }
        }
    }

    impl Blocks<1> for Avx512Gfni {
        fn group(self, _pack: usize, place: usize) -> usize { place }
        fn load_squares(self as simd, squares: &[u8; BOARDS]) -> V { load_squares(simd, squares) }
        fn times(self as simd, pack: V, boards: &[V; 8]) -> V {
            let mut pairs = *boards;
            each! { pair in 0 1 2 3 => {
                let even = _mm512_gf2p8affine_epi64_epi8::<0>(pack, boards[2 * pair]);
                let odd = simd.1.masks.odd;
                pairs[pair] = _mm512_mask_gf2p8affine_epi64_epi8::<0>(even, odd, pack, boards[2 * pair + 1]);
            } }
            join(simd, pairs)
        }
    }

    impl Ranks<1> for Avx512Gfni {
        fn ranks(self as simd, squares: V, boards: &[V; 8]) -> V { ranks(simd, squares, boards) }
    }

    impl Blocks<2> for Avx512Gfni {
        fn group(self, pack: usize, place: usize) -> usize { 2 * place + pack }
        fn load_squares(self as simd, squares: &[u8; BOARDS]) -> V { load_squares(simd, squares) }
        fn times(self as simd, pack: V, boards: &[V; 8]) -> V {
            let word = simd.1.masks.word;
            let product = _mm512_gf2p8affine_epi64_epi8::<0>(pack, boards[0]);
            let product = _mm512_mask_gf2p8affine_epi64_epi8::<0>(product, word[1], pack, boards[1]);
            let product = _mm512_mask_gf2p8affine_epi64_epi8::<0>(product, word[2], pack, boards[2]);
            _mm512_mask_gf2p8affine_epi64_epi8::<0>(product, word[3], pack, boards[3])
        }
    }

    impl Packs<2> for Avx512Gfni {
        fn packs(self as simd, rows: [V; 2]) -> [V; 2] { simd.pairs(rows[0], rows[1]) }
        fn copies(self as simd, number: usize, row: V) -> V {
            _mm512_shuffle_epi8(row, bytemuck::cast(simd.1.tables.of_word[number]))
        }
        fn star<const QUEEN: bool>(self, squares: V, group: usize) -> V { star_of::<QUEEN>(squares, group) }
    }

    impl Blocks<4> for Avx512Gfni {
        fn group(self, pack: usize, place: usize) -> usize { 4 * place + pack }
        fn load_squares(self as simd, squares: &[u8; BOARDS]) -> V { load_squares(simd, squares) }
        fn times(self as simd, pack: V, boards: &[V; 8]) -> V {
            let Masks { low_rows, high_rows, .. } = simd.1.masks;
            let low = _mm512_maskz_gf2p8affine_epi64_epi8::<0>(low_rows, pack, boards[0]);
            _mm512_mask_gf2p8affine_epi64_epi8::<0>(low, high_rows, pack, boards[1])
        }
    }

    impl Ranks<4> for Avx512Gfni {
        fn ranks(self as simd, squares: V, boards: &[V; 8]) -> V { ranks(simd, squares, boards) }
    }

    impl Packs<4> for Avx512Gfni {
        fn packs(self as simd, rows: [V; 4]) -> [V; 4] {
            let Masks { odd, odd_words, .. } = simd.1.masks;
            let Tables { words_up, words_down, bytes_up, bytes_down, .. } = *simd.1.tables;
            let [a, b, c, d] = rows;
            let (a, c) = exchange(a, c, odd_words, words_up, words_down);
            let (b, d) = exchange(b, d, odd_words, words_up, words_down);
            let (a, b) = exchange(a, b, odd, bytes_up, bytes_down);
            let (c, d) = exchange(c, d, odd, bytes_up, bytes_down);
            [a, b, c, d]
        }
        fn copies(self as simd, number: usize, row: V) -> V {
            _mm512_shuffle_epi8(row, bytemuck::cast(simd.1.tables.of_dword[number]))
        }
        fn star<const QUEEN: bool>(self, squares: V, group: usize) -> V { star_of::<QUEEN>(squares, group) }
    }

    impl Rows<FEW, 1> for Avx512Gfni {
        fn load_few_squares(self, squares: [&[u8; FEW]; 1]) -> V {
            let squares = _mm512_set1_epi64(i64::from_le_bytes(*squares[0]));
            _mm512_shuffle_epi8(squares, bytemuck::cast(TABLES.of_lane))
        }
        fn load_few(self, boards: &[u64; FEW]) -> V { bytemuck::cast(*boards) }
        fn store_few(self, boards: &mut [u64; FEW], vector: V) { *boards = bytemuck::cast(vector); }
        fn rows_by_file<const ROOK: bool, const BISHOP: bool>(self, squares: V) -> V {
            let lanes = const { lanes_of(few_boards::rows(ROOK, BISHOP)) };
            _mm512_permutexvar_epi64(squares, bytemuck::cast(lanes))
        }
        fn star_of_lane<const QUEEN: bool>(self, squares: V, _place: usize) -> V { star_of::<QUEEN>(squares, 0) }
        fn answers(self as simd, rows: V, boards: [V; 1]) -> V { simd.product::<0>(rows, boards[0]) }
        fn doubles(self, squares: V) -> [V; 2] { doubles::<8>(squares) }
        fn with_rank(self as simd, answers: V, squares: V, boards: [V; 1]) -> V {
            _mm512_mask_multishift_epi64_epi8(answers, simd.1.masks.fourth, ranks_of(squares), boards[0])
        }
        fn exchanged(self as simd, answers: V, rows: V, _squares: V) -> [V; 2] {
            let Avx512GfniHeld { masks: Masks { fifth, .. }, tables: Tables { before, .. } } = simd.1;
            [answers, _mm512_mask_shuffle_epi8(rows, fifth, answers, bytemuck::cast(*before))]
        }
    }

    impl Rows<FEW, 2> for Avx512Gfni {
        fn load_few_squares(self, squares: [&[u8; FEW]; 2]) -> V {
            let [low, high] = squares;
            let squares = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
            _mm512_permutexvar_epi8(bytemuck::cast(TABLES.of_place), _mm512_zextsi128_si512(squares))
        }
        fn load_few(self, boards: &[u64; FEW]) -> V { bytemuck::cast(*boards) }
        fn store_few(self, boards: &mut [u64; FEW], vector: V) { *boards = bytemuck::cast(vector); }
        fn rows_by_file<const ROOK: bool, const BISHOP: bool>(self as simd, squares: V) -> V {
            let [east, west, file] = few_boards::rows(ROOK, BISHOP);
            if !BISHOP {
                return simd.by_file(file, squares);
            }
            let row: [u8; 64] = const { table!(at < 64 => 8 * (at as u8 % 4)) };
            let from = _mm512_or_si512(_mm512_and_si512(squares, _mm512_set1_epi8(7)), bytemuck::cast(row));
            _mm512_permutexvar_epi8(from, bytemuck::cast([east, west, file, 0, 0, 0, 0, 0]))
        }
        fn star_of_lane<const QUEEN: bool>(self, squares: V, place: usize) -> V { star_of::<QUEEN>(squares, 4 * place) }
        fn answers(self as simd, rows: V, boards: [V; 2]) -> V {
            let low = simd.product::<0>(rows, boards[0]);
            _mm512_mask_gf2p8affine_epi64_epi8::<0>(low, simd.1.masks.high, rows, boards[1])
        }
        fn doubles(self, squares: V) -> [V; 2] { doubles::<4>(squares) }
        fn with_rank(self as simd, answers: V, squares: V, boards: [V; 2]) -> V {
            let Masks { fourths, high, .. } = simd.1.masks;
            let rank = _mm512_multishift_epi64_epi8(ranks_of(squares), boards[0]);
            let rank = _mm512_mask_multishift_epi64_epi8(rank, high, ranks_of(squares), boards[1]);
            _mm512_mask_blend_epi8(fourths, answers, rank)
        }
        fn exchanged(self as simd, answers: V, rows: V, squares: V) -> [V; 2] {
            let fourths = simd.1.masks.fourths;
            let rank = simd.by_rank(bit_matrix::MIRRORED, squares);
            [_mm512_mask_blend_epi8(fourths, answers, rank), _mm512_mask_blend_epi8(fourths, rows, answers)]
        }
    }

    impl BitPlanes<FEW> for Avx512Gfni {
        fn numbers(self as simd, planes: [&[u64; FEW]; 5], out: &mut [[u8; 64]; FEW]) {
            let Avx512GfniHeld { tables: Tables { two, planes: places, .. }, masks: Masks { bits, highest, .. } } = simd.1;
            let [ones, twos, fours, eights, sixteens] = planes;
            let [ones, twos]: [V; 2] = [bytemuck::cast(*ones), bytemuck::cast(*twos)];
            let [fours, eights]: [V; 2] = [bytemuck::cast(*fours), bytemuck::cast(*eights)];
            let low = [_mm512_unpacklo_epi64(ones, twos), _mm512_unpackhi_epi64(ones, twos)];
            let high = [_mm512_unpacklo_epi64(fours, eights), _mm512_unpackhi_epi64(fours, eights)];
            for (position, out) in out.iter_mut().enumerate() {
                let (odd, upper, half) = (position % 2, position / 2 % 2, position / 4);
                // Four boards of two positions, to which the fifth of one position is added.
                let four = _mm512_permutex2var_epi64(low[odd], bytemuck::cast(two[half]), high[odd]);
                let five = _mm512_mask_set1_epi64(four, highest[upper], sixteens[position] as i64);
                let rows = _mm512_maskz_permutexvar_epi8(bits, bytemuck::cast(places[upper]), five);
                *out = bytemuck::cast(_mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(A1_TO_H8 as i64), rows));
            }
        }
    }

    impl Prefetch for Avx512Gfni {
        fn prefetch_line(self, address: *const u8) {
            _mm_prefetch::<_MM_HINT_T0>(address.cast())
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn load_squares(simd: Avx512Gfni, squares: &[u8; BOARDS]) -> V {
    _mm512_permutexvar_epi8(bytemuck::cast(simd.1.tables.squares), bytemuck::cast(*squares))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
fn star_of<const QUEEN: bool>(squares: V, group: usize) -> V {
    let [up, down]: [V; 2] = bytemuck::cast(if QUEEN { QUEEN_STAR } else { BISHOP_STAR });
    let square = if group == 0 { squares } else { _mm512_srl_epi64(squares, _mm_cvtsi64_si128(8 * group as i64)) };
    let [up, down] = [_mm512_permutexvar_epi64(square, up), _mm512_permutexvar_epi64(square, down)];
    _mm512_shldv_epi64(up, down, square)
}

/// Where the ranks of squares begin on the board.
#[inline]
#[target_feature(enable = "avx512f")]
fn ranks_of(squares: V) -> V {
    _mm512_and_si512(squares, _mm512_set1_epi8(0o70))
}

/// The doubles of the slider by the rank, and by the file in the fourth of this number of rows.
///
/// For both there is one table of 64 bytes. Ranks take each eighth byte from the first on, files take the last eight. The
/// first of these is taken by both, but a slider on the last rank has the same doubles as one on the first file.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn doubles<const ROWS: usize>(squares: V) -> [V; 2] {
    let kept: [u8; 64] = const { table!(at < 64 => if at % ROWS == 3 { 7 } else { 0o70 }) };
    let added: [u8; 64] = const { table!(at < 64 => if at % ROWS == 3 { 0o70 } else { 0 }) };
    let number = _mm512_or_si512(_mm512_and_si512(squares, bytemuck::cast(kept)), bytemuck::cast(added));
    let [mut up, mut down] = [for_squares(bit_matrix::MIRRORED_TWICE), for_squares(bit_matrix::TWICE)];
    (up[7], down[7]) = (bit_matrix::TWICE, bit_matrix::MIRRORED_TWICE);
    [_mm512_permutexvar_epi8(number, bytemuck::cast(up)), _mm512_permutexvar_epi8(number, bytemuck::cast(down))]
}

/// Exchanges the bytes of `a` in `odd` places with those of `b` in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn exchange(a: V, b: V, odd: u64, up: [u8; 64], down: [u8; 64]) -> (V, V) {
    (
        _mm512_mask_shuffle_epi8(a, odd, b, bytemuck::cast(up)),
        _mm512_mask_shuffle_epi8(b, !odd, a, bytemuck::cast(down)),
    )
}

/// Byte *g* of each lane: that of rank `square / 8` on the board of group *g* in the lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn ranks(simd: Avx512Gfni, squares: V, boards: &[V; 8]) -> V {
    let from = _mm512_and_si512(squares, _mm512_set1_epi8(0o70));
    let mut pairs = *boards;
    each! { pair in 0 1 2 3 => {
        let even = _mm512_multishift_epi64_epi8(from, boards[2 * pair]);
        pairs[pair] = _mm512_mask_multishift_epi64_epi8(even, simd.1.masks.odd, from, boards[2 * pair + 1]);
    } }
    join(simd, pairs)
}

/// Bytes 0 and 1 of the first of four vectors, 2 and 3 of the second, 4 and 5 of the third, 6 and 7 of the fourth, in each
/// lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn join(simd: Avx512Gfni, [a, b, c, d, ..]: [V; 8]) -> V {
    let Masks { odd_words, odd_dwords, .. } = simd.1.masks;
    let low = _mm512_mask_blend_epi8(odd_words, a, b);
    _mm512_mask_blend_epi32(odd_dwords, low, _mm512_mask_blend_epi8(odd_words, c, d))
}
