//! Pages of bitboards: numbers of 64 bits, as they are.
//!
//! The writer of Arrow arrays would do the same, but it needs all parts of a column one after the other.

use std::mem;
use std::sync::Arc;

use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::PAGE_ROWS;
use super::pages::{PagesWriter, WrittenPages, levels, repeat, rows};

/// The bitboards of a block of rows, and which of the rows are null, in ascending order.
pub type BoardRows = (Vec<u64>, Arc<[usize]>);

/// Encodes the rows of these blocks.
///
/// # Errors
///
/// The compressor fails.
pub fn encode(
    column: &ColumnDescPtr,
    blocks: &[BoardRows],
    compressor: &mut Compressor<'static>,
) -> Result<WrittenPages> {
    let is_nullable = column.max_def_level() > 0;
    let mut writer = PagesWriter::new(compressor, None);
    let mut rows = rows(blocks.iter().map(|(rows, nulls)| (&rows[..], &nulls[..])));
    let (mut definition, mut values, mut page) = (Vec::new(), Vec::with_capacity(8 * PAGE_ROWS), Vec::new());
    loop {
        // The length of the last run of rows, and whether they have values.
        let (mut count, mut run, mut run_is_valid) = (0, 0, true);
        for row in rows.by_ref().take(PAGE_ROWS) {
            if row.is_some() != run_is_valid {
                repeat(mem::take(&mut run), u8::from(run_is_valid), &mut definition);
                run_is_valid = row.is_some();
            }
            run += 1;
            count += 1;
            values.extend_from_slice(row.map(|board| board.to_le_bytes()).as_ref().map_or(&[], |board| &board[..]));
        }
        if count == 0 {
            return writer.finish();
        }
        repeat(run, u8::from(run_is_valid), &mut definition);
        page.clear();
        if is_nullable {
            levels(&mut definition, &mut page);
        }
        definition.clear();
        page.append(&mut values);
        writer.push(&page, count, count)?;
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::UInt64Type;
    use arrow_schema::{DataType, Field};

    use super::super::ZSTD_LEVEL;
    use super::super::pages::tests::{random, round_trip};
    use super::*;

    #[test]
    fn bitboards_are_read_as_they_were_written() {
        let mut random = random();
        for lengths in [&[1][..], &[0, 3, 0], &[PAGE_ROWS], &[PAGE_ROWS - 1, 1, 1], &[500; 9]] {
            for nulls_in in [0, 1, 2, 9] {
                let mut blocks: Vec<BoardRows> = Vec::new();
                for &length in lengths {
                    let boards = (0..length).map(|_| random() << 31 ^ random()).collect();
                    blocks.push((
                        boards,
                        (0..length).filter(|_| nulls_in > 0 && random().is_multiple_of(nulls_in)).collect(),
                    ));
                }
                let expected: Vec<Option<u64>> = blocks
                    .iter()
                    .flat_map(|(rows, nulls)| {
                        rows.iter().enumerate().map(|(at, row)| (!nulls.contains(&at)).then_some(*row))
                    })
                    .collect();
                let read = round_trip(Field::new("boards", DataType::UInt64, nulls_in > 0), |column| {
                    let mut compressor = Compressor::new(ZSTD_LEVEL).unwrap();
                    let (first, second) = blocks.split_at(blocks.len() / 2);
                    [first, second].map(|part| encode(column, part, &mut compressor).unwrap()).into()
                });
                let found: Vec<Option<u64>> = read.column(0).as_primitive::<UInt64Type>().iter().collect();
                assert!(found == expected, "{lengths:?}, {nulls_in}");
            }
        }
    }
}
