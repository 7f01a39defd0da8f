//! The labels of positions: score, result, counters and move, from the columns of an input.

use std::borrow::Cow;
use std::slice;

use slider_attacks::position::Color;
use slider_attacks_files::block::Origin;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_formats::error::quoted;
use slider_attacks_formats::request::{OptionalColumns, add, find};
use slider_attacks_games::records::Outcome;
use slider_attacks_games::{Board, Move, MoveError};

use super::line::{self, PositionLabels, result_of};
#[cfg(feature = "parquet")]
use crate::write::arrow;
use crate::write::cell::Cell;
use crate::write::text_rows::kept_cell;

/// The score of a mate is this, minus the number of moves.
pub const MATE: i64 = 32_000;

/// The names of columns.
#[derive(Clone, Debug)]
struct Names {
    score: String,
    mate: String,
    result: String,
    halfmove: &'static str,
    fullmove: &'static str,
    /// The columns of moves played from positions; the first that exists is used.
    next: Vec<String>,
    /// The columns of moves that led to positions, used if there are no others.
    led: &'static [&'static str],
}

/// The columns of labels to look for in inputs.
#[derive(Clone, Debug)]
pub struct LabelColumns {
    games: Names,
    records: Names,
    rows: Names,
    /// The names of the column with the positions: text, which may say more.
    positions: [String; 2],
}

/// The columns that the caller names. An input must have them.
#[derive(Clone, Debug, Default)]
pub struct NamedColumns {
    /// The scores.
    pub score: Option<String>,
    /// The moves up to a mate, where there is no score.
    pub mate: Option<String>,
    /// The results.
    pub result: Option<String>,
    /// The moves that were played from the positions.
    pub played: Option<String>,
}

impl NamedColumns {
    /// The names, each of them once.
    pub fn keep(&self) -> Vec<String> {
        let mut keep = Vec::new();
        for name in [&self.score, &self.mate, &self.result, &self.played].into_iter().flatten() {
            add(slice::from_ref(name), &mut keep);
        }
        keep
    }
}

impl LabelColumns {
    /// The columns that the caller names, and those that are usual. `positions` is the column with the positions.
    pub fn new(named: &NamedColumns, positions: &str) -> LabelColumns {
        let names = |score: &str, next: &[&str], led: &'static [&'static str]| {
            let name = |given: &Option<String>, usual: &str| given.clone().unwrap_or_else(|| usual.to_owned());
            Names {
                score: name(&named.score, score),
                mate: name(&named.mate, "mate"),
                result: name(&named.result, "result"),
                halfmove: "halfmove",
                fullmove: "fullmove",
                next: match &named.played {
                    Some(given) => vec![given.clone()],
                    None => next.iter().map(|&name| name.to_owned()).collect(),
                },
                led: if named.played.is_some() { &[] } else { led },
            }
        };
        let positions = [positions.to_owned(), "fen".to_owned()];
        let bits = [NEXT_MOVE];
        LabelColumns {
            games: names("eval", &bits, &[]),
            records: names("score", &bits, &[]),
            rows: names("score", &["next_uci", NEXT_MOVE, "next_san"], &["uci", "move"]),
            positions,
        }
    }

    /// The columns of moves of tables, as [`Wanted::move_columns`](slider_attacks_formats::request::Wanted::move_columns) has them.
    pub fn move_columns(&self) -> [Vec<String>; 2] {
        [self.rows.next.clone(), self.rows.led.iter().map(|&name| name.to_owned()).collect()]
    }

    /// The columns that are taken where an input has them.
    pub fn optional_columns(&self) -> OptionalColumns {
        let names = |names: &Names, more: &[String]| {
            let Names { score, mate, result, halfmove, fullmove, next, led } = names.clone();
            let mut all = Vec::new();
            add(&[score, mate, result, halfmove.to_owned(), fullmove.to_owned()], &mut all);
            add(&next, &mut all);
            add(&led.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), &mut all);
            add(more, &mut all);
            all
        };
        OptionalColumns {
            games: names(&self.games, &[]),
            records: names(&self.records, &[]),
            rows: names(&self.rows, &self.positions),
        }
    }
}

/// The columns of a block.
pub struct LabelSource<'a> {
    records: &'a Records,
    score: Option<&'a KeptColumn>,
    mate: Option<&'a KeptColumn>,
    result: Option<&'a KeptColumn>,
    halfmove: Option<&'a KeptColumn>,
    fullmove: Option<&'a KeptColumn>,
    /// The moves that were played from the positions, and the name of that column.
    next: Option<(&'a str, &'a KeptColumn)>,
    /// The moves that led to the positions, if there are no others.
    led: Option<(&'a str, &'a KeptColumn)>,
    /// Whether moves are known to be legal.
    are_legal: bool,
    /// The text of the positions.
    text: Option<&'a KeptColumn>,
    names: &'a Names,
}

impl<'a> LabelSource<'a> {
    /// Finds the columns of records.
    pub fn new(wish: &'a LabelColumns, origin: &Origin, records: &'a Records) -> LabelSource<'a> {
        let source = &origin.source;
        let names = match (source.has_games(), source.has_records()) {
            (true, _) => &wish.games,
            (_, true) => &wish.records,
            _ => &wish.rows,
        };
        // What is wrong or ambiguous about names has been reported where the columns were chosen.
        let column = |name: &str| records.kept.get(find(origin.columns().iter().map(String::as_str), name)?);
        let rows = records.numbers.len();
        let named = |name: &'a str| column(name).filter(|column| column.is_found(rows)).map(|column| (name, column));
        let next = names.next.iter().find_map(|name| named(name));
        let led = if next.is_none() { names.led.iter().find_map(|name| named(name)) } else { None };
        // After a first move, the text is that of another position.
        let is_text = !source.has_games() && !source.has_records() && !source.plays_first_moves();
        let text = wish.positions.iter().filter(|_| is_text).find_map(|name| column(name));
        LabelSource {
            records,
            score: column(&names.score),
            mate: column(&names.mate),
            result: column(&names.result),
            halfmove: column(names.halfmove),
            fullmove: column(names.fullmove),
            next,
            led,
            are_legal: (source.has_games() || source.has_records()) && next.is_some_and(|(name, _)| name == NEXT_MOVE),
            text,
            names,
        }
    }

    /// Whether there is a column of the moves that were played from the positions.
    pub fn has_played(&self) -> bool {
        self.next.is_some()
    }

    /// Whether there is a column of moves.
    pub fn has_moves(&self) -> bool {
        self.next.is_some() || self.led.is_some()
    }

    /// The labels of a position.
    ///
    /// # Errors
    ///
    /// A value is invalid.
    pub fn labels(&self, at: usize) -> Result<PositionLabels, String> {
        let side = self.records.positions.side_to_move()[at];
        let mut labels = PositionLabels::default();
        if let Some(LabelValue::Text(text)) = value(self.text, at) {
            labels = line::labels(&text, side)?;
        }
        let wrong = |name: &str, expected: &str, value: &LabelValue<'_>| {
            format!("field {}: expected {expected}, found {}", quoted(name), value.describe())
        };
        if let Some(value) = value(self.mate, at) {
            let Some(moves) = value.integer() else {
                return Err(wrong(&self.names.mate, "a number of moves", &value));
            };
            labels.score = Some(of_mate(moves, side));
        }
        if let Some(value) = value(self.score, at) {
            let Some(score) = score(&value, side) else {
                return Err(wrong(&self.names.score, "centipawns, or a mate such as #-3", &value));
            };
            labels.score = Some(score);
        }
        if let Some(value) = value(self.result, at) {
            let Some(result) = result(&value) else {
                return Err(wrong(&self.names.result, "1-0, 1/2-1/2, 0-1, 1, 0.5 or 0", &value));
            };
            labels.result = result;
        }
        for (column, name, counter) in [
            (self.halfmove, self.names.halfmove, &mut labels.halfmove),
            (self.fullmove, self.names.fullmove, &mut labels.fullmove),
        ] {
            let Some(value) = value(column, at) else { continue };
            let Some(number) = value.integer().and_then(|number| u16::try_from(number).ok()) else {
                return Err(wrong(name, "a number from 0 to 65535", &value));
            };
            *counter = Some(number);
        }
        Ok(labels)
    }

    /// The move that was played from a position.
    ///
    /// # Errors
    ///
    /// It is not a legal move, or the move that led to the position is not.
    pub fn played(&self, at: usize, board: &Board) -> Result<PlayedMove, String> {
        let Some((name, column)) = self.next else {
            if self.led.is_none() {
                return Ok(PlayedMove::Known(None));
            }
            self.check_led(at)?;
            return Ok(if at + 1 < self.records.numbers.len() {
                PlayedMove::Known(self.arrival(at + 1).and_then(|arrival| arrival.from(board)))
            } else {
                PlayedMove::InNextBlock
            });
        };
        self.played_of(name, column, at, board).map(PlayedMove::Known)
    }

    fn played_of(&self, name: &str, column: &KeptColumn, at: usize, board: &Board) -> Result<Option<Move>, String> {
        let Some(value) = value(Some(column), at) else { return Ok(None) };
        let wrong = |error: MoveError| format!("field {}: {error}, found {}", quoted(name), value.describe());
        let mv = match (&value, value.integer()) {
            (LabelValue::Text(text), None) => board.read_move(text.as_bytes()).map_err(wrong)?,
            (_, bits) => {
                let bits = bits.and_then(|bits| u16::try_from(bits).ok()).ok_or_else(|| wrong(MoveError::NotAMove))?;
                let mv = Move::from_bits(bits);
                if mv != Move::NONE && !self.are_legal {
                    board.clone().play(mv).map_err(wrong)?;
                }
                mv
            }
        };
        Ok(Some(mv).filter(|&mv| mv != Move::NONE))
    }

    /// The move that led to a position, in UCI, if there is one.
    ///
    /// # Errors
    ///
    /// It is invalid: the name of the column, and the value.
    fn led(&self, at: usize) -> Result<Option<String>, (&'a str, String)> {
        let Some((name, column)) = self.led else { return Ok(None) };
        let Some(value) = value(Some(column), at) else { return Ok(None) };
        let text = match (&value, value.integer()) {
            (LabelValue::Text(text), None) => text.to_string(),
            (_, bits) => match bits.and_then(|bits| u16::try_from(bits).ok()) {
                Some(bits) => Move::from_bits(bits).to_string(),
                None => return Err((name, value.describe())),
            },
        };
        match text.as_bytes() {
            b"0000" => Ok(None),
            [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8']
            | [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', b'n' | b'b' | b'r' | b'q'] => Ok(Some(text)),
            _ => Err((name, value.describe())),
        }
    }

    /// Checks that the move of a column of such moves can have led to a position: that it does not begin with a piece of the side
    /// to move, as those that are played from the position do, and that it ends with one of the other side.
    fn check_led(&self, at: usize) -> Result<(), String> {
        let wrong = |name: &str, found: &str, advice: &str| {
            Err(format!("field {}: expected the move that led to the position, found {found}{advice}", quoted(name)))
        };
        let text = match self.led(at) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(()),
            Err((name, found)) => return wrong(name, &found, ""),
        };
        let (Some((name, _)), positions) = (self.led, &self.records.positions) else { return Ok(()) };
        let side = positions.side_to_move()[at];
        let color = |square: &str| positions.piece_at(at, square.parse().ok()?).map(|(color, _)| color);
        let (from, to) = (&text[..2], &text[2..4]);
        if color(from) == Some(side) {
            let advice = format!(", which is played from it: name the column next_{name}, or add --move {name}");
            return wrong(name, &quoted(&text), &advice);
        }
        // A king that takes its own rook to castle goes elsewhere.
        let may_castle = from[1..] == to[1..] && matches!(&to[1..], "1" | "8");
        if color(to) != Some(side.other()) && !may_castle {
            return wrong(name, &quoted(&text), "");
        }
        Ok(())
    }

    /// How a position came about, if that is known.
    pub fn arrival(&self, at: usize) -> Option<Arrival> {
        let mv = self.led(at).ok()??;
        Some(Arrival { mv, board: Board::from_position(&self.records.positions, at) })
    }
}

/// The name of the column with the moves that are played from positions, in 16 bits.
const NEXT_MOVE: &str = "next_move";

/// The move that was played from a position.
pub enum PlayedMove {
    /// This one, or none.
    Known(Option<Move>),
    /// The one that led to the first position of the next block, if it leads there from this position.
    InNextBlock,
}

/// A position, and the move that led to it.
#[derive(Debug)]
pub struct Arrival {
    /// The move in UCI.
    mv: String,
    board: Board,
}

impl Arrival {
    /// The move, if it leads to the position from this one.
    pub fn from(mut self, before: &Board) -> Option<Move> {
        let mut board = before.clone();
        let mv = board.play_text(self.mv.as_bytes()).ok().filter(|&mv| mv != Move::NONE)?;
        self.board.set_counters(board.halfmove_clock(), board.fullmove_number());
        (board == self.board).then_some(mv)
    }
}

/// A value of a row.
pub(crate) enum LabelValue<'a> {
    Number(i64),
    Text(Cow<'a, str>),
}

impl LabelValue<'_> {
    /// The value as shown in messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            LabelValue::Number(number) => number.to_string(),
            LabelValue::Text(text) => quoted(text),
        }
    }

    /// The integer that it is; other programs write `3.0` where a column has missing values.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            LabelValue::Number(number) => Some(*number),
            LabelValue::Text(text) => text.strip_suffix(".0").unwrap_or(text).parse().ok(),
        }
    }
}

/// The value in a row of a column, if there is one that is not empty.
#[inline]
pub(crate) fn value(column: Option<&KeptColumn>, at: usize) -> Option<LabelValue<'_>> {
    let text = |text| match text {
        Cow::Borrowed(text) => Cow::Borrowed(str::trim(text)),
        Cow::Owned(text) => Cow::Owned(str::trim(&text).to_owned()),
    };
    let column = column?;
    #[cfg(feature = "parquet")]
    if let KeptColumn::Array(_, array) = column
        && let Some(number) = arrow::integer(array, at)
    {
        return Some(LabelValue::Number(number));
    }
    // Some writers store text so.
    #[cfg(feature = "parquet")]
    if let KeptColumn::Array(_, array) = column
        && let Some(bytes) = arrow::bytes(array, at)
    {
        let value = text(String::from_utf8_lossy(bytes));
        return (!value.is_empty()).then_some(LabelValue::Text(value));
    }
    let value = match kept_cell(column, at) {
        Cell::Integer(number) => return Some(LabelValue::Number(number)),
        Cell::Text(value) => text(value),
        Cell::Json(Cow::Borrowed(value)) => text(text_of_json(value)?),
        Cell::Json(Cow::Owned(value)) => Cow::Owned(text_of_json(&value)?.trim().to_owned()),
        _ => return None,
    };
    (!value.is_empty()).then_some(LabelValue::Text(value))
}

/// The score of a mate in some moves, 1,000 at most; in 0, the side to move is mated.
pub fn of_mate(moves: i64, side: Color) -> i16 {
    let score = MATE - moves.saturating_abs().min(1_000);
    let is_blacks = if moves == 0 { side == Color::White } else { moves < 0 };
    (if is_blacks { -score } else { score }) as i16
}

/// The score that a value is. A fraction is rounded, and a score of more than 16 bits is the largest or the smallest one.
pub(crate) fn score(value: &LabelValue<'_>, side: Color) -> Option<i16> {
    let limits = (i64::from(i16::MIN), i64::from(i16::MAX));
    match value {
        LabelValue::Number(number) => Some((*number).clamp(limits.0, limits.1) as i16),
        LabelValue::Text(text) => match text.strip_prefix('#') {
            Some(moves) => moves.parse().ok().map(|moves| of_mate(moves, side)),
            None => line::centipawns(text),
        },
    }
}

/// What a message says about a field that is no result.
pub(crate) const EXPECTED_RESULT: &str = "field \"result\": expected 1-0, 1/2-1/2, 0-1, 1, 0.5 or 0";

/// The result that a value is; `None` within `Some` if the game had none.
pub(crate) fn result(value: &LabelValue<'_>) -> Option<Option<Outcome>> {
    let text = match value {
        LabelValue::Number(number) => &number.to_string(),
        LabelValue::Text(text) => text.as_ref(),
    };
    result_of(text)
}
