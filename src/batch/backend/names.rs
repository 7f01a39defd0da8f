//! The names of backends, and their parsing.

use core::fmt;
use core::str::FromStr;

use super::select::BackendKind;
use crate::Backend;

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({self})")
    }
}

/// The text was not the name of a backend that can run here.
///
/// ```
/// use slider_attacks::{Backend, ParseBackendError};
///
/// assert_eq!("mmx".parse::<Backend>(), Err(ParseBackendError::Unknown("mmx".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseBackendError {
    /// There is no backend of this name.
    Unknown(String),
    /// There is one, but this CPU or its operating system cannot run it.
    Unavailable(&'static str),
}

impl fmt::Display for ParseBackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseBackendError::Unknown(_) => f.write_str("expected one of ")?,
            ParseBackendError::Unavailable(name) => {
                write!(f, "this CPU cannot run {name}; it can run ")?;
            }
        }
        let names: Vec<&str> = match self {
            ParseBackendError::Unknown(_) => BackendKind::ALL.iter().map(|kind| kind.name()).collect(),
            ParseBackendError::Unavailable(_) => Backend::available().map(Backend::name).collect(),
        };
        f.write_str(&names.join(", "))
    }
}

impl core::error::Error for ParseBackendError {}

impl FromStr for Backend {
    type Err = ParseBackendError;

    fn from_str(text: &str) -> Result<Backend, ParseBackendError> {
        let kind: BackendKind = text.parse().map_err(|_| ParseBackendError::Unknown(text.to_owned()))?;
        Backend::if_can_run(kind).ok_or(ParseBackendError::Unavailable(kind.name()))
    }
}
