//! Memory is reserved before work begins, and held until the network has taken the results.

use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use http::Method;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tonic::body::Body;

use super::process::Process;
use super::soak::size;
use super::trust::Directory;
use super::*;
use web::{fetch, gzip, request, send, start};

const LINE: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -\n";
/// Ten moves, one row each.
const GAME: &[u8] = b"1. e4 e5 2. Nf3 Nc6\n";
/// A position with 218 moves.
const MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -\n";

/// Sends these bytes over this many connections, but the last byte of each only when all others have been sent. Nobody reads. Returns the
/// most memory that the service takes meanwhile, in MiB, and how long others wait for an answer.
async fn unread(process: &Process, count: usize, bytes: &[u8]) -> (u64, Vec<Duration>) {
    let address = process.http.unwrap();
    let mut open = Vec::new();
    for _ in 0..count {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&bytes[..bytes.len() - 1]).await.unwrap();
        open.push(stream);
    }
    let begun = Instant::now();
    while metric(process.metrics, "streams").await < count as f64 {
        assert!(begun.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for stream in &mut open {
        stream.write_all(&bytes[bytes.len() - 1..]).await.unwrap();
    }
    let (mut most, mut waits, begun) = (0, Vec::new(), Instant::now());
    while begun.elapsed() < Duration::from_secs(4) {
        // From elsewhere: what a client holds is its own.
        let start = Instant::now();
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        let mut stream = socket.connect(address).await.unwrap();
        let head = format!("POST /v1/analyze HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{LINE}", LINE.len());
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut buffer = [0; 12];
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_exact(&mut buffer)).await;
        read.expect("others are answered").unwrap();
        assert_eq!(&buffer, b"HTTP/1.1 200");
        waits.push(start.elapsed());
        most = most.max(size(process.id()).0 >> 10);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    waits.sort_unstable();
    (most, waits)
}

/// A request by HTTP/1.1 with this body.
fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Small requests with large answers that nobody reads.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn small_requests_with_large_answers() {
    let long = "x".repeat(12_000);
    let names: Vec<String> = (0..1_500).map(|at| format!("name{at}")).collect();
    let pgn = "content-type: application/vnd.chess-pgn\r\n";
    let wide = format!("fen,\"{}\"\n{}", "y".repeat(900_000), "4k3/8/8/8/8/8/8/R3K3 w Q -,\n".repeat(2_000));
    let packed = gzip(wide.as_bytes());
    let csv = "content-type: text/csv\r\ncontent-encoding: gzip\r\n";
    let games = [GAME, b"\n"].concat().repeat(1_500);
    for (what, count, bytes) in [
        ("a long key", 60, post(&format!("/v1/summarize?by={long}"), pgn, GAME)),
        ("long names of tags", 60, post(&format!("/v1/analyze?keep={}", names.join(",")), pgn, &games)),
        ("a long name in a header", 8, post("/v1/analyze?keep=all", csv, &packed)),
        ("all products", 60, post("/v1/analyze?what=maps,pins,counts,threats", pgn, &games)),
        ("each move", 60, post("/v1/analyze?what=maps,threats&each_move=true", "", MOVES.repeat(300).as_bytes())),
    ] {
        let process = Process::start(&["--http", "127.0.0.1:0", "--log-level", "error"]).await;
        let idle = size(process.id()).0 >> 10;
        let (most, waits) = unread(&process, count, &bytes).await;
        let (median, last) = (waits[waits.len() / 2], waits[waits.len() - 1]);
        common::say(format_args!("{what}: {most} MiB, {idle} idle; others wait {median:?}, {last:?} at most"));
        // One client holds 128 MiB; then there are connections, and memory that the allocator keeps.
        assert!(most < idle + 300, "{what}: {most} MiB, {idle} idle");
        assert!(median < Duration::from_millis(500), "{what}: {median:?}");
    }
}

/// A unit whose rows have no room is refused, with its place; a smaller one is answered, though it is larger than most.
#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_is_too_large() {
    let limits = ["--message-bytes", "1000000", "--held-bytes", "134217728"];
    let (running, address) = start(&limits).await;
    let ask = async |bytes: usize| {
        let text = format!("a,fen\nx,{LINE}{},{LINE}", "\u{1}".repeat(bytes));
        send(address, "/v1/analyze?keep=a", &[("content-type", "text/csv")], text).await
    };
    let (few, many) = (ask(500_000).await, ask(900_000).await);
    let rows = String::from_utf8(few.good()).unwrap();
    assert_eq!((rows.lines().count(), rows.len() > 3_000_000), (2, true));
    // The row before it is answered.
    assert!(!many.is_whole || many.status == 422, "{}", many.status);
    let problem = many.text().lines().last().unwrap();
    assert!(problem.contains("line 3: its rows may take 6 MiB, and at most 4 MiB are answered at a time"), "{problem}");
    let names = (0..5_000).map(|at| format!("c{at}")).collect::<Vec<_>>().join(",");
    let wide = format!("{names},fen\n{},{LINE}", ",".repeat(4_999));
    let answer = send(address, "/v1/analyze?keep=all", &[("content-type", "text/csv")], wide).await;
    assert_eq!(answer.problem(), (422, "body, line 1: expected at most 4096 columns, found 5001".to_owned()));
    assert_eq!(answer.json()["line"], 1);
    let kind = [("content-type", "application/x-ndjson")];
    for (count, status) in [(4096, 200), (4097, 422)] {
        let fields: String = (1..count).map(|at| format!(",\"c{at}\":1")).collect();
        let text = format!("{{\"fen\":\"{}\"}}\n{{\"fen\":\"{}\"{fields}}}\n", LINE.trim(), LINE.trim());
        let answer = send(address, "/v1/analyze?keep=c7", &kind, text).await;
        assert_eq!(answer.status == 200 && answer.is_whole, status == 200, "{count}");
        let problem = "body, line 2, JSON: fields: expected at most 4096, found 4097";
        assert_eq!(answer.text().contains(problem), status == 422, "{}", answer.text());
    }
    let columns: Vec<Field> = (0..1500).map(|at| Field::new(format!("c{at}"), DataType::UInt8, true)).collect();
    let mut stream = Vec::new();
    StreamWriter::try_new(&mut stream, &Schema::new(columns)).unwrap().finish().unwrap();
    let kind = [("content-type", "application/vnd.apache.arrow.stream")];
    let (status, problem) = send(address, "/v1/analyze", &kind, stream).await.problem();
    assert_eq!(status, 422, "{problem}");
    assert!(problem.contains("there are more than 100 columns"), "{problem}");
    running.is_well().await;
}

/// Each of these has few bytes and much to compute. It is worked on in pieces, between which others have their turn.
#[tokio::test(flavor = "multi_thread")]
async fn work_is_done_in_pieces() {
    let (running, address) = start(&[]).await;
    let products = Product::ALL.iter().copied().filter(|product| product.has_sums());
    let products = products.map(Product::name).collect::<Vec<_>>().join(",");
    let game = format!("\n{}*\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(2000));
    let fen = LINE.trim();
    let array = format!("{{\"fen\":\"{fen}\",\"a\":[{}7]}}\n", "0,".repeat(490_000));
    let numbers: Vec<String> = (489_000..=490_000).map(|at| format!("a.{at}")).collect();
    let nested = format!("{{\"fen\":\"{fen}\",\"a\":{}1{}\n", "{\"a\":".repeat(150_000), "}".repeat(150_001));
    let (names, tags): (Vec<String>, Vec<String>) =
        (0..20_000).map(|at| (format!("T{at}"), format!("[T{at} \"1\"]\n"))).unzip();
    let (names, tags) = (names[19_000..].join(","), tags.concat());
    let pgn = "application/vnd.chess-pgn";
    let count = async |most: &str| running.metric(&format!("work_duration_seconds_bucket{{le=\"{most}\"}}")).await;
    let slow = async || count("+Inf").await - count("0.2").await;
    for (path, kind, text, rows) in [
        (format!("/v1/analyze?what={products}"), pgn, game.clone(), Some(8001)),
        (format!("/v1/analyze?what={products}&keep={}", "k".repeat(2000)), pgn, game.clone(), Some(8001)),
        (format!("/v1/summarize?what={products}&by=ply:100"), pgn, game.repeat(20), None),
        (
            "/v1/analyze?what=maps,counts,threats&each_move=true".to_owned(),
            "text/plain",
            MOVES.repeat(40),
            Some(40 * 218),
        ),
        ("/v1/analyze?where=after(checkmate%20and%20a8)".to_owned(), pgn, game.repeat(3), Some(0)),
        ("/v1/summarize?where=count_moves(in_check)=99".to_owned(), pgn, game.repeat(3), Some(192)),
        (format!("/v1/analyze?keep={}", numbers.join(",")), "application/x-ndjson", array, Some(1)),
        (format!("/v1/analyze?keep={}a", "a.".repeat(7000)), "application/x-ndjson", nested, Some(1)),
        (format!("/v1/analyze?what=legal_moves&keep={names}"), pgn, format!("{tags}\n1. e4 *\n\n").repeat(5), Some(10)),
    ] {
        let headers = [("content-type", kind), ("content-encoding", "gzip")];
        let body = gzip(text.as_bytes());
        // Processor time, without optimisation. With it, hardly a piece takes more than 20 ms. A virtual machine that stalls charges
        // some piece for it, but hardly one of the same request three times.
        let mut tries = 0;
        loop {
            let before = slow().await;
            let answer = send(address, &path, &headers, body.clone()).await.good();
            let answer = String::from_utf8(answer).unwrap();
            let lines = answer.lines().count();
            assert!(rows.map_or(lines > 1000, |rows| rows == lines), "{lines} rows of {}", &path[..40]);
            if slow().await == before {
                break;
            }
            tries += 1;
            assert!(tries < 3, "pieces of {} took more than 0.2 s", &path[..40]);
        }
    }
    let all = count("+Inf").await;
    assert!(all > 2000.0, "{all} pieces");
    running.is_well().await;
}

/// The rows of a long game come in several pieces, and are those of the command.
#[tokio::test(flavor = "multi_thread")]
async fn long_games_are_read_in_parts() {
    let (running, address) = start(&[]).await;
    let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(750);
    let variation = "Nf3 Nf6 (1... Nc6 2. Ng1 Nb8) Ng1 Ng8 ".repeat(500);
    let (good, bad) = (format!("[White \"a\"]\n\n{moves}1-0\n\n"), format!("[White \"b\"]\n\n{moves}Ke5 *\n\n"));
    let text = format!("{good}{good}[White \"c\"]\n\n1. e4 *\n\n[White \"d\"]\n\n{variation}*\n\n{bad}{good}");
    let rows =
        [(1, format!("{moves}*")), (2, format!("{moves}Ke5 *")), (3, "1. e4 *".to_owned()), (4, format!("{moves}1-0"))];
    let csv: String = rows.iter().map(|(id, moves)| format!("{id},{moves}\n")).collect();
    let json: String = rows.iter().map(|(id, moves)| format!("{{\"id\":{id},\"movetext\":\"{moves}\"}}\n")).collect();
    let directory = Directory::new("parts");
    for (name, text, column, keep) in [
        ("in.pgn", text.clone(), "fen", "game,ply,san,next_uci,result,White,depth,fen"),
        ("in.pgn", text, "fen", "result"),
        ("in.csv", format!("id,movetext\n{csv}"), "movetext", "id,ply,san,result"),
        ("in.jsonl", json, "movetext", "id,ply,next_san,result"),
    ] {
        let what = "maps,mobility,counts";
        for (of_service, of_command) in [
            ("on_error=skip", "--on-error skip"),
            ("on_error=report&variations=true", "--on-error report --variations"),
            ("on_error=null&from_ply=7&to_ply=2500&every=3", "--on-error null --from-ply 7 --to-ply 2500 --every 3"),
            ("on_error=report&each_move=true&from_ply=2600", "--on-error report --each-move --from-ply 2600"),
        ] {
            let path = format!("/v1/analyze?what={what}&column={column}&keep={keep}&{of_service}");
            let answer = send(address, &path, &[], text.clone()).await.good();
            let args = format!("analyze --what {what} --column {column} --keep {keep} {of_command}");
            let args: Vec<&str> = args.split(' ').collect();
            let expected = web::command(&directory, (name, &text), &args, "jsonl");
            let lines = answer.split(|&byte| byte == b'\n').zip(expected.split(|&byte| byte == b'\n'));
            let difference = lines.into_iter().find(|(one, other)| one != other);
            let difference = difference.map(|(one, other)| [one, other].map(String::from_utf8_lossy));
            assert!(
                answer == expected,
                "{name}, {path}: {} and {} bytes, {difference:?}",
                answer.len(),
                expected.len()
            );
        }
    }
    running.is_well().await;
}

/// Requests with much to do, which are reset at once. Their work ends with them.
#[tokio::test(flavor = "multi_thread")]
async fn work_ends_with_its_stream() {
    let (running, address) = start(&[]).await;
    let game = format!("\n{}*\n\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(1000));
    let body = gzip(game.repeat(1000).as_bytes());
    let products = Product::ALL.iter().copied().filter(|product| product.has_sums());
    let products = products.map(Product::name).collect::<Vec<_>>().join(",");
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let path = format!("/v1/summarize?what={products}&by=ply");
    let headers = [("content-type", "application/vnd.chess-pgn"), ("content-encoding", "gzip")];
    let calls: Vec<_> = (0..8)
        .map(|_| tokio::spawn(sender.send_request(request(Method::POST, &path, &headers, body.clone()))))
        .collect();
    running.wait_for("streams", 8.0).await;
    let begun = Instant::now();
    calls.iter().for_each(tokio::task::JoinHandle::abort);
    running.wait_for("streams", 0.0).await;
    running.wait_for("held_bytes", 0.0).await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    let pieces = async || running.metric("work_duration_seconds_count").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = pieces().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(pieces().await, before);
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_have_few_keys() {
    let (running, address) = start(&[]).await;
    let by = |count: usize| (0..count).map(|at| format!("k{at}")).collect::<Vec<_>>().join(",");
    let ask = async |count: usize| {
        let path = format!("/v1/summarize?by={}", by(count));
        send(address, &path, &[("content-type", "application/vnd.chess-pgn")], GAME).await
    };
    assert!(!ask(16).await.good().is_empty());
    assert_eq!(ask(17).await.problem(), (400, "option \"by\": expected at most 16 keys, found 17".to_owned()));
    running.is_well().await;
}

/// Answers of a single message: charged until they are taken, and their clients have no more time than others.
#[tokio::test(flavor = "multi_thread")]
async fn whole_answers_are_to_be_taken() {
    let (running, address) = start(&["--idle", "0.8", "--least-rate", "1000000"]).await;
    assert_eq!(fetch(address, "/openapi.json").await.good(), fetch(address, "/openapi.json").await.good());
    let stream = TcpStream::connect(address).await.unwrap();
    let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(1_000);
    let (mut sender, connection) = builder.handshake::<_, Body>(TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request(Method::GET, "/openapi.json", &[], "")).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(running.metric("held_bytes").await > 10_000.0);
    assert_eq!(running.metric("calls").await, 1.0);
    let ended = tokio::time::timeout(Duration::from_secs(10), connection).await.expect("it is cut off");
    drop((ended, answer));
    running.wait_for("calls", 0.0).await;
    running.is_well().await;
}

/// The description of a call does not repeat what is long.
#[tokio::test(flavor = "multi_thread")]
async fn descriptions_are_short() {
    let running = Running::start(&[]).await;
    let mut client = running.client().await;
    for (blanks, is_repeated) in [(10, true), (60_000, false)] {
        let command = format!("{{\"call\": \"analyze\",{}\"what\": [\"pins\"]}}", " ".repeat(blanks));
        let descriptor = FlightDescriptor::new_cmd(command);
        let info = client.get_flight_info(descriptor.clone()).await.unwrap().into_inner();
        let name = FlightDescriptor::new_path(vec!["analyze".to_owned()]);
        assert_eq!(info.flight_descriptor, Some(if is_repeated { descriptor } else { name }));
    }
    running.is_well().await;
}

/// Arrays of Arrow that would be copied.
#[tokio::test(flavor = "multi_thread")]
async fn arrays_that_are_not_aligned() {
    let (running, address) = start(&[]).await;
    let squares: ArrayRef = Arc::new(UInt8Array::from(vec![27; 64]));
    let boards: ArrayRef = Arc::new(UInt64Array::from(vec![5; 64]));
    let batch = RecordBatch::try_from_iter([("squares", squares), ("occupancies", boards)]).unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    let schema = writer.get_ref().len();
    writer.write(&batch).unwrap();
    let bytes = writer.into_inner().unwrap();
    // The places of the arrays: the second message is the batch.
    let (offset, length) = {
        let header = &bytes[schema + 8..];
        let buffers = arrow_ipc::root_as_message(header).unwrap().header_as_record_batch().unwrap().buffers().unwrap();
        let last = buffers.get(buffers.len() - 1);
        assert_eq!(last.length(), 512);
        let place = buffers.bytes().as_ptr() as usize - bytes.as_ptr() as usize + 16 * (buffers.len() - 1);
        (place, place + 8)
    };
    let ask = async |change: &dyn Fn(&mut [u8])| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        let kind = [("content-type", "application/vnd.apache.arrow.stream")];
        send(address, "/v1/attacks?slider=rook", &kind, Bytes::from(bytes)).await
    };
    assert_eq!(ask(&|_| {}).await.status, 200);
    let shift = |bytes: &mut [u8]| {
        for (place, by) in [(offset, 1), (length, -8)] {
            let number: &mut [u8; 8] = (&mut bytes[place..place + 8]).try_into().unwrap();
            *number = (i64::from_le_bytes(*number) + by).to_le_bytes();
        }
    };
    let (status, problem) = ask(&shift).await.problem();
    assert!(status == 422 && problem.contains("not a multiple of 8"), "{status} {problem}");
    running.is_well().await;
}

/// Without streams, the service ends at once, though a client does not close its connection.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_go() {
    let process = Process::start(&["--http", "127.0.0.1:0", "--grace", "15"]).await;
    let mut open = Vec::new();
    for address in [process.address, process.http.unwrap()] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
        stream.read_exact(&mut [0; 9]).await.unwrap();
        open.push(stream);
    }
    let begun = Instant::now();
    process.signal("-TERM").await;
    let (code, log) = process.end().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// A client that ends its side after its request is answered; a missing path gets a short error.
#[tokio::test(flavor = "multi_thread")]
async fn small_things() {
    let (running, address) = start(&[]).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&post("/v1/analyze", "connection: close\r\n", LINE.as_bytes())).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200 ") && text.ends_with("0\r\n\r\n"), "{text}");
    let method = Method::from_bytes("X".repeat(9_000).as_bytes()).unwrap();
    let answer = web::ask_by(false, address, request(method, "/v1/products", &[], "")).await;
    let (status, problem) = answer.problem();
    assert!(status == 405 && problem.len() < 200, "{status} {problem}");
    running.is_well().await;
    let directory = Directory::new("list");
    let page =
        "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"><title>x</title>";
    let (running, address) = start(&["--page", &directory.write("page.html", page)]).await;
    let (status, problem) = fetch(address, "/nothing").await.problem();
    assert_eq!((status, problem), (404, "no resource at /nothing: GET /openapi.json lists all of them".to_owned()));
    running.is_well().await;
}
