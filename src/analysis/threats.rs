//! Threats: each attacker with each of its victims.
//!
//! Most pieces attack no piece of the other side. The pieces that attack a victim are found as sets, one position per lane, by rays
//! from the victims; the others are left out.
//!
//! Lists are made as those of moves are: these pieces of some positions go to one array, those of one kind and side in the order of
//! their squares; one kernel computes the attacks of queens from these squares, and the sets of the position those of the pieces.
//! Then each piece is one step that writes its victims' squares, with `vpcompressb`. So no branch depends on the kind of a piece. What
//! stands on a square is a number, written for all squares of a position at once.
//!
//! Without `vpcompressb`, pieces are taken one after the other: most have few victims, and to write room for eight takes longer than
//! to branch (AVX2 1.2 times as long for victims of the other side, `scalar` 2.1).

use core::ops::Range;

use super::Side;
use super::lanes::{BLOCK, PaddedLanes, PositionArrays, SidePieces, SideView};
use super::moves::{mask, turned};
use super::products::{diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks, union};
use crate::batch::entries::Planes;
use crate::batch::lists::{ListOperations, ListTask, PieceSets, SIDE};
use crate::position::{Color, Piece, PositionSlice};
use crate::rays::{NE, NW, step};
use crate::table::table;
use crate::{Backend, Lists, Slider, Square, Squares};

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
        if !simd.compresses() {
            return self.list_by_piece();
        }
        let ThreatTask { backend, positions, colors, victims, out } = self;
        if colors.is_empty() {
            return out.parts_mut().1.resize(positions.len() + 1, 0);
        }
        let (columns, len) = (PositionArrays::new(positions, Color::White), positions.len());
        let mut padded: PaddedLanes = [[[0; BLOCK]; 7]; 2];
        let mut sets = [const { AttackSets::NONE }; 2];
        let mut codes = [[0; 64]; BLOCK];
        let mut lists = AttackerLists::NONE;
        for start in (0..len).step_by(BLOCK) {
            let places = start..len.min(start + BLOCK);
            let block = columns.block(start, &mut padded);
            for (sets, color) in sets.iter_mut().zip(Color::ALL) {
                sets.compute(&block, color, victims);
            }
            backend.numbers(&code_planes(&block), &mut codes[..places.len()]);
            let attacking = [attackers(&block, victims), attackers(&block.turned(), victims)];
            let mut sides = 0..places.len() * colors.len();
            while !sides.is_empty() {
                let now = lists.collect(simd, &block, &sets, &attacking, colors, sides.clone());
                lists.compute(simd, backend, &sets, colors, now.clone());
                lists.list(simd, &codes, colors, now.clone(), out);
                sides.start = now.end;
            }
        }
    }
}

/// The sets of one side of a block of positions, one per lane, as that side sees them.
#[repr(align(64))] // a vector of 64 bytes that lies in two cache lines takes longer
struct AttackSets {
    pieces: PieceSets,
    occupied: [u64; BLOCK],
}

impl AttackSets {
    const NONE: AttackSets = AttackSets { pieces: PieceSets::NONE, occupied: [0; BLOCK] };

    /// The victims take the place of the targets of moves.
    #[inline(always)]
    fn compute(&mut self, block: &PositionArrays<'_, [u64; BLOCK]>, color: Color, victims: Side) {
        let pieces = &mut self.pieces;
        let black = if color == Color::Black { !0 } else { 0 };
        for lane in 0..BLOCK {
            let board = turned(&block.board(lane), black);
            let SidePieces { pawns, knights, orthogonal, diagonal, king, .. } = board.own;
            let victims = victims_of(&board, victims);
            pieces.black[lane] = black;
            pieces.orthogonal[lane] = orthogonal;
            pieces.diagonal[lane] = diagonal;
            pieces.knights[lane] = knights;
            pieces.king[lane] = king;
            pieces.targets[lane] = victims;
            pieces.east[lane] = step::<NE>(pawns) & victims;
            pieces.west[lane] = step::<NW>(pawns) & victims;
            pieces.king_targets[lane] = king_attacks(king) & victims;
            self.occupied[lane] = board.occupied();
        }
    }
}

/// The victims of the pieces of `own`.
#[inline(always)]
fn victims_of(board: &SideView, victims: Side) -> u64 {
    match victims {
        Side::Own => board.own.all,
        Side::Enemy => board.enemy.all,
        Side::Any => board.occupied(),
    }
}

/// The pieces of `own` that attack a victim, in each position of a block. Except for the king, they are the pieces that a piece of
/// their own kind on a victim's square would attack.
#[inline(always)]
fn attackers(block: &PositionArrays<'_, [u64; BLOCK]>, victims: Side) -> [u64; BLOCK] {
    let mut attackers = [0; BLOCK];
    for (lane, attackers) in attackers.iter_mut().enumerate() {
        let board = block.board(lane);
        let (SidePieces { pawns, knights, orthogonal, diagonal, king, .. }, empty) = (board.own, board.empty());
        let victims = victims_of(&board, victims);
        *attackers = pawns & union(pawn_attacks(victims, !board.white))
            | knights & knight_attacks(victims)
            | orthogonal & orthogonal_attacks(victims, empty)
            | diagonal & diagonal_attacks(victims, empty)
            | king & mask(king_attacks(king) & victims != 0);
    }
    attackers
}

/// By number: what stands on a square. The numbers of Black's pieces are those of White's and [`BLACK`].
static PIECES: [(Color, Piece); 16] = table!(code < 16 => {
    (if code < BLACK { Color::White } else { Color::Black }, Piece::ALL[if code % BLACK < 6 { code % BLACK } else { 0 }])
});
const BLACK: usize = 8;

/// The numbers of all squares, as the bits of the numbers.
#[inline(always)]
fn code_planes(block: &PositionArrays<'_, [u64; BLOCK]>) -> Planes {
    let mut planes: Planes = [[0; BLOCK]; 5];
    let [ones, twos, fours, eights, _] = &mut planes;
    for (lane, eights) in eights.iter_mut().enumerate() {
        let of = |at: usize| block.own[at][lane] | block.enemy[at][lane];
        ones[lane] = of(1) | of(3) | of(5);
        twos[lane] = of(2) | of(3);
        fours[lane] = of(4) | of(5);
        *eights = block.enemy[6][lane];
    }
    planes
}

/// How many attackers are computed at a time: those of a block of positions in games, for victims of the other side.
const ATTACKERS: usize = 512;
/// How many victims one piece has at most: one in each direction.
const VICTIMS: usize = 8;
/// The victims of the pieces of a side, and room for the squares that are written after the last one.
const BUFFER: usize = 64 * VICTIMS + 32;

/// The pieces of some sides: a side has the number of its position times the number of sides, and that of its colour. Those of side
/// *i* of them are `begins[i]..begins[i + 1]`.
struct AttackerLists {
    begins: [usize; ATTACKERS + 1],
    /// As White sees them, and as their side does.
    squares: [u8; ATTACKERS],
    turned: [u8; ATTACKERS],
    occs: [u64; ATTACKERS],
    attacks: [u64; ATTACKERS],
    victims: [u64; ATTACKERS],
    /// For the pieces of one side: the square of the attacker and of the victim.
    from: [u8; BUFFER],
    to: [u8; BUFFER],
}

const FITS: &str = "the last sides are left to the next round unless all of their squares fit";

impl AttackerLists {
    const NONE: AttackerLists = AttackerLists {
        begins: [0; ATTACKERS + 1],
        squares: [0; ATTACKERS],
        turned: [0; ATTACKERS],
        occs: [0; ATTACKERS],
        attacks: [0; ATTACKERS],
        victims: [0; ATTACKERS],
        from: [0; BUFFER],
        to: [0; BUFFER],
    };

    /// Takes the pieces of the first of these sides that attack a victim, as many as there is room for.
    #[inline(always)]
    fn collect(
        &mut self,
        simd: impl ListOperations,
        block: &PositionArrays<'_, [u64; BLOCK]>,
        sets: &[AttackSets; 2],
        attacking: &[[u64; BLOCK]; 2],
        colors: &[Color],
        sides: Range<usize>,
    ) -> Range<usize> {
        let (mut len, mut number) = (0, 0);
        let mut cursor = SideCursor::new(sides.start, colors);
        while number < sides.len().min(ATTACKERS) && len <= ATTACKERS - 64 {
            let (lane, color) = cursor.next(colors);
            let columns = if color == Color::White { &block.own } else { &block.enemy };
            let squares: &mut [u8; 64] = self.squares[len..].first_chunk_mut().expect(FITS);
            let mut count = 0;
            for column in &columns[..6] {
                let (set, room) = (column[lane] & attacking[color as usize][lane], &mut squares[count..]);
                match room.first_chunk_mut() {
                    Some(room) if set.count_ones() <= 32 => simd.few_squares(set, room),
                    _ => list_one_by_one(set, room),
                }
                count += set.count_ones() as usize;
            }
            let turn = if color == Color::White { 0 } else { 0o70 };
            let turned: &mut [u8; 64] = self.turned[len..].first_chunk_mut().expect(FITS);
            for (turned, square) in turned.iter_mut().zip(squares) {
                *turned = (*square % 64) ^ turn;
            }
            let occs: &mut [u64; 64] = self.occs[len..].first_chunk_mut().expect(FITS);
            for occs in occs.as_chunks_mut::<SIDE>().0.iter_mut().take(count.div_ceil(SIDE)) {
                occs.fill(sets[color as usize].occupied[lane]);
            }
            (len, number) = (len + count, number + 1);
            self.begins[number] = len;
        }
        sides.start..sides.start + number
    }

    /// Computes the victims of the pieces of some sides.
    #[inline(always)]
    fn compute(
        &mut self,
        simd: impl ListOperations,
        backend: Backend,
        sets: &[AttackSets; 2],
        colors: &[Color],
        sides: Range<usize>,
    ) {
        let len = self.begins[sides.len()];
        let (squares, occs, attacks) = (&self.turned[..len], &self.occs[..len], &mut self.attacks[..len]);
        backend.batch_slider_attacks(Slider::Queen, squares, occs, attacks).expect("squares of one length");
        let mut cursor = SideCursor::new(sides.start, colors);
        for number in 0..sides.len() {
            let (lane, color) = cursor.next(colors);
            for at in (self.begins[number]..self.begins[number + 1]).step_by(SIDE) {
                let squares: &[u8; SIDE] = self.turned[at..].first_chunk().expect(FITS);
                let attacks: &[u64; SIDE] = self.attacks[at..].first_chunk().expect(FITS);
                let victims = simd.targets(&sets[color as usize].pieces, lane, squares, attacks);
                *self.victims[at..].first_chunk_mut().expect(FITS) = victims;
            }
        }
    }

    /// Adds the threats of some sides.
    #[inline(always)]
    fn list(
        &mut self,
        simd: impl ListOperations,
        codes: &[[u8; 64]; BLOCK],
        colors: &[Color],
        sides: Range<usize>,
        out: &mut Threats,
    ) {
        let (threats, offsets) = out.parts_mut();
        let mut cursor = SideCursor::new(sides.start, colors);
        for number in 0..sides.len() {
            let (lane, _) = cursor.next(colors);
            let pieces = self.begins[number]..self.begins[number + 1];
            let mut len = 0;
            for (&square, &victims) in self.squares[pieces.clone()].iter().zip(&self.victims[pieces]) {
                simd.few_squares(victims, self.to[len..].first_chunk_mut().expect("room for the victims of 64 pieces"));
                self.from[len..][..VICTIMS].fill(square);
                len += victims.count_ones() as usize;
            }
            let codes = &codes[lane];
            threats.extend(self.from[..len].iter().zip(&self.to[..len]).map(|(&from, &to)| {
                let piece = |square: u8| PIECES[usize::from(codes[usize::from(square % 64)] % 16)];
                let on_board = |square: u8| Square::new(square % 64).unwrap_or(Square::A1);
                Threat {
                    attacker: piece(from),
                    attacker_square: on_board(from),
                    victim: piece(to),
                    victim_square: on_board(to),
                }
            }));
            if cursor.lane != lane {
                offsets.push(threats.len());
            }
        }
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

/// By square.
static KNIGHT_ATTACKS: [u64; 64] = table!(square < 64 => knight_attacks(1 << square));
/// By square.
static KING_ATTACKS: [u64; 64] = table!(square < 64 => king_attacks(1 << square));

/// The sliders of a block, those of each kind and colour in order, with the attack set of each.
#[derive(Default)]
struct Sliders {
    squares: Vec<Square>,
    occs: Vec<u64>,
    attacks: Vec<u64>,
}

impl Sliders {
    /// Adds those of `attacking` that are sliders of one kind and colour, and returns where they are.
    #[inline(always)]
    fn add(
        &mut self,
        backend: Backend,
        slider: Slider,
        boards: &[u64],
        attacking: &[u64; BLOCK],
        occs: &[u64],
    ) -> Range<usize> {
        let start = self.squares.len();
        for ((&board, attacking), &occ) in boards.iter().zip(attacking).zip(occs) {
            for square in Squares::from(board & attacking) {
                self.squares.push(square);
                self.occs.push(occ);
            }
        }
        self.attacks.resize(self.squares.len(), 0);
        let (squares, occs, attacks) = (&self.squares[start..], &self.occs[start..], &mut self.attacks[start..]);
        let done = backend.batch_slider_attacks(slider, squares, occs, attacks);
        done.expect("one square, one occupancy and one attack set for each slider");
        start..self.squares.len()
    }
}

/// The pieces of `Slider::ALL`.
const SLIDERS: [Piece; 3] = [Piece::Bishop, Piece::Rook, Piece::Queen];

impl ThreatTask<'_> {
    /// Lists without instructions for them: one piece after the other.
    #[inline(always)]
    fn list_by_piece(mut self) {
        let ThreatTask { backend, positions, colors, victims, .. } = self;
        let columns = PositionArrays::new(positions, Color::White);
        let mut padded: PaddedLanes = [[[0; BLOCK]; 7]; 2];
        let mut codes = [[0; 64]; BLOCK];
        let (mut sliders, mut places) = (Sliders::default(), Vec::new());
        for start in (0..positions.len()).step_by(BLOCK) {
            let block = start..positions.len().min(start + BLOCK);
            let occs = &positions.occupancies()[block.clone()];
            sliders.squares.clear();
            sliders.occs.clear();
            places.clear();
            let arrays = columns.block(start, &mut padded);
            let attacking = [attackers(&arrays, victims), attackers(&arrays.turned(), victims)];
            for &color in colors {
                let mut add = |slider: Slider, piece: Piece| {
                    let boards = &positions.pieces(color, piece)[block.clone()];
                    sliders.add(backend, slider, boards, &attacking[color as usize], occs)
                };
                places.push([0, 1, 2].map(|kind| add(Slider::ALL[kind], SLIDERS[kind])));
            }
            backend.numbers(&code_planes(&arrays), &mut codes[..block.len()]);
            self.list(block, &codes, &attacking, &sliders.attacks, &mut places);
        }
    }

    /// Adds the threats of a block of positions, whose squares have these numbers. `places` are those of the sliders of each colour in
    /// `attacks`, by kind.
    #[inline(always)]
    fn list(
        &mut self,
        block: Range<usize>,
        codes: &[[u8; 64]; BLOCK],
        attacking: &[[u64; BLOCK]; 2],
        attacks: &[u64],
        places: &mut [[Range<usize>; 3]],
    ) {
        let ThreatTask { positions, colors, victims, .. } = *self;
        let (threats, offsets) = self.out.parts_mut();
        for (lane, (index, codes)) in block.zip(codes).enumerate() {
            for (places, &color) in places.iter_mut().zip(colors) {
                let attacking = attacking[color as usize][lane];
                let (own, enemy) = (positions.color(color)[index], positions.color(color.other())[index]);
                let wanted = match victims {
                    Side::Own => own,
                    Side::Enemy => enemy,
                    Side::Any => own | enemy,
                };
                let mut add = |attacker: Piece, attacker_square: Square, attacks: u64| {
                    threats.extend(Squares::from(attacks & wanted).map(|victim_square| Threat {
                        attacker: (color, attacker),
                        attacker_square,
                        victim: PIECES[usize::from(codes[usize::from(victim_square.index())] % 16)],
                        victim_square,
                    }));
                };
                let own = |piece: Piece| positions.pieces(color, piece)[index] & attacking;
                let white = if color == Color::White { !0 } else { 0 };
                for from in Squares::from(own(Piece::Pawn)) {
                    add(Piece::Pawn, from, union(pawn_attacks(from.bitboard(), white)));
                }
                for from in Squares::from(own(Piece::Knight)) {
                    add(Piece::Knight, from, KNIGHT_ATTACKS[usize::from(from.index())]);
                }
                for (places, piece) in places.iter_mut().zip(SLIDERS) {
                    for (from, place) in Squares::from(own(piece)).zip(places) {
                        add(piece, from, attacks[place]);
                    }
                }
                for from in Squares::from(own(Piece::King)) {
                    add(Piece::King, from, KING_ATTACKS[usize::from(from.index())]);
                }
            }
            offsets.push(threats.len());
        }
    }
}
