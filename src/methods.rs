//! Published methods to compute slider attacks, one pair at a time, in plain scalar code.
//!
//! Most of them are kindergarten bitboards. Gerd Isenberg's method answers "what does a slider attack along this line?" in
//! four steps, and the backends of this library take the same steps with other instructions:
//!
//! | step | scalar ([`fill_up`]) | BMI2 | vectors (rank slices) |
//! |---|---|---|---|
//! | **mask** the line | `occ & line` | the mask operand of `pext` | the lanes whose rank is the slider's; the bits west and east of it |
//! | **collapse** it to a dense occupancy | a multiplication sums one bit per file into the top byte | `pext`, for both diagonals at once; a shift for the rank | an or over the eight slices for the rank and for the diagonals of a bishop; the other lines are walked where they are |
//! | **solve** that | a table of first-rank attacks | the same with one byte per entry, and a table of the diagonals | subtract, and look up the highest bit; seven steps up and down for the others |
//! | **spread** the answer over the line | eight copies in the table, `& line` | `pdep`; a shift for the rank | the same masks again; the walked lines are already in place |
//!
//! In the vector code, an or over the slices does what the multiplication does in the scalar code. Where the scalar
//! code turns a file into a rank, the vector code transposes the boards, so that files and diagonals run from register
//! to register.
//!
//! # The methods
//!
//! Each method is a module with the same functions: `rank_attacks`, `file_attacks`, `diagonal_attacks`,
//! `anti_diagonal_attacks`, `rook_attacks`, `bishop_attacks` and `queen_attacks`. Each takes a square and an occupancy,
//! and returns an attack set as [`batch_attacks`](crate::batch_attacks) defines it. To replace one method by another,
//! change a name:
//!
//! ```
//! use slider_attacks::methods::shared_rank as method; // or any other
//! use slider_attacks::{Square, diagram::Diagram};
//!
//! let occ = Square::B2.bitboard() | Square::F6.bitboard();
//! assert_eq!(
//!     Diagram::new(method::bishop_attacks(Square::D4, occ)).mark(Square::D4, 'B').to_string(),
//!     "\
//! 8  . . . . . . . .
//! 7  1 . . . . . . .
//! 6  . 1 . . . 1 . .
//! 5  . . 1 . 1 . . .
//! 4  . . . B . . . .
//! 3  . . 1 . 1 . . .
//! 2  . 1 . . . 1 . .
//! 1  . . . . . . 1 .
//!    a b c d e f g h"
//! );
//! ```
//!
//! To choose at run time, or to go through all of them, use [`Method`]. The operations in this table are those of a
//! queen; "other" counts shifts and logic. All methods use the line masks, which take another 2 KB.
//!
//! | method | table bytes | multiplications | lookups | other | in cache | cache shared | what it is |
//! |---|---|---|---|---|---|---|---|
//! | [`fill_up`] | 8192 | 4 | 4 | 16 | 1.00 | 1.00 | the classic form: 4 KB for rank and diagonals, 4 KB for the file. The scalar backend |
//! | [`fill_up_in_order`] | 8192 | 4 | 4 | 16 | 1.00 | 0.97 | the same with the file's occupancy in order |
//! | [`shared_rank`] | 512 | 6 | 4 | 17 | 1.21 | 1.03 | one small table for all lines, spread by multiplication |
//! | [`thirty_two_bit`] | 131072 | 4 | 4 | 21 | 1.14 | 1.42 | the board folded, 32-bit multiplications |
//! | [`no_multiplication`] | 8192 | | 4 | 38 | 1.42 | 1.28 | parallel prefix shifts |
//! | [`magic_compression`] | 5824 | 4 | 4 | 18 | 1.10 | 1.01 | the file in 1.5 KB, by a factor for each rank |
//! | [`per_square`] | 131584 | 4 | 4 | 11 | 0.91 | 1.22 | a table of attack sets for each line of each square, as in the engine Motor |
//! | `pext` | 2048 | 3 PEXT, 3 PDEP | 4 | 10 | 1.03 | 0.99 | a bit gather and a bit scatter; x86 with BMI2 |
//! | [`rotated`] | 512 | | 4 | 101 | 4.13 | 2.79 | the whole board turned until the line is a rank |
//!
//! The two times are relative to the classic form. It takes 2.25 ns per queen with the cache to itself, and 3.9 ns
//! where the caller walks through 1 MiB between calls of 64 queens, so that the tables have to come back. Measured on
//! AMD EPYC of family 0x1a (Zen 5), rustc 1.95, 2026-11-21: the median of five runs of
//! `cargo bench -p peers --bench methods`, with the best round of each. With the cache shared, the five runs agree
//! within 10% or so, except for the two methods with 128 KB of tables. How much of those stays in the second-level
//! cache is a matter of luck: their times were between 1.2 and 2.9 (the median rounds up to 4.1).
//!
//! [`Method::steps`] draws the intermediate results of a method, and so does the command:
//! `slider-attacks show shared-rank e4 0x0010002000480010`.
//!
//! Two more modules hold building blocks of the methods: [`first_rank`] lookups, and the [`occupancy`] of any line.
//!
//! Source: "Kindergarten Bitboards", <https://www.chessprogramming.org/Kindergarten_Bitboards>. Each module names its own.

/// Declares the common part of all methods: the three sliders, each the union of its lines.
macro_rules! sliders {
    () => {
        sliders! { pub const fn }
    };
    ($(#[$attribute:meta])* pub $($function:tt)+) => {
        /// Attacks along rank and file.
        #[inline]
        $(#[$attribute])*
        pub $($function)+ rook_attacks(sq: Square, occ: u64) -> u64 {
            rank_attacks(sq, occ) | file_attacks(sq, occ)
        }

        /// Attacks along both diagonals.
        #[inline]
        $(#[$attribute])*
        pub $($function)+ bishop_attacks(sq: Square, occ: u64) -> u64 {
            diagonal_attacks(sq, occ) | anti_diagonal_attacks(sq, occ)
        }

        /// Attacks along all four lines.
        #[inline]
        $(#[$attribute])*
        pub $($function)+ queen_attacks(sq: Square, occ: u64) -> u64 {
            rook_attacks(sq, occ) | bishop_attacks(sq, occ)
        }
    };
}

/// The [`Method`] of a module that runs on every CPU.
macro_rules! method {
    ($module:ident, $name:literal, $table_bytes:expr, $operations:literal, $source:literal) => {
        Method {
            name: $name,
            source: $source,
            operations: $operations,
            table_bytes: $table_bytes,
            attacks: [$module::bishop_attacks, $module::rook_attacks, $module::queen_attacks],
            line_attacks: [
                $module::rank_attacks,
                $module::file_attacks,
                $module::diagonal_attacks,
                $module::anti_diagonal_attacks,
            ],
            steps: $module::steps,
            can_run: || true,
        }
    };
}

pub mod fill_up;
pub mod fill_up_in_order;
pub mod first_rank;
pub mod magic_compression;
pub mod no_multiplication;
pub mod occupancy;
pub mod per_square;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "an instruction that only some CPUs have: each is asked first")]
pub mod pext;
pub mod rotated;
pub mod shared_rank;
pub mod thirty_two_bit;

mod method;
mod steps;

pub use method::Method;
pub use steps::{Step, StepValue};

impl Method {
    /// All methods of this architecture, in the order of the [table](super::methods#the-methods).
    #[rustfmt::skip]
    pub const ALL: &[Method] = &[
        method!(fill_up, "fill-up", fill_up::TABLE_BYTES, "4 multiplications, 4 lookups, 16 other",
            "Kindergarten Bitboards, Ranks and Diagonals, File-Attacks"),
        method!(fill_up_in_order, "fill-up-in-order", fill_up_in_order::TABLE_BYTES,
            "4 multiplications, 4 lookups, 16 other", "Kindergarten Bitboards, File-Attacks"),
        method!(shared_rank, "shared-rank", size_of_val(&first_rank::BY_INNER_OCCUPANCY), "6 multiplications, 4 lookups, 17 other",
            "Kindergarten Bitboards, Shared Rank Lookup"),
        method!(thirty_two_bit, "thirty-two-bit", thirty_two_bit::TABLE_BYTES,
            "4 32-bit multiplications, 4 lookups, 21 other", "Kindergarten Bitboards, 32-bit Versions"),
        method!(no_multiplication, "no-multiplication", fill_up_in_order::TABLE_BYTES, "4 lookups, 38 other",
            "Occupancy of any Line, Avoiding Multiplication"),
        method!(magic_compression, "magic-compression", magic_compression::TABLE_BYTES,
            "4 multiplications, 4 lookups, 18 other", "Kindergarten Bitboards, Magic Compression"),
        method!(per_square, "per-square", per_square::TABLE_BYTES, "4 multiplications, 4 lookups, 11 other",
            "Kindergarten bitboards in the engine Motor"),
        #[cfg(target_arch = "x86_64")]
        Method::PEXT,
        method!(rotated, "rotated", size_of_val(&first_rank::BY_INNER_OCCUPANCY), "4 lookups, 101 other",
            "Occupancy of any Line, Rotated Bitboards"),
    ];
}
