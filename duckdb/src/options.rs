//! What a database computes with: the options, which `slider_attacks_options` changes.

use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context, Result, anyhow};
use slider_attacks::Backend;
use slider_attacks_arrow::{Plan, Product};

use crate::register::{Call, Table};
use crate::types::{Columns, Plain, Type};
use crate::vectors::{Output, Value};

/// The options of a database.
#[derive(Clone, Debug)]
pub struct Options {
    /// Without products; the options of all of them.
    pub plan: Plan,
    /// What computes, also for pairs.
    pub backend: Backend,
    /// A row that cannot be read is an error of the query. Otherwise it is null.
    pub fails: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { plan: Plan::new([Product::Maps; 0]), backend: Backend::active(), fails: false }
    }
}

/// Those that all functions of a database share.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<RwLock<Options>>);

impl Shared {
    /// The options now.
    pub fn get(&self) -> Options {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The backend that is chosen by the CPU.
const AUTO: &str = "auto";

/// The parameters of `slider_attacks_options`.
pub const PARAMETERS: [&str; 6] = ["on_error", "through", "victims", "values", "pinned", "backend"];

/// The same, with their types.
pub fn parameters() -> Vec<(&'static str, Type)> {
    PARAMETERS.map(|name| (name, if name == "values" { Plain::Any } else { Plain::Text }.into())).into()
}

/// `call slider_attacks_options(…)`: those that are named change.
#[derive(Debug)]
pub struct SetOptions(pub Shared);

impl Options {
    /// The options with those that a call names.
    ///
    /// # Errors
    ///
    /// One has a value that is not known.
    pub fn named(self, call: &Call) -> Result<Options> {
        let fails = match call.named("on_error", Value::text)?.as_deref() {
            None => self.fails,
            Some("fail") => true,
            Some("null") => false,
            Some(other) => return Err(anyhow!("on_error: expected one of fail, null, found {other:?}")),
        };
        Options { fails, ..self }.named_beside_errors(call)
    }

    /// The same without `on_error`.
    ///
    /// # Errors
    ///
    /// Those of [`named`](Options::named).
    pub fn named_beside_errors(mut self, call: &Call) -> Result<Options> {
        let text = |name: &str| call.named(name, Value::text);
        if let Some(value) = text("through")? {
            self.plan = self.plan.through(value.parse().context("through")?);
        }
        if let Some(value) = text("victims")? {
            self.plan = self.plan.victims(value.parse().context("victims")?);
        }
        // A text such as "1,3,3,5,9", or a list of numbers.
        if let Some(values) = call.named("values", Value::texts)? {
            self.plan = self.plan.piece_values(values.join(",").parse().context("values")?);
        }
        if let Some(value) = text("pinned")? {
            self.plan = self.plan.pinned(value.parse().context("pinned")?);
        }
        if let Some(value) = text("backend")? {
            self.backend = if value == AUTO { Backend::active() } else { value.parse().context("backend")? };
            self.plan = self.plan.backend(self.backend);
        }
        Ok(self)
    }
}

impl Table for SetOptions {
    type Bound = Options;
    type Run = ();
    type Part = ();

    fn bind(&self, call: &Call) -> Result<(Options, Columns, u64)> {
        // DuckDB asks for at least one column.
        Ok((self.0.get().named(call)?, vec![("done".to_owned(), Plain::Bool.into())], 0))
    }

    fn begin(&self, changed: &Options, _: &[usize]) -> Result<((), usize)> {
        *self.0.0.write().unwrap_or_else(PoisonError::into_inner) = changed.clone();
        Ok(((), 1))
    }

    fn next(&self, (): &(), (): &mut (), _: &mut [Output<'_>]) -> Result<usize> {
        Ok(0)
    }
}
