//! The number of leaves of game trees.

use super::{Move, Moves};
use crate::analysis::after_counts;
use crate::position::{Position, PositionSlice, Positions};
use crate::{Backend, BatchError};

/// How many positions have their moves made at once: they lead to some thousand positions, which stay in the cache.
const CHUNK: usize = 64;

/// The number of leaves of the tree of legal moves from a position, `depth` plies deep: "perft". Lines that end earlier, in mate
/// or stalemate, have no leaf. With depth 0, the position is the only leaf.
///
/// [`Backend::perft`] does the same for many positions, and says how.
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks::moves::perft;
///
/// let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -".parse()?;
/// assert_eq!(perft(Backend::active(), start, 4), 197_281);
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
#[must_use]
pub fn perft(backend: Backend, position: Position, depth: u8) -> u64 {
    let (positions, mut count) = (Positions::from_iter([position]), [0]);
    backend.perft(&positions, depth, &mut count).expect("one count for one position");
    count[0]
}

/// [`perft`] for each legal move of the position: the leaves after it, in the order of [`Backend::moves`]. Without depth, there
/// are no moves.
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks::moves::perft_by_move;
///
/// let position = "k7/8/8/8/8/8/7P/K7 w - -".parse()?;
/// let counts = perft_by_move(Backend::active(), position, 2);
/// let counts: Vec<String> = counts.iter().map(|(mv, count)| format!("{mv} {count}")).collect();
/// assert_eq!(counts, ["a1b1 3", "a1a2 3", "a1b2 3", "h2h3 3", "h2h4 3"]);
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
#[must_use]
pub fn perft_by_move(backend: Backend, position: Position, depth: u8) -> Vec<(Move, u64)> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let (positions, mut moves, mut after) = (Positions::from_iter([position]), Moves::new(), Positions::new());
    backend.moves(&positions, &mut moves);
    backend.after(&positions, &moves, &mut after).expect("the moves are legal");
    let mut counts = vec![0; after.len()];
    backend.perft(&after, depth, &mut counts).expect("one count for each position");
    moves.as_slice().iter().copied().zip(counts).collect()
}

impl Backend {
    /// The number of leaves of the tree of legal moves from each position, `depth` plies deep: "perft". Lines that end earlier, in
    /// mate or stalemate, have no leaf. With depth 0, each position is the only leaf.
    ///
    /// Nearly all of the time goes into the last ply but one: the positions after it are made in blocks in the cache, and
    /// their legal moves are counted as [`legal_moves`](Backend::legal_moves) counts them, without lists. Memory is about
    /// 300 KB for each ply. A count that does not fit 64 bits would take centuries.
    ///
    /// Source: "Perft", <https://www.chessprogramming.org/Perft>. There, the count without lists is called bulk-counting.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")?;
    /// positions.push_fen("k7/8/8/8/8/8/7P/K7 w - -")?;
    /// let mut counts = [0; 2];
    /// Backend::active().perft(&positions, 3, &mut counts)?;
    /// assert_eq!(counts, [8_902, 96]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn perft<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        depth: u8,
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        let positions = positions.into();
        if positions.len() != out.len() {
            return Err(BatchError::PositionLengthMismatch { positions: positions.len(), out: out.len() });
        }
        let mut levels: Vec<Level> = Vec::new();
        levels.resize_with(usize::from(depth), Level::default);
        count(self, positions, &mut levels, out);
        Ok(())
    }
}

/// The memory for one ply.
#[derive(Default)]
struct Level {
    moves: Moves,
    positions: Positions,
    /// The leaves after each move.
    counts: Vec<u64>,
    /// The moves after each move, or in each position.
    numbers: Vec<u16>,
}

/// Counts the leaves of each position, one level for each ply.
fn count(backend: Backend, positions: PositionSlice<'_>, levels: &mut [Level], out: &mut [u64]) {
    let Some((level, deeper)) = levels.split_first_mut() else {
        out.fill(1);
        return;
    };
    for (chunk, out) in out.chunks_mut(CHUNK).enumerate() {
        let positions = positions.slice(chunk * CHUNK..chunk * CHUNK + out.len());
        if deeper.is_empty() {
            level.numbers.resize(out.len(), 0);
            backend.legal_moves(positions, &mut level.numbers).expect("one number for each position");
            for (out, &number) in out.iter_mut().zip(&level.numbers) {
                *out = u64::from(number);
            }
            continue;
        }
        backend.moves(positions, &mut level.moves);
        let moves = level.moves.as_slice().len();
        let lists = level.moves.offsets().windows(2).map(|ends| ends[0]..ends[1]);
        if deeper.len() == 1 {
            level.numbers.resize(moves, 0);
            after_counts(backend, positions, &level.moves, &mut level.numbers);
            for (out, list) in out.iter_mut().zip(lists) {
                *out = level.numbers[list].iter().map(|&number| u64::from(number)).sum();
            }
        } else {
            backend.after(positions, &level.moves, &mut level.positions).expect("the moves are legal");
            level.counts.resize(moves, 0);
            count(backend, (&level.positions).into(), deeper, &mut level.counts);
            for (out, list) in out.iter_mut().zip(lists) {
                *out = level.counts[list].iter().sum();
            }
        }
    }
}
