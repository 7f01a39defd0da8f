//! Lists of legal moves, and the squares to which each piece may go.
//!
//! The sets that decide which moves are legal are those of the count, one position per lane. The rest is one piece per
//! lane. All pieces of a block of positions that may have a move go to one array, in the order of their squares:
//!
//! ```text
//! squares       a2 b1 b2 …  e1   a7 b8 …  e8      squares of the pieces, position by position
//! attacks       the attack set of a queen on each of them, by the kernel for pairs
//! targets       of them, the squares to which that piece may go; knights, pawns and kings have others
//! ```
//!
//! Then each piece is one step that writes its moves, whatever it is: with `vpcompressb`, which lists the squares of a set, or
//! with a loop over them. So no branch depends on the kind of a piece or on the number of pieces. Rare cases have branches:
//! pinned sliders, promotions, en passant and castling.

use core::ops::Range;

use super::{
    Facts, LegalSets, RANK_1, RANK_7, RANK_8, SidePieces, SideView, choose, mask, of_side, takes_in_passing, turned,
};
use crate::analysis::lanes::{BLOCK, PaddedLanes, PositionArrays};
use crate::batch::lists::{ListTask, SquareLists};
use crate::line::{A_FILE, Line};
use crate::moves::{Move, MoveKind, Moves};
use crate::position::{Color, Piece, PositionSlice};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, shifted, step};
use crate::{Backend, Slider, Square, Squares};

/// Where the targets go.
pub(in crate::analysis) enum Out<'a> {
    Moves(&'a mut Moves),
    Targets(&'a mut [[u64; 64]]),
}

/// Lists the moves of all positions, or writes the targets of their pieces. All lengths are the same.
pub(in crate::analysis) fn fill(backend: Backend, positions: PositionSlice<'_>, out: Out<'_>) {
    backend.list(Lists { backend, columns: PositionArrays::new(positions, Color::White), positions, out });
}

/// Both kinds of output share one task, because its code is long and compiled once per instruction set.
struct Lists<'a> {
    backend: Backend,
    /// White's pieces are `own`.
    columns: PositionArrays<'a, [u64]>,
    positions: PositionSlice<'a>,
    out: Out<'a>,
}

impl ListTask for Lists<'_> {
    #[inline(always)]
    fn perform(self, simd: impl SquareLists) {
        let Lists { backend, columns, positions, mut out } = self;
        let mut padded: PaddedLanes = [[[0; BLOCK]; 7]; 2];
        let mut facts = Facts::NONE;
        let mut sets = BlockSets::NONE;
        let mut pieces = Pieces::NONE;
        for start in (0..positions.len()).step_by(BLOCK) {
            let len = BLOCK.min(positions.len() - start);
            let block = columns.block(start, &mut padded);
            facts.read(positions, start, len);
            sets.compute(&block, &facts);
            sets.add_en_passant(&block, &facts, len);
            let mut lanes = 0..len;
            while !lanes.is_empty() {
                let now = pieces.collect(simd, &sets, lanes.clone());
                pieces.compute(backend, &sets, now.clone());
                match &mut out {
                    Out::Moves(moves) => pieces.list(simd, &sets, now.clone(), moves),
                    Out::Targets(targets) => pieces.scatter(now.clone(), &mut targets[start..]),
                }
                lanes.start = now.end;
            }
        }
    }
}

/// The sets of a block of positions, one per lane. All of them are as the side to move sees them, except for `movers`.
struct BlockSets {
    /// All ones if Black is to move.
    black: [u64; BLOCK],
    /// The pieces that may have a move, among them the king, as White sees them.
    movers: [u64; BLOCK],
    occupied: [u64; BLOCK],
    orthogonal: [u64; BLOCK],
    diagonal: [u64; BLOCK],
    knights: [u64; BLOCK],
    pawns: [u64; BLOCK],
    king: [u64; BLOCK],
    targets: [u64; BLOCK],
    one: [u64; BLOCK],
    two: [u64; BLOCK],
    east: [u64; BLOCK],
    west: [u64; BLOCK],
    king_targets: [u64; BLOCK],
    castles: [u64; BLOCK],
    /// The en passant square, if a capture there is legal.
    passed: [u64; BLOCK],
    /// The sliders that are pinned.
    pinned: [u64; BLOCK],
    /// The pieces that have a move of a kind other than [`MoveKind::Normal`].
    special: [u64; BLOCK],
}

impl BlockSets {
    const NONE: BlockSets = BlockSets {
        black: [0; BLOCK],
        movers: [0; BLOCK],
        occupied: [0; BLOCK],
        orthogonal: [0; BLOCK],
        diagonal: [0; BLOCK],
        knights: [0; BLOCK],
        pawns: [0; BLOCK],
        king: [0; BLOCK],
        targets: [0; BLOCK],
        one: [0; BLOCK],
        two: [0; BLOCK],
        east: [0; BLOCK],
        west: [0; BLOCK],
        king_targets: [0; BLOCK],
        castles: [0; BLOCK],
        passed: [0; BLOCK],
        pinned: [0; BLOCK],
        special: [0; BLOCK],
    };

    #[inline(always)]
    fn compute(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, facts: &Facts) {
        for lane in 0..BLOCK {
            let black = facts.black[lane];
            let board = turned(&block.board(lane), black);
            let SidePieces { pawns, knights, orthogonal, diagonal, king, all } = board.own;
            let legal = LegalSets::new(&board, facts.castling(lane));
            let LegalSets { pinned, targets, one, two, east, west, castles, .. } = legal;

            // Sliders and knights next to a square that they can go to. Those of sliders need not be legal.
            let knights = knights & !pinned;
            let orthogonal_movers =
                orthogonal & (step::<N>(!all) | step::<S>(!all) | step::<E>(!all) | step::<W>(!all));
            let diagonal_movers =
                diagonal & (step::<NE>(!all) | step::<NW>(!all) | step::<SE>(!all) | step::<SW>(!all));
            let pawn_movers = step::<S>(one) | shifted::<S, 2>(two) | step::<SW>(east) | step::<SE>(west);
            let movers = orthogonal_movers | diagonal_movers | knights & leaps(targets) | pawn_movers | king;

            self.black[lane] = black;
            self.movers[lane] = of_side(movers, black);
            self.occupied[lane] = board.occupied();
            self.orthogonal[lane] = orthogonal;
            self.diagonal[lane] = diagonal;
            self.knights[lane] = knights;
            self.pawns[lane] = pawns;
            self.king[lane] = king;
            self.targets[lane] = targets;
            self.one[lane] = one;
            self.two[lane] = two;
            self.east[lane] = east;
            self.west[lane] = west;
            self.king_targets[lane] = legal.king | castles;
            self.castles[lane] = castles;
            self.passed[lane] = 0;
            self.pinned[lane] = pinned & (orthogonal_movers | diagonal_movers);
            self.special[lane] = pawn_movers & RANK_7 | king & mask(castles != 0);
        }
    }

    /// Adds the captures en passant. Few positions have any, so they are not computed for all lanes.
    #[inline(always)]
    fn add_en_passant(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, facts: &Facts, len: usize) {
        for lane in 0..len {
            let passed = facts.passed(lane);
            if passed == 0 || (step::<SW>(passed) | step::<SE>(passed)) & self.pawns[lane] == 0 {
                continue;
            }
            let board: SideView = turned(&block.board(lane), facts.black[lane]);
            let LegalSets { takers, checks, .. } = LegalSets::new(&board, [0; 2]);
            let pawns = takes_in_passing(&board, passed, takers, checks);
            if pawns != 0 {
                self.east[lane] |= step::<NE>(pawns) & passed;
                self.west[lane] |= step::<NW>(pawns) & passed;
                self.passed[lane] = passed;
                self.special[lane] |= pawns;
                self.movers[lane] |= of_side(pawns, facts.black[lane]);
            }
        }
    }

    /// The squares to which the piece on `square` may go, as White sees them. `attacks` are those of a queen there, or along the
    /// line of its pin. Squares are as the side to move sees them.
    #[inline(always)]
    fn targets(&self, lane: usize, square: u8, attacks: u64) -> u64 {
        let piece = 1 << (square % 64);
        let has = |pieces: u64| mask(pieces & piece != 0);
        let lines = A_FILE << (square % 8) | RANK_1 << (square / 8 * 8);
        let slides = attacks & choose(lines, has(self.orthogonal[lane]), has(self.diagonal[lane]));
        let leaps = leaps(piece) & has(self.knights[lane]);
        // Only a pawn on this square goes to these squares: no other piece stands behind them.
        let advances = shifted::<N, 1>(piece) & self.one[lane]
            | shifted::<N, 2>(piece) & self.two[lane]
            | shifted::<NE, 1>(piece) & self.east[lane]
            | shifted::<NW, 1>(piece) & self.west[lane];
        let king = self.king_targets[lane] & has(self.king[lane]);
        of_side((slides | leaps) & self.targets[lane] | advances | king, self.black[lane])
    }
}

/// The attacks of knights, in fewer operations than with a step for each.
#[inline(always)]
const fn leaps(knights: u64) -> u64 {
    let one = step::<E>(knights) | step::<W>(knights);
    let two = step::<E>(step::<E>(knights)) | step::<W>(step::<W>(knights));
    shifted::<N, 2>(one) | shifted::<S, 2>(one) | shifted::<N, 1>(two) | shifted::<S, 1>(two)
}

/// How many pieces are computed at a time: those of some 100 positions in games.
const PIECES: usize = 1_024;
/// How many pieces of one position are computed at a time: in games, no side has more.
const SIDE: usize = 16;
/// How many moves one piece has at most, rounded up: a queen has 27.
const MOST: usize = 32;
/// How many moves are written before they are added to the others.
const BUFFER: usize = 4_096;

/// The pieces of some positions that may have a move. Those of `lane` are `begins[lane]..begins[lane + 1]`.
struct Pieces {
    begins: [usize; BLOCK + 1],
    /// As White sees them, and as the side to move does.
    squares: [u8; PIECES],
    turned: [u8; PIECES],
    /// The lane plus one of pieces with special moves, or 0.
    special: [u8; PIECES],
    occs: [u64; PIECES],
    attacks: [u64; PIECES],
    targets: [u64; PIECES],
    /// How many moves there are in all positions up to and including those of the piece.
    ends: [usize; PIECES],
    buffer: [u16; BUFFER],
}

const FITS: &str = "the last positions are left to the next round unless all of their squares fit";

impl Pieces {
    const NONE: Pieces = Pieces {
        begins: [0; BLOCK + 1],
        squares: [0; PIECES],
        turned: [0; PIECES],
        special: [0; PIECES],
        occs: [0; PIECES],
        attacks: [0; PIECES],
        targets: [0; PIECES],
        ends: [0; PIECES],
        buffer: [0; BUFFER],
    };

    /// Takes the pieces of the first of these positions, as many as there is room for.
    #[inline(always)]
    fn collect(&mut self, simd: impl SquareLists, sets: &BlockSets, mut lanes: Range<usize>) -> Range<usize> {
        let (first, mut len) = (lanes.start, 0);
        self.begins[first] = 0;
        while !lanes.is_empty() && len <= PIECES - 64 {
            let lane = lanes.start;
            let squares = self.squares[len..].first_chunk_mut().expect(FITS);
            simd.squares(sets.movers[lane], squares);
            let turn = (sets.black[lane] & 0o70) as u8;
            let turned: &mut [u8; 64] = self.turned[len..].first_chunk_mut().expect(FITS);
            for (turned, square) in turned.iter_mut().zip(squares) {
                *turned = *square ^ turn;
            }
            let count = sets.movers[lane].count_ones() as usize;
            let occs: &mut [u64; 64] = self.occs[len..].first_chunk_mut().expect(FITS);
            for occs in occs.as_chunks_mut::<SIDE>().0.iter_mut().take(count.div_ceil(SIDE)) {
                occs.fill(sets.occupied[lane]);
            }
            len += count;
            lanes.start += 1;
            self.begins[lanes.start] = len;
        }
        first..lanes.start
    }

    /// Computes the targets of the pieces of some positions.
    #[inline(always)]
    fn compute(&mut self, backend: Backend, sets: &BlockSets, lanes: Range<usize>) {
        let len = self.begins[lanes.end];
        let (squares, occs, attacks) = (&self.turned[..len], &self.occs[..len], &mut self.attacks[..len]);
        backend.batch_slider_attacks(Slider::Queen, squares, occs, attacks).expect("squares of one length");
        self.special[..len].fill(0);
        for lane in lanes {
            let Range { start, end } = self.begins[lane]..self.begins[lane + 1];
            let index = |square: Square| {
                let turn = (sets.black[lane] & 0o70) as u8;
                start + (sets.movers[lane] & ((1 << (square.index() ^ turn)) - 1)).count_ones() as usize
            };
            for square in Squares::from(sets.pinned[lane]) {
                let king = Squares::from(sets.king[lane]).next().expect("each side has a king");
                self.attacks[index(square)] &= line_through(square, king);
            }
            for square in Squares::from(sets.special[lane]) {
                self.special[index(square)] = lane as u8 + 1;
            }
            for at in (start..end).step_by(SIDE) {
                let squares: &[u8; SIDE] = self.turned[at..].first_chunk().expect(FITS);
                let attacks: &[u64; SIDE] = self.attacks[at..].first_chunk().expect(FITS);
                // A separate array, so that the compiler sees that no store changes later reads.
                let mut targets = [0; SIDE];
                for ((targets, &square), &attacks) in targets.iter_mut().zip(squares).zip(attacks) {
                    *targets = sets.targets(lane, square, attacks);
                }
                *self.targets[at..].first_chunk_mut().expect(FITS) = targets;
            }
        }
    }

    /// Adds the moves of some positions.
    #[inline(always)]
    fn list(&mut self, simd: impl SquareLists, sets: &BlockSets, lanes: Range<usize>, out: &mut Moves) {
        let (moves, offsets) = out.parts_mut();
        let (mut before, mut len) = (moves.len(), 0);
        let pieces = self.squares.iter().zip(&self.targets).zip(&self.special).zip(&mut self.ends);
        for (((&start, &targets), &special), end) in pieces.take(self.begins[lanes.end]) {
            if len > BUFFER - MOST {
                moves.extend_from_slice(bytemuck::cast_slice(&self.buffer[..len]));
                (before, len) = (before + len, 0);
            }
            let buffer = self.buffer[len..].first_chunk_mut().expect("it has room for the moves of a piece");
            len += if special == 0 {
                simd.moves(start, targets, buffer);
                targets.count_ones() as usize
            } else {
                write_special(sets, usize::from(special - 1), start, targets, buffer)
            };
            *end = before + len;
        }
        moves.extend_from_slice(bytemuck::cast_slice(&self.buffer[..len]));
        // Each position has a king, so none is without pieces.
        offsets.extend(self.begins[lanes.start + 1..=lanes.end].iter().map(|&end| self.ends[end - 1]));
    }

    /// Writes the targets of some positions to their squares.
    #[inline(always)]
    fn scatter(&self, lanes: Range<usize>, out: &mut [[u64; 64]]) {
        for (out, lane) in out[lanes.clone()].iter_mut().zip(lanes) {
            *out = [0; 64];
            let pieces = self.begins[lane]..self.begins[lane + 1];
            for (square, &targets) in self.squares[pieces.clone()].iter().zip(&self.targets[pieces]) {
                out[usize::from(square % 64)] = targets;
            }
        }
    }
}

/// The line through both squares.
fn line_through(one: Square, other: Square) -> u64 {
    let lines = [Line::File, Line::Rank, Line::Diagonal, Line::AntiDiagonal].map(|line| line.through(one));
    lines.into_iter().find(|line| line & other.bitboard() != 0).unwrap_or(0)
}

/// Writes the moves of a piece that promotes, castles or captures en passant, and returns how many they are.
fn write_special(sets: &BlockSets, lane: usize, start: u8, targets: u64, out: &mut [u16; MOST]) -> usize {
    let black = sets.black[lane];
    let set = |sets: &[u64; BLOCK]| of_side(sets[lane], black);
    let start = Square::ALL[usize::from(start % 64)];
    let is_pawn = set(&sets.pawns) & start.bitboard() != 0;
    let mut moves = out.iter_mut();
    for to in Squares::from(targets) {
        let is = |set: u64| set & to.bitboard() != 0;
        let mut add = |added: Move| *moves.next().expect("no piece has more moves") = added.bits();
        if is_pawn && is(RANK_1 | RANK_8) {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                add(Move::promotion(start, to, piece));
            }
        } else if is(set(&sets.castles)) {
            add(Move::new(start, to, MoveKind::Castling));
        } else if is_pawn && is(set(&sets.passed)) {
            add(Move::new(start, to, MoveKind::EnPassant));
        } else {
            add(Move::new(start, to, MoveKind::Normal));
        }
    }
    MOST - moves.len()
}
