//! `analyze` on many files: directories, patterns and lists, shards, outputs in a directory, and resumed runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use parquet::file::properties::WriterProperties;

use crate::analyze::{names, parquet_with, positions, read_npy, read_parquet, texts};
use crate::{Run, command, directory, finish, gzip, start, wait, zstd};

/// Runs `analyze` in this directory. Blanks separate the arguments.
fn analyze_in(directory: &Path, args: &str) -> Run {
    finish(command("analyze").args(args.split_whitespace()).current_dir(directory), "")
}

/// An empty directory with a directory `in` that has a file of every format.
fn files(name: &str) -> PathBuf {
    let (directory, scratch) = (directory(name), format!("{name}.parquet"));
    let positions = positions();
    let lines = |from: usize, to: usize| positions[from..to].iter().map(|line| format!("{line}\n")).collect::<String>();
    let table = |from: usize, to: usize, mark: char| {
        let row = |line: &&str| format!("7{mark}\"{}\"\n", line.replace('"', "\"\""));
        format!("id{mark}fen\n") + &positions[from..to].iter().map(row).collect::<String>()
    };
    let objects = |from: usize, to: usize| {
        let object = |line: &&str| serde_json::json!({ "fen": line, "id": 7 }).to_string() + "\n";
        positions[from..to].iter().map(object).collect::<String>()
    };
    for (name, content) in [
        ("a.epd", lines(0, 20).into_bytes()),
        ("b/a.epd.gz", gzip(lines(20, 30).as_bytes())),
        ("b/c/d.tsv", table(30, 45, '\t').into_bytes()),
        ("b/c/e.JSONL", objects(45, 60).into_bytes()),
        ("b/empty.fen", Vec::new()),
        ("b.csv.zst", zstd(table(60, 75, ',').as_bytes())),
        ("d.ndjson", objects(75, 90).into_bytes()),
        ("notes.txt", b"no positions".to_vec()),
        (".hidden.epd", b"no positions".to_vec()),
        (".hidden/a.epd", b"no positions".to_vec()),
    ] {
        let path = directory.join("in").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
        fs::write(path, content).expect("it can be written");
    }
    let properties = |rows| WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build();
    for (name, rows, from, to) in [("c.parquet", 7, 0, 120), ("d/one.parquet", 1000, 120, 146)] {
        let path = parquet_with(&scratch, vec![("fen", texts(&positions[from..to]))], properties(rows));
        fs::create_dir_all(directory.join("in/d")).expect("it can be made");
        fs::rename(path, directory.join("in").join(name)).expect("one file system");
    }
    directory
}

/// The files of `files`, in order.
const NAMES: [&str; 9] = [
    "a.epd",
    "b/a.epd.gz",
    "b/c/d.tsv",
    "b/c/e.JSONL",
    "b/empty.fen",
    "b.csv.zst",
    "c.parquet",
    "d/one.parquet",
    "d.ndjson",
];

/// The names of all files below a directory, without the record of options.
fn tree(directory: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for name in names(directory).into_iter().filter(|name| !name.starts_with(".slider-attacks.")) {
        let path = directory.join(&name);
        if path.is_dir() {
            all.extend(tree(&path).into_iter().map(|below| format!("{name}/{below}")))
        } else {
            all.push(name)
        }
    }
    all
}

/// The values of the first column, without those of the header.
fn first_column(csv: &str) -> Vec<&str> {
    let mut values: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    values.dedup();
    values
}

#[test]
fn directories_patterns_and_lists_name_files() {
    let directory = files("names");
    let whole = analyze_in(&directory, "in").ok();
    let filled = NAMES.iter().filter(|name| !name.contains("empty"));
    assert_eq!(first_column(&whole), filled.map(|name| format!("in/{name}")).collect::<Vec<_>>());
    assert_eq!(whole.lines().count(), 1 + 20 + 10 + 15 + 15 + 15 + 15 + 120 + 26);
    for (args, names) in [
        ("in/b", "in/b/a.epd.gz in/b/c/d.tsv in/b/c/e.JSONL"),
        ("in/b/ in/a.epd", "in/b/a.epd.gz in/b/c/d.tsv in/b/c/e.JSONL in/a.epd"),
        ("in/a.epd in/a.epd", "in/a.epd"),
        ("in/*.epd", "in/a.epd"),
        ("./in/*.epd", "./in/a.epd"),
        ("in/**/*.epd*", "in/a.epd in/b/a.epd.gz"),
        ("*/[bd]/*.[!f]*", "in/b/a.epd.gz in/d/one.parquet"),
        ("in/b/c/?.*", "in/b/c/d.tsv in/b/c/e.JSONL"),
    ] {
        assert_eq!(first_column(&analyze_in(&directory, args).ok()), names.split(' ').collect::<Vec<_>>(), "{args}");
    }
    // A file whose name could be a pattern is a file.
    fs::copy(directory.join("in/a.epd"), directory.join("in/[a]*.epd")).expect("it can be copied");
    let [file, plain] = ["in/[a]*.epd", "in/a.epd"].map(|path| analyze_in(&directory, path).ok());
    assert_eq!(file, plain);

    let list = "in/a.epd\r\n\nin/b/c\nin/d.nd*\n";
    fs::write(directory.join("list"), list).expect("it can be written");
    let listed = ["in/a.epd", "in/b/c/d.tsv", "in/b/c/e.JSONL", "in/d.ndjson"];
    let from_file = analyze_in(&directory, "--files-from list").ok();
    assert_eq!(first_column(&from_file), listed);
    fs::write(directory.join("cr"), list.replace("\r\n", "\n").replace('\n', "\r")).expect("it can be written");
    assert_eq!(analyze_in(&directory, "--files-from cr").ok(), from_file);
    let mut piped = command("analyze --files-from -");
    assert_eq!(finish(piped.current_dir(&directory), list).ok(), from_file);
    let mut twice = command("analyze --files-from - in/a.epd");
    finish(twice.current_dir(&directory), "-\n").fails("it cannot be both LIST and a FILE");
    let more = analyze_in(&directory, "in/d in/a.epd --files-from list").ok();
    assert_eq!(first_column(&more)[..3], ["in/d/one.parquet", "in/a.epd", "in/b/c/d.tsv"]);

    fs::create_dir(directory.join("nothing")).expect("it can be made");
    fs::write(directory.join("empty"), "\n\n").expect("it can be written");
    fs::write(directory.join("wrong"), "in/a.epd\n\nin/none.epd\n").expect("it can be written");
    fs::write(directory.join("stdin"), "in/a.epd\n-\n").expect("it can be written");
    for (args, message) in [
        (
            "nothing",
            "nothing has no files that end in .fen, .epd, .csv, .tsv, .jsonl, .ndjson, .pgn, .bulletformat, .marlinformat, .viriformat, .vf, .binpack, .parquet",
        ),
        ("in/a.epd in/none.epd", "cannot open in/none.epd: No such file"),
        ("in/*.fen", "no file matches in/*.fen"),
        ("in/[a", "in/[a is not a pattern: "),
        ("none/*.fen", "cannot open none: No such file"),
        ("--files-from none", "cannot read none: No such file"),
        ("--files-from empty", "empty lists no files"),
        ("--files-from -", "standard input lists no files"),
        ("--files-from wrong", "wrong, line 3: cannot open in/none.epd: No such file"),
        ("--files-from stdin -", "only one FILE can be -"),
        ("- --shard 1/2", "shards cannot share standard input"),
        ("- --output-dir out", "standard input has no name for its output"),
        ("/dev/null --shard 1/2", "shards cannot share /dev/null: it is not a file"),
        ("in/a.epd in/notes.txt", "in/notes.txt, line 1, "),
    ] {
        let run = analyze_in(&directory, args);
        run.fails(message);
    }
}

#[test]
#[cfg(unix)]
fn links_are_followed_to_files_only() {
    use std::os::unix::fs::symlink;
    let directory = files("links");
    symlink("../a.epd", directory.join("in/b/link.epd")).expect("it can be made");
    symlink("..", directory.join("in/b/up")).expect("it can be made");
    symlink("in/b", directory.join("link")).expect("it can be made");
    let files = ["a.epd.gz", "c/d.tsv", "c/e.JSONL", "link.epd"];
    for (args, start) in [("in/b", "in/b/"), ("link", "link/"), ("in/b/**/*.[etJ]*[!n]", "in/b/")] {
        let out = analyze_in(&directory, args).ok();
        assert_eq!(first_column(&out), files.map(|name| format!("{start}{name}")), "{args}");
    }
    symlink("nowhere", directory.join("in/b/z.epd")).expect("it can be made");
    analyze_in(&directory, "in/b").fails("cannot open in/b/z.epd: No such file");
}

#[test]
fn shards_are_the_whole_in_its_order() {
    let directory = files("shards");
    let mut cut = 0;
    for format in ["csv --no-header", "jsonl"] {
        let whole = analyze_in(&directory, &format!("in --what maps --format {format}")).ok();
        for of in (1..=7).chain([40]) {
            let mut joined = String::new();
            for number in 1..=of {
                let run = analyze_in(&directory, &format!("in --what maps --format {format} --shard {number}/{of}"));
                let note = format!("note: shard {number}/{of} is empty\n");
                let notes = ["", &note, "note: no positions in in/b/empty.fen\n"];
                assert!(run.code == Some(0) && notes.contains(&&*run.stderr), "{run:?}");
                assert!(run.stderr.is_empty() || run.stdout.is_empty(), "{run:?}");
                let rows = run.stdout.lines().filter(|line| line.contains("in/c.parquet")).count();
                cut += usize::from((1..120).contains(&rows));
                joined += &run.stdout;
            }
            assert!(joined == whole, "{of} shards");
        }
    }
    assert!(cut > 20, "{cut} pieces of a file");
    // Equal files are shared equally.
    fs::create_dir(directory.join("equal")).expect("it can be made");
    for number in 10..50 {
        let path = directory.join(format!("equal/{number}.epd"));
        fs::write(path, positions()[0]).expect("it can be written");
    }
    for of in 2..=7 {
        let rows =
            |number| analyze_in(&directory, &format!("equal --no-header --shard {number}/{of}")).ok().lines().count();
        let shares: Vec<usize> = (1..=of).map(rows).collect();
        assert!(shares.iter().all(|&share| share == 40 / of || share == 40 / of + 1), "{shares:?}");
    }

    // With a header, an empty shard has the header alone.
    let mut shards =
        (1..=40).map(|number| analyze_in(&directory, &format!("in --what maps --keep fen --shard {number}/40")));
    let empty = shards.find(|shard| shard.stderr.contains("is empty")).expect("there are more shards than pieces");
    assert_eq!(empty.stdout, "file,line,fen,white_attacks,black_attacks\n", "{empty:?}");
    let args = "in/c.parquet in/d in/b/c --what maps,threats --keep fen";
    let whole = analyze_in(&directory, &format!("{args} -o whole.parquet")).ok();
    assert_eq!(whole, "");
    let parts = [1, 2, 3, 4, 5].map(|number| {
        let path = directory.join(format!("part-{number}.parquet"));
        let run = analyze_in(&directory, &format!("{args} --shard {number}/5 -o {}", path.display()));
        assert_eq!(run.code, Some(0), "{run:?}");
        read_parquet(&path)
    });
    let whole = read_parquet(&directory.join("whole.parquet"));
    assert_eq!(arrow_select::concat::concat_batches(&whole.schema(), &parts).expect("one schema"), whole);

    analyze_in(&directory, "in --what maps --format npy -o whole").ok();
    for name in ["file.npy", "line.npy", "white_attacks.npy"] {
        let parts = [1, 2, 3].map(|number| {
            analyze_in(&directory, &format!("in --what maps --format npy -o part-{number} --shard {number}/3")).ok();
            read_npy::<u64>(&directory.join(format!("part-{number}")).join(name)).1
        });
        assert_eq!(parts.concat(), read_npy::<u64>(&directory.join("whole").join(name)).1, "{name}");
    }
}

/// When each of the files below a directory was written.
fn times(directory: &Path) -> Vec<(String, std::time::SystemTime)> {
    let time = |name: &String| {
        fs::metadata(directory.join(name)).and_then(|metadata| metadata.modified()).expect("it is there")
    };
    tree(directory).into_iter().map(|name| (name.clone(), time(&name))).collect()
}

#[test]
fn each_input_has_an_output_that_is_not_written_twice() {
    let directory = files("outputs");
    let run = analyze_in(&directory, "in --output-dir out");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    let out = directory.join("out");
    let mut expected = NAMES.map(|name| format!("{name}.csv"));
    expected.sort();
    let mut found = tree(&out);
    found.sort();
    assert_eq!(found, expected);
    for name in NAMES {
        let one = analyze_in(&directory, &format!("in/{name}"));
        assert_eq!(fs::read_to_string(out.join(format!("{name}.csv"))).expect("it is there"), one.stdout, "{name}");
    }

    let before = times(&out);
    let again = analyze_in(&directory, "in --output-dir out");
    let done = |name: &str| format!("already done: in/{name} (out/{name}.csv)\n");
    assert_eq!((again.code, again.stderr), (Some(0), NAMES.map(done).concat()));
    assert_eq!(times(&out), before);
    // One output is missing. Outputs are not examined.
    let [missing, other] = ["c.parquet.csv", "a.epd.csv"].map(|name| out.join(name));
    let content = fs::read(&missing).expect("it is there");
    fs::remove_file(&missing).expect("it is there");
    fs::write(&other, "other").expect("it can be written");
    let rest = analyze_in(&directory, "in --output-dir out");
    let others = NAMES.into_iter().filter(|name| *name != "c.parquet").map(done).collect::<String>();
    assert_eq!((rest.code, rest.stderr), (Some(0), others));
    assert_eq!(
        (fs::read(&missing).expect("it is there"), fs::read(&other).expect("it is there")),
        (content, b"other".to_vec())
    );
    assert_eq!(analyze_in(&directory, "in --output-dir out --overwrite").ok(), "");
    assert_eq!(fs::read_to_string(&other).expect("it is there"), analyze_in(&directory, "in/a.epd").ok());
    // So does another format.
    analyze_in(&directory, "in/a.epd in/d --output-dir out --format jsonl").ok();
    assert_eq!(fs::read_to_string(out.join("one.parquet.jsonl")).expect("it is there").lines().count(), 26);
    analyze_in(&directory, "in/d --output-dir tables --format parquet").ok();
    assert_eq!(read_parquet(&directory.join("tables/one.parquet.parquet")).num_rows(), 26);

    // Arrays have a directory each. It is complete if all of them are there.
    let args = "in --output-dir arrays --format npy --what maps,threats";
    analyze_in(&directory, args).ok();
    let arrays = directory.join("arrays/b/c/d.tsv");
    let all =
        ["black_attacks", "line", "threats", "threats_offsets", "white_attacks"].map(|name| format!("{name}.npy"));
    assert_eq!(names(&arrays), all);
    fs::remove_file(arrays.join("threats_offsets.npy")).expect("it is there");
    assert_eq!(analyze_in(&directory, args).stderr.lines().count(), NAMES.len() - 1);
    assert_eq!(names(&arrays), all);

    // Outputs below the inputs are not inputs of the next run.
    for args in ["in --output-dir in/out", "in/** --output-dir in/some", "in -o in/all.csv", "in -o in/all.csv"] {
        let args = args.replace("in/**", "in/**/*.epd");
        let [first, second] = [1, 2].map(|_| {
            analyze_in(&directory, &args);
            tree(&directory.join("in"))
        });
        assert_eq!(first, second, "{args}");
        let _ = fs::remove_dir_all(directory.join("in/out"));
        let _ = fs::remove_dir_all(directory.join("in/some"));
    }
    fs::remove_file(directory.join("in/all.csv")).expect("it is there");
    for (args, message) in [
        ("in --output-dir .", "in is an input, so the output cannot go to "),
        ("in --output-dir in", "in is an input, so the output cannot go to "),
        ("in/d --output-dir in/a.epd", "Not a directory"),
        ("in/a.epd in/a.epd --output-dir new", "the outputs of in/a.epd and in/a.epd would have the same name: "),
        ("in other --output-dir new", "the outputs of in/a.epd and other/a.epd would have the same name: "),
    ] {
        let _ = fs::create_dir(directory.join("other"));
        fs::copy(directory.join("in/a.epd"), directory.join("other/a.epd")).expect("it can be copied");
        let run = analyze_in(&directory, args);
        assert!(run.code == Some(1) && run.stderr.contains(message), "{args}: {run:?}");
        assert!(!directory.join("new").exists());
    }
    // Their names differ below a directory that holds both.
    analyze_in(&directory, "*/a.epd --output-dir new").ok();
    assert_eq!(tree(&directory.join("new")), ["in/a.epd.csv", "other/a.epd.csv"]);
}

#[test]
fn the_pieces_of_a_file_have_outputs_of_their_own() {
    let directory = files("pieces");
    let args = "in --what maps --no-header --output-dir";
    analyze_in(&directory, &format!("{args} whole")).ok();
    for of in 1..=5 {
        let out = directory.join(format!("out-{of}"));
        let shard = |number| analyze_in(&directory, &format!("{args} out-{of} --shard {number}/{of}"));
        (1..=of).for_each(|number| assert_eq!(shard(number).code, Some(0)));
        let before = times(&out);
        (1..=of).for_each(|number| assert_eq!(shard(number).code, Some(0)));
        assert_eq!(times(&out), before);
        for name in NAMES {
            let whole = fs::read_to_string(directory.join(format!("whole/{name}.csv"))).expect("it is there");
            let pieces = tree(&out).into_iter().filter(|piece| piece.starts_with(&format!("{name}.")));
            let pieces: Vec<String> = pieces.filter(|piece| of > 1 || !piece.contains(".rows-")).collect();
            let joined: String =
                pieces.iter().map(|piece| fs::read_to_string(out.join(piece)).expect("it is there")).collect();
            assert!(joined == whole, "{name}: {pieces:?}");
        }
    }
    let pieces: Vec<String> =
        tree(&directory.join("out-2")).into_iter().filter(|name| name.contains(".rows-")).collect();
    let [first, second] = pieces.as_slice() else { panic!("{pieces:?}") };
    assert!(first.starts_with("c.parquet.rows-001-") && second.ends_with("-120.csv"), "{pieces:?}");
    // Pieces that were cut in other places have some of the rows.
    let other = |number| analyze_in(&directory, &format!("{args} out-2 --shard {number}/5"));
    let failed: Vec<Run> = (1..=5).map(other).filter(|run| run.code != Some(0)).collect();
    assert!(
        !failed.is_empty() && failed.iter().all(|run| run.stderr.contains("the input was split differently")),
        "{failed:?}"
    );
    let whole = analyze_in(&directory, &format!("{args} out-2"));
    assert!(whole.stderr.contains("error: out-2/c.parquet.csv would repeat rows "), "{whole:?}");
    // What was done as a whole needs no pieces.
    let run = analyze_in(&directory, &format!("{args} whole --shard 1/2"));
    assert!(run.stderr.contains("already done: in/c.parquet (whole/c.parquet.csv)\n"), "{run:?}");
}

/// A directory with files of every format, most of them large enough to be cut often, and of very different bytes per position.
fn many_formats(name: &str) -> PathBuf {
    let directory = directory(name);
    let folder = directory.join("in");
    fs::create_dir(&folder).expect("it can be made");
    let (lines, binpack) = (positions(), include_bytes!("../../../tests/data/sample.binpack"));
    let games = include_str!("../../../tests/data/tour.pgn");
    let row = |line: &&str| format!("\"a\n\"\"b\"\"\",{}\r\n", line.split(" id ").next().unwrap_or_default());
    let object = |line: &&str| serde_json::json!({ "fen": line, "id": "x".repeat(100) }).to_string() + "\n";
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    for (name, content) in [
        ("a.epd", text.repeat(40).into_bytes()),
        ("b.fen", format!("# a comment\n{}", text.repeat(20)).into_bytes()),
        ("c.binpack", binpack.repeat(200)),
        ("d.csv", format!("id,fen\n{}", lines.iter().map(row).collect::<String>().repeat(40)).into_bytes()),
        ("e.jsonl", lines.iter().map(object).collect::<String>().repeat(30).into_bytes()),
        ("f.pgn", games.repeat(100).into_bytes()),
        ("h.epd.gz", gzip(text.as_bytes())),
        ("i.jsonl.zst", zstd(lines.iter().map(object).collect::<String>().as_bytes())),
        ("j.pgn.gz", gzip(games.as_bytes())),
    ] {
        fs::write(folder.join(name), content).expect("it can be written");
    }
    for name in ["k.bulletformat", "l.marlinformat", "m.viriformat"] {
        let mut convert = command(&format!("convert c.binpack -o {name} --limit 3000"));
        assert_eq!(finish(convert.current_dir(&folder), "").code, Some(0), "{name}");
    }
    let some: Vec<&str> = lines.iter().cycle().take(4000).copied().collect();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(100)).build();
    let path = parquet_with(&format!("{name}.parquet"), vec![("fen", texts(&some))], properties);
    fs::rename(path, folder.join("n.parquet")).expect("one file system");
    directory
}

/// In every format, shards are disjoint, together everything, in its order, and of about the same size; also as outputs in a directory.
#[test]
fn every_format_is_cut_between_units() {
    let directory = many_formats("all formats");
    let run = |args: String| {
        let run = analyze_in(&directory, &format!("in{args} --what status --no-header --keep fen"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args}");
        run.stdout
    };
    let whole = run(String::new());
    for of in [3, 16] {
        let shards: Vec<String> = (1..=of).map(|number| run(format!(" --shard {number}/{of}"))).collect();
        assert!(shards.concat() == whole, "{of} shards");
        let rows = shards.iter().map(|shard| shard.lines().count());
        let mean = whole.lines().count() / of;
        assert!(rows.clone().max().unwrap_or(0) * 10 <= mean * 12, "{:?}", rows.collect::<Vec<_>>());
    }
    let all: Vec<String> = names(&directory.join("in"));
    let mut parts = 0;
    for number in 1..=16 {
        run(format!(" --shard {number}/16 --output-dir out"));
    }
    for name in &all {
        let file = run(format!("/{name}"));
        let pieces = tree(&directory.join("out")).into_iter().filter(|piece| piece.starts_with(&format!("{name}.")));
        let joined = pieces.map(|piece| {
            parts += usize::from(piece.contains(".bytes-"));
            fs::read_to_string(directory.join("out").join(piece)).expect("it is there")
        });
        assert!(joined.collect::<String>() == file, "{name}");
    }
    assert!(parts > 16, "{parts}");
    // Parts that were cut elsewhere have some of the bytes.
    let args = "in --what status --no-header --keep fen --output-dir out";
    let others = (1..=5).map(|number| analyze_in(&directory, &format!("{args} --shard {number}/5")));
    let failed: Vec<Run> = others.filter(|run| run.code != Some(0)).collect();
    assert!(!failed.is_empty() && failed.iter().all(|run| run.stderr.contains(" would repeat ")), "{failed:?}");
}

/// Runs `convert` in this directory. Blanks separate the arguments.
fn convert_in(directory: &Path, args: &str) -> Run {
    finish(command("convert").args(args.split_whitespace()).current_dir(directory), "")
}

/// Where the move of a row is that which led to the next row, no shard ends between them; other tables are cut.
#[test]
fn no_move_is_lost_where_shards_end() {
    let directory = directory("moves of shards");
    let games = "[Event \"a\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n".repeat(40);
    fs::write(directory.join("games.pgn"), games).expect("it can be written");
    for format in ["csv", "jsonl"] {
        for (column, parts) in [("uci", 1), ("next_uci", 3)] {
            let table = format!("{column}.{format}");
            analyze_in(&directory, &format!("games.pgn --what status --keep fen,{column} -o {table}")).ok();
            let whole = convert_in(&directory, &format!("{table} --to jsonl")).ok();
            assert!(whole.contains("\"e2e4\""), "{table}: {whole}");
            let shard = |number: usize| {
                let run = convert_in(&directory, &format!("{table} --to jsonl --shard {number}/3"));
                assert_eq!(run.code, Some(0), "{run:?}");
                run.stdout
            };
            let shards = [1, 2, 3].map(shard);
            assert!(shards.concat() == whole, "{table}");
            assert_eq!(shards.iter().filter(|rows| !rows.is_empty()).count(), parts, "{table}");
        }
    }
}

#[test]
fn a_missing_file_fails_in_one_shard() {
    let directory = directory("missing in a shard");
    let positions = positions();
    for (name, from) in [("a.epd", 0), ("b.epd", 20)] {
        let lines: String = positions[from..from + 20].iter().map(|line| format!("{line}\n")).collect();
        fs::write(directory.join(name), lines).expect("it can be written");
    }
    let args = "a.epd missing.epd b.epd --what status --no-header --keep-going";
    let whole = analyze_in(&directory, args);
    let shards = [1, 2, 3].map(|number| analyze_in(&directory, &format!("{args} --shard {number}/3")));
    assert_eq!((whole.code, shards.each_ref().map(|run| &*run.stdout).concat()), (Some(1), whole.stdout));
    let failed = shards.iter().filter(|run| run.code == Some(1) && run.stderr.contains("failed: ")).count();
    assert_eq!((failed, shards.iter().filter(|run| run.code == Some(0)).count()), (1, 2), "{shards:?}");
}

/// The shard of a file that can be read may have malformed lines alone, but not the only shard of a file that fails.
#[test]
fn a_shard_of_malformed_lines_warns() {
    let directory = directory("malformed shard");
    let positions = positions();
    let lines = |mark: &str| positions[..20].iter().map(|line| format!("{mark}{line}\n")).collect::<String>();
    fs::write(directory.join("a.epd"), lines("bad") + &lines("")).expect("it can be written");
    fs::write(directory.join("b.epd"), lines("bad")).expect("it can be written");
    for (command, to) in [("analyze", "--what status"), ("summarize", ""), ("convert", "--to fen")] {
        let run = |args: &str| {
            let args = format!("{args} --on-error skip {to}");
            finish(crate::command(command).args(args.split_whitespace()).current_dir(&directory), "")
        };
        let part = run("a.epd --shard 1/3");
        assert!(part.code == Some(0) && part.stderr.contains("warning: a.epd: skipped all "), "{part:?}");
        let whole = run("b.epd");
        assert!(whole.code == Some(1) && whole.stderr.contains("\nerror: b.epd: skipped all 20 "), "{whole:?}");
    }
    for (name, code) in [("a", 0), ("b", 1)] {
        let run = analyze_in(&directory, &format!("{name}.epd --on-error skip --shard 1/1 --output-dir {name}"));
        assert_eq!(run.code, Some(code), "{run:?}");
    }
    let run = analyze_in(&directory, "a.epd --on-error skip --shard 1/3 --output-dir parts");
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_run_that_failed_goes_on() {
    let directory = files("failed");
    let bad = directory.join("in/b/c/d.tsv");
    let good = fs::read(&bad).expect("it is there");
    analyze_in(&directory, "in --output-dir whole").ok();
    let cut = &gzip(&good)[..200];
    for (content, message) in [
        ([good.as_slice(), b"1\tbad\n"].concat(), "error: in/b/c/d.tsv, line 17, field \"fen\""),
        (cut.to_vec(), "error: cannot read in/b/c/d.tsv: "),
        (b"id,position\n1,2\n".to_vec(), "error: in/b/c/d.tsv has no column \"fen\""),
    ] {
        fs::write(&bad, content).expect("it can be written");
        let _ = fs::remove_dir_all(directory.join("out"));
        let run = analyze_in(&directory, "in --output-dir out");
        run.fails(message);
        // What was complete stays.
        assert_eq!(tree(&directory.join("out")), ["a.epd.csv", "b/a.epd.gz.csv"]);
        fs::write(&bad, &good).expect("it can be written");
        let run = analyze_in(&directory, "in --output-dir out");
        assert_eq!((run.code, run.stderr.lines().count()), (Some(0), 2), "{run:?}");
        for name in tree(&directory.join("whole")) {
            let [out, whole] =
                ["out", "whole"].map(|folder| fs::read(directory.join(folder).join(&name)).expect(&name));
            assert!(out == whole, "{name}");
        }
    }
    fs::remove_dir_all(directory.join("out")).expect("it is there");
    fs::write(directory.join("in/a.epd"), "bad").expect("it can be written");
    analyze_in(&directory, "in --output-dir out/new").fails("in/a.epd, line 1, ");
    assert!(!directory.join("out").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_goes_on() {
    let directory = files("stopped");
    let pipe = directory.join("in/b.csv.zst");
    let content = fs::read(&pipe).expect("it is there");
    analyze_in(&directory, "in --output-dir whole").ok();
    fs::remove_file(&pipe).expect("it is there");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo exists").success());
    let mut command = Command::new("env");
    let inner = crate::command("analyze in --output-dir out");
    command.arg("--default-signal").arg(inner.get_program()).args(inner.get_args()).current_dir(&directory);
    let (child, stdin) = start(&mut command);
    // The pipe has a writer that writes some rows and no more.
    let mut writer = fs::File::options().write(true).open(&pipe).expect("it is read");
    std::io::Write::write_all(&mut writer, crate::analyze::many().as_bytes()).expect("it is read");
    let out = directory.join("out");
    let started = Instant::now();
    let is_writing = || names(&out).iter().any(|name| name.starts_with(".slider-attacks-"));
    while !out.exists() || !is_writing() || !out.join("b/empty.fen.csv").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "{:?}", tree(&out));
        std::thread::sleep(Duration::from_millis(1));
    }
    crate::analyze::send("-TERM", &child);
    assert_eq!(wait(child).code, Some(143));
    drop((stdin, writer));
    assert_eq!(tree(&out), ["a.epd.csv", "b/a.epd.gz.csv", "b/c/d.tsv.csv", "b/c/e.JSONL.csv", "b/empty.fen.csv"]);
    fs::remove_file(&pipe).expect("it is there");
    fs::write(&pipe, content).expect("it can be written");
    assert_eq!(analyze_in(&directory, "in --output-dir out").stderr.lines().count(), 5);
    assert_eq!(tree(&out), tree(&directory.join("whole")));
    for name in tree(&out) {
        assert!(
            fs::read(out.join(&name)).expect(&name) == fs::read(directory.join("whole").join(&name)).expect(&name),
            "{name}"
        );
    }
}

/// The code blocks of a language in `docs/scale.md`.
fn blocks(language: &str) -> Vec<&'static str> {
    let page = include_str!("../../../docs/scale.md");
    let blocks = page.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

/// The jobs of the page and of the manifest, each run as a cluster runs them, give the whole.
#[test]
#[cfg(unix)]
fn the_snippets_of_the_page() {
    let directory = files("jobs");
    let line = |block: &'static str| block.lines().find(|line| line.contains("--shard")).expect("it has shards").trim();
    let slurm = blocks("bash").into_iter().find(|block| block.contains("#SBATCH")).expect("a job array");
    let kubernetes = include_str!("../../deploy/job.yaml");
    let program = Path::new(env!("CARGO_BIN_EXE_slider-attacks")).parent().expect("a directory");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a path"));
    analyze_in(&directory, "in --format parquet --output-dir whole").ok();
    for (script, variable, first) in [(slurm, "SLURM_ARRAY_TASK_ID", 1), (line(kubernetes), "JOB_COMPLETION_INDEX", 0)]
    {
        let out = directory.join(variable);
        for job in (first..first + 8).rev() {
            let mut shell = Command::new("bash");
            let shell = shell.args(["-euc", script]).env("PATH", &path).env("DATA", "in").env("OUT", &out);
            let run = finish(shell.env(variable, job.to_string()).current_dir(&directory), "");
            assert_eq!(run.code, Some(0), "{variable}={job}: {run:?}");
        }
        let rows = |folder: &Path, name: &str| {
            let pieces = tree(folder).into_iter().filter(|piece| piece.starts_with(&format!("{name}.")));
            let tables: Vec<_> = pieces.map(|piece| read_parquet(&folder.join(piece))).collect();
            let lines = tables.iter().flat_map(|table| table.column(0).as_primitive::<UInt64Type>().values().to_vec());
            (tables.len(), lines.collect::<Vec<u64>>())
        };
        for name in NAMES {
            assert_eq!(rows(&out, name).1, rows(&directory.join("whole"), name).1, "{name}");
        }
        assert!(rows(&out, "c.parquet").0 > 1);
    }
    // The numbers of jobs agree.
    assert!(slurm.contains("--array=1-8") && slurm.contains("/8"), "{slurm}");
    assert!(kubernetes.contains("completions: 8") && line(kubernetes).contains("/8"), "{kubernetes}");
}

#[test]
fn a_file_that_cannot_be_read_is_one_failure() {
    let directory = directory("one failure");
    let positions = positions();
    let lines = |from: usize| positions[from..from + 10].iter().map(|line| format!("{line}\n")).collect::<String>();
    let parquet = fs::read(parquet_with(
        "one failure.parquet",
        vec![("fen", texts(&positions[..100]))],
        WriterProperties::builder().build(),
    ))
    .expect("it is there");
    let whole = zstd(lines(20).as_bytes());
    fs::create_dir(directory.join("in")).expect("it can be made");
    for (name, content) in [
        ("a.epd", lines(0).into_bytes()),
        ("b.epd.zst", whole[..whole.len() - 5].to_vec()),
        ("c.csv", format!("id,fan\n1,{}\n", positions[0]).into_bytes()),
        ("d.epd.gz", gzip(lines(10).as_bytes())[..30].to_vec()),
        ("e.parquet", [&parquet[..parquet.len() - 40], &[0xff; 32], &parquet[parquet.len() - 8..]].concat()),
        ("f.epd", b"no position\nnone\n".to_vec()),
        ("g.jsonl", format!("{}\n{{\"fen\":7}}\n", serde_json::json!({ "fen": positions[1] })).into_bytes()),
        ("h.epd", format!("bad\n{}", lines(30)).into_bytes()),
        ("i.epd", Vec::new()),
    ] {
        fs::write(directory.join("in").join(name), content).expect("it can be written");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", directory.join("in/z.epd")).expect("it can be made");
    let links = usize::from(cfg!(unix));
    for (threads, format) in [(1, "csv"), (4, "csv"), (2, "parquet"), (3, "jsonl"), (2, "npy")] {
        let output = format!("out-{format}-{threads}");
        let args = format!(
            "in --what counts,threats --on-error skip --format {format} --threads {threads} --output-dir {output}"
        );
        let run = analyze_in(&directory, &args);
        let failed: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("failed: ")).collect();
        assert_eq!((run.code, failed.len()), (Some(1), 5 + links), "{run:?}");
        let all = ["in/b.epd.zst", "in/c.csv", "in/d.epd.gz", "in/e.parquet", "in/f.epd"].into_iter();
        let all: Vec<&str> = all.chain((links > 0).then_some("in/z.epd")).collect();
        assert!(failed.iter().zip(&all).all(|(line, name)| line.contains(name)), "{failed:?}");
        let end = format!(
            "\nerror: {} of {} files failed: {}; run the same command again to retry them\n",
            5 + links,
            9 + links,
            all.join(", ")
        );
        assert!(run.stderr.ends_with(&end), "{run:?}");
        // Only of those that were written, rows are counted.
        let counts = format!("\n{} files: skipped 2 of 23 positions: malformed\n", 9 + links);
        assert!(run.stderr.contains(&counts), "{run:?}");
        let ending = if format == "npy" { String::new() } else { format!(".{format}") };
        let done = ["a.epd", "g.jsonl", "h.epd", "i.epd"].map(|name| format!("{name}{ending}"));
        let found = names(&directory.join(&output)).into_iter().filter(|name| !name.starts_with(".slider"));
        assert_eq!(found.collect::<Vec<_>>(), done, "{run:?}");
        let whole = analyze_in(
            &directory,
            &format!("in/h.epd --what counts,threats --on-error skip --format {format} -o h{ending}"),
        );
        assert_eq!(whole.code, Some(0), "{whole:?}");
        if format != "npy" {
            let [found, expected] = [directory.join(&output).join(&done[2]), directory.join(format!("h{ending}"))];
            assert!(fs::read(found).expect("it is there") == fs::read(expected).expect("it is there"), "{format}");
        }

        // The same command tries only those that failed.
        let before = times(&directory.join(&output));
        let again = analyze_in(&directory, &args);
        assert_eq!(again.stderr.lines().filter(|line| line.starts_with("already done: ")).count(), 4, "{again:?}");
        assert_eq!(again.stderr.lines().filter(|line| line.starts_with("failed: ")).count(), 5 + links, "{again:?}");
        assert!(again.code == Some(1) && times(&directory.join(&output)) == before, "{again:?}");
        // Parts of the input as well.
        for number in [1, 2] {
            let run = analyze_in(
                &directory,
                &format!(
                    "in/a.epd in/e.parquet --what counts,threats --on-error skip --format {format} --shard {number}/2 --output-dir {output}"
                ),
            );
            assert!(run.stderr.contains("already done: ") || run.stderr.contains("failed: "), "{run:?}");
        }
    }
    // One that can be read now is done.
    fs::write(directory.join("in/b.epd.zst"), &whole).expect("it can be written");
    let run = analyze_in(
        &directory,
        "in/b.epd.zst in/a.epd missing.epd --on-error skip --what counts,threats --output-dir out-csv-1",
    );
    assert!(run.code == Some(1) && run.stderr.contains("\nerror: 1 of 2 files failed: missing.epd; "), "{run:?}");
    assert!(directory.join("out-csv-1/b.epd.zst.csv").is_file());
    // Without --on-error skip, and with one output, the first ends the run, and nothing is half written.
    let run = analyze_in(&directory, "in --output-dir stops");
    assert!(run.code == Some(1) && !directory.join("stops/a.epd.csv").exists(), "{run:?}");
    fs::remove_file(directory.join("in/z.epd")).expect("it is there");
    let run = analyze_in(&directory, "in --output-dir stops");
    assert!(run.code == Some(1) && run.stderr.contains("c.csv has no column \"fen\""), "{run:?}");
    assert_eq!(tree(&directory.join("stops")), ["a.epd.csv", "b.epd.zst.csv"]);
    let run = analyze_in(&directory, "in/a.epd in/d.epd.gz in/h.epd --on-error skip -o one.csv");
    assert!(run.code == Some(1) && !directory.join("one.csv").exists(), "{run:?}");
    // What cannot be written ends the run.
    fs::write(directory.join("taken"), "").expect("it can be written");
    let run = analyze_in(&directory, "in/a.epd in/h.epd --on-error skip --output-dir taken");
    assert!(run.code == Some(1) && !run.stderr.contains("failed"), "{run:?}");
}

#[test]
fn ten_thousand_files_of_which_many_fail() {
    let directory = directory("ten thousand files");
    let position = positions()[0];
    let mut list = String::new();
    for number in 0..10_000 {
        // Some files are named many times: a link takes less time than a file.
        list += &format!("{}/{number}.epd\n", if number % 4 == 0 { "bad" } else { "good" });
    }
    fs::write(directory.join("list"), list).expect("it can be written");
    for kind in ["good", "bad"] {
        fs::create_dir(directory.join(kind)).expect("it can be made");
        let first = directory.join(format!("{kind}.epd"));
        fs::write(&first, if kind == "good" { format!("{position}\n") } else { "bad\n".to_owned() })
            .expect("it can be written");
        for number in (0..10_000).filter(|number| (number % 4 == 0) == (kind == "bad")) {
            fs::hard_link(&first, directory.join(format!("{kind}/{number}.epd"))).expect("one file system");
        }
    }
    let run = analyze_in(&directory, "--files-from list --on-error skip --what threats --output-dir out --threads 2");
    assert_eq!(run.code, Some(1));
    assert_eq!(tree(&directory.join("out")).len(), 7_500);
    assert_eq!(run.stderr.lines().filter(|line| line.starts_with("failed: ")).count(), 2_500);
    assert!(run.stderr.contains("\nerror: 2,500 of 10,000 files failed: bad/0.epd, bad/4.epd, "));
    assert!(run.stderr.ends_with(", bad/76.epd, … and 2,480 more; run the same command again to retry them\n"));
    fs::remove_dir_all(directory).expect("it is there");
}
