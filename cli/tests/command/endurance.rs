//! Endurance: many lines, one in a hundred malformed. Nothing is lost, all are counted, and memory does not grow.
//!
//! `ENDURANCE_LINES=10000000 cargo test --release --test command endurance -- --nocapture` is the long run; it takes a
//! minute or two, and says what it saw.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Instant;

use slider_attacks::{Slider, Square, reference};

use crate::{command, run};

fn lines() -> u64 {
    std::env::var("ENDURANCE_LINES").map_or(100_000, |lines| lines.parse().expect("a number of lines"))
}

fn is_malformed(line: u64) -> bool {
    line % 100 == 37
}

/// The most memory that a process has held at a time, in KiB; nothing where the system does not tell.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix(" kB")?.parse().ok()
}

/// Feeds `text` of the numbers from 1 on to the command, and compares what comes out with `rows` of the same.
fn endure(args: &str, what: &str, text: impl Fn(u64) -> String, rows: impl Fn(u64, &mut Vec<String>) + Sync) {
    let lines = lines();
    let start = Instant::now();
    let mut child =
        command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = BufWriter::new(child.stdin.take().expect("it is a pipe"));
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
                message.clear();
                stderr.read_line(&mut message).expect("messages are text");
                assert!(message.starts_with(&format!("skipped: standard input, line {line}, ")), "{message}");
                bad += 1;
            }
            message.clear();
            stderr.read_to_string(&mut message).expect("messages are text");
            assert_eq!(message, format!("standard input: skipped {bad} malformed of {lines} {what}\n"));
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
        start.elapsed().as_secs_f64()
    );
    if let (Some(early), Some(late)) = (early, late) {
        assert!(late <= early + 1024, "memory grew from {early} to {late} KiB");
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

#[test]
fn positions_in_their_millions() {
    let sample: Vec<&str> = include_str!("../../data/sample.epd").lines().collect();
    // By line of the sample, the rows that it gives alone, after the number of the line: those are tested elsewhere.
    let mut of_sample = vec![Vec::new(); sample.len()];
    for row in run("attacks --format csv --slider queen", "").ok().lines().skip(1) {
        let (line, rest) = row.split_once(',').expect("the number comes first");
        of_sample[line.parse::<usize>().expect("a number") - 1].push(rest.to_owned());
    }
    let positions: Vec<usize> = (0..sample.len()).filter(|&at| sample[at].contains('/')).collect();
    let position = |line: u64| positions[(line % positions.len() as u64) as usize];
    let text = |line: u64| {
        let text = sample[position(line)];
        match (is_malformed(line), line / 100 % 3) {
            (false, _) => text.to_owned(),
            (true, 0) => text.replacen('/', "", 1),
            (true, 1) => text.replacen('/', "9/", 1),
            (true, _) => "9".repeat(5_000),
        }
    };
    endure("attacks - --format csv --slider queen --on-error skip", "positions", text, |line, rows| {
        rows.extend(of_sample[position(line)].iter().map(|rest| format!("{line},{rest}")));
    });
}
