//! `slider-attacks verify`: backends against the reference, exhaustively.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use slider_attacks::verify::{Mismatch, occupancies, verify};
use slider_attacks::{Backend, Slider, Square, reference};

use crate::progress;
use crate::write::table::{self, Align};

/// What came of one backend and slider, or of sets of sliders.
struct Outcome {
    backend: Backend,
    slider: &'static str,
    /// How many boards agreed before the end or the first difference; whole squares only.
    cases: usize,
    mismatch: Option<Mismatch>,
    seconds: f64,
}

/// Verifies all `backends` with all sliders; the exit code tells whether they agree.
pub fn run(backends: &[Backend]) -> Result<ExitCode> {
    let sliders = Slider::ALL.map(Some).into_iter().chain([None]);
    let steps = backends.len() * sliders.clone().count() * Square::ALL.len();
    let bar = progress::bar(steps as u64, "");
    let mut outcomes = Vec::new();
    for &backend in backends {
        for slider in sliders.clone() {
            let name = slider.map_or("set", Slider::name);
            bar.set_message(format!("{backend} {name}"));
            let started = Instant::now();
            let mut cases = 0;
            let mut mismatch = None;
            for square in Square::ALL {
                let verified =
                    slider.map_or_else(|| verify_set(backend, square), |slider| verify(backend, slider, square));
                match verified {
                    Ok(more) => cases += more,
                    // One is enough to look at, and the rest of this slider tells little more.
                    Err(found) => {
                        mismatch = Some(found);
                        break;
                    }
                }
                bar.inc(1);
            }
            let seconds = started.elapsed().as_secs_f64();
            outcomes.push(Outcome { backend, slider: name, cases, mismatch, seconds });
        }
    }
    bar.finish_and_clear();
    report(&mut io::stdout().lock(), &outcomes).context("cannot write the results")?;
    let differ = outcomes.iter().any(|outcome| outcome.mismatch.is_some());
    Ok(if differ { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The same for the call that takes sets of sliders: a queen is one of each.
fn verify_set(backend: Backend, square: Square) -> Result<usize, Mismatch> {
    let slider = Slider::Queen;
    let occupancies: Vec<u64> = occupancies(square).collect();
    let set = vec![square.bitboard(); occupancies.len()];
    let mut out = vec![0; occupancies.len()];
    backend.batch_attack_sets(&set, &set, &occupancies, &mut out).expect("the lengths are equal");
    for (&occupancy, &actual) in occupancies.iter().zip(&out) {
        let expected = reference::attacks(slider, square, occupancy);
        if actual != expected {
            return Err(Mismatch { backend, slider, square, occupancy, expected, actual });
        }
    }
    Ok(occupancies.len())
}

/// Writes the table, and below it the boards where a backend is wrong.
fn report(out: &mut impl Write, outcomes: &[Outcome]) -> io::Result<()> {
    let columns = [
        ("backend", Align::Left),
        ("slider", Align::Left),
        ("cases", Align::Right),
        ("result", Align::Left),
        ("seconds", Align::Right),
    ];
    let rows: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            let result = match outcome.mismatch {
                None => "agrees".to_owned(),
                Some(mismatch) => format!("DIFFERS on {}", mismatch.square),
            };
            let Outcome { backend, slider, cases, seconds, .. } = outcome;
            [backend.to_string(), slider.to_string(), cases.to_string(), result, format!("{seconds:.2}")]
        })
        .collect();
    table::write(out, columns, &rows)?;
    for mismatch in outcomes.iter().filter_map(|outcome| outcome.mismatch) {
        write!(out, "\n{mismatch}\n")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_drawn_below_the_table() {
        let (backend, slider, square) = (Backend::scalar(), Slider::Rook, Square::A1);
        let expected = reference::attacks(slider, square, 0);
        let actual = expected ^ Square::A8.bitboard();
        let mismatch = Mismatch { backend, slider, square, occupancy: 0, expected, actual };
        let outcomes = [
            Outcome { backend, slider: "bishop", cases: 12, mismatch: None, seconds: 0.5 },
            Outcome { backend, slider: "rook", cases: 0, mismatch: Some(mismatch), seconds: 0.25 },
        ];
        let mut out = Vec::new();
        report(&mut out, &outcomes).unwrap();
        let out = String::from_utf8(out).unwrap();
        let table = "\
backend  slider  cases  result         seconds
-------  ------  -----  -------------  -------
scalar   bishop     12  agrees            0.50
scalar   rook        0  DIFFERS on a1     0.25

scalar is wrong for the rook on a1, occupancy 0x0000000000000000
";
        assert!(out.starts_with(table), "{out}");
        assert!(out.contains("8  . . . . . . . .   8  1 . . . . . . .   8  . . . . . . . .   8  1 . . ."), "{out}");
    }
}
