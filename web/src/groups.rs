//! Groups of positions, as `slider-attacks summarize --by` makes them.

use std::collections::HashMap;

use slider_attacks::position::PositionSlice;
use slider_attacks_formats::batch::Records;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::request::find;
use slider_attacks_formats::source::Source;
use slider_attacks_query::{PHASES, phase};

use crate::entries::text;

/// The maximum number of groups; all further ones are one.
const MOST_GROUPS: usize = 64;

/// The groups of positions of a file, in the order in which they come.
pub struct ScanGroups {
    key: ScanKey,
    /// The names of the groups, and their numbers.
    pub names: Vec<String>,
    known: HashMap<String, u32>,
    /// The group of each position that has been added, until the caller empties it.
    pub of_rows: Vec<u32>,
}

/// What tells the group of a position.
enum ScanKey {
    Side,
    Phase,
    /// A column of the file, whose numbers belong together in steps of this many.
    Column(String, Option<u32>),
}

impl ScanGroups {
    /// No groups yet. Keys are `side`, `phase`, and columns such as `result` or, in steps, `WhiteElo:200`.
    pub fn new(key: &str) -> ScanGroups {
        let step = key.rsplit_once(':').and_then(|(name, step)| Some((name, step.parse().ok()?)));
        let key = match (key, step) {
            ("side", _) => ScanKey::Side,
            ("phase", _) => ScanKey::Phase,
            (_, Some((name, step @ 1..))) => ScanKey::Column(name.to_owned(), Some(step)),
            _ => ScanKey::Column(key.to_owned(), None),
        };
        ScanGroups { key, names: Vec::new(), known: HashMap::new(), of_rows: Vec::new() }
    }

    /// The column of the file that it needs.
    pub fn column(&self) -> Option<&str> {
        match &self.key {
            ScanKey::Column(name, _) => Some(name),
            ScanKey::Side | ScanKey::Phase => None,
        }
    }

    /// Adds the positions of some records of a source, which has the column if the file does.
    pub fn add(&mut self, records: &Records, source: &dyn Source) {
        let name = self.column().map(str::to_owned);
        let of_source = source.columns().iter().map(String::as_str);
        let place = name.as_deref().and_then(|name| find(of_source, name));
        let (column, rows) = (place.and_then(|place| records.kept.get(place)), records.positions.len());
        if let (Some(name), None, 1..) = (&name, column, rows) {
            let group = self.group(&format!("no {name}"));
            self.of_rows.resize(self.of_rows.len() + rows, group);
            return;
        }
        let mut last: Option<(String, u32)> = None;
        for row in 0..rows {
            let name = self.key.name((&records.positions).into(), column, row);
            // The positions of a game follow each other.
            let group = match &last {
                Some((before, group)) if *before == name => *group,
                _ => self.group(&name),
            };
            self.of_rows.push(group);
            last = Some((name, group));
        }
    }

    /// The group of this name, which is a new one the first time.
    fn group(&mut self, name: &str) -> u32 {
        if let Some(&group) = self.known.get(name) {
            return group;
        }
        let group = self.names.len().min(MOST_GROUPS - 1);
        if self.names.len() < MOST_GROUPS {
            let is_last = group == MOST_GROUPS - 1;
            self.names.push(if is_last { "others" } else { name }.to_owned());
            self.known.insert(name.to_owned(), group as u32);
        }
        group as u32
    }
}

impl ScanKey {
    /// The name of the group of a position.
    fn name(&self, positions: PositionSlice<'_>, column: Option<&KeptColumn>, row: usize) -> String {
        match self {
            ScanKey::Side => positions.side_to_move()[row].name().to_owned(),
            ScanKey::Phase => PHASES[phase(positions, row)].to_owned(),
            ScanKey::Column(name, step) => {
                let value = column.and_then(|column| text(column, row));
                let value = value.filter(|value| !matches!(value.as_str(), "" | "?" | "*"));
                let value = match step {
                    None => value,
                    Some(step) => value.and_then(|value| step_of(&value, *step)),
                };
                value.unwrap_or_else(|| format!("no {name}"))
            }
        }
    }
}

/// The step to which a number belongs.
fn step_of(value: &str, step: u32) -> Option<String> {
    let number: f64 = value.trim().parse().ok().filter(|number: &f64| number.abs() < 1e15)?;
    let step = f64::from(step);
    Some(format!("{}", ((number / step).floor() * step) as i64))
}
