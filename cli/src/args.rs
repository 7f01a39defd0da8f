//! The command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgGroup, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use slider_attacks::analysis::KeyKind;
use slider_attacks::diagram::Theme;
use slider_attacks::line::Line;
use slider_attacks::methods::Method;
use slider_attacks::position::Position;
use slider_attacks::{Backend, Slider, Square};
use slider_attacks_arrow::{Integers, MOST_THREADS, OnError, OptionKind, Options, Plan, Product};
use slider_attacks_files::input::{Shard, WRITE_URL, display_path, is_url};
use slider_attacks_files::keys::KeySelection;
use slider_attacks_formats::error::printable;
use slider_attacks_formats::games::{Condition, Games};
use slider_attacks_formats::request::Wanted;
use slider_attacks_formats::{pairs, training};
use slider_attacks_query::{PositionQuery, QueryError};
use slider_attacks_rows::boards;
use slider_attacks_rows::conditions::RowChoice;
use slider_attacks_rows::convert::labels::NamedColumns;
use slider_attacks_rows::format::{ListedFormat, RecordFormat, SliderFormat, SummaryFormat, TableFormat};
use slider_attacks_rows::pipeline::default_threads;
use slider_attacks_rows::sums::groups::GroupLimit;
use slider_attacks_rows::sums::keys::Key;

use crate::target::is_stdout;

mod help;

/// /// Compute attack maps, pins, mobility and more for millions of chess positions.
#[derive(Parser, Debug)]
#[command(name = "slider-attacks", version, max_term_width = 100, after_help = help::EXAMPLES)]
pub struct Args {
    /// Use this backend: scalar, bmi2, ssse3, avx2, avx2-gfni, avx512, avx512-gfni, neon [default: the best for this CPU, see `cpu`]
    ///
    /// With `verify`, check only this backend. With `bench`, compare only this backend and scalar.
    #[arg(long, global = true, value_name = "NAME", value_parser = str::parse::<Backend>)]
    pub backend: Option<Backend>,

    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Print the attack set of every rook, bishop and queen in chess positions
    #[command(after_long_help = help::ATTACKS_HELP)]
    Attacks(AttacksArgs),
    /// Print the attack sets for pairs of a square and an occupancy
    #[command(after_long_help = help::PAIRS_HELP)]
    Pairs(PairsArgs),
    /// Compute products of positions in files, such as attack maps, pins and threats
    #[command(after_long_help = help::analyze())]
    Analyze(AnalyzeArgs),
    /// Sum products by square and by group, such as phase, result or player
    #[command(after_long_help = help::SUMMARIZE_HELP)]
    Summarize(SummarizeArgs),
    /// Convert positions to FEN, EPD, CSV, JSON lines, Parquet or training records
    #[command(after_long_help = help::CONVERT_HELP)]
    Convert(ConvertArgs),
    /// List the products that `analyze` and `summarize` compute, or what their columns share
    Products(ProductsArgs),
    /// Print the detected CPU features, the selected backend, and the reason
    Cpu,
    /// Compare every available backend with the reference, exhaustively
    ///
    /// Checks each backend on all 64 squares with every subset of their rays, for the three sliders and for a queen as a set of sliders: 1,119,744 boards for each of the four. Prints a table. If a backend differs, also draws the boards and exits with code 1.
    Verify,
    /// Time all available backends and report whether the fastest one was selected
    ///
    /// First compares their results. Then the backends alternate in one process, and the fastest turn of each counts.
    #[command(after_long_help = help::BENCH_HELP)]
    Bench(BenchArgs),
    /// List the methods that compute one attack set at a time: table sizes, operations, sources
    Methods(MethodsArgs),
    /// Draw how a method computes an attack set: masked line, product, index, table entry, attacks
    #[command(after_help = help::SHOW_HELP)]
    Show(ShowArgs),
    /// Count the leaves of the tree of legal moves (perft)
    ///
    /// Counts the leaves of the game tree by the legal moves of whole arrays of positions. Published counts test the move generator, and the time is a benchmark of it.
    #[command(after_long_help = help::PERFT_HELP)]
    Perft(PerftArgs),
    /// Serve attack sets and products to other programs, over Arrow Flight and HTTP
    ///
    /// Starts `slider-attacks-serve` with these arguments. It must be installed next to this command or on the PATH.
    /// `slider-attacks serve --help` lists its arguments.
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

/// The arguments of `attacks`.
#[derive(clap::Args, Debug)]
pub struct AttacksArgs {
    /// A file of positions; `-` is standard input [default: the embedded sample]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Print only these sliders, such as rook,queen [default: all three]
    #[arg(long = "slider", value_name = "SLIDER", value_delimiter = ',', value_parser = one_of(Slider::ALL, Slider::name))]
    pub sliders: Vec<Slider>,

    /// Take only positions for which this condition holds, such as 'black_to_move and ply > 20'; `analyze --help` has the language
    #[arg(long = "where", value_name = "CONDITION", value_parser = ConditionParser)]
    pub condition: Option<PositionQuery>,

    /// How to read and write.
    #[command(flatten)]
    pub stream: StreamArgs,
}

/// The arguments of `pairs`.
#[derive(clap::Args, Debug)]
pub struct PairsArgs {
    /// A file of pairs, one per line; `-` is standard input [default: a small embedded sample]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The slider on the squares
    #[arg(long, value_name = "SLIDER", value_parser = one_of(Slider::ALL, Slider::name), default_value = "queen")]
    pub slider: Slider,

    /// How to read and write.
    #[command(flatten)]
    pub stream: StreamArgs,
}

/// The arguments of both `attacks` and `pairs`.
#[derive(clap::Args, Debug)]
pub struct StreamArgs {
    /// The format of the rows
    #[arg(long, value_name = "FORMAT", value_parser = format(SliderFormat::ALL), default_value = "table")]
    pub format: SliderFormat,

    /// How to handle malformed lines
    #[arg(long, value_name = "ACTION", value_parser = on_error(&[OnError::Fail, OnError::Skip]), default_value = "fail")]
    pub on_error: OnError,
}

/// Why `--csv-safe` is wrong with other formats.
pub const ONLY_CSV: &str = "--csv-safe is for CSV: other formats are not opened as spreadsheets";

/// The input arguments of `analyze`, `summarize` and `convert`.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("inputs").args(["files", "files_from"]).multiple(true)))]
pub struct ReadArgs {
    /// Files of positions, directories, or patterns like 'games/**/*.epd'; `-` is standard input [default: the embedded sample]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Also read the FILEs that this file lists, one per line; `-` is standard input
    #[arg(long, value_name = "LIST")]
    pub files_from: Option<PathBuf>,

    /// Read training records in this format; needed if neither the extension nor the first bytes show it
    #[arg(long, value_name = "NAME", value_parser = one_of(training::TrainingFormat::ALL, training::TrainingFormat::name), requires = "inputs")]
    pub from: Option<training::TrainingFormat>,

    /// Read only part K of N of the input, such as 2/8
    #[arg(long, value_name = "K/N", requires = "inputs")]
    pub shard: Option<Shard>,

    /// The column or field with the positions or games; an exact match wins over one that differs only in case
    #[arg(long, value_name = "NAME", default_value = "fen")]
    pub column: String,

    /// In PGN, read only games whose tags meet these conditions, such as 'WhiteElo>=2200'; several must all hold
    #[arg(long, value_name = "CONDITIONS", value_parser = conditions)]
    pub games: Vec<Conditions>,

    /// Take only games with a position for which this condition holds, of those that are read, such as 'white_queens & e6'
    #[arg(long, value_name = "CONDITION", value_parser = ConditionParser)]
    pub games_where: Option<PositionQuery>,

    /// In games, also read the positions of variations
    #[arg(long)]
    pub variations: bool,

    /// In games, read positions from this ply on; 0 is the starting position
    #[arg(long, value_name = "PLY", default_value_t = 0)]
    pub from_ply: u32,

    /// In games, read positions up to this ply
    #[arg(long, value_name = "PLY")]
    pub to_ply: Option<u32>,

    /// In games, read only every NUMBER-th position, counted from --from-ply
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,

    /// Use the position after the first move of the column `Moves`, as Lichess puzzles need
    #[arg(long)]
    pub after_first_move: bool,

    /// Take only positions for which this condition holds, such as 'white_pinned & white_queens and ply > 20'; `analyze --help` has the language
    #[arg(long = "where", value_name = "CONDITION", value_parser = ConditionParser)]
    pub condition: Option<PositionQuery>,

    /// Take each position only once: the first of those that are equal as repetitions are counted (position), also up to mirror images (canonical), or in Polyglot's books (polyglot) [default without KEY: position]
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true, default_missing_value = KeyKind::Position.name(), value_parser = one_of(KeyKind::ALL, KeyKind::name))]
    pub unique: Option<KeyKind>,

    /// The bytes that --unique may take for keys, at 12 per position
    #[arg(long, value_name = "BYTES", default_value_t = KeySelection::MEMORY, requires = "unique")]
    pub unique_memory: u64,

    /// Take only the positions of part K of N, such as 2/8: equal positions are in the same part
    #[arg(long, value_name = "K/N")]
    pub key_shard: Option<Shard>,

    /// Stop after this many positions
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<u64>,

    /// The number of compute threads, from 1 to 256 [default: one per core, at most 32]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub threads: Option<u16>,

    /// About how many bytes a block of text has, so that tests can put their ends anywhere
    #[arg(long, value_name = "NUMBER", hide = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub block_bytes: Option<u32>,
}

/// What `analyze`, `summarize` and `convert` do about errors, and whether they report what they did.
#[derive(clap::Args, Debug)]
pub struct FailureArgs {
    /// Go on with the next FILE after one that fails; the exit code is 1 in the end
    #[arg(long, requires = "inputs", conflicts_with = "unique")]
    pub keep_going: bool,

    /// End the run after more than this many errors: malformed lines that are skipped or null, and FILEs that fail
    #[arg(long, value_name = "NUMBER")]
    pub max_errors: Option<u64>,

    /// Write what the run did to this file, as JSON: inputs, positions, errors, options
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

impl FailureArgs {
    /// What is wrong with them, given how malformed lines are handled, and the output.
    pub fn problem(&self, on_error: OnError, output: Option<&Path>) -> Option<&'static str> {
        match on_error {
            OnError::Fail if self.max_errors.is_some() && !self.keep_going => Some(
                "without --keep-going or --on-error skip or null, the first error ends the run: leave out --max-errors",
            ),
            _ if self.report.as_deref().is_some_and(is_stdout) && output.is_none_or(is_stdout) => {
                Some("results and the report cannot both go to standard output: use --output or another --report")
            }
            _ => None,
        }
    }
}

/// An item of `--what` of `analyze`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalyzeWhat {
    /// The bitboards of the pieces, and the rest of the position, which are no product.
    Boards,
    /// A product.
    Product(Product),
}

/// The arguments of `analyze`.
#[derive(clap::Args, Debug)]
pub struct AnalyzeArgs {
    /// What to read.
    #[command(flatten)]
    pub read: ReadArgs,

    /// What to do about errors.
    #[command(flatten)]
    pub failures: FailureArgs,

    /// Write a row for each legal move, in the column `move`; everything else but `line` and kept columns is that of the position after it
    #[arg(long)]
    pub each_move: bool,

    /// What to compute
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = what(), default_value = "maps")]
    pub what: Vec<AnalyzeWhat>,

    /// Write to this file, or, with npy, to this directory; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write one output per input to this directory, and leave out inputs whose output exists
    #[arg(long, value_name = "DIR", requires = "inputs", conflicts_with_all = ["output", "limit", "unique"])]
    pub output_dir: Option<PathBuf>,

    /// Also write outputs that exist already
    #[arg(long, requires = "output_dir")]
    pub overwrite: bool,

    /// The format of the rows [default: by the extension of the output, else csv]
    #[arg(long, value_name = "FORMAT", value_parser = format(TableFormat::ALL))]
    pub format: Option<TableFormat>,

    /// Write CSV without a header, so that outputs can be concatenated
    #[arg(long)]
    pub no_header: bool,

    /// In CSV, put an apostrophe before texts that begin with =, +, - or @, so that spreadsheets do not evaluate them; numbers are unchanged
    #[arg(long)]
    pub csv_safe: bool,

    /// Input columns to copy to the output, or `all`: the columns or fields of tables; `fen` of lines of FEN or EPD; the tags of PGN, and the columns of PGN and records listed below; in JSON lines, also a path to a nested field, such as evals.0.cp. NumPy output takes only numeric columns
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub keep: Vec<String>,

    /// The type of integers in Parquet and NumPy arrays
    #[arg(long, value_name = "SIGN", value_parser = integers(), default_value = "unsigned")]
    pub integers: Integers,

    /// The options of products.
    #[command(flatten)]
    pub options: ProductOptions,

    /// How to handle malformed lines; NumPy output allows only fail and skip
    #[arg(long, value_name = "ACTION", value_parser = on_error(OnError::ALL), default_value = "fail")]
    pub on_error: OnError,

    /// Print the time of each stage to standard error
    #[arg(long)]
    pub stats: bool,
}

/// Options that change products: an argument for each of [`Options::ALL`].
#[derive(Debug)]
pub struct ProductOptions(Options);

impl ProductOptions {
    /// A plan of products, with these options.
    pub fn plan(&self, products: impl IntoIterator<Item = Product>, backend: Backend) -> Plan {
        Plan::new(products).backend(backend).options(self.0)
    }

    /// Their names and values.
    fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        Options::ALL.iter().map(|option| (option.name(), option.value(&self.0)))
    }
}

impl clap::Args for ProductOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(Options::ALL.iter().map(|option| {
            let argument = Arg::new(option.name()).long(option.name()).value_name(option.value_name());
            let argument = argument.help(option.help()).default_value(option.default());
            match option.kind() {
                OptionKind::Choice(names) => argument.value_parser(PossibleValuesParser::new(names)),
                _ => argument.value_parser(|text: &str| {
                    let set = Options::default().set(option.name(), text);
                    set.map(|()| text.to_owned()).map_err(|error| error.reason())
                }),
            }
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        ProductOptions::augment_args(command)
    }
}

impl FromArgMatches for ProductOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ProductOptions, clap::Error> {
        let mut options = ProductOptions(Options::default());
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for name in Options::ALL.iter().map(|option| option.name()) {
            if let Some(value) = matches.get_one::<String>(name) {
                let set = self.0.set(name, value);
                set.map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, error))?;
            }
        }
        Ok(())
    }
}

impl AnalyzeArgs {
    /// The settings recorded in Parquet files: names of options, and their values.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let what = self.what.iter().map(|what| match what {
            AnalyzeWhat::Boards => boards::NAME,
            AnalyzeWhat::Product(product) => product.name(),
        });
        let mut settings = vec![("command", "analyze".to_owned()), ("what", what.collect::<Vec<_>>().join(","))];
        settings.extend(each_move(self.each_move));
        settings.extend(self.read.condition_settings());
        settings.push(("integers", self.integers.to_string()));
        settings.push(("on_error", self.on_error.to_string()));
        settings.extend(self.options.settings());
        settings
    }
}

/// The setting of `--each-move`, if it is set.
fn each_move(is_set: bool) -> Option<(&'static str, String)> {
    is_set.then(|| ("each_move", true.to_string()))
}

/// The arguments of `summarize`.
#[derive(clap::Args, Debug)]
pub struct SummarizeArgs {
    /// What to read.
    #[command(flatten)]
    pub read: ReadArgs,

    /// What to do about errors.
    #[command(flatten)]
    pub failures: FailureArgs,

    /// Add up FILEs of sums, such as those of all shards: outputs of this command with the same options, in csv, jsonl or parquet
    #[arg(long, requires = "inputs", conflicts_with_all = ["shard", "key_shard", "keep_going", "max_errors", "report"])]
    pub merge: bool,

    /// Sum the positions after each legal move, not those that are read
    #[arg(long)]
    pub each_move: bool,

    /// What to sum
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = products(), default_value = "counts")]
    pub what: Vec<Product>,

    /// Group by these keys: side (to move), phase, or columns of the input, with a step for numbers, such as ply:10
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = str::parse::<Key>)]
    pub by: Vec<Key>,

    /// The bytes that groups may take in memory; more go to temporary files, in the directory TMPDIR
    #[arg(long, value_name = "BYTES", default_value_t = GroupLimit::MEMORY)]
    pub group_memory: u64,

    /// Write to this file, or, with npy, to this directory; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The output format [default: by the extension of the output, else table]
    #[arg(long, value_name = "FORMAT", value_parser = format(SummaryFormat::ALL))]
    pub format: Option<SummaryFormat>,

    /// In CSV, put an apostrophe before texts that begin with =, +, - or @, so that spreadsheets do not evaluate them; numbers are unchanged
    #[arg(long)]
    pub csv_safe: bool,

    /// The colours of drawn boards
    #[arg(long, value_name = "THEME", value_parser = one_of(Theme::ALL, Theme::name), default_value = "auto")]
    pub theme: Theme,

    /// The options of products.
    #[command(flatten)]
    pub options: ProductOptions,

    /// How to handle malformed lines
    #[arg(long, value_name = "ACTION", value_parser = on_error(&[OnError::Fail, OnError::Skip]), default_value = "fail")]
    pub on_error: OnError,
}

impl SummarizeArgs {
    /// The settings recorded in Parquet files: names of options, and their values.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let what: Vec<&str> = self.what.iter().map(|product| product.name()).collect();
        let by = self.by.iter().map(|key| key.step.map_or(key.name.clone(), |step| format!("{}:{step}", key.name)));
        let by = by.collect::<Vec<_>>().join(",");
        let mut settings = vec![("command", "summarize".to_owned()), ("what", what.join(",")), ("by", by)];
        settings.extend(each_move(self.each_move));
        settings.extend(self.read.condition_settings());
        settings.push(("on_error", self.on_error.to_string()));
        settings.extend(self.options.settings());
        settings
    }
}

/// The arguments of `convert`.
#[derive(clap::Args, Debug)]
#[command(mut_group("inputs", |inputs| inputs.required(true)))]
#[command(mut_arg("files", |files| files.help(help::CONVERT_FILES)))]
pub struct ConvertArgs {
    /// What to read.
    #[command(flatten)]
    pub read: ReadArgs,

    /// What to do about errors.
    #[command(flatten)]
    pub failures: FailureArgs,

    /// Write to this file; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The output format [default: by the extension of the output]
    #[arg(long, value_name = "FORMAT", value_parser = format(RecordFormat::ALL))]
    pub to: Option<RecordFormat>,

    /// The column or field with the scores: centipawns from White's view, or mates such as #-3 [default: score, or eval of PGN]
    #[arg(long, value_name = "NAME")]
    pub score: Option<String>,

    /// The column or field with the moves to mate, for positions without a score; negative if Black mates [default: mate]
    #[arg(long, value_name = "NAME")]
    pub mate: Option<String>,

    /// The column or field with the results: 1-0, 1/2-1/2, 0-1, or 1, 0.5, 0 [default: result]
    #[arg(long, value_name = "NAME")]
    pub result: Option<String>,

    /// The column or field with the moves played from the positions: in UCI, SAN, or 16 bits [default: next_uci, next_move or next_san]
    #[arg(long = "move", value_name = "NAME")]
    pub played: Option<String>,

    /// How to handle malformed lines
    #[arg(long, value_name = "ACTION", value_parser = on_error(&[OnError::Fail, OnError::Skip]), default_value = "fail")]
    pub on_error: OnError,
}

impl ConvertArgs {
    /// The columns that the command line names.
    pub fn named(&self) -> NamedColumns {
        let (score, mate) = (self.score.clone(), self.mate.clone());
        NamedColumns { score, mate, result: self.result.clone(), played: self.played.clone() }
    }

    /// The settings recorded in Parquet files: names of options, and their values.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("command", "convert".to_owned())];
        settings.extend(self.read.condition_settings());
        settings.push(("on_error", self.on_error.to_string()));
        settings
    }
}

/// The extension of the name of an output, in lower case.
pub fn extension(output: &Option<PathBuf>) -> Option<String> {
    Some(output.as_ref()?.extension()?.to_str()?.to_ascii_lowercase())
}

/// Reads a condition on positions. Of a long one that is wrong, the message shows the part around the place.
#[derive(Clone)]
struct ConditionParser;

impl TypedValueParser for ConditionParser {
    type Value = PositionQuery;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<PositionQuery, clap::Error> {
        let text = value.to_str().ok_or_else(|| clap::Error::new(ErrorKind::InvalidUtf8).with_cmd(command))?;
        text.parse().map_err(|error: QueryError| {
            let argument = argument.map_or_else(String::new, |argument| format!(" for '{argument}'"));
            let message = format!("invalid value '{}'{argument}: {error}\n", printable(&error.around(text)));
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

/// Conditions. All must hold.
pub type Conditions = Vec<Condition>;

/// Reads conditions.
fn conditions(text: &str) -> Result<Conditions, String> {
    Condition::list(text)
}

impl ReadArgs {
    /// Which games are wanted, and which of their positions.
    pub fn games(&self) -> Games {
        Games {
            variations: self.variations,
            from_ply: self.from_ply,
            to_ply: self.to_ply.unwrap_or(u32::MAX),
            every: self.every,
            conditions: self.games.concat(),
            by_positions: self.games_where.is_some(),
        }
    }

    /// An error for any output format, if the name of the output has this extension; `other` is a more specific one.
    pub fn problem(&self, extension: Option<&str>, other: Option<&'static str>) -> Option<&'static str> {
        let has_no_plies = self.to_ply.is_some_and(|to_ply| to_ply < self.from_ply);
        let is_compressed = matches!(extension, Some("gz" | "zst" | "bz2" | "xz" | "zip"));
        let compressed = "compressed output is not supported: pipe standard output into a compressor";
        has_no_plies.then_some("--to-ply is before --from-ply").or(other).or(is_compressed.then_some(compressed))
    }

    /// The conditions as they are recorded in Parquet files.
    fn condition_settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let settings = [("games_where", &self.games_where), ("where", &self.condition)];
        settings.into_iter().filter_map(|(name, query)| Some((name, query.as_ref()?.text().to_owned())))
    }

    /// How many threads compute.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(default_threads, usize::from)
    }

    /// Which positions are taken.
    pub fn choice(&self) -> RowChoice {
        let advice = "raise --unique-memory, or take the positions of one part at a time with --key-shard K/N";
        let selection = KeySelection::new(self.unique, Some(self.unique_memory), self.key_shard, advice);
        RowChoice { condition: self.condition.clone(), games: self.games_where.clone(), selection }
    }

    /// What is wrong with the condition if rows are positions after moves.
    pub fn condition_problem(&self, each_move: bool) -> Option<&'static str> {
        let asks = self.condition.as_ref().is_some_and(PositionQuery::asks_for_played_move);
        (each_move && asks).then_some(
            "move_captures, move_promotes and move_checks are about the move played next, which no position after --each-move has",
        )
    }

    /// The requested columns, games and positions.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            from: self.from,
            column: self.column.clone(),
            games: self.games(),
            after_first_move: self.after_first_move,
            block_bytes: self.block_bytes.map(|bytes| bytes as usize),
            ..Wanted::default()
        }
    }
}

/// The arguments of `bench`.
#[derive(clap::Args, Debug)]
pub struct BenchArgs {
    /// Print more sizes and columns
    #[arg(long)]
    pub all: bool,

    /// The number of pairs in the largest arrays, at 17 bytes per pair
    #[arg(long, value_name = "PAIRS", default_value_t = 4 << 20, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    pub pairs_in_memory: u32,
}

/// The arguments of `perft`.
#[derive(clap::Args, Debug)]
pub struct PerftArgs {
    /// The position, in one argument: FEN, of chess or of Chess960
    #[arg(value_name = "FEN", value_parser = str::parse::<Position>, default_value = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")]
    pub fen: Position,

    /// The depth of the tree, in plies
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(..=MOST_PLIES))]
    pub depth: u8,

    /// Also print the leaves after each move
    #[arg(long)]
    pub divide: bool,

    /// The number of compute threads, from 1 to 256 [default: one per core, at most 32]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS as i64))]
    pub threads: Option<u16>,
}

/// The greatest depth of `perft`. Unless nearly all moves are forced, more would take centuries.
const MOST_PLIES: i64 = 30;

/// The arguments of `serve`.
#[derive(clap::Args, Debug)]
pub struct ServeArgs {
    /// Arguments for `slider-attacks-serve`
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// The arguments of `products`.
#[derive(clap::Args, Debug)]
pub struct ProductsArgs {
    /// List what each column needs: what is computed once for all columns of a run
    ///
    /// Columns with `attacks` and the same rays share these, for each block of positions. Columns that are derived from others are computed from these if they are selected as well. `white_gains` and `black_gains` are computed together; other columns without any share nothing.
    #[arg(long)]
    pub needs: bool,
}

/// The arguments of `methods`.
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

/// The arguments of `show`.
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
    #[arg(long, value_name = "LINE", value_parser = one_of(Line::ALL, Line::name), hide_possible_values = true)]
    pub line: Option<Line>,
}

impl Command {
    /// For a command that reads files, whether it also writes to named files.
    pub fn writes_files(&self) -> Option<bool> {
        let is_file = |path: &Option<PathBuf>| path.as_deref().is_some_and(|path| path.as_os_str() != "-");
        match self {
            Command::Analyze(args) => Some(is_file(&args.output) || args.output_dir.is_some()),
            Command::Summarize(args) => Some(is_file(&args.output)),
            Command::Convert(args) => Some(is_file(&args.output)),
            _ => None,
        }
    }
}

impl Args {
    /// Says what is wrong with the arguments of a command, and ends the process.
    pub fn exit(name: &str, problem: &str) -> ! {
        let mut command = Args::command();
        command.build();
        let command = command.find_subcommand_mut(name).expect("it is a command");
        command.error(ErrorKind::ArgumentConflict, problem).exit()
    }

    /// Checks that no output is a URL, unless these are written, and that the report is none. If one is, says so, and ends the process.
    pub fn refuse_urls<'p>(
        name: &str,
        outputs: impl IntoIterator<Item = &'p Option<PathBuf>>,
        report: &'p Option<PathBuf>,
    ) {
        let has_urls = cfg!(feature = "cloud");
        let outputs = outputs.into_iter().filter(|_| !has_urls);
        if let Some(url) = outputs.chain([report]).flatten().find(|path| is_url(path)) {
            let advice = if has_urls { "a report is written to a local file" } else { WRITE_URL };
            Args::exit(name, &format!("{} is a URL, not a path: {advice}", display_path(url)));
        }
    }

    /// Why an output cannot have the format of NumPy arrays, if it cannot.
    pub fn npy_problem(output: Option<&Path>) -> Option<&'static str> {
        match output {
            None => Some("the format npy needs a directory: use --output"),
            Some(path) if path.as_os_str() == "-" => Some("the format npy needs a directory: use --output"),
            Some(path) if is_url(path) => Some("NumPy arrays are written to local directories"),
            Some(_) => None,
        }
    }

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

/// Reads the name of a product that can be summed up.
fn products() -> impl TypedValueParser<Value = Product> {
    listed(
        Product::ALL
            .iter()
            .filter(|product| product.has_sums())
            .map(|product| (*product, product.name(), product.definition())),
    )
}

/// Reads the name of a product, or of the bitboards.
fn what() -> impl TypedValueParser<Value = AnalyzeWhat> {
    let products =
        Product::ALL.iter().map(|product| (AnalyzeWhat::Product(*product), product.name(), product.definition()));
    listed([(AnalyzeWhat::Boards, boards::NAME, boards::DEFINITION)].into_iter().chain(products))
}

/// Reads one of these answers to malformed lines.
fn on_error(possible: &[OnError]) -> impl TypedValueParser<Value = OnError> {
    listed(possible.iter().map(|on_error| (*on_error, on_error.name(), on_error.meaning())))
}

/// Reads the name of integers.
fn integers() -> impl TypedValueParser<Value = Integers> {
    listed(Integers::ALL.iter().map(|integers| (*integers, integers.name(), integers.meaning())))
}

/// Reads the name of one of these formats.
fn format<T: Copy + Send + Sync>(all: &'static [ListedFormat<T>]) -> impl TypedValueParser<Value = T> {
    listed(all.iter().map(|&(format, name, meaning, _)| (format, name, meaning)))
}

/// Reads the name of one of these values, which is all that is said of them.
fn one_of<T, const N: usize>(values: [T; N], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    listed(values.map(|value| (value, name(value), "")))
}

/// Reads the name of one of these values. Each is listed with its name, and what it is.
fn listed<T>(values: impl IntoIterator<Item = (T, &'static str, &'static str)>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let values: Vec<_> = values.into_iter().collect();
    let possible = values.iter().map(|&(_, name, meaning)| {
        let value = PossibleValue::new(name);
        if meaning.is_empty() { value } else { value.help(meaning) }
    });
    PossibleValuesParser::new(possible.collect::<Vec<_>>())
        .map(move |name| values.iter().find(|(_, other, _)| name == *other).expect("it is one of them").0)
}
