//! What networks learn: the labels of positions, from the columns of their source.

use std::str::FromStr;

use anyhow::{Result, bail};
use slider_attacks::position::Color;
use slider_attacks_files::block::Origin;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::error::quoted;
use slider_attacks_formats::request::{self, OptionalColumns};

use super::packed::{MOST_PLY, PackedLabels};
use crate::convert::labels::{EXPECTED_RESULT, LabelValue, of_mate, result, score, value};
use crate::convert::line;

/// A label of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The score, as the source has it: from White's view, as a rule.
    Score,
    /// The result of the game.
    Result,
    /// How many moves were played before the position.
    Ply,
}

impl Label {
    /// All of them.
    pub const ALL: [Label; 3] = [Label::Score, Label::Result, Label::Ply];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Label::Score => "score",
            Label::Result => "result",
            Label::Ply => "ply",
        }
    }

    /// The columns of games, of training records and of tables that have it.
    fn columns(self) -> [&'static [&'static str]; 3] {
        match self {
            Label::Score => [&["eval", "mate"], &["score"], &["score", "mate"]],
            Label::Result => [&["result"]; 3],
            Label::Ply => [&["ply"], &["fullmove"], &["ply", "fullmove"]],
        }
    }
}

impl FromStr for Label {
    type Err = String;

    fn from_str(name: &str) -> Result<Label, String> {
        let found = Label::ALL.into_iter().find(|label| label.name() == name);
        found.ok_or_else(|| format!("expected one of {}", Label::ALL.map(Label::name).join(", ")))
    }
}

/// The columns to keep for some labels. `column` is that of the positions: a line of FEN has labels after its fields.
pub fn optional_columns(labels: &[Label], column: &str) -> OptionalColumns {
    let names = |kind: usize| -> Vec<String> {
        labels.iter().flat_map(|label| label.columns()[kind]).map(|&name| name.to_owned()).collect()
    };
    let mut rows = names(2);
    if !labels.is_empty() {
        request::add(&[column.to_owned(), "fen".to_owned()], &mut rows);
    }
    OptionalColumns { games: names(0), records: names(1), rows }
}

/// The columns of some records that have their labels.
pub struct LabelReader<'a> {
    sides: &'a [Color],
    score: Option<&'a KeptColumn>,
    mate: Option<&'a KeptColumn>,
    result: Option<&'a KeptColumn>,
    ply: Option<&'a KeptColumn>,
    fullmove: Option<&'a KeptColumn>,
    /// The lines that positions come from.
    text: Option<&'a KeptColumn>,
}

impl<'a> LabelReader<'a> {
    /// Finds the columns.
    ///
    /// # Errors
    ///
    /// The source has none for one of the labels.
    pub fn new(labels: &[Label], origin: &Origin, records: &'a Records) -> Result<LabelReader<'a>> {
        let (source, names) = (&origin.source, origin.columns());
        let kind = if source.has_games() { 0 } else { 2 - usize::from(source.has_records()) };
        let column = |name: &str| records.kept.get(request::find(names.iter().map(String::as_str), name)?);
        let of = |label: Label, name: &str| {
            let is_wanted = labels.contains(&label) && label.columns()[kind].contains(&name);
            is_wanted.then(|| column(name)).flatten()
        };
        let reader = LabelReader {
            sides: records.positions.side_to_move(),
            score: of(Label::Score, if kind == 0 { "eval" } else { "score" }),
            mate: of(Label::Score, "mate"),
            result: of(Label::Result, "result"),
            ply: of(Label::Ply, "ply"),
            fullmove: of(Label::Ply, "fullmove"),
            text: source.has_lines_of_fen().then(|| records.kept.first()).flatten(),
        };
        let LabelReader { score, mate, result, ply, fullmove, text, .. } = &reader;
        for label in labels {
            let is_found = match label {
                Label::Score => score.or(*mate).is_some(),
                Label::Result => result.is_some(),
                Label::Ply => ply.or(*fullmove).is_some(),
            };
            if !is_found && text.is_none() {
                let names = label.columns()[kind].join(" or ");
                bail!("{} has no column {names}, for the label {}", origin.display_name(), quoted(label.name()));
            }
        }
        Ok(reader)
    }

    /// The labels of a position.
    ///
    /// # Errors
    ///
    /// A value is invalid.
    #[inline]
    pub fn labels(&self, at: usize) -> Result<PackedLabels, String> {
        let mut labels = PackedLabels::default();
        if let Some(LabelValue::Text(text)) = value(self.text, at) {
            let found = line::labels(&text, self.sides[at])?;
            (labels.score, labels.result) = (found.score, found.result);
            labels.ply = found.fullmove.map(|number| self.ply_of(number.into(), at));
        }
        if let Some(value) = value(self.mate, at) {
            let Some(moves) = value.integer() else { return Err(wrong("mate", "a number of moves", &value)) };
            labels.score = Some(of_mate(moves, self.sides[at]));
        }
        if let Some(value) = value(self.score, at) {
            let Some(score) = score(&value, self.sides[at]) else {
                return Err(wrong("score", "centipawns, or a mate such as #-3", &value));
            };
            labels.score = Some(score);
        }
        if let Some(value) = value(self.result, at) {
            let Some(result) = result(&value) else {
                return Err(format!("{}, found {}", EXPECTED_RESULT, value.describe()));
            };
            labels.result = result;
        }
        for (column, name) in [(self.fullmove, "fullmove"), (self.ply, "ply")] {
            let Some(value) = value(column, at) else { continue };
            let number = value.integer().and_then(|number| u32::try_from(number).ok());
            let ply = number.map(|number| if name == "ply" { number } else { self.ply_of(number, at) });
            let Some(ply) = ply.filter(|&ply| ply <= MOST_PLY) else {
                return Err(wrong(name, &format!("a number of at most {MOST_PLY} plies"), &value));
            };
            labels.ply = Some(ply);
        }
        Ok(labels)
    }

    /// The ply of a move of this number, which the side to move plays.
    fn ply_of(&self, number: u32, at: usize) -> u32 {
        number.saturating_sub(1).saturating_mul(2).saturating_add(self.sides[at] as u32)
    }
}

fn wrong(name: &str, expected: &str, value: &LabelValue<'_>) -> String {
    format!("field {}: expected {expected}, found {}", quoted(name), value.describe())
}
