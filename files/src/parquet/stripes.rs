//! Stripes: rows of a row group that a thread of a pool reads, while others read those before and after them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Error, Result};

use super::ranges::{RangeReader, RowRange};
use super::survey::{GroupSurvey, row_count};
use crate::ordered::{Awaited, Pool, SPARE};

/// How many bytes the rows of a stripe take on average, and how many rows it has at most.
const STRIPE: usize = 2 << 20;
const STRIPE_ROWS: u64 = 1 << 16;
/// The most bytes that a task reads. What a stripe has beyond that, because its rows are longer than the average, is read by the thread
/// that waits for it.
const MOST: usize = 2 * STRIPE;
/// The most memory of all tasks: as much as the frames of zstd, which are not there at the same time.
const MEMORY: u64 = 128 << 20;

/// The rows of some row groups, in order.
pub struct Stripes {
    reader: RangeReader,
    pool: Option<Arc<Pool>>,
    /// The row groups that nothing has been read of.
    groups: Range<usize>,
    /// What has not been taken of the row groups before, in order.
    unread: VecDeque<Unread>,
    /// What has been read of the stripe before.
    ready: VecDeque<RowRange>,
    failed: Option<Error>,
}

/// Rows of a row group.
#[derive(Clone)]
struct Rows {
    group: usize,
    survey: Arc<GroupSurvey>,
    at: u64,
    end: u64,
}

enum Unread {
    /// Rows that nobody reads yet.
    Rows(Rows),
    /// Rows that a thread of the pool reads: as many as a task may, and an error after them.
    Task(Rows, Awaited<(Vec<RowRange>, Option<Error>)>),
    /// The row group cannot be read.
    Failed(Error),
}

impl Rows {
    /// Whether a thread of a pool may read them, with little memory.
    fn may_be_shared(&self) -> bool {
        self.survey.stays_open
    }

    /// How much memory a task takes: a dictionary and a page of each leaf, and the rows.
    fn task_bytes(&self) -> u64 {
        2 * self.survey.largest_pages + MOST as u64
    }

    /// Takes a stripe from the beginning, which ends at a page of the first column if one begins in its second half.
    fn take_stripe(&mut self) -> Rows {
        let row: f64 = self.survey.columns.iter().map(|column| column.row).sum();
        let most = ((STRIPE as f64 / row.max(1.0)) as u64).clamp(1, STRIPE_ROWS);
        let end = self.end.min(self.at + most);
        let starts = &self.survey.page_starts;
        let last = starts[..starts.partition_point(|&start| start <= end)].last();
        let is_near = |&start: &u64| end < self.end && start > self.at + most / 2;
        let end = last.copied().filter(is_near).unwrap_or(end);
        let stripe = Rows { end, ..self.clone() };
        self.at = end;
        stripe
    }

    /// Reads the next rows.
    fn read(&mut self, reader: &mut RangeReader) -> Result<RowRange> {
        let range = reader.range(self.group, &self.survey, self.at, self.end)?;
        self.at += range.rows();
        Ok(range)
    }

    /// Reads as many rows as a task may.
    fn read_some(mut self, mut reader: RangeReader) -> (Vec<RowRange>, Option<Error>) {
        let (mut ranges, mut bytes) = (Vec::new(), 0);
        while self.at < self.end && bytes < STRIPE {
            match self.read(&mut reader) {
                Ok(range) => {
                    bytes += range.sizes.iter().sum::<usize>();
                    ranges.push(range);
                }
                Err(error) => return (ranges, Some(error)),
            }
        }
        (ranges, None)
    }
}

impl Stripes {
    /// The rows of these row groups. If there is a pool, its threads read them: another thread must take them.
    pub fn new(reader: RangeReader, groups: Range<usize>, pool: Option<Arc<Pool>>) -> Stripes {
        Stripes { reader, pool, groups, unread: VecDeque::new(), ready: VecDeque::new(), failed: None }
    }

    /// The next rows.
    ///
    /// # Errors
    ///
    /// They cannot be read. Then no others can.
    pub fn next(&mut self) -> Result<Option<RowRange>> {
        loop {
            if let Some(range) = self.ready.pop_front() {
                return Ok(Some(range));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            self.read_ahead();
            match self.unread.pop_front() {
                None => return Ok(None),
                Some(Unread::Failed(error)) => return Err(error),
                Some(Unread::Rows(rows)) if rows.at == rows.end => {}
                Some(Unread::Rows(mut rows)) => {
                    let range = rows.read(&mut self.reader)?;
                    self.unread.push_front(Unread::Rows(rows));
                    return Ok(Some(range));
                }
                Some(Unread::Task(mut rows, task)) => {
                    let (ranges, failed) = task.get();
                    rows.at += ranges.iter().map(RowRange::rows).sum::<u64>();
                    (self.ready, self.failed) = (ranges.into(), failed);
                    self.unread.push_front(Unread::Rows(rows));
                }
            }
        }
    }

    /// Begins as many tasks as there is memory for, or the next row group.
    fn read_ahead(&mut self) {
        let threads = self.pool.as_ref().map_or(0, |pool| pool.threads());
        loop {
            let tasks = self.unread.iter().filter_map(|unread| match unread {
                Unread::Task(rows, _) => Some(rows.task_bytes()),
                _ => None,
            });
            let (count, bytes) = tasks.fold((0, 0), |(count, bytes), task| (count + 1, bytes + task));
            match (self.unread.back_mut(), &self.pool) {
                (Some(Unread::Rows(rows)), _) if rows.at == rows.end => _ = self.unread.pop_back(),
                (Some(Unread::Rows(rows)), Some(pool)) if rows.may_be_shared() => {
                    if count >= threads + SPARE || count > 0 && bytes + rows.task_bytes() > MEMORY {
                        return;
                    }
                    let (stripe, reader) = (rows.take_stripe(), self.reader.again(MOST));
                    let task = stripe.clone();
                    let task = Unread::Task(stripe, pool.run(move || task.read_some(reader)));
                    let place = self.unread.len() - 1;
                    self.unread.insert(place, task);
                }
                (None, _) | (Some(Unread::Task(..)), _) => {
                    let Some(group) = self.groups.next() else { return };
                    let end = row_count(self.reader.metadata.row_group(group));
                    self.unread.push_back(match self.reader.survey(group) {
                        Ok(survey) => Unread::Rows(Rows { group, survey: Arc::new(survey), at: 0, end }),
                        Err(error) => Unread::Failed(error),
                    });
                }
                _ => return,
            }
        }
    }
}
