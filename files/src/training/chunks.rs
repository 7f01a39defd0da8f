//! The chunks of a binpack, whose positions are read while the bytes come.
//!
//! No more than a chain of positions is held in memory, with what was read last, whatever size a chunk claims to have.

use anyhow::Result;
use memchr::memmem;
use slider_attacks::position::Positions;
use slider_attacks_games::records::binpack::{Chains, HEADER, MAGIC, MOST};
use slider_attacks_games::records::{Labels, Problem};

use crate::content::{Content, Labelled};
use crate::text::{Hand, Text};

/// The chunks of a binpack.
pub struct Chunks {
    text: Text,
    /// The most positions of a block.
    rows: usize,
    positions: Positions,
    labels: Labels,
}

impl Chunks {
    /// The chunks in these bytes, in blocks of at most so many positions.
    pub fn new(text: Text, rows: usize) -> Chunks {
        Chunks { text, rows, positions: Positions::new(), labels: Labels::default() }
    }

    /// Hands over all positions. What is wrong comes after the positions before it, as the end of its chunk.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or `hand` fails.
    pub fn read(mut self, hand: Hand<'_>) -> Result<()> {
        // The columns are known even if there are no positions.
        hand(1.into(), Content::Labelled(Box::default()))?;
        let mut number = 0;
        while !self.text.first_bytes(HEADER)?.is_empty() {
            number += 1;
            self.read_chunk(&mut |labelled| hand(number.into(), Content::Labelled(Box::new(labelled))))?;
        }
        Ok(())
    }

    /// Hands over the positions of the next chunk, and passes over what cannot be read.
    fn read_chunk(&mut self, hand: &mut dyn FnMut(Labelled) -> Result<()>) -> Result<()> {
        let bytes = self.text.first_bytes(HEADER)?;
        let wrong = |problem| Labelled { problem: Some(problem), ..Labelled::default() };
        if !bytes.starts_with(MAGIC) {
            hand(wrong(Problem::Chunk))?;
            return self.pass_to_magic();
        }
        let Some([_, _, _, _, size @ ..]) = bytes.first_chunk::<HEADER>() else {
            self.text.pass(HEADER);
            return hand(wrong(Problem::CutOff));
        };
        let size = u32::from_le_bytes(*size);
        self.text.pass(HEADER);
        if size > MOST {
            hand(wrong(Problem::Size(size)))?;
            return self.pass_to_magic();
        }
        let Chunks { text, rows, positions, labels } = self;
        let (mut left, mut is_end) = (size as usize, false);
        while left > 0 {
            let bytes = text.first_bytes(1)?;
            let held = bytes.len();
            let bytes = &bytes[..held.min(left)];
            is_end |= bytes.len() == left;
            let mut chains = Chains::new(bytes, is_end);
            loop {
                positions.clear();
                labels.clear();
                let read = chains.read(*rows, positions, labels);
                if read == Ok(0) {
                    break;
                }
                let mut problem = read.err().map(|error| error.problem);
                if problem == Some(Problem::CutOff) && bytes.len() < left {
                    problem = Some(Problem::Size(size));
                }
                // Copies have no room for more.
                hand(Labelled { positions: positions.clone(), labels: labels.clone(), problem })?;
                if problem.is_some() {
                    return self.pass(left);
                }
            }
            let read = chains.bytes_read();
            text.pass(read);
            left -= read;
            if is_end && left > 0 {
                return hand(wrong(Problem::Size(size)));
            }
            let held = held - read;
            is_end = left > 0 && text.first_bytes(held + 1)?.len() == held;
        }
        Ok(())
    }

    /// Passes over so many bytes, or all if there are fewer.
    fn pass(&mut self, mut count: usize) -> Result<()> {
        while count > 0 {
            let some = self.text.first_bytes(1)?.len().min(count);
            if some == 0 {
                break;
            }
            self.text.pass(some);
            count -= some;
        }
        Ok(())
    }

    /// Passes over what is before the next chunk, or over all if there is none.
    fn pass_to_magic(&mut self) -> Result<()> {
        loop {
            let bytes = self.text.first_bytes(MAGIC.len())?;
            if let Some(at) = memmem::find(bytes, MAGIC) {
                self.text.pass(at);
                return Ok(());
            }
            if bytes.len() < MAGIC.len() {
                let rest = bytes.len();
                self.text.pass(rest);
                return Ok(());
            }
            // It may begin with the last bytes.
            let passed = bytes.len() + 1 - MAGIC.len();
            self.text.pass(passed);
        }
    }
}
