//! `analyze` on training records.

use std::fs;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;

use crate::analyze::{parquet, read_npy, read_parquet, texts};
use crate::{Run, command, directory, file, finish, gzip, run, zstd};

/// A binpack of one chunk.
const BINPACK: &[u8] = include_bytes!("../../../tests/data/sample.binpack");

/// Occupancy and the numbers of pieces.
fn packed(pieces: &[(u8, u8)]) -> [u8; 32] {
    let mut record = [0; 32];
    for (at, (square, number)) in pieces.iter().enumerate() {
        record[usize::from(square / 8)] |= 1 << (square % 8);
        record[8 + at / 2] |= number << (4 * (at % 2));
    }
    record
}

/// Kings on e1 and e8, and a rook of the side to move on d5, in bulletformat: 25 centipawns, and a win.
pub fn bulletformat() -> [u8; 32] {
    let mut record = packed(&[(4, 5), (35, 3), (60, 13)]);
    record[24..29].copy_from_slice(&[25, 0, 2, 4, 60 ^ 56]);
    record
}

/// Kings on e1 and e8, a rook on a1 that may castle and a black knight on d5, in marlinformat: black is to move.
fn marlinformat() -> [u8; 32] {
    let mut record = packed(&[(0, 6), (4, 5), (35, 9), (60, 13)]);
    record[24..31].copy_from_slice(&[128 + 64, 7, 40, 1, 0xe0, 0xff, 1]);
    record
}

/// The same with black's move from d5 to e7 and white's castling.
fn viriformat() -> Vec<u8> {
    let moves = [(35 + 64 * 52, -32_i16), (4 + 0x8000, 5)];
    let moves = moves.map(|(mv, score): (u16, i16)| [mv.to_le_bytes(), score.to_le_bytes()].concat()).concat();
    [&marlinformat()[..], &moves, &[0; 4]].concat()
}

/// Runs `analyze` on these bytes, in a file of this name.
fn analyze(name: &str, bytes: impl AsRef<[u8]>, args: &str) -> Run {
    finish(command("analyze").arg(file(name, bytes.as_ref())).args(args.split_whitespace()), "")
}

#[test]
fn records_become_positions_with_their_labels() {
    let (bullet, marlin, viri) = (bulletformat().repeat(2), marlinformat().repeat(2), viriformat().repeat(2));
    let bullet_rows = "\
line,score,result,fen,threats
1,25,1-0,4k3/8/8/3R4/8/8/8/4K3 w - -,
2,25,1-0,4k3/8/8/3R4/8/8/8/4K3 w - -,
";
    let marlin_rows = "\
line,score,result,fen,halfmove,fullmove,threats
1,-32,1/2-1/2,4k3/8/8/3n4/8/8/8/R3K3 b Q -,7,296,
2,-32,1/2-1/2,4k3/8/8/3n4/8/8/8/R3K3 b Q -,7,296,
";
    let viri_rows = "\
line,score,result,fen,halfmove,fullmove,next_uci,next_move,threats
1,-32,1/2-1/2,4k3/8/8/3n4/8/8/8/R3K3 b Q -,7,296,d5e7,3363,
1,5,1/2-1/2,4k3/4n3/8/8/8/8/8/R3K3 w Q -,8,297,e1c1,32772,
2,-32,1/2-1/2,4k3/8/8/3n4/8/8/8/R3K3 b Q -,7,296,d5e7,3363,
2,5,1/2-1/2,4k3/4n3/8/8/8/8/8/R3K3 w Q -,8,297,e1c1,32772,
";
    for (extension, name, bytes, expected) in [
        ("bulletformat", "bulletformat", &bullet, bullet_rows),
        ("marlinformat", "marlinformat", &marlin, marlin_rows),
        ("viriformat", "viriformat", &viri, viri_rows),
        ("VF", "viriformat", &viri, viri_rows),
    ] {
        let args = "--what threats --keep all";
        for (ending, bytes) in [("", bytes.clone()), (".gz", gzip(bytes)), (".zst", zstd(bytes))] {
            let by_extension = analyze(&format!("some.{extension}{ending}"), &bytes, args);
            assert_eq!(by_extension.ok(), expected, "{extension}{ending}");
            let by_option = analyze(&format!("some{extension}.bin{ending}"), &bytes, &format!("{args} --from {name}"));
            assert_eq!(by_option.ok(), expected, "{extension}{ending}");
            let piped = run(&format!("analyze - {args} --from {name} --threads 3"), bytes);
            assert_eq!(piped.ok(), expected, "{extension}{ending}");
        }
    }
}

#[test]
fn a_binpack_is_found_by_its_first_bytes() {
    let args = "--what maps --keep all --threads";
    let expected = analyze("some.binpack", BINPACK, &format!("{args} 1")).ok();
    assert!(
        expected.starts_with("line,score,result,fen,halfmove,fullmove,next_uci,next_move,white_attacks"),
        "{expected}"
    );
    assert!(expected.lines().count() > 500 && expected.lines().skip(1).all(|row| row.starts_with("1,")));
    for (name, bytes) in [("a.data", BINPACK.to_vec()), ("b.bin.gz", gzip(BINPACK)), ("c.epd", zstd(BINPACK))] {
        assert!(analyze(name, &bytes, &format!("{args} 3")).ok() == expected, "{name}");
        assert!(run(&format!("analyze - {args} 2"), bytes).ok() == expected, "{name}");
    }
    let twice = analyze("twice.binpack", BINPACK.repeat(2), "--what maps --keep score").ok();
    let numbers: Vec<&str> = twice.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    let of = expected.lines().count() - 1;
    assert!(numbers == [vec!["1"; of], vec!["2"; of]].concat());
    // A header of CSV is none.
    let csv = analyze("header.csv", "BINPACKS,fen\n1,4k3/8/8/8/8/8/8/4K3 w - -\n", "--what threats --keep BINPACKS");
    assert_eq!(csv.ok(), "line,BINPACKS,threats\n2,1,\n");
    // The other commands read them, too.
    let run = finish(command("attacks --format csv").arg(file("attacks.binpack", BINPACK)), "");
    assert!(run.ok().lines().count() > 1_000);
}

#[test]
fn labels_keep_their_types() {
    let directory = directory("labels");
    let output = directory.join("a.parquet");
    let args = "--what threats --on-error null --keep score,result,next_uci";
    let bytes = [&viriformat()[..], &[0; 36], &viriformat()].concat();
    analyze("types.vf", &bytes, &format!("{args} -o {}", output.display()));
    let table = read_parquet(&output);
    let types: Vec<String> =
        table.schema().fields().iter().take(4).map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["UInt64", "Int64", "Utf8", "Utf8"]);
    let scores: Vec<Option<i64>> = table.column(1).as_primitive::<Int64Type>().iter().collect();
    assert_eq!(scores, [Some(-32), Some(5), None, Some(-32), Some(5)]);
    let results: Vec<Option<&str>> = table.column(2).as_string::<i32>().iter().collect();
    assert_eq!(results[1..3], [Some("1/2-1/2"), None]);
    let lines = analyze("types.vf", &bytes, &format!("{args} --format jsonl")).stdout;
    let rows: Vec<&str> = lines.lines().collect();
    assert_eq!(rows[1], r#"{"line":1,"score":5,"result":"1/2-1/2","next_uci":"e1c1","threats":[]}"#);
    assert_eq!(rows[2], r#"{"line":2,"score":null,"result":null,"next_uci":null,"threats":null}"#);
    let arrays = directory.join("arrays");
    analyze("types.vf", viriformat(), &format!("--format npy --what maps -o {}", arrays.display())).ok();
    assert_eq!(read_npy::<u64>(&arrays.join("line.npy")).1, [1, 1]);
}

#[test]
fn wrong_records_are_reported() {
    let mut wrong = bulletformat();
    wrong[8] = 0x33; // no king
    let bytes = [&bulletformat()[..], &wrong, &bulletformat(), &[1; 9]].concat();
    let args = "--what threats --keep score";
    analyze("wrong.bulletformat", &bytes, args).fails("wrong.bulletformat, record 2, expected one white king, found 0");
    let run = analyze("wrong.bulletformat", &bytes, &format!("{args} --on-error skip"));
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "line,score,threats\n1,25,\n3,25,\n"));
    assert!(run.stderr.contains("skipped: ") && run.stderr.contains("record 4, expected more bytes, found the end\n"));
    assert!(run.stderr.ends_with("wrong.bulletformat: skipped 2 of 4 positions: malformed\n"), "{run:?}");
    let run = analyze("wrong.bulletformat", &bytes, &format!("{args} --on-error report"));
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(rows.len(), 5);
    assert!(rows[2].starts_with("2,,,") && rows[3] == "3,25,,", "{rows:?}");
    assert_eq!(rows[4], "4,,,\"expected more bytes, found the end\"");
    let run = analyze("wrong.bulletformat", &bytes, &format!("{args} --limit 1"));
    assert_eq!(run.ok(), "line,score,threats\n1,25,\n");

    let mut bytes = viriformat().repeat(3);
    bytes[44 + 32] = 99; // the first move of the second game
    analyze("wrong.vf", &bytes, args).fails("wrong.vf, game 2, expected a legal move, found ");
    let run = analyze("wrong.vf", &bytes, &format!("{args} --on-error skip"));
    assert_eq!(run.stdout.lines().count(), 1 + 4, "{run:?}");

    let cut_off = [BINPACK, &BINPACK[..BINPACK.len() - 1]].concat();
    let whole = analyze("whole.binpack", BINPACK, args).ok().lines().count() - 1;
    let size = BINPACK.len() - 8;
    let message =
        format!("cut.binpack, chunk 2, expected a chunk that fits in the bytes and in 100 MiB, found {size} bytes");
    let run = analyze("cut.binpack", &cut_off, args);
    run.fails(&message);
    let rows = run.stdout.lines().count() - 1;
    assert!(rows > 2 * whole - 100 && rows < 2 * whole, "{rows} of twice {whole}");

    for name in ["empty.bulletformat", "empty.vf", "empty.binpack"] {
        let run = analyze(name, "", args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "line,score,threats\n"), "{run:?}");
        assert!(run.stderr.starts_with("note: no positions in "), "{run:?}");
    }
}

#[test]
fn what_records_do_not_have_is_an_error() {
    for (args, message) in [
        ("--keep ply", "none.bulletformat has no column \"ply\" to keep; its columns are score, result, fen"),
        ("--keep halfmove", "has no column \"halfmove\" to keep; its columns are score, result, fen"),
        ("--keep fen,fen", "cannot keep column \"fen\""),
        ("--keep uci", "has no column \"uci\" to keep; its columns are score, result, fen"),
        ("--from-ply 2", "none.bulletformat has no games: "),
        ("--from marlinformat", "none.bulletformat, record 1, expected 0, 1 or 2 as the outcome"),
    ] {
        let mut record = bulletformat();
        record[30] = 9;
        analyze("none.bulletformat", record, args).fails(message);
    }
    // The move that led to a position is not the one that was played from it.
    for name in ["uci", "move", "san", "UCI"] {
        for (file, bytes) in [("led.vf", &viriformat()[..]), ("led.binpack", BINPACK)] {
            analyze(file, bytes, &format!("--keep score,{name}")).fails(&format!(
                "{file} has no column \"{name}\", the move that led to a position; next_uci and next_move are the move played from it"
            ));
        }
    }
    let run = analyze("none.bulletformat", bulletformat(), "--from text");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("[possible values: bulletformat, marlinformat, viriformat, binpack]"), "{run:?}");
    let run = self::run("analyze --from bulletformat", "");
    assert!(run.code == Some(2) && run.stderr.contains("required arguments"), "{run:?}");
    // The first bytes tell that it is a binpack, even if its size is wrong.
    let wrong = [b"BINP\xff\xff\xff\xff", BINPACK].concat();
    analyze("wrong-size.bin", &wrong, "").fails("wrong-size.bin, chunk 1, expected a chunk that fits");
    let rows = |name: &str, bytes: &[u8]| analyze(name, bytes, "--on-error skip").stdout.lines().count();
    assert_eq!(rows("wrong-size.bin", &wrong), rows("right-size.bin", BINPACK));
    // Text is no record, and Parquet is certainly Parquet.
    analyze("text.epd", "4k3/8/8/8/8/8/8/4K3 w - -\n", "--from binpack")
        .fails("text.epd, chunk 1, expected a chunk, which begins with BINP");
    let path = parquet("as-records.parquet", vec![("fen", texts(&["4k3/8/8/8/8/8/8/4K3 w - -"]))]);
    let run = finish(command("analyze --from bulletformat").arg(&path), "");
    run.fails("as-records.parquet as bulletformat: it is Parquet");
}

#[test]
fn shards_are_cut_at_records() {
    let directory = directory("shards of records");
    let record = |number: u32| {
        let mut record = bulletformat();
        record[24..26].copy_from_slice(&(number as i16).to_le_bytes());
        record[26] = (number % 37 % 4) as u8; // 3 is wrong
        record
    };
    let records: Vec<u8> = (0..3_000).flat_map(record).chain([0; 5]).collect();
    fs::write(directory.join("a.bulletformat"), &records).expect("it can be written");
    fs::write(directory.join("b.bulletformat.gz"), gzip(&records)).expect("it can be written");
    fs::write(directory.join("c.bulletformat"), &records[..64]).expect("it can be written");
    let bin = directory.join("d.bin");
    fs::write(&bin, &records).expect("it can be written");
    let analyze = |args: &str| {
        let mut command = command("analyze --what threats --keep score --no-header");
        let args = if args.contains("--on-error") { args.to_owned() } else { format!("{args} --on-error skip") };
        let run = finish(command.args(args.split(' ')).arg(&directory).arg(&bin), "");
        assert_eq!(run.code, Some(0), "{run:?}");
        let mistakes = run.skipped().1;
        (run.stdout, mistakes)
    };
    let reported = |args: &str| analyze(&format!("{args} --on-error report")).0;
    let whole = analyze("--from bulletformat");
    let reports = reported("--from bulletformat");
    assert!(whole.0.lines().count() > 6_000 && whole.1 > 500);
    for of in [2, 3, 7, 40] {
        let parts: Vec<_> =
            (1..=of).map(|number| analyze(&format!("--from bulletformat --shard {number}/{of}"))).collect();
        let (rows, mistakes): (Vec<String>, Vec<usize>) = parts.into_iter().unzip();
        assert!(rows.concat() == whole.0 && mistakes.iter().sum::<usize>() == whole.1, "{of}");
        let parts = (1..=of).map(|number| reported(&format!("--from bulletformat --shard {number}/{of}")));
        assert!(parts.collect::<String>() == reports, "{of}");
        assert!(rows.iter().filter(|rows| !rows.is_empty()).count() > of / 2, "{of}");
    }
}
