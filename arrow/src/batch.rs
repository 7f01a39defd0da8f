//! The columns of plans as Arrow arrays and record batches.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, ListArray, RecordBatch, RecordBatchOptions, StringArray, StructArray,
    UInt8Array, UInt16Array, UInt64Array, new_empty_array,
};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use bytemuck::allocation::zeroed_vec;
use slider_attacks::moves::Move;
use slider_attacks::position::Positions;

use crate::plan::ColumnPart;
use crate::positions::PositionColumn;
use crate::product::ProductColumn;
use crate::row_errors::Errors;
use crate::{ColumnKind, Error, Integers, Notation, OnError, Plan, PositionArray, Product, Values};

/// The number of rows that are read and computed at a time: an array of their bitboards takes 2 KiB. With 512 and 1,024
/// rows, arrays begin at the same places of their pages in some processes, do not fit into the first cache together, and
/// take 1.2 times as long. With 128, the reader begins anew too often, and takes 1.05 times as long (Zen 3).
const CHUNK: usize = 256;

/// The number of positions that are computed at a time, if they have been read before: their lists stay in the cache.
const READ_CHUNK: usize = 1024;

/// What the schema of a plan depends on: the products, the integers, how moves are written, and whether there is a column of errors.
type SchemaKey = (Vec<Product>, Integers, Notation, bool);

/// How many schemas are kept.
const SCHEMAS_KEPT: usize = 8;

thread_local! {
    /// The schemas of the last plans. To make one of all products, and to drop it, takes as long as some products of a position.
    static SCHEMAS: RefCell<VecDeque<(SchemaKey, SchemaRef)>> = const { RefCell::new(VecDeque::new()) };
    /// Positions whose memory is used again: 18 arrays, which take longer to allocate than a position to read.
    static READ_POSITIONS: RefCell<Positions> = RefCell::new(Positions::new());
}

impl Plan {
    /// The names and types of the columns.
    pub fn schema(&self) -> SchemaRef {
        let (integers, notation, has_errors) =
            (self.integers, self.how.options.notation, self.on_error == OnError::Report);
        SCHEMAS.with_borrow_mut(|schemas| {
            let is_of_plan = |(key, _): &&(SchemaKey, SchemaRef)| {
                key.0 == self.products() && (key.1, key.2, key.3) == (integers, notation, has_errors)
            };
            if let Some((_, schema)) = schemas.iter().find(is_of_plan) {
                return schema.clone();
            }
            let schema = self.new_schema();
            schemas.truncate(SCHEMAS_KEPT - 1);
            schemas.push_front(((self.products().to_vec(), integers, notation, has_errors), schema.clone()));
            schema
        })
    }

    fn new_schema(&self) -> SchemaRef {
        let field = |(name, values): (&str, Values)| Field::new(name, values.data_type(self.integers), true);
        let error = (self.on_error == OnError::Report).then(|| Field::new(OnError::COLUMN, DataType::Utf8, true));
        Arc::new(Schema::new(self.names().zip(self.no_values(0)).map(field).chain(error).collect::<Fields>()))
    }

    /// The columns of these positions, without nulls.
    ///
    /// # Errors
    ///
    /// The positions have more than 2<sup>31</sup> threats or moves in all.
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
    /// As for [`compute`](Plan::compute), except for malformed rows.
    pub fn batch(&self, positions: &PositionArray) -> Result<RecordBatch, Error> {
        let mut columns = self.arrays(self.values(positions.positions()), positions.nulls().cloned())?;
        if self.on_error == OnError::Report {
            columns.push(Arc::new(positions.all_errors().column(positions.len())?));
        }
        Ok(batch_of(self.schema(), columns, positions.len()))
    }

    /// The columns of the positions in a column of FEN, EPD or bitboards: [`PositionArray`] says which columns have
    /// positions. Null rows are null in the result. The handling of malformed rows, [`on_error`](Plan::on_error) decides;
    /// [`builder`](Plan::builder) also gives their errors.
    ///
    /// Memory is that of the result. A [`PositionArray`] would take 136 bytes more per row.
    ///
    /// # Errors
    ///
    /// The column has another type, a row that is not null cannot be read (the first such row, with [`OnError::Fail`]),
    /// the positions have more than 2<sup>31</sup> threats or moves in all, or the reasons as many bytes.
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
        BatchBuilder {
            plan: self.clone(),
            memory: ColumnMemory::new(self, capacity),
            lists: Vec::new(),
            valid: NullBufferBuilder::new(capacity),
            taken: 0,
            errors: Errors::default(),
        }
    }

    fn arrays(&self, values: Vec<Values>, nulls: Option<NullBuffer>) -> Result<Vec<ArrayRef>, Error> {
        values.into_iter().map(|values| values.into_array(self.integers, nulls.clone())).collect()
    }
}

/// A batch of this schema, which the columns have.
fn batch_of(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(rows)); // a plan may have no products
    let batch = RecordBatch::try_new_with_options(schema, columns, &options);
    batch.expect("the columns have these types and one length")
}

/// A result that grows by one array at a time, for input in pieces, and for callers that want to stop in between.
///
/// Errors count rows from the first one of the first array, including rows that were left out.
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
/// assert_eq!(error.to_string(), "row 2, column 1: expected a position, found the end of the line: \"\"");
/// assert_eq!(builder.finish()?.num_rows(), 2);
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
#[derive(Debug)]
pub struct BatchBuilder {
    plan: Plan,
    /// Sets and numbers.
    memory: ColumnMemory,
    /// The places of columns of lists, and the lists of the shares, in their order.
    lists: Vec<(usize, ListParts)>,
    valid: NullBufferBuilder,
    /// The number of input rows, including those that were left out.
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
        self.append_shared(&[UncomputedRows::Column(rows)], |shares| shares.iter_mut().for_each(Share::compute))
    }

    /// Computes rows that several threads share: `work` is given a share for each of `pieces`, and is to call
    /// [`Share::compute`] once for each, on any thread. They write to the memory of the result, each to a part of its own.
    ///
    /// # Errors
    ///
    /// Those of [`append`](BatchBuilder::append), for the first such row. Then nothing is added.
    ///
    /// # Panics
    ///
    /// If `work` leaves out a share, or there are no such rows of positions.
    ///
    /// ```
    /// use std::thread;
    ///
    /// use arrow_array::StringArray;
    /// use slider_attacks_arrow::{Plan, Product, UncomputedRows};
    ///
    /// let fens = StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"]);
    /// let plan = Plan::new([Product::Maps]);
    /// let (first, second) = (fens.slice(0, 1), fens.slice(1, 1));
    /// let mut builder = plan.builder(2);
    /// builder.append_shared(&[UncomputedRows::Column(&first), UncomputedRows::Column(&second)], |shares| {
    ///     thread::scope(|scope| shares.iter_mut().for_each(|share| drop(scope.spawn(|| share.compute()))));
    /// })?;
    /// assert_eq!(builder.finish()?, plan.compute(&fens)?);
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn append_shared<'a>(
        &mut self,
        pieces: &[UncomputedRows<'a>],
        work: impl FnOnce(&mut [Share<'_>]),
    ) -> Result<(), Error> {
        for piece in pieces {
            if let UncomputedRows::Positions(positions, rows) = piece {
                assert!(rows.start <= rows.end && rows.end <= positions.len(), "rows {rows:?} of {}", positions.len());
            }
        }
        let rows: usize = pieces.iter().map(UncomputedRows::len).sum();
        let before = self.len();
        self.memory.make_room(&self.plan, before + rows);
        let mut rooms = self.memory.rooms(&self.plan, before);
        let (plan, mut first, mut shares) = (&self.plan, self.taken, Vec::with_capacity(pieces.len()));
        for (number, rows) in pieces.iter().enumerate() {
            let is_last = number + 1 == pieces.len();
            let own = if is_last { mem::take(&mut rooms) } else { split_off(&mut rooms, rows.len()) };
            shares.push(Share::new(plan, rows.clone(), first, own));
            first += rows.len();
        }
        work(&mut shares);
        for share in &mut shares {
            share.outcome.take().expect("every share is computed")?;
        }
        // Where rows were left out, those after them move up.
        let (mut moves, mut from, mut to) = (Vec::new(), before, before);
        for mut share in shares {
            let found = share.valid.len();
            if from != to {
                moves.push((from..from + found, to));
            }
            (from, to) = (from + share.rows.len(), to + found);
            match share.valid.finish() {
                Some(nulls) => self.valid.append_buffer(&nulls),
                None => self.valid.append_n_non_nulls(found),
            }
            self.errors.append(share.errors);
            if self.lists.is_empty() {
                self.lists = share.lists;
            } else {
                self.lists.iter_mut().zip(share.lists).for_each(|((_, all), (_, more))| all.append(more));
            }
        }
        if !moves.is_empty() {
            let mut rooms = self.memory.rooms(&self.plan, 0);
            for (rows, to) in moves {
                rooms.iter_mut().for_each(|room| room.move_up(rows.clone(), to));
            }
        }
        self.taken += rows;
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

    /// The rows that were left out, with [`OnError::Skip`]: all of them, in their order.
    ///
    /// ```
    /// use arrow_array::StringArray;
    /// use slider_attacks_arrow::{OnError, Plan, Product};
    ///
    /// let mut builder = Plan::new([Product::Maps]).on_error(OnError::Skip).builder(3);
    /// builder.append(&StringArray::from(vec!["nonsense", "4k3/8/8/8/8/8/8/4K3 w - -", "nonsense"]))?;
    /// assert_eq!((builder.skipped_rows(), builder.len()), (&[0, 2][..], 1));
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn skipped_rows(&self) -> &[usize] {
        &self.errors.skipped
    }

    /// The rows so far.
    ///
    /// # Errors
    ///
    /// The positions have more than 2<sup>31</sup> threats or moves in all, or the reasons as many bytes.
    pub fn finish(self) -> Result<RecordBatch, Error> {
        Ok(self.finish_values()?.batch())
    }

    /// The rows so far, whose arrays are made when they are needed.
    ///
    /// # Errors
    ///
    /// Those of [`finish`](BatchBuilder::finish).
    pub fn finish_values(mut self) -> Result<ComputedColumns, Error> {
        let (plan, rows, nulls) = (self.plan, self.valid.len(), self.valid.finish());
        let (schema, mut arrays) = (plan.schema(), Vec::with_capacity(self.lists.len()));
        for (place, lists) in self.lists {
            let array = lists.into_array(schema.field(place).data_type(), plan.integers, nulls.clone())?;
            arrays.push((place, array));
        }
        if plan.on_error == OnError::Report {
            arrays.push((schema.fields().len() - 1, Arc::new(self.errors.column(rows)?)));
        }
        let ColumnMemory { words, room } = self.memory;
        let words = words.into_iter().zip(plan.product_columns()).map(|(mut words, column)| {
            if room > FEW {
                words.truncate(words_of(column, rows));
            }
            Buffer::from_vec(words)
        });
        Ok(ComputedColumns { words: words.collect(), room, arrays, schema, rows, nulls, plan })
    }
}

/// Computed columns, whose arrays are made when they are needed: of few rows, that takes longer than most columns do.
///
/// ```
/// use arrow_array::StringArray;
/// use slider_attacks_arrow::{Plan, Product};
///
/// let mut builder = Plan::new([Product::Maps]).builder(1);
/// builder.append(&StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -"]))?;
/// let columns = builder.finish_values()?;
/// assert_eq!(columns.schema().field(1).name(), "black_attacks");
/// assert_eq!(&columns.column(1), &columns.batch()["black_attacks"]);
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ComputedColumns {
    plan: Plan,
    schema: SchemaRef,
    rows: usize,
    nulls: Option<NullBuffer>,
    /// The memory of sets and numbers, as [`ColumnMemory`] has it.
    words: Vec<Buffer>,
    room: usize,
    /// The places of columns of lists and reasons, and their arrays.
    arrays: Vec<(usize, ArrayRef)>,
}

impl ComputedColumns {
    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// The column at this place.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn column(&self, place: usize) -> ArrayRef {
        let before = self.plan.product_columns().take(if self.room > FEW { 0 } else { place });
        self.array(place, before.map(|column| words_of(column, self.room)).sum())
    }

    /// The same, whose words begin here, if columns share them.
    fn array(&self, place: usize, start: usize) -> ArrayRef {
        if let Some((_, array)) = self.arrays.iter().find(|&&(of, _)| of == place) {
            return array.clone();
        }
        let kind = self.schema.field(place).data_type();
        let (words, start) = if self.room > FEW { (&self.words[place], 0) } else { (&self.words[0], start) };
        let (rows, integers, nulls) = (self.rows, self.plan.integers, self.nulls.clone());
        let values = |kind: &DataType, rows, nulls| match kind {
            DataType::UInt64 | DataType::Int64 => {
                integers.bitboards(UInt64Array::new(ScalarBuffer::new(words.clone(), start, rows), nulls))
            }
            DataType::UInt16 | DataType::Int16 => {
                integers.counts(UInt16Array::new(ScalarBuffer::new(words.clone(), 4 * start, rows), nulls))
            }
            _ => integers.numbers(UInt8Array::new(ScalarBuffer::new(words.clone(), 8 * start, rows), nulls)),
        };
        match kind {
            DataType::FixedSizeList(item, length) => {
                let values = values(item.data_type(), *length as usize * rows, None);
                Arc::new(FixedSizeListArray::new(item.clone(), *length, values, nulls))
            }
            DataType::List(_) => new_empty_array(kind), // nothing was added
            _ => values(kind, rows, nulls),
        }
    }

    /// All columns.
    pub fn batch(&self) -> RecordBatch {
        let words = self.plan.product_columns().map(|column| words_of(column, self.room)).chain([0]);
        let starts = words.scan(0, |end, words| Some(mem::replace(end, *end + words)));
        let columns = (0..self.schema.fields().len()).zip(starts).map(|(place, start)| self.array(place, start));
        batch_of(self.schema.clone(), columns.collect(), self.rows)
    }
}

/// Up to this many rows, all columns share a vector, which saves allocations: an array of one column keeps the words of all, some 1.4
/// KB for all products of a row. With more rows, each column has its own, so that its memory is freed with it.
const FEW: usize = 16;

/// The sets and numbers of a result, in words. Columns of lists have memory of their own.
#[derive(Debug)]
struct ColumnMemory {
    /// The words of all columns, one after the other, if there is room for few rows, and else those of each column.
    words: Vec<Vec<u64>>,
    /// For how many rows there is room.
    room: usize,
}

/// How many words a column takes.
fn words_of(column: &ProductColumn, rows: usize) -> usize {
    match column.kind() {
        ColumnKind::Bitboard | ColumnKind::Key => rows,
        ColumnKind::Numbers => 8 * rows,
        ColumnKind::Number => rows.div_ceil(4),
        ColumnKind::Sets => 64 * rows,
        ColumnKind::Moves | ColumnKind::Threats => 0,
    }
}

impl ColumnMemory {
    /// Zeros for this many rows. The system gives such memory without a write to it: who computes the values touches it first.
    fn new(plan: &Plan, room: usize) -> ColumnMemory {
        let words = plan.product_columns().map(|column| words_of(column, room));
        let words = if room <= FEW { vec![zeroed_vec(words.sum())] } else { words.map(zeroed_vec).collect() };
        ColumnMemory { words, room }
    }

    /// Makes room for this many rows.
    fn make_room(&mut self, plan: &Plan, rows: usize) {
        if rows <= self.room {
            return;
        }
        let room = rows.max(2 * self.room);
        if self.room > FEW {
            for (column, words) in plan.product_columns().zip(&mut self.words) {
                words.resize(words_of(column, room), 0);
            }
            self.room = room;
            return;
        }
        let mut few = mem::replace(self, ColumnMemory::new(plan, room));
        for ((_, from), (_, to)) in few.parts(plan).zip(self.parts(plan)) {
            to[..from.len()].copy_from_slice(from);
        }
    }

    /// The columns, and the words of each.
    fn parts<'a>(&'a mut self, plan: &'a Plan) -> impl Iterator<Item = (&'a ProductColumn, &'a mut [u64])> {
        let (room, mut words) = (self.room, self.words.iter_mut().map(Vec::as_mut_slice));
        let mut shared = if room > FEW { None } else { words.next() };
        plan.product_columns().map(move |column| {
            let own = match &mut shared {
                Some(rest) => rest.split_off_mut(..words_of(column, room)),
                None => words.next(),
            };
            (column, own.expect("all columns have room"))
        })
    }

    /// Where the values of rows from this one on are computed.
    fn rooms<'a>(&'a mut self, plan: &'a Plan, from: usize) -> Vec<ColumnPart<'a>> {
        let room = self.room;
        let rooms = self.parts(plan).map(|(column, words)| match column.kind() {
            ColumnKind::Bitboard | ColumnKind::Key => ColumnPart::Boards(&mut words[from..]),
            ColumnKind::Numbers => ColumnPart::Numbers(&mut bytemuck::cast_slice_mut(words)[from..]),
            ColumnKind::Number => ColumnPart::Number(&mut bytemuck::cast_slice_mut(words)[from..room]),
            ColumnKind::Sets => ColumnPart::Sets(&mut words.as_chunks_mut().0[from..]),
            ColumnKind::Moves => ColumnPart::moves(plan.how.options.notation),
            ColumnKind::Threats => ColumnPart::threats(),
        });
        rooms.collect()
    }
}

/// Rows of a result that are still to be computed.
#[derive(Clone, Debug)]
pub enum UncomputedRows<'a> {
    /// Those of a column.
    Column(&'a dyn Array),
    /// Positions that have been read: these rows of them. Their errors are not added to the result.
    Positions(&'a PositionArray, Range<usize>),
}

impl UncomputedRows<'_> {
    /// The number of rows, before any are left out.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        match self {
            UncomputedRows::Column(rows) => rows.len(),
            UncomputedRows::Positions(_, rows) => rows.len(),
        }
    }
}

/// A part of a result, which a thread computes.
#[derive(Debug)]
pub struct Share<'a> {
    plan: &'a Plan,
    rows: UncomputedRows<'a>,
    /// The number of its first row in messages.
    first: usize,
    rooms: Vec<ColumnPart<'a>>,
    valid: NullBufferBuilder,
    errors: Errors,
    /// The places of columns of lists, and their lists.
    lists: Vec<(usize, ListParts)>,
    outcome: Option<Result<(), Error>>,
}

impl<'a> Share<'a> {
    fn new(plan: &'a Plan, rows: UncomputedRows<'a>, first: usize, rooms: Vec<ColumnPart<'a>>) -> Share<'a> {
        let valid = NullBufferBuilder::new(rows.len());
        Share { plan, rows, first, rooms, valid, errors: Errors::default(), lists: Vec::new(), outcome: None }
    }

    /// Computes it, if that has not been done.
    pub fn compute(&mut self) {
        if self.outcome.is_some() {
            return;
        }
        self.outcome = Some(match self.rows {
            UncomputedRows::Column(rows) => self.read(rows),
            UncomputedRows::Positions(positions, Range { start, end }) => {
                match positions.nulls() {
                    Some(nulls) => self.valid.append_buffer(&nulls.slice(start, end - start)),
                    None => self.valid.append_n_non_nulls(end - start),
                }
                for chunk in (start..end).step_by(READ_CHUNK) {
                    let some = positions.positions().slice(chunk..end.min(chunk + READ_CHUNK));
                    self.plan.fill(some, chunk - start, &mut self.rooms);
                }
                Ok(())
            }
        });
        let rooms = mem::take(&mut self.rooms).into_iter().enumerate();
        self.lists = rooms.filter_map(|(place, room)| Some((place, ListParts::new(room.into_lists()?)))).collect();
    }

    fn read(&mut self, rows: &dyn Array) -> Result<(), Error> {
        let column = PositionColumn::new(rows, self.first)?;
        let mut positions = READ_POSITIONS.take();
        for start in (0..rows.len()).step_by(CHUNK) {
            positions.clear();
            let (part, at) = (start..rows.len().min(start + CHUNK), self.valid.len());
            column.read(part, self.plan.on_error, &mut positions, &mut self.valid, &mut self.errors)?;
            self.plan.fill((&positions).into(), at, &mut self.rooms);
        }
        READ_POSITIONS.set(positions);
        Ok(())
    }
}

/// Takes the room for the first rows of each column.
fn split_off<'a>(rooms: &mut [ColumnPart<'a>], rows: usize) -> Vec<ColumnPart<'a>> {
    rooms.iter_mut().map(|room| room.split_off(rows)).collect()
}

/// Lists as the columns of Arrow hold them, one after the other.
#[derive(Debug)]
struct ListParts {
    /// One more than there are positions.
    offsets: Vec<usize>,
    elements: ListElements,
}

#[derive(Debug)]
enum ListElements {
    Moves(Vec<Move>, Notation),
    /// Each part of all threats.
    Threats([Vec<u8>; 4]),
}

impl ListParts {
    /// The parts of these values, which are lists.
    fn new(values: Values) -> ListParts {
        match values {
            Values::Moves { offsets, moves, notation } => {
                ListParts { offsets, elements: ListElements::Moves(moves, notation) }
            }
            Values::Threats { offsets, threats } => {
                let parts = [0, 1, 2, 3].map(|place| threats.iter().map(|threat| threat[place]).collect());
                ListParts { offsets, elements: ListElements::Threats(parts) }
            }
            _ => unreachable!("the values are lists"),
        }
    }

    /// Appends those of another share.
    fn append(&mut self, other: ListParts) {
        let before = self.offsets[self.offsets.len() - 1];
        self.offsets.extend(other.offsets[1..].iter().map(|offset| before + offset));
        match (&mut self.elements, other.elements) {
            (ListElements::Moves(moves, _), ListElements::Moves(more, _)) => moves.extend(more),
            (ListElements::Threats(parts), ListElements::Threats(more)) => {
                parts.iter_mut().zip(more).for_each(|(part, more)| part.extend(more));
            }
            _ => unreachable!("the lists are of one column"),
        }
    }

    /// Empties the lists of rows without a position, where the moves of a placeholder are.
    fn without_nulls(mut self, nulls: Option<&NullBuffer>) -> ListParts {
        if let (Some(nulls), ListElements::Moves(moves, _)) = (nulls, &mut self.elements)
            && nulls.null_count() > 0
        {
            let (mut from, mut to) = (0, 0);
            for (row, end) in self.offsets[1..].iter_mut().enumerate() {
                let list = from..*end;
                from = *end;
                if nulls.is_valid(row) {
                    moves.copy_within(list.clone(), to);
                    to += list.len();
                }
                *end = to;
            }
            moves.truncate(to);
        }
        self
    }

    /// A column of this type.
    fn into_array(self, kind: &DataType, integers: Integers, nulls: Option<NullBuffer>) -> Result<ArrayRef, Error> {
        let DataType::List(item) = kind else { unreachable!("the values are lists") };
        let ListParts { offsets, elements } = self.without_nulls(nulls.as_ref());
        let found = offsets[offsets.len() - 1];
        let offsets: Result<Vec<i32>, _> = offsets.into_iter().map(i32::try_from).collect();
        let offsets = offsets.map_err(|_| Error::TooManyElements { found })?;
        let elements: ArrayRef = match (elements, item.data_type()) {
            (ListElements::Moves(moves, notation), _) => move_array(moves, notation, integers)?,
            (ListElements::Threats(parts), DataType::Struct(fields)) => {
                let columns = parts.map(|part| integers.numbers(UInt8Array::from(part)));
                Arc::new(StructArray::new(fields.clone(), columns.into(), None))
            }
            _ => unreachable!("threats have parts"),
        };
        Ok(Arc::new(ListArray::new(item.clone(), OffsetBuffer::new(offsets.into()), elements, nulls)))
    }
}

/// The type of a move.
fn move_type(notation: Notation, integers: Integers) -> DataType {
    match notation {
        Notation::Bits => integers.count_type(),
        Notation::Uci => DataType::Utf8,
    }
}

fn move_array(moves: Vec<Move>, notation: Notation, integers: Integers) -> Result<ArrayRef, Error> {
    Ok(match notation {
        Notation::Bits => integers.counts(UInt16Array::from(bytemuck::allocation::cast_vec::<Move, u16>(moves))),
        Notation::Uci => Arc::new(uci(&moves)?),
    })
}

/// These moves as text of UCI.
///
/// # Errors
///
/// The text has more than 2<sup>31</sup> bytes.
pub fn uci(moves: &[Move]) -> Result<StringArray, Error> {
    let (mut text, mut ends) = (Vec::with_capacity(4 * moves.len()), Vec::with_capacity(1 + moves.len()));
    ends.push(0);
    for mv in moves {
        text.extend_from_slice(mv.encode_uci(&mut [0; 5]).as_bytes());
        ends.push(i32::try_from(text.len()).map_err(|_| Error::TooManyElements { found: moves.len() })?);
    }
    Ok(StringArray::new(OffsetBuffer::new(ends.into()), text.into(), None))
}

fn item(kind: DataType) -> FieldRef {
    Arc::new(Field::new("item", kind, false))
}

/// The parts of a threat.
fn threat_fields(integers: Integers) -> Fields {
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
            Values::Number(_) => integers.count_type(),
            Values::Sets(_) => DataType::FixedSizeList(item(integers.bitboard_type()), 64),
            Values::Moves { notation, .. } => DataType::List(item(move_type(*notation, integers))),
            Values::Threats { .. } => DataType::List(item(DataType::Struct(threat_fields(integers)))),
        }
    }

    /// The column with these integers and nulls. Boards and numbers are not copied.
    ///
    /// # Errors
    ///
    /// There are more than 2<sup>31</sup> threats or moves.
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
            Values::Number(numbers) => integers.counts(UInt16Array::new(numbers.into(), nulls)),
            Values::Sets(lists) => {
                let (item, boards) = (item(integers.bitboard_type()), UInt64Array::from(lists.into_flattened()));
                Arc::new(FixedSizeListArray::new(item, 64, integers.bitboards(boards), nulls))
            }
            values => {
                let kind = values.data_type(integers);
                ListParts::new(values).into_array(&kind, integers, nulls)?
            }
        })
    }
}

impl ColumnPart<'_> {
    /// Moves values of positions to a place before them. Lists have no gaps.
    fn move_up(&mut self, from: Range<usize>, to: usize) {
        match self {
            ColumnPart::Boards(boards) => boards.copy_within(from, to),
            ColumnPart::Numbers(numbers) => numbers.copy_within(from, to),
            ColumnPart::Number(numbers) => numbers.copy_within(from, to),
            ColumnPart::Sets(sets) => sets.copy_within(from, to),
            ColumnPart::Moves { .. } | ColumnPart::Threats { .. } => {}
        }
    }
}
