//! The footer of a file, which is checked before the readers of Parquet use it.

use std::io;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use arrow_ipc::root_as_message_with_opts;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flatbuffers::VerifierOptions;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::ParquetMetaDataReader;

use super::guard::catch_panics;
use super::thrift::{self, FieldNumbers, StructTag};
use super::types::largest_null;
use crate::file::InputFile;
use slider_attacks_formats::content::MAX_RECORD;

/// The largest description of a file that is read, in bytes.
const MAX_FOOTER: u64 = 16 << 20;
/// About how many bytes a description can take in memory.
const MEMORY: usize = 128 << 20;
/// How deep a column can be.
const DEPTH: usize = 100;
/// The largest null: lists of fixed size are as long where they are null.
const MAX_NULL: usize = 16 << 20;
/// The most rows of a row group. Sums of them fit into 63 bits.
const MAX_ROWS: i64 = 1 << 47;

/// The last bytes of a file with a description that can be read, and of one where it is encrypted.
const PLAIN: [u8; 4] = *b"PAR1";
const ENCRYPTED: [u8; 4] = *b"PARE";

/// Reads the description of a file.
///
/// # Errors
///
/// The file cannot be read, or what is said of it cannot be true.
pub fn read(file: &InputFile) -> Result<ArrowReaderMetadata> {
    let length = file.length()?;
    let mut tail = [0; 8];
    ensure!(length >= 12, "the file has only {length} bytes");
    read_exact(file, &mut tail, length - 8)?;
    let [size, magic] = [tail[..4].try_into()?, tail[4..].try_into()?];
    ensure!(magic != ENCRYPTED, "the footer is encrypted");
    ensure!(magic == PLAIN, "no Parquet footer at its end: is the file complete?");
    let size = u64::from(u32::from_le_bytes(size));
    ensure!(size <= length - 12, "the footer of {size} bytes is larger than the file");
    ensure!(size <= MAX_FOOTER, "the footer of {size} bytes exceeds the limit of {MAX_FOOTER}");
    let mut footer = vec![0; size as usize];
    read_exact(file, &mut footer, length - 8 - size)?;
    let footer = checked(&footer, length).context("its footer")?;
    let metadata = catch_panics(|| ParquetMetaDataReader::decode_metadata(&footer))??;
    let metadata = catch_panics(|| ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::new()))??;
    // Readers leave out groups without columns.
    let groups = metadata.parquet_schema().root_schema().get_fields();
    let names = metadata.schema().fields().iter().map(|field| field.name().as_str());
    ensure!(names.eq(groups.iter().map(|group| group.name())), "group without columns");
    for field in metadata.schema().fields() {
        let (name, size) = (field.name(), largest_null(field.data_type()));
        ensure!(size <= MAX_NULL, "column {name:?}: a null of {size} bytes exceeds the limit of {MAX_NULL}");
    }
    Ok(metadata)
}

fn read_exact(file: &InputFile, bytes: &mut [u8], from: u64) -> io::Result<()> {
    if file.read_at(bytes, from)? < bytes.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// A node of the schema: how many children it has, and the length of its name.
struct Node {
    children: usize,
    name: usize,
}

/// The description, written anew, of a file of this length.
fn checked(footer: &[u8], length: u64) -> Result<Vec<u8>> {
    let (mut nodes, mut memory) = (Vec::new(), 0);
    let mut visit = |tag, numbers: &FieldNumbers, [key, value]: [&[u8]; 2]| {
        memory += match tag {
            StructTag::Node => {
                nodes.push(node(numbers)?);
                512
            }
            StructTag::Column => check_column(numbers, length).map(|()| 640)?,
            StructTag::RowGroup => {
                let rows = numbers[3].unwrap_or(0);
                ensure!((0..=MAX_ROWS).contains(&rows), "row group of {rows} rows exceeds the limit of {MAX_ROWS}");
                256
            }
            StructTag::KeyValue => {
                if key == ARROW_SCHEMA_META_KEY.as_bytes() {
                    check_arrow_schema(value)?;
                }
                64 + key.len() + value.len()
            }
            _ => 0,
        };
        check_memory(memory)
    };
    let (written, _) = thrift::walk(footer, &thrift::FILE, &mut visit)?;
    check_tree(&nodes, memory)?;
    Ok(written)
}

fn check_memory(memory: usize) -> Result<()> {
    ensure!(memory <= MEMORY, "reading it needs more than {MEMORY} bytes of memory");
    Ok(())
}

fn node(numbers: &FieldNumbers) -> Result<Node> {
    let (size, children) = (numbers[2].unwrap_or(0), numbers[5].unwrap_or(0));
    ensure!(size <= MAX_RECORD as i64, "value of {size} bytes exceeds the limit of {MAX_RECORD}");
    let children = usize::try_from(children).with_context(|| format!("a column has {children} children"))?;
    Ok(Node { children, name: numbers[4].unwrap_or(0) as usize })
}

/// Checks that the children make a tree, whose leaves do not take too much memory: each has a copy of the names above it.
fn check_tree(nodes: &[Node], mut memory: usize) -> Result<()> {
    // How many children are still to come, and how much the names take so far.
    let mut open: Vec<(usize, usize)> = vec![(1, 0)];
    for (place, node) in nodes.iter().enumerate() {
        while open.pop_if(|(left, _)| *left == 0).is_some() {}
        let (left, names) = open.last_mut().context("schema has columns outside its root")?;
        *left -= 1;
        let names = *names + node.name + 48;
        let later = nodes.len() - place - 1;
        ensure!(node.children <= later, "column has {} children, but only {later} follow", node.children);
        memory += if node.children == 0 { 512 + names } else { 0 };
        check_memory(memory)?;
        if node.children > 0 {
            ensure!(open.len() <= DEPTH, "schema nests deeper than {DEPTH} levels");
            open.push((node.children, names));
        }
    }
    ensure!(open.iter().all(|&(left, _)| left == 0), "schema has fewer columns than declared");
    Ok(())
}

/// Checks that the pages of a column are in the file, whose length this is.
fn check_column(numbers: &FieldNumbers, length: u64) -> Result<()> {
    let start = numbers[11].or(numbers[9]).unwrap_or(0);
    let size = numbers[7].unwrap_or(0);
    let is_inside = start >= 0 && size >= 0 && start.checked_add(size).is_some_and(|end| end as u64 <= length);
    ensure!(is_inside, "column chunk of {size} bytes at byte {start} exceeds the file of {length} bytes");
    if let Some(data) = numbers[9] {
        ensure!(data >= 0, "column chunk begins at byte {data}");
    }
    Ok(())
}

/// Checks the schema of Arrow that some files have. Parts of it may stand for many others.
fn check_arrow_schema(text: &[u8]) -> Result<()> {
    // Data that is not a schema at all is an error of the reader.
    let Ok(bytes) = BASE64_STANDARD.decode(text) else { return Ok(()) };
    let message = if bytes.len() > 8 && bytes.starts_with(&[0xff; 4]) { &bytes[8..] } else { &bytes[..] };
    let options = VerifierOptions {
        max_tables: MEMORY / 512,
        max_apparent_size: (1 << 20) + 8 * message.len(),
        ..VerifierOptions::default()
    };
    match root_as_message_with_opts(&options, message) {
        Ok(_) => Ok(()),
        Err(error) => bail!("Arrow schema: {error}"),
    }
}
