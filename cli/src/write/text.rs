//! Rows as text: CSV and JSON lines.

use std::io::Write;

use anyhow::{Context, Result};
use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use crate::commands::analyze::products::{Column, Values};
use crate::read::block::Source;
use crate::read::parsed::{Kept, Parsed};

/// Appends a row for each position to `out`. `with_file` says whether the name of the input comes first.
pub fn csv(parsed: &Parsed, columns: &[Column], source: &Source, with_file: bool, out: &mut Vec<u8>) -> Result<()> {
    let kept = formatters(&parsed.kept)?;
    for (row, line) in parsed.lines.iter().enumerate() {
        if with_file {
            quote(&source.name, out);
            out.push(b',');
        }
        write!(out, "{line}")?;
        for (kept, formatter) in parsed.kept.iter().zip(&kept) {
            out.push(b',');
            match (kept, formatter) {
                (Kept::Json(cells), _) => quote(&text_of_json(cells.get(row)), out),
                (Kept::Text(cells), _) => quote(cells.get(row).unwrap_or_default(), out),
                (_, Some(formatter)) => quote(&formatter.value(row).try_to_string()?, out),
                // All fields of JSON lines are kept in JSON lines alone.
                (_, None) => {}
            }
        }
        for column in columns {
            out.push(b',');
            match &column.values {
                Values::Numbers(numbers) => write!(out, "{}", numbers[row])?,
                Values::Boards(boards) => hex(boards[row], out),
                Values::Squares(squares) => numbers(&squares[row], b' ', out),
                Values::Threats(threats) => {
                    for (place, threat) in threats.of(row).iter().enumerate() {
                        if place > 0 {
                            out.push(b' ');
                        }
                        self::threat(threat, out);
                    }
                }
            }
        }
        out.push(b'\n');
    }
    Ok(())
}

/// The same in JSON lines. Sets of squares are strings, as numbers of 64 bits do not survive most readers of JSON.
pub fn jsonl(parsed: &Parsed, columns: &[Column], source: &Source, with_file: bool, out: &mut Vec<u8>) -> Result<()> {
    let kept = formatters(&parsed.kept)?;
    let names: Vec<String> = source.kept.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let file = serde_json::to_string(&source.name)?;
    for (row, line) in parsed.lines.iter().enumerate() {
        out.push(b'{');
        if with_file {
            write!(out, "\"file\":{file},")?;
        }
        write!(out, "\"line\":{line}")?;
        for (place, (kept, formatter)) in parsed.kept.iter().zip(&kept).enumerate() {
            out.push(b',');
            match (kept, formatter) {
                (Kept::Fields(cells), _) => out.extend_from_slice(cells.get(row).unwrap_or_default().as_bytes()),
                (Kept::Text(cells), _) => {
                    write!(out, "{}:", names[place])?;
                    serde_json::to_writer(&mut *out, cells.get(row).unwrap_or_default())?;
                }
                (Kept::Json(cells), _) => {
                    let value = cells.get(row).unwrap_or("null");
                    write!(out, "{}:{value}", names[place])?;
                }
                (Kept::Array(_, array), formatter) => {
                    write!(out, "{}:", names[place])?;
                    json_value(array, row, formatter.as_ref(), out)?;
                }
            }
        }
        for column in columns {
            write!(out, ",\"{}\":", column.name)?;
            match &column.values {
                Values::Numbers(numbers) => write!(out, "{}", numbers[row])?,
                Values::Boards(boards) => {
                    out.push(b'"');
                    hex(boards[row], out);
                    out.push(b'"');
                }
                Values::Squares(squares) => {
                    out.push(b'[');
                    numbers(&squares[row], b',', out);
                    out.push(b']');
                }
                Values::Threats(threats) => {
                    out.push(b'[');
                    for (place, threat) in threats.of(row).iter().enumerate() {
                        out.extend_from_slice(if place > 0 { b",\"" } else { b"\"" });
                        self::threat(threat, out);
                        out.push(b'"');
                    }
                    out.push(b']');
                }
            }
        }
        out.extend_from_slice(b"}\n");
    }
    Ok(())
}

/// What writes the values of the kept arrays as text.
fn formatters(kept: &[Kept]) -> Result<Vec<Option<ArrayFormatter<'_>>>> {
    const OPTIONS: &FormatOptions = &FormatOptions::new();
    let arrays = kept.iter().map(|kept| match kept {
        Kept::Array(_, array) => Some(array),
        Kept::Text(_) | Kept::Json(_) | Kept::Fields(_) => None,
    });
    let formatter =
        |array: Option<_>| array.map(|array: &ArrayRef| ArrayFormatter::try_new(array, OPTIONS)).transpose();
    arrays.map(formatter).collect::<Result<_, _>>().context("cannot write a kept column as text")
}

/// A kept value: a number or a truth value as such, anything else as text.
fn json_value(array: &ArrayRef, row: usize, formatter: Option<&ArrayFormatter>, out: &mut Vec<u8>) -> Result<()> {
    let text = match formatter {
        Some(formatter) if !array.is_null(row) => formatter.value(row).try_to_string()?,
        _ => {
            out.extend_from_slice(b"null");
            return Ok(());
        }
    };
    let kind = array.data_type();
    // A float can be infinite or no number, which JSON has no words for.
    let bare =
        kind.is_integer() || *kind == DataType::Boolean || kind.is_floating() && text.parse().is_ok_and(f64::is_finite);
    if bare {
        out.extend_from_slice(text.as_bytes());
    } else {
        serde_json::to_writer(out, &text)?;
    }
    Ok(())
}

/// A JSON value as text: strings without quotation marks, nothing for null.
pub fn text_of_json(value: Option<&str>) -> String {
    let value = value.filter(|&value| value != "null").unwrap_or_default();
    let is_text = value.starts_with('"');
    if is_text { serde_json::from_str(value).expect("tried while reading") } else { value.to_owned() }
}

/// A field of CSV.
pub fn quote(text: &str, out: &mut Vec<u8>) {
    if text.contains(['"', ',', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// `0x` and 16 digits.
fn hex(board: u64, out: &mut Vec<u8>) {
    let digit = |place: u32| b"0123456789abcdef"[(board >> (60 - 4 * place) & 15) as usize];
    out.extend_from_slice(b"0x");
    out.extend((0..16).map(digit));
}

fn numbers(numbers: &[u8; 64], separator: u8, out: &mut Vec<u8>) {
    for (place, &number) in numbers.iter().enumerate() {
        if place > 0 {
            out.push(separator);
        }
        // Nearly all have one digit, and there are millions.
        if number >= 10 {
            if number >= 100 {
                out.push(b'0' + number / 100);
            }
            out.push(b'0' + number / 10 % 10);
        }
        out.push(b'0' + number % 10);
    }
}

/// `Qd1xpd5`.
fn threat(&[attacker, from, to, victim]: &[u8; 4], out: &mut Vec<u8>) {
    let square = |square: u8| [b'a' + square % 8, b'1' + square / 8];
    let ([from_file, from_rank], [to_file, to_rank]) = (square(from), square(to));
    out.extend_from_slice(&[attacker, from_file, from_rank, b'x', victim, to_file, to_rank]);
}
