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

/// The streams that are open, to be looked at by [`OpenStreams::watch`].
#[derive(Clone, Default)]
pub struct OpenStreams(Arc<Mutex<StreamTable>>);

#[derive(Default)]
struct StreamTable {
    streams: HashMap<u64, Arc<Mutex<StreamState>>>,
    /// The number of the next one.
    next: u64,
}

/// A stream between two polls.
struct StreamState {
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

impl OpenStreams {
    /// The stream of what this work sends to `answers`. It makes progress only when the stream is polled.
    pub fn drive(&self, work: Work, answers: mpsc::Receiver<Item>) -> Driven {
        let state = StreamState { work: Some((work, answers)), waiting: None, was_dropped: false };
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
    watched: OpenStreams,
    number: u64,
    state: Arc<Mutex<StreamState>>,
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
        if work.as_mut().poll(context).is_ready() {
            // Drops what it sends with. So the end comes after all that it has sent: a channel that has nothing to give now may
            // only want the task to yield.
            *work = Box::pin(std::future::pending());
        }
        let answer = answers.poll_recv(context);
        match &answer {
            Poll::Ready(Some(_)) => state.waiting = Some(Instant::now()),
            Poll::Ready(None) => state.work = None,
            Poll::Pending => {}
        }
        answer
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        lock(&self.watched.0).streams.remove(&self.number);
    }
}

/// A task that has done much is made to yield by its channels, which then give nothing although there is something. That
/// may happen at each of the answers, and after them.
#[tokio::test]
async fn no_answer_is_lost_when_the_task_must_yield() {
    use std::future::poll_fn;
    use std::task::ready;

    use futures_util::StreamExt;

    const ANSWERS: usize = 3;
    for done in 0..300 {
        let (sender, mut others) = mpsc::channel(300);
        for _ in 0..done {
            sender.try_send(()).expect("there is room");
        }
        let (sender, answers) = mpsc::channel(ANSWERS);
        let work = async move {
            for _ in 0..ANSWERS {
                sender.send(Ok(FlightData::default())).await.expect("they are taken");
            }
        };
        let mut driven = OpenStreams::default().drive(Box::pin(work), answers);
        let mut taken = 0;
        poll_fn(|context| {
            while !others.is_empty() && others.poll_recv(context).is_ready() {}
            while ready!(driven.poll_next_unpin(context)).is_some() {
                taken += 1;
            }
            Poll::Ready(())
        })
        .await;
        assert_eq!(taken, ANSWERS, "after {done} steps");
    }
}
