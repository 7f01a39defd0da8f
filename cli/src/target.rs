//! Output targets: standard output, a device or pipe, or a file or object that appears under its name only once it is complete.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Error, Result, bail, ensure};
use slider_attacks_files::input::{display_path, is_remote};
use slider_attacks_files::remote::{Upload, put_once};
use slider_attacks_rows::write::{Output, WriteTarget};

/// Standard output, for results.
///
/// # Errors
///
/// It is closed.
pub fn stdout() -> Result<StdoutLock<'static>> {
    ensure!(!is_stdout_closed(), "cannot write the results: standard output is closed");
    Ok(io::stdout().lock())
}

/// Whether this is a name of standard output.
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|stdout| path == Path::new(stdout))
}

/// Whether standard output is closed, or was when the program started. The standard library opens `/dev/null` in its place, and
/// ignores errors of what is closed later: either way, the results would be lost.
#[cfg(unix)]
fn is_stdout_closed() -> bool {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    static WAS_CLOSED: AtomicBool = AtomicBool::new(false);
    // The loader calls this before the standard library has a chance to open anything.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static AT_START: extern "C" fn() = {
        extern "C" fn look() {
            WAS_CLOSED.store(is_closed(), Relaxed);
        }
        look
    };
    fn is_closed() -> bool {
        // SAFETY: this asks for the flags of a descriptor, and fails if it is closed.
        unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) == -1 }
    }
    WAS_CLOSED.load(Relaxed) || is_closed()
}

/// Other systems have no such descriptors.
#[cfg(not(unix))]
fn is_stdout_closed() -> bool {
    false
}

/// An open target.
pub struct Target {
    name: String,
    place: TargetPlace,
}

/// Where the bytes of a target go.
enum TargetPlace {
    Stdout,
    /// A device or a pipe, which cannot be replaced; or a hidden file, and what it will become.
    File(File, Option<(Pending, PathBuf)>),
    Upload(PendingUpload),
}

impl Target {
    /// Opens the file of this name, and makes its directory if there is none. `-` or no name is standard output. Only text
    /// is written to a terminal.
    pub fn open(path: Option<&Path>, is_text: bool) -> Result<Target> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
            if stdout()?.is_terminal() && !is_text {
                bail!("binary output is not written to a terminal: name a file with --output");
            }
            return Ok(Target { name: "the results".to_owned(), place: TargetPlace::Stdout });
        };
        if is_remote(path) {
            let name = display_path(path);
            let upload = Upload::create(path).with_context(|| format!("cannot write {name}"))?;
            return Ok(Target { name, place: TargetPlace::Upload(PendingUpload(Some(upload))) });
        }
        let name = path.display().to_string();
        let opened = open(path).inspect_err(|_| remove_directories(&mut pending()));
        let (file, hidden) = opened.with_context(|| format!("cannot write {name}"))?;
        Ok(Target { name, place: TargetPlace::File(file, hidden) })
    }

    fn is_terminal(&self) -> bool {
        match &self.place {
            TargetPlace::Stdout => io::stdout().is_terminal(),
            TargetPlace::File(file, _) => file.is_terminal(),
            TargetPlace::Upload(_) => false,
        }
    }
}

/// Writes a file all at once, unless there is one of this name. Returns whether there was none.
///
/// # Errors
///
/// It cannot be written.
pub fn create_once(path: &Path, bytes: &[u8]) -> Result<bool> {
    let create = || -> Result<bool> {
        let mut options = File::options();
        let (hidden, mut file) = Pending::new(path, options.write(true).create_new(true))?;
        file.write_all(bytes)?;
        match fs::hard_link(&hidden.0, path) {
            Ok(()) => Ok(true),
            Err(_) if path.exists() => Ok(false),
            // The file system has no hard links.
            Err(_) => Ok(fs::rename(&hidden.0, path).map(|()| true)?),
        }
    };
    let created = if is_remote(path) { put_once(path, bytes).map_err(Error::from) } else { create() };
    created.with_context(|| format!("cannot write {}", display_path(path)))
}

/// Writes a file all at once, in place of another of this name.
///
/// # Errors
///
/// It cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut target = Target::open(Some(path), true)?;
    target.put(bytes)?;
    Target::finish_all(vec![target])
}

/// Whether lines appear on a terminal.
pub fn is_watched(output: &Output<Target>) -> bool {
    matches!(output, Output::Bytes(target) if target.is_terminal())
}

impl WriteTarget for Target {
    fn create(path: &Path) -> Result<Target> {
        Target::open(Some(path), false)
    }

    fn cannot_write(&self) -> String {
        format!("cannot write {}", self.name)
    }

    fn file_mut(&mut self) -> Option<&mut File> {
        match &mut self.place {
            TargetPlace::File(file, Some(_)) => Some(file),
            _ => None,
        }
    }

    /// Everything has been written: gives all files their names or, if one cannot have its own, none of them. In that
    /// case what stood under the names before is put back, if the file system has hard links.
    fn finish_all(mut targets: Vec<Target>) -> Result<()> {
        let flush = |target: &mut Target| match &mut target.place {
            TargetPlace::Upload(PendingUpload(Some(upload))) => upload.send_rest(),
            _ => target.flush(),
        };
        targets.iter_mut().try_for_each(|target| flush(target).with_context(|| target.cannot_write()))?;
        // A signal waits until all files have their names.
        let _pending = pending();
        // Objects cannot be put back. But each run has only one at a time.
        for target in &mut targets {
            if let TargetPlace::Upload(PendingUpload(upload)) = &mut target.place
                && let Some(upload) = upload.take()
            {
                upload.finish().with_context(|| target.cannot_write())?;
            }
        }
        let mut done: Vec<(&Path, Option<PathBuf>)> = Vec::new();
        for target in &targets {
            let TargetPlace::File(_, Some((hidden, path))) = &target.place else { continue };
            let before = create_hidden(path, |link| fs::hard_link(path, link)).ok().map(|(link, ())| link);
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

/// Opens a device or a pipe, or a hidden file next to the one that it will become.
fn open(path: &Path) -> Result<(File, Option<(Pending, PathBuf)>)> {
    if ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"].iter().any(|open| path.starts_with(open)) {
        if is_stdout(path) {
            drop(stdout()?);
        }
        // These are open already: append to them.
        return Ok((File::options().append(true).open(path)?, None));
    }
    if path.is_dir() {
        bail!("it is a directory");
    }
    let mut replaced = None;
    let path = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = path.file_name().context("it has no file name")?;
            make_directories(directory(path))?;
            fs::canonicalize(directory(path))?.join(name)
        }
        _ => {
            // The kernel follows links and knows who may: it refuses, for example, a link that another user left in a
            // directory that is open to everybody. Nothing is written to what it opens.
            let is_new = !path.exists();
            let file = File::options().write(true).create(true).truncate(false).open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Ok((file, None));
            }
            let path = fs::canonicalize(path)?;
            if !is_same_file(&metadata, &fs::metadata(&path)?) {
                bail!("another file was created there");
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
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    if replaced.is_some() {
        match create_hidden(&path, |link| fs::hard_link(&path, link)) {
            Ok((link, ())) => fs::remove_file(link)?,
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                bail!("it is a mount point, which cannot be replaced: write to standard output, > FILE");
            }
            Err(_) => {} // The file system has no hard links, or none for this user.
        }
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let (hidden, file) = Pending::new(&path, &options)?;
    if let Some(replaced) = replaced {
        inherit(&file, &replaced)?;
    }
    Ok((file, Some((hidden, path))))
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

/// Creates a file with a new hidden name next to `path`.
fn create_hidden<T>(path: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let name = |number| directory(path).join(format!(".slider-attacks-{}-{number}", std::process::id()));
    let mut attempts = (0_u32..).map(name).map(|name| make(&name).map(|made| (name, made)));
    let is_taken = |error: &io::Error| error.kind() == ErrorKind::AlreadyExists;
    attempts.find(|made| !made.as_ref().is_err_and(is_taken)).expect("some name is free")
}

/// A hidden file that does not have its own name yet. It is removed when this is dropped, and when a signal ends the
/// program. So are directories that were made for it, unless something has come to stand in them.
struct Pending(PathBuf);

/// An upload that has not been finished. `None` while it is.
struct PendingUpload(Option<Upload>);

impl Drop for PendingUpload {
    fn drop(&mut self) {
        if self.0.is_some() {
            // If a signal has ended it, the program ends while this waits.
            drop(pending());
        }
    }
}

/// The paths of hidden files and what they will become, and those of directories that were made, the outer ones first.
fn pending() -> MutexGuard<'static, Vec<(PathBuf, Option<PathBuf>)>> {
    static PENDING: Mutex<Vec<(PathBuf, Option<PathBuf>)>> = Mutex::new(Vec::new());
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a directory, and those around it that are missing.
fn make_directories(path: &Path) -> io::Result<()> {
    let mut pending = pending();
    let missing: Vec<_> = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    pending.extend(missing.into_iter().rev().map(|directory| (directory.to_owned(), None)));
    fs::create_dir_all(path)
}

/// Removes the directories that were made, if they are empty, once no hidden file is left in any of them. They are
/// forgotten then: a run can make many.
fn remove_directories(pending: &mut Vec<(PathBuf, Option<PathBuf>)>) {
    if pending.iter().all(|(_, becomes)| becomes.is_none()) {
        pending.drain(..).rev().for_each(|(path, _)| drop(fs::remove_dir(path)));
    }
}

impl Pending {
    /// A hidden file that will become `path`, which no other file may become.
    fn new(path: &Path, options: &OpenOptions) -> Result<(Pending, File)> {
        let mut pending = pending();
        if pending.iter().any(|(_, other)| other.as_deref() == Some(path)) {
            bail!("another output goes there: each output needs its own file");
        }
        let (hidden, file) = create_hidden(path, |hidden| options.open(hidden))?;
        pending.push((hidden.clone(), Some(path.to_owned())));
        Ok((Pending(hidden), file))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let mut pending = pending();
        pending.retain(|(path, _)| *path != self.0);
        // By now most have other names.
        let _ = fs::remove_file(&self.0);
        remove_directories(&mut pending);
    }
}

/// Starts a thread that waits for a signal which ends the program, and removes what is pending first. A signal that is ignored,
/// as under `nohup` or for a job in the background of a script, remains so.
///
/// Handlers of signals belong to the whole process, so the program calls this before it opens a target. Without it, a signal
/// leaves hidden files behind; under their own names, there are never parts of results. A second call does nothing.
#[cfg(unix)]
pub fn install_removal() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let (ready, is_ready) = std::sync::mpsc::sync_channel(1);
        let wait = move || {
            let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|&signal| !is_ignored(signal));
            let signals = signal_hook::iterator::Signals::new(signals);
            let _ = ready.send(());
            // Without a handler the files stay behind, which is no reason to stop.
            let Ok(mut signals) = signals else { return };
            let Some(signal) = signals.forever().next() else { return };
            let mut pending = pending();
            let is_empty = pending.is_empty();
            pending.retain(|(path, becomes)| {
                if becomes.is_some() {
                    let _ = fs::remove_file(path);
                }
                becomes.is_none()
            });
            remove_directories(&mut pending);
            let has_uploads = slider_attacks_files::remote::abort_uploads();
            if (is_empty && !has_uploads) || signal == SIGQUIT {
                // It ends as any other program, perhaps with a core dump, for which SIGQUIT is there.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            std::process::exit(128 + signal); // as shells report it
        };
        if std::thread::Builder::new().spawn(wait).is_ok() {
            let _ = is_ready.recv();
        }
    });
}

/// From now on, in the whole process, a file that reaches the limit of `ulimit -f` is an error, like a full disk. Otherwise a signal would kill the
/// program, and hidden files would stay behind.
#[cfg(unix)]
pub fn install_file_size_errors() {
    // Nobody looks at this: what counts is that the signal does not end the program.
    static REACHED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, &REACHED);
}

/// Other systems have no such limits.
#[cfg(not(unix))]
pub fn install_file_size_errors() {}

/// Other systems have no such signals.
#[cfg(not(unix))]
pub fn install_removal() {}

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
        match &mut self.place {
            TargetPlace::Stdout => io::stdout().write(bytes),
            TargetPlace::File(file, _) => file.write(bytes),
            TargetPlace::Upload(PendingUpload(upload)) => upload.as_mut().map_or(Ok(0), |upload| upload.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            TargetPlace::Stdout => io::stdout().flush(),
            TargetPlace::File(file, _) => file.flush(),
            TargetPlace::Upload(_) => Ok(()),
        }
    }
}
