//! `summarize --merge`: the sums of shards add up to those of all positions, and nothing else is added up.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::analyze::positions;
use crate::training::bulletformat;
use crate::{directory, run};

/// Positions with a name, which may need quotation marks or be missing, and a number.
fn table(directory: &Path) -> PathBuf {
    let sample = positions();
    let row = |at: usize| {
        let (name, fen) = (["Ann", "\"O\"\"Neil,\n=Bob\"", "", "007"][at * at % 7 % 4], &sample[at % sample.len()]);
        format!("{fen},{name},{}\n", at as i32 % 40 - 7)
    };
    let path = directory.join("table.csv");
    fs::write(&path, "fen,name,number\n".to_owned() + &(0..600).map(row).collect::<String>()).unwrap();
    path
}

/// What is summed, with each kind of key and of column.
const WHAT: &str = "--what maps,threats,status --by name,number:20,side";

/// The files of the sums of all shards, in a format.
fn shards(directory: &Path, table: &Path, format: &str, of: usize) -> Vec<String> {
    let shard = |number: usize| {
        let path = directory.join(format!("{number}.{format}")).display().to_string();
        let line = format!("summarize {} {WHAT} --shard {number}/{of} -o {path}", table.display());
        assert_eq!(run(&line, "").ok(), "");
        path
    };
    (1..=of).map(shard).collect()
}

fn merged(files: &str, options: &str) -> crate::Run {
    run(&format!("summarize --merge {files} {options}"), "")
}

/// The positions, counts and sums of rows of JSON lines, by their keys, column and square.
fn numbers(rows: &str) -> BTreeMap<String, [i64; 3]> {
    let number = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let place = ["name", "number", "side", "column", "square"].map(|name| row[name].to_string()).join(" ");
        (place, ["positions", "count", "sum"].map(|name| row[name].as_i64().unwrap()))
    };
    rows.lines().map(number).collect()
}

#[test]
fn sums_of_shards_add_up_in_every_format() {
    let directory = directory("merge");
    let table = table(&directory);
    let all = |format: &str| run(&format!("summarize {} {WHAT} --format {format}", table.display()), "").ok();
    for format in ["csv", "jsonl", "parquet"] {
        let files = shards(&directory, &table, format, 3).join(" ");
        for to in ["csv", "jsonl", "table"] {
            assert_eq!(merged(&files, &format!("{WHAT} --format {to}")).ok(), all(to), "{format} to {to}");
        }
        // In little memory, and of merged sums.
        let [one, both] = ["one", "both"].map(|name| directory.join(format!("{name}.{format}")).display().to_string());
        assert_eq!(merged(&files, &format!("{WHAT} --group-memory 1 -o {one}")).ok(), "");
        assert_eq!(merged(&one, &format!("{WHAT} --threads 1 -o {both}")).ok(), "");
        assert_eq!(fs::read(&one).unwrap(), fs::read(&both).unwrap());
        assert_eq!(merged(&one, &format!("{WHAT} --format csv")).ok(), all("csv"));
    }
    let files = shards(&directory, &table, "parquet", 2);
    let third = directory.join("3.csv").display().to_string();
    let [two, one, three] = [files.join(" "), third.clone(), format!("{} {third}", files.join(" "))]
        .map(|files| numbers(&merged(&files, &format!("{WHAT} --format jsonl")).ok()));
    assert_eq!(two, numbers(&all("jsonl")));
    let mut expected = two;
    for (place, numbers) in one {
        let sums = expected.get_mut(&place).unwrap();
        *sums = std::array::from_fn(|at| sums[at] + numbers[at]);
    }
    assert_eq!(three, expected);
}

#[test]
fn other_sums_and_shards_are_refused() {
    let directory = directory("merge-refused");
    let table = table(&directory);
    let files = shards(&directory, &table, "parquet", 3);
    let (all, [one, two, three]) = (files.join(" "), [0, 1, 2].map(|at| &files[at]));
    for (options, message) in [
        ("--what maps --by name,number:20,side", "--what maps,threats,status, but this run has --what maps"),
        ("--what maps,threats,status", "with --by name,number:20,side, but this run has no --by"),
        (&format!("{WHAT} --through own"), "--through any, but this run has --through own"),
        (&format!("{WHAT} --each-move"), "no --each-move, but this run has --each-move true"),
        (&format!("{WHAT} --where white_to_move"), "no --where, but this run has --where white_to_move"),
    ] {
        merged(&all, options).fails(&format!("{one} has sums with "));
        merged(&all, options).fails(message);
    }
    let refused = |files: &str, message: &str| merged(files, WHAT).fails(message);
    refused(&format!("{one} {three}"), "no file has shard 2/3");
    refused(&format!("{all} {two}"), &format!("{two} is named twice"));
    let copy = directory.join("copy.parquet").display().to_string();
    fs::copy(two, &copy).unwrap();
    refused(&format!("{all} {copy}"), &format!("{two} and {copy} both have shard 2/3"));
    let whole = directory.join("whole.parquet").display().to_string();
    assert_eq!(merged(&all, &format!("{WHAT} -o {whole}")).ok(), "");
    refused(&format!("{all} {whole}"), &format!("{whole} has no shard, and {one} has shard 1/3"));
    let rows = directory.join("rows.parquet").display().to_string();
    assert_eq!(run(&format!("convert {} -o {rows}", table.display()), "").ok(), "");
    refused(&rows, "it does not record the options of `summarize`");
    refused("-", "standard input: sums are read from files");
    if cfg!(unix) {
        refused("/dev/null", "cannot read /dev/null: it is no file");
    }
    // Where equal positions count once, only parts by keys can be added up.
    for (shard, message) in [("shard", Some("sum up parts with --key-shard K/N")), ("key-shard", None)] {
        let parts = [1, 2].map(|number| directory.join(format!("{shard}{number}.parquet")).display().to_string());
        for (number, part) in (1..).zip(&parts) {
            let line = format!("summarize {} --unique --{shard} {number}/2 -o {part}", table.display());
            assert_eq!(run(&line, "").code, Some(0));
        }
        let both = merged(&parts.join(" "), "--unique --format csv");
        match message {
            Some(message) => both.fails(message),
            None => {
                let line = format!("summarize {} --unique --format csv", table.display());
                assert_eq!(both.ok(), run(&line, "").stdout);
            }
        }
    }
    let part = |options: &str, name: &str| {
        let path = directory.join(name).display().to_string();
        let line = format!("summarize {} --unique {options} -o {path}", table.display());
        assert_eq!(run(&line, "").code, Some(0), "{line}");
        path
    };
    let parts = [(1, 1), (1, 2), (2, 1), (2, 2)]
        .map(|(shard, key)| part(&format!("--shard {shard}/2 --key-shard {key}/2"), &format!("{shard}{key}.parquet")));
    merged(&parts.join(" "), "--unique").fails("with --key-shard K/N alone");
    let text = part("--key-shard 2/2", "2.csv");
    let parquet = directory.join("key-shard1.parquet").display().to_string();
    merged(&format!("{parquet} {text}"), "--unique").fails("as parquet, which records that");
    assert_eq!(run("summarize --merge", "").code, Some(2));
    assert_eq!(run(&format!("summarize --merge {one} --shard 1/2"), "").code, Some(2));
}

#[test]
fn sums_of_records_are_merged_with_their_format() {
    let directory = directory("merge-records");
    let records = directory.join("records.bin").display().to_string();
    fs::write(&records, bulletformat().repeat(20)).unwrap();
    let shards = [1, 2].map(|number| {
        let path = directory.join(format!("{number}.parquet")).display().to_string();
        let line = format!("summarize {records} --from bulletformat --shard {number}/2 -o {path}");
        assert_eq!(run(&line, "").ok(), "");
        path
    });
    let merged = |options: &str| merged(&shards.join(" "), options);
    let all = run(&format!("summarize {records} --from bulletformat --format csv"), "").ok();
    assert_eq!(merged("--from bulletformat --format csv").ok(), all);
    merged("").fails("has sums with --from bulletformat, but this run has no --from");
    merged("--from marlinformat").fails("has sums with --from bulletformat, but this run has --from marlinformat");
}

#[test]
fn damaged_sums_are_refused_with_their_place() {
    let directory = directory("merge-damaged");
    let table = table(&directory);
    let path = directory.join("sums.csv").display().to_string();
    let line = format!("summarize {} --by number:10 -o {path}", table.display());
    assert_eq!(run(&line, "").ok(), "");
    let good = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = good.split_inclusive('\n').collect();
    let rows = (lines.len() - 1) / 5;
    let refused = |text: &str, message: &str| {
        fs::write(&path, text).unwrap();
        merged(&path, "--by number:10").fails(message);
    };
    assert_eq!(merged(&path, "--by number:10 --format csv").ok(), good);
    refused("", "it is empty");
    refused(&good[..good.len() - lines[0].len()], "found ");
    refused(&lines[..lines.len() - 1].concat(), &format!("its last group has {} of {rows} rows", rows - 1));
    refused(&[&lines[..1], &lines[2..]].concat().concat(), "line 2: expected \"white_attackers\" of \"a1\", found");
    refused(&[&lines[..=rows], &lines[1..]].concat().concat(), &format!("line {}: its group is repeated", rows + 2));
    refused(&good.replacen("-10,", "-11,", 1), "line 2: key \"number\": expected a multiple of 10, found \"-11\"");
    refused(&good.replacen(",a1,", ",a1,9", 1), "line 2: \"white_attackers\" has count 9");
    let none = format!("-10,{},white_attackers,a1,0,0.000000,5,0.100000\n", lines[1].split(',').nth(1).unwrap());
    refused(&[lines[0], &none].concat(), "line 2: \"white_attackers\" has count 0 and sum 5");
    refused(&good.replacen(",white_attackers,a1,", ",\"white_attackers,a1,", 1), "line 2: ");
    refused(&good.replacen("number,", "name,", 1), "its columns are \"name, positions");
    refused(&(good.clone() + "\n"), "expected 8 fields, found 1");
    refused(&format!("{}{}", lines[0], "x".repeat(3 << 20)), "line 2: line too long");
    refused(&"[".repeat(100_000), "its columns are ");
    refused(&("{\"a\":".repeat(100_000) + "\n"), "line 1: expected an object of JSON");
    // Numbers whose sum has no room.
    let large = i64::MAX.to_string();
    let number = |line: &&str| {
        let fields: Vec<&str> = line.split(',').collect();
        format!("0,{large},{},{},0,0,0,0\n", fields[2], fields[3])
    };
    let huge = lines[0].to_owned() + &lines[1..=rows].iter().map(number).collect::<String>();
    let other = directory.join("other.csv").display().to_string();
    for path in [&path, &other] {
        fs::write(path, &huge).unwrap();
    }
    merged(&format!("{path} {other}"), "--by number:10").fails("its numbers are too large");
    // Nor has the sum over the groups of one file.
    refused(&(huge.clone() + &huge[lines[0].len()..].replace("0,9", "10,9")), "its numbers are too large");
    // A file of another kind, and damaged Parquet.
    refused("PAR1xxxxxxxxxxxx", "cannot read ");
    fs::write(&path, b"\x1f\x8b").unwrap();
    merged(&path, "").fails("cannot read ");
}
