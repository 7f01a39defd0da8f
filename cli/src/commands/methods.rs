//! `slider-attacks methods`: the methods of the documents, listed and verified.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use slider_attacks::diagram::Diagram;
use slider_attacks::methods::Method;
use slider_attacks::{Slider, Square, reference, verify};

use crate::args::MethodsArgs;
use crate::progress;
use crate::write::table::{self, Align};

/// Where a method is wrong.
struct Difference {
    slider: Slider,
    square: Square,
    occupancy: u64,
    expected: u64,
    actual: u64,
}

/// What came of one method.
struct Outcome {
    method: Method,
    /// `None` if this CPU cannot run it.
    verified: Option<(Result<usize, Difference>, f64)>,
}

/// Lists the methods, or verifies them; the exit code tells whether all are right.
pub fn run(options: &MethodsArgs) -> Result<ExitCode> {
    let methods = if options.methods.is_empty() { Method::ALL } else { &options.methods };
    let out = &mut io::stdout().lock();
    if !options.verify {
        list(out, methods).context("cannot write the results")?;
        return Ok(ExitCode::SUCCESS);
    }
    let bar = progress::bar((methods.len() * Square::ALL.len()) as u64, "");
    let outcomes: Vec<Outcome> = methods
        .iter()
        .map(|method| {
            bar.set_message(method.to_string());
            let verified = method.can_run().then(|| {
                let started = Instant::now();
                (verify_method(method, || bar.inc(1)), started.elapsed().as_secs_f64())
            });
            Outcome { method: *method, verified }
        })
        .collect();
    bar.finish_and_clear();
    report(out, &outcomes).context("cannot write the results")?;
    let differ = outcomes.iter().any(|outcome| matches!(outcome.verified, Some((Err(_), _))));
    Ok(if differ { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// How many attack sets agree, or the first that does not.
fn verify_method(method: &Method, step: impl Fn()) -> Result<usize, Difference> {
    let mut cases = 0;
    for square in Square::ALL {
        for occupancy in verify::occupancies(square) {
            for slider in Slider::ALL {
                let actual = method.attacks(slider)(square, occupancy);
                let expected = reference::attacks(slider, square, occupancy);
                if actual != expected {
                    return Err(Difference { slider, square, occupancy, expected, actual });
                }
                cases += 1;
            }
        }
        step();
    }
    Ok(cases)
}

fn list(out: &mut impl Write, methods: &[Method]) -> io::Result<()> {
    let columns = [
        ("method", Align::Left),
        ("bytes", Align::Right),
        ("operations of a queen", Align::Left),
        ("source", Align::Left),
    ];
    let row = |method: &Method| {
        [
            method.name.into(),
            method.table_bytes.to_string(),
            method.operations.replace("multiplications", "mul").replace("lookups", "loads"),
            method.source.into(),
        ]
    };
    table::write(out, columns, &methods.iter().map(row).collect::<Vec<_>>())?;
    out.flush()
}

/// Writes the table, and below it the boards where a method is wrong.
fn report(out: &mut impl Write, outcomes: &[Outcome]) -> io::Result<()> {
    let columns = [
        ("method", Align::Left),
        ("bytes", Align::Right),
        ("cases", Align::Right),
        ("result", Align::Left),
        ("seconds", Align::Right),
    ];
    let row = |outcome: &Outcome| {
        let (cases, result, seconds) = match &outcome.verified {
            None => ("-".to_owned(), "not on this CPU".to_owned(), "-".to_owned()),
            Some((Ok(cases), seconds)) => (cases.to_string(), "agrees".to_owned(), format!("{seconds:.2}")),
            Some((Err(found), seconds)) => {
                ("-".to_owned(), format!("DIFFERS on {}", found.square), format!("{seconds:.2}"))
            }
        };
        [outcome.method.name.into(), outcome.method.table_bytes.to_string(), cases, result, seconds]
    };
    table::write(out, columns, &outcomes.iter().map(row).collect::<Vec<_>>())?;
    for outcome in outcomes {
        if let Some((Err(difference), _)) = &outcome.verified {
            draw(out, &outcome.method, difference)?;
        }
    }
    out.flush()
}

fn draw(out: &mut impl Write, method: &Method, difference: &Difference) -> io::Result<()> {
    let Difference { slider, square, occupancy, expected, actual } = *difference;
    writeln!(out, "\n{method} is wrong for the {slider} on {square}, occupancy {occupancy:#018x}")?;
    writeln!(out, "{:<21}{:<21}{:<21}difference", "occupancy", "reference", method.name)?;
    let [occupancy, expected, actual, difference] =
        [occupancy, expected, actual, expected ^ actual].map(|board| Diagram::new(board).mark(square, 'S'));
    let boards = occupancy.lines().zip(expected.lines()).zip(actual.lines()).zip(difference.lines());
    boards.into_iter().try_for_each(|(((o, e), a), d)| writeln!(out, "{o}   {e}   {a}   {d}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_method_is_found_and_drawn() {
        let mut method = Method::ALL[0];
        method.rook_attacks = |_, _| 0;
        let verified = Some((verify_method(&method, || ()), 0.25));
        let mut out = Vec::new();
        report(&mut out, &[Outcome { method, verified }]).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("fill-up   8192      -  DIFFERS on a1     0.25\n"), "{out}");
        assert!(out.contains("\nfill-up is wrong for the rook on a1, occupancy 0x"), "{out}");
        assert_eq!(out.lines().count(), 3 + 1 + 2 + 9, "{out}");
    }
}
