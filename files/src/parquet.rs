//! Parquet: reads only the needed columns, in bounded memory.
//!
//! A few kilobytes of Parquet can expand to gigabytes of values: pages are compressed, values repeat, and a single row can hold
//! a list of millions. So the headers of all pages are examined first. Rows in oversized pages are malformed. The others are
//! read in ranges, one column after the other. Texts are read as views into their pages, and copied only after their lengths
//! have been checked.
//!
//! | file | what it does |
//! |---|---|
//! | `footer` | the description of the file, checked before the crate `parquet` reads it |
//! | `pages`, `codecs` | the headers of pages, and the pages, decompressed and checked before they are decoded |
//! | `thrift` | what both are written in |
//! | `survey` | the headers of all pages of a row group |
//! | `ranges` | ranges of rows that fit into memory |
//! | `stripes` | ranges that the threads of a pool read |
//! | [`sizes`](mod@sizes) | how many bytes the rows of an array take |
//! | `types` | conversion of types |
//! | `guard` | what counts the values of lists, and catches panics |

mod codecs;
mod footer;
mod guard;
mod pages;
mod ranges;
pub mod sizes;
mod stripes;
mod survey;
mod thrift;
mod types;

use std::ops::ControlFlow::{self, Break, Continue};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, UInt32Array, UInt64Array, new_empty_array};
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use memchr::memchr2;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::compression::PARQUET;
use crate::counter::ByteCounter;
use crate::file::InputFile;
use crate::input::{Input, display_path};
use crate::ordered::Pool;
use crate::reader::InputReader;
use crate::text::{ContentSink, OwnBlocks};
pub use guard::{catch_panics, install_panic_filter};
use ranges::{RangeReader, RowRange, TypedColumn};
use sizes::row_sizes;
use slider_attacks_formats::Source;
use slider_attacks_formats::batch::Parser;
use slider_attacks_formats::columns::KeptColumn;
use slider_attacks_formats::content::Content;
use slider_attacks_formats::cut::{READ, games_bytes};
use slider_attacks_formats::error::{Problem, RecordError, printable, quoted};
use slider_attacks_formats::games::fields::{CellContent, FirstMoves, NeededColumns, are_games, is_game, read_game};
use slider_attacks_formats::games::game_rows::{GameColumns, GameRows};
use slider_attacks_formats::request::Wanted;
use stripes::Stripes;
use survey::row_count;
use types::{converted, with_views};

/// The maximum number of rows of a block, unless the caller wants others: about as many positions as a block of text has.
const ROWS: usize = 512;
/// How many threads read stripes. With fewer, one that reads ahead of them is faster: it need not read the pages at borders twice.
const LEAST_THREADS: usize = 4;
/// The maximum number of bytes of the rows of a block, unless it is a single row.
const BLOCK: usize = 512 << 10;

/// One column has the positions.
#[derive(Debug)]
struct ParquetRows {
    /// The name of the column with the positions, and what it holds.
    position: String,
    cells: CellContent,
    /// The names of the columns to keep.
    columns: Vec<String>,
    /// How many of the last of these only a condition needs.
    hidden: usize,
    /// The columns that are needed in addition to that one: one for what it holds, if `has_start_or_moves` is set, then those to keep.
    fields: Fields,
    has_start_or_moves: bool,
}

/// How to go through a file.
struct RowBlocks {
    reader: RangeReader,
    input: Input,
    /// The columns that are needed in addition to that with the positions.
    fields: Fields,
    /// How many bytes the file has.
    length: u64,
    /// The maximum numbers of rows of a block, and of their bytes.
    most: (usize, usize),
    /// Threads that may read ranges.
    pool: Option<Arc<Pool>>,
}

/// Takes files of Parquet. A stream cannot be read, because the description of the file is at its end.
///
/// # Errors
///
/// The file cannot be read, or has no such columns.
pub fn open(reader: &mut InputReader<'_>, wanted: &Wanted) -> Result<Option<(Box<dyn Source>, OwnBlocks)>> {
    let Some(file) = reader.take_file(PARQUET) else { return Ok(None) };
    let file = Arc::new(file);
    opened(reader, &file, wanted).map(Some).map_err(|error| file.cause(error))
}

/// How to read a file, and its blocks.
fn opened(reader: &InputReader<'_>, file: &Arc<InputFile>, wanted: &Wanted) -> Result<(Box<dyn Source>, OwnBlocks)> {
    let pool = reader.pool.clone().filter(|pool| pool.threads() >= LEAST_THREADS);
    let (input, name) = (reader.input.clone(), reader.input.name());
    let cannot_read = || cannot_read(&input.display_name());
    let length = file.length().with_context(cannot_read)?;
    let metadata = footer::read(file).with_context(cannot_read)?;
    let fields = metadata.schema().fields().clone();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let place = wanted.find(&names, &name)?.ok_or_else(|| wanted.missing(&names, &name))?;
    let views = as_views(&metadata, true).with_context(cannot_read)?;
    let text_column = |place: usize| {
        let kind = match views.schema().field(place).data_type() {
            // A column of nulls alone may have no other type.
            DataType::Utf8View | DataType::Null => DataType::Utf8,
            DataType::BinaryView => DataType::Binary,
            found => {
                let column = format!("{}, column {}", printable(&name), quoted(names[place]));
                let advice = match found {
                    DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                        "; join the moves of a row into one text, as with array_to_string(moves, ' ') in SQL"
                    }
                    _ => "",
                };
                bail!("{column}: expected text, found {found}{advice}")
            }
        };
        let levels = column_levels(&views, place).with_context(cannot_read)?;
        Ok(TypedColumn { place, kind, levels })
    };
    let are_games = are_games(wanted, || {
        let column = text_column(place)?;
        holds_games(&mut RangeReader::new(file.clone(), metadata.metadata().clone(), vec![column]))
            .with_context(cannot_read)
    })?;
    let NeededColumns { cells, start_or_moves, places: kept, names: kept_names, hidden } =
        NeededColumns::new(wanted, &names, place, are_games, &name)?;
    let position = names[place].to_owned();
    let mut columns = [place].into_iter().chain(start_or_moves).map(text_column).collect::<Result<Vec<_>>>()?;
    let views = as_views(&metadata, false).with_context(cannot_read)?;
    for &place in &kept {
        let levels = column_levels(&views, place).with_context(cannot_read)?;
        columns.push(TypedColumn { place, kind: fields[place].data_type().clone(), levels });
    }
    let field = |column: &TypedColumn| fields[column.place].as_ref().clone().with_data_type(column.kind.clone());
    let fields: Fields = columns[1..].iter().map(field).collect();
    let rows = wanted.block_rows.unwrap_or(ROWS);
    // A row gives as many positions as a text of its length.
    let most = if cells.are_games() { (rows, games_bytes(wanted.block_bytes.unwrap_or(READ))) } else { (rows, BLOCK) };
    let has_start_or_moves = start_or_moves.is_some();
    let source =
        ParquetRows { position, cells, columns: kept_names, hidden, fields: fields.clone(), has_start_or_moves };
    let reader = RangeReader::new(file.clone(), metadata.metadata().clone(), columns);
    let blocks = RowBlocks { reader, input, fields, length, most, pool };
    Ok((Box::new(source), Box::new(|counter: &ByteCounter, sink: ContentSink<'_>| blocks.read(counter, sink))))
}

/// A file of Parquet that is read as a table, all of its columns.
pub struct ParquetTable {
    name: String,
    file: Arc<InputFile>,
    metadata: ArrowReaderMetadata,
}

impl ParquetTable {
    /// The table of an open file.
    ///
    /// # Errors
    ///
    /// Its description cannot be read.
    pub fn open(input: &Input, file: InputFile) -> Result<ParquetTable> {
        let (name, file) = (input.display_name(), Arc::new(file));
        let metadata = footer::read(&file).map_err(|error| file.cause(error)).with_context(|| cannot_read(&name))?;
        Ok(ParquetTable { name, file, metadata })
    }

    /// The names of its columns.
    pub fn names(&self) -> Vec<&str> {
        self.metadata.schema().fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The names and values that its writer has recorded.
    pub fn settings(&self) -> Vec<(String, String)> {
        let all = self.metadata.metadata().file_metadata().key_value_metadata();
        let all = all.into_iter().flatten();
        all.filter_map(|setting| Some((setting.key.clone(), setting.value.clone()?))).collect()
    }

    /// Passes on all rows, some at a time: the number of the first one, counted from 1, and the columns.
    ///
    /// # Errors
    ///
    /// They cannot be read, one is too long, or that of `each`.
    pub fn read(&self, each: &mut dyn FnMut(u64, &[ArrayRef]) -> Result<()>) -> Result<()> {
        let cannot_read = || cannot_read(&self.name);
        let (views, all) = (as_views(&self.metadata, false).with_context(cannot_read)?, self.metadata.metadata());
        let column = |(place, field): (usize, &FieldRef)| {
            let levels = column_levels(&views, place).with_context(cannot_read)?;
            Ok(TypedColumn { place, kind: field.data_type().clone(), levels })
        };
        let columns = self.metadata.schema().fields().iter().enumerate().map(column).collect::<Result<_>>()?;
        let reader = RangeReader::new(self.file.clone(), all.clone(), columns);
        let (mut stripes, mut first) = (Stripes::new(reader, 0..all.num_row_groups(), None), 1);
        while let Some(range) = stripes.next().map_err(|error| self.file.cause(error)).with_context(cannot_read)? {
            if range.too_long > 0 {
                bail!("{}: row {first} is too long", cannot_read());
            }
            each(first, &range.arrays)?;
            first += range.rows();
        }
        Ok(())
    }
}

/// The source of rows that a caller has as Arrow arrays in columns of these types, and the places of those that a block of it has: that
/// with the positions, of the type `Utf8` or `Binary`, and others. `data` is the name for messages.
///
/// # Errors
///
/// A column is missing.
pub fn source_of_rows(fields: &Fields, data: &str, wanted: &Wanted) -> Result<(Box<dyn Source>, Vec<usize>)> {
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let place = wanted.find(&names, data)?.ok_or_else(|| wanted.missing(&names, data))?;
    let NeededColumns { cells, start_or_moves, places: kept, names: columns, hidden } =
        NeededColumns::new(wanted, &names, place, false, data)?;
    let places: Vec<usize> = [place].into_iter().chain(start_or_moves).chain(kept).collect();
    let source = ParquetRows {
        position: names[place].to_owned(),
        cells,
        columns,
        hidden,
        fields: places[1..].iter().map(|&place| fields[place].clone()).collect(),
        has_start_or_moves: start_or_moves.is_some(),
    };
    Ok((Box::new(source), places))
}

/// Whether the first column holds games, by the first of its values that shows it.
fn holds_games(reader: &mut RangeReader) -> Result<Option<bool>> {
    /// How many rows are read: if all of these are null, so are probably the others.
    const FIRST: u64 = 1 << 10;
    let mut left = FIRST;
    for (group, rows) in reader.metadata.clone().row_groups().iter().map(row_count).enumerate() {
        let (survey, rows, mut at) = (reader.survey(group)?, rows.min(left), 0);
        while at < rows {
            let range = reader.range(group, &survey, at, rows)?;
            let found = range.arrays.iter().find_map(|array| texts(array).iter().flatten().find_map(is_game));
            if found.is_some() {
                return Ok(found);
            }
            at += range.rows();
        }
        left -= rows;
        if left == 0 {
            break;
        }
    }
    Ok(None)
}

/// The number of rows and of compressed bytes of each row group.
///
/// # Errors
///
/// The file cannot be read.
pub fn row_groups(path: &Path, file: InputFile) -> Result<Vec<(u64, u64)>> {
    let metadata = footer::read(&file).with_context(|| cannot_read(&display_path(path)))?;
    let sizes = |group: &RowGroupMetaData| (row_count(group), u64::try_from(group.compressed_size()).unwrap_or(0));
    Ok(metadata.metadata().row_groups().iter().map(sizes).collect())
}

fn cannot_read(name: &str) -> String {
    format!("cannot read {name} as Parquet")
}

/// The description of a file whose texts are read as views.
fn as_views(metadata: &ArrowReaderMetadata, is_position: bool) -> Result<ArrowReaderMetadata> {
    let views: Fields = metadata.schema().fields().iter().map(|field| with_views(field, is_position)).collect();
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(views)));
    Ok(catch_panics(|| ArrowReaderMetadata::try_new(metadata.metadata().clone(), options))??)
}

/// How to read a column of a file, as if it were the only one.
fn column_levels(metadata: &ArrowReaderMetadata, place: usize) -> Result<FieldLevels> {
    let all = metadata.metadata().file_metadata().schema_descr().root_schema().get_fields();
    let column = Type::group_type_builder("column").with_fields(vec![all[place].clone()]).build()?;
    let hint = Fields::from(vec![metadata.schema().fields()[place].clone()]);
    let levels =
        || parquet_to_arrow_field_levels(&SchemaDescriptor::new(Arc::new(column)), ProjectionMask::all(), Some(&hint));
    Ok(catch_panics(levels)??)
}

impl RowBlocks {
    /// Hands over all rows, or those of the row groups that the input asks for.
    fn read(self, counter: &ByteCounter, sink: ContentSink<'_>) -> Result<()> {
        let cannot_read = || cannot_read(&self.input.display_name());
        let before = counter.read();
        let metadata = self.reader.metadata.clone();
        let all = metadata.row_groups();
        let groups = self.input.groups.as_ref().map_or(0..all.len(), |groups| groups.numbers.clone());
        let Some(wanted) = all.get(groups.clone()) else {
            bail!("{}: it has fewer row groups than before", cannot_read())
        };
        let sum = wanted.iter().map(row_count).sum::<u64>().max(1);
        let start = 1 + all[..groups.start].iter().map(row_count).sum::<u64>();
        let (mut first, kind) = (start, self.reader.columns[0].kind.clone());
        let file = self.reader.file.clone();
        let mut stripes = Stripes::new(self.reader, groups, self.pool);
        while let Some(range) = stripes.next().map_err(|error| file.cause(error)).with_context(cannot_read)? {
            if hand_over(&range, first, self.most, sink)?.is_break() {
                return Ok(());
            }
            first += range.rows();
            // Which bytes were read is not told, so they are taken to be spread evenly over the rows.
            let share = (first - start) as f64 / sum as f64;
            counter.set(before + (self.length as f64 * share) as u64);
        }
        // The columns to keep are known even if there are no rows.
        if first == start {
            return sink(first.into(), Content::Rows(new_empty_array(&kind), empty(&self.fields))).map(drop);
        }
        Ok(())
    }
}

/// Hands over the rows of a range, numbered from this number on, in blocks of at most this many rows and bytes, unless it is a
/// single row.
fn hand_over(
    range: &RowRange,
    mut first: u64,
    (rows, most): (usize, usize),
    sink: ContentSink<'_>,
) -> Result<ControlFlow<()>> {
    for _ in 0..range.too_long {
        if sink(first.into(), Content::TooLong)?.is_break() {
            return Ok(Break(()));
        }
        first += 1;
    }
    let mut done = 0;
    while done < range.sizes.len() {
        let mut bytes = 0;
        let fits = |&&size: &&usize| {
            bytes += size;
            bytes <= most
        };
        let next = range.sizes[done..].iter().take(rows).take_while(fits).count().max(1);
        let mut slices = range.arrays.iter().map(|array| match array.slice(done, next) {
            // Of a dictionary, a block has only what it needs.
            slice if matches!(slice.data_type(), DataType::Dictionary(..)) => converted(&slice, slice.data_type()),
            slice => Ok(slice),
        });
        let positions = slices.next().expect("the first column has them")?;
        if sink(first.into(), Content::Rows(positions, slices.collect::<Result<_>>()?))?.is_break() {
            return Ok(Break(()));
        }
        (done, first) = (done + next, first + next as u64);
    }
    Ok(Continue(()))
}

impl Source for ParquetRows {
    fn unit(&self) -> &'static str {
        "row"
    }

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn hidden_columns(&self) -> usize {
        self.hidden
    }

    fn has_games(&self) -> bool {
        self.cells.are_games()
    }

    fn plays_first_moves(&self) -> bool {
        self.cells.are_before_moves()
    }

    fn parse(&self, parser: &mut Parser<'_>) {
        let (first, from) = (parser.first, parser.from);
        let rest = |array: &ArrayRef| array.slice(from, array.len() - from);
        let (positions, arrays) = match parser.content {
            Content::Rows(positions, arrays) => (Some(rest(positions)), &arrays.iter().map(rest).collect()),
            _ => (None, &empty(&self.fields)),
        };
        let positions = positions.as_ref();
        let (cells, start_or_moves) = (positions.map(texts), self.has_start_or_moves.then(|| texts(&arrays[0])));
        let start_or_moves =
            |row: usize| start_or_moves.as_ref().filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row));
        let kept = self.kept(arrays);
        match (&self.cells, &cells) {
            (CellContent::Games(columns), _) => {
                return self.parse_games(columns, cells.as_ref(), start_or_moves, kept, parser);
            }
            (_, None) => {}
            (CellContent::Positions, Some(texts)) => parse_rows(texts, &self.position, parser),
            (CellContent::FirstMoves, Some(texts)) => {
                let mut positions = FirstMoves::default();
                for (row, text) in texts.iter().enumerate() {
                    if parser.is_done() {
                        parser.stop(row, row as u64);
                        break;
                    }
                    let number = first + row as u64;
                    match text {
                        Some(text) => _ = positions.push(parser, text, start_or_moves(row), number, &self.position),
                        None => {
                            positions.flush(parser);
                            no_position(parser, number, &self.position);
                        }
                    }
                }
                positions.flush(parser);
            }
        }
        let length = positions.map_or(0, |positions| positions.len() as u64);
        // A row that is too long is not among them.
        let place = |number: &u64| Some(number - first).filter(|&row| row < length);
        let rows: UInt64Array = parser.records.numbers.iter().map(place).collect();
        let keep = |(field, array): (&FieldRef, &ArrayRef)| {
            let all = rows.len() == array.len();
            let taken = || arrow_select::take::take(array, &rows, None).expect("rows exist");
            KeptColumn::Array(field.clone(), if all { array.clone() } else { taken() })
        };
        parser.records.kept = self.kept(&self.fields).iter().zip(kept).map(keep).collect();
    }
}

impl ParquetRows {
    /// Those of some columns that are to be kept.
    fn kept<'c, C>(&self, columns: &'c [C]) -> &'c [C] {
        &columns[usize::from(self.has_start_or_moves)..]
    }

    /// Parses games.
    fn parse_games<'t>(
        &self,
        columns: &GameColumns,
        texts: Option<&BinaryArray>,
        start: impl Fn(usize) -> Option<&'t [u8]>,
        kept: &[ArrayRef],
        parser: &mut Parser<'_>,
    ) {
        let (first, mut rows) = (parser.first, GameRows::new(columns, 0));
        let each = row_sizes(kept, texts.map_or(0, |texts| texts.len()));
        for (row, (text, each)) in texts.into_iter().flatten().zip(each).enumerate() {
            if parser.is_done() {
                parser.stop(row, row as u64);
                break;
            }
            rows.begin_with(first + row as u64, each);
            read_game(&mut rows, parser, &self.position, text, start(row));
        }
        rows.finish(parser, |_, places| {
            // A row that is too long is not among them.
            let places: UInt32Array =
                places.iter().map(|&place| Some(place).filter(|&place| place != u32::MAX)).collect();
            let keep = |(field, array): (&FieldRef, &ArrayRef)| {
                KeptColumn::Array(field.clone(), arrow_select::take::take(array, &places, None).expect("rows exist"))
            };
            self.kept(&self.fields).iter().zip(kept).map(keep).collect()
        });
    }
}

/// A column of text.
fn texts(array: &ArrayRef) -> BinaryArray {
    match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().clone(),
        _ => array.as_string::<i32>().clone().into(),
    }
}

/// The bytes of all of them.
fn used(texts: &BinaryArray) -> &[u8] {
    let offsets = texts.value_offsets();
    &texts.value_data()[offsets[0] as usize..offsets[texts.len()] as usize]
}

/// A row has no position.
fn no_position(parser: &mut Parser<'_>, number: u64, name: &str) {
    parser.malformed(number, RecordError::from(Problem::NoPosition).in_field(name));
}

/// Parses the rows of a column of this name.
fn parse_rows(texts: &BinaryArray, name: &str, parser: &mut Parser<'_>) {
    let bytes = used(texts);
    // The least byte is mostly a blank, and takes less time to find than a line end.
    let has_line_end =
        || bytes.iter().copied().min().is_some_and(|least| least <= b'\r') && memchr2(b'\n', b'\r', bytes).is_some();
    if texts.null_count() == 0 && !has_line_end() {
        let rows = parser.push_all(texts.value_data(), texts.value_offsets(), name);
        if rows < texts.len() {
            parser.stop(rows, rows as u64);
        }
        return;
    }
    let first = parser.first;
    for (row, text) in texts.iter().enumerate() {
        if parser.is_done() {
            parser.stop(row, row as u64);
            break;
        }
        let number = first + row as u64;
        match text {
            Some(text) => _ = parser.push(text, number, Some(name)),
            None => no_position(parser, number, name),
        }
    }
}

/// The columns to keep of no rows.
fn empty(fields: &Fields) -> Vec<ArrayRef> {
    fields.iter().map(|field| new_empty_array(field.data_type())).collect()
}
