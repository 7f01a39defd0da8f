//! What a file holds, from its name and its beginning.

use std::fmt;
use std::str::FromStr;

use memchr::{memchr, memmem};
use serde_json::{Value, json};
use slider_attacks_formats::Beginning;
use slider_attacks_formats::csv;
use slider_attacks_formats::cut::is_blank;
use slider_attacks_formats::error::OpenError;
use slider_attacks_formats::fen::is_board;
use slider_attacks_formats::request::Wanted;
use slider_attacks_games::tags::begins_games;

use crate::{error, head, shown, with_line_ends};

/// The name of the column with the positions.
const COLUMN: &str = "fen";

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// FEN or EPD, one position per line.
    Lines,
    /// PGN.
    Games,
    /// CSV, whose header is not part of the text any more.
    Csv {
        /// The byte that separates fields.
        delimiter: u8,
        /// The place of the field with the position.
        column: usize,
        /// How many fields a record has.
        width: usize,
    },
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Lines => f.write_str("lines"),
            Format::Games => f.write_str("games"),
            Format::Csv { delimiter, column, width } => write!(f, "csv/{delimiter}/{column}/{width}"),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        let wrong = || format!("there is no format {text:?}");
        let mut words = text.split('/');
        Ok(match words.next() {
            Some("lines") => Format::Lines,
            Some("games") => Format::Games,
            Some("csv") => {
                let mut number = || words.next().and_then(|word| word.parse::<usize>().ok()).ok_or_else(wrong);
                let (delimiter, column, width) = (number()?, number()?, number()?);
                Format::Csv { delimiter: u8::try_from(delimiter).map_err(|_| wrong())?, column, width }
            }
            _ => return Err(wrong()),
        })
    }
}

/// Tells the format of a file. The input is its name, a line end, and the beginning of the file.
///
/// The answer has the format, how many bytes are passed over before its text begins, and the number of the line there.
pub fn detect(input: &[u8]) -> Value {
    let (name, text) = head(input);
    match read(name, text) {
        Ok((format, skip, line)) => json!({ "format": format.to_string(), "skip": skip, "line": line }),
        Err(message) => error(message),
    }
}

fn read(name: &str, text: &[u8]) -> Result<(Format, usize, u64), String> {
    let mut beginning = Beginning::new(name, None);
    beginning.push(text);
    beginning.finish();
    let mark = beginning.mark();
    refuse(&text[mark.bytes..])?;
    let text = &*with_line_ends(&text[mark.bytes..]);
    // What follows blank lines and comments.
    let first = |is_comment: fn(&[u8]) -> bool| {
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        lines.find(|line| !line.is_empty() && !is_comment(line)).unwrap_or_default()
    };
    let is_move = |line: &[u8]| line.starts_with(b"1.") || line.starts_with(b"{");
    let line = first(|line| line.starts_with(b"%") || line.starts_with(b";"));
    if name.to_ascii_lowercase().ends_with(".pgn")
        || begins_games(line)
        || is_move(line) && memmem::find(line, b"\":").is_none()
    {
        return Ok((Format::Games, mark.bytes, mark.line));
    }
    if first(|line| line.starts_with(b"#")).starts_with(b"{") {
        return Err("JSON lines are not read here: use the command slider-attacks".into());
    }
    let line = beginning.any_first_line().unwrap_or_default();
    let format = if is_blank(line) { None } else { header(line)? };
    let passed = if format.is_some() { beginning.header() } else { mark };
    Ok((format.unwrap_or(Format::Lines), passed.bytes, passed.line))
}

/// Says what is no text.
fn refuse(text: &[u8]) -> Result<(), String> {
    let starts: [(&[u8], &str); 5] = [
        (b"\xff\xfe", "the file is text in UTF-16: save it as UTF-8"),
        (b"\xfe\xff", "the file is text in UTF-16: save it as UTF-8"),
        (b"\x28\xb5\x2f\xfd", "the file is compressed with zstd: decompress it first, for example with zstd -d"),
        (b"PAR1", "Parquet is not read here: use the command slider-attacks"),
        (b"PK\x03\x04", "the file is a zip archive: unpack it first"),
    ];
    if let Some((_, message)) = starts.iter().find(|(start, _)| text.starts_with(start)) {
        return Err((*message).into());
    }
    if let Some(at) = memchr(0, &text[..text.len().min(1 << 16)]) {
        return Err(format!("byte {} is zero: this is no text", at + 1));
    }
    Ok(())
}

/// The format of CSV with this header, if it is one.
fn header(line: &[u8]) -> Result<Option<Format>, String> {
    if is_board(line) {
        return Ok(None);
    }
    let wanted = Wanted { column: COLUMN.to_owned(), ..Wanted::default() };
    let name = |name: &String| shown(name.as_bytes(), 60);
    match csv::header(line, "", &wanted) {
        Ok(found) => Ok(found.map(|(delimiter, names, column)| Format::Csv { delimiter, column, width: names.len() })),
        Err(OpenError::SameName { column, .. }) => {
            Err(format!("two columns are named {:?}: rename one of them", name(&column)))
        }
        Err(OpenError::NoHeader { .. }) => Err("CSV needs a header: put a line with names before the first one".into()),
        Err(OpenError::NoColumn { columns, .. }) => {
            let names: Vec<String> = columns.iter().take(12).map(name).collect();
            Err(format!("expected a column {COLUMN:?}, found {}", names.join(", ")))
        }
        Err(error) => Err(error.to_string()),
    }
}
