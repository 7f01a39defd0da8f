//! What a loader reads, and what it makes of it.

use std::sync::Arc;

use slider_attacks_arrow::{OnError, Perspective, Plan, Product};
use slider_attacks_features::{Features, RowOrder};
use slider_attacks_files::Input;
use slider_attacks_files::input::Shard;
use slider_attacks_files::ordered::SPARE;
use slider_attacks_formats::games::Games;
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_query::{ChanceQuery, PositionQuery};

use super::labels::Label;
use super::packed::PACKED;
use super::planes::PlaneSettings;
use super::state;
use crate::conditions::{RowChances, RowChoice};
use crate::sizes;

/// How many batches wait for the caller at least. Each is computed by one thread, so two keep two threads busy.
const LEAST_WAITING: usize = 2;
/// How many wait at most if they are large, and how many bytes they may take if they are more.
const LARGE_WAITING: usize = 4;
const WAITING_BYTES: usize = 128 << 20;
/// The memory of how many batches that nobody has any more is kept.
pub const SPARE_BATCHES: usize = 2;
/// About how many positions are packed at a time, and how many bytes of text a block has.
pub const BLOCK_ROWS: usize = 4096;
pub const BLOCK_BYTES: usize = 128 << 10;
/// About how many bytes the columns of a position take before they are packed.
const ROW: usize = 256;

/// At most how many inputs of a set a position has, about.
const INPUTS: usize = 64;

/// The files, and what to make of them.
#[derive(Clone, Debug)]
pub struct LoaderSettings {
    /// The inputs, which are files.
    pub inputs: Vec<Input>,
    /// The format of all inputs, if they are training records that do not show it.
    pub from: Option<TrainingFormat>,
    /// The column or field with the positions or games.
    pub column: String,
    /// Which games, and which of their positions.
    pub games: Games,
    /// The positions after the first move of the column `Moves`, not those before it.
    pub after_first_move: bool,
    /// Only the positions for which this holds, if there is one.
    pub condition: Option<PositionQuery>,
    /// The chance with which each of these is taken, if not all are. What is taken depends on the seed, the epoch, and the place of
    /// the position in its range.
    pub keep: Option<ChanceQuery>,
    /// How to handle malformed records: they end the work, or are left out.
    pub on_error: OnError,
    /// The labels.
    pub labels: Vec<Label>,
    /// The products. Its perspective is that of the next field.
    pub plan: Plan,
    /// The inputs of a network, if they are wanted, and their order in each row.
    pub features: Option<(Arc<Features>, RowOrder)>,
    /// Planes, if they are wanted. The plan has the products that they show.
    pub planes: Option<PlaneSettings>,
    /// How positions, scores, results, inputs and planes are seen.
    pub perspective: Perspective,
    /// How many positions a batch has.
    pub batch: usize,
    /// How many positions the buffer has; with 0, positions come in the order of the files.
    pub shuffle: usize,
    /// The seed of the order.
    pub seed: u64,
    /// The part of each epoch that this loader has.
    pub shard: Shard,
    /// How many epochs there are; `None` is without end.
    pub epochs: Option<u64>,
    /// How many threads parse and compute.
    pub threads: usize,
    /// How many bytes a range has at least, if not as many as usual.
    pub range_bytes: Option<u64>,
}

/// No inputs yet, one epoch of batches of 16,384 positions without labels and products, a buffer of a million positions, and one
/// thread.
impl Default for LoaderSettings {
    fn default() -> LoaderSettings {
        LoaderSettings {
            inputs: Vec::new(),
            from: None,
            column: "fen".to_owned(),
            games: Games::default(),
            after_first_move: false,
            condition: None,
            keep: None,
            on_error: OnError::Fail,
            labels: Vec::new(),
            plan: Plan::new([Product::Maps; 0]),
            features: None,
            planes: None,
            perspective: Perspective::Board,
            batch: 1 << 14,
            shuffle: 1_000_000,
            seed: 0,
            shard: Shard { number: 1, of: 1 },
            epochs: Some(1),
            threads: 1,
            range_bytes: None,
        }
    }
}

impl LoaderSettings {
    /// Which positions are taken.
    pub(super) fn choice(&self) -> RowChoice {
        RowChoice::of_condition(self.condition.clone())
    }

    /// The chances with which positions are taken, if not all are.
    pub(super) fn chances(&self) -> Option<Arc<RowChances>> {
        self.keep.clone().map(|keep| Arc::new(RowChances::new(keep, &self.plan)))
    }

    /// About how many bytes the inputs of a position take.
    fn feature_bytes(&self) -> usize {
        let Some((features, _)) = &self.features else { return 0 };
        let index = if features.has_narrow_rows() { size_of::<u16>() } else { size_of::<u32>() };
        2 * (size_of::<usize>() + index * INPUTS * features.offsets().len())
    }

    /// How many bytes the planes of a position take.
    fn plane_bytes(&self) -> usize {
        self.planes.as_ref().map_or(0, PlaneSettings::bytes)
    }

    /// About how many bytes of a position a batch has, without planes.
    fn position_bytes(&self) -> usize {
        let position = PACKED + 15 * size_of::<u64>();
        PACKED + 2 * position + sizes::values(&self.plan) + self.feature_bytes()
    }

    /// About how many bytes a batch takes.
    fn batch_bytes(&self) -> usize {
        self.batch.saturating_mul(self.plane_bytes().saturating_add(self.position_bytes()))
    }

    /// How many batches wait for the caller: one for each thread, but only four if they are large.
    pub(super) fn waiting(&self) -> usize {
        let most = (WAITING_BYTES / self.batch_bytes().max(1)).max(LARGE_WAITING);
        self.threads.min(most).max(LEAST_WAITING)
    }

    /// At most how many bytes a loader takes, about, apart from the stacks of its threads and what decompression takes: 40 for each
    /// position of the buffer; batches that wait or are being made, and inputs and planes of batches that the caller had; and, for
    /// each thread and four more, a block of text and the positions of it.
    pub fn memory(&self) -> usize {
        let buffer = self.shuffle.saturating_mul(PACKED);
        let planes = self.batch.saturating_mul(self.plane_bytes()).saturating_mul(self.waiting() + 2 + SPARE_BATCHES);
        buffer.saturating_add(planes).saturating_add(self.unchecked_memory())
    }

    /// The part of it whose allocations are not checked one by one, as those of the buffer and of planes are.
    pub(super) fn unchecked_memory(&self) -> usize {
        let batches = self.batch.saturating_mul(self.position_bytes()).saturating_mul(self.waiting() + 2);
        let block = 2 * BLOCK_BYTES + BLOCK_ROWS * (ROW + PACKED);
        let blocks = block.saturating_mul(self.threads.saturating_add(SPARE + 2));
        let spare = self.batch.saturating_mul(SPARE_BATCHES * self.feature_bytes());
        batches.saturating_add(spare).saturating_add(blocks)
    }

    /// A number that settings with another order, or other labels, do not have.
    pub(super) fn checksum(&self) -> u64 {
        let LoaderSettings { from, column, games, after_first_move, condition, keep, on_error, labels, .. } = self;
        let condition = condition.as_ref().map(PositionQuery::text);
        let keep = keep.as_ref().map(|keep| keep.condition().text());
        let refuses = self.features.as_ref().is_some_and(|(features, _)| features.refuses_pawns_on_last_ranks());
        let mut texts =
            format!("{from:?} {column:?} {games:?} {after_first_move} {condition:?} {on_error:?} {labels:?}");
        if keep.is_some() || refuses {
            texts += &format!(" {keep:?} {refuses}");
        }
        let Shard { number, of } = self.shard;
        let numbers = [self.shuffle as u64, self.seed, number.into(), of.into()];
        state::checksum(numbers.into_iter().chain(texts.bytes().map(u64::from)))
    }
}
