//! The language of conditions: what they mean, what is wrong with them, and their mirror images.

mod hostile;
mod images;
mod language;
mod messages;

use std::borrow::Cow;

use slider_attacks::Backend;
use slider_attacks::moves::Moves;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Plan, Product};
use slider_attacks_query::{InputRows, InputValue, PositionQuery};

/// Columns of text, with their names.
struct NamedTexts<'t>(&'t [(&'t str, &'t [Option<&'t str>])], Vec<String>);

impl InputRows for NamedTexts<'_> {
    fn value(&self, column: usize, row: usize) -> InputValue<'_> {
        let texts = self.0.iter().find(|(name, _)| *name == self.1[column]).expect("the test has it").1;
        texts[row].map_or(InputValue::Missing, |text| InputValue::Text(Cow::Borrowed(text)))
    }
}

/// The usual backend and options.
fn plan() -> Plan {
    Plan::new([Product::Maps])
}

fn query(text: &str) -> PositionQuery {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// For which positions it holds.
fn rows(text: &str, positions: &Positions) -> Vec<bool> {
    query(text).rows(&plan(), positions, &())
}

/// Whether it holds for a position.
fn holds(text: &str, fen: &str) -> bool {
    let mut positions = Positions::new();
    positions.push_fen(fen).unwrap();
    rows(text, &positions)[0]
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Positions of random games, all of their moves legal.
fn positions(count: usize, seed: u64) -> Positions {
    const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    const LATE: &str = "r3k2r/1P2qp2/2n2n2/3pP3/1b3P2/2N2N2/p2Q2P1/R3K2R w KQkq d6";
    let (mut random, mut all, backend) = (Random(seed), Positions::new(), Backend::active());
    while all.len() < count {
        let mut one = Positions::new();
        one.push_fen(if random.below(3) == 0 { LATE } else { INITIAL }).unwrap();
        for _ in 0..120 {
            all.extend_from(&one);
            let (mut legal, mut played, mut after) = (Moves::new(), Moves::new(), Positions::new());
            backend.moves(&one, &mut legal);
            if legal[0].is_empty() {
                break;
            }
            played.push(&[*random.one_of(&legal[0])]);
            backend.after(&one, &played, &mut after).unwrap();
            one = after;
        }
    }
    all.truncate(count);
    all
}
