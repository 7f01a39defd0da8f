//! Boards from nibbles: the numbers of the pieces, one nibble per occupied square, spread over the squares.
//!
//! Engines store boards this way. The occupancy says where the pieces are; the nibbles, in the order of the squares,
//! say which. The output is the reverse: for each bit of a nibble, the squares of the pieces that have it.
//!
//! ```text
//! occupancy   . 1 . . 1 1 . 1           nibbles   3  9  8  1
//!
//! bit 0 of the nibbles    1 1 . 1   ▸   . 1 . . 1 . . 1
//! bit 1                   1 . . .   ▸   . 1 . . . . . .
//! bit 3                   . 1 1 .   ▸   . . . . 1 1 . .
//! ```
//!
//! First the bits of each number are gathered, then they are spread. PEXT and PDEP do both; so do `vpmovmskb` and PDEP, in less
//! time. [`Unpack`] is for CPUs without them, or with slow ones. It has operations on words only, which the compiler vectorises:
//! as many boards at a time as a vector has words. The gathering is two transpositions of a 4 by 4 matrix: of bits, then of
//! nibbles.
//!
//! Source of the spreading: "expand" in section 7-5 of Henry S. Warren, "Hacker's Delight", second edition.

use crate::batch::entries::Task;

/// A board in a record of an engine: the occupancy in 8 bytes, the lowest first; nibbles in 16 bytes, the lower one first; and
/// 8 bytes that are not looked at.
pub(crate) type PackedBoard = [u8; 32];

/// The bits of the numbers of pieces past the 32nd, which have no nibble: all of them, so that their number is 15.
pub(crate) const MORE: u64 = !0 << 32;

/// The squares of the pieces that have each bit of a number.
pub(crate) type NibblePlanes = [u64; 4];

/// The occupancy, and the nibbles in two words.
#[inline(always)]
pub(crate) fn words(record: &PackedBoard) -> [u64; 3] {
    let [occupied, low, high, _] = *record.as_chunks().0 else { unreachable!("four words") };
    [occupied, low, high].map(u64::from_le_bytes)
}

/// Writes the planes of as many boards as there are records, with words.
pub(crate) struct Unpack<'a> {
    pub(crate) records: &'a [PackedBoard],
    pub(crate) planes: [&'a mut [u64]; 4],
}

impl Task for Unpack<'_> {
    #[inline(always)]
    fn perform(self) {
        let Unpack { records, planes: [ones, twos, fours, eights] } = self;
        for ((((record, ones), twos), fours), eights) in records.iter().zip(ones).zip(twos).zip(fours).zip(eights) {
            [*ones, *twos, *fours, *eights] = unpack(words(record));
        }
    }
}

/// The planes of one board.
#[inline(always)]
fn unpack([occupied, low, high]: [u64; 3]) -> NibblePlanes {
    let (low, high) = (gather(low), gather(high));
    let bits = [0, 16, 32, 48].map(|start| low >> start & 0xffff | (high >> start & 0xffff) << 16 | MORE);
    spread(bits, occupied)
}

/// The bits of 16 nibbles: the lowest ones in the lowest 16 bits of the result, and so on.
#[inline(always)]
fn gather(nibbles: u64) -> u64 {
    // Bits of four nibbles each.
    let swapped = swap::<3>(nibbles, 0x0a0a_0a0a_0a0a_0a0a);
    let bits = swap::<6>(swapped, 0x00cc_00cc_00cc_00cc);
    // Nibbles of four words each.
    let swapped = swap::<12>(bits, 0x0000_f0f0_0000_f0f0);
    swap::<24>(swapped, 0x0000_0000_ff00_ff00)
}

/// Swaps the bits of `mask` with those `BY` places above.
#[inline(always)]
fn swap<const BY: u32>(word: u64, mask: u64) -> u64 {
    let differ = (word ^ word >> BY) & mask;
    word ^ differ ^ differ << BY
}

/// Spreads the bits of four words over the bits of a mask.
#[inline(always)]
fn spread(words: NibblePlanes, mask: u64) -> NibblePlanes {
    // By one, two, four and so on: which bits of the mask are moved so far, when it is pushed together.
    let mut moves = [0; 6];
    let (mut rest, mut gaps) = (mask, !mask << 1);
    for (by, moved) in moves.iter_mut().enumerate() {
        // Whether the number of gaps below is odd.
        let mut odd = gaps ^ gaps << 1;
        for step in 1..6 {
            odd ^= odd << (1 << step);
        }
        *moved = odd & rest;
        rest = rest ^ *moved | *moved >> (1 << by);
        gaps &= !odd;
    }
    let mut spread = words;
    for (by, moved) in moves.iter().enumerate().rev() {
        for word in &mut spread {
            *word ^= (*word ^ *word << (1 << by)) & moved;
        }
    }
    spread.map(|word| word & mask)
}

/// Every set bit by itself, in boards of any pieces.
#[test]
fn gathered_and_spread_bit_by_bit() {
    for at in 0..64 {
        assert_eq!(gather(1 << at), 1 << (at % 4 * 16 + at / 4), "{at}");
    }
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
        state ^ state >> 32
    };
    for _ in 0..1_000 {
        let (mask, word) = (random() & random(), random());
        let (mut rest, mut expected, mut at) = (mask, 0, 0);
        while rest != 0 {
            let square = rest & rest.wrapping_neg();
            expected |= if word >> at & 1 != 0 { square } else { 0 };
            (rest, at) = (rest ^ square, at + 1);
        }
        assert_eq!(spread([word, !word, 0, !0], mask), [expected, mask & !expected, 0, mask]);
    }
}
