//! The body of a response that does the work for it, when it is asked for more.
//!
//! A task of its own for the work would be simpler, with a channel between them. Then each message wakes one more task,
//! often on another thread: see BENCHMARKS.md for what that costs. Here the work goes on where its results are taken. As
//! nobody asks for more while a client takes nothing, others look after that.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body, Frame};
use tokio::time::Instant;
use tonic::Status;

use super::client::OpenStream;
use super::grpc::{Answer, trailers};
use super::patience::Patience;

/// Where work puts an answer, to be taken before the next one.
#[derive(Clone, Default)]
pub struct Slot(Arc<Mutex<Option<Answer>>>);

impl Slot {
    fn answer(&self) -> MutexGuard<'_, Option<Answer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an answer there once the one before it was taken. Whoever takes it polls this again, so nobody is to be woken.
    pub async fn put(&self, answer: Answer) {
        let mut answer = Some(answer);
        std::future::poll_fn(|_| {
            let mut slot = self.answer();
            if slot.is_some() {
                return Poll::Pending;
            }
            *slot = answer.take();
            Poll::Ready(())
        })
        .await;
    }
}

type Work = BoxFuture<'static, Result<(), Status>>;

/// The streams that are open.
#[derive(Clone, Default)]
pub struct Driver(Arc<Mutex<Vec<Weak<Mutex<Stream>>>>>);

/// A stream between two polls.
struct Stream {
    /// Until it is over.
    work: Option<Work>,
    ended: Result<(), Status>,
    patience: Patience,
    /// How many bytes the client was given last, and when.
    given: Option<(usize, Instant)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// The body of what this work puts into the slot, and of how it ends. A client may let it wait for as long as `patience`
    /// lasts.
    pub fn drive(&self, work: Work, slot: Slot, patience: Patience, open: OpenStream) -> Driven {
        let stream = Stream { work: Some(work), ended: Ok(()), patience, given: None };
        let stream = Arc::new(Mutex::new(stream));
        let mut streams = lock(&self.0);
        // Now and then, so that it costs nothing.
        if streams.len() == streams.capacity() {
            streams.retain(|stream| stream.strong_count() > 0);
        }
        streams.push(Arc::downgrade(&stream));
        Driven { stream, slot, body: Bytes::new(), open: Some(open) }
    }

    /// Drops the work of streams whose clients take too little.
    pub async fn watch(self, patience: Duration) {
        loop {
            tokio::time::sleep((patience / 4).min(Duration::from_secs(5))).await;
            let streams: Vec<_> = lock(&self.0).iter().filter_map(Weak::upgrade).collect();
            for stream in streams {
                let mut stream = lock(&stream);
                if stream.given.is_some_and(|(_, since)| stream.patience.is_over(since.elapsed())) {
                    stream.given = None;
                    stream.ended = Err(Status::deadline_exceeded("the client did not take its results in time"));
                    drop(stream.work.take());
                }
            }
        }
    }
}

/// The body of a response.
pub struct Driven {
    stream: Arc<Mutex<Stream>>,
    slot: Slot,
    /// The arrays of an answer of which the start was given.
    body: Bytes,
    /// Until the end is given.
    open: Option<OpenStream>,
}

impl Body for Driven {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if this.open.is_none() {
            return Poll::Ready(None);
        }
        let stream = &mut *lock(&this.stream);
        if let Some((bytes, since)) = stream.given.take() {
            stream.patience.spend(since.elapsed());
            stream.patience.regain(bytes);
        }
        if this.body.is_empty() {
            if this.slot.answer().is_none()
                && let Some(work) = &mut stream.work
                && let Poll::Ready(ended) = work.as_mut().poll(context)
            {
                (stream.work, stream.ended) = (None, ended);
            }
            let Some(Answer { start, body }) = this.slot.answer().take() else {
                if stream.work.is_some() {
                    return Poll::Pending;
                }
                this.open = None;
                let ended = std::mem::replace(&mut stream.ended, Ok(()));
                return Poll::Ready(Some(Ok(Frame::trailers(trailers(ended)))));
            };
            this.body = body;
            stream.given = Some((start.len(), Instant::now()));
            return Poll::Ready(Some(Ok(Frame::data(start))));
        }
        let body = std::mem::take(&mut this.body);
        stream.given = Some((body.len(), Instant::now()));
        Poll::Ready(Some(Ok(Frame::data(body))))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::ready;

    use super::super::client::{Client, Streams};
    use super::*;

    fn driven(work: impl Future<Output = Result<(), Status>> + Send + 'static, slot: Slot) -> (Driver, Driven) {
        let gauge = prometheus::IntGauge::new("streams", "for this test").unwrap();
        let open = Streams::new(1, 1, gauge).open(Client::Named("ann".into())).ok().unwrap();
        let driver = Driver::default();
        let driven = driver.drive(Box::pin(work), slot, Patience::new(Duration::from_secs(1), 1000), open);
        (driver, driven)
    }

    /// A task that has done much is made to yield by its channels, which then give nothing although there is something.
    /// That may happen at each of the answers, and after them.
    #[tokio::test]
    async fn no_answer_is_lost_when_the_task_must_yield() {
        const ANSWERS: usize = 3;
        for done in 0..300 {
            let (sender, mut others) = tokio::sync::mpsc::channel(300);
            for _ in 0..done {
                sender.try_send(()).expect("there is room");
            }
            let slot = Slot::default();
            let work = {
                let slot = slot.clone();
                async move {
                    for _ in 0..ANSWERS {
                        tokio::task::consume_budget().await;
                        slot.put(Answer::new(b"header", Bytes::from(vec![0; 100_000]))).await;
                    }
                    Err(Status::aborted("as it should"))
                }
            };
            let (_driver, mut driven) = driven(work, slot);
            let (mut bytes, mut status) = (0, None);
            poll_fn(|context| {
                while !others.is_empty() && others.poll_recv(context).is_ready() {}
                while let Some(Ok(frame)) = ready!(Pin::new(&mut driven).poll_frame(context)) {
                    match frame.into_data() {
                        Ok(data) => bytes += data.len(),
                        Err(frame) => status = Status::from_header_map(&frame.into_trailers().unwrap()),
                    }
                }
                Poll::Ready(())
            })
            .await;
            assert_eq!(
                bytes,
                ANSWERS * Answer::new(b"header", Bytes::from(vec![0; 100_000])).len(),
                "after {done} steps"
            );
            assert_eq!(status.unwrap().message(), "as it should");
        }
    }

    /// Work is dropped when nobody takes its results, and the next that is taken is the reason.
    #[tokio::test(start_paused = true)]
    async fn results_that_nobody_takes() {
        let (dropped, mut is_dropped) = tokio::sync::oneshot::channel::<()>();
        let slot = Slot::default();
        let work = {
            let slot = slot.clone();
            async move {
                let _dropped = dropped;
                loop {
                    slot.put(Answer::new(b"header", Bytes::new())).await;
                }
            }
        };
        let (driver, mut driven) = driven(work, slot);
        tokio::spawn(driver.watch(Duration::from_secs(1)));
        let mut next = async || poll_fn(|context| Pin::new(&mut driven).poll_frame(context)).await.unwrap().unwrap();
        for _ in 0..20 {
            assert!(next().await.is_data());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(is_dropped.try_recv().is_err_and(|error| error == tokio::sync::oneshot::error::TryRecvError::Empty));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(is_dropped.try_recv().is_err_and(|error| error == tokio::sync::oneshot::error::TryRecvError::Closed));
        let trailers = next().await.into_trailers().unwrap();
        assert_eq!(Status::from_header_map(&trailers).unwrap().code(), tonic::Code::DeadlineExceeded);
    }
}
