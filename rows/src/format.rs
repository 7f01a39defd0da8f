//! The formats in which rows and positions are written.

/// The formats of rows that are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// Comma-separated values. The header is up to the caller.
    Csv,
    /// One JSON object per line.
    Jsonl,
}

/// What the rows of a block become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Text.
    Text(TextFormat),
    /// Columns for Arrow arrays, in Parquet files or in streams.
    Arrow,
    /// Columns of numbers, for NumPy arrays.
    Npy,
}

/// The formats of positions that `convert` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// A line of FEN per position, with six fields.
    Fen,
    /// A line of EPD per position: four fields, and what is known as `c9`, `ce`, `fmvn` and `hmvc`.
    Epd,
    /// A line per position: FEN | score | result.
    Text,
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// A Parquet file, compressed with zstd.
    Parquet,
    /// 32 bytes per position: pieces, score and result as the side to move sees them.
    Bulletformat,
    /// 32 bytes per position, with castling, en passant and counters.
    Marlinformat,
    /// Games: the first position, and 4 bytes per move.
    Viriformat,
    /// Games, in chunks as Stockfish's tools have them.
    Binpack,
}

impl RecordFormat {
    /// All formats: the name of each, and what it is.
    pub const ALL: [(RecordFormat, &str, &str); 10] = [
        (RecordFormat::Fen, "fen", "A line of FEN per position, with six fields"),
        (
            RecordFormat::Epd,
            "epd",
            "A line of EPD per position: four fields, and what is known as c9, ce, fmvn and hmvc",
        ),
        (RecordFormat::Text, "text", "A line per position: FEN | score | result"),
        (RecordFormat::Csv, "csv", "Comma-separated values with a header"),
        (RecordFormat::Jsonl, "jsonl", "One JSON object per line"),
        (RecordFormat::Parquet, "parquet", "A Parquet file, compressed with zstd"),
        (
            RecordFormat::Bulletformat,
            "bulletformat",
            "32 bytes per position: pieces, score and result as the side to move sees them",
        ),
        (RecordFormat::Marlinformat, "marlinformat", "32 bytes per position, with castling, en passant and counters"),
        (RecordFormat::Viriformat, "viriformat", "Games: the first position, and 4 bytes per move"),
        (RecordFormat::Binpack, "binpack", "Games, in chunks as Stockfish's tools have them"),
    ];
}
