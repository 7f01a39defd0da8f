//! JSON lines: one object per line.
//!
//! A kept column can be a path, such as `evals.0.pvs.0.cp`: names of fields and indices of elements, from 0. A field whose name
//! is the whole path wins. One pass over a record finds the values of all paths. They may overlap, so their total size is
//! limited to 16 MiB per record.

mod paths;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use memchr::memchr;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::batch::Parser;
use crate::beginning::Beginning;
use crate::columns::KeptColumn;
use crate::content::MAX_RECORD;
use crate::cut::structural::{Mark, Marks};
use crate::cut::{line_end, lines};
use crate::error::{OpenError, Problem, RecordError, quoted};
use crate::games::fields::{CellContent, FieldRows, MOVES, NO_VALUES, START, are_games, is_game};
use crate::request::{self, Wanted, add, ambiguous};
use crate::source::{OpenedSource, Source};
use crate::warnings::Warnings;
use paths::{FieldPath, FieldPaths, FoundValues, IN_ONE_PASS, NameNumbers, value_by_steps};

/// One object per line. The field of this name holds the position; case is ignored.
#[derive(Debug)]
struct JsonLines {
    /// The name of the field with the positions, and what it holds.
    column: String,
    cells: CellContent,
    /// What a line is in messages.
    unit: &'static str,
    /// Set if all fields are kept: the names that they must not have.
    all_but: Option<Vec<String>>,
    /// The names or paths of the fields to keep, unless all are kept.
    fields: Vec<String>,
    /// Where they lead, if they are paths.
    paths: FieldPaths,
    ends: Vec<Option<FieldPath>>,
    /// The names of all fields that are needed, in lower case.
    needed: NameNumbers,
    /// The most fields of an object.
    most_fields: usize,
    /// The names of the columns to keep: those of these fields, and those of games; and how many of the last only a condition needs.
    columns: Vec<String>,
    hidden: usize,
    /// The name of the input, and where to warn.
    input: String,
    warnings: Arc<Warnings>,
    /// The names of the fields of the first object.
    names: OnceLock<Vec<String>>,
}

/// Takes text whose first line begins with an object.
///
/// # Errors
///
/// More bytes are needed, or the output cannot have the columns to keep.
pub fn open(beginning: &Beginning, wanted: &Wanted) -> Result<Option<OpenedSource>, OpenError> {
    let name = beginning.name();
    if !beginning.first_line()?.starts_with(b"{") {
        return Ok(None);
    }
    if wanted.keep_all() && !wanted.any_fields {
        return Err(OpenError::NoFixedColumns { input: name.to_owned() });
    }
    let look = |text: &[u8], is_all| holds_games(text, is_all, &wanted.column);
    let are_games = are_games(wanted, || beginning.peek(beginning.mark(), look))?;
    let mut columns = match (wanted.keep_all(), are_games) {
        (true, true) => CellContent::own().map(str::to_owned).collect(),
        (true, false) => Vec::new(),
        (false, _) => wanted.keep.clone(),
    };
    add(if are_games { &wanted.optional_columns.games } else { &wanted.optional_columns.rows }, &mut columns);
    wanted.check_names(&columns, name)?;
    let hidden = wanted.add_condition_names(&mut columns);
    let all_but = wanted.keep_all().then(|| wanted.reserved_names.clone());
    // All fields are one column more, which needs no name.
    let kept: Vec<String> = columns.iter().cloned().chain(all_but.as_ref().map(|_| String::new())).collect();
    let cells = CellContent::new(wanted, &kept, are_games, name)?;
    let mut source = JsonLines::new(wanted.column.clone(), cells, all_but, columns);
    (source.input, source.warnings) = (name.to_owned(), wanted.warnings.clone());
    source.hidden = hidden;
    source.unit = if wanted.has_elements { "element" } else { "line" };
    source.most_fields = wanted.most_columns.unwrap_or(usize::MAX);
    Ok(Some(OpenedSource::lines(source, beginning)))
}

impl JsonLines {
    fn new(column: String, cells: CellContent, all_but: Option<Vec<String>>, columns: Vec<String>) -> JsonLines {
        let (start_or_moves, fields) = match &cells {
            CellContent::Positions => (None, columns.clone()),
            CellContent::FirstMoves => (Some(MOVES), columns.clone()),
            CellContent::Games(games) => (Some(START), games.others(&columns).cloned().collect()),
        };
        let roots = fields.iter().filter_map(|field| field.split_once('.')).map(|(root, _)| root);
        let names =
            [column.as_str()].into_iter().chain(start_or_moves).chain(roots).chain(fields.iter().map(String::as_str));
        let mut needed = NameNumbers::default();
        names.for_each(|name| _ = needed.add(name.to_ascii_lowercase()));
        let (paths, ends) = FieldPaths::new(&fields);
        let (most_fields, hidden, names) = (usize::MAX, 0, OnceLock::new());
        let (input, warnings) = (String::new(), Arc::default());
        JsonLines {
            column,
            cells,
            unit: "line",
            all_but,
            fields,
            paths,
            ends,
            needed,
            most_fields,
            columns,
            hidden,
            input,
            warnings,
            names,
        }
    }

    /// Warns that two names of fields differ from the wanted one only in case.
    #[cold]
    fn warn(&self, wanted: &str, first: &str, second: &str) {
        self.warnings.add(ambiguous(&self.input, "fields", wanted, first, second));
    }

    /// Whether the field of this name is needed.
    fn is_needed(&self, name: &str) -> bool {
        self.all_but.is_some() || self.needed.number_in_any_case(name).is_some()
    }

    /// The value that is needed in addition to that with the position.
    fn start_or_moves<'t>(&self, object: &JsonFields<'t>) -> Result<Option<(&'static str, &'t str)>, RecordError> {
        let name = match self.cells {
            CellContent::Positions => return Ok(None),
            CellContent::FirstMoves => MOVES,
            // A name that differs in case may be that of the position at the end.
            CellContent::Games(_) if !object.iter().any(|(name, _)| name == START) => return Ok(None),
            CellContent::Games(_) => START,
        };
        let found = find(object, name, |one, other| self.warn(name, one, other))?;
        Ok(found.filter(|value| *value != "null").map(|value| (name, value)))
    }

    /// Whether a field of an object is among all those to keep. The columns of games are in their place, and the game itself is
    /// left out.
    fn is_kept(&self, name: &str, value: &str, game: Option<&str>) -> bool {
        let is_game = || game.is_some_and(|game| std::ptr::eq(game, value));
        !self.cells.are_games() || !(is_game() || CellContent::own().any(|own| own == name))
    }
}

impl Source for JsonLines {
    fn unit(&self) -> &'static str {
        self.unit
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn hidden_columns(&self) -> usize {
        self.hidden
    }

    fn some_names(&self) -> Vec<String> {
        self.names.get().cloned().unwrap_or_default()
    }

    fn has_games(&self) -> bool {
        self.cells.are_games()
    }

    fn plays_first_moves(&self) -> bool {
        self.cells.are_before_moves()
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let (column, names, all_but) = (self.column.as_str(), &self.fields, self.all_but.as_deref());
        let (first, text) = (parser.first, parser.bytes());
        let mut rows = FieldRows::new(parser, column, &self.cells, names.len() + usize::from(all_but.is_some()));
        let mut usual = str::from_utf8(text).ok().map(UsualObjects::new);
        let (mut object, mut values) = (Vec::new(), Vec::new());
        let (mut found, fields) = (FoundValues::new(&self.paths), Cell::new(0));
        let is_needed = |name: &str| {
            fields.set(fields.get() + 1);
            self.is_needed(name)
        };
        if !self.fields.is_empty() && !text.is_empty() {
            self.names.get_or_init(|| first_names(text));
        }
        let (mut start, mut next, mut kept) = (0, first, 0);
        while start < text.len() && !rows.is_done() && kept < MANY_KEPT {
            let number = next;
            next += 1;
            let mut read: Result<(), RecordError> = Ok(());
            object.clear();
            fields.set(0);
            let end = usual.as_mut().and_then(|usual| usual.line(start, is_needed, &mut object));
            let is_usual = end.is_some();
            let has_escapes = usual.as_ref().is_none_or(|usual| !is_usual || usual.has_escapes);
            if let Some(end) = end {
                start = end;
            } else {
                let rest = &text[start..];
                let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
                start += length;
                let Some(line) = lines(&rest[..length]).next().filter(|line| !line.trim_ascii().is_empty()) else {
                    continue;
                };
                if line.len() > MAX_RECORD {
                    rows.too_long(number);
                    continue;
                }
                object.clear();
                fields.set(0);
                let mut reader = serde_json::Deserializer::from_slice(line);
                let all = reader.deserialize_map(Object(&is_needed, &mut object)).and_then(|()| reader.end());
                // The message always says line 1, because each line is read on its own.
                read = all.map_err(|error| {
                    Problem::Json(error.to_string().replace(" at line 1 column ", " at byte ").into()).into()
                });
            }
            // The same in CSV ends the run too.
            let is_taken =
                |(name, _): &&(Cow<'_, str>, &str)| all_but.is_some_and(|taken| taken.iter().any(|it| it == name));
            if let (Ok(()), Some((name, _))) = (&read, object.iter().find(is_taken)) {
                let name = quoted(name);
                let what = format_args!("JSON: cannot keep field {name}: the output already has a field of that name");
                rows.fail(number, what);
                break;
            }
            let read = read.and_then(|()| {
                if fields.get() > self.most_fields {
                    return Err(Problem::Fields { most: self.most_fields, found: fields.get() }.into());
                }
                if all_but.is_some() {
                    check_names(&object)?;
                }
                values.clear();
                if IN_ONE_PASS {
                    found.look(&object);
                }
                for (name, path) in names.iter().zip(&self.ends) {
                    let warn = |wanted: &str, one: &str, other: &str| self.warn(wanted, one, other);
                    let value = match path {
                        Some(path) if IN_ONE_PASS => found.value(path, warn)?,
                        _ => value_by_steps(&object, name, warn)?,
                    };
                    // In the usual form, all strings are text.
                    if let Some(text) = value.filter(|value| !is_usual && value.starts_with('"')) {
                        text_of(name, text, true)?;
                    }
                    values.push(value);
                }
                let bytes = values.iter().flatten().map(|value| value.len()).sum::<usize>();
                if bytes > MAX_KEPT {
                    return Err(Problem::Length { most: MAX_KEPT, units: "bytes of values to keep" }.into());
                }
                kept += bytes;
                let game = find(&object, column, |one, other| self.warn(column, one, other))?;
                Ok((game, self.start_or_moves(&object)?))
            });
            let (game, start_or_moves) = match read {
                Ok(found) => found,
                Err(wrong) => {
                    rows.malformed(number, wrong.in_json(), NO_VALUES);
                    continue;
                }
            };
            let is_kept = |name: &str, value: &str| self.is_kept(name, value, game);
            let all = all_but.map(|_| Some(Cow::Owned(all_fields(&object, is_kept))));
            let values = values.iter().map(|value: &Option<&'_ str>| value.map(Cow::Borrowed)).chain(all);
            let none = || RecordError::from(Problem::NoField { name: column.to_owned() }).at_field(column);
            let text_of = |name: &str, value| match &self.cells {
                CellContent::Games(_) if name == column => game_of(name, value, has_escapes),
                _ => text_of(name, value, has_escapes),
            };
            let position = game.ok_or_else(none).and_then(|value| text_of(column, value));
            let start_or_moves = start_or_moves.map(|(name, value)| text_of(name, value));
            match position.and_then(|position| Ok((position, start_or_moves.transpose()?))) {
                Ok((Cow::Borrowed(position), None)) if matches!(self.cells, CellContent::Positions) => {
                    rows.push(place(text, position.as_bytes()), number, values);
                }
                Ok((position, start_or_moves)) => {
                    rows.push_text(position.as_bytes(), start_or_moves.as_deref(), number, values)
                }
                Err(wrong) => rows.malformed(number, wrong.in_json(), values),
            }
        }
        if start < text.len() {
            rows.stop(start, next - first);
        }
        // All fields come after those that a condition needs.
        let named = Cell::new(if all_but.is_some() { names.len() } else { usize::MAX });
        rows.finish(|texts| match named.get() {
            0 => KeptColumn::Fields(texts),
            left => {
                named.set(left - 1);
                KeptColumn::Json(texts)
            }
        });
    }
}

/// The most bytes of the values to keep of an object: several paths may lead to the same ones.
const MAX_KEPT: usize = 16 << 20;
/// After this many, no other line is begun.
const MANY_KEPT: usize = 4 << 20;

/// The most names that are remembered of an object.
const MOST_NAMES: usize = 256;

/// The names of the fields of the first object of a text.
fn first_names(text: &[u8]) -> Vec<String> {
    let Some(line) = lines(text).find(|line| !line.trim_ascii().is_empty()) else { return Vec::new() };
    let (mut object, room) = (Vec::new(), Cell::new(MOST_NAMES));
    let is_needed = |_: &str| room.replace(room.get().saturating_sub(1)) > 0;
    // What is wrong with the line becomes an error where it is read.
    _ = serde_json::Deserializer::from_slice(line).deserialize_map(Object(&is_needed, &mut object));
    object.into_iter().map(|(name, _)| name.into_owned()).collect()
}

/// The needed names and values of an object, in their order.
type JsonFields<'t> = Vec<(Cow<'t, str>, &'t str)>;

/// The place of a part of a text.
fn place(text: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// Reads objects in their usual form: with no escapes in names, no characters by number, no white space except spaces, and
/// only a few levels. It leaves all others to a complete JSON reader, which reports errors.
#[derive(Clone, Copy)]
struct UsualObjects<'t> {
    text: &'t str,
    marks: Marks<'t, IsJsonMark>,
    at: usize,
    /// Whether there was an escape on the line.
    has_escapes: bool,
}

/// The bytes that end a string, or are invalid in it.
#[derive(Clone, Copy)]
struct IsJsonMark;

impl Mark for IsJsonMark {
    #[inline(always)]
    fn is_mark(&self, byte: u8) -> bool {
        (byte == b'"') | (byte == b'\\') | (byte < b' ')
    }
}

impl<'t> UsualObjects<'t> {
    /// How many levels there may be below the object.
    const LEVELS: usize = 8;

    fn new(text: &'t str) -> UsualObjects<'t> {
        UsualObjects { text, marks: Marks::new(text.as_bytes(), IsJsonMark), at: 0, has_escapes: false }
    }

    /// Reads the object on the line that begins here, and returns where the next line begins; `None` if this one is unusual or
    /// malformed.
    #[inline(always)]
    fn line(&mut self, start: usize, is_needed: impl Fn(&str) -> bool, fields: &mut JsonFields<'t>) -> Option<usize> {
        // A copy, because the compiler keeps one that nobody else sees in registers.
        let mut line = *self;
        if line.at != start {
            line.at = start;
            line.marks.go_to(start);
        }
        line.has_escapes = false;
        line.skip_spaces();
        line.members(UsualObjects::LEVELS, |text, name, value| {
            let name = &text[name];
            if is_needed(name) {
                fields.push((Cow::Borrowed(name), &text[value]));
            }
        })?;
        line.skip_spaces();
        let end = line.marks.next();
        if end != line.at || end - start > MAX_RECORD {
            return None;
        }
        if line.expect(b'\r').is_some() {
            line.marks.next();
        }
        if line.at < line.text.len() {
            line.expect(b'\n')?;
        }
        *self = line;
        Some(line.at)
    }

    /// Reads an object, and passes the place of each name, without quotation marks, and of its value to `take`.
    #[inline(always)]
    fn members(&mut self, levels: usize, mut take: impl FnMut(&'t str, Range<usize>, Range<usize>)) -> Option<()> {
        self.expect(b'{')?;
        self.skip_spaces();
        if self.expect(b'}').is_some() {
            return Some(());
        }
        loop {
            let name = self.name()?;
            self.skip_spaces();
            self.expect(b':')?;
            self.skip_spaces();
            let start = self.at;
            self.value(levels)?;
            take(self.text, name, start..self.at);
            self.skip_spaces();
            if self.expect(b'}').is_some() {
                return Some(());
            }
            self.expect(b',')?;
            self.skip_spaces();
        }
    }

    #[inline(always)]
    fn array(&mut self, levels: usize) -> Option<()> {
        self.expect(b'[')?;
        self.skip_spaces();
        if self.expect(b']').is_some() {
            return Some(());
        }
        loop {
            self.value(levels)?;
            self.skip_spaces();
            if self.expect(b']').is_some() {
                return Some(());
            }
            self.expect(b',')?;
            self.skip_spaces();
        }
    }

    #[inline(always)]
    fn value(&mut self, levels: usize) -> Option<()> {
        match self.next()? {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => {
                *self = self.nested(levels.checked_sub(1)?)?;
                Some(())
            }
        }
    }

    /// Reads an object or an array, and returns what comes after it.
    #[inline(never)]
    fn nested(mut self, levels: usize) -> Option<UsualObjects<'t>> {
        match self.next()? {
            b'{' => self.members(levels, |_, _, _| ())?,
            _ => self.array(levels)?,
        }
        Some(self)
    }

    /// Reads a string without escapes, and returns the place of what is between the quotation marks.
    #[inline(always)]
    fn name(&mut self) -> Option<Range<usize>> {
        // What has been read since the last string held no marks.
        let start = self.marks.next();
        if start != self.at || self.next() != Some(b'"') {
            return None;
        }
        let end = self.marks.next();
        self.at = end;
        self.expect(b'"')?;
        Some(start + 1..end)
    }

    #[inline(always)]
    fn string(&mut self) -> Option<()> {
        self.marks.next();
        self.at = self.marks.next();
        if self.next() == Some(b'\\') {
            *self = self.escapes()?;
        }
        self.expect(b'"')
    }

    /// Reads the rest of a string from its first escape on, and returns what comes after it: the quotation mark.
    #[inline(never)]
    fn escapes(mut self) -> Option<UsualObjects<'t>> {
        self.has_escapes = true;
        while self.expect(b'\\').is_some() {
            match self.next()? {
                b'"' | b'\\' => _ = self.marks.next(),
                b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                _ => return None,
            }
            self.at = self.marks.next();
        }
        Some(self)
    }

    #[inline(always)]
    fn number(&mut self) -> Option<()> {
        _ = self.expect(b'-');
        if self.expect(b'0').is_none() {
            self.digits()?;
        }
        if self.expect(b'.').is_some() {
            self.digits()?;
        }
        if matches!(self.next(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.next(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        // A digit after a zero is no delimiter, so it is noticed.
        Some(())
    }

    /// Reads one digit or more.
    #[inline(always)]
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.next().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    #[inline(always)]
    fn word(&mut self, word: &[u8]) -> Option<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word) {
            return None;
        }
        self.at += word.len();
        Some(())
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Option<()> {
        if self.next() != Some(byte) {
            return None;
        }
        self.at += 1;
        Some(())
    }

    #[inline(always)]
    fn skip_spaces(&mut self) {
        while self.next() == Some(b' ') {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Reads the needed names and values of an object, in their order.
struct Object<'a, 'de, N>(&'a N, &'a mut JsonFields<'de>);

impl<'de, N: Fn(&str) -> bool> Visitor<'de> for Object<'_, 'de, N> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Object(is_needed, fields) = self;
        while let Some(name) = map.next_key::<String>()? {
            if is_needed(&name) {
                fields.push((Cow::Owned(name), map.next_value::<&RawValue>()?.get()));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Checks that no two fields have the same name.
fn check_names(object: &JsonFields<'_>) -> Result<(), RecordError> {
    const FEW: usize = 16;
    let twice = if object.len() <= FEW {
        (1..object.len()).find(|&at| object[..at].iter().any(|(name, _)| *name == object[at].0))
    } else {
        let mut seen = HashSet::with_capacity(object.len());
        object.iter().position(|(name, _)| !seen.insert(name))
    };
    twice.map_or(Ok(()), |at| Err(two_fields(&object[at].0)))
}

#[cold]
fn two_fields(name: &str) -> RecordError {
    RecordError::from(Problem::TwoFields { name: name.to_owned() }).at_field(name)
}

/// All fields that are kept, as they are written.
fn all_fields(object: &JsonFields<'_>, is_kept: impl Fn(&str, &str) -> bool) -> String {
    let bytes = object.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    let mut all = String::with_capacity(bytes);
    for (name, value) in object.iter().filter(|(name, value)| is_kept(name, value)) {
        let comma = if all.is_empty() { "" } else { "," };
        match name {
            // A borrowed name has no escapes.
            Cow::Borrowed(name) => all.extend([comma, "\"", name, "\":", value]),
            Cow::Owned(name) => {
                write!(all, "{comma}{}:{value}", serde_json::Value::from(name.as_str()))
                    .expect("memory can be written");
            }
        }
    }
    all
}

/// The value of the field that [`request::find`] finds, as in the other formats. If another one differs from the wanted name in case
/// alone, too, `warn` takes both names. Two fields of the name of the one that is found are an error.
fn find<'t>(
    object: &JsonFields<'t>,
    wanted: &str,
    warn: impl FnOnce(&str, &str),
) -> Result<Option<&'t str>, RecordError> {
    let names = object.iter().map(|(name, _)| name.as_ref());
    let Some(at) = request::find(names, wanted) else { return Ok(None) };
    let ((name, value), later) = (&object[at], &object[at + 1..]);
    if later.iter().any(|(other, _)| other == name) {
        return Err(two_fields(name));
    }
    if name != wanted
        && let Some((other, _)) = later.iter().find(|(other, _)| other.eq_ignore_ascii_case(wanted))
    {
        warn(name, other);
    }
    Ok(Some(value))
}

/// The text that a JSON value is, which may have escapes.
fn text_of<'t>(name: &str, value: &'t str, has_escapes: bool) -> Result<Cow<'t, str>, RecordError> {
    // A string without an escape is valid text as it is.
    if value.starts_with('"') && (!has_escapes || memchr(b'\\', value.as_bytes()).is_none()) {
        return Ok(Cow::Borrowed(&value[1..value.len() - 1]));
    }
    let error =
        |_| RecordError::from(Problem::NoText { found: value.to_owned() }).about_field(name).found(value.as_bytes());
    serde_json::from_str(value).map(Cow::Owned).map_err(error)
}

/// The game that a JSON value is: a text, or an array of moves.
fn game_of<'t>(name: &str, value: &'t str, has_escapes: bool) -> Result<Cow<'t, str>, RecordError> {
    if value.starts_with('[')
        && let Ok(moves) = serde_json::from_str::<Vec<String>>(value)
    {
        return Ok(Cow::Owned(moves.join(" ")));
    }
    text_of(name, value, has_escapes)
}

/// Whether the field of this name holds games, by the first of its values that shows it. `is_all` is whether this is the whole
/// text.
fn holds_games(text: &[u8], is_all: bool, column: &str) -> Option<bool> {
    let mut rest = text;
    while !rest.is_empty() {
        let end = line_end(rest).or(is_all.then_some(rest.len()..rest.len()))?;
        let mut object = Vec::new();
        let is_needed = |name: &str| name.eq_ignore_ascii_case(column);
        let read =
            serde_json::Deserializer::from_slice(&rest[..end.start]).deserialize_map(Object(&is_needed, &mut object));
        let value = read.ok().and_then(|()| find(&object, column, |_, _| {}).ok().flatten());
        let game = value.and_then(|value| game_of(column, value, true).ok());
        let found = game.and_then(|game| is_game(game.as_bytes()));
        if found.is_some() {
            return found;
        }
        rest = &rest[end.end..];
    }
    None
}

#[cfg(test)]
mod tests;
