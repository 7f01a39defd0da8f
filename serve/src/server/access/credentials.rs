//! Secret files, which are reloaded when they change.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::sync::watch;
use tracing::{info, warn};

use crate::server::monitoring::metrics::Metrics;

/// How often files are looked at.
const EVERY: Duration = Duration::from_secs(2);
/// The most bytes of a file.
const MOST: u64 = 64 << 20;

/// Reads a regular file. Others, such as a pipe, might never end.
pub fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let unreadable = || format!("cannot read {}", path.display());
    let found = std::fs::metadata(path).with_context(unreadable)?;
    ensure!(found.is_file(), "cannot read {}: it is not a file", path.display());
    ensure!(found.len() <= MOST, "cannot read {}: it has more than {MOST} bytes", path.display());
    std::fs::read(path).with_context(unreadable)
}

/// Warns of a file that each user of the machine may read.
pub fn warn_if_open(path: &Path) {
    #[cfg(unix)]
    if let Ok(found) = std::fs::metadata(path)
        && std::os::unix::fs::MetadataExt::mode(&found) & 0o004 != 0
    {
        warn!(file = %path.display(), "every user of this machine may read this file");
    }
}

/// The state that reloading needs.
#[derive(Clone)]
pub struct Watch {
    /// The metrics.
    pub metrics: Metrics,
    /// Changes when files are to be read again at once.
    pub reload: watch::Receiver<()>,
}

impl Watch {
    /// Calls `changed` when the content of a file has changed. What was read before stays if that fails.
    pub async fn files(
        mut self,
        name: &'static str,
        files: Vec<PathBuf>,
        changed: impl Fn() -> anyhow::Result<()> + Send,
    ) {
        // The content, because not each way of replacing a file changes its time.
        let files: Arc<[PathBuf]> = files.into();
        let contents = async || {
            let files = files.clone();
            let read = move || files.iter().map(|file| read(file).ok()).collect::<Vec<_>>();
            tokio::task::spawn_blocking(read).await.unwrap_or_default()
        };
        let mut before = contents().await;
        loop {
            let by_signal = tokio::select! {
                () = tokio::time::sleep(EVERY) => false,
                result = self.reload.changed() => match result {
                    Ok(()) => true,
                    // The server has gone.
                    Err(_) => return,
                },
            };
            let now = contents().await;
            if now == before && !by_signal {
                continue;
            }
            match changed() {
                Ok(()) => info!(what = name, "reloaded"),
                Err(error) => {
                    self.metrics.reload_failures.with_label_values(&[name]).inc();
                    warn!(what = name, error = format!("{error:#}"), "not reloaded; the previous content stays in use");
                }
            }
            before = now;
        }
    }
}
