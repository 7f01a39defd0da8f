//! What a method computes on the way to an attack set, for people to look at.

/// One step of a method: what it is called and what came of it. See [`Method::steps`](super::Method::steps).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// A few words, not longer than a drawn board is wide.
    pub caption: &'static str,
    /// What came of it.
    pub value: Value,
}

/// What a [`Step`] computed, by how it is best drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Squares of the board on which the slider stands.
    Squares(u64),
    /// A number drawn as a board: a factor, a product, a board that was turned. The slider's square means nothing here.
    Word(u64),
    /// The index of a table.
    Index {
        /// The index itself.
        index: u64,
        /// How many bits it has.
        bits: u32,
    },
    /// A single rank in a byte, the a-file in bit 0.
    Row(u8),
}

impl Step {
    pub(crate) const fn squares(caption: &'static str, squares: u64) -> Step {
        Step { caption, value: Value::Squares(squares) }
    }

    pub(crate) const fn word(caption: &'static str, word: u64) -> Step {
        Step { caption, value: Value::Word(word) }
    }

    pub(crate) const fn index(caption: &'static str, index: usize, bits: u32) -> Step {
        Step { caption, value: Value::Index { index: index as u64, bits } }
    }

    pub(crate) const fn row(caption: &'static str, row: u8) -> Step {
        Step { caption, value: Value::Row(row) }
    }
}
