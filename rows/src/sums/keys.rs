//! Keys, which determine the group of a position.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use slider_attacks::position::{Color, PositionSlice};
use slider_attacks_formats::columns::{KeptColumn, text_of_json};
use slider_attacks_query::{PHASES, phase};

use crate::write::cell::Cell;
use crate::write::jsonl;
use crate::write::text_rows::kept_cell;

/// The values of all keys for a group; nothing where a position has no value.
///
/// A long text may belong to many groups.
pub type GroupKey = Vec<Option<Arc<str>>>;

/// A key that determines the group of a position: a column of the input, the side to move, or the phase of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, which is that of its column in the output.
    pub name: String,
    /// Numbers belong together in steps of this many.
    pub step: Option<u32>,
}

/// The side to move, and the phase.
const SIDE: &str = "side";
const PHASE: &str = "phase";
const SIDES: [&str; 2] = [Color::White.name(), Color::Black.name()];

impl FromStr for Key {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Key, Self::Err> {
        let step = text.rsplit_once(':').and_then(|(name, step)| Some((name, step.parse::<u32>().ok()?)));
        let (name, step) = step.map_or((text, None), |(name, step)| (name, Some(step)));
        match (name, step) {
            ("", _) => Err("expected the name of a key"),
            (_, Some(0)) => Err("expected a step above zero"),
            (SIDE | PHASE, Some(_)) => Err("only columns with numbers have steps"),
            ("all", _) => Err("expected a column name, not all of them"),
            _ => Ok(Key { name: name.to_owned(), step }),
        }
    }
}

impl Key {
    fn is_column(&self) -> bool {
        !matches!(self.name.as_str(), SIDE | PHASE)
    }

    /// The columns of the input that keys need.
    pub fn columns(keys: &[Key]) -> Vec<String> {
        keys.iter().filter(|key| key.is_column()).map(|key| key.name.clone()).collect()
    }

    /// The value for each position as a number, and the values of these numbers.
    fn numbers(&self, positions: PositionSlice<'_>, column: Option<&KeptColumn>) -> (Vec<u32>, GroupKey) {
        let some = |names: &[&str]| names.iter().map(|&name| Some(name.into())).collect();
        if let Some(column) = column {
            return self.of_column(column, positions.len());
        }
        if self.name == SIDE {
            let sides = positions.side_to_move().iter().map(|&color| color as u32).collect();
            return (sides, some(&SIDES));
        }
        let phase = |place| phase(positions, place) as u32;
        ((0..positions.len()).map(phase).collect(), some(&PHASES))
    }

    fn of_column(&self, column: &KeptColumn, positions: usize) -> (Vec<u32>, GroupKey) {
        let (mut numbers, mut values): (Vec<u32>, GroupKey) = (Vec::with_capacity(positions), Vec::new());
        let mut found: HashMap<Arc<str>, u32> = HashMap::new();
        let mut missing = None;
        for row in 0..positions {
            let value = self.value(kept_cell(column, row));
            let known = match (&value, numbers.last()) {
                // The positions of a game follow each other.
                (value, Some(&last)) if values[last as usize].as_deref() == value.as_deref() => Some(last),
                (Some(value), _) => found.get(value.as_ref()).copied(),
                (None, _) => missing,
            };
            let number = known.unwrap_or_else(|| {
                let (next, value) = (values.len() as u32, value.map(Arc::<str>::from));
                match &value {
                    Some(value) => drop(found.insert(value.clone(), next)),
                    None => missing = Some(next),
                }
                values.push(value);
                next
            });
            numbers.push(number);
        }
        (numbers, values)
    }

    /// The value of the key: no text is no value.
    fn value<'a>(&self, cell: Cell<'a>) -> Option<Cow<'a, str>> {
        let text = match cell {
            Cell::Text(text) => text,
            Cell::Json(Cow::Borrowed(value)) => text_of_json(value)?,
            Cell::Json(value) => text_of_json(&value)?.into_owned().into(),
            Cell::Integer(number) => number.to_string().into(),
            other => {
                let mut text = Vec::new();
                jsonl::value(other, &mut text);
                String::from_utf8_lossy(&text).into_owned().into()
            }
        };
        let Some(step) = self.step else { return Some(text).filter(|text| !text.is_empty()) };
        let number: f64 = text.trim().parse().ok().filter(|number: &f64| number.abs() < 1e15)?;
        let step = f64::from(step);
        Some(format!("{}", ((number / step).floor() * step) as i64).into())
    }
}

/// The group of each position, and the values of the keys for each group, in the order in which they come. `kept` are the columns
/// of the keys.
pub fn groups(keys: &[Key], positions: PositionSlice<'_>, kept: &[KeptColumn]) -> (Vec<u32>, Vec<GroupKey>) {
    let mut columns = kept.iter();
    let (mut groups, mut all): (Vec<u32>, Vec<GroupKey>) = (vec![0; positions.len()], vec![Vec::new()]);
    for key in keys {
        let column = if key.is_column() { columns.next() } else { None };
        let (numbers, values) = key.numbers(positions, column);
        let (mut found, mut both) = (HashMap::new(), Vec::new());
        let mut last = None;
        for (group, &number) in groups.iter_mut().zip(&numbers) {
            let pair = (*group, number);
            *group = match last {
                Some((before, group)) if before == pair => group,
                _ => *found.entry(pair).or_insert_with(|| {
                    let mut group = all[pair.0 as usize].clone();
                    group.push(values[pair.1 as usize].clone());
                    both.push(group);
                    both.len() as u32 - 1
                }),
            };
            last = Some((pair, *group));
        }
        all = both;
    }
    (groups, all)
}

/// The order of groups: key by key, numbers by their value before other texts, and what has no value last. White is before
/// Black, and phases are in the order of a game.
pub fn order(keys: &[Key], a: &GroupKey, b: &GroupKey) -> Ordering {
    let rank = |key: &Key, value: &Option<Arc<str>>| match value.as_deref() {
        None => (2, 0.0),
        Some(text) if !key.is_column() => {
            let names = [SIDES.as_slice(), &PHASES].concat();
            (0, names.iter().position(|&name| name == text).unwrap_or(names.len()) as f64)
        }
        Some(text) => match text.parse::<f64>() {
            Ok(number) => (0, number),
            Err(_) => (1, 0.0),
        },
    };
    let compare = |at: usize| {
        let (a, b) = (&a[at], &b[at]);
        let ((kind, number), (other_kind, other)) = (rank(&keys[at], a), rank(&keys[at], b));
        kind.cmp(&other_kind).then(number.total_cmp(&other)).then_with(|| a.cmp(b))
    };
    (0..keys.len()).map(compare).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
