//! The service over the loopback, compared with an echo of the same batches and the library call: `cargo bench -p
//! slider-attacks-serve`. Arguments select `rows`, `analyze`, `latency` or `http`.
//!
//! The server and the echo are separate processes. The clients encode their batches in advance, and only count the bytes of
//! the responses, so the servers are measured, not the clients.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt8Array, UInt64Array};
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::error::FlightError;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::*;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use slider_attacks::Slider;
use slider_attacks_arrow::{Plan, Product, attacks};
use timing::{Rounds, Timing, nanoseconds, random_pairs, time_turns};
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Response, Status, Streaming};

type Answers<T> = Pin<Box<dyn Stream<Item = std::result::Result<T, Status>> + Send>>;
type Answer<T> = std::result::Result<Response<T>, Status>;

/// Sends back what it gets: messages as they are, or, for the path `batches`, batches that it decodes and encodes.
struct Echo;

#[tonic::async_trait]
impl FlightService for Echo {
    type HandshakeStream = Answers<HandshakeResponse>;
    type ListFlightsStream = Answers<FlightInfo>;
    type DoGetStream = Answers<FlightData>;
    type DoPutStream = Answers<PutResult>;
    type DoActionStream = Answers<Result>;
    type ListActionsStream = Answers<ActionType>;
    type DoExchangeStream = Answers<FlightData>;

    async fn do_exchange(&self, request: Request<Streaming<FlightData>>) -> Answer<Self::DoExchangeStream> {
        let mut input = request.into_inner();
        let first = input.message().await?.ok_or_else(|| Status::invalid_argument("nothing"))?;
        let decodes = first.flight_descriptor.as_ref().is_some_and(|descriptor| descriptor.path == ["batches"]);
        let input = stream::iter([Ok(first)]).chain(input);
        if !decodes {
            return Ok(Response::new(Box::pin(input)));
        }
        let input = input.map_err(|status| FlightError::Tonic(Box::new(status)));
        let batches = FlightRecordBatchStream::new_from_flight_data(input);
        let encoder = FlightDataEncoderBuilder::new().with_max_flight_data_size(usize::MAX);
        Ok(Response::new(Box::pin(encoder.build(batches).map_err(Status::from))))
    }

    async fn handshake(&self, _: Request<Streaming<HandshakeRequest>>) -> Answer<Self::HandshakeStream> {
        Err(Status::unimplemented(""))
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Answer<Self::ListFlightsStream> {
        Err(Status::unimplemented(""))
    }

    async fn get_flight_info(&self, _: Request<FlightDescriptor>) -> Answer<FlightInfo> {
        Err(Status::unimplemented(""))
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Answer<PollInfo> {
        Err(Status::unimplemented(""))
    }

    async fn get_schema(&self, _: Request<FlightDescriptor>) -> Answer<SchemaResult> {
        Err(Status::unimplemented(""))
    }

    async fn do_get(&self, _: Request<Ticket>) -> Answer<Self::DoGetStream> {
        Err(Status::unimplemented(""))
    }

    async fn do_put(&self, _: Request<Streaming<FlightData>>) -> Answer<Self::DoPutStream> {
        Err(Status::unimplemented(""))
    }

    async fn do_action(&self, _: Request<Action>) -> Answer<Self::DoActionStream> {
        Err(Status::unimplemented(""))
    }

    async fn list_actions(&self, _: Request<Empty>) -> Answer<Self::ListActionsStream> {
        Err(Status::unimplemented(""))
    }
}

/// Serves the echo, with the windows of the service.
async fn echo() {
    let incoming = tonic::transport::server::TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    println!("grpc://{}", incoming.local_addr().unwrap());
    let service = FlightServiceServer::new(Echo).max_decoding_message_size(64 << 20);
    tonic::transport::Server::builder()
        .initial_stream_window_size(1 << 20)
        .initial_connection_window_size(4 << 20)
        .max_frame_size(256 << 10)
        .serve_with_incoming(service, incoming.with_nodelay(Some(true)))
        .await
        .unwrap();
}

/// Serves the plainest answer of HTTP: for the bytes of a request, as many as the query says for all of them, as they come.
async fn http_echo() {
    let answer = async |request: axum::extract::Request| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let (sent, wanted) = query.split_once('&').unwrap();
        let (sent, wanted): (u128, u128) = (sent.parse().unwrap(), wanted.parse().unwrap());
        let zeros = Bytes::from(vec![0; 8 << 20]);
        let mut came = 0;
        axum::body::Body::from_stream(request.into_body().into_data_stream().map_ok(move |data| {
            let before = came * wanted / sent;
            came += data.len() as u128;
            zeros.slice(..(came * wanted / sent - before) as usize)
        }))
    };
    let routes = axum::Router::new().route("/", axum::routing::post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("grpc://{}", listener.local_addr().unwrap());
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, routes).await.unwrap();
}

/// A server in a process of its own, which is killed at the end: for gRPC, and perhaps for HTTP.
struct Process(Child, SocketAddr, Option<SocketAddr>);

impl Process {
    fn start(mut command: Command) -> Process {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || lines.next().unwrap().unwrap();
        let address = line().trim().strip_prefix("grpc://").unwrap().parse().unwrap();
        let has_http = command.get_args().any(|arg| arg == "--http");
        let http = has_http.then(|| line().trim().strip_prefix("http://").unwrap().parse().unwrap());
        Process(child, address, http)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

type Client = FlightServiceClient<Channel>;

async fn client(address: SocketAddr) -> Client {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    // As much on its way in this direction as in the other.
    let endpoint = endpoint.initial_stream_window_size(1 << 20).initial_connection_window_size(4 << 20);
    FlightServiceClient::new(endpoint.connect().await.unwrap()).max_decoding_message_size(64 << 20)
}

/// Random pairs.
fn batch(rows: usize) -> RecordBatch {
    let (squares, occs) = random_pairs(rows);
    let squares = UInt8Array::from_iter_values(squares.iter().map(|square| square.index()));
    let columns: [(&str, ArrayRef, bool); 2] =
        [("squares", Arc::new(squares), true), ("occupancies", Arc::new(UInt64Array::from(occs)), true)];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// The processor time of a process so far, in nanoseconds.
fn processor(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect::<Vec<_>>();
    // In hundredths of a second: in user mode, and in the kernel.
    [11, 12].map(|at| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0)).iter().sum::<f64>()
        * 1e7
}

/// The messages of one stream: a schema that names a path, then a batch.
fn messages(runtime: &Runtime, path: &str, batch: &RecordBatch) -> [FlightData; 2] {
    let encoded = FlightDataEncoderBuilder::new()
        .with_flight_descriptor(Some(FlightDescriptor::new_path(vec![path.to_owned()])))
        .with_max_flight_data_size(usize::MAX)
        .build(stream::iter([Ok(batch.clone())]));
    runtime.block_on(encoded.try_collect::<Vec<_>>()).unwrap().try_into().unwrap()
}

/// Sends the batch so often on one stream, and returns how many bytes came back.
async fn stream_of(mut client: Client, [schema, batch]: [FlightData; 2], count: usize) -> usize {
    let sent = stream::iter(std::iter::once(schema).chain(std::iter::repeat_n(batch, count)));
    let mut answers = client.do_exchange(sent).await.unwrap().into_inner();
    let mut bytes = 0;
    while let Some(data) = answers.message().await.unwrap() {
        bytes += data.data_body.len();
    }
    bytes
}

fn rows(runtime: &Runtime, service: &Process, echo: &Process) {
    let processes = [service.0.id(), echo.0.id(), echo.0.id()];
    let (service, echo) = (service.1, echo.1);
    println!("\nMillions of rows per second: queens, and the part of the echo of messages and of batches");
    println!(
        "{:>7} {:>8} {:>14} {:>14} {:>16} {:>14} {:>14} {:>14} {:>26} {:>8}",
        "clients",
        "batch",
        "service",
        "echo",
        "echo of batches",
        "library call",
        "of echo",
        "of batches",
        "CPU ns/row of the servers",
        "of echo"
    );
    for size in [4 << 10, 64 << 10, 1 << 20] {
        let batch = batch(size);
        let sent = [("queen_attacks", service), ("echo", echo), ("batches", echo)]
            .map(|(path, address)| (messages(runtime, path, &batch), address));
        for count in [1, 4, 16] {
            let clients: Vec<Vec<Client>> = sent
                .iter()
                .map(|&(_, address)| (0..count).map(|_| runtime.block_on(client(address))).collect())
                .collect();
            let per_client = ((4 << 20) / size / count).max(1);
            let rows = per_client * count * size;
            let (mut turns, mut processors) = ([0.0; 3], [0.0; 3]);
            let turn = |contestant: usize| {
                let before = processes.get(contestant).map_or(0.0, |process| processor(*process));
                let start = Instant::now();
                if let Some((messages, _)) = sent.get(contestant) {
                    let bytes: usize = runtime.block_on(async {
                        let streams = clients[contestant].iter();
                        let streams: Vec<_> = streams
                            .map(|client| tokio::spawn(stream_of(client.clone(), messages.clone(), per_client)))
                            .collect();
                        let mut bytes = 0;
                        for stream in streams {
                            bytes += stream.await.unwrap();
                        }
                        bytes
                    });
                    // The echo has the squares as well.
                    let per_row = if contestant == 0 { 8 } else { 9 };
                    assert!(bytes >= rows * per_row && bytes < rows * per_row + rows, "{bytes} bytes for {rows} rows");
                } else {
                    for _ in 0..rows / size {
                        std::hint::black_box(attacks(Slider::Queen, batch.column(0), batch.column(1)).unwrap());
                    }
                }
                let elapsed = start.elapsed();
                if let Some(process) = processes.get(contestant) {
                    turns[contestant] += rows as f64;
                    processors[contestant] += processor(*process) - before;
                }
                nanoseconds(elapsed) / rows as f64
            };
            let timings = time_turns(4, Rounds { time: Duration::from_secs(4), count: 15 }, turn);
            let speed = |Timing { fastest, median }: Timing| format!("{:.0} ({:.0})", 1e3 / fastest, 1e3 / median);
            let part =
                |of: Timing| format!("{:.2} ({:.2})", of.fastest / timings[0].fastest, of.median / timings[0].median);
            print!("{count:>7} {size:>8}");
            for (timing, width) in timings.iter().zip([14, 14, 16, 14]) {
                print!(" {:>width$}", speed(*timing));
            }
            print!(" {:>14} {:>14}", part(timings[1]), part(timings[2]));
            // Whatever else the machine does, this is what each row cost. The clients cost the same in all cases.
            let [own, echo, batches] = std::array::from_fn(|at| processors[at] / turns[at]);
            println!(" {:>26} {:>8.2}", format!("{own:.1}, {echo:.1}, {batches:.1}"), echo / own);
        }
    }
}

/// Rows of `analyze` per second, compared with parsing and computing the same texts on one thread.
fn analyze(runtime: &Runtime, service: SocketAddr) {
    println!("\nThousands of rows per second: maps of positions as text, and the part of a call on one thread");
    println!("{:>7} {:>8} {:>16} {:>16} {:>14}", "clients", "batch", "service", "library call", "of the call");
    let lines: Vec<&str> =
        include_str!("../../tests/data/sample.epd").lines().filter(|line| !line.starts_with('#')).collect();
    for size in [4 << 10, 64 << 10] {
        let fens = StringArray::from_iter_values((0..size).map(|row| lines[row % lines.len()]));
        let batch = RecordBatch::try_from_iter_with_nullable([("fen", Arc::new(fens) as ArrayRef, true)]).unwrap();
        let (messages, plan) = (messages(runtime, "analyze", &batch), Plan::new([Product::Maps]));
        for count in [1, 4] {
            let clients: Vec<Client> = (0..count).map(|_| runtime.block_on(client(service))).collect();
            let per_client = (1 << 20) / size / count;
            let turn = |contestant: usize| {
                let start = Instant::now();
                if contestant == 0 {
                    runtime.block_on(async {
                        let streams = clients.iter();
                        let streams: Vec<_> = streams
                            .map(|client| tokio::spawn(stream_of(client.clone(), messages.clone(), per_client)))
                            .collect();
                        for stream in streams {
                            assert!(stream.await.unwrap() >= 16 * size * per_client);
                        }
                    });
                } else {
                    for _ in 0..per_client * count {
                        std::hint::black_box(plan.compute(batch.column(0)).unwrap());
                    }
                }
                nanoseconds(start.elapsed()) / (1 << 20) as f64
            };
            let timings = time_turns(2, Rounds { time: Duration::from_secs(3), count: 15 }, turn);
            let speed = |Timing { fastest, median }: Timing| format!("{:.0} ({:.0})", 1e6 / fastest, 1e6 / median);
            let [service, call] = [timings[0], timings[1]];
            println!(
                "{count:>7} {size:>8} {:>16} {:>16} {:>14}",
                speed(service),
                speed(call),
                format!("{:.2} ({:.2})", call.fastest / service.fastest, call.median / service.median)
            );
        }
    }
}

/// Sends these parts of a body so often, and returns how many bytes came back.
async fn post(address: SocketAddr, path: String, headers: [&'static str; 2], parts: Vec<Bytes>, count: usize) -> u64 {
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    let connection = tokio::spawn(connection);
    let parts = (0..count).flat_map(move |_| parts.clone()).map(|part| Ok::<_, Status>(http_body::Frame::data(part)));
    let request = http::Request::post(path)
        .header("host", "service")
        .header("content-type", headers[0])
        .header("accept", headers[1])
        .body(http_body_util::StreamBody::new(stream::iter(parts)))
        .unwrap();
    let answer = sender.send_request(request).await.unwrap();
    assert_eq!(answer.status(), 200);
    let (mut body, mut bytes) = (answer.into_body(), 0);
    while let Some(frame) = http_body_util::BodyExt::frame(&mut body).await {
        bytes += frame.unwrap().into_data().map_or(0, |data| data.len() as u64);
    }
    drop(sender);
    let _ = connection.await;
    bytes
}

/// Rows over HTTP, compared with Flight and with an echo of as many bytes.
fn http(runtime: &Runtime, service: &Process, echo: &Process) {
    const ARROW: &str = "application/vnd.apache.arrow.stream";
    println!("\nThousands of rows per second over HTTP, and the part of an echo of as many bytes, and of Flight");
    println!(
        "{:>34} {:>7} {:>18} {:>18} {:>18} {:>14} {:>14} {:>24} {:>8}",
        "", "clients", "HTTP", "echo", "Flight", "of echo", "of Flight", "CPU ns/row of the servers", "of echo"
    );
    let lines: Vec<&str> =
        include_str!("../../tests/data/sample.epd").lines().filter(|line| !line.starts_with('#')).collect();
    let fens: Vec<&str> = (0..32 << 10).map(|row| lines[row % lines.len()]).collect();
    let text = Bytes::from(fens.join("\n") + "\n");
    let text: Vec<Bytes> =
        (0..text.len()).step_by(64 << 10).map(|at| text.slice(at..text.len().min(at + (64 << 10)))).collect();
    let fens = Arc::new(StringArray::from(fens)) as ArrayRef;
    let fens = RecordBatch::try_from_iter_with_nullable([("fen", fens, true)]).unwrap();
    let calls = (0..10).map(|_| {
        let start = Instant::now();
        std::hint::black_box(Plan::new([Product::Maps]).compute(fens.column(0)).unwrap());
        nanoseconds(start.elapsed()) / fens.num_rows() as f64
    });
    println!("maps, a library call on one thread: {:.1} ns per row", calls.fold(f64::INFINITY, f64::min));
    let pairs = batch(64 << 10);
    // A schema comes once, so all batches of a stream are one part.
    let arrow = |batch: &RecordBatch, count: usize| {
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        (0..count).for_each(|_| writer.write(batch).unwrap());
        vec![Bytes::from(writer.into_inner().unwrap())]
    };
    for (what, path, types, batch, rows, is_text) in [
        ("queens, Arrow to Arrow", "/v1/attacks?slider=queen", [ARROW, ARROW], &pairs, 4 << 20, false),
        ("maps, Arrow to Arrow", "/v1/analyze", [ARROW, ARROW], &fens, 512 << 10, false),
        ("maps, FEN to Arrow", "/v1/analyze", ["text/plain", ARROW], &fens, 512 << 10, true),
        ("maps, FEN to JSON lines", "/v1/analyze", ["text/plain", "application/x-ndjson"], &fens, 512 << 10, true),
        (
            "counts, FEN to JSON lines",
            "/v1/analyze?what=counts",
            ["text/plain", "application/x-ndjson"],
            &fens,
            128 << 10,
            true,
        ),
    ] {
        for count in [1, 4] {
            let repeats = rows / batch.num_rows() / count;
            let (parts, repeats) = if is_text { (text.clone(), repeats) } else { (arrow(batch, repeats), 1) };
            let sent = repeats as u64 * parts.iter().map(|part| part.len() as u64).sum::<u64>();
            let wanted = runtime.block_on(post(service.2.unwrap(), path.to_owned(), types, parts.clone(), repeats));
            let call = if what.starts_with("queens") { "queen_attacks" } else { "analyze" };
            let flight = messages(runtime, call, batch);
            let clients: Vec<Client> = (0..count).map(|_| runtime.block_on(client(service.1))).collect();
            let processes = [service.0.id(), echo.0.id()];
            let (mut processors, mut turns) = ([0.0; 2], [0.0; 2]);
            let turn = |contestant: usize| {
                let before = processes.get(contestant).map_or(0.0, |process| processor(*process));
                let start = Instant::now();
                runtime.block_on(async {
                    let calls: Vec<_> = (0..count)
                        .map(|at| match contestant {
                            0 => tokio::spawn(post(service.2.unwrap(), path.to_owned(), types, parts.clone(), repeats)),
                            1 => {
                                let path = format!("/?{sent}&{wanted}");
                                tokio::spawn(post(echo.1, path, types, parts.clone(), repeats))
                            }
                            _ => {
                                let (client, flight) = (clients[at].clone(), flight.clone());
                                let batches = rows / batch.num_rows() / count;
                                tokio::spawn(async move { stream_of(client, flight, batches).await as u64 })
                            }
                        })
                        .collect();
                    for call in calls {
                        let bytes = call.await.unwrap();
                        // How text is cut into batches depends on how it arrives, and each has a header.
                        assert!(contestant == 2 || bytes.abs_diff(wanted) < wanted / 50, "{bytes} bytes, not {wanted}");
                    }
                });
                let elapsed = start.elapsed();
                if let Some(process) = processes.get(contestant) {
                    processors[contestant] += processor(*process) - before;
                    turns[contestant] += rows as f64;
                }
                nanoseconds(elapsed) / rows as f64
            };
            // Flight has no products but maps here.
            let contestants = if what.starts_with("counts") { 2 } else { 3 };
            let timings = time_turns(contestants, Rounds { time: Duration::from_secs(3), count: 11 }, turn);
            let speed = |Timing { fastest, median }: Timing| format!("{:.0} ({:.0})", 1e6 / fastest, 1e6 / median);
            let part =
                |of: Timing| format!("{:.2} ({:.2})", of.fastest / timings[0].fastest, of.median / timings[0].median);
            let flight = timings.get(2).copied();
            let [own, plain] = std::array::from_fn(|at| processors[at] / turns[at]);
            println!(
                "{what:>34} {count:>7} {:>18} {:>18} {:>18} {:>14} {:>14} {:>24} {:>8.2}",
                speed(timings[0]),
                speed(timings[1]),
                flight.map_or_else(String::new, speed),
                part(timings[1]),
                flight.map_or_else(String::new, part),
                format!("{own:.1}, {plain:.1}"),
                plain / own
            );
        }
    }
}

/// The times of a number of requests, each a stream of its own, or each a batch of one stream.
async fn requests(mut client: Client, messages: [FlightData; 2], count: usize, is_one_stream: bool) -> Vec<f64> {
    let mut times = Vec::with_capacity(count);
    if !is_one_stream {
        for _ in 0..count {
            let start = Instant::now();
            let mut answers = client.do_exchange(stream::iter(messages.clone())).await.unwrap().into_inner();
            while answers.message().await.unwrap().is_some() {}
            times.push(nanoseconds(start.elapsed()) / 1e3);
        }
        return times;
    }
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    let [schema, batch] = messages;
    sender.send(schema).await.unwrap();
    let sent = stream::poll_fn(move |context| receiver.poll_recv(context));
    let mut answers = client.do_exchange(sent).await.unwrap().into_inner();
    answers.message().await.unwrap().unwrap();
    for _ in 0..count {
        let start = Instant::now();
        sender.send(batch.clone()).await.unwrap();
        answers.message().await.unwrap().unwrap();
        times.push(nanoseconds(start.elapsed()) / 1e3);
    }
    times
}

fn latency(runtime: &Runtime, service: SocketAddr, echo: SocketAddr) {
    println!(
        "\nMicroseconds per request, p50 and p99: queens; under load, two other clients send batches of 64 Ki rows"
    );
    println!("{:>6} {:>34} {:>18} {:>18} {:>18} {:>18}", "rows", "", "service", "echo", "service, load", "echo, load");
    for rows in [1, 4 << 10] {
        for is_one_stream in [false, true] {
            let what = if is_one_stream { "a batch of an open stream" } else { "a stream per request" };
            print!("{rows:>6} {what:>34}");
            let small = batch(rows);
            for is_loaded in [false, true] {
                let contestants = [("queen_attacks", service), ("echo", echo)];
                let mut times = [const { Vec::new() }; 2];
                // In turns, as everything here.
                for _ in 0..if is_loaded { 10 } else { 20 } {
                    for ((path, address), times) in contestants.iter().zip(&mut times) {
                        let is_over = Arc::new(AtomicBool::new(false));
                        let loads: Vec<_> = (0..if is_loaded { 2 } else { 0 })
                            .map(|_| {
                                let (messages, is_over) = (messages(runtime, path, &batch(64 << 10)), is_over.clone());
                                let address = *address;
                                runtime.spawn(async move {
                                    let client = client(address).await;
                                    while !is_over.load(Relaxed) {
                                        stream_of(client.clone(), messages.clone(), 8).await;
                                    }
                                })
                            })
                            .collect();
                        let messages = messages(runtime, path, &small);
                        let count = if is_loaded { 60 } else { 200 };
                        times.extend(runtime.block_on(async {
                            let client = client(*address).await;
                            requests(client.clone(), messages.clone(), 5, is_one_stream).await;
                            requests(client, messages, count, is_one_stream).await
                        }));
                        is_over.store(true, Relaxed);
                        for load in loads {
                            runtime.block_on(load).unwrap();
                        }
                    }
                }
                for times in &mut times {
                    times.sort_by(f64::total_cmp);
                    let (p50, p99): (f64, f64) = (times[times.len() / 2], times[times.len() * 99 / 100]);
                    print!(" {:>18}", format!("{p50:.0}, {p99:.0}"));
                }
            }
            println!();
        }
    }
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args == ["echo"] {
        return runtime.block_on(echo());
    }
    if args == ["http-echo"] {
        return runtime.block_on(http_echo());
    }
    let is_asked = |what: &str| args.is_empty() || args.iter().any(|arg| arg == what);
    let mut command = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve"));
    command.args(["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--log-level", "warn"]);
    let service = Process::start(command);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("echo");
    let echo = Process::start(command);
    if is_asked("rows") {
        rows(&runtime, &service, &echo);
    }
    if is_asked("analyze") {
        analyze(&runtime, service.1);
    }
    if is_asked("latency") {
        latency(&runtime, service.1, echo.1);
    }
    if is_asked("http") {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("http-echo");
        http(&runtime, &service, &Process::start(command));
    }
}
