//! Attack sets of pairs, of sets, and of single sliders.

use core::slice;

use slider_attacks::{Backend, BatchError, Slider, SliderArrays, Square};

use crate::backends::{backend, sla_backend, usable};
use crate::memory::{Strided, apart, are_apart, input, numbered, output, written};
use crate::status::{CallResult, Failed, SLA_ERROR_LENGTH, SLA_ERROR_SQUARE, SLA_OK, call, fail, fail_at, sla_status};

/// A kind of slider.
pub type sla_slider = u32;

/// It moves along diagonals.
pub const SLA_BISHOP: sla_slider = 0;
/// It moves along ranks and files.
pub const SLA_ROOK: sla_slider = 1;
/// It moves along all of them.
pub const SLA_QUEEN: sla_slider = 2;

/// The numbers above are the places in this.
const SLIDERS: [Slider; 3] = [Slider::Bishop, Slider::Rook, Slider::Queen];

/// The numbers of positions that are copied at a time where arrays have strides.
const BLOCK: usize = 256;

#[cold]
fn refused(error: BatchError) -> Failed {
    match error {
        BatchError::SquareOutOfRange { index, .. } => fail_at(SLA_ERROR_SQUARE, index, format_args!("{error}")),
        _ => fail(SLA_ERROR_LENGTH, format_args!("{error}")),
    }
}

/// Writes the attack set of a slider on `squares[i]`, with the pieces `occs[i]` on the board, to `out[i]`, for each `i` below
/// `count`.
///
/// An attack set extends up to and including the first occupied square in each direction, whatever the piece there. It never
/// contains the slider's own square, which may be occupied or not.
///
/// Errors: `SLA_ERROR_SQUARE`, and those of memory. `out` must not share memory with the inputs.
///
/// # Safety
///
/// Each array has `count` numbers. Nobody changes them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_attacks(
    backend: sla_backend,
    slider: sla_slider,
    squares: *const u8,
    occs: *const u64,
    out: *mut u64,
    count: usize,
) -> sla_status {
    if let (Some(by), Some(&slider)) = (usable(backend), SLIDERS.get(slider as usize))
        && are_apart([occs], &[squares], out, count)
    {
        // SAFETY: by the contract of this function. They are neither null nor misaligned nor too long, and `out` shares no memory.
        let (squares, occs, out) = unsafe {
            let (squares, occs) = (slice::from_raw_parts(squares, count), slice::from_raw_parts(occs, count));
            (squares, occs, written(slice::from_raw_parts_mut(out.cast(), count)))
        };
        if by.batch_slider_attacks(slider, squares, occs, out).is_ok() {
            return SLA_OK;
        }
    }
    // What is unusual or wrong.
    call(|| {
        let (backend, slider) = (self::backend(backend)?, numbered("slider", &SLIDERS, slider)?);
        apart(("squares", squares, count), ("out", out, count))?;
        apart(("occs", occs, count), ("out", out, count))?;
        // SAFETY: by the contract of this function. No two of them share memory, of which one is written to.
        let (squares, occs, out) =
            unsafe { (input("squares", squares, count)?, input("occs", occs, count)?, output("out", out, count)?) };
        backend.batch_slider_attacks(slider, squares, occs, written(out)).map_err(refused)
    })
}

/// The same for arrays with a stride in bytes between elements, such as fields of structures. A stride of 0 repeats one
/// input. Strides are multiples of the element size. Each result may overwrite its own inputs; otherwise, the output must not
/// share memory with them.
///
/// # Safety
///
/// Each array has `count` numbers, so many bytes apart. Nobody changes them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_attacks_strided(
    backend: sla_backend,
    slider: sla_slider,
    squares: *const u8,
    squares_stride: usize,
    occs: *const u64,
    occs_stride: usize,
    out: *mut u64,
    out_stride: usize,
    count: usize,
) -> sla_status {
    call(|| {
        let (backend, slider) = (self::backend(backend)?, numbered("slider", &SLIDERS, slider)?);
        // SAFETY: by the contract of this function.
        let (squares, occs, out) = unsafe {
            let squares = Strided::input("squares", squares, squares_stride, count)?;
            let occs = Strided::input("occs", occs, occs_stride, count)?;
            (squares, occs, Strided::output("out", out, out_stride, count)?)
        };
        let (mut some_squares, mut boards, mut attacks) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
        // All squares first, so that nothing is written if one is wrong.
        for start in (0..count).step_by(BLOCK) {
            let some = &mut some_squares[..BLOCK.min(count - start)];
            // SAFETY: there are so many.
            unsafe { squares.read(start, some) };
            if let Some(at) = some.iter().position(|&square| square >= 64) {
                return Err(refused_square(start + at, some[at]));
            }
        }
        for start in (0..count).step_by(BLOCK) {
            let len = BLOCK.min(count - start);
            let (squares_here, occs_here, out_here) =
                (&mut some_squares[..len], &mut boards[..len], &mut attacks[..len]);
            // SAFETY: there are so many.
            unsafe {
                squares.read(start, squares_here);
                occs.read(start, occs_here);
            }
            backend.batch_slider_attacks(slider, squares_here, occs_here, out_here).map_err(refused)?;
            // SAFETY: there is room for so many.
            unsafe { out.write(start, out_here) };
        }
        Ok(())
    })
}

#[cold]
fn refused_square(index: usize, square: u8) -> Failed {
    fail_at(SLA_ERROR_SQUARE, index, format_args!("square {square} at index {index} is not on the board"))
}

/// Writes the union of the attacks of all sliders on a board to `out[i]`: those in `orthogonal[i]` move along ranks and
/// files, those in `diagonal[i]` along diagonals, with the pieces `occs[i]` on the board. Queens are in both sets.
///
/// Errors: those of memory. `out` must not share memory with the inputs.
///
/// # Safety
///
/// Each array has `count` numbers. Nobody changes them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_attack_sets(
    backend: sla_backend,
    orthogonal: *const u64,
    diagonal: *const u64,
    occs: *const u64,
    out: *mut u64,
    count: usize,
) -> sla_status {
    if let Some(by) = usable(backend)
        && are_apart([orthogonal, diagonal, occs], &[], out, count)
    {
        // SAFETY: by the contract of this function. They are neither null nor misaligned nor too long, and `out` shares no memory.
        let ([orthogonal, diagonal, occupancies], out) = unsafe {
            let sets = [orthogonal, diagonal, occs].map(|boards| slice::from_raw_parts(boards, count));
            (sets, written(slice::from_raw_parts_mut(out.cast(), count)))
        };
        if by.batch_attack_sets(SliderArrays { orthogonal, diagonal, occupancies }, out).is_ok() {
            return SLA_OK;
        }
    }
    call(|| {
        let backend = self::backend(backend)?;
        apart(("orthogonal", orthogonal, count), ("out", out, count))?;
        apart(("diagonal", diagonal, count), ("out", out, count))?;
        apart(("occs", occs, count), ("out", out, count))?;
        // SAFETY: by the contract of this function. No two of them share memory, of which one is written to.
        let (sliders, out) = unsafe {
            let orthogonal = input("orthogonal", orthogonal, count)?;
            let diagonal = input("diagonal", diagonal, count)?;
            let occupancies = input("occs", occs, count)?;
            (SliderArrays { orthogonal, diagonal, occupancies }, output("out", out, count)?)
        };
        backend.batch_attack_sets(sliders, written(out)).map_err(refused)
    })
}

/// The same for arrays with strides, as for `sla_attacks_strided`.
///
/// # Safety
///
/// Each array has `count` numbers, so many bytes apart. Nobody changes them during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_attack_sets_strided(
    backend: sla_backend,
    orthogonal: *const u64,
    orthogonal_stride: usize,
    diagonal: *const u64,
    diagonal_stride: usize,
    occs: *const u64,
    occs_stride: usize,
    out: *mut u64,
    out_stride: usize,
    count: usize,
) -> sla_status {
    call(|| {
        let backend = self::backend(backend)?;
        // SAFETY: by the contract of this function.
        let (sets, out) = unsafe {
            let orthogonal = Strided::input("orthogonal", orthogonal, orthogonal_stride, count)?;
            let diagonal = Strided::input("diagonal", diagonal, diagonal_stride, count)?;
            let occs = Strided::input("occs", occs, occs_stride, count)?;
            ([orthogonal, diagonal, occs], Strided::output("out", out, out_stride, count)?)
        };
        attack_sets(backend, sets, out, count)
    })
}

fn attack_sets(backend: Backend, sets: [Strided<u64>; 3], out: Strided<u64>, count: usize) -> CallResult {
    let (mut boards, mut attacks) = ([[0; BLOCK]; 3], [0; BLOCK]);
    for start in (0..count).step_by(BLOCK) {
        let len = BLOCK.min(count - start);
        for (set, boards) in sets.iter().zip(&mut boards) {
            // SAFETY: there are so many.
            unsafe { set.read(start, &mut boards[..len]) };
        }
        let [orthogonal, diagonal, occupancies] = boards.each_ref().map(|boards| &boards[..len]);
        let sliders = SliderArrays { orthogonal, diagonal, occupancies };
        backend.batch_attack_sets(sliders, &mut attacks[..len]).map_err(refused)?;
        // SAFETY: there is room for so many.
        unsafe { out.write(start, &attacks[..len]) };
    }
    Ok(())
}

#[inline(always)]
fn on_board(square: u8) -> Square {
    Square::ALL[usize::from(square & 63)]
}

/// Returns the attack set of one bishop. Only the lowest six bits of `square` count.
#[unsafe(no_mangle)]
pub extern "C" fn sla_bishop_attacks(square: u8, occ: u64) -> u64 {
    slider_attacks::bishop_attacks(on_board(square), occ)
}

/// Returns the attack set of one rook. Only the lowest six bits of `square` count.
#[unsafe(no_mangle)]
pub extern "C" fn sla_rook_attacks(square: u8, occ: u64) -> u64 {
    slider_attacks::rook_attacks(on_board(square), occ)
}

/// Returns the attack set of one queen. Only the lowest six bits of `square` count.
#[unsafe(no_mangle)]
pub extern "C" fn sla_queen_attacks(square: u8, occ: u64) -> u64 {
    slider_attacks::queen_attacks(on_board(square), occ)
}

/// Returns the union of the attacks of all sliders on one board, as for `sla_attack_sets`.
#[unsafe(no_mangle)]
pub extern "C" fn sla_set_attacks(orthogonal: u64, diagonal: u64, occ: u64) -> u64 {
    slider_attacks::set_attacks(orthogonal, diagonal, occ)
}
