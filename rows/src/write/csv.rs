//! Comma-separated values.
//!
//! Texts are written unchanged, so that other programs read exactly the input. But spreadsheets evaluate texts that begin with
//! `=`, `+`, `-` or `@`, even in quotation marks, and a formula in an untrusted file can leak data. For them, [`safe`] puts an
//! apostrophe before such texts, which changes the data for all other programs.

use slider_attacks_formats::columns::text_of_json;

use super::cell::{Cell, counts, decimal, hex, integer, moves, sets, threats};
use crate::format::TextFormat;

/// A header with these names.
pub fn header<'a>(format: TextFormat, names: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut header = Vec::new();
    let names = names.map(Cell::from);
    match format {
        TextFormat::SafeCsv => row(names.map(safe), &mut header),
        _ => row(names, &mut header),
    }
    header
}

/// The value as spreadsheets are to show it: with an apostrophe if it is a text that begins like a formula. Numbers stay, and so
/// does `-`, which stands for nothing in FEN and PGN.
pub fn safe(cell: Cell<'_>) -> Cell<'_> {
    let text = match cell {
        Cell::Json(value) if value.starts_with('"') => text_of_json(&value).unwrap_or_default().into_owned().into(),
        Cell::Text(text) => text,
        _ => return cell,
    };
    // With the signs of double width, which some spreadsheets take for the others.
    let is_sign = |first| matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠');
    let is_formula = text.starts_with(is_sign) && text != "-" && !text.parse().is_ok_and(f64::is_finite);
    Cell::Text(if is_formula { format!("'{text}").into() } else { text })
}

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
            Cell::Sets(list) => sets(list, b" ", out),
            Cell::Moves(list) => moves(list, b" ", out),
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

/// Whether a text needs quotation marks. It looks at all bytes, because a loop without an end in the middle becomes one of
/// vectors.
#[inline]
fn is_special(text: &[u8]) -> bool {
    let is_special = |byte: u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    text.iter().fold(false, |found, &byte| found | is_special(byte))
}

#[test]
fn texts_that_begin_like_formulas_get_an_apostrophe_and_numbers_stay() {
    let written = |cell: Cell<'_>| {
        let mut out = Vec::new();
        row([safe(cell)].into_iter(), &mut out);
        String::from_utf8(out).unwrap()
    };
    for formula in ["=1+2", "+1+2", "-1+2", "@SUM(1)", "\t=1", "＝1", "－1", "+", "--", "-inf", "-1e999", "- 1", "=x"]
    {
        assert_eq!(written(formula.into()), format!("'{formula}\n"));
        let json = format!("\"{}\"", formula.replace('\t', "\\t"));
        assert_eq!(written(Cell::Json(json.into())), format!("'{formula}\n"));
    }
    assert_eq!(written("=a,\"b\"".into()), "\"'=a,\"\"b\"\"\"\n");
    assert_eq!(written("\r=1".into()), "\"'\r=1\"\n");
    for plain in ["", "-", "-3", "+0.25", "-.5", "-1e-9", "a=b", " =1", "1-0", "4k3/8 w - -"] {
        assert_eq!(written(plain.into()), format!("{plain}\n"));
    }
    assert_eq!(written(Cell::Integer(-3)), "-3\n");
    assert_eq!(written(Cell::Json("-3.5".into())), "-3.5\n");
    assert_eq!(written(Cell::NULL), "\n");
    assert_eq!(header(TextFormat::SafeCsv, ["a", "=b"].into_iter()), b"a,'=b\n");
    assert_eq!(header(TextFormat::Csv, ["a", "=b"].into_iter()), b"a,=b\n");
}
