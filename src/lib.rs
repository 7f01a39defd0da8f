//! Attack sets of sliding chess pieces for whole arrays of (square, occupancy) pairs, with the vector instructions of the
//! CPU that the program runs on.
//!
//! ```
//! use slider_attacks::batch_attacks;
//!
//! let squares = [3, 27, 59]; // queens on d1, d4 and d8; a1 = 0, b1 = 1, … h8 = 63
//! let occs = [0xffff_0000_0000_ffff; 3]; // the pieces on each board: here, none has moved
//! let mut attacks = [0; 3];
//! batch_attacks(&squares, &occs, &mut attacks)?;
//!
//! assert_eq!(attacks[0], 0x0000_0000_0000_1c14);
//! # Ok::<(), slider_attacks::BatchError>(())
//! ```
//!
//! # Overview
//!
//! | you have | you want | use |
//! |---|---|---|
//! | pairs of square and occupancy | attack sets | [`batch_attacks`], [`batch_rook_attacks`], [`batch_bishop_attacks`] |
//! | sets of sliders and occupancies | the union of their attacks | [`batch_attack_sets`] |
//! | one pair, or one set | its attacks, also in a `const` | [`queen_attacks`], [`rook_attacks`], [`bishop_attacks`], [`set_attacks`] |
//! | FEN or EPD text | arrays of bitboards | [`position`] |
//! | a file of FEN or EPD | arrays of bitboards | [`Positions::read_lines_from`](position::Positions::read_lines_from) |
//! | PGN, records of engines | arrays of bitboards | the crate `slider-attacks-games` |
//! | your own bitboards | arrays of positions | [`Positions::push_boards`](position::Positions::push_boards), [`push_arrays`](position::Positions::push_arrays), [`push_planes`](position::Positions::push_planes) |
//! | your own bitboards | attack maps of both colours, without positions | [`Backend::attack_maps_of_arrays`] |
//! | positions | attack maps, pins, mobility, exchanges, tactics, pawns, legal moves, keys, threats | [`analysis`] |
//! | positions | lists of legal moves, and the positions after them | [`moves`] |
//! | arrays | to choose or compare instruction sets | [`Backend`] |
//! | a bitboard | its squares | [`Squares`] |
//! | a bitboard | to flip, mirror or rotate it | [`flip`] |
//!
//! To learn how it works:
//!
//! | you have | you want | use |
//! |---|---|---|
//! | one pair | to see how nine methods compute it | [`methods`] |
//! | a bitboard | other ways to flip it; to draw it | [`flip::alternatives`], [`diagram`] |
//! | a method of your own | to check that it is right | [`verify`], [`reference`](mod@reference) |
//!
//! # Conventions
//!
//! A bitboard is a `u64`. Bit *i* is the square with the number *i*: a1 = 0, b1 = 1, … h8 = 63, so the file is `i & 7` and
//! the rank is `i >> 3`.
//!
//! An attack set holds every square from the slider up to and including the first occupied one in each direction,
//! whatever the colour of the piece there. It never holds the slider's own square, and whether the occupancy holds that
//! square makes no difference.
//!
//! A parameter `occ` is one occupancy, and `occs` is a slice of them. Fields, methods and error messages spell out
//! `occupancies`.
//!
//! # What may change
//!
//! Errors with public variants or fields are `#[non_exhaustive]`, because a later version may report more about the
//! input. Enums of chess terms, such as [`Slider`], [`Line`](line::Line) or [`Piece`](position::Piece), and the structs
//! [`Threat`](analysis::Threat) and [`ExchangeRules`](analysis::ExchangeRules) are not, because they are complete. All other
//! types have private fields. The file
//! `tests/checks/public-api.txt` lists every public item.
//!
//! # Build profiles
//!
//! Built for speed, the chosen backend takes 0.3 to 0.6 ns per queen with AVX-512 and 0.7 with AVX2, where scalar code
//! takes 2. With `opt-level = "s"` it takes the same, with `"z"` up to 2.2 times as long; but products of positions,
//! such as [`Backend::attack_maps`], take up to 18 and 23 times as long, because their loops are not vectorised. With
//! `lto = "off"`, whose builds take 0.82 of the processor time, programs that compute products take 1.9 to 4.2 times as
//! long, because calls within the library remain. In debug builds, everything takes 25 to 400 times as long, and vector
//! backends are slower than scalar code. These lines in the `Cargo.toml` of your program restore the speed of a release
//! build in any profile with another `lto`:
//!
//! ```toml
//! [profile.dev.package.slider-attacks] # and the same for `release`, if that is built for size
//! opt-level = 3
//! debug-assertions = false
//! overflow-checks = false
//! ```
//!
//! # Platforms and threads
//!
//! The library needs `std`, to ask for CPU features. It computes the same on every target that has `std`: with vector
//! instructions on x86-64 and 64-bit ARM, and with [`Backend::scalar`] elsewhere, such as on wasm32 and big-endian
//! CPUs. Byte order matters only in records of engines, which are little-endian.
//!
//! All types are `Send` and `Sync`, and calls share no mutable state. Any number of threads may call at once, each with
//! its own `out`: a part of an array, by `chunks_mut`, for a part of the positions, by
//! [`Positions::slice`](position::Positions::slice).
//!
//! # Features
//!
//! - `rayon`, off by default: `par_batch_attacks`, its queen, rook and bishop forms, `par_batch_attack_sets`, the same as
//!   methods of `Backend`, and [`analysis::par_fill`] for products of positions. They share the work of one call among the
//!   threads of a rayon pool.
//! - `serde`, off by default: `Serialize` and `Deserialize` for types that have a text form, as that text: squares (`"e4"`),
//!   positions (as FEN), castling rights, piece values, backends, and the enums of names such as [`Slider`].

#![deny(missing_docs)]
#![warn(clippy::must_use_candidate)]
#![cfg_attr(docsrs, feature(doc_cfg))] // docs.rs shows what needs a feature

// The first, so that `Backend::active` is the first method of `Backend` in the documentation.
#[expect(unsafe_code, reason = "vector instructions, and entries that only some CPUs can run")]
mod batch;

pub mod analysis;
pub mod diagram;
pub mod flip;
pub mod line;
pub mod methods;
#[expect(unsafe_code, reason = "a move is 16 bits, and any of them are a move")]
pub mod moves;
pub mod position;
pub mod reference;
pub mod verify;

mod error;
mod lists;
#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "../proof/kernels/mod.rs"]
mod proof;
mod rays;
#[cfg(feature = "serde")]
mod serde;
mod slider;
#[expect(unsafe_code, reason = "a checked byte is a square, which needs no second check")]
mod square;
mod table;

pub use batch::backend::Backend;
pub use batch::backend::names::ParseBackendError;
pub use batch::backend::select::Cpu;
#[doc(hidden)]
pub use batch::bits::{BitOperations, BitTask};
#[doc(hidden)]
pub use batch::lists::{SquareListing, room_vec};
#[doc(hidden)]
pub use batch::squares::{SquareTask, SquareVectors};
pub use batch::{
    SliderArrays, batch_attack_sets, batch_attacks, batch_bishop_attacks, batch_queen_attacks, batch_rook_attacks,
};
#[cfg(feature = "rayon")]
pub use batch::{
    par_batch_attack_sets, par_batch_attacks, par_batch_bishop_attacks, par_batch_queen_attacks, par_batch_rook_attacks,
};
pub use error::{BatchError, ParseNameError};
pub use lists::{Lists, ListsIter};
/// ```
/// use slider_attacks::{Square, Squares, bishop_attacks};
///
/// let attacks = bishop_attacks(Square::C1, Square::B2.bitboard() | Square::E3.bitboard());
/// assert!(Squares::from(attacks).eq([Square::B2, Square::D2, Square::E3]));
/// ```
#[doc(inline)]
pub use methods::fill_up::bishop_attacks;
/// ```
/// use slider_attacks::{Square, queen_attacks};
///
/// const ON_D4: u64 = queen_attacks(Square::D4, 0); // computed by the compiler
/// assert_eq!(ON_D4.count_ones(), 27);
/// ```
#[doc(inline)]
pub use methods::fill_up::queen_attacks;
/// ```
/// use slider_attacks::{Square, rook_attacks};
///
/// assert_eq!(rook_attacks(Square::A1, 0x0108), 0x010e); // to d1, and to a2
/// ```
#[doc(inline)]
pub use methods::fill_up::rook_attacks;
pub use rays::set_attacks;
pub use slider::Slider;
pub use square::{ParseSquareError, Square, SquareIndex, Squares, TryFromIndexError};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
