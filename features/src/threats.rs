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
//! The attackers of a round of positions share one loop, which writes the threats of each without a branch that depends
//! on their number. Both perspectives share the threats. With vectors, the first two numbers are looked up there too:
//! the row of an attacker is one vector. Without vectors, the loop only copies the places of attackers to their
//! threats, and a second one looks all up.
//!
//! What was tried for threats and pairs of pawns together, in nanoseconds per position of 41 inputs (an Intel Xeon with
//! AVX-512 VBMI2 that others used as well, rustc 1.95, November 2026; minima in one process, in which one attacker at a
//! time with `vpcompressb`, its scalar attack set and its own lookup of slots takes 216):
//!
//! | what | backend | before | after |
//! |---|---|---|---|
//! | attack sets by the kernel for pairs, slots by `vpermi2b` for 32 threats at a time | `avx512-gfni` | 216 | 183 |
//! | places of attackers in tables computed 32 at a time, not one by one | `avx512-gfni` | 183 | 140 |
//! | all arrays in one, so that no pointers are loaded | `avx512-gfni` | 140 | 125 |
//! | keys and places of 32 threats at a time, one lookup after the other | `avx2` | 368 | 267 |

use core::ops::Range;

use slider_attacks::position::Piece;
use slider_attacks::{Backend, Slider, SquareListing, SquareVectors};

use crate::block::{FeatureBlock, LANES, PIECES, View, without_first};
use crate::layout::Mirror;
use crate::output::{FeatureIndex, RowBuffer, STEP};
use crate::tables::{ENEMY, PLACES, ROWS, ThreatTables};

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

/// The attackers and threats of some positions. All arrays are parts of one, so that one register finds them.
pub(crate) struct ThreatLists {
    /// By position: the kinds that are victims of each kind.
    victims: [[u64; 8]; LANES],
    /// The pieces that may attack something.
    movers: [u64; LANES],
    /// The attackers of `lane` are `attackers[lane]..attackers[lane + 1]`.
    attackers: [usize; LANES + 1],
    squares: [u8; PIECES],
    occs: [u64; PIECES],
    attacks: [u64; PIECES],
    /// The index of the victims of each attacker in `victims`. Without vectors, the topmost bit is its side.
    groups: [u16; PIECES],
    /// The places of the attackers in tables: as White sees them, and as the two perspectives do.
    places: [u16; PIECES],
    views: [[u16; PIECES]; 2],
    /// The number of threats up to the end of each attacker.
    ends: [u16; PIECES],
    /// The squares of attackers and victims. Without vectors, the attackers' parts of keys, and the squares of the
    /// victims.
    from: [u8; THREATS],
    to: [u8; THREATS],
    /// The numbers from the attackers, for each perspective. Without vectors, the places of the attackers.
    sums: [[u16; THREATS]; 2],
}

const FITS: &str = "a round has at most so many pieces";

impl ThreatLists {
    pub(crate) fn new() -> ThreatLists {
        ThreatLists {
            victims: [[0; 8]; LANES],
            movers: [0; LANES],
            attackers: [0; LANES + 1],
            squares: [0; PIECES],
            occs: [0; PIECES],
            attacks: [0; PIECES],
            groups: [0; PIECES],
            places: [0; PIECES],
            views: [[0; PIECES]; 2],
            ends: [0; PIECES],
            from: [0; THREATS],
            to: [0; THREATS],
            sums: [[0; THREATS]; 2],
        }
    }

    /// Computes the sets of a block of positions, one per lane.
    #[inline(always)]
    pub(crate) fn load(&mut self, tables: &ThreatTables, block: &FeatureBlock) {
        const NOT_A: u64 = !0x0101_0101_0101_0101;
        const NOT_H: u64 = NOT_A.rotate_right(1);
        let pushes = if tables.pushes { !0 } else { 0 };
        for lane in 0..LANES {
            let kinds: [u64; 6] =
                core::array::from_fn(|kind| block.pieces[0][kind][lane] | block.pieces[1][kind][lane]);
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

    /// Makes room for the attackers of some positions, and returns these positions.
    #[inline(always)]
    fn collect(&mut self, block: &FeatureBlock, lanes: Range<usize>) -> Range<usize> {
        let mut len = 0;
        self.attackers[lanes.start] = 0;
        for lane in lanes.clone() {
            let count = self.movers[lane].count_ones() as usize;
            // Sixteen at a time, because hardly any position of a game has more.
            for at in (len..len + count).step_by(16) {
                *self.occs[at..].first_chunk_mut().expect(FITS) = [block.occupied[lane]; 16];
            }
            len += count;
            self.attackers[lane + 1] = len;
        }
        lanes
    }

    /// The attack sets of queens on the squares of the attackers. Returns their number.
    #[inline(always)]
    fn attack(&mut self, backend: Backend, lanes: Range<usize>) -> usize {
        let len = self.attackers[lanes.end];
        let (squares, occs, attacks) = (&self.squares[..len], &self.occs[..len], &mut self.attacks[..len]);
        backend.batch_slider_attacks(Slider::Queen, squares, occs, attacks).expect("squares of one length");
        len
    }

    /// Lists the threats of some positions.
    #[inline(always)]
    pub(crate) fn list(
        &mut self,
        simd: impl SquareListing,
        backend: Backend,
        tables: &ThreatTables,
        block: &FeatureBlock,
        lanes: Range<usize>,
    ) {
        for lane in self.collect(block, lanes.clone()) {
            let (start, end) = (self.attackers[lane], self.attackers[lane + 1]);
            simd.squares(self.movers[lane], self.squares[start..].first_chunk_mut().expect(FITS));
            let [first, second] = block.views(lane, Mirror::ToQueenside);
            let numbers = &block.numbers[lane];
            for at in start..end {
                let square = self.squares[at] % 64;
                let number = numbers[usize::from(square)] % 16;
                self.places[at] = place_of(number, square);
                self.views[0][at] = place_of(number ^ first.flip, square ^ first.turn);
                self.views[1][at] = place_of(number ^ second.flip, square ^ second.turn);
                self.groups[at] = (lane as u16 * 8 + u16::from(number % 8)) | (u16::from(number / ENEMY) << 15);
            }
        }
        let count = self.attack(backend, lanes);
        let ThreatLists { victims, attacks, groups, places, views, ends, from, to, sums, .. } = self;
        let victims: &[u64; 8 * LANES] = victims.as_flattened().try_into().expect("eight for each position");
        let [first, second] = views;
        let [first_sums, second_sums] = sums;
        let mut len = 0;
        let attackers = places[..count].iter().zip(&groups[..count]).zip(&attacks[..count]);
        let attackers = attackers.zip(&first[..count]).zip(&second[..count]);
        for (((((&place, &group), attacks), &first), &second), end) in attackers.zip(&mut ends[..count]) {
            // The compiler does not know that all of them fit.
            len = len.min(THREATS - 64);
            let at = usize::from(place) % PLACES;
            let reach = tables.slides[at] & attacks | tables.leaps[at];
            let victims = reach & victims[usize::from(group) % victims.len()];
            write_few(victims, to[len..].first_chunk_mut().expect(FITS));
            *from[len..].first_chunk_mut().expect(FITS) = [(group << 3 & 0x38 | group >> 8 & 0x80) as u8; VICTIMS];
            *first_sums[len..].first_chunk_mut().expect(FITS) = [first; VICTIMS];
            *second_sums[len..].first_chunk_mut().expect(FITS) = [second; VICTIMS];
            len += victims.count_ones() as usize;
            *end = len as u16;
        }
    }

    /// Lists the threats of some positions with vectors, and what their attackers add.
    #[inline(always)]
    pub(crate) fn list_on_vectors<S: SquareVectors>(
        &mut self,
        simd: S,
        backend: Backend,
        tables: &ThreatTables,
        block: &FeatureBlock,
        lanes: Range<usize>,
    ) {
        for lane in self.collect(block, lanes.clone()) {
            self.place_on_vectors(simd, block, lane);
        }
        let count = self.attack(backend, lanes);
        let ThreatLists { victims, attacks, groups, places, views, ends, from, to, sums, .. } = self;
        let victims: &[u64; 8 * LANES] = victims.as_flattened().try_into().expect("eight for each position");
        let [first, second] = views;
        let [first_sums, second_sums] = sums;
        let mut len = 0;
        let attackers = places[..count].iter().zip(&groups[..count]).zip(&attacks[..count]);
        let attackers = attackers.zip(&first[..count]).zip(&second[..count]);
        for (((((&place, &group), attacks), &first), &second), end) in attackers.zip(&mut ends[..count]) {
            // The compiler does not know that all of them fit.
            len = len.min(THREATS - 64);
            let at = usize::from(place) % PLACES;
            let reach = tables.slides[at] & attacks | tables.leaps[at];
            let victims = reach & victims[usize::from(group) % victims.len()];
            let targets = simd.squares_of(victims);
            simd.store_eight(targets, to[len..].first_chunk_mut().expect(FITS));
            *from[len..].first_chunk_mut().expect(FITS) = [(place % 64) as u8; VICTIMS];
            let (first_sums, second_sums) = (&mut first_sums[len..], &mut second_sums[len..]);
            sum_attackers(simd, tables, targets, [place, first], first_sums.first_chunk_mut().expect(FITS));
            sum_attackers(simd, tables, targets, [place, second], second_sums.first_chunk_mut().expect(FITS));
            len += victims.count_ones() as usize;
            *end = len as u16;
        }
    }

    /// Writes the places of the attackers of a position.
    #[inline(always)]
    fn place_on_vectors<S: SquareVectors>(&mut self, simd: S, block: &FeatureBlock, lane: usize) {
        let numbers = simd.load(&block.numbers[lane]);
        let group = simd.splat_word(8 * lane as u16);
        let views = block.views(lane, Mirror::ToQueenside);
        let (mut movers, mut at) = (self.movers[lane], self.attackers[lane]);
        while movers != 0 {
            let count = (movers.count_ones() as usize).min(STEP);
            let squares = simd.squares_of(movers);
            let numbers = simd.lookup(numbers, squares);
            simd.store_half(squares, self.squares[at..].first_chunk_mut().expect(FITS));
            let groups = simd.xor(group, simd.widen(simd.and(numbers, simd.splat(7))));
            simd.store_words(groups, self.groups[at..].first_chunk_mut().expect(FITS));
            let (places, [first, second]) = (&mut self.places, &mut self.views);
            places_on_vectors(simd, numbers, squares, View::default(), places[at..].first_chunk_mut().expect(FITS));
            places_on_vectors(simd, numbers, squares, views[0], first[at..].first_chunk_mut().expect(FITS));
            places_on_vectors(simd, numbers, squares, views[1], second[at..].first_chunk_mut().expect(FITS));
            (movers, at) = (without_first(movers, count), at + count);
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
        block: &FeatureBlock,
        lane: usize,
        offset: u32,
        out: &mut [RowBuffer<I>; 2],
    ) {
        let threats = self.threats(lane);
        let bases = [offset, offset + tables.enemy_base + u32::from(tables.enemy_word)];
        let views = block.views(lane, Mirror::ToQueenside);
        // The victims' parts of keys.
        let mut victims = [0; 64];
        for (victim, number) in victims.iter_mut().zip(&block.numbers[lane]) {
            *victim = (number % 8) | ((number & ENEMY) << 3);
        }
        for at in threats.clone().step_by(STEP) {
            let count = (threats.end - at).min(STEP);
            let attackers: &[u8; STEP] = self.from[at..].first_chunk().expect(FITS);
            let targets: &[u8; STEP] = self.to[at..].first_chunk().expect(FITS);
            let mut keys = [0; STEP];
            for ((key, attacker), target) in keys.iter_mut().zip(attackers).zip(targets).take(count) {
                *key = attacker ^ victims[usize::from(target % 64)];
            }
            for ((&View { flip, turn }, places), out) in views.iter().zip(&self.sums).zip(&mut *out) {
                let places: &[u16; STEP] = places[at..].first_chunk().expect(FITS);
                // Place and target. The topmost bit says that the target is the greater square.
                let mut indices = [0; STEP];
                for ((index, place), target) in indices.iter_mut().zip(places).zip(targets) {
                    let target = u16::from((target ^ turn) % 64);
                    *index = place << 6 | target | (place % 64).wrapping_sub(target) & 1 << 15;
                }
                let (mut kept, room) = (0, out.room());
                for (&key, &index) in keys.iter().zip(&indices).take(count) {
                    let key = key ^ (24 * flip);
                    let slot = tables.words[usize::from(key % 128)];
                    let place = usize::from(index >> 6) % PLACES;
                    let rank = u16::from(tables.ranks[place][usize::from(index % 64)]);
                    let word = (slot & 0x7fff) + tables.starts[place][0] + rank;
                    room[kept % STEP] = I::sum(word, bases[usize::from(key >> 7)]);
                    kept += usize::from(slot & index < 1 << 15);
                }
                out.advance(kept);
            }
        }
    }

    /// Adds the rows of a position with vectors.
    #[inline(always)]
    pub(crate) fn add_on_vectors<I: FeatureIndex, S: SquareVectors>(
        &self,
        simd: S,
        tables: &ThreatTables,
        block: &FeatureBlock,
        lane: usize,
        offset: u32,
        out: &mut [RowBuffer<I>; 2],
    ) {
        let threats = self.threats(lane);
        let bases = [offset, offset + tables.enemy_base];
        let views = block.views(lane, Mirror::ToQueenside);
        let [[low, low_of_enemy], [high, high_of_enemy]] = &tables.slots;
        let low_slots = [simd.load(low), simd.load(low_of_enemy)];
        let high_slots = [simd.load(high), simd.load(high_of_enemy)];
        // The parts of attackers and victims in the keys of `slots`. Bit 7, which is not part of the key, is the side
        // of the attacker.
        let numbers = simd.load(&block.numbers[lane]);
        let (kinds, sides) = (simd.and(numbers, simd.splat(7)), eightfold(simd, simd.and(numbers, simd.splat(ENEMY))));
        let attackers = simd.xor(eightfold(simd, kinds), simd.add(sides, sides));
        let victims = simd.xor(kinds, sides);
        for at in threats.clone().step_by(STEP) {
            let count = (threats.end - at).min(STEP);
            let from = simd.load(self.from[at..].first_chunk().expect(FITS));
            let to = simd.load(self.to[at..].first_chunk().expect(FITS));
            let keys = simd.xor(simd.lookup(attackers, from), simd.lookup(victims, to));
            for ((&View { flip, turn }, sums), out) in views.iter().zip(&self.sums).zip(&mut *out) {
                let keys = simd.xor(keys, simd.splat(24 * flip));
                let turn = simd.splat(turn);
                let (low, high) = (simd.lookup_two(low_slots, keys), simd.lookup_two(high_slots, keys));
                let drop = simd.and(high, simd.sub(simd.xor(from, turn), simd.xor(to, turn)));
                let high = simd.shift_words::<8>(simd.widen(simd.and(high, simd.splat(0x7f))));
                let sums = simd.load_words(sums[at..].first_chunk().expect(FITS));
                let words = simd.add_words(simd.add_words(simd.widen(low), high), sums);
                let words = simd.add_where(words, keys, tables.enemy_word);
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

/// The place of a piece in tables.
#[inline(always)]
fn place_of(number: u8, square: u8) -> u16 {
    u16::from(ROWS[usize::from(number % 64)]) << 6 | u16::from(square % 64)
}

/// Writes the places of 32 pieces as a perspective sees them.
#[inline(always)]
fn places_on_vectors<S: SquareVectors>(
    simd: S,
    numbers: S::Vector,
    squares: S::Vector,
    view: View,
    out: &mut [u16; STEP],
) {
    let rows = simd.lookup(simd.load(&ROWS), simd.xor(numbers, simd.splat(view.flip)));
    let squares = simd.widen(simd.xor(squares, simd.splat(view.turn)));
    simd.store_words(simd.xor(simd.shift_words::<6>(simd.widen(rows)), squares), out);
}

/// Writes what an attacker adds to the inputs with its victims. `places` are its places as White and as the perspective
/// see it.
#[inline(always)]
fn sum_attackers<S: SquareVectors>(
    simd: S,
    tables: &ThreatTables,
    targets: S::Vector,
    [white, place]: [u16; 2],
    out: &mut [u16; VICTIMS],
) {
    let at = usize::from(place) % PLACES;
    let targets = simd.xor(targets, simd.load(&COPIES[usize::from((white ^ place) % 64)]));
    simd.store_eight_sums(simd.lookup(simd.load(&tables.ranks[at]), targets), tables.starts[at], out);
}

/// Eight times each byte.
#[inline(always)]
fn eightfold<S: SquareVectors>(simd: S, a: S::Vector) -> S::Vector {
    let twice = simd.add(a, a);
    let fourfold = simd.add(twice, twice);
    simd.add(fourfold, fourfold)
}

/// Writes the squares of a set that usually has few, and at most eight.
#[inline(always)]
fn write_few(mut set: u64, out: &mut [u8; VICTIMS]) {
    for out in out.as_chunks_mut::<4>().0 {
        for out in out {
            *out = set.trailing_zeros() as u8;
            set &= set.wrapping_sub(1);
        }
        if set == 0 {
            return;
        }
    }
}
