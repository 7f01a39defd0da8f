//! Stripes: rows of a row group that a thread of a pool reads, while others read those before and after them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use anyhow::{Error, Result};

use super::ranges::{RangeReader, RowRange};
use super::survey::{GroupSurvey, OPEN_ROWS, RANGE, row_count};
use crate::ordered::{PendingResult, Pool, SPARE};

/// About how many bytes the rows of a stripe take, and how many rows it has at most.
const STRIPE: usize = 2 << 20;
const STRIPE_ROWS: u64 = 1 << 16;
/// The least limit of the bytes of a range that a task reads. A longer one is left to the thread that waits for it.
const MOST: usize = 2 * STRIPE;
/// The most memory of all tasks: as much as the frames of zstd, which no file of Parquet needs.
const MEMORY: u64 = 128 << 20;

/// The rows of some row groups, in order.
pub struct Stripes {
    reader: RangeReader,
    pool: Option<Arc<Pool>>,
    /// The row groups that nothing has been read of.
    groups: Range<usize>,
    /// The remaining parts of the previous row groups, in order.
    stripes: VecDeque<Stripe>,
    /// The part of the previous stripe that has been read.
    ready: VecDeque<RowRange>,
    failed: Option<Error>,
}

/// Rows of a row group.
#[derive(Clone)]
struct GroupRows {
    group: usize,
    survey: Arc<GroupSurvey>,
    at: u64,
    end: u64,
    /// A task has left them to the thread that waits for it.
    are_left: bool,
}

enum Stripe {
    /// No thread reads these rows yet.
    Unread(GroupRows),
    /// A thread of the pool reads these rows: as many as a task may, and an error after them.
    Task(GroupRows, PendingResult<(Vec<RowRange>, Option<Error>)>),
    /// The row group cannot be read.
    Failed(Error),
}

impl GroupRows {
    /// How many bytes the rows of a usual range take.
    fn range_bytes(&self) -> usize {
        let row: f64 = self.survey.columns.iter().map(|column| column.row).sum();
        (row * OPEN_ROWS as f64) as usize
    }

    /// Whether a thread of the pool may read them, with little memory.
    fn may_be_shared(&self) -> bool {
        self.survey.stays_open && !self.are_left && self.range_bytes() <= RANGE
    }

    /// The most bytes of a range that a task reads.
    fn most(&self) -> usize {
        (2 * self.range_bytes()).clamp(MOST, RANGE)
    }

    /// How much memory a task takes: a dictionary and a page of each leaf, and the rows.
    fn task_bytes(&self) -> u64 {
        2 * self.survey.largest_pages + self.most() as u64
    }

    /// Takes a stripe from the beginning: whole ranges, which end where they end for a single thread. If a page is damaged, the same
    /// rows come before the error then.
    fn take_stripe(&mut self) -> GroupRows {
        let ranges = ((STRIPE / self.range_bytes().max(1)) as u64).clamp(1, STRIPE_ROWS / OPEN_ROWS);
        let end = self.end.min(self.at + ranges * OPEN_ROWS);
        let stripe = GroupRows { end, ..self.clone() };
        self.at = end;
        stripe
    }

    /// Reads the next rows.
    fn read(&mut self, reader: &mut RangeReader) -> Result<RowRange> {
        let range = reader.range(self.group, &self.survey, self.at, self.end)?;
        self.at += range.rows();
        Ok(range)
    }

    /// Reads whole ranges until one has too many bytes.
    fn read_some(mut self, mut reader: RangeReader) -> (Vec<RowRange>, Option<Error>) {
        let mut ranges = Vec::new();
        while self.at < self.end {
            let next = self.end.min(self.at + OPEN_ROWS);
            match self.read(&mut reader) {
                Ok(_) if self.at < next => break,
                Ok(range) => ranges.push(range),
                Err(error) => return (ranges, Some(error)),
            }
        }
        (ranges, None)
    }
}

impl Stripes {
    /// The rows of these row groups. If there is a pool, its threads read them: another thread must take them.
    pub fn new(reader: RangeReader, groups: Range<usize>, pool: Option<Arc<Pool>>) -> Stripes {
        Stripes { reader, pool, groups, stripes: VecDeque::new(), ready: VecDeque::new(), failed: None }
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
            match self.stripes.pop_front() {
                None => return Ok(None),
                Some(Stripe::Failed(error)) => return Err(error),
                Some(Stripe::Unread(rows)) if rows.at == rows.end => {}
                Some(Stripe::Unread(mut rows)) => {
                    let range = rows.read(&mut self.reader)?;
                    self.stripes.push_front(Stripe::Unread(rows));
                    return Ok(Some(range));
                }
                Some(Stripe::Task(mut rows, task)) => {
                    let (ranges, failed) = task.get();
                    rows.at += ranges.iter().map(RowRange::rows).sum::<u64>();
                    rows.are_left = true;
                    (self.ready, self.failed) = (ranges.into(), failed);
                    self.stripes.push_front(Stripe::Unread(rows));
                }
            }
        }
    }

    /// Begins as many tasks as there is memory for, or the next row group.
    fn read_ahead(&mut self) {
        let threads = self.pool.as_ref().map_or(0, |pool| pool.threads());
        loop {
            let tasks = self.stripes.iter().filter_map(|stripe| match stripe {
                Stripe::Task(rows, _) => Some(rows.task_bytes()),
                _ => None,
            });
            let (count, bytes) = tasks.fold((0, 0), |(count, bytes), task| (count + 1, bytes + task));
            match (self.stripes.back_mut(), &self.pool) {
                (Some(Stripe::Unread(rows)), _) if rows.at == rows.end => _ = self.stripes.pop_back(),
                (Some(Stripe::Unread(rows)), Some(pool)) if rows.may_be_shared() => {
                    if count >= threads + SPARE || count > 0 && bytes + rows.task_bytes() > MEMORY {
                        return;
                    }
                    let (stripe, reader) = (rows.take_stripe(), self.reader.again(rows.most()));
                    let task = stripe.clone();
                    let task = Stripe::Task(stripe, pool.run(move || task.read_some(reader)));
                    let place = self.stripes.len() - 1;
                    self.stripes.insert(place, task);
                }
                (None, _) | (Some(Stripe::Task(..)), _) => {
                    let Some(group) = self.groups.next() else { return };
                    let end = row_count(self.reader.metadata.row_group(group));
                    self.stripes.push_back(match self.reader.survey(group) {
                        Ok(survey) => {
                            Stripe::Unread(GroupRows { group, survey: Arc::new(survey), at: 0, end, are_left: false })
                        }
                        Err(error) => Stripe::Failed(error),
                    });
                }
                _ => return,
            }
        }
    }
}
