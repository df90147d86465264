//! Images that the program makes of a disk, and what it says of them.

use std::fs;
use std::path::{Path, PathBuf};

use diskimage::format::ImageFormat;
use sha2::{Digest as _, Sha256};

use super::{Ended, Study};

pub const MIB: usize = 1 << 20;

/// Every format that images are made of.
pub fn formats() -> [&'static str; ImageFormat::ALL.len()] {
    ImageFormat::ALL.map(ImageFormat::name)
}

/// The content of a disk, without zeros and without a short period.
pub fn disk(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + n / 255).to_le_bytes()[0] | 1).collect()
}

/// The SHA-256 of these bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Study {
    /// `diskbench image`, of the image at this path.
    pub fn image(&self, verb: &str, path: &Path, more: &[&str]) -> Ended {
        self.image_with(verb, path, more, "")
    }

    /// The same with this on its standard input.
    pub fn image_with(&self, verb: &str, path: &Path, more: &[&str], input: &str) -> Ended {
        self.call_with(&[&["image", verb, path.to_str().unwrap()], more].concat(), input)
    }

    /// Copies an image into a new one of this format.
    pub fn convert(&self, from: &Path, to: &Path, format: &str, more: &[&str]) -> Ended {
        self.convert_with(from, to, format, more, "")
    }

    /// The same with this on its standard input.
    pub fn convert_with(
        &self,
        from: &Path,
        to: &Path,
        format: &str,
        more: &[&str],
        input: &str,
    ) -> Ended {
        let words = [to.to_str().unwrap(), "--to", format, "--progress", "none"];
        self.image_with("convert", from, &[&words, more].concat(), input)
    }

    /// What is said to who looks at an image, checks it, compacts it and copies it, in this order.
    pub fn every_verb(&self, path: &Path, more: &[&str], input: &str) -> [Ended; 4] {
        let copy = self.work().join("copy.img");
        let [info, check, compact] =
            ["info", "check", "compact"].map(|verb| self.image_with(verb, path, more, input));
        [info, check, compact, self.convert_with(path, &copy, "UDRW", more, input)]
    }

    /// An image of this disk in this format.
    pub fn image_of(&self, disk: &[u8], format: &str, more: &[&str], input: &str) -> PathBuf {
        let (raw, path) = (self.path("disk.img"), self.path(&format!("image-{format}")));
        fs::write(&raw, disk).unwrap();
        self.convert_with(&raw, &path, format, more, input).done();
        path
    }

    /// An image of this disk in each format, which was compared with it.
    pub fn images(&self, disk: &[u8]) -> Vec<PathBuf> {
        formats().map(|format| self.image_of(disk, format, &["--verify"], "")).to_vec()
    }
}
