//! The identity of clients, and their open streams.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, PoisonError};

use prometheus::IntGauge;

use crate::server::limits::patience::Pause;
use crate::server::monitoring::metrics::Metrics;
use crate::server::refusal::Refusal;

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

/// The other end of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// The number of the connection, from 1.
    pub connection: u64,
    /// While the server leaves one stream of this connection unread, the others may be late: they share a window.
    pub unread: Arc<Pause>,
    /// How many of its calls were more than its client may make.
    pub refused: Arc<AtomicU32>,
    /// Whether the connection is to be closed.
    pub is_cut: Arc<AtomicBool>,
}

/// The address by which limits are counted. One machine has 2^64 addresses of IPv6, so the first half counts.
pub fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// The open streams and calls.
#[derive(Clone, Copy)]
enum OpenKind {
    Streams,
    /// Single answers.
    Calls,
    /// Windows of zstd.
    Windows,
}

/// The streams that are open.
#[derive(Clone)]
pub struct Streams {
    open: Arc<Mutex<HashMap<Client, u32>>>,
    gauge: IntGauge,
    metrics: Metrics,
    what: OpenKind,
    most: u32,
    most_of_client: u32,
}

impl Streams {
    /// No stream is open yet. `most` may be open in all, `most_of_client` for one client.
    pub fn new(most: u32, most_of_client: u32, metrics: Metrics) -> Streams {
        let gauge = metrics.streams.clone();
        Streams { open: Arc::default(), gauge, metrics, what: OpenKind::Streams, most, most_of_client }
    }

    /// The same for calls with a single answer, with the same limit per client.
    pub fn of_calls(most_of_client: u32, metrics: Metrics) -> Streams {
        let gauge = metrics.calls.clone();
        Streams { open: Arc::default(), gauge, metrics, what: OpenKind::Calls, most: u32::MAX, most_of_client }
    }

    /// The same for windows of zstd. One client may have half of them.
    pub fn of_windows(most: u32, metrics: Metrics) -> Streams {
        let gauge = IntGauge::new("windows", "Windows of zstd").expect("the name is valid");
        Streams {
            open: Arc::default(),
            gauge,
            metrics,
            what: OpenKind::Windows,
            most,
            most_of_client: most.div_ceil(2),
        }
    }

    /// Opens a stream of this client, until the result is dropped.
    pub fn open(&self, client: Client) -> Result<OpenStream, Refusal> {
        self.try_open(client).map_err(|(limit, most)| {
            let (refused, what) = match self.what {
                OpenKind::Streams => (limit, "streams"),
                OpenKind::Calls => {
                    self.metrics.refused("calls");
                    return Refusal::too_many(format!("expected at most {most} concurrent calls"));
                }
                OpenKind::Windows => ("windows", "bodies in zstd"),
            };
            self.metrics.refused(refused);
            match limit {
                "streams" => Refusal::busy(format!("at most {most} {what} are served at a time")),
                _ => Refusal::too_many(format!("at most {most} {what} of one client are served at a time")),
            }
        })
    }

    /// The error says which limit was reached.
    fn try_open(&self, client: Client) -> Result<OpenStream, (&'static str, u32)> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if self.gauge.get() >= i64::from(self.most) {
            return Err(("streams", self.most));
        }
        let of_client = open.get(&client).copied().unwrap_or_default();
        if of_client >= self.most_of_client {
            return Err(("client_streams", self.most_of_client));
        }
        open.insert(client.clone(), of_client + 1);
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
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_client) = open.get_mut(&self.client) {
            *of_client -= 1;
            if *of_client == 0 {
                open.remove(&self.client);
            }
        }
        self.streams.gauge.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_counts_as_one() {
        for (address, expected) in [
            ("10.1.2.3", "10.1.2.3"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("::1", "::1"),
        ] {
            assert_eq!(counted(address.parse().unwrap()), expected.parse::<IpAddr>().unwrap());
        }
    }
}
