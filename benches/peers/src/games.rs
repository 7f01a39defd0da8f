//! Reading the games of PGN, compared with other crates. `benches/README.md` says how to run it.
//!
//! Each argument is a file. Without any, two texts of random games are read: one with clocks and evaluations, as Lichess
//! writes them, and a bare one. Every reader plays the moves, and what it plays is compared before anything is timed.
//! `slider-attacks` also adds each position to its arrays; the rivals keep none.

#![forbid(unsafe_code)]

use std::fmt::Write;
use std::hint::black_box;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::time::Duration;

use peers::timing::{Rounds, Timing, time_passes};
use pgn_reader::Reader;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};
use slider_attacks::position::Positions;
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, GameChoice, Ply, PositionBuffer, Tags};

fn main() {
    let mut texts: Vec<(String, Vec<u8>)> = std::env::args()
        .skip(1)
        .map(|name| (name.clone(), std::fs::read(&name).unwrap_or_else(|error| panic!("cannot read {name}: {error}"))))
        .collect();
    if texts.is_empty() {
        texts = vec![("with clocks".to_owned(), random(400, true)), ("bare".to_owned(), random(1_200, false))];
    }
    for (name, text) in &texts {
        measure(name, text);
    }
}

/// A way to read a text, which returns the number of plies and a sum of what was occupied after each.
type Read<'t> = Box<dyn FnMut() -> (u64, u64) + 't>;

fn measure(name: &str, text: &[u8]) {
    let mut readers: Vec<(&str, Read<'_>)> = vec![
        ("**slider-attacks**, positions", Box::new(|| ours(text, GameChoice::Positions))),
        ("**slider-attacks**, games passed over", Box::new(|| ours(text, GameChoice::Skip))),
        ("pgn-reader 0.29.0 and shakmaty 0.30.1", Box::new(|| theirs(text, true))),
        ("pgn-reader 0.29.0, tokens only", Box::new(|| theirs(text, false))),
    ];
    let expected = readers[2].1();
    assert_eq!(readers[0].1(), expected, "the readers play other moves");
    let rounds = Rounds { time: Duration::from_secs(2), count: 15 };
    let timings = time_passes(readers.len(), rounds, expected.0 as usize, |at| _ = black_box(readers[at].1()));
    println!(
        "{name}: {} bytes, {} plies\n\n| reading | ns per ply | median | MB/s | relative time |\n|---|---|---|---|---|",
        text.len(),
        expected.0
    );
    for ((name, _), Timing { fastest, median }) in readers.iter().zip(&timings) {
        let bytes = text.len() as f64 / (fastest * expected.0 as f64) * 1e3;
        println!("| {name} | {fastest:.1} | {median:.1} | {bytes:.0} | {:.2} |", fastest / timings[0].fastest);
    }
    println!();
}

struct Ours {
    take: GameChoice,
    boards: PositionBuffer,
    positions: Positions,
    plies: u64,
    sum: u64,
}

impl<'t> pgn::Visitor<'t> for Ours {
    fn game(&mut self, _: u64, _: Tags<'t>) -> GameChoice {
        self.take
    }

    #[inline]
    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool {
        if ply.ply > 0 {
            let [ones, twos, fours, _] = board.planes();
            (self.plies, self.sum) = (self.plies + 1, add(self.sum, ones | twos | fours));
            self.boards.push(board, &mut self.positions);
            if self.positions.len() >= 1_024 {
                self.positions.clear();
            }
        }
        true
    }

    fn end(&mut self, _: Option<&'t [u8]>, _: Option<pgn::Error<'t>>) {}
}

fn ours(text: &[u8], take: GameChoice) -> (u64, u64) {
    let mut ours =
        Ours { take, boards: PositionBuffer::default(), positions: Positions::with_capacity(2_048), plies: 0, sum: 0 };
    pgn::read(text, pgn::PgnOptions::default(), &mut ours);
    ours.boards.flush(&mut ours.positions);
    (ours.plies, ours.sum)
}

fn add(sum: u64, occupied: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(occupied)
}

struct Theirs {
    position: Chess,
    plays: bool,
    plies: u64,
    sum: u64,
}

impl pgn_reader::Visitor for Theirs {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        self.position = Chess::default();
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        if self.plays {
            let mv = san.san.to_move(&self.position).expect("the moves are legal");
            self.position.play_unchecked(mv);
            self.sum = add(self.sum, self.position.board().occupied().0);
        }
        self.plies += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

fn theirs(text: &[u8], plays: bool) -> (u64, u64) {
    let mut theirs = Theirs { position: Chess::default(), plays, plies: 0, sum: 0 };
    let mut reader = Reader::new(Cursor::new(text));
    while reader.read_game(&mut theirs).expect("a text in memory can be read").is_some() {}
    (theirs.plies, theirs.sum)
}

/// Random games.
fn random(games: u32, clocks: bool) -> Vec<u8> {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut text = String::new();
    for game in 0..games {
        write!(
            text,
            "[Event \"Rated game\"]\n[White \"player{}\"]\n[Black \"player{}\"]\n[Result \"*\"]\n",
            random(1000),
            random(1000)
        )
        .unwrap();
        write!(
            text,
            "[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"A{:02}\"]\n\n",
            1000 + random(1500),
            1000 + random(1500),
            game % 100
        )
        .unwrap();
        let mut position = Chess::default();
        for ply in 0..40 + random(80) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            if ply % 2 == 0 || clocks {
                write!(text, "{}{} ", ply / 2 + 1, if ply % 2 == 0 { "." } else { "..." }).unwrap();
            }
            write!(text, "{} ", SanPlus::from_move_and_play_unchecked(&mut position, moves[random(moves.len())]))
                .unwrap();
            if clocks {
                let eval =
                    if game % 10 == 0 { format!("[%eval {}.{:02}] ", random(5), random(100)) } else { String::new() };
                write!(text, "{{ {eval}[%clk 0:{:02}:{:02}] }} ", 59 - ply / 4, random(60)).unwrap();
            }
        }
        text.push_str("*\n\n");
    }
    text.into_bytes()
}
