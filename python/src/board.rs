//! Drawn boards: text in a terminal, pictures in a notebook.

use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use slider_attacks::Square;
use slider_attacks::diagram::{Diagram, HeatMap, Theme};

use crate::numbers::{integer, named, square, value_error};

/// A board drawn by `show`.
#[pyclass(frozen, module = "slider_attacks")]
pub struct Drawing {
    board: BoardContent,
    theme: Theme,
}

enum BoardContent {
    Squares(u64, Option<(Square, char)>),
    Numbers(Box<[f64; 64]>),
}

/// Draws a board: `str` of the result is text, and a notebook shows it as a picture.
///
/// Parameters
/// ----------
/// board : a set of squares, or a number for each square
///     A set is an integer of 64 bits (or a `chess.SquareSet`). Numbers are an array of 64, a1 first: the further from zero, the
///     stronger the colour, blue above zero and orange below.
/// mark : (square, letter), a letter to draw on a square, for sets of squares
/// theme : "auto" to follow the browser, "light" or "dark"
///
/// Raises ValueError if the board does not have 64 bits or numbers, and TypeError if an argument has the wrong type.
///
/// >>> import slider_attacks
/// >>> print(slider_attacks.show(slider_attacks.rook_attacks(27, 0x0008_0000_0200_0000), mark=(27, "R")))
/// 8  . . . . . . . .
/// 7  . . . 1 . . . .
/// 6  . . . 1 . . . .
/// 5  . . . 1 . . . .
/// 4  . 1 1 R 1 1 1 1
/// 3  . . . 1 . . . .
/// 2  . . . 1 . . . .
/// 1  . . . 1 . . . .
///    a b c d e f g h
/// >>> counts = slider_attacks.analyze(["4k3/8/8/8/8/8/8/R3K3 w Q -"], "counts")["white_attackers"].to_numpy()
/// >>> print(slider_attacks.show(counts[0]))
/// 8  1 0 0 0 0 0 0 0
/// 7  1 0 0 0 0 0 0 0
/// 6  1 0 0 0 0 0 0 0
/// 5  1 0 0 0 0 0 0 0
/// 4  1 0 0 0 0 0 0 0
/// 3  1 0 0 0 0 0 0 0
/// 2  1 0 0 1 1 1 0 0
/// 1  0 1 1 2 1 1 0 0
///    a b c d e f g h
#[pyfunction]
#[pyo3(signature = (board, *, mark=None, theme="auto"))]
pub fn show(board: &Bound<'_, PyAny>, mark: Option<(Bound<'_, PyAny>, char)>, theme: &str) -> PyResult<Drawing> {
    let theme = named("theme", theme)?;
    let mark = mark.map(|(at, letter)| Ok::<_, PyErr>((square(&at, String::new)?, letter))).transpose()?;
    let is_array = board.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
    if !is_array && integer(board).is_some() {
        let squares = crate::numbers::board(board, "boards", String::new)?;
        return Ok(Drawing { board: BoardContent::Squares(squares, mark), theme });
    }
    if mark.is_some() {
        return Err(value_error("a mark applies to a set of squares, not to numbers"));
    }
    let py = board.py();
    let arguments = (board, numpy::dtype::<f64>(py));
    let numbers = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "ascontiguousarray"), arguments)?;
    let numbers = numbers.call_method1(intern!(py, "reshape"), (-1,))?;
    let numbers: PyReadonlyArray1<'_, f64> = numbers.extract()?;
    let found = numbers.len();
    let numbers = <[f64; 64]>::try_from(numbers.as_slice()?);
    let numbers =
        numbers.map_err(|_| value_error(format!("expected one number for each of 64 squares, found {found}")))?;
    Ok(Drawing { board: BoardContent::Numbers(Box::new(numbers)), theme })
}

/// A whole number without a point, others with two digits behind it.
fn short(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number}") } else { format!("{number:.2}") }
}

#[pymethods]
impl Drawing {
    fn __str__(&self) -> String {
        match &self.board {
            &BoardContent::Squares(squares, mark) => {
                let diagram = Diagram::new(squares);
                mark.map_or(diagram, |(square, letter)| diagram.mark(square, letter)).to_string()
            }
            BoardContent::Numbers(numbers) => {
                let texts = numbers.map(short);
                let width = texts.iter().map(String::len).max().unwrap_or(1);
                let line = |name: String, texts: &mut dyn Iterator<Item = &str>| {
                    texts.fold(format!("{name} "), |line, text| format!("{line} {text:>width$}"))
                };
                let ranks = texts.chunks(8).enumerate().rev();
                let mut lines: Vec<String> = ranks
                    .map(|(rank, texts)| line((rank + 1).to_string(), &mut texts.iter().map(String::as_str)))
                    .collect();
                lines.push(line(" ".to_owned(), &mut "a b c d e f g h".split(' ')));
                lines.join("\n")
            }
        }
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }

    /// The picture, as the text of an SVG file.
    ///
    /// >>> import slider_attacks
    /// >>> slider_attacks.show(0x1C14).svg()[:4]
    /// '<svg'
    fn svg(&self) -> String {
        let map = match &self.board {
            &BoardContent::Squares(squares, mark) => {
                let label =
                    |square| mark.filter(|mark| mark.0 == square).map_or_else(String::new, |mark| mark.1.into());
                HeatMap::new(|square| f64::from(u8::from(squares & square.bitboard() != 0))).label(label)
            }
            BoardContent::Numbers(numbers) => {
                let number = |square: Square| numbers[usize::from(square.index())];
                HeatMap::new(number).label(|square| short(number(square)))
            }
        };
        map.tip(|square| square.to_string()).theme(self.theme).to_string()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    /// For notebooks that show HTML and no other pictures.
    fn _repr_html_(&self) -> String {
        self.svg()
    }
}
