//! What the readers hand over: blocks of records, and the input that each of them comes from.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::{Error, Result, anyhow, bail};

use super::malformed::{Malformed, printable, quoted};

/// The longest line, record or row that is read, in bytes. Little more than this of a longer one is held in memory.
pub const MAX_RECORD: usize = 1 << 20;

/// The number of bytes of the shortest position.
pub const SHORTEST: usize = 23;

/// One input and how its records are laid out.
#[derive(Debug)]
pub struct Source {
    /// Its name; see [`Source::shown`] for messages.
    pub name: String,
    /// Its number among the files, from 0.
    pub index: u64,
    /// How its records are laid out.
    pub layout: Layout,
    /// The names of the columns to keep.
    pub kept: Vec<String>,
}

impl Source {
    /// What to say about a malformed line or row.
    pub fn message(&self, malformed: &Malformed) -> String {
        let unit = match self.layout {
            #[cfg(feature = "parquet")]
            Layout::Parquet { .. } => "row",
            _ => "line",
        };
        format!("{}, {unit} {}, {}", self.shown(), malformed.line, malformed.what)
    }

    /// Fails if a malformed line or row ends the run.
    pub fn check(&self, failure: Option<&Malformed>) -> Result<()> {
        failure.map_or(Ok(()), |malformed| Err(anyhow!(self.message(malformed))))
    }

    /// The name as messages show it.
    pub fn shown(&self) -> String {
        printable(&self.name)
    }
}

/// How the records of an input are laid out.
#[derive(Debug)]
pub enum Layout {
    /// One position per line, FEN or EPD.
    Fen,
    /// One pair of a square and an occupancy per line.
    Pairs,
    /// One column of CSV has the positions.
    Csv {
        /// The name of the column with the positions.
        name: String,
        /// The place of that column.
        column: usize,
        /// The places of the columns to keep.
        kept: Vec<usize>,
        /// How many columns the header has.
        width: usize,
        /// The byte that separates fields.
        delimiter: u8,
    },
    /// One object per line. The field of this name holds the position; case is ignored.
    Json {
        /// The name of the field.
        column: String,
        /// Set if all fields are kept: the names that they must not have.
        all_but: Option<Vec<String>>,
    },
    /// One column of Parquet has the positions.
    #[cfg(feature = "parquet")]
    Parquet {
        /// The name of the column with the positions.
        name: String,
        /// The columns to keep.
        kept: arrow_schema::Fields,
    },
}

/// Some records of an input.
#[derive(Debug)]
pub struct Block {
    /// The input.
    pub source: Arc<Source>,
    /// The number of the first line or row, from 1.
    pub first: u64,
    /// The records.
    pub records: Records,
}

/// The records of a block.
#[derive(Debug)]
pub enum Records {
    /// Whole lines; whole records of CSV.
    Text(Vec<u8>),
    /// A line or row of more than [`MAX_RECORD`] bytes, which has been passed over.
    TooLong,
    /// Rows of Parquet: the positions, and the columns to keep.
    #[cfg(feature = "parquet")]
    Rows(arrow_array::ArrayRef, Vec<arrow_array::ArrayRef>),
}

/// What takes the blocks. If it fails, no more are needed.
pub type Take<'a> = &'a mut dyn FnMut(Block) -> Result<()>;

/// What to look for in the inputs.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The lines of text are pairs, not positions.
    pub pairs: bool,
    /// The column with the positions.
    pub column: String,
    /// The columns to keep; a single `all` means all.
    pub keep: Vec<String>,
    /// The output can take fields whose names are not known in advance.
    pub any_fields: bool,
    /// The other columns of the output.
    pub taken: Vec<String>,
    /// What messages advise.
    pub advice: Advice,
}

/// What to do about inputs with other columns than those wanted, in the words of whoever asks.
#[derive(Clone, Debug)]
pub struct Advice {
    /// What selects another column with the positions.
    pub column: &'static str,
    /// What to do if JSON lines cannot keep all fields.
    pub all_fields: &'static str,
}

impl Default for Advice {
    fn default() -> Advice {
        Advice { column: "`analyze --column`", all_fields: "name the columns to keep, or use --format jsonl" }
    }
}

impl Wanted {
    /// Whether all columns are to be kept.
    pub fn keep_all(&self) -> bool {
        self.keep == ["all"]
    }

    /// The place of the column with the positions among `names`.
    pub fn find(&self, names: &[&str]) -> Option<usize> {
        find(names, &self.column)
    }

    /// The columns to keep, by place and name.
    pub fn kept(&self, names: &[&str], input: &str) -> Result<(Vec<usize>, Vec<String>)> {
        let place = |name: &String| find(names, name).ok_or_else(|| no_column(input, name, " to keep", names));
        let kept: Vec<usize> = if self.keep_all() {
            (0..names.len()).collect()
        } else {
            self.keep.iter().map(place).collect::<Result<_>>()?
        };
        let kept_names: Vec<String> = kept.iter().map(|&place| names[place].to_owned()).collect();
        self.check_names(&kept_names, input)?;
        Ok((kept, kept_names))
    }

    /// Fails if two columns of the output would have the same name.
    pub fn check_names(&self, names: &[String], input: &str) -> Result<()> {
        let mut seen: HashSet<&String> = self.taken.iter().collect();
        match names.iter().find(|name| !seen.insert(name)) {
            None => Ok(()),
            Some(name) => bail!(
                "{}: cannot keep column {}, the output would have two columns of that name",
                printable(input),
                quoted(name)
            ),
        }
    }

    /// The error for an input without the column with the positions.
    pub fn missing(&self, names: &[&str], input: &str) -> Error {
        let error = no_column(input, &self.column, "", names);
        anyhow!("{error} ({} selects another)", self.advice.column)
    }
}

/// The place of a column: an exact match, or else a match that ignores case.
fn find(names: &[&str], wanted: &str) -> Option<usize> {
    let exact = names.iter().position(|name| *name == wanted);
    exact.or_else(|| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
}

fn no_column(input: &str, column: &str, purpose: &str, names: &[&str]) -> Error {
    let mut shown: String = names.join(", ").chars().take(300).collect();
    shown = printable(&shown);
    anyhow!("{} has no column {}{purpose}; its columns are {shown}", printable(input), quoted(column))
}
