//! HTTP responses, in all formats, codings and versions.

use std::ffi::OsString;

use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use slider_attacks_arrow::{Integers, OptionKind, Options as ProductOptions};
use slider_attacks_files::Input;
use slider_attacks_rows::batches::{self, Batches, NextRows};
use slider_attacks_rows::format::SliderFormat;
use slider_attacks_rows::write::sliders::{SliderRow, SliderRows};
use tonic::body::Body;

use super::trust::{Certificates, Directory};
use super::*;

const GAMES: &str = include_str!("../../../tests/data/games.pgn");
const ONE_LINE: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -\n";
const ARROW: &str = "application/vnd.apache.arrow.stream";

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub trailers: HeaderMap,
    pub body: Vec<u8>,
    /// Whether it came to its end.
    pub is_whole: bool,
}

impl Answer {
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.text()))
    }

    /// The body of an answer that is a success, and whole.
    pub fn good(self) -> Vec<u8> {
        assert!(self.is_whole && self.status == 200, "{}: {}", self.status, String::from_utf8_lossy(&self.body));
        assert_eq!(self.headers["x-content-type-options"], "nosniff");
        self.body
    }

    /// Its problem: the status, and what is wrong.
    pub fn problem(&self) -> (u16, String) {
        let (kind, problem) = (self.headers["content-type"].to_str().unwrap(), self.json());
        assert_eq!(
            (kind, &self.headers["x-content-type-options"]),
            ("application/problem+json", &"nosniff".parse().unwrap())
        );
        assert_eq!(problem["status"], self.status.as_u16());
        assert!(self.is_whole && problem["type"].is_string() && problem["title"].is_string());
        (self.status.as_u16(), problem["detail"].as_str().unwrap().to_owned())
    }
}

/// Asks over a connection of its own, by HTTP/1.1 or HTTP/2.
pub async fn ask_by(is_two: bool, address: SocketAddr, request: Request<Body>) -> Answer {
    let stream = TcpStream::connect(address).await.unwrap();
    ask_over(is_two, stream, request).await
}

async fn ask_over(
    is_two: bool,
    stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
) -> Answer {
    let io = TokioIo::new(stream);
    let answer = if is_two {
        let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
        tokio::spawn(connection);
        sender.send_request(request).await.unwrap()
    } else {
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        sender.send_request(request).await.unwrap()
    };
    let (head, mut incoming) = answer.into_parts();
    let (mut body, mut trailers, mut is_whole) = (Vec::new(), HeaderMap::new(), true);
    while let Some(frame) = incoming.frame().await {
        match frame {
            Ok(frame) => match frame.into_data() {
                Ok(data) => body.extend(data),
                Err(frame) => trailers = frame.into_trailers().unwrap_or_default(),
            },
            Err(_) => {
                is_whole = false;
                break;
            }
        }
    }
    Answer { status: head.status, headers: head.headers, trailers, body, is_whole }
}

/// A body in parts of such sizes.
fn parts(bytes: &[u8], sizes: impl Fn(usize) -> usize) -> Body {
    let (mut parts, mut rest, mut at) = (Vec::new(), bytes, 0);
    while !rest.is_empty() {
        let part = rest.split_off(..sizes(at).clamp(1, rest.len())).unwrap();
        parts.push(Ok::<_, Status>(Frame::data(Bytes::copy_from_slice(part))));
        at += 1;
    }
    Body::new(StreamBody::new(stream::iter(parts)))
}

pub fn request(method: Method, path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(format!("http://service{path}"));
    for (name, value) in headers.iter().chain(&[("host", "service")]) {
        request = request.header(*name, *value);
    }
    request.body(Body::new(Full::new(body.into()))).unwrap()
}

pub async fn fetch(address: SocketAddr, path: &str) -> Answer {
    ask_by(false, address, request(Method::GET, path, &[], "")).await
}

pub async fn send(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
    ask_by(false, address, request(Method::POST, path, headers, body)).await
}

pub async fn start(args: &[&str]) -> (Running, SocketAddr) {
    let all: Vec<&str> = ["--http", "127.0.0.1:0"].iter().chain(args).copied().collect();
    let running = Running::start(&all).await;
    let address = running.http.unwrap();
    (running, address)
}

/// What the command writes for a file with this text.
pub fn command(directory: &Directory, input: (&str, &str), args: &[&str], extension: &str) -> Vec<u8> {
    let (from, to) = (directory.write(input.0, input.1), directory.0.join(format!("out.{extension}")));
    let mut line: Vec<OsString> = vec!["slider-attacks".into()];
    line.extend(args.iter().map(Into::into));
    line.extend([from.into(), "-o".into(), to.clone().into()]);
    assert_eq!(slider_attacks_cli::run(line), 0);
    std::fs::read(to).unwrap()
}

/// Positions in each format, many of them: the name, the type and the text.
fn inputs() -> Vec<(&'static str, &'static str, String)> {
    let lines: Vec<&str> = SAMPLE.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let many = || lines.iter().cycle().take(2_000);
    let fens: Vec<String> = many().map(|line| line.split(' ').take(4).collect::<Vec<_>>().join(" ")).collect();
    let csv = fens.iter().enumerate().map(|(at, fen)| format!("{at},\"{fen}\"\r\n")).collect::<String>();
    let json = fens.iter().enumerate().map(|(at, fen)| format!("{{\"fen\":\"{fen}\",\"id\":{at}}}\n"));
    vec![
        ("in.epd", "text/plain", fens.iter().map(|fen| format!("{fen}\n")).collect()),
        ("in.csv", "text/csv", format!("id,fen\r\n{csv}")),
        ("in.jsonl", "application/x-ndjson", json.collect()),
        ("in.pgn", "application/vnd.chess-pgn", GAMES.repeat(60)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_those_of_the_command() {
    let (running, address) = start(&[]).await;
    let directory = Directory::new("rows");
    let mut random = Random(1);
    let keep = ["fen", "id", "id", "White,ply"];
    for ((name, kind, text), keep) in inputs().iter().zip(keep) {
        for (format, accept) in [("csv", "text/csv"), ("jsonl", "application/x-ndjson")] {
            for (args, query) in [
                (vec![], "?".to_owned()),
                (vec!["--what", "maps,counts,threats,mobility", "--keep", keep], {
                    format!("?what=maps,counts,threats,mobility&keep={keep}")
                }),
            ] {
                let args = [vec!["analyze", "--format", format], args].concat();
                let expected = command(&directory, (name, text), &args, format);
                // In parts, plain and compressed, by both versions.
                let is_two = random.below(2) == 0;
                let (packed, coding) = match random.below(3) {
                    0 => (text.clone().into_bytes(), "identity"),
                    1 => (gzip(text.as_bytes()), "gzip"),
                    _ => (zstd::encode_all(text.as_bytes(), 3).unwrap(), "zstd"),
                };
                let mut headers = vec![("accept", accept), ("content-type", *kind), ("content-encoding", coding)];
                let wanted = ["identity", "gzip", "zstd"][random.below(3)];
                headers.push(("accept-encoding", wanted));
                let mut sent = request(Method::POST, &format!("/v1/analyze{query}"), &headers, "");
                let size = [1000, 16_000, 100_000][random.below(3)];
                *sent.body_mut() = parts(&packed, |at| size + at % 7);
                let answer = ask_by(is_two, address, sent).await;
                assert_eq!(answer.headers["content-type"], accept);
                let coding = answer.headers.get("content-encoding").map_or("identity", |value| value.to_str().unwrap());
                assert_eq!(coding, wanted);
                let body = unpacked(wanted, &answer.good());
                assert!(body == expected, "{name} {format} {query}: {} and {} bytes", body.len(), expected.len());
            }
        }
    }
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fen_is_kept_without_operations() {
    let (running, address) = start(&[]).await;
    let lines: Vec<&str> = SAMPLE.lines().filter(|line| line.contains(" id ")).collect();
    let answer = send(address, "/v1/analyze?keep=fen&what=legal_moves", &[], lines.join("\n")).await;
    let kept: Vec<String> = answer.text().lines().map(|row| json_text(row, "fen")).collect();
    let expected: Vec<&str> = lines.iter().map(|line| line.split_once(" id ").unwrap().0).collect();
    assert!(kept == expected && kept.len() > 100, "{kept:?}");
    running.is_well().await;
}

fn json_text(row: &str, field: &str) -> String {
    serde_json::from_str::<Value>(row).unwrap()[field].as_str().unwrap().to_owned()
}

/// The elements of an array give what the same objects give as lines, however the body is cut, and errors name the element.
#[tokio::test(flavor = "multi_thread")]
async fn elements_of_an_array_are_rows() {
    let (running, address) = start(&[]).await;
    let (_, _, lines) = &inputs()[2];
    let mut random = Random(2);
    let spaces = ["", " ", "\n", " \r\n\t"];
    for path in ["/v1/analyze?keep=fen,id", "/v1/summarize?by=id&what=legal_moves"] {
        let expected = send(address, path, &[("content-type", "application/x-ndjson")], lines.clone()).await.good();
        let mut space = || spaces[random.below(spaces.len())];
        let elements: Vec<String> =
            lines.lines().map(|line| format!("{}{}{}", space(), line.replace(",", ",\n "), space())).collect();
        let array = format!("{}[{}]{}", space(), elements.join(","), space());
        for size in [100, 60_000] {
            let mut sent = request(Method::POST, path, &[("content-type", "application/json")], "");
            *sent.body_mut() = parts(array.as_bytes(), |at| size + at % 7);
            assert!(ask_by(true, address, sent).await.good() == expected, "{path} in parts of {size} bytes");
        }
    }
    let fen = "\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - -\"";
    let headers = [("content-type", "application/json")];
    for empty in ["[]", " [ ] ", "\n[\n]\n", "\u{feff} []"] {
        let answer = send(address, "/v1/analyze?keep=id", &headers, empty).await;
        assert_eq!((answer.status.as_u16(), answer.text()), (200, ""), "{empty:?}");
    }
    let long = format!("[{{{fen}}},{}", "[".repeat(100_000));
    for (body, element, message) in [
        (format!("[{{{fen}}},{{\n\"fen\":\n\"x\"}}]"), 2, "body, element 2, "),
        (format!("[{{{fen}}},7]"), 2, "body, element 2, JSON"),
        (format!("[{{{fen}}},{{{fen},\"a\":\"\n\"}}]"), 2, "control character"),
        (format!("[{{{fen}}} {{{fen}}}]"), 1, "trailing characters"),
        (format!("[{{{fen}}}}},{{{fen}}}]"), 1, "trailing characters"),
        (format!("[{{{fen}]]"), 1, "body, element 1, JSON"),
        ("[7]".to_owned(), 1, "expected an object, found '7'"),
        ("[,]".to_owned(), 1, "expected a value, found ','"),
        ("\u{feff}\n[7]".to_owned(), 1, "expected an object, found '7'"),
        (format!("[{{{fen}}},\u{c}]"), 2, "expected a value, found '\\u{c}'"),
        (format!("[{{{fen}}},\u{feff}{{{fen}}}]"), 2, "expected a value, found "),
        (format!("[{{{fen}}},]"), 2, "expected a value, found ']'"),
        (format!("[{{{fen}}}"), 1, "the body ends within the array"),
        (format!("[{{{fen}}},"), 1, "the body ends within the array"),
        (format!("[{{{fen},\"a\":\"]"), 1, "the body ends within the array"),
        (format!("[{{{fen}}}]]"), 1, "expected nothing after the array, found ']'"),
        (long, 2, "the body ends within the array"),
    ] {
        let answer = send(address, "/v1/analyze", &headers, body.clone()).await;
        // It may come after the rows before it.
        let problem: Value = serde_json::from_str(answer.text().lines().last().unwrap()).unwrap();
        let (shown, detail) = (&body[..body.len().min(100)], problem["detail"].as_str().unwrap_or_default());
        assert!(problem["status"] == 422 && detail.contains(message), "{shown}: {problem}");
        assert_eq!(problem["element"], element, "{shown}: {problem}");
    }
    // Once some have been answered, all before the error are.
    for (end, element) in [("}]", 40_000), (",,", 40_001), ("", 40_000)] {
        let body = format!("[{}{end}", vec![format!("{{{fen}}}"); 40_000].join(","));
        let answer = send(address, "/v1/analyze?what=legal_moves", &headers, body).await;
        let (rows, problem) = answer.text().trim_end().rsplit_once('\n').unwrap();
        assert_eq!(serde_json::from_str::<Value>(problem).unwrap()["element"], element, "{problem}");
        // What the last one is without an end, nobody knows.
        assert_eq!(rows.lines().count(), 40_000 - usize::from(end != ",,"), "{end}");
    }
    // Brackets and commas in strings are text, and what is malformed can be left out.
    let odd = format!("[{{{fen},\"a\":\"],[{{\\\"\"}},{{}},{{{fen}}}]");
    let rows = send(address, "/v1/analyze?on_error=skip&keep=a&what=legal_moves", &headers, odd).await;
    let numbers: Vec<Value> =
        rows.text().lines().map(|row| serde_json::from_str::<Value>(row).unwrap()["line"].clone()).collect();
    assert_eq!(numbers, [1, 3], "{}", rows.text());
    running.is_well().await;
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn unpacked(coding: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut text = Vec::new();
    match coding {
        // One member, as some clients read no more.
        "gzip" => _ = flate2::read::GzDecoder::new(bytes).read_to_end(&mut text).unwrap(),
        "zstd" => return zstd::decode_all(bytes).unwrap(),
        _ => return bytes.to_vec(),
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_lines_do_what_the_command_does() {
    let (running, address) = start(&[]).await;
    let directory = Directory::new("malformed");
    let text = SAMPLE.replace(" b ", " x ").repeat(20);
    for on_error in ["skip", "null", "report"] {
        for (format, accept) in [("csv", "text/csv"), ("jsonl", "application/x-ndjson")] {
            let args = ["analyze", "--on-error", on_error, "--format", format, "--what", "maps,counts"];
            let expected = command(&directory, ("in.epd", &text), &args, format);
            let path = format!("/v1/analyze?on_error={on_error}&what=maps,counts");
            let answer = send(address, &path, &[("accept", accept)], text.clone()).await;
            assert!(answer.good() == expected, "{on_error} {format}");
        }
    }
    let two = "4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/R3K3 x Q -\n";
    for is_two in [false, true] {
        let answer = ask_by(is_two, address, request(Method::POST, "/v1/analyze", &[], two)).await;
        let (status, detail) = answer.problem();
        let problem = answer.json();
        assert_eq!(
            (status, &problem["line"], &problem["column"], &problem["value"]),
            (422, &2.into(), &22.into(), &"x".into())
        );
        assert!(detail.contains("line 2, column 22: expected w or b as the side to move, found 'x'"), "{detail}");
    }
    running.is_well().await;
}

/// A client can tell an answer that was cut off from one that is whole, in each format and version.
#[tokio::test(flavor = "multi_thread")]
async fn errors_after_the_beginning_are_seen() {
    let (running, address) = start(&[]).await;
    let good = "4k3/8/8/8/8/8/8/R3K3 w Q -\n".repeat(6_000);
    let bad = format!("{good}nonsense\n{good}");
    for accept in ["application/x-ndjson", "text/csv", ARROW] {
        for is_two in [false, true] {
            for coding in ["identity", "gzip"] {
                let headers = [("accept", accept), ("accept-encoding", coding)];
                let ask = |text: &str| {
                    ask_by(is_two, address, request(Method::POST, "/v1/analyze", &headers, text.to_owned()))
                };
                let whole = ask(&good).await;
                assert!(whole.is_whole && whole.status == 200);
                let cut = ask(&bad).await;
                assert!(!cut.is_whole && cut.status == 200, "{accept} {is_two}");
                if coding == "identity" && accept == "application/x-ndjson" {
                    let mut lines = cut.text().lines();
                    let problem: Value = serde_json::from_str(lines.next_back().unwrap()).unwrap();
                    assert_eq!((&problem["line"], &problem["status"]), (&6_001.into(), &422.into()));
                    assert_eq!(lines.count(), 6_000);
                }
            }
        }
    }
    running.wait_for("requests_total{call=\"analyze\",status=\"InvalidArgument\"}", 12.0).await;
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_are_those_of_the_command() {
    let (running, address) = start(&[]).await;
    let directory = Directory::new("summaries");
    for (at, (name, kind, text)) in inputs().into_iter().enumerate() {
        for (turn, (by, each_move)) in
            [("", false), ("phase,side", false), ("phase,move", true)].into_iter().enumerate()
        {
            // Each of them has each format, for different inputs.
            let (format, accept) = [("csv", "text/csv"), ("jsonl", "application/x-ndjson")][(at + turn) % 2];
            let args = ["summarize", "--what", "counts,pins", "--format", format, "--by", by, "--each-move"];
            let args = &args[..if each_move {
                8
            } else if by.is_empty() {
                5
            } else {
                7
            }];
            let expected = command(&directory, (name, &text), args, format);
            let path = format!("/v1/summarize?what=counts,pins&by={by}&each_move={each_move}");
            let headers = [("accept", accept), ("content-type", kind)];
            let answer = send(address, &path, &headers, text.clone()).await;
            assert!(answer.good() == expected, "{name} {format} {by}");
        }
    }
    let answer = send(address, "/v1/summarize?by=phase", &[("accept", ARROW)], SAMPLE).await.good();
    assert!(read(&answer).1.num_rows() > 128);
    running.is_well().await;
}

/// A text as part of a URL.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_choose_the_rows_of_the_command() {
    let (running, address) = start(&[]).await;
    let directory = Directory::new("conditions");
    for (name, kind, text) in inputs() {
        for condition in [
            "legal_moves > 30 and black_to_move",
            "after(in_check) or white_hanging",
            "phase = endgame",
            "legal_moves > 218",
        ] {
            let option = encoded(condition);
            for path in ["analyze", "summarize"] {
                let args = [path, "--what", "counts,pins", "--format", "csv", "--where", condition];
                let expected = command(&directory, (name, &text), &args, "csv");
                let path = format!("/v1/{path}?what=counts,pins&where={option}");
                let headers = [("accept", "text/csv"), ("content-type", kind)];
                let answer = send(address, &path, &headers, text.clone()).await;
                assert!(answer.good() == expected, "{name} {path}");
            }
        }
    }
    let path = format!("/v1/analyze?keep=ply&where={}", encoded("ply > 20 and Result = \"1-0\""));
    let answer = send(address, &path, &[("content-type", "application/vnd.chess-pgn")], GAMES).await.good();
    assert!(String::from_utf8(answer).unwrap().lines().all(|line| line.contains("\"ply\"")));
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_left_out_are_counted() {
    let (running, address) = start(&[]).await;
    let good = "4k3/8/8/8/8/8/8/R3K3 w Q -\n4k3/8/8/8/8/8/8/4K3 w - -\n4k3/8/8/8/8/8/8/4K2R w K -\nbad\n";
    let text = good.repeat(3_000);
    for (path, left_out) in [
        ("/v1/analyze?on_error=skip&where=white_rooks", 3_000),
        ("/v1/analyze?on_error=skip&where=legal_moves%3e300", 9_000),
        ("/v1/summarize?on_error=skip&where=white_rooks", 3_000),
    ] {
        for is_two in [false, true] {
            let answer =
                ask_by(is_two, address, request(Method::POST, path, &[("te", "trailers")], text.clone())).await;
            let trailers = answer.trailers.clone();
            // Rows are answered before all of them have been counted.
            let is_trailer = left_out == 3_000 && path.contains("analyze");
            let found = if is_trailer { trailers } else { answer.headers.clone() };
            assert_eq!(answer.headers.contains_key("trailer"), is_trailer, "{path}");
            assert!(answer.status.is_success() && answer.is_whole);
            let count = |name: &str| found[name].to_str().unwrap().parse::<u64>().unwrap();
            let counts = ["slider-attacks-skipped", "slider-attacks-left-out"].map(count);
            assert_eq!(counts, [3_000, left_out], "{path} {is_two}");
        }
    }
    // A game of more groups than one result may have is read again in parts.
    let game = format!("[Event \"x\"]\n\n{}*\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(100));
    let path =
        "/v1/summarize?by=ply&what=maps,pins,xrays,hanging,forks,skewers,discovered,batteries&where=white_to_move";
    let answer = send(address, path, &[], game).await;
    assert!(answer.status.is_success() && answer.is_whole);
    assert_eq!(answer.headers["slider-attacks-left-out"], "200");
    let answer = send(address, "/v1/attacks?slider=rook&on_error=skip", &[], "d4\nd4 5\n").await;
    assert!(answer.headers.contains_key("trailer"));
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pairs_are_those_of_the_command() {
    use slider_attacks::{Backend, Square};
    let (running, address) = start(&[]).await;
    let mut random = Random(3);
    let pairs: Vec<(u8, u64)> = (0..5_000).map(|_| (random.below(64) as u8, random.board())).collect();
    let text: String = pairs.iter().map(|(square, occ)| format!("{square} {occ:#x}\n")).collect();
    for slider in Slider::ALL {
        for (accept, format) in [("text/csv", SliderFormat::Csv), ("application/x-ndjson", SliderFormat::Jsonl)] {
            let mut expected = Vec::new();
            let mut rows = SliderRows::new(format, "slider", &mut expected).unwrap();
            for (at, &(square, occupancy)) in pairs.iter().enumerate() {
                let (square, line) = (Square::new(square).unwrap(), at as u64 + 1);
                let mut attacks = [0];
                Backend::scalar().batch_slider_attacks(slider, &[square], &[occupancy], &mut attacks).unwrap();
                let [attacks] = attacks;
                rows.write(&SliderRow { line, slider, name: slider.name(), square, occupancy, attacks }).unwrap();
            }
            let path = format!("/v1/attacks?slider={slider}");
            let answer = send(address, &path, &[("accept", accept)], text.clone()).await.good();
            assert!(answer == expected, "{slider} {accept}");
        }
    }
    let object = fetch(address, "/v1/attacks?slider=rook&square=a1&occ=0").await.json();
    assert_eq!((&object["attacks"], &object["count"]), (&"0x01010101010101fe".into(), &14.into()));
    running.is_well().await;
}

/// The schema of a stream of Arrow, and all of its rows.
fn read(bytes: &[u8]) -> (arrow_schema::SchemaRef, RecordBatch) {
    let reader = StreamReader::try_new(bytes, None).unwrap();
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().unwrap();
    (schema.clone(), arrow_select::concat::concat_batches(&schema, &batches).unwrap())
}

fn written(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn arrow_streams_are_answered_as_by_flight() {
    let (running, address) = start(&[]).await;
    let mut random = Random(5);
    let mut flight = running.client().await;
    for round in 0..20 {
        let work = match round % 2 {
            0 => Work::Attacks(Slider::ALL[random.below(3)]),
            _ => Work::Analyze(Product::ALL.iter().copied().filter(|_| random.below(3) == 0).collect()),
        };
        let batches: Vec<RecordBatch> = (0..3).map(|at| work.batch(&mut random, at * 3_000)).collect();
        let path = match &work {
            Work::Attacks(slider) => format!("/v1/attacks?slider={slider}"),
            Work::Analyze(products) => {
                let names: Vec<&str> = products.iter().map(|product| product.name()).collect();
                format!("/v1/analyze?what={}", names.join(","))
            }
            Work::Sets => unreachable!(),
        };
        let packed = round % 3 == 0;
        let body = written(&batches);
        let mut headers = vec![("content-type", ARROW), ("accept", ARROW)];
        headers.extend(packed.then_some(("content-encoding", "zstd")));
        let mut sent = request(Method::POST, &path, &headers, "");
        let body = if packed { zstd::encode_all(&body[..], 1).unwrap() } else { body };
        let size = [500, 5_000, 50_000][random.below(3)];
        *sent.body_mut() = parts(&body, |at| size + at % 3);
        let answer = ask_by(round % 4 < 2, address, sent).await.good();
        let (schema, rows) = read(&answer);
        let expected = work.ask(&mut flight, batches.clone()).await.unwrap();
        assert_eq!((schema, rows), (expected.schema(), expected), "{path}");
    }
    // In text, too.
    let fens: ArrayRef = Arc::new(StringArray::from(vec![Some("4k3/8/8/8/8/8/8/R3K3 w Q -"), None, Some("x")]));
    let batch = RecordBatch::try_from_iter_with_nullable([("fen", fens, true)]).unwrap();
    let answer = send(
        address,
        "/v1/analyze?what=maps,mobility&on_error=report",
        &[("content-type", ARROW), ("accept", "text/csv")],
        written(std::slice::from_ref(&batch)),
    )
    .await
    .good();
    let text = String::from_utf8(answer).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[1].starts_with("0x010101010101393e,0x2838000000000000,"), "{text}");
    assert!(lines[2].chars().all(|letter| letter == ',') && lines[3].contains("column 1: expected"), "{text}");
    let answer = send(address, "/v1/analyze", &[("content-type", ARROW)], written(&[batch])).await;
    let (status, detail) = answer.problem();
    assert_eq!((status, &answer.json()["row"], &answer.json()["batch"]), (422, &2.into(), &0.into()), "{detail}");
    running.is_well().await;
}

/// Text becomes the columns that Python's `read` gives.
#[tokio::test(flavor = "multi_thread")]
async fn text_becomes_arrow() {
    let (running, address) = start(&[]).await;
    let directory = Directory::new("arrow");
    for (name, kind, text) in inputs() {
        let keep = if name == "in.pgn" { "ply" } else { "fen" };
        let path = directory.write(name, &text);
        for (integers, each_move) in
            [(Integers::Unsigned, false), (Integers::Unsigned, true), (Integers::Signed, false)]
        {
            let what = [Product::Maps, Product::Threats, Product::Counts];
            let mut expected = Batches::open(batches::Request {
                inputs: vec![Input::new(path.as_ref(), 0)],
                keep: vec![keep.to_owned()],
                each_move,
                plan: Plan::new(what).integers(integers),
                integers,
                rows: 1 << 20,
                ..batches::Request::default()
            })
            .unwrap();
            let options = format!("keep={keep}&integers={integers}&each_move={each_move}");
            let query = format!("/v1/analyze?what=maps,threats,counts&{options}");
            let headers = [("accept", ARROW), ("content-type", kind)];
            let (schema, found) = read(&send(address, &query, &headers, text.clone()).await.good());
            let mut rows = 0;
            loop {
                match expected.next(Duration::from_secs(10)).unwrap() {
                    NextRows::Columns(columns) => assert_eq!(columns, schema, "{name}"),
                    NextRows::Rows(batch, _) => {
                        assert_eq!(batch.columns(), found.slice(rows, batch.num_rows()).columns(), "{name}");
                        rows += batch.num_rows();
                    }
                    NextRows::NotYet => panic!("it takes too long"),
                    NextRows::End => break,
                }
            }
            assert_eq!(rows, found.num_rows());
        }
    }
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_wrong() {
    let (running, address) = start(&[]).await;
    for (method, path, headers, body, status, words) in [
        ("GET", "/v2", &[][..], "", 404, "GET / lists"),
        ("PUT", "/v1/analyze", &[], "", 405, "not allow the method PUT"),
        ("GET", "/v1/summarize", &[], "", 405, "not allow the method GET"),
        ("OPTIONS", "/v1/analyze", &[], "", 405, "not allow the method OPTIONS"),
        ("GET", "/v1/analyze", &[], "", 400, "\"fen\" is missing"),
        ("GET", "/v1/analyze?fen=x&what=map", &[], "", 400, "expected one of pieces, maps"),
        ("GET", "/v1/analyze?fen=x&what=", &[], "", 400, "expected one of pieces, maps"),
        ("GET", "/v1/analyze?fen=x&fen=x", &[], "", 400, "duplicate option"),
        ("GET", "/v1/analyze?fen=x&=", &[], "", 400, "unknown option \"\""),
        ("GET", "/v1/analyze?fen=%zz", &[], "", 400, "after %, found \"zz\""),
        ("GET", "/v1/analyze?fen=x&%2", &[], "", 400, "after %, found \"2\""),
        ("GET", "/v1/analyze?fen=x%", &[], "", 400, "after %, found \"\""),
        ("GET", "/v1/analyze?fen=%+1", &[], "", 400, "after %, found \"+1\""),
        ("GET", "/v1/analyze?fen=x%c3%28", &[], "", 400, "found byte 0xc3"),
        ("POST", "/v1/analyze?keep=%ff", &[], "", 400, "found byte 0xff"),
        ("GET", "//v1/analyze?fen=x", &[], "", 404, "no resource at //v1/analyze:"),
        ("GET", "/v1%2fanalyze?fen=x", &[], "", 404, "no resource at /v1%2fanalyze:"),
        ("GET", "/v1/analyze%00?fen=x", &[], "", 404, "no resource at /v1/analyze%00:"),
        ("GET", "/v1/analyze?fen=4k3/8&colour=red", &[], "", 400, "expected fen, what"),
        ("GET", "/v1/products?x=1", &[], "", 400, "expected no options"),
        ("GET", "/v1/attacks?slider=king&square=a1&occ=0", &[], "", 400, "expected one of bishop, rook, queen"),
        ("GET", "/v1/attacks?slider=rook&square=z9&occ=0", &[], "", 400, "expected a1 to h8"),
        ("GET", "/v1/attacks?slider=rook&square=a1&occ=-1", &[], "", 400, "expected 0x"),
        ("GET", "/v1/products", &[("accept", "text/csv")], "", 406, "application/json"),
        ("POST", "/v1/analyze", &[("accept", "image/png")], "", 406, "application/x-ndjson"),
        ("POST", "/v1/analyze", &[("content-type", "image/png")], "", 415, "text/plain"),
        (
            "POST",
            "/v1/analyze",
            &[("content-type", "text/csv")],
            "4k3/8/8/8/8/8/8/4K3 w - -\n",
            422,
            "it is FEN or EPD",
        ),
        ("POST", "/v1/analyze", &[("content-encoding", "br")], "", 415, "gzip or zstd"),
        ("POST", "/v1/analyze", &[("content-encoding", "gzip, gzip")], "", 415, "once"),
        ("POST", "/v1/analyze", &[("content-encoding", "gzip")], "nonsense, and more", 400, "invalid gzip body"),
        ("POST", "/v1/analyze", &[("content-encoding", "zstd")], "nonsense, and more", 400, "invalid zstd body"),
        ("POST", "/v1/analyze", &[], "PAR1nonsense", 415, "Parquet"),
        ("POST", "/v1/analyze", &[], "\u{1f}\u{8b}", 422, ""),
        ("POST", "/v1/analyze?keep=nope", &[], "4k3/8/8/8/8/8/8/4K3 w - -\n", 422, "nope"),
        ("POST", "/v1/analyze?integers=signed", &[], "", 400, "only Arrow streams"),
        ("POST", "/v1/analyze?where=white_pined", &[], "", 400, "did you mean `white_pinned`?"),
        ("POST", "/v1/analyze?where=after(after(checkmate))", &[], "", 400, " ns for a position, and may take 100000"),
        ("POST", "/v1/analyze?where=plyy=3", &[], "4k3/8/8/8/8/8/8/4K3 w - -\n", 422, "plyy"),
        ("POST", "/v1/summarize?where=plyy=3", &[], "4k3/8/8/8/8/8/8/4K3 w - -\n", 422, "plyy"),
        ("POST", "/v1/analyze?where=check", &[("content-type", ARROW)], "", 400, "has no option \"where\""),
        ("POST", "/v1/analyze?from_ply=3&to_ply=2", &[], "", 400, "before from_ply"),
        ("POST", "/v1/analyze?from_ply=3", &[], "4k3/8/8/8/8/8/8/4K3 w - -\n", 422, "has no games"),
        ("POST", "/v1/analyze?keep=fen", &[("content-type", ARROW)], "", 400, "has no option \"keep\""),
        ("POST", "/v1/analyze", &[("content-type", ARROW)], "nonsense, which is long", 422, "Arrow stream"),
        ("POST", "/v1/analyze?on_error=no", &[], "", 400, "fail, skip, null, report"),
        ("POST", "/v1/summarize", &[("content-type", ARROW)], "", 415, "text"),
        ("POST", "/v1/summarize?by=side,side", &[], "", 400, "twice"),
        ("POST", "/v1/summarize?what=maps,keys", &[], "", 400, "product keys has no sums"),
        ("POST", "/v1/summarize?by=side&on_error=null", &[], "", 400, "fail, skip"),
        ("POST", "/v1/attacks", &[], "", 400, "\"slider\" is missing"),
        ("POST", "/v1/attacks?slider=rook", &[("content-type", "text/csv")], "", 415, "pairs"),
        ("POST", "/v1/attacks?slider=rook", &[], "a1 0\na1\n", 422, "line 2, occupancy"),
    ] {
        for is_two in [false, true] {
            let sent = request(method.parse().unwrap(), path, headers, body);
            let (found, detail) = ask_by(is_two, address, sent).await.problem();
            assert!((found, true) == (status, detail.contains(words)), "{method} {path} {body}: {found} {detail}");
        }
    }
    // Nothing is no mistake.
    assert_eq!(send(address, "/v1/analyze", &[], "").await.good(), b"");
    assert_eq!(send(address, "/v1/analyze", &[("content-encoding", "gzip")], gzip(b"")).await.good(), b"");
    // Zero bytes after what is compressed are padding, and nothing else is.
    let line = "4k3/8/8/8/8/8/8/R3K3 w Q -\n";
    let rows = send(address, "/v1/analyze", &[], line).await.good();
    for (coding, body) in [("gzip", gzip(line.as_bytes())), ("zstd", zstd::encode_all(line.as_bytes(), 1).unwrap())] {
        let headers = [("content-encoding", coding)];
        let send = |parts: &[&[u8]]| send(address, "/v1/analyze", &headers, parts.concat());
        assert_eq!(send(&[&body, &[0; 70_000]]).await.good(), rows, "{coding}");
        let twice = send(&[&body, &[0; 3], &body, &[0; 3]]).await.good();
        assert_eq!(twice.iter().filter(|&&byte| byte == b'\n').count(), 2, "{coding}");
        assert_eq!(send(&[&[0; 8]]).await.problem().0, 400, "{coding}");
        let garbage = send(&[&body, &[0; 8], b"garbage"]).await;
        assert!(!garbage.is_whole || garbage.status == 400, "{garbage:?}");
    }
    let header = send(address, "/v1/analyze", &[("accept", "text/csv")], "").await.good();
    assert_eq!(header, b"line,white_attacks,black_attacks\n");
    let (schema, rows) = read(&send(address, "/v1/analyze", &[("accept", ARROW)], "").await.good());
    assert_eq!((schema.fields().len(), rows.num_rows()), (3, 0));
    let empty = written(&[Work::Attacks(Slider::Rook).batch(&mut Random(1), 0)]);
    for accept in [ARROW, "text/csv"] {
        let headers = [("accept", accept), ("content-type", ARROW)];
        assert!(!send(address, "/v1/attacks?slider=rook", &headers, empty.clone()).await.good().is_empty());
    }
    let answer = ask_by(false, address, request(Method::PUT, "/v1/analyze", &[], "")).await;
    assert_eq!(answer.headers["allow"], "GET,HEAD,POST");
    running.is_well().await;
}

/// Problems tell the place and the value as they are, whatever letters these have.
#[tokio::test(flavor = "multi_thread")]
async fn problems_tell_places() {
    let (running, address) = start(&[]).await;
    let place = async |path: &str, kind: &str, body: Vec<u8>| {
        let answer = send(address, path, &[("content-type", kind)], body).await;
        assert_eq!(answer.problem().0, 422, "{answer:?}");
        // Nothing that a terminal would take for a command, or show in another order.
        let is_shown = |letter: char| letter == '\n' || letter.escape_debug().count() == 1 || letter.is_ascii_graphic();
        assert!(answer.text().chars().all(is_shown), "{:?}", answer.text());
        let Value::Object(mut place) = answer.json() else { panic!() };
        for name in ["type", "title", "status", "detail"] {
            place.remove(name);
        }
        Value::Object(place)
    };
    let long = "é".repeat(100);
    // Found where a word stands.
    for (value, told) in [
        ("z9", "z9"),
        ("\"", "\""),
        ("\"a", "\"a"),
        ("'", "'"),
        ("\\", "\\"),
        ("\\\"\\\\", "\\\"\\\\"),
        ("\",_found_\"x", "\",_found_\"x"),
        ("\u{1}\u{7f}\u{9b}2J", "\u{1}\u{7f}\u{9b}2J"),
        ("\u{202e}a\u{2066}b\u{feff}", "\u{202e}a\u{2066}b\u{feff}"),
        ("e\u{301}\u{1f600}", "e\u{301}\u{1f600}"),
        (&long, &long[..160]),
    ] {
        let pairs = format!("a1 0\n{value} 0\n").into_bytes();
        let expected = json!({"line": 2, "field": "square", "value": told});
        assert_eq!(place("/v1/attacks?slider=rook", "text/plain", pairs).await, expected);
        // In a field of CSV, the moves.
        let csv = format!("fen,Moves\n4k3/8/8/8/8/8/8/4K3 w - -,\"{}\"\n", value.replace('"', "\"\""));
        let expected = json!({"line": 2, "field": "Moves", "value": told});
        assert_eq!(place("/v1/analyze?after_first_move=true", "text/csv", csv.into_bytes()).await, expected);
        // A JSON value that is no text, and holds anything.
        let array = json!([value]).to_string();
        let told: String = array.chars().take(80).collect();
        let line = format!("{{\"fen\": {array}}}\n").into_bytes();
        let expected = json!({"line": 1, "field": "fen", "value": told});
        assert_eq!(place("/v1/analyze", "application/x-ndjson", line).await, expected);
    }
    let kings = "4k3/8/8/8/8/8/8/4K3";
    for (letter, told) in
        [(&b"x"[..], Some("x")), (b"\"", Some("\"")), (b"'", Some("'")), (b"\\", Some("\\")), (b"\x1b", Some("\x1b"))]
            .into_iter()
            .chain([(b"\xff".as_slice(), None), ("é".as_bytes(), None), (b"", None)])
    {
        let mut expected = json!({"line": 2, "column": 21});
        if let Some(told) = told {
            expected["value"] = told.into();
        }
        let lines = [kings.as_bytes(), b" w - -\n", kings.as_bytes(), b" ", letter, b"\n"].concat();
        let found = place("/v1/analyze", "text/plain", lines).await;
        if letter.is_empty() {
            // The end of the line is before the blank at its end, or after it.
            expected["column"] = found["column"].clone();
        }
        assert_eq!(found, expected);
        if let (Some(_), Ok(letter)) = (told, str::from_utf8(letter)) {
            let fens: ArrayRef = Arc::new(StringArray::from(vec![format!("{kings} {letter}")]));
            let batch = RecordBatch::try_from_iter_with_nullable([("fen", fens, true)]).unwrap();
            let expected = json!({"batch": 0, "row": 0, "column": 21, "value": letter});
            assert_eq!(place("/v1/analyze", ARROW, written(&[batch])).await, expected);
        }
    }
    let squares: ArrayRef = Arc::new(arrow_array::Int16Array::from(vec![0, -7]));
    let occupancies: ArrayRef = Arc::new(UInt64Array::from(vec![0, 0]));
    let columns = [("squares", squares, true), ("occupancies", occupancies, true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let expected = json!({"batch": 0, "row": 1, "field": "squares", "value": "-7"});
    assert_eq!(place("/v1/attacks?slider=rook", ARROW, written(&[batch])).await, expected);
    // Games, and a position in a field whose name has quotation marks.
    let game = b"[Event \"a\"]\n\n1. e4 e5 2. Ke3 *\n".to_vec();
    let expected = json!({"game": 1, "line": 3, "column": 13, "ply": 2, "value": "Ke3"});
    assert_eq!(place("/v1/analyze", "application/vnd.chess-pgn", game).await, expected);
    let csv = format!("\"a\"\"b\",x\n{kings} ?,1\n").into_bytes();
    let expected = json!({"line": 2, "field": "a\"b", "column": 21, "value": "?"});
    assert_eq!(place("/v1/analyze?column=a%22b", "text/csv", csv).await, expected);
    // What is found in an address.
    let answer = fetch(address, "/v1/analyze?fen=4k3/8/8/8/8/8/8/4K3_%22").await;
    assert_eq!((&answer.json()["column"], &answer.json()["value"]), (&21.into(), &"\"".into()));
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_certificates() {
    let directory = Directory::new("http-trust");
    let token = "0123456789abcdef0123456789abcdef";
    let tokens = directory.write("tokens", &format!("ann {token}\n"));
    let certificates = Certificates::new("localhost");
    let (cert, key) = (directory.write("cert", &certificates.cert), directory.write("key", &certificates.key));
    let args = ["--tokens", &tokens, "--tls-cert", &cert, "--tls-key", &key, "--client-calls", "20"];
    let (running, address) = start(&args).await;
    for (is_two, protocol) in [(false, "http/1.1"), (true, "h2")] {
        let ask = async |path: &str, authorization: &str| {
            let stream = certificates.connect(address, &[protocol]).await;
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(protocol.as_bytes()));
            let headers = [("authorization", authorization)];
            ask_over(is_two, stream, request(Method::GET, path, &headers, "")).await
        };
        for path in ["/healthz", "/"] {
            assert_eq!(ask(path, "").await.status, 200);
        }
        for path in ["/v1/products", "/openapi.json", "/nothing"] {
            for authorization in ["", "Bearer x", token] {
                let answer = ask(path, authorization).await;
                assert_eq!(answer.problem().0, 401);
                assert_eq!(answer.headers["www-authenticate"], "Bearer");
            }
        }
        assert_eq!(ask("/v1/products", &format!("bearer {token}")).await.status, 200);
    }
    let authorization = format!("Bearer {token}");
    let mut refused = 0;
    for _ in 0..40 {
        let stream = certificates.connect(address, &["http/1.1"]).await;
        let sent = request(Method::GET, "/v1/analyze?fen=x", &[("authorization", &authorization)], "");
        let answer = ask_over(false, stream, sent).await;
        if answer.status == 429 {
            assert_eq!(answer.headers["retry-after"], "1");
            refused += 1;
        }
    }
    assert!(running.metric("refused_total{reason=\"client_calls\"}").await == f64::from(refused));
    assert!(running.stop().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_other_origins() {
    let directory = Directory::new("page");
    const HTML: &str = "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src \
                        'sha256-dDBSB+dsubZVF2EVkSjdV67tkiGmqmfQyMfnCIFFBqw='\"><title>page</title>";
    let page = directory.write("page.html", HTML);
    let without = directory.write("without.html", "<!doctype html><title>page</title>");
    let broken = directory.write("broken.html", &HTML.replace("; script", ";\nscript"));
    let folder = directory.0.to_str().unwrap();
    let pipe = if cfg!(unix) { format!("{folder}/pipe") } else { folder.to_owned() };
    assert!(pipe == folder || std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let huge = directory.write("huge.html", "");
    std::fs::File::options().write(true).open(&huge).unwrap().set_len(65 << 20).unwrap();
    let (running, address) = start(&["--page", &page, "--cors", "https://example.com"]).await;
    // What browsers say: they get the page, and others the list.
    const BROWSER: (&str, &str) = ("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    for headers in [&[][..], &[("accept", "*/*")], &[("accept", "text/plain, text/html")]] {
        let answer = ask_by(false, address, request(Method::GET, "/", headers, "")).await;
        assert!(answer.text().contains("/openapi.json") && answer.headers["vary"] == "accept", "{headers:?}");
    }
    let answer = ask_by(false, address, request(Method::GET, "/", &[BROWSER], "")).await;
    assert_eq!((answer.text(), &answer.headers["vary"]), (HTML, &"accept, accept-encoding".parse().unwrap()));
    // Compressed for those who take it, with a tag for each coding.
    let mut seen = vec![answer.headers["etag"].clone()];
    for (accepted, coding) in [("gzip, deflate, br", "gzip"), ("gzip, deflate, br, zstd", "zstd"), ("gzip;q=0", "")] {
        let headers = [BROWSER, ("accept-encoding", accepted)];
        let answer = ask_by(false, address, request(Method::GET, "/", &headers, "")).await;
        assert_eq!(answer.headers.get("content-encoding").map_or("", |it| it.to_str().unwrap()), coding);
        assert_eq!(unpacked(coding, &answer.body), HTML.as_bytes());
        let tag = answer.headers["etag"].clone();
        assert_eq!(seen.contains(&tag), coding.is_empty(), "{tag:?}");
        let headers = [BROWSER, ("accept-encoding", accepted), ("if-none-match", tag.to_str().unwrap())];
        let again = ask_by(false, address, request(Method::GET, "/", &headers, "")).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
        seen.push(tag);
    }
    assert_eq!(
        answer.headers["content-security-policy"],
        "default-src 'none'; script-src 'sha256-dDBSB+dsubZVF2EVkSjdV67tkiGmqmfQyMfnCIFFBqw='; frame-ancestors 'none'"
    );
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert_eq!(answer.headers["referrer-policy"], "no-referrer");
    let tag = answer.headers["etag"].to_str().unwrap().to_owned();
    let again = ask_by(false, address, request(Method::GET, "/", &[BROWSER, ("if-none-match", &tag)], "")).await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
    for tags in [vec!["*"], vec!["\"x\"", &tag], vec![&*format!("\"x\", W/{tag}")]] {
        let known = tags.into_iter().map(|tags| ("if-none-match", tags));
        let headers: Vec<(&str, &str)> = [BROWSER].into_iter().chain(known).collect();
        for method in [Method::GET, Method::HEAD] {
            let again = ask_by(false, address, request(method, "/", &headers, "")).await;
            assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{headers:?}");
            // If there is a length, it is that of the page.
            assert_eq!(
                again.headers.get("content-length").map_or(HTML.len().to_string().as_bytes(), |it| it.as_bytes()),
                HTML.len().to_string().as_bytes()
            );
        }
    }
    // A part is not given, and other tags are no reason for less than the page.
    let headers = [
        BROWSER,
        ("range", "bytes=0-3"),
        ("if-none-match", "\"x\""),
        ("if-modified-since", "Wed, 25 Nov 2099 00:00:00 GMT"),
    ];
    assert_eq!(ask_by(false, address, request(Method::GET, "/", &headers, "")).await.text(), HTML);
    let headers = [("origin", "https://example.com"), ("access-control-request-method", "POST")];
    let answer = ask_by(false, address, request(Method::OPTIONS, "/v1/analyze", &headers, "")).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["access-control-allow-origin"]),
        (200, &"https://example.com".parse().unwrap())
    );
    let answer =
        ask_by(false, address, request(Method::GET, "/healthz", &[("origin", "https://example.com")], "")).await;
    assert_eq!(answer.headers["access-control-allow-origin"], "https://example.com");
    running.is_well().await;
    for origin in [
        "null",
        "https://Example.com",
        "https://example.com/",
        "https://example.com:443",
        "http://*.com",
        "a b://c",
        "",
    ] {
        let all = ["serve", "--http", "127.0.0.1:0", "--cors", origin];
        assert!(Options::try_parse_from(all).unwrap_err().to_string().contains("as browsers send it"), "{origin}");
    }
    assert!(
        Options::try_parse_from([
            "serve",
            "--http",
            "127.0.0.1:0",
            "--cors",
            "https://a.com",
            "--cors",
            "https://b.com"
        ])
        .is_err()
    );
    assert!(Options::try_parse_from(["serve", "--http", "127.0.0.1:0", "--cors", "http://127.0.0.1:8000"]).is_ok());
    // Without options, there is neither.
    let (_running, address) = start(&[]).await;
    let answer = ask_by(false, address, request(Method::GET, "/", &[("origin", "https://example.com")], "")).await;
    assert!(answer.headers.get("access-control-allow-origin").is_none() && answer.text().contains("/openapi.json"));
    for (args, words) in [
        (vec!["--http", "0.0.0.0:0"], "can be reached from outside"),
        (vec!["--http", "127.0.0.1:0", "--page", "/nothing/here"], "cannot read /nothing/here"),
        (vec!["--http", "127.0.0.1:0", "--page", &without], "it has no policy"),
        (vec!["--http", "127.0.0.1:0", "--page", &broken], "its policy"),
        (vec!["--http", "127.0.0.1:0", "--page", folder], "it is not a file"),
        (vec!["--http", "127.0.0.1:0", "--page", &pipe], "it is not a file"),
        (vec!["--http", "127.0.0.1:0", "--page", &huge], "it has more than"),
        (
            vec!["--http", "127.0.0.1:0", "--client-held-bytes", "2000000", "--message-bytes", "1024"],
            "at least 4194304",
        ),
        (vec!["--http", "127.0.0.1:0", "--held-bytes", "65536", "--message-bytes", "1024"], "--held-bytes must be"),
    ] {
        let all = ["serve", "--listen", "127.0.0.1:0"].into_iter().chain(args);
        let error = Server::bind(Options::parse_from(all)).await.err().unwrap();
        assert!(format!("{error:#}").contains(words), "{error:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_served_is_described() {
    let (running, address) = start(&[]).await;
    let products = fetch(address, "/v1/products").await.json();
    assert_eq!(products.as_object().unwrap().len(), Product::ALL.len());
    let document = fetch(address, "/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/v1/analyze"]["post"]["requestBody"]["content"][ARROW].is_object());
    let columns = document["components"]["schemas"]["Products"]["properties"].as_object().unwrap();
    for product in Product::ALL {
        assert!(product.columns().iter().all(|column| columns.contains_key(column.name())), "{product}");
        let answer = fetch(address, &format!("/v1/analyze?fen=4k3/8/8/8/8/8/8/R3K3_w_Q_-&what={product}")).await;
        let object: serde_json::Map<String, Value> = serde_json::from_slice(&answer.good()).unwrap();
        assert_eq!(object.len(), product.columns().len());
    }
    for option in ProductOptions::ALL {
        let (name, fen) = (option.name(), "4k3/8/8/8/8/8/8/R3K3_w_Q_-");
        let values = match option.kind() {
            OptionKind::Choice(names) => names,
            _ => &[option.default()],
        };
        for (path, method) in [("/v1/analyze", "get"), ("/v1/analyze", "post"), ("/v1/summarize", "post")] {
            let parameters = document["paths"][path][method]["parameters"].as_array().unwrap();
            let parameter = parameters.iter().find(|parameter| parameter["name"] == name).expect(name);
            assert_eq!(parameter["description"], option.help());
            assert!(matches!(option.kind(), OptionKind::PieceValues) || parameter["schema"]["enum"] == json!(values));
            let ask = async |value: &str| match method {
                "get" => fetch(address, &format!("{path}?fen={fen}&{name}={value}")).await,
                _ => {
                    send(address, &format!("{path}?{name}={value}"), &[("content-type", "text/plain")], ONE_LINE).await
                }
            };
            for value in values {
                ask(value).await.good();
            }
            let (status, detail) = ask("x").await.problem();
            let begins = format!("option {name:?}: expected ");
            assert!(status == 400 && detail.starts_with(&begins) && detail.ends_with(", found \"x\""), "{detail}");
        }
        for value in values {
            let command = format!(r#"{{"call": "analyze", "{name}": "{value}"}}"#);
            slider_attacks_serve::Call::of_command(command.as_bytes(), slider_attacks::Backend::active()).unwrap();
        }
        let command = format!(r#"{{"call": "analyze", "{name}": "x"}}"#);
        let error = slider_attacks_serve::Call::of_command(command.as_bytes(), slider_attacks::Backend::active())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("the command of the descriptor: expected "), "{error}");
        let command = format!(r#"{{"call": "queen_attacks", "{name}": "{}"}}"#, option.default());
        let error = slider_attacks_serve::Call::of_command(command.as_bytes(), slider_attacks::Backend::active())
            .unwrap_err()
            .to_string();
        assert_eq!(error, format!("queen_attacks: unknown option {name:?}"));
    }
    assert_eq!(fetch(address, "/healthz").await.text(), "serving\n");
    examples_are_answers(address, &document).await;
    let body = "{\"fen\": \"4k3/8/8/8/8/8/8/R3K3 w Q -\"}";
    let taken = send(address, "/v1/analyze", &[("content-type", "application/json")], body).await;
    assert_eq!(taken.json()["white_attacks"], "0x010101010101393e");
    // Without a body, HEAD has the headers of GET.
    let head = ask_by(false, address, request(Method::HEAD, "/v1/products", &[], "")).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
    assert!(running.metric("requests_total{call=\"products\",status=\"Ok\"}").await >= 2.0);
    running.is_well().await;
}

/// The dashboard asks only for metrics that there are.
#[tokio::test]
async fn the_dashboard_shows_metrics() {
    let dashboard: Value = serde_json::from_str(include_str!("../../deploy/grafana.json")).unwrap();
    let (running, _) = start(&[]).await;
    let text = metrics(running.metrics).await;
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut count = 0;
    for target in targets {
        let expression = target["expr"].as_str().unwrap();
        let words = expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        for name in words.filter(|word| word.starts_with("slider_attacks_") || word.starts_with("process_")) {
            // Without TLS, there is no certificate.
            let is_shown = ["{", " "].iter().any(|end| text.contains(&format!("\n{name}{end}")));
            assert!(is_shown || name.ends_with("certificate_expiry_seconds"), "{name}");
            count += 1;
        }
    }
    assert!(count >= panels.len());
    running.stop().await;
}

/// Each answer of the document has an example, which is what the service answers to the examples of requests.
async fn examples_are_answers(address: SocketAddr, document: &Value) {
    assert_eq!(document["servers"][0]["url"], "/");
    let queries = [
        ("/v1/attacks", "get", "?slider=queen&square=d4&occ=0xffff00000000ffff"),
        ("/v1/attacks", "post", "?slider=queen"),
        ("/v1/analyze", "get", "?fen=4k3/8/8/8/8/8/8/R3K3_w_Q_-"),
        ("/v1/analyze", "post", ""),
        ("/v1/summarize", "post", ""),
        ("/v1/products", "get", ""),
        ("/openapi.json", "get", ""),
        ("/healthz", "get", ""),
    ];
    assert_eq!(document["paths"].as_object().unwrap().len(), 6);
    for (path, method, query) in queries {
        let described = &document["paths"][path][method];
        let problem = &described["responses"]["4XX"]["content"]["application/problem+json"]["example"];
        assert_eq!(problem["status"], 400, "{path}");
        let body = described["requestBody"]["content"]["text/plain"]["example"].as_str();
        for (kind, media) in described["responses"]["200"]["content"].as_object().unwrap() {
            let headers = [("content-type", "text/plain"), ("accept", kind.as_str())];
            let answer = match body {
                Some(body) => send(address, &format!("{path}{query}"), &headers, body.to_owned()).await,
                None => fetch(address, &format!("{path}{query}")).await,
            };
            match &media["example"] {
                Value::Null => assert_eq!(kind, ARROW, "{path}"),
                Value::String(text) => assert!(answer.text().starts_with(text), "{path}, {kind}"),
                // The long documents begin so.
                example if path.ends_with("products") => assert_eq!(answer.json()["maps"], example["maps"]),
                example if path.ends_with("openapi.json") => assert_eq!(answer.json()["openapi"], example["openapi"]),
                example => assert_eq!(&answer.json(), example, "{path}"),
            }
        }
    }
    let problem = &document["paths"]["/v1/attacks"]["get"]["responses"]["4XX"]["content"]["application/problem+json"];
    let (status, detail) = fetch(address, "/v1/attacks?slider=king&square=a1&occ=0").await.problem();
    assert_eq!(
        (json!(status), json!(detail)),
        (problem["example"]["status"].clone(), problem["example"]["detail"].clone())
    );
}

/// A client of HTTP/1.1 cannot see that its connection gets too old while its next request is on the way: that one is answered.
#[tokio::test]
async fn an_old_connection_of_http_1_ends_with_an_answer() {
    let (running, address) = start(&["--connection-age", "1"]).await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    for is_old in [false, true] {
        connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"serving\n") {
            let count = connection.read_buf(&mut answer).await.unwrap();
            assert!(count > 0, "{:?}", String::from_utf8_lossy(&answer));
        }
        let head = String::from_utf8_lossy(&answer).to_lowercase();
        assert_eq!(head.contains("\r\nconnection: close\r\n"), is_old, "{head}");
        tokio::time::sleep(Duration::from_millis(1500)).await;
    }
    assert_eq!(connection.read(&mut [0; 10]).await.unwrap(), 0);
    running.is_well().await;
}
