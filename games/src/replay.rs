//! Moves of games in records: no text names the piece, and hardly any move is illegal.

use slider_attacks::position::Piece;
use slider_attacks::{Square, bishop_attacks, rook_attacks};

use crate::board::{Board, KING_CODE, PAWN_CODE, Pieces, first, rank};
use crate::leapers::{BETWEEN, KING, KNIGHT, PAWN, SOURCES};
use crate::moves::Move;

const A_FILE: u64 = 0x0101_0101_0101_0101;

impl Board {
    /// The piece on a square.
    #[inline(always)]
    pub(crate) fn piece_bits(&self, square: Square) -> PieceBits {
        let is = |plane: usize| (self.planes[plane] >> square.index() & 1).wrapping_neg();
        PieceBits([is(0), is(1), is(2)])
    }

    /// The destinations of the piece on a square, which belongs to the side to move, regardless of its king.
    ///
    /// All kinds of pieces are computed, because a jump to the right one would be mispredicted half of the time.
    #[inline(always)]
    pub(crate) fn targets(&self, square: Square, piece: PieceBits) -> u64 {
        let (pieces, side, at) = (self.pieces(), self.black_to_move, usize::from(square.index()));
        let (own, occupied) = (pieces.of(side), pieces.occupied());
        let PieceBits([ones, twos, fours]) = piece;
        let straight = rook_attacks(square, occupied) & fours & !twos;
        let diagonal = bishop_attacks(square, occupied) & ones & (twos ^ fours);
        let knight = KNIGHT[at] & twos & !(ones | fours);
        let king = KING[at] & twos & fours;
        let forward = |board: u64| board << 8 & !side | board >> 8 & side;
        let one = forward(square.bitboard()) & !occupied;
        let two = forward(one & (rank(2) & !side | rank(5) & side)) & !occupied;
        let captures = PAWN[(side & 1) as usize][at] & (occupied & !own | self.en_passant);
        let pawn = (one | two | captures) & piece.if_pawn();
        (straight | diagonal | knight | king) & !own | pawn
    }

    /// Plays a move, if it is legal, like [`play`](Board::play) but faster.
    ///
    /// Origins on an empty board and the squares between are looked up: no branch depends on the piece.
    #[inline(always)]
    pub(crate) fn replay(&mut self, mv: Move) -> bool {
        // Castling, promotions and en passant are rare.
        if mv.bits() >> 12 == 0 { self.replay_normal(mv) } else { self.play(mv).is_ok() }
    }

    #[inline(always)]
    fn replay_normal(&mut self, mv: Move) -> bool {
        let (from, to) = (mv.start().bitboard(), mv.target().bitboard());
        let (pieces, side) = (self.pieces(), self.black_to_move);
        let (own, occupied) = (pieces.of(side), pieces.occupied());
        let (start, end) = (mv.start().index(), mv.target().index());
        let bits = self.planes.map(|plane| plane >> start & 1);
        let code = bits[0] | bits[1] << 1 | bits[2] << 2;
        let is_pawn = u64::from(code == u64::from(PAWN_CODE)).wrapping_neg();
        let is_king = u64::from(code == u64::from(KING_CODE)).wrapping_neg();
        // Pawns go to empty squares in their file, and take on the others; on the last rank, they would be promoted.
        let goes = if (start ^ end) & 7 == 0 { !occupied } else { occupied & !own } & !(rank(0) | rank(7));
        let allowed = (goes & is_pawn | !own & !is_pawn) & !pieces.kings();
        let sources = SOURCES[(code ^ is_pawn & side & 1) as usize][usize::from(end)];
        let between = BETWEEN[usize::from(start)][usize::from(end)] & occupied;
        if (from & own == 0) | (sources & from == 0) | (allowed & to == 0) | (between != 0) {
            return false;
        }
        let mut planes = self.planes;
        for (plane, bit) in planes.iter_mut().zip(bits) {
            *plane = *plane & !(from | to) | bit << end;
        }
        let moved = Pieces(planes);
        if moved.attack(!side, first(moved.kings() & moved.of(side))) {
            return false;
        }
        let home = if side == 0 { rank(0) } else { rank(7) };
        self.planes = planes;
        self.rooks &= !(from | to | is_king & home);
        self.halfmoves = if occupied & to | is_pawn != 0 { 0 } else { self.halfmoves.saturating_add(1) };
        self.pass(side);
        if is_pawn != 0 && start ^ end == 16 && self.pawn_beside(to) {
            self.take_en_passant(if side == 0 { to >> 8 } else { to << 8 });
        }
        true
    }

    /// Whether a pawn of the side to move is next to a square.
    #[inline(always)]
    fn pawn_beside(&self, square: u64) -> bool {
        let pieces = self.pieces();
        let beside = square << 1 & !A_FILE | square >> 1 & !(A_FILE << 7);
        beside & pieces.of(self.black_to_move) & pieces.kind(PAWN_CODE) != 0
    }

    /// Moves a piece to one of its targets, where it becomes another one if it is promoted. Returns whether that is legal: if
    /// not, nothing changes.
    ///
    /// No branch depends on the piece: it would be mispredicted. Two attack sets for the king's safety take 1.02 times as long.
    #[inline(always)]
    pub(crate) fn step_to(&mut self, piece: PieceBits, from: u64, to: u64, becomes: PieceBits) -> bool {
        let (pieces, side, is_pawn) = (self.pieces(), self.black_to_move, piece.if_pawn());
        let passed = self.en_passant & to & is_pawn;
        let gone = from | to | passed >> 8 & !side | passed << 8 & side;
        let is_capture = pieces.occupied() & gone & !from != 0;
        let mut planes = self.planes.map(|plane| plane & !gone);
        for (plane, bit) in planes.iter_mut().zip(becomes.0) {
            *plane |= to & bit;
        }
        planes[3] |= to & side;
        let moved = Pieces(planes);
        if (pieces.kings() & to != 0) | moved.attack(!side, first(moved.kings() & moved.of(side))) {
            return false;
        }
        let home = rank(0) & !side | rank(7) & side;
        self.rooks &= !(gone | piece.if_king() & home);
        self.planes = planes;
        self.halfmoves = if is_capture | (is_pawn != 0) { 0 } else { self.halfmoves.saturating_add(1) };
        self.pass(side);
        if (from << 16 | from >> 16) & to & is_pawn != 0 && self.pawn_beside(to) {
            self.take_en_passant(if side == 0 { to >> 8 } else { to << 8 });
        }
        true
    }
}

/// A piece: for each bit of its number, all squares if it is set.
#[derive(Clone, Copy)]
pub(crate) struct PieceBits([u64; 3]);

impl PieceBits {
    /// The piece with a number.
    pub(crate) const fn of(piece: Piece) -> PieceBits {
        let number = piece as u64 + 1;
        PieceBits([(number & 1).wrapping_neg(), (number >> 1 & 1).wrapping_neg(), (number >> 2).wrapping_neg()])
    }

    /// All squares, if it is a pawn.
    #[inline(always)]
    pub(crate) fn if_pawn(self) -> u64 {
        let PieceBits([ones, twos, fours]) = self;
        ones & !(twos | fours)
    }

    /// All squares, if it is a king.
    #[inline(always)]
    pub(crate) fn if_king(self) -> u64 {
        self.0[1] & self.0[2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::MoveKind;

    fn random() -> impl FnMut() -> u64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            state ^ state >> 32
        }
    }

    /// All moves of 16 bits, in random games.
    #[test]
    fn replayed_as_they_are_played() {
        let mut random = random();
        let (mut legal, mut kinds) = (0, [0; 4]);
        for game in 0..40 {
            let mut board: Board = match game % 5 {
                0 => Board::INITIAL,
                1 => "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1".parse().expect("it is FEN"),
                2 => "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1".parse().expect("it is FEN"),
                3 => "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 0 1".parse().expect("it is FEN"),
                _ => "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1".parse().expect("it is FEN"),
            };
            for ply in 0..if game < 5 { 60 } else { 20 } {
                let all = game < 5 && ply % 20 == 0;
                let mut moves = Vec::new();
                for bits in (0..=u16::MAX).filter(|&bits| all || bits >> 12 & 3 == 0 || bits >> 14 == 3) {
                    let mv = Move::from_bits(bits);
                    if board.pieces().of(board.black_to_move) & mv.start().bitboard() == 0 && !all {
                        continue;
                    }
                    let (mut played, mut replayed) = (board.clone(), board.clone());
                    let is_legal = played.play(mv).is_ok();
                    assert_eq!(replayed.replay(mv), is_legal, "{board}: {mv}, {:?}", mv.kind());
                    assert_eq!(replayed, played, "{board}: {mv}");
                    if is_legal {
                        moves.push(mv);
                    }
                }
                legal += moves.len();
                let rare: Vec<Move> = moves.iter().copied().filter(|mv| mv.kind() != MoveKind::Normal).collect();
                let some = if random().is_multiple_of(4) && !rare.is_empty() { rare } else { moves };
                let Some(&mv) = some.get(random() as usize % some.len().max(1)) else { break };
                kinds[mv.kind() as usize] += 1;
                board.play(mv).expect("it is legal");
            }
        }
        assert!(legal > 5_000 && kinds.iter().all(|&count| count > 1), "{legal} {kinds:?}");
    }
}
