//! Authentication: tokens and certificates.

use std::path::{Path, PathBuf};

use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::Request;
use tonic::metadata::MetadataValue;

use super::*;

/// A directory that is removed at the end.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("slider-attacks-serve-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An authority, and a server's certificate and key that it vouches for.
pub struct Certificates {
    authority: String,
    pub cert: String,
    pub key: String,
}

impl Certificates {
    pub fn new(host: &str) -> Certificates {
        Certificates::until(host, rcgen::date_time_ymd(4000, 1, 1))
    }

    /// The same, but of long ago.
    pub fn expired(host: &str) -> Certificates {
        Certificates::until(host, rcgen::date_time_ymd(2001, 1, 1))
    }

    fn until(host: &str, until: impl Into<std::time::SystemTime>) -> Certificates {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        params.not_after = until.into().into();
        let cert = params.signed_by(&key, &issuer).unwrap();
        Certificates { authority, cert: cert.pem(), key: key.serialize_pem() }
    }
}

impl Certificates {
    /// Connects to a server that says that it is `localhost`, to speak one of these protocols.
    pub async fn connect(&self, address: SocketAddr, protocols: &[&str]) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        connector(&self.authority, protocols).connect(name, stream).await.unwrap()
    }
}

/// What believes this authority.
fn connector(authority: &str, protocols: &[&str]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}

/// Connects to a server that says that it is `localhost`, if this authority vouches for it.
async fn tls_client(
    address: SocketAddr,
    authority: &str,
) -> Result<FlightServiceClient<Channel>, tonic::transport::Error> {
    let connector = connector(authority, &["h2"]);
    let connect = tower::service_fn(move |_| {
        let connector = connector.clone();
        async move {
            let stream = TcpStream::connect(address).await?;
            let name = ServerName::try_from("localhost").unwrap();
            Ok::<_, std::io::Error>(TokioIo::new(connector.connect(name, stream).await?))
        }
    });
    let endpoint = Endpoint::from_static("http://localhost");
    Ok(FlightServiceClient::new(endpoint.connect_with_connector(connect).await?))
}

/// Asks as the bearer of a token.
async fn ask_as(client: &mut FlightServiceClient<Channel>, authorization: Option<&str>) -> Result<(), Status> {
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(1), 10);
    let mut request = Request::new(messages(work.descriptor(), vec![batch.clone()]));
    if let Some(authorization) = authorization {
        request.metadata_mut().insert("authorization", MetadataValue::try_from(authorization).unwrap());
    }
    let answers = decoded(client.do_exchange(request).await?);
    assert_eq!(answers.try_collect::<Vec<_>>().await?, [work.expected(&batch)]);
    Ok(())
}

const ANN: &str = "ann-0123456789abcdef0123456789abcdef";
const NEW: &str = "new-0123456789abcdef0123456789abcdef";
const BOB: &str = "bob-0123456789abcdef0123456789abcdef";
const OTHER: &str = "xyz-0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn tokens() {
    let directory = Directory::new("tokens");
    let file = directory.write("tokens", &format!("# who may ask\nann {ANN}\nbob {BOB}\n"));
    let server = Running::start(&["--tokens", &file]).await;
    let mut client = server.client().await;
    for token in [ANN, BOB] {
        for scheme in ["Bearer", "bearer"] {
            ask_as(&mut client, Some(&format!("{scheme} {token}"))).await.unwrap();
        }
    }
    let refused = [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some(ANN),
        Some("Basic YW5uOmFubg=="),
        Some("Bearer ann"),
        Some(&format!("Bearer {OTHER}")),
        Some(&format!("Bearer {}", &ANN[..ANN.len() - 1])),
        Some(&format!("Bearer {ANN} ")),
        Some(&format!("Bearer {ANN}{BOB}")),
    ]
    .map(|authorization| authorization.map(str::to_owned));
    for authorization in &refused {
        let (code, message) = failed(ask_as(&mut client, authorization.as_deref()).await);
        assert_eq!(code, Code::Unauthenticated, "{authorization:?}");
        assert_eq!(message, "missing or unknown bearer token");
    }
    // Nothing else is answered either.
    assert_eq!(
        failed(client.list_flights(arrow_flight::Criteria::default()).await.map(|_| ())).0,
        Code::Unauthenticated
    );
    assert_eq!(
        failed(client.do_action(arrow_flight::Action::new("health", "")).await.map(|_| ())).0,
        Code::Unauthenticated
    );
    // But anyone may learn whether it serves.
    let endpoint = Endpoint::from_shared(format!("http://{}", server.address)).unwrap();
    let mut health = tonic_health::pb::health_client::HealthClient::new(endpoint.connect().await.unwrap());
    for (service, expected) in [("", Ok(1)), ("arrow.flight.protocol.FlightService", Ok(1)), ("x", Err(Code::NotFound))]
    {
        let answer = health.check(tonic_health::pb::HealthCheckRequest { service: service.into() }).await;
        assert_eq!(answer.map(|answer| answer.into_inner().status).map_err(|status| status.code()), expected);
    }
    let count = server.metric(r#"refused_total{reason="token"}"#).await;
    assert_eq!(count, refused.len() as f64 + 2.0);

    // Ann's token is replaced by a new one. A file that cannot be read changes nothing.
    directory.write("tokens", &format!("ann {NEW}\n"));
    let start = Instant::now();
    while ask_as(&mut client, Some(&format!("Bearer {NEW}"))).await.is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "the tokens were not read again");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for token in [ANN, BOB] {
        assert_eq!(failed(ask_as(&mut client, Some(&format!("Bearer {token}"))).await).0, Code::Unauthenticated);
    }
    directory.write("tokens", "nonsense");
    tokio::time::sleep(Duration::from_millis(2500)).await;
    ask_as(&mut client, Some(&format!("Bearer {NEW}"))).await.unwrap();
}

/// The limit of one client is not that of another.
#[tokio::test]
async fn clients_are_told_apart_by_their_tokens() {
    let directory = Directory::new("clients");
    let file = directory.write("tokens", &format!("ann {ANN}\nann {NEW}\nbob {BOB}\n"));
    let server = Running::start(&["--tokens", &file, "--client-streams", "1"]).await;
    let mut client = server.client().await;
    let work = Work::Attacks(Slider::Queen);
    let sent: Vec<FlightData> = messages(work.descriptor(), vec![work.batch(&mut Random(2), 5)]).collect().await;
    let mut request = Request::new(stream::iter(sent).chain(stream::pending()));
    request.metadata_mut().insert("authorization", MetadataValue::try_from(format!("Bearer {ANN}")).unwrap());
    let open = client.do_exchange(request).await.unwrap();
    for (token, code) in [(ANN, Some(Code::ResourceExhausted)), (NEW, Some(Code::ResourceExhausted)), (BOB, None)] {
        let answer = ask_as(&mut client, Some(&format!("Bearer {token}"))).await;
        assert_eq!(answer.err().map(|status| status.code()), code, "{token}");
    }
    drop(open);
}

#[tokio::test]
async fn certificates() {
    let directory = Directory::new("certificates");
    let [first, second, elsewhere] = ["localhost", "localhost", "elsewhere.example"].map(Certificates::new);
    let (cert, key) = (directory.write("cert.pem", &first.cert), directory.write("key.pem", &first.key));
    let server = Running::start(&["--tls-cert", &cert, "--tls-key", &key]).await;
    ask_as(&mut tls_client(server.address, &first.authority).await.unwrap(), None).await.unwrap();
    // Another authority vouches for it, or nobody does, or there is no TLS at all.
    assert!(tls_client(server.address, &second.authority).await.is_err());
    let plain = Endpoint::from_shared(format!("http://{}", server.address)).unwrap();
    let plain = match plain.connect().await {
        Ok(channel) => ask_as(&mut FlightServiceClient::new(channel), None).await.is_err(),
        Err(_) => true,
    };
    assert!(plain, "a client without TLS was served");

    // The certificate is replaced, while a connection goes on.
    let mut before = tls_client(server.address, &first.authority).await.unwrap();
    ask_as(&mut before, None).await.unwrap();
    directory.write("cert.pem", &second.cert);
    directory.write("key.pem", &second.key);
    let start = Instant::now();
    let mut after = loop {
        if let Ok(client) = tls_client(server.address, &second.authority).await {
            break client;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "the certificate was not read again");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    ask_as(&mut after, None).await.unwrap();
    ask_as(&mut before, None).await.unwrap();
    assert!(tls_client(server.address, &first.authority).await.is_err());

    // A key that is not that of the certificate changes nothing.
    directory.write("key.pem", &first.key);
    tokio::time::sleep(Duration::from_millis(2500)).await;
    ask_as(&mut tls_client(server.address, &second.authority).await.unwrap(), None).await.unwrap();

    // A certificate for another name is not taken by the client.
    let (cert, key) = (directory.write("cert.pem", &elsewhere.cert), directory.write("key.pem", &elsewhere.key));
    let server = Running::start(&["--tls-cert", &cert, "--tls-key", &key]).await;
    assert!(tls_client(server.address, &elsewhere.authority).await.is_err());
}

#[tokio::test]
async fn unsafe_options_are_refused() {
    let directory = Directory::new("options");
    let certificates = Certificates::new("localhost");
    let cert = directory.write("cert.pem", &certificates.cert);
    let key = directory.write("key.pem", &certificates.key);
    let tokens = directory.write("tokens", &format!("ann {ANN}\n"));
    let empty = directory.write("empty", "");
    let missing = Path::new(&empty).with_file_name("missing").to_str().unwrap().to_owned();
    let outside = "0.0.0.0:0 can be reached from outside: --tls-cert, --tls-key and --tokens are needed";
    let cases: Vec<(Vec<&str>, String)> = vec![
        (vec!["--listen", "0.0.0.0:0"], outside.into()),
        (vec!["--listen", "0.0.0.0:0", "--tokens", &tokens], outside.into()),
        (vec!["--listen", "0.0.0.0:0", "--tls-cert", &cert, "--tls-key", &key], outside.into()),
        (vec!["--listen", "[::]:0"], outside.replace("0.0.0.0:0", "[::]:0")),
        (vec!["--tokens", &missing], format!("cannot read {missing}")),
        (vec!["--tokens", &empty], format!("tokens in {empty}")),
        (vec!["--tls-cert", &missing, "--tls-key", &key], format!("cannot read {missing}")),
        (vec!["--tls-cert", &empty, "--tls-key", &key], format!("no certificate in {empty}")),
        (vec!["--tls-cert", &cert, "--tls-key", &cert], format!("cannot read {cert}")),
        (vec!["--tokens", "/"], "cannot read /: it is not a file".into()),
        (
            vec!["--metrics", "0.0.0.0:0"],
            "0.0.0.0:0 can be reached from outside: metrics need neither TLS nor a token, which --allow-remote-metrics \
             accepts"
                .into(),
        ),
        (
            vec!["--client-held-bytes", "2000"],
            "--client-held-bytes must be at least --message-bytes: 2000 is less than 16777216".into(),
        ),
        (
            vec!["--held-bytes", "2000"],
            "--held-bytes must be at least --message-bytes: 2000 is less than 16777216".into(),
        ),
    ];
    for (args, message) in cases {
        let options = Options::parse_from(["serve", "--listen", "127.0.0.1:0"].iter().chain(&args[..]).filter({
            // The last address counts.
            let replaces = args.contains(&"--listen");
            let mut skipped = 0;
            move |argument| {
                let skips = replaces && skipped < 2 && ["--listen", "127.0.0.1:0"].contains(argument);
                skipped += usize::from(skips);
                !skips
            }
        }));
        let error = Server::bind(options).await.err().unwrap().to_string();
        assert_eq!(error, message);
    }
    for args in [vec!["--tls-cert", &cert], vec!["--tls-key", &key], vec!["--idle", "0"], vec!["--threads", "0"]] {
        assert!(Options::try_parse_from(["serve"].iter().chain(&args)).is_err(), "{args:?}");
    }
}
