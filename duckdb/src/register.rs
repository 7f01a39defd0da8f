//! SQL functions in safe Rust: three traits, and their conversion to callbacks.
#![allow(unsafe_code, reason = "callbacks of DuckDB")]

use std::{ptr, slice};

use anyhow::{Context, Result};

use crate::api::{api, boxed, delete, estimates_are_exact, guard, newer, succeeded, text};
use crate::bindings::Newer;
use crate::callbacks::{Callback, Handle, TableBody};
use crate::file_system::DatabaseFiles;
use crate::types::{PlainType, TableColumns, Type};
use crate::vectors::{InputChunk, OutputVector, Value};

/// Where functions are added.
#[derive(Clone, Copy, Debug)]
pub struct Connection(Handle);

impl Connection {
    /// A connection of DuckDB.
    ///
    /// # Safety
    ///
    /// It is open as long as this is used.
    pub unsafe fn new(handle: Handle) -> Connection {
        Connection(handle)
    }
}

/// A function of the values of a row.
pub trait Scalar: Send + Sync + 'static {
    /// Whether a null can give something else than null. If not, DuckDB need not call the function for it.
    const TAKES_NULLS: bool = false;

    /// Computes some rows. DuckDB may call this for rows that the query leaves out.
    ///
    /// # Errors
    ///
    /// The error of the query.
    fn call(&self, input: InputChunk<'_>, output: OutputVector<'_>) -> Result<()>;
}

struct ScalarInfo<F> {
    function: F,
    parameters: Vec<Type>,
    result: Type,
}

/// Adds a function.
///
/// # Errors
///
/// DuckDB has one of the same name.
pub fn scalar<F: Scalar>(to: Connection, name: &str, parameters: &[Type], result: Type, function: F) -> Result<()> {
    overloads(to, name, [overload(name, parameters, result, function)])
}

/// The second name of a scalar function or an aggregate, `chess_pins` of `pins`, if the first one is not about chess alone: another
/// extension, or a macro of the database, may have it.
pub fn prefixed(name: &str) -> Option<String> {
    let is_specific = ["white_", "black_", "slider_attacks_", "read_"].iter().any(|start| name.starts_with(start));
    (!is_specific && !name.ends_with("_attacks")).then(|| format!("chess_{name}"))
}

/// The names under which a function is added. That without a prefix need not be free if there is one with it.
fn all_names(name: &str) -> Vec<(String, bool)> {
    let prefixed = prefixed(name);
    let is_needed = prefixed.is_none();
    prefixed.map(|name| (name, true)).into_iter().chain([(name.to_owned(), is_needed)]).collect()
}

/// Adds functions of one name, which have different parameters.
///
/// # Errors
///
/// DuckDB has one of the same name.
pub fn overloads(to: Connection, name: &str, functions: impl IntoIterator<Item = Overload>) -> Result<()> {
    let (api, functions) = (api(), functions.into_iter().collect::<Vec<_>>());
    let mut added = Ok(());
    for (name, is_needed) in all_names(name) {
        // SAFETY: the set is freed once, after it was registered. It has copies of the functions.
        let state = unsafe {
            let mut set = (api.duckdb_create_scalar_function_set)(text(&name).as_ptr());
            let mut state = 0;
            for Overload(function) in &functions {
                (api.duckdb_scalar_function_set_name)(*function, text(&name).as_ptr());
                state |= (api.duckdb_add_scalar_function_to_set)(set, *function);
            }
            state |= (api.duckdb_register_scalar_function_set)(to.0, set);
            (api.duckdb_destroy_scalar_function_set)(&mut set);
            state
        };
        if is_needed && added.is_ok() {
            added = succeeded(state, &format!("add the function {name}"));
        }
    }
    for Overload(mut function) in functions {
        // SAFETY: it is freed once.
        unsafe { (api.duckdb_destroy_scalar_function)(&mut function) };
    }
    added
}

/// A function that is not added yet.
#[derive(Debug)]
pub struct Overload(Handle);

/// Makes a function for [`overloads`].
pub fn overload<F: Scalar>(name: &str, parameters: &[Type], result: Type, function: F) -> Overload {
    unsafe extern "C" fn body<F: Scalar>(info: Handle, chunk: Handle, output: Handle) {
        // SAFETY: DuckDB lends what the function was registered with, a chunk of the parameters, and a vector of the result.
        unsafe {
            guard(
                |message| (api().duckdb_scalar_function_set_error)(info, message.as_ptr()),
                || {
                    let info = &*(api().duckdb_scalar_function_get_extra_info)(info).cast::<ScalarInfo<F>>();
                    let input = InputChunk::new(chunk, &info.parameters);
                    info.function.call(input, OutputVector::new(output, &info.result, input.rows()))
                },
            );
        }
    }
    let api = api();
    // SAFETY: the function is freed by `overloads`. What is handed over lasts until DuckDB frees it.
    unsafe {
        let handle = (api.duckdb_create_scalar_function)();
        (api.duckdb_scalar_function_set_name)(handle, text(name).as_ptr());
        parameters.iter().for_each(|kind| (api.duckdb_scalar_function_add_parameter)(handle, kind.logical().0));
        (api.duckdb_scalar_function_set_return_type)(handle, result.logical().0);
        if F::TAKES_NULLS {
            (api.duckdb_scalar_function_set_special_handling)(handle);
        }
        let info = boxed(ScalarInfo { function, parameters: parameters.to_vec(), result });
        (api.duckdb_scalar_function_set_extra_info)(handle, info, Some(delete::<ScalarInfo<F>>));
        (api.duckdb_scalar_function_set_function)(handle, Some(body::<F>));
        Overload(handle)
    }
}

/// An aggregate over one column of bitboards.
pub trait Aggregate: Send + Sync + 'static {
    /// The state of a group. All bits zero is the state without rows.
    type State: bytemuck::Zeroable + Copy;

    /// Adds the values of rows, all of one group.
    fn update(state: &mut Self::State, values: &[u64]);

    /// Adds the rows of another group.
    fn combine(state: &mut Self::State, other: &Self::State);

    /// Writes the result of each group, from this row of the output on.
    ///
    /// # Errors
    ///
    /// The error of the query.
    fn finish<'a>(
        states: impl ExactSizeIterator<Item = &'a Self::State>,
        output: OutputVector<'_>,
        from: usize,
    ) -> Result<()>;
}

/// Adds an aggregate, whose result has this type.
///
/// # Errors
///
/// DuckDB has one of the same name.
pub fn aggregate<A: Aggregate>(to: Connection, name: &str, result: &Type) -> Result<()> {
    const PARAMETER: [Type; 1] = [Type::Plain(PlainType::U64)];
    unsafe extern "C" fn size<A: Aggregate>(_: Handle) -> u64 {
        size_of::<A::State>() as u64
    }
    unsafe extern "C" fn init<A: Aggregate>(_: Handle, state: Handle) {
        // SAFETY: DuckDB lends memory of this size.
        unsafe { state.cast::<A::State>().write_bytes(0, 1) };
    }
    unsafe extern "C" fn update<A: Aggregate>(info: Handle, chunk: Handle, states: *mut Handle) {
        // SAFETY: DuckDB lends a chunk of the parameter, and a state for each row, which this thread alone uses.
        unsafe {
            guard(
                |message| (api().duckdb_aggregate_function_set_error)(info, message.as_ptr()),
                || {
                    let input = InputChunk::new(chunk, &PARAMETER);
                    let (values, valid) = (input.numbers::<u64>(0), input.valid(0));
                    if values.is_empty() {
                        return Ok(());
                    }
                    let states = slice::from_raw_parts(states, values.len());
                    let mut start = 0;
                    // Without groups, all rows have the same state.
                    for run in states.chunk_by(|a, b| a == b) {
                        let (rows, state) = (start..start + run.len(), &mut *run[0].cast::<A::State>());
                        start = rows.end;
                        if valid.are_all() {
                            A::update(state, &values[rows]);
                        } else {
                            rows.filter(|&row| valid.is(row)).for_each(|row| A::update(state, &values[row..=row]));
                        }
                    }
                    Ok(())
                },
            );
        }
    }
    unsafe extern "C" fn combine<A: Aggregate>(info: Handle, from: *mut Handle, to: *mut Handle, count: u64) {
        // SAFETY: DuckDB lends this many states, and those that are added are others.
        unsafe {
            guard(
                |message| (api().duckdb_aggregate_function_set_error)(info, message.as_ptr()),
                || {
                    for place in 0..count as usize {
                        A::combine(&mut *(*to.add(place)).cast(), &*(*from.add(place)).cast());
                    }
                    Ok(())
                },
            );
        }
    }
    unsafe extern "C" fn finalize<A: Aggregate>(
        info: Handle,
        states: *mut Handle,
        output: Handle,
        count: u64,
        from: u64,
    ) {
        // SAFETY: DuckDB lends this many states, and a vector with room for as many rows after `from`. What the function was
        // registered with is a type.
        unsafe {
            guard(
                |message| (api().duckdb_aggregate_function_set_error)(info, message.as_ptr()),
                || {
                    let result = &*(api().duckdb_aggregate_function_get_extra_info)(info).cast::<Type>();
                    if count == 0 {
                        return Ok(());
                    }
                    let states = slice::from_raw_parts(states, count as usize);
                    let output = OutputVector::new(output, result, (from + count) as usize);
                    A::finish(states.iter().map(|&state| &*state.cast::<A::State>()), output, from as usize)
                },
            );
        }
    }
    let api = api();
    // SAFETY: as in `scalar`.
    unsafe {
        for (name, is_needed) in all_names(name) {
            let mut set = (api.duckdb_create_aggregate_function_set)(text(&name).as_ptr());
            let mut state = 0;
            // A BIGINT has the same 64 bits.
            for parameter in [PlainType::U64, PlainType::I64] {
                let mut handle = (api.duckdb_create_aggregate_function)();
                (api.duckdb_aggregate_function_set_name)(handle, text(&name).as_ptr());
                (api.duckdb_aggregate_function_add_parameter)(handle, Type::from(parameter).logical().0);
                (api.duckdb_aggregate_function_set_return_type)(handle, result.logical().0);
                (api.duckdb_aggregate_function_set_extra_info)(handle, boxed(result.clone()), Some(delete::<Type>));
                let (size, init, update) = (size::<A>, init::<A>, update::<A>);
                (api.duckdb_aggregate_function_set_functions)(
                    handle,
                    Some(size),
                    Some(init),
                    Some(update),
                    Some(combine::<A>),
                    Some(finalize::<A>),
                );
                state |= (api.duckdb_add_aggregate_function_to_set)(set, handle);
                (api.duckdb_destroy_aggregate_function)(&mut handle);
            }
            state |= (api.duckdb_register_aggregate_function_set)(to.0, set);
            (api.duckdb_destroy_aggregate_function_set)(&mut set);
            if is_needed {
                succeeded(state, &format!("add the aggregate {name}"))?;
            }
        }
    }
    Ok(())
}

/// A function whose result is a table.
pub trait TableFunction: Send + Sync + 'static {
    /// The arguments of a call.
    type Bound: Send + Sync + 'static;
    /// A run of it, which threads share.
    type Run: Send + Sync + 'static;
    /// The state of a thread in a run.
    type Part: Default + Send + 'static;

    /// Understands a call, and says which columns and about how many rows it gives.
    ///
    /// # Errors
    ///
    /// The error of the query.
    fn bind(&self, call: &FunctionCall) -> Result<(Self::Bound, TableColumns, u64)>;

    /// Begins a run that gives these columns, and says how many threads may take rows.
    ///
    /// # Errors
    ///
    /// The error of the query.
    fn begin(&self, bound: &Self::Bound, columns: &[usize]) -> Result<(Self::Run, usize)>;

    /// Gives the next rows, and says how many: none at the end. There is an output for each column that is wanted.
    ///
    /// # Errors
    ///
    /// The error of the query.
    fn next(&self, run: &Self::Run, part: &mut Self::Part, outputs: &mut [OutputVector<'_>]) -> Result<usize>;
}

/// The arguments of a table function.
#[derive(Debug)]
pub struct FunctionCall(Handle);

impl FunctionCall {
    /// The argument at this place.
    pub fn argument(&self, place: usize) -> Option<Value> {
        // SAFETY: it is what DuckDB says about a call.
        unsafe { Value::new((api().duckdb_bind_get_parameter)(self.0, place as u64)) }
    }

    /// Reads the argument of this name with `read`, if it is present and not null. The error names the argument.
    ///
    /// # Errors
    ///
    /// That of `read`.
    pub fn named<T>(&self, name: &str, read: impl FnOnce(&Value) -> Result<T>) -> Result<Option<T>> {
        // SAFETY: as above.
        let value = unsafe { Value::new((api().duckdb_bind_get_named_parameter)(self.0, text(name).as_ptr())) };
        let value = value.filter(|value| !value.is_null());
        value.map(|value| read(&value).with_context(|| name.to_owned())).transpose()
    }

    /// The number that a setting of DuckDB has now, if this version of DuckDB tells it.
    pub fn setting(&self, name: &str) -> Option<i64> {
        // SAFETY: DuckDB hands over a value, which is freed once.
        let value = self.with_context(|newer, context| unsafe {
            Value::new((newer.duckdb_client_context_get_config_option)(context, text(name).as_ptr(), ptr::null_mut()))
        })?;
        value.filter(|value| !value.is_null()).map(|value| value.integer())
    }

    /// The file systems of the connection, if this version of DuckDB gives them.
    pub fn files(&self) -> Option<DatabaseFiles> {
        // SAFETY: it is a context, and a connection is open as long as what is bound in it.
        self.with_context(|newer, context| unsafe { DatabaseFiles::new(newer, context) })
    }

    /// Calls `work` with the client context, if this version of DuckDB gives it.
    fn with_context<T>(&self, work: impl FnOnce(&Newer, Handle) -> T) -> Option<T> {
        let newer = newer()?;
        let mut context = ptr::null_mut();
        // SAFETY: DuckDB lends what it says about a call, and hands over a context.
        unsafe { (newer.duckdb_table_function_get_client_context)(self.0, &mut context) };
        let result = work(newer, context);
        // SAFETY: it is freed once.
        unsafe { (newer.duckdb_destroy_client_context)(&mut context) };
        Some(result)
    }
}

struct TableInfo<T>(T);

struct BoundInfo<B> {
    bound: B,
    types: Vec<Type>,
}

struct RunInfo<R> {
    run: R,
    /// The columns that are wanted; others are places of DuckDB's own.
    columns: Vec<usize>,
    /// The wanted ones among them: where they are in the output.
    places: Vec<usize>,
}

/// Adds a table function. Parameters with names come after the others.
///
/// # Errors
///
/// DuckDB has one of the same name.
pub fn table<T: TableFunction>(
    to: Connection,
    name: &str,
    first: Option<PlainType>,
    named: &[(&str, Type)],
    function: T,
) -> Result<()> {
    unsafe extern "C" fn bind<T: TableFunction>(info: Handle) {
        // SAFETY: DuckDB lends what the function was registered with, and frees what it is handed.
        unsafe {
            guard(
                |message| (api().duckdb_bind_set_error)(info, message.as_ptr()),
                || {
                    let table = &*(api().duckdb_bind_get_extra_info)(info).cast::<TableInfo<T>>();
                    let (bound, columns, rows) = table.0.bind(&FunctionCall(info))?;
                    for (name, kind) in &columns {
                        (api().duckdb_bind_add_result_column)(info, text(name).as_ptr(), kind.logical().0);
                    }
                    // Never an exact number, which DuckDB would rely on: a file may change before the query runs.
                    (api().duckdb_bind_set_cardinality)(info, rows, estimates_are_exact());
                    let bound = BoundInfo { bound, types: columns.into_iter().map(|(_, kind)| kind).collect() };
                    (api().duckdb_bind_set_bind_data)(info, boxed(bound), Some(delete::<BoundInfo<T::Bound>>));
                    Ok(())
                },
            );
        }
    }
    unsafe extern "C" fn begin<T: TableFunction>(info: Handle) {
        // SAFETY: as above; the call is bound.
        unsafe {
            guard(
                |message| (api().duckdb_init_set_error)(info, message.as_ptr()),
                || {
                    let table = &*(api().duckdb_init_get_extra_info)(info).cast::<TableInfo<T>>();
                    let bound = &*(api().duckdb_init_get_bind_data)(info).cast::<BoundInfo<T::Bound>>();
                    let count = (api().duckdb_init_get_column_count)(info);
                    let all = (0..count).map(|place| (api().duckdb_init_get_column_index)(info, place) as usize);
                    // Where no column is needed, as for `count(*)`, DuckDB asks for one that there is not.
                    let wanted = all.enumerate().filter(|&(_, column)| column < bound.types.len());
                    let (places, columns): (Vec<usize>, Vec<usize>) = wanted.unzip();
                    let (run, threads) = table.0.begin(&bound.bound, &columns)?;
                    (api().duckdb_init_set_max_threads)(info, threads as u64);
                    let run = RunInfo { run, columns, places };
                    (api().duckdb_init_set_init_data)(info, boxed(run), Some(delete::<RunInfo<T::Run>>));
                    Ok(())
                },
            );
        }
    }
    unsafe extern "C" fn begin_part<T: TableFunction>(info: Handle) {
        // SAFETY: as above.
        unsafe {
            guard(
                |message| (api().duckdb_init_set_error)(info, message.as_ptr()),
                || {
                    (api().duckdb_init_set_init_data)(info, boxed(T::Part::default()), Some(delete::<T::Part>));
                    Ok(())
                },
            );
        }
    }
    unsafe extern "C" fn next<T: TableFunction>(info: Handle, chunk: Handle) {
        // SAFETY: as above; the run has begun on this thread too. The chunk has a vector for each column that was asked for.
        unsafe {
            guard(
                |message| (api().duckdb_function_set_error)(info, message.as_ptr()),
                || {
                    let table = &*(api().duckdb_function_get_extra_info)(info).cast::<TableInfo<T>>();
                    let bound = &*(api().duckdb_function_get_bind_data)(info).cast::<BoundInfo<T::Bound>>();
                    let run = &*(api().duckdb_function_get_init_data)(info).cast::<RunInfo<T::Run>>();
                    let part = &mut *(api().duckdb_function_get_local_init_data)(info).cast::<T::Part>();
                    let room = chunk_rows();
                    let output = |(&column, &place): (&usize, &usize)| {
                        let vector = (api().duckdb_data_chunk_get_vector)(chunk, place as u64);
                        OutputVector::new(vector, &bound.types[column], room)
                    };
                    let mut outputs: Vec<OutputVector<'_>> = run.columns.iter().zip(&run.places).map(output).collect();
                    let rows = table.0.next(&run.run, part, &mut outputs)?;
                    (api().duckdb_data_chunk_set_size)(chunk, rows as u64);
                    Ok(())
                },
            );
        }
    }
    let api = api();
    // SAFETY: as in `scalar`.
    unsafe {
        let mut handle = (api.duckdb_create_table_function)();
        (api.duckdb_table_function_set_name)(handle, text(name).as_ptr());
        if let Some(first) = first {
            (api.duckdb_table_function_add_parameter)(handle, Type::from(first).logical().0);
        }
        for (name, kind) in named {
            (api.duckdb_table_function_add_named_parameter)(handle, text(name).as_ptr(), kind.logical().0);
        }
        let info = boxed(TableInfo(function));
        (api.duckdb_table_function_set_extra_info)(handle, info, Some(delete::<TableInfo<T>>));
        let (bind, begin, begin_part, next): (Callback, Callback, Callback, TableBody) =
            (bind::<T>, begin::<T>, begin_part::<T>, next::<T>);
        (api.duckdb_table_function_set_bind)(handle, Some(bind));
        (api.duckdb_table_function_set_init)(handle, Some(begin));
        (api.duckdb_table_function_set_local_init)(handle, Some(begin_part));
        (api.duckdb_table_function_set_function)(handle, Some(next));
        (api.duckdb_table_function_supports_projection_pushdown)(handle, true);
        let state = (api.duckdb_register_table_function)(to.0, handle);
        (api.duckdb_destroy_table_function)(&mut handle);
        succeeded(state, &format!("add the table function {name}"))
    }
}

/// How many rows a chunk has at most.
pub fn chunk_rows() -> usize {
    // SAFETY: it asks for a number.
    unsafe { (api().duckdb_vector_size)() as usize }
}
