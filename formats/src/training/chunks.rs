//! The chunks of a binpack, whose positions are read while the bytes come.
//!
//! No more than a chain of positions is held in memory, with what was pushed last, whatever size a chunk claims to have.

use std::mem;
use std::ops::ControlFlow;

use memchr::memmem;
use slider_attacks::position::Positions;
use slider_attacks_games::records::binpack::{Chains, HEADER, MAGIC, MOST};
use slider_attacks_games::records::{Labels, Problem};

use crate::content::{Content, Labelled, Start};

/// Takes the blocks of chunks: where they begin, and what they hold.
pub type Hand<'a, B> = &'a mut dyn FnMut(Start, Content) -> ControlFlow<B>;

/// The chunks of a binpack.
#[derive(Debug)]
pub struct Chunks {
    /// The most positions of a block.
    rows: usize,
    /// What has been pushed and not read yet.
    bytes: Vec<u8>,
    state: State,
    /// The number of the last chunk that has begun.
    number: u64,
    has_begun: bool,
    positions: Positions,
    labels: Labels,
}

/// What the bytes go on with.
#[derive(Clone, Copy, Debug)]
enum State {
    /// A chunk begins.
    Header,
    /// Chains of a chunk that claims this size, of which so many bytes are left.
    Chains { size: u32, left: usize },
    /// So many bytes are passed over.
    Pass(usize),
    /// All is passed over up to the next chunk.
    ToMagic,
}

impl Chunks {
    /// The chunks in bytes to come, in blocks of at most so many positions.
    pub fn new(rows: usize) -> Chunks {
        let (positions, labels) = (Positions::new(), Labels::default());
        Chunks { rows, bytes: Vec::new(), state: State::Header, number: 0, has_begun: false, positions, labels }
    }

    /// Takes the next bytes, and hands over all positions that end in them. What is wrong comes after the positions before it, as the
    /// end of its chunk. There is at least one block, which may be empty. After a break, no more bytes are taken.
    pub fn push<B>(&mut self, bytes: &[u8], is_last: bool, hand: Hand<'_, B>) -> ControlFlow<B> {
        if !mem::replace(&mut self.has_begun, true) {
            // The columns are known even if there are no positions.
            hand(1.into(), Content::Labelled(Box::default()))?;
        }
        let mut all = mem::take(&mut self.bytes);
        all.extend_from_slice(bytes);
        let mut at = 0;
        while at < all.len() || is_last && matches!(self.state, State::Chains { .. }) {
            let (read, waits) = self.step(&all[at..], is_last, &mut |number, labelled| {
                hand(number.into(), Content::Labelled(Box::new(labelled)))
            })?;
            at += read;
            if waits {
                break;
            }
        }
        all.drain(..at);
        self.bytes = all;
        ControlFlow::Continue(())
    }

    /// Reads what these bytes go on with, of which `are_last` says whether more follow. Returns how many were read, and whether more are
    /// needed.
    fn step<B>(
        &mut self,
        bytes: &[u8],
        are_last: bool,
        hand: &mut dyn FnMut(u64, Labelled) -> ControlFlow<B>,
    ) -> ControlFlow<B, (usize, bool)> {
        let wrong = |problem| Labelled { problem: Some(problem), ..Labelled::default() };
        let (read, waits) = match self.state {
            State::Header if bytes.len() < HEADER && !are_last => (0, true),
            State::Header => {
                self.number += 1;
                match bytes.first_chunk::<HEADER>() {
                    _ if !bytes.starts_with(MAGIC) => {
                        self.state = State::ToMagic;
                        hand(self.number, wrong(Problem::Chunk))?;
                        (0, false)
                    }
                    None => {
                        hand(self.number, wrong(Problem::CutOff))?;
                        (bytes.len(), false)
                    }
                    Some(&[_, _, _, _, ref size @ ..]) => {
                        let size = u32::from_le_bytes(*size);
                        self.state = State::Chains { size, left: size as usize };
                        if size > MOST {
                            self.state = State::ToMagic;
                            hand(self.number, wrong(Problem::Size(size)))?;
                        }
                        (HEADER, false)
                    }
                }
            }
            State::Chains { left: 0, .. } => {
                self.state = State::Header;
                (0, false)
            }
            State::Chains { size, left } => {
                let bytes = &bytes[..bytes.len().min(left)];
                let is_end = are_last || bytes.len() == left;
                let mut chains = Chains::new(bytes, is_end);
                loop {
                    self.positions.clear();
                    self.labels.clear();
                    let read = chains.read(self.rows, &mut self.positions, &mut self.labels);
                    if read == Ok(0) {
                        break;
                    }
                    let mut problem = read.err().map(|error| error.problem);
                    if problem == Some(Problem::CutOff) && bytes.len() < left {
                        problem = Some(Problem::Size(size));
                    }
                    let has_problem = problem.is_some();
                    // Copies have no room for more.
                    let (positions, labels) = (self.positions.clone(), self.labels.clone());
                    hand(self.number, Labelled { positions, labels, problem })?;
                    if has_problem {
                        self.state = State::Pass(left);
                        return ControlFlow::Continue((0, false));
                    }
                }
                let read = chains.bytes_read();
                let left = left - read;
                self.state = State::Chains { size, left };
                if is_end && left > 0 {
                    self.state = State::Header;
                    hand(self.number, wrong(Problem::Size(size)))?;
                }
                (read, !is_end)
            }
            State::Pass(count) => {
                let passed = count.min(bytes.len());
                self.state = if passed == count { State::Header } else { State::Pass(count - passed) };
                (passed, false)
            }
            State::ToMagic => match memmem::find(bytes, MAGIC) {
                Some(at) => {
                    self.state = State::Header;
                    (at, false)
                }
                None if are_last => (bytes.len(), false),
                // It may begin with the last bytes.
                None => ((bytes.len() + 1).saturating_sub(MAGIC.len()), true),
            },
        };
        ControlFlow::Continue((read, waits))
    }
}
