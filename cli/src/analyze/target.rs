//! Where results go: standard output, a device, or a file that appears under its name when it is whole.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

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
        // What a link points to is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let kind = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => bail!("cannot write {name}: it is a directory"),
            Ok(metadata) if !metadata.is_file() => {
                Kind::Device(File::options().write(true).open(&path).with_context(cannot_write)?)
            }
            _ => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let mut builder = tempfile::Builder::new();
                builder.prefix(".slider-attacks-");
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    // As any other new file: what the user's mask leaves of it.
                    builder.permissions(fs::Permissions::from_mode(0o666));
                }
                let file = builder.tempfile_in(parent).with_context(cannot_write)?;
                remove_if_interrupted(file.path());
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
    pub fn finish(mut self) -> Result<()> {
        self.flush().with_context(|| self.cannot_write())?;
        if let Kind::File(file, path) = self.kind {
            file.persist(path).map_err(|error| error.error).with_context(|| format!("cannot write {}", self.name))?;
        }
        Ok(())
    }
}

/// Removes the file if the program is told to end. Most are done or gone by then.
fn remove_if_interrupted(file: &Path) {
    static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler the file stays, which is no reason not to work.
        let _ = ctrlc::set_handler(|| {
            for file in FILES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                let _ = fs::remove_file(file);
            }
            std::process::exit(INTERRUPTED);
        });
    });
    FILES.lock().unwrap_or_else(PoisonError::into_inner).push(file.to_owned());
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
