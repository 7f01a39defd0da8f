//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use slider_attacks::analysis::Side;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks::{Backend, Slider, Square};

use crate::read::pairs;

/// Attack sets of the sliding pieces in chess positions, many boards at a time.
#[derive(Parser, Debug)]
#[command(name = "slider-attacks", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Args {
    /// Compute with this backend: scalar, bmi2, ssse3, avx2, avx512 [default: what `cpu` says is chosen]
    ///
    /// `verify` then checks this one alone, and `bench` compares it with scalar alone.
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
  slider-attacks analyze games.csv.zst -o games.parquet
  slider-attacks verify                    every backend against the ray walk
  slider-attacks show fill-up d4 0x0000200000000200

Results go to standard output, everything else to standard error.
Exit codes: 0 for success, 1 for bad input or a failed check, 2 for a wrong
command line.";

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Attack sets of every rook, bishop and queen in chess positions (FEN or EPD)
    #[command(after_long_help = ATTACKS_HELP)]
    Attacks(AttacksArgs),
    /// Attack sets for raw pairs of a square and an occupancy
    #[command(after_long_help = PAIRS_HELP)]
    Pairs(PairsArgs),
    /// Attack maps, attacker counts, mobility, pins, x-rays, hanging pieces and threats of whole files of positions
    #[command(after_long_help = ANALYZE_HELP)]
    Analyze(AnalyzeArgs),
    /// What was detected of this CPU, and which backend was chosen for what reason
    Cpu,
    /// Compare every available backend with the ray walk, exhaustively
    ///
    /// 64 squares with every subset of their rays, three sliders, and a queen as a set of sliders: 1,119,744 boards for
    /// each backend and slider. A table at the end; on a difference the boards are drawn and the exit code is 1.
    Verify,
    /// Time all available backends side by side, and say whether the right one was chosen
    ///
    /// They take turns in one process, after their results were compared. The fastest turn of each counts.
    #[command(after_long_help = BENCH_HELP)]
    Bench(BenchArgs),
    /// The methods of the documents that attack sets can be computed by: tables, operations, sources
    Methods(MethodsArgs),
    /// Draw how a method comes to an attack set: masked line, product, index, table entry, attacks
    #[command(after_help = SHOW_HELP)]
    Show(ShowArgs),
    /// Write the completions of a shell to standard output
    Completions {
        /// For this shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Write the manual page to standard output
    Man,
}

const SHOW_HELP: &str = "\
Bit 0 of a number is drawn at a1, bit 63 at h8; of an index, bit 0 stands at the
left. S is the slider.

Examples:
  slider-attacks show fill-up d4 0x0000200000000200 --line diagonal
  slider-attacks show rotated e4 0x00ff00000000ff00";

const ATTACKS_HELP: &str = "\
Input: one position a line, FEN or EPD. The first four fields are read and
checked: board, side to move, castling rights, en passant square. What follows
them is ignored. Blank lines and lines that begin with # are skipped. Whether the
position can occur in a game is not asked, but each side has one king.

Output: a row for each slider, lines in the order of the input, and within a line
the squares from a1, b1 to h8. An input without positions gives no rows, and a
note on standard error.
  line        number of the input line, from 1
  piece       letter as in FEN: R, B, Q are white, r, b, q black
  square      where it stands
  occupancy   all pieces on the board, bit 0 = a1, bit 63 = h8
  attacks     the attacked squares, up to and including the first piece in
              each direction, whatever its colour
  count       how many they are

Examples:
  slider-attacks attacks --format board | less
  slider-attacks attacks a.epd --slider rook --slider queen --format jsonl
  slider-attacks attacks a.epd --on-error skip > rows.txt";

const PAIRS_HELP: &str = "\
Input: one pair a line, a square (e4, or 0 to 63 with a1 = 0, b1 = 1, h8 = 63)
and an occupancy (hexadecimal after 0x, or decimal), separated by blanks. Blank
lines, and everything from a # on, are skipped.

Output: a row for each pair, in the order of the input: line, slider, square,
occupancy, attacks, count.

Examples:
  echo 'e4 0x10000000000000' | slider-attacks pairs -
  slider-attacks pairs pairs.txt --slider rook --format csv";

const ANALYZE_HELP: &str = "\
Input, recognised by content; all but Parquet also compressed with gzip or zstd:
  FEN, EPD    one position a line; blank lines and lines that begin with # are
              skipped
  CSV         with a header, one column of which holds the positions
  JSON lines  an object a line, one field of which holds the position
  Parquet     one column of which holds the positions; not from standard input,
              for it is read from its end
A line or record has at most 1 MiB.

Output: a row for each position, in the order of the input. `line` is the number
of the input line, from 1, or in Parquet of the row; with more than one FILE,
`file` goes before it (in NumPy, its number from 0). The columns of --what:
  maps        white_attacks, black_attacks: the squares attacked by that side
  counts      white_attackers, black_attackers: 64 numbers, how many pieces of
              that side attack each square, a1, b1 to h8
  mobility    mobility: 64 numbers, how many squares the piece there attacks that
              no piece of its own side stands on
  pins        white_king_checkers, black_king_checkers: the pieces that give check
              to that king; white_pinned, black_pinned: the pieces of that side
              that are pinned to their king
  xrays       white_xrays, black_xrays: what the sliders of that side see behind
              the first piece in their way, up to and including the next one
  hanging     white_hanging, black_hanging: pieces of that side but its king,
              attacked by the other and not defended
  threats     threats: each attack of a piece on a piece of the other side, or of
              those of --victims

Sets of squares are `0x` and 16 digits in CSV and JSON lines, bit 0 = a1, bit 63
= h8, and unsigned 64-bit numbers elsewhere. A threat is written Qd1xpd5:
attacker, from, to, victim, letters as in FEN. In Parquet it has those four as
numbers (codes of the letters, squares from 0); in NumPy, rows of four numbers in
threats.npy, those of position i from threats_offsets.npy[i] to [i + 1].

-o FILE appears when it is whole: a run that fails or is interrupted leaves what
stood there before. With --format npy it names a directory, one array a column:
all of them appear, or none; what else stands there is left alone. A run that is
killed, or loses its machine, can leave hidden files .slider-attacks-*.

Examples:
  slider-attacks analyze                                    the embedded sample
  slider-attacks analyze games.epd.gz --what maps,threats --format jsonl
  slider-attacks analyze lichess_db_puzzle.csv.zst --keep PuzzleId,Rating -o maps.parquet
  slider-attacks analyze train.parquet --what counts --format npy -o arrays
  slider-attacks analyze games.epd --summary --svg control.svg";

const BENCH_HELP: &str = "\
Rows: the backends, and `memory`, which reads and writes as many bytes as a call,
17 per pair, and computes nothing. In large arrays a backend can be faster than
that, for it stores past the cache.

Columns:
  pairs       the size of a call; the largest arrays do not fit the caches
  ns          nanoseconds per pair
  x scalar    how many times as fast as scalar
With --all:
  median      of the turns; the other columns are of the fastest turn
  Mpairs/s    millions of pairs per second
  % memory    speed in percent of that of `memory`

The last lines say whether another backend was faster than the chosen one, by
more than 3 % of the fastest and of the median time.";

/// What `attacks` takes.
#[derive(clap::Args, Debug)]
pub struct AttacksArgs {
    /// Positions, one a line; `-` is standard input. Without FILE: the embedded sample
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Only these sliders; may be repeated [default: all three]
    #[arg(long = "slider", value_name = "SLIDER", value_parser = slider_parser())]
    pub sliders: Vec<Slider>,

    /// How to read and write.
    #[command(flatten)]
    pub stream: StreamArgs,
}

/// What `pairs` takes.
#[derive(clap::Args, Debug)]
pub struct PairsArgs {
    /// Pairs, one a line; `-` is standard input. Without FILE: a small embedded sample
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The slider that stands on the squares
    #[arg(long, value_name = "SLIDER", value_parser = slider_parser(), default_value = "queen")]
    pub slider: Slider,

    /// How to read and write.
    #[command(flatten)]
    pub stream: StreamArgs,
}

/// What `attacks` and `pairs` have in common.
#[derive(clap::Args, Debug)]
pub struct StreamArgs {
    /// How the rows are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Table)]
    pub format: Format,

    /// What to do about a malformed line
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnError::Fail)]
    pub on_error: OnError,
}

/// What `analyze` takes.
#[derive(clap::Args, Debug)]
pub struct AnalyzeArgs {
    /// Files of positions; `-` is standard input. Without FILE: the embedded sample
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What to compute
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum, default_value = "maps,counts")]
    pub what: Vec<Product>,

    /// Write there instead of to standard output; with npy: a directory
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// How the rows are written [default: by the extension of the output, else csv; table with --summary]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<TableFormat>,

    /// The name of the column or field with the positions; upper and lower case are not told apart
    #[arg(long, value_name = "NAME", default_value = "fen")]
    pub column: String,

    /// Input columns to copy to the output, `all` for all; of FEN and EPD the line is column `fen`
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub keep: Vec<String>,

    /// Instead of rows: how often and by how many pieces each square is attacked, over all positions
    #[arg(long, conflicts_with_all = ["what", "keep"])]
    pub summary: bool,

    /// Draw the summary as a board into this file
    #[arg(long, value_name = "FILE", requires = "summary")]
    pub svg: Option<PathBuf>,

    /// The colours of the board
    #[arg(long, value_enum, value_name = "THEME", default_value_t = Theme::Auto, requires = "svg")]
    pub theme: Theme,

    /// Let x-rays go through the pieces of this side, seen from the slider
    #[arg(long, value_name = "WHOSE", value_parser = side_parser(), default_value = "any")]
    pub through: Side,

    /// Let threats be on the pieces of this side, seen from the attacker
    #[arg(long, value_name = "WHOSE", value_parser = side_parser(), default_value = "enemy")]
    pub victims: Side,

    /// How many threads compute [default: one a core, at most 32]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=32))]
    pub threads: Option<u16>,

    /// What to do about a malformed line
    #[arg(long, value_enum, value_name = "ACTION", default_value_t = OnError::Fail)]
    pub on_error: OnError,

    /// Stop after so many positions
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<u64>,

    /// Tell on standard error how fast it went, and what took how long
    #[arg(long)]
    pub stats: bool,
}

/// What `analyze` computes.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Product {
    /// The attacked squares, by side
    Maps,
    /// How many pieces attack each square, by side
    Counts,
    /// How many squares each piece attacks on which no piece of its own side stands
    Mobility,
    /// Pinned pieces, by side, and checkers
    Pins,
    /// What sliders attack through a piece, by side
    Xrays,
    /// Pieces attacked and not defended, by side
    Hanging,
    /// Pairs of attacker and victim
    Threats,
}

/// How `analyze` writes rows.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Aligned columns; only with --summary
    Table,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object a line
    Jsonl,
    /// A Parquet file, compressed with zstd
    Parquet,
    /// A directory of NumPy arrays, one a column
    Npy,
}

/// The colours of a drawn board.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the reader of the picture prefers
    Auto,
    /// Dark on light
    Light,
    /// Light on dark
    Dark,
}

/// What `bench` takes.
#[derive(clap::Args, Debug)]
pub struct BenchArgs {
    /// Show more sizes and more columns
    #[arg(long)]
    pub all: bool,

    /// Number of pairs in the largest arrays, 17 bytes per pair
    #[arg(long, value_name = "PAIRS", default_value_t = 4 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub pairs_in_memory: u32,
}

/// What `methods` takes.
#[derive(clap::Args, Debug)]
pub struct MethodsArgs {
    /// Compare each with the ray walk, exhaustively
    ///
    /// 64 squares with every subset of their rays, three sliders: 3,359,232 attack sets for each method. On a
    /// difference the boards are drawn and the exit code is 1.
    #[arg(long)]
    pub verify: bool,

    /// Only this method; may be repeated [default: all]
    #[arg(long = "method", value_name = "METHOD", value_parser = str::parse::<Method>)]
    pub methods: Vec<Method>,
}

/// What `show` takes.
#[derive(clap::Args, Debug)]
pub struct ShowArgs {
    /// A name that `slider-attacks methods` lists
    #[arg(value_name = "METHOD", value_parser = str::parse::<Method>)]
    pub method: Method,

    /// Where the slider stands: a1 to h8, or a number from 0 to 63
    #[arg(value_name = "SQUARE", value_parser = pairs::square)]
    pub square: Square,

    /// All pieces: 0x and hexadecimal digits, or a decimal number
    #[arg(value_name = "OCCUPANCY", value_parser = pairs::occupancy)]
    pub occupancy: u64,

    /// Only this line: rank, file, diagonal, anti-diagonal [default: all four]
    #[arg(long, value_name = "LINE", value_parser = line_parser(), hide_possible_values = true)]
    pub line: Option<Line>,
}

/// How rows are written.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns with a header
    Table,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object a line
    Jsonl,
    /// Both boards drawn, occupancy and attack set
    Board,
}

/// What to do about a malformed line.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// Name it, end with exit code 1; of the lines before it, rows are written to standard output alone
    Fail,
    /// Name it on standard error and go on; their number is told at the end, the exit code is 0
    Skip,
}

impl Args {
    /// The backend to compute with.
    pub fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::active)
    }

    /// The backends to look at: all, or the one that was asked for.
    pub fn backends(&self) -> Vec<Backend> {
        self.backend.map_or_else(|| Backend::available().collect(), |backend| vec![backend])
    }

    /// The same, and scalar before them.
    pub fn backends_and_scalar(&self) -> Vec<Backend> {
        let others = self.backends().into_iter().filter(|&backend| backend != Backend::scalar());
        [Backend::scalar()].into_iter().chain(others).collect()
    }
}

fn slider_parser() -> impl TypedValueParser<Value = Slider> {
    PossibleValuesParser::new(Slider::ALL.map(Slider::name)).try_map(|name| name.parse::<Slider>())
}

fn side_parser() -> impl TypedValueParser<Value = Side> {
    PossibleValuesParser::new(Side::ALL.map(Side::name)).try_map(|name| name.parse::<Side>())
}

fn line_parser() -> impl TypedValueParser<Value = Line> {
    PossibleValuesParser::new(Line::ALL.map(Line::name)).try_map(|name| name.parse::<Line>())
}
