//! Sums that other runs have written, added up.
//!
//! A file of sums has all rows of a group one after the other, and groups in the order of their keys, as
//! [`write_rows`](super::table::Totals::write_rows) writes them. Each row is checked: a file that ends within a group, repeats one,
//! or has impossible numbers is an error. Groups that are missing cannot be noticed.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value};
use slider_attacks::Square;
use slider_attacks_arrow::Summary;
use slider_attacks_files::Input;
use slider_attacks_files::compression::{self, PARQUET};
use slider_attacks_files::file::{InputFile, PathKind};
use slider_attacks_files::input::cannot;
use slider_attacks_files::unchanged::{CHANGED, FileState, UnchangedFile};
use slider_attacks_formats::content::MAX_RECORD;
use slider_attacks_formats::error::quoted;

use super::groups::{GroupedSummary, SummedGroups};
use super::job::SumJob;
use super::keys::{GroupKey, GroupOrder, Key, order};
use super::table::{COLUMNS, SummedColumn, Totals};
#[cfg(feature = "parquet")]
use crate::write::parquet::PREFIX;

/// The largest number that a row can have.
const MOST: u64 = i64::MAX as u64;

/// How rows of a file were made: names and values that Parquet records. Nothing if the file is text.
pub type RecordedSettings = Option<Vec<(String, String)>>;

/// A file of sums, which must not change until it is added.
#[derive(Debug)]
pub struct SumsInput<'i> {
    /// The file.
    pub input: &'i Input,
    /// What it records about its sums.
    pub settings: RecordedSettings,
    state: FileState,
}

impl SumsInput<'_> {
    /// Reads what a file records.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no file.
    pub fn of(input: &Input) -> Result<SumsInput<'_>> {
        let (file, state) = open(input)?;
        let settings = match file {
            #[cfg(feature = "parquet")]
            SumsFile::Parquet(table) => {
                let own = |(name, value): (String, String)| Some((name.strip_prefix(PREFIX)?.to_owned(), value));
                Some(table.settings().into_iter().filter_map(own).collect())
            }
            SumsFile::Text(_) => None,
        };
        Ok(SumsInput { input, settings, state })
    }

    /// Opens the file again.
    fn reopen(&self) -> Result<SumsFile> {
        let (file, state) = open(self.input)?;
        ensure!(state == self.state, "{}: {CHANGED}", self.input.display_name());
        Ok(file)
    }
}

/// Adds up the sums of files. They must be those of the products and keys of this job.
///
/// # Errors
///
/// A file cannot be read, has changed, or does not have such sums; or that of [`add`](GroupedSummary::add).
pub fn merge(files: &[SumsInput<'_>], job: &SumJob) -> Result<SummedGroups> {
    let (mut groups, mut most) = (job.groups(), 0_u64);
    for file in files {
        let input = file.input;
        let mut rows = GroupReader::new(job, &mut groups);
        match file.reopen()? {
            #[cfg(feature = "parquet")]
            SumsFile::Parquet(table) => arrays::read(&table, &input.display_name(), &mut rows)?,
            SumsFile::Text(bytes) => read_text(bytes, input, &mut rows)?,
        }
        let largest = rows.finish().with_context(|| input.display_name())?;
        // Neither a group nor all of them together have more than the largest numbers of all groups of all files.
        most = most.saturating_add(largest);
        ensure!(most <= MOST, "{}: its numbers are too large to be added up", input.display_name());
    }
    groups.finish()
}

/// A file of sums that is open.
enum SumsFile {
    #[cfg(feature = "parquet")]
    Parquet(slider_attacks_files::parquet::ParquetTable),
    Text(Box<dyn BufRead>),
}

/// Opens a file, and tells its state.
fn open(input: &Input) -> Result<(SumsFile, FileState)> {
    let Some(path) = input.path() else { bail!("standard input: sums are read from files") };
    let cannot_read = || cannot("read", path);
    let kind = PathKind::of(path).with_context(cannot_read)?;
    // To open a pipe is to wait for somebody who writes to it.
    ensure!(matches!(kind, PathKind::File(_)), "{}: it is no file; sums are read from files", cannot_read());
    let mut file = InputFile::open(path).with_context(cannot_read)?;
    let state = FileState::of(&file);
    let magic = compression::magic(&mut file).with_context(cannot_read)?;
    if magic == PARQUET {
        #[cfg(feature = "parquet")]
        return Ok((SumsFile::Parquet(slider_attacks_files::parquet::ParquetTable::open(input, file)?), state));
        #[cfg(not(feature = "parquet"))]
        bail!("{}: {}", cannot_read(), slider_attacks_files::sources::WITHOUT_PARQUET);
    }
    let bytes = Cursor::new(magic).chain(UnchangedFile::new(file, state));
    let found = compression::decompress(Box::new(bytes), &input.display_name(), "", None)?;
    if let Some(other) = found.other {
        bail!("{}: {other} is not supported", cannot_read());
    }
    Ok((SumsFile::Text(Box::new(BufReader::new(found.bytes))), state))
}

/// A row of sums.
struct SumRow<'a> {
    /// The values of the keys.
    keys: Vec<KeyValue<'a>>,
    positions: u64,
    column: Cow<'a, str>,
    square: Option<Cow<'a, str>>,
    count: i64,
    sum: i64,
}

/// A value of a key.
#[derive(PartialEq)]
enum KeyValue<'a> {
    /// A text that may be a number, as in CSV.
    Any(Cow<'a, str>),
    Text(Cow<'a, str>),
    Number(i64),
    Nothing,
}

impl KeyValue<'_> {
    fn to_owned(&self) -> KeyValue<'static> {
        match self {
            KeyValue::Any(text) => KeyValue::Any(text.to_string().into()),
            KeyValue::Text(text) => KeyValue::Text(text.to_string().into()),
            KeyValue::Number(number) => KeyValue::Number(*number),
            KeyValue::Nothing => KeyValue::Nothing,
        }
    }

    /// The value as [groups](GroupKey) have it.
    fn of_key(&self, key: &Key) -> Result<Option<Arc<str>>> {
        let number = match self {
            KeyValue::Nothing => return Ok(None),
            KeyValue::Any(text) if text.is_empty() => return Ok(None),
            KeyValue::Any(text) | KeyValue::Text(text) if key.step.is_none() => return Ok(Some(text.as_ref().into())),
            KeyValue::Any(text) => text.parse().ok(),
            KeyValue::Number(number) => Some(*number),
            KeyValue::Text(_) => None,
        };
        let is_multiple = |number: &i64| key.step.is_some_and(|step| number % i64::from(step) == 0);
        if let Some(number) = number.filter(is_multiple) {
            return Ok(Some(number.to_string().into()));
        }
        let found = match self {
            KeyValue::Any(text) | KeyValue::Text(text) => quoted(text),
            _ => number.map_or_else(String::new, |number| number.to_string()),
        };
        let expected = key.step.map_or("a text".to_owned(), |step| format!("a multiple of {step}"));
        bail!("key {}: expected {expected}, found {found}", quoted(&key.name));
    }
}

/// The groups of a file, put together from its rows.
struct GroupReader<'a> {
    job: &'a SumJob,
    groups: &'a mut GroupedSummary,
    parts: Vec<SummedColumn>,
    /// The column and the square of each row of a group.
    places: Vec<(usize, Option<Square>)>,
    /// The place of the first row of each column of the summary.
    starts: Vec<usize>,
    /// The values of the keys of the group that is being read, as its first row has them, its positions and numbers.
    keys: Vec<KeyValue<'static>>,
    positions: u64,
    numbers: Vec<[i64; 2]>,
    /// The order of the last group.
    last: Option<GroupOrder>,
    /// The largest number of the group that is being read, and the sum of those of the groups before.
    largest: u64,
    total: u64,
}

impl<'a> GroupReader<'a> {
    fn new(job: &'a SumJob, groups: &'a mut GroupedSummary) -> GroupReader<'a> {
        let summary = Summary::new(&job.plan, 0);
        let parts = Totals { by: job.keys.clone(), keys: Vec::new(), places: Vec::new(), summary }.parts();
        let places: Vec<_> =
            (0..).zip(&parts).flat_map(|(at, part)| part.places().map(move |square| (at, square))).collect();
        let is_first = |number: usize| {
            let is_it = |part: &SummedColumn| part.minus.is_none() && part.column == number;
            places.iter().position(|&(part, _)| is_it(&parts[part]))
        };
        let starts = (0..).map_while(is_first).collect();
        let (keys, numbers) = (Vec::new(), Vec::with_capacity(places.len()));
        GroupReader {
            job,
            groups,
            parts,
            places,
            starts,
            keys,
            positions: 0,
            numbers,
            last: None,
            largest: 0,
            total: 0,
        }
    }

    /// The names of the columns of rows.
    fn names(&self) -> Vec<&'a str> {
        self.job.keys.iter().map(|key| key.name.as_str()).chain(COLUMNS).collect()
    }

    /// Checks the names of the columns of a file.
    fn check_names(&self, found: &[&str]) -> Result<()> {
        let expected = self.names();
        ensure!(
            expected == found,
            "its columns are {}; sums with these keys have {}",
            quoted(&found.join(", ")),
            expected.join(", ")
        );
        Ok(())
    }

    fn add(&mut self, row: &SumRow<'_>) -> Result<()> {
        let at = self.numbers.len();
        let Some(&(part, square)) = self.places.get(at) else { bail!("these products have no sums") };
        if at == 0 {
            let order = order(&self.job.keys, &group_key(&self.job.keys, &row.keys)?);
            ensure!(self.last.as_ref().is_none_or(|last| *last < order), "its group is repeated, or not in its order");
            ensure!(row.positions <= MOST, "its number of positions is too large");
            (self.last, self.positions) = (Some(order), row.positions);
            self.keys = row.keys.iter().map(KeyValue::to_owned).collect();
        } else {
            ensure!(self.keys == row.keys, "a row of another group, after {at} of {} rows of one", self.places.len());
            let (expected, found) = (self.positions, row.positions);
            ensure!(expected == found, "expected {expected} positions as in the row before, found {found}");
        }
        let square_name = square.map(|square| square.to_string());
        let expected = (&*self.parts[part].name, square_name.as_deref());
        let found = (&*row.column, row.square.as_deref());
        ensure!(
            expected == found,
            "expected {}, found {}: are these sums of other products?",
            place_name(expected),
            place_name(found)
        );
        let numbers = [row.count, row.sum];
        self.check(&self.parts[part], square, numbers)?;
        self.numbers.push(numbers);
        self.largest = self.largest.max(self.positions).max(row.sum.unsigned_abs());
        if self.numbers.len() == self.places.len() { self.end_group() } else { Ok(()) }
    }

    /// Checks the numbers of a row.
    fn check(&self, part: &SummedColumn, square: Option<Square>, [count, sum]: [i64; 2]) -> Result<()> {
        let place = square.map_or(0, |square| usize::from(square.index()));
        let is_right = match part.minus {
            Some(minus) => {
                let [white, black] = [part.column, minus].map(|column| self.numbers[self.starts[column] + place]);
                [white[0] - black[0], white[1] - black[1]] == [count, sum]
            }
            None => {
                let is_sum = if part.has_sum { sum >= count && (count > 0 || sum == 0) } else { sum == count };
                count >= 0 && count as u64 <= self.positions && is_sum
            }
        };
        ensure!(is_right, "{} has count {count} and sum {sum}, which cannot be", quoted(&part.name));
        Ok(())
    }

    /// Adds the group that has been read.
    fn end_group(&mut self) -> Result<()> {
        let mut group = Summary::new(&self.job.plan, 1);
        let mut sums = self.starts.iter().zip(group.columns()).map(|(&start, column)| {
            let end = start + if column.is_single() { 1 } else { 64 };
            [0, 1].map(|at| self.numbers[start..end].iter().map(|numbers| numbers[at] as u64).collect::<Vec<u64>>())
        });
        let sums: Vec<[Vec<u64>; 2]> = sums.by_ref().collect();
        let sums: Vec<[&[u64]; 2]> = sums.iter().map(|sums| sums.each_ref().map(Vec::as_slice)).collect();
        group.add_known(0, self.positions, &sums);
        self.numbers.clear();
        self.total = self.total.saturating_add(std::mem::take(&mut self.largest));
        self.groups.add(vec![group_key(&self.job.keys, &self.keys)?], &group)
    }

    /// The sum of the largest numbers of all groups.
    fn finish(self) -> Result<u64> {
        let (read, all) = (self.numbers.len(), self.places.len());
        ensure!(read == 0, "its last group has {read} of {all} rows: the file is incomplete");
        ensure!(!self.job.keys.is_empty() || self.last.is_some(), "it has no sums");
        Ok(self.total)
    }
}

/// The values of the keys of a row as groups have them.
fn group_key(keys: &[Key], values: &[KeyValue<'_>]) -> Result<GroupKey> {
    keys.iter().zip(values).map(|(key, value)| value.of_key(key)).collect()
}

/// The place of a row in a group, as messages name it.
fn place_name((column, square): (&str, Option<&str>)) -> String {
    square.map_or_else(|| quoted(column), |square| format!("{} of {}", quoted(column), quoted(square)))
}

/// Reads CSV or JSON lines.
fn read_text(bytes: Box<dyn BufRead>, input: &Input, rows: &mut GroupReader<'_>) -> Result<()> {
    let name = input.display_name();
    let mut records = TextRecords { bytes, record: Vec::new(), line: 0, lines: 0, name: &name };
    let at = |line: u64| format!("{name}, line {line}");
    let is_csv = match records.next(false)? {
        None if !matches!(input.extension().as_deref(), Some("jsonl" | "ndjson" | "json")) => {
            bail!("{name}: it is empty")
        }
        None => return Ok(()),
        Some(record) => !record.starts_with(b"{"),
    };
    if is_csv {
        // A header with line ends has none of the names that are expected.
        let names = fields(&records.record)
            .and_then(|names| rows.check_names(&names.iter().map(Cow::as_ref).collect::<Vec<_>>()));
        names.with_context(|| name.clone())?;
    } else {
        json_row(&records.record, rows).with_context(|| at(1))?;
    }
    loop {
        let Some(record) = records.next(is_csv)?.map(<[u8]>::to_vec) else { return Ok(()) };
        let added = if is_csv { csv_row(&record, rows) } else { json_row(&record, rows) };
        added.with_context(|| at(records.line))?;
    }
}

/// The records of a text: lines, but a line end between quotation marks of CSV ends none.
struct TextRecords<'n> {
    bytes: Box<dyn BufRead>,
    record: Vec<u8>,
    /// The number of the first line of the record, and of the last one.
    line: u64,
    lines: u64,
    name: &'n str,
}

impl TextRecords<'_> {
    /// The next record, without its line end.
    fn next(&mut self, has_quotes: bool) -> Result<Option<&[u8]>> {
        self.record.clear();
        self.line = self.lines + 1;
        let mut is_open = false;
        loop {
            let before = self.record.len();
            let room = (MAX_RECORD + 1 - before) as u64;
            let read = (&mut self.bytes).take(room).read_until(b'\n', &mut self.record);
            let read = read.with_context(|| format!("cannot read {}", self.name))?;
            self.lines += 1;
            ensure!(self.record.len() <= MAX_RECORD, "{}, line {}: line too long", self.name, self.line);
            let quotes = self.record[before..].iter().filter(|&&byte| byte == b'"').count();
            is_open ^= has_quotes && quotes % 2 == 1;
            if is_open && read > 0 {
                continue;
            }
            if self.record.is_empty() {
                return Ok(None);
            }
            let record = self.record.strip_suffix(b"\n").unwrap_or(&self.record);
            let record = record.strip_suffix(b"\r").unwrap_or(record).len();
            self.record.truncate(record);
            return Ok(Some(&self.record));
        }
    }
}

/// The fields of a record of CSV.
fn fields(record: &[u8]) -> Result<Vec<Cow<'_, str>>> {
    let (mut rest, mut fields) = (str::from_utf8(record).context("it is not UTF-8")?, Vec::new());
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(text) => {
                let mut end = 0;
                loop {
                    let next = text[end..].find('"').context("a quotation mark is not closed")?;
                    end += next + 1;
                    if !text[end..].starts_with('"') {
                        break (Cow::from(text[..end - 1].replace("\"\"", "\"")), &text[end..]);
                    }
                    end += 1;
                }
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].into(), &rest[end..])
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None if after.is_empty() => return Ok(fields),
            None => bail!("text after a quotation mark"),
        }
    }
}

fn csv_row(record: &[u8], rows: &mut GroupReader<'_>) -> Result<()> {
    let mut fields = fields(record)?;
    let (keys, width) = (rows.job.keys.len(), rows.job.keys.len() + COLUMNS.len());
    ensure!(fields.len() == width, "expected {width} fields, found {}", fields.len());
    let rest = fields.split_off(keys);
    let number = |at: usize| -> Result<i64> {
        rest[at]
            .parse()
            .with_context(|| format!("column {}: expected a whole number, found {}", COLUMNS[at], quoted(&rest[at])))
    };
    let [positions, count, sum] = [number(0)?, number(3)?, number(5)?];
    rows.add(&SumRow {
        keys: fields.into_iter().map(KeyValue::Any).collect(),
        positions: u64::try_from(positions).context("column positions: a negative number")?,
        column: rest[1].clone(),
        square: Some(rest[2].clone()).filter(|square| !square.is_empty()),
        count,
        sum,
    })
}

fn json_row(record: &[u8], rows: &mut GroupReader<'_>) -> Result<()> {
    let row: Map<String, Value> = serde_json::from_slice(record).context("expected an object of JSON")?;
    let names = rows.names();
    if row.len() != names.len() || !names.iter().all(|&name| row.contains_key(name)) {
        rows.check_names(&row.keys().map(String::as_str).collect::<Vec<_>>())?;
    }
    let wrong = |name: &str, expected: &str| {
        format!("column {name}: expected {expected}, found {}", quoted(&row[name].to_string()))
    };
    let number = |name: &str| row[name].as_i64().with_context(|| wrong(name, "a whole number"));
    let text = |name: &str| match &row[name] {
        Value::String(text) => Ok(Some(Cow::from(text.as_str()))),
        Value::Null => Ok(None),
        _ => bail!(wrong(name, "a text")),
    };
    let keys = rows.job.keys.iter().map(|key| match &row[&key.name] {
        Value::Null => Ok(KeyValue::Nothing),
        Value::String(text) => Ok(KeyValue::Text(text.into())),
        other => Ok(KeyValue::Number(other.as_i64().with_context(|| wrong(&key.name, "a text or a whole number"))?)),
    });
    let row = SumRow {
        keys: keys.collect::<Result<_>>()?,
        positions: u64::try_from(number("positions")?).context("column positions: a negative number")?,
        column: text("column")?.unwrap_or_default(),
        square: text("square")?,
        count: number("count")?,
        sum: number("sum")?,
    };
    rows.add(&row)
}

/// Sums in Parquet.
#[cfg(feature = "parquet")]
mod arrays {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, UInt64Type};
    use arrow_array::{Array, ArrayRef};
    use arrow_schema::DataType;
    use slider_attacks_files::parquet::ParquetTable;

    use super::*;

    /// Reads all rows of a file.
    pub fn read(table: &ParquetTable, name: &str, rows: &mut GroupReader<'_>) -> Result<()> {
        rows.check_names(&table.names()).with_context(|| name.to_owned())?;
        table.read(&mut |first, arrays| {
            let arrays: &[ArrayRef] = &arrays.iter().map(plain).collect::<Result<Vec<_>>>()?;
            (0..arrays[0].len()).try_for_each(|at| {
                let added = row(arrays, at, rows).and_then(|row| rows.add(&row));
                added.with_context(|| format!("{name}, row {}", first + at as u64))
            })
        })
    }

    /// The values of an array, if it is a dictionary.
    fn plain(array: &ArrayRef) -> Result<ArrayRef> {
        match array.as_any_dictionary_opt() {
            Some(texts) => Ok(arrow_select::take::take(texts.values(), texts.keys(), None)?),
            None => Ok(array.clone()),
        }
    }

    fn row<'a>(arrays: &'a [ArrayRef], at: usize, rows: &GroupReader<'_>) -> Result<SumRow<'a>> {
        let (keys, rest) = arrays.split_at(rows.job.keys.len());
        let wrong = |place: usize, expected: &str| {
            format!("column {}: expected {expected}, found {}", COLUMNS[place], rest[place].data_type())
        };
        let number = |place: usize| match value(&rest[place], at) {
            Some(KeyValue::Number(number)) => Ok(number),
            _ => bail!(wrong(place, "a whole number")),
        };
        let text = |place: usize| match value(&rest[place], at) {
            Some(KeyValue::Text(text)) => Ok(Some(text)),
            Some(KeyValue::Nothing) => Ok(None),
            _ => bail!(wrong(place, "a text")),
        };
        let keys = keys.iter().zip(&rows.job.keys).map(|(array, key)| {
            let unknown =
                || format!("key {}: expected texts or whole numbers, found {}", quoted(&key.name), array.data_type());
            value(array, at).with_context(unknown)
        });
        Ok(SumRow {
            keys: keys.collect::<Result<_>>()?,
            positions: u64::try_from(number(0)?).context("column positions: a negative number")?,
            column: text(1)?.unwrap_or_default(),
            square: text(2)?,
            count: number(3)?,
            sum: number(5)?,
        })
    }

    /// A value of an array of texts or whole numbers.
    fn value(array: &ArrayRef, at: usize) -> Option<KeyValue<'_>> {
        if array.is_null(at) {
            return Some(KeyValue::Nothing);
        }
        Some(match array.data_type() {
            DataType::Utf8 => KeyValue::Text(array.as_string::<i32>().value(at).into()),
            DataType::LargeUtf8 => KeyValue::Text(array.as_string::<i64>().value(at).into()),
            DataType::Utf8View => KeyValue::Text(array.as_string_view().value(at).into()),
            DataType::Int64 => KeyValue::Number(array.as_primitive::<Int64Type>().value(at)),
            DataType::UInt64 => KeyValue::Number(array.as_primitive::<UInt64Type>().value(at).try_into().ok()?),
            DataType::Null => KeyValue::Nothing,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use slider_attacks_arrow::{OnError, Plan, Product};

    use super::*;
    use crate::sums::groups::GroupLimit;

    #[test]
    fn a_file_that_changes_before_it_is_added_is_an_error() {
        let path = std::env::temp_dir().join(format!("slider-attacks-merge-{}.csv", std::process::id()));
        fs::write(&path, "positions\n").unwrap();
        let input = Input::new(&path, 0);
        let file = SumsInput::of(&input).unwrap();
        fs::write(&path, "positions,column\n").unwrap();
        let (plan, limit) = (Plan::new([Product::Maps]), GroupLimit::Files(1 << 20));
        let job = SumJob { plan, keys: Vec::new(), on_error: OnError::Fail, each_move: false, limit };
        let error = merge(&[file], &job).map(drop).unwrap_err();
        fs::remove_file(path).unwrap();
        assert!(error.to_string().ends_with(CHANGED), "{error}");
    }
}
