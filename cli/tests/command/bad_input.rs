//! Input that is malformed, missing, or unreadable; results that nobody reads.

use crate::{command, file, finish, run};

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
        ("[Event]\n", "it is a JSON array, or PGN whose first tag is wrong"),
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
        ("attacks a.epd b.epd", "unexpected argument 'b.epd'"),
        ("pairs --slider rook --slider queen", "cannot be used multiple times"),
        ("bench --pairs-in-memory 0", "invalid value '0' for '--pairs-in-memory <PAIRS>'"),
        ("analyze --what map", "invalid value 'map' for '--what <LIST>'"),
        ("analyze --format npy", "the format npy needs a directory: use --output"),
        ("analyze --format npy -o x --keep all", "the format npy cannot hold columns to --keep"),
        ("analyze -o x.csv.gz", "the output is not compressed"),
        ("analyze -o x.npy", "for NumPy arrays, use --format npy and name a directory"),
        ("analyze -o x.TSV", "the extension of the output is unknown"),
        ("analyze -o x.foo", "the extension of the output is unknown"),
        ("analyze --format table", "invalid value 'table' for '--format <FORMAT>'"),
        ("summarize --format npy", "the format npy needs a directory: use --output"),
        ("summarize -o a.npy", "for NumPy arrays, use --format npy and name a directory"),
        ("summarize -o a.csv.zst", "the output is not compressed"),
        ("summarize -o a.foo", "the extension of the output is unknown"),
        ("summarize --by side,side", "--by names a key twice"),
        ("summarize --by ply:0", "for '--by <KEYS>': expected a step above zero"),
        ("summarize --by side:2", "for '--by <KEYS>': only columns with numbers have steps"),
        ("summarize --by all", "for '--by <KEYS>': expected the name of a column"),
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
