//! `--unique` and `--key-shard`: positions that are taken once, or in one of several parts.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use slider_attacks::analysis::KeyKind;

use crate::analyze::{parquet, positions, texts};
use crate::convert::many_games;
use crate::{Run, command, directory, file, finish, gzip, zstd};

/// Runs a command on a file. Blanks separate the arguments.
pub fn on(file: &Path, name: &str, args: &str) -> Run {
    finish(command(name).arg(file).args(args.split_whitespace()), "")
}

/// What `analyze` writes for a file with the keys of all positions, and how many it leaves out.
fn analyze(file: &Path, args: &str) -> (Vec<String>, usize) {
    let run = on(file, "analyze", &format!("--what keys {args}"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let (rows, messages): (Vec<String>, Vec<&str>) =
        (run.stdout.lines().map(str::to_owned).collect(), run.stderr.lines().collect());
    let left_out = match messages.as_slice() {
        [] => 0,
        [message] => {
            let (count, all) =
                message.rsplit_once(": left out ").expect("the number").1.split_once(" of ").expect("of all");
            let (all, reason) = all.split_once(" positions: ").expect("all of them");
            let unique = args.contains("--unique").then_some("repeated");
            let shard = args.contains("--key-shard").then_some("in other shards");
            let reasons: Vec<&str> = unique.into_iter().chain(shard).collect();
            assert_eq!(reason, reasons.join(" or "));
            let count = count.parse().expect("a number");
            assert_eq!(all.parse(), Ok(rows.len() - 1 + count), "{message}");
            count
        }
        _ => panic!("{messages:?}"),
    };
    (rows, left_out)
}

/// The rows of those with the same key that come first, with the header. The keys are the last columns.
fn first(rows: &[String], kind: KeyKind) -> Vec<String> {
    let column = rows[0].rsplit(',').position(|name| name == format!("{kind}_key")).expect("it is there");
    let mut seen = HashSet::new();
    let key = |row: &String| row.rsplit(',').nth(column).expect("a key").to_owned();
    rows.iter().filter(|row| seen.insert(key(row))).cloned().collect()
}

/// Files of all kinds in which positions occur several times, in a directory of this name.
pub fn inputs(test: &str) -> Vec<PathBuf> {
    directory(test);
    let path = |name: &str| format!("{test}/{name}");
    let games = many_games(400);
    let lines: Vec<&str> = positions().into_iter().cycle().take(1500).collect();
    let epd: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let fens: Vec<String> = lines.iter().map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect();
    let csv = fens.iter().fold("id,fen\n".to_owned(), |text, fen| text + "7," + fen + "\n");
    let json: String = fens.iter().map(|fen| format!("{{\"fen\":\"{fen}\"}}\n")).collect();
    // A line that has a block of its own, which only one thread at a time reads.
    let long = epd.clone() + lines[3] + &" ".repeat(700 << 10) + "\n" + &epd;
    let moves = ["e4 e5 Nf3 Nc6 Bc4", "e4 e5 Bc4 Nc6 Nf3", "d4 d5", "e4 e5 Nf3"].repeat(50);
    let table = moves.iter().fold("movetext\n".to_owned(), |text, moves| text + moves + "\n");
    let fens: Vec<&str> = fens.iter().map(String::as_str).collect();
    vec![
        file(&path("repeated.pgn"), games.as_bytes()),
        file(&path("repeated.pgn.zst"), &zstd(games.as_bytes())),
        file(&path("repeated.epd"), epd.as_bytes()),
        file(&path("repeated.epd.gz"), &gzip(epd.as_bytes())),
        file(&path("long.epd"), long.as_bytes()),
        file(&path("repeated.csv"), csv.as_bytes()),
        file(&path("repeated.jsonl"), json.as_bytes()),
        parquet(&path("repeated.parquet"), vec![("fen", texts(&fens))]),
        parquet(&path("games.parquet"), vec![("movetext", texts(&moves))]),
        file(&path("games.csv"), table.as_bytes()),
    ]
}

/// The arguments that such a file needs, and columns to keep.
pub fn column(path: &Path) -> &'static str {
    let name = path.file_name().expect("a name").to_str().expect("a text");
    match name.split_once('.').expect("an extension") {
        ("games", _) => "--column movetext --keep all",
        (_, "pgn" | "pgn.zst" | "parquet" | "csv") => "--keep all",
        _ => "--keep fen",
    }
}

#[test]
fn the_first_of_equal_positions_is_taken() {
    for path in inputs("unique first") {
        let column = column(&path);
        let all = analyze(&path, column).0;
        for kind in KeyKind::ALL {
            let expected = first(&all, kind);
            assert!(expected.len() < all.len() / 2, "{}", path.display());
            let all_args =
                ["--threads 3 --block-bytes 999", "--threads 16", "--threads 16 --block-bytes 64", "--threads 1"];
            // The set of keys is the same for each kind.
            let count = if kind == KeyKind::Position { all_args.len() } else { 1 };
            for args in &all_args[..count] {
                let (rows, left_out) = analyze(&path, &format!("{column} --unique={kind} {args}"));
                assert!(rows == expected, "{} {kind} {args}", path.display());
                assert_eq!(left_out, all.len() - expected.len());
            }
        }
        assert_eq!(analyze(&path, &format!("{column} --unique")).0, first(&all, KeyKind::Position));
    }
}

#[test]
fn inputs_are_one_sequence() {
    let path = directory("unique in a directory");
    for (name, from) in [("a.epd", 0), ("b.epd", 20), ("c.epd", 10)] {
        let lines: String = positions()[from..from + 30].iter().map(|line| format!("{line}\n")).collect();
        fs::write(path.join(name), lines).expect("it can be written");
    }
    let all = analyze(&path, "").0;
    for threads in [1, 16] {
        assert_eq!(analyze(&path, &format!("--unique --threads {threads}")).0, first(&all, KeyKind::Position));
    }
}

#[test]
fn the_limit_counts_positions_that_are_taken() {
    for path in inputs("unique limit") {
        let column = column(&path);
        let expected = first(&analyze(&path, column).0, KeyKind::Position);
        for limit in [0, 1, 2, 17, expected.len() - 2, expected.len() - 1, expected.len()] {
            let found = [1, 2, 16].map(|threads| {
                on(&path, "analyze", &format!("--what keys {column} --unique --limit {limit} --threads {threads}"))
            });
            assert_eq!(found[0].code, Some(0));
            assert!(found[0].stdout.lines().eq(expected.iter().take(limit + 1)), "{} {limit}", path.display());
            assert!(found[1..].iter().all(|run| *run == found[0]), "{} {limit}: {found:?}", path.display());
        }
    }
}

#[test]
fn each_position_is_in_one_part() {
    for path in inputs("unique parts") {
        let column = column(&path);
        let all = analyze(&path, column).0;
        for (unique, expected) in [("", all.clone()), ("--unique=canonical", first(&all, KeyKind::Canonical))] {
            let parts = [1, 2, 3].map(|part| analyze(&path, &format!("{column} {unique} --key-shard {part}/3")).0);
            assert!(parts.iter().all(|rows| rows.len() > 1 && rows[0] == all[0]), "{}", path.display());
            let mut together: Vec<&String> = parts.iter().flat_map(|rows| &rows[1..]).collect();
            together.sort_unstable();
            let mut expected: Vec<&String> = expected[1..].iter().collect();
            expected.sort_unstable();
            assert_eq!(together, expected, "{} {unique}", path.display());
        }
        let whole = analyze(&path, &format!("{column} --key-shard 1/1"));
        assert_eq!(whole, (all, 0));
    }
}

#[test]
fn too_many_positions_are_an_error_at_the_first_without_room() {
    let path = file("crowded.epd", positions().iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes());
    let rows = first(&analyze(&path, "").0, KeyKind::Position);
    // Room for all but three.
    let most = rows.len() - 1 - 3;
    let args = format!("--what keys --unique --unique-memory {}", 12 * most);
    let line = rows[1 + most].split(',').next().expect("a line");
    let output = directory("crowded").join("out.csv");
    for threads in [1, 16] {
        let run = on(&path, "analyze", &format!("{args} --threads {threads}"));
        run.fails(&format!(
            "crowded.epd, line {line}, no room for more than {most} different positions: raise --unique-memory, or take the \
             positions of one part at a time with --key-shard K/N\n"
        ));
        assert!(run.stdout.lines().eq(&rows[..1 + most]));
        for name in ["analyze", "summarize", "convert"] {
            let what = if name == "convert" { "" } else { "--what counts" };
            let args =
                format!("--unique --unique-memory {} {what} --threads {threads} -o {}", 12 * most, output.display());
            on(&path, name, &args).fails("more than ");
            assert!(!output.exists());
        }
        // Two halves have room, and so do the positions up to a limit.
        for part in 1..=2 {
            assert_eq!(on(&path, "analyze", &format!("{args} --key-shard {part}/2 --threads {threads}")).code, Some(0));
        }
        let run = on(&path, "analyze", &format!("{args} --limit {most} --threads {threads}"));
        assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1 + most));
    }
    on(&path, "analyze", "--unique --unique-memory 0").fails("line 1, no room for more than 0 different positions");
}

#[test]
fn malformed_records_are_no_repeated_positions() {
    let good = positions();
    let text =
        [good[0], "bad", good[1], good[0], "bad", good[1], "worse", "bad"].map(|line| format!("{line}\n")).concat();
    let path = file("malformed.epd", text.repeat(300).as_bytes());
    for threads in [1, 2, 16] {
        let run = |args: &str| on(&path, "analyze", &format!("--what maps --unique --threads {threads} {args}"));
        run("").fails("malformed.epd, line 2, ");
        let skipped = run("--on-error skip");
        let lines: Vec<&str> = skipped.stdout.lines().skip(1).map(|row| row.split(',').next().unwrap()).collect();
        assert_eq!((lines.as_slice(), skipped.skipped().1), (["1", "3"].as_slice(), 4 * 300));
        assert!(skipped.stderr.contains("malformed.epd: left out 1198 of 1200 positions: repeated\n"), "{skipped:?}");
        assert!(skipped.stderr.ends_with("malformed.epd: skipped 1200 of 2400 positions: malformed\n"), "{skipped:?}");
        for on_error in ["null", "report"] {
            let rows = run(&format!("--on-error {on_error}"));
            assert_eq!((rows.code, rows.stdout.lines().count()), (Some(0), 1 + 2 + 4 * 300));
            assert!(rows.stdout.lines().nth(4).unwrap().starts_with("5,,"), "{rows:?}");
        }
        let parts = [1, 2]
            .map(|part| on(&path, "analyze", &format!("--on-error null --key-shard {part}/2 --threads {threads}")));
        let rows: usize = parts.iter().map(|run| run.stdout.lines().count() - 1).sum();
        assert_eq!(rows, 8 * 300);
    }
    // If the only position of a part is malformed, the others are elsewhere.
    let path = file("one.epd", format!("{}\nbad\n", good[0]).as_bytes());
    for part in 1..=2 {
        let run = on(&path, "summarize", &format!("--on-error skip --key-shard {part}/2"));
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn an_input_that_cannot_be_read_ends_the_run() {
    let games = many_games(2_000);
    let whole = zstd(games.as_bytes());
    let path = file("cut.pgn.zst", &whole[..whole.len() - 1]);
    let broken =
        file("broken.pgn", (games.clone() + "[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n\n" + &games).as_bytes());
    for threads in [1, 2, 16] {
        for name in ["analyze", "summarize", "convert"] {
            let to = if name == "convert" { "--to fen" } else { "" };
            on(&path, name, &format!("--unique --threads {threads} {to}")).fails("incomplete frame\n");
            on(&broken, name, &format!("--unique --threads {threads} {to} --block-bytes 1000")).fails("game 2001, ");
        }
    }
}

#[test]
fn sums_are_those_of_the_positions_that_are_taken() {
    let path = file("summed.pgn", many_games(400).as_bytes());
    let fens = finish(command("analyze").arg(&path).args(["--unique", "--keep", "fen", "--what", "keys"]), "").stdout;
    let fens: String = fens.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().to_owned() + "\n").collect();
    let once =
        on(&file("summed.epd", fens.as_bytes()), "summarize", "--what counts,mobility --by phase,side --format csv");
    for threads in [1, 2, 16] {
        let args = format!("--unique --what counts,mobility --by phase,side --format csv --threads {threads}");
        let run = on(&path, "summarize", &args);
        assert_eq!((run.code, &run.stdout), (Some(0), &once.stdout));
        assert!(run.stderr.contains(": left out "), "{run:?}");
    }
}

#[test]
fn records_of_the_first_positions_are_converted() {
    let games = file("converted.pgn", many_games(400).as_bytes());
    let directory = directory("unique-records");
    let keep = "fen,eval,result,halfmove,fullmove,next_uci";
    let expected =
        finish(command("analyze").arg(&games).args(["--unique", "--what", "keys", "--keep", keep]), "").stdout;
    let expected: Vec<Vec<&str>> =
        expected.lines().skip(1).map(|row| row.split(',').skip(1).take(6).collect()).collect();
    for to in ["csv", "jsonl", "viriformat", "binpack", "marlinformat"] {
        let outputs = [1, 2, 16].map(|threads| {
            let output = directory.join(format!("{threads}.{to}"));
            let run = on(&games, "convert", &format!("--unique --threads {threads} -o {}", output.display()));
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(run.stderr.contains("converted.pgn: left out ") && run.stderr.contains(" positions: repeated\n"));
            fs::read(output).expect("it is there")
        });
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{to}");
        // Read again, each is there once, with the labels of the first one.
        let output = directory.join(format!("16.{to}"));
        let again = on(&output, "convert", "--to csv").ok();
        let has_moves = !matches!(to, "marlinformat");
        let needs_move = matches!(to, "viriformat" | "binpack");
        let expected: Vec<String> = expected
            .iter()
            .filter(|row| !needs_move || !row[5].is_empty())
            .map(|row| {
                let mut row = row.clone();
                if !has_moves {
                    row[5] = "";
                }
                row.join(",")
            })
            .collect();
        let found: Vec<&str> = again.lines().skip(1).collect();
        assert!(found == expected, "{to}: {:?} {:?}", found.iter().zip(&expected).find(|(a, b)| a != b), found.len());
    }
}

#[test]
fn a_move_is_known_even_if_the_position_after_it_is_left_out() {
    let fens = ["4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/8/8/8/4P3/8/8/4K3 b - -", "8/4k3/8/8/4P3/8/8/4K3 w - -"];
    // The third row leads to a position that the first game had, the last one to none.
    let rows = [("", 1), ("e8e7", 2), ("", 0), ("e2e4", 1), ("e8e7", 2), ("", 1)];
    let rows: String = rows.iter().map(|(mv, fen)| format!("{},5,1,{mv}\n", fens[*fen])).collect();
    let path = file("led once.csv", format!("fen,score,result,uci\n{rows}").as_bytes());
    for args in ["--threads 1", "--threads 2", "--threads 16 --block-bytes 1"] {
        let run = on(&path, "convert", &format!("--to csv --unique {args}"));
        let moves: Vec<&str> = run.stdout.lines().skip(1).map(|row| row.rsplit(',').next().unwrap()).collect();
        assert_eq!(moves, ["e8e7", "", "e2e4"], "{args}: {run:?}");
        assert!(run.stderr.ends_with("left out 3 of 6 positions: repeated\n"), "{run:?}");
    }
}

#[test]
fn parquet_is_the_same_for_any_number_of_threads() {
    let (games, directory) = (file("table.pgn", many_games(3_000).as_bytes()), directory("unique-tables"));
    let tables = [1, 2, 16].map(|threads| {
        let output = directory.join(format!("{threads}.parquet"));
        let args = format!("--unique --keep all --what boards,maps,keys --threads {threads} -o {}", output.display());
        assert_eq!(on(&games, "analyze", &args).code, Some(0));
        fs::read(output).expect("it is there")
    });
    assert!(tables.iter().all(|table| *table == tables[0]));
}
