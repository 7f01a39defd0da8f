//! `slider-attacks show`: the steps of a method, drawn as boards side by side.

use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use slider_attacks::line::Line;

use crate::args::ShowArgs;
use crate::target::stdout;

/// The width of a drawn step.
const PANEL: usize = 18;
/// The text between two steps.
const GAP: &str = "  ";
/// The width of the output where there is no terminal: in a pipe, a file, a test.
const WIDTH: usize = 80;

/// Draws the steps that `options` ask for.
pub fn run(options: &ShowArgs) -> Result<()> {
    if !options.method.can_run() {
        bail!("this CPU lacks the instructions of {}", options.method);
    }
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
    draw(&mut stdout()?, options, width).context("cannot write the results")
}

fn draw(out: &mut impl Write, options: &ShowArgs, width: usize) -> io::Result<()> {
    let ShowArgs { method, square, occupancy, line } = *options;
    writeln!(out, "{method}: slider S on {square}, occupancy {occupancy:#018x}")?;
    for &line in line.as_ref().map_or(&Line::ALL[..], std::slice::from_ref) {
        writeln!(out, "\n{}", line.name())?;
        let steps: Vec<String> = method.steps(line, square, occupancy).collect();
        let steps_per_row = ((width + GAP.len()) / (PANEL + GAP.len())).max(1);
        for row in steps.chunks(steps_per_row) {
            writeln!(out)?;
            let mut steps: Vec<_> = row.iter().map(|step| step.lines()).collect();
            while let Some(cells) = steps.iter_mut().map(Iterator::next).collect::<Option<Vec<&str>>>() {
                let cells: Vec<_> = cells.into_iter().map(|cell| format!("{cell:PANEL$}")).collect();
                writeln!(out, "{}", cells.join(GAP).trim_end())?;
            }
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use slider_attacks::Square;
    use slider_attacks::methods::Method;

    use super::*;

    #[test]
    fn panels_fill_the_width() {
        for width in [0, 18, 79, 80, 120, 200] {
            for method in Method::ALL.iter().filter(|method| method.can_run()) {
                let mut out = Vec::new();
                let (square, occupancy) = (Square::E4, 0x1234_5678_9abc_def0);
                draw(&mut out, &ShowArgs { method: *method, square, occupancy, line: None }, width).unwrap();
                let out = String::from_utf8(out).unwrap();
                let drawing = out.lines().skip(1);
                assert!(drawing.clone().all(|line| line.len() <= width.max(PANEL)), "{width}\n{out}");
            }
        }
    }
}
