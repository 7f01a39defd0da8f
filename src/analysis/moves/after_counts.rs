//! The number of legal moves after each move of a list, without the positions in memory.
//!
//! The positions that moves lead to are made in blocks that stay in the cache, as the side that is then to move sees them.
//!
//! Blocks that begin at a cache line, `vpopcntq`, and rays that all stop at the king took perft of the start position to depth 6 from
//! 0.97 to 0.89 ns per leaf (`avx512-gfni`, Granite Rapids, a shared machine, November 2026). What the king sees, from its lines once
//! per position before the move and subtractions that find the first piece on each, was slower in place of the rays: 1.04.

use core::mem::MaybeUninit;

use super::{BLOCK, LegalSets, SidePieces, SideView, castles, legal_moves, mask, takes_in_passing};
use crate::analysis::lanes::for_each_round;
use crate::batch::entries::Task;
use crate::batch::lists::{room, rows};
use crate::line::{A_FILE, H_FILE};
use crate::moves::after::{LANES, Parent, captured_en_passant, castled, parent_columns, some_moves};
use crate::moves::{Move, MoveKind, Moves};
use crate::position::{Color, PositionSlice};
use crate::{Backend, Squares};

/// Writes the number of legal moves after each of `moves`, which are legal moves of `parents`, to `out`.
pub(crate) fn fill(backend: Backend, parents: PositionSlice<'_>, moves: &Moves, out: &mut [u16]) {
    assert!(parents.len() == moves.len() && moves.as_slice().len() == out.len(), "one list for each position");
    backend.perform_counts(AfterCounts { parents, offsets: moves.offsets(), moves: moves.as_slice(), out });
}

struct AfterCounts<'a> {
    parents: PositionSlice<'a>,
    offsets: &'a [usize],
    moves: &'a [Move],
    out: &'a mut [u16],
}

impl Task for AfterCounts<'_> {
    #[inline(always)]
    fn perform(self) {
        let AfterCounts { parents, offsets, moves, out } = self;
        let boards = parent_columns(parents);
        let mut memory = MaybeUninit::uninit();
        let block: &mut MovedBlock = room(&mut memory);
        block.len = 0;
        let (mut padded, mut done) = ([Move::NONE; LANES], 0);
        for index in 0..parents.len() {
            let (mut at, end) = (offsets[index], offsets[index + 1]);
            if at == end {
                continue;
            }
            let mover = Mover::new(&Parent::new(parents, &boards, index));
            while at < end {
                let some = some_moves(moves, at, &mut padded);
                block.add(&mover, some, LANES.min(end - at));
                at += LANES;
                if block.len >= BLOCK {
                    block.count(&mut out[done..done + BLOCK]);
                    done += BLOCK;
                    block.len -= BLOCK;
                    for words in &mut block.words {
                        words.copy_within(BLOCK.., 0);
                    }
                }
            }
        }
        block.count(&mut out[done..]);
    }
}

/// No piece.
const NONE: SidePieces = SidePieces { pawns: 0, knights: 0, orthogonal: 0, diagonal: 0, king: 0, all: 0 };

/// The pieces of a side: pawns, knights, rooks and queens, bishops and queens, king, all.
type SideBoards = [u64; 6];
const PAWNS: usize = 0;
const KNIGHTS: usize = 1;
const ORTHOGONAL: usize = 2;
const DIAGONAL: usize = 3;
const KING: usize = 4;
const ALL: usize = 5;

/// The words of a board: both sides, the square that a pawn has passed if another one stands beside it now, and the rooks
/// that may castle.
const WORDS: usize = 14;
const PASSED: usize = 12;
const ROOKS: usize = 13;

/// The lanes that a block has room for: the last moves may not fill their vector.
const ROOM: usize = BLOCK + LANES;

/// A position before a move, as the other side sees it.
struct Mover {
    /// The pieces of the side that moves, whose pawns go down.
    moving: SideBoards,
    /// Those of the side that moves next.
    next: SideBoards,
    /// The rooks of this side that may castle, unless other pieces of the side are in the way of all of them.
    rooks: u64,
    /// What turns the number of a square upside down, or not.
    flip: u64,
}

impl Mover {
    #[inline(always)]
    fn new(parent: &Parent) -> Mover {
        let is_white = parent.side == Color::White;
        let turn = |board: u64| if is_white { board.swap_bytes() } else { board };
        let side = |[pawns, knights, bishops, rooks, queens, king]: [u64; 6], all: u64| {
            [pawns, knights, rooks | queens, bishops | queens, king, all].map(turn)
        };
        let next = side(parent.enemy, parent.enemy_all);
        let rooks = turn(parent.rooks & parent.side.other().home());
        let alone = SideView { own: pieces(next), enemy: NONE, white: !0 };
        let is_free = |rook: u64| castles(&alone, [rook; 2], 0, 0) != 0;
        Mover {
            moving: side(parent.own, parent.own_all),
            next,
            rooks: if Squares::from(rooks).any(|square| is_free(square.bitboard())) { rooks } else { 0 },
            flip: if is_white { 0o70 | 0o70 << 6 } else { 0 },
        }
    }
}

#[inline(always)]
fn board<const N: usize>(words: &[&[u64; N]; WORDS], lane: usize) -> SideView {
    let side = |from: usize| SidePieces {
        pawns: words[from + PAWNS][lane],
        knights: words[from + KNIGHTS][lane],
        orthogonal: words[from + ORTHOGONAL][lane],
        diagonal: words[from + DIAGONAL][lane],
        king: words[from + KING][lane],
        all: words[from + ALL][lane],
    };
    SideView { own: side(0), enemy: side(6), white: !0 }
}

#[inline(always)]
fn pieces([pawns, knights, orthogonal, diagonal, king, all]: SideBoards) -> SidePieces {
    SidePieces { pawns, knights, orthogonal, diagonal, king, all }
}

rows! {
    struct MovedBlock {
        words: [[u64; ROOM]; WORDS],
        /// The number of boards.
        len: usize,
    }
}

impl MovedBlock {
    /// Adds the boards after `count` moves.
    #[inline(always)]
    fn add(&mut self, mover: &Mover, moves: &[Move; LANES], count: usize) {
        let (moving, next) = (&mover.moving, &mover.next);
        let mut boards = [[0; LANES]; WORDS];
        let mut special = 0;
        for lane in 0..LANES {
            let bits = u64::from(moves[lane].bits()) ^ mover.flip;
            let [from, to] = [1_u64 << (bits & 63), 1_u64 << (bits >> 6 & 63)];
            let promotes = mask(bits >= (MoveKind::Promotion as u64) << 14);
            special |= mask(bits >= (MoveKind::EnPassant as u64) << 14) & !promotes;
            let is_code = |is_one: bool| promotes & mask(is_one);
            let code = bits >> 12 & 3;
            let is_pawn = mask(moving[PAWNS] & from != 0);
            let becomes = [
                is_pawn & !promotes,
                mask(moving[KNIGHTS] & from != 0) | is_code(code == 0),
                mask(moving[ORTHOGONAL] & from != 0) | is_code(code >= 2),
                mask(moving[DIAGONAL] & from != 0) | is_code(code & 1 != 0),
                mask(moving[KING] & from != 0),
                !0,
            ];
            for piece in 0..6 {
                boards[piece][lane] = next[piece] & !to;
                boards[6 + piece][lane] = moving[piece] & !from | to & becomes[piece];
            }
            let beside = (to << 1 & !A_FILE | to >> 1 & !H_FILE) & next[PAWNS];
            boards[PASSED][lane] = to << 8 & from >> 8 & is_pawn & mask(beside != 0);
            boards[ROOKS][lane] = mover.rooks & !to;
        }
        let start = self.len;
        for (words, boards) in self.words.iter_mut().zip(&boards) {
            words[start..start + LANES].copy_from_slice(boards);
        }
        self.len += count;
        if special != 0 {
            for (lane, &mv) in moves.iter().enumerate().take(count) {
                if matches!(mv.kind(), MoveKind::EnPassant | MoveKind::Castling) {
                    self.correct(mover, mv, start + lane);
                }
            }
        }
    }

    /// Corrects a board after castling or a capture en passant.
    #[inline(never)]
    fn correct(&mut self, mover: &Mover, mv: Move, lane: usize) {
        let turn = |board: u64| if mover.flip != 0 { board.swap_bytes() } else { board };
        if mv.kind() == MoveKind::EnPassant {
            let gone = turn(captured_en_passant(mv));
            self.words[PAWNS][lane] &= !gone;
            self.words[ALL][lane] &= !gone;
        } else {
            let gone = !turn(mv.start().bitboard() | mv.target().bitboard());
            let (king, rook) = castled(mv);
            let (king, rook) = (turn(king), turn(rook));
            let moving = &mover.moving;
            self.words[6 + ORTHOGONAL][lane] = moving[ORTHOGONAL] & gone | rook;
            self.words[6 + KING][lane] = king;
            self.words[6 + ALL][lane] = moving[ALL] & gone | king | rook;
        }
    }

    /// Writes the number of legal moves of the first boards, at most a block of them.
    #[inline(always)]
    fn count(&self, out: &mut [u16]) {
        if out.is_empty() {
            return;
        }
        let lanes = out.len().next_multiple_of(LANES).min(BLOCK);
        let mut numbers = [0; BLOCK];
        let (mut passed, mut rooks) = (0, 0);
        for lane in 0..out.len().min(BLOCK) {
            passed |= self.words[PASSED][lane];
            rooks |= self.words[ROOKS][lane];
        }
        // What is rare is left out where it can be: castling for whole blocks, and captures en passant for all but few boards.
        for_each_round!(lanes, |ROUND, at| {
            let mut round = [&[0; ROUND]; WORDS];
            for (round, words) in round.iter_mut().zip(&self.words) {
                *round = words[at..].first_chunk().expect("all rounds are full");
            }
            let mut of_round = [0; ROUND];
            if rooks == 0 {
                for (lane, number) in of_round.iter_mut().enumerate() {
                    *number = legal_moves(&board(&round, lane), 0, [0; 2]);
                }
            } else {
                for (lane, number) in of_round.iter_mut().enumerate() {
                    *number = legal_moves(&board(&round, lane), 0, [round[ROOKS][lane]; 2]);
                }
            }
            numbers[at..at + ROUND].copy_from_slice(&of_round);
        });
        if passed != 0 {
            for (lane, number) in numbers.iter_mut().enumerate().take(out.len()) {
                if self.words[PASSED][lane] != 0 {
                    *number += self.captures_en_passant(lane);
                }
            }
        }
        for (out, number) in out.iter_mut().zip(numbers) {
            *out = number as u16;
        }
    }

    #[inline(never)]
    fn captures_en_passant(&self, lane: usize) -> u64 {
        let board = board(&self.words.each_ref(), lane);
        let LegalSets { takers, checks, .. } = LegalSets::new(&board, [0; 2]);
        u64::from(takes_in_passing(&board, self.words[PASSED][lane], takers, checks).count_ones())
    }
}
