//! The methods as values, to be listed, asked for by name and swapped at run time.

use core::fmt;
use core::str::FromStr;

use super::Step;
use crate::line::Line;
use crate::{Slider, Square};

/// One method of the documents: what it is, what it costs and its functions.
///
/// The modules of [`kindergarten`](super) are the way to call a method that is known when the program is compiled. This
/// is for those who choose later, or go through all of them:
///
/// ```
/// use slider_attacks::methods::Method;
/// use slider_attacks::{Square, queen_attacks};
///
/// let method: Method = "shared-rank".parse()?;
/// assert_eq!(method.table_bytes, 512);
///
/// let occ = 0xffff_0000_0000_ffff;
/// for method in Method::ALL.iter().filter(|method| method.can_run()) {
///     assert_eq!((method.queen_attacks)(Square::D4, occ), queen_attacks(Square::D4, occ), "{method}");
/// }
/// # Ok::<(), slider_attacks::methods::ParseMethodError>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Method {
    /// The name of its module, with hyphens; [`FromStr`] takes the same.
    pub name: &'static str,
    /// The document, and the section of it, that the method is from.
    pub source: &'static str,
    /// What a queen costs: multiplications, table lookups, and all others (shifts and logic).
    pub operations: &'static str,
    /// Bytes of its lookup tables, the line masks (2 KB) not counted.
    pub table_bytes: usize,
    /// Attacks along the rank.
    pub rank_attacks: Attacks,
    /// Attacks along the file.
    pub file_attacks: Attacks,
    /// Attacks along the diagonal.
    pub diagonal_attacks: Attacks,
    /// Attacks along the anti-diagonal.
    pub anti_diagonal_attacks: Attacks,
    /// Rank and file.
    pub rook_attacks: Attacks,
    /// Both diagonals.
    pub bishop_attacks: Attacks,
    /// All four lines.
    pub queen_attacks: Attacks,
    pub(crate) steps: fn(Line, Square, u64) -> Vec<Step>,
    pub(crate) can_run: fn() -> bool,
}

/// The attack set of a slider on a square, or along one of its lines, with the pieces of an occupancy.
///
/// # Panics
///
/// If this CPU lacks the instructions of the [`Method`] that the function is from; see [`Method::can_run`].
pub type Attacks = fn(Square, u64) -> u64;

impl Method {
    /// Whether this CPU has the instructions that the method needs. Only `"pext"` needs any.
    pub fn can_run(&self) -> bool {
        (self.can_run)()
    }

    /// What this method computes for one line, step by step: the occupancy first, the attacks last. For people: the
    /// values are what the method computes, but nothing here is fast.
    ///
    /// # Panics
    ///
    /// If this CPU lacks the instructions of the method; see [`can_run`](Method::can_run).
    ///
    /// ```
    /// use slider_attacks::methods::{Method, Value};
    /// use slider_attacks::{Square, line::Line};
    ///
    /// let method: Method = "fill-up".parse()?;
    /// let steps = method.steps(Line::Diagonal, Square::D4, Square::B2.bitboard() | Square::F6.bitboard());
    /// assert_eq!(steps.iter().find(|step| step.caption.ends_with("index")).unwrap().value,
    ///     Value::Index { index: 0b010001, bits: 6 });
    /// # Ok::<(), slider_attacks::methods::ParseMethodError>(())
    /// ```
    pub fn steps(&self, line: Line, sq: Square, occ: u64) -> Vec<Step> {
        let mut steps = vec![Step::squares("occupancy", occ), Step::squares("masked line", occ & line.through(sq))];
        steps.extend((self.steps)(line, sq, occ));
        steps
    }

    /// The function for one line.
    pub const fn line_attacks(&self, line: Line) -> Attacks {
        match line {
            Line::Rank => self.rank_attacks,
            Line::File => self.file_attacks,
            Line::Diagonal => self.diagonal_attacks,
            Line::AntiDiagonal => self.anti_diagonal_attacks,
        }
    }

    /// The function for this slider.
    pub const fn attacks(&self, slider: Slider) -> Attacks {
        match slider {
            Slider::Bishop => self.bishop_attacks,
            Slider::Rook => self.rook_attacks,
            Slider::Queen => self.queen_attacks,
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Method({self})")
    }
}

/// The text was not the name of a method that there is on this architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseMethodError(());

impl fmt::Display for ParseMethodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Method::ALL.iter().map(|method| method.name).collect();
        write!(f, "expected one of {}", names.join(", "))
    }
}

impl core::error::Error for ParseMethodError {}

impl FromStr for Method {
    type Err = ParseMethodError;

    fn from_str(text: &str) -> Result<Method, ParseMethodError> {
        Method::ALL.iter().find(|method| method.name == text).copied().ok_or(ParseMethodError(()))
    }
}
