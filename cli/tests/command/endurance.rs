//! Endurance: many lines, one in a hundred malformed. No line is lost or miscounted, and memory does not grow.
//!
//! `ENDURANCE_LINES=10000000 cargo test --release --features parquet --test command endurance -- --nocapture` is the long
//! run. It takes a minute or two and prints what it measured.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use slider_attacks::{Slider, Square, reference};

use crate::{MOST_MESSAGES, command, file, peak, run, start};

fn lines() -> u64 {
    std::env::var("ENDURANCE_LINES").map_or(100_000, |lines| lines.parse().expect("a number of lines"))
}

/// In KiB.
const MOST_MEMORY: u64 = 200 << 10;

fn is_malformed(line: u64) -> bool {
    line % 100 == 37
}

/// Feeds `text` of the numbers from 1 on to the command, and compares the output with `rows` of the same numbers.
fn endure(args: &str, what: &str, text: impl Fn(u64) -> String, rows: impl Fn(u64, &mut Vec<String>) + Sync) {
    let lines = lines();
    let started = Instant::now();
    let (mut child, stdin) = start(&mut command(args));
    let mut stdin = BufWriter::new(stdin);
    let stdout = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut stderr = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let process = child.id();

    let (early, late, (count, bad)) = thread::scope(|scope| {
        let results = scope.spawn(|| {
            let (mut found, mut count) = (stdout.lines().skip(1), 0);
            let mut expected = Vec::new();
            for line in (1..=lines).filter(|&line| !is_malformed(line)) {
                rows(line, &mut expected);
                for row in expected.drain(..) {
                    let found = found.next().expect("no row is lost").expect("rows are text");
                    assert_eq!(found, row, "line {line}");
                    count += 1;
                }
            }
            assert!(found.next().is_none(), "there is a row too many");
            count
        });
        let messages = scope.spawn(|| {
            let mut message = String::new();
            let mut bad = 0_u64;
            for line in (1..=lines).filter(|&line| is_malformed(line)) {
                bad += 1;
                if bad > MOST_MESSAGES as u64 {
                    continue;
                }
                message.clear();
                stderr.read_line(&mut message).expect("messages are text");
                assert!(message.starts_with(&format!("skipped: standard input, line {line}, ")), "{message}");
            }
            message.clear();
            stderr.read_to_string(&mut message).expect("messages are text");
            let (rest, all) = message.split_once('\n').expect("two lines");
            let rest = rest.strip_prefix("… and ").and_then(|rest| rest.strip_suffix(" more")).expect(rest);
            assert_eq!(rest.replace(',', ""), (bad - MOST_MESSAGES as u64).to_string());
            assert_eq!(all, format!("standard input: skipped {bad} of {lines} {what}: malformed\n"));
            bad
        });
        let mut early = None;
        for line in 1..=lines {
            writeln!(stdin, "{}", text(line)).expect("it reads to the end");
            if line == lines / 10 {
                early = peak(process);
            }
        }
        stdin.flush().expect("it reads to the end");
        let late = peak(process);
        drop(stdin);
        let join = "it found nothing wrong";
        (early, late, (results.join().expect(join), messages.join().expect(join)))
    });
    assert!(child.wait().expect("it ends").success());
    println!(
        "{args}: {lines} lines, {bad} malformed, {count} rows in {:.1} s; at most {early:?} KiB after a tenth, {late:?} at the end",
        started.elapsed().as_secs_f64()
    );
    if let (Some(early), Some(late)) = (early, late) {
        // How much the threads of `analyze` hold at a time depends on their order.
        let more = if args.starts_with("analyze") { 40 << 10 } else { 1 << 10 };
        assert!(late <= early + more && late < MOST_MEMORY, "memory grew from {early} to {late} KiB");
    }
}

#[test]
fn pairs_in_their_millions() {
    // Any odd multiplier spreads the numbers over squares and boards.
    let pair = |line: u64| {
        let mixed = line.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (Square::ALL[(mixed >> 58) as usize], mixed ^ mixed.rotate_left(23))
    };
    let text = |line: u64| {
        let (square, occ) = pair(line);
        match (is_malformed(line), line / 100 % 4) {
            (false, _) => format!("{square} {occ:#x}"),
            (true, 0) => format!("i{} {occ:#x}", square.rank() + 1),
            (true, 1) => format!("{square}"),
            (true, 2) => format!("{square} {occ:x}g"),
            (true, _) => format!("{square} {occ} {occ}"),
        }
    };
    endure("pairs - --format csv --on-error skip", "pairs", text, |line, rows| {
        let (square, occ) = pair(line);
        let attacks = reference::attacks(Slider::Queen, square, occ);
        rows.push(format!("{line},queen,{square},{occ:#018x},{attacks:#018x},{}", attacks.count_ones()));
    });
}

/// The positions of the sample, repeated, and the rows that they give.
struct Sample {
    lines: Vec<&'static str>,
    /// Which of the lines are positions.
    positions: Vec<usize>,
    /// For each line, its rows without the line number. Other tests check the rows themselves.
    rows: Vec<Vec<String>>,
}

impl Sample {
    /// Takes the rows from a run of this command.
    fn new(args: &str) -> Sample {
        let lines: Vec<&str> = include_str!("../../../tests/data/sample.epd").lines().collect();
        let mut rows = vec![Vec::new(); lines.len()];
        for row in run(args, "").ok().lines().skip(1) {
            let (line, rest) = row.split_once(',').expect("the number comes first");
            rows[line.parse::<usize>().expect("a number") - 1].push(rest.to_owned());
        }
        let positions = (0..lines.len()).filter(|&at| lines[at].contains('/')).collect();
        Sample { lines, positions, rows }
    }

    fn place(&self, line: u64) -> usize {
        self.positions[(line % self.positions.len() as u64) as usize]
    }

    fn text(&self, line: u64) -> String {
        let text = self.lines[self.place(line)];
        match (is_malformed(line), line / 100 % 3) {
            (false, _) => text.to_owned(),
            (true, 0) => text.replacen('/', "", 1),
            (true, 1) => text.replacen('/', "9/", 1),
            (true, _) => "9".repeat(if line % 30_000 == 10_037 { 1_100_000 } else { 5_000 }),
        }
    }

    fn rows(&self, line: u64, rows: &mut Vec<String>) {
        rows.extend(self.rows[self.place(line)].iter().map(|rest| format!("{line},{rest}")));
    }
}

#[test]
fn positions_in_their_millions() {
    for (command, options) in [("attacks", "--format csv --slider queen"), ("analyze", "")] {
        let sample = Sample::new(&format!("{command} {options}"));
        let args = format!("{command} - {options} --on-error skip");
        endure(&args, "positions", |line| sample.text(line), |line, rows| sample.rows(line, rows));
    }
}

/// The writer gathers rows of all products until they make a row group.
#[test]
fn row_groups_in_their_hundreds() {
    let (lines, sample) = (lines(), Sample::new("analyze"));
    let path = file("endurance.parquet", b"");
    let args = format!("analyze - --on-error skip --threads 4 {} -o", crate::analyze::everything());
    let mut child = command(&args).arg(&path).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut stdin = BufWriter::new(child.stdin.take().expect("it is a pipe"));
    (1..=lines).for_each(|line| writeln!(stdin, "{}", sample.text(line)).expect("it reads to the end"));
    stdin.flush().expect("it reads to the end");
    let late = peak(child.id());
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    println!("{args}: {lines} lines; at most {late:?} KiB");
    assert!(late.is_none_or(|late| late < MOST_MEMORY), "{late:?} KiB");
    let mut next = (1..=lines).filter(|&line| !is_malformed(line));
    let rows = File::open(path).map(|file| ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file"));
    for batch in rows.expect("it is there").build().expect("rows") {
        let batch = batch.expect("rows");
        let numbers = batch.column(0).as_primitive::<UInt64Type>().values();
        numbers.iter().for_each(|&line| assert_eq!(Some(line), next.next()));
    }
    assert_eq!(next.next(), None);
}
