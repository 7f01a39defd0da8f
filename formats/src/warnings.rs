//! Warnings: what a run reports besides rows and errors, such as a tag that no game has.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::error::quoted;
use crate::games::NamedTags;

/// How many games are searched for the names of their tags while one of the wanted tags has not been found.
const MOST_GAMES: usize = 1 << 12;
/// How many names are remembered.
const MOST_NAMES: usize = 256;
/// Longer names are not compared.
const LONGEST: usize = 64;

/// The warnings of a run. Threads share it. [`Wanted::warnings`](crate::request::Wanted::warnings) is the one of a run, and once
/// the run is over, [`messages`](Warnings::messages) gives the texts.
#[derive(Debug, Default)]
pub struct Warnings {
    /// The tags that are wanted, set by the first input that has games.
    tags: OnceLock<WantedTags>,
    has_games: AtomicBool,
    /// Whether every tag has been found.
    all_found: AtomicBool,
    /// How many games have been searched for the names of their tags, and these names.
    searched: AtomicUsize,
    names: Mutex<Vec<String>>,
    /// The fields that are wanted of JSON lines.
    fields: Mutex<BTreeMap<String, WantedField>>,
    /// Other warnings.
    others: Mutex<Vec<String>>,
}

/// The tags that are wanted.
#[derive(Debug)]
struct WantedTags {
    tags: Vec<WantedTag>,
    /// The names of columns of games that are no tags.
    columns: Vec<&'static str>,
}

/// A tag that is wanted.
#[derive(Debug)]
struct WantedTag {
    name: String,
    /// Whether it is to be a column.
    is_column: bool,
    is_found: AtomicBool,
}

/// A field that is wanted.
#[derive(Debug)]
struct WantedField {
    is_found: bool,
    /// The name that may be meant.
    nearest: Option<String>,
}

impl Warnings {
    /// The games of the run are to have these tags, which are kept as columns or compared with values. `columns` are the columns
    /// of games that are no tags. Later calls change nothing, as all inputs of a run are read for the same tags.
    pub fn want_tags<'n>(
        &self,
        kept: &'n [String],
        compared: impl Iterator<Item = &'n str>,
        columns: impl Iterator<Item = &'static str>,
    ) {
        self.tags.get_or_init(|| {
            let mut tags: Vec<WantedTag> = Vec::new();
            let kept = kept.iter().map(|name| (name.as_str(), true));
            for (name, is_column) in kept.chain(compared.map(|name| (name, false))) {
                if !tags.iter().any(|tag| tag.name == name) {
                    tags.push(WantedTag { name: name.to_owned(), is_column, is_found: AtomicBool::new(false) });
                }
            }
            WantedTags { tags, columns: columns.collect() }
        });
    }

    /// A game has these tags.
    #[inline]
    pub fn add_game(&self, tags: &NamedTags<'_>) {
        if !self.all_found.load(Relaxed) {
            self.search(tags);
        }
    }

    fn search(&self, tags: &NamedTags<'_>) {
        // What other threads read is written only if it changes.
        if !self.has_games.load(Relaxed) {
            self.has_games.store(true, Relaxed);
        }
        let mut all_found = true;
        for tag in self.tags.get().into_iter().flat_map(|wanted| &wanted.tags) {
            if !tag.is_found.load(Relaxed) {
                let is_found = tags.find(tag.name.as_bytes()).is_some();
                if is_found {
                    tag.is_found.store(true, Relaxed);
                }
                all_found &= is_found;
            }
        }
        if all_found {
            self.all_found.store(true, Relaxed);
        } else if self.searched.load(Relaxed) < MOST_GAMES {
            self.searched.fetch_add(1, Relaxed);
            let mut names = lock(&self.names);
            for (name, _) in tags.tags.iter() {
                let name = String::from_utf8_lossy(name);
                if names.len() < MOST_NAMES && !names.iter().any(|known| *known == name) {
                    names.push(name.into_owned());
                }
            }
        }
    }

    /// A field is wanted of rows that have been read, and whether one of them has it. `names` are names that rows have.
    pub fn add_field(&self, name: &str, is_found: bool, names: &[String]) {
        let mut fields = lock(&self.fields);
        if let Some(field) = fields.get_mut(name) {
            field.is_found |= is_found;
            return;
        }
        let nearest = if is_found { None } else { nearest_field(name, names) };
        fields.insert(name.to_owned(), WantedField { is_found, nearest });
    }

    /// Warns of something. The same warning again changes nothing.
    pub fn add(&self, warning: String) {
        let mut others = lock(&self.others);
        if others.len() < MOST_NAMES && !others.contains(&warning) {
            others.push(warning);
        }
    }

    /// The tag or column of the games that have been read, if one is like this name.
    pub fn nearest_tag(&self, wanted: &str) -> Option<String> {
        let names = lock(&self.names);
        let columns = self.tags.get().into_iter().flat_map(|tags| tags.columns.iter().copied());
        nearest(wanted, names.iter().map(String::as_str).chain(columns)).map(str::to_owned)
    }

    /// The warnings, once the run is over; `is_part` is whether only a part of the input was read.
    pub fn messages(&self, is_part: bool) -> Vec<String> {
        let text = |unit: &str, what: &str, name: &str, nearest: Option<&str>| {
            let none = if is_part { format!("none of the {unit}s read has") } else { format!("no {unit} has") };
            format!("{none} a {what} {}{}", quoted(name), did_you_mean(nearest))
        };
        // Threads add them in any order, but of two that are as near, always the same one is meant.
        let mut names = lock(&self.names);
        names.sort_unstable();
        let has_games = self.has_games.load(Relaxed);
        let wanted = self.tags.get().filter(|_| has_games);
        let tags = wanted.into_iter().flat_map(|WantedTags { tags, columns }| {
            tags.iter().filter(|tag| !tag.is_found.load(Relaxed)).map(|tag| {
                let columns = columns.iter().copied().filter(|_| tag.is_column);
                text("game", "tag", &tag.name, nearest(&tag.name, names.iter().map(String::as_str).chain(columns)))
            })
        });
        let fields = lock(&self.fields);
        let fields = fields.iter().filter(|(_, field)| !field.is_found);
        let fields = fields.map(|(name, field)| text("row", "field", name, field.nearest.as_deref()));
        tags.chain(fields).chain(lock(&self.others).iter().cloned()).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The suggestion for a missing name, if another one is similar.
pub fn did_you_mean(nearest: Option<impl Display + AsRef<str>>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {}?", quoted(name.as_ref())))
}

/// The name among these that is most like another one, if one is: the same but for case and a letter in four, or one that has it as
/// a part.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    let wanted = Some(lower(wanted)).filter(|wanted| (1..=LONGEST).contains(&wanted.len()))?;
    let is_part = |one: &[char], other: &[char]| one.len() >= 3 && other.windows(one.len()).any(|part| part == one);
    let rank = |name: &str| {
        let name = Some(lower(name)).filter(|name| (1..=LONGEST).contains(&name.len()))?;
        let distance = distance(&wanted, &name);
        let is_similar = distance <= wanted.len() / 4;
        (is_similar || is_part(&wanted, &name)).then_some((!is_similar, distance))
    };
    let ranked = names.filter_map(|name| Some((rank(name)?, name)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, name)| name)
}

/// The field, or the path into a field, that may be meant by another one. Of what is within fields, nothing is known.
fn nearest_field(wanted: &str, names: &[String]) -> Option<String> {
    let nearest = |wanted| nearest(wanted, names.iter().map(String::as_str));
    match wanted.split_once('.') {
        None => nearest(wanted).map(str::to_owned),
        Some((root, _)) if names.iter().any(|name| name.eq_ignore_ascii_case(root)) => None,
        Some((root, path)) => nearest(root).map(|root| format!("{root}.{path}")),
    }
}

/// How many letters are to be added, removed, replaced, or swapped with the next one, to make one text of another.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (at, letter) in one.iter().enumerate() {
        let mut row = vec![at + 1];
        for (place, found) in other.iter().enumerate() {
            let replaced = rows[at][place] + usize::from(letter != found);
            let mut least = replaced.min(rows[at][place + 1] + 1).min(row[place] + 1);
            if at > 0 && place > 0 && one[at - 1] == *found && other[place - 1] == *letter {
                least = least.min(rows[at - 1][place - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use slider_attacks_games::tags::Tags;

    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let tags = ["Event", "Site", "Date", "White", "Black", "Result", "WhiteElo", "BlackElo", "ECO", "TimeControl"];
        for (wanted, expected) in [
            ("WhiteELO", Some("WhiteElo")),
            ("eco", Some("ECO")),
            ("Elo", Some("WhiteElo")),
            ("WhiteEl", Some("WhiteElo")),
            ("White_Elo", Some("WhiteElo")),
            ("whiteelo", Some("WhiteElo")),
            ("Wihte", Some("White")),
            ("Timecontrl", Some("TimeControl")),
            ("WhiteEl0", Some("WhiteElo")),
            ("Opening", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, tags.into_iter()), expected, "{wanted}");
        }
        let long = "x".repeat(1 << 20);
        assert_eq!((nearest(&long, tags.into_iter()), nearest("White", [long.as_str()].into_iter())), (None, None));
    }

    #[test]
    fn letters_are_added_removed_replaced_and_swapped() {
        let distance =
            |one: &str, other: &str| distance(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>());
        for (one, other, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("ab", "ba", 1),
            ("wihte", "white", 1),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn a_tag_is_missing_only_if_no_game_has_it() {
        let tags = |text: &'static str| NamedTags::new(Tags::new(text.as_bytes()), 0);
        let kept = ["ECO".to_owned(), "Ply".to_owned()];
        let want =
            |warnings: &Warnings| warnings.want_tags(&kept, ["ECO", "Depth"].into_iter(), ["ply", "depth"].into_iter());
        let warnings = Warnings::default();
        want(&warnings);
        assert!(warnings.messages(false).is_empty(), "there are no games");
        warnings.add_game(&tags("[Event \"a\"]\n[eco \"b\"]\n"));
        let expected = [
            "no game has a tag \"ECO\"; did you mean \"eco\"?".to_owned(),
            "no game has a tag \"Ply\"; did you mean \"ply\"?".to_owned(),
            "no game has a tag \"Depth\"".to_owned(),
        ];
        assert_eq!(warnings.messages(false), expected);
        warnings.add_game(&tags("[ECO \"\"]\n[Depth \"1\"]\n"));
        want(&warnings);
        assert_eq!(warnings.messages(true), ["none of the games read has a tag \"Ply\"; did you mean \"ply\"?"]);
        warnings.add_game(&tags("[Ply \"1\"]\n"));
        assert!(warnings.messages(false).is_empty());
        assert!(warnings.all_found.load(Relaxed));
    }

    #[test]
    fn few_names_are_remembered() {
        let warnings = Warnings::default();
        warnings.want_tags(&[], ["None"].into_iter(), [].into_iter());
        let text: String = (0..10_000).map(|number| format!("[Name{number} \"\"]\n")).collect();
        warnings.add_game(&NamedTags::new(Tags::new(text.as_bytes()), 0));
        assert_eq!(lock(&warnings.names).len(), MOST_NAMES);
    }

    #[test]
    fn the_same_warning_is_told_once() {
        let warnings = Warnings::default();
        (0..10_000).for_each(|number| warnings.add(format!("a{}", number / 2)));
        let messages = warnings.messages(false);
        assert_eq!((messages.len(), messages[0].as_str(), messages[1].as_str()), (MOST_NAMES, "a0", "a1"));
    }

    #[test]
    fn a_field_is_missing_only_if_no_input_has_it() {
        let warnings = Warnings::default();
        let names = ["evals".to_owned()];
        warnings.add_field("a", false, &names);
        warnings.add_field("Eval", false, &names);
        warnings.add_field("EVALS.0.cp", false, &names);
        warnings.add_field("val.0.cp", false, &names);
        warnings.add_field("a", true, &names);
        let expected = [
            "no row has a field \"EVALS.0.cp\"",
            "no row has a field \"Eval\"; did you mean \"evals\"?",
            "no row has a field \"val.0.cp\"; did you mean \"evals.0.cp\"?",
        ];
        assert_eq!(warnings.messages(false), expected);
    }
}
