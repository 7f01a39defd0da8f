//! What speaks to the network.

mod connections;
mod driven;
mod exchange;
mod flight;
mod guard;
mod held;
mod metrics;
mod options;
mod pool;
mod tls;
mod tokens;

use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use arrow_flight::flight_service_server::FlightServiceServer;
use futures_util::stream;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use slider_attacks::Backend;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc};
use tonic::transport::Server as Transport;
use tracing::{debug, error, info, warn};

use connections::Acceptor;
use flight::Flight;
use guard::{RequestGuard, Streams};
use held::MessageBudget;
use metrics::Metrics;
pub use options::{Limits, LogForm, LogLevel, Options};
use pool::FairPool;
use tokens::Tokens;

/// The bytes of a stream, and of a connection, that a client may send before they are asked for.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;
/// Connections at a time that ask for metrics.
const METRICS_CONNECTIONS: usize = 16;

/// A server that has its ports.
pub struct Server {
    options: Options,
    listener: TcpListener,
    metrics_listener: Option<TcpListener>,
    acceptor: Option<tokio_rustls::TlsAcceptor>,
    guard: RequestGuard,
}

impl Server {
    /// Takes the ports and reads the files. From within a runtime of Tokio.
    ///
    /// # Errors
    ///
    /// The options contradict each other, a port is taken, or a file cannot be read.
    pub async fn bind(options: Options) -> Result<Server> {
        options.check()?;
        let bind = async |address: SocketAddr| {
            TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
        };
        let acceptor = match (&options.tls_cert, &options.tls_key) {
            (Some(cert), Some(key)) => {
                let (acceptor, watching) = tls::acceptor(cert.clone(), key.clone())?;
                tokio::spawn(watching);
                Some(acceptor)
            }
            _ => None,
        };
        let tokens = match &options.tokens {
            Some(path) => {
                let tokens = Arc::new(RwLock::new(Arc::new(Tokens::read(path)?)));
                let (shared, path) = (tokens.clone(), path.clone());
                tokio::spawn(tls::watch(vec![path.clone()], move || {
                    let tokens = Arc::new(Tokens::read(&path)?);
                    *shared.write().expect("nothing panics while it is locked") = tokens;
                    Ok(())
                }));
                Some(tokens)
            }
            None => None,
        };
        let Limits { message_bytes, batch_rows, held_bytes, streams, client_streams, idle, .. } = options.limits;
        let metrics = Metrics::new();
        let threads = options
            .threads
            .map(usize::from)
            .map_or_else(std::thread::available_parallelism, |threads| Ok(threads.try_into().expect("it is not zero")));
        let watched = driven::OpenStreams::default();
        tokio::spawn(watched.clone().watch(idle));
        let flight = Flight {
            backend: options.backend.unwrap_or_else(Backend::active),
            pool: Arc::new(FairPool::new(threads.map_or(1, std::num::NonZero::get))?),
            batch_rows: batch_rows as usize,
            idle,
            streams: Streams::new(streams, client_streams, metrics.streams.clone()),
            watched,
            metrics: metrics.clone(),
        };
        let service = FlightServiceServer::new(flight).max_decoding_message_size(message_bytes as usize);
        let budget = MessageBudget::new(held_bytes as usize, message_bytes as usize, metrics.held.clone());
        let guard = RequestGuard { service, tokens, budget, idle, metrics };
        let metrics_listener = match options.metrics {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        Ok(Server { listener: bind(options.listen).await?, metrics_listener, acceptor, guard, options })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// The operating system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// Where it serves metrics.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_listener.as_ref()?.local_addr().ok()
    }

    /// Serves until `stop` ends, and then until all streams have ended or the time for that is over. Returns whether all
    /// have ended.
    ///
    /// # Errors
    ///
    /// The server cannot be set up.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) -> Result<bool> {
        let Server { options, listener, metrics_listener, acceptor, guard } = self;
        let Limits { connections, client_streams, idle, grace, .. } = options.limits;
        let metrics = guard.metrics.clone();
        let serving = metrics_listener.map(|listener| tokio::spawn(serve_metrics(listener, metrics.clone(), idle)));
        let (accepted, mut incoming) = mpsc::channel(1);
        // A stream is cut off before its connection, so that the client gets to know why.
        let (most, idle) = (connections, 2 * idle);
        tokio::spawn(Acceptor { listener, tls: acceptor, most, idle, metrics: metrics.clone() }.run(accepted));
        let (stopping, stopped) = tokio::sync::oneshot::channel();
        let transport = Transport::builder()
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(256 << 10)
            .max_concurrent_streams(client_streams.saturating_add(16))
            .http2_max_header_list_size(16 << 10)
            .serve_with_incoming_shutdown(guard, stream::poll_fn(move |context| incoming.poll_recv(context)), async {
                stop.await;
                info!(streams = metrics.streams.get(), "stopping");
                let _ = stopping.send(());
            });
        let late = async {
            // Dropped if the transport ends by itself.
            let _ = stopped.await;
            tokio::time::sleep(grace).await;
        };
        let all_ended = tokio::select! {
            served = transport => { served.context("cannot serve")?; true }
            () = late => false,
        };
        if all_ended {
            info!("stopped");
        } else {
            warn!(streams = metrics.streams.get(), "stopped before all streams had ended");
        }
        serving.inspect(|serving| serving.abort());
        Ok(all_ended)
    }
}

/// Answers each request over HTTP with the counts.
async fn serve_metrics(listener: TcpListener, metrics: Metrics, idle: Duration) {
    let permits = Arc::new(Semaphore::new(METRICS_CONNECTIONS));
    loop {
        let permit = permits.clone().acquire_owned().await.expect("it is never closed");
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                warn!(%error, "cannot accept a connection for metrics");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let metrics = metrics.clone();
        tokio::spawn(async move {
            let answer = hyper::service::service_fn(|request: Request<Incoming>| {
                let is_known = request.method() == http::Method::GET && request.uri().path() == "/metrics";
                let text = if is_known { metrics.text() } else { "expected GET /metrics\n".to_owned() };
                let mut answer = Response::new(text);
                *answer.status_mut() = if is_known { StatusCode::OK } else { StatusCode::NOT_FOUND };
                let kind = HeaderValue::from_static("text/plain; version=0.0.4");
                answer.headers_mut().insert(CONTENT_TYPE, kind);
                std::future::ready(Ok::<_, Infallible>(answer))
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(idle).keep_alive(false);
            let served = tokio::time::timeout(idle, http.serve_connection(TokioIo::new(stream), answer)).await;
            if !matches!(served, Ok(Ok(()))) {
                debug!("a request for metrics was not finished");
            }
            drop(permit);
        });
    }
}

/// Runs a server until SIGTERM or SIGINT.
///
/// # Errors
///
/// The server cannot be set up.
pub fn main(options: Options) -> Result<()> {
    let subscriber = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::from(options.log_level))
        .with_ansi(false);
    match options.log {
        LogForm::Text => subscriber.init(),
        LogForm::Json => subscriber.json().flatten_event(true).init(),
    }
    // Where it panicked, and not with what: that may be data.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        error!(place, "panicked");
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let served = runtime.block_on(async {
        let stop = stop_signal()?;
        let server = Server::bind(options).await?;
        let address = server.address()?;
        let scheme = if server.acceptor.is_some() { "grpc+tls" } else { "grpc" };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{scheme}://{address}")?;
        if let Some(address) = server.metrics_address() {
            writeln!(out, "http://{address}/metrics")?;
        }
        out.flush()?;
        drop(out);
        let backend = server.options.backend.unwrap_or_else(Backend::active);
        info!(%address, %backend, version = env!("CARGO_PKG_VERSION"), "listening");
        server.run(stop).await
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    served.map(|_| ())
}

/// Ends at the first signal to stop.
#[cfg(unix)]
fn stop_signal() -> Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut signals = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
    Ok(async move {
        let [terminate, interrupt] = &mut signals;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Ends at the first signal to stop.
#[cfg(not(unix))]
fn stop_signal() -> Result<impl Future<Output = ()> + Send> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
