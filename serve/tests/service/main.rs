//! The service over the loopback returns the results of the library, and withstands attacks.

#[path = "../../../tests/common/mod.rs"]
mod common;

mod attacks;
mod charges;
mod held;
mod hostile;
mod limits;
mod process;
mod protocol;
mod soak;
mod trust;
mod web;
mod web_attacks;

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, UInt8Array, UInt64Array};
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::encode::FlightDataEncoderBuilder;
use arrow_flight::error::FlightError;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::{FlightData, FlightDescriptor};
use clap::Parser;
use common::Random;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use slider_attacks::Slider;
use slider_attacks_arrow::{Plan, Product, attack_sets, attacks};
use slider_attacks_serve::server::{Options, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Response, Status, Streaming};

const SAMPLE: &str = include_str!("../../../tests/data/sample.epd");

/// A server in this process, on ports of its own.
struct Running {
    address: SocketAddr,
    metrics: SocketAddr,
    http: Option<SocketAddr>,
    stop: Option<oneshot::Sender<()>>,
    served: tokio::task::JoinHandle<anyhow::Result<bool>>,
}

impl Running {
    /// Starts it with these arguments.
    async fn start(args: &[&str]) -> Running {
        let all = ["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"].iter().chain(args);
        let server = Server::bind(Options::parse_from(all)).await.unwrap();
        let (address, metrics) = (server.address().unwrap(), server.metrics_address().unwrap());
        let http = server.http_address();
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            let _ = stopped.await;
        };
        let served = tokio::spawn(server.run(stopped, std::future::pending()));
        Running { address, metrics, http, stop: Some(stop), served }
    }

    /// A client with a connection of its own.
    async fn client(&self) -> FlightServiceClient<Channel> {
        client(self.address).await
    }

    /// Tells the server to stop, and returns whether all streams ended.
    async fn stop(mut self) -> bool {
        self.stop.take().unwrap().send(()).unwrap();
        self.served.await.unwrap().unwrap()
    }

    /// The value of a metric, by its name and labels.
    async fn metric(&self, name: &str) -> f64 {
        metric(self.metrics, name).await
    }

    /// Waits until a metric has this value, for a few seconds at most.
    async fn wait_for(&self, name: &str, value: f64) {
        let start = Instant::now();
        loop {
            let found = self.metric(name).await;
            if found == value {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(15), "{name} is {found}, not {value}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until nothing is left of the requests so far, and shows that others are answered.
    async fn is_well(&self) {
        self.wait_for("streams", 0.0).await;
        self.wait_for("held_bytes", 0.0).await;
        let work = Work::Attacks(Slider::Queen);
        let batch = work.batch(&mut Random(7), 100);
        assert_eq!(work.ask(&mut self.client().await, vec![batch.clone()]).await.unwrap(), work.expected(&batch));
    }
}

async fn client(address: SocketAddr) -> FlightServiceClient<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    FlightServiceClient::new(endpoint.connect().await.unwrap()).max_decoding_message_size(64 << 20)
}

/// What the port of metrics answers.
async fn observed(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

/// The text of the metrics at this address.
async fn metrics(address: SocketAddr) -> String {
    let text = observed(address, "/metrics").await;
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    text
}

async fn metric(address: SocketAddr, name: &str) -> f64 {
    let text = metrics(address).await;
    let name = format!("slider_attacks_{name} ");
    text.lines().find_map(|line| line.strip_prefix(&name)).map_or(0.0, |value| value.parse().unwrap())
}

/// Something to ask.
#[derive(Clone, Debug)]
enum Work {
    Attacks(Slider),
    Sets,
    Analyze(Vec<Product>),
}

impl Work {
    fn random(random: &mut Random) -> Work {
        match random.below(5) {
            0 => Work::Sets,
            1 => Work::Analyze(Product::ALL.iter().copied().filter(|_| random.below(2) == 0).collect()),
            _ => Work::Attacks(Slider::ALL[random.below(3)]),
        }
    }

    fn name(&self) -> String {
        match self {
            Work::Attacks(slider) => format!("{slider}_attacks"),
            Work::Sets => "attack_sets".into(),
            Work::Analyze(_) => "analyze".into(),
        }
    }

    fn descriptor(&self) -> FlightDescriptor {
        match self {
            Work::Analyze(products) => {
                let products: Vec<String> = products.iter().map(|product| format!("\"{product}\"")).collect();
                let products = products.join(",");
                FlightDescriptor::new_cmd(format!(r#"{{"call": "analyze", "what": [{products}]}}"#))
            }
            _ => FlightDescriptor::new_path(vec![self.name()]),
        }
    }

    /// Random rows, some of them null.
    fn batch(&self, random: &mut Random, rows: usize) -> RecordBatch {
        fn column<T>(random: &mut Random, rows: usize, of: impl Fn(&mut Random) -> T) -> Vec<Option<T>> {
            let some_null = random.below(2) == 0;
            (0..rows).map(|_| (!some_null || random.below(5) > 0).then(|| of(random))).collect()
        }
        let boards =
            |random: &mut Random| -> ArrayRef { Arc::new(UInt64Array::from(column(random, rows, Random::board))) };
        let columns: Vec<(&str, ArrayRef)> = match self {
            Work::Attacks(_) => {
                let squares = UInt8Array::from(column(random, rows, |random| random.below(64) as u8));
                vec![("squares", Arc::new(squares)), ("occupancies", boards(random))]
            }
            Work::Sets => ["orthogonal", "diagonal", "occupancies"].map(|name| (name, boards(random))).into(),
            Work::Analyze(_) => {
                let sample: Vec<&str> = SAMPLE.lines().filter(|line| !line.starts_with('#')).collect();
                let fens = column(random, rows, |random| sample[random.below(sample.len())]);
                vec![("fen", Arc::new(StringArray::from(fens)))]
            }
        };
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
    }

    /// What the library computes.
    fn expected(&self, batch: &RecordBatch) -> RecordBatch {
        let result = match self {
            Work::Attacks(slider) => attacks(*slider, batch.column(0), batch.column(1)).unwrap(),
            Work::Sets => attack_sets(batch.column(0), batch.column(1), batch.column(2)).unwrap(),
            Work::Analyze(products) => {
                return Plan::new(products.iter().copied()).compute(batch.column(0)).unwrap();
            }
        };
        RecordBatch::try_from_iter_with_nullable([("attacks", Arc::new(result) as ArrayRef, true)]).unwrap()
    }

    /// Sends these batches, and joins the answers.
    async fn ask(
        &self,
        client: &mut FlightServiceClient<Channel>,
        batches: Vec<RecordBatch>,
    ) -> Result<RecordBatch, Status> {
        ask(client, self.descriptor(), batches).await
    }
}

/// The messages of these batches. None is split.
fn messages(
    descriptor: FlightDescriptor,
    batches: Vec<RecordBatch>,
) -> impl Stream<Item = FlightData> + Send + 'static {
    FlightDataEncoderBuilder::new()
        .with_flight_descriptor(Some(descriptor))
        .with_max_flight_data_size(usize::MAX)
        .build(stream::iter(batches.into_iter().map(Ok)))
        .map(|data| data.expect("batches can be encoded"))
}

/// The answers, until one is a failure.
async fn answers(
    client: &mut FlightServiceClient<Channel>,
    messages: impl Stream<Item = FlightData> + Send + 'static,
) -> Result<Answers, Status> {
    Ok(decoded(client.do_exchange(messages).await?).map_err(Status::from).boxed())
}

type Answers = Pin<Box<dyn Stream<Item = Result<RecordBatch, Status>> + Send>>;

/// The batches in the messages of an answer.
fn decoded(answers: Response<Streaming<FlightData>>) -> FlightRecordBatchStream {
    let answers = answers.into_inner().map_err(|status| FlightError::Tonic(Box::new(status)));
    FlightRecordBatchStream::new_from_flight_data(answers)
}

async fn ask(
    client: &mut FlightServiceClient<Channel>,
    descriptor: FlightDescriptor,
    batches: Vec<RecordBatch>,
) -> Result<RecordBatch, Status> {
    let mut answers = decoded(client.do_exchange(messages(descriptor, batches)).await?);
    let mut batches = Vec::new();
    while let Some(batch) = answers.try_next().await? {
        batches.push(batch);
    }
    let schema = answers.schema().expect("it comes first");
    Ok(arrow_select::concat::concat_batches(schema, &batches).unwrap())
}

/// The code and the message of a failure.
fn failed<T: std::fmt::Debug>(result: Result<T, Status>) -> (Code, String) {
    let status = result.unwrap_err();
    (status.code(), status.message().to_owned())
}
