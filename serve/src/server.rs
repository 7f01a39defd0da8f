//! What speaks to the network.
//!
//! A connection comes through `listen`. Each request passes the layers `meter`, `authenticate` and `rates` on its way to
//! `flight`, which answers single messages, and streams by `exchange`. Health stands beside these layers, behind `meter`
//! only, and reflection behind `meter` and `authenticate`.

mod authenticate;
mod budget;
mod client;
mod credentials;
mod drive;
mod exchange;
mod flight;
mod grpc;
mod health;
mod listen;
mod log;
mod meter;
mod metrics;
mod observe;
mod options;
mod patience;
mod pool;
mod rates;
mod reflection;
mod signals;
mod tls;
mod tokens;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::stream;
use slider_attacks::Backend;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::Server as Transport;
use tracing::{info, warn};

use authenticate::Authenticate;
use budget::Budget;
use client::Streams;
use credentials::Watch;
use drive::Driver;
use exchange::Exchanges;
use flight::Flight;
use listen::Acceptor;
use log::Log;
pub use log::last_words;
use meter::{Meter, Notes};
use metrics::Metrics;
pub use options::{Limits, LogForm, LogLevel, Options};
use patience::Patience;
use pool::FairPool;
use rates::{LimitRate, Rates};
use signals::{Signals, State};
use tokens::Tokens;

/// The bytes of a stream, and of a connection, that a client may send before they are asked for.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;
/// Lines of the log per second that one client may cause.
const CLIENT_LINES: u32 = 50;

/// A server that has its ports.
pub struct Server {
    options: Options,
    listener: TcpListener,
    observed: Option<TcpListener>,
    acceptor: Option<tokio_rustls::TlsAcceptor>,
    service: Meter<Routes>,
    health: health::Reporter,
    reload: watch::Sender<()>,
}

impl Server {
    /// Takes the ports and reads the files. From within a runtime of Tokio.
    ///
    /// # Errors
    ///
    /// The options contradict each other, a port is taken, or a file cannot be read.
    pub async fn bind(options: Options) -> Result<Server> {
        options.check()?;
        let backend = options.backend.unwrap_or_else(Backend::active);
        let metrics = Metrics::new(&options.limits.all(), backend.name());
        Server::bind_with(options, metrics).await
    }

    async fn bind_with(options: Options, metrics: Metrics) -> Result<Server> {
        let bind = async |address: SocketAddr| {
            TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))
        };
        let backend = options.backend.unwrap_or_else(Backend::active);
        let limits = &options.limits;
        let (reload, reloaded) = watch::channel(());
        let watch = Watch { metrics: metrics.clone(), reload: reloaded };
        let acceptor = match (&options.tls_cert, &options.tls_key) {
            (Some(cert), Some(key)) => {
                let (acceptor, watching) = tls::acceptor(cert.clone(), key.clone(), watch.clone())?;
                tokio::spawn(watching);
                Some(acceptor)
            }
            _ => None,
        };
        let tokens = match &options.tokens {
            Some(path) => {
                let tokens = Arc::new(RwLock::new(Arc::new(Tokens::read(path)?)));
                let (shared, path) = (tokens.clone(), path.clone());
                tokio::spawn(watch.files("tokens", vec![path.clone()], move || {
                    let tokens = Arc::new(Tokens::read(&path)?);
                    *shared.write().unwrap_or_else(PoisonError::into_inner) = tokens;
                    Ok(())
                }));
                Some(tokens)
            }
            None => None,
        };
        let threads = options
            .threads
            .map(usize::from)
            .map_or_else(std::thread::available_parallelism, |threads| Ok(threads.try_into().expect("it is not zero")));
        let most = budget::ByteLimits {
            all: limits.held_bytes.into(),
            of_client: limits.of_client().into(),
            of_message: limits.message_bytes.into(),
        };
        let shared = Exchanges {
            backend,
            pool: Arc::new(FairPool::new(threads.map_or(1, std::num::NonZero::get))?),
            batch_rows: limits.batch_rows as usize,
            budget: Budget::new(most, metrics.clone()),
            patience: Patience::new(limits.idle, limits.least_rate),
            metrics: metrics.clone(),
        };
        let driver = Driver::new(limits.idle, limits.least_rate);
        tokio::spawn(driver.clone().watch());
        let flight = Flight {
            driver,
            shared: Arc::new(shared),
            streams: Streams::new(limits.streams, limits.client_streams, metrics.streams.clone()),
            calls: Streams::new(u32::MAX, limits.client_streams, metrics.calls.clone()),
            message_bytes: limits.message_bytes as usize,
            most_waiting: limits.idle,
        };
        let limited = LimitRate { inner: flight, calls: Rates::new(limits.client_calls), metrics: metrics.clone() };
        let known = Authenticate { inner: limited, tokens: tokens.clone(), metrics: metrics.clone() };
        let (served, health) = health::serving(&[Flight::NAME]).await;
        let mut routes = Routes::new(served).add_service(known);
        if options.reflection {
            let inner = reflection::service()?;
            routes = routes.add_service(Authenticate { inner, tokens, metrics: metrics.clone() });
        }
        let routes = routes.prepare();
        let notes = Notes { metrics, lines: Rates::new(CLIENT_LINES), requests: AtomicU64::new(0) };
        let service = Meter { inner: routes, notes: Arc::new(notes) };
        let observed = match options.metrics {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        Ok(Server { listener: bind(options.listen).await?, observed, acceptor, service, health, reload, options })
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
        self.observed.as_ref()?.local_addr().ok()
    }

    /// Serves until `stop` ends, and then until all streams have ended, or the time for that is over, or `at_once` ends.
    /// Returns whether all have ended.
    ///
    /// # Errors
    ///
    /// The server cannot be set up.
    pub async fn run(
        self,
        stop: impl Future<Output = ()> + Send,
        at_once: impl Future<Output = ()> + Send,
    ) -> Result<bool> {
        let Server { options, listener, observed, acceptor, service, health, reload: _reload } = self;
        let Limits { connections, address_connections, connection_age: age, client_streams, idle, grace, .. } =
            options.limits;
        let metrics = service.notes.metrics.clone();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let observing =
            observed.map(|listener| tokio::spawn(observe::serve(listener, metrics.clone(), is_stopping.clone())));
        let (accepted, mut incoming) = mpsc::channel(1);
        // A stream is cut off before its connection, so that the client gets to know why.
        let most = listen::ConnectionLimits { all: connections, of_address: address_connections, idle: 2 * idle, age };
        tokio::spawn(Acceptor { listener, tls: acceptor, most, metrics: metrics.clone() }.run(accepted));
        let (stopping, stopped) = tokio::sync::oneshot::channel();
        let transport = Transport::builder()
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(256 << 10)
            .max_concurrent_streams(client_streams.saturating_add(16))
            .http2_max_header_list_size(16 << 10)
            .http2_keepalive_interval(Some(idle.max(Duration::from_secs(10))))
            .max_connection_age(age)
            .timeout(2 * idle)
            .serve_with_incoming_shutdown(
                service,
                stream::poll_fn(move |context| incoming.poll_recv(context)),
                async {
                    stop.await;
                    info!(streams = metrics.streams.get(), "stopping");
                    is_stopping.store(true, Relaxed);
                    health.stop(&[Flight::NAME]).await;
                    let _ = stopping.send(());
                },
            );
        let late = async {
            // Dropped if the transport ends by itself.
            let _ = stopped.await;
            tokio::select! {
                () = tokio::time::sleep(grace) => {}
                () = at_once => {}
            }
        };
        tokio::select! {
            served = transport => served.context("cannot serve")?,
            () = late => {}
        }
        observing.inspect(|observing| observing.abort());
        let streams = metrics.streams.get();
        if streams == 0 {
            info!("stopped");
        } else {
            warn!(streams, "stopped before all streams had ended");
        }
        Ok(streams == 0)
    }
}

/// Runs a server until SIGTERM or SIGINT. Returns whether all streams have ended.
///
/// # Errors
///
/// The server cannot be set up.
pub fn main(options: Options) -> Result<bool> {
    options.check()?;
    let backend = options.backend.unwrap_or_else(Backend::active);
    let metrics = Metrics::new(&options.limits.all(), backend.name());
    let log = Log::start(&options, metrics.lost_lines.clone())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let served = runtime.block_on(async {
        let server = Server::bind_with(options, metrics).await?;
        let Signals { stop, at_once } = signals::listen(server.reload.clone())?;
        let address = server.address()?;
        let scheme = if server.acceptor.is_some() { "grpc+tls" } else { "grpc" };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{scheme}://{address}")?;
        if let Some(address) = server.metrics_address() {
            writeln!(out, "http://{address}/metrics")?;
        }
        out.flush()?;
        drop(out);
        info!(%address, %backend, version = env!("CARGO_PKG_VERSION"), "listening");
        signals::tell(State::Ready);
        let stop = async {
            stop.notified().await;
            signals::tell(State::Stopping);
        };
        server.run(stop, async { at_once.notified().await }).await
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    log.end();
    served
}
