//! Positions: from FEN or bitboards, and back.

use core::ffi::c_char;
use core::ops::Range;

use slider_attacks::Square;
use slider_attacks::position::{Castling, Color, Piece, Positions};

use crate::backends::{backend, sla_backend};
use crate::memory::{Strided, all_apart, apart, free, handle, input, offset, output, place};
use crate::status::{
    CallResult, Failed, SLA_ERROR_LENGTH, SLA_ERROR_POSITION, SLA_ERROR_ROOM, SLA_ERROR_STRIDE, call, fail, fail_at,
    sla_status,
};

/// A colour.
pub type sla_color = u8;

/// White.
pub const SLA_WHITE: sla_color = 0;
/// Black.
pub const SLA_BLACK: sla_color = 1;

/// How many bitboards a position has: those of White's pawns, knights, bishops, rooks, queens and king, then Black's.
pub const SLA_BOARDS: u32 = 12;

/// Stands for no en passant square.
pub const SLA_NO_SQUARE: u8 = 64;

/// A list of positions. Calls that take it as `const` may run on many threads at once; other calls need exclusive access.
pub struct sla_positions(Positions);

/// The positions behind a handle.
///
/// # Safety
///
/// It is null or a handle from `sla_positions_new`, which nobody has freed, and which nobody changes meanwhile.
#[inline(always)]
unsafe fn shared<'a>(positions: *const sla_positions) -> CallResult<&'a Positions> {
    // SAFETY: by the contract of this function, and it is neither null nor misaligned.
    Ok(unsafe { &(*handle("positions", positions)?).0 })
}

/// The same, to change them.
///
/// # Safety
///
/// As for [`shared`]. Nobody else uses them meanwhile.
pub(crate) unsafe fn exclusive<'a>(positions: *mut sla_positions) -> CallResult<&'a mut Positions> {
    // SAFETY: by the contract of this function, and it is neither null nor misaligned.
    Ok(unsafe { &mut (*handle("positions", positions)?.cast_mut()).0 })
}

/// Those from `first` on.
///
/// # Safety
///
/// As for [`shared`].
#[cfg(feature = "products")]
#[inline(always)]
pub(crate) unsafe fn some<'a>(
    positions: *const sla_positions,
    first: usize,
    count: usize,
) -> CallResult<slider_attacks::position::PositionSlice<'a>> {
    // SAFETY: by the contract of this function.
    let positions = unsafe { shared(positions)? };
    Ok(positions.slice(range(positions, first, count)?))
}

#[inline(always)]
fn range(positions: &Positions, first: usize, count: usize) -> CallResult<Range<usize>> {
    let most = positions.len();
    match first.checked_add(count) {
        Some(end) if end <= most => Ok(first..end),
        _ => Err(wrong_range(first, count, most)),
    }
}

#[cold]
#[inline(never)]
fn wrong_range(first: usize, count: usize, most: usize) -> Failed {
    fail(SLA_ERROR_LENGTH, format_args!("{count} positions from {first} on exceed the {most} that it has"))
}

/// Creates an empty handle, and writes it to `positions`. `sla_positions_free` frees it.
///
/// # Safety
///
/// There is room for a pointer at `positions`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_new(positions: *mut *mut sla_positions) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let out = unsafe { place("positions", positions)? };
        // SAFETY: the same, and it has been checked.
        unsafe { *out = Box::into_raw(Box::new(sla_positions(Positions::new()))) };
        Ok(())
    })
}

/// Frees a handle. Null is allowed.
///
/// # Safety
///
/// The handle is from `sla_positions_new`, has not been freed, and is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_free(positions: *mut sla_positions) {
    // SAFETY: by the contract of this function.
    unsafe { free(positions) }
}

/// Returns the number of positions; 0 for null.
///
/// # Safety
///
/// The handle is from `sla_positions_new` and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_count(positions: *const sla_positions) -> usize {
    // SAFETY: by the contract of this function.
    unsafe { positions.as_ref() }.map_or(0, |positions| positions.0.len())
}

/// Keeps the first `count` positions and removes the others. Their memory is reused for new ones.
///
/// Errors: `SLA_ERROR_LENGTH` if there are fewer.
///
/// # Safety
///
/// The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_truncate(positions: *mut sla_positions, count: usize) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let positions = unsafe { exclusive(positions)? };
        range(positions, 0, count)?;
        positions.truncate(count);
        Ok(())
    })
}

/// Adds the positions of a text, one per line: FEN or EPD. Lines end in LF, CRLF or CR. Blank lines and those that begin with
/// `#` are skipped. A single FEN is a text of one line. The text need not end with a null byte.
///
/// Errors: `SLA_ERROR_POSITION`, with the line and the column; `sla_error_index` returns the index of the line, from 0. Then no
/// line has been added.
///
/// # Safety
///
/// `text` has `length` bytes. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_read(
    positions: *mut sla_positions,
    backend: sla_backend,
    text: *const c_char,
    length: usize,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (positions, text) = unsafe { (exclusive(positions)?, input("text", text.cast::<u8>(), length)?) };
        let read = self::backend(backend)?.read_lines(text, positions);
        read.map(drop).map_err(|error| fail_at(SLA_ERROR_POSITION, error.line - 1, format_args!("{error}")))
    })
}

/// Writes the bitboards of `count` positions from `first` on, in the layout of `sla_positions_add`. Other arrays that are
/// null are omitted.
///
/// Castling rights are those of the text: `K` is a rook on h1, `Q` one on a1, `k` h8, `q` a8, and the letter of a file means
/// that file on the first or the last rank.
///
/// Errors: `SLA_ERROR_LENGTH` if there are fewer positions, and those of memory.
///
/// # Safety
///
/// There is room for the numbers. The handle is from `sla_positions_new`, has not been freed, and nobody changes it during the
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_get(
    positions: *const sla_positions,
    first: usize,
    count: usize,
    boards: *mut u64,
    position_stride: usize,
    board_stride: usize,
    side_to_move: *mut sla_color,
    castling: *mut u64,
    en_passant: *mut u8,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let positions = unsafe { shared(positions)? };
        let places = range(positions, first, count)?;
        if board_stride < size_of::<u64>() {
            return Err(fail(
                SLA_ERROR_STRIDE,
                format_args!("boards: a stride of {board_stride} bytes, and elements of 8"),
            ));
        }
        let mut columns = [None; SLA_BOARDS as usize];
        for (place, column) in columns.iter_mut().enumerate() {
            // SAFETY: by the contract of this function.
            *column = Some(unsafe {
                Strided::output("boards", offset(boards, place, board_stride)?.cast_mut(), position_stride, count)?
            });
        }
        // SAFETY: by the contract of this function.
        let (sides, castling, en_passant) = unsafe {
            let sides = optional(side_to_move, |sides| Strided::output("side_to_move", sides.cast_mut(), 1, count))?;
            let castling = optional(castling, |castling| Strided::output("castling", castling.cast_mut(), 8, count))?;
            (
                sides,
                castling,
                optional(en_passant, |squares| Strided::output("en_passant", squares.cast_mut(), 1, count))?,
            )
        };
        let boards = columns.iter().flatten().map(|column| ("boards", column.element_bytes(count)));
        let bytes = |name, numbers: Strided<u8>| (name, numbers.element_bytes(count));
        let sides_and_rights = [
            sides.map(|sides| bytes("side_to_move", sides)),
            castling.map(|castling| ("castling", castling.element_bytes(count))),
            en_passant.map(|squares| bytes("en_passant", squares)),
        ];
        all_apart(&boards.chain(sides_and_rights.into_iter().flatten()).collect::<Vec<_>>())?;
        let kinds = Color::ALL.into_iter().flat_map(|color| Piece::ALL.map(|piece| (color, piece)));
        for (column, (color, piece)) in columns.iter().flatten().zip(kinds) {
            // SAFETY: there is room for so many.
            unsafe { column.write(0, &positions.pieces(color, piece)[places.clone()]) };
        }
        for (at, place) in places.enumerate() {
            // SAFETY: there is room for so many.
            unsafe {
                if let Some(sides) = sides {
                    sides.write(at, &[positions.side_to_move()[place] as u8]);
                }
                if let Some(castling) = castling {
                    castling.write(at, &[rooks(positions.castling()[place])]);
                }
                if let Some(en_passant) = en_passant {
                    en_passant.write(at, &[positions.en_passant()[place].map_or(SLA_NO_SQUARE, Square::index)]);
                }
            }
        }
        Ok(())
    })
}

/// What a pointer leads to, unless it is null.
pub(crate) fn optional<T, R>(pointer: *const T, get: impl FnOnce(*const T) -> CallResult<R>) -> CallResult<Option<R>> {
    if pointer.is_null() { Ok(None) } else { get(pointer).map(Some) }
}

/// The squares of the rooks that letters of castling rights mean.
fn rooks(castling: Castling) -> u64 {
    let squares = castling.letters().map(|letter| {
        let file = match letter.to_ascii_uppercase() {
            'K' => 7,
            'Q' => 0,
            file => file as u32 - 'A' as u32,
        };
        1 << (file + if letter.is_ascii_lowercase() { 56 } else { 0 })
    });
    squares.fold(0, |all, rook: u64| all | rook)
}

/// Writes the first four fields of FEN for a position, with a null byte at the end, and their length without it.
///
/// Errors: `SLA_ERROR_LENGTH` if there is no such position. `SLA_ERROR_ROOM` if `capacity` is not larger than the length,
/// which is then written nevertheless; 96 bytes are always enough.
///
/// # Safety
///
/// There is room for `capacity` bytes at `text`, and for a number at `length`. The handle is from `sla_positions_new`, has not
/// been freed, and nobody changes it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_fen(
    positions: *const sla_positions,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let (positions, len) = unsafe { (shared(positions)?, place("length", length)?) };
        range(positions, index, 1)?;
        let fen = positions.fen(index);
        // SAFETY: by the contract of this function.
        let out = unsafe { output("text", text.cast::<u8>(), capacity)? };
        apart(("text", text, capacity), ("length", length, 1))?;
        // SAFETY: by the contract of this function, and it has been checked.
        unsafe { *len = fen.len() };
        if capacity <= fen.len() {
            let wrong = format_args!("the text needs {} bytes, and the capacity is {capacity}", fen.len() + 1);
            return Err(fail(SLA_ERROR_ROOM, wrong));
        }
        out[..fen.len()].write_copy_of_slice(fen.as_bytes());
        out[fen.len()].write(0);
        Ok(())
    })
}
