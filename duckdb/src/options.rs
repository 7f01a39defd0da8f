//! The options of a database, which `slider_attacks_options` changes.

use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context, Result, anyhow, bail};
use slider_attacks::Backend;
use slider_attacks_arrow::{OnError, OptionKind, Options as ProductOptions, Plan, Product};

use crate::register::{FunctionCall, TableFunction};
use crate::types::{PlainType, TableColumns, Type};
use crate::vectors::{OutputVector, Value};

/// The options of a database.
#[derive(Clone, Debug)]
pub struct DatabaseOptions {
    /// How products are computed; it has none.
    pub plan: Plan,
    /// Those that change products, which `plan` has as well.
    products: ProductOptions,
    /// The backend, also for pairs.
    pub backend: Backend,
    /// A row that cannot be read is an error of the query. Otherwise it is null.
    pub fails: bool,
}

impl Default for DatabaseOptions {
    fn default() -> DatabaseOptions {
        let (plan, products) = (Plan::new([Product::Maps; 0]), ProductOptions::default());
        DatabaseOptions { plan, products, backend: Backend::active(), fails: false }
    }
}

/// Those that all functions of a database share.
#[derive(Clone, Debug, Default)]
pub struct SharedOptions(Arc<RwLock<DatabaseOptions>>);

impl SharedOptions {
    /// The options now.
    pub fn get(&self) -> DatabaseOptions {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The options whose names are reserved words of SQL, and the names of their parameters.
const RENAMED: [(&str, &str); 1] = [("values", "piece_values")];

/// The name of the parameter for an option.
fn parameter(option: &'static str) -> &'static str {
    RENAMED.iter().find(|(name, _)| *name == option).map_or(option, |(_, parameter)| parameter)
}

/// The backend that is chosen by the CPU.
const AUTO: &str = "auto";

/// The parameters of `slider_attacks_options`, with their types: those that change products, between two others.
pub fn parameters() -> Vec<(&'static str, Type)> {
    let of_products = ProductOptions::ALL.iter().map(|option| match option.kind() {
        OptionKind::Choice(_) => (parameter(option.name()), PlainType::Text),
        _ => (parameter(option.name()), PlainType::Any), // a text, or a list
    });
    let all = [("on_error", PlainType::Text)].into_iter().chain(of_products).chain([("backend", PlainType::Text)]);
    all.map(|(name, kind)| (name, kind.into())).collect()
}

/// The name of the function that changes options.
pub const NAME: &str = "slider_attacks_options";

/// `call slider_attacks_options(…)`: those that are named change.
#[derive(Debug)]
pub struct SetOptions(pub SharedOptions);

impl DatabaseOptions {
    /// The options with those that a call names.
    ///
    /// # Errors
    ///
    /// One has a value that is not known.
    pub fn named(self, call: &FunctionCall) -> Result<DatabaseOptions> {
        let fails = match on_error(call)? {
            None => self.fails,
            Some(OnError::Fail) => true,
            Some(OnError::Null) => false,
            Some(other) => bail!(
                "on_error: functions have a value for each row, so that only fail and null are possible, found {other}"
            ),
        };
        DatabaseOptions { fails, ..self }.named_beside_errors(call)
    }

    /// The same without `on_error`.
    ///
    /// # Errors
    ///
    /// Those of [`named`](DatabaseOptions::named).
    pub fn named_beside_errors(mut self, call: &FunctionCall) -> Result<DatabaseOptions> {
        for name in ProductOptions::ALL.iter().map(|option| option.name()) {
            // A text such as "1,3,3,5,9", or a list of numbers.
            let parameter = parameter(name);
            if let Some(values) = call.named(parameter, Value::texts)? {
                let set = self.products.set(name, &values.join(","));
                set.map_err(|error| anyhow!("{}", error.to_string().replacen(name, parameter, 1)))?;
            }
        }
        self.plan = self.plan.options(self.products);
        if let Some(value) = call.named("backend", Value::text)? {
            self.backend = if value == AUTO { Backend::active() } else { value.parse().context("backend")? };
            self.plan = self.plan.backend(self.backend);
        }
        Ok(self)
    }
}

/// How to handle malformed rows, in the words of all functions.
///
/// # Errors
///
/// The word is unknown.
pub fn on_error(call: &FunctionCall) -> Result<Option<OnError>> {
    call.named("on_error", |value| Ok(value.text()?.to_ascii_lowercase().parse()?))
}

impl TableFunction for SetOptions {
    type Bound = DatabaseOptions;
    type Run = ();
    type Part = ();

    fn bind(&self, call: &FunctionCall) -> Result<(DatabaseOptions, TableColumns, u64)> {
        // DuckDB asks for at least one column.
        Ok((self.0.get().named(call)?, vec![("done".to_owned(), PlainType::Bool.into())], 0))
    }

    fn begin(&self, changed: &DatabaseOptions, _: &[usize]) -> Result<((), usize)> {
        *self.0.0.write().unwrap_or_else(PoisonError::into_inner) = changed.clone();
        Ok(((), 1))
    }

    fn next(&self, (): &(), (): &mut (), _: &mut [OutputVector<'_>]) -> Result<usize> {
        Ok(0)
    }
}
