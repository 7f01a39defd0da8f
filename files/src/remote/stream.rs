//! A file of a web server that gives no ranges: read once, from its beginning to its end.

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use object_store::ObjectStoreExt;
use tokio::sync::mpsc::{Receiver, channel};

use super::failure::{again, failure};
use super::stores::ObjectLocation;
use super::thread::{ended, runtime, wait};

/// How many pieces are read ahead. The client hands over what a read of the connection gives.
const AHEAD: usize = 32;

/// The bytes. As with open files, all clones have the same place.
#[derive(Clone)]
pub struct RemoteStream(Arc<Mutex<StreamState>>);

/// What the thread has received: bytes, or the end.
type StreamPiece = io::Result<Option<Bytes>>;

struct StreamState {
    pieces: Receiver<StreamPiece>,
    piece: Bytes,
    /// How it ended, once it has.
    end: Option<io::Result<()>>,
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
                if pieces.send(piece.map(Some).map_err(|error| failure(&error))).await.is_err() {
                    return;
                }
            }
            let _ = pieces.send(Ok(None)).await;
        });
        Ok(RemoteStream::new(taken))
    }

    fn new(pieces: Receiver<StreamPiece>) -> RemoteStream {
        RemoteStream(Arc::new(Mutex::new(StreamState { pieces, piece: Bytes::new(), end: None })))
    }
}

impl Read for RemoteStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while state.piece.is_empty() {
            match &state.end {
                Some(Ok(())) => return Ok(0),
                Some(Err(error)) => return Err(again(error)),
                None => {}
            }
            match state.pieces.blocking_recv() {
                Some(Ok(Some(piece))) => state.piece = piece,
                Some(Ok(None)) => state.end = Some(Ok(())),
                Some(Err(error)) => state.end = Some(Err(error)),
                None => state.end = Some(Err(ended())),
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

#[cfg(test)]
mod tests {
    use super::super::failure::network_error;
    use super::*;

    fn stream(pieces: impl IntoIterator<Item = StreamPiece>) -> RemoteStream {
        let (send, taken) = channel(AHEAD);
        pieces.into_iter().for_each(|piece| send.try_send(piece).unwrap());
        RemoteStream::new(taken)
    }

    #[test]
    fn a_stream_has_one_end() {
        let bytes = || Ok(Some(Bytes::from_static(b"ab")));
        let mut whole = stream([bytes(), Ok(None)]);
        let mut text = String::new();
        assert_eq!(whole.read_to_string(&mut text).unwrap(), 2);
        assert_eq!(whole.read(&mut [0]).unwrap(), 0);
        let broken = || Err(network_error(io::ErrorKind::TimedOut, "too slow"));
        // The last one lacks its end: the thread has failed.
        for (mut cut, message) in
            [(stream([bytes(), broken(), Ok(None)]), "too slow"), (stream([bytes()]), "the thread for URLs has failed")]
        {
            assert_eq!(cut.read(&mut [0; 9]).unwrap(), 2);
            for _ in 0..2 {
                assert_eq!(cut.read(&mut [0]).unwrap_err().to_string(), message);
            }
        }
    }
}
