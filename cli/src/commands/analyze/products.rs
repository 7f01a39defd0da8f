//! What is computed of positions, as columns of values: all that the forms of output need to know.

use slider_attacks::Backend;
use slider_attacks::analysis::{self, LengthMismatch, Whose};
use slider_attacks::position::{Color, Piece, Positions};

use crate::args::Product;

/// A column of the output, a value for each position.
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
pub enum Values {
    /// Numbers, in decimal where they are text.
    Numbers(Vec<u64>),
    /// Sets of squares, in hexadecimal where they are text.
    Boards(Vec<u64>),
    /// A number for each square.
    Squares(Vec<[u8; 64]>),
    /// Any number of threats.
    Threats(Threats),
}

/// The threats of some positions.
#[derive(Default)]
pub struct Threats {
    /// Those of position i are from `ends[i - 1]`, or 0, to `ends[i]`.
    pub ends: Vec<usize>,
    /// The letter of the attacker, from, to, the letter of the victim; squares from 0.
    pub list: Vec<[u8; 4]>,
}

impl Threats {
    /// Those of a position.
    pub fn of(&self, position: usize) -> &[[u8; 4]] {
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.list[start..self.ends[position]]
    }
}

/// The columns of `product`, by name.
pub fn names(product: Product) -> &'static [&'static str] {
    match product {
        Product::Maps => &["white_attacks", "black_attacks"],
        Product::Counts => &["white_attackers", "black_attackers"],
        Product::Mobility => &["mobility"],
        Product::Pins => &["white_king_checkers", "black_king_checkers", "white_pinned", "black_pinned"],
        Product::Xrays => &["white_xrays", "black_xrays"],
        Product::Hanging => &["white_hanging", "black_hanging"],
        Product::Threats => &["threats"],
    }
}

/// What to compute, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What, none of it twice.
    pub what: Vec<Product>,
    /// With which backend.
    pub backend: Backend,
    /// Through whose pieces x-rays go.
    pub through: Whose,
    /// Whose pieces are victims of threats.
    pub victims: Whose,
}

impl Plan {
    /// Computes the columns of all products.
    pub fn columns(&self, positions: &Positions) -> Vec<Column> {
        self.what.iter().flat_map(|&product| self.product(product, positions)).collect()
    }

    fn product(&self, product: Product, positions: &Positions) -> Vec<Column> {
        /// Computes a set of squares of a colour for each position.
        type Compute<'a> = dyn Fn(Color, &mut [u64]) -> Result<(), LengthMismatch> + 'a;
        let backend = self.backend;
        let boards = |compute: &Compute<'_>| {
            Color::ALL.map(|color| {
                let mut out = vec![0; positions.len()];
                compute(color, &mut out).expect(ONE_EACH);
                Values::Boards(out)
            })
        };
        let values = match product {
            Product::Maps => boards(&|color, out| backend.attack_maps(positions, color, out)).into(),
            Product::Counts => Color::ALL.map(|color| Values::Squares(self.counts(positions, color))).into(),
            Product::Mobility => {
                let mut out = vec![[0; 64]; positions.len()];
                backend.mobility(positions, &mut out).expect(ONE_EACH);
                vec![Values::Squares(out)]
            }
            Product::Pins => {
                let checkers = boards(&|color, out| backend.checkers(positions, color, out));
                let pinned = boards(&|color, out| backend.pinned(positions, color, out));
                checkers.into_iter().chain(pinned).collect()
            }
            Product::Xrays => boards(&|color, out| backend.xray_attacks(positions, color, self.through, out)).into(),
            Product::Hanging => boards(&|color, out| backend.hanging(positions, color, out)).into(),
            Product::Threats => vec![Values::Threats(self.threats(positions))],
        };
        names(product).iter().zip(values).map(|(name, values)| Column { name, values }).collect()
    }

    /// How many pieces of `color` attack each square.
    pub fn counts(&self, positions: &Positions, color: Color) -> Vec<[u8; 64]> {
        let mut out = vec![[0; 64]; positions.len()];
        self.backend.attacker_counts(positions, color, &mut out).expect(ONE_EACH);
        out
    }

    fn threats(&self, positions: &Positions) -> Threats {
        let by_color = Color::ALL.map(|color| {
            let mut threats = analysis::Threats::new();
            self.backend.threats(positions, color, self.victims, &mut threats);
            threats
        });
        let mut threats = Threats::default();
        for position in 0..positions.len() {
            let both = by_color.iter().flat_map(|threats| threats.of(position));
            threats.list.extend(both.map(|threat| {
                let letter = |piece: Piece, color| piece.letter(color) as u8;
                let (attacker, victim) = (letter(threat.attacker, threat.by), letter(threat.victim, threat.of));
                [attacker, threat.from.index(), threat.to.index(), victim]
            }));
            threats.ends.push(threats.list.len());
        }
        threats
    }
}

const ONE_EACH: &str = "there is an element a position";
