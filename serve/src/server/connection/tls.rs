//! Certificates and keys. Only TLS 1.3 is spoken.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::version::TLS13;
use tracing::{error, warn};
use x509_parser::parse_x509_certificate;

use crate::server::access::credentials::{self, Watch};
use crate::server::monitoring::metrics::Metrics;

/// Days before a certificate expires, from which on the log warns.
const WARNED_DAYS: i64 = 14;
const DAY: Duration = Duration::from_secs(86400);

/// The certificate that is shown now.
#[derive(Debug)]
pub struct Certificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Reads a certificate and its key. Returns when the certificate expires as well, in seconds from 1970.
fn read(cert: &Path, key: &Path) -> anyhow::Result<(Arc<CertifiedKey>, i64)> {
    let unreadable = |path: &Path| format!("cannot read {}", path.display());
    let text = credentials::read(cert)?;
    let certs: Vec<_> =
        CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().with_context(|| unreadable(cert))?;
    ensure!(!certs.is_empty(), "no certificate in {}", cert.display());
    let private = PrivateKeyDer::from_pem_slice(&credentials::read(key)?).with_context(|| unreadable(key))?;
    credentials::warn_if_open(key);
    // The first is that of the server, the others vouch for it.
    let (_, first) = parse_x509_certificate(&certs[0]).with_context(|| unreadable(cert))?;
    let expires = first.validity().not_after.timestamp();
    let pair = CertifiedKey::from_der(certs, private, &ring::default_provider());
    let pair =
        pair.with_context(|| format!("the key in {} and the certificate in {}", key.display(), cert.display()))?;
    Ok((Arc::new(pair), expires))
}

/// Logs when the certificate has expired, or will soon.
fn warn_of_expiry(cert: &Path, metrics: &Metrics) {
    match metrics.expiry().map_or(i64::MAX, |seconds| seconds.div_euclid(86400)) {
        ..0 => error!(file = %cert.display(), "the certificate has expired"),
        days @ ..WARNED_DAYS => warn!(file = %cert.display(), days, "the certificate expires soon"),
        _ => {}
    }
}

/// Agrees on keys with clients by the certificate and the key in these files, which are read again when they change.
///
/// Of the two that are returned, the first is for HTTP/2 only, the second for HTTP/1.1 as well.
pub fn acceptors(
    cert: PathBuf,
    key: PathBuf,
    watch: Watch,
) -> anyhow::Result<([TlsAcceptor; 2], impl Future<Output = ()> + Send)> {
    let metrics = watch.metrics.clone();
    let (pair, expires) = read(&cert, &key)?;
    metrics.expires.store(expires, Relaxed);
    warn_of_expiry(&cert, &metrics);
    let shared = Arc::new(Certificate(RwLock::new(pair)));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .context("TLS")?
        .with_no_client_auth()
        .with_cert_resolver(shared.clone());
    config.alpn_protocols = vec![b"h2".to_vec()];
    let mut both = config.clone();
    both.alpn_protocols.push(b"http/1.1".to_vec());
    let files = vec![cert.clone(), key.clone()];
    let (daily, counted) = (cert.clone(), metrics.clone());
    let changed = watch.files("certificate", files, move || {
        let (pair, expires) = read(&cert, &key)?;
        *shared.0.write().unwrap_or_else(PoisonError::into_inner) = pair;
        metrics.expires.store(expires, Relaxed);
        warn_of_expiry(&cert, &metrics);
        Ok(())
    });
    let watching = async move {
        let mut changed = pin!(changed);
        while timeout(DAY, &mut changed).await.is_err() {
            warn_of_expiry(&daily, &counted);
        }
    };
    Ok(([config, both].map(|config| TlsAcceptor::from(Arc::new(config))), watching))
}
