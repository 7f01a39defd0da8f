use std::io::Read;

use ::csv::{ByteRecord, ReaderBuilder};
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use super::*;
use crate::batch::{ReadLimits, Records};
use crate::columns::texts::TextTable;
use crate::content::Content;
use crate::cut::{Cutter, cut_in_parts};
use crate::error::{Malformed, quoted};
use crate::source::parse;

type Values = Vec<Vec<u8>>;

/// The fields of the record that begins here, byte by byte, and where the next one begins. If a quotation mark is not closed,
/// its place and the number of its field.
fn record(text: &[u8], start: usize, delimiter: u8) -> Result<(Values, usize), (usize, usize)> {
    let (mut fields, mut at) = (Vec::new(), start);
    let ends_field = |byte: &u8| *byte == delimiter || b"\r\n".contains(byte);
    loop {
        let mut field = Vec::new();
        if text.get(at) == Some(&b'"') {
            let open = (at, fields.len() + 1);
            at += 1;
            loop {
                match (text.get(at), text.get(at + 1)) {
                    (None, _) => return Err(open),
                    (Some(b'"'), Some(b'"')) => {
                        field.push(b'"');
                        at += 2;
                    }
                    (Some(b'"'), None) => break,
                    (Some(b'"'), Some(next)) if ends_field(next) => break,
                    (Some(b'"'), _) => return Err(open),
                    (Some(byte), _) => {
                        field.push(*byte);
                        at += 1;
                    }
                }
            }
            at += 1;
        }
        while let Some(byte) = text.get(at).filter(|byte| !ends_field(byte)) {
            field.push(*byte);
            at += 1;
        }
        fields.push(field);
        match text.get(at..at + 2) {
            Some(b"\r\n") => return Ok((fields, at + 2)),
            _ if text.get(at) == Some(&delimiter) => at += 1,
            _ => return Ok((fields, (at + 1).min(text.len()))),
        }
    }
}

/// What is wrong with a quotation that begins here.
fn wrong_quotation(text: &[u8], (open, field): (usize, usize), delimiter: u8) -> RecordError {
    let line = text[open + 1..].split(|byte| b"\r\n".contains(byte)).next().unwrap();
    let line = String::from_utf8_lossy(line).replace("\"\"", "..");
    let delimiter = char::from(delimiter);
    match line.split_once('"') {
        Some((_, after)) => {
            let found = after.split(delimiter).next().unwrap().replace("..", "\"\"");
            let shown = quoted(&found);
            let what = "or the end of the line after the closing quotation mark";
            let wrong = RecordError::from(format!("field {field}: expected {delimiter:?} {what}, found {shown}"));
            if found.contains('\u{fffd}') { wrong } else { wrong.found(found.as_bytes()) }
        }
        None => format!(
            "field {field}: expected a closing quotation mark before {delimiter:?} or a line end within 1048576 bytes, found none"
        )
        .into(),
    }
}

/// The records of a text as [`record`] reads them, one after the other.
fn parse_plainly(records: &CsvRecords, parser: &mut Parser<'_>) {
    let Header { name, column, kept: places, width, delimiter, .. } = &records.header;
    let text = parser.content.bytes();
    let mut kept = TextTable::new(places.len());
    let (mut start, mut is_usual, mut all) = (0, true, Vec::new());
    while start < text.len() && !parser.is_done() {
        let number = |at: usize| 7 + line_ends(&text[..at]) as u64;
        let (fields, next) = match record(text, start, *delimiter) {
            Ok(record) => record,
            Err(open) => {
                parser.malformed(number(open.0), wrong_quotation(text, open, *delimiter));
                start = line_end(&text[open.0..]).map_or(text.len(), |end| open.0 + end.end);
                is_usual = false;
                continue;
            }
        };
        let first = std::mem::replace(&mut start, next);
        if b"\r\n".contains(&text[first]) {
            continue;
        }
        let number = number(first);
        all.push(fields);
        let fields = all.last().unwrap();
        if fields.len() != *width {
            parser.malformed(number, format!("columns: expected {width} as in the header, found {}", fields.len()));
            continue;
        }
        let values: Option<Vec<&str>> = places.iter().map(|&place| parser.text(&fields[place], number)).collect();
        if let Some(values) = values
            && parser.push(&fields[*column], number, Some(name))
        {
            parser.keep(&mut kept, values.into_iter().map(Some));
        }
    }
    parser.finish(kept, KeptColumn::Text);
    if is_usual && !parser.is_done() {
        assert_eq!(by_crate(text, *delimiter), all, "{:?}", text.escape_ascii().to_string());
    }
}

/// The records of a text as the crate `csv` reads it.
fn by_crate(text: &[u8], delimiter: u8) -> Vec<Values> {
    // The reader removes a byte order mark only if it gets all of it at once.
    let (start, rest) = text.split_at(text.len().min(1));
    let reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(start.chain(rest));
    let fields = |record: ByteRecord| record.iter().map(<[u8]>::to_vec).collect();
    reader.into_byte_records().map(|record| fields(record.expect("memory can be read"))).collect()
}

fn parsed(text: &[u8], limit: usize, on_error: OnError, parse: impl FnOnce(&mut Parser<'_>)) -> Records {
    let content = Content::Bytes(text.to_vec().into());
    let mut parser = Parser::new(7, &content, 0, ReadLimits::all(limit), on_error, Positions::new());
    parse(&mut parser);
    parser.records
}

/// The records of a text that is read this many bytes at a time, and at most this many records at a time.
fn parsed_in_blocks(
    records: &CsvRecords,
    text: &[u8],
    size: usize,
    most: usize,
) -> (Vec<u64>, Vec<String>, Vec<Malformed>) {
    let (mut numbers, mut fens, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let cutter = Cutter::new(Box::new(RecordEnds::new(records.header.delimiter)), records.counts());
    let most = ReadLimits { limit: usize::MAX, enough: most };
    let mut take = |start, content| {
        let mut next = Some((0, 0));
        while let Some(from) = next {
            let found;
            (found, next) = parse(records, (start, &content), from, most, OnError::Skip, Positions::new());
            numbers.extend(&found.numbers);
            fens.extend((0..found.positions.len()).map(|at| found.positions.fen(at)));
            skipped.extend(found.skipped);
        }
        Ok::<(), ()>(())
    };
    cut_in_parts(cutter, 7.into(), text, size, &mut take).0.unwrap();
    (numbers, fens, skipped)
}

/// Text that is cut gives the same records as the whole.
fn check_cuts(records: &CsvRecords, text: &[u8], sizes: &[usize]) {
    let whole = parsed_in_blocks(records, text, text.len().max(1), usize::MAX);
    for &size in sizes {
        for most in [usize::MAX, 1, 3] {
            let found = parsed_in_blocks(records, text, size, most);
            let shown = || text[..text.len().min(300)].escape_ascii().to_string();
            assert!(found == whole, "{size} bytes, {most} lines: {found:?}, not {whole:?}: {:?}", shown());
        }
    }
}

/// Both readers give the same records of this text.
fn check(records: &CsvRecords, text: &[u8]) {
    for (on_error, limit) in
        [(OnError::Fail, usize::MAX), (OnError::Skip, usize::MAX), (OnError::Null, usize::MAX), (OnError::Skip, 2)]
    {
        let found = parsed(text, limit, on_error, |parser| records.parse(parser));
        let expected = parsed(text, limit, on_error, |parser| parse_plainly(records, parser));
        let shown = text.escape_ascii().to_string();
        assert_eq!(found.skipped, expected.skipped, "{on_error:?}, {limit}: {shown:?}");
        assert_eq!(found.values(), expected.values(), "{on_error:?}, {limit}: {shown:?}");
    }
}

fn records(column: usize, kept: Vec<usize>, width: usize, delimiter: u8) -> CsvRecords {
    let columns = kept.iter().map(|place| format!("c{place}")).collect();
    let (name, cells) = ("fen".to_owned(), CellContent::Positions);
    CsvRecords {
        header: Header { name, column, cells, start_or_moves: None, kept, width, delimiter },
        columns,
        hidden: 0,
    }
}

const FEN: &str = "k7/8/8/8/8/8/8/7K w - -";

/// Texts with three columns, the position in the second.
fn texts() -> Vec<String> {
    let (long, fen) = ("x".repeat(70), FEN);
    vec![
        format!("1,{fen},a\n2,{fen},b\n3,{fen},c\n"),
        format!("1,{fen},a\r\n2,{fen},b\r\n\r\n3,{fen},c"),
        format!("\"1\",\"{fen}\",\"a,b\"\n2,\"{fen}\",\"\"\"b\"\"\"\n3,{fen},\"\"\n"),
        format!("\n\n\"1\n1\",{fen},\"a\r\nb\"\r\n,\"{fen}\",\r2,{fen},b\n3,{fen},c\n"),
        format!("1,x,a\r\n{long},{fen},é\n\"{long}\",\"\n{fen}\n\",c\n3, {fen} ,\"c\"\r\n"),
        format!("1,{fen}{}\n\"\"\"\"{}\n\"\n\"{}\n", ",".repeat(90), ",".repeat(90), ",".repeat(90)),
        format!("1,{fen},a\"b\"\n2,{fen}\n\"2,{fen},{long}"),
        format!("\"\"\"\",\"{fen} id \"\"x\"\";\",\"a, \"\"b\"\"\"\n\"é\"\"\",{fen},\"\"\"\"\"\"\r\n"),
    ]
}

#[test]
fn records_are_read_as_byte_by_byte() {
    let bytes = b"\x00a1/ ,\"\n\r;\t\xff\xc3";
    let (delimiters, kept) = ([b',', b'\t', b','], [vec![2, 0], vec![], vec![1]]);
    for (at, text) in texts().iter().enumerate() {
        let delimiter = delimiters[at % 3];
        let text: Vec<u8> = text.bytes().map(|byte| if byte == b',' { delimiter } else { byte }).collect();
        let records = records(1, kept[at % 3].clone(), 3, delimiter);
        check(&records, &text);
        for at in 0..=text.len() {
            check(&records, &text[..at]);
            check(&records, &text[at..]);
            check_cuts(&records, &text[..at], &[1, 3, 64][at % 3..][..1]);
            check_cuts(&records, &text[at..], &[2, 7, 33][at % 3..][..1]);
            let rest = &text[(at + 1).min(text.len())..];
            check(&records, &[&text[..at], rest].concat());
            for &byte in bytes {
                check(&records, &[&text[..at], &[byte], &text[at..]].concat());
                check(&records, &[&text[..at], &[byte], rest].concat());
            }
        }
    }
}

#[test]
fn records_of_any_bytes_are_read_as_byte_by_byte() {
    let parts = [b",".as_slice(), b"\"", b"\n", b"\r", b"\r\n", b"a", FEN.as_bytes(), b"\"\"", b",\"", b"\",", b"\xff"];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..30_000 {
        let length = random(24);
        let text: Vec<u8> = (0..length).flat_map(|_| parts[random(parts.len())]).copied().collect();
        let width = 1 + random(2);
        let records = records(0, [vec![], vec![width - 1]][random(2)].clone(), width, b',');
        check(&records, &text);
        check_cuts(&records, &text, &[1 + random(9)]);
    }
}

#[test]
fn many_records_are_read_in_order() {
    // Malformed ones at, before and after the ends of calls.
    for every in [1, 2, 3, 127, 128, 129] {
        let line = |at: usize| match at % every {
            0 if at.is_multiple_of(2) => format!("{at},x,a\n"),
            0 => format!("{at},{FEN}\n"),
            _ => format!("{at},{FEN},\"{at}\"\n"),
        };
        let text: String = (1..600).map(line).collect();
        for limit in [0, 1, 127, 128, 129, 255, 256, 257, 1_000] {
            for on_error in [OnError::Fail, OnError::Skip, OnError::Null, OnError::Report] {
                let records = records(1, vec![0, 2], 3, b',');
                let found = parsed(text.as_bytes(), limit, on_error, |parser| records.parse(parser));
                let expected = parsed(text.as_bytes(), limit, on_error, |parser| parse_plainly(&records, parser));
                assert_eq!(found.values(), expected.values(), "{every}, {limit}, {on_error:?}");
            }
        }
    }
}

#[test]
fn a_quotation_mark_that_is_not_closed_hides_no_record() {
    let records = records(0, vec![1], 2, b',');
    let closing = |field| {
        format!(
            "field {field}: expected a closing quotation mark before ',' or a line end within 1048576 bytes, found none"
        )
    };
    let after = |field, found| {
        format!("field {field}: expected ',' or the end of the line after the closing quotation mark, found {found:?}")
    };
    for end in ["\n", "\r\n", "\r"] {
        let lines = |lines: &[&str]| lines.join(end).replace("FEN", FEN);
        for (text, numbers, skipped) in [
            (lines(&["FEN,a", "FEN,\"b", "FEN,c", "FEN,d"]), vec![7, 9, 10], vec![(8, closing(2))]),
            (lines(&["FEN,\"a\"x", "FEN,c", ""]), vec![8], vec![(7, after(2, "x"))]),
            (lines(&["FEN,\"a\" ", "FEN,c", ""]), vec![8], vec![(7, after(2, " "))]),
            // The next quotation mark only seems to close the first one.
            (lines(&["FEN,\"a", "FEN,\"b\"", "FEN,c"]), vec![8, 9], vec![(7, closing(2))]),
            (lines(&["\"FEN,a", "\"FEN\",\"b", "c\"", "FEN,d\""]), vec![8, 10], vec![(7, closing(1))]),
            // A line end within quotation marks, and then a mark that is not closed.
            (lines(&["FEN,\"a", "a\"", "FEN,b"]), vec![7, 9], vec![]),
            (lines(&["\"FEN", "\",\"b", "FEN,c"]), vec![9], vec![(8, closing(2))]),
        ] {
            let found = parsed_in_blocks(&records, text.as_bytes(), text.len(), usize::MAX);
            let found =
                (found.0, found.2.iter().map(|wrong| (wrong.number, wrong.what.to_string())).collect::<Vec<_>>());
            assert_eq!(found, (numbers, skipped), "{text:?}");
            check(&records, text.as_bytes());
            check_cuts(&records, text.as_bytes(), &(1..40).collect::<Vec<_>>());
        }
    }
}

#[test]
fn records_around_the_longest_are_read_the_same_however_they_are_cut() {
    let records = records(0, vec![1], 2, b',');
    let good = format!("{FEN},a\n");
    for long in [
        format!("{FEN},{}\n", "x".repeat(MAX_RECORD)),
        format!("{FEN},{}\n", "x".repeat(MAX_RECORD - FEN.len() - 1)),
        format!("{FEN},\"{}\"\n", "x\n".repeat(MAX_RECORD / 2)),
        format!("{FEN},\"{}\"\n", "x\n".repeat(MAX_RECORD / 2 - 20)),
        format!("{FEN},\"{}\n", good.repeat(2 * MAX_RECORD / good.len())),
        format!("{FEN},\"{}\n", "x".repeat(2 * MAX_RECORD)),
        format!("{FEN},\"{}\n", "\"\"".repeat(MAX_RECORD)),
        format!("\"a\n{FEN}\",\"{}\n", "x".repeat(2 * MAX_RECORD)),
    ] {
        let text = format!("{good}{long}{good}\"{FEN}\",b");
        let whole = parsed_in_blocks(&records, text.as_bytes(), 2 * text.len(), usize::MAX);
        for size in [32 << 10, MAX_RECORD, 1_000_003] {
            assert!(parsed_in_blocks(&records, text.as_bytes(), size, usize::MAX) == whole, "{size}: {}", &long[..40]);
        }
        let last = line_ends(text.as_bytes()) as u64 + 7;
        assert!(whole.0.first() == Some(&7) && whole.0.ends_with(&[last - 1, last]), "{}", &long[..40]);
        assert!(whole.0.len() as u64 + whole.2.len() as u64 >= 4 && whole.2.iter().all(|wrong| wrong.number > 7));
    }
}

/// Many marks that are not closed take no more time than as many records.
#[test]
fn time_is_linear() {
    let records = records(0, vec![1], 2, b',');
    for line in [
        format!("{FEN},\"a\n"),
        format!("{FEN},\"a\"\"\n"),
        "\"\n".to_owned(),
        "\"\"\"\n".to_owned(),
        "\"a\"b\n".to_owned(),
    ] {
        let text = line.repeat((4 << 20) / line.len());
        let started = std::time::Instant::now();
        parsed_in_blocks(&records, text.as_bytes(), 32 << 10, usize::MAX);
        assert!(started.elapsed().as_secs() < 30, "{line:?}");
    }
}
