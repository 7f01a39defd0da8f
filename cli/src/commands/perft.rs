//! `slider-attacks perft`: counts the leaves of the tree of legal moves.

use std::io::{self, Write};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use slider_attacks::Backend;
use slider_attacks::moves::{Move, Moves};
use slider_attacks::position::Positions;
use slider_attacks_rows::pipeline::default_threads;

use crate::args::PerftArgs;
use crate::target::stdout;

/// The threads share this many positions, or more.
const MANY: usize = 1 << 10;
/// How many of them a thread takes at a time.
const CHUNK: usize = 16;

/// Counts, and prints the count and the time.
pub fn run(options: &PerftArgs, backend: Backend) -> Result<()> {
    let threads = options.threads.map_or_else(default_threads, usize::from);
    let started = Instant::now();
    let counts = leaves(options, backend, threads);
    let seconds = started.elapsed().as_secs_f64();
    print(&mut stdout()?, options, &counts, seconds).context("cannot write the results")
}

fn print(out: &mut impl Write, options: &PerftArgs, counts: &[(Move, u64)], seconds: f64) -> io::Result<()> {
    if options.divide {
        for (mv, count) in counts {
            writeln!(out, "{mv}: {count}")?;
        }
    }
    let total = if options.depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() };
    writeln!(out, "leaves: {total}")?;
    writeln!(out, "seconds: {seconds:.3}")?;
    writeln!(out, "leaves per second: {:.0}", total as f64 / seconds)?;
    out.flush()
}

/// The leaves after each move of the position. Without depth, there are no moves.
fn leaves(options: &PerftArgs, backend: Backend, threads: usize) -> Vec<(Move, u64)> {
    let (mut positions, mut lists) = (Positions::from_iter([options.fen]), Vec::new());
    let mut depth = options.depth;
    while depth > 0 && (lists.is_empty() || depth > 2 && positions.len() < MANY) {
        let (mut moves, mut after) = (Moves::new(), Positions::new());
        backend.moves(&positions, &mut moves);
        backend.after(&positions, &moves, &mut after).expect("the moves are legal");
        positions = after;
        lists.push(moves);
        depth -= 1;
    }
    let mut counts = vec![0; positions.len()];
    let chunks = Mutex::new(counts.chunks_mut(CHUNK).enumerate());
    let work = || {
        loop {
            let next = chunks.lock().expect("nobody panics while holding the lock").next();
            let Some((chunk, out)) = next else { break };
            let some = positions.slice(chunk * CHUNK..chunk * CHUNK + out.len());
            backend.perft(some, depth, out).expect("one count for each position");
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(positions.len().div_ceil(CHUNK)) {
            scope.spawn(work);
        }
        work();
    });
    for moves in lists.iter().skip(1).rev() {
        counts = moves.offsets().windows(2).map(|ends| counts[ends[0]..ends[1]].iter().sum()).collect();
    }
    let moves = lists.first().map_or(&[][..], Moves::as_slice);
    moves.iter().copied().zip(counts).collect()
}
