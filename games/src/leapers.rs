//! Destinations on an empty board, and the squares between two others.

use slider_attacks::{Square, bishop_attacks, rook_attacks};

/// The squares at these distances, in files and ranks.
const fn leaper<const N: usize>(steps: [(i8, i8); N]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut step = 0;
        while step < N {
            let (file, rank) = (square as i8 % 8 + steps[step].0, square as i8 / 8 + steps[step].1);
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square] |= 1 << (8 * rank + file);
            }
            step += 1;
        }
        square += 1;
    }
    table
}

pub static KNIGHT: [u64; 64] = leaper([(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
pub static KING: [u64; 64] = leaper([(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
/// White's, then black's.
pub static PAWN: [[u64; 64]; 2] = [leaper([(-1, 1), (1, 1)]), leaper([(-1, -1), (1, -1)])];

/// The squares from which a piece can go to a square of an empty board: a black pawn, a white one, and the others by
/// their numbers. Captures of pawns are included.
pub static SOURCES: [[u64; 64]; 7] = {
    let mut table = [[0; 64], [0; 64], KNIGHT, [0; 64], [0; 64], [0; 64], KING];
    let mut to = 0;
    while to < 64 {
        let (at, rank) = (1_u64 << to, to / 8);
        table[0][to] = PAWN[0][to] | at << 8 | if rank == 4 { at << 16 } else { 0 };
        table[1][to] = PAWN[1][to] | at >> 8 | if rank == 3 { at >> 16 } else { 0 };
        table[3][to] = bishop_attacks(Square::ALL[to], 0);
        table[4][to] = rook_attacks(Square::ALL[to], 0);
        table[5][to] = table[3][to] | table[4][to];
        to += 1;
    }
    table
};

/// The squares between two others of a line; none for other pairs. 32 KB.
pub static BETWEEN: [[u64; 64]; 64] = {
    const STEPS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let mut table = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (mut file, mut rank, mut passed) = (from as i8 % 8, from as i8 / 8, 0);
            loop {
                file += STEPS[direction].0;
                rank += STEPS[direction].1;
                if file < 0 || file > 7 || rank < 0 || rank > 7 {
                    break;
                }
                let to = (8 * rank + file) as usize;
                table[from][to] = passed;
                passed |= 1 << to;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};
