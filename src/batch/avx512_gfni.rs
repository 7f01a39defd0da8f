#![doc = include_str!("../../asm-notes/avx512_gfni.md")]

use core::arch::x86_64::*;

use crate::batch::avx512::Avx512;
use crate::batch::blocks::Traffic;
use crate::batch::entries::Planes;
use crate::batch::kernel::bit_matrix::{self, FewBishop, FewQueen, FewRook};
use crate::batch::kernel::slider_sets::{Products, SliderSets};
use crate::batch::simd::{BitPlanes, Blocks, Matrices, Packs, Prefetch, Ranks, Rows};
use crate::batch::vector::{self, Vectors};
use crate::line::A1_TO_H8;
use crate::table::table;
use crate::{Slider, Square};

/// How many boards a block has.
const BOARDS: usize = 64;
/// How many boards a vector has.
const FEW: usize = 8;

type V = __m512i;

/// What the compiler must not know: it would take shuffles and blends with constants apart.
#[derive(Clone, Copy)]
pub(super) struct Held {
    tables: &'static Tables,
    masks: Masks,
}

impl Held {
    /// Nothing hidden.
    const PLAIN: Held = Held { tables: &TABLES, masks: MASKS };

    #[inline(always)]
    fn load() -> Held {
        Held { tables: core::hint::black_box(&TABLES), masks: *core::hint::black_box(&MASKS) }
    }
}

/// Masks of bytes.
#[derive(Clone, Copy)]
struct Masks {
    /// Every other byte, pair of bytes, and four bytes.
    odd: u64,
    odd_words: u64,
    odd_dwords: u16,
    /// The words of each lane.
    word: [u64; 4],
    /// The first three bytes of each lower dword, and of each upper one.
    low_rows: u64,
    high_rows: u64,
    /// Bytes 3 and 4 of each lane.
    fourth: u64,
    fifth: u64,
    /// Bytes 3 and 7 of each lane, and its upper four bytes.
    fourths: u64,
    high: u64,
    /// The five bits of the numbers, the highest first, in the bytes of each lane.
    bits: u64,
    /// The lane for the highest bits, beside the other bits of two positions: for the lower position and the upper one.
    highest: [u8; 2],
}

const MASKS: Masks = Masks {
    odd: 0xaaaa_aaaa_aaaa_aaaa,
    odd_words: 0xcccc_cccc_cccc_cccc,
    odd_dwords: 0xaaaa,
    word: table!(place < 4 => 0x0303_0303_0303_0303 << (2 * place)),
    low_rows: 0x0707_0707_0707_0707,
    high_rows: 0x7070_7070_7070_7070,
    fourth: 0x0808_0808_0808_0808,
    fifth: 0x1010_1010_1010_1010,
    fourths: 0x8888_8888_8888_8888,
    high: 0xf0f0_f0f0_f0f0_f0f0,
    bits: 0xf8f8_f8f8_f8f8_f8f8,
    highest: [1 << 4, 1],
};

#[repr(C, align(64))]
struct Tables {
    /// Byte *g* of lane *q* takes byte *8 g + q*.
    squares: [u8; 64],
    /// Exchanges of bytes and of words, for one half of the transposition and for the other.
    words_up: [u8; 64],
    words_down: [u8; 64],
    bytes_up: [u8; 64],
    bytes_down: [u8; 64],
    /// Byte *h* of each word, and *v* of each dword, everywhere in it.
    of_word: [[u8; 64]; 2],
    of_dword: [[u8; 64]; 4],
    /// Of eight bytes in each lane, the one with the number of the lane. Of sixteen, the same for the lower half of each
    /// lane, and the one eight bytes after for the upper half.
    of_lane: [u8; 64],
    of_place: [u8; 64],
    /// The byte before.
    before: [u8; 64],
    /// The lanes of the two lower positions, and of the two upper ones, of two vectors by turns.
    two: [[u64; 8]; 2],
    /// Byte *b* of lane *r* takes byte *r* of lane *7 - b*, or of the lane four after that.
    planes: [[u8; 64]; 2],
}

static TABLES: Tables = Tables {
    squares: table!(at < 64 => 8 * (at as u8 % 8) + at as u8 / 8),
    words_up: table!(at < 64 => (at as u8 % 16) & !2),
    words_down: table!(at < 64 => (at as u8 % 16) | 2),
    bytes_up: table!(at < 64 => (at as u8 % 16) & !1),
    bytes_down: table!(at < 64 => (at as u8 % 16) | 1),
    of_word: table!(row < 2 => table!(at < 64 => ((at as u8 % 16) & !1) | row as u8)),
    of_dword: table!(row < 4 => table!(at < 64 => ((at as u8 % 16) & !3) | row as u8)),
    of_lane: table!(at < 64 => at as u8 / 8),
    of_place: table!(at < 64 => at as u8 / 8 + 8 * (at as u8 % 8 / 4)),
    before: table!(at < 64 => (at as u8 % 16).saturating_sub(1)),
    two: table!(half < 2 => table!(at < 8 => (4 * half + 2 * (at / 4) + 8 * (at / 2 % 2) + at % 2) as u64)),
    planes: table!(upper < 2 => table!(at < 64 => ((8 * (7 - at % 8) + at / 8) ^ (32 * upper)) as u8)),
};

/// The lines through a square of each file, relative to it: what lies above it, from bit 0 on, and what lies below it,
/// up to bit 63. Shifted by the number of a square as one number of 128 bits, the upper half is the star of the square.
const fn star(queen: bool) -> [[u64; 8]; 2] {
    let (mut up, mut down) = ([0; 8], [0; 8]);
    let mut file = 0;
    while file < 8 {
        let mut step = 1;
        while step < 8 {
            let (west, east) = (step <= file, step <= 7 - file);
            if queen {
                let rank = 1 << (8 * step); // for both: 64 - 8 * step goes through the same numbers
                up[file] |= rank | (east as u64) << step;
                down[file] |= rank | (west as u64) << (64 - step);
            }
            up[file] |= (east as u64) << (9 * step) | (west as u64) << (7 * step);
            down[file] |= (west as u64) << (64 - 9 * step) | (east as u64) << (64 - 7 * step);
            step += 1;
        }
        file += 1;
    }
    [up, down]
}

const BISHOP_STAR: [[u64; 8]; 2] = star(false);
const QUEEN_STAR: [[u64; 8]; 2] = star(true);

/// The table by rank, for all squares.
#[inline(always)]
fn for_squares(table: u64) -> [u64; 8] {
    let of = |rank: usize| 0x0101_0101_0101_0101 * (table >> (8 * rank) & 0xff);
    [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)]
}

/// The lane for each file, from the tables of the first three rows.
const fn lanes_of(rows: [u64; 3]) -> [u64; 8] {
    table!(file < 8 => {
        let [first, second, third] = rows;
        first >> (8 * file) & 0xff | (second >> (8 * file) & 0xff) << 8 | (third >> (8 * file) & 0xff) << 16
    })
}

token! {
    /// Proof that the CPU has AVX-512 F, BW, DQ, VL, CD, VBMI and VBMI2, and GFNI.
    Avx512Gfni(super::Held), "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni"
}

/// Calls shorter than a block. From how many pairs on a loop takes two vectors at a time was measured.
type Bishops = Vectors<FewBishop<Avx512Gfni>, FEW, 0>;
type Rooks = Vectors<FewRook<Avx512Gfni>, FEW, 0>;
type Queens = Vectors<FewQueen<Avx512Gfni>, FEW, 0>;

few! {
    Avx512Gfni, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni",
    bishop: Bishops;
    rook: Rooks;
    queen: Queens;
}

entries! {
    Avx512Gfni, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni", BOARDS, few,
    bishop Bishop: bit_matrix::Bishop<Avx512Gfni>, Bishops::over(Avx512Gfni::plain());
    rook Rook: bit_matrix::Rook<Avx512Gfni>, Rooks::over(Avx512Gfni::plain());
    queen Queen: bit_matrix::Queen<Avx512Gfni>, Queens::over(Avx512Gfni::plain());
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    let kernel = SliderSets(Avx512::plain(), Products(Avx512Gfni::plain()));
    vector::attack_sets::<BOARDS, _>(kernel, sets, out, stream);
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
            for pair in 0..4 {
                let even = _mm512_gf2p8affine_epi64_epi8::<0>(pack, boards[2 * pair]);
                let odd = simd.1.masks.odd;
                pairs[pair] = _mm512_mask_gf2p8affine_epi64_epi8::<0>(even, odd, pack, boards[2 * pair + 1]);
            }
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
            let lanes = const { lanes_of(bit_matrix::few_rows(ROOK, BISHOP)) };
            _mm512_permutexvar_epi64(squares, bytemuck::cast(lanes))
        }
        fn star_of_lane<const QUEEN: bool>(self, squares: V, _place: usize) -> V { star_of::<QUEEN>(squares, 0) }
        fn answers(self as simd, rows: V, boards: [V; 1]) -> V { simd.product::<0>(rows, boards[0]) }
        fn doubles(self, squares: V) -> [V; 2] { doubles::<8>(squares) }
        fn with_rank(self as simd, answers: V, squares: V, boards: [V; 1]) -> V {
            _mm512_mask_multishift_epi64_epi8(answers, simd.1.masks.fourth, ranks_of(squares), boards[0])
        }
        fn exchanged(self as simd, answers: V, rows: V, _squares: V) -> [V; 2] {
            let Held { masks: Masks { fifth, .. }, tables: Tables { before, .. } } = simd.1;
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
            let [east, west, file] = bit_matrix::few_rows(ROOK, BISHOP);
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
            let Held { tables: Tables { two, planes: places, .. }, masks: Masks { bits, highest, .. } } = simd.1;
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
    for pair in 0..4 {
        let even = _mm512_multishift_epi64_epi8(from, boards[2 * pair]);
        pairs[pair] = _mm512_mask_multishift_epi64_epi8(even, simd.1.masks.odd, from, boards[2 * pair + 1]);
    }
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
