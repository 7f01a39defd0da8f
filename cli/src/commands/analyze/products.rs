//! The columns of the output: those computed from positions, and those copied from the input.

use std::borrow::Cow;

use slider_attacks::analysis::{Side, Threats};
use slider_attacks::position::{Color, Positions};
use slider_attacks::{Backend, BatchError};

use crate::args::Product;
use crate::read::parsed::Kept;
use crate::write::Cell;

/// A column of the output, with a value for each position.
pub struct Column {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
pub enum Values {
    /// The file that all rows come from.
    File {
        /// Its name.
        name: String,
        /// Its number, from 0.
        index: u64,
    },
    /// Numbers.
    Numbers(Vec<u64>),
    /// Sets of squares.
    Boards(Vec<u64>),
    /// A number for each square.
    Counts(Vec<[u8; 64]>),
    /// Threats.
    Threats(Threats),
    /// Values of the input.
    Kept(Kept),
}

impl Values {
    /// The value of a row.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Values::File { name, .. } => name.as_str().into(),
            Values::Numbers(numbers) => Cell::Number(numbers[row]),
            Values::Boards(boards) => Cell::Board(boards[row]),
            Values::Counts(counts) => Cell::Counts(&counts[row]),
            Values::Threats(threats) => Cell::Threats(&threats[row]),
            Values::Kept(Kept::Text(cells)) => cells.get(row).map_or(Cell::NULL, Cell::from),
            Values::Kept(Kept::Json(cells)) => cells.get(row).map_or(Cell::NULL, |value| Cell::Json(value.into())),
            Values::Kept(Kept::Fields(cells)) => Cell::Fields(cells.get(row).unwrap_or_default()),
            #[cfg(feature = "parquet")]
            Values::Kept(Kept::Array(field, array)) => crate::write::arrow::cell(field, array, row),
        }
    }
}

/// The names of the columns of `product`.
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
    /// The products, each of them once.
    pub what: Vec<Product>,
    /// The backend to compute with.
    pub backend: Backend,
    /// The side whose pieces x-rays pass through, as seen from the slider.
    pub through: Side,
    /// The side whose pieces are victims of threats, as seen from the attacker.
    pub victims: Side,
}

impl Plan {
    /// Computes the columns of all products.
    pub fn columns(&self, positions: &Positions) -> Vec<Column> {
        self.what.iter().flat_map(|&product| self.product(product, positions)).collect()
    }

    fn product(&self, product: Product, positions: &Positions) -> Vec<Column> {
        /// Computes one set of squares per position, for a colour.
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
            Product::Counts => Color::ALL.map(|color| Values::Counts(self.counts(positions, color))).into(),
            Product::Mobility => {
                let mut out = vec![[0; 64]; positions.len()];
                backend.mobility(positions, &mut out).expect(ONE_EACH);
                vec![Values::Counts(out)]
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
        names(product).iter().zip(values).map(|(&name, values)| Column { name: name.into(), values }).collect()
    }

    /// The number of pieces of `color` that attack each square.
    pub fn counts(&self, positions: &Positions, color: Color) -> Vec<[u8; 64]> {
        let mut out = vec![[0; 64]; positions.len()];
        self.backend.attacker_counts(positions, color, &mut out).expect(ONE_EACH);
        out
    }
}

const ONE_EACH: &str = "there is one element per position";
