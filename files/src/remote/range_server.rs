//! A web server for tests, which sends ranges of one file.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// A server that runs until the tests end.
pub struct RangeServer {
    /// The URL of its file.
    pub url: String,
    /// How many requests threads have sent that receive the answers.
    pub direct: Arc<AtomicUsize>,
}

impl RangeServer {
    /// Starts it. To requests of threads that receive the answers, only the first `good` answers are complete.
    pub fn start(data: Arc<Vec<u8>>, good: usize) -> RangeServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let direct = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&direct);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (data, counted) = (Arc::clone(&data), Arc::clone(&counted));
                thread::spawn(move || serve(stream.unwrap(), &data, good, &counted));
            }
        });
        RangeServer { url, direct }
    }
}

fn serve(mut stream: TcpStream, data: &[u8], good: usize, counted: &AtomicUsize) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    loop {
        let head: Vec<String> = lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
        let value = |name: &str| head.iter().find_map(|line| line.strip_prefix(name));
        let (from, to) = value("range: bytes=")?.split_once('-')?;
        let (from, to) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?.min(data.len() - 1));
        let is_direct = value("user-agent: slider-attacks/").is_some();
        let is_good = !is_direct || counted.fetch_add(1, Relaxed) < good;
        let (length, all) = (to + 1 - from, data.len());
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\nLast-Modified: Wed, 25 Nov 2026 10:00:00 GMT\r\n\
             Content-Range: bytes {from}-{to}/{all}\r\nContent-Length: {length}\r\n\r\n"
        );
        let sent = if is_good { length } else { length / 3 };
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(&data[from..from + sent]).ok()?;
        if !is_good {
            return None;
        }
    }
}
