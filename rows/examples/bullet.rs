//! Gives the trainer bullet its boards: those of any training files or games, shuffled, as `bulletformat::ChessBoard`.
//!
//!     cargo run --release --package slider-attacks-rows --features parquet --example bullet -- OUTPUT FILE...
//!
//! Writes them to a file, in the order of one epoch, which bullet's `DirectSequentialDataLoader` reads. A data loader of bullet that
//! calls [`boards`] for each batch needs no such file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Error, Result};
use bulletformat::{BulletFormat, ChessBoard};
use slider_attacks::position::{Color, Piece};
use slider_attacks_files::Input;
use slider_attacks_rows::loader::{Label, Loader, LoaderSettings, NO_SCORE, NextBatch, TrainingBatch};

/// The boards of a batch that have a score and a result.
fn boards(batch: &TrainingBatch) -> Result<Vec<ChessBoard>> {
    let positions = &batch.positions;
    let (scores, results) =
        (batch.scores.as_ref().context("no scores")?, batch.results.as_ref().context("no results")?);
    let is_known = |&at: &usize| scores[at] != NO_SCORE && !results[at].is_nan();
    let board = |at: usize| {
        let sides = Color::ALL.map(|color| positions.color(color)[at]);
        let kinds = Piece::ALL.map(|piece| Color::ALL.map(|color| positions.pieces(color, piece)[at]));
        let [white, black] = sides;
        let [pawns, knights, bishops, rooks, queens, kings] = kinds.map(|[white, black]| white | black);
        let bitboards = [white, black, pawns, knights, bishops, rooks, queens, kings];
        let side = positions.side_to_move()[at] as usize;
        ChessBoard::from_raw(bitboards, side, scores[at] as i16, results[at]).map_err(Error::msg)
    };
    (0..positions.len()).filter(is_known).map(board).collect()
}

fn main() -> Result<()> {
    let mut names = std::env::args_os().skip(1);
    let output = names.next().context("expected OUTPUT FILE...")?;
    let mut loader = Loader::new(LoaderSettings {
        inputs: (0..).zip(names).map(|(index, name)| Input::new(Path::new(&name), index)).collect(),
        labels: vec![Label::Score, Label::Result],
        threads: 2,
        ..LoaderSettings::default()
    })?;
    let (mut out, mut written) = (BufWriter::new(File::create(output)?), 0);
    loop {
        match loader.next(Duration::from_secs(1))? {
            NextBatch::Batch(batch) => {
                let boards = boards(&batch)?;
                written += boards.len();
                ChessBoard::write_to_bin(&mut out, &boards)?;
            }
            NextBatch::NotYet => {}
            NextBatch::End => break,
        }
    }
    out.flush()?;
    println!("{written} boards");
    Ok(())
}
