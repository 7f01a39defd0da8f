//! Binpack: the games of Stockfish's tools, as differences from one position to the next.
//!
//! A file is chunks:
//!
//! | bytes | what |
//! |---|---|
//! | 0–3 | `BINP` |
//! | 4–7 | the number of bytes that follow, little-endian, at most 100 MiB |
//! | from 8 on | chains of positions |
//!
//! A chain is, with all numbers big-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | the occupancy |
//! | 8–23 | a nibble for each occupied square, from a1 on, the lower one of a byte first: pawn 0 and 1 (white, black), knight 2 and 3, bishop 4 and 5, rook 6 and 7, queen 8 and 9, king 10 and 11; 12 a pawn that has just moved by two squares, 13 and 14 a rook that may castle; 15 the king of black, who is to move |
//! | 24–25 | the move; from bit 15 on: its kind (normal 0, promotion 1, castling 2, en passant 3), its origin and destination squares (the destination is the rook's square if the king castles), the piece of a promotion (knight 0, bishop 1, rook 2, queen 3) |
//! | 26–27 | the score, as the side to move sees it, in zigzag |
//! | 28–29 | bits 0–13 the number of half moves of the game; bits 14–15 the outcome in zigzag: 0 draw, 1 the side to move won, −1 it lost |
//! | 30–31 | half moves since the last capture or pawn move |
//! | 32–33 | how many moves follow |
//! | from 34 on | these moves as bits, up to the end of a byte |
//!
//! Zigzag puts the sign into the lowest bit: 0, −1, 1, −2 … are 0, 1, 2, 3 …
//!
//! For each move that follows, after the move before it has been played, the bits are, from the upper one of a byte on:
//!
//! | bits | what |
//! |---|---|
//! | enough for the pieces of the side to move | which of them it is, in the order of their squares |
//! | enough for the destinations | its destination, in the order of the squares; four times as many for promotions, by the new piece |
//! | 5, up to four times | the score minus the negative of the one before, in zigzag: 4 bits, the lowest first, below one that is set if there are more |
//!
//! Destinations are those of the piece without regard to its king. For a king, the rights of castling come after them, the queen's
//! side first, whether or not it can castle. A pawn can take en passant only if there is a legal move that does.
//!
//! # Chess960
//!
//! Other readers assume that a rook that may castle is in a corner and its king on the e-file: they keep a right until
//! a piece moves from or to these squares, and castle from there. With other rights, they would read different boards,
//! moves and scores. So such rights are never written: [`drop_rights`] removes them from a board, and no chain can have
//! a castling move that needs them. They are read, however. Stockfish's tools drop the same rights
//! (<https://github.com/official-stockfish/Stockfish/pull/4049>).
//!
//! # Reading
//!
//! Scores and outcomes are read as white sees them. Each move gives one position: the one before it. After a wrong
//! move, the rest of the chunk cannot be read. Where no chunk begins, reading continues at the next `BINP`.
//!
//! Source: `binpack.h` and the files next to it in nnue-pytorch, <https://github.com/official-stockfish/nnue-pytorch>, folder
//! `data_loader/cpp/lib`.

use core::mem;

use memchr::memmem;
use slider_attacks::position::{BoardError, Piece, Positions};
use slider_attacks::{Backend, BitOperations, BitTask, Square};

use super::block::{BLOCK, LabelParts, RecordBlock};
use super::{Error, Labels, Outcome, ReadCounts, RecordLabels, RecordProblem, pack, squares};
use crate::board::{KING_CODE, first, rank};
use crate::replay::PieceBits;
use crate::setup::rooks_are_right;
use crate::{Board, Move, MoveKind};

/// The beginning of a chunk.
pub const MAGIC: &[u8; 4] = b"BINP";
/// The number of bytes before the content of a chunk.
pub const HEADER: usize = 8;
/// The most bytes that a chunk holds.
pub const MOST: u32 = 100 << 20;
/// The bytes of the first position of a chain, and of the number of moves after it.
const STEM: usize = 32;
const CHAIN: usize = STEM + 2;
/// The most bytes that a move takes with its score: 10 bits to choose it among those of 32 pieces, and 20.
const MOVE: usize = 4;

/// Reads the chains of a chunk part by part, so that the whole chunk need not be in memory.
///
/// ```
/// use slider_attacks::position::Positions;
/// use slider_attacks_games::records::binpack::{Chains, HEADER};
/// use slider_attacks_games::records::Labels;
///
/// let bytes = std::fs::read("../tests/data/sample.binpack")?;
/// let chunk = &bytes[HEADER..];
/// let (mut positions, mut labels) = (Positions::new(), Labels::default());
/// let (mut done, mut here) = (0, 0);
/// while done < chunk.len() {
///     here = (here + 100).min(chunk.len()); // more bytes have come
///     let mut chains = Chains::new(&chunk[done..here], here == chunk.len());
///     while chains.read(1 << 16, &mut positions, &mut labels)? > 0 {}
///     done += chains.bytes_read();
/// }
/// assert!(positions.len() > 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chains<'a>(BinpackReader<'a>);

/// Skipped positions of chains, to be decoded later, on any thread.
#[derive(Clone, Debug)]
pub struct Undecoded {
    bytes: Vec<u8>,
    /// The chain that they begin in the middle of.
    chain: Option<Chain>,
    count: usize,
    /// How many bytes are before them.
    before: u64,
}

impl Undecoded {
    /// The number of positions. [`Chains::skip`] has an example.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds the first positions, at most `most`. Returns how many there were.
    pub fn read(&self, most: usize, positions: &mut Positions, labels: &mut Labels) -> usize {
        self.read_if(most, |_| true, positions, labels).kept
    }

    /// Adds the first positions for which `keeps` holds, at most `most`. No positions are made of the others.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_games::records::binpack::{Chains, HEADER};
    /// use slider_attacks_games::records::Labels;
    ///
    /// let bytes = std::fs::read("../tests/data/sample.binpack")?;
    /// let (all, _) = Chains::new(&bytes[HEADER..], true).skip(100);
    /// let (mut positions, mut labels) = (Positions::new(), Labels::default());
    /// let counts = all.read_if(100, |labels| labels.score > 0, &mut positions, &mut labels);
    /// assert_eq!((counts.records, counts.kept), (100, positions.len()));
    /// assert!(labels.scores.iter().all(|&score| score > 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_if(
        &self,
        most: usize,
        keeps: impl Fn(&RecordLabels<'_>) -> bool,
        positions: &mut Positions,
        labels: &mut Labels,
    ) -> ReadCounts {
        let mut reader = Chains::new(&self.bytes, true).after(self.before).0;
        reader.chain.clone_from(&self.chain);
        let mut counts = ReadCounts::default();
        while counts.kept < most && counts.records < self.count {
            // If all of them are kept, these are enough.
            let wanted = (most - counts.kept).min(self.count - counts.records);
            let (read, found) = reader.read_if(wanted, &keeps, positions, labels);
            read.expect("they were right when they were passed over");
            counts = ReadCounts { records: counts.records + found.records, kept: counts.kept + found.kept };
        }
        counts
    }
}

impl<'a> Chains<'a> {
    /// The next bytes of a chunk, beginning with a chain. `are_last` is whether the chunk ends with them.
    pub fn new(bytes: &'a [u8], are_last: bool) -> Chains<'a> {
        Chains(BinpackReader { end: bytes.len(), chunks: 1, are_last, ..BinpackReader::new(bytes) })
    }

    /// The same after this many bytes of other chunks and chains, which [`RecordLabels::place`] counts.
    #[must_use]
    pub fn after(mut self, bytes: u64) -> Chains<'a> {
        self.0.before = bytes;
        self
    }

    /// Adds the next positions, as [`RecordReader::read`](super::RecordReader::read) does. Stops before a chain that
    /// may be incomplete.
    ///
    /// # Errors
    ///
    /// A record is wrong. The positions before it have been added. The rest of the chunk cannot be read, neither here
    /// nor in the bytes that follow.
    pub fn read(&mut self, most: usize, positions: &mut Positions, labels: &mut Labels) -> Result<usize, Error> {
        self.0.read(most, positions, labels)
    }

    /// Reads the next records, at most so many, and adds the positions for which `keeps` holds, which is asked once for each record, in
    /// their order. No positions are made of the others.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Chains::read). The counts are those before the error. For the wrong record, `keeps` may have been asked.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_games::records::binpack::{Chains, HEADER};
    /// use slider_attacks_games::records::Labels;
    ///
    /// let bytes = std::fs::read("../tests/data/sample.binpack")?;
    /// let (mut positions, mut labels) = (Positions::new(), Labels::default());
    /// let mut chains = Chains::new(&bytes[HEADER..], true);
    /// let (read, counts) = chains.read_if(100, |labels| labels.score > 0, &mut positions, &mut labels);
    /// read?;
    /// assert_eq!((counts.records, counts.kept), (100, positions.len()));
    /// assert!(labels.scores.iter().all(|&score| score > 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_if(
        &mut self,
        records: usize,
        keeps: impl Fn(&RecordLabels<'_>) -> bool,
        positions: &mut Positions,
        labels: &mut Labels,
    ) -> (Result<(), Error>, ReadCounts) {
        self.0.read_if(records, &keeps, positions, labels)
    }

    /// Skips the positions that [`read`](Chains::read) would add, which is faster. Also returns the result that it
    /// would return.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_games::records::binpack::{Chains, HEADER};
    /// use slider_attacks_games::records::Labels;
    ///
    /// let bytes = std::fs::read("../tests/data/sample.binpack")?;
    /// let mut chains = Chains::new(&bytes[HEADER..], true);
    /// let (first, skipped) = chains.skip(100);
    /// assert_eq!((first.count(), skipped?), (100, 100));
    ///
    /// let (mut positions, mut labels) = (Positions::new(), Labels::default());
    /// assert_eq!(first.read(3, &mut positions, &mut labels), 3); // of those that were skipped
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skip(&mut self, most: usize) -> (Undecoded, Result<usize, Error>) {
        let reader = &mut self.0;
        let bits = |reader: &BinpackReader<'_>| reader.chain.as_ref().map_or(8 * reader.at, |chain| chain.at);
        let (from, mut chain) = (bits(reader) / 8, reader.chain.clone());
        let done = reader.fill(most, &|_| false);
        let count = mem::take(&mut reader.left_out);
        // The positions before an error end in the byte that it names, or before it.
        let to = done.as_ref().map_or_else(|error| error.byte + 1, |()| bits(reader).div_ceil(8)).min(reader.end);
        chain.iter_mut().for_each(|chain| chain.at -= 8 * from);
        let before = reader.before + from as u64;
        (Undecoded { bytes: reader.bytes[from..to].to_vec(), chain, count, before }, done.map(|()| count))
    }

    /// Where the next position is: the byte at which its chain begins, and how many positions of the chain are before it.
    ///
    /// ```
    /// use slider_attacks_games::records::binpack::{Chains, HEADER};
    ///
    /// let bytes = std::fs::read("../tests/data/sample.binpack")?;
    /// let mut chains = Chains::new(&bytes[HEADER..], true);
    /// chains.skip(100).1?;
    /// let (byte, before) = chains.place();
    /// assert!(before <= 100);
    ///
    /// let mut again = Chains::new(&bytes[HEADER + byte..], true);
    /// again.skip(before).1?;
    /// assert_eq!(again.place(), (0, before));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn place(&self) -> (usize, usize) {
        let BinpackReader { bytes, at, chain, .. } = &self.0;
        let Some(chain) = chain.as_ref().filter(|chain| chain.moves > 0) else { return (self.next_chain(), 0) };
        let moves = u16::from_be_bytes([bytes[at - 2], bytes[at - 1]]);
        (at - CHAIN, 1 + usize::from(moves - chain.moves))
    }

    /// Where the next chain begins, if nothing of the one at hand is left.
    fn next_chain(&self) -> usize {
        self.0.chain.as_ref().map_or(self.0.at, |chain| chain.at.div_ceil(8))
    }

    /// The number of bytes read, once there are no more positions. The next chain begins there.
    pub fn bytes_read(&self) -> usize {
        self.0.at
    }
}

#[derive(Clone, Debug)]
pub(super) struct BinpackReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The end of the chunk, or of the part at hand.
    end: usize,
    /// It ends here.
    are_last: bool,
    /// The declared size of the chunk, if its bytes end earlier.
    claimed: Option<u32>,
    /// How many chunks have begun.
    chunks: u64,
    chain: Option<Chain>,
    block: RecordBlock,
    /// How many positions were left out in addition to those of the block.
    left_out: usize,
    /// How many bytes are before these.
    before: u64,
}

/// The rest of a chain.
#[derive(Clone, Debug)]
struct Chain {
    board: Board,
    outcome: Outcome,
    /// The negative of the last score.
    score: i16,
    /// The number of moves that follow.
    moves: u16,
    /// Where their bits are, in bits from the beginning.
    at: usize,
    /// The [place](RecordLabels::place) of the next record.
    place: u64,
}

/// [`BinpackReader::fill`] with the instructions of a backend.
struct FillTask<'r, 'a, F> {
    reader: &'r mut BinpackReader<'a>,
    wanted: usize,
    keeps: &'r F,
}

impl<F: Fn(&RecordLabels<'_>) -> bool> BitTask for FillTask<'_, '_, F> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn perform(self, bits: impl BitOperations) -> Result<(), Error> {
        self.reader.fill_with(bits, self.wanted, self.keeps)
    }
}

impl<'a> BinpackReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let block = RecordBlock::new();
        BinpackReader {
            bytes,
            at: 0,
            end: 0,
            are_last: true,
            claimed: None,
            chunks: 0,
            chain: None,
            block,
            left_out: 0,
            before: 0,
        }
    }

    pub fn read(&mut self, most: usize, positions: &mut Positions, labels: &mut Labels) -> Result<usize, Error> {
        let (read, counts) = self.read_if(most, &|_| true, positions, labels);
        read.map(|()| counts.records)
    }

    /// Reads some records, and adds the positions for which `keeps` holds.
    fn read_if(
        &mut self,
        records: usize,
        keeps: &impl Fn(&RecordLabels<'_>) -> bool,
        positions: &mut Positions,
        labels: &mut Labels,
    ) -> (Result<(), Error>, ReadCounts) {
        let mut counts = ReadCounts::default();
        loop {
            // There is room for them, even if all of them are kept.
            let (before, wanted) = (self.block.len, (BLOCK - self.block.len).min(records - counts.records));
            let read = self.fill(before + wanted, keeps);
            let (kept, left_out) = (self.block.len - before, mem::take(&mut self.left_out));
            counts = ReadCounts { records: counts.records + kept + left_out, kept: counts.kept + kept };
            let is_end = read.is_err() || kept + left_out == 0 || counts.records == records;
            // Few positions take nearly as long to add as many.
            if is_end || 2 * self.block.len > BLOCK {
                self.block.flush(positions, labels, LabelParts::Moves).expect("boards are positions");
            }
            if is_end {
                return (read, counts);
            }
        }
    }

    /// Reads positions until there are as many as wanted, or until the end. They are put into the block, or only counted.
    fn fill(&mut self, wanted: usize, keeps: &impl Fn(&RecordLabels<'_>) -> bool) -> Result<(), Error> {
        Backend::active().work_on_bits(FillTask { reader: self, wanted, keeps })
    }

    /// The same with these operations.
    #[inline(always)]
    fn fill_with(
        &mut self,
        bits: impl BitOperations,
        wanted: usize,
        keeps: &impl Fn(&RecordLabels<'_>) -> bool,
    ) -> Result<(), Error> {
        while self.block.len + self.left_out < wanted {
            if self.chain.is_some() {
                self.read_chain(bits, wanted, keeps)?;
            } else if self.at < self.end {
                if !self.are_last && !self.is_whole() {
                    break;
                }
                self.begin_chain(keeps)?;
            } else if let Some(size) = self.claimed.take() {
                return Err(self.error(self.at, RecordProblem::Size(size)));
            } else if self.at < self.bytes.len() {
                self.begin_chunk()?;
            } else {
                break;
            }
        }
        Ok(())
    }

    fn begin_chunk(&mut self) -> Result<(), Error> {
        let start = self.at;
        let rest = &self.bytes[start..];
        if !rest.starts_with(MAGIC) {
            self.at = start + memmem::find(rest, MAGIC).unwrap_or(rest.len());
            self.end = self.at;
            return Err(self.error(start, RecordProblem::Chunk));
        }
        self.chunks += 1;
        let Some([_, _, _, _, size @ ..]) = rest.first_chunk::<HEADER>() else {
            (self.at, self.end) = (self.bytes.len(), self.bytes.len());
            return Err(self.error(start, RecordProblem::CutOff));
        };
        let size = u32::from_le_bytes(*size);
        self.at = start + HEADER;
        let held = &self.bytes[self.at..];
        let fits = (size <= MOST).then_some(size as usize).filter(|&size| size <= held.len());
        self.claimed = if fits.is_none() { Some(size) } else { None };
        self.end = self.at + fits.or_else(|| memmem::find(held, MAGIC)).unwrap_or(held.len());
        Ok(())
    }

    /// Whether all bytes of the next chain are certainly here.
    fn is_whole(&self) -> bool {
        let bytes = &self.bytes[self.at..self.end];
        let Some(&[.., high, low]) = bytes.first_chunk::<CHAIN>() else { return false };
        bytes.len() >= CHAIN + MOVE * usize::from(u16::from_be_bytes([high, low]))
    }

    /// Reads the first position of a chain.
    fn begin_chain(&mut self, keeps: &impl Fn(&RecordLabels<'_>) -> bool) -> Result<(), Error> {
        let start = self.at;
        let Some(bytes) = self.bytes[start..self.end].first_chunk::<CHAIN>() else {
            return Err(self.error_in_chunk(self.end, RecordProblem::CutOff));
        };
        match stem(bytes) {
            Ok(stem) => {
                let Stem { board, mv, score, outcome } = stem;
                let for_white = for_white(&board, score);
                let place = (self.before + start as u64) << 16;
                let is_kept = keeps(&RecordLabels { board: &board, mv, score: for_white, outcome, place });
                if is_kept {
                    self.block.put(&board, mv, for_white, outcome);
                }
                let mut chain = Chain {
                    board,
                    outcome,
                    score: score.wrapping_neg(),
                    moves: u16::from_be_bytes([bytes[STEM], bytes[STEM + 1]]),
                    at: 8 * (start + CHAIN),
                    place: place + 1,
                };
                if chain.board.play(mv).is_err() {
                    return Err(self.error_in_chunk(start + 24, RecordProblem::Move(mv)));
                }
                self.count(is_kept);
                self.at += CHAIN;
                self.chain = Some(chain);
                Ok(())
            }
            Err(problem) => Err(self.error_in_chunk(start, problem)),
        }
    }

    /// Counts a position, whose record is right.
    #[inline(always)]
    fn count(&mut self, is_kept: bool) {
        self.block.len += usize::from(is_kept);
        self.left_out += usize::from(!is_kept);
    }

    /// Reads positions of the chain until there are as many as wanted, or until its end.
    #[inline(always)]
    fn read_chain(
        &mut self,
        bits: impl BitOperations,
        wanted: usize,
        keeps: &impl Fn(&RecordLabels<'_>) -> bool,
    ) -> Result<(), Error> {
        let Some(mut chain) = self.chain.take() else { return Ok(()) };
        let bytes = &self.bytes[..self.end];
        while chain.moves > 0 {
            if self.block.len + self.left_out == wanted {
                self.chain = Some(chain);
                return Ok(());
            }
            let start = chain.at / 8;
            if let Err(problem) = self.read_next(bits, &mut chain, bytes, keeps) {
                // Zeros past the end may be no move, either.
                let is_cut_off = chain.at > 8 * bytes.len();
                let (byte, problem) = if is_cut_off { (self.end, RecordProblem::CutOff) } else { (start, problem) };
                return Err(self.error_in_chunk(byte, problem));
            }
        }
        self.at = chain.at.div_ceil(8);
        Ok(())
    }

    /// Reads the next position of a chain, and plays its move.
    #[inline(always)]
    fn read_next(
        &mut self,
        operations: impl BitOperations,
        chain: &mut Chain,
        bytes: &[u8],
        keeps: &impl Fn(&RecordLabels<'_>) -> bool,
    ) -> Result<(), RecordProblem> {
        let Chain { board, outcome, score, moves, at, place } = chain;
        let mut bits = NextBits::new(*at, bytes);
        let read = read_move(operations, board, &mut bits).and_then(|next| Ok((next, bits.score()?)));
        *at = bits.at;
        let (DecodedMove { mv, from, to, piece, becomes }, difference) = read?;
        if *at > 8 * bytes.len() {
            return Err(RecordProblem::CutOff);
        }
        let own = score.wrapping_add(difference);
        let for_white = for_white(board, own);
        let labels = RecordLabels { board, mv, score: for_white, outcome: *outcome, place: *place };
        let is_kept = keeps(&labels);
        if is_kept {
            self.block.put(board, mv, for_white, *outcome);
        }
        let is_legal =
            if mv.kind() == MoveKind::Castling { board.castle(to) } else { board.step_to(piece, from, to, becomes) };
        if !is_legal {
            return Err(RecordProblem::Move(mv));
        }
        self.count(is_kept);
        (*score, *moves, *place) = (own.wrapping_neg(), *moves - 1, *place + 1);
        Ok(())
    }

    #[cold]
    fn error(&self, byte: usize, problem: RecordProblem) -> Error {
        Error { record: self.chunks, byte, problem }
    }

    /// An error after which nothing of the chunk is read.
    #[cold]
    fn error_in_chunk(&mut self, byte: usize, problem: RecordProblem) -> Error {
        self.at = self.end;
        let problem = match self.claimed.take() {
            Some(size) if problem == RecordProblem::CutOff => RecordProblem::Size(size),
            _ => problem,
        };
        self.error(byte, problem)
    }
}

/// The first position of a chain.
struct Stem {
    board: Board,
    mv: Move,
    score: i16,
    outcome: Outcome,
}

fn stem(bytes: &[u8; CHAIN]) -> Result<Stem, RecordProblem> {
    let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let occupied = u64::from_be_bytes(*bytes.first_chunk().expect("eight bytes"));
    if occupied.count_ones() > 32 {
        return Err(RecordProblem::Pieces(occupied.count_ones()));
    }
    let (mut planes, mut rooks, mut pushed, mut is_black_to_move) = ([0; 4], 0, 0, false);
    for (piece, square) in squares(occupied).enumerate() {
        let number = bytes[8 + piece / 2] >> (4 * (piece % 2)) & 0xf;
        let (kind, is_black) = match number {
            12 => {
                pushed |= square;
                (Piece::Pawn, square & rank(3) == 0)
            }
            13 | 14 => {
                rooks |= square;
                (Piece::Rook, number == 14)
            }
            15 => {
                is_black_to_move = true;
                (Piece::King, true)
            }
            _ => (Piece::ALL[usize::from(number / 2)], number & 1 != 0),
        };
        for (bit, plane) in planes[..3].iter_mut().enumerate() {
            *plane |= if (kind as u8 + 1) >> bit & 1 != 0 { square } else { 0 };
        }
        planes[3] |= if is_black { square } else { 0 };
    }
    if !rooks_are_right(planes, rooks) {
        return Err(RecordProblem::Castling);
    }
    // The pawn is of the side that is not to move.
    let (row, behind) = if is_black_to_move { (rank(3), pushed >> 8) } else { (rank(4), pushed << 8) };
    if pushed & !row != 0 || pushed & pushed.wrapping_sub(1) != 0 {
        let square = first(pushed & if pushed & !row != 0 { !row } else { !0 });
        return Err(BoardError::UnknownPiece { square }.into());
    }
    let (count, end) = (word(28) & 0x3fff, word(28) >> 14);
    let number = count / 2 + 1;
    let board = Board::from_parts(planes, is_black_to_move, rooks, behind, word(30), number)?;
    let outcome = match (end, is_black_to_move) {
        (0, _) => Outcome::Draw,
        (1, true) | (2, false) => Outcome::White,
        (1, false) | (2, true) => Outcome::Black,
        (end, _) => return Err(RecordProblem::Outcome(end as u8)),
    };
    let mv = word(24);
    let [from, to] = [8, 2].map(|bit| Square::ALL[usize::from(mv >> bit) % 64]);
    let mv = match mv >> 14 {
        0 => Move::new(from, to, MoveKind::Normal),
        1 => Move::promotion(from, to, PROMOTIONS[usize::from(mv % 4)]),
        2 => Move::new(from, to, MoveKind::Castling),
        _ => Move::new(from, to, MoveKind::EnPassant),
    };
    Ok(Stem { board, mv, score: unzigzag(word(26)), outcome })
}

const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

fn unzigzag(number: u16) -> i16 {
    (number >> 1) as i16 ^ -((number & 1) as i16)
}

/// A score of the side to move, as white sees it.
#[inline(always)]
fn for_white(board: &Board, score: i16) -> i16 {
    if board.black_to_move != 0 { score.saturating_neg() } else { score }
}

/// The next bits of a chain, enough for a move and its score.
struct NextBits {
    /// The next bits, from the top of the word on. Bits past the end are zero.
    word: u64,
    /// Where they are, in bits from the beginning.
    at: usize,
}

impl NextBits {
    /// The next 56 bits and more. A move and its score have at most 30.
    #[inline(always)]
    fn new(at: usize, bytes: &[u8]) -> NextBits {
        let rest = &bytes[(at / 8).min(bytes.len())..];
        let word = rest.first_chunk().map_or_else(|| last_word(rest), |bytes| u64::from_be_bytes(*bytes));
        NextBits { word: word << (at % 8), at }
    }

    /// A number below `count`, which is at least 1. It has as many bits as the largest such number.
    #[inline(always)]
    fn below(&mut self, count: u32) -> Result<u32, RecordProblem> {
        let zeros = u64::from(count - 1).leading_zeros();
        let number = (self.word >> 1 >> (zeros - 1)) as u32;
        self.skip(64 - zeros);
        if number < count { Ok(number) } else { Err(RecordProblem::NoMove) }
    }

    #[inline(always)]
    fn skip(&mut self, bits: u32) {
        self.word <<= bits;
        self.at += bits as usize;
    }

    /// The difference of two scores. There is no branch for each group of bits: half of the scores have two.
    #[inline(always)]
    fn score(&mut self) -> Result<i16, RecordProblem> {
        /// The upper bit of each group of five.
        const MORE: u64 = 1 << 63 | 1 << 58 | 1 << 53 | 1 << 48;
        /// The bits of the number in the first groups, by where the last one begins.
        const NUMBER: [u16; 16] = {
            let mut masks = [0; 16];
            let mut group = 0;
            while group < 4 {
                masks[5 * group] = u16::MAX >> (12 - 4 * group);
                group += 1;
            }
            masks
        };
        let last = !self.word & MORE;
        if last == 0 {
            return Err(RecordProblem::Score);
        }
        let place = last.leading_zeros();
        let group = |at: u32| (self.word >> (59 - 5 * at) & 0xf) << (4 * at);
        let number = (group(0) | group(1) | group(2) | group(3)) as u16 & NUMBER[place as usize % 16];
        self.skip(place + 5);
        Ok(unzigzag(number))
    }
}

/// The last bytes, fewer than eight, as a word.
#[cold]
fn last_word(rest: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(bytes)
}

/// A move that has been read.
struct DecodedMove {
    mv: Move,
    from: u64,
    to: u64,
    piece: PieceBits,
    /// The same piece, or that of a promotion.
    becomes: PieceBits,
}

/// Reads a move, which is legal if that leaves no king attacked.
#[inline(always)]
fn read_move(operations: impl BitOperations, board: &Board, bits: &mut NextBits) -> Result<DecodedMove, RecordProblem> {
    let side = board.black_to_move;
    let own = board.pieces().of(side);
    let from = operations.numbered(own, bits.below(own.count_ones())?);
    let square = first(from);
    let piece = board.piece_bits(square);
    let targets = board.targets(square, piece);
    let count = targets.count_ones();
    // A pawn has as many choices on each of its squares, and a king may castle.
    let promotes = piece.if_pawn() & from & (rank(1) & side | rank(6) & !side) != 0;
    let castling = board.rooks & piece.if_king() & (rank(0) & !side | rank(7) & side);
    if promotes | (castling != 0) {
        return read_rare_move(bits, square, (piece, promotes), (targets, castling));
    }
    if count == 0 {
        return Err(RecordProblem::NoMove);
    }
    let to = operations.numbered(targets, bits.below(count)?);
    let is_en_passant = piece.if_pawn() & to & board.en_passant != 0;
    let mv = Move::new(square, first(to), if is_en_passant { MoveKind::EnPassant } else { MoveKind::Normal });
    Ok(DecodedMove { mv, from, to, piece, becomes: piece })
}

/// Reads the destination of a pawn that is promoted, or of a king that has the right to castle.
#[cold]
fn read_rare_move(
    bits: &mut NextBits,
    square: Square,
    (piece, promotes): (PieceBits, bool),
    (targets, castling): (u64, u64),
) -> Result<DecodedMove, RecordProblem> {
    let nth = |set, number: u32| squares(set).nth(number as usize).ok_or(RecordProblem::NoMove);
    let (from, count) = (square.bitboard(), targets.count_ones());
    let choices = if promotes { 4 * count } else { count + castling.count_ones() };
    if choices == 0 {
        return Err(RecordProblem::NoMove);
    }
    let number = bits.below(choices)?;
    let (mv, to, becomes) = if promotes {
        let (to, becomes) = (nth(targets, number / 4)?, PROMOTIONS[number as usize % 4]);
        (Move::promotion(square, first(to), becomes), to, PieceBits::of(becomes))
    } else if number < count {
        let to = nth(targets, number)?;
        (Move::new(square, first(to), MoveKind::Normal), to, piece)
    } else {
        // The rook on the queen's side comes first, in the order of the squares.
        let rook = nth(castling, number - count)?;
        (Move::new(square, first(rook), MoveKind::Castling), rook, piece)
    };
    Ok(DecodedMove { mv, from, to, piece, becomes })
}

fn zigzag(number: i16) -> u16 {
    (number << 1 ^ number >> 15) as u16
}

/// Writes a chain, for [`write_chunk`]: the first position of a game, its outcome, and its moves with the scores before
/// them, as white sees them. Moves after the first 65,536 begin another chain.
///
/// The number of the first move becomes 8,192 if it is larger, and a score of −32,768 becomes −32,767 where black is to move.
///
/// # Errors
///
/// A move is not legal, or a position with which a chain begins cannot be written, as in [`marlinformat`], or has castling rights
/// that [`drop_rights`] would drop. Nothing is written. [`write_chunk`] has an example.
///
/// [`marlinformat`]: super::marlinformat::write
pub fn write(board: &Board, outcome: Outcome, moves: &[(Move, i16)], out: &mut Vec<u8>) -> Result<(), RecordProblem> {
    let (start, mut board) = (out.len(), board.clone());
    let written = moves.chunks(1 + usize::from(u16::MAX)).try_for_each(|moves| chain(&mut board, outcome, moves, out));
    if written.is_err() {
        out.truncate(start);
    }
    written
}

/// Drops the castling rights that a binpack cannot hold: those of a king that is not on the e-file, or of a rook that is not in a
/// corner. Returns whether there were any.
///
/// ```
/// use slider_attacks_games::{Board, records::binpack};
///
/// let mut board: Board = "1rk2r2/8/8/8/8/8/8/R3K1R1 w GAfb - 0 1".parse()?;
/// assert!(binpack::drop_rights(&mut board));
/// assert_eq!(board.to_string(), "1rk2r2/8/8/8/8/8/8/R3K1R1 w Q - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drop_rights(board: &mut Board) -> bool {
    let others = rights_of_chess960(board);
    board.rooks &= !others;
    others != 0
}

/// The rooks with castling rights that a binpack cannot hold.
fn rights_of_chess960(board: &Board) -> u64 {
    let (kings, black) = (board.pieces().kings(), board.planes[3]);
    let white_corners = if kings & !black & 1 << 4 != 0 { 0x81 } else { 0 };
    let black_corners = if kings & black & 1 << 60 != 0 { 0x81 << 56 } else { 0 };
    board.rooks & !(white_corners | black_corners)
}

/// Writes a chunk of these chains, unless there are none.
///
/// # Panics
///
/// If they take more than 100 MiB.
///
/// # Example
///
/// ```
/// use slider_attacks::Square;
/// use slider_attacks::position::Positions;
/// use slider_attacks_games::records::{TrainingFormat, Labels, Outcome, RecordReader, binpack};
/// use slider_attacks_games::{Board, MoveKind, Move};
///
/// let (e4, e5) = (Move::new(Square::E2, Square::E4, MoveKind::Normal), Move::new(Square::E7, Square::E5, MoveKind::Normal));
/// let (mut chains, mut bytes) = (Vec::new(), Vec::new());
/// binpack::write(&Board::INITIAL, Outcome::Draw, &[(e4, 30), (e5, 25)], &mut chains)?;
/// binpack::write_chunk(&chains, &mut bytes);
///
/// let (mut positions, mut labels) = (Positions::new(), Labels::default());
/// assert_eq!(RecordReader::new(TrainingFormat::Binpack, &bytes).read(10, &mut positions, &mut labels)?, 2);
/// assert_eq!((labels.moves, labels.scores), (vec![e4, e5], vec![30, 25]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_chunk(chains: &[u8], out: &mut Vec<u8>) {
    if chains.is_empty() {
        return;
    }
    let size = u32::try_from(chains.len()).ok().filter(|&size| size <= MOST).expect("a chunk has at most 100 MiB");
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&size.to_le_bytes());
    out.extend_from_slice(chains);
}

/// Writes a chain of at least one move, and plays its moves.
fn chain(board: &mut Board, outcome: Outcome, moves: &[(Move, i16)], out: &mut Vec<u8>) -> Result<(), RecordProblem> {
    let Some((&(first, score), rest)) = moves.split_first() else { return Ok(()) };
    let mut last = for_white(board, score);
    out.extend_from_slice(&stem_of(board, first, last, outcome)?);
    out.extend_from_slice(&(rest.len() as u16).to_be_bytes());
    if !board.replay(first) {
        return Err(RecordProblem::Move(first));
    }
    let mut bits = BitWriter { out, word: 0, count: 0 };
    for &(mv, score) in rest {
        let before = board.clone();
        if !board.replay(mv) {
            return Err(RecordProblem::Move(mv));
        }
        write_move(&before, mv, &mut bits);
        let own = for_white(&before, score);
        bits.score(own.wrapping_add(last));
        last = own;
    }
    bits.finish();
    Ok(())
}

/// The first position of a chain, its move, and its score as the side to move sees it.
fn stem_of(board: &Board, mv: Move, score: i16, outcome: Outcome) -> Result<[u8; STEM], RecordProblem> {
    let (planes, side) = (board.planes, board.black_to_move);
    if !rooks_are_right(planes, board.rooks) {
        return Err(RecordProblem::Castling);
    }
    if rights_of_chess960(board) != 0 {
        return Err(RecordProblem::Chess960);
    }
    let pushed = if side != 0 { board.en_passant << 8 } else { board.en_passant >> 8 };
    let bit = |plane: usize, square| u8::from(planes[plane] & square != 0) << plane;
    let mut record = pack(board.pieces().occupied(), |square| {
        let (code, black) = (bit(0, square) | bit(1, square) | bit(2, square), bit(3, square) >> 3);
        match code {
            _ if pushed & square != 0 => 12,
            _ if board.rooks & square != 0 => 13 + black,
            KING_CODE if black != 0 && side != 0 => 15,
            code => 2 * (code - 1) + black,
        }
    })?;
    record[..8].reverse();
    let kind = match mv.kind() {
        MoveKind::Normal => 0,
        MoveKind::Promotion => 1,
        MoveKind::Castling => 2,
        MoveKind::EnPassant => 3,
    };
    let becomes = if mv.kind() == MoveKind::Promotion { mv.bits() >> 12 & 3 } else { 0 };
    let mv = kind << 14 | u16::from(mv.start().index()) << 8 | u16::from(mv.target().index()) << 2 | becomes;
    let count = (2 * u32::from(board.number.max(1) - 1) + u32::from(side != 0)).min(0x3fff) as u16;
    let end = match (outcome, side != 0) {
        (Outcome::Draw, _) => 0,
        (Outcome::White, false) | (Outcome::Black, true) => zigzag(1),
        _ => zigzag(-1),
    };
    for (at, word) in [(24, mv), (26, zigzag(score)), (28, count | end << 14), (30, board.halfmoves)] {
        record[at..at + 2].copy_from_slice(&word.to_be_bytes());
    }
    Ok(record)
}

/// Writes bits, the upper ones of a byte first.
struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// The bits that make no byte yet, at the bottom, and how many there are.
    word: u64,
    count: u32,
}

impl BitWriter<'_> {
    #[inline(always)]
    fn put(&mut self, number: u32, bits: u32) {
        self.word = self.word << bits | u64::from(number);
        self.count += bits;
        if self.count >= 32 {
            self.count -= 32;
            self.out.extend_from_slice(&((self.word >> self.count) as u32).to_be_bytes());
        }
    }

    /// Writes a number below `count`.
    #[inline(always)]
    fn below(&mut self, number: u32, count: u32) {
        self.put(number, 32 - (count - 1).leading_zeros());
    }

    /// Writes the difference of two scores.
    #[inline(always)]
    fn score(&mut self, difference: i16) {
        let mut rest = u32::from(zigzag(difference));
        while rest > 15 {
            self.put(16 | rest & 15, 5);
            rest >>= 4;
        }
        self.put(rest, 5);
    }

    /// Writes zeros up to the end of a byte.
    fn finish(self) {
        let bytes = (self.word << (32 - self.count)) as u32;
        self.out.extend_from_slice(&bytes.to_be_bytes()[..self.count.div_ceil(8) as usize]);
    }
}

/// Writes a legal move, as [`read_move`] reads it.
#[inline(always)]
fn write_move(board: &Board, mv: Move, bits: &mut BitWriter<'_>) {
    let side = board.black_to_move;
    let (from, to) = (mv.start().bitboard(), mv.target().bitboard());
    let below = |set: u64, square: u64| (set & (square - 1)).count_ones();
    let own = board.pieces().of(side);
    bits.below(below(own, from), own.count_ones());
    let piece = board.piece_bits(mv.start());
    let targets = board.targets(mv.start(), piece);
    let count = targets.count_ones();
    let castling = board.rooks & piece.if_king() & if side == 0 { rank(0) } else { rank(7) };
    match mv.kind() {
        MoveKind::Promotion => bits.below(4 * below(targets, to) + u32::from(mv.bits() >> 12 & 3), 4 * count),
        MoveKind::Castling => bits.below(count + below(castling, to), count + castling.count_ones()),
        _ => bits.below(below(targets, to), count + castling.count_ones()),
    }
}
