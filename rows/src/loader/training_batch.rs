//! Batches of positions, and what is computed of them.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use slider_attacks::position::{Color, Positions};
use slider_attacks_arrow::{Perspective, Values};
use slider_attacks_features::{RowLists, ViewOrder};
use slider_attacks_games::records::Outcome;

use super::labels::Label;
use super::packed::{PackedPosition, unpack};
use super::planes::PlaneMemory;
use super::pooled::{MemoryPool, PooledValue};
use super::settings::{LoaderSettings, SPARE_BATCHES};

/// A batch of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingBatch {
    /// The positions, as the perspective says.
    pub positions: Positions,
    /// The scores, if they are wanted: as the source has them, or the side to move's. [`NO_SCORE`] where there is none.
    pub scores: Option<Vec<i32>>,
    /// The results, if they are wanted: 1, ½ or 0 for White or the side to move; not a number where there is none.
    pub results: Option<Vec<f32>>,
    /// The plies, if they are wanted; -1 where the ply is not known.
    pub plies: Option<Vec<i32>>,
    /// The columns of the products.
    pub values: Vec<Values>,
    /// The inputs of a network, if they are wanted: for White and Black, or for the side to move and its opponent. Their memory is
    /// used again once they are dropped.
    pub features: Option<[PooledValue<RowLists>; 2]>,
    /// The planes, if they are wanted. Their memory is used again, too.
    pub planes: Option<PooledValue<PlaneMemory>>,
}

/// Memory for what batches hold. Clones share it.
#[derive(Clone, Debug)]
pub struct SpareMemory {
    rows: Arc<MemoryPool<RowLists>>,
    planes: Arc<MemoryPool<PlaneMemory>>,
}

impl SpareMemory {
    /// None yet.
    pub fn new() -> SpareMemory {
        SpareMemory { rows: MemoryPool::new(2 * SPARE_BATCHES), planes: MemoryPool::new(SPARE_BATCHES) }
    }

    /// Frees it, and keeps none of the batches to come.
    pub fn close(&self) {
        self.rows.close();
        self.planes.close();
    }
}

/// Stands for a score that is missing.
pub const NO_SCORE: i32 = i32::MIN;

/// Unpacks a batch and computes its products.
pub fn compute(settings: &LoaderSettings, packed: &[PackedPosition], spare: &SpareMemory) -> Result<TrainingBatch> {
    let mut positions = unpack(packed).map_err(|_| anyhow!("the state is damaged"))?;
    // Of the positions as they were: rows are in the same order as those of `Features`.
    let features = settings.features.as_ref().map(|(features, order)| {
        let view = match settings.perspective {
            Perspective::Mover => ViewOrder::Mover,
            Perspective::Board => ViewOrder::Colors,
        };
        let mut rows = [spare.rows.take(), spare.rows.take()];
        let lists = rows.each_mut().map(PooledValue::get_mut);
        features.fill_narrow_rows(settings.plan.computes_with(), &positions, view, *order, lists).map(|()| rows)
    });
    let features = features.transpose()?;
    let is_turned =
        |row: &PackedPosition| settings.perspective == Perspective::Mover && row.side_to_move() == Color::Black;
    if settings.perspective == Perspective::Mover {
        let mut seen = Positions::new();
        settings.plan.computes_with().seen_by_mover(&positions, &mut seen);
        positions = seen;
    }
    let values = settings.plan.values(&positions);
    let planes = settings.planes.as_ref().map(|planes| {
        let mut memory = spare.planes.take();
        planes.write(&settings.plan, &positions, &values, memory.get_mut()).map(|()| memory)
    });
    let score = |row: &PackedPosition| {
        let score = row.labels().score.map(i32::from);
        score.map_or(NO_SCORE, |score| if is_turned(row) { -score } else { score })
    };
    let result = |row: &PackedPosition| {
        let white = match row.labels().result {
            Some(Outcome::White) => 1.0,
            Some(Outcome::Draw) => 0.5,
            Some(Outcome::Black) => 0.0,
            None => f32::NAN,
        };
        if is_turned(row) { 1.0 - white } else { white }
    };
    let ply = |row: &PackedPosition| row.labels().ply.map_or(-1, |ply| ply as i32);
    let wants = |label| settings.labels.contains(&label);
    Ok(TrainingBatch {
        scores: wants(Label::Score).then(|| packed.iter().map(score).collect()),
        results: wants(Label::Result).then(|| packed.iter().map(result).collect()),
        plies: wants(Label::Ply).then(|| packed.iter().map(ply).collect()),
        values,
        features,
        planes: planes.transpose()?,
        positions,
    })
}
