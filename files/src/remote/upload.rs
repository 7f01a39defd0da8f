//! An object that appears once it is complete: its parts are sent as they are written.

use std::io::{self, Write};
use std::mem;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use object_store::{MultipartUpload, ObjectStoreExt};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::failure::{failure, network_error};
use super::stores::ObjectLocation;
use super::thread::{ended, runtime, wait};
use super::url::StoreKind;

/// The size of the first parts. A store takes 10,000 of them, so later ones are larger.
const PART: usize = 8 << 20;
/// How many parts have the same size.
const EQUAL: usize = 1000;
/// How many parts are sent at the same time.
const SENT: usize = 3;
/// How long it may take to give up.
const ABORT_TIME: Duration = Duration::from_secs(10);

/// Where the thread says that something is done.
type Done = SyncSender<io::Result<()>>;

/// An object that is being written. If it is dropped before it is finished, it does not appear, and the store forgets its parts:
/// at once, or, in Azure, within a week.
#[derive(Debug)]
pub struct Upload {
    number: u64,
    orders: Sender<UploadOrder>,
    failed: Arc<Mutex<Option<io::Error>>>,
    buffer: Vec<u8>,
    parts: usize,
    has_ended: bool,
}

/// What the thread is to do.
#[derive(Debug)]
enum UploadOrder {
    /// To send this part.
    Part(Vec<u8>),
    /// To say when all parts have been sent.
    Wait(Done),
    /// To make the object appear.
    Finish(Done),
}

/// How to give up the uploads that have not ended, by their numbers.
fn pending() -> MutexGuard<'static, Vec<(u64, Sender<Done>)>> {
    static PENDING: Mutex<Vec<(u64, Sender<Done>)>> = Mutex::new(Vec::new());
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Upload {
    /// Begins to write an object, so that what cannot be written is found at once.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn create(url: &Path) -> io::Result<Upload> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let ObjectLocation { store, url } = ObjectLocation::for_upload(url)?;
        if url.kind == StoreKind::Web || url.key.as_ref().is_empty() {
            let reason = if url.kind == StoreKind::Web { "a web server is only read" } else { "it has no key" };
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let upload = wait(async move { store.put_multipart(&url.key).await.map_err(|error| failure(&error)) })?;
        let ((orders, taken), (abort, aborted)) = (channel(1), channel(1));
        let (number, failed) = (NEXT.fetch_add(1, Relaxed), Arc::default());
        pending().push((number, abort));
        runtime()?.spawn(send_parts(upload, taken, aborted, Arc::clone(&failed)));
        Ok(Upload { number, orders, failed, buffer: Vec::new(), parts: 0, has_ended: false })
    }

    /// Sends the last part, and waits until all have arrived.
    ///
    /// # Errors
    ///
    /// One cannot be sent.
    pub fn send_rest(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.send_part()?;
        }
        self.wait(UploadOrder::Wait)
    }

    /// Makes the object appear.
    ///
    /// # Errors
    ///
    /// It cannot be completed.
    pub fn finish(mut self) -> io::Result<()> {
        self.send_rest()?;
        let done = self.wait(UploadOrder::Finish);
        self.has_ended = done.is_ok();
        done
    }

    fn send_part(&mut self) -> io::Result<()> {
        self.parts += 1;
        let part = UploadOrder::Part(mem::take(&mut self.buffer));
        self.orders.blocking_send(part).map_err(|_| self.failure())
    }

    fn wait(&self, order: impl FnOnce(Done) -> UploadOrder) -> io::Result<()> {
        let (done, is_done) = sync_channel(1);
        self.orders.blocking_send(order(done)).map_err(|_| self.failure())?;
        is_done.recv().unwrap_or_else(|_| Err(self.failure()))
    }

    /// Why the thread takes no more orders.
    fn failure(&self) -> io::Error {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.unwrap_or_else(|| network_error(io::ErrorKind::Other, "the upload was given up"))
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = PART * (1 + self.parts / EQUAL);
        self.buffer.reserve_exact(size - self.buffer.len());
        let taken = bytes.len().min(size - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() == size {
            self.send_part()?;
        }
        Ok(taken)
    }

    /// Does nothing: a part that is not the last cannot be short.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let aborts = {
            let mut pending = pending();
            let place = pending.iter().position(|(number, _)| *number == self.number);
            place.map(|place| pending.swap_remove(place).1)
        };
        if !self.has_ended {
            abort(aborts.into_iter().collect());
        }
    }
}

/// Gives up all uploads that have not ended, and waits until the stores know, though not forever. Returns whether there were any. A
/// program that is ended by a signal calls this.
pub fn abort_uploads() -> bool {
    let aborts: Vec<_> = mem::take(&mut *pending()).into_iter().map(|(_, abort)| abort).collect();
    let any = !aborts.is_empty();
    abort(aborts);
    any
}

fn abort(uploads: Vec<Sender<Done>>) {
    let (end, (done, is_done)) = (Instant::now() + ABORT_TIME, sync_channel(uploads.len()));
    // Those that have ended have no receiver.
    let told = uploads.into_iter().filter(|upload| upload.try_send(done.clone()).is_ok()).count();
    drop(done);
    for _ in 0..told {
        if is_done.recv_timeout(end.saturating_duration_since(Instant::now())).is_err() {
            break;
        }
    }
}

/// Sends the parts of an upload.
async fn send_parts(
    mut upload: Box<dyn MultipartUpload>,
    mut orders: Receiver<UploadOrder>,
    mut aborts: Receiver<Done>,
    failed: Arc<Mutex<Option<io::Error>>>,
) {
    let (mut sent, mut waiting): (FuturesUnordered<_>, Option<Done>) = (FuturesUnordered::new(), None);
    let error = loop {
        if sent.is_empty()
            && let Some(done) = waiting.take()
        {
            let _ = done.send(Ok(()));
        }
        tokio::select! {
            biased;
            Some(done) = aborts.recv() => {
                // Parts that arrive later would stay.
                drop(sent);
                let _ = done.send(upload.abort().await.map_err(|error| failure(&error)));
                return;
            }
            Some(arrived) = sent.next(), if !sent.is_empty() => {
                if let Err(error) = arrived {
                    break failure(&error);
                }
            }
            order = orders.recv(), if sent.len() < SENT => match order {
                Some(UploadOrder::Part(bytes)) => sent.push(upload.put_part(bytes.into())),
                Some(UploadOrder::Wait(done)) => waiting = Some(done),
                Some(UploadOrder::Finish(done)) => match upload.complete().await {
                    Ok(_) => {
                        let _ = done.send(Ok(()));
                        return;
                    }
                    Err(error) => {
                        waiting = Some(done);
                        break failure(&error);
                    }
                },
                None => break ended(),
            }
        }
    };
    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    // Whoever waits asks for it.
    drop((waiting, sent));
    let _ = upload.abort().await;
}
