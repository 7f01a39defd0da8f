//! Where units of files begin that can be entered there: games of PGN, records, chunks of binpacks, lines with boards.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result, bail};
use memchr::{memchr_iter, memrchr2};
use slider_attacks_formats::cut::{Cut, is_blank, lines};
use slider_attacks_formats::fen::is_board;
use slider_attacks_formats::pgn::WholeGames;
use slider_attacks_formats::training::{RECORD, TrainingFormat, extensions, has_fixed_size};
use slider_attacks_games::records::binpack::{HEADER, MAGIC};
use slider_attacks_games::tags;

use crate::compression::{self, PARQUET, is_compressed};
use crate::file::{InputFile, PathKind};
use crate::input::{Input, cannot, display_path, extension, file_name};

/// A file and its length.
pub(crate) fn length(input: &Input) -> Result<(&Path, u64)> {
    let path = input.path().with_context(|| format!("shards cannot share {}: name a file", input.display_name()))?;
    if let Some(length) = input.listed {
        return Ok((path, length));
    }
    match PathKind::of(path).with_context(|| cannot("open", path))? {
        PathKind::File(length) => Ok((path, length)),
        _ => bail!("shards cannot share {}: it is not a file", display_path(path)),
    }
}

/// Whether a file of this name is PGN that is not compressed.
pub(crate) fn is_plain_pgn(path: &Path, file: &mut InputFile) -> io::Result<bool> {
    let mut text = Vec::new();
    file.rewind()?;
    file.take(64 << 10).read_to_end(&mut text)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let is_named = file_name(path).map(Path::new).and_then(Path::extension);
    let is_named = is_named.is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    Ok(tags::begins_games(text.trim_ascii_start()) || is_named && !is_compressed(text))
}

/// Where the first game with tags certainly begins, from this byte on; the length of the file if there is none.
pub(crate) fn next_game(file: &mut InputFile, at: u64) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    let mut last = Vec::new();
    file.seek(SeekFrom::Start(at.saturating_sub(2)))?;
    file.take(at.min(2)).read_to_end(&mut last)?;
    // The line before tells: from its beginning on. CR LF is one line end.
    let mut start = at.saturating_sub(if last == b"\r\n" { 2 } else { 1 });
    while start > 0 {
        let from = start.saturating_sub(STEP);
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(start - from).read_to_end(&mut part)?;
        if let Some(end) = memrchr2(b'\n', b'\r', &part) {
            start = from + end as u64 + 1;
            break;
        }
        start = from;
    }
    file.seek(SeekFrom::Start(start))?;
    let (mut bytes, mut end) = (Vec::new(), start);
    let mut games = WholeGames::within_game();
    loop {
        let read = file.take(STEP).read_to_end(&mut bytes)?;
        end += read as u64;
        if read == 0 {
            return Ok(end);
        }
        if games.pass_over(&mut bytes) {
            return Ok(end - bytes.len() as u64);
        }
    }
}

/// How many bytes each unit of a file takes, if that is known: if it has records of 32 bytes and is not compressed. `from` is the
/// format that the caller says it has.
pub(crate) fn unit_bytes(path: &Path, file: &mut InputFile, from: Option<TrainingFormat>) -> io::Result<Option<u64>> {
    file.rewind()?;
    let magic = compression::magic(file)?;
    let extension = file_name(path).and_then(extension).unwrap_or_default();
    let named = || TrainingFormat::ALL.into_iter().find(|&format| extensions(format).contains(&extension.as_str()));
    let is_it = from.or_else(named).is_some_and(has_fixed_size) && !is_compressed(&magic) && magic != *PARQUET;
    Ok(is_it.then_some(RECORD as u64))
}

/// The size of the chunk of a binpack that begins with this byte, if one does.
pub(crate) fn header(file: &mut InputFile, at: u64) -> io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(at))?;
    read_header(file)
}

/// The same for the next bytes.
fn read_header(file: &mut impl Read) -> io::Result<Option<u64>> {
    let mut header = Vec::with_capacity(HEADER);
    file.take(HEADER as u64).read_to_end(&mut header)?;
    let size = header.strip_prefix(MAGIC).and_then(|size| size.try_into().ok()).map(u32::from_le_bytes);
    Ok(size.map(u64::from))
}

/// Where the first chunk of a binpack begins at or after a byte, and how many chunks are before it. What comes after a chunk that is
/// damaged is not cut.
pub(crate) fn next_chunk(file: &mut InputFile, to: u64) -> io::Result<(u64, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let (mut at, mut before) = (0, 0);
    file.rewind()?;
    // Chunks may be small.
    let mut file = BufReader::with_capacity(8 << 10, file);
    while at < to {
        let size = read_header(&mut file)?.filter(|size| at + HEADER as u64 + size <= length);
        let Some(size) = size else { return Ok((length, before)) };
        file.seek_relative(size as i64)?;
        (at, before) = (at + HEADER as u64 + size, before + 1);
    }
    Ok((at, before))
}

/// Where the first line with a position begins, after the line that has the byte before this one.
pub(crate) fn next_board(file: &mut InputFile, at: u64) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    /// More than the characters of a board.
    const MOST: usize = 100;
    let mut start = at - 1;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    loop {
        let is_end = file.by_ref().take(STEP).read_to_end(&mut bytes)? < STEP as usize;
        let mut passed = bytes.len();
        for line in memchr_iter(b'\n', &bytes).map(|end| end + 1) {
            let rest = &bytes[line..];
            if !is_end && rest.len() < MOST {
                passed = line - 1;
                break;
            }
            if begins_as_board(&rest[..rest.len().min(MOST)]) {
                return Ok(start + line as u64);
            }
        }
        start += passed as u64;
        if is_end {
            return Ok(start);
        }
        bytes.drain(..passed);
    }
}

/// Whether the first line of a file that is neither blank nor a comment begins with a board.
pub(crate) fn begins_with_board(file: &mut InputFile) -> io::Result<bool> {
    const MOST: u64 = 64 << 10;
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST).read_to_end(&mut bytes)?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(lines(bytes).find(|line| !is_blank(line)).is_some_and(is_board))
}

/// Whether the first line of these bytes begins with a board.
fn begins_as_board(bytes: &[u8]) -> bool {
    is_board(bytes.split(|byte| b"\r\n".contains(byte)).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn boards_are_found_where_windows_end() {
        const BOARD: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -\n";
        let path = std::env::temp_dir().join(format!("slider-attacks-boards-{}.epd", std::process::id()));
        for blanks in (65_400..65_640).step_by(13).chain([1, 131_071]) {
            fs::write(&path, "\n".repeat(blanks) + BOARD + "none\n").unwrap();
            let mut file = InputFile::open(&path).unwrap();
            for (at, expected) in [(1, blanks), (blanks, blanks), (blanks + 1, blanks + BOARD.len() + 5)] {
                assert_eq!(next_board(&mut file, at as u64).unwrap(), expected as u64, "{blanks} {at}");
            }
        }
        fs::remove_file(&path).unwrap();
    }
}
