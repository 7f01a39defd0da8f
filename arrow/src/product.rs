//! The list of products, which are computed from positions, and their columns.
//!
//! Each product is one entry in the call of the macro `products!`. This list defines the values and the help of the command's
//! `--what`, the names and the help in Python, the functions of the SQL engines, the list of the service, and the list in
//! `docs/products.md`.

use std::fmt;
use std::str::FromStr;

use slider_attacks::analysis::{KeyKind, SetProduct, Status};
use slider_attacks::position::Color::{self, Black, White};
use slider_attacks::position::Piece::{self, Bishop, King, Knight, Pawn, Queen, Rook};
use slider_attacks::position::PositionSlice;
use slider_attacks::{Backend, BatchError};

use self::Compute::{Boards, Key, Nonzero, Number, Numbers, Set, Sets, Stuck};
use crate::Error;
use crate::options::{ComputeOptions, Options};

/// The kind of values of a column of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnKind {
    /// A set of squares, a number of 64 bits: bit *i* is square *i*.
    Bitboard,
    /// A number below 128 for each of the 64 squares, a1 first.
    Numbers,
    /// One number, below 32,768.
    Number,
    /// A number of 64 bits that identifies the position. It has no sum.
    Key,
    /// A set of squares for each of the 64 squares, a1 first. It has no sum.
    Sets,
    /// A list of moves: 16 bits each, or text, by the option `notation`.
    Moves,
    /// A list of threats. Each is four numbers: attacker, from, to, victim.
    Threats,
}

impl ColumnKind {
    /// A short description of the values.
    pub const fn meaning(self) -> &'static str {
        match self {
            ColumnKind::Bitboard => "a set of squares",
            ColumnKind::Numbers => "64 numbers, a1 first",
            ColumnKind::Number => "a number",
            ColumnKind::Key => "a number of 64 bits",
            ColumnKind::Sets => "64 sets of squares, a1 first",
            ColumnKind::Moves => "a list of moves",
            ColumnKind::Threats => "a list of (attacker, from, to, victim)",
        }
    }
}

/// A column of a product: its name, and what it holds.
#[derive(Debug)]
pub struct ProductColumn {
    pub(crate) name: &'static str,
    meaning: &'static str,
    pub(crate) compute: Compute,
}

impl ProductColumn {
    /// The name, which no other column has.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its meaning for each position: a phrase such as "the squares that White attacks".
    pub const fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// What a column has in common with others: sets such as `black_king_rays`, which are computed once for all of them, as
    /// [`SetProduct::needs`] describes; or columns that it is derived from, if the plan has these. White's and Black's gains are
    /// also computed together.
    ///
    /// ```
    /// use slider_attacks_arrow::Product;
    ///
    /// assert_eq!(Product::SafeChecks.columns()[0].needs(), ["attacks", "black_king_rays"]);
    /// assert_eq!(Product::Trapped.columns()[0].needs(), ["black_gains", "safe_mobility"]);
    /// ```
    pub fn needs(&self) -> Vec<String> {
        match self.compute {
            Set(product, color) => {
                let rays = product(&Options::default()).needs(color);
                let rays = rays.map(|(rays, color)| format!("{color}_{rays}"));
                [Some("attacks".to_owned()), rays].into_iter().flatten().collect()
            }
            Stuck(lost, _) => vec![lost.gains.to_owned(), SAFE_MOBILITY.to_owned()],
            Nonzero(of, _) => vec![of.to_owned()],
            Boards(_) | Numbers(..) | Number(_) | Key(_) | Sets(_) | Compute::Moves(_) | Compute::Threats => Vec::new(),
        }
    }

    /// The kind of its values.
    pub const fn kind(&self) -> ColumnKind {
        match self.compute {
            Boards(_) | Set(..) | Stuck(..) | Nonzero(..) => ColumnKind::Bitboard,
            Numbers(..) => ColumnKind::Numbers,
            Number(_) => ColumnKind::Number,
            Key(_) => ColumnKind::Key,
            Sets(_) => ColumnKind::Sets,
            Compute::Moves(_) => ColumnKind::Moves,
            Compute::Threats => ColumnKind::Threats,
        }
    }
}

/// How a column is computed. The method for threats has an option, and fills lists of any length, so [`Plan`](crate::Plan) calls it
/// itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compute {
    Boards(Fill<u64>),
    /// A set that shares work with others of the same plan.
    Set(fn(&Options) -> SetProduct, Color),
    /// The pieces that are lost where they stand, and that have no safe move. If the plan also has the gains of the other side and
    /// `safe_mobility`, the set follows from them. Otherwise, the function computes it.
    Stuck(Lost, Fill<u64>),
    /// The squares whose number in the column of this name, of the same product, is not 0. Where there are no numbers, the function
    /// finds them: for the column alone, nobody pays for numbers.
    Nonzero(&'static str, Fill<u64>),
    /// The second function is there for numbers below 32: it gives their bits as bitboards, which take less time to sum.
    Numbers(Fill<[u8; 64]>, Option<FillPlanes>),
    Number(Fill<u16>),
    Key(Fill<u64>),
    #[cfg_attr(not(feature = "lists"), expect(dead_code, reason = "no product has any"))]
    Sets(Fill<[u64; 64]>),
    #[cfg_attr(not(feature = "lists"), expect(dead_code, reason = "no product has any"))]
    Moves(FillMoves),
    Threats,
}

/// The column that says which pieces have a safe move.
pub(crate) const SAFE_MOBILITY: &str = "safe_mobility";

/// The pieces of a colour that the other side wins, by the name of a column: what it gains on each square.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lost {
    pub color: Color,
    pub gains: &'static str,
}

/// Computes one element per position.
type Fill<T> = fn(&ComputeOptions, PositionSlice<'_>, &mut [T]) -> Result<(), BatchError>;

/// Lists the moves of each position.
type FillMoves = fn(Backend, PositionSlice<'_>, &mut slider_attacks::moves::Moves);

/// The same for the bits of numbers, lowest bits first.
type FillPlanes = fn(&ComputeOptions, PositionSlice<'_>, [&mut [u64]; 5]) -> Result<(), BatchError>;

/// An entry of the list of products.
struct ProductEntry {
    name: &'static str,
    function: &'static str,
    definition: &'static str,
    options: &'static [&'static str],
    columns: &'static [ProductColumn],
}

/// Declares the products, in the order of their columns in a result. An entry has the name, the function in SQL, the options
/// of a plan that change the product, if any, the definition in one sentence, and the columns. A column has its name, its
/// meaning, and the function that computes it.
macro_rules! products {
    ($($(#[$attribute:meta])* $product:ident $name:literal $function:literal $(option $option:literal)*
        $definition:literal
        $($column:literal $meaning:literal = $compute:expr;)+
    )+) => {
        /// The products of positions. [`slider_attacks::analysis`] has the definitions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Product {
            $(
                #[doc = concat!($definition, ":" $(, " `", $column, "`")+, ".")]
                $(#[$attribute])*
                $product,
            )+
        }

        static ENTRIES: &[ProductEntry] = &[$($(#[$attribute])* ProductEntry {
            name: $name,
            function: $function,
            definition: $definition,
            options: &[$($option),*],
            columns: &[$(ProductColumn { name: $column, meaning: $meaning, compute: $compute }),+],
        }),+];

        impl Product {
            /// All products, in the order of their columns in a result.
            pub const ALL: &'static [Product] = &[$($(#[$attribute])* Product::$product),+];
        }
    };
}

products! {
    Pieces "pieces" "piece_maps"
    "Where the pieces of each kind stand"
    "white_pawns" "the squares of the white pawns" = Boards(|_, positions, out| copy(positions, White, Pawn, out));
    "white_knights" "the squares of the white knights" = Boards(|_, positions, out| copy(positions, White, Knight, out));
    "white_bishops" "the squares of the white bishops" = Boards(|_, positions, out| copy(positions, White, Bishop, out));
    "white_rooks" "the squares of the white rooks" = Boards(|_, positions, out| copy(positions, White, Rook, out));
    "white_queens" "the squares of the white queens" = Boards(|_, positions, out| copy(positions, White, Queen, out));
    "white_kings" "the square of the white king" = Boards(|_, positions, out| copy(positions, White, King, out));
    "black_pawns" "the squares of the black pawns" = Boards(|_, positions, out| copy(positions, Black, Pawn, out));
    "black_knights" "the squares of the black knights" = Boards(|_, positions, out| copy(positions, Black, Knight, out));
    "black_bishops" "the squares of the black bishops" = Boards(|_, positions, out| copy(positions, Black, Bishop, out));
    "black_rooks" "the squares of the black rooks" = Boards(|_, positions, out| copy(positions, Black, Rook, out));
    "black_queens" "the squares of the black queens" = Boards(|_, positions, out| copy(positions, Black, Queen, out));
    "black_kings" "the square of the black king" = Boards(|_, positions, out| copy(positions, Black, King, out));

    Maps "maps" "attack_maps"
    "The squares that each side attacks"
    "white_attacks" "the squares that at least one white piece attacks, including pawns and the king" =
        Set(|_| SetProduct::AttackMap, White);
    "black_attacks" "the squares that at least one black piece attacks, including pawns and the king" =
        Set(|_| SetProduct::AttackMap, Black);

    Counts "counts" "attacker_counts"
    "The number of pieces of each side that attack each square"
    "white_attackers" "for each square, the number of white pieces that attack it, from 0 to 16, including pawns and the king" =
        Numbers(
            |how, positions, out| how.backend.attacker_counts(positions, White, out),
            Some(|how, positions, out| how.backend.attacker_count_planes(positions, White, out)),
        );
    "black_attackers" "for each square, the number of black pieces that attack it, from 0 to 16, including pawns and the king" =
        Numbers(
            |how, positions, out| how.backend.attacker_counts(positions, Black, out),
            Some(|how, positions, out| how.backend.attacker_count_planes(positions, Black, out)),
        );

    Mobility "mobility" "mobility"
    "For each piece, the number of squares that it attacks and that its own side does not occupy; for a pawn, its \
     diagonal squares count, not its advances"
    "mobility" "for each square, the mobility of the piece on it, white or black, from 0 to 27; 0 for an empty square" =
        Numbers(
            |how, positions, out| how.backend.mobility(positions, out),
            Some(|how, positions, out| how.backend.mobility_planes(positions, out)),
        );

    Pins "pins" "pins"
    "The pieces that give check, and those that are pinned to their own king"
    "white_king_checkers" "the black pieces that attack the white king" =
        Set(|_| SetProduct::Checkers, White);
    "black_king_checkers" "the white pieces that attack the black king" =
        Set(|_| SetProduct::Checkers, Black);
    "white_pinned" "the pinned white pieces: each is the only piece between the white king and a black bishop, rook or queen that \
     would otherwise attack the king" =
        Set(|_| SetProduct::Pinned, White);
    "black_pinned" "the pinned black pieces: each is the only piece between the black king and a white bishop, rook or queen that \
     would otherwise attack the king" =
        Set(|_| SetProduct::Pinned, Black);

    Xrays "xrays" "xray_attacks" option "through"
    "What the sliders (bishops, rooks, queens) of each side see behind the first piece in a direction, up to and including the \
     next piece"
    "white_xrays" "the squares that white sliders see behind a piece" =
        Set(|options| SetProduct::XRays(options.through), White);
    "black_xrays" "the squares that black sliders see behind a piece" =
        Set(|options| SetProduct::XRays(options.through), Black);

    Hanging "hanging" "hanging"
    "The pieces of each side, except its king, that the other side attacks and that no piece of their own side defends, \
     whatever they are worth"
    "white_hanging" "the white pieces that hang: attacked by Black, not defended by White" =
        Set(|_| SetProduct::Hanging, White);
    "black_hanging" "the black pieces that hang: attacked by White, not defended by Black" =
        Set(|_| SetProduct::Hanging, Black);

    Exchanges "exchanges" "exchanges" option "values" option "pinned"
    "The material that each side gains when it captures a piece and both sides keep capturing on that square, each with its least \
     valuable piece and only as long as it pays (static exchange evaluation); by default, a pawn is worth 1, a knight or a bishop \
     3, a rook 5 and a queen 9"
    "white_wins" "the black pieces whose capture gains something for White" =
        Nonzero("white_gains", |how, positions, out| how.backend.winning_captures(positions, White, how.exchange(), out));
    "black_wins" "the white pieces whose capture gains something for Black" =
        Nonzero("black_gains", |how, positions, out| how.backend.winning_captures(positions, Black, how.exchange(), out));
    "white_gains" "for each square, what White gains by a capture there; 0 if nothing" =
        Numbers(|how, positions, out| how.backend.exchanges(positions, White, how.exchange(), out), None);
    "black_gains" "for each square, what Black gains by a capture there; 0 if nothing" =
        Numbers(|how, positions, out| how.backend.exchanges(positions, Black, how.exchange(), out), None);

    Forks "forks" "forks"
    "The pieces of each side that attack two or more enemy pieces, each worth more than the piece itself or undefended; a king \
     forks undefended pieces only"
    "white_forks" "the white pieces that fork" =
        Set(|_| SetProduct::Forks, White);
    "black_forks" "the black pieces that fork" =
        Set(|_| SetProduct::Forks, Black);

    Skewers "skewers" "skewers"
    "The pieces that an enemy slider (bishop, rook, queen) attacks along a line on which the next piece is one of their own side \
     that is worth less or the same"
    "white_skewers" "the black pieces that White skewers: the front pieces, including the king" =
        Set(|_| SetProduct::Skewers, White);
    "black_skewers" "the white pieces that Black skewers: the front pieces, including the king" =
        Set(|_| SetProduct::Skewers, Black);

    RelativePins "relative_pins" "relative_pins"
    "The pieces that an enemy slider attacks along a line on which the next piece is one of their own side that is worth more, but \
     not the king; the value of the slider does not matter"
    "white_relatively_pinned" "the white pieces that are pinned to a more valuable white piece" =
        Set(|_| SetProduct::RelativelyPinned, White);
    "black_relatively_pinned" "the black pieces that are pinned to a more valuable black piece" =
        Set(|_| SetProduct::RelativelyPinned, Black);

    Discovered "discovered" "discovered"
    "The pieces of each side that stand alone between a slider of their side and an enemy piece that is undefended or worth more \
     than the slider: they open an attack when they leave the line"
    "white_discovered" "the white pieces that can discover an attack, or a check" =
        Set(|_| SetProduct::Discovered, White);
    "black_discovered" "the black pieces that can discover an attack, or a check" =
        Set(|_| SetProduct::Discovered, Black);

    Batteries "batteries" "batteries"
    "The sliders of each side that another slider of their side defends, along a line on which both move"
    "white_batteries" "the white bishops, rooks and queens in a battery" =
        Set(|_| SetProduct::Batteries, White);
    "black_batteries" "the black bishops, rooks and queens in a battery" =
        Set(|_| SetProduct::Batteries, Black);

    Overloaded "overloaded" "overloaded"
    "The pieces of each side that are the only defender of two or more attacked pieces other than the king"
    "white_overloaded" "the overloaded white pieces, including the king" =
        Set(|_| SetProduct::Overloaded, White);
    "black_overloaded" "the overloaded black pieces, including the king" =
        Set(|_| SetProduct::Overloaded, Black);

    Trapped "trapped" "trapped" option "values" option "pinned"
    "The knights, bishops, rooks and queens of each side that the other side wins by an exchange, both where they \
     stand and wherever they could move"
    "white_trapped" "the trapped white pieces" =
        Stuck(
            Lost { color: White, gains: "black_gains" },
            |how, positions, out| how.backend.trapped(positions, White, how.exchange(), out),
        );
    "black_trapped" "the trapped black pieces" =
        Stuck(
            Lost { color: Black, gains: "white_gains" },
            |how, positions, out| how.backend.trapped(positions, Black, how.exchange(), out),
        );

    SafeMobility "safe_mobility" "safe_mobility" option "values" option "pinned"
    "For each knight, bishop, rook and queen, the number of squares that it could move to without being lost in an exchange there: \
     the other side would gain no more than the move captures"
    "safe_mobility" "for each square, the safe mobility of the piece on it, white or black, from 0 to 27; 0 for an empty square, a \
     pawn and a king" =
        Numbers(|how, positions, out| how.backend.safe_mobility(positions, how.exchange(), out), None);

    Pawns "pawns" "pawns"
    "The pawn structure of each side: passed, isolated, doubled and backward pawns, and outposts"
    "white_passed" "the white pawns with no black pawn in front of them on their own or an adjacent file" =
        Boards(|how, positions, out| how.backend.passed_pawns(positions, White, out));
    "black_passed" "the black pawns with no white pawn in front of them on their own or an adjacent file" =
        Boards(|how, positions, out| how.backend.passed_pawns(positions, Black, out));
    "white_isolated" "the white pawns without a white pawn on an adjacent file" =
        Boards(|how, positions, out| how.backend.isolated_pawns(positions, White, out));
    "black_isolated" "the black pawns without a black pawn on an adjacent file" =
        Boards(|how, positions, out| how.backend.isolated_pawns(positions, Black, out));
    "white_doubled" "the white pawns that share their file with another white pawn" =
        Boards(|how, positions, out| how.backend.doubled_pawns(positions, White, out));
    "black_doubled" "the black pawns that share their file with another black pawn" =
        Boards(|how, positions, out| how.backend.doubled_pawns(positions, Black, out));
    "white_backward" "the white pawns with a square in front that a black pawn attacks and that no white pawn attacks, now or after it has advanced" =
        Boards(|how, positions, out| how.backend.backward_pawns(positions, White, out));
    "black_backward" "the black pawns with a square in front that a white pawn attacks and that no black pawn attacks, now or after it has advanced" =
        Boards(|how, positions, out| how.backend.backward_pawns(positions, Black, out));
    "white_outposts" "the squares on ranks 4 to 6 that a white pawn attacks and that no black pawn attacks, now or after it has advanced" =
        Boards(|how, positions, out| how.backend.outposts(positions, White, out));
    "black_outposts" "the squares on ranks 5 to 3 that a black pawn attacks and that no white pawn attacks, now or after it has advanced" =
        Boards(|how, positions, out| how.backend.outposts(positions, Black, out));

    KingRing "king_ring" "king_ring"
    "The pieces that attack the enemy king or a square next to it"
    "white_king_ring" "the black pieces that attack the square of the white king or one next to it" =
        Boards(|how, positions, out| how.backend.king_ring(positions, White, out));
    "black_king_ring" "the white pieces that attack the square of the black king or one next to it" =
        Boards(|how, positions, out| how.backend.king_ring(positions, Black, out));

    SafeChecks "safe_checks" "safe_checks"
    "The squares where a knight, bishop, rook or queen can move to give check without being attacked there, on the board after the \
     move; pins and the side to move do not matter, and discovered checks do not count"
    "white_safe_checks" "the squares where a white piece can move to attack the black king, and where no black piece then attacks it" =
        Set(|_| SetProduct::SafeChecks, White);
    "black_safe_checks" "the squares where a black piece can move to attack the white king, and where no white piece then attacks it" =
        Set(|_| SetProduct::SafeChecks, Black);

    LegalMoves "legal_moves" "legal_moves"
    "The number of legal moves of the side to move: 0 in checkmate and stalemate; castling and en passant count, and a promotion \
     counts as four moves"
    "legal_moves" "the number of legal moves of the side to move" =
        Number(|how, positions, out| how.backend.legal_moves(positions, out));

    #[cfg(feature = "lists")]
    Moves "moves" "moves" option "notation"
    "The legal moves of the side to move, ordered by start, target and promotion; sums count them by target"
    "moves" "the legal moves" = Compute::Moves(|backend, positions, out| backend.moves(positions, out));

    #[cfg(feature = "lists")]
    CheckingMoves "checking_moves" "checking_moves" option "notation"
    "The legal moves that give check"
    "checking_moves" "the legal moves after which the other king is attacked" =
        Compute::Moves(|backend, positions, out| backend.checking_moves(positions, out));

    #[cfg(feature = "lists")]
    MatingMoves "mating_moves" "mating_moves" option "notation"
    "The legal moves that give checkmate"
    "mating_moves" "the legal moves after which the other side is in checkmate" =
        Compute::Moves(|backend, positions, out| backend.mating_moves(positions, out));

    #[cfg(feature = "lists")]
    Targets "targets" "targets"
    "The squares to which the piece on each square may legally go; they have no sums"
    "targets" "for each square, the targets of the legal moves of the piece on it; castling goes to the rook" =
        Sets(|how, positions, out| how.backend.targets(positions, out));

    Status "status" "status"
    "Whether the side to move is in check, and whether the game is over: 1 or 0"
    "in_check" "1 if the king of the side to move is attacked" =
        Number(|how, positions, out| how.backend.status(positions, Status::Check, out));
    "checkmate" "1 if the side to move is in check and has no legal move" =
        Number(|how, positions, out| how.backend.status(positions, Status::Checkmate, out));
    "stalemate" "1 if the side to move is not in check and has no legal move" =
        Number(|how, positions, out| how.backend.status(positions, Status::Stalemate, out));
    "insufficient_material" "1 if nothing is left but the kings, or also one knight, or bishops on squares of one colour" =
        Number(|how, positions, out| how.backend.status(positions, Status::InsufficientMaterial, out));

    Keys "keys" "keys"
    "64 bits that are the same for equal positions, and hardly ever for others; they have no sums"
    "position_key" "the same for equal pieces, side to move, castling rights and legal captures en passant" =
        Key(|how, positions, out| how.backend.keys(positions, KeyKind::Position, out));
    "canonical_key" "the same for mirror images too: with colours swapped; left to right if nobody may castle; all eight without pawns" =
        Key(|how, positions, out| how.backend.keys(positions, KeyKind::Canonical, out));
    "polyglot_key" "the key of Polyglot's opening books" =
        Key(|how, positions, out| how.backend.keys(positions, KeyKind::Polyglot, out));

    Threats "threats" "threats" option "victims"
    "Each attack on a piece of the other side, including its king; the option `victims` selects others"
    "threats" "the threats, White's first: each has the attacking piece, its square, the attacked square, and the piece there" = Compute::Threats;
}

/// The squares of one kind of piece, which have only to be copied.
fn copy(positions: PositionSlice<'_>, color: Color, piece: Piece, out: &mut [u64]) -> Result<(), BatchError> {
    out.copy_from_slice(positions.pieces(color, piece));
    Ok(())
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

    /// Its definition, in one sentence.
    pub fn definition(self) -> &'static str {
        self.entry().definition
    }

    /// The names of the options that change it, which are among [`Options::ALL`](crate::Options::ALL).
    pub fn options(self) -> &'static [&'static str] {
        self.entry().options
    }

    /// Whether [`Plan::summarize`](crate::Plan::summarize) sums it up. If not, it has no columns there.
    pub fn has_sums(self) -> bool {
        self.columns().iter().all(|column| !matches!(column.kind(), ColumnKind::Key | ColumnKind::Sets))
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
