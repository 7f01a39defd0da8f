//! The reader of PGN: whatever the bytes are, it ends, moves lead from one position to the next, and games do not depend on what
//! stands before them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use slider_attacks::position::Positions;
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, PositionBuffer, Error, PgnOptions, Ply, Tags, GameChoice, Visitor};

#[derive(Default, Debug, PartialEq)]
struct All {
    /// The board, the ply, the text of its move and what comments say.
    positions: Vec<(String, String)>,
    /// How many positions there were at the beginning of each game.
    games: Vec<usize>,
    /// The error of each game, without its line.
    errors: Vec<Option<String>>,
}

struct Reader {
    all: All,
    last: Option<Board>,
    depth: u32,
    boards: PositionBuffer,
    positions: Positions,
}

impl<'t> Visitor<'t> for Reader {
    fn game(&mut self, number: u64, tags: Tags<'t>) -> GameChoice {
        assert_eq!(number as usize, self.all.games.len() + 1);
        self.all.games.push(self.all.positions.len());
        tags.iter().for_each(|(_, value)| drop(pgn::text(value)));
        self.last = None;
        GameChoice::Positions
    }

    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool {
        // In the game itself, each move leads from the position before it.
        if let Some(mut last) = self.last.take().filter(|_| ply.depth == 0 && self.depth == 0) {
            assert_eq!(last.play_text(ply.text), Ok(ply.mv));
            assert_eq!(&last, board);
        }
        (self.last, self.depth) = (Some(board.clone()), ply.depth);
        self.boards.push(board, &mut self.positions);
        let said = format!("{} {:?} {:?} {:?}", ply.ply, ply.text, ply.eval(), ply.clock());
        self.all.positions.push((board.to_string(), said));
        true
    }

    fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
        let text = |error: Error<'t>| error.to_string().split_once(',').expect("a line comes first").1.to_owned();
        self.all.errors.push(error.map(text));
    }
}

fn read(text: &[u8], variations: bool) -> All {
    let mut reader = Reader {
        all: All::default(),
        last: None,
        depth: 0,
        boards: PositionBuffer::default(),
        positions: Positions::new(),
    };
    let mut options = PgnOptions::default();
    options.variations = variations;
    pgn::read(text, options, &mut reader);
    assert_eq!(reader.all.games.len(), reader.all.errors.len());
    reader.boards.flush(&mut reader.positions);
    assert_eq!(reader.positions.len(), reader.all.positions.len());
    reader.all
}

const BEFORE: &[u8] = b"[Event \"a\"]\n\n1. e4 e5 *\n\n";

fuzz_target!(|text: &[u8]| {
    let variations = text.len() % 2 == 0;
    let alone = read(text, variations);
    // After another game, tags begin the same games.
    if text.starts_with(b"[A \"") {
        let after = read(&[BEFORE, text].concat(), variations);
        assert_eq!(after.positions[3..], alone.positions);
        assert_eq!(after.errors[1..], alone.errors);
    }
});
