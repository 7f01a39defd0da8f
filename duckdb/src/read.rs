//! `read_positions('games.pgn.zst')`: the positions of files, as a table. Only the columns that a query uses are read or
//! computed.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use arrow_array::RecordBatch;
use slider_attacks_arrow::{Integers, MOST_THREADS, OnError, Plan, PositionArray, Product};
use slider_attacks_files::Input;
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::input::{Shard, check_is_path, display_path};
use slider_attacks_files::keys::KeySelection;
use slider_attacks_formats::batch::MOVE;
use slider_attacks_formats::games::{Condition, Games};
use slider_attacks_formats::training::TrainingFormat;
use slider_attacks_query::PositionQuery;
use slider_attacks_rows::batches::{Batches, NextRows, Request, Sample};
use slider_attacks_rows::conditions::RowChoice;

use crate::arrays::write;
use crate::conditions::query;
use crate::options::{self, DatabaseOptions, SharedOptions};
use crate::register::{Connection, FunctionCall, TableFunction, table};
use crate::types::{PlainType, TableColumns, Type};
use crate::vectors::{OutputVector, Value};

/// The most rows that a thread takes at a time: eight chunks of DuckDB's.
const ROWS: usize = 1 << 14;

/// How long a thread waits at a time. It waits again until there is something.
const WAIT: Duration = Duration::from_secs(1);

/// The name of the bitboards among the products.
const BOARDS: &str = "boards";

/// The name that selects all columns of the input.
const ALL: &str = "all";

/// The function.
#[derive(Debug)]
struct ReadPositions(SharedOptions);

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &SharedOptions) -> Result<()> {
    let own: [(&str, Type); 17] = [
        ("what", PlainType::Any.into()),
        ("keep", PlainType::Any.into()),
        ("column", PlainType::Text.into()),
        ("format", PlainType::Text.into()),
        ("games", PlainType::Any.into()),
        ("variations", PlainType::Bool.into()),
        ("from_ply", PlainType::I64.into()),
        ("to_ply", PlainType::I64.into()),
        ("every", PlainType::I64.into()),
        ("after_first_move", PlainType::Bool.into()),
        ("each_move", PlainType::Bool.into()),
        ("games_where", PlainType::Text.into()),
        ("where", PlainType::Text.into()),
        ("unique", PlainType::Text.into()),
        ("unique_memory", PlainType::I64.into()),
        ("key_shard", PlainType::Text.into()),
        ("threads", PlainType::I64.into()),
    ];
    let parameters: Vec<(&str, Type)> = own.into_iter().chain(options::parameters()).collect();
    table(to, "read_positions", Some(PlainType::Any), &parameters, ReadPositions(options.clone()))
}

/// The inputs, and the source of each column.
#[derive(Debug)]
struct Bound {
    request: Request,
    columns: Vec<ColumnOrigin>,
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
}

/// The columns of what is read for a request, in their order, with their names. The input has these columns.
fn origins(request: &Request, kept: &[String]) -> Vec<(String, ColumnOrigin)> {
    let boards = PositionArray::boards_schema(Integers::Unsigned);
    let boards = boards.fields().iter().enumerate().filter(|_| request.boards);
    let products = request.plan.products().iter().flat_map(|&product| {
        let columns = product.columns().iter().enumerate();
        columns.map(move |(place, column)| (column.name().to_owned(), ColumnOrigin::Product(product, place)))
    });
    let first = request.with_file.then(|| ("file".to_owned(), ColumnOrigin::File)).into_iter();
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
    let all: HashSet<String> = columns.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    let (mut taken, mut next) = (HashSet::new(), HashMap::<String, usize>::new());
    let mut names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    for is_kept in [false, true] {
        for ((name, origin), new) in columns.iter().zip(&mut names) {
            let lower = name.to_ascii_lowercase();
            if matches!(origin, ColumnOrigin::Kept(_)) != is_kept || taken.insert(lower.clone()) {
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

/// A run: what is left of the files, and the places of the wanted columns in its batches.
#[derive(Debug)]
struct ReadRun {
    /// Nothing, once there is no more.
    batches: Mutex<Option<Batches>>,
    places: Vec<usize>,
}

/// The batch of a thread.
#[derive(Debug, Default)]
struct TakenBatch {
    batch: Option<RecordBatch>,
    done: usize,
}

impl TableFunction for ReadPositions {
    type Bound = Bound;
    type Run = ReadRun;
    type Part = TakenBatch;

    fn bind(&self, call: &FunctionCall) -> Result<(Bound, TableColumns, u64)> {
        let request = request(call, self.0.get())?;
        let Sample { schema, rows } = Sample::new(request.clone())?;
        let found: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let before = usize::from(request.with_file) + 1 + usize::from(request.each_move);
        let others = origins(&request, &[]).len();
        let columns = origins(&request, &found[before..before + found.len() - others]);
        let types = names(&columns).into_iter().zip(schema.fields()).map(|(name, field)| {
            let kind =
                Type::of(field.data_type()).with_context(|| format!("column {name:?}: name others in `keep`"))?;
            Ok((name, kind))
        });
        let types = types.collect::<Result<TableColumns>>()?;
        let columns = columns.into_iter().map(|(_, origin)| origin).collect();
        Ok((Bound { request, columns }, types, rows))
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
        let request = Request {
            keep,
            boards: wanted.iter().any(|origin| matches!(origin, ColumnOrigin::Board(_))),
            plan: bound.request.plan.clone().what(products.collect::<Vec<_>>()),
            ..bound.request.clone()
        };
        let threads = request.threads;
        let there: HashMap<ColumnOrigin, usize> =
            origins(&request, &request.keep).into_iter().map(|(_, origin)| origin).zip(0..).collect();
        let places = wanted.iter().map(|origin| there[*origin]).collect();
        Ok((ReadRun { places, batches: Mutex::new(Some(Batches::open(request)?)) }, threads))
    }

    fn next(&self, run: &ReadRun, part: &mut TakenBatch, outputs: &mut [OutputVector<'_>]) -> Result<usize> {
        let room = crate::register::chunk_rows();
        if part.batch.as_ref().is_none_or(|batch| part.done == batch.num_rows()) {
            let mut batches = run.batches.lock().unwrap_or_else(PoisonError::into_inner);
            *part = TakenBatch { batch: following(&mut batches)?, done: 0 };
        }
        let Some(batch) = &part.batch else { return Ok(0) };
        let rows = room.min(batch.num_rows() - part.done);
        for (&place, output) in run.places.iter().zip(outputs) {
            write(&batch.column(place).slice(part.done, rows), output, 0)?;
        }
        part.done += rows;
        Ok(rows)
    }
}

/// The next rows, which are not none.
fn following(batches: &mut Option<Batches>) -> Result<Option<RecordBatch>> {
    while let Some(open) = batches {
        match open.next(WAIT) {
            Ok(NextRows::Rows(batch, _)) if batch.num_rows() > 0 => return Ok(Some(batch)),
            Ok(NextRows::End) => *batches = None,
            Ok(_) => {}
            Err(error) => {
                *batches = None;
                return Err(error);
            }
        }
    }
    Ok(None)
}

/// The arguments of a call.
fn request(call: &FunctionCall, mut defaults: DatabaseOptions) -> Result<Request> {
    let paths = call.argument(0).ok_or_else(|| anyhow!("expected the name of a file"))?.texts()?;
    ensure!(!paths.is_empty(), "no files to read");
    for path in &paths {
        ensure!(path != "-", "standard input is not a file");
        check_is_path(Path::new(path), "only local files are read")?;
    }
    let found = Discovery::new(&paths.into_iter().map(PathBuf::from).collect::<Vec<_>>(), None, None)?;
    for path in found.inputs.iter().filter_map(Input::path) {
        let is_file = path.metadata().map_or(true, |metadata| metadata.is_file());
        ensure!(
            is_file,
            "cannot read {}: not a regular file, and it is read twice, for its columns and its rows",
            display_path(path)
        );
    }
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
    let on_error = match text("on_error")?.as_deref() {
        None => OnError::Fail, // a file is made once, and wrong lines may show that it is another one
        Some(name) => name.parse().context("on_error")?,
    };
    defaults = defaults.named_beside_errors(call)?;
    let what = texts("what")?;
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
        let format = TrainingFormat::ALL.into_iter().find(|format| format.name() == name);
        let names = || TrainingFormat::ALL.map(TrainingFormat::name).join(", ");
        format.ok_or_else(|| anyhow!("format: expected one of {}, found {name:?}", names()))
    });
    let condition = text("where")?.map(|text| query("where", &text)).transpose()?;
    let each_move = is_true("each_move")?;
    ensure!(
        !each_move || !condition.as_ref().is_some_and(PositionQuery::asks_for_played_move),
        "where: move_captures, move_promotes and move_checks are about the move played next, which no position of each_move has"
    );
    let unique = text("unique")?.map(|name| name.parse().context("unique")).transpose()?;
    let memory = number("unique_memory", 0, i64::MAX)?.map(|bytes| bytes as u64);
    let shard = text("key_shard")?
        .map(|text| text.parse::<Shard>().map_err(|expected| anyhow!("key_shard: {expected}, found {text:?}")));
    let advice = "raise `unique_memory`, or take the positions of one part at a time with `key_shard := 'K/N'`";
    let selection = KeySelection::new(unique, memory, shard.transpose()?, advice);
    // As DuckDB does its own work, if its version tells.
    let setting = || call.setting("threads").map(|threads| threads.clamp(1, MOST_THREADS as i64));
    let threads = number("threads", 1, MOST_THREADS as i64)?.or_else(setting);
    let cores = available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    Ok(Request {
        inputs: found.inputs,
        with_file: found.may_be_several,
        from: from.transpose()?,
        column: text("column")?.unwrap_or_else(|| "fen".to_owned()),
        keep: texts("keep")?.unwrap_or_else(|| vec![ALL.to_owned()]),
        games,
        after_first_move: is_true("after_first_move")?,
        each_move,
        choice: RowChoice { condition, games: games_where, selection },
        boards: what.is_none() || names.iter().any(|name| name == BOARDS),
        plan: Plan::what(defaults.plan, products),
        integers: Integers::Unsigned,
        on_error,
        rows: ROWS,
        threads: threads.map_or(cores, |threads| threads as usize),
        by_place: true,
    })
}
