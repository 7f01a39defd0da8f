//! Times that can be compared: all contestants take turns in one process, in short rounds, so that whatever slows the
//! machine down slows all of them down. Of each the fastest and the median turn count.

use std::time::{Duration, Instant};

/// What the turns of one contestant took, in nanoseconds of whatever a turn measures.
#[derive(Clone, Copy)]
pub struct Timing {
    pub least: f64,
    pub median: f64,
}

/// How long turns are taken: for so long, and for so many rounds.
#[derive(Clone, Copy)]
pub struct Rounds {
    pub time: Duration,
    pub least: usize,
}

/// A contestant's turn is repeated passes of about this long, or one pass if that takes longer: the clock's own time
/// does not count then.
const TURN: Duration = Duration::from_micros(200);

/// The time of a pass of each of `count` contestants, divided by `per_pass`, which is what a pass computes.
pub fn time_passes(count: usize, rounds: Rounds, per_pass: usize, mut pass: impl FnMut(usize)) -> Vec<Timing> {
    let mut time = |at, passes: u32| {
        let start = Instant::now();
        (0..passes).for_each(|_| pass(at));
        start.elapsed().max(Duration::from_nanos(1))
    };
    // How many passes make a turn, found with caches and predictors warm.
    let passes: Vec<u32> = (0..count)
        .map(|at| {
            time(at, 1);
            (TURN.as_secs_f64() / time(at, 1).as_secs_f64()).ceil() as u32
        })
        .collect();
    take_turns(count, rounds, |at| {
        // One pass that does not count brings back its tables, which the others have pushed out of the cache. A turn of one
        // pass, of 131,072 pairs say, would tell little but that: loads of 841 KB would look three times as slow.
        time(at, 1);
        nanoseconds(time(at, passes[at])) / (f64::from(passes[at]) * per_pass as f64)
    })
}

/// Timings of `count` contestants from turns that measure themselves.
pub fn take_turns(count: usize, rounds: Rounds, mut turn: impl FnMut(usize) -> f64) -> Vec<Timing> {
    let mut turns: Vec<Vec<f64>> = vec![Vec::new(); count];
    let start = Instant::now();
    for round in 0.. {
        if round >= rounds.least && start.elapsed() >= rounds.time {
            break;
        }
        for offset in 0..count {
            // Each round begins with another contestant, so that nobody always follows the same one.
            let at = (round + offset) % count;
            turns[at].push(turn(at));
        }
    }
    let timing = |mut turns: Vec<f64>| {
        turns.sort_by(f64::total_cmp);
        Timing { least: turns[0], median: turns[turns.len() / 2] }
    };
    turns.into_iter().map(timing).collect()
}

/// A duration as the number that timings are made of.
pub fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}
