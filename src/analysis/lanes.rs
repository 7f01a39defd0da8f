//! Products as plain arithmetic on 64-bit words, one position per lane.
//!
//! A product is written for one position, without branches. The loops here run it over blocks of positions, and the
//! compiler turns the blocks into vectors, in the instruction set of the backend. With GFNI, the last step of products of
//! numbers is an entry of the backend ([`Backend::numbers`]).

use core::mem::MaybeUninit;
use core::ops::Range;

use super::king_lines::OnLines;
use super::shared::{Needs, SharedSets};
use crate::batch::entries::{Planes, Task};
use crate::batch::lists::room;
use crate::batch::scalar::numbers_of;
use crate::position::{Color, Piece, PositionSlice};
use crate::{Backend, BatchError};

/// The pieces of one colour in one position.
#[derive(Clone, Copy)]
pub(super) struct SidePieces {
    pub pawns: u64,
    pub knights: u64,
    /// Rooks and queens.
    pub orthogonal: u64,
    /// Bishops and queens.
    pub diagonal: u64,
    pub king: u64,
    /// All of them.
    pub all: u64,
}

impl SidePieces {
    /// These pieces by kind, and all of them.
    #[inline(always)]
    fn of([pawns, knights, bishops, rooks, queens, king]: [u64; 6], all: u64) -> SidePieces {
        SidePieces { pawns, knights, orthogonal: rooks | queens, diagonal: bishops | queens, king, all }
    }
}

/// One position, seen from one colour.
#[derive(Clone, Copy)]
pub(super) struct SideView {
    pub own: SidePieces,
    pub enemy: SidePieces,
    /// All ones if that colour is white, else zero.
    pub white: u64,
}

impl SideView {
    /// One of these positions.
    #[inline(always)]
    pub fn of(positions: PositionSlice<'_>, index: usize, color: Color) -> SideView {
        let ([white, black], [all_white, all_black]) = positions.boards(index);
        let (white, black) = (SidePieces::of(white, all_white), SidePieces::of(black, all_black));
        match color {
            Color::White => SideView { own: white, enemy: black, white: !0 },
            Color::Black => SideView { own: black, enemy: white, white: 0 },
        }
    }

    #[inline(always)]
    pub fn occupied(&self) -> u64 {
        self.own.all | self.enemy.all
    }

    #[inline(always)]
    pub fn empty(&self) -> u64 {
        !self.occupied()
    }

    /// Seen from the other colour.
    #[inline(always)]
    pub fn turned(&self) -> SideView {
        SideView { own: self.enemy, enemy: self.own, white: !self.white }
    }
}

/// A product of one bitboard per position.
pub(super) trait Bitboard: Copy {
    /// Which sets it shares with other products.
    const NEEDS: Needs = Needs::Attacks;
    /// The scan along the lines of kings that computes it.
    const ON_LINES: Option<OnLines> = None;

    /// The product. `sets` are those of `board`.
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64;
}

/// A product of one number per square, below 32: the bits of the numbers as bitboards, lowest bits first.
pub(super) trait Numbers: Copy {
    fn compute(self, board: &SideView) -> [u64; 5];
}

/// The number of positions in a block, which is that of [`Planes`].
///
/// Full blocks have loops of their own, whose number of steps the compiler knows. With rounds alone, a map takes 0.94 of the time on
/// AVX-512, but 1.24 on AVX2, where two vectors at once need more registers than there are.
pub(super) const BLOCK: usize = 64;

/// The number of positions of a round, in which the rest is computed: a vector of AVX-512. Only calls for fewer positions leave lanes
/// unused.
pub(super) const LANES: usize = 8;

/// Whether so few positions take less time one after the other, without vectors: a round takes as long for one as for all of its
/// lanes. Nanoseconds per call for one position, and for each further one (Granite Rapids with `avx512-gfni`, November 2026):
///
/// | product | a round | one | one more |
/// |---|---|---|---|
/// | attack map | 50 | 17 | 13 |
/// | hanging | 62 | 25 | 22 |
/// | forks | 77 | 37 | 34 |
/// | counts of attackers | 93 | 33 | 29 |
/// | legal moves | 137 | 63 | 61 |
///
/// A round of a map takes 62 ns with AVX2, and 89 with 128 bits.
pub(super) fn are_singles(backend: Backend, len: usize) -> bool {
    let most = match backend.words() {
        8 => 2,
        4 => 3,
        _ => 5,
    };
    HAS_BLOCKS && len <= most
}

/// Whether there are loops for full blocks. The code for WebAssembly has no vectors, and should be short: it
/// takes the rounds alone.
pub(super) const HAS_BLOCKS: bool = !cfg!(target_family = "wasm");

/// Calls `$of` with each round of `$len` positions: its number of lanes, and where it begins.
macro_rules! for_each_round {
    ($len:expr, |$lanes:ident, $start:ident| $of:expr) => {{
        use $crate::analysis::lanes::{BLOCK, HAS_BLOCKS, LANES, rounds};
        let len = $len;
        let full = if HAS_BLOCKS { len - len % BLOCK } else { 0 };
        for $start in (0..full).step_by(BLOCK) {
            const $lanes: usize = BLOCK;
            $of
        }
        for $start in rounds(full..len) {
            const $lanes: usize = LANES;
            $of
        }
    }};
}
pub(super) use for_each_round;

/// Where the rounds of some positions begin. The last one goes back to be full, if there are enough positions before it: it computes
/// some of them again.
#[inline(always)]
pub(super) fn rounds(positions: Range<usize>) -> impl Iterator<Item = usize> {
    let last = positions.end.saturating_sub(LANES);
    positions.step_by(LANES).map(move |start| start.min(last))
}

/// The blocks of `len` positions. The last one has a full round, if there are enough positions.
#[inline(always)]
pub(super) fn blocks(len: usize) -> impl Iterator<Item = Range<usize>> {
    let last = len.saturating_sub(LANES);
    (0..len).step_by(BLOCK).map(move |start| start.min(last)..len.min(start + BLOCK))
}

/// Computes a product of all positions, as seen from `color`.
pub(super) fn fill<P: Bitboard>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: &mut [u64],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    let is_short = are_singles(backend, out.len());
    if let Some(on_lines) = P::ON_LINES.filter(|on_lines| is_short || on_lines.is_faster(backend)) {
        on_lines.fill(positions, color, out);
        return Ok(());
    }
    if is_short {
        fill_singles(product, positions, color, out);
        return Ok(());
    }
    let (mut padded, mut columns) = (PaddedRound::new(), PositionArrays::new(positions, color));
    columns.fill_round(&mut padded);
    backend.perform(Loop { columns: &columns, product, out });
    Ok(())
}

/// Computes a product of few positions. Not inlined, so that its stack is no part of that of other calls.
#[inline(never)]
fn fill_singles<P: Bitboard>(product: P, positions: PositionSlice<'_>, color: Color, out: &mut [u64]) {
    for (index, out) in out.iter_mut().enumerate() {
        let board = SideView::of(positions, index, color);
        *out = product.compute(&board, board);
    }
}

struct Loop<'a, P> {
    columns: &'a PositionArrays<'a, [u64]>,
    product: P,
    out: &'a mut [u64],
}

impl<P: Bitboard> Task for Loop<'_, P> {
    const MOVES_BYTES: bool = false;

    #[inline(always)]
    fn perform(self) {
        let Loop { columns, product, out } = self;
        let columns = columns.of_one_length();
        for_each_round!(out.len(), |N, start| {
            let round = columns.round::<N>(start);
            // A separate array, so that the compiler sees that no store changes later reads.
            let mut results = [0; N];
            for (lane, result) in results.iter_mut().enumerate() {
                let board = round.board(lane);
                *result = product.compute(&board, board);
            }
            copy_round(&results, &mut out[start..]);
        });
    }
}

/// Where numbers go: one of each square, or the bits of the numbers, lowest bits first.
enum NumbersOut<'a> {
    Squares(&'a mut [[u8; 64]]),
    Planes([&'a mut [u64]; 5]),
}

impl NumbersOut<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        match self {
            NumbersOut::Squares(squares) => squares.len(),
            NumbersOut::Planes([plane, ..]) => plane.len(),
        }
    }
}

/// Both kinds of output share one task, because its code is long and compiled once per instruction set.
struct NumbersLoop<'a, P> {
    backend: Backend,
    columns: &'a PositionArrays<'a, [u64]>,
    product: P,
    out: NumbersOut<'a>,
}

impl<P: Numbers> Task for NumbersLoop<'_, P> {
    #[inline(always)]
    fn perform(self) {
        let NumbersLoop { backend, columns, product, mut out } = self;
        let columns = columns.of_one_length();
        for places in blocks(out.len()) {
            let mut planes: Planes = [[0; BLOCK]; 5];
            if HAS_BLOCKS && places.len() == BLOCK {
                write_planes(product, &columns.round(places.start), &mut planes);
            } else {
                for at in rounds(0..places.len()) {
                    let mut of_round = [[0; LANES]; 5];
                    write_planes(product, &columns.round(places.start + at), &mut of_round);
                    for (plane, of_round) in planes.iter_mut().zip(of_round) {
                        plane[at..at + LANES].copy_from_slice(&of_round);
                    }
                }
            }
            match &mut out {
                NumbersOut::Squares(out) => backend.numbers(&planes, &mut out[places]),
                NumbersOut::Planes(out) => {
                    for (out, plane) in out.iter_mut().zip(&planes) {
                        out[places.clone()].copy_from_slice(&plane[..places.len()]);
                    }
                }
            }
        }
    }
}

/// The bits of the numbers of a round.
#[inline(always)]
fn write_planes<P: Numbers, const N: usize>(
    product: P,
    round: &PositionArrays<'_, [u64; N]>,
    planes: &mut [[u64; N]; 5],
) {
    for lane in 0..N {
        let of_lane = product.compute(&round.board(lane));
        for (plane, of_lane) in planes.iter_mut().zip(of_lane) {
            plane[lane] = of_lane;
        }
    }
}

/// Computes a product of numbers of all positions, as seen from `color`.
pub(super) fn fill_numbers<P: Numbers>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: &mut [[u8; 64]],
) -> Result<(), BatchError> {
    lengths_match(positions, out.len())?;
    perform_numbers(backend, product, positions, color, NumbersOut::Squares(out));
    Ok(())
}

/// The same as the bits of the numbers, lowest bits first.
pub(super) fn fill_planes<P: Numbers>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: [&mut [u64]; 5],
) -> Result<(), BatchError> {
    out.iter().try_for_each(|out| lengths_match(positions, out.len()))?;
    perform_numbers(backend, product, positions, color, NumbersOut::Planes(out));
    Ok(())
}

fn perform_numbers<P: Numbers>(
    backend: Backend,
    product: P,
    positions: PositionSlice<'_>,
    color: Color,
    out: NumbersOut<'_>,
) {
    if are_singles(backend, out.len()) {
        return write_singles(product, positions, color, out);
    }
    let (mut padded, mut columns) = (PaddedRound::new(), PositionArrays::new(positions, color));
    columns.fill_round(&mut padded);
    backend.perform(NumbersLoop { backend, columns: &columns, product, out });
}

/// Computes the numbers of few positions.
#[inline(never)]
fn write_singles<P: Numbers>(product: P, positions: PositionSlice<'_>, color: Color, mut out: NumbersOut<'_>) {
    for index in 0..out.len() {
        let bits = product.compute(&SideView::of(positions, index, color));
        match &mut out {
            NumbersOut::Squares(out) => out[index] = numbers_of(bits),
            NumbersOut::Planes(out) => {
                for (plane, bits) in out.iter_mut().zip(bits) {
                    plane[index] = bits;
                }
            }
        }
    }
}

pub(super) fn lengths_match(positions: PositionSlice<'_>, out: usize) -> Result<(), BatchError> {
    let positions = positions.len();
    if positions == out { Ok(()) } else { Err(BatchError::PositionLengthMismatch { positions, out }) }
}

/// The arrays that products are computed from, or a block of each: for each colour, its pieces by kind, and all of them.
pub(super) struct PositionArrays<'a, T: ?Sized> {
    pub own: [&'a T; 7],
    pub enemy: [&'a T; 7],
    pub white: u64,
}

impl<'a> PositionArrays<'a, [u64]> {
    /// Not inlined, so that the arrays are written once, where they stay. A copy of them is a call, which takes longer.
    #[inline(never)]
    pub fn new(positions: PositionSlice<'a>, color: Color) -> Self {
        let columns = |color| {
            let of = |piece: Piece| positions.pieces(color, piece);
            let [pawns, knights, bishops] = [of(Piece::Pawn), of(Piece::Knight), of(Piece::Bishop)];
            [pawns, knights, bishops, of(Piece::Rook), of(Piece::Queen), of(Piece::King), positions.color(color)]
        };
        let white = if color == Color::White { !0 } else { 0 };
        PositionArrays { own: columns(color), enemy: columns(color.other()), white }
    }

    /// Takes copies in `padded`, with zeros behind, in place of arrays that are too short for a round.
    #[inline(always)]
    pub fn fill_round(&mut self, padded: &'a mut PaddedRound) {
        if self.own[0].len() < LANES {
            self.pad(room(&mut padded.0));
        }
    }

    #[inline(never)]
    fn pad(&mut self, [own, enemy]: &'a mut [[[u64; LANES]; 7]; 2]) {
        for (padded, column) in own.iter_mut().chain(&mut *enemy).zip(self.own.iter().chain(&self.enemy)) {
            *padded = [0; LANES];
            copy_few(column, padded);
        }
        let slices = |padded: &'a [[u64; LANES]; 7]| each(padded.each_ref(), <[u64; LANES]>::as_slice);
        (self.own, self.enemy) = (slices(own), slices(enemy));
    }

    /// The same arrays, in a form that shows the compiler that they have one length.
    #[inline(always)]
    pub fn of_one_length(&self) -> Self {
        let len = self.own[0].len();
        let of_length = |column: &'a [u64]| &column[..len];
        PositionArrays { own: each(self.own, of_length), enemy: each(self.enemy, of_length), white: self.white }
    }

    /// The round that begins with position `start`.
    #[inline(always)]
    pub fn round<const N: usize>(&self, start: usize) -> PositionArrays<'a, [u64; N]> {
        let round = |column: &'a [u64]| column[start..].first_chunk().expect(FULL);
        PositionArrays { own: each(self.own, round), enemy: each(self.enemy, round), white: self.white }
    }

    /// The block that begins with position `start`. The last block is copied to `padded` if it is not full.
    #[inline(always)]
    pub fn block<'b>(&self, start: usize, [own, enemy]: &'b mut PaddedLanes) -> PositionArrays<'b, [u64; BLOCK]>
    where
        'a: 'b,
    {
        PositionArrays { own: block(self.own, start, own), enemy: block(self.enemy, start, enemy), white: self.white }
    }
}

pub(super) type PaddedLanes = [[[u64; BLOCK]; 7]; 2];

/// Copies of arrays that are too short for a round.
#[repr(align(64))] // a vector of 64 bytes that lies in two cache lines takes longer
pub(super) struct PaddedRound(MaybeUninit<[[[u64; LANES]; 7]; 2]>);

impl PaddedRound {
    /// Memory for them. Most calls are not short, and need none of it.
    #[inline(always)]
    pub const fn new() -> PaddedRound {
        PaddedRound(MaybeUninit::uninit())
    }
}

/// Like `map` of an array, which is not always inlined.
#[inline(always)]
fn each<T, U>(columns: [T; 7], of: impl Fn(T) -> U) -> [U; 7] {
    let [pawns, knights, bishops, rooks, queens, king, all] = columns;
    [of(pawns), of(knights), of(bishops), of(rooks), of(queens), of(king), of(all)]
}

/// Copies less than a round. A call that copies any number of words would take longer.
#[inline(always)]
pub(super) fn copy_few(from: &[u64], to: &mut [u64; LANES]) {
    let len = from.len();
    if let (Some(first), Some(last)) = (from.first_chunk::<4>(), from.last_chunk::<4>()) {
        to[..4].copy_from_slice(first);
        to[len - 4..len].copy_from_slice(last);
    } else if let (Some(first), Some(last)) = (from.first_chunk::<2>(), from.last_chunk::<2>()) {
        to[..2].copy_from_slice(first);
        to[len - 2..len].copy_from_slice(last);
    } else if let [one] = from {
        to[0] = *one;
    }
}

const FULL: &str = "all rounds are full";

/// Writes the results of a round, or those there is room for.
#[inline(always)]
pub(super) fn copy_round<T: Copy, const N: usize>(results: &[T; N], out: &mut [T]) {
    match out.first_chunk_mut() {
        Some(out) => *out = *results,
        None => copy_part(*results, out),
    }
}

/// Not inlined, as the compiler would copy full rounds by the same call of any length: both maps of eight boards would take 1.04. Takes
/// the results by value: an address that escapes would make it check, round by round, that no store changes later reads.
#[inline(never)]
fn copy_part<T: Copy, const N: usize>(results: [T; N], out: &mut [T]) {
    out.copy_from_slice(&results[..out.len()]);
}

#[inline(always)]
fn block<'a>(columns: [&'a [u64]; 7], start: usize, padded: &'a mut [[u64; BLOCK]; 7]) -> [&'a [u64; BLOCK]; 7] {
    let columns = each(columns, |column| &column[start..]);
    if columns[0].len() >= BLOCK {
        return each(columns, |column| column.first_chunk().expect("the columns are of one length"));
    }
    copy_rest(&columns, padded);
    padded.each_ref()
}

/// Copies columns that are shorter than a block. Not inlined, as all products have such a rest.
#[inline(never)]
fn copy_rest(columns: &[&[u64]; 7], padded: &mut [[u64; BLOCK]; 7]) {
    for (padded, column) in padded.iter_mut().zip(columns) {
        match padded.first_chunk_mut() {
            Some(few) if column.len() < LANES => copy_few(column, few),
            _ => padded[..column.len()].copy_from_slice(column),
        }
    }
}

impl<'a> PositionArrays<'a, [u64; BLOCK]> {
    /// The round of a block that begins with lane `at`.
    #[inline(always)]
    pub fn part<const N: usize>(&self, at: usize) -> PositionArrays<'a, [u64; N]> {
        let part = |lanes: &'a [u64; BLOCK]| lanes[at..].first_chunk().expect(FULL);
        PositionArrays { own: each(self.own, part), enemy: each(self.enemy, part), white: self.white }
    }
}

impl<const N: usize> PositionArrays<'_, [u64; N]> {
    /// Seen from the other colour.
    #[inline(always)]
    pub fn turned(&self) -> Self {
        PositionArrays { own: self.enemy, enemy: self.own, white: !self.white }
    }

    #[inline(always)]
    pub fn board(&self, lane: usize) -> SideView {
        SideView { own: pieces(&self.own, lane), enemy: pieces(&self.enemy, lane), white: self.white }
    }
}

#[inline(always)]
fn pieces<const N: usize>(block: &[&[u64; N]; 7], lane: usize) -> SidePieces {
    let [pawns, knights, bishops, rooks, queens, king, all] = each(*block, |column| column[lane]);
    SidePieces::of([pawns, knights, bishops, rooks, queens, king], all)
}

/// The pieces of one colour by kind, the king last.
#[inline(always)]
pub(super) fn kinds<const N: usize>(block: &[&[u64; N]; 7], lane: usize) -> [u64; 6] {
    let [pawns, knights, bishops, rooks, queens, king, _] = each(*block, |column| column[lane]);
    [pawns, knights, bishops, rooks, queens, king]
}
