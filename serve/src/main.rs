//! The command `slider-attacks-serve`.

use std::process::ExitCode;

use clap::Parser;
use slider_attacks_serve::server::{self, Options};

fn main() -> ExitCode {
    match server::main(Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
