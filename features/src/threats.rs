//! Threats: which piece attacks which.
//!
//! ```text
//! attackers   one per lane: the square, the number of the piece, the attack set of a queen on its square
//! threats     one per lane: the squares of attacker and victim, as White sees them
//! rows        for each perspective, the sum of three numbers:
//!               from attacker and square       where the inputs of this attacker begin
//!               from attacker and both squares how many lower squares it attacks on an empty board
//!               from attacker and victim       the slot of the victim
//! ```
//!
//! The attackers of a round of positions share one loop, which writes the threats of each without a branch that depends on their
//! number. Both perspectives share the threats. With vectors, the first two numbers are looked up there too: the row of an attacker
//! is one vector.

use core::ops::Range;

use slider_attacks::position::Piece;
use slider_attacks::{Backend, Slider, SquareLists, SquareVectors};

use crate::block::{Block, LANES, PIECES, View, boxed};
use crate::layout::Mirror;
use crate::output::{FeatureIndex, RowBuffer, STEP};
use crate::tables::{ENEMY, ROWS, ThreatTables};

/// How many pieces one piece attacks at most.
const VICTIMS: usize = 8;
/// How many threats some positions have at most, and room for what is written after the last one.
const THREATS: usize = PIECES * VICTIMS + 64;

/// Each byte in all places.
static COPIES: [[u8; 64]; 64] = {
    let (mut copies, mut byte) = ([[0; 64]; 64], 0);
    while byte < 64 {
        copies[byte] = [byte as u8; 64];
        byte += 1;
    }
    copies
};

/// The attackers and threats of some positions.
pub(crate) struct ThreatLists {
    /// By position: the kinds that are victims of each kind.
    victims: Box<[[u64; 8]; LANES]>,
    /// The pieces that may attack something.
    movers: Box<[u64; LANES]>,
    /// The attackers of `lane` are `attackers[lane]..attackers[lane + 1]`.
    attackers: [usize; LANES + 1],
    squares: Box<[u8; PIECES]>,
    lanes: Box<[u8; PIECES]>,
    /// The numbers of the attackers.
    numbers: Box<[u8; PIECES]>,
    occs: Box<[u64; PIECES]>,
    attacks: Box<[u64; PIECES]>,
    /// The numbers and squares of the attackers as the two perspectives see them.
    views: [Attackers; 2],
    /// The number of threats up to the end of each attacker.
    ends: Box<[u16; PIECES]>,
    /// The squares of attackers and victims.
    from: Box<[u8; THREATS]>,
    to: Box<[u8; THREATS]>,
    /// The numbers from the attackers, for each perspective.
    sums: [Box<[u16; THREATS]>; 2],
}

/// Attackers as a perspective sees them.
struct Attackers {
    numbers: Box<[u8; PIECES]>,
    squares: Box<[u8; PIECES]>,
}

impl Attackers {
    fn new() -> Attackers {
        Attackers { numbers: boxed(), squares: boxed() }
    }
}

const FITS: &str = "a round has at most so many pieces";

impl ThreatLists {
    pub(crate) fn new() -> ThreatLists {
        ThreatLists {
            victims: boxed(),
            movers: boxed(),
            attackers: [0; LANES + 1],
            squares: boxed(),
            lanes: boxed(),
            numbers: boxed(),
            occs: boxed(),
            attacks: boxed(),
            views: [Attackers::new(), Attackers::new()],
            ends: boxed(),
            from: boxed(),
            to: boxed(),
            sums: [boxed(), boxed()],
        }
    }

    /// Computes the sets of a block of positions, one per lane.
    #[inline(always)]
    pub(crate) fn load(&mut self, tables: &ThreatTables, block: &Block) {
        const NOT_A: u64 = !0x0101_0101_0101_0101;
        const NOT_H: u64 = NOT_A.rotate_right(1);
        let pushes = if tables.pushes { !0 } else { 0 };
        for lane in 0..LANES {
            let kinds: [u64; 6] = core::array::from_fn(|kind| block.pieces[0][kind][lane] | block.pieces[1][kind][lane]);
            let mut victims = [0; 8];
            for (victims, masks) in victims.iter_mut().zip(&tables.victims) {
                for (kind, mask) in kinds.iter().zip(masks) {
                    *victims |= kind & mask;
                }
            }
            // Pawns that attack something, and all other pieces.
            let of_pawns = victims[0];
            let beside = (of_pawns & NOT_A) >> 1 | (of_pawns & NOT_H) << 1 | of_pawns & pushes;
            let pawns = block.pieces[0][Piece::Pawn as usize][lane] & beside >> 8
                | block.pieces[1][Piece::Pawn as usize][lane] & beside << 8;
            let mut movers = pawns;
            for (kind, mask) in kinds.iter().zip(&tables.attackers).skip(1) {
                movers |= kind & mask;
            }
            self.victims[lane] = victims;
            self.movers[lane] = movers;
        }
    }

    /// Takes the attackers of some positions, for one position after the other.
    #[inline(always)]
    fn collect_with(&mut self, block: &Block, lanes: Range<usize>, mut write: impl FnMut(&mut Self, usize, usize, usize)) {
        let mut len = 0;
        self.attackers[lanes.start] = 0;
        for lane in lanes {
            let count = self.movers[lane].count_ones() as usize;
            // Sixteen at a time, because no side of a game has more.
            for at in (len..len + count).step_by(16) {
                *self.occs[at..].first_chunk_mut().expect(FITS) = [block.occupied[lane]; 16];
                *self.lanes[at..].first_chunk_mut().expect(FITS) = [lane as u8; 16];
            }
            write(self, lane, len, count);
            len += count;
            self.attackers[lane + 1] = len;
        }
    }

    /// The attack sets of queens on the squares of the attackers.
    #[inline(always)]
    fn attack(&mut self, backend: Backend, lanes: Range<usize>) -> usize {
        let len = self.attackers[lanes.end];
        let (squares, occs, attacks) = (&self.squares[..len], &self.occs[..len], &mut self.attacks[..len]);
        backend.batch_slider_attacks(Slider::Queen, squares, occs, attacks).expect("squares of one length");
        len
    }

    /// The victims of an attacker.
    #[inline(always)]
    fn victims_of(&self, tables: &ThreatTables, at: usize) -> u64 {
        let (square, number) = (usize::from(self.squares[at] % 64), usize::from(self.numbers[at] % 16));
        let reach = tables.reach[number][square] & (self.attacks[at] | tables.leaps[number % 8]);
        reach & self.victims[usize::from(self.lanes[at]) % LANES][number % 8]
    }

    /// Lists the threats of some positions.
    #[inline(always)]
    pub(crate) fn list(
        &mut self,
        simd: impl SquareLists,
        backend: Backend,
        tables: &ThreatTables,
        block: &Block,
        lanes: Range<usize>,
    ) {
        self.collect_with(block, lanes.clone(), |lists, lane, at, count| {
            simd.squares(lists.movers[lane], lists.squares[at..].first_chunk_mut().expect(FITS));
            let numbers = lists.numbers[at..at + count].iter_mut().zip(&lists.squares[at..at + count]);
            for (number, &square) in numbers {
                *number = block.numbers[lane][usize::from(square % 64)];
            }
        });
        let mut len = 0;
        for at in 0..self.attack(backend, lanes) {
            let victims = self.victims_of(tables, at);
            simd.few_squares(victims, self.to[len..].first_chunk_mut().expect(FITS));
            *self.from[len..].first_chunk_mut().expect(FITS) = [self.squares[at]; VICTIMS];
            len += victims.count_ones() as usize;
            self.ends[at] = len as u16;
        }
    }

    /// Lists the threats of some positions with vectors, and what their attackers add.
    #[inline(always)]
    pub(crate) fn list_on_vectors<S: SquareVectors>(
        &mut self,
        simd: S,
        backend: Backend,
        tables: &ThreatTables,
        block: &Block,
        lanes: Range<usize>,
    ) {
        self.collect_with(block, lanes.clone(), |lists, lane, at, _| {
            let squares = simd.squares_of(lists.movers[lane]);
            let numbers = simd.lookup(simd.load(&block.numbers[lane]), squares);
            simd.store(squares, lists.squares[at..].first_chunk_mut().expect(FITS));
            simd.store(numbers, lists.numbers[at..].first_chunk_mut().expect(FITS));
            for (View { flip, turn }, view) in block.views(lane, Mirror::ToQueenside).into_iter().zip(&mut lists.views) {
                let numbers = simd.xor(numbers, simd.splat(flip));
                simd.store(numbers, view.numbers[at..].first_chunk_mut().expect(FITS));
                let squares = simd.xor(squares, simd.splat(turn));
                simd.store(squares, view.squares[at..].first_chunk_mut().expect(FITS));
            }
        });
        let mut len = 0;
        for at in 0..self.attack(backend, lanes) {
            let victims = self.victims_of(tables, at);
            let (square, to) = (self.squares[at] % 64, simd.squares_of(victims));
            simd.store_eight(to, self.to[len..].first_chunk_mut().expect(FITS));
            *self.from[len..].first_chunk_mut().expect(FITS) = [square; VICTIMS];
            for (view, sums) in self.views.iter().zip(&mut self.sums) {
                let (number, turned) = (usize::from(view.numbers[at] % 16), view.squares[at] % 64);
                let ranks = simd.load(&tables.ranks[usize::from(ROWS[number]) % 7][usize::from(turned)]);
                let to = simd.xor(to, simd.load(&COPIES[usize::from(square ^ turned)]));
                let start = tables.starts[number][usize::from(turned)];
                let sums = sums[len..].first_chunk_mut().expect(FITS);
                simd.store_eight_sums(simd.lookup(ranks, to), start, sums);
            }
            len += victims.count_ones() as usize;
            self.ends[at] = len as u16;
        }
    }

    /// The threats of a position.
    #[inline(always)]
    fn threats(&self, lane: usize) -> Range<usize> {
        let end = |attackers: usize| attackers.checked_sub(1).map_or(0, |last| usize::from(self.ends[last]));
        end(self.attackers[lane])..end(self.attackers[lane + 1])
    }

    /// Adds the rows of a position.
    #[inline(always)]
    pub(crate) fn add<I: FeatureIndex>(
        &self,
        tables: &ThreatTables,
        block: &Block,
        lane: usize,
        offset: u32,
        out: &mut [Box<RowBuffer<I>>; 2],
    ) {
        let threats = self.threats(lane);
        let numbers = &block.numbers[lane];
        let bases = [offset, offset + tables.enemy_base];
        for (View { flip, turn }, out) in block.views(lane, Mirror::ToQueenside).into_iter().zip(out) {
            for (from, to) in self.from[threats.clone()].chunks(STEP).zip(self.to[threats.clone()].chunks(STEP)) {
                let (mut count, room) = (0, out.room());
                for (&from, &to) in from.iter().zip(to) {
                    let [attacker, victim] = [from, to].map(|at| usize::from((numbers[usize::from(at % 64)] ^ flip) % 16));
                    let [from, to] = [from, to].map(|square| usize::from((square ^ turn) % 64));
                    let (side, key) = (victim / usize::from(ENEMY), (8 * (attacker % 8) + victim % 8) % 64);
                    let [low, high] = tables.slots.each_ref().map(|bytes| bytes[side][key]);
                    let rank = tables.ranks[usize::from(ROWS[attacker]) % 7][from][to];
                    let word = u16::from_le_bytes([low, high & 0x7f]) + u16::from(rank);
                    let word = word.wrapping_add(tables.starts[attacker][from][0]);
                    room[count % STEP] = I::sum(word, bases[attacker / usize::from(ENEMY)]);
                    count += usize::from(high < 0x80 || from > to);
                }
                out.advance(count);
            }
        }
    }

    /// Adds the rows of a position with vectors.
    #[inline(always)]
    pub(crate) fn add_on_vectors<I: FeatureIndex, S: SquareVectors>(
        &self,
        simd: S,
        tables: &ThreatTables,
        block: &Block,
        lane: usize,
        offset: u32,
        out: &mut [Box<RowBuffer<I>>; 2],
    ) {
        let threats = self.threats(lane);
        let bases = [offset, offset + tables.enemy_base];
        let views = block.views(lane, Mirror::ToQueenside);
        let slots = tables.slots.each_ref().map(|sides| sides.each_ref().map(|bytes| simd.load(bytes)));
        // The parts of attackers and victims in the keys of `slots`. Bit 7, which is not part of the key, is the side of the attacker.
        let numbers = simd.load(&block.numbers[lane]);
        let eightfold = |a: S::Vector| {
            let twice = simd.add(a, a);
            let fourfold = simd.add(twice, twice);
            simd.add(fourfold, fourfold)
        };
        let (kinds, sides) = (simd.and(numbers, simd.splat(7)), eightfold(simd.and(numbers, simd.splat(ENEMY))));
        let attackers = simd.xor(eightfold(kinds), simd.add(sides, sides));
        let victims = simd.xor(kinds, sides);
        for at in threats.clone().step_by(STEP) {
            let count = (threats.end - at).min(STEP);
            let [from, to] = [&self.from, &self.to].map(|squares| simd.load(squares[at..].first_chunk().expect(FITS)));
            let keys = simd.xor(simd.lookup(attackers, from), simd.lookup(victims, to));
            for ((&View { flip, turn }, sums), out) in views.iter().zip(&self.sums).zip(&mut *out) {
                let keys = simd.xor(keys, simd.splat(24 * flip));
                let turn = simd.splat(turn);
                let [low, high] = slots.map(|slots| simd.lookup_two(slots, keys));
                let drop = simd.and(high, simd.sub(simd.xor(from, turn), simd.xor(to, turn)));
                let high = simd.shift_words::<8>(simd.widen(simd.and(high, simd.splat(0x7f))));
                let sums = simd.load_words(sums[at..].first_chunk().expect(FITS));
                let words = simd.add_words(simd.add_words(simd.widen(low), high), sums);
                let (words, kept) = simd.keep(words, drop, count);
                let mut enemies = words;
                if tables.enemy_base != 0 {
                    let attackers = simd.widen(simd.and(keys, simd.splat(1 << 7)));
                    enemies = simd.keep(attackers, drop, count).0;
                }
                I::store(simd, words, enemies, bases, out.room());
                out.advance(kept);
            }
        }
    }
}
