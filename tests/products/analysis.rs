//! Every product, on every backend, compared with a walk from square to square.

use std::ops::Range;

use crate::common::{self, Random};
use slider_attacks::analysis::{
    ExchangeRules, PieceValues, Pinned, SetProduct, SetRequest, Side, Status, Threat, Threats,
};
use slider_attacks::line::Line;
use slider_attacks::moves::{Move, MoveKind, Moves};
use slider_attacks::position::{Castling, Color, Piece, Position, PositionSlice, Positions};
use slider_attacks::{Backend, BatchError, Slider, Square, reference};

const SAMPLE: &[u8] = include_bytes!("../data/sample.epd");

/// A piece and its square.
pub type Man = (Square, Color, Piece);

/// One position, as the pieces on it.
pub struct Board {
    pub men: Vec<Man>,
    occupied: u64,
}

impl Board {
    pub fn new(positions: &Positions, index: usize) -> Board {
        let man = |square| positions.piece_at(index, square).map(|(color, piece)| (square, color, piece));
        let men: Vec<Man> = Square::ALL.into_iter().filter_map(man).collect();
        let occupied = set(men.iter().map(|&(square, ..)| square));
        Board { men, occupied }
    }

    /// The pieces of one colour.
    fn of(&self, color: Color) -> impl Iterator<Item = Man> {
        self.wanted(color, Side::Own)
    }

    fn all(&self, color: Color) -> u64 {
        set(self.of(color).map(|(square, ..)| square))
    }

    pub fn king(&self, color: Color) -> Square {
        self.of(color).find(|man| man.2 == Piece::King).expect("there is a king of each colour").0
    }

    /// What a piece attacks with the pieces `occupied` on the board.
    fn attacks(&self, (from, color, piece): Man, occupied: u64) -> u64 {
        let leaps = |leaps: &[(i8, i8)]| {
            set(leaps.iter().filter_map(|&(files, ranks)| {
                let file = u8::try_from(from.file() as i8 + files).ok()?;
                Square::from_file_rank(file, u8::try_from(from.rank() as i8 + ranks).ok()?)
            }))
        };
        match piece {
            Piece::Pawn if color == Color::White => leaps(&[(-1, 1), (1, 1)]),
            Piece::Pawn => leaps(&[(-1, -1), (1, -1)]),
            Piece::Knight => leaps(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]),
            Piece::Bishop => reference::attacks(Slider::Bishop, from, occupied),
            Piece::Rook => reference::attacks(Slider::Rook, from, occupied),
            Piece::Queen => reference::attacks(Slider::Queen, from, occupied),
            Piece::King => leaps(&[(1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)]),
        }
    }

    /// What each piece of a colour attacks.
    fn attacks_of(&self, color: Color) -> Vec<(Man, u64)> {
        self.of(color).map(|man| (man, self.attacks(man, self.occupied))).collect()
    }

    fn map(&self, color: Color) -> u64 {
        self.attacks_of(color).iter().fold(0, |all, (_, attacks)| all | attacks)
    }

    fn counts(&self, color: Color) -> [u8; 64] {
        let attacks = self.attacks_of(color);
        Square::ALL.map(|square| attacks.iter().filter(|(_, attacks)| attacks & square.bitboard() != 0).count() as u8)
    }

    fn mobility(&self) -> [u8; 64] {
        let mut mobility = [0; 64];
        for color in Color::ALL {
            for ((from, ..), attacks) in self.attacks_of(color) {
                mobility[usize::from(from.index())] = (attacks & !self.all(color)).count_ones() as u8;
            }
        }
        mobility
    }

    fn checkers(&self, color: Color) -> u64 {
        let king = self.king(color).bitboard();
        let checkers = self.attacks_of(color.other()).into_iter().filter(|(_, attacks)| attacks & king != 0);
        set(checkers.map(|((from, ..), _)| from))
    }

    /// The pieces without which a slider would give check that does not give check now.
    fn pinned(&self, color: Color) -> u64 {
        let king = self.king(color).bitboard();
        let sliders = |&(_, _, piece): &Man| matches!(piece, Piece::Bishop | Piece::Rook | Piece::Queen);
        let pinned = |square: Square| {
            let without = self.occupied & !square.bitboard();
            self.of(color.other()).filter(sliders).any(|slider| {
                self.attacks(slider, self.occupied) & king == 0 && self.attacks(slider, without) & king != 0
            })
        };
        set(self.of(color).map(|man| man.0).filter(|&square| square.bitboard() != king && pinned(square)))
    }

    /// What is behind each piece that a slider sees: that piece is taken off the board.
    fn xrays(&self, color: Color, through: Side) -> u64 {
        let mut xrays = 0;
        for ((from, color, piece), attacks) in self.attacks_of(color) {
            if matches!(piece, Piece::Bishop | Piece::Rook | Piece::Queen) {
                for (square, ..) in self.wanted(color, through).filter(|man| attacks & man.0.bitboard() != 0) {
                    xrays |= self.attacks((from, color, piece), self.occupied & !square.bitboard()) & !attacks;
                }
            }
        }
        xrays
    }

    fn wanted(&self, color: Color, side: Side) -> impl Iterator<Item = Man> {
        self.men.iter().copied().filter(move |&(_, of, _)| match side {
            Side::Own => of == color,
            Side::Enemy => of != color,
            Side::Any => true,
        })
    }

    fn hanging(&self, color: Color) -> u64 {
        let loose = self.all(color) & self.map(color.other()) & !self.map(color);
        loose & !self.king(color).bitboard()
    }

    /// Whether no piece of its side attacks the square of a piece.
    fn is_loose(&self, (square, color, _): Man) -> bool {
        self.attackers(square, color).is_empty()
    }

    fn attackers(&self, square: Square, color: Color) -> Vec<Man> {
        self.of(color).filter(|&man| self.attacks(man, self.occupied) & square.bitboard() != 0).collect()
    }

    fn forks(&self, color: Color) -> u64 {
        let forks = self.of(color).filter(|&man| {
            let attacks = self.attacks(man, self.occupied);
            let is_forked = |&victim: &Man| {
                attacks & victim.0.bitboard() != 0
                    && (worth(victim.2) > worth(man.2) || victim.2 != Piece::King && self.is_loose(victim))
            };
            self.of(color.other()).filter(is_forked).count() >= 2
        });
        set(forks.map(|man| man.0))
    }

    /// The sliders of a colour, each with every piece that it attacks, and the piece that it attacks once that one is gone.
    fn lines(&self, color: Color) -> Vec<[Man; 3]> {
        let mut lines = Vec::new();
        for slider in self.of(color).filter(|man| matches!(man.2, Piece::Bishop | Piece::Rook | Piece::Queen)) {
            let attacks = self.attacks(slider, self.occupied);
            for front in self.men.iter().copied().filter(|man| attacks & man.0.bitboard() != 0) {
                let behind = self.attacks(slider, self.occupied & !front.0.bitboard()) & !attacks;
                lines.extend(
                    self.men.iter().filter(|man| behind & man.0.bitboard() != 0).map(|&man| [slider, front, man]),
                );
            }
        }
        lines
    }

    fn skewers(&self, color: Color) -> u64 {
        let is_skewer =
            |&[_, front, behind]: &[Man; 3]| front.1 != color && behind.1 != color && worth(behind.2) <= worth(front.2);
        set(self.lines(color).into_iter().filter(is_skewer).map(|[_, front, _]| front.0))
    }

    fn relatively_pinned(&self, color: Color) -> u64 {
        let is_pin = |&[_, front, behind]: &[Man; 3]| {
            front.1 == color && behind.1 == color && behind.2 != Piece::King && worth(behind.2) > worth(front.2)
        };
        set(self.lines(color.other()).into_iter().filter(is_pin).map(|[_, front, _]| front.0))
    }

    fn discovered(&self, color: Color) -> u64 {
        let opens = |&[slider, front, behind]: &[Man; 3]| {
            let matters = worth(behind.2) > worth(slider.2) || self.is_loose(behind);
            front.1 == color && behind.1 != color && matters
        };
        set(self.lines(color).into_iter().filter(opens).map(|[_, front, _]| front.0))
    }

    /// The sliders that defend each other.
    fn batteries(&self, color: Color) -> u64 {
        let sliders: Vec<Man> =
            self.of(color).filter(|man| matches!(man.2, Piece::Bishop | Piece::Rook | Piece::Queen)).collect();
        let defends = |one: Man, other: Man| self.attacks(one, self.occupied) & other.0.bitboard() != 0;
        let paired = |&&one: &&Man| sliders.iter().any(|&other| defends(one, other) && defends(other, one));
        set(sliders.iter().filter(paired).map(|man| man.0))
    }

    fn overloaded(&self, color: Color) -> u64 {
        let in_need = |man: &Man| man.2 != Piece::King && !self.attackers(man.0, color.other()).is_empty();
        let defenders: Vec<Vec<Man>> = self.of(color).filter(in_need).map(|man| self.attackers(man.0, color)).collect();
        let wards = |man: Man| defenders.iter().filter(|defenders| **defenders == [man]).count();
        set(self.of(color).filter(|&man| wards(man) >= 2).map(|man| man.0))
    }

    /// What each capture gains, by the definition: the pieces leave the board one after the other.
    fn exchanges(&self, color: Color, rules: ExchangeRules) -> [u8; 64] {
        let pinned = Color::ALL.map(|color| self.pinned(color));
        let mut gains = [0; 64];
        for (square, _, piece) in self.of(color.other()).filter(|man| man.2 != Piece::King) {
            let stays = |&(from, of, _): &Man| {
                let line = Line::ALL.iter().any(|line| {
                    let line = line.through(square);
                    line & from.bitboard() != 0 && line & self.king(of).bitboard() != 0
                });
                rules.pinned == Pinned::Stay && pinned[of as usize] & from.bitboard() != 0 && !line
            };
            let others: Vec<Man> = self.men.iter().copied().filter(|man| man.0 != square).collect();
            gains[usize::from(square.index())] = self.swap(others, square, piece, color, rules.values, &stays) as u8;
        }
        gains
    }

    /// The board after a move of `man` to a square, where it captures what stands there.
    fn after(&self, man: Man, to: Square) -> Board {
        let mut men: Vec<Man> = self.men.iter().copied().filter(|&other| other != man && other.0 != to).collect();
        men.push((to, man.1, man.2));
        let occupied = set(men.iter().map(|man| man.0));
        Board { men, occupied }
    }

    /// How many moves of a piece do not lose it, by playing them.
    fn safe_moves(&self, man: Man, rules: ExchangeRules) -> usize {
        let value = |piece: Piece| i32::from(rules.values.get()[piece as usize]);
        let pinned = Color::ALL.map(|color| self.pinned(color));
        let stays = |pinned: [u64; 2], &(from, of, _): &Man, to: Square| {
            let lines = Line::ALL.map(|line| line.through(to) & (from.bitboard() | self.king(of).bitboard()));
            let is_pinned = pinned[of as usize] & from.bitboard() != 0;
            rules.pinned == Pinned::Stay && is_pinned && lines.into_iter().all(|both| both.count_ones() < 2)
        };
        let is_safe = |to: Square| {
            let victim = self.men.iter().find(|other| other.0 == to).map(|other| other.2);
            if self.all(man.1) & to.bitboard() != 0 || victim == Some(Piece::King) || stays(pinned, &man, to) {
                return false;
            }
            let after = self.after(man, to);
            let pinned = Color::ALL.map(|color| after.pinned(color));
            let others = after.men.iter().copied().filter(|other| other.0 != to).collect();
            let stays = |other: &Man| stays(pinned, other, to);
            let lost = self.swap(others, to, man.2, man.1.other(), rules.values, &stays);
            lost <= victim.map_or(0, value)
        };
        let attacks = self.attacks(man, self.occupied);
        Square::ALL.into_iter().filter(|&to| attacks & to.bitboard() != 0 && is_safe(to)).count()
    }

    fn trapped(&self, color: Color, rules: ExchangeRules) -> u64 {
        let gains = self.exchanges(color.other(), rules);
        let is_trapped = |&man: &Man| {
            let is_lost = gains[usize::from(man.0.index())] > 0;
            man.2 != Piece::Pawn && is_lost && self.safe_moves(man, rules) == 0
        };
        set(self.of(color).filter(is_trapped).map(|man| man.0))
    }

    fn safe_mobility(&self, rules: ExchangeRules) -> [u8; 64] {
        let mut moves = [0; 64];
        for &man in self.men.iter().filter(|man| !matches!(man.2, Piece::Pawn | Piece::King)) {
            moves[usize::from(man.0.index())] = self.safe_moves(man, rules) as u8;
        }
        moves
    }

    /// What `mover` gains by captures on `target`, where a piece of the other side stands, among the pieces `men`.
    fn swap(
        &self,
        men: Vec<Man>,
        target: Square,
        victim: Piece,
        mover: Color,
        values: PieceValues,
        stays: &dyn Fn(&Man) -> bool,
    ) -> i32 {
        let value = |piece: Piece| i32::from(values.get()[piece as usize]);
        let attacks =
            |man: &Man, men: &[Man]| self.attacks(*man, set(men.iter().map(|man| man.0))) & target.bitboard() != 0;
        let own = men.iter().filter(|man| man.1 == mover && attacks(man, &men) && !stays(man));
        let order = |man: &&Man| match man.2 {
            Piece::King => (i32::MAX, man.2 as u8, man.0),
            piece => (value(piece), piece as u8, man.0),
        };
        let Some(&taker) = own.min_by_key(order) else { return 0 };
        let rest: Vec<Man> = men.iter().copied().filter(|&man| man != taker).collect();
        if taker.2 == Piece::King && rest.iter().any(|man| man.1 != mover && attacks(man, &rest)) {
            return 0;
        }
        let promotes = taker.2 == Piece::Pawn && matches!(target.rank(), 0 | 7);
        let (now, more) =
            if promotes { (Piece::Queen, value(Piece::Queen) - value(Piece::Pawn)) } else { (taker.2, 0) };
        let lost = if now == Piece::King { 0 } else { self.swap(rest, target, now, mover.other(), values, stays) };
        (value(victim) + more - lost).max(0)
    }

    /// The squares in front of a pawn of `color`, on files at most so far from its own.
    fn front(&self, (from, color, _): Man, files: u8) -> u64 {
        let ahead = |square: Square| rank_of(square, color) > rank_of(from, color);
        set(Square::ALL.into_iter().filter(|&to| ahead(to) && to.file().abs_diff(from.file()) <= files))
    }

    fn pawns(&self, color: Color) -> Vec<Man> {
        self.of(color).filter(|man| man.2 == Piece::Pawn).collect()
    }

    /// The pawns of `color` for which this holds; it gets the pawn and the others of its side.
    fn pawns_that(&self, color: Color, holds: impl Fn(Man, &[Man]) -> bool) -> u64 {
        let pawns = self.pawns(color);
        let others = |man: Man| pawns.iter().copied().filter(|&other| other != man).collect::<Vec<Man>>();
        set(pawns.iter().filter(|&&man| holds(man, &others(man))).map(|man| man.0))
    }

    fn passed(&self, color: Color) -> u64 {
        let enemies = set(self.pawns(color.other()).iter().map(|man| man.0));
        self.pawns_that(color, |man, _| self.front(man, 1) & enemies == 0)
    }

    fn isolated(&self, color: Color) -> u64 {
        let beside = |man: Man, other: &Man| man.0.file().abs_diff(other.0.file()) == 1;
        self.pawns_that(color, |man, others| !others.iter().any(|other| beside(man, other)))
    }

    fn doubled(&self, color: Color) -> u64 {
        self.pawns_that(color, |man, others| others.iter().any(|other| man.0.file() == other.0.file()))
    }

    /// Whether one of the pawns attacks a square, from where it stands or from a square further on its file.
    fn can_attack(&self, pawns: &[Man], square: Square) -> bool {
        pawns.iter().any(|&(from, color, piece)| {
            let stays = from.bitboard() | self.front((from, color, piece), 0);
            squares(stays).any(|on| self.attacks((on, color, piece), 0) & square.bitboard() != 0)
        })
    }

    fn backward(&self, color: Color) -> u64 {
        let enemies = self.pawns(color.other());
        self.pawns_that(color, |man, others| {
            let rank = if color == Color::White { man.0.rank().wrapping_add(1) } else { man.0.rank().wrapping_sub(1) };
            let Some(next) = Square::from_file_rank(man.0.file(), rank) else { return false };
            let attacked = enemies.iter().any(|&enemy| self.attacks(enemy, 0) & next.bitboard() != 0);
            attacked && !self.can_attack(others, next)
        })
    }

    fn outposts(&self, color: Color) -> u64 {
        let (own, enemies) = (self.pawns(color), self.pawns(color.other()));
        let is_outpost = |&square: &Square| {
            let defended = own.iter().any(|&man| self.attacks(man, 0) & square.bitboard() != 0);
            defended && (3..=5).contains(&rank_of(square, color)) && !self.can_attack(&enemies, square)
        };
        set(Square::ALL.into_iter().filter(is_outpost))
    }

    fn king_ring(&self, color: Color) -> u64 {
        let king = self.king(color);
        let ring = king.bitboard() | self.attacks((king, color, Piece::King), 0);
        let attackers = self.attacks_of(color.other()).into_iter().filter(|(_, attacks)| attacks & ring != 0);
        set(attackers.map(|((from, ..), _)| from))
    }

    /// The squares of safe checks, by playing each move.
    fn safe_checks(&self, color: Color) -> u64 {
        let king = self.king(color.other());
        let is_safe_check = |man: Man, to: Square| {
            let after = self.after(man, to);
            let gives_check = after.attacks((to, color, man.2), after.occupied) & king.bitboard() != 0;
            gives_check && after.attackers(to, color.other()).is_empty()
        };
        let mut checks = 0;
        for man in self.of(color).filter(|man| !matches!(man.2, Piece::Pawn | Piece::King)) {
            let reach = self.attacks(man, self.occupied) & !self.all(color) & !king.bitboard();
            checks |= set(squares(reach).filter(|&to| is_safe_check(man, to)));
        }
        checks
    }

    /// The number of legal moves of `color`.
    pub fn legal_moves(&self, color: Color, castling: Castling, passed: Option<Square>) -> u16 {
        self.moves(color, castling, passed).len() as u16
    }

    /// The legal moves of `color`, in order: each is made, and the king must not be attacked then.
    fn moves(&self, color: Color, castling: Castling, passed: Option<Square>) -> Vec<Move> {
        let enemies = self.all(color.other()) & !self.king(color.other()).bitboard();
        let goes = |from: Square, to: Square, taken: Square| {
            let (mut men, man) =
                (self.men.clone(), self.men.iter().find(|man| man.0 == from).expect("it stands there"));
            men.retain(|man| man.0 != from && man.0 != taken);
            men.push((to, color, man.2));
            is_safe(&men, color)
        };
        let mut moves = self.castles(color, castling);
        for (man, attacks) in self.attacks_of(color) {
            let from = man.0;
            if man.2 != Piece::Pawn {
                let free = !self.all(color) & !self.king(color.other()).bitboard();
                let to = squares(attacks & free).filter(|&to| goes(from, to, to));
                moves.extend(to.map(|to| Move::new(from, to, MoveKind::Normal)));
                continue;
            }
            let ahead = |square: Square| {
                let rank =
                    if color == Color::White { square.rank().wrapping_add(1) } else { square.rank().wrapping_sub(1) };
                Square::from_file_rank(square.file(), rank).filter(|square| self.occupied & square.bitboard() == 0)
            };
            let mut ends: Vec<(Square, Square)> = squares(attacks & enemies).map(|to| (to, to)).collect();
            let one = ahead(from);
            let two = one.and_then(ahead).filter(|_| rank_of(from, color) == 1);
            ends.extend(one.into_iter().chain(two).map(|to| (to, to)));
            if let Some(to) = passed.filter(|to| rank_of(*to, color) == 5 && self.occupied & to.bitboard() == 0) {
                let behind = Square::from_file_rank(to.file(), from.rank()).expect("a square");
                let is_pawn = self.men.contains(&(behind, color.other(), Piece::Pawn));
                // Where that pawn came from.
                let is_free = ahead(to).is_some();
                if attacks & to.bitboard() != 0 && is_pawn && is_free {
                    ends.push((to, behind));
                }
            }
            for (to, taken) in ends.into_iter().filter(|&(to, taken)| goes(from, to, taken)) {
                if rank_of(to, color) == 7 {
                    let pieces = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
                    moves.extend(pieces.map(|piece| Move::promotion(from, to, piece)));
                } else {
                    let kind = if to == taken { MoveKind::Normal } else { MoveKind::EnPassant };
                    moves.push(Move::new(from, to, kind));
                }
            }
        }
        // Those of one pawn to one square are in order already.
        moves.sort_by_key(|mv| (mv.start(), mv.target()));
        moves
    }

    /// The rooks of `color` that have the right to castle, to the west of the king and to the east.
    pub fn castling_rooks(&self, color: Color, castling: Castling) -> [Option<Square>; 2] {
        let king = self.king(color);
        if rank_of(king, color) != 0 {
            return [None; 2];
        }
        let may = |letter: char| castling.has(if color == Color::White { letter } else { letter.to_ascii_lowercase() });
        [('Q', (0..8).collect::<Vec<u8>>()), ('K', (0..8).rev().collect())].map(|(letter, from_edge)| {
            let rooks = from_edge.into_iter().take_while(|&file| file != king.file()).filter(|&file| {
                let square = Square::from_file_rank(file, king.rank()).expect("a square");
                let has_right = may(letter) || may((b'A' + file) as char);
                has_right && self.men.contains(&(square, color, Piece::Rook))
            });
            rooks.map(|file| Square::from_file_rank(file, king.rank()).expect("a square")).next()
        })
    }

    /// The ways in which `color` can castle.
    fn castles(&self, color: Color, castling: Castling) -> Vec<Move> {
        let king = self.king(color);
        let on_file = |file: u8| Square::from_file_rank(file, king.rank()).expect("a square");
        let is_empty = |file: u8, besides: [Square; 2]| {
            let square = on_file(file);
            besides.contains(&square) || self.occupied & square.bitboard() == 0
        };
        let way = |from: u8, to: u8| from.min(to)..=from.max(to);
        let mut ways = Vec::new();
        for (rook, (king_to, rook_to)) in self.castling_rooks(color, castling).into_iter().zip([(2, 3), (6, 5)]) {
            let Some(rook) = rook else { continue };
            let free =
                way(king.file(), king_to).chain(way(rook.file(), rook_to)).all(|file| is_empty(file, [king, rook]));
            let mut men = self.men.clone();
            men.retain(|man| man.0 != king);
            let attacked = Board { occupied: self.occupied & !king.bitboard(), men: men.clone() }.map(color.other());
            let safe = way(king.file(), king_to).all(|file| attacked & on_file(file).bitboard() == 0);
            men.retain(|man| man.0 != rook);
            men.extend([(on_file(king_to), color, Piece::King), (on_file(rook_to), color, Piece::Rook)]);
            if free && safe && is_safe(&men, color) {
                ways.push(Move::new(king, rook, MoveKind::Castling));
            }
        }
        ways
    }

    /// The pieces after a legal move of `color`.
    fn men_after(&self, color: Color, mv: Move) -> Vec<Man> {
        let (from, to) = (mv.start(), mv.target());
        let man = *self.men.iter().find(|man| man.0 == from).expect("it stands there");
        let mut men = self.men.clone();
        let taken = if mv.kind() == MoveKind::EnPassant {
            Square::from_file_rank(to.file(), from.rank()).expect("a square")
        } else {
            to
        };
        men.retain(|man| man.0 != from && man.0 != taken);
        if mv.kind() == MoveKind::Castling {
            let is_east = to > from;
            let on_file = |file: u8| Square::from_file_rank(file, from.rank()).expect("a square");
            men.push((on_file(if is_east { 6 } else { 2 }), color, Piece::King));
            men.push((on_file(if is_east { 5 } else { 3 }), color, Piece::Rook));
        } else {
            men.push((to, color, mv.promoted().unwrap_or(man.2)));
        }
        men
    }

    /// The position after a legal move of `color`.
    fn position_after(&self, color: Color, castling: Castling, mv: Move) -> Position {
        let (from, to) = (mv.start(), mv.target());
        let man = *self.men.iter().find(|man| man.0 == from).expect("it stands there");
        let men = self.men_after(color, mv);
        // The rooks that have the right, and neither moved nor were captured. Nor has their king moved.
        let mut rooks = 0;
        for letter in castling.letters() {
            let side = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let king = self.king(side);
            let on_rank = self.of(side).filter(|man| man.2 == Piece::Rook && man.0.rank() == king.rank());
            let mut on_rank = on_rank.map(|man| man.0);
            let rook = match letter.to_ascii_uppercase() {
                'K' => on_rank.filter(|rook| rook.file() > king.file()).max(),
                'Q' => on_rank.filter(|rook| rook.file() < king.file()).min(),
                file => on_rank.find(|rook| rook.file() == file as u8 - b'A'),
            };
            if rank_of(king, side) == 0 && king != from {
                rooks |= set(rook.into_iter().filter(|&rook| rook != from && rook != to));
            }
        }
        let mut pieces = [[0; 6]; 2];
        men.iter().for_each(|man| pieces[man.1 as usize][man.2 as usize] |= man.0.bitboard());
        let after = Board { occupied: set(men.iter().map(|man| man.0)), men };
        let steps = from.rank().abs_diff(to.rank());
        let passed = Square::from_file_rank(from.file(), (from.rank() + to.rank()) / 2).expect("a square");
        let takes = |mv: &Move| mv.kind() == MoveKind::EnPassant;
        let is_kept = man.2 == Piece::Pawn
            && steps == 2
            && after.moves(color.other(), Castling::NONE, Some(passed)).iter().any(takes);
        let passed = Some(passed).filter(|_| is_kept);
        Position::new(pieces, color.other(), Castling::from_rooks(rooks), passed).expect("it is a position")
    }

    fn threats(&self, by: Color, victims: Side) -> Vec<Threat> {
        let mut threats = Vec::new();
        for attacker in Piece::ALL {
            for ((attacker_square, _, piece), attacks) in self.attacks_of(by) {
                for (victim_square, of, victim) in self.wanted(by, victims) {
                    if piece == attacker && attacks & victim_square.bitboard() != 0 {
                        let (attacker, victim) = ((by, attacker), (of, victim));
                        threats.push(Threat { attacker, attacker_square, victim, victim_square });
                    }
                }
            }
        }
        threats
    }
}

/// What pieces are worth in tactics, in their order.
fn worth(piece: Piece) -> u8 {
    match piece {
        Piece::Pawn => 0,
        Piece::Knight | Piece::Bishop => 1,
        Piece::Rook => 2,
        Piece::Queen => 3,
        Piece::King => 4,
    }
}

/// Whether nothing attacks the king of `color` among these pieces.
fn is_safe(men: &[Man], color: Color) -> bool {
    let board = Board { men: men.to_vec(), occupied: set(men.iter().map(|man| man.0)) };
    board.map(color.other()) & board.king(color).bitboard() == 0
}

/// The rank of a square as a side sees it, from 0.
fn rank_of(square: Square, color: Color) -> u8 {
    if color == Color::White { square.rank() } else { 7 - square.rank() }
}

fn squares(set: u64) -> impl Iterator<Item = Square> {
    Square::ALL.into_iter().filter(move |square| set & square.bitboard() != 0)
}

fn set(squares: impl Iterator<Item = Square>) -> u64 {
    squares.fold(0, |set, square| set | square.bitboard())
}

/// A board with kings anywhere and up to 40 other pieces of any kind, pawns on all ranks.
fn random_fen(random: &mut Random) -> String {
    let mut squares: Vec<usize> = (0..64).collect();
    let mut board = ['1'; 64];
    let others = (0..random.below(41)).map(|_| b"PPPNNBBRRQpppnnbbrrq"[random.below(20)]);
    for letter in [b'K', b'k'].into_iter().chain(others.collect::<Vec<_>>()) {
        board[squares.swap_remove(random.below(squares.len()))] = letter as char;
    }
    let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
    format!("{} w - -", ranks.join("/"))
}

/// So many rounds, or a third of them on an emulated CPU, which is slow.
pub fn rounds(all: usize) -> usize {
    if std::env::var_os("TEST_RUNNER").is_some() { all / 3 } else { all }
}

fn positions() -> Positions {
    let mut positions = Positions::new();
    assert_eq!(positions.read_lines(SAMPLE), Ok(146));
    let mut random = Random(6);
    for _ in 0..rounds(3_000) {
        positions.push_fen(random_fen(&mut random).as_bytes()).unwrap();
    }
    positions
}

/// The first positions, of every number up to 65 and of these numbers. Also the last one to seven: so few may be computed one by
/// one, without vectors.
fn ranges(lengths: &[usize], all: usize) -> impl Iterator<Item = Range<usize>> {
    let first = (0..=65).chain(lengths.iter().copied()).map(|len| 0..len);
    first.chain((1..=7).map(move |few| all - few..all))
}

/// Compares the results of `product` for each colour on every backend with `expected`, for all positions and for fewer of
/// them, the first or the last.
fn check<T: Copy + PartialEq>(
    name: &str,
    blank: T,
    expected: impl Fn(&Board, Color) -> T,
    product: impl Fn(Backend, PositionSlice<'_>, Color, &mut [T]) -> Result<(), BatchError>,
) {
    let all = positions();
    let boards: Vec<Board> = (0..all.len()).map(|index| Board::new(&all, index)).collect();
    let backends = common::backends("analysis");
    let expected = Color::ALL.map(|color| boards.iter().map(|board| expected(board, color)).collect::<Vec<T>>());
    for (color, backend) in
        Color::ALL.into_iter().flat_map(|color| backends.iter().map(move |&backend| (color, backend)))
    {
        let expected = &expected[color as usize];
        for range in ranges(&[127, 128, 129, 255, 256, 257, 1_000, all.len()], all.len()) {
            let mut out = vec![blank; range.len()];
            assert_eq!(product(backend, all.slice(range.clone()), color, &mut out), Ok(()));
            for (index, out) in range.clone().zip(&out) {
                assert!(*out == expected[index], "{name} on {backend}, {index} of {range:?}: {}", all.fen(index));
            }
        }
        for (positions, out) in [(0, 1), (1, 0), (64, 65), (65, 64)] {
            let mut blanks = vec![blank; out];
            let error = product(backend, all.slice(0..positions), color, &mut blanks).unwrap_err();
            assert_eq!(error, BatchError::PositionLengthMismatch { positions, out });
            assert_eq!(error.to_string(), format!("lengths differ: {positions} positions, room for {out}"));
            assert!(blanks.iter().all(|element| *element == blank), "{name} on {backend} writes on an error");
        }
    }
}

/// A value that no product of a real position is.
const BLANK: u64 = 0x0123_4567_89ab_cdef;

/// Declares a test per product: what is expected of a board, and the method of `Backend`.
macro_rules! products {
    ($($name:ident $blank:expr, $expected:expr, $product:expr;)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), $blank, $expected, $product);
        }
    )*};
}

products! {
    attack_maps BLANK, Board::map, |on, positions, color, out| on.attack_maps(positions, color, out);
    attacker_counts [99; 64], Board::counts, |on, positions, color, out| on.attacker_counts(positions, color, out);
    mobility [99; 64], |board, _| board.mobility(), |on, positions, _, out| on.mobility(positions, out);
    checkers BLANK, Board::checkers, |on, positions, color, out| on.checkers(positions, color, out);
    pinned BLANK, Board::pinned, |on, positions, color, out| on.pinned(positions, color, out);
    hanging BLANK, Board::hanging, |on, positions, color, out| on.hanging(positions, color, out);
    forks BLANK, Board::forks, |on, positions, color, out| on.forks(positions, color, out);
    skewers BLANK, Board::skewers, |on, positions, color, out| on.skewers(positions, color, out);
    relatively_pinned BLANK, Board::relatively_pinned, |on, positions, color, out| {
        on.relatively_pinned(positions, color, out)
    };
    discovered BLANK, Board::discovered, |on, positions, color, out| on.discovered(positions, color, out);
    batteries BLANK, Board::batteries, |on, positions, color, out| on.batteries(positions, color, out);
    overloaded BLANK, Board::overloaded, |on, positions, color, out| on.overloaded(positions, color, out);
    passed_pawns BLANK, Board::passed, |on, positions, color, out| on.passed_pawns(positions, color, out);
    isolated_pawns BLANK, Board::isolated, |on, positions, color, out| on.isolated_pawns(positions, color, out);
    doubled_pawns BLANK, Board::doubled, |on, positions, color, out| on.doubled_pawns(positions, color, out);
    backward_pawns BLANK, Board::backward, |on, positions, color, out| on.backward_pawns(positions, color, out);
    outposts BLANK, Board::outposts, |on, positions, color, out| on.outposts(positions, color, out);
    king_ring BLANK, Board::king_ring, |on, positions, color, out| on.king_ring(positions, color, out);
    safe_checks BLANK, Board::safe_checks, |on, positions, color, out| on.safe_checks(positions, color, out);
}

#[test]
fn xray_attacks() {
    for through in Side::ALL {
        let product = |on: Backend, positions: PositionSlice<'_>, color, out: &mut _| {
            on.xray_attacks(positions, color, through, out)
        };
        check("x-rays", BLANK, |board, color| board.xrays(color, through), product);
    }
}

/// Products that are computed together are those that are computed alone: all of them, some in any order, and one of both colours.
#[test]
fn sets_at_once() {
    type Alone = fn(Backend, PositionSlice<'_>, Color, &mut [u64]) -> Result<(), BatchError>;
    let alone: [(SetProduct, Alone); 14] = [
        (SetProduct::AttackMap, |on, positions, color, out| on.attack_maps(positions, color, out)),
        (SetProduct::Checkers, |on, positions, color, out| on.checkers(positions, color, out)),
        (SetProduct::Pinned, |on, positions, color, out| on.pinned(positions, color, out)),
        (SetProduct::XRays(Side::Own), |on, positions, color, out| on.xray_attacks(positions, color, Side::Own, out)),
        (SetProduct::XRays(Side::Enemy), |on, positions, color, out| {
            on.xray_attacks(positions, color, Side::Enemy, out)
        }),
        (SetProduct::XRays(Side::Any), |on, positions, color, out| on.xray_attacks(positions, color, Side::Any, out)),
        (SetProduct::Hanging, |on, positions, color, out| on.hanging(positions, color, out)),
        (SetProduct::Forks, |on, positions, color, out| on.forks(positions, color, out)),
        (SetProduct::Skewers, |on, positions, color, out| on.skewers(positions, color, out)),
        (SetProduct::RelativelyPinned, |on, positions, color, out| on.relatively_pinned(positions, color, out)),
        (SetProduct::Discovered, |on, positions, color, out| on.discovered(positions, color, out)),
        (SetProduct::Batteries, |on, positions, color, out| on.batteries(positions, color, out)),
        (SetProduct::Overloaded, |on, positions, color, out| on.overloaded(positions, color, out)),
        (SetProduct::SafeChecks, |on, positions, color, out| on.safe_checks(positions, color, out)),
    ];
    let mut positions = positions();
    positions.truncate(600);
    let wanted: Vec<_> =
        alone.iter().flat_map(|&(product, alone)| Color::ALL.map(|color| (product, color, alone))).collect();
    let compare = |backend: Backend, len: usize, some: &[(SetProduct, Color, Alone)]| {
        let positions = positions.slice(0..len);
        let mut out = vec![vec![BLANK; len]; some.len()];
        let requests = some.iter().zip(&mut out);
        let mut requests: Vec<SetRequest<'_>> =
            requests.map(|(&(product, color, _), out)| SetRequest { product, color, out }).collect();
        assert_eq!(backend.sets(positions, &mut requests), Ok(()));
        for ((product, color, alone), out) in some.iter().zip(&out) {
            let mut expected = vec![BLANK; len];
            alone(backend, positions, *color, &mut expected).unwrap();
            assert!(*out == expected, "{product:?} of {color} on {backend}, {len} positions");
        }
    };
    let mut random = Random(7);
    for backend in common::backends("analysis") {
        compare(backend, positions.len(), &wanted);
        wanted.chunks(2).for_each(|both_colors| compare(backend, 130, both_colors));
        // Checkers and pinned pieces are found together: alone, in any order, twice, and next to safe checks.
        let (pins, checks) = (wanted[2..6].to_vec(), wanted[26]);
        let reversed: Vec<_> = pins.iter().copied().rev().collect();
        for len in [0, 1, 7, 63, 64, 65, 130, 600] {
            compare(backend, len, &pins);
            compare(backend, len, &[&reversed[..], &pins[..1]].concat());
            compare(backend, len, &[&reversed[..], &[checks]].concat());
        }
        for _ in 0..300 {
            let mut some = wanted.clone();
            some.sort_by_cached_key(|_| random.next());
            some.truncate(2 + random.below(5));
            compare(backend, random.below(200), &some);
        }
        let (mut right, mut wrong) = ([BLANK; 64], [BLANK; 65]);
        let requests = &mut [
            SetRequest { product: SetProduct::AttackMap, color: Color::White, out: &mut right },
            SetRequest { product: SetProduct::Hanging, color: Color::White, out: &mut wrong },
        ];
        let error = BatchError::PositionLengthMismatch { positions: 64, out: 65 };
        assert_eq!(backend.sets(positions.slice(0..64), requests), Err(error));
        assert!(right == [BLANK; 64] && wrong == [BLANK; 65], "{backend} writes on an error");
        assert_eq!(backend.sets(&positions, &mut []), Ok(()));
    }
}

#[test]
fn values_of_pieces() {
    for text in ["1,3,3,5,9", "0,0,0,0,0", "63,10,9,1,0"] {
        assert_eq!(text.parse::<PieceValues>().unwrap().to_string(), text);
    }
    for text in [
        "",
        "1,3,3,5",
        "1,3,3,5,9,",
        "1,3,3,5,9,9",
        "64,3,3,5,9",
        "1,3,3,5,+9",
        "1, 3,3,5,9",
        "1,3,3,5,256",
        "01,3,3,5,9",
    ] {
        let error = text.parse::<PieceValues>().unwrap_err().to_string();
        assert_eq!(
            error,
            "expected five numbers from 0 to 63, for pawn, knight, bishop, rook and queen, such as 1,3,3,5,9"
        );
    }
    assert_eq!(PieceValues::new([1, 3, 3, 5, 64]), None);
    assert_eq!(PieceValues::default().get(), [1, 3, 3, 5, 9]);
}

/// Values in the usual order, in another order, all the same, and extreme ones.
fn rules() -> impl Iterator<Item = ExchangeRules> {
    let values = [[1, 3, 3, 5, 9], [10, 32, 33, 50, 63], [7, 4, 9, 2, 1], [5; 5], [0, 63, 0, 1, 63]];
    let values = values.map(|values| PieceValues::new(values).unwrap());
    Pinned::ALL.into_iter().flat_map(move |pinned| values.map(|values| ExchangeRules { values, pinned }))
}

#[test]
fn exchanges() {
    for rules in rules() {
        let gains = |board: &Board, color| board.exchanges(color, rules);
        let product =
            |on: Backend, positions: PositionSlice<'_>, color, out: &mut _| on.exchanges(positions, color, rules, out);
        check("exchanges", [99; 64], gains, product);
    }
}

#[test]
fn exchanges_of_both() {
    let all = positions();
    for (rules, backend) in
        rules().flat_map(|rules| common::backends("analysis").into_iter().map(move |on| (rules, on)))
    {
        for len in [0, 1, 9, 64, 65, all.len()] {
            let mut positions = all.clone();
            positions.truncate(len);
            let [mut white, mut black] = [vec![[99; 64]; len], vec![[99; 64]; len]];
            assert_eq!(backend.exchanges_of_both(&positions, rules, [&mut white, &mut black]), Ok(()));
            for (color, both) in Color::ALL.into_iter().zip([white, black]) {
                let mut alone = vec![[0; 64]; len];
                backend.exchanges(&positions, color, rules, &mut alone).unwrap();
                assert!(both == alone, "{color:?}, {rules:?} on {backend}, {len}");
            }
        }
        let (mut white, mut black) = (vec![[99; 64]; all.len()], vec![[99; 64]; all.len() - 1]);
        let error = BatchError::PositionLengthMismatch { positions: all.len(), out: black.len() };
        assert_eq!(backend.exchanges_of_both(&all, rules, [&mut white, &mut black]), Err(error));
        assert!(white.iter().chain(&black).all(|gains| *gains == [99; 64]), "written on an error");
    }
}

#[test]
fn winning_captures() {
    for rules in rules() {
        let wins = |board: &Board, color| {
            let gains = board.exchanges(color, rules);
            set(Square::ALL.into_iter().filter(|square| gains[usize::from(square.index())] != 0))
        };
        let product = |on: Backend, positions: PositionSlice<'_>, color, out: &mut _| {
            on.winning_captures(positions, color, rules, out)
        };
        check("winning captures", BLANK, wins, product);
    }
}

/// Positions with either side to move, castling rights of many kinds, and en passant squares; many have kings and rooks on
/// their first ranks, or pawns where they can capture en passant.
pub fn positions_to_move() -> Positions {
    let mut positions = Positions::new();
    positions.read_lines(SAMPLE).unwrap();
    let mut random = Random(33);
    for round in 0..rounds(12_000) {
        let mut board = [' '; 64];
        let sparse = round % 4;
        if sparse > 0 {
            // Kings and rooks on a first rank in any order, and pawns side by side.
            for (rank, letters) in [(0, "KRR"), (7, "krr")] {
                for letter in letters.chars().take(1 + random.below(3)) {
                    let at = random.below(8);
                    if !board[8 * rank + at].eq_ignore_ascii_case(&'k') {
                        board[8 * rank + at] = letter;
                    }
                }
            }
            let (rank, file) = (3 + random.below(2), random.below(7));
            (board[8 * rank + file], board[8 * rank + file + 1]) =
                if random.below(2) == 0 { ('P', 'p') } else { ('p', 'P') };
        }
        let letters = b"PPPNNBBRRQQpppnnbbrrqq";
        for _ in 0..random.below([40, 12, 6, 3][sparse]) {
            let at = random.below(64);
            if !matches!(board[at], 'K' | 'k') {
                board[at] = letters[random.below(letters.len())] as char;
            }
        }
        for king in ['K', 'k'] {
            if !board.contains(&king) {
                let free: Vec<usize> = (0..64).filter(|&at| !matches!(board[at], 'K' | 'k')).collect();
                board[free[random.below(free.len())]] = king;
            }
        }
        let ranks: Vec<String> =
            board.chunks(8).rev().map(|rank| rank.iter().collect::<String>().replace(' ', "1")).collect();
        let color = Color::ALL[random.below(2)];
        let rights: &[&str] = &["-", "KQkq", "KQkq", "Kq", "HAha", "ABCDEFGHabcdefgh", "Qk", "FBfb", "KAkd"];
        let rank = if color == Color::White { '6' } else { '3' };
        // Mostly a square behind a pawn, of either side; sometimes any of a rank.
        let pawn = if color == Color::White { 'p' } else { 'P' };
        let behind = (0..8).find(|file| board[if color == Color::White { 32 } else { 24 } + file] == pawn);
        let file = behind.filter(|_| random.below(8) > 0).unwrap_or(random.below(8));
        let square = format!("{}{rank}", (b'a' + file as u8) as char);
        let square = if random.below(4) == 0 { "-".to_owned() } else { square };
        let [board, side, rights] = [&ranks.join("/"), &color.name()[..1], rights[random.below(rights.len())]];
        positions.push_fen(format!("{board} {side} {rights} {square}").as_bytes()).unwrap();
    }
    positions
}

#[test]
fn legal_moves() {
    let positions = positions_to_move();
    let count = |index| {
        let board = Board::new(&positions, index);
        let (castling, passed) = (positions.castling()[index], positions.en_passant()[index]);
        let color = positions.side_to_move()[index];
        let number = |castling, passed| board.legal_moves(color, castling, passed);
        let without = number(Castling::NONE, None);
        let kinds = [
            number(castling, None) > without,
            number(Castling::NONE, passed) > without,
            without == 0,
            board.checkers(color).count_ones() == 1,
            board.checkers(color).count_ones() > 1,
            board.pinned(color) != 0,
        ];
        (number(castling, passed), kinds)
    };
    let (expected, kinds): (Vec<u16>, Vec<[bool; 6]>) = (0..positions.len()).map(count).unzip();
    for kind in 0..6 {
        let found = kinds.iter().filter(|kinds| kinds[kind]).count();
        assert!(found > rounds(100), "{found} positions of kind {kind}");
    }
    for backend in common::backends("analysis") {
        for range in ranges(&[127, 128, 129, positions.len()], positions.len()) {
            let mut out = vec![999; range.len()];
            assert_eq!(backend.legal_moves(positions.slice(range.clone()), &mut out), Ok(()));
            for (index, out) in range.clone().zip(out) {
                assert_eq!(out, expected[index], "{backend}, {index} of {range:?}: {}", positions.fen(index));
            }
        }
        let start = positions.len() - 1_000;
        let mut out = vec![999; 1_000];
        assert_eq!(backend.legal_moves(positions.slice(start..positions.len()), &mut out), Ok(()));
        assert_eq!(out, expected[start..], "{backend}");
        let error = backend.legal_moves(positions.slice(0..3), &mut out[..2]).unwrap_err();
        assert_eq!(error, BatchError::PositionLengthMismatch { positions: 3, out: 2 });
        assert_eq!(out, expected[start..], "{backend} writes on an error");
    }
}

/// Positions in which one side has more pieces than in any game, up to a full board.
fn crowded_positions() -> Positions {
    let (mut positions, mut random) = (Positions::new(), Random(44));
    for round in 0..rounds(600) {
        let color = Color::ALL[random.below(2)];
        let pieces = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::Queen];
        let letters = pieces.map(|piece| piece.letter(color));
        let mut board: Vec<char> = vec!['1'; 64];
        for _ in 0..round % 200 {
            board[random.below(64)] = letters[random.below(6)];
        }
        let white = random.below(64);
        board[white] = 'K';
        board[(white + 1 + random.below(63)) % 64] = 'k';
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        positions.push_fen(format!("{} {} KQkq -", ranks.join("/"), &color.name()[..1])).unwrap();
    }
    positions
}

#[test]
fn moves_and_targets() {
    let mut positions = positions_to_move();
    // Between others, so that blocks have positions of both kinds.
    positions.extend_from(&crowded_positions());
    positions.extend_from(&positions_to_move());
    let of = |index: usize| {
        let position = positions.get(index).expect("it is one of them");
        let (castling, passed) = (position.castling(), position.en_passant());
        Board::new(&positions, index).moves(position.side_to_move(), castling, passed)
    };
    let expected: Vec<Vec<Move>> = (0..positions.len()).map(of).collect();
    let target_sets = |moves: &[Move]| {
        let mut sets = [0; 64];
        moves.iter().for_each(|mv| sets[usize::from(mv.start())] |= mv.target().bitboard());
        sets
    };
    for kind in [MoveKind::Castling, MoveKind::EnPassant, MoveKind::Promotion] {
        let found = expected.iter().filter(|moves| moves.iter().any(|mv| mv.kind() == kind)).count();
        assert!(found > rounds(100), "{found} positions with {kind:?}");
    }
    // More than are written at a time.
    assert!(expected.chunks(64).any(|block| block.iter().map(Vec::len).sum::<usize>() > 5_000));
    for backend in common::backends("analysis") {
        // The same value for all calls: each call has to overwrite the result of the one before.
        let mut moves = Moves::new();
        let all = positions.len();
        let lengths = (0..=65).chain([127, 128, 129, all]);
        for range in lengths.map(|len| 0..len).chain([5..70, all - 1_000..all]) {
            let (slice, expected) = (positions.slice(range.clone()), &expected[range]);
            backend.moves(slice, &mut moves);
            same_lists(&moves, expected, slice, backend.name());
            let mut numbers = vec![0; slice.len()];
            backend.legal_moves(slice, &mut numbers).unwrap();
            assert!(moves.iter().map(|moves| moves.len() as u16).eq(numbers), "{backend}");
            let mut targets = vec![[99; 64]; slice.len()];
            assert_eq!(backend.targets(slice, &mut targets), Ok(()));
            assert!(targets.into_iter().eq(expected.iter().map(|moves| target_sets(moves))), "{backend}");
        }
        let mut targets = [[99; 64]; 2];
        let error = backend.targets(positions.slice(0..3), &mut targets).unwrap_err();
        assert_eq!(error, BatchError::PositionLengthMismatch { positions: 3, out: 2 });
        assert_eq!(targets, [[99; 64]; 2], "{backend} writes on an error");
    }
}

/// Positions in which checkmate is often possible: a king at the edge among its own pieces, and heavy pieces or pawns that promote.
fn positions_near_mate() -> Positions {
    let (mut positions, mut random) = (Positions::new(), Random(45));
    for _ in 0..rounds(3_000) {
        let mut board = ['1'; 64];
        let king = random.below(8);
        for _ in 0..random.below(12) {
            board[random.below(24)] = ['p', 'p', 'n', 'b', 'r'][random.below(5)];
        }
        for _ in 0..1 + random.below(6) {
            board[random.below(64)] = ['Q', 'R', 'R', 'B', 'N', 'P'][random.below(6)];
        }
        (board[king], board[16 + random.below(48)]) = ('k', 'K');
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        positions.push_fen(format!("{} w - -", ranks.join("/"))).unwrap();
    }
    positions
}

#[test]
fn checking_and_mating_moves() {
    let mut positions = positions_to_move();
    positions.extend_from(&crowded_positions());
    positions.extend_from(&positions_near_mate());
    positions.extend_from(&positions_to_move());
    let (mut checks, mut mates) = (Vec::new(), Vec::new());
    // Checks by the piece that moves, by another one, by both, and by a move of each kind; mates by each kind.
    let (mut by, mut kinds, mut mates_of_kind, mut checked_before) = ([0; 3], [0; 4], [0; 4], 0);
    for index in 0..positions.len() {
        let (board, color) = (Board::new(&positions, index), positions.side_to_move()[index]);
        let castling = positions.castling()[index];
        let is_checked = board.checkers(color.other()) != 0;
        let gives_check = |mv: &Move| !is_safe(&board.men_after(color, *mv), color.other());
        let mut moves = board.moves(color, castling, positions.en_passant()[index]);
        moves.retain(gives_check);
        let mut mating = Vec::new();
        for &mv in &moves {
            let after = Positions::from_iter([board.position_after(color, castling, mv)]);
            let (passed, after) = (after.en_passant()[0], Board::new(&after, 0));
            let checkers = after.checkers(color.other());
            kinds[mv.kind() as usize] += 1;
            checked_before += usize::from(is_checked);
            if mv.kind() == MoveKind::Normal && !is_checked {
                let own = usize::from(checkers & mv.target().bitboard() != 0);
                let others = usize::from(checkers & !mv.target().bitboard() != 0);
                by[own + 2 * others - 1] += 1;
            }
            // In check, nobody castles.
            if after.moves(color.other(), Castling::NONE, passed).is_empty() {
                mates_of_kind[mv.kind() as usize] += 1;
                mating.push(mv);
            }
        }
        checks.push(moves);
        mates.push(mating);
    }
    let found = format!("{by:?} {kinds:?} {mates_of_kind:?} {checked_before}");
    let enough = by.into_iter().chain(kinds).chain([checked_before]).all(|count| count > rounds(50));
    assert!(enough && mates_of_kind[0].min(mates_of_kind[MoveKind::Promotion as usize]) > rounds(50), "{found}");

    for backend in common::backends("analysis") {
        // The same value for all calls: each call has to overwrite the result of the one before.
        let (mut moves, mut both, all) = (Moves::new(), [Moves::new(), Moves::new()], positions.len());
        let lengths = (0..=65).chain([127, 128, 129, all]);
        for range in lengths.map(|len| 0..len).chain([5..70, all - 1_000..all]) {
            let slice = positions.slice(range.clone());
            backend.checking_moves(slice, &mut moves);
            same_lists(&moves, &checks[range.clone()], slice, &format!("checks, {backend}"));
            backend.mating_moves(slice, &mut moves);
            same_lists(&moves, &mates[range.clone()], slice, &format!("mates, {backend}"));
            let [both_checks, both_mates] = &mut both;
            backend.checking_and_mating_moves(slice, both_checks, both_mates);
            same_lists(both_checks, &checks[range.clone()], slice, &format!("checks with mates, {backend}"));
            same_lists(both_mates, &mates[range], slice, &format!("mates with checks, {backend}"));
        }
    }
}

/// The lists of a few positions are those of them alone, whatever the same call has computed before: a block of many pieces leaves its
/// squares where those of the next block go. With overflow checks, a look at such squares panics.
#[test]
fn lists_of_few_positions_after_many() {
    let mut positions = crowded_positions();
    let mut few = Positions::new();
    few.read_lines(SAMPLE).unwrap();
    for backend in common::backends("analysis") {
        type List = fn(Backend, PositionSlice<'_>, &mut Moves);
        let lists: [(&str, List); 3] = [
            ("moves", |backend, positions, out| backend.moves(positions, out)),
            ("checks", |backend, positions, out| backend.checking_moves(positions, out)),
            ("mates", |backend, positions, out| backend.mating_moves(positions, out)),
        ];
        for count in (1..10).chain([63]) {
            let many = positions.len() / 64 * 64;
            positions.truncate(many);
            positions.extend_from(&few.slice(0..count).into_iter().collect());
            // The last block is full of pieces, and this one is not.
            let (start, slice) = (64, positions.slice(many - 64..positions.len()));
            for (name, list) in lists {
                let [mut all, mut alone] = [Moves::new(), Moves::new()];
                list(backend, slice, &mut all);
                list(backend, few.slice(0..count), &mut alone);
                let found = (start..start + count).map(|index| &all[index]);
                assert!(found.eq(alone.iter()), "{name} of {count} positions, {backend}");
            }
            let [mut all, mut alone] = [vec![[0; 64]; slice.len()], vec![[0; 64]; count]];
            backend.targets(slice, &mut all).unwrap();
            backend.targets(few.slice(0..count), &mut alone).unwrap();
            assert!(all[start..] == alone, "targets of {count} positions, {backend}");
            let [mut all, mut alone] = [Threats::new(), Threats::new()];
            backend.threats(slice, &Color::ALL, Side::Any, &mut all);
            backend.threats(few.slice(0..count), &Color::ALL, Side::Any, &mut alone);
            let found = (start..start + count).map(|index| &all[index]);
            assert!(found.eq(alone.iter()), "threats of {count} positions, {backend}");
        }
    }
}

fn same_lists(moves: &Moves, expected: &[Vec<Move>], positions: PositionSlice<'_>, name: &str) {
    assert_eq!((moves.len(), moves.offsets()[0]), (expected.len(), 0), "{name}");
    assert_eq!(moves.as_slice().len(), *moves.offsets().last().expect("it begins with 0"), "{name}");
    for (index, (moves, expected)) in moves.iter().zip(expected).enumerate() {
        let of = || positions.slice(index..index + 1).into_iter().next().expect("there is one");
        assert_eq!(moves, expected, "{name}, {index}: {}", of());
    }
}

impl Board {
    /// Whether no mate is possible with these pieces.
    fn is_insufficient(&self) -> bool {
        let colors =
            |of: Piece| self.men.iter().filter(move |man| man.2 == of).map(|man| (man.0.file() + man.0.rank()) % 2);
        let (knights, bishops): (Vec<u8>, Vec<u8>) = (colors(Piece::Knight).collect(), colors(Piece::Bishop).collect());
        let others = self.men.len() - 2 - knights.len() - bishops.len();
        match (others, &knights[..], &bishops[..]) {
            (0, [_], []) => true,
            (0, [], bishops) => bishops.iter().all(|color| *color == bishops[0]),
            _ => false,
        }
    }
}

#[test]
fn status() {
    let mut positions = positions_to_move();
    let mut random = Random(44);
    for _ in 0..rounds(4_000) {
        // Few pieces: often too few, or a queen against a king in a corner.
        let mut squares: Vec<usize> = (0..64).collect();
        let mut board = ['1'; 64];
        let in_corner = random.below(2) == 0;
        let others = (0..random.below(4)).map(|_| b"NBnbBbBbQr"[random.below(10)]).collect::<Vec<_>>();
        let others = if in_corner { b"Q".to_vec() } else { others };
        for (at, letter) in [b'k', b'K'].into_iter().chain(others).enumerate() {
            let place = if at == 0 && in_corner { 0 } else { random.below(squares.len()) };
            board[squares.swap_remove(place)] = letter as char;
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let side = if in_corner { "b" } else { ["w", "b"][random.below(2)] };
        positions.push_fen(format!("{} {side} - -", ranks.join("/"))).unwrap();
    }
    let of = |index| {
        let board = Board::new(&positions, index);
        let color = positions.side_to_move()[index];
        let moves = board.legal_moves(color, positions.castling()[index], positions.en_passant()[index]);
        let is_check = board.checkers(color) != 0;
        [is_check, moves == 0 && is_check, moves == 0 && !is_check, board.is_insufficient()]
    };
    let expected: Vec<[bool; 4]> = (0..positions.len()).map(of).collect();
    for (status, kind) in Status::ALL.into_iter().zip(0..) {
        let expected: Vec<u16> = expected.iter().map(|of| u16::from(of[kind])).collect();
        let found = expected.iter().filter(|&&is_so| is_so == 1).count();
        assert!(found > rounds(20), "{found} positions are {status}");
        for backend in common::backends("analysis") {
            for range in ranges(&[127, 128, 129, positions.len()], positions.len()) {
                let mut out = vec![999; range.len()];
                assert_eq!(backend.status(positions.slice(range.clone()), status, &mut out), Ok(()));
                for (index, out) in range.clone().zip(out) {
                    let fen = || positions.fen(index);
                    assert_eq!(out, expected[index], "{status}, {backend}, {index} of {range:?}: {}", fen());
                }
            }
            let mut out = [999; 2];
            let error = backend.status(positions.slice(0..3), status, &mut out).unwrap_err();
            assert_eq!(error, BatchError::PositionLengthMismatch { positions: 3, out: 2 });
            assert_eq!(out, [999; 2], "{backend} writes on an error");
        }
    }
}

/// Also the number of moves after moves, which is counted without these positions.
#[test]
fn positions_after_moves() {
    let mut positions = positions_to_move();
    positions.extend_from(&crowded_positions());
    let (backend, mut moves, mut expected) = (Backend::scalar(), Moves::new(), Positions::new());
    backend.moves(&positions, &mut moves);
    let (mut passed, mut kept) = (0, 0);
    for (index, moves) in moves.iter().enumerate() {
        let board = Board::new(&positions, index);
        for &mv in moves {
            let after = board.position_after(positions.side_to_move()[index], positions.castling()[index], mv);
            passed += usize::from(after.en_passant().is_some());
            kept += usize::from(!after.castling().is_none());
            expected.push(after);
        }
    }
    assert!(passed > rounds(20) && kept > rounds(10_000), "{passed} {kept}");
    let mut numbers = vec![0; expected.len()];
    backend.legal_moves(&expected, &mut numbers).unwrap();
    for backend in common::backends("analysis") {
        // The same value for all calls: each call has to overwrite the result of the one before.
        let (mut lists, mut out) = (Moves::new(), Positions::new());
        for range in [0..positions.len(), 0..0, 5..6, 100..170, 0..7] {
            let slice = positions.slice(range.clone());
            lists.clear();
            range.clone().for_each(|index| lists.push(&moves[index]));
            assert_eq!(backend.after(slice, &lists, &mut out), Ok(()));
            let places = moves.offsets()[range.start]..moves.offsets()[range.end];
            assert_eq!(out.len(), places.len(), "{backend}");
            for (index, after) in out.iter().enumerate() {
                let at = places.start + index;
                let before = moves.offsets().partition_point(|&offset| offset <= at) - 1;
                let of = || format!("{backend}: {} {}", positions.fen(before), moves.as_slice()[at]);
                assert_eq!(Some(after), expected.get(at), "{}", of());
            }
            let mut counts = vec![99; range.len()];
            assert_eq!(backend.perft(slice, 2, &mut counts), Ok(()));
            for (index, count) in range.zip(counts) {
                let places = moves.offsets()[index]..moves.offsets()[index + 1];
                let sum = numbers[places].iter().map(|&number| u64::from(number)).sum::<u64>();
                assert_eq!(count, sum, "{backend}: {}", positions.fen(index));
            }
        }
    }
}

#[test]
fn lists_that_are_not_those_of_the_positions() {
    let mut positions = Positions::new();
    positions.push_fens(["4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 b - -"]).unwrap();
    let mv = Move::new(Square::E1, Square::E2, MoveKind::Normal);
    let (mut lists, mut out) = (Moves::new(), positions.clone());
    lists.push(&[mv]);
    let error = Backend::active().after(&positions, &lists, &mut out).unwrap_err();
    assert_eq!(error, BatchError::ListLengthMismatch { positions: 2, lists: 1 });
    assert_eq!(error.to_string(), "lengths differ: 2 positions, 1 lists of moves");
    assert!(out.is_empty());
    lists.push(&[mv]);
    let error = Backend::active().after(&positions, &lists, &mut out).unwrap_err();
    assert_eq!(error, BatchError::WrongMove { position: 1, mv });
    assert_eq!(error.to_string(), "move e1e2 is not one of position 1");
}

/// Numbers of moves that others have counted.
#[test]
fn legal_moves_that_are_known() {
    let known = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 20),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 48),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 14),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", 6),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", 44),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -", 46),
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -", 218),
        // The pawn on e5 would uncover the rook on h5.
        ("8/8/8/K2Pp2r/8/8/8/7k w - e6", 6),
        // A knight stands where the pawn on d5 would have come from, and a piece stands on the square that it would have passed.
        ("r1bqkbnr/pppnpppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6", 30),
        ("r1bqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6", 31),
        ("rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPPBPPPP/RN1QKBNR b KQkq d3", 30),
        ("rnbqkbnr/pppp1ppp/8/8/3Pp3/3N4/PPP1PPPP/R1BQKBNR b KQkq d3", 31),
        // The rook on b1 keeps the rook on a1 from the king.
        ("4k3/8/8/8/8/8/8/rR1K4 w B -", 7),
        // Checkmates and stalemate.
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq -", 0),
        ("6k1/8/8/8/8/8/5PPP/3r2K1 w - -", 0),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", 0),
    ];
    let mut positions = Positions::new();
    for (fen, _) in known {
        positions.push_fen(fen.as_bytes()).unwrap();
    }
    for backend in Backend::available() {
        let mut out = [0; 16];
        backend.legal_moves(&positions, &mut out).unwrap();
        assert_eq!(out, known.map(|(_, moves)| moves), "{backend}");
    }
}

#[test]
fn trapped() {
    for rules in rules().step_by(3) {
        let product =
            |on: Backend, positions: PositionSlice<'_>, color, out: &mut _| on.trapped(positions, color, rules, out);
        check("trapped", BLANK, |board, color| board.trapped(color, rules), product);
    }
}

#[test]
fn safe_mobility() {
    for rules in rules().step_by(7) {
        let product =
            |on: Backend, positions: PositionSlice<'_>, _, out: &mut _| on.safe_mobility(positions, rules, out);
        check("safe mobility", [99; 64], |board, _| board.safe_mobility(rules), product);
    }
}

#[test]
fn threats() {
    let positions = positions();
    let boards: Vec<Board> = (0..positions.len()).map(|index| Board::new(&positions, index)).collect();
    // The same value for all calls: each call has to overwrite the result of the one before.
    let mut threats = Threats::new();
    let colors = [&[Color::White][..], &[Color::Black], &Color::ALL, &[Color::Black, Color::White], &[]];
    for (colors, victims) in colors.into_iter().flat_map(|colors| Side::ALL.map(|victims| (colors, victims))) {
        let of = |board: &Board| colors.iter().flat_map(|&color| board.threats(color, victims)).collect();
        let expected: Vec<Vec<Threat>> = boards.iter().map(of).collect();
        for backend in common::backends("analysis") {
            backend.threats(&positions, colors, victims, &mut threats);
            assert_eq!(threats.offsets().len(), positions.len() + 1);
            for (index, expected) in expected.iter().enumerate() {
                assert_eq!(&threats[index], expected, "{} on {backend}", positions.fen(index));
            }
            assert_eq!(threats.as_slice(), expected.concat());
            assert!((&threats).into_iter().eq(&expected));
            assert!(threats.iter().rev().eq(expected.iter().rev()));
            assert_eq!(threats.iter().len(), positions.len());
        }
    }
    Backend::active().threats(&Positions::new(), &Color::ALL, Side::Any, &mut threats);
    assert_eq!((threats.as_slice(), threats.offsets()), (&[][..], &[0][..]));
}

/// Products that are asked of the board after a move: the piece has left its square.
#[test]
fn the_piece_that_moves_leaves_its_square() {
    use Square as S;
    let mut positions = Positions::new();
    let checks: [(&str, Color, &[Square]); 9] = [
        // The queen on d5 attacks d3 once the one on d4 has gone there.
        ("b7/5p1k/8/p2q4/3Q4/5P2/5K2/4N3 w - -", Color::White, &[S::H4]),
        // The queen gives check, and goes on giving check behind the square that it leaves.
        ("8/8/8/8/8/8/5qk1/4K3 w - -", Color::Black, &[S::E3, S::G3, S::H4, S::G1]),
        // The same with a rook, up to a piece that it captures, but not with one that stands behind another rook.
        ("4k3/8/8/4R3/4p3/8/8/4K3 w - -", Color::White, &[S::E4, S::E6]),
        ("4k3/8/4R3/4R3/8/8/8/4K3 w - -", Color::White, &[]),
        // On a2, one rook defends the other, or attacks where no other stands, once the white one is gone from the line.
        ("k7/8/8/8/8/8/r2R3r/7K w - -", Color::White, &[S::D8]),
        ("k7/8/8/8/8/8/3R3r/7K w - -", Color::White, &[S::D8]),
        // The bishop on h7 attacks e4 through f5.
        ("k7/7b/8/5B2/8/8/8/1R5K w - -", Color::White, &[S::A1]),
        // A knight never moves along the line that it opens.
        ("3q3k/8/8/4N3/8/8/8/K7 w - -", Color::White, &[S::F7, S::G6]),
        // Behind the square that it leaves, the queen captures a pawn that is defended.
        ("q7/8/8/3p4/4Q3/8/8/K6k w - -", Color::White, &[S::F3, S::H4, S::H7, S::E1, S::B1]),
    ];
    for (fen, ..) in checks {
        positions.push_fen(fen.as_bytes()).unwrap();
    }
    for backend in Backend::available() {
        for (at, (fen, color, squares)) in checks.into_iter().enumerate() {
            let mut out = vec![0; positions.len()];
            backend.safe_checks(&positions, color, &mut out).unwrap();
            assert_eq!(out[at], set(squares.iter().copied()), "{fen} on {backend}: {:#x}", out[at]);
        }
    }
    // Pins that a move ends and begins: the knight may capture once the rook no longer pins it, and may not once the bishop has
    // left the line of the rook behind it.
    let moves = [
        ("4k3/8/8/4n3/4R3/8/8/6K1 w - -", S::E4, 11 - 2), // c4 and g4
        ("4k3/8/8/8/4n3/4B3/8/4R1K1 w - -", S::E3, 10),
    ];
    let mut positions = Positions::new();
    for (fen, ..) in moves {
        positions.push_fen(fen.as_bytes()).unwrap();
    }
    for backend in Backend::available() {
        let mut out = vec![[0; 64]; positions.len()];
        let rules = ExchangeRules { pinned: Pinned::Stay, ..ExchangeRules::default() };
        backend.safe_mobility(&positions, rules, &mut out).unwrap();
        for (at, (fen, from, count)) in moves.into_iter().enumerate() {
            assert_eq!(out[at][usize::from(from.index())], count, "{fen} on {backend}");
        }
    }
}

/// The largest numbers there are, and kings side by side: in a full block, and in the rest after it.
#[test]
fn extremes() {
    let mut positions = Positions::new();
    let fens =
        ["7k/8/2N1N3/1NQQQN2/2Q1Q3/1NQQQN2/2N1N3/K7 w - -", "k7/8/8/8/3Q4/8/8/7K w - -", "8/8/8/8/3kK3/8/8/8 w - -"];
    positions.push_fens(fens.into_iter().cycle().take(3 * 24)).unwrap();
    let on_d4 = |numbers: &[[u8; 64]], first| -> Vec<u8> {
        numbers.iter().skip(first).step_by(3).map(|numbers| numbers[27]).collect()
    };
    for backend in Backend::available() {
        let mut numbers = [[0; 64]; 3 * 24];
        backend.attacker_counts(&positions, Color::White, &mut numbers).unwrap();
        assert_eq!(on_d4(&numbers, 0), [16; 24], "eight queens and eight knights around d4, {backend}");
        backend.mobility(&positions, &mut numbers).unwrap();
        assert_eq!(on_d4(&numbers, 1), [27; 24], "a queen on d4, {backend}");
        let mut checkers = [0; 3 * 24];
        backend.checkers(&positions, Color::White, &mut checkers).unwrap();
        assert_eq!(checkers, [[0, 0, Square::D4.bitboard()]; 24].as_flattened(), "{backend}");
    }
}
