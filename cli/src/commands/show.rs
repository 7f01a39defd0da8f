//! `slider-attacks show`: the steps of a method as boards side by side, as the documents draw them.

use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use slider_attacks::Square;
use slider_attacks::diagram::Diagram;
use slider_attacks::line::Line;
use slider_attacks::methods::{Method, Step, Value};

use crate::args::ShowArgs;

/// How wide a drawn board is.
const PANEL: usize = 18;
/// What stands between two boards.
const GAP: &str = "  ";
/// The width where there is no terminal: in a pipe, a file, a test.
const WIDTH: usize = 80;

/// Draws what `options` ask for.
pub fn run(options: &ShowArgs) -> Result<()> {
    let ShowArgs { method, square, occupancy, line } = *options;
    if !method.can_run() {
        bail!("this CPU lacks the instructions of {method}");
    }
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
    let lines: &[Line] = line.as_ref().map_or(&Line::ALL, std::slice::from_ref);
    draw(&mut io::stdout().lock(), &method, square, occupancy, lines, width).context("cannot write the results")
}

fn draw(
    out: &mut impl Write,
    method: &Method,
    square: Square,
    occupancy: u64,
    lines: &[Line],
    width: usize,
) -> io::Result<()> {
    writeln!(out, "{method}: slider S on {square}, occupancy {occupancy:#018x}")?;
    for &line in lines {
        writeln!(out, "\n{}", line.name())?;
        let panels: Vec<_> = method.steps(line, square, occupancy).iter().map(|step| panel(step, square)).collect();
        let in_a_row = ((width + GAP.len()) / (PANEL + GAP.len())).max(1);
        for row in panels.chunks(in_a_row) {
            writeln!(out)?;
            for number in 0..row[0].len() {
                let cells: Vec<_> = row.iter().map(|panel| format!("{:PANEL$}", panel[number])).collect();
                writeln!(out, "{}", cells.join(GAP).trim_end())?;
            }
        }
    }
    out.flush()
}

/// The ten lines of a step: its caption, then a board or what stands in the place of one.
fn panel(step: &Step, square: Square) -> Vec<String> {
    let body: Vec<String> = match step.value {
        Value::Squares(squares) => Diagram::new(squares).mark(square, 'S').lines().collect(),
        Value::Word(word) => Diagram::new(word).lines().collect(),
        Value::Row(row) => bits(row.into(), 8),
        Value::Index { index, bits: count } => bits(index, count),
    };
    [step.caption.to_owned()].into_iter().chain(body).collect()
}

/// A few bits, the lowest at the left as on a board, then the number that they are.
fn bits(number: u64, count: u32) -> Vec<String> {
    // Under the files of the boards above and below, unless there are too many of them.
    let indent = " ".repeat(3.min(PANEL - (2 * count as usize - 1)));
    let row = |cell: &dyn Fn(u32) -> String| indent.clone() + &(0..count).map(cell).collect::<Vec<_>>().join(" ");
    let mut lines = vec![String::new(); 9];
    lines[0] = row(&|bit| if number >> bit & 1 == 1 { "1".to_owned() } else { ".".to_owned() });
    lines[1] = row(&|bit| bit.to_string());
    lines[3] = format!("{indent}0b{number:0width$b}", width = count as usize);
    lines[4] = format!("{indent}= {number}");
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_fill_the_width() {
        for width in [0, 18, 79, 80, 120, 200] {
            for method in Method::ALL.iter().filter(|method| method.can_run()) {
                let mut out = Vec::new();
                draw(&mut out, method, Square::E4, 0x1234_5678_9abc_def0, &Line::ALL, width).unwrap();
                let out = String::from_utf8(out).unwrap();
                let drawing = out.lines().skip(1);
                assert!(drawing.clone().all(|line| line.len() <= width.max(PANEL)), "{width}\n{out}");
                assert!(method.steps(Line::File, Square::E4, 0).iter().all(|step| step.caption.len() <= PANEL));
            }
        }
    }
}
