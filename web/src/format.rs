//! What a file holds, from its name and its beginning.

use std::fmt;
use std::str::FromStr;

use csv::ReaderBuilder;
use memchr::{memchr, memmem};
use serde_json::{Value, json};
use slider_attacks_games::tags::begins_games;

use crate::{error, head, shown, with_line_ends};

/// The bytes that may separate fields, as in the command.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];
/// The name of the column with the positions.
const COLUMN: &str = "fen";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
    let skip = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    refuse(&text[skip..])?;
    let text = &*with_line_ends(&text[skip..]);
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
        return Ok((Format::Games, skip, 1));
    }
    if first(|line| line.starts_with(b"#")).starts_with(b"{") {
        return Err("JSON lines are not read here: use the command slider-attacks".into());
    }
    // A header follows blank lines and comments.
    let (mut start, mut number) = (0, 1);
    while start < text.len() {
        let end = memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end + 1);
        let line = text[start..end].trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            (start, number) = (end, number + 1);
            continue;
        }
        return Ok(match header(&text[start..end])? {
            Some(format) => (format, skip + end, number + 1),
            None => (Format::Lines, skip, 1),
        });
    }
    Ok((Format::Lines, skip, 1))
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

/// Whether a line begins with a board as in FEN.
fn is_board(line: &[u8]) -> bool {
    let board = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    board.contains(&b'/') && board.iter().all(|byte| b"KQRBNPkqrbnp12345678/".contains(byte))
}

/// The format of CSV with this header, if it is one.
fn header(line: &[u8]) -> Result<Option<Format>, String> {
    let mut most = Vec::new();
    for delimiter in DELIMITERS {
        let mut reader = ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(line);
        let Some(Ok(record)) = reader.byte_records().next() else { continue };
        let names: Vec<String> = record.iter().map(|name| shown(name.trim_ascii(), 60)).collect();
        // An exact match first, as in the command.
        let similar = || (0..names.len()).filter(|&at| names[at].eq_ignore_ascii_case(COLUMN));
        if let Some(column) = similar().find(|&at| names[at] == COLUMN).or_else(|| similar().next()) {
            let name = &names[column];
            if similar().any(|other| other > column && names[other] == *name) {
                return Err(format!("two columns are named {name:?}: rename one of them"));
            }
            return Ok(Some(Format::Csv { delimiter, column, width: names.len() }));
        }
        if names.len() > most.len() {
            most = names;
        }
    }
    if most.len() < 2 || is_board(line) {
        return Ok(None);
    }
    if most.iter().any(|name| is_board(name.as_bytes())) {
        return Err("CSV needs a header: put a line with names before the first one".into());
    }
    // A malformed board is not a header either.
    if line.split(u8::is_ascii_whitespace).next().unwrap_or_default().contains(&b'/') {
        return Ok(None);
    }
    most.truncate(12);
    Err(format!("expected a column {COLUMN:?}, found {}", most.join(", ")))
}
