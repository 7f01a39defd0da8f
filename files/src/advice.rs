//! Advice in messages, in the terms of the program.

use slider_attacks_formats::error::{OpenError, Purpose, listed, printable, quoted};

/// Advice for inputs with unexpected content, in the terms of the caller.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The option that selects the column with the positions.
    pub column: &'static str,
    /// Advice if JSON lines cannot keep all fields.
    pub all_fields: &'static str,
    /// The options that select games and positions.
    pub games: &'static str,
    /// The option with conditions on tags.
    pub conditions: &'static str,
    /// The option for the positions after the first move.
    pub first_move: &'static str,
    /// The option that leaves out malformed records.
    pub skip: &'static str,
    /// Advice for zstd windows that are too large.
    pub long_window: &'static str,
}

impl Advice {
    /// The message about an input that cannot be opened.
    pub fn message(&self, error: &OpenError) -> String {
        match error {
            OpenError::NoColumn { purpose: Purpose::Positions, .. } => {
                format!("{error} ({} selects another)", self.column)
            }
            OpenError::NoColumn { input, column, purpose: Purpose::FirstMoves, columns } => {
                let [input, column, names] = [printable(input), quoted(column), listed(columns)];
                format!("{input} has no column {column} for {}; its columns are {names}", self.first_move)
            }
            OpenError::NoFixedColumns { .. } => format!("{error}: {}", self.all_fields),
            OpenError::NoGames { .. } => {
                format!("{error}: {} are for PGN, and for a column of games, such as movetext or pgn", self.games)
            }
            OpenError::NoMoves { .. } => {
                format!("{error}: {} is for CSV, JSON lines and Parquet", self.first_move)
            }
            OpenError::FirstMovesOfGames { .. } => format!("{error}, and {} is for positions", self.first_move),
            OpenError::NoTags { input, column } => {
                let (input, column) = (printable(input), quoted(column));
                format!("{input}: {} compares tags of PGN, and column {column} is none", self.conditions)
            }
            _ => error.to_string(),
        }
    }

    /// The words of calls in Python.
    pub fn of_calls() -> Advice {
        Advice {
            column: "`column`",
            all_fields: "name the columns to keep",
            games: "`games`, `games_where`, `variations`, `from_ply`, `to_ply` and `every`",
            conditions: "`games`",
            first_move: "`after_first_move`",
            skip: "`on_error=\"skip\"`",
            long_window: "`zstd -d --long=31 FILE`",
        }
    }

    /// The words of table functions in SQL.
    pub fn of_sql() -> Advice {
        Advice {
            column: "`column_name`",
            all_fields: "name the columns in `keep`",
            skip: "`on_error := 'skip'`",
            ..Advice::of_calls()
        }
    }
}

impl Default for Advice {
    fn default() -> Advice {
        Advice {
            column: "`analyze --column`",
            all_fields: "name the columns to keep, or use --format jsonl",
            games: "--games, --games-where, --variations, --from-ply, --to-ply and --every",
            conditions: "--games",
            first_move: "--after-first-move",
            skip: "--on-error skip",
            long_window: "`zstd -dc --long=31 FILE | slider-attacks … -`",
        }
    }
}
