//! The time of reading records, per position: `cargo bench -p slider-attacks-games --bench records [-- FILE.binpack]`.
//!
//! All formats hold the same games and take turns in one process; so do the crate `bulletformat` and a loop over the pieces,
//! which fill bitboards from the same bytes. The games are those of a binpack, or random ones. Positions go to arrays that are
//! cleared again and again: of 1,024 positions, which fit in the cache, and of 65,536. Then all formats are written: from
//! arrays of positions, as boards and through FEN, and from games.

use std::hint::black_box;
use std::time::Duration;

use cozy_chess::Board as Oracle;
use slider_attacks::Backend;
use slider_attacks::position::{Castling, Color, Positions};
use slider_attacks_games::records::{
    Labels, Outcome, RecordReader, TrainingFormat, binpack, bulletformat, marlinformat, viriformat,
};
use slider_attacks_games::{Board, Move, MoveKind};
use timing::{Rounds, Timing, time_passes};

/// The same games in each format.
#[derive(Default)]
struct Games {
    bulletformat: Vec<u8>,
    marlinformat: Vec<u8>,
    viriformat: Vec<u8>,
    binpack: Vec<u8>,
    games: Vec<Game>,
}

/// The first position, the outcome, and the moves with their scores.
type Game = (Board, Outcome, Vec<(Move, i16)>);

impl Games {
    fn push(&mut self, first: &Board, outcome: Outcome, moves: &[(Move, i16)]) {
        let mut board = first.clone();
        for &(mv, score) in moves {
            bulletformat::write(&board, score, outcome, &mut self.bulletformat).expect("it can be written");
            marlinformat::write(&board, score, outcome, &mut self.marlinformat).expect("it can be written");
            board.play(mv).expect("the move is legal");
        }
        viriformat::write(first, outcome, moves, &mut self.viriformat).expect("it can be written");
        self.games.push((first.clone(), outcome, moves.to_vec()));
    }

    fn written_as_binpack(&self) -> Vec<u8> {
        let (mut chains, mut binpack) = (Vec::new(), Vec::new());
        for (first, outcome, moves) in &self.games {
            binpack::write(first, *outcome, moves, &mut chains).expect("it can be written");
        }
        binpack::write_chunk(&chains, &mut binpack);
        binpack
    }

    fn of_binpack(binpack: Vec<u8>) -> Games {
        let (mut positions, mut labels) = (Positions::new(), Labels::default());
        let mut reader = RecordReader::new(TrainingFormat::Binpack, &binpack);
        while reader.read(1 << 16, &mut positions, &mut labels).expect("the binpack is right") > 0 {}
        let (mut games, mut moves) = (Games::default(), Vec::new());
        let board = |at: usize| -> Board {
            let mut board = Board::from_position(&positions, at);
            board.set_counters(labels.halfmoves[at], labels.numbers[at]);
            board
        };
        let mut first = 0;
        for at in 0..positions.len() {
            moves.push((labels.moves[at], labels.scores[at]));
            let mut after = board(at);
            after.play(labels.moves[at]).expect("the move is legal");
            let is_end = at + 1 == positions.len() || labels.outcomes[at + 1] != labels.outcomes[at];
            if is_end || board(at + 1) != after {
                games.push(&board(first), labels.outcomes[at], &moves);
                moves.clear();
                first = at + 1;
            }
        }
        Games { binpack, ..games }
    }

    /// Random games.
    fn random(count: usize) -> Games {
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1); // with the multiplier of Knuth
            (state >> 33) as usize % below
        };
        let mut games = Games::default();
        for _ in 0..count {
            let (mut oracle, mut board, mut played) = (Oracle::default(), Board::INITIAL, Vec::new());
            for _ in 0..120 {
                let mut moves = Vec::new();
                oracle.generate_moves(|some| {
                    moves.extend(some);
                    false
                });
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random(moves.len())];
                let text = mv.to_string();
                let ours = board.read_move(text.as_bytes()).unwrap_or_else(|_| {
                    // Castling, which goes from king to rook.
                    let [from, to] = [mv.from, mv.to].map(|square| slider_attacks::Square::ALL[square as usize]);
                    Move::new(from, to, MoveKind::Castling)
                });
                board.play(ours).expect("the move is legal");
                oracle.play_unchecked(mv);
                played.push((ours, random(400) as i16 - 200));
            }
            games.push(&Board::INITIAL, Outcome::Draw, &played);
        }
        Games { binpack: games.written_as_binpack(), ..games }
    }
}

/// Reads all, with some number of positions in the arrays at a time.
fn read(format: TrainingFormat, bytes: &[u8], most: usize, positions: &mut Positions, labels: &mut Labels) -> usize {
    let (mut reader, mut all) = (RecordReader::new(format, bytes), 0);
    loop {
        positions.clear();
        labels.clear();
        match reader.read(most, positions, labels).expect("the records are right") {
            0 => return all,
            count => all += count,
        }
    }
}

/// Bitboards of pieces, with the iterator of the crate `bulletformat`.
fn with_crate(bytes: &[u8]) -> u64 {
    let mut sum = 0;
    for record in bytes.as_chunks::<32>().0 {
        let word = |at: usize| u64::from_le_bytes(*record[at..].first_chunk().expect("eight bytes"));
        let board = ::bulletformat::ChessBoard {
            occ: word(0),
            pcs: *record[8..].first_chunk().expect("16 bytes"),
            score: i16::from_le_bytes([record[24], record[25]]),
            result: record[26],
            ksq: record[27],
            opp_ksq: record[28],
            extra: [0; 3],
        };
        let mut boards = [0_u64; 16];
        for (piece, square) in board {
            boards[usize::from(piece & 15)] |= 1 << square;
        }
        sum ^= boards.iter().fold(0, |sum, board| sum ^ board) ^ board.score as u64;
        black_box(&boards);
    }
    sum
}

/// The same with a plain loop.
fn with_loop(bytes: &[u8]) -> u64 {
    let mut sum = 0;
    for record in bytes.as_chunks::<32>().0 {
        let mut occupied = u64::from_le_bytes(*record.first_chunk().expect("eight bytes"));
        let (mut boards, mut piece) = ([0_u64; 16], 0);
        while occupied != 0 {
            let number = record[8 + piece / 2 % 16] >> (4 * (piece % 2)) & 0xf;
            boards[usize::from(number)] |= occupied & occupied.wrapping_neg();
            occupied &= occupied - 1;
            piece += 1;
        }
        sum ^= boards.iter().fold(0, |sum, board| sum ^ board);
        black_box(&boards);
    }
    sum
}

/// Writes all formats.
fn write(games: &Games, count: usize, rounds: Rounds, print: impl Fn(String, Timing)) {
    let (mut positions, mut labels) = (Positions::new(), Labels::default());
    let mut reader = RecordReader::new(TrainingFormat::Marlinformat, &games.marlinformat);
    while reader.read(count, &mut positions, &mut labels).expect("the records are right") > 0 {}
    let direct = |at: usize| {
        let mut board = Board::from_position(&positions, at);
        board.set_counters(labels.halfmoves[at], labels.numbers[at]);
        board
    };
    let through_fen = |at: usize| -> Board {
        let fen = format!("{} {} {}", positions.fen(at), labels.halfmoves[at], labels.numbers[at]);
        fen.parse().expect("it is FEN")
    };
    let mut out = Vec::with_capacity(32 * count);
    let names = [
        "write Bulletformat, from positions",
        "write Bulletformat, through FEN",
        "write Marlinformat, from positions",
        "write Marlinformat, through FEN",
        "write Viriformat, from games",
        "write Binpack, from games",
    ];
    let timings = time_passes(names.len(), rounds, count, |contestant| {
        out.clear();
        match contestant {
            0..4 => {
                for at in 0..count {
                    let board = if contestant % 2 == 0 { direct(at) } else { through_fen(at) };
                    let (score, outcome) = (labels.scores[at], labels.outcomes[at]);
                    let write = if contestant < 2 { bulletformat::write } else { marlinformat::write };
                    write(&board, score, outcome, &mut out).expect("it can be written");
                }
            }
            _ => {
                let write = if contestant == 4 { viriformat::write } else { binpack::write };
                for (first, outcome, moves) in &games.games {
                    write(first, *outcome, moves, &mut out).expect("it can be written");
                }
            }
        }
        black_box(&out);
    });
    names.into_iter().zip(timings).for_each(|(name, timing)| print(name.to_owned(), timing));
}

fn main() {
    // `cargo bench` passes `--bench`. `cargo test --benches` does not: then everything is run, and hardly anything timed.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let games = match file {
        Some(file) => Games::of_binpack(std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"))),
        None => Games::random(if is_bench { 2_000 } else { 20 }),
    };
    let count = games.marlinformat.len() / 32;
    let rounds = if is_bench {
        Rounds { time: Duration::from_secs(5), count: 31 }
    } else {
        Rounds { time: Duration::ZERO, count: 1 }
    };
    let formats = [
        (TrainingFormat::Bulletformat, &games.bulletformat),
        (TrainingFormat::Marlinformat, &games.marlinformat),
        (TrainingFormat::Viriformat, &games.viriformat),
        (TrainingFormat::Binpack, &games.binpack),
    ];
    let (len, written) = (games.binpack.len(), games.written_as_binpack().len());
    println!("binpack: {len} bytes, written again {written}, {:.4} of that", written as f64 / len as f64);
    println!("{count} positions; nanoseconds per position: fastest, median");
    let print = |name: String, timing: Timing| println!("{name:<40} {:>7.2} {:>7.2}", timing.fastest, timing.median);
    let (mut positions, mut labels) = (Positions::new(), Labels::default());
    for most in [1 << 10, 1 << 16] {
        let timings = time_passes(formats.len() + 2, rounds, count, |at| match formats.get(at) {
            Some((format, bytes)) => assert_eq!(read(*format, bytes, most, &mut positions, &mut labels), count),
            None if at == formats.len() => _ = black_box(with_crate(&games.bulletformat)),
            None => _ = black_box(with_loop(&games.marlinformat)),
        });
        let names = formats.iter().map(|(format, _)| format!("{format:?}, {most} at a time"));
        let others = ["crate bulletformat, to bitboards only", "a loop over the pieces, to bitboards only"];
        names.chain(others.map(str::to_owned)).zip(timings).for_each(|(name, timing)| print(name, timing));
    }
    write(&games, count, rounds, print);
    let backends: Vec<Backend> = Backend::available().collect();
    let records = &games.marlinformat.as_chunks().0[..count.min(1_024)];
    let mut planes = [(); 4].map(|()| vec![0; records.len()]);
    // A pawn and two kings.
    let boards = [1 << 10, 1 << 4 | 1 << 60, 1 << 60].map(|board: u64| vec![board; records.len()]);
    let (sides, castling) = (vec![Color::White; records.len()], vec![Castling::NONE; records.len()]);
    let squares = vec![None; records.len()];
    let timings = time_passes(backends.len() + 1, rounds, records.len(), |at| match backends.get(at) {
        Some(backend) => {
            let planes = planes.each_mut().map(|plane| &mut plane[..]);
            backend.unpack_records(black_box(records), planes).expect("the lengths are the same");
        }
        None => {
            positions.clear();
            let [ones, kings, black] = black_box(boards.each_ref().map(|boards| &boards[..]));
            let pushed = positions.push_planes([ones, kings, kings, black], &sides, &castling, &squares);
            pushed.expect("they are positions");
        }
    });
    let names = backends.iter().map(|backend| format!("unpack_records, {backend}"));
    names.chain(["push_planes".to_owned()]).zip(timings).for_each(|(name, timing)| print(name, timing));
}
