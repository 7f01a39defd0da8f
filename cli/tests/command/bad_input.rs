//! Malformed, missing or unreadable input; closed output.

use std::fs;

use crate::{command, directory, file, finish, gzip, run};

const GOOD: &str = "4k3/8/8/3q4/8/8/8/R3K3 w - -";
const HEADER: &str = "line,piece,square,occupancy,attacks,count";

/// Malformed lines, each with the message about it.
fn malformed() -> Vec<(Vec<u8>, &'static str)> {
    let long = |length: usize| "4k3/".repeat(length / 4).into_bytes();
    let mut cases: Vec<(Vec<u8>, &str)> = [
        ("rnbqkbnr/pppppppp/8/8", "column 22: expected 8 ranks separated by /, found 4"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq -", "column 35: expected 8 ranks separated by /, found 7"),
        ("8/8/8/8/8/8/8/8/8 w - -", "column 16: expected 8 ranks separated by /, found 9"),
        ("4k3/8/8/9/8/8/8/4K3 w - -", "column 9: expected KQRBNP, kqrbnp or 1 to 8 in rank 5, found '9'"),
        ("4k3/8/8/4p4/8/8/8/4K3 w - -", "column 12: expected 8 files in rank 5, found 9"),
        ("4k3/8/8/4p2/8/8/8/4K3 w - -", "column 12: expected 8 files in rank 5, found 7"),
        ("4k3/8/8/8//8/8/4K3 w - -", "column 11: expected 8 files in rank 4, found 0"),
        ("4k3/8/8/8/8/8/8/4X3 w - -", "column 18: expected KQRBNP, kqrbnp or 1 to 8 in rank 1, found 'X'"),
        ("4k3/8/8/8/8/8/8/4♔3 w - -", "column 18: expected KQRBNP, kqrbnp or 1 to 8 in rank 1, found the byte 0xe2"),
        ("4k3/8/8/8/8/8/8/4-3 w - -", "column 18: expected KQRBNP, kqrbnp or 1 to 8 in rank 1, found '-'"),
        ("hello", "column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found 'h'"),
        ("4k3/8/8/8/8/8/8/8 w - -", "column 1: expected one white king, found 0"),
        ("8/8/8/8/8/8/8/4K3 w - -", "column 1: expected one black king, found 0"),
        ("4k3/8/8/8/8/8/8/3KK3 w - -", "column 1: expected one white king, found 2"),
        ("4k3/8/8/8/8/8/8/4K3", "column 20: expected w or b as the side to move, found the end of the line"),
        ("4k3/8/8/8/8/8/8/4K3 x - -", "column 21: expected w or b as the side to move, found 'x'"),
        (
            "4k3/8/8/8/8/8/8/4K3 w",
            "column 22: expected - or castling rights (letters of KQkq, A-H and a-h, none twice), found the end",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w KX -",
            "column 24: expected - or castling rights (letters of KQkq, A-H and a-h, none twice), found 'X'",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w -",
            "column 24: expected - or an en passant square on rank 3 or 6, found the end of the",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - e5", "column 25: expected - or an en passant square on rank 3 or 6, found 'e'"),
        ("4k3/8/8/8/8/8/8/4K3 w - bm e4;", "column 25: expected - or an en passant square on rank 3 or 6, found 'b'"),
        ("\0", "column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found '\\0'"),
        ("/", "column 1: expected 8 files in rank 8, found 0"),
        ("///////", "column 1: expected 8 files in rank 8, found 0"),
        ("\u{1b}[2J", "column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found '\\u{1b}'"),
    ]
    .into_iter()
    .map(|(line, message)| (line.as_bytes().to_vec(), message))
    .collect();
    cases.extend([
        (b"\xe9".to_vec(), "column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found the byte 0xe9"),
        (long(4096), "column 32: expected 8 ranks separated by /, found 1025"),
        (long(1 << 20), "column 32: expected 8 ranks separated by /, found 262145"),
        (long((1 << 20) + 4), "length: expected at most 1048576 bytes, found more"),
        (long(10_000_000), "length: expected at most 1048576 bytes, found more"),
    ]);
    cases
}

#[test]
fn every_malformed_line_is_named_with_field_and_value() {
    for (line, message) in malformed() {
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        // Both as the only line and between others, with LF and with CRLF.
        let alone = run("attacks - --format csv", line.clone());
        assert_eq!((alone.code, alone.stdout.trim_end()), (Some(1), HEADER), "{shown}");
        assert!(alone.stderr.starts_with(&format!("error: standard input, line 1, {message}")), "{shown}: {alone:?}");
        for end in ["\n", "\r\n"] {
            let end = end.as_bytes();
            let input = [GOOD.as_bytes(), end, b"# comment", end, &line, end, GOOD.as_bytes(), end].concat();
            let fail = run("attacks - --format csv", input.clone());
            assert_eq!((fail.code, fail.stdout.lines().count()), (Some(1), 3), "{shown}: {fail:?}");
            assert!(fail.stderr.starts_with(&format!("error: standard input, line 3, {message}")), "{shown}: {fail:?}");
            assert_eq!(fail.stderr.lines().count(), 1, "{fail:?}");
            assert!(fail.stderr.len() < 400, "{fail:?}");

            let skip = run("attacks - --format csv --on-error skip", input);
            assert_eq!((skip.code, skip.stdout.lines().count()), (Some(0), 5), "{shown}: {skip:?}");
            assert!(skip.stderr.starts_with(&format!("skipped: standard input, line 3, {message}")), "{skip:?}");
            assert!(skip.stderr.ends_with("\nstandard input: skipped 1 of 3 positions: malformed\n"), "{skip:?}");
        }
    }
}

#[test]
fn every_malformed_pair_is_named_with_field_and_value() {
    let cases = [
        ("64 0", "square: expected a1 to h8, or a number from 0 to 63, found \"64\""),
        ("-1 0", "square: expected a1 to h8, or a number from 0 to 63, found \"-1\""),
        ("e9 0", "square: expected a1 to h8, or a number from 0 to 63, found \"e9\""),
        ("E4 0", "square: expected a1 to h8, or a number from 0 to 63, found \"E4\""),
        (
            "e4",
            "occupancy: expected 0x and hexadecimal digits, or a decimal number, below 2^64, found the end of the line",
        ),
        ("e4 ff", "occupancy: expected 0x and hexadecimal digits, or a decimal number, below 2^64, found \"ff\""),
        ("e4 0x", "occupancy: expected 0x and hexadecimal digits, or a decimal number, below 2^64, found \"0x\""),
        ("e4 0x10000000000000000", "occupancy: expected 0x and hexadecimal digits"),
        ("e4 18446744073709551616", "occupancy: expected 0x and hexadecimal digits"),
        ("e4 -1", "occupancy: expected 0x and hexadecimal digits"),
        ("e4 # 0", "occupancy: expected 0x and hexadecimal digits"),
        ("e4 0 0", "after the occupancy: expected the end of the line, found \"0\""),
        ("\u{1b}[2J 0", "square: expected a1 to h8, or a number from 0 to 63, found \"\\u{1b}[2J\""),
        ("e4,0", "square: expected a1 to h8, or a number from 0 to 63, found \"e4,0\""),
    ];
    for (line, message) in cases {
        let run = run("pairs - --format csv", format!("a1 0\n{line}\nh8 0\n"));
        assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 2), "{run:?}");
        assert!(run.stderr.starts_with(&format!("error: standard input, line 2, {message}")), "{run:?}");
    }
    let run = run("pairs - --on-error skip --format jsonl", cases.map(|(line, _)| line).join("\n") + "\na1 0\n");
    assert_eq!((run.code, run.stdout.lines().count(), run.stderr.lines().count()), (Some(0), 1, cases.len() + 1));
    assert!(run.stderr.ends_with("standard input: skipped 14 of 15 pairs: malformed\n"), "{run:?}");
}

/// What every command says about an input, whether or not it recognises the format.
#[test]
fn inputs_that_are_something_else() {
    let cases = [
        (
            "PuzzleId,Board\n00a,x\n",
            "standard input has no column \"fen\"; its columns are PuzzleId, Board (`analyze --column` ",
        ),
        (
            "PuzzleId\tBoard\n00a\tx\n",
            "standard input has no column \"fen\"; its columns are PuzzleId, Board (`analyze --column` ",
        ),
        ("00a,4k3/8/8/8/8/8/8/4K3 w - - 0 1,1500\n", "CSV needs a header, but field 2 of the first line is a position"),
        ("00a;4k3/8/8/8/8/8/8/4K3 w - - 0 1\n", "CSV needs a header, but field 2 of the first line is a position"),
        ("\"4k3/8/8/8/8/8/8/4K3 w - -\",1\n", "CSV needs a header, but field 1 of the first line is a position"),
        ("a\u{1b}[2J,b\nc,d\n", "its columns are a\\u{1b}[2J, b (`analyze --column` selects another)"),
        ("[Event]\n", "it is a JSON array, or PGN with a malformed first tag"),
    ];
    for (input, message) in cases {
        for command in ["attacks -", "analyze -"] {
            run(command, input).fails(message);
        }
    }
    run("attacks -", b"\xff\xfe4\0k\x003\0").fails("it is text in UTF-16");
    run("pairs -", b"e4 \xe9\n").fails("line 1, encoding: expected UTF-8 text, found byte 0xe9");
    let named = file("esc\u{1b}[2J.epd", b"bad\n");
    let message = finish(command("attacks").arg(named), "").stderr;
    assert!(message.contains("/esc\\u{1b}[2J.epd, line 1, column 2: ") && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn wrong_command_lines_end_with_2() {
    for (args, message) in [
        ("", "Usage: slider-attacks"),
        ("attack", "unrecognized subcommand 'attack'"),
        ("attacks --backend sse9", "invalid value 'sse9' for '--backend <NAME>': expected one of scalar"),
        ("attacks --slider knight", "invalid value 'knight' for '--slider <SLIDER>'"),
        ("attacks --format xml", "[possible values: table, csv, jsonl, board]"),
        ("attacks --on-error panic", "[possible values: fail, skip]"),
        ("summarize --what keys", "invalid value 'keys' for '--what <LIST>'"),
        ("attacks a.epd b.epd", "unexpected argument 'b.epd'"),
        ("pairs --slider rook --slider queen", "cannot be used multiple times"),
        ("bench --pairs-in-memory 0", "invalid value '0' for '--pairs-in-memory <PAIRS>'"),
        ("analyze --what map", "invalid value 'map' for '--what <LIST>'"),
        ("analyze --format npy", "the format npy needs a directory: use --output"),
        ("analyze -o x.csv.gz", "compressed output is not supported"),
        ("analyze -o x.npy", "for NumPy arrays, use --format npy and name a directory"),
        ("analyze -o x.TSV", "unknown output extension"),
        ("analyze -o x.foo", "unknown output extension"),
        ("analyze --format table", "invalid value 'table' for '--format <FORMAT>'"),
        ("summarize --format npy", "the format npy needs a directory: use --output"),
        ("summarize -o a.npy", "for NumPy arrays, use --format npy and name a directory"),
        ("summarize -o a.csv.zst", "compressed output is not supported"),
        ("summarize -o a.foo", "unknown output extension"),
        ("summarize --by side,side", "duplicate key in --by"),
        ("summarize --by ply:0", "for '--by <KEYS>': expected a step above zero"),
        ("summarize --by side:2", "for '--by <KEYS>': only columns with numbers have steps"),
        ("summarize --by all", "for '--by <KEYS>': expected a column name"),
        ("summarize --from-ply 3 --to-ply 2", "--to-ply is before --from-ply"),
        ("analyze --format npy -o -", "the format npy needs a directory: use --output"),
        ("analyze --threads 0", "0 is not in 1..=256"),
        ("analyze a.epd --shard 0/2", "for '--shard <K/N>': expected K/N with K from 1 to N, such as 2/8"),
        ("analyze a.epd --shard 3/2", "for '--shard <K/N>': expected K/N with K from 1 to N"),
        ("analyze a.epd --shard 2", "for '--shard <K/N>': expected K/N with K from 1 to N"),
        ("analyze --shard 1/2", "<FILE|--files-from <LIST>>"),
        ("analyze --output-dir x", "<FILE|--files-from <LIST>>"),
        ("analyze a.epd --overwrite", "--output-dir <DIR>"),
        ("analyze a.epd --output-dir x -o y.csv", "cannot be used with"),
        ("analyze a.epd --output-dir x --limit 1", "cannot be used with"),
        ("analyze a.epd --output-dir x --unique", "cannot be used with"),
        ("analyze a.epd --unique=fen", "[possible values: position, canonical, polyglot]"),
        ("analyze a.epd --unique-memory 1200", "--unique[=<KEY>]"),
        ("analyze a.epd --key-shard 3/2", "for '--key-shard <K/N>': expected K/N with K from 1 to N"),
        ("analyze a.epd --no-header --format jsonl", "only CSV has a header to leave out"),
        ("show fill-up 64 0", "invalid value '64' for '<SQUARE>': expected a1 to h8, or a number from 0 to 63"),
        ("show fill-up i9 0", "invalid value 'i9' for '<SQUARE>'"),
        (
            "show fill-up e4 ff",
            "invalid value 'ff' for '<OCCUPANCY>': expected 0x and hexadecimal digits, or a decimal",
        ),
        ("show fill-up e4 0x10000000000000000", "for '<OCCUPANCY>'"),
        (
            "show magic e4 0",
            "invalid value 'magic' for '<METHOD>': expected one of fill-up, fill-up-in-order, shared-rank",
        ),
        ("show fill-up e4 0 --line queen", "possible values: rank, file, diagonal, anti-diagonal"),
        ("show fill-up e4", "<OCCUPANCY>"),
        ("methods --method magic", "invalid value 'magic' for '--method <METHOD>': expected one of fill-up"),
    ] {
        let run = run(args, "");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.contains(message), "{args}: {}", run.stderr);
    }
}

#[cfg(not(feature = "cloud"))]
#[test]
fn a_url_is_no_path() {
    let directory = directory("urls");
    let run_in = |args: &str| finish(command(args).current_dir(&directory), "");
    fs::write(directory.join("a.epd"), format!("{GOOD}\n")).expect("it can be written");
    fs::write(directory.join("list"), "a.epd\ngs://bucket/a.epd\n").expect("it can be written");
    for url in [
        "s3://bucket/x.csv",
        "gs://b/x.csv",
        "hdfs://host:9000/x.csv",
        "https://a.org/x.csv",
        "az://c/x.csv",
        "S3://B/x.csv",
        "abfss://c@a.dfs.core.windows.net/x.csv",
        "file:///x.csv",
    ] {
        for command in [
            "analyze a.epd -o",
            "analyze a.epd --output-dir",
            "summarize a.epd -o",
            "convert a.epd -o",
            // The output is looked at before the inputs.
            "convert missing.epd -o",
            "analyze a.epd --format npy -o",
        ] {
            let run = run_in(&format!("{command} {url}"));
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
            let message = format!(
                "{url} is a URL, not a path: only local files are written; write to a file and upload it, or \
                                   pipe standard output into an upload tool"
            );
            assert!(run.stderr.contains(&message), "{run:?}");
        }
        for command in [
            "analyze",
            "summarize",
            "convert --to csv",
            "attacks",
            "pairs",
            "analyze --files-from",
            "analyze a.epd --on-error skip --output-dir out",
        ] {
            let message =
                format!("{url} is a URL, not a path: only local files are read; download it first, or pipe it in");
            run_in(&format!("{command} {url}")).fails(&message);
        }
    }
    run_in("analyze s3://bucket/*.epd").fails("s3://bucket/*.epd is a URL, not a path: ");
    run_in("analyze --files-from list").fails("list, line 2: gs://bucket/a.epd is a URL, not a path: ");
    let mut names: Vec<_> =
        fs::read_dir(&directory).expect("it is there").map(|entry| entry.expect("a name").file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.epd", "list"]);
    // A colon may be in a name, and a directory may be called so.
    for name in ["a:b.csv", "12:30.csv", "C:x.csv", "./s3://bucket/x.csv"] {
        run_in(&format!("analyze a.epd -o {name}")).ok();
        assert!(directory.join(name).is_file(), "{name}");
    }
    let there = run_in("convert s3://bucket/x.csv --to fen");
    assert!(there.stderr.contains("s3://bucket/x.csv has no column \"fen\""), "{there:?}");
}

#[test]
fn where_nothing_can_be_read_the_run_fails() {
    let directory = directory("nothing can be read");
    let run_in = |args: &str| finish(command(args).current_dir(&directory), "");
    let wrong_values = format!("fen,score\n{GOOD},x\n{GOOD},y\n");
    for (name, text) in
        [("bad.epd", "bad\nworse\n"), ("values.csv", wrong_values.as_str()), ("pairs", "x\ny\n"), ("empty.epd", "")]
    {
        fs::write(directory.join(name), text).expect("it can be written");
    }
    for (args, input, output) in [
        ("analyze bad.epd -o", "bad.epd", "out.csv"),
        ("analyze bad.epd --format npy -o", "bad.epd", "out"),
        ("analyze bad.epd empty.epd --threads 1 -o", "2 files", "out.parquet"),
        ("summarize bad.epd -o", "bad.epd", "out.html"),
        ("convert bad.epd -o", "bad.epd", "out.fen"),
        ("convert bad.epd -o", "bad.epd", "out.parquet"),
        ("convert values.csv -o", "values.csv", "out.csv"),
        ("convert values.csv -o", "values.csv", "out.binpack"),
    ] {
        let run = run_in(&format!("{args} {output} --on-error skip"));
        let end = format!("\nerror: {input}: skipped all 2 positions: malformed\n");
        assert!(run.code == Some(1) && run.stderr.ends_with(&end), "{args}: {run:?}");
        assert_eq!((run.stdout.as_str(), run.skipped().1, directory.join(output).exists()), ("", 2, false), "{args}");
    }
    for (args, what, rows) in [
        ("attacks bad.epd --format csv", "positions", 1),
        ("pairs pairs --format jsonl", "pairs", 0),
        ("analyze bad.epd", "positions", 1),
        ("convert bad.epd --to epd", "positions", 0),
        ("summarize bad.epd", "positions", 0),
    ] {
        let run = run_in(&format!("{args} --on-error skip"));
        assert!(run.code == Some(1) && run.stderr.ends_with(&format!("skipped all 2 {what}: malformed\n")), "{run:?}");
        assert_eq!(run.stdout.lines().count(), rows, "{run:?}");
    }
    let one = run("pairs - --on-error skip", "x\n");
    assert!(one.code == Some(1) && one.stderr.ends_with("\nerror: standard input: skipped the only pair: malformed\n"));
    // Nothing is wrong with nothing, and null rows are rows.
    let empty = run_in("analyze empty.epd --on-error skip");
    assert_eq!((empty.code, empty.stderr.as_str()), (Some(0), "note: no positions in empty.epd\n"));
    let nulls = run_in("analyze bad.epd --on-error report");
    assert_eq!((nulls.code, nulls.stdout.lines().count()), (Some(0), 3));
    let empty = run_in("convert empty.epd bad.epd --to epd --on-error skip --limit 0");
    assert_eq!(empty.code, Some(0), "{empty:?}");
}

#[test]
fn few_messages_stand_for_many() {
    for (command, good) in
        [("attacks", GOOD), ("analyze", GOOD), ("summarize", GOOD), ("convert --to fen", GOOD), ("pairs", "e4 0")]
    {
        let what = if command == "pairs" { "pairs" } else { "positions" };
        for bad in [0, 1, 20, 21, 1_500] {
            let run = run(&format!("{command} - --on-error skip"), format!("{good}\n{}", "bad\n".repeat(bad)));
            assert_eq!((run.code, run.skipped()), (Some(0), (run.skipped().0, bad)), "{run:?}");
            let shown = bad.min(20);
            let mut expected: Vec<String> =
                (0..shown).map(|at| format!("skipped: standard input, line {}, ", at + 2)).collect();
            expected.extend((bad == 21).then(|| "… and 1 more".to_owned()));
            expected.extend((bad == 1_500).then(|| "… and 1,480 more".to_owned()));
            expected
                .extend((bad > 0).then(|| format!("standard input: skipped {bad} of {} {what}: malformed", bad + 1)));
            assert_eq!(run.stderr.lines().count(), expected.len(), "{run:?}");
            assert!(run.stderr.lines().zip(&expected).all(|(line, start)| line.starts_with(start)), "{run:?}");
        }
    }
    // An error comes after them.
    let mut broken = gzip(format!("{}{}", "bad\n".repeat(40), format!("{GOOD}\n").repeat(50_000)).as_bytes());
    broken.truncate(broken.len() - 8);
    let path = file("many mistakes and an error.epd.gz", &broken);
    for args in ["analyze", "summarize", "convert --to fen", "attacks"] {
        let run = finish(command(args).args(["--on-error", "skip"]).arg(&path), "");
        assert!(run.code == Some(1) && run.stderr.contains("\n… and 20 more\nerror: cannot read "), "{run:?}");
    }
}
