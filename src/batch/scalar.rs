#![doc = include_str!("../../asm-notes/scalar.md")]

use crate::Square;
use crate::methods::fill_up::{bishop_attacks, queen_attacks, rook_attacks};

one_by_one! { bishop bishop_attacks, rook rook_attacks, queen queen_attacks }
