//! Refusals of requests, as a gRPC status or a JSON problem.

use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use http::{Response, StatusCode};
use serde_json::{Map, Value};
use slider_attacks_arrow as arrow;
use tonic::body::Body;
use tonic::{Code, Status};

use crate::Error;

/// The type of a problem: <https://www.rfc-editor.org/rfc/rfc9457>.
pub const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Why a request is not answered, or not to its end.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The gRPC code, which is also used in the metrics.
    pub code: Code,
    /// The HTTP status.
    pub status: StatusCode,
    /// The error, and its location.
    pub message: String,
    /// Where it is, by names: `line`, `row`, `column` and others.
    pub place: Map<String, Value>,
    /// The header that tells an HTTP client how to retry.
    pub header: Option<(&'static str, &'static str)>,
}

impl Refusal {
    /// A refusal, without a place.
    pub fn new(code: Code, status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { code, status, message: message.into(), place: Map::new(), header: None }
    }

    /// A request that is malformed.
    pub fn invalid(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::InvalidArgument, StatusCode::BAD_REQUEST, message)
    }

    /// Content that cannot be computed.
    pub fn content(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::InvalidArgument, StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// More than is taken.
    pub fn too_large(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::OutOfRange, StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// The client took too long.
    pub fn late(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::DeadlineExceeded, StatusCode::REQUEST_TIMEOUT, message)
    }

    /// The server failed.
    pub fn internal(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::Internal, StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// One client asks for more at a time, or per second, than it may.
    pub fn too_many(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::ResourceExhausted, StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// All clients ask for more than there is.
    pub fn busy(message: impl Into<String>) -> Refusal {
        Refusal::new(Code::ResourceExhausted, StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The layer before this one does not know it.
    pub fn unknown(what: &str) -> Refusal {
        Refusal::internal(format!("unknown {what}"))
    }

    /// The same, in this place.
    pub fn at(mut self, name: &str, place: impl Into<Value>) -> Refusal {
        self.place.insert(name.to_owned(), place.into());
        self
    }

    /// The same, with the place in a row of arrays that this error names.
    pub fn placed(self, error: &arrow::Error) -> Refusal {
        match error {
            arrow::Error::Fen { error, .. } => {
                let refusal = self.at("column", error.column);
                match error.found() {
                    Some(value) if value.is_ascii() => refusal.at("value", char::from(value).to_string()),
                    _ => refusal,
                }
            }
            arrow::Error::LineEnd { column, .. } => self.at("column", *column),
            arrow::Error::Square { column, square, .. } => self.at("field", *column).at("value", square.to_string()),
            arrow::Error::Field { column, found, .. } => self.at("field", *column).at("value", found.as_str()),
            _ => self,
        }
    }

    /// The same, with this header.
    pub fn with(self, name: &'static str, value: &'static str) -> Refusal {
        Refusal { header: Some((name, value)), ..self }
    }

    /// The members of a problem.
    pub fn problem(&self) -> Value {
        let title = self.status.canonical_reason().unwrap_or_default();
        let status = self.status.as_u16();
        let mut problem = Map::new();
        let members: [(&str, Value); 4] = [
            ("type", "about:blank".into()),
            ("title", title.into()),
            ("status", status.into()),
            ("detail", self.message.as_str().into()),
        ];
        problem.extend(members.map(|(name, value)| (name.to_owned(), value)));
        problem.extend(self.place.clone());
        Value::Object(problem)
    }

    /// A problem as a line of JSON. What a terminal does not show is escaped: it may come from the client, or from whoever
    /// wrote what the client sends.
    pub fn line(&self) -> String {
        let mut line = String::new();
        for letter in self.problem().to_string().chars() {
            // Letters that are joined to the one before are escaped too, which makes no difference to who reads JSON.
            if letter.is_ascii_graphic() || letter == ' ' || letter.escape_debug().len() == 1 {
                line.push(letter);
            } else {
                line.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
        line + "\n"
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Status {
        Status::new(refusal.code, refusal.message)
    }
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Refusal {
        let http = match status.code() {
            Code::InvalidArgument | Code::DataLoss => StatusCode::BAD_REQUEST,
            Code::OutOfRange => StatusCode::PAYLOAD_TOO_LARGE,
            Code::ResourceExhausted | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Code::DeadlineExceeded => StatusCode::REQUEST_TIMEOUT,
            Code::Unimplemented => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal::new(status.code(), http, status.message())
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        match error {
            Error::TooLarge(message) => Refusal::new(Code::ResourceExhausted, StatusCode::PAYLOAD_TOO_LARGE, message),
            Error::Invalid(message) => Refusal::content(message),
        }
    }
}

/// The protocols of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Arrow Flight, and what else is gRPC.
    Grpc,
    /// JSON and others.
    Http,
}

impl Protocol {
    /// The answer that says so.
    pub fn refuse(self, refusal: Refusal) -> Response<Body> {
        if self == Protocol::Grpc {
            return Status::from(refusal).into_http();
        }
        let mut answer = Response::new(Body::new(http_body_util::Full::from(refusal.line())));
        *answer.status_mut() = refusal.status;
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, PROBLEM);
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        match refusal.status {
            StatusCode::UNAUTHORIZED => _ = headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        if let Some((name, value)) = refusal.header {
            headers.insert(name, HeaderValue::from_static(value));
        }
        answer.extensions_mut().insert(refusal.code);
        answer
    }
}
