//! `slider-attacks methods`: lists and verifies the scalar methods.

use std::process::ExitCode;

use anyhow::{Context, Result};
use slider_attacks::methods::Method;
use slider_attacks::verify::{Mismatch, verify};
use slider_attacks::{Slider, Square};
use slider_attacks_rows::write::table;

use crate::args::MethodsArgs;
use crate::commands::verify::{Verdict, Verified, report};
use crate::progress;
use crate::target::stdout;

/// Lists the methods, or verifies them; the exit code tells whether all are right.
pub fn run(options: &MethodsArgs) -> Result<ExitCode> {
    let methods = if options.methods.is_empty() { Method::ALL } else { &options.methods };
    let out = &mut stdout()?;
    if !options.verify {
        let columns = ["method", "bytes", "operations of a queen", "source"];
        let rows: Vec<_> = methods.iter().map(row).collect();
        table::write(out, &columns, &rows).context("cannot write the results")?;
        return Ok(ExitCode::SUCCESS);
    }
    let bar = progress::bar(methods.len() * Square::ALL.len());
    let outcome = |method: &Method| {
        bar.set_message(method.to_string());
        let verified = method.can_run().then(|| Verified::new(&bar, |square| verify_method(method, square)));
        Verdict { names: [method.to_string(), method.table_bytes().to_string()], verified }
    };
    let outcomes: Vec<_> = methods.iter().map(outcome).collect();
    bar.clear();
    report(out, ["method", "bytes"], &outcomes)
}

/// Compares a method with the reference, for all sliders on a square. Returns how many attack sets agree.
fn verify_method(method: &Method, square: Square) -> Result<usize, Mismatch> {
    let verify_slider = |slider| {
        verify(method.name(), slider, square, |occs, out| {
            for (&occ, out) in occs.iter().zip(out) {
                *out = method.attacks(slider, square, occ);
            }
        })
    };
    Slider::ALL.into_iter().map(verify_slider).sum()
}

/// The listed columns of a method.
fn row(method: &Method) -> [String; 4] {
    let operations = method.operations().replace("multiplications", "mul").replace("lookups", "loads");
    [method.to_string(), method.table_bytes().to_string(), operations, method.source().to_owned()]
}
