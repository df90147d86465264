//! The loop that the harness is measured against: nothing but `pwrite`, one `fsync` per file, and `pread`.
//!
//! It writes one round of a cell's files in the cell's order, with its block size, drops the files from the cache as the
//! driver `native` does, and reads them back. Timed is what the harness times: from the first block to the end of the
//! flush, files open. It writes one block over and over or, with `--own-content`, makes what the harness writes, between
//! the blocks on its one thread.
//!
//! ```text
//! cargo run --release --example bare_loop -- --cell FILE --folder DIR [--own-content]
//! {"files":160,"write_bytes":266500000,"write_ns":…,"read_bytes":266500000,"read_ns":…}
//! ```

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use diskbench_core::cell::Cell;
use diskbench_core::workload::FileSpec;
use diskbench_core::workload::content::Content;
use diskbench_core::workload::order::round_files;
use system::aligned::Aligned;
use system::{cache, flush};

/// What the command line says.
struct Options {
    cell: Cell,
    folder: PathBuf,
    own_content: bool,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let (mut cell, mut folder, mut own_content) = (None, None, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cell" => cell = arguments.next(),
            "--folder" => folder = arguments.next(),
            "--own-content" => own_content = true,
            other => {
                return Err(format!("unknown argument {other}; see the head of this file").into());
            }
        }
    }
    let cell = Cell::load(Path::new(&cell.ok_or("--cell FILE is missing")?))?;
    Ok(Options { cell, folder: folder.ok_or("--folder DIR is missing")?.into(), own_content })
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { cell, folder, own_content } = options()?;
    let folder = folder.join("bare-loop");
    fs::create_dir(&folder)?;
    let result = measure(&cell, &folder, own_content);
    fs::remove_dir_all(&folder)?;
    let (bytes, files, write_ns, read_ns) = result?;
    writeln!(
        std::io::stdout(),
        "{{\"files\":{files},\"write_bytes\":{bytes},\"write_ns\":{write_ns},\"read_bytes\":{bytes},\"read_ns\":{read_ns}}}"
    )?;
    Ok(())
}

/// Bytes, files, and the nanoseconds of writing and of reading.
fn measure(
    cell: &Cell,
    folder: &Path,
    own_content: bool,
) -> Result<(u64, usize, u128, u128), Box<dyn Error>> {
    let files = round_files(cell, 1);
    let block_bytes = usize::try_from(cell.io.block_bytes)?;
    let content = Content::new(cell.seed);
    let mut buffer = Aligned::new(block_bytes);
    content.fill(0, 0, buffer.bytes_mut());
    let (mut write_ns, mut read_ns) = (0, 0);
    for spec in &files {
        let file =
            OpenOptions::new().write(true).create_new(true).open(folder.join(spec.name()))?;
        let start = Instant::now();
        let mut offset = 0;
        while offset < spec.size_bytes {
            let length = block_length(spec, offset, block_bytes);
            let block = buffer.bytes_mut().get_mut(..length).ok_or("block too large")?;
            if own_content {
                content.fill(spec.id(), offset, block);
            }
            file.write_all_at(block, offset)?;
            offset += length as u64;
        }
        flush::flush(&file, cell.io.durability)?;
        write_ns += start.elapsed().as_nanos();
    }
    for spec in &files {
        let file = File::open(folder.join(spec.name()))?;
        file.sync_all()?;
        cache::drop_pages(&file, spec.size_bytes)?;
    }
    for spec in &files {
        let file = File::open(folder.join(spec.name()))?;
        let start = Instant::now();
        let mut offset = 0;
        while offset < spec.size_bytes {
            let length = block_length(spec, offset, block_bytes);
            let block = buffer.bytes_mut().get_mut(..length).ok_or("block too large")?;
            file.read_exact_at(block, offset)?;
            offset += length as u64;
        }
        read_ns += start.elapsed().as_nanos();
    }
    Ok((files.iter().map(|spec| spec.size_bytes).sum(), files.len(), write_ns, read_ns))
}

fn block_length(spec: &FileSpec, offset: u64, block_bytes: usize) -> usize {
    usize::try_from(spec.size_bytes - offset).map_or(block_bytes, |left| left.min(block_bytes))
}
