//! Positions after moves.

use slider_attacks::BatchError;
use slider_attacks::moves::{Move, Moves};
use slider_attacks::position::Positions;

use crate::backends::{backend, sla_backend};
use crate::memory::{apart, input, output};
use crate::positions::{exclusive, optional, sla_positions, some};
use crate::products::sla_move;
use crate::status::{Failed, SLA_ERROR_LENGTH, SLA_ERROR_MOVE, SLA_ERROR_OVERLAP, call, fail, fail_at, sla_status};

/// Adds the positions after moves to `after`. The moves are of `count` positions from `first` on, in lists as `sla_moves`
/// writes them: those of position `first + i` are those from `offsets[i]` to `offsets[i + 1]` of `moves`. The positions are
/// added in the order of the moves, the one after `moves[offsets[0]]` first. If `parents` is not null, it receives a number
/// for each: the index of the position in which the move was made.
///
/// In them, the other side is to move. A right to castle is left out once its king or its rook has moved, or the rook has been
/// captured, and an en passant square unless a pawn can legally capture there. Moves must fit their positions, but need not be
/// legal.
///
/// Errors: `SLA_ERROR_MOVE` for the first move that its position does not have, with its index in `moves`; `SLA_ERROR_LENGTH`
/// for offsets that decrease, with the index of the first one, and if there are fewer positions; `SLA_ERROR_OVERLAP` if both
/// handles are the same, `SLA_ERROR_UNKNOWN` for a backend, and those of memory. Then nothing has been added.
///
/// # Safety
///
/// There are `count + 1` offsets, as many moves as the last one says, and room for one number per move at `parents`. The
/// handles are from `sla_positions_new` and have not been freed. No other thread uses `after` during the call, and nobody
/// changes `positions`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_add_after(
    after: *mut sla_positions,
    backend: sla_backend,
    positions: *const sla_positions,
    first: usize,
    count: usize,
    offsets: *const usize,
    moves: *const sla_move,
    parents: *mut usize,
) -> sla_status {
    call(|| {
        let backend = self::backend(backend)?;
        if core::ptr::eq(after, positions) && !after.is_null() {
            return Err(fail(SLA_ERROR_OVERLAP, format_args!("positions and after are the same")));
        }
        // SAFETY: by the contract of this function, and the handles differ.
        let (after, some) = unsafe { (exclusive(after)?, some(positions, first, count)?) };
        if count == 0 {
            return Ok(());
        }
        // SAFETY: by the contract of this function.
        let offsets = unsafe { input("offsets", offsets, count + 1)? };
        if let Some(index) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            let (at, before, next) = (index + 1, offsets[index], offsets[index + 1]);
            let wrong = format_args!("offsets[{at}] is {next}, less than {before} before it");
            return Err(fail_at(SLA_ERROR_LENGTH, at, wrong));
        }
        let (start, end) = (offsets[0], offsets[count]);
        let room = end - start;
        apart(("parents", parents.cast_const(), room), ("offsets", offsets.as_ptr(), count + 1))?;
        apart(("parents", parents.cast_const(), room), ("moves", moves, end))?;
        // SAFETY: by the contract of this function. The output shares no memory with the others.
        let (moves, parents) = unsafe {
            let parents = optional(parents, |parents| output("parents", parents.cast_mut(), room))?;
            (input("moves", moves, end)?, parents)
        };
        let lists = lists(offsets, &moves[start..]);
        let made = if after.is_empty() {
            backend.after(some, &lists, after)
        } else {
            let mut made = Positions::new();
            backend.after(some, &lists, &mut made).map(|()| after.extend_from(&made))
        };
        made.map_err(|error| wrong_move(error, &lists, first, start))?;
        if let Some(parents) = parents {
            let mut rooms = parents.iter_mut();
            for (index, moves) in (first..).zip(&lists) {
                rooms.by_ref().take(moves.len()).for_each(|room| {
                    room.write(index);
                });
            }
        }
        Ok(())
    })
}

/// The caller's moves from the first offset on. The offsets do not decrease.
fn lists(offsets: &[usize], moves: &[sla_move]) -> Moves {
    let mut lists = Moves::new();
    let (all, ends) = lists.parts_mut();
    all.extend(moves.iter().map(|&bits| Move::from_bits(bits)));
    ends.extend(offsets[1..].iter().map(|offset| offset - offsets[0]));
    lists
}

/// The error of a move that its position does not have. The first position has index `first`, and the first move has index `start`.
#[cold]
fn wrong_move(error: BatchError, lists: &Moves, first: usize, start: usize) -> Failed {
    let BatchError::WrongMove { position, mv } = error else {
        return fail(SLA_ERROR_LENGTH, format_args!("{error}"));
    };
    let at = lists[position].iter().position(|&other| other == mv).unwrap_or(0);
    let index = start + lists.offsets()[position] + at;
    let error = BatchError::WrongMove { position: first + position, mv };
    fail_at(SLA_ERROR_MOVE, index, format_args!("moves[{index}]: {error}"))
}
