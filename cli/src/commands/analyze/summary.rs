//! The summary: how often and by how many pieces each square is attacked over all positions, as rows or a drawn board.

use indicatif::HumanCount;
use slider_attacks::Square;
use slider_attacks::diagram::{HeatMap, Theme};
use slider_attacks::position::{Color, Positions};
use slider_attacks_arrow::{Plan, Values};

use crate::args::TableFormat;
use crate::write::cell::Cell;
use crate::write::{csv, jsonl, table};

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
        let note = format!("White attackers minus black ones, mean of {count} position{plural}");
        let tip = |square| {
            let [white, black] = Color::ALL.map(|color| 100.0 * self.share(color, square));
            format!("{square}: attacked by white in {white:.1} %, by black in {black:.1} %")
        };
        HeatMap::new(|square| self.balance(square))
            .heading("Control of the squares", note)
            .label(|square| signed(self.balance(square)))
            .tip(tip)
            .legend([format!("black {}", signed(-most)), "equal".to_owned(), format!("white {}", signed(most))])
            .theme(theme)
            .to_string()
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
