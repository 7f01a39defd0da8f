//! The same service over HTTP, in JSON, CSV, PGN and other formats, for clients without Arrow.
//!
//! A request passes the same layers as in Flight. Text is read and written by the same code as in the command, so both return
//! the same rows.

mod connection;
mod elements;
pub mod left_out;
mod media;
mod openapi;
mod query;
mod rows;
mod text;

use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use arrow_array::StringArray;
use axum::Router;
use axum::extract::{Request as Received, State};
use axum::response::{IntoResponse, Response as HttpResponse};
use axum::routing::{get, post};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::BoxFuture;
use http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, COOKIE, ETAG, HOST, HeaderMap, HeaderValue, IF_NONE_MATCH, REFERRER_POLICY, RETRY_AFTER, TRAILER,
    TRANSFER_ENCODING, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::uri::Authority;
use http::{Extensions, Method, Request, Response, StatusCode, Version};
use http_body::Frame;
use http_body_util::Full;
use serde_json::json;
use slider_attacks::Slider;
use slider_attacks::position::Positions;
use slider_attacks_arrow::{Integers, Notation, OnError, Plan, Product};
use slider_attacks_files::Block;
use slider_attacks_files::advice::Advice;
use slider_attacks_files::block::{ReadLimits, SeenColumns};
use slider_attacks_files::keys::KeyFilter;
use slider_attacks_formats::columns::OutputColumn;
use slider_attacks_formats::content::escapes;
use slider_attacks_formats::request::Wanted;
use slider_attacks_rows::conditions::RowChoice;
use slider_attacks_rows::format::TextFormat;
use slider_attacks_rows::job::{BlockResult, Job};
use slider_attacks_rows::pipeline::{ResultLimits, Work};
use slider_attacks_rows::sums::groups::{GroupLimit, SummedGroups};
use slider_attacks_rows::sums::job::{BlockSums, SumJob};
use slider_attacks_rows::sums::table::{COLUMNS, Totals};
use slider_attacks_rows::write::{Encoded, text_rows};
use tokio::task::consume_budget;
use tonic::Code;
use tonic::body::Body;
use tower::Service;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::connection::client::{Client, OpenStream, Peer, Streams};
use super::limits::HEADERS;
use super::limits::budget::{ChargeKind, HeldBytes, SINGLE, USUAL};
use super::monitoring::metrics::SUMMARIZE;
use super::monitoring::request_log::Record;
use super::pool::Lane;
use super::refusal::{Protocol, Refusal};
use super::streams::coding::{Coding, PACKING, Packing, Unpacking};
use super::streams::exchange::{
    AnswerForm, AnswerFraming, AnswerWriter, Exchange, Exchanges, IncomingMessages, PartAnswer, Parts,
};
use super::streams::grpc::{FlightAnswer, Kept};
use super::streams::incoming::Incoming;
use super::streams::ipc::{self, Encapsulated};
use super::streams::working_body::{AnswerSlot, Driver};
use crate::{Call, all_products};
pub use connection::serve;
use connection::{AfterShutdown, HEADER_COUNT};
use left_out::{LEFT_OUT, LeftOutRows, SKIPPED};
use media::{ANY, BodyFormat, Format, accepted_coding, check_accepted, coding, describe, unsupported, wants_html};
use query::Query;
use rows::{AnswerRows, columns_of, csv_lines, header, json_lines, pair_columns, row_format};
use text::{BlockOutcome, ResultSize, TextRequest};

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain; charset=utf-8";
/// How well the page is compressed by zstd: once, at the start.
const PAGE_LEVEL: i32 = 15;

/// The purpose of each path, as listed at `/`.
const ENDPOINTS: &str = "\
slider-attacks: attack sets and products of chess positions

GET  /v1/attacks?slider=queen&square=d4&occ=0x...   the attack set of a piece
GET  /v1/analyze?fen=...&what=maps,pins             products of a position
POST /v1/attacks?slider=queen                       lines of squares and occupancies, or an Arrow stream
POST /v1/analyze?what=maps,pins                     FEN, CSV, JSON lines, PGN, or an Arrow stream
POST /v1/summarize?by=phase                         the same, summed by square and group
GET  /v1/products                                   the products and their columns
GET  /openapi.json                                  all of this, for programs
GET  /healthz                                       whether the service serves
";

/// The terms of advice in messages.
pub const ADVICE: Advice = Advice {
    column: "`column`",
    all_fields: "name the columns to keep, or accept application/x-ndjson",
    games: "`games`, `games_where`, `variations`, `from_ply`, `to_ply` and `every`",
    conditions: "`games`",
    first_move: "`after_first_move`",
    skip: "`on_error=skip`",
    long_window: "`zstd -dc --long=31 FILE`",
};

/// The service.
pub struct Http {
    /// The state that streams share.
    pub shared: Arc<Exchanges>,
    /// How many streams may be open.
    pub streams: Streams,
    /// Windows of zstd.
    pub windows: Streams,
    /// Those that are open.
    pub driver: Driver,
    /// How many single answers may be given at a time.
    pub calls: Streams,
    /// The most bytes of a message of an Arrow stream.
    pub message_bytes: usize,
    /// How long a request may wait for room.
    pub most_waiting: Duration,
    /// Whether it takes no more requests.
    pub is_stopping: Arc<AtomicBool>,
    /// The content at `/`.
    pub page: Option<HtmlPage>,
}

/// A page of HTML, which is one file.
pub struct HtmlPage {
    html: Bytes,
    /// The same, compressed once for all who ask for it.
    packed: [(Coding, Bytes); 2],
    /// The policy of the page.
    policy: HeaderValue,
    tag: HeaderValue,
}

impl HtmlPage {
    /// A page with this text, which has a policy of its own. The header says the same, and that no other page may frame it, which
    /// a page cannot say.
    ///
    /// # Errors
    ///
    /// It has no such policy.
    pub fn new(html: Vec<u8>) -> Result<HtmlPage> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        const META: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
        let text = str::from_utf8(&html).context("it is not UTF-8")?;
        let policy = text.split_once(META).and_then(|(_, rest)| rest.split_once('"'));
        let policy =
            policy.with_context(|| format!("it has no policy: expected {META}…\">, as web/build writes it"))?.0;
        let policy = HeaderValue::from_str(&format!("{policy}; frame-ancestors 'none'")).context("its policy")?;
        let mut hasher = DefaultHasher::new();
        html.hash(&mut hasher);
        let tag = HeaderValue::from_str(&format!("\"{:016x}\"", hasher.finish())).expect("digits");
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&html)?;
        let zstd = zstd::encode_all(&*html, PAGE_LEVEL)?;
        let packed = [(Coding::Gzip, gzip.finish()?.into()), (Coding::Zstd, zstd.into())];
        Ok(HtmlPage { html: html.into(), packed, policy, tag })
    }

    /// The bytes in this coding.
    fn in_coding(&self, coding: Option<Coding>) -> &Bytes {
        let found = self.packed.iter().find(|(known, _)| Some(*known) == coding);
        found.map_or(&self.html, |(_, bytes)| bytes)
    }

    /// The tag of the page in this coding. Caches tell codings apart by it.
    fn tag_in(&self, coding: Option<Coding>) -> HeaderValue {
        let tag = self.tag.to_str().unwrap_or_default().trim_end_matches('"');
        let tagged = coding.map(|coding| HeaderValue::from_str(&format!("{tag}-{}\"", coding.name())));
        tagged.and_then(Result::ok).unwrap_or_else(|| self.tag.clone())
    }
}

/// Lets pages of this origin ask.
pub fn cors(origin: HeaderValue) -> CorsLayer {
    let origin = if origin == "*" { AllowOrigin::any() } else { AllowOrigin::exact(origin) };
    CorsLayer::new()
        .allow_origin(origin)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE])
        .expose_headers([RETRY_AFTER, SKIPPED, LEFT_OUT])
        .max_age(Duration::from_secs(3600))
}

impl IntoResponse for Refusal {
    fn into_response(self) -> HttpResponse {
        Protocol::Http.refuse(self).map(axum::body::Body::new)
    }
}

type Handled = Result<HttpResponse, Refusal>;

/// The authenticated service, and the routes that need no token.
#[derive(Clone)]
pub struct PublicRoutes<S> {
    /// Behind the layers.
    pub known: S,
    /// Before them.
    pub open: RouterService,
}

impl<S> Service<Request<Body>> for PublicRoutes<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.known.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let bytes = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
        let bytes = bytes.sum::<usize>() + request.uri().to_string().len();
        if bytes > HEADERS as usize {
            let message = format!("the headers of a request have at most {HEADERS} bytes, found {bytes}");
            let refusal = Refusal::new(Code::OutOfRange, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message);
            return Box::pin(std::future::ready(Ok(Protocol::Http.refuse(refusal))));
        }
        // By HTTP/2, browsers send each cookie in a header of its own.
        let count = request
            .headers()
            .keys()
            .map(|name| if name == COOKIE { 1 } else { request.headers().get_all(name).iter().count() });
        let count: usize = count.sum();
        if count > HEADER_COUNT {
            let message = format!("a request has at most {HEADER_COUNT} headers, found {count}");
            let refusal = Refusal::new(Code::OutOfRange, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message);
            return Box::pin(std::future::ready(Ok(Protocol::Http.refuse(refusal))));
        }
        if let Err(refusal) = check_host(&request).and_then(|()| check_framing(request.headers())) {
            return Box::pin(std::future::ready(Ok(Protocol::Http.refuse(refusal.with("connection", "close")))));
        }
        if request.extensions().get::<AfterShutdown>().is_some() && request.uri().path() != "/healthz" {
            let refusal = Refusal::busy("the service is shutting down").with("connection", "close");
            return Box::pin(std::future::ready(Ok(Protocol::Http.refuse(refusal))));
        }
        if request.version() == Version::HTTP_10 && request.method() == Method::POST {
            // Its answers end with the connection, so nobody could tell one that was cut off from a whole one.
            let message = "HTTP/1.0 cannot signal a truncated answer: use HTTP/1.1 or 2";
            let refusal = Refusal::new(Code::Unimplemented, StatusCode::HTTP_VERSION_NOT_SUPPORTED, message);
            return Box::pin(std::future::ready(Ok(Protocol::Http.refuse(refusal))));
        }
        // Such a connection is for nothing but a look at the health.
        let is_late = request.extensions().get::<AfterShutdown>().is_some();
        let is_closed = request.headers().contains_key(TRANSFER_ENCODING) || is_late;
        let answer: Self::Future = match request.uri().path() {
            "/" | "/healthz" => self.open.call(request),
            _ => Box::pin(self.known.call(request)),
        };
        if !is_closed {
            return answer;
        }
        Box::pin(async move {
            let mut answer = answer.await?;
            // There may have been a length as well, which hyper passes over. To some proxy, what comes next would then be a part
            // of this request, and not one of its own.
            answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            Ok(answer)
        })
    }
}

/// Checks that a request of HTTP/1.1 names one host, or none by an empty name. Where it names two, a proxy and this service could
/// each believe another one.
fn check_host(request: &Request<Body>) -> Result<(), Refusal> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (first, more) = (hosts.next(), hosts.next());
    let is_host = |host: &HeaderValue| host.is_empty() || Authority::try_from(host.as_bytes()).is_ok();
    let is_needed = request.version() == Version::HTTP_11;
    if more.is_none() && first.map_or(!is_needed, is_host) {
        return Ok(());
    }
    Err(Refusal::invalid("header host: expected one host name"))
}

/// Checks that a body is in chunks, if it is in any coding for its transfer. hyper looks at the last coding only, and passes over
/// the others: it would take a body that is compressed as it is.
fn check_framing(headers: &HeaderMap) -> Result<(), Refusal> {
    let values = headers.get_all(TRANSFER_ENCODING).iter().map(|value| value.to_str().unwrap_or("?"));
    let codings: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
    match codings.iter().find(|coding| !coding.eq_ignore_ascii_case("chunked")) {
        None if codings.len() <= 1 => Ok(()),
        None | Some(&"") => Err(Refusal::invalid("header transfer-encoding: expected chunked, once")),
        Some(other) => {
            let other: String = other.chars().take(80).collect();
            let message = format!("header transfer-encoding: expected nothing but chunked, found {other:?}");
            Err(Refusal::new(Code::Unimplemented, StatusCode::NOT_IMPLEMENTED, message))
        }
    }
}

/// The routes, as a service of the bodies that all layers have.
#[derive(Clone)]
pub struct RouterService(Router);

impl Service<Request<Body>> for RouterService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.call(request.map(axum::body::Body::new));
        Box::pin(async move {
            let Ok(answer) = answer.await;
            Ok(answer.map(Body::new))
        })
    }
}

impl Http {
    /// Which path is answered by what.
    pub fn routed(self) -> RouterService {
        /// The beginning of something that the client sent.
        fn shortened(text: &str) -> &str {
            text.split_at_checked(80).map_or(text, |(text, _)| text)
        }
        let list = if self.page.is_some() { "/openapi.json" } else { "/" };
        let missing = async move |request: Received| {
            let path = shortened(request.uri().path());
            let message = format!("no resource at {path}: GET {list} lists all of them");
            Refusal::new(Code::NotFound, StatusCode::NOT_FOUND, message)
        };
        let other_method = async |request: Received| {
            let (path, method) = (shortened(request.uri().path()), shortened(request.method().as_str()));
            let message = format!("{path} does not allow the method {method}");
            Refusal::new(Code::Unimplemented, StatusCode::METHOD_NOT_ALLOWED, message)
        };
        let routes = Router::new()
            .route("/", get(front_page))
            .route("/healthz", get(health))
            .route("/openapi.json", get(openapi))
            .route("/v1/products", get(products))
            .route("/v1/attacks", get(get_attacks).post(post_attacks))
            .route("/v1/analyze", get(get_analyze).post(post_analyze))
            .route("/v1/summarize", post(summarize))
            .fallback(missing)
            .method_not_allowed_fallback(other_method);
        RouterService(routes.with_state(Arc::new(self)))
    }

    /// Opens a call with a single answer.
    async fn open(&self, extensions: &Extensions, name: &'static str) -> Result<SingleCall, Refusal> {
        name_call(extensions, name);
        let client = extensions.get::<Client>().cloned().ok_or_else(|| Refusal::unknown("client"))?;
        let is_cut = extensions.get::<Peer>().ok_or_else(|| Refusal::unknown("peer"))?.is_cut.clone();
        let open = self.calls.open(client.clone())?;
        let held = self.shared.budget.reserve(&client, SINGLE, ChargeKind::Single, self.most_waiting).await?;
        Ok(SingleCall { open, held, is_cut })
    }

    /// Answers it with this, which is charged until the network has taken it.
    fn answer(&self, call: SingleCall, kind: &'static str, text: impl Into<Bytes>) -> HttpResponse {
        let SingleCall { open, held, is_cut } = call;
        let text = text.into();
        held.keep(text.len() as u64);
        whole(kind, self.driver.whole(text, held, is_cut, open))
    }
}

/// A call with a single answer.
struct SingleCall {
    open: OpenStream,
    held: HeldBytes,
    is_cut: Arc<AtomicBool>,
}

fn name_call(extensions: &Extensions, name: &'static str) {
    if let Some(record) = extensions.get::<Arc<Record>>() {
        let _ = record.call.set(name);
    }
}

/// An answer that is there already.
fn whole(kind: &'static str, text: impl Into<Bytes>) -> HttpResponse {
    let mut answer = Response::new(axum::body::Body::new(Full::new(text.into())));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer.extensions_mut().insert(Code::Ok);
    answer
}

/// The page for browsers, and the list of routes for all others.
async fn front_page(State(http): State<Arc<Http>>, request: Received) -> HttpResponse {
    name_call(request.extensions(), "page");
    let Some(page) = &http.page else { return whole(PLAIN, ENDPOINTS) };
    if !wants_html(request.headers()) {
        let mut answer = whole(PLAIN, ENDPOINTS);
        answer.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
        return answer;
    }
    let coding = accepted_coding(request.headers());
    let (html, own_tag) = (page.in_coding(coding), page.tag_in(coding));
    let tags =
        request.headers().get_all(IF_NONE_MATCH).iter().flat_map(|tags| tags.to_str().unwrap_or_default().split(','));
    let is_known = tags.map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == own_tag);
    let mut answer = whole("text/html; charset=utf-8", if is_known { Bytes::new() } else { html.clone() });
    if is_known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        // That of the page: caches may take it over. Otherwise HEAD would say that the page is empty.
        answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(html.len()));
    }
    let headers = [
        (CONTENT_SECURITY_POLICY, page.policy.clone()),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (ETAG, own_tag),
        (VARY, HeaderValue::from_static("accept, accept-encoding")),
    ];
    answer.headers_mut().extend(headers);
    if let Some(coding) = coding {
        answer.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    answer
}

async fn health(State(http): State<Arc<Http>>, request: Received) -> HttpResponse {
    name_call(request.extensions(), "health");
    let is_stopping = http.is_stopping.load(Relaxed);
    let mut answer = whole(PLAIN, if is_stopping { "stopping\n" } else { "serving\n" });
    if is_stopping {
        *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    answer
}

/// A document that never changes.
fn document(http: &Http, request: &Received, call: SingleCall, text: &'static str) -> Handled {
    Query::parse(request.uri().query(), &[])?;
    check_accepted(request.headers(), JSON)?;
    Ok(http.answer(call, JSON, text))
}

async fn openapi(State(http): State<Arc<Http>>, request: Received) -> Handled {
    static TEXT: LazyLock<String> = LazyLock::new(|| openapi::document().to_string() + "\n");
    let call = http.open(request.extensions(), "openapi").await?;
    document(&http, &request, call, &TEXT)
}

async fn products(State(http): State<Arc<Http>>, request: Received) -> Handled {
    static TEXT: LazyLock<String> = LazyLock::new(|| all_products().to_string() + "\n");
    let call = http.open(request.extensions(), "products").await?;
    document(&http, &request, call, &TEXT)
}

/// One row, as an object of JSON.
fn object(columns: &[OutputColumn]) -> Vec<u8> {
    text_rows::rows(TextFormat::Jsonl, columns, 1)
}

async fn get_attacks(State(http): State<Arc<Http>>, request: Received) -> Handled {
    let call = http.open(request.extensions(), "get_attacks").await?;
    check_accepted(request.headers(), JSON)?;
    let query = Query::parse(request.uri().query(), query::GET_ATTACKS)?;
    let columns = pair_columns(http.shared.backend, query.slider()?, None, &[query.pair()?])?;
    Ok(http.answer(call, JSON, object(&columns)))
}

async fn get_analyze(State(http): State<Arc<Http>>, request: Received) -> Handled {
    let call = http.open(request.extensions(), "get_analyze").await?;
    check_accepted(request.headers(), JSON)?;
    let query = Query::parse(request.uri().query(), &query::GET_ANALYZE)?;
    let (plan, fen) = (query.plan(Product::Maps, http.shared.backend)?, query.fen()?);
    let computed = plan.notation(Notation::Bits).compute(&StringArray::from(vec![fen.as_str()]));
    let batch = computed.map_err(|error| {
        Refusal::invalid(format!("option \"fen\": {}", error.reason())).at("option", "fen").placed(&error)
    })?;
    Ok(http.answer(call, JSON, object(&columns_of(&batch))))
}

/// The state of all streams.
struct OpenedRequest {
    http: Arc<Http>,
    client: Client,
    record: Arc<Record>,
    is_cut: Arc<AtomicBool>,
    content: BodyFormat,
    format: Format,
    /// Those of Arrow streams.
    integers: Integers,
    incoming: Incoming,
    packing: Option<Packing>,
    coding: Option<Coding>,
    open: OpenStream,
}

impl OpenedRequest {
    async fn new(http: Arc<Http>, request: Received, name: &'static str) -> Result<OpenedRequest, Refusal> {
        name_call(request.extensions(), name);
        let client = request.extensions().get::<Client>().cloned().ok_or_else(|| Refusal::unknown("client"))?;
        let record = request.extensions().get::<Arc<Record>>().cloned().ok_or_else(|| Refusal::unknown("number"))?;
        let is_cut = request.extensions().get::<Peer>().ok_or_else(|| Refusal::unknown("peer"))?.is_cut.clone();
        let headers = request.headers();
        let (format, content) = (Format::accepted(headers)?, BodyFormat::of(headers)?);
        let (packed, coding) = (coding(headers)?, accepted_coding(headers));
        let open = http.streams.open(client.clone())?;
        let shared = &http.shared;
        let lane = Arc::new(Lane::new(shared.pool.clone(), client.clone()));
        let unpacking = packed.map(|coding| Unpacking::new(coding, lane.clone(), || http.windows.open(client.clone())));
        let packing = match coding {
            Some(coding) => {
                let held = shared.budget.reserve(&client, PACKING, ChargeKind::Kept, http.most_waiting).await?;
                Some(Packing::new(coding, lane.clone(), held)?)
            }
            None => None,
        };
        let incoming = Incoming::new(request.map(Body::new), shared.patience.clone(), http.most_waiting)?;
        let incoming = incoming.unpack(unpacking.transpose()?);
        let integers = Integers::default();
        Ok(OpenedRequest { client, record, is_cut, content, format, integers, incoming, packing, coding, open, http })
    }

    /// The request for text.
    fn wanted(&self, query: &Query, formats: &'static [&'static str], choice: &RowChoice) -> Result<Wanted, Refusal> {
        let wanted = Wanted {
            formats: Some(formats),
            column: query.column(),
            games: query.games()?,
            after_first_move: query.after_first_move()?,
            any_fields: self.format == Format::JsonLines,
            fen_alone: true,
            ..Wanted::default()
        };
        Ok(choice.wanted(query.each_move()?, wanted))
    }

    /// The body of an answer, which does this work. An error before its beginning is the answer.
    async fn drive<F>(self, work: impl FnOnce(StreamWork) -> F) -> Handled
    where
        F: Future<Output = Result<(), Refusal>> + Send + 'static,
    {
        let is_text = matches!(self.content, BodyFormat::Text(..));
        let OpenedRequest { http, client, record, is_cut, format, integers, incoming, packing, coding, open, .. } =
            self;
        let (slot, unanswered) = (AnswerSlot::default(), incoming.unanswered.clone());
        let work = work(StreamWork {
            shared: http.shared.clone(),
            client,
            record: record.clone(),
            format,
            integers,
            incoming,
            packing,
            slot: slot.clone(),
            message_bytes: http.message_bytes,
        });
        let trailers = is_text.then(|| record.clone());
        let end = move |ended: Result<(), Refusal>| match ended {
            Ok(()) => trailers.as_ref().map(|record| Ok(Frame::trailers(record.left_out.headers()))),
            Err(refusal) => Some(Err(refusal.into())),
        };
        let mut driven = http.driver.drive(Box::pin(work), slot, unanswered, is_cut, open, Box::new(end));
        driven.begin().await?;
        // Sums are written when all rows have been counted.
        let is_counted = driven.has_ended() || record.call.get() == Some(&SUMMARIZE);
        let mut answer = Response::new(Body::new(driven));
        describe(&mut answer, format, coding);
        match is_counted {
            _ if !is_text => {}
            true => answer.headers_mut().extend(record.left_out.headers()),
            false => _ = answer.headers_mut().insert(TRAILER, LeftOutRows::names()),
        }
        Ok(answer.map(axum::body::Body::new))
    }
}

/// The state that the work of a stream needs.
struct StreamWork {
    shared: Arc<Exchanges>,
    client: Client,
    record: Arc<Record>,
    format: Format,
    /// Those of Arrow streams.
    integers: Integers,
    incoming: Incoming,
    packing: Option<Packing>,
    slot: AnswerSlot,
    message_bytes: usize,
}

/// The bytes before and after rows in a format.
fn ends(format: Format) -> AnswerFraming {
    AnswerFraming {
        start: None,
        end: (format == Format::Arrow).then(|| Bytes::from_static(&ipc::END)),
        failure: (format == Format::JsonLines).then_some(|refusal| refusal.line().into()),
        is_plain: true,
        check: None,
    }
}

impl StreamWork {
    /// Answers a stream of Arrow.
    async fn arrow(self, call: Call) -> Result<(), Refusal> {
        let StreamWork { shared, client, record, format, incoming, packing, slot, message_bytes, .. } = self;
        let call = Arc::new(call);
        let (form, start) = match format {
            Format::Arrow => (AnswerForm { write: ipc::batch, is_text: false }, Some(ipc::schema(&call.result()))),
            Format::JsonLines => (AnswerForm { write: json_lines, is_text: true }, None),
            Format::Csv => {
                let names: Vec<String> = call.result().fields().iter().map(|field| field.name().clone()).collect();
                let form = AnswerForm { write: csv_lines, is_text: true };
                (form, Some(header(names.iter().map(String::as_str)).into()))
            }
        };
        let unanswered = incoming.unanswered.clone();
        let incoming = incoming.charge(shared.budget.clone(), client.clone());
        let arriving = IncomingMessages::Ipc(Encapsulated::new(incoming, message_bytes));
        let exchange = Exchange { client, slot, unanswered, record };
        exchange.answer(&shared, call, arriving, form, AnswerFraming { start, ..ends(format) }, packing).await
    }

    /// Answers text: each block with what `answer` makes of it.
    async fn text(
        self,
        wanted: Wanted,
        name: &'static str,
        call: &'static str,
        size: ResultSize,
        ends: AnswerFraming,
        answer: impl Fn(&mut Block, &AnswerRows, ResultLimits) -> Result<BlockOutcome<PartAnswer>, Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), Refusal> {
        let StreamWork { shared, client, record, format, integers, incoming, packing, slot, .. } = self;
        let mut writer = AnswerWriter::new(&shared, call, slot, incoming.unanswered.clone(), record, packing);
        let work = move |block: &mut Block, is_first: bool, room: ResultLimits, kept: &Kept| {
            let mut worked = answer(block, &AnswerRows { format, integers, is_first }, room)?;
            if let BlockOutcome::Part(part, _) = &mut worked {
                part.answer.held = Some(kept.clone());
            }
            Ok(worked)
        };
        let text = TextRequest { incoming, wanted, name, client, size, to_keep: 0 };
        text.read(&shared, work, async |mut parts: Parts| writer.write_all(&mut parts, ends).await).await
    }
}

async fn post_attacks(State(http): State<Arc<Http>>, request: Received) -> Handled {
    let query = Query::parse(request.uri().query(), query::POST_ATTACKS);
    let query = query.and_then(|query| Ok((query.slider()?, query)));
    let name = match &query {
        Ok((Slider::Queen, _)) => "queen_attacks",
        Ok((Slider::Rook, _)) => "rook_attacks",
        Ok((Slider::Bishop, _)) => "bishop_attacks",
        Err(_) => "attacks",
    };
    let mut opened = OpenedRequest::new(http, request, name).await?;
    let (slider, query) = query?;
    opened.integers = query.integers(opened.format)?;
    let backend = opened.http.shared.backend;
    match opened.content {
        BodyFormat::Arrow => {
            query.none_of(&["on_error"], "an Arrow stream of pairs")?;
            let command = json!({"call": name, "integers": opened.integers.name()}).to_string();
            let call = Call::of_command(command.as_bytes(), backend)?;
            opened.drive(|work| work.arrow(call)).await
        }
        BodyFormat::Text(..) if opened.content != ANY => {
            Err(unsupported("header content-type: pairs are text/plain, or an Arrow stream".to_owned()))
        }
        BodyFormat::Text(..) => {
            let on_error = query.on_error(&[OnError::Fail, OnError::Skip])?;
            let wanted = Wanted { pairs: true, formats: Some(&["pairs"]), ..Wanted::default() };
            // As JSON lines, and as columns.
            let row_bytes = 200;
            let (ends, record) = (ends(opened.format), opened.record.clone());
            let answer = move |block: &mut Block, rows: &AnswerRows, _: ResultLimits| {
                let most = ReadLimits { limit: usize::MAX, enough: text::ROOM.bytes / row_bytes };
                let records = block.next(most, on_error, Positions::new()).map_err(content)?.unwrap_or_default();
                let failure = records.failure.as_ref().map(|failure| Box::new(text::refusal(&block.origin, failure)));
                let count = records.pairs.len();
                record.left_out.add(records.skipped.len(), 0);
                let columns = pair_columns(backend, slider, Some(records.numbers), &records.pairs)?;
                let (answer, finished) = (rows.of_columns(columns, count)?, finished(block));
                Ok(answered(PartAnswer { answer, rows: count as u64, finished, failure }))
            };
            let size = ResultSize { row_bytes, rows: 1 };
            let work = move |work: StreamWork| work.text(wanted, "body", name, size, ends, answer);
            opened.drive(work).await
        }
    }
}

async fn post_analyze(State(http): State<Arc<Http>>, request: Received) -> Handled {
    let query = Query::parse(request.uri().query(), &query::POST_ANALYZE);
    let mut opened = OpenedRequest::new(http, request, "analyze").await?;
    let query = query?;
    opened.integers = query.integers(opened.format)?;
    let mut plan = query.plan(Product::Maps, opened.http.shared.backend)?.integers(opened.integers);
    if opened.format != Format::Arrow {
        plan = plan.notation(Notation::Bits); // what writes text has its own
    }
    let (formats, name) = match opened.content {
        BodyFormat::Arrow => {
            query.none_of(&OF_TEXT, "an Arrow stream")?;
            let plan = plan.on_error(query.on_error(&[OnError::Fail, OnError::Null, OnError::Report])?);
            let call = Call::of_plan(plan, opened.http.shared.backend, opened.integers);
            return opened.drive(|work| work.arrow(call)).await;
        }
        BodyFormat::Text(formats, name) => (formats, name),
    };
    let on_error = query.on_error(OnError::ALL)?;
    let (format, each_move) = (row_format(opened.format), query.each_move()?);
    let choice = query.choice(each_move)?;
    let job = Job { plan, format, on_error, with_file: false, boards: None, each_move };
    let keep = query.keep()?;
    let wanted = Wanted { keep, reserved_names: job.header(&[]), ..opened.wanted(&query, formats, &choice)? };
    let filter = choice.filter(&job.plan, each_move, on_error);
    let size = ResultSize::of(&job);
    let seen = Arc::new(Mutex::new(SeenColumns::default()));
    let checked = seen.clone();
    let (checked_filter, warnings) = (filter.clone(), wanted.warnings.clone());
    let check = move || {
        let seen = checked.lock().unwrap_or_else(PoisonError::into_inner);
        seen.check("the body").map_err(content)?;
        checked_filter.as_ref().map_or(Ok(()), |filter| filter.check("the body", &warnings)).map_err(content)
    };
    let ends = AnswerFraming { check: Some(Box::new(check)), ..ends(opened.format) };
    let record = opened.record.clone();
    let answer = move |block: &mut Block, rows: &AnswerRows, room: ResultLimits| {
        choose_rows(block, filter.as_ref());
        let result = job.work(block, usize::MAX, room).map_err(content)?;
        if let Some(needs) = result.needs {
            return Ok(BlockOutcome::TooLarge(needs));
        }
        let BlockResult { origin, positions, left_out, skipped, nulls, failure, found, encoded, .. } = result;
        record.left_out.add(skipped.len(), left_out);
        seen.lock().unwrap_or_else(PoisonError::into_inner).add(&origin, found, positions - nulls);
        let failure = failure.map(|failure| Box::new(text::refusal(&origin, &failure)));
        let answer = match encoded {
            Encoded::Bytes(text) => {
                let names = job.header(origin.columns());
                rows.of_text(names.iter().map(String::as_str), text)
            }
            Encoded::Columns(columns, count) => rows.of_columns(columns, count)?,
        };
        let finished = finished(block);
        Ok(answered(PartAnswer { answer, rows: positions as u64, finished, failure }))
    };
    opened.drive(move |work: StreamWork| work.text(wanted, name, "analyze", size, ends, answer)).await
}

/// A part of a result.
fn answered(part: PartAnswer) -> BlockOutcome<PartAnswer> {
    let bytes = part.answer.len();
    BlockOutcome::Part(part, bytes)
}

/// How many bytes a block has that has been read to its end.
fn finished(block: &Block) -> Option<u64> {
    block.is_finished().then_some(block.bytes() as u64)
}

/// The error in the content of a request.
fn content(error: anyhow::Error) -> Refusal {
    Refusal::content(format!("{error:#}"))
}

/// The options that only text has.
const OF_TEXT: [&str; 11] = [
    "keep",
    "column",
    "games",
    "games_where",
    "variations",
    "from_ply",
    "to_ply",
    "every",
    "after_first_move",
    "each_move",
    "where",
];

/// Chooses the rows of a block. Which these are does not depend on other blocks.
fn choose_rows(block: &mut Block, filter: Option<&Arc<KeyFilter>>) {
    if block.filter.is_none() {
        block.filter = filter.map(|filter| filter.block(0));
    }
}

async fn summarize(State(http): State<Arc<Http>>, request: Received) -> Handled {
    let query = Query::parse(request.uri().query(), &query::SUMMARIZE);
    let mut opened = OpenedRequest::new(http, request, SUMMARIZE).await?;
    let query = query?;
    let BodyFormat::Text(formats, name) = opened.content else {
        return Err(unsupported("header content-type: summaries are made of text".to_owned()));
    };
    opened.integers = query.integers(opened.format)?;
    let plan: Plan = query.plan(Product::Counts, opened.http.shared.backend)?;
    if let Some(product) = plan.products().iter().find(|product| !product.has_sums()) {
        return Err(Refusal::invalid(format!("option \"what\": product {product} has no sums")).at("option", "what"));
    }
    let on_error = query.on_error(&[OnError::Fail, OnError::Skip])?;
    let each_move = query.each_move()?;
    let choice = query.choice(each_move)?;
    let job = Arc::new(SumJob { plan, keys: query.by()?, on_error, each_move, limit: GroupLimit::Count("") });
    let taken = COLUMNS.map(str::to_owned).to_vec();
    let wanted = Wanted { keep: job.columns(), reserved_names: taken, ..opened.wanted(&query, formats, &choice)? };
    let filter = choice.filter(&job.plan, each_move, on_error);
    opened.drive(move |work: StreamWork| work.summarize(job, wanted, filter, name)).await
}

/// A part of sums has at most this many rows.
const SQUARES: usize = 64;

/// The most bytes that a row of the sums of a group takes.
fn total_bytes(totals: &Totals, group: usize) -> usize {
    const NUMBERS: usize = 256;
    let text = |text: &str| 8 + 2 * text.len() + escapes(text.as_bytes());
    let values = totals.keys.get(group).into_iter().flatten().flatten();
    NUMBERS + totals.names().chain(values.map(|value| &**value)).map(text).sum::<usize>()
}

impl StreamWork {
    async fn summarize(
        self,
        job: Arc<SumJob>,
        wanted: Wanted,
        filter: Option<Arc<KeyFilter>>,
        name: &'static str,
    ) -> Result<(), Refusal> {
        let (warnings, checked_filter) = (wanted.warnings.clone(), filter.clone());
        let StreamWork { shared, client, record, format, integers, incoming, packing, slot, .. } = self;
        let (unanswered, most_waiting) = (incoming.unanswered.clone(), incoming.most_waiting);
        let mut writer = AnswerWriter::new(&shared, SUMMARIZE, slot, unanswered.clone(), record.clone(), packing);
        let (size, group_bytes, worker) = (ResultSize::of(&*job), job.group_bytes(), job.clone());
        let work = move |block: &mut Block, _: bool, room: ResultLimits, kept: &Kept| {
            choose_rows(block, filter.as_ref());
            let summed = worker.work(block, usize::MAX, room).map_err(content)?;
            if let Some(needs) = summed.needs {
                return Ok(BlockOutcome::TooLarge(needs));
            }
            let bytes = summed.keys.len() * group_bytes;
            Ok(BlockOutcome::Part((summed, finished(block), kept.clone()), bytes))
        };
        let budget = &shared.budget;
        let lane = Lane::new(shared.pool.clone(), client.clone());
        // More would leave no room for what comes of the same client, however often it tried again.
        let groups_at_most = ((budget.most_kept() / group_bytes as u64) as usize).min(job.most_groups()).max(1);
        // The texts of keys are not bounded by groups.
        let most = groups_at_most * group_bytes * 9 / 8;
        let to_keep = if size.row_bytes == 0 { 0 } else { most as u64 };
        let text = TextRequest { incoming, wanted, name, client: client.clone(), size, to_keep };
        let sum = async |mut parts: Parts<(BlockSums, Option<u64>, Kept)>| {
            let mut groups = job.groups().at_most(groups_at_most);
            let (mut seen, mut held, mut positions) = (SeenColumns::default(), Vec::<HeldBytes>::new(), 0);
            while let Some(part) = parts.recv().await {
                let (sums, bytes, kept) = part?.await?;
                let BlockSums { origin, positions: read, left_out, skipped, failure, found, keys, summary, .. } = sums;
                record.left_out.add(skipped.len(), left_out);
                if let Some(failure) = failure {
                    return Err(text::refusal(&origin, &failure));
                }
                positions += read as u64;
                seen.add(&origin, found, read);
                // Groups, and the texts of their keys, stay until the end.
                let (more, texts) = groups.missing(&keys);
                if more > 0 && groups.count() + more <= groups_at_most {
                    let bytes = (more * group_bytes + texts) as u64;
                    held.push(budget.reserve(&client, bytes, ChargeKind::Kept, most_waiting).await?);
                }
                let count = keys.len();
                let add = move || {
                    let added = groups.add(keys, &summary);
                    drop(kept);
                    (added, groups)
                };
                let (added, all) = lane.run(count * group_bytes, add).await?;
                groups = all;
                added.map_err(content)?;
                bytes.into_iter().for_each(|bytes| writer.took(bytes));
                unanswered.end();
            }
            seen.check("the body").map_err(content)?;
            checked_filter.map_or(Ok(()), |filter| filter.check("the body", &warnings)).map_err(content)?;
            let totals = lane
                .run(groups.count() * group_bytes, move || groups.finish().and_then(SummedGroups::totals))
                .await?
                .map_err(content)?;
            writer.rows(positions);
            let (parts, totals) = (Arc::new(totals.parts()), Arc::new(totals));
            let (mut is_first, begun) = (true, Instant::now());
            // Even without groups, there are columns.
            for group in 0..totals.keys.len().max(1) {
                let row_bytes = total_bytes(&totals, group);
                let at_a_time = (text::ROOM.bytes / (SQUARES * row_bytes)).max(1);
                for from in (0..parts.len()).step_by(at_a_time) {
                    let range = from..parts.len().min(from + at_a_time);
                    let bytes = range.len() * SQUARES * row_bytes;
                    if bytes as u64 > budget.most_unit() {
                        let (group, most) = (group + 1, budget.most_unit() >> 20);
                        let message = format!(
                            "group {group}: its rows may take more than {most} MiB: use keys with shorter names and values"
                        );
                        return Err(Refusal::content(message).at("group", group));
                    }
                    let kind = if bytes as u64 <= USUAL { ChargeKind::Result } else { ChargeKind::Unit };
                    if begun.elapsed() >= budget.longest() {
                        return Err(Refusal::late("the client did not take its sums in time"));
                    }
                    let held = budget.reserve(&client, bytes as u64, kind, most_waiting).await?;
                    let (totals, parts) = (totals.clone(), parts.clone());
                    let write = move || -> Result<FlightAnswer, Refusal> {
                        let (columns, rows) = totals.rows(group..totals.keys.len().min(group + 1), &parts[range]);
                        let mut answer = AnswerRows { format, integers, is_first }.of_columns(columns, rows)?;
                        held.keep(answer.len() as u64);
                        answer.held = Some(Arc::new(held));
                        Ok(answer)
                    };
                    writer.put(lane.run(bytes, write).await??, 0).await?;
                    is_first = false;
                    consume_budget().await;
                }
            }
            let ends = ends(format);
            writer.end(Ok(()), None, &ends.end, ends.failure).await
        };
        text.read(&shared, work, sum).await
    }
}
