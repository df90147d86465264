//! Reading and writing bands, plain or as ciphertext.
//!
//! Encrypted bands contain only whole blocks of 512 bytes (4096 in older bundles, which are only read), each encrypted
//! with its number in the disk (not in the band). A hole would be noise to other readers, so there is none: a write
//! beyond the end of a band's file fills the gap with encrypted zeros, and discarded ranges become encrypted zeros,
//! unless the file can end there.

use system::memory::in_memory;

use crate::crypt::{BLOCK, Token, may_write};
use crate::error::{Kind, Result, damaged};
use crate::pieces::{bytes_of, bytes_of_mut, pieces};
use crate::sparse_bundle::bands::BandFiles;
use crate::store;

/// Bytes that are encrypted at once: enough for several threads.
const CHUNK: u64 = 4 << 20;

const BLOCK_BYTES: u64 = BLOCK as u64;

/// Bands as rows of plain bytes.
pub(crate) struct PlainView {
    pub files: BandFiles,
    band_bytes: u64,
    cipher: Option<Token>,
    /// Ciphertext on its way to a file.
    buffer: Vec<u8>,
}

impl PlainView {
    pub(crate) fn new(files: BandFiles, band_bytes: u64, cipher: Option<Token>) -> Self {
        Self { files, band_bytes, cipher, buffer: Vec::new() }
    }

    /// Makes sure that its bands may be changed.
    pub(crate) fn may_write(&self) -> Result<()> {
        self.cipher.as_ref().map_or(Ok(()), |cipher| may_write(cipher.block_bytes()))
    }

    /// Fills the buffer with a part of a band.
    pub(crate) fn read(&mut self, band: u64, start: u64, buffer: &mut [u8]) -> Result<()> {
        self.read_there(band, start, buffer).map_err(|error| {
            if error.kind() != Kind::Damaged {
                return error;
            }
            let file = format!("bands/{}", self.files.name(band));
            damaged(store::became_shorter(&file))
        })
    }

    fn read_there(&mut self, band: u64, start: u64, buffer: &mut [u8]) -> Result<()> {
        let wanted = buffer.len() as u64;
        let there = self.files.len_bytes(band).saturating_sub(start).min(wanted);
        bytes_of_mut(buffer, there, wanted - there).fill(0);
        if there == 0 {
            return Ok(());
        }
        let buffer = bytes_of_mut(buffer, 0, there);
        let Some(cipher) = &self.cipher else {
            return store::read_exact(self.files.file(band)?, buffer, start);
        };
        let unit = cipher.block_bytes() as u64;
        let first = band * (self.band_bytes / unit);
        let file = self.files.file(band)?;
        cipher.read(first, buffer, start, |blocks, at| store::read_exact(file, blocks, at))
    }

    /// Writes a part of a band.
    pub(crate) fn write(&mut self, band: u64, start: u64, bytes: &[u8]) -> Result<()> {
        let end = start + bytes.len() as u64;
        if self.cipher.is_none() {
            return self.files.write(band, start, bytes);
        }
        let there = self.files.len_bytes(band);
        if there < start / BLOCK_BYTES * BLOCK_BYTES {
            self.write_blocks(band, there, start / BLOCK_BYTES * BLOCK_BYTES - there, None)?;
        }
        self.write_blocks(band, start, end - start, Some(bytes))
    }

    /// Makes a part of a band zeros, and gives back what can be given back.
    pub(crate) fn discard(&mut self, band: u64, start: u64, length: u64) -> Result<()> {
        let there = self.files.len_bytes(band);
        let end = (start + length).min(there);
        if start >= end {
            return Ok(());
        }
        let whole = if self.cipher.is_some() { start.next_multiple_of(BLOCK_BYTES) } else { start };
        match (end == there, self.cipher.is_some()) {
            (true, _) => {
                if start < whole {
                    self.write_blocks(band, start, whole - start, None)?;
                }
                self.files.truncate(band, whole)
            }
            (false, true) => self.write_blocks(band, start, end - start, None),
            (false, false) => self.files.punch(band, start, end - start),
        }
    }

    /// Encrypts and writes bytes, or zeros; the rest of the first block and of the last one stays as it is.
    fn write_blocks(
        &mut self,
        band: u64,
        start: u64,
        length: u64,
        bytes: Option<&[u8]>,
    ) -> Result<()> {
        let Some(cipher) = &self.cipher else {
            return Ok(());
        };
        let first = band * (self.band_bytes / BLOCK_BYTES);
        for piece in pieces(CHUNK, start, length) {
            let from = start + piece.done;
            let (low, high) = (from / BLOCK_BYTES, (from + piece.length).div_ceil(BLOCK_BYTES));
            let there = self.files.len_bytes(band);
            self.buffer.resize(in_memory((high - low) * BLOCK_BYTES), 0);
            let into = from % BLOCK_BYTES;
            let whole = into == 0 && piece.length.is_multiple_of(BLOCK_BYTES);
            if let (true, Some(bytes)) = (whole, bytes) {
                let plain = bytes_of(bytes, piece.done, piece.length);
                let ciphertext = cipher.encrypt_into(plain, &mut self.buffer, first + low);
                self.files.write(band, from, ciphertext)?;
                continue;
            }
            self.buffer.fill(0);
            let partial =
                [(low, into > 0), (high - 1, !(from + piece.length).is_multiple_of(BLOCK_BYTES))];
            for (number, is_partial) in partial {
                if is_partial && number * BLOCK_BYTES < there {
                    let place = (number - low) * BLOCK_BYTES;
                    let block = bytes_of_mut(&mut self.buffer, place, BLOCK_BYTES);
                    let file = self.files.file(band)?;
                    let read = |bytes: &mut [u8], at| store::read_exact(file, bytes, at);
                    cipher.read(first, block, number * BLOCK_BYTES, read)?;
                }
            }
            let place = bytes_of_mut(&mut self.buffer, into, piece.length);
            match bytes {
                Some(bytes) => place.copy_from_slice(bytes_of(bytes, piece.done, piece.length)),
                None => place.fill(0),
            }
            cipher.encrypt(&mut self.buffer, first + low);
            self.files.write(band, low * BLOCK_BYTES, &self.buffer)?;
        }
        Ok(())
    }
}
