//! Iteration over rows.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::work::between;

/// Rows whose values can be listed, for iteration.
pub trait ListableRows: Send + Sync {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// The values of these rows.
    fn list<'py>(&self, py: Python<'py>, rows: Range<usize>) -> PyResult<Bound<'py, PyList>>;
}

/// The values of an iteration, created in batches.
#[pyclass(module = "slider_attacks._native")]
pub struct Items {
    of: Box<dyn ListableRows>,
    /// The row after those of `made`.
    next: usize,
    made: Option<Py<PyList>>,
    /// How many of those have been given.
    given: usize,
}

impl Items {
    /// How many are made at a time.
    const SOME: usize = 1024;

    /// The values of all rows.
    pub fn new(of: Box<dyn ListableRows>) -> Items {
        Items { of, next: 0, made: None, given: 0 }
    }
}

#[pymethods]
impl Items {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        /// How many values all loops have made.
        static MADE: AtomicUsize = AtomicUsize::new(0);
        if let Some(made) = &self.made
            && let Ok(value) = made.bind(py).get_item(self.given)
        {
            self.given += 1;
            return Ok(Some(value));
        }
        if self.next == self.of.rows() {
            self.made = None;
            return Ok(None);
        }
        let end = self.of.rows().min(self.next + Self::SOME);
        // Short loops that follow each other are together as long as one.
        let before = MADE.fetch_add(end - self.next, Relaxed);
        (before..before.saturating_add(end - self.next)).try_for_each(|turn| between(py, turn))?;
        let made = self.of.list(py, self.next..end)?;
        let first = made.get_item(0)?;
        (self.next, self.given, self.made) = (end, 1, Some(made.unbind()));
        Ok(Some(first))
    }

    fn __length_hint__(&self, py: Python<'_>) -> usize {
        let made = self.made.as_ref().map_or(0, |made| made.bind(py).len() - self.given);
        self.of.rows() - self.next + made
    }
}
