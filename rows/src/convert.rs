//! Positions in another format.
//!
//! | file | what it does |
//! |---|---|
//! | [`line`](mod@line), [`labels`] | what is known of positions, from the rest of a line, and from the columns of an input |
//! | [`games`] | games that go on over the ends of blocks |
//! | [`job`] | the work on one block |
//! | `arrays` | rows of Arrow arrays of a caller, with the feature `parquet` |

#[cfg(feature = "parquet")]
pub mod arrays;
pub mod games;
pub mod job;
pub mod labels;
pub mod line;

use std::sync::Arc;

use anyhow::Result;
use slider_attacks_files::block::Origin;

use crate::format::RecordFormat;
use crate::write::{Encoded, EncodedSink};
use games::{EncodedGames, GameJoiner, LeftOut};
use job::{Converted, HeldPosition};
use labels::Arrival;

/// Joins the results of blocks in order.
#[derive(Debug)]
pub struct BlockJoiner {
    to: RecordFormat,
    /// The last position so far, if the next block has the move that was played from it.
    held: Option<(HeldPosition, Arc<Origin>)>,
    /// The games, if the format has games.
    games: Option<GameJoiner>,
    /// How many positions were left out.
    pub left_out: LeftOut,
}

impl BlockJoiner {
    /// No blocks yet.
    pub fn new(to: RecordFormat) -> BlockJoiner {
        let games = to.has_games().then(|| GameJoiner::new(to));
        BlockJoiner { to, held: None, games, left_out: LeftOut::default() }
    }

    /// Adds the results of the next block, and passes on the bytes that can be written.
    ///
    /// # Errors
    ///
    /// That of `put`.
    pub fn add(&mut self, next: Converted, put: EncodedSink<'_>) -> Result<()> {
        let Converted { origin, read, repeated, left_out, encoded, games, arrival, held, .. } = next;
        // A block without positions changes nothing.
        if read + repeated > 0
            && let Some((before, of)) = self.held.take()
        {
            self.finish_held(before, arrival.filter(|_| Arc::ptr_eq(&of, &origin)), put)?;
        }
        self.held = held.map(|held| (held, origin)).or(self.held.take());
        self.left_out.add(left_out);
        self.put(encoded, games, put)
    }

    /// An input ends: its last position has no move that the next one would know.
    ///
    /// # Errors
    ///
    /// That of `put`.
    pub fn end_input(&mut self, put: EncodedSink<'_>) -> Result<()> {
        self.held.take().map_or(Ok(()), |(held, _)| self.finish_held(held, None, put))
    }

    /// There are no more blocks: passes on the rest. If an error has ended the run, that is the games so far.
    ///
    /// # Errors
    ///
    /// That of `put`.
    pub fn finish(&mut self, has_failed: bool, put: EncodedSink<'_>) -> Result<()> {
        if !has_failed {
            self.end_input(put)?;
        }
        self.held = None;
        self.games.take().map_or(Ok(()), |games| put(Encoded::Bytes(games.finish())))
    }

    fn finish_held(&mut self, held: HeldPosition, next: Option<Arrival>, put: EncodedSink<'_>) -> Result<()> {
        let (encoded, games) = held.finish(self.to, next, &mut self.left_out);
        self.put(encoded, games, put)
    }

    fn put(&mut self, encoded: Encoded, games: Option<Box<EncodedGames>>, put: EncodedSink<'_>) -> Result<()> {
        match (games, &mut self.games) {
            (Some(games), Some(stitched)) => put(Encoded::Bytes(stitched.add(*games))),
            _ => put(encoded),
        }
    }
}
