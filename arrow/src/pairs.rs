//! Attack sets of columns of squares and occupancies.

use std::borrow::Cow;

use arrow_array::{Array, Datum, UInt64Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use slider_attacks::{Backend, BatchError, Slider, SliderArrays};

use crate::Error;
use crate::bits::{bitboards, integer, squares as square_numbers};

/// The attack sets of a `slider` on each square, with the pieces of each occupancy on the board:
/// [`slider_attacks::batch_attacks`] for columns.
///
/// Squares are integers of any type, occupancies `UInt64`, or `Int64` with the same bits. Columns of bytes and of
/// occupancies are read where they are, slices as well; other squares are copied into bytes. Either argument may be a
/// [`Scalar`](arrow_array::Scalar), which stands for a column of equal values. A row that is null in either column is
/// null in the result, whatever it holds otherwise. [`Integers::bitboards`](crate::Integers::bitboards) turns the
/// result into signed integers.
///
/// # Errors
///
/// A column has another type, the lengths differ, or a row without a null has a number that is not that of a square.
///
/// # Example
///
/// ```
/// use arrow_array::{Int32Array, UInt64Array};
/// use slider_attacks::Slider;
/// use slider_attacks_arrow::attacks;
///
/// let empty_board = UInt64Array::new_scalar(0);
/// let rooks = attacks(Slider::Rook, &Int32Array::from(vec![Some(0), None]), &empty_board)?;
/// assert_eq!(rooks, UInt64Array::from(vec![Some(0x0101_0101_0101_01fe), None]));
///
/// let error = attacks(Slider::Rook, &Int32Array::from(vec![63, -1]), &empty_board).unwrap_err();
/// assert_eq!(error.to_string(), "row 1: square -1 is not on the board");
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
pub fn attacks(slider: Slider, squares: &dyn Datum, occs: &dyn Datum) -> Result<UInt64Array, Error> {
    attacks_with(Backend::active(), slider, squares, occs)
}

/// [`attacks`] with this backend.
///
/// # Errors
///
/// As for [`attacks`].
pub fn attacks_with(
    backend: Backend,
    slider: Slider,
    squares: &dyn Datum,
    occs: &dyn Datum,
) -> Result<UInt64Array, Error> {
    let columns = [PairColumn::new("squares", squares), PairColumn::new("occupancies", occs)];
    let (length, nulls) = shape(&columns)?;
    let numbers = columns[0].expanded(square_numbers(columns[0].name, columns[0].array)?, length);
    let occs = columns[1].expanded(bitboards(columns[1].name, columns[1].array)?, length);
    let mut out = vec![0; length];
    let mut compute = |numbers: &[u8]| backend.batch_slider_attacks(slider, numbers, &occs, &mut out);
    let mut result = compute(&numbers);
    if let (Err(_), Some(nulls)) = (&result, &nulls) {
        // Invalid squares may lie under nulls.
        let valid: Vec<u8> = numbers.iter().zip(nulls).map(|(&number, valid)| if valid { number } else { 0 }).collect();
        result = compute(&valid);
    }
    match result {
        Ok(()) => Ok(UInt64Array::new(out.into(), nulls)),
        Err(BatchError::SquareOutOfRange { index: row, .. }) => {
            let square = integer(columns[0].array, if columns[0].is_scalar { 0 } else { row });
            Err(Error::Square { row, column: columns[0].name, square })
        }
        Err(error) => unreachable!("the lengths are equal: {error}"),
    }
}

/// For each board, the union of what all of its sliders attack: [`slider_attacks::batch_attack_sets`] for columns.
/// `orthogonal` are the sliders that move along ranks and files, `diagonal` those that move along diagonals. Queens are
/// in both.
///
/// All columns hold bitboards, `UInt64` or `Int64`. For scalars and nulls see [`attacks`].
///
/// # Errors
///
/// A column has another type, or the lengths differ.
///
/// # Example
///
/// ```
/// use arrow_array::UInt64Array;
/// use slider_attacks_arrow::attack_sets;
///
/// // Rooks on a1 and h1, a bishop on c1; pieces on these and on d1 and b2.
/// let [rooks, bishops, occs] = [0x81, 0x04, 0x028d].map(|boards| UInt64Array::from(vec![boards]));
/// assert_eq!(attack_sets(&rooks, &bishops, &occs)?.values(), &[0x8181_81c1_a191_8b7e]);
/// # Ok::<(), slider_attacks_arrow::Error>(())
/// ```
pub fn attack_sets(orthogonal: &dyn Datum, diagonal: &dyn Datum, occs: &dyn Datum) -> Result<UInt64Array, Error> {
    attack_sets_with(Backend::active(), orthogonal, diagonal, occs)
}

/// [`attack_sets`] with this backend.
///
/// # Errors
///
/// As for [`attack_sets`].
pub fn attack_sets_with(
    backend: Backend,
    orthogonal: &dyn Datum,
    diagonal: &dyn Datum,
    occs: &dyn Datum,
) -> Result<UInt64Array, Error> {
    let columns = [
        PairColumn::new("orthogonal", orthogonal),
        PairColumn::new("diagonal", diagonal),
        PairColumn::new("occupancies", occs),
    ];
    let (length, nulls) = shape(&columns)?;
    let boards = |column: &PairColumn<'_>| Ok(column.expanded(bitboards(column.name, column.array)?, length));
    let [orthogonal, diagonal, occs] = &columns;
    let sets = [boards(orthogonal)?, boards(diagonal)?, boards(occs)?];
    let [orthogonal, diagonal, occupancies] = sets.each_ref().map(|boards| &**boards);
    let mut out = vec![0; length];
    let result = backend.batch_attack_sets(SliderArrays { orthogonal, diagonal, occupancies }, &mut out);
    result.expect("the lengths are equal");
    Ok(UInt64Array::new(out.into(), nulls))
}

/// An argument.
struct PairColumn<'a> {
    name: &'static str,
    array: &'a dyn Array,
    is_scalar: bool,
}

impl<'a> PairColumn<'a> {
    fn new(name: &'static str, datum: &'a dyn Datum) -> PairColumn<'a> {
        let (array, is_scalar) = datum.get();
        PairColumn { name, array, is_scalar }
    }

    /// The values of a column, or the value of a scalar, `length` times.
    fn expanded<T: arrow_buffer::ArrowNativeType>(&self, values: ScalarBuffer<T>, length: usize) -> ScalarBuffer<T> {
        if self.is_scalar { vec![values[0]; length].into() } else { values }
    }

    fn nulls(&self, length: usize) -> Option<Cow<'_, NullBuffer>> {
        match self.array.nulls() {
            Some(nulls) if !self.is_scalar => Some(Cow::Borrowed(nulls)),
            Some(nulls) if nulls.is_null(0) => Some(Cow::Owned(NullBuffer::new_null(length))),
            _ => None,
        }
    }
}

/// The length of the result, and its nulls. The result of scalars has one row.
fn shape(columns: &[PairColumn<'_>]) -> Result<(usize, Option<NullBuffer>), Error> {
    let mut arrays = columns.iter().filter(|column| !column.is_scalar);
    let length = arrays.next().map_or(1, |column| column.array.len());
    if let Some(column) = arrays.find(|column| column.array.len() != length) {
        return Err(Error::Length { column: column.name, expected: length, found: column.array.len() });
    }
    let nulls = columns.iter().fold(None, |nulls, column| {
        NullBuffer::union(Option::<NullBuffer>::as_ref(&nulls), column.nulls(length).as_deref())
    });
    Ok((length, nulls))
}
