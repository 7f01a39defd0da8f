//! Parts of a file that can be read in any order.
//!
//! | file | a part is |
//! |---|---|
//! | Parquet | some row groups |
//! | bulletformat, marlinformat | some records |
//! | binpack | some chunks, of an eighth of the bytes: a position takes two or three |
//! | PGN | some games with tags |
//! | lines of FEN or EPD, if the name says so | some lines |
//! | CSV, JSON lines | some rows |
//! | any other, and any that is compressed | the file |

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use slider_attacks_formats::cut::{CutPiece, replace_crs};
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_games::records::binpack::HEADER;

use crate::file::InputFile;
use crate::input::{Input, RowGroups, cannot, extension, file_name};
use crate::sources::{row_groups, table_rows};
use crate::unit_places::{begins_with_board, header, is_plain_pgn, length, next_board, next_game, unit_bytes};

/// A part of a file.
#[derive(Clone, Debug)]
pub struct InputPart {
    /// The file, and which of its bytes or row groups are read.
    pub input: Input,
    /// How many bytes of the file these are, about.
    pub bytes: u64,
    /// How many units of the file are before it, if that is known.
    pub units_before: Option<u64>,
}

/// Cuts a file into parts of at least this many bytes, as far as it can be entered there. `from` is its format, if the caller says
/// it, and `column` the column of a table that has the positions.
///
/// # Errors
///
/// It is no file, or cannot be read.
pub fn parts(input: &Input, bytes: u64, from: Option<TrainingFormat>, column: &str) -> Result<Vec<InputPart>> {
    let (path, length) = length(input)?;
    let whole = || vec![InputPart { input: input.clone(), bytes: length, units_before: Some(0) }];
    if input.part.is_some() || input.groups.is_some() {
        return Ok(whole());
    }
    // Whoever reads the file finds out what is wrong with it.
    let groups = row_groups(path).unwrap_or_default();
    if !groups.is_empty() {
        return Ok(of_groups(input, &groups, bytes));
    }
    let mut ends = ends(path, length, bytes.max(1), from).with_context(|| cannot("read", path))?;
    let is_table = ends.is_empty() && from.is_none();
    if is_table && length > bytes {
        ends = row_ends(input, path, bytes.max(1), column)?;
    }
    if ends.len() < 2 {
        return Ok(whole());
    }
    let mut start = 0;
    let mut part = |(end, units_before): (u64, Option<u64>)| {
        let range = std::mem::replace(&mut start, end)..end;
        let (bytes, has_header_before) = (end - range.start, is_table && range.start > 0);
        InputPart { bytes, input: Input { part: Some(range), has_header_before, ..input.clone() }, units_before }
    };
    Ok(ends.into_iter().map(&mut part).collect())
}

/// Parts of whole row groups.
fn of_groups(input: &Input, groups: &[(u64, u64)], least: u64) -> Vec<InputPart> {
    let of = groups.iter().map(|&(rows, _)| rows).sum();
    let (mut parts, mut from, mut first, mut rows, mut bytes) = (Vec::new(), 0, 1, 0, 0);
    for (number, &(more_rows, more_bytes)) in groups.iter().enumerate() {
        (rows, bytes) = (rows + more_rows, bytes + more_bytes);
        if bytes >= least || number + 1 == groups.len() {
            let groups = RowGroups { numbers: from..number + 1, first, last: first + rows - 1, of };
            let input = Input { groups: Some(groups), ..input.clone() };
            if rows > 0 {
                parts.push(InputPart { input, bytes, units_before: Some(0) });
            }
            (from, first, rows, bytes) = (number + 1, first + rows, 0, 0);
        }
    }
    parts
}

/// Where the parts of a file end, and how many units are before each of them, if that is known.
fn ends(path: &Path, length: u64, bytes: u64, from: Option<TrainingFormat>) -> io::Result<Vec<(u64, Option<u64>)>> {
    let mut file = InputFile::open(path)?;
    if let Some(unit) = unit_bytes(path, &mut file, from)? {
        let step = bytes.next_multiple_of(unit);
        return Ok((0..length).step_by(step as usize).map(|start| ((start + step).min(length), None)).collect());
    }
    if from.is_none_or(|from| from == TrainingFormat::Binpack) && header(&mut file, 0)?.is_some() {
        return chunks(&mut file, length, bytes / 8);
    }
    if from.is_some() {
        return Ok(Vec::new());
    }
    if is_plain_pgn(path, &mut file)? {
        return cuts(length, bytes, |at| next_game(&mut file, at));
    }
    let is_named = file_name(path).and_then(extension).is_some_and(|name| name == "fen" || name == "epd");
    if is_named && begins_with_board(&mut file)? {
        return cuts(length, bytes, |at| next_board(&mut file, at));
    }
    Ok(Vec::new())
}

/// The ends of parts of a table: after whole rows. Line ends may be quoted, so the rows are cut as they are to read them: all bytes are
/// looked at.
fn row_ends(input: &Input, path: &Path, bytes: u64, column: &str) -> Result<Vec<(u64, Option<u64>)>> {
    const MOST: u64 = 1 << 20;
    let mut file = InputFile::open(path).with_context(|| cannot("open", path))?;
    let copy = file.try_clone().with_context(|| cannot("read", path))?;
    let Some((mut cutter, begin)) = table_rows(input, copy, column)? else { return Ok(Vec::new()) };
    file.seek(SeekFrom::Start(begin)).with_context(|| cannot("read", path))?;
    let (mut ends, mut start, mut at, mut is_last) = (Vec::new(), 0, begin, false);
    while !is_last {
        let mut piece = Vec::new();
        file.by_ref().take(bytes.min(MOST)).read_to_end(&mut piece).with_context(|| cannot("read", path))?;
        is_last = piece.is_empty();
        let begins_with_lf = cutter.ends_lines_at_cr() && replace_crs(&mut piece);
        for piece in cutter.push(piece.into(), begins_with_lf, is_last) {
            // One that is too long ends with the next.
            let is_whole = matches!(piece, CutPiece::Units(_));
            at = at.wrapping_add_signed(piece.bytes());
            if is_whole && at - start >= bytes {
                ends.push((at, (start == 0).then_some(0)));
                start = at;
            }
        }
    }
    if at > start {
        ends.push((at, None));
    }
    Ok(ends)
}

/// The ends of parts, where `next` finds the first place to cut from a byte on.
fn cuts(length: u64, bytes: u64, mut next: impl FnMut(u64) -> io::Result<u64>) -> io::Result<Vec<(u64, Option<u64>)>> {
    let (mut ends, mut end) = (Vec::new(), 0);
    while end < length {
        let before = (end == 0).then_some(0);
        end = if length - end > bytes { next(end + bytes)? } else { length };
        ends.push((end, before));
    }
    Ok(ends)
}

/// The ends of parts of chunks. What comes after a chunk that is damaged is one part.
fn chunks(file: &mut InputFile, length: u64, bytes: u64) -> io::Result<Vec<(u64, Option<u64>)>> {
    let (mut ends, mut start, mut at, mut before, mut number) = (Vec::new(), 0, 0, 0, 0);
    while at < length {
        let Some(size) = header(file, at)?.filter(|size| at + HEADER as u64 + size <= length) else { break };
        (at, number) = (at + HEADER as u64 + size, number + 1);
        if at - start >= bytes && at < length {
            ends.push((at, Some(before)));
            (start, before) = (at, number);
        }
    }
    ends.push((length, Some(before)));
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn parts_follow_each_other_up_to_the_end() {
        let folder = std::env::temp_dir().join(format!("slider-attacks-parts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let games = include_str!("../../tests/data/people.pgn").repeat(5);
        let lines = include_str!("../../tests/data/sample.epd").repeat(3);
        let chunks = include_bytes!("../../tests/data/sample.binpack").repeat(4);
        let records = vec![0; 32 * 100];
        let row = "4k3/8/8/8/8/8/8/4K3 w - -,\"a\n\"\"b\"\"\r\n\",c\r\n";
        let csv = format!("# a \"\nfen,\"x,y\",z\n{}", row.repeat(300));
        let json = "{\"fen\": \"4k3/8/8/8/8/8/8/4K3 w - -\"}\n".repeat(300);
        let files: [(&str, &[u8]); 7] = [
            ("a.pgn", games.as_bytes()),
            ("a.epd", lines.as_bytes()),
            ("a.binpack", &chunks),
            ("a.bulletformat", &records),
            ("b.csv", csv.as_bytes()),
            ("b.txt", json.as_bytes()),
            ("a.csv", b"fen\n4k3/8/8/8/8/8/8/4K3 w - -\n"),
        ];
        for (name, bytes) in files {
            let path = folder.join(name);
            fs::write(&path, bytes).unwrap();
            for size in [1, 100, 1000, 1 << 30] {
                let found = parts(&Input::new(&path, 0), size, None, "fen").unwrap();
                let mut end = 0;
                for part in &found {
                    let Some(range) = &part.input.part else {
                        end = part.bytes;
                        continue;
                    };
                    assert_eq!((range.start, range.end - range.start), (end, part.bytes), "{name} {size}");
                    if name == "b.csv" && end > 0 {
                        assert!(bytes[end as usize..].starts_with(row.as_bytes()), "{size} {end}");
                    }
                    end = range.end;
                }
                assert_eq!(end, bytes.len() as u64, "{name} {size}");
                let expected = if name == "a.csv" || size == 1 << 30 { 1..=1 } else { 2..=usize::MAX };
                assert!(expected.contains(&found.len()), "{name} {size}: {}", found.len());
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
