//! The constants of the operations: where bytes and lanes come from, masks, and stars.

use core::hint::black_box;

use crate::table::table;

/// Constants hidden from the compiler, which would take apart shuffles and blends with known constants.
#[derive(Clone, Copy)]
pub(super) struct Avx512GfniHeld {
    pub(super) tables: &'static Tables,
    pub(super) masks: Masks,
}

impl Avx512GfniHeld {
    /// Nothing hidden.
    pub(super) const PLAIN: Avx512GfniHeld = Avx512GfniHeld { tables: &TABLES, masks: MASKS };

    #[inline(always)]
    pub(super) fn load() -> Avx512GfniHeld {
        Avx512GfniHeld { tables: black_box(&TABLES), masks: *black_box(&MASKS) }
    }
}

/// Masks of bytes.
#[derive(Clone, Copy)]
pub(super) struct Masks {
    /// Every other byte, pair of bytes, and four bytes.
    pub(super) odd: u64,
    pub(super) odd_words: u64,
    pub(super) odd_dwords: u16,
    /// The words of each lane.
    pub(super) word: [u64; 4],
    /// The first three bytes of each lower dword, and of each upper one.
    pub(super) low_rows: u64,
    pub(super) high_rows: u64,
    /// Bytes 3 and 4 of each lane.
    pub(super) fourth: u64,
    pub(super) fifth: u64,
    /// Bytes 3 and 7 of each lane, and its upper four bytes.
    pub(super) fourths: u64,
    pub(super) high: u64,
    /// The five bits of the numbers, the highest first, in the bytes of each lane.
    pub(super) bits: u64,
    /// The lane for the highest bits, next to the other bits of two positions: for the lower position and the upper one.
    pub(super) highest: [u8; 2],
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
pub(super) struct Tables {
    /// Byte *g* of lane *q* takes byte *8 g + q*.
    pub(super) squares: [u8; 64],
    /// Exchanges of bytes and of words, for one half of the transposition and for the other.
    pub(super) words_up: [u8; 64],
    pub(super) words_down: [u8; 64],
    pub(super) bytes_up: [u8; 64],
    pub(super) bytes_down: [u8; 64],
    /// Byte *h* of each word, and *v* of each dword, everywhere in it.
    pub(super) of_word: [[u8; 64]; 2],
    pub(super) of_dword: [[u8; 64]; 4],
    /// Of eight bytes in each lane, the one with the number of the lane. Of sixteen, the same for the lower half of each
    /// lane, and the one eight bytes after for the upper half.
    pub(super) of_lane: [u8; 64],
    pub(super) of_place: [u8; 64],
    /// The byte before.
    pub(super) before: [u8; 64],
    /// The lanes of the two lower positions, and of the two upper ones, of two vectors, alternately.
    pub(super) two: [[u64; 8]; 2],
    /// Byte *b* of lane *r* takes byte *r* of lane *7 - b*, or of the lane four after that.
    pub(super) planes: [[u8; 64]; 2],
}

pub(super) static TABLES: Tables = Tables {
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

/// The lines through a square of each file, relative to it: the squares above it, from bit 0 on, and the squares below
/// it, up to bit 63. Shifted by the number of a square as one number of 128 bits, the upper half is the star of the
/// square.
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

pub(super) const BISHOP_STAR: [[u64; 8]; 2] = star(false);
pub(super) const QUEEN_STAR: [[u64; 8]; 2] = star(true);

/// The table by rank, for all squares.
#[inline(always)]
pub(super) fn for_squares(table: u64) -> [u64; 8] {
    let of = |rank: usize| 0x0101_0101_0101_0101 * (table >> (8 * rank) & 0xff);
    [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)]
}

/// The lane for each file, from the tables of the first three rows.
pub(super) const fn lanes_of(rows: [u64; 3]) -> [u64; 8] {
    table!(file < 8 => {
        let [first, second, third] = rows;
        first >> (8 * file) & 0xff | (second >> (8 * file) & 0xff) << 8 | (third >> (8 * file) & 0xff) << 16
    })
}
