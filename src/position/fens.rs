//! Positions as lines of FEN.

use core::ops::Range;

use super::block::BLOCK;
use super::castling::Castling;
use super::fen::FenRecord;
use super::{Color, PositionSlice, Positions};
use crate::batch::lists::OneByOne;
use crate::batch::text::{BOARD_ROOM, BoardText, BoardTextTask};
use crate::{Backend, Square};

/// The most bytes of a board, and of the other fields with a blank before each: the side to move, 20 letters, and a square.
const BOARD: usize = 71;
const FIELDS: usize = 2 + 21 + 3;

/// How many bytes a usual text has, at most.
const USUAL: usize = 64;

/// The texts of positions in FEN, with four fields each. [`Positions::fens`] and [`PositionSlice::fens`] make them.
///
/// ```
/// use slider_attacks::position::Positions;
///
/// let mut positions = Positions::new();
/// positions.push_fens(["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "4k3/8/8/8/8/8/8/4K3 b - -"])?;
/// let fens = positions.fens();
/// assert_eq!((fens.len(), fens.get(0)), (2, Some("4k3/8/8/8/8/8/8/R3K3 w Q -")));
/// assert!(fens.iter().eq([positions.fen(0), positions.fen(1)]));
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fens {
    text: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Fens {
    /// The number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no texts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of the position with this index; `None` if there is none.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&str> {
        self.range(index).map(|range| &self.text[range])
    }

    /// One text after the other.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index).expect("it is below the number"))
    }

    /// All texts, with nothing between them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where each text ends in [`text`](Fens::text).
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    fn range(&self, index: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(index)?;
        Some(if index == 0 { 0 } else { self.ends[index - 1] }..end)
    }
}

impl Positions {
    /// The first four fields of FEN for each position, as [`fen`](Positions::fen) writes them. That takes a fraction of the time of
    /// one call per position.
    #[must_use]
    pub fn fens(&self) -> Fens {
        Backend::active().fens(self)
    }
}

impl PositionSlice<'_> {
    /// [`Positions::fens`] for these positions.
    #[must_use]
    pub fn fens(self) -> Fens {
        Backend::active().fens(self)
    }
}

impl Backend {
    /// [`Positions::fens`], with the vector instructions of this backend.
    #[must_use]
    pub fn fens<'a>(self, positions: impl Into<PositionSlice<'a>>) -> Fens {
        let positions = positions.into();
        let (mut text, mut ends) =
            (Vec::with_capacity(USUAL * positions.len() + ROOM), Vec::with_capacity(positions.len()));
        self.write_boards(FensTask { positions, text: &mut text, ends: &mut ends });
        Fens { text: String::from_utf8(text).expect("letters, digits and slashes"), ends }
    }
}

/// How many bytes the texts of a block may take while they are written.
const ROOM: usize = BLOCK * (BOARD + FIELDS) + BOARD_ROOM;

/// Writes positions, block by block.
struct FensTask<'a> {
    positions: PositionSlice<'a>,
    text: &'a mut Vec<u8>,
    ends: &'a mut Vec<usize>,
}

impl BoardTextTask for FensTask<'_> {
    #[inline(always)]
    fn perform(self, simd: impl BoardText) {
        let FensTask { positions, text, ends } = self;
        let (mut planes, mut block_ends) = ([[0; BLOCK]; 4], [0; BLOCK]);
        for start in (0..positions.len()).step_by(BLOCK) {
            let block = positions.slice(start..positions.len().min(start + BLOCK));
            read_planes(block, &mut planes);
            let from = text.len();
            text.resize(from + ROOM, 0);
            let out = (&mut text[..], from);
            let end = if block.castling().iter().all(|castling| castling.usual().is_some()) {
                write_block(simd, block, &planes, usual_fields, out, &mut block_ends)
            } else {
                write_block(simd, block, &planes, fields, out, &mut block_ends)
            };
            text.truncate(end);
            ends.extend_from_slice(&block_ends[..block.len()]);
        }
    }
}

/// Writes the texts of a block, and where each of them ends. Returns where the last one does.
#[inline(always)]
fn write_block(
    simd: impl BoardText,
    block: PositionSlice<'_>,
    planes: &[[u64; BLOCK]; 4],
    write_fields: impl Fn(Fields, &mut [u8; FIELDS]) -> usize,
    (text, mut end): (&mut [u8], usize),
    ends: &mut [usize; BLOCK],
) -> usize {
    let fields = block.side_to_move().iter().zip(block.castling()).zip(block.en_passant());
    for (lane, (((&side, &castling), &en_passant), block_end)) in fields.zip(ends).enumerate() {
        end += simd.board(planes.each_ref().map(|plane| plane[lane % BLOCK]), room(text, end));
        end += write_fields((side, castling, en_passant), room(text, end));
        *block_end = end;
    }
    end
}

/// What follows in a text.
#[inline(always)]
fn room<const N: usize>(text: &mut [u8], start: usize) -> &mut [u8; N] {
    text[start..].first_chunk_mut().expect("there is room")
}

/// The bits of the numbers of pieces from 1 to 6, and the pieces of black.
#[inline(always)]
fn read_planes(block: PositionSlice<'_>, [ones, twos, fours, blacks]: &mut [[u64; BLOCK]; 4]) {
    let len = block.len().min(BLOCK);
    let range = block.start..block.start + len;
    let [white, black] = &block.positions.pieces;
    let of = |piece: usize| (&white[piece][range.clone()], &black[piece][range.clone()]);
    let [(p, bp), (n, bn), (b, bb), (r, br), (q, bq), (k, bk)] = [0, 1, 2, 3, 4, 5].map(of);
    let black = &block.positions.colors[1][range.clone()];
    for lane in 0..len {
        let queens_bishops = b[lane] | bb[lane];
        let (queens, kings) = (q[lane] | bq[lane], k[lane] | bk[lane]);
        ones[lane] = p[lane] | bp[lane] | queens_bishops | queens;
        twos[lane] = n[lane] | bn[lane] | queens_bishops | kings;
        fours[lane] = r[lane] | br[lane] | queens | kings;
        blacks[lane] = black[lane];
    }
}

/// The text of one position.
pub(super) fn fen(record: &FenRecord) -> String {
    let [p, n, b, r, q, k] = [0, 1, 2, 3, 4, 5].map(|piece| record.pieces[0][piece] | record.pieces[1][piece]);
    let planes = [p | b | q, n | b | k, r | q | k, record.colors[1]];
    let mut text = [0; 2 * BOARD_ROOM];
    let end = OneByOne::<false>.board(planes, room(&mut text, 0));
    let end = end + fields((record.side_to_move, record.castling, record.en_passant), room(&mut text, end));
    String::from_utf8(text[..end].to_vec()).expect("letters, digits and slashes")
}

/// The side to move, castling rights and the en passant square.
type Fields = (Color, Castling, Option<Square>);

/// Writes the fields after the board, each after a blank, and returns how many bytes they have.
fn fields((side, castling, en_passant): Fields, out: &mut [u8; FIELDS]) -> usize {
    let mut len = 0;
    let mut push = |byte: u8| {
        out[len] = byte;
        len += 1;
    };
    [b' ', side_byte(side), b' '].into_iter().for_each(&mut push);
    if castling.is_none() {
        push(b'-');
    }
    castling.letters().for_each(|letter| push(letter as u8));
    push(b' ');
    match en_passant {
        Some(square) => square_bytes(square).into_iter().for_each(push),
        None => push(b'-'),
    }
    len
}

/// The same where the castling rights are among `KQkq`. What follows is overwritten.
#[inline(always)]
fn usual_fields((side, castling, en_passant): Fields, out: &mut [u8; FIELDS]) -> usize {
    let (letters, len) = castling.usual().unwrap_or_default();
    let (square, square_len) = en_passant.map_or(([b'-'; 2], 1), |square| (square_bytes(square), 2));
    // A blank, the side, a blank, up to four letters, and a blank.
    let before = u64::from_le_bytes([b' ', side_byte(side), b' ', 0, 0, 0, 0, 0]);
    let words = before | u64::from(letters) << 24 | u64::from(b' ') << (24 + 8 * len);
    out[..8].copy_from_slice(&words.to_le_bytes());
    let square_at = 4 + len as usize % 8;
    out[square_at..square_at + 2].copy_from_slice(&square);
    square_at + square_len
}

#[inline(always)]
fn side_byte(side: Color) -> u8 {
    if side == Color::White { b'w' } else { b'b' }
}

#[inline(always)]
fn square_bytes(square: Square) -> [u8; 2] {
    [b'a' + square.file(), b'1' + square.rank()]
}
