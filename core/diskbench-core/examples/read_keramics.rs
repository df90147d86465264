//! Reads a sparse image or a sparse bundle whole with the crate `keramics-formats`, in blocks of 1 MiB: what the
//! project's own reader is compared with in `prove.sh images`. Only the loop is timed.
//!
//! Its limits: at most 1008 bands of a sparse image; an error on a missing or short band of a bundle.
//!
//! ```text
//! cargo run --release --example read_keramics -- IMAGE
//! {"bytes":536870912,"ns":…}
//! ```

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use keramics_core::{DataStreamReference, open_os_data_stream};
use keramics_formats::sparsebundle::SparseBundleImage;
use keramics_formats::sparseimage::SparseImageFile;
use keramics_formats::{FileResolverReference, OsFileResolver, PathComponent};

/// Bytes that are read in one call: the study's block.
const BLOCK: usize = 1 << 20;

fn opened(path: &PathBuf) -> Result<Option<DataStreamReference>, Box<dyn Error>> {
    if path.is_dir() {
        let folder = FileResolverReference::new(Box::new(OsFileResolver::new(path.clone())));
        let mut image = SparseBundleImage::new();
        image.open(&folder, &PathComponent::from("Info.plist")).map_err(told)?;
        return Ok(image.get_data_stream());
    }
    let mut image = SparseImageFile::new();
    image.read_data_stream(&open_os_data_stream(path).map_err(told)?).map_err(told)?;
    Ok(image.get_data_stream())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = PathBuf::from(std::env::args_os().nth(1).ok_or("give the path of an image")?);
    let stream = opened(&path)?.ok_or("it cannot be read without its passphrase")?;
    let mut stream = stream.write().map_err(|_| "the stream is broken")?;
    let mut buffer = vec![1; BLOCK];
    let start = Instant::now();
    let mut bytes = 0;
    loop {
        match stream.read(&mut buffer).map_err(told)? {
            0 => break,
            count => bytes += count,
        }
    }
    let ns = start.elapsed().as_nanos();
    writeln!(std::io::stdout(), "{{\"bytes\":{bytes},\"ns\":{ns}}}")?;
    Ok(())
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
