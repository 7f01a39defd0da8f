//! The functions that `proof/machine-code` proves, each as a symbol of its own in a shared library. The entries of the
//! backends are never inlined, and come from the library as they are.

#![expect(unsafe_code, reason = "names of symbols")]

use slider_attacks::{Backend, BatchError, Slider, Square, flip, methods, reference};

/// Exports each function of a module as `module.function`. A module is written as the names on the way to it.
macro_rules! functions {
    ($([$($module:ident)*] $arguments:tt -> $result:ty { $($function:ident)* })*) => {
        $(functions! { @ [$($module)*] $arguments $result; $($function)* })*
    };
    (@ $module:tt $arguments:tt $result:ty; $($function:ident)*) => {
        $(export! { [] $module $function $arguments $result })*
    };
}

macro_rules! export {
    ([$($attribute:tt)*] [$($module:ident)*] $function:ident ($($name:ident: $type:ty),*) $result:ty) => {
        const _: () = {
            $($attribute)*
            #[unsafe(export_name = concat!($(stringify!($module), ".",)* stringify!($function)))]
            extern "C" fn exported($($name: $type),*) -> $result {
                $($module::)*$function($($name),*)
            }
        };
    };
}

/// Exports the functions that all methods have.
macro_rules! methods {
    ($($method:ident)*) => { $(methods! { [] $method })* };
    ([$($attribute:tt)*] $method:ident) => {
        methods! { @ [$($attribute)*] [methods $method]
            rank_attacks file_attacks diagonal_attacks anti_diagonal_attacks rook_attacks bishop_attacks queen_attacks
        }
    };
    (@ $attributes:tt $module:tt $($function:ident)*) => {
        $(export! { $attributes $module $function (sq: Square, occ: u64) u64 })*
    };
}

methods! {
    fill_up fill_up_in_order shared_rank thirty_two_bit no_multiplication magic_compression per_square rotated
}

#[cfg(target_arch = "x86_64")]
methods! { [#[target_feature(enable = "bmi2")]] pext }

functions! {
    [reference](sq: Square, occ: u64) -> u64 { rank_attacks file_attacks diagonal_attacks anti_diagonal_attacks }
    [slider_attacks](orthogonal: u64, diagonal: u64, occ: u64) -> u64 { set_attacks }
    [methods first_rank](sq: Square, occ: u64) -> u64 { rank_attacks }
    [methods first_rank](sq: Square, occ: u8) -> u8 { attacks_64 attacks_256 }
    [methods occupancy](line: u64) -> u8 {
        files_by_shifts files_by_shifts_32 files_by_multiplication files_by_multiplication_32
        ranks_by_shifts ranks_by_multiplication ranks_by_multiplication_32
    }
    [methods occupancy](sq: Square, occ: u64) -> u8 { file_by_shifts file_by_multiplication file_by_multiplication_32 }
    [flip](board: u64) -> u64 {
        flip_vertical mirror_horizontal rotate_180
        flip_diagonal flip_anti_diagonal rotate_90_clockwise rotate_90_anti_clockwise
        pseudo_rotate_45_clockwise pseudo_rotate_45_anti_clockwise
        undo_pseudo_rotate_45_clockwise undo_pseudo_rotate_45_anti_clockwise
    }
    [flip](board: u64, flip: bool, mirror: bool) -> u64 { flip_mirror_or_reverse }
    [flip](rank: u8) -> u8 { reverse_byte }
    [flip alternatives](board: u64) -> u64 {
        flip_vertical_by_bytes flip_vertical_by_delta_swaps
        mirror_horizontal_by_multiply_add mirror_horizontal_by_rotations
        rotate_180_by_delta_swaps rotate_180_by_flip_and_mirror
        rotate_90_clockwise_by_anti_diagonal rotate_90_anti_clockwise_by_anti_diagonal
    }
    [flip alternatives](rank: u8) -> u8 {
        reverse_byte_by_multiplication reverse_byte_by_multiplication_32 reverse_byte_by_multiplication_32_top
        reverse_byte_by_lookup
    }
    [flip lines](line: u64) -> u64 {
        a_file_to_first_rank_reversed h_file_to_first_rank first_rank_to_a_file_reversed line_to_first_rank
    }
    [flip lines](rank: u64, line: u64) -> u64 { first_rank_to_line }
}

/// Makes the linker keep the entries of the backends.
#[unsafe(export_name = "entries")]
extern "Rust" fn entries(
    backend: Backend,
    slider: Slider,
    squares: &[Square],
    occs: &[u64],
    out: &mut [u64],
) -> Result<(), BatchError> {
    backend.batch_slider_attacks(slider, squares, occs, out)
}
