use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;

use super::*;
use crate::batch::{ReadLimits, Records};
use crate::columns::texts::TextTable;
use crate::content::Content;
use crate::error::{printable, shortened};

/// The records of a text as `serde_json` reads it, one after the other.
fn parse_by_crate(lines_of: &JsonLines, parser: &mut Parser<'_>) {
    let JsonLines { column, all_but, columns, .. } = lines_of;
    let mut kept = TextTable::new(if all_but.is_some() { 1 } else { columns.len() });
    for (line, number) in lines(parser.content.bytes()).zip(parser.first..) {
        if parser.is_done() {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut object = Vec::new();
        let mut reader = serde_json::Deserializer::from_slice(line);
        let is_needed = |name: &str| {
            all_but.is_some() || [column].into_iter().chain(columns).any(|it| it.eq_ignore_ascii_case(name))
        };
        let read = reader.deserialize_map(Object(&is_needed, &mut object)).and_then(|()| reader.end());
        let read: Result<(), RecordError> =
            read.map_err(|error| error.to_string().replace(" at line 1 column ", " at byte ").into());
        let taken = object.iter().find(|(name, _)| all_but.iter().flatten().any(|taken| taken == name));
        if let (Ok(()), Some((name, _))) = (&read, taken) {
            let name = quoted(name);
            parser.fail(
                number,
                format_args!("JSON: cannot keep field {name}: the output already has a field of that name"),
            );
            break;
        }
        let text = |name: &str, value: &str| -> Result<String, RecordError> {
            let error = |_| {
                let what = format!("field {}: expected text, found {}", quoted(name), shortened(value, printable));
                RecordError::from(what).at_field(name).found(value.as_bytes())
            };
            serde_json::from_str(value).map_err(error)
        };
        let two =
            |name: &str| RecordError::from(format!("expected one field {}, found two", quoted(name))).at_field(name);
        // The exact name, or else the first one.
        let find = |object: &JsonFields<'_>, wanted: &str| {
            let named =
                |is_it: &dyn Fn(&str) -> bool| object.iter().filter(|(name, _)| is_it(name)).collect::<Vec<_>>();
            let exact = named(&|name| name == wanted);
            let all = if exact.is_empty() { named(&|name| name.eq_ignore_ascii_case(wanted)) } else { exact };
            let Some((first, value)) = all.first() else { return Ok(None) };
            if named(&|name| name == first).len() > 1 { Err(two(first)) } else { Ok(Some(value.to_string())) }
        };
        let values = read.and_then(|()| {
            let twice = (1..object.len()).find(|&at| object[..at].iter().any(|(name, _)| *name == object[at].0));
            if let Some(at) = twice.filter(|_| all_but.is_some()) {
                return Err(two(&object[at].0));
            }
            let mut values = Vec::new();
            for name in columns {
                let value = find(&object, name)?;
                if let Some(value) = value.as_ref().filter(|value| value.starts_with('"')) {
                    text(name, value)?;
                }
                values.push(value);
            }
            let member = |(name, value): &(Cow<'_, str>, &str)| format!("{}:{value}", serde_json::Value::from(&**name));
            let all = object.iter().map(member).collect::<Vec<_>>().join(",");
            values.extend(all_but.is_some().then_some(Some(all)));
            Ok((values, find(&object, column)?))
        });
        match values {
            Err(wrong) => _ = parser.malformed(number, wrong.in_json()),
            Ok((values, game)) => {
                let none =
                    || RecordError::from(format!("expected a field {}, found none", quoted(column))).at_field(column);
                let has_row = match game.ok_or_else(none).and_then(|value| text(column, &value)) {
                    Ok(position) => parser.push(position.as_bytes(), number, Some(column)),
                    Err(wrong) => parser.malformed(number, wrong.in_json()),
                };
                if has_row {
                    parser.keep(&mut kept, values);
                }
            }
        }
    }
    parser.finish(kept, if all_but.is_some() { KeptColumn::Fields } else { KeptColumn::Json });
}

fn parsed(text: &[u8], limit: usize, on_error: OnError, parse: impl FnOnce(&mut Parser<'_>)) -> Records {
    let content = Content::Bytes(text.to_vec().into());
    let mut parser = Parser::new(7, &content, 0, ReadLimits::all(limit), on_error, Positions::new());
    parse(&mut parser);
    parser.records
}

/// Both readers give the same records of this text.
fn check(source: &JsonLines, text: &[u8]) {
    for on_error in [OnError::Fail, OnError::Null] {
        let found = parsed(text, usize::MAX, on_error, |parser| source.parse(parser));
        let expected = parsed(text, usize::MAX, on_error, |parser| parse_by_crate(source, parser));
        assert_eq!(found.values(), expected.values(), "{on_error:?}: {:?}", text.escape_ascii().to_string());
    }
}

fn sources() -> [JsonLines; 3] {
    let source = |all_but: Option<&str>, columns: &[&str]| {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        JsonLines::new("fen".to_owned(), CellContent::Positions, all_but.map(|name| vec![name.to_owned()]), columns)
    };
    [source(None, &[]), source(None, &["b", "a"]), source(Some("b"), &[])]
}

const FEN: &str = "k7/8/8/8/8/8/8/7K w - -";

fn texts() -> Vec<String> {
    let (long, fen) = ("x".repeat(70), FEN);
    vec![
        format!("{{\"fen\": \"{fen}\", \"a\": -10.5e+3, \"b\":true}}\n{{\"fen\":\"{fen}\"}}\n"),
        format!("{{\"A\":[1,{{\"a\":[]}}, [\"\"] ],\"fen\":\"{fen}\",\"FEN\":null}}\r\n{{}}\n"),
        format!(" {{ \"b\" : \"{long}\" , \"a\":{{}},\"fen\":\"{fen}\" }} \n\n{{\"a\":false,\"Fen\":\"{fen}\"}}"),
        format!("{{\"fen\":\"{}\",\"a\":\"\\u00e9é\\n\"}}\n{{\"a\":0,\"a\":01}}", fen.replace('/', "\\/")),
        format!("{{\"fen\":\"{}\",\"a\":\"\\\\\",\"b\":\"\\\"\\t\"}}\r\n", fen.replace('/', "\\/")),
        format!("{{\"Fen\":\"{fen}\",\"FEN\":1,\"B\":1,\"b\":2,\"A\":3}}\n{{\"fen\":\"{fen}\",\"fen\":\"{fen}\"}}\n"),
        format!("{{\"fen\":\"{fen} 0 1\",\"c\":[{{\"d\":[{{\"e\":69,\"f\":\"x y\"}}],\"g\":2}}]}}\n"),
    ]
}

#[test]
fn lines_are_read_as_the_crate_reads_them() {
    let bytes = b"\x00\x1f\t\r\n \"\\/,:{}[]0e.-+atun\x7f\xc3\xff";
    for (part, source) in sources().into_iter().enumerate() {
        for text in texts().iter().map(String::as_bytes) {
            check(&source, text);
            for at in 0..=text.len() {
                check(&source, &text[..at]);
                check(&source, &text[at..]);
                if at < text.len() {
                    check(&source, &[&text[..at], &text[at + 1..]].concat());
                }
                // Each byte with one of the sources, to save time.
                for &byte in bytes.iter().skip(part).step_by(3) {
                    check(&source, &[&text[..at], &[byte], &text[at..]].concat());
                    if at < text.len() {
                        check(&source, &[&text[..at], &[byte], &text[at + 1..]].concat());
                    }
                }
            }
        }
    }
}

#[test]
fn values_of_any_bytes_are_read_as_the_crate_reads_them() {
    let parts = [
        "{", "}", "[", "]", ",", ":", "\"a\"", "\"fen\"", "\"", "1", "0", "-", ".5", "e9", "true", "null", " ", "é",
        "\\",
    ];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..10_000 {
        let length = 1 + random(6);
        let value: String = (0..length).map(|_| parts[random(parts.len())]).collect();
        let text = format!("{{\"a\":{value},\"fen\":\"{FEN}\"}}");
        sources().iter().for_each(|source| check(source, text.as_bytes()));
    }
}

#[test]
fn the_usual_form_is_read_here() {
    // The other reader would read these lines too, only more slowly, so nobody would notice if this one did not.
    for line in [
        "{\"id\": 1, \"fen\": \"x y\", \"score\": -99}",
        "{\"fen\":\"x\",\"evals\":[{\"pvs\":[{\"cp\":69,\"line\":\"f7g7\"}],\"knodes\":2,\"depth\":4}]}",
        "{}",
        "{\"a\":\"\\\\\\\"\\/\\b\\f\\n\\r\\t\\\\\"}",
        " { \"é\" : [ ] , \"b\" : { } , \"c\" : [ true , false , null , 0.5e-3 ] } ",
    ] {
        let read = |line: &str| UsualObjects::new(line).line(0, |_| true, &mut Vec::new());
        for end in ["", "\n", "\r\n"] {
            let line = line.to_owned() + end;
            assert_eq!(read(&line), Some(line.len()), "{line}");
        }
        let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(&deep(UsualObjects::LEVELS)).is_some() && read(&deep(UsualObjects::LEVELS + 1)).is_none());
    }
}

#[test]
fn names_are_found_by_one_rule() {
    let row = |fields: &str| format!("{{{}}}\n", fields.replace("@", &format!("\"{FEN}\"")));
    let keeping = |name: &str| JsonLines::new("fen".to_owned(), CellContent::Positions, None, vec![name.to_owned()]);
    // What becomes of one row, and the warnings.
    let read = |name: &str, fields: &str| {
        let source = keeping(name);
        let records = parsed(row(fields).as_bytes(), usize::MAX, OnError::Skip, |parser| source.parse(parser));
        let found = match (&records.kept[..], records.skipped.first()) {
            (_, Some(wrong)) => wrong.what.to_string(),
            ([KeptColumn::Json(texts)], _) => texts.get(0).unwrap_or("none").to_owned(),
            _ => panic!("{fields}"),
        };
        (found, source.warnings.messages(false))
    };
    let silent = |name: &str, fields: &str| {
        let (found, warnings) = read(name, fields);
        assert!(warnings.is_empty(), "{fields}: {warnings:?}");
        found
    };
    assert_eq!(silent("a", r#""fen":@,"A":1,"a":2"#), "2");
    assert_eq!(silent("a", r#""fen":@,"A":1"#), "1");
    assert_eq!(silent("a", r#""FEN":1,"fen":@,"Fen":2,"A":1"#), "1");
    assert_eq!(silent("a", r#""fen":@,"b":1,"b":2,"a":3"#), "3");
    assert_eq!(silent("a.b", r#""fen":@,"a":{"B":1,"b":2}"#), "2");
    assert_eq!(silent("a", r#""fen":@,"a":1,"a":1"#), "JSON: expected one field \"a\", found two");
    assert_eq!(silent("a", r#""fen":@,"fen":@,"a":1"#), "JSON: expected one field \"fen\", found two");
    assert_eq!(silent("a.b", r#""fen":@,"a":{"b":1,"b":2}"#), "JSON: expected one field \"b\", found two");
    let others: String = (0..40).map(|at| format!("\"A{at}\":0,")).collect();
    let all = JsonLines::new("fen".to_owned(), CellContent::Positions, Some(Vec::new()), Vec::new());
    for (last, is_read) in [("A40", true), ("A7", false)] {
        let text = row(&format!("{others}\"fen\":@,\"{last}\":0"));
        let records = parsed(text.as_bytes(), usize::MAX, OnError::Skip, |parser| all.parse(parser));
        assert_eq!(records.numbers.len() == 1, is_read, "{last}");
    }
    for (name, fields, value, first, second) in [
        ("a", r#""fen":@,"AB":0,"A":1,"a":1"#, "1", "", ""),
        ("ab", r#""fen":@,"Ab":1,"AB":2"#, "1", "Ab", "AB"),
        ("ab", r#""fen":@,"AB":2,"Ab":1"#, "2", "AB", "Ab"),
        ("x.ab", r#""fen":@,"x":{"AB":2,"Ab":1}"#, "2", "AB", "Ab"),
    ] {
        let (found, warnings) = read(name, fields);
        let wanted = name.rsplit('.').next().unwrap();
        let warning = format!(": fields {first:?} and {second:?} both match {wanted:?}; {first:?} is read");
        let expected = if first.is_empty() { Vec::new() } else { vec![warning] };
        assert_eq!((found.as_str(), warnings), (value, expected), "{fields}");
    }
}
