//! A directory of NumPy arrays, one per column.
//!
//! The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::target::{Pending, Target};
use super::{ColumnWriter, threat_bytes};
use crate::commands::analyze::products::{Column, Values};

/// The arrays that are being written.
pub struct Arrays {
    directory: PathBuf,
    arrays: Vec<Array>,
    /// The number of threats so far.
    threats: u64,
    /// The directories that were made. Dropped last, when arrays that were not finished are gone.
    _made: Vec<Pending>,
}

struct Array {
    target: Target,
    /// The type of the numbers as NumPy writes it.
    descr: &'static str,
    /// How many numbers a row has, if more than one.
    width: Option<u64>,
    rows: u64,
}

impl Arrays {
    /// Begins without arrays. The directory is made if there is none.
    pub fn new(directory: &Path) -> Result<Arrays> {
        let cannot_make = || format!("cannot make the directory {}", directory.display());
        let made = Pending::directories(directory).with_context(cannot_make)?;
        Ok(Arrays { directory: directory.to_owned(), arrays: Vec::new(), threats: 0, _made: made })
    }
}

impl ColumnWriter for Arrays {
    fn write(&mut self, columns: Vec<Column>, rows: usize) -> Result<()> {
        let is_first = self.arrays.is_empty();
        let mut place = 0;
        let mut put = |arrays: &mut Vec<Array>, name: &str, descr, width, bytes: &[u8], rows: usize| -> Result<()> {
            if is_first {
                arrays.push(Array::new(&self.directory.join(format!("{name}.npy")), descr, width)?);
            }
            place += 1;
            arrays[place - 1].rows += rows as u64;
            arrays[place - 1].write(bytes)
        };
        let arrays = &mut self.arrays;
        for Column { name, values } in &columns {
            match values {
                Values::File { index, .. } => put(arrays, name, "<u8", None, &index.to_le_bytes().repeat(rows), rows)?,
                Values::Numbers(numbers) | Values::Boards(numbers) => {
                    put(arrays, name, "<u8", None, &little_endian(numbers.iter().copied()), rows)?;
                }
                Values::Counts(counts) => put(arrays, name, "|u1", Some(64), counts.as_flattened(), rows)?,
                Values::Threats(threats) => {
                    let list: Vec<[u8; 4]> = threats.as_slice().iter().map(threat_bytes).collect();
                    put(arrays, name, "|u1", Some(4), list.as_flattened(), list.len())?;
                    // The last offset of a block is the first one of the next.
                    let offsets = &threats.offsets()[usize::from(!is_first)..];
                    let bytes = little_endian(offsets.iter().map(|&offset| self.threats + offset as u64));
                    put(arrays, &format!("{name}_offsets"), "<u8", None, &bytes, offsets.len())?;
                    self.threats += list.len() as u64;
                }
                Values::Kept(_) => bail!("NumPy arrays cannot hold columns to keep"),
            }
        }
        Ok(())
    }

    /// Gives all arrays their names, or none of them.
    fn finish(self: Box<Self>) -> Result<Duration> {
        Target::finish_all(self.arrays.into_iter().map(Array::complete).collect::<Result<_>>()?)?;
        Ok(Duration::ZERO)
    }
}

impl Array {
    fn new(path: &Path, descr: &'static str, width: Option<u64>) -> Result<Array> {
        let mut array = Array { target: Target::open(Some(path), false)?, descr, width, rows: 0 };
        // The header is written again when the number of rows is known.
        array.write(&array.header())?;
        Ok(array)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.target.write_all(bytes).with_context(|| self.target.cannot_write())
    }

    /// 128 bytes, whatever the number of rows.
    fn header(&self) -> Vec<u8> {
        let (descr, rows) = (self.descr, self.rows);
        let shape = self.width.map_or_else(|| format!("({rows},)"), |width| format!("({rows}, {width})"));
        let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        let mut header = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        writeln!(header, "{text:<117}").expect("memory can be written");
        header
    }

    /// Writes the header.
    fn complete(mut self) -> Result<Target> {
        let (header, cannot_write) = (self.header(), self.target.cannot_write());
        match self.target.file_mut() {
            Some(file) => file.rewind().and_then(|()| file.write_all(&header)).context(cannot_write)?,
            None => bail!("{cannot_write}: it is not a file"),
        }
        Ok(self.target)
    }
}

fn little_endian(numbers: impl Iterator<Item = u64>) -> Vec<u8> {
    numbers.flat_map(u64::to_le_bytes).collect()
}
