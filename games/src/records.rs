//! Training records of engines: positions for training neural networks, in the formats of common tools.
//!
//! | format | one record is | in addition to the pieces, it has |
//! |---|---|---|
//! | [`bulletformat`] | a position, 32 bytes | score, outcome |
//! | [`marlinformat`] | a position, 32 bytes | score, outcome, side to move, castling, en passant, both counters |
//! | [`viriformat`] | a game: its first position, and 4 bytes for each move | all that, and the moves |
//! | [`binpack`] | a chunk of games, about 20 bits for each move | all that, and the moves |
//!
//! A [`RecordReader`] decodes bytes into [`Positions`] and matching [`Labels`]. The module of each format has functions
//! that write it.
//!
//! ```
//! use slider_attacks::position::Positions;
//! use slider_attacks_games::records::{Labels, Outcome, RecordReader, TrainingFormat, marlinformat};
//!
//! let board = "4k3/8/8/8/8/8/8/R3K3 b Q - 3 40".parse()?;
//! let mut bytes = Vec::new();
//! marlinformat::write(&board, 512, Outcome::White, &mut bytes)?;
//! bytes.extend([0; 32]); // not a position
//!
//! let (mut positions, mut labels) = (Positions::new(), Labels::default());
//! let mut reader = RecordReader::new(TrainingFormat::Marlinformat, &bytes);
//! loop {
//!     match reader.read(1 << 16, &mut positions, &mut labels) {
//!         Ok(0) => break,
//!         Ok(_) => {}
//!         Err(error) => assert_eq!(error.to_string(), "record 2, byte 32: expected one white king, found 0"),
//!     }
//! }
//! assert_eq!(positions.fen(0), "4k3/8/8/8/8/8/8/R3K3 b Q -");
//! assert_eq!((&labels.scores[..], &labels.outcomes[..]), (&[512][..], &[Outcome::White][..]));
//! assert_eq!((&labels.halfmoves[..], &labels.numbers[..]), (&[3][..], &[40][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::fmt;

use slider_attacks::position::{BoardError, Color, Positions};

use crate::{Board, Move, MoveKind};

pub mod binpack;
pub mod bulletformat;
pub mod marlinformat;
pub mod viriformat;

mod block;
mod fixed;

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrainingFormat {
    /// [`bulletformat`].
    Bulletformat,
    /// [`marlinformat`].
    Marlinformat,
    /// [`viriformat`].
    Viriformat,
    /// [`binpack`].
    Binpack,
}

impl TrainingFormat {
    /// All formats.
    pub const ALL: [TrainingFormat; 4] = [
        TrainingFormat::Bulletformat,
        TrainingFormat::Marlinformat,
        TrainingFormat::Viriformat,
        TrainingFormat::Binpack,
    ];

    /// The name, which is that of its module.
    ///
    /// ```
    /// use slider_attacks_games::records::TrainingFormat;
    ///
    /// assert_eq!(TrainingFormat::ALL.map(TrainingFormat::name)[3], "binpack");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            TrainingFormat::Bulletformat => "bulletformat",
            TrainingFormat::Marlinformat => "marlinformat",
            TrainingFormat::Viriformat => "viriformat",
            TrainingFormat::Binpack => "binpack",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// Black won.
    Black,
    /// A draw.
    Draw,
    /// White won.
    White,
}

impl Outcome {
    /// The outcome with this number: 0 black, 1 draw, 2 white.
    #[inline(always)]
    pub(crate) fn of(number: u8) -> Option<Outcome> {
        Outcome::ALL.get(usize::from(number)).copied()
    }

    /// All outcomes, in the order of their numbers.
    pub const ALL: [Outcome; 3] = [Outcome::Black, Outcome::Draw, Outcome::White];

    /// The result as PGN has it.
    ///
    /// ```
    /// use slider_attacks_games::records::Outcome;
    ///
    /// assert_eq!(Outcome::ALL.map(Outcome::name), ["0-1", "1/2-1/2", "1-0"]);
    /// assert_eq!(Outcome::White.swapped(), Outcome::Black);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Black => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::White => "1-0",
        }
    }

    /// The same for a game with the colours swapped.
    pub const fn swapped(self) -> Outcome {
        match self {
            Outcome::Black => Outcome::White,
            Outcome::Draw => Outcome::Draw,
            Outcome::White => Outcome::Black,
        }
    }
}

/// The fields of records that [`Positions`] do not hold. Index *i* is position *i*, in each array that the format has
/// values for. The others stay empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The scores as white sees them, in the unit of the engine that wrote them: centipawns, as a rule.
    pub scores: Vec<i16>,
    /// How the games ended.
    pub outcomes: Vec<Outcome>,
    /// Half moves since the last capture or pawn move. Not in bulletformat.
    pub halfmoves: Vec<u16>,
    /// The move number, as in FEN. Not in bulletformat.
    pub numbers: Vec<u16>,
    /// The move that was played. In viriformat and binpack.
    pub moves: Vec<Move>,
}

impl Labels {
    /// The values of some rows.
    ///
    /// # Panics
    ///
    /// If an array has values, but not for all of these rows.
    #[must_use]
    pub fn in_rows(&self, rows: &[u32]) -> Labels {
        fn some<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
            if values.is_empty() { Vec::new() } else { rows.iter().map(|&row| values[row as usize]).collect() }
        }
        Labels {
            scores: some(&self.scores, rows),
            outcomes: some(&self.outcomes, rows),
            halfmoves: some(&self.halfmoves, rows),
            numbers: some(&self.numbers, rows),
            moves: some(&self.moves, rows),
        }
    }

    /// Removes all values and keeps the memory.
    pub fn clear(&mut self) {
        let Labels { scores, outcomes, halfmoves, numbers, moves } = self;
        scores.clear();
        outcomes.clear();
        halfmoves.clear();
        numbers.clear();
        moves.clear();
    }
}

/// What a record says of its position, by which it can be left out before a [position](Positions) is made of it.
#[derive(Clone, Copy, Debug)]
pub struct RecordLabels<'a> {
    /// The position, as it is on the way to the next one.
    pub board: &'a Board,
    /// The move that was played.
    pub mv: Move,
    /// The score, as white sees it.
    pub score: i16,
    /// How the game ended.
    pub outcome: Outcome,
    /// In a binpack, a number that no other record of the same bytes has: the byte where its chain begins, times 65,536, and how many
    /// records of the chain are before it. In other formats 0.
    pub place: u64,
}

impl RecordLabels<'_> {
    /// The number of half moves before the position, as the number of the move says it.
    #[inline]
    pub fn ply(&self) -> u32 {
        ply(self.board.fullmove_number(), self.board.side_to_move())
    }

    /// Whether the move captures.
    #[inline]
    pub fn captures(&self) -> bool {
        match self.mv.kind() {
            MoveKind::EnPassant => true,
            MoveKind::Castling => false,
            _ => self.board.pieces().occupied() & self.mv.target().bitboard() != 0,
        }
    }
}

/// The number of half moves before a position. Move numbers begin with 1; 0 counts as 1.
///
/// ```
/// use slider_attacks::position::Color;
/// use slider_attacks_games::records::ply;
///
/// assert_eq!((ply(1, Color::White), ply(1, Color::Black), ply(30, Color::White)), (0, 1, 58));
/// ```
#[inline]
pub fn ply(number: u16, side_to_move: Color) -> u32 {
    2 * u32::from(number.saturating_sub(1)) + u32::from(side_to_move == Color::Black)
}

/// How many records were read, and how many of them gave a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// All of them.
    pub records: usize,
    /// Those that were not left out.
    pub kept: usize,
}

/// Reads the positions of records.
///
/// Memory is allocated only for positions and labels. Time is linear in the number of bytes.
#[derive(Clone, Debug)]
pub struct RecordReader<'a>(FormatReader<'a>);

#[derive(Clone, Debug)]
enum FormatReader<'a> {
    Bulletformat(fixed::FixedReader<'a, bulletformat::BulletformatRecord>),
    Marlinformat(fixed::FixedReader<'a, marlinformat::MarlinformatRecord>),
    Viriformat(viriformat::ViriformatReader<'a>),
    Binpack(binpack::BinpackReader<'a>),
}

impl<'a> RecordReader<'a> {
    /// A reader of all these bytes.
    pub fn new(format: TrainingFormat, bytes: &'a [u8]) -> RecordReader<'a> {
        RecordReader(match format {
            TrainingFormat::Bulletformat => FormatReader::Bulletformat(fixed::FixedReader::new(bytes)),
            TrainingFormat::Marlinformat => FormatReader::Marlinformat(fixed::FixedReader::new(bytes)),
            TrainingFormat::Viriformat => FormatReader::Viriformat(viriformat::ViriformatReader::new(bytes)),
            TrainingFormat::Binpack => FormatReader::Binpack(binpack::BinpackReader::new(bytes)),
        })
    }

    /// Reads at most so many `records` of viriformat, and adds the positions for which `keeps` holds, at most `most`. Of the others, no
    /// position is made. Records of other formats are read by [`read`](RecordReader::read), and all of them are kept.
    ///
    /// # Errors
    ///
    /// Those of [`read`](RecordReader::read). The counts are those before the error.
    pub fn read_if(
        &mut self,
        records: usize,
        most: usize,
        keeps: impl Fn(&RecordLabels<'_>) -> bool,
        positions: &mut Positions,
        labels: &mut Labels,
    ) -> (Result<(), Error>, ReadCounts) {
        if let FormatReader::Viriformat(reader) = &mut self.0 {
            return reader.read_if(records, most, keeps, positions, labels);
        }
        let before = positions.len();
        let read = self.read(records.min(most), positions, labels).map(drop);
        let kept = positions.len() - before;
        (read, ReadCounts { records: kept, kept })
    }

    /// Adds the next positions, at most `most`. Returns how many there were: none at the end, or if `most` is 0.
    ///
    /// # Errors
    ///
    /// A record is wrong. The positions before it have been added, including those of the same game. The next call
    /// continues after it: with the next position, game or chunk. The [module](self) has an example.
    pub fn read(&mut self, most: usize, positions: &mut Positions, labels: &mut Labels) -> Result<usize, Error> {
        match &mut self.0 {
            FormatReader::Bulletformat(reader) => reader.read(most, positions, labels),
            FormatReader::Marlinformat(reader) => reader.read(most, positions, labels),
            FormatReader::Viriformat(reader) => reader.read(most, positions, labels),
            FormatReader::Binpack(reader) => reader.read(most, positions, labels),
        }
    }
}

/// A wrong record: its place, and the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The number of the record, from 1: of the position, of the game in viriformat, of the chunk in a binpack.
    pub record: u64,
    /// The place in the bytes, from 0.
    pub byte: usize,
    /// The problem.
    pub problem: RecordProblem,
}

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordProblem {
    /// The bytes end within the record.
    CutOff,
    /// There are more than 32 pieces.
    Pieces(u32),
    /// The pieces do not form a position.
    Board(BoardError),
    /// A rook that may castle or its king is not on the first rank of its side, or two such rooks are on the same side
    /// of the king.
    Castling,
    /// Binpack: a castling right other than that of a king on the e-file with a rook in a corner. Other readers would
    /// misread it.
    Chess960,
    /// The side to move cannot capture on the en passant square.
    EnPassant(u8),
    /// Bulletformat: the squares of the kings are not those of the pieces.
    Kings,
    /// The number is not that of an outcome.
    Outcome(u8),
    /// A move is not legal.
    Move(Move),
    /// Binpack: the number is not that of a move.
    NoMove,
    /// Binpack: the score has more than 16 bits.
    Score,
    /// Binpack: there is no chunk where one should begin.
    Chunk,
    /// Binpack: the size of a chunk exceeds the bytes that follow, or 100 MiB.
    Size(u32),
}

impl From<BoardError> for RecordProblem {
    fn from(error: BoardError) -> RecordProblem {
        RecordProblem::Board(error)
    }
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordProblem::CutOff => write!(f, "expected more bytes, found the end"),
            RecordProblem::Pieces(pieces) => write!(f, "expected at most 32 pieces, found {pieces}"),
            RecordProblem::Board(error) => error.fmt(f),
            RecordProblem::Castling => {
                write!(f, "expected rooks that may castle on both sides of their king, on its first rank")
            }
            RecordProblem::Chess960 => {
                write!(f, "expected kings on the e-file and rooks in the corners where they may castle")
            }
            RecordProblem::EnPassant(square) => write!(f, "expected an en passant square or 64, found {square}"),
            RecordProblem::Kings => write!(f, "expected the squares of the kings"),
            RecordProblem::Outcome(outcome) => write!(f, "expected 0, 1 or 2 as the outcome, found {outcome}"),
            RecordProblem::Move(mv) => write!(f, "expected a legal move, found {mv}"),
            RecordProblem::NoMove => write!(f, "expected the number of a move, found a larger one"),
            RecordProblem::Score => write!(f, "expected a score of 16 bits, found more"),
            RecordProblem::Chunk => write!(f, "expected a chunk, which begins with BINP"),
            RecordProblem::Size(size) => {
                write!(f, "expected a chunk that fits in the bytes and in 100 MiB, found {size} bytes")
            }
        }
    }
}

impl core::error::Error for RecordProblem {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}, byte {}: {}", self.record, self.byte, self.problem)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.problem)
    }
}

/// Writes the beginning of a record: the occupancy and the numbers of the pieces.
///
/// # Errors
///
/// There are more than 32 pieces.
fn pack(occupied: u64, mut number: impl FnMut(u64) -> u8) -> Result<[u8; 32], RecordProblem> {
    let count = occupied.count_ones();
    if count > 32 {
        return Err(RecordProblem::Pieces(count));
    }
    let mut record = [0; 32];
    record[..8].copy_from_slice(&occupied.to_le_bytes());
    for (piece, square) in squares(occupied).enumerate() {
        record[8 + piece / 2] |= number(square) << (4 * (piece % 2));
    }
    Ok(record)
}

/// The squares of a board, as boards of one square.
fn squares(mut board: u64) -> impl Iterator<Item = u64> {
    core::iter::from_fn(move || {
        let square = board & board.wrapping_neg();
        board ^= square;
        (square != 0).then_some(square)
    })
}
