//! `queen_attacks(square, occ)`, `rook_attacks` and `bishop_attacks`.

use anyhow::{Result, bail};
use slider_attacks::{BatchError, Slider};

use crate::options::SharedOptions;
use crate::register::{Connection, Scalar, scalar};
use crate::types::{PlainType, Type};
use crate::vectors::{InputChunk, OutputVector};

/// The attack sets of a slider.
#[derive(Debug)]
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
    let parameters: [Type; 2] = [PlainType::U8.into(), PlainType::U64.into()];
    for slider in Slider::ALL {
        let function = Pairs { slider, options: options.clone() };
        scalar(to, &format!("{slider}_attacks"), &parameters, PlainType::U64.into(), function)?;
    }
    Ok(())
}

impl Scalar for Pairs {
    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let options = self.options.get();
        let (squares, occs) = (input.numbers::<u8>(0), input.numbers::<u64>(1));
        let (with_square, with_occ) = (input.valid(0), input.valid(1));
        let attacks =
            |squares: &[u8], out: &mut [u64]| options.backend.batch_slider_attacks(self.slider, squares, occs, out);
        if let Err(error) = attacks(squares, output.numbers()) {
            // Invalid squares may lie under nulls.
            let is_wrong = |row: usize| with_square.is(row) && with_occ.is(row) && squares[row] > 63;
            match (error, (0..squares.len()).find(|&row| is_wrong(row))) {
                (BatchError::SquareOutOfRange { .. }, Some(row)) if options.fails => {
                    bail!("square {} is not on the board", squares[row])
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
