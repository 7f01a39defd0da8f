//! Functions of a position in FEN or EPD: the products, their columns, and the bitboards.

use std::cell::RefCell;
use std::fmt::Write;
use std::mem;
use std::ops::Range;

use anyhow::{Result, anyhow};
use arrow_array::LargeBinaryArray;
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use bytemuck::Pod;
use slider_attacks::Square;
use slider_attacks::moves::{Move, Moves};
use slider_attacks::position::{Color, Piece, Positions};
use slider_attacks_arrow::{
    ColumnKind, ColumnMut, Integers, OnError, Plan, PositionArray, Product, ProductColumn, Values,
};
use slider_attacks_formats::batch::MOVE;
use slider_attacks_formats::columns::UNKNOWN_KIND;
use slider_attacks_formats::error::{printable, shortened};

use crate::options::SharedOptions;
use crate::register::{Connection, Scalar, scalar};
use crate::types::{PlainType, Type};
use crate::vectors::{Elements, InputChunk, OutputVector, TextVector};

/// How many rows are read and computed at a time: their bitboards stay in the cache, as in `slider-attacks-arrow`.
pub const ROWS: usize = 256;

/// The result of a function of a position.
#[derive(Clone, Copy, Debug)]
enum PositionWhat {
    /// All columns of a product, as a struct, or its only column.
    Product(Product),
    /// A column of a product.
    Column(&'static ProductColumn),
    /// The bitboards.
    Boards,
}

/// A function of a position.
#[derive(Debug)]
struct OfPosition {
    what: PositionWhat,
    options: SharedOptions,
}

/// Adds the functions of positions.
///
/// # Errors
///
/// DuckDB has one of them.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let add = |name: &str, result: Type, what: PositionWhat| {
        scalar(to, name, &[PlainType::Text.into()], result, OfPosition { what, options: options.clone() })
    };
    for product in Product::ALL {
        let columns = product.columns();
        if columns.len() > 1 {
            let fields = columns.iter().map(|column| (column.name(), kind(column.kind())));
            add(product.function(), Type::record(fields), PositionWhat::Product(*product))?;
        } else if columns[0].name() != product.function() {
            add(product.function(), kind(columns[0].kind()), PositionWhat::Column(&columns[0]))?;
        }
        for column in columns {
            add(column.name(), kind(column.kind()), PositionWhat::Column(column))?;
        }
    }
    let moves = Type::list(Type::record([MOVE, "fen"].map(|name| (name, PlainType::Text))));
    scalar(to, "positions_after", &[PlainType::Text.into()], moves, PositionsAfter(options.clone()))?;
    let boards = PositionArray::boards_schema(Integers::Unsigned);
    let fields = boards.fields().iter().map(|field| Ok((field.name().clone(), Type::of(field.data_type())?)));
    add("boards", Type::Struct(fields.collect::<Result<_>>()?), PositionWhat::Boards)
}

/// The type of a column of a product.
fn kind(kind: ColumnKind) -> Type {
    match kind {
        ColumnKind::Bitboard | ColumnKind::Key => PlainType::U64.into(),
        ColumnKind::Numbers => Type::list(PlainType::U8),
        ColumnKind::Number => PlainType::U16.into(),
        ColumnKind::Sets => Type::list(PlainType::U64),
        ColumnKind::Moves => Type::list(PlainType::U16),
        ColumnKind::Threats => {
            Type::list(Type::record(["attacker", "from", "to", "victim"].map(|name| (name, PlainType::U8))))
        }
        _ => unreachable!("{UNKNOWN_KIND}"),
    }
}

/// The text of a row, as a message shows it.
pub fn quoted(text: &[u8]) -> String {
    shortened(&String::from_utf8_lossy(text), |shown| format!("'{}'", printable(shown)))
}

/// The positions of some rows, and memory to read them.
#[derive(Default)]
pub struct RowReader {
    positions: PositionArray,
    bytes: Vec<u8>,
    ends: Vec<i64>,
}

thread_local! {
    /// A thread reads chunk after chunk, and keeps the memory.
    static READER: RefCell<RowReader> = RefCell::default();
}

/// Calls `work` with the reader of this thread.
pub fn with_reader(work: impl FnOnce(&mut RowReader) -> Result<()>) -> Result<()> {
    READER.with_borrow_mut(work)
}

impl RowReader {
    /// The positions of the rows that have been read.
    pub fn positions(&self) -> &Positions {
        self.positions.positions()
    }

    /// Reads these rows. Those without a text, or with one that cannot be read, are added to the null ones.
    ///
    /// # Errors
    ///
    /// One that is malformed, if `fails`.
    pub fn read(
        &mut self,
        texts: TextVector<'_>,
        rows: Range<usize>,
        fails: bool,
        nulls: &mut Vec<usize>,
    ) -> Result<()> {
        // To copy the texts side by side takes less time than to read each where it is: the reader may then load what follows.
        let (mut bytes, mut ends) = (mem::take(&mut self.bytes), mem::take(&mut self.ends));
        bytes.clear();
        ends.clear();
        ends.push(0);
        for row in rows.clone() {
            bytes.extend_from_slice(texts.get(row).unwrap_or_default());
            ends.push(bytes.len() as i64);
        }
        let valid =
            (!texts.valid().are_all()).then(|| rows.clone().map(|row| texts.valid().is(row)).collect::<NullBuffer>());
        let column = LargeBinaryArray::new(OffsetBuffer::new(ends.into()), Buffer::from_vec(bytes), valid);
        self.positions.clear(OnError::Null);
        self.positions.append(&column)?;
        if let Some(error) = self.positions.errors().first().filter(|_| fails) {
            let text = texts.get(rows.start + error.row().unwrap_or(0)).unwrap_or_default();
            return Err(anyhow!("{}: {}", error.reason(), quoted(text)));
        }
        let found = self.positions.nulls().into_iter().flat_map(|nulls| nulls.iter().enumerate());
        nulls.extend(found.filter(|(_, is_valid)| !is_valid).map(|(row, _)| rows.start + row));
        let (offsets, bytes, _) = column.into_parts();
        self.bytes = bytes.into_vec().unwrap_or_default();
        self.ends = ScalarBuffer::into_inner(offsets.into_inner()).into_vec().unwrap_or_default();
        Ok(())
    }
}

impl Scalar for OfPosition {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (options, texts, rows) = (self.options.get(), input.texts(0), input.rows());
        let mut nulls = Vec::new();
        with_reader(|reader| {
            let mut some = |from: usize, reader: &mut RowReader| {
                reader.read(texts, from..rows.min(from + ROWS), options.fails, &mut nulls)
            };
            match self.what {
                PositionWhat::Boards => {
                    let mut fields = output.fields();
                    for from in (0..rows).step_by(ROWS) {
                        some(from, reader)?;
                        write_boards(reader.positions(), &mut fields, from);
                    }
                    Ok(())
                }
                PositionWhat::Column(column) => {
                    let mut columns = [ProductTarget::new(column, &mut output, rows)?];
                    for from in (0..rows).step_by(ROWS) {
                        some(from, reader)?;
                        compute(&options.plan, &mut columns, reader.positions(), from)?;
                    }
                    columns.into_iter().try_for_each(ProductTarget::finish)
                }
                PositionWhat::Product(product) => {
                    let mut fields = output.fields();
                    let columns = product.columns().iter().zip(&mut fields);
                    let columns = columns.map(|(column, field)| ProductTarget::new(column, field, rows));
                    let mut columns = columns.collect::<Result<Vec<_>>>()?;
                    for from in (0..rows).step_by(ROWS) {
                        some(from, reader)?;
                        compute(&options.plan, &mut columns, reader.positions(), from)?;
                    }
                    columns.into_iter().try_for_each(ProductTarget::finish)
                }
            }
        })?;
        output.set_nulls(nulls.iter().copied());
        Ok(())
    }
}

/// The positions after each legal move of a position.
#[derive(Debug)]
struct PositionsAfter(SharedOptions);

impl Scalar for PositionsAfter {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (options, texts, rows) = (self.0.get(), input.texts(0), input.rows());
        let (mut moves, mut after, mut nulls) = (Moves::new(), Positions::new(), Vec::new());
        with_reader(|reader| {
            for from in (0..rows).step_by(ROWS) {
                reader.read(texts, from..rows.min(from + ROWS), options.fails, &mut nulls)?;
                let positions = reader.positions();
                options.backend.moves(positions, &mut moves);
                options.backend.after(positions, &moves, &mut after)?;
                let before = output.elements();
                let (lists, mut elements) = output.lists(before + after.len())?;
                for (list, ends) in lists[from..].iter_mut().zip(moves.offsets().windows(2)) {
                    *list = Elements { start: (before + ends[0]) as u64, length: (ends[1] - ends[0]) as u64 };
                }
                let (mut fields, fens) = (elements.fields(), after.fens());
                for (row, (mv, fen)) in moves.as_slice().iter().zip(fens.iter()).enumerate() {
                    fields[0].set_text(before + row, mv.encode_uci(&mut [0; 5]));
                    fields[1].set_text(before + row, fen);
                }
            }
            Ok(())
        })?;
        output.set_nulls(nulls.iter().copied());
        Ok(())
    }
}

/// Writes the bitboards from this row on: the columns of [`PositionArray::boards`], without memory for their texts.
fn write_boards(positions: &Positions, fields: &mut [OutputVector<'_>], from: usize) {
    let rows = from..from + positions.len();
    let pieces = Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| positions.pieces(color, piece)));
    let (boards, rest) = fields.split_at_mut(Color::ALL.len() * Piece::ALL.len());
    for (boards, field) in pieces.zip(boards) {
        field.numbers()[rows.clone()].copy_from_slice(boards);
    }
    let [side_to_move, castling, en_passant] = rest else { unreachable!("there are three more columns") };
    let mut text = String::new();
    for (place, row) in rows.clone().enumerate() {
        side_to_move.set_text(row, if positions.side_to_move()[place] == Color::White { "w" } else { "b" });
        text.clear();
        write!(text, "{}", positions.castling()[place]).expect("a text takes anything");
        castling.set_text(row, &text);
    }
    let squares = positions.en_passant();
    for (out, square) in en_passant.numbers::<u8>()[rows].iter_mut().zip(squares) {
        *out = square.map_or(0, Square::index);
    }
    en_passant.set_nulls((0..squares.len()).filter(|&place| squares[place].is_none()).map(|place| from + place));
}

/// A column of a product, and where its values go: the memory of DuckDB, but for threats and moves, whose number nobody knows before.
struct ProductTarget<'a, 'b> {
    column: &'static ProductColumn,
    place: ValueTarget<'a, 'b>,
}

enum ValueTarget<'a, 'b> {
    Boards(&'a mut [u64]),
    Numbers(&'a mut [[u8; 64]]),
    Number(&'a mut [u16]),
    Sets(&'a mut [[u64; 64]]),
    Moves { offsets: Vec<usize>, moves: Vec<Move>, found: Moves, output: &'a mut OutputVector<'b> },
    Threats { offsets: Vec<usize>, threats: Vec<[u8; 4]>, output: &'a mut OutputVector<'b> },
}

impl<'a, 'b> ProductTarget<'a, 'b> {
    fn new(
        column: &'static ProductColumn,
        output: &'a mut OutputVector<'b>,
        rows: usize,
    ) -> Result<ProductTarget<'a, 'b>> {
        let place = match column.kind() {
            ColumnKind::Bitboard | ColumnKind::Key => ValueTarget::Boards(output.numbers()),
            ColumnKind::Number => ValueTarget::Number(output.numbers()),
            ColumnKind::Numbers => ValueTarget::Numbers(lists_of_64(output, rows)?),
            ColumnKind::Sets => ValueTarget::Sets(lists_of_64(output, rows)?),
            ColumnKind::Moves => {
                ValueTarget::Moves { offsets: vec![0], moves: Vec::new(), found: Moves::new(), output }
            }
            ColumnKind::Threats => ValueTarget::Threats { offsets: vec![0], threats: Vec::new(), output },
            _ => unreachable!("{UNKNOWN_KIND}"),
        };
        Ok(ProductTarget { column, place })
    }

    /// Writes what has been gathered.
    fn finish(self) -> Result<()> {
        match self.place {
            ValueTarget::Moves { offsets, moves, output, .. } => {
                let numbers = lists(output, &offsets)?.into_numbers::<u16>();
                numbers.copy_from_slice(bytemuck::cast_slice(&moves));
            }
            ValueTarget::Threats { offsets, threats, output } => {
                let mut elements = lists(output, &offsets)?;
                for (part, field) in elements.fields().into_iter().enumerate() {
                    field.into_numbers::<u8>().iter_mut().zip(&threats).for_each(|(out, threat)| *out = threat[part]);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Gives each row a list of 64 elements, and returns them.
fn lists_of_64<'a, T: Pod>(output: &'a mut OutputVector<'_>, rows: usize) -> Result<&'a mut [[T; 64]]> {
    let (lists, elements) = output.lists(64 * rows)?;
    for (list, start) in lists.iter_mut().zip((0..).step_by(64)) {
        *list = Elements { start, length: 64 };
    }
    Ok(elements.into_numbers().as_chunks_mut().0)
}

/// Gives each row the list between two offsets, and returns the elements of all.
fn lists<'a>(output: &'a mut OutputVector<'_>, offsets: &[usize]) -> Result<OutputVector<'a>> {
    let (lists, elements) = output.lists(offsets[offsets.len() - 1])?;
    for (list, ends) in lists.iter_mut().zip(offsets.windows(2)) {
        *list = Elements { start: ends[0] as u64, length: (ends[1] - ends[0]) as u64 };
    }
    Ok(elements)
}

/// Computes columns of the rows from this one on.
fn compute(plan: &Plan, columns: &mut [ProductTarget<'_, '_>], positions: &Positions, from: usize) -> Result<()> {
    let rows = from..from + positions.len();
    for ProductTarget { column, place } in columns {
        let out = match place {
            ValueTarget::Boards(boards) => ColumnMut::Boards(&mut boards[rows.clone()]),
            ValueTarget::Numbers(numbers) => ColumnMut::Numbers(&mut numbers[rows.clone()]),
            ValueTarget::Number(numbers) => ColumnMut::Number(&mut numbers[rows.clone()]),
            ValueTarget::Sets(sets) => ColumnMut::Sets(&mut sets[rows.clone()]),
            ValueTarget::Moves { offsets, moves, found, .. } => {
                plan.list_moves(column, positions, found);
                offsets.extend(found.offsets()[1..].iter().map(|offset| moves.len() + offset));
                moves.extend_from_slice(found.as_slice());
                continue;
            }
            ValueTarget::Threats { offsets, threats, .. } => {
                let values = plan.clone().what([Product::Threats]).values(positions);
                let Ok([Values::Threats { offsets: more_offsets, threats: more }]) = <[_; 1]>::try_from(values) else {
                    unreachable!("threats are one column")
                };
                offsets.extend(more_offsets[1..].iter().map(|offset| threats.len() + offset));
                threats.extend(more);
                continue;
            }
        };
        plan.compute_column(column, positions, out)?;
    }
    Ok(())
}
