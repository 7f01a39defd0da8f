//! `squares(bitboard)`: the numbers of its squares; `count_squares(bitboard)`: how many bitboards of a group contain each
//! square; `uci(move)`: the text of a move.

use anyhow::Result;
use bytemuck::Zeroable;
use slider_attacks::moves::Move;

use crate::register::{Aggregate, Connection, Scalar, aggregate, scalar};
use crate::types::{PlainType, Type};
use crate::vectors::{Elements, InputChunk, OutputVector};

/// Adds the functions.
///
/// # Errors
///
/// DuckDB has one of them.
pub fn register(to: Connection) -> Result<()> {
    scalar(to, "squares", &[PlainType::U64.into()], Type::list(PlainType::U8), SquareLists)?;
    scalar(to, "uci", &[PlainType::U16.into()], PlainType::Text.into(), MoveTexts)?;
    aggregate::<CountSquares>(to, "count_squares", Type::list(PlainType::U64))
}

/// The list of squares.
#[derive(Debug)]
struct SquareLists;

impl Scalar for SquareLists {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (boards, valid) = (input.numbers::<u64>(0), input.valid(0));
        let count = |row: usize| if valid.is(row) { boards[row].count_ones() as usize } else { 0 };
        let (lists, squares) = output.lists((0..boards.len()).map(count).sum())?;
        let (squares, mut start) = (squares.into_numbers::<u8>(), 0);
        for (row, list) in lists.iter_mut().enumerate() {
            let length = count(row);
            *list = Elements { start: start as u64, length: length as u64 };
            let mut board = boards[row];
            for square in &mut squares[start..start + length] {
                *square = board.trailing_zeros() as u8;
                board &= board - 1;
            }
            start += length;
        }
        output.set_nulls((0..boards.len()).filter(|&row| !valid.is(row)));
        Ok(())
    }
}

/// The text of a move.
#[derive(Debug)]
struct MoveTexts;

impl Scalar for MoveTexts {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (moves, valid) = (input.numbers::<u16>(0), input.valid(0));
        for (row, &mv) in moves.iter().enumerate().filter(|&(row, _)| valid.is(row)) {
            output.set_text(row, Move::from_bits(mv).encode_uci(&mut [0; 5]).as_bytes());
        }
        output.set_nulls((0..moves.len()).filter(|&row| !valid.is(row)));
        Ok(())
    }
}

/// The bits of the numbers that wait to be added.
const PLANES: usize = 8;
/// How many bitboards may wait, so that the numbers have no more bits.
const MOST: u64 = (1 << PLANES) - 1;

/// The aggregate.
#[derive(Debug)]
struct CountSquares;

/// How many bitboards have had each square so far.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
struct SquareCounts {
    counts: [u64; 64],
    /// The same for the last bitboards, of all squares side by side: bit *i* of plane *p* is bit *p* of the number of square *i*.
    planes: [u64; PLANES],
    /// How many bitboards these are.
    waiting: u64,
}

impl SquareCounts {
    /// Adds one bitboard to the planes.
    fn add(&mut self, mut carries: u64, from: usize) {
        for plane in &mut self.planes[from..] {
            (*plane, carries) = (*plane ^ carries, *plane & carries);
            if carries == 0 {
                break;
            }
        }
    }

    /// Adds what waits to the counts.
    fn flush(&mut self) {
        for (square, count) in self.counts.iter_mut().enumerate() {
            *count += (0..PLANES).map(|plane| (self.planes[plane] >> square & 1) << plane).sum::<u64>();
        }
        self.planes = [0; PLANES];
        self.waiting = 0;
    }
}

/// The sums of three bits, in each of 64 places, and the carries.
fn sums([a, b, c]: [u64; 3]) -> [u64; 2] {
    [a ^ b ^ c, a & b | (a ^ b) & c]
}

impl Aggregate for CountSquares {
    type State = SquareCounts;

    fn update(state: &mut SquareCounts, values: &[u64]) {
        let (eights, rest) = values.as_chunks::<8>();
        for eight in eights {
            if state.waiting + 8 > MOST {
                state.flush();
            }
            state.waiting += 8;
            // Eight bitboards become one carry to the plane of eights: 7 sums, where one after the other takes 8 or more steps each.
            let [ones, twos_a] = sums([state.planes[0], eight[0], eight[1]]);
            let [ones, twos_b] = sums([ones, eight[2], eight[3]]);
            let [twos, fours_a] = sums([state.planes[1], twos_a, twos_b]);
            let [ones, twos_a] = sums([ones, eight[4], eight[5]]);
            let [ones, twos_b] = sums([ones, eight[6], eight[7]]);
            let [twos, fours_b] = sums([twos, twos_a, twos_b]);
            let [fours, carries] = sums([state.planes[2], fours_a, fours_b]);
            state.planes[..3].copy_from_slice(&[ones, twos, fours]);
            state.add(carries, 3);
        }
        for &board in rest {
            if state.waiting == MOST {
                state.flush();
            }
            state.waiting += 1;
            state.add(board, 0);
        }
    }

    fn combine(state: &mut SquareCounts, other: &SquareCounts) {
        let mut other = *other;
        other.flush();
        state.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
    }

    fn finish<'a>(
        states: impl ExactSizeIterator<Item = &'a SquareCounts>,
        mut output: OutputVector<'_>,
        from: usize,
    ) -> Result<()> {
        let before = output.elements();
        let (lists, numbers) = output.lists(before + 64 * states.len())?;
        let numbers = &mut numbers.into_numbers::<u64>()[before..];
        for ((state, numbers), place) in states.zip(numbers.as_chunks_mut::<64>().0).zip(0..) {
            let mut state = *state;
            state.flush();
            *numbers = state.counts;
            lists[from + place] = Elements { start: (before + 64 * place) as u64, length: 64 };
        }
        Ok(())
    }
}
