//! Planes of positions, as networks take them: a number for each square.

use std::ops::Range;

use bytemuck::Pod;
use slider_attacks::Backend;

/// How many numbers a square of a plane may have.
pub const SQUARE_NUMBERS: usize = 256;

/// A plane for each row.
#[derive(Clone, Copy, Debug)]
pub enum PlaneValues<'a> {
    /// Zeros and ones.
    Board(&'a [u64]),
    /// A number for each square.
    Squares(&'a [[u8; 64]]),
}

impl PlaneValues<'_> {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            PlaneValues::Board(boards) => boards.len(),
            PlaneValues::Squares(squares) => squares.len(),
        }
    }
}

/// Writes the planes of some rows: of each row, one for each column. `numbers` has what stands for each number of a square; a board has
/// the first two.
///
/// # Panics
///
/// If a column has fewer rows, `out` has not a plane for each of them and each column, or a number does not stand for anything.
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks_rows::planes::{PlaneValues, write_planes};
///
/// let (boards, squares) = ([1 << 63], [[7; 64]]);
/// let columns = [PlaneValues::Board(&boards), PlaneValues::Squares(&squares)];
/// let mut planes = [[0_u16; 64]; 2];
/// write_planes(Backend::active(), &columns, 0..1, &[0, 10, 20, 30, 40, 50, 60, 70], &mut planes);
/// assert_eq!((planes[0][62], planes[0][63], planes[1][0]), (0, 10, 70));
/// ```
pub fn write_planes<T: Pod>(
    backend: Backend,
    columns: &[PlaneValues<'_>],
    rows: Range<usize>,
    numbers: &[T],
    out: &mut [[T; 64]],
) {
    const ONE_EACH: &str = "there is one plane for each board";
    let of_board = [numbers[0], numbers[1]];
    let board = |column: &PlaneValues<'_>| matches!(column, PlaneValues::Board(_));
    assert_eq!(out.len(), rows.len() * columns.len(), "the planes of {} rows", rows.len());
    if columns.iter().all(board) {
        let boards: Vec<&[u64]> = columns
            .iter()
            .filter_map(|column| match column {
                PlaneValues::Board(boards) => Some(&boards[rows.clone()]),
                PlaneValues::Squares(_) => None,
            })
            .collect();
        return backend.unpack_boards(&boards, of_board, out).expect(ONE_EACH);
    }
    for (planes, row) in out.chunks_exact_mut(columns.len()).zip(rows) {
        for (plane, values) in planes.iter_mut().zip(columns) {
            match values {
                PlaneValues::Board(boards) => {
                    backend.unpack_boards(&[&boards[row..=row]], of_board, std::slice::from_mut(plane)).expect(ONE_EACH)
                }
                PlaneValues::Squares(squares) => {
                    for (value, &number) in plane.iter_mut().zip(&squares[row]) {
                        *value = numbers[usize::from(number)];
                    }
                }
            }
        }
    }
}
