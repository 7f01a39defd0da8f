//! Ratios between the backends and their rivals that can be trusted: `cargo bench -p peers --bench ratios`.
//!
//! All contestants alternate in turns of about 200 microseconds (or of one pass, if that takes longer) in one process, so
//! that noise affects all of them. The fastest and the median turn count. Tables:
//!
//! - for each size of a call, the time of each contestant, and how many times as long some rivals take (`to scalar`). Up to
//!   64 pairs, one of them is the library's function for one pair in a loop. From 65,536 pairs on, the share of the memory
//!   roofline is shown, which is the faster of the two `memory` loops;
//! - `shapes`: squares and boards that are not random, relative to random ones;
//! - `working-set`: a caller that touches 1 MiB of its own memory between calls. Only the call is timed: touching takes ten
//!   times as long, and subtracting it would leave its noise. The time of reading the clock is measured with a call that
//!   does nothing, and subtracted. The pairs are in the cache, as if the caller had just written them; tables and attack
//!   sets may have been pushed out.
//!
//! Words after `--` select sliders and tables: `cargo bench -p peers --bench ratios -- queen 4096 16777216 shapes`. With
//! `--features rayon`, the parallel calls take part as `par`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use peers::timing::{Rounds, Timing, nanoseconds, time_passes, time_turns};
use peers::{Contestant, Group, Pairs, WorkingSet, contestants, just_written, machine};
use slider_attacks::{Slider, Square};

const SIZES: [usize; 9] = [1, 8, 31, 64, 256, 4_096, 65_536, 1 << 20, 1 << 24];
/// Pairs per call in the other tables.
const CALL: usize = 4_096;
const ROUNDS: Rounds = Rounds { time: Duration::from_millis(600), count: 7 };
/// There are more than 64 shapes.
const SHAPE_ROUNDS: Rounds = Rounds { time: Duration::from_millis(600), count: 25 };
const SHAPE_PASSES: u32 = 40;
/// Here, a turn is one call.
const WORKING_SET_ROUNDS: Rounds = Rounds { time: Duration::from_millis(600), count: 100 };
/// The ray walk does not take part with larger arrays.
const MAX_WALK: usize = 1 << 20;
/// The contestants that all others are compared with; the first one in small calls only.
const RIVALS: [&str; 10] = [
    "per_pair",
    "scalar",
    "avx2",
    "avx512",
    "pext_full",
    "free_avx2",
    "free_avx2_gfni",
    "free_256",
    "free_512",
    "free_512_gfni",
];
const MAX_SMALL: usize = 64;
/// Memory is the limit from this size on.
const MIN_ROOFLINE: usize = 65_536;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Table {
    Size(usize),
    Shapes,
    WorkingSet,
}

fn main() -> ExitCode {
    // `cargo bench` passes `--bench`. `cargo test --benches` does not: then everything is checked and nothing timed.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let (mut sliders, mut tables) = (Vec::new(), Vec::new());
    for word in arguments.iter().filter(|argument| !argument.starts_with('-')) {
        match (word.as_str(), word.parse::<Slider>(), word.replace('_', "").parse::<usize>()) {
            (_, Ok(slider), _) => sliders.push(slider),
            (_, _, Ok(size @ 1..)) => tables.push(Table::Size(size)),
            ("shapes", ..) => tables.push(Table::Shapes),
            ("working-set", ..) => tables.push(Table::WorkingSet),
            _ => {
                eprintln!(
                    "expected bishop, rook, queen, shapes, working-set or a positive number of pairs, found {word:?}"
                );
                return ExitCode::FAILURE;
            }
        }
    }
    if sliders.is_empty() {
        sliders = vec![Slider::Queen, Slider::Rook, Slider::Bishop];
    }
    if tables.is_empty() {
        let sizes = if is_bench { &SIZES[..] } else { &[31, CALL] };
        tables = sizes.iter().map(|&size| Table::Size(size)).chain([Table::Shapes, Table::WorkingSet]).collect();
    }

    println!("{}", machine());
    for &slider in &sliders {
        for &table in &tables {
            let size = if let Table::Size(size) = table { size } else { CALL };
            let mut contestants = contestants(slider);
            contestants
                .retain(|contestant| contestant.group != Group::Walk || table == Table::Size(size) && size <= MAX_WALK);
            let pairs = Pairs::random(size);
            contestants.iter().for_each(|contestant| pairs.check(slider, contestant));
            match table {
                Table::Size(_) if is_bench => sizes_table(slider, &pairs, &contestants),
                Table::Shapes => shapes_table(slider, &contestants, is_bench),
                Table::WorkingSet if is_bench => working_set_table(slider, &pairs, &contestants),
                _ => (),
            }
        }
    }
    ExitCode::SUCCESS
}

fn sizes_table(slider: Slider, pairs: &Pairs, contestants: &[Contestant]) {
    let mut out = vec![0; pairs.len()];
    let timings = time_passes(contestants.len(), ROUNDS, pairs.len(), |at| pairs.pass(&contestants[at], &mut out));
    println!(
        "\n{slider}, calls of {} pairs, {} pairs per pass, random squares, about 16 pieces",
        pairs.size,
        pairs.len()
    );
    print_ratios(contestants, &timings, pairs.size);
}

/// Prints the time of each contestant, and how it compares with its rivals.
fn print_ratios(contestants: &[Contestant], timings: &[Timing], size: usize) {
    let rows = || contestants.iter().zip(timings);
    let rivals: Vec<(&str, f64)> = rows()
        .filter(|(rival, _)| RIVALS.contains(&rival.name) && (rival.name != "per_pair" || size <= MAX_SMALL))
        .map(|(rival, timing)| (rival.name, timing.fastest))
        .collect();
    let moved = rows().filter(|(contestant, _)| contestant.group == Group::Memory).map(|(_, timing)| timing.fastest);
    let roofline = (size >= MIN_ROOFLINE).then(|| moved.fold(f64::INFINITY, f64::min));
    print!("{:<15}{:>9}{:>9}{:>11}", "", "ns/pair", "median", "G pairs/s");
    rivals.iter().for_each(|(name, _)| print!("{:>18}", format!("to {name}")));
    println!("{}", if roofline.is_some() { "  of roofline" } else { "" });
    for (contestant, Timing { fastest, median }) in rows() {
        print!("{:<15}{fastest:>9.3}{median:>9.3}{:>11.3}", contestant.name, 1.0 / fastest);
        rivals.iter().for_each(|(_, rival)| print!("{:>18.2}", rival / fastest));
        println!("{}", roofline.map_or_else(String::new, |roofline| format!("{:>11.0} %", 100.0 * roofline / fastest)));
    }
}

/// Prints the times of pairs of other shapes relative to random ones. Of the 64 arrays with all sliders on one square, the
/// fastest and the slowest are shown.
fn shapes_table(slider: Slider, contestants: &[Contestant], is_bench: bool) {
    let pairs = || Pairs::random(CALL);
    let mut shapes = vec![pairs(), pairs().sorted(), pairs().all_with(0), pairs().all_with(!0)];
    let one_square = shapes.len();
    shapes.extend(Square::ALL.map(|square| pairs().all_on(square)));
    for (contestant, shape) in contestants.iter().flat_map(|contestant| shapes.iter().map(move |s| (contestant, s))) {
        shape.check(slider, contestant);
    }
    if !is_bench {
        return;
    }
    println!("\n{slider}, {CALL} pairs, time relative to random pairs: fastest (median)");
    print!("{:<15}{:>9}{:>9}", "", "ns/pair", "median");
    ["sorted", "all empty", "all full", "one square from", "to"].iter().for_each(|shape| print!("{shape:>16}"));
    println!();
    // All shapes are computed in the same memory: the place of an array makes more of a difference than its contents.
    let mut pairs = pairs();
    let mut out = vec![0; CALL];
    for contestant in contestants {
        let timings = time_turns(shapes.len(), SHAPE_ROUNDS, |at| {
            pairs.squares.copy_from_slice(&shapes[at].squares);
            pairs.occs.copy_from_slice(&shapes[at].occs);
            pairs.pass(contestant, &mut out);
            let start = Instant::now();
            (0..SHAPE_PASSES).for_each(|_| pairs.pass(contestant, &mut out));
            nanoseconds(start.elapsed()) / f64::from(SHAPE_PASSES) / CALL as f64
        });
        let random = timings[0];
        let mut relative: Vec<(f64, f64)> =
            timings[1..].iter().map(|shape| (shape.fastest / random.fastest, shape.median / random.median)).collect();
        relative[one_square - 1..].sort_by(|a, b| a.0.total_cmp(&b.0));
        print!("{:<15}{:>9.3}{:>9.3}", contestant.name, random.fastest, random.median);
        for (fastest, median) in relative[..one_square].iter().chain(relative.last()) {
            print!("{:>16}", format!("{fastest:.3} ({median:.3})"));
        }
        println!();
    }
}

fn working_set_table(slider: Slider, pairs: &Pairs, contestants: &[Contestant]) {
    let mut working_set = WorkingSet::new();
    let mut out = vec![0; pairs.len()];
    let nothing = contestants.len();
    let timings = time_turns(nothing + 1, WORKING_SET_ROUNDS, |at| {
        working_set.touch();
        just_written(&pairs.squares, &pairs.occs);
        let start = Instant::now();
        if at < nothing {
            pairs.pass(&contestants[at], &mut out);
        }
        nanoseconds(start.elapsed())
    });
    let clock = timings[nothing];
    let per_pair = |time, clock| (time - clock) / pairs.len() as f64;
    let timings: Vec<Timing> = timings[..nothing]
        .iter()
        .map(|call| Timing {
            fastest: per_pair(call.fastest, clock.fastest),
            median: per_pair(call.median, clock.median),
        })
        .collect();
    println!(
        "\n{slider}, calls of {CALL} pairs, 1 MiB touched between calls; clock {:.0} ns, subtracted ({:.0} median)",
        clock.fastest, clock.median
    );
    print_ratios(contestants, &timings, pairs.size);
}
