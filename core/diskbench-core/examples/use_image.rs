//! Uses as much memory as possible with a large image: makes it, writes one page in each stretch of the disk, then a
//! file of this many bytes, reads it back, and looks for damage. `prove.sh images` reads the peak memory
//! of this process.
//!
//! ```text
//! cargo run --release --example use_image -- FORMAT none|AES-256 IMAGE DISK_BYTES STRETCH_BYTES FILE_BYTES
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;

use diskimage::crypt::{KeySize, NewKey, Passphrase};
use diskimage::format::ImageFormat;
use diskimage::open::{self, Spec};
use diskimage::store::Access;
use system::flush::Durability;

/// Bytes of the file that are handed over in one call: the study's block.
const BLOCK: usize = 1 << 20;

/// What is written in each stretch, in bytes: a page.
const PAGE: usize = 4096;

/// Data flushed at once while stretches are written: as a file system would now and then.
const FLUSH_EVERY: u64 = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format, encryption, path, disk, stretch, file] = arguments.as_slice() else {
        return Err("see the head of this file for what to give".into());
    };
    let format: ImageFormat = serde_json::from_str(&format!("\"{format}\""))?;
    let (disk, stretch, file): (u64, u64, u64) = (disk.parse()?, stretch.parse()?, file.parse()?);
    let path = Path::new(path);
    let passphrase = Passphrase::new(b"bench".to_vec())?;
    let key = NewKey { size: KeySize::Aes256, passphrase, iterations: Some(1000) };
    let key = (encryption != "none").then_some(key);
    let len_bytes = disk / 512 * 512;
    let spec = Spec { key, ..Spec::plain(format, len_bytes) };
    let mut image = open::create(path, &spec)?.image;

    let page = [0x5a; PAGE];
    for number in 0..len_bytes / stretch {
        image.write_at(&page, number * stretch)?;
        if number % FLUSH_EVERY == FLUSH_EVERY - 1 {
            image.flush(Durability::None)?;
        }
    }
    image.flush(Durability::Fsync)?;
    let mut block = vec![0x3c; BLOCK];
    for number in 0..file / BLOCK as u64 {
        image.write_at(&block, number * BLOCK as u64)?;
    }
    image.flush(Durability::Fsync)?;
    drop(image);

    let mut image = open::open(path, Access::Write, spec.passphrase())?.image;
    for number in 0..file / BLOCK as u64 {
        image.read_at(&mut block, number * BLOCK as u64)?;
    }
    drop(image);
    match open::check(path, spec.passphrase())?.first() {
        None => told(),
        Some(damage) => Err(format!("it is damaged: {}", damage.0).into()),
    }
}

/// Prints what Linux knows of the most memory that this process held, in KiB; nothing elsewhere.
fn told() -> Result<(), Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
    Ok(std::io::stdout().write_all(kib.as_bytes())?)
}
