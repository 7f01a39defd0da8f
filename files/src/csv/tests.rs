use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use super::*;
use crate::records::Records;
use crate::texts::TextTable;

/// The records of a text as the crate `csv` reads it, one after the other.
fn parse_by_crate(records: &CsvRecords, parser: &mut Parser<'_>) {
    let Header { name, column, kept: places, width, delimiter, .. } = &records.header;
    let (first, text) = (parser.first, parser.content.bytes());
    let mut kept = TextTable::new(places.len());
    let mut reader = csv_reader(text, *delimiter);
    let mut record = ByteRecord::new();
    let mut goes_on = false;
    while !parser.is_done() && reader.read_byte_record(&mut record).expect("memory can be read") {
        let (start, line) = record.position().map_or((0, 1), |at| (at.byte() as usize, at.line()));
        let blank = text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let line = first + line - 1 + blank.filter(|&&byte| byte == b'\n').count() as u64;
        let end = reader.position().byte() as usize;
        let lone_cr = end > 0 && text[end - 1] == b'\r' && text.get(end).is_some_and(|&next| next != b'\n');
        let is_rest = std::mem::replace(&mut goes_on, lone_cr);
        if lone_cr && !is_rest {
            parser.malformed(line, LONE_CR);
        }
        if lone_cr || is_rest {
            continue;
        }
        if record.len() != *width {
            parser.malformed(line, columns_error(*width, record.len()));
            continue;
        }
        let values: Option<Vec<&str>> = places.iter().map(|&place| parser.text(&record[place], line)).collect();
        if let Some(values) = values
            && parser.push(&record[*column], line, Some(name))
        {
            parser.keep(&mut kept, values.into_iter().map(Some));
        }
    }
    parser.finish(kept, KeptColumn::Text);
}

fn parsed(text: &[u8], limit: usize, on_error: OnError, parse: impl FnOnce(&mut Parser<'_>)) -> Records {
    let content = Content::Bytes(text.to_vec());
    let mut parser = Parser::new(7, &content, 0, limit, on_error, Positions::new());
    parse(&mut parser);
    parser.records
}

/// Both readers give the same records of this text.
fn check(records: &CsvRecords, text: &[u8]) {
    for (on_error, limit) in
        [(OnError::Fail, usize::MAX), (OnError::Skip, usize::MAX), (OnError::Null, usize::MAX), (OnError::Skip, 2)]
    {
        let found = parsed(text, limit, on_error, |parser| records.parse(parser));
        let expected = parsed(text, limit, on_error, |parser| parse_by_crate(records, parser));
        assert_eq!(found.values(), expected.values(), "{on_error:?}, {limit}: {:?}", text.escape_ascii().to_string());
    }
}

fn records(column: usize, kept: Vec<usize>, width: usize, delimiter: u8) -> CsvRecords {
    let columns = kept.iter().map(|place| format!("c{place}")).collect();
    let (name, cells) = ("fen".to_owned(), Cells::Positions);
    CsvRecords { header: Header { name, column, cells, beside: None, kept, width, delimiter }, columns }
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
fn records_are_read_as_the_crate_reads_them() {
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
fn records_of_any_bytes_are_read_as_the_crate_reads_them() {
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
        check(&records(0, [vec![], vec![width - 1]][random(2)].clone(), width, b','), &text);
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
                let expected = parsed(text.as_bytes(), limit, on_error, |parser| parse_by_crate(&records, parser));
                assert_eq!(found.values(), expected.values(), "{every}, {limit}, {on_error:?}");
            }
        }
    }
}
