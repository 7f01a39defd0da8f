//! Published crates, each in a loop over its own lookup of one pair.
//!
//! Each crate is in its fastest form: with PEXT if it has such a form and the build has BMI2. Squares are converted to the
//! crate's type without a check, since a `Square` of this library is always on the board.

use peers::SUBSETS;
use slider_attacks::Slider;

use crate::contest::{Contestant, Group, loops};

/// Whether the crates were built with BMI2.
pub const PEXT: bool = cfg!(target_feature = "bmi2");

/// All of them for one slider.
pub fn contestants(slider: Slider) -> [Contestant; 5] {
    let new =
        |name, (how, needs, table_bytes), run| Contestant { name, group: Group::Crate, how, needs, table_bytes, run };
    // Masks and starts take 16 bytes per square and slider, magics 8 more, and the rays that PDEP deposits into 8 more.
    let full = match PEXT {
        true => ("PEXT, load 8 bytes", "BMI2", Some(8 * SUBSETS + 128 * 16)),
        false => ("black magics", "-", Some(8 * 87_988 + 128 * 24)),
    };
    let deposit = match PEXT {
        true => ("PEXT, load 2 bytes, PDEP", "BMI2", Some(2 * SUBSETS + 128 * 16 + 128 * 8)),
        // How much their tables overlap is decided when they are built.
        false => ("fancy magics", "-", None),
    };
    let fixed_shift = ("fixed-shift magics", "-", Some(8 * 88_772 + 128 * 24));
    [
        new("laura_core", full, laura_core::run(slider)),
        new("cozy-chess", full, cozy_chess::run(slider)),
        new("timecat", deposit, timecat::run(slider)),
        new("chess", deposit, chess::run(slider)),
        new("shakmaty", fixed_shift, shakmaty::run(slider)),
    ]
}

loops! {
    mod laura_core {
        use ::laura_core::{BitBoard, Square as Sq, get_bishop_attacks, get_rook_attacks};
    }
    rook |square, occ| get_rook_attacks(Sq::from_index(usize::from(square.index())), BitBoard(occ)).0,
    bishop |square, occ| get_bishop_attacks(Sq::from_index(usize::from(square.index())), BitBoard(occ)).0,
    queen |square, occ| rook(square, occ) | bishop(square, occ),
}

loops! {
    mod timecat {
        use ::timecat::{BitBoard, Square as Sq};

        /// The crate's type of a square.
        #[inline(always)]
        fn sq(square: Square) -> Sq {
            // SAFETY: the index of a `Square` is below 64.
            unsafe { Sq::from_int(square.index()) }
        }
    }
    rook |square, occ| sq(square).get_rook_moves(BitBoard::new(occ)).into_inner(),
    bishop |square, occ| sq(square).get_bishop_moves(BitBoard::new(occ)).into_inner(),
    queen |square, occ| sq(square).get_queen_moves(BitBoard::new(occ)).into_inner(),
}

loops! {
    mod chess {
        use ::chess::{BitBoard, Square as Sq};
        #[cfg(not(target_feature = "bmi2"))]
        use ::chess::{get_bishop_moves, get_rook_moves};
        #[cfg(target_feature = "bmi2")]
        use ::chess::{get_bishop_moves_bmi as get_bishop_moves, get_rook_moves_bmi as get_rook_moves};

        /// The crate's type of a square.
        #[inline(always)]
        fn sq(square: Square) -> Sq {
            // SAFETY: the index of a `Square` is below 64.
            unsafe { Sq::new(square.index()) }
        }
    }
    rook |square, occ| get_rook_moves(sq(square), BitBoard(occ)).0,
    bishop |square, occ| get_bishop_moves(sq(square), BitBoard(occ)).0,
    queen |square, occ| rook(square, occ) | bishop(square, occ),
}

loops! {
    mod cozy_chess {
        use ::cozy_chess::{BitBoard, Square as Sq, get_bishop_moves, get_rook_moves};

        /// The crate's type of a square. The mask lets the compiler drop the check, which has no unchecked form.
        #[inline(always)]
        fn sq(square: Square) -> Sq {
            Sq::index(usize::from(square.index() & 63))
        }
    }
    rook |square, occ| get_rook_moves(sq(square), BitBoard(occ)).0,
    bishop |square, occ| get_bishop_moves(sq(square), BitBoard(occ)).0,
    queen |square, occ| rook(square, occ) | bishop(square, occ),
}

loops! {
    mod shakmaty {
        use ::shakmaty::{Bitboard, Square as Sq, attacks};

        /// The crate's type of a square.
        #[inline(always)]
        fn sq(square: Square) -> Sq {
            // SAFETY: the index of a `Square` is below 64.
            unsafe { Sq::new_unchecked(u32::from(square.index())) }
        }
    }
    rook |square, occ| attacks::rook_attacks(sq(square), Bitboard(occ)).0,
    bishop |square, occ| attacks::bishop_attacks(sq(square), Bitboard(occ)).0,
    queen |square, occ| attacks::queen_attacks(sq(square), Bitboard(occ)).0,
}
