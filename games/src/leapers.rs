//! Attack sets of kings, knights and pawns.

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
