//! Reads an image whole with this project's own reader, in blocks of 1 MiB, as the others in `prove.sh images` do.
//! Only the loop is timed.
//!
//! ```text
//! cargo run --release --example read_image -- IMAGE
//! {"bytes":536870912,"ns":…}
//! ```

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use diskimage::open;
use diskimage::store::Access;

/// Bytes that are read in one call: the study's block.
const BLOCK: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("give the path of an image")?;
    let mut image = open::open(Path::new(&path), Access::Read, None)?.image;
    let length = image.len_bytes();
    let mut buffer = vec![1; BLOCK];
    let start = Instant::now();
    let mut offset = 0;
    while offset < length {
        let count = usize::try_from(length - offset).map_or(BLOCK, |left| left.min(BLOCK));
        let block = buffer.get_mut(..count).ok_or("block too large")?;
        image.read_at(block, offset)?;
        offset += count as u64;
    }
    let ns = start.elapsed().as_nanos();
    writeln!(std::io::stdout(), "{{\"bytes\":{offset},\"ns\":{ns}}}")?;
    Ok(())
}
