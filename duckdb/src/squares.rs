//! `squares(bitboard)`: the numbers of its squares; `count_squares(bitboard)`: how many bitboards of a group contain each
//! square; `uci(move)`: the text of a move; `square('e4')` and `square_name(28)`: the number of a square, and its name.

use anyhow::{Result, anyhow, bail};
use bytemuck::Zeroable;
use slider_attacks::Square;
use slider_attacks::moves::Move;

use crate::options::SharedOptions;
use crate::pairs::squares;
use crate::positions::quoted;
use crate::register::{Aggregate, Connection, Scalar, aggregate, overload, overloads, scalar};
use crate::types::{PlainType, Type};
use crate::vectors::{Elements, InputChunk, OutputVector};

/// Adds the functions.
///
/// # Errors
///
/// DuckDB has one of them.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let lists = [PlainType::U64, PlainType::I64];
    let lists = lists.map(|board| overload("squares", &[board.into()], Type::list(PlainType::U8), SquareLists));
    overloads(to, "squares", lists)?;
    let moves = [PlainType::U16, PlainType::I64];
    overloads(to, "uci", moves.map(|mv| overload("uci", &[mv.into()], PlainType::Text.into(), MoveTexts)))?;
    scalar(to, "square", &[PlainType::Text.into()], PlainType::U8.into(), SquareNumbers(options.clone()))?;
    let names = [PlainType::U8, PlainType::I64];
    let names = names
        .map(|square| overload("square_name", &[square.into()], PlainType::Text.into(), SquareNames(options.clone())));
    overloads(to, "square_name", names)?;
    aggregate::<CountSquares>(to, "count_squares", &Type::list(PlainType::U64))
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
        let valid = input.valid(0);
        for row in (0..input.rows()).filter(|&row| valid.is(row)) {
            let bits = match input.kind(0) {
                Type::Plain(PlainType::U16) => input.numbers::<u16>(0)[row],
                _ => {
                    let number = input.numbers::<i64>(0)[row];
                    // Columns of signed integers have the same bits.
                    let signed = i16::try_from(number).map(i16::cast_unsigned);
                    signed.or_else(|_| number.try_into()).map_err(|_| anyhow!("{number} is no move of 16 bits"))?
                }
            };
            output.set_text(row, Move::from_bits(bits).encode_uci(&mut [0; 5]));
        }
        output.set_nulls((0..input.rows()).filter(|&row| !valid.is(row)));
        Ok(())
    }
}

/// The number of a square.
#[derive(Debug)]
struct SquareNumbers(SharedOptions);

impl Scalar for SquareNumbers {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (names, fails, mut nulls) = (input.texts(0), self.0.get().fails, Vec::new());
        let numbers = output.numbers::<u8>();
        for (row, number) in numbers[..input.rows()].iter_mut().enumerate() {
            let Some(name) = names.get(row) else {
                nulls.push(row);
                continue;
            };
            let lower = name.to_ascii_lowercase();
            match str::from_utf8(&lower).ok().and_then(|name| name.parse::<Square>().ok()) {
                Some(square) => *number = square.index(),
                None if fails => bail!("expected a square, a1 to h8, found {}", quoted(name)),
                None => nulls.push(row),
            }
        }
        output.set_nulls(nulls.into_iter());
        Ok(())
    }
}

/// The name of a square.
#[derive(Debug)]
struct SquareNames(SharedOptions);

impl Scalar for SquareNames {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (numbers, valid, fails) = (squares(input, 0), input.valid(0), self.0.get().fails);
        let mut nulls = Vec::new();
        for (row, &number) in numbers.iter().enumerate() {
            match Square::new(number).filter(|_| valid.is(row)) {
                Some(square) => output.set_text(row, &square.to_string()),
                None if fails && valid.is(row) => bail!("a square that is not on the board"),
                None => nulls.push(row),
            }
        }
        output.set_nulls(nulls.into_iter());
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
