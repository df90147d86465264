//! The content of the current file: as much as fits into a store is generated before its clock starts, the rest by a
//! thread while the disk is busy.
//!
//! The timed region takes ready pieces and returns them, half a store at a time, so that the thread is woken rarely;
//! files that fit into the store cause no concurrent work. A writer faster than the generator waits for it:
//! [`crate::ceiling`] measures this limit, and figures near it are marked.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use system::aligned::Aligned;
use system::memory::in_memory;

use crate::workload::FileSpec;
use crate::workload::content::Content;

/// Bytes in store when a file's clock starts: what a disk of 8 GB/s takes in 0.5 ms, several times as long as a thread
/// takes to wake, and few enough to stay in the processor's cache. A store of 16 MiB did not: its bytes were fetched
/// from memory when the system copied them, which made direct writes slower than those of a program with one buffer
/// (`prove.sh fio`).
const STORE: usize = 4 << 20;

/// Least bytes generated at a time, so that threads synchronize rarely.
const PIECE: usize = 1 << 20;

/// The store and its thread, which ends with it.
#[derive(Debug)]
pub(crate) struct Supply {
    files: Sender<FileSpec>,
    full: Receiver<Aligned>,
    empty: Sender<Aligned>,
    /// Pieces of the file at hand, the next one first.
    ready: VecDeque<Aligned>,
    /// Pieces that were written and not handed back yet.
    used: Vec<Aligned>,
    pieces: usize,
    piece_bytes: usize,
    /// Pieces of the file at hand that no room was handed back for yet.
    unasked: u64,
}

impl Supply {
    /// A supply for files that are written in blocks of this size.
    ///
    /// # Errors
    /// When the system grants no thread.
    pub(crate) fn new(content: Content, block_bytes: usize) -> io::Result<Self> {
        Self::made_by(block_bytes, move |asked, rooms, made| fill(&content, &asked, &rooms, &made))
    }

    /// A supply whose thread fills the store only once, but still takes pieces back.
    #[cfg(test)]
    pub(crate) fn ending(content: Content, block_bytes: usize) -> io::Result<Self> {
        Self::made_by(block_bytes, move |asked, rooms, made| {
            let (few, taken) = channel();
            rooms.iter().take(STORE / PIECE).for_each(|room| few.send(room).unwrap_or_default());
            drop(few);
            fill(&content, &asked, &taken, &made);
            drop(made);
            rooms.iter().for_each(drop);
        })
    }

    fn made_by(
        block_bytes: usize,
        work: impl FnOnce(Receiver<FileSpec>, Receiver<Aligned>, Sender<Aligned>) + Send + 'static,
    ) -> io::Result<Self> {
        let piece_bytes = block_bytes.max(1) * PIECE.div_ceil(block_bytes.max(1));
        let pieces = (STORE / piece_bytes).max(2);
        let (files, asked) = channel();
        let (empty, rooms) = channel();
        let (made, full) = channel();
        thread::Builder::new().name("content".into()).spawn(move || work(asked, rooms, made))?;
        let used = (0..pieces).map(|_| Aligned::new(piece_bytes)).collect();
        let ready = VecDeque::new();
        Ok(Self { files, full, empty, ready, used, pieces, piece_bytes, unasked: 0 })
    }

    /// Begins a file; on return, all of it is ready, or as much as fits into the store. The previous file must have
    /// been taken to its end.
    ///
    /// # Errors
    /// When the thread is gone.
    pub(crate) fn begin(&mut self, file: FileSpec) -> io::Result<()> {
        self.used.extend(self.ready.drain(..));
        self.files.send(file).map_err(gone)?;
        self.unasked = file.size_bytes.div_ceil(self.piece_bytes as u64);
        let first = self.hand_back()?;
        while self.ready.len() < first {
            self.ready.push_back(self.full.recv().map_err(gone)?);
        }
        Ok(())
    }

    /// The block of the current file at `offset`; blocks in order, shorter only at the file's end.
    ///
    /// # Errors
    /// When the thread is gone.
    pub(crate) fn block(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let start = in_memory(offset % self.piece_bytes as u64);
        if start == 0 && offset > 0 {
            self.used.extend(self.ready.pop_front());
            if self.used.len() >= self.pieces / 2 {
                self.hand_back()?;
            }
        }
        if self.ready.is_empty() {
            self.ready.push_back(self.full.recv().map_err(gone)?);
        }
        let piece = self.ready.front().map(Aligned::bytes).unwrap_or_default();
        piece.get(start..start + length).ok_or_else(|| {
            io::Error::other(format!(
                "a block of {length} bytes at {offset} is in no piece: this is a fault of diskbench; please report it"
            ))
        })
    }

    /// Returns pieces for the rest of the file; gives their number.
    fn hand_back(&mut self) -> io::Result<usize> {
        let most = in_memory(self.unasked);
        let count = self.used.len().min(most);
        for piece in self.used.drain(..count) {
            self.empty.send(piece).map_err(gone)?;
        }
        self.unasked -= count as u64;
        // What is ready already follows without anybody's asking.
        self.ready.extend(self.full.try_iter());
        Ok(count)
    }
}

fn gone<T>(_: T) -> io::Error {
    io::Error::other("the thread that makes the content has ended")
}

/// Generates file after file, a piece for each returned buffer, until the supply is dropped.
fn fill(
    content: &Content,
    files: &Receiver<FileSpec>,
    rooms: &Receiver<Aligned>,
    made: &Sender<Aligned>,
) {
    for file in files {
        let mut offset = 0;
        while offset < file.size_bytes {
            let Ok(mut room) = rooms.recv() else { return };
            let piece = room.bytes_mut();
            let left = in_memory(file.size_bytes - offset);
            let length = left.min(piece.len());
            content.fill(file.id(), offset, piece.split_at_mut(length).0);
            offset += length as u64;
            if made.send(room).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STORE, Supply};
    use crate::workload::FileSpec;
    use crate::workload::content::Content;

    fn file(order: u32, size_bytes: u64) -> FileSpec {
        FileSpec { round: 1, set: 1, order, size_bytes }
    }

    /// A file as it is handed out, block after block.
    fn taken(supply: &mut Supply, file: FileSpec, block: usize) -> Vec<u8> {
        supply.begin(file).unwrap();
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < file.size_bytes {
            let left = usize::try_from(file.size_bytes).unwrap() - bytes.len();
            let made = supply.block(bytes.len() as u64, left.min(block)).unwrap();
            bytes.extend_from_slice(made);
        }
        bytes
    }

    #[test]
    fn files_within_the_store_and_beyond_it_come_whole_and_in_order() {
        let store = STORE as u64;
        for block in [4096, 12_288, 1 << 20, 5 << 20, 32 << 20] {
            let mut supply = Supply::new(Content::new(3), block).unwrap();
            for (order, size) in (1..).zip([1, 4096, store, store + 1, 5 * store + 77, 10_000]) {
                let mut expected = vec![0; usize::try_from(size).unwrap()];
                Content::new(3).fill(file(order, size).id(), 0, &mut expected);
                let found = taken(&mut supply, file(order, size), block);
                assert!(found == expected, "block {block}, {size} bytes");
            }
        }
    }

    #[test]
    fn no_more_pieces_come_into_being_than_the_store_has() {
        let mut supply = Supply::new(Content::new(3), 1 << 20).unwrap();
        for size in [100, 40 << 20, 3 << 20] {
            taken(&mut supply, file(1, size), 1 << 20);
            assert_eq!(supply.used.len() + supply.ready.len(), STORE >> 20);
        }
    }

    #[test]
    fn a_thread_that_has_ended_is_an_error_and_never_other_content() {
        let (size, block) = (2 * STORE as u64, 1 << 20);
        let mut supply = Supply::ending(Content::new(3), block).unwrap();
        supply.begin(file(1, size)).unwrap();
        let mut offset = 0;
        let error = loop {
            match supply.block(offset, block) {
                Ok(made) => {
                    assert_eq!(made.len(), block, "at {offset}");
                    assert_eq!(Content::new(3).difference(file(1, size).id(), offset, made), None);
                    offset += block as u64;
                }
                Err(error) => break error,
            }
        };
        assert_eq!(offset, STORE as u64);
        assert_eq!(error.to_string(), "the thread that makes the content has ended");
    }

    #[test]
    fn a_block_that_no_piece_holds_is_a_fault_of_the_program_and_no_refusal_of_the_system() {
        let mut supply = Supply::new(Content::new(3), 4096).unwrap();
        supply.begin(file(1, 4 << 20)).unwrap();
        let error = supply.block(4096, supply.piece_bytes).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::Other);
        assert!(error.to_string().contains("please report it"), "{error}");
    }

    #[test]
    fn a_supply_that_is_given_up_in_the_middle_of_a_file_does_not_wait() {
        let mut supply = Supply::new(Content::new(3), 4096).unwrap();
        supply.begin(file(1, 1 << 30)).unwrap();
        supply.block(0, 4096).unwrap();
        drop(supply);
    }
}
