//! `slider-attacks serve`: starts the service, which is a separate program, so that this one needs no networking code.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{self, ExitCode};

use anyhow::{Context, Result, bail};
use slider_attacks::Backend;

use crate::args::ServeArgs;

/// The command of the service.
const SERVICE: &str = "slider-attacks-serve";

/// Starts the service with these arguments. On Unix, it takes the place of this process.
pub fn run(options: &ServeArgs, backend: Option<Backend>) -> Result<ExitCode> {
    let mut service = process::Command::new(installed_service().unwrap_or_else(|| SERVICE.into()));
    // A backend that was asked for before the name of this command.
    service.args(backend.map(|backend| format!("--backend={backend}"))).args(&options.args);
    let started = start(&mut service);
    if matches!(&started, Err(error) if error.kind() == io::ErrorKind::NotFound) {
        bail!(
            "{SERVICE} is neither next to this command nor on the PATH: from a clone, `cargo install --path serve` \
             installs it"
        );
    }
    started.with_context(|| format!("cannot start {SERVICE}"))
}

/// The service that is installed next to this command.
fn installed_service() -> Option<PathBuf> {
    let service = env::current_exe().ok()?.with_file_name(SERVICE).with_extension(env::consts::EXE_EXTENSION);
    service.is_file().then_some(service)
}

#[cfg(unix)]
fn start(service: &mut process::Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(service.exec())
}

#[cfg(not(unix))]
fn start(service: &mut process::Command) -> io::Result<ExitCode> {
    let status = service.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
