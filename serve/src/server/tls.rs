//! Certificates and keys, and files that are read again when they change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tracing::{info, warn};

/// How often files are looked at.
const EVERY: Duration = Duration::from_secs(2);

/// The certificate that is shown now.
#[derive(Debug)]
pub struct Certificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().expect("nothing panics while it is locked").clone())
    }
}

/// Reads a certificate and its key.
fn read(cert: &Path, key: &Path) -> anyhow::Result<Arc<CertifiedKey>> {
    let unreadable = |path: &Path| format!("cannot read {}", path.display());
    let certs = CertificateDer::pem_file_iter(cert).with_context(|| unreadable(cert))?;
    let certs: Vec<_> = certs.collect::<Result<_, _>>().with_context(|| unreadable(cert))?;
    ensure!(!certs.is_empty(), "there is no certificate in {}", cert.display());
    let private = PrivateKeyDer::from_pem_file(key).with_context(|| unreadable(key))?;
    let pair = CertifiedKey::from_der(certs, private, &ring::default_provider());
    Ok(Arc::new(
        pair.with_context(|| format!("the key in {} and the certificate in {}", key.display(), cert.display()))?,
    ))
}

/// Agrees on keys with clients by the certificate and the key in these files, which are read again when they change.
pub fn acceptor(cert: PathBuf, key: PathBuf) -> anyhow::Result<(TlsAcceptor, impl Future<Output = ()> + Send)> {
    let shared = Arc::new(Certificate(RwLock::new(read(&cert, &key)?)));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("TLS")?
        .with_no_client_auth()
        .with_cert_resolver(shared.clone());
    config.alpn_protocols = vec![b"h2".to_vec()];
    let watched = vec![cert.clone(), key.clone()];
    let watching = watch(watched, move || {
        let pair = read(&cert, &key)?;
        *shared.0.write().expect("nothing panics while it is locked") = pair;
        Ok(())
    });
    Ok((TlsAcceptor::from(Arc::new(config)), watching))
}

/// Calls `changed` when the content of a file has changed. What was read before stays if that fails.
pub async fn watch(files: Vec<PathBuf>, changed: impl Fn() -> anyhow::Result<()> + Send) {
    // The content, because not each way of replacing a file changes its time.
    let contents = async || {
        let mut contents = Vec::new();
        for file in &files {
            contents.push(tokio::fs::read(file).await.ok());
        }
        contents
    };
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut before = contents().await;
    loop {
        tokio::time::sleep(EVERY).await;
        let now = contents().await;
        if now == before {
            continue;
        }
        match changed() {
            Ok(()) => info!(files = names, "read again"),
            Err(error) => {
                warn!(files = names, error = format!("{error:#}"), "not read again; what was read before is used")
            }
        }
        before = now;
    }
}
