//! Connections of HTTP/1.1 and HTTP/2, until they end.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use futures_util::future::BoxFuture;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::sync::{mpsc, watch};
use tonic::body::Body;
use tower::Service;

use super::super::connection::listen::{ClientConnection, ConnectionLimits, HANDSHAKE};
use super::super::limits::{CONNECTION_WINDOW, FRAME, HEADERS, STREAM_WINDOW};

/// The most headers of a request.
pub const HEADER_COUNT: usize = 64;
/// The size of the read buffer of an HTTP/1.1 connection; headers must fit into it.
const BUFFER: usize = 128 << 10;

/// Marks a request over a connection that was accepted during shutdown.
#[derive(Clone, Copy)]
pub struct AfterShutdown;

/// The service, with the layers around it.
pub trait LayeredService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future = ResponseFuture> + Clone + Send + 'static
{
}

impl<S> LayeredService for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future = ResponseFuture>
        + Clone
        + Send
        + 'static
{
}

/// The age of a connection. HTTP/2 says that it takes no new requests. In HTTP/1.1, only an answer can say so: if a connection that
/// is idle were closed, the next request might be on its way, and the client would not know whether it was received.
#[derive(Default)]
struct ConnectionAge {
    is_over: AtomicBool,
    /// By the last request.
    is_http1: AtomicBool,
}

type ResponseFuture = BoxFuture<'static, Result<Response<Body>, Infallible>>;

/// Serves these connections, each until it ends or, once the service is shutting down, until its requests have ended. Then they have
/// dropped `serving`. Later ones get to know that the service is shutting down, until this is dropped.
pub async fn serve(
    mut accepted: mpsc::Receiver<std::io::Result<ClientConnection>>,
    service: impl LayeredService,
    most: ConnectionLimits,
    streams: u32,
    serving: mpsc::Sender<Infallible>,
    mut stopping: watch::Receiver<bool>,
) {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1()
        // A client may end its side once it has sent a request.
        .half_close(true)
        .timer(TokioTimer::new())
        .header_read_timeout(HANDSHAKE.min(most.idle))
        .max_headers(HEADER_COUNT)
        .max_buf_size(BUFFER);
    http.http2()
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(FRAME)
        .max_concurrent_streams(streams)
        .max_header_list_size(HEADERS)
        .keep_alive_interval((most.idle / 2).max(Duration::from_secs(10)));
    let mut serving = Some(serving);
    loop {
        let connection = tokio::select! {
            // Whoever comes after that is late.
            biased;
            _ = stopping.wait_for(|is_stopping| *is_stopping), if serving.is_some() => {
                serving = None;
                continue;
            }
            connection = accepted.recv() => connection,
        };
        let Some(connection) = connection else { return };
        let Ok(connection) = connection else { continue };
        let (http, service, serving, mut stopping) = (http.clone(), service.clone(), serving.clone(), stopping.clone());
        tokio::spawn(async move {
            let (peer, is_late) = (connection.peer(), serving.is_none());
            let age = Arc::new(ConnectionAge::default());
            let ages = age.clone();
            let service = hyper::service::service_fn(move |request: Request<Incoming>| {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(peer.clone());
                if is_late {
                    request.extensions_mut().insert(AfterShutdown);
                }
                let (is_http1, ages) = (request.version() < Version::HTTP_2, ages.clone());
                ages.is_http1.store(is_http1, Relaxed);
                let answer = service.clone().call(request);
                async move {
                    let mut answer = answer.await?;
                    if is_http1 && ages.is_over.load(Relaxed) {
                        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                    }
                    Ok::<_, Infallible>(answer)
                }
            });
            let mut connection = pin!(http.serve_connection(TokioIo::new(connection), service));
            let mut ending = pin!(async {
                tokio::select! {
                    // Too old, it takes no new requests.
                    () = tokio::time::sleep(most.age) => {}
                    _ = stopping.wait_for(|is_stopping| *is_stopping), if !is_late => return,
                }
                age.is_over.store(true, Relaxed);
                if age.is_http1.load(Relaxed) && !is_late {
                    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
                }
            });
            tokio::select! {
                _ = connection.as_mut() => return drop(serving),
                () = ending.as_mut() => connection.as_mut().graceful_shutdown(),
            }
            let _ = connection.await;
            drop(serving);
        });
    }
}
