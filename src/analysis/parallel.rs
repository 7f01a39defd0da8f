//! Products on several cores.

use std::sync::Mutex;

use super::lanes::{BLOCK, lengths_match};
use crate::BatchError;
use crate::batch::backend::parallel::share;
use crate::position::PositionSlice;

/// The shortest call that threads share: the fastest products take 10 us for this many positions, as long as a sleeping
/// thread takes to start.
const MIN_PARALLEL_LENGTH: usize = 1 << 12;

/// Fills `out` on several cores: calls `product` for parts of the positions, each with the same part of `out`. Needs the
/// feature `rayon`.
///
/// `product` is usually a call of a method of [`Backend`](crate::Backend) that writes one element per position. The result
/// is the same as that of one call for all positions. Threads share the work as in
/// [`par_batch_attacks`](crate::par_batch_attacks); fewer than 4,096 positions are left to the calling thread.
///
/// # Errors
///
/// [`BatchError::PositionLengthMismatch`] if `out` does not have one element per position; then `product` is not
/// called. Otherwise the error of the first part for which `product` fails.
///
/// # Example
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks::analysis::par_fill;
/// use slider_attacks::position::{Color, Positions};
///
/// let mut positions = Positions::new();
/// positions.read_lines("4k3/4r3/8/8/4N3/8/8/4K3 w - -\n".repeat(10_000).as_bytes())?;
/// let (backend, mut pinned) = (Backend::active(), vec![0; 10_000]);
/// par_fill(&positions, &mut pinned, |positions, out| backend.pinned(positions, Color::White, out))?;
/// assert!(pinned.iter().all(|&pinned| pinned == 1 << 28)); // the knight on e4
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "threads")]
pub fn par_fill<'a, T: Send>(
    positions: impl Into<PositionSlice<'a>>,
    out: &mut [T],
    product: impl Fn(PositionSlice<'a>, &mut [T]) -> Result<(), BatchError> + Sync,
) -> Result<(), BatchError> {
    let positions = positions.into();
    lengths_match(positions, out.len())?;
    if out.len() < MIN_PARALLEL_LENGTH {
        return product(positions, out);
    }
    // Whole blocks, small enough for the second-level cache of a core.
    let length = (out.len() / 32).clamp(1 << 9, 1 << 12).next_multiple_of(BLOCK);
    let first_error = Mutex::new(None);
    share(out.chunks_mut(length).enumerate(), |(chunk, out)| {
        let start = chunk * length;
        if let Err(error) = product(positions.slice(start..start + out.len()), out) {
            let mut first = first_error.lock().expect("nobody panics while holding the lock");
            if first.is_none_or(|(before, _)| start < before) {
                *first = Some((start, error));
            }
        }
    });
    let first_error = first_error.into_inner().expect("nobody panics while holding the lock");
    first_error.map_or(Ok(()), |(_, error)| Err(error))
}
