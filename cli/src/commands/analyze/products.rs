//! What is computed of positions, as columns of values: all that the forms of output need to know.

use slider_attacks::analysis::{Side, Threat, Threats};
use slider_attacks::position::{Color, Positions};
use slider_attacks::{Backend, BatchError};

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

/// The letter of the attacker, from, to, the letter of the victim; squares are numbers from 0.
pub fn bytes(threat: &Threat) -> [u8; 4] {
    let [attacker, victim] = [threat.attacker, threat.victim].map(|(color, piece)| piece.letter(color) as u8);
    [attacker, threat.from.index(), threat.to.index(), victim]
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
    /// The pieces that x-rays go through.
    pub through: Side,
    /// The pieces that are victims of threats.
    pub victims: Side,
}

impl Plan {
    /// Computes the columns of all products.
    pub fn columns(&self, positions: &Positions) -> Vec<Column> {
        self.what.iter().flat_map(|&product| self.product(product, positions)).collect()
    }

    fn product(&self, product: Product, positions: &Positions) -> Vec<Column> {
        /// Computes a set of squares of a colour for each position.
        type Compute<'a> = dyn Fn(Color, &mut [u64]) -> Result<(), BatchError> + 'a;
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
            Product::Threats => {
                let mut threats = Threats::new();
                backend.threats(positions, &Color::ALL, self.victims, &mut threats);
                vec![Values::Threats(threats)]
            }
        };
        names(product).iter().zip(values).map(|(name, values)| Column { name, values }).collect()
    }

    /// How many pieces of `color` attack each square.
    pub fn counts(&self, positions: &Positions, color: Color) -> Vec<[u8; 64]> {
        let mut out = vec![[0; 64]; positions.len()];
        self.backend.attacker_counts(positions, color, &mut out).expect(ONE_EACH);
        out
    }
}

const ONE_EACH: &str = "there is an element a position";
