//! Counts of boards by square, and sums of numbers by square.
//!
//! To count squares, boards are added bit by bit. A full adder takes three boards of one weight, and gives one of this weight
//! and one of twice the weight:
//!
//! ```text
//!                16 boards      8 carries     4 carries      2 carries     a carry
//!                    ↓              ↓             ↓              ↓            ↓
//!  weight            1              2             4              8            16
//!  adders            8              4             2              1
//!  stay          `ones`         `twos`       `fours`       `eights`        bytes
//! ```
//!
//! So only one board of sixteen is taken apart: `(carry >> i) & 0x0101…` are the bits of eight squares in eight bytes, which
//! count up to 255. (As Harley and Seal count the bits of an array, but by place: Klarqvist, Muła and Lemire, "Efficient
//! Computation of Positional Population Counts Using SIMD Instructions", 2019, <https://arxiv.org/abs/1911.02696>.)

use crate::batch::entries::{Task, prefetch};
use crate::{Backend, BatchError};

use super::products::full_add;

/// The number of boards in which each square is set, on [`Backend::active`]: see [`Backend::count_squares`].
///
/// ```
/// use slider_attacks::analysis::count_squares;
///
/// let counts = count_squares(&[0b101, 0b100, 0b110]);
/// assert_eq!(counts[..4], [1, 1, 3, 0]); // a1, b1, c1, d1
/// ```
#[must_use]
pub fn count_squares(boards: &[u64]) -> [u64; 64] {
    Backend::active().count_squares(boards)
}

/// The sum of the numbers of each square, on [`Backend::active`]: see [`Backend::sum_squares`].
///
/// ```
/// use slider_attacks::analysis::sum_squares;
///
/// let sums = sum_squares(&[[3; 64], [255; 64]]);
/// assert_eq!(sums, [258; 64]);
/// ```
#[must_use]
pub fn sum_squares(numbers: &[[u8; 64]]) -> [u64; 64] {
    Backend::active().sum_squares(numbers)
}

/// Counts and sums by square, of results of batch calls or any other boards and numbers.
impl Backend {
    /// The number of boards that hold each square: element *i* of the result is the count of square *i*. Divided by the
    /// number of boards, it is the share of boards with this square.
    ///
    /// Time is linear in the number of boards, and does not depend on them. Nothing is allocated.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// let counts = Backend::active().count_squares(&[0b01, 0b11, 0b01]);
    /// assert_eq!(counts[..3], [3, 1, 0]); // a1, b1, c1
    /// ```
    #[must_use]
    pub fn count_squares(self, boards: &[u64]) -> [u64; 64] {
        let mut counts = [0; 64];
        self.perform(Count { boards, out: &mut counts });
        counts
    }

    /// Counts by group: adds to `out[group][i]` the number of boards of the group that hold square *i*. `groups[j]` is
    /// the group of `boards[j]`.
    ///
    /// Time is linear in the number of boards. It is least if boards of one group follow each other. Otherwise, boards are put
    /// in order, some at a time, and memory is at most 128 KiB and 40 bytes per group.
    ///
    /// # Errors
    ///
    /// The number of groups differs from the number of boards, or a group is not below `out.len()`. Nothing has been
    /// added.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// let mut counts = [[0; 64]; 2];
    /// Backend::active().count_squares_by(&[0b01, 0b11, 0b01], &[1, 0, 1], &mut counts)?;
    /// assert_eq!(counts.map(|counts| [counts[0], counts[1]]), [[1, 1], [2, 0]]);
    /// # Ok::<(), slider_attacks::BatchError>(())
    /// ```
    pub fn count_squares_by(self, boards: &[u64], groups: &[u32], out: &mut [[u64; 64]]) -> Result<(), BatchError> {
        check(boards.len(), groups, out.len())?;
        by_group(boards, groups, out, |boards, out| self.perform(Count { boards, out }));
        Ok(())
    }

    /// The sum of the numbers of each square: element *i* of the result is the sum of all `numbers[j][i]`. Divided by the
    /// length, it is their mean.
    ///
    /// Time is linear in the length, and does not depend on the numbers. Nothing is allocated.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// assert_eq!(Backend::active().sum_squares(&[[3; 64], [255; 64]]), [258; 64]);
    /// ```
    #[must_use]
    pub fn sum_squares(self, numbers: &[[u8; 64]]) -> [u64; 64] {
        let mut sums = [0; 64];
        self.perform(SquareSum { numbers, out: &mut sums });
        sums
    }

    /// Sums by group: adds the sum of all `numbers[j][i]` in the group to `out[group][i]`. `groups[j]` is the group of
    /// `numbers[j]`.
    ///
    /// Time and memory are as for [`count_squares_by`](Backend::count_squares_by), with 264 bytes per group.
    ///
    /// # Errors
    ///
    /// The number of groups differs from the number of elements, or a group is not below `out.len()`. Nothing has been
    /// added.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    ///
    /// let mut sums = [[0; 64]; 2];
    /// Backend::active().sum_squares_by(&[[3; 64], [1; 64], [4; 64]], &[1, 0, 1], &mut sums)?;
    /// assert_eq!(sums, [[1; 64], [7; 64]]);
    /// # Ok::<(), slider_attacks::BatchError>(())
    /// ```
    pub fn sum_squares_by(self, numbers: &[[u8; 64]], groups: &[u32], out: &mut [[u64; 64]]) -> Result<(), BatchError> {
        check(numbers.len(), groups, out.len())?;
        by_group(numbers, groups, out, |numbers, out| self.perform(SquareSum { numbers, out }));
        Ok(())
    }
}

/// Checks that there is one group for each element, and room for it.
fn check(elements: usize, groups: &[u32], room: usize) -> Result<(), BatchError> {
    if elements != groups.len() {
        return Err(BatchError::GroupLengthMismatch { elements, groups: groups.len() });
    }
    // Not a search, which the compiler does not turn into vectors.
    let has_room = |group: u32| (group as usize) < room;
    if groups.iter().fold(true, |all, &group| all & has_room(group)) {
        return Ok(());
    }
    let bad = groups.iter().enumerate().find(|&(_, &group)| !has_room(group));
    let (index, &group) = bad.expect("a group has no room");
    Err(BatchError::GroupOutOfRange { index, group, room })
}

/// How many bytes are put in order at a time: half of a cache of the second level, or less.
const SORTED_BYTES: usize = 128 << 10;
/// From this mean length on, elements of one group that follow each other are taken where they are.
const LONG: usize = 16;

/// Takes the elements of each group, some at a time. All groups are below the number of elements of `out`.
fn by_group<T: bytemuck::Zeroable + Copy>(
    elements: &[T],
    groups: &[u32],
    out: &mut [[u64; 64]],
    mut take: impl FnMut(&[T], &mut [u64; 64]),
) {
    let room = out.len();
    // The pass over the groups must not take longer than the pass over the elements.
    let some = (SORTED_BYTES / size_of::<T>()).max(4 * room);
    let (mut sorted, mut places) = (Vec::new(), Vec::new());
    for (mut elements, groups) in elements.chunks(some).zip(groups.chunks(some)) {
        let changes = groups.windows(2).filter(|pair| pair[0] != pair[1]).count();
        if (changes + 1) * LONG <= groups.len() || 4 * groups.len() < room || groups.is_sorted() {
            for groups in groups.chunk_by(|a, b| a == b) {
                let (first, rest) = elements.split_at(groups.len());
                take(first, &mut out[groups[0] as usize]);
                elements = rest;
            }
            continue;
        }
        // Where the elements of each group begin, and then where they end.
        places.clear();
        places.resize(room, 0);
        for &group in groups {
            places[group as usize] += 1;
        }
        let mut next = 0;
        for place in &mut places {
            (*place, next) = (next, next + *place);
        }
        sorted.resize(elements.len(), T::zeroed());
        for (&element, &group) in elements.iter().zip(groups) {
            let place = &mut places[group as usize];
            sorted[*place] = element;
            *place += 1;
        }
        let mut start = 0;
        for (&end, out) in places.iter().zip(&mut *out) {
            if start < end {
                take(&sorted[start..end], out);
            }
            start = end;
        }
    }
}

/// The number of boards that are added at a time: a vector of AVX2, or two of SSE2. With twice as many, the state of
/// the adders does not fit the registers, and the compiler does not vectorise it.
const LANES: usize = 4;
const BLOCK: usize = 16 * LANES;

/// A bit in each byte, at its lowest place.
const BYTES: u64 = 0x0101_0101_0101_0101;
/// Every other byte.
const EVEN: u64 = 0x00ff_00ff_00ff_00ff;

/// The most that a byte counts.
const MOST: usize = 255;

/// How many blocks are read between a prefetch and its use.
const AHEAD: usize = 8;

/// Fewer boards are taken apart one by one.
const FEW: usize = 192;

/// Adds the number of boards that hold each square.
struct Count<'a> {
    boards: &'a [u64],
    out: &'a mut [u64; 64],
}

impl Task for Count<'_> {
    #[inline(always)]
    fn perform(self) {
        let Count { boards, out } = self;
        if boards.len() < FEW {
            let mut counts = [0; 8];
            for &board in boards {
                add_bits(board, 1, &mut counts);
            }
            add_bytes(&counts, out);
            return;
        }
        let mut adders = Adders::default();
        let (blocks, rest) = boards.as_chunks::<BLOCK>();
        if !rest.is_empty() {
            let mut padded = [0; BLOCK];
            padded[..rest.len()].copy_from_slice(rest);
            adders.add(&padded);
        }
        let mut chunks = blocks.chunks(MOST - 1);
        loop {
            for block in chunks.next().unwrap_or_default() {
                prefetch_after(block);
                adders.add(block);
            }
            empty(&{ adders.sixteens }, out);
            adders.sixteens = [[0; LANES]; 8];
            if chunks.len() == 0 {
                break;
            }
        }
        adders.finish(out);
    }
}

/// Counts of squares, in parts: boards of four weights, and bytes that count sixteens.
///
/// They stay in registers, because the compiler makes a vector of each array.
#[derive(Default)]
struct Adders {
    ones: [u64; LANES],
    twos: [u64; LANES],
    fours: [u64; LANES],
    eights: [u64; LANES],
    /// Byte *j* of `sixteens[i]` counts square 8 *j* + *i*.
    sixteens: [[u64; LANES]; 8],
}

impl Adders {
    /// Adds a block. Each byte of `sixteens` grows by one at most.
    #[inline(always)]
    fn add(&mut self, block: &[u64; BLOCK]) {
        for lane in 0..LANES {
            // Not closures: they would not be inlined, and have no vectors.
            macro_rules! carry {
                ($sum:ident, $first:expr, $second:expr) => {{
                    let carry;
                    (self.$sum[lane], carry) = full_add($first, $second, self.$sum[lane]);
                    carry
                }};
            }
            macro_rules! two {
                ($at:expr) => {
                    carry!(ones, block[$at * LANES + lane], block[($at + 1) * LANES + lane])
                };
            }
            macro_rules! four {
                ($at:expr) => {
                    carry!(twos, two!($at), two!($at + 2))
                };
            }
            macro_rules! eight {
                ($at:expr) => {
                    carry!(fours, four!($at), four!($at + 4))
                };
            }
            let carry = carry!(eights, eight!(0), eight!(8));
            for bit in 0..8 {
                self.sixteens[bit][lane] += carry >> bit & BYTES;
            }
        }
    }

    /// Adds the counts that are not in `sixteens`.
    #[inline(always)]
    fn finish(self, out: &mut [u64; 64]) {
        // At most 15 for each lane, 60 in all.
        let mut counts = [0; 8];
        for lane in 0..LANES {
            add_bits(self.ones[lane], 1, &mut counts);
            add_bits(self.twos[lane], 2, &mut counts);
            add_bits(self.fours[lane], 4, &mut counts);
            add_bits(self.eights[lane], 8, &mut counts);
        }
        add_bytes(&counts, out);
    }
}

/// Adds the bytes that count sixteens.
///
/// Not inlined: with AVX-512, the compiler would gather and scatter them.
#[inline(never)]
fn empty(sixteens: &[[u64; LANES]; 8], out: &mut [u64; 64]) {
    // In four 16-bit parts of each word, because the sums do not fit a byte.
    let (mut even, mut odd) = ([0; 8], [0; 8]);
    for (bit, lanes) in sixteens.iter().enumerate() {
        for lane in lanes {
            even[bit] += lane & EVEN;
            odd[bit] += lane >> 8 & EVEN;
        }
    }
    for (part, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        for bit in 0..8 {
            out[bit] += (even[bit] >> (16 * part) & 0xffff) << 4;
            out[8 + bit] += (odd[bit] >> (16 * part) & 0xffff) << 4;
        }
    }
}

/// Prefetches the data of a block further ahead. The CPU's own prefetching does not reach far enough for a loop with
/// this many operations.
#[inline(always)]
fn prefetch_after(block: &[u64; BLOCK]) {
    for line in 0..BLOCK / 8 {
        prefetch(block.as_ptr().wrapping_add(AHEAD * BLOCK + 8 * line));
    }
}

/// Adds the bits of a board, times `weight`, to the bytes of `counts`: byte *j* of `counts[i]` is square 8 *j* + *i*.
#[inline(always)]
fn add_bits(board: u64, weight: u64, counts: &mut [u64; 8]) {
    for (bit, count) in counts.iter_mut().enumerate() {
        *count += (board >> bit & BYTES) * weight;
    }
}

/// Adds the bytes.
#[inline(always)]
fn add_bytes(counts: &[u64; 8], out: &mut [u64; 64]) {
    for (byte, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        for (out, count) in out.iter_mut().zip(counts) {
            *out += count >> (8 * byte) & 0xff;
        }
    }
}

/// Adds the sum of the numbers of each square.
struct SquareSum<'a> {
    numbers: &'a [[u8; 64]],
    out: &'a mut [u64; 64],
}

impl Task for SquareSum<'_> {
    #[inline(always)]
    fn perform(self) {
        /// The sum of this many bytes fits 16 bits.
        const SOME: usize = 0xffff / 0xff;
        for numbers in self.numbers.chunks(SOME) {
            let mut sums = [0_u16; 64];
            for numbers in numbers {
                for (sum, &number) in sums.iter_mut().zip(numbers) {
                    *sum += u16::from(number);
                }
            }
            for (out, sum) in self.out.iter_mut().zip(sums) {
                *out += u64::from(sum);
            }
        }
    }
}
