//! What is wanted of games: which of them, and which of their positions.

use std::cmp::Ordering;
use std::collections::HashMap;

use slider_attacks_games::tags::{self, Tags};

/// Which games are read, and which of their positions. By default, all of them, without variations.
#[derive(Clone, Debug, PartialEq)]
pub struct Games {
    /// Positions of variations, too.
    pub variations: bool,
    /// The first ply; 0 is the position at the beginning.
    pub from_ply: u32,
    /// The last ply.
    pub to_ply: u32,
    /// The step between plies, from the first one on; at least 1.
    pub every: u32,
    /// The conditions on the tags of a game. All must hold.
    pub conditions: Vec<Condition>,
    /// The caller chooses games by their positions, so that there must be games.
    pub by_positions: bool,
}

impl Default for Games {
    fn default() -> Games {
        Games {
            variations: false,
            from_ply: 0,
            to_ply: u32::MAX,
            every: 1,
            conditions: Vec::new(),
            by_positions: false,
        }
    }
}

impl Games {
    /// Whether positions of this ply are read.
    #[inline]
    pub fn has_ply(&self, ply: u32) -> bool {
        (self.from_ply..=self.to_ply).contains(&ply)
            && (self.every <= 1 || (ply - self.from_ply).is_multiple_of(self.every))
    }

    /// Whether the game with these tags is read.
    #[inline]
    pub fn has_game(&self, tags: &NamedTags<'_>) -> bool {
        self.conditions.iter().all(|condition| condition.holds(tags))
    }
}

/// The tags of a game, to be found by their names.
#[derive(Debug)]
pub struct NamedTags<'t> {
    /// All of them.
    pub tags: Tags<'t>,
    /// The first value of each name, if many names are looked for.
    values: Option<HashMap<&'t [u8], &'t [u8]>>,
}

impl<'t> NamedTags<'t> {
    /// These tags, and the number of wanted ones.
    pub fn new(tags: Tags<'t>, wanted: usize) -> NamedTags<'t> {
        const FEW: usize = 32;
        let values = || {
            let mut values = HashMap::new();
            tags.iter().for_each(|(name, value)| _ = values.entry(name).or_insert(value));
            values
        };
        // The page keeps no columns, and has to be small.
        let is_many = wanted > FEW && !cfg!(target_arch = "wasm32");
        NamedTags { tags, values: is_many.then(values) }
    }

    /// The value of a tag as it is in the text, if it has one.
    pub fn find(&self, name: &[u8]) -> Option<&'t [u8]> {
        self.values.as_ref().map_or_else(|| self.tags.find(name), |values| values.get(name).copied())
    }
}

/// A condition on a tag, such as `WhiteElo>=2200`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    name: String,
    comparison: Comparison,
    value: String,
    /// The value as a number, if it is one, and what reads others. So programs without conditions do not hold that, and its tables.
    as_number: Option<(f64, ReadNumber)>,
}

/// Reads the number that a text is.
type ReadNumber = fn(&str) -> Option<f64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The comparisons as they are written, longer ones first.
const COMPARISONS: [(&str, Comparison); 7] = [
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("==", Comparison::Equal),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl Condition {
    /// Reads conditions, separated by commas: `WhiteElo>=2200,White="Carlsen, Magnus"`. A value with a comma stands in
    /// quotation marks.
    ///
    /// # Errors
    ///
    /// A name, a comparison or a value is missing.
    pub fn list(text: &str) -> Result<Vec<Condition>, String> {
        let (mut rest, mut conditions) = (text, Vec::new());
        loop {
            let end = rest.find(['!', '=', '<', '>', ',']).unwrap_or(rest.len());
            let name = rest[..end].trim();
            let found = COMPARISONS.iter().find_map(|&(sign, comparison)| {
                let after = rest[end..].strip_prefix(sign)?;
                Some((comparison, after.trim_start()))
            });
            let Some((comparison, after)) = found.filter(|_| !name.is_empty()) else {
                let found = rest.trim();
                return Err(format!("expected a tag, =, !=, <, <=, > or >=, and a value, found {found:?}"));
            };
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').ok_or("expected a quotation mark at the end of the value")?,
                None => {
                    let (value, after) = after.split_at(after.find(',').unwrap_or(after.len()));
                    if value.trim().is_empty() {
                        return Err(format!("expected a value for the tag {name}; an empty one is \"\""));
                    }
                    (value.trim(), after)
                }
            };
            let (name, value) = (name.to_owned(), value.to_owned());
            let as_number = number(&value).map(|value| (value, number as ReadNumber));
            conditions.push(Condition { name, comparison, as_number, value });
            match after.trim_start().strip_prefix(',') {
                Some(after) => rest = after,
                None if after.trim().is_empty() => return Ok(conditions),
                None => return Err(format!("expected a comma after a value, found {:?}", after.trim())),
            }
        }
    }

    /// The name of the tag.
    pub fn tag(&self) -> &str {
        &self.name
    }

    /// Whether the tag fulfils this. A missing one does not, and neither does one without a number where the value is a number.
    fn holds(&self, tags: &NamedTags<'_>) -> bool {
        let Some(found) = tags.find(self.name.as_bytes()) else { return false };
        let found = tags::text(found);
        let ordering = match self.as_number.map(|(value, number)| (value, number(&found))) {
            Some((value, Some(found))) => found.partial_cmp(&value),
            // A year and a date are compared as text.
            Some((_, None)) if !found.starts_with(|first: char| first.is_ascii_digit()) => None,
            _ => Some(found.as_ref().cmp(&self.value)),
        };
        let Some(ordering) = ordering else { return false };
        match self.comparison {
            Comparison::Equal => ordering == Ordering::Equal,
            Comparison::NotEqual => ordering != Ordering::Equal,
            Comparison::Less => ordering == Ordering::Less,
            Comparison::LessOrEqual => ordering != Ordering::Greater,
            Comparison::Greater => ordering == Ordering::Greater,
            Comparison::GreaterOrEqual => ordering != Ordering::Less,
        }
    }
}

/// The number that a text is.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_number = text.strip_prefix(['-', '+']).unwrap_or(text).starts_with(|first: char| first.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, tags: &str) -> bool {
        let conditions = Condition::list(condition).unwrap();
        let games = Games { conditions, ..Games::default() };
        let [few, many] = [0, 100].map(|wanted| games.has_game(&NamedTags::new(Tags::new(tags.as_bytes()), wanted)));
        assert_eq!(few, many);
        few
    }

    #[test]
    fn tags_are_compared_with_values() {
        let tags = "[White \"Carlsen, Magnus\"]\n[WhiteElo \"2839\"]\n[BlackElo \"?\"]\n[UTCDate \"2024.05.01\"]\n\
                    [Round \"10.2\"] [Site \"a \\\"b\\\"\"]\n";
        for (condition, expected) in [
            ("WhiteElo>=2839", true),
            ("WhiteElo>2839", false),
            ("WhiteElo=2839.0", true),
            ("WhiteElo==2839", true),
            ("WhiteElo!=2839", false),
            ("WhiteElo<10000", true),
            ("WhiteElo <= 2838", false),
            ("White=\"Carlsen, Magnus\"", true),
            ("White=Carlsen", false),
            ("White>=Carlsen", true),
            ("white=\"Carlsen, Magnus\"", false),
            ("BlackElo>=0", false),
            ("BlackElo<3000", false),
            ("BlackElo!=3000", false),
            ("BlackElo=?", true),
            ("Missing!=1", false),
            ("Missing=\"\"", false),
            ("Elo>=1", false),
            ("UTCDate>=2024", true),
            ("UTCDate>=2024.05.02", false),
            ("UTCDate<2025.01.01", true),
            ("Round>9", true),
            ("WhiteElo>=2800,Round<11", true),
            ("WhiteElo>=2800, Round<10", false),
        ] {
            assert_eq!(holds(condition, tags), expected, "{condition}");
        }
    }

    #[test]
    fn what_is_no_condition_is_an_error() {
        for text in ["", "WhiteElo", ">=2200", "WhiteElo>=", "WhiteElo>=1,", "A=\"b", "A=\"b\"c", "A!1", "A=1,,B=2"] {
            assert!(Condition::list(text).is_err(), "{text}");
        }
    }

    #[test]
    fn plies_are_counted_from_the_first() {
        let games = Games { from_ply: 3, to_ply: 12, every: 4, ..Games::default() };
        assert_eq!((0..20).filter(|&ply| games.has_ply(ply)).collect::<Vec<_>>(), [3, 7, 11]);
        assert!((0..20).all(|ply| Games::default().has_ply(ply)));
    }
}
