//! Prints the positions of the games in PGN files: game, ply, move, evaluation, clock in milliseconds, depth of variations, and
//! FEN, with tabs between them.
//!
//!     cargo run --release --package slider-attacks-games --example positions -- [--variations] FILE...

use std::io::{self, BufWriter, Write};

use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, Error, Eval, GameChoice, PgnOptions, Ply, Tags, Visitor};

struct Printer<W> {
    out: W,
    game: u64,
    written: io::Result<()>,
}

impl<'t, W: Write> Visitor<'t> for Printer<W> {
    fn game(&mut self, number: u64, _: Tags<'t>) -> GameChoice {
        self.game = number;
        if self.written.is_ok() { GameChoice::Positions } else { GameChoice::Stop }
    }

    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool {
        let eval = match ply.eval() {
            None => String::new(),
            Some(Eval::Centipawns(centipawns)) => centipawns.to_string(),
            Some(Eval::Mate(moves)) => format!("#{moves}"),
        };
        let (text, clock) =
            (String::from_utf8_lossy(ply.text), ply.clock().map_or(String::new(), |clock| clock.to_string()));
        let Printer { out, game, .. } = self;
        self.written = writeln!(out, "{game}\t{}\t{text}\t{eval}\t{clock}\t{}\t{board}", ply.ply, ply.depth);
        self.written.is_ok()
    }

    fn end(&mut self, _: Option<&'t [u8]>, error: Option<Error<'t>>) {
        if let Some(error) = error {
            eprintln!("game {}: {error}", self.game);
        }
    }
}

fn main() -> io::Result<()> {
    let mut options = PgnOptions::default();
    for name in std::env::args().skip(1) {
        if name == "--variations" {
            options.variations = true;
            continue;
        }
        let mut printer = Printer { out: BufWriter::new(io::stdout().lock()), game: 0, written: Ok(()) };
        pgn::read(&std::fs::read(name)?, options, &mut printer);
        printer.written?;
        printer.out.flush()?;
    }
    Ok(())
}
