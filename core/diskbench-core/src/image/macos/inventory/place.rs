//! Compares two paths, one of which was resolved by the system.
//!
//! The system names an image by the path that it resolved when attaching: without links, below `/private` for `/tmp`
//! and `/var`, and with letters like `ö` composed or decomposed. So existing folders are compared by number, not by
//! name. If the image or its folder was deleted meanwhile, the folders above it are resolved instead.
//!
//! Most images are foreign, and may be where access is slow or needs the user's permission (a backup on a network
//! volume). So paths with other names are not accessed. The names of our images and folders are ASCII, with a single
//! spelling.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use system::file;

/// Folders at the root that are links of macOS to folders of the same names in `/private`.
const PRIVATE: [&str; 3] = ["etc", "tmp", "var"];

/// Where the volume of all data is mounted, whose folders show at the root as well.
const DATA: &str = "/System/Volumes/Data";

/// Whether both are the path of the same file, which may be deleted.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    if one == other {
        return true;
    }
    match (one.parent(), other.parent()) {
        (Some(its), Some(others)) => {
            one.file_name() == other.file_name() && is_same_place(its, others)
        }
        _ => false,
    }
}

/// Whether both are the path of the same file or folder, which may be deleted, whatever it is called.
pub(crate) fn is_same_place(one: &Path, other: &Path) -> bool {
    is_same_by(one, other, number)
}

/// Whether the file, which may be deleted, is in the folder at any depth. By whole names: `work/a-10` is not in
/// `work/a-1`.
pub(crate) fn is_inside(path: &Path, folder: &Path) -> bool {
    let folder = real(folder);
    let may_be = folder.file_name().is_none_or(|name| {
        !name.is_ascii() || path.components().any(|part| part.as_os_str() == name)
    });
    may_be && real(path).ancestors().skip(1).any(|above| is_same_place(above, &folder))
}

/// The absolute path without links, as far as it exists, for programs with another working directory.
pub(crate) fn real(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in whole.ancestors() {
        if let Ok(start) = there.canonicalize()
            && let Ok(gone) = whole.strip_prefix(there)
        {
            return if gone.as_os_str().is_empty() { start } else { start.join(gone) };
        }
    }
    whole
}

/// Compares names and, as far as they exist, numbers.
fn is_same_by(one: &Path, other: &Path, number: fn(&Path) -> Option<(u64, u64)>) -> bool {
    let (one, other) = (real(one), real(other));
    // A deleted file has no number: then the nearest existing folder above, with the same names below.
    let mut pair = (one.as_path(), other.as_path());
    loop {
        if public(pair.0) == public(pair.1) {
            return true;
        }
        match (number(pair.0), number(pair.1)) {
            (None, None) => {}
            numbers => return numbers.0 == numbers.1,
        }
        pair = match (pair.0.parent(), pair.1.parent()) {
            (Some(above), Some(others)) if pair.0.file_name() == pair.1.file_name() => {
                (above, others)
            }
            _ => return false,
        };
    }
}

/// The numbers of a file and its file system.
fn number(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|found| file::identity(&found))
}

/// The path without an optional prefix of macOS.
fn public(path: &Path) -> PathBuf {
    let path =
        path.strip_prefix(DATA).map_or_else(|_| path.to_owned(), |rest| Path::new("/").join(rest));
    let Ok(rest) = path.strip_prefix("/private") else { return path };
    let first = rest.components().next();
    let is_linked = |name: &OsStr| PRIVATE.iter().any(|known| name == *known);
    match first {
        Some(Component::Normal(name)) if is_linked(name) => Path::new("/").join(rest),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_inside, is_same, is_same_by, real};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn a_path_is_the_same_through_links_and_when_the_image_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real");
        fs::create_dir(&real).unwrap();
        symlink(&real, folder.path().join("link")).unwrap();
        fs::write(real.join("image.dmg"), "x").unwrap();
        let linked = folder.path().join("link/image.dmg");
        assert!(is_same(&linked, &real.join("image.dmg")));
        fs::remove_file(real.join("image.dmg")).unwrap();
        assert!(is_same(&linked, &real.join("image.dmg")));
        assert!(!is_same(&linked, &real.join("image.asif")));
    }

    #[test]
    fn the_names_that_macos_has_twice_are_one() {
        let same = |one: &str, other: &str| is_same(Path::new(one), Path::new(other));
        assert!(same("/private/tmp/no-such/a.dmg", "/tmp/no-such/a.dmg"));
        assert!(same("/private/var/no-such/a.dmg", "/var/no-such/a.dmg"));
        assert!(same("/System/Volumes/Data/Users/no-such/a.dmg", "/Users/no-such/a.dmg"));
        assert!(!same("/private/no-such/a.dmg", "/no-such/a.dmg"));
        assert!(!same("/private/tmp/no-such/a.dmg", "/tmp/no-such/b.dmg"));
    }

    #[test]
    fn a_folder_is_the_same_whichever_way_the_system_writes_its_letters() {
        // APFS finds both under one number. "ö" in one piece, as it is typed, and in two, as URLs of macOS have it.
        let numbers = |path: &Path| {
            let there = ["/no-such/b\u{f6}se", "/no-such/bo\u{308}se"];
            let other = [("/no-such/b\u{f6}se/c", 8), ("/no-such/other", 9)];
            let found = other.iter().find(|(known, _)| path == Path::new(known));
            let is_there = there.iter().any(|known| path == Path::new(known));
            found.map(|(_, number)| (1, *number)).or(is_there.then_some((1, 7)))
        };
        let same = |one: &str, other: &str| is_same_by(Path::new(one), Path::new(other), numbers);
        assert!(same("/no-such/b\u{f6}se", "/no-such/bo\u{308}se"));
        assert!(same("/no-such/b\u{f6}se/gone/x", "/no-such/bo\u{308}se/gone/x"), "below it");
        assert!(!same("/no-such/b\u{f6}se/gone", "/no-such/bo\u{308}se/other"));
        assert!(!same("/no-such/b\u{f6}se", "/no-such/other"));
        assert!(!same("/no-such/b\u{f6}se/c", "/no-such/bo\u{308}se/c"), "only one is there");
        assert!(!same("/no-such/gone", "/no-such/bose"));
    }

    #[test]
    fn a_program_is_given_the_whole_path_without_links() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(real(Path::new("no-such/work/volume")), here.join("no-such/work/volume"));
        let folder = tempfile::tempdir().unwrap();
        symlink(folder.path(), folder.path().join("link")).unwrap();
        let expected = folder.path().canonicalize().unwrap().join("volume");
        assert_eq!(real(&folder.path().join("link/volume")), expected);
    }

    #[test]
    fn inside_goes_by_whole_names_and_not_by_where_a_link_lies() {
        let work = tempfile::tempdir().unwrap();
        let at = |name: &str| work.path().join(name);
        for folder in ["a-1", "a-10", "other"] {
            fs::create_dir(at(folder)).unwrap();
        }
        fs::write(at("other/b.dmg"), "x").unwrap();
        symlink(at("other/b.dmg"), at("a-1/link.dmg")).unwrap();
        assert!(is_inside(&at("a-1/image.dmg"), &at("a-1")));
        assert!(is_inside(&at("a-1/volume/deep/image.dmg"), &at("a-1")));
        assert!(!is_inside(&at("a-10/image.dmg"), &at("a-1")));
        assert!(!is_inside(&at("a-1"), &at("a-1")));
        assert!(!is_inside(&at("a-1/link.dmg"), &at("a-1")), "what it leads to lies elsewhere");
        assert!(!is_inside(&at("a-1/../a-10/image.dmg"), &at("a-1")));
    }
}
