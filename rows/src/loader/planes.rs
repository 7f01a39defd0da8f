//! The planes of batches: a number for each square, as networks take them.

use std::io::{self, ErrorKind};

use anyhow::{Result, ensure};
use bytemuck::Pod;
use slider_attacks::Backend;
use slider_attacks::position::{Castling, Color, Piece, Positions};
use slider_attacks_arrow::{ColumnKind, Plan, ProductColumn, Values};

use crate::planes::{PlaneValues, SQUARE_NUMBERS, write_planes};

/// What a plane shows.
#[derive(Clone, Copy, Debug)]
pub enum PlaneColumn {
    /// The pieces of a kind.
    Pieces(Color, Piece),
    /// A bitboard, or a number for each square.
    Product(&'static ProductColumn),
    /// All squares if White is to move.
    SideToMove,
    /// All squares if this side may castle, with a rook east of the king, or with one west of it.
    Castling(Color, bool),
}

/// The planes of a batch, and what is written for each number that a square may have: the same numbers as values of some type, whose
/// bytes are those of an integer.
#[derive(Clone, Debug)]
pub struct PlaneSettings {
    /// The planes of a position, in their order.
    pub columns: Vec<PlaneColumn>,
    /// The values.
    pub numbers: SquareValues,
}

/// Values for the numbers from 0 to 255, by their size in bytes.
#[derive(Clone, Debug)]
pub enum SquareValues {
    /// One byte.
    One(Box<[u8; SQUARE_NUMBERS]>),
    /// Two bytes.
    Two(Box<[u16; SQUARE_NUMBERS]>),
    /// Four bytes.
    Four(Box<[u32; SQUARE_NUMBERS]>),
    /// Eight bytes.
    Eight(Box<[u64; SQUARE_NUMBERS]>),
}

/// The planes of all positions of a batch, one position after the other, by the size of their values in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaneMemory {
    /// One byte.
    One(Vec<[u8; 64]>),
    /// Two bytes.
    Two(Vec<[u16; 64]>),
    /// Four bytes.
    Four(Vec<[u32; 64]>),
    /// Eight bytes.
    Eight(Vec<[u64; 64]>),
}

/// No planes.
impl Default for PlaneMemory {
    fn default() -> PlaneMemory {
        PlaneMemory::One(Vec::new())
    }
}

impl PlaneMemory {
    /// The bytes of all values.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            PlaneMemory::One(planes) => planes.as_flattened_mut(),
            PlaneMemory::Two(planes) => bytemuck::cast_slice_mut(planes.as_flattened_mut()),
            PlaneMemory::Four(planes) => bytemuck::cast_slice_mut(planes.as_flattened_mut()),
            PlaneMemory::Eight(planes) => bytemuck::cast_slice_mut(planes.as_flattened_mut()),
        }
    }
}

impl SquareValues {
    /// Numbers as floats of four bytes.
    pub fn of_f32() -> SquareValues {
        SquareValues::Four(Box::new(std::array::from_fn(|number| (number as f32).to_bits())))
    }

    /// Memory for planes of these values.
    fn no_planes(&self) -> PlaneMemory {
        match self {
            SquareValues::One(_) => PlaneMemory::One(Vec::new()),
            SquareValues::Two(_) => PlaneMemory::Two(Vec::new()),
            SquareValues::Four(_) => PlaneMemory::Four(Vec::new()),
            SquareValues::Eight(_) => PlaneMemory::Eight(Vec::new()),
        }
    }

    /// How many bytes a value has.
    fn size(&self) -> usize {
        match self {
            SquareValues::One(_) => 1,
            SquareValues::Two(_) => 2,
            SquareValues::Four(_) => 4,
            SquareValues::Eight(_) => 8,
        }
    }
}

impl PlaneColumn {
    /// The boards of a plane that is the same on all squares; `None` for others.
    fn same_squares(self, positions: &Positions) -> Option<Vec<u64>> {
        let all = |is_it: bool| if is_it { !0 } else { 0 };
        match self {
            PlaneColumn::Pieces(..) | PlaneColumn::Product(_) => None,
            PlaneColumn::SideToMove => {
                Some(positions.side_to_move().iter().map(|&side| all(side == Color::White)).collect())
            }
            PlaneColumn::Castling(color, is_kingside) => {
                let rights = positions.castling().iter().zip(positions.pieces(color, Piece::King));
                Some(rights.map(|(&castling, &king)| all(may_castle(castling, king, color, is_kingside))).collect())
            }
        }
    }

    /// Where the values of a product are among those of a plan.
    fn place(self, plan: &Plan) -> Option<usize> {
        let PlaneColumn::Product(column) = self else { return None };
        plan.product_columns().position(|computed| computed.name() == column.name())
    }

    fn values<'v>(self, plan: &Plan, positions: &'v Positions, values: &'v [Values]) -> PlaneValues<'v> {
        match self {
            PlaneColumn::Pieces(color, piece) => PlaneValues::Board(positions.pieces(color, piece)),
            _ => match self.place(plan).map(|place| &values[place]) {
                Some(Values::Boards(boards)) => PlaneValues::Board(boards),
                Some(Values::Numbers(numbers)) => PlaneValues::Squares(numbers),
                _ => unreachable!("the settings have been checked"),
            },
        }
    }
}

/// Whether there is a right to castle on one side of the king: by the letters K and Q, or by that of the file of a rook.
fn may_castle(castling: Castling, king: u64, color: Color, is_kingside: bool) -> bool {
    let of_color = |letter: char| if color == Color::White { letter } else { letter.to_ascii_lowercase() };
    let king = king.trailing_zeros() % 8;
    castling.has(of_color(if is_kingside { 'K' } else { 'Q' }))
        || (0..8)
            .zip('A'..='H')
            .any(|(file, letter)| castling.has(of_color(letter)) && if is_kingside { file > king } else { file < king })
}

impl PlaneSettings {
    /// How many bytes the planes of a position take.
    pub(super) fn bytes(&self) -> usize {
        self.columns.len().saturating_mul(64 * self.numbers.size())
    }

    /// Checks that a plan has the products.
    pub(super) fn check(&self, plan: &Plan) -> Result<()> {
        for column in &self.columns {
            if let PlaneColumn::Product(product) = column {
                let has_squares = matches!(product.kind(), ColumnKind::Bitboard | ColumnKind::Numbers);
                ensure!(has_squares, "the column {} is no plane", product.name());
                ensure!(column.place(plan).is_some(), "the plan lacks the column {} of a plane", product.name());
            }
        }
        Ok(())
    }

    /// Writes the planes of these positions from these values.
    ///
    /// # Errors
    ///
    /// There is no memory for them.
    pub(super) fn write(
        &self,
        plan: &Plan,
        positions: &Positions,
        values: &[Values],
        out: &mut PlaneMemory,
    ) -> Result<()> {
        let same: Vec<_> = self.columns.iter().map(|column| column.same_squares(positions)).collect();
        let columns: Vec<_> = self
            .columns
            .iter()
            .zip(&same)
            .map(|(column, same)| match same {
                Some(boards) => PlaneValues::Board(boards),
                None => column.values(plan, positions, values),
            })
            .collect();
        let (backend, rows) = (plan.computes_with(), positions.len());
        match (&self.numbers, &mut *out) {
            (SquareValues::One(numbers), PlaneMemory::One(out)) => fill(backend, &columns, rows, &numbers[..], out),
            (SquareValues::Two(numbers), PlaneMemory::Two(out)) => fill(backend, &columns, rows, &numbers[..], out),
            (SquareValues::Four(numbers), PlaneMemory::Four(out)) => fill(backend, &columns, rows, &numbers[..], out),
            (SquareValues::Eight(numbers), PlaneMemory::Eight(out)) => fill(backend, &columns, rows, &numbers[..], out),
            (numbers, out) => {
                *out = numbers.no_planes();
                self.write(plan, positions, values, out)
            }
        }
    }
}

/// Writes planes to memory of this size, which is made larger or smaller.
fn fill<T: Pod>(
    backend: Backend,
    columns: &[PlaneValues<'_>],
    rows: usize,
    numbers: &[T],
    out: &mut Vec<[T; 64]>,
) -> Result<()> {
    let planes = rows * columns.len();
    out.truncate(planes);
    out.try_reserve_exact(planes - out.len()).map_err(|_| {
        let bytes = planes.saturating_mul(size_of::<[T; 64]>());
        io::Error::new(ErrorKind::OutOfMemory, format!("out of memory: cannot allocate {bytes} bytes of planes"))
    })?;
    out.resize(planes, [T::zeroed(); 64]);
    write_planes(backend, columns, 0..rows, numbers, out);
    Ok(())
}
