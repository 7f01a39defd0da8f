//! `--where`: the rows are those for which a condition holds, of any input, and in the order of the options.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array};

use crate::analyze::{parquet, read_parquet, texts};
use crate::convert::many_games;
use crate::unique::{column, inputs, on};
use crate::{Run, command, directory, file, finish, run};

/// Runs a command on a file with a condition.
fn chosen(path: &Path, name: &str, condition: &str, args: &str) -> Run {
    finish(command(name).arg(path).args(["--where", condition]).args(args.split_whitespace()), "")
}

/// The rows that a command wrote, and how many it says that it left out.
fn rows_and_left_out(run: &Run) -> (Vec<&str>, usize) {
    assert_eq!(run.code, Some(0), "{run:?}");
    let left_out = run.stderr.lines().find_map(|line| line.split_once(": left out ")?.1.split(' ').next());
    let count = left_out.map_or(0, |count| count.parse().expect("a number"));
    (run.stdout.lines().collect(), count)
}

/// A number in the last columns of a row of CSV, counted from the end.
fn number(row: &str, from_end: usize) -> u64 {
    let text = row.rsplit(',').nth(from_end).expect("a column");
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).expect("a set"),
        None => text.parse().expect("a number"),
    }
}

/// Keys, the number of legal moves, and what Black attacks; and a condition on them, as the command has it and as Rust has it.
const WHAT: &str = "--what maps,legal_moves,keys";
const CONDITION: &str = "legal_moves > 25 and black_attacks & ranks(5) or legal_moves < 6";

fn holds(row: &str) -> bool {
    let (moves, attacks) = (number(row, 3), number(row, 4));
    moves > 25 && attacks & 0xff << 32 != 0 || moves < 6
}

#[test]
fn rows_are_those_for_which_the_condition_holds() {
    for path in inputs("where") {
        let column = column(&path);
        let all = on(&path, "analyze", &format!("{WHAT} {column}")).stdout;
        let mut expected: Vec<&str> = all.lines().take(1).collect();
        expected.extend(all.lines().skip(1).filter(|row| holds(row)));
        let left_out = all.lines().count() - expected.len();
        assert!(expected.len() > 10 && left_out > 10, "{}: {}", path.display(), expected.len());
        for args in ["--threads 1", "--threads 8", "--threads 3 --block-bytes 999"] {
            let run = chosen(&path, "analyze", CONDITION, &format!("{WHAT} {column} {args}"));
            assert!(rows_and_left_out(&run) == (expected.clone(), left_out), "{} {args}", path.display());
            assert!(run.stderr.ends_with("positions: the condition does not hold\n"), "{run:?}");
        }
        // With any products, and with none of those that the condition names.
        let run = chosen(&path, "analyze", CONDITION, &format!("--what forks {column}"));
        assert_eq!(rows_and_left_out(&run).0.len(), expected.len());
    }
}

#[test]
fn limits_and_keys_count_the_rows_that_are_left() {
    for path in inputs("where and unique") {
        let column = column(&path);
        let all = on(&path, "analyze", &format!("{WHAT} {column}")).stdout;
        let mut seen = HashSet::new();
        let left: Vec<&str> = all.lines().skip(1).filter(|row| holds(row)).collect();
        let first: Vec<&str> = left.iter().copied().filter(|row| seen.insert(number(row, 2))).collect();
        for (options, expected) in [("", &left), ("--unique", &first)] {
            for limit in [0, 1, 5, expected.len() - 1, expected.len(), expected.len() + 1] {
                let found = [1, 2, 8].map(|threads| {
                    chosen(
                        &path,
                        "analyze",
                        CONDITION,
                        &format!("{WHAT} {column} {options} --limit {limit} --threads {threads}"),
                    )
                });
                assert_eq!(found[0].code, Some(0), "{found:?}");
                assert!(found[0].stdout.lines().skip(1).eq(expected.iter().copied().take(limit)), "{}", path.display());
                assert!(found[1..].iter().all(|run| *run == found[0]), "{} {limit}: {found:?}", path.display());
            }
        }
        let run = chosen(&path, "analyze", CONDITION, &format!("{WHAT} {column} --unique"));
        assert!(run.stderr.ends_with("positions: the condition does not hold, or repeated\n"), "{run:?}");
        let parts = [1, 2].map(|part| {
            chosen(&path, "analyze", CONDITION, &format!("{WHAT} {column} --key-shard {part}/2")).stdout.lines().count()
                - 1
        });
        assert_eq!(parts.iter().sum::<usize>(), left.len());
    }
}

#[test]
fn rows_after_moves_have_the_move() {
    const MOVES: [&str; 4] = ["e7e5", "d7d5", "c7c5", "b7b5"];
    for path in inputs("where each move") {
        let column = column(&path).replace("--keep all", "").replace("--keep fen", "");
        let first = on(&path, "analyze", &format!("--each-move {WHAT} {column} --limit 150")).stdout;
        let is_wanted = |row: &&str| holds(row) && MOVES.contains(&row.split(',').nth(1).expect("the move"));
        let expected: Vec<&str> = first.lines().skip(1).filter(is_wanted).collect();
        let condition = format!("({CONDITION}) and move in (\"{}\")", MOVES.join("\", \""));
        let all = chosen(&path, "analyze", &condition, &format!("--each-move {WHAT} {column}"));
        let (rows, left_out) = rows_and_left_out(&all);
        assert!(!expected.is_empty() && rows[1..].starts_with(&expected) && left_out > 0, "{}", path.display());
        for threads in [1, 2, 8] {
            let args = format!("--each-move {WHAT} {column} --threads {threads} --block-bytes 5000");
            assert!(chosen(&path, "analyze", &condition, &args) == all, "{} {threads}", path.display());
        }
    }
}

const CSV: &str = "fen,elo,eco,White Name\n\
    4k3/8/8/8/8/8/8/R3K3 w Q -,1200,B20,a\n\
    4k3/4r3/8/8/8/8/4Q3/4K3 w - -,900,C42,b\n\
    4k3/4r3/8/8/8/8/4Q3/4K3 b - -,?,B21,c\n";

#[test]
fn values_of_any_input_are_compared() {
    let csv = file("where.csv", CSV.as_bytes());
    let rows: Vec<Vec<&str>> = CSV.lines().map(|line| line.split(',').collect()).collect();
    let json: String = rows[1..]
        .iter()
        .map(|row| {
            let elo = if row[1] == "?" { "null" } else { row[1] };
            format!(
                "{{\"fen\":\"{}\",\"elo\":{elo},\"eco\":\"{}\",\"White Name\":\"{}\",\"x\":[{{\"y\":{elo}}}]}}\n",
                row[0], row[2], row[3]
            )
        })
        .collect();
    let json = file("where.jsonl", json.as_bytes());
    let all = |column: usize| -> Vec<&str> { rows[1..].iter().map(|row| row[column]).collect() };
    let table = parquet(
        "where.parquet",
        vec![
            ("fen", texts(&all(0))),
            ("elo", Arc::new(Int32Array::from(vec![Some(1200), Some(900), None])) as ArrayRef),
            ("eco", texts(&all(2))),
            ("White Name", texts(&all(3))),
            ("rate", Arc::new(Float64Array::from(vec![0.25, -0.5, f64::NAN])) as ArrayRef),
            ("good", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])) as ArrayRef),
            ("day", Arc::new(Date32Array::from(vec![0, 1, 20_000])) as ArrayRef),
        ],
    );
    for (condition, lines, paths) in [
        ("elo >= 900", "1,2", vec![&csv, &json, &table]),
        ("not elo >= 900", "3", vec![&csv, &json, &table]),
        ("elo < 1000 or eco = \"B21\"", "2,3", vec![&csv, &json, &table]),
        ("starts_with(eco, \"B\") and white_rooks", "1", vec![&csv, &json, &table]),
        ("`White Name` in (\"b\", \"c\")", "2,3", vec![&csv, &json, &table]),
        ("ELO = 900", "2", vec![&csv, &json, &table]),
        ("starts_with(fen, \"4k3/4r3\") and turn = white", "2", vec![&csv, &json, &table]),
        ("either(black_pinned & black_queens)", "2,3", vec![&csv, &json, &table]),
        ("x.0.y = 900", "2", vec![&json]),
        ("rate < 0.3", "1,2", vec![&table]),
        ("good = true", "1", vec![&table]),
        ("day >= \"2000\" and day < \"2025\"", "3", vec![&table]),
    ] {
        for path in paths {
            let first = if path == &csv { 2 } else { 1 };
            let expected: Vec<String> =
                lines.split(',').map(|line| (line.parse::<usize>().unwrap() + first - 1).to_string()).collect();
            for keep in ["", "--keep eco", "--keep eco,elo"] {
                let run = chosen(path, "analyze", condition, &format!("--what legal_moves {keep}"));
                let (rows, _) = rows_and_left_out(&run);
                let found: Vec<&str> = rows[1..].iter().map(|row| row.split(',').next().unwrap()).collect();
                assert_eq!(found, expected, "{condition} of {} {keep}", path.display());
                // What only the condition needs is not written.
                let names = keep.strip_prefix("--keep ").map_or(String::new(), |names| format!("{names},"));
                assert_eq!(rows[0], format!("line,{names}legal_moves"));
                assert!(rows.iter().all(|row| row.split(',').count() == rows[0].split(',').count()));
            }
        }
    }
    // All fields, and no field twice.
    let kept = chosen(&json, "analyze", "x.0.y = 900 and elo > 0", "--what status --keep all --format jsonl");
    let all = on(&json, "analyze", "--what status --keep all --format jsonl").ok();
    assert_eq!(kept.stdout.lines().collect::<Vec<_>>(), [all.lines().nth(1).unwrap()]);
    let output = directory("where-table").join("out.parquet");
    let run = chosen(&table, "analyze", "elo = 900 and good = false", &format!("--keep day -o {}", output.display()));
    assert_eq!(run.code, Some(0), "{run:?}");
    let names: Vec<String> = read_parquet(&output).schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["line", "day", "white_attacks", "black_attacks"]);
}

#[test]
fn games_and_records_have_their_columns() {
    let games = file("where.pgn", many_games(60).as_bytes());
    let rows = on(&games, "analyze", "--what legal_moves --keep ply,next_uci,result").ok();
    let expected: Vec<&str> = rows
        .lines()
        .filter(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            cells[0] == "line" || cells[1].parse::<u32>().unwrap() >= 4 && cells[2].starts_with("e2")
        })
        .collect();
    let run = chosen(
        &games,
        "analyze",
        "ply >= 4 and starts_with(next_uci, \"e2\")",
        "--what legal_moves --keep ply,next_uci,result",
    );
    assert_eq!(rows_and_left_out(&run).0, expected);
    // A move that is played can be looked up among the legal ones.
    let captures = chosen(&games, "analyze", "move_captures", "--what pieces --keep next_uci");
    let quiet = chosen(&games, "analyze", "not move_captures", "--what pieces --keep next_uci");
    assert_eq!(rows_and_left_out(&captures).1, rows_and_left_out(&quiet).0.len() - 1);
    let records = directory("where-formats");
    for (to, condition) in [
        ("binpack", "abs(score) < 100 and result = \"1-0\" and not move_captures"),
        ("viriformat", "score > 100 and halfmove = 0 and next_move > 0"),
        ("marlinformat", "score < 0 and count(occupied) > 10 and fullmove > 3"),
        ("bulletformat", "result in (\"1-0\", \"0-1\") and starts_with(fen, \"r\")"),
    ] {
        let path = records.join(format!("sample.{to}"));
        on(Path::new("../tests/data/sample.binpack"), "convert", &format!("-o {}", path.display()));
        let outputs =
            [1, 2, 8].map(|threads| chosen(&path, "analyze", condition, &format!("--keep score --threads {threads}")));
        let (rows, left_out) = rows_and_left_out(&outputs[0]);
        assert!(rows.len() > 1 && left_out > 0, "{condition}");
        assert!(outputs.iter().all(|output| *output == outputs[0]));
    }
}

#[test]
fn records_are_left_out_as_rows_of_a_table_are() {
    let directory = directory("where-records-and-rows");
    let sample = Path::new("../tests/data/sample.binpack");
    let without_line = |rows: &str| -> Vec<String> {
        rows.lines().map(|row| row.split_once(',').expect("a line").1.to_owned()).collect()
    };
    for to in ["binpack", "viriformat"] {
        let path = directory.join(format!("records.{to}"));
        on(sample, "convert", &format!("-o {}", path.display()));
        let table = directory.join(format!("{to}.csv"));
        on(&path, "convert", &format!("-o {}", table.display()));
        for condition in [
            "abs(score) < 600 and not in_check and not move_captures",
            "result = \"1-0\" or Score > 100 and turn = black",
            "not move_captures and not move_promotes",
            "fullmove - halfmove > 20 and starts_with(result, \"0\") and white_attacks & center",
            "either(black_to_move and count(occupied) > 4) and halfmove in (0, 1, 2)",
            "score > 100000",
        ] {
            for args in ["", "--limit 7", "--unique", "--unique --key-shard 1/2"] {
                let args = format!("--what keys,maps --keep score,next_uci {args}");
                let expected = chosen(&table, "analyze", condition, &args);
                let (expected, left_out) = (without_line(&expected.stdout), rows_and_left_out(&expected).1);
                for threads in [1, 8] {
                    let run = chosen(&path, "analyze", condition, &format!("{args} --threads {threads}"));
                    assert!(without_line(&run.stdout) == expected, "{to}: {condition} {args}");
                    assert!(args.contains("--limit") || rows_and_left_out(&run).1 == left_out, "{to}: {condition}");
                }
            }
            // One thread decodes the records as they come.
            let expected = chosen(&table, "attacks", condition, "--format csv");
            let run = chosen(&path, "attacks", condition, "--format csv");
            assert!(without_line(&run.stdout) == without_line(&expected.stdout), "{to}: {condition}");
            assert_eq!(rows_and_left_out(&run).1, rows_and_left_out(&expected).1, "{to}: {condition}");
        }
    }
}

#[test]
fn sums_and_conversions_are_those_of_the_rows_that_are_left() {
    let games = file("where sums.pgn", many_games(200).as_bytes());
    let condition = "white_attacks & center and ply > 2";
    let fens = chosen(&games, "convert", condition, "--to fen").stdout;
    let epd = file("where sums.epd", fens.as_bytes());
    let expected = on(&epd, "summarize", "--what counts --by phase,side --format csv").ok();
    for threads in [1, 2, 8] {
        let args = format!("--what counts --by phase,side --format csv --threads {threads}");
        let run = chosen(&games, "summarize", condition, &args);
        assert_eq!((run.code, &run.stdout), (Some(0), &expected));
    }
    let keep = "fen,eval,result,halfmove,fullmove,next_uci";
    let rows = chosen(&games, "analyze", condition, &format!("--what keys --keep {keep}")).stdout;
    let expected: Vec<String> =
        rows.lines().skip(1).map(|row| row.split(',').skip(1).take(6).collect::<Vec<_>>().join(",")).collect();
    let directory = directory("where-records");
    for to in ["csv", "jsonl", "parquet", "viriformat", "binpack", "marlinformat", "epd", "text"] {
        let outputs = [1, 2, 8].map(|threads| {
            let output = directory.join(format!("{threads}.{to}"));
            let run =
                chosen(&games, "convert", condition, &format!("--to {to} --threads {threads} -o {}", output.display()));
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(run.stderr.contains("the condition does not hold\n"), "{run:?}");
            fs::read(output).expect("it is there")
        });
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{to}");
    }
    let csv = fs::read_to_string(directory.join("1.csv")).unwrap();
    assert!(csv.lines().skip(1).eq(expected.iter().map(String::as_str)));
    // Which columns a conversion finds does not depend on those of the condition.
    let other = chosen(&games, "convert", "eval = eval or ply >= 0", "--to csv").stdout;
    assert_eq!(other, on(&games, "convert", "--to csv").stdout);
}

/// The header, and the rows of the games that have a wanted row. The first cell of a row is the number of its game.
fn of_games<'t>(rows: &'t str, is_wanted: &dyn Fn(&str) -> bool) -> Vec<&'t str> {
    let game = |row: &'t str| row.split(',').next().unwrap();
    let games: HashSet<&str> = rows.lines().skip(1).filter(|row| is_wanted(row)).map(game).collect();
    rows.lines().take(1).chain(rows.lines().skip(1).filter(|row| games.contains(game(row)))).collect()
}

#[test]
fn games_are_those_with_a_position_for_which_the_condition_holds() {
    let games = "--games-where";
    for path in inputs("games where") {
        let column = column(&path);
        let what = format!("{WHAT} {column}");
        let all = on(&path, "analyze", &what).stdout;
        let run_on = |condition: &str, args: &str| {
            finish(command("analyze").arg(&path).args([games, condition]).args(args.split_whitespace()), "")
        };
        let has_games = path.to_string_lossy().contains("pgn") || column.contains("movetext");
        if !has_games {
            run_on("white", &what).fails("has no games: --games, --games-where, --variations");
            continue;
        }
        let most = if column.contains("movetext") { 30 } else { 38 };
        let (is_wanted, many) = (|row: &str| number(row, 3) > most, format!("legal_moves > {most}"));
        let expected = of_games(&all, &is_wanted);
        let left_out = all.lines().count() - expected.len();
        assert!(expected.len() > 10 && left_out > 10, "{}: {left_out}", path.display());
        for args in ["--threads 1", "--threads 8", "--threads 3 --block-bytes 999"] {
            let run = run_on(&many, &format!("{what} {args}"));
            assert!(rows_and_left_out(&run) == (expected.clone(), left_out), "{} {args}", path.display());
            assert!(run.stderr.ends_with("no position of the game meets the condition on games\n"), "{run:?}");
        }
        for limit in [1, 30, expected.len() - 1] {
            let run = run_on(&many, &format!("{what} --limit {limit} --threads 2"));
            assert!(run.stdout.lines().eq(expected.iter().copied().take(1 + limit)), "{} {limit}", path.display());
        }
        // Of these games, the rows for which another condition holds, each once.
        let mut seen = HashSet::new();
        let rows = expected.iter().skip(1).filter(|row| holds(row) && seen.insert(number(row, 2)));
        let rows: Vec<&str> = expected.iter().take(1).chain(rows).copied().collect();
        let run = finish(
            command("analyze")
                .arg(&path)
                .args([games, &many, "--where", CONDITION, "--unique"])
                .args(what.split_whitespace()),
            "",
        );
        assert!(rows_and_left_out(&run).0 == rows, "{}", path.display());
    }
}

#[test]
fn long_games_are_chosen_by_their_last_position() {
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(400);
    let text = |last: &str| format!("[White \"a\"]\n\n{shuffle}{last} *\n\n");
    let games = file("long games.pgn", [text("e4"), text("d4"), text("e4 e5")].concat().as_bytes());
    for (name, args) in [
        ("analyze", "--each-move --what legal_moves --from-ply 1590 --keep ply"),
        ("analyze", "--what legal_moves,moves --keep ply"),
        ("convert", "--to fen"),
        ("summarize", "--format csv"),
    ] {
        let of = |condition: &str, threads: usize| {
            let args = args.split_whitespace();
            let threads = threads.to_string();
            let mut command = command(name);
            let command = command.arg(&games).args(["--games-where", condition, "--threads", &threads]).args(args);
            finish(command, "")
        };
        let expected = on(&file("long game.pgn", text("d4").as_bytes()), name, args).ok();
        // The number of the game is another one.
        let renamed = |rows: &str| rows.replace("\n1,", "\n2,");
        let of_rows = |rows: &str| if name == "analyze" { renamed(rows) } else { rows.to_owned() };
        for threads in [1, 4] {
            let run = of("white_pawns & d4", threads);
            assert!(run.stdout == of_rows(&expected), "{name} {args}");
            assert!(run.stderr.contains("no position of the game meets the condition on games\n"), "{run:?}");
        }
    }
}

#[test]
fn attack_sets_are_those_of_the_positions_that_are_left() {
    let is_of_lines =
        |path: &&PathBuf| ["repeated.epd", "repeated.csv", "repeated.jsonl"].iter().any(|name| path.ends_with(name));
    for path in inputs("where attacks").iter().filter(is_of_lines) {
        let lines = |rows: &str| rows.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned()).collect();
        let taken: HashSet<String> = lines(&chosen(path, "analyze", CONDITION, "--what status").stdout);
        let all = on(path, "attacks", "--format csv").ok();
        let is_taken = |row: &&str| row.starts_with("line") || taken.contains(row.split(',').next().unwrap());
        let expected: Vec<&str> = all.lines().filter(is_taken).collect();
        let run = chosen(path, "attacks", CONDITION, "--format csv");
        let (rows, left_out) = rows_and_left_out(&run);
        assert!(left_out > 10 && rows == expected, "{}", path.display());
    }
    let csv = file("where attacks.csv", CSV.as_bytes());
    assert_eq!(rows_and_left_out(&chosen(&csv, "attacks", "elo > 1000", "--format csv")).0.len(), 2);
    chosen(&csv, "attacks", "piece = \"R\"", "").fails(
        "where attacks.csv has no column \"piece\" for the condition; its columns are fen, elo, eco, White Name\n",
    );
    let games = file("where attacks.pgn", b"[White \"a\"]\n\n1. e4 *\n".as_slice());
    chosen(&games, "attacks", "square = \"a1\"", "").fails("no record has \"square\" for the condition\n");
}

#[test]
fn malformed_records_are_errors_whatever_the_condition() {
    let text = format!(
        "{}bad\n",
        CSV.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned() + "\n").collect::<String>()
    );
    let path = file("where bad.epd", text.repeat(50).as_bytes());
    for threads in [1, 2, 8] {
        let args = |more: &str| format!("--what status --threads {threads} {more}");
        chosen(&path, "analyze", "white_rooks", &args("")).fails("where bad.epd, line 4, ");
        let skipped = chosen(&path, "analyze", "white_rooks", &args("--on-error skip"));
        assert_eq!((skipped.stdout.lines().count(), skipped.skipped().1), (1 + 50, 50));
        for on_error in ["null", "report"] {
            let kept = chosen(&path, "analyze", "white_rooks", &args(&format!("--on-error {on_error}")));
            assert_eq!((kept.code, kept.stdout.lines().count()), (Some(0), 1 + 50 + 50));
        }
    }
}

#[test]
fn integers_of_64_bits_are_compared_as_such() {
    let ids =
        [9_007_199_254_740_991_i64, 9_007_199_254_740_992, 9_007_199_254_740_993, i64::MAX, -9_007_199_254_740_993];
    let fen = "4k3/8/8/8/8/8/8/4K3 w - -";
    let csv: String = ids.iter().map(|id| format!("{fen},{id},{}\n", id - 1)).collect();
    let csv = file("where ids.csv", format!("fen,id,before\n{csv}").as_bytes());
    let json: String =
        ids.iter().map(|id| format!("{{\"fen\":\"{fen}\",\"id\":{id},\"before\":{}}}\n", id - 1)).collect();
    let json = file("where ids.jsonl", json.as_bytes());
    let of = |ids: &[i64]| Arc::new(Int64Array::from(ids.to_vec())) as ArrayRef;
    let before = ids.map(|id| id - 1);
    let table =
        parquet("where ids.parquet", vec![("fen", texts(&[fen; 5])), ("id", of(&ids)), ("before", of(&before))]);
    for path in [csv, json, table] {
        for (condition, places) in [
            ("id = 9007199254740992", vec![1]),
            ("9007199254740993 <= id", vec![2, 3]),
            ("id in (9007199254740993, 5, -9007199254740993)", vec![2, 4]),
            ("id < 9007199254740993 and id > 0", vec![0, 1]),
            ("id != 9223372036854775807", vec![0, 1, 2, 4]),
            ("id > before", vec![0, 1, 2, 3, 4]),
            ("before = id", vec![]),
        ] {
            let run = chosen(&path, "analyze", condition, "--what status --keep id");
            let found: Vec<i64> =
                run.stdout.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().parse().unwrap()).collect();
            let expected: Vec<i64> = places.iter().map(|&place| ids[place]).collect();
            assert_eq!(found, expected, "{condition} of {}", path.display());
        }
    }
}

#[test]
fn what_is_wrong_with_a_condition_is_a_usage_error() {
    let usage = |args: &[&str], message: &str| {
        let run = finish(command(args[0]).args(&args[1..]), "");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(message), "{message}: {run:?}");
    };
    for name in ["analyze", "summarize", "convert", "attacks"] {
        let message = "column 1: unknown set `white_pined`: did you mean `white_pinned`?";
        usage(&[name, "--where", "white_pined & e4"], message);
        usage(&[name, "--where", "ply > 1 ?"], "column 9: unexpected character '?'");
        usage(&[name, "--where", ""], "column 1: expected a condition, found none");
    }
    for name in ["analyze", "summarize", "convert"] {
        usage(&[name, "--games-where", "e4 & white_pined"], "--games-where <CONDITION>': column 6: ");
    }
    // Of a long text, the part around the place is shown.
    let long = format!("{}white_pined & e4{}", "white_pawns and ".repeat(400), " and black_pawns".repeat(400));
    let run = finish(command("analyze").args(["--where", &long]), "");
    assert!(run.stderr.contains("and white_pined & e4 and black") && run.stderr.len() < 700, "{}", run.stderr);
    assert!(run.stderr.contains("': column 6401: unknown set `white_pined`"), "{}", run.stderr);
    let message = "move_captures, move_promotes and move_checks are about the move played next";
    usage(&["analyze", "--each-move", "--where", "move_checks"], message);
    usage(&["summarize", "--each-move", "--where", "white or move_captures"], message);
}

#[test]
fn a_column_that_no_input_has_is_an_error() {
    let csv = file("where names.csv", CSV.as_bytes());
    let message = "where names.csv has no column \"mobilty\" for the condition (did you mean `mobility`?); its columns are fen, elo, eco, White Name\n";
    chosen(&csv, "analyze", "mobilty > 1", "").fails(message);
    let fens = run("convert - --to fen", CSV).stdout;
    let fens = file("where names.epd", fens.as_bytes());
    chosen(&fens, "summarize", "elo > 1", "")
        .fails("where names.epd has no column \"elo\" for the condition; its columns are fen\n");
    let records = Path::new("../tests/data/sample.binpack");
    chosen(records, "convert", "scroe > 1", "--to fen")
        .fails("sample.binpack has no column \"scroe\" for the condition");
    let games = file("where names.pgn", b"[White \"a\"]\n[WhiteElo \"1\"]\n\n1. e4 *\n".as_slice());
    for (condition, message) in [
        ("WhitElo > 1", "where names.pgn: no record has \"WhitElo\" for the condition; did you mean \"WhiteElo\"?\n"),
        (
            "white_pined = 1",
            "where names.pgn: no record has \"white_pined\" for the condition; did you mean \"white_pinned\"?\n",
        ),
        ("ply > 1 and Quite > 1", "where names.pgn: no record has \"Quite\" for the condition\n"),
    ] {
        for (name, args) in [("analyze", ""), ("summarize", ""), ("convert", "--to fen")] {
            chosen(&games, name, condition, args).fails(message);
        }
        // Other games may have it.
        assert_eq!(chosen(&games, "analyze", condition, "--limit 0").code, Some(0));
    }
    // What games have, but these do not.
    assert_eq!(chosen(&games, "analyze", "eval > 1 or clk > 1", "").code, Some(0));
    let json = file("where names.jsonl", b"{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"rating\":1}\n".as_slice());
    chosen(&json, "analyze", "ratng > 1", "")
        .fails("no record has \"ratng\" for the condition; did you mean \"rating\"?\n");
    // Records that are left out before they become positions have it.
    let scores = file("where-scores.jsonl", b"{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"score\":1}\n".as_slice());
    let (condition, path) = ("not move_captures and score > 100", scores.display().to_string());
    assert_eq!(chosen(records, "analyze", condition, &path).code, Some(0));
    // Where others may have it, that is a warning.
    let run = chosen(&json, "analyze", "ratng > 1", "--shard 1/1");
    assert!(run.warning().ends_with("no record has \"ratng\" for the condition; did you mean \"rating\"?"));
    let outputs = directory("where-outputs");
    let run = chosen(&json, "analyze", "ratng > 1", &format!("--output-dir {}", outputs.display()));
    assert!(run.warning().ends_with("no record has \"ratng\" for the condition; did you mean \"rating\"?"));
    // Output files appear only for whole runs.
    let output = directory("where-nothing").join("out.csv");
    chosen(&json, "analyze", "ratng > 1", &format!("-o {}", output.display())).fails("ratng");
    assert!(!output.exists());
}

#[test]
fn tables_of_games_have_the_columns_of_both() {
    let moves = ["e4 e5 Nf3", "d4 d5", "e4 c5"];
    let csv = format!(
        "movetext,elo\n{}",
        moves.iter().zip([5, 6, 7]).map(|(text, elo)| format!("{text},{elo}\n")).collect::<String>()
    );
    let csv = file("where games.csv", csv.as_bytes());
    let table = parquet(
        "where games.parquet",
        vec![("movetext", texts(&moves)), ("elo", Arc::new(Int32Array::from(vec![5, 6, 7])) as ArrayRef)],
    );
    let lines: String =
        moves.iter().zip([5, 6, 7]).map(|(text, elo)| format!("{{\"movetext\":\"{text}\",\"elo\":{elo}}}\n")).collect();
    let json = file("where games.jsonl", lines.as_bytes());
    for path in [csv, table, json] {
        for (keep, expected) in [("", ""), ("--keep elo,uci", "7,c7c5")] {
            let args = format!("--column movetext --what legal_moves {keep}");
            let run = chosen(&path, "analyze", "ply = 2 and elo > 5 and uci = \"c7c5\"", &args);
            let (rows, _) = rows_and_left_out(&run);
            let cells: Vec<&str> = rows[1].split(',').collect();
            assert_eq!((rows.len(), cells[1..cells.len() - 1].join(",").as_str()), (2, expected), "{}", path.display());
        }
    }
}

#[test]
fn settings_of_tables_have_the_condition() {
    let output = directory("where-settings").join("out.parquet");
    let csv = file("where settings.csv", CSV.as_bytes());
    let run = chosen(&csv, "analyze", "elo = 900", &format!("-o {}", output.display()));
    assert_eq!(run.code, Some(0), "{run:?}");
    let bytes = fs::read(&output).unwrap();
    assert!(bytes.windows(9).any(|part| part == b"elo = 900"));
}

/// The questions of the page have the numbers that it says. Python's tests compare these with python-chess.
#[test]
fn questions_have_the_numbers_of_the_page() {
    let page = include_str!("../../../docs/where.md");
    let mut questions = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |")) {
        // A bar within a cell is written with a backslash.
        let line = line.replace("\\|", "\u{0}");
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect();
        let [_, _, condition, number, _] = cells.as_slice() else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        let run = chosen(Path::new("../tests/data/tour.pgn"), "analyze", condition.trim_matches('`'), "--what pieces");
        let (rows, _) = rows_and_left_out(&run);
        assert_eq!(rows.len() - 1, number, "{condition}");
        assert!(number > 0, "{condition}");
        questions += 1;
    }
    assert_eq!(questions, 25);
}

#[test]
fn conditions_see_the_board_as_it_is() {
    for path in inputs("where_perspective") {
        let args = format!("--what moves --notation uci --perspective mover {}", column(&path));
        let condition = "black_to_move and black_attacks & ranks(5)";
        let (seen, usual) =
            (chosen(&path, "analyze", condition, &args), chosen(&path, "analyze", condition, column(&path)));
        let ((rows, left_out), (others, same)) = (rows_and_left_out(&seen), rows_and_left_out(&usual));
        assert_eq!((rows.len(), left_out), (others.len(), same), "{}", path.display());
        assert!(rows.len() > 10 && left_out > 10, "{}", path.display());
    }
}
