//! The work of the pool on a block: parse it, and sum it up.

use std::sync::Arc;

use anyhow::Result;
use slider_attacks::Backend;
use slider_attacks::position::{PositionSlice, Positions};
use slider_attacks_arrow::{ColumnKind, OnError, Plan, ProductColumn, Summary};
use slider_attacks_files::Block;
use slider_attacks_files::block::{Origin, ReadLimits};
use slider_attacks_formats::batch::MOVE;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::error::Malformed;

use super::groups::{GroupLimit, GroupedSummary};
use super::keys::{GroupKey, Key, groups};
use crate::job::MANY_ROWS;
use crate::pipeline::{ResultLimits, Work, message_bytes};

/// How many positions are summed at a time, if each is no group of its own: these stay in the cache of a thread.
const AT_A_TIME: usize = 1024;

/// The most bytes that the groups of a part of a game may take, where there may be any number of groups.
const MOST_OF_UNIT: usize = 8 << 20;

/// The settings that these threads share.
#[derive(Debug)]
pub struct SumJob {
    /// The computed products.
    pub plan: Plan,
    /// The keys of groups.
    pub keys: Vec<Key>,
    /// How to handle malformed records.
    pub on_error: OnError,
    /// The positions after each legal move are summed up.
    pub each_move: bool,
    /// How many groups there may be.
    pub limit: GroupLimit,
}

/// The sums over one block.
#[derive(Debug)]
pub struct BlockSums {
    /// Where the block comes from.
    pub origin: Arc<Origin>,
    /// How many positions were read.
    pub positions: usize,
    /// How many others were left out because of their keys.
    pub left_out: usize,
    /// The malformed records that were left out.
    pub skipped: Vec<Malformed>,
    /// The malformed record that ends the run.
    pub failure: Option<Malformed>,
    /// Which of the columns of keys were found.
    pub found: Vec<bool>,
    /// The values of the keys for each group.
    pub keys: Vec<GroupKey>,
    /// The sums.
    pub summary: Summary,
    /// How many bytes the sums of the first unit take, if it is more than there may be.
    pub needs: Option<usize>,
}

impl SumJob {
    /// Sums up positions, whose columns `kept` are the keys: the values of the keys for each group, and the sums. If there
    /// are more groups than a run may have, nothing is summed.
    pub fn sum(&self, positions: PositionSlice<'_>, kept: &[KeptColumn]) -> (Vec<GroupKey>, Summary) {
        let (numbers, keys) = groups(&self.keys, positions, kept);
        let summary = self.sum_groups(positions, &numbers, keys.len());
        (keys, summary)
    }

    /// Sums up positions of this many groups. The numbers tell the group of each.
    fn sum_groups(&self, positions: PositionSlice<'_>, numbers: &[u32], count: usize) -> Summary {
        if count > self.most_groups() {
            return Summary::new(&self.plan, 0);
        }
        let mut summary = Summary::new(&self.plan, count);
        let numbers = (!self.keys.is_empty()).then_some(numbers);
        let summed = self.plan.summarize(positions, numbers, &mut summary);
        summed.expect("each position has a group");
        summary
    }

    /// The columns of the input that keys need. The moves are none of them.
    pub fn columns(&self) -> Vec<String> {
        Key::columns(&self.keys).into_iter().filter(|name| !self.each_move || name != MOVE).collect()
    }

    /// The most bytes that a group takes.
    pub fn group_bytes(&self) -> usize {
        let bytes = |column: &ProductColumn| match column.kind() {
            ColumnKind::Bitboard => 512,
            // Sums next to counts; of threats for each side.
            ColumnKind::Threats => 2048,
            _ => 1024,
        };
        256 + self.plan.product_columns().map(bytes).sum::<usize>()
    }

    /// The groups of a run, none yet.
    pub fn groups(&self) -> GroupedSummary {
        GroupedSummary::new(&self.plan, &self.keys).limited(self.limit, self.group_bytes())
    }

    /// The most groups of a run.
    pub fn most_groups(&self) -> usize {
        self.limit.most_groups(self.group_bytes())
    }
}

impl Work for SumJob {
    type Output = BlockSums;

    fn positions(done: &BlockSums) -> usize {
        done.positions
    }

    /// With columns as keys, each position may form a group.
    fn row_bytes(&self) -> usize {
        if self.keys.iter().any(Key::is_column) { self.group_bytes() } else { 0 }
    }

    fn each_move(&self) -> Option<Backend> {
        self.each_move.then(|| self.plan.computes_with())
    }

    fn work(&self, block: &mut Block, limit: usize, room: ResultLimits) -> Result<BlockSums> {
        let mut enough = match self.row_bytes() {
            0 => AT_A_TIME,
            group => (room.bytes / group).clamp(8, AT_A_TIME),
        };
        let (origin, mut groups) = (block.origin.clone(), GroupedSummary::new(&self.plan, &self.keys));
        let (mut positions, mut left_out, mut skipped, mut failure, mut found) = (0, 0, Vec::new(), None, Vec::new());
        // What has been read is not lost if the rest is too large.
        let (mut needs, mut bytes, mut is_first) = (None, 0, true);
        let mut spare = Positions::new();
        block.each_move = self.each_move();
        if room.most < usize::MAX {
            // Each part of a game reads all of it up to there, and few of its positions may be new groups.
            block.most_of_unit = block.most_of_unit.min(AT_A_TIME);
        }
        if !self.keys.is_empty() && self.most_groups() > MOST_OF_UNIT / self.group_bytes() {
            // Each position of a long game may be a group.
            block.most_of_unit = block.most_of_unit.min((MOST_OF_UNIT / self.group_bytes()).max(1));
        }
        loop {
            let (place, most) = (block.place(), ReadLimits { limit: limit - positions, enough });
            let Some(mut records) = block.next(most, self.on_error, spare)? else { break };
            let rows = records.numbers.len();
            let is_large = rows > (2 * enough).max(MANY_ROWS) || rows > enough && rows * self.row_bytes() > room.bytes;
            if is_large && !(room.is_next && is_first) {
                // A long game has a result of its own.
                block.go_back(place);
                break;
            }
            let not_selected = records.select();
            let rows = records.numbers.len();
            if let Some(after) = &records.after
                && let Some(place) = Key::columns(&self.keys).iter().position(|name| name == MOVE)
            {
                records.kept.insert(place, KeptColumn::Text(after.moves.clone()));
            }
            let (numbers, keys) = super::keys::groups(&self.keys, (&records.positions).into(), &records.kept);
            // More groups than a run may have end it.
            if keys.len() <= self.most_groups() && bytes + keys.len() * self.group_bytes() > room.most {
                block.go_back(place);
                if is_first && (enough > 1 || rows > 1 && block.most_of_unit > 1) {
                    enough = (enough / 8).max(1);
                    block.most_of_unit = (block.most_of_unit.min(rows) / 8).max(1);
                    spare = records.positions;
                    continue;
                }
                needs = is_first.then_some(keys.len() * self.group_bytes());
                break;
            }
            let read = records.read();
            records.add_found(&mut found);
            (is_first, positions, left_out) = (false, positions + read, left_out + not_selected);
            skipped.append(&mut records.skipped);
            failure = records.failure.take();
            let summary = self.sum_groups((&records.positions).into(), &numbers, keys.len());
            if keys.len() > self.most_groups() {
                // Nothing has been summed, and this ends the run.
                return Ok(BlockSums { origin, positions, left_out, skipped, failure, found, keys, summary, needs });
            }
            groups.add(keys, &summary).expect("a block may have any number of groups");
            // The next positions may be as many groups. Where there is a limit, it is checked before they are summed.
            let next = if room.most < usize::MAX { 0 } else { enough };
            let count = if self.keys.is_empty() { 0 } else { groups.count() + next };
            bytes = message_bytes(&skipped) + count * self.group_bytes();
            let is_full = bytes >= room.bytes || room.has_left_out(left_out);
            if is_full || most.limit == read || failure.is_some() {
                break;
            }
            spare = records.positions;
        }
        if !room.is_next {
            block.drop_parents();
        }
        let (keys, summary) = groups.into_parts();
        Ok(BlockSums { origin, positions, left_out, skipped, failure, found, keys, summary, needs })
    }
}
