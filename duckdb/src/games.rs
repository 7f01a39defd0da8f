//! `game_positions(movetext)`: the positions of a game, as a list.

use anyhow::{Result, bail};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use slider_attacks_arrow::{Integers, OnError, Plan, Product};
use slider_attacks_files::batches::{GameTexts, Request};
use slider_attacks_files::games::Games;

use crate::arrays::write;
use crate::options::Shared;
use crate::positions::quoted;
use crate::register::{Connection, Scalar, scalar};
use crate::types::{Plain, Type};
use crate::vectors::{Elements, Input, Output};

/// What each position has.
const COLUMNS: [&str; 7] = ["ply", "san", "uci", "eval", "mate", "clk", "fen"];

/// How many games are read at a time.
const GAMES: usize = 128;

#[derive(Debug)]
struct GamePositions {
    games: GameTexts,
    options: Shared,
}

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &Shared) -> Result<()> {
    let request = Request {
        inputs: Vec::new(),
        with_file: false,
        from: None,
        column: String::new(),
        keep: COLUMNS.map(str::to_owned).into(),
        games: Games::default(),
        after_first_move: false,
        boards: false,
        plan: Plan::new([Product::Maps; 0]),
        integers: Integers::Unsigned,
        on_error: OnError::Null,
        rows: 1,
        threads: 1,
        by_place: false,
    };
    let games = GameTexts::new(request)?;
    let fields = games.read([].into_iter(), 0)?.batch.schema();
    let fields = fields.fields()[1..].iter().map(|field| Ok((field.name().clone(), Type::of(field.data_type())?)));
    let result = Type::list(Type::Struct(fields.collect::<Result<_>>()?));
    scalar(to, "game_positions", &[Plain::Text.into()], result, GamePositions { games, options: options.clone() })
}

impl Scalar for GamePositions {
    fn call(&self, input: Input<'_>, mut output: Output<'_>) -> Result<()> {
        let (texts, fails) = (input.texts(0), self.options.get().fails);
        let mut nulls: Vec<usize> = (0..input.rows()).filter(|&row| texts.get(row).is_none()).collect();
        for start in (0..input.rows()).step_by(GAMES) {
            let games = start..input.rows().min(start + GAMES);
            let found = self.games.read(games.clone().map(|row| texts.get(row)), start as u64)?;
            if let Some(wrong) = found.wrong.first().filter(|_| fails) {
                let text = texts.get(wrong.number as usize).unwrap_or_default();
                let what = wrong.what.strip_prefix("field \"movetext\"").unwrap_or(&wrong.what);
                bail!("{}: {}", what.trim_start_matches([',', ':', ' ']), quoted(text));
            }
            nulls.extend(found.wrong.iter().map(|wrong| wrong.number as usize));
            let rows = found.batch.column(0).as_primitive::<UInt64Type>().values();
            let before = output.elements();
            let (lists, mut positions) = output.lists(before + rows.len())?;
            let mut first = 0;
            for game in games {
                let length = rows[first..].iter().take_while(|&&row| row == game as u64).count();
                lists[game] = Elements { start: (before + first) as u64, length: length as u64 };
                first += length;
            }
            for (field, column) in positions.fields().iter_mut().zip(&found.batch.columns()[1..]) {
                write(column, field, before)?;
            }
        }
        output.set_nulls(nulls.iter().copied());
        Ok(())
    }
}
