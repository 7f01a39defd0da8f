//! A response body that does its own work when it is polled.
//!
//! A separate task for the work with a channel between them would be simpler. But then each message wakes another task, often
//! on another thread: asm-notes/tried.md has the cost. Here, the work proceeds where its results are taken. While the client
//! takes nothing, nobody polls the body, so [`Driver::watch`] ends such streams.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body, Frame};
use tokio::time::Instant;
use tonic::Status;

use super::grpc::{FlightAnswer, Kept};
use crate::server::connection::client::OpenStream;
use crate::server::limits::budget::HeldBytes;
use crate::server::limits::patience::Pause;
use crate::server::refusal::Refusal;

/// The most bytes that are given to the network at a time. It says that it has taken some once it has taken all of them.
const GIVEN: usize = 256 << 10;

/// A slot for one answer, which is taken before the next one.
#[derive(Clone, Default)]
pub struct AnswerSlot {
    answer: Arc<Mutex<Option<FlightAnswer>>>,
    given: Arc<SentBytes>,
}

impl AnswerSlot {
    fn answer(&self) -> MutexGuard<'_, Option<FlightAnswer>> {
        lock(&self.answer)
    }

    /// Waits until the network has all that was put, so that an error after it does not overtake it.
    pub async fn all_taken(&self) {
        const LOOK: Duration = Duration::from_millis(10);
        loop {
            tokio::time::sleep(LOOK).await;
            if self.answer().is_none() && self.given.on_their_way.load(Relaxed) == 0 {
                // It has them, and writes what it copied.
                return tokio::time::sleep(LOOK).await;
            }
        }
    }

    /// Puts an answer there once the one before it was taken. Whoever takes it polls this again, so nobody is to be woken.
    pub async fn put(&self, answer: FlightAnswer) {
        let mut answer = Some(answer);
        poll_fn(|_| {
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

type WorkFuture = BoxFuture<'static, Result<(), Refusal>>;

/// The last frame of a body, by how the work has ended; none if a body just ends.
pub type End = Box<dyn Fn(Result<(), Refusal>) -> Option<Result<Frame<Bytes>, Status>> + Send>;

/// The streams that are open.
#[derive(Clone)]
pub struct Driver {
    patience: Duration,
    rate: u32,
    hold: Duration,
    streams: Arc<Mutex<Vec<Weak<Mutex<BodyStream>>>>>,
    /// When the network has taken something last.
    taken: Arc<Mutex<Option<Instant>>>,
}

/// A stream between two polls.
struct BodyStream {
    /// Until it is over.
    work: Option<WorkFuture>,
    ended: Result<(), Refusal>,
    /// What was not given yet of the answer that was taken last, and what it is charged.
    rest: [Bytes; 2],
    held: Option<Kept>,
    /// While the client has something to take, it need not send anything.
    untaken: Arc<Pause>,
    is_untaken: bool,
    given: Arc<SentBytes>,
    last_taken: Arc<Mutex<Option<Instant>>>,
    patience: TakingPatience,
    /// Since when the client has taken too little.
    late: Option<Instant>,
    /// Whether its connection is to be closed.
    is_cut: Arc<AtomicBool>,
}

/// The bytes that were given to the network. It asks for more long before a slow client has taken them.
#[derive(Default)]
struct SentBytes {
    on_their_way: AtomicU64,
    taken: AtomicU64,
}

/// Bytes that count as taken when the network drops them. Until then the stream is looked after, whatever else has ended.
struct CountedBytes {
    bytes: Bytes,
    given: Arc<SentBytes>,
    last_taken: Arc<Mutex<Option<Instant>>>,
    _held: Option<Kept>,
    _open: Option<OpenStream>,
    _stream: Arc<Mutex<BodyStream>>,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.given.on_their_way.fetch_sub(self.bytes.len() as u64, Relaxed);
        self.given.taken.fetch_add(self.bytes.len() as u64, Relaxed);
        *lock(&self.last_taken) = Some(Instant::now());
    }
}

/// What is left of the time for which a client may let results wait, in seconds. Of a frame that is on its way, nobody
/// knows how much was taken. So what is left may be negative, by as much as the longest frame takes at the least rate.
struct TakingPatience {
    whole: f64,
    left: f64,
    /// The rate in bytes per second.
    rate: f64,
    /// How long one answer may take.
    hold: Duration,
    /// Since when one is taken.
    since: Instant,
    longest: u64,
    taken: u64,
    looked_at: Instant,
}

impl TakingPatience {
    fn new(Driver { patience, rate, hold, .. }: &Driver) -> TakingPatience {
        let (whole, rate, now) = (patience.as_secs_f64(), (*rate).into(), Instant::now());
        TakingPatience { whole, left: whole, rate, hold: *hold, since: now, longest: 0, taken: 0, looked_at: now }
    }

    /// Whether it is over, at a look every so often.
    fn is_over(&mut self, given: &SentBytes) -> bool {
        let passed = std::mem::replace(&mut self.looked_at, Instant::now()).elapsed().as_secs_f64();
        let taken = given.taken.load(Relaxed);
        let regained = (taken - std::mem::replace(&mut self.taken, taken)) as f64 / self.rate;
        if given.on_their_way.load(Relaxed) == 0 {
            (self.left, self.since) = (self.whole, self.looked_at);
        } else {
            self.left = self.whole.min(self.left + regained - passed);
        }
        self.left + self.longest as f64 / self.rate <= 0.0 || self.looked_at - self.since >= self.hold
    }
}

impl BodyStream {
    /// The next bytes of the answer that was taken last.
    fn next(&mut self) -> Option<Bytes> {
        let part = self.rest.iter_mut().find(|part| !part.is_empty())?;
        Some(part.split_to(part.len().min(GIVEN)))
    }

    fn give(&mut self, bytes: Bytes, open: Option<OpenStream>, stream: &Arc<Mutex<BodyStream>>) -> Bytes {
        let length = bytes.len() as u64;
        self.patience.longest = self.patience.longest.max(length);
        self.given.on_their_way.fetch_add(length, Relaxed);
        self.untaken.begin();
        self.is_untaken = true;
        let held = if self.rest.iter().all(Bytes::is_empty) { self.held.take() } else { self.held.clone() };
        Bytes::from_owner(CountedBytes {
            bytes,
            given: self.given.clone(),
            last_taken: self.last_taken.clone(),
            _held: held,
            _open: open,
            _stream: stream.clone(),
        })
    }

    /// The remaining work and answers, once nobody will take them.
    fn take_all(&mut self) -> impl Sized + use<> {
        (self.work.take(), std::mem::take(&mut self.rest), self.held.take())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// No stream is open yet. A client may let results wait for as long as `patience`, and longer if it takes `rate` bytes
    /// per second, but each for no longer than `hold`.
    pub fn new(patience: Duration, rate: u32, hold: Duration) -> Driver {
        Driver { patience, rate, hold, streams: Arc::default(), taken: Arc::default() }
    }

    /// The body of what this work puts into the slot, and of how it ends.
    pub fn drive(
        &self,
        work: WorkFuture,
        slot: AnswerSlot,
        untaken: Arc<Pause>,
        is_cut: Arc<AtomicBool>,
        open: OpenStream,
        end: End,
    ) -> DrivenBody {
        let stream = self.stream(Some(work), slot.given.clone(), untaken, is_cut);
        DrivenBody { stream, slot, open: Some(open), end, begun: None }
    }

    /// Bytes that are an answer by themselves, and what they are charged. Clients have as long to take them as for what work puts, and
    /// until then the call is open.
    pub fn whole(&self, bytes: Bytes, held: HeldBytes, is_cut: Arc<AtomicBool>, open: OpenStream) -> Bytes {
        let stream = self.stream(None, Arc::default(), Arc::default(), is_cut);
        let mut whole = lock(&stream);
        whole.held = Some(Arc::new(held));
        whole.give(bytes, Some(open), &stream)
    }

    fn stream(
        &self,
        work: Option<WorkFuture>,
        given: Arc<SentBytes>,
        untaken: Arc<Pause>,
        is_cut: Arc<AtomicBool>,
    ) -> Arc<Mutex<BodyStream>> {
        let stream = Arc::new(Mutex::new(BodyStream {
            work,
            ended: Ok(()),
            rest: Default::default(),
            held: None,
            untaken,
            is_untaken: false,
            given,
            last_taken: self.taken.clone(),
            patience: TakingPatience::new(self),
            late: None,
            is_cut,
        }));
        let mut streams = lock(&self.streams);
        // Now and then is enough: the list has at most twice as many entries as there were streams at a time.
        if streams.len() == streams.capacity() {
            streams.retain(|stream| stream.strong_count() > 0);
        }
        streams.push(Arc::downgrade(&stream));
        stream
    }

    /// Waits until there is nothing to do and nothing to take, and until the system has had some time to send what was taken last.
    pub async fn all_taken(&self) {
        const LOOK: Duration = Duration::from_millis(50);
        const SENDING: Duration = Duration::from_secs(5);
        let is_busy = |stream: Arc<Mutex<BodyStream>>| {
            let stream = lock(&stream);
            stream.work.is_some() || stream.given.on_their_way.load(Relaxed) > 0
        };
        loop {
            tokio::time::sleep(LOOK).await;
            let is_any_busy = lock(&self.streams).iter().filter_map(Weak::upgrade).any(is_busy);
            if !is_any_busy && lock(&self.taken).is_none_or(|taken| taken.elapsed() >= SENDING) {
                return;
            }
        }
    }

    /// Drops the work of streams whose clients take too little. If they do not take what was on its way either, closes the
    /// connection: nothing else gets that back from the network.
    pub async fn watch(self) {
        loop {
            tokio::time::sleep((self.patience.min(self.hold) / 8).min(Duration::from_secs(5))).await;
            let streams: Vec<_> = lock(&self.streams).iter().filter_map(Weak::upgrade).collect();
            for stream in streams {
                let stream = &mut *lock(&stream);
                if !stream.patience.is_over(&stream.given) {
                    stream.late = None;
                    continue;
                }
                if stream.late.get_or_insert_with(Instant::now).elapsed() >= self.patience {
                    stream.is_cut.store(true, Relaxed);
                }
                if stream.work.is_some() || stream.rest.iter().any(|part| !part.is_empty()) {
                    stream.ended = Err(Refusal::late("the client read its results too slowly"));
                    // Not its place among the streams of the client: what the network has of it is still held.
                    drop(stream.take_all());
                }
            }
        }
    }
}

/// The body of a response.
pub struct DrivenBody {
    stream: Arc<Mutex<BodyStream>>,
    slot: AnswerSlot,
    /// Until the end is given.
    open: Option<OpenStream>,
    end: End,
    /// Its beginning, if that was waited for.
    begun: Option<Frame<Bytes>>,
}

impl Drop for DrivenBody {
    fn drop(&mut self) {
        let all = lock(&self.stream).take_all();
        drop(all);
    }
}

/// What comes next in a body.
enum NextFrame {
    Data(Frame<Bytes>),
    End(Result<(), Refusal>),
}

impl DrivenBody {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<NextFrame> {
        let stream = &mut *lock(&self.stream);
        if std::mem::take(&mut stream.is_untaken) {
            stream.untaken.end();
        }
        loop {
            if let Some(bytes) = stream.next() {
                return Poll::Ready(NextFrame::Data(Frame::data(stream.give(bytes, None, &self.stream))));
            }
            if self.slot.answer().is_none()
                && let Some(work) = &mut stream.work
                && let Poll::Ready(ended) = work.as_mut().poll(context)
            {
                (stream.work, stream.ended) = (None, ended);
            }
            match self.slot.answer().take() {
                Some(FlightAnswer { start, body, held }) => {
                    (stream.rest, stream.held) = ([start, body], held);
                    stream.patience.since = Instant::now();
                }
                None if stream.work.is_some() => return Poll::Pending,
                None => {
                    self.open = None;
                    return Poll::Ready(NextFrame::End(std::mem::replace(&mut stream.ended, Ok(()))));
                }
            }
        }
    }

    /// Whether there is no more than its beginning, which was waited for.
    pub fn has_ended(&self) -> bool {
        self.open.is_none()
    }

    /// Waits for the beginning of the body, so that an error before it is known in time.
    pub async fn begin(&mut self) -> Result<(), Refusal> {
        match poll_fn(|context| self.poll_next(context)).await {
            NextFrame::Data(frame) => self.begun = Some(frame),
            NextFrame::End(ended) => return ended,
        }
        Ok(())
    }
}

impl Body for DrivenBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        if let Some(frame) = this.begun.take() {
            return Poll::Ready(Some(Ok(frame)));
        }
        if this.open.is_none() {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(this.poll_next(context)) {
            NextFrame::Data(frame) => Some(Ok(frame)),
            NextFrame::End(ended) => (this.end)(ended),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::grpc::trailers;
    use super::*;
    use crate::server::connection::client::{Client, Streams};
    use crate::server::monitoring::metrics::Metrics;

    const LONG: Duration = Duration::from_secs(3600);

    fn driven(
        work: impl Future<Output = Result<(), Refusal>> + Send + 'static,
        slot: AnswerSlot,
        hold: Duration,
    ) -> (Driver, DrivenBody) {
        let open = Streams::new(1, 1, Metrics::new(&[], "scalar")).open(Client::Named("ann".into())).ok().unwrap();
        let driver = Driver::new(Duration::from_secs(1), 1000, hold);
        let driven = driver.drive(
            Box::pin(work),
            slot,
            Arc::default(),
            Arc::default(),
            open,
            Box::new(|ended| Some(Ok(Frame::trailers(trailers(ended.map_err(Status::from)))))),
        );
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
            let slot = AnswerSlot::default();
            let work = {
                let slot = slot.clone();
                async move {
                    for _ in 0..ANSWERS {
                        tokio::task::consume_budget().await;
                        slot.put(FlightAnswer::new(b"header", Bytes::from(vec![0; 100_000]))).await;
                    }
                    Err(Status::aborted("as it should").into())
                }
            };
            let (_driver, mut driven) = driven(work, slot, LONG);
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
                ANSWERS * FlightAnswer::new(b"header", Bytes::from(vec![0; 100_000])).len(),
                "after {done} steps"
            );
            assert_eq!(status.unwrap().message(), "as it should");
        }
    }

    /// How long a client lasts that takes frames of `bytes` bytes at `rate` bytes per second, if the least is 1000, and it may be
    /// late for a second and take so long for each. Up to a minute.
    async fn lasts(bytes: usize, rate: usize, hold: Duration) -> f64 {
        let slot = AnswerSlot::default();
        let work = {
            let slot = slot.clone();
            async move {
                loop {
                    slot.put(FlightAnswer::new(b"", Bytes::from(vec![0; bytes]))).await;
                }
            }
        };
        let (driver, mut driven) = driven(work, slot, hold);
        tokio::spawn(driver.watch());
        let start = Instant::now();
        // The network asks for more than it has sent.
        let mut waiting = std::collections::VecDeque::new();
        while start.elapsed() < Duration::from_secs(60) {
            let frame = poll_fn(|context| Pin::new(&mut driven).poll_frame(context)).await.unwrap().unwrap();
            let Ok(data) = frame.into_data() else { break };
            waiting.push_back(data);
            if waiting.len() > 3 {
                let data = waiting.pop_front().unwrap();
                tokio::time::sleep(Duration::from_secs_f64(data.len() as f64 / rate as f64)).await;
            }
        }
        start.elapsed().as_secs_f64()
    }

    #[tokio::test(start_paused = true)]
    async fn results_are_to_be_taken_at_the_least_rate() {
        for bytes in [100, 1000, 5000, 40_000] {
            let found = lasts(bytes, 1500, LONG).await;
            assert!(found >= 60.0, "{bytes} bytes at a time: {found} s");
        }
        for (bytes, rate, most) in [(100, 500, 5.0), (100, 1, 120.0), (1000, 500, 10.0), (5000, 100, 110.0)] {
            let found = lasts(bytes, rate, LONG).await;
            assert!(found < most, "{bytes} bytes at a time, {rate} per second: {found} s");
        }
        for (hold, least, most) in [(12, 60.0, 80.0), (5, 5.0, 15.0)] {
            let found = lasts(20_000, 2000, Duration::from_secs(hold)).await;
            assert!((least..most).contains(&found), "10 seconds for each, where {hold} are allowed: {found} s");
        }
    }

    /// Work is dropped when nobody takes its results, and the next that is taken is the reason.
    #[tokio::test(start_paused = true)]
    async fn results_that_nobody_takes() {
        let (dropped, mut is_dropped) = tokio::sync::oneshot::channel::<()>();
        let slot = AnswerSlot::default();
        let work = {
            let slot = slot.clone();
            async move {
                let _dropped = dropped;
                loop {
                    slot.put(FlightAnswer::new(b"header", Bytes::new())).await;
                }
            }
        };
        let (driver, mut driven) = driven(work, slot, LONG);
        let mut untaken = Vec::new();
        tokio::spawn(driver.watch());
        let mut next = async || poll_fn(|context| Pin::new(&mut driven).poll_frame(context)).await.unwrap().unwrap();
        for _ in 0..20 {
            untaken = vec![next().await.into_data().unwrap()];
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(is_dropped.try_recv().is_err_and(|error| error == tokio::sync::oneshot::error::TryRecvError::Empty));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(is_dropped.try_recv().is_err_and(|error| error == tokio::sync::oneshot::error::TryRecvError::Closed));
        drop(untaken);
        let trailers = next().await.into_trailers().unwrap();
        assert_eq!(Status::from_header_map(&trailers).unwrap().code(), tonic::Code::DeadlineExceeded);
    }
}
