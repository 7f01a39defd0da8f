//! `--on-error null` and `report`: malformed lines keep their rows.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use serde_json::Value;

use crate::analyze::{GOOD, analyze, json, parquet, read_parquet};
use crate::{directory, run};

/// Inputs with the same four records, the second and the third malformed, and the errors of `fail` for these two.
fn inputs() -> Vec<(String, &'static str, [&'static str; 2])> {
    let fen = format!("{GOOD}\nx\r4k3\n\n{GOOD}\n");
    let csv = format!("id,fen\na,{GOOD}\nb,\"4k3/8 w\"\nc\nd,{GOOD}\n");
    let json = format!(
        "{{\"fen\":\"{GOOD}\",\"id\":\"a\"}}\n{{\"id\":\"b\",\"fen\":\"\"}}\n[]\n{{\"id\":\"d\",\"fen\":\"{GOOD}\"}}\n"
    );
    vec![
        (
            fen,
            "",
            [
                "column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found 'x'",
                "column 4: expected 8 ranks separated by /, found 1",
            ],
        ),
        (csv, "--keep id", ["field \"fen\", column 6: ", "columns: expected 2 as in the header, found 1"]),
        (json, "--keep id", ["field \"fen\", column 1: expected a position, found the end of the line", "JSON: "]),
    ]
}

/// The columns of products in a row.
fn products(row: &Value) -> Vec<&Value> {
    let row = row.as_object().expect("a row is an object");
    row.iter().filter(|(name, _)| !["line", "id", "error"].contains(&name.as_str())).map(|(_, value)| value).collect()
}

#[test]
fn malformed_lines_keep_their_rows() {
    for (input, keep, reasons) in inputs() {
        let args = format!("- {keep} --format jsonl --what maps,counts,mobility,threats");
        let skipped = json(&analyze(&format!("{args} --on-error skip"), input.as_str()).stdout);
        for on_error in ["null", "report"] {
            let run = analyze(&format!("{args} --on-error {on_error}"), input.as_str());
            assert_eq!(run.stderr, "standard input: 2 of 4 positions are null: malformed\n");
            assert_eq!(run.code, Some(0));
            let rows = json(&run.stdout);
            assert_eq!(rows.len(), 4, "{rows:?}");
            // The others are what they are without these.
            for (row, expected) in [(&rows[0], &skipped[0]), (&rows[3], &skipped[1])] {
                assert_eq!((products(row), &row["line"]), (products(expected), &expected["line"]));
            }
            for (row, reason) in rows[1..3].iter().zip(reasons) {
                assert!(products(row).iter().all(|value| value.is_null()), "{row}");
                assert_eq!(
                    row["error"].as_str().is_some_and(|error| error.starts_with(reason)),
                    on_error == "report",
                    "{row}"
                );
            }
            assert!(rows[0]["error"].is_null() && rows[3]["error"].is_null());
            assert_eq!(rows[0].as_object().unwrap().contains_key("error"), on_error == "report");
            if !keep.is_empty() {
                // What can be read of such a line is kept.
                let ids: Vec<Option<&str>> = rows.iter().map(|row| row["id"].as_str()).collect();
                assert_eq!(ids, [Some("a"), Some("b"), None, Some("d")]);
            }
        }
        // The same as CSV, where a null is nothing.
        let text = analyze(&format!("- {keep} --what maps --on-error null"), input.as_str()).stdout;
        assert!(text.lines().nth(2).unwrap().ends_with(",,") && text.lines().nth(3).unwrap().ends_with(",,"), "{text}");
    }
}

#[test]
fn what_can_be_read_of_an_object_is_kept() {
    let input = "{\"id\":5,\"fen\":null}\n{\"id\":6}\n{\"id\":7,\"fen\":3}\n{\"id\":8,\n";
    for keep in ["id", "all"] {
        let run = analyze(&format!("- --keep {keep} --format jsonl --on-error report"), input);
        assert_eq!(run.code, Some(0), "{run:?}");
        let ids: Vec<Option<u64>> = json(&run.stdout).iter().map(|row| row["id"].as_u64()).collect();
        assert_eq!(ids, [Some(5), Some(6), Some(7), None]);
    }
    // Where no record can be read, no field is missing.
    let run = analyze("- --keep id --on-error null", "{\"id\"\n{\n");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 3), "{run:?}");
}

#[test]
fn rows_of_parquet_can_be_null() {
    let long = "x".repeat(2 << 20);
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
    let fens: ArrayRef = Arc::new(StringArray::from(vec![Some(GOOD), None, Some(&long), Some(GOOD)]));
    let path = parquet("nulls.parquet", vec![("id", ids), ("fen", fens)]);
    let output = directory("nulls").join("nulls.parquet");
    for integers in ["unsigned", "signed"] {
        let args =
            format!("{} --keep id --what maps,counts,threats --on-error report --integers {integers}", path.display());
        assert_eq!(analyze(&format!("{args} -o {}", output.display()), "").code, Some(0));
        let table: RecordBatch = read_parquet(&output);
        let nulls = |name: &str| (0..4).map(|row| table[name].is_null(row)).collect::<Vec<_>>();
        for name in ["white_attacks", "black_attackers", "threats"] {
            assert_eq!(nulls(name), [false, true, true, false], "{name}");
        }
        assert_eq!(nulls("id"), [false, false, true, false]); // of a row that is too long, nothing is read
        assert_eq!(nulls("error"), [true, false, false, true]);
        let errors = table["error"].as_string::<i32>();
        assert_eq!(errors.value(1), "field \"fen\", expected a position, found null");
        assert_eq!(errors.value(2), "length: expected at most 1048576 bytes, found more");
        let kind = if integers == "signed" { "Int64" } else { "UInt64" };
        assert_eq!(table["white_attacks"].data_type().to_string(), kind);
        assert_eq!(table["line"].data_type().to_string(), kind);
    }
}

#[test]
fn where_no_row_can_be_null_the_command_says_so() {
    for (args, message) in [
        ("analyze --on-error null --format npy -o x", "NumPy arrays cannot hold nulls"),
        ("summarize --on-error report", "[possible values: fail, skip]"),
        ("attacks --on-error null", "[possible values: fail, skip]"),
        ("pairs --on-error report", "[possible values: fail, skip]"),
        ("analyze --integers signed", "only Parquet and NumPy arrays have --integers"),
    ] {
        let run = run(args, "");
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

#[test]
fn signed_arrays_have_the_same_bytes() {
    let [unsigned, signed] = ["unsigned", "signed"].map(|integers| {
        let output = directory(integers);
        let args = format!("--what maps,counts,threats --format npy --integers {integers} -o {}", output.display());
        analyze(&args, "").ok();
        output
    });
    for name in ["line", "white_attacks", "black_attackers", "threats", "threats_offsets"] {
        let [one, other] = [&unsigned, &signed].map(|path| std::fs::read(path.join(format!("{name}.npy"))).unwrap());
        assert_eq!(one[128..], other[128..], "{name}");
        let header = |bytes: &[u8]| String::from_utf8_lossy(&bytes[10..128]).into_owned();
        assert_eq!(header(&one).replacen('u', "i", 1), header(&other), "{name}");
    }
}

#[test]
fn columns_are_the_same_where_no_row_is_null_and_where_some_are() {
    let output = directory("late-null").join("late.parquet");
    let lines = 20_000;
    for (at, on_error) in [(0, "null"), (lines - 1, "null"), (lines - 1, "report"), (lines - 1, "skip")] {
        let input: String =
            (0..lines).map(|line| if line == at { "x\n".to_owned() } else { format!("{GOOD}\n") }).collect();
        let run = analyze(&format!("- --what boards,maps --on-error {on_error} -o {}", output.display()), input);
        assert_eq!(run.code, Some(0), "{run:?}");
        let table: RecordBatch = read_parquet(&output);
        let schema = table.schema();
        for name in ["white_pawn", "side_to_move", "en_passant", "white_attacks"] {
            assert!(schema.field_with_name(name).unwrap().is_nullable(), "{name}");
            let nulls = if on_error == "skip" { 0 } else { 1 };
            let expected = if name == "en_passant" { table.num_rows() } else { nulls };
            assert_eq!(table[name].null_count(), expected, "{name}, --on-error {on_error}");
        }
        assert_eq!(table.num_rows(), if on_error == "skip" { lines - 1 } else { lines });
    }
}
