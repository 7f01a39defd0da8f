//! The output formats of rows, sums and positions.

/// The formats of rows that are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    /// Comma-separated values. The header is up to the caller.
    Csv,
    /// CSV for spreadsheets, in which no text is a formula.
    SafeCsv,
    /// One JSON object per line.
    Jsonl,
}

impl TextFormat {
    /// Comma-separated values, in which texts that begin like formulas are kept as they are, or made safe for spreadsheets.
    pub fn csv(is_safe: bool) -> TextFormat {
        if is_safe { TextFormat::SafeCsv } else { TextFormat::Csv }
    }
}

/// The output format of the rows of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Text.
    Text(TextFormat),
    /// Columns for Arrow arrays, in Parquet files or in streams.
    Arrow,
    /// Columns of numbers, for NumPy arrays.
    Npy,
}

/// A line of the list of the formats of an output: the format, its name, what it is, and the extensions of its files.
pub type ListedFormat<T> = (T, &'static str, &'static str, &'static [&'static str]);

/// The formats of an output. What each is, is its documentation, and part of the help of a program.
macro_rules! formats {
    ($(#[$attribute:meta])* $type:ident { $($variant:ident, $name:literal, $meaning:literal, $extensions:expr;)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $(#[doc = $meaning] $variant),+
        }

        impl $type {
            /// All formats.
            pub const ALL: &[ListedFormat<$type>] = &[$(($type::$variant, $name, $meaning, &$extensions)),+];

            /// The format of files with this extension.
            pub fn of_extension(extension: &str) -> Option<$type> {
                Self::ALL.iter().find(|(.., extensions)| extensions.contains(&extension)).map(|(format, ..)| *format)
            }
        }
    };
}

formats! {
    /// The formats of rows of products.
    TableFormat {
        Csv, "csv", "Comma-separated values with a header", ["csv"];
        Jsonl, "jsonl", "One JSON object per line", ["jsonl", "ndjson", "json"];
        Parquet, "parquet", "A Parquet file, compressed with zstd", ["parquet"];
        Npy, "npy", "A directory of NumPy arrays, one per column", [];
    }
}

formats! {
    /// The formats of sums.
    SummaryFormat {
        Table, "table", "Aligned columns, a table per group", ["txt"];
        Csv, "csv", "Comma-separated values with a header", ["csv"];
        Jsonl, "jsonl", "One JSON object per line", ["jsonl", "ndjson", "json"];
        Parquet, "parquet", "A Parquet file, compressed with zstd", ["parquet"];
        Npy, "npy", "A directory of NumPy arrays", [];
        Svg, "svg", "Drawn boards on one colour scale", ["svg"];
        Html, "html", "A page of boards that show their numbers", ["html", "htm"];
    }
}

formats! {
    /// The formats of positions that `convert` writes.
    RecordFormat {
        Fen, "fen", "A line of FEN per position, with six fields", ["fen"];
        Epd, "epd", "A line of EPD per position: four fields, and the known ones of c9, ce, fmvn and hmvc", ["epd"];
        Text, "text", "A line per position: FEN | score | result", [];
        Csv, "csv", "Comma-separated values with a header", ["csv"];
        Jsonl, "jsonl", "One JSON object per line", ["jsonl", "ndjson", "json"];
        Parquet, "parquet", "A Parquet file, compressed with zstd", ["parquet"];
        Bulletformat, "bulletformat", "32 bytes per position: pieces, score and result from the view of the side to move",
            ["bulletformat"];
        Marlinformat, "marlinformat", "32 bytes per position, with castling, en passant and counters", ["marlinformat"];
        Viriformat, "viriformat", "Games: the first position, and 4 bytes per move", ["viriformat", "vf"];
        Binpack, "binpack", "Games, in chunks, as written by Stockfish's tools", ["binpack"];
    }
}

formats! {
    /// The formats of rows of single sliders.
    SliderFormat {
        Table, "table", "Aligned columns with a header", [];
        Csv, "csv", "Comma-separated values with a header", [];
        Jsonl, "jsonl", "One JSON object per line", [];
        Board, "board", "The occupancy and the attack set drawn as boards", [];
    }
}

impl RecordFormat {
    /// Whether it stores games, and not single positions.
    pub fn has_games(self) -> bool {
        matches!(self, RecordFormat::Viriformat | RecordFormat::Binpack)
    }

    /// Whether it stores positions as FEN.
    pub fn has_fens(self) -> bool {
        !self.has_games() && !matches!(self, RecordFormat::Bulletformat | RecordFormat::Marlinformat)
    }

    /// Whether it stores the move that was played from each position.
    pub fn has_moves(self) -> bool {
        self.has_games() || matches!(self, RecordFormat::Csv | RecordFormat::Jsonl | RecordFormat::Parquet)
    }
}

impl TableFormat {
    /// The rows of this format; `csv_safe` makes CSV safe for spreadsheets.
    pub fn rows(self, csv_safe: bool) -> RowFormat {
        match self {
            TableFormat::Csv => RowFormat::Text(TextFormat::csv(csv_safe)),
            TableFormat::Jsonl => RowFormat::Text(TextFormat::Jsonl),
            TableFormat::Parquet => RowFormat::Arrow,
            TableFormat::Npy => RowFormat::Npy,
        }
    }
}
