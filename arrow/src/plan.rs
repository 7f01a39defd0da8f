//! Which products to compute, and their columns.

use std::borrow::Borrow;

use slider_attacks::Backend;
use slider_attacks::analysis::{Side, Threat, Threats};
use slider_attacks::position::{Color, Positions};

use crate::product::{Compute, ProductColumn};
use crate::{Integers, OnError, Product};

/// Which products to compute, and how.
///
/// # Types
///
/// | column of a product | type |
/// |---|---|
/// | a set of squares | `UInt64`; bit *i* is square *i*: a1 = 0, b1 = 1, … h8 = 63 |
/// | a number for each square | `FixedSizeList` of 64 `UInt8`, in the same order |
/// | threats | `List` of structs of four `UInt8`: `attacker`, `from`, `to`, `victim` |
///
/// In a threat, a piece is the code of its letter in FEN (`Q` is 81, a white queen; `q` is 113, a black one), and a
/// square is its number. With [`Integers::Signed`], `Int64` and `Int8` take the places of `UInt64` and `UInt8`.
///
/// All columns are nullable, because a row may have no position. Elements of lists and fields of structs are not.
#[derive(Clone, Debug)]
pub struct Plan {
    products: Vec<Product>,
    pub(crate) backend: Backend,
    pub(crate) through: Side,
    victims: Side,
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "readers of text decide there"))]
    pub(crate) on_error: OnError,
    #[cfg_attr(not(feature = "arrow"), expect(dead_code, reason = "vectors have no signs"))]
    pub(crate) integers: Integers,
}

impl Plan {
    /// A plan of these products, each of them once, in the order of [`Product::ALL`].
    ///
    /// It computes with the active backend. X-rays go through pieces of any side, threats are those to enemies, a row that
    /// cannot be read is an error, and integers are unsigned. The methods below change that.
    pub fn new(products: impl IntoIterator<Item = impl Borrow<Product>>) -> Plan {
        let plan = Plan {
            products: Vec::new(),
            backend: Backend::active(),
            through: Side::Any,
            victims: Side::Enemy,
            on_error: OnError::Fail,
            integers: Integers::Unsigned,
        };
        plan.what(products)
    }

    /// Computes these products instead, each of them once, in the order of [`Product::ALL`].
    pub fn what(self, products: impl IntoIterator<Item = impl Borrow<Product>>) -> Plan {
        let mut products: Vec<Product> = products.into_iter().map(|product| *product.borrow()).collect();
        products.sort_unstable();
        products.dedup();
        Plan { products, ..self }
    }

    /// Computes with this backend.
    pub fn backend(self, backend: Backend) -> Plan {
        Plan { backend, ..self }
    }

    /// Lets x-rays pass through pieces of this side, as seen from the slider.
    pub fn through(self, through: Side) -> Plan {
        Plan { through, ..self }
    }

    /// Lists threats to pieces of this side, as seen from the attacker.
    pub fn victims(self, victims: Side) -> Plan {
        Plan { victims, ..self }
    }

    /// Says what becomes of rows that cannot be read. With [`OnError::Report`], there is one column more: `error`, text, null
    /// where the row could be read or was null before.
    pub fn on_error(self, on_error: OnError) -> Plan {
        Plan { on_error, ..self }
    }

    /// Gives the columns these integers.
    pub fn integers(self, integers: Integers) -> Plan {
        Plan { integers, ..self }
    }

    /// The products, in the order of their columns.
    pub fn products(&self) -> &[Product] {
        &self.products
    }

    /// The names of the columns of the products.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.product_columns().map(|column| column.name())
    }

    /// The values of the columns of these positions, as vectors.
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks_arrow::{Plan, Product, Values};
    ///
    /// let mut positions = Positions::new();
    /// positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/R3K3 b Q -\n")?;
    /// let plan = Plan::new([Product::Maps]);
    /// let values = plan.values(&positions);
    /// assert_eq!(plan.names().collect::<Vec<_>>(), ["white_attacks", "black_attacks"]);
    /// assert_eq!(values[0], Values::Boards(vec![0x0101_0101_0101_393e; 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn values(&self, positions: &Positions) -> Vec<Values> {
        let mut values = self.no_values(positions.len());
        self.append(positions, &mut values);
        values
    }

    /// The values of no positions, with room for `capacity` of them.
    pub(crate) fn no_values(&self, capacity: usize) -> Vec<Values> {
        let empty = |column: &ProductColumn| match column.compute {
            Compute::Boards(_) => Values::Boards(Vec::with_capacity(capacity)),
            Compute::Numbers(_) => Values::Numbers(Vec::with_capacity(capacity)),
            Compute::Threats => {
                let mut offsets = Vec::with_capacity(capacity + 1);
                offsets.push(0);
                Values::Threats { offsets, threats: Vec::new() }
            }
        };
        self.product_columns().map(empty).collect()
    }

    /// Appends the values of these positions.
    pub(crate) fn append(&self, positions: &Positions, values: &mut [Values]) {
        fn tail<T: Copy>(values: &mut Vec<T>, zero: T, count: usize) -> &mut [T] {
            let before = values.len();
            values.resize(before + count, zero);
            &mut values[before..]
        }
        const ONE_EACH: &str = "there is one element per position";
        let count = positions.len();
        for (column, values) in self.product_columns().zip(values) {
            match (&column.compute, values) {
                (Compute::Boards(fill), Values::Boards(boards)) => {
                    fill(self, positions, tail(boards, 0, count)).expect(ONE_EACH);
                }
                (Compute::Numbers(fill), Values::Numbers(numbers)) => {
                    fill(self, positions, tail(numbers, [0; 64], count)).expect(ONE_EACH);
                }
                (Compute::Threats, Values::Threats { offsets, threats }) => {
                    let mut found = Threats::new();
                    self.backend.threats(positions, &Color::ALL, self.victims, &mut found);
                    let before = threats.len();
                    offsets.extend(found.offsets()[1..].iter().map(|offset| before + offset));
                    threats.extend(found.as_slice().iter().map(codes));
                }
                _ => unreachable!("the values are those of this plan"),
            }
        }
    }

    /// The columns of the products, in their order.
    pub fn product_columns(&self) -> impl Iterator<Item = &'static ProductColumn> {
        self.products.iter().flat_map(|product| product.columns())
    }
}

/// Attacker, from, to and victim of a threat as numbers: the letters of the pieces as in FEN, the squares from 0.
fn codes(threat: &Threat) -> [u8; 4] {
    let [attacker, victim] = [threat.attacker, threat.victim].map(|(color, piece)| piece.letter(color) as u8);
    [attacker, threat.from.index(), threat.to.index(), victim]
}

/// The values of a column, as vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// A set of squares per position.
    Boards(Vec<u64>),
    /// A number for each square, per position.
    Numbers(Vec<[u8; 64]>),
    /// A list of threats per position.
    Threats {
        /// One element more than there are positions: the threats of position *i* are those from `offsets[i]` to
        /// `offsets[i + 1]`.
        offsets: Vec<usize>,
        /// Attacker, from, to and victim of each threat. A piece is its letter in FEN, a square its number.
        threats: Vec<[u8; 4]>,
    },
}
