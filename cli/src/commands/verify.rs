//! `slider-attacks verify`: compares backends with the reference, exhaustively.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use slider_attacks::verify::{Mismatch, verify};
use slider_attacks::{Backend, Slider, Square};

use crate::progress;
use crate::write::table::{self, Align};

/// The result of one backend with one slider, or with sets of sliders.
struct Outcome {
    backend: Backend,
    slider: &'static str,
    /// The number of boards that agreed before the end or the first difference, in whole squares.
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
                match verify_backend(backend, slider, square) {
                    Ok(more) => cases += more,
                    // One mismatch is enough to look at. More for the same slider would say little.
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

/// Compares one backend with the reference, for a slider, or for the call that takes sets of sliders. In that call, a
/// queen belongs to both sets.
fn verify_backend(backend: Backend, slider: Option<Slider>, square: Square) -> Result<usize, Mismatch> {
    verify(backend.name(), slider.unwrap_or(Slider::Queen), square, |occs, out| {
        let done = match slider {
            Some(slider) => backend.batch_attacks(slider, &vec![square; occs.len()], occs, out),
            None => {
                let set = vec![square.bitboard(); occs.len()];
                backend.batch_attack_sets(&set, &set, occs, out)
            }
        };
        done.expect("the lengths are equal and the square is on the board");
    })
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
            let result = match &outcome.mismatch {
                None => "agrees".to_owned(),
                Some(mismatch) => format!("DIFFERS on {}", mismatch.square()),
            };
            let Outcome { backend, slider, cases, seconds, .. } = outcome;
            [backend.to_string(), slider.to_string(), cases.to_string(), result, format!("{seconds:.2}")]
        })
        .collect();
    table::write(out, columns, &rows)?;
    for mismatch in outcomes.iter().filter_map(|outcome| outcome.mismatch.as_ref()) {
        write!(out, "\n{mismatch}\n")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_drawn_below_the_table() {
        let backend = Backend::scalar();
        let mismatch = verify("scalar", Slider::Rook, Square::A1, |occs, out| {
            backend.batch_attacks(Slider::Rook, &vec![Square::A1; occs.len()], occs, out).unwrap();
            out[0] ^= Square::B2.bitboard();
        })
        .unwrap_err();
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

scalar is wrong for the rook on a1, occupancy 0x";
        assert!(out.starts_with(table), "{out}");
        assert!(out.ends_with("a b c d e f g h\n") && out.contains("   2  . 1 . . . . . .\n1  R "), "{out}");
    }
}
