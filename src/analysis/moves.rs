//! The legal moves of the side to move: their number, without a list of them, and [`lists`].
//!
//! All moves of one kind in one direction are one set of squares: no two rooks reach the same square from the west. So
//! the number of moves is the sum of the sizes of such sets, eight each for sliders and knights, and a few for the king
//! and the pawns. Illegal moves are left out in advance:
//!
//! - in check, only squares that end it count for all but the king, and none if two pieces give check;
//! - a pinned piece moves only in the two directions of its pin, so it is left out in the others;
//! - the king goes where nothing would attack it once it has left its square.
//!
//! The board is turned so that the side to move goes up.

pub(super) mod after_counts;
mod checks;
pub(super) mod lists;

use core::mem::MaybeUninit;

use super::lanes::{
    BLOCK, PaddedRound, PositionArrays, SidePieces, SideView, are_singles, blocks, copy_round, for_each_round,
    lengths_match,
};
use super::products::{BitSum, king_attacks, knight_attacks, pawn_attacks, union};
use crate::batch::entries::Task;
use crate::batch::lists::{room, rows};
use crate::position::{Castling, Color, PositionSlice};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, ray, step};
use crate::{Backend, BatchError, Square};

const RANK_1: u64 = 0xff;
const RANK_3: u64 = RANK_1 << 16;
const RANK_6: u64 = RANK_1 << 40;
const RANK_7: u64 = RANK_1 << 48;
const RANK_8: u64 = RANK_1 << 56;

/// A number of a position, as the side to move sees it.
pub(super) trait TurnedNumber: Copy {
    /// Whether the side to move, castling rights or the en passant square make a difference.
    const HAS_STATE: bool = true;

    /// The number. `passed` and `castling` are those of [`legal_moves`].
    fn compute(self, board: &SideView, passed: u64, castling: [u64; 2]) -> u64;
}

/// The number of legal moves.
#[derive(Clone, Copy)]
pub(super) struct LegalMoves;

impl TurnedNumber for LegalMoves {
    #[inline(always)]
    fn compute(self, board: &SideView, passed: u64, castling: [u64; 2]) -> u64 {
        legal_moves(board, passed, castling)
    }
}

/// Computes a number of each position.
pub(super) fn fill<N: TurnedNumber>(
    backend: Backend,
    number: N,
    positions: PositionSlice<'_>,
    out: &mut [u16],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    if are_singles(backend, out.len()) {
        write_singles(number, positions, out);
        return Ok(());
    }
    let (mut padded, mut columns) = (PaddedRound::new(), PositionArrays::new(positions, Color::White));
    columns.fill_round(&mut padded);
    backend.perform_counts(NumberLoop { columns: &columns, positions, number, out });
    Ok(())
}

/// Computes a number of few positions.
#[inline(never)]
fn write_singles<N: TurnedNumber>(number: N, positions: PositionSlice<'_>, out: &mut [u16]) {
    for (index, out) in out.iter_mut().enumerate() {
        let facts = Facts::<1>::of(positions, index);
        let board = turned(&SideView::of(positions, index, Color::White), facts.black[0]);
        *out = number.compute(&board, facts.passed(0), facts.castling(0)) as u16;
    }
}

struct NumberLoop<'a, N> {
    /// White's pieces are `own`.
    columns: &'a PositionArrays<'a, [u64]>,
    positions: PositionSlice<'a>,
    number: N,
    out: &'a mut [u16],
}

impl<N: TurnedNumber> Task for NumberLoop<'_, N> {
    #[inline(always)]
    fn perform(self) {
        let NumberLoop { columns, positions, number, out } = self;
        let columns = columns.of_one_length();
        let mut facts = MaybeUninit::uninit();
        let facts: &mut Facts = room(&mut facts);
        for places in blocks(out.len()) {
            if N::HAS_STATE {
                facts.read(positions, places.start, places.len());
            }
            for_each_round!(places.len(), |ROUND, at| {
                let round = columns.round::<ROUND>(places.start + at);
                let facts = if N::HAS_STATE { facts.round::<ROUND>(at) } else { Facts::NONE };
                let mut numbers = [0; ROUND];
                for (lane, result) in numbers.iter_mut().enumerate() {
                    let board = turned(&round.board(lane), facts.black[lane]);
                    *result = number.compute(&board, facts.passed(lane), facts.castling(lane));
                }
                copy_round(&numbers.map(|number| number as u16), &mut out[places.start + at..]);
            });
        }
    }
}

rows! {
    /// The state of the positions of a block apart from their pieces, as words.
    pub(super) struct Facts<const N: usize = BLOCK> {
        /// All ones if Black is to move.
        pub black: [u64; N],
        /// The en passant square.
        passed: [u64; N],
        /// The files with rooks that may castle west of the king of the side to move, and east of it.
        west: [u64; N],
        east: [u64; N],
    }
}

impl<const N: usize> Facts<N> {
    pub const NONE: Facts<N> = Facts { black: [0; N], passed: [0; N], west: [0; N], east: [0; N] };

    /// The en passant square as the side to move sees it.
    #[inline(always)]
    pub fn passed(&self, lane: usize) -> u64 {
        of_side(self.passed[lane], self.black[lane])
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, color: Color, castling: Castling, passed: Option<Square>) {
        self.black[lane] = (color as u64).wrapping_neg();
        self.passed[lane] = passed.map_or(0, Square::bitboard);
        [self.west[lane], self.east[lane]] = castling.files(color);
    }

    #[inline(always)]
    pub fn castling(&self, lane: usize) -> [u64; 2] {
        [self.west[lane], self.east[lane]]
    }
}

impl Facts {
    /// Those of the round that begins with lane `start`.
    #[inline(always)]
    pub fn round<const N: usize>(&self, start: usize) -> Facts<N> {
        let round = |lanes: &[u64; BLOCK]| *lanes[start..].first_chunk().expect("all rounds are full");
        Facts {
            black: round(&self.black),
            passed: round(&self.passed),
            west: round(&self.west),
            east: round(&self.east),
        }
    }

    #[inline(always)]
    pub fn read(&mut self, positions: PositionSlice<'_>, start: usize, len: usize) {
        let of = start..start + len;
        let colors: &[Color] = &positions.side_to_move()[of.clone()];
        let (castling, squares): (&[Castling], &[Option<Square>]) =
            (&positions.castling()[of.clone()], &positions.en_passant()[of]);
        for (lane, ((&color, &castling), &square)) in colors.iter().zip(castling).zip(squares).enumerate() {
            self.set(lane, color, castling, square);
        }
    }
}

impl Facts<1> {
    /// Those of one position.
    #[inline(always)]
    pub fn of(positions: PositionSlice<'_>, index: usize) -> Facts<1> {
        let mut facts = Facts::NONE;
        facts.set(0, positions.side_to_move()[index], positions.castling()[index], positions.en_passant()[index]);
        facts
    }
}

/// `yes` where `mask` is all ones, `no` where it is zero.
#[inline(always)]
pub(super) const fn choose(mask: u64, yes: u64, no: u64) -> u64 {
    yes & mask | no & !mask
}

/// The squares as the side to move sees them, or back again: upside down if it is Black.
#[inline(always)]
const fn of_side(board: u64, black: u64) -> u64 {
    choose(black, board.swap_bytes(), board)
}

/// All ones if this is so, else zero.
#[inline(always)]
pub(crate) const fn mask(is_so: bool) -> u64 {
    (is_so as u64).wrapping_neg()
}

/// The board as the side to move sees it: its pieces are `own`, and its pawns go up.
#[inline(always)]
pub(super) fn turned(board: &SideView, black: u64) -> SideView {
    let (white, other) = (&board.own, &board.enemy);
    let turn = |of: fn(&SidePieces) -> u64| {
        let [white, other] = [of(white), of(other)];
        [choose(black, other.swap_bytes(), white), choose(black, white.swap_bytes(), other)]
    };
    let pawns = turn(|pieces| pieces.pawns);
    let knights = turn(|pieces| pieces.knights);
    let orthogonal = turn(|pieces| pieces.orthogonal);
    let diagonal = turn(|pieces| pieces.diagonal);
    let king = turn(|pieces| pieces.king);
    let all = turn(|pieces| pieces.all);
    let [own, enemy] = [0, 1].map(|side| SidePieces {
        pawns: pawns[side],
        knights: knights[side],
        orthogonal: orthogonal[side],
        diagonal: diagonal[side],
        king: king[side],
        all: all[side],
    });
    SideView { own, enemy, white: !0 }
}

/// What decides which moves of `own` are legal, whose pawns go up.
struct LegalSets {
    /// The pinned pieces whose pins are on a file, on a rank, on a rising diagonal and on a falling one.
    pins: [u64; 4],
    pinned: u64,
    /// Where pieces other than the king may go.
    targets: u64,
    /// Where pawns go that advance one square or two.
    one: u64,
    two: u64,
    /// Where pawns capture to the east and to the west, without en passant.
    east: u64,
    west: u64,
    /// The pawns that no pin keeps from capturing to the east, and to the west.
    takers: [u64; 2],
    /// The checkers on the king's file, and those that do not slide.
    checks: u64,
    /// Where the king goes, without castling.
    king: u64,
    /// The rooks that the king castles with.
    castles: u64,
}

impl LegalSets {
    /// `castling` are the files of rooks that may castle, west of the king and east of it.
    #[inline(always)]
    fn new(board: &SideView, castling: [u64; 2]) -> LegalSets {
        let (own, enemy, empty) = (&board.own, &board.enemy, board.empty());
        let king = own.king;

        // The pieces that the king sees as a piece of their kind are the checkers. A square that both the king and a slider
        // see holds a pinned piece, or lies between the king and a checker. A checker also attacks the square behind the king.
        let leapers = union(pawn_attacks(king, !0)) & enemy.pawns
            | knight_attacks(king) & enemy.knights
            | king_attacks(king) & enemy.king;
        let mut attacked =
            union(pawn_attacks(enemy.pawns, 0)) | knight_attacks(enemy.knights) | king_attacks(enemy.king);
        let mut between = 0;
        macro_rules! line {
            ($by:ident, $sliders:ident) => {{
                let (there, back) = (ray::<$by>(king, empty), ray::<{ -$by }>(king, empty));
                let (down, up) = (ray::<{ -$by }>(enemy.$sliders, empty), ray::<$by>(enemy.$sliders, empty));
                let seen = there & down | back & up;
                attacked |= down | up | step::<{ -$by }>(down & king) | step::<$by>(up & king);
                between |= seen & empty;
                (seen & own.all, (there | back) & enemy.$sliders)
            }};
        }
        let (on_file, checks_on_file) = line!(N, orthogonal);
        let (on_rank, checks_on_rank) = line!(E, orthogonal);
        let (rising, checks_rising) = line!(NE, diagonal);
        let (falling, checks_falling) = line!(NW, diagonal);
        let pinned = on_file | on_rank | rising | falling;
        let checkers = leapers | checks_on_file | checks_on_rank | checks_rising | checks_falling;

        let is_free = mask(checkers == 0);
        let is_single = mask(checkers & checkers.wrapping_sub(1) == 0);
        let targets = (between | checkers | is_free) & is_single & !own.all & !enemy.king;

        let one = step::<N>(own.pawns & !(pinned ^ on_file)) & empty;
        let two = step::<N>(one & RANK_3) & empty & targets;
        let takers = [own.pawns & !(pinned ^ rising), own.pawns & !(pinned ^ falling)];
        let [east, west] = [step::<NE>(takers[0]), step::<NW>(takers[1])].map(|to| to & enemy.all & targets);
        LegalSets {
            pins: [on_file, on_rank, rising, falling],
            pinned,
            targets,
            one: one & targets,
            two,
            east,
            west,
            takers,
            checks: checks_on_file | leapers,
            king: king_attacks(king) & !own.all & !attacked & !enemy.king,
            castles: castles(board, castling, attacked, pinned),
        }
    }
}

/// The pawns of `own`, which go up, that can legally capture en passant on the square `passed`.
#[inline(always)]
pub(super) fn legal_en_passant(board: &SideView, passed: u64) -> u64 {
    let LegalSets { takers, checks, .. } = LegalSets::new(board, [0; 2]);
    takes_in_passing(board, passed, takers, checks)
}

/// The pawns that can legally capture en passant on the squares `passed`, one board per lane: the pieces by kind of the side to
/// move, whose pawns go up, and of the other side.
#[inline(always)]
pub(crate) fn captures_en_passant<const N: usize>(boards: &[[[u64; N]; 6]; 2], passed: &[u64; N]) -> [u64; N] {
    let mut captures = [0; N];
    for lane in 0..N {
        let [own, enemy] = [0, 1].map(|side| {
            let [pawns, knights, bishops, rooks, queens, king] =
                [0, 1, 2, 3, 4, 5].map(|kind: usize| boards[side][kind][lane]);
            let (orthogonal, diagonal) = (rooks | queens, bishops | queens);
            SidePieces {
                pawns,
                knights,
                orthogonal,
                diagonal,
                king,
                all: pawns | knights | orthogonal | diagonal | king,
            }
        });
        captures[lane] = legal_en_passant(&SideView { own, enemy, white: !0 }, passed[lane]);
    }
    captures
}

/// The number of legal moves of `own`, whose pawns go up. `passed` is the en passant square, and `castling` the files of rooks
/// that may castle, west of the king and east of it.
#[inline(always)]
fn legal_moves(board: &SideView, passed: u64, castling: [u64; 2]) -> u64 {
    let (own, empty) = (&board.own, board.empty());
    let LegalSets { pins, pinned, targets, one, two, east, west, takers, checks, king, castles } =
        LegalSets::new(board, castling);
    let [on_file, on_rank, rising, falling] = pins;

    let mut moves = BitSum::default();
    macro_rules! slides {
        ($($by:ident $sliders:ident $pins:ident),*) => {
            [$(ray::<$by>(own.$sliders & !(pinned ^ $pins), empty) & targets),*]
        };
    }
    moves.add(slides![
        N orthogonal on_file, S orthogonal on_file, E orthogonal on_rank, W orthogonal on_rank,
        NE diagonal rising, SW diagonal rising, NW diagonal falling, SE diagonal falling
    ]);
    let knights = own.knights & !pinned;
    moves.add([
        step::<{ N + NE }>(knights) & targets,
        step::<{ N + NW }>(knights) & targets,
        step::<{ S + SE }>(knights) & targets,
        step::<{ S + SW }>(knights) & targets,
        step::<{ E + NE }>(knights) & targets,
        step::<{ W + NW }>(knights) & targets,
        step::<{ E + SE }>(knights) & targets,
        step::<{ W + SW }>(knights) & targets,
    ]);

    let passes = takes_in_passing(board, passed, takers, checks);
    moves.add([one & !RANK_8, two, east & !RANK_8, west & !RANK_8, passes, castles, king, 0]);
    // Each of these is four moves.
    let promotions = one & RANK_8 | (east & RANK_8) >> 8 | (west & RANK_8) >> 16;
    let size = |set: u64| u64::from(set.count_ones());
    let [ones, twos, fours, eights, sixteens] = moves.0.map(size);
    ones + 2 * twos + 4 * (fours + size(promotions)) + 8 * eights + 16 * sixteens
}

/// The en passant square, if an enemy pawn that goes down can have passed it: it came from the square behind.
#[inline(always)]
const fn passed_square(passed: u64, enemy_pawns: u64, empty: u64) -> u64 {
    passed & RANK_6 & empty & step::<S>(empty) & step::<N>(enemy_pawns)
}

/// The en passant square, if a pawn stands where it could capture there.
#[inline(always)]
pub(super) const fn capturable(passed: u64, own_pawns: u64, enemy_pawns: u64, empty: u64) -> u64 {
    let passed = passed_square(passed, enemy_pawns, empty);
    let takers = (step::<SW>(passed) | step::<SE>(passed)) & own_pawns;
    if takers == 0 { 0 } else { passed }
}

/// The pawns that can capture en passant. `takers` are those that no pin keeps from capturing to the east, and to the west. Of
/// `checks`, nothing but the pawn that is captured may be left.
#[inline(always)]
fn takes_in_passing(board: &SideView, passed: u64, takers: [u64; 2], checks: u64) -> u64 {
    let (own, enemy, empty) = (&board.own, &board.enemy, board.empty());
    let passed = passed_square(passed, enemy.pawns, empty);
    let taken = step::<S>(passed);
    let [west, east] = [step::<SW>(passed), step::<SE>(passed)];
    // On the rank, two pawns leave, unless a second one could capture: it stays.
    let beside = (west | east) & own.pawns;
    let stays = beside & beside.wrapping_sub(1);
    let on_rank = (empty | taken | beside) & !stays & !passed;
    let on_diagonals = (empty | taken) & !passed;
    let attackers = (ray::<E>(own.king, on_rank) | ray::<W>(own.king, on_rank)) & enemy.orthogonal
        | (ray::<NE>(own.king, on_diagonals) | ray::<SW>(own.king, on_diagonals)) & enemy.diagonal
        | (ray::<NW>(own.king, on_diagonals) | ray::<SE>(own.king, on_diagonals)) & enemy.diagonal
        | checks & !taken;
    (west & takers[0] | east & takers[1]) & mask(attackers == 0)
}

/// The rooks that have the right to castle, west of the king and east of it, on the first rank. `castling` are the files of rooks
/// with a right, on each side; of several, the outermost counts.
#[inline(always)]
pub(super) const fn castling_rooks(king: u64, rooks: u64, castling: [u64; 2]) -> [u64; 2] {
    let king = king & RANK_1;
    // Without a king on the rank, this is all ones, and no rook is left.
    let below = king.wrapping_sub(1);
    let rooks = rooks & RANK_1 & mask(king != 0);
    let [west, east] = [rooks & castling[0] & below, rooks & castling[1] & !below];
    let mut fill = east | east >> 1;
    fill |= fill >> 2;
    fill |= fill >> 4;
    [west & west.wrapping_neg(), fill ^ fill >> 1]
}

/// The rooks that the king can castle with, of [`castling_rooks`].
#[inline(always)]
fn castles(board: &SideView, castling: [u64; 2], attacked: u64, pinned: u64) -> u64 {
    let own = &board.own;
    let king = own.king & RANK_1;
    let [westmost, eastmost] = castling_rooks(king, own.orthogonal & !own.diagonal, castling);

    /// The squares from one to the other.
    #[inline(always)]
    const fn span(one: u64, other: u64) -> u64 {
        one.wrapping_sub(1) ^ other.wrapping_sub(1) | one | other
    }
    let castle = |rook: u64, king_to: Square, rook_to: Square| {
        let path = span(king, king_to.bitboard());
        let blocked = (path | span(rook, rook_to.bitboard())) & board.occupied() & !(king | rook);
        // A rook that is pinned would leave the king, wherever it stands then, to a slider behind the rook.
        rook & mask((blocked | path & attacked | rook & pinned) == 0)
    };
    castle(westmost, Square::C1, Square::D1) | castle(eastmost, Square::G1, Square::F1)
}
