//! The summary: how often and by how many pieces each square is attacked over all positions, as rows or a drawn board.

use std::fmt::Write as _;

use indicatif::HumanCount;
use slider_attacks::Square;
use slider_attacks::position::{Color, Positions};
use slider_attacks_arrow::{Plan, Values};

use crate::args::{TableFormat, Theme};
use crate::write::{Cell, csv, jsonl, table};

/// Sums over positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    positions: u64,
    /// By colour: in how many positions a square is attacked, and how many attackers it has in all of them.
    attacked: [[u64; 64]; 2],
    attackers: [[u64; 64]; 2],
}

impl Totals {
    /// The sums over no positions.
    pub fn new() -> Totals {
        Totals { positions: 0, attacked: [[0; 64]; 2], attackers: [[0; 64]; 2] }
    }

    /// The sums over some positions. The plan is that of the counts.
    pub fn of(positions: &Positions, plan: &Plan) -> Totals {
        let mut totals = Totals { positions: positions.len() as u64, ..Totals::new() };
        let sums = totals.attacked.iter_mut().zip(&mut totals.attackers);
        for ((attacked, attackers), counts) in sums.zip(plan.values(positions)) {
            let Values::Numbers(counts) = counts else { unreachable!("the plan is that of the counts") };
            for counts in counts {
                for (square, count) in counts.into_iter().enumerate() {
                    attacked[square] += u64::from(count > 0);
                    attackers[square] += u64::from(count);
                }
            }
        }
        totals
    }

    /// Adds the sums over other positions.
    pub fn add(&mut self, other: &Totals) {
        self.positions += other.positions;
        let sums = self.attacked.iter_mut().chain(&mut self.attackers).flatten();
        let more = other.attacked.iter().chain(&other.attackers).flatten();
        sums.zip(more).for_each(|(sum, more)| *sum += more);
    }

    fn mean(&self, sum: u64) -> f64 {
        if self.positions == 0 { 0.0 } else { sum as f64 / self.positions as f64 }
    }

    /// The share of positions in which `color` attacks `square`.
    fn share(&self, color: Color, square: Square) -> f64 {
        self.mean(self.attacked[color as usize][usize::from(square.index())])
    }

    /// The mean number of pieces of `color` that attack `square`.
    fn attackers(&self, color: Color, square: Square) -> f64 {
        self.mean(self.attackers[color as usize][usize::from(square.index())])
    }

    /// The mean number of white attackers minus that of black ones.
    fn balance(&self, square: Square) -> f64 {
        self.attackers(Color::White, square) - self.attackers(Color::Black, square)
    }

    /// One row per square, from a1, b1 to h8.
    pub fn rows(&self, format: TableFormat) -> Vec<u8> {
        const NAMES: [&str; 6] =
            ["square", "white_share", "black_share", "white_attackers", "black_attackers", "balance"];
        fn cells(row: &[String; 6]) -> impl Iterator<Item = Cell<'_>> {
            let numbers = row[1..].iter().map(|number| Cell::Json(number.into()));
            [Cell::from(row[0].as_str())].into_iter().chain(numbers)
        }
        let rows = Square::ALL.map(|square| {
            let [white_share, black_share] = Color::ALL.map(|color| self.share(color, square));
            let [white, black] = Color::ALL.map(|color| self.attackers(color, square));
            let [a, b, c, d, e] = [white_share, black_share, white, black, self.balance(square)].map(tidy);
            [square.to_string(), a, b, c, d, e]
        });
        let mut text = Vec::new();
        match format {
            TableFormat::Csv => {
                csv::row(NAMES.into_iter().map(Cell::from), &mut text);
                rows.iter().for_each(|row| csv::row(cells(row), &mut text));
            }
            TableFormat::Jsonl => {
                let keys = jsonl::keys(NAMES.into_iter());
                rows.iter().for_each(|row| jsonl::row(&keys, cells(row), &mut text));
            }
            _ => {
                text = format!("{} positions\n\n", self.positions).into_bytes();
                table::write(&mut text, NAMES, &rows).expect("memory can be written");
            }
        }
        text
    }

    /// Draws the board: blue where white has more attackers, orange where black has.
    pub fn svg(&self, theme: Theme) -> String {
        let most = Square::ALL.map(|square| self.balance(square).abs()).into_iter().fold(0.0, f64::max);
        let (count, plural) = (HumanCount(self.positions), if self.positions == 1 { "" } else { "s" });
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" role=\"img\" aria-labelledby=\"title\">
<title id=\"title\">Control of the squares over {} positions</title>
<style>\n{}</style>
<rect class=\"page\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>
<text class=\"head\" x=\"{LEFT}\" y=\"30\">Control of the squares</text>
<text class=\"note\" x=\"{LEFT}\" y=\"52\">White attackers minus black ones, mean of {count} position{plural}</text>\n",
            self.positions,
            style(theme)
        );
        let mut line = |text: std::fmt::Arguments<'_>| writeln!(svg, "{text}").expect("memory can be written");
        for square in Square::ALL {
            let (x, y) = (LEFT + SIDE * u32::from(square.file()), TOP + SIDE * (7 - u32::from(square.rank())));
            let balance = self.balance(square);
            let shade = if (square.file() + square.rank()) % 2 == 0 { "dark" } else { "light" };
            let strength = if most > 0.0 { balance / most } else { 0.0 };
            let [white, black] = Color::ALL.map(|color| 100.0 * self.share(color, square));
            let title = format_args!("{square}: attacked by white in {white:.1} %, by black in {black:.1} %");
            line(format_args!("<g><title>{title}</title>\n{}", field(shade, strength, [x, y, SIDE, SIDE])));
            let (x, y) = (x + SIDE / 2, y + SIDE / 2 + 5);
            line(format_args!("<text class=\"value\" x=\"{x}\" y=\"{y}\">{}</text></g>", signed(balance)));
        }
        for place in 0..8 {
            let middle = SIDE * place + SIDE / 2;
            let (file, rank) = (char::from(b'a' + place as u8), 8 - place);
            let (x, y) = (LEFT + middle, TOP + 8 * SIDE + 20);
            line(format_args!("<text class=\"edge\" x=\"{x}\" y=\"{y}\">{file}</text>"));
            let (x, y) = (LEFT - 16, TOP + middle + 5);
            line(format_args!("<text class=\"edge\" x=\"{x}\" y=\"{y}\">{rank}</text>"));
        }
        // The legend, from black's strongest square to white's.
        let (y, part) = (TOP + 8 * SIDE + 38, SIDE / 2);
        for step in 0..16 {
            let strength = (f64::from(step) - 7.5) / 7.5;
            line(format_args!("{}", field("light", strength, [LEFT + part * step, y, part, 12])));
        }
        for (class, x, text) in [
            ("note", LEFT, format!("black {}", signed(-most))),
            ("note middle", LEFT + 4 * SIDE, "equal".to_owned()),
            ("note end", LEFT + 8 * SIDE, format!("white {}", signed(most))),
        ] {
            line(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{}\">{text}</text>", y + 30));
        }
        svg + "</svg>\n"
    }
}

/// A rectangle with the colour of one side above its own, the stronger the further `strength` is from zero.
fn field(shade: &str, strength: f64, [x, y, width, height]: [u32; 4]) -> String {
    let side = if strength < 0.0 { "black" } else { "white" };
    let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    format!("<rect class=\"{shade}\" {place}\n<rect class=\"{side}\" fill-opacity=\"{:.3}\" {place}", strength.abs())
}

/// The side of a square, and where the board begins.
const SIDE: u32 = 56;
const LEFT: u32 = 40;
const TOP: u32 = 72;
const WIDTH: u32 = LEFT + 8 * SIDE + 24;
const HEIGHT: u32 = TOP + 8 * SIDE + 84;

const SHAPES: &str = "\
text { font-family: system-ui, 'DejaVu Sans', sans-serif; }
.head { font-size: 20px; font-weight: 600; }
.note { font-size: 13px; }
.edge { font-size: 14px; text-anchor: middle; }
.value { font-size: 14px; text-anchor: middle; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
";
const LIGHT: &str = "\
.page { fill: #ffffff; }
.light { fill: #fafafa; }
.dark { fill: #e6e6e4; }
.white { fill: #5b9bd5; }
.black { fill: #f0924a; }
.head, .value { fill: #1a1a1a; }
.note, .edge { fill: #555555; }
";
const DARK: &str = "\
.page { fill: #17191c; }
.light { fill: #34383d; }
.dark { fill: #26292d; }
.white { fill: #2f74b5; }
.black { fill: #b35a1b; }
.head, .value { fill: #f4f4f4; }
.note, .edge { fill: #b4b8bd; }
";

fn style(theme: Theme) -> String {
    match theme {
        Theme::Light => format!("{SHAPES}{LIGHT}"),
        Theme::Dark => format!("{SHAPES}{DARK}"),
        Theme::Auto => format!("{SHAPES}{LIGHT}@media (prefers-color-scheme: dark) {{\n{DARK}}}\n"),
    }
}

/// A number with its sign, except zero.
fn signed(value: f64) -> String {
    let text = format!("{value:+.2}").replace('-', "−");
    if text.ends_with("0.00") { "0.00".to_owned() } else { text }
}

/// A number with four digits after the point, and no minus before zero.
fn tidy(value: f64) -> String {
    let text = format!("{value:.4}");
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use slider_attacks::Backend;
    use slider_attacks_arrow::Product;

    use super::*;

    fn totals(fens: &[&str]) -> Totals {
        let mut positions = Positions::new();
        fens.iter().for_each(|fen| positions.push_fen(fen.as_bytes()).unwrap());
        let plan = Plan::new([Product::Counts]).backend(Backend::scalar());
        Totals::of(&positions, &plan)
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let (first, second) = ("4k3/8/8/8/8/8/8/R3K3 w - -", "4k3/8/8/8/8/8/8/4K2R w - -");
        let mut sum = totals(&[first]);
        sum.add(&totals(&[second]));
        assert_eq!(sum, totals(&[first, second]));
        assert_eq!(sum.share(Color::White, Square::A8), 0.5);
        assert_eq!(sum.attackers(Color::White, Square::D1), 1.5);
        assert_eq!(sum.share(Color::White, Square::D1), 1.0);
        assert_eq!(sum.balance(Square::E7), -1.0);
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!([0.004, -0.004, 1.236, -2.0].map(signed), ["0.00", "0.00", "+1.24", "−2.00"]);
        assert_eq!([-0.00001, 0.5].map(tidy), ["0.0000", "0.5000"]);
        let text = |positions| Totals { positions, ..Totals::new() }.svg(Theme::Light);
        assert!(text(1).contains("mean of 1 position<") && text(1_234_567).contains("mean of 1,234,567 positions<"));
    }

    #[test]
    fn the_board_of_no_positions_is_drawn() {
        let svg = Totals::new().svg(Theme::Auto);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("class=\"value\"").count(), 64);
    }
}
