//! Attacks around the kings in one position, without branches.

use super::lanes::{Bitboard, SideView};
use super::products::{diagonal_attacks, king_attacks, knight_attacks, orthogonal_attacks, pawn_attacks, union};
use super::shared::{Needs, SharedSets};
use crate::rays::{E, N, NE, NW, S, SE, SW, W, each_direction, ray, step};

/// The pieces of `enemy` that attack the king of `own` or a square next to it: those that a piece of their kind on one of these
/// squares would attack.
#[derive(Clone, Copy)]
pub(super) struct KingRing;

impl Bitboard for KingRing {
    #[inline(always)]
    fn compute(self, board: &SideView, _: impl SharedSets) -> u64 {
        let (enemy, empty) = (&board.enemy, board.empty());
        let ring = board.own.king | king_attacks(board.own.king);
        // Each square of the ring is next to another one.
        let row = ring | step::<E>(ring) | step::<W>(ring);
        let around = row | step::<N>(row) | step::<S>(row);
        union(pawn_attacks(ring, board.white)) & enemy.pawns
            | knight_attacks(ring) & enemy.knights
            | around & enemy.king
            | orthogonal_attacks(ring, empty) & enemy.orthogonal
            | diagonal_attacks(ring, empty) & enemy.diagonal
    }
}

/// The squares to which a knight, bishop, rook or queen of `own` can go to give check, and that `enemy` does not attack once the
/// piece has gone there.
///
/// The piece leaves its square, and only sliders look along the line that this opens:
///
/// ```text
///  q . Q . . s k        the queen on the left attacks s once the other one is there: a slider must not move away
///                       from an enemy slider that attacks it along the same line
///  k . q . s .          the check goes through the square that the queen has left
/// ```
///
/// No line leads from the square of a knight to one that it goes to.
#[derive(Clone, Copy)]
pub(super) struct SafeChecks;

impl Bitboard for SafeChecks {
    const NEEDS: Needs = Needs::EnemyKingRays;

    #[inline(always)]
    fn compute(self, board: &SideView, sets: impl SharedSets) -> u64 {
        let (own, enemy, empty) = (&board.own, &board.enemy, board.empty());
        let queens = own.orthogonal & own.diagonal;
        let enemy_sets = sets.turned();
        let (of_enemy, of_king) = (enemy_sets.rays(), enemy_sets.king_rays());
        let mut checks = knight_attacks(enemy.king) & knight_attacks(own.knights);
        // The destinations of pieces that move like rooks and like bishops, and the squares that the king sees as one
        // of them.
        let [mut orthogonal, mut diagonal, mut orthogonal_checks, mut diagonal_checks] = [0; 4];
        macro_rules! direction {
            ($at:expr, $by:expr, $_knights_by:expr, $sliders:ident, $others:ident, $checks:ident) => {
                let movers = own.$sliders & !of_enemy[$at];
                let from_king = of_king[$at];
                $checks |= from_king;
                $sliders |= ray::<{ $by }>(movers, empty);
                // Queens move both ways, so the squares they see the other way are added.
                $others |= ray::<{ $by }>(movers & queens, empty);
                checks |= ray::<{ $by }>(movers & from_king, empty);
            };
        }
        each_direction!(
            direction,
            [orthogonal, diagonal, orthogonal_checks],
            [diagonal, orthogonal, diagonal_checks],
            [diagonal, orthogonal, diagonal_checks]
        );
        checks |= orthogonal & orthogonal_checks | diagonal & diagonal_checks;
        checks & !own.all & !enemy_sets.attacked()
    }
}
