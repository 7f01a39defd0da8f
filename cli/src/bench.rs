//! `slider-attacks bench`: a quick look at all backends side by side.
//!
//! The backends take turns, round by round, in one process, so that a machine that slows down slows them all. For figures
//! to rely on there is `cargo bench`.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use slider_attacks::{Backend, Slider, Square, reference};

use crate::args::BenchArgs;
use crate::progress;
use crate::table::{self, Align};

/// Pairs that fit into the first or second cache: 68 KiB.
const IN_CACHE: usize = 4096;
/// How often the backends take turns, in cache and in memory.
const ROUNDS: [u32; 2] = [101, 15];
/// A sample is repeated until it takes about this long, so that the clock's own time does not count.
const SAMPLE: Duration = Duration::from_micros(500);

/// What takes its turn in a round.
#[derive(Clone, Copy)]
enum Rival {
    Backend(Backend, Slider),
    /// Reads and writes what a batch does, and computes next to nothing.
    Roofline,
}

impl Rival {
    fn run(self, squares: &[Square], occs: &[u64], out: &mut [u64]) -> Result<()> {
        match self {
            Rival::Backend(backend, slider) => backend.batch_attacks(slider, squares, occs, out)?,
            Rival::Roofline => {
                for ((&square, &occ), out) in squares.iter().zip(occs).zip(out) {
                    *out = occ ^ u64::from(square.index());
                }
            }
        }
        Ok(())
    }

    fn name(self) -> &'static str {
        match self {
            Rival::Backend(backend, _) => backend.name(),
            Rival::Roofline => "roofline",
        }
    }
}

/// Times `backends`, the first of which is scalar, and writes the table.
pub fn run(args: &BenchArgs, backends: &[Backend]) -> Result<()> {
    let mut rows = Vec::new();
    let sizes = [("cache", IN_CACHE, ROUNDS[0]), ("memory", args.pairs_in_memory as usize, ROUNDS[1])];
    let steps: u64 = sizes.iter().map(|&(_, _, rounds)| u64::from(rounds + 1) * Slider::ALL.len() as u64).sum();
    let bar = progress::bar(steps, "");
    for (place, pairs, rounds) in sizes {
        let (squares, occs) = random_pairs(pairs);
        let mut out = vec![0; pairs];
        for slider in [Slider::Queen, Slider::Rook, Slider::Bishop] {
            bar.set_message(format!("{place} {slider}"));
            check(backends, slider, &squares, &occs, &mut out)?;
            bar.inc(1);
            let rivals: Vec<Rival> =
                backends.iter().map(|&backend| Rival::Backend(backend, slider)).chain([Rival::Roofline]).collect();
            let samples = samples(&rivals, rounds, &squares, &occs, &mut out, &bar)?;
            let scalar = samples[0][0];
            for (rival, samples) in rivals.iter().zip(&samples) {
                // Sorted: the best one is the first, the median stands in the middle.
                let (best, median) = (samples[0], samples[samples.len() / 2]);
                rows.push([
                    place.to_owned(),
                    pairs.to_string(),
                    slider.to_string(),
                    rival.name().to_owned(),
                    format!("{best:.2}"),
                    format!("{median:.2}"),
                    format!("{:.0}", 1e3 / best),
                    format!("{:.2}", scalar / best),
                ]);
            }
        }
    }
    bar.finish_and_clear();
    let columns = [
        ("in", Align::Left),
        ("pairs", Align::Right),
        ("slider", Align::Left),
        ("backend", Align::Left),
        ("ns/pair", Align::Right),
        ("median", Align::Right),
        ("Mpairs/s", Align::Right),
        ("x scalar", Align::Right),
    ];
    let mut stdout = io::stdout().lock();
    table::write(&mut stdout, columns, &rows).and_then(|()| stdout.flush()).context("cannot write the results")
}

/// Nanoseconds a pair for each rival, sorted. The rivals take turns.
fn samples(
    rivals: &[Rival],
    rounds: u32,
    squares: &[Square],
    occs: &[u64],
    out: &mut [u64],
    bar: &ProgressBar,
) -> Result<Vec<Vec<f64>>> {
    let mut time = |rival: Rival, repeats: u32| -> Result<Duration> {
        let started = Instant::now();
        for _ in 0..repeats {
            rival.run(black_box(squares), black_box(occs), black_box(&mut *out))?;
        }
        Ok(started.elapsed())
    };
    let mut repeats = Vec::new();
    for &rival in rivals {
        let once = time(rival, 1)?.max(Duration::from_nanos(100));
        repeats.push((SAMPLE.as_nanos() / once.as_nanos()).clamp(1, 5_000) as u32);
    }
    let mut samples = vec![Vec::new(); rivals.len()];
    for _ in 0..rounds {
        for ((&rival, &repeats), samples) in rivals.iter().zip(&repeats).zip(&mut samples) {
            let nanoseconds = time(rival, repeats)?.as_secs_f64() * 1e9;
            samples.push(nanoseconds / (f64::from(repeats) * squares.len() as f64));
        }
        bar.inc(1);
    }
    samples.iter_mut().for_each(|samples| samples.sort_by(f64::total_cmp));
    Ok(samples)
}

/// Every backend's results are those of the ray walk; of long arrays, a stretch at both ends is compared with it, and
/// the whole with the first backend.
fn check(backends: &[Backend], slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) -> Result<()> {
    let mut first = vec![0; out.len()];
    for (number, &backend) in backends.iter().enumerate() {
        out.fill(!0);
        backend.batch_attacks(slider, squares, occs, out)?;
        let walked = (0..out.len().min(IN_CACHE)).chain(out.len().saturating_sub(IN_CACHE)..out.len());
        for index in walked {
            let expected = reference::attacks(slider, squares[index], occs[index]);
            ensure!(out[index] == expected, "{backend} is wrong at pair {index}: run `slider-attacks verify`");
        }
        if number == 0 {
            first.copy_from_slice(out);
        }
        ensure!(out == first, "{backend} and {} differ: run `slider-attacks verify`", backends[0]);
    }
    Ok(())
}

/// Random squares, and boards on which every second square is occupied; the same in every run.
fn random_pairs(length: usize) -> (Vec<Square>, Vec<u64>) {
    // xorshift64* (Vigna, 2016): short, and good enough for boards.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    (0..length).map(|_| (Square::ALL[(next() >> 58) as usize], next())).unzip()
}
