//! The page computes the same as the library, for any input and any cutting of files.

#![allow(unsafe_code, reason = "what JavaScript does: it writes and reads the memory of the module")]

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks::position::{Color, Positions};
use slider_attacks::{Backend, Slider, Square};
use slider_attacks_arrow::{OnError, Options, Plan, Product, Values};
use slider_attacks_files::Inputs;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_formats::request::Wanted;
use slider_attacks_games::Board;
use slider_attacks_games::records::{self, Labels, Outcome, RecordReader, bulletformat, marlinformat, viriformat};
use slider_attacks_query::PositionQuery;
use slider_attacks_web::condition::ScanCondition;
use slider_attacks_web::format::{FileFormat, FilePlace};
use slider_attacks_web::scan::Scan;
use slider_attacks_web::unzstd::ZstdFrames;
use slider_attacks_web::{about, analyze, border, edit, entries, options, play, steps};

const EPD: &[u8] = include_bytes!("../../tests/data/sample.epd");
const PGN: &[u8] = include_bytes!("../../tests/data/games.pgn");
const BINPACK: &[u8] = include_bytes!("../../tests/data/sample.binpack");

fn sample() -> Positions {
    let mut positions = Positions::new();
    positions.read_lines(EPD).unwrap();
    positions
}

fn set(value: &Value) -> u64 {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).expect("a set of squares");
    assert_eq!(digits.len(), 16);
    u64::from_str_radix(digits, 16).unwrap()
}

#[test]
fn columns_of_a_position_are_those_of_the_library() {
    let (positions, plan) = (sample(), Plan::new(Product::ALL.iter().filter(|product| about::is_shown(**product))));
    let (names, values): (Vec<&str>, Vec<Values>) = (plan.names().collect(), plan.values(&positions));
    for index in 0..positions.len() {
        let answer = analyze::analyze(&plan, positions.fen(index).as_bytes());
        let columns = answer["columns"].as_object().unwrap();
        assert_eq!(columns.len(), names.len() + 12, "and the maps by kind of piece");
        for (name, values) in names.iter().zip(&values) {
            let found = &columns[*name];
            match values {
                Values::Boards(boards) => assert_eq!(set(found), boards[index], "{name}"),
                Values::Numbers(numbers) => assert_eq!(*found, Value::from(numbers[index].to_vec()), "{name}"),
                Values::Number(numbers) => assert_eq!(*found, Value::from(numbers[index]), "{name}"),
                Values::Threats { offsets, threats } => {
                    let threats = &threats[offsets[index]..offsets[index + 1]];
                    assert_eq!(found.as_array().unwrap().len(), threats.len());
                    for (found, threat) in found.as_array().unwrap().iter().zip(threats) {
                        let letter = |byte: u8| Value::from(char::from(byte).to_string());
                        let [attacker, from, to, victim] = *threat;
                        assert_eq!(*found, Value::from(vec![letter(attacker), from.into(), to.into(), letter(victim)]));
                    }
                }
                _ => panic!("column {name} is of a kind that the page does not know"),
            }
        }
    }
}

#[test]
fn what_pieces_attack_adds_up_to_counts_and_maps() {
    let positions = sample();
    for index in 0..positions.len() {
        let one = {
            let mut one = Positions::new();
            one.push_fen(positions.fen(index).as_bytes()).unwrap();
            one
        };
        let answer = analyze::analyze(&Plan::new([Product::Counts]), positions.fen(index).as_bytes());
        for color in Color::ALL {
            let (mut counts, mut expected) = ([0; 64], [[0; 64]]);
            Backend::scalar().attacker_counts(&one, color, &mut expected).unwrap();
            for (square, attacks) in answer["pieces"].as_object().unwrap() {
                let square: Square = square.parse().unwrap();
                let (side, piece) = one.piece_at(0, square).unwrap();
                let attacks = set(attacks);
                if let Some(slider) = Slider::ALL.into_iter().find(|slider| slider.name() == piece.name()) {
                    assert_eq!(attacks, slider.attacks(square, one.occupancies()[0]));
                }
                if side == color {
                    (0..64).for_each(|at| counts[at] += (attacks >> at & 1) as u8);
                }
            }
            assert_eq!(counts, expected[0], "{}, {color}", positions.fen(index));
            let of_kinds = answer["columns"].as_object().unwrap().iter();
            let of_kinds = of_kinds.filter(|(name, _)| name.starts_with(color.name()) && name.ends_with("_attacks"));
            let map = of_kinds.fold(0, |map, (_, attacks)| map | set(attacks));
            assert_eq!(map, (0..64).filter(|&at| counts[at] > 0).fold(0, |map, at| map | 1 << at));
        }
    }
}

#[test]
fn steps_are_those_of_the_library() {
    let occupancies = [0, u64::MAX, 0x1234_5678_9abc_def0, 0x0010_0020_0048_0010];
    for method in Method::ALL.iter().filter(|method| method.can_run()) {
        for (square, occupancy) in Square::ALL.into_iter().zip(occupancies.into_iter().cycle()) {
            let answer = steps::steps(&format!("{method} queen {square} {occupancy:#x}"));
            assert_eq!(set(&answer["attacks"]), Slider::Queen.attacks(square, occupancy));
            for (line, found) in Line::ALL.into_iter().zip(answer["lines"].as_array().unwrap()) {
                let drawn: Vec<String> = method.steps(line, square, occupancy).collect();
                let found = found["steps"].as_array().unwrap();
                assert_eq!(found.len(), drawn.len());
                for (found, drawn) in found.iter().zip(&drawn) {
                    assert_eq!(found["caption"], drawn.lines().next().unwrap());
                    if let Some((_, number)) = drawn.split_once("= ").filter(|_| drawn.contains("0b")) {
                        assert_eq!(set(&found["value"]), number.trim().parse::<u64>().unwrap());
                    }
                }
            }
        }
    }
    assert_eq!(steps::steps("fill-up rook a1 0x0")["lines"].as_array().unwrap().len(), 2);
    for wrong in [
        "",
        "fill-up",
        "x queen a1 0x0",
        "fill-up king a1 0x0",
        "fill-up queen i9 0x0",
        "fill-up queen a1 +5",
        "fill-up queen a1 0x+5",
    ] {
        assert!(steps::steps(wrong)["error"].is_string(), "{wrong}");
    }
}

#[test]
fn every_product_and_method_is_told() {
    let about = about::about();
    let shown = Product::ALL.iter().filter(|product| about::is_shown(**product)).count();
    assert_eq!(about["products"].as_array().unwrap().len(), 1 + shown);
    assert_eq!(about["methods"][0]["name"], "fill-up", "kindergarten comes first");
    let told = about["options"].as_array().unwrap();
    let options: Vec<_> = Options::ALL.iter().filter(|option| about::is_offered(option)).collect();
    assert_eq!(told.len(), options.len());
    for (option, told) in options.into_iter().zip(told) {
        let (name, usual) = (option.name(), option.default());
        assert_eq!([&told["name"], &told["usual"], &told["help"]], [name, usual, option.help()]);
        let choices = told["choices"].as_array().unwrap();
        assert!(choices.first().is_none_or(|first| first == usual));
        for value in choices.iter().map(|choice| choice.as_str().unwrap()).chain([usual]) {
            options::plan(&format!("what maps\n{name} {value}")).unwrap();
        }
        let error = options::plan(&format!("{name} x")).unwrap_err();
        assert!(error.starts_with(&format!("{name}: expected ")) && error.ends_with(", found \"x\""), "{error}");
    }
    assert_eq!(options::plan("depth 1").unwrap_err(), "unknown option \"depth\"");
}

/// Number of the entry, and where it begins.
type Mark = (u64, FilePlace);

/// What a scan tells, with blocks of this size, as the worker of the page reads them; then the scan.
fn scan(name: &str, bytes: &[u8], size: usize, what: &str) -> (Value, Vec<Mark>, Vec<(u64, String)>, Scan) {
    let mut scan = Scan::new(name, options::plan(&format!("what {what}")).unwrap());
    let (mut marks, mut errors): (Vec<Mark>, Vec<(u64, String)>) = (Vec::new(), Vec::new());
    let (mut blocks, mut at) = (bytes.chunks(size).peekable(), 0);
    loop {
        let block = blocks.next().unwrap_or_default();
        at += block.len();
        let mut told = scan.block(block, blocks.peek().is_none());
        if told["error"].is_string() {
            return (told, marks, errors, scan);
        }
        for mark in serde_json::from_value::<Vec<Mark>>(told["marks"].take()).unwrap() {
            marks.pop_if(|(last, ..)| *last == mark.0);
            marks.push(mark);
        }
        errors.extend(serde_json::from_value::<Vec<(u64, String)>>(told["errors"].take()).unwrap());
        if at == bytes.len() {
            return (told, marks, errors, scan);
        }
    }
}

/// All entries of a file, part by part, each with the place of its part. So many are read at a time.
fn listed(bytes: &[u8], marks: &[Mark], format: &FileFormat, most: u64) -> Vec<(usize, Value)> {
    let mut all = Vec::new();
    for (&(first, (start, _, numbers)), &(next, (_, end, _))) in marks.iter().zip(&marks[1..]) {
        let (start, end) = (start as usize, (end as usize).min(start as usize + (1 << 21)));
        let [a, b, c] = numbers;
        for skip in (0..next - first).step_by(most as usize) {
            let is_last = u8::from(end == bytes.len());
            let part = [format!("{a} {b} {c} {skip} {most} {is_last}\n").as_bytes(), &bytes[start..end]].concat();
            let entries = entries::entries(format, &part);
            let wanted = most.min(next - first - skip) as usize;
            assert!(entries.as_array().unwrap().len() >= wanted, "{first}, {skip}");
            all.extend(entries.as_array().unwrap()[..wanted].iter().map(|entry| (start, entry.clone())));
        }
    }
    all
}

/// The positions of a game that the list has.
fn moves_of(bytes: &[u8], (start, entry): &(usize, Value), format: &FileFormat) -> Value {
    let place: Vec<String> = entry["place"].as_array().unwrap().iter().map(Value::to_string).collect();
    let [first, end] = ["start", "end"].map(|name| start + entry[name].as_u64().unwrap() as usize);
    entries::moves(format, &[format!("{}\n", place.join(" ")).as_bytes(), &bytes[first..end]].concat())
}

/// What the command reads of a file: rows, each a position or what is wrong; and the positions.
fn read(name: &str, bytes: &[u8]) -> (Vec<Result<String, String>>, Positions) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{:?}", std::thread::current().id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    let inputs = Inputs::new(&[path], "").unwrap();
    let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
    let (mut rows, mut positions) = (Vec::new(), Positions::new());
    let most = ReadLimits::all(usize::MAX);
    let read = inputs.read(&wanted, &mut |mut block| {
        while let Some(records) = block.next(most, OnError::Report, Positions::new())? {
            for row in 0..records.numbers.len() {
                let wrong = records.nulls.iter().find(|(null, _)| *null == row);
                rows.push(match wrong {
                    None => {
                        positions.push_fen(records.positions.fen(row).as_bytes()).unwrap();
                        Ok(records.positions.fen(row))
                    }
                    Some((_, wrong)) => {
                        let message = block.origin.message(wrong);
                        Err(message[message.find(&format!("{name}, ")).unwrap() + name.len() + 2..].to_owned())
                    }
                });
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    read.unwrap();
    (rows, positions)
}

/// Records of a format, which hold the games of the sample.
fn records(format: &str) -> Vec<u8> {
    let (mut positions, mut labels) = (Positions::new(), Labels::default());
    let mut reader = RecordReader::new(records::TrainingFormat::Binpack, BINPACK);
    while reader.read(1_000, &mut positions, &mut labels).unwrap() > 0 {}
    let boards = (0..positions.len()).map(|at| {
        let fen = format!("{} {} {}", positions.fen(at), labels.halfmoves[at], labels.numbers[at]);
        fen.parse::<Board>().unwrap()
    });
    let (boards, mut bytes): (Vec<Board>, _) = (boards.collect(), Vec::new());
    for (at, board) in boards.iter().enumerate() {
        let (score, outcome) = (labels.scores[at], labels.outcomes[at]);
        match format {
            "bulletformat" => bulletformat::write(board, score, outcome, &mut bytes).unwrap(),
            "marlinformat" => marlinformat::write(board, score, outcome, &mut bytes).unwrap(),
            // Each is a game of one move.
            _ => viriformat::write(board, outcome, &[(labels.moves[at], score)], &mut bytes).unwrap(),
        }
    }
    bytes
}

/// A file of each format, with mistakes.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut lines = b"# a comment\r\n\r\nnonsense\n".repeat(40);
    lines.extend(EPD.repeat(2));
    lines.extend(b"4k3/8/8/8/8/8/8/4K3 w - -\r4k3/8/8/8/8/8/8/4K3 b - -\n4k3/8/8/8/8/8/8/4K3 w - -");
    let mut games = PGN.repeat(50);
    games.extend(b"\n[White \"x\"]\n\n1. e4 e5 2. Ke3 *\n\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n");
    games.extend(PGN);
    let people = b"[Event \"a\"] [White \"b\"] 1. e4 e5 1/2 - 1/2\r[Event \"c\"]\r\r[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\r\n\r\n\
        { one\n  two }\n[Black \"d\"]\n\n1. e3 ; Ke2\rKd7 0-0\r\n\n[White \"e\"]\n\n[White \"f\"]\n\n  [Event \"g\"]\n  1. e4\xe2\x80\x83e5+- 1\xe2\x80\x930\n\
        [pgn]1. d4 d5[/pgn]\n[pgn][White \"h\"]\n\n1. Ke4 *\n[/pgn]\n\n";
    let people = people.repeat(20);
    let spaced = b"1. e4 e5 1/2 - 1/2 1. d4 1/2 \xe2\x80\x93 1/2 1. c4 1 - 0\r1. e4 0-0 1. d4 d5 0 - 0\r\n1. Nf3 * [/pgn] 1. Nc3 1/2\n".repeat(40);
    let untagged = b"1. e4 e5 { a comment } 1-0\n1. d4 (1. c4 c5) d5 0-1 1. Nf3 * 1. e5 * ".repeat(100);
    let (mut rows, mut json) = (b"# rows\n\nname;FEN;x\n".to_vec(), b"\xef\xbb\xbf\n".to_vec());
    for (number, line) in str::from_utf8(EPD).unwrap().lines().enumerate() {
        let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        let fen = fen.trim_end_matches(';');
        rows.extend(format!("\"a \"\"name\"\"\nof two; lines\";{fen};\r\n").into_bytes());
        json.extend(
            format!("{{\"id\": [{number}, \"\\u00e9\"], \"fen\" :\"{}\"}}\n\n", fen.replace('/', "\\/")).into_bytes(),
        );
    }
    rows.extend(b"\n\none field\n;;\na;\"open\nb;4k3/8/8/8/8/8/8/4K3 w - -;c");
    json.extend(b"{\"fen\": 1}\r\n{\"x\": 1}\r{\n[]\n{\"fen\": \"4k3/8/8/8/8/8/8/4K3 w - -\"}");
    let json = [json.clone(), b"\n".to_vec(), json[4..].to_vec()].concat();
    let damaged = |mut bytes: Vec<u8>, at: usize| {
        bytes[at..at + 16].fill(0xff);
        bytes.truncate(bytes.len() - 5);
        bytes
    };
    let chunks = [BINPACK, b"garbage", BINPACK, b"BINP\x40\0\0\0", &BINPACK[8..400], BINPACK].concat();
    vec![
        ("lines.epd", lines),
        ("games.pgn", games),
        ("untagged.pgn", untagged),
        ("people.pgn", people),
        ("spaced.pgn", spaced),
        ("rows.csv", rows),
        ("rows.jsonl", json),
        ("a.bulletformat", damaged(records("bulletformat").repeat(4), 3200)),
        ("a.marlinformat", damaged(records("marlinformat").repeat(4), 64_000)),
        ("a.viriformat", damaged(records("viriformat").repeat(4), 4_000)),
        ("sample.binpack", BINPACK.repeat(20)),
        ("damaged.binpack", chunks),
    ]
}

#[test]
fn a_file_is_read_the_same_however_it_is_cut() {
    let what = "maps,counts,threats,legal_moves";
    for (name, bytes) in files() {
        let whole = scan(name, &bytes, usize::MAX, what);
        let has_errors = !matches!(name, "spaced.pgn" | "sample.binpack");
        assert!(
            whole.0["entries"].as_u64().unwrap() > 100 && has_errors == (whole.0["wrong"] != 0),
            "{name}, {}",
            whole.0
        );
        for size in [1, 7, 100, 1000, 4096, 65_536, 1 << 20] {
            let cut = scan(name, &bytes, size, what);
            assert_eq!((&cut.0, cut.3.sums()), (&whole.0, whole.3.sums()), "{name}, {size}");
            assert_eq!(cut.1, whole.1, "{name}, {size}");
            let most = whole.2.len();
            assert_eq!(cut.2[..most], whole.2, "{name}, {size}");
        }
    }
}

/// The entries that match a condition, with the number of the first such position in a game, and how many positions do.
fn matches(name: &str, bytes: &[u8], size: usize, condition: &str) -> (Vec<(u64, usize)>, u64) {
    let plan = options::plan("what ").unwrap();
    let condition = ScanCondition::new(condition.parse().unwrap(), plan.clone());
    let mut scan = Scan::new(name, plan).matching(condition);
    let (mut all, mut matching) = (Vec::new(), 0);
    let count = bytes.chunks(size).len();
    for (number, block) in bytes.chunks(size).enumerate() {
        let mut told = scan.block(block, number + 1 == count);
        all.extend(serde_json::from_value::<Vec<(u64, usize)>>(told["matches"].take()).unwrap());
        matching = told["matching"].as_u64().unwrap();
    }
    (all, matching)
}

#[test]
fn entries_match_whose_positions_do() {
    let condition = "count(white_attacks) > count(black_attacks)";
    let query: PositionQuery = condition.parse().unwrap();
    for (name, bytes) in files() {
        let (rows, positions) = read(name, &bytes);
        let mut holds = query.rows(&options::plan("").unwrap(), &positions, &()).into_iter();
        let holds: Vec<bool> = rows.iter().map(|row| row.is_ok() && holds.next().unwrap()).collect();
        let (all, matching) = matches(name, &bytes, usize::MAX, condition);
        assert_eq!(matching, holds.iter().filter(|holds| **holds).count() as u64, "{name}");
        assert!(matching > 20 && (matching as usize) < rows.len(), "{name}");
        let expected = (0..).zip(&holds).filter(|(_, holds)| **holds).map(|(entry, _)| (entry, 0));
        if name.ends_with(".pgn") {
            assert!(all.is_sorted_by(|one, other| one.0 < other.0), "{name}");
            assert!(all.iter().any(|(_, ply)| *ply > 0), "{name}");
        } else {
            assert_eq!(all, expected.collect::<Vec<_>>(), "{name}");
        }
        for size in [100, 4096] {
            assert_eq!(matches(name, &bytes, size, condition), (all.clone(), matching), "{name}, {size}");
        }
    }
}

/// Entries, positions, errors and sums, with no part of the page's own.
#[test]
fn a_file_is_read_as_the_command_reads_it() {
    for (name, bytes) in files() {
        let (told, marks, errors, scan) = scan(name, &bytes, 1000, "maps,counts");
        let format = scan.format().unwrap();
        let (rows, positions) = read(name, &bytes);
        assert_eq!(told["positions"], positions.len(), "{name}");
        assert_eq!(told["wrong"], rows.len() - positions.len(), "{name}");
        let plan = options::plan("what maps,counts").unwrap();
        let mut sums = slider_attacks_arrow::Summary::new(&plan, 1);
        plan.summarize(&positions, None, &mut sums).unwrap();
        for (found, column) in scan.sums()["columns"].as_array().unwrap().iter().zip(sums.columns()) {
            assert_eq!(found["present"], Value::from(column.present(0).to_vec()), "{name}, {}", column.name());
            assert_eq!(found["sum"], Value::from(column.sum(0).to_vec()), "{name}, {}", column.name());
        }
        for most in [7, 1_000_000] {
            let entries = listed(&bytes, &marks, format, most);
            assert_eq!(told["entries"], entries.len(), "{name}");
            // What was told of each entry while the file was read.
            for (entry, message) in &errors {
                assert_eq!(entries[*entry as usize].1["error"], **message, "{name}, {entry}");
            }
            let mut found = Vec::new();
            for entry in &entries {
                if name.ends_with(".pgn") {
                    let game = moves_of(&bytes, entry, format);
                    found.extend(game["plies"].as_array().unwrap().iter().map(|ply| Ok(ply["fen"].clone())));
                    found.extend(game["error"].as_str().map(|error| Err(error.to_owned())));
                    assert_eq!(game["error"], entry.1["error"], "{name}");
                } else {
                    let error = entry.1["error"].as_str();
                    found.push(error.map_or(Ok(entry.1["fen"].clone()), |error| Err(error.to_owned())));
                }
            }
            assert_eq!(found.len(), rows.len(), "{name}");
            for (found, expected) in found.iter().zip(&rows) {
                assert_eq!(
                    found.as_ref().map(|fen| fen.as_str().unwrap()),
                    expected.as_ref().map(String::as_str),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn zstd_is_unpacked_however_it_is_cut() {
    let unpack = |bytes: &[u8], size: usize| {
        let (mut unzstd, mut all) = (ZstdFrames::default(), Vec::new());
        for part in bytes.chunks(size) {
            all.extend(unzstd.push(part, false)?);
        }
        all.extend(unzstd.push(b"", true)?);
        Ok::<_, &str>(all)
    };
    let frame = |text: &[u8], level: i32, has_checksum: bool| {
        let mut encoder = zstd::Encoder::new(Vec::new(), level).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let long = [PGN.repeat(30), vec![b'x'; 1 << 19], BINPACK.to_vec()].concat();
    let skipped = b"\x57\x2a\x4d\x18\x05\0\0\0abcde";
    let frames = [frame(&long, 1, true), frame(EPD, 19, false), frame(b"", 3, true)];
    let file = [&skipped[..], &frames[0], &[0; 100], &frames[1], skipped, &frames[2], &[0; 3]].concat();
    for size in [1, 3, 100, 1 << 16, usize::MAX] {
        assert!(unpack(&file, size) == Ok([&long[..], EPD].concat()), "{size}");
    }
    let damaged = [
        &file[..file.len() - 10],
        &file[..9],
        &[&frames[1][..], b"x"].concat(),
        &[&frames[0][..frames[0].len() - 1], b"\0"].concat(),
        b"\x28\xb5\x2f\xfd",
    ];
    for (at, bytes) in damaged.into_iter().enumerate() {
        for size in [1, 1000, usize::MAX] {
            assert!(unpack(bytes, size).is_err(), "{at}, {size}");
        }
    }
    // Runs of one byte: each takes four bytes and becomes 128 KiB.
    let bomb = [&b"\x28\xb5\x2f\xfd\0\x58"[..], &[2, 0, 16, b'x'].repeat(3000)].concat();
    assert_eq!(unpack(&bomb, usize::MAX), Err("it becomes more than 256 MiB"));
}

#[test]
fn the_list_shows_what_a_file_has() {
    let first = |name: &str, bytes: &[u8], at: usize| {
        let (_, marks, _, scan) = scan(name, bytes, usize::MAX, "");
        listed(bytes, &marks, scan.format().unwrap(), 100)[at].1.clone()
    };
    let entry = first("a.epd", b"# one\n\n4k3/8/8/8/8/8/8/4K3  w - - id \"a b\";\r\n", 0);
    assert_eq!((&entry["place"], &entry["text"]), (&"line 3".into(), &"4k3/8/8/8/8/8/8/4K3  w - - id \"a b\";".into()));
    assert_eq!((&entry["note"], &entry["fen"]), (&"id \"a b\";".into(), &"4k3/8/8/8/8/8/8/4K3 w - -".into()));
    let entry = first("a.csv", b"x,fen\n\n\"a\nb\",4k3/8/8/8/8/8/8/4K3 w - -\nc,d\n", 0);
    assert_eq!((&entry["place"], &entry["text"]), (&"line 3".into(), &"\"a\nb\",4k3/8/8/8/8/8/8/4K3 w - -".into()));
    let entry = first("sample.binpack", BINPACK, 1);
    assert_eq!((&entry["place"], &entry["text"]), (&"chunk 1".into(), &entry["fen"]));
    let note = entry["note"].as_str().unwrap();
    let (score, result) = note.split_once(" · ").unwrap();
    assert!(score.parse::<i64>().is_ok() && Outcome::ALL.map(Outcome::name).contains(&result), "{note}");
    let entry = first("a.pgn", PGN, 0);
    assert_eq!((&entry["tags"]["White"], &entry["place"]), (&"Rook, Rosa".into(), &vec![1, 1, 0, 1].into()), "{entry}");
}

#[test]
fn lines_may_end_with_cr() {
    for (name, bytes) in files().into_iter().take(7) {
        let text: Vec<u8> = bytes.into_iter().filter(|&byte| byte != b'\r').collect();
        let as_cr: Vec<u8> = text.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
        let (lf, cr) = [&text, &as_cr].map(|text| scan(name, text, 1000, "maps")).into();
        assert_eq!((&lf.0, &lf.2, lf.3.sums()), (&cr.0, &cr.2, cr.3.sums()), "{name}");
        // A part may begin a line later, as an LF may follow a CR at its end.
        let list = |(_, marks, _, scan): (_, Vec<Mark>, _, Scan), text: &[u8]| {
            let entries = listed(text, &marks, scan.format().unwrap(), 64).into_iter();
            let seen = |(_, entry): (_, Value)| (entry["fen"].clone(), entry["error"].clone(), entry["tags"].clone());
            entries.map(seen).collect::<Vec<_>>()
        };
        assert_eq!(list(lf, &text), list(cr, &as_cr), "{name}");
    }
    let text = b"[White \"a\"]\r\r1. e4 e5\r2. Ke3 *\r[White \"b\"]\r";
    let (_, marks, errors, scan) = scan("x", text, 5, "");
    assert!(errors[0].1.starts_with("game 1, line 4, column 4, ply 2"), "{errors:?}");
    let games = listed(text, &marks, scan.format().unwrap(), 9);
    assert_eq!(
        (&games[1].1["place"], &games[1].1["tags"]["White"]),
        (&vec![2, 5, 0, 2].into(), &"b".into()),
        "{games:?}"
    );
}

#[test]
fn sums_are_those_of_the_library() {
    let (positions, plan) = (sample(), Plan::new(Product::ALL));
    let mut expected = slider_attacks_arrow::Summary::new(&plan, 1);
    plan.summarize(&positions, None, &mut expected).unwrap();
    let what: Vec<&str> = Product::ALL.iter().map(|product| product.name()).collect();
    let sums = scan("x", EPD, 1000, &what.join(",")).3.sums();
    assert_eq!(sums["positions"], positions.len());
    for (found, column) in sums["columns"].as_array().unwrap().iter().zip(expected.columns()) {
        assert_eq!(found["name"], column.name());
        assert_eq!(found["present"], Value::from(column.present(0).to_vec()), "{}", column.name());
        assert_eq!(found["sum"], Value::from(column.sum(0).to_vec()), "{}", column.name());
    }
}

#[test]
fn groups_of_json_lines_are_those_of_csv() {
    let fen = "4k3/8/8/8/8/8/8/4K3 w - -";
    let values = ["1-0", "0-1", "", "1-0", "caf\u{e9}", "1-0"];
    let csv = values.map(|value| format!("{fen},{value}\n")).concat();
    let json = values.map(|value| format!("{{\"fen\":\"{fen}\",\"result\":\"{value}\"}}\n")).concat();
    let json = json.replace('\u{e9}', "\\u00e9").replace("\"\"", "null");
    let groups = |name: &str, bytes: &str| {
        assert!(call(|| border::begin(), format!("{name}\nwhat legal_moves\nby result").as_bytes()).is_null());
        assert_eq!(call(|| border::block(1), bytes.as_bytes())["positions"], values.len());
        let sums = call(|| border::sums(), b"");
        let groups = sums["groups"].as_array().unwrap().iter();
        groups.map(|group| (group["name"].clone(), group["positions"].clone())).collect::<Vec<_>>()
    };
    let expected =
        [("1-0", 3), ("0-1", 1), ("no result", 1), ("caf\u{e9}", 1)].map(|(name, count)| (name.into(), count.into()));
    assert_eq!(groups("x.csv", &format!("fen,result\n{csv}")), expected);
    assert_eq!(groups("x.jsonl", &json), expected);
    let numbers = [1999, 2000, 2199].map(|elo| format!("{{\"fen\":\"{fen}\",\"elo\":{elo}}}\n")).concat();
    assert!(call(|| border::begin(), b"x.jsonl\nwhat legal_moves\nby elo:200").is_null());
    call(|| border::block(1), numbers.as_bytes());
    let sums = call(|| border::sums(), b"");
    assert_eq!((&sums["groups"][0]["name"], &sums["groups"][1]["name"]), (&"1800".into(), &"2000".into()));
}

#[test]
fn what_pieces_attack_does_not_depend_on_kings() {
    let positions = sample();
    for index in 0..positions.len() {
        let fen = positions.fen(index);
        let (board, rest) = fen.split_once(' ').unwrap();
        let without = format!("{} {rest}", board.replace('k', "n").replace('K', "N"));
        let plan = Plan::new([Product::Maps]);
        let [with, without] = [&fen, &without].map(|fen| analyze::analyze(&plan, fen.as_bytes()));
        assert!(without["error"].as_str().unwrap().contains("king"), "{without}");
        for (square, attacks) in with["pieces"].as_object().unwrap() {
            let at: Square = square.parse().unwrap();
            let letter = with["board"].as_str().unwrap().as_bytes()[usize::from(at.index())];
            if !b"kK".contains(&letter) {
                assert_eq!(&without["pieces"][square], attacks, "{fen}, {square}");
            }
        }
        let map = without["columns"]["white_attackers"].as_array().unwrap();
        let counted = (0..64).filter(|&at| map[at] != 0).fold(0, |all, at| all | 1 << at);
        assert_eq!(counted, set(&without["columns"]["white_attacks"]));
    }
}

/// Each move that the page offers is the one that its SAN says, all legal moves are offered, and the moves of games are among them as
/// they are written there.
#[test]
fn moves_that_can_be_played_are_those_of_the_rules() {
    let positions = sample();
    let promotions = "r3k2r/1P6/8/3pP3/N3N3/8/8/R3K2R w KQkq d6".to_owned();
    // Where castling takes the king one file, to the square of a move of the king, or leaves it where it is.
    let chess960 = ["4k3/8/8/8/8/8/8/5K1R w H -", "4k3/8/8/8/8/8/8/1R4KR w HB -"].map(str::to_owned);
    for fen in (0..positions.len()).map(|index| positions.fen(index)).chain([promotions]).chain(chess960) {
        let board: Board = fen.parse().unwrap();
        let plays = play::moves(&fen);
        let columns = analyze::analyze(&Plan::new([Product::LegalMoves]), fen.as_bytes());
        assert_eq!(columns["columns"]["legal_moves"], plays.as_array().unwrap().len(), "{fen}");
        let choices: HashSet<String> =
            plays.as_array().unwrap().iter().map(|play| format!("{} {} {}", play[0], play[1], play[2])).collect();
        assert_eq!(choices.len(), plays.as_array().unwrap().len(), "{fen}: {plays}");
        for play in plays.as_array().unwrap() {
            let mut next = board.clone();
            let mv = next
                .play_text(play[3].as_str().unwrap().as_bytes())
                .unwrap_or_else(|error| panic!("{fen}, {play}: {error}"));
            assert_eq!(next.to_string().rsplitn(3, ' ').last(), play[4].as_str(), "{fen}, {play}");
            assert_eq!(play[0], mv.start().index());
            assert_eq!(play[3].as_str().unwrap().ends_with(['+', '#']), next.is_check(), "{fen}, {play}");
        }
    }
    let (_, marks, _, scan) = scan("games.pgn", PGN, usize::MAX, "");
    let format = scan.format().unwrap();
    for entry in listed(PGN, &marks, format, 9) {
        let game = moves_of(PGN, &entry, format);
        for pair in game["plies"].as_array().unwrap().windows(2) {
            let plays = play::moves(pair[0]["fen"].as_str().unwrap());
            assert!(plays.as_array().unwrap().iter().any(|play| play[3] == pair[1]["san"]), "{pair:?}, {plays}");
        }
    }
}

#[test]
fn moves_of_a_game_are_told() {
    let moves = |name: &str, text: &[u8]| {
        let (_, marks, _, scan) = scan(name, text, usize::MAX, "");
        let format = scan.format().unwrap();
        moves_of(text, &listed(text, &marks, format, 9)[0], format)
    };
    let game = moves("x", PGN);
    let plies = game["plies"].as_array().unwrap();
    assert_eq!(
        (&plies[0]["san"], &plies[1]["san"], &plies[1]["eval"], &plies[1]["clock"], &plies[1]["number"]),
        (&"".into(), &"e4".into(), &"+0.25".into(), &"0:05:00".into(), &1.into())
    );
    assert_eq!(
        plies[1]["fen"].as_str().unwrap().split(' ').next(),
        Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
    );
    assert!(game["error"].is_null());
    let game = moves("x", b"1. e4 { [%eval -0.07] } e5 { [%eval #-3] } 2. -- *");
    let evals = [1, 2].map(|ply| game["plies"][ply]["eval"].clone());
    assert_eq!((evals, &game["plies"][3]["san"]), (["-0.07".into(), "#-3".into()], &"--".into()));
    let broken = moves("x", b"\n\n\n\n\n\n[White \"a\"]\n\n1. e4 e5 2. Ke3 *");
    assert_eq!(broken["plies"].as_array().unwrap().len(), 3);
    assert!(broken["error"].as_str().unwrap().starts_with("game 1, line 9, column 13, ply 2"), "{}", broken["error"]);
}

/// The limits are those of the command, and what is too long is an entry like others. So it is in the part that the page reads again,
/// which may end before.
#[test]
fn what_is_too_long_is_told() {
    const TOO_LONG: &str = "length: expected at most 1048576 bytes, found more";
    let position = "4k3/8/8/8/8/8/8/4K3 w - -\n";
    let long = "x".repeat(5 << 20);
    let lines = format!("{position}4k3/8/8/8/8/8/8/4K3 w - - {long}\n{position}");
    let json = format!("{{\"fen\": \"{position}\"}}").replace('\n', "");
    let json = format!("{json}\n{{\"fen\": \"{long}\"}}\n{json}\n");
    let table = format!("fen\n{position}\"{long}\n{position}");
    let bomb = "(1. d4 ".repeat(1 << 20);
    let bomb = format!("[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. e4 {bomb}\n\n[White \"c\"]\n\n1. e4 *\n");
    let moves = format!(
        "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n{}*\n\n[White \"c\"]\n\n1. e4 *\n",
        "Nf3 Nf6 Ng1 Ng8 ".repeat(10_000)
    );
    for (name, text, error, positions) in [
        ("a.epd", lines, format!("line 2, {TOO_LONG}"), 2),
        ("a.jsonl", json, format!("line 2, {TOO_LONG}"), 2),
        ("a.csv", table, format!("line 3, {TOO_LONG}"), 2),
        ("a.pgn", bomb, format!("game 2, {TOO_LONG}"), 4),
        ("a.pgn", moves, "game 2, length: expected at most 8192 positions, found more".to_owned(), 4 + (1 << 13)),
    ] {
        for size in [1 << 12, 1 << 21, usize::MAX] {
            let (told, marks, errors, scan) = scan(name, text.as_bytes(), size, "");
            assert_eq!((&told["positions"], &told["entries"]), (&positions.into(), &3.into()), "{name}, {size}");
            assert_eq!(errors, [(1, error.clone())]);
            let parts = listed(text.as_bytes(), &marks, scan.format().unwrap(), 9);
            let parts: Vec<Value> = parts.iter().map(|(_, entry)| entry["error"].clone()).collect();
            assert_eq!(parts, [Value::Null, error.clone().into(), Value::Null], "{name}, {size}");
        }
    }
}

#[test]
fn formats_are_told() {
    let detect = |name: &str, text: &[u8]| {
        let answer = Scan::new(name, Plan::new([] as [Product; 0])).block(text, true);
        answer["format"].as_str().map(str::to_owned).ok_or(answer["error"].as_str().unwrap_or_default().to_owned())
    };
    for (name, text, format) in [
        ("x", &b"4k3/8/8/8/8/8/8/4K3 w - - bm Ke2; id \"a,b,c\";\n"[..], "FEN or EPD"),
        ("x", b"", "FEN or EPD"),
        ("x", b"4k3/8/8/8/8/8/8/4K3 w - -\r4k3/8/8/8/8/8/8/4K3 b - -\r", "FEN or EPD"),
        ("x", b"\xef\xbb\xbf[White \"a\"]\n", "PGN"),
        ("x.pgn", b"e4 e5", "PGN"),
        ("x", b"  [ White \"a\"]\n", "PGN"),
        ("x", b"[PGN]1. e4[/PGN]\n", "PGN"),
        ("x", b"% escaped\r\r[White \"a\"]\r", "PGN"),
        ("x", b"1. e4 e5 {a, b}", "PGN"),
        ("x", b"{ a comment } 1. e4", "PGN"),
        ("x", b"# a, b\r\rid\tFen\rx", "CSV"),
        ("x", b"# a, b\n\nid\tFen\n", "CSV"),
        ("x", b"Fen,FEN,fen\n", "CSV"),
        ("x", b"{\"fen\": \"\"}", "JSON lines"),
        ("x.vf", b"", "viriformat"),
        ("x.bulletformat", b"%\n", "bulletformat"),
        ("x", BINPACK, "binpack"),
    ] {
        assert_eq!(detect(name, text).as_deref(), Ok(format), "{name}, {}", String::from_utf8_lossy(text));
    }
    for (text, part) in [
        (&b"a,b\n"[..], "x has no column \"fen\""),
        (b"\xff\xfe4\0k\0", "cannot read x: it is text in UTF-16"),
        (b"PK\x03\x04", "a zip archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"Rar!\x1a\x07\x00", "a RAR archive"),
        (b"PAR1", "Parquet"),
        (b"[1, 2]", "a JSON array"),
        (b"fen,a,fen\n", "both named \"fen\""),
        (b"Fen,FEN,Fen\n", "both named \"Fen\""),
        (b"x,4k3/8/8/8/8/8/8/4K3 w - -\n", "CSV needs a header"),
    ] {
        assert!(detect("x", text).unwrap_err().contains(part), "{part}: {:?}", detect("x", text));
    }
}

/// Calls a function of the border as JavaScript does.
fn call(function: impl FnOnce() -> usize, input: &[u8]) -> Value {
    let room = border::room(input.len());
    // SAFETY: `room` has as many bytes, and `answer` as many as the function returns, until the next call.
    let answer = unsafe {
        std::ptr::copy_nonoverlapping(input.as_ptr(), room, input.len());
        let length = function();
        std::slice::from_raw_parts(border::answer(), length)
    };
    serde_json::from_slice(answer).expect("each answer is JSON")
}

#[test]
fn the_border_hands_over_inputs_and_answers() {
    assert_eq!(call(|| border::products(), b""), about::about());
    let fen = b"4k3/8/8/8/8/8/8/4K3 w - -\nthrough own\nvalues 1,2,3,4,5\n";
    assert_eq!(call(|| border::position(), fen)["fen"], "4k3/8/8/8/8/8/8/4K3 w - -");
    assert!(call(|| border::position(), b"4k3/8/8/8/8/8/8/4K3 w - -\nthrough all")["error"].is_string());
    assert!(call(|| border::position(), b"4k3/8/8/8/8/8/8/4K3 w - -\nx y")["error"].is_string());
    assert!(call(|| border::block(1), b"")["error"].is_string() && call(|| border::sums(), b"")["error"].is_string());
    assert!(call(|| border::list(), b"1 1 0 0 9 1\nx")["error"].is_string());
    assert!(call(|| border::begin(), b"x\nwhat nothing")["error"].is_string());
    assert!(call(|| border::begin(), b"x\nwhat maps\nfind white_attacks z9")["error"].is_string());
    assert!(call(|| border::begin(), b"x\nwhat maps\nfind white_attacks e4").is_null());
    assert!(call(|| border::block(1), b"4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/4K3/8 w - -\nx\n4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/4K3/8/8/8 w - -\n4k3/8/8/8/8/4K3/8/8 w - -")["found"][0] == serde_json::json!([5, "4k3/8/8/8/8/4K3/8/8 w - -"]));
    assert_eq!(
        call(|| border::set(), b"4k3/8/8/8/8/8/8/4K3 w - -\nwhite_attacks & ranks(1)")["set"],
        "0x0000000000000028"
    );
    assert_eq!(call(|| border::set(), b"4k3/8/8/8/8/8/8/4K3 w - -\nwhite & x")["column"], 9);
    assert!(call(|| border::set(), b"4k3/8/8/8/8/8/8/8 w - -\nwhite")["error"].is_string());
    assert_eq!(call(|| border::begin(), b"x\nwhat \nwhere count(white) >")["column"], 15);
    assert!(call(|| border::begin(), b"x\nwhat \nwhere white_attacks & f3").is_null());
    let told = call(|| border::block(1), b"4k3/8/8/8/8/8/8/4K3 w - -\nx\n4k3/8/8/8/8/8/4K3/8 w - -\n");
    assert_eq!((&told["matching"], &told["matches"]), (&1.into(), &serde_json::json!([[2, 0]])));
    assert!(call(|| border::begin(), b"x.csv\nwhat \nwhere eval > 1").is_null());
    assert_eq!(
        call(|| border::block(1), b"fen,evil\n4k3/8/8/8/8/8/8/4K3 w - -,1\n")["error"],
        "x.csv has no column \"eval\" for the condition; its columns are fen, evil"
    );
    assert!(call(|| border::begin(), b"x\nwhat maps").is_null());
    assert_eq!(call(|| border::block(1), EPD)["positions"], sample().len());
    assert_eq!(call(|| border::sums(), b"")["positions"], sample().len());
    assert_eq!(call(|| border::list(), b"7 1 0 0 9 1\nx")[0]["place"], "line 7");
    assert!(call(|| border::begin(), b"x.pgn\n").is_null());
    assert_eq!(call(|| border::block(1), b"")["format"], "PGN");
    assert_eq!(call(|| border::moves(), b"3 1 0 3\ne4")["plies"][1]["san"], "e4");
    assert!(call(|| border::method(), b"rotated rook a1 0x1")["attacks"].is_string());
}

/// Text that is nearly what is expected, and bytes that are not.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n".to_vec()),
        Just(b"[White \"\xd7\x90\xe2\x80\xae\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n".to_vec()),
        Just(b"1. e4 (1. d4 { [%eval #-3] [%clk 1:00:00] } d5) e5 2. Nf3 1-0 ".to_vec()),
        Just(b"fill-up queen e4 0x1 1 what maps\nthrough own\nvalues 1,2\n".to_vec()),
        Just(b"\"a\nb\",\";\t,\r\n\n\r".to_vec()),
        Just(
            b"[pgn]\r [Event \"x\"] {y}\n\n[White \"z\"] 1. e4+- e5 1/2 - 1/2 [/pgn] 1. d4 0-0 1.\xe2\x80\x83".to_vec()
        ),
        Just(b"4294967295 4294967295 4294967295 4294967295 4294967295 99999999999999999999\n".to_vec()),
        Just(b"{\"fen\": \"4k3/8/8/8/8/8/8/4K3 w - -\"}\n{\"fen\": [{\"a\": \"\\u0000\"}]}\n".to_vec()),
        Just(BINPACK[..300].to_vec()),
        Just(records("viriformat")[..200].to_vec()),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_input_ends_the_page(input in hostile(), cut in 0_usize..500, last in any::<bool>()) {
        for function in [border::position, border::set, border::typed, border::changed, border::method, border::plays, border::list, border::moves, border::products, border::sums] {
            call(|| function(), &input);
        }
        for name in NAMES {
            call(|| border::begin(), format!("{name}\nwhat threats\nfind white_threats e4").as_bytes());
            call(|| border::block(1), &input);
            call(|| border::begin(), format!("{name}\nwhat \nwhere either(in_check) or score > 0 or ply < 9").as_bytes());
            call(|| border::block(1), &input);
            call(|| border::begin(), format!("{name}\nwhat maps,counts,threats\nby result").as_bytes());
            let cut = cut.min(input.len());
            call(|| border::block(u32::from(last)), &input[..cut]);
            call(|| border::block(1), &input[cut..]);
            call(|| border::sums(), &input);
            for head in ["1 1 0 0 64 1", "0 2 0 3 5 0", "4294967295 4294967295 4294967295 0 9 1", "9 100 50 0 9 1"] {
                let part = [head.as_bytes(), b"\n", &input].concat();
                call(|| border::list(), &part);
                call(|| border::moves(), &part);
            }
            call(|| border::list(), &input);
            call(|| border::moves(), &input);
        }
        call(|| border::begin(), &input);
        call(|| border::block(0), &input);
    }

    #[test]
    fn cuts_change_nothing(input in hostile(), size in 1_usize..300) {
        for name in NAMES {
            let (whole, cut) = (scan(name, &input, usize::MAX, "maps"), scan(name, &input, size, "maps"));
            prop_assert_eq!((whole.0, whole.1, whole.2, whole.3.sums()), (cut.0, cut.1, cut.2, cut.3.sums()), "{}", name);
        }
    }

    #[test]
    fn parts_are_read_as_the_whole(input in hostile()) {
        for name in NAMES {
            let (told, marks, errors, scan) = scan(name, &input, 100, "");
            let Some(format) = scan.format() else { continue };
            let entries = listed(&input, &marks, format, 3);
            prop_assert_eq!(&told["entries"], entries.len(), "{}", name);
            let wrong = (0..).zip(&entries).filter_map(|(at, (_, entry))| Some((at, entry["error"].as_str()?.to_owned())));
            prop_assert_eq!(wrong.take(errors.len()).collect::<Vec<_>>(), errors, "{}", name);
        }
    }
}

/// Names of files that hostile inputs have.
const NAMES: [&str; 7] = ["x", "x.pgn", "x.csv", "x.bulletformat", "x.marlinformat", "x.viriformat", "x.binpack"];

#[test]
fn fen_is_read_as_people_type_it() {
    let fen = |text| edit::typed(text)["fen"].as_str().map(str::to_owned);
    let kings = Some("4k3/8/8/8/8/8/8/4K3 w - -".to_owned());
    for text in [
        "4k3/8/8/8/8/8/8/4K3",
        " 4k3/8/8/8/8/8/8/4K3 w\n",
        "\"4k3/8/8/8/8/8/8/4K3 w - - 0 1\";",
        "4k3/8/8/8/8/8/8/4K3_w_-_-_12_40",
        "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "FEN 4k3/8/8/8/8/8/8/4K3 w - - acd 12; id \"one\";",
    ] {
        assert_eq!(fen(text), kings, "{text}");
    }
    assert_eq!(fen("position startpos").unwrap(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
    for text in [
        "",
        "\"\"",
        "hello",
        "8/8/8/8/8/8/8",
        "9/8/8/8/8/8/8/8",
        "8/8/8/8/8/8/8/44k w - -",
        "position startpos moves e2e4",
    ] {
        assert!(edit::typed(text)["error"].is_string(), "{text}");
    }
    // A board without kings can be shown and changed.
    assert_eq!(fen("8/8/8/8/8/8/8/8 b"), Some("8/8/8/8/8/8/8/8 b - -".to_owned()));
    let answer = analyze::analyze(&Plan::new([] as [Product; 0]), b"8/8/8/8/8/8/8/Q7 w - -");
    assert_eq!(answer["board"].as_str().unwrap(), format!("Q{}", ".".repeat(63)));
    assert!(answer["error"].is_string());
}

#[test]
fn a_right_to_castle_goes_with_its_king_or_rook() {
    let changed = |fen: &str, square: &str, letter: u8| {
        let mut board = edit::board(fen.split(' ').next().unwrap()).unwrap().into_bytes();
        board[usize::from(square.parse::<Square>().unwrap().index())] = letter;
        let answer = edit::changed(&format!("{fen}\n{}", String::from_utf8(board).unwrap()));
        answer["fen"].as_str().unwrap().split(' ').nth(2).unwrap().to_owned()
    };
    let start = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq e3";
    for (square, letter, kept) in
        [("d4", b'q', "KQkq"), ("a1", b'.', "Kkq"), ("h8", b'N', "KQq"), ("e1", b'.', "kq"), ("e8", b'Q', "KQ")]
    {
        assert_eq!(changed(start, square, letter), kept, "{square}");
    }
    let chess960 = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb -";
    for (square, letter, kept) in [("d4", b'Q', "GBgb"), ("g1", b'.', "Bgb"), ("b8", b'q', "GBg"), ("e8", b'.', "GB")] {
        assert_eq!(changed(chess960, square, letter), kept, "{square}");
    }
    // The right of a side is that of the outermost rook, and without a rook there is none.
    assert_eq!(changed("4k3/8/8/8/8/8/8/4KR1R w K -", "f1", b'.'), "K");
    assert_eq!(changed("4k3/8/8/8/8/8/8/4KR1R w K -", "h1", b'.'), "-");
    assert_eq!(changed("4k3/8/8/8/8/8/8/4K3 w KQkq -", "d4", b'Q'), "-");
}

#[test]
fn a_board_that_has_not_changed_is_the_same() {
    let positions = sample();
    for index in 0..positions.len() {
        let fen = positions.fen(index).to_string();
        let fields: Vec<&str> = fen.split(' ').collect();
        let board = edit::board(fields[0]).unwrap();
        let answer = edit::changed(&format!("{fen}\n{board}"));
        assert_eq!(answer["fen"], format!("{} {} {} -", fields[0], fields[1], fields[2]));
    }
}

#[test]
fn blank_lines_are_counted() {
    let text = "\n \r\n\t\n4k3/8/8/8/8/8/8/4K3 w - -\n\n\n  4k3/8/8/8/8/8/8/4K3 b - -\n \nwrong\n";
    let mut scan = Scan::new("x", Plan::new([] as [Product; 0]));
    let answer = scan.block(text.as_bytes(), true);
    assert_eq!((&answer["positions"], &answer["entries"]), (&2.into(), &3.into()));
    assert!(answer["errors"][0][1].as_str().unwrap().starts_with("line 9, "), "{answer}");
}
