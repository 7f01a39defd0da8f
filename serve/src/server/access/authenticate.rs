//! The layer that authenticates clients.

use std::convert::Infallible;
use std::sync::{Arc, RwLock};
use std::task::{Context, Poll};

use futures_util::future::{BoxFuture, ready};
use http::{Request, Response, StatusCode, header::AUTHORIZATION};
use tonic::Code;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

use super::tokens::Tokens;
use crate::server::connection::client::{Client, Peer, counted};
use crate::server::monitoring::metrics::Metrics;
use crate::server::monitoring::request_log::Record;
use crate::server::refusal::{Protocol, Refusal};

/// The tokens that are taken now, if any are needed.
pub type SharedTokens = Option<Arc<RwLock<Arc<Tokens>>>>;

/// Passes requests of known clients to the service, with the identity of the client.
#[derive(Clone)]
pub struct Authenticate<S> {
    /// The service.
    pub inner: S,
    /// The tokens.
    pub tokens: SharedTokens,
    /// The metrics.
    pub metrics: Metrics,
    /// How other requests are refused.
    pub protocol: Protocol,
}

impl<S> Authenticate<S> {
    /// Who asks, if that is known.
    fn client(&self, request: &Request<Body>) -> Option<Client> {
        let Some(tokens) = &self.tokens else {
            let peer = request.extensions().get::<Peer>()?;
            return Some(Client::At(counted(peer.address.ip())));
        };
        let value = request.headers().get(AUTHORIZATION)?.as_bytes();
        let (scheme, token) = value.split_at_checked("Bearer ".len())?;
        let tokens = tokens.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let name = scheme.eq_ignore_ascii_case(b"Bearer ").then(|| tokens.name(token))??;
        Some(Client::Named(name))
    }
}

impl<S: NamedService> NamedService for Authenticate<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Authenticate<S>
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

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Some(client) = self.client(&request) else {
            self.metrics.refused("token");
            let message = "missing or unknown bearer token";
            let refusal = Refusal::new(Code::Unauthenticated, StatusCode::UNAUTHORIZED, message);
            return Box::pin(ready(Ok(self.protocol.refuse(refusal))));
        };
        if let Some(record) = request.extensions().get::<Arc<Record>>() {
            let _ = record.client.set(client.clone());
        }
        request.extensions_mut().insert(client);
        Box::pin(self.inner.call(request))
    }
}
