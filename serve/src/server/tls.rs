//! Certificates and keys. Only TLS 1.3 is spoken.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::{Context, ensure};
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

use super::credentials::{self, Watch};
use super::metrics::Metrics;

/// Days before a certificate expires, from which on the log warns.
const WARNED_DAYS: i64 = 14;

/// The certificate that is shown now.
#[derive(Debug)]
pub struct Certificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Reads a certificate and its key, and notes when the certificate expires.
fn read(cert: &Path, key: &Path, metrics: &Metrics) -> anyhow::Result<Arc<CertifiedKey>> {
    let unreadable = |path: &Path| format!("cannot read {}", path.display());
    let text = credentials::read(cert)?;
    let certs: Vec<_> =
        CertificateDer::pem_slice_iter(&text).collect::<Result<_, _>>().with_context(|| unreadable(cert))?;
    ensure!(!certs.is_empty(), "there is no certificate in {}", cert.display());
    let private = PrivateKeyDer::from_pem_slice(&credentials::read(key)?).with_context(|| unreadable(key))?;
    credentials::warn_if_open(key);
    // The first is that of the server, the others vouch for it.
    let (_, first) = parse_x509_certificate(&certs[0]).with_context(|| unreadable(cert))?;
    metrics.expires.store(first.validity().not_after.timestamp(), Relaxed);
    let pair = CertifiedKey::from_der(certs, private, &ring::default_provider());
    let pair =
        pair.with_context(|| format!("the key in {} and the certificate in {}", key.display(), cert.display()))?;
    match metrics.expiry().unwrap_or(i64::MAX) / 86400 {
        ..0 => error!(file = %cert.display(), "the certificate has expired"),
        days @ ..WARNED_DAYS => warn!(file = %cert.display(), days, "the certificate expires soon"),
        _ => {}
    }
    Ok(Arc::new(pair))
}

/// Agrees on keys with clients by the certificate and the key in these files, which are read again when they change.
pub fn acceptor(
    cert: PathBuf,
    key: PathBuf,
    watch: Watch,
) -> anyhow::Result<(TlsAcceptor, impl Future<Output = ()> + Send)> {
    let metrics = watch.metrics.clone();
    let shared = Arc::new(Certificate(RwLock::new(read(&cert, &key, &metrics)?)));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .context("TLS")?
        .with_no_client_auth()
        .with_cert_resolver(shared.clone());
    config.alpn_protocols = vec![b"h2".to_vec()];
    let watching = watch.files("certificate", vec![cert.clone(), key.clone()], move || {
        let pair = read(&cert, &key, &metrics)?;
        *shared.0.write().unwrap_or_else(PoisonError::into_inner) = pair;
        Ok(())
    });
    Ok((TlsAcceptor::from(Arc::new(config)), watching))
}
