//! `read_games('games.pgn.zst')`: a row for each game of files, with its tags, moves, evaluations and clocks.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Int64Array, PrimitiveArray, RecordBatch, StringArray, UInt64Array};
use arrow_select::interleave::interleave;
use slider_attacks_arrow::{OnError, Product};
use slider_attacks_files::Input;
use slider_attacks_formats::error::printable;
use slider_attacks_formats::games::game_rows::COLUMNS;
use slider_attacks_rows::batches::{Request, Sample, SharedRows, ThreadRows};

use crate::arrays::{each_text, write};
use crate::file_system::{DatabaseFiles, again};
use crate::guess::GuessedType;
use crate::hive::DirectoryColumns;
use crate::options::{self, SharedOptions};
use crate::read::{ALL, FILE_PARAMETERS, FILENAME, FileCall, different_names, file_call, is_plain_text};
use crate::register::{Connection, FunctionCall, TableFunction, table};
use crate::types::{PlainType, TableColumns, Type};
use crate::vectors::OutputVector;

/// The function.
#[derive(Debug)]
struct ReadGames(SharedOptions);

/// Its name.
pub const NAME: &str = "read_games";

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let own = FILE_PARAMETERS.into_iter().chain([("column_name", PlainType::Text)]);
    let own = own.map(|(name, kind)| (name, kind.into()));
    let on_error = options::parameters().into_iter().filter(|(name, _)| *name == "on_error");
    let parameters: Vec<(&str, Type)> = own.chain(on_error).collect();
    table(to, NAME, Some(PlainType::Any), &parameters, ReadGames(options.clone()))
}

/// The inputs, and the source of each column.
#[derive(Debug)]
struct BoundGames {
    request: Request,
    files: Option<DatabaseFiles>,
    columns: Vec<GameField>,
    directories: Arc<DirectoryColumns>,
}

/// What a column of a game has.
#[derive(Clone, Debug, PartialEq)]
enum GameField {
    File,
    /// The number of the game, or of the row of a table.
    Number,
    Tag(String, Option<GuessedType>),
    Result,
    Plies,
    Movetext,
    Evals,
    Mates,
    Clocks,
    Error,
    Directory(usize),
}

/// The columns that are made of the moves, in their order.
fn fields_of_moves() -> [(&'static str, GameField, Type); 6] {
    [
        ("result", GameField::Result, PlainType::Text.into()),
        ("plies", GameField::Plies, PlainType::I64.into()),
        ("movetext", GameField::Movetext, PlainType::Text.into()),
        ("evals", GameField::Evals, Type::list(PlainType::I64)),
        ("mates", GameField::Mates, Type::list(PlainType::I64)),
        ("clocks", GameField::Clocks, Type::list(PlainType::F64)),
    ]
}

/// The columns of positions that make up a game, before its tags.
const KEPT: [&str; 7] = ["ply", "fullmove", "san", "eval", "mate", "clk", "result"];

/// A run: the rows of positions. A block of them has whole games.
#[derive(Debug)]
struct GamesRun {
    rows: SharedRows,
    columns: Vec<GameField>,
    /// The tags that are kept, in their order.
    tags: Vec<String>,
    skips: bool,
    directories: Arc<DirectoryColumns>,
}

/// A game whose last position may not have come yet.
#[derive(Debug)]
struct OpenGame {
    /// Its first row.
    first: RecordBatch,
    game: GameMoves,
}

/// What is known of the moves of a game.
#[derive(Debug, Default)]
struct GameMoves {
    plies: i64,
    /// That of the last position.
    last_ply: Option<i64>,
    fullmove: i64,
    movetext: String,
    evals: Vec<Option<i64>>,
    mates: Vec<Option<i64>>,
    clocks: Vec<Option<f64>>,
    error: Option<String>,
}

/// The rows of a thread, the game that the next ones may go on, and games that wait for their chunk.
#[derive(Debug, Default)]
struct ThreadGames {
    rows: ThreadRows,
    open: Option<OpenGame>,
    taken: TakenGames,
}

/// Games that wait for their chunk.
#[derive(Debug, Default)]
struct TakenGames {
    /// A column for each that is wanted.
    columns: Vec<ArrayRef>,
    /// Where each game is from, for messages.
    origins: Vec<String>,
    rows: usize,
    done: usize,
}

impl TableFunction for ReadGames {
    type Bound = BoundGames;
    type Run = GamesRun;
    type Part = ThreadGames;

    fn bind(&self, call: &FunctionCall) -> Result<(BoundGames, TableColumns, u64)> {
        let FileCall { request, files, directories, keeps_text, known_tags } = file_call(call, self.0.get())?;
        let shows_file = request.with_file;
        // The names of files tell games apart, and errors name them.
        let request = Request { with_file: true, boards: false, ..request };
        let plan = request.plan.clone().what([Product::Maps; 0]);
        let request = Request { plan, on_error: request.on_error, ..request };
        let wanted = [ALL.to_owned()];
        let own = KEPT.iter().map(|&name| name.to_owned());
        let keep = if request.keep == wanted { request.keep.clone() } else { own.chain(tags(&request.keep)).collect() };
        let sample = Sample::new(Request { keep, ..request.clone() }, known_tags)?;
        let schema = &sample.schema;
        if KEPT.iter().any(|name| schema.index_of(name).is_err()) {
            let name = request.inputs.first().map(Input::display_name).unwrap_or_default();
            bail!(
                "{name} has positions and no games: `read_positions` reads it, or `column_name` names the column with games"
            );
        }
        let mut columns = vec![("game".to_owned(), GameField::Number, PlainType::U64.into())];
        if shows_file {
            columns.insert(0, (FILENAME.to_owned(), GameField::File, PlainType::Text.into()));
        }
        let first_kept = place_of_kept(0);
        let others = usize::from(request.on_error == OnError::Report);
        for place in first_kept..schema.fields().len() - others {
            let field = schema.field(place);
            if COLUMNS.iter().any(|(name, _)| name == field.name()) {
                continue;
            }
            let guess = if !sample.is_typed && !keeps_text && is_plain_text(field.data_type()) {
                GuessedType::of(field.name(), sample.first.iter().map(|batch| &**batch.column(place)))?
            } else {
                None
            };
            let kind = guess.map_or_else(|| Type::of(field.data_type()), |guess| Ok(guess.kind()));
            let kind = kind.with_context(|| format!("column {:?}: name others in `keep`", field.name()))?;
            columns.push((field.name().clone(), GameField::Tag(field.name().clone(), guess), kind));
        }
        columns.extend(fields_of_moves().map(|(name, field, kind)| (name.to_owned(), field, kind)));
        if request.on_error == OnError::Report {
            columns.push((OnError::COLUMN.to_owned(), GameField::Error, PlainType::Text.into()));
        }
        for (place, (name, kind)) in directories.columns.iter().enumerate() {
            columns.push((name.clone(), GameField::Directory(place), kind.clone()));
        }
        let names: Vec<(&str, bool)> =
            columns.iter().map(|(name, field, _)| (name.as_str(), matches!(field, GameField::Tag(..)))).collect();
        let types = different_names(&names).into_iter().zip(columns.iter().map(|(_, _, kind)| kind.clone())).collect();
        let columns = columns.into_iter().map(|(_, field, _)| field).collect();
        let rows = games_of(&sample);
        Ok((BoundGames { request, files, columns, directories }, types, rows))
    }

    fn begin(&self, bound: &BoundGames, columns: &[usize]) -> Result<(GamesRun, usize)> {
        let columns: Vec<GameField> = columns.iter().map(|&column| bound.columns[column].clone()).collect();
        let tags: Vec<String> = columns
            .iter()
            .filter_map(|column| if let GameField::Tag(name, _) = column { Some(name.clone()) } else { None })
            .collect();
        let keep = KEPT.iter().map(|&name| name.to_owned()).chain(tags.iter().cloned()).collect();
        // A malformed game is known by its row, so that the moves before the mistake do not look like all of them.
        let on_error = if bound.request.on_error == OnError::Fail { OnError::Fail } else { OnError::Report };
        let inputs = again(&bound.request.inputs, bound.files.as_ref());
        let request = Request { inputs, keep, on_error, ..bound.request.clone() };
        let skips = bound.request.on_error == OnError::Skip;
        let (threads, rows) = (request.threads, SharedRows::open(request)?);
        Ok((GamesRun { rows, columns, tags, skips, directories: bound.directories.clone() }, threads))
    }

    fn next(&self, run: &GamesRun, part: &mut ThreadGames, outputs: &mut [OutputVector<'_>]) -> Result<usize> {
        let ThreadGames { rows, open, taken: part } = part;
        while part.done == part.rows {
            let batch = run.rows.next(rows)?;
            if batch.is_none() && open.is_none() {
                return Ok(0);
            }
            *part = run.games(open, batch)?;
        }
        let rows = crate::register::chunk_rows().min(part.rows - part.done);
        for ((column, array), output) in run.columns.iter().zip(&part.columns).zip(outputs) {
            let array = array.slice(part.done, rows);
            match column {
                GameField::Tag(name, Some(guess)) => {
                    let origin = |row| Ok(format!("{}, column {name:?}", part.origins[part.done + row]));
                    guess.write(&array, output, origin)?;
                }
                GameField::Directory(place) => run.directories.write(*place, &array, output)?,
                _ => write(&array, output, 0)?,
            }
        }
        part.done += rows;
        Ok(rows)
    }
}

/// The names that are none of columns made of the moves.
fn tags(names: &[String]) -> impl Iterator<Item = String> {
    let others = names.iter().filter(|name| !KEPT.iter().any(|own| own.eq_ignore_ascii_case(name)));
    others.cloned().collect::<Vec<_>>().into_iter()
}

/// About how many games there are: as many per position as in the first blocks.
fn games_of(sample: &Sample) -> u64 {
    let (mut games, mut rows, mut last) = (0, 0, None);
    for batch in &sample.first {
        let line =
            batch.schema().index_of("line").ok().and_then(|place| batch.column(place).as_primitive_opt().cloned());
        let line: Option<UInt64Array> = line;
        for number in line.iter().flat_map(|line| line.values()) {
            games += u64::from(last.replace(*number) != Some(*number));
            rows += 1;
        }
    }
    sample.rows * games / u64::max(rows, 1)
}

/// The numbers of a column.
fn numbers<T: ArrowPrimitiveType>(batch: &RecordBatch, column: usize) -> Result<&PrimitiveArray<T>> {
    batch.column(column).as_primitive_opt().ok_or_else(|| anyhow!("column {column} of games has no numbers"))
}

/// The texts of a column.
fn texts(array: &dyn Array) -> Result<StringArray> {
    if let Some(texts) = array.as_string_opt() {
        return Ok(texts.clone());
    }
    let mut texts = StringBuilder::new();
    each_text(array, &mut |_, text| {
        texts.append_option(text);
        Ok(())
    })?;
    Ok(texts.finish())
}

/// The rows of a batch that make up games, in columns.
struct ColumnsOfMoves {
    /// All rows of a batch are of one file.
    file: String,
    lines: UInt64Array,
    plies: Int64Array,
    fullmoves: Int64Array,
    sans: StringArray,
    evals: Int64Array,
    mates: Int64Array,
    clocks: PrimitiveArray<Float64Type>,
    errors: Option<StringArray>,
}

/// The place of a column of [`KEPT`], after the names of files and the numbers of games.
fn place_of_kept(kept: usize) -> usize {
    2 + kept
}

/// The file and the number of the game of a row.
fn file_and_number(batch: &RecordBatch, row: usize) -> Result<(String, u64)> {
    let file = texts(&batch.column(0).slice(row, 1))?.value(0).to_owned();
    Ok((file, numbers::<UInt64Type>(batch, 1)?.value(row)))
}

impl GamesRun {
    fn columns_of(&self, batch: &RecordBatch) -> Result<ColumnsOfMoves> {
        let number = |kept| numbers::<Int64Type>(batch, place_of_kept(kept)).cloned();
        let after_tags = place_of_kept(KEPT.len() + self.tags.len());
        Ok(ColumnsOfMoves {
            file: file_and_number(batch, 0)?.0,
            lines: numbers::<UInt64Type>(batch, 1)?.clone(),
            plies: number(0)?,
            fullmoves: number(1)?,
            sans: texts(batch.column(place_of_kept(2)))?,
            evals: number(3)?,
            mates: number(4)?,
            clocks: numbers(batch, place_of_kept(5))?.clone(),
            errors: batch.columns().get(after_tags).map(|errors| texts(errors)).transpose()?,
        })
    }

    /// The games that end in a batch, or before it. Without a batch, the last one ends.
    fn games(&self, open: &mut Option<OpenGame>, batch: Option<RecordBatch>) -> Result<TakenGames> {
        let before = open.as_ref().map(|open| open.first.clone());
        let mut ended = Vec::new();
        if let Some(batch) = &batch {
            let columns = self.columns_of(batch)?;
            let mut begun = open.take().map(|open| (None, open.game));
            let last = before.as_ref().map(|first| file_and_number(first, 0)).transpose()?;
            for row in 0..batch.num_rows() {
                let has_same_key = match row {
                    0 => last.as_ref().is_some_and(|(file, number)| columns.key(0) == (file, *number)),
                    _ => columns.key(row) == columns.key(row - 1),
                };
                if !has_same_key || begun.as_ref().is_none_or(|(_, game)| !game.may_go_on(&columns, row)) {
                    ended.extend(begun.replace((Some(row), GameMoves::default())));
                }
                if let Some((_, game)) = &mut begun {
                    game.add(&columns, row);
                }
            }
            let first = |row: Option<usize>| match (row, &before) {
                (None, Some(before)) => before.clone(),
                (row, _) => batch.slice(row.unwrap_or(0), 1),
            };
            *open = begun.map(|(row, game)| OpenGame { first: first(row), game });
        } else {
            ended.extend(open.take().map(|open| (None, open.game)));
        }
        let empty = || before.as_ref().map(|before| before.slice(0, 0));
        let Some(batch) = batch.or_else(empty) else { return Ok(TakenGames::default()) };
        ended.retain(|(_, game)| game.error.is_none() || !self.skips);
        self.taken(&ended, before.as_ref().unwrap_or(&batch), &batch)
    }

    /// The columns of games. Each begins at a row of `batch`, or is that of the only row of `before`.
    fn taken(
        &self,
        games: &[(Option<usize>, GameMoves)],
        before: &RecordBatch,
        batch: &RecordBatch,
    ) -> Result<TakenGames> {
        let places: Vec<(usize, usize)> = games.iter().map(|(row, _)| row.map_or((0, 0), |row| (1, row))).collect();
        let first = |column: usize| interleave(&[before.column(column), batch.column(column)], &places);
        let mut tag = place_of_kept(KEPT.len());
        let mut columns = Vec::new();
        for column in &self.columns {
            let all = || games.iter().map(|(_, game)| game);
            let known = || all().map(|game| game.error.is_none().then_some(game));
            columns.push(match column {
                GameField::File | GameField::Directory(_) => first(0)?,
                GameField::Number => first(1)?,
                GameField::Tag(..) => {
                    tag += 1;
                    first(tag - 1)?
                }
                GameField::Result => first(place_of_kept(6))?,
                GameField::Plies => Arc::new(known().map(|game| game.map(|game| game.plies)).collect::<Int64Array>()),
                GameField::Movetext => {
                    Arc::new(known().map(|game| game.map(|game| &game.movetext)).collect::<StringArray>())
                }
                GameField::Evals => lists(Int64Builder::new(), known().map(|game| game.map(|game| &game.evals))),
                GameField::Mates => lists(Int64Builder::new(), known().map(|game| game.map(|game| &game.mates))),
                GameField::Clocks => lists(Float64Builder::new(), known().map(|game| game.map(|game| &game.clocks))),
                GameField::Error => Arc::new(all().map(|game| game.error.as_deref()).collect::<StringArray>()),
            });
        }
        let has_guesses = self.columns.iter().any(|column| matches!(column, GameField::Tag(_, Some(_))));
        let mut origins = Vec::new();
        for &(source, row) in places.iter().filter(|_| has_guesses) {
            let (file, number) = file_and_number(if source == 0 { before } else { batch }, row)?;
            origins.push(format!("{}, game {number}", printable(&file)));
        }
        Ok(TakenGames { columns, origins, rows: games.len(), done: 0 })
    }
}

impl ColumnsOfMoves {
    /// The file and the number of the game of a row.
    fn key(&self, row: usize) -> (&str, u64) {
        (&self.file, self.lines.value(row))
    }
}

/// The value of a row, if it has one.
fn value<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    array.is_valid(row).then(|| array.value(row))
}

impl GameMoves {
    /// Whether a row that has the same file and number may belong to the game: a file may be read twice in succession.
    fn may_go_on(&self, columns: &ColumnsOfMoves, row: usize) -> bool {
        self.error.is_none() && value(&columns.plies, row).is_none_or(|ply| self.last_ply.is_none_or(|last| ply > last))
    }

    /// Adds a position, or the mistake that ends the game.
    fn add(&mut self, columns: &ColumnsOfMoves, row: usize) {
        if let Some(errors) = columns.errors.as_ref().filter(|errors| errors.is_valid(row)) {
            self.error = Some(errors.value(row).to_owned());
            return;
        }
        let fullmove = value(&columns.fullmoves, row).unwrap_or_default();
        if columns.sans.is_valid(row) && value(&columns.plies, row) > Some(0) {
            // Black's moves end a move, whose number is then higher.
            let is_white = fullmove == self.fullmove;
            let first = self.movetext.is_empty();
            let space = if first { "" } else { " " };
            let number = self.fullmove;
            match (is_white, first) {
                (true, _) => write!(self.movetext, "{space}{number}. "),
                (false, true) => write!(self.movetext, "{number}... "),
                (false, false) => write!(self.movetext, " "),
            }
            .expect("a text takes anything");
            self.movetext.push_str(columns.sans.value(row));
            self.plies += 1;
            self.evals.push(value(&columns.evals, row));
            self.mates.push(value(&columns.mates, row));
            self.clocks.push(value(&columns.clocks, row));
        }
        self.fullmove = fullmove;
        self.last_ply = value(&columns.plies, row);
    }
}

/// A list for each game, which is null if none of its values is known or the game is malformed.
fn lists<'a, T: ArrowPrimitiveType>(
    values: PrimitiveBuilder<T>,
    games: impl Iterator<Item = Option<&'a Vec<Option<T::Native>>>>,
) -> ArrayRef {
    let mut lists = ListBuilder::new(values);
    for game in games {
        let game = game.filter(|game| game.iter().any(Option::is_some));
        lists.values().extend(game.into_iter().flatten().copied());
        lists.append(game.is_some());
    }
    Arc::new(lists.finish())
}
