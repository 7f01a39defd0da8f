//! Rate limits per client, and the layer that applies them to calls.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use futures_util::future::{BoxFuture, ready};
use http::{Request, Response};
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

use crate::server::connection::client::{Client, Peer};
use crate::server::monitoring::metrics::Metrics;
use crate::server::refusal::{Protocol, Refusal};

/// A connection is closed after so many calls that were refused: even that takes time, which others need.
pub const REFUSED: u32 = 1000;

/// The rates of clients: each may save up one second's worth.
#[derive(Clone)]
pub struct Rates {
    per_second: u32,
    buckets: Arc<Mutex<HashMap<Client, Bucket>>>,
}

/// A token bucket, <https://en.wikipedia.org/wiki/Token_bucket>.
struct Bucket {
    saved: f64,
    at: Instant,
    refused: u64,
}

impl Rates {
    /// Each client may do it so often per second.
    pub fn new(per_second: u32) -> Rates {
        Rates { per_second, buckets: Arc::default() }
    }

    /// If this client may do it now: how often it was refused since it last was not. Otherwise: how often per second it may.
    pub fn take(&self, client: &Client) -> Result<u64, u32> {
        /// From this many on, clients with a full allowance are forgotten.
        const MANY: usize = 1024;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, most) = (Instant::now(), f64::from(self.per_second));
        let saved = |bucket: &Bucket| most.min(bucket.saved + most * (now - bucket.at).as_secs_f64());
        if buckets.len() >= MANY && buckets.len().is_power_of_two() && !buckets.contains_key(client) {
            buckets.retain(|_, bucket| saved(bucket) < most);
        }
        let new = || Bucket { saved: most, at: now, refused: 0 };
        let bucket = buckets.entry(client.clone()).or_insert_with(new);
        (bucket.saved, bucket.at) = (saved(bucket), now);
        if bucket.saved < 1.0 {
            bucket.refused += 1;
            return Err(self.per_second);
        }
        bucket.saved -= 1.0;
        Ok(std::mem::take(&mut bucket.refused))
    }
}

/// Refuses calls of clients that call too often.
#[derive(Clone)]
pub struct LimitRate<S> {
    /// The service.
    pub inner: S,
    /// How often clients may call.
    pub calls: Rates,
    /// The metrics.
    pub metrics: Metrics,
    /// How clients are refused.
    pub protocol: Protocol,
}

impl<S: NamedService> NamedService for LimitRate<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for LimitRate<S>
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
        if let Some(Err(most)) = request.extensions().get::<Client>().map(|client| self.calls.take(client)) {
            self.metrics.refused("client_calls");
            if let Some(peer) = request.extensions().get::<Peer>()
                && peer.refused.fetch_add(1, Relaxed) >= REFUSED
            {
                peer.is_cut.store(true, Relaxed);
            }
            let message = format!("at most {most} calls per second of one client are served");
            return Box::pin(ready(Ok(self.protocol.refuse(Refusal::too_many(message)))));
        }
        Box::pin(self.inner.call(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_rate() {
        let rates = Rates::new(5);
        let [ann, bob] = ["ann", "bob"].map(|name| Client::Named(name.into()));
        let taken = (0..100).filter(|_| rates.take(&ann).is_ok()).count();
        assert!((5..8).contains(&taken), "{taken}");
        assert_eq!(rates.take(&bob), Ok(0));
        std::thread::sleep(std::time::Duration::from_millis(250));
        let before = rates.take(&ann).unwrap();
        assert!((92..=95).contains(&before), "{before}");
    }

    #[test]
    fn clients_that_have_gone_are_forgotten() {
        let rates = Rates::new(1_000_000);
        for index in 0..100_000 {
            let _ = rates.take(&Client::Named(index.to_string().into()));
        }
        assert!(rates.buckets.lock().unwrap().len() < 10_000);
    }
}
