//! What a caller requests from inputs.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use slider_attacks_games::records::{RecordLabels, TrainingFormat};

use crate::content::ChainPlace;
use crate::error::{OpenError, Purpose, printable, quoted};
use crate::games::Games;
use crate::warnings::Warnings;

/// The requested columns, games and positions.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The lines of text are pairs, not positions.
    pub pairs: bool,
    /// The inputs are records of engines in this format.
    pub from: Option<TrainingFormat>,
    /// The names of the formats that are taken, if others are not.
    pub formats: Option<&'static [&'static str]>,
    /// The column with the positions.
    pub column: String,
    /// The columns to keep; a single `all` means all.
    pub keep: Vec<String>,
    /// Additional columns to keep, of inputs that have them.
    pub optional_columns: OptionalColumns,
    /// The columns that a condition on rows needs. Those that are not kept as well are the last ones, and
    /// [hidden](crate::source::Source::hidden_columns).
    pub condition_columns: Vec<ConditionColumn>,
    /// What records of engines must say to become positions, if the source can tell that before. The others are counted.
    pub record_condition: Option<RecordPredicate>,
    /// Which of these records become positions, if not all and the source can draw them before. A binpack can.
    pub record_draws: Option<RecordDraws>,
    /// The output can take fields whose names are not known in advance.
    pub any_fields: bool,
    /// The other columns of the output.
    pub reserved_names: Vec<String>,
    /// The tags of the first games of PGN are columns like those of a table: `all` includes them, and case is ignored in their
    /// names unless one matches exactly. Otherwise, any name is that of a tag, and `all` includes those that every game has.
    pub all_tags: bool,
    /// With [`all_tags`](Wanted::all_tags): a tag to keep that the first games lack is an error.
    pub known_tags: bool,
    /// Which games, and which of their positions.
    pub games: Games,
    /// The positions after the first move of the column `Moves`, not those before it.
    pub after_first_move: bool,
    /// About how many bytes a block of text has, if not as many as by default.
    pub block_bytes: Option<usize>,
    /// Of lines of FEN or EPD, the column `fen` is the FEN alone: no operations and comments.
    pub fen_alone: bool,
    /// The lines of JSON were the elements of an array, and messages call them so.
    pub has_elements: bool,
    /// The most rows of a block of Parquet, if they are not as many as positions in a block of text.
    pub block_rows: Option<usize>,
    /// The most columns of a table, and fields of an object of JSON lines, if there is a limit.
    pub most_columns: Option<usize>,
    /// The units of a part of a file are counted from the beginning of the part, not from that of the file, which need not be read
    /// then.
    pub counts_from_part: bool,
    /// Where a binpack is entered, if not at its beginning. Its first bytes tell the format.
    pub chain: Option<ChainPlace>,
    /// The columns of moves that rows of tables have: those played from positions, which are at the next row if they have only
    /// those that led to positions, the other ones. Nothing if no moves are wanted.
    pub move_columns: [Vec<String>; 2],
    /// The warnings about missing names, which the caller requests after reading.
    pub warnings: Arc<Warnings>,
}

/// Columns to keep of inputs that have them, by what the inputs hold.
#[derive(Clone, Debug, Default)]
pub struct OptionalColumns {
    /// Columns of [`game_rows`](crate::games::game_rows), for games.
    pub games: Vec<String>,
    /// Columns of [`training`](crate::training), for training records.
    pub records: Vec<String>,
    /// Columns of rows, and of lines of FEN, which are one column, `fen`.
    pub rows: Vec<String>,
}

/// Whether a record becomes a position.
pub trait RecordCondition: fmt::Debug + Send + Sync {
    /// Whether it does.
    fn holds(&self, record: &RecordLabels<'_>) -> bool;
}

/// A condition that threads share.
pub type RecordPredicate = Arc<dyn RecordCondition>;

/// Whether a record is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordDraw {
    /// It becomes a position.
    Taken,
    /// It had a chance, and does not.
    Missed,
    /// It had no chance.
    Excluded,
}

/// Draws records by chance.
pub trait RecordSampling: fmt::Debug + Send + Sync {
    /// Whether a record is drawn. That depends on the record and its [place](RecordLabels::place). Unless the answer is to be exact,
    /// a record without a chance may be [missed](RecordDraw::Missed).
    fn draw(&self, record: &RecordLabels<'_>, is_exact: bool) -> RecordDraw;
}

/// Draws that threads share.
pub type RecordDraws = Arc<dyn RecordSampling>;

/// Which records become positions.
#[derive(Clone, Debug, Default)]
pub struct RecordRules {
    /// Those for which this holds.
    pub condition: Option<RecordPredicate>,
    /// Those of them that are drawn.
    pub draws: Option<RecordDraws>,
}

impl RecordRules {
    /// Whether there are any.
    pub fn is_some(&self) -> bool {
        self.condition.is_some() || self.draws.is_some()
    }
}

/// Applies rules to records one after the other, and counts those that are not drawn.
#[derive(Debug)]
pub struct RecordDecider<'r> {
    rules: &'r RecordRules,
    records: Cell<usize>,
    /// How many records were not drawn, and how many of these had a chance.
    undrawn: Cell<[usize; 2]>,
    /// The same before the last record.
    before: Cell<[usize; 2]>,
    /// A record had a chance. What follows need not be exact: whether there was a chance is the same.
    had_chance: Cell<bool>,
}

impl<'r> RecordDecider<'r> {
    /// No records yet.
    pub fn new(rules: &'r RecordRules) -> RecordDecider<'r> {
        let (undrawn, before) = (Cell::default(), Cell::default());
        RecordDecider { rules, records: Cell::new(0), undrawn, before, had_chance: Cell::new(false) }
    }

    /// Whether the next record becomes a position.
    #[inline]
    pub fn keeps(&self, record: &RecordLabels<'_>) -> bool {
        self.records.set(self.records.get() + 1);
        let undrawn = self.undrawn.get();
        self.before.set(undrawn);
        if self.rules.condition.as_ref().is_some_and(|condition| !condition.holds(record)) {
            return false;
        }
        let is_exact = !self.had_chance.get();
        let draw = self.rules.draws.as_ref().map_or(RecordDraw::Taken, |draws| draws.draw(record, is_exact));
        self.had_chance.set(!is_exact || draw != RecordDraw::Excluded);
        let is_missed = usize::from(draw == RecordDraw::Missed);
        let is_undrawn = usize::from(draw != RecordDraw::Taken);
        self.undrawn.set([undrawn[0] + is_undrawn, undrawn[1] + is_missed]);
        is_undrawn == 0
    }

    /// How many records there were, without those that were not drawn.
    pub fn decided(&self) -> usize {
        self.records.get() - self.undrawn.get()[0]
    }

    /// How many of the first records were not drawn, and how many of these had a chance. The last one does not count if there were
    /// fewer.
    pub fn undrawn(&self, records: usize) -> [usize; 2] {
        if records < self.records.get() { self.before.get() } else { self.undrawn.get() }
    }
}

/// A column that a condition on rows needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionColumn {
    /// Its name.
    pub name: String,
    /// Whether only [`Wanted::record_condition`] needs it, where the source decides that.
    pub is_of_records: bool,
    /// What may be meant instead: a name that is no column of an input.
    pub nearest: Option<&'static str>,
}

impl Wanted {
    /// Whether all columns are to be kept.
    pub fn keep_all(&self) -> bool {
        self.keep == ["all"]
    }

    /// Whether the column with the positions has games by its name: it is called `movetext` or `pgn`.
    pub fn has_games(&self) -> bool {
        ["movetext", "pgn"].iter().any(|name| name.eq_ignore_ascii_case(&self.column))
    }

    /// The place of the column with the positions among the `names` of an input.
    ///
    /// # Errors
    ///
    /// Two columns have its name.
    pub fn find(&self, names: &[&str], input: &str) -> Result<Option<usize>, OpenError> {
        self.place(names, &self.column, input)
    }

    /// The place of a column, as [`find`] finds it, with a warning if another one differs from a wanted name in case alone, too.
    ///
    /// # Errors
    ///
    /// Two columns have the name of the one that is found.
    pub fn place(&self, names: &[&str], wanted: &str, input: &str) -> Result<Option<usize>, OpenError> {
        ColumnPlaces::of(names, std::iter::once(wanted)).find(self, wanted, input)
    }

    /// The columns to keep, by place and name, of an input of this name that has columns of these `names`; among them those of
    /// `optional_columns` that it has.
    ///
    /// # Errors
    ///
    /// A column to keep is missing, or two columns of the input or of the output have the same name.
    pub fn kept(
        &self,
        names: &[&str],
        optional_columns: &[String],
        input: &str,
    ) -> Result<(Vec<usize>, Vec<String>), OpenError> {
        let places = ColumnPlaces::of(names, self.keep.iter().chain(optional_columns).map(String::as_str));
        let place =
            |name: &String| places.find(self, name, input)?.ok_or_else(|| no_column(input, name, Purpose::Keep, names));
        let mut kept: Vec<usize> = if self.keep_all() {
            (0..names.len()).collect()
        } else {
            self.keep.iter().map(place).collect::<Result<_, _>>()?
        };
        for name in optional_columns {
            let place = places.find(self, name, input)?;
            kept.extend(place.filter(|place| !kept.contains(place)));
        }
        let kept_names: Vec<String> = kept.iter().map(|&place| names[place].to_owned()).collect();
        self.check_names(&kept_names, input)?;
        Ok((kept, kept_names))
    }

    /// The same for games, whose own columns can be kept as well: the places of columns of the input, and the names of
    /// all. The input has the games in the column at `place`, which `all` leaves out.
    ///
    /// # Errors
    ///
    /// Those of [`kept`](Wanted::kept).
    pub fn kept_of_games(
        &self,
        own: &[&str],
        names: &[&str],
        place: usize,
        input: &str,
    ) -> Result<(Vec<usize>, Vec<String>), OpenError> {
        let is_own = |name: &&str| own.contains(name);
        let (mut places, mut kept) = (Vec::new(), Vec::new());
        let all_places = ColumnPlaces::of(names, self.keep.iter().map(String::as_str));
        if self.keep_all() {
            kept.extend(own.iter().map(|&name| name.to_owned()));
            places.extend((0..names.len()).filter(|&column| column != place && !is_own(&names[column])));
            kept.extend(places.iter().map(|&place| names[place].to_owned()));
        } else {
            for name in &self.keep {
                let column = if is_own(&name.as_str()) { None } else { all_places.find(self, name, input)? };
                if column.is_none() && !is_own(&name.as_str()) {
                    let others = (0..names.len()).filter(|&other| other != place && !is_own(&names[other]));
                    let others = others.map(|other| names[other]);
                    let all: Vec<&str> = own.iter().copied().chain(others).collect();
                    return Err(no_column(input, name, Purpose::Keep, &all));
                }
                places.extend(column);
                kept.push(column.map_or(name.as_str(), |place| names[place]).to_owned());
            }
            add(&self.optional_columns.games, &mut kept);
        }
        self.check_names(&kept, input)?;
        Ok((places, kept))
    }

    /// Adds the columns that a condition needs to those that are kept, by place and name, and returns how many these are. The
    /// input has columns of these `names`, and `own` ones that have no place.
    ///
    /// # Errors
    ///
    /// A column is missing, or two columns of the input have its name.
    pub fn add_condition_columns(
        &self,
        own: &[&str],
        names: &[&str],
        (places, kept): (&mut Vec<usize>, &mut Vec<String>),
        input: &str,
    ) -> Result<usize, OpenError> {
        let before = kept.len();
        let all = ColumnPlaces::of(names, self.condition_columns.iter().map(|column| column.name.as_str()));
        for ConditionColumn { name, nearest, .. } in &self.condition_columns {
            let is_own = own.contains(&name.as_str());
            let place = if is_own { None } else { all.find(self, name, input)? };
            if place.is_none() && !is_own {
                let columns: Vec<&str> = own.iter().chain(names).copied().collect();
                return Err(no_column(input, name, Purpose::Condition { nearest: *nearest }, &columns));
            }
            let name = place.map_or(name.as_str(), |place| names[place]);
            if !kept.iter().any(|kept| kept == name) {
                places.extend(place);
                kept.push(name.to_owned());
            }
        }
        Ok(kept.len() - before)
    }

    /// The same where any name may be that of a column.
    pub fn add_condition_names(&self, kept: &mut Vec<String>) -> usize {
        let before = kept.len();
        let names: Vec<String> = self.condition_columns.iter().map(|column| column.name.clone()).collect();
        add(&names, kept);
        kept.len() - before
    }

    /// The place of the column with moves, which has this name.
    ///
    /// # Errors
    ///
    /// It does not exist, or two have exactly this name.
    pub fn moves(&self, name: &str, names: &[&str], input: &str) -> Result<usize, OpenError> {
        self.place(names, name, input)?.ok_or_else(|| no_column(input, name, Purpose::FirstMoves, names))
    }

    /// Checks the names of columns to keep.
    ///
    /// # Errors
    ///
    /// Two columns of the output would have the same name.
    pub fn check_names(&self, names: &[String], input: &str) -> Result<(), OpenError> {
        let mut seen: HashSet<&String> = self.reserved_names.iter().collect();
        match names.iter().find(|name| !seen.insert(name)) {
            None => Ok(()),
            Some(name) => Err(OpenError::NameTaken { input: input.to_owned(), column: name.clone() }),
        }
    }

    /// The error for an input without the column with the positions.
    pub fn missing(&self, names: &[&str], input: &str) -> OpenError {
        no_column(input, &self.column, Purpose::Positions, names)
    }
}

/// The places of some names among those of an input. One pass finds all of them.
struct ColumnPlaces<'n> {
    names: &'n [&'n str],
    /// Indexed by the name, and by the name in lower case.
    exact: HashMap<&'n str, Option<FoundColumn>>,
    similar: HashMap<String, Option<FoundColumn>>,
}

/// Where a name was found.
#[derive(Clone, Copy)]
struct FoundColumn {
    first: usize,
    /// The next one, and the next one that is exactly as the first one.
    other: Option<usize>,
    twin: Option<usize>,
}

impl<'n> ColumnPlaces<'n> {
    fn of(names: &'n [&'n str], wanted: impl Iterator<Item = &'n str> + Clone) -> ColumnPlaces<'n> {
        let mut exact: HashMap<&str, Option<FoundColumn>> = wanted.clone().map(|name| (name, None)).collect();
        let mut similar: HashMap<String, Option<FoundColumn>> =
            wanted.map(|name| (name.to_ascii_lowercase(), None)).collect();
        let add = |found: &mut Option<FoundColumn>, place: usize| match found {
            Some(found) => {
                found.other.get_or_insert(place);
                if names[place] == names[found.first] {
                    found.twin.get_or_insert(place);
                }
            }
            None => *found = Some(FoundColumn { first: place, other: None, twin: None }),
        };
        let mut lower = String::new();
        for (place, &name) in names.iter().enumerate() {
            if let Some(found) = exact.get_mut(name) {
                add(found, place);
            }
            lower.clear();
            lower.push_str(name);
            lower.make_ascii_lowercase();
            if let Some(found) = similar.get_mut(&lower) {
                add(found, place);
            }
        }
        ColumnPlaces { names, exact, similar }
    }

    /// See [`Wanted::place`].
    fn find(&self, of: &Wanted, wanted: &str, input: &str) -> Result<Option<usize>, OpenError> {
        let similar = || self.similar.get(&wanted.to_ascii_lowercase()).copied().flatten();
        let found = self.exact.get(wanted).copied().flatten().or_else(similar);
        let Some(FoundColumn { first, other, twin }) = found else { return Ok(None) };
        let name = self.names[first];
        if let Some(twin) = twin {
            let (input, column) = (input.to_owned(), name.to_owned());
            return Err(OpenError::SameName { input, column, places: [first, twin] });
        }
        if let Some(other) = other.filter(|_| name != wanted) {
            of.warnings.add(ambiguous(input, "columns", wanted, name, self.names[other]));
        }
        Ok(Some(first))
    }
}

/// Adds names to others, unless they are there already.
pub fn add(more: &[String], names: &mut Vec<String>) {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}

/// The place of a name among others: an exact match, or else the first one that differs in case alone.
pub fn find<'n>(names: impl Iterator<Item = &'n str> + Clone, wanted: &str) -> Option<usize> {
    let exact = names.clone().position(|name| name == wanted);
    exact.or_else(|| names.clone().position(|name| name.eq_ignore_ascii_case(wanted)))
}

/// The place of the column of exactly this name.
///
/// # Errors
///
/// There are two.
pub fn exact(names: &[&str], wanted: &str, input: &str) -> Result<Option<usize>, OpenError> {
    let mut places = (0..names.len()).filter(|&place| names[place] == wanted);
    let place = places.next();
    if let (Some(first), Some(second)) = (place, places.next()) {
        let (input, column) = (input.to_owned(), wanted.to_owned());
        return Err(OpenError::SameName { input, column, places: [first, second] });
    }
    Ok(place)
}

/// The warning that several names differ from the wanted one only in case.
pub fn ambiguous(input: &str, what: &str, wanted: &str, first: &str, second: &str) -> String {
    let [wanted, first, second] = [wanted, first, second].map(quoted);
    format!("{}: {what} {first} and {second} both match {wanted}; {first} is read", printable(input))
}

/// The error for an input without a column that is needed. It lists those that there are.
pub fn no_column(input: &str, column: &str, purpose: Purpose, names: &[&str]) -> OpenError {
    let columns = names.iter().map(|&name| name.to_owned()).collect();
    OpenError::NoColumn { input: input.to_owned(), column: column.to_owned(), purpose, columns }
}
