//! Checks the paths of record and log before anything is created, opened or written.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::image::macos::inventory::place::{is_same_place, real};
use crate::record::files::{self, Unread};
use crate::run::RunTask;

/// What to do about a place that is taken.
const ANOTHER: &str = "name another file for the record";

/// Checks that neither the record nor the log would replace something else.
///
/// # Errors
/// Exit code 4 for the first place that cannot be used.
pub(super) fn check(task: &RunTask) -> Result<()> {
    let (record, cell) = (&task.arguments.record, &task.arguments.cell);
    // Only the image's own folder: the folder to work in may be a whole volume that holds the project too.
    let image = real(&task.arguments.folder.join(task.cell.image_key()));
    if is_same_place(record, cell) {
        return Err(refused(record, "is the cell's description: name another file for the record"));
    }
    if real(record).starts_with(&image) {
        return Err(refused(record, "is in the folder of the image: put the record elsewhere"));
    }
    replaceable(record)?;
    let Some(log) = &task.arguments.log else { return Ok(()) };
    if is_same_place(log, record) || is_same_place(log, cell) {
        return Err(refused(
            log,
            "is the record or the cell's description: name another file for the log",
        ));
    }
    if real(log).starts_with(&image) {
        return Err(refused(log, "is in the folder of the image: put the log elsewhere"));
    }
    appendable(log)
}

/// What a record may replace: nothing, an older record, or one that is damaged. The older one is set aside.
fn replaceable(path: &Path) -> Result<()> {
    // Not through a link: it would be replaced, not what it leads to.
    let bytes = match files::read_own(path) {
        Ok(bytes) => bytes,
        Err(Unread::System(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(Unread::System(error)) => return Err(Error::unwritable(path, &error)),
        Err(Unread::Refused(why)) => {
            return Err(refused(path, &format!("is not a record ({why}): {ANOTHER}")));
        }
    };
    let is_record = match serde_json::from_slice::<Value>(&bytes) {
        Ok(tree) => tree.get("cell").is_some() && tree.get("status").is_some(),
        // What can be read no more may have been a record, if it is called like one.
        Err(_) => path.extension().is_some_and(|extension| extension == "json"),
    };
    if is_record {
        return Ok(());
    }
    Err(refused(path, &format!("is not a record: {ANOTHER}")))
}

/// A log is a new file, a terminal or /dev/null; opening anything else could block forever.
fn appendable(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() || found.file_type().is_char_device() => Ok(()),
        Ok(_) => Err(refused(path, "is not a file: name a file for the log")),
        // Opening it reports the error.
        Err(_) => Ok(()),
    }
}

fn refused(path: &Path, why: &str) -> Error {
    Error::folder(format!("{} {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{appendable, replaceable};
    use crate::exit_code::ExitCode;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_record_takes_the_place_of_nothing_but_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).unwrap();
            folder.path().join(name)
        };
        let record = file("record.json", "{\"cell\": {}, \"status\": \"measured\"}");
        let damaged = file("damaged.json", "{\"cell\": {}, \"sta");
        for good in [&record, &damaged, &folder.path().join("new.json")] {
            replaceable(good).unwrap();
        }
        let link = folder.path().join("link.json");
        symlink(&record, &link).unwrap();
        let socket = folder.path().join("socket.json");
        let _listener = UnixListener::bind(&socket).unwrap();
        let others = [
            file("thesis.txt", "my thesis"),
            file("package.json", "{\"name\": \"x\"}"),
            file("cut", "{\"cell\": {}, \"sta"),
            link,
            socket,
            folder.path().to_owned(),
        ];
        for other in others {
            let error = replaceable(&other).unwrap_err();
            assert_eq!(error.exit(), ExitCode::BadFolder, "{}", other.display());
        }
    }

    #[test]
    fn a_log_goes_into_a_file_or_to_a_device_that_takes_lines() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        appendable(&folder.path().join("new.log")).unwrap();
        appendable(std::path::Path::new("/dev/null")).unwrap();
        appendable(&socket).unwrap_err();
        appendable(folder.path()).unwrap_err();
    }
}
