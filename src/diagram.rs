//! Drawings of boards, with rank 8 at the top: bitboards as text, numbers per square as SVG.

use core::fmt;

use crate::Square;

/// A drawing of a bitboard, for documentation, failure messages and the command. Its `Display` draws it.
///
/// Occupied squares are `1` and empty ones `.`; one square can be marked with a letter.
///
/// ```
/// use slider_attacks::{Square, diagram::Diagram, rook_attacks};
///
/// let attacks = rook_attacks(Square::D4, Square::D7.bitboard() | Square::B4.bitboard());
/// assert_eq!(
///     Diagram::new(attacks).mark(Square::D4, 'R').to_string(),
///     "\
/// 8  . . . . . . . .
/// 7  . . . 1 . . . .
/// 6  . . . 1 . . . .
/// 5  . . . 1 . . . .
/// 4  . 1 1 R 1 1 1 1
/// 3  . . . 1 . . . .
/// 2  . . . 1 . . . .
/// 1  . . . 1 . . . .
///    a b c d e f g h"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagram {
    squares: u64,
    mark: Option<(Square, char)>,
}

impl Diagram {
    /// A drawing of these squares.
    #[must_use]
    pub const fn new(squares: u64) -> Diagram {
        Diagram { squares, mark: None }
    }

    /// The same drawing with `letter` on `square`, whether the square is occupied or not.
    #[must_use]
    pub const fn mark(self, square: Square, letter: char) -> Diagram {
        Diagram { mark: Some((square, letter)), ..self }
    }

    /// The nine lines of the drawing: ranks 8 to 1, then the names of the files. All have 18 characters.
    pub fn lines(self) -> impl Iterator<Item = String> {
        let rank_line = move |rank: u8| {
            (0..8).fold(format!("{} ", rank + 1), |mut line, file| {
                let square = Square::ALL[usize::from(8 * rank + file)];
                line.push(' ');
                line.push(match self.mark {
                    Some((marked, letter)) if marked == square => letter,
                    _ if self.squares & square.bitboard() != 0 => '1',
                    _ => '.',
                });
                line
            })
        };
        (0..8).rev().map(rank_line).chain(["   a b c d e f g h".to_owned()])
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.lines().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&line)?;
        }
        Ok(())
    }
}

/// A drawing of a number for each square as SVG: the further from zero, the stronger the colour of the square. Its `Display`
/// writes the SVG.
///
/// ```
/// use slider_attacks::diagram::{HeatMap, Theme};
/// use slider_attacks::{Square, queen_attacks};
///
/// let attacks = queen_attacks(Square::D4, 0);
/// let svg = HeatMap::new(|square| f64::from(u8::from(attacks & square.bitboard() != 0)))
///     .label(|square| if square == Square::D4 { "Q".to_owned() } else { String::new() })
///     .theme(Theme::Light)
///     .to_string();
/// assert!(svg.starts_with("<svg") && svg.contains(">Q</text>"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    numbers: [f64; 64],
    labels: [String; 64],
    tips: [String; 64],
    heading: Option<[String; 2]>,
    legend: Option<[String; 3]>,
    theme: Theme,
    /// The number with the strongest colour, if not the one furthest from zero.
    most: Option<f64>,
}

/// The colours of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// For light and dark pages: the viewer's browser chooses.
    #[default]
    Auto,
    /// For light pages.
    Light,
    /// For dark pages.
    Dark,
}

crate::error::names! { Theme, 3: Auto "auto", Light "light", Dark "dark" }

impl HeatMap {
    /// A drawing of these numbers: blue above zero, orange below. Numbers that are not finite count as zero.
    pub fn new(number: impl Fn(Square) -> f64) -> HeatMap {
        let numbers = Square::ALL.map(number).map(|number| if number.is_finite() { number } else { 0.0 });
        let texts = || [const { String::new() }; 64];
        HeatMap { numbers, labels: texts(), tips: texts(), heading: None, legend: None, theme: Theme::Auto, most: None }
    }

    /// The same drawing with these texts on the squares.
    pub fn label(self, label: impl Fn(Square) -> String) -> HeatMap {
        HeatMap { labels: Square::ALL.map(label), ..self }
    }

    /// The same drawing with these texts as tooltips of the squares.
    pub fn tip(self, tip: impl Fn(Square) -> String) -> HeatMap {
        HeatMap { tips: Square::ALL.map(tip), ..self }
    }

    /// The same drawing below a heading and a note.
    pub fn heading(self, heading: impl Into<String>, note: impl Into<String>) -> HeatMap {
        HeatMap { heading: Some([heading.into(), note.into()]), ..self }
    }

    /// The same drawing above a scale of colours, with texts at its lower end, its middle and its upper end.
    #[must_use]
    pub fn legend(self, texts: [String; 3]) -> HeatMap {
        HeatMap { legend: Some(texts), ..self }
    }

    /// The same drawing, with the strongest colour for numbers this far from zero, or further. Several drawings can
    /// share one scale this way.
    #[must_use]
    pub fn scale(self, most: f64) -> HeatMap {
        HeatMap { most: Some(most), ..self }
    }

    /// The same drawing with these colours.
    #[must_use]
    pub fn theme(self, theme: Theme) -> HeatMap {
        HeatMap { theme, ..self }
    }
}

/// The side of a square, and the left margin.
const SIDE: u32 = 56;
const LEFT: u32 = 40;

impl fmt::Display for HeatMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.most.unwrap_or_else(|| self.numbers.into_iter().map(f64::abs).fold(0.0, f64::max));
        let top = if self.heading.is_some() { 72 } else { 24 };
        let bottom = if self.legend.is_some() { 84 } else { 36 };
        let (width, height) = (LEFT + 8 * SIDE + 24, top + 8 * SIDE + bottom);
        let title = self.heading.as_ref().map_or("A chessboard", |[heading, _]| heading);
        write!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heat-map\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n<style>\n",
            Escaped(title)
        )?;
        style(f, self.theme)?;
        writeln!(f, "</style>\n<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>")?;
        if let Some([heading, note]) = &self.heading {
            writeln!(f, "<text class=\"head\" x=\"{LEFT}\" y=\"30\">{}</text>", Escaped(heading))?;
            writeln!(f, "<text class=\"note\" x=\"{LEFT}\" y=\"52\">{}</text>", Escaped(note))?;
        }
        for square in Square::ALL {
            let (index, file, rank) = (usize::from(square.index()), u32::from(square.file()), u32::from(square.rank()));
            let (x, y) = (LEFT + SIDE * file, top + SIDE * (7 - rank));
            let shade = if (file + rank) % 2 == 0 { "dark" } else { "light" };
            let strength = if most > 0.0 { (self.numbers[index] / most).clamp(-1.0, 1.0) } else { 0.0 };
            f.write_str("<g>")?;
            if !self.tips[index].is_empty() {
                write!(f, "<title>{}</title>", Escaped(&self.tips[index]))?;
            }
            field(f, shade, strength, [x, y, SIDE, SIDE])?;
            let (x, y, label) = (x + SIDE / 2, y + SIDE / 2 + 5, Escaped(&self.labels[index]));
            writeln!(f, "<text class=\"value\" x=\"{x}\" y=\"{y}\">{label}</text></g>")?;
        }
        for place in 0..8 {
            let middle = SIDE * place + SIDE / 2;
            let (file, rank) = (char::from(b'a' + place as u8), 8 - place);
            let (x, y) = (LEFT + middle, top + 8 * SIDE + 20);
            writeln!(f, "<text class=\"edge\" x=\"{x}\" y=\"{y}\">{file}</text>")?;
            let (x, y) = (LEFT - 16, top + middle + 5);
            writeln!(f, "<text class=\"edge\" x=\"{x}\" y=\"{y}\">{rank}</text>")?;
        }
        if let Some([low, middle, high]) = &self.legend {
            let (y, part) = (top + 8 * SIDE + 38, SIDE / 2);
            for step in 0..16 {
                field(f, "light", (f64::from(step) - 7.5) / 7.5, [LEFT + part * step, y, part, 12])?;
            }
            for (class, x, text) in
                [("note", LEFT, low), ("note middle", LEFT + 4 * SIDE, middle), ("note end", LEFT + 8 * SIDE, high)]
            {
                writeln!(f, "<text class=\"{class}\" x=\"{x}\" y=\"{}\">{}</text>", y + 30, Escaped(text))?;
            }
        }
        f.write_str("</svg>\n")
    }
}

/// A rectangle with the colour of one sign above its own, the stronger the further `strength` is from zero.
fn field(f: &mut fmt::Formatter<'_>, shade: &str, strength: f64, [x, y, width, height]: [u32; 4]) -> fmt::Result {
    let place = format_args!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    writeln!(f, "<rect class=\"{shade}\" {place}")?;
    let sign = if strength < 0.0 { "below" } else { "above" };
    if strength == 0.0 {
        return Ok(());
    }
    writeln!(f, "<rect class=\"{sign}\" fill-opacity=\"{:.3}\" {place}", strength.abs())
}

/// Text of SVG.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '<' => f.write_str("&lt;"),
            '&' => f.write_str("&amp;"),
            letter if letter.is_control() => Ok(()),
            letter => write!(f, "{letter}"),
        })
    }
}

/// Writes the style of a theme. All rules begin with the class of the drawing, so that the page around it keeps its style.
fn style(f: &mut fmt::Formatter<'_>, theme: Theme) -> fmt::Result {
    const SHAPES: [&str; 7] = [
        "text { font-family: system-ui, 'DejaVu Sans', sans-serif; }",
        ".head { font-size: 20px; font-weight: 600; }",
        ".note { font-size: 13px; }",
        ".edge { font-size: 14px; text-anchor: middle; }",
        ".value { font-size: 14px; text-anchor: middle; }",
        ".middle { text-anchor: middle; }",
        ".end { text-anchor: end; }",
    ];
    const LIGHT: [&str; 7] = [
        ".page { fill: #ffffff; }",
        ".light { fill: #fafafa; }",
        ".dark { fill: #e6e6e4; }",
        ".above { fill: #5b9bd5; }",
        ".below { fill: #f0924a; }",
        ".head, .heat-map .value { fill: #1a1a1a; }",
        ".note, .heat-map .edge { fill: #555555; }",
    ];
    const DARK: [&str; 7] = [
        ".page { fill: #17191c; }",
        ".light { fill: #34383d; }",
        ".dark { fill: #26292d; }",
        ".above { fill: #2f74b5; }",
        ".below { fill: #b35a1b; }",
        ".head, .heat-map .value { fill: #f4f4f4; }",
        ".note, .heat-map .edge { fill: #b4b8bd; }",
    ];
    let mut rules = |rules: &[&str]| rules.iter().try_for_each(|rule| writeln!(f, ".heat-map {rule}"));
    rules(&SHAPES)?;
    rules(if theme == Theme::Dark { &DARK } else { &LIGHT })?;
    if theme == Theme::Auto {
        f.write_str("@media (prefers-color-scheme: dark) {\n")?;
        DARK.iter().try_for_each(|rule| writeln!(f, ".heat-map {rule}"))?;
        f.write_str("}\n")?;
    }
    Ok(())
}

#[test]
fn numbers_that_are_not_finite_and_texts_with_signs_of_svg() {
    let svg = HeatMap::new(|square| [0.0, f64::NAN, f64::INFINITY, -1.0][usize::from(square.index() % 4)])
        .label(|_| "<&\u{7}".to_owned())
        .heading("a < b", "&")
        .to_string();
    assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains('\u{7}'));
    assert_eq!(svg.matches(">&lt;&amp;</text>").count(), 64);
    assert_eq!((svg.matches("class=\"below\"").count(), svg.matches("class=\"above\"").count()), (16, 0));
    assert!(svg.contains("<title>a &lt; b</title>") && svg.contains("prefers-color-scheme"));
}
