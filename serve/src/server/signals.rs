//! Signals of the operating system, and notifications to systemd.

use std::sync::Arc;

use tokio::sync::{Notify, watch};

/// The request of the signal.
pub struct Signals {
    /// To stop.
    pub stop: Arc<Notify>,
    /// To stop at once.
    pub at_once: Arc<Notify>,
}

/// Listens for signals: SIGTERM and SIGINT stop the service, a second one at once, and SIGHUP reads files again.
#[cfg(unix)]
pub fn listen(reload: watch::Sender<()>) -> anyhow::Result<Signals> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let signals = Signals { stop: Arc::default(), at_once: Arc::default() };
    let (stop, at_once) = (signals.stop.clone(), signals.at_once.clone());
    tokio::spawn(async move {
        let mut stops = [stop, at_once].into_iter();
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hang_up.recv() => {
                    let _ = reload.send(());
                    continue;
                }
            }
            match stops.next() {
                Some(next) => next.notify_one(),
                None => return,
            }
        }
    });
    Ok(signals)
}

/// Listens for Ctrl-C, which stops the service, and a second time at once.
#[cfg(not(unix))]
pub fn listen(_: watch::Sender<()>) -> anyhow::Result<Signals> {
    let signals = Signals { stop: Arc::default(), at_once: Arc::default() };
    let stops = [signals.stop.clone(), signals.at_once.clone()];
    tokio::spawn(async move {
        for next in stops {
            let _ = tokio::signal::ctrl_c().await;
            next.notify_one();
        }
    });
    Ok(signals)
}

/// Notifications to systemd.
#[derive(Clone, Copy, Debug)]
pub enum ServiceState {
    /// The ports are open.
    Ready,
    /// No more streams are taken.
    Stopping,
}

/// Tells systemd, if it started this.
pub fn tell(state: ServiceState) {
    #[cfg(target_os = "linux")]
    {
        let state = match state {
            ServiceState::Ready => sd_notify::NotifyState::Ready,
            ServiceState::Stopping => sd_notify::NotifyState::Stopping,
        };
        if let Err(error) = sd_notify::notify(&[state]) {
            tracing::warn!(%error, "cannot tell systemd");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = state;
}
