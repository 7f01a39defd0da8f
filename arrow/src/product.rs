//! What can be computed from positions, and the columns that hold it.

use std::fmt;
use std::str::FromStr;

use slider_attacks::BatchError;
use slider_attacks::position::{Color, Positions};

use crate::{Error, Plan};

/// What can be computed from positions. [`slider_attacks::analysis`] has the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// The squares attacked by each side: `white_attacks`, `black_attacks`.
    Maps,
    /// How many pieces of each side attack each square: `white_attackers`, `black_attackers`.
    Counts,
    /// For each piece, how many squares it attacks that its own side does not occupy: `mobility`.
    Mobility,
    /// The pinned pieces of each side, and the pieces that give check: `white_king_checkers`, `black_king_checkers`,
    /// `white_pinned`, `black_pinned`.
    Pins,
    /// What the sliders of each side see through a piece: `white_xrays`, `black_xrays`. See [`Plan::through`].
    Xrays,
    /// The pieces of each side that are attacked and not defended: `white_hanging`, `black_hanging`.
    Hanging,
    /// Each attack by a piece on another piece: `threats`. See [`Plan::victims`].
    Threats,
}

/// A column of a product.
pub(crate) struct Column {
    pub name: &'static str,
    pub compute: Compute,
}

/// What a column holds for each position, and how it is computed.
pub(crate) enum Compute {
    /// A set of squares.
    Boards(Fill<u64>),
    /// A number for each square.
    Numbers(Fill<[u8; 64]>),
    /// A list of threats.
    Threats,
}

/// Computes one element per position.
type Fill<T> = fn(&Plan, &Positions, &mut [T]) -> Result<(), BatchError>;

const fn boards(name: &'static str, fill: Fill<u64>) -> Column {
    Column { name, compute: Compute::Boards(fill) }
}

const fn numbers(name: &'static str, fill: Fill<[u8; 64]>) -> Column {
    Column { name, compute: Compute::Numbers(fill) }
}

use Color::{Black, White};

static MAPS: [Column; 2] = [
    boards("white_attacks", |plan, positions, out| plan.backend.attack_maps(positions, White, out)),
    boards("black_attacks", |plan, positions, out| plan.backend.attack_maps(positions, Black, out)),
];
static COUNTS: [Column; 2] = [
    numbers("white_attackers", |plan, positions, out| plan.backend.attacker_counts(positions, White, out)),
    numbers("black_attackers", |plan, positions, out| plan.backend.attacker_counts(positions, Black, out)),
];
static MOBILITY: [Column; 1] = [numbers("mobility", |plan, positions, out| plan.backend.mobility(positions, out))];
static PINS: [Column; 4] = [
    boards("white_king_checkers", |plan, positions, out| plan.backend.checkers(positions, White, out)),
    boards("black_king_checkers", |plan, positions, out| plan.backend.checkers(positions, Black, out)),
    boards("white_pinned", |plan, positions, out| plan.backend.pinned(positions, White, out)),
    boards("black_pinned", |plan, positions, out| plan.backend.pinned(positions, Black, out)),
];
static XRAYS: [Column; 2] = [
    boards("white_xrays", |plan, positions, out| plan.backend.xray_attacks(positions, White, plan.through, out)),
    boards("black_xrays", |plan, positions, out| plan.backend.xray_attacks(positions, Black, plan.through, out)),
];
static HANGING: [Column; 2] = [
    boards("white_hanging", |plan, positions, out| plan.backend.hanging(positions, White, out)),
    boards("black_hanging", |plan, positions, out| plan.backend.hanging(positions, Black, out)),
];
static THREATS: [Column; 1] = [Column { name: "threats", compute: Compute::Threats }];

impl Product {
    /// All products, in the order of their columns in a result.
    pub const ALL: [Product; 7] = [
        Product::Maps,
        Product::Counts,
        Product::Mobility,
        Product::Pins,
        Product::Xrays,
        Product::Hanging,
        Product::Threats,
    ];

    /// The name that `Display` writes and `FromStr` reads.
    pub const fn name(self) -> &'static str {
        match self {
            Product::Maps => "maps",
            Product::Counts => "counts",
            Product::Mobility => "mobility",
            Product::Pins => "pins",
            Product::Xrays => "xrays",
            Product::Hanging => "hanging",
            Product::Threats => "threats",
        }
    }

    /// What it is, in one line.
    pub const fn description(self) -> &'static str {
        match self {
            Product::Maps => "The squares attacked by each side",
            Product::Counts => "How many pieces of each side attack each square",
            Product::Mobility => "For each piece, how many squares it attacks that its own side does not occupy",
            Product::Pins => "The pinned pieces of each side, and the pieces that give check",
            Product::Xrays => "What the sliders of each side see through a piece",
            Product::Hanging => "The pieces of each side that are attacked and not defended",
            Product::Threats => "Each attack by a piece on another piece",
        }
    }

    pub(crate) fn columns(self) -> &'static [Column] {
        match self {
            Product::Maps => &MAPS,
            Product::Counts => &COUNTS,
            Product::Mobility => &MOBILITY,
            Product::Pins => &PINS,
            Product::Xrays => &XRAYS,
            Product::Hanging => &HANGING,
            Product::Threats => &THREATS,
        }
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Product {
    type Err = Error;

    fn from_str(text: &str) -> Result<Product, Error> {
        let found = Product::ALL.into_iter().find(|product| product.name() == text);
        found.ok_or_else(|| Error::UnknownProduct { found: text.chars().take(40).collect() })
    }
}
