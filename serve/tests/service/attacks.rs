//! Attacks get no wrong answer, and leave nothing behind.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use http_body::Frame;
use tonic::body::Body;
use tower::ServiceExt;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_clients_at_once() {
    let server = Running::start(&[]).await;
    let asking: Vec<_> = (0..64)
        .map(|seed| {
            let address = server.address;
            tokio::spawn(async move {
                let (mut random, mut client) = (Random(seed), client(address).await);
                let mut rows = 0;
                for _ in 0..4 {
                    let work = Work::random(&mut random);
                    let most = if matches!(work, Work::Analyze(_)) { 300 } else { 20_000 };
                    let count = 1 + random.below(3);
                    let batches: Vec<RecordBatch> = (0..count)
                        .map(|_| {
                            let rows = random.below(most);
                            work.batch(&mut random, rows)
                        })
                        .collect();
                    // A null column and one without nulls join to the same rows.
                    let all = arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap();
                    let answer = work.ask(&mut client, batches).await.unwrap();
                    assert_eq!(answer, work.expected(&all), "client {seed}, {work:?}");
                    rows += answer.num_rows();
                }
                rows
            })
        })
        .collect();
    let mut rows = 0;
    for asking in asking {
        rows += asking.await.unwrap();
    }
    common::say(format_args!("64 clients: {rows} rows compared"));
    server.is_well().await;
}

/// Passes bytes between a client and the server, up to a number of them.
async fn cut_after(server: SocketAddr, bytes: usize) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (outside, _) = listener.accept().await.unwrap();
        let inside = TcpStream::connect(server).await.unwrap();
        let left = Arc::new(AtomicUsize::new(bytes));
        let (outside, inside) = (outside.into_split(), inside.into_split());
        let hand_on = |mut from: tokio::net::tcp::OwnedReadHalf, mut to: tokio::net::tcp::OwnedWriteHalf| {
            let left = left.clone();
            async move {
                let mut buffer = [0; 1024];
                loop {
                    let count = from.read(&mut buffer).await.unwrap_or(0);
                    let before = left.fetch_sub(count, Relaxed) as isize;
                    let count = count.min(before.max(0) as usize);
                    if count == 0 || to.write_all(&buffer[..count]).await.is_err() {
                        return;
                    }
                }
            }
        };
        tokio::select! {
            () = hand_on(outside.0, inside.1) => {}
            () = hand_on(inside.0, outside.1) => {}
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_cut_at_random() {
    let server = Running::start(&[]).await;
    let mut random = Random(1);
    let (mut whole, mut cut) = (0, 0);
    let asking: Vec<_> = (0..60)
        .map(|seed| {
            let (address, bytes) = (server.address, random.below(60_000));
            tokio::spawn(async move {
                let mut random = Random(1000 + seed);
                let work = Work::Attacks(Slider::ALL[random.below(3)]);
                let batches: Vec<RecordBatch> = (0..3).map(|_| work.batch(&mut random, 700)).collect();
                let address = cut_after(address, bytes).await;
                let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
                let Ok(channel) = endpoint.connect().await else { return false };
                let mut client = FlightServiceClient::new(channel);
                let sent = messages(work.descriptor(), batches.clone());
                let Ok(mut answers) = answers(&mut client, sent).await else { return false };
                // Whatever comes is right.
                for batch in &batches {
                    match answers.next().await {
                        Some(Ok(answer)) => assert_eq!(answer, work.expected(batch)),
                        Some(Err(_)) => return false,
                        None => panic!("the stream ended before its last answer, without a failure"),
                    }
                }
                answers.next().await.is_none()
            })
        })
        .collect();
    for asking in asking {
        if asking.await.unwrap() {
            whole += 1;
        } else {
            cut += 1;
        }
    }
    common::say(format_args!("connections cut at random: {cut} failed, {whole} were answered in full, none wrongly"));
    assert!(cut > 10 && whole > 10);
    server.is_well().await;
    server.wait_for("connections", 0.0).await;
}

/// A body of these parts, which then stays open, or ends.
struct Parts {
    parts: std::vec::IntoIter<Vec<u8>>,
    stays_open: bool,
}

impl http_body::Body for Parts {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Status>>> {
        match self.parts.next() {
            Some(part) => std::task::Poll::Ready(Some(Ok(Frame::data(part.into())))),
            None if self.stays_open => std::task::Poll::Pending,
            None => std::task::Poll::Ready(None),
        }
    }
}

/// Sends these bytes as the body of a stream, and returns how it ended.
async fn raw(address: SocketAddr, parts: Vec<Vec<u8>>, stays_open: bool) -> (i32, String) {
    let channel = Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
    let request = http::Request::post(format!("http://{address}/arrow.flight.protocol.FlightService/DoExchange"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Body::new(Parts { parts: parts.into_iter(), stays_open }))
        .unwrap();
    let answer =
        tokio::time::timeout(Duration::from_secs(10), channel.oneshot(request)).await.expect("in time").unwrap();
    let (head, mut body) = answer.into_parts();
    let mut trailers = head.headers;
    while let Some(frame) =
        std::future::poll_fn(|context| http_body::Body::poll_frame(Pin::new(&mut body), context)).await
    {
        match frame {
            Ok(frame) => {
                if let Ok(found) = frame.into_trailers() {
                    trailers = found;
                }
            }
            Err(status) => return (status.code() as i32, status.message().to_owned()),
        }
    }
    let header = |name: &str| trailers.get(name).map(|value| value.to_str().unwrap().to_owned());
    (header("grpc-status").unwrap().parse().unwrap(), header("grpc-message").unwrap_or_default())
}

/// A message of gRPC.
fn framed(data: &FlightData) -> Vec<u8> {
    use tonic_prost::prost::Message;
    let data = data.encode_to_vec();
    let mut framed = vec![0];
    framed.extend((data.len() as u32).to_be_bytes());
    framed.extend(data);
    framed
}

/// The messages of one batch, framed.
async fn sample() -> (Work, RecordBatch, Vec<FlightData>) {
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(11), 500);
    let data = messages(work.descriptor(), vec![batch.clone()]).collect().await;
    (work, batch, data)
}

#[tokio::test]
async fn half_a_frame() {
    let server = Running::start(&["--idle", "0.5"]).await;
    let (_, _, data) = sample().await;
    let framed: Vec<Vec<u8>> = data.iter().map(framed).collect();
    let whole = raw(server.address, framed.clone(), false).await;
    assert_eq!(whole.0, Code::Ok as i32, "{}", whole.1);
    for (cut, stays_open) in [(1, false), (4, false), (5, false), (100, false), (3, true), (5, true), (100, true)] {
        let parts = vec![framed[0].clone(), framed[1][..cut].to_vec()];
        let (code, message) = raw(server.address, parts, stays_open).await;
        let expected = if stays_open { Code::DeadlineExceeded } else { Code::DataLoss };
        assert_eq!(code, expected as i32, "{cut} bytes: {message}");
    }
    // One byte at a time is slow, but whole.
    let single = framed.concat().into_iter().map(|byte| vec![byte]).collect();
    assert_eq!(raw(server.address, single, false).await.0, Code::Ok as i32);
    server.is_well().await;
}

#[tokio::test]
async fn ten_gigabytes_are_claimed() {
    let server = Running::start(&["--idle", "0.5"]).await;
    let (_, _, data) = sample().await;
    // The longest message that gRPC can announce.
    let claim = [vec![0], u32::MAX.to_be_bytes().to_vec(), vec![1, 2, 3]].concat();
    let (code, message) = raw(server.address, vec![framed(&data[0]), claim], true).await;
    assert_eq!(code, Code::OutOfRange as i32, "{message}");
    assert_eq!(server.metric("held_bytes").await, 0.0);
    // A batch that says that it is longer than it is: its rows, the length of a buffer, or its offset.
    const TEN_GB: i64 = 10_000_000_000;
    let numbers: Vec<usize> = {
        let header = &data[1].data_header;
        // Where the numbers of the batch stand in its header: those that are 500, or the lengths of its buffers.
        (0..header.len() - 7)
            .filter(|&at| {
                let number = i64::from_le_bytes(header[at..at + 8].try_into().unwrap());
                [500, 512, 4000, 4032, 64].contains(&number)
            })
            .collect()
    };
    assert!(numbers.len() >= 5, "{numbers:?}");
    for at in &numbers {
        for claim in [TEN_GB, i64::MAX, -1] {
            let mut header = data[1].data_header.to_vec();
            header[*at..at + 8].copy_from_slice(&claim.to_le_bytes());
            let claimed = FlightData { data_header: header.into(), ..data[1].clone() };
            let (code, message) = raw(server.address, vec![framed(&data[0]), framed(&claimed)], false).await;
            let is_refused = [Code::InvalidArgument as i32, Code::ResourceExhausted as i32].contains(&code);
            // The length of the body is in the header as well, where nothing depends on it.
            assert!(is_refused || code == 0, "{at}: {code} {message}");
        }
    }
    common::say(format_args!("10 GB claimed in {} places: refused", numbers.len()));
    server.is_well().await;
}

/// Bytes of the messages are changed at random. Such a stream is refused or answered, but the server never fails.
#[tokio::test(flavor = "multi_thread")]
async fn changed_messages() {
    let server = Running::start(&[]).await;
    let (_, _, data) = sample().await;
    let mut random = Random(12);
    let mut codes = std::collections::BTreeMap::<i32, usize>::new();
    for _ in 0..400 {
        let mut data = data.clone();
        let which = random.below(2);
        let mut header = data[which].data_header.to_vec();
        for _ in 0..=random.below(3) {
            let at = random.below(header.len());
            header[at] = [0, 0xff, header[at] ^ (1 << random.below(8)), random.next() as u8][random.below(4)];
        }
        if random.below(8) == 0 {
            header.truncate(random.below(header.len()));
        }
        data[which].data_header = header.into();
        if random.below(4) == 0 {
            let length = random.below(data[1].data_body.len());
            data[1].data_body.truncate(length);
        }
        let (code, message) = raw(server.address, data.iter().map(framed).collect(), false).await;
        assert!(![Code::Internal as i32, Code::Unknown as i32].contains(&code), "{message}");
        *codes.entry(code).or_default() += 1;
    }
    common::say(format_args!("changed messages: {codes:?} by status"));
    assert!(codes.len() >= 2);
    server.is_well().await;
}

/// Rows that all refer to the same long text would take far longer to read than they take to send.
#[tokio::test]
async fn texts_that_share_their_bytes() {
    let server = Running::start(&[]).await;
    let long = format!("4k3/8/8/8/8/8/8/R3K3 w Q - {}", "x".repeat(1_000_000));
    let shared = arrow_array::StringViewArray::from(vec![long.as_str()]);
    let views = arrow_buffer::ScalarBuffer::from(vec![shared.views()[0]; 100_000]);
    let shared = arrow_array::StringViewArray::new(views, shared.data_buffers().to_vec(), None);
    let batch = RecordBatch::try_from_iter_with_nullable([("fen", Arc::new(shared) as ArrayRef, true)]).unwrap();
    let start = Instant::now();
    let work = Work::Analyze(vec![Product::Maps]);
    let (code, message) = failed(work.ask(&mut server.client().await, vec![batch]).await);
    assert_eq!((code, message.as_str()), (Code::InvalidArgument, "batch 0: its text values overlap"));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// What is not HTTP/2 at all.
#[tokio::test]
async fn noise() {
    let server = Running::start(&["--idle", "0.5"]).await;
    let mut random = Random(13);
    for length in [1, 24, 1000, 100_000] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        let _ = stream.write_all(&noise).await;
        let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut Vec::new())).await.unwrap();
    }
    // The first bytes of HTTP/2, then noise.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").await.unwrap();
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut Vec::new())).await.unwrap();
    server.is_well().await;
    server.wait_for("connections", 0.0).await;
}

/// Connections that come and go, each after a part of a request, leave no descriptors and no memory behind.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_behind() {
    let server = Running::start(&["--idle", "1"]).await;
    let (_, _, data) = sample().await;
    let framed: Vec<u8> = data.iter().flat_map(framed).collect();
    let mut random = Random(14);
    for _ in 0..200 {
        let mut part = framed.clone();
        part.truncate(random.below(framed.len()));
        let (address, stays_open) = (server.address, random.below(2) == 0);
        let asking = tokio::spawn(async move { raw(address, vec![part], stays_open).await });
        tokio::time::sleep(Duration::from_millis(random.below(5) as u64)).await;
        asking.abort();
    }
    server.is_well().await;
    server.wait_for("connections", 0.0).await;
}
