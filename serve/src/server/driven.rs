//! Streams of answers, which are worked on when the client takes them, and are dropped if it does not.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use arrow_flight::FlightData;
use futures_util::Stream;
use tokio::sync::mpsc;
use tonic::Status;

type Item = Result<FlightData, Status>;
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The streams that are open, to be looked at by [`Watched::watch`].
#[derive(Clone, Default)]
pub struct Watched(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    streams: HashMap<u64, Arc<Mutex<State>>>,
    /// The number of the next one.
    next: u64,
}

/// A stream between two polls.
struct State {
    /// The work, and what it has sent. `None` if it is over or was dropped.
    work: Option<(Work, mpsc::Receiver<Item>)>,
    /// Since when the client has had something to take.
    waiting: Option<Instant>,
    was_dropped: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // After a panic, the stream is not asked for more.
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Watched {
    /// The stream of what this work sends to `answers`. It makes progress only when the stream is polled.
    pub fn drive(&self, work: Work, answers: mpsc::Receiver<Item>) -> Driven {
        let state = State { work: Some((work, answers)), waiting: None, was_dropped: false };
        let state = Arc::new(Mutex::new(state));
        let mut open = lock(&self.0);
        let number = open.next;
        open.next += 1;
        open.streams.insert(number, state.clone());
        Driven { watched: self.clone(), number, state }
    }

    /// Drops the work of streams whose clients have taken nothing for so long.
    pub async fn watch(self, idle: Duration) {
        loop {
            tokio::time::sleep((idle / 4).min(Duration::from_secs(5))).await;
            let streams: Vec<_> = lock(&self.0).streams.values().cloned().collect();
            for stream in streams {
                let mut state = lock(&stream);
                if state.waiting.is_some_and(|since| since.elapsed() >= idle) {
                    (state.waiting, state.was_dropped) = (None, true);
                    let work = state.work.take();
                    drop(state);
                    drop(work);
                }
            }
        }
    }
}

/// A stream of answers.
pub struct Driven {
    watched: Watched,
    number: u64,
    state: Arc<Mutex<State>>,
}

impl Stream for Driven {
    type Item = Item;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Item>> {
        let mut state = lock(&self.state);
        state.waiting = None;
        if std::mem::take(&mut state.was_dropped) {
            return Poll::Ready(Some(Err(Status::deadline_exceeded("the client did not take its answers"))));
        }
        let Some((work, answers)) = &mut state.work else { return Poll::Ready(None) };
        // It sends until there is no room, or it has to wait.
        let is_over = work.as_mut().poll(context).is_ready();
        let answer = match answers.poll_recv(context) {
            Poll::Pending if is_over => Poll::Ready(None),
            answer => answer,
        };
        match &answer {
            Poll::Ready(Some(_)) => state.waiting = Some(Instant::now()),
            Poll::Ready(None) => state.work = None,
            Poll::Pending => {}
        }
        if is_over && let Some((work, _)) = &mut state.work {
            // What it has sent is still to be taken.
            *work = Box::pin(std::future::pending());
        }
        answer
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        lock(&self.watched.0).streams.remove(&self.number);
    }
}
