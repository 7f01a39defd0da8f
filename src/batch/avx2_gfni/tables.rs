//! The constants of the operations: where bytes come from, and masks.

use core::hint::black_box;

use crate::table::table;

/// Constants hidden from the compiler, which would take apart shuffles and blends with known constants.
#[derive(Clone, Copy)]
pub(super) struct Avx2GfniHeld(pub(super) &'static Tables);

impl Avx2GfniHeld {
    /// Nothing hidden.
    pub(super) const PLAIN: Avx2GfniHeld = Avx2GfniHeld(&TABLES);

    #[inline(always)]
    pub(super) fn load() -> Avx2GfniHeld {
        Avx2GfniHeld(black_box(&TABLES))
    }
}

pub(super) type Table = [u8; 32];

#[repr(C, align(64))]
pub(super) struct Tables {
    pub(super) seven: Table,
    /// The bytes with even numbers, and the others.
    pub(super) even: Table,
    pub(super) odd: Table,
    /// The boards that a lane of a group takes: see [`Order`].
    pub(super) one: Order,
    pub(super) two: Order,
    pub(super) four: Order,
    /// The sources of the bytes of words and dwords that are copies of one byte.
    pub(super) of_word: [Table; 2],
    pub(super) of_dword: [Table; 4],
    /// The number of each byte of a lane, and seven minus that.
    pub(super) up: Table,
    pub(super) down: Table,
    /// By the distance from the slider's file or rank plus seven: one bit for the distance.
    pub(super) distance: Table,
    /// The same with all bits for the slider's own file or rank.
    pub(super) distance_or_all: Table,
    /// The bytes of the squares of each of two boards that share a lane, everywhere in the lane.
    pub(super) of_place: [Table; 2],
    /// The byte of a square that goes to the fifth row; nothing goes to the others.
    pub(super) to_fifth: Table,
    pub(super) alone: Places,
    pub(super) paired: Places,
    /// The highest bits of the numbers for ranks 1 to 4, and for the others, from two boards in every 128 bits. Ranks 1 and 2
    /// of either half are the lower 128 bits.
    pub(super) highest: [Table; 2],
}

/// The tables that depend on the number of rows of a board in its lane: eight if it is alone there, four if there are
/// two.
pub(super) struct Places {
    /// Where the squares come from.
    pub(super) squares: Table,
    /// Added to the number of a file: eight in the second row, and the topmost bit from the third on.
    pub(super) sides: Table,
    /// The same: the topmost bit in all rows but the third.
    pub(super) third: Table,
    /// All bits of the first three rows, and of the fourth.
    pub(super) three: Table,
    pub(super) fourth: Table,
    /// The source of the fourth row, in addition to the number of a rank; the other rows get nothing.
    pub(super) to_fourth: Table,
}

const fn places(rows: usize) -> Places {
    Places {
        squares: table!(at < 32 => (at / 8 + 4 * (at % 8 / rows)) as u8),
        sides: table!(at < 32 => match at % rows {
            0 => 0,
            1 => 8,
            _ => 0x80,
        }),
        third: table!(at < 32 => if at % rows == 2 { 0 } else { 0x80 }),
        three: table!(at < 32 => if at % rows < 3 { 0xff } else { 0 }),
        fourth: table!(at < 32 => if at % rows == 3 { 0xff } else { 0 }),
        to_fourth: table!(at < 32 => if at % rows == 3 { at as u8 & 8 } else { 0x80 }),
    }
}

/// The order of the squares of boards.
pub(super) struct Order {
    /// Where the squares come from, within 128 bits.
    pub(super) squares: Table,
    /// For each group, the bytes of its boards' squares, everywhere in their lanes.
    pub(super) of_group: [Table; 8],
    /// Eight in the bytes that belong to a board in the upper one of two lanes.
    pub(super) upper: Table,
}

/// The order in which byte `g` of lane `q` belongs to board `4 g + q`.
const ONE: Order = Order {
    squares: table!(at < 32 => 4 * (at as u8 % 4) + at as u8 % 16 / 4),
    of_group: [[0; 32]; 8], // not used: a rook needs no star
    upper: table!(at < 32 => at as u8 & 8),
};

/// The order in which unpacking makes pairs. Within 128 bits, byte `u q m m` belongs to board `u m m L q`, where `L` is the
/// number of the 128 bits.
const TWO: Order = Order {
    squares: table!(at < 32 => (at as u8 & 3) << 2 | (at as u8 >> 3 & 1) << 1 | at as u8 >> 2 & 1),
    of_group: table!(group < 8 => table!(at < 32 => {
        8 * (group as u8 / 4) + 4 * (at as u8 % 16 / 8) + group as u8 % 4
    })),
    upper: [0; 32], // not used: a bishop needs no rank
};

/// The order in which unpacking twice makes fours. Within 128 bits, byte `u u q h` belongs to board `u u h L q`.
const FOUR: Order = Order {
    squares: table!(at < 32 => {
        (at as u8 >> 2 & 1) << 3 | (at as u8 & 1) << 2 | (at as u8 >> 3 & 1) << 1 | at as u8 >> 1 & 1
    }),
    of_group: table!(group < 8 => table!(at < 32 => {
        4 * (group as u8 / 2) + 2 * (at as u8 % 16 / 8) + group as u8 % 2
    })),
    upper: table!(at < 32 => 4 * (at as u8 & 2)),
};

static TABLES: Tables = Tables {
    seven: [7; 32],
    even: table!(at < 32 => if at % 2 == 0 { 0xff } else { 0 }),
    odd: table!(at < 32 => if at % 2 == 0 { 0 } else { 0xff }),
    one: ONE,
    two: TWO,
    four: FOUR,
    of_word: table!(number < 2 => table!(at < 32 => 8 * number as u8 + at as u8 % 16 / 2)),
    of_dword: table!(number < 4 => table!(at < 32 => 4 * number as u8 + at as u8 % 16 / 4)),
    up: table!(at < 32 => at as u8 % 8),
    down: table!(at < 32 => 7 - at as u8 % 8),
    distance: distances(0),
    distance_or_all: distances(0xff),
    of_place: table!(place < 2 => table!(at < 32 => (at as u8 & 8) + 4 * place as u8)),
    to_fifth: table!(at < 32 => if at % 8 == 4 { at as u8 % 16 - 1 } else { 0x80 }),
    alone: places(8),
    paired: places(4),
    highest: table!(half < 2 => table!(at < 32 => match at % 4 {
        3 => (at as u8 & 8) + 4 * half as u8 + 2 * (at as u8 / 16) + at as u8 / 4 % 2,
        _ => 0x80,
    })),
};

/// By the distance plus seven: one bit for the distance, and `own` for none.
const fn distances(own: u8) -> Table {
    table!(at < 32 => match at as u8 % 16 {
        7 => own,
        15 => 0,
        place => 1 << place.abs_diff(7),
    })
}
