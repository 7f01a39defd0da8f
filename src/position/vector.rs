//! Positions in their usual form, read with the vector instructions of a backend.
//!
//! The board of each line becomes four bitboards ([`fen_board`]). The other fields are a few bytes, which are stored:
//! for up to 64 lines together, vectors of 64-bit lanes finish the boards and read these fields ([`Unfinished`]). The
//! first line that is unusual or wrong ends this, and is left to the other readers.

use core::ops::Range;

use super::block::{BLOCK, PositionBlock};
use super::castling::{self, Castling};
use super::planes::{by_kind, wrong_kings};
use super::{Color, Positions, fast, fen};
use crate::batch::kernel::fen_board;
use crate::batch::text::{TextBytes, TextTask};
use crate::{Backend, Square};

/// How many bytes of a text are looked at together. A board takes less than 64, and the fields after it few.
const WINDOW: usize = 128;

/// The bytes that may begin the end of a line, and other bytes that are not text.
const CONTROL: u8 = b'\r';

/// The state of a reader, kept from block to block.
pub(super) struct Scratch {
    /// The positions that were read last.
    pub block: PositionBlock,
    unfinished: Unfinished,
    /// Where each board begins.
    starts: [usize; BLOCK],
}

impl Scratch {
    pub fn new() -> Scratch {
        Scratch { block: PositionBlock::new(), unfinished: Unfinished::new(), starts: [0; BLOCK] }
    }

    /// Reads lines at the beginning of a text into the block: as many as it takes, and at most `most`. Blank lines and comments
    /// are passed over if `skips`. Returns how many bytes were read.
    pub fn read_lines(&mut self, backend: Backend, text: &[u8], most: usize, skips: bool) -> usize {
        self.block.len = 0;
        // Without vector instructions, nothing is read here.
        backend.read(LinesTask { text, most, skips, scratch: self }).unwrap_or(0)
    }

    /// Reads parts at the beginning of a list into the block, as many as it takes.
    pub fn read_parts(&mut self, backend: Backend, text: &[u8], parts: &[Range<usize>]) {
        self.block.len = 0;
        let _ = backend.read(PartsTask { text, parts, scratch: self });
    }
}

struct LinesTask<'a> {
    text: &'a [u8],
    most: usize,
    skips: bool,
    scratch: &'a mut Scratch,
}

impl TextTask for LinesTask<'_> {
    type Output = usize;

    #[inline(always)]
    fn perform(self, simd: impl TextBytes) -> usize {
        let LinesTask { text, most, skips, scratch } = self;
        let most = most.min(BLOCK);
        // Where the next board may begin, and where the last line ends.
        let (mut at, mut end) = (0, 0);
        while scratch.unfinished.len < most && at < text.len() {
            let rest = &text[at..];
            let mut last;
            let (windows, limit) = if rest.len() < WINDOW {
                // The last lines are copied, with line ends after them.
                last = [b'\n'; 2 * WINDOW];
                last[..rest.len()].copy_from_slice(rest);
                (last.as_slice(), rest.len())
            } else {
                (rest, rest.len() - WINDOW + 1)
            };
            let start = at;
            let reason = scratch.read_windows(simd, windows, limit, most, &mut at);
            if at > start {
                end = at;
            }
            match reason {
                StopReason::Limit => {}
                StopReason::Unusual => {
                    let rest = &text[at..];
                    let (skipped, blanks) = if skips { fen::skipped(rest) } else { (0, fen::blanks(rest)) };
                    if skipped > 0 {
                        end = at + skipped;
                    } else if blanks == 0 {
                        break;
                    }
                    at += skipped + blanks;
                }
                StopReason::FarEnd(line, from) => {
                    scratch.add(line, at);
                    let rest = &text[at..];
                    let len = memchr::memchr2(b'\n', b'\r', &rest[from..]).map_or(rest.len(), |len| from + len);
                    at += match rest[len..] {
                        [] => len,
                        [b'\r', b'\n', ..] => len + 2,
                        [_, ..] => len + 1,
                    };
                    end = at;
                }
            }
        }
        let lines = scratch.unfinished.len;
        let Scratch { block, unfinished, starts } = scratch;
        unfinished.finish(block, |at, len| Some(&text[starts[at] + len..]));
        let read = block.len;
        // The last line may have no end.
        if read < lines { fen::line_start(text, starts[read]) } else { end.min(text.len()) }
    }
}

/// Why no more lines are read.
enum StopReason {
    /// There are enough, or the next one begins too late.
    Limit,
    /// The next line is unusual or wrong.
    Unusual,
    /// The end of the next line, which is this one, is further away. This many bytes from its beginning have been
    /// searched.
    FarEnd(LinePlanes, usize),
}

impl Scratch {
    /// Reads the lines that begin before `limit`, until there are `most`. Moves `at` past each. There is a window from the
    /// beginning of each line on.
    #[inline(always)]
    fn read_windows(
        &mut self,
        simd: impl TextBytes,
        text: &[u8],
        limit: usize,
        most: usize,
        at: &mut usize,
    ) -> StopReason {
        let mut start = 0;
        while self.unfinished.len < most && start < limit {
            let Some(window) = text[start..].first_chunk::<WINDOW>() else { return StopReason::Limit };
            let Some(board) = fen_board::board(simd, window) else { return StopReason::Unusual };
            let after = after(window, board.len);
            let line = (board.planes, side_word(after, board.len), word(&after[3..]));
            let end = simd.first_after(window, board.len, CONTROL);
            // The byte after it may be a part of it.
            if end >= (board.len + 64).min(WINDOW - 1) {
                return StopReason::FarEnd(line, end.min(WINDOW - 1));
            }
            let length = match (window[end], window[end + 1]) {
                (b'\n', _) => end + 1,
                (b'\r', b'\n') => end + 2,
                (b'\r', _) => end + 1,
                _ => return StopReason::FarEnd(line, end + 1),
            };
            self.add(line, *at);
            start += length;
            *at += length;
        }
        StopReason::Limit
    }

    /// Adds a line whose board begins here.
    #[inline(always)]
    fn add(&mut self, (planes, side, fields): LinePlanes, start: usize) {
        self.starts[self.unfinished.len % BLOCK] = start;
        self.unfinished.add(planes, side, fields);
    }
}

/// The bytes of a window after the board.
#[inline(always)]
fn after(window: &[u8; WINDOW], len: usize) -> &[u8; 64] {
    window[len..].first_chunk().expect("a board ends in the first half of a window")
}

/// The length of the board, a blank, the side to move, a blank, and what follows.
#[inline(always)]
fn side_word(after: &[u8], len: usize) -> u64 {
    word(after) << 8 | len as u64
}

#[inline(always)]
fn word(text: &[u8]) -> u64 {
    u64::from_le_bytes(*text.first_chunk().expect("eight bytes"))
}

struct PartsTask<'a> {
    text: &'a [u8],
    parts: &'a [Range<usize>],
    scratch: &'a mut Scratch,
}

impl TextTask for PartsTask<'_> {
    type Output = ();

    #[inline(always)]
    fn perform(self, simd: impl TextBytes) {
        let PartsTask { text, parts, scratch: Scratch { block, unfinished, .. } } = self;
        for part in parts.iter().take(BLOCK) {
            // A range outside the text panics later, when the parts before it have been read.
            let Some(whole) = text.get(part.clone()) else { break };
            let read = match text[part.start..].first_chunk() {
                Some(window) => read_window(simd, window, whole.len()),
                None => read_text(simd, whole),
            };
            let Some((planes, side, rest)) = read else { break };
            unfinished.add(planes, side, rest);
        }
        unfinished.finish(block, |at, len| text.get(parts[at].start + len..parts[at].end));
    }
}

/// The planes of the board, the word with the side to move, and the one with the other fields. Bytes past the end of
/// the text are line ends.
type LinePlanes = ([u64; 4], u64, u64);

/// Reads a text.
#[inline(always)]
fn read_text(simd: impl TextBytes, text: &[u8]) -> Option<LinePlanes> {
    let fen_board::FenBoard { planes, len } = fen_board::board(simd, text)?;
    let side = u32::from_le_bytes(*text.get(len..)?.first_chunk()?);
    let side = u64::from(side) << 8 | len as u64;
    let from = (len + 3).min(text.len() - 8);
    let past = len + 3 - from;
    let rest =
        if past < 8 { word(&text[from..]) >> (8 * past) | LINE_ENDS << 8 << (56 - 8 * past) } else { return None };
    Some((planes, side, rest))
}

/// Reads the first bytes of a window. This takes 0.87 of the time of [`read_text`], because no place need be compared with the
/// end (Zen 3).
#[inline(always)]
fn read_window(simd: impl TextBytes, window: &[u8; WINDOW], length: usize) -> Option<LinePlanes> {
    let fen_board::FenBoard { planes, len } = fen_board::board(simd, window)?;
    let length = length.checked_sub(len + 3)?;
    let past = if length < 8 { !0 << (8 * length) } else { 0 };
    let after = after(window, len);
    Some((planes, side_word(after, len), word(&after[3..]) & !past | LINE_ENDS & past))
}

/// A line end in each byte.
const LINE_ENDS: u64 = u64::from_le_bytes([b'\n'; 8]);

/// Adds positions of texts in their usual form, up to the first that is not, which is the result.
pub(super) struct TextsTask<'a, I> {
    pub texts: &'a mut I,
    pub positions: &'a mut Positions,
    pub scratch: &'a mut Scratch,
}

impl<'t, I: Iterator<Item = &'t [u8]>> TextTask for TextsTask<'_, I> {
    type Output = Option<&'t [u8]>;

    #[inline(always)]
    fn perform(self, simd: impl TextBytes) -> Option<&'t [u8]> {
        let TextsTask { texts, positions, scratch: Scratch { block, unfinished, .. } } = self;
        let mut unusual = None;
        // Not `find`, which calls code without vector instructions.
        for text in texts.by_ref() {
            let usual = read_text(simd, text).filter(|&(planes, side, rest)| {
                // Nothing may be taken after a text that is wrong. So each is checked here, and again with the others: 11 of
                // 41 ns (Zen 3).
                let are_usual = |rest| fields(rest).wrong == 0 || rare_fields(rest).is_some();
                wrong_kings(planes) | wrong_side(side) == 0 && are_usual(rest)
            });
            let Some((planes, side, rest)) = usual else {
                unusual = Some(text);
                break;
            };
            unfinished.add(planes, side, rest);
            if unfinished.len == BLOCK {
                unfinished.finish(block, |_, _| None);
                positions.append(block);
            }
        }
        unfinished.finish(block, |_, _| None);
        positions.append(block);
        unusual
    }
}

/// Lines whose boards have been read, and whose other fields are still text.
struct Unfinished {
    /// Of the boards: the bits of the kinds of pieces, and the pieces of black.
    planes: [[u64; BLOCK]; 4],
    /// The results of [`side_word`].
    sides: [u64; BLOCK],
    /// The eight bytes after that, which is as many as castling rights, en passant square and the byte after it take.
    fields: [u64; BLOCK],
    len: usize,
}

/// How many positions are finished in one round of a loop, which the compiler vectorises.
const ROUND: usize = 16;

impl Unfinished {
    fn new() -> Unfinished {
        Unfinished { planes: [[0; BLOCK]; 4], sides: [0; BLOCK], fields: [0; BLOCK], len: 0 }
    }

    /// Adds a line. There must be room.
    #[inline(always)]
    fn add(&mut self, planes: [u64; 4], side: u64, fields: u64) {
        let at = self.len % BLOCK;
        for (all, plane) in self.planes.iter_mut().zip(planes) {
            all[at] = plane;
        }
        self.sides[at] = side;
        self.fields[at] = fields;
        self.len += 1;
    }

    /// Makes positions of the lines, up to the first that is unusual or wrong. If `rest` returns the text of a line from a
    /// place on, only wrong lines are left.
    #[inline(always)]
    fn finish<'t>(&mut self, block: &mut PositionBlock, rest: impl Fn(usize, usize) -> Option<&'t [u8]>) {
        block.len = 0;
        if self.len == 0 {
            return;
        }
        let mut wrong = [0; BLOCK];
        for start in (0..self.len).step_by(ROUND) {
            self.finish_boards(start, block, &mut wrong);
            self.finish_fields(start, block, &mut wrong);
        }
        let next =
            |from: usize| wrong[from..self.len].iter().position(|&wrong| wrong != 0).map_or(self.len, |at| from + at);
        let mut len = next(0);
        while len < self.len && self.finish_rare(len, block, rest(len, (self.sides[len % BLOCK] & 0xff) as usize)) {
            len = next(len + 1);
        }
        block.len = len;
        self.len = 0;
    }

    /// Finishes a line if only its fields after the board are unusual: castling rights as in Chess960, tabs, or in `rest`, the
    /// text after the board, any number of blanks. Returns whether that is so.
    #[inline(never)]
    fn finish_rare(&self, at: usize, block: &mut PositionBlock, rest: Option<&[u8]>) -> bool {
        let at = at % BLOCK;
        if wrong_kings([0, 1, 2, 3].map(|plane| self.planes[plane][at])) != 0 {
            return false;
        }
        if wrong_side(with_spaces(self.sides[at])) == 0
            && let Some((castling, en_passant)) = rare_fields(with_spaces(self.fields[at]))
        {
            (block.castling[at], block.en_passant[at]) = (castling, en_passant);
            return true;
        }
        let Some((fields, _)) = rest.and_then(fast::fields) else { return false };
        block.side_to_move[at] = fields.side_to_move;
        (block.castling[at], block.en_passant[at]) = (fields.castling, fields.en_passant);
        true
    }

    #[inline(always)]
    fn finish_boards(&self, start: usize, block: &mut PositionBlock, wrong: &mut [u64; BLOCK]) {
        for at in start..start + ROUND {
            let at = at % BLOCK;
            let [ones, twos, fours, black] = [0, 1, 2, 3].map(|plane| self.planes[plane][at]);
            let (boards, occupied) = (by_kind([ones, twos, fours]), ones | twos | fours);
            for (kind, board) in boards.into_iter().enumerate() {
                block.boards[kind][at] = board & !black;
                block.boards[6 + kind][at] = board & black;
            }
            block.boards[12][at] = occupied & !black;
            block.boards[13][at] = occupied & black;
            block.boards[14][at] = occupied;
            wrong[at] = wrong_kings([ones, twos, fours, black]);
        }
    }

    #[inline(always)]
    fn finish_fields(&self, start: usize, block: &mut PositionBlock, wrong: &mut [u64; BLOCK]) {
        let (mut rights, mut squares) = ([0; ROUND], [0; ROUND]);
        for lane in 0..ROUND {
            let at = (start + lane) % BLOCK;
            let read = fields(self.fields[at]);
            (rights[lane], squares[lane]) = (read.rights, read.square);
            wrong[at] |= read.wrong | wrong_side(self.sides[at]);
        }
        for lane in 0..ROUND {
            let at = (start + lane) % BLOCK;
            block.side_to_move[at] =
                if self.sides[at] & 0xff_0000 == SIDES[1] & 0xff_0000 { Color::Black } else { Color::White };
            block.castling[at] = Castling(rights[lane] as u32);
            block.en_passant[at] = Square::new(squares[lane] as u8);
        }
    }
}

/// Eight bytes with spaces in place of tabs.
#[inline(always)]
fn with_spaces(word: u64) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let differ = word ^ (EACH * u64::from(b'\t'));
    let others = ((differ & (EACH * 0x7f)) + EACH * 0x7f) | differ;
    word ^ (((!others & (EACH * 0x80)) >> 7) * u64::from(b'\t' ^ b' '))
}

/// Not zero unless there is a side to move, between two blanks.
#[inline(always)]
fn wrong_side(word: u64) -> u64 {
    let side = word & 0xffff_ff00;
    u64::from(side != SIDES[0] && side != SIDES[1])
}

/// The side to move between two blanks in a [`side_word`]: white and black.
const SIDES: [u64; 2] = [u32::from_le_bytes(*b"\0 w ") as u64, u32::from_le_bytes(*b"\0 b ") as u64];

/// The fields after the side to move.
struct LaterFields {
    /// The bits of the castling rights.
    rights: u64,
    /// The number of the en passant square; 64 if there is none.
    square: u64,
    /// Not zero if something is unusual or wrong.
    wrong: u64,
}

/// Reads the castling rights in their usual order, a blank, the en passant square, and the blank, line end or semicolon after
/// it. The word is shifted as its bytes are read; no branch depends on them.
#[inline(always)]
fn fields(mut word: u64) -> LaterFields {
    let is = |byte: u64, expected: u8| if byte & 0xff == u64::from(expected) { !0 } else { 0 };
    let mut rights = 0;
    for letter in *b"KQkq" {
        let given = is(word, letter);
        rights |= given & u64::from(castling::BITS[usize::from(letter)]);
        word >>= given & 8;
    }
    let none = if rights == 0 { !0 } else { 0 };
    let mut right = is(word, b'-') | !none;
    word >>= none & 8;
    right &= is(word, b' ');
    word >>= 8;
    let dash = is(word, b'-');
    let file = (word & 0xff).wrapping_sub(u64::from(b'a'));
    let rank = (word >> 8 & 0xff).wrapping_sub(u64::from(b'1'));
    let is_file = if file < 8 { !0 } else { 0 };
    let is_rank = if rank == 2 || rank == 5 { !0 } else { 0 };
    right &= dash | is_file & is_rank;
    let square = (dash & 64) | (!dash & rank.wrapping_mul(8).wrapping_add(file));
    word >>= 8 + (!dash & 8);
    right &= is(word, b' ') | is(word, b'\n') | is(word, b'\r') | is(word, b';');
    LaterFields { rights, square, wrong: !right }
}

/// The same for castling rights of at most four letters in any order: rooks of Chess960 have the letters of their
/// files.
#[inline(never)]
fn rare_fields(word: u64) -> Option<(Castling, Option<Square>)> {
    let bytes = word.to_le_bytes();
    let blank = bytes[..5].iter().position(|&byte| byte == b' ')?;
    let castling = castling::read(&bytes[..blank]).ok()?;
    let (en_passant, end) = match bytes[blank + 1..] {
        [b'-', end, ..] => (None, end),
        [file @ b'a'..=b'h', rank @ (b'3' | b'6'), end, ..] => (Square::new(file - b'a' + 8 * (rank - b'1')), end),
        _ => return None,
    };
    matches!(end, b' ' | b'\n' | b'\r' | b';').then_some((castling, en_passant))
}
