//! The work of the pool on a block: parse, collect the labels of each position, encode.

use std::mem;
use std::sync::Arc;

use anyhow::Result;
use slider_attacks::position::{Color, Fens, Positions};
use slider_attacks_arrow::OnError;
use slider_attacks_files::Block;
use slider_attacks_files::block::{Origin, ReadLimits};
use slider_attacks_formats::columns::texts::TextTable;
use slider_attacks_formats::columns::{KeptColumn, NumberColumn, OutputColumn, OutputValues};
use slider_attacks_formats::error::Malformed;
use slider_attacks_games::records::{Outcome, bulletformat, marlinformat};
use slider_attacks_games::{Board, Move};

use super::games::{EncodedGames, LeftOut};
use super::labels::{Arrival, LabelColumns, LabelSource, PlayedMove};
use super::line::PositionLabels;
use crate::format::{RecordFormat, RowFormat, TextFormat};
use crate::pipeline::{ResultLimits, Work};
use crate::write::Encoded;
use crate::write::cell::{decimal, integer};

/// The settings that the threads share.
#[derive(Debug)]
pub struct ConvertJob {
    /// The format to write.
    pub to: RecordFormat,
    /// The columns that are looked for.
    pub wish: LabelColumns,
    /// How to handle malformed records.
    pub on_error: OnError,
}

/// The result of one block.
#[derive(Debug)]
pub struct Converted {
    /// Where the block comes from.
    pub origin: Arc<Origin>,
    /// How many positions were read, of those that are taken.
    pub read: usize,
    /// How many others were left out because of their keys.
    pub repeated: usize,
    /// The malformed records that were left out.
    pub skipped: Vec<Malformed>,
    /// How many of them are among the positions that were read.
    pub wrong: usize,
    /// The malformed record that ends the run.
    pub failure: Option<Malformed>,
    /// Which of the columns to keep were found. In JSON lines, one may be missing.
    pub found: Vec<bool>,
    /// How many positions were left out.
    pub left_out: LeftOut,
    /// The output, unless it is games.
    pub encoded: Encoded,
    /// The games, if the format has games.
    pub games: Option<Box<EncodedGames>>,
    /// How the first position came about, for the one before it.
    pub arrival: Option<Arrival>,
    /// The last position, if the next block has the move that was played from it. It is not written yet.
    pub held: Option<HeldPosition>,
}

/// A position that can be written once the move that was played from it is known.
#[derive(Debug)]
pub struct HeldPosition {
    board: Board,
    fen: String,
    labels: PositionLabels,
}

impl HeldPosition {
    /// What is to be written if the next position came about so, or if nothing is known of it.
    pub fn finish(
        self,
        to: RecordFormat,
        next: Option<Arrival>,
        left_out: &mut LeftOut,
    ) -> (Encoded, Option<Box<EncodedGames>>) {
        let played = next.and_then(|arrival| arrival.from(&self.board));
        let mut rows = EncodedRows::new(to, 1);
        let HeldPosition { board, fen, labels } = &self;
        rows.add_next((board, fen, labels), played, left_out).expect("it has been checked");
        rows.finish()
    }
}

/// About how many bytes a position takes in any of the formats, with the values that it is made of, and as a line of text.
const ROW: usize = 256;
const TEXT: usize = 96;

impl Work for ConvertJob {
    type Output = Converted;

    fn positions(done: &Converted) -> usize {
        done.read
    }

    fn row_bytes(&self) -> usize {
        ROW
    }

    fn work(&self, block: &mut Block, limit: usize, room: ResultLimits) -> Result<Converted> {
        // Games have more positions than lines of as many bytes.
        let most = ReadLimits { limit, enough: (room.bytes / TEXT).max(1) };
        let mut records = block.next(most, self.on_error, Positions::new())?.unwrap_or_default();
        let (origin, read) = (block.origin.clone(), records.selected_rows().len());
        let repeated = records.count_left_out();
        let (mut skipped, mut failure) = (mem::take(&mut records.skipped), records.failure.take());
        let columns = LabelSource::new(&self.wish, &origin, &records);
        let fens = if self.to.has_fens() { records.positions.fens() } else { Fens::default() };
        let (mut rows, mut left_out, mut wrong, mut held) =
            (EncodedRows::new(self.to, read), LeftOut::default(), 0, None);
        // The other rows stay, because the move that was played from a position may be in the row after it.
        for at in records.selected_rows() {
            let what =
                match rows.add((&records.positions, at), fens.get(at).unwrap_or_default(), &columns, &mut left_out) {
                    Ok(last) => {
                        held = last;
                        continue;
                    }
                    Err(what) => what,
                };
            let malformed = Malformed { number: records.numbers[at], what: what.into(), place: None };
            if self.on_error == OnError::Fail {
                failure = Some(malformed);
                break;
            }
            wrong += 1;
            skipped.push(malformed);
        }
        if wrong > 0 {
            skipped.sort_by_key(|malformed| malformed.number);
        }
        let mut found = Vec::new();
        records.add_found(&mut found);
        let arrival = if records.numbers.is_empty() { None } else { columns.arrival(0) };
        let (encoded, games) = rows.finish();
        Ok(Converted {
            origin,
            read,
            repeated,
            skipped,
            wrong,
            failure,
            found,
            left_out,
            encoded,
            games,
            arrival,
            held,
        })
    }
}

/// Rows that are being encoded.
enum EncodedRows {
    Bytes(RecordFormat, Vec<u8>),
    Games(Box<EncodedGames>),
    Table(RowFormat, Box<RecordTable>),
}

/// The columns of a table.
struct RecordTable {
    rows: usize,
    /// Those of texts: position, result, move.
    texts: [TextTable; 3],
    /// Those of numbers: score, half moves, number of the move.
    numbers: [Vec<i64>; 3],
}

/// The names of the columns of a table.
pub const COLUMNS: [&str; 6] = ["fen", "score", "result", "halfmove", "fullmove", "next_uci"];

impl EncodedRows {
    fn new(to: RecordFormat, rows: usize) -> EncodedRows {
        let table = |format| {
            let numbers = [(); 3].map(|()| Vec::with_capacity(rows));
            EncodedRows::Table(
                format,
                Box::new(RecordTable { rows: 0, texts: [(); 3].map(|()| TextTable::new(1)), numbers }),
            )
        };
        match to {
            RecordFormat::Csv => table(RowFormat::Text(TextFormat::Csv)),
            RecordFormat::Jsonl => table(RowFormat::Text(TextFormat::Jsonl)),
            RecordFormat::Parquet => table(RowFormat::Arrow),
            RecordFormat::Viriformat | RecordFormat::Binpack => EncodedRows::Games(Box::new(EncodedGames::new(to))),
            RecordFormat::Bulletformat | RecordFormat::Marlinformat => {
                EncodedRows::Bytes(to, Vec::with_capacity(32 * rows))
            }
            RecordFormat::Fen | RecordFormat::Epd | RecordFormat::Text => {
                EncodedRows::Bytes(to, Vec::with_capacity(64 * rows))
            }
        }
    }

    /// Adds a position, or leaves it out. Returns it if it is not added yet, because the move that was played from it is in the next
    /// block.
    ///
    /// # Errors
    ///
    /// A value is invalid, or the format cannot represent the position. Then nothing is added.
    fn add(
        &mut self,
        (positions, at): (&Positions, usize),
        fen: &str,
        columns: &LabelSource<'_>,
        left_out: &mut LeftOut,
    ) -> Result<Option<HeldPosition>, String> {
        let labels = columns.labels(at)?;
        let PositionLabels { score, result, halfmove, fullmove } = labels;
        let board = || {
            let mut board = Board::from_position(positions, at);
            board.set_counters(halfmove.unwrap_or(0), fullmove.unwrap_or(1));
            board
        };
        let mut needed = || {
            left_out.score += u64::from(score.is_none());
            left_out.result += u64::from(score.is_some() && result.is_none());
            score.zip(result)
        };
        match self {
            EncodedRows::Bytes(RecordFormat::Bulletformat | RecordFormat::Marlinformat, _) | EncodedRows::Games(_) => {
                let Some((score, result)) = needed() else { return Ok(None) };
                let board = board();
                let written = match self {
                    EncodedRows::Bytes(RecordFormat::Bulletformat, out) => {
                        bulletformat::write(&board, score, result, out)
                    }
                    EncodedRows::Bytes(_, out) => marlinformat::write(&board, score, result, out),
                    EncodedRows::Games(_) | EncodedRows::Table(..) => {
                        return self.add_played((board, fen, labels), at, columns, left_out);
                    }
                };
                written.map_err(|problem| problem.to_string())?;
            }
            EncodedRows::Bytes(to, out) => {
                if *to == RecordFormat::Epd {
                    epd(fen, &labels, positions.side_to_move()[at], out);
                    return Ok(None);
                }
                let label = match to {
                    RecordFormat::Text => {
                        let Some((score, result)) = needed() else { return Ok(None) };
                        Some((score, ["0.0", "0.5", "1.0"][result as usize]))
                    }
                    _ => None,
                };
                add_text(fen, out);
                for counter in [halfmove.unwrap_or(0), fullmove.unwrap_or(1)] {
                    out.push(b' ');
                    decimal(counter.into(), out);
                }
                if let Some((score, result)) = label {
                    add_text(" | ", out);
                    integer(score.into(), out);
                    add_text(" | ", out);
                    add_text(result, out);
                }
                out.push(b'\n');
            }
            EncodedRows::Table(_, table) if !columns.has_moves() => table.add(fen, &labels, None),
            EncodedRows::Table(..) => return self.add_played((board(), fen, labels), at, columns, left_out),
        }
        Ok(None)
    }

    /// Adds a position to games or to a table, if the move that was played from it is in this block.
    fn add_played(
        &mut self,
        (board, fen, labels): (Board, &str, PositionLabels),
        at: usize,
        columns: &LabelSource<'_>,
        left_out: &mut LeftOut,
    ) -> Result<Option<HeldPosition>, String> {
        match columns.played(at, &board)? {
            PlayedMove::Known(played) => self.add_next((&board, fen, &labels), played, left_out).map(|()| None),
            PlayedMove::InNextBlock => {
                if let EncodedRows::Games(games) = self {
                    games.check(&board).map_err(|problem| problem.to_string())?;
                }
                Ok(Some(HeldPosition { board, fen: fen.to_owned(), labels }))
            }
        }
    }

    /// Adds a position from which this move was played, if it is known.
    fn add_next(
        &mut self,
        (board, fen, labels): (&Board, &str, &PositionLabels),
        played: Option<Move>,
        left_out: &mut LeftOut,
    ) -> Result<(), String> {
        match (self, played) {
            (EncodedRows::Games(games), Some(mv)) => {
                let PositionLabels { score, result, halfmove, fullmove } = labels;
                let (score, result) = score.zip(*result).expect("games have positions with scores and results");
                let has_counters = halfmove.is_some() && fullmove.is_some();
                let pushed = games.push(board, has_counters, result, (mv, score), left_out);
                return pushed.map_err(|problem| problem.to_string());
            }
            (EncodedRows::Games(_), None) => left_out.played += 1,
            (EncodedRows::Table(_, table), _) => table.add(fen, labels, played),
            (EncodedRows::Bytes(..), _) => unreachable!("lines and records of one position have no moves"),
        }
        Ok(())
    }

    fn finish(self) -> (Encoded, Option<Box<EncodedGames>>) {
        let encoded = match self {
            EncodedRows::Bytes(_, bytes) => Encoded::Bytes(bytes),
            EncodedRows::Games(games) => return (Encoded::Bytes(Vec::new()), Some(games)),
            EncodedRows::Table(format, table) => {
                let (rows, columns) = table.columns();
                Encoded::new(format, columns, rows)
            }
        };
        (encoded, None)
    }
}

/// The operations of EPD, in the order of their names: `c9` the result, `ce` the score as the side to move sees it, `fmvn` the
/// number of the move, `hmvc` half moves since the last capture or move of a pawn.
fn epd(fen: &str, labels: &PositionLabels, side: Color, out: &mut Vec<u8>) {
    add_text(fen, out);
    if let Some(result) = labels.result {
        add_text(" c9 \"", out);
        add_text(result.name(), out);
        add_text("\";", out);
    }
    let score = labels.score.map(|score| if side == Color::White { score } else { score.saturating_neg() }.into());
    let numbers = [("ce", score), ("fmvn", labels.fullmove.map(i64::from)), ("hmvc", labels.halfmove.map(i64::from))];
    for (name, number) in numbers.into_iter().filter_map(|(name, number)| Some((name, number?))) {
        out.push(b' ');
        add_text(name, out);
        out.push(b' ');
        integer(number, out);
        out.push(b';');
    }
    out.push(b'\n');
}

#[inline(always)]
fn add_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
}

impl RecordTable {
    fn add(&mut self, fen: &str, labels: &PositionLabels, played: Option<Move>) {
        let PositionLabels { score, result, halfmove, fullmove } = labels;
        let [fens, results, moves] = &mut self.texts;
        fens.push([Some(fen)]);
        results.push([result.map(Outcome::name)]);
        match played {
            Some(mv) => moves.push([Some(mv.encode_uci(&mut [0; 5]))]),
            None => moves.push([None::<&str>]),
        }
        let number = |number: Option<i64>| number.unwrap_or(NumberColumn::MISSING);
        let values = [score.map(i64::from), halfmove.map(i64::from), fullmove.map(i64::from)];
        self.numbers.iter_mut().zip(values).for_each(|(column, value)| column.push(number(value)));
        self.rows += 1;
    }

    /// The number of rows, and the columns in their order.
    fn columns(self) -> (usize, Vec<OutputColumn>) {
        let text = |table: TextTable| KeptColumn::Text(table.columns().next().expect("it has a column"));
        let number = |numbers| KeptColumn::Numbers(NumberColumn::new(numbers, 0));
        let ([fens, results, moves], [scores, halfmoves, fullmoves]) = (self.texts, self.numbers);
        let columns = [text(fens), number(scores), text(results), number(halfmoves), number(fullmoves), text(moves)];
        let named = COLUMNS.into_iter().zip(columns);
        (self.rows, named.map(|(name, kept)| OutputColumn::new(name, OutputValues::Kept(kept))).collect())
    }
}
