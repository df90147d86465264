//! Whether two paths mean the same file, when one was resolved by the system and the other was not.
//!
//! The system names an image by the path that it resolved when it was attached: without links, below `/private` where
//! macOS keeps `/tmp` and `/var`. Meanwhile the image may have been deleted; then its folder is resolved instead.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Folders at the root that are links of macOS to folders of the same names in `/private`.
const PRIVATE: [&str; 3] = ["etc", "tmp", "var"];

/// Where the volume of all data is mounted, whose folders show at the root as well.
const DATA: &str = "/System/Volumes/Data";

/// Whether both are the path of the same file, which may be gone.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    resolved(one) == resolved(other)
}

/// Whether the file, which may be gone, lies in the folder, however deep. By whole names: `work/a-10` is not in `work/a-1`.
#[must_use]
pub fn is_inside(path: &Path, folder: &Path) -> bool {
    let (path, folder) = (resolved(path), resolved(folder));
    path != folder && path.starts_with(&folder)
}

/// The path without links, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    for there in path.ancestors() {
        if let Ok(start) = there.canonicalize()
            && let Ok(gone) = path.strip_prefix(there)
        {
            return public(&start.join(gone));
        }
    }
    public(path)
}

/// The path by its shorter name, without what macOS may or may not have put before it.
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
    use super::{is_inside, is_same};
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
