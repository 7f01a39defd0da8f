//! Answers over plain HTTP that the thread which parses them receives in its own buffers.
//!
//! If one thread receives bytes and others parse them, they are displaced in caches meanwhile, and threads wake each other. This is no
//! HTTP client: it sends a request that the crate has made and signed, and takes the one answer that it expects, a range of known
//! length. On anything else (another status, a chunked body, a broken connection, a slow server, TLS, a proxy) it fails. Then, the
//! client requests the same bytes, and for a minute all that this process reads from the server.

use std::env;
use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, MaybeDone, maybe_done};
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::uri::Authority;
use http::{Extensions, Method, Response, StatusCode};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
    ReqwestConnector,
};
use object_store::{ClientConfigKey, ClientOptions, GetResult};
use tokio::runtime::Handle;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::thread::runtime;

/// The longest that threads wait for a request to be sent, for the head of its answer, or for the body. Servers that are near take
/// some milliseconds.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long the client receives all from a server, once this has failed.
const DISTRUST: Duration = Duration::from_secs(60);
/// How many bytes the head of an answer may have, and how many headers.
const HEAD: usize = 8 << 10;
const HEADERS: usize = 64;
const USER_AGENT: &str = concat!("slider-attacks/", env!("CARGO_PKG_VERSION"));
/// Where the environment names proxies.
const PROXIES: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

/// Marks a request whose answer the calling thread receives.
#[derive(Clone, Debug, Default)]
struct DirectRequest {
    /// Set once it has been sent.
    is_sent: Arc<AtomicBool>,
    /// A connection that it may use.
    kept: Arc<Mutex<Option<DirectConnection>>>,
}

/// The body of such an answer, among the extensions of its response.
#[derive(Clone, Debug)]
struct DirectAnswer(Arc<Mutex<Option<ArrivingBody>>>);

/// Bytes that have been requested, and that threads receive who need them.
pub struct DirectBody {
    state: BodyState,
    /// How many bytes have not been received yet.
    rest: u64,
    /// How long threads have waited for the others.
    time: Duration,
}

enum BodyState {
    /// The request has been sent, if it could be.
    Sent(Pin<Box<MaybeDone<SentRequest>>>),
    /// The head has been received.
    Arriving(ArrivingBody),
}

/// A request that has been sent, and then the body of its answer.
type SentRequest = BoxFuture<'static, io::Result<ArrivingBody>>;

/// A body whose head has been received.
#[derive(Debug)]
struct ArrivingBody {
    connection: DirectConnection,
    /// What has arrived with the head.
    begin: Vec<u8>,
    length: u64,
    is_kept: bool,
}

/// A connection to a server.
#[derive(Debug)]
pub struct DirectConnection {
    stream: TcpStream,
    authority: String,
    has_answered: bool,
}

/// Servers that have not answered as expected, and when.
static DISTRUSTED: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// Makes clients that answer marked requests in the calling thread.
#[derive(Debug)]
pub struct DirectConnector;

impl HttpConnector for DirectConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let user_agent = options.get_config_value(&ClientConfigKey::UserAgent);
        Ok(HttpClient::new(DirectService {
            client: ReqwestConnector::default().connect(options)?,
            has_proxy: options.get_config_value(&ClientConfigKey::ProxyUrl).is_some(),
            user_agent: user_agent.unwrap_or_else(|| USER_AGENT.to_owned()),
        }))
    }
}

#[derive(Debug)]
struct DirectService {
    /// Sends all requests without the mark.
    client: HttpClient,
    has_proxy: bool,
    user_agent: String,
}

impl HttpService for DirectService {
    fn call<'a, 'b>(&'a self, request: HttpRequest) -> BoxFuture<'b, Result<HttpResponse, HttpError>>
    where
        'a: 'b,
        Self: 'b,
    {
        let Some(direct) = request.extensions().get::<DirectRequest>().cloned() else {
            return Box::pin(self.client.execute(request));
        };
        Box::pin(async move {
            let sent = self.send(&request, lock(&direct.kept).take());
            direct.is_sent.store(true, Relaxed);
            // Others may send theirs before this one waits.
            yield_now().await;
            let answer = sent.and_then(|connection| match connection.answer() {
                // The server has closed it since the last answer.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => self.send(&request, None)?.answer(),
                answer => answer,
            });
            if answer.is_err() {
                distrust(request.uri().authority().map_or("", Authority::as_str));
            }
            // The crate does not retry after an error of this kind.
            answer.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))
        })
    }
}

impl DirectService {
    /// Sends a request, on this connection if it is one to the server.
    fn send(&self, request: &HttpRequest, kept: Option<DirectConnection>) -> io::Result<DirectConnection> {
        let uri = request.uri();
        let has_proxy =
            || PROXIES.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty())) || self.has_proxy;
        let Some(authority) = uri.authority().filter(|_| uri.scheme_str() == Some("http") && !has_proxy()) else {
            return Err(ErrorKind::Unsupported.into());
        };
        if request.method() != Method::GET || is_distrusted(authority.as_str()) {
            return Err(ErrorKind::Unsupported.into());
        }
        let kept = kept.filter(|connection| connection.authority == authority.as_str());
        let mut connection = kept.map_or_else(|| DirectConnection::new(authority), Ok)?;
        // If this fails, so does reading.
        let _ = connection.stream.write_all(&head(request, &self.user_agent));
        Ok(connection)
    }
}

/// Has the client receive all from a server for some time.
fn distrust(authority: &str) {
    if !is_distrusted(authority) {
        lock(&DISTRUSTED).push((authority.to_owned(), Instant::now()));
    }
}

fn is_distrusted(authority: &str) -> bool {
    let mut distrusted = lock(&DISTRUSTED);
    distrusted.retain(|(_, since)| since.elapsed() < DISTRUST);
    distrusted.iter().any(|(other, _)| other == authority)
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request as it is sent.
fn head(request: &HttpRequest, user_agent: &str) -> Vec<u8> {
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let mut head = format!("GET {target} HTTP/1.1\r\nuser-agent: {user_agent}\r\n").into_bytes();
    if let Some(authority) = request.uri().authority().filter(|_| !request.headers().contains_key(HOST)) {
        head.extend_from_slice(format!("host: {authority}\r\n").as_bytes());
    }
    for (name, value) in request.headers() {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// A response without its body, and how long its head is. `None` if some of it is missing.
fn parsed(bytes: &[u8]) -> io::Result<Option<(Response<()>, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let length = match head.parse(bytes).map_err(io::Error::other)? {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial if bytes.len() < HEAD => return Ok(None),
        httparse::Status::Partial => return Err(ErrorKind::InvalidData.into()),
    };
    if head.version != Some(1) {
        return Err(ErrorKind::Unsupported.into());
    }
    let mut response = Response::builder().status(head.code.unwrap_or_default());
    for header in head.headers {
        response = response.header(header.name, header.value);
    }
    Ok(Some((response.body(()).map_err(io::Error::other)?, length)))
}

impl DirectConnection {
    /// A new connection.
    fn new(authority: &Authority) -> io::Result<DirectConnection> {
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let mut failed = ErrorKind::NotFound.into();
        for address in (host, authority.port_u16().unwrap_or(80)).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(PATIENCE))?;
                    stream.set_write_timeout(Some(PATIENCE))?;
                    return Ok(DirectConnection { stream, authority: authority.to_string(), has_answered: false });
                }
                // The client tries several at the same time.
                Err(error) if is_late(&error) => return Err(error),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// The head of the answer to the request that has been sent, with the body among its extensions. The error is
    /// `ConnectionAborted` if the connection has answered before, but not to this request.
    fn answer(mut self) -> io::Result<HttpResponse> {
        let (mut begin, mut arrived, deadline) = (vec![0; HEAD], 0, Instant::now() + PATIENCE);
        let (response, head) = loop {
            arrived += match read_some(&mut self.stream, &mut begin[arrived..], deadline) {
                Err(error) if arrived == 0 && self.has_answered && !is_late(&error) => {
                    return Err(io::Error::new(ErrorKind::ConnectionAborted, error));
                }
                read => read?,
            };
            if let Some(response) = parsed(&begin[..arrived])? {
                break response;
            }
        };
        begin.truncate(arrived);
        begin.drain(..head);
        let header = |name| {
            let mut values = response.headers().get_all(name).iter();
            values.next().filter(|_| values.next().is_none()).and_then(|value| value.to_str().ok())
        };
        let is_kept = header(CONNECTION).is_none_or(|value| value.eq_ignore_ascii_case("keep-alive"));
        let length = header(CONTENT_LENGTH).and_then(|length| length.parse().ok());
        let Some(length) = length.filter(|&length| begin.len() as u64 <= length) else {
            return Err(ErrorKind::InvalidData.into());
        };
        if response.status() != StatusCode::PARTIAL_CONTENT || response.headers().contains_key(TRANSFER_ENCODING) {
            return Err(ErrorKind::Unsupported.into());
        }
        self.has_answered = true;
        let body = ArrivingBody { connection: self, begin, length, is_kept };
        let mut response = response.map(|()| HttpResponseBody::from(Vec::new()));
        response.extensions_mut().insert(DirectAnswer(Arc::new(Mutex::new(Some(body)))));
        Ok(response)
    }
}

impl DirectBody {
    /// Sends a request for this many bytes, on this connection if that is of use. Other errors appear when they are received.
    ///
    /// `request` makes it with the extensions that it is given.
    ///
    /// # Errors
    ///
    /// This thread may not wait, or credentials take too long.
    pub fn request<F>(
        length: u64,
        kept: Option<DirectConnection>,
        request: impl FnOnce(Extensions) -> F,
    ) -> io::Result<DirectBody>
    where
        F: Future<Output = io::Result<GetResult>> + Send + 'static,
    {
        // Another runtime may have to go on.
        if Handle::try_current().is_ok() {
            return Err(ErrorKind::Unsupported.into());
        }
        let (start, mut extensions) = (Instant::now(), Extensions::new());
        let direct = DirectRequest { kept: Arc::new(Mutex::new(kept)), ..DirectRequest::default() };
        extensions.insert(direct.clone());
        let answer = request(extensions);
        let body = async move {
            let result = answer.await?;
            let body = result.extensions.get::<DirectAnswer>().and_then(DirectAnswer::take);
            body.filter(|body| body.length == length).ok_or(ErrorKind::Unsupported.into())
        };
        let mut sent = Box::pin(maybe_done(body.boxed()));
        // Not once alone: until it is sent, it may hold locks for which others wait.
        let is_sent = poll_fn(|context| match sent.as_mut().poll(context) {
            Poll::Pending if !direct.is_sent.load(Relaxed) => Poll::Pending,
            _ => Poll::Ready(()),
        });
        let runtime = runtime()?;
        runtime.block_on(async { timeout(PATIENCE, is_sent).await }).map_err(|_| ErrorKind::TimedOut)?;
        Ok(DirectBody { state: BodyState::Sent(sent), rest: length, time: start.elapsed() })
    }

    /// How many bytes have not been received yet.
    pub fn rest(&self) -> u64 {
        self.rest
    }

    /// How long threads have waited for the others.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Receives the next bytes. After an error, there are no more.
    ///
    /// # Errors
    ///
    /// There are fewer, the server is too slow, or its answer is not as expected.
    pub fn receive(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let start = Instant::now();
        if let BodyState::Sent(sent) = &mut self.state {
            runtime()?.block_on(sent.as_mut());
            self.state = BodyState::Arriving(sent.as_mut().take_output().unwrap_or(Err(ErrorKind::Other.into()))?);
        }
        let BodyState::Arriving(body) = &mut self.state else { return Err(ErrorKind::Other.into()) };
        self.rest = self.rest.checked_sub(bytes.len() as u64).ok_or(ErrorKind::UnexpectedEof)?;
        let received = body.receive(bytes, start + PATIENCE.saturating_sub(self.time));
        received.inspect_err(|_| distrust(&body.connection.authority))?;
        self.time += start.elapsed();
        Ok(())
    }

    /// The connection, if all has been received and the server keeps it.
    pub fn finish(self) -> Option<DirectConnection> {
        match self.state {
            BodyState::Arriving(body) if body.is_kept && self.rest == 0 => Some(body.connection),
            _ => None,
        }
    }
}

impl DirectAnswer {
    /// The body, which is taken once.
    fn take(&self) -> Option<ArrivingBody> {
        lock(&self.0).take()
    }
}

impl ArrivingBody {
    fn receive(&mut self, mut bytes: &mut [u8], deadline: Instant) -> io::Result<()> {
        let here = self.begin.len().min(bytes.len());
        bytes[..here].copy_from_slice(&self.begin[..here]);
        self.begin.drain(..here);
        bytes = &mut bytes[here..];
        while !bytes.is_empty() {
            let read = read_some(&mut self.connection.stream, bytes, deadline)?;
            bytes = &mut bytes[read..];
        }
        Ok(())
    }
}

/// Whether the time has run out. Reads say so in two ways.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}

/// Reads at least one byte, unless the connection has ended or it is too late.
fn read_some(stream: &mut TcpStream, bytes: &mut [u8], deadline: Instant) -> io::Result<usize> {
    loop {
        if Instant::now() > deadline {
            return Err(ErrorKind::TimedOut.into());
        }
        match stream.read(bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use object_store::http::HttpBuilder;
    use object_store::path::Path;
    use object_store::{GetOptions, GetRange, ObjectStore};

    use super::*;

    const HEAD_OF_RANGE: &str = "HTTP/1.1 206 Partial Content\r\nLast-Modified: Wed, 25 Nov 2026 10:00:00 GMT\r\n\
        Content-Range: bytes 10-13/20\r\n";

    /// A server that sends these texts after each request, one after the other, and then closes the connection. Returns its address.
    fn server(texts: Vec<String>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for text in texts {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    request.push(byte[0]);
                }
                stream.write_all(text.as_bytes()).unwrap();
            }
        });
        address
    }

    /// Four bytes of its file, and the connection.
    fn received(address: &str, kept: Option<DirectConnection>) -> io::Result<([u8; 4], Option<DirectConnection>)> {
        // Clients need what it sets up.
        runtime()?;
        let options = ClientOptions::new().with_allow_http(true);
        let builder = HttpBuilder::new().with_url(format!("http://{address}/x")).with_client_options(options);
        let store = builder.with_http_connector(DirectConnector).build().unwrap();
        let mut body = DirectBody::request(4, kept, |extensions| async move {
            let options = GetOptions { range: Some(GetRange::Bounded(10..14)), extensions, ..GetOptions::default() };
            store.get_opts(&Path::default(), options).await.map_err(io::Error::other)
        })?;
        let mut bytes = [0; 4];
        body.receive(&mut bytes[..1])?;
        body.receive(&mut bytes[1..])?;
        assert_eq!(body.rest(), 0);
        Ok((bytes, body.finish()))
    }

    #[test]
    fn a_connection_is_used_again() {
        let text = format!("{HEAD_OF_RANGE}Content-Length: 4\r\n\r\n");
        let address = server(vec![format!("{text}abcd"), format!("{text}efgh")]);
        let (bytes, kept) = received(&address, None).unwrap();
        assert_eq!(bytes, *b"abcd");
        let (bytes, kept) = received(&address, kept).unwrap();
        assert_eq!(bytes, *b"efgh");
        // It has been closed, and nobody listens. From now on, the client receives all.
        assert!(kept.is_some() && !is_distrusted(&address));
        assert!(received(&address, kept).is_err() && is_distrusted(&address));
        let closes = format!("{HEAD_OF_RANGE}Content-Length: 4\r\nConnection: close\r\n\r\nabcd");
        assert!(received(&server(vec![closes]), None).unwrap().1.is_none());
    }

    #[test]
    fn a_connection_that_the_server_has_closed_is_replaced() {
        let text = format!("{HEAD_OF_RANGE}Content-Length: 4\r\n\r\n");
        let (one, other) = (server(vec![format!("{text}abcd")]), server(vec![format!("{text}efgh")]));
        let (_, closed) = received(&one, None).unwrap();
        let closed = closed.map(|closed| DirectConnection { authority: other.clone(), ..closed });
        assert_eq!(received(&other, closed).unwrap().0, *b"efgh");
    }

    #[test]
    fn answers_that_are_not_as_expected_are_errors() {
        let long = "x".repeat(HEAD);
        for (name, text) in [
            ("nothing", String::new()),
            ("another status", "HTTP/1.1 503 Slow Down\r\nContent-Length: 4\r\n\r\nabcd".to_owned()),
            ("all of it", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd".to_owned()),
            ("no length", format!("{HEAD_OF_RANGE}\r\nabcd")),
            ("two lengths", format!("{HEAD_OF_RANGE}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd")),
            ("another length", format!("{HEAD_OF_RANGE}Content-Length: 3\r\n\r\nabcd")),
            ("too few bytes", format!("{HEAD_OF_RANGE}Content-Length: 4\r\n\r\nabc")),
            ("too many bytes", format!("{HEAD_OF_RANGE}Content-Length: 4\r\n\r\nabcde")),
            ("pieces", format!("{HEAD_OF_RANGE}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nabcd")),
            ("another range", HEAD_OF_RANGE.replace("10-13", "11-14") + "Content-Length: 4\r\n\r\nabcd"),
            ("an old protocol", HEAD_OF_RANGE.replace("1.1", "1.0") + "Content-Length: 4\r\n\r\nabcd"),
            ("a long head", format!("{HEAD_OF_RANGE}x: {long}\r\nContent-Length: 4\r\n\r\nabcd")),
            ("many headers", format!("{HEAD_OF_RANGE}{}Content-Length: 4\r\n\r\nabcd", "x: y\r\n".repeat(HEADERS))),
            ("another protocol", "SSH-2.0-x\r\n\r\n".to_owned()),
        ] {
            assert!(received(&server(vec![text]), None).is_err(), "{name}");
        }
    }

    #[test]
    fn nobody_waits_long_for_a_slow_head() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(HEAD_OF_RANGE.as_bytes()).unwrap();
            while stream.write_all(b"x").is_ok() {
                thread::sleep(PATIENCE / 10);
            }
        });
        let start = Instant::now();
        assert!(received(&address, None).is_err() && start.elapsed() < 4 * PATIENCE);
    }
}
