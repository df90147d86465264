//! A container in a store: the header, then the encrypted blocks.
//!
//! The header has the length of the payload. A new one is written at the flush, when the file is as long on the disk: a
//! process killed while the container grows, or a power failure, leaves the old length. Bytes after the payload are
//! truncated before it grows again.

use std::ops::Range;

use system::aligned::Aligned;
use system::flush::Durability;
use system::memory::in_memory;

use crate::bytes::{all_zero, part_mut};
use crate::crypt::header::{HEADER, Header, MAGIC, OLD_MAGIC, PAYLOAD_BYTES_AT};
use crate::crypt::token::{self, Token};
use crate::crypt::{BLOCK, Facts, NewKey, Passphrase, countable, may_write};
use crate::disk::rest;
use crate::error::{Result, damaged, internal};
use crate::findings::{OnDamage, strict};
use crate::store::Store;

/// [`BLOCK`] as a number of bytes in a file: the size of written blocks.
const UNIT: u64 = BLOCK as u64;

/// Bytes that are encrypted before all of them are written: twice a usual write of 1 MiB, so that one is never cut.
const PIECE: usize = 2 << 20;

/// Whether a store is an encrypted container.
///
/// # Errors
/// Any error of the system.
pub fn is_container(store: &mut dyn Store) -> Result<bool> {
    let len_bytes = store.len_bytes();
    let mut magic = [0; MAGIC.len()];
    let Some(last) = len_bytes.checked_sub(magic.len() as u64) else { return Ok(false) };
    store.read_at(&mut magic, 0)?;
    if magic == *MAGIC {
        return Ok(true);
    }
    store.read_at(&mut magic, last)?;
    Ok(magic == *OLD_MAGIC)
}

/// An encrypted store in another store.
pub struct Container {
    inner: Box<dyn Store>,
    token: Token,
    /// Where the payload begins in the inner store, and its length.
    start: u64,
    len_bytes: u64,
    /// Whether the header has a shorter length.
    grew: bool,
    /// Where it is encrypted before it is written.
    room: Aligned,
}

impl Container {
    /// Makes a new container in an empty store.
    ///
    /// # Errors
    /// `Invalid` for a count of rounds that makes no sense; otherwise any error of the system.
    pub fn create(mut inner: Box<dyn Store>, key: &NewKey) -> Result<Self> {
        let token = token::token(key)?;
        inner.set_len(HEADER as u64)?;
        inner.write_at(token.header(), 0)?;
        Ok(Self::of(inner, token, HEADER as u64, 0))
    }

    /// Opens a container.
    ///
    /// # Errors
    /// `PassphraseNeeded` or `WrongPassphrase`; `Damaged` when its header makes no sense;
    /// `Unsupported` for a kind of container that is not known.
    pub fn open(inner: Box<dyn Store>, passphrase: Option<&Passphrase>) -> Result<Self> {
        Self::open_around(inner, passphrase, &mut strict)
    }

    /// The same, with `on_damage` told when it is truncated.
    ///
    /// # Errors
    /// As [`Self::open`], and those of `on_damage`.
    pub(crate) fn open_around(
        mut inner: Box<dyn Store>,
        passphrase: Option<&Passphrase>,
        on_damage: &mut OnDamage<'_>,
    ) -> Result<Self> {
        let inner_bytes = inner.len_bytes();
        let (bytes, header) = Header::load(inner.as_mut())?;
        if header.payload_at < HEADER as u64 {
            return Err(damaged(format!(
                "the payload begins at {}, within the header of {HEADER} bytes",
                header.payload_at
            )));
        }
        let end = header.payload_bytes.checked_next_multiple_of(header.block_bytes as u64);
        let end = end.and_then(|end| end.checked_add(header.payload_at));
        if end.is_none_or(|end| end > inner_bytes) {
            let what = format!(
                "the encrypted image is truncated: its header states {} bytes from {} on, but the file has {inner_bytes}",
                header.payload_bytes, header.payload_at
            );
            if header.payload_at > inner_bytes {
                return Err(damaged(what));
            }
            on_damage(what)?;
        }
        let token = Token::unlock(bytes, &header, passphrase)?;
        Ok(Self::of(inner, token, header.payload_at, header.payload_bytes))
    }

    fn of(inner: Box<dyn Store>, token: Token, start: u64, len_bytes: u64) -> Self {
        Self { inner, token, start, len_bytes, grew: false, room: Aligned::new(PIECE) }
    }

    /// Public facts about it.
    pub fn facts(&self) -> Facts {
        self.token.facts()
    }

    fn unit(&self) -> u64 {
        self.token.block_bytes() as u64
    }

    fn within(&self, offset: u64, length: usize) -> Result<()> {
        let end = offset.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len_bytes) {
            return Err(damaged(format!(
                "{length} bytes at {offset} reach beyond the end at {}",
                self.len_bytes
            )));
        }
        Ok(())
    }

    /// Fills the buffer with a part of the payload.
    fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let (inner, start) = (&mut self.inner, self.start);
        self.token.read(0, buffer, offset, |blocks, at| inner.read_at(blocks, start + at))
    }

    /// Encrypts whole blocks and writes them.
    fn write_blocks(&mut self, blocks: &[u8], offset: u64) -> Result<()> {
        for (piece, offset) in blocks.chunks(PIECE).zip((offset..).step_by(PIECE)) {
            let ciphertext = self.token.encrypt_into(piece, self.room.bytes_mut(), offset / UNIT);
            self.inner.write_at(ciphertext, self.start + offset)?;
        }
        Ok(())
    }

    /// Reads one block.
    fn block(&mut self, offset: u64) -> Result<Vec<u8>> {
        let mut block = vec![0; self.token.block_bytes()];
        self.read(&mut block, offset)?;
        Ok(block)
    }

    /// Changes part of one block.
    fn change(&mut self, part: &Part, change: impl FnOnce(&mut [u8])) -> Result<()> {
        let mut block = self.block(part.block_at)?;
        change(part_mut(&mut block, part.bytes.clone()));
        self.write_blocks(&block, part.block_at)
    }

    /// Makes part of one block zeros; one that is a hole stays one.
    fn clear(&mut self, part: &Part) -> Result<()> {
        let block = self.block(part.block_at)?;
        match block.get(part.bytes.clone()) {
            Some(bytes) if !all_zero(bytes) => self.change(part, |bytes| bytes.fill(0)),
            _ => Ok(()),
        }
    }

    fn write_len(&mut self, len_bytes: u64) -> Result<()> {
        self.inner.write_at(&len_bytes.to_be_bytes(), PAYLOAD_BYTES_AT as u64)?;
        self.len_bytes = len_bytes;
        self.grew = false;
        Ok(())
    }

    fn set_inner_len(&mut self, payload_bytes: u64) -> Result<()> {
        let len_bytes = self.start + rounded_up(payload_bytes);
        if self.inner.len_bytes() == len_bytes {
            return Ok(());
        }
        self.inner.set_len(len_bytes)
    }
}

/// Part of one block.
struct Part {
    /// Where the block begins in the payload.
    block_at: u64,
    /// Which of its bytes.
    bytes: Range<usize>,
}

impl Part {
    /// What lies at this offset of the payload, all in one block.
    fn of(offset: u64, length: usize) -> Self {
        let start = in_memory(offset % UNIT);
        Self { block_at: offset - start as u64, bytes: start..start + length }
    }
}

fn rounded_up(bytes: u64) -> u64 {
    bytes.saturating_add(UNIT - 1) / UNIT * UNIT
}

impl Store for Container {
    fn len_bytes(&self) -> u64 {
        self.len_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        self.within(offset, buffer.len())?;
        self.read(buffer, offset)
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        // A block that is a hole reads as zeros (see `crypt`); one that is a hole in part is data.
        // Of one that is truncated, what is missing is not zeros.
        let there = self.inner.len_bytes().saturating_sub(self.start);
        let found = if from < there { self.inner.next_data(self.start + from)? } else { None };
        let Some(data) = found else { return Ok(rest(from.max(there), self.len_bytes)) };
        let unit = self.unit();
        let start = (data.start - self.start) / unit * unit;
        let end = (data.end - self.start).next_multiple_of(unit).min(self.len_bytes);
        Ok((start < end).then_some(start.max(from)..end))
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        may_write(self.token.block_bytes())?;
        self.within(offset, bytes.len())?;
        let (mut rest, mut at) = (bytes, offset);
        for length in token::cut(UNIT, offset, bytes.len()) {
            let (bytes, behind) = rest.split_at(length);
            if length.is_multiple_of(BLOCK) {
                self.write_blocks(bytes, at)?;
            } else {
                self.change(&Part::of(at, length), |place| place.copy_from_slice(bytes))?;
            }
            (rest, at) = (behind, at + length as u64);
        }
        Ok(())
    }

    fn set_len(&mut self, len_bytes: u64) -> Result<()> {
        may_write(self.token.block_bytes())?;
        countable(len_bytes)?;
        if len_bytes > self.len_bytes {
            // What an earlier, longer life has left must not come back.
            let behind = in_memory(rounded_up(self.len_bytes) - self.len_bytes);
            if behind > 0 {
                self.clear(&Part::of(self.len_bytes, behind))?;
            }
            self.set_inner_len(self.len_bytes)?;
            self.set_inner_len(len_bytes)?;
            (self.len_bytes, self.grew) = (len_bytes, true);
            Ok(())
        } else {
            self.write_len(len_bytes)?;
            // After a power failure, too, the file must not be shorter than its header says.
            self.inner.make_last()?;
            self.set_inner_len(len_bytes)
        }
    }

    fn punch(&mut self, offset: u64, length: u64) -> Result<()> {
        may_write(self.token.block_bytes())?;
        let end = offset.checked_add(length).filter(|end| *end <= self.len_bytes);
        let end = end.ok_or_else(|| internal("a hole reaches beyond the end"))?;
        // Bytes after the end are never read: the last block is discarded as a whole.
        let end = if end == self.len_bytes { rounded_up(end) } else { end };
        let mut at = offset;
        for length in token::cut(UNIT, offset, in_memory(end - offset)) {
            if !length.is_multiple_of(BLOCK) {
                self.clear(&Part::of(at, length))?;
            } else if length > 0 {
                self.inner.punch(self.start + at, length as u64)?;
            }
            at += length as u64;
        }
        Ok(())
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        if self.grew {
            self.inner.flush(durability)?;
            self.write_len(self.len_bytes)?;
        }
        self.inner.flush(durability)
    }

    fn grew(&self) -> bool {
        self.grew
    }

    fn holes_are_zeros(&self) -> bool {
        false
    }

    fn will_read(&self, offset: u64, length: u64) {
        self.inner.will_read(self.start.saturating_add(offset), length);
    }
}

#[cfg(test)]
mod tests;
