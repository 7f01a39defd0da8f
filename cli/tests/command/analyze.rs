//! `analyze`: every form of input and output, and the errors of each.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use arrow_array::builder::{Int64Builder, ListBuilder, MapBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt8Type, UInt16Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, DurationMillisecondArray,
    FixedSizeBinaryArray, FixedSizeListArray, Float32Array, Float64Array, Int16Array, Int64Array, LargeStringArray,
    ListArray, NullArray, RecordBatch, StringArray, StringViewArray, StructArray, Time64MicrosecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::ParquetMetaDataWriter;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use slider_attacks::moves::Move;
use slider_attacks_arrow::{Integers, OptionKind, Options, PositionArray, Product};

use crate::{Run, command, directory, file, finish, gzip, peak, run, start, wait, zstd};

const SAMPLE: &str = include_str!("../../../tests/data/sample.epd");

/// `--what` and all products.
pub fn everything() -> String {
    let names: Vec<_> = Product::ALL.iter().map(|product| product.name()).collect();
    format!("--what {}", names.join(","))
}
pub const GOOD: &str = "4k3/8/8/R2q4/8/8/8/2B1K3 w - - 0 1";

/// The positions of the sample, one per line.
pub fn positions() -> Vec<&'static str> {
    SAMPLE.lines().filter(|line| !line.starts_with('#')).collect()
}

/// A Parquet file with these columns.
pub fn parquet(name: &str, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
    parquet_with(name, columns, WriterProperties::default())
}

pub fn parquet_with(name: &str, columns: Vec<(&str, ArrayRef)>, properties: WriterProperties) -> PathBuf {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).expect("a schema");
    writer.write(&batch).and_then(|()| writer.close().map(drop)).expect("memory can be written");
    file(name, &bytes)
}

pub fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// The rows of a Parquet file.
pub fn read_parquet(path: &Path) -> RecordBatch {
    let file = File::open(path).expect("it is there");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().and_then(|rows| Ok(rows.collect::<Result<_, _>>()?)).expect("rows");
    arrow_select::concat::concat_batches(&schema, &batches).expect("one schema")
}

pub fn read_npy<T: npyz::Deserialize>(path: &Path) -> (Vec<u64>, Vec<T>) {
    let array = npyz::NpyFile::new(BufReader::new(File::open(path).expect("it is there"))).expect("an array");
    (array.shape().to_vec(), array.into_vec().expect("values"))
}

pub fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn hex(value: &Value) -> u64 {
    assert_eq!(value.as_str().expect("a text").len(), 18);
    any_hex(value)
}

fn any_hex(value: &Value) -> u64 {
    let text = value.as_str().and_then(|text| text.strip_prefix("0x")).expect("0x");
    u64::from_str_radix(text, 16).expect("digits")
}

/// Runs `analyze` on this standard input.
pub fn analyze(args: &str, stdin: impl Into<Vec<u8>>) -> Run {
    run(&format!("analyze {args}"), stdin)
}

/// Runs `analyze` on this standard input and writes to this output, whose name may contain blanks.
fn analyze_into(output: &Path, args: &str, stdin: &str) -> Run {
    finish(command("analyze -").args(args.split_whitespace()).arg("-o").arg(output), stdin)
}

/// The row of the good position, worked out by hand: a rook on a5, a bishop on c1, kings, a black queen on d5.
#[test]
fn a_position_in_every_product() {
    let out = analyze(&format!("- {} --format jsonl", everything()), GOOD).ok();
    let row = &json(&out)[0];
    let squares = |name: &str| {
        let set = hex(&row[name]);
        let names = (0..64).filter(|square| set >> square & 1 == 1);
        names.map(|square| format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row["line"], 1);
    assert_eq!(squares("white_attacks"), "a1 d1 f1 a2 b2 d2 e2 f2 a3 e3 a4 f4 b5 c5 d5 g5 a6 h6 a7 a8");
    assert_eq!(squares("white_xrays"), "e5 f5 g5 h5");
    assert_eq!(["white_hanging", "black_hanging"].map(squares), ["a5", "d5"]);
    let attackers = row["white_attackers"].as_array().expect("an array");
    assert_eq!((attackers.len(), &attackers[11], &attackers[3]), (64, &Value::from(2), &Value::from(1)));
    let mobility = row["mobility"].as_array().expect("an array");
    assert_eq!([32, 2, 4, 35, 60, 9].map(|square| mobility[square].as_u64().unwrap()), [10, 7, 5, 27, 5, 0]);
    assert_eq!(["white_pinned", "black_pinned", "white_king_checkers"].map(squares), ["", "", ""]);
    assert_eq!(row["threats"], serde_json::json!(["Ra5xqd5", "qd5xRa5"]));
    assert_eq!(["white_wins", "black_wins"].map(squares), ["d5", "a5"]);
    let gains = ["white_gains", "black_gains"].map(|name| row[name].as_array().expect("an array"));
    assert_eq!((&gains[0][35], &gains[1][32], &gains[0][32]), (&9.into(), &5.into(), &0.into()));
    assert_eq!(row["legal_moves"], 20); // 10, 7, and of the king's 5 those that the queen leaves

    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let out = analyze("- --what keys,status", start).ok();
    assert!(out.ends_with(",0,0,0,0,0x52651569a441eef5,0x52651569a441eef5,0x463b96181691fc9c\n"), "{out}");

    let out = analyze("- --what threats,pins", "4k3/4r3/8/8/8/3n4/4N3/4K3 w - -").ok();
    let header = "line,white_king_checkers,black_king_checkers,white_pinned,black_pinned,threats\n";
    let row = "1,0x0000000000080000,0x0000000000000000,0x0000000000001000,0x0000000000000000,nd3xKe1 re7xNe2\n";
    assert_eq!(out, format!("{header}{row}"));
}

#[test]
fn exchanges_heed_values_and_pins() {
    let gains = |args: &str| {
        let rows = json(&analyze(&format!("- --what exchanges --format jsonl {args}"), PINNED_KNIGHT).ok());
        (hex(&rows[0]["white_wins"]), rows[0]["white_gains"][35].clone())
    };
    /// The knight on e3 is pinned. The pawn on d5 is not defended.
    const PINNED_KNIGHT: &str = "4r2k/8/8/3p4/8/4N3/8/4K3 w - -";
    assert_eq!(gains(""), (1 << 35, 1.into()));
    assert_eq!(gains("--values 63,3,3,5,9"), (1 << 35, 63.into()));
    assert_eq!(gains("--values 0,3,3,5,9"), (0, 0.into()));
    assert_eq!(gains("--pinned stay"), (0, 0.into()));
    for values in ["1,3,3,5", "1,3,3,5,64"] {
        let run = analyze(&format!("- --what exchanges --values {values}"), PINNED_KNIGHT);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("expected five numbers from 0 to 63"), "{}", run.stderr);
    }
}

#[test]
fn each_option_of_products_is_an_argument() {
    for command in ["analyze", "summarize"] {
        let help = run(&format!("{command} --help"), "").ok();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for option in Options::ALL {
            let name = option.name();
            let described =
                format!("--{name} <{}> {} [default: {}]", option.value_name(), option.help(), option.default());
            assert!(help.contains(&described), "{described}: {help}");
            let values = match option.kind() {
                OptionKind::Choice(names) => names,
                _ => &[option.default()],
            };
            for value in values {
                run(&format!("{command} - --{name} {value} --format csv"), "4k3/8/8/8/8/8/8/R3K3 w Q -").ok();
            }
            let wrong = run(&format!("{command} - --{name} x"), "");
            assert_eq!(wrong.code, Some(2));
            let begins = format!("error: invalid value 'x' for '--{name} <{}>'", option.value_name());
            assert!(wrong.stderr.starts_with(&begins), "{wrong:?}");
        }
    }
}

#[test]
fn every_format_holds_the_same_values() {
    let rows = json(&analyze(&format!("{} --format jsonl", everything()), "").ok());
    assert_eq!(rows.len(), positions().len());

    let csv = analyze(&everything(), "").ok();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    assert_eq!(header.len(), 1 + Product::ALL.iter().map(|product| product.columns().len()).sum::<usize>());
    for (row, record) in rows.iter().zip(reader.records()) {
        for (name, field) in header.iter().zip(&record.expect("a record")) {
            let expected = match &row[name] {
                Value::Array(values) => {
                    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    values.iter().map(text).collect::<Vec<_>>().join(" ")
                }
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(field, expected, "{name}");
        }
    }

    let directory = directory("every_format");
    let path = directory.join("out.parquet");
    assert_eq!(analyze(&format!("{} -o {}", everything(), path.display()), "").ok(), "");
    let table = read_parquet(&path);
    analyze(&format!("{} --format npy -o {}", everything(), directory.display()), "").ok();
    assert_eq!(table.num_rows(), rows.len());
    let threat = |part: [u8; 4]| {
        let square = |index: u8| format!("{}{}", char::from(b'a' + index % 8), index / 8 + 1);
        let [attacker, from, to, victim] = part;
        format!("{}{}x{}{}", attacker as char, square(from), victim as char, square(to))
    };
    for (field, column) in table.schema().fields().iter().zip(table.columns()) {
        let name = field.name().as_str();
        let npy = directory.join(format!("{name}.npy"));
        let count = rows.len() as u64;
        if let Some(boards) = column.as_primitive_opt::<UInt64Type>() {
            let expected = rows.iter().map(|row| row[name].as_u64().unwrap_or_else(|| hex(&row[name])));
            assert_eq!(boards.values(), expected.collect::<Vec<_>>().as_slice(), "{name}");
            assert_eq!(read_npy::<u64>(&npy), (vec![count], boards.values().to_vec()), "{name}");
        } else if let Some(numbers) = column.as_primitive_opt::<UInt16Type>() {
            let expected: Vec<u16> = rows.iter().map(|row| row[name].as_u64().expect(name) as u16).collect();
            assert_eq!(numbers.values(), expected.as_slice(), "{name}");
            assert_eq!(read_npy::<u16>(&npy), (vec![count], expected), "{name}");
        } else if let Some(sets) =
            column.as_fixed_size_list_opt().and_then(|lists| lists.values().as_primitive_opt::<UInt64Type>())
        {
            let expected: Vec<u64> =
                rows.iter().flat_map(|row| row[name].as_array().expect(name)).map(any_hex).collect();
            assert_eq!(sets.values(), expected.as_slice(), "{name}");
            assert_eq!(read_npy::<u64>(&npy), (vec![count, 64], expected), "{name}");
        } else if let Some(lists) = column.as_fixed_size_list_opt() {
            let expected = rows.iter().flat_map(|row| row[name].as_array().expect(name));
            let expected: Vec<u8> = expected.map(|value| value.as_u64().unwrap() as u8).collect();
            assert_eq!(lists.values().as_primitive::<UInt8Type>().values(), expected.as_slice(), "{name}");
            assert_eq!(read_npy::<u8>(&npy), (vec![count, 64], expected), "{name}");
        } else if let Some(moves) = column.as_list::<i32>().values().as_primitive_opt::<UInt16Type>() {
            let lists = column.as_list::<i32>();
            let ends: Vec<u64> = lists.value_offsets().iter().map(|&offset| offset as u64).collect();
            for (row, range) in rows.iter().zip(ends.windows(2)) {
                let moves = moves.values()[range[0] as usize..range[1] as usize].iter();
                let moves = moves.map(|&bits| Move::from_bits(bits).encode_uci(&mut [0; 5]).to_owned());
                assert_eq!(row[name], Value::from(moves.collect::<Vec<_>>()), "{name}");
            }
            assert_eq!(read_npy::<u16>(&npy), (vec![moves.len() as u64], moves.values().to_vec()), "{name}");
            let offsets = read_npy::<u64>(&directory.join(format!("{name}_offsets.npy")));
            assert_eq!(offsets, (vec![count + 1], ends), "{name}");
        } else {
            let lists = column.as_list::<i32>();
            let parts = lists.values().as_struct();
            let part = |place: usize, index: usize| parts.column(place).as_primitive::<UInt8Type>().value(index);
            let list: Vec<[u8; 4]> = (0..parts.len()).map(|at| [0, 1, 2, 3].map(|place| part(place, at))).collect();
            let ends: Vec<u64> = lists.value_offsets().iter().map(|&offset| offset as u64).collect();
            for (row, range) in rows.iter().zip(ends.windows(2)) {
                let threats = list[range[0] as usize..range[1] as usize].iter().map(|&part| threat(part));
                assert_eq!(row[name], Value::from(threats.collect::<Vec<_>>()), "{name}");
            }
            assert_eq!(read_npy::<u8>(&npy), (vec![list.len() as u64, 4], list.into_flattened()));
            assert_eq!(read_npy::<u64>(&directory.join("threats_offsets.npy")), (vec![count + 1], ends));
        }
    }
}

#[test]
fn tables_hold_moves_as_text_on_request() {
    let directory = directory("moves_as_text");
    let rows = json(&analyze("--what moves,checking_moves --format jsonl", "").ok());
    assert!(rows.iter().any(|row| row["checking_moves"].as_array().is_some_and(|moves| !moves.is_empty())));
    let path = directory.join("out.parquet");
    analyze(&format!("--what moves,checking_moves --notation uci -o {}", path.display()), "").ok();
    let table = read_parquet(&path);
    for name in ["moves", "checking_moves"] {
        let lists = table[name].as_list::<i32>();
        for (row, moves) in rows.iter().zip(lists.iter()) {
            let moves = moves.expect("a list");
            let moves: Vec<&str> = moves.as_string::<i32>().iter().flatten().collect();
            assert_eq!(row[name], Value::from(moves), "{name}");
        }
    }
}

/// `attacks` reads what `analyze` reads.
#[test]
fn every_kind_of_input_gives_the_same_rows() {
    let positions = positions();
    let lines: String = positions.iter().map(|line| format!("{line}\n")).collect();
    let csv = |mark: char| -> String {
        // The first field is quoted and contains the delimiter.
        let row = |line: &&str| format!("\"a{mark} \"\"b\"\"\"{mark}\"{}\"{mark}1\n", line.replace('"', "\"\""));
        format!("PuzzleId{mark}FEN{mark}Rating\n") + &positions.iter().map(row).collect::<String>()
    };
    let object = |line: &&str| serde_json::json!({ "evals": [{ "fen": 1 }], "fen": line, "x": 1 }).to_string() + "\n";
    let jsonl: String = positions.iter().map(object).collect();
    let commands = ["analyze --format jsonl", "attacks --format jsonl"];
    let expected = commands.map(|args| run(&format!("{args} -"), lines.as_str()).ok());
    assert_eq!(expected[0].lines().count(), positions.len());
    // The header is a line too.
    let after_header = |rows: &String| -> String {
        let parts = rows.lines().map(|row| row["{\"line\":".len()..].split_once(',').expect("a number"));
        parts.map(|(line, rest)| format!("{{\"line\":{},{rest}\n", line.parse::<u64>().expect(line) + 1)).collect()
    };
    let check = |path: &Path, expected: &[String; 2]| {
        for (args, expected) in commands.iter().zip(expected) {
            assert!(finish(command(args).arg(path), "").ok() == *expected, "{args} {}", path.display());
        }
    };
    for (kind, text) in [("fen", lines), ("jsonl", jsonl), ("csv", csv(',')), ("tsv", csv('\t')), ("txt", csv(';'))] {
        let is_csv = !matches!(kind, "fen" | "jsonl");
        let expected = expected.each_ref().map(|rows| if is_csv { after_header(rows) } else { rows.clone() });
        let text = text.into_bytes();
        let (first, second) = text.split_at(text.len() / 2);
        let forms = [
            ("plain", text.clone()),
            ("mark", [b"\xef\xbb\xbf", text.as_slice()].concat()),
            ("crlf", String::from_utf8_lossy(&text).replace('\n', "\r\n").into_bytes()),
            ("gzip", gzip(&text)),
            ("zstd", zstd(&text)),
            ("two members", [gzip(first), gzip(second)].concat()),
            ("two frames", [zstd(first), zstd(second)].concat()),
            ("skippable frame", [b"\x50\x2a\x4d\x18\x03\0\0\0abc", zstd(&text).as_slice()].concat()),
            ("no end", text.trim_ascii_end().to_vec()),
        ];
        for (form, bytes) in forms {
            // The name does not tell the format.
            check(&file(&format!("input of {kind}.{form}"), &bytes), &expected);
            assert!(analyze("- --format jsonl", bytes).ok() == expected[0], "{kind}, {form}, standard input");
        }
    }
    let ids = texts(&vec!["x"; positions.len()]);
    check(&parquet("input.parquet", vec![("id", ids), ("Fen", texts(&positions))]), &expected);
    let binary: ArrayRef = Arc::new(arrow_array::BinaryArray::from_iter_values(&positions));
    check(&parquet("binary.parquet", vec![("fen", binary)]), &expected);
}

/// Such fields must come out as the `csv` crate reads them.
#[test]
fn quotation_marks_where_they_do_not_belong() {
    let notes = ["5\" board", "\"a\nb\"", "x\"\"y", "\"\"", "\"say \"\"so\"\"\n\"", " \"not one", "\"\n\n\"\"\""];
    let rows = (0..4_000).map(|row| format!("{GOOD},{}\n", notes[row * row % 31 % notes.len()]));
    let input: String = ["fen,note\n".to_owned()].into_iter().chain(rows).collect();
    let read = |text: &str, column: usize| -> Vec<String> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.records().map(|record| record.expect("a record")[column].to_owned()).collect()
    };
    let out = analyze("- --keep note --what hanging", input.as_str()).ok();
    let expected = read(&input, 1);
    assert!(expected.len() == 4_000 && read(&out, 1) == expected);
}

#[test]
fn escapes_in_json_are_taken_off() {
    let fen = GOOD.replacen('/', "\\/", 3).replacen('4', "\\u0034", 1);
    let out = analyze("- --format jsonl --what hanging", format!("{{\"F\\u0065n\":\"{fen}\"}}")).ok();
    assert_eq!(json(&out)[0]["white_hanging"], "0x0000000100000000");
}

/// An exact name takes precedence over one that differs in case, wherever it is.
#[test]
fn the_right_field_of_an_object() {
    for others in [r#""FEN":null,"fen":"#, r#""fEn":"k7","fen":"#, r#""Fen":"#] {
        analyze("- --column fen --what maps", format!("{{{others}\"{GOOD}\"}}")).ok();
    }
    let after = format!("{{\"fen\":\"{GOOD}\",\"FEN\":null}}");
    analyze("- --column fen --what maps", after).ok();
    let broken = format!("{{\"fen\":\"{GOOD}\",\"x\":\"\\ud800\"}}");
    analyze("- --keep x --what maps", broken).fails("line 1, JSON: field \"x\": expected text, found \"\\ud800\"");
}

#[test]
fn every_codec_of_parquet() {
    let positions = positions();
    let expected = analyze("- --format jsonl", positions.join("\n")).ok();
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::BROTLI(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(Default::default()),
    ];
    for codec in codecs {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder().set_compression(codec).set_writer_version(version).build();
            let path = parquet_with("codec.parquet", vec![("fen", texts(&positions))], properties);
            let out = analyze(&format!("{} --format jsonl", path.display()), "").ok();
            assert!(out == expected, "{codec:?}, {version:?}");
        }
    }
    // LZO, which no program writes any more: the same file, except for the codec that its footer names.
    let bytes = fs::read(parquet("plain.parquet", vec![("fen", texts(&positions))])).expect("it is there");
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).expect("a Parquet file");
    let metadata = reader.metadata().clone();
    let group = metadata.row_group(0).clone();
    let column = group.column(0).clone().into_builder().set_compression(Compression::LZO).build().expect("a column");
    let group = group.into_builder().set_column_metadata(vec![column]).build().expect("a row group");
    let metadata = metadata.into_builder().set_row_groups(vec![group]).build();
    let mut bytes = bytes;
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().expect("memory can be written");
    let run = analyze(&file("lzo.parquet", &bytes).display().to_string(), "");
    run.fails("lzo.parquet as Parquet");
    assert!(run.stdout.is_empty() && run.stderr.contains("LZO"), "{run:?}");
}

#[test]
fn columns_are_kept_in_every_format() {
    let csv = format!("id,FEN,note\n00a,{GOOD},\"a \"\"b\"\"\nc, d\"\n00b,{GOOD},\n");
    assert_eq!(
        analyze("- --keep note,id --what hanging", csv.as_str()).ok(),
        "line,note,id,white_hanging,black_hanging\n2,\"a \"\"b\"\"\nc, d\",00a,0x0000000100000000,0x0000000800000000\n\
         4,,00b,0x0000000100000000,0x0000000800000000\n"
    );
    let rows = json(&analyze("- --keep all --format jsonl", csv.as_str()).ok());
    assert_eq!((&rows[0]["note"], &rows[0]["FEN"]), (&"a \"b\"\nc, d".into(), &GOOD.into()));

    let jsonl = format!("{{\"fen\":\"{GOOD}\",\"n\":[1,2.50],\"s\":\"a\\nb\"}}\n{{\"s\":null,\"fen\":\"{GOOD}\"}}\n");
    let out = analyze("- --keep all --format jsonl --what hanging", jsonl.as_str()).ok();
    let hanging = "\"white_hanging\":\"0x0000000100000000\",\"black_hanging\":\"0x0000000800000000\"}\n";
    let first = format!("{{\"line\":1,\"fen\":\"{GOOD}\",\"n\":[1,2.50],\"s\":\"a\\nb\",{hanging}");
    assert_eq!(out, format!("{first}{{\"line\":2,\"s\":null,\"fen\":\"{GOOD}\",{hanging}"));
    let out = analyze("- --keep s,n --format jsonl --what hanging", jsonl.as_str()).ok();
    assert!(out.contains("{\"line\":2,\"s\":null,\"n\":null,"), "{out}");
    let out = analyze("- --keep s,n --what hanging", jsonl.as_str()).ok();
    assert!(out.contains("\n1,\"a\nb\",\"[1,2.50]\",0x") && out.contains("\n2,,,0x"), "{out}");

    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(-5), None, Some(7)]));
    let path = parquet(
        "kept.parquet",
        vec![("n", numbers), ("fen", texts(&[GOOD, "bad", GOOD])), ("t", texts(&["x", "y", "z"]))],
    );
    let kept = directory("kept").join("kept.parquet");
    let args = format!("{} --keep t,n --on-error skip", path.display());
    let run = analyze(&format!("{args} -o {}", kept.display()), "");
    assert!(run.stderr.ends_with("skipped 1 of 3 positions: malformed\n"), "{run:?}");
    let table = read_parquet(&kept);
    assert_eq!(table.column(0).as_primitive::<UInt64Type>().values(), &[1, 3]);
    assert_eq!(table.column(1).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("x"), Some("z")]);
    assert_eq!(table.column(2).as_primitive::<Int64Type>().values(), &[-5, 7]);
    let run = analyze(&format!("{args} --format jsonl"), "");
    assert!(run.stdout.starts_with("{\"line\":1,\"t\":\"x\",\"n\":-5,\"white"), "{run:?}");

    assert_eq!(
        analyze("- --keep fen --what hanging --limit 1", GOOD).ok().lines().nth(1).unwrap().split(',').nth(1),
        Some(GOOD)
    );
    // The same rule for the case of letters as with --column, and an error if there is no such field at all.
    assert!(analyze("- --keep Note,fen --what hanging", csv.as_str()).ok().starts_with("line,note,FEN,white_hanging"));
    assert!(analyze("- --keep N --what hanging", jsonl.as_str()).ok().contains("\n1,\"[1,2.50]\",0x"));
    let names: String = (0..5_000).map(|number| format!(",x{number}")).collect();
    let wide = format!("fen{names}\n{GOOD}{}\n", ",1".repeat(5_000));
    // Not malformed, so it is not lost.
    let taken = format!("{{\"error\":1,\"line\":1,\"fen\":\"{GOOD}\"}}\n");
    for (input, args, message) in [
        (jsonl.as_str(), "--keep n,ratings", "no record of standard input has a field \"ratings\" to keep"),
        (csv.as_str(), "--keep ids", "has no column \"ids\" to keep; its columns are id, FEN, note"),
        (csv.as_str(), "--column position", "has no column \"position\"; its columns are id, FEN, note"),
        ("line,fen\n", "--keep all", "cannot keep column \"line\": the output already has a column of that name"),
        ("a,fen\n", "--keep a,a", "cannot keep column \"a\": the output already has a column of that name"),
        ("a,a,fen\n", "--keep all", "cannot keep column \"a\": the output already has a column of that name"),
        (jsonl.as_str(), "--keep all", "name the columns to keep, or use --format jsonl"),
        (wide.as_str(), "--keep all --format parquet", "holds at most 4096 columns, found 5004"),
        ("{\"line\":1,\"fen\":\"\"}", "--keep all --format jsonl", "cannot keep field \"line\""),
        (taken.as_str(), "--keep all --format jsonl --on-error skip", "line 1, JSON: cannot keep field \"line\""),
        (taken.as_str(), "--keep all --format jsonl --on-error report", "line 1, JSON: cannot keep field \"error\""),
    ] {
        analyze(&format!("- {args}"), input).fails(message);
    }
}

/// Many blocks, whose lines differ in length, so some take longer than others.
pub fn many() -> String {
    let lines = positions().into_iter().cycle().take(20_000).enumerate();
    lines.map(|(at, line)| format!("{line}{}\n", " ".repeat(at % 97))).collect()
}

#[test]
fn rows_come_in_the_order_of_the_input() {
    let path = file("many.epd", many().as_bytes());
    let one = analyze(&format!("{} --threads 1", path.display()), "").ok();
    let lines = one.lines().skip(1).map(|row| row.split(',').next().unwrap().parse::<usize>().unwrap());
    assert!(lines.eq(1..=20_000));
    for threads in [2, 5] {
        assert!(analyze(&format!("{} --threads {threads}", path.display()), "").ok() == one, "{threads} threads");
    }
    // Several parts of a row group, each encoded by one thread.
    let target = directory("order").join("out.parquet");
    let tables = [1, 2, 5].map(|threads| {
        let args = format!("{} {} --threads {threads} -o {}", path.display(), everything(), target.display());
        analyze(&args, "").ok();
        fs::read(&target).expect("it is there")
    });
    assert!(tables.iter().all(|table| *table == tables[0]));
    let table = read_parquet(&target);
    assert!(table.column(0).as_primitive::<UInt64Type>().values().iter().copied().eq(1..=20_000));
    for limit in [0, 1, 500, 501, 19_999, 20_000, 30_000] {
        let out = analyze(&format!("{} --limit {limit}", path.display()), "").ok();
        let rows: Vec<_> = one.lines().take(limit + 1).collect();
        assert!(out.lines().eq(rows), "limit {limit}");
    }
    // Input beyond the limit is not examined.
    assert_eq!(analyze("- --limit 1", format!("{GOOD}\nbad\n")).ok().lines().count(), 2);
}

#[test]
fn several_files_are_one_input() {
    let first = file("first.csv", format!("FEN,id\n{GOOD},a\n").as_bytes());
    let second = parquet("second.parquet", vec![("id", texts(&["b"])), ("fen", texts(&[GOOD]))]);
    let (first, second) = (first.display(), second.display());
    let out = analyze(&format!("{first} {second} - --what hanging"), GOOD).ok();
    let start: Vec<_> = out.lines().skip(1).map(|row| row.split(",0x").next().unwrap()).collect();
    assert_eq!(start.join("\n"), format!("{first},2\n{second},1\nstandard input,1"));
    assert!(out.starts_with("file,line,white_hanging,black_hanging\n"), "{out}");
    let out = analyze(&format!("{first} {second} --keep id --what hanging"), "").ok();
    assert!(out.contains(&format!("{second},1,b,0x")), "{out}");
    let run = analyze(&format!("{first} {second} --keep all"), "");
    run.fails(": kept columns differ from those of earlier files");
    let arrays = directory("several");
    analyze(&format!("{first} {second} --format npy -o {}", arrays.display()), "").ok();
    assert_eq!(read_npy::<u64>(&arrays.join("file.npy")), (vec![2], vec![0, 1]));
}

#[test]
fn malformed_records_are_named_and_counted() {
    let long = "x".repeat((1 << 20) + 1);
    let cases = [
        (format!("{GOOD}\nk7/8 w - -\n"), "line 2, column "),
        (format!("fen,x\n{GOOD},1\nbad,2\n"), "line 3, field \"fen\", column "),
        (format!("fen,x\n{GOOD},1\n\n\n{GOOD}\n"), "line 5, columns: expected 2 as in the header, found 1"),
        (format!("{{\"fen\":\"{GOOD}\"}}\n{{\"fen\":7}}\n"), "line 2, JSON: field \"fen\": expected text, found 7"),
        (format!("{{\"fen\":\"{GOOD}\"}}\n{{\"fan\":7}}\n"), "line 2, JSON: expected a field \"fen\", found none"),
        (format!("{{\"fen\":\"{GOOD}\"}}\n{{\"fen\":\n"), "line 2, JSON: EOF while parsing a value at byte 7"),
        (format!("{GOOD}\nbad\r"), "line 2, column "),
        (
            format!("fen,x\n{GOOD},1\n{GOOD},\"2\n"),
            "line 3, field 2: expected a closing quotation mark before ',' or a line end within 1048576 bytes, found none",
        ),
        (
            format!("fen,x\n{GOOD},1\n{GOOD},\"2\" x\n"),
            "line 3, field 2: expected ',' or the end of the line after the closing quotation mark, found \" x\"",
        ),
        (
            format!("{{\"fen\":\"{GOOD}\"}}\n{{\"fen\":\"{GOOD}\\n{GOOD}\"}}\n"),
            "line 2, field \"fen\": expected one position, found a line end",
        ),
        (format!("{GOOD}\n{long}\n"), "line 2, length: expected at most 1048576 bytes, found more"),
    ];
    for (input, message) in &cases {
        let failed = analyze("-", input.as_str());
        assert_eq!((failed.code, failed.stdout.lines().count()), (Some(1), 2), "{failed:?}");
        assert!(failed.stderr.starts_with(&format!("error: standard input, {message}")), "{failed:?}");
        let good = input.lines().nth(usize::from(input.starts_with("fen"))).expect("a line");
        let skipped = analyze("- --on-error skip", format!("{input}{good}\n"));
        assert_eq!((skipped.code, skipped.stdout.lines().count()), (Some(0), 3), "{skipped:?}");
        assert!(skipped.stderr.starts_with(&format!("skipped: standard input, {message}")), "{skipped:?}");
        assert!(skipped.stderr.ends_with("\nstandard input: skipped 1 of 3 positions: malformed\n"), "{skipped:?}");
    }
    // Every third of many lines.
    let bad = |(at, line): (usize, &str)| format!("{}{line}\n", if at % 3 == 0 { "x" } else { "" });
    let input: String = many().lines().enumerate().map(bad).collect();
    let run = analyze("- --on-error skip --threads 2", input);
    assert_eq!((run.stdout.lines().count() - 1, run.stderr.lines().count()), (13_333, 22));
    let (messages, all) = run.skipped();
    let numbers = (1..).step_by(3).map(|line| format!("skipped: standard input, line {line}, "));
    assert!(messages.iter().zip(numbers).all(|(message, start)| message.starts_with(&start)), "{messages:?}");
    assert_eq!((messages.len(), all), (20, 6_667));
    assert!(run.stderr.ends_with("\n… and 6,647 more\nstandard input: skipped 6667 of 20000 positions: malformed\n"));
    assert!(run.stderr.ends_with("skipped 6667 of 20000 positions: malformed\n"));
    for (second, message) in [(Some("x"), "column "), (None, "expected a position, found null")] {
        let fens: ArrayRef = Arc::new(StringArray::from(vec![Some(GOOD), second]));
        let run = analyze(&parquet("malformed.parquet", vec![("fen", fens)]).display().to_string(), "");
        assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 2), "{run:?}");
        assert!(run.stderr.contains(&format!("malformed.parquet, row 2, field \"fen\", {message}")), "{run:?}");
    }
}

#[test]
fn files_that_are_not_what_they_seem() {
    let text = many().into_bytes();
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let whole = fs::read(parquet("whole.parquet", vec![("fen", texts(&[GOOD; 100]))])).expect("it is there");
    let cases = [
        ("cut.zst", cut(zstd(&text)), "cannot read", "incomplete frame"),
        ("cut.gz", cut(gzip(&text)), "cannot read", "incomplete deflate stream"),
        ("damaged.gz", [&gzip(&text)[..1000], &[0; 1000]].concat(), "cannot read", ""),
        ("trailing.gz", [gzip(&text), b"abc".to_vec()].concat(), "cannot read", ""),
        ("cut.parquet", cut(whole.clone()), "as Parquet", ""),
        ("head.parquet", b"PAR1".to_vec(), "as Parquet", ""),
        ("inside.zst", zstd(&whole), "it is compressed Parquet", ""),
        ("bzip2.csv", b"BZh91AY&SY".to_vec(), "it is compressed with bzip2", ""),
        ("utf16.csv", b"\xff\xfef\0e\0n\0\n\0".to_vec(), "it is text in UTF-16", ""),
        ("array.zst", zstd(b"[1, 2]\n"), "it is a JSON array", ""),
        (
            "unclosed.csv",
            [b"fen,x\n\"", b"x\n".repeat(1 << 20).as_slice()].concat(),
            "line 2, field 1: expected a closing quotation mark",
            "",
        ),
    ];
    let target = directory("not what they seem").join("out.csv");
    for (name, bytes, message, reason) in cases {
        let path = file(name, &bytes);
        fs::write(&target, "before").expect("it can be written");
        let run = finish(command("analyze").arg(&path).arg("-o").arg(&target), "");
        [name, message, reason].iter().for_each(|part| run.fails(part));
        // The old file is unchanged, and there is nothing next to it.
        assert_eq!(fs::read(&target).expect("it is there"), b"before");
        assert_eq!(names(target.parent().unwrap()), ["out.csv"]);
    }
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let path = parquet("type.parquet", vec![("fen", numbers)]);
    analyze(&path.display().to_string(), "").fails("type.parquet, column \"fen\": expected text, found Int64");
    analyze("-", whole).fails("standard input: Parquet must be a file");
    analyze("- -", GOOD).fails("only one FILE can be -");
    for command in ["attacks", "pairs", "analyze"] {
        if command != "analyze" {
            run(&format!("{command} {}", env!("CARGO_TARGET_TMPDIR")), "").fails("it is a directory");
        }
        run(&format!("{command} no-such-file.epd"), "").fails("cannot open no-such-file.epd: ");
    }
    for empty in ["", "\n\n# nothing\n", "FEN,x\n"] {
        let run = analyze("-", empty);
        assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{run:?}");
        assert_eq!(run.stderr, "note: no positions in standard input\n");
    }
    let directory = directory("empty");
    let empty = directory.join("empty.parquet");
    analyze(&format!("- -o {}", empty.display()), "");
    assert_eq!(read_parquet(&empty).num_columns(), 3);
    // The columns to keep appear, so that all shards of a data set have one schema, even if one shard is empty.
    assert_eq!(analyze("- --keep x,fen --what maps", "FEN,x\n").stdout, "line,x,FEN,white_attacks,black_attacks\n");
    let none: Vec<(&str, ArrayRef)> = vec![("fen", texts(&[])), ("n", Arc::new(Int64Array::from(vec![0; 0])))];
    let (none, one) = (parquet("none.parquet", none), directory.join("one.parquet"));
    let some = parquet("some.parquet", vec![("fen", texts(&[GOOD])), ("n", Arc::new(Int64Array::from(vec![7])))]);
    let shard = |input: &Path, args: &str, output: &Path| {
        let run = analyze(&format!("{} --keep n,fen {args} -o {}", input.display(), output.display()), "");
        assert_eq!(run.code, Some(0), "{run:?}");
        read_parquet(output)
    };
    let full = shard(&some, "", &one);
    for table in [shard(&none, "", &empty), shard(&some, "--limit 0", &empty)] {
        assert_eq!((table.num_rows(), table.schema()), (0, full.schema()));
    }
}

/// A file of many positions. Only a little of it is read before its rows are taken.
fn changing(kind: &str) -> PathBuf {
    let text = many();
    let name = format!("changing.{kind}");
    match kind {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
            file(&name, &encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("memory"))
        }
        "parquet" => {
            let properties =
                WriterProperties::builder().set_dictionary_enabled(false).set_data_page_row_count_limit(500);
            let lines: Vec<_> = text.lines().collect();
            parquet_with(&name, vec![("fen", texts(&lines))], properties.set_write_batch_size(500).build())
        }
        _ => file(&name, text.as_bytes()),
    }
}

#[test]
fn files_that_change_while_they_are_read() {
    type Change<'a> = (&'a str, bool, &'a dyn Fn(&Path));
    let other = file("another file", b"nothing");
    let open = |path: &Path| fs::OpenOptions::new().append(true).open(path).expect("it can be opened");
    let halve = |path: &Path| {
        let bytes = fs::read(path).expect("it is there");
        let half = bytes.len() / 2;
        let end = bytes[..half].iter().rposition(|&byte| byte == b'\n').map_or(half, |at| at + 1);
        open(path).set_len(end as u64).expect("it can be cut");
    };
    let rewrite = |path: &Path| {
        let bytes = fs::read(path).expect("it is there");
        std::thread::sleep(Duration::from_millis(20)); // file systems can have clocks as coarse as this
        fs::write(path, bytes).expect("it can be written");
    };
    let changes: [Change<'_>; 6] = [
        ("cut", false, &halve),
        ("emptied", false, &|path| open(path).set_len(0).expect("it can be cut")),
        ("grown", false, &|path| writeln!(open(path), "{GOOD}").expect("it can be written")),
        ("rewritten", false, &rewrite),
        // An open file is read to its end.
        ("replaced", true, &|path| {
            fs::copy(&other, path.with_extension("new"))
                .and_then(|_| fs::rename(path.with_extension("new"), path))
                .expect("it can be replaced")
        }),
        ("removed", true, &|path| fs::remove_file(path).expect("it can be removed")),
    ];
    for kind in ["fen", "gzip", "parquet"] {
        for (name, is_whole, change) in changes {
            let path = changing(kind);
            let mut command = command("analyze --threads 1");
            let (mut child, _) = start(command.arg(&path));
            let mut stdout = child.stdout.take().expect("a pipe");
            stdout.read_exact(&mut [0; 4]).expect("the first row");
            // The pipe is full by now, or soon will be, and the command waits.
            change(&path);
            let rest = std::io::read_to_string(stdout).expect("UTF-8");
            let run = wait(child);
            if is_whole {
                assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{kind}, {name}");
                assert_eq!(rest.lines().count(), 20_001, "{kind}, {name}");
            } else {
                run.fails(&format!("cannot read {}: it changed during reading\n", path.display()));
            }
        }
    }
    // The file is removed before its turn comes.
    let (gone, directory) = (changing("fen"), directory("changing"));
    let (child, mut stdin) = start(command("analyze -").arg(&gone).arg("-o").arg(directory.join("out.csv")));
    stdin.write_all(many().as_bytes()).expect("it reads");
    fs::remove_file(&gone).expect("it can be removed");
    drop(stdin);
    wait(child).fails(&format!("cannot open {}: ", gone.display()));
    assert_eq!(names(&directory), [""; 0]);
}

/// Wrong lengths of texts, among other damage. The reader of this encoding panics on some of it.
#[test]
fn damaged_parquet() {
    let properties = WriterProperties::builder().set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BYTE_ARRAY);
    let path = parquet_with("damaged.parquet", vec![("fen", texts(&positions()))], properties.build());
    let bytes = fs::read(path).expect("it is there");
    let mut failed = 0;
    for at in 4..200 {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let run = analyze(&file("damaged.parquet", &bytes).display().to_string(), "");
        match run.code {
            Some(0) => assert_eq!(run.stderr, "", "byte {at}"),
            _ => {
                run.fails("damaged.parquet");
                failed += 1;
            }
        }
    }
    assert!(failed > 50);
}

/// The command must hold neither the line nor its parts in memory: they are larger than the command may become.
#[test]
fn a_line_of_100_megabytes() {
    let (child, mut stdin) = start(&mut command("analyze - --on-error skip --format jsonl"));
    writeln!(stdin, "{GOOD}").expect("it reads");
    (0..100).for_each(|_| stdin.write_all(&vec![b'x'; 1 << 20]).expect("it reads"));
    let peak = peak(child.id());
    assert!(peak.is_some() || !cfg!(target_os = "linux"));
    assert!(peak.is_none_or(|peak| peak < 60 << 10), "{peak:?} KiB");
    writeln!(stdin, "\n{GOOD}").expect("it reads");
    drop(stdin);
    let rows = json(&wait(child).stdout);
    assert_eq!([&rows[0]["line"], &rows[1]["line"]], [1, 3]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_and_a_closed_pipe() {
    for args in ["attacks", "pairs", "cpu", "analyze", "analyze --format jsonl", "analyze --format parquet"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let child = command(args).stdout(full).stderr(Stdio::piped()).spawn().expect("it starts");
        wait(child).fails("error: cannot write the results: No space left on device (os error 28)\n");
    }
    for args in ["", "--format jsonl", "--format parquet"] {
        let run = analyze(&format!("{args} -o /dev/full"), "");
        run.fails("error: cannot write /dev/full: No space left on device (os error 28)\n");
        // An incomplete file has a hidden name, which does not matter here.
        let directory = directory("full");
        let target = directory.join("new/newer/out");
        let limited = "ulimit -f 0; trap '' XFSZ; exec \"$@\"";
        let mut shell = Command::new("sh");
        let inner = command(&format!("analyze {args}"));
        shell.args(["-c", limited, "sh"]).arg(inner.get_program()).args(inner.get_args()).arg("-o").arg(&target);
        let message = format!("error: cannot write {}: File too large (os error 27)\n", target.display());
        finish(&mut shell, "").fails(&message);
        assert_eq!(names(&directory), [""; 0], "{args}");
    }
    let of_analyze = ["", "--format jsonl", "--format parquet"].map(|args| format!("analyze - {args}"));
    let of_attacks = ["table", "csv", "jsonl", "board"].map(|format| format!("attacks - --format {format}"));
    for args in of_analyze.into_iter().chain(of_attacks) {
        let (mut child, mut stdin) = start(&mut command(&args));
        let mut stdout = child.stdout.take().expect("a pipe");
        let writer = std::thread::spawn(move || {
            let lines = many();
            while stdin.write_all(lines.as_bytes()).is_ok() {}
        });
        stdout.read_exact(&mut [0; 4]).expect("something");
        drop(stdout);
        assert_eq!(wait(child).ok(), "", "{args}");
        writer.join().expect("the writer ends when nobody reads");
    }
}

#[test]
fn rows_do_not_wait_for_more_input() {
    for args in ["analyze -", "attacks - --format csv"] {
        let (mut child, mut stdin) = start(&mut command(args));
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        for number in 1..4 {
            writeln!(stdin, "{GOOD}").expect("it reads");
            let row = lines.by_ref().find(|line| line.as_ref().expect("text").starts_with(&format!("{number},")));
            assert!(row.is_some(), "{args}: the end before row {number}");
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
    }
}

/// The input stays open after the last position that is needed.
#[test]
fn a_limit_does_not_wait_for_more_input() {
    let (mut child, mut stdin) = start(&mut command("analyze - --limit 1"));
    writeln!(stdin, "{GOOD}").expect("it reads");
    assert!(child.wait().expect("it ends").success());
}

/// The output may already exist. A file keeps its permissions; a link is followed, even if its target does not exist yet;
/// standard output is written to, not replaced.
#[cfg(target_os = "linux")]
#[test]
fn what_stands_under_the_name_of_the_output() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    let directory = directory("under-the-name");
    let (private, link) = (directory.join("private.csv"), directory.join("link"));
    fs::write(&private, "old").expect("a file");
    fs::set_permissions(&private, fs::Permissions::from_mode(0o600)).expect("its owner asks");
    analyze_into(&private, "--what maps", GOOD).ok();
    assert_eq!(fs::metadata(&private).expect("a file").mode() & 0o777, 0o600);

    symlink("behind", &link).expect("a link");
    analyze_into(&link, "--what maps", GOOD).ok();
    assert_eq!(fs::read(directory.join("behind")).expect("a file"), fs::read(&private).expect("a file"));
    assert!(link.is_symlink());
    // Missing directories are made.
    analyze_into(&directory.join("new/newer/out.csv"), "--what maps", GOOD).ok();
    assert_eq!(fs::read(directory.join("new/newer/out.csv")).expect("a file"), fs::read(&private).expect("a file"));

    let appended = File::options().append(true).open(&private).expect("a file");
    let mut child = command("analyze - --what maps -o /dev/stdout");
    let mut child = child.stdin(Stdio::piped()).stdout(appended).spawn().expect("it starts");
    writeln!(child.stdin.take().expect("a pipe"), "{GOOD}").expect("it reads");
    assert!(child.wait().expect("it ends").success());
    let once = fs::read_to_string(&link).expect("a file");
    assert_eq!(fs::read_to_string(&private).expect("a file"), once.repeat(2));
}

/// Nobody can be tricked into writing where the kernel forbids it. A target that cannot be replaced is refused at once.
#[cfg(target_os = "linux")]
#[test]
fn what_the_kernel_refuses_is_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};

    let directory = directory("refused");
    let file = directory.join("file");
    fs::write(&file, "before").expect("a file");
    let refused = |mut command: Command, reason: &str| {
        let run = finish(&mut command, format!("{}bad\n", many()));
        ["error: cannot write ", reason].iter().for_each(|part| run.fails(part));
        assert_eq!(fs::read(&file).expect("a file"), b"before");
    };
    let with = |output: &Path| {
        let mut command = command("analyze - -o");
        command.arg(output);
        command
    };
    // The mount disappears with the namespace.
    let bound = directory.join("bound");
    fs::write(&bound, "").expect("a file");
    let mut mounting = Command::new("unshare");
    mounting.args(["-rm", "sh", "-c", "mount --bind \"$1\" \"$2\" || exit 77; shift 2; exec \"$@\"", "sh"]);
    mounting.arg(&file).arg(&bound);
    let can_mount = finish(Command::new("unshare").args(mounting.get_args()).arg("true"), "").code == Some(0);
    if can_mount {
        let inner = with(&bound);
        mounting.arg(inner.get_program()).args(inner.get_args());
        refused(mounting, "it is a mount point, which cannot be replaced");
    }
    // The rest needs other users, and only root can act as them.
    if fs::metadata(&directory).expect("a directory").uid() != 0 {
        return;
    }
    let other = Some(65534);
    chown(&file, other, other)
        .and_then(|()| fs::set_permissions(&file, fs::Permissions::from_mode(0o640)))
        .expect("root");
    analyze_into(&file, "", GOOD).ok();
    let metadata = fs::metadata(&file).expect("a file");
    assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o777), (65534, 65534, 0o640));
    fs::write(&file, "before").expect("a file");
    let protected = fs::read_to_string("/proc/sys/fs/protected_symlinks").is_ok_and(|text| text.trim() == "1");
    if protected {
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o1777)).expect("its owner asks");
        for (name, behind) in [("existing", "file"), ("dangling", "new")] {
            let link = directory.join(name);
            symlink(behind, &link).and_then(|()| lchown(&link, other, other)).expect("root may");
            refused(with(&link), "Permission denied");
            assert!(!directory.join("new").exists());
        }
    }
}

#[test]
fn a_dash_is_standard_output() {
    assert_eq!(analyze("-o -", "").ok(), analyze("", "").ok());
    assert!(analyze("-o", "").stderr.contains("a value is required"));
}

/// A terminal would obey control characters in the name of a file or a column.
#[test]
fn control_characters_are_not_printed() {
    let path = file("escape\u{1b}[2J\u{7}.csv", b"fen,\x1b[31mred\n4k3,1\n");
    for args in ["", "--column other", "--keep all,x", "--on-error skip"] {
        let run = finish(command("analyze").arg(&path).args(args.split_whitespace()), "");
        assert!(run.stderr.contains("escape\\u{1b}[2J\\u{7}.csv"), "{run:?}");
        assert!(!run.stderr.contains(|c: char| c.is_control() && c != '\n'), "{run:?}");
    }
}

/// Columns of every kind that other programs write into Parquet.
#[test]
fn kept_columns_have_the_types_and_values_of_the_input() {
    /// The name of a column, its values, and the first of them in JSON. The second is null.
    type Column = (&'static str, ArrayRef, &'static str);
    fn column(name: &'static str, array: impl Array + 'static, value: &'static str) -> Column {
        (name, Arc::new(array), value)
    }
    let seconds = 1_706_702_400; // 2024-01-31T12:00:00Z
    let micros = TimestampMicrosecondArray::from(vec![Some(seconds * 1_000_000 + 500), None]);
    let millis = TimestampMillisecondArray::from(vec![Some(seconds * 1000), None]);
    let item = || Arc::new(Field::new("element", DataType::Int16, true));
    let numbers = Int16Array::from(vec![Some(1), None, Some(3), Some(4)]);
    let pairs = Arc::new(numbers.clone());
    let one = || Some(NullBuffer::from(vec![true, false]));
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    map.keys().append_value("a key");
    map.values().append_value(7);
    map.append(true).and_then(|()| map.append(false)).expect("a value per key");
    let parts = vec![Field::new("a,b", DataType::Utf8, true), Field::new("n", DataType::Int16, true)].into();
    let arrays: Vec<ArrayRef> = vec![texts(&["x", "y"]), Arc::new(Int16Array::from(vec![None, Some(2)]))];
    let ids = FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some([0xab; 16]), None].into_iter(), 16);
    let words: DictionaryArray<Int32Type> = [Some("often"), None].into_iter().collect();
    let lists = ListArray::new(item(), OffsetBuffer::from_lengths([3, 1]), Arc::new(numbers), one());
    let values = [
        column("utc", micros.clone().with_timezone("UTC"), r#""2024-01-31T12:00:00.000500Z""#),
        column("zone", millis.with_timezone("Europe/Berlin"), r#""2024-01-31T12:00:00Z""#),
        column("naive", micros, r#""2024-01-31T12:00:00.000500""#),
        column("date", Date32Array::from(vec![Some(19_753), None]), r#""2024-01-31""#),
        column("time", Time64MicrosecondArray::from(vec![Some(1_500_000), None]), r#""00:00:01.500""#),
        column("duration", DurationMillisecondArray::from(vec![Some(90_500), None]), r#""PT90.5S""#),
        column("decimal", Decimal128Array::from(vec![Some(-12_345), None]), r#""-0.0000012345""#),
        column("float", Float64Array::from(vec![Some(0.1), None]), "0.1"),
        column("nan", Float32Array::from(vec![Some(f32::NAN), None]), r#""NaN""#),
        column("bool", BooleanArray::from(vec![Some(true), None]), "true"),
        column("large", LargeStringArray::from(vec![Some("a \"b\", c"), None]), r#""a \"b\", c""#),
        column(
            "view",
            StringViewArray::from(vec![Some("more than twelve bytes"), None]),
            r#""more than twelve bytes""#,
        ),
        column("map", map.finish(), r#"{"a key":7}"#),
        column("words", words, r#""often""#),
        column("pair", FixedSizeListArray::new(item(), 2, pairs, one()), "[1,null]"),
        column("list", lists, "[1,null,3]"),
        column("struct", StructArray::new(parts, arrays, one()), r#"{"a,b":"x","n":null}"#),
        column("uuid", ids.expect("sizes"), r#""abababab-abab-abab-abab-abababababab""#),
    ];
    let field = |name, array: &ArrayRef| Field::new(name, array.data_type().clone(), true);
    let mut fields: Vec<Field> = values.iter().map(|(name, array, _)| field(*name, array)).collect();
    let last = fields.len() - 1;
    fields[last] = fields[last].clone().with_extension_type(arrow_schema::extension::Uuid);
    fields.push(Field::new("fen", DataType::Utf8View, false));
    let fen: ArrayRef = Arc::new(StringViewArray::from(vec![GOOD, GOOD]));
    let arrays = values.iter().map(|(_, array, _)| array.clone()).chain([fen]).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).expect("columns of one length");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema.clone(), None).expect("a schema");
    writer.write(&batch).and_then(|()| writer.close().map(drop)).expect("memory can be written");
    let path = file("kinds.parquet", &bytes);
    let names: Vec<&str> = values.iter().map(|(name, ..)| *name).collect();
    let args = format!("{} --what hanging --keep {}", path.display(), names.join(","));

    let out = analyze(&format!("{args} --format jsonl"), "").ok();
    let expected: String = values.iter().map(|(name, _, value)| format!("\"{name}\":{value},")).collect();
    let nulls: String = names.iter().map(|name| format!("\"{name}\":null,")).collect();
    let rows: Vec<&str> = out.lines().collect();
    assert!(rows[0].starts_with(&format!("{{\"line\":1,{expected}\"white_hanging\"")), "{}\n{expected}", rows[0]);
    assert!(rows[1].starts_with(&format!("{{\"line\":2,{nulls}\"white_hanging\"")), "{}", rows[1]);
    let out = analyze(&args, "").ok();
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let records: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
    for (place, (name, _, value)) in values.iter().enumerate() {
        let text: Value = serde_json::from_str(value).expect("JSON");
        assert_eq!(records[0][1 + place], text.as_str().map_or_else(|| (*value).to_owned(), str::to_owned), "{name}");
        assert_eq!(&records[1][1 + place], "", "{name}");
    }

    let kept = directory("kinds").join("kept.parquet");
    analyze(&format!("{args} -o {}", kept.display()), "").ok();
    let table = read_parquet(&kept);
    for (place, name) in names.iter().enumerate() {
        assert_eq!(table.schema().field(1 + place), schema.field(place), "{name}");
        assert_eq!(table.column(1 + place), batch.column(place), "{name}");
    }
}

/// The size of a row group is that of its rows, not that of the arrays that they are slices of.
#[test]
fn kept_columns_do_not_make_small_row_groups() {
    let rows = 20_000;
    let mut lists = ListBuilder::new(Int64Builder::new());
    let mut words = StringDictionaryBuilder::<Int32Type>::new();
    for row in 0..rows {
        lists.append_value([Some(row), None]);
        words.append_value(format!("a text that is one of a hundred texts: {}", row % 100));
    }
    let fens = texts(&vec![GOOD; rows as usize]);
    let path = parquet(
        "groups.parquet",
        vec![("lists", Arc::new(lists.finish())), ("words", Arc::new(words.finish())), ("fen", fens)],
    );
    let out = directory("groups").join("out.parquet");
    analyze(&format!("{} --what maps --keep lists,words -o {}", path.display(), out.display()), "").ok();
    let reader = SerializedFileReader::new(File::open(out).expect("it is there")).expect("a Parquet file");
    assert_eq!((reader.metadata().file_metadata().num_rows(), reader.num_row_groups()), (rows, 1));
}

/// The number of rows of each row group.
fn row_groups(path: &Path) -> Vec<i64> {
    let reader = SerializedFileReader::new(File::open(path).expect("it is there")).expect("a Parquet file");
    reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect()
}

#[test]
fn row_groups_end_after_so_many_rows_or_bytes() {
    let path = file("row-groups.epd", many().repeat(7).as_bytes());
    let target = directory("row_groups").join("groups.parquet");
    let tables = [1, 2, 5].map(|threads| {
        let args = format!("{} --what maps,counts --threads {threads}", path.display());
        analyze(&format!("{args} -o {}", target.display()), "").ok();
        fs::read(&target).expect("it is there")
    });
    assert!(tables.iter().all(|table| *table == tables[0]));
    let groups = row_groups(&target);
    assert!(groups.len() == 2 && (110_000..=122_880).contains(&groups[0]), "{groups:?}");
    let table = read_parquet(&target);
    assert!(table.column(0).as_primitive::<UInt64Type>().values().iter().copied().eq(1..=140_000));
    let rows = |first| table.slice(first, 1_000).columns()[1..].to_vec();
    assert!((20_000..140_000).step_by(20_000).all(|first| rows(first) == rows(0)));

    // Values that wait as they are: 6,000 texts of 4,000 letters.
    let text = "x".repeat(4_000);
    let lines: String = (0..6_000).map(|row| format!("{GOOD},{row}{text}\n")).collect();
    let path = file("long-texts.csv", format!("fen,text\n{lines}").as_bytes());
    analyze(&format!("{} --keep text -o {}", path.display(), target.display()), "").ok();
    let groups = row_groups(&target);
    assert!(groups.len() == 3 && (1_900..2_300).contains(&groups[0]), "{groups:?}");
}

#[test]
fn parquet_says_what_is_in_it() {
    let settings = |path: &Path| -> Vec<(String, String)> {
        let reader = SerializedFileReader::new(File::open(path).expect("it is there")).expect("a Parquet file");
        let all = reader.metadata().file_metadata().key_value_metadata().expect("settings").iter();
        let ours =
            all.filter_map(|pair| Some((pair.key.strip_prefix("slider_attacks.")?.to_owned(), pair.value.clone()?)));
        ours.collect()
    };
    let mut lists = ListBuilder::new(Int64Builder::new());
    (0..3).for_each(|row| lists.append_value([Some(row)]));
    let lists = lists.finish();
    let DataType::List(item) = lists.data_type() else { panic!("it is a list") };
    assert_eq!(item.name(), "item");
    let names = texts(&["b", &"c".repeat(100), "a"]);
    let number = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let columns = vec![("fen", texts(&[GOOD; 3])), ("name", names), ("list", Arc::new(lists)), ("n", number)];
    let path = parquet("said.parquet", columns);
    let folder = directory("said");
    let target = folder.join("said.parquet");
    let what = "--what boards,maps,counts,threats --through own --values 1,3,3,5,10 --keep name,list";
    analyze(&format!("{} {what} -o {}", path.display(), target.display()), "").ok();
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        version.iter().chain(pairs).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let options = [
        ("through", "own"),
        ("victims", "enemy"),
        ("values", "1,3,3,5,10"),
        ("pinned", "capture"),
        ("notation", "bits"),
        ("perspective", "board"),
    ];
    let analyzed = [
        ("command", "analyze"),
        ("what", "boards,maps,counts,threats"),
        ("integers", "unsigned"),
        ("on_error", "fail"),
    ];
    assert_eq!(settings(&target), pairs(&[&analyzed[..], &options].concat()));
    let args = format!("summarize {} --what maps --by name,n:2 --through own --values 1,3,3,5,10", path.display());
    run(&format!("{args} -o {}", folder.join("sums.parquet").display()), "").ok();
    let summed = [("command", "summarize"), ("what", "maps"), ("by", "name,n:2"), ("on_error", "fail")];
    let mut found = settings(&folder.join("sums.parquet"));
    // What shards need to be added up, as tests/command/merge.rs does.
    let (name, record) = found.pop().expect("settings");
    assert!(name == "options" && record.contains(r#""by":["name","n:2"]"#), "{name}: {record}");
    assert_eq!(found, pairs(&[&summed[..], &options].concat()));
    run(&format!("convert {} -o {}", path.display(), folder.join("converted.parquet").display()), "").ok();
    let converted = settings(&folder.join("converted.parquet"));
    assert_eq!(converted, pairs(&[("command", "convert"), ("on_error", "fail")]));

    let reader = SerializedFileReader::new(File::open(&target).expect("it is there")).expect("a Parquet file");
    let group = reader.metadata().row_group(0);
    let bounds = |column: &str| {
        let found = group.columns().iter().find(|chunk| chunk.column_path().string() == column);
        let statistics = found.unwrap_or_else(|| panic!("no column {column}")).statistics()?;
        Some([statistics.min_bytes_opt()?, statistics.max_bytes_opt()?].map(<[u8]>::to_vec))
    };
    assert_eq!(bounds("line"), Some([1_u64, 3].map(|line| line.to_le_bytes().to_vec())));
    // A long text is cut, and its last letter moves on.
    let longest = "c".repeat(63) + "d";
    assert_eq!(bounds("name"), Some(["a", &longest].map(|name| name.as_bytes().to_vec())));
    assert_eq!(bounds("list.list.element"), Some([0_i64, 2].map(|value| value.to_le_bytes().to_vec())));
    for without in ["white_king", "white_attacks", "white_attackers.list.element", "threats.list.element.from"] {
        assert_eq!(bounds(without), None, "{without}");
    }
    for field in read_parquet(&target).schema().fields() {
        if let DataType::List(item) | DataType::FixedSizeList(item, _) = field.data_type() {
            assert_eq!(item.name(), "element", "{field}");
        }
    }
}

/// Bitboards may be null in a block without null rows.
#[test]
fn bitboards_are_null_in_some_blocks() {
    let lines = format!("{GOOD}\n").repeat(5_000);
    let path = file("late-null.epd", format!("{lines}bad\n").as_bytes());
    let target = directory("late_null").join("out.parquet");
    for on_error in ["null", "report"] {
        let args = format!("{} --what boards --on-error {on_error} -o {}", path.display(), target.display());
        assert_eq!(analyze(&args, "").code, Some(0));
        let table = read_parquet(&target);
        let white_king = table.column_by_name("white_king").expect("a column");
        assert_eq!((white_king.len(), white_king.null_count(), white_king.is_null(5_000)), (5_001, 1, true));
    }
}

/// A block of such rows has a dictionary without values.
#[test]
fn rows_without_a_word_of_a_dictionary() {
    let positions = texts(&[GOOD; 2_000]);
    for (name, filled) in [("none", 0..0), ("some", 600..1_300)] {
        let mut words = StringDictionaryBuilder::<Int32Type>::new();
        (0..2_000).for_each(|row| words.append_option(filled.contains(&row).then_some("word")));
        let words: ArrayRef = Arc::new(words.finish());
        let columns = vec![("fen", positions.clone()), ("words", words.clone())];
        let path = parquet(&format!("words-{name}.parquet"), columns);
        let out = directory("words").join(format!("{name}.parquet"));
        analyze(&format!("{} --what maps --keep words -o {}", path.display(), out.display()), "").ok();
        let kept = read_parquet(&out).column(1).clone();
        assert_eq!((kept.data_type(), kept.logical_null_count()), (words.data_type(), 2_000 - filled.len()), "{name}");
    }
}

/// The names of the files in a directory, in order.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// Starts `analyze -` with these arguments and output, feeds it, and waits until this many files are there. `signals` are
/// options of `env`.
#[cfg(target_os = "linux")]
fn working(signals: &[&str], args: &str, output: &Path, files: usize) -> (Child, ChildStdin) {
    let inner = command("analyze -");
    // The parent of the tests may ignore signals, and children inherit that.
    let mut command = Command::new("env");
    command.arg("--default-signal").args(signals).arg(inner.get_program()).args(inner.get_args());
    command.args(args.split_whitespace()).arg("-o").arg(output);
    let (child, mut stdin) = start(&mut command);
    stdin.write_all(many().as_bytes()).expect("it reads");
    let directory = output.ancestors().find(|path| path.is_dir()).expect("a directory");
    let started = Instant::now();
    while names(directory).len() < files {
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", names(directory));
        std::thread::sleep(Duration::from_millis(1));
    }
    (child, stdin)
}

#[cfg(target_os = "linux")]
pub fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.expect("kill exists").success());
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_leaves_nothing() {
    use std::os::unix::process::ExitStatusExt;
    let exited = |code| (Some(code), None);
    let killed = |signal| (None, Some(signal)); // perhaps with a core dump
    let ends = [("-INT", exited(130)), ("-TERM", exited(143)), ("-HUP", exited(129)), ("-QUIT", killed(3))];
    for (signal, end) in ends {
        let directory = directory("interrupted");
        for (args, name, files) in [
            ("", "out.csv", 1),
            ("", "new/newer/out.csv", 1),
            ("--format parquet", "out", 1),
            ("--format npy --what maps,counts", "", 5),
            ("--format npy", "new/newer", 1),
        ] {
            // A background job of a script ignores the interrupt. The other signals must still work.
            let ignored: &[&str] = if signal == "-INT" { &[] } else { &["--ignore-signal=INT"] };
            let (mut child, stdin) = working(ignored, args, &directory.join(name), files);
            send(signal, &child);
            let status = child.wait().expect("it ends");
            assert_eq!((status.code(), status.signal()), end, "{args} {signal}");
            assert_eq!(names(&directory), [""; 0], "{args} {signal}");
            drop(stdin);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_standard_output_is_an_error() {
    let directory = directory("closed output");
    let shell = |redirection: &str, args: &str| {
        let inner = command(args);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec \"$@\" {redirection}")).arg("sh").arg(inner.get_program());
        finish(shell.args(inner.get_args()).current_dir(&directory), "4k3/8/8/8/8/8/8/4K3 w - -\n")
    };
    let commands = "analyze -|analyze - --format parquet|analyze - -o /dev/stdout|analyze - -o /dev/fd/1|summarize -|\
        convert - --to fen|convert - --to binpack|attacks -|pairs --slider rook|cpu|methods|show fill-up e4 0|man|completions bash|\
        --help|analyze --help|--version";
    for args in commands.split('|') {
        let run = shell(">&-", args);
        assert!(run.stderr.ends_with("cannot write the results: standard output is closed\n"), "{args}: {run:?}");
        assert!(run.stderr.starts_with("error: ") && run.code == Some(1), "{args}: {run:?}");
    }
    // What goes elsewhere does not need it, and other places lose nothing that is wanted.
    for redirection in [">&-", "> /dev/null", "1<> /dev/null"] {
        let run = shell(redirection, "analyze - -o out.csv");
        assert_eq!(run.code, Some(0), "{redirection}: {run:?}");
        assert_eq!(fs::read_to_string(directory.join("out.csv")).expect("it is there").lines().count(), 2);
        fs::remove_file(directory.join("out.csv")).expect("it is there");
    }
    assert_eq!(shell("1<> /dev/null", "analyze -").code, Some(0));
}

/// As under `nohup`.
#[test]
#[cfg(target_os = "linux")]
fn what_is_to_be_ignored_is_ignored() {
    let target = directory("ignored").join("out.csv");
    let (mut child, mut stdin) = working(&["--ignore-signal=HUP", "--ignore-signal=INT"], "", &target, 1);
    send("-HUP", &child);
    send("-INT", &child);
    stdin.write_all(many().as_bytes()).expect("it still reads");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    assert_eq!(fs::read_to_string(target).expect("it is there").lines().count(), 40_001);
}

#[test]
fn arrays_appear_all_or_none() {
    let directory = directory("all or none");
    let earlier = directory.join("line.npy");
    let failed = |input: &str, message: &str| {
        analyze_into(&directory, "--format npy", input).fails(message);
        assert_eq!(names(&directory), ["line.npy"]);
        assert_eq!(fs::read(&earlier).expect("it is there"), b"before");
    };
    fs::write(&earlier, "before").expect("it can be written");
    failed(&format!("{}bad\n", many()), "line 20001, ");
    // Nor are new directories left, even where one leads through another.
    analyze_into(&directory.join("new/../newer"), "--format npy", "bad").fails("line 1, ");
    assert_eq!(names(&directory), ["line.npy"]);

    // The third of five files cannot get its name, because a directory has it by then.
    #[cfg(target_os = "linux")]
    {
        let (child, stdin) = working(&[], "--format npy --what maps,counts", &directory, 6);
        let taken = directory.join("black_attacks.npy");
        fs::create_dir(&taken).expect("it can be made");
        drop(stdin);
        wait(child).fails(&format!("error: cannot write {}: ", taken.display()));
        assert_eq!(names(&directory), ["black_attacks.npy", "line.npy"]);
        assert_eq!(fs::read(&earlier).expect("it is there"), b"before");
        // If the directory is there from the start, the run does not begin.
        analyze_into(&directory, "--format npy", GOOD).fails("it is a directory");
        fs::remove_dir(&taken).expect("it is empty");
    }
    analyze_into(&directory, "--format npy --what maps,counts", GOOD).ok();
    let all = ["black_attackers", "black_attacks", "line", "white_attackers", "white_attacks"];
    assert_eq!(names(&directory), all.map(|name| format!("{name}.npy")));
    assert_eq!(read_npy::<u64>(&earlier), (vec![1], vec![1]));
}

#[test]
fn completions_and_the_manual() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&format!("completions {shell}"), "").ok();
        assert!(script.contains("analyze") && script.contains("on-error"), "{shell}: {script}");
    }
    let page = run("man", "").ok();
    assert!(page.contains(".TH slider-attacks 1") && page.contains(".SH \"ANALYZE\""), "{page}");
    assert!(page.contains("\\-\\-on\\-error"), "{page}");
}

#[test]
fn columns_of_numbers_are_arrays() {
    let directory = directory("kept arrays");
    let games = "[White \"A\"]\n[WhiteElo \"2250\"]\n\n1. e4 { [%eval 0.17] [%clk 0:03:00.5] } e5 1-0\n\n[WhiteElo \"?\"]\n\n1. d4 *\n";
    let analyze = |name: &str, content: &[u8], args: &str| {
        fs::write(directory.join(name), content).expect("it can be written");
        let args = format!("analyze {name} --what threats --format npy {args}");
        let _ = fs::remove_dir_all(directory.join("out"));
        finish(command(&args).args(["-o", "out"]).current_dir(&directory), "")
    };
    let path = |name: &str| directory.join("out").join(format!("{name}.npy"));
    let kind = |name: &str| {
        let header = fs::read(path(name)).expect("it is there");
        String::from_utf8_lossy(&header[10..128]).split('\'').nth(3).expect("a type").to_owned()
    };
    let floats = |name: &str| {
        assert_eq!(kind(name), "<f8", "{name}");
        read_npy::<f64>(&path(name)).1.iter().map(|value| format!("{value}")).collect::<Vec<_>>().join(" ")
    };
    let integers = |name: &str| {
        assert_eq!(kind(name), "<i8", "{name}");
        read_npy::<i64>(&path(name)).1
    };
    analyze("a.pgn", games.as_bytes(), "--keep ply,fullmove,eval,clk,WhiteElo,next_move").ok();
    assert_eq!((integers("ply"), integers("fullmove")), (vec![0, 1, 2, 0, 1], vec![1, 1, 2, 1, 1]));
    assert_eq!((floats("eval"), floats("clk")), ("NaN 17 NaN NaN NaN".into(), "NaN 180.5 NaN NaN NaN".into()));
    assert_eq!(floats("WhiteElo"), "2250 2250 2250 NaN NaN");
    assert_eq!(
        floats("next_move").split(' ').map(|next| next == "NaN").collect::<Vec<_>>(),
        [false, false, true, false, true]
    );
    assert_eq!(read_npy::<u64>(&path("threats_offsets")).0, [6]);

    let csv = format!("fen,score,Rate,empty\n{GOOD},-5,1.5,\n{GOOD}, 7 ,-2e3,\n{GOOD},,?,\n");
    analyze("a.csv", csv.as_bytes(), "--keep score,rate,empty").ok();
    assert_eq!(
        (floats("score"), floats("Rate"), floats("empty")),
        ("-5 7 NaN".into(), "1.5 -2000 NaN".into(), "NaN NaN NaN".into())
    );
    let jsonl =
        format!("{{\"fen\":\"{GOOD}\",\"n\":[1,{{\"cp\":-3}}],\"s\":\"4\"}}\n{{\"fen\":\"{GOOD}\",\"n\":null}}\n");
    analyze("a.jsonl", jsonl.as_bytes(), "--keep n.1.cp,s").ok();
    assert_eq!((floats("n.1.cp"), floats("s")), ("-3 NaN".into(), "4 NaN".into()));

    let three = texts(&[GOOD; 3]);
    let most = (1_i64 << 53) + 1;
    let columns = || -> Vec<(&str, ArrayRef)> {
        vec![
            ("fen", three.clone()),
            ("small", Arc::new(Int16Array::from(vec![-1, 2, 3]))),
            ("missing", Arc::new(Int64Array::from(vec![Some(-1), None, Some(1 << 53)]))),
            ("wide", Arc::new(Int64Array::from(vec![i64::MAX, most, -most]))),
            ("unsigned", Arc::new(UInt64Array::from(vec![0, 1, u64::MAX]))),
            ("both", Arc::new(Int64Array::from(vec![Some(most), None, None]))),
            ("float", Arc::new(Float32Array::from(vec![Some(0.5), None, Some(f32::INFINITY)]))),
            ("none", Arc::new(NullArray::new(3))),
            ("a/b", Arc::new(Int16Array::from(vec![1, 2, 3]))),
            ("bool", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ]
    };
    let parquet = fs::read(parquet("kept arrays.parquet", columns())).expect("it is there");
    let from_parquet = |args: &str| analyze("a.parquet", &parquet, args);
    from_parquet("--keep small,missing,wide,float,none").ok();
    assert_eq!((integers("small"), integers("wide")), (vec![-1, 2, 3], vec![i64::MAX, most, -most]));
    assert_eq!((floats("missing"), floats("float")), ("-1 NaN 9007199254740992".into(), "0.5 NaN inf".into()));
    assert_eq!(floats("none"), "NaN NaN NaN");
    for (args, message) in [
        ("--keep both", "both.npy: with missing integers it holds floats, which cannot represent 9007199254740993"),
        ("--keep unsigned", "a.parquet, row 3, column \"unsigned\": expected a number, found one of more than 64 bits"),
        ("--keep bool", "a.parquet, row 1, column \"bool\": expected a number, found \"true\""),
        ("--keep a/b", "column \"a/b\" is not a valid file name"),
        ("--keep fen", "a.parquet, row 1, column \"fen\": expected a number, found \"4k3/8/8/"),
    ] {
        from_parquet(args).fails(message);
        assert!(!directory.join("out").exists(), "{args}");
    }
    let text = "NumPy arrays hold only numbers; keep other columns, or write Parquet";
    let [large, plain] = [format!("fen,n\n{GOOD},9007199254740993\n"), format!("{GOOD}\n")];
    for (name, content, args, message) in [
        ("a.pgn", games, "--keep ply,san", "a.pgn, game 1, column \"san\": expected a number, found \"e4\""),
        ("a.pgn", games, "--keep all", "column \"san\": expected a number"),
        ("a.csv", csv.as_str(), "--keep fen", "a.csv, line 2, column \"fen\": expected a number"),
        ("a.csv", large.as_str(), "--keep n", "found \"9007199254740993\""),
        ("a.epd", plain.as_str(), "--keep all", "a.epd, line 1, column \"fen\": expected a number"),
    ] {
        let run = analyze(name, content.as_bytes(), args);
        assert!(run.stderr.contains(text), "{run:?}");
        run.fails(message);
        assert!(!directory.join("out").exists(), "{args}");
    }
    // Many blocks, and several files: the first has no missing value, or values of another type.
    let rows =
        |values: &mut dyn Iterator<Item = String>| values.map(|value| format!("{GOOD},{value}\n")).collect::<String>();
    let many = "fen,n\n".to_owned() + &rows(&mut (0..30_000).map(|n| n.to_string()));
    analyze("a.csv", many.as_bytes(), "--keep n --threads 3").ok();
    assert_eq!(read_npy::<f64>(&path("n")).1, (0..30_000).map(f64::from).collect::<Vec<_>>());
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n".repeat(5_000);
    analyze("b.pgn", moves.as_bytes(), "--keep next_move,ply --threads 3").ok();
    let next = read_npy::<f64>(&path("next_move")).1;
    assert!(
        next.len() == 35_000 && next.chunks(7).all(|game| game[..6].iter().all(|next| *next > 0.0) && game[6].is_nan())
    );
    fs::write(directory.join("b.parquet"), &parquet).expect("it can be written");
    analyze("a.csv", format!("fen,small\n{GOOD},1\n").as_bytes(), "b.parquet --keep small")
        .fails("types of kept columns differ from earlier files");
    // With signs or without, in a directory of outputs, and with nothing.
    analyze("a.csv", csv.as_bytes(), "--keep score --integers signed").ok();
    assert_eq!((kind("line").as_str(), floats("score").as_str()), ("<i8", "-5 7 NaN"));
    assert_eq!(analyze("a.csv", b"fen,score\n", "--keep score").code, Some(0));
    assert_eq!(floats("score"), "");
}

#[test]
fn bitboards_are_columns() {
    let fens = ["r3k2r/8/8/3pP3/8/8/8/RNBQK2R w KQkq d6 0 1", "4k3/8/8/8/8/8/8/4K3 b - -"];
    let input = format!("{}\nbad\n{}\n", fens[0], fens[1]);
    let pieces: Vec<String> = ["white", "black"]
        .iter()
        .flat_map(|color| ["pawn", "knight", "bishop", "rook", "queen", "king"].map(|piece| format!("{color}_{piece}")))
        .collect();
    let header =
        format!("line,fen,{},side_to_move,castling,en_passant,white_attacks,black_attacks,error", pieces.join(","));
    let csv = analyze("- --what maps,boards --keep fen --on-error report", input.as_str());
    let lines: Vec<&str> = csv.stdout.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, header.as_str()), "{csv:?}");
    let first: Vec<&str> = lines[1].split(',').collect();
    assert_eq!(
        first[2..8],
        [
            "0x0000001000000000",
            "0x0000000000000002",
            "0x0000000000000004",
            "0x0000000000000081",
            "0x0000000000000008",
            "0x0000000000000010"
        ]
    );
    assert_eq!(first[14..17], ["w", "KQkq", "43"]);
    let null: Vec<&str> = lines[2].splitn(20, ',').collect();
    assert!(null[0] == "2" && null[2..19].iter().all(|value| value.is_empty()), "{null:?}");
    assert!(null[19].starts_with("\"column 2: expected"), "{null:?}");
    assert!(lines[3].contains(",b,-,,0x"), "{}", lines[3]);
    let rows = json(&analyze("- --what boards --on-error null --format jsonl", input.as_str()).stdout);
    assert_eq!(
        (&rows[0]["black_pawn"], &rows[0]["en_passant"]),
        (&Value::from("0x0000000800000000"), &Value::from(43))
    );
    assert!(rows[1].as_object().expect("an object").iter().all(|(name, value)| name == "line" || value.is_null()));
    assert_eq!((&rows[2]["castling"], &rows[2]["en_passant"]), (&Value::from("-"), &Value::Null));

    // The same columns as those of `PositionArray`, which Python has, with all positions, and without rows.
    let directory = directory("boards");
    for integers in [Integers::Unsigned, Integers::Signed] {
        for input in [positions().join("\n"), String::new()] {
            let output = directory.join("boards.parquet");
            let args = format!("--what boards --integers {integers}");
            assert_eq!(analyze_into(&output, &args, &input).code, Some(0));
            let found = read_parquet(&output);
            let texts: StringArray = input.lines().map(Some).collect();
            let expected = PositionArray::read(&texts).expect("positions").boards(integers);
            for (place, (field, expected)) in expected.schema().fields().iter().zip(expected.columns()).enumerate() {
                assert_eq!(found.schema().field(place + 1).name(), field.name());
                assert_eq!(found.column(place + 1), expected, "{}", field.name());
            }
            assert_eq!(found.num_columns(), 16);
        }
    }
    let arrays = directory.join("arrays");
    analyze_into(&arrays, "--what boards,maps --format npy", &fens.join("\n")).ok();
    assert_eq!(read_npy::<u64>(&arrays.join("white_rook.npy")).1, [0x81, 0]);
    let text = |name: &str| {
        let bytes = fs::read(arrays.join(name)).expect("it is there");
        assert!(String::from_utf8_lossy(&bytes[..128]).contains("'<U4'"), "{name}");
        let letters = bytes[128..].chunks(4).map(|letter| char::from(letter[0])).collect::<String>();
        letters.replace('\0', " ")
    };
    assert_eq!((text("side_to_move.npy"), text("castling.npy")), ("w   b   ".into(), "KQkq-   ".into()));
    let squares = read_npy::<f64>(&arrays.join("en_passant.npy")).1;
    assert!(squares[0] == 43.0 && squares[1].is_nan(), "{squares:?}");
    // A column of that name cannot be kept in addition.
    analyze("- --what boards --keep castling", format!("fen,castling\n{GOOD},x\n"))
        .fails("cannot keep column \"castling\"");
}

#[test]
fn a_field_that_no_row_has_is_named() {
    let row = format!("{{\"fen\":\"{GOOD}\",\"WhiteElo\":1,\"evals\":[{{\"cp\":3}}]}}\n");
    let warns = |args: &str, expected: &str| assert_eq!(analyze(args, row.repeat(3)).warning(), expected, "{args}");
    warns("- --keep evals.0.cpp", "no row has a field \"evals.0.cpp\"");
    warns("- --keep eval.0.cp", "no row has a field \"eval.0.cp\"; did you mean \"evals.0.cp\"?");
    warns("- --keep Elo --limit 2", "none of the rows read has a field \"Elo\"; did you mean \"WhiteElo\"?");
    warns("- --keep evals.0.cp,evals.1.cp --limit 2", "none of the rows read has a field \"evals.1.cp\"");
    analyze("- --keep Elo", row.repeat(3)).fails("has a field \"Elo\" to keep; did you mean \"WhiteElo\"?");
    analyze("- --keep evals.0.cp,whiteelo", row.repeat(3)).ok();
    run("summarize - --by whiteelo", row.repeat(3)).ok();
    assert_eq!(run("summarize - --by evals.9.cp", row.repeat(3)).warning(), "no row has a field \"evals.9.cp\"");
    run("summarize - --by eco", row.repeat(3)).fails("has a field \"eco\" to keep");
    // Of several outputs, each has its own, and the run has one warning.
    let directory = directory("fields");
    for (name, text) in [("a.jsonl", row.as_str()), ("b.jsonl", &row.replace("cp", "mate"))] {
        fs::write(directory.join(name), text).expect("it can be written");
    }
    let run = finish(
        command("analyze a.jsonl b.jsonl --keep evals.0.cp,evals.0.mate,evals.0.x --output-dir out")
            .current_dir(&directory),
        "",
    );
    assert_eq!(run.warning(), "no row has a field \"evals.0.x\"");
}

/// The threads of the pool read a Parquet file in parts, which end anywhere in its pages.
#[test]
fn parquet_is_the_same_for_any_number_of_threads() {
    const ROWS: usize = 30_000;
    let sample = positions();
    let text = |row: usize| match row % 1_009 {
        7 => None,
        8 => Some("nonsense".to_owned()),
        9 => Some(format!("{} \n", sample[0])),
        _ => Some(format!("{} {} {}", sample[row % sample.len()], row % 50, row % 5_000 + 1)),
    };
    let fens: ArrayRef = Arc::new(StringArray::from_iter((0..ROWS).map(text)));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS).map(|row| (row * row % 977) as i64)));
    let notes = (0..ROWS).map(|row| (row % 5 > 0).then(|| "note ".repeat(row % 100 * usize::from(row > 20_000))));
    let notes: ArrayRef = Arc::new(StringArray::from_iter(notes));
    let few: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| ["one", "two"][row / 3 % 2])));
    let columns = || vec![("n", numbers.clone()), ("note", notes.clone()), ("fen", fens.clone()), ("few", few.clone())];
    let properties = |rows| WriterProperties::builder().set_max_row_group_row_count(Some(rows));
    let delta = |properties: WriterPropertiesBuilder| {
        let properties = properties.set_dictionary_enabled(false);
        properties.set_column_encoding("fen".into(), Encoding::DELTA_BYTE_ARRAY)
    };
    let kinds = [
        properties(11_000).set_compression(Compression::SNAPPY).set_writer_version(WriterVersion::PARQUET_2_0),
        properties(ROWS).set_dictionary_page_size_limit(100_000).set_data_page_size_limit(30_000),
        delta(properties(ROWS))
            .set_compression(Compression::GZIP(Default::default()))
            .set_data_page_row_count_limit(700),
    ];
    for (place, kind) in kinds.into_iter().enumerate() {
        let path = parquet_with(&format!("threads-{place}.parquet"), columns(), kind.build());
        let mut bytes = fs::read(&path).expect("it can be read");
        let damaged = bytes.len() / 2;
        bytes[damaged..damaged + 8].fill(0xff);
        let damaged = file(&format!("damaged-{place}.parquet"), &bytes);
        for args in [
            format!("analyze {} --keep all --on-error report", path.display()),
            format!("analyze {} --keep few --on-error skip --limit 22222 --format jsonl", path.display()),
            format!("analyze {}", path.display()),
            format!("summarize {} --by few --on-error skip --format csv", path.display()),
            format!("analyze {} --keep all --on-error skip", damaged.display()),
        ] {
            let one = run(&format!("{args} --threads 1"), "");
            for threads in [2, 4, 7, 32] {
                let several = run(&format!("{args} --threads {threads}"), "");
                assert!(several == one, "{args}: {threads} threads: {:?}, not {:?}", several.stderr, one.stderr);
            }
        }
    }
    // A dictionary stands for rows that are longer than those that a task reads.
    let long: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(2_000); 9_000]));
    let columns = vec![("fen", fens.slice(0, 9_000)), ("long", long)];
    let path = parquet_with("threads-long.parquet", columns, WriterProperties::default());
    let args = format!("analyze {} --keep long --what pins --on-error skip", path.display());
    let [one, several] = [1, 4].map(|threads| run(&format!("{args} --threads {threads}"), ""));
    assert!(several == one, "{args}: {:?}, not {:?}", several.stderr, one.stderr);
}

#[test]
fn csv_for_spreadsheets_has_no_formulas() {
    let input = "fen,=name,note,number\n4k3/8/8/8/8/8/8/4K3 w - -,\"=HYPERLINK(\"\"x\"\")\",+1 or @x,-3\n";
    let kept = run("analyze - --what mobility --keep =name,note,number", input);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(kept.stdout.starts_with("line,=name,note,number,"), "{kept:?}");
    assert!(kept.stdout.contains("2,\"=HYPERLINK(\"\"x\"\")\",+1 or @x,-3,"), "{kept:?}");
    let safe = run("analyze - --what mobility --keep =name,note,number --csv-safe", input);
    assert!(safe.stdout.starts_with("line,'=name,note,number,"), "{safe:?}");
    assert!(safe.stdout.contains("2,\"'=HYPERLINK(\"\"x\"\")\",'+1 or @x,-3,"), "{safe:?}");
    // Values of JSON lines: strings are texts, and numbers are not.
    let json = "{\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\",\"a\":\"=1\",\"b\":-3,\"c\":\"-3\",\"d\":null,\"e\":[\"=1\"]}\n";
    let safe = run("analyze - --what mobility --keep a,b,c,d,e --csv-safe", json);
    assert!(safe.stdout.contains("\n1,'=1,-3,-3,,\"[\"\"=1\"\"]\","), "{safe:?}");
    let sums = run("summarize - --what mobility --by note --format csv --csv-safe", input);
    assert!(sums.stdout.lines().skip(1).all(|line| line.starts_with("'+1 or @x,1,")), "{sums:?}");
    assert!(sums.stdout.starts_with("note,positions,"), "{sums:?}");
    for args in ["analyze - --format jsonl", "summarize -", "summarize - --format svg"] {
        let run = run(&format!("{args} --csv-safe"), input);
        assert!(run.code == Some(2) && run.stderr.contains("--csv-safe is for CSV"), "{run:?}");
    }
}
