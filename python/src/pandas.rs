//! The index of rows from pandas, which results give back in `to_pandas`.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use crate::index::IndexRows;
use crate::numbers::value_error;

/// The index of rows that came from pandas; nothing for all others.
#[derive(Clone, Default)]
pub struct PandasIndex(Option<Arc<Py<PyAny>>>);

/// Series, DataFrame and Index, once somebody has imported pandas: before that, no object has these classes.
fn classes(py: Python<'_>) -> PyResult<Option<&'static [Py<PyAny>; 3]>> {
    static CLASSES: PyOnceLock<[Py<PyAny>; 3]> = PyOnceLock::new();
    if let Some(classes) = CLASSES.get(py) {
        return Ok(Some(classes));
    }
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    // Most programs have not imported it, and it is asked for in each call.
    let Some(pandas) = modules.cast::<PyDict>()?.get_item(intern!(py, "pandas"))? else { return Ok(None) };
    let class = |name: &str| pandas.getattr_opt(name);
    let (Some(series), Some(frame), Some(index)) = (class("Series")?, class("DataFrame")?, class("Index")?) else {
        return Ok(None);
    };
    Ok(Some(CLASSES.get_or_init(py, || [series.unbind(), frame.unbind(), index.unbind()])))
}

/// The index of a Series or of a DataFrame.
fn index_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let Some([series, frame, _]) = classes(py)? else { return Ok(None) };
    let has_index = object.is_instance(series.bind(py))? || object.is_instance(frame.bind(py))?;
    if has_index { object.getattr(intern!(py, "index")).map(Some) } else { Ok(None) }
}

/// Fails if columns of pandas have different indices: pandas would pair their rows by them, and everyone else by their order.
pub fn same_index<'a, 'py: 'a>(columns: impl IntoIterator<Item = &'a Bound<'py, PyAny>>) -> PyResult<()> {
    let mut first: Option<Bound<'py, PyAny>> = None;
    for column in columns {
        let Some(index) = index_of(column)? else { continue };
        let is_same =
            |first: &Bound<'py, PyAny>| first.call_method1(intern!(index.py(), "equals"), (&index,))?.is_truthy();
        if !first.as_ref().map_or(Ok(true), is_same)? {
            return Err(value_error(
                "the columns of pandas have different indices: put them into one DataFrame, or take the order of their rows with \
                 .to_numpy()",
            ));
        }
        first = Some(index);
    }
    Ok(())
}

/// A copy, which shares the memory: the names of an index can be changed, and the rest cannot.
fn copied<'py>(index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    index.call_method0(intern!(index.py(), "copy"))
}

impl PandasIndex {
    /// The index of a Series or of a DataFrame, or an Index itself, whose values are the rows.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<PandasIndex> {
        let py = object.py();
        if object.is_exact_instance_of::<PyList>() {
            return Ok(PandasIndex::default());
        }
        let index = match classes(py)? {
            Some([_, _, index]) if object.is_instance(index.bind(py))? => Some(object.clone()),
            _ => index_of(object)?,
        };
        index.map_or_else(|| Ok(PandasIndex::default()), |index| Ok(PandasIndex::new(copied(&index)?)))
    }

    /// An index of pandas, or None.
    pub fn new(index: Bound<'_, PyAny>) -> PandasIndex {
        PandasIndex((!index.is_none()).then(|| Arc::new(index.unbind())))
    }

    /// The index, if there is one.
    pub fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.as_ref().map(|index| index.bind(py).clone())
    }

    /// The index of the rows that are left without these.
    pub fn without(self, py: Python<'_>, rows: &[usize]) -> PyResult<PandasIndex> {
        match self.get(py) {
            Some(index) if !rows.is_empty() => {
                let rows = PyArray1::from_vec(py, rows.iter().map(|&row| row as i64).collect());
                Ok(PandasIndex::new(index.call_method1(intern!(py, "delete"), (rows,))?))
            }
            _ => Ok(self),
        }
    }

    /// The index of these rows.
    pub fn of_rows(&self, py: Python<'_>, rows: impl Iterator<Item = usize>) -> PyResult<PandasIndex> {
        let Some(index) = self.get(py) else { return Ok(PandasIndex::default()) };
        let rows = PyArray1::from_vec(py, rows.map(|row| row as i64).collect());
        Ok(PandasIndex::new(index.call_method1(intern!(py, "take"), (rows,))?))
    }

    /// The index of the rows that an index of Python names.
    pub fn indexed(&self, rows: &IndexRows, by: &Bound<'_, PyAny>) -> PyResult<PandasIndex> {
        match (rows, self.get(by.py())) {
            (IndexRows::Slice(_), Some(index)) => Ok(PandasIndex::new(index.get_item(by)?)),
            _ => self.of_rows(by.py(), rows.iter()),
        }
    }

    /// Makes it the index of a DataFrame.
    pub fn set_on(&self, frame: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = frame.py();
        let Some(index) = self.get(py) else { return Ok(()) };
        frame.setattr(intern!(py, "index"), copied(&index)?)
    }
}
