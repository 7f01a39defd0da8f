//! The service as a process of its own: signals, exit codes, the log.

use std::process::Stdio;

use tokio::process::{Child, Command};

use super::trust::Directory;
use super::*;

/// A server in a process of its own, which ends with this.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
    pub metrics: SocketAddr,
}

impl Process {
    pub fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub async fn start(args: &[&str]) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_slider-attacks-serve"))
            .args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        // Each line of standard output is an address.
        let mut out = child.stdout.take().unwrap();
        let mut text = String::new();
        while text.lines().count() < 2 || !text.ends_with('\n') {
            let mut buffer = [0; 100];
            let count = out.read(&mut buffer).await.unwrap();
            assert!(count > 0, "it ended");
            text.push_str(str::from_utf8(&buffer[..count]).unwrap());
        }
        let mut lines = text.lines();
        let address = lines.next().unwrap().strip_prefix("grpc://").unwrap().parse().unwrap();
        let metrics = lines.next().unwrap().strip_prefix("http://").unwrap().strip_suffix("/metrics").unwrap();
        Process { child, address, metrics: metrics.parse().unwrap() }
    }

    #[cfg(unix)]
    async fn signal(&self, name: &str) {
        let id = self.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().await.unwrap().success());
    }

    /// Waits for its end. Returns the exit code, if it was not killed, and its log.
    async fn end(self) -> (Option<i32>, String) {
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
