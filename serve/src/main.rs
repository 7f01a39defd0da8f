//! The command `slider-attacks-serve`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use slider_attacks_serve::server::{self, Options};

/// With musl's own allocator, batches of 64 Ki rows take four times as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Streams were cut off before they had ended.
const CUT_OFF: u8 = 3;

fn main() -> ExitCode {
    match server::main(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => CUT_OFF.into(),
        Err(error) => {
            server::last_words(&error);
            ExitCode::FAILURE
        }
    }
}
