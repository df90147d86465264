//! `UDSB`: a folder with a description and one file for each band.
//!
//! ```text
//! Info.plist  Info.bckup   the description and its copy                          info
//! token                    empty, or the keys of an encrypted bundle
//! lock                     locked while the bundle is open
//! bands/0 bands/1 ...      band n of the disk; the number in hexadecimal         bands, names
//! ```
//!
//! A band without a file is zeros, and so is the rest of a band with a shorter file. The file of a discarded band is
//! deleted. Between two flushes only bands are written, and only their lengths are kept in memory (some 100 bytes for
//! each band in use).
//!
//! A killed process loses nothing that it wrote. A power failure during a flush may lose data written since the last
//! flush, in whole or in part.

mod bands;
mod check;
mod compact;
mod info;
mod mapped;
mod names;
#[cfg(test)]
mod tests;
mod view;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use system::flush::Durability;
use system::memory::in_memory;
use system::{cache, flush};

use crate::crypt::{BLOCK, MOST_BYTES, Token};
use crate::disk::{
    Advance, Bands, Sizes, VirtualDisk, check_band, check_length, only_read, within,
};
use crate::error::{Result, damaged, not_known, of_new, unsupported};
use crate::findings::{OnDamage, strict};
use crate::pieces::{bytes_of, bytes_of_mut, pieces};
use crate::row::{Layout, Row};
use crate::small::read_small;
use crate::store::{Access, FOR_ALL, hold};
use bands::{BandFiles, scan, sync_folder};
use info::{BACKUP, INFO, Info, LONGEST_INFO};
use mapped::Lists;
use view::PlainView;

pub use check::check;

/// The file that holds the keys; empty in a plain bundle.
pub(crate) const TOKEN: &str = "token";

/// The file that is held while the bundle is open.
const LOCK: &str = "lock";

/// The folder of the bands.
const BANDS: &str = "bands";

/// Bytes read at once after the end of a disk.
const LOOK: u64 = 1 << 16;

/// Size of a band in bytes unless another is asked for: what `hdiutil` makes.
const DEFAULT_BAND: u64 = 8 << 20;

/// What is known of the format.
pub(crate) const ROW: Row = Row {
    alias: None,
    summary: "Sparse bundle: a folder with a file for each band",
    extensions: &["sparsebundle"],
    band_bytes: Some(DEFAULT_BAND),
    large_block_bytes: None,
    has_map: true,
    hdiutil_type: Some("SPARSEBUNDLE"),
    diskutil_format: Some("UDSB"),
    own_encryption: false,
    layout: Layout::Bundle,
};

/// A sparse bundle.
pub struct SparseBundle {
    path: PathBuf,
    access: Access,
    info: Info,
    view: PlainView,
    /// Whether the description was not made to last yet.
    new: bool,
    /// Held for as long as the bundle is open.
    _lock: Option<File>,
}

impl SparseBundle {
    /// Makes a new folder for a bundle. Without a size, bands are of 8 MiB.
    ///
    /// # Errors
    /// `Exists`; `Invalid` for a length that the format does not have (it is a multiple of 512 bytes) or a
    /// size of a band (multiples of 512 bytes from 4 KiB to 8 GiB); otherwise any error of the system.
    pub fn create(
        path: &Path,
        len_bytes: u64,
        band_bytes: Option<u64>,
        token: Option<Token>,
    ) -> Result<Self> {
        Self::create_with(path, len_bytes, band_bytes, token, FOR_ALL)
    }

    /// The same, for these readers: who may not read the folder may not search it either, so that its files are closed.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub(crate) fn create_with(
        path: &Path,
        len_bytes: u64,
        band_bytes: Option<u64>,
        token: Option<Token>,
        permissions: u32,
    ) -> Result<Self> {
        let band_bytes = band_bytes.unwrap_or(DEFAULT_BAND);
        check_band("a sparse bundle", band_bytes)?;
        check_length("a sparse bundle", len_bytes)?;
        let searched = (permissions & 0o444) >> 2;
        DirBuilder::new().mode(permissions | searched).create(path).map_err(of_new)?;
        let made = Self::fill(path, Info { band_bytes, len_bytes }, token);
        if made.is_err() {
            // No other process has seen it, and a partial image is useless.
            fs::remove_dir_all(path)?;
        }
        made
    }

    fn fill(path: &Path, info: Info, token: Option<Token>) -> Result<Self> {
        let lock = hold_lock(path, Access::Write)?;
        fs::create_dir(path.join(BANDS))?;
        fs::write(path.join(TOKEN), token.as_ref().map(Token::header).unwrap_or_default())?;
        fs::write(path.join(BACKUP), info.text())?;
        fs::write(path.join(INFO), info.text())?;
        let (there, mapped) = (bands::Bands::default(), Lists::default());
        let files = BandFiles::new(path.join(BANDS), Access::Write, there, mapped);
        Ok(Self {
            path: path.to_owned(),
            access: Access::Write,
            info,
            view: PlainView::new(files, info.band_bytes, token),
            new: true,
            _lock: lock,
        })
    }

    /// Opens a bundle. If `Info.plist` is unusable, `Info.bckup` replaces it.
    ///
    /// # Errors
    /// `Damaged` when its files make no sense; `InUse` when another process has it open; otherwise any error
    /// of the system.
    pub fn open(path: &Path, access: Access, token: Option<Token>) -> Result<Self> {
        Self::open_around(path, access, token, &mut strict)
    }

    /// The same, with `on_damage` told of what cannot be where the rest can be read without it.
    ///
    /// # Errors
    /// As [`Self::open`], and those of `on_damage`.
    pub(crate) fn open_around(
        path: &Path,
        access: Access,
        token: Option<Token>,
        on_damage: &mut OnDamage<'_>,
    ) -> Result<Self> {
        let lock = hold_lock(path, access)?;
        let (info, there) = survey(path, unit_of(token.as_ref()), on_damage)?;
        let mapped = match access {
            Access::Write => Lists::of(path)?,
            Access::Read => Lists::default(),
        };
        let files = BandFiles::new(path.join(BANDS), access, there, mapped);
        let mut view = PlainView::new(files, info.band_bytes, token);
        if let Some(what) = behind_the_end(&mut view, &info)? {
            on_damage(what)?;
        }
        Ok(Self { path: path.to_owned(), access, info, view, new: false, _lock: lock })
    }

    fn may_write(&self) -> Result<()> {
        match self.access {
            Access::Write => self.view.may_write(),
            Access::Read => Err(only_read()),
        }
    }

    /// Puts another file in the place of one, in one step that lasts.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (old, new) = (self.path.join(name), self.path.join(format!("{name}.new")));
        if fs::symlink_metadata(&new).is_ok() {
            // Left by a killed process; links are never followed for writing.
            fs::remove_file(&new)?;
        }
        let replace = || {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
            file.write_all(bytes)?;
            if let Ok(found) = fs::metadata(&old) {
                file.set_permissions(found.permissions())?;
            }
            flush::flush(&file, Durability::Fsync)?;
            fs::rename(&new, &old)
        };
        if let Err(error) = replace() {
            drop(fs::remove_file(&new));
            return Err(error.into());
        }
        Ok(sync_folder(&File::open(&self.path)?, Durability::Fsync)?)
    }
}

/// What the length of a band's file is a multiple of, in bytes.
fn unit_of(token: Option<&Token>) -> u64 {
    token.map_or(1, |token| token.block_bytes() as u64)
}

/// Holds the lock file. Older bundles lack it: reading does not create it.
pub(crate) fn hold_lock(path: &Path, access: Access) -> Result<Option<File>> {
    let write = access == Access::Write;
    let place = path.join(LOCK);
    if fs::symlink_metadata(&place).is_ok_and(|found| !found.is_file()) {
        // Opening a FIFO would block forever, and a link would lock another image, or create a file elsewhere.
        return Err(damaged(format!("{LOCK} is not a regular file")));
    }
    let opened =
        OpenOptions::new().read(true).write(write).create(write).truncate(false).open(place);
    match opened {
        Ok(file) => hold(&file, access).map(|()| Some(file)),
        Err(error) if !write && error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The description, and the files of bands, with lengths that are multiples of `unit`.
fn survey(path: &Path, unit: u64, on_damage: &mut OnDamage<'_>) -> Result<(Info, bands::Bands)> {
    let info = match (read_info(path, INFO), read_info(path, BACKUP)) {
        // The length of a disk can differ, but not the size of bands, which determines the position of every byte.
        (Ok(info), Ok(backup)) if info.band_bytes != backup.band_bytes => {
            return Err(damaged(format!("{INFO} and {BACKUP} name two sizes of a band")));
        }
        // Of two lengths the longer one: nothing is cut off.
        (Ok(info), Ok(backup)) => Info { len_bytes: info.len_bytes.max(backup.len_bytes), ..info },
        (Ok(info), Err(_)) | (Err(_), Ok(info)) => info,
        (Err(error), Err(_)) => return Err(error),
    };
    known_blocks(&info, unit)?;
    bands_of(path)?;
    token_of(path)?;
    other_folders(path, on_damage)?;
    let there = scan(&path.join(BANDS), &info, unit, on_damage)?;
    Ok((info, there))
}

/// Reports folders with names similar to that of the bands' folder. Programs that synchronise folders, and interrupted
/// copies, can leave bands only in such a folder.
fn other_folders(path: &Path, on_damage: &mut OnDamage<'_>) -> Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name != BANDS && name.to_lowercase().starts_with(BANDS) && entry.path().is_dir() {
            on_damage(format!("{name} lies beside {BANDS}, and may hold bands as well"))?;
        }
    }
    Ok(())
}

/// What is wrong when the last band goes on behind the disk's end. Zeros may be there: a band can be a whole one.
fn behind_the_end(view: &mut PlainView, info: &Info) -> Result<Option<String>> {
    let last = info.len_bytes.div_ceil(info.band_bytes).saturating_sub(1);
    let end = info.len_bytes - last * info.band_bytes;
    let behind = view.files.len_bytes(last).saturating_sub(end);
    let mut buffer = vec![0; in_memory(LOOK)];
    for piece in pieces(LOOK, 0, behind) {
        let part = bytes_of_mut(&mut buffer, 0, piece.length);
        view.read(last, end + piece.done, part)?;
        if let Some(place) = part.iter().position(|byte| *byte != 0) {
            return Ok(Some(format!(
                "bands/{} holds something at {}, behind the disk's end at {end}",
                view.files.name(last),
                end + piece.done + place as u64
            )));
        }
    }
    Ok(None)
}

/// Files beside the bands that are not part of the disk, such as `.DS_Store`.
///
/// # Errors
/// Any error of the system.
pub(crate) fn left(path: &Path) -> Result<Vec<String>> {
    bands::left(&path.join(BANDS))
}

/// The path of a bundle's keys. A link would lead to those of another image.
///
/// # Errors
/// `Damaged` when there is no such file.
pub(crate) fn token_of(path: &Path) -> Result<PathBuf> {
    let token = path.join(TOKEN);
    if fs::symlink_metadata(&token).is_ok_and(|found| found.is_file()) {
        return Ok(token);
    }
    Err(damaged(format!(
        "{TOKEN} is missing (a link is not followed), which tells whether the bands are encrypted: if they are not, make an \
         empty file of that name"
    )))
}

/// The path of the folder of bands. A link would lead to the files of somebody else.
///
/// # Errors
/// `Damaged` when there is no such folder.
fn bands_of(path: &Path) -> Result<PathBuf> {
    let bands = path.join(BANDS);
    if fs::symlink_metadata(&bands).is_ok_and(|found| found.is_dir()) {
        return Ok(bands);
    }
    Err(damaged(format!("the folder {BANDS} is missing (a link is not followed)")))
}

/// Checks that the number of each encrypted block is known: of one across the end of a band it is not, and beyond 32 bits
/// numbers would begin anew, and with them the initial vectors.
fn known_blocks(info: &Info, unit: u64) -> Result<()> {
    if unit > 1 && info.len_bytes > MOST_BYTES {
        return Err(unsupported(format!(
            "the disk of this encrypted bundle has {} bytes, and at most {MOST_BYTES} are known to work, since encrypted \
             blocks are counted in 32 bits",
            info.len_bytes
        )));
    }
    if info.band_bytes.is_multiple_of(unit) {
        return Ok(());
    }
    Err(not_known(format_args!(
        "the bundle is encrypted in blocks of {unit} bytes, and its bands have {} bytes",
        info.band_bytes
    )))
}

/// The unencrypted facts of an encrypted bundle: the length of its disk in bytes, and its bands.
///
/// # Errors
/// As [`SparseBundle::open`].
pub(crate) fn public_facts(path: &Path) -> Result<(u64, Bands)> {
    let _lock = hold_lock(path, Access::Read)?;
    let (info, there) = survey(path, BLOCK as u64, &mut strict)?;
    let count = there.lengths.len() as u64;
    Ok((info.len_bytes, Bands { band_bytes: info.band_bytes, count }))
}

/// The disk's properties in the description.
///
/// # Errors
/// `Damaged` when it makes no sense.
pub(crate) fn sizes(path: &Path) -> Result<Sizes> {
    let info = read_info(path, INFO)?;
    Ok(Sizes { len_bytes: info.len_bytes, band_bytes: Some(info.band_bytes), block_bytes: None })
}

/// Whether anything in a folder belongs to a bundle, be it as damaged as it may. One that cannot be looked into may be
/// one.
pub(crate) fn may_be_one(folder: &Path) -> bool {
    [INFO, BACKUP, BANDS].iter().any(|name| match fs::symlink_metadata(folder.join(name)) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    })
}

/// Reads one of the two descriptions.
fn read_info(path: &Path, name: &str) -> Result<Info> {
    let bytes = match read_small(&path.join(name), LONGEST_INFO) {
        Err(error) if error.is_not_found() => {
            return Err(damaged(format!("{name} is missing")));
        }
        read => read?,
    };
    Info::parse(&bytes).map_err(|error| damaged(format!("{name}: {error}")))
}

impl VirtualDisk for SparseBundle {
    fn len_bytes(&self) -> u64 {
        self.info.len_bytes
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let length = buffer.len() as u64;
        within(self.len_bytes(), offset, length)?;
        for piece in pieces(self.info.band_bytes, offset, length) {
            let part = bytes_of_mut(buffer, piece.done, piece.length);
            self.view.read(piece.band, piece.start, part)?;
        }
        Ok(())
    }

    fn next_data(&mut self, from: u64) -> Result<Option<Range<u64>>> {
        let mut band = from / self.info.band_bytes;
        while let Some((number, length)) = self.view.files.next(band) {
            let start = number * self.info.band_bytes;
            let end = self.len_bytes().min(start.saturating_add(length));
            if from < end {
                return Ok(Some(start.max(from)..end));
            }
            // Behind the end of a short band.
            band = number + 1;
        }
        Ok(None)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        let length = bytes.len() as u64;
        within(self.len_bytes(), offset, length)?;
        self.may_write()?;
        for piece in pieces(self.info.band_bytes, offset, length) {
            let part = bytes_of(bytes, piece.done, piece.length);
            self.view.write(piece.band, piece.start, part)?;
        }
        Ok(())
    }

    fn discard(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        self.may_write()?;
        // Of a range of any length only the bands that are there are visited.
        let (band_bytes, end) = (self.info.band_bytes, offset + length);
        let mut at = offset;
        while at < end {
            let Some((band, _)) = self.view.files.next(at / band_bytes) else { break };
            at = at.max(band * band_bytes);
            let Some(piece) = pieces(band_bytes, at, end.saturating_sub(at)).next() else { break };
            self.view.discard(piece.band, piece.start, piece.length)?;
            at += piece.length;
        }
        Ok(())
    }

    fn flush(&mut self, durability: Durability) -> Result<()> {
        self.view.files.flush(durability)?;
        if self.new && durability != Durability::None {
            for name in [TOKEN, BACKUP, INFO] {
                let file = File::open(self.path.join(name))?;
                self.view.files.syncs.after(flush::flush(&file, durability))?;
            }
            let folder = File::open(&self.path)?;
            self.view.files.syncs.after(sync_folder(&folder, durability))?;
            self.new = false;
        }
        Ok(())
    }

    fn compact_with(&mut self, advance: Advance<'_>) -> Result<()> {
        self.may_write()?;
        self.view.drop_zeros(self.info.band_bytes, advance)?;
        self.make_last()
    }

    /// Writes both descriptions anew, each in one step. Of two lengths the longer one counts: nothing is cut off in
    /// between.
    fn set_len_bytes(&mut self, len_bytes: u64) -> Result<()> {
        self.may_write()?;
        check_length("a sparse bundle", len_bytes)?;
        // An unreadable one may be the only source: it is not replaced.
        let mut texts = Vec::new();
        for name in [INFO, BACKUP] {
            if self.path.join(name).exists() {
                read_info(&self.path, name)?;
                texts.push(read_small(&self.path.join(name), LONGEST_INFO)?);
            }
        }
        let text = texts.first().ok_or_else(|| damaged(format!("{INFO} is missing")))?;
        let text = info::with_len_bytes(text, len_bytes)?;
        for name in [INFO, BACKUP] {
            self.replace(name, &text)?;
        }
        self.info.len_bytes = len_bytes;
        Ok(())
    }

    /// Counts the files of bands.
    fn bands(&self) -> Option<Bands> {
        Some(Bands { band_bytes: self.info.band_bytes, count: self.view.files.count() })
    }

    fn will_read(&mut self, offset: u64, length: u64) -> Result<()> {
        within(self.len_bytes(), offset, length)?;
        for piece in pieces(self.info.band_bytes, offset, length) {
            if piece.start < self.view.files.len_bytes(piece.band) {
                cache::will_read(self.view.files.file(piece.band)?, piece.start, piece.length);
            }
        }
        Ok(())
    }
}
