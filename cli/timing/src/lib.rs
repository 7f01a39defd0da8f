//! Comparable timings: contestants alternate in one process, in short turns, so that noise affects all of them. The fastest and
//! the median turn of each contestant count.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use slider_attacks::Square;

/// The times of the turns of one contestant, in nanoseconds per item.
#[derive(Clone, Copy)]
pub struct Timing {
    /// The fastest turn.
    pub fastest: f64,
    /// The median turn.
    pub median: f64,
}

/// How long to measure. Both limits must be reached.
#[derive(Clone, Copy)]
pub struct Rounds {
    /// The minimum time for all contestants together.
    pub time: Duration,
    /// The minimum number of turns per contestant.
    pub count: usize,
}

/// A turn repeats passes for about this long, or makes one pass if that takes longer. That makes the time of reading the
/// clock negligible.
const TURN: Duration = Duration::from_micros(200);

/// Times `count` contestants: `pass(i)` is one pass of contestant `i`, and computes `items_per_pass` items. Timings are per
/// item.
pub fn time_passes(count: usize, rounds: Rounds, items_per_pass: usize, mut pass: impl FnMut(usize)) -> Vec<Timing> {
    let mut time = |contestant, passes: u32| {
        let start = Instant::now();
        (0..passes).for_each(|_| pass(contestant));
        start.elapsed().max(Duration::from_nanos(1))
    };
    // The number of passes per turn, measured with warm caches and predictors.
    let passes: Vec<u32> = (0..count)
        .map(|contestant| {
            time(contestant, 1);
            (TURN.as_secs_f64() / time(contestant, 1).as_secs_f64()).ceil() as u32
        })
        .collect();
    time_turns(count, rounds, |contestant| {
        // One untimed pass brings back tables that other contestants have pushed out of the cache. Without it, a turn of one
        // pass over 131,072 pairs would mostly measure that: loading 841 KB of tables takes three times as long as the pass.
        time(contestant, 1);
        nanoseconds(time(contestant, passes[contestant])) / (f64::from(passes[contestant]) * items_per_pass as f64)
    })
}

/// Times `count` contestants whose turns measure themselves: `turn(i)` returns the time of contestant `i`.
pub fn time_turns(count: usize, rounds: Rounds, mut turn: impl FnMut(usize) -> f64) -> Vec<Timing> {
    let mut turns: Vec<Vec<f64>> = vec![Vec::new(); count];
    let start = Instant::now();
    for round in 0.. {
        if round >= rounds.count && start.elapsed() >= rounds.time {
            break;
        }
        for offset in 0..count {
            // Each round begins with another contestant, so that no one always follows the same one.
            let contestant = (round + offset) % count;
            turns[contestant].push(turn(contestant));
        }
    }
    let timing = |mut turns: Vec<f64>| {
        turns.sort_by(f64::total_cmp);
        Timing { fastest: turns[0], median: turns[turns.len() / 2] }
    };
    turns.into_iter().map(timing).collect()
}

/// A duration in nanoseconds.
pub fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

/// Random squares, and boards with about 16 pieces; the same in every run.
pub fn random_pairs(length: usize) -> (Vec<Square>, Vec<u64>) {
    // SplitMix64 (Steele, Lea and Flood, 2014): https://doi.org/10.1145/2660193.2660195
    let mut state = 0_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..length).map(|_| (Square::ALL[(next() % 64) as usize], next() & next())).unzip()
}
