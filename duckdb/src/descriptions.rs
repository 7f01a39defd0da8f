//! `slider_attacks_functions()`: what each function takes, gives and does with nulls. DuckDB's interface for extensions has no
//! place for it in `duckdb_functions()`.

use anyhow::Result;
use slider_attacks_arrow::Product;

use crate::options::NAME as OPTIONS_NAME;
use crate::register::{Connection, FunctionCall, TableFunction, chunk_rows, prefixed, table};
use crate::types::{PlainType, TableColumns};
use crate::vectors::OutputVector;

/// A function: name, parameters, what it gives, what nulls give, and a query.
#[derive(Clone, Debug)]
struct FunctionDescription([String; 5]);

const OF_POSITIONS: &str =
    "null for a null or a malformed position; slider_attacks_options changes the latter to an error";
const OF_SQUARES: &str =
    "null for a null or a square that is not on the board; slider_attacks_options changes the latter to an error";
const OF_VALUES: &str = "null for a null";
const OF_FILES: &str = "an unknown value is null; where the first rows have dates, so is a later one with an unknown part, such as \
                        1999.??.??, which `all_varchar := true` keeps; among the first rows, it makes the column text";
const OF_GAMES: &str =
    "as in read_positions; with on_error := 'null' or 'report', so are the moves of a malformed game";

/// Those that do not belong to products.
const OWN: [[&str; 5]; 16] = [
    ["queen_attacks", "square, occ", "the squares that a queen attacks", OF_SQUARES, "select queen_attacks(3, 256)"],
    ["rook_attacks", "square, occ", "the squares that a rook attacks", OF_SQUARES, "select rook_attacks(3, 256)"],
    ["bishop_attacks", "square, occ", "the squares that a bishop attacks", OF_SQUARES, "select bishop_attacks(3, 256)"],
    ["squares", "bitboard", "the numbers of the squares of a set, a1 = 0", OF_VALUES, "select squares(257)"],
    ["square", "name", "the number of a square", OF_SQUARES, "select square('e4')"],
    ["square_name", "square", "the name of a square", OF_SQUARES, "select square_name(28)"],
    ["uci", "move", "the text of a move of 16 bits", OF_VALUES, "select uci(796)"],
    [
        "count_squares",
        "bitboard",
        "how many sets of the group contain each square, in a list of 64",
        "nulls are not counted; without a value, all 64 numbers are 0",
        "select count_squares(range::ubigint) from range(9)",
    ],
    [
        "boards",
        "fen",
        "the bitboards of the pieces and the other fields",
        OF_POSITIONS,
        "select boards('8/8/8/8/8/8/8/K1k5 w - -')",
    ],
    [
        "positions_after",
        "fen",
        "the positions after all legal moves",
        OF_POSITIONS,
        "select positions_after('8/8/8/8/8/8/8/K1k5 w - -')",
    ],
    [
        "matches",
        "fen, condition",
        "whether a condition holds for a position",
        OF_POSITIONS,
        "select matches('8/8/8/8/8/8/8/K1k5 w - -', 'checkmate')",
    ],
    [
        "game_positions",
        "movetext [, fen]",
        "the positions of a game, from the usual position or from this one",
        "null for null moves; a null or empty position is the usual one; a mistake is the error of a last element",
        "select game_positions('1. e4 e5')",
    ],
    ["read_positions", "files, …", "a table of the positions of files", OF_FILES, "from read_positions('games.pgn')"],
    ["read_games", "files, …", "a table of the games of files", OF_GAMES, "from read_games('games.pgn')"],
    [
        "slider_attacks_options",
        "…",
        "sets options of all functions of the database",
        "a null leaves an option as it is",
        "call slider_attacks_options(on_error := 'null')",
    ],
    ["slider_attacks_functions", "", "the functions of the extension", "", "from slider_attacks_functions()"],
];

/// A text that begins with a capital letter, as the descriptions of DuckDB's own functions do.
fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// All functions, in the order of their names.
fn all() -> Vec<FunctionDescription> {
    let mut all: Vec<_> = OWN.into_iter().map(|own| FunctionDescription(own.map(str::to_owned))).collect();
    let mut add = |name: &str, meaning: &str| {
        let example = format!("select {name}('4k3/8/8/8/8/8/8/R3K3 w Q -')");
        let texts = [name, "fen", meaning, OF_POSITIONS, &example];
        all.push(FunctionDescription(texts.map(str::to_owned)));
    };
    for product in Product::ALL {
        let columns = product.columns();
        columns.iter().for_each(|column| add(column.name(), column.meaning()));
        if columns.iter().all(|column| column.name() != product.function()) {
            add(product.function(), product.definition());
        }
    }
    for FunctionDescription([_, _, meaning, ..]) in &mut all {
        *meaning = capitalised(meaning);
    }
    all.sort_by(|a, b| a.0[0].cmp(&b.0[0]));
    all
}

/// The function.
#[derive(Debug)]
struct Functions;

/// Its name.
const NAME: &str = "slider_attacks_functions";

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection) -> Result<()> {
    table(to, NAME, None, &[], Functions)
}

/// The columns: those of a description, and after the name the type of the function and the name with a prefix.
const COLUMNS: [&str; 7] =
    ["function_name", "function_type", "prefixed_name", "parameters", "description", "nulls", "example"];

/// The type of a function, as `duckdb_functions()` has it.
fn function_type(name: &str) -> &'static str {
    match name {
        "count_squares" => "aggregate",
        crate::read::NAME | crate::read_games::NAME | OPTIONS_NAME | NAME => "table",
        _ => "scalar",
    }
}

impl TableFunction for Functions {
    type Bound = ();
    type Run = Vec<usize>;
    type Part = usize;

    fn bind(&self, _: &FunctionCall) -> Result<((), TableColumns, u64)> {
        let columns = COLUMNS.map(|name| (name.to_owned(), PlainType::Text.into()));
        Ok(((), columns.into(), all().len() as u64))
    }

    fn begin(&self, (): &(), columns: &[usize]) -> Result<(Vec<usize>, usize)> {
        Ok((columns.to_vec(), 1))
    }

    fn next(&self, run: &Vec<usize>, done: &mut usize, outputs: &mut [OutputVector<'_>]) -> Result<usize> {
        let all = all();
        let rows = chunk_rows().min(all.len() - *done);
        for (&column, output) in run.iter().zip(outputs) {
            let mut nulls = Vec::new();
            for (row, FunctionDescription(texts)) in all[*done..*done + rows].iter().enumerate() {
                match column {
                    0 => output.set_text(row, &texts[0]),
                    1 => output.set_text(row, function_type(&texts[0])),
                    2 => match prefixed(&texts[0]) {
                        Some(name) => output.set_text(row, &name),
                        None => nulls.push(row),
                    },
                    _ => output.set_text(row, &texts[column - 2]),
                }
            }
            output.set_nulls(nulls.into_iter());
        }
        *done += rows;
        Ok(rows)
    }
}
