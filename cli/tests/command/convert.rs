//! `convert`: from every format to every other one.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, Float32Array, Float64Array, Int16Array, UInt64Array};
use slider_attacks::position::Positions;
use slider_attacks_games::Board;
use slider_attacks_games::records::{Labels, Outcome, RecordReader, TrainingFormat, binpack};

use crate::analyze::{parquet, read_parquet, texts};
use crate::{Run, command, directory, file, finish, gzip, run};

const ALL: [&str; 10] =
    ["fen", "epd", "text", "csv", "jsonl", "parquet", "bulletformat", "marlinformat", "viriformat", "binpack"];

/// Two games: one with scores except in the middle, and a mate; the other from a position of its own.
const GAMES: &str = r#"[White "A"]
[Result "1-0"]

1. e4 { [%eval 0.17] } e5 { [%eval -1.2] } 2. Nf3 Nc6 { [%eval 0.3] } 3. Bb5 { [%eval #3] } Nd4 { [%eval #-1] } 1-0

[White "B"]
[Result "1/2-1/2"]
[FEN "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 6 40"]

{ [%eval 0.5] } 1. O-O { [%eval -400] } O-O-O { [%eval 0] } *
"#;

/// Converts these bytes, in a file of this name, to standard output.
fn convert(name: &str, bytes: impl AsRef<[u8]>, args: &str) -> Run {
    finish(command("convert").arg(file(&format!("convert-{name}"), bytes.as_ref())).args(args.split_whitespace()), "")
}

/// Converts a file to another one, whose name says the format. Returns the messages.
fn convert_into(input: &Path, output: &Path, args: &str) -> String {
    let run = finish(command("convert").arg(input).arg("-o").arg(output).args(args.split_whitespace()), "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run:?}");
    run.stderr
}

/// The positions of records, in FEN, and their labels.
fn read(format: TrainingFormat, bytes: &[u8]) -> (Vec<String>, Labels) {
    let (mut positions, mut labels) = (Positions::new(), Labels::default());
    let mut reader = RecordReader::new(format, bytes);
    while reader.read(1_000, &mut positions, &mut labels).expect("the records are right") > 0 {}
    ((0..positions.len()).map(|at| positions.fen(at)).collect(), labels)
}

#[test]
fn what_is_known_of_positions_is_written() {
    let to = |format: &str| convert("known.pgn", GAMES, &format!("--to {format}"));
    let fens = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3
r1bqkbnr/pppp1ppp/8/1B2p3/3nP3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4
r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 6 40
r3k2r/8/8/8/8/8/4P3/R4RK1 b kq - 7 40
2kr3r/8/8/8/8/8/4P3/R4RK1 w - - 8 41
";
    assert_eq!(to("fen").ok(), fens);
    let epd = to("epd").ok();
    let rows: Vec<&str> = epd.lines().collect();
    assert_eq!(rows[0], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - c9 \"1-0\"; fmvn 1; hmvc 0;");
    assert_eq!(
        rows[5],
        "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - c9 \"1-0\"; ce -31997; fmvn 3; hmvc 3;"
    );
    assert_eq!(rows[7], "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - c9 \"1/2-1/2\"; ce 50; fmvn 40; hmvc 6;");
    assert_eq!(rows[8], "r3k2r/8/8/8/8/8/4P3/R4RK1 b kq - c9 \"1/2-1/2\"; ce 32767; fmvn 40; hmvc 7;");
    let text = to("text");
    let rows: Vec<&str> = text.stdout.lines().collect();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[0], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | 17 | 1.0");
    assert_eq!(rows[4], "r1bqkbnr/pppp1ppp/8/1B2p3/3nP3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4 | -31999 | 1.0");
    assert_eq!(rows[7], "2kr3r/8/8/8/8/8/4P3/R4RK1 w - - 8 41 | 0 | 0.5");
    assert!(text.stderr.ends_with("known.pgn: left out 2 of 10 positions: 2 without a score\n"), "{text:?}");
    let csv = to("csv").ok();
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "fen,score,result,halfmove,fullmove,next_uci");
    assert_eq!(rows[1], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -,,1-0,0,1,e2e4");
    assert_eq!(rows[7], "r1bqkbnr/pppp1ppp/8/1B2p3/3nP3/5N2/PPPP1PPP/RNBQK2R w KQkq -,-31999,1-0,4,4,");
    assert_eq!(rows[9], "r3k2r/8/8/8/8/8/4P3/R4RK1 b kq -,-32768,1/2-1/2,7,40,e8c8");
    let row = to("jsonl").ok().lines().nth(3).map(str::to_owned);
    let expected = r#"{"fen":"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -","score":null,"result":"1-0","halfmove":1,"fullmove":2,"next_uci":"b8c6"}"#;
    assert_eq!(row.as_deref(), Some(expected));
}

#[test]
fn records_of_engines_are_written() {
    let directory = directory("records of engines");
    let games = file("convert-records.pgn", GAMES.as_bytes());
    let written = |name: &str| {
        let output = directory.join(name);
        let messages = convert_into(&games, &output, "");
        (fs::read(output).expect("it is there"), messages)
    };
    for (name, format) in
        [("a.bulletformat", TrainingFormat::Bulletformat), ("a.marlinformat", TrainingFormat::Marlinformat)]
    {
        let (bytes, messages) = written(name);
        let (fens, labels) = read(format, &bytes);
        assert!(messages.ends_with("left out 2 of 10 positions: 2 without a score\n"), "{messages}");
        assert_eq!((bytes.len(), fens.len()), (256, 8));
        let is_bullet = format == TrainingFormat::Bulletformat;
        let scores: [i16; 8] = match is_bullet {
            true => [-17, -120, 30, -31_997, -31_999, 50, i16::MAX, 0],
            false => [17, -120, 30, 31_997, -31_999, 50, i16::MIN, 0],
        };
        assert_eq!(labels.scores, scores);
        if !is_bullet {
            assert_eq!(labels.halfmoves, [0, 0, 2, 3, 4, 6, 7, 8]);
            assert_eq!(labels.numbers, [1, 2, 3, 3, 4, 40, 40, 41]);
            assert_eq!(fens[6], "r3k2r/8/8/8/8/8/4P3/R4RK1 b kq -");
        }
    }
    for (name, format) in [
        ("a.viriformat", TrainingFormat::Viriformat),
        ("a.vf", TrainingFormat::Viriformat),
        ("a.binpack", TrainingFormat::Binpack),
    ] {
        let (bytes, messages) = written(name);
        let (fens, labels) = read(format, &bytes);
        let expected = "left out 4 of 10 positions: 2 without a score, 2 without a move\n";
        assert!(messages.ends_with(expected), "{messages}");
        let moves: Vec<String> = labels.moves.iter().map(ToString::to_string).collect();
        // Where a score is missing, the second game begins.
        assert_eq!(moves, ["e7e5", "g1f3", "f1b5", "c6d4", "e1h1", "e8a8"]);
        let lowest = if format == TrainingFormat::Binpack { -i16::MAX } else { i16::MIN };
        assert_eq!(labels.scores, [17, -120, 30, 31_997, 50, lowest]);
        assert_eq!(labels.outcomes, [[Outcome::White; 4].as_slice(), &[Outcome::Draw; 2]].concat());
        assert_eq!(labels.halfmoves, [0, 0, 2, 3, 6, 7]);
        assert_eq!(labels.numbers, [1, 2, 3, 3, 40, 40]);
        assert_eq!(fens[2], "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -");
        if format == TrainingFormat::Viriformat {
            assert_eq!(bytes.len(), 3 * (32 + 4) + 6 * 4);
        }
    }
}

/// Games whose positions all have scores, except the first ones; of random lengths, so that some begin where blocks end.
pub fn many_games(count: usize) -> String {
    let mut text = String::new();
    let line =
        "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d4 exd4 cxd4 Bb4+ Nc3 Nxe4 O-O Bxc3 d5 Bf6 Re1 Ne7 Rxe4 d6 Bg5 Bxg5 Nxg5 h6 Qe2";
    let line: Vec<&str> = line.split(' ').collect();
    let mut state = 1_usize;
    for game in 0..count {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
        let result = ["1-0", "0-1", "1/2-1/2"][game / 7 % 3];
        let _ = write!(text, "[Result \"{result}\"]\n\n{{ [%eval 0.1] }} ");
        for (at, mv) in line[..1 + (state >> 33) % line.len()].iter().enumerate() {
            let _ = write!(text, "{mv} {{ [%eval {}.{:02}] }} ", (state >> at) % 9, (state >> 20 >> at) % 100);
        }
        text += result;
        text += "\n\n";
    }
    text
}

#[test]
fn what_a_format_keeps_comes_back() {
    let directory = directory("every format to every other");
    let games = directory.join("games.pgn");
    fs::write(&games, many_games(300)).expect("it can be written");
    let path = |name: &str, to: &str| directory.join(format!("{name}.{to}"));
    let write = |input: &Path, name: &str, to: &str| -> Vec<u8> {
        let output = path(name, to);
        convert_into(input, &output, &format!("--to {to}"));
        fs::read(output).expect("it is there")
    };
    let direct: Vec<Vec<u8>> = ALL.iter().map(|to| write(&games, "direct", to)).collect();
    assert!(direct.iter().all(|bytes| bytes.len() > 5_000), "{:?}", direct.iter().map(Vec::len).collect::<Vec<_>>());
    let positions = &["fen", "epd", "text", "bulletformat", "marlinformat"][..];
    for (from, keeps) in [
        ("csv", &ALL[..]),
        ("jsonl", &ALL[..]),
        ("parquet", &ALL[..]),
        ("epd", positions),
        ("text", &["fen", "text", "bulletformat", "marlinformat"][..]),
        ("fen", &["fen"][..]),
        ("marlinformat", positions),
        ("bulletformat", &["bulletformat"][..]),
    ] {
        for to in keeps {
            let expected = &direct[ALL.iter().position(|name| name == to).expect("it is one")];
            let found = write(&path("direct", from), from, to);
            if *to == "parquet" {
                // How it is cut into pages depends on the blocks of the input.
                assert_eq!(read_parquet(&path(from, to)), read_parquet(&path("direct", to)), "{from}");
            } else {
                assert!(found == *expected, "{from} to {to}");
            }
        }
    }
    // These lack the last position of each game. What is left is the same in both, in every format.
    for to in ALL {
        let [one, other] = ["viriformat", "binpack"].map(|from| write(&path("direct", from), from, to));
        if to == "parquet" {
            assert_eq!(read_parquet(&path("viriformat", to)), read_parquet(&path("binpack", to)));
        } else {
            assert!(one == other, "{to}");
        }
        let expected = &direct[ALL.iter().position(|&name| name == to).expect("it is one")];
        let is_game = ["viriformat", "binpack"].contains(&to);
        assert!(if is_game { one == *expected } else { (2_000..expected.len()).contains(&one.len()) }, "{to}");
    }
    // Lines say all that the game does, but for those last positions.
    let lines = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it is text");
    let all = lines(&direct[ALL.iter().position(|&name| name == "csv").expect("it is one")]);
    let some = lines(&fs::read(path("binpack", "csv")).expect("it is there"));
    assert!(all.lines().filter(|line| !line.ends_with(',')).eq(some.lines()));
}

#[test]
fn games_go_on_over_the_ends_of_blocks() {
    let directory = directory("games over blocks");
    let [games, rows] = ["games.pgn", "rows.csv"].map(|name| directory.join(name));
    fs::write(&games, many_games(4_000)).expect("it can be written");
    convert_into(&games, &rows, "");
    assert!(fs::metadata(&rows).expect("it is there").len() > 4 << 20);
    for to in ["viriformat", "binpack"] {
        let output = directory.join(to);
        let written = |input: &PathBuf, threads: u32| -> Vec<u8> {
            convert_into(input, &output, &format!("--to {to} --threads {threads}"));
            fs::read(&output).expect("it is there")
        };
        let whole = written(&games, 1);
        // Each game is one.
        if to == "viriformat" {
            let (fens, _) = read(TrainingFormat::Viriformat, &whole);
            assert_eq!(whole.len(), 4_000 * 36 + 4 * fens.len());
        }
        for threads in [1, 2, 4] {
            assert!(written(&games, threads) == whole, "{to}, {threads} threads");
            let (found, expected) = (written(&rows, threads), &whole);
            // Chunks of a binpack end after whole blocks.
            let format = if to == "binpack" { TrainingFormat::Binpack } else { TrainingFormat::Viriformat };
            assert!(found.len() == expected.len() && read(format, &found) == read(format, expected), "{to}, {threads}");
        }
    }
}

#[test]
fn a_game_without_end_is_cut() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ";
    let mut rows = "fen,score,result,next_uci\n".to_owned();
    let mut board = Board::INITIAL;
    for text in moves.repeat(5_000).split_whitespace() {
        let mut positions = Positions::new();
        board.push_to(&mut positions);
        let mv = board.play_text(text.as_bytes()).expect("it is legal");
        let _ = writeln!(rows, "{},{},1-0,{mv}", positions.fen(0), rows.len() % 100);
    }
    let directory = directory("a game without end");
    let input = directory.join("long.csv");
    fs::write(&input, rows).expect("it can be written");
    for to in ["viriformat", "binpack"] {
        let sizes = [1, 4].map(|threads| {
            let output = directory.join(to);
            convert_into(&input, &output, &format!("--to {to} --threads {threads}"));
            let bytes = fs::read(output).expect("it is there");
            let format = if to == "binpack" { TrainingFormat::Binpack } else { TrainingFormat::Viriformat };
            let (fens, labels) = read(format, &bytes);
            assert_eq!(fens.len(), 20_000);
            // At the beginning of a game, viriformat has no more than 255.
            let last = if to == "binpack" { 19_999 } else { 255 + 19_999 - 2 * 8_192 };
            assert_eq!((labels.halfmoves[8_191], labels.halfmoves[19_999]), (8_191, last));
            // The command reads what it writes.
            assert_eq!(convert("long", &bytes, &format!("--from {to} --to fen")).ok().lines().count(), 20_000);
            bytes
        });
        assert!(sizes[0] == sizes[1], "{to}");
        if to == "viriformat" {
            assert_eq!(sizes[0].len(), 3 * 36 + 4 * 20_000);
        }
    }
}

/// What `analyze` keeps of games becomes the same records as the games themselves, in every format of tables: whether the rows have
/// the moves that led to positions or those that were played from them, and wherever blocks end.
#[test]
fn what_analyze_keeps_becomes_records() {
    let directory = directory("from analyze to records");
    let games = directory.join("games.pgn");
    // Some games have positions without scores, mates, and a first position of their own.
    fs::write(&games, many_games(700) + GAMES + &many_games(700)).expect("it can be written");
    let records = ["bulletformat", "marlinformat", "viriformat", "binpack", "csv"];
    let written = |input: &Path, to: &str, args: &str| {
        let output = directory.join(format!("out.{to}"));
        convert_into(input, &output, args);
        fs::read(&output).expect("it is there")
    };
    let direct = records.map(|to| written(&games, to, ""));
    let analyze = |table: &Path, keep: &str| {
        let mut command = command(&format!("analyze --what legal_moves --keep {keep}"));
        let run = finish(command.arg(&games).arg("-o").arg(table), "");
        assert_eq!(run.code, Some(0), "{run:?}");
    };
    for (moves, table) in
        [("uci", "csv"), ("uci", "jsonl"), ("uci", "parquet"), ("move", "parquet"), ("move", "csv"), ("move", "jsonl")]
            .into_iter()
            .chain(["next_uci", "next_move", "next_san"].map(|name| (name, "parquet")))
            .chain([("uci,next_uci", "csv"), ("san,uci,move", "jsonl")])
    {
        let table = directory.join(format!("table.{table}"));
        analyze(&table, &format!("fen,eval,mate,result,halfmove,fullmove,{moves}"));
        for (to, direct) in records.into_iter().zip(&direct) {
            for threads in [1, 3] {
                let found = written(&table, to, &format!("--score eval --threads {threads}"));
                // Chunks of a binpack end after whole blocks.
                let is_same = match to {
                    "binpack" => read(TrainingFormat::Binpack, &found) == read(TrainingFormat::Binpack, direct),
                    _ => found == *direct,
                };
                assert!(is_same, "{moves} of {} to {to}", table.display());
            }
        }
    }
    // Games that have a score for each position need no counters, and the last position of all has no row after it.
    fs::write(&games, many_games(40)).expect("it can be written");
    let table = directory.join("few.parquet");
    analyze(&table, "fen,eval,result,uci");
    for to in &records[2..4] {
        assert!(written(&table, to, "--score eval") == written(&games, to, ""), "{to}");
    }
}

#[test]
fn moves_that_led_to_positions_are_not_those_played_from_them() {
    let before = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    let after = ["4k3/8/8/8/4P3/8/8/4K3 b - -", "8/4k3/8/8/4P3/8/8/4K3 w - -"];
    let rows = |name: &str, moves: [&str; 3]| {
        let fens = [before, after[0], after[1]];
        let rows: Vec<String> = fens.iter().zip(moves).map(|(fen, mv)| format!("{fen},5,1,{mv}\n")).collect();
        format!("fen,score,result,{name}\n{}", rows.concat())
    };
    let moves = |run: Run| -> Vec<String> {
        run.ok().lines().skip(1).map(|row| row.rsplit(',').next().expect("a field").to_owned()).collect()
    };
    let to_csv = |text: String, args: &str| convert("led.csv", text, &format!("--to csv {args}"));
    for (name, of) in
        [("uci", ["", "e2e4", "e8e7"]), ("UCI", ["d8e8", "e2e4", "e8e7"]), ("move", ["0", "1804", "3388"])]
    {
        assert_eq!(moves(to_csv(rows(name, of), "")), ["e2e4", "e8e7", ""], "{name}");
    }
    for (name, of) in
        [("next_uci", ["e2e4", "e8e7", ""]), ("next_san", ["e4", "Ke7", ""]), ("next_move", ["1804", "3388", ""])]
    {
        assert_eq!(moves(to_csv(rows(name, of), "")), ["e2e4", "e8e7", ""], "{name}");
    }
    // Where rows are missing, nothing is known of the moves between.
    let every_other = rows("uci", ["", "e2e4", "e8e7"]).replace(&format!("{},5,1,e2e4\n", after[0]), "");
    assert_eq!(moves(to_csv(every_other.clone(), "")), ["", ""]);
    let run = convert("led.csv", every_other, "--to viriformat");
    assert!(run.stderr.ends_with("led.csv: left out 2 of 2 positions: 2 without a move\n"), "{run:?}");
    // Files of old have the moves that are played from positions.
    for (name, of, found) in [
        ("uci", ["e2e4", "e8e7", ""], "\"e2e4\""),
        ("move", ["1804", "3388", ""], "\"e2e4\""),
        ("uci", ["e4", "", ""], "\"e4\""),
    ] {
        for to in ["csv", "viriformat", "binpack"] {
            let run = convert("led.csv", rows(name, of), &format!("--to {to}"));
            let advice = match found {
                "\"e4\"" => String::new(),
                _ => format!(", which is played from it: name the column next_{name}, or add --move {name}"),
            };
            run.fails(&format!(
                "led.csv, line 2, field \"{name}\": expected the move that led to the position, found {found}{advice}\n"
            ));
        }
        assert_eq!(moves(to_csv(rows(name, of), &format!("--move {name}")))[0], "e2e4");
    }
    // Nor is what ends elsewhere, or is no move in UCI.
    for wrong in ["e2e3", "e4e2", "e2e4x", "e2", "e2e4 e8e7", "E2E4", "5000000"] {
        let run = to_csv(rows("uci", ["", wrong, ""]), "");
        run.fails(&format!(
            "led.csv, line 3, field \"uci\": expected the move that led to the position, found \"{wrong}\"\n"
        ));
    }
    // A later row tells it as well, and the rows before it are written.
    let run = to_csv(rows("uci", ["", "e8e7", ""]), "");
    run.fails("led.csv, line 3, field \"uci\": expected the move that led to the position, found \"e8e7\", which is");
    assert_eq!(run.stdout.lines().count(), 2);
    // Lines with nothing to say on moves are as before.
    assert_eq!(convert("led.csv", rows("uci", ["e2e4", "", ""]), "--to fen").ok().lines().count(), 3);
}

/// Games of Chess960: one whose king castles from e1 with a rook on f1, one from the usual squares, one that keeps all rights.
const CHESS960: &str = r#"[Variant "Chess960"]
[FEN "2kr4/7p/8/8/8/8/P7/1R2KR2 w FBd - 0 1"]
[Result "1-0"]

{ [%eval 0.10] } 1. a3 { [%eval 0.11] } h6 { [%eval 0.12] } 2. O-O { [%eval 0.13] } h5 { [%eval 0.14] } 3. Kh1 { [%eval 0.15] } 1-0

[Variant "Chess960"]
[FEN "r3k1r1/6pp/8/8/8/8/P7/R3K2R w KQqg - 0 1"]
[Result "0-1"]

{ [%eval 0.20] } 1. a3 { [%eval 0.21] } h6 { [%eval 0.22] } 2. O-O { [%eval 0.23] } O-O-O { [%eval 0.24] } 3. a4 { [%eval 0.25] } 0-1

[Result "1/2-1/2"]

{ [%eval 0.30] } 1. e4 { [%eval 0.31] } e5 { [%eval 0.32] } 1/2-1/2
"#;

/// A binpack has only castling from the usual squares, because its readers know no other.
#[test]
fn castling_of_chess960_is_left_out_of_a_binpack() {
    let directory = directory("Chess960 in a binpack");
    let games = directory.join("games.pgn");
    fs::write(&games, CHESS960).expect("it can be written");
    let viriformat = directory.join("games.viriformat");
    let messages = convert_into(&games, &viriformat, "");
    assert!(!messages.contains("castling"), "{messages}");
    for input in [&games, &viriformat] {
        let output = directory.join("games.binpack");
        let messages = convert_into(input, &output, "");
        let (name, binpack) = (input.display(), fs::read(&output).expect("it is there"));
        assert!(
            messages.contains(&format!(
                "slider-attacks: warning: {name}: 8 positions lost castling rights of Chess960, which a binpack cannot hold\n"
            )),
            "{messages}"
        );
        let reasons = if input == &games { "3 without a move, 1 with" } else { "1 with" };
        let (count, all) = if input == &games { (4, 15) } else { (1, 12) };
        let expected = format!("left out {count} of {all} positions: {reasons} castling that only Chess960 has\n");
        assert!(messages.ends_with(&expected), "{messages}");
        let (fens, labels) = read(TrainingFormat::Binpack, &binpack);
        let expected = [
            "2kr4/7p/8/8/8/8/P7/1R2KR2 w - -",
            "2kr4/7p/8/8/8/P7/8/1R2KR2 b - -",
            // Here, white castles.
            "2kr4/8/7p/8/8/P7/8/1R3RK1 b - -",
            "2kr4/8/8/7p/8/P7/8/1R3RK1 w - -",
            "r3k1r1/6pp/8/8/8/8/P7/R3K2R w KQq -",
            "r3k1r1/6pp/8/8/8/P7/8/R3K2R b KQq -",
            "r3k1r1/6p1/7p/8/8/P7/8/R3K2R w KQq -",
            "r3k1r1/6p1/7p/8/8/P7/8/R4RK1 b q -",
            "2kr2r1/6p1/7p/8/8/P7/8/R4RK1 w - -",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -",
        ];
        assert_eq!(fens, expected);
        assert_eq!(labels.scores, [10, 11, 13, 14, 20, 21, 22, 23, 24, 30, 31]);
        let moves: Vec<String> = labels.moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["a2a3", "h7h6", "h6h5", "g1h1", "a2a3", "h7h6", "e1h1", "e8a8", "a3a4", "e2e4", "e7e5"]);
        // What is left is written again as it is.
        let again = directory.join("again.binpack");
        assert_eq!(convert_into(&output, &again, ""), "");
        assert!(fs::read(again).expect("it is there") == binpack);
    }
}

const POSITION: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

#[test]
fn columns_are_named() {
    let rows =
        format!("fen,cp,mate,best,won\n{POSITION} 3 9,12,,e2e4,1\n{POSITION},,-2,Kd2,0.5\n{POSITION},-.5,0,,0.0\n");
    let args = "--score cp --result won --move best --to csv";
    let expected = "\
fen,score,result,halfmove,fullmove,next_uci
4k3/8/8/8/8/8/4P3/4K3 w - -,12,1-0,3,9,e2e4
4k3/8/8/8/8/8/4P3/4K3 w - -,-31998,1/2-1/2,,,e1d2
4k3/8/8/8/8/8/4P3/4K3 w - -,-1,0-1,,,
";
    assert_eq!(convert("named.csv", &rows, args).ok(), expected);
    assert_eq!(convert("named.csv.gz", gzip(rows.as_bytes()), args).ok(), expected);
    let run = convert("named.csv", &rows, "--score missing --to csv");
    run.fails("named.csv has no column \"missing\" to keep; its columns are fen, cp, mate, best, won");
    let json = format!("{{\"fen\":\"{POSITION}\",\"cp\":70000,\"Mate\":null,\"RESULT\":\"*\"}}\n");
    assert_eq!(convert("named.jsonl", &json, "--score cp --to epd").ok(), format!("{POSITION} ce 32767;\n"));
    convert("named.jsonl", &json, "--score x --to epd").fails("no record of");
    // Without a score, a mate counts; which side it is for, if it is on the board, the side to move tells.
    let mates = "fen,mate\n4k3/8/8/8/8/8/8/4K3 w - -,0\n4k3/8/8/8/8/8/8/4K3 b - -,0\n4k3/8/8/8/8/8/8/4K3 b - -,5.0\n";
    let rows: Vec<String> = convert("mates.csv", mates, "--to csv").ok().lines().skip(1).map(str::to_owned).collect();
    let scores: Vec<&str> = rows.iter().filter_map(|row| row.split(',').nth(1)).collect();
    assert_eq!(scores, ["-32000", "32000", "31995"]);
}

#[test]
fn numbers_of_parquet_are_values() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("fen", texts(&[POSITION, POSITION, POSITION])),
        ("cp", Arc::new(Int16Array::from(vec![Some(-5), None, Some(0)]))),
        ("mate", Arc::new(Float64Array::from(vec![None, Some(-2.0), Some(1.0)]))),
        // e2e4, none, Kd2.
        ("best", Arc::new(UInt64Array::from(vec![12 + 28 * 64, 0, 4 + 11 * 64]))),
        ("won", Arc::new(Float32Array::from(vec![0.5, 1.0, 0.0]))),
    ];
    let expected = "\
fen,score,result,halfmove,fullmove,next_uci
4k3/8/8/8/8/8/4P3/4K3 w - -,-5,1/2-1/2,,,e2e4
4k3/8/8/8/8/8/4P3/4K3 w - -,-31998,1-0,,,
4k3/8/8/8/8/8/4P3/4K3 w - -,0,0-1,,,e1d2
";
    let table = parquet("convert-numbers.parquet", columns);
    let args = ["--score", "cp", "--result", "won", "--move", "best", "--to", "csv"];
    assert_eq!(finish(command("convert").arg(table).args(args), "").ok(), expected);
}

/// Some programs store text as bytes.
#[test]
fn bytes_of_parquet_are_text() {
    let bytes = |value: &str| Arc::new(BinaryArray::from(vec![value.as_bytes()])) as ArrayRef;
    let columns = vec![("fen", bytes("4k3/8/8/8/8/8/8/4K3 w - -")), ("score", bytes("10")), ("result", bytes("1-0"))];
    let path = parquet("bytes.parquet", columns);
    let run = finish(command("convert --to text").arg(&path), "");
    assert_eq!(run.ok(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 10 | 1.0\n");
}

/// Before an error, the games so far are written, as lines are.
#[test]
fn games_before_a_mistake_are_written() {
    let games = many_games(3) + "[Result \"1-0\"]\n\n1. e4 Ke4 1-0\n";
    for to in ["viriformat", "binpack"] {
        let input = file("convert-before.pgn", games.as_bytes());
        let written = |action: &str| {
            let run = command(&format!("convert --to {to} --on-error {action}")).arg(&input).output();
            let run = run.expect("the command can be run");
            (run.status.code(), run.stdout)
        };
        let (code, skipped) = written("skip");
        assert!(code == Some(0) && skipped.len() > 64, "{to}");
        assert_eq!(written("fail"), (Some(1), skipped), "{to}");
    }
}

#[test]
fn games_in_tables_and_positions_after_moves() {
    let games = "movetext,Result\n\"1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.1] } 1-0\",0-1\n";
    let expected = "\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 | 20 | 1.0
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 | 30 | 1.0
";
    let run = convert("games.csv", games, "--column movetext --to text --from-ply 1 --to-ply 2");
    assert_eq!(run.ok(), expected);
    // What the text says of the position before the move, it does not say of that after it.
    let puzzle = "FEN,Moves,Rating\n4k3/8/8/8/8/8/8/4K3 w - - 7 9,e1e2 e8e7,1500\n";
    let run = convert("puzzle.csv", puzzle, "--after-first-move --to csv");
    assert_eq!(run.ok(), "fen,score,result,halfmove,fullmove,next_uci\n4k3/8/8/8/8/8/4K3/8 b - -,,,,,\n");
    let evals = "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 b - -\",\"evals\":[{\"pvs\":[{\"cp\":5}]}]}\n\
                 {\"fen\":\"4k3/8/8/8/8/8/8/4K3 b - -\",\"evals\":[{\"pvs\":[{\"mate\":5}]}]}\n";
    let args = "--score evals.0.pvs.0.cp --mate evals.0.pvs.0.mate --to epd";
    let expected = "4k3/8/8/8/8/8/8/4K3 b - - ce -5;\n4k3/8/8/8/8/8/8/4K3 b - - ce -31995;\n";
    assert_eq!(convert("evals.jsonl", evals, args).ok(), expected);
}

/// Except for castling of Chess960, which the sample has.
#[test]
fn a_binpack_is_written_again_as_it_was() {
    let sample = include_bytes!("../../../tests/data/sample.binpack");
    let directory = directory("a binpack again");
    let [once, twice] = ["once.binpack", "twice.binpack"].map(|name| directory.join(name));
    let messages = convert_into(&file("convert-sample.binpack", sample), &once, "");
    let (fens, labels) = read(TrainingFormat::Binpack, sample);
    let (mut kept, mut left_out, mut lost) = (Vec::new(), 0, 0);
    for (at, fen) in fens.iter().enumerate() {
        let mut board: Board = fen.parse().expect("it is FEN");
        let (has_lost, mv) = (binpack::drop_rights(&mut board), labels.moves[at]);
        if board.clone().play(mv).is_err() {
            left_out += 1;
            continue;
        }
        lost += usize::from(has_lost);
        let fen = board.to_string();
        kept.push((fen[..fen.len() - " 0 1".len()].to_owned(), labels.scores[at], labels.outcomes[at], mv));
    }
    assert!(lost > 100 && left_out > 3, "{lost} of {}, {left_out} left out", fens.len());
    assert!(messages.contains(&format!(" {lost} positions lost castling rights of Chess960, ")), "{messages}");
    let reason = format!("left out {left_out} of {} positions: {left_out} with castling", fens.len());
    assert!(messages.contains(&reason), "{messages}");
    let bytes = fs::read(&once).expect("it is there");
    let (fens, labels) = read(TrainingFormat::Binpack, &bytes);
    let labels = labels.scores.iter().zip(&labels.outcomes).zip(&labels.moves);
    let found: Vec<_> =
        fens.into_iter().zip(labels).map(|(fen, ((score, outcome), mv))| (fen, *score, *outcome, *mv)).collect();
    assert!(found == kept);
    // Nothing more is lost.
    assert_eq!(convert_into(&once, &twice, ""), "");
    assert!(fs::read(twice).expect("it is there") == bytes);
}

#[test]
fn lines_say_more_than_positions() {
    let lines = "\
4k3/8/8/8/8/8/8/4K3 b - - 7 30 | -12 | 0.5
4k3/8/8/8/8/8/8/4K3 b - - ce 40; id \"a; ce 1;\"; c9 \"0-1\";
4k3/8/8/8/8/8/8/4K3 b - - hmvc 3; fmvn 8; c9 \"no result\"; bm Kd7
4k3/8/8/8/8/8/8/4K3 b - -|5
4k3/8/8/8/8/8/8/4K3 w - - 5
4k3/8/8/8/8/8/8/4K3 w - - 0 1; perft 1 = 6
4k3/8/8/8/8/8/8/4K3 w - - 2 9 ;D1 5 ;ce 7
4k3/8/8/8/8/8/8/4K3 w - - 3; a \"comment\"
4k3/8/8/8/8/8/8/4K3 w - -;ce 5; bm Kd2;
4k3/8/8/8/8/8/8/4K3 w - -; bm Kd2; c9 \"1-0\";
";
    let expected = "\
fen,score,result,halfmove,fullmove,next_uci
4k3/8/8/8/8/8/8/4K3 b - -,-12,1/2-1/2,7,30,
4k3/8/8/8/8/8/8/4K3 b - -,-40,0-1,,,
4k3/8/8/8/8/8/8/4K3 b - -,,,3,8,
4k3/8/8/8/8/8/8/4K3 b - -,5,,,,
4k3/8/8/8/8/8/8/4K3 w - -,,,5,,
4k3/8/8/8/8/8/8/4K3 w - -,,,0,1,
4k3/8/8/8/8/8/8/4K3 w - -,7,,2,9,
4k3/8/8/8/8/8/8/4K3 w - -,,,3,,
4k3/8/8/8/8/8/8/4K3 w - -,5,,,,
4k3/8/8/8/8/8/8/4K3 w - -,,1-0,,,
";
    let lines = lines.replace("- -|5", "- - |5");
    assert_eq!(convert("lines.epd", lines, "--to csv").ok(), expected);
}

#[test]
fn values_that_are_none_are_malformed() {
    let csv = |row: &str| {
        format!(
            "fen,score,result,halfmove,next_uci\n{POSITION},1,1-0,0,e2e3\n{POSITION},{row}\n{POSITION},2,0-1,0,e2e4\n"
        )
    };
    for (row, message) in [
        ("x,1-0,0,e2e4", "field \"score\": expected centipawns, or a mate such as #-3, found \"x\""),
        ("inf,1-0,0,e2e4", "field \"score\": expected centipawns, or a mate such as #-3, found \"inf\""),
        ("#x,1-0,0,e2e4", "field \"score\": expected centipawns, or a mate such as #-3, found \"#x\""),
        ("1,2-0,0,e2e4", "field \"result\": expected 1-0, 1/2-1/2, 0-1, 1, 0.5 or 0, found \"2-0\""),
        ("1,1-0,65536,e2e4", "field \"halfmove\": expected a number from 0 to 65535, found \"65536\""),
        ("1,1-0,-1,e2e4", "field \"halfmove\": expected a number from 0 to 65535, found \"-1\""),
        ("1,1-0,0,e2e5", "field \"next_uci\": expected a legal move, found \"e2e5\""),
        ("1,1-0,0,zz", "field \"next_uci\": expected a move, found \"zz\""),
        ("1,1-0,0,8", "field \"next_uci\": expected a legal move, found \"8\""),
        ("1,1-0,0,65536", "field \"next_uci\": expected a move, found \"65536\""),
    ] {
        let run = convert("wrong.csv", csv(row), "--to csv");
        assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
        run.fails(&format!("wrong.csv, line 3, {message}\n"));
        let run = convert("wrong.csv", csv(row), "--to csv --on-error skip");
        assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 3), "{run:?}");
        assert!(run.stderr.contains("skipped: ") && run.stderr.contains(message), "{run:?}");
        assert!(run.stderr.ends_with("wrong.csv: skipped 1 of 3 positions: malformed\n"), "{run:?}");
    }
    for (line, message) in [
        ("| x | 1.0", "score: expected centipawns, found \"x\""),
        ("| 5 | 2", "result: expected 1-0, 1/2-1/2, 0-1, 1.0, 0.5 or 0.0, found \"2\""),
        ("0 70000", "moves: expected a number from 0 to 65535, found \"70000\""),
        ("ce x;", "ce: expected centipawns, found \"x\""),
    ] {
        convert("wrong.epd", format!("{POSITION} {line}\n"), "--to fen")
            .fails(&format!("wrong.epd, line 1, {message}\n"));
    }
    let many = "rnbqkbnr/pppppppp/8/8/P7/8/PPPPPPPP/RNBQKBNR w - - 0 1 | 0 | 0.5\n";
    assert_eq!(convert("many.epd", many, "--to fen").code, Some(0));
    convert("many.epd", many, "--to marlinformat").fails("line 1, expected at most 32 pieces, found 33\n");
    convert("many.epd", many, "--to bulletformat").fails("line 1, expected at most 32 pieces, found 33\n");
    let row =
        |mv: &str| format!("fen,score,result,next_uci\nrnbqkbnr/pppppppp/8/8/P7/8/PPPPPPPP/RNBQKBNR w - -,0,0,{mv}\n");
    convert("many.csv", row("a4a5"), "--to binpack").fails("line 2, expected at most 32 pieces, found 33\n");
    // Messages are in the order of the lines, whoever finds the mistakes.
    let mixed = format!("fen,score\n{POSITION},x\nnonsense,1\n{POSITION},y\n{POSITION},3\n");
    let run = convert("mixed.csv", mixed, "--to text --on-error skip");
    let lines: Vec<&str> = run.stderr.lines().filter_map(|line| line.split(", ").nth(1)).collect();
    assert_eq!(lines, ["line 2", "line 3", "line 4"], "{run:?}");
    assert!(run.stderr.contains("skipped 3 of 4 positions: malformed\n"), "{run:?}");
    assert!(run.stderr.ends_with("left out 1 of 1 positions: 1 without a result\n"), "{run:?}");
}

#[test]
fn no_output_is_half_written() {
    let directory = directory("half of a conversion");
    let wrong = directory.join("wrong.csv");
    fs::write(
        &wrong,
        format!(
            "fen,score,result,next_uci\n{}{POSITION},x,1-0,e2e4\n",
            format!("{POSITION},1,1-0,e2e4\n").repeat(9_000)
        ),
    )
    .expect("it can be written");
    for to in ALL {
        let output = directory.join(format!("old.{to}"));
        fs::write(&output, "old").expect("it can be written");
        let args = format!("--to {to} -o");
        let run = finish(command("convert").arg(&wrong).args(args.split(' ')).arg(&output), "");
        run.fails("line 9002, field \"score\": expected centipawns");
        assert_eq!(fs::read_to_string(&output).expect("it is there"), "old", "{to}");
        fs::remove_file(output).expect("it can be removed");
    }
    let names: Vec<_> =
        fs::read_dir(&directory).expect("it is there").map(|entry| entry.map(|it| it.file_name())).collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_part_of_the_input_is_converted() {
    let games = file("convert-part.pgn", many_games(60).as_bytes());
    let to = |format: &str, args: &str| {
        finish(command("convert").arg(&games).args(["--to", format]).args(args.split(' ')), "")
    };
    let all = to("fen", "--threads 2").ok();
    for limit in [0, 1, 17, 500] {
        let some = to("fen", &format!("--limit {limit}")).ok();
        assert_eq!(some.lines().count(), limit);
        assert!(all.starts_with(&some));
    }
    // Positions that are left out count.
    let run = convert("part-2.pgn", GAMES, "--to text --limit 5");
    assert_eq!(run.stdout.lines().count(), 3);
    assert!(run.stderr.ends_with("left out 2 of 5 positions: 2 without a score\n"), "{run:?}");
    assert_eq!(
        convert("part-2.pgn", GAMES, "--to csv --limit 0").ok(),
        "fen,score,result,halfmove,fullmove,next_uci\n"
    );
    let shards: String = (1..=5).map(|number| to("fen", &format!("--shard {number}/5")).ok()).collect();
    assert!(shards == all);
    let run = finish(command("convert --to csv --shard 2/2").arg(file("convert-one.epd", POSITION.as_bytes())), "");
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("fen,score,result,halfmove,fullmove,next_uci\n", "note: shard 2/2 is empty\n")
    );
    // The move that was played is known even if the position after it is not read.
    let run = convert("part-2.pgn", GAMES, "--to csv --from-ply 1 --to-ply 5 --every 3");
    let moves: Vec<String> =
        run.ok().lines().skip(1).map(|row| row.rsplit(',').next().expect("a field").to_owned()).collect();
    assert_eq!(moves, ["e7e5", "f1b5", "e8c8"]);
    let variations = "1. e4 (1. d4 d5 (1... Nf6) 2. c4) (1. c4) 1... e5 2. Nf3 *";
    let run = convert("variations.pgn", variations, "--to csv --variations");
    let moves: Vec<String> =
        run.ok().lines().skip(1).map(|row| row.rsplit(',').next().expect("a field").to_owned()).collect();
    // The positions at the beginning and after e4, d4, d5, Nf6, c4, c4, e5, Nf3. Variations do not change what was played.
    assert_eq!(moves, ["e2e4", "e7e5", "d7d5", "c2c4", "", "", "", "g1f3", ""]);
    let run = convert("games.pgn", GAMES, "--to fen --games Result=1-0");
    assert_eq!(run.ok().lines().count(), 7);
}

#[test]
fn inputs_of_several_formats_become_one() {
    let directory = directory("several formats");
    fs::write(directory.join("a.pgn"), GAMES).expect("it can be written");
    fs::write(directory.join("b.csv"), format!("score,fen\n7,{POSITION}\n")).expect("it can be written");
    fs::write(directory.join("c.epd"), format!("{POSITION} 5 6\n")).expect("it can be written");
    fs::write(directory.join("d.jsonl"), format!("{{\"fen\":\"{POSITION}\",\"next_uci\":\"e2e4\"}}\n"))
        .expect("it can be written");
    let run = finish(command("convert --to csv").arg(&directory), "").ok();
    let rows: Vec<&str> = run.lines().skip(11).collect();
    let expected = [",7,,,,", ",,,5,6,", ",,,,,e2e4"].map(|rest| format!("{POSITION}{rest}"));
    assert_eq!(rows, expected);
    // The output in the directory is not read.
    let output = directory.join("e.csv");
    for _ in 0..2 {
        convert_into(&directory, &output, "");
        assert_eq!(fs::read_to_string(&output).expect("it is there"), run);
    }
}

#[test]
fn a_wrong_command_line() {
    for (args, message) in [
        ("convert", "<FILE|--files-from <LIST>>"),
        ("convert a.pgn", "cannot infer the format from standard output: add --to"),
        ("convert a.pgn -o -", "cannot infer the format from standard output: add --to"),
        ("convert a.pgn -o a.txt", "unknown output extension: use fen, epd, csv, jsonl, parquet, bulletformat"),
        ("convert a.pgn -o a", "unknown output extension"),
        ("convert a.pgn -o a.npy", "NumPy arrays have attack sets, not positions: use `analyze --format npy`"),
        ("convert a.pgn -o a.csv.gz", "compressed output is not supported"),
        ("convert a.pgn --to npy", "[possible values: fen, epd, text, csv, jsonl, parquet, bulletformat, marlinformat"),
        ("convert a.pgn --to fen --on-error null", "[possible values: fail, skip]"),
        ("convert a.pgn --to fen --from-ply 3 --to-ply 2", "--to-ply is before --from-ply"),
        ("convert a.pgn --to fen --threads 0", "0 is not in 1..=256"),
    ] {
        let run = run(args, "");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(message), "{args}: {}", run.stderr);
    }
    run("convert missing.pgn --to fen", "").fails("cannot open missing.pgn");
}

#[test]
fn nothing_is_read_of_nothing() {
    let directory = directory("nothing to convert");
    for to in ALL {
        let output = directory.join(to);
        let run = finish(command(&format!("convert - --to {to} -o")).arg(&output), "");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), "note: no positions in standard input\n"), "{to}");
        assert_eq!(fs::metadata(output).expect("it is there").len() > 0, ["csv", "parquet"].contains(&to), "{to}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_and_a_closed_pipe() {
    let games = file("convert-full.pgn", many_games(3_000).as_bytes());
    for to in ALL {
        let run = finish(command(&format!("convert --to {to} -o /dev/full")).arg(&games), "");
        run.fails("error: cannot write /dev/full: No space left on device (os error 28)\n");
        let mut command = command(&format!("convert --to {to}"));
        let mut child = command.arg(&games).stdout(std::process::Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        assert!(child.wait().expect("it ends").success(), "{to}");
    }
}
