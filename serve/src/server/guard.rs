//! What each request passes before it is served: who asks, how much, and how long it may take to say so.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use http::{Request, Response, header::AUTHORIZATION};
use prometheus::IntGauge;
use tonic::Status;
use tonic::body::Body;
use tower_service::Service;

use super::connections::Peer;
use super::flight::Flight;
use super::held::{Begun, MessageBudget, Metered};
use super::metrics::Metrics;
use super::tokens::Tokens;

/// Who asks: the name of a token, or without tokens an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// The name of a token.
    Named(Arc<str>),
    /// An address.
    At(IpAddr),
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Client::Named(name) => f.write_str(name),
            Client::At(address) => address.fmt(f),
        }
    }
}

/// The tokens that are taken now, if any are needed.
pub type SharedTokens = Option<Arc<RwLock<Arc<Tokens>>>>;

/// Lets requests through to the service.
#[derive(Clone)]
pub struct RequestGuard {
    /// The service.
    pub service: FlightServiceServer<Flight>,
    /// The tokens.
    pub tokens: SharedTokens,
    /// The bytes that may be held.
    pub budget: MessageBudget,
    /// How long a client may be silent.
    pub idle: Duration,
    /// What is counted.
    pub metrics: Metrics,
}

impl RequestGuard {
    /// Who asks, if that is known.
    fn client(&self, request: &Request<Body>) -> Option<Client> {
        let Some(tokens) = &self.tokens else {
            let peer = request.extensions().get::<Peer>()?;
            return Some(Client::At(peer.0.ip()));
        };
        let value = request.headers().get(AUTHORIZATION)?.as_bytes();
        let (scheme, token) = value.split_at_checked("Bearer ".len())?;
        let tokens = tokens.read().expect("nothing panics while it is locked").clone();
        let name = scheme.eq_ignore_ascii_case(b"Bearer ").then(|| tokens.name(token))??;
        Some(Client::Named(name))
    }
}

impl Service<Request<Body>> for RequestGuard {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Some(client) = self.client(&request) else {
            self.metrics.refused.with_label_values(&["token"]).inc();
            let status = Status::unauthenticated("a bearer token is needed that this server knows");
            return Box::pin(async move { Ok(status.into_http()) });
        };
        let begun = Begun::default();
        request.extensions_mut().insert(client);
        request.extensions_mut().insert(begun.clone());
        let request = request.map(|body| Body::new(Metered::new(body, self.budget.clone(), begun)));
        let (idle, answer) = (self.idle, self.service.call(request));
        Box::pin(async move {
            let late = || Status::deadline_exceeded("the request did not come in time").into_http();
            Ok(tokio::time::timeout(idle, answer)
                .await
                .unwrap_or_else(|_| Ok(late()))
                .unwrap_or_else(|never| match never {}))
        })
    }
}

/// The streams that are open.
#[derive(Clone)]
pub struct Streams {
    open: Arc<Mutex<HashMap<Client, u32>>>,
    gauge: IntGauge,
    most: u32,
    most_of_client: u32,
}

impl Streams {
    /// No stream is open yet. `most` may be open in all, `most_of_client` for one client.
    pub fn new(most: u32, most_of_client: u32, gauge: IntGauge) -> Streams {
        Streams { open: Arc::default(), gauge, most, most_of_client }
    }

    /// Opens a stream of this client, until the result is dropped. The error says which limit was reached.
    pub fn open(&self, client: Client) -> Result<OpenStream, (&'static str, u32)> {
        let mut open = self.open.lock().expect("nothing panics while it is locked");
        if self.gauge.get() >= i64::from(self.most) {
            return Err(("streams", self.most));
        }
        let of_client = open.entry(client.clone()).or_default();
        if *of_client >= self.most_of_client {
            return Err(("client_streams", self.most_of_client));
        }
        *of_client += 1;
        self.gauge.inc();
        Ok(OpenStream { streams: self.clone(), client })
    }
}

/// An open stream.
pub struct OpenStream {
    streams: Streams,
    client: Client,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().expect("nothing panics while it is locked");
        if let Some(of_client) = open.get_mut(&self.client) {
            *of_client -= 1;
            if *of_client == 0 {
                open.remove(&self.client);
            }
        }
        self.streams.gauge.dec();
    }
}
