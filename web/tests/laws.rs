//! What the page computes is what the library computes, whatever the input is and however a file is cut.

#![allow(unsafe_code, reason = "what JavaScript does: it writes and reads the memory of the module")]

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks::position::{Color, Positions};
use slider_attacks::{Backend, Slider, Square};
use slider_attacks_arrow::{Options, Plan, Product, Values};
use slider_attacks_web::format::Format;
use slider_attacks_web::scan::{MOST_BLOCK, Scan};
use slider_attacks_web::{about, analyze, border, edit, entries, format, options, steps};

const EPD: &[u8] = include_bytes!("../../tests/data/sample.epd");
const PGN: &[u8] = include_bytes!("../../tests/data/games.pgn");

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
    let (positions, plan) = (sample(), Plan::new(Product::ALL));
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
    assert_eq!(about["products"].as_array().unwrap().len(), 1 + Product::ALL.len());
    assert_eq!(about["methods"][0]["name"], "fill-up", "kindergarten comes first");
    let told = about["options"].as_array().unwrap();
    assert_eq!(told.len(), Options::ALL.len());
    for (option, told) in Options::ALL.iter().zip(told) {
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
    assert_eq!(options::plan("depth 1").unwrap_err(), "there is no option \"depth\"");
}

/// Number of the entry, place, number of the line, bytes of it before.
type Mark = (u64, u64, u64, u64);

/// What a scan tells, with blocks of this size, as the worker of the page reads them.
fn scan(text: &[u8], format: Format, line: u64, size: usize, what: &str) -> (Value, Vec<Mark>, Vec<String>, Value) {
    let mut scan = Scan::new(format, line, options::plan(&format!("what {what}")).unwrap());
    let (mut at, mut block) = (0, size);
    let (mut marks, mut errors): (Vec<Mark>, Vec<String>) = (Vec::new(), Vec::new());
    loop {
        let end = (at + block).min(text.len());
        let mut told = scan.block(&text[at..end], end == text.len());
        if told["error"].is_string() {
            return (told, marks, errors, scan.sums());
        }
        for mark in told["marks"].as_array().unwrap() {
            let number = |place: usize| mark[place].as_u64().unwrap();
            marks.pop_if(|(entry, ..)| *entry == number(0));
            marks.push((number(0), at as u64 + number(1), number(2), number(3)));
        }
        errors.extend(told["errors"].as_array().unwrap().iter().map(|error| error[1].as_str().unwrap().to_owned()));
        let taken = told["taken"].as_u64().unwrap() as usize;
        at += taken;
        block = if taken > 0 { size } else { 2 * block };
        if end == text.len() {
            assert_eq!(at, end, "all of it");
            let told = told.as_object_mut().unwrap();
            told.retain(|name, _| ["entries", "positions", "wrong"].contains(&name.as_str()));
            return (told.clone().into(), marks, errors, scan.sums());
        }
    }
}

/// A file of each format, with mistakes, and what is in it.
fn files() -> Vec<(Vec<u8>, Format, u64)> {
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
    let header = format::detect(b"a.csv\nname;FEN;x\n");
    assert_eq!((&header["skip"], &header["line"]), (&11.into(), &2.into()));
    let table: Format = header["format"].as_str().unwrap().parse().unwrap();
    let mut rows = Vec::new();
    for line in str::from_utf8(EPD).unwrap().lines() {
        rows.extend(format!("\"a \"\"name\"\"\nof two; lines\";{};\r\n", line.split(';').next().unwrap()).into_bytes());
    }
    rows.extend(b"\n\none field\n;;\n");
    vec![
        (lines, Format::Lines, 1),
        (games, Format::Games, 1),
        (untagged, Format::Games, 1),
        (people, Format::Games, 1),
        (spaced, Format::Games, 1),
        (rows, table, 2),
    ]
}

#[test]
fn a_file_is_read_the_same_however_it_is_cut() {
    for (text, format, line) in files() {
        let whole = scan(&text, format, line, usize::MAX >> 1, "maps,counts,threats,legal_moves");
        let wrong = whole.0["wrong"].as_u64().unwrap();
        assert!(
            whole.0["entries"].as_u64().unwrap() > 100 && (wrong > 0 || text.starts_with(b"1. e4 e5 1/2 -")),
            "{}",
            whole.0
        );
        for size in [1, 7, 100, 1000, 4096, 65_536] {
            let cut = scan(&text, format, line, size, "maps,counts,threats,legal_moves");
            assert_eq!((&cut.0, &cut.3), (&whole.0, &whole.3), "{format}, {size}");
            let most = whole.2.len().min(cut.2.len());
            assert_eq!(cut.2[..most], whole.2[..most], "{format}, {size}");
        }
    }
}

#[test]
fn marks_lead_to_all_entries() {
    for (text, format, line) in files() {
        for size in [1000, usize::MAX >> 1] {
            let (told, marks, errors, _) = scan(&text, format, line, size, "");
            let ends = marks.iter().skip(1).map(|mark| mark.1 as usize).chain([text.len()]);
            let (mut count, mut wrong) = (0, Vec::new());
            for (&(entry, start, line, column), end) in marks.iter().zip(ends) {
                assert_eq!(entry, count, "{format}, {size}");
                let mut input = format!("{format} {line} {column}\n").into_bytes();
                input.extend(&text[start as usize..end]);
                for entry in entries::entries(&input).as_array().unwrap() {
                    count += 1;
                    if let Some(error) = entry["error"].as_str() {
                        wrong.push(format!("line {}, {error}", entry["line"]));
                    }
                }
            }
            assert_eq!(count, told["entries"].as_u64().unwrap(), "{format}, {size}");
            if format != Format::Games {
                assert_eq!(wrong[..errors.len()], errors, "{format}, {size}");
            }
        }
    }
}

#[test]
fn lines_may_end_with_cr() {
    for (text, format, line) in files() {
        let text: Vec<u8> = text.into_iter().filter(|&byte| byte != b'\r').collect();
        let cr: Vec<u8> = text.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
        let (lf, cr) = [&text, &cr].map(|text| scan(text, format, line, 1000, "maps")).into();
        assert_eq!((lf.0, lf.1, lf.2, lf.3), (cr.0, cr.1, cr.2, cr.3), "{format}");
    }
    let text = b"1\n[White \"a\"]\r\r1. e4 e5\r2. Ke3 *\r";
    let game = entries::game(text);
    assert!(game["error"].as_str().unwrap().starts_with("line 4, column 4, ply 2"), "{}", game["error"]);
    let games = entries::entries(b"games 5\n[White \"a\"]\r\r1. e4 *\r[White \"b\"]\r");
    assert_eq!((&games[1]["line"], &games[1]["tags"]["White"]), (&8.into(), &"b".into()), "{games}");
}

#[test]
fn sums_are_those_of_the_library() {
    let (positions, plan) = (sample(), Plan::new(Product::ALL));
    let mut expected = slider_attacks_arrow::Summary::new(&plan, 1);
    plan.summarize(&positions, None, &mut expected).unwrap();
    let what: Vec<&str> = Product::ALL.iter().map(|product| product.name()).collect();
    let (_, _, _, sums) = scan(EPD, Format::Lines, 1, 1000, &what.join(","));
    assert_eq!(sums["positions"], positions.len());
    for (found, column) in sums["columns"].as_array().unwrap().iter().zip(expected.columns()) {
        assert_eq!(found["name"], column.name());
        assert_eq!(found["present"], Value::from(column.present(0).to_vec()), "{}", column.name());
        assert_eq!(found["sum"], Value::from(column.sum(0).to_vec()), "{}", column.name());
    }
}

#[test]
fn moves_of_a_game_are_told() {
    let mut input = b"7\n".to_vec();
    input.extend(PGN);
    let game = entries::game(&input);
    let plies = game["plies"].as_array().unwrap();
    assert_eq!(
        (&plies[0]["san"], &plies[1]["san"], &plies[1]["eval"], &plies[1]["clock"]),
        (&"".into(), &"e4".into(), &"+0.25".into(), &"0:05:00".into())
    );
    assert_eq!(
        plies[1]["fen"].as_str().unwrap().split(' ').next(),
        Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
    );
    assert!(game["error"].is_null());
    let broken = entries::game(b"7\n[White \"a\"]\n\n1. e4 e5 2. Ke3 *");
    assert_eq!(broken["plies"].as_array().unwrap().len(), 3);
    assert!(broken["error"].as_str().unwrap().starts_with("line 9, column 13, ply 2"), "{}", broken["error"]);
}

/// Long lines, games and records, and variations in each other, take no more memory than a block.
#[test]
fn what_is_too_long_is_told() {
    let mut text = b"4k3/8/8/8/8/8/8/4K3 w - - ".to_vec();
    text.extend(vec![b'x'; 5 << 20]);
    text.extend(b"\n4k3/8/8/8/8/8/8/4K3 w - -\n");
    for size in [1 << 16, 1 << 21, usize::MAX >> 1] {
        let (told, _, errors, _) = scan(&text, Format::Lines, 1, size, "");
        assert_eq!((&told["positions"], &told["wrong"]), (&1.into(), &1.into()), "{size}");
        assert_eq!(errors, ["line 1: expected less than 1 MiB in a line"]);
    }
    let mut bomb = b"[White \"a\"]\n\n1. e4 ".to_vec();
    bomb.extend(b"(1. d4 ".repeat(MOST_BLOCK / 4));
    let (told, ..) = scan(&bomb, Format::Games, 1, 1 << 21, "maps");
    assert!(told["error"].as_str().unwrap().contains("less than 16 MiB"), "{told}");
    let long = b"Nf3 Nf6 Ng1 Ng8 ".repeat(10_000);
    let (told, _, errors, _) = scan(&long, Format::Games, 1, 1 << 21, "maps");
    assert_eq!((&told["positions"], errors.len()), (&(1 << 13).into(), 1), "{told}");
    let (told, ..) = scan(&vec![b'"'; MOST_BLOCK + 5], "csv/44/0/1".parse().unwrap(), 1, 1 << 21, "");
    assert!(told["error"].is_string() || told["wrong"] == 1, "{told}");
}

#[test]
fn formats_are_told() {
    let detect = |name: &str, text: &[u8]| {
        let answer = format::detect(&[name.as_bytes(), b"\n", text].concat());
        answer["format"].as_str().map(str::to_owned).ok_or(answer["error"].as_str().unwrap_or_default().to_owned())
    };
    let fen = b"4k3/8/8/8/8/8/8/4K3 w - - bm Ke2; id \"a,b,c\";\n";
    assert_eq!(detect("x", fen).unwrap(), "lines");
    assert_eq!(detect("x", b"").unwrap(), "lines");
    assert_eq!(detect("x", b"\xef\xbb\xbf[White \"a\"]\n").unwrap(), "games");
    assert_eq!(detect("x.pgn", b"e4 e5").unwrap(), "games");
    assert_eq!(detect("x", b"  [ White \"a\"]\n").unwrap(), "games");
    assert_eq!(detect("x", b"[PGN]1. e4[/PGN]\n").unwrap(), "games");
    assert_eq!(detect("x", b"% escaped\r\r[White \"a\"]\r").unwrap(), "games");
    assert_eq!(detect("x", b"4k3/8/8/8/8/8/8/4K3 w - -\r4k3/8/8/8/8/8/8/4K3 b - -\r").unwrap(), "lines");
    assert_eq!(detect("x", b"# a, b\r\rid\tFen\rx").unwrap(), "csv/9/1/2");
    assert_eq!(detect("x", b"1. e4 e5").unwrap(), "games");
    assert_eq!(detect("x", b"{ a comment } 1. e4").unwrap(), "games");
    assert_eq!(detect("x", b"# a, b\n\nid\tFen\n").unwrap(), "csv/9/1/2");
    // An exact match, or else the first of those that differ in case.
    assert_eq!(detect("x", b"Fen,FEN,fen\n").unwrap(), "csv/44/2/3");
    assert_eq!(detect("x", b"a,FEN,Fen\n").unwrap(), "csv/44/1/3");
    for (text, part) in [
        (&b"a,b\n"[..], "column \"fen\""),
        (b"\xff\xfe4\0k\0", "UTF-16"),
        (b"4k3\0", "byte 4 is zero"),
        (b"{\"fen\": \"\"}", "JSON"),
        (b"PAR1", "Parquet"),
        (b"fen,a,fen\n", "two columns are named \"fen\""),
        (b"Fen,FEN,Fen\n", "two columns are named \"Fen\""),
        (b"x,4k3/8/8/8/8/8/8/4K3 w - -\n", "header"),
    ] {
        assert!(detect("x", text).unwrap_err().contains(part), "{part}: {:?}", detect("x", text));
    }
    for format in ["csv", "csv/1/2", "csv/256/1/2", "csv/-1/0/0", "x", ""] {
        assert!(format.parse::<Format>().is_err(), "{format}");
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
    assert!(call(|| border::begin(), b"lines 1\nwhat maps").is_null());
    assert_eq!(call(|| border::block(1), EPD)["positions"], sample().len());
    assert_eq!(call(|| border::sums(), b"")["positions"], sample().len());
    assert_eq!(call(|| border::detect(), b"x\n")["format"], "lines");
    assert_eq!(call(|| border::list(), b"lines 1\nx")[0]["line"], 1);
    assert_eq!(call(|| border::moves(), b"1\ne4")["plies"][1]["san"], "e4");
    assert!(call(|| border::method(), b"rotated rook a1 0x1")["attacks"].is_string());
}

/// Text that is nearly what is expected, and bytes that are not.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n".to_vec()),
        Just(b"[White \"\xd7\x90\xe2\x80\xae\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n\n".to_vec()),
        Just(b"1. e4 (1. d4 { [%eval #-3] [%clk 1:00:00] } d5) e5 2. Nf3 1-0 ".to_vec()),
        Just(b"fill-up queen e4 0x1 csv/44/0/2 1 what maps\nthrough own\nvalues 1,2\n".to_vec()),
        Just(b"\"a\nb\",\";\t,\r\n\n\r".to_vec()),
        Just(
            b"[pgn]\r [Event \"x\"] {y}\n\n[White \"z\"] 1. e4+- e5 1/2 - 1/2 [/pgn] 1. d4 0-0 1.\xe2\x80\x83".to_vec()
        ),
        Just(b"csv/44/18446744073709551615/0 99999999999999999999\n".to_vec()),
        Just(b"games 18446744073709551615\n".to_vec()),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_input_ends_the_page(input in hostile(), cut in 0_usize..500, last in any::<bool>()) {
        for function in [border::position, border::typed, border::changed, border::method, border::detect, border::list, border::moves, border::products, border::sums] {
            call(|| function(), &input);
        }
        for format in ["lines", "games", "csv/44/0/2", "csv/0/9/0", "csv/34/0/1"] {
            call(|| border::begin(), format!("{format} 1\nwhat maps,counts,threats").as_bytes());
            let cut = cut.min(input.len());
            call(|| border::block(u32::from(last)), &input[..cut]);
            call(|| border::block(1), &input[cut..]);
            call(|| border::sums(), &input);
            let mut list = format!("{format} 1\n").into_bytes();
            list.extend(&input);
            call(|| border::list(), &list);
        }
        call(|| border::begin(), &input);
        call(|| border::block(0), &input);
    }

    #[test]
    fn cuts_change_nothing(input in hostile(), size in 1_usize..300) {
        for format in [Format::Lines, Format::Games] {
            let (whole, cut) = (scan(&input, format, 1, usize::MAX >> 1, "maps"), scan(&input, format, 1, size, "maps"));
            prop_assert_eq!((whole.0, whole.3), (cut.0, cut.3), "{}", format);
        }
    }
}

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
    let mut scan = Scan::new(Format::Lines, 1, Plan::new([] as [Product; 0]));
    let answer = scan.block(text.as_bytes(), true);
    assert_eq!((&answer["positions"], &answer["entries"]), (&2.into(), &3.into()));
    assert!(answer["errors"][0][1].as_str().unwrap().starts_with("line 9, "), "{answer}");
}
