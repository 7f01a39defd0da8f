//! `slider-attacks methods`: lists and verifies the scalar methods.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use slider_attacks::methods::Method;
use slider_attacks::verify::{Mismatch, verify};
use slider_attacks::{Slider, Square};

use crate::args::MethodsArgs;
use crate::progress;
use crate::write::table::{self, Align};

/// The result of one method.
struct Outcome {
    method: Method,
    /// `None` if this CPU cannot run it.
    verified: Option<(Result<usize, Mismatch>, f64)>,
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

/// Compares a method with the reference, for all sliders. Returns how many attack sets agree.
fn verify_method(method: &Method, step: impl Fn()) -> Result<usize, Mismatch> {
    let mut cases = 0;
    for square in Square::ALL {
        for slider in Slider::ALL {
            cases += verify(method.name(), slider, square, |occs, out| {
                for (&occ, out) in occs.iter().zip(out) {
                    *out = method.attacks(slider, square, occ);
                }
            })?;
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
            method.name().into(),
            method.table_bytes().to_string(),
            method.operations().replace("multiplications", "mul").replace("lookups", "loads"),
            method.source().into(),
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
                ("-".to_owned(), format!("DIFFERS on {}", found.square()), format!("{seconds:.2}"))
            }
        };
        [outcome.method.name().into(), outcome.method.table_bytes().to_string(), cases, result, seconds]
    };
    table::write(out, columns, &outcomes.iter().map(row).collect::<Vec<_>>())?;
    for outcome in outcomes {
        if let Some((Err(mismatch), _)) = &outcome.verified {
            write!(out, "\n{mismatch}\n")?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_method_is_found_and_drawn() {
        let method = Method::ALL[0];
        let verified = Some((verify(method.name(), Slider::Rook, Square::A1, |_, out| out.fill(0)), 0.25));
        let mut out = Vec::new();
        report(&mut out, &[Outcome { method, verified }]).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("fill-up   8192      -  DIFFERS on a1     0.25\n"), "{out}");
        assert!(out.contains("\nfill-up is wrong for the rook on a1, occupancy 0x"), "{out}");
        assert_eq!(out.lines().count(), 3 + 1 + 2 + 9, "{out}");
    }
}
