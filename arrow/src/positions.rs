//! Positions read from columns, row by row.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::{iter, mem};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt8Array, UInt64Array};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use slider_attacks::Square;
use slider_attacks::position::{Castling, Color, Piece, Positions};

use crate::bits::{bitboards, integer, squares};
use crate::error::excerpt;
use crate::row_errors::Errors;
use crate::texts::Texts;
use crate::{Error, Integers, OnError};

/// The names of the columns other than those of the pieces.
const SIDE_TO_MOVE: &str = "side_to_move";
const CASTLING: &str = "castling";
const EN_PASSANT: &str = "en_passant";

/// The placeholder of a row without a position: two kings, none of whose products are large. It is as long as the vectors that
/// read it.
const PLACEHOLDER: &[u8; 64] = b"k7/8/8/8/8/8/8/7K w - -                                         ";

/// How many rows are read at a time: their texts stay in the cache between a look for line ends and the reader.
const ROWS: usize = 1 << 10;

/// A column of positions: read once, from any column that has positions, for any number of plans.
///
/// # Columns that have positions
///
/// - Text: FEN or EPD, one position per row, as [`Positions::push_fen`] reads it. A line end is an error, except around it.
///   The types are `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`, `LargeBinary`, `BinaryView`, and dictionaries of them.
/// - Bitboards: a struct of twelve columns `white_pawn`, `white_knight`, `white_bishop`, `white_rook`, `white_queen`,
///   `white_king`, `black_pawn`, … `black_king`, `UInt64` or `Int64`. There may be three more: `side_to_move` (`w` or
///   `b`) and `castling` (`KQkq`, `-`) are text as in FEN, and `en_passant` is the number of a square, of any integer
///   type, or null if there is none. Without these columns, white is to move, nobody may castle, and there is no such
///   square. No product depends on them. Other columns are ignored. A record batch becomes such a struct with
///   `StructArray::from(batch)`, without a copy, and [`PositionArray::boards`] makes the columns.
///
/// # Nulls
///
/// A null row (for bitboards, a row with a null in a column other than `en_passant`) has no position. Columns may also be of
/// type `Null`. In [`positions`](PositionArray::positions), two kings take the place of a position that is missing, so that
/// rows keep their numbers.
///
/// ```
/// use arrow_array::StringArray;
/// use slider_attacks_arrow::{OnError, Plan, PositionArray, Product};
///
/// let fens = StringArray::from(vec![Some("4k3/8/8/8/8/8/8/R3K3 w Q -"), None, Some("4k3/8/8/8/8/8/8/R3K3 x Q -")]);
/// let positions = PositionArray::read_with(&fens, OnError::Null)?;
/// assert_eq!((positions.len(), positions.is_null(1), positions.is_null(2)), (3, true, true));
/// let errors: Vec<String> = positions.errors().iter().map(|error| error.to_string()).collect();
/// let expected = "row 2, column 22: expected w or b as the side to move, found 'x': \"4k3/8/8/8/8/8/8/R3K3 x Q -\"";
/// assert_eq!(errors, [expected]);
///
/// let maps = Plan::new([Product::Maps]).batch(&positions)?;
/// let pins = Plan::new([Product::Pins]).batch(&positions)?;
/// assert_eq!((maps.num_columns(), pins.num_columns()), (2, 4));
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PositionArray {
    positions: Positions,
    valid: ValidRows,
    on_error: OnError,
    errors: Errors,
    /// The number of input rows, including those that were left out.
    taken: usize,
}

/// Which rows have a position. It grows in linear time, however short the columns are.
#[derive(Debug)]
struct ValidRows {
    builder: NullBufferBuilder,
    /// What the builder holds, once somebody has asked.
    nulls: OnceLock<Option<NullBuffer>>,
}

impl ValidRows {
    fn new(nulls: Option<NullBuffer>, rows: usize) -> ValidRows {
        let mut builder = NullBufferBuilder::new(rows);
        append(&mut builder, nulls.as_ref(), rows);
        ValidRows { builder, nulls: OnceLock::new() }
    }

    fn nulls(&self) -> Option<&NullBuffer> {
        let nulls = || self.builder.finish_cloned().filter(|nulls| nulls.null_count() > 0);
        self.nulls.get_or_init(nulls).as_ref()
    }

    /// The builder, to add rows.
    fn builder(&mut self) -> &mut NullBufferBuilder {
        self.nulls = OnceLock::new();
        &mut self.builder
    }
}

impl Default for ValidRows {
    fn default() -> ValidRows {
        ValidRows::new(None, 0)
    }
}

impl Clone for ValidRows {
    fn clone(&self) -> ValidRows {
        ValidRows::new(self.nulls().cloned(), self.builder.len())
    }
}

/// Adds rows, with these nulls.
fn append(valid: &mut NullBufferBuilder, nulls: Option<&NullBuffer>, rows: usize) {
    match nulls {
        Some(nulls) => valid.append_buffer(nulls),
        None => valid.append_n_non_nulls(rows),
    }
}

impl PositionArray {
    /// No rows. A row that cannot be read will be an error.
    pub fn new() -> PositionArray {
        PositionArray::default()
    }

    /// No rows. `on_error` determines how malformed rows are handled: with [`OnError::Skip`] they are left out, with
    /// [`OnError::Null`] and [`OnError::Report`] they are null. [`errors`](PositionArray::errors) tells why; with
    /// [`OnError::Report`] the reasons of all rows are kept for [`Plan::batch`](crate::Plan::batch).
    pub fn with(on_error: OnError) -> PositionArray {
        PositionArray { on_error, ..PositionArray::default() }
    }

    /// Reads a column. A null row has no position.
    ///
    /// # Errors
    ///
    /// The column has another type, or a row that is not null cannot be read: the first such row.
    pub fn read(rows: &dyn Array) -> Result<PositionArray, Error> {
        PositionArray::read_with(rows, OnError::Fail)
    }

    /// Reads a column; `on_error` determines how malformed rows are handled.
    ///
    /// # Errors
    ///
    /// The column has another type, or, with [`OnError::Fail`], a row that is not null cannot be read.
    pub fn read_with(rows: &dyn Array, on_error: OnError) -> Result<PositionArray, Error> {
        let mut read = PositionArray::with(on_error);
        read.append(rows)?;
        Ok(read)
    }

    /// These positions, with some null rows, whose values are placeholders.
    ///
    /// # Panics
    ///
    /// If the nulls are not as many as the positions.
    pub fn from_parts(positions: Positions, nulls: Option<NullBuffer>) -> PositionArray {
        assert!(nulls.as_ref().is_none_or(|nulls| nulls.len() == positions.len()), "one null or not per position");
        PositionArray { valid: ValidRows::new(nulls, positions.len()), ..PositionArray::from(positions) }
    }

    /// Adds the rows of another column. Errors count rows from the first one of the first column, including those before.
    ///
    /// # Errors
    ///
    /// As for [`read_with`](PositionArray::read_with). Then nothing is added.
    pub fn append(&mut self, rows: &dyn Array) -> Result<(), Error> {
        let before = self.len();
        let column = PositionColumn::new(rows, self.taken)?;
        let valid = self.valid.builder();
        self.positions.reserve(rows.len());
        column.read(0..rows.len(), self.on_error, &mut self.positions, valid, &mut self.errors).inspect_err(|_| {
            self.positions.truncate(before);
            valid.truncate(before);
        })?;
        self.taken += rows.len();
        Ok(())
    }

    /// Removes all rows and their errors, and keeps the memory. From now on, `on_error` decides.
    ///
    /// ```
    /// use arrow_array::StringArray;
    /// use slider_attacks_arrow::{OnError, PositionArray};
    ///
    /// let mut positions = PositionArray::read_with(&StringArray::from(vec!["nonsense"]), OnError::Null)?;
    /// positions.clear(OnError::Null);
    /// assert_eq!((positions.len(), positions.error_count()), (0, 0));
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn clear(&mut self, on_error: OnError) {
        let mut positions = mem::take(&mut self.positions);
        positions.clear();
        *self = PositionArray { positions, ..PositionArray::with(on_error) };
    }

    /// Makes room for `additional` more rows.
    pub fn reserve(&mut self, additional: usize) {
        self.positions.reserve(additional);
    }

    /// Adds rows that have been read apart from those before, for instance by another thread. Their errors count rows as if
    /// they had been read after these.
    ///
    /// ```
    /// use arrow_array::StringArray;
    /// use slider_attacks_arrow::{OnError, PositionArray};
    ///
    /// let fens = StringArray::from(vec!["4k3/8/8/8/8/8/8/4K3 w - -", "nonsense"]);
    /// let mut all = PositionArray::read_with(&fens, OnError::Null)?;
    /// all.extend(all.clone());
    /// assert_eq!((all.len(), all.is_null(3), all.errors()[1].row()), (4, true, Some(3)));
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn extend(&mut self, later: PositionArray) {
        append(self.valid.builder(), later.nulls(), later.len());
        self.positions.extend_from(&later.positions);
        self.errors.append(later.errors.after(self.taken));
        self.taken += later.taken;
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The positions, one per row. Where a row is null, two kings stand in the place of a position.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }

    /// Which rows have a position; `None` if all have one.
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.valid.nulls()
    }

    /// Whether this row has no position.
    ///
    /// # Panics
    ///
    /// If `row` is not below [`len`](PositionArray::len).
    pub fn is_null(&self, row: usize) -> bool {
        assert!(row < self.len(), "row {row} of {}", self.len());
        self.nulls().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Why rows that were not null could not be read: an error for each, in their order, but only for the first
    /// [`MOST_ERRORS`](crate::MOST_ERRORS). Each names its [row](Error::row) in the columns that were given.
    pub fn errors(&self) -> &[Error] {
        &self.errors.first
    }

    /// The number of rows that were not null and could not be read.
    pub fn error_count(&self) -> usize {
        self.errors.count
    }

    /// The rows that were left out, with [`OnError::Skip`]: all of them, in their order.
    pub fn skipped_rows(&self) -> &[usize] {
        &self.errors.skipped
    }

    /// The positions themselves, for instance for their memory.
    pub fn into_positions(self) -> Positions {
        self.positions
    }

    pub(crate) fn all_errors(&self) -> &Errors {
        &self.errors
    }

    /// The first four fields of FEN for each row.
    pub fn fens(&self) -> StringArray {
        let fens = self.positions.fens();
        self.texts(64, |text, row| text.push_str(fens.get(row).expect("each position has a text")))
    }

    /// A column of texts of about this many bytes. `add` appends the text of a row.
    fn texts(&self, bytes: usize, mut add: impl FnMut(&mut String, usize)) -> StringArray {
        let mut texts = String::with_capacity(bytes * self.len());
        let ends = (0..self.len()).map(|row| {
            if !self.is_null(row) {
                add(&mut texts, row);
            }
            i32::try_from(texts.len()).expect("a column of text has at most 2 GiB")
        });
        let offsets = OffsetBuffer::new(iter::once(0).chain(ends).collect());
        StringArray::new(offsets, texts.into_bytes().into(), self.nulls().cloned())
    }

    /// The bitboards in columns, which [`PositionArray::read`] reads as well. Their schema is
    /// [`PositionArray::boards_schema`].
    ///
    /// ```
    /// use arrow_array::{StringArray, StructArray};
    /// use slider_attacks_arrow::{Integers, PositionArray};
    ///
    /// let fens = StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -"]);
    /// let boards = PositionArray::read(&fens)?.boards(Integers::Unsigned);
    /// assert_eq!(boards.schema().field(3).name(), "white_rook");
    /// assert_eq!(PositionArray::read(&StructArray::from(boards))?.fens(), fens);
    /// # Ok::<(), slider_attacks_arrow::Error>(())
    /// ```
    pub fn boards(&self, integers: Integers) -> RecordBatch {
        let positions = &self.positions;
        let mut columns: Vec<ArrayRef> = pieces()
            .map(|(color, piece)| {
                let boards = positions.pieces(color, piece).to_vec();
                integers.bitboards(UInt64Array::new(boards.into(), self.nulls().cloned()))
            })
            .collect();
        columns.extend(self.state_columns(integers));
        RecordBatch::try_new(PositionArray::boards_schema(integers), columns).expect("the columns have these types")
    }

    /// The columns of [`boards`](PositionArray::boards) after those of the pieces: side to move, castling and en passant.
    pub fn state_columns(&self, integers: Integers) -> [ArrayRef; 3] {
        let positions = &self.positions;
        let sides = self.texts(1, |sides, row| sides.push(side_letter(positions.side_to_move()[row])));
        // Most positions have the rights of the one before.
        let mut last = (Castling::NONE, Castling::NONE.to_string());
        let rights = self.texts(4, |rights, row| {
            let castling = positions.castling()[row];
            if castling != last.0 {
                last = (castling, castling.to_string());
            }
            rights.push_str(&last.1);
        });
        let en_passant = positions.en_passant().iter().map(|square| square.map(Square::index));
        [Arc::new(sides), Arc::new(rights), integers.numbers(en_passant.collect::<UInt8Array>())]
    }

    /// The schema of [`PositionArray::boards`]: all fields are nullable.
    pub fn boards_schema(integers: Integers) -> SchemaRef {
        let boards = pieces().map(|(color, piece)| (name(color, piece), integers.bitboard_type()));
        let rest = [(SIDE_TO_MOVE, DataType::Utf8), (CASTLING, DataType::Utf8), (EN_PASSANT, integers.number_type())];
        let fields = boards.chain(rest.map(|(name, kind)| (name.to_owned(), kind)));
        Arc::new(Schema::new(fields.map(|(name, kind)| Field::new(name, kind, true)).collect::<Fields>()))
    }
}

/// Positions without nulls.
impl From<Positions> for PositionArray {
    fn from(positions: Positions) -> PositionArray {
        let rows = positions.len();
        PositionArray { taken: rows, valid: ValidRows::new(None, rows), positions, ..PositionArray::default() }
    }
}

fn pieces() -> impl Iterator<Item = (Color, Piece)> {
    Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece)))
}

fn name(color: Color, piece: Piece) -> String {
    format!("{color}_{piece}")
}

fn side_letter(color: Color) -> char {
    match color {
        Color::White => 'w',
        Color::Black => 'b',
    }
}

/// A column that has positions.
pub(crate) struct PositionColumn<'a> {
    rows: PositionForm<'a>,
    /// The number of its first row in messages.
    first: usize,
}

/// The two forms of positions in a column.
enum PositionForm<'a> {
    Fens(Texts),
    Boards(Box<BoardColumns<'a>>),
}

/// Bitboards in columns.
struct BoardColumns<'a> {
    pieces: [[ScalarBuffer<u64>; 6]; 2],
    side_to_move: Option<Texts>,
    castling: Option<Texts>,
    en_passant: Option<(&'a dyn Array, ScalarBuffer<u8>)>,
    nulls: Option<NullBuffer>,
}

impl<'a> PositionColumn<'a> {
    pub fn new(rows: &'a dyn Array, first: usize) -> Result<PositionColumn<'a>, Error> {
        let rows = match rows.data_type() {
            DataType::Struct(_) => PositionForm::Boards(Box::new(BoardColumns::new(rows)?)),
            _ => PositionForm::Fens(Texts::new("positions", rows)?),
        };
        Ok(PositionColumn { rows, first })
    }

    /// Appends the positions of these rows, or what stands for a position, and whether there is one. `on_error` decides what
    /// becomes of a row that cannot be read. If it does not end the work, the error goes to `errors`.
    pub fn read(
        &self,
        mut range: Range<usize>,
        on_error: OnError,
        positions: &mut Positions,
        valid: &mut NullBufferBuilder,
        errors: &mut Errors,
    ) -> Result<(), Error> {
        let nulls = match &self.rows {
            PositionForm::Fens(texts) => &texts.nulls,
            PositionForm::Boards(boards) => &boards.nulls,
        };
        let is_valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        // Rows of text that are whole, and the row after them if it is not, with the place of its line end.
        let (mut whole, mut line_end) = (range.start..range.start, None);
        while !range.is_empty() {
            let before = positions.len();
            let pushed = match &self.rows {
                PositionForm::Fens(texts) => {
                    if range.start >= whole.end {
                        let part = range.start..range.end.min(range.start + ROWS);
                        line_end = texts.first_line_end(part.clone());
                        whole = part.start..line_end.map_or(part.end, |(row, _)| row);
                    }
                    let pushed = texts.push(range.start..whole.end, PLACEHOLDER, positions).map_err(|error| {
                        let row = self.first + range.start + positions.len() - before;
                        let text = excerpt(texts.get(row - self.first));
                        Error::Fen { row, error, text }
                    });
                    pushed.and_then(|()| {
                        let error = |(row, at)| {
                            let text = excerpt(texts.get(row));
                            Err(Error::LineEnd { row: self.first + row, column: at + 1, text })
                        };
                        line_end.map_or(Ok(()), error)
                    })
                }
                PositionForm::Boards(boards) => range.clone().try_for_each(|row| {
                    if !is_valid(row) {
                        push_none(positions);
                        return Ok(());
                    }
                    boards.push(row, self.first + row, positions)
                }),
            };
            let read = positions.len() - before;
            match nulls {
                Some(nulls) => valid.append_buffer(&nulls.slice(range.start, read)),
                None => valid.append_n_non_nulls(read),
            }
            range.start += read;
            if let Err(error) = pushed {
                if on_error == OnError::Fail {
                    return Err(error);
                }
                errors.push(error, on_error);
                if on_error.keeps_rows() {
                    push_none(positions);
                    valid.append(false);
                }
                range.start += 1;
            }
        }
        Ok(())
    }
}

/// Appends what stands for a position.
fn push_none(positions: &mut Positions) {
    positions.push_fen(PLACEHOLDER).expect("it is a position");
}

impl<'a> BoardColumns<'a> {
    fn new(rows: &'a dyn Array) -> Result<BoardColumns<'a>, Error> {
        let columns = rows.as_struct();
        let mut nulls = rows.nulls().cloned();
        let mut pieces = [const { [const { Vec::new() }; 6] }; 2].map(|pieces| pieces.map(ScalarBuffer::<u64>::from));
        for (color, piece) in self::pieces() {
            let column = name(color, piece);
            let Some(array) = columns.column_by_name(&column) else { return Err(Error::MissingColumn { column }) };
            let are_null = *array.data_type() == DataType::Null;
            let boards = if are_null { vec![0; array.len()].into() } else { bitboards(&column, array)? };
            pieces[color as usize][piece as usize] = boards;
            nulls = NullBuffer::union(nulls.as_ref(), array.logical_nulls().as_ref());
        }
        let mut text = |column: &str| -> Result<Option<Texts>, Error> {
            let Some(array) = columns.column_by_name(column) else { return Ok(None) };
            let texts = Texts::new(column, array)?;
            nulls = NullBuffer::union(nulls.as_ref(), texts.nulls.as_ref());
            Ok(Some(texts))
        };
        let (side_to_move, castling) = (text(SIDE_TO_MOVE)?, text(CASTLING)?);
        let en_passant = columns.column_by_name(EN_PASSANT).filter(|array| *array.data_type() != DataType::Null);
        let en_passant = en_passant.map(|array| Ok((array as &dyn Array, squares(EN_PASSANT, array)?))).transpose()?;
        Ok(BoardColumns { pieces, side_to_move, castling, en_passant, nulls })
    }

    /// Appends the position of a row, which has this number in messages.
    fn push(&self, row: usize, number: usize, positions: &mut Positions) -> Result<(), Error> {
        let pieces = self.pieces.each_ref().map(|pieces| pieces.each_ref().map(|boards| boards[row]));
        let side_to_move = self.side_to_move.as_ref().map_or(Ok(Color::White), |texts| match texts.get(row) {
            b"w" => Ok(Color::White),
            b"b" => Ok(Color::Black),
            text => Err(field(number, SIDE_TO_MOVE, "w or b", text)),
        })?;
        let castling = self.castling.as_ref().map_or(Ok(Castling::NONE), |texts| {
            let (text, expected) = (texts.get(row), "- or letters of KQkq, A-H and a-h, none twice");
            let castling = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            castling.ok_or_else(|| field(number, CASTLING, expected, text))
        })?;
        let en_passant = self.en_passant.as_ref().filter(|(array, _)| array.is_valid(row)).map(|(array, numbers)| {
            Square::new(numbers[row]).ok_or_else(|| Error::Square {
                row: number,
                column: EN_PASSANT,
                square: integer(*array, row),
            })
        });
        let pushed = positions.push_boards(pieces, side_to_move, castling, en_passant.transpose()?);
        pushed.map_err(|error| Error::Boards { row: number, error })
    }
}

fn field(row: usize, column: &'static str, expected: &'static str, found: &[u8]) -> Error {
    let found = String::from_utf8_lossy(found).chars().take(40).collect();
    Error::Field { row, column, expected, found }
}
