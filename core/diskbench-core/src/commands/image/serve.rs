//! Serving an image at a Unix socket.

use std::fs::{self, Permissions};
use std::io::{BufWriter, Error as IoError, ErrorKind, Result as IoResult};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use diskimage::nbd::Export;
use diskimage::store::Access;
use system::file;

use crate::commands::image::opened;
use crate::commands::image::resolve::ExistingImage;
use crate::error::image::failure;
use crate::error::{Error, Result, advice, is_full, one_line, plain};
use crate::exit_code::ExitCode;
use crate::interrupt::Stop;
use crate::terminal::say;

/// The interval of checks for new clients and signals.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Bytes of a reply that are sent together: the header and a small read.
const SENT_TOGETHER: usize = 64 << 10;

/// Serves clients until a signal comes: that is how it ends.
///
/// # Errors
/// One line and an exit code: as for any image; 4 when the socket cannot be made.
pub(super) fn serve(
    image: &ExistingImage,
    socket: &Path,
    access: Access,
    stop: &Stop,
) -> Result<ExitCode> {
    let path = image.path.clone();
    let image = opened(image, access)?;
    let report = |line: &str| say(&one_line(line));
    let export = Export::new(image.image, access == Access::Write).reporting(Box::new(report));
    let listener = Listener::at(socket)?;
    say(&one_line(&format!(
        "serving {} at {}: end with Ctrl-C",
        if access == Access::Write { "for reading and writing" } else { "for reading only" },
        socket.display()
    )));
    // The served clients, and some that have disconnected.
    let mut clients: Vec<Weak<UnixStream>> = Vec::new();
    let mut serving = true;
    thread::scope(|scope| {
        while !stop.requested() {
            let served = listener.next().and_then(|client| {
                let Some(client) = client.map(Arc::new) else { return Ok(false) };
                clients.retain(|client| client.strong_count() > 0);
                clients.push(Arc::downgrade(&client));
                let export = &export;
                thread::Builder::new().spawn_scoped(scope, move || serve_one(export, &client))?;
                Ok(true)
            });
            match served {
                Ok(true) => serving = true,
                Ok(false) => thread::sleep(LOOK_EVERY),
                // too many files or threads, until a client leaves
                Err(error) => {
                    if serving {
                        say(&format!("cannot serve another client now: {}", plain(&error)));
                    }
                    serving = false;
                    thread::sleep(LOOK_EVERY);
                }
            }
        }
        // Their threads end when there is nothing more to read.
        for client in clients.iter().filter_map(Weak::upgrade) {
            drop(client.shutdown(Shutdown::Both));
        }
    });
    export.flush().map_err(|error| not_flushed(&path, error))?;
    Ok(ExitCode::Done)
}

/// The error of the last flush: clients have been told that their writes were done.
fn not_flushed(path: &Path, error: IoError) -> Error {
    let error = failure(path, Access::Write, &error.into());
    error.placed("what was written since the last flush of a client may be lost")
}

fn serve_one(export: &Export, client: &UnixStream) {
    let served = export.serve(client, BufWriter::with_capacity(SENT_TOGETHER, client));
    if let Err(error) = served
        && !matches!(
            error.kind(),
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof
        )
    {
        say(&format!(
            "lost a client: {}",
            if is_full(&error) { advice(&error, "") } else { plain(&error) }
        ));
    }
    // one that is refused waits for an answer otherwise
    drop(client.shutdown(Shutdown::Both));
}

/// A socket, which is removed at the end: nobody else's that has taken its place.
struct Listener<'a> {
    socket: UnixListener,
    path: &'a Path,
    identity: (u64, u64),
}

impl<'a> Listener<'a> {
    fn at(path: &'a Path) -> Result<Self> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::AddrInUse => Error::folder(format!(
                "{} already exists: choose another name, or remove it if nothing serves there",
                path.display()
            )),
            _ => Error::folder(format!(
                "cannot create a socket at {}: {}; choose another place",
                path.display(),
                plain(&error)
            )),
        };
        let socket = UnixListener::bind(path).map_err(failed)?;
        let identity = file::identity(&fs::symlink_metadata(path).map_err(failed)?);
        let listener = Self { socket, path, identity };
        // The owner decides who may read the image.
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        listener.socket.set_nonblocking(true).map_err(failed)?;
        Ok(listener)
    }

    /// The next client, if there is one.
    fn next(&self) -> IoResult<Option<UnixStream>> {
        match self.socket.accept() {
            Ok((client, _)) => {
                // on a Mac it is as its listener
                client.set_nonblocking(false)?;
                Ok(Some(client))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        if fs::symlink_metadata(self.path)
            .is_ok_and(|found| file::identity(&found) == self.identity)
        {
            drop(fs::remove_file(self.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Listener, not_flushed};
    use crate::exit_code::ExitCode;
    use std::fs;
    use std::io;
    use std::path::Path;

    #[test]
    fn a_server_that_ends_leaves_the_socket_of_a_newer_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let older = Listener::at(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let newer = Listener::at(&path).unwrap();
        drop(older);
        assert!(path.exists());
        drop(newer);
        assert!(!path.exists());
    }

    #[test]
    fn a_full_disk_at_the_last_flush_is_called_that() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let error = not_flushed(Path::new("x.asif"), full);
        assert_eq!(error.exit(), ExitCode::NoSpace);
        assert_eq!(
            error.line(),
            "what was written since the last flush of a client may be lost: \
             the disk is full at x.asif: free some space and run again"
        );
    }
}
