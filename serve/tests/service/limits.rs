//! Limits of concurrent requests, and timeouts.

use super::*;

/// A stream that has been asked for, and to which more can be sent.
struct Asking {
    more: tokio::sync::mpsc::Sender<FlightData>,
    answers: Answers,
}

impl Asking {
    /// Asks for the answers to one batch, and keeps the stream open.
    async fn start(client: &mut FlightServiceClient<Channel>, work: &Work, batch: RecordBatch) -> Asking {
        let (more, mut rest) = tokio::sync::mpsc::channel(100);
        let mut sent = messages(work.descriptor(), vec![batch]);
        while let Some(data) = sent.next().await {
            more.send(data).await.unwrap();
        }
        let asked = stream::poll_fn(move |context| rest.poll_recv(context));
        Asking { more, answers: answers(client, asked).await.unwrap() }
    }

    async fn next(&mut self) -> Result<RecordBatch, Status> {
        self.answers.next().await.expect("it has not ended")
    }
}

#[tokio::test]
async fn streams_are_limited_per_client_and_in_total() {
    for (args, limit, message) in [
        (["--client-streams", "3"], "client_streams", "at most 3 streams of one client are served at a time"),
        (["--streams", "3"], "streams", "at most 3 streams are served at a time"),
    ] {
        let server = Running::start(&args).await;
        let work = Work::Attacks(Slider::Queen);
        let batch = work.batch(&mut Random(1), 10);
        let mut client = server.client().await;
        let mut open = Vec::new();
        for _ in 0..3 {
            let mut asking = Asking::start(&mut client, &work, batch.clone()).await;
            assert_eq!(asking.next().await.unwrap(), work.expected(&batch));
            open.push(asking);
        }
        let refused = work.ask(&mut client, vec![batch.clone()]).await;
        assert_eq!(failed(refused), (Code::ResourceExhausted, message.into()));
        assert_eq!(server.metric(&format!("refused_total{{reason=\"{limit}\"}}")).await, 1.0);
        drop(open.pop());
        server.wait_for("streams", 2.0).await;
        assert_eq!(work.ask(&mut client, vec![batch.clone()]).await.unwrap(), work.expected(&batch));
        drop(open);
        server.is_well().await;
    }
}

#[tokio::test]
async fn connections_are_limited() {
    let server = Running::start(&["--connections", "2"]).await;
    let (one, two) = (server.client().await, server.client().await);
    server.wait_for("connections", 2.0).await;
    let mut third = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(third.read(&mut [0]).await.unwrap_or(0), 0, "it is closed");
    assert_eq!(server.metric("refused_total{reason=\"connections\"}").await, 1.0);
    drop((one, two));
    server.wait_for("connections", 0.0).await;
    server.is_well().await;
}

#[tokio::test]
async fn messages_and_batches_are_limited() {
    let server = Running::start(&["--message-bytes", "10000", "--batch-rows", "1000"]).await;
    let work = Work::Attacks(Slider::Rook);
    let mut client = server.client().await;
    for (rows, code, message) in [
        (1000, Code::Ok, ""),
        (1001, Code::ResourceExhausted, "batch 0: expected at most 1000 rows, found 1001"),
        (2000, Code::OutOfRange, "a message has at most 10000 bytes, found "),
    ] {
        let batch = work.batch(&mut Random(2), rows);
        let answer = work.ask(&mut client, vec![batch.clone()]).await;
        if code == Code::Ok {
            assert_eq!(answer.unwrap(), work.expected(&batch));
        } else {
            let (found, text) = failed(answer);
            assert_eq!(found, code);
            assert!(text.starts_with(message), "{text}");
        }
    }
    server.is_well().await;
}

/// Clients wait for each other rather than that the server takes more memory, and none waits for ever.
#[tokio::test]
async fn the_bytes_held_are_limited() {
    let server = Running::start(&["--message-bytes", "1000000", "--held-bytes", "1500000"]).await;
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(3), 100_000); // 0.9 MB
    let expected = work.expected(&batch);
    let watching = {
        let address = server.metrics;
        tokio::spawn(async move {
            let mut most: f64 = 0.0;
            for _ in 0..50 {
                most = most.max(metric(address, "held_bytes").await);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            most
        })
    };
    let asking = (0..12).map(|_| {
        let (work, batch, address) = (work.clone(), batch.clone(), server.address);
        tokio::spawn(async move { work.ask(&mut client(address).await, vec![batch; 5]).await })
    });
    for answer in asking.collect::<Vec<_>>() {
        let answer = answer.await.unwrap().unwrap();
        assert_eq!(answer.num_rows(), 500_000);
        assert_eq!(answer.slice(400_000, 100_000), expected);
    }
    let most = watching.await.unwrap();
    assert!(most > 0.0 && most <= 1_500_000.0, "{most} bytes were held");
    common::say(format_args!("held: {most} of 1500000 bytes at most"));
    server.is_well().await;
}

/// Few rows are answered while others compute many.
#[tokio::test(flavor = "multi_thread")]
async fn small_requests_pass_large_ones() {
    let server = Running::start(&[]).await;
    let large = Work::Analyze(Product::ALL.to_vec());
    let batch = large.batch(&mut Random(4), 10_000);
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let (large, batch, address) = (large.clone(), batch.clone(), server.address);
            tokio::spawn(async move {
                let start = Instant::now();
                large.ask(&mut client(address).await, vec![batch]).await.unwrap();
                start.elapsed()
            })
        })
        .collect();
    server.wait_for("streams", 4.0).await;
    let small = Work::Analyze(vec![Product::Maps]);
    let batch = small.batch(&mut Random(5), 200); // more than is computed without a queue
    let mut client = server.client().await;
    let mut slowest = Duration::ZERO;
    for _ in 0..2 {
        let start = Instant::now();
        assert_eq!(small.ask(&mut client, vec![batch.clone()]).await.unwrap(), small.expected(&batch));
        slowest = slowest.max(start.elapsed());
    }
    let mut fastest = Duration::MAX;
    for large in asking {
        fastest = fastest.min(large.await.unwrap());
    }
    common::say(format_args!("small and large: {slowest:?} at most, {fastest:?} at least"));
    assert!(slowest < fastest, "{slowest:?} and {fastest:?}");
}

/// Who sends nothing is cut off, and so is who takes nothing. Who is only slow is not.
#[tokio::test]
async fn idle_streams_end() {
    let server = Running::start(&["--idle", "0.6"]).await;
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(6), 100_000);
    let mut client = server.client().await;

    // Silent after its first batch.
    let mut silent = Asking::start(&mut client, &work, batch.slice(0, 5)).await;
    assert!(silent.next().await.is_ok());
    let start = Instant::now();
    let (code, message) = failed(silent.next().await);
    assert_eq!((code, message.as_str()), (Code::DeadlineExceeded, "timed out waiting for the next message"));
    assert!((0.5..5.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());

    // Silent from the beginning: neither a descriptor nor anything else.
    let (more, mut rest) = tokio::sync::mpsc::channel::<FlightData>(1);
    let nothing = client.do_exchange(stream::poll_fn(move |context| rest.poll_recv(context))).await.unwrap();
    let (code, _) = failed(nothing.into_inner().try_collect::<Vec<_>>().await);
    assert_eq!(code, Code::DeadlineExceeded);
    drop(more);

    // Sends without end, and reads nothing.
    let endless = stream::iter(messages(work.descriptor(), vec![batch.clone(); 200]).collect::<Vec<_>>().await);
    let unread = self::client(server.address).await.do_exchange(endless).await.unwrap();
    server.wait_for("streams", 1.0).await;
    server.wait_for("streams", 0.0).await;
    server.wait_for("held_bytes", 0.0).await;
    drop(unread);

    // Slow in both directions, but never silent for this long.
    let (more, mut rest) = tokio::sync::mpsc::channel(1);
    let mut sent = messages(work.descriptor(), vec![batch.slice(0, 10); 5]);
    let sending = tokio::spawn(async move {
        while let Some(data) = sent.next().await {
            more.send(data).await.unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
    let mut slow = answers(&mut client, stream::poll_fn(move |context| rest.poll_recv(context))).await.unwrap();
    let mut count = 0;
    while let Some(answer) = slow.next().await {
        assert_eq!(answer.unwrap(), work.expected(&batch.slice(0, 10)));
        tokio::time::sleep(Duration::from_millis(250)).await;
        count += 1;
    }
    assert_eq!(count, 5);
    sending.await.unwrap();

    // A connection on which nothing moves.
    let mut quiet = TcpStream::connect(server.address).await.unwrap();
    let mut bytes = Vec::new();
    let start = Instant::now();
    let _ = quiet.read_to_end(&mut bytes).await;
    assert!((0.5..10.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
    server.is_well().await;
}

/// What runs is finished, and nothing more is taken. What does not end is cut off.
#[tokio::test]
async fn stopping_lets_streams_end() {
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(7), 10);
    for ends in [true, false] {
        let server = Running::start(&["--grace", if ends { "20" } else { "0.3" }]).await;
        let address = server.address;
        let mut asking = Asking::start(&mut server.client().await, &work, batch.clone()).await;
        assert!(asking.next().await.is_ok());
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        let mut health = tonic_health::pb::health_client::HealthClient::new(endpoint.connect().await.unwrap());
        let request = tonic_health::pb::HealthCheckRequest { service: String::new() };
        let mut watched = health.watch(request).await.unwrap().into_inner();
        assert_eq!(watched.message().await.unwrap().unwrap().status, 1);
        let metrics = server.metrics;
        assert!(observed(metrics, "/healthz").await.starts_with("HTTP/1.1 200 OK"));
        let stopping = tokio::spawn(server.stop());
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(watched.message().await.unwrap().unwrap().status, 2);
        assert!(observed(metrics, "/healthz").await.starts_with("HTTP/1.1 503 Service Unavailable"));
        assert!(TcpStream::connect(address).await.is_err(), "no more connections are taken");
        if ends {
            let mut sent = messages(work.descriptor(), vec![batch.clone()]).skip(1);
            asking.more.send(sent.next().await.unwrap()).await.unwrap();
            assert_eq!(asking.next().await.unwrap(), work.expected(&batch));
            let Asking { more, mut answers } = asking;
            drop(more);
            assert!(answers.next().await.is_none());
            drop(answers);
        }
        assert_eq!(stopping.await.unwrap(), ends);
    }
}
