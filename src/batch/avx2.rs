#![doc = include_str!("../../asm-notes/avx2.md")]

pub(super) mod text;

use core::arch::x86_64::*;
use core::hint::black_box;

use crate::Square;
use crate::batch::blocks::{Traffic, for_each_block};
use crate::batch::entries::{Task, for_each_board};
use crate::batch::kernel::lines::BYTE_SWAP;
use crate::batch::kernel::nibbles::{MORE, PackedBoard, words};
use crate::batch::kernel::slider_sets::{Shifts, SliderSets};
use crate::batch::kernel::{file_bits, lines, rank_slices};
use crate::batch::lists::{ListTask, OneByOne};
use crate::batch::simd::{Boards, Bytes, Groups, Prefetch};
use crate::batch::vector::Lines;
use crate::batch::{scalar, vector};
use crate::table::{eight, table};

/// How many boards a block has.
const BOARDS: usize = 32;

type Table = [u8; 32];

/// A constant hidden from the compiler. If it knew the value, it would not add a comparison to the constant, but choose
/// between two constants, which takes longer.
#[derive(Clone, Copy)]
pub(super) struct Avx2Held(&'static [Table; 8]);

impl Avx2Held {
    /// Nothing hidden.
    const PLAIN: Avx2Held = Avx2Held(&OF_PAIR);

    #[inline(always)]
    fn load() -> Avx2Held {
        Avx2Held(black_box(&OF_PAIR))
    }
}

/// For each group, the places of its boards' bytes, everywhere in their lanes.
const OF_GROUP: [Table; 8] = table!(group < 8 => table!(at < 32 => 2 * group as u8 + at as u8 % 16 / 8));
/// The same for the second bytes of unpacked pairs.
static OF_PAIR: [Table; 8] =
    table!(group < 8 => table!(at < 32 => 2 * (2 * (group as u8 % 4) + at as u8 % 16 / 8) + 1));
/// Added to the number of a rank, for groups with even numbers and for the others: where the upper of two lanes begins,
/// and the topmost bit in the bytes of the other groups, where a shuffle is to give zero.
const OF_EVEN: Table = table!(at < 32 => 8 * (at as u8 % 2) + 0x80 * (at as u8 / 2 % 2));
const OF_ODD: Table = table!(at < 32 => 8 * (at as u8 % 2) + 0x80 * (1 - at as u8 / 2 % 2));

token! {
    /// Proof that the CPU has AVX2.
    Avx2(super::Avx2Held), "avx2"
}

entries! {
    Avx2, "avx2", BOARDS, scalar,
    bishop: rank_slices::Bishop<Avx2>, Lines(lines::Bishop::<BYTE_SWAP>);
    rook: file_bits::Rook<Avx2>, Lines(lines::Rook::<BYTE_SWAP>);
    queen: rank_slices::Queen<Avx2>, Lines(lines::Queen::<BYTE_SWAP>);
}

/// Writes the attack sets of sets of sliders.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn attack_sets(sets: [&[u64]; 3], out: &mut [u64], stream: bool) {
    vector::attack_sets::<BOARDS, _>(SliderSets(Avx2::plain(), Shifts), sets, out, stream);
}

/// The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn perform(task: impl Task) {
    task.perform();
}

/// Lists moves. The compiler vectorises the loops of the task.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn list(task: impl ListTask) {
    task.perform(OneByOne::<true>);
}

/// The same as [`perform`], of bits one after the other.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn perform_by_bits(task: impl Task) {
    task.perform();
}

/// Writes the planes of records: `vpmovmskb` gathers the bits of bytes, PDEP spreads them.
#[inline(never)]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn unpack(records: &[PackedBoard], [ones, twos, fours, eights]: [&mut [u64]; 4]) {
    for ((((record, ones), twos), fours), eights) in records.iter().zip(ones).zip(twos).zip(fours).zip(eights) {
        let [occupied, low, high] = words(record);
        let nibbles = _mm_set_epi64x(high as i64, low as i64);
        // The lower nibbles go to the upper half of each byte. The content of the lower half makes no difference.
        let (even, odd) = (_mm_slli_epi16::<4>(nibbles), nibbles);
        let bytes = _mm256_set_m128i(_mm_unpackhi_epi8(even, odd), _mm_unpacklo_epi8(even, odd));
        let spread = |bytes| _pdep_u64(u64::from(_mm256_movemask_epi8(bytes) as u32) | MORE, occupied);
        *eights = spread(bytes);
        *fours = spread(_mm256_slli_epi16::<1>(bytes));
        *twos = spread(_mm256_slli_epi16::<2>(bytes));
        *ones = spread(_mm256_slli_epi16::<3>(bytes));
    }
}

/// Writes one of two values of `SIZE` bytes for each square of the boards of some columns, 32 bytes at a time: each byte takes the
/// rank of its square, and a comparison with the bit of its file makes a mask of it.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn squares<const SIZE: usize>(columns: &[&[u64]], values: [[u8; SIZE]; 2], out: &mut [[[u8; SIZE]; 64]]) {
    let [zero, one]: [__m256i; 2] = values.map(|value| {
        let table: Table = core::array::from_fn(|at| value[at % SIZE]);
        bytemuck::cast(table)
    });
    for_each_board(columns, out, |board, out| {
        let board = _mm256_set1_epi64x(board as i64);
        for (part, out) in out.as_flattened_mut().as_chunks_mut().0.iter_mut().enumerate() {
            let (rank, file): (__m256i, __m256i) =
                (bytemuck::cast(BytePlaces::<SIZE>::RANKS[part]), bytemuck::cast(BytePlaces::<SIZE>::FILES[part]));
            let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(board, rank), file), file);
            let part: Table = bytemuck::cast(_mm256_blendv_epi8(zero, one, is_set));
            *out = part;
        }
    });
}

/// Writes the squares whose numbers are not 0.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn nonzero_squares(numbers: &[[u8; 64]], out: &mut [u64]) {
    for (numbers, out) in numbers.iter().zip(out) {
        let [low, high]: [__m256i; 2] = bytemuck::cast(*numbers);
        let zero = |part| u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(part, _mm256_setzero_si256())) as u32);
        *out = !(zero(low) | zero(high) << 32);
    }
}

/// For values of `SIZE` bytes: the rank of the square to which each byte of each vector belongs, and the bit of its file.
struct BytePlaces<const SIZE: usize>;

impl<const SIZE: usize> BytePlaces<SIZE> {
    const RANKS: [Table; 16] = table!(part < 16 => table!(at < 32 => ((32 * part + at) / SIZE / 8) as u8));
    const FILES: [Table; 16] = table!(part < 16 => table!(at < 32 => 1 << ((32 * part + at) / SIZE % 8)));
}

operations! {
    "avx2",

    impl Bytes for Avx2 {
        const TERNARY_LOGIC: bool = false;
        type Vector = __m256i;

        fn splat(self, byte: u8) -> __m256i { _mm256_set1_epi8(byte as i8) }
        fn and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        fn and_not(self, a: __m256i, b: __m256i) -> __m256i { _mm256_andnot_si256(b, a) }
        fn or(self, a: __m256i, b: __m256i) -> __m256i { _mm256_or_si256(a, b) }
        fn xor(self, a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn add(self, a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi8(a, b) }
        fn sub(self, a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi8(a, b) }
        fn average(self, a: __m256i, b: __m256i) -> __m256i { _mm256_avg_epu8(a, b) }
        fn max(self, a: __m256i, b: __m256i) -> __m256i { _mm256_max_epu8(a, b) }
        fn eighth(self, a: __m256i) -> __m256i { _mm256_srli_epi16::<3>(a) }
        fn sixteenth(self, a: __m256i) -> __m256i { _mm256_srli_epi16::<4>(a) }
        fn shift_1_and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(_mm256_srli_epi16::<1>(a), b) }
        fn shift_2_and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(_mm256_srli_epi16::<2>(a), b) }
        fn shift_4_and(self, a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(_mm256_srli_epi16::<4>(a), b) }
        fn lookup(self, table: [u8; 16], a: __m256i) -> __m256i {
            let table: __m128i = bytemuck::cast(table);
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), a)
        }
        fn lanes_of(self, a: __m256i, number: u8) -> __m256i { _mm256_cmpeq_epi8(a, _mm256_set1_epi8(number as i8)) }
    }

    impl Boards<BOARDS> for Avx2 {
        fn load_squares(self, squares: &[u8; BOARDS]) -> __m256i {
            // Even pairs of boards belong to the lower half of the vector, odd pairs to the upper.
            const PAIRS: [u8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
            let pairs = _mm256_broadcastsi128_si256(bytemuck::cast(PAIRS));
            let squares: __m256i = bytemuck::cast(*squares);
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(squares, pairs))
        }
        fn load_boards(self, boards: &[u64; BOARDS]) -> [__m256i; 8] { bytemuck::cast(*boards) }
        fn store_boards(self, boards: &mut [u64; BOARDS], vectors: [__m256i; 8], traffic: Traffic) {
            if traffic.streams() {
                stream!(_mm256_stream_si256, boards, vectors.into_iter().enumerate());
            } else {
                *boards = bytemuck::cast(vectors);
            }
        }
        fn interleave(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
            (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b))
        }
    }

    impl Groups for Avx2 {
        fn splat_lanes(self, lane: [u8; 8]) -> __m256i { _mm256_set1_epi64x(i64::from_le_bytes(lane)) }
        fn equal(self, a: __m256i, b: __m256i) -> __m256i { _mm256_cmpeq_epi8(a, b) }
        fn push(self, bits: __m256i, mask: __m256i) -> __m256i { _mm256_avg_epu8(bits, mask) }
        fn where_bit(self, a: __m256i, bits: __m256i, number: usize) -> __m256i {
            if number == 7 {
                // The sign. Taking the negative, as below, would be wrong.
                return _mm256_and_si256(a, _mm256_cmpgt_epi8(_mm256_setzero_si256(), bits));
            }
            _mm256_sign_epi8(a, _mm256_and_si256(bits, _mm256_set1_epi8(1 << number)))
        }
        fn up<const BITS: i32>(self, a: __m256i) -> __m256i { _mm256_slli_epi64::<BITS>(a) }
        fn down<const BITS: i32>(self, a: __m256i) -> __m256i { _mm256_srli_epi64::<BITS>(a) }
        fn spread(self, a: __m256i, group: usize) -> __m256i {
            _mm256_shuffle_epi8(a, bytemuck::cast(OF_GROUP[group]))
        }
        fn spread_either(self as simd, a: __m256i, b: __m256i, choices: [__m256i; 8]) -> [__m256i; 8] {
            let (low, high) = (_mm256_unpacklo_epi8(b, a), _mm256_unpackhi_epi8(b, a));
            eight!(group => {
                // All ones are minus one.
                let from = _mm256_add_epi8(choices[group], bytemuck::cast(simd.1.0[group]));
                _mm256_shuffle_epi8(if group < 4 { low } else { high }, from)
            })
        }
        fn pair_of_ranks(self, ranks: __m256i, boards: [__m256i; 2]) -> __m256i {
            let even = _mm256_shuffle_epi8(boards[0], _mm256_or_si256(ranks, bytemuck::cast(OF_EVEN)));
            let odd = _mm256_shuffle_epi8(boards[1], _mm256_or_si256(ranks, bytemuck::cast(OF_ODD)));
            _mm256_or_si256(even, odd)
        }
        fn join_pairs(self, pairs: [__m256i; 4]) -> __m256i {
            let low = _mm256_blend_epi32::<0x22>(pairs[0], pairs[1]);
            let high = _mm256_blend_epi32::<0x88>(pairs[2], pairs[3]);
            _mm256_blend_epi32::<0xcc>(low, high)
        }
    }

    impl Prefetch for Avx2 {
        fn prefetch_line(self, address: *const u8) {
            _mm_prefetch::<_MM_HINT_T0>(address.cast())
        }
    }
}
