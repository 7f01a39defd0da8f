//! `--each-move`: the rows are those of the library's moves, and of the positions after them.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, StringArray};
use serde_json::{Value, json};
use slider_attacks::Backend;
use slider_attacks::moves::Moves;
use slider_attacks::position::Positions;

use crate::analyze::{analyze, json, parquet, read_parquet};
use crate::{Run, command, directory, file, finish, peak, start, wait, zstd};

/// A position with the most moves of any in a game; one with many more queens; mate, stalemate; castling in chess and Chess960,
/// en passant, promotions; a check to the side that is not to move.
const POSITIONS: [&str; 10] = [
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -",
    "QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/Q1k3KQ/QQQQQQQQ w - -",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -",
    "7k/5Q2/6K1/8/8/8/8/8 b - -",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -",
    "1rk1r3/8/8/8/8/8/8/2K5 b eb -",
    "4k3/8/8/8/4pP2/8/8/4K3 b - f3",
    "3nk3/2P5/8/8/8/8/8/4K3 w - -",
    "4k3/8/8/8/8/8/8/4RK2 w - -",
    "5k2/8/8/8/8/8/8/RK6 b A -",
];

/// Products with all kinds of columns but those that are long.
const WHAT: &str = "--what boards,maps,forks,legal_moves,keys";

/// What `--each-move` makes of rows that `analyze` wrote as JSON lines without it, which have the position in `fen` or are null.
/// Columns of products are those that `analyze` finds for the positions after the moves.
fn expected(rows: &[Value], args: &str) -> Vec<Value> {
    let (mut found, mut fens) = (Vec::new(), String::new());
    for row in rows {
        if row["legal_moves"].is_null() {
            found.push(with(row, "move", Value::Null));
            continue;
        }
        for (mv, fen) in after(row["fen"].as_str().unwrap()) {
            found.push(with(row, "move", mv.into()));
            writeln!(fens, "{fen}").unwrap();
        }
    }
    let products =
        if fens.is_empty() { String::new() } else { analyze(&format!("- {args} --format jsonl"), fens).ok() };
    let products = json(&products);
    let mut rest = products.iter();
    for row in found.iter_mut().filter(|row| !row["move"].is_null()) {
        let products = rest.next().unwrap().as_object().unwrap().iter();
        products.filter(|(name, _)| *name != "line").for_each(|(name, value)| row[name] = value.clone());
    }
    assert!(rest.next().is_none());
    found
}

/// A row with one more field.
fn with(row: &Value, name: &str, value: Value) -> Value {
    let mut row = row.clone();
    row[name] = value;
    row
}

/// The legal moves of a position, and the positions after them.
fn after(fen: &str) -> Vec<(String, String)> {
    let (mut positions, mut moves, mut after) = (Positions::new(), Moves::new(), Positions::new());
    positions.push_fen(fen.as_bytes()).unwrap();
    Backend::active().moves(&positions, &mut moves);
    Backend::active().after(&positions, &moves, &mut after).unwrap();
    moves
        .as_slice()
        .iter()
        .enumerate()
        .map(|(at, &mv)| (mv.encode_uci(&mut [0; 5]).to_owned(), after.fen(at)))
        .collect()
}

/// Compares what `analyze FILE ARGS --each-move` writes with what it writes without, for several numbers of threads and blocks that
/// end anywhere. `fen` is among the columns to keep. Returns the rows.
fn check(path: &Path, args: &str) -> Vec<Value> {
    let run = |more: &str| {
        let args = format!("{args} {WHAT} --format jsonl {more}");
        finish(command("analyze").arg(path).args(args.split_whitespace()), "")
    };
    let plain = run("");
    let wanted = expected(&json(&plain.stdout), WHAT);
    for (threads, bytes) in [(1, 1 << 20), (3, 1 << 20), (1, 100), (3, 1_000)] {
        let found = run(&format!("--each-move --threads {threads} --block-bytes {bytes}"));
        let rows = json(&found.stdout);
        for (at, (found, wanted)) in rows.iter().zip(&wanted).enumerate() {
            assert_eq!(found, wanted, "{path:?} {args}, row {at}, {threads} threads");
        }
        assert_eq!(rows.len(), wanted.len(), "{path:?} {args}, {threads} threads");
        assert_eq!((found.code, found.stderr), (plain.code, plain.stderr.clone()), "{path:?} {args}");
    }
    wanted
}

/// A file of these positions as CSV. Some repeat.
fn table() -> String {
    let rows = POSITIONS.iter().cycle().take(40).enumerate();
    rows.fold("fen,id,note\n".to_owned(), |text, (row, fen)| text + &format!("{fen},{row},\"a, \"\"b\"\"\"\n"))
}

#[test]
fn all_formats_give_the_moves_of_the_library() {
    let lines = POSITIONS.join("\n") + "\n";
    let rows = check(&file("each-move.epd", lines.as_bytes()), "--keep fen");
    assert_eq!(rows.iter().filter(|row| row["line"] == 1).count(), 218);
    assert!(rows.iter().filter(|row| row["line"] == 2).count() > 218);
    assert!(rows.iter().all(|row| row["line"] != 3 && row["line"] != 4));
    // Castling is written as in the columns of games.
    let moves = |line: u64| -> HashSet<&str> {
        rows.iter().filter(|row| row["line"] == line).map(|row| row["move"].as_str().unwrap()).collect()
    };
    assert!(moves(5).contains("e1g1") && moves(5).contains("e1c1") && !moves(5).contains("e1h1"));
    assert!(moves(6).contains("c8b8") && moves(6).contains("c8e8"));
    assert!(moves(7).contains("e4f3") && moves(8).contains("c7d8n"));
    let columns: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert!(columns.contains(&&"move".to_owned()));

    check(&file("each-move.csv", table().as_bytes()), "--keep all");
    check(&file("each-move.csv.zst", &zstd(table().as_bytes())), "--keep note,fen");
    let objects: String =
        POSITIONS.iter().map(|fen| json!({"x": [1, {"y": null}], "fen": fen}).to_string() + "\n").collect();
    check(&file("each-move.jsonl", objects.as_bytes()), "--keep all");
    check(&file("each-move.jsonl", objects.as_bytes()), "--keep x.1,fen,x");
    let data = |name: &str| PathBuf::from("../tests/data").join(name);
    let keep = "--keep game,ply,san,uci,next_uci,eval,clk,result,White,fen";
    check(&data("games.pgn"), keep);
    check(&data("games.pgn"), &format!("{keep} --variations --every 3"));
    check(&data("sample.epd"), "--keep fen");
    check(&data("sample.binpack"), "--keep score,result,next_uci,fen");
    for (format, keep) in
        [("viriformat", "score,next_move,fen"), ("bulletformat", "score,fen"), ("marlinformat", "all")]
    {
        let path = directory(format).join(format!("each-move.{format}"));
        finish(command("convert").arg(data("sample.binpack")).arg("-o").arg(&path), "");
        check(&path, &format!("--keep {keep}"));
    }
    // Columns of Parquet keep their types.
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..POSITIONS.len() as i64));
    let fens: ArrayRef = Arc::new(StringArray::from(POSITIONS.to_vec()));
    let path = parquet("each-move.parquet", vec![("id", ids), ("fen", fens)]);
    let rows = check(&path, "--keep all");
    let output = directory("each-move").join("rows.parquet");
    let args = ["--each-move", "--keep", "id", "--what", "maps", "-o"];
    finish(command("analyze").arg(&path).args(args).arg(&output), "").ok();
    let table = read_parquet(&output);
    let schema = table.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["line", "move", "id", "white_attacks", "black_attacks"]);
    assert_eq!((table.num_rows(), table["id"].data_type().to_string()), (rows.len(), "Int64".to_owned()));
    let moves = table["move"].as_string::<i32>();
    assert!((0..rows.len()).all(|row| rows[row]["move"] == moves.value(row)));
}

#[test]
fn a_long_game_is_read_in_parts() {
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(150);
    let game = format!("[White \"A\"]\n\n{moves}e4 (d4 d5) e5 Ke2 Qh4 Nf3 Qxe4# 1-0\n\n");
    let path = file("each-move-long.pgn", (game + "[White \"B\"]\n\ne4 *\n").as_bytes());
    for more in ["", "--variations", "--from-ply 250 --to-ply 590"] {
        let rows = check(&path, &format!("--keep ply,result,next_san,White,fen {more}"));
        assert!(rows.len() > 300 * 20);
    }
}

#[test]
fn malformed_records_are_left_out_or_have_one_row() {
    let lines: String = POSITIONS.iter().enumerate().fold("x\n".to_owned(), |text, (at, fen)| {
        text + &format!("{fen}\n") + if at % 3 == 0 { "4k3/8 w\nKk w\n" } else { "" }
    });
    let path = file("each-move-malformed.epd", lines.as_bytes());
    for on_error in ["skip", "null", "report"] {
        let rows = check(&path, &format!("--keep fen --on-error {on_error}"));
        let nulls: Vec<&Value> = rows.iter().filter(|row| row["move"].is_null()).collect();
        assert_eq!(nulls.len(), if on_error == "skip" { 0 } else { 9 });
        assert!(nulls.iter().all(|row| row["white_attacks"].is_null() && row["legal_moves"].is_null()));
        assert!(nulls.iter().all(|row| row["error"].is_string() == (on_error == "report")));
    }
    // What comes before the first malformed record has been written.
    let args = |more: &str| format!("- --what maps {more}");
    let good = POSITIONS[0].to_owned() + "\n";
    let run = analyze(&args("--each-move"), good.clone() + "x\n" + &good);
    run.fails("line 2, column 1");
    assert_eq!(run.stdout.lines().count(), 1 + 218);
    // In a game, positions come before what is wrong with it.
    let games = "1. e4 e5 2. Nf9 *\n\n1. d4 *\n\n1. d4 Ke7 *\n";
    for on_error in ["skip", "null", "report"] {
        check(&file("each-move-malformed.pgn", games.as_bytes()), &format!("--keep ply,fen --on-error {on_error}"));
    }
    let run = analyze("- --each-move --on-error skip", "x\n");
    assert_eq!((run.code, run.stderr.lines().count()), (Some(1), 2), "{run:?}");
}

#[test]
fn the_limit_counts_positions_that_are_read() {
    let lines: String = POSITIONS
        .iter()
        .enumerate()
        .map(|(at, fen)| format!("{fen}\n{}", if at % 2 == 0 { "x\n" } else { "" }))
        .collect();
    let path = file("each-move-limit.epd", lines.repeat(3).as_bytes());
    let games = file("each-move-limit.pgn", "1. e4 e5 2. Nf9 *\n\n1. d4 *\n\n".repeat(3).as_bytes());
    for limit in (0..=12).chain([29, 30, 31, 100]) {
        for on_error in ["skip", "null"] {
            check(&path, &format!("--keep fen --on-error {on_error} --limit {limit}"));
            check(&games, &format!("--keep ply,fen --on-error {on_error} --limit {limit}"));
        }
    }
}

/// Runs `summarize` and returns its rows.
fn summarize(path: &Path, args: &str) -> Run {
    finish(command("summarize").arg(path).args(args.split_whitespace()).args(["--format", "jsonl"]), "")
}

#[test]
fn sums_are_those_of_the_positions_after_the_moves() {
    let path = file("each-move-sums.csv", table().as_bytes());
    let rows = check(&path, "--keep fen,id");
    // The positions after the moves, with the columns of the keys.
    let mut text = "fen,id,move\n".to_owned();
    for row in &rows {
        let all = after(row["fen"].as_str().unwrap());
        let (mv, fen) = all.iter().find(|(mv, _)| row["move"] == *mv).unwrap();
        writeln!(text, "{fen},{},{mv}", row["id"].as_str().unwrap()).unwrap();
    }
    let after = file("each-move-after.csv", text.as_bytes());
    for args in ["", "--by id", "--by phase,side", "--by move", "--by id:7,move,side"] {
        let args = format!("{args} --what counts,legal_moves");
        let expected = summarize(&after, &args).ok();
        for threads in [1, 3] {
            for bytes in [100, 1 << 20] {
                let more = format!("--each-move --threads {threads} --block-bytes {bytes}");
                assert_eq!(summarize(&path, &format!("{args} {more}")).ok(), expected, "{args}");
            }
        }
    }
    let first = summarize(&path, "--each-move --limit 1 --what legal_moves").ok();
    assert_eq!(json(&first)[0]["positions"], 218);
}

#[test]
fn the_column_of_moves_has_its_name_alone() {
    let csv = "fen,move\n4k3/8/8/8/8/8/8/4K3 w - -,a\n";
    let pgn = "[White \"A\"]\n\n1. e4 *\n";
    for (input, keep) in [(csv, "move"), (pgn, "move"), (pgn, "all")] {
        let run = analyze(&format!("- --each-move --keep {keep} -o x.csv"), input);
        run.fails("cannot keep column \"move\": the output already has a column of that name");
        assert_eq!(analyze(&format!("- --keep {keep}"), input).code, Some(0));
    }
    let json = "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"move\":1}\n";
    assert_eq!(analyze("- --each-move --keep all --format jsonl", json).code, Some(1));
    assert_eq!(analyze("- --keep all --format jsonl", json).code, Some(0));
}

#[test]
fn numpy_arrays_have_moves_of_five_letters() {
    let output = directory("each-move-npy").join("out");
    let lines = POSITIONS.join("\n");
    analyze(&format!("- --each-move --what maps,boards --format npy -o {}", output.display()), lines.as_str()).ok();
    let bytes = std::fs::read(output.join("move.npy")).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'descr': '<U5'"));
    let text = |row: &[u8]| row.chunks(4).map(|letter| char::from(letter[0])).collect::<String>();
    let found: Vec<String> = bytes[128..].chunks(20).map(|row| text(row).trim_end_matches('\0').to_owned()).collect();
    let csv = analyze("- --each-move --what maps --no-header", lines).ok();
    let expected: Vec<&str> = csv.lines().map(|line| line.split(',').nth(1).unwrap()).collect();
    assert_eq!(found, expected);
    assert!(std::fs::read(output.join("castling.npy")).unwrap()[..128].windows(4).any(|part| part == b"<U4'"));
}

/// Positions with hundreds of moves, long texts to keep of each, and long games with positions of their own.
#[test]
fn many_moves_take_little_memory() {
    let long = "x".repeat(300_000);
    let lines = |fen: &str, more: &str, rows: usize| format!("{fen} {more}\n").repeat(rows);
    let object = json!({"fen": POSITIONS[0], "x": long}).to_string() + "\n";
    let game = format!("[Note \"{}\"]\n\n{}*\n", "y".repeat(1_000), "Nf3 Nf6 Ng1 Ng8 ".repeat(1_000));
    for (name, text, args) in [
        ("most.epd", lines(POSITIONS[0], "", 10_000), "--what maps"),
        ("queens.epd", lines(POSITIONS[1], "", 100), "--what boards,threats,maps,counts"),
        ("long.epd", lines(POSITIONS[0], &long, 3), "--keep fen --what maps"),
        ("long.jsonl", object, "--keep all --format jsonl"),
        ("long.pgn", game, "--keep Note,fen,next_uci --variations --what legal_moves"),
    ] {
        let path = file(&format!("each-move-{name}"), text.as_bytes());
        for threads in [1, 8] {
            let mut run = command("analyze");
            run.arg(&path).args(args.split_whitespace()).args(["--each-move", "--threads", &threads.to_string()]);
            let (mut child, input) = start(&mut run);
            drop(input);
            let mut output = child.stdout.take().unwrap();
            let reading = std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()).unwrap());
            let mut most = 0;
            while child.try_wait().unwrap().is_none() {
                most = most.max(peak(child.id()).unwrap_or(0));
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            let run = wait(child);
            let bytes = reading.join().unwrap();
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{name}");
            assert!(most < 200 << 10, "{name}: {most} KiB with {threads} threads, for {bytes} bytes");
        }
    }
}
