//! `attacks` and `pairs`: read records, compute them in batches, write rows.
//!
//! A batch holds the records of one block of the input. So memory is bounded, and rows do not wait for input that has not
//! arrived yet.

use std::io::{self, BufWriter, IsTerminal};
use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, Result};
use slider_attacks::position::{Piece, Positions};
use slider_attacks::{Backend, Slider, SliderArrays, Square};
use slider_attacks_arrow::{Plan, Product};
use slider_attacks_files::Inputs;
use slider_attacks_files::block::ReadLimits;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::conditions::RowChoice;
use slider_attacks_rows::write::sliders::{SliderRow, SliderRows};

use crate::args::{AttacksArgs, PairsArgs, StreamArgs};
use crate::progress::{ProgressLine, RecordCounts, Tally};
use crate::target::stdout;

/// The positions to read when no FILE is given.
pub const SAMPLE_POSITIONS: &str = include_str!("../../data/sample.epd");
/// How many lines are read at a time.
const AT_A_TIME: ReadLimits = ReadLimits { limit: usize::MAX, enough: 1024 };
/// The pairs to read when no FILE is given.
const SAMPLE_PAIRS: &str = include_str!("../../data/sample.pairs");

/// `slider-attacks attacks`.
pub fn attacks(args: &AttacksArgs, backend: Backend) -> Result<()> {
    let choice = RowChoice::of_condition(args.condition.clone());
    let wanted = choice.wanted(false, Wanted { column: "fen".to_owned(), ..Wanted::default() });
    run(&args.file, SAMPLE_POSITIONS, (&wanted, &choice), "piece", &args.stream, backend, |records, rows| {
        for (position, &line) in records.numbers.iter().enumerate() {
            let occupancy = records.positions.occupancies()[position];
            for square in Square::ALL.into_iter().filter(|square| occupancy & square.bitboard() != 0) {
                let Some((color, piece)) = records.positions.piece_at(position, square) else { continue };
                let (slider, names) = match piece {
                    Piece::Bishop => (Slider::Bishop, ["B", "b"]),
                    Piece::Rook => (Slider::Rook, ["R", "r"]),
                    Piece::Queen => (Slider::Queen, ["Q", "q"]),
                    Piece::Pawn | Piece::Knight | Piece::King => continue,
                };
                if args.sliders.is_empty() || args.sliders.contains(&slider) {
                    rows.push(SliderRow { line, slider, name: names[color as usize], square, occupancy, attacks: 0 });
                }
            }
        }
    })
}

/// `slider-attacks pairs`.
pub fn pairs(args: &PairsArgs, backend: Backend) -> Result<()> {
    let (wanted, choice) = (Wanted { pairs: true, ..Wanted::default() }, RowChoice::default());
    run(&args.file, SAMPLE_PAIRS, (&wanted, &choice), "slider", &args.stream, backend, |records, rows| {
        let (slider, name) = (args.slider, args.slider.name());
        let pairs = records.numbers.iter().zip(&records.pairs);
        rows.extend(pairs.map(|(&line, &(square, occupancy))| SliderRow {
            line,
            slider,
            name,
            square,
            occupancy,
            attacks: 0,
        }));
    })
}

/// Reads the file or the sample, and writes the rows that `make` makes, whose attack sets it leaves out.
fn run(
    file: &Option<PathBuf>,
    sample: &'static str,
    (wanted, choice): (&Wanted, &RowChoice),
    column: &'static str,
    args: &StreamArgs,
    backend: Backend,
    make: impl Fn(&Records, &mut Vec<SliderRow>),
) -> Result<()> {
    const CANNOT_WRITE: &str = "cannot write the results";
    let inputs = Inputs::new(file.as_slice(), sample)?;
    let out = BufWriter::with_capacity(1 << 16, stdout()?);
    let mut out = SliderRows::new(args.format, column, out).context(CANNOT_WRITE)?;
    let progress = ProgressLine::new(&inputs.counter, reads_terminal(&inputs) || io::stdout().is_terminal());
    let (mut tally, mut rows) = (Tally::default(), Vec::new());
    let filter = choice.filter(&Plan::new([Product::Maps; 0]).backend(backend), false, args.on_error);
    let done = inputs.read(wanted, &mut |mut block| {
        // Which positions are taken does not depend on other blocks.
        block.filter = filter.as_ref().map(|filter| filter.block(0));
        while let Some(mut records) = block.next(AT_A_TIME, args.on_error, Positions::new())? {
            let left_out = records.select();
            tally.add(&progress, &block.origin, records.numbers.len(), 0, &records.skipped);
            tally.leave_out(left_out, filter.as_deref());
            make(&records, &mut rows);
            compute(backend, &mut rows)?;
            // Even if a line is malformed: the rows of the lines before it are complete.
            rows.drain(..).try_for_each(|row| out.write(&row)).and_then(|()| out.flush()).context(CANNOT_WRITE)?;
            progress.show();
            block.origin.check(records.failure.as_ref())?;
        }
        Ok(ControlFlow::Continue(()))
    });
    tally.end_messages(&progress);
    done?;
    let (name, what) = (inputs.name(), if wanted.pairs { "pairs" } else { "positions" });
    tally.check(RecordCounts::default(), &name, what)?;
    filter.map_or(Ok(()), |filter| filter.check(&name, &wanted.warnings))?;
    tally.finish(&progress, &name, what);
    Ok(())
}

/// Whether somebody types the input.
pub fn reads_terminal(inputs: &Inputs) -> bool {
    inputs.has_stdin() && io::stdin().is_terminal()
}

/// Computes the attack sets of rows with one call, in which a queen belongs to both sets.
fn compute(backend: Backend, rows: &mut [SliderRow]) -> Result<()> {
    let boards = |board: &dyn Fn(&SliderRow) -> u64| rows.iter().map(board).collect::<Vec<u64>>();
    let all_but = |slider| boards(&|row| if row.slider == slider { 0 } else { row.square.bitboard() });
    let (orthogonal, diagonal) = (all_but(Slider::Bishop), all_but(Slider::Rook));
    let (occs, mut attacks) = (boards(&|row| row.occupancy), vec![0; rows.len()]);
    let sliders = SliderArrays { orthogonal: &orthogonal, diagonal: &diagonal, occupancies: &occs };
    backend.batch_attack_sets(sliders, &mut attacks)?;
    rows.iter_mut().zip(attacks).for_each(|(row, attacks)| row.attacks = attacks);
    Ok(())
}
