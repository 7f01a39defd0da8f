//! `slider-attacks bench`: quickly measures all backends, and reports whether the fastest one was selected.
//!
//! `cargo bench -p peers --bench ratios` compares the backends with other methods as well.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use slider_attacks::{Backend, Slider, Square, reference};
use slider_attacks_rows::write::table;
use timing::{Rounds, Timing, random_pairs, time_passes};

use crate::args::BenchArgs;
use crate::progress;
use crate::target::stdout;

/// The sizes of calls. The last one is followed by that of the arrays in memory.
const SIZES: [usize; 2] = [4_096, 65_536];
const ALL_SIZES: [usize; 7] = [1, 8, 64, 512, 4_096, 65_536, 1 << 20];
/// Smaller calls go through this many pairs: 68 KiB, which fit into the first-level or second-level cache.
const POOL: usize = 4_096;
const ROUNDS: Rounds = Rounds { time: Duration::from_millis(300), count: 9 };
/// Times that differ by less count as equal.
const NOISE: f64 = 0.03;

/// The measurements for one slider and one size.
struct Race {
    size: usize,
    slider: Slider,
    backends: Vec<(Backend, Timing)>,
    memory: Timing,
}

/// Times `backends`, scalar first, writes a table, and says whether `chosen`, one of them, is the fastest.
pub fn run(args: &BenchArgs, backends: &[Backend], chosen: Backend) -> Result<()> {
    let mut sizes = if args.all { ALL_SIZES.to_vec() } else { SIZES.to_vec() };
    sizes.push(args.pairs_in_memory as usize);
    let bar = progress::bar(sizes.len() * Slider::ALL.len());
    let mut races = Vec::new();
    for size in sizes {
        let (squares, occs) = random_pairs(size.max(POOL - POOL % size));
        for slider in [Slider::Queen, Slider::Rook, Slider::Bishop] {
            bar.set_message(format!("{slider}s, {size} pairs"));
            races.push(Race::run(size, slider, backends, &squares, &occs)?);
            bar.inc(1);
        }
    }
    bar.clear();
    let mut out = stdout()?;
    if args.all { write_all(&mut out, &races) } else { write_short(&mut out, &races) }
        .and_then(|()| write!(out, "\n{}", verdict(chosen, &races)))
        .and_then(|()| out.flush())
        .context("cannot write the results")
}

impl Race {
    fn run(size: usize, slider: Slider, backends: &[Backend], squares: &[Square], occs: &[u64]) -> Result<Race> {
        let pass = |backend: Option<&Backend>, out: &mut [u64]| {
            for ((squares, occs), out) in squares.chunks(size).zip(occs.chunks(size)).zip(out.chunks_mut(size)) {
                let (squares, occs, out) = (black_box(squares), black_box(occs), black_box(out));
                match backend {
                    Some(backend) => {
                        backend.batch_slider_attacks(slider, squares, occs, out).expect("the lengths are equal")
                    }
                    None => move_memory(squares, occs, out),
                }
            }
        };
        let mut out = vec![0; squares.len()];
        let mut of_first = vec![0; squares.len()];
        pass(backends.first(), &mut of_first);
        for backend in backends {
            out.fill(!0);
            pass(Some(backend), &mut out);
            // Both ends of a long array are compared with the ray walk, and all of it with the first backend.
            for index in (0..out.len().min(POOL)).chain(out.len().saturating_sub(POOL)..out.len()) {
                let expected = reference::attacks(slider, squares[index], occs[index]);
                ensure!(out[index] == expected, "{backend} is wrong at pair {index}: run `slider-attacks verify`");
            }
            ensure!(out == of_first, "{backend} and {} differ: run `slider-attacks verify`", backends[0]);
        }
        let mut timings = time_passes(backends.len() + 1, ROUNDS, squares.len(), |at| pass(backends.get(at), &mut out));
        let memory = timings.pop().expect("memory was timed last");
        Ok(Race { size, slider, backends: backends.iter().copied().zip(timings).collect(), memory })
    }

    /// The names and times of the backends and of the memory loop.
    fn rows(&self) -> impl Iterator<Item = (&'static str, Timing)> {
        let backends = self.backends.iter().map(|(backend, timing)| (backend.name(), *timing));
        backends.chain([("memory", self.memory)])
    }

    /// How many times as fast as scalar.
    fn to_scalar(&self, timing: Timing) -> String {
        format!("{:.2}", self.backends[0].1.fastest / timing.fastest)
    }
}

/// Reads and writes as many bytes as a batch call, 17 per pair, and computes nothing.
fn move_memory(squares: &[Square], occs: &[u64], out: &mut [u64]) {
    out.copy_from_slice(occs);
    black_box(squares.iter().fold(0, |sum, square| sum ^ square.index()));
}

/// One row per size and backend, with the sliders next to each other.
fn write_short(out: &mut impl Write, races: &[Race]) -> io::Result<()> {
    let ratio = "x scalar";
    let columns = ["pairs", "backend", "queen ns", ratio, "rook ns", ratio, "bishop ns", ratio];
    let mut rows = Vec::new();
    for races in races.chunks_exact(Slider::ALL.len()) {
        for (at, (name, _)) in races[0].rows().enumerate() {
            let cells = races.iter().flat_map(|race| {
                let (_, timing) = race.rows().nth(at).expect("all sliders have the same rows");
                [format!("{:.2}", timing.fastest), race.to_scalar(timing)]
            });
            let cells: Vec<String> = [races[0].size.to_string(), name.to_owned()].into_iter().chain(cells).collect();
            rows.push(cells);
        }
    }
    table::write(out, &columns, &rows)
}

/// One row per size, slider and backend, with more columns.
fn write_all(out: &mut impl Write, races: &[Race]) -> io::Result<()> {
    let columns = ["pairs", "slider", "backend", "ns/pair", "median", "Mpairs/s", "x scalar", "% memory"];
    let row = |race: &Race, name: &str, timing: Timing| {
        [
            race.size.to_string(),
            race.slider.to_string(),
            name.to_owned(),
            format!("{:.2}", timing.fastest),
            format!("{:.2}", timing.median),
            format!("{:.0}", 1e3 / timing.fastest),
            race.to_scalar(timing),
            format!("{:.0}", 100.0 * race.memory.fastest / timing.fastest),
        ]
    };
    let rows = races.iter().flat_map(|race| race.rows().map(move |(name, timing)| row(race, name, timing)));
    table::write(out, &columns, &rows.collect::<Vec<_>>())
}

/// Whether no other backend was faster than `chosen`, and where one was. A backend is faster if both its fastest and its
/// median time are shorter; otherwise the difference is noise.
fn verdict(chosen: Backend, races: &[Race]) -> String {
    let mut slower = String::new();
    for Race { size, slider, backends, .. } in races {
        let time_of_chosen = backends.iter().find(|(backend, _)| *backend == chosen).map(|(_, timing)| *timing);
        let time_of_chosen = time_of_chosen.expect("the chosen backend was timed");
        let (fastest, time) = backends
            .iter()
            .min_by(|(_, one), (_, other)| one.fastest.total_cmp(&other.fastest))
            .expect("scalar was timed");
        let ratios = [time_of_chosen.fastest / time.fastest, time_of_chosen.median / time.median];
        if ratios.iter().all(|&ratio| ratio > 1.0 + NOISE) {
            slower += &format!("  {slider}s, {size} pairs: {fastest} is {:.2} times as fast\n", ratios[0]);
        }
    }
    let by = format!("by more than {:.0} %", 100.0 * NOISE);
    match (races[0].backends.len(), slower.as_str()) {
        (1, _) => format!("{chosen} is the only backend here.\n"),
        (_, "") => format!("{chosen} is the right choice: no other backend is faster {by}.\n"),
        (_, slower) => format!("{chosen} is not the right choice everywhere; faster {by}:\n{slower}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(slider: Slider, times: &[(&str, f64, f64)]) -> Race {
        let timing = |fastest, median| Timing { fastest, median };
        let backends = times
            .iter()
            .filter_map(|&(name, fastest, median)| Some((name.parse::<Backend>().ok()?, timing(fastest, median))));
        Race { size: 64, slider, backends: backends.collect(), memory: timing(0.5, 1.0) }
    }

    #[test]
    fn a_faster_backend_is_named() {
        let Some(bmi2) = Backend::bmi2() else { return };
        let slow = race(Slider::Rook, &[("scalar", 1.0, 1.2), ("bmi2", 1.5, 1.6)]);
        let fast = race(Slider::Queen, &[("scalar", 2.0, 2.2), ("bmi2", 1.5, 1.6)]);
        let expected = "bmi2 is not the right choice everywhere; faster by more than 3 %:\n  \
                        rooks, 64 pairs: scalar is 1.50 times as fast\n";
        assert_eq!(verdict(bmi2, &[slow, fast]), expected);
    }

    #[test]
    fn noise_is_not_a_difference() {
        let Some(bmi2) = Backend::bmi2() else { return };
        let races = [
            race(Slider::Queen, &[("scalar", 1.0, 1.0), ("bmi2", 1.02, 1.02)]), // by less than the noise
            race(Slider::Queen, &[("scalar", 1.0, 1.5), ("bmi2", 1.2, 1.4)]),   // by the fastest time only
            race(Slider::Queen, &[("scalar", 1.0, 1.0), ("bmi2", 0.5, 0.5)]),   // the chosen one is faster
        ];
        let expected = "bmi2 is the right choice: no other backend is faster by more than 3 %.\n";
        assert_eq!(verdict(bmi2, &races), expected);
    }
}
