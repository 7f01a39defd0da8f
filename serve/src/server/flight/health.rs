//! The health check of the service, by the standard protocol of gRPC, without authentication.
//!
//! <https://grpc.io/docs/guides/health-checking/>

use std::convert::Infallible;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyStream, StreamBody};
use tokio::sync::watch;
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health as Answers, HealthServer};
use tonic_health::server::{HealthReporter, HealthService};
use tower::Service;

use crate::server::streams::grpc::trailers;

/// The most bytes of a request: it names a service.
const MOST: usize = 1 << 10;

/// Answers checks of the health, and ends the answers to those who watch it when the service is shutting down.
#[derive(Clone)]
pub struct Health<S> {
    inner: S,
    stopping: watch::Receiver<bool>,
}

/// Tells when the service is shutting down.
pub struct Reporter {
    reporter: HealthReporter,
    stopping: watch::Sender<bool>,
}

/// The health of these services, which serve.
pub async fn serving(services: &[&str]) -> (Health<HealthServer<impl Answers>>, Reporter) {
    let (reporter, (sender, stopping)) = (HealthReporter::new(), watch::channel(false));
    let inner = HealthServer::new(HealthService::from_health_reporter(reporter.clone()));
    for service in services {
        reporter.set_service_status(service, ServingStatus::Serving).await;
    }
    (Health { inner: inner.max_decoding_message_size(MOST), stopping }, Reporter { reporter, stopping: sender })
}

impl Reporter {
    /// The service stops.
    pub async fn stop(self, services: &[&str]) {
        for service in services.iter().chain(&[""]) {
            self.reporter.set_service_status(service, ServingStatus::NotServing).await;
        }
        let _ = self.stopping.send(true);
    }
}

impl<S: NamedService> NamedService for Health<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Health<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let is_watched = request.uri().path().ends_with("/Watch");
        let (answer, mut stopping) = (self.inner.call(request), self.stopping.clone());
        Box::pin(async move {
            let Ok(answer) = answer.await;
            if !is_watched || answer.headers().contains_key("grpc-status") {
                return Ok(answer);
            }
            // The last status comes before the end.
            let stopped = async move {
                let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            };
            let end = Frame::trailers(trailers(Err(Status::unavailable("the service is shutting down"))));
            Ok(answer.map(|body| {
                let frames = BodyStream::new(body).take_until(Box::pin(stopped));
                Body::new(StreamBody::new(frames.chain(stream::iter([Ok(end)]))))
            }))
        })
    }
}
