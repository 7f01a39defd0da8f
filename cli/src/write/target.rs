//! Where results go: standard output, a device, or a file that appears under its name when it is whole.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use anyhow::{Context, Result, bail};
use tempfile::{NamedTempFile, TempPath};

/// An open target.
pub struct Target {
    name: String,
    kind: Kind,
}

enum Kind {
    Stdout(io::Stdout),
    /// A device or a pipe: nothing can be put in its place.
    Device(File),
    /// A file beside the one that it is to become.
    File(NamedTempFile, PathBuf),
}

impl Target {
    /// Standard output, for text or, unless a person sees it, for anything else.
    pub fn stdout(is_text: bool) -> Result<Target> {
        let stdout = io::stdout();
        if !is_text && stdout.is_terminal() {
            bail!("will not write Parquet to a terminal: name a file with --output");
        }
        Ok(Target { name: "the results".to_owned(), kind: Kind::Stdout(stdout) })
    }

    /// A file of that name.
    pub fn file(path: &Path) -> Result<Target> {
        let name = path.display().to_string();
        let cannot_write = || format!("cannot write {name}");
        if ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"].iter().any(|open| path.starts_with(open)) {
            // What is open already is written to, behind what stands there.
            let file = File::options().append(true).open(path).with_context(cannot_write)?;
            return Ok(Target { name, kind: Kind::Device(file) });
        }
        // What a link points to is replaced or made, not the link.
        let path = fs::canonicalize(path)
            .or_else(|_| fs::read_link(path).map(|to| directory(path).join(to)))
            .unwrap_or_else(|_| path.to_owned());
        let kind = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => bail!("cannot write {name}: it is a directory"),
            Ok(metadata) if !metadata.is_file() => {
                Kind::Device(File::options().write(true).open(&path).with_context(cannot_write)?)
            }
            metadata => {
                let mut builder = tempfile::Builder::new();
                builder.prefix(PREFIX);
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    // As any other new file: what the user's mask leaves of it.
                    builder.permissions(fs::Permissions::from_mode(0o666));
                }
                remove_if_interrupted();
                let mut files = files();
                let file = builder.tempfile_in(directory(&path)).with_context(cannot_write)?;
                files.push(file.path().to_owned());
                if let Ok(metadata) = metadata {
                    // Who may read the file that is replaced may read the new one, and nobody else.
                    file.as_file().set_permissions(metadata.permissions()).with_context(cannot_write)?;
                }
                Kind::File(file, path)
            }
        };
        Ok(Target { name, kind })
    }

    /// What to say when something cannot be written.
    pub fn cannot_write(&self) -> String {
        format!("cannot write {}", self.name)
    }

    /// The file, where one can go back in it.
    pub fn file_mut(&mut self) -> Option<&mut File> {
        match &mut self.kind {
            Kind::File(file, _) => Some(file.as_file_mut()),
            _ => None,
        }
    }

    /// Everything has been written: gives the file its name.
    pub fn finish(self) -> Result<()> {
        Target::finish_all(vec![self])
    }

    /// Everything has been written: gives all files their names or, if one cannot have its own, none of them. What stood
    /// under a name before is put back then, as far as the file system has hard links.
    pub fn finish_all(mut targets: Vec<Target>) -> Result<()> {
        targets.iter_mut().try_for_each(|target| target.flush().with_context(|| target.cannot_write()))?;
        // An interruption waits until all have their names.
        let _files = files();
        let mut done: Vec<(PathBuf, Option<TempPath>)> = Vec::new();
        for Target { name, kind } in targets {
            let Kind::File(file, path) = kind else { continue };
            let link = |link: &Path| fs::hard_link(&path, link);
            let before = tempfile::Builder::new().prefix(PREFIX).make_in(directory(&path), link);
            if let Err(error) = file.persist(&path) {
                for (path, before) in done {
                    // There is nothing left to do about a name that cannot be given back.
                    let _ = match before {
                        Some(before) => before.persist(path).map_err(|error| error.error),
                        None => fs::remove_file(path),
                    };
                }
                return Err(error.error).with_context(|| format!("cannot write {name}"));
            }
            done.push((path, before.ok().map(NamedTempFile::into_temp_path)));
        }
        Ok(())
    }
}

/// What the names of files begin with that do not have their own yet.
const PREFIX: &str = ".slider-attacks-";

/// Where a file stands.
fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Files that may not have their own names yet. Most are done or gone by the time somebody asks.
fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes those files if the program is told to end.
fn remove_if_interrupted() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler the files stay, which is no reason not to work. Nor is there one where a signal is ignored
        // already, as under `nohup`: it must remain so.
        let _ = ctrlc::try_set_handler(|| {
            let files = files();
            files.iter().for_each(|file| drop(fs::remove_file(file)));
            std::process::exit(INTERRUPTED);
        });
    });
}

/// The exit code of a program that was interrupted, as shells tell it.
const INTERRUPTED: i32 = 130;

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Stdout(stdout) => stdout.write(bytes),
            Kind::Device(file) => file.write(bytes),
            Kind::File(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Stdout(stdout) => stdout.flush(),
            Kind::Device(file) => file.flush(),
            Kind::File(file, _) => file.flush(),
        }
    }
}
