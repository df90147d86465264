//! Writing records so that each is there whole or not at all, and never at the cost of an older one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use system::file::{self, folder_of, sync_folder, temporary};

use crate::error::{Error, Result};
use crate::json;
use crate::record::{Record, Status, digest};

/// Writes a file atomically: a temporary file in the same folder, synced, renamed, the folder synced.
///
/// The temporary file has a fixed name, so the next run overwrites that of a killed one.
///
/// # Errors
/// Exit code 3 when the disk is full, else 4.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    write_after(path, bytes, || Ok(()))
}

/// The same; `before` is done when the new file is on disk and the old one still in its place. Gives what that gives.
fn write_after<T>(path: &Path, bytes: &[u8], before: impl FnOnce() -> Result<T>) -> Result<T> {
    let temporary = temporary(path);
    let unwritable = |error| Error::unwritable(path, &error);
    let written = write_synced(&temporary, bytes).map_err(unwritable).and_then(|()| {
        let given = before()?;
        fs::rename(&temporary, path).map_err(unwritable)?;
        sync_folder(folder_of(path)).map_err(unwritable)?;
        Ok(given)
    });
    if written.is_err() {
        // The error that counts is the first one; the temporary file may not even be there.
        drop(fs::remove_file(&temporary));
    }
    written
}

/// Which of two records of a cell lies beside the active one, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// The older one: the new one has taken its name.
    Older(PathBuf),
    /// The new one: it has failed or was skipped, and the older one is measured.
    New(PathBuf),
}

/// Adds the checksum to a record and writes it. An older record keeps its name until the new one takes it, and is then
/// kept beside it. A failed or skipped result never takes the name of a measured one: it is kept beside that.
///
/// # Errors
/// Exit code 3 when the disk is full, 4 when the folder cannot be written.
pub(crate) fn save(record: &Record, path: &Path) -> Result<Option<Aside>> {
    let tree = digest::sealed(record)?;
    fs::create_dir_all(folder_of(path)).map_err(|error| Error::unwritable(path, &error))?;
    let text = json::pretty(&tree);
    if record.status != Status::Measured && is_measured(path) {
        let aside = aside_name(path, text.as_bytes());
        write_atomically(&aside, text.as_bytes())?;
        return Ok(Some(Aside::New(aside)));
    }
    let older = write_after(path, text.as_bytes(), || set_aside(path, text.as_bytes()))?;
    Ok(older.map(Aside::Older))
}

/// Whether there is an intact record of a cell that was measured, in any version or epoch.
fn is_measured(path: &Path) -> bool {
    let read = fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    read.is_some_and(|tree| {
        let text = |key: &str| tree.get(key).and_then(Value::as_str).map(str::to_owned);
        text("status").as_deref() == Some("measured")
            && text(digest::KEY) == Some(digest::of_record(tree.clone()))
    })
}

/// Gives an older record the name `<phase>.superseded-<sha8>.json` beside it. Nothing is ever deleted or overwritten.
///
/// It also keeps its own name until the new record takes it, so that at every instant exactly one of them is active,
/// however the program ends. If it equals the `new` one it stays: that was written before, but its folder could not be
/// synced.
fn set_aside(path: &Path, new: &[u8]) -> Result<Option<PathBuf>> {
    let bytes = match fs::read(path) {
        Ok(bytes) if bytes == new => return Ok(None),
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::unwritable(path, &error)),
    };
    let aside = aside_name(path, &bytes);
    match fs::hard_link(path, &aside) {
        // The name was free, or its file has the same bytes.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        // A file system without hard links, such as exFAT.
        Err(_) => write_atomically(&aside, &bytes)?,
        Ok(()) => {
            sync_folder(folder_of(path)).map_err(|error| Error::unwritable(path, &error))?;
        }
    }
    Ok(Some(aside))
}

/// A free name beside the active record; the plain one unless it is taken by something else.
fn aside_name(path: &Path, bytes: &[u8]) -> PathBuf {
    let own = serde_json::from_slice::<Value>(bytes).ok().and_then(|tree| {
        let sha256 = tree.get("sha256")?.as_str()?.to_owned();
        (digest::of_record(tree) == sha256).then_some(sha256)
    });
    let sha256 = own.unwrap_or_else(|| digest::of_bytes(bytes));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = |digits: usize| {
        let tag = sha256.get(..digits).unwrap_or(&sha256);
        path.with_file_name(format!("{stem}.superseded-{tag}.json"))
    };
    (8..sha256.len())
        .map(name)
        .find(|candidate| match fs::read(candidate) {
            Ok(other) => other == bytes,
            Err(_) => !candidate.exists(),
        })
        .unwrap_or_else(|| name(sha256.len()))
}

/// Whether a file is a record that was set aside.
pub(crate) fn is_superseded(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(".superseded-"))
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    file::sync(&file)
}

#[cfg(test)]
mod tests {
    use super::{Aside, save, set_aside, write_atomically};
    use crate::exit_code::ExitCode;
    use crate::record::Status;
    use crate::record::digest::of_bytes;
    use crate::testing::record;
    use serde_json::Value;
    use std::fs;
    use std::path::Path;
    use system::file::temporary;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_whole_and_no_temporary_one_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(temporary(&path), "left by a run that was killed").unwrap();
        write_atomically(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn a_failure_to_write_leaves_the_old_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "old").unwrap();
        // A folder in the place of the temporary file cannot be opened for writing, not even by root.
        fs::create_dir(temporary(&path)).unwrap();
        let error = write_atomically(&path, b"new").unwrap_err();
        assert_eq!(error.exit(), ExitCode::BadFolder);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    /// Saves a record of this status and seed; gives its bytes.
    fn saved(path: &Path, status: Status, seed: u64) -> (Option<Aside>, Vec<u8>) {
        let mut made = record();
        (made.status, made.cell.seed) = (status, seed);
        let aside = save(&made, path).unwrap();
        let written = match &aside {
            Some(Aside::New(aside)) => aside.clone(),
            _ => path.to_path_buf(),
        };
        (aside, fs::read(written).unwrap())
    }

    #[test]
    fn only_a_measured_record_takes_the_place_of_a_measured_one() {
        use Status::{Failed, Measured, Skipped};
        for (first, second, replaced) in [
            (Measured, Failed, false),
            (Measured, Skipped, false),
            (Measured, Measured, true),
            (Failed, Failed, true),
            (Failed, Skipped, true),
            (Skipped, Measured, true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("fresh.json");
            let (_, older) = saved(&path, first, 1);
            let (aside, newer) = saved(&path, second, 2);
            assert_eq!(matches!(aside, Some(Aside::Older(_))), replaced, "{first:?} {second:?}");
            let (active, kept) = if replaced { (newer, older) } else { (older, newer) };
            assert_eq!(fs::read(&path).unwrap(), active, "{first:?} {second:?}");
            let (Aside::Older(aside) | Aside::New(aside)) = aside.unwrap();
            assert_eq!(fs::read(&aside).unwrap(), kept, "{first:?} {second:?}");
            let tree: Value = serde_json::from_slice(&kept).unwrap();
            let tag = &tree["sha256"].as_str().unwrap()[..8];
            let name = format!("fresh.superseded-{tag}.json");
            assert_eq!(names(folder.path()), ["fresh.json".to_owned(), name]);
        }
    }

    #[test]
    fn a_measured_record_that_is_damaged_is_replaced_by_a_failed_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fresh.json");
        let (_, whole) = saved(&path, Status::Measured, 1);
        let damaged = String::from_utf8(whole).unwrap().replace("\"seed\": 1", "\"seed\": 3");
        fs::write(&path, &damaged).unwrap();
        let (aside, _) = saved(&path, Status::Failed, 2);
        let Some(Aside::Older(aside)) = aside else { panic!("{aside:?}") };
        assert_eq!(fs::read_to_string(aside).unwrap(), damaged);
    }

    #[test]
    fn a_new_record_that_cannot_be_written_leaves_the_old_one_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fresh.json");
        save(&record(), &path).unwrap();
        fs::create_dir(temporary(&path)).unwrap();
        save(&record(), &path).unwrap_err();
        assert_eq!(names(folder.path()), [".fresh.json.partial", "fresh.json"]);
    }

    #[test]
    fn a_record_that_is_saved_once_more_stands_there_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fresh.json");
        save(&record(), &path).unwrap();
        save(&record(), &path).unwrap();
        assert_eq!(names(folder.path()), ["fresh.json"]);
    }

    #[test]
    fn a_damaged_record_is_set_aside_under_the_checksum_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fresh.json");
        fs::write(&path, "{\"sha256\": \"lies\"}").unwrap();
        set_aside(&path, b"new").unwrap();
        let tag = &of_bytes(b"{\"sha256\": \"lies\"}")[..8];
        let aside = format!("fresh.superseded-{tag}.json");
        assert_eq!(names(folder.path()), ["fresh.json".to_owned(), aside], "until it is replaced");
    }

    #[test]
    fn nothing_is_overwritten_when_the_name_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fresh.json");
        fs::write(&path, "damaged").unwrap();
        let tag = of_bytes(b"damaged");
        let taken = folder.path().join(format!("fresh.superseded-{}.json", &tag[..8]));
        fs::write(&taken, "something else").unwrap();
        set_aside(&path, b"new").unwrap();
        assert_eq!(fs::read(&taken).unwrap(), b"something else");
        let longer = folder.path().join(format!("fresh.superseded-{}.json", &tag[..9]));
        assert_eq!(fs::read(longer).unwrap(), b"damaged");
    }
}
