//! The format of a file, and the offsets where reading can start.

use std::sync::Arc;

use memchr::memmem;
use slider_attacks_formats::content::BlockStart;
use slider_attacks_formats::cut::{Contents, Cutter};
use slider_attacks_formats::error::{Malformed, OpenError};
use slider_attacks_formats::format::{FORMATS, find};
use slider_attacks_formats::request::{ConditionColumn, OptionalColumns, Wanted};
use slider_attacks_formats::source::CutMethod;
use slider_attacks_formats::training::BinpackChunks;
use slider_attacks_formats::training::chunks::{ChunkPlace, ChunkState};
use slider_attacks_formats::warnings::Warnings;
use slider_attacks_formats::{Beginning, Source};

/// The columns that the list shows of games of PGN: tags, and what is known of each position.
pub const GAME_COLUMNS: [&str; 11] =
    ["White", "Black", "Result", "Event", "Date", "san", "uci", "fullmove", "eval", "mate", "clk"];
/// How many of them are tags.
pub const TAGS: usize = 5;
/// The columns that it shows of records of engines.
const RECORD_COLUMNS: [&str; 2] = ["score", "result"];

/// The format of a file.
pub struct FileFormat {
    /// Its name.
    pub name: &'static str,
    /// What reads positions alone.
    pub positions: Box<dyn Source>,
    /// What reads positions with the columns that the list shows.
    pub rows: Box<dyn Source>,
    /// What reads positions with the columns that a condition and groups need.
    pub scanned: Box<dyn Source>,
    /// The warnings about names of that.
    pub warnings: Arc<Warnings>,
    blocks: CutMethod,
}

/// The bytes of a file, on their way to be parsed.
pub enum Units {
    /// They are cut.
    Cut(Contents),
    /// They are chunks of a binpack.
    Chunks(Box<BinpackChunks>),
}

impl FileFormat {
    /// The format of a file that begins so, the bytes after those that are passed over, and their place, as far as lines tell it.
    /// A condition on its rows needs these columns, and groups need that one, if there is one.
    ///
    /// # Errors
    ///
    /// More bytes are needed, or the file cannot be read.
    pub fn find(
        beginning: &mut Beginning,
        condition_columns: Vec<ConditionColumn>,
        group_column: Option<&str>,
    ) -> Result<(FileFormat, Vec<u8>, BlockStart), OpenError> {
        // Moves are often pasted without tags. Records may begin with any bytes.
        let is_named = |extension| FORMATS.iter().any(|format| format.extensions.contains(&extension));
        let is_move = |line: &[u8]| {
            line.starts_with(b"1.")
                || line.starts_with(b"%")
                || line.starts_with(b"{") && memmem::find(line, b"\":").is_none()
        };
        if !beginning.extension().is_some_and(is_named) && beginning.any_first_line().is_ok_and(is_move) {
            beginning.set_extension(Some("pgn".to_owned()));
        }
        let mut wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
        let (name, opened) = find(FORMATS, beginning, &wanted)?;
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        wanted.optional_columns =
            OptionalColumns { games: names(&GAME_COLUMNS), records: names(&RECORD_COLUMNS), rows: Vec::new() };
        let (_, with_columns) = find(FORMATS, beginning, &wanted)?;
        let column = || group_column.map(str::to_owned).into_iter().collect();
        let optional_columns = OptionalColumns { games: column(), records: column(), rows: column() };
        let of_scan = Wanted { column: "fen".to_owned(), condition_columns, optional_columns, ..Wanted::default() };
        let (_, scanned) = find(FORMATS, beginning, &of_scan)?;
        let line = opened.passed.line;
        let number = if opened.source.counts().has_lines { 1 } else { line };
        let rest = beginning.take_rest(opened.passed);
        let format = FileFormat {
            name,
            positions: opened.source,
            rows: with_columns.source,
            scanned: scanned.source,
            warnings: of_scan.warnings,
            blocks: opened.blocks,
        };
        Ok((format, rest, BlockStart { number, line, column: 0, byte: 0 }))
    }

    /// Whether it has games whose moves are text.
    pub fn has_games(&self) -> bool {
        self.positions.has_games()
    }

    /// What to say about something malformed, as the command does after the name of the file.
    pub fn message(&self, Malformed { number, what, .. }: &Malformed) -> String {
        format!("{} {number}, {what}", self.positions.unit())
    }

    /// Units that begin here.
    pub fn units(&self, start: BlockStart) -> Units {
        match &self.blocks {
            CutMethod::Cut(cut) => Units::Cut(Contents::new(Cutter::new(cut.again(), self.positions.counts()), start)),
            CutMethod::Chunks(chunks) => Units::Chunks(Box::new(chunks.again(chunks.place()))),
        }
    }

    /// Units that begin at a [`FilePlace`]. There are some for any numbers.
    pub fn units_at(&self, [number, kind, left]: [u32; 3]) -> Units {
        match &self.blocks {
            CutMethod::Cut(_) => {
                let (number, line) = (number.max(1).into(), kind.max(1).into());
                self.units(BlockStart { number, line, column: left as usize, byte: 0 })
            }
            CutMethod::Chunks(chunks) => {
                let left = left as usize;
                let state = match kind {
                    0 => ChunkState::Header,
                    1 => ChunkState::Pass(left),
                    2 => ChunkState::ToMagic,
                    size => ChunkState::Chains { size: size - CHAINS, left },
                };
                Units::Chunks(Box::new(chunks.again(ChunkPlace { byte: 0, number: number.into(), state })))
            }
        }
    }
}

/// The kinds of places in a binpack are 0, 1 and 2, and from this number on the sizes that chunks claim.
const CHAINS: u32 = 3;

/// A place from which on units can be read: how many bytes are before it; how many bytes had been looked at when those before it were
/// handed over, as a chain of a binpack may end before that is certain; and numbers for [`FileFormat::units_at`].
pub type FilePlace = (u64, u64, [u64; 3]);

/// The place where text begins, or records.
pub fn mark(BlockStart { number, line, column, byte }: BlockStart) -> FilePlace {
    (byte, byte, [number, line, column as u64])
}

/// A position in a binpack after this many pushed bytes.
pub fn mark_in_chunks(ChunkPlace { byte, number, state }: ChunkPlace, pushed: u64) -> FilePlace {
    let (kind, left) = match state {
        ChunkState::Header => (0, 0),
        ChunkState::Pass(left) => (1, left),
        ChunkState::ToMagic => (2, 0),
        ChunkState::Chains { size, left } => (CHAINS + size, left),
    };
    (byte, pushed, [number, kind.into(), left as u64])
}
