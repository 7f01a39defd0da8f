//! Bitboards as one number per square: the planes that neural networks take.

use bytemuck::Pod;

use crate::{Backend, BatchError};

impl Backend {
    /// The squares of bitboards as numbers: `values[0]` for a square that is not in a board, and `values[1]` for one that is.
    ///
    /// Each of `columns` has one board per position, and `out` one element per position and column: `out[i * columns.len() + c]`
    /// has the squares of position *i* in column *c*, a1 first. As an array with one row per position, that is of the shape
    /// `[n, columns, 8, 8]`, as networks take it.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if a column does not have as many boards as `out` has room for.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::{Color, Piece, Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/8/8/8/8/8/R3K3 w Q -")?;
    /// let columns = [Piece::Rook, Piece::King].map(|piece| positions.pieces(Color::White, piece));
    /// let mut planes = [[0.0; 64]; 2];
    /// Backend::active().unpack_boards(&columns, [0.0, 1.0], &mut planes)?;
    /// assert_eq!((planes[0][0], planes[1][0], planes[1][4]), (1.0, 0.0, 1.0)); // the rook on a1, the king on e1
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unpack_boards<T: Pod>(
        self,
        columns: &[&[u64]],
        values: [T; 2],
        out: &mut [[T; 64]],
    ) -> Result<(), BatchError> {
        let room = out.len() / columns.len().max(1);
        let fits = |positions: usize| positions.checked_mul(columns.len()) == Some(out.len());
        match columns.iter().map(|column| column.len()).find(|&positions| !fits(positions)) {
            Some(positions) => return Err(BatchError::PositionLengthMismatch { positions, out: room }),
            None if columns.is_empty() && !out.is_empty() => {
                return Err(BatchError::PositionLengthMismatch { positions: 0, out: out.len() });
            }
            None => {}
        }
        self.squares(columns, values, out);
        Ok(())
    }
}
