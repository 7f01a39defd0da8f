//! Tables that layouts become.

use slider_attacks::position::Piece;
use slider_attacks::{Square, bishop_attacks, rook_attacks};

use crate::layout::{PieceLayout, ThreatLayout};

/// The number of a piece as a perspective sees it: its kind, and this for an enemy. In a position, the perspective is
/// White's.
pub(crate) const ENEMY: u8 = 8;

/// The greater number of two in the attack of a kind by itself.
const ONCE: u8 = 1 << 7;

/// The squares that are these steps of file and rank away.
fn steps(square: usize, steps: &[(i32, i32)]) -> u64 {
    let (file, rank) = (square as i32 % 8, square as i32 / 8);
    let on_board = |&(east, north): &(i32, i32)| {
        let (file, rank) = (file + east, rank + north);
        ((0..8).contains(&file) && (0..8).contains(&rank)).then(|| 1 << (8 * rank + file))
    };
    steps.iter().filter_map(on_board).sum()
}

const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING: [(i32, i32); 8] = [(1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)];

/// The squares that a piece attacks on an empty board. Pawns stand on ranks 2 to 7.
fn reach(piece: Piece, is_enemy: bool, pushes: bool, square: usize) -> u64 {
    let of = Square::ALL[square];
    match piece {
        Piece::Pawn if !(8..56).contains(&square) => 0,
        Piece::Pawn => {
            let north = if is_enemy { -1 } else { 1 };
            steps(square, &[(-1, north), (1, north), (0, north)][..if pushes { 3 } else { 2 }])
        }
        Piece::Knight => steps(square, &KNIGHT),
        Piece::Bishop => bishop_attacks(of, 0),
        Piece::Rook => rook_attacks(of, 0),
        Piece::Queen => bishop_attacks(of, 0) | rook_attacks(of, 0),
        Piece::King => steps(square, &KING),
    }
}

/// The tables of threats. What depends on a piece and its square is in the place that [`ROWS`] gives for the piece,
/// plus the square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreatTables {
    /// What a slider attacks on an empty board, as White sees it, and what any other piece attacks.
    pub slides: [u64; PLACES],
    pub leaps: [u64; PLACES],
    /// For each kind, all ones for the kinds that are its victims.
    pub victims: [[u64; 6]; 6],
    /// All ones for the kinds that have victims.
    pub attackers: [u64; 6],
    pub pushes: bool,
    /// For each place and target: the number of lower targets on an empty board.
    pub ranks: [[u8; 64]; PLACES],
    /// For each place, the first input that has it as an own attacker. Both elements are the same.
    pub starts: [[u16; 2]; PLACES],
    /// For attacker, victim and side of the victim, what the victim adds to the input, low and high bytes. The index is
    /// 8 · attacker + victim, and 64 more for an enemy. The topmost bit says that the attack counts only if it goes to
    /// a lower square.
    pub slots: [[[u8; 64]; 2]; 2],
    /// The same, by words.
    pub words: [u16; 128],
    /// What an enemy adds to the input of an attacker: one of them is zero. The second is needed where sums do not fit
    /// 16 bits.
    pub enemy_word: u16,
    pub enemy_base: u32,
}

/// The number of places: 64 for each kind, and for enemy pawns. The last 64 are not used.
pub(crate) const PLACES: usize = 512;

/// The row of a piece by its number, times 64 its first place: its kind, or 6 for an enemy pawn.
pub(crate) const ROWS: [u8; 64] = {
    let mut rows = [0; 64];
    let mut kind = 0;
    while kind < 6 {
        (rows[kind], rows[kind + ENEMY as usize]) = (kind as u8, kind as u8);
        kind += 1;
    }
    rows[ENEMY as usize] = 6;
    rows
};

impl ThreatTables {
    pub(crate) fn new(layout: &ThreatLayout) -> ThreatTables {
        let side_size = layout.side_size();
        let fits = layout.size() <= 1 << 16;
        let mask = |is: bool| if is { !0 } else { 0 };
        let mut tables = ThreatTables {
            slides: [0; PLACES],
            leaps: [0; PLACES],
            victims: layout.slots().map(|row| row.map(|slot| mask(slot.is_some()))),
            attackers: core::array::from_fn(|kind| mask(layout.victims(kind) > 0)),
            pushes: layout.pushes(),
            ranks: [[0; 64]; PLACES],
            starts: [[0; 2]; PLACES],
            slots: [[[0; 64]; 2]; 2],
            words: [0; 128],
            enemy_word: if fits { side_size as u16 } else { 0 },
            enemy_base: if fits { 0 } else { side_size },
        };
        for is_enemy in [false, true] {
            let mut base = 0;
            for piece in Piece::ALL {
                let number = piece as usize | if is_enemy { usize::from(ENEMY) } else { 0 };
                tables.add_places(layout, piece, is_enemy, usize::from(ROWS[number]), base);
                base += 2 * layout.victims(piece as usize) * layout.pairs(piece);
            }
        }
        for attacker in Piece::ALL {
            for victim in Piece::ALL {
                for is_enemy in [false, true] {
                    tables.add_slot(layout, attacker, victim, is_enemy);
                }
            }
        }
        tables
    }

    /// Adds a piece, whose inputs begin with `base`.
    fn add_places(&mut self, layout: &ThreatLayout, piece: Piece, is_enemy: bool, row: usize, base: u32) {
        let mut start = base;
        for square in 0..64 {
            let (place, reach) = (64 * row + square, reach(piece, is_enemy, layout.pushes(), square));
            match piece {
                Piece::Bishop | Piece::Rook | Piece::Queen => self.slides[place] = reach,
                Piece::Pawn | Piece::Knight | Piece::King => self.leaps[place] = reach,
            }
            self.ranks[place] = core::array::from_fn(|target| (reach & ((1 << target) - 1)).count_ones() as u8);
            self.starts[place] = [start as u16; 2];
            start += reach.count_ones();
        }
    }

    fn add_slot(&mut self, layout: &ThreatLayout, attacker: Piece, victim: Piece, is_enemy: bool) {
        let (kind, other) = (attacker as usize, victim as usize);
        let Some(slot) = layout.slots()[kind][other] else { return };
        let slot = u32::from(slot) + if is_enemy { layout.victims(kind) } else { 0 };
        let [low, high, ..] = (slot * layout.pairs(attacker)).to_le_bytes();
        // Own pawns attack upwards, so an attack on an enemy is the one that goes up, and the rule does not affect
        // others.
        let once = kind == other && (is_enemy || attacker != Piece::Pawn);
        let (side, at) = (usize::from(is_enemy), 8 * kind + other);
        let high = high | if once { ONCE } else { 0 };
        (self.slots[0][side][at], self.slots[1][side][at]) = (low, high);
        self.words[64 * side + at] = u16::from_le_bytes([low, high]);
    }
}

/// The tables of pieces on their squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PieceTables {
    /// The plane of each piece, by its number.
    pub planes: [u8; 64],
    /// The first input of each bucket, by square of the own king.
    pub buckets: [u32; 64],
}

impl PieceTables {
    pub(crate) fn new(layout: &PieceLayout) -> PieceTables {
        let mut planes = [0; 64];
        for (side, of_side) in layout.planes().iter().enumerate() {
            planes[side * usize::from(ENEMY)..][..6].copy_from_slice(of_side);
        }
        let buckets = layout.buckets().map(|bucket| u32::from(bucket) * layout.bucket_size());
        PieceTables { planes, buckets }
    }
}
