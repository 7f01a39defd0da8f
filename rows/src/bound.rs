//! The most memory that a block and its results can take, known before the block is parsed.
//!
//! That memory does not grow with the input rests on this. `rows/tests/bounds.rs` counts what blocks of all formats take,
//! and checks that none takes more.

use slider_attacks_arrow::{ColumnKind, OnError, Plan, ProductColumn};
use slider_attacks_files::Block;
use slider_attacks_files::columns::UNKNOWN_KIND;
#[cfg(doc)]
use slider_attacks_files::content::Most;
use slider_attacks_files::text::READ;

/// What is known of all blocks of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// How many bytes the values of all products take per position, as numbers and as text, without threats.
    row: usize,
    /// The number of columns of products.
    columns: usize,
    with_threats: bool,
    with_file: bool,
    on_error: OnError,
}

impl Bound {
    /// The bound for the results of a plan, whose rows begin with the name of the input if `with_file` is set.
    pub fn new(plan: &Plan, on_error: OnError, with_file: bool) -> Bound {
        let with_threats = plan.product_columns().any(|column| column.kind() == ColumnKind::Threats);
        let (row, columns) = (plan.product_columns().map(row_bytes).sum(), plan.product_columns().count());
        Bound { row, columns, with_threats, with_file, on_error }
    }

    /// The same, if the bitboards of the positions are among the results.
    pub fn with_boards(self) -> Bound {
        // Twelve bitboards with names of 12 letters; then texts and a number, with names as long and values of up to six letters.
        let (board, text) = (8 + 2 * (12 + 4 + 20), 32 + 2 * (12 + 4 + 6));
        Bound { row: self.row + 12 * board + 3 * text, columns: self.columns + 15, ..self }
    }

    /// The bound for results that take so many bytes per position, malformed ones being left out.
    pub fn of_rows(row: usize) -> Bound {
        Bound { row, columns: 0, with_threats: false, with_file: false, on_error: OnError::Skip }
    }

    /// How many bytes of text a block is to have, if it and its results are to take no more than `most`, as far as that can be
    /// known before anything is read. `kept` is the number of columns to keep.
    pub fn block_bytes(&self, kept: usize, most: usize) -> usize {
        if self.on_error.keeps_rows() {
            return READ; // of lines that may be a byte long, each with a row
        }
        let threats = if self.with_threats { 32 * THREATS_OF_ONE } else { 0 };
        let position = 6 * LINE + 120 + 160 + self.row + threats + 100 * kept;
        let (largest, most) = (LARGEST.0, most.min(LARGEST.1));
        (most / position * LINE).clamp(READ, largest)
    }

    /// How many rows of Parquet a block is to have, if one of text is to have so many bytes. With threats, it is left to the reader:
    /// the memory that is set aside per row is many times what it takes.
    pub fn block_rows(&self, bytes: usize) -> Option<usize> {
        (!self.with_threats).then_some(bytes / LINE)
    }

    /// The most bytes that a block and its results can take. Text that grows counts twice, because its vector doubles.
    ///
    /// | for each | bytes | |
    /// |---|---|---|
    /// | block | 12 Ki | names, vectors of a few elements, the tables of the CSV reader |
    /// | byte of the block | 6 | the block itself 1, columns to keep 2, their text in the rows 2, a record while it is read 1 |
    /// | byte more as text | 2 | escapes, numbers, names of nested fields: see [`Most::growth`] |
    /// | unit | 120 | a message, if it is malformed: 48, and 72 for its text |
    /// | unit | 100 | with `--on-error null` or `report`, its place among the nulls 40, doubled, and a flag |
    /// | unit | 600 | with `--on-error report`, the text of its message in the column 150 and in the row 150, doubled |
    /// | position | 160 | bitboards and flags less than 128, the number 8, its text 24 |
    /// | value to keep | 16 | its end 8 (4, doubled), separators and quotation marks 8 |
    /// | position | 2 | for each byte of the names of kept columns in JSON lines, with `"":,`, and of the input |
    /// | column of the output | 128 | its name and its place |
    /// | field of a record | | as the source says: see [`Most::fields`] |
    /// | threat | 32 | as numbers 4 and as text, `"Qd1xpd5",`, 10, doubled; what was found, 6, is gone before there is text |
    pub fn of(&self, block: &Block) -> usize {
        let most = block.most();
        let threats = match (self.with_threats, most.has_letters) {
            (false, _) => 0,
            (true, false) => most.positions * most.threats.unwrap_or(MOST_THREATS),
            (true, true) => {
                let threats = |letter: &u8| usize::from(THREATS[usize::from(*letter)]);
                block.content.bytes().iter().map(threats).sum::<usize>().min(most.positions * MOST_THREATS)
            }
        };
        // A malformed unit may keep its place among the positions.
        let nulls = if self.on_error.keeps_rows() { most.units } else { 0 };
        let positions = most.positions.max(nulls);
        let reasons = if self.on_error == OnError::Report { most.units } else { 0 };
        let columns = block.origin.columns();
        // In JSON lines, every row repeats the names.
        let names: usize = columns.iter().map(|name| name.len() + 4).sum();
        let name = if self.with_file { block.origin.input.name().len() } else { 0 };
        BLOCK
            + 6 * most.bytes
            + 2 * most.growth
            + 120 * most.units
            + 100 * nulls
            + 600 * reasons
            + positions * (160 + self.row + 16 * columns.len() + 2 * (names + name))
            + 128 * (columns.len() + self.columns)
            + most.fields
            + 32 * threats
    }
}

/// The largest blocks of text, and the most that one and its results are to take if its lines are of the usual length. To hand
/// a block from thread to thread takes 20 microseconds or more. Larger ones gain little, and leave the cache.
const LARGEST: (usize, usize) = (128 << 10, 2 << 20);
/// The length of a usual line.
const LINE: usize = 64;
/// The number of threats of a usual position.
const THREATS_OF_ONE: usize = 32;

/// What a block takes even if it holds nothing: names, vectors of a few elements, the tables of the CSV reader.
const BLOCK: usize = 12 << 10;
/// There cannot be more threats than 64 pieces with 8 lines each can make.
const MOST_THREATS: usize = 512;
/// How many pieces the piece of each letter can threaten.
const THREATS: [u8; 256] = {
    let mut most = [0; 256];
    let letters = b"PNBRQKpnbrqk";
    let mut at = 0;
    while at < letters.len() {
        most[letters[at] as usize] = [2, 8, 4, 4, 8, 8][at % 6];
        at += 1;
    }
    most
};

/// How many bytes the values of a column take per position, as numbers and as text. Its name and its kind decide.
fn row_bytes(column: &ProductColumn) -> usize {
    // As in JSON lines, `"name":value,`; a vector of text doubles.
    let as_text = |value: usize| 2 * (column.name().len() + 4 + value);
    match column.kind() {
        // A number of 64 bits, and `"0x0000000000000000"`.
        ColumnKind::Bitboard => 8 + as_text(20),
        // 64 bytes, and as many digits with separators in brackets; 50 of them can have a second digit.
        ColumnKind::Numbers => 64 + as_text(129 + 50),
        // A number of 16 bits, and its digits.
        ColumnKind::Number => 2 + as_text(5),
        // An offset as found and one as a number, and brackets. Threats themselves count extra.
        ColumnKind::Threats => 16 + as_text(2),
        _ => unreachable!("{UNKNOWN_KIND}"),
    }
}
