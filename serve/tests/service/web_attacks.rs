//! HTTP under attack: other clients are answered, and nothing is left behind.

use std::io::ErrorKind;

use bytes::Bytes;
use http::Method;
use http_body::Frame;
use http_body_util::StreamBody;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tonic::body::Body;

use super::trust::{Certificates, Directory};
use super::web::{ask_by, fetch, gzip, request, send, start};
use super::*;

/// What comes back for these bytes, until the server closes or nothing comes for this long.
async fn raw(address: SocketAddr, bytes: &[u8], patience: Duration) -> (String, bool) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // It may be closed before it has taken all.
    let _ = stream.write_all(bytes).await;
    rest(&mut stream, patience).await
}

async fn rest(stream: &mut TcpStream, patience: Duration) -> (String, bool) {
    let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
    let is_closed = loop {
        match tokio::time::timeout(patience, stream.read(&mut buffer)).await {
            Err(_) => break false,
            Ok(Ok(0)) => break true,
            Ok(Ok(count)) => text.extend_from_slice(&buffer[..count]),
            Ok(Err(error)) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                break true;
            }
        }
    };
    (String::from_utf8_lossy(&text).into_owned(), is_closed)
}

/// How many answers of HTTP/1.1 there are, by their status.
fn statuses(text: &str) -> Vec<&str> {
    text.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect()
}

const LINE: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -\n";

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests() {
    let (running, address) = start(&[]).await;
    let post = "POST /v1/analyze HTTP/1.1\r\nhost: x\r\n";
    let many: String = (0..200).map(|at| format!("x{at}: y\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(20_000));
    let longer = format!("x: {}\r\n", "y".repeat(1 << 20));
    let get = "GET /healthz HTTP/1.1\r\nhost: x\r\n";
    let body = format!("1b\r\n{LINE}\r\n0\r\n\r\n{get}\r\n");
    for (what, bytes, expected) in [
        ("two lengths", format!("{post}content-length: 27\r\ncontent-length: 28\r\n\r\n{LINE}"), &["400"][..]),
        ("two lengths in one", format!("{post}content-length: 27, 28\r\n\r\n{LINE}"), &["400"]),
        ("a length with a sign", format!("{post}content-length: +27\r\n\r\n{LINE}"), &["400"]),
        ("no length", format!("{post}content-length: x\r\n\r\n{LINE}"), &["400"]),
        ("a huge length", format!("{post}content-length: 99999999999999999999\r\n\r\n{LINE}"), &["400"]),
        ("a coding that is none", format!("{post}transfer-encoding: chunky\r\n\r\n{LINE}"), &["400"]),
        ("chunked, but not last", format!("{post}transfer-encoding: chunked, gzip\r\n\r\n{LINE}"), &["400"]),
        ("another coding", format!("{post}transfer-encoding: gzip, chunked\r\n\r\n{body}"), &["501"]),
        ("another one", format!("{post}transfer-encoding: identity,chunked\r\n\r\n{body}"), &["501"]),
        ("with a parameter", format!("{post}transfer-encoding: chunked;q=1, chunked\r\n\r\n{body}"), &["501"]),
        (
            "another coding in a header of its own",
            format!("{post}transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n{body}"),
            &["501"],
        ),
        ("chunked twice", format!("{post}transfer-encoding: chunked, chunked\r\n\r\n{body}"), &["400"]),
        (
            "chunked in two headers",
            format!("{post}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n{body}"),
            &["400"],
        ),
        ("chunked, and nothing", format!("{post}transfer-encoding: , chunked\r\n\r\n{body}"), &["400"]),
        ("identity", format!("{post}transfer-encoding: identity\r\n\r\n{body}"), &["400"]),
        ("not chunked", format!("{post}transfer-encoding: xchunked\r\n\r\n{body}"), &["400"]),
        ("no text", format!("{post}transfer-encoding: \u{e9}, chunked\r\n\r\n{body}"), &["400"]),
        ("chunked in capitals", format!("{post}transfer-encoding: CHUNKED\r\n\r\n{body}"), &["200"]),
        // hyper says so by itself, before the service sees the request.
        ("the longest length", format!("{post}content-length: 18446744073709551615\r\n\r\n{LINE}"), &["431"]),
        ("no chunk", format!("{post}transfer-encoding: chunked\r\n\r\nnonsense\r\n"), &["400"]),
        ("a huge chunk", format!("{post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n"), &["400"]),
        ("a chunk with a sign", format!("{post}transfer-encoding: chunked\r\n\r\n-1\r\n"), &["400"]),
        ("a chunk too short", format!("{post}transfer-encoding: chunked\r\n\r\n3\r\n4k3/8\r\n0\r\n\r\n"), &["400"]),
        ("long extensions", format!("{post}transfer-encoding: chunked\r\n\r\n1;{}", "x".repeat(1 << 20)), &["400"]),
        ("many headers", format!("{get}{many}\r\n"), &["431"]),
        ("long headers", format!("{get}connection: close\r\n{long}\r\n"), &["431"]),
        ("longer headers", format!("{get}{longer}\r\n"), &["431"]),
        (
            "a long path",
            format!("GET /{} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "x".repeat(20_000)),
            &["431"],
        ),
        ("no host", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n".to_owned(), &["400"]),
        ("two hosts", format!("{get}host: y\r\nconnection: close\r\n\r\n"), &["400"]),
        ("a host that is none", "GET /healthz HTTP/1.1\r\nhost: a b\r\n\r\n".to_owned(), &["400"]),
        ("an empty host", "GET /healthz HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n".to_owned(), &["200"]),
        (
            "a host with a port",
            "GET /healthz HTTP/1.1\r\nhost: [::1]:8\r\nconnection: close\r\n\r\n".to_owned(),
            &["200"],
        ),
        ("a header without a name", format!("{get}: y\r\n\r\n"), &["400"]),
        ("a header with a blank", format!("{get}x : y\r\n\r\n"), &["400"]),
        ("a folded header", format!("{get}x: y\r\n z\r\n\r\n"), &["400"]),
        ("another version", "GET /healthz HTTP/3.0\r\n\r\n".to_owned(), &["400"]),
        ("noise", "\u{1}\u{2}\u{3}\u{4}nonsense nonsense nonsense\r\n\r\n".to_owned(), &["400"]),
        (
            "pipelined",
            format!("{get}\r\n{get}\r\n{post}content-length: 27\r\n\r\n{LINE}{get}connection: close\r\n\r\n"),
            &["200", "200", "200", "200"],
        ),
    ] {
        let (text, is_closed) = raw(address, bytes.as_bytes(), Duration::from_secs(8)).await;
        assert!(is_closed, "{what}: {text}");
        assert_eq!(statuses(&text), expected, "{what}: {text}");
    }
    let old = format!("POST /v1/analyze HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n{body}");
    let (text, is_closed) = raw(address, old.as_bytes(), Duration::from_secs(8)).await;
    assert!(is_closed && text.contains(" 400 "), "{text}");
    // An answer of rows ends with the connection by HTTP/1.0, as one that is cut off does.
    let old = format!("POST /v1/analyze HTTP/1.0\r\ncontent-length: 27\r\n\r\n{LINE}");
    let (text, is_closed) = raw(address, old.as_bytes(), Duration::from_secs(8)).await;
    assert!(is_closed && text.starts_with("HTTP/1.0 505 ") && text.contains("use HTTP/1.1 or 2"), "{text}");
    let (text, _) = raw(address, b"GET /healthz HTTP/1.0\r\n\r\n", Duration::from_secs(8)).await;
    assert!(text.starts_with("HTTP/1.0 200 "), "{text}");
    // What comes after a request whose length is told twice is no second request.
    let hidden = format!("{post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{get}\r\n");
    let (text, is_closed) = raw(address, hidden.as_bytes(), Duration::from_secs(8)).await;
    assert!(is_closed && statuses(&text) == ["200"], "{text}");
    running.is_well().await;
}

/// Many headers, of one name and of several, by HTTP/2: there is one limit for their number, and one for their bytes.
#[tokio::test(flavor = "multi_thread")]
async fn many_headers_by_http_2() {
    let (running, address) = start(&[]).await;
    for (count, names, bytes, status) in
        [(60, 1, 1, 200), (60, 60, 1, 200), (150, 1, 1, 431), (150, 150, 1, 431), (20, 1, 1_000, 431)]
    {
        let names: Vec<String> = (0..count).map(|at| format!("x{}", at % names)).collect();
        let value = "y".repeat(bytes);
        let headers: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), value.as_str())).collect();
        let answer = ask_by(true, address, request(Method::GET, "/healthz", &headers, "")).await;
        assert_eq!(answer.status.as_u16(), status, "{count} headers of {bytes} bytes");
    }
    let cookies = request(Method::GET, "/healthz", &vec![("cookie", "a=b"); 150], "");
    assert_eq!(ask_by(true, address, cookies).await.status, 200);
    // Far too many end the connection.
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let ended = tokio::spawn(connection);
    let sent = request(Method::GET, "/healthz", &vec![("x", "y"); 5_000], "");
    assert!(sender.send_request(sent).await.is_err());
    assert!(tokio::time::timeout(Duration::from_secs(5), ended).await.unwrap().unwrap().is_err());
    running.is_well().await;
}

/// To agree on keys has a time of its own, by gRPC and by HTTP.
#[tokio::test(flavor = "multi_thread")]
async fn handshakes_that_stall() {
    let directory = Directory::new("stall");
    let certificates = Certificates::new("localhost");
    let (cert, key) = (directory.write("cert", &certificates.cert), directory.write("key", &certificates.key));
    let (running, http) = start(&["--tls-cert", &cert, "--tls-key", &key, "--idle", "1"]).await;
    // Nothing; the beginning of a record; one that announces much and comes byte by byte.
    for address in [running.address, http] {
        let stalled = [&b""[..], b"\x16", b"\x16\x03\x01\x40\x00\x01\x00"].map(|bytes| async move {
            let (begun, mut stream) = (Instant::now(), TcpStream::connect(address).await.unwrap());
            stream.write_all(bytes).await.unwrap();
            let mut buffer = [0; 100];
            loop {
                match tokio::time::timeout(Duration::from_millis(100), stream.read(&mut buffer)).await {
                    Err(_) if bytes.len() > 1 => _ = stream.write_all(b"x").await,
                    Err(_) => assert!(begun.elapsed() < Duration::from_secs(8), "it is waited for"),
                    Ok(Ok(0) | Err(_)) => break begun.elapsed(),
                    Ok(Ok(_)) => {}
                }
            }
        });
        for lasted in futures_util::future::join_all(stalled).await {
            assert!((0.9..1.8).contains(&lasted.as_secs_f64()), "{lasted:?}");
        }
    }
    running.wait_for("refused_total{reason=\"tls\"}", 6.0).await;
    assert!(running.stop().await);
}

/// While streams run after the service was told to stop, load balancers see that on the port of HTTP.
#[tokio::test(flavor = "multi_thread")]
async fn health_while_the_service_stops() {
    for is_flight in [false, true] {
        let (running, address) = start(&["--grace", "20"]).await;
        let (sender, last) = oneshot::channel::<()>();
        let (stream, flight) = if is_flight {
            let work = Work::Attacks(Slider::Queen);
            let end = stream::once(last).filter_map(|_| async { None });
            let sent = messages(work.descriptor(), vec![work.batch(&mut Random(1), 1)]).chain(end);
            let mut client = running.client().await;
            let mut answers = decoded(client.do_exchange(sent).await.unwrap());
            answers.try_next().await.unwrap().unwrap();
            (None, Some((answers, client)))
        } else {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = "POST /v1/analyze HTTP/1.1\r\nhost: x\r\ncontent-length: 27\r\n\r\n4k3";
            stream.write_all(head.as_bytes()).await.unwrap();
            (Some(stream), None)
        };
        running.wait_for("streams", 1.0).await;
        // One that is open, and does nothing.
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert!(rest(&mut idle, Duration::from_millis(200)).await.0.starts_with("HTTP/1.1 200 "));
        let metrics = running.metrics;
        let stopping = tokio::spawn(running.stop());
        let begun = Instant::now();
        while !observed(metrics, "/healthz").await.contains("503") {
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
        assert!(rest(&mut idle, Duration::from_secs(8)).await.1, "it is closed");
        drop(idle);
        for is_two in [false, true] {
            let answer = ask_by(is_two, address, request(Method::GET, "/healthz", &[], "")).await;
            assert_eq!((answer.status.as_u16(), answer.text()), (503, "stopping\n"));
            let answer = ask_by(is_two, address, request(Method::POST, "/v1/analyze", &[], LINE)).await;
            assert_eq!(answer.problem(), (503, "the service is shutting down".to_owned()));
        }
        let (text, is_closed) = raw(address, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", Duration::from_secs(8)).await;
        assert!(is_closed && text.starts_with("HTTP/1.1 503 ") && text.contains("connection: close"), "{text}");
        // The stream ends as it would have.
        drop(sender);
        if let Some(mut stream) = stream {
            stream.write_all(&LINE.as_bytes()[3..]).await.unwrap();
            let (text, is_closed) = rest(&mut stream, Duration::from_secs(8)).await;
            assert!(is_closed && text.starts_with("HTTP/1.1 200 ") && text.ends_with("0\r\n\r\n"), "{text}");
        }
        if let Some((mut answers, _)) = flight {
            assert!(answers.try_next().await.unwrap().is_none());
        }
        assert!(stopping.await.unwrap());
        let begun = Instant::now();
        while TcpStream::connect(address).await.is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(5), "the port is open");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// More groups than there may be: to ask again would not help, and the answer says what does.
#[tokio::test(flavor = "multi_thread")]
async fn too_many_groups() {
    let limits = ["--message-bytes", "1000000", "--held-bytes", "33554432", "--client-held-bytes", "8388608"];
    let (running, address) = start(&limits).await;
    let text = |groups: usize| -> String {
        let rows = (0..6_000).map(|row| format!("4k3/8/8/8/8/8/8/R3K3 w Q -,{}\n", row % groups));
        std::iter::once("fen,elo\n".to_owned()).chain(rows).collect()
    };
    let ask =
        async |path: &str, groups: usize| send(address, path, &[("content-type", "text/csv")], text(groups)).await;
    let begun = Instant::now();
    let answer = ask("/v1/summarize?by=elo", 6_000).await;
    let (status, detail) = answer.problem();
    assert_eq!(status, 422, "{detail}");
    assert!(!answer.headers.contains_key("retry-after"), "{answer:?}");
    let most = detail.strip_prefix("key \"elo\" yields more than ").and_then(|rest| rest.split_once(" groups"));
    let most: usize = most.unwrap_or_else(|| panic!("{detail}")).0.parse().unwrap();
    assert!((1_000..3_000).contains(&most) && detail.contains("such as elo:100"), "{detail}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // So many, or steps, are taken.
    let rows = |body: Vec<u8>| body.iter().filter(|&&byte| byte == b'\n').count();
    let (few, steps) = (ask("/v1/summarize?by=elo", most).await, ask("/v1/summarize?by=elo:100", 6_000).await);
    assert_eq!((rows(few.good()) % most, rows(steps.good()) % 60), (0, 0));
    assert_eq!(ask("/v1/summarize?by=elo", most + 1).await.problem().0, 422);
    running.is_well().await;
}

/// A body of these parts, after which nothing comes.
fn stalled(parts: Vec<Vec<u8>>, between: Duration) -> Body {
    let parts = stream::iter(parts).then(move |part| async move {
        tokio::time::sleep(between).await;
        Ok::<_, Status>(Frame::data(Bytes::from(part)))
    });
    Body::new(StreamBody::new(parts.chain(stream::pending())))
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients() {
    let (running, address) = start(&["--idle", "0.6"]).await;
    let mut slow = Vec::new();
    // Slow headers: the beginning, byte by byte, or nothing.
    for bytes in [&b""[..], b"G", b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-y"] {
        slow.push(tokio::spawn(async move {
            let (text, is_closed) = raw(address, bytes, Duration::from_secs(8)).await;
            assert!(is_closed && !text.contains("200"), "{text}");
        }));
    }
    slow.push(tokio::spawn(async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nhost: a very long one, so that it takes some time\r\n";
        for byte in request {
            if stream.write_all(&[*byte]).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(rest(&mut stream, Duration::from_secs(1)).await.1, "slow headers are waited for");
    }));
    // Slow bodies: nothing, half a line, and few bytes at a time, in text, compressed, and as Arrow.
    for is_two in [false, true] {
        for (headers, part) in [
            (&[][..], b"4k3/8".to_vec()),
            (&[("content-encoding", "gzip")], gzip(LINE.as_bytes())[..10].to_vec()),
            (&[("content-encoding", "zstd")], vec![0x28, 0xb5, 0x2f, 0xfd]),
            (&[("content-type", "application/vnd.apache.arrow.stream")], vec![0xff; 4]),
        ] {
            for count in [0, 1] {
                let mut sent = request(Method::POST, "/v1/analyze", headers, "");
                *sent.body_mut() = stalled(vec![part.clone(); count], Duration::ZERO);
                slow.push(tokio::spawn(async move {
                    let answer = ask_by(is_two, address, sent).await;
                    assert_eq!(answer.problem().0, 408, "{answer:?}");
                }));
            }
        }
        let mut sent = request(Method::POST, "/v1/analyze", &[], "");
        *sent.body_mut() = stalled(vec![b"4".to_vec(); 1000], Duration::from_millis(5));
        slow.push(tokio::spawn(async move { assert_eq!(ask_by(is_two, address, sent).await.problem().0, 408) }));
    }
    // Others are answered meanwhile.
    let mut times = Vec::new();
    for _ in 0..10 {
        let begun = Instant::now();
        assert_eq!(send(address, "/v1/analyze", &[], LINE).await.status, 200);
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    assert!(times[5] < Duration::from_millis(500), "{times:?}");
    for slow in slow {
        tokio::time::timeout(Duration::from_secs(10), slow).await.expect("all end").unwrap();
    }
    running.is_well().await;
}

/// Clients that send and do not read: they are cut off, and take no more memory than they may.
#[tokio::test(flavor = "multi_thread")]
async fn peers_that_never_read() {
    let (running, address) = start(&["--idle", "0.6", "--least-rate", "1000000", "--held-bytes", "64000000"]).await;
    let mut peers = Vec::new();
    for accept in ["application/x-ndjson", "text/csv", "application/vnd.apache.arrow.stream"] {
        for coding in ["identity", "gzip"] {
            peers.push(tokio::spawn(async move {
                // From elsewhere: what a client holds is its own.
                let socket = tokio::net::TcpSocket::new_v4().unwrap();
                socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
                let mut stream = socket.connect(address).await.unwrap();
                let head = format!(
                    "POST /v1/analyze?what=counts HTTP/1.1\r\nhost: x\r\naccept: {accept}\r\naccept-encoding: {coding}\r\n\
                     content-length: 1000000000\r\n\r\n"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                let lines = SAMPLE.repeat(100);
                let begun = Instant::now();
                // Until the server has enough of it.
                while stream.write_all(lines.as_bytes()).await.is_ok() {
                    assert!(begun.elapsed() < Duration::from_secs(20));
                }
            }));
        }
    }
    let mut times = Vec::new();
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(running.metric("held_bytes").await < 64e6);
        let begun = Instant::now();
        assert_eq!(send(address, "/v1/analyze", &[], LINE).await.status, 200);
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    assert!(times[10] < Duration::from_secs(1), "{times:?}");
    for peer in peers {
        tokio::time::timeout(Duration::from_secs(20), peer).await.expect("all are cut off").unwrap();
    }
    running.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bombs() {
    let (running, address) = start(&[]).await;
    let zeros = vec![b'\n'; 32 << 20];
    let (small, smaller) = (gzip(&zeros), zstd::encode_all(&zeros[..], 3).unwrap());
    assert!(small.len() < 100_000 && smaller.len() < 10_000);
    for (coding, bytes) in [("gzip", &small), ("zstd", &smaller)] {
        for kind in ["text/plain", "application/vnd.apache.arrow.stream"] {
            let headers = [("content-encoding", coding), ("content-type", kind)];
            let status = send(address, "/v1/analyze", &headers, bytes.clone()).await.problem().0;
            assert!(status == 413 || status == 422, "{coding} {kind}: {status}");
        }
    }
    // One in the other, said and not said.
    let nested = gzip(&small);
    for (coding, status) in [("gzip, gzip", 415), ("gzip", 415)] {
        let answer = send(address, "/v1/analyze", &[("content-encoding", coding)], nested.clone()).await;
        assert_eq!(answer.problem().0, status);
    }
    // A window of 2 GiB is not taken memory for.
    let window = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x00, 0x00, 0x00];
    let answer = send(address, "/v1/analyze", &[("content-encoding", "zstd")], window.to_vec()).await;
    assert_eq!(answer.problem().0, 400);
    // Compressed text that ends early.
    let cut = gzip(SAMPLE.as_bytes());
    let answer = send(address, "/v1/analyze", &[("content-encoding", "gzip")], cut[..cut.len() / 2].to_vec()).await;
    assert!(!answer.is_whole || answer.problem().1.contains("ends within its gzip"), "{answer:?}");
    // Arrow: what a length claims takes no memory.
    for (bytes, status) in [
        (vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 422),
        (vec![0xff, 0xff, 0xff, 0x7f], 422),
        ([&[0xff, 0xff, 0xff, 0xff, 64, 0, 0, 0][..], &[0xff; 64]].concat(), 422),
    ] {
        let headers = [("content-type", "application/vnd.apache.arrow.stream")];
        assert_eq!(send(address, "/v1/analyze", &headers, bytes).await.problem().0, status);
    }
    // Lines without an end are passed over, or refused.
    let endless = format!("{}\n{LINE}", "x".repeat(20 << 20));
    let answer = send(address, "/v1/analyze", &[], endless.clone()).await;
    assert!(answer.problem().1.contains("line 1, length: expected at most"), "{answer:?}");
    let answer = send(address, "/v1/analyze?on_error=skip", &[], endless).await;
    assert!(String::from_utf8(answer.good()).unwrap().starts_with("{\"line\":2,"));
    running.is_well().await;
}

/// Clients that ask for windows of zstd, send no more and go: nothing of them stays, and the client itself is answered.
#[tokio::test(flavor = "multi_thread")]
async fn windows_that_are_not_used() {
    let (running, address) = start(&["--idle", "10", "--held-bytes", "134217728"]).await;
    let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0x68, 0, 0x10, 0][..], &[b'x'; 99]].concat();
    let mut open = Vec::new();
    for _ in 0..30 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = "POST /v1/analyze HTTP/1.1\r\nhost: x\r\ncontent-encoding: zstd\r\ncontent-length: 100000\r\n\r\n";
        stream.write_all(&[head.as_bytes(), &frame].concat()).await.unwrap();
        open.push(stream);
    }
    running.wait_for("refused_total{reason=\"windows\"}", 28.0).await;
    running.wait_for("streams", 2.0).await;
    assert_eq!(send(address, "/v1/analyze", &[], LINE).await.status, 200);
    let packed = zstd::encode_all(LINE.as_bytes(), 3).unwrap();
    let answer = send(address, "/v1/analyze", &[("content-encoding", "zstd")], packed.clone()).await;
    assert_eq!(answer.problem().0, 429);
    drop(open);
    running.is_well().await;
    assert_eq!(send(address, "/v1/analyze", &[("content-encoding", "zstd")], packed).await.status, 200);
}

/// Ten thousand connections that do nothing: few are kept, and others are answered.
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections() {
    let (running, address) = start(&["--idle", "2"]).await;
    let mut open = Vec::new();
    for at in 0..10_000 {
        // From many addresses, as one may have few.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from(([127, 0, 1 + (at % 40) as u8, 1], 0))).unwrap();
        if let Ok(mut stream) = socket.connect(address).await {
            if at % 2 == 0 {
                let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
            }
            open.push(stream);
        }
        // Those that are closed are gone.
        if open.len() > 1_000 {
            open.retain(|stream| !matches!(stream.try_read(&mut [0; 512]), Ok(0) | Err(_)) || is_open(stream));
            open.truncate(900);
        }
        if at % 1_000 == 0 {
            assert!(running.metric("connections").await <= 512.0);
        }
    }
    drop(open);
    running.wait_for("connections", 0.0).await;
    assert_eq!(fetch(address, "/healthz").await.status, 200);
    running.is_well().await;
}

/// Whether nothing says that the other end has closed.
fn is_open(stream: &TcpStream) -> bool {
    matches!(stream.try_read(&mut [0; 1]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// Clients that go away in the middle of a request, or of its answer.
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_cut_off() {
    let (running, address) = start(&["--idle", "0.5", "--least-rate", "10000000"]).await;
    let lines = SAMPLE.repeat(50);
    for at in 0..21 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let path = ["/v1/analyze?what=counts", "/v1/summarize?by=side"][at % 2];
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n", lines.len());
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(&lines.as_bytes()[..lines.len() * (at % 7) / 7]).await;
        if at % 3 == 0 {
            let _ = stream.read(&mut [0; 100]).await;
        }
    }
    for at in 0..21 {
        let mut sent = request(Method::POST, "/v1/analyze?what=counts", &[], "");
        *sent.body_mut() = stalled(vec![lines.clone().into_bytes(); at % 4], Duration::from_millis(1));
        // The future is dropped, and its stream of HTTP/2 with it.
        let _ = tokio::time::timeout(Duration::from_millis(5), ask_by(true, address, sent)).await;
    }
    running.is_well().await;
    running.wait_for("connections", 0.0).await;
}

/// One client that asks for much at a time does not keep others from their turns.
#[tokio::test(flavor = "multi_thread")]
async fn others_have_their_turns() {
    let (running, address) = start(&["--client-streams", "8"]).await;
    let lines = SAMPLE.repeat(60);
    let busy: Vec<_> = (0..12)
        .map(|at| {
            let lines = lines.clone();
            let path = ["/v1/analyze?what=counts,threats", "/v1/summarize?by=phase"][at % 2];
            tokio::spawn(async move { send(address, path, &[], lines).await.status.as_u16() })
        })
        .collect();
    let mut times = Vec::new();
    for _ in 0..20 {
        // As another client, for whom there is room.
        let begun = Instant::now();
        let mut client = running.client().await;
        let work = Work::Analyze(vec![Product::Maps]);
        let _ = work.ask(&mut client, vec![work.batch(&mut Random(2), 1_000)]).await;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    assert!(times[10] < Duration::from_secs(1), "{times:?}");
    let statuses = futures_util::future::join_all(busy).await;
    let statuses: Vec<u16> = statuses.into_iter().map(Result::unwrap).collect();
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200) && statuses.contains(&429), "{statuses:?}");
    running.is_well().await;
}
