//! The structure of pawns in one position, without branches.
//!
//! All of it follows from the squares in front of pawns, and from those that they attack now or once they have advanced.
//!
//! Sources: "Pawn Pattern and Properties", <https://www.chessprogramming.org/Pawn_Pattern_and_Properties>, and "Pawn Spans",
//! <https://www.chessprogramming.org/Pawn_Spans>.

use super::lanes::{Bitboard, SideView};
use super::products::{pawn_attacks, stops, union};
use super::shared::SharedSets;
use crate::rays::{E, N, S, W, shifted, step};

/// Ranks 4, 5 and 6 for White, and for Black.
const OUTPOSTS_OF_WHITE: u64 = 0x0000_ffff_ff00_0000;
const OUTPOSTS_OF_BLACK: u64 = 0x0000_00ff_ffff_0000;

/// These squares and all of their files in direction `BY`, which is up or down.
#[inline(always)]
const fn filled<const BY: i32>(mut from: u64) -> u64 {
    from |= shifted::<BY, 1>(from);
    from |= shifted::<BY, 2>(from);
    from | shifted::<BY, 4>(from)
}

/// These squares and all squares in front of them, as pawns go: white pawns if `white` is all ones, black pawns if it is zero.
#[inline(always)]
const fn ahead(from: u64, white: u64) -> u64 {
    filled::<N>(from & white) | filled::<S>(from & !white)
}

/// The squares that the pawns attack, now or after advancing.
#[inline(always)]
const fn attack_span(pawns: u64, white: u64) -> u64 {
    union(pawn_attacks(ahead(pawns, white), white))
}

/// The files next to some files.
#[inline(always)]
const fn adjacent_files(files: u64) -> u64 {
    step::<E>(files) | step::<W>(files)
}

/// The pawns of `own` that no pawn of `enemy` can stop: none is in front, on the same or an adjacent file.
#[derive(Clone, Copy)]
pub(super) struct PassedPawns;

impl Bitboard for PassedPawns {
    #[inline(always)]
    fn compute(self, board: &SideView, _: impl SharedSets) -> u64 {
        let white = !board.white;
        let front = ahead(stops(board.enemy.pawns, white), white);
        board.own.pawns & !(front | adjacent_files(front))
    }
}

/// The pawns of `own` without another one on adjacent files.
#[derive(Clone, Copy)]
pub(super) struct Isolated;

impl Bitboard for Isolated {
    #[inline(always)]
    fn compute(self, board: &SideView, _: impl SharedSets) -> u64 {
        board.own.pawns & !adjacent_files(filled::<N>(filled::<S>(board.own.pawns)))
    }
}

/// The pawns of `own` with another one on the same file.
#[derive(Clone, Copy)]
pub(super) struct Doubled;

impl Bitboard for Doubled {
    #[inline(always)]
    fn compute(self, board: &SideView, _: impl SharedSets) -> u64 {
        let pawns = board.own.pawns;
        pawns & (filled::<N>(step::<N>(pawns)) | filled::<S>(step::<S>(pawns)))
    }
}

/// The pawns of `own` whose next square is attacked by a pawn of `enemy`, and never defended by one of `own`.
#[derive(Clone, Copy)]
pub(super) struct Backward;

impl Bitboard for Backward {
    #[inline(always)]
    fn compute(self, board: &SideView, _: impl SharedSets) -> u64 {
        let attacked = union(pawn_attacks(board.enemy.pawns, !board.white));
        let weak = attacked & !attack_span(board.own.pawns, board.white);
        board.own.pawns & stops(weak, !board.white)
    }
}

/// The squares of ranks 4 to 6, as `own` counts them, that its pawns attack, and that no pawn of `enemy` ever attacks.
#[derive(Clone, Copy)]
pub(super) struct Outposts;

impl Bitboard for Outposts {
    #[inline(always)]
    fn compute(self, board: &SideView, _: impl SharedSets) -> u64 {
        let ranks = OUTPOSTS_OF_WHITE & board.white | OUTPOSTS_OF_BLACK & !board.white;
        let defended = union(pawn_attacks(board.own.pawns, board.white));
        ranks & defended & !attack_span(board.enemy.pawns, !board.white)
    }
}
