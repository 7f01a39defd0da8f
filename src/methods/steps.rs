//! The intermediate results of a method, drawn for human readers.

use crate::Square;
use crate::diagram::Diagram;

/// One step of a method, as returned by [`Method::step_values`](super::Method::step_values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// A short text, no longer than the width of a drawn board.
    caption: &'static str,
    pub(super) value: StepValue,
}

/// The result of a [`Step`], by how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepValue {
    /// Squares of the board that the slider is on.
    Squares(u64),
    /// A number drawn as a board: a factor, a product, a turned board. The slider's square has no meaning there.
    Word(u64),
    /// The index of a table, and its number of bits.
    Index(u64, usize),
    /// A single rank, the a-file in bit 0.
    Row(u8),
}

impl Step {
    pub(super) const fn squares(caption: &'static str, squares: u64) -> Step {
        Step { caption, value: StepValue::Squares(squares) }
    }

    pub(super) const fn word(caption: &'static str, word: u64) -> Step {
        Step { caption, value: StepValue::Word(word) }
    }

    pub(super) const fn index(caption: &'static str, index: usize, bits: usize) -> Step {
        Step { caption, value: StepValue::Index(index as u64, bits) }
    }

    pub(super) const fn row(caption: &'static str, row: u8) -> Step {
        Step { caption, value: StepValue::Row(row) }
    }

    /// A short description of the step.
    #[must_use]
    pub const fn caption(&self) -> &'static str {
        self.caption
    }

    /// The result of the step.
    #[must_use]
    pub const fn value(&self) -> StepValue {
        self.value
    }

    /// The caption, then a board, or the bits of a number and the number itself. Ten lines.
    pub(super) fn draw(&self, sq: Square) -> String {
        let body = match self.value {
            StepValue::Squares(squares) => Diagram::new(squares).mark(sq, 'S').to_string(),
            StepValue::Word(word) => Diagram::new(word).to_string(),
            StepValue::Row(row) => bits(row.into(), 8),
            StepValue::Index(index, count) => bits(index, count),
        };
        format!("{}\n{body}", self.caption)
    }
}

/// A few bits, the lowest at the left as on a board, then their value. Nine lines.
fn bits(number: u64, count: usize) -> String {
    // In line with the files of a board, if there is room.
    let indent = " ".repeat(3.min(19 - 2 * count));
    let row = |cell: &dyn Fn(usize) -> String| (0..count).map(cell).collect::<Vec<_>>().join(" ");
    let drawn = row(&|bit| if number >> bit & 1 == 1 { "1".to_owned() } else { ".".to_owned() });
    let numbered = row(&|bit| bit.to_string());
    format!("{indent}{drawn}\n{indent}{numbered}\n\n{indent}0b{number:0count$b}\n{indent}= {number}\n\n\n\n\n")
}
