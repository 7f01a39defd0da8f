//! The functions on columns return the results of the library, for all types, nulls, slices and backends.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod pairs;
mod positions;
mod summary;

use arrow_buffer::NullBuffer;
use common::Random;

/// How the nulls of a column are spread.
#[derive(Clone, Copy, Debug)]
enum Nulls {
    None,
    /// There is a buffer, but no row is null.
    Empty,
    Some,
    All,
}

impl Nulls {
    const ALL: [Nulls; 4] = [Nulls::None, Nulls::Empty, Nulls::Some, Nulls::All];

    fn buffer(self, random: &mut Random, length: usize) -> Option<NullBuffer> {
        match self {
            Nulls::None => None,
            Nulls::Empty => Some(NullBuffer::new_valid(length)),
            Nulls::Some => Some((0..length).map(|_| random.below(3) > 0).collect()),
            Nulls::All => Some(NullBuffer::new_null(length)),
        }
    }
}
