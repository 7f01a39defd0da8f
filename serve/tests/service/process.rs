//! The service as a separate process: signals, exit codes, the log.

use std::process::Stdio;

use tokio::process::{Child, Command};

use super::trust::{Certificates, Directory};
use super::*;

/// A server in a process of its own, which ends with this.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
    pub http: Option<SocketAddr>,
    pub metrics: SocketAddr,
}

impl Process {
    pub fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub async fn start(args: &[&str]) -> Process {
        Process::start_with(args, Stdio::piped(), |command| command).await
    }

    /// The same with another end for its log, and with other changes.
    async fn start_with(
        args: &[&str],
        log: impl Into<Stdio>,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve"));
        command
            .args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true);
        let mut child = change(&mut command).spawn().unwrap();
        // Each line of standard output is an address.
        let mut out = child.stdout.take().unwrap();
        let mut text = String::new();
        let addresses = if args.contains(&"--http") { 3 } else { 2 };
        while text.lines().count() < addresses || !text.ends_with('\n') {
            let mut buffer = [0; 100];
            let count = out.read(&mut buffer).await.unwrap();
            assert!(count > 0, "it ended");
            text.push_str(str::from_utf8(&buffer[..count]).unwrap());
        }
        let mut lines = text.lines();
        let address = lines.next().unwrap().strip_prefix("grpc://").unwrap().parse().unwrap();
        let metrics = lines.next_back().unwrap().strip_prefix("http://").unwrap().strip_suffix("/metrics").unwrap();
        let http = lines.next().map(|line| line.strip_prefix("http://").unwrap().parse().unwrap());
        Process { child, address, http, metrics: metrics.parse().unwrap() }
    }

    #[cfg(unix)]
    pub async fn signal(&self, name: &str) {
        let id = self.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().await.unwrap().success());
    }

    /// Waits for its end. Returns the exit code, if it was not killed, and its log.
    pub async fn end(self) -> (Option<i32>, String) {
        let output =
            tokio::time::timeout(Duration::from_secs(20), self.child.wait_with_output()).await.unwrap().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

/// Asks again and again until that fails. Returns the rows that were answered.
async fn ask_until_it_fails(address: SocketAddr, seed: u64) -> usize {
    let (work, mut random) = (Work::Attacks(Slider::Queen), Random(seed));
    let batch = work.batch(&mut random, 30_000);
    let expected = work.expected(&batch);
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut rows = 0;
    let Ok(channel) = endpoint.connect().await else { return 0 };
    let mut client = FlightServiceClient::new(channel);
    loop {
        let Ok(mut answers) = answers(&mut client, messages(work.descriptor(), vec![batch.clone(); 4])).await else {
            return rows;
        };
        for _ in 0..4 {
            match answers.next().await {
                // Whatever comes is right.
                Some(Ok(answer)) => assert_eq!(answer, expected),
                Some(Err(_)) => return rows,
                None => panic!("the stream ended before its last answer, without a failure"),
            }
            rows += batch.num_rows();
        }
        // To go away before the end would cancel the stream.
        match answers.next().await {
            None => {}
            Some(Ok(_)) => panic!("more answers than questions"),
            Some(Err(_)) => return rows,
        }
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn signals_under_load() {
    for signal in ["-TERM", "-KILL", "-INT"] {
        let process = Process::start(&["--grace", "10"]).await;
        let asking: Vec<_> = (0..8).map(|seed| tokio::spawn(ask_until_it_fails(process.address, seed))).collect();
        let start = Instant::now();
        while metric(process.metrics, "rows_total{call=\"queen_attacks\"}").await < 300_000.0 {
            assert!(start.elapsed() < Duration::from_secs(20));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        process.signal(signal).await;
        let (code, log) = process.end().await;
        let mut rows = 0;
        for asking in asking {
            rows += asking.await.unwrap();
        }
        common::say(format_args!("{signal} under load: {rows} rows answered, none wrongly; exit code {code:?}"));
        if signal == "-KILL" {
            assert_eq!(code, None);
        } else {
            assert_eq!(code, Some(0), "{log}");
            assert!(log.contains("stopping") && log.trim_end().ends_with("stopped"), "{log}");
            // Streams that ran were answered to their end.
            let ended: Vec<&str> = log.lines().filter(|line| line.contains("stream ended")).collect();
            assert!(ended.len() > 3 && ended.iter().all(|line| line.contains("status=Ok")), "{log}");
        }
    }
}

#[tokio::test]
async fn the_log_has_neither_data_nor_tokens() {
    let directory = Directory::new("log");
    let token = "secret-0123456789abcdef0123456789abcdef";
    let file = directory.write("tokens", &format!("ann {token}\n"));
    let process = Process::start(&["--tokens", &file, "--log", "json", "--log-level", "debug", "--grace", "1"]).await;
    let mut client = client(process.address).await;
    let fens: ArrayRef = Arc::new(StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -", "hush"]));
    let batch = RecordBatch::try_from_iter_with_nullable([("fen", fens, true)]).unwrap();
    let work = Work::Analyze(vec![Product::Maps]);
    for bearer in [token, "wrong-0123456789abcdef0123456789abcdef"] {
        let mut request = tonic::Request::new(messages(work.descriptor(), vec![batch.clone()]));
        let value = format!("Bearer {bearer}").parse().unwrap();
        request.metadata_mut().insert("authorization", value);
        let ended = match client.do_exchange(request).await {
            Ok(answers) => answers.into_inner().try_collect::<Vec<_>>().await.map(|_| ()),
            Err(status) => Err(status),
        };
        failed(ended);
    }
    // HTTP/2 itself: a goodbye with a text, and headers that are wrong.
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".as_slice();
    let goodbye = [preface, b"\0\0\x0e\x07\0\0\0\0\0\0\0\0\0\0\0\0\x02hush\n\""].concat();
    let headers = [preface, b"\0\0\x11\x01\x05\0\0\0\x01\x82\x84\x86\0\x04hush\x06secret\x80"].concat();
    for bytes in [goodbye, headers] {
        let mut stream = TcpStream::connect(process.address).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        let _ = tokio::time::timeout(Duration::from_millis(300), stream.read(&mut [0; 1000])).await;
    }
    let text = metrics(process.metrics).await;
    assert!(text.contains(r#"requests_total{call="analyze",status="InvalidArgument"} 1"#), "{text}");
    drop(client);
    #[cfg(unix)]
    process.signal("-TERM").await;
    let (code, log) = process.end().await;
    assert_eq!(code, Some(0));
    let events: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ended = events.iter().find(|event| event["message"] == "stream ended").unwrap();
    assert_eq!(
        (&ended["client"], &ended["call"], &ended["status"]),
        (&"ann".into(), &"analyze".into(), &"InvalidArgument".into())
    );
    for secret in ["secret", "wrong-", "hush", "4k3", "Bearer"] {
        assert!(!log.contains(secret), "{secret} in {log}");
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[tokio::test]
async fn failures_have_an_exit_code() {
    for (args, expected, message) in [
        (&["--listen", "0.0.0.0:0"][..], 1, "error: 0.0.0.0:0 can be reached from outside"),
        (&["--backend", "abacus"], 2, "error: invalid value 'abacus'"),
        (&["--listen", "nowhere"], 2, "error: invalid value 'nowhere'"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve")).args(args).output().await.unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        assert!(text.starts_with(message), "{text}");
        assert!(output.stdout.is_empty());
    }
}

/// Asks for one row, so often, with a stream for each.
async fn ask_often(address: SocketAddr, count: usize) {
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(1), 1);
    let mut client = client(address).await;
    for _ in 0..count {
        let sent = work.ask(&mut client, vec![batch.clone()]);
        let answer = tokio::time::timeout(Duration::from_secs(10), sent).await.expect("it hangs");
        assert_eq!(answer.unwrap(), work.expected(&batch));
    }
}

/// A full disk, a pipe that nobody reads, and one that nobody can read any more: the log is lost, and nothing else.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn logs_that_cannot_be_written() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let process = Process::start_with(&["--log-level", "debug"], full(), |command| command).await;
    ask_often(process.address, 50).await;
    process.signal("-TERM").await;
    assert_eq!(process.end().await.0, Some(0));
    let mut command = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve"));
    assert_eq!(command.args(["--tokens", "/"]).stderr(full()).status().await.unwrap().code(), Some(1));

    for (kind, is_read) in [("that nobody reads", true), ("without a reader", false)] {
        let process = Process::start(&["--log-level", "debug"]).await;
        let Process { mut child, address, metrics, http } = process;
        let log = child.stderr.take().filter(|_| is_read);
        // Each connection makes two lines. A pipe takes 64 KiB of them, and thousands wait.
        for _ in 0..3500 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.shutdown().await.unwrap();
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
        ask_often(address, 50).await;
        let lost = metric(metrics, "log_lines_lost_total").await;
        common::say(format_args!("a log {kind}: {lost} lines lost"));
        assert!(lost > 1000.0);
        let process = Process { child, address, metrics, http };
        process.signal("-TERM").await;
        let start = Instant::now();
        assert_eq!(process.end().await.0, Some(0));
        assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
        drop(log);
    }
}

/// Requests of text wait for the rest of their bodies, and none has a thread for that.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn requests_have_no_threads_of_their_own() {
    const REQUESTS: usize = 40;
    let process = Process::start(&["--http", "127.0.0.1:0"]).await;
    let (address, line) = (process.http.unwrap(), "4k3/8/8/8/8/8/8/R3K3 w Q -\n");
    let threads = || std::fs::read_dir(format!("/proc/{}/task", process.id())).unwrap().count();
    assert_eq!(web::send(address, "/v1/analyze", &[], line.repeat(1_000)).await.status, 200);
    let before = threads();
    let mut open = Vec::new();
    for at in 0..REQUESTS {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let path = ["/v1/analyze", "/v1/summarize"][at % 2];
        let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", 2 * line.len());
        stream.write_all(format!("{head}{line}4k3/8").as_bytes()).await.unwrap();
        open.push(stream);
    }
    let start = Instant::now();
    while metric(process.metrics, "streams").await < REQUESTS as f64 {
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(threads() <= before, "{} threads, {before} without requests", threads());
    for stream in &mut open {
        stream.write_all(&line.as_bytes()[5..]).await.unwrap();
        let mut buffer = [0; 100];
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(buffer[..count].starts_with(b"HTTP/1.1 200 "));
    }
}

/// So many lines per client and second, however often it asks.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_short_however_many_ask() {
    let process = Process::start(&["--grace", "1"]).await;
    let start = Instant::now();
    let mut client = client(process.address).await;
    let mut count = 0;
    while start.elapsed() < Duration::from_secs(2) {
        failed(client.get_schema(FlightDescriptor::new_path(vec!["nothing".into()])).await);
        count += 1;
    }
    let omitted = metric(process.metrics, "log_lines_omitted_total").await;
    drop(client);
    process.signal("-TERM").await;
    let (code, log) = process.end().await;
    assert_eq!(code, Some(0));
    let lines = log.lines().filter(|line| line.contains("status=InvalidArgument")).count();
    common::say(format_args!("{count} wrong calls in {:?}: {lines} lines", start.elapsed()));
    assert!(count > 300 && lines <= 260, "{count} calls, {lines} lines");
    assert_eq!(lines as f64 + omitted, f64::from(count));
    let line = log.lines().rfind(|line| line.contains("status=InvalidArgument")).unwrap();
    for field in ["connection=1 ", "request=", "peer=127.0.0.1:", "client=\"127.0.0.1\" ", "call=\"get_schema\" "] {
        assert!(line.contains(field), "{line}");
    }
}

/// A second signal does not wait, and the exit code says that a stream was cut off.
#[cfg(unix)]
#[tokio::test]
async fn a_second_signal_stops_at_once() {
    for (grace, signals) in [("30", 2), ("0.5", 1)] {
        let process = Process::start(&["--grace", grace]).await;
        let work = Work::Attacks(Slider::Queen);
        let sent = messages(work.descriptor(), vec![work.batch(&mut Random(1), 1)]).chain(stream::pending());
        let mut client = client(process.address).await;
        let mut answers = decoded(client.do_exchange(sent).await.unwrap());
        answers.try_next().await.unwrap().unwrap();
        let start = Instant::now();
        for _ in 0..signals {
            process.signal("-TERM").await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let (code, log) = process.end().await;
        assert_eq!(code, Some(3), "{log}");
        assert!(log.contains("stopped before all streams had ended"), "{log}");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }
}

/// Options also come from the environment. SIGHUP has files read again, and systemd is told.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn files_are_read_again_when_asked() {
    let directory = Directory::new("reload");
    let token = |letter: &str| format!("ann {}\n", letter.repeat(40));
    let file = directory.write("tokens", &token("a"));
    let socket = directory.0.join("notify");
    let told = tokio::net::UnixDatagram::bind(&socket).unwrap();
    let process = Process::start_with(&["--grace", "5"], Stdio::piped(), |command| {
        command.env("NOTIFY_SOCKET", &socket).env("SLIDER_ATTACKS_TOKENS", &file).env("SLIDER_ATTACKS_LOG", "json")
    })
    .await;
    let mut buffer = [0; 100];
    let length = told.recv(&mut buffer).await.unwrap();
    assert_eq!(&buffer[..length], b"READY=1\n");
    let failures = |process: &Process| {
        let metrics = process.metrics;
        async move { metric(metrics, "reload_failures_total{file=\"tokens\"}").await }
    };
    assert_eq!(failures(&process).await, 0.0);
    directory.write("tokens", "nonsense");
    process.signal("-HUP").await;
    let start = Instant::now();
    while failures(&process).await == 0.0 {
        assert!(start.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    directory.write("tokens", &token("b"));
    process.signal("-HUP").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    process.signal("-TERM").await;
    let length = told.recv(&mut buffer).await.unwrap();
    assert_eq!(&buffer[..length], b"STOPPING=1\n");
    let (code, log) = process.end().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("\"not reloaded; the previous content stays in use\",\"what\":\"tokens\""), "{log}");
    assert!(log.contains("\"reloaded\",\"what\":\"tokens\""), "{log}");
}

/// What operators should know of their files, and a certificate that has expired.
#[cfg(unix)]
#[tokio::test]
async fn files_that_are_not_as_they_should_be() {
    use std::os::unix::fs::PermissionsExt;
    let directory = Directory::new("credentials");
    let certificates = Certificates::expired("localhost");
    let (cert, key) = (directory.write("cert", &certificates.cert), directory.write("key", &certificates.key));
    let token = "a".repeat(40);
    let tokens = directory.write("tokens", &format!("\u{feff}ann {token}\n"));
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
    std::fs::set_permissions(&tokens, PermissionsExt::from_mode(0o644)).unwrap();
    let args = ["--tls-cert", &cert, "--tls-key", &key, "--tokens", &tokens, "--grace", "1"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve"))
        .args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut text = String::new();
    while text.lines().count() < 2 || !text.ends_with('\n') {
        let mut buffer = [0; 100];
        let count = child.stdout.as_mut().unwrap().read(&mut buffer).await.unwrap();
        text.push_str(str::from_utf8(&buffer[..count]).unwrap());
    }
    assert!(text.starts_with("grpc+tls://"));
    let address = text.lines().nth(1).unwrap().strip_prefix("http://").unwrap().strip_suffix("/metrics").unwrap();
    let expiry = metric(address.parse().unwrap(), "certificate_expiry_seconds").await;
    assert!(expiry < -86400.0, "{expiry}");
    let address = address.parse().unwrap();
    let process = Process { child, address, http: None, metrics: address };
    process.signal("-TERM").await;
    let (code, log) = process.end().await;
    assert_eq!(code, Some(0));
    assert!(log.contains("ERROR") && log.contains("the certificate has expired"), "{log}");
    let open: Vec<&str> = log.lines().filter(|line| line.contains("every user of this machine may read")).collect();
    assert!(open.len() == 1 && open[0].contains("tokens"), "{log}");

    // A pipe would never end.
    let pipe = directory.0.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().await.unwrap().success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve"));
    command.args(["--listen", "127.0.0.1:0", "--tokens"]).arg(&pipe);
    let output = tokio::time::timeout(Duration::from_secs(10), command.output()).await.expect("it hangs").unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = format!("error: cannot read {}: it is not a file\n", pipe.display());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
}
