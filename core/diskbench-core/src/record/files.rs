//! Finds and reads files of records, which are untrusted, without hanging and within limits of memory.
//!
//! The limits are those of `workflow/scripts/record_files.py`; a test compares the results of both.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::record::store;

/// Longest file, in bytes: a record of the 100,000 files that a cell may have takes some 15 MB.
pub(crate) const LARGEST_BYTES: u64 = 32 << 20;

/// Most commas and opening brackets in a file, each of which may be a value in memory: a record of 100,000 files has
/// 700,000.
pub(crate) const MOST_VALUES: usize = 2_000_000;

/// Most nested folders; a record is seven deep.
pub(crate) const DEEPEST_FOLDER: usize = 32;

/// Most files and folders in a folder of records: twenty times the records of all Macs of the articles, each measured
/// under a hundred releases.
pub(crate) const MOST_ENTRIES: usize = 1_000_000;

/// A file that a folder holds in the place of a record, or a folder that cannot be searched.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its path, as it was named.
    pub path: PathBuf,
    /// Why it cannot be read, where that is known without opening it.
    pub refusal: Option<String>,
}

impl Found {
    /// One that may be read.
    pub(crate) const fn readable(path: PathBuf) -> Self {
        Self { path, refusal: None }
    }

    fn refused(path: PathBuf, why: impl Into<String>) -> Self {
        Self { path, refusal: Some(why.into()) }
    }
}

/// Every file below a folder with the name of a record, sorted by path. Superseded records and hidden files are
/// skipped, and links to folders are not followed.
///
/// # Errors
/// Errors of the folder itself; unreadable files below it are included.
pub(crate) fn below(root: &Path) -> io::Result<Vec<Found>> {
    below_of(root, MOST_ENTRIES)
}

fn below_of(root: &Path, most_entries: usize) -> io::Result<Vec<Found>> {
    let real_root = root.canonicalize()?;
    let mut found = Vec::new();
    let mut waiting = vec![(root.to_owned(), 0_usize)];
    let mut entries = 0_usize;
    while let Some((folder, depth)) = waiting.pop() {
        let inside: Vec<fs::DirEntry> = match fs::read_dir(&folder).and_then(Iterator::collect) {
            Ok(inside) => inside,
            Err(error) if depth == 0 => return Err(error),
            Err(error) => {
                found.push(Found::refused(folder, format!("the folder cannot be read ({error})")));
                continue;
            }
        };
        entries = entries.saturating_add(inside.len());
        if entries > most_entries {
            let why = format!("it contains more than {most_entries} files and folders");
            found.push(Found::refused(root.to_owned(), why));
            break;
        }
        for entry in inside {
            let path = entry.path();
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) => {
                    found.push(Found::refused(path, format!("it cannot be read ({error})")));
                    continue;
                }
            };
            found.extend(standing(&path, kind, &real_root));
            if !kind.is_dir() {
                continue;
            }
            if depth < DEEPEST_FOLDER {
                waiting.push((path, depth.saturating_add(1)));
            } else {
                let why = format!("folders are nested more than {DEEPEST_FOLDER} deep");
                found.push(Found::refused(path, why));
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// The file with the name of a record at this path, if any.
fn standing(path: &Path, kind: FileType, real_root: &Path) -> Option<Found> {
    if kind.is_symlink() && path.is_dir() {
        return Some(Found::refused(path.to_owned(), "it is a link to a folder"));
    }
    // one that leads nowhere may have been to a folder of records
    let lost = kind.is_symlink() && !path.exists() && !is_hidden(path);
    if !is_record_name(path) && !lost {
        return None;
    }
    if kind.is_symlink() {
        return Some(Found { path: path.to_owned(), refusal: leads_out(path, real_root) });
    }
    Some(if kind.is_file() {
        Found::readable(path.to_owned())
    } else {
        Found::refused(path.to_owned(), not_regular(kind))
    })
}

fn is_record_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".json") && !is_hidden(path) && !store::is_superseded(path)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().unwrap_or_default().to_string_lossy().starts_with('.')
}

/// Why a link is not read: it must stay inside the project's records.
fn leads_out(link: &Path, real_root: &Path) -> Option<String> {
    match link.canonicalize() {
        Ok(target) if target.starts_with(real_root) => None,
        Ok(_) => Some("it is a link that leads out of the folder of records".to_owned()),
        Err(error) => Some(format!("it is a link that leads nowhere ({error})")),
    }
}

/// The content of a record's file.
///
/// # Errors
/// Why it is not read; errors of the system are [`Unread::System`].
pub(crate) fn read(path: &Path) -> std::result::Result<Vec<u8>, Unread> {
    // opening a device may do something, so its kind comes first
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() {
        return Err(Unread::Refused(not_regular(kind)));
    }
    // if it was replaced by a FIFO meanwhile, opening must not block
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() {
        return Err(Unread::Refused(not_regular(kind)));
    }
    content(file)
}

/// The content of a file of our own, which is never a link: somebody else put that there.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_own(path: &Path) -> std::result::Result<Vec<u8>, Unread> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(Unread::Refused("it is a link".to_owned()));
    }
    read(path)
}

fn content(file: File) -> std::result::Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    file.take(LARGEST_BYTES.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST_BYTES) {
        return Err(Unread::Refused(format!("it is longer than {LARGEST_BYTES} bytes")));
    }
    if bytes.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count() > MOST_VALUES {
        return Err(Unread::Refused(format!("it contains more than {MOST_VALUES} values")));
    }
    Ok(bytes)
}

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// This kind of file cannot be a record.
    Refused(String),
    /// What the system says.
    System(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

fn not_regular(kind: FileType) -> String {
    let what = if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    format!("it is not a regular file but {what}")
}

#[cfg(test)]
mod tests {
    use super::{
        DEEPEST_FOLDER, LARGEST_BYTES, MOST_VALUES, Unread, below, below_of, read, read_own,
    };
    use std::fs::{self, File};
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::Path;
    use std::process::Command;

    fn refusal(path: &Path) -> String {
        match read(path) {
            Err(Unread::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_regular_files_are_read_and_none_of_the_others_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo.json");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let socket = folder.path().join("socket.json");
        let _listener = UnixListener::bind(&socket).unwrap();
        assert_eq!(refusal(&fifo), "it is not a regular file but a FIFO");
        assert_eq!(refusal(&socket), "it is not a regular file but a socket");
        assert_eq!(refusal(Path::new("/dev/zero")), "it is not a regular file but a device");
        assert_eq!(refusal(folder.path()), "it is not a regular file but a folder");
        let (file, link) = (folder.path().join("a.json"), folder.path().join("link.json"));
        fs::write(&file, "{}").unwrap();
        symlink(&file, &link).unwrap();
        assert_eq!(read(&link).unwrap(), read_own(&file).unwrap());
        let Err(Unread::Refused(why)) = read_own(&link) else { panic!("it is read") };
        assert_eq!(why, "it is a link");
    }

    #[test]
    fn a_file_is_read_up_to_the_limits_and_not_beyond() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.json");
        File::create(&path).unwrap().set_len(LARGEST_BYTES).unwrap();
        read(&path).unwrap();
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(refusal(&path).contains("longer than"));
        fs::write(&path, "[".repeat(MOST_VALUES)).unwrap();
        read(&path).unwrap();
        fs::write(&path, "[".repeat(MOST_VALUES + 1)).unwrap();
        assert!(refusal(&path).contains("values"));
    }

    #[test]
    fn links_lead_to_what_lies_inside_alone() {
        let folder = tempfile::tempdir().unwrap();
        let runs = folder.path().join("runs");
        fs::create_dir_all(runs.join("host")).unwrap();
        fs::write(runs.join("host/a.json"), "{}").unwrap();
        fs::write(folder.path().join("outside.json"), "{}").unwrap();
        symlink("a.json", runs.join("host/b.json")).unwrap();
        symlink("../../outside.json", runs.join("host/c.json")).unwrap();
        symlink("/dev/zero", runs.join("host/d.json")).unwrap();
        symlink("nowhere", runs.join("host/e.json")).unwrap();
        symlink("host", runs.join("other")).unwrap();
        let told: Vec<(String, bool)> = below(&runs)
            .unwrap()
            .into_iter()
            .map(|one| {
                let name = one.path.strip_prefix(&runs).unwrap().display().to_string();
                (name, one.refusal.is_some())
            })
            .collect();
        let expected = [
            ("host/a.json", false),
            ("host/b.json", false),
            ("host/c.json", true),
            ("host/d.json", true),
            ("host/e.json", true),
            ("other", true),
        ];
        assert_eq!(told, expected.map(|(name, refused)| (name.to_owned(), refused)));
    }

    #[test]
    fn a_folder_of_too_many_files_and_folders_is_refused_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("host")).unwrap();
        for name in ["a.json", "b.json", "c.json", "d.txt"] {
            fs::write(folder.path().join("host").join(name), "{}").unwrap();
        }
        assert_eq!(below_of(folder.path(), 5).unwrap().len(), 3);
        let found = below_of(folder.path(), 4).unwrap();
        let [whole] = &found[..] else { panic!("{found:?}") };
        assert_eq!(whole.path, folder.path());
        assert_eq!(whole.refusal.as_deref(), Some("it contains more than 4 files and folders"));
    }

    #[test]
    fn folders_are_searched_so_deep_and_the_first_below_that_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut deep = folder.path().to_owned();
        for _ in 0..DEEPEST_FOLDER {
            deep.push("d");
        }
        fs::create_dir_all(deep.join("e/f/g")).unwrap();
        fs::write(deep.join("last.json"), "{}").unwrap();
        fs::write(deep.join("e/f/lost.json"), "{}").unwrap();
        let found = below(folder.path()).unwrap();
        let [named, read] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&named.path, named.refusal.is_some()), (&deep.join("e"), true));
        assert_eq!((&read.path, &read.refusal), (&deep.join("last.json"), &None));
    }
}
