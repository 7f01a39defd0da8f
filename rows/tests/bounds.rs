//! The memory for the work on a block and for its result is limited, whatever the block contains. The memory bounds of the
//! programs depend on this.

#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, Int8Builder, ListBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Int8Array, Int64Array, NullArray, RecordBatch, StringArray, StructArray,
    TimestampNanosecondArray,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use slider_attacks_arrow::{Integers, OnError, Plan, Product};
use slider_attacks_files::Inputs;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::convert::labels::{LabelColumns, NamedColumns};
use slider_attacks_rows::format::{RecordFormat, RowFormat, TextFormat};
use slider_attacks_rows::job::Job;
use slider_attacks_rows::pipeline::{ResultLimits, Work};
use slider_attacks_rows::sums::groups::GroupLimit;
use slider_attacks_rows::sums::keys::Key;
use slider_attacks_rows::write::{csv, jsonl};
use slider_attacks_rows::{convert, sums};

struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    NOW.set(NOW.get() + bytes);
    PEAK.set(PEAK.get().max(NOW.get()));
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How many bytes `act` takes at most, besides what was there before.
fn peak<T>(act: impl FnOnce() -> T) -> (usize, T) {
    let before = NOW.get();
    PEAK.set(before);
    let done = act();
    ((PEAK.get() - before) as usize, done)
}

const POSITION: &str = "4k3/8/8/R2q4/8/8/8/2B1K3 w - -";

/// A board with a piece on each square. Each attacks eight of the other side.
fn full() -> String {
    "QQQQQQQQ/qqqqqqqq/".repeat(4).replacen('Q', "K", 1).replacen('q', "k", 1).trim_end_matches('/').to_owned()
        + " w - -"
}

/// Reads a file, and compares what each of its blocks takes with the limits.
fn check(path: PathBuf, keep: &str) {
    check_with(path, keep, &Wanted { column: "fen".to_owned(), ..Wanted::default() });
}

/// The same with what is wanted, but for the columns to keep.
fn check_with(path: PathBuf, keep: &str, wanted: &Wanted) {
    let inputs = Inputs::new(std::slice::from_ref(&path), "").unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    for products in [vec![], vec![Product::Threats], vec![Product::Pins], Product::ALL.to_vec()] {
        for (format, on_error) in [
            (RowFormat::Text(TextFormat::Csv), OnError::Skip),
            (RowFormat::Text(TextFormat::Csv), OnError::Report),
            (RowFormat::Text(TextFormat::Jsonl), OnError::Skip),
            (RowFormat::Text(TextFormat::Jsonl), OnError::Null),
            (RowFormat::Text(TextFormat::Jsonl), OnError::Report),
            (RowFormat::Npy, OnError::Skip),
        ] {
            let plan = Plan::new(products.iter().copied());
            let mut job =
                Job { plan, format, on_error, with_file: true, boards: Some(Integers::Unsigned), each_move: false };
            let keep = if format == RowFormat::Npy { "" } else { keep };
            let keep = keep.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            let any_fields = format == RowFormat::Text(TextFormat::Jsonl);
            let wanted = Wanted { keep, any_fields, ..wanted.clone() };
            if wanted.keep_all() && !any_fields && name.ends_with(".jsonl") {
                continue;
            }
            let shown = format!("{name}, {format:?}, {on_error}, {products:?}");
            check_work(&inputs, &wanted, &job, &shown);
            if products == [Product::Threats] && on_error != OnError::Null {
                job.each_move = true;
                check_work(&inputs, &wanted, &job, &format!("{shown}, each move"));
            }
        }
    }
    for to in [RecordFormat::Epd, RecordFormat::Jsonl, RecordFormat::Parquet, RecordFormat::Binpack] {
        let wish = LabelColumns::new(&NamedColumns::default(), "fen");
        let wanted = Wanted { keep: Vec::new(), optional_columns: wish.optional_columns(), ..wanted.clone() };
        let job = convert::job::ConvertJob { to, wish, on_error: OnError::Skip };
        check_work(&inputs, &wanted, &job, &format!("{name}, {to:?}"));
    }
    fs::remove_file(path).unwrap();
}

/// Reads a file, and compares what the sums of each of its blocks take, by these keys, with the limits.
fn check_sums(path: PathBuf, by: &str) {
    let inputs = Inputs::new(std::slice::from_ref(&path), "").unwrap();
    let keys: Vec<Key> = by.split(',').filter(|key| !key.is_empty()).map(|key| key.parse().unwrap()).collect();
    let limits = [GroupLimit::Count(""), GroupLimit::Files(1 << 20)];
    let all = [vec![Product::Pins], vec![Product::Threats], Product::ALL.to_vec()];
    for (products, limit) in all.iter().flat_map(|products| limits.map(|limit| (products, limit))) {
        let plan = Plan::new(products.iter().copied());
        let mut job = sums::job::SumJob { plan, keys: keys.clone(), on_error: OnError::Skip, each_move: false, limit };
        let keep = Key::columns(&keys);
        let wanted = Wanted { column: "fen".to_owned(), keep, ..Wanted::default() };
        let shown = format!("{}, {by}, {products:?}, {limit:?}", path.display());
        check_work(&inputs, &wanted, &job, &shown);
        if *products == [Product::Pins] {
            job.each_move = true;
            check_work(&inputs, &wanted, &job, &format!("{shown}, each move"));
        }
    }
    fs::remove_file(path).unwrap();
}

/// The room of a result where 32 threads work.
const ROOM: usize = (28 << 20) / 36;
/// What a thread takes at most while it works on a block of usual size, besides the block, and what remains of that as a result.
/// `tests/memory` measures what 32 threads take together.
const WORKING: usize = 6 << 20;
const RESULT: usize = 5 * ROOM;
/// What the one thread takes that works on a block which is larger, or on what is left of one.
const ALONE: usize = 64 << 20;
/// Counts what the work on each block of inputs takes, and what its results take, and compares these with the limits.
fn check_work<W: Work>(inputs: &Inputs, wanted: &Wanted, work: &W, shown: &str) {
    let read = inputs.read(wanted, &mut |mut block| {
        let mut is_next = block.is_large(512 << 10);
        while !block.is_finished() {
            let (before, room) = (NOW.get(), ResultLimits::new(ROOM, is_next));
            let (taken, done) = peak(|| work.work(&mut block, usize::MAX, room));
            // It may be less than before, once all moves of some positions have been taken.
            let held = (NOW.get() - before).max(0) as usize;
            let (working, result) = if is_next { (ALONE, ALONE) } else { (WORKING, RESULT) };
            assert!(taken <= working, "{shown}: {taken} taken, {held} held, {is_next}");
            assert!(held <= result, "{shown}: {held} held, {is_next}");
            drop(done?);
            is_next = true;
        }
        Ok(ControlFlow::Continue(()))
    });
    read.unwrap();
}

/// A file for a test, with this content.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bounds-{name}"));
    fs::write(&path, content).unwrap();
    path
}

#[test]
fn lines_take_no_more_than_the_limits() {
    let sample = include_str!("../../tests/data/sample.epd");
    check(file("sample.epd", sample.repeat(20).as_bytes()), "fen");
    check(file("short.epd", b"x\n".repeat(50_000).as_slice()), "fen");
    let columns: Vec<String> = (0..4_000).map(|number| format!("column_{number}")).collect();
    check(file("columns.csv", format!("fen,{}\n{}", columns.join(","), "x\n".repeat(1_000)).as_bytes()), "all");
    check(file("boards.epd", b"8/8/8/8/8/8/8/8 w - -\n".repeat(5_000).as_slice()), "");
    check(file("kings.epd", b"k1K5/8/8/8/8/8/8/8 w - -\n".repeat(5_000).as_slice()), "");
    check(file("full.epd", (full() + "\n").repeat(2_000).as_bytes()), "fen");
    // The most moves.
    const MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -";
    check(file("moves.epd", format!("{MOVES} x\n").repeat(1_000).as_bytes()), "fen");
    check(file("wide-moves.epd", (MOVES.to_owned() + &" ".repeat(1_000_000) + "\n").repeat(2).as_bytes()), "fen");
    check(file("wide.epd", (POSITION.to_owned() + &" ".repeat(1_000_000) + "\n").repeat(3).as_bytes()), "fen");
    check(file("quotes.epd", (POSITION.to_owned() + " " + &"\"".repeat(1_000) + "\n").repeat(300).as_bytes()), "fen");
    check(
        file("escapes.epd", (POSITION.to_owned() + " " + &"\x01".repeat(1_000) + "\n").repeat(300).as_bytes()),
        "fen",
    );
    check(
        file("long-escapes.epd", (POSITION.to_owned() + " " + &"\x01".repeat(1_000_000) + "\n").repeat(3).as_bytes()),
        "fen",
    );
    check(file("long.epd", format!("{POSITION}\n{}\n{POSITION}\n", "x".repeat(3 << 20)).as_bytes()), "fen");
}

#[test]
#[ignore = "takes a minute: .ci/run bounds"]
fn records_take_no_more_than_the_limits() {
    let header = |columns: usize| (0..columns).fold("fen".to_owned(), |text, column| text + &format!(",c{column}"));
    for columns in [1, 10, 1_000, 9_999] {
        let text =
            header(columns) + "\n" + &(POSITION.to_owned() + &",1".repeat(columns) + "\n").repeat(200_000 / columns);
        check(file(&format!("{columns}.csv"), text.as_bytes()), "all");
        let text =
            header(columns) + "\n" + &(POSITION.to_owned() + &",".repeat(columns) + "\n").repeat(200_000 / columns);
        check(file(&format!("{columns}-empty.csv"), text.as_bytes()), "all");
    }
    check(
        file(
            "commas.csv",
            (format!("fen{}\n", ",".repeat(400_000)) + &(POSITION.to_owned() + &",".repeat(400_000) + "\n").repeat(5))
                .as_bytes(),
        ),
        "",
    );
    check(
        file(
            "newlines.csv",
            ("fen,x\n".to_owned() + &format!("{POSITION},\"{}\"\n", "\n".repeat(10_000)).repeat(20)).as_bytes(),
        ),
        "all",
    );
    check(file("short.csv", ("fen,x\n".to_owned() + &"x\n".repeat(50_000)).as_bytes()), "all");
    let object = |rest: String| format!("{{\"fen\":\"{POSITION}\"{rest}}}\n");
    check(file("escapes.jsonl", object(format!(",\"x\":\"{}\"", "\\u0001".repeat(100_000))).repeat(5).as_bytes()), "x");
    check(
        file(
            "fields.jsonl",
            object((0..50_000).fold(String::new(), |mut text, at| {
                write!(text, ",\"{at}\":0").unwrap();
                text
            }))
            .repeat(5)
            .as_bytes(),
        ),
        "all",
    );
    check(file("nested.jsonl", object(format!(",\"x\":[{}0]", "0,".repeat(400_000))).repeat(5).as_bytes()), "x");
    check(
        file("some.jsonl", object(",\"x\":1,\"y\":null,\"z\":\"text\"".to_owned()).repeat(3_000).as_bytes()),
        "x,y,z,none",
    );
    check(file("wrong.jsonl", "{}\n".repeat(10_000).as_bytes()), "x");
    check(file("worse.jsonl", ("{}\n".to_owned() + &"{\n".repeat(10_000)).as_bytes()), "x");
}

#[test]
fn games_take_no_more_than_the_limits() {
    const ALL: &str = "game,ply,san,uci,move,eval,mate,clk,result,depth,fen,White,Missing";
    let moves = "Nf3 Nf6 Ng1 Ng8 ";
    let game = |tags: &str, rounds: usize| format!("{tags}\n\n{}*\n\n", moves.repeat(rounds));
    check(file("usual.pgn", game("[White \"A\"]\n[Result \"1-0\"]", 20).repeat(50).as_bytes()), ALL);
    check(file("bare.pgn", game("", 20).repeat(50).as_bytes()), ALL);
    check(file("results.pgn", "* ".repeat(5_000).as_bytes()), ALL);
    check(file("tags.pgn", "[A \"\n\n".repeat(1_500).as_bytes()), ALL);
    check(file("wrong.pgn", "[A \"b\"]\n#\n\n".repeat(1_500).as_bytes()), ALL);
    check(file("wrong-bare.pgn", "# *\n".repeat(1_500).as_bytes()), ALL);
    check(file("long.pgn", game("[White \"A\"]", 5_000).as_bytes()), ALL);
    check(file("too-long.pgn", (game("[White \"A\"]", 1) + &game("[White \"A\"]", 200_000)).as_bytes()), ALL);
    check(
        file("escapes.pgn", game(&format!("[White \"{}\"]", "\u{1}".repeat(2_000)), 300).repeat(5).as_bytes()),
        "White",
    );
    let rounds = moves.repeat(200);
    let latin = [b"[White \"".as_slice(), &b"\xe9".repeat(100_000), b"\"]\n\n", rounds.as_bytes(), b"*\n\n"];
    check(file("latin.pgn", &latin.concat().repeat(3)), "White,result");
    let comments =
        "[White \"A\"]\n\n".to_owned() + &"Nf3 { [%eval 0.3] [%clk 0:03:00] } Nf6 Ng1 Ng8 ".repeat(20) + "*\n\n";
    check(file("comments.pgn", comments.repeat(50).as_bytes()), ALL);
    let full = format!("[FEN \"{}\"]\n\n*\n\n", full().replacen("kqqqqqqq", "k1qqqqqq", 1));
    check(file("full.pgn", full.repeat(500).as_bytes()), "fen");
}

#[test]
fn records_of_engines_take_no_more_than_the_limits() {
    let binpack = include_bytes!("../../tests/data/sample.binpack");
    check(file("usual.binpack", &binpack.repeat(5)), "all");
    // Chains of one position, many in a chunk, and a chunk for each, right and wrong.
    let chain = [&binpack[8..40], &[0; 2]].concat();
    let chunk = |chains: &[u8]| [b"BINP", &(chains.len() as u32).to_le_bytes()[..], chains].concat();
    check(file("short.binpack", &chunk(&chain.repeat(2_000))), "all");
    check(file("chunks.binpack", &chunk(&chain).repeat(300)), "all");
    check(file("wrong.binpack", &chunk(b"x").repeat(1_000)), "all");
    let mut claims = chunk(&[0; 100]);
    claims[4..8].copy_from_slice(&[0, 0, 0, 6]);
    check(file("claims.binpack", &claims), "all");

    // A king, 30 queens and two nibbles more: the most pieces, and the most threats.
    let mut record = [0x44; 32];
    record[..8].copy_from_slice(&0x0000_0000_ffff_ffff_u64.to_le_bytes());
    for (at, byte) in record[8..24].iter_mut().enumerate() {
        *byte = if at % 8 < 4 { 0x44 } else { 0xcc };
    }
    (record[8], record[23]) = (0x45, 0xdc);
    record[24..].copy_from_slice(&[1, 0, 2, 0, 31 ^ 56, 0, 0, 0]);
    check(file("full.bulletformat", &record.repeat(2_000)), "all");
    check(file("wrong.bulletformat", &[1; 64_001]), "all");
    record[24..].copy_from_slice(&[64, 255, 255, 255, 0, 128, 1, 0]);
    check(file("full.marlinformat", &record.repeat(2_000)), "all");

    // The position at the beginning, and knights that go out and back.
    let mut start = [0; 32];
    start[..8].copy_from_slice(&0xffff_0000_0000_ffff_u64.to_le_bytes());
    start[8..12].copy_from_slice(&[0x13, 0x42, 0x25, 0x31]);
    start[16..24].copy_from_slice(&[0x88, 0x88, 0x88, 0x88, 0x9b, 0xca, 0xad, 0xb9]);
    start[24..].copy_from_slice(&[64, 0, 1, 0, 0, 0, 1, 0]);
    let moves = [1_350_u16, 2_942, 405, 4_013].map(|mv| [mv.to_le_bytes(), [0; 2]].concat()).concat();
    let game = |rounds: usize| [&start[..], &moves.repeat(rounds), &[0; 4]].concat();
    check(file("usual.viriformat", &game(20).repeat(30)), "all");
    check(file("short.viriformat", &game(0).repeat(2_000)), "all");
    check(file("long.viriformat", &game(3_000)), "all");
    check(file("too-long.viriformat", &(game(66_000)).repeat(2)), "all");
    check(file("cut-off.viriformat", &game(20)[..200]), "all");
    check(file("wrong.viriformat", &[&record[..], &[1; 4], &[0; 4]].concat().repeat(2_000)), "all");
}

#[test]
fn sums_take_no_more_than_the_limits() {
    let rows = |name: &dyn Fn(usize) -> String, rows: usize| -> String {
        (0..rows).fold("fen,x,y\n".to_owned(), |text, row| text + &format!("{POSITION},{},{row}\n", name(row)))
    };
    for by in ["", "side,phase", "x", "y:10", "x,y", "y,x,side,phase"] {
        check_sums(file("alike.csv", rows(&|_| "A".to_owned(), 5_000).as_bytes()), by);
        check_sums(file("each.csv", rows(&|row| row.to_string(), 5_000).as_bytes()), by);
        check_sums(file("empty.csv", rows(&|_| String::new(), 5_000).as_bytes()), by);
        let long = |row: usize| "x".repeat(10_000) + &row.to_string();
        check_sums(file("long-names.csv", rows(&long, 200).as_bytes()), by);
        check_sums(file("longest-names.csv", rows(&|_| "x".repeat(1_000_000), 3).as_bytes()), by);
        let quoted = |row: usize| format!("\"{}{row}\"", "\"\"".repeat(1_000));
        check_sums(file("quoted-names.csv", rows(&quoted, 500).as_bytes()), by);
    }
    // A long name, which each ply of the game has.
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(500);
    for name in ["A".to_owned(), "x".repeat(900_000), "\u{1}".repeat(200_000), "é".repeat(100_000)] {
        for by in ["White", "White,ply", "ply,White,side", "ply:5,White,Missing"] {
            check_sums(file("names.pgn", format!("[White \"{name}\"]\n\n{moves}*\n\n").repeat(2).as_bytes()), by);
        }
    }
    for value in ["\"\\u0001\\u0001\"", "[1,2,{}]", "null", "1.5"] {
        let json = (0..2_000).map(|row| format!("{{\"fen\":\"{POSITION}\",\"x\":{value},\"y\":[{row}]}}\n"));
        check_sums(file("values.jsonl", json.collect::<String>().as_bytes()), "x,y");
    }
    let mut lists = ListBuilder::new(Int8Builder::new());
    (0..200).for_each(|row| lists.append_value((0..1_000).map(|at| Some((at * row % 128) as i8))));
    check_sums(parquet("sum-lists.parquet", POSITION, Arc::new(lists.finish())), "x,side");
    let texts = StringArray::from((0..2_000).map(|row| "\u{1}".repeat(1_000) + &row.to_string()).collect::<Vec<_>>());
    check_sums(parquet("sum-texts.parquet", POSITION, Arc::new(texts)), "x");
}

/// A file of Parquet with positions and one more column.
fn parquet(name: &str, fen: &str, column: ArrayRef) -> PathBuf {
    parquet_of(name, [("fen", Arc::new(StringArray::from(vec![fen; column.len()]))), ("x", column)])
}

/// A file of Parquet with these columns.
fn parquet_of<const N: usize>(name: &str, columns: [(&str, ArrayRef); N]) -> PathBuf {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let path = file(name, b"");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).and_then(|()| writer.close()).unwrap();
    path
}

#[test]
fn rows_take_no_more_than_the_limits() {
    let rows = 2_000;
    check(parquet("full.parquet", &full(), Arc::new(Int8Array::from(vec![-128; rows]))), "x");
    check(parquet("null.parquet", POSITION, Arc::new(NullArray::new(rows))), "x");
    check(parquet("bool.parquet", POSITION, Arc::new(BooleanArray::from(vec![false; rows]))), "x");
    check(parquet("int64.parquet", POSITION, Arc::new(Int64Array::from(vec![i64::MIN; rows]))), "x");
    check(
        parquet("time.parquet", POSITION, Arc::new(TimestampNanosecondArray::from(vec![1; rows]).with_timezone("UTC"))),
        "x",
    );
    check(parquet("text.parquet", POSITION, Arc::new(StringArray::from(vec!["\u{1}".repeat(1_000); rows]))), "x");
    let keys = Int8Array::from(vec![0; rows]);
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1_000)]));
    check(parquet("dictionary.parquet", POSITION, Arc::new(DictionaryArray::<Int8Type>::new(keys, texts))), "x");
    let mut lists = ListBuilder::new(Int8Builder::new());
    (0..rows).for_each(|_| lists.append_value((0..1_000).map(|_| Some(-128))));
    check(parquet("list.parquet", POSITION, Arc::new(lists.finish())), "x");
    let mut empty = ListBuilder::new(ListBuilder::new(Int8Builder::new()));
    (0..rows).for_each(|_| {
        (0..100).for_each(|_| empty.values().append(true));
        empty.append(true);
    });
    check(parquet("empty-lists.parquet", POSITION, Arc::new(empty.finish())), "x");
    let mut binary = FixedSizeBinaryBuilder::new(1_000);
    (0..rows).for_each(|_| binary.append_value([255; 1_000]).unwrap());
    check(parquet("binary.parquet", POSITION, Arc::new(binary.finish())), "x");
    let fields = (0..50).map(|at| {
        let field = Field::new(format!("a_rather_long_name_of_a_field_{at}"), DataType::Int8, true);
        (Arc::new(field), Arc::new(Int8Array::from(vec![-128; rows])) as ArrayRef)
    });
    check(parquet("struct.parquet", POSITION, Arc::new(StructArray::from(fields.collect::<Vec<_>>()))), "x");
}

/// Checks a table of this many rows with this game and this text in all formats.
fn check_table(name: &str, game: &str, text: &str, rows: usize, keep: &[&str]) {
    let mut wanted = Wanted { column: "movetext".to_owned(), ..Wanted::default() };
    wanted.games.variations = true;
    let columns = [("movetext", game), ("x", text)];
    let (mut line, mut json) = (Vec::new(), Vec::new());
    csv::row(columns.map(|(_, text)| text.into()).into_iter(), &mut line);
    let keys = jsonl::keys(columns.map(|(name, _)| name).into_iter());
    jsonl::row(&keys, columns.map(|(_, text)| text.into()).into_iter(), &mut json);
    let csv = [b"movetext,x\n".as_slice(), &line.repeat(rows)].concat();
    for keep in keep {
        // A record that is too long ends the run.
        if csv.len() / rows <= 1 << 20 {
            check_with(file(&format!("{name}.csv"), &csv), keep, &wanted);
        }
        check_with(file(&format!("{name}.jsonl"), &json.repeat(rows)), keep, &wanted);
        let texts = columns.map(|(name, text)| (name, Arc::new(StringArray::from(vec![text; rows])) as ArrayRef));
        check_with(parquet_of(&format!("{name}.parquet"), texts), keep, &wanted);
    }
}

#[test]
#[ignore = "takes a minute: .ci/run bounds"]
fn games_in_tables_take_no_more_than_the_limits() {
    const KEEP: &str = "ply,san,uci,move,eval,mate,clk,result,depth,fen,x";
    let moves = "Nf3 Nf6 Ng1 Ng8 ";
    check_table("usual", &(moves.repeat(20) + "*"), "Carlsen", 20, &["", KEEP, "all"]);
    check_table(
        "comments",
        &"Nf3 { [%eval 0.3] } Nf6 (1... Nc6 2. Nc3) 2. Ng1 Ng8 ".repeat(20),
        "Carlsen",
        10,
        &[KEEP],
    );
    check_table("wrong", "#", "x", 300, &[KEEP, "all"]);
    check_table("blank", "", "", 300, &["", KEEP]);
    check_table("several", "* *", "x", 300, &["", KEEP]);
    check_table("long", &moves.repeat(2_500), "x", 1, &[KEEP]);
    check_table("too-long", &moves.repeat(100_000), "x", 1, &[KEEP]);
    check_table("escapes", &moves.repeat(20), &"\u{1}".repeat(2_000), 2, &[KEEP, "all"]);
    check_table("quotes", &moves.repeat(1_000), &"\"".repeat(100_000), 1, &[KEEP]);
    let full = format!("[FEN \"{}\"]\n\n*", full().replacen("kqqqqqqq", "k1qqqqqq", 1));
    check_table("full", &full, "x", 40, &["", KEEP, "all"]);
    // Lists without values take no bytes of values.
    let mut lists = ListBuilder::new(ListBuilder::new(Int8Builder::new()));
    (0..3).for_each(|_| {
        (0..10_000).for_each(|_| lists.values().append(true));
        lists.append(true);
    });
    let games: ArrayRef = Arc::new(StringArray::from(vec![moves.repeat(50); 3]));
    let wanted = Wanted { column: "movetext".to_owned(), ..Wanted::default() };
    check_with(parquet_of("lists.parquet", [("movetext", games), ("x", Arc::new(lists.finish()))]), "x", &wanted);
}

#[test]
fn first_moves_and_paths_take_no_more_than_the_limits() {
    let wanted = Wanted { column: "fen".to_owned(), after_first_move: true, ..Wanted::default() };
    for (name, mv) in [("moves", "e1e2 e8e7"), ("no-moves", ""), ("wrong-moves", "e1e8")] {
        let csv = "fen,Moves,x\n".to_owned() + &format!("{POSITION},{mv},y\n").repeat(1_000);
        check_with(file(&format!("{name}.csv"), csv.as_bytes()), "x", &wanted);
        let json = format!("{{\"fen\":\"{POSITION}\",\"Moves\":\"{mv}\",\"x\":[1,[2]]}}\n").repeat(1_000);
        check_with(file(&format!("{name}.jsonl"), json.as_bytes()), "x,x.1,x.1.0", &wanted);
        let columns = [("fen", POSITION), ("Moves", mv)];
        let columns = columns.map(|(name, text)| (name, Arc::new(StringArray::from(vec![text; 1_000])) as ArrayRef));
        check_with(parquet_of(&format!("{name}.parquet"), columns), "fen", &wanted);
    }
    let json = format!("{{\"fen\":\"{POSITION}\",\"x\":[[{}1]]}}\n", "\"a\",".repeat(20_000)).repeat(5);
    check(file("paths.jsonl", json.as_bytes()), "x,x.0,x.0.0,X,X.0");
}
