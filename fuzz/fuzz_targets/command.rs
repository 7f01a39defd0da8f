//! The command end to end: any command line, and, for `attacks` and `pairs`, any input, read from a file as a user's would
//! be. The first line of the data is the command line, and the rest is the input.
//!
//! Rows go to standard output, messages to standard error: run it with `-close_fd_mask=3`.

#![no_main]

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;
use libfuzzer_sys::fuzz_target;

use slider_attacks_cli::args::{Args, Command};
use slider_attacks_cli::commands::stream;

/// A file of this process, because several may run side by side.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| std::env::temp_dir().join(format!("input.{}", std::process::id())));

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let (line, input) = (&data[..end], data.get(end + 1..).unwrap_or_default());
    let Ok(line) = str::from_utf8(line) else { return };
    let words = ["slider-attacks"].into_iter().chain(line.split_whitespace()).map(OsStr::new);
    let Ok(args) = Args::try_parse_from(words) else { return };
    std::fs::write(&*FILE, input).expect("the directory for temporary files can be written to");
    // The other commands read no input or take seconds. Bad input must be an error, never a panic.
    let backend = args.backend();
    let _ = match args.command {
        Command::Attacks(mut options) => {
            options.file = Some(FILE.clone());
            stream::attacks(&options, backend)
        }
        Command::Pairs(mut options) => {
            options.file = Some(FILE.clone());
            stream::pairs(&options, backend)
        }
        _ => Ok(()),
    };
});
