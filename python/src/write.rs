//! Positions and labels in memory, as files for training and for other programs.

use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, mem};

use anyhow::Context;
use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, BinaryArray, StringArray, new_null_array};
use arrow_schema::{DataType, Field, Fields};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use slider_attacks_arrow::{Error, Integers, OnError};
use slider_attacks_cli::target::Target;
use slider_attacks_files::ordered::Pool;
use slider_attacks_rows::convert::arrays::{ArrayConverter, ConvertedRows, MOST_MESSAGES};
use slider_attacks_rows::convert::job::COLUMNS;
use slider_attacks_rows::convert::labels::{LabelColumns, NamedColumns};
use slider_attacks_rows::format::RecordFormat;
use slider_attacks_rows::write::{Output, WriteTarget};

use crate::capsule::one;
use crate::errors::arrow_error;
use crate::files::Failure;
use crate::numbers::{on_error, type_error, value_error};
use crate::positions::{Positions, fens};
use crate::rows::{rows_and_columns, try_positions};
use crate::work::{Threads, in_background};

/// The rows between two looks for signals: some milliseconds of work.
const PIECE: usize = 1 << 14;

/// What messages call the rows.
const NAME: &str = "data";

/// The format of this name, or that which the name of the file suggests.
fn format_of(path: &std::path::Path, format: Option<&str>) -> PyResult<RecordFormat> {
    let names = || RecordFormat::ALL.iter().map(|(_, name, ..)| *name).collect::<Vec<_>>().join(", ");
    if let Some(name) = format {
        let found = RecordFormat::ALL.iter().find(|(_, known, ..)| *known == name);
        let wrong = || value_error(format!("format={name:?}: expected one of {}", names()));
        return found.map(|(format, ..)| *format).ok_or_else(wrong);
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    extension.as_deref().and_then(RecordFormat::of_extension).ok_or_else(|| {
        value_error(format!("{}: no format has this extension: say format=, one of {}", path.display(), names()))
    })
}

/// Texts in the types that are parsed: `Utf8` or `Binary`.
fn plain_texts(column: &ArrayRef) -> PyResult<ArrayRef> {
    let too_long = |bytes: usize| {
        let most = i32::MAX as usize;
        if bytes > most { Err(value_error(format!("{} texts have more than 2 GiB", column.len()))) } else { Ok(()) }
    };
    Ok(match column.data_type() {
        DataType::Utf8 | DataType::Binary => column.clone(),
        DataType::Null => new_null_array(&DataType::Utf8, column.len()),
        DataType::LargeUtf8 => {
            let texts = column.as_string::<i64>();
            too_long(texts.iter().flatten().map(str::len).sum())?;
            Arc::new(texts.iter().collect::<StringArray>())
        }
        DataType::Utf8View => {
            let texts = column.as_string_view();
            too_long(texts.iter().flatten().map(str::len).sum())?;
            Arc::new(texts.iter().collect::<StringArray>())
        }
        DataType::LargeBinary => {
            let texts = column.as_binary::<i64>();
            too_long(texts.iter().flatten().map(<[u8]>::len).sum())?;
            Arc::new(texts.iter().collect::<BinaryArray>())
        }
        DataType::BinaryView => {
            let texts = column.as_binary_view();
            too_long(texts.iter().flatten().map(<[u8]>::len).sum())?;
            Arc::new(texts.iter().collect::<BinaryArray>())
        }
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let texts = arrow_select::take::take(dictionary.values(), dictionary.keys(), None);
            plain_texts(&texts.map_err(value_error)?)?
        }
        kind => return Err(type_error(format!("positions must be text, not {kind}"))),
    })
}

/// A table in memory: the positions as text, and the labels that it has.
struct LabelledTable {
    fields: Fields,
    columns: Vec<ArrayRef>,
    /// Why bitboards are no position, for the first such rows. Their texts are null.
    errors: Vec<Error>,
}

impl LabelledTable {
    /// The columns of a table of Python that have positions and labels, which the file takes next. `labels` are the names that
    /// labels may have.
    fn new(table: &Bound<'_, PyAny>, labels: &[String], file: &RecordFile) -> PyResult<LabelledTable> {
        let (py, column) = (table.py(), file.column.as_str());
        let (mut names, mut errors) = (Vec::new(), Vec::new());
        let (positions, others) = if let Ok(positions) = table.cast_exact::<Positions>() {
            (Arc::new(fens(py, positions.get().array())?) as ArrayRef, Vec::new())
        } else {
            let found = std::cell::RefCell::new(Vec::new());
            let (rows, others) = rows_and_columns(table, column, |all| {
                let places = (0..all.len()).filter(|&place| labels.contains(&all[place]) && all[place] != column);
                let places: Vec<usize> = places.collect();
                found.replace(places.iter().map(|&place| all[place].clone()).collect());
                Ok(places)
            })?;
            names = found.into_inner();
            let are_boards = rows.iter().any(|rows| matches!(rows.data_type(), DataType::Struct(_)));
            let rows = if are_boards { file.texts(py, &rows, &mut errors)? } else { one(&rows)? };
            (rows, others.unwrap_or_default())
        };
        let mut fields = vec![Field::new(column, DataType::Utf8, true)];
        fields.extend(names.iter().zip(&others).map(|(name, other)| Field::new(name, other.data_type().clone(), true)));
        if let Some(other) = others.iter().find(|other| other.len() != positions.len()) {
            return Err(value_error(format!("{} positions, and a column of {} rows", positions.len(), other.len())));
        }
        let columns = [positions].into_iter().chain(others).collect();
        Ok(LabelledTable { fields: fields.into(), columns, errors })
    }
}

/// What makes bytes of rows, and where these go.
struct RecordEncoder {
    output: Output<Target>,
    /// `None` until the columns are known.
    converter: Option<ArrayConverter>,
}

/// A file that is being written.
struct RecordFile {
    /// `None` after a call that did not end.
    encoder: Option<RecordEncoder>,
    /// Whether it is a pipe or a device, which may wait for a reader.
    may_wait: bool,
    /// The columns, and the places of those that are converted.
    columns: Option<(Fields, Vec<usize>)>,
    to: RecordFormat,
    column: String,
    named: NamedColumns,
    on_error: OnError,
    /// How many rows have been added.
    rows: usize,
    /// Those of all tables.
    errors: Vec<Error>,
}

impl RecordFile {
    fn open(
        path: &std::path::Path,
        to: RecordFormat,
        (column, named): (&str, NamedColumns),
        on_error: OnError,
    ) -> anyhow::Result<RecordFile> {
        let mut target = Target::open(Some(path), true)?;
        let output = match to {
            RecordFormat::Parquet => {
                let pool = Arc::new(Pool::new(1)?);
                Output::parquet(target, Integers::Signed, vec![("command", "write".to_owned())], pool)?
            }
            RecordFormat::Csv => {
                target.put(format!("{}\n", COLUMNS.join(",")).as_bytes())?;
                Output::Bytes(target)
            }
            _ => Output::Bytes(target),
        };
        Ok(RecordFile {
            encoder: Some(RecordEncoder { output, converter: None }),
            may_wait: fs::metadata(path).is_ok_and(|found| !found.is_file()),
            columns: None,
            to,
            column: column.to_owned(),
            named,
            on_error,
            rows: 0,
            errors: Vec::new(),
        })
    }

    /// Bitboards of the rows to add next as text, which is null if they are no position and such rows are left out. Adds the reasons.
    fn texts(&self, py: Python<'_>, boards: &[ArrayRef], errors: &mut Vec<Error>) -> PyResult<ArrayRef> {
        // Labels stay next to their positions, so that no row can be missing here.
        let on_error = if self.on_error == OnError::Fail { OnError::Fail } else { OnError::Null };
        let positions = try_positions(py, boards, on_error, &Threads::Own)?.map_err(|error| match error.row() {
            Some(_) => value_error(format!("{NAME}, {}", error.after(self.rows))),
            None => arrow_error(error),
        })?;
        errors.extend(positions.errors().iter().take(MOST_MESSAGES).map(|error| error.clone().after(self.rows)));
        Ok(Arc::new(fens(py, &positions)?))
    }

    /// The converter of tables with these columns.
    fn converter(&mut self, fields: &Fields) -> PyResult<()> {
        match &self.columns {
            Some((known, _)) if known != fields => {
                let names = |fields: &Fields| {
                    let each = fields.iter().map(|field| format!("{} ({})", field.name(), field.data_type()));
                    each.collect::<Vec<_>>().join(", ")
                };
                Err(value_error(format!("a batch has the columns {}, not {}", names(fields), names(known))))
            }
            Some(_) => Ok(()),
            None => {
                let columns = (self.column.as_str(), &self.named);
                let made = ArrayConverter::new(fields, NAME, columns, self.to, self.on_error).map_err(value_error)?;
                self.columns = Some((fields.clone(), made.places().to_vec()));
                if let Some(encoder) = &mut self.encoder {
                    encoder.converter = Some(made);
                }
                Ok(())
            }
        }
    }

    /// Encodes and writes: `work` gives the encoder back unless the file is complete. Ctrl-C is heard afterwards, or at once where a
    /// reader may keep the writer waiting.
    fn encode<T: Send + 'static>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(RecordEncoder) -> anyhow::Result<(Option<RecordEncoder>, T)> + Send + 'static,
    ) -> PyResult<T> {
        let Some(encoder) = self.encoder.take() else { return Err(value_error("the file has not been written")) };
        let done =
            if self.may_wait { in_background(py, move |_| work(encoder))? } else { py.detach(move || work(encoder)) };
        let (encoder, found) = done.map_err(|error| Failure::Files(error).into_python(py))?;
        self.encoder = encoder;
        Ok(found)
    }

    /// Adds the rows of a table.
    fn add(&mut self, py: Python<'_>, rows: LabelledTable) -> PyResult<()> {
        self.converter(&rows.fields)?;
        let room = MOST_MESSAGES - self.errors.len();
        self.errors.extend(rows.errors.into_iter().take(room));
        self.rows += rows.columns[0].len();
        let places = self.columns.as_ref().map(|(_, places)| places.clone()).unwrap_or_default();
        let length = rows.columns[0].len();
        let mut from = 0;
        loop {
            let count = PIECE.min(length - from);
            let mut columns: Vec<ArrayRef> =
                places.iter().map(|&place| rows.columns[place].slice(from, count)).collect();
            columns[0] = plain_texts(&columns[0])?;
            // The column with the positions is also that of what may follow them in a line.
            for (column, &place) in columns.iter_mut().zip(&places).skip(1) {
                if place == 0 {
                    *column = plain_texts(column)?;
                }
            }
            self.encode(py, move |mut encoder| {
                let converter = encoder.converter.as_mut().context("the columns are not known")?;
                converter.add(&columns, &mut |encoded| encoder.output.write(encoded))?;
                Ok((Some(encoder), ()))
            })?;
            py.check_signals()?;
            from += count;
            if from == length {
                return Ok(());
            }
        }
    }

    /// Gives the file its name.
    fn finish(mut self, py: Python<'_>) -> PyResult<ConvertedRows> {
        if self.columns.is_none() {
            return Err(value_error("data has no batches, so that the columns are not known"));
        }
        let errors = mem::take(&mut self.errors);
        self.encode(py, move |RecordEncoder { mut output, converter }| {
            let converter = converter.context("the columns are not known")?;
            let rows = converter.finish(&mut |encoded| output.write(encoded))?;
            output.finish()?;
            Ok((None, with_reasons(rows, &errors)))
        })
    }
}

/// Writes positions with their labels to a file, for training and for other programs: as `slider-attacks convert` does.
///
/// Parameters
/// ----------
/// path : the file, which appears once it is complete
/// data : a table with positions, such as `Batch`, `pyarrow.Table`, a frame or a dictionary of columns; `Positions`; or an
///     iterator of tables with the same columns, such as a `Reader` or a `pyarrow.RecordBatchReader`, of which one at a time is in
///     memory
/// format : "fen", "epd", "text" (FEN | score | result), "csv", "jsonl", "parquet", "bulletformat", "marlinformat", "viriformat" or
///     "binpack"; by default, that of the extension
/// column : the column that contains the positions as text; without it, those of bitboards, as `Positions` takes them
/// score, mate, result, next : the columns of the labels, if they are not called `score`, `mate`, `result`, and `next_uci`,
///     `next_move` or `next_san`
///     A score is in centipawns from White's view, the next move the one that was played from the position; `uci` or `move` may
///     have the move that led to it instead. `halfmove` and `fullmove` are counters.
/// on_error : "raise"; or "skip", which leaves malformed rows out
///
/// Returns a dictionary of numbers: `rows` in data, `skipped`, `errors` with what was wrong with the first 100 of these, and
/// `left_out` with the numbers of positions that the format cannot hold, by the reason. `lost_rights` counts positions that lost
/// castling rights of Chess960, which a binpack cannot hold. Records need scores and results; viriformat and binpack also moves.
///
/// Raises ValueError for a malformed row, which it names, counted from 0, and for columns that are missing, and OSError if the file
/// cannot be written. Then there is no file, or that which was there before.
///
/// >>> import pathlib, tempfile
/// >>> import slider_attacks
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "positions.binpack")
/// >>> rows = {"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 3 9"], "score": [480, 0], "result": [1, 0.5],
/// ...         "next_uci": ["e1c1", None]}
/// >>> slider_attacks.write(path, rows)
/// {'rows': 2, 'skipped': 0, 'errors': [], 'left_out': {'without a move': 1}, 'lost_rights': 0}
/// >>> next(slider_attacks.read(path, keep="score"))["score"].tolist()
/// [480]
#[pyfunction]
#[pyo3(signature = (path, data, *, format=None, column="fen", score=None, mate=None, result=None, next=None, on_error="raise"))]
#[allow(clippy::too_many_arguments, reason = "most of them have names and defaults in Python")]
pub fn write<'py>(
    path: PathBuf,
    data: &Bound<'py, PyAny>,
    format: Option<&str>,
    column: &str,
    score: Option<String>,
    mate: Option<String>,
    result: Option<String>,
    next: Option<String>,
    on_error: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let py = data.py();
    let to = format_of(&path, format)?;
    let named = NamedColumns { score, mate, result, played: next };
    let mut labels = LabelColumns::new(&named, column).optional_columns().rows;
    labels.extend(named.keep());
    let on_error = self::on_error(on_error, &[OnError::Fail, OnError::Skip])?;
    // A file of this name, not standard output.
    let path = if path.as_os_str() == "-" { PathBuf::from("./-") } else { path };
    let of_positions = column.to_owned();
    // A pipe opens once somebody reads it.
    let opened = in_background(py, move |_| RecordFile::open(&path, to, (&of_positions, named), on_error))?;
    let mut file = opened.map_err(|error| Failure::Files(error).into_python(py))?;
    if data.hasattr(intern!(py, "__next__"))? {
        for table in data.try_iter()? {
            file.add(py, LabelledTable::new(&table?, &labels, &file)?)?;
        }
    } else {
        file.add(py, LabelledTable::new(data, &labels, &file)?)?;
    }
    described(py, &file.finish(py)?)
}

/// The same with other messages about the rows of these errors, whose text was null.
fn with_reasons(mut rows: ConvertedRows, errors: &[Error]) -> ConvertedRows {
    for error in errors {
        let place = format!("{NAME}, row {}, ", error.row().unwrap_or_default());
        if let Some(message) = rows.messages.iter_mut().find(|message| message.starts_with(&place)) {
            *message = format!("{NAME}, {error}");
        }
    }
    rows
}

/// What has become of rows, for Python.
fn described<'py>(py: Python<'py>, rows: &ConvertedRows) -> PyResult<Bound<'py, PyDict>> {
    let (found, left_out, of) = (PyDict::new(py), PyDict::new(py), rows.left_out);
    let reasons = [
        ("without a score", of.score),
        ("without a result", of.result),
        ("without a move", of.played),
        ("with castling that only Chess960 has", of.castling),
    ];
    for (reason, count) in reasons.into_iter().filter(|(_, count)| *count > 0) {
        left_out.set_item(reason, count)?;
    }
    found.set_item("rows", rows.rows)?;
    found.set_item("skipped", rows.skipped)?;
    found.set_item("errors", PyList::new(py, &rows.messages)?)?;
    found.set_item("left_out", left_out)?;
    found.set_item("lost_rights", of.rights)?;
    Ok(found)
}
