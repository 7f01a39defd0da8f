//! Batches: columns with names, as results of calls.

use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions, StructArray};
use arrow_schema::{Field, SchemaRef as ArrowSchemaRef};
use numpy::PyArray1;
use pyo3::exceptions::{PyImportError, PyKeyError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PyString, PyTuple};
use slider_attacks_arrow::{BatchBuilder, ColumnKind, ComputedColumns, Integers, PositionArray, Product};

use crate::columns::Array;
use crate::conditions::{mask_of_table, query};
use crate::errors::{PythonErrors, arrow_error};
use crate::index::Index;
use crate::numbers::{type_error, value_error};
use crate::pandas::PandasIndex;
use crate::schema::{Schema, struct_field};
use crate::values::{one_line, short, type_text, value};
use crate::work::{DETACH, Threads, count};
use crate::{bits, capsule, pickle};

/// Columns of the same length. Libraries that support the Arrow PyCapsule interface use them without a copy:
/// `pyarrow.record_batch(batch)`, `polars.DataFrame(batch)`, DuckDB. `to_pandas()` returns a pandas DataFrame with the index of
/// the input Series or DataFrame. A batch is immutable.
///
/// `batch[name]` is a column, `batch[[name, other]]` a batch of some columns, and `batch[a:b]` one of some rows, without a copy if
/// they are contiguous, and without `errors`. `batch[mask]` and `batch[numbers]` are copies of the rows for which a mask holds, such
/// as that of `where`, or which have these numbers. `len(batch)` is the number of rows. Iteration and `in` refer to the column names, as in a dictionary.
///
/// `==` compares the names, types and values of the columns, but not the index.
///
/// >>> import slider_attacks
/// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 9, ["maps", "mobility"])
/// >>> print(batch)
/// slider_attacks.Batch: 9 rows, 3 columns
///                type       0                      1                      2                      … 6 more
/// white_attacks  uint64     0x10101010101393e      0x10101010101393e      0x10101010101393e
/// black_attacks  uint64     0x2838000000000000     0x2838000000000000     0x2838000000000000
/// mobility       uint8[64]  [10, 0, 0, … 61 more]  [10, 0, 0, … 61 more]  [10, 0, 0, … 61 more]
/// >>> list(batch) == batch.column_names, len(batch), len(batch["mobility"]), len(batch[2:5])
/// (True, 9, 9, 3)
#[pyclass(frozen, eq, module = "slider_attacks")]
#[derive(Clone)]
pub struct Batch {
    columns: BatchColumns,
    errors: PythonErrors,
    index: PandasIndex,
}

/// Columns, whose arrays may be made later: of a call for one position, most are never used.
#[derive(Clone)]
enum BatchColumns {
    Made(RecordBatch),
    /// What they are made of, and all of them once they are made.
    Computed(Box<(ComputedColumns, OnceLock<RecordBatch>)>),
}

impl PartialEq for Batch {
    fn eq(&self, other: &Batch) -> bool {
        self.columns() == other.columns()
    }
}

impl Batch {
    /// These columns for Python.
    pub fn new(columns: RecordBatch) -> Batch {
        let columns = BatchColumns::Made(columns);
        Batch { columns, errors: PythonErrors::default(), index: PandasIndex::default() }
    }

    /// The rows of a builder, whose arrays are made when they are needed. Few need no other thread meanwhile.
    pub fn finish(py: Python<'_>, builder: BatchBuilder) -> PyResult<Batch> {
        let columns =
            if builder.len() < DETACH { builder.finish_values() } else { py.detach(|| builder.finish_values()) };
        let columns = BatchColumns::Computed(Box::new((columns.map_err(arrow_error)?, OnceLock::new())));
        Ok(Batch { columns, errors: PythonErrors::default(), index: PandasIndex::default() })
    }

    /// All columns.
    fn columns(&self) -> &RecordBatch {
        match &self.columns {
            BatchColumns::Made(columns) => columns,
            BatchColumns::Computed(columns) => columns.1.get_or_init(|| columns.0.batch()),
        }
    }

    /// The names and types of the columns.
    fn schema_ref(&self) -> &ArrowSchemaRef {
        match &self.columns {
            BatchColumns::Made(columns) => columns.schema_ref(),
            BatchColumns::Computed(columns) => columns.0.schema(),
        }
    }

    /// How many rows there are.
    fn rows(&self) -> usize {
        match &self.columns {
            BatchColumns::Made(columns) => columns.num_rows(),
            BatchColumns::Computed(columns) => columns.0.num_rows(),
        }
    }

    /// The same with these errors.
    pub fn with(self, errors: PythonErrors) -> Batch {
        Batch { errors, ..self }
    }

    /// The same with the index of these rows.
    pub fn with_index(self, index: PandasIndex) -> Batch {
        Batch { index, ..self }
    }

    /// The index of the rows.
    pub fn index(&self) -> &PandasIndex {
        &self.index
    }

    fn column(&self, name: &str) -> PyResult<ArrayRef> {
        let place = self.schema_ref().index_of(name).map_err(|_| {
            let names = self.column_names().join(", ");
            PyKeyError::new_err(format!("no column {name}; the columns are {names}"))
        })?;
        Ok(match &self.columns {
            BatchColumns::Computed(columns) if columns.1.get().is_none() => columns.0.column(place),
            _ => self.columns().column(place).clone(),
        })
    }

    /// The columns of these names, with the errors and the index of all.
    fn some_columns(&self, names: &[String]) -> PyResult<Batch> {
        let schema = self.schema_ref();
        let place = |name: &String| self.column(name).and_then(|_| schema.index_of(name).map_err(value_error));
        let places = names.iter().map(place).collect::<PyResult<Vec<_>>>()?;
        if let Some((at, name)) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            return Err(value_error(format!("column {name:?} is named twice, the second time at place {at}")));
        }
        let columns = BatchColumns::Made(self.columns().project(&places).map_err(value_error)?);
        Ok(Batch { columns, errors: self.errors.clone(), index: self.index.clone() })
    }

    fn field(&self) -> Arc<Field> {
        struct_field(self.schema_ref().fields())
    }

    /// A table for people: a line for each column, with its type and the first rows.
    fn lines(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        /// The columns and rows that are shown.
        const COLUMNS: usize = 100;
        const ROWS: usize = 3;
        let (rows, columns) = (self.rows(), self.schema_ref().fields().len());
        if columns == 0 {
            return Ok(vec![Vec::new()]);
        }
        let shown = rows.min(ROWS);
        let mut head = vec![String::new(), "type".to_owned()];
        head.extend((0..shown).map(|row| row.to_string()));
        if rows > shown {
            head.push(format!("… {} more", rows - shown));
        }
        let mut lines = vec![head];
        let names = boards();
        for (field, column) in self.schema_ref().fields().iter().zip(self.columns().columns()).take(COLUMNS) {
            let is_board = names.contains(field.name());
            let mut line = vec![one_line(field.name(), 40), one_line(&type_text(field.data_type()), 24)];
            for row in 0..shown {
                // Some types need pyarrow to be shown.
                line.push(value(py, column, row).and_then(|value| short(&value, is_board)).unwrap_or("…".into()));
            }
            lines.push(line);
        }
        if columns > COLUMNS {
            lines.push(vec![format!("… {} more", columns - COLUMNS)]);
        }
        Ok(lines)
    }

    fn heading(&self) -> String {
        let count = |number, what| if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") };
        let (rows, columns) = (self.rows(), self.schema_ref().fields().len());
        format!("slider_attacks.Batch: {}, {}", count(rows, "row"), count(columns, "column"))
    }
}

/// The names of columns of bitboards: those of products, in their order, and those of positions.
fn boards() -> Vec<String> {
    let columns = Product::ALL.iter().flat_map(|product| product.columns());
    let of_products =
        columns.filter(|column| column.kind() == ColumnKind::Bitboard).map(|column| column.name().to_owned());
    let of_positions = PositionArray::boards_schema(Integers::Unsigned);
    of_products.chain(of_positions.fields().iter().take(12).map(|field| field.name().clone())).collect()
}

/// The names in a list of names; `None` if it has anything else.
fn names(list: &Bound<'_, PyList>) -> PyResult<Option<Vec<String>>> {
    if list.is_empty() {
        return Err(type_error("an empty list names neither columns nor rows: batch[:0] has no rows"));
    }
    let name =
        |name: Bound<'_, PyAny>| Ok(name.cast::<PyString>().map(|name| name.to_string_lossy().into_owned()).ok());
    list.iter().map(name).collect()
}

/// A text that HTML takes as it is.
fn escaped(text: &str) -> String {
    let escape = |character| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(escape).collect()
}

/// A package that others bring, or an error that says what to install.
fn import<'py>(py: Python<'py>, name: &str, method: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        if !error.is_instance_of::<PyImportError>(py) {
            return error;
        }
        let extra = if name == "pyarrow" { "arrow" } else { name };
        let text = format!("{name} is not installed, which {method} needs: pip install 'slider-attacks[{extra}]'");
        let needs = PyImportError::new_err(text);
        needs.set_cause(py, Some(error));
        needs
    })
}

/// The error for a table that is to become one array of NumPy. `pandas.DataFrame` asks for such an array as well.
pub fn no_array(what: &str, name: &str, or: &str) -> PyErr {
    type_error(format!("{what} is a table, not an array: call {name}.to_pandas() or {name}.to_polars(){or}"))
}

#[pymethods]
impl Batch {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The names of the columns: `column_names`, so that `dict(batch)` has the columns by their names.
    fn keys(&self) -> Vec<String> {
        self.column_names()
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    /// The names and types of the columns.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.analyze([]).schema == slider_attacks.schema("maps")
    /// True
    #[getter]
    fn schema(&self) -> Schema {
        Schema::new(self.schema_ref().fields())
    }

    /// Why rows that were not null could not be read: for each, its number, from 0, and what is wrong with it. These are the
    /// first 1,000; `error_count` is the number of all.
    ///
    /// A batch of `read` has none: its reader has them.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None, "?"], on_error="null").errors
    /// [(2, 'row 2, column 1: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found \'?\': "?"')]
    #[getter]
    fn errors(&self) -> Vec<(usize, String)> {
        self.errors.first.clone()
    }

    /// 2, as that of a frame. So pandas does not take the names of the columns for the rows of `pandas.DataFrame([batch])`.
    #[getter]
    fn ndim(&self) -> usize {
        2
    }

    /// The number of rows that were not null and could not be read.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.analyze(["4k3/8/8/8/8/8/8/4K3 w - -", None] + ["?"] * 3000, on_error="null").error_count
    /// 3000
    #[getter]
    fn error_count(&self) -> usize {
        self.errors.count
    }

    /// This batch as a `pyarrow.RecordBatch`, without a copy.
    ///
    /// Raises ImportError if pyarrow is not installed.
    pub fn to_pyarrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        import(slf.py(), "pyarrow", "to_pyarrow")?.call_method1("record_batch", (slf,))
    }

    /// This batch as a `polars.DataFrame`, without a copy.
    ///
    /// Raises ImportError if Polars is not installed.
    pub fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        import(slf.py(), "polars", "to_polars")?.getattr("DataFrame")?.call1((slf,))
    }

    /// This batch as a `pandas.DataFrame`, as pyarrow makes it: numbers per square are arrays of NumPy. Columns of integers with
    /// nulls hold objects, int and None, because floats do not have all 64 bits.
    ///
    /// If the rows came from a Series or DataFrame of pandas, the frame has their index, also that of slices, and without the rows
    /// that `on_error="skip"` has left out: so `frame.join(…)` adds the columns to the rows that they belong to.
    ///
    /// Raises ImportError if pandas or pyarrow is not installed.
    ///
    /// >>> import pandas
    /// >>> import slider_attacks
    /// >>> frame = pandas.DataFrame({"fen": ["4k3/8/8/8/8/8/8/R3K3 w Q -", "?"]}, index=["won", "malformed"])
    /// >>> frame.join(slider_attacks.analyze(frame, "hanging", on_error="skip").to_pandas(), how="inner").index.tolist()
    /// ['won']
    pub fn to_pandas<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, index) = (slf.py(), slf.get().index.clone());
        import(py, "pandas", "to_pandas")?;
        let batch = import(py, "pyarrow", "to_pandas")?.call_method1("record_batch", (slf,))?;
        let how = PyDict::new(py);
        how.set_item("integer_object_nulls", true)?;
        let frame = batch.call_method(intern!(py, "to_pandas"), (), Some(&how))?;
        index.set_on(&frame)?;
        Ok(frame)
    }

    /// Columns of bitboards as planes of zeros and ones, as networks take them: an array of the shape (rows, columns, 8, 8). Its
    /// last two indices are the rank and the file: [0, 0] is a1, and [0, 7] is h1. Columns with a number for each square, such as
    /// `white_attackers`, are planes of these.
    ///
    /// Parameters
    /// ----------
    /// columns : names of columns of bitboards; without it, those of all that products give
    /// dtype : any NumPy type of numbers with at most 8 bytes, also bool: uint8, or that of `out`
    /// out : a NumPy array to write to, of this shape and type, which saves the time for new memory
    ///     It may be a slice of the channels of a larger array, such as planes[:, 2:16].
    ///
    /// Returns `out`, or a new array. Nothing else is allocated, except a copy of columns in the memory of `out`.
    ///
    /// Raises KeyError if there is no such column, ValueError if a board is null or `out` has another shape or is read-only, and
    /// TypeError if a column does not have bitboards or `out` has another type.
    ///
    /// >>> import slider_attacks
    /// >>> batch = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"] * 5, ["pieces", "maps"])
    /// >>> batch.planes(dtype="float32").shape
    /// (5, 14, 8, 8)
    /// >>> batch.planes(["white_rooks"])[0, 0, 0].tolist()
    /// [1, 0, 0, 0, 0, 0, 0, 0]
    #[pyo3(signature = (columns=None, *, dtype=None, out=None))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        columns: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let names: Vec<String> = match columns {
            Some(columns) if columns.is_instance_of::<PyString>() => vec![columns.extract()?],
            Some(columns) => columns.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?,
            None => boards().into_iter().filter(|name| self.schema_ref().index_of(name).is_ok()).collect(),
        };
        let columns: Vec<_> = names.iter().map(|name| self.column(name)).collect::<PyResult<_>>()?;
        let out = out.map(bits::array_to_write).transpose()?;
        bits::planes(py, &columns, self.rows(), dtype, out)
    }

    /// Whether a condition, as `where` of `read` has it, holds for each row: a NumPy array of bool. It does not hold where the
    /// position is null. The batch must have the positions, as text in the column `column` or as "boards" of `read`; other columns
    /// can be named in the condition. Products have the default options: `Positions.matches` takes others.
    ///
    /// Raises ValueError, with the column of the text, if the condition is malformed, and with the row if a position is.
    ///
    /// >>> import slider_attacks
    /// >>> positions = slider_attacks.Positions(["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"])
    /// >>> positions.boards().where("count(occupied) > 2")
    /// array([ True, False])
    #[pyo3(signature = (condition, *, column="fen", threads=1))]
    fn r#where<'py>(
        slf: &Bound<'py, Self>,
        condition: &str,
        column: &str,
        #[pyo3(from_py_with = count)] threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        mask_of_table(slf.as_any(), query(condition)?, column, &Threads::new(threads)?)
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.column_names().into_pyobject(py)?.try_iter()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<&str>().is_ok_and(|name| self.schema_ref().index_of(name).is_ok())
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(name) = key.cast::<PyString>() {
            let column = self.column(&name.to_string_lossy())?;
            return Ok(Bound::new(py, Array::new(column))?.into_any());
        }
        if let Ok(list) = key.cast::<PyList>()
            && let Some(names) = names(list)?
        {
            return Ok(Bound::new(py, self.some_columns(&names)?)?.into_any());
        }
        let Index::Rows(rows) = Index::new(key, self.rows(), "a batch")? else {
            return Err(type_error("a batch has columns by name, slices and masks of rows, and no single rows"));
        };
        let columns =
            self.columns().columns().iter().map(|column| rows.of(py, column)).collect::<PyResult<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let columns = RecordBatch::try_new_with_options(self.schema_ref().clone(), columns, &options);
        let index = self.index.indexed(&rows, key)?;
        Ok(Bound::new(py, Batch::new(columns.map_err(value_error)?).with_index(index))?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let lines = self.lines(py)?;
        let width = |at: usize| lines.iter().filter_map(|line| line.get(at)).map(|text| text.chars().count()).max();
        let widths: Vec<usize> = (0..lines[0].len()).filter_map(width).collect();
        let texts = lines.iter().map(|line| {
            let cells = line.iter().zip(&widths).map(|(text, &width)| format!("{text:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        });
        Ok([self.heading()].into_iter().chain(texts).collect::<Vec<_>>().join("\n").trim_end().to_owned())
    }

    /// The table for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let row = |line: &Vec<String>, tag: &str| {
            let cells = line.iter().map(|text| format!("<{tag}>{}</{tag}>", escaped(text)));
            format!("<tr>{}</tr>", cells.collect::<String>())
        };
        let lines = self.lines(py)?;
        let body: String = lines[1..].iter().map(|line| row(line, "td")).collect();
        let (caption, head) = (escaped(&self.heading()), row(&lines[0], "th"));
        Ok(format!("<table><caption>{caption}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo; // it never changes
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        pickle::reduce::<Batch>(py, self.schema_ref(), Some(self.columns()), &self.errors, &self.index)
    }

    /// What NumPy asks for, and pandas with it, which would make rows of the names otherwise.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Option<&Bound<'_, PyAny>>, copy: Option<bool>) -> PyResult<()> {
        let _ = (dtype, copy);
        let column = self.column_names().into_iter().next().unwrap_or_else(|| "…".to_owned());
        Err(no_array("a batch", "batch", &format!(", or batch[{column:?}].to_numpy() for a column")))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        capsule::export(py, &StructArray::from(self.columns().clone()), &self.field())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::export_stream(py, RecordBatchIterator::new([Ok(self.columns().clone())], self.schema_ref().clone()))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::export_schema(py, &self.field())
    }
}
