//! `game_positions(movetext)`: the positions of a game, as a list; `game_positions(movetext, fen)`: of one that starts from this
//! position.

use std::sync::Arc;

use anyhow::{Result, bail};
use arrow_array::Array as _;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use slider_attacks_arrow::OnError;
use slider_attacks_rows::batches::{GameTexts, Request};

use crate::arrays::write;
use crate::options::SharedOptions;
use crate::positions::quoted;
use crate::register::{Connection, Scalar, overload, overloads};
use crate::types::{PlainType, Type};
use crate::vectors::{Elements, InputChunk, OutputVector};

/// The fields of each position.
const COLUMNS: [&str; 7] = ["ply", "san", "uci", "eval", "mate", "clk", "fen"];

/// The error of the game, in a last element without a position.
const ERROR: &str = "error";

/// How many games are read at a time.
const GAMES: usize = 128;

/// The function; `WITH_START` is whether it has the second parameter.
#[derive(Clone, Debug)]
struct GamePositionsFunction<const WITH_START: bool> {
    games: Arc<GameTexts>,
    options: SharedOptions,
}

/// Adds the function, with one parameter and with two.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let request = Request { keep: COLUMNS.map(str::to_owned).into(), on_error: OnError::Null, ..Request::default() };
    let games = Arc::new(GameTexts::new(request)?);
    let fields = games.read([].into_iter(), 0)?.batch.schema();
    let fields = fields.fields()[1..].iter().map(|field| Ok((field.name().clone(), Type::of(field.data_type())?)));
    let fields = fields.chain([Ok((ERROR.to_owned(), PlainType::Text.into()))]);
    let result = Type::list(Type::Struct(fields.collect::<Result<_>>()?));
    let (one, two): (Type, [Type; 2]) = (PlainType::Text.into(), [PlainType::Text.into(), PlainType::Text.into()]);
    const NAME: &str = "game_positions";
    let first = GamePositionsFunction::<false> { games: games.clone(), options: options.clone() };
    let second = GamePositionsFunction::<true> { games, options: options.clone() };
    overloads(to, NAME, [overload(NAME, &[one], result.clone(), first), overload(NAME, &two, result, second)])
}

impl<const WITH_START: bool> Scalar for GamePositionsFunction<WITH_START> {
    const TAKES_NULLS: bool = WITH_START;

    fn call(&self, input: InputChunk<'_>, mut output: OutputVector<'_>) -> Result<()> {
        let (texts, fails) = (input.texts(0), self.options.get().fails);
        let starts = WITH_START.then(|| input.texts(1));
        let game = |row: usize| (texts.get(row), starts.and_then(|starts| starts.get(row)));
        for start in (0..input.rows()).step_by(GAMES) {
            let games = start..input.rows().min(start + GAMES);
            let found = self.games.read(games.clone().map(game), start as u64)?;
            if let Some(wrong) = found.wrong.first().filter(|_| fails) {
                let (text, start) = game(wrong.number as usize);
                let start = start.map_or(String::new(), |start| format!(", from {}", quoted(start)));
                bail!("{}: {}{start}", of_argument(&wrong.what), quoted(text.unwrap_or_default()));
            }
            let rows = found.batch.column(0).as_primitive::<UInt64Type>().values();
            let before = output.elements();
            let (lists, mut positions) = output.lists(before + rows.len())?;
            let mut first = 0;
            for game in games {
                let length = rows[first..].iter().take_while(|&&row| row == game as u64).count();
                lists[game] = Elements { start: (before + first) as u64, length: length as u64 };
                first += length;
            }
            let mut fields = positions.fields();
            let (errors, fields) = fields.split_last_mut().expect("there are columns");
            let columns = &found.batch.columns()[1..];
            for (field, column) in fields.iter_mut().zip(columns) {
                write(column, field, before)?;
            }
            // Each error is a row without a position.
            let fens = columns.last().expect("the last one has the positions");
            for (row, wrong) in (0..rows.len()).filter(|&row| fens.is_null(row)).zip(&found.wrong) {
                errors.set_text(before + row, of_argument(&wrong.what));
            }
            errors.set_nulls((0..rows.len()).filter(|&row| fens.is_valid(row)).map(|row| before + row));
        }
        output.set_nulls((0..input.rows()).filter(|&row| texts.get(row).is_none()));
        Ok(())
    }
}

/// The error, without the name of a column, which may have another name in the query.
fn of_argument(what: &str) -> &str {
    let rest = what.strip_prefix(&format!("field \"{}\"", GameTexts::COLUMN)).unwrap_or(what);
    rest.trim_start_matches([',', ':', ' '])
}
