//! Held memory: how much, for how long, and its release.

use arrow_array::StringViewArray;
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use http::Method;
use http_body_util::BodyExt;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tonic::body::Body;
use tonic_prost::prost::Message;

use super::*;
use web::{fetch, request, send, start};

const LINE: &str = "4k3/8/8/8/8/8/8/R3K3 w Q -";
const ARROW: (&str, &str) = ("content-type", "application/vnd.apache.arrow.stream");

/// A stream of Arrow with this batch, whose arrays begin at multiples of eight bytes, as those of pyarrow do.
fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    let options = IpcWriteOptions::try_new(8, false, MetadataVersion::V5).unwrap();
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Sums of many groups that nobody reads, whose connections are closed. By itself, the allocator keeps 100 MiB and more.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[tokio::test(flavor = "multi_thread")]
async fn memory_goes_back() {
    let process = process::Process::start(&["--http", "127.0.0.1:0", "--log-level", "error"]).await;
    let memory = || soak::size(process.id()).0 >> 10;
    let idle = memory();
    let body: String = (0..6_000).map(|row| format!("{LINE},{row}\n")).collect();
    let (path, length) = ("/v1/summarize?what=maps,pins,counts&by=c", body.len() + 6);
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/csv\r\ncontent-length: {length}\r\n\r\n");
    let mut open = Vec::new();
    for _ in 0..32 {
        let mut stream = TcpStream::connect(process.http.unwrap()).await.unwrap();
        stream.write_all(format!("{head}fen,c\n{body}").as_bytes()).await.unwrap();
        open.push(stream);
    }
    let (mut most, begun) = (0, Instant::now());
    while most < idle + 100 || begun.elapsed() < Duration::from_secs(3) {
        most = most.max(memory());
        assert!(begun.elapsed() < Duration::from_secs(20), "{most} MiB, {idle} idle");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(open);
    let begun = Instant::now();
    while memory() > idle + 64 {
        // Two seconds, on a machine that does nothing else.
        assert!(begun.elapsed() < Duration::from_secs(6), "{} MiB, {idle} idle", memory());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (now, seconds) = (memory(), begun.elapsed());
    common::say(format_args!("memory: {idle} MiB idle, {most} at most, {now} after {seconds:?}"));
    while metric(process.metrics, "held_bytes").await > 0.0 {
        assert!(begun.elapsed() < Duration::from_secs(6));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A client that takes a result faster than the least rate, but not in the time for one.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_held_for_some_time() {
    let text = format!("fen,\"{}\"\n{LINE},\n", "\u{1}".repeat(500_000));
    for (hold, is_whole) in [("1", false), ("100", true)] {
        let (running, address) = start(&["--hold", hold]).await;
        let stream = TcpStream::connect(address).await.unwrap();
        let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(65_535).initial_connection_window_size(65_535);
        let (mut sender, connection) = builder.handshake::<_, Body>(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        let sent = request(Method::POST, "/v1/analyze?keep=all", &[("content-type", "text/csv")], text.clone());
        let mut body = sender.send_request(sent).await.unwrap().into_body();
        let (mut bytes, mut ended) = (0, Ok(()));
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => bytes += frame.into_data().map_or(0, |data| data.len()),
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!((ended.is_ok(), bytes > 3_000_000), (is_whole, is_whole), "{hold}: {bytes} bytes");
        drop((sender, body, connection));
        running.is_well().await;
    }
}

/// References to texts that do not begin where they can be read are copied, and the copies count as a part of the message.
#[tokio::test(flavor = "multi_thread")]
async fn copies_count() {
    let texts = |count: usize| {
        // The bits of the nulls come first: eight bytes for each 64 rows.
        let texts = StringViewArray::from_iter((0..count).map(|row| (row > 0).then_some(LINE)));
        RecordBatch::try_from_iter_with_nullable([("fen", Arc::new(texts) as ArrayRef, true)]).unwrap()
    };
    let (running, address) = start(&["--message-bytes", "20000"]).await;
    for (count, status) in [(64, 200), (300, 200), (400, 413)] {
        let body = arrow_stream(&texts(count));
        assert!(body.len() < 20_000, "{}", body.len());
        let answer = send(address, "/v1/analyze?what=counts&on_error=null", &[ARROW], body).await;
        assert_eq!(answer.status, status, "{count}: {}", answer.text());
        if status == 413 {
            assert!(answer.text().contains("with copies of arrays that are not aligned"), "{}", answer.text());
        }
    }
    running.is_well().await;
}

/// A batch of more rows than there may be is too large over HTTP as well.
#[tokio::test]
async fn rows_of_batches_count() {
    let (running, address) = start(&["--batch-rows", "100"]).await;
    for (count, status) in [(100, 200), (101, 413)] {
        let texts = StringViewArray::from_iter_values((0..count).map(|_| LINE));
        let batch = RecordBatch::try_from_iter([("fen", Arc::new(texts) as ArrayRef)]).unwrap();
        let answer = send(address, "/v1/analyze?what=counts", &[ARROW], arrow_stream(&batch)).await;
        assert_eq!(answer.status, status, "{count}: {}", answer.text());
        if status == 413 {
            assert!(answer.text().contains("expected at most 100 rows, found 101"), "{}", answer.text());
        }
    }
    running.is_well().await;
}

/// What an answer is compressed with, and the most that a single answer takes.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_reserved() {
    let (running, address) = start(&[]).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = "POST /v1/analyze HTTP/1.1\r\nhost: x\r\naccept-encoding: zstd\r\ncontent-length: 1000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    running.wait_for("streams", 1.0).await;
    assert_eq!(running.metric("held_bytes").await, f64::from(1 << 20));
    drop(stream);
    running.is_well().await;
    let flights = running.client().await.list_flights(arrow_flight::Criteria::default()).await.unwrap();
    let flights: usize =
        flights.into_inner().map(|flight| flight.unwrap().encoded_len()).collect::<Vec<_>>().await.iter().sum();
    let documents =
        [fetch(address, "/openapi.json").await.good().len(), fetch(address, "/v1/products").await.good().len()];
    assert!(documents.into_iter().chain([flights]).all(|bytes| bytes <= 64 << 10), "{flights}, {documents:?}");
    running.is_well().await;
}
