//! The cost of a queen with each scalar method: `cargo bench -p peers --bench methods`.
//!
//! All methods take turns in one process, over the same pairs. The fastest and the median turn count. Each
//! method is inlined into a loop of its own. There are two columns: with the cache to itself, and with a shared cache, where
//! a caller touches 1 MiB between calls of 64 queens. The time of touching is not counted; the time of fetching the tables
//! again is.

#![allow(unsafe_code, reason = "the loop over PEXT is built for CPUs with BMI2")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use peers::timing::{Rounds, Timing, nanoseconds, time_passes, time_turns};
use peers::{Contestant, Group, Pairs, Run, WorkingSet, just_written, one_by_one};
use slider_attacks::Slider;
#[cfg(target_arch = "x86_64")]
use slider_attacks::Square;
use slider_attacks::methods::{Method, *};

const PAIRS: usize = 4_096;
/// Pairs per call with a shared cache.
const CALL: usize = 64;
const ROUNDS: usize = 200;
const SHARED_ROUNDS: usize = 100;

/// The loop in a function with BMI2, so that the instructions are inlined too.
#[cfg(target_arch = "x86_64")]
fn run_pext(squares: &[Square], occs: &[u64], out: &mut [u64]) {
    #[target_feature(enable = "bmi2")]
    fn run(squares: &[Square], occs: &[u64], out: &mut [u64]) {
        for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
            *out = pext::queen_attacks(square, occ);
        }
    }
    assert!(is_x86_feature_detected!("bmi2"), "methods that cannot run are left out");
    // SAFETY: the CPU has BMI2, as checked above.
    unsafe { run(squares, occs, out) }
}

/// A loop with the method inlined.
fn contestant(method: &Method) -> Contestant {
    let run: Run = match method.name() {
        "fill-up" => one_by_one(fill_up::queen_attacks),
        "fill-up-in-order" => one_by_one(fill_up_in_order::queen_attacks),
        "shared-rank" => one_by_one(shared_rank::queen_attacks),
        "thirty-two-bit" => one_by_one(thirty_two_bit::queen_attacks),
        "no-multiplication" => one_by_one(no_multiplication::queen_attacks),
        "magic-compression" => one_by_one(magic_compression::queen_attacks),
        "per-square" => one_by_one(per_square::queen_attacks),
        #[cfg(target_arch = "x86_64")]
        "pext" => Box::new(run_pext),
        "rotated" => one_by_one(rotated::queen_attacks),
        name => panic!("{name} has no loop here"),
    };
    let (how, table_bytes) = (method.operations(), Some(method.table_bytes()));
    Contestant { name: method.name(), group: Group::Method, how, needs: "", table_bytes, run }
}

fn main() {
    // `cargo bench` passes `--bench`. `cargo test --benches` does not: then everything is checked and hardly anything timed.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (in_cache_rounds, shared_rounds) = if is_bench { (ROUNDS, SHARED_ROUNDS) } else { (1, 1) };
    let pairs = Pairs::random(PAIRS);
    let methods: Vec<Contestant> = Method::ALL.iter().filter(|method| method.can_run()).map(contestant).collect();
    methods.iter().for_each(|method| pairs.check(Slider::Queen, method));

    let mut out = vec![0; pairs.len()];
    let rounds = |count| Rounds { time: Duration::ZERO, count };
    let in_cache = time_passes(methods.len(), rounds(in_cache_rounds), pairs.len(), |at| {
        pairs.pass(&methods[at], &mut out);
    });
    let mut working_set = WorkingSet::new();
    let shared = time_turns(methods.len(), rounds(shared_rounds), |at| {
        let run = &methods[at].run;
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
    for (at, Contestant { name, how, table_bytes, .. }) in methods.iter().enumerate() {
        let relative = |timings: &[Timing]| {
            let (time, classic) = (timings[at], timings[0]);
            format!("{:.2} | {:.2}", time.fastest / classic.fastest, time.median / classic.median)
        };
        let (in_cache, shared) = (relative(&in_cache), relative(&shared));
        println!("| {name} | {} | {how} | {in_cache} | {shared} |", table_bytes.expect("it is known"));
    }
    println!(
        "\nTimes relative to {}, which takes {:.2} ns per queen in cache and {:.2} ns with a shared cache.",
        methods[0].name, in_cache[0].fastest, shared[0].fastest
    );
}
