//! `slider-attacks bench`: a quick look at all backends and their rivals, and whether the right backend was chosen.
//!
//! For more sizes, and for calls and data of other shapes, there is `cargo bench --bench ratios`.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use slider_attacks::{Backend, Slider, Square, reference};

use crate::args::BenchArgs;
use crate::progress;
use crate::rivals::turns::{Rounds, Timing, time_passes};
use crate::rivals::{Contestant, random_pairs, rivals};
use crate::write::table::{self, Align};

/// Pairs that fit into the first or second cache: 68 KiB.
const IN_CACHE: usize = 4096;
/// Pairs that fit into the third cache, or a large second one: 1.1 MiB.
const IN_LARGE_CACHE: usize = 65_536;
const ROUNDS: Rounds = Rounds { time: Duration::from_millis(300), least: 9 };
/// Times that differ by less are called equal.
const NOISE: f64 = 0.03;

/// A slider and a size, and what the backends needed.
struct Race {
    name: String,
    backends: Vec<(Backend, Timing)>,
}

/// Times `backends`, the first of which is scalar, and their rivals, writes the table, and says whether `chosen`, one of
/// them, is the fastest.
pub fn run(args: &BenchArgs, backends: &[Backend], chosen: Backend) -> Result<()> {
    let (mut rows, mut races) = (Vec::new(), Vec::new());
    let sizes = [("cache", IN_CACHE), ("64Ki", IN_LARGE_CACHE), ("memory", args.pairs_in_memory as usize)];
    let bar = progress::bar((sizes.len() * Slider::ALL.len()) as u64, "");
    for (place, pairs) in sizes {
        let (squares, occs) = random_pairs(pairs);
        let mut out = vec![0; pairs];
        for slider in [Slider::Queen, Slider::Rook, Slider::Bishop] {
            bar.set_message(format!("{place} {slider}"));
            let mut contestants: Vec<Contestant> =
                backends.iter().map(|&backend| Contestant::backend(backend, slider)).collect();
            contestants.extend(rivals(slider));
            check(&contestants, slider, &squares, &occs, &mut out)?;
            let timings = time_passes(contestants.len(), ROUNDS, pairs, |at| {
                (contestants[at].run)(black_box(&squares), black_box(&occs), black_box(&mut out));
            });
            rows.extend(rows_of(&contestants, &timings).map(|[name, cells @ ..]| {
                let [ns, median, speed, scalar, pext, free, roofline] = cells;
                let (pairs, slider) = (pairs.to_string(), slider.to_string());
                [place.to_owned(), pairs, slider, name, ns, median, speed, scalar, pext, free, roofline]
            }));
            races.push(Race {
                name: format!("{slider}, {place}"),
                backends: backends.iter().copied().zip(timings).collect(),
            });
            bar.inc(1);
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
        ("x PEXT", Align::Right),
        ("x free", Align::Right),
        ("% memory", Align::Right),
    ];
    let mut stdout = io::stdout().lock();
    table::write(&mut stdout, columns, &rows)
        .and_then(|()| write!(stdout, "\n{}", verdict(chosen, &races)))
        .and_then(|()| stdout.flush())
        .context("cannot write the results")
}

/// For each contestant its name, its times, and how it stands to its rivals.
fn rows_of(contestants: &[Contestant], timings: &[Timing]) -> impl Iterator<Item = [String; 8]> {
    let fastest = |is_meant: fn(&Contestant) -> bool| {
        let meant = contestants.iter().zip(timings).filter(move |(contestant, _)| is_meant(contestant));
        meant.map(|(_, timing)| timing.least).min_by(f64::total_cmp)
    };
    let scalar = fastest(|contestant| contestant.name == "scalar");
    let pext = fastest(|contestant| contestant.name == "pext_full");
    let free = fastest(|contestant| contestant.name.starts_with("free_"));
    let roofline = fastest(|contestant| contestant.moves_memory_only);
    contestants.iter().zip(timings).map(move |(contestant, &Timing { least, median })| {
        let ratio = |rival: Option<f64>| rival.map_or_else(|| "-".to_owned(), |rival| format!("{:.2}", rival / least));
        [
            contestant.name.to_owned(),
            format!("{least:.2}"),
            format!("{median:.2}"),
            format!("{:.0}", 1e3 / least),
            ratio(scalar),
            ratio(pext),
            ratio(free),
            roofline.map_or_else(|| "-".to_owned(), |roofline| format!("{:.0}", 100.0 * roofline / least)),
        ]
    })
}

/// Whether no other backend was faster than `chosen`, and where one was. It has to be so by the least time and by the
/// median, or else it is noise.
fn verdict(chosen: Backend, races: &[Race]) -> String {
    let mut slower = String::new();
    for Race { name, backends } in races {
        let time_of_chosen = backends.iter().find(|(backend, _)| *backend == chosen).map(|(_, timing)| *timing);
        let time_of_chosen = time_of_chosen.expect("the chosen backend has been timed");
        let (fastest, time) = backends
            .iter()
            .min_by(|(_, one), (_, other)| one.least.total_cmp(&other.least))
            .expect("scalar has been timed");
        let ratios = [time_of_chosen.least / time.least, time_of_chosen.median / time.median];
        if ratios.iter().all(|&ratio| ratio > 1.0 + NOISE) {
            slower += &format!("  {name}: {fastest} is {:.2} times as fast\n", ratios[0]);
        }
    }
    let timed = races[0].backends.iter().map(|(backend, _)| backend.name());
    let others: Vec<&str> = timed.filter(|&name| name != chosen.name()).collect();
    let by = format!("by more than {:.0} %", 100.0 * NOISE);
    match (others.is_empty(), slower.as_str()) {
        (true, _) => format!("{chosen} is the only backend here.\n"),
        (_, "") => format!("{chosen} is the right choice here: nowhere is {} faster {by}.\n", others.join(" or ")),
        (_, slower) => format!("{chosen} is not the right choice everywhere; faster {by}:\n{slower}"),
    }
}

/// All results are those of the ray walk; of long arrays, a stretch at both ends is compared with it, and the whole with
/// the first contestant.
fn check(contestants: &[Contestant], slider: Slider, squares: &[Square], occs: &[u64], out: &mut [u64]) -> Result<()> {
    let mut first = vec![0; out.len()];
    for (number, contestant) in contestants.iter().filter(|contestant| !contestant.moves_memory_only).enumerate() {
        let name = contestant.name;
        out.fill(!0);
        (contestant.run)(squares, occs, out);
        let walked = (0..out.len().min(IN_CACHE)).chain(out.len().saturating_sub(IN_CACHE)..out.len());
        for index in walked {
            let expected = reference::attacks(slider, squares[index], occs[index]);
            ensure!(out[index] == expected, "{name} is wrong at pair {index}: run `slider-attacks verify`");
        }
        if number == 0 {
            first.copy_from_slice(out);
        }
        ensure!(out == first, "{name} and {} differ: run `slider-attacks verify`", contestants[0].name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(name: &str, times: &[(&str, f64, f64)]) -> Race {
        let backends = times
            .iter()
            .filter_map(|&(name, least, median)| Some((name.parse::<Backend>().ok()?, Timing { least, median })));
        Race { name: name.to_owned(), backends: backends.collect() }
    }

    #[test]
    fn a_faster_backend_is_named() {
        let Some(bmi2) = Backend::bmi2() else { return };
        let slow = race("rook, memory", &[("scalar", 1.0, 1.2), ("bmi2", 1.5, 1.6)]);
        let fast = race("queen, cache", &[("scalar", 2.0, 2.2), ("bmi2", 1.5, 1.6)]);
        let expected = "bmi2 is not the right choice everywhere; faster by more than 3 %:\n  \
                        rook, memory: scalar is 1.50 times as fast\n";
        assert_eq!(verdict(bmi2, &[slow, fast]), expected);
    }

    #[test]
    fn noise_is_not_a_difference() {
        let Some(bmi2) = Backend::bmi2() else { return };
        let races = [
            race("by less", &[("scalar", 1.0, 1.0), ("bmi2", 1.02, 1.02)]),
            race("by the least time alone", &[("scalar", 1.0, 1.5), ("bmi2", 1.2, 1.4)]),
            race("the chosen one", &[("scalar", 1.0, 1.0), ("bmi2", 0.5, 0.5)]),
        ];
        let expected = "bmi2 is the right choice here: nowhere is scalar faster by more than 3 %.\n";
        assert_eq!(verdict(bmi2, &races), expected);
    }
}
