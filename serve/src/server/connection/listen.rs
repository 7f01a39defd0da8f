//! Accepts connections, and cuts them off.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::consume_budget;
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tonic::transport::server::Connected;
use tracing::{debug, warn};

use super::client::{Peer, counted};
use crate::server::monitoring::metrics::Metrics;

/// How long a client may take to agree on keys, and then to begin HTTP/2.
pub const HANDSHAKE: Duration = Duration::from_secs(10);
/// The first bytes of HTTP/2, which are always the same.
const PREFACE: u64 = 24;
/// A connection is idle if fewer bytes move. Pings, and their answers, are fewer.
const MOVING: u64 = 1 << 10;

/// After this many bytes of one connection, others have their turn: a 128th part is a unit of what a task may do before it yields.
/// Tokio would let it read so often, however much comes each time.
const TURN: usize = 16 << 10;

/// Bytes in both directions.
trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// How many connections there may be, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// The total number.
    pub all: u32,
    /// The number of one address.
    pub of_address: u32,
    /// How long almost nothing may move.
    pub idle: Duration,
    /// How long they may last.
    pub age: Duration,
    /// How long a client may take to close after the server has.
    pub linger: Duration,
}

/// The connections that are open.
#[derive(Clone, Default)]
pub struct Open(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    /// The number of the last connection.
    number: u64,
    all: u32,
    /// For each address, how many there are, and how many of them have not begun HTTP/2.
    addresses: HashMap<IpAddr, (u32, u32)>,
}

impl Open {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next connection.
    fn next(&self) -> u64 {
        let mut counts = self.counts();
        counts.number += 1;
        counts.number
    }

    /// Opens a connection, until the result is dropped. The error says which limit was reached.
    fn open(&self, address: IpAddr, most: ConnectionLimits) -> Result<OpenConnection, &'static str> {
        let address = counted(address);
        let mut counts = self.counts();
        let (of_address, pending) = counts.addresses.get(&address).copied().unwrap_or_default();
        for (count, most, limit) in [
            (counts.all, most.all, "connections"),
            (of_address, most.of_address, "address_connections"),
            // A half of them may not have begun HTTP/2.
            (pending, most.of_address.div_ceil(2), "handshakes"),
        ] {
            if count >= most {
                return Err(limit);
            }
        }
        counts.all += 1;
        counts.addresses.insert(address, (of_address + 1, pending + 1));
        Ok(OpenConnection { open: self.clone(), address, is_pending: true })
    }
}

/// An open connection.
struct OpenConnection {
    open: Open,
    address: IpAddr,
    /// It has not begun HTTP/2.
    is_pending: bool,
}

impl OpenConnection {
    fn began(&mut self) {
        if std::mem::take(&mut self.is_pending)
            && let Some((_, pending)) = self.open.counts().addresses.get_mut(&self.address)
        {
            *pending -= 1;
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.began();
        let mut counts = self.open.counts();
        counts.all -= 1;
        if let Some((of_address, _)) = counts.addresses.get_mut(&self.address) {
            *of_address -= 1;
            if *of_address == 0 {
                counts.addresses.remove(&self.address);
            }
        }
    }
}

/// A connection that ends with an error if almost nothing moves for long, or if it is too old.
pub struct ClientConnection {
    io: Box<dyn ByteStream>,
    peer: Peer,
    most: ConnectionLimits,
    opened: Instant,
    /// How many bytes came.
    came: u64,
    /// How many bytes moved since then.
    moved: u64,
    since: Instant,
    timer: Pin<Box<Sleep>>,
    open: OpenConnection,
    /// Since when nothing more is written.
    shut: Option<Instant>,
    metrics: Metrics,
}

impl ClientConnection {
    /// When it is to be looked at, and until when it may last.
    fn deadlines(&self) -> (Instant, Instant) {
        let handshake = HANDSHAKE.min(self.most.idle);
        let idle = if self.open.is_pending { self.opened + handshake } else { self.since + self.most.idle };
        // A connection that is too old takes no new streams. Those that it has get the same time again.
        let end = self.opened + 2 * self.most.age;
        (idle, self.shut.and_then(|shut| shut.checked_add(self.most.linger)).map_or(end, |late| late.min(end)))
    }

    /// Notes that this many bytes moved, or looks at the time if none did.
    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if self.peer.is_cut.load(Relaxed) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if let Poll::Ready(result) = moved {
            if let Ok(result) = &result {
                self.moved += bytes(result) as u64;
            }
            return Poll::Ready(result);
        }
        loop {
            ready!(self.timer.as_mut().poll(context));
            let (now, (idle, end)) = (Instant::now(), self.deadlines());
            if idle <= now && !self.open.is_pending && self.moved >= MOVING {
                (self.moved, self.since) = (0, now);
            } else if idle.min(end) <= now {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let (idle, end) = self.deadlines();
            self.timer.as_mut().reset(idle.min(end));
        }
    }
}

impl AsyncRead for ClientConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        let came = buffer.filled().len() - before;
        self.came += came as u64;
        for _ in 0..came / (TURN / 128) {
            if pin!(consume_budget()).poll(context).is_pending() {
                break;
            }
        }
        if self.open.is_pending && self.came >= PREFACE {
            self.open.began();
            // Its first idle time begins now, and counts as used.
            (self.moved, self.since) = (MOVING, Instant::now());
        }
        self.check(context, read, |()| came)
    }
}

impl AsyncWrite for ClientConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.check(context, written, |count| *count)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(context, slices);
        self.check(context, written, |count| *count)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.io).poll_flush(context);
        self.check(context, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.shut.is_none() {
            let shut = Pin::new(&mut self.io).poll_shutdown(context);
            if ready!(self.check(context, shut, |()| 0)).is_err() {
                return Poll::Ready(Ok(()));
            }
            self.shut = Some(Instant::now());
            let (idle, end) = self.deadlines();
            self.timer.as_mut().reset(idle.min(end));
        }
        // If bytes of the client came to a socket that is closed, its system would throw away what the client has not read yet:
        // the last answers. So they are taken until the client closes as well.
        let mut room = [0; 4096];
        loop {
            // Even if it never stops to send.
            if self.deadlines().1 <= Instant::now() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut room);
            match ready!(self.as_mut().poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl ClientConnection {
    /// Who is at the other end.
    pub fn peer(&self) -> Peer {
        self.peer.clone()
    }
}

impl Connected for ClientConnection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        debug!(connection = self.peer.connection, peer = %self.peer.address, "connection closed");
        self.metrics.connections.dec();
    }
}

/// Accepts connections, and hands them over once keys are agreed on.
pub struct Acceptor {
    /// Where they come from.
    pub listener: TcpListener,
    /// How keys are agreed on.
    pub tls: Option<TlsAcceptor>,
    /// How many there may be.
    pub most: ConnectionLimits,
    /// Those that are open, here and elsewhere.
    pub opened: Open,
    /// The metrics.
    pub metrics: Metrics,
}

impl Acceptor {
    /// Accepts connections until the receiver is dropped.
    pub async fn run(self, accepted: mpsc::Sender<io::Result<ClientConnection>>) {
        let Acceptor { listener, tls, most, opened, metrics } = self;
        loop {
            let (stream, address) = loop {
                tokio::select! {
                    () = accepted.closed() => return,
                    connection = listener.accept() => match connection {
                        Ok(connection) => break connection,
                        Err(error) => {
                            // For instance, there are no descriptors left.
                            warn!(%error, "cannot accept a connection");
                            sleep(Duration::from_millis(100)).await;
                        }
                    },
                }
            };
            let connection = opened.next();
            let peer =
                Peer { address, connection, unread: Arc::default(), refused: Arc::default(), is_cut: Arc::default() };
            let open = match opened.open(address.ip(), most) {
                Ok(open) => open,
                Err(limit) => {
                    metrics.refused(limit);
                    debug!(connection, peer = %address, limit, "connection refused");
                    continue;
                }
            };
            debug!(connection, peer = %address, "connection opened");
            let (tls, metrics, accepted) = (tls.clone(), metrics.clone(), accepted.clone());
            tokio::spawn(async move {
                let now = Instant::now();
                // A connection is idle after twice the time of the option.
                let io = match agreed(stream, tls, HANDSHAKE.min(most.idle / 2)).await {
                    Ok(io) => io,
                    Err(error) => {
                        metrics.refused("tls");
                        return debug!(connection, peer = %address, %error, "the TLS handshake failed");
                    }
                };
                metrics.connections.inc();
                let timer = Box::pin(sleep_until(now + HANDSHAKE.min(most.idle)));
                let (opened, since) = (now, now);
                let connection = ClientConnection {
                    io,
                    peer,
                    most,
                    opened,
                    came: 0,
                    moved: 0,
                    since,
                    timer,
                    open,
                    shut: None,
                    metrics,
                };
                let _ = accepted.send(Ok(connection)).await;
            });
        }
    }
}

/// The connection once keys are agreed on, for which the client may take so long.
async fn agreed(stream: TcpStream, tls: Option<TlsAcceptor>, most: Duration) -> io::Result<Box<dyn ByteStream>> {
    // A connection on which it fails ends by itself.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    Ok(Box::new(timeout(most, tls.accept(stream)).await??))
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::SocketAddr;

    use super::*;

    #[test]
    fn an_address_has_its_share() {
        let (idle, age, linger) = (Duration::MAX, Duration::MAX, Duration::MAX);
        let most = ConnectionLimits { all: 100, of_address: 40, idle, age, linger };
        let opened = Open::default();
        let [one, two]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let mut open = Vec::new();
        while let Ok(connection) = opened.open(one, most) {
            open.push(connection);
        }
        assert_eq!((open.len(), opened.open(one, most).err()), (20, Some("handshakes")));
        open.iter_mut().for_each(OpenConnection::began);
        while let Ok(connection) = opened.open(one, most) {
            open.push(connection);
        }
        assert_eq!((open.len(), opened.open(one, most).err()), (40, Some("address_connections")));
        assert!(opened.open(two, most).is_ok());
        drop(open);
        let counts = opened.counts();
        assert_eq!((counts.all, counts.addresses.len()), (0, 0));
    }

    /// However much comes, others have their turn.
    #[tokio::test]
    async fn a_connection_yields() {
        let long = Duration::from_secs(3600);
        let most = ConnectionLimits { all: 1, of_address: 1, idle: long, age: long, linger: long };
        let (address, now) = (SocketAddr::from(([127, 0, 0, 1], 1)), Instant::now());
        let mut connection = ClientConnection {
            io: Box::new(tokio::io::join(tokio::io::repeat(1), tokio::io::sink())),
            peer: Peer {
                address,
                connection: 1,
                unread: Arc::default(),
                refused: Arc::default(),
                is_cut: Arc::default(),
            },
            most,
            opened: now,
            came: 0,
            moved: 0,
            since: now,
            timer: Box::pin(sleep(long)),
            open: Open::default().open(address.ip(), most).unwrap_or_else(|limit| panic!("{limit}")),
            shut: None,
            metrics: Metrics::new(&[], "scalar"),
        };
        for _ in 0..3 {
            let turn = poll_fn(|context| {
                let mut bytes = 0;
                loop {
                    let mut room = [0; 8 << 10];
                    let mut buffer = ReadBuf::new(&mut room);
                    match Pin::new(&mut connection).poll_read(context, &mut buffer) {
                        Poll::Ready(read) => read.unwrap(),
                        Poll::Pending => return Poll::Ready(bytes),
                    }
                    bytes += buffer.filled().len();
                }
            });
            let bytes = turn.await;
            assert!((1..=TURN + (8 << 10)).contains(&bytes), "{bytes} bytes in a turn");
            tokio::task::yield_now().await;
        }
    }
}
