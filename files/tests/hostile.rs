//! Damaged Parquet files, in which each number in turn is replaced by extreme ones, and small files that expand to many
//! bytes. All are read in a process with limited address space, which must not abort, panic or hang.

#![cfg(all(feature = "parquet", target_os = "linux"))]

use std::fs::{self, File};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray, Int64Array, RecordBatch, StringArray,
    StructArray,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use slider_attacks::position::Positions;
use slider_attacks_arrow::OnError;
use slider_attacks_files::Inputs;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::request::Wanted;

/// What the process that reads takes at most, in kilobytes: of address space, and of memory.
const ADDRESSES: usize = 1 << 20;
const MEMORY: usize = 150 << 10;

/// A file with columns of many types, of three rows.
fn bytes(properties: WriterProperties) -> Vec<u8> {
    let fens = StringArray::from(vec!["4k3/8/8/R2q4/8/8/8/2B1K3 w - -"; 3]);
    let words: DictionaryArray<Int32Type> = ["a", "b", "a"].into_iter().collect();
    let mut lists = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    for row in 0..3 {
        for _ in 0..row {
            lists.values().append_value([Some(1), None]);
        }
        lists.append(row != 1);
    }
    let fixed = FixedSizeBinaryArray::try_from_iter((0..3).map(|row| [row; 3])).unwrap();
    let item = Arc::new(Field::new_list_field(DataType::FixedSizeBinary(3), false));
    let arrays = FixedSizeListArray::new(item, 1, Arc::new(fixed.clone()), None);
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]));
    let nested = StructArray::from(vec![(Arc::new(Field::new("n", DataType::Int64, true)), numbers)]);
    let columns: [(&str, ArrayRef, bool); 6] = [
        ("fen", Arc::new(fens), false),
        ("words", Arc::new(words), true),
        ("lists", Arc::new(lists.finish()), true),
        ("fixed", Arc::new(fixed), true),
        ("arrays", Arc::new(arrays), true),
        ("nested", Arc::new(nested), true),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).and_then(|()| writer.close()).unwrap();
    bytes
}

/// A number in Thrift's compact protocol, with its sign in the lowest bit.
fn number(number: i64) -> Vec<u8> {
    let mut rest = (number << 1 ^ number >> 63) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// The file with other bytes in place of the number at this place. If that is in the description, the length of the
/// description changes too.
fn replaced(bytes: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
    let length = bytes[at..].iter().position(|&byte| byte < 0x80).unwrap_or(0) + 1;
    let (body, tail) = bytes.split_at(bytes.len() - 8);
    let rest = body.get(at + length..).unwrap_or_default();
    let mut found = [&bytes[..at], by, rest].concat();
    let old = u32::from_le_bytes(tail[..4].try_into().unwrap());
    let new = if at >= body.len() - old as usize { found.len() + old as usize - body.len() } else { old as usize };
    found.extend((new as u32).to_le_bytes());
    found.extend(b"PAR1");
    found
}

/// Reads a file and keeps all columns. Whether that succeeds.
fn read(path: &Path) -> bool {
    let wanted = Wanted { column: "fen".to_owned(), keep: vec!["all".to_owned()], ..Wanted::default() };
    let mut blocks = 0;
    let inputs = Inputs::new(&[path.to_owned()], "").unwrap();
    let done = inputs.read(&wanted, &mut |mut block| {
        blocks += 1;
        let records = block.next(ReadLimits::all(usize::MAX), OnError::Skip, Positions::new())?;
        assert!(blocks < 1_000, "so many blocks");
        drop(records);
        Ok(ControlFlow::Continue(()))
    });
    done.is_ok()
}

/// Reads all mutants of a file, and returns how many could be read, and how many could not.
fn mutants(number: usize, properties: WriterProperties) -> (usize, usize) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{number}.parquet"));
    let bytes = bytes(properties);
    fs::write(&path, &bytes).unwrap();
    assert!(read(&path));
    let (mut good, mut bad) = (0, 0);
    for at in 4..bytes.len() - 8 {
        for by in [i64::from(i32::MAX), -1, i64::MAX] {
            fs::write(&path, replaced(&bytes, at, &self::number(by))).unwrap();
            if read(&path) { good += 1 } else { bad += 1 }
        }
    }
    fs::remove_file(path).unwrap();
    (good, bad)
}

/// Not a test of its own: the test below runs it in a process with a limit.
#[test]
#[ignore = "runs in a process of its own"]
fn read_mutants() {
    let builder = || WriterProperties::builder().set_created_by(String::new());
    let all = [
        builder().build(),
        builder()
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .set_dictionary_enabled(false)
            .set_column_encoding("fen".into(), Encoding::DELTA_BYTE_ARRAY)
            .build(),
        builder()
            .set_compression(Compression::GZIP(Default::default()))
            .set_column_encoding("fen".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY)
            .set_column_dictionary_enabled("fen".into(), false)
            .build(),
    ];
    let counts = thread::scope(|scope| {
        let threads = (0..).zip(all).map(|(number, properties)| scope.spawn(move || mutants(number, properties)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let (good, bad) = counts.iter().fold((0, 0), |(good, bad), more| (good + more.0, bad + more.1));
    println!("{good} could be read, {bad} could not");
    assert!(good > 1_000 && bad > 10_000);
    check_memory();
}

/// Checks how much memory this process has taken at most.
fn check_memory() {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: usize = peak.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    println!("at most {peak} KiB");
    assert!(peak < MEMORY);
}

#[test]
fn mutants_of_parquet() {
    with_limit("read_mutants");
}

/// Runs a test in a process with a limit.
fn with_limit(test: &str) {
    let program = std::env::current_exe().unwrap();
    let run = Command::new("sh")
        .args(["-c", &format!("ulimit -v {ADDRESSES}; exec \"$@\""), "sh"])
        .arg(program)
        .args(["--exact", test, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    println!("{}", text(&run.stdout));
    assert!(run.status.success(), "{:?}: {}", run.status, text(&run.stderr));
}

/// The number of rows of a file whose middle rows are long, and which rows these are.
const ROWS: usize = 200_000;
const LONG: Range<usize> = 100_000..102_500;

/// The text of a row. If the long ones are in a dictionary, they are all the same.
fn text(row: usize, in_dictionary: bool) -> String {
    match LONG.contains(&row) {
        true if in_dictionary => "x".repeat(100_000),
        true => row.to_string() + &"x".repeat(100_000),
        false => (row % 100).to_string(),
    }
}

fn long_rows(in_dictionary: bool) -> PathBuf {
    let name = if in_dictionary { "long-in-dictionary.parquet" } else { "long.parquet" };
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Not a test of its own: the test below runs it in a process with a limit.
#[test]
#[ignore = "runs in a process of its own"]
fn read_long_rows() {
    let wanted = Wanted { column: "fen".to_owned(), keep: vec!["all".to_owned()], ..Wanted::default() };
    for in_dictionary in [false, true] {
        let mut rows = 0;
        let read = Inputs::new(&[long_rows(in_dictionary)], "").unwrap().read(&wanted, &mut |mut block| {
            let records =
                block.next(ReadLimits::all(usize::MAX), OnError::Fail, Positions::new())?.expect("there are some");
            let [_, KeptColumn::Array(_, before), KeptColumn::Array(_, texts), KeptColumn::Array(_, after)] =
                &records.kept[..]
            else {
                panic!("four columns")
            };
            for (at, found) in texts.as_string::<i32>().iter().enumerate() {
                assert!(found == Some(&text(rows, in_dictionary)), "row {rows}");
                for numbers in [before, after] {
                    assert_eq!(numbers.as_primitive::<Int64Type>().value(at), rows as i64);
                }
                rows += 1;
            }
            Ok(ControlFlow::Continue(()))
        });
        read.unwrap();
        assert_eq!(rows, ROWS);
        check_memory();
    }
}

/// Rows that are much longer than the average are not read all at once. Where a range ends early because of them, the
/// readers of the other columns stand at a later row, and must not go on from there.
#[test]
fn long_rows_among_short_ones() {
    for in_dictionary in [false, true] {
        let properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(Default::default()))
            .set_column_dictionary_enabled("text".into(), in_dictionary);
        let path = long_rows(in_dictionary);
        let mut writer = None;
        for rows in (0..ROWS).step_by(500).map(|start| start..start + 500) {
            let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row as i64)));
            let fens = StringArray::from(vec!["4k3/8/8/R2q4/8/8/8/2B1K3 w - -"; rows.len()]);
            let texts = StringArray::from_iter_values(rows.map(|row| text(row, in_dictionary)));
            let columns: [(_, ArrayRef); 4] =
                [("fen", Arc::new(fens)), ("before", numbers.clone()), ("text", Arc::new(texts)), ("after", numbers)];
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            let writer = writer.get_or_insert_with(|| {
                let file = File::create(&path).unwrap();
                ArrowWriter::try_new(file, batch.schema(), Some(properties.clone().build())).unwrap()
            });
            writer.write(&batch).unwrap();
        }
        writer.unwrap().close().unwrap();
        println!("{} bytes", fs::metadata(&path).unwrap().len());
    }
    with_limit("read_long_rows");
    [false, true].into_iter().for_each(|in_dictionary| fs::remove_file(long_rows(in_dictionary)).unwrap());
}
