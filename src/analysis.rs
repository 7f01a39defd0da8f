//! Attacks in whole arrays of positions: maps, counts, mobility, checks, pins, x-rays, exchanges, tactics and threats;
//! also pawn structure, attacks on kings, and the number of legal moves.
//!
//! Each product is a method of [`Backend`]:
//!
//! | product | per position |
//! |---|---|
//! | [`attack_maps`](Backend::attack_maps) | the squares that a side attacks |
//! | [`attacker_counts`](Backend::attacker_counts) | the number of attackers of each square |
//! | [`mobility`](Backend::mobility) | the number of squares that each piece attacks |
//! | [`checkers`](Backend::checkers) | the pieces that give check |
//! | [`pinned`](Backend::pinned) | the pieces that are pinned to their king |
//! | [`xray_attacks`](Backend::xray_attacks) | the squares that sliders see through a piece |
//! | [`hanging`](Backend::hanging) | the pieces that are attacked and not defended |
//! | [`exchanges`](Backend::exchanges) | the gain of each capture, if both sides go on capturing there |
//! | [`winning_captures`](Backend::winning_captures) | the pieces whose capture gains something |
//! | [`forks`](Backend::forks) | the pieces that attack two others which are worth more or undefended |
//! | [`skewers`](Backend::skewers) | the pieces that a slider attacks, with a piece behind them that is worth no more |
//! | [`relatively_pinned`](Backend::relatively_pinned) | the pieces that a slider attacks, with a piece behind them that is worth more |
//! | [`discovered`](Backend::discovered) | the pieces that open an attack when they move away |
//! | [`batteries`](Backend::batteries) | the sliders that another one backs up on their line |
//! | [`overloaded`](Backend::overloaded) | the pieces that alone defend two others which are attacked |
//! | [`trapped`](Backend::trapped) | the pieces that are lost by an exchange, wherever they move |
//! | [`safe_mobility`](Backend::safe_mobility) | the number of squares where each piece is not lost by an exchange |
//! | [`passed_pawns`](Backend::passed_pawns), [`isolated_pawns`](Backend::isolated_pawns), [`doubled_pawns`](Backend::doubled_pawns), [`backward_pawns`](Backend::backward_pawns) | the pawns of that kind |
//! | [`outposts`](Backend::outposts) | the squares that pawns defend and enemy pawns never attack |
//! | [`king_ring`](Backend::king_ring) | the pieces that attack a king or a square next to it |
//! | [`safe_checks`](Backend::safe_checks) | the squares to which a piece can go to give check without being attacked there |
//! | [`legal_moves`](Backend::legal_moves) | the number of legal moves |
//! | [`moves`](Backend::moves) | the list of legal moves |
//! | [`checking_moves`](Backend::checking_moves), [`mating_moves`](Backend::mating_moves) | those that give check, or checkmate |
//! | [`targets`](Backend::targets) | the squares to which each piece may go |
//! | [`status`](Backend::status) | whether it is check, checkmate, stalemate, or a draw for lack of material |
//! | [`keys`](Backend::keys) | a number of 64 bits, the same for equal positions |
//! | [`after`](Backend::after) | the positions after moves |
//! | [`perft`](Backend::perft) | the number of leaves of the tree of legal moves |
//! | [`threats`](Backend::threats) | a list of attackers and their victims |
//!
//! [`sets`](Backend::sets) computes several of the sets at once, and what they have in common only once.
//! [`attack_maps_of_arrays`](Backend::attack_maps_of_arrays) takes arrays of bitboards instead of positions.
//! [`unpack_boards`](Backend::unpack_boards) converts the squares of bitboards to numbers, as neural networks take
//! them.
//!
//! With the feature `rayon`, `par_fill` computes any of them on several cores.
//!
//! These methods sum up the results of products or of any other calls:
//!
//! | sums | by square |
//! |---|---|
//! | [`count_squares`](Backend::count_squares) | the number of bitboards that hold it |
//! | [`sum_squares`](Backend::sum_squares) | the sum of its numbers |
//! | [`count_squares_by`](Backend::count_squares_by), [`sum_squares_by`](Backend::sum_squares_by) | the same for groups of positions |
//!
//! ```
//! use slider_attacks::Backend;
//! use slider_attacks::position::{Color, Positions};
//!
//! let mut positions = Positions::new();
//! positions.read_lines(b"4k3/8/8/8/8/8/8/R3K3 b Q -\n4k3/4r3/8/8/4N3/8/8/4K3 w - -\n")?;
//! let backend = Backend::active(); // the fastest one for this CPU
//! let mut maps = vec![0; positions.len()];
//! backend.attack_maps(&positions, Color::White, &mut maps)?;
//! let mut pinned = vec![0; positions.len()];
//! backend.pinned(&positions, Color::White, &mut pinned)?;
//!
//! assert_eq!(maps[0], 0x0101_0101_0101_393e); // a rook on a1 and a king on e1
//! assert_eq!(pinned, [0, 1 << 28]); // the knight on e4
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Definitions
//!
//! An attack is a square that a piece bears on, not a legal move. Some consequences may surprise you:
//!
//! - Products describe the board as it stands, except those that look past a move or an exchange: legal moves,
//!   exchanges, safe moves and safe checks. For these, moved pieces have left their squares and captured ones are gone.
//! - The side to move makes no difference, except for legal moves, status and keys.
//! - Pinned pieces attack and defend like all others.
//! - A piece attacks a square whatever stands there, so it attacks the pieces of its own side that it defends.
//! - Pawns attack their two diagonal squares whether or not there is something to capture. Their advances are not attacks.
//! - En passant counts only for legal moves, status and keys.
//! - A king attacks and defends like the other pieces, including on squares that it could not move to. A check is listed as a
//!   threat on the king.
//! - There is exactly one king per side: text with none or several is not read as a position.
//!
//! In tactics, a pawn is worth less than a knight or a bishop, and these are worth the same; then come the rook, the
//! queen and the king. A piece is undefended if no piece of its own side attacks its square. A motif is a property of
//! one position: whether it wins anything, or whether the forking piece can be captured, is not considered.
//!
//! # Laws
//!
//! All methods but `after` and those that make lists write one element per position to a slice `out`. As for
//! [`batch_attacks`](crate::batch_attacks), nothing is written on an error, zero positions are fine, and every backend
//! gives the same result. Time is linear in the number of positions. Nothing is allocated, and no branch or address
//! depends on the boards. There are exceptions. The time of `checkers` and `pinned` depends on the squares of kings and on
//! the sliders on their lines, that of `exchanges`, `winning_captures`, `trapped` and `safe_mobility` on the captures and
//! the moves, that of `targets` on the pieces that can move, and that of `keys` on the pieces and on captures en passant.
//! `threats`, `moves`, `checking_moves`, `mating_moves` and `after` allocate what their lists need, and their time depends
//! on the pieces as well. So does that of `perft`, which makes lists and positions.

mod exchanges;
mod keys;
mod king;
mod king_lines;
mod lanes;
mod maps;
mod moves;
#[cfg(feature = "rayon")]
mod parallel;
mod pawns;
mod polyglot;
#[macro_use] // those for directions, which `tactics` uses as well
mod products;
mod shared;
mod squares;
mod status;
mod tactics;
mod threats;
mod unpack;

pub use exchanges::{ExchangeRules, ParseValuesError, PieceValues, Pinned};
pub use keys::KeyKind;
pub(crate) use moves::after_counts::fill as after_counts;
pub(crate) use moves::{captures_en_passant, mask};
#[cfg(feature = "rayon")]
pub use parallel::par_fill;
pub use shared::{SetProduct, SetRequest};
pub use squares::{count_squares, sum_squares};
pub use status::Status;
pub use threats::{Threat, Threats};

use crate::moves::Moves;
use crate::position::{Color, PlanesError, PositionSlice};
use crate::{Backend, BatchError};

/// Some of the pieces on the board, as seen from one of them.
///
/// ```
/// use slider_attacks::analysis::Side;
///
/// assert_eq!("enemy".parse(), Ok(Side::Enemy));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The pieces of its own colour.
    Own,
    /// The pieces of the other colour.
    Enemy,
    /// All pieces.
    Any,
}

crate::error::names! { Side, 3: Own "own", Enemy "enemy", Any "any" }

/// A method for a product of one bitboard per position, as seen from a colour, with an example: a position, and the squares
/// that the product has for white.
///
/// The argument is converted to a slice. The inner function is not generic, so that it is compiled once, here, and not
/// at every call of the method.
macro_rules! of_color {
    ($(#[$doc:meta])+ $name:ident = $product:expr, $fen:literal => $($square:ident)+) => {
        $(#[$doc])+
        ///
        /// # Errors
        ///
        /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
        ///
        /// # Example
        ///
        /// ```
        /// use slider_attacks::position::{Color, Positions};
        /// use slider_attacks::{Backend, Square, Squares};
        ///
        /// let mut positions = Positions::new();
        #[doc = concat!("positions.push_fen(\"", $fen, " w - -\")?;")]
        /// let mut out = [0];
        #[doc = concat!("Backend::active().", stringify!($name), "(&positions, Color::White, &mut out)?;")]
        #[doc = concat!("assert!(Squares::from(out[0]).eq([", $("Square::", stringify!($square), ", ",)+ "]));")]
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        pub fn $name<'a>(
            self,
            positions: impl Into<PositionSlice<'a>>,
            color: Color,
            out: &mut [u64],
        ) -> Result<(), BatchError> {
            fn fill(
                backend: Backend,
                positions: PositionSlice<'_>,
                color: Color,
                out: &mut [u64],
            ) -> Result<(), BatchError> {
                lanes::fill(backend, $product, positions, color, out)
            }
            fill(self, positions.into(), color, out)
        }
    };
}

/// The products of positions. The module [`analysis`](crate::analysis) has an overview, the definitions, and the laws that
/// all of these methods obey.
// The other methods have such inner functions too.
impl Backend {
    of_color! {
        /// The squares that the pieces of `color` attack: `out[i]` is the union over the sliders, knights, pawns and king of
        /// position *i*.
        attack_maps = products::AttackMap, "4k3/8/8/8/8/8/P7/7K" => G1 G2 H2 B3
    }

    /// The attack maps of both colours, white's first, straight from arrays of bitboards:
    /// `pieces[color as usize][piece as usize][i]` are the squares of such pieces on board *i*.
    ///
    /// The results are those of [`push_arrays`](crate::position::Positions::push_arrays) and
    /// [`attack_maps`](Backend::attack_maps). A few boards take half of the time, because no positions are made.
    ///
    /// # Errors
    ///
    /// The arrays, those of `out` included, do not have the same length, two pieces share a square, or a colour does not have exactly
    /// one king: the error is that of [`push_arrays`](crate::position::Positions::push_arrays). Nothing has been written.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// let (none, kings) = ([0], [1 << 4]);
    /// let white: [&[u64]; 6] = [&none, &none, &none, &[1 << 0], &none, &kings];
    /// let black: [&[u64]; 6] = [&none, &none, &none, &none, &none, &[1 << 63]];
    /// let (mut of_white, mut of_black) = ([0], [0]);
    /// Backend::active().attack_maps_of_arrays([white, black], [&mut of_white, &mut of_black])?;
    /// assert_eq!((of_white, of_black), ([0x0101_0101_0101_393e], [0x40c0_0000_0000_0000]));
    /// # Ok::<(), slider_attacks::position::PlanesError>(())
    /// ```
    pub fn attack_maps_of_arrays(self, pieces: [[&[u64]; 6]; 2], mut out: [&mut [u64]; 2]) -> Result<(), PlanesError> {
        maps::fill(self, &pieces, &mut out)
    }

    /// Several sets at once. The results are those of the methods that [`SetProduct`] names.
    ///
    /// What the sets begin with, such as the attacks of all sliders, is computed once for 64 positions. Fewer, and the rest after the
    /// last 64, may share it among eight requests or more of both colours; calls on WebAssembly share nothing. Nor do requests of one
    /// product alone, except for hanging, overloaded and discovered pieces. The order of `requests` may change.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if a slice `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::analysis::{SetProduct, SetRequest};
    /// use slider_attacks::position::{Color, Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/4r3/8/8/4N3/8/8/4K3 w - -")?;
    /// let (mut pinned, mut hanging) = ([0], [0]);
    /// let requests = &mut [
    ///     SetRequest { product: SetProduct::Pinned, color: Color::White, out: &mut pinned },
    ///     SetRequest { product: SetProduct::Hanging, color: Color::White, out: &mut hanging },
    /// ];
    /// Backend::active().sets(&positions, requests)?;
    /// assert_eq!((pinned, hanging), ([1 << 28], [1 << 28])); // the knight on e4
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sets<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        requests: &mut [SetRequest<'_>],
    ) -> Result<(), BatchError> {
        shared::fill(self, positions.into(), requests)
    }

    /// The number of pieces of `color` that attack each square: `out[i][square]` in position *i*, a1 = 0, b1 = 1, …
    /// h8 = 63. It is at most 16.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::{Color, Positions};
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/8/8/8/8/8/R3K3 w Q -")?;
    /// let mut counts = [[0; 64]];
    /// Backend::active().attacker_counts(&positions, Color::White, &mut counts)?;
    /// assert_eq!(counts[0][usize::from(Square::D1.index())], 2); // the rook and the king
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attacker_counts<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        color: Color,
        out: &mut [[u8; 64]],
    ) -> Result<(), BatchError> {
        fn fill(
            backend: Backend,
            positions: PositionSlice<'_>,
            color: Color,
            out: &mut [[u8; 64]],
        ) -> Result<(), BatchError> {
            lanes::fill_numbers(backend, products::AttackerCounts, positions, color, out)
        }
        fill(self, positions.into(), color, out)
    }

    /// [`attacker_counts`](Backend::attacker_counts) as bitboards: bit *b* of the number of square *s* in position *i* is bit
    /// *s* of `out[b][i]`. That takes less time, and is all that sums need: see
    /// [`count_squares`](Backend::count_squares).
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if a slice of `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::{Color, Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/8/8/8/8/8/R3K3 w Q -")?;
    /// let mut planes = [[0; 1]; 5];
    /// Backend::active().attacker_count_planes(&positions, Color::White, planes.each_mut().map(|plane| &mut plane[..]))?;
    /// assert_eq!(planes[1], [0x0000_0000_0000_0008]); // two attackers: the rook and the king on d1
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attacker_count_planes<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        color: Color,
        out: [&mut [u64]; 5],
    ) -> Result<(), BatchError> {
        fn fill(
            backend: Backend,
            positions: PositionSlice<'_>,
            color: Color,
            out: [&mut [u64]; 5],
        ) -> Result<(), BatchError> {
            lanes::fill_planes(backend, products::AttackerCounts, positions, color, out)
        }
        fill(self, positions.into(), color, out)
    }

    /// The number of squares that each piece attacks and that hold no piece of its own colour: `out[i][square]` for the
    /// piece on `square` in position *i*, of either colour. It is 0 for an empty square, and at most 27.
    ///
    /// For sliders, knights and kings, these are the squares that they could move to if there were no checks and pins.
    /// Pawns count the squares that they attack, not those that they can advance to.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/8/8/R3K3 w - -")?;
    /// let mut mobility = [[0; 64]];
    /// Backend::active().mobility(&positions, &mut mobility)?;
    /// assert_eq!(mobility[0][usize::from(Square::A1)], 10); // seven on the file, three on the rank
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mobility<'a>(self, positions: impl Into<PositionSlice<'a>>, out: &mut [[u8; 64]]) -> Result<(), BatchError> {
        fn fill(backend: Backend, positions: PositionSlice<'_>, out: &mut [[u8; 64]]) -> Result<(), BatchError> {
            lanes::fill_numbers(backend, products::Mobility, positions, Color::White, out)
        }
        fill(self, positions.into(), out)
    }

    /// [`mobility`](Backend::mobility) as bitboards, in the form of
    /// [`attacker_count_planes`](Backend::attacker_count_planes).
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if a slice of `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/8/8/R3K3 w - -")?;
    /// let mut planes = [[0]; 5];
    /// Backend::active().mobility_planes(&positions, planes.each_mut().map(|plane| &mut plane[..]))?;
    /// assert_eq!(planes.map(|plane| plane[0] & 1), [0, 1, 0, 1, 0]); // ten for the rook on a1, lowest bit first
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mobility_planes<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        out: [&mut [u64]; 5],
    ) -> Result<(), BatchError> {
        fn fill(backend: Backend, positions: PositionSlice<'_>, out: [&mut [u64]; 5]) -> Result<(), BatchError> {
            lanes::fill_planes(backend, products::Mobility, positions, Color::White, out)
        }
        fill(self, positions.into(), out)
    }

    of_color! {
        /// The pieces that give check to the king of `color`: `out[i]` holds the pieces of the other colour that attack its
        /// square in position *i*. That may be the other king.
        checkers = products::Checkers, "4k3/8/8/8/4q3/8/8/4K3" => E4
    }

    of_color! {
        /// The pieces of `color` that are pinned to their king: `out[i]` holds the pieces of position *i* that stand alone
        /// between the king and a slider of the other colour, on a line along which that slider moves.
        pinned = products::PinnedPieces, "4k3/4r3/8/8/4N3/8/8/4K3" => E4
    }

    /// The squares that the sliders of `color` see through a piece. Where the first piece in a direction is one of
    /// `through`, they are the squares behind that piece, up to and including the next one. `out[i]` is the union over
    /// the directions and the sliders of position *i*.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::analysis::Side;
    /// use slider_attacks::position::{Color, Positions};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/P7/8/R6K w - -")?;
    /// let mut xrays = [0];
    /// Backend::active().xray_attacks(&positions, Color::White, Side::Own, &mut xrays)?;
    /// assert_eq!(xrays, [0x0101_0101_0100_0000]); // a4 to a8, behind the pawn
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn xray_attacks<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        color: Color,
        through: Side,
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        fn fill(
            backend: Backend,
            positions: PositionSlice<'_>,
            color: Color,
            through: Side,
            out: &mut [u64],
        ) -> Result<(), BatchError> {
            lanes::fill(backend, products::XRays { through }, positions, color, out)
        }
        fill(self, positions.into(), color, through, out)
    }

    of_color! {
        /// The pieces of `color` that hang: `out[i]` holds the pieces of position *i* that the other colour attacks and that no
        /// piece of `color` defends.
        ///
        /// The king is never among them: if it is attacked, it is in check. A piece that is defended by a pinned piece does
        /// not hang, and whether a capture pays is not considered.
        hanging = products::Hanging, "r3k3/8/8/8/8/8/N7/4K3" => A2
    }

    /// The gain of `color` by the capture of each enemy piece: `out[i][square]` for the piece on `square` in position
    /// *i*, in the values of `rules`. It is 0 if the capture gains nothing, and for a king; with the usual values at
    /// most 17.
    ///
    /// A static exchange evaluation, by the swap algorithm. `color` captures the piece with its least valuable
    /// attacker, and the other side recaptures with its own, and so on in turn. Before each capture, a side may stop,
    /// and each side plays its best option. The gain is the material that `color` has won minus the material it has
    /// lost in the end.
    ///
    /// - A slider joins once the piece in its way has captured, whichever side that piece belongs to.
    /// - Of pieces of the same value, pawns capture before knights, bishops, rooks and queens, in this order, and of pieces
    ///   of the same kind the one on the lowest square.
    /// - The king captures last, and only if no enemy piece attacks the square after it has left its own.
    /// - A pawn that captures on the last rank becomes a queen, and is worth one from then on.
    ///
    /// Source: "SEE - The Swap Algorithm", <https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm>.
    ///
    /// Time is linear in the number of captures in the positions, and depends on how many pieces take part in them.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::analysis::ExchangeRules;
    /// use slider_attacks::position::{Color, Positions};
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/1n6/3p4/8/4N3/8/3RK3 w - -")?; // two attackers, one defender
    /// let mut gains = [[0; 64]];
    /// let rules = ExchangeRules::default();
    /// Backend::active().exchanges(&positions, Color::White, rules, &mut gains)?;
    /// assert_eq!(gains[0][usize::from(Square::D5.index())], 1); // NxP NxN RxN: a pawn and a knight for a knight
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "see")]
    #[doc(alias = "static exchange evaluation")]
    pub fn exchanges<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        color: Color,
        rules: ExchangeRules,
        out: &mut [[u8; 64]],
    ) -> Result<(), BatchError> {
        exchanges::gains(self, positions.into(), color, rules, out)
    }

    /// The gains of both colours, White first, as by two calls of [`exchanges`](Backend::exchanges). The attackers of one
    /// colour are the defenders of the other, and are found once.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if an element of `out` does not have one element per position. Nothing has been written.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::analysis::ExchangeRules;
    /// use slider_attacks::position::{Color, Positions};
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/1n6/3p4/8/4N3/8/3RK3 w - -")?;
    /// let (mut white, mut black) = ([[0; 64]], [[0; 64]]);
    /// Backend::active().exchanges_of_both(&positions, ExchangeRules::default(), [&mut white, &mut black])?;
    /// assert_eq!((white[0][usize::from(Square::D5.index())], black), (1, [[0; 64]]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exchanges_of_both<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        rules: ExchangeRules,
        out: [&mut [[u8; 64]]; 2],
    ) -> Result<(), BatchError> {
        exchanges::gains_of_both(self, positions.into(), rules, out)
    }

    /// The enemy pieces whose capture by `color` wins material: `out[i]` holds the squares of position *i* that have a gain
    /// in [`exchanges`](Backend::exchanges).
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::analysis::ExchangeRules;
    /// use slider_attacks::position::{Color, Positions};
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/1n6/3p4/8/4N3/8/3RK3 w - -")?;
    /// let mut wins = [0];
    /// Backend::active().winning_captures(&positions, Color::White, ExchangeRules::default(), &mut wins)?;
    /// assert_eq!(wins, [Square::D5.bitboard()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn winning_captures<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        color: Color,
        rules: ExchangeRules,
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        exchanges::wins(self, positions.into(), color, rules, out)
    }

    of_color! {
        /// The pieces of `color` that fork: `out[i]` holds the pieces of position *i* that attack two or more enemy pieces, each of
        /// which is worth more than the piece itself or undefended.
        ///
        /// The enemy king is worth more than all others. A king forks undefended pieces only, and never the other king. Pawns
        /// can be among the pieces that are forked.
        ///
        /// The tagger of Lichess's puzzles (`cook.py` in <https://github.com/ornicar/lichess-puzzler>) has the same condition on
        /// the two pieces, but asks only about the piece that has just moved, and leaves out kings that fork, pawns that are
        /// forked, and, in later versions, pieces that could be captured at a profit. The Chess Programming Wiki has no such condition: one piece attacks two or more
        /// (<https://www.chessprogramming.org/Double_Attack>).
        forks = tactics::Forks, "r3k3/2N5/8/8/8/8/8/4K3" => C7
    }

    of_color! {
        /// The enemy pieces that `color` skewers: `out[i]` holds the enemy pieces of position *i* that a slider of `color`
        /// attacks, and behind which the next piece on the same line is an enemy piece that is worth less or the same.
        ///
        /// The piece in front may be the king. The value of the slider does not matter, nor whether the pieces are
        /// defended. Pieces of equal value are skewered in Wikipedia as well
        /// (<https://en.wikipedia.org/wiki/Skewer_(chess)>). For the tagger of Lichess's puzzles (`cook.py`), the piece
        /// behind is worth less, and is captured after the other has moved away.
        skewers = tactics::Skewers, "4q3/8/8/4k3/8/8/8/K3R3" => E5
    }

    of_color! {
        /// The pieces of `color` that are pinned to a piece other than their king: `out[i]` holds the pieces of
        /// position *i* that an enemy slider attacks, and behind which the next piece on the same line is one of their
        /// side that is worth more.
        ///
        /// The piece behind is not the king: [`pinned`](Backend::pinned) finds pieces pinned to the king, and one piece
        /// may be in both sets. The value of the slider does not matter, nor whether the piece behind is defended: a
        /// queen pins a knight to a rook. That is the relative pin of Wikipedia
        /// (<https://en.wikipedia.org/wiki/Pin_(chess)>). The tagger of Lichess's puzzles (`cook.py`) only has pins to
        /// the king.
        relatively_pinned = tactics::RelativelyPinned, "4k3/8/8/8/6b1/5N2/8/3Q3K" => F3
    }

    of_color! {
        /// The pieces of `color` that can discover an attack: `out[i]` holds the pieces of position *i* that stand alone between a
        /// slider of `color` and an enemy piece which is worth more than the slider or undefended, on a line along which the
        /// slider moves.
        ///
        /// The enemy king is worth more than all others: a check would be discovered. Whether the piece between has a
        /// move that leaves the line is not considered. The tagger of Lichess's puzzles (`cook.py`) looks at the moves
        /// instead: a check by a piece other than the one that has moved, or any capture along the line that a piece
        /// has left.
        discovered = tactics::Discovered, "4k3/8/8/8/4N3/8/8/K3R3" => E4
    }

    of_color! {
        /// The sliders of `color` that stand in a battery: `out[i]` holds the sliders of position *i* that another slider of `color`
        /// defends along a line on which both move. So the two defend each other, such as two rooks on a file with nothing between
        /// them, or a queen and a bishop on a diagonal.
        ///
        /// Their target does not matter, as in Wikipedia (<https://en.wikipedia.org/wiki/Battery_(chess)>). It also
        /// names authors who call a piece in front of a slider and the enemy king a battery: see
        /// [`discovered`](Backend::discovered).
        batteries = tactics::Batteries, "4k3/8/8/8/8/8/3R4/K2R4" => D1 D2
    }

    of_color! {
        /// The pieces of `color` that are overloaded: `out[i]` holds the pieces of position *i* that are the only defender of two or
        /// more pieces of their side, each of them attacked by the enemy.
        ///
        /// The king may be overloaded, and is not among the pieces that need a defender. Whether a capture pays is not considered.
        overloaded = tactics::Overloaded, "r3r2k/8/8/N7/8/8/7K/R3N3" => A1
    }

    /// The pieces of `color` that are trapped: `out[i]` holds the knights, bishops, rooks and queens of position *i* that the
    /// other side would win by an exchange where they stand, and also wherever they could move.
    ///
    /// A piece is lost on its square if it is among the [`winning_captures`](Backend::winning_captures) of the other side. A move
    /// leads to a square that the piece attacks and that holds none of its own side; checks and pins are not considered,
    /// unless `rules` keep pinned pieces on the line of their pin. After the move, the other side may begin an exchange on
    /// that square, with the pins as they are then. The move is safe if that gains no more than the move itself has captured.
    ///
    /// The tagger of Lichess's puzzles (`cook.py`) looks at one capture, not at an exchange: a piece is lost where it
    /// is attacked, and either undefended or attacked by a piece that is worth less. It tries legal moves, and does not
    /// call a piece trapped if it is pinned, if it can capture a piece of its own value, or if its king is in check.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::analysis::ExchangeRules;
    /// use slider_attacks::position::{Color, Positions};
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("r3k3/B1p5/1p6/8/8/8/8/4K3 w - -")?;
    /// let mut trapped = [0];
    /// Backend::active().trapped(&positions, Color::White, ExchangeRules::default(), &mut trapped)?;
    /// assert_eq!(trapped, [Square::A7.bitboard()]); // pawns guard b6, and the rook b8
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trapped<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        color: Color,
        rules: ExchangeRules,
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        exchanges::trapped(self, positions.into(), color, rules, out)
    }

    /// The number of safe moves of each knight, bishop, rook and queen: `out[i][square]` for the piece on `square` in position
    /// *i*, of either colour. It is at most 27, and 0 for an empty square, and for pawns and kings.
    ///
    /// These are the squares of [`mobility`](Backend::mobility), except for that of the enemy king, where the other side does
    /// not win the piece by an exchange, as in [`trapped`](Backend::trapped).
    ///
    /// Time is linear in the number of moves to squares that the other side attacks.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::analysis::ExchangeRules;
    /// use slider_attacks::position::Positions;
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/8/8/8/2p1p3/8/N3K3 w - -")?; // b3 is safe, c2 as well
    /// let mut moves = [[0; 64]];
    /// Backend::active().safe_mobility(&positions, ExchangeRules::default(), &mut moves)?;
    /// assert_eq!(moves[0][usize::from(Square::A1.index())], 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn safe_mobility<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        rules: ExchangeRules,
        out: &mut [[u8; 64]],
    ) -> Result<(), BatchError> {
        exchanges::safe_mobility(self, positions.into(), rules, out)
    }

    of_color! {
        /// The passed pawns of `color`: `out[i]` holds its pawns of position *i* that have no pawn of the other colour in front of
        /// them, neither on their own nor on an adjacent file.
        ///
        /// A pawn is passed even if another one of its own side stands in front of it. Some engines leave such pawns out.
        ///
        /// Source: "Passed Pawn", <https://www.chessprogramming.org/Passed_Pawn>.
        passed_pawns = pawns::PassedPawns, "4k3/5p2/8/3P4/8/6P1/8/4K3" => D5
    }

    of_color! {
        /// The isolated pawns of `color`: `out[i]` holds its pawns of position *i* that have no pawn of their own side on
        /// adjacent files.
        ///
        /// Source: "Isolated Pawn", <https://www.chessprogramming.org/Isolated_Pawn>.
        isolated_pawns = pawns::Isolated, "4k3/8/8/8/8/8/PP1P4/4K3" => D2
    }

    of_color! {
        /// The doubled pawns of `color`: `out[i]` holds its pawns of position *i* that share their file with another one of their own
        /// side. All pawns of the file are in the set, whether they stand close together or not; some engines count only the one
        /// behind.
        ///
        /// Source: "Doubled Pawn", <https://www.chessprogramming.org/Doubled_Pawn>.
        doubled_pawns = pawns::Doubled, "4k3/8/8/8/P7/8/P2P4/4K3" => A2 A4
    }

    of_color! {
        /// The backward pawns of `color`: `out[i]` holds its pawns of position *i* for which a pawn of the other colour attacks the
        /// square in front, and no pawn of their own side does so, now or after it has advanced.
        ///
        /// The second condition means that all pawns on adjacent files have advanced further. There may be none: an
        /// isolated pawn can be backward. Stockfish excludes isolated pawns, and includes pawns blocked by a pawn.
        ///
        /// Source: "Backward Pawn", <https://www.chessprogramming.org/Backward_Pawn>.
        backward_pawns = pawns::Backward, "4k3/8/8/4p3/2P5/3P4/8/4K3" => D3
    }

    of_color! {
        /// The outposts of `color`: `out[i]` holds the squares of position *i* that a pawn of `color` attacks and that no pawn of
        /// the other colour attacks, now or after it has advanced. They are on ranks 4 to 6 as `color` counts them. Any piece may
        /// stand there, or none.
        ///
        /// An enemy pawn counts as one that can advance, whatever stands in its way.
        ///
        /// Source: "Outposts", <https://www.chessprogramming.org/Outposts>. The ranks are those of Stockfish.
        outposts = pawns::Outposts, "4k3/2p5/8/8/4P3/8/8/4K3" => F5
    }

    of_color! {
        /// The pieces that attack the king of `color` or a square next to it: `out[i]` holds such pieces of the other colour in
        /// position *i*, which may include the other king.
        ///
        /// Source: "King Safety", "Attacking King Zone", <https://www.chessprogramming.org/King_Safety>. There, the zone also has some
        /// squares further in front of the king.
        king_ring = king::KingRing, "4k3/8/8/8/8/8/r7/4K3" => A2
    }

    of_color! {
        /// The squares for safe checks by `color`: `out[i]` holds the squares of position *i* to which a knight, bishop, rook or
        /// queen of `color` can go so that, on the board after the move, the piece attacks the king of the other colour and no
        /// piece of the other colour attacks the piece.
        ///
        /// The piece has left its square, and a captured piece is gone. So a slider that gives check already may go on
        /// giving check from behind its old square, and it is not safe to move straight away from an enemy slider that
        /// attacks it.
        ///
        /// A move leads to a square that the piece attacks and that holds none of its own side. It need not be legal:
        /// the side to move, pins, and checks on its own king are ignored. Pawns do not count, nor castling, nor checks
        /// by other pieces that the move uncovers. All enemy pieces count as attackers: pinned ones, and the king, so a
        /// check next to it is not safe.
        ///
        /// Source: "King Safety", <https://www.chessprogramming.org/King_Safety>.
        safe_checks = king::SafeChecks, "4k3/8/8/8/8/8/8/R6K" => E1 A8
    }

    /// The number of legal moves of the side to move in each position. Zero is checkmate or stalemate; the most in a game is
    /// 218.
    ///
    /// A move is legal if no enemy piece attacks the king of the side to move after it.
    ///
    /// - Each of the four promotions counts, and so do castling and en passant.
    /// - The king castles with the outermost rook on a side that has the right: `K` and `Q` are rights of any rook on that side of
    ///   the king, letters of files those of one rook. The king may stand on any square of its first rank (Chess960). A right
    ///   without its king or rook gives no move.
    /// - A pawn captures en passant on the square that the position names, if an enemy pawn can have passed it: the square is on
    ///   the sixth rank as seen from the side to move, it and the one behind it are empty, and the pawn stands in front of it.
    /// - Pawns advance two squares from their second rank only.
    ///
    /// Positions that no game reaches have legal moves by the same rules. No move captures a king, even if the side to move
    /// gives check.
    ///
    /// Source: "Legal Move", <https://www.chessprogramming.org/Legal_Move>.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
    /// positions.push_fen(b"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")?; // checkmate
    /// let mut moves = [0; 2];
    /// Backend::active().legal_moves(&positions, &mut moves)?;
    /// assert_eq!(moves, [20, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "perft")]
    pub fn legal_moves<'a>(self, positions: impl Into<PositionSlice<'a>>, out: &mut [u16]) -> Result<(), BatchError> {
        moves::fill(self, moves::LegalMoves, positions.into(), out)
    }

    /// Which positions have a status: 1 if so, else 0.
    ///
    /// Legal moves are those of [`legal_moves`](Backend::legal_moves), checks those of [`checkers`](Backend::checkers).
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::analysis::Status;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("7k/5Q2/6K1/8/8/8/8/8 b - -")?;
    /// let mut is_stalemate = [0];
    /// Backend::active().status(&positions, Status::Stalemate, &mut is_stalemate)?;
    /// assert_eq!(is_stalemate, [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn status<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        status: Status,
        out: &mut [u16],
    ) -> Result<(), BatchError> {
        status::fill(self, positions.into(), status, out)
    }

    /// The key of each position: 64 bits that are the same for positions that `kind` makes equal, on every backend and CPU. The two
    /// counters of FEN make no difference.
    ///
    /// - A right to castle counts if its king and rook stand where [`legal_moves`](Backend::legal_moves) has them: `KQkq` and
    ///   `HAha` are equal if the rooks are in the corners. An en passant square counts if a pawn can have passed it.
    /// - Keys other than Polyglot's are hashes of this library. They may change when the second number of its version does, or the
    ///   first.
    /// - Different positions have the same key as rarely as random numbers are equal: among a billion positions, 0.03 pairs are
    ///   expected, among ten billion 2.7. Whoever chooses positions can make keys collide: they are no protection.
    /// - All bits depend on the whole position, so any of them may select a place in a table.
    ///
    /// Source of Polyglot's keys: "Book format of PolyGlot", <http://hgm.nubati.net/book_format.html>.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::analysis::KeyKind;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")?;
    /// positions.push_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 5 6")?; // nothing can capture on e3
    /// positions.push_fen("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?; // the colours are swapped
    ///
    /// let mut keys = [0; 3];
    /// Backend::active().keys(&positions, KeyKind::Position, &mut keys)?;
    /// assert!(keys[0] == keys[1] && keys[0] != keys[2]);
    /// Backend::active().keys(&positions, KeyKind::Canonical, &mut keys)?;
    /// assert!(keys[0] == keys[1] && keys[0] == keys[2]);
    /// Backend::active().keys(&positions, KeyKind::Polyglot, &mut keys)?;
    /// assert_eq!(keys[0], 0x823c_9b50_fd11_4196);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "zobrist")]
    #[doc(alias = "hash")]
    pub fn keys<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        kind: KeyKind,
        out: &mut [u64],
    ) -> Result<(), BatchError> {
        keys::fill(self, positions.into(), kind, out)
    }

    /// The legal moves of the side to move in each position, as [`legal_moves`](Backend::legal_moves) defines them.
    ///
    /// `out` is overwritten, and keeps its memory. The moves of a position are ordered by their start, then by their target, then
    /// by the piece of a promotion: knight, bishop, rook, queen. Squares are ordered from a1 to h8, whichever side moves. The
    /// target of castling is the rook's square, in chess as in Chess960: see [`MoveKind::Castling`](crate::moves::MoveKind).
    ///
    /// Time is linear in the number of positions and of moves. Positions are taken 64 at a time, so calls for fewer take longer
    /// per position.
    ///
    /// Source: the legal moves are computed as sets, as in "Legal Move", <https://www.chessprogramming.org/Legal_Move>.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::moves::Moves;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/8/8/7P/4K2R w K -")?;
    /// positions.push_fen("k7/2K4P/8/8/8/8/8/8 w - -")?;
    /// let mut moves = Moves::new();
    /// Backend::active().moves(&positions, &mut moves);
    ///
    /// let names: Vec<String> = moves[0].iter().map(|mv| mv.to_string()).collect();
    /// let names = names.join(" ");
    /// assert_eq!(names, "e1d1 e1f1 e1h1 e1d2 e1e2 e1f2 h1f1 h1g1 h2h3 h2h4");
    /// assert_eq!(moves[1][moves[1].len() - 1].to_string(), "h7h8q");
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    #[doc(alias = "movegen")]
    pub fn moves<'a>(self, positions: impl Into<PositionSlice<'a>>, out: &mut Moves) {
        fn fill(backend: Backend, positions: PositionSlice<'_>, out: &mut Moves) {
            out.clear();
            moves::lists::fill(backend, positions, moves::lists::Out::Moves(out));
        }
        fill(self, positions.into(), out);
    }

    /// The [legal moves](Backend::moves) that give check: after them, a piece attacks the king of the other side, whether it has moved
    /// or not.
    ///
    /// `out` is overwritten, and keeps its memory. The order is that of [`moves`](Backend::moves). If a king is attacked although the
    /// other side is to move, which happens in no game, all moves that leave it attacked are in the list.
    ///
    /// Source: "Check", <https://www.chessprogramming.org/Check>.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::moves::Moves;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/8/8/8/4N3/8/8/4R1K1 w - -")?; // wherever the knight goes, the rook gives check
    /// positions.push_fen("5k2/8/8/8/8/8/8/4K2R w K -")?;
    /// let mut moves = Moves::new();
    /// Backend::active().checking_moves(&positions, &mut moves);
    ///
    /// let names: Vec<String> = moves[1].iter().map(|mv| mv.to_string()).collect();
    /// assert_eq!(names, ["e1h1", "h1f1", "h1h8"]); // the first one is castling
    /// assert_eq!(moves[0].len(), 8);
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn checking_moves<'a>(self, positions: impl Into<PositionSlice<'a>>, out: &mut Moves) {
        fn fill(backend: Backend, positions: PositionSlice<'_>, out: &mut Moves) {
            out.clear();
            moves::lists::fill(backend, positions, moves::lists::Out::Checks(out));
        }
        fill(self, positions.into(), out);
    }

    /// The [legal moves](Backend::moves) that give checkmate: the [checking moves](Backend::checking_moves) after which the other side
    /// has no legal move.
    ///
    /// `out` is overwritten, and keeps its memory. The order is that of [`moves`](Backend::moves). While this computes, it needs 2
    /// bytes per checking move.
    ///
    /// Source: "Checkmate", <https://www.chessprogramming.org/Checkmate>.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::moves::Moves;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - -")?;
    /// positions.push_fen("6k1/5pp1/8/8/8/8/8/R5K1 w - -")?; // the king escapes to h7
    /// let mut moves = Moves::new();
    /// Backend::active().mating_moves(&positions, &mut moves);
    /// assert_eq!(moves[0][0].to_string(), "a1a8");
    /// assert!(moves[0].len() == 1 && moves[1].is_empty());
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    #[doc(alias = "mate in one")]
    pub fn mating_moves<'a>(self, positions: impl Into<PositionSlice<'a>>, out: &mut Moves) {
        fn fill(backend: Backend, positions: PositionSlice<'_>, out: &mut Moves) {
            backend.checking_moves(positions, out);
            backend.keep_mates(positions, out);
        }
        fill(self, positions.into(), out);
    }

    /// [`checking_moves`](Backend::checking_moves) and [`mating_moves`](Backend::mating_moves), which begin with the same lists.
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks::moves::Moves;
    /// use slider_attacks::position::Positions;
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("7k/R7/6K1/8/8/8/8/8 w - -")?;
    /// let (mut checks, mut mates) = (Moves::new(), Moves::new());
    /// Backend::active().checking_and_mating_moves(&positions, &mut checks, &mut mates);
    /// assert_eq!((checks[0].len(), mates[0].len()), (2, 1)); // a7a8 and a7h7
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn checking_and_mating_moves<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        checks: &mut Moves,
        mates: &mut Moves,
    ) {
        let positions = positions.into();
        self.checking_moves(positions, checks);
        mates.clear();
        mates.append(checks);
        self.keep_mates(positions, mates);
    }

    /// Leaves the moves to which there is no reply.
    fn keep_mates(self, positions: PositionSlice<'_>, checks: &mut Moves) {
        let mut replies = vec![0; checks.as_slice().len()];
        after_counts(self, positions, checks, &mut replies);
        checks.retain(|at| replies[at] == 0);
    }

    /// The squares to which each piece of the side to move may go: `out[i][square]` holds the targets of the legal moves of the
    /// piece on `square` in position *i*, as [`moves`](Backend::moves) has them. It is empty for an empty square, and for the
    /// pieces of the other side.
    ///
    /// The four promotions of a pawn to one square are one target. The targets of a king that can castle include the square of
    /// the rook.
    ///
    /// # Errors
    ///
    /// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::position::Positions;
    /// use slider_attacks::{Backend, Square, Squares};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen("4k3/4r3/8/8/8/8/4R3/4K3 w - -")?;
    /// let mut targets = [[0; 64]];
    /// Backend::active().targets(&positions, &mut targets)?;
    /// let of_rook = Squares::from(targets[0][usize::from(Square::E2)]); // which is pinned
    /// assert!(of_rook.eq([Square::E3, Square::E4, Square::E5, Square::E6, Square::E7]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # AlphaZero's 4,672 moves
    ///
    /// Networks after AlphaZero number moves by start and by one of 73 planes, as the side to move sees them: 8 directions by 7
    /// distances of a queen, which are those of all pieces but knights and include promotions to a queen; 8 moves of a knight;
    /// and 3 directions of other promotions by 3 pieces. Programs order the planes differently. Here, directions go clockwise
    /// from straight ahead, and knights from two ranks ahead and one file to the right:
    ///
    /// ```
    /// use slider_attacks::moves::{Move, MoveKind};
    /// use slider_attacks::position::{Color, Piece};
    /// use slider_attacks::Square;
    ///
    /// const QUEEN: [[i32; 2]; 8] = [[0, 1], [1, 1], [1, 0], [1, -1], [0, -1], [-1, -1], [-1, 0], [-1, 1]];
    /// const KNIGHT: [[i32; 2]; 8] = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];
    ///
    /// fn number(mv: Move, side: Color) -> usize {
    ///     // Black sees the board upside down.
    ///     let seen = |square: Square| i32::from(square.index() ^ if side == Color::Black { 0o70 } else { 0 });
    ///     let (start, mut target) = (seen(mv.start()), seen(mv.target()));
    ///     if mv.kind() == MoveKind::Castling {
    ///         target = if target > start { start + 2 } else { start - 2 };
    ///     }
    ///     let step = [target % 8 - start % 8, target / 8 - start / 8];
    ///     let plane = match mv.promoted() {
    ///         Some(piece) if piece != Piece::Queen => 64 + 3 * (step[0] + 1) as usize + piece as usize - 1,
    ///         _ => match KNIGHT.iter().position(|knight| *knight == step) {
    ///             Some(knight) => 56 + knight,
    ///             None => {
    ///                 let direction = step.map(i32::signum);
    ///                 let place = QUEEN.iter().position(|queen| *queen == direction).expect("the piece moves");
    ///                 7 * place + step[0].abs().max(step[1].abs()) as usize - 1
    ///             }
    ///         },
    ///     };
    ///     73 * start as usize + plane
    /// }
    ///
    /// let castling = Move::new(Square::E8, Square::H8, MoveKind::Castling);
    /// assert_eq!(number(castling, Color::Black), 73 * 4 + 7 * 2 + 1); // two squares to the right
    /// let promotion = Move::promotion(Square::A7, Square::B8, Piece::Rook);
    /// assert_eq!(number(promotion, Color::White), 73 * 48 + 64 + 3 * 2 + 2); // to the right, the third piece
    /// ```
    pub fn targets<'a>(self, positions: impl Into<PositionSlice<'a>>, out: &mut [[u64; 64]]) -> Result<(), BatchError> {
        fn fill(backend: Backend, positions: PositionSlice<'_>, out: &mut [[u64; 64]]) -> Result<(), BatchError> {
            lanes::lengths_match(positions, out.len())?;
            moves::lists::fill(backend, positions, moves::lists::Out::Targets(out));
            Ok(())
        }
        fill(self, positions.into(), out)
    }

    /// The threats: for every piece of `colors`, the pieces among `victims` that it attacks. A piece that attacks one
    /// of its own side defends it.
    ///
    /// `out` is overwritten, and keeps its memory. The threats of a position are ordered by the colour of the attacker, as
    /// in `colors`, then by its kind, pawns first, then by its square, then by the square of the victim.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::analysis::{Side, Threat, Threats};
    /// use slider_attacks::position::{Color, Piece, Positions};
    /// use slider_attacks::{Backend, Square};
    ///
    /// let mut positions = Positions::new();
    /// positions.push_fen(b"4k3/8/8/p7/8/8/8/R3K3 w Q -")?;
    /// let mut threats = Threats::new();
    /// Backend::active().threats(&positions, &Color::ALL, Side::Enemy, &mut threats);
    ///
    /// let rook_on_pawn = Threat {
    ///     attacker: (Color::White, Piece::Rook),
    ///     attacker_square: Square::A1,
    ///     victim: (Color::Black, Piece::Pawn),
    ///     victim_square: Square::A5,
    /// };
    /// assert_eq!(threats[0], [rook_on_pawn]);
    /// # Ok::<(), slider_attacks::position::FenError>(())
    /// ```
    pub fn threats<'a>(
        self,
        positions: impl Into<PositionSlice<'a>>,
        colors: &[Color],
        victims: Side,
        out: &mut Threats,
    ) {
        threats::fill(self, positions.into(), colors, victims, out);
    }
}
