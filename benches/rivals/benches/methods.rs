//! The cost of a queen with each scalar method: `cargo bench -p rivals --bench methods`.
//!
//! All methods take turns in one process, one pass over the same pairs each. The fastest and the median pass count. Each
//! method is inlined into a loop of its own. There are two columns: with the cache to itself, and with a shared cache, where
//! a caller touches 1 MiB between calls of 64 queens. The time of touching is not counted; the time of fetching the tables
//! again is.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rivals::turns::{Rounds, Timing, nanoseconds, take_turns};
use rivals::{Pairs, WorkingSet, just_written};
use slider_attacks::methods::{self, Method};
use slider_attacks::{Slider, Square, reference};

const PAIRS: usize = 4_096;
/// Pairs per call with a shared cache.
const CALL: usize = 64;
const ROUNDS: usize = 2_000;
const SHARED_ROUNDS: usize = 100;

type Run = fn(&[Square], &[u64], &mut [u64]);

/// A loop with the method inlined.
macro_rules! run {
    ($method:ident) => {{
        fn run(squares: &[Square], occs: &[u64], out: &mut [u64]) {
            for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                *out = methods::$method::queen_attacks(square, occ);
            }
        }
        run as Run
    }};
}

/// The same in a function with BMI2, so that the instructions are inlined too.
#[cfg(target_arch = "x86_64")]
fn run_pext(squares: &[Square], occs: &[u64], out: &mut [u64]) {
    #[target_feature(enable = "bmi2")]
    fn run(squares: &[Square], occs: &[u64], out: &mut [u64]) {
        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
            *out = methods::pext::queen_attacks(square, occ);
        }
    }
    assert!(is_x86_feature_detected!("bmi2"), "methods that cannot run are left out");
    // SAFETY: the CPU has BMI2, as checked above.
    unsafe { run(squares, occs, out) }
}

/// The loop of a method.
fn find_run(method: &Method) -> Run {
    match method.name() {
        "fill-up" => run!(fill_up),
        "fill-up-in-order" => run!(fill_up_in_order),
        "shared-rank" => run!(shared_rank),
        "thirty-two-bit" => run!(thirty_two_bit),
        "no-multiplication" => run!(no_multiplication),
        "magic-compression" => run!(magic_compression),
        "per-square" => run!(per_square),
        #[cfg(target_arch = "x86_64")]
        "pext" => run_pext,
        "rotated" => run!(rotated),
        name => panic!("{name} has no loop here"),
    }
}

fn main() {
    // `cargo bench` passes `--bench`. `cargo test --benches` does not: then everything is checked and hardly anything timed.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (in_cache_rounds, shared_rounds) = if is_bench { (ROUNDS, SHARED_ROUNDS) } else { (1, 1) };
    let pairs = Pairs::random(PAIRS);
    let methods: Vec<(&Method, Run)> =
        Method::ALL.iter().filter(|method| method.can_run()).map(|method| (method, find_run(method))).collect();
    let mut out = vec![0; pairs.len()];
    for (method, run) in &methods {
        run(&pairs.squares, &pairs.occs, &mut out);
        for ((&square, &occ), &out) in pairs.squares.iter().zip(&pairs.occs).zip(&out) {
            let expected = reference::attacks(Slider::Queen, square, occ);
            assert_eq!(out, expected, "{method} on {square}, occupancy {occ:#x}");
        }
    }

    let rounds = |count| Rounds { time: Duration::ZERO, count };
    let in_cache = take_turns(methods.len(), rounds(in_cache_rounds), |at| {
        let run = methods[at].1;
        // Once untimed, to bring back its tables, which the others have pushed out of the cache.
        run(black_box(&pairs.squares), black_box(&pairs.occs), black_box(&mut out));
        let started = Instant::now();
        run(black_box(&pairs.squares), black_box(&pairs.occs), black_box(&mut out));
        nanoseconds(started.elapsed()) / pairs.len() as f64
    });
    let mut working_set = WorkingSet::new();
    let shared = take_turns(methods.len(), rounds(shared_rounds), |at| {
        let run = methods[at].1;
        let mut called = Duration::ZERO;
        let calls = pairs.squares.chunks_exact(CALL).zip(pairs.occs.chunks_exact(CALL));
        for ((squares, occs), out) in calls.zip(out.chunks_exact_mut(CALL)) {
            working_set.touch();
            just_written(squares, occs);
            black_box(&mut *out).fill(0);
            let started = Instant::now();
            run(black_box(squares), black_box(occs), black_box(out));
            called += started.elapsed();
        }
        nanoseconds(called) / pairs.len() as f64
    });

    println!("| method | table bytes | operations | in cache | (median) | shared cache | (median) |");
    println!("|---|---|---|---|---|---|---|");
    for (at, (method, _)) in methods.iter().enumerate() {
        let (name, table_bytes, operations) = (method.name(), method.table_bytes(), method.operations());
        let relative = |timings: &[Timing]| {
            let (time, classic) = (timings[at], timings[0]);
            format!("{:.2} | {:.2}", time.fastest / classic.fastest, time.median / classic.median)
        };
        let (in_cache, shared) = (relative(&in_cache), relative(&shared));
        println!("| {name} | {table_bytes} | {operations} | {in_cache} | {shared} |");
    }
    println!(
        "\nTimes relative to {}, which takes {:.2} ns per queen in cache and {:.2} ns with a shared cache.",
        methods[0].0, in_cache[0].fastest, shared[0].fastest
    );
}
