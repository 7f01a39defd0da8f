//! `read_positions('games.pgn.zst')`: the positions of files, as a table. Of its columns, only those that a query names are
//! read or computed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arrow_array::RecordBatch;
use slider_attacks_arrow::{Integers, MOST_THREADS, OnError, Plan, PositionArray, Product};
use slider_attacks_files::Input;
use slider_attacks_files::batches::{Batches, Next, Request};
use slider_attacks_files::discovery::Discovery;
use slider_attacks_files::games::{Condition, Games};
use slider_attacks_files::input::{check_is_path, shown};
use slider_attacks_files::training::Format;

use crate::arrays::write;
use crate::options::{self, Options, Shared};
use crate::register::{Call, Connection, Table, table};
use crate::types::{Columns, Plain, Type};
use crate::vectors::{Output, Value};

/// The most rows that a thread takes at a time: eight chunks of DuckDB's.
const ROWS: usize = 1 << 14;

/// How long a thread waits at a time. It waits again until there is something.
const WAIT: Duration = Duration::from_secs(1);

/// What stands for the bitboards among the products.
const BOARDS: &str = "boards";

/// What stands for all columns of the input.
const ALL: &str = "all";

/// The function.
#[derive(Debug)]
struct ReadPositions(Shared);

/// Adds the function.
///
/// # Errors
///
/// DuckDB has it.
pub fn register(to: Connection, options: &Shared) -> Result<()> {
    let own: [(&str, Type); 11] = [
        ("what", Plain::Any.into()),
        ("keep", Plain::Any.into()),
        ("column", Plain::Text.into()),
        ("format", Plain::Text.into()),
        ("games", Plain::Any.into()),
        ("variations", Plain::Bool.into()),
        ("from_ply", Plain::I64.into()),
        ("to_ply", Plain::I64.into()),
        ("every", Plain::I64.into()),
        ("after_first_move", Plain::Bool.into()),
        ("threads", Plain::I64.into()),
    ];
    let parameters: Vec<(&str, Type)> = own.into_iter().chain(options::parameters()).collect();
    table(to, "read_positions", Some(Plain::Any), &parameters, ReadPositions(options.clone()))
}

/// What to read, and where each column comes from.
#[derive(Debug)]
struct Bound {
    request: Request,
    columns: Vec<Origin>,
}

/// Where a column comes from. It has the same name there.
#[derive(Clone, Debug)]
enum Origin {
    /// From the file itself: the name of the file, the number of the line, or why there is no position.
    Always(String),
    /// From the columns of the input.
    Kept(String),
    /// From the bitboards.
    Board(String),
    /// From a product.
    Product(Product, String),
}

impl Origin {
    fn name(&self) -> &str {
        let (Origin::Always(name) | Origin::Kept(name) | Origin::Board(name) | Origin::Product(_, name)) = self;
        name
    }
}

/// A run: what is left of the files, and the places of the wanted columns in its batches.
#[derive(Debug)]
struct Run {
    /// Nothing, once there is no more.
    batches: Mutex<Option<Batches>>,
    places: Vec<usize>,
}

/// What a thread has taken.
#[derive(Debug, Default)]
struct Part {
    batch: Option<RecordBatch>,
    done: usize,
}

impl Table for ReadPositions {
    type Bound = Bound;
    type Run = Run;
    type Part = Part;

    fn bind(&self, call: &Call) -> Result<(Bound, Columns)> {
        let request = request(call, self.0.get())?;
        // The names and types are those of the first rows, which one thread computes.
        let (batches, schema) = opened(Request { threads: 1, ..request.clone() })?;
        drop(batches);
        let boards = PositionArray::boards_schema(Integers::Unsigned);
        let is_board = |name: &str| request.boards && boards.field_with_name(name).is_ok();
        let product = |name: &str| {
            let has = |product: &&Product| product.columns().iter().any(|column| column.name() == name);
            request.plan.products().iter().find(has).copied()
        };
        let (mut columns, mut types) = (Vec::new(), Columns::new());
        for field in schema.fields() {
            let name = field.name().clone();
            let kind =
                Type::of(field.data_type()).with_context(|| format!("column {name:?}: name others in `keep`"))?;
            types.push((name.clone(), kind));
            columns.push(match name.as_str() {
                "line" => Origin::Always(name),
                "file" if request.with_file && columns.is_empty() => Origin::Always(name),
                _ if is_board(&name) => Origin::Board(name),
                _ => match product(&name) {
                    Some(product) => Origin::Product(product, name),
                    None if request.on_error == OnError::Report && name == OnError::COLUMN => Origin::Always(name),
                    None => Origin::Kept(name),
                },
            });
        }
        Ok((Bound { request, columns }, types))
    }

    fn begin(&self, bound: &Bound, columns: &[usize]) -> Result<(Run, usize)> {
        let wanted: Vec<&Origin> = columns.iter().map(|&column| &bound.columns[column]).collect();
        let kept =
            wanted.iter().filter_map(|origin| if let Origin::Kept(name) = origin { Some(name.clone()) } else { None });
        let products =
            wanted.iter().filter_map(|origin| if let Origin::Product(it, _) = origin { Some(*it) } else { None });
        let request = Request {
            keep: kept.collect(),
            boards: wanted.iter().any(|origin| matches!(origin, Origin::Board(_))),
            plan: bound.request.plan.clone().what(products.collect::<Vec<_>>()),
            ..bound.request.clone()
        };
        let threads = request.threads;
        let (batches, schema) = opened(request)?;
        let places = wanted.iter().map(|origin| schema.index_of(origin.name()).context("a column is gone"));
        Ok((Run { places: places.collect::<Result<_>>()?, batches: Mutex::new(batches) }, threads))
    }

    fn next(&self, run: &Run, part: &mut Part, outputs: &mut [Output<'_>]) -> Result<usize> {
        let room = crate::register::chunk_rows();
        if part.batch.as_ref().is_none_or(|batch| part.done == batch.num_rows()) {
            let mut batches = run.batches.lock().unwrap_or_else(PoisonError::into_inner);
            *part = Part { batch: following(&mut batches)?, done: 0 };
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
            Ok(Next::Rows(batch, _)) if batch.num_rows() > 0 => return Ok(Some(batch)),
            Ok(Next::End) => *batches = None,
            Ok(_) => {}
            Err(error) => {
                *batches = None;
                return Err(error);
            }
        }
    }
    Ok(None)
}

/// The batches of a request, and their columns.
fn opened(request: Request) -> Result<(Option<Batches>, arrow_schema::SchemaRef)> {
    let mut batches = Batches::open(request)?;
    loop {
        match batches.next(WAIT)? {
            Next::Columns(schema) => return Ok((Some(batches), schema)),
            Next::NotYet => {}
            _ => bail!("the files have no columns"),
        }
    }
}

/// What a call asks for.
fn request(call: &Call, mut defaults: Options) -> Result<Request> {
    let paths = call.argument(0).ok_or_else(|| anyhow!("expected the name of a file"))?.texts()?;
    ensure!(!paths.is_empty(), "there are no files to read");
    for path in &paths {
        ensure!(path != "-", "standard input is no file");
        check_is_path(Path::new(path), "the files must be on this machine")?;
    }
    let found = Discovery::new(&paths.into_iter().map(PathBuf::from).collect::<Vec<_>>(), None, None)?;
    for path in found.inputs.iter().filter_map(Input::path) {
        let is_file = path.metadata().map_or(true, |metadata| metadata.is_file());
        ensure!(
            is_file,
            "cannot read {}: it is no file, and its columns and its rows are read one after the other",
            shown(path)
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
    let conditions = texts("games")?.unwrap_or_default();
    let conditions = conditions.iter().map(|text| Condition::list(text).map_err(|error| anyhow!("games: {error}")));
    let games = Games {
        variations: is_true("variations")?,
        from_ply: ply("from_ply", 0, 0)?,
        to_ply: ply("to_ply", 0, u32::MAX)?,
        every: ply("every", 1, 1)?,
        conditions: conditions.collect::<Result<Vec<_>>>()?.concat(),
    };
    ensure!(games.from_ply <= games.to_ply, "to_ply: {} is before from_ply: {}", games.to_ply, games.from_ply);
    let from = text("format")?.map(|name| {
        let format = Format::ALL.into_iter().find(|format| format.name() == name);
        let names = || Format::ALL.map(Format::name).join(", ");
        format.ok_or_else(|| anyhow!("format: expected one of {}, found {name:?}", names()))
    });
    let cores = available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    Ok(Request {
        inputs: found.inputs,
        with_file: found.may_be_several,
        from: from.transpose()?,
        column: text("column")?.unwrap_or_else(|| "fen".to_owned()),
        keep: texts("keep")?.unwrap_or_else(|| vec![ALL.to_owned()]),
        games,
        after_first_move: is_true("after_first_move")?,
        boards: what.is_none() || names.iter().any(|name| name == BOARDS),
        plan: Plan::what(defaults.plan, products),
        integers: Integers::Unsigned,
        on_error,
        rows: ROWS,
        threads: number("threads", 1, MOST_THREADS as i64)?.map_or(cores, |threads| threads as usize),
    })
}
