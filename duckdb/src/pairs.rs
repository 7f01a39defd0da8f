//! `queen_attacks(square, occ)`, `rook_attacks` and `bishop_attacks`.

use std::borrow::Cow;

use anyhow::{Result, bail};
use slider_attacks::{BatchError, Slider};

use crate::options::SharedOptions;
use crate::register::{Connection, Scalar, overload, overloads};
use crate::types::{PlainType, Type};
use crate::vectors::{InputChunk, OutputVector};

/// The attack sets of a slider.
#[derive(Clone, Debug)]
struct Pairs {
    slider: Slider,
    options: SharedOptions,
}

/// Adds the functions of pairs.
///
/// # Errors
///
/// DuckDB has one of them.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let squares = [PlainType::U8, PlainType::I64];
    let boards = [PlainType::U64, PlainType::I64];
    for slider in Slider::ALL {
        let (name, function) = (format!("{slider}_attacks"), Pairs { slider, options: options.clone() });
        let pairs = squares.iter().flat_map(|&square| boards.map(|board| [square.into(), board.into()]));
        let functions =
            pairs.map(|parameters: [Type; 2]| overload(&name, &parameters, PlainType::U64.into(), function.clone()));
        overloads(to, &name, functions)?;
    }
    Ok(())
}

/// The squares in a column, where one that is not on the board is 64 or more.
pub fn squares<'a>(input: InputChunk<'a>, column: usize) -> Cow<'a, [u8]> {
    if *input.kind(column) == PlainType::U8.into() {
        return input.numbers(column).into();
    }
    input.numbers::<i64>(column).iter().map(|&square| square.try_into().unwrap_or(u8::MAX)).collect()
}

impl Scalar for Pairs {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let options = self.options.get();
        // A BIGINT has the same 64 bits.
        let (squares, occs) = (&*squares(input, 0), input.numbers::<u64>(1));
        let (with_square, with_occ) = (input.valid(0), input.valid(1));
        let attacks =
            |squares: &[u8], out: &mut [u64]| options.backend.batch_slider_attacks(self.slider, squares, occs, out);
        if let Err(error) = attacks(squares, output.numbers()) {
            // Invalid squares may lie under nulls.
            let is_wrong = |row: usize| with_square.is(row) && with_occ.is(row) && squares[row] > 63;
            match (error, (0..squares.len()).find(|&row| is_wrong(row))) {
                (BatchError::SquareOutOfRange { .. }, Some(row)) if options.fails => {
                    let square = match input.kind(0) {
                        Type::Plain(PlainType::I64) => input.numbers::<i64>(0)[row],
                        _ => squares[row].into(),
                    };
                    bail!("square {square} is not on the board")
                }
                (BatchError::SquareOutOfRange { .. }, _) => {}
                (error, _) => return Err(error.into()),
            }
            let clean: Vec<u8> = squares.iter().map(|&square| square.min(63)).collect();
            attacks(&clean, output.numbers())?;
            output.set_nulls((0..squares.len()).filter(|&row| squares[row] > 63));
        }
        if !(with_square.are_all() && with_occ.are_all()) {
            output.set_nulls((0..squares.len()).filter(|&row| !(with_square.is(row) && with_occ.is(row))));
        }
        Ok(())
    }
}
