#![doc = include_str!("../../asm-notes/bmi2.md")]

use crate::Square;
use crate::kindergarten::Method;
use crate::kindergarten::pext::{self, bishop_attacks, queen_attacks, rook_attacks};

one_by_one! { #[target_feature(enable = "bmi2")] bishop bishop_attacks, rook rook_attacks, queen queen_attacks }

/// The same functions for callers that do not know what the CPU can do: they ask before each call.
mod checked {
    use super::{Square, pext};

    pub(super) fn can_run() -> bool {
        is_x86_feature_detected!("bmi2")
    }

    macro_rules! checked {
        ($($attacks:ident)*) => {$(
            pub(super) fn $attacks(sq: Square, occ: u64) -> u64 {
                assert!(can_run(), "this CPU cannot run pext");
                // SAFETY: the CPU has BMI2, as was just seen.
                unsafe { pext::$attacks(sq, occ) }
            }
        )*};
    }

    checked! {
        rank_attacks file_attacks diagonal_attacks anti_diagonal_attacks
        rook_attacks bishop_attacks queen_attacks
    }
}

impl Method {
    /// The entry of [`Method::ALL`], here because the checked calls are unsafe inside.
    pub(crate) const PEXT: Method = Method {
        name: "pext",
        source: "First Rank Attacks, One Byte Only",
        operations: "3 pext, 3 pdep, 4 lookups, 10 other",
        table_bytes: pext::TABLE_BYTES,
        rank_attacks: checked::rank_attacks,
        file_attacks: checked::file_attacks,
        diagonal_attacks: checked::diagonal_attacks,
        anti_diagonal_attacks: checked::anti_diagonal_attacks,
        rook_attacks: checked::rook_attacks,
        bishop_attacks: checked::bishop_attacks,
        queen_attacks: checked::queen_attacks,
        can_run: checked::can_run,
    };
}
