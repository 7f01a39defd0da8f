//! Pages of numbers per square: lists of 64 numbers below 128.
//!
//! The writer of Arrow arrays computes a repetition level, a definition level and a dictionary index for each number. But the
//! levels of lists of equal length are a pattern, and small numbers are indices into the dictionary 0, 1, 2, … So this module
//! writes whole runs of levels, and packs eight indices at a time.
//!
//! Source: the encodings of Apache Parquet, <https://parquet.apache.org/docs/file-format/data-pages/encodings/>.

use std::mem;
use std::sync::Arc;

use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::PAGE_ROWS;
use super::pages::{PagesWriter, WrittenPages, levels, packed, repeat, rows};

/// The numbers of a row.
type NumberRow = [u8; 64];

/// The numbers of a block of rows, and which of the rows are null, in ascending order.
pub type NumberRows = (Vec<NumberRow>, Arc<[usize]>);

/// Encodes the rows of these blocks.
///
/// # Errors
///
/// The compressor fails.
pub fn encode(
    column: &ColumnDescPtr,
    blocks: &[NumberRows],
    compressor: &mut Compressor<'static>,
) -> Result<WrittenPages> {
    let largest =
        blocks.iter().flat_map(|(rows, _)| rows.as_flattened()).fold(0, |largest, &number| largest.max(number));
    // One bit at least: not all readers know indices of none.
    let width = (u8::BITS - largest.leading_zeros()).max(1);
    let mut writer = PagesWriter::new(compressor, Some(largest));
    let mut builder = PageBuilder::new(column, width);
    let mut rows = rows(blocks.iter().map(|(rows, nulls)| (&rows[..], &nulls[..])));
    loop {
        rows.by_ref().take(PAGE_ROWS).for_each(|row| builder.push(row));
        let (page, rows, values) = builder.finish();
        if rows == 0 {
            return writer.finish();
        }
        writer.push(page, rows, values)?;
    }
}

/// A data page being put together.
struct PageBuilder {
    /// How many bits an index has.
    width: u32,
    /// The definition level of a number. That of a row that is null is 0.
    defined: u8,
    /// How many rows and levels there are.
    rows: usize,
    values: usize,
    /// The length of the last run of rows, and whether these rows are null.
    run: usize,
    run_is_null: bool,
    repetition: Vec<u8>,
    definition: Vec<u8>,
    indices: Vec<u8>,
    page: Vec<u8>,
}

impl PageBuilder {
    fn new(column: &ColumnDescPtr, width: u32) -> PageBuilder {
        PageBuilder {
            width,
            defined: column.max_def_level() as u8,
            rows: 0,
            values: 0,
            run: 0,
            run_is_null: false,
            repetition: Vec::new(),
            definition: Vec::new(),
            indices: Vec::new(),
            page: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, row: Option<&NumberRow>) {
        if row.is_none() != self.run_is_null {
            self.end_run();
            self.run_is_null = row.is_none();
        }
        self.run += 1;
        self.rows += 1;
        if let Some(row) = row {
            pack(row, self.width, &mut self.indices);
        }
    }

    /// Writes the levels of the last run of rows.
    fn end_run(&mut self) {
        match mem::take(&mut self.run) {
            0 => {}
            rows if self.run_is_null => {
                self.values += rows;
                repeat(rows, 0, &mut self.repetition);
                repeat(rows, 0, &mut self.definition);
            }
            rows => {
                self.values += 64 * rows;
                // Each row begins with 0 and goes on with 1, packed eight to a byte.
                packed(8 * rows, &mut self.repetition);
                self.repetition.extend([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff].repeat(rows));
                repeat(64 * rows, self.defined, &mut self.definition);
            }
        }
    }

    /// The bytes of the page, its rows and its levels. The next page begins empty.
    fn finish(&mut self) -> (&[u8], usize, usize) {
        self.end_run();
        self.page.clear();
        levels(&mut self.repetition, &mut self.page);
        levels(&mut self.definition, &mut self.page);
        self.page.push(self.width as u8);
        if !self.indices.is_empty() {
            packed(self.indices.len() / self.width as usize, &mut self.page);
            self.page.append(&mut self.indices);
        }
        let (rows, values) = (mem::take(&mut self.rows), mem::take(&mut self.values));
        (&self.page, rows, values)
    }
}

/// Packs numbers of at most `width` bits, the first in the lowest bits.
#[inline]
fn pack(row: &NumberRow, width: u32, out: &mut Vec<u8>) {
    /// Packs eight numbers by combining neighbours: pairs, fours, eights.
    fn eight(numbers: &[u8; 8], width: u32) -> [u8; 8] {
        let bytes = u64::from_le_bytes(*numbers);
        let pairs = bytes & 0x00ff_00ff_00ff_00ff | (bytes & 0xff00_ff00_ff00_ff00) >> (8 - width);
        let fours = pairs & 0x0000_ffff_0000_ffff | (pairs & 0xffff_0000_ffff_0000) >> (16 - 2 * width);
        let eights = fours & 0x0000_0000_ffff_ffff | (fours & 0xffff_ffff_0000_0000) >> (32 - 4 * width);
        eights.to_le_bytes()
    }
    // Each eight overwrites what the one before wrote beyond its end.
    let (mut room, mut at) = ([0; 64], 0);
    for numbers in row.as_chunks::<8>().0 {
        let len = room.len().min(at + 8);
        room[at..len].copy_from_slice(&eight(numbers, width)[..len - at]);
        at += width as usize;
    }
    out.extend_from_slice(&room[..at]);
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt8Type;
    use arrow_schema::{DataType, Field};

    use super::super::ZSTD_LEVEL;
    use super::super::pages::tests::{random, round_trip};
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        let mut random = random();
        // Each number of bits, and pages that are full, nearly empty, or begin and end with rows that are null. The two parts
        // may need different numbers of bits.
        for largest in [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127] {
            for lengths in [&[1][..], &[0, 3, 0], &[PAGE_ROWS], &[PAGE_ROWS - 1, 1, 1], &[500; 9]] {
                for nulls_in in [0, 1, 2, 9] {
                    let mut blocks = Vec::new();
                    for (place, &length) in lengths.iter().enumerate() {
                        let largest = if 2 * place < lengths.len() { largest } else { largest / 5 };
                        let rows: Vec<NumberRow> =
                            (0..length).map(|_| std::array::from_fn(|_| (random() % (largest + 1)) as u8)).collect();
                        let nulls = (0..length).filter(|_| nulls_in > 0 && random().is_multiple_of(nulls_in)).collect();
                        blocks.push((rows, nulls));
                    }
                    let expected: Vec<Option<NumberRow>> = blocks
                        .iter()
                        .flat_map(|(rows, nulls): &NumberRows| {
                            rows.iter().enumerate().map(|(at, row)| (!nulls.contains(&at)).then_some(*row))
                        })
                        .collect();
                    let item = Arc::new(Field::new("element", DataType::UInt8, false));
                    let field = Field::new("numbers", DataType::FixedSizeList(item, 64), nulls_in > 0);
                    let read = round_trip(field, |column| {
                        let mut compressor = Compressor::new(ZSTD_LEVEL).unwrap();
                        let (first, second) = blocks.split_at(blocks.len().div_ceil(2));
                        [first, second].map(|part| encode(column, part, &mut compressor).unwrap()).into()
                    });
                    let lists = read.column(0).as_list::<i32>();
                    let row = |at| lists.value(at).as_primitive::<UInt8Type>().values()[..].try_into().unwrap();
                    let found: Vec<Option<NumberRow>> =
                        (0..lists.len()).map(|at| lists.is_valid(at).then(|| row(at))).collect();
                    assert!(found == expected, "{largest}, {lengths:?}, {nulls_in}");
                }
            }
        }
    }
}
