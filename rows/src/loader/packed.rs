//! Positions and their labels in 40 bytes each.

use slider_attacks::Square;
use slider_attacks::position::{Castling, Color, Piece, PlanesError, Positions};
use slider_attacks_games::records::Outcome;

/// A position and its labels.
///
/// Four words are the planes of [`Positions::push_planes`]. In the last one, from bit 0 on:
///
/// | bits | value |
/// |---|---|
/// | 16 | score |
/// | 20 | castling rights |
/// | 17 | ply, or the largest number |
/// | 7 | en passant square, or 64 |
/// | 1 | Black is to move |
/// | 2 | outcome, or 3 |
/// | 1 | there is a score |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedPosition(pub [u64; 5]);

/// The labels of a position as they are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedLabels {
    /// The score.
    pub score: Option<i16>,
    /// How the game ended.
    pub result: Option<Outcome>,
    /// The number of moves before the position.
    pub ply: Option<u32>,
}

const CASTLING: u32 = 16;
const PLY: u32 = CASTLING + 20;
const EN_PASSANT: u32 = PLY + 17;
const SIDE: u32 = EN_PASSANT + 7;
const RESULT: u32 = SIDE + 1;
const HAS_SCORE: u32 = RESULT + 2;

/// Stands for a ply that is missing.
const NO_PLY: u32 = (1 << 17) - 1;
/// The largest ply that can be packed.
pub const MOST_PLY: u32 = NO_PLY - 1;
/// Stands for an outcome that is missing.
const NO_RESULT: u64 = 3;

/// How many bytes a position takes.
pub const PACKED: usize = size_of::<PackedPosition>();

/// Adds positions with their labels to others, packed.
pub fn pack(positions: &Positions, labels: impl Iterator<Item = PackedLabels>, out: &mut Vec<PackedPosition>) {
    let boards = |piece| [Color::White, Color::Black].map(|color| positions.pieces(color, piece));
    let [pawns, knights, bishops, rooks, queens, kings] = Piece::ALL.map(boards);
    let (sides, castling, squares) = (positions.side_to_move(), positions.castling(), positions.en_passant());
    let black = positions.color(Color::Black);
    for (at, labels) in (0..positions.len()).zip(labels) {
        let both = |[white, black]: [&[u64]; 2]| white[at] | black[at];
        let ones = both(pawns) | both(bishops) | both(queens);
        let twos = both(knights) | both(bishops) | both(kings);
        let fours = both(rooks) | both(queens) | both(kings);
        let last = u64::from(labels.score.unwrap_or(0) as u16)
            | u64::from(castling[at].bits()) << CASTLING
            | u64::from(labels.ply.unwrap_or(NO_PLY).min(NO_PLY)) << PLY
            | squares[at].map_or(64, |square| u64::from(square.index())) << EN_PASSANT
            | (sides[at] as u64) << SIDE
            | labels.result.map_or(NO_RESULT, |outcome| outcome as u64) << RESULT
            | u64::from(labels.score.is_some()) << HAS_SCORE;
        out.push(PackedPosition([ones, twos, fours, black[at], last]));
    }
}

impl PackedPosition {
    fn bits(self, from: u32, count: u32) -> u64 {
        self.0[4] >> from & ((1 << count) - 1)
    }

    /// The side to move.
    pub fn side_to_move(self) -> Color {
        if self.bits(SIDE, 1) == 1 { Color::Black } else { Color::White }
    }

    /// The labels.
    pub fn labels(self) -> PackedLabels {
        PackedLabels {
            score: (self.bits(HAS_SCORE, 1) == 1).then_some(self.0[4] as i16),
            result: Outcome::ALL.get(self.bits(RESULT, 2) as usize).copied(),
            ply: Some(self.bits(PLY, 17) as u32).filter(|&ply| ply != NO_PLY),
        }
    }
}

/// The positions of packed ones.
///
/// # Errors
///
/// One is no position, so it does not come from [`pack`].
pub fn unpack(packed: &[PackedPosition]) -> Result<Positions, PlanesError> {
    let plane = |plane: usize| packed.iter().map(|row| row.0[plane]).collect::<Vec<u64>>();
    let planes = [0, 1, 2, 3].map(plane);
    let sides: Vec<Color> = packed.iter().map(|row| row.side_to_move()).collect();
    let castling = packed.iter().map(|row| Castling::from_bits(row.bits(CASTLING, 20) as u32).expect("it has 20 bits"));
    let castling: Vec<Castling> = castling.collect();
    let squares: Vec<Option<Square>> = packed.iter().map(|row| Square::new(row.bits(EN_PASSANT, 7) as u8)).collect();
    let mut positions = Positions::with_capacity(packed.len());
    positions.push_planes(planes.each_ref().map(|plane| &plane[..]), &sides, &castling, &squares)?;
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_labels_come_back() {
        let mut positions = Positions::new();
        let more = "rnbqkbnr/pp1ppppp/8/2pP4/8/8/PPP1PPPP/RNBQKBNR w HAkq c6\n4k3/8/8/8/4Pp2/8/8/4K3 b - e3\n\
                    QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/k7/8/7K b - -\n";
        let text = include_str!("../../../tests/data/sample.epd").to_owned() + more;
        positions.read_lines(text).unwrap();
        let outcomes = [None, Some(Outcome::Black), Some(Outcome::Draw), Some(Outcome::White)];
        let scores = [None, Some(0), Some(-1), Some(i16::MIN), Some(i16::MAX)];
        let plies = [None, Some(0), Some(MOST_PLY)];
        let labels = |at: usize| PackedLabels { score: scores[at % 5], result: outcomes[at % 4], ply: plies[at % 3] };
        let mut packed = Vec::new();
        pack(&positions, (0..).map(labels), &mut packed);
        assert_eq!(unpack(&packed).unwrap(), positions);
        for (at, row) in packed.iter().enumerate() {
            assert_eq!((row.labels(), row.side_to_move()), (labels(at), positions.side_to_move()[at]));
        }
        packed[0].0[3] = 0;
        assert!(unpack(&packed).is_err(), "there is no black king");
    }
}
