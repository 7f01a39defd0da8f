//! `attacks` and `pairs`: lines in, batches through the library, rows out.
//!
//! A batch is what the lines of one read of the input hold, at most 64 KiB of text, so memory does not grow with the
//! input, and rows do not wait for input that is not there yet.

use std::io::{self, BufWriter, Write};

use anyhow::{Context, Error, Result, bail};
use slider_attacks::position::{Piece, Positions};
use slider_attacks::{Backend, Slider, Square};

use crate::args::{AttacksArgs, OnError, PairsArgs, StreamArgs};
use crate::progress::Progress;
use crate::read::lines::{Input, Line, MAX_LINE};
use crate::read::malformed::LineError;
use crate::read::pairs;
use crate::write::rows::{Row, Rows};

/// The positions that are taken when no FILE is given.
pub const SAMPLE_POSITIONS: &str = include_str!("../../../tests/data/sample.epd");
/// The pairs that are taken when no FILE is given.
const SAMPLE_PAIRS: &str = include_str!("../../data/sample.pairs");

/// `slider-attacks attacks`.
pub fn attacks(args: &AttacksArgs, backend: Backend) -> Result<()> {
    let input = Input::open(args.file.as_deref(), SAMPLE_POSITIONS)?;
    let wanted = |slider| args.sliders.is_empty() || args.sliders.contains(&slider);
    let mut positions = Positions::new();
    run(input, "positions", "piece", &args.stream, backend, |text, line, batch| {
        positions.clear();
        positions.push_fen(text.as_bytes())?;
        let occupancy = positions.occupancies()[0];
        for square in Square::ALL.into_iter().filter(|square| occupancy & square.bitboard() != 0) {
            let Some((color, piece)) = positions.piece_at(0, square) else { continue };
            let (slider, names) = match piece {
                Piece::Bishop => (Slider::Bishop, ["B", "b"]),
                Piece::Rook => (Slider::Rook, ["R", "r"]),
                Piece::Queen => (Slider::Queen, ["Q", "q"]),
                Piece::Pawn | Piece::Knight | Piece::King => continue,
            };
            if wanted(slider) {
                let name = names[color as usize];
                batch.push(slider, Row { column: "piece", line, name, square, occupancy, attacks: 0 });
            }
        }
        Ok(())
    })
}

/// `slider-attacks pairs`.
pub fn pairs(args: &PairsArgs, backend: Backend) -> Result<()> {
    let input = Input::open(args.file.as_deref(), SAMPLE_PAIRS)?;
    run(input, "pairs", "slider", &args.stream, backend, |text, line, batch| {
        let (square, occupancy) = pairs::parse(text.split('#').next().unwrap_or_default())?;
        let name = args.slider.name();
        batch.push(args.slider, Row { column: "slider", line, name, square, occupancy, attacks: 0 });
        Ok(())
    })
}

/// Reads `input` line by line, and writes the rows. `parse` takes the text and the number of a line, and puts what it
/// finds into the batch, or nothing if there is an error.
fn run(
    mut input: Input,
    what: &str,
    column: &'static str,
    args: &StreamArgs,
    backend: Backend,
    mut parse: impl FnMut(&str, u64, &mut Batch) -> Result<()>,
) -> Result<()> {
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut rows = Rows::new(args.format, column, out).context(CANNOT_WRITE)?;
    let mut progress = Progress::new(input.length, input.is_terminal);
    let mut batch = Batch::new(backend);
    let (mut good, mut bad) = (0_u64, 0_u64);
    let name = input.name.clone();

    let mut read = || -> Result<()> {
        while let Some((number, line)) = input.next_line()? {
            let text = text_of(line).map_err(Error::from);
            match text.and_then(|text| text.map(|text| parse(text, number, &mut batch)).transpose()) {
                Ok(None) => {}
                Ok(Some(())) => good += 1,
                Err(error) => {
                    let message = format!("{name}, line {number}, {error}");
                    match args.on_error {
                        OnError::Fail => bail!(message),
                        OnError::Skip => progress.note(&format!("skipped: {message}")),
                    }
                    bad += 1;
                }
            }
            if !input.has_line_at_hand() {
                progress.while_writing(|| batch.write(&mut rows))?;
                progress.set(input.consumed());
            }
        }
        Ok(())
    };
    let outcome = read();
    // Also after an error: the rows of the lines before it are whole.
    progress.while_writing(|| batch.write(&mut rows))?;
    outcome?;

    if bad > 0 {
        progress.note(&format!("{name}: skipped {bad} malformed of {} {what}", good + bad));
    } else if good == 0 {
        progress.note(&format!("note: no {what} in {name}"));
    }
    Ok(())
}

/// The text of a line; nothing if it is blank or a comment.
fn text_of(line: Line<'_>) -> Result<Option<&str>, LineError> {
    let Line::Bytes(bytes) = line else {
        return Err(LineError::new("length", format!("at most {MAX_LINE} bytes"), "a line longer than that"));
    };
    if matches!(bytes.trim_ascii_start().first(), None | Some(b'#')) {
        return Ok(None);
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        LineError::new("encoding", "UTF-8 text", format!("byte {:#04x} as number {} of the line", bytes[at], at + 1))
    })?;
    match text.find('\r') {
        None => Ok(Some(text)),
        Some(at) => {
            let found = format!("a lone CR as byte {} of the line", at + 1);
            Err(LineError::new("end of line", "LF or CRLF", found))
        }
    }
}

const CANNOT_WRITE: &str = "cannot write the results";

/// Rows whose attack sets are still to be computed, and the pairs of each slider.
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

    /// Takes a row whose attack set is still to be computed.
    fn push(&mut self, slider: Slider, row: Row) {
        for group in self.groups.iter_mut().filter(|group| group.slider == slider) {
            group.squares.push(row.square);
            group.occs.push(row.occupancy);
            group.places.push(self.rows.len());
        }
        self.rows.push(row);
    }

    /// Computes the attack sets, writes the rows in the order they came in, and is empty again.
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
