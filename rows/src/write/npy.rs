//! A directory of NumPy arrays, one per column.
//!
//! Kept columns must be numeric. A column of integers becomes an array of `int64`, or of `float64` if a value is missing; any
//! other column becomes an array of `float64`. NaN stands for missing values.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
#[cfg(feature = "parquet")]
use arrow_array::Array;
use slider_attacks_arrow::{Integers, Values};
use slider_attacks_formats::batch::MOVE;
use slider_attacks_formats::columns::texts::TextColumn;
use slider_attacks_formats::columns::{
    KeptColumn, NumberColumn, OutputColumn, OutputValues, UNKNOWN_KIND, text_of_json,
};
use slider_attacks_formats::error::quoted;

#[cfg(feature = "parquet")]
use super::arrow;
use super::cell::Cell;
use super::text_rows::kept_cell;
use super::{ColumnWriter, WriteTarget};

/// The name of the array with the offsets of the lists of this column, one more than there are positions.
pub fn offsets_name(column: &str) -> String {
    format!("{column}_offsets")
}

/// How many bytes of an array are written at a time, in pages of memory.
const WRITE: usize = 64 << 10;
const PAGE: usize = 4 << 10;

/// Whether the arrays of all these columns are in a directory.
pub fn is_complete(directory: &Path, columns: &[String]) -> bool {
    columns.iter().all(|name| path(directory, name).is_ok_and(|path| path.is_file()))
}

/// The file of a column, whose name may be any text.
fn path(directory: &Path, name: &str) -> Result<PathBuf> {
    ensure!(!name.is_empty() && !name.contains(['/', '\\']), "column {} is not a valid file name", quoted(name));
    Ok(directory.join(format!("{name}.npy")))
}

/// An array of this type and shape, with these bytes.
pub fn array(descr: &str, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let shape: String = shape.iter().map(|length| format!("{length},")).collect();
    [header(descr, &format!("({shape})")).as_slice(), bytes].concat()
}

/// 128 bytes, whatever the shape.
fn header(descr: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    [b"\x93NUMPY\x01\0\x76\0", format!("{text:<117}\n").as_bytes()].concat()
}

/// The arrays that are being written.
pub struct Arrays<T> {
    directory: PathBuf,
    integers: Integers,
    arrays: Vec<NpyArray<T>>,
}

struct NpyArray<T> {
    target: T,
    /// The bytes that have not been written yet. Writing whole pages is faster.
    waiting: Vec<u8>,
    integers: Integers,
    row: RowShape,
    rows: usize,
    /// Of integers that are kept, whether one is missing, and the largest, whatever its sign.
    has_missing: bool,
    largest: u64,
}

/// The type of a row of an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowShape {
    /// A number of this many bytes.
    Number(usize),
    /// So many numbers of a byte.
    Bytes(usize),
    /// A set of squares for each square.
    Sets,
    /// An integer of eight bytes, which may be missing.
    Integer,
    /// A number of eight bytes that may have a fraction, or be missing.
    Float,
    /// A text of at most this many letters, with four bytes per letter.
    Text(usize),
}

/// How many letters a move has at most, and any other text.
const LETTERS: [usize; 2] = [5, 4];

/// The largest integer up to which floats have all integers.
const LARGEST: u64 = 1 << 53;

impl RowShape {
    fn size(self) -> usize {
        match self {
            RowShape::Number(bytes) | RowShape::Bytes(bytes) => bytes,
            RowShape::Sets => 64 * 8,
            RowShape::Integer | RowShape::Float => 8,
            RowShape::Text(letters) => 4 * letters,
        }
    }
}

impl<T> Arrays<T> {
    /// Begins without arrays.
    pub fn new(directory: &Path, integers: Integers) -> Arrays<T> {
        Arrays { directory: directory.to_owned(), integers, arrays: Vec::new() }
    }
}

impl<T: WriteTarget> ColumnWriter for Arrays<T> {
    fn write(&mut self, columns: Vec<OutputColumn>, rows: usize) -> Result<()> {
        let is_first = self.arrays.is_empty();
        let mut place = 0;
        // Gives how many rows the array had before.
        let mut put = |name: &str, row: RowShape, bytes: &[u8]| -> Result<usize> {
            if is_first {
                self.arrays.push(NpyArray::new(&path(&self.directory, name)?, row, self.integers)?);
            }
            let array = &mut self.arrays[place];
            ensure!(array.row == row, "types of kept columns differ from earlier files");
            place += 1;
            let before = array.rows;
            array.rows += bytes.len() / row.size();
            if row == RowShape::Integer {
                array.look_for_missing(bytes);
            }
            array.put(bytes)?;
            Ok(before)
        };
        for OutputColumn { name, values, .. } in &columns {
            let before = match values {
                OutputValues::File { index, .. } => put(name, RowShape::Number(8), &index.to_le_bytes().repeat(rows))?,
                OutputValues::Lines(numbers) | OutputValues::Product(Values::Boards(numbers)) => {
                    put(name, RowShape::Number(8), little_endian(numbers).as_flattened())?
                }
                OutputValues::Product(Values::Numbers(numbers)) => {
                    put(name, RowShape::Bytes(64), numbers.as_flattened())?
                }
                OutputValues::Product(Values::Number(numbers)) => {
                    put(name, RowShape::Number(2), shorts(numbers.iter().copied()).as_flattened())?
                }
                OutputValues::Product(Values::Sets(sets)) => {
                    put(name, RowShape::Sets, little_endian(sets.as_flattened()).as_flattened())?
                }
                OutputValues::Product(Values::Moves { moves, .. }) => {
                    put(name, RowShape::Number(2), shorts(moves.iter().map(|mv| mv.bits())).as_flattened())?
                }
                OutputValues::Product(Values::Threats { threats, .. }) => {
                    put(name, RowShape::Bytes(4), threats.as_flattened())?
                }
                OutputValues::Product(_) => unreachable!("{UNKNOWN_KIND}"),
                OutputValues::Floats(numbers) => {
                    let numbers: Vec<[u8; 8]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
                    put(name, RowShape::Float, numbers.as_flattened())?
                }
                OutputValues::Kept(KeptColumn::Numbers(numbers)) => {
                    let numbers = (0..rows).map(|row| numbers.get(row).unwrap_or(NumberColumn::MISSING).to_le_bytes());
                    put(name, RowShape::Integer, numbers.collect::<Vec<_>>().as_flattened())?
                }
                OutputValues::Kept(KeptColumn::Text(texts)) => {
                    let most = LETTERS[usize::from(name != MOVE)];
                    put(name, RowShape::Text(most), &letters(texts, rows, most))?
                }
                OutputValues::Kept(_) => unreachable!("columns to keep are numbers here"),
            };
            if let OutputValues::Product(Values::Moves { offsets, .. } | Values::Threats { offsets, .. }) = values {
                // The last offset of a block is the first one of the next.
                let offsets = offsets[usize::from(!is_first)..].iter();
                let offsets: Vec<u64> = offsets.map(|&offset| (before + offset) as u64).collect();
                put(&offsets_name(name), RowShape::Number(8), little_endian(&offsets).as_flattened())?;
            }
        }
        Ok(())
    }

    /// Gives all arrays their names, or none of them.
    fn finish(self: Box<Self>) -> Result<Duration> {
        T::finish_all(self.arrays.into_iter().map(NpyArray::complete).collect::<Result<_>>()?)?;
        Ok(Duration::ZERO)
    }
}

impl<T: WriteTarget> NpyArray<T> {
    fn new(path: &Path, row: RowShape, integers: Integers) -> Result<NpyArray<T>> {
        let target = T::create(path)?;
        let (waiting, rows, has_missing, largest) = (Vec::new(), 0, false, 0);
        let mut array = NpyArray { target, waiting, integers, row, rows, has_missing, largest };
        // The header is written again when the number of rows is known.
        array.put(&array.header())?;
        Ok(array)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= WRITE {
            let whole = self.waiting.len() / PAGE * PAGE;
            self.target.put(&self.waiting[..whole])?;
            self.waiting.drain(..whole);
        }
        Ok(())
    }

    /// Takes note of integers that are missing, and of the largest.
    fn look_for_missing(&mut self, integers: &[u8]) {
        for integer in integers.as_chunks().0.iter().map(|bytes| i64::from_le_bytes(*bytes)) {
            if integer == NumberColumn::MISSING {
                self.has_missing = true;
            } else {
                self.largest = self.largest.max(integer.unsigned_abs());
            }
        }
    }

    /// 128 bytes, whatever the number of rows.
    fn header(&self) -> Vec<u8> {
        let rows = self.rows;
        let kind = if self.integers == Integers::Signed { 'i' } else { 'u' };
        let each = format!("({rows},)");
        match self.row {
            RowShape::Number(bytes) => header(&format!("<{kind}{bytes}"), &each),
            RowShape::Bytes(bytes) => header(&format!("|{kind}1"), &format!("({rows}, {bytes})")),
            RowShape::Sets => header(&format!("<{kind}8"), &format!("({rows}, 64)")),
            RowShape::Integer if !self.has_missing => header("<i8", &each),
            RowShape::Integer | RowShape::Float => header("<f8", &each),
            RowShape::Text(letters) => header(&format!("<U{letters}"), &each),
        }
    }

    /// Writes the rest, and the header.
    fn complete(mut self) -> Result<T> {
        self.target.put(&self.waiting)?;
        let (header, cannot_write) = (self.header(), self.target.cannot_write());
        let becomes_floats = self.row == RowShape::Integer && self.has_missing;
        ensure!(
            !becomes_floats || self.largest <= LARGEST,
            "{cannot_write}: with missing integers it holds floats, which cannot represent {}: write Parquet",
            self.largest
        );
        let Some(file) = self.target.file_mut() else { bail!("{cannot_write}: it is not a file") };
        if becomes_floats {
            to_floats(file, header.len() as u64).context(cannot_write.clone())?;
        }
        file.rewind().and_then(|()| file.write_all(&header)).context(cannot_write)?;
        Ok(self.target)
    }
}

/// Replaces the integers of a file, from a byte on, by floats.
fn to_floats(file: &mut File, mut at: u64) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        file.seek(SeekFrom::Start(at))?;
        Read::take(&mut *file, WRITE as u64).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(());
        }
        for number in bytes.as_chunks_mut().0 {
            let integer = Some(i64::from_le_bytes(*number)).filter(|&integer| integer != NumberColumn::MISSING);
            *number = integer.map_or(f64::NAN, |integer| integer as f64).to_le_bytes();
        }
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&bytes)?;
        at += bytes.len() as u64;
    }
}

/// The values of a column that is kept, as numbers.
///
/// # Errors
///
/// The first row that has another value, and the value as messages show it.
pub fn numbers(kept: KeptColumn, rows: usize) -> Result<OutputValues, (usize, String)> {
    match &kept {
        KeptColumn::Numbers(numbers) if numbers.are_integers() => return Ok(OutputValues::Kept(kept)),
        KeptColumn::Numbers(numbers) => {
            let floats = (0..rows).map(|row| numbers.float(row).unwrap_or(f64::NAN));
            return Ok(OutputValues::Floats(floats.collect()));
        }
        #[cfg(feature = "parquet")]
        KeptColumn::Array(_, array) if array.data_type().is_integer() => {
            let integer = |row| match arrow::integer(array, row) {
                _ if array.is_null(row) => Ok(NumberColumn::MISSING),
                Some(NumberColumn::MISSING) | None => Err((row, "one of more than 64 bits with a sign".to_owned())),
                Some(integer) => Ok(integer),
            };
            let integers = (0..rows).map(integer).collect::<Result<_, _>>()?;
            return Ok(OutputValues::Kept(KeptColumn::Numbers(NumberColumn::new(integers, 0))));
        }
        _ => {}
    }
    let floats = (0..rows).map(|row| float(kept_cell(&kept, row)).map_err(|found| (row, found)));
    Ok(OutputValues::Floats(floats.collect::<Result<_, _>>()?))
}

/// The number of a value. Missing values, also those of PGN, are not numbers.
fn float(cell: Cell<'_>) -> Result<f64, String> {
    let text = match &cell {
        Cell::Text(text) => text.as_ref().into(),
        Cell::Json(value) => match text_of_json(value) {
            Some(text) => text,
            None => return Ok(f64::NAN),
        },
        _ => return Err("another value".to_owned()),
    };
    let trimmed = text.trim();
    if matches!(trimmed, "" | "?" | "-") {
        return Ok(f64::NAN);
    }
    let is_exact = |number: &f64| trimmed.parse().is_ok_and(|integer: i128| *number as i128 == integer);
    let number = trimmed
        .parse()
        .ok()
        .filter(|number: &f64| number.abs() < LARGEST as f64 || !is_integer(trimmed) || is_exact(number));
    number.ok_or_else(|| quoted(&text))
}

/// Whether a number has neither a point nor an exponent.
fn is_integer(text: &str) -> bool {
    text.trim_start_matches(['-', '+']).bytes().all(|byte| byte.is_ascii_digit())
}

/// Texts of at most this many letters.
fn letters(texts: &TextColumn, rows: usize, most: usize) -> Vec<u8> {
    let letters = |row| texts.get(row).unwrap_or_default().chars().chain(iter::repeat('\0')).take(most);
    (0..rows).flat_map(letters).flat_map(|letter| u32::from(letter).to_le_bytes()).collect()
}

fn shorts(numbers: impl Iterator<Item = u16>) -> Vec<[u8; 2]> {
    numbers.map(u16::to_le_bytes).collect()
}

fn little_endian(numbers: &[u64]) -> Vec<[u8; 8]> {
    numbers.iter().map(|number| number.to_le_bytes()).collect()
}
