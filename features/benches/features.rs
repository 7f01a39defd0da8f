//! The time of rows, in nanoseconds per position: `cargo bench -p slider-attacks-features [-- FILE.fen]`.
//!
//! All backends and sets take turns in one process. Rows are computed for 2,048 positions at a time, so that they stay
//! in the cache. Without a file, the positions are the sample of this repository.

use std::hint::black_box;
use std::time::Duration;

use slider_attacks::position::Positions;
use slider_attacks::{Backend, Lists};
use slider_attacks_features::{FeatureSet, Features, RowOrder, ViewOrder};
use timing::{Rounds, time_passes};

const AT_A_TIME: usize = 2_048;

/// What is measured: one row per position for each of the sums of sets.
const CONTESTANTS: [(&str, &[&[&str]]); 5] = [
    ("halfka_hm", &[&["halfka_hm"]]),
    ("threats", &[&["threats"]]),
    ("pawn_pairs", &[&["pawn_pairs"]]),
    ("threats + pawn_pairs", &[&["threats", "pawn_pairs"]]),
    ("all three, one row each", &[&["halfka_hm"], &["threats"], &["pawn_pairs"]]),
];

fn inputs(names: &[&str]) -> Features {
    Features::new(names.iter().map(|name| FeatureSet::by_name(name, None).expect("a name"))).expect("a few sets")
}

fn main() {
    // `cargo bench` passes `--bench`. `cargo test --benches` does not: then everything is run, and hardly anything
    // timed.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let text = match &file {
        Some(file) => std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}")),
        None => include_bytes!("../../tests/data/sample.epd").repeat(if is_bench { 20 } else { 1 }),
    };
    let mut positions = Positions::new();
    positions.read_lines(&text).unwrap_or_else(|error| panic!("{error}"));
    let rounds = if is_bench {
        Rounds { time: Duration::from_secs(5), count: 31 }
    } else {
        Rounds { time: Duration::ZERO, count: 1 }
    };
    let mut contestants = Vec::new();
    for backend in Backend::available() {
        for (name, sums) in CONTESTANTS {
            let sums: Vec<_> = sums.iter().map(|names| (inputs(names), [Lists::<u16>::new(), Lists::new()])).collect();
            contestants.push((backend, name, sums));
        }
    }
    let timings = time_passes(contestants.len(), rounds, positions.len(), |at| {
        let (backend, _, sums) = &mut contestants[at];
        for start in (0..positions.len()).step_by(AT_A_TIME) {
            let part = positions.slice(start..positions.len().min(start + AT_A_TIME));
            for (inputs, rows) in &mut *sums {
                inputs
                    .fill(*backend, part, ViewOrder::Colors, RowOrder::Found, rows)
                    .expect("positions without errors");
                black_box(rows);
            }
        }
    });
    println!("{} positions; nanoseconds per position, both perspectives: fastest, median", positions.len());
    for ((backend, name, _), timing) in contestants.iter().zip(timings) {
        println!("{:<12} {name:<24} {:>7.1} {:>7.1}", backend.name(), timing.fastest, timing.median);
    }
}
