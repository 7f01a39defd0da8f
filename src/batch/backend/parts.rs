//! Cuts long calls into parts and streams one of them: it is written with non-temporal stores, which bypass the cache.

use core::ops::Range;

use super::super::enter::SliderEntries;
use crate::{Backend, Square};

/// Minimum length of a call whose attack sets are streamed: 2 Mi pairs, which are 34 MiB of squares, occupancies and
/// attack sets together.
///
/// The call alone is faster with streaming stores from 64 Ki pairs on (Zen 5, 1 MiB of second-level and 32 MiB of
/// third-level cache). But a caller that reads the attack sets afterwards then finds them in memory, not in the
/// cache: the call and one reading pass together took 1.2 times as long at 64 Ki and 256 Ki pairs, 1.0 to 1.1 at 1 Mi,
/// and 0.8 at 4 Mi (AVX-512 queens; builds with and without streaming took turns).
const MIN_STREAMED_LENGTH: usize = 1 << 21;

impl Backend {
    /// Computes the attack sets of a call of `call_length`, or of a chunk of it. The slices have the same length.
    #[inline(always)]
    pub(super) fn run(
        self,
        entries: &SliderEntries,
        squares: &[Square],
        occs: &[u64],
        out: &mut [u64],
        call_length: usize,
    ) {
        if call_length < MIN_STREAMED_LENGTH {
            self.enter(entries, squares, occs, out);
        } else {
            self.enter_in_parts(entries, squares, occs, out);
        }
    }

    #[cold]
    fn enter_in_parts(self, entries: &SliderEntries, squares: &[Square], occs: &[u64], out: &mut [u64]) {
        for (part, stream) in parts(out) {
            let (squares, occs, out) = (&squares[part.clone()], &occs[part.clone()], &mut out[part]);
            if stream && !out.is_empty() {
                self.stream(entries, squares, occs, out);
            } else {
                self.enter(entries, squares, occs, out);
            }
        }
    }

    /// Computes the attack sets of sets of sliders, of a call of `call_length`, or of a chunk of it. The slices have the same
    /// length.
    pub(super) fn run_sets(self, sets: [&[u64]; 3], out: &mut [u64], call_length: usize) {
        if call_length < MIN_STREAMED_LENGTH {
            return self.enter_sets(sets, out, false);
        }
        for (part, stream) in parts(out) {
            self.enter_sets(sets.map(|boards| &boards[part.clone()]), &mut out[part], stream);
        }
    }
}

/// The parts of the output of a long call, and whether each is to be streamed.
///
/// The streamed part begins at a cache line and consists of whole blocks, whatever the backend. So no backend writes
/// twice to streamed bytes. A part that is not streamed has at least one whole block, unless it is empty, so that it is
/// not too short for the backend's own kernel.
fn parts(out: &[u64]) -> [(Range<usize>, bool); 3] {
    /// A cache line in bytes, and a multiple of the length of every block.
    const LINE_AND_BLOCK: usize = 64;
    let and_a_block = |rest: usize, most: usize| if rest == 0 { 0 } else { most.min(rest + LINE_AND_BLOCK) };
    let head = and_a_block(out.as_ptr().align_offset(LINE_AND_BLOCK), out.len());
    let rest = out.len() - head;
    let tail = out.len() - and_a_block(rest % LINE_AND_BLOCK, rest);
    [(0..head, false), (head..tail, true), (tail..out.len(), false)]
}

#[test]
fn a_streamed_part_is_aligned_and_consists_of_whole_blocks() {
    let boards = [0; 400];
    for (offset, length) in (0..8).flat_map(|offset| (0..=300).map(move |length| (offset, length))) {
        let out = &boards[offset..][..length];
        let [(head, _), (body, _), (tail, _)] = parts(out);
        assert_eq!(parts(out).map(|(_, stream)| stream), [false, true, false]);
        assert_eq!((head.start, head.end, body.end, tail.end), (0, body.start, tail.start, length));
        assert_eq!((out[body.clone()].as_ptr().align_offset(64) * body.len().min(1), body.len() % 64), (0, 0));
        assert!(head.len() < 72 && tail.len() < 128, "{head:?} {tail:?}");
        let is_long = |part: &Range<usize>| part.is_empty() || part.len() >= 64;
        assert!(length < 200 || [head, body, tail].iter().all(is_long), "{offset}, {length}");
    }
}
