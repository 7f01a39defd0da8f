//! Connections to stores. Credentials and options come from the environment, as the crate `object_store` takes them.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{mem, process};

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions, RetryConfig,
};

use super::direct::DirectConnector;
use super::failure::{failure, status};
use super::thread::{runtime, wait};
use super::url::{ObjectUrl, StoreKind};

/// How often a request is repeated, and for how long.
const RETRIES: usize = 6;
const RETRY_TIME: Duration = Duration::from_secs(60);
/// The longest that nothing may arrive.
const READ_TIME: Duration = Duration::from_secs(30);
/// The longest that a part may take to be sent, unless the environment says otherwise. Servers refuse signatures that are older
/// than 15 minutes.
const UPLOAD_TIME: Duration = Duration::from_secs(10 * 60);

/// An object, and the store that has it.
#[derive(Clone, Debug)]
pub struct ObjectLocation {
    /// The connection.
    pub store: Arc<dyn ObjectStore>,
    /// What it names.
    pub url: ObjectUrl,
}

/// The purpose of a connection, which decides its time limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StoreUse {
    /// A server that sends nothing for a while has stalled.
    Read,
    /// A client counts the time to send a part as time in which nothing arrives.
    Upload,
}

impl StoreUse {
    fn options(self) -> ClientOptions {
        match self {
            StoreUse::Read => ClientOptions::new().with_timeout_disabled().with_read_timeout(READ_TIME),
            StoreUse::Upload => ClientOptions::new().with_timeout(UPLOAD_TIME),
        }
    }

    /// How long requests are repeated: longer than one takes that reaches its limit.
    fn retry_time(self) -> Duration {
        match self {
            StoreUse::Read => RETRY_TIME,
            StoreUse::Upload => UPLOAD_TIME + RETRY_TIME,
        }
    }
}

impl ObjectLocation {
    /// What a URL names. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// It names nothing, or an option of the environment is wrong.
    pub fn new(url: &Path) -> io::Result<ObjectLocation> {
        ObjectLocation::with_use(url, StoreUse::Read)
    }

    /// What a URL names, for writing it.
    ///
    /// # Errors
    ///
    /// It names nothing, or an option of the environment is wrong.
    pub fn for_upload(url: &Path) -> io::Result<ObjectLocation> {
        ObjectLocation::with_use(url, StoreUse::Upload)
    }

    fn with_use(url: &Path, purpose: StoreUse) -> io::Result<ObjectLocation> {
        let url = ObjectUrl::parse(url)?;
        // Clients need what it sets up.
        runtime()?;
        Ok(ObjectLocation { store: store(&url, purpose)?, url })
    }
}

/// Applies the options of the environment whose names begin with this prefix, as the builders of the crate do.
fn with_environment<B, K: FromStr>(builder: B, prefix: &str, with: impl Fn(B, K, String) -> B) -> B {
    let options = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str().filter(|name| name.starts_with(prefix))?.to_ascii_lowercase();
        Some((name.parse().ok()?, value.into_string().ok()?))
    });
    options.fold(builder, |builder, (key, value)| with(builder, key, value))
}

fn s3(purpose: StoreUse) -> AmazonS3Builder {
    let builder =
        AmazonS3Builder::from_env().with_client_options(purpose.options()).with_http_connector(DirectConnector);
    with_environment(builder, "AWS_", AmazonS3Builder::with_config)
}

fn google(purpose: StoreUse) -> GoogleCloudStorageBuilder {
    let builder = GoogleCloudStorageBuilder::from_env()
        .with_client_options(purpose.options())
        .with_http_connector(DirectConnector);
    with_environment(builder, "GOOGLE_", GoogleCloudStorageBuilder::with_config)
}

fn azure(purpose: StoreUse) -> MicrosoftAzureBuilder {
    let builder =
        MicrosoftAzureBuilder::from_env().with_client_options(purpose.options()).with_http_connector(DirectConnector);
    with_environment(builder, "AZURE_", MicrosoftAzureBuilder::with_config)
}

/// Connections by the processes, stores and purposes that they are for. A forked process does not have the thread of the others.
type StoreConnections = HashMap<(u32, String, StoreUse), Arc<dyn ObjectStore>>;

/// The connections, one for each store and purpose. Web servers share one.
fn store(url: &ObjectUrl, purpose: StoreUse) -> io::Result<Arc<dyn ObjectStore>> {
    static STORES: Mutex<Option<StoreConnections>> = Mutex::new(None);
    let retry = RetryConfig {
        max_retries: RETRIES,
        retry_timeout: purpose.retry_time(),
        backoff: BackoffConfig { max_backoff: Duration::from_secs(4), ..BackoffConfig::default() },
    };
    if url.kind == StoreKind::Web {
        let web = HttpBuilder::new().with_url(&url.store).with_http_connector(WebConnector).with_retry(retry).build();
        return web.map(|store| Arc::new(store) as _).map_err(|error| failure(&error));
    }
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    let stores = stores.get_or_insert_default();
    let key = (process::id(), url.store.clone(), purpose);
    if let Some(store) = stores.get(&key) {
        return Ok(store.clone());
    }
    let made: object_store::Result<Arc<dyn ObjectStore>> = match url.kind {
        StoreKind::Google => {
            let made = google(purpose).with_url(&url.store).with_retry(retry).build();
            made.map(|store| Arc::new(store) as _)
        }
        StoreKind::Azure => {
            let made = azure(purpose).with_url(&url.store).with_retry(retry).build();
            made.map(|store| Arc::new(store) as _)
        }
        _ => {
            let made = s3(purpose).with_url(&url.store).with_retry(retry).build();
            made.map(|store| Arc::new(store) as _)
        }
    };
    let store = made.map_err(|error| failure(&error))?;
    stores.insert(key, store.clone());
    Ok(store)
}

/// The client for web servers, which keeps their connections.
#[derive(Debug)]
struct WebConnector;

impl HttpConnector for WebConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        static CLIENT: Mutex<Option<(u32, HttpClient)>> = Mutex::new(None);
        let mut client = CLIENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = client.as_ref().filter(|(owner, _)| *owner == process::id()) {
            return Ok(client.clone());
        }
        // A stream may take hours, as long as bytes arrive.
        let options = StoreUse::Read.options().with_allow_http(true);
        let made = DirectConnector.connect(&options)?;
        mem::forget(client.replace((process::id(), made.clone())));
        Ok(made)
    }
}

/// How many bytes an object has, if it can be read in ranges.
///
/// # Errors
///
/// It cannot be read.
pub fn length(url: &Path) -> io::Result<Option<u64>> {
    let ObjectLocation { store, url } = ObjectLocation::new(url)?;
    wait(async move {
        // Not HEAD, whose answer has no reason; and a URL with a signature is good for one method.
        let options = GetOptions { range: Some(GetRange::Bounded(0..1)), ..GetOptions::default() };
        match store.get_opts(&url.key, options).await {
            Ok(found) => Ok(Some(found.meta.size)),
            Err(object_store::Error::NotSupported { .. }) => Ok(None),
            // No first byte.
            Err(error) if status(&error) == Some(416) => Ok(Some(0)),
            Err(error) => Err(failure(&error)),
        }
    })
}

/// Writes an object, unless there is one. Returns whether there was none.
///
/// # Errors
///
/// It cannot be written.
pub fn put_once(url: &Path, bytes: &[u8]) -> io::Result<bool> {
    let (ObjectLocation { store, url }, bytes) = (ObjectLocation::for_upload(url)?, bytes.to_vec());
    wait(async move {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match store.put_opts(&url.key, bytes.into(), options).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(failure(&error)),
        }
    })
}

/// Removes an object, if there is one.
///
/// # Errors
///
/// It cannot be removed.
pub fn remove(url: &Path) -> io::Result<()> {
    let ObjectLocation { store, url } = ObjectLocation::new(url)?;
    wait(async move {
        match store.delete(&url.key).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(&error)),
        }
    })
}

#[cfg(test)]
mod tests {
    use object_store::ClientConfigKey::{ReadTimeout, Timeout};
    use object_store::aws::AmazonS3ConfigKey;

    use super::*;

    #[test]
    fn parts_have_minutes_and_reads_end_when_nothing_arrives() {
        let limits = |purpose: StoreUse| {
            let builder = AmazonS3Builder::new().with_client_options(purpose.options());
            [Timeout, ReadTimeout].map(|key| builder.get_config_value(&AmazonS3ConfigKey::Client(key)))
        };
        assert_eq!(limits(StoreUse::Read), [None, Some("30s".to_owned())]);
        assert_eq!(limits(StoreUse::Upload), [Some("10m".to_owned()), None]);
        assert!(StoreUse::Read.retry_time() > READ_TIME && StoreUse::Upload.retry_time() > UPLOAD_TIME);
    }
}
