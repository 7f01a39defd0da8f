//! Conversion of the caller's positions: columns, tables, dictionaries and sequences become Arrow columns.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{LargeStringBuilder, UInt8Builder};
use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, LargeBinaryArray, StructArray, UInt64Array, new_null_array};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field};
use numpy::PyUntypedArrayMethods;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use slider_attacks::position::{BoardError, Color, Piece, Positions};
use slider_attacks_arrow::{Error, Integers, OnError, PositionArray};
use slider_attacks_formats::fen::is_board;

use crate::arrays::{boards, read};
use crate::capsule::{self, one};
use crate::errors::arrow_error;
use crate::numbers::{engine, plan_of_work, square, type_error, type_name, value_error, warn};
use crate::pandas::same_index;
use crate::plan::PART;
use crate::work::{Threads, between, in_parts, memory_for, room};

/// The name of the column with the positions, if the caller does not give one.
pub const COLUMN: &str = "fen";

/// The bytes of a position that has been read.
pub const POSITION: usize = 136;

/// The columns of positions that `object` has: an Arrow column of text or a table of bitboards, in pieces; or texts. Of a table,
/// `column` is the name of the column that has the positions.
pub fn rows(object: &Bound<'_, PyAny>, column: &str) -> PyResult<Vec<ArrayRef>> {
    let py = object.py();
    if let Ok(columns) = object.cast_exact::<PyList>() {
        return Ok(vec![texts(columns)?]);
    }
    if let Some(error) = one_text(object) {
        return Err(error);
    }
    if let Some(error) = plan_of_work(object)? {
        return Err(error);
    }
    if let Ok(columns) = object.cast::<PyDict>() {
        return in_dictionary(columns, column);
    }
    let mut object = object.clone();
    if let Some(labels) = labels(&object)? {
        let names = labels.iter().map(label_text).collect::<PyResult<Vec<_>>>()?;
        check_index(&object, &names, column)?;
        let places = match choose(py, &names, column)? {
            // Other columns may take long to make or to convert, or cannot be converted.
            Choice::One(at) => return in_column(&names[at], &object.get_item(&labels[at])?),
            Choice::Boards(places) => places,
        };
        // DuckDB does not know lists of labels.
        object = object.get_item(places.iter().map(|&at| &labels[at]).collect::<Vec<_>>()).unwrap_or(object);
    }
    let arrays = capsule::import_columns(&object, |fields| {
        let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        Ok(match choose(py, &names, column)? {
            Choice::One(at) => vec![at],
            Choice::Boards(places) => places,
        })
    })?;
    if let Some(arrays) = arrays {
        return arrays.into_iter().map(of_table).collect();
    }
    if let Some(labels) = labels(&object)? {
        let columns = PyDict::new(py);
        labels.iter().try_for_each(|label| columns.set_item(label, object.get_item(label)?))?;
        return in_dictionary(&columns, column);
    }
    if let Some(error) = elsewhere(&object)? {
        return Err(error);
    }
    Ok(vec![texts(&object)?])
}

/// The same, and other columns of a table that have these names, each in one piece. `missing` gives the error if there is no column
/// of a name, by its place among them: of these columns, or of an object that is no table.
pub fn rows_with(
    object: &Bound<'_, PyAny>,
    column: &str,
    names: &[String],
    missing: impl Fn(usize, Option<&[String]>) -> PyErr,
) -> PyResult<(Vec<ArrayRef>, Vec<ArrayRef>)> {
    if names.is_empty() {
        return Ok((rows(object, column)?, Vec::new()));
    }
    let places = |all: &[String]| {
        let place = |(at, name): (usize, &String)| find(object.py(), all, name)?.ok_or_else(|| missing(at, Some(all)));
        names.iter().enumerate().map(place).collect()
    };
    let (arrays, others) = rows_and_columns(object, column, places)?;
    let others = others.ok_or_else(|| missing(0, None))?;
    let rows = arrays.iter().map(|array| array.len()).sum::<usize>();
    match names.iter().zip(&others).find(|(_, column)| column.len() != rows) {
        Some((name, other)) => {
            Err(value_error(format!("column {name:?} has {} rows, and there are {rows} positions", other.len())))
        }
        None => Ok((arrays, others)),
    }
}

/// The same, and other columns of a table, each in one piece, unless `object` is none. `others` finds their places among the names
/// of all columns.
pub fn rows_and_columns(
    object: &Bound<'_, PyAny>,
    column: &str,
    others: impl Fn(&[String]) -> PyResult<Vec<usize>>,
) -> PyResult<(Vec<ArrayRef>, Option<Vec<ArrayRef>>)> {
    let py = object.py();
    if let Some(error) = plan_of_work(object)? {
        return Err(error);
    }
    let labels = match object.cast::<PyDict>() {
        Ok(columns) => {
            same_index(&columns.values().iter().collect::<Vec<_>>())?;
            Some(columns.keys().iter().collect())
        }
        Err(_) => labels(object)?,
    };
    let mut object = object.clone();
    if let Some(labels) = labels {
        let all = labels.iter().map(label_text).collect::<PyResult<Vec<_>>>()?;
        let others = others(&all)?;
        if engine(&object) != "duckdb" {
            let other = |place: usize| {
                let column = object.get_item(&labels[place])?;
                match capsule::import(&column)? {
                    Some(arrays) => one(&arrays),
                    None => values(&column, &all[place]),
                }
            };
            let others = others.into_iter().map(other).collect::<PyResult<_>>()?;
            return Ok((rows(&object, column)?, Some(others)));
        }
        // A query may give other rows each time that it runs, so one run gives all columns.
        let mut places = others;
        match choose(py, &all, column)? {
            Choice::One(at) => places.push(at),
            Choice::Boards(boards) => places.extend(boards),
        }
        places.sort_unstable();
        places.dedup();
        let quoted: Vec<_> = places.iter().map(|&at| format!("\"{}\"", all[at].replace('"', "\"\""))).collect();
        object = object.call_method1(intern!(py, "project"), (quoted.join(", "),))?;
    }
    let object = &object;
    if object.is_instance_of::<PyList>() || one_text(object).is_some() {
        return Ok((rows(object, column)?, None));
    }
    // A stream can be read only once.
    let places = RefCell::new((0, Vec::new()));
    let arrays = capsule::import_columns(object, |fields| {
        let all: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let mut chosen = match choose(py, &all, column)? {
            Choice::One(at) => vec![at],
            Choice::Boards(places) => places,
        };
        let (own, mut found) = (chosen.len(), Vec::new());
        for place in others(&all)? {
            found.push(chosen.iter().position(|&at| at == place).unwrap_or(chosen.len()));
            if found.last() == Some(&chosen.len()) {
                chosen.push(place);
            }
        }
        places.replace((own, found));
        Ok(chosen)
    })?;
    let Some(arrays) = arrays else { return Ok((rows(object, column)?, None)) };
    let tables: Option<Vec<_>> = arrays.iter().map(|table| table.as_struct_opt().cloned()).collect();
    let (own, others) = places.into_inner();
    let Some(tables) = tables.filter(|_| own > 0) else {
        return Ok((arrays.into_iter().map(of_table).collect::<PyResult<_>>()?, None));
    };
    let part = |table: &StructArray| {
        let fields = table.fields().iter().take(own).cloned().collect();
        of_table(Arc::new(StructArray::new(fields, table.columns()[..own].to_vec(), table.nulls().cloned())))
    };
    let other = |&place: &usize| one(&tables.iter().map(|table| table.column(place).clone()).collect::<Vec<_>>());
    let others = others.iter().map(other).collect::<PyResult<_>>()?;
    Ok((tables.iter().map(part).collect::<PyResult<_>>()?, Some(others)))
}

/// The place of a column: an exact match, or else the first that ignores case, with a warning if there are several.
pub fn find(py: Python<'_>, names: &[String], name: &str) -> PyResult<Option<usize>> {
    let matching = |is_equal: fn(&str, &str) -> bool| (0..names.len()).filter(move |&at| is_equal(&names[at], name));
    let exact: Vec<usize> = matching(|a, b| a == b).collect();
    if let [first, _, ..] = exact[..] {
        return Err(value_error(format!("there are {} columns {:?}: rename the others", exact.len(), names[first])));
    }
    let alike: Vec<usize> = matching(str::eq_ignore_ascii_case).collect();
    if let ([], [first, _, ..]) = (&exact[..], &alike[..]) {
        let all: Vec<String> = alike.iter().map(|&at| format!("{:?}", names[at])).collect();
        let (all, taken) = (all.join(", "), &names[*first]);
        if alike.iter().any(|&at| at != *first && names[at] == *taken) {
            return Err(value_error(format!("{name:?} names the columns {all}, and some have the same name")));
        }
        warn(py, &format!("{name:?} names the columns {all}: {taken:?} is taken"))?;
    }
    Ok(exact.first().or(alike.first()).copied())
}

/// The values of a sequence as text.
fn values(column: &Bound<'_, PyAny>, name: &str) -> PyResult<ArrayRef> {
    let wrong = |_| type_error(format!("column {name:?} is an Arrow column or a sequence, not {}", type_name(column)));
    let mut texts = LargeStringBuilder::new();
    for (row, value) in column.try_iter().map_err(wrong)?.enumerate() {
        let value = value?;
        between(column.py(), row)?;
        if row.is_power_of_two() {
            memory_for(3 * texts.values_slice().len())?; // as for the positions
        }
        texts.append_option((!is_missing(&value)).then(|| label_text(&value)).transpose()?);
    }
    Ok(Arc::new(texts.finish()))
}

/// The columns of positions of a dictionary of columns.
fn in_dictionary(columns: &Bound<'_, PyDict>, column: &str) -> PyResult<Vec<ArrayRef>> {
    let names = columns.keys().iter().map(|name| label_text(&name)).collect::<PyResult<Vec<_>>>()?;
    match choose(columns.py(), &names, column)? {
        Choice::One(at) => in_column(&names[at], &columns.values().get_item(at)?),
        Choice::Boards(places) => Ok(vec![table(columns, &names, &places)?]),
    }
}

/// The column of texts of a table that has no other, or else the array itself.
fn of_table(array: ArrayRef) -> PyResult<ArrayRef> {
    match array.as_struct_opt() {
        Some(table) if table.num_columns() == 1 => {
            let column = column_of_texts(table.column_names()[0], table.column(0).clone())?;
            let field = Arc::new(Field::new("", column.data_type().clone(), true));
            let table = StructArray::try_new(vec![field].into(), vec![column], table.nulls().cloned());
            Ok(table.map_err(value_error)?.flatten().1.remove(0))
        }
        Some(table) => check_boards(table).map(|()| array.clone()),
        None => Ok(nulls_alone(&array).unwrap_or(array)),
    }
}

/// A column of nulls alone, of whatever type: pandas makes floats of them, also if there are no rows.
fn nulls_alone(column: &ArrayRef) -> Option<ArrayRef> {
    let are_null = column.null_count() == column.len() && (column.data_type().is_floating() || !column.is_empty());
    are_null.then(|| new_null_array(&DataType::Null, column.len()))
}

/// Fails if a column of bitboards has fewer than 64 bits.
fn check_boards(table: &StructArray) -> PyResult<()> {
    for (name, column) in table.column_names().into_iter().zip(table.columns()) {
        let advice = match column.data_type() {
            _ if !name.contains("white_") && !name.contains("black_") => continue,
            DataType::UInt64 | DataType::Int64 | DataType::Null => continue,
            DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => "cast it to UInt64",
            DataType::Int8 | DataType::Int16 | DataType::Int32 => {
                "cast it to UInt64; if some are negative, first to unsigned integers of its own size"
            }
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                "and numbers above 2**53 have been rounded: make it UInt64 where it comes from"
            }
            _ => "a number whose bit i stands for square i",
        };
        let kind = column.data_type();
        return Err(type_error(format!("column {name} is {kind}, and bitboards are UInt64 or Int64: {advice}")));
    }
    Ok(())
}

/// What to do with a column of this type in place of texts, as the end of a message.
pub fn advice_on(kind: &DataType) -> &'static str {
    let is_list = matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..));
    if is_list {
        "; for game_positions, join the moves of each game, as with pyarrow.compute.binary_join(moves, \" \")"
    } else {
        ""
    }
}

/// A column of this name, which has texts or nulls alone.
fn column_of_texts(name: &str, column: ArrayRef) -> PyResult<ArrayRef> {
    let kind = column.data_type();
    let values = if let DataType::Dictionary(_, values) = kind { values } else { kind };
    match values {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null | DataType::Struct(_) => Ok(column),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Ok(column),
        _ => nulls_alone(&column).ok_or_else(|| {
            type_error(format!(
                "column {name:?} is {kind}, and positions are text, FEN or EPD: `column` names the column that has them{}",
                advice_on(kind)
            ))
        }),
    }
}

/// The positions that a column of a table has.
fn in_column(name: &str, column: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if column.is_instance_of::<PyString>() || column.is_instance_of::<PyBytes>() {
        return Err(type_error(format!("column {name:?} is one text: put it into a list")));
    }
    if let Some(arrays) = capsule::import(column)? {
        return arrays.into_iter().map(|array| column_of_texts(name, array)).collect();
    }
    Ok(vec![texts(column)?])
}

/// Where a table has its positions.
enum Choice {
    /// Text, in the column at this place.
    One(usize),
    /// Bitboards, in the columns at these places.
    Boards(Vec<usize>),
}

/// Finds the positions in a table with columns of these names.
fn choose(py: Python<'_>, names: &[String], column: &str) -> PyResult<Choice> {
    if let Some(at) = find(py, names, column)? {
        return Ok(Choice::One(at));
    }
    let schema = PositionArray::boards_schema(Integers::Unsigned);
    let boards: Vec<(&String, Option<usize>)> = schema
        .fields()
        .iter()
        .map(|field| field.name())
        .map(|name| (name, names.iter().position(|it| it == name)))
        .collect();
    const PIECES: usize = 12;
    match names {
        [] => return Err(type_error("the table has no columns")),
        _ if column != COLUMN => {}
        _ if boards[..PIECES].iter().any(|(_, place)| place.is_some()) => {
            if let Some((missing, _)) = boards[..PIECES].iter().find(|(_, place)| place.is_none()) {
                return Err(type_error(format!(
                    "column {missing} is missing: bitboards are twelve columns, white_pawn to black_king; where there are no such \
                     pieces, they are 0"
                )));
            }
            return Ok(Choice::Boards(boards.into_iter().filter_map(|(_, place)| place).collect()));
        }
        [_] => return Ok(Choice::One(0)),
        _ => {}
    }
    let words = ["fen", "epd", "position", "board"];
    let like = |name: &&String| words.iter().any(|word| name.to_ascii_lowercase().contains(word));
    let guess = names.iter().find(like).map_or("…", |name| name.as_str());
    let all: String = names.join(", ").chars().take(300).collect();
    Err(value_error(format!(
        "no column {column:?}; the columns are {all}. Say which one has the positions, as in column={guess:?}"
    )))
}

/// The labels of the columns of a frame, which gives each column by its label: pandas, Polars, DuckDB.
fn labels<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let Some(columns) = object.getattr_opt(intern!(object.py(), "columns"))? else { return Ok(None) };
    let Ok(labels) = columns.try_iter() else { return Ok(None) };
    let labels = labels.collect::<PyResult<Vec<_>>>()?;
    // In pyarrow, they are the columns themselves.
    let are_labels = labels.iter().any(|label| label.is_instance_of::<PyString>());
    Ok(are_labels.then_some(labels))
}

/// A label as text.
fn label_text(label: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(label.str()?.to_string_lossy().into_owned())
}

/// Fails if the positions are the index of a frame of pandas, and no column of it.
fn check_index(frame: &Bound<'_, PyAny>, names: &[String], column: &str) -> PyResult<()> {
    let py = frame.py();
    let Some(index) = frame.getattr_opt(intern!(py, "index"))? else { return Ok(()) };
    let Some(levels) = index.getattr_opt(intern!(py, "names"))? else { return Ok(()) };
    let is_column = |name: &str| name.eq_ignore_ascii_case(column);
    let is_level =
        levels.try_iter()?.any(|level| level.and_then(|level| label_text(&level)).is_ok_and(|it| is_column(&it)));
    if is_level && !names.iter().any(|name| is_column(name)) {
        return Err(value_error(format!(
            "{column:?} is the index, not a column: take frame.index.get_level_values({column:?}), or frame.reset_index()"
        )));
    }
    Ok(())
}

/// The message about a single text instead of a sequence.
fn one_text(object: &Bound<'_, PyAny>) -> Option<PyErr> {
    let is_fen = match object.cast::<PyString>() {
        Ok(text) => is_board(text.to_string_lossy().trim_start().as_bytes()),
        Err(_) if object.is_instance_of::<PyBytes>() => true,
        Err(_) => return None,
    };
    let path = if is_fen { "" } else { ", or call `read` if it is the path of a file" };
    Some(type_error(format!("positions must be a sequence of str, not one str: put it into a list{path}")))
}

/// The message about files and boards, which users confuse with positions.
fn elsewhere(object: &Bound<'_, PyAny>) -> PyResult<Option<PyErr>> {
    let (py, kind) = (object.py(), type_name(object));
    Ok(if object.hasattr(intern!(py, "__fspath__"))? {
        Some(type_error(format!("positions are in memory, not in a file: `read` takes this {kind}")))
    } else if object.hasattr(intern!(py, "read"))? {
        let text =
            format!("positions are in memory, not in a file like this {kind}: `read` takes files with mode \"rb\"");
        Some(type_error(text))
    } else if object.hasattr(intern!(py, "fen"))? && object.try_iter().is_err() {
        Some(type_error(format!("positions must be a sequence of str, not a {kind}: write [board.fen()]")))
    } else {
        None
    })
}

/// Whether this is a missing value: None, NaN, or those of pandas and NumPy.
fn is_missing(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.extract::<f64>().is_ok_and(f64::is_nan)
        || matches!(type_name(object).as_str(), "NAType" | "NaTType" | "MaskedConstant")
}

/// How many texts there is room for at first.
const FEW: usize = 1024;

/// The texts of a sequence of `str`, `bytes` and values that are missing.
fn texts(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let py = object.py();
    let few = object.cast::<PyList>().map_or(FEW, |list| list.len().min(FEW));
    let (mut texts, mut ends) = (Vec::with_capacity(few * 64), Vec::with_capacity(few + 1));
    let mut valid = NullBufferBuilder::new(few);
    ends.push(0);
    let items = object.try_iter().map_err(|_| {
        let kind = type_name(object);
        type_error(format!(
            "positions must be an Arrow column or table, a sequence of str, or a dictionary, not {kind}"
        ))
    })?;
    for (row, text) in items.enumerate() {
        let text = text?;
        between(py, row)?;
        if row.is_power_of_two() {
            memory_for(3 * texts.len())?; // about as many more, and a copy as the memory grows
        }
        let is_valid = if let Ok(text) = text.cast::<PyString>() {
            match text.to_str() {
                Ok(text) => texts.extend_from_slice(text.as_bytes()),
                // A lone surrogate is no character, and no position has it: the reader of FEN finds its bytes.
                Err(_) => {
                    let bytes = text.call_method1(intern!(py, "encode"), ("utf-8", "surrogatepass"))?;
                    texts.extend_from_slice(bytes.cast::<PyBytes>()?.as_bytes());
                }
            }
            true
        } else if let Ok(text) = text.cast::<PyBytes>() {
            texts.extend_from_slice(text.as_bytes());
            true
        } else if is_missing(&text) {
            false
        } else {
            let advice = if text.hasattr(intern!(py, "fen"))? { ": write board.fen()" } else { "" };
            return Err(type_error(format!("row {row}: positions must be str, not {}{advice}", type_name(&text))));
        };
        valid.append(is_valid);
        ends.push(texts.len() as i64);
    }
    let (ends, texts) = (OffsetBuffer::new(ends.into()), Buffer::from_vec(texts));
    Ok(Arc::new(LargeBinaryArray::new(ends, texts, valid.finish())))
}

/// A table of these columns of a dictionary: Arrow columns, texts, or numbers.
fn table(columns: &Bound<'_, PyDict>, names: &[String], places: &[usize]) -> PyResult<ArrayRef> {
    let (mut fields, mut arrays) = (Vec::new(), Vec::<ArrayRef>::new());
    let values = columns.values();
    same_index(&places.iter().map(|&at| values.get_item(at)).collect::<PyResult<Vec<_>>>()?)?;
    for &at in places {
        let (name, column) = (&names[at], values.get_item(at)?);
        let array: ArrayRef = if let Some(arrays) = capsule::import(&column)? {
            one(&arrays)?
        } else if name == "side_to_move" || name == "castling" {
            texts(&column)?
        } else if name == "en_passant" {
            let mut numbers = UInt8Builder::new();
            for (row, number) in column.try_iter()?.enumerate() {
                let number = number?;
                between(column.py(), row)?;
                let place = || format!(" in row {row}");
                let number = (!is_missing(&number)).then(|| square(&number, place)).transpose()?;
                numbers.append_option(number.map(u8::from));
            }
            Arc::new(numbers.finish())
        } else {
            let boards = boards(&column, name)?;
            if boards.ndim() != 1 {
                return Err(value_error(format!("{name} has {} dimensions, not one", boards.ndim())));
            }
            let boards = read(&boards)?;
            let mut copy = room(boards.len())?;
            copy.extend_from_slice(&boards);
            Arc::new(UInt64Array::from(copy))
        };
        if let Some(first) = arrays.first()
            && first.len() != array.len()
        {
            let (rows, first, other) = (array.len(), &names[places[0]], first.len());
            return Err(value_error(format!("column {name} has {rows} rows, and {first} has {other}")));
        }
        fields.push(Arc::new(Field::new(name, array.data_type().clone(), true)));
        arrays.push(array);
    }
    let table = StructArray::try_new(fields.into(), arrays, None).map_err(value_error)?;
    check_boards(&table)?;
    Ok(Arc::new(table))
}

/// The rows of `range`, as slices of the pieces of a column.
pub fn slices(arrays: &[ArrayRef], range: &Range<usize>) -> Vec<ArrayRef> {
    let mut slices = Vec::new();
    let mut start = 0;
    for array in arrays {
        let (from, to) = (range.start.max(start), range.end.min(start + array.len()));
        if from < to {
            slices.push(array.slice(from - start, to - from));
        }
        start += array.len();
    }
    slices
}

/// The rows of `range`, as slices of the pieces of a column: several for each thread.
pub fn pieces(arrays: &[ArrayRef], range: &Range<usize>, threads: &Threads) -> Vec<ArrayRef> {
    let (slices, piece) = (slices(arrays, range), threads.piece(range.len()));
    let cut = |rows: ArrayRef| -> Vec<ArrayRef> {
        (0..rows.len()).step_by(piece).map(|start| rows.slice(start, piece.min(rows.len() - start))).collect()
    };
    if piece < range.len() { slices.into_iter().flat_map(cut).collect() } else { slices }
}

/// Reads the positions of a column. Threads share its rows.
pub fn positions(py: Python<'_>, arrays: &[ArrayRef], on_error: OnError, threads: &Threads) -> PyResult<PositionArray> {
    try_positions(py, arrays, on_error, threads)?.map_err(arrow_error)
}

/// The same, but the error of a malformed row is not yet one of Python.
pub fn try_positions(
    py: Python<'_>,
    arrays: &[ArrayRef],
    on_error: OnError,
    threads: &Threads,
) -> PyResult<Result<PositionArray, Error>> {
    let rows: usize = arrays.iter().map(|array| array.len()).sum();
    memory_for(rows.saturating_mul(POSITION))?;
    let mut read = PositionArray::with(on_error);
    if rows == 0 {
        return Ok(arrays.iter().try_for_each(|array| read.append(array)).map(|()| read));
    }
    read.reserve(rows);
    let done = in_parts(py, rows, threads.part(PART), |part| {
        if let Threads::Own = threads {
            return slices(arrays, &part).iter().try_for_each(|array| read.append(array));
        }
        let pieces = pieces(arrays, &part, threads);
        let mut first = part.start;
        for (rows, piece) in
            threads.map(&pieces, |rows| PositionArray::read_with(rows, on_error)).into_iter().zip(&pieces)
        {
            read.extend(rows.map_err(|error| error.after(first))?);
            first += piece.len();
        }
        Ok(())
    })?;
    Ok(done.map(|()| read))
}

/// Adds a copy of one of the positions.
pub fn push(all: &Positions, row: usize, to: &mut Positions) -> Result<(), BoardError> {
    let pieces = Color::ALL.map(|color| Piece::ALL.map(|piece| all.pieces(color, piece)[row]));
    to.push_boards(pieces, all.side_to_move()[row], all.castling()[row], all.en_passant()[row])
}
