//! The list of products: what can be computed from positions, and the columns that hold it.
//!
//! Each product is one entry in the call of the macro `products!`. These take the products from it: the values and the help
//! of the command's `--what`, the names that Python checks, the functions of the SQL engines, the list of the service, and
//! the tables in `docs/products.md`.

use std::fmt;
use std::str::FromStr;

use slider_attacks::BatchError;
use slider_attacks::position::Color::{Black, White};
use slider_attacks::position::Positions;

use self::Compute::{Boards, Numbers};
use crate::{Error, Plan};

/// What a column of a product holds for each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// A set of squares, a number of 64 bits: bit *i* is square *i*.
    Bitboard,
    /// A number below 128 for each of the 64 squares, a1 first.
    Numbers,
    /// A list of threats. Each is four numbers: attacker, from, to, victim.
    Threats,
}

impl ColumnKind {
    /// What the values are, in a few words.
    pub const fn meaning(self) -> &'static str {
        match self {
            ColumnKind::Bitboard => "a set of squares",
            ColumnKind::Numbers => "64 numbers, a1 first",
            ColumnKind::Threats => "a list of (attacker, from, to, victim)",
        }
    }
}

/// A column of a product: its name, and what it holds.
#[derive(Debug)]
pub struct ProductColumn {
    name: &'static str,
    meaning: &'static str,
    pub(crate) compute: Compute,
}

impl ProductColumn {
    /// The name, which no other column has.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it holds for each position: a phrase such as "the squares that White attacks".
    pub const fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// The kind of its values.
    pub const fn kind(&self) -> ColumnKind {
        match self.compute {
            Boards(_) => ColumnKind::Bitboard,
            Numbers(_) => ColumnKind::Numbers,
            Compute::Threats => ColumnKind::Threats,
        }
    }
}

/// How a column is computed. The method for threats fills lists of any length, so [`Plan`] calls it itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compute {
    Boards(Fill<u64>),
    Numbers(Fill<[u8; 64]>),
    Threats,
}

/// Computes one element per position.
type Fill<T> = fn(&Plan, &Positions, &mut [T]) -> Result<(), BatchError>;

/// What the list says about a product.
struct ProductEntry {
    name: &'static str,
    function: &'static str,
    definition: &'static str,
    option: Option<&'static str>,
    columns: &'static [ProductColumn],
}

/// Declares the products, in the order of their columns in a result. An entry has the name, the function in SQL, the option
/// of a plan that changes the product, if any, the definition in one sentence, and the columns. A column has its name, its
/// meaning, and the function that computes it.
macro_rules! products {
    ($($product:ident $name:literal $function:literal $(option $option:literal)?
        $definition:literal
        $($column:literal $meaning:literal = $compute:expr;)+
    )+) => {
        /// What can be computed from positions. [`slider_attacks::analysis`] has the definitions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Product {
            $(
                #[doc = concat!($definition, ":" $(, " `", $column, "`")+, ".")]
                $product,
            )+
        }

        static ENTRIES: &[ProductEntry] = &[$(ProductEntry {
            name: $name,
            function: $function,
            definition: $definition,
            option: [$(Some($option),)? None][0],
            columns: &[$(ProductColumn { name: $column, meaning: $meaning, compute: $compute }),+],
        }),+];

        impl Product {
            /// All products, in the order of their columns in a result.
            pub const ALL: &'static [Product] = &[$(Product::$product),+];
        }
    };
}

products! {
    Maps "maps" "attack_maps"
    "The squares that each side attacks"
    "white_attacks" "the squares that White attacks" =
        Boards(|plan, positions, out| plan.backend.attack_maps(positions, White, out));
    "black_attacks" "the squares that Black attacks" =
        Boards(|plan, positions, out| plan.backend.attack_maps(positions, Black, out));

    Counts "counts" "attacker_counts"
    "How many pieces of each side attack each square"
    "white_attackers" "for each square, how many white pieces attack it" =
        Numbers(|plan, positions, out| plan.backend.attacker_counts(positions, White, out));
    "black_attackers" "for each square, how many black pieces attack it" =
        Numbers(|plan, positions, out| plan.backend.attacker_counts(positions, Black, out));

    Mobility "mobility" "mobility"
    "For each piece, how many squares it attacks that its own side does not occupy; pawns count captures, not advances"
    "mobility" "for the piece on each square, that number; 0 for an empty square" =
        Numbers(|plan, positions, out| plan.backend.mobility(positions, out));

    Pins "pins" "pins"
    "The pieces that give check, and the pieces that are pinned to their king"
    "white_king_checkers" "the black pieces that give check to the white king" =
        Boards(|plan, positions, out| plan.backend.checkers(positions, White, out));
    "black_king_checkers" "the white pieces that give check to the black king" =
        Boards(|plan, positions, out| plan.backend.checkers(positions, Black, out));
    "white_pinned" "the white pieces that are pinned to the white king" =
        Boards(|plan, positions, out| plan.backend.pinned(positions, White, out));
    "black_pinned" "the black pieces that are pinned to the black king" =
        Boards(|plan, positions, out| plan.backend.pinned(positions, Black, out));

    Xrays "xrays" "xray_attacks" option "through"
    "What the sliders of each side see behind the first piece in their way, up to and including the next piece"
    "white_xrays" "what white sliders see behind a piece" =
        Boards(|plan, positions, out| plan.backend.xray_attacks(positions, White, plan.through, out));
    "black_xrays" "what black sliders see behind a piece" =
        Boards(|plan, positions, out| plan.backend.xray_attacks(positions, Black, plan.through, out));

    Hanging "hanging" "hanging"
    "The pieces of each side, except its king, that the other side attacks and that side does not defend"
    "white_hanging" "the white pieces that hang" =
        Boards(|plan, positions, out| plan.backend.hanging(positions, White, out));
    "black_hanging" "the black pieces that hang" =
        Boards(|plan, positions, out| plan.backend.hanging(positions, Black, out));

    Threats "threats" "threats" option "victims"
    "Each attack by a piece on a piece of the other side, or of the side that an option selects"
    "threats" "the threats, by White first" = Compute::Threats;
}

impl Product {
    fn entry(self) -> &'static ProductEntry {
        &ENTRIES[self as usize]
    }

    /// The name that `Display` writes and `FromStr` reads.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name of its function in SQL engines.
    pub fn function(self) -> &'static str {
        self.entry().function
    }

    /// What it is, in one sentence.
    pub fn definition(self) -> &'static str {
        self.entry().definition
    }

    /// The option that changes it, if there is one: [`through`](Plan::through) or [`victims`](Plan::victims).
    pub fn option(self) -> Option<&'static str> {
        self.entry().option
    }

    /// Its columns, in their order.
    pub fn columns(self) -> &'static [ProductColumn] {
        self.entry().columns
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
        let found = Product::ALL.iter().copied().find(|product| product.name() == text);
        found.ok_or_else(|| Error::unknown_name(Product::ALL.iter().map(|product| product.name()), text))
    }
}
