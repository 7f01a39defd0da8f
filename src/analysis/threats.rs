//! Threats: each attacker with each of its victims.
//!
//! Most pieces attack no piece of the other side. Those that do are found as sets, one position per lane, by rays from the victims.
//! The rest is done for all of them, whatever their kind, side and position, without a branch that depends on them:
//!
//! ```text
//! sets        one position per lane: the victims of a side, and its pieces of each kind that attack one
//! attackers   the squares of these sets in one array; one kernel computes what queens there attack
//! threats     of each attacker: its victims are bits of three sets, and their squares are written
//! ```
//!
//! What stands on a square is a number, written for all squares of a position at once.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::Side;
use super::lanes::{BLOCK, PaddedLanes, PositionArrays, SidePieces, SideView, for_each_round, kinds};
use super::moves::mask;
use super::products::{diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks, union};
use crate::batch::entries::Planes;
use crate::batch::lists::{FEW, ListOperations, ListTask, room, rows};
use crate::position::{Color, Piece, PositionSlice};
use crate::table::table;
use crate::{Backend, Lists, Slider, Square, Squares, reference};

/// One piece attacks another, or defends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threat {
    /// The piece that attacks.
    pub attacker: (Color, Piece),
    /// Its square.
    pub attacker_square: Square,
    /// The piece that is attacked.
    pub victim: (Color, Piece),
    /// Its square.
    pub victim_square: Square,
}

/// The threats of an array of positions: `threats[i]` are those of position *i*.
///
/// Memory is 6 bytes per threat and 8 per position.
///
/// ```
/// use slider_attacks::Backend;
/// use slider_attacks::analysis::{Side, Threats};
/// use slider_attacks::position::{Color, Positions};
///
/// let mut positions = Positions::new();
/// positions.push_fens(["4k3/8/8/p7/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/4K3 w - -"])?;
/// let mut threats = Threats::new();
/// Backend::active().threats(&positions, &[Color::White], Side::Any, &mut threats);
/// assert!(threats.iter().map(<[_]>::len).eq([2, 0])); // the rook attacks the pawn, and defends the king
/// for (position, threats) in positions.iter().zip(&threats) {
///     assert!(threats.iter().all(|threat| position.piece_at(threat.victim_square) == Some(threat.victim)));
/// }
/// # Ok::<(), slider_attacks::position::FenError>(())
/// ```
pub type Threats = Lists<Threat>;

pub(super) fn fill(backend: Backend, positions: PositionSlice<'_>, colors: &[Color], victims: Side, out: &mut Threats) {
    out.clear();
    backend.list(ThreatTask { backend, positions, colors, victims, out });
}

struct ThreatTask<'a> {
    backend: Backend,
    positions: PositionSlice<'a>,
    colors: &'a [Color],
    victims: Side,
    out: &'a mut Threats,
}

impl ListTask for ThreatTask<'_> {
    #[inline(always)]
    fn perform(self, simd: impl ListOperations) {
        let ThreatTask { backend, positions, colors, victims, out } = self;
        if colors.is_empty() {
            return out.parts_mut().1.resize(positions.len() + 1, 0);
        }
        let (columns, len) = (PositionArrays::new(positions, Color::White), positions.len());
        let mut memory = ThreatMemory::new();
        let (padded, planes, codes) = (room(&mut memory.padded), room(&mut memory.planes), room(&mut memory.codes));
        let sets = room(&mut memory.sets);
        let mut lists = AttackerLists {
            ends: room(&mut memory.ends),
            squares: room(&mut memory.squares),
            boards: room(&mut memory.boards),
            occs: room(&mut memory.occs),
            attacks: room(&mut memory.attacks),
            victim_ends: room(&mut memory.victim_ends),
            from: room(&mut memory.from),
            to: room(&mut memory.to),
        };
        (lists.ends[0], lists.victim_ends[0]) = (0, 0);
        for start in (0..len).step_by(BLOCK) {
            let places = start..len.min(start + BLOCK);
            let block = columns.block(start, padded);
            for_each_round!(places.len().next_multiple_of(LANES), |ROUND, at| {
                let round = block.part::<ROUND>(at);
                for color in Color::ALL.into_iter().filter(|color| colors.contains(color)) {
                    let round = if color == Color::White { &round } else { &round.turned() };
                    sets[color as usize].compute_round(round, at, victims);
                }
                write_code_planes(&round, at, planes);
            });
            backend.numbers(planes, &mut codes[..places.len()]);
            let occs = &positions.occupancies()[places.clone()];
            let mut sides = 0..places.len() * colors.len();
            while !sides.is_empty() {
                let now = lists.collect(simd, sets, occs, colors, sides.clone());
                lists.find(simd, backend, sets, codes, now.len());
                lists.list(codes, colors, now.clone(), out);
                sides.start = now.end;
            }
        }
    }
}

/// Memory that nobody clears.
struct ThreatMemory {
    padded: MaybeUninit<PaddedLanes>,
    planes: MaybeUninit<Planes>,
    codes: MaybeUninit<[[u8; 64]; BLOCK]>,
    sets: MaybeUninit<[AttackerSets; 2]>,
    ends: MaybeUninit<[usize; ATTACKERS + 1]>,
    squares: MaybeUninit<[u8; ATTACKERS + FEW]>,
    boards: MaybeUninit<[u16; ATTACKERS + FEW]>,
    occs: MaybeUninit<[u64; ATTACKERS + FEW]>,
    attacks: MaybeUninit<[u64; ATTACKERS]>,
    victim_ends: MaybeUninit<[u16; ATTACKERS + 1]>,
    from: MaybeUninit<[u16; VICTIMS + FEW]>,
    to: MaybeUninit<[u8; VICTIMS + FEW]>,
}

impl ThreatMemory {
    #[inline(always)]
    fn new() -> ThreatMemory {
        ThreatMemory {
            padded: MaybeUninit::uninit(),
            planes: MaybeUninit::uninit(),
            codes: MaybeUninit::uninit(),
            sets: MaybeUninit::uninit(),
            ends: MaybeUninit::uninit(),
            squares: MaybeUninit::uninit(),
            boards: MaybeUninit::uninit(),
            occs: MaybeUninit::uninit(),
            attacks: MaybeUninit::uninit(),
            victim_ends: MaybeUninit::uninit(),
            from: MaybeUninit::uninit(),
            to: MaybeUninit::uninit(),
        }
    }
}

rows! {
    /// The sets of one side of a block of positions, one per lane.
    struct AttackerSets {
        /// The pieces of each kind that attack a victim.
        attackers: [[u64; BLOCK]; 6],
        victims: [u64; BLOCK],
    }
}

impl AttackerSets {
    /// The sets of the pieces of `own` in a round, which begins with lane `at`. Except for the king, attackers are those that a piece
    /// of their kind on a victim's square would attack.
    #[inline(always)]
    fn compute_round<const ROUND: usize>(
        &mut self,
        round: &PositionArrays<'_, [u64; ROUND]>,
        at: usize,
        victims: Side,
    ) {
        let mut rows = self.attackers.each_mut().map(|row| row[at..].first_chunk_mut::<ROUND>().expect(FULL));
        let all_victims = self.victims[at..].first_chunk_mut::<ROUND>().expect(FULL);
        for lane in 0..ROUND {
            let board = round.board(lane);
            let (SidePieces { pawns, knights, orthogonal, diagonal, king, .. }, empty) = (board.own, board.empty());
            let victims = victims_of(&board, victims);
            let attackers = pawns & union(pawn_attacks(victims, !board.white))
                | knights & knight_attacks(victims)
                | orthogonal & orthogonal_attacks(victims, empty)
                | diagonal & diagonal_attacks(victims, empty)
                | king & mask(king_attacks(king) & victims != 0);
            for (row, kind) in rows.iter_mut().zip(kinds(&round.own, lane)) {
                row[lane] = kind & attackers;
            }
            all_victims[lane] = victims;
        }
    }
}

const FULL: &str = "all rounds are full";

/// The victims of the pieces of `own`.
#[inline(always)]
fn victims_of(board: &SideView, victims: Side) -> u64 {
    match victims {
        Side::Own => board.own.all,
        Side::Enemy => board.enemy.all,
        Side::Any => board.occupied(),
    }
}

/// By number: what stands on a square. The numbers of Black's pieces are those of White's and [`BLACK`].
static PIECES: [(Color, Piece); 16] = table!(code < 16 => {
    (if code < BLACK { Color::White } else { Color::Black }, Piece::ALL[if code % BLACK < 6 { code % BLACK } else { 0 }])
});
pub(super) const BLACK: usize = 8;

/// Writes the numbers of all squares of a round, which begins with lane `at`, as the bits of the numbers.
#[inline(always)]
fn write_code_planes<const ROUND: usize>(round: &PositionArrays<'_, [u64; ROUND]>, at: usize, planes: &mut Planes) {
    let [ones, twos, fours, eights, sixteens] =
        planes.each_mut().map(|plane| plane[at..].first_chunk_mut().expect(FULL));
    for lane in 0..ROUND {
        let of = |kind: usize| round.own[kind][lane] | round.enemy[kind][lane];
        ones[lane] = of(1) | of(3) | of(5);
        twos[lane] = of(2) | of(3);
        fours[lane] = of(4) | of(5);
        eights[lane] = round.enemy[6][lane];
    }
    *sixteens = [0; ROUND];
}

/// By square and number of a piece: what it attacks on an empty board.
pub(super) static REACH: [[u64; 16]; 64] = table!(square < 64 => table!(code < 16 => {
    let (square, piece) = (Square::ALL[square], PIECES[code].1);
    let white = if code < BLACK { !0 } else { 0 };
    match piece {
        Piece::Pawn => union(pawn_attacks(square.bitboard(), white)),
        Piece::Knight => knight_attacks(square.bitboard()),
        Piece::Bishop => reference::attacks(Slider::Bishop, square, 0),
        Piece::Rook => reference::attacks(Slider::Rook, square, 0),
        Piece::Queen => reference::attacks(Slider::Queen, square, 0),
        Piece::King => king_attacks(square.bitboard()),
    }
}));
/// By square: those that a queen there cannot reach.
static OFF_LINES: [u64; 64] = table!(square < 64 => !reference::attacks(Slider::Queen, Square::ALL[square], 0));

/// How many attackers are computed at a time: those of a block of positions in games, for victims of the other side.
const ATTACKERS: usize = 512;
/// The victims of these: at most one in each direction, or one for each leap of a knight.
const VICTIMS: usize = 8 * ATTACKERS;

/// The pieces of some sides: a side has the number of its position times the number of colours, and that of its colour. The first *i*
/// of these sides have `ends[i]` attackers, and the first *i* attackers have `victim_ends[i]` victims.
struct AttackerLists<'a> {
    ends: &'a mut [usize; ATTACKERS + 1],
    squares: &'a mut [u8; ATTACKERS + FEW],
    /// The place of a1 in all squares of the block, and, from bit 12 on, the colour.
    boards: &'a mut [u16; ATTACKERS + FEW],
    occs: &'a mut [u64; ATTACKERS + FEW],
    attacks: &'a mut [u64; ATTACKERS],
    victim_ends: &'a mut [u16; ATTACKERS + 1],
    /// The places of the attackers, and the squares of the victims.
    from: &'a mut [u16; VICTIMS + FEW],
    to: &'a mut [u8; VICTIMS + FEW],
}

const FITS: &str = "the last sides are left to the next round unless all of their pieces fit";

impl AttackerLists<'_> {
    /// Takes the attackers of the first of these sides, as many as there is room for.
    #[inline(always)]
    fn collect(
        &mut self,
        simd: impl ListOperations,
        sets: &[AttackerSets; 2],
        occs: &[u64],
        colors: &[Color],
        sides: Range<usize>,
    ) -> Range<usize> {
        let (mut len, mut number) = (0, 0);
        let mut cursor = SideCursor::new(sides.start, colors);
        while number < sides.len().min(ATTACKERS) && len <= ATTACKERS - 64 {
            let (lane, color) = cursor.next(colors);
            let start = len;
            for row in &sets[color as usize].attackers {
                let (set, room) = (row[lane], &mut self.squares[len..]);
                match room.first_chunk_mut() {
                    Some(room) if set.count_ones() as usize <= FEW => simd.few_or_none(set, room),
                    _ => list_one_by_one(set, room),
                }
                len += set.count_ones() as usize;
            }
            let board = (color as u16) << 12 | (lane as u16) << 6;
            // Hardly any side has more attackers than one step takes.
            for at in (start..len).step_by(FEW) {
                *self.boards[at..].first_chunk_mut().expect(FITS) = [board; FEW];
                *self.occs[at..].first_chunk_mut().expect(FITS) = [occs[lane]; FEW];
            }
            number += 1;
            self.ends[number] = len;
        }
        sides.start..sides.start + number
    }

    /// Finds the victims of the attackers of the first sides.
    #[inline(always)]
    fn find(
        &mut self,
        simd: impl ListOperations,
        backend: Backend,
        sets: &[AttackerSets; 2],
        codes: &[[u8; 64]; BLOCK],
        sides: usize,
    ) {
        let len = self.ends[sides];
        let AttackerLists { squares, boards, occs, attacks, victim_ends, from, to, .. } = self;
        let (squares, attacks) = (&squares[..len], &mut attacks[..len]);
        backend.batch_slider_attacks(Slider::Queen, squares, &occs[..len], attacks).expect("squares of one length");
        let mut end = 0;
        let attackers = squares.iter().zip(&boards[..len]).zip(attacks).zip(&mut victim_ends[1..]);
        for (((&square, &board), attacks), victim_end) in attackers {
            let (square, place) = (usize::from(square % 64), board | u16::from(square));
            let code = codes.as_flattened()[usize::from(place) % (64 * BLOCK)];
            let reach = REACH[square][usize::from(code % 16)] & (*attacks | OFF_LINES[square]);
            let victims = reach & sets[usize::from(board >> 12) % 2].victims[usize::from(board >> 6) % BLOCK];
            end = end.min(VICTIMS); // the compiler does not know that all of them fit
            simd.few_or_none(victims, to[end..].first_chunk_mut().expect(FITS));
            *from[end..].first_chunk_mut().expect(FITS) = [place; FEW];
            end += victims.count_ones() as usize;
            *victim_end = end as u16;
        }
    }

    /// Adds the threats of some sides.
    #[inline(always)]
    fn list(&self, codes: &[[u8; 64]; BLOCK], colors: &[Color], sides: Range<usize>, out: &mut Threats) {
        let (threats, offsets) = out.parts_mut();
        let end_of = |side: usize| usize::from(self.victim_ends[self.ends[side]]);
        let mut cursor = SideCursor::new(sides.start, colors);
        for side in 1..=sides.len() {
            cursor.next(colors);
            if cursor.color == 0 {
                offsets.push(threats.len() + end_of(side));
            }
        }
        let found = ..end_of(sides.len());
        threats.extend(self.from[found].iter().zip(&self.to[found]).map(|(&from, &to)| {
            let at = |place: u16| {
                let piece = codes.as_flattened()[usize::from(place) % (64 * BLOCK)] % 16;
                (PIECES[usize::from(piece)], Square::new(place as u8 % 64).unwrap_or(Square::A1))
            };
            let (attacker, attacker_square) = at(from);
            let (victim, victim_square) = at(from & !63 | u16::from(to));
            Threat { attacker, attacker_square, victim, victim_square }
        }));
    }
}

/// The sides of a block, one after the other.
struct SideCursor {
    lane: usize,
    /// The index of its colour.
    color: usize,
}

impl SideCursor {
    #[inline(always)]
    fn new(side: usize, colors: &[Color]) -> SideCursor {
        SideCursor { lane: side / colors.len(), color: side % colors.len() }
    }

    /// The lane of the next side, and its colour.
    #[inline(always)]
    fn next(&mut self, colors: &[Color]) -> (usize, Color) {
        let side = (self.lane % BLOCK, colors[self.color]);
        self.color += 1;
        if self.color == colors.len() {
            (self.lane, self.color) = (self.lane + 1, 0);
        }
        side
    }
}

/// The squares of a set with more than half of all squares, or at the end of a board that is full.
fn list_one_by_one(set: u64, out: &mut [u8]) {
    for (out, square) in out.iter_mut().zip(Squares::from(set)) {
        *out = square.index();
    }
}
