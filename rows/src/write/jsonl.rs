//! JSON lines: an object per line.

use super::cell::{Cell, counts, decimal, hex, integer, moves, sets, threats};

/// The most bytes of a key that are copied as one vector.
const SHORT: usize = 32;

/// The name of a column as it goes before a value, with the sign before it.
#[derive(Clone, Debug)]
pub struct JsonKey {
    /// The same, if it is short: it is copied whole, and cut off behind its end, because that takes no call.
    short: [u8; SHORT],
    text: String,
}

impl JsonKey {
    #[inline]
    fn append(&self, out: &mut Vec<u8>) {
        let length = out.len() + self.text.len();
        if self.text.len() <= SHORT {
            out.extend_from_slice(&self.short);
            out.truncate(length);
        } else {
            out.extend_from_slice(self.text.as_bytes());
        }
    }
}

/// The names of the columns as they go before their values.
pub fn keys<'a>(names: impl Iterator<Item = &'a str>) -> Vec<JsonKey> {
    let key = |(place, name): (usize, &str)| {
        let sign = if place == 0 { '{' } else { ',' };
        let text = format!("{sign}{}:", serde_json::Value::from(name));
        let mut short = [0; SHORT];
        short.iter_mut().zip(text.bytes()).for_each(|(byte, letter)| *byte = letter);
        JsonKey { short, text }
    };
    names.enumerate().map(key).collect()
}

/// Appends a row. Sets of squares are strings, as most readers of JSON lose digits of 64-bit numbers.
#[inline]
pub fn row<'a>(keys: &[JsonKey], cells: impl Iterator<Item = Cell<'a>>, out: &mut Vec<u8>) {
    for (key, cell) in keys.iter().zip(cells) {
        match cell {
            Cell::Fields("") => continue, // of a line that is no object
            Cell::Fields(_) => out.push(key.short[0]),
            _ => key.append(out),
        }
        value(cell, out);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends a value.
#[inline]
pub fn value(cell: Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Board(board) => {
            let mut text = [b'"'; 20];
            text[1..19].copy_from_slice(&hex(board));
            out.extend_from_slice(&text);
        }
        Cell::Number(number) => decimal(number, out),
        cell => rare_value(cell, out),
    }
}

/// Appends a value that is long, or not in every row. In one function with the others, all rows would take 1.05 to 1.07 of the time.
fn rare_value(cell: Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Board(_) | Cell::Number(_) => value(cell, out),
        Cell::Integer(number) => integer(number, out),
        Cell::Text(text) => serde_json::to_writer(out, &text).expect("memory can be written"),
        Cell::Json(text) => out.extend_from_slice(text.as_bytes()),
        Cell::Fields(fields) => out.extend_from_slice(fields.as_bytes()),
        Cell::Counts(numbers) => {
            out.push(b'[');
            counts(numbers, b',', out);
            out.push(b']');
        }
        Cell::Moves([]) | Cell::Threats([]) => out.extend_from_slice(b"[]"),
        Cell::Sets(_) | Cell::Moves(_) | Cell::Threats(_) => {
            const SEPARATOR: &[u8] = b"\",\"";
            out.extend_from_slice(b"[\"");
            match cell {
                Cell::Sets(list) => sets(list, SEPARATOR, out),
                Cell::Moves(list) => moves(list, SEPARATOR, out),
                Cell::Threats(list) => threats(list, SEPARATOR, out),
                _ => unreachable!("it is one of these"),
            }
            out.extend_from_slice(b"\"]");
        }
    }
}
