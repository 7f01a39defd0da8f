//! Comma-separated values.

use slider_attacks_formats::columns::text_of_json;

use super::cell::{Cell, counts, decimal, hex, integer, threats};

/// Appends a row. A header is a row of names.
#[inline]
pub fn row<'a>(cells: impl Iterator<Item = Cell<'a>>, out: &mut Vec<u8>) {
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match cell {
            Cell::Number(number) => decimal(number, out),
            Cell::Integer(number) => integer(number, out),
            Cell::Text(text) => quote(&text, out),
            // A string stands without the quotation marks of JSON, and nothing for null.
            Cell::Json(value) => quote(&text_of_json(&value).unwrap_or_default(), out),
            Cell::Fields(_) => unreachable!("only JSON lines keep all fields"),
            Cell::Board(board) => out.extend_from_slice(&hex(board)),
            Cell::Counts(numbers) => counts(numbers, b' ', out),
            Cell::Threats(list) => threats(list, b" ", out),
        }
    }
    out.push(b'\n');
}

fn quote(text: &str, out: &mut Vec<u8>) {
    if is_special(text.as_bytes()) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// Whether a text stands in quotation marks. It looks at all bytes, because a loop without an end in the middle becomes one of
/// vectors.
#[inline]
fn is_special(text: &[u8]) -> bool {
    let is_special = |byte: u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    text.iter().fold(false, |found, &byte| found | is_special(byte))
}
