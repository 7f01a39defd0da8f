//! `read_positions('games.pgn.zst')`: the positions of files, as a table. Only the columns that a query uses are read or
//! computed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Context, Result, anyhow, ensure};
use arrow_array::types::UInt64Type;
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_schema::DataType;
use slider_attacks::position::{Color, Piece};
use slider_attacks_arrow::{Integers, MOST_THREADS, OnError, Plan, PositionArray, Product};
use slider_attacks_files::input::Shard;
use slider_attacks_files::keys::KeySelection;
use slider_attacks_formats::batch::MOVE;
use slider_attacks_formats::error::printable;
use slider_attacks_formats::games::{Condition, Games};
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_query::PositionQuery;
use slider_attacks_rows::batches::{Request, Sample, SharedRows, ThreadRows};
use slider_attacks_rows::conditions::RowChoice;

use crate::arrays::{each_text, write};
use crate::conditions::query;
use crate::file_system::{DatabaseFiles, FoundFiles, again};
use crate::guess::GuessedType;
use crate::hive::DirectoryColumns;
use crate::options::{self, DatabaseOptions, SharedOptions};
use crate::register::{Connection, FunctionCall, TableFunction, table};
use crate::types::{PlainType, TableColumns, Type};
use crate::vectors::{OutputVector, Value};

/// The name of the bitboards among the products.
const BOARDS: &str = "boards";

/// How many of them the product `pieces` has as well.
const BOARDS_OF_PIECES: usize = Color::ALL.len() * Piece::ALL.len();

/// The name that selects all columns of the input.
pub const ALL: &str = "all";

/// The name of the column with the names of files, as in other tables of DuckDB.
pub const FILENAME: &str = "filename";

/// The parameters of functions that read files, and their types.
pub const FILE_PARAMETERS: [(&str, PlainType); 8] = [
    ("keep", PlainType::Any),
    ("games", PlainType::Any),
    ("games_where", PlainType::Text),
    ("all_varchar", PlainType::Bool),
    ("allow_missing_tags", PlainType::Bool),
    ("filename", PlainType::Bool),
    ("hive_partitioning", PlainType::Bool),
    ("threads", PlainType::I64),
];

/// The function.
#[derive(Debug)]
struct ReadPositions(SharedOptions);

/// Its name.
pub const NAME: &str = "read_positions";

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let own = [
        ("what", PlainType::Any),
        ("column_name", PlainType::Text),
        ("format", PlainType::Text),
        ("variations", PlainType::Bool),
        ("from_ply", PlainType::I64),
        ("to_ply", PlainType::I64),
        ("every", PlainType::I64),
        ("after_first_move", PlainType::Bool),
        ("each_move", PlainType::Bool),
        ("positions_where", PlainType::Text),
        ("unique_by", PlainType::Text),
        ("unique_memory", PlainType::I64),
        ("key_shard", PlainType::Text),
    ];
    let own = own.into_iter().chain(FILE_PARAMETERS).map(|(name, kind)| (name, kind.into()));
    let parameters: Vec<(&str, Type)> = own.chain(options::parameters()).collect();
    table(to, NAME, Some(PlainType::Any), &parameters, ReadPositions(options.clone()))
}

/// The inputs, and the source of each column.
#[derive(Debug)]
struct Bound {
    request: Request,
    files: Option<DatabaseFiles>,
    columns: Vec<ColumnOrigin>,
    guesses: Vec<Option<GuessedType>>,
    directories: Arc<DirectoryColumns>,
}

/// Where a column comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ColumnOrigin {
    /// The name of the file.
    File,
    /// The number of the line.
    Line,
    /// The move that led to the position.
    Move,
    /// The column of the input that has this name.
    Kept(String),
    /// The bitboard at this place among all.
    Board(usize),
    /// The column at this place of a product.
    Product(Product, usize),
    /// Why there is no position.
    Error,
    /// The column at this place among those that directories give.
    Directory(usize),
}

/// The columns of what is read for a request, in their order, with their names. The input has these columns.
fn origins(request: &Request, kept: &[String]) -> Vec<(String, ColumnOrigin)> {
    let boards = PositionArray::boards_schema(Integers::Unsigned);
    let boards = boards.fields().iter().enumerate().filter(|_| request.boards);
    let products = request.plan.products().iter().flat_map(|&product| {
        let columns = product.columns().iter().enumerate();
        columns.map(move |(place, column)| (column.name().to_owned(), ColumnOrigin::Product(product, place)))
    });
    let first = request.with_file.then(|| (FILENAME.to_owned(), ColumnOrigin::File)).into_iter();
    let error = (request.on_error == OnError::Report).then(|| (OnError::COLUMN.to_owned(), ColumnOrigin::Error));
    let moves = request.each_move.then(|| (MOVE.to_owned(), ColumnOrigin::Move));
    first
        .chain([("line".to_owned(), ColumnOrigin::Line)])
        .chain(moves)
        .chain(kept.iter().map(|name| (name.clone(), ColumnOrigin::Kept(name.clone()))))
        .chain(boards.map(|(place, field)| (field.name().clone(), ColumnOrigin::Board(place))))
        .chain(products)
        .chain(error)
        .collect()
}

/// The names of the columns in SQL, which ignores case. Where several have one name, that of the function itself keeps it, or else
/// the first. The others get `_1`, `_2` and so on, as DuckDB does it in other tables.
fn names(columns: &[(String, ColumnOrigin)]) -> Vec<String> {
    let kept = columns.iter().map(|(name, origin)| (name.as_str(), matches!(origin, ColumnOrigin::Kept(_))));
    different_names(&kept.collect::<Vec<_>>())
}

/// See [`names`]: the names, and whether each is that of a column that was kept.
pub fn different_names(columns: &[(&str, bool)]) -> Vec<String> {
    let all: HashSet<String> = columns.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    let (mut taken, mut next) = (HashSet::new(), HashMap::<String, usize>::new());
    let mut names: Vec<String> = columns.iter().map(|&(name, _)| name.to_owned()).collect();
    for these in [false, true] {
        for (&(name, is_kept), new) in columns.iter().zip(&mut names) {
            let lower = name.to_ascii_lowercase();
            if is_kept != these || taken.insert(lower.clone()) {
                continue;
            }
            let number = next.entry(lower).or_default();
            loop {
                *number += 1;
                *new = format!("{name}_{number}");
                let lower = new.to_ascii_lowercase();
                if !all.contains(&lower) && taken.insert(lower) {
                    break;
                }
            }
        }
    }
    names
}

/// A run: what is left of the files, and how the wanted columns are found in its batches.
#[derive(Debug)]
struct ReadRun {
    rows: SharedRows,
    columns: Vec<RunColumn>,
    directories: Arc<DirectoryColumns>,
}

/// A wanted column: its place in batches, and how its values are found there.
#[derive(Debug)]
struct RunColumn {
    place: usize,
    name: String,
    values: ColumnValues,
}

#[derive(Clone, Copy, Debug)]
enum ColumnValues {
    AsTheyAre,
    Guessed(GuessedType),
    OfDirectory(usize),
}

/// Where a row of a batch is from, as messages say it. The first columns are the names of files and the numbers of lines.
fn place_of(batch: &RecordBatch, row: usize) -> String {
    let number = batch.column(1).as_primitive_opt::<UInt64Type>().map_or(0, |lines| lines.value(row));
    format!("{}, line {number}", printable(&slice_text(batch.column(0), row)))
}

/// The text of a row.
fn slice_text(array: &dyn Array, row: usize) -> String {
    let mut found = String::new();
    let mut take = |_, text: Option<&str>| {
        text.unwrap_or_default().clone_into(&mut found);
        Ok(())
    };
    let is_text = each_text(&*array.slice(row, 1), &mut take).is_ok();
    if is_text { found } else { String::new() }
}

/// The batch of a thread.
#[derive(Debug, Default)]
struct TakenBatch {
    rows: ThreadRows,
    batch: Option<RecordBatch>,
    done: usize,
}

impl TableFunction for ReadPositions {
    type Bound = Bound;
    type Run = ReadRun;
    type Part = TakenBatch;

    fn bind(&self, call: &FunctionCall) -> Result<(Bound, TableColumns, u64)> {
        let FileCall { request, files, directories, keeps_text, known_tags } = file_call(call, self.0.get())?;
        let Sample { schema, rows, first, is_typed } = Sample::new(request.clone(), known_tags)?;
        let found: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let before = usize::from(request.with_file) + 1 + usize::from(request.each_move);
        let others = origins(&request, &[]).len();
        let columns = origins(&request, &found[before..before + found.len() - others]);
        let has_pieces = request.plan.products().contains(&Product::Pieces);
        let (mut shown, mut types, mut guesses) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (column, field)) in columns.into_iter().zip(schema.fields()).enumerate() {
            // The product has the same columns.
            if has_pieces && matches!(column.1, ColumnOrigin::Board(board) if board < BOARDS_OF_PIECES) {
                continue;
            }
            let is_text = matches!(column.1, ColumnOrigin::Kept(_)) && !is_typed && !keeps_text;
            let guess = if is_text && is_plain_text(field.data_type()) {
                GuessedType::of(&column.0, first.iter().map(|batch| &**batch.column(place)))?
            } else {
                None
            };
            let kind = guess.map_or_else(|| Type::of(field.data_type()), |guess| Ok(guess.kind()));
            types.push(kind.with_context(|| format!("column {:?}: name others in `keep`", column.0))?);
            guesses.push(guess);
            shown.push(column);
        }
        for (place, (name, kind)) in directories.columns.iter().enumerate() {
            shown.push((name.clone(), ColumnOrigin::Directory(place)));
            types.push(kind.clone());
            guesses.push(None);
        }
        let types = names(&shown).into_iter().zip(types).collect();
        let columns = shown.into_iter().map(|(_, origin)| origin).collect();
        Ok((Bound { request, files, columns, guesses, directories }, types, rows))
    }

    fn begin(&self, bound: &Bound, columns: &[usize]) -> Result<(ReadRun, usize)> {
        let wanted: Vec<&ColumnOrigin> = columns.iter().map(|&column| &bound.columns[column]).collect();
        let mut keep: Vec<String> = wanted
            .iter()
            .filter_map(|origin| if let ColumnOrigin::Kept(name) = origin { Some(name.clone()) } else { None })
            .collect();
        if keep == [ALL] {
            // A column of this name alone would stand for all, so another one comes along.
            let another = |origin: &ColumnOrigin| match origin {
                ColumnOrigin::Kept(name) if name != ALL => Some(name.clone()),
                _ => None,
            };
            keep.extend(bound.columns.iter().find_map(another));
        }
        let products =
            wanted.iter().filter_map(|origin| if let ColumnOrigin::Product(it, _) = origin { Some(*it) } else { None });
        // Errors of guessed types name the file.
        let with_file = wanted.iter().any(|origin| matches!(origin, ColumnOrigin::File | ColumnOrigin::Directory(_)))
            || columns.iter().any(|&column| bound.guesses[column].is_some());
        let request = Request {
            inputs: again(&bound.request.inputs, bound.files.as_ref()),
            keep,
            with_file: with_file || bound.request.with_file,
            boards: wanted.iter().any(|origin| matches!(origin, ColumnOrigin::Board(_))),
            plan: bound.request.plan.clone().what(products.collect::<Vec<_>>()),
            ..bound.request.clone()
        };
        let threads = request.threads;
        let there: HashMap<ColumnOrigin, usize> =
            origins(&request, &request.keep).into_iter().map(|(_, origin)| origin).zip(0..).collect();
        let columns = columns.iter().zip(wanted).map(|(&column, origin)| match (origin, bound.guesses[column]) {
            (&ColumnOrigin::Directory(place), _) => {
                RunColumn { place: 0, name: String::new(), values: ColumnValues::OfDirectory(place) }
            }
            (ColumnOrigin::Kept(name), Some(guess)) => {
                RunColumn { place: there[origin], name: name.clone(), values: ColumnValues::Guessed(guess) }
            }
            _ => RunColumn { place: there[origin], name: String::new(), values: ColumnValues::AsTheyAre },
        });
        let columns = columns.collect();
        let rows = SharedRows::open(request)?;
        Ok((ReadRun { rows, columns, directories: bound.directories.clone() }, threads))
    }

    fn next(&self, run: &ReadRun, part: &mut TakenBatch, outputs: &mut [OutputVector<'_>]) -> Result<usize> {
        let room = crate::register::chunk_rows();
        if part.batch.as_ref().is_none_or(|batch| part.done == batch.num_rows()) {
            (part.batch, part.done) = (run.rows.next(&mut part.rows)?, 0);
        }
        let Some(batch) = &part.batch else { return Ok(0) };
        let rows = room.min(batch.num_rows() - part.done);
        for (RunColumn { place, name, values }, output) in run.columns.iter().zip(outputs) {
            let array = batch.column(*place).slice(part.done, rows);
            match *values {
                ColumnValues::AsTheyAre => write(&array, output, 0)?,
                ColumnValues::OfDirectory(column) => run.directories.write(column, &array, output)?,
                ColumnValues::Guessed(kind) => {
                    let origin = |row| Ok(format!("{}, column {name:?}", place_of(batch, part.done + row)));
                    kind.write(&array, output, origin)?;
                }
            }
        }
        part.done += rows;
        Ok(rows)
    }
}

/// Whether a column has texts.
pub fn is_plain_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_plain_text(values),
        _ => false,
    }
}

/// The arguments of a call that reads files.
#[derive(Debug)]
pub struct FileCall {
    /// What is read.
    pub request: Request,
    /// The file systems of inputs that are not local, if there are some.
    pub files: Option<DatabaseFiles>,
    /// The columns that directories give.
    pub directories: Arc<DirectoryColumns>,
    /// Columns of text stay text.
    pub keeps_text: bool,
    /// The first games must have the tags to keep.
    pub known_tags: bool,
}

/// The arguments of a call.
///
/// # Errors
///
/// There are no such files, or an argument is not one that is expected.
pub fn file_call(call: &FunctionCall, mut defaults: DatabaseOptions) -> Result<FileCall> {
    let paths = call.argument(0).ok_or_else(|| anyhow!("expected the name of a file"))?.texts()?;
    ensure!(!paths.is_empty(), "no files to read");
    for path in &paths {
        ensure!(path != "-", "standard input is not a file");
    }
    let FoundFiles { inputs, may_be_several, files } = FoundFiles::new(paths, || call.files())?;
    let texts = |name: &str| call.named(name, Value::texts);
    let text = |name: &str| call.named(name, Value::text);
    let is_true =
        |name: &str| Ok::<bool, anyhow::Error>(call.named(name, |value| Ok(value.is_true()))?.unwrap_or(false));
    let number = |name: &str, least: i64, most: i64| {
        call.named(name, |value| {
            let number = value.integer();
            ensure!((least..=most).contains(&number), "expected {least} to {most}, found {number}");
            Ok(number)
        })
    };
    let ply = |name: &str, least: i64, default: u32| {
        Ok::<u32, anyhow::Error>(number(name, least, u32::MAX.into())?.map_or(default, |ply| ply as u32))
    };
    // A file is made once, and wrong lines may show that it is another one.
    let on_error = options::on_error(call)?.unwrap_or(OnError::Fail);
    defaults = defaults.named_beside_errors(call)?;
    let what = texts("what")?.map(|names| names.iter().map(|name| name.to_ascii_lowercase()).collect::<Vec<_>>());
    let names = what.as_deref().unwrap_or_default();
    let products = match &what {
        None => Product::ALL.to_vec(),
        Some(names) => {
            let products = names.iter().filter(|name| *name != BOARDS).map(|name| name.parse().context("what"));
            products.collect::<Result<Vec<Product>>>()?
        }
    };
    let games_where = text("games_where")?.map(|text| query("games_where", &text)).transpose()?;
    let conditions = texts("games")?.unwrap_or_default();
    let conditions = conditions.iter().map(|text| Condition::list(text).map_err(|error| anyhow!("games: {error}")));
    let games = Games {
        variations: is_true("variations")?,
        from_ply: ply("from_ply", 0, 0)?,
        to_ply: ply("to_ply", 0, u32::MAX)?,
        every: ply("every", 1, 1)?,
        conditions: conditions.collect::<Result<Vec<_>>>()?.concat(),
        by_positions: games_where.is_some(),
    };
    ensure!(games.from_ply <= games.to_ply, "to_ply: {} is before from_ply: {}", games.to_ply, games.from_ply);
    let from = text("format")?.map(|name| {
        let format = TrainingFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(&name));
        let names = || TrainingFormat::ALL.map(TrainingFormat::name).join(", ");
        format.ok_or_else(|| anyhow!("format: expected one of {}, found {name:?}", names()))
    });
    let condition = text("positions_where")?.map(|text| query("positions_where", &text)).transpose()?;
    let each_move = is_true("each_move")?;
    ensure!(
        !each_move || !condition.as_ref().is_some_and(PositionQuery::asks_for_played_move),
        "positions_where: move_captures, move_promotes and move_checks are about the move played next, which no position of each_move has"
    );
    let unique = text("unique_by")?.map(|name| name.parse().context("unique_by")).transpose()?;
    let memory = number("unique_memory", 0, i64::MAX)?.map(|bytes| bytes as u64);
    let shard = text("key_shard")?
        .map(|text| text.parse::<Shard>().map_err(|expected| anyhow!("key_shard: {expected}, found {text:?}")));
    let advice = "raise `unique_memory`, or take the positions of one part at a time with `key_shard := 'K/N'`";
    let selection = KeySelection::new(unique, memory, shard.transpose()?, advice);
    // As DuckDB does its own work, if its version tells.
    let setting = || call.setting("threads").map(|threads| threads.clamp(1, MOST_THREADS as i64));
    let threads = number("threads", 1, MOST_THREADS as i64)?.or_else(setting);
    let cores = available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let truth = |name: &str| call.named(name, |value| Ok(value.is_true()));
    let directories = Arc::new(DirectoryColumns::new(&inputs, truth("hive_partitioning")?)?);
    let request = Request {
        inputs,
        with_file: truth(FILENAME)?.unwrap_or(may_be_several),
        from: from.transpose()?,
        column: text("column_name")?.unwrap_or_else(|| "fen".to_owned()),
        keep: texts("keep")?.unwrap_or_else(|| vec![ALL.to_owned()]),
        games,
        after_first_move: is_true("after_first_move")?,
        each_move,
        choice: RowChoice { condition, games: games_where, selection },
        boards: what.is_none() || names.iter().any(|name| name == BOARDS),
        plan: Plan::what(defaults.plan, products),
        integers: Integers::Unsigned,
        on_error,
        threads: threads.map_or(cores, |threads| threads as usize),
        by_place: true,
        ..Request::default()
    };
    let (keeps_text, known_tags) = (is_true("all_varchar")?, !is_true("allow_missing_tags")?);
    Ok(FileCall { request, files, directories, keeps_text, known_tags })
}
