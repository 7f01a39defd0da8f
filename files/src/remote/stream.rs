//! A file of a web server that gives no ranges: read once, from its beginning to its end.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use object_store::ObjectStoreExt;
use tokio::sync::mpsc::{Receiver, channel};

use super::failure::failure;
use super::stores::ObjectLocation;
use super::thread::{runtime, wait};

/// How many pieces are read ahead. The client hands over what a read of the connection gives.
const AHEAD: usize = 32;

/// The bytes. As with open files, all clones have the same place.
#[derive(Clone)]
pub struct RemoteStream(Arc<Mutex<StreamState>>);

struct StreamState {
    pieces: Receiver<io::Result<Bytes>>,
    piece: Bytes,
}

impl RemoteStream {
    /// Opens it.
    pub fn open(location: ObjectLocation) -> io::Result<RemoteStream> {
        let found = wait(async move {
            let found = location.store.get(&location.url.key).await.map_err(|error| failure(&error))?;
            Ok(found.into_stream())
        });
        let (mut bytes, (pieces, taken)) = (found?, channel(AHEAD));
        runtime()?.spawn(async move {
            while let Some(piece) = bytes.next().await {
                // Until the reader has gone away.
                if pieces.send(piece.map_err(|error| failure(&error))).await.is_err() {
                    break;
                }
            }
        });
        Ok(RemoteStream(Arc::new(Mutex::new(StreamState { pieces: taken, piece: Bytes::new() }))))
    }
}

impl Read for RemoteStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while state.piece.is_empty() {
            match state.pieces.blocking_recv() {
                Some(piece) => state.piece = piece?,
                None => return Ok(0),
            }
        }
        let read = buffer.len().min(state.piece.len());
        state.piece.copy_to_slice(&mut buffer[..read]);
        Ok(read)
    }
}

impl fmt::Debug for RemoteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteStream").finish_non_exhaustive()
    }
}
