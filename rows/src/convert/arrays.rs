//! Rows that a caller has as Arrow arrays, in another format.

use std::sync::Arc;

use anyhow::{Result, ensure};
use arrow_array::ArrayRef;
use arrow_schema::Fields;
use slider_attacks_arrow::OnError;
use slider_attacks_files::Block;
use slider_attacks_files::block::Origin;
use slider_attacks_files::input::{Input, Stream};
use slider_attacks_files::parquet::source_of_rows;
use slider_attacks_formats::content::Content;
use slider_attacks_formats::request::Wanted;

use super::BlockJoiner;
use super::games::LeftOut;
use super::job::ConvertJob;
use super::labels::{LabelColumns, NamedColumns};
use crate::format::RecordFormat;
use crate::pipeline::{ResultLimits, Work};
use crate::write::EncodedSink;

/// How many rows a block has.
const ROWS: usize = 1024;
/// How many bytes a result has, about.
const BYTES: usize = 1 << 20;
/// How many messages about malformed rows are kept.
pub const MOST_MESSAGES: usize = 100;

/// Converts the rows of Arrow arrays.
#[derive(Debug)]
pub struct ArrayConverter {
    job: ConvertJob,
    origin: Arc<Origin>,
    /// The places of the columns that are needed.
    places: Vec<usize>,
    joined: BlockJoiner,
    counts: ConvertedRows,
}

/// What has become of rows.
#[derive(Clone, Debug, Default)]
pub struct ConvertedRows {
    /// How many there were.
    pub rows: u64,
    /// How many malformed ones were left out, and what was wrong with the first [`MOST_MESSAGES`].
    pub skipped: u64,
    /// The messages.
    pub messages: Vec<String>,
    /// How many positions were left out because the format cannot represent them.
    pub left_out: LeftOut,
}

impl ArrayConverter {
    /// For tables with these columns. One of them has the positions as text, and others are labels; `data` is what messages call the
    /// table.
    ///
    /// # Errors
    ///
    /// A column is missing.
    pub fn new(
        fields: &Fields,
        data: &str,
        (column, named): (&str, &NamedColumns),
        to: RecordFormat,
        on_error: OnError,
    ) -> Result<ArrayConverter> {
        ensure!(matches!(on_error, OnError::Fail | OnError::Skip), "malformed rows end the work, or are left out");
        let wish = LabelColumns::new(named, column);
        let (keep, optional_columns) = (named.keep(), wish.optional_columns());
        let wanted = Wanted { column: column.to_owned(), keep, optional_columns, ..Wanted::default() };
        let (source, places) = source_of_rows(fields, data, &wanted)?;
        let input = Input::stream(Stream::new(data, &b""[..]), 0);
        let origin = Arc::new(Origin { input, source, skip: "" });
        let (job, joined) = (ConvertJob { to, wish, on_error }, BlockJoiner::new(to));
        Ok(ArrayConverter { job, origin, places, joined, counts: ConvertedRows::default() })
    }

    /// The places of the columns that are needed, that of the positions first, which must be of the type `Utf8` or `Binary`.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Adds some rows, given by the needed columns, and passes on what can be written. Rows are numbered from 0.
    ///
    /// # Errors
    ///
    /// A row is malformed, if such are not left out; or that of `put`.
    pub fn add(&mut self, columns: &[ArrayRef], put: EncodedSink<'_>) -> Result<()> {
        let rows = columns.first().map_or(0, |column| column.len());
        let mut from = 0;
        loop {
            let count = ROWS.min(rows - from);
            let mut columns = columns.iter().map(|column| column.slice(from, count));
            let Some(positions) = columns.next() else { return Ok(()) };
            let content = Content::Rows(positions, columns.collect());
            let block = Block::new(self.origin.clone(), (self.counts.rows + from as u64).into(), content);
            self.add_block(block, put)?;
            from += count;
            if from == rows {
                break;
            }
        }
        self.counts.rows += rows as u64;
        Ok(())
    }

    fn add_block(&mut self, mut block: Block, put: EncodedSink<'_>) -> Result<()> {
        loop {
            let mut converted = self.job.work(&mut block, usize::MAX, ResultLimits::new(BYTES, true))?;
            let failure = converted.failure.take();
            let room = MOST_MESSAGES - self.counts.messages.len();
            self.counts.skipped += converted.skipped.len() as u64;
            self.counts
                .messages
                .extend(converted.skipped.iter().take(room).map(|malformed| self.origin.message(malformed)));
            self.joined.add(converted, put)?;
            self.origin.check(failure.as_ref())?;
            if block.is_finished() {
                return Ok(());
            }
        }
    }

    /// There are no more rows: passes on the rest.
    ///
    /// # Errors
    ///
    /// That of `put`.
    pub fn finish(mut self, put: EncodedSink<'_>) -> Result<ConvertedRows> {
        self.joined.finish(false, put)?;
        Ok(ConvertedRows { left_out: self.joined.left_out, ..self.counts })
    }
}
