//! The command `slider-attacks`, as `pip` installs it.

use std::ffi::OsString;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Runs the command line of this process as the command `slider-attacks`, and returns the exit code. A wrong command line
/// ends the process.
#[pyfunction]
pub fn command(py: Python<'_>) -> PyResult<u8> {
    let arguments = py.import(intern!(py, "sys"))?.getattr(intern!(py, "argv"))?;
    let arguments: Vec<OsString> =
        arguments.cast::<PyList>()?.iter().skip(1).map(|it| it.extract()).collect::<PyResult<_>>()?;
    // Signals do what they do to every other program. The handlers of Python would wait for the command to end.
    let signal = py.import(intern!(py, "signal"))?;
    let (set, default) = (signal.getattr(intern!(py, "signal"))?, signal.getattr(intern!(py, "SIG_DFL"))?);
    let interrupt = signal.getattr(intern!(py, "SIGINT"))?;
    // Where it is ignored, as in the background of a script, it remains so.
    let handler = signal.call_method1(intern!(py, "getsignal"), (&interrupt,))?;
    if handler.is(&signal.getattr(intern!(py, "default_int_handler"))?) {
        set.call1((interrupt, &default))?;
    }
    if let Some(file_too_large) = signal.getattr_opt(intern!(py, "SIGXFSZ"))? {
        set.call1((file_too_large, &default))?;
    }
    let line = ["slider-attacks".into()].into_iter().chain(arguments);
    Ok(py.detach(|| slider_attacks_cli::run(line)))
}
