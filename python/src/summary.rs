//! Sums of products by square.

use std::collections::HashMap;
use std::iter;
use std::ops::ControlFlow::{Break, Continue};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, FixedSizeListArray, RecordBatch, RecordBatchIterator, RecordBatchOptions,
    StringArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use arrow_select::filter::filter;
use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyTuple};
use slider_attacks::Square;
use slider_attacks::diagram::Theme;
use slider_attacks::position::{PositionSlice, Positions as Boards};
use slider_attacks_arrow::{
    Integers, OnError, Options, Plan, PositionArray, Product, Summary as Sums, SummaryColumn as Sum,
};
use slider_attacks_files::Inputs;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::input::Shard;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::request::Wanted;
use slider_attacks_query::PositionQuery;
use slider_attacks_rows::arrays::{array, field};
use slider_attacks_rows::batches::{MOST_MESSAGES, Skipped};
use slider_attacks_rows::conditions::RowChoice;
use slider_attacks_rows::pipeline::Pipeline;
use slider_attacks_rows::sums::groups::{GroupLimit, GroupedSummary, SummedGroups};
use slider_attacks_rows::sums::job::SumJob;
use slider_attacks_rows::sums::keys::{GroupKey, Key};
use slider_attacks_rows::sums::page::Page;
use slider_attacks_rows::sums::sum;
use slider_attacks_rows::sums::table::{COLUMNS, SummedColumn, Totals};

use crate::batch::{Batch, no_array};
use crate::conditions::MemoryCondition;
use crate::errors::PythonErrors;
use crate::files::{Failure, inputs, shard_inputs};
use crate::numbers::{named, on_error, value_error, warn};
use crate::options;
use crate::pandas::PandasIndex;
use crate::plan::{PART, names, plan_of, product};
use crate::rows::push;
use crate::streams;
use crate::values::one_line;
use crate::work::{Threads, in_background, in_parts, memory_for};
use crate::{capsule, pickle};

/// Sums of products over groups of positions, by square. A summary is immutable.
///
/// `a + b` and `sum(parts)` add up summaries that processes or machines computed for parts of the positions. `len(summary)` is
/// the number of groups, iteration yields `groups`, and `==` compares groups and sums. As a table (`to_pandas()`,
/// `to_polars()`, `to_pyarrow()`, or with the Arrow PyCapsule interface, `pyarrow.table(summary)`), it has the rows that the
/// command `slider-attacks summarize` writes, one per group, column and square: the keys, `positions`, `column`, `square`,
/// `count`, `share`, `sum` and `mean`. A notebook shows it as boards.
///
/// >>> import slider_attacks
/// >>> fens = ["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 b - -"]
/// >>> one, two = (slider_attacks.summarize([fen], "counts") for fen in fens)
/// >>> (one + two).to_numpy("white_attackers")[0, 0].tolist()  # the first rank: a king twice, and a rook once
/// [0.0, 0.5, 0.5, 1.5, 0.5, 1.0, 0.0, 0.0]
#[pyclass(frozen, eq, module = "slider_attacks")]
pub struct Summary {
    totals: Arc<Totals>,
    what: SummaryWhat,
    /// The rows that were left out: the first messages, and the total number.
    skipped: PythonErrors,
}

impl PartialEq for Summary {
    fn eq(&self, other: &Summary) -> bool {
        self.columns() == other.columns()
    }
}

/// The summed products, and the keys.
#[derive(Clone)]
pub struct SummaryWhat {
    plan: Plan,
    /// Those of the plan, which partial sums must have in common.
    options: Options,
    pub keys: Vec<Key>,
    pub on_error: OnError,
    /// How many groups there may be.
    pub limit: GroupLimit,
}

/// Positions of their own, or some of others.
pub enum Read<'a> {
    Own(Box<Boards>),
    Slice(PositionSlice<'a>),
}

/// Some rows that have been read.
pub struct ReadPart<'a> {
    /// The positions of those that are valid.
    pub positions: Read<'a>,
    /// For each row, whether it has a position that is summed.
    pub valid: Vec<bool>,
    /// The rows that could not be read.
    pub skipped: PythonErrors,
}

/// The bytes that groups may take, unless the caller says otherwise, and advice about more.
const GROUP_MEMORY: u64 = 2 << 30;
const MORE_GROUPS: &str =
    ", or raise group_memory; the command `slider-attacks summarize` writes any number of groups to a file";

impl SummaryWhat {
    /// The same, with groups that take at most this many bytes.
    pub fn limited(self, group_memory: Option<&Bound<'_, PyAny>>) -> PyResult<SummaryWhat> {
        let Some(bytes) = group_memory else { return Ok(self) };
        let most = bytes
            .extract::<u64>()
            .map_err(|_| value_error(format!("group_memory={bytes}: expected a number of bytes")))?;
        Ok(SummaryWhat { limit: GroupLimit::Memory(most, MORE_GROUPS), ..self })
    }

    /// No groups yet, and any number: what they are made of is in memory.
    fn any_groups(&self) -> GroupedSummary {
        GroupedSummary::new(&self.plan, &self.keys)
    }

    /// The arguments of a call.
    pub fn new(
        what: Option<&Bound<'_, PyAny>>,
        by: Option<&Bound<'_, PyAny>>,
        on_error: &str,
        options: Options,
        backend: Option<&str>,
    ) -> PyResult<SummaryWhat> {
        let what = what.map_or_else(|| Ok(vec![Product::Counts.name().to_owned()]), |what| names("what", what))?;
        let products = what.iter().map(|name| product(name)).collect::<PyResult<Vec<_>>>()?;
        if let Some(product) = products.iter().find(|product| !product.has_sums()) {
            return Err(value_error(format!("what={:?}: this product has no sums", product.name())));
        }
        let plan = plan_of(products, "unsigned", options, backend)?;
        let by = by.map_or_else(|| Ok(Vec::new()), |by| names("by", by))?;
        let key = |name: &String| name.parse::<Key>().map_err(|error| value_error(format!("by={name:?}: {error}")));
        let keys = by.iter().map(key).collect::<PyResult<Vec<_>>>()?;
        for (at, Key { name, .. }) in keys.iter().enumerate() {
            if keys[..at].iter().any(|key| key.name == *name) {
                return Err(value_error(format!("duplicate key {name:?} in by")));
            }
            if COLUMNS.contains(&name.as_str()) {
                return Err(value_error(format!("by={name:?}: the result has a column of that name already")));
            }
        }
        let on_error = self::on_error(on_error, &[OnError::Fail, OnError::Skip])?;
        let limit = GroupLimit::Memory(GROUP_MEMORY, MORE_GROUPS);
        Ok(SummaryWhat { plan, options, keys, on_error, limit })
    }

    /// A query about the positions, with the columns that it names.
    pub fn condition(&self, query: PositionQuery, columns: Vec<ArrayRef>) -> MemoryCondition {
        MemoryCondition::new(query, &self.plan, columns)
    }

    fn job(&self) -> SumJob {
        SumJob {
            plan: self.plan.clone(),
            keys: self.keys.clone(),
            on_error: self.on_error,
            each_move: false,
            limit: self.limit,
        }
    }

    /// The sums over rows in memory, some of which `read` reads at a time, with these columns for the keys.
    pub fn in_memory<'a>(
        self,
        py: Python<'_>,
        rows: usize,
        threads: usize,
        columns: &[ArrayRef],
        read: impl Fn(Range<usize>) -> PyResult<ReadPart<'a>> + Send + Sync,
    ) -> PyResult<Summary> {
        let (job, threads) = (self.job(), Threads::new(threads)?);
        let (mut groups, mut skipped) = (job.groups(), PythonErrors::default());
        let sum = |rows: &Range<usize>| {
            let part = read(rows.clone())?;
            let valid = BooleanArray::from(part.valid);
            let kept = columns.iter().map(|column| {
                let values = filter(&column.slice(rows.start, rows.len()), &valid).map_err(value_error)?;
                Ok(KeptColumn::Array(Arc::new(Field::new("", values.data_type().clone(), true)), values))
            });
            let kept = kept.collect::<PyResult<Vec<_>>>()?;
            let positions = match &part.positions {
                Read::Own(positions) => positions.as_ref().into(),
                Read::Slice(positions) => *positions,
            };
            Ok::<_, PyErr>((job.sum(positions, &kept), part.skipped))
        };
        // Each row may be a group.
        let most = if self.keys.is_empty() { PART } else { (PART_BYTES / job.group_bytes()).clamp(1, PART) };
        in_parts(py, rows, threads.part(most), |part| {
            let piece = threads.piece(part.len());
            let starts = part.clone().step_by(piece);
            let pieces: Vec<Range<usize>> = starts.map(|start| start..part.end.min(start + piece)).collect();
            for summed in threads.map(&pieces, sum) {
                let ((keys, sums), more) = summed?;
                groups.add(keys, &sums).map_err(value_error)?;
                add(&mut skipped, &more);
            }
            Ok::<_, PyErr>(())
        })??;
        let totals = groups.finish().and_then(SummedGroups::totals).map_err(value_error)?;
        Ok(Summary { totals: Arc::new(totals), what: self, skipped })
    }

    /// The sums over files, or, with `each_move`, over the positions after each move. Another thread reads them.
    pub fn in_files(
        self,
        source: &Bound<'_, PyAny>,
        wanted: Wanted,
        each_move: bool,
        choice: RowChoice,
        shard: Option<Shard>,
        threads: usize,
    ) -> PyResult<Summary> {
        let (py, still) = (source.py(), streams::ReaderAlive::new());
        let (inputs, _) = inputs(source, &still)?;
        let (inputs, has_rows) = shard_inputs(py, inputs, shard, wanted.clone())?;
        let limit = (!has_rows).then_some(0);
        let job = Arc::new(SumJob { each_move, ..self.job() });
        let wanted = choice.wanted(each_move, Wanted { keep: job.columns(), ..wanted });
        let done = in_background(py, move |is_wanted| -> anyhow::Result<(Totals, Skipped, Vec<String>)> {
            let mut inputs = Inputs::of(inputs, "")?;
            inputs.advice = Advice::of_calls();
            let mut pipeline = Pipeline::new(threads, (inputs, limit), wanted, &*job, false)?;
            pipeline.is_part = shard.is_some();
            pipeline.filter = choice.filter(&job.plan, each_move, job.on_error);
            let mut skipped = Skipped::default();
            let totals = sum(&pipeline, &job, &mut |summed| {
                let messages = summed.skipped.iter().map(|malformed| summed.origin.message(malformed));
                skipped.add(summed.skipped.len() as u64, messages);
                skipped.left_out += summed.left_out as u64;
                if is_wanted.load(Relaxed) { Continue(()) } else { Break(()) }
            })?;
            if limit.is_none() {
                pipeline.check_condition()?;
            }
            Ok((totals, skipped, pipeline.warnings(false)))
        });
        still.end();
        let (totals, skipped, warnings) = done?.map_err(|error| Failure::Files(error).into_python(py))?;
        warnings.iter().try_for_each(|text| warn(py, text))?;
        let (count, left_out) = (skipped.count as usize, skipped.left_out);
        let skipped = PythonErrors { first: skipped.messages.into_iter().enumerate().collect(), count, left_out };
        Ok(Summary { totals: Arc::new(totals), what: self, skipped })
    }
}

/// Adds the messages about rows that were left out, as long as there is room, and their number.
fn add(skipped: &mut PythonErrors, more: &PythonErrors) {
    let room = MOST_MESSAGES.saturating_sub(skipped.first.len());
    skipped.first.extend(more.first.iter().take(room).cloned());
    skipped.count += more.count;
    skipped.left_out += more.left_out;
}

/// Copies of some positions.
pub fn copied(all: &Boards, mut places: impl Iterator<Item = usize>) -> PyResult<Boards> {
    let mut some = Boards::with_capacity(places.size_hint().1.unwrap_or(0));
    places.try_for_each(|place| push(all, place, &mut some)).map_err(value_error)?;
    Ok(some)
}

/// Whether each of some rows has a position for which a condition holds, and how many have one for which it does not. Row `first` of
/// its columns is the first of these.
pub fn valid_rows(
    positions: &PositionArray,
    rows: Range<usize>,
    condition: Option<&MemoryCondition>,
    first: usize,
) -> (Vec<bool>, u64) {
    let valid: Vec<bool> = rows.clone().map(|row| !positions.is_null(row)).collect();
    let Some(condition) = condition else { return (valid, 0) };
    let count = |rows: &[bool]| rows.iter().filter(|&&row| row).count() as u64;
    let chosen = condition.holds(positions, rows, first);
    let left_out = count(&valid) - count(&chosen);
    (chosen, left_out)
}

/// The sums over positions that have been read.
pub fn of_positions(
    py: Python<'_>,
    positions: &PositionArray,
    what: SummaryWhat,
    query: Option<PositionQuery>,
    threads: usize,
) -> PyResult<Summary> {
    let condition = query.map(|query| MemoryCondition::without_columns(query, &what.plan)).transpose()?;
    if let Some(name) = Key::columns(&what.keys).first() {
        return Err(value_error(format!(
            "by={name:?}: positions have no columns, only \"side\" and \"phase\"; the function `summarize` takes tables"
        )));
    }
    what.in_memory(py, positions.len(), threads, &[], |rows| {
        let (valid, left_out) = valid_rows(positions, rows.clone(), condition.as_ref(), rows.start);
        let positions = if valid.iter().all(|&valid| valid) {
            Read::Slice(positions.positions().slice(rows))
        } else {
            let places = rows.zip(&valid).filter_map(|(row, &valid)| valid.then_some(row));
            Read::Own(copied(positions.positions(), places)?.into())
        };
        Ok(ReadPart { positions, valid, skipped: PythonErrors { left_out, ..PythonErrors::default() } })
    })
}

/// The most bytes that the groups of a part of the rows may take, before they are added to those of the parts before it.
const PART_BYTES: usize = 64 << 20;

/// About how many rows a batch has that is passed on.
const STREAMED_ROWS: usize = 1 << 18;

/// In the schema of pickled sums, the products; in the column of a key, its step.
const PRODUCTS: &str = "what";
const STEP: &str = "step";

impl Summary {
    /// The sums as columns, with a row for each group.
    fn columns(&self) -> RecordBatch {
        let totals = &self.totals;
        let groups = 0..totals.keys.len();
        let (mut fields, mut columns) = (Vec::new(), Vec::<ArrayRef>::new());
        for (at, key) in totals.by.iter().enumerate() {
            let step = key.step.map(|step| (STEP.to_owned(), step.to_string()));
            fields.push(Field::new(&key.name, DataType::Utf8, true).with_metadata(step.into_iter().collect()));
            let values = totals.keys.iter().map(|values| values[at].as_deref());
            columns.push(Arc::new(values.collect::<StringArray>()));
        }
        fields.push(Field::new(COLUMNS[0], DataType::UInt64, false));
        let positions = groups.clone().map(|group| totals.positions(group));
        columns.push(Arc::new(UInt64Array::from_iter_values(positions)));
        for column in totals.summary.columns() {
            for numbers in [Sum::present, Sum::sum] {
                // One number, for a column with one value per position, has 63 zeros after it.
                let numbers = totals
                    .places
                    .iter()
                    .flat_map(|&place| numbers(column, place).iter().copied().chain(iter::repeat(0)).take(64));
                let item = Arc::new(Field::new_list_field(DataType::UInt64, false));
                fields.push(Field::new(column.name(), DataType::FixedSizeList(item.clone(), 64), false));
                let numbers = Arc::new(UInt64Array::from_iter_values(numbers));
                columns.push(Arc::new(FixedSizeListArray::new(item, 64, numbers, None)));
            }
        }
        let products: Vec<&str> = self.what.plan.products().iter().map(|product| product.name()).collect();
        let options = Options::ALL.iter().map(|option| (option.name().to_owned(), option.value(&self.what.options)));
        let metadata: HashMap<_, _> = options.chain([(PRODUCTS.to_owned(), products.join(","))]).collect();
        let schema = Arc::new(Schema::new(fields).with_metadata(metadata));
        RecordBatch::try_new(schema, columns).expect("each column has a value for each group")
    }

    /// The sums of columns that [`columns`](Summary::columns) has given. Nothing that they say is believed.
    pub fn restored(columns: &RecordBatch, skipped: PythonErrors) -> PyResult<Summary> {
        /// No number of positions is larger, so that numbers can be added up.
        const MOST: u64 = 1 << 48;
        let malformed = || value_error("malformed pickle: not a summary");
        let schema = columns.schema();
        let text = |name: &str| schema.metadata().get(name).cloned().ok_or_else(malformed);
        let mut options = Options::default();
        for name in Options::ALL.iter().map(|option| option.name()) {
            options::set(&mut options, name, &text(name)?)?;
        }
        let products = text(PRODUCTS)?;
        let products = products.split(',').filter(|name| !name.is_empty());
        let products = products.map(product).collect::<PyResult<Vec<_>>>()?;
        let plan = plan_of(products, "unsigned", options, None)?;
        let sums = 2 * Sums::new(&plan, 0).columns().len();
        let keys = columns.num_columns().checked_sub(sums + 1).ok_or_else(malformed)?;
        let (mut by, mut texts) = (Vec::new(), Vec::new());
        for (field, column) in schema.fields().iter().zip(columns.columns()).take(keys) {
            let step = field.metadata().get(STEP).map(|step| step.parse::<u32>().ok().filter(|&step| step > 0));
            let step = step.map(|step| step.ok_or_else(malformed)).transpose()?;
            by.push(Key { name: field.name().clone(), step });
            texts.push(column.as_string_opt::<i32>().ok_or_else(malformed)?);
        }
        let positions = columns.column(keys).as_primitive_opt::<UInt64Type>().ok_or_else(malformed)?;
        let mut numbers = Vec::new();
        for column in &columns.columns()[keys + 1..] {
            let lists = column.as_fixed_size_list_opt();
            let lists = lists.filter(|lists| lists.value_length() == 64 && lists.null_count() == 0);
            let values = lists.and_then(|lists| lists.values().as_primitive_opt::<UInt64Type>());
            numbers.push(values.ok_or_else(malformed)?.values());
        }
        let what =
            SummaryWhat { plan, options, keys: by, on_error: OnError::Fail, limit: GroupLimit::Memory(u64::MAX, "") };
        let mut groups = what.any_groups();
        for row in 0..columns.num_rows() {
            let known: Vec<_> =
                numbers.chunks(2).map(|pair| [pair[0], pair[1]].map(|all| &all[row * 64..][..64])).collect();
            let all = known.as_flattened().iter().copied().flatten();
            if all.chain([&positions.value(row)]).any(|&number| number > MOST) {
                return Err(malformed());
            }
            let mut one = Sums::new(&what.plan, 1);
            one.add_known(0, positions.value(row), &known);
            let value = |texts: &&StringArray| texts.is_valid(row).then(|| texts.value(row).into());
            groups.add(vec![texts.iter().map(value).collect()], &one).map_err(value_error)?;
        }
        let totals = groups.finish().and_then(SummedGroups::totals).map_err(value_error)?;
        Ok(Summary { totals: Arc::new(totals), what, skipped })
    }

    /// The rows that the command writes.
    fn rows(&self, py: Python<'_>) -> PyResult<RecordBatch> {
        let totals = &self.totals;
        let (groups, parts) = (totals.keys.len(), totals.parts());
        memory_for(groups * parts.len() * 64 * (150 + 50 * totals.by.len()))?;
        py.detach(|| rows_of(totals, 0..groups, &parts)).map_err(value_error)
    }
}

/// The rows of some groups.
fn rows_of(totals: &Totals, groups: Range<usize>, parts: &[SummedColumn]) -> Result<RecordBatch, ArrowError> {
    let (columns, rows) = totals.rows(groups, parts);
    let fields: Vec<Field> = columns.iter().map(|column| field(column, Integers::Signed)).collect();
    let columns = columns.into_iter().map(|column| array(column, rows, Integers::Signed));
    let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|error| ArrowError::ExternalError(error.into()))?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
}

#[pymethods]
impl Summary {
    /// The groups, in the order of their keys: for each, the keys with their values. What is missing is None.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let group = |values: &GroupKey| {
            let group = PyDict::new(py);
            for (key, value) in self.totals.by.iter().zip(values) {
                match value.as_deref().map(|value| (value, value.parse::<i64>())) {
                    Some((_, Ok(number))) if key.step.is_some() => group.set_item(&key.name, number)?,
                    value => group.set_item(&key.name, value.map(|(text, _)| text))?,
                }
            }
            Ok(group)
        };
        self.totals.keys.iter().map(group).collect()
    }

    /// The names of the columns: those of the products, those of threats by their side, and, where there is a pair for White and
    /// Black, their difference.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.totals.parts().into_iter().map(|part| part.name).collect()
    }

    /// The number of positions of each group, as an array of int64.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let totals = &self.totals;
        PyArray1::from_vec(py, (0..totals.keys.len()).map(|group| totals.positions(group) as i64).collect())
    }

    /// The number of records or rows that were left out, because they are no positions.
    #[getter]
    fn skipped(&self) -> usize {
        self.skipped.count
    }

    /// The number of positions that were left out because of `games_where`, `where`, `unique` or `key_shard`.
    #[getter]
    fn left_out(&self) -> u64 {
        self.skipped.left_out
    }

    /// What was wrong with the first 100 records or rows that are no positions.
    #[getter]
    fn errors(&self) -> Vec<&str> {
        self.skipped.first.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// The numbers of a column as an array of the shape `[groups, 8, 8]`: `[group, 0, 0]` is a1, and `[group, 0, 7]` is h1. A column
    /// with one number per position, such as `legal_moves`, gives one per group.
    ///
    /// Parameters
    /// ----------
    /// column : one of `column_names`
    /// measure : "count", "sum", "share" or "mean"
    ///     "count" says in how many positions the value of a square is not zero, and "sum" adds its values up. "share" and "mean"
    ///     are the same, divided by the number of positions. Counts and sums are int64, shares and means float64.
    ///
    /// >>> import slider_attacks
    /// >>> summary = slider_attacks.summarize(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "counts")
    /// >>> summary.to_numpy("white_attackers", "sum")[0, 0].tolist()
    /// [0, 1, 1, 2, 1, 1, 0, 0]
    #[pyo3(signature = (column, measure="mean"))]
    fn to_numpy<'py>(&self, py: Python<'py>, column: &str, measure: &str) -> PyResult<Bound<'py, PyAny>> {
        let totals = &self.totals;
        let parts = totals.parts();
        let Some(part) = parts.iter().find(|part| part.name == column) else {
            return Err(value_error(format!("column={column:?}: expected one of {}", self.column_names().join(", "))));
        };
        let which = match measure {
            "count" | "share" => 0,
            "sum" | "mean" => 1,
            _ => return Err(value_error(format!("measure={measure:?}: expected one of count, share, sum, mean"))),
        };
        let groups = totals.keys.len();
        let squares = if part.is_single { &Square::ALL[..1] } else { &Square::ALL[..] };
        let sums = (0..groups).flat_map(|group| squares.iter().map(move |&square| (group, square)));
        let sums = sums.map(|(group, square)| (group, totals.sums(group, part, Some(square))[which]));
        let array = if matches!(measure, "count" | "sum") {
            PyArray1::from_vec(py, sums.map(|(_, sum)| sum).collect()).into_any()
        } else {
            PyArray1::from_vec(py, sums.map(|(group, sum)| totals.mean(group, sum)).collect()).into_any()
        };
        if part.is_single { Ok(array) } else { array.call_method1(intern!(py, "reshape"), ((groups, 8, 8),)) }
    }

    /// The rows that the command writes: one for each group, column and square, a1 first.
    ///
    /// >>> import slider_attacks
    /// >>> summary = slider_attacks.summarize(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "counts")
    /// >>> summary.to_batch().column_names
    /// ['positions', 'column', 'square', 'count', 'share', 'sum', 'mean']
    fn to_batch(&self, py: Python<'_>) -> PyResult<Batch> {
        self.rows(py).map(Batch::new)
    }

    /// These rows as a `pyarrow.RecordBatch`.
    ///
    /// Raises ImportError if pyarrow is not installed.
    fn to_pyarrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Batch::to_pyarrow(Bound::new(py, self.to_batch(py)?)?)
    }

    /// These rows as a `polars.DataFrame`.
    ///
    /// Raises ImportError if Polars is not installed.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Batch::to_polars(Bound::new(py, self.to_batch(py)?)?)
    }

    /// These rows as a `pandas.DataFrame`.
    ///
    /// Raises ImportError if pandas or pyarrow is not installed.
    ///
    /// >>> import slider_attacks
    /// >>> frame = slider_attacks.summarize(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "maps").to_pandas()
    /// >>> frame.set_index(["column", "square"]).loc[("white_attacks", "b1"), "count"].item()
    /// 1
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Batch::to_pandas(Bound::new(py, self.to_batch(py)?)?)
    }

    /// The page that the command writes, as the text of an HTML file that needs no other.
    ///
    /// It has at most 240 boards: of more groups, those with the most positions.
    #[pyo3(signature = (theme="auto"))]
    fn html(&self, py: Python<'_>, theme: &str) -> PyResult<String> {
        let theme = named::<Theme>("theme", theme)?;
        Ok(py.detach(|| Page::new(&self.totals, theme).html))
    }

    /// The boards that the command draws, as the text of an SVG file: of pairs for White and Black the difference.
    ///
    /// Raises ValueError if there are more than 48.
    #[pyo3(signature = (theme="auto"))]
    fn svg(&self, theme: &str) -> PyResult<String> {
        self.totals.svg(named::<Theme>("theme", theme)?).map_err(value_error)
    }

    /// For notebooks: the boards, or one line if they are too many.
    fn _repr_html_(&self) -> String {
        let text = || self.__repr__().replace('&', "&amp;").replace('<', "&lt;");
        self.totals.svg(Theme::Auto).unwrap_or_else(|_| format!("<pre>{}</pre>", text()))
    }

    fn __add__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Summary>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        if self.totals.by != other.totals.by {
            return Err(value_error("sums by different keys cannot be added up"));
        }
        if self.what.plan.products() != other.what.plan.products() || self.what.options != other.what.options {
            return Err(value_error("sums of different products or options cannot be added up"));
        }
        let totals = py.detach(|| {
            let mut groups = self.what.any_groups();
            groups.add(self.totals.found(), &self.totals.summary)?;
            groups.add(other.totals.found(), &other.totals.summary)?;
            groups.finish()?.totals()
        });
        let mut skipped = self.skipped.clone();
        add(&mut skipped, &other.skipped);
        let sum = Summary { totals: Arc::new(totals.map_err(value_error)?), what: self.what.clone(), skipped };
        Ok(Bound::new(py, sum)?.into_any().unbind())
    }

    /// `sum(parts)` begins with 0.
    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> Py<PyAny> {
        let is_zero = other.extract::<i64>().is_ok_and(|number| number == 0);
        if is_zero { slf.clone().into_any().unbind() } else { slf.py().NotImplemented() }
    }

    fn __len__(&self) -> usize {
        self.totals.keys.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.groups(py)?.into_pyobject(py)?.try_iter()
    }

    /// What NumPy asks for, and pandas with it.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Option<&Bound<'_, PyAny>>, copy: Option<bool>) -> PyResult<()> {
        let _ = (dtype, copy);
        Err(no_array("a summary", "summary", ", or summary.to_numpy(column) for the boards of a column"))
    }

    fn __repr__(&self) -> String {
        let totals = &self.totals;
        let positions: u64 = (0..totals.keys.len()).map(|group| totals.positions(group)).sum();
        let count = |number: u64, what| if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") };
        let by: Vec<String> = totals.names().map(|name| one_line(name, 40)).collect();
        let groups = count(totals.keys.len() as u64, "group");
        let by = if by.is_empty() { String::new() } else { format!(" in {groups} by {}", by.join(", ")) };
        let columns = self.column_names().join(", ");
        format!("<slider_attacks.Summary of {}{by}: {columns}>", count(positions, "position"))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo; // they never change
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let columns = py.detach(|| self.columns());
        pickle::reduce::<Summary>(py, &columns.schema(), Some(&columns), &self.skipped, &PandasIndex::default())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let (totals, parts) = (self.totals.clone(), self.totals.parts());
        let schema = rows_of(&totals, 0..0, &parts).map_err(value_error)?.schema();
        // Many groups have more rows than fit into memory, and some consumers take them batch by batch.
        let groups = (STREAMED_ROWS / (64 * parts.len().max(1))).max(1);
        let starts = (0..totals.keys.len().max(1)).step_by(groups);
        let batches = starts.map(move |start| rows_of(&totals, start..totals.keys.len().min(start + groups), &parts));
        capsule::export_stream(py, RecordBatchIterator::new(batches, schema))
    }
}
