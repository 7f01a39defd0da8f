//! The methods as values, to be listed, found by name and chosen at run time.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use super::steps::Step;
use crate::line::Line;
use crate::{ParseNameError, Slider, Square};

/// A method as a value, with its cost and its source.
///
/// If the method is known at compile time, call the functions of its [module](super). Use this type to choose at run
/// time, or to iterate over all methods:
///
/// ```
/// use slider_attacks::methods::Method;
/// use slider_attacks::{Slider, Square, queen_attacks};
///
/// let method: Method = "shared-rank".parse()?;
/// assert_eq!(method.table_bytes(), 512);
///
/// let occ = 0xffff_0000_0000_ffff;
/// for method in Method::ALL.iter().filter(|method| method.can_run()) {
///     assert_eq!(method.attacks(Slider::Queen, Square::D4, occ), queen_attacks(Square::D4, occ), "{method}");
/// }
/// # Ok::<(), slider_attacks::ParseNameError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Method {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) operations: &'static str,
    pub(super) table_bytes: usize,
    /// By slider.
    pub(super) attacks: [fn(Square, u64) -> u64; 3],
    /// By line.
    pub(super) line_attacks: [fn(Square, u64) -> u64; 4],
    pub(super) steps: fn(Line, Square, u64) -> Vec<Step>,
    pub(super) can_run: fn() -> bool,
}

impl Method {
    /// The name of the method's module, with hyphens in place of underscores. `Display` writes it and [`FromStr`] reads it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The title and the section of the document that the method comes from.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// The cost of a queen: multiplications, table lookups, and other operations (shifts and logic).
    #[must_use]
    pub const fn operations(&self) -> &'static str {
        self.operations
    }

    /// The size in bytes of the method's tables indexed by occupancy. The 2 KB of line masks that all methods use are
    /// indexed by square, and do not count; 0 means no such tables.
    #[must_use]
    pub const fn table_bytes(&self) -> usize {
        self.table_bytes
    }

    /// Whether this CPU has the instructions that the method needs. Only `pext` needs any.
    #[must_use]
    pub fn can_run(&self) -> bool {
        (self.can_run)()
    }

    /// The attack set of `slider` on `sq`.
    ///
    /// # Panics
    ///
    /// If this CPU lacks the instructions of the method: see [`can_run`](Method::can_run).
    #[inline]
    #[must_use]
    pub fn attacks(&self, slider: Slider, sq: Square, occ: u64) -> u64 {
        self.attacks[slider as usize](sq, occ)
    }

    /// The squares that a slider on `sq` attacks along `line`.
    ///
    /// # Panics
    ///
    /// If this CPU lacks the instructions of the method: see [`can_run`](Method::can_run).
    #[inline]
    #[must_use]
    pub fn line_attacks(&self, line: Line, sq: Square, occ: u64) -> u64 {
        self.line_attacks[line as usize](sq, occ)
    }

    /// Draws what this method computes for one line, step by step: the occupancy first, the attacks last.
    ///
    /// Each step is a text of ten lines, none longer than 18 characters: a caption, then a board, or the bits of a
    /// number. The slider is marked `S` on boards whose squares are those of the occupancy. This is meant for display,
    /// and slow.
    ///
    /// # Panics
    ///
    /// If this CPU lacks the instructions of the method: see [`can_run`](Method::can_run).
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::methods::Method;
    /// use slider_attacks::{Square, line::Line};
    ///
    /// let method: Method = "fill-up".parse()?;
    /// let occ = Square::B2.bitboard() | Square::F6.bitboard();
    /// let index = method.steps(Line::Diagonal, Square::D4, occ).find(|step| step.contains("index")).unwrap();
    /// assert_eq!(
    ///     index.trim_end(),
    ///     "\
    /// >> 58  index
    ///    1 . . . 1 .
    ///    0 1 2 3 4 5
    ///
    ///    0b010001
    ///    = 17"
    /// );
    /// # Ok::<(), slider_attacks::ParseNameError>(())
    /// ```
    pub fn steps(&self, line: Line, sq: Square, occ: u64) -> impl Iterator<Item = String> {
        self.step_values(line, sq, occ).map(move |step| step.draw(sq))
    }

    /// The same steps as values, for other forms of drawing.
    ///
    /// # Panics
    ///
    /// If this CPU lacks the instructions of the method: see [`can_run`](Method::can_run).
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::methods::{Method, StepValue};
    /// use slider_attacks::{Square, line::Line};
    ///
    /// let method: Method = "fill-up".parse()?;
    /// let occ = Square::B2.bitboard() | Square::F6.bitboard();
    /// let mut steps = method.step_values(Line::Diagonal, Square::D4, occ);
    /// let index = steps.find(|step| step.caption().contains("index")).unwrap();
    /// assert_eq!(index.value(), StepValue::Index(17, 6));
    /// # Ok::<(), slider_attacks::ParseNameError>(())
    /// ```
    pub fn step_values(&self, line: Line, sq: Square, occ: u64) -> impl Iterator<Item = Step> {
        let first = [Step::squares("occupancy", occ), Step::squares("masked line", occ & line.through(sq))];
        first.into_iter().chain((self.steps)(line, sq, occ))
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

/// Method names are unique.
impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name == other.name
    }
}

impl Eq for Method {}

impl Hash for Method {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl FromStr for Method {
    type Err = ParseNameError;

    /// Reads the name of any method of this architecture, whether or not this CPU can run it.
    fn from_str(text: &str) -> Result<Method, ParseNameError> {
        let found = Method::ALL.iter().copied().find(|method| method.name == text);
        found.ok_or_else(|| ParseNameError::new(text, &Vec::from_iter(Method::ALL.iter().map(Method::name))))
    }
}
