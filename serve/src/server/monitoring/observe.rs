//! The HTTP endpoints for operators: metrics and health.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tracing::{debug, warn};

use super::metrics::Metrics;

/// Connections at a time.
const CONNECTIONS: usize = 256;
/// How long a client may take for its request, and for the whole.
const HEADERS: Duration = Duration::from_secs(1);
const WHOLE: Duration = Duration::from_secs(2);

/// Answers `/metrics` and `/healthz`.
pub async fn serve(listener: TcpListener, metrics: Metrics, is_stopping: Arc<AtomicBool>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
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
        let (metrics, is_stopping) = (metrics.clone(), is_stopping.clone());
        tokio::spawn(async move {
            let answer = hyper::service::service_fn(|request: Request<Incoming>| {
                let (status, text) = match (request.method(), request.uri().path()) {
                    (&Method::GET, "/metrics") => (StatusCode::OK, metrics.text()),
                    (&Method::GET, "/healthz") if is_stopping.load(Relaxed) => {
                        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned())
                    }
                    (&Method::GET, "/healthz") => (StatusCode::OK, "serving\n".to_owned()),
                    _ => (StatusCode::NOT_FOUND, "expected GET /metrics or GET /healthz\n".to_owned()),
                };
                let mut answer = Response::new(text);
                *answer.status_mut() = status;
                let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
                answer.headers_mut().insert(CONTENT_TYPE, kind);
                std::future::ready(Ok::<_, Infallible>(answer))
            });
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADERS).keep_alive(false);
            let served = tokio::time::timeout(WHOLE, http.serve_connection(TokioIo::new(stream), answer)).await;
            if !matches!(served, Ok(Ok(()))) {
                debug!("a request for metrics was not finished");
            }
            drop(permit);
        });
    }
}
