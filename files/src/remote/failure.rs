//! Why a request failed, in one line: without the URL, which messages name already and which may have a signature in it.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};

use object_store::client::{HttpError, HttpErrorKind};
use slider_attacks_formats::error::printable;

use crate::input::CHANGED;

/// An error of the network or of a server.
#[derive(Debug)]
struct NetworkFailure(String);

impl fmt::Display for NetworkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NetworkFailure {}

/// How the crate writes the answer of a server.
const STATUS: &str = "Server returned non-2xx status code: ";

/// The servers that the crate asks for credentials if the environment has none.
const METADATA: [&str; 2] = ["//169.254.169.254/", "//metadata.google.internal/"];

/// An error of the network with this message.
pub fn network_error(kind: ErrorKind, message: impl Into<String>) -> io::Error {
    io::Error::new(kind, NetworkFailure(message.into()))
}

/// The same error, for another who waits, or for another time.
pub fn again(error: &io::Error) -> io::Error {
    network_error(error.kind(), error.to_string())
}

/// Whether an error is one of the network or of a server, and not of what a file holds.
pub fn is_of_network(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<NetworkFailure>())
}

/// The error of a request.
pub fn failure(error: &object_store::Error) -> io::Error {
    use object_store::Error::{NotFound, PermissionDenied, Precondition, Unauthenticated};
    let kind = match error {
        NotFound { .. } => ErrorKind::NotFound,
        PermissionDenied { .. } | Unauthenticated { .. } => ErrorKind::PermissionDenied,
        Precondition { .. } => return network_error(ErrorKind::Other, CHANGED),
        _ if is_timeout(error) => ErrorKind::TimedOut,
        _ => ErrorKind::Other,
    };
    network_error(kind, reason(error))
}

/// The status of the answer, if there was one that is no success.
pub fn status(error: &object_store::Error) -> Option<u16> {
    let answer = causes(error).find_map(|cause| cause.to_string().strip_prefix(STATUS).map(str::to_owned))?;
    answer.get(..3)?.parse().ok()
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

fn is_timeout(error: &object_store::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<HttpError>())
        .any(|error| error.kind() == HttpErrorKind::Timeout)
}

fn reason(error: &object_store::Error) -> String {
    let answer = causes(error).find_map(|cause| cause.to_string().strip_prefix(STATUS).map(answer_text));
    let last = || causes(error).last().map(|cause| short(&cause.to_string())).unwrap_or_default();
    let tried = causes(error).find_map(|cause| retries(&cause.to_string()));
    let tried = tried.map(|retries| format!(", after {retries} retries")).unwrap_or_default();
    let asked = causes(error).any(|cause| METADATA.iter().any(|server| cause.to_string().contains(server)));
    let asked = if asked { "no credentials in the environment, and none of this machine: " } else { "" };
    printable(&format!("{asked}{}{tried}", answer.unwrap_or_else(last)))
}

/// The status of an answer, and the code and message of its body if it is XML, as stores send it.
fn answer_text(answer: &str) -> String {
    let (status, body) = answer.split_once(": ").unwrap_or((answer, ""));
    let field = |name: &str| {
        let (_, rest) = body.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(text, _)| short(text))
    };
    let parts = [Some(status.to_owned()), field("Code"), field("Message")];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

/// How often the crate has tried again.
fn retries(message: &str) -> Option<u32> {
    message.split_once(", after ")?.1.split_once(" retries")?.0.parse().ok()
}

/// The first line, up to some length.
fn short(text: &str) -> String {
    const MOST: usize = 200;
    text.trim().lines().next().unwrap_or_default().chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_in_one_line() {
        for (answer, told) in [
            ("404 Not Found: ", "404 Not Found"),
            ("404 Not Found: <html>\n<p>no</p>", "404 Not Found"),
            (
                "400 Bad Request: <?xml?><Error><Code>ExpiredToken</Code><Message>The token\nhas</Message></Error>",
                "400 Bad Request: ExpiredToken: The token",
            ),
            ("403 Forbidden: <Code>A</Code><Message>", "403 Forbidden: A"),
        ] {
            assert_eq!(answer_text(answer), told);
        }
        assert_eq!(retries("Error performing GET x in 3s, after 6 retries, max_retries: 6"), Some(6));
        assert_eq!(retries("Error performing GET x in 3s - no"), None);
    }
}
