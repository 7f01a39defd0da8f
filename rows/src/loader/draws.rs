//! Which records of a binpack are taken by chance, before positions are made of them.

use std::sync::Arc;

use slider_attacks_formats::request::{RecordDraw, RecordDraws, RecordSampling};
use slider_attacks_games::records::RecordLabels;
use slider_attacks_query::RecordChance;

use super::random::SplitMix64;
use super::settings::LoaderSettings;
use crate::conditions::RecordRow;

/// Tells the random numbers of chances from others of the same seed and epoch.
const DRAWS: u64 = u64::from_le_bytes(*b"chances\0");

/// Draws records of a range.
#[derive(Debug)]
struct RangeDraws {
    chance: RecordChance,
    random: SplitMix64,
}

impl RecordSampling for RangeDraws {
    #[inline]
    fn draw(&self, record: &RecordLabels<'_>, is_exact: bool) -> RecordDraw {
        match self.chance.exceeds(&RecordRow(record), self.random.unit(record.place), is_exact) {
            Some(true) => RecordDraw::Taken,
            Some(false) => RecordDraw::Missed,
            None => RecordDraw::Excluded,
        }
    }
}

/// The random numbers that say which rows of a block are taken: of an epoch, a range, and blocks of it.
pub fn draws(settings: &LoaderSettings, epoch: u64, range: usize, blocks: u64) -> SplitMix64 {
    SplitMix64::of(&[settings.seed, epoch, range as u64, blocks, DRAWS])
}

/// The draws for the records of a range, if they have all that their chances depend on.
pub fn record_draws(settings: &LoaderSettings, epoch: u64, range: usize) -> Option<RecordDraws> {
    let chance = RecordChance::of(settings.keep.as_ref()?)?;
    Some(Arc::new(RangeDraws { chance, random: draws(settings, epoch, range, 0) }))
}
