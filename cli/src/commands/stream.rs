//! `attacks` and `pairs`: read records, compute them in batches, write rows.
//!
//! A batch holds the records of one block of the input. So memory does not grow with the input, and rows do not wait for
//! input that has not arrived yet.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use slider_attacks::position::Piece;
use slider_attacks::{Backend, Slider, Square};

use crate::args::{AttacksArgs, PairsArgs, StreamArgs};
use crate::progress::Progress;
use crate::read;
use crate::read::block::{Block, Wanted};
use crate::read::parsed::Parsed;
use crate::read::source::Inputs;
use crate::write::rows::{Row, Rows};

/// The positions to read when no FILE is given.
pub const SAMPLE_POSITIONS: &str = include_str!("../../../tests/data/sample.epd");
/// The pairs to read when no FILE is given.
const SAMPLE_PAIRS: &str = include_str!("../../data/sample.pairs");

/// `slider-attacks attacks`.
pub fn attacks(args: &AttacksArgs, backend: Backend) -> Result<()> {
    let inputs = inputs(&args.file, SAMPLE_POSITIONS)?;
    let wanted = Wanted { column: "fen".to_owned(), ..Wanted::default() };
    run(&inputs, &wanted, "piece", &args.stream, backend, |parsed, batch| {
        for (position, &line) in parsed.lines.iter().enumerate() {
            let occupancy = parsed.positions.occupancies()[position];
            for square in Square::ALL.into_iter().filter(|square| occupancy & square.bitboard() != 0) {
                let Some((color, piece)) = parsed.positions.piece_at(position, square) else { continue };
                let (slider, names) = match piece {
                    Piece::Bishop => (Slider::Bishop, ["B", "b"]),
                    Piece::Rook => (Slider::Rook, ["R", "r"]),
                    Piece::Queen => (Slider::Queen, ["Q", "q"]),
                    Piece::Pawn | Piece::Knight | Piece::King => continue,
                };
                if args.sliders.is_empty() || args.sliders.contains(&slider) {
                    let name = names[color as usize];
                    batch.push(slider, Row { line, name, square, occupancy, attacks: 0 });
                }
            }
        }
    })
}

/// `slider-attacks pairs`.
pub fn pairs(args: &PairsArgs, backend: Backend) -> Result<()> {
    let inputs = inputs(&args.file, SAMPLE_PAIRS)?;
    let wanted = Wanted { pairs: true, ..Wanted::default() };
    run(&inputs, &wanted, "slider", &args.stream, backend, |parsed, batch| {
        let name = args.slider.name();
        for (&line, &(square, occupancy)) in parsed.lines.iter().zip(&parsed.pairs) {
            batch.push(args.slider, Row { line, name, square, occupancy, attacks: 0 });
        }
    })
}

fn inputs(file: &Option<PathBuf>, sample: &'static str) -> Result<Inputs> {
    Inputs::new(file.as_slice(), sample)
}

/// Reads the inputs and writes the rows that `rows` makes from them.
fn run(
    inputs: &Inputs,
    wanted: &Wanted,
    column: &'static str,
    args: &StreamArgs,
    backend: Backend,
    rows: impl Fn(&Parsed, &mut Batch),
) -> Result<()> {
    let (name, what) = (inputs.name(), if wanted.pairs { "pairs" } else { "positions" });
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut out = Rows::new(args.format, column, out).context(CANNOT_WRITE)?;
    let progress = Progress::new(inputs.length, inputs.is_terminal || io::stdout().is_terminal());
    let mut batch = Batch::new(backend);
    let (mut good, mut bad) = (0, 0);
    let mut block = |block: &Block| -> Result<()> {
        let parsed = read::parse(block, usize::MAX, args.on_error);
        good += parsed.lines.len() as u64;
        bad += parsed.skipped.len() as u64;
        parsed
            .skipped
            .iter()
            .for_each(|malformed| progress.note(&format!("skipped: {}", block.source.message(malformed))));
        rows(&parsed, &mut batch);
        // Even if a line is malformed: the rows of the lines before it are complete.
        batch.write(&mut out)?;
        progress.set(inputs.consumed.bytes());
        parsed.failure.map_or(Ok(()), |malformed| Err(anyhow!(block.source.message(&malformed))))
    };
    let mut outcome = Ok(());
    inputs.read(wanted, |read| {
        outcome = block(&read);
        outcome.is_ok()
    })?;
    outcome?;
    if bad > 0 {
        progress.note(&format!("{name}: skipped {bad} of {} {what}: malformed", good + bad));
    } else if good == 0 {
        progress.note(&format!("note: no {what} in {name}"));
    }
    Ok(())
}

const CANNOT_WRITE: &str = "cannot write the results";

/// Rows whose attack sets have not been computed yet, and the pairs of each slider.
struct Batch {
    backend: Backend,
    rows: Vec<Row>,
    groups: [Group; 3],
}

/// The pairs of one slider, and the places of their rows.
struct Group {
    slider: Slider,
    squares: Vec<Square>,
    occs: Vec<u64>,
    places: Vec<usize>,
}

impl Batch {
    fn new(backend: Backend) -> Batch {
        let group = |slider| Group { slider, squares: Vec::new(), occs: Vec::new(), places: Vec::new() };
        Batch { backend, rows: Vec::new(), groups: Slider::ALL.map(group) }
    }

    /// Adds a row whose attack set has not been computed yet.
    fn push(&mut self, slider: Slider, row: Row) {
        for group in self.groups.iter_mut().filter(|group| group.slider == slider) {
            group.squares.push(row.square);
            group.occs.push(row.occupancy);
            group.places.push(self.rows.len());
        }
        self.rows.push(row);
    }

    /// Computes the attack sets, writes the rows in the order in which they were added, and empties the batch.
    fn write<W: Write>(&mut self, out: &mut Rows<W>) -> Result<()> {
        for group in &mut self.groups {
            let mut attacks = vec![0; group.squares.len()];
            self.backend.batch_attacks(group.slider, &group.squares, &group.occs, &mut attacks)?;
            for (place, attacks) in group.places.drain(..).zip(attacks) {
                self.rows[place].attacks = attacks;
            }
            group.squares.clear();
            group.occs.clear();
        }
        self.rows.drain(..).try_for_each(|row| out.write(&row)).and_then(|()| out.flush()).context(CANNOT_WRITE)
    }
}
