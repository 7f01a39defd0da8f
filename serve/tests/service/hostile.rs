//! A hostile client does not affect the answers to others.

use bytes::Bytes;
use http_body::Frame;
use tonic::body::Body;
use tower::ServiceExt;

use super::*;

/// Another machine than that of [`client`], as far as the service can tell.
const EVE: &str = "127.0.0.2";

/// Connects as Eve.
async fn channel(address: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    endpoint.local_address(Some(EVE.parse().unwrap())).connect().await.unwrap()
}

/// Does this as Eve, with threads of her own, so that all of it ends when they do.
struct Eve(Option<tokio::runtime::Runtime>);

impl Eve {
    fn new() -> Eve {
        Eve(Some(tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()))
    }

    async fn does<T: Send + 'static>(&self, what: impl Future<Output = T> + Send + 'static) -> T {
        self.0.as_ref().unwrap().spawn(what).await.unwrap()
    }
}

impl Drop for Eve {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

/// A body of these parts, with so long between them, which then stays open.
fn endless(parts: impl IntoIterator<Item = Vec<u8>, IntoIter: Send> + Send, between: Duration) -> Body {
    let parts: Vec<Vec<u8>> = parts.into_iter().collect();
    let parts = stream::iter(parts).then(move |part| async move {
        if !between.is_zero() {
            tokio::time::sleep(between).await;
        }
        Ok::<_, Status>(Frame::data(Bytes::from(part)))
    });
    Body::new(http_body_util::StreamBody::new(parts.chain(stream::pending())))
}

/// Begins a stream with this body. What comes back is read at once, or not at all.
fn begin(channel: &Channel, body: Body) -> tokio::task::JoinHandle<Result<http::Response<Body>, String>> {
    let request = http::Request::post("http://service/arrow.flight.protocol.FlightService/DoExchange")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body)
        .unwrap();
    let channel = channel.clone();
    tokio::spawn(async move { channel.oneshot(request).await.map_err(|error| error.to_string()) })
}

/// The status at the end of a stream.
async fn end(begun: tokio::task::JoinHandle<Result<http::Response<Body>, String>>) -> (Code, String) {
    let answer = begun.await.unwrap().unwrap();
    let (head, mut body) = answer.into_parts();
    let mut trailers = head.headers;
    while let Some(frame) =
        std::future::poll_fn(|context| http_body::Body::poll_frame(Pin::new(&mut body), context)).await
    {
        match frame {
            Ok(frame) => trailers = frame.into_trailers().unwrap_or(trailers),
            Err(status) => return (status.code(), status.message().to_owned()),
        }
    }
    let status = Status::from_header_map(&trailers).unwrap();
    (status.code(), status.message().to_owned())
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&[0], &(message.len() as u32).to_be_bytes()[..], message].concat()
}

/// The messages of these batches, as bytes.
async fn encoded(work: &Work, batches: Vec<RecordBatch>) -> Vec<Vec<u8>> {
    use tonic_prost::prost::Message;
    messages(work.descriptor(), batches).map(|data| framed(&data.encode_to_vec())).collect().await
}

/// The times of requests of one row each, each right: the middle, and all but one in a hundred.
async fn times(address: SocketAddr, count: usize) -> (Duration, Duration) {
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(1), 1);
    let mut client = client(address).await;
    let mut times = Vec::new();
    for _ in 0..count {
        let start = Instant::now();
        assert_eq!(work.ask(&mut client, vec![batch.clone()]).await.unwrap(), work.expected(&batch));
        times.push(start.elapsed());
    }
    times.sort();
    (times[count / 2], times[count * 99 / 100])
}

/// Checks that others were served soon. On a machine that does nothing else, it is some milliseconds.
fn soon(what: &str, (median, most): (Duration, Duration)) {
    common::say(format_args!("requests of one row during {what}: p50 {median:?}, p99 {most:?}"));
    assert!(median < Duration::from_millis(100), "{median:?}");
    assert!(most < Duration::from_secs(2), "{most:?}");
}

/// Five bytes announce 16 MiB. In the second round all but the last byte comes.
#[tokio::test(flavor = "multi_thread")]
async fn long_messages_that_never_come() {
    let server = Running::start(&["--held-bytes", "134217728", "--idle", "20"]).await;
    let work = Work::Attacks(Slider::Queen);
    let first = encoded(&work, vec![work.batch(&mut Random(1), 0)]).await.remove(0);
    const LENGTH: usize = 16 << 20;
    for sent in [0, LENGTH - 1] {
        let eve = Eve::new();
        let (address, first) = (server.address, first.clone());
        let begun = async move {
            let eve = channel(address).await;
            let mut prefix = vec![0];
            prefix.extend((LENGTH as u32).to_be_bytes());
            let streams: Vec<_> = (0..64)
                .map(|_| {
                    let sent = (0..sent.div_ceil(65536)).map(|index| vec![1; 65536.min(sent - index * 65536)]);
                    begin(&eve, endless([first.clone(), prefix.clone()].into_iter().chain(sent), Duration::ZERO))
                })
                .collect();
            (eve, streams)
        };
        let (channel, _streams) = eve.does(begun).await;
        server.wait_for("streams", 64.0).await;
        if sent > 0 {
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        soon(&format!("64 streams that announce {LENGTH} bytes and send {sent}"), times(server.address, 100).await);
        let held = server.metric("held_bytes").await;
        assert!(held <= 32.0 * 1_048_576.0, "{held} bytes are held for one client");
        // Her actions wait for nothing either, if they do not share a window with what is not read.
        let action = async move {
            let mut client = FlightServiceClient::new(self::channel(address).await);
            client.do_action(arrow_flight::Action::new("cpu", "")).await.map(drop)
        };
        eve.does(action).await.unwrap();
        drop(channel);
        drop(eve);
        server.wait_for("streams", 0.0).await;
    }
    server.is_well().await;
}

/// Large results. The client takes one message now and then.
#[tokio::test(flavor = "multi_thread")]
async fn results_that_are_hardly_taken() {
    let server = Running::start(&["--held-bytes", "67108864", "--idle", "1", "--least-rate", "1000000"]).await;
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(2), 300_000);
    let sent: Vec<FlightData> = messages(work.descriptor(), vec![batch; 20]).collect().await;
    let eve = FlightServiceClient::new(channel(server.address).await).max_decoding_message_size(64 << 20);
    let start = Instant::now();
    let streams: Vec<_> = (0..12)
        .map(|_| {
            let (mut eve, sent) = (eve.clone(), sent.clone());
            tokio::spawn(async move {
                let mut answers = eve.do_exchange(stream::iter(sent)).await?.into_inner();
                while answers.message().await?.is_some() {
                    // What is still on its way after some seconds is taken at once.
                    if start.elapsed() < Duration::from_secs(5) {
                        tokio::time::sleep(Duration::from_millis(600)).await;
                    }
                }
                Ok::<_, Status>(())
            })
        })
        .collect();
    server.wait_for("streams", 12.0).await;
    soon("12 slow readers", times(server.address, 100).await);
    let held = server.metric("held_bytes").await;
    // A result per stream beyond the share is computed, so that none waits for another.
    assert!(held <= (16 + 12) as f64 * 1_048_576.0, "{held} bytes are held for one client");
    let mut codes = std::collections::BTreeMap::<String, usize>::new();
    for stream in streams {
        // Those that had not lost their time before they were taken at once come to an end.
        if let Err(status) = stream.await.unwrap() {
            *codes.entry(format!("{:?}: {}", status.code(), status.message())).or_default() += 1;
        }
    }
    common::say(format_args!("12 slow readers, after {:?}: {codes:?}", start.elapsed()));
    assert!(codes.values().sum::<usize>() >= 4);
    for message in codes.keys() {
        assert!(
            [
                "DeadlineExceeded: the client read its results too slowly",
                "ResourceExhausted: the memory limit of this client is reached, and no memory became free in time",
                // A client that is late for a second time of --idle has its connection closed, with all streams that it still
                // has: it does not take what is on its way either.
                "Unknown: h2 protocol error: error reading a body from connection",
            ]
            .contains(&message.as_str()),
            "{message}"
        );
    }
    drop(eve);
    server.is_well().await;
}

/// A byte now and then is as good as all at once, if the message is short: it comes within the time that it may take.
#[tokio::test]
async fn writers_that_are_slow_but_never_silent() {
    let server = Running::start(&["--idle", "1", "--least-rate", "10000"]).await;
    let work = Work::Attacks(Slider::Queen);
    let eve = channel(server.address).await;
    // 2 s: at 10,000 bytes per second, 500 bytes would come in time, and 100,000 would take 10 s.
    for (rows, pieces, expected) in [(5, 15, Code::Ok), (1_000_000, 2_000, Code::DeadlineExceeded)] {
        let mut sent = encoded(&work, vec![work.batch(&mut Random(3), rows)]).await;
        let last = sent.pop().unwrap();
        let parts = if expected == Code::Ok { last.len() / pieces } else { 50 };
        let parts: Vec<Vec<u8>> = last.chunks(parts).map(<[u8]>::to_vec).collect();
        let count = parts.len();
        let slow = stream::iter(sent).chain(stream::iter(parts).then(|part| async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            part
        }));
        let body = http_body_util::StreamBody::new(slow.map(|part| Ok::<_, Status>(Frame::data(Bytes::from(part)))));
        let start = Instant::now();
        let (code, message) = tokio::time::timeout(Duration::from_secs(30), end(begin(&eve, Body::new(body))))
            .await
            .unwrap_or_else(|_| panic!("{rows} rows in {count} parts"));
        assert_eq!(code, expected, "{rows} rows in {count} parts: {message}");
        if expected != Code::Ok {
            assert_eq!(message, "timed out waiting for the rest of a message");
            assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        }
    }
    server.is_well().await;
}

/// What is no batch of rows has at most 64 KiB, and is not even looked at otherwise.
#[tokio::test]
async fn long_commands() {
    let server = Running::start(&[]).await;
    let eve = channel(server.address).await;
    let long =
        |text: &str| format!(r#"{{"call": "analyze", "what": [{}]}}"#, vec![text; (6 << 20) / text.len()].join(","));
    let mut flight = FlightServiceClient::new(eve.clone());
    let batch = Work::Analyze(vec![]).batch(&mut Random(1), 1);
    for command in [long("\"maps\""), long("1"), long("[]"), long("{\"a\":1}")] {
        let descriptor = FlightDescriptor::new_cmd(command);
        let (code, message) = failed(ask(&mut flight, descriptor.clone(), vec![batch.clone()]).await);
        assert_eq!(code, Code::OutOfRange, "{message}");
        assert!(message.starts_with("a descriptor has at most 65536 bytes"), "{message}");
        let (code, message) = failed(flight.get_schema(descriptor).await);
        assert_eq!(code, Code::OutOfRange, "{message}");
        assert!(message.starts_with("a message has at most 65536 bytes"), "{message}");
    }
    // Eight million names, of two bytes each, in the descriptor. Each would take 24 bytes.
    let names = [0x1a, 0x00].repeat(4 << 20);
    let mut message = vec![0x0a];
    let mut length = names.len();
    while length >= 0x80 {
        message.push(length as u8 | 0x80);
        length >>= 7;
    }
    message.push(length as u8);
    message.extend(names);
    let (code, message) = end(begin(&eve, endless([framed(&message)], Duration::ZERO))).await;
    assert_eq!((code, message.as_str()), (Code::OutOfRange, "a descriptor has at most 65536 bytes, found 8388608"));
    server.is_well().await;
}

#[tokio::test]
async fn calls_are_limited_per_client() {
    let server = Running::start(&["--client-calls", "20"]).await;
    let mut eve = FlightServiceClient::new(channel(server.address).await);
    let mut refused = 0;
    for _ in 0..100 {
        let (code, message) = match eve.get_schema(FlightDescriptor::new_path(vec!["nothing".into()])).await {
            Ok(_) => panic!("there is no such call"),
            Err(status) => (status.code(), status.message().to_owned()),
        };
        if code == Code::ResourceExhausted {
            assert_eq!(message, "at most 20 calls per second of one client are served");
            refused += 1;
        }
    }
    assert!((50..=80).contains(&refused), "{refused}");
    assert_eq!(server.metric("refused_total{reason=\"client_calls\"}").await, f64::from(refused));
    // Whoever goes on loses its connection.
    let mut is_cut = false;
    for _ in 0..1_200 {
        let answer = eve.get_schema(FlightDescriptor::new_path(vec!["nothing".into()])).await;
        is_cut |=
            answer.is_err_and(|status| ![Code::ResourceExhausted, Code::InvalidArgument].contains(&status.code()));
    }
    assert!(is_cut);
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_say_nothing() {
    let server = Running::start(&["--idle", "2"]).await;
    let mut open = Vec::new();
    for _ in 0..600 {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(format!("{EVE}:0").parse().unwrap()).unwrap();
        open.push(socket.connect(server.address).await.unwrap());
    }
    soon("600 bare connections", times(server.address, 50).await);
    assert!(server.metric("refused_total{reason=\"handshakes\"}").await >= 500.0);
    // They are closed, although their other ends are not.
    server.wait_for("connections", 0.0).await;
    drop(open);
    server.is_well().await;
}

/// Mistakes of clients are told as such.
#[tokio::test]
async fn bytes_that_are_no_messages() {
    let server = Running::start(&[]).await;
    let eve = channel(server.address).await;
    let work = Work::Attacks(Slider::Rook);
    let first = encoded(&work, vec![work.batch(&mut Random(1), 0)]).await.remove(0);
    for (message, code, text) in [
        (framed(&[0xff; 20]), Code::InvalidArgument, "the message is not FlightData of Arrow Flight"),
        (framed(&[0x0b, 0x0c]), Code::InvalidArgument, "the message is not FlightData of Arrow Flight"),
        (framed(&[0x0a, 0x02, 0x0a, 0x7f]), Code::InvalidArgument, "the message is not FlightData of Arrow Flight"),
        (vec![1, 0, 0, 0, 1, 0], Code::Unimplemented, "compressed messages are not supported"),
        (vec![7, 0, 0, 0, 1, 0], Code::InvalidArgument, "the flags of a message: expected 0, found 7"),
    ] {
        for parts in [vec![message.clone()], vec![first.clone(), message.clone()]] {
            assert_eq!(end(begin(&eve, endless(parts, Duration::ZERO))).await, (code, text.to_owned()), "{message:?}");
        }
    }
    // The same for a single message, and for encodings that are announced.
    for (path, encoding, message, code) in [
        ("GetSchema", "identity", framed(&[0xff; 20]), Code::InvalidArgument),
        ("DoAction", "identity", vec![1, 0, 0, 0, 1, 0], Code::Unimplemented),
        ("DoExchange", "gzip", first.clone(), Code::Unimplemented),
        ("Nothing", "identity", first.clone(), Code::Unimplemented),
    ] {
        let request = http::Request::post(format!("http://x/arrow.flight.protocol.FlightService/{path}"))
            .header("content-type", "application/grpc")
            .header("grpc-encoding", encoding)
            .body(endless([message], Duration::ZERO))
            .unwrap();
        let answer = eve.clone().oneshot(request).await.unwrap();
        assert_eq!(Status::from_header_map(answer.headers()).unwrap().code(), code, "{path}");
    }
    server.is_well().await;
}

/// A batch that says that fewer rows are null than its bits do.
#[tokio::test]
async fn nulls_that_are_denied() {
    let server = Running::start(&[]).await;
    let work = Work::Attacks(Slider::Queen);
    let squares: ArrayRef = Arc::new(UInt8Array::from(vec![Some(1), None, Some(3), None, None, Some(6), Some(7)]));
    let occs: ArrayRef = Arc::new(UInt64Array::from(vec![0; 7]));
    let batch =
        RecordBatch::try_from_iter_with_nullable([("squares", squares, true), ("occupancies", occs, true)]).unwrap();
    let data: Vec<FlightData> = messages(work.descriptor(), vec![batch.clone()]).collect().await;
    // A node is the number of rows and the number of nulls.
    let node: Vec<u8> = [7_i64, 3].iter().flat_map(|number| number.to_le_bytes()).collect();
    let at = data[1].data_header.windows(16).position(|bytes| bytes == node).unwrap() + 8;
    for claim in [0, -1, 2, 4, 7, i64::MAX, i64::MIN] {
        let mut changed = data.clone();
        let mut header = changed[1].data_header.to_vec();
        header[at..at + 8].copy_from_slice(&claim.to_le_bytes());
        changed[1].data_header = header.into();
        let mut client = server.client().await;
        let answers = answers(&mut client, stream::iter(changed)).await.unwrap();
        let (code, message) = failed(answers.try_collect::<Vec<_>>().await);
        let expected = format!(
            "batch 0 is malformed: column squares: its validity bitmap has 3 nulls, but its header says {claim}"
        );
        assert_eq!((code, message), (Code::InvalidArgument, expected));
    }
    assert_eq!(work.ask(&mut server.client().await, vec![batch.clone()]).await.unwrap(), work.expected(&batch));
}

/// A header may refer to one text as often as it likes, so that a small one stands for gigabytes.
#[tokio::test]
async fn headers_that_stand_for_much_more() {
    use arrow_ipc as ipc;
    let server = Running::start(&[]).await;
    let work = Work::Attacks(Slider::Queen);
    let data: Vec<FlightData> = messages(work.descriptor(), vec![work.batch(&mut Random(1), 1)]).collect().await;
    let schema = |entries: usize, length: usize| {
        let mut builder = flatbuffers::FlatBufferBuilder::new();
        let text = builder.create_string(&"x".repeat(length));
        let entry = ipc::KeyValueArgs { key: Some(text), value: Some(text) };
        let entries: Vec<_> = (0..entries).map(|_| ipc::KeyValue::create(&mut builder, &entry)).collect();
        let metadata = builder.create_vector(&entries);
        let fields = builder.create_vector::<flatbuffers::ForwardsUOffset<ipc::Field<'_>>>(&[]);
        let schema = ipc::SchemaArgs { fields: Some(fields), custom_metadata: Some(metadata), ..Default::default() };
        let schema = ipc::Schema::create(&mut builder, &schema);
        let message = ipc::MessageArgs {
            version: ipc::MetadataVersion::V5,
            header_type: ipc::MessageHeader::Schema,
            header: Some(schema.as_union_value()),
            ..Default::default()
        };
        let message = ipc::Message::create(&mut builder, &message);
        builder.finish(message, None);
        builder.finished_data().to_vec()
    };
    for (entries, length, code, expected) in [
        (900, 200_000, Code::InvalidArgument, "the schema is malformed: "),
        (5000, 10, Code::InvalidArgument, "the schema is malformed: "),
        (1, 900_000, Code::ResourceExhausted, "a header has at most 262144 bytes, found "),
    ] {
        let first = FlightData { data_header: schema(entries, length).into(), ..data[0].clone() };
        let mut client = server.client().await;
        let answers = answers(&mut client, stream::iter([first])).await.unwrap();
        let (found, message) = failed(answers.try_collect::<Vec<_>>().await);
        assert!(found == code && message.starts_with(expected), "{found:?} {message}");
    }
    server.is_well().await;
}

/// Nothing, again and again.
#[tokio::test(flavor = "multi_thread")]
async fn messages_without_rows() {
    let server = Running::start(&[]).await;
    let work = Work::Attacks(Slider::Queen);
    let first = encoded(&work, vec![work.batch(&mut Random(1), 0)]).await.remove(0);
    let eve = channel(server.address).await;
    let streams: Vec<_> =
        (0..30).map(|_| begin(&eve, endless([first.clone(), [0; 5].repeat(100_000)], Duration::ZERO))).collect();
    soon("100,000 empty messages", times(server.address, 50).await);
    for stream in streams {
        let expected = (Code::InvalidArgument, "1000 consecutive messages had no rows".to_owned());
        assert_eq!(end(stream).await, expected);
    }
    server.is_well().await;
}

/// Passes bytes between a client and the server, those of the server at this many bytes per second.
async fn throttled(server: SocketAddr, rate: usize) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (outside, _) = listener.accept().await.unwrap();
        let inside = tokio::net::TcpSocket::new_v4().unwrap();
        inside.set_recv_buffer_size(16 << 10).unwrap();
        let inside = inside.connect(server).await.unwrap();
        let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
            (outside.into_split(), inside.into_split());
        tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
        let mut buffer = vec![0; rate / 50];
        while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
            if to_client.write_all(&buffer[..count]).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_secs_f64(count as f64 / rate as f64)).await;
        }
    });
    address
}

/// A client that is slow, but faster than the least rate, gets all of its results: also those that are on their way when the
/// service stops.
#[tokio::test(flavor = "multi_thread")]
async fn readers_that_are_slow_but_fast_enough() {
    let batch = Work::Attacks(Slider::Queen).batch(&mut Random(5), 65_536);
    for stops in [false, true] {
        let work = Work::Attacks(Slider::Queen);
        let server = Running::start(&["--idle", "1", "--least-rate", "100000", "--grace", "30"]).await;
        let address = throttled(server.address, 300_000).await;
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        let endpoint = endpoint.initial_stream_window_size(64 << 10).initial_connection_window_size(64 << 10);
        let mut client = FlightServiceClient::new(endpoint.connect().await.unwrap());
        let start = Instant::now();
        let (sent, expected) = (vec![batch.clone(); 2], work.expected(&batch));
        let asking = tokio::spawn(async move { work.ask(&mut client, sent).await });
        if stops {
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(server.stop().await, "it has not ended");
        } else {
            server.wait_for("streams", 1.0).await;
        }
        let answer = asking.await.unwrap().unwrap();
        assert!(start.elapsed() > Duration::from_secs(2), "{:?}", start.elapsed());
        assert_eq!((answer.slice(0, 65_536), answer.slice(65_536, 65_536)), (expected.clone(), expected));
    }
}

/// What is no call of gRPC at all.
#[tokio::test]
async fn other_methods_of_http() {
    let server = Running::start(&[]).await;
    let eve = channel(server.address).await;
    for (method, kind) in [("GET", "application/grpc"), ("POST", "application/json"), ("DELETE", "text/plain")] {
        let request = http::Request::builder()
            .method(method)
            .uri("http://x/arrow.flight.protocol.FlightService/ListActions")
            .header("content-type", kind)
            .body(Body::empty())
            .unwrap();
        assert_eq!(eve.clone().oneshot(request).await.unwrap().status(), 415, "{method} {kind}");
    }
}
