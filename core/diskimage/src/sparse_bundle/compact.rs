//! Frees zeros: files of bands with only zeros are deleted, and zeros at the end of a file are truncated.

use system::memory::in_memory;

use crate::disk::Advance;
use crate::error::Result;
use crate::pieces::bytes_of_mut;
use crate::sparse_bundle::view::PlainView;

/// Bytes that are looked through at once, from the end of a band on. One look settles it for a band that is full.
const CHUNK: u64 = 1 << 16;

/// What a file's length is cut to a multiple of: a page, which no file system gives back a part of, and whole blocks of
/// ciphertext.
const UNIT: u64 = 4096;

impl PlainView {
    pub(super) fn drop_zeros(&mut self, band_bytes: u64, advance: Advance<'_>) -> Result<()> {
        let mut buffer = vec![0; in_memory(CHUNK)];
        let bands = self.files.numbers();
        let all = bands.len() as u64;
        for (done, band) in (1..).zip(bands) {
            let there = self.files.len_bytes(band).min(band_bytes);
            let mut end = there;
            let mut holds = 0;
            while end > 0 && holds == 0 {
                let start = (end - 1) / CHUNK * CHUNK;
                let chunk = bytes_of_mut(&mut buffer, 0, end - start);
                self.read(band, start, chunk)?;
                if let Some(last) = chunk.iter().rposition(|byte| *byte != 0) {
                    holds = start + last as u64 + 1;
                }
                end = start;
            }
            self.files.truncate(band, holds.next_multiple_of(UNIT).min(there))?;
            advance(done * band_bytes, all * band_bytes);
        }
        Ok(())
    }
}
