//! `slider-attacks verify`: compares backends with the reference, exhaustively. `methods --verify` does the same with
//! methods.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use slider_attacks::verify::{Mismatch, verify};
use slider_attacks::{Backend, Slider, SliderArrays, Square};
use slider_attacks_rows::write::table;

use crate::progress::{self, ProgressLine};
use crate::target::stdout;

/// The result of one backend with one slider or with sets of sliders, or of one method.
pub struct Verdict {
    /// The first two cells of its row.
    pub names: [String; 2],
    /// `None` if this CPU cannot run it.
    pub verified: Option<Verified>,
}

/// The result of a comparison with the reference.
pub struct Verified {
    /// The number of boards that agreed before the end or the first difference, in whole squares.
    cases: usize,
    mismatch: Option<Mismatch>,
    seconds: f64,
}

impl Verified {
    /// Compares square by square, up to the first difference.
    pub fn new(bar: &ProgressLine, verify: impl Fn(Square) -> Result<usize, Mismatch>) -> Verified {
        let started = Instant::now();
        let (mut cases, mut mismatch) = (0, None);
        for square in Square::ALL {
            match verify(square) {
                Ok(more) => cases += more,
                // One mismatch is enough to look at. More for the same slider would say little.
                Err(found) => {
                    mismatch = Some(found);
                    break;
                }
            }
            bar.inc(1);
        }
        Verified { cases, mismatch, seconds: started.elapsed().as_secs_f64() }
    }
}

/// Verifies all `backends` with all sliders; the exit code tells whether they agree.
pub fn run(backends: &[Backend]) -> Result<ExitCode> {
    let sliders = Slider::ALL.map(Some).into_iter().chain([None]);
    let steps = backends.len() * sliders.clone().count() * Square::ALL.len();
    let bar = progress::bar(steps);
    let mut outcomes = Vec::new();
    for &backend in backends {
        for slider in sliders.clone() {
            let names = [backend.name(), slider.map_or("set", Slider::name)].map(str::to_owned);
            bar.set_message(names.join(" "));
            let verified = Some(Verified::new(&bar, |square| verify_backend(backend, slider, square)));
            outcomes.push(Verdict { names, verified });
        }
    }
    bar.clear();
    report(&mut stdout()?, ["backend", "slider"], &outcomes)
}

/// Compares one backend with the reference, for a slider, or for the call that takes sets of sliders. In that call, a
/// queen belongs to both sets.
fn verify_backend(backend: Backend, slider: Option<Slider>, square: Square) -> Result<usize, Mismatch> {
    verify(backend.name(), slider.unwrap_or(Slider::Queen), square, |occs, out| {
        let done = match slider {
            Some(slider) => backend.batch_slider_attacks(slider, &vec![square; occs.len()], occs, out),
            None => {
                let set = vec![square.bitboard(); occs.len()];
                let sliders = SliderArrays { orthogonal: &set, diagonal: &set, occupancies: occs };
                backend.batch_attack_sets(sliders, out)
            }
        };
        done.expect("the lengths are equal and the square is on the board");
    })
}

/// Writes the table, below it the boards where something is wrong, and a summary. The exit code tells whether all agree.
pub fn report(out: &mut impl Write, [first, second]: [&str; 2], outcomes: &[Verdict]) -> Result<ExitCode> {
    let row = |Verdict { names: [first, second], verified }: &Verdict| {
        let [cases, result, seconds] = match verified {
            None => ["-", "not on this CPU", "-"].map(str::to_owned),
            Some(Verified { cases, mismatch, seconds }) => {
                let differs = |mismatch: &Mismatch| format!("DIFFERS on {}", mismatch.square());
                let result = mismatch.as_ref().map_or_else(|| "agrees".to_owned(), differs);
                [cases.to_string(), result, format!("{seconds:.2}")]
            }
        };
        [first.clone(), second.clone(), cases, result, seconds]
    };
    let rows: Vec<_> = outcomes.iter().map(row).collect();
    let mut mismatches = outcomes.iter().filter_map(|outcome| outcome.verified.as_ref()?.mismatch.as_ref()).peekable();
    let compared = outcomes.iter().filter_map(|outcome| outcome.verified.as_ref());
    let agreeing = compared.clone().filter(|verified| verified.mismatch.is_none()).count();
    let compared = compared.count();
    let missing = outcomes.len() - compared;
    let not_here = if missing > 0 { format!(" ({missing} not on this CPU)") } else { String::new() };
    let summary = format!(
        "{agreeing} of {compared} rows agree with the ray walk{not_here}.\n\
        Cases: every subset of a rook's rays and every subset of a bishop's, on each square;\n\
        for a queen, one of the two with some pieces on the other's, not both together."
    );
    let code = if mismatches.peek().is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    table::write(out, &[first, second, "cases", "result", "seconds"], &rows)
        .and_then(|()| mismatches.try_for_each(|mismatch| write!(out, "\n{mismatch}\n")))
        .and_then(|()| writeln!(out, "\n{summary}"))
        .and_then(|()| out.flush())
        .context("cannot write the results")?;
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_drawn_below_the_table() {
        let backend = Backend::scalar();
        let mismatch = verify("scalar", Slider::Rook, Square::A1, |occs, out| {
            backend.batch_slider_attacks(Slider::Rook, &vec![Square::A1; occs.len()], occs, out).unwrap();
            out[0] ^= Square::B2.bitboard();
        });
        let rows = [
            ("bishop", Some(Verified { cases: 12, mismatch: None, seconds: 0.5 })),
            ("rook", Some(Verified { cases: 0, mismatch: mismatch.err(), seconds: 0.25 })),
            ("queen", None),
        ];
        let outcomes = rows.map(|(name, verified)| Verdict { names: ["scalar", name].map(str::to_owned), verified });
        let mut out = Vec::new();
        assert_eq!(report(&mut out, ["backend", "slider"], &outcomes).unwrap(), ExitCode::FAILURE);
        assert_eq!(report(&mut Vec::new(), ["backend", "slider"], &outcomes[..1]).unwrap(), ExitCode::SUCCESS);
        let out = String::from_utf8(out).unwrap();
        let table = "\
backend  slider  cases  result           seconds
-------  ------  -----  ---------------  -------
scalar   bishop     12  agrees              0.50
scalar   rook        0  DIFFERS on a1       0.25
scalar   queen       -  not on this CPU        -

scalar is wrong for the rook on a1, occupancy 0x";
        assert!(out.starts_with(table), "{out}");
        assert!(out.contains("   2  . 1 . . . . . .\n1  R "), "{out}");
        let (_, summary) = out.split_once("a b c d e f g h\n\n").expect("the summary stands below the boards");
        assert!(summary.starts_with("1 of 2 rows agree with the ray walk (1 not on this CPU).\nCases: "), "{summary}");
    }
}
