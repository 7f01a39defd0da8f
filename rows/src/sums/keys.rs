//! Keys, which determine the group of a position.

use std::borrow::Cow;
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
    /// Whether it is a column of the input. Other keys have few values.
    pub fn is_column(&self) -> bool {
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

/// The place of a group among others, which is that of its values key by key: numbers by their value before other texts, and what
/// has no value last. White is before Black, and phases are in the order of a game.
///
/// Groups have the same place only if they have the same values.
pub type GroupOrder = Vec<ValueOrder>;

/// The place of a value of a key among others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValueOrder {
    kind: u8,
    /// A number, as an integer in the order of [`f64::total_cmp`].
    number: i64,
    value: Option<Arc<str>>,
}

/// The place of a group with these values of the keys.
pub fn order(keys: &[Key], values: &GroupKey) -> GroupOrder {
    keys.iter().zip(values).map(|(key, value)| ValueOrder::of(key, value)).collect()
}

impl ValueOrder {
    fn of(key: &Key, value: &Option<Arc<str>>) -> ValueOrder {
        let (kind, number) = match value.as_deref() {
            None => (2, 0.0),
            Some(text) if !key.is_column() => {
                let mut names = SIDES.iter().chain(&PHASES);
                (0, names.position(|&name| name == text).unwrap_or(SIDES.len() + PHASES.len()) as f64)
            }
            Some(text) => text.parse::<f64>().map_or((1, 0.0), |number| (0, number)),
        };
        let bits = number.to_bits() as i64;
        ValueOrder { kind, number: bits ^ ((bits >> 63) as u64 >> 1) as i64, value: value.clone() }
    }
}

#[test]
fn groups_are_in_the_order_of_their_values() {
    let key = |name: &str| [name.parse::<Key>().unwrap()];
    for (name, texts) in [
        ("x", &["-inf", "-2", "-1", "-0", "0", "1", "01", "1e1", "11", "inf", "nan", "", "A", "a", "é"][..]),
        ("side", &["white", "black", "other"]),
        ("phase", &["opening", "middlegame", "endgame"]),
    ] {
        let values: Vec<GroupKey> = texts.iter().map(|&text| vec![Some(text.into())]).chain([vec![None]]).collect();
        let places: Vec<GroupOrder> = values.iter().map(|values| order(&key(name), values)).collect();
        // 1 and 01 are one number, so they are in the order of texts.
        let is_before = |pair: &[GroupOrder]| pair[0] < pair[1] || pair[0][0].number == pair[1][0].number;
        assert!(places.windows(2).all(is_before), "{places:?}");
        assert!((0..places.len()).all(|one| (0..one).all(|other| places[one] != places[other])), "{places:?}");
    }
}
