//! The products of positions on each backend, alone and together: `cargo bench -p peers --bench products`.
//!
//! Nanoseconds per position of a plan: each product alone, all that are no lists of moves, keys or states, four that begin with
//! the same sets, and sums of all. Then nanoseconds per call of the library for one position. All backends alternate in one
//! process, and the fastest turn counts. The values are compared before anything is timed.
//!
//! The positions are those of games in which both sides avoid the loss of material. A file after `--`, with a FEN per line,
//! takes their place.

use std::process::ExitCode;
use std::time::Duration;

use peers::timing::{Rounds, Timing, time_passes};
use slider_attacks::Backend;
use slider_attacks::analysis::ExchangeRules;
use slider_attacks::moves::Moves;
use slider_attacks::position::{Color, Piece, Position, Positions};
use slider_attacks_arrow::{Plan, Product, Summary};

const ROUNDS: Rounds = Rounds { time: Duration::from_millis(600), count: 7 };
/// Positions per call: a multiple of the block in which products are computed.
const CALL: usize = 1_024;
/// The games, and how many half moves of each are positions, after the first ones.
const GAMES: usize = 256;
const OPENING: usize = 8;
const PLIES: usize = 40;
/// The products that are not among all.
const LEFT_OUT: [&str; 6] = ["moves", "checking_moves", "mating_moves", "targets", "status", "keys"];
const FOUR: [&str; 4] = ["maps", "hanging", "forks", "pins"];
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// The worth of pieces.
const VALUES: [i64; 6] = [1, 3, 3, 5, 9, 0];

fn main() -> ExitCode {
    // `cargo bench` passes `--bench`. `cargo test --benches` does not: then everything is checked and nothing timed.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let mut positions = Positions::new();
    match arguments.iter().find(|argument| !argument.starts_with('-')) {
        None => play(if is_bench { GAMES } else { 2 }, &mut positions),
        Some(file) => {
            let text = std::fs::read(file).map_err(|error| error.to_string());
            let read = text.and_then(|text| positions.read_lines(&text).map_err(|error| error.to_string()));
            if let Err(error) = read {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let backends: Vec<Backend> = Backend::available().collect();
    let all = || Product::ALL.iter().copied().filter(|product| !LEFT_OUT.contains(&product.name()));
    let four: Vec<Product> = all().filter(|product| FOUR.contains(&product.name())).collect();
    let mut rows: Vec<(String, Vec<Product>)> =
        Product::ALL.iter().map(|&product| (product.to_string(), vec![product])).collect();
    rows.push(("all".to_owned(), all().collect()));
    rows.push((FOUR.join(", "), four));
    let plans = |products: &[Product]| -> Vec<Plan> {
        backends.iter().map(|&backend| Plan::new(products).backend(backend)).collect()
    };
    for (name, products) in &rows {
        let plans = plans(products);
        let values = plans[0].values(&positions);
        assert!(plans.iter().all(|plan| plan.values(&positions) == values), "{name} differ");
    }
    if !is_bench {
        return ExitCode::SUCCESS;
    }

    let names: Vec<String> = backends.iter().map(|backend| format!("`{backend}` |")).collect();
    println!(
        "| ns per position, {} of them | {}\n|---|{}",
        positions.len(),
        names.join(" "),
        "---|".repeat(names.len())
    );
    let parts: Vec<Positions> =
        (0..positions.len()).step_by(CALL).map(|start| positions.iter().skip(start).take(CALL).collect()).collect();
    for (name, products) in &rows {
        let plans = plans(products);
        print_row(
            name,
            &time_passes(plans.len(), ROUNDS, positions.len(), |at| {
                parts.iter().for_each(|part| drop(plans[at].values(part)));
            }),
        );
    }
    let plans = plans(&all().collect::<Vec<_>>());
    print_row(
        "sums of all",
        &time_passes(plans.len(), ROUNDS, positions.len(), |at| {
            let mut sums = Summary::new(&plans[at], 1);
            parts.iter().for_each(|part| plans[at].summarize(part, None, &mut sums).expect("there is one group"));
        }),
    );

    println!("\n| ns per call for one position | {}\n|---|{}", names.join(" "), "---|".repeat(names.len()));
    let (mut maps, mut counts) = ([[0; 1]; 2], [0; 1]);
    let count = positions.len();
    print_row(
        "both maps",
        &time_passes(backends.len(), ROUNDS, count, |at| {
            for place in 0..count {
                for (color, map) in Color::ALL.into_iter().zip(&mut maps) {
                    backends[at].attack_maps(positions.slice(place..place + 1), color, map).expect("it is one");
                }
            }
        }),
    );
    print_row(
        "legal moves",
        &time_passes(backends.len(), ROUNDS, count, |at| {
            for place in 0..count {
                backends[at].legal_moves(positions.slice(place..place + 1), &mut counts).expect("it is one");
            }
        }),
    );
    ExitCode::SUCCESS
}

fn print_row(name: &str, timings: &[Timing]) {
    let times: Vec<String> = timings.iter().map(|timing| format!("{:.1} |", timing.fastest)).collect();
    println!("| {name} | {}", times.join(" "));
}

/// Adds the positions of some games; the same in every run.
fn play(games: usize, out: &mut Positions) {
    let backend = Backend::active();
    let mut boards: Positions =
        std::iter::repeat_n(START, games).map(|fen| fen.parse::<Position>().expect("it is FEN")).collect();
    let mut state = 0_u64;
    for ply in 0..OPENING + PLIES {
        let (mut moves, mut after) = (Moves::new(), Positions::new());
        backend.moves(&boards, &mut moves);
        backend.after(&boards, &moves, &mut after).expect("the moves are legal");
        let losses = Color::ALL.map(|color| {
            let mut gains = vec![[0; 64]; after.len()];
            backend
                .exchanges(&after, color.other(), ExchangeRules::default(), &mut gains)
                .expect("there is one for each");
            gains
        });
        // Of two moves that keep the same material, chance decides; in the opening, over more than that.
        let noise = if ply < OPENING { 4 } else { 1 };
        let mut score = |place: usize, side: Color| {
            let material = |color: Color| -> i64 {
                let of = |piece: Piece| i64::from(after.pieces(color, piece)[place].count_ones());
                Piece::ALL.into_iter().map(|piece| VALUES[piece as usize] * of(piece)).sum()
            };
            let loss = losses[side as usize][place].iter().max().copied().map_or(0, i64::from);
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            1_000 * (material(side) - material(side.other()) - loss) + (state >> 33) as i64 % (1_000 * noise)
        };
        let best = |(game, places): (usize, &[usize])| {
            let side = boards.side_to_move()[game];
            (places[0]..places[1]).max_by_key(|&place| score(place, side))
        };
        let best: Vec<usize> = moves.offsets().windows(2).enumerate().filter_map(best).collect();
        boards = best.into_iter().map(|place| after.get(place).expect("it is one of them")).collect();
        if ply >= OPENING {
            boards.iter().for_each(|position| out.push(position));
        }
    }
}
