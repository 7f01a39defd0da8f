//! The columns of plans as Arrow arrays and record batches.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, ListArray, RecordBatch, RecordBatchOptions, StructArray, UInt8Array,
    UInt64Array,
};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use slider_attacks::position::Positions;

use crate::error::Errors;
use crate::positions::PositionColumn;
use crate::{Error, Integers, OnError, Plan, PositionArray, Values};

/// The number of rows that are read and computed at a time: an array of their bitboards takes 1 KiB. With 512 and 1,024
/// rows, arrays begin at the same places of their pages in some processes, do not fit into the first cache together, and
/// take 1.2 times as long.
const CHUNK: usize = 128;

impl Plan {
    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        let field = |(name, values): (&str, Values)| Field::new(name, values.data_type(self.integers), true);
        let error = (self.on_error == OnError::Report).then(|| Field::new(OnError::COLUMN, DataType::Utf8, true));
        Arc::new(Schema::new(self.names().zip(self.no_values(0)).map(field).chain(error).collect::<Fields>()))
    }

    /// The columns of these positions, without nulls.
    ///
    /// # Errors
    ///
    /// The positions have more than 2<sup>31</sup> threats in all.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_arrow::{Plan, Product};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/R3K3 b Q -\n")?;
    /// let columns = Plan::new([Product::Maps, Product::Counts]).columns(&positions)?;
    /// assert_eq!((columns.len(), columns[0].len()), (4, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn columns(&self, positions: &Positions) -> Result<Vec<ArrayRef>, Error> {
        self.arrays(self.values(positions), None)
    }

    /// The columns of these positions. Rows without a position are null. With [`OnError::Report`], the reasons are those of
    /// positions that were read so as well.
    ///
    /// # Errors
    ///
    /// The same as those of [`compute`](Plan::compute), but for rows that cannot be read.
    pub fn batch(&self, positions: &PositionArray) -> Result<RecordBatch, Error> {
        let values = self.values(positions.positions());
        self.batch_of(values, positions.len(), positions.nulls().cloned(), positions.all_errors())
    }

    /// The columns of the positions in a column of FEN, EPD or bitboards: [`PositionArray`] says which columns have
    /// positions. Null rows are null in the result. What becomes of rows that cannot be read,
    /// [`on_error`](Plan::on_error) decides; [`builder`](Plan::builder) also gives their errors.
    ///
    /// Memory is that of the result. A [`PositionArray`] would take 128 bytes more per row.
    ///
    /// # Errors
    ///
    /// The column has another type, a row that is not null cannot be read (the first such row, with [`OnError::Fail`]),
    /// the positions have more than 2<sup>31</sup> threats in all, or the reasons as many bytes.
    ///
    /// # Example
    ///
    /// ```
    /// use arrow_array::{StringArray, UInt64Array, cast::AsArray, types::UInt64Type};
    /// use slider_attacks_arrow::{OnError, Plan, Product};
    ///
    /// let plan = Plan::new([Product::Maps, Product::Pins]);
    /// let fens = StringArray::from(vec![Some("4k3/8/8/8/8/8/8/R3K3 w Q -"), None]);
    /// let batch = plan.compute(&fens)?;
    /// assert_eq!(batch.schema(), plan.schema());
    /// let maps = batch["white_attacks"].as_primitive::<UInt64Type>();
    /// assert_eq!(*maps, UInt64Array::from(vec![Some(0x0101_0101_0101_393e), None]));
    ///
    /// let batch = plan.on_error(OnError::Report).compute(&StringArray::from(vec!["nonsense"]))?;
    /// assert!(batch["white_attacks"].is_null(0));
    /// assert_eq!(batch["error"].as_string::<i32>().value(0), "column 2: expected KQRBNP, kqrbnp or 1 to 8 in rank 8, found 'o'");
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn compute(&self, rows: &dyn Array) -> Result<RecordBatch, Error> {
        let mut builder = self.builder(rows.len());
        builder.append(rows)?;
        builder.finish()
    }

    /// A result without rows, with room for `capacity` of them.
    pub fn builder(&self, capacity: usize) -> BatchBuilder {
        let (valid, positions) = (NullBufferBuilder::new(capacity), Positions::with_capacity(capacity.min(CHUNK)));
        BatchBuilder {
            plan: self.clone(),
            values: self.no_values(capacity),
            valid,
            positions,
            taken: 0,
            errors: Errors::default(),
        }
    }

    fn arrays(&self, values: Vec<Values>, nulls: Option<NullBuffer>) -> Result<Vec<ArrayRef>, Error> {
        values.into_iter().map(|values| values.into_array(self.integers, nulls.clone())).collect()
    }

    fn batch_of(
        &self,
        values: Vec<Values>,
        rows: usize,
        nulls: Option<NullBuffer>,
        errors: &Errors,
    ) -> Result<RecordBatch, Error> {
        let mut columns = self.arrays(values, nulls)?;
        if self.on_error == OnError::Report {
            columns.push(Arc::new(errors.column(rows)?));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows)); // a plan may have no products
        let batch = RecordBatch::try_new_with_options(self.schema(), columns, &options);
        Ok(batch.expect("the columns have these types and one length"))
    }
}

/// A result that grows by one array at a time, for input in pieces, and for callers that want to stop in between.
///
/// Errors count rows from the first one of the first array, whatever became of those before.
///
/// ```
/// use arrow_array::StringArray;
/// use slider_attacks_arrow::{Plan, Product};
///
/// let fens = StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -"]);
/// let plan = Plan::new([Product::Maps]);
/// let mut builder = plan.builder(2);
/// builder.append(&fens)?;
/// builder.append(&fens)?;
/// let error = builder.append(&StringArray::from(vec![""])).unwrap_err();
/// assert_eq!(error.to_string(), "row 2, column 1: expected a position, found the end of the line");
/// assert_eq!(builder.finish()?.num_rows(), 2);
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
#[derive(Debug)]
pub struct BatchBuilder {
    plan: Plan,
    values: Vec<Values>,
    valid: NullBufferBuilder,
    /// Those of a chunk, kept for their memory.
    positions: Positions,
    /// How many rows were given, whatever became of them.
    taken: usize,
    errors: Errors,
}

impl BatchBuilder {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.valid.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes the rows of an array, as [`Plan::compute`] does.
    ///
    /// # Errors
    ///
    /// The array has another type, or, with [`OnError::Fail`], a row that is not null cannot be read. Then nothing is added.
    pub fn append(&mut self, rows: &dyn Array) -> Result<(), Error> {
        let before = self.len();
        self.append_chunks(rows).inspect_err(|_| {
            self.values.iter_mut().for_each(|values| values.truncate(before));
            self.valid.truncate(before);
        })
    }

    fn append_chunks(&mut self, rows: &dyn Array) -> Result<(), Error> {
        let column = PositionColumn::new(rows, self.taken)?;
        for start in (0..rows.len()).step_by(CHUNK) {
            self.positions.clear();
            let part = start..rows.len().min(start + CHUNK);
            column.read(part, self.plan.on_error, &mut self.positions, &mut self.valid, &mut self.errors)?;
            self.plan.append(&self.positions, &mut self.values);
        }
        self.taken += rows.len();
        Ok(())
    }

    /// The errors of rows that were left out or became null, in their order: the first
    /// [`MOST_ERRORS`](crate::MOST_ERRORS).
    pub fn errors(&self) -> &[Error] {
        &self.errors.first
    }

    /// The number of rows that were left out or became null because they cannot be read.
    pub fn error_count(&self) -> usize {
        self.errors.count
    }

    /// The rows so far.
    ///
    /// # Errors
    ///
    /// The positions have more than 2<sup>31</sup> threats in all, or the reasons as many bytes.
    pub fn finish(mut self) -> Result<RecordBatch, Error> {
        let rows = self.len();
        self.plan.batch_of(self.values, rows, self.valid.finish(), &self.errors)
    }
}

fn item(kind: DataType) -> FieldRef {
    Arc::new(Field::new("item", kind, false))
}

/// The parts of a threat.
fn parts(integers: Integers) -> Fields {
    ["attacker", "from", "to", "victim"]
        .map(|name| Field::new(name, integers.number_type(), false))
        .into_iter()
        .collect()
}

impl Values {
    /// The type of the column with these integers.
    pub fn data_type(&self, integers: Integers) -> DataType {
        match self {
            Values::Boards(_) => integers.bitboard_type(),
            Values::Numbers(_) => DataType::FixedSizeList(item(integers.number_type()), 64),
            Values::Threats { .. } => DataType::List(item(DataType::Struct(parts(integers)))),
        }
    }

    /// The column with these integers and nulls. Boards and numbers are not copied.
    ///
    /// # Errors
    ///
    /// There are more than 2<sup>31</sup> threats.
    ///
    /// # Panics
    ///
    /// If there are nulls, but not one element per position.
    pub fn into_array(self, integers: Integers, nulls: Option<NullBuffer>) -> Result<ArrayRef, Error> {
        let numbers = |bytes: Vec<u8>| integers.numbers(UInt8Array::from(bytes));
        Ok(match self {
            Values::Boards(boards) => integers.bitboards(UInt64Array::new(boards.into(), nulls)),
            Values::Numbers(lists) => {
                let (item, values) = (item(integers.number_type()), numbers(lists.into_flattened()));
                Arc::new(FixedSizeListArray::new(item, 64, values, nulls))
            }
            Values::Threats { offsets, threats } => {
                let offsets: Result<Vec<i32>, _> = offsets.into_iter().map(i32::try_from).collect();
                let offsets = offsets.map_err(|_| Error::TooManyThreats { found: threats.len() })?;
                let part = |place: usize| numbers(threats.iter().map(|threat| threat[place]).collect());
                let fields = parts(integers);
                let parts = StructArray::new(fields.clone(), (0..4).map(part).collect(), None);
                let item = item(DataType::Struct(fields));
                Arc::new(ListArray::new(item, OffsetBuffer::new(offsets.into()), Arc::new(parts), nulls))
            }
        })
    }

    /// Keeps the values of the first positions.
    fn truncate(&mut self, positions: usize) {
        match self {
            Values::Boards(boards) => boards.truncate(positions),
            Values::Numbers(numbers) => numbers.truncate(positions),
            Values::Threats { offsets, threats } => {
                offsets.truncate(positions + 1);
                threats.truncate(offsets[positions]);
            }
        }
    }
}
