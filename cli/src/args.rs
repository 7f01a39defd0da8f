//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Parser, Subcommand, ValueEnum};
use slider_attacks::analysis::Side;
use slider_attacks::diagram::Theme;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks::{Backend, ParseNameError, Slider, Square};
use slider_attacks_arrow::Product;

use crate::read::pairs;

/// Attack sets of the sliding pieces in chess positions, for many boards at a time.
#[derive(Parser, Debug)]
#[command(name = "slider-attacks", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Args {
    /// Compute with this backend: scalar, bmi2, ssse3, avx2, avx2-gfni, avx512, avx512-gfni [default: the one that `cpu` reports as chosen]
    ///
    /// With `verify`, check only this backend. With `bench`, compare this backend with scalar only.
    #[arg(long, global = true, value_name = "NAME", value_parser = str::parse::<Backend>)]
    pub backend: Option<Backend>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  slider-attacks attacks                   every slider of the embedded sample
  slider-attacks attacks a.epd --format csv
  zcat a.epd.gz | slider-attacks attacks - --slider queen --on-error skip
  echo 'd4 0x00ff00000000ff00' | slider-attacks pairs - --format board
  slider-attacks analyze games.csv.zst -o games.jsonl
  slider-attacks verify                    check every backend
  slider-attacks show fill-up d4 0x0000200000000200

Results go to standard output. Everything else goes to standard error.
Exit codes: 0 for success, 1 for bad input or a failed check, 2 for a wrong
command line, 128 plus the signal's number after a signal.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print the attack set of every rook, bishop and queen in chess positions
    #[command(after_long_help = ATTACKS_HELP)]
    Attacks(AttacksArgs),
    /// Print the attack sets for pairs of a square and an occupancy
    #[command(after_long_help = PAIRS_HELP)]
    Pairs(PairsArgs),
    /// Compute attack maps, attacker counts, mobility, pins, x-rays, hanging pieces and threats for files of positions
    #[command(after_long_help = ANALYZE_HELP)]
    Analyze(AnalyzeArgs),
    /// Print what was detected about this CPU, which backend was chosen, and why
    Cpu,
    /// Compare every available backend with the reference, exhaustively
    ///
    /// Checks each backend on all 64 squares with every subset of their rays, for three sliders and for a queen given as
    /// a set of sliders. That makes 1,119,744 boards for each of the four. Prints a table. If a backend differs, also draws
    /// the boards and exits with code 1.
    Verify,
    /// Time all available backends side by side and report whether the right one was chosen
    ///
    /// First compares their results. Then they take turns in one process, and the fastest turn of each counts.
    #[command(after_long_help = BENCH_HELP)]
    Bench(BenchArgs),
    /// List the scalar methods of computing attack sets: table sizes, operations, sources
    Methods(MethodsArgs),
    /// Draw the steps by which a method computes an attack set: masked line, product, index, table entry, attacks
    #[command(after_help = SHOW_HELP)]
    Show(ShowArgs),
    /// Serve attack sets and analyses to other programs, over Arrow Flight
    ///
    /// Starts `slider-attacks-serve`, which must be installed beside this command or on the PATH, with these arguments.
    /// `slider-attacks serve --help` lists those that it takes.
    #[command(disable_help_flag = true)]
    Serve(ServeArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

const SHOW_HELP: &str = "\
In a drawn number, bit 0 is a1 and bit 63 is h8. In a drawn index, bit 0 is on
the left. S is the slider.

Examples:
  slider-attacks show fill-up d4 0x0000200000000200 --line diagonal
  slider-attacks show rotated e4 0x00ff00000000ff00";

const ATTACKS_HELP: &str = "\
Input: FEN or EPD, one position per line; or CSV, JSON lines or Parquet with the
positions in a column or field named fen. See `slider-attacks analyze --help` for
the details of these formats and of compression.

The first four fields of a position are read and checked: board, side to move,
castling rights, en passant square. The rest of the line is ignored. Blank lines
and lines that start with # are skipped. Each side must have exactly one king;
otherwise, positions that cannot occur in a game are accepted.

Output: one row per slider, in the order of the input. The sliders of a position
are in the order a1, b1, ... h8. If the input has no positions, there are no rows,
and a note goes to standard error.
  line        number of the input line, or of the row in Parquet, from 1
  piece       letter as in FEN: R, B, Q for white, r, b, q for black
  square      the square of the slider
  occupancy   all pieces on the board, bit 0 = a1, bit 63 = h8
  attacks     the attacked squares, up to and including the first piece in
              each direction, whatever its colour
  count       number of attacked squares

Examples:
  slider-attacks attacks --format board | less
  slider-attacks attacks a.epd --slider rook,queen --format jsonl
  slider-attacks attacks a.epd --on-error skip > rows.txt";

const PAIRS_HELP: &str = "\
Input: one pair per line: a square (e4, or a number from 0 to 63 with a1 = 0,
b1 = 1, h8 = 63) and an occupancy (hexadecimal with 0x, or decimal), separated by
blanks. Blank lines are skipped, and so is everything from a # to the end of its
line. The input may be compressed with gzip or zstd.

Output: one row per pair, in the order of the input: line, slider, square,
occupancy, attacks, count.

Examples:
  echo 'e4 0x10000000000000' | slider-attacks pairs -
  slider-attacks pairs pairs.txt --slider rook --format csv";

const ANALYZE_HELP: &str = "\
INPUT
The format is detected from the content. Everything except Parquet may be
compressed with gzip or zstd.
  FEN, EPD    one position per line; blank lines and lines that start with # are
              skipped
  CSV         has a header; one column holds the positions; columns are separated
              by commas, tabs or semicolons
  JSON lines  one object per line; one field holds the position
  Parquet     one column holds the positions; must be a file, not standard input;
              needs a command that was built with the feature `parquet`
A line or record may take up to 1 MiB. Each side must have exactly one king.

FILE can also be
  a directory   gives all files below it whose names end in .fen, .epd, .csv, .tsv,
                .jsonl, .ndjson or .parquet, also with .gz or .zst after that
  a pattern     in quotation marks, so that no shell expands it: * and ? for parts
                of a name, ** for any directories, [a-c] for one of some letters
Both give files in the order of their names, folder by folder. They leave out names
that start with a dot, what is behind links to directories, and the output of this
run. LIST has a FILE in each line; blank lines are skipped.

OUTPUT
One row per position, in the order of the input. `line` is the number of the
input line, or of the row in Parquet, from 1. If there are several FILEs, or if FILE
is a directory or a pattern, or with LIST, the column `file` comes first, except with
--output-dir. The columns of --what:
  maps        white_attacks, black_attacks: the squares attacked by that side
  counts      white_attackers, black_attackers: for each square, in the order a1,
              b1, ... h8, how many pieces of that side attack it
  mobility    mobility: for the piece on each square, how many squares it attacks
              that its own side does not occupy
  pins        white_king_checkers, black_king_checkers: the pieces that give check
              to that king; white_pinned, black_pinned: the pieces of that side
              that are pinned to their king
  xrays       white_xrays, black_xrays: what the sliders of that side see behind
              the first piece in their way, up to and including the next piece
  hanging     white_hanging, black_hanging: pieces of that side, except its king,
              that the other side attacks and that side does not defend
  threats     threats: each attack by a piece on a piece of the other side, or of
              the side that --victims selects

A piece attacks the squares that it could capture on if an enemy stood there:
  - En passant captures appear in none of the columns.
  - A pinned piece still attacks and defends.
  - A check is also a threat, to the king.

FORMATS
A set of squares is `0x` and 16 digits in CSV and JSON lines, and an unsigned
64-bit number in the other formats; bit 0 = a1, bit 63 = h8. A threat
is written as Qd1xpd5: attacker, from, victim, to, with letters as in FEN. In
Parquet, it is a struct of four numbers: attacker, from, to, victim (the codes of
the letters, squares from 0). In NumPy, it is a row of the same four numbers in
threats.npy; the threats of position i are the rows from threats_offsets.npy[i] up
to, but not including, [i + 1]. There, `file` is the number of the FILE, from 0.

Columns copied with --keep, by the format of the output:
  Parquet     columns of Parquet keep their type; all others are text, including
              fields of JSON lines that are numbers or nested; at most 4096 columns
  JSON lines  values are numbers, true or false, null, text, or, if nested, arrays
              and objects; fields of JSON lines are copied unchanged
  CSV         nested values are JSON text; null is an empty field
CSV and JSON lines show times of Parquet as in RFC 3339, in UTC if they have a
time zone (2024-01-31T12:00:00Z), durations as in ISO 8601, decimal numbers as text
in full, and bytes in hexadecimal.

OUTPUT FILES
With -o, missing directories are made, and the file appears only once it is
complete. A run that fails or is interrupted leaves an existing file unchanged. The
new file takes the permissions and, if possible, the owner of the file that it
replaces. With --format npy, -o names a directory of arrays, one per column. Either
all of them appear or none; other files in it are left alone. A run that is killed,
or whose machine fails, can leave hidden files named .slider-attacks-*.

With --output-dir, the output of games/a.epd is DIR/a.epd.csv (or .jsonl, .parquet,
or for NumPy a directory DIR/a.epd). Files below a directory or the fixed part of a
pattern keep their path from there. Each output appears once it is complete. If a run
fails, the same command does the rest: it leaves out inputs whose output exists, and
names them on standard error. It does not look at their content or age, so add
--overwrite if options or inputs have changed.

SHARDS
`--shard K/N` reads part K of N of the input, so that N jobs share the work. The
files, one after the other, are cut into N parts of the same number of bytes. A file
belongs to the part that has its middle byte. Parquet files that lie in several parts
are cut between row groups, by the same rule. So the shards together have each row
once, and the outputs of shards 1 to N, joined in this order, are the output of the
whole (use --no-header for CSV). All jobs must see the same files. A shard can be
empty. With --output-dir, the output for rows 1 to 500 of a.parquet is named
DIR/a.parquet.rows-0001-0500.csv. To use another N or to add files, use another
directory, unless no input is cut.

Examples:
  slider-attacks analyze                                    the embedded sample
  slider-attacks analyze games.epd.gz --what maps,threats --format jsonl
  slider-attacks analyze lichess_db_puzzle.csv.zst --keep PuzzleId,Rating -o maps.csv
  slider-attacks analyze train.csv --what counts --format npy -o arrays
  slider-attacks analyze games.epd --summary --svg control.svg
  slider-attacks analyze games --what maps --output-dir maps --format parquet
  slider-attacks analyze 'games/**/*.epd' --shard 2/8 -o part-2.csv";

const BENCH_HELP: &str = "\
Rows: the backends, and `memory`, which reads and writes as many bytes as a call,
17 per pair, and computes nothing. With large arrays, a backend can be faster than
this, because it writes around the cache.

Columns:
  pairs       pairs per call; the largest arrays do not fit into the caches
  ns          nanoseconds per pair
  x scalar    how many times as fast as scalar
With --all:
  median      the median turn; the other columns show the fastest turn
  Mpairs/s    millions of pairs per second
  % memory    speed as a percentage of that of `memory`

The last lines say whether another backend was faster than the chosen one: by
more than 3 %, in both its fastest and its median turn.";

/// What `attacks` takes.
#[derive(clap::Args, Debug)]
pub struct AttacksArgs {
    /// A file of positions; `-` is standard input [default: the embedded sample]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Print only these sliders, such as rook,queen [default: all three]
    #[arg(long = "slider", value_name = "SLIDER", value_delimiter = ',', value_parser = one_of::<Slider, _>(Slider::ALL.map(Slider::name)))]
    pub sliders: Vec<Slider>,

    /// How to read and write.
    #[command(flatten)]
    pub stream: StreamArgs,
}

/// What `pairs` takes.
#[derive(clap::Args, Debug)]
pub struct PairsArgs {
    /// A file of pairs, one per line; `-` is standard input [default: a small embedded sample]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The slider on the squares
    #[arg(long, value_name = "SLIDER", value_parser = one_of::<Slider, _>(Slider::ALL.map(Slider::name)), default_value = "queen")]
    pub slider: Slider,

    /// How to read and write.
    #[command(flatten)]
    pub stream: StreamArgs,
}

/// What both `attacks` and `pairs` take.
#[derive(clap::Args, Debug)]
pub struct StreamArgs {
    /// The format of the rows
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    pub format: Format,

    /// What to do about a malformed line
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnError::Fail)]
    pub on_error: OnError,
}

/// What `analyze` takes.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("inputs").args(["files", "files_from"]).multiple(true)))]
pub struct AnalyzeArgs {
    /// Files of positions, directories, or patterns like 'games/**/*.epd'; `-` is standard input [default: the embedded sample]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Also read what the lines of this file name, one FILE each; `-` is standard input
    #[arg(long, value_name = "LIST")]
    pub files_from: Option<PathBuf>,

    /// Read only part K of N of the input, such as 2/8
    #[arg(long, value_name = "K/N", requires = "inputs")]
    pub shard: Option<Shard>,

    /// What to compute
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = products(), default_value = "maps,counts")]
    pub what: Vec<Product>,

    /// Write to this file, or, with npy, to this directory; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write an output for each input to this directory, and leave out the inputs whose output is there already
    #[arg(long, value_name = "DIR", requires = "inputs", conflicts_with_all = ["output", "summary", "limit"])]
    pub output_dir: Option<PathBuf>,

    /// Leave out no input: write all outputs again
    #[arg(long, requires = "output_dir")]
    pub overwrite: bool,

    /// The format of the rows [default: from the extension of the output; without one csv, or table with --summary]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<TableFormat>,

    /// Write CSV without its header, so that outputs can be joined
    #[arg(long, conflicts_with = "summary")]
    pub no_header: bool,

    /// The column or field that holds the positions; an exact match wins, else case is ignored
    #[arg(long, value_name = "NAME", default_value = "fen")]
    pub column: String,

    /// Input columns to copy to the output, or `all`; a line of FEN or EPD is one column, `fen`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub keep: Vec<String>,

    /// Instead of rows, print how often and by how many pieces each square is attacked over all positions
    #[arg(long, conflicts_with_all = ["what", "keep"])]
    pub summary: bool,

    /// Also draw the summary as a board, to this file
    #[arg(long, value_name = "FILE", requires = "summary")]
    pub svg: Option<PathBuf>,

    /// The colours of the drawn board
    #[arg(long, value_name = "THEME", value_parser = one_of::<Theme, _>(Theme::ALL.map(Theme::name)), default_value = "auto", requires = "svg")]
    pub theme: Theme,

    /// Let x-rays pass through pieces of this side, as seen from the slider
    #[arg(long, value_name = "SIDE", value_parser = one_of::<Side, _>(Side::ALL.map(Side::name)), default_value = "any")]
    pub through: Side,

    /// List threats to pieces of this side, as seen from the attacker
    #[arg(long, value_name = "SIDE", value_parser = one_of::<Side, _>(Side::ALL.map(Side::name)), default_value = "enemy")]
    pub victims: Side,

    /// The number of threads that compute [default: one per core, at most 32]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=32))]
    pub threads: Option<u16>,

    /// What to do about a malformed line
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnError::Fail)]
    pub on_error: OnError,

    /// Stop after this many positions
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<u64>,

    /// Print how long each stage took, to standard error
    #[arg(long)]
    pub stats: bool,
}

/// One of several parts of the input.
#[derive(Clone, Copy, Debug)]
pub struct Shard {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, Self::Err> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err("expected K/N with K from 1 to N, such as 2/8"),
        }
    }
}

/// The formats of `analyze`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Aligned columns; only with --summary
    Table,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Jsonl,
    /// A Parquet file, compressed with zstd
    Parquet,
    /// A directory of NumPy arrays, one per column
    Npy,
}

/// What `bench` takes.
#[derive(clap::Args, Debug)]
pub struct BenchArgs {
    /// Show more sizes and more columns
    #[arg(long)]
    pub all: bool,

    /// The number of pairs in the largest arrays, at 17 bytes per pair
    #[arg(long, value_name = "PAIRS", default_value_t = 4 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub pairs_in_memory: u32,
}

/// What `serve` takes.
#[derive(clap::Args, Debug)]
pub struct ServeArgs {
    /// What is handed on
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// What `methods` takes.
#[derive(clap::Args, Debug)]
pub struct MethodsArgs {
    /// Compare each method with the reference, exhaustively
    ///
    /// Checks all 64 squares with every subset of their rays, for three sliders: 3,359,232 attack sets per method. If a
    /// method differs, also draws the boards and exits with code 1.
    #[arg(long)]
    pub verify: bool,

    /// List or verify only these methods [default: all]
    #[arg(long = "method", value_name = "METHOD", value_delimiter = ',', value_parser = str::parse::<Method>)]
    pub methods: Vec<Method>,
}

/// What `show` takes.
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// A method listed by `slider-attacks methods`
    #[arg(value_name = "METHOD", value_parser = str::parse::<Method>)]
    pub method: Method,

    /// The square of the slider: a1 to h8, or a number from 0 to 63
    #[arg(value_name = "SQUARE", value_parser = pairs::square)]
    pub square: Square,

    /// All pieces on the board: hexadecimal with 0x, or decimal
    #[arg(value_name = "OCCUPANCY", value_parser = pairs::occupancy)]
    pub occupancy: u64,

    /// Draw only this line: rank, file, diagonal, anti-diagonal [default: all four]
    #[arg(long, value_name = "LINE", value_parser = one_of::<Line, _>(Line::ALL.map(Line::name)), hide_possible_values = true)]
    pub line: Option<Line>,
}

/// The formats of `attacks` and `pairs`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns with a header
    Table,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Jsonl,
    /// The occupancy and the attack set drawn as boards
    Board,
}

/// What to do about a malformed line.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// Report it and exit with code 1; standard output keeps the rows before it
    Fail,
    /// Report it on standard error and continue; report the number of malformed lines at the end
    Skip,
}

impl Args {
    /// The backend to compute with.
    pub fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::active)
    }

    /// The backends to examine: all available ones, or the requested one.
    pub fn backends(&self) -> Vec<Backend> {
        self.backend.map_or_else(|| Backend::available().collect(), |backend| vec![backend])
    }

    /// The same backends, with scalar first.
    pub fn backends_and_scalar(&self) -> Vec<Backend> {
        let others = self.backends().into_iter().filter(|&backend| backend != Backend::scalar());
        [Backend::scalar()].into_iter().chain(others).collect()
    }
}

/// What to say of Parquet where the feature is off.
pub const WITHOUT_PARQUET: &str = "this command was built without Parquet: build it with `--features parquet`";

/// Reads the name of a product.
fn products() -> impl TypedValueParser<Value = Product> {
    let value = |product: Product| PossibleValue::new(product.name()).help(product.description());
    PossibleValuesParser::new(Product::ALL.map(value)).try_map(|name| name.parse::<Product>())
}

/// Reads one of these names.
fn one_of<T, const N: usize>(names: [&'static str; N]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = ParseNameError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
