//! A directory of NumPy arrays, one per column.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use slider_attacks_arrow::{Integers, Values};
use slider_attacks_files::columns::{OutputColumn, OutputValues, UNKNOWN_KIND};

use super::ColumnWriter;
use super::target::Target;

/// The name of the array that tells which threats a position has.
pub const OFFSETS: &str = "threats_offsets";

/// How many bytes of an array are written at a time, in pages of memory.
const WRITE: usize = 64 << 10;
const PAGE: usize = 4 << 10;

/// Whether the arrays of all these columns are in a directory.
pub fn is_complete(directory: &Path, columns: &[String]) -> bool {
    columns.iter().all(|name| path(directory, name).is_file())
}

fn path(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.npy"))
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
pub struct Arrays {
    directory: PathBuf,
    integers: Integers,
    arrays: Vec<NpyArray>,
    /// The number of threats so far.
    threats: u64,
}

struct NpyArray {
    target: Target,
    /// What has not been written yet. The system takes whole pages in less time.
    waiting: Vec<u8>,
    integers: Integers,
    row: Row,
    rows: usize,
}

/// What a row of an array is.
#[derive(Clone, Copy)]
enum Row {
    /// A number of so many bytes.
    Number(usize),
    /// So many numbers of a byte.
    Bytes(usize),
}

impl Row {
    fn size(self) -> usize {
        let (Row::Number(bytes) | Row::Bytes(bytes)) = self;
        bytes
    }
}

impl Arrays {
    /// Begins without arrays.
    pub fn new(directory: &Path, integers: Integers) -> Arrays {
        Arrays { directory: directory.to_owned(), integers, arrays: Vec::new(), threats: 0 }
    }
}

impl ColumnWriter for Arrays {
    fn write(&mut self, columns: Vec<OutputColumn>, rows: usize) -> Result<()> {
        let is_first = self.arrays.is_empty();
        let mut place = 0;
        let mut put = |name: &str, row: Row, bytes: &[u8]| -> Result<()> {
            if is_first {
                self.arrays.push(NpyArray::new(&path(&self.directory, name), row, self.integers)?);
            }
            let array = &mut self.arrays[place];
            place += 1;
            array.rows += bytes.len() / row.size();
            array.put(bytes)
        };
        for OutputColumn { name, values, .. } in &columns {
            match values {
                OutputValues::File { index, .. } => put(name, Row::Number(8), &index.to_le_bytes().repeat(rows))?,
                OutputValues::Lines(numbers) | OutputValues::Product(Values::Boards(numbers)) => {
                    put(name, Row::Number(8), little_endian(numbers).as_flattened())?;
                }
                OutputValues::Product(Values::Numbers(numbers)) => put(name, Row::Bytes(64), numbers.as_flattened())?,
                OutputValues::Product(Values::Number(numbers)) => {
                    let numbers: Vec<[u8; 2]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
                    put(name, Row::Number(2), numbers.as_flattened())?;
                }
                OutputValues::Product(Values::Threats { offsets, threats }) => {
                    put(name, Row::Bytes(4), threats.as_flattened())?;
                    // The last offset of a block is the first one of the next.
                    let offsets = offsets[usize::from(!is_first)..].iter();
                    let offsets: Vec<u64> = offsets.map(|&offset| self.threats + offset as u64).collect();
                    put(OFFSETS, Row::Number(8), little_endian(&offsets).as_flattened())?;
                    self.threats += threats.len() as u64;
                }
                OutputValues::Product(_) => unreachable!("{UNKNOWN_KIND}"),
                OutputValues::Kept(_) => bail!("NumPy arrays cannot hold columns to keep"),
            }
        }
        Ok(())
    }

    /// Gives all arrays their names, or none of them.
    fn finish(self: Box<Self>) -> Result<Duration> {
        Target::finish_all(self.arrays.into_iter().map(NpyArray::complete).collect::<Result<_>>()?)?;
        Ok(Duration::ZERO)
    }
}

impl NpyArray {
    fn new(path: &Path, row: Row, integers: Integers) -> Result<NpyArray> {
        let target = Target::open(Some(path), false)?;
        let mut array = NpyArray { target, waiting: Vec::new(), integers, row, rows: 0 };
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

    /// 128 bytes, whatever the number of rows.
    fn header(&self) -> Vec<u8> {
        let rows = self.rows;
        let kind = if self.integers == Integers::Signed { 'i' } else { 'u' };
        match self.row {
            Row::Number(bytes) => header(&format!("<{kind}{bytes}"), &format!("({rows},)")),
            Row::Bytes(bytes) => header(&format!("|{kind}1"), &format!("({rows}, {bytes})")),
        }
    }

    /// Writes the rest, and the header.
    fn complete(mut self) -> Result<Target> {
        self.target.put(&self.waiting)?;
        let (header, cannot_write) = (self.header(), self.target.cannot_write());
        match self.target.file_mut() {
            Some(file) => file.rewind().and_then(|()| file.write_all(&header)).context(cannot_write)?,
            None => bail!("{cannot_write}: it is not a file"),
        }
        Ok(self.target)
    }
}

fn little_endian(numbers: &[u64]) -> Vec<[u8; 8]> {
    numbers.iter().map(|number| number.to_le_bytes()).collect()
}
