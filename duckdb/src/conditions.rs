//! `matches(fen, 'white_pinned & white_queens')`: whether a condition holds for a position.

use std::cell::RefCell;
use std::ops::Range;

use anyhow::{Result, anyhow, bail};
use slider_attacks_query::PositionQuery;

use crate::options::SharedOptions;
use crate::positions::{ROWS, RowReader, quoted, with_reader};
use crate::register::{Connection, Scalar, scalar};
use crate::types::PlainType;
use crate::vectors::{InputChunk, OutputVector};

/// The function.
#[derive(Debug)]
struct Matches(SharedOptions);

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let parameters = [PlainType::Text.into(), PlainType::Text.into()];
    scalar(to, "matches", &parameters, PlainType::Bool.into(), Matches(options.clone()))
}

/// Reads a condition, in an argument of this name.
///
/// # Errors
///
/// It is malformed: the message has the column in its text.
pub fn query(name: &str, text: &str) -> Result<PositionQuery> {
    text.parse().map_err(|error| anyhow!("{name}: {error}: {}", quoted(text.as_bytes())))
}

thread_local! {
    /// The last condition of a thread. Mostly, all rows have the same.
    static LAST: RefCell<Option<PositionQuery>> = const { RefCell::new(None) };
}

/// Calls `work` with the condition that this text is.
fn with_query<T>(text: &[u8], work: impl FnOnce(&PositionQuery) -> Result<T>) -> Result<T> {
    LAST.with_borrow_mut(|last| {
        let query = match last.take().filter(|query| query.text().as_bytes() == text) {
            Some(query) => query,
            None => {
                let text = str::from_utf8(text).map_err(|_| anyhow!("condition: not UTF-8: {}", quoted(text)))?;
                let query = query("condition", text)?;
                if let Some(name) = query.inputs().first() {
                    bail!(
                        "condition: positions have no column {name:?}, and SQL compares columns: {}",
                        quoted(text.as_bytes())
                    );
                }
                query
            }
        };
        work(last.insert(query))
    })
}

impl Scalar for Matches {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (options, texts, conditions, rows) = (self.0.get(), input.texts(0), input.texts(1), input.rows());
        let mut nulls: Vec<usize> = (0..rows).filter(|&row| conditions.get(row).is_none()).collect();
        let found = output.numbers::<u8>();
        found.fill(0);
        let mut compute = |reader: &mut RowReader, rows: Range<usize>, condition: &[u8]| {
            with_query(condition, |query| {
                for from in rows.clone().step_by(ROWS) {
                    reader.read(texts, from..rows.end.min(from + ROWS), options.fails, &mut nulls)?;
                    let holds = query.rows(&options.plan, reader.positions(), &());
                    found[from..].iter_mut().zip(holds).for_each(|(found, holds)| *found = holds.into());
                }
                Ok(())
            })
        };
        with_reader(|reader| {
            let mut start = 0;
            while start < rows {
                let condition = conditions.get(start);
                let length = (start..rows).take_while(|&row| conditions.get(row) == condition).count();
                if let Some(condition) = condition {
                    compute(reader, start..start + length, condition)?;
                }
                start += length;
            }
            Ok(())
        })?;
        output.set_nulls(nulls.iter().copied());
        Ok(())
    }
}
