//! Which products to compute, and their columns.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, ListArray, RecordBatch, RecordBatchOptions, StructArray, UInt8Array,
    UInt64Array,
};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use slider_attacks::Backend;
use slider_attacks::analysis::{Side, Threats};
use slider_attacks::position::{Color, Piece, Positions};

use crate::positions::{OnError, Source};
use crate::product::{Column, Values};
use crate::{Error, Integers, PositionArray, Product};

/// The number of rows that [`Plan::compute`] reads and computes at a time, so that their bitboards stay in the cache.
const CHUNK: usize = 1024;

/// Which products to compute, and how.
///
/// ```
/// use arrow_array::{StringArray, UInt64Array, cast::AsArray, types::UInt64Type};
/// use slider_attacks_arrow::{Plan, Product};
///
/// let plan = Plan::new([Product::Maps, Product::Pins]);
/// let fens = StringArray::from(vec![Some("4k3/8/8/8/8/8/8/R3K3 w Q -"), None]);
/// let batch = plan.compute(&fens)?;
/// assert_eq!(batch.schema(), plan.schema());
/// let maps = batch["white_attacks"].as_primitive::<UInt64Type>();
/// assert_eq!(*maps, UInt64Array::from(vec![Some(0x0101_0101_0101_393e), None]));
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
///
/// # Types
///
/// | column of a product | type |
/// |---|---|
/// | a set of squares | `UInt64`; bit *i* is square *i*: a1 = 0, b1 = 1, … h8 = 63 |
/// | a number for each square | `FixedSizeList` of 64 `UInt8`, in the same order |
/// | threats | `List` of structs of four `UInt8`: `attacker`, `from`, `to`, `victim` |
///
/// In a threat, a piece is the code of its letter in FEN (`Q` is 81, a white queen; `q` is 113, a black one), and a square
/// is its number. With [`Integers::Signed`], `Int64` and `Int8` take the places of `UInt64` and `UInt8`.
///
/// All columns are nullable, because a row may have no position. Elements of lists and fields of structs are not.
#[derive(Clone, Debug)]
pub struct Plan {
    products: Vec<Product>,
    integers: Integers,
    pub(crate) backend: Backend,
    pub(crate) through: Side,
    victims: Side,
}

impl Plan {
    /// A plan of these products, each of them once, in the order of [`Product::ALL`].
    ///
    /// It computes with the active backend. X-rays go through pieces of any side, threats are those to enemies, and integers
    /// are unsigned. The methods below change that.
    pub fn new(products: impl IntoIterator<Item = Product>) -> Plan {
        let mut products: Vec<Product> = products.into_iter().collect();
        products.sort_unstable();
        products.dedup();
        let (backend, integers) = (Backend::active(), Integers::Unsigned);
        Plan { products, integers, backend, through: Side::Any, victims: Side::Enemy }
    }

    /// Computes with this backend.
    pub fn backend(self, backend: Backend) -> Plan {
        Plan { backend, ..self }
    }

    /// Lets x-rays pass through pieces of this side, as seen from the slider.
    pub fn through(self, through: Side) -> Plan {
        Plan { through, ..self }
    }

    /// Lists threats to pieces of this side, as seen from the attacker.
    pub fn victims(self, victims: Side) -> Plan {
        Plan { victims, ..self }
    }

    /// Gives the results these integers.
    pub fn integers(self, integers: Integers) -> Plan {
        Plan { integers, ..self }
    }

    /// The products, in the order of their columns.
    pub fn products(&self) -> &[Product] {
        &self.products
    }

    fn each_column(&self) -> impl Iterator<Item = &'static Column> {
        self.products.iter().flat_map(|product| product.columns())
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        let kind = |values: &Values| match values {
            Values::Boards(_) => self.integers.bitboard_type(),
            Values::Numbers(_) => DataType::FixedSizeList(item(self.integers.number_type()), 64),
            Values::Threats => DataType::List(item(DataType::Struct(parts(self.integers)))),
        };
        let fields = self.each_column().map(|column| Field::new(column.name, kind(&column.values), true));
        Arc::new(Schema::new(fields.collect::<Fields>()))
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
        let mut columns = Columns::new(self, positions.len());
        columns.append(positions);
        columns.finish(None)
    }

    /// The columns of these positions. Rows without a position are null.
    ///
    /// # Errors
    ///
    /// The same as those of [`columns`](Plan::columns).
    pub fn batch(&self, positions: &PositionArray) -> Result<RecordBatch, Error> {
        let mut columns = Columns::new(self, positions.len());
        columns.append(positions.positions());
        columns.batch(positions.len(), positions.nulls().cloned())
    }

    /// The columns of the positions in a column of FEN, EPD or bitboards: [`PositionArray`] says which columns have
    /// positions. Null rows are null in the result.
    ///
    /// Memory is that of the result. A [`PositionArray`] would take 128 bytes more per row.
    ///
    /// # Errors
    ///
    /// The column has another type, a row that is not null cannot be read (the first such row), or the positions have
    /// more than 2<sup>31</sup> threats in all.
    pub fn compute(&self, rows: &dyn Array) -> Result<RecordBatch, Error> {
        let mut builder = self.builder(rows.len());
        builder.append(rows)?;
        builder.finish()
    }

    /// [`compute`](Plan::compute), but a row that cannot be read is null in the result. The errors of these rows are returned
    /// beside it, in their order.
    ///
    /// # Errors
    ///
    /// The column has another type, or the positions have more than 2<sup>31</sup> threats in all.
    ///
    /// # Example
    ///
    /// ```
    /// use arrow_array::{Array, StringArray};
    /// use slider_attacks_arrow::{Plan, Product};
    ///
    /// let fens = StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -", "nonsense"]);
    /// let (batch, errors) = Plan::new([Product::Maps]).compute_or_null(&fens)?;
    /// assert!(batch.column(0).is_valid(0) && batch.column(0).is_null(1));
    /// assert_eq!((errors.len(), errors[0].row()), (1, Some(1)));
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn compute_or_null(&self, rows: &dyn Array) -> Result<(RecordBatch, Vec<Error>), Error> {
        let mut builder = self.builder(rows.len());
        builder.append_or_null(rows)?;
        let errors = std::mem::take(&mut builder.errors);
        Ok((builder.finish()?, errors))
    }

    /// A result without rows, with room for `capacity` of them.
    pub fn builder(&self, capacity: usize) -> BatchBuilder {
        let (valid, positions) = (NullBufferBuilder::new(capacity), Positions::with_capacity(capacity.min(CHUNK)));
        BatchBuilder { columns: Columns::new(self, capacity), valid, positions, errors: Vec::new() }
    }
}

/// A result that grows by one array at a time, for input in pieces, and for callers that want to stop in between.
///
/// Errors count rows from the first one of the first array.
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
    columns: Columns,
    valid: NullBufferBuilder,
    /// Those of a chunk, kept for their memory.
    positions: Positions,
    errors: Vec<Error>,
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
    /// The array has another type, or a row that is not null cannot be read. Then nothing is added.
    pub fn append(&mut self, rows: &dyn Array) -> Result<(), Error> {
        let before = self.len();
        self.append_with(rows, &mut Err).inspect_err(|_| {
            self.columns.truncate(before);
            self.valid.truncate(before);
        })
    }

    /// Computes the rows of an array, as [`Plan::compute_or_null`] does.
    ///
    /// # Errors
    ///
    /// The array has another type.
    pub fn append_or_null(&mut self, rows: &dyn Array) -> Result<(), Error> {
        let mut errors = std::mem::take(&mut self.errors);
        let appended = self.append_with(rows, &mut |error| {
            errors.push(error);
            Ok(())
        });
        self.errors = errors;
        appended
    }

    fn append_with(&mut self, rows: &dyn Array, on_error: OnError<'_>) -> Result<(), Error> {
        let source = Source::new(rows, self.len())?;
        for start in (0..rows.len()).step_by(CHUNK) {
            self.positions.clear();
            source.read(start..rows.len().min(start + CHUNK), &mut self.positions, &mut self.valid, on_error)?;
            self.columns.append(&self.positions);
        }
        Ok(())
    }

    /// The errors of rows that became null, in their order.
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// The rows so far.
    ///
    /// # Errors
    ///
    /// The positions have more than 2<sup>31</sup> threats in all.
    pub fn finish(mut self) -> Result<RecordBatch, Error> {
        let rows = self.len();
        self.columns.batch(rows, self.valid.finish())
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

/// The columns of a plan while they grow.
#[derive(Debug)]
struct Columns {
    plan: Plan,
    columns: Vec<Growing>,
}

/// A column while it grows.
#[derive(Debug)]
enum Growing {
    Boards(Vec<u64>),
    Numbers(Vec<[u8; 64]>),
    Threats { ends: Vec<usize>, parts: [Vec<u8>; 4] },
}

impl Columns {
    fn new(plan: &Plan, capacity: usize) -> Columns {
        let empty = |column: &Column| match column.values {
            Values::Boards(_) => Growing::Boards(Vec::with_capacity(capacity)),
            Values::Numbers(_) => Growing::Numbers(Vec::with_capacity(capacity)),
            Values::Threats => {
                let mut ends = Vec::with_capacity(capacity + 1);
                ends.push(0);
                Growing::Threats { ends, parts: Default::default() }
            }
        };
        Columns { plan: plan.clone(), columns: plan.each_column().map(empty).collect() }
    }

    /// Computes the rows of these positions.
    fn append(&mut self, positions: &Positions) {
        fn tail<T: Copy>(values: &mut Vec<T>, zero: T, count: usize) -> &mut [T] {
            let before = values.len();
            values.resize(before + count, zero);
            &mut values[before..]
        }
        const ONE_EACH: &str = "there is one element per position";
        let (plan, count) = (&self.plan, positions.len());
        for (column, growing) in plan.each_column().zip(&mut self.columns) {
            match (&column.values, growing) {
                (Values::Boards(compute), Growing::Boards(boards)) => {
                    compute(plan, positions, tail(boards, 0, count)).expect(ONE_EACH);
                }
                (Values::Numbers(compute), Growing::Numbers(numbers)) => {
                    compute(plan, positions, tail(numbers, [0; 64], count)).expect(ONE_EACH);
                }
                (Values::Threats, Growing::Threats { ends, parts }) => {
                    let mut threats = Threats::new();
                    plan.backend.threats(positions, &Color::ALL, plan.victims, &mut threats);
                    let before = parts[0].len();
                    ends.extend(threats.offsets()[1..].iter().map(|end| before + end));
                    let [attackers, from, to, victims] = parts;
                    let code = |(color, piece): (Color, Piece)| piece.letter(color) as u8;
                    attackers.extend(threats.as_slice().iter().map(|threat| code(threat.attacker)));
                    from.extend(threats.as_slice().iter().map(|threat| threat.from.index()));
                    to.extend(threats.as_slice().iter().map(|threat| threat.to.index()));
                    victims.extend(threats.as_slice().iter().map(|threat| code(threat.victim)));
                }
                _ => unreachable!("columns grow as they began"),
            }
        }
    }

    /// Keeps so many rows.
    fn truncate(&mut self, rows: usize) {
        for growing in &mut self.columns {
            match growing {
                Growing::Boards(boards) => boards.truncate(rows),
                Growing::Numbers(numbers) => numbers.truncate(rows),
                Growing::Threats { ends, parts } => {
                    ends.truncate(rows + 1);
                    parts.iter_mut().for_each(|part| part.truncate(ends[rows]));
                }
            }
        }
    }

    fn finish(self, nulls: Option<NullBuffer>) -> Result<Vec<ArrayRef>, Error> {
        let integers = self.plan.integers;
        let numbers = |bytes: Vec<u8>| integers.numbers(UInt8Array::from(bytes));
        let array = |growing| -> Result<ArrayRef, Error> {
            Ok(match growing {
                Growing::Boards(boards) => integers.bitboards(UInt64Array::new(boards.into(), nulls.clone())),
                Growing::Numbers(lists) => {
                    let (item, values) = (item(integers.number_type()), numbers(lists.into_flattened()));
                    Arc::new(FixedSizeListArray::new(item, 64, values, nulls.clone()))
                }
                Growing::Threats { ends, parts } => {
                    let found = parts[0].len();
                    let ends: Result<Vec<i32>, _> = ends.into_iter().map(i32::try_from).collect();
                    let offsets = OffsetBuffer::new(ends.map_err(|_| Error::TooManyThreats { found })?.into());
                    let fields = self::parts(integers);
                    let parts = StructArray::new(fields.clone(), parts.map(numbers).into(), None);
                    Arc::new(ListArray::new(item(DataType::Struct(fields)), offsets, Arc::new(parts), nulls.clone()))
                }
            })
        };
        self.columns.into_iter().map(array).collect()
    }

    fn batch(self, rows: usize, nulls: Option<NullBuffer>) -> Result<RecordBatch, Error> {
        let schema = self.plan.schema();
        let options = RecordBatchOptions::new().with_row_count(Some(rows)); // a plan may have no products
        let batch = RecordBatch::try_new_with_options(schema, self.finish(nulls)?, &options);
        Ok(batch.expect("the columns have these types and one length"))
    }
}
