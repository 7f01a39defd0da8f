//! JSON lines: an object per line.

use super::cell::{Cell, counts, decimal, hex, integer, threats};

/// The names of the columns as they go before their values.
pub fn keys<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    names.map(|name| serde_json::Value::from(name).to_string() + ":").collect()
}

/// Appends a row. Sets of squares are strings, as most readers of JSON lose digits of 64-bit numbers.
pub fn row<'a>(keys: &[String], cells: impl Iterator<Item = Cell<'a>>, out: &mut Vec<u8>) {
    for (place, (key, cell)) in keys.iter().zip(cells).enumerate() {
        if matches!(cell, Cell::Fields("")) {
            continue; // of a line that is no object
        }
        out.push(if place == 0 { b'{' } else { b',' });
        if !matches!(cell, Cell::Fields(_)) {
            out.extend_from_slice(key.as_bytes());
        }
        value(cell, out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends a value.
pub fn value(cell: Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Number(number) => decimal(number, out),
        Cell::Integer(number) => integer(number, out),
        Cell::Text(text) => serde_json::to_writer(out, &text).expect("memory can be written"),
        Cell::Json(text) => out.extend_from_slice(text.as_bytes()),
        Cell::Fields(fields) => out.extend_from_slice(fields.as_bytes()),
        Cell::Board(board) => {
            out.push(b'"');
            out.extend_from_slice(&hex(board));
            out.push(b'"');
        }
        Cell::Counts(numbers) => {
            out.push(b'[');
            counts(numbers, b',', out);
            out.push(b']');
        }
        Cell::Threats([]) => out.extend_from_slice(b"[]"),
        Cell::Threats(list) => {
            out.extend_from_slice(b"[\"");
            threats(list, b"\",\"", out);
            out.extend_from_slice(b"\"]");
        }
    }
}
