//! Moves of games in records: no text names the piece, and hardly any move is illegal.

use slider_attacks::{bishop_attacks, rook_attacks};

use crate::board::{Board, KING_CODE, PAWN_CODE, Pieces, first, rank};
use crate::leapers::{BETWEEN, KING, KNIGHT, PAWN, SOURCES};
use crate::moves::Move;

const A_FILE: u64 = 0x0101_0101_0101_0101;

impl Board {
    /// The number of the piece on a square, and its destinations regardless of its king. The piece belongs to the side
    /// to move.
    ///
    /// All kinds of pieces are computed, because a jump to the right one would be mispredicted half of the time.
    #[inline(always)]
    pub(crate) fn targets(&self, from: u64) -> (u8, u64) {
        let (pieces, side) = (self.pieces(), self.black_to_move);
        let (own, occupied) = (pieces.of(side), pieces.occupied());
        let square = first(from);
        let at = usize::from(square.index());
        let is = |plane: usize| (self.planes[plane] >> at & 1).wrapping_neg();
        let (ones, twos, fours) = (is(0), is(1), is(2));
        let straight = rook_attacks(square, occupied) & fours & !twos;
        let diagonal = bishop_attacks(square, occupied) & ones & (twos ^ fours);
        let knight = KNIGHT[at] & twos & !(ones | fours);
        let king = KING[at] & twos & fours;
        let forward = |board: u64| board << 8 & !side | board >> 8 & side;
        let one = forward(from) & !occupied;
        let two = forward(one & (rank(2) & !side | rank(5) & side)) & !occupied;
        let captures = PAWN[(side & 1) as usize][at] & (occupied & !own | self.en_passant);
        let pawn = (one | two | captures) & ones & !(twos | fours);
        let code = ones & 1 | twos & 2 | fours & 4;
        (code as u8, (straight | diagonal | knight | king) & !own | pawn)
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

    /// Plays a move to one of the targets of a piece, if it is legal.
    #[inline(always)]
    pub(crate) fn step_to(&mut self, code: u8, from: u64, to: u64, mv: Move) -> bool {
        let becomes = mv.promoted().map_or(code, |piece| piece as u8 + 1);
        self.pieces().kings() & to == 0 && self.step(code, self.black_to_move, from, to, becomes)
    }
}

/// The set bits of a board by their numbers, in the order of the squares.
#[derive(Clone, Copy)]
pub(crate) struct Numbered {
    board: u64,
    /// The counts up to the end of each rank.
    sums: u64,
}

/// One in each byte.
const EACH: u64 = u64::from_le_bytes([1; 8]);

impl Numbered {
    #[inline(always)]
    pub(crate) fn new(board: u64) -> Numbered {
        let pairs = board - (board >> 1 & (EACH * 0x55));
        let fours = (pairs & (EACH * 0x33)) + (pairs >> 2 & (EACH * 0x33));
        let ranks = (fours + (fours >> 4)) & (EACH * 0x0f);
        Numbered { board, sums: ranks.wrapping_mul(EACH) }
    }

    /// How many there are.
    #[inline(always)]
    pub(crate) fn count(self) -> u32 {
        (self.sums >> 56) as u32
    }

    /// The bit with a number, from 0. It must be less than their count.
    #[inline(always)]
    pub(crate) fn get(self, number: u32) -> u64 {
        // The ranks with more of them up to their end.
        let upper = EACH * 0x80;
        let more = ((self.sums | upper) - EACH * u64::from(number + 1)) & upper;
        let start = more.trailing_zeros() & 0x38;
        let before = (self.sums << 8 >> start) as u8;
        let bits = (self.board >> start) as u8;
        u64::from(OF_BYTE[usize::from(bits)][(number as u8).wrapping_sub(before) as usize % 8]) << start
    }
}

/// The set bits of each byte, by their numbers.
static OF_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut number) = (byte, 0);
        while rest != 0 {
            table[byte][number] = (rest & rest.wrapping_neg()) as u8;
            rest &= rest - 1;
            number += 1;
        }
        byte += 1;
    }
    table
};

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

    #[test]
    fn bits_by_their_numbers() {
        let mut random = random();
        for round in 0..10_000 {
            let board = match round {
                0..64 => 1 << round,
                64 => !0,
                65..1_000 => random() | random(),
                1_000..5_000 => random(),
                _ => random() & random() & random(),
            };
            let (numbered, mut rest) = (Numbered::new(board), board);
            assert_eq!(numbered.count(), board.count_ones());
            for number in 0..numbered.count() {
                assert_eq!(numbered.get(number), rest & rest.wrapping_neg(), "{board:#x}");
                rest &= rest - 1;
            }
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
