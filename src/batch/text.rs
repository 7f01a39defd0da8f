//! The operations that [readers of text](super::kernel::fen_board) are written over, and how their work reaches a backend.
//!
//! As for kernels, all methods of an implementation are `#[inline(always)]`.

/// The text of a board in FEN as vectors: 64 bytes as they lie in memory, or its *ranks*, eight 64-bit lanes.
///
/// The lane of a rank has eight bytes of the text, from its first byte on. If the rank is shorter, the slash or blank after
/// it and what follows stand there as well. In which order the lanes are is up to the implementation.
pub(crate) trait Text: Copy {
    /// The first 64 bytes of a text, or as many as there are.
    type Start: Copy;
    /// Eight lanes of eight bytes: one vector, or several.
    type Ranks: Copy;

    /// Loads the first bytes of a text of 32 bytes or more. With less than 64, the halves overlap; on AVX-512, a mask leaves
    /// out what is not there.
    fn start(self, text: &[u8]) -> Self::Start;
    /// The bytes that are at most `most`: bit *i* for byte *i*. `vpminub`, `vpcmpeqb` and `vpmovmskb` for each half; on
    /// AVX-512 `vpcmpub`.
    fn at_most(self, start: Self::Start, most: u8) -> u64;
    /// The bytes that are `byte`. `vpcmpeqb` and `vpmovmskb` for each half; on AVX-512 `vpcmpeqb`.
    fn equal(self, start: Self::Start, byte: u8) -> u64;
    /// The place of the first byte that is at most `most`, after a board of this length, which has no such byte and is 64 bytes
    /// long at most. If no such byte is among the 64 after the board, the result is `board + 64` or more.
    ///
    /// Where the next line begins depends on it. On AVX-512, this chain is what the loop over lines waits for, so there it does
    /// not wait for the length.
    fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize;
    /// The ranks of a board at the beginning of `text`, which has seven slashes, at these places. `start` is the same text.
    /// Eight loads; on AVX-512 `vpcompressb` and `vpermb`.
    fn ranks(self, text: &[u8], start: Self::Start, slashes: u64) -> Self::Ranks;
    /// What each byte means: its [`code`](super::kernel::fen_board::code), or anything if it has none; and something that
    /// tells [`all_right`](Text::all_right) which bytes have one. Shuffles as tables; on AVX-512 `vpermi2b`.
    fn codes(self, ranks: Self::Ranks) -> (Self::Ranks, Self::Ranks);
    /// `a & b` for each byte of the ranks.
    fn and(self, a: Self::Ranks, b: u8) -> Self::Ranks;
    /// `a - b` for each byte.
    fn sub(self, a: Self::Ranks, b: Self::Ranks) -> Self::Ranks;
    /// `first`, and the sum of the bytes of the lane up to and including this one. Three shifts, four additions.
    fn sums(self, a: Self::Ranks, first: u8) -> Self::Ranks;
    /// The bytes that are 128 or more, in any order. `vpmovmskb`; on AVX-512 `vpmovb2m`.
    fn high(self, a: Self::Ranks) -> u64;
    /// Whether each byte of which `places` is below 128 has a code, and a sum of at most 128. `known` comes from `codes`.
    fn all_right(self, places: Self::Ranks, sums: Self::Ranks, known: Self::Ranks) -> bool;
    /// `1 << a % 8` where `a` is below 128, else zero. `vpshufb`.
    fn bits(self, a: Self::Ranks) -> Self::Ranks;
    /// The bitboards of the three bits of a kind, and of the colour: bit by bit, the union of `bits` over the bytes whose
    /// code has it. `vpsignb` and `vpsadbw`; with GFNI, two transpositions and a product.
    fn planes(self, bits: Self::Ranks, codes: Self::Ranks, ranks: Self::Ranks) -> [u64; 4];
}

/// Work to do on text.
///
/// Implementations, and all that they call, are `#[inline(always)]`, so that they become part of the entry that enables the
/// instructions.
pub(crate) trait TextTask {
    /// What the work gives.
    type Output;
    /// Does the work.
    fn perform(self, simd: impl Text) -> Self::Output;
}

/// Where the ranks begin, rank 8 first: at 0, and after each slash.
#[inline(always)]
pub(crate) fn starts(mut slashes: u64) -> [usize; 8] {
    let mut starts = [0; 8];
    for start in &mut starts[1..] {
        *start = slashes.trailing_zeros() as usize + 1;
        slashes &= slashes.wrapping_sub(1);
    }
    starts
}

/// The eight bytes from a place on. Zeros stand for what is past the end.
#[inline(always)]
pub(crate) fn eight(text: &[u8], start: usize) -> i64 {
    let from = start.min(text.len() - 8);
    let bytes = u64::from_le_bytes(*text[from..].first_chunk().expect("eight bytes"));
    (bytes >> (8 * (start - from) % 64)) as i64
}

/// The operations on plain arrays, as a model for those of the backends.
#[cfg(test)]
pub(crate) mod model {
    use super::Text;
    use crate::batch::kernel::fen_board::{KIND, code};

    /// Rank 8 first, in the order of the text.
    #[derive(Clone, Copy)]
    pub(crate) struct Model;

    impl Text for Model {
        type Start = [u8; 64];
        type Ranks = [[u8; 8]; 8];

        fn start(self, text: &[u8]) -> [u8; 64] {
            core::array::from_fn(|at| text.get(at).copied().unwrap_or(!0))
        }
        fn at_most(self, start: [u8; 64], most: u8) -> u64 {
            (0..64).map(|at| u64::from(start[at] <= most) << at).sum()
        }
        fn equal(self, start: [u8; 64], byte: u8) -> u64 {
            (0..64).map(|at| u64::from(start[at] == byte) << at).sum()
        }
        fn first_after(self, text: &[u8; 128], board: usize, most: u8) -> usize {
            text[board..].iter().position(|&byte| byte <= most).map_or(128, |at| board + at)
        }
        fn ranks(self, text: &[u8], _: [u8; 64], slashes: u64) -> [[u8; 8]; 8] {
            let mut starts = (0..64).filter(|at| slashes >> at & 1 != 0).map(|at| at + 1);
            core::array::from_fn(|rank| {
                let start = if rank == 0 { 0 } else { starts.next().unwrap_or(64) };
                core::array::from_fn(|at| text.get(start + at).copied().unwrap_or(0))
            })
        }
        fn codes(self, ranks: [[u8; 8]; 8]) -> ([[u8; 8]; 8], [[u8; 8]; 8]) {
            let codes = ranks.map(|rank| rank.map(|byte| code(byte).unwrap_or(0)));
            (codes, ranks.map(|rank| rank.map(|byte| u8::from(code(byte).is_some()))))
        }
        fn and(self, a: [[u8; 8]; 8], b: u8) -> [[u8; 8]; 8] {
            a.map(|rank| rank.map(|byte| byte & b))
        }
        fn sub(self, a: [[u8; 8]; 8], b: [[u8; 8]; 8]) -> [[u8; 8]; 8] {
            core::array::from_fn(|rank| core::array::from_fn(|at| a[rank][at].wrapping_sub(b[rank][at])))
        }
        fn sums(self, a: [[u8; 8]; 8], first: u8) -> [[u8; 8]; 8] {
            a.map(|rank| core::array::from_fn(|at| rank[..=at].iter().fold(first, |sum, &byte| sum.wrapping_add(byte))))
        }
        fn high(self, a: [[u8; 8]; 8]) -> u64 {
            a.as_flattened().iter().enumerate().map(|(at, byte)| u64::from(byte >> 7) << at).sum()
        }
        fn all_right(self, places: [[u8; 8]; 8], sums: [[u8; 8]; 8], known: [[u8; 8]; 8]) -> bool {
            let bytes = places.as_flattened().iter().zip(sums.as_flattened()).zip(known.as_flattened());
            bytes.into_iter().all(|((&place, &sum), &known)| place >= 128 || known != 0 && sum <= 128)
        }
        fn bits(self, a: [[u8; 8]; 8]) -> [[u8; 8]; 8] {
            a.map(|rank| rank.map(|byte| if byte < 128 { 1 << (byte % 8) } else { 0 }))
        }
        fn planes(self, bits: [[u8; 8]; 8], codes: [[u8; 8]; 8], ranks: [[u8; 8]; 8]) -> [u64; 4] {
            core::array::from_fn(|plane| {
                let of_rank = |rank: usize| {
                    let has = |at: usize| match plane {
                        3 => ranks[rank][at].is_ascii_lowercase(),
                        _ => codes[rank][at] >> (KIND as usize + plane) & 1 != 0,
                    };
                    (0..8).filter(|&at| has(at)).fold(0, |all, at| all | bits[rank][at])
                };
                u64::from_be_bytes(core::array::from_fn(of_rank))
            })
        }
    }
}
