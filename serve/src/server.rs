//! The network service.
//!
//! `listen` accepts connections. Each request passes the layers `request_log`, `authenticate` and `rates` on its way to
//! `flight`, which answers single messages, and streams by `exchange`. Health checks pass only `request_log`, and reflection
//! also `authenticate`.

mod access;
mod connection;
mod flight;
mod http;
mod limits;
mod monitoring;
mod options;
mod pool;
mod refusal;
mod signals;
mod streams;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use futures_util::stream;
use slider_attacks::Backend;
use slider_attacks_rows::memory::{install_limits, return_free};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::Server as Transport;
use tower::Layer;
use tower::util::Either;
use tower_http::cors::Cors;
use tracing::{info, warn};

use access::authenticate::Authenticate;
use access::credentials;
use access::credentials::Watch;
use access::tokens::Tokens;
use connection::client::Streams;
use connection::listen::{self, Acceptor, Open};
use connection::tls;
use flight::{Flight, health, reflection};
use http::{HtmlPage, Http, PublicRoutes, RouterService};
use limits::budget::{self, Budget};
use limits::patience::Patience;
use limits::rates::{LimitRate, Rates};
use limits::{CONNECTION_WINDOW, FRAME, HEADERS, STREAM_WINDOW};
use monitoring::log::Log;
pub use monitoring::log::last_words;
use monitoring::metrics::Metrics;
use monitoring::observe;
use monitoring::request_log::{RequestCounters, RequestRecorder};
use options::TEXT_BYTES;
pub use options::{Limits, LogForm, LogLevel, Options};
use pool::FairPool;
use refusal::Protocol;
use signals::{ServiceState, Signals};
use streams::coding;
use streams::exchange::Exchanges;
use streams::working_body::Driver;

/// How long a client of HTTP may take to close a connection that the server has closed.
const LINGER: Duration = Duration::from_secs(5);
/// The allocator of GNU keeps all free blocks but those of this many bytes, and this many bytes at the end of an arena. By itself, it
/// returns the memory of many a message, and the system clears it for the next one: a sixth of all processor time for batches of 2 MiB.
const LARGE: i32 = 32 << 20;
const KEPT: i32 = 16 << 20;
/// Beyond [`LARGE`] and [`KEPT`], free memory is returned once this many bytes less are held than before.
const RETURNED: i64 = 16 << 20;
/// Lines of the log per second that one client may cause.
const CLIENT_LINES: u32 = 50;

/// The layers of an HTTP request, behind the first one.
type Layers = Either<
    Cors<PublicRoutes<Authenticate<LimitRate<RouterService>>>>,
    PublicRoutes<Authenticate<LimitRate<RouterService>>>,
>;

/// A server that has its ports.
pub struct Server {
    options: Options,
    listener: TcpListener,
    observed: Option<TcpListener>,
    http: Option<(TcpListener, RequestRecorder<Layers>)>,
    /// For gRPC, and for HTTP.
    acceptors: [Option<tokio_rustls::TlsAcceptor>; 2],
    is_stopping: Arc<AtomicBool>,
    service: RequestRecorder<Routes>,
    driver: Driver,
    pool: Arc<FairPool>,
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
        let acceptors = match (&options.tls_cert, &options.tls_key) {
            (Some(cert), Some(key)) => {
                let (acceptors, watching) = tls::acceptors(cert.clone(), key.clone(), watch.clone())?;
                tokio::spawn(watching);
                acceptors.map(Some)
            }
            _ => [None, None],
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
            of_message: limits.message_bytes.max(if options.http.is_some() { TEXT_BYTES } else { 0 }).into(),
        };
        let pool = Arc::new(FairPool::new(threads.map_or(1, std::num::NonZero::get), metrics.work.clone())?);
        let shared = Exchanges {
            backend,
            pool: pool.clone(),
            batch_rows: limits.batch_rows as usize,
            budget: Budget::new(most, limits.hold, metrics.clone()),
            patience: Patience::new(limits.idle, limits.least_rate),
            metrics: metrics.clone(),
        };
        let driver = Driver::new(limits.idle, limits.least_rate, limits.hold);
        tokio::spawn(driver.clone().watch());
        let flight = Flight {
            driver: driver.clone(),
            shared: Arc::new(shared),
            streams: Streams::new(limits.streams, limits.client_streams, metrics.clone()),
            calls: Streams::of_calls(limits.client_streams, metrics.clone()),
            message_bytes: limits.message_bytes as usize,
            most_waiting: limits.idle,
        };
        let notes = Arc::new(RequestCounters {
            metrics: metrics.clone(),
            lines: Rates::new(CLIENT_LINES),
            requests: AtomicU64::new(0),
        });
        let (calls, is_stopping) = (Rates::new(limits.client_calls), Arc::new(AtomicBool::new(false)));
        let http = match options.http {
            Some(address) => {
                let page = options.page.as_ref().map(|path| {
                    let page = HtmlPage::new(credentials::read(path)?);
                    page.with_context(|| format!("cannot read {}", path.display()))
                });
                let protocol = Protocol::Http;
                let open = Http {
                    shared: flight.shared.clone(),
                    streams: flight.streams.clone(),
                    windows: Streams::of_windows(coding::most_windows(limits.held_bytes), metrics.clone()),
                    driver: flight.driver.clone(),
                    calls: flight.calls.clone(),
                    message_bytes: flight.message_bytes,
                    most_waiting: flight.most_waiting,
                    is_stopping: is_stopping.clone(),
                    page: page.transpose()?,
                };
                let open = open.routed();
                let limited =
                    LimitRate { inner: open.clone(), calls: calls.clone(), metrics: metrics.clone(), protocol };
                let (tokens, metrics) = (tokens.clone(), metrics.clone());
                let front = PublicRoutes { known: Authenticate { inner: limited, tokens, metrics, protocol }, open };
                let inner = match options.cors.clone() {
                    Some(origin) => Either::Left(http::cors(origin).layer(front)),
                    None => Either::Right(front),
                };
                Some((bind(address).await?, RequestRecorder { inner, notes: notes.clone(), protocol }))
            }
            None => None,
        };
        let protocol = Protocol::Grpc;
        let limited = LimitRate { inner: flight, calls, metrics: metrics.clone(), protocol };
        let known = Authenticate { inner: limited, tokens: tokens.clone(), metrics: metrics.clone(), protocol };
        let (served, health) = health::serving(&[Flight::NAME]).await;
        let mut routes = Routes::new(served).add_service(known);
        if options.reflection {
            let inner = reflection::service()?;
            routes = routes.add_service(Authenticate { inner, tokens, metrics, protocol });
        }
        let routes = routes.prepare();
        let service = RequestRecorder { inner: routes, notes, protocol };
        let observed = match options.metrics {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        let listener = bind(options.listen).await?;
        Ok(Server { listener, observed, http, acceptors, is_stopping, service, driver, pool, health, reload, options })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// The operating system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        Ok(self.listener.local_addr()?)
    }

    /// Where it serves JSON and others.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http.as_ref()?.0.local_addr().ok()
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
        let Server { options, listener, observed, http, acceptors, is_stopping, service, driver, health, .. } = self;
        let [grpc_tls, http_tls] = acceptors;
        let Limits { connections, address_connections, connection_age: age, client_streams, idle, grace, .. } =
            options.limits;
        let metrics = service.notes.metrics.clone();
        let observing =
            observed.map(|listener| tokio::spawn(observe::serve(listener, metrics.clone(), is_stopping.clone())));
        let (accepted, mut incoming) = mpsc::channel(1);
        // A stream is cut off before its connection, so that the client gets to know why.
        let (linger, opened) = (Duration::MAX, Open::default());
        let most =
            listen::ConnectionLimits { all: connections, of_address: address_connections, idle: 2 * idle, age, linger };
        let acceptor = Acceptor { listener, tls: grpc_tls, most, opened: opened.clone(), metrics: metrics.clone() };
        tokio::spawn(acceptor.run(accepted));
        let (stopping, stopped) = watch::channel(false);
        let stops = stopped.clone();
        let (serving, mut drained) = mpsc::channel(1);
        let serving = http.map(|(listener, service)| {
            let (accepted, incoming) = mpsc::channel(1);
            let most = listen::ConnectionLimits { linger: LINGER.min(idle), ..most };
            tokio::spawn(Acceptor { listener, tls: http_tls, most, opened, metrics: metrics.clone() }.run(accepted));
            let streams = client_streams.saturating_add(16);
            tokio::spawn(http::serve(incoming, service, most, streams, serving, stops))
        });
        let transport = Transport::builder()
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(FRAME)
            .max_concurrent_streams(client_streams.saturating_add(16))
            .http2_max_header_list_size(HEADERS)
            .http2_keepalive_interval(Some(idle.max(Duration::from_secs(10))))
            // As hyper has it on the port of HTTP.
            .http2_max_local_error_reset_streams(Some(1024))
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
                    let _ = stopping.send(true);
                },
            );
        let late = async {
            // Dropped if the transport ends by itself.
            let mut stopped = stopped;
            let _ = stopped.wait_for(|is_stopping| *is_stopping).await;
            tokio::select! {
                () = tokio::time::sleep(grace) => {}
                () = at_once => {}
                // Whoever does not close its connection gets nothing more.
                () = driver.all_taken() => {}
            }
        };
        let served = async {
            let served = transport.await;
            // Until then, the port of HTTP says that the service is shutting down.
            let _ = drained.recv().await;
            served
        };
        tokio::select! {
            served = served => served.context("cannot serve")?,
            () = late => {}
        }
        observing.inspect(|observing| observing.abort());
        serving.inspect(|serving| serving.abort());
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
/// It sets up the process: limits of the allocator, the log, a panic hook, and handlers of signals.
///
/// # Errors
///
/// The server cannot be set up.
pub fn main(options: Options) -> Result<bool> {
    options.check()?;
    install_limits(LARGE, KEPT);
    let backend = options.backend.unwrap_or_else(Backend::active);
    let metrics = Metrics::new(&options.limits.all(), backend.name());
    let log = Log::start(&options, metrics.lost_lines.clone())?;
    monitoring::log::install_panic_log();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let served = runtime.block_on(async {
        let server = Server::bind_with(options, metrics.clone()).await?;
        tokio::spawn(return_memory(metrics, server.pool.clone()));
        let Signals { stop, at_once } = signals::listen(server.reload.clone())?;
        let address = server.address()?;
        let scheme = if server.acceptors[0].is_some() { "grpc+tls" } else { "grpc" };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{scheme}://{address}")?;
        if let Some(address) = server.http_address() {
            let scheme = if server.acceptors[1].is_some() { "https" } else { "http" };
            writeln!(out, "{scheme}://{address}")?;
        }
        if let Some(address) = server.metrics_address() {
            writeln!(out, "http://{address}/metrics")?;
        }
        out.flush()?;
        drop(out);
        info!(%address, %backend, version = env!("CARGO_PKG_VERSION"), "listening");
        signals::tell(ServiceState::Ready);
        let stop = async {
            stop.notified().await;
            signals::tell(ServiceState::Stopping);
        };
        server.run(stop, async { at_once.notified().await }).await
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    log.end();
    served
}

/// Has free memory returned to the system when what is held has fallen, or much work is over, and does not soon begin again: a
/// steady load gets back the memory that it had, without the time to clear it.
async fn return_memory(metrics: Metrics, pool: Arc<FairPool>) {
    const LOOK: Duration = Duration::from_millis(200);
    const LOOKS: usize = 5;
    /// So many seconds of work in a second are little, and so many since memory was returned are much.
    const LITTLE: f64 = 0.1;
    const MUCH: f64 = 0.5;
    let (mut most, mut last) = (0, [0; LOOKS]);
    // How much work was done at the last looks, and when memory was returned: each thread keeps what it took to do that.
    let (mut worked, mut returned) = ([0.0; LOOKS], 0.0);
    for look in (0..LOOKS).cycle() {
        tokio::time::sleep(LOOK).await;
        // A connection holds what its client may send ahead.
        last[look] = metrics.held.get() + (metrics.connections.get() << 20);
        let lately = last.into_iter().max().unwrap_or_default();
        most = lately.max(most);
        let now = metrics.work.get_sample_sum();
        let before = std::mem::replace(&mut worked[look], now);
        if most - lately >= RETURNED || now - before < LITTLE && now - returned >= MUCH {
            (most, returned) = (lately, now);
            let pool = pool.clone();
            let _ = tokio::task::spawn_blocking(move || return_free(KEPT, |call| pool.on_each_thread(call))).await;
        }
    }
}
