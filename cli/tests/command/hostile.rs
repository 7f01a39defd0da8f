//! Files that claim to contain more than they do: each is an error or is read, in little memory. The command runs with
//! limited address space, so it aborts if it allocates much more.

use std::fs;
use std::process::Command;

use crate::{command, directory, file, finish, gzip, run, zstd};

const GOOD: &str = "4k3/8/8/R2q4/8/8/8/2B1K3 w - -";

/// A command that may take this many kilobytes of address space.
fn limited(kilobytes: usize, args: &str) -> Command {
    with_limit("-v", kilobytes, args)
}

/// A command with a limit of `ulimit`.
fn with_limit(option: &str, limit: usize, args: &str) -> Command {
    let command = command(args);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit {option} {limit}; exec \"$@\""), "sh"]);
    shell.arg(command.get_program()).args(command.get_args());
    shell
}

/// Thrift's compact protocol, to write descriptions of files that no writer writes.
mod thrift {
    /// A field: its number, its type and its value.
    pub type Field = (u8, u8, Vec<u8>);

    pub fn unsigned(mut number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    pub fn i32(id: u8, number: i32) -> Field {
        (id, 5, signed(number.into()))
    }

    pub fn i64(id: u8, number: i64) -> Field {
        (id, 6, signed(number))
    }

    pub fn signed(number: i64) -> Vec<u8> {
        unsigned((number << 1 ^ number >> 63) as u64)
    }

    pub fn text(id: u8, text: &str) -> Field {
        (id, 8, [unsigned(text.len() as u64), text.as_bytes().to_vec()].concat())
    }

    /// A list of structs that claims to have `count` of them.
    pub fn structs(id: u8, count: usize, all: &[Vec<u8>]) -> Field {
        (id, 9, [vec![0xfc], unsigned(count as u64), all.concat()].concat())
    }

    pub fn structure(fields: &[Field]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut last = 0;
        for (id, kind, value) in fields {
            bytes.push((id - last) << 4 | kind);
            bytes.extend(value);
            last = *id;
        }
        bytes.push(0);
        bytes
    }
}

use thrift::{Field, i32, i64, signed, structs, structure, text, unsigned};

/// A node of a schema with children.
fn group(name: &str, children: i32) -> Vec<u8> {
    structure(&[i32(3, 0), text(4, name), i32(5, children)])
}

/// A column of texts.
fn leaf(name: &str) -> Vec<u8> {
    structure(&[i32(1, 6), i32(3, 0), text(4, name)])
}

/// What a row group says of a column of texts, in one chunk from byte `start` on.
fn chunk(start: i64, length: i64, codec: i32, values: i64) -> Vec<u8> {
    let encodings = (2, 9, [vec![0x15], signed(0)].concat());
    let fields = [i32(1, 6), encodings, i32(4, codec), i64(5, values), i64(6, length), i64(7, length), i64(9, start)];
    structure(&[i64(2, 0), (3, 12, structure(&fields))])
}

/// A description of a file: its schema, and `count` row groups that it claims to have.
fn description(nodes: &[Vec<u8>], count: usize, groups: &[Vec<u8>], more: &[Field]) -> Vec<u8> {
    let fields = [i32(1, 1), structs(2, nodes.len(), nodes), i64(3, 1), structs(4, count, groups)];
    structure(&[&fields, more].concat())
}

/// A description of a file whose only column is of texts.
fn texts(chunk: Vec<u8>, rows: i64) -> Vec<u8> {
    let group = structure(&[structs(1, 1, &[chunk]), i64(2, 0), i64(3, rows)]);
    description(&[group_of(1), leaf("fen")], 1, &[group], &[])
}

/// The root of a schema.
fn group_of(children: i32) -> Vec<u8> {
    structure(&[text(4, "schema"), i32(5, children)])
}

/// A file with these pages and this description.
fn parquet(pages: &[u8], description: &[u8]) -> Vec<u8> {
    let length = (description.len() as u32).to_le_bytes();
    [b"PAR1", pages, description, &length, b"PAR1"].concat()
}

/// A file of Parquet with one column of texts, which has these pages.
fn paged(pages: &[Vec<u8>], codec: i32, rows: i64) -> Vec<u8> {
    let pages = pages.concat();
    parquet(&pages, &texts(chunk(4, pages.len() as i64, codec, rows), rows))
}

/// A page of values with this encoding, which claims to have this many values, and this many bytes when it is decompressed.
fn values(encoding: i32, count: i32, size: i32, bytes: &[u8]) -> Vec<u8> {
    let of_kind = structure(&[i32(1, count), i32(2, encoding), i32(3, 3), i32(4, 3)]);
    let header = structure(&[i32(1, 0), i32(2, size), i32(3, bytes.len() as i32), (5, 12, of_kind)]);
    [&header, bytes].concat()
}

/// The same of a dictionary.
fn dictionary(count: i32, bytes: &[u8]) -> Vec<u8> {
    let of_kind = structure(&[i32(1, count), i32(2, 0)]);
    let size = bytes.len() as i32;
    [&structure(&[i32(1, 2), i32(2, size), i32(3, size), (7, 12, of_kind)]), bytes].concat()
}

/// A position as a value.
fn plain() -> Vec<u8> {
    [&(GOOD.len() as u32).to_le_bytes(), GOOD.as_bytes()].concat()
}

/// Lengths that claim to be this many.
fn lengths(count: u64) -> Vec<u8> {
    [unsigned(128), unsigned(4), unsigned(count), signed(0), vec![0; 100]].concat()
}

/// A file where every other page, each of one value, claims to be too large.
fn gaps(pages: usize) -> Vec<u8> {
    let both = [values(0, 1, 1 << 27, &[]), values(0, 1, plain().len() as i32, &plain())].concat();
    paged(&vec![both; pages / 2], 0, pages as i64)
}

/// Files of Parquet that cannot be read, and a part of the message about each.
fn impossible() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    const MOST: i32 = i32::MAX;
    let flat = [group_of(1), leaf("fen")];
    let schema = |nodes: &[Vec<u8>]| parquet(&[], &description(nodes, 0, &[], &[]));
    let deep = [vec![group_of(1)], vec![group("g", 1); 1_199], vec![leaf("fen")]].concat();
    let names = [vec![group_of(1), group(&"x".repeat(1 << 20), 10_000)], vec![leaf(""); 10_000]].concat();
    let lies = [vec![0xf1], unsigned(MOST as u64)].concat();
    let truths = (15, 9, [vec![0xf9], unsigned(1_000), lies.repeat(1_000)].concat());
    let maps =
        (15, 9, [vec![0xfb], unsigned(1_000), [unsigned(MOST as u64), vec![0x11]].concat().repeat(1_000)].concat());
    let one = |page: Vec<u8>| paged(&[page], 0, 1);
    let place = |start, length| parquet(&[0; 100], &texts(chunk(start, length, 0, 1), 1));
    let zeros = vec![0; 64 << 20];
    let fixed = structure(&[i32(1, 7), i32(2, MOST), i32(3, 1), text(4, "x")]);
    let mut encrypted = schema(&flat);
    let end = encrypted.len();
    encrypted[end - 1] = b'E';
    vec![
        ("deep", schema(&deep), "nests deeper than 100 levels"),
        ("groups", parquet(&[], &description(&flat, MOST as usize, &[], &[])), "length 2147483647 exceeds"),
        ("children", schema(&[group_of(MOST), leaf("fen")]), "2147483647 children, but only 1 follow"),
        ("minus", schema(&[group_of(-1), leaf("fen")]), "-1 children"),
        ("few", schema(&[group_of(2), leaf("fen")]), "2 children, but only 1 follow"),
        ("many", schema(&[group_of(1), leaf("fen"), leaf("x")]), "columns outside its root"),
        ("none", schema(&[group_of(2), group("g", 1), leaf("fen")]), "fewer columns than declared"),
        ("names", schema(&names), "more than 134217728 bytes of memory"),
        ("columns", schema(&[vec![group_of(200_000)], vec![leaf(""); 200_000]].concat()), "of memory"),
        ("truths", parquet(&[], &description(&flat, 0, &[], &[truths])), "length 2147483647 exceeds"),
        ("maps", parquet(&[], &description(&flat, 0, &[], &[maps])), "length 2147483647 exceeds"),
        ("in", parquet(&[], &description(&flat, 0, &[], &[(15, 12, vec![0x1c; 100_000])])), "nested too deeply"),
        ("before", place(-5, 10), "10 bytes at byte -5"),
        ("negative", place(5, -10), "-10 bytes at byte 5"),
        ("after", place(i64::MAX, 10), "at byte 9223372036854775807"),
        ("long", place(5, i64::MAX), "9223372036854775807 bytes at byte 5"),
        ("fixed", schema(&[group_of(2), leaf("fen"), fixed]), "value of 2147483647 bytes"),
        ("encrypted", encrypted, "encrypted"),
        ("rows", paged(&[values(0, 1, 38, &plain())], 0, 1 << 40), "fewer rows than declared"),
        ("dictionary", paged(&[dictionary(MOST, &plain()), values(8, 1, 1, &[0])], 0, 1), "2147483647 values in"),
        ("lengths", one(values(6, 1, 1_000, &lengths(1 << 33))), "lengths do not match its header"),
        ("prefixes", one(values(7, 1, 1_000, &lengths(1 << 33))), "lengths do not match its header"),
        (
            "suffixes",
            one(values(7, 1, 1_000, &[&lengths(1)[..6], &lengths(1 << 33)].concat())),
            "lengths do not match its header",
        ),
        (
            "all",
            paged(&[values(6, MOST, 1_000, &lengths(MOST as u64))], 0, MOST.into()),
            "lengths do not match its header",
        ),
        ("gzip", paged(&[values(0, 1, 100, &gzip(&zeros))], 2, 1), "page size does not match its header"),
        ("brotli", paged(&[values(0, 1, 100, &[0x11, 0x1e, 0xff, 0xff, 0xff, 0xff])], 4, 1), "too large"),
        ("gaps", gaps(1 << 12), "more than 1000 oversized pages"),
        ("zstd", paged(&[values(0, 1, 100, &zstd(&zeros))], 6, 1), "too small"),
        ("header", one(values(0, 1, 38, &[])[..12].to_vec()), "the header of a page at byte 4"),
    ]
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs a limit on the address space")]
fn parquet_that_claims_too_much() {
    for (name, bytes, message) in impossible() {
        let name = format!("impossible-{name}.parquet");
        let path = file(&name, &bytes);
        for more in ["", "--keep all --on-error skip --shard 1/2"] {
            let run = finish(&mut limited(1 << 19, &format!("analyze {} --threads 2 {more}", path.display())), "");
            if more.is_empty() || run.code != Some(0) {
                run.fails(message);
                assert!(run.stderr.contains(&name), "{run:?}");
            }
        }
        fs::remove_file(path).expect("it is there");
    }
}

/// A zstd frame whose header is given, with one empty block.
fn frame(header: &[u8]) -> Vec<u8> {
    [b"\x28\xb5\x2f\xfd", header, &[1, 0, 0]].concat()
}

/// Texts and compressed texts that try to take memory or time, and what the command says of them.
fn texts_without_measure() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let object = |rest: &str| format!("{{\"fen\":\"{GOOD}\",{rest}}}\n").into_bytes();
    let deep = |depth: usize| format!("\"x\":{}{}", "[".repeat(depth), "]".repeat(depth));
    let keys: Vec<String> = (0..100_000).map(|key| format!("\"{key:x}\":1")).collect();
    let again = vec![format!("\"fen\":\"{GOOD}\""); 20_000].join(",");
    let columns: Vec<String> = (0..100_000).map(|column| format!("c{column}")).collect();
    let wide = format!("fen,{}\n{GOOD}{}\n", columns.join(","), ",".repeat(100_000));
    let empty = [&b"\x28\xb5\x2f\xfd\x20\0"[..], &[1, 0, 0]].concat();
    let gzip_with = |flags: u8, rest: Vec<u8>| [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 0], &rest[..]].concat();
    let long = "length: expected at most 1048576 bytes, found more";
    vec![
        ("deep.jsonl", object(&deep(500_000)), ""),
        ("open.jsonl", object(&"[".repeat(1_000_000)), "JSON: "),
        ("keys.jsonl", object(&keys.join(",")), ""),
        ("again.jsonl", object(&again), "JSON: expected one field \"fen\", found two"),
        ("long.jsonl", object(&format!("\"x\":\"{}\"", "x".repeat(20 << 20))), long),
        ("wide.csv", wide.into_bytes(), ""),
        ("commas.csv", format!("fen{0}\n{GOOD}{0}\n", ",".repeat(1_000_000)).into_bytes(), ""),
        ("header.csv", format!("fen{}\n{GOOD}\n", ",x".repeat(1_000_000)).into_bytes(), long),
        (
            "quote.csv",
            format!("fen,x\n\"{}", format!("{}\n", "x".repeat(999)).repeat(3_000)).into_bytes(),
            "line 2, field 1: ",
        ),
        ("zeros.gz", [gzip(GOOD.as_bytes()), vec![0; 100 << 20]].concat(), ""),
        ("zeros.zst", [zstd(GOOD.as_bytes()), vec![0; 100 << 20]].concat(), ""),
        ("name.gz", gzip_with(8, vec![b'x'; 10 << 20]), "too long"),
        ("extra.gz", gzip_with(4, vec![0xff; 1 << 20]), "cannot read"),
        ("members.gz", [gzip(b"").repeat(100_000), gzip(GOOD.as_bytes())].concat(), ""),
        ("bomb.gz", gzip(&vec![b'x'; 200 << 20]), long),
        ("bomb.zst", zstd(&vec![b'x'; 200 << 20]), long),
        ("frames.zst", [empty.repeat(500_000), zstd(GOOD.as_bytes())].concat(), ""),
        ("skips.zst", [b"\x50\x2a\x4d\x18\0\0\0\0".repeat(500_000), zstd(GOOD.as_bytes())].concat(), ""),
        ("skip.zst", b"\x50\x2a\x4d\x18\xff\xff\xff\xff".to_vec(), "incomplete frame"),
        ("window.zst", frame(&[0, 0xff]), "decompress it first: `zstd -dc --long=31 FILE | slider-attacks … -`"),
        ("content.zst", frame(&[0xe0, 255, 255, 255, 255, 255, 255, 255, 255]), "zstd window exceeds 128 MiB"),
        ("dictionary.zst", frame(&[3, 0x58, 255, 255, 255, 255]), "Dictionary mismatch"),
        ("parquet.gz", gzip(&parquet(&[], &[])), "it is compressed Parquet"),
        ("encrypted.parquet", b"PARE0123PARE".to_vec(), "Parquet with an encrypted footer"),
    ]
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs a limit on the address space")]
fn texts_that_take_too_much() {
    for (name, bytes, message) in texts_without_measure() {
        let name = format!("measure-{name}");
        let path = file(&name, &bytes);
        for more in ["", "--keep all --format jsonl --on-error report"] {
            let args = format!("analyze {} --threads 2 {more}", path.display());
            let run = finish(&mut limited(1 << 19, &args), "");
            match message {
                "" if name.contains("commas") && !more.is_empty() => run.fails("already has a column of that name"),
                "" => assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{name}"),
                _ if run.code == Some(0) => assert!(run.stderr.contains("are null"), "{name}: {}", run.stderr),
                _ => {
                    run.fails(message);
                    assert!(run.stderr.contains(&name), "{}", run.stderr);
                }
            }
        }
        fs::remove_file(path).expect("it is there");
    }
}

/// A line that never ends is reported, and a list that never ends is not read into memory.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs an endless device")]
fn endless_inputs() {
    for command in ["analyze", "attacks"] {
        finish(&mut limited(1 << 19, &format!("{command} /dev/zero")), "").fails("/dev/zero, line 1, length: ");
    }
    let list = finish(&mut limited(1 << 19, "analyze --files-from /dev/zero"), "");
    list.fails("/dev/zero, line 1: file name too long");
    let many = "/nonexistent/file\n".repeat(1 << 20);
    run("analyze --files-from -", many).fails("standard input, line 1: cannot open /nonexistent/file: ");
}

/// Where threads take all addresses that a process may have, fewer of them work.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs a limit on the address space")]
fn more_threads_than_fit() {
    let expected = run("analyze", "").ok();
    for kilobytes in (100_000..2_000_000).step_by(100_000) {
        let mut command = limited(kilobytes, "analyze --threads 256");
        assert_eq!(finish(&mut command, "").ok(), expected, "{kilobytes}");
    }
}

/// A file that becomes larger than it may is an error, like a full disk, and nothing is left of it.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs a limit on the size of files")]
fn files_that_become_too_large() {
    for format in ["csv", "jsonl", "parquet", "npy"] {
        let out = directory(&format!("too large {format}"));
        let path = if format == "npy" { out.join("arrays") } else { out.join(format!("out.{format}")) };
        let lines = format!("{GOOD}\n").repeat(20_000);
        // The name has a blank.
        let mut command = with_limit("-f", 1, &format!("analyze - --what maps,mobility --format {format} -o"));
        command.arg(&path);
        finish(&mut command, lines).fails("File too large");
        assert_eq!(fs::read_dir(&out).expect("it is there").count(), 0, "{format}");
    }
}

/// A byte order mark is taken off at the beginning of a file, and nowhere else.
#[test]
fn marks_inside_of_csv() {
    let mark = "\u{feff}";
    let rows: Vec<String> = (0..5_000).map(|row| format!("{mark}{row},{GOOD}\n")).collect();
    let table = run("analyze - --keep name --what counts", format!("{mark}name,fen\n{}", rows.concat())).ok();
    let names: Vec<&str> = table.lines().skip(1).map(|line| line.split(',').nth(1).expect("a name")).collect();
    let expected: Vec<String> = (0..5_000).map(|row| format!("{mark}{row}")).collect();
    assert_eq!(names, expected);
}

/// Sums of 30,000 groups take more than twice the memory that there is here.
#[test]
#[cfg(target_os = "linux")]
fn groups_take_bounded_memory() {
    let rows: String = (0..60_000).map(|row| format!("{GOOD},{}\n", row * 7 % 30_000)).collect();
    let input = file("many-groups.csv", format!("fen,id\n{rows}").as_bytes());
    let arrays = directory("many-groups");
    let args = "--by id --what counts,maps --format npy --threads 1 --group-memory 4000000";
    let args = format!("summarize {} {args} -o {}", input.display(), arrays.display());
    finish(&mut limited(80_000, &args), "").ok();
    let positions = fs::read(arrays.join("positions.npy")).expect("it is there");
    assert!(positions[128..].as_chunks().0.iter().all(|count| u64::from_le_bytes(*count) == 2));
    assert_eq!(positions.len(), 128 + 30_000 * 8);
    fs::remove_dir_all(arrays).expect("it is there");
}
