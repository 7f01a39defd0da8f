//! Connections to stores. Credentials and options come from the environment, as the crate `object_store` takes them.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{HttpClient, HttpConnector, ReqwestConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions, RetryConfig,
};

use super::failure::{failure, status};
use super::thread::{runtime, wait};
use super::url::{ObjectUrl, StoreKind};

/// How often a request is repeated, and for how long.
const RETRIES: usize = 6;
const RETRY_TIME: Duration = Duration::from_secs(60);

/// An object, and the store that has it.
#[derive(Clone, Debug)]
pub struct ObjectLocation {
    /// The connection.
    pub store: Arc<dyn ObjectStore>,
    /// What it names.
    pub url: ObjectUrl,
}

impl ObjectLocation {
    /// What a URL names. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// It names nothing, or an option of the environment is wrong.
    pub fn new(url: &Path) -> io::Result<ObjectLocation> {
        let url = ObjectUrl::parse(url)?;
        // Clients need what it sets up.
        runtime()?;
        Ok(ObjectLocation { store: store(&url)?, url })
    }
}

/// The connections of this process, one for each store. Web servers share one.
fn store(url: &ObjectUrl) -> io::Result<Arc<dyn ObjectStore>> {
    static STORES: Mutex<Option<HashMap<String, Arc<dyn ObjectStore>>>> = Mutex::new(None);
    let retry = RetryConfig {
        max_retries: RETRIES,
        retry_timeout: RETRY_TIME,
        backoff: BackoffConfig { max_backoff: Duration::from_secs(4), ..BackoffConfig::default() },
    };
    if url.kind == StoreKind::Web {
        let web = HttpBuilder::new().with_url(&url.store).with_http_connector(WebConnector).with_retry(retry).build();
        return web.map(|store| Arc::new(store) as _).map_err(|error| failure(&error));
    }
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    let stores = stores.get_or_insert_default();
    if let Some(store) = stores.get(&url.store) {
        return Ok(store.clone());
    }
    let made: object_store::Result<Arc<dyn ObjectStore>> = match url.kind {
        StoreKind::Google => {
            let made = GoogleCloudStorageBuilder::from_env().with_url(&url.store).with_retry(retry).build();
            made.map(|store| Arc::new(store) as _)
        }
        StoreKind::Azure => {
            let made = MicrosoftAzureBuilder::from_env().with_url(&url.store).with_retry(retry).build();
            made.map(|store| Arc::new(store) as _)
        }
        _ => {
            let made = AmazonS3Builder::from_env().with_url(&url.store).with_retry(retry).build();
            made.map(|store| Arc::new(store) as _)
        }
    };
    let store = made.map_err(|error| failure(&error))?;
    stores.insert(url.store.clone(), store.clone());
    Ok(store)
}

/// The client for web servers, which keeps their connections.
#[derive(Debug)]
struct WebConnector;

impl HttpConnector for WebConnector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        static CLIENT: Mutex<Option<HttpClient>> = Mutex::new(None);
        let mut client = CLIENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        // A stream may take hours, as long as bytes arrive.
        let options = ClientOptions::new()
            .with_allow_http(true)
            .with_timeout_disabled()
            .with_connect_timeout(Duration::from_secs(5))
            .with_read_timeout(Duration::from_secs(30));
        let made = ReqwestConnector::default().connect(&options)?;
        Ok(client.insert(made).clone())
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
    let (ObjectLocation { store, url }, bytes) = (ObjectLocation::new(url)?, bytes.to_vec());
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
