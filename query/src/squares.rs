//! Sets of squares from whole sets: what is between them, and what pieces on them would attack.

use slider_attacks::position::{Color, Piece};

use crate::expression::{Attacker, KingStep};

const STRAIGHT: [KingStep; 4] = [step(1, 0), step(-1, 0), step(0, 1), step(0, -1)];
const DIAGONAL: [KingStep; 4] = [step(1, 1), step(1, -1), step(-1, 1), step(-1, -1)];

const fn step(ranks: i8, files: i8) -> KingStep {
    KingStep { ranks, files }
}

/// The squares that lie beyond those of a set in a direction, up to and including the first occupied one.
fn ray(direction: KingStep, set: u64, occupied: u64) -> u64 {
    let (mut reached, mut front) = (0, set);
    for _ in 0..7 {
        front = direction.of(front);
        reached |= front;
        front &= !occupied;
    }
    reached
}

/// The squares between any square of one set and any of another one, along a rank, a file or a diagonal.
pub fn between(one: u64, other: u64) -> u64 {
    let mut found = 0;
    for direction in STRAIGHT.into_iter().chain(DIAGONAL) {
        let back = step(-direction.ranks, -direction.files);
        found |= ray(direction, one, 0) & ray(back, other, 0);
    }
    found
}

/// What pieces of a kind would attack from the squares of a set.
pub fn attacks_of(attacker: Attacker, set: u64, occupied: u64) -> u64 {
    let rays = |directions: [KingStep; 4]| directions.into_iter().fold(0, |all, to| all | ray(to, set, occupied));
    match attacker {
        Attacker::Pawn(color) => {
            let ranks = if color == Color::White { 1 } else { -1 };
            step(ranks, 1).of(set) | step(ranks, -1).of(set)
        }
        Attacker::Piece(Piece::Bishop) => rays(DIAGONAL),
        Attacker::Piece(Piece::Rook) => rays(STRAIGHT),
        Attacker::Piece(Piece::Knight) => {
            let two = |one: KingStep, next: KingStep| next.of(one.of(set));
            let pairs = STRAIGHT.into_iter().flat_map(|straight| DIAGONAL.map(|diagonal| (straight, diagonal)));
            // A step along a rank or a file, then a diagonal one that goes on in its direction.
            let forward = |(straight, diagonal): &(KingStep, KingStep)| {
                straight.ranks * diagonal.ranks + straight.files * diagonal.files > 0
            };
            pairs.filter(forward).fold(0, |all, (straight, diagonal)| all | two(straight, diagonal))
        }
        Attacker::Piece(Piece::King) => {
            STRAIGHT.into_iter().chain(DIAGONAL).fold(0, |all, direction| all | direction.of(set))
        }
        Attacker::Piece(Piece::Queen | Piece::Pawn) => rays(STRAIGHT) | rays(DIAGONAL),
    }
}

#[cfg(test)]
mod tests {
    use slider_attacks::Square;
    use slider_attacks::reference::{anti_diagonal_attacks, diagonal_attacks, file_attacks, rank_attacks};

    use super::*;

    /// Sets and occupancies of all densities.
    fn numbers() -> impl Iterator<Item = (u64, u64)> {
        let mut state = 1_u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (0..300).map(move |number| {
            let set = if number % 2 == 0 { next() & next() & next() & next() } else { 1 << (next() % 64) };
            (set, next() & if number % 3 == 0 { next() } else { !0 })
        })
    }

    fn squares(set: u64) -> impl Iterator<Item = Square> {
        Square::ALL.into_iter().filter(move |square| square.bitboard() & set != 0)
    }

    #[test]
    fn attacks_of_a_set_are_those_of_its_squares() {
        let rook = |square, occupied| rank_attacks(square, occupied) | file_attacks(square, occupied);
        let bishop = |square, occupied| diagonal_attacks(square, occupied) | anti_diagonal_attacks(square, occupied);
        for (set, occupied) in numbers() {
            let rooks = squares(set).fold(0, |all, square| all | rook(square, occupied));
            let bishops = squares(set).fold(0, |all, square| all | bishop(square, occupied));
            let sliders = [(Piece::Rook, rooks), (Piece::Bishop, bishops), (Piece::Queen, rooks | bishops)];
            for (piece, expected) in sliders {
                assert_eq!(attacks_of(Attacker::Piece(piece), set, occupied), expected, "{set:#x} {occupied:#x}");
            }
            let near = |one: Square, other: Square| {
                let mut distances = [one.file().abs_diff(other.file()), one.rank().abs_diff(other.rank())];
                distances.sort_unstable();
                distances
            };
            for (piece, distances) in [(Piece::Knight, vec![[1, 2]]), (Piece::King, vec![[0, 1], [1, 1]])] {
                let is_attacked = |to: &Square| squares(set).any(|from| distances.contains(&near(from, *to)));
                let expected = squares(!0).filter(is_attacked).fold(0, |all, to| all | to.bitboard());
                assert_eq!(attacks_of(Attacker::Piece(piece), set, occupied), expected, "{piece} {set:#x}");
            }
        }
        assert_eq!(attacks_of(Attacker::Pawn(Color::White), Square::A2.bitboard(), 0), Square::B3.bitboard());
        assert_eq!(attacks_of(Attacker::Pawn(Color::Black), Square::H7.bitboard(), 0), Square::G6.bitboard());
    }

    #[test]
    fn squares_between_sets_are_those_between_pairs() {
        let pair = |one: Square, other: Square| {
            let (files, ranks) = (other.file() as i8 - one.file() as i8, other.rank() as i8 - one.rank() as i8);
            if !(files == 0 || ranks == 0 || files.abs() == ranks.abs()) {
                return 0;
            }
            let steps = files.abs().max(ranks.abs());
            let at = |step: i8| {
                let (file, rank) = (one.file() as i8 + step * files.signum(), one.rank() as i8 + step * ranks.signum());
                1_u64 << (8 * rank + file)
            };
            (1..steps).fold(0, |all, step| all | at(step))
        };
        for (one, other) in numbers() {
            let other = other & other >> 9 & other << 7;
            let expected = squares(one)
                .flat_map(|one| squares(other).map(move |other| pair(one, other)))
                .fold(0, |all, set| all | set);
            assert_eq!(between(one, other), expected, "{one:#x} {other:#x}");
        }
    }
}
