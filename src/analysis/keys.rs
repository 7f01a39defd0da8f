//! Keys of positions: 64-bit hashes.
//!
//! The board is turned so that the side to move goes up. All that matters then fits into four boards: the pieces of the side to
//! move, and three bits of the kind of the piece on each square. A rook that has the right to castle is a kind of its own, and
//! an empty square of the side to move is one where a pawn can be captured en passant:
//!
//! ```text
//!    kind   pawn knight bishop rook queen king rook that may castle
//!    code      1      2      3    4     5    6                    7
//! ```
//!
//! The boards are mixed into the key one after the other. No step loses anything, so positions that differ in one of the boards
//! only never have the same key. An image of a position under a symmetry is an image of these boards.

use core::mem::MaybeUninit;

use super::lanes::{BLOCK, HAS_BLOCKS, PaddedLanes, PositionArrays, SideView, lengths_match};
use super::moves::{Facts, capturable, castling_rooks, legal_en_passant, turned};
use super::polyglot;
use crate::batch::entries::Task;
use crate::batch::lists::room;
use crate::flip::{flip_diagonal, mirror_horizontal};
use crate::position::{Castling, Color, PositionSlice};
use crate::{Backend, BatchError};

/// Which positions have the same key.
///
/// ```
/// use slider_attacks::analysis::KeyKind;
///
/// assert_eq!("canonical".parse(), Ok(KeyKind::Canonical));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Those that are equal when repetitions are counted: the same pieces on the same squares, side to move, rooks that may
    /// castle, and legal capture en passant.
    Position,
    /// Those, and also the mirror images of each other: with the colours swapped and the board upside down; if nobody may castle,
    /// also left to right; and without pawns, under all eight symmetries of the board.
    Canonical,
    /// Those that Polyglot's opening books do not distinguish: the en passant square counts if a pawn stands where it could capture
    /// there, whether or not that is legal.
    Polyglot,
}

crate::error::names! { KeyKind, 3: Position "position", Canonical "canonical", Polyglot "polyglot" }

/// The keys of all positions.
pub(super) fn fill(
    backend: Backend,
    positions: PositionSlice<'_>,
    kind: KeyKind,
    out: &mut [u64],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    let is_short = out.len() <= SINGLES;
    let columns = || PositionArrays::new(positions, Color::White);
    match kind {
        KeyKind::Position if is_short => write_singles(PositionKey, positions, out),
        KeyKind::Canonical if is_short => write_singles(CanonicalKey, positions, out),
        KeyKind::Position => backend.perform(KeyLoop { columns: columns(), positions, key: PositionKey, out }),
        KeyKind::Canonical => backend.perform(KeyLoop { columns: columns(), positions, key: CanonicalKey, out }),
        KeyKind::Polyglot => backend.perform_by_bits(polyglot::Keys { columns: columns(), positions, out }),
    }
    Ok(())
}

/// The four boards of a position, as the side to move sees them.
type KeyBoards = [u64; 4];

/// A key computed from the boards.
trait BoardKey: Copy {
    fn compute(self, boards: KeyBoards, black: u64) -> u64;
}

/// Of the position as it stands.
#[derive(Clone, Copy)]
struct PositionKey;

/// The least of the keys of its images in which White is to move.
#[derive(Clone, Copy)]
struct CanonicalKey;

impl BoardKey for PositionKey {
    #[inline(always)]
    fn compute(self, boards: KeyBoards, black: u64) -> u64 {
        mix(boards, black)
    }
}

impl BoardKey for CanonicalKey {
    #[inline(always)]
    fn compute(self, boards: KeyBoards, _: u64) -> u64 {
        let [_, ones, twos, fours] = boards;
        let some = |board: u64| ((board != 0) as u64).wrapping_neg();
        let may_castle = some(ones & twos & fours);
        let has_pawns = some(ones & !twos & !fours);
        let mirrored = boards.map(mirror_horizontal);
        let turned = boards.map(flip_diagonal);
        let key = |image: KeyBoards| mix(image, 0);
        let both = |image: KeyBoards| key(image).min(key(image.map(u64::swap_bytes)));
        let others = key(boards.map(u64::swap_bytes)).min(key(mirrored.map(u64::swap_bytes)));
        let others = others.min(both(turned)).min(both(turned.map(mirror_horizontal)));
        // What is no image becomes the greatest number.
        key(boards).min(key(mirrored) | may_castle).min(others | may_castle | has_pawns)
    }
}

/// Odd numbers, well known from generators of random numbers.
const FACTORS: [u64; 4] = [0x9fb2_1c65_1e98_df25, 0x5851_f42d_4c95_7f2d, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];
const LAST_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// The key of nothing yet, and its difference if Black is to move.
const START: u64 = 0x2545_f491_4f6c_dd1d;
const BLACK: u64 = 0xd134_2543_de82_ef95;

/// The boards as one number.
///
/// A product carries differences to higher bits only, so those in the highest bits would hardly spread, and the next board could
/// undo them. So each bit is put in three places before a product. This sum of rotations can be inverted, but its inverse has 27
/// bits: boards whose sums differ in the eight highest bits alone differ in 14 squares or more. After a sum with a shift instead,
/// that is two squares, half a board apart: a pawn on h4 and no bishop on h8 could have the key of the bishop without the pawn.
#[inline(always)]
fn mix(boards: KeyBoards, black: u64) -> u64 {
    let mut key = START ^ black & BLACK;
    for (board, factor) in boards.into_iter().zip(FACTORS) {
        key ^= board;
        key ^= key.rotate_right(24) ^ key.rotate_right(49);
        key = key.wrapping_mul(factor);
    }
    key ^= key >> 32;
    key = key.wrapping_mul(LAST_FACTOR);
    key ^ key >> 29
}

/// The most positions whose keys are computed one after the other. A block takes as long as some 12, and without vectors longer.
const SINGLES: usize = if HAS_BLOCKS { 8 } else { 0 };

/// Computes the keys of few positions.
#[inline(never)]
fn write_singles(key: impl BoardKey, positions: PositionSlice<'_>, out: &mut [u64]) {
    for (index, out) in out.iter_mut().enumerate() {
        let enemy_files = positions.castling()[index].files(positions.side_to_move()[index].other());
        let facts = Facts::of(positions, index);
        let board = turned(&SideView::of(positions, index, Color::White), facts.black[0]);
        let mut boards = boards_of(&board, facts.castling(0), enemy_files);
        let passed = capturable(facts.passed(0), board.own.pawns, board.enemy.pawns, board.empty());
        if passed != 0 && can_capture(&board, passed) {
            boards[0] |= passed;
        }
        *out = key.compute(boards, facts.black[0]);
    }
}

struct KeyLoop<'a, K> {
    /// White's pieces are `own`.
    columns: PositionArrays<'a, [u64]>,
    positions: PositionSlice<'a>,
    key: K,
    out: &'a mut [u64],
}

impl<K: BoardKey> Task for KeyLoop<'_, K> {
    #[inline(always)]
    fn perform(self) {
        let KeyLoop { columns, positions, key, out } = self;
        let (mut padded, mut facts) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let (padded, facts): (&mut PaddedLanes, &mut Facts) = (room(&mut padded), room(&mut facts));
        let mut enemy_files = [[0; BLOCK]; 2];
        let mut start = 0;
        for out in out.chunks_mut(BLOCK) {
            let block = columns.block(start, padded);
            let places = start..start + out.len();
            facts.read(positions, start, out.len());
            let sides: (&[Color], &[Castling]) =
                (&positions.side_to_move()[places.clone()], &positions.castling()[places]);
            for (lane, (&color, &castling)) in sides.0.iter().zip(sides.1).enumerate() {
                [enemy_files[0][lane], enemy_files[1][lane]] = castling.files(color.other());
            }
            let mut boards = [[0; BLOCK]; 4];
            let mut passed = [0; BLOCK];
            for lane in 0..BLOCK {
                let board = turned(&block.board(lane), facts.black[lane]);
                let of_lane = boards_of(&board, facts.castling(lane), enemy_files.each_ref().map(|files| files[lane]));
                for (boards, of_lane) in boards.iter_mut().zip(of_lane) {
                    boards[lane] = of_lane;
                }
                passed[lane] = capturable(facts.passed(lane), board.own.pawns, board.enemy.pawns, board.empty());
            }
            // Few positions have such a square. To try the captures of all takes longer than all else.
            if passed[..out.len()].iter().any(|&passed| passed != 0) {
                for lane in (0..out.len()).filter(|&lane| passed[lane] != 0) {
                    let board = turned(&block.board(lane), facts.black[lane]);
                    boards[0][lane] |= if can_capture(&board, passed[lane]) { passed[lane] } else { 0 };
                }
            }
            let mut keys = [0; BLOCK];
            for (lane, result) in keys.iter_mut().enumerate() {
                *result = key.compute(boards.each_ref().map(|boards| boards[lane]), facts.black[lane]);
            }
            out.copy_from_slice(&keys[..out.len()]);
            start += BLOCK;
        }
    }
}

/// The boards of a position, without an en passant square. The files are those of [`castling_rooks`] of each side.
#[inline(always)]
fn boards_of(board: &SideView, own_files: [u64; 2], enemy_files: [u64; 2]) -> KeyBoards {
    let (own, enemy) = (&board.own, &board.enemy);
    let [pawns, knights, kings] = [own.pawns | enemy.pawns, own.knights | enemy.knights, own.king | enemy.king];
    let [orthogonal, diagonal] = [own.orthogonal | enemy.orthogonal, own.diagonal | enemy.diagonal];
    let rooks = orthogonal & !diagonal;
    let castling = |king: u64, rooks: u64, files| {
        let [west, east] = castling_rooks(king, rooks, files);
        west | east
    };
    let castling = castling(own.king, rooks & own.all, own_files)
        | castling(enemy.king.swap_bytes(), (rooks & enemy.all).swap_bytes(), enemy_files).swap_bytes();
    [own.all, pawns | diagonal | castling, knights | kings | diagonal & !orthogonal | castling, orthogonal | kings]
}

/// Whether a capture on the en passant square is legal.
fn can_capture(board: &SideView, passed: u64) -> bool {
    legal_en_passant(board, passed) != 0
}
