//! Boards of the caller: positions from them, and what is wrong with them.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
#[cfg(feature = "products")]
use core::ops::Range;
use core::{array, ptr, slice};

use slider_attacks::position::{BoardError, Castling, Color, Position, Positions};
use slider_attacks::{Backend, Square};

use crate::memory::{ElementBytes, Strided, input, offset, output, place, written};
use crate::positions::{SLA_BLACK, SLA_BOARDS, SLA_NO_SQUARE, exclusive, sla_color, sla_positions};
use crate::status::{
    CallResult, Failed, SLA_ERROR_CASTLING, SLA_ERROR_EN_PASSANT, SLA_ERROR_INTERNAL, SLA_ERROR_POSITION,
    SLA_ERROR_SIDE, call, fail, fail_at, sla_status,
};

/// Boards of the caller, of any layout: structures, or arrays. Calls read them where they are.
///
/// Strides are bytes from a position to the next one. In those of the last three arrays, 0 stands for no gaps. With all zeros but
/// `count`, `boards` and its strides, White is to move, without castling rights or en passant squares.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_board_view {
    /// The number of positions.
    pub count: usize,
    /// The bitboards of the first position: White's pawns, knights, bishops, rooks, queens and king, then Black's.
    pub boards: *const u64,
    /// From the bitboards of a position to those of the next one: 8 for arrays, the size of a structure for structures.
    pub position_stride: usize,
    /// From a bitboard of a position to the next one: 8 for structures, the size of an array for arrays.
    pub board_stride: usize,
    /// If this is not null, twelve pointers to the bitboards of the first position, in the same order; `boards` and
    /// `board_stride` are ignored then.
    pub arrays: *const *const u64,
    /// The sides to move. Null: White.
    pub side_to_move: *const sla_color,
    /// From one side to the next.
    pub side_stride: usize,
    /// The squares of the rooks that may castle, all of them on the first and the last rank. Null: none.
    pub castling: *const u64,
    /// From the rights of a position to those of the next one.
    pub castling_stride: usize,
    /// The en passant squares, on the third or the sixth rank, or `SLA_NO_SQUARE`. Null: none.
    pub en_passant: *const u8,
    /// From one en passant square to the next.
    pub en_passant_stride: usize,
}

/// What becomes of a position that is wrong, or of a line that is not a position.
pub type sla_on_error = u32;

/// It is left out.
pub const SLA_ON_ERROR_SKIP: sla_on_error = 0;
/// `k7/8/8/8/8/8/8/7K w - -` takes its place, so that all others keep their index.
pub const SLA_ON_ERROR_KEEP: sla_on_error = 1;

/// A position that is wrong, or a line that is not a position.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sla_bad_row {
    /// Its index: of the position, or of the line in the text, where blank lines and comments count.
    pub index: usize,
    /// The index of what took its place in the handle, or of the position that follows.
    pub position: usize,
    /// The column of the line where the mistake is, from 1; 0 for bitboards.
    pub column: usize,
    /// The error, as if it were alone.
    pub status: sla_status,
}

/// The caller's bitboards, whose addresses have been checked.
pub(crate) struct CallerBoards<'a> {
    pub count: usize,
    /// Where the bitboards of each kind begin, and the bytes from one to the next of the same kind.
    starts: [*const u64; SLA_BOARDS as usize],
    stride: usize,
    /// Whether the bitboards of a position follow each other.
    has_structures: bool,
    /// The lowest and the highest of the starts.
    bounds: [usize; 2],
    arrays: PhantomData<&'a [u64]>,
    sides: Option<Strided<u8>>,
    castling: Option<Strided<u64>>,
    en_passant: Option<Strided<u8>>,
}

/// The number of positions that are read at a time: they stay in the cache.
const BLOCK: usize = 128;

/// The same in short calls, for which more memory would have to be cleared in vain.
const SHORT: usize = 8;

/// The most boards other than arrays whose maps are computed without positions.
#[cfg(feature = "products")]
pub(crate) const MAPS: usize = 64;

/// The bitboards of some positions, by kind. They are written only if those of the caller are not arrays without gaps.
type BoardCopies<const N: usize> = [[MaybeUninit<u64>; N]; SLA_BOARDS as usize];

/// Some of the caller's positions, in arrays of the library.
struct BoardBlock<const N: usize> {
    boards: BoardCopies<N>,
    raw_sides: [u8; N],
    raw_castling: [u64; N],
    raw_en_passant: [u8; N],
    sides: [Color; N],
    castling: [Castling; N],
    en_passant: [Option<Square>; N],
}

impl<const N: usize> BoardBlock<N> {
    fn new() -> BoardBlock<N> {
        BoardBlock {
            boards: [[MaybeUninit::uninit(); N]; SLA_BOARDS as usize],
            raw_sides: [0; N],
            raw_castling: [0; N],
            raw_en_passant: [SLA_NO_SQUARE; N],
            sides: [Color::White; N],
            castling: [Castling::NONE; N],
            en_passant: [None; N],
        }
    }
}

/// The first two numbers of one and of the other array, and the second ones. The compiler does not find these instructions.
///
/// # Safety
///
/// Both have two.
#[inline(always)]
unsafe fn zipped(one: *const u64, two: *const u64) -> [[u64; 2]; 2] {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_loadu_si128, _mm_unpackhi_epi64, _mm_unpacklo_epi64};
        // SAFETY: by the contract of this function, and every CPU of this architecture has SSE2.
        unsafe {
            let (one, two) = (_mm_loadu_si128(one.cast()), _mm_loadu_si128(two.cast()));
            bytemuck::cast([_mm_unpacklo_epi64(one, two), _mm_unpackhi_epi64(one, two)])
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        // SAFETY: by the contract of this function.
        unsafe { [[*one, *two], [*one.add(1), *two.add(1)]] }
    }
}

/// Copies the bitboards of eight structures to places from `at` on. Each vector has four of two structures; two steps bring those of
/// one kind together:
///
/// ```text
/// a0 b0 c0 d0 | a2 b2 c2 d2      a0 a1 c0 c1 | a2 a3 c2 c3
/// a1 b1 c1 d1 | a3 b3 c3 d3  ->  b0 b1 d0 d1 | b2 b3 d2 d3  ->  a0 a1 a2 a3 | a4 a5 a6 a7
/// ```
///
/// Whole vectors are stored, because a load of a vector waits for the cache if it takes bytes of several stores.
///
/// # Safety
///
/// There are eight structures of twelve bitboards, `stride` bytes from one to the next.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn transpose_eight<const N: usize>(first: *const u64, stride: usize, boards: &mut BoardCopies<N>, at: usize) {
    use core::arch::x86_64::{
        _mm256_loadu_si256, _mm512_castsi256_si512, _mm512_inserti64x4, _mm512_shuffle_i64x2, _mm512_unpackhi_epi64,
        _mm512_unpacklo_epi64,
    };
    for (four, places) in boards.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        // SAFETY: by the contract of this function, for structures below eight.
        let load = |structure| unsafe { _mm256_loadu_si256(first.byte_add(structure * stride).add(4 * four).cast()) };
        let two = |one, other| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load(one)), load(other));
        let [even, odd, later_even, later_odd] = [two(0, 2), two(1, 3), two(4, 6), two(5, 7)];
        let (ac, bd) = (_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd));
        let (later_ac, later_bd) =
            (_mm512_unpacklo_epi64(later_even, later_odd), _mm512_unpackhi_epi64(later_even, later_odd));
        let kinds = [
            _mm512_shuffle_i64x2::<0b10_00_10_00>(ac, later_ac),
            _mm512_shuffle_i64x2::<0b10_00_10_00>(bd, later_bd),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(ac, later_ac),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(bd, later_bd),
        ];
        for (place, kind) in places.iter_mut().zip(kinds) {
            place[at..at + 8].write_copy_of_slice(&bytemuck::cast::<_, [u64; 8]>(kind));
        }
    }
}

/// Why a position is wrong.
enum BoardProblem {
    Side(u8),
    Castling(u64),
    OffBoard(u8),
    Board(BoardError),
}

impl BoardProblem {
    fn status(&self) -> sla_status {
        match self {
            BoardProblem::Side(_) => SLA_ERROR_SIDE,
            BoardProblem::Castling(_) => SLA_ERROR_CASTLING,
            BoardProblem::OffBoard(_) | BoardProblem::Board(BoardError::EnPassant { .. }) => SLA_ERROR_EN_PASSANT,
            BoardProblem::Board(_) => SLA_ERROR_POSITION,
        }
    }

    /// The error of a call that has found it at this index.
    fn failed(&self, index: usize) -> Failed {
        let fail =
            |text: core::fmt::Arguments<'_>| fail_at(self.status(), index, format_args!("position {index}: {text}"));
        match self {
            BoardProblem::Side(side) => {
                fail(format_args!("expected a side to move from 0 to {SLA_BLACK}, found {side}"))
            }
            BoardProblem::Castling(rooks) => {
                fail(format_args!("expected rooks on the first and the last rank as castling rights, found {rooks:#x}"))
            }
            BoardProblem::OffBoard(square) => fail(format_args!("en passant square {square} is not on the board")),
            BoardProblem::Board(error) => fail(format_args!("{error}")),
        }
    }
}

/// The squares of no first or last rank.
const MIDDLE: u64 = 0x00ff_ffff_ffff_ff00;

impl CallerBoards<'_> {
    /// No boards.
    pub const NONE: Self = CallerBoards {
        count: 0,
        starts: [ptr::null(); SLA_BOARDS as usize],
        stride: 0,
        has_structures: false,
        bounds: [0; 2],
        arrays: PhantomData,
        sides: None,
        castling: None,
        en_passant: None,
    };

    /// Checks the addresses of a view, and takes its boards in place of none: a copy of this takes longer than the checks.
    ///
    /// # Safety
    ///
    /// The arrays of the view are as it says, and nobody changes them during the call.
    #[inline(always)]
    pub unsafe fn set(&mut self, view: &sla_board_view) -> CallResult {
        let (count, stride) = (view.count, view.position_stride);
        // SAFETY: by the contract of this function.
        let is_input = |start: *const u64| unsafe { Strided::input("boards", start, stride, count).map(drop) };
        if view.arrays.is_null() {
            let last = offset(view.boards, self.starts.len() - 1, view.board_stride)?;
            // All others lie between these.
            is_input(view.boards)?;
            is_input(last)?;
            let board_stride = if view.boards.is_null() { 0 } else { view.board_stride };
            for (place, start) in self.starts.iter_mut().enumerate() {
                *start = view.boards.wrapping_byte_add(place * board_stride);
            }
            self.bounds = [view.boards.addr(), last.addr()];
        } else {
            if count > 0 {
                // SAFETY: by the contract of this function.
                self.starts.copy_from_slice(unsafe { input("arrays", view.arrays, SLA_BOARDS as usize)? });
            }
            self.starts.iter().try_for_each(|&start| is_input(start))?;
            let addresses = self.starts.map(|start| start.addr());
            self.bounds = addresses.iter().fold([usize::MAX, 0], |[low, high], &at| [low.min(at), high.max(at)]);
        }
        (self.count, self.stride) = (count, stride);
        self.has_structures = view.arrays.is_null() && view.board_stride == size_of::<u64>();
        // SAFETY: by the contract of this function.
        unsafe {
            self.sides = others("side_to_move", view.side_to_move, view.side_stride, count)?;
            self.castling = others("castling", view.castling, view.castling_stride, count)?;
            self.en_passant = others("en_passant", view.en_passant, view.en_passant_stride, count)?;
        }
        Ok(())
    }

    /// The bitboards of one kind.
    fn column(&self, place: usize) -> Strided<u64> {
        Strided::checked(self.starts[place], self.stride)
    }

    /// Whether the bitboards are arrays without gaps, which need not be copied.
    pub fn has_arrays(&self) -> bool {
        self.stride == size_of::<u64>()
    }

    /// The addresses from the first byte of all arrays to the last one.
    #[cfg(feature = "products")]
    #[inline(always)]
    pub fn span(&self) -> Range<usize> {
        let Some(last) = self.count.checked_sub(1) else { return 0..0 };
        let [low, high] = self.bounds;
        let mut span = low..high + last * self.stride + size_of::<u64>();
        let mut add = |other: Range<usize>| span = span.start.min(other.start)..span.end.max(other.end);
        if let Some(sides) = self.sides {
            add(sides.span(self.count));
        }
        if let Some(castling) = self.castling {
            add(castling.span(self.count));
        }
        if let Some(en_passant) = self.en_passant {
            add(en_passant.span(self.count));
        }
        span
    }

    /// The memory of all arrays, and what they are called.
    pub fn memory(&self) -> impl Iterator<Item = (&'static str, ElementBytes)> {
        let count = self.count;
        let bytes = |name, numbers: Strided<u8>| (name, numbers.element_bytes(count));
        let boards = self.starts.iter().map(move |&start| ("boards", ElementBytes::new(start, self.stride, count)));
        let sides = self.sides.map(|sides| bytes("side_to_move", sides));
        let castling = self.castling.map(|rooks| ("castling", rooks.element_bytes(count)));
        let en_passant = self.en_passant.map(|squares| bytes("en_passant", squares));
        boards.chain(sides).chain(castling).chain(en_passant)
    }

    /// Copies the bitboards of some positions, unless they are arrays without gaps.
    ///
    /// # Safety
    ///
    /// As for [`read`](CallerBoards::read).
    #[inline(always)]
    unsafe fn read_boards<const N: usize>(&self, start: usize, len: usize, boards: &mut BoardCopies<N>) {
        if self.has_arrays() {
            return;
        }
        if self.has_structures {
            // SAFETY: by the contract of this function.
            return unsafe { self.read_structures(start, len, boards) };
        }
        for (place, boards) in boards.iter_mut().enumerate() {
            // A loop whose number of steps the compiler knows takes less time.
            let boards = if len == N { &mut boards[..] } else { &mut boards[..len] };
            // SAFETY: by the contract of this function.
            unsafe { self.column(place).read(start, written(boards)) };
        }
    }

    /// The same for structures: eight at a time where the CPU has AVX-512, else two.
    ///
    /// # Safety
    ///
    /// As for [`read`](CallerBoards::read). The bitboards of a position follow each other.
    #[inline(always)]
    unsafe fn read_structures<const N: usize>(&self, start: usize, len: usize, boards: &mut BoardCopies<N>) {
        // SAFETY: by the contract of this function, for places below `len`.
        let structure = |at| unsafe { self.starts[0].byte_add((start + at) * self.stride) };
        #[cfg(target_arch = "x86_64")]
        let eights = if len >= 8 && is_x86_feature_detected!("avx512f") { len - len % 8 } else { 0 };
        #[cfg(not(target_arch = "x86_64"))]
        let eights = 0;
        #[cfg(target_arch = "x86_64")]
        for at in (0..eights).step_by(8) {
            // SAFETY: there are eight more, and the CPU has AVX-512.
            unsafe { transpose_eight(structure(at), self.stride, boards, at) };
        }
        let pairs = len - len % 2;
        for at in (eights..pairs).step_by(2) {
            let (one, two) = (structure(at), structure(at + 1));
            for place in (0..SLA_BOARDS as usize).step_by(2) {
                // SAFETY: both structures have two more bitboards.
                let [even, odd] = unsafe { zipped(one.add(place), two.add(place)) };
                boards[place][at..at + 2].write_copy_of_slice(&even);
                boards[place + 1][at..at + 2].write_copy_of_slice(&odd);
            }
        }
        if pairs < len {
            let last = structure(pairs);
            for (place, boards) in boards.iter_mut().enumerate() {
                // SAFETY: by the contract of this function.
                boards[pairs].write(unsafe { *last.add(place) });
            }
        }
    }

    /// Whether sides, rights and squares of all positions are in order.
    ///
    /// # Safety
    ///
    /// The arrays still are as the constructor demands.
    #[cfg(feature = "products")]
    unsafe fn has_valid_fields(&self) -> bool {
        let places = || 0..self.count;
        // SAFETY: by the contract of this function.
        unsafe {
            self.sides.is_none_or(|sides| places().all(|at| sides.get(at) <= SLA_BLACK))
                && self.castling.is_none_or(|rooks| places().all(|at| rooks.get(at) & MIDDLE == 0))
                && self
                    .en_passant
                    .is_none_or(|squares| places().all(|at| matches!(squares.get(at), SLA_NO_SQUARE | 16..24 | 40..48)))
        }
    }

    /// Computes the attack maps of both colours without positions, which takes less time in short calls. Returns whether it has: if
    /// something is wrong, nothing has been written.
    ///
    /// # Safety
    ///
    /// The arrays still are as the constructor demands.
    #[cfg(feature = "products")]
    pub unsafe fn maps(&self, backend: Backend, out: [&mut [u64]; 2]) -> bool {
        // SAFETY: by the contract of this function.
        unsafe {
            self.has_valid_fields()
                && if self.count <= SHORT || self.has_arrays() {
                    self.maps_of_block::<SHORT>(backend, out)
                } else {
                    self.count <= MAPS && self.maps_of_block::<MAPS>(backend, out)
                }
        }
    }

    /// # Safety
    ///
    /// As for [`maps`](CallerBoards::maps).
    #[cfg(feature = "products")]
    unsafe fn maps_of_block<const N: usize>(&self, backend: Backend, out: [&mut [u64]; 2]) -> bool {
        let mut copies: BoardCopies<N> = [[MaybeUninit::uninit(); N]; SLA_BOARDS as usize];
        // SAFETY: by the contract of this function.
        unsafe { self.read_boards(0, self.count, &mut copies) };
        backend.attack_maps_of_arrays(self.kinds(0, self.count, &copies), out).is_ok()
    }

    /// Reads some positions into a block. Returns whether sides, rights and squares are in order.
    ///
    /// # Safety
    ///
    /// The arrays still are as the constructor demands, and `start + len` is at most `self.count`.
    unsafe fn read<const N: usize>(&self, start: usize, len: usize, block: &mut BoardBlock<N>) -> bool {
        let mut is_wrong = false;
        // SAFETY: by the contract of this function.
        unsafe { self.read_boards(start, len, &mut block.boards) };
        if let Some(sides) = self.sides {
            let raw = &mut block.raw_sides[..len];
            // SAFETY: by the contract of this function.
            unsafe { sides.read(start, raw) };
            for (side, &raw) in block.sides.iter_mut().zip(&*raw) {
                is_wrong |= raw > SLA_BLACK;
                *side = if raw == SLA_BLACK { Color::Black } else { Color::White };
            }
        }
        if let Some(castling) = self.castling {
            let raw = &mut block.raw_castling[..len];
            // SAFETY: by the contract of this function.
            unsafe { castling.read(start, raw) };
            for (castling, &raw) in block.castling.iter_mut().zip(&*raw) {
                is_wrong |= raw & MIDDLE != 0;
                *castling = Castling::from_rooks(raw);
            }
        }
        if let Some(squares) = self.en_passant {
            let raw = &mut block.raw_en_passant[..len];
            // SAFETY: by the contract of this function.
            unsafe { squares.read(start, raw) };
            for (square, &raw) in block.en_passant.iter_mut().zip(&*raw) {
                is_wrong |= raw > SLA_NO_SQUARE;
                *square = Square::new(raw);
            }
        }
        is_wrong
    }

    /// Adds some positions.
    ///
    /// # Errors
    ///
    /// The first one that is wrong: then none has been added.
    ///
    /// # Safety
    ///
    /// The arrays still are as the constructor demands, and `start + count` is at most `self.count`.
    pub unsafe fn add(&self, start: usize, count: usize, positions: &mut Positions) -> CallResult {
        // SAFETY: by the contract of this function.
        unsafe {
            if count <= SHORT {
                self.add_blocks::<SHORT>(start, count, positions)
            } else {
                self.add_blocks::<BLOCK>(start, count, positions)
            }
        }
    }

    /// # Safety
    ///
    /// As for [`add`](CallerBoards::add).
    unsafe fn add_blocks<const N: usize>(&self, first: usize, count: usize, positions: &mut Positions) -> CallResult {
        let before = positions.len();
        let mut block = BoardBlock::<N>::new();
        for start in (first..first + count).step_by(N) {
            let len = N.min(first + count - start);
            // SAFETY: by the contract of this function.
            let is_wrong = unsafe { self.read(start, len, &mut block) };
            if is_wrong || !self.push(start, len, &block, positions) {
                positions.truncate(before);
                let wrong = (0..len).find_map(|at| Some(self.problem(start, &block, at)?.failed(start + at)));
                return Err(wrong.unwrap_or_else(changing));
            }
        }
        Ok(())
    }

    /// The same, and tells of each that is wrong.
    ///
    /// # Safety
    ///
    /// The arrays still are as the constructor demands.
    unsafe fn add_valid(&self, positions: &mut Positions, keep: bool, bad: &mut dyn FnMut(sla_bad_row)) {
        let mut block = BoardBlock::<BLOCK>::new();
        for start in (0..self.count).step_by(BLOCK) {
            let len = BLOCK.min(self.count - start);
            // SAFETY: by the contract of this function.
            let is_wrong = unsafe { self.read(start, len, &mut block) };
            if !is_wrong && self.push(start, len, &block, positions) {
                continue;
            }
            for at in 0..len {
                let made = match self.problem(start, &block, at) {
                    None => self.position(start, &block, at).ok(),
                    Some(problem) => {
                        let (position, status) = (positions.len(), problem.status());
                        bad(sla_bad_row { index: start + at, position, column: 0, status });
                        keep.then(placeholder)
                    }
                };
                positions.extend(made);
            }
        }
    }

    /// Adds the first positions of a block, which begins with position `start`. Returns whether they were right; otherwise nothing has
    /// been added.
    fn push<const N: usize>(&self, start: usize, len: usize, block: &BoardBlock<N>, positions: &mut Positions) -> bool {
        let pieces = self.kinds(start, len, &block.boards);
        positions.push_arrays(pieces, &block.sides[..len], &block.castling[..len], &block.en_passant[..len]).is_ok()
    }

    /// The bitboards of each kind in the first positions of a block, as [`boards`](CallerBoards::boards) returns them.
    #[inline(always)]
    fn kinds<'b, const N: usize>(
        &'b self,
        start: usize,
        len: usize,
        copies: &'b BoardCopies<N>,
    ) -> [[&'b [u64]; 6]; 2] {
        let board = |place| self.boards(place, start, len, copies);
        // Written out: `array::from_fn` is not always inlined.
        let white = [board(0), board(1), board(2), board(3), board(4), board(5)];
        [white, [board(6), board(7), board(8), board(9), board(10), board(11)]]
    }

    /// The bitboards of one kind in the first positions of a block, which begins with position `start`, and whose boards have been read.
    #[inline(always)]
    fn boards<'b, const N: usize>(
        &'b self,
        place: usize,
        start: usize,
        len: usize,
        copies: &'b BoardCopies<N>,
    ) -> &'b [u64] {
        if self.has_arrays() {
            debug_assert!(start + len <= self.count);
            // SAFETY: by the contract of the constructor, which has checked the addresses, and of `read_boards`, which was called before.
            unsafe { slice::from_raw_parts(self.starts[place].add(start), len) }
        } else {
            // SAFETY: `read_boards` has written so many.
            unsafe { copies[place][..len].assume_init_ref() }
        }
    }

    /// A position of a block that begins with position `start`.
    fn position<const N: usize>(&self, start: usize, block: &BoardBlock<N>, at: usize) -> Result<Position, BoardError> {
        let board = |place| self.boards(place, start, at + 1, &block.boards)[at];
        let pieces = [0, 6].map(|from| array::from_fn(|piece| board(from + piece)));
        Position::new(pieces, block.sides[at], block.castling[at], block.en_passant[at])
    }

    /// What is wrong with a position of a block.
    #[cold]
    fn problem<const N: usize>(&self, start: usize, block: &BoardBlock<N>, at: usize) -> Option<BoardProblem> {
        let (side, rooks, square) = (block.raw_sides[at], block.raw_castling[at], block.raw_en_passant[at]);
        if side > SLA_BLACK {
            return Some(BoardProblem::Side(side));
        }
        if rooks & MIDDLE != 0 {
            return Some(BoardProblem::Castling(rooks));
        }
        if square > SLA_NO_SQUARE {
            return Some(BoardProblem::OffBoard(square));
        }
        self.position(start, block, at).err().map(BoardProblem::Board)
    }
}

/// Two kings, as in the readers and in the Arrow layer.
fn placeholder() -> Position {
    let (white, black) = ([0, 0, 0, 0, 0, 1 << 7], [0, 0, 0, 0, 0, 1 << 56]);
    Position::new([white, black], Color::White, Castling::NONE, None).expect("two kings are a position")
}

/// The error of a call during which somebody else has changed its arrays.
#[cold]
fn changing() -> Failed {
    fail(SLA_ERROR_INTERNAL, format_args!("the boards have changed during the call"))
}

/// An array with one element per position, unless it is null. A stride of 0 stands for no gaps.
///
/// # Safety
///
/// As for [`Strided::input`].
#[inline(always)]
unsafe fn others<T: Copy>(name: &str, start: *const T, stride: usize, count: usize) -> CallResult<Option<Strided<T>>> {
    if start.is_null() {
        return Ok(None);
    }
    let stride = if stride == 0 { size_of::<T>() } else { stride };
    // SAFETY: by the contract of this function.
    unsafe { Strided::input(name, start, stride, count).map(Some) }
}

/// Adds positions of bitboards. Board `k` of position `i` is `position_stride * i + board_stride * k` bytes after `boards`.
///
/// The other arrays have one number per position, contiguously. Each may be null: by default White is to move, without
/// castling rights or an en passant square. `castling` has the squares of the rooks that may castle, which are on the first and
/// the last rank. An en passant square is on the third or sixth rank, or `SLA_NO_SQUARE`. `sla_positions_add_view` takes
/// other layouts.
///
/// Errors: those of `sla_positions_add_view`. Then nothing has been added.
///
/// # Safety
///
/// The arrays are as described. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during
/// the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_add(
    positions: *mut sla_positions,
    boards: *const u64,
    position_stride: usize,
    board_stride: usize,
    side_to_move: *const sla_color,
    castling: *const u64,
    en_passant: *const u8,
    count: usize,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        let positions = unsafe { exclusive(positions)? };
        let view = sla_board_view {
            count,
            boards,
            position_stride,
            board_stride,
            arrays: ptr::null(),
            side_to_move,
            side_stride: 0,
            castling,
            castling_stride: 0,
            en_passant,
            en_passant_stride: 0,
        };
        // SAFETY: by the contract of this function.
        unsafe {
            let mut boards = CallerBoards::NONE;
            boards.set(&view)?;
            boards.add(0, count, positions)
        }
    })
}

/// Adds the positions of a view.
///
/// Errors: `SLA_ERROR_SIDE`, `SLA_ERROR_CASTLING`, `SLA_ERROR_EN_PASSANT` and `SLA_ERROR_POSITION`, with the index of the first
/// position that is wrong, which `sla_error_index` returns; and those of memory. Then nothing has been added.
///
/// # Safety
///
/// The arrays are as the view says. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during
/// the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_add_view(
    positions: *mut sla_positions,
    view: *const sla_board_view,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            let (positions, mut boards) = (exclusive(positions)?, CallerBoards::NONE);
            boards.set(&*place("view", view.cast_mut())?)?;
            boards.add(0, boards.count, positions)
        }
    })
}

/// Adds the positions of a view that are right, and lists those that are wrong: the first `capacity` of them in `bad`, in their
/// order, and how many there are in `total`. These are no error.
///
/// Errors: `SLA_ERROR_UNKNOWN` for `on_error`, and those of memory. Then nothing has been added.
///
/// # Safety
///
/// The arrays are as the view says. There is room for `capacity` descriptions at `bad`, and for a number at `total`, and they share
/// no memory. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_add_valid(
    positions: *mut sla_positions,
    view: *const sla_board_view,
    on_error: sla_on_error,
    bad: *mut sla_bad_row,
    capacity: usize,
    total: *mut usize,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            let (positions, mut boards) = (exclusive(positions)?, CallerBoards::NONE);
            boards.set(&*place("view", view.cast_mut())?)?;
            let inputs = boards.memory().chain([("view", ElementBytes::of_array(view, 1))]);
            list_bad(on_error, inputs, bad, capacity, total, |keep, bad| {
                boards.add_valid(positions, keep, bad);
                Ok(())
            })
        }
    })
}

/// Does work that tells of bad rows, and lists these, unless it fails. They share no memory with the inputs.
///
/// # Safety
///
/// There is room for `capacity` descriptions, and for the total.
pub(crate) unsafe fn list_bad(
    on_error: sla_on_error,
    inputs: impl Iterator<Item = (&'static str, ElementBytes)>,
    bad: *mut sla_bad_row,
    capacity: usize,
    total: *mut usize,
    work: impl FnOnce(bool, &mut dyn FnMut(sla_bad_row)) -> CallResult,
) -> CallResult {
    let keep = crate::memory::numbered("way to treat errors", &[false, true], on_error)?;
    crate::memory::apart(("bad", bad, capacity), ("total", total, 1))?;
    for other in inputs {
        ElementBytes::of_array(bad, capacity).apart("bad", other)?;
        ElementBytes::of_array(total, 1).apart("total", other)?;
    }
    // SAFETY: by the contract of this function.
    let (rows, total) = unsafe { (output("bad", bad, capacity)?, place("total", total)?) };
    let (mut found, mut listed) = (0, Vec::new());
    work(keep, &mut |row| {
        if listed.len() < rows.len() {
            listed.push(row);
        }
        found += 1;
    })?;
    for (room, row) in rows.iter_mut().zip(listed) {
        room.write(row);
    }
    // SAFETY: by the contract of this function, and it has been checked.
    unsafe { *total = found };
    Ok(())
}

/// Adds the positions of a text as `sla_positions_read` reads it, and lists the lines that are none: the first `capacity` of them in
/// `bad`, in their order, and how many there are in `total`. These are no error.
///
/// Errors: `SLA_ERROR_UNKNOWN` for a backend and for `on_error`, and those of memory. Then nothing has been added.
///
/// # Safety
///
/// `text` has `length` bytes. There is room for `capacity` descriptions at `bad`, and for a number at `total`, and they share no
/// memory. The handle is from `sla_positions_new` and has not been freed. No other thread uses it during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sla_positions_read_valid(
    positions: *mut sla_positions,
    backend: crate::backends::sla_backend,
    text: *const core::ffi::c_char,
    length: usize,
    on_error: sla_on_error,
    bad: *mut sla_bad_row,
    capacity: usize,
    total: *mut usize,
) -> sla_status {
    call(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            let (positions, text) = (exclusive(positions)?, input("text", text.cast::<u8>(), length)?);
            let backend = crate::backends::backend(backend)?;
            let inputs = [("text", ElementBytes::of_array(text.as_ptr(), text.len()))].into_iter();
            list_bad(on_error, inputs, bad, capacity, total, |keep, bad| {
                let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
                read_valid(backend, text, positions, keep, bad);
                Ok(())
            })
        }
    })
}

/// Reads the lines of a text, and tells of those that are no positions.
fn read_valid(
    backend: Backend,
    mut text: &[u8],
    positions: &mut Positions,
    keep: bool,
    bad: &mut dyn FnMut(sla_bad_row),
) {
    let mut line = 0;
    while !text.is_empty() {
        let before = positions.len();
        let read = backend.push_lines(text, usize::MAX, positions);
        // Each line that has been read is a position.
        line += positions.len() - before;
        text = &text[read..];
        let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len());
        let (one, rest) = text.split_at(end);
        if !matches!(one.trim_ascii_start().first(), None | Some(b'#'))
            && let Err(error) = positions.push_fen(one)
        {
            let (position, status) = (positions.len(), SLA_ERROR_POSITION);
            bad(sla_bad_row { index: line, position, column: error.column, status });
            positions.extend(keep.then(placeholder));
        }
        line += 1;
        text = rest.strip_prefix(b"\r\n").or(rest.get(1..)).unwrap_or_default();
    }
}
