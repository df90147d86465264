//! Reads and writes the disk images of macOS, on any machine: UDRW, UDSP, UDSB and ASIF, plain or encrypted.
//!
//! | format | an image is | encryption |
//! | --- | --- | --- |
//! | UDRW | a file of the disk's bytes (`.dmg`) | AES-128, AES-256 |
//! | UDSP | a file that grows by bands (`.sparseimage`) | AES-128, AES-256 |
//! | UDSB | a folder with a file for each band (`.sparsebundle`) | AES-128, AES-256 |
//! | ASIF | a file with a map of chunks of 1 MiB (`.asif`) | AES-128, AES-256, in a layout of this crate's own |
//! | UDIF | packed blocks and a map of them (`.dmg`): UDRO, UDCO, UDZO, UDBZ, ULFO, ULMO | the same; only read |
//!
//! Encryption is that of the container `encrcdsa`, version 2, opened with a passphrase: at most 2 TiB, since its blocks of
//! 512 bytes are counted in 32 bits. Images with blocks of 4096 bytes (Mac OS X 10.5) are read only. What is recognised
//! and refused: `cdsaencr`, segments, and the images of other programs.
//!
//! An image is a [`VirtualDisk`](disk::VirtualDisk): a disk of a fixed length that is read and written at any offset. What was
//! flushed survives the death of the process at any later moment; what was not may be lost when it is dropped. An image
//! that is open for writing is locked, also against its own process. A disk can move between threads, which share it in a
//! `Mutex`; an image that is only read can be opened several times instead.
//!
//! [`Durability`](system::flush::Durability), how a flush makes data last, is of the crate `system` beside this one.
//!
//! Create an image, write to it, and open it again:
//!
//! ```
//! use diskimage::format::ImageFormat;
//! use diskimage::open::{Spec, create, open};
//! use diskimage::store::Access;
//! use system::flush::Durability;
//!
//! # fn main() -> diskimage::error::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("disk.sparseimage");
//! let mut image = create(&path, &Spec::plain(ImageFormat::Udsp, 1 << 30))?.image;
//! image.write_at(b"hello", 1 << 20)?;
//! image.flush(Durability::Full)?;
//! drop(image);
//!
//! let mut opened = open(&path, Access::Read, None)?;
//! assert_eq!(opened.format, ImageFormat::Udsp);
//! let mut found = [0; 5];
//! opened.image.read_at(&mut found, 1 << 20)?;
//! assert_eq!(&found, b"hello");
//! # Ok(())
//! # }
//! ```
//!
//! Encrypt one, and convert it to another format. A [`PendingImage`](pending::PendingImage) gets its name when all of it is on the disk:
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use diskimage::convert::{self, Zeros};
//! use diskimage::crypt::{KeySize, NewKey, Passphrase};
//! use diskimage::pending::PendingImage;
//! use diskimage::error::Kind;
//! use diskimage::format::ImageFormat;
//! use diskimage::open::{Spec, create, open};
//! use diskimage::store::Access;
//! use system::flush::Durability;
//!
//! # fn main() -> diskimage::error::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! # let (locked, plain) = (folder.path().join("locked.dmg"), folder.path().join("plain.asif"));
//! let passphrase = Passphrase::new(b"correct horse".to_vec())?;
//! let key = NewKey { size: KeySize::Aes256, passphrase: passphrase.clone(), iterations: Some(100_000) };
//! let spec = Spec { key: Some(key), ..Spec::plain(ImageFormat::Udrw, 1 << 20) };
//! let mut image = create(&locked, &spec)?.image;
//! image.write_at(b"secret", 0)?;
//! image.flush(Durability::Full)?;
//! drop(image);
//!
//! // Without its passphrase it does not open.
//! let refused = open(&locked, Access::Read, None).err().map(|error| error.kind());
//! assert_eq!(refused, Some(Kind::PassphraseNeeded));
//!
//! let mut source = open(&locked, Access::Read, Some(&passphrase))?.image;
//! let spec = Spec::plain(ImageFormat::Asif, 1 << 20);
//! let mut pending = PendingImage::create(&plain, &spec)?;
//! let zeros = Zeros::of(spec.format, false);
//! convert::copy(source.as_mut(), pending.image()?, zeros, &mut |_| ControlFlow::Continue(()))
//!     .expect("both are on this disk");
//! pending.publish()?;
//!
//! let mut found = [0; 6];
//! open(&plain, Access::Read, None)?.image.read_at(&mut found, 0)?;
//! assert_eq!(&found, b"secret");
//! # Ok(())
//! # }
//! ```
//!
//! Where to look: [`mod@format`] has the facts about each format that other modules need.
//! [`open`] creates, opens and checks an image by its path; [`info`] describes one; [`content`] sums, maps and compares disks; [`salvage`] reads around damage; [`partition`] lists partitions and takes one alone; [`error`] has the kinds of errors. [`disk`] has their trait, [`store`] what
//! an image of one file lies in, [`crypt`] the encryption.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)] // so that the compiler names what nothing uses

pub mod asif;
mod bytes;
pub mod content;
pub mod convert;
pub mod crypt;
pub mod disk;
pub mod error;
mod findings;
mod foreign;
pub mod format;
mod growing;
mod holes;
pub mod info;
mod marks;
pub mod nbd;
pub mod open;
pub mod partition;
pub mod pending;
mod pieces;
mod random;
pub mod raw;
mod read_only;
pub mod resize;
mod row;
pub mod salvage;
mod small;
pub mod sparse_bundle;
pub mod sparse_image;
pub mod store;
mod syncs;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod udif;
#[cfg(test)]
mod whole;

format::formats! {
    /// The disk's bytes, one after the other.
    Udrw = "UDRW" in raw::ROW,
    /// Sparse image: one file that grows by bands.
    Udsp = "UDSP" in sparse_image::ROW,
    /// Sparse bundle: a folder with a file for each band.
    Udsb = "UDSB" in sparse_bundle::ROW,
    /// Apple Sparse Image Format: one file with a map of chunks.
    Asif = "ASIF" in asif::ROW,
}
