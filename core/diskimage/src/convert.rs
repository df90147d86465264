//! Copies a disk into another: a stream of blocks in bounded memory. Zeros are not written, and not read if the source
//! has a map.

use std::ops::{ControlFlow, Range};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use system::memory::in_memory;

use crate::bytes::part;
use crate::disk::VirtualDisk;
use crate::error::{ImageError, Result, invalid};
use crate::format::ImageFormat;

/// Bytes read in one call: enough for all threads to encrypt or decrypt, and small compared with images.
pub(crate) const BLOCK: u64 = 4 << 20;

/// Blocks in memory: one that is read, one that is written, one between them.
const BLOCKS: usize = 3;

/// Granularity of the search for zeros, in bytes: the block size of most file systems, so that a hole saves space.
const PIECE: usize = 4096;

static ZEROS: [u8; PIECE] = [0; PIECE];

/// How zeros are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zeros {
    /// They are left out: unwritten ranges are zeros.
    Skipped,
    /// They are written like everything else.
    Written,
}

impl Zeros {
    /// What a new image needs. In an encrypted image without a map a block that was never written is zeros to us alone:
    /// every other reader decrypts it into noise.
    pub const fn of(format: ImageFormat, encrypted: bool) -> Self {
        if encrypted && !format.row().has_map { Self::Written } else { Self::Skipped }
    }
}

/// Why a copy was given up.
#[derive(Debug)]
pub enum Failure {
    /// The source could not be read.
    Source(ImageError),
    /// The destination could not be written.
    Destination(ImageError),
    /// Cancelled by the caller.
    Stopped,
}

/// Copies all of a disk to a new one of the same length. The next block is read while one is written.
/// After each block `progress` gets its length in bytes, and says whether to go on.
///
/// # Errors
/// See [`Failure`]; the destination then holds a part, and is of no use.
pub fn copy(
    source: &mut dyn VirtualDisk,
    destination: &mut dyn VirtualDisk,
    zeros: Zeros,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> std::result::Result<(), Failure> {
    if source.len_bytes() != destination.len_bytes() {
        let what = format!(
            "it has {} bytes, and the source {}: give both the same length",
            destination.len_bytes(),
            source.len_bytes()
        );
        return Err(Failure::Destination(invalid(what)));
    }
    stream(source, zeros == Zeros::Skipped, &mut |block| {
        write(destination, &block.bytes, block.offset, zeros).map_err(Failure::Destination)?;
        reported(progress, block.length)
    })
}

/// Reports progress, and returns whether to continue.
pub(crate) fn reported(
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    length: u64,
) -> std::result::Result<(), Failure> {
    if progress(length).is_break() { Err(Failure::Stopped) } else { Ok(()) }
}

/// Reads a disk from start to end, a block ahead of `take`. With `skip`, ranges known to be zeros are not read.
///
/// # Errors
/// `Source` when it cannot be read, and those of `take`, which end it.
pub(crate) fn stream(
    source: &mut dyn VirtualDisk,
    skip: bool,
    take: &mut dyn FnMut(&Block) -> std::result::Result<(), Failure>,
) -> std::result::Result<(), Failure> {
    let (filled, to_take) = sync_channel(BLOCKS);
    let (emptied, to_fill) = channel();
    for _ in 0..BLOCKS {
        // Its receiver is in the next line but one.
        drop(emptied.send(Vec::new()));
    }
    thread::scope(|scope| {
        scope.spawn(move || read_all(source, skip, &to_fill, &filled));
        // Ends when the reader has read all or reported an error. Returning drops both ends here, which ends the
        // reader.
        let (to_take, emptied) = (to_take, emptied);
        for block in to_take {
            let block = block.map_err(Failure::Source)?;
            take(&block)?;
            // A reader that has read all takes no more.
            drop(emptied.send(block.bytes));
        }
        Ok(())
    })
}

/// A part of the disk.
pub(crate) struct Block {
    /// Its bytes, or none if all are zeros.
    pub bytes: Vec<u8>,
    /// Where it begins.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
}

/// Reads a disk from start to end into returned buffers, until the receiver ends. With `skip` it reads only blocks with
/// data.
fn read_all(
    source: &mut dyn VirtualDisk,
    skip: bool,
    to_fill: &Receiver<Vec<u8>>,
    filled: &SyncSender<Result<Block>>,
) {
    let len_bytes = source.len_bytes();
    let mut data = if skip { 0..0 } else { 0..len_bytes };
    let mut offset = 0;
    while offset < len_bytes {
        let Ok(bytes) = to_fill.recv() else { return };
        let read = read_block(source, &mut data, bytes, offset);
        offset += read.as_ref().map_or(len_bytes, |block| block.length);
        if filled.send(read).is_err() {
            return;
        }
    }
}

/// Reads the next block, or finds how long the zeros are in whole blocks. `data` is the range of data that was found
/// last.
fn read_block(
    source: &mut dyn VirtualDisk,
    data: &mut Range<u64>,
    mut bytes: Vec<u8>,
    offset: u64,
) -> Result<Block> {
    let len_bytes = source.len_bytes();
    if data.end <= offset {
        *data = source.next_data(offset)?.unwrap_or(len_bytes..len_bytes);
    }
    // Never within a block: where one begins in the destination does not depend on the source's holes.
    let start = if data.start < len_bytes { data.start / BLOCK * BLOCK } else { len_bytes };
    if offset < start {
        bytes.clear();
        return Ok(Block { bytes, offset, length: start - offset });
    }
    let length = BLOCK.min(len_bytes - offset);
    bytes.resize(in_memory(length), 0);
    source.read_at(&mut bytes, offset)?;
    Ok(Block { bytes, offset, length })
}

fn write(destination: &mut dyn VirtualDisk, bytes: &[u8], offset: u64, zeros: Zeros) -> Result<()> {
    if zeros == Zeros::Written {
        return destination.write_at(bytes, offset);
    }
    let mut write_run = |start: usize, end: usize| match part(bytes, start..end) {
        [] => Ok(()),
        run => destination.write_at(run, offset + start as u64),
    };
    // Neighbours that hold something are written in one call.
    let (mut start, mut end) = (0, 0);
    for piece in bytes.chunks(PIECE) {
        let piece_start = end;
        end += piece.len();
        if ZEROS.starts_with(piece) {
            write_run(start, piece_start)?;
            start = end;
        }
    }
    write_run(start, end)
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Failure, Zeros, copy, write};
    use crate::disk::VirtualDisk;
    use crate::error::Result;
    use crate::raw::RawDisk;
    use crate::testing::content;
    use crate::testing::memory::MemoryStore;
    use std::ops::ControlFlow;

    fn new(len_bytes: u64) -> (RawDisk, MemoryStore) {
        let memory = MemoryStore::default();
        (RawDisk::create(Box::new(memory.clone()), len_bytes).unwrap(), memory)
    }

    fn holding(bytes: &[u8]) -> (RawDisk, MemoryStore) {
        let memory = MemoryStore::of(bytes);
        (RawDisk::open(Box::new(memory.clone())).unwrap(), memory)
    }

    #[test]
    fn a_copy_holds_every_byte_and_all_of_them_are_reported() {
        for len_bytes in [512, BLOCK - 512, BLOCK, BLOCK + 512, 3 * BLOCK + 5 * 512] {
            let mut bytes = content(7, len_bytes);
            let (third, half) = (bytes.len() / 3, bytes.len() / 2);
            bytes[third..half].fill(0);
            for zeros in [Zeros::Skipped, Zeros::Written] {
                let (mut source, _) = holding(&bytes);
                let (mut destination, memory) = new(len_bytes);
                let mut reported = 0;
                let mut progress = |bytes| {
                    reported += bytes;
                    ControlFlow::Continue(())
                };
                copy(&mut source, &mut destination, zeros, &mut progress).unwrap();
                assert!(memory.bytes() == bytes, "{len_bytes} bytes, {zeros:?}");
                assert_eq!(reported, len_bytes);
            }
        }
    }

    #[test]
    fn zeros_are_left_out_and_neighbours_written_together() {
        // Two pieces with something in them, one of zeros, one with something, and half a piece of zeros.
        let mut bytes = vec![0; 4 * 4096 + 2048];
        for place in [5, 4096, 3 * 4096 + 4095] {
            bytes[place] = 1;
        }
        for (zeros, changes) in [(Zeros::Skipped, 2), (Zeros::Written, 1)] {
            let (mut disk, memory) = new(bytes.len() as u64);
            let before = memory.changes();
            write(&mut disk, &bytes, 0, zeros).unwrap();
            assert_eq!(memory.changes() - before, changes);
            assert_eq!(memory.bytes(), bytes);
        }
    }

    #[test]
    fn an_error_says_on_which_side_it_happened() {
        let bytes = content(3, 3 * BLOCK);
        let (mut source, _) = holding(&bytes);
        let (mut destination, memory) = new(3 * BLOCK);
        memory.die_after(1);
        let mut reported = Vec::new();
        let mut progress = |bytes| {
            reported.push(bytes);
            ControlFlow::Continue(())
        };
        let failed = copy(&mut source, &mut destination, Zeros::Skipped, &mut progress);
        assert!(matches!(failed, Err(Failure::Destination(_))), "{failed:?}");
        assert_eq!(reported, [BLOCK]);

        struct Unreadable;
        impl VirtualDisk for Unreadable {
            fn len_bytes(&self) -> u64 {
                3 * BLOCK
            }
            fn read_at(&mut self, _: &mut [u8], _: u64) -> Result<()> {
                Err(crate::error::internal("no"))
            }
        }
        let failed = copy(&mut Unreadable, &mut destination, Zeros::Skipped, &mut |_| {
            ControlFlow::Continue(())
        });
        assert!(matches!(failed, Err(Failure::Source(_))), "{failed:?}");
    }

    #[test]
    fn a_copy_stops_when_it_is_asked_to() {
        let (mut source, _) = holding(&content(3, 3 * BLOCK));
        let (mut destination, memory) = new(3 * BLOCK);
        let before = memory.changes();
        let stopped =
            copy(&mut source, &mut destination, Zeros::Written, &mut |_| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(Failure::Stopped)), "{stopped:?}");
        assert_eq!(memory.changes(), before + 1, "the first block, and no other");
    }
}
