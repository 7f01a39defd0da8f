//! Connections: how they are accepted, and when they are cut off.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use prometheus::IntGauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tonic::transport::server::Connected;
use tracing::{debug, warn};

use super::metrics::Metrics;

/// How long a client may take to agree on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The address of the other end.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Bytes in both directions.
trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection that ends with an error if nothing moves for long.
pub struct Connection {
    io: Box<dyn Io>,
    peer: Peer,
    idle: Duration,
    moved: Instant,
    timer: Pin<Box<Sleep>>,
    gauge: IntGauge,
    _permit: OwnedSemaphorePermit,
}

impl Connection {
    fn check<T>(&mut self, context: &mut Context<'_>, moved: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if moved.is_ready() {
            self.moved = Instant::now();
            return moved;
        }
        loop {
            ready!(self.timer.as_mut().poll(context));
            let deadline = self.moved + self.idle;
            if deadline <= Instant::now() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.timer.as_mut().reset(deadline);
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        self.check(context, read)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.check(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(context, slices);
        self.check(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.io).poll_shutdown(context);
        self.check(context, shut)
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        debug!(peer = %self.peer.0, "connection closed");
        self.gauge.dec();
    }
}

/// Accepts connections, and hands them over once keys are agreed on.
pub struct Acceptor {
    /// Where they come from.
    pub listener: TcpListener,
    /// How keys are agreed on.
    pub tls: Option<TlsAcceptor>,
    /// How many connections there may be.
    pub most: u32,
    /// How long nothing may move.
    pub idle: Duration,
    /// What is counted.
    pub metrics: Metrics,
}

impl Acceptor {
    /// Accepts until nobody takes what was accepted.
    pub async fn run(self, accepted: mpsc::Sender<io::Result<Connection>>) {
        let permits = Arc::new(Semaphore::new(self.most as usize));
        loop {
            let (stream, peer) = tokio::select! {
                () = accepted.closed() => return,
                connection = self.listener.accept() => match connection {
                    Ok(connection) => connection,
                    Err(error) => {
                        // For instance, there are no descriptors left.
                        warn!(%error, "cannot accept a connection");
                        sleep(Duration::from_millis(100)).await;
                        continue;
                    }
                },
            };
            let Ok(permit) = permits.clone().try_acquire_owned() else {
                self.metrics.refused.with_label_values(&["connections"]).inc();
                debug!(%peer, "too many connections");
                continue;
            };
            debug!(%peer, "connection opened");
            let (tls, idle, metrics, accepted) = (self.tls.clone(), self.idle, self.metrics.clone(), accepted.clone());
            tokio::spawn(async move {
                let io = match agreed(stream, tls).await {
                    Ok(io) => io,
                    Err(error) => {
                        metrics.refused.with_label_values(&["tls"]).inc();
                        return debug!(%peer, %error, "no keys were agreed on");
                    }
                };
                let (moved, gauge) = (Instant::now(), metrics.connections);
                gauge.inc();
                let timer = Box::pin(sleep_until(moved + idle));
                let connection = Connection { io, peer: Peer(peer), idle, moved, timer, gauge, _permit: permit };
                let _ = accepted.send(Ok(connection)).await;
            });
        }
    }
}

async fn agreed(stream: TcpStream, tls: Option<TlsAcceptor>) -> io::Result<Box<dyn Io>> {
    stream.set_nodelay(true)?;
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    Ok(Box::new(timeout(HANDSHAKE, tls.accept(stream)).await??))
}
