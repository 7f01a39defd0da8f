//! Positions that have left the buffer, until they are in a batch.

use std::sync::Arc;

use super::packed::PackedPosition;

/// Positions in their order. Those that are taken are removed later, all at once: after a state is restored, there may be many more
/// than a batch has.
#[derive(Clone, Debug, Default)]
pub struct ReadyPositions {
    rows: Vec<PackedPosition>,
    /// How many of the first ones have been taken.
    taken: usize,
}

impl ReadyPositions {
    /// Adds a position.
    #[inline]
    pub fn push(&mut self, row: PackedPosition) {
        self.rows.push(row);
    }

    /// Those that have not been taken.
    #[inline]
    pub fn as_slice(&self) -> &[PackedPosition] {
        &self.rows[self.taken..]
    }

    /// Takes the first ones, at most this many.
    pub fn take(&mut self, most: usize) -> Arc<[PackedPosition]> {
        let rows = self.as_slice();
        let taken: Arc<[PackedPosition]> = rows[..rows.len().min(most)].into();
        self.taken += taken.len();
        if self.taken == self.rows.len() {
            self.rows.clear();
            self.taken = 0;
        }
        taken
    }
}

impl From<Vec<PackedPosition>> for ReadyPositions {
    fn from(rows: Vec<PackedPosition>) -> ReadyPositions {
        ReadyPositions { rows, taken: 0 }
    }
}

impl PartialEq for ReadyPositions {
    fn eq(&self, other: &ReadyPositions) -> bool {
        self.as_slice() == other.as_slice()
    }
}

#[test]
fn positions_are_taken_once_in_their_order() {
    let rows: Vec<_> = (0..7).map(|number| PackedPosition([number; 5])).collect();
    let mut ready = ReadyPositions::from(rows[..5].to_vec());
    assert_eq!(*ready.take(2), rows[..2]);
    rows[5..].iter().for_each(|&row| ready.push(row));
    assert_eq!(ready.as_slice(), &rows[2..]);
    assert_eq!([ready.take(3), ready.take(3), ready.take(3)].map(|rows| rows.len()), [3, 2, 0]);
    ready.push(rows[0]);
    assert_eq!(*ready.take(9), rows[..1]);
}
