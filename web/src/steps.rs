//! The steps of a method: those that `slider-attacks show` draws.

use std::str::FromStr;

use serde_json::{Value, json};
use slider_attacks::line::Line;
use slider_attacks::methods::{Method, Step, StepValue};
use slider_attacks::{Slider, Square};

use crate::{error, squares};

/// The steps along each line of a slider. The input is the names of a method, a slider and a square, and an occupancy, such
/// as `fill-up queen e4 0x00ff00000000ff00`.
pub fn steps(input: &str) -> Value {
    read(input).unwrap_or_else(error)
}

fn read(input: &str) -> Result<Value, String> {
    let mut words = input.split_ascii_whitespace();
    let (method, slider): (Method, Slider) = (name(words.next())?, name(words.next())?);
    let square: Square = name(words.next())?;
    let digits = words.next().and_then(|word| word.strip_prefix("0x")).filter(|digits| !digits.starts_with('+'));
    let occupancy = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let occupancy = occupancy.ok_or("expected an occupancy such as 0x00ff00000000ff00")?;
    if !method.can_run() {
        return Err(format!("this CPU lacks the instructions of {method}"));
    }
    let is_on = |line: &Line| match slider {
        Slider::Bishop => matches!(line, Line::Diagonal | Line::AntiDiagonal),
        Slider::Rook => matches!(line, Line::Rank | Line::File),
        Slider::Queen => true,
    };
    let lines = Line::ALL.into_iter().filter(is_on).map(|line| {
        json!({
            "line": line.name(),
            "mask": squares(line.through(square)),
            "attacks": squares(method.line_attacks(line, square, occupancy)),
            "steps": method.step_values(line, square, occupancy).map(step).collect::<Vec<_>>(),
        })
    });
    Ok(json!({
        "lines": lines.collect::<Vec<_>>(),
        "attacks": squares(method.attacks(slider, square, occupancy)),
    }))
}

fn name<T: FromStr<Err: ToString>>(word: Option<&str>) -> Result<T, String> {
    word.unwrap_or_default().parse().map_err(|error: T::Err| error.to_string())
}

fn step(step: Step) -> Value {
    let (kind, value, bits) = match step.value() {
        StepValue::Squares(squares) => ("squares", squares, 64),
        StepValue::Word(word) => ("word", word, 64),
        StepValue::Index(index, bits) => ("index", index, bits),
        StepValue::Row(row) => ("row", row.into(), 8),
    };
    json!({ "caption": step.caption(), "kind": kind, "value": squares(value), "bits": bits })
}
