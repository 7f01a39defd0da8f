//! Media types and content codings of requests and responses.

use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Response, StatusCode};
use tonic::Code;
use tonic::body::Body;

use super::super::refusal::Refusal;
use super::super::streams::coding::Coding;
use super::elements::JSON_ARRAY;

/// The type of an Arrow stream.
pub const ARROW: &str = "application/vnd.apache.arrow.stream";

/// The forms of rows in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A JSON object per row.
    JsonLines,
    /// A header, and a line per row.
    Csv,
    /// An Arrow stream.
    Arrow,
}

impl Format {
    /// All, those first that a client gets who takes anything.
    pub const ALL: [Format; 3] = [Format::JsonLines, Format::Csv, Format::Arrow];

    /// The types by which clients ask for it. The first is that of answers.
    pub const fn types(self) -> &'static [&'static str] {
        match self {
            Format::JsonLines => &["application/x-ndjson", "application/ndjson", "application/jsonl"],
            Format::Csv => &["text/csv"],
            Format::Arrow => &[ARROW],
        }
    }

    /// The form of rows that a client wants.
    pub fn accepted(headers: &HeaderMap) -> Result<Format, Refusal> {
        let of = |format: Format| quality(headers, &ACCEPT, format.types());
        best(Format::ALL, of).ok_or_else(|| not_acceptable(Format::ALL.map(|format| format.types()[0]).join(", ")))
    }
}

fn not_acceptable(types: String) -> Refusal {
    let message = format!("header accept: expected one of {types}, or */*");
    Refusal::new(Code::InvalidArgument, StatusCode::NOT_ACCEPTABLE, message)
}

/// Checks that a client takes an answer of this type.
pub fn check_accepted(headers: &HeaderMap, kind: &str) -> Result<(), Refusal> {
    if quality(headers, &ACCEPT, &[kind]) > 0.0 { Ok(()) } else { Err(not_acceptable(kind.to_owned())) }
}

/// Whether a client is a browser: it prefers HTML to plain text.
pub fn wants_html(headers: &HeaderMap) -> bool {
    quality(headers, &ACCEPT, &["text/html"]) > quality(headers, &ACCEPT, &["text/plain"])
}

/// The one that is wanted most, if any is. Of equals, the first.
fn best<T: Copy, const N: usize>(all: [T; N], quality: impl Fn(T) -> f32) -> Option<T> {
    let mut best = (None, 0.0);
    for one in all {
        let quality = quality(one);
        if quality > best.1 {
            best = (Some(one), quality);
        }
    }
    best.0
}

/// How much a client wants something of any of these names, from 0 to 1, by a header that lists what it takes. The most exact
/// entry counts. Without the header, it takes everything.
fn quality(headers: &HeaderMap, header: &HeaderName, names: &[&str]) -> f32 {
    let mut found: Option<(usize, f32)> = None;
    let (mut is_there, group) = (false, names[0].split('/').next().unwrap_or_default());
    let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    for entry in values.flat_map(|value| value.split(',')) {
        is_there = true;
        let mut parts = entry.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let exactness = match name {
            _ if names.iter().any(|known| known.eq_ignore_ascii_case(name)) => 3,
            "*/*" | "*" => 1,
            _ if name.strip_suffix("/*").is_some_and(|name| name.eq_ignore_ascii_case(group)) => 2,
            _ => continue,
        };
        let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let quality = quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0));
        if found.is_none_or(|(before, _)| exactness > before) {
            found = Some((exactness, quality));
        }
    }
    found.map_or(if is_there { 0.0 } else { 1.0 }, |(_, quality)| quality)
}

/// The content type of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFormat {
    /// Text in one of these formats, by their names in the table of formats, and a name for messages.
    Text(&'static [&'static str], &'static str),
    /// An Arrow stream.
    Arrow,
}

/// Content types of requests. The second one is curl's default.
pub const CONTENTS: [(&str, BodyFormat); 11] = [
    ("text/plain", ANY),
    ("application/x-www-form-urlencoded", ANY),
    ("application/octet-stream", ANY),
    ("text/csv", BodyFormat::Text(&["CSV"], "body")),
    ("application/x-ndjson", BodyFormat::Text(&["JSON lines"], "body")),
    // What clients send as it is, if they have one object, or an array of them.
    ("application/json", BodyFormat::Text(&["JSON lines", JSON_ARRAY], "body")),
    ("application/ndjson", BodyFormat::Text(&["JSON lines"], "body")),
    ("application/jsonl", BodyFormat::Text(&["JSON lines"], "body")),
    ("application/vnd.chess-pgn", BodyFormat::Text(&["PGN"], "body.pgn")),
    ("application/x-chess-pgn", BodyFormat::Text(&["PGN"], "body.pgn")),
    (ARROW, BodyFormat::Arrow),
];
/// Text in any format, which its first line tells.
pub const ANY: BodyFormat = BodyFormat::Text(&["FEN or EPD", "CSV", "JSON lines", "PGN"], "body");

impl BodyFormat {
    /// What a request has, by its header.
    pub fn of(headers: &HeaderMap) -> Result<BodyFormat, Refusal> {
        let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(ANY) };
        let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let found = CONTENTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(kind));
        found.map(|&(_, content)| content).ok_or_else(|| {
            let types = CONTENTS.map(|(kind, _)| kind).join(", ");
            unsupported(format!("header content-type: expected one of {types}, found {:?}", shortened(kind)))
        })
    }
}

/// The type of a request, or its coding, is not taken.
pub fn unsupported(message: String) -> Refusal {
    Refusal::new(Code::InvalidArgument, StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

/// How a request is compressed. One coding is taken and no more, as each could be a bomb in the other.
pub fn coding(headers: &HeaderMap) -> Result<Option<Coding>, Refusal> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    let (first, more) = (codings.next(), codings.next());
    let Some(value) = first else { return Ok(None) };
    let name = value.to_str().unwrap_or_default().trim();
    if name.eq_ignore_ascii_case("identity") && more.is_none() {
        return Ok(None);
    }
    let found = Coding::ALL.into_iter().find(|coding| coding.name().eq_ignore_ascii_case(name));
    found.filter(|_| more.is_none()).map(Some).ok_or_else(|| {
        unsupported(format!("header content-encoding: expected gzip or zstd, once, found {:?}", shortened(name)))
            .with("accept-encoding", "zstd, gzip")
    })
}

/// How an answer is to be compressed.
pub fn accepted_coding(headers: &HeaderMap) -> Option<Coding> {
    headers.get(ACCEPT_ENCODING)?;
    let of = |coding: Coding| quality(headers, &ACCEPT_ENCODING, &[coding.name()]);
    let identity = quality(headers, &ACCEPT_ENCODING, &["identity"]);
    // If both are equal, the answer is compressed: whoever names a coding wants that.
    best(Coding::ALL, of).filter(|&coding| of(coding) >= identity)
}

/// Says of an answer how it is compressed, and by what it was chosen.
pub fn describe(answer: &mut Response<Body>, format: Format, coding: Option<Coding>) {
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.types()[0]));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.append(VARY, HeaderValue::from_static("accept, accept-encoding"));
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn clients_get_what_they_want_most() {
        for (accept, expected) in [
            ("*/*", Some(Format::JsonLines)),
            ("text/csv", Some(Format::Csv)),
            ("text/*", Some(Format::Csv)),
            ("application/x-ndjson;q=0.5, text/csv", Some(Format::Csv)),
            ("application/vnd.apache.arrow.stream, */*;q=0.1", Some(Format::Arrow)),
            ("*/*, application/x-ndjson;q=0", Some(Format::Csv)),
            ("Application/JSONL", Some(Format::JsonLines)),
            ("image/png", None),
            ("text/csv;q=0", None),
            ("", None),
        ] {
            assert_eq!(Format::accepted(&headers(ACCEPT, accept)).ok(), expected, "{accept}");
        }
        assert_eq!(Format::accepted(&HeaderMap::new()).ok(), Some(Format::JsonLines));
    }

    #[test]
    fn codings() {
        for (accept, expected) in [
            ("gzip", Some(Coding::Gzip)),
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("gzip, zstd;q=0.5", Some(Coding::Gzip)),
            ("identity", None),
            ("gzip;q=0.1, identity", None),
            ("br", None),
            ("*", Some(Coding::Zstd)),
        ] {
            assert_eq!(accepted_coding(&headers(ACCEPT_ENCODING, accept)), expected, "{accept}");
        }
        assert_eq!(accepted_coding(&HeaderMap::new()), None);
        assert_eq!(coding(&headers(CONTENT_ENCODING, "GZIP")).ok(), Some(Some(Coding::Gzip)));
        for value in ["gzip, gzip", "br", "", "gzip,zstd"] {
            assert!(coding(&headers(CONTENT_ENCODING, value)).is_err(), "{value}");
        }
    }

    #[test]
    fn contents() {
        assert_eq!(BodyFormat::of(&headers(CONTENT_TYPE, "text/plain; charset=utf-8")).ok(), Some(ANY));
        assert_eq!(BodyFormat::of(&HeaderMap::new()).ok(), Some(ANY));
        assert_eq!(BodyFormat::of(&headers(CONTENT_TYPE, "image/png")).unwrap_err().status, 415);
    }
}
