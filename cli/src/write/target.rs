//! Where results go: standard output, a device or pipe, or a file that appears under its name once it is complete.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};

/// An open target.
pub struct Target {
    name: String,
    kind: Kind,
}

enum Kind {
    Stdout(io::Stdout),
    /// A device or a pipe, which cannot be replaced.
    Device(File),
    /// A hidden file beside the file that it will become.
    File {
        file: File,
        hidden: Pending,
        path: PathBuf,
    },
}

impl Target {
    /// Opens the file of this name. `-` or no name is standard output. Only text is written to a terminal.
    pub fn open(path: Option<&Path>, is_text: bool) -> Result<Target> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            let stdout = io::stdout();
            if !is_text && stdout.is_terminal() {
                bail!("cannot write Parquet to a terminal: name a file with --output");
            }
            return Ok(Target { name: "the results".to_owned(), kind: Kind::Stdout(stdout) });
        };
        let name = path.display().to_string();
        let kind = Kind::open(path).with_context(|| format!("cannot write {name}"))?;
        Ok(Target { name, kind })
    }

    /// Whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        match &self.kind {
            Kind::Stdout(stdout) => stdout.is_terminal(),
            Kind::Device(file) | Kind::File { file, .. } => file.is_terminal(),
        }
    }

    /// The message for a failed write.
    pub fn cannot_write(&self) -> String {
        format!("cannot write {}", self.name)
    }

    /// The file, if a writer can seek in the target.
    pub fn file_mut(&mut self) -> Option<&mut File> {
        match &mut self.kind {
            Kind::File { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Everything has been written: gives all files their names or, if one cannot have its own, none of them. In that
    /// case what stood under the names before is put back, if the file system has hard links.
    pub fn finish_all(mut targets: Vec<Target>) -> Result<()> {
        targets.iter_mut().try_for_each(|target| target.flush().with_context(|| target.cannot_write()))?;
        // A signal waits until all files have their names.
        let _pending = pending();
        let mut done: Vec<(&Path, Option<PathBuf>)> = Vec::new();
        for target in &targets {
            let Kind::File { hidden, path, .. } = &target.kind else { continue };
            let before = beside(path, |link| fs::hard_link(path, link)).ok().map(|(link, ())| link);
            if let Err(error) = fs::rename(&hidden.0, path) {
                before.iter().for_each(|link| drop(fs::remove_file(link)));
                for (path, before) in done {
                    // Nothing can be done if this fails too.
                    let _ = before.map_or_else(|| fs::remove_file(path), |link| fs::rename(link, path));
                }
                return Err(error).with_context(|| target.cannot_write());
            }
            done.push((path, before));
        }
        done.iter().filter_map(|(_, before)| before.as_ref()).for_each(|link| drop(fs::remove_file(link)));
        Ok(())
    }
}

impl Kind {
    fn open(path: &Path) -> Result<Kind> {
        if ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"].iter().any(|open| path.starts_with(open)) {
            // These are open already: append to them.
            return Ok(Kind::Device(File::options().append(true).open(path)?));
        }
        if path.is_dir() {
            bail!("it is a directory");
        }
        let mut replaced = None;
        let path = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let name = path.file_name().context("it has no file name")?;
                fs::canonicalize(directory(path))?.join(name)
            }
            _ => {
                // The kernel follows links and knows who may: it refuses, for example, a link that another user left in a
                // directory that is open to everybody. Nothing is written to what it opens.
                let is_new = !path.exists();
                let file = File::options().write(true).create(true).truncate(false).open(path)?;
                let metadata = file.metadata()?;
                if !metadata.is_file() {
                    return Ok(Kind::Device(file));
                }
                let path = fs::canonicalize(path)?;
                if !is_same_file(&metadata, &fs::metadata(&path)?) {
                    bail!("another file came to stand there");
                }
                if is_new && metadata.len() == 0 {
                    // The target of a link: it appears when it is complete.
                    fs::remove_file(&path)?;
                } else {
                    replaced = Some(metadata);
                }
                path
            }
        };
        if replaced.is_some() {
            match beside(&path, |link| fs::hard_link(&path, link)) {
                Ok((link, ())) => fs::remove_file(link)?,
                Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                    bail!("it is a mount point, which cannot be replaced: write to standard output, > FILE");
                }
                Err(_) => {} // The file system has no hard links, or none for this user.
            }
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if replaced.is_some() {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let (hidden, file) = Pending::file(&path, &options)?;
        if let Some(replaced) = replaced {
            inherit(&file, &replaced)?;
        }
        Ok(Kind::File { file, hidden, path })
    }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Gives a file the permissions of the one that it replaces and, as far as the system allows it, owner and group.
#[cfg(unix)]
fn inherit(file: &File, replaced: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let mut mode = replaced.mode() & 0o777;
    if fchown(file, None, Some(replaced.gid())).is_err() {
        mode &= 0o707; // what one group was allowed, another one is not
    }
    let _ = fchown(file, Some(replaced.uid()), None);
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn inherit(file: &File, replaced: &Metadata) -> io::Result<()> {
    file.set_permissions(replaced.permissions())
}

/// The directory of a file.
fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file or directory with a new hidden name beside `path`.
fn beside<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let name = |number| directory(path).join(format!(".slider-attacks-{}-{number}", std::process::id()));
    let mut attempts = (0_u32..).map(name).map(|name| make(&name).map(|made| (name, made)));
    let is_taken = |error: &io::Error| error.kind() == ErrorKind::AlreadyExists;
    attempts.find(|made| !made.as_ref().is_err_and(is_taken)).expect("some name is free")
}

/// A file or directory that is removed when this is dropped, and when a signal ends the program: a hidden file that does
/// not have its own name yet, or a directory in which nothing has come to stand.
pub struct Pending(PathBuf);

/// The paths of all of those in the order in which they were made, and what the files among them will become.
fn pending() -> MutexGuard<'static, Vec<(PathBuf, Option<PathBuf>)>> {
    static PENDING: Mutex<Vec<(PathBuf, Option<PathBuf>)>> = Mutex::new(Vec::new());
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pending {
    /// A hidden file that will become `path`, which no other file may become.
    fn file(path: &Path, options: &OpenOptions) -> Result<(Pending, File)> {
        remove_on_signal();
        let mut pending = pending();
        if pending.iter().any(|(_, other)| other.as_deref() == Some(path)) {
            bail!("another part of the results goes there: each part needs its own file");
        }
        let (hidden, file) = beside(path, |hidden| options.open(hidden))?;
        pending.push((hidden.clone(), Some(path.to_owned())));
        Ok((Pending(hidden), file))
    }

    /// The missing directories of `path`, which are made here, the innermost first.
    pub fn directories(path: &Path) -> io::Result<Vec<Pending>> {
        remove_on_signal();
        let mut pending = pending();
        let is_missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.exists();
        let missing: Vec<_> = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        pending.extend(missing.iter().rev().map(|directory| (directory.clone(), None)));
        fs::create_dir_all(path)?;
        Ok(missing.into_iter().map(Pending).collect())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        pending().retain(|(path, _)| *path != self.0);
        remove(&self.0);
    }
}

/// Removes a file, or a directory that is empty. By then most have other names, or hold something.
fn remove(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
}

/// From now on a signal that ends the program removes what is pending first. A signal that is ignored, as under `nohup`
/// or for a job in the background of a script, remains so.
#[cfg(unix)]
fn remove_on_signal() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
        // Without a handler the files stay behind, which is no reason to stop.
        let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) else { return };
        std::thread::spawn(move || {
            let Some(signal) = signals.forever().next() else { return };
            let pending = pending();
            pending.iter().rev().for_each(|(path, _)| remove(path));
            std::process::exit(128 + signal); // as shells report it
        });
    });
}

#[cfg(not(unix))]
fn remove_on_signal() {}

#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: a `sigaction` of zeros is valid, for all its fields are integers or may be null; the call changes nothing
    // but this variable, as the new action is null.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Stdout(stdout) => stdout.write(bytes),
            Kind::Device(file) | Kind::File { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Stdout(stdout) => stdout.flush(),
            Kind::Device(file) | Kind::File { file, .. } => file.flush(),
        }
    }
}
