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
//!
//! What was tried, in nanoseconds per position of 31 moves (Granite Rapids, a shared machine, rustc 1.95, November 2026;
//! minima of 60 rounds in one process, in which one board at a time with `vpcompressb` takes 78):
//!
//! | what | backend | before | after |
//! |---|---|---|---|
//! | two bytes for each move, joined at the end, in place of 16 bits that are copied at the end | `avx512-gfni` | 62 | 58 |
//! | en passant for positions that have it; the compiler computed it for all if it could inline it | `avx512` | 96 | 90 |
//! | targets with tables in registers, and sets that the compiler does not gather | `avx512-gfni` | 58 | 49 |
//! | a check after every eight squares of a set, not four | `avx2` | 109 | 103 |
//! | starts from a table, and one look at the square of a piece for its start and for special moves | `avx512-gfni` | 47 | 45 |
//! | the first of these again: 16 bits, now with starts from a table (not taken) | `avx2` | 93 | 101 |
//! | sets that begin at a cache line, leaps of knights from two patterns, and one king that stops all rays | `avx2` | 89 | 86 |
//! | the same | `avx512` | 70 | 66 |
//! | the same | `avx512-gfni` | 46.3 | 44.6 |
//! | targets of one piece after the other, with a table of lines and leaps | `scalar` | 167 | 137 |
//! | the same | `ssse3` | 159 | 129 |
//!
//! The last five are of 33 moves, on a CPU that others used as well. There, moves that give check take 74, 50 and 41 ns
//! (`avx2`, `avx512`, `avx512-gfni`), and those that give checkmate 142, 115 and 111: most of this is the count of replies.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::checks::CheckSets;
use super::{Facts, LegalSets, RANK_1, RANK_7, RANK_8, SidePieces, SideView, mask, of_side, takes_in_passing, turned};
use crate::analysis::lanes::{BLOCK, LANES, PaddedLanes, PositionArrays, are_singles, for_each_round};
use crate::batch::lists::{ListOperations, ListTask, PieceSets, SIDE, room, rows};
use crate::line::Line;
use crate::moves::{Move, MoveKind, Moves};
use crate::position::{Color, PositionSlice};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, knight_attacks, shifted, step};
use crate::table::table;
use crate::{Backend, Slider, Square, Squares};

/// Where the moves go, or those that give check, or the targets of pieces.
pub(in crate::analysis) enum Out<'a> {
    Moves(&'a mut Moves),
    Checks(&'a mut Moves),
    Targets(&'a mut [[u64; 64]]),
}

/// Lists the moves of all positions, or writes the targets of their pieces. All lengths are the same.
pub(in crate::analysis) fn fill(backend: Backend, positions: PositionSlice<'_>, out: Out<'_>) {
    backend.list(MoveLists { backend, columns: PositionArrays::new(positions, Color::White), positions, out });
}

/// All kinds of output share one task, because its code is long and compiled once per instruction set.
struct MoveLists<'a> {
    backend: Backend,
    /// White's pieces are `own`.
    columns: PositionArrays<'a, [u64]>,
    positions: PositionSlice<'a>,
    out: Out<'a>,
}

impl ListTask for MoveLists<'_> {
    #[inline(always)]
    fn perform(self, simd: impl ListOperations) {
        let MoveLists { backend, columns, positions, mut out } = self;
        let mut memory = BlockMemory::new();
        let (padded, facts, sets) = (room(&mut memory.padded), room(&mut memory.facts), room(&mut memory.sets));
        let mut checks = matches!(out, Out::Checks(_)).then(|| room(&mut memory.checks));
        let mut memory = PieceMemory::new();
        let mut pieces = PieceLists::new(&mut memory);
        for start in (0..positions.len()).step_by(BLOCK) {
            let len = BLOCK.min(positions.len() - start);
            let block = columns.block(start, padded);
            facts.read(positions, start, len);
            // With AVX-512, two take longer than a round.
            if are_singles(backend, len) && (len == 1 || backend.words() < 8) {
                sets.compute_singles(&block, facts, len);
            } else {
                sets.compute(&block, facts, len);
            }
            sets.add_en_passant(&block, facts, len);
            if let Some(checks) = &mut checks {
                checks.compute(&block, sets, len);
            }
            let checks = checks.as_deref();
            let mut lanes = 0..len;
            while !lanes.is_empty() {
                let now = pieces.collect(simd, sets, lanes.clone());
                pieces.compute(simd, backend, sets, now.clone());
                if let Some(checks) = checks {
                    pieces.keep_checks(sets, checks, now.clone());
                }
                match &mut out {
                    Out::Moves(moves) | Out::Checks(moves) => pieces.list(simd, sets, checks, now.clone(), moves),
                    Out::Targets(targets) => pieces.scatter(now.clone(), &mut targets[start..]),
                }
                lanes.start = now.end;
            }
        }
    }
}

/// Memory that nobody clears.
struct BlockMemory {
    padded: MaybeUninit<PaddedLanes>,
    facts: MaybeUninit<Facts>,
    sets: MaybeUninit<BlockSets>,
    checks: MaybeUninit<CheckSets>,
}

impl BlockMemory {
    #[inline(always)]
    const fn new() -> BlockMemory {
        BlockMemory {
            padded: MaybeUninit::uninit(),
            facts: MaybeUninit::uninit(),
            sets: MaybeUninit::uninit(),
            checks: MaybeUninit::uninit(),
        }
    }
}

rows! {
    /// The sets of a block of positions, one per lane. All of them are as the side to move sees them, except for `movers`.
    pub(super) struct BlockSets {
        pub pieces: PieceSets,
        /// The pieces that may have a move, as White sees them.
        pub movers: [u64; BLOCK],
        pub occupied: [u64; BLOCK],
        /// The sliders that are pinned.
        pub pinned: [u64; BLOCK],
        /// The pieces whose moves are written one by one: those that have one of a kind other than [`MoveKind::Normal`], which are pawns,
        /// and the king if it can castle.
        pub special: [u64; BLOCK],
    }
}

impl BlockSets {
    /// Computes those of the first `len` lanes, and maybe of others.
    #[inline(always)]
    fn compute(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, facts: &Facts, len: usize) {
        let all = len.next_multiple_of(LANES);
        for_each_round!(all, |ROUND, at| {
            self.compute_round(&block.part::<ROUND>(at), facts, at);
        });
    }

    /// Computes those of few lanes, and of no others. Not inlined, so that the code for blocks stays the same.
    #[inline(never)]
    fn compute_singles(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, facts: &Facts, len: usize) {
        for at in 0..len {
            self.compute_round(&block.part::<1>(at), facts, at);
        }
    }

    /// Computes those of a round, which begins with lane `at`.
    #[inline(always)]
    fn compute_round<const ROUND: usize>(
        &mut self,
        round: &PositionArrays<'_, [u64; ROUND]>,
        facts: &Facts,
        at: usize,
    ) {
        const FULL: &str = "all rounds are full";
        let [sides, west_rooks, east_rooks] = [&facts.black, &facts.west, &facts.east]
            .map(|lanes| -> &[u64; ROUND] { lanes[at..].first_chunk().expect(FULL) });
        macro_rules! lanes {
            ($($out:ident = $($set:ident).+;)*) => {
                $(let $out: &mut [u64; ROUND] = self.$($set).+[at..].first_chunk_mut().expect(FULL);)*
            };
        }
        lanes! {
            out_black = pieces.black;
            out_movers = movers;
            out_occupied = occupied;
            out_orthogonal = pieces.orthogonal;
            out_diagonal = pieces.diagonal;
            out_knights = pieces.knights;
            out_king = pieces.king;
            out_targets = pieces.targets;
            out_one = pieces.one;
            out_two = pieces.two;
            out_east = pieces.east;
            out_west = pieces.west;
            out_king_targets = pieces.king_targets;
            out_pinned = pinned;
            out_special = special;
        }
        for lane in 0..ROUND {
            let black = sides[lane];
            let board = turned(&round.board(lane), black);
            let SidePieces { knights, orthogonal, diagonal, king, all, .. } = board.own;
            let legal = LegalSets::new(&board, [west_rooks[lane], east_rooks[lane]]);
            let LegalSets { pinned, targets, one, two, east, west, castles, .. } = legal;

            // Sliders and knights next to a square that they can go to. Those of sliders need not be legal.
            let knights = knights & !pinned;
            let orthogonal_movers =
                orthogonal & (step::<N>(!all) | step::<S>(!all) | step::<E>(!all) | step::<W>(!all));
            let diagonal_movers =
                diagonal & (step::<NE>(!all) | step::<NW>(!all) | step::<SE>(!all) | step::<SW>(!all));
            let pawn_movers = step::<S>(one) | shifted::<S, 2>(two) | step::<SW>(east) | step::<SE>(west);
            let movers = orthogonal_movers | diagonal_movers | knights & knight_attacks(targets) | pawn_movers | king;

            out_black[lane] = black;
            out_movers[lane] = of_side(movers, black);
            out_occupied[lane] = board.occupied();
            out_orthogonal[lane] = orthogonal;
            out_diagonal[lane] = diagonal;
            out_knights[lane] = knights;
            out_king[lane] = king;
            out_targets[lane] = targets;
            out_one[lane] = one;
            out_two[lane] = two;
            out_east[lane] = east;
            out_west[lane] = west;
            out_king_targets[lane] = legal.king | castles;
            out_pinned[lane] = pinned & (orthogonal_movers | diagonal_movers);
            out_special[lane] = pawn_movers & RANK_7 | king & mask(castles != 0);
        }
    }

    /// Adds the captures en passant. Few positions have any, so they are not computed for all lanes.
    #[inline(always)]
    fn add_en_passant(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, facts: &Facts, len: usize) {
        for lane in 0..len {
            let passed = facts.passed(lane);
            if passed != 0 {
                let pawns = takers_in_passing(&block.board(lane), self.pieces.black[lane], passed);
                self.pieces.east[lane] |= step::<NE>(pawns) & passed;
                self.pieces.west[lane] |= step::<NW>(pawns) & passed;
                self.special[lane] |= pawns;
                self.movers[lane] |= of_side(pawns, self.pieces.black[lane]);
            }
        }
    }
}

/// The pawns that may capture en passant. Not inlined, so that the compiler does not compute them for all lanes.
#[inline(never)]
fn takers_in_passing(board: &SideView, black: u64, passed: u64) -> u64 {
    let board = turned(board, black);
    if (step::<SW>(passed) | step::<SE>(passed)) & board.own.pawns == 0 {
        return 0;
    }
    let LegalSets { takers, checks, .. } = LegalSets::new(&board, [0; 2]);
    takes_in_passing(&board, passed, takers, checks)
}

/// How many pieces are computed at a time: those of some 40 positions in games. With twice as many, a call needs more than 100 KiB
/// of stack.
const PIECES: usize = 512;
/// How many moves one piece has at most, rounded up: a queen has 27.
const MOST: usize = 32;
/// Added to the squares of pieces whose moves are written one by one.
const SPECIAL: u8 = 1 << 7;
/// Each square many times. To load them takes less time than to fill a vector with a byte.
static STARTS: [[u8; MOST]; 64] = table!(square < 64 => [square as u8; MOST]);
/// How many moves are written before they are added to the others.
const BUFFER: usize = 2_048;

/// The pieces of some positions that may have a move. Those of `lane` are `begins[lane]..begins[lane + 1]`.
struct PieceLists<'a> {
    begins: &'a mut [usize; BLOCK + 1],
    /// As White sees them, with [`SPECIAL`] or without, and as the side to move does.
    squares: &'a mut [u8; PIECES],
    turned: &'a mut [u8; PIECES],
    /// The lanes of these pieces.
    lanes: &'a mut [u8; PIECES],
    occs: &'a mut [u64; PIECES],
    attacks: &'a mut [u64; PIECES],
    targets: &'a mut [u64; PIECES],
    /// How many moves there are in all positions before those of the piece, and at the end.
    offsets: &'a mut [usize; PIECES + 1],
    buffer: Buffer<'a>,
}

/// Memory of [`PieceLists`] that nobody clears.
struct PieceMemory {
    begins: MaybeUninit<[usize; BLOCK + 1]>,
    squares: MaybeUninit<[u8; PIECES]>,
    turned: MaybeUninit<[u8; PIECES]>,
    lanes: MaybeUninit<[u8; PIECES]>,
    occs: MaybeUninit<[u64; PIECES]>,
    attacks: MaybeUninit<[u64; PIECES]>,
    targets: MaybeUninit<[u64; PIECES]>,
    offsets: MaybeUninit<[usize; PIECES + 1]>,
    starts: MaybeUninit<[u8; BUFFER]>,
    move_targets: MaybeUninit<[u8; BUFFER]>,
}

impl PieceMemory {
    #[inline(always)]
    fn new() -> PieceMemory {
        PieceMemory {
            begins: MaybeUninit::uninit(),
            squares: MaybeUninit::uninit(),
            turned: MaybeUninit::uninit(),
            lanes: MaybeUninit::uninit(),
            occs: MaybeUninit::uninit(),
            attacks: MaybeUninit::uninit(),
            targets: MaybeUninit::uninit(),
            offsets: MaybeUninit::uninit(),
            starts: MaybeUninit::uninit(),
            move_targets: MaybeUninit::uninit(),
        }
    }
}

const FITS: &str = "the last positions are left to the next round unless all of their squares fit";

impl<'a> PieceLists<'a> {
    #[inline(always)]
    fn new(memory: &'a mut PieceMemory) -> PieceLists<'a> {
        PieceLists {
            begins: room(&mut memory.begins),
            squares: room(&mut memory.squares),
            turned: room(&mut memory.turned),
            lanes: room(&mut memory.lanes),
            occs: room(&mut memory.occs),
            attacks: room(&mut memory.attacks),
            targets: room(&mut memory.targets),
            offsets: room(&mut memory.offsets),
            buffer: Buffer { starts: room(&mut memory.starts), targets: room(&mut memory.move_targets) },
        }
    }

    /// Takes the pieces of the first of these positions, as many as there is room for.
    #[inline(always)]
    fn collect(&mut self, simd: impl ListOperations, sets: &BlockSets, mut lanes: Range<usize>) -> Range<usize> {
        let (first, mut len) = (lanes.start, 0);
        self.begins[first] = 0;
        while !lanes.is_empty() && len <= PIECES - 64 {
            let lane = lanes.start;
            let squares: &mut [u8; 64] = self.squares[len..].first_chunk_mut().expect(FITS);
            simd.squares(sets.movers[lane], squares);
            let turn = (sets.pieces.black[lane] & 0o70) as u8;
            let turned: &mut [u8; 64] = self.turned[len..].first_chunk_mut().expect(FITS);
            for (turned, square) in turned.iter_mut().zip(squares) {
                // After the last piece are any bytes.
                *turned = (*square % 64) ^ turn;
            }
            let count = sets.movers[lane].count_ones() as usize;
            let occs: &mut [u64; 64] = self.occs[len..].first_chunk_mut().expect(FITS);
            let of_lane: &mut [u8; 64] = self.lanes[len..].first_chunk_mut().expect(FITS);
            let chunks = occs.as_chunks_mut::<SIDE>().0.iter_mut().zip(of_lane.as_chunks_mut::<SIDE>().0);
            for (occs, lanes) in chunks.take(count.div_ceil(SIDE)) {
                occs.fill(sets.occupied[lane]);
                lanes.fill(lane as u8);
            }
            len += count;
            lanes.start += 1;
            self.begins[lanes.start] = len;
        }
        first..lanes.start
    }

    /// Computes the targets of the pieces of some positions.
    #[inline(always)]
    fn compute<L: ListOperations>(&mut self, simd: L, backend: Backend, sets: &BlockSets, lanes: Range<usize>) {
        let len = self.begins[lanes.end];
        let (squares, occs, attacks) = (&self.turned[..len], &self.occs[..len], &mut self.attacks[..len]);
        backend.batch_slider_attacks(Slider::Queen, squares, occs, attacks).expect("squares of one length");
        for lane in lanes {
            for square in Squares::from(sets.pinned[lane]) {
                let king = Squares::from(sets.pieces.king[lane]).next().expect("each side has a king");
                self.attacks[self.index(sets, lane, square)] &= line_through(square, king);
            }
            for square in Squares::from(sets.special[lane]) {
                let index = self.index(sets, lane, square);
                self.squares[index] |= SPECIAL;
            }
            let places = if L::SHIFTS_WORDS { self.begins[lane]..self.begins[lane + 1] } else { 0..0 };
            for at in places.step_by(SIDE) {
                let squares: &[u8; SIDE] = self.turned[at..].first_chunk().expect(FITS);
                let attacks: &[u64; SIDE] = self.attacks[at..].first_chunk().expect(FITS);
                let targets = simd.targets(&sets.pieces, lane, squares, attacks);
                *self.targets[at..].first_chunk_mut().expect(FITS) = targets;
            }
        }
        if !L::SHIFTS_WORDS {
            let pieces = self.turned[..len].iter().zip(&self.attacks[..len]).zip(&self.lanes[..len]);
            for (((&square, &attacks), &lane), targets) in pieces.zip(&mut self.targets[..len]) {
                *targets = sets.pieces.single_targets(usize::from(lane), square, attacks);
            }
        }
    }

    /// The index of the piece on `square`, as the side to move sees it.
    #[inline(always)]
    fn index(&self, sets: &BlockSets, lane: usize, square: Square) -> usize {
        let turn = (sets.pieces.black[lane] & 0o70) as u8;
        let before = sets.movers[lane] & ((1 << (square.index() ^ turn)) - 1);
        self.begins[lane] + before.count_ones() as usize
    }

    /// Leaves the targets of moves that give check. Moves that are written one by one are tested then.
    #[inline(always)]
    fn keep_checks(&mut self, sets: &BlockSets, checks: &CheckSets, lanes: Range<usize>) {
        for lane in lanes {
            let places = self.begins[lane]..self.begins[lane + 1];
            // The attack sets are not needed any more.
            for (kept, &square) in self.attacks[places.clone()].iter_mut().zip(&self.turned[places.clone()]) {
                *kept = checks.squares(lane, square);
            }
            for square in Squares::from(checks.openers[lane]) {
                self.attacks[self.index(sets, lane, square)] |= !line_through(square, checks.king(lane));
            }
            for square in Squares::from(sets.special[lane]) {
                self.attacks[self.index(sets, lane, square)] = !0;
            }
            for (targets, &kept) in self.targets[places.clone()].iter_mut().zip(&self.attacks[places]) {
                *targets &= of_side(kept, sets.pieces.black[lane]);
            }
        }
    }

    /// Adds the moves of some positions, or those that give check.
    #[inline(always)]
    fn list(
        &mut self,
        simd: impl ListOperations,
        sets: &BlockSets,
        checks: Option<&CheckSets>,
        lanes: Range<usize>,
        out: &mut Moves,
    ) {
        let (moves, offsets) = out.parts_mut();
        let (mut before, mut len) = (moves.len(), 0);
        self.offsets[0] = before;
        let pieces = self.squares.iter().zip(&*self.targets).zip(&*self.lanes).zip(&mut self.offsets[1..]);
        for (((&start, &targets), &lane), end) in pieces.take(self.begins[lanes.end]) {
            if len > BUFFER - MOST {
                self.buffer.add_to(moves, len);
                (before, len) = (before + len, 0);
            }
            let room = self.buffer.room(len);
            len += match STARTS.get(usize::from(start)) {
                Some(starts) => {
                    simd.few_squares(targets, room.targets);
                    *room.starts = *starts;
                    targets.count_ones() as usize
                }
                None => write_one_by_one(sets, checks, usize::from(lane), start % 64, targets, room),
            };
            *end = before + len;
        }
        self.buffer.add_to(moves, len);
        offsets.extend(self.begins[lanes.start + 1..=lanes.end].iter().map(|&end| self.offsets[end]));
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

/// Moves before their bytes are joined.
struct Buffer<'a> {
    /// The start of each move, and its kind from bit 6 on.
    starts: &'a mut [u8; BUFFER],
    /// The target of each move, and the piece of a promotion from bit 6 on.
    targets: &'a mut [u8; BUFFER],
}

/// Where the moves of a piece go.
struct Room<'a> {
    starts: &'a mut [u8; MOST],
    targets: &'a mut [u8; MOST],
}

impl Buffer<'_> {
    #[inline(always)]
    fn room(&mut self, len: usize) -> Room<'_> {
        let fits = "it has room for the moves of a piece";
        let [starts, targets] = [&mut *self.starts, &mut *self.targets].map(|bytes| bytes[len..].first_chunk_mut());
        Room { starts: starts.expect(fits), targets: targets.expect(fits) }
    }

    /// Adds the first `len` moves to others.
    #[inline(always)]
    fn add_to(&self, moves: &mut Vec<Move>, len: usize) {
        moves.extend(self.starts[..len].iter().zip(&self.targets[..len]).map(|(&start, &target)| {
            let start = u16::from(start);
            Move::from_bits((start | start << 8) & 0xc03f | u16::from(target) << 6)
        }));
    }
}

/// Writes the moves of any piece, or those that give check, and returns how many they are.
fn write_one_by_one(
    sets: &BlockSets,
    checks: Option<&CheckSets>,
    lane: usize,
    start: u8,
    targets: u64,
    out: Room<'_>,
) -> usize {
    let of = |boards: &[u64; BLOCK]| of_side(boards[lane], sets.pieces.black[lane]);
    let PieceSets { orthogonal, diagonal, knights, king, .. } = &sets.pieces;
    let (rooks, occupied) = (of(orthogonal), of(&sets.occupied));
    // A knight that is pinned has no moves.
    let is_pawn = (rooks | of(diagonal) | of(knights) | of(king)) >> (start % 64) & 1 == 0;
    let mut moves = out.starts.iter_mut().zip(out.targets);
    let mut len = 0;
    for to in Squares::from(targets) {
        let is = |set: u64| set & to.bitboard() != 0;
        let mut add = |kind: MoveKind, piece: u8| {
            let (kind, target) = (kind as u8, to.index() | piece << 6);
            let mv = Move::from_bits(u16::from(start) | u16::from(target) << 6 | u16::from(kind) << 14);
            if checks.is_none_or(|checks| checks.gives_check(sets, lane, mv)) {
                let (start_and_kind, target_and_piece) = moves.next().expect("no piece has more moves");
                (*start_and_kind, *target_and_piece) = (start | kind << 6, target);
                len += 1;
            }
        };
        if is_pawn && is(RANK_1 | RANK_8) {
            (0..4).for_each(|piece| add(MoveKind::Promotion, piece));
        } else if is(rooks) {
            add(MoveKind::Castling, 0);
        } else if is_pawn && to.file() != start % 8 && !is(occupied) {
            add(MoveKind::EnPassant, 0);
        } else {
            add(MoveKind::Normal, 0);
        }
    }
    len
}
