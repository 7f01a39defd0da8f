//! The command `slider-attacks`: attack sets of the sliders in chess positions.
//!
//! As a library, [`run`] executes command lines for programs that embed the command. [`slider_attacks_files`] reads the files
//! and [`slider_attacks_rows`] computes the rows; neither depends on the command.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 for success, 1 for invalid input or a failed
//! check, 2 for invalid usage, 128 + N after signal N.

pub mod args;
pub mod commands {
    //! The commands.
    pub mod analyze;
    pub mod bench;
    pub mod convert;
    pub mod inputs;
    pub mod methods;
    pub mod perft;
    pub mod products;
    pub mod serve;
    pub mod show;
    pub mod stream;
    pub mod summarize;
    pub mod verify;
}
mod progress;
pub mod report;
mod run_log;
pub mod settings;
#[cfg_attr(
    unix,
    expect(
        unsafe_code,
        reason = "calls of the C library: whether a signal is ignored, and whether standard output is closed"
    )
)]
pub mod target;

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZero;
use std::process::ExitCode;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use clap::{CommandFactory, FromArgMatches};
use slider_attacks::Cpu;
#[cfg(feature = "parquet")]
use slider_attacks_files::parquet::install_panic_filter;
use slider_attacks_rows::memory::{install_arenas, install_limits};

use args::{Args, Command};
use commands::{analyze, bench, convert, methods, perft, products, serve, show, stream, summarize, verify};
use settings::Settings;

/// Runs a command line, whose first argument is the name of the program. If it asks for help, or is wrong, the process
/// ends. Otherwise, returns the exit code.
///
/// It sets up the process for the time that the command runs: the handling of signals and panics, and the limits of the
/// allocator.
pub fn run(line: impl IntoIterator<Item = OsString>) -> u8 {
    target::install_file_size_errors();
    let (args, settings) = parse(line).unwrap_or_else(|found| {
        if !found.use_stderr()
            && let Err(error) = target::stdout()
        {
            progress::note(&format!("error: {error:#}"));
            std::process::exit(1);
        }
        found.exit()
    });
    install(&args.command);
    match command(&args, &settings) {
        Ok(code) => u8::from(code != ExitCode::SUCCESS),
        Err(error) if is_closed_pipe(&error) => 0,
        Err(error) => {
            progress::note(&format!("error: {error:#}"));
            1
        }
    }
}

/// A command line, and the options of its subcommand.
fn parse(line: impl IntoIterator<Item = OsString>) -> Result<(Args, Settings), clap::Error> {
    let mut command = Args::command();
    let matches = command.try_get_matches_from_mut(line)?;
    let settings = matches.subcommand().and_then(|(name, matches)| {
        let subcommand = command.find_subcommand(name)?;
        Some(Settings::new(subcommand, matches))
    });
    let args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((args, settings.unwrap_or_default()))
}

/// Sets up the process for a command.
fn install(command: &Command) {
    #[cfg(feature = "parquet")]
    install_panic_filter();
    let Some(writes_files) = command.writes_files() else { return };
    // Otherwise each thread would keep some large blocks, and an arena for each thread free space between blocks: 32 threads that
    // write Parquet took 164 to 207 MiB with 16 arenas, and 126 to 153 with four, in the same time. What a few arenas keep is not
    // much: if it were returned as well, the system would clear it for the next block of the input.
    let arenas = (available_parallelism().map_or(1, NonZero::get) as i32 / 2).clamp(4, 8);
    install_arenas(arenas);
    install_limits(1 << 20, (16 << 20) / arenas);
    if writes_files {
        target::install_removal();
    }
}

/// The addition to the report of `cpu` in builds where vector backends are slow.
const UNOPTIMISED: &str = if cfg!(debug_assertions) {
    "build       debug: vector backends are slower than scalar; use --release\n"
} else {
    ""
};

fn command(args: &Args, settings: &Settings) -> Result<ExitCode> {
    match &args.command {
        Command::Attacks(options) => stream::attacks(options, args.backend())?,
        Command::Pairs(options) => stream::pairs(options, args.backend())?,
        Command::Analyze(options) => analyze::run(options, args.backend(), settings)?,
        Command::Summarize(options) => summarize::run(options, args.backend(), settings)?,
        Command::Convert(options) => convert::run(options, args.backend(), settings)?,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "slider-attacks", &mut script);
            print(&script)?;
        }
        Command::Man => print(&man()?)?,
        Command::Cpu => {
            let requested = args.backend.map(|backend| format!("requested {backend}: by --backend\n"));
            print(format!("{}\n{UNOPTIMISED}{}", Cpu::detect(), requested.unwrap_or_default()).as_bytes())?;
        }
        Command::Products(options) => products::run(options)?,
        Command::Verify => return verify::run(&args.backends()),
        Command::Methods(options) => return methods::run(options),
        Command::Perft(options) => perft::run(options, args.backend())?,
        Command::Serve(options) => return serve::run(options, args.backend),
        Command::Show(options) => show::run(options)?,
        Command::Bench(options) => bench::run(options, &args.backends_and_scalar(), args.backend())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes results to standard output.
fn print(text: &[u8]) -> Result<()> {
    let mut out = target::stdout()?;
    out.write_all(text).and_then(|()| out.flush()).context("cannot write the results")
}

/// The manual page, with a section per subcommand.
fn man() -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let mut command = Args::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let man = clap_mangen::Man::new(subcommand.clone());
        writeln!(page, ".SH \"{}\"", subcommand.get_name().to_uppercase())?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    Ok(page)
}

/// Whether the reader of the results has gone away, as `head` does. That is not an error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(broken))
}
