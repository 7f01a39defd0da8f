//! Ratios between the backends and their rivals that can be trusted: `cargo bench --bench ratios`.
//!
//! All contestants take turns in one process, in rounds of about 200 microseconds each (or one pass, if that takes
//! longer), so that whatever slows the machine down slows all of them down; of each the fastest round and
//! the median count. Words after `--` select sliders and sizes: `cargo bench --bench ratios -- queen 4096 16777216`.

mod common;

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use common::{Contestant, Pairs, contestants};
use slider_attacks::Slider;
use slider_attacks::cpu::Cpu;

const SIZES: [usize; 9] = [1, 8, 31, 64, 256, 4_096, 65_536, 1 << 20, 1 << 24];
const TURN: Duration = Duration::from_micros(200);
/// The rounds of one table take about this long, but there are always `LEAST_ROUNDS`.
const TABLE: Duration = Duration::from_millis(600);
const LEAST_ROUNDS: usize = 7;
/// To whom all others are compared.
const RIVALS: [&str; 5] = ["scalar", "pext_full", "free_avx2", "free_256", "free_512"];
/// Larger arrays are not waited for with a contestant that is known to be slow.
const SLOW_UP_TO: usize = 1 << 20;

fn main() -> ExitCode {
    // `cargo bench` hands over `--bench`; `cargo test --benches` does not: then a small size is checked, not timed.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let (mut sliders, mut sizes) = (Vec::new(), Vec::new());
    for word in arguments.iter().filter(|argument| !argument.starts_with('-')) {
        match (word.parse::<Slider>(), word.replace('_', "").parse::<usize>()) {
            (Ok(slider), _) => sliders.push(slider),
            (_, Ok(size @ 1..)) => sizes.push(size),
            _ => {
                eprintln!("expected bishop, rook, queen or a number of pairs from 1 on, not {word:?}");
                return ExitCode::FAILURE;
            }
        }
    }
    if sliders.is_empty() {
        sliders = vec![Slider::Queen, Slider::Rook, Slider::Bishop];
    }
    if sizes.is_empty() {
        sizes = if is_bench { SIZES.to_vec() } else { vec![31, 4_096] };
    }

    println!("{}", machine());
    for &slider in &sliders {
        for &size in &sizes {
            let pairs = Pairs::random(size);
            let contestants: Vec<Contestant> =
                contestants(slider).into_iter().filter(|c| size <= SLOW_UP_TO || !c.is_slow).collect();
            contestants.iter().for_each(|contestant| pairs.check(slider, contestant));
            if is_bench {
                table(slider, &pairs, &contestants);
            }
        }
    }
    ExitCode::SUCCESS
}

/// The machine that the figures are from.
fn machine() -> String {
    let cpu = Cpu::detect();
    let rustc = Command::new("rustc").arg("-V").output().ok().and_then(|output| String::from_utf8(output.stdout).ok());
    format!(
        "{} (vendor {}, family {:#x}, model {:#x}), active backend {}\n{} (the one in PATH)",
        if cpu.brand.is_empty() { "unknown CPU" } else { &cpu.brand },
        if cpu.vendor.is_empty() { "unknown" } else { &cpu.vendor },
        cpu.family,
        cpu.model,
        slider_attacks::Backend::active(),
        rustc.as_deref().map_or("rustc unknown", str::trim),
    )
}

/// What one contestant needed for a pair, in nanoseconds.
struct Timing {
    least: f64,
    median: f64,
}

/// Prints what each contestant needs, and how many times as long its rivals take.
fn table(slider: Slider, pairs: &Pairs, contestants: &[Contestant]) {
    let timings = time(pairs, contestants);
    let is_rival = |name| RIVALS.contains(&name);
    let rivals: Vec<(&str, f64)> = contestants
        .iter()
        .zip(&timings)
        .filter(|(contestant, _)| is_rival(contestant.name))
        .map(|(contestant, timing)| (contestant.name, timing.least))
        .collect();
    let roofline = contestants
        .iter()
        .zip(&timings)
        .filter(|(contestant, _)| contestant.moves_memory_only)
        .map(|(_, timing)| timing.least)
        .fold(f64::INFINITY, f64::min);
    println!(
        "\n{slider}, calls of {} pairs, {} pairs a pass, random squares, about 16 pieces",
        pairs.size,
        pairs.len()
    );
    print!("{:<10}{:>9}{:>9}{:>11}{:>13}", "", "ns/pair", "median", "G pairs/s", "of roofline");
    rivals.iter().for_each(|(name, _)| print!("{:>13}", format!("to {name}")));
    println!();
    for (contestant, Timing { least, median }) in contestants.iter().zip(&timings) {
        let share = format!("{:.0} %", 100.0 * roofline / least);
        print!("{:<10}{least:>9.3}{median:>9.3}{:>11.3}{share:>13}", contestant.name, 1.0 / least);
        rivals.iter().for_each(|(_, rival)| print!("{:>13.2}", rival / least));
        println!();
    }
}

fn time(pairs: &Pairs, contestants: &[Contestant]) -> Vec<Timing> {
    let mut out = vec![0; pairs.len()];
    // How many passes make a turn, found with caches and predictors warm.
    let passes: Vec<u32> = contestants
        .iter()
        .map(|contestant| {
            pairs.pass(contestant, &mut out);
            let start = Instant::now();
            pairs.pass(contestant, &mut out);
            let pass = start.elapsed().max(Duration::from_nanos(1));
            (TURN.as_secs_f64() / pass.as_secs_f64()).ceil() as u32
        })
        .collect();
    let mut turns: Vec<Vec<f64>> = vec![Vec::new(); contestants.len()];
    let start = Instant::now();
    for round in 0.. {
        if round >= LEAST_ROUNDS && start.elapsed() >= TABLE {
            break;
        }
        for turn in 0..contestants.len() {
            // Each round begins with another contestant, so that nobody always follows the same one.
            let at = (round + turn) % contestants.len();
            let start = Instant::now();
            for _ in 0..passes[at] {
                pairs.pass(&contestants[at], &mut out);
            }
            let pairs_timed = pairs.len() as f64 * f64::from(passes[at]);
            turns[at].push(start.elapsed().as_secs_f64() * 1e9 / pairs_timed);
        }
    }
    let timing = |mut turns: Vec<f64>| {
        turns.sort_by(f64::total_cmp);
        Timing { least: turns[0], median: turns[turns.len() / 2] }
    };
    turns.into_iter().map(timing).collect()
}
