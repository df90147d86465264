//! Disk images of our own: real `UDRW`, `UDSP`, `UDSB` and `ASIF` files, plain or encrypted, on any machine.
//!
//! ```text
//! VirtualDisk      what every image is: so many bytes, read and written anywhere        disk
//!   RawDisk          UDRW                                                               raw
//!   SparseImage      UDSP                                                               sparse_image
//!   SparseBundle     UDSB                                                               sparse_bundle
//!   Asif             ASIF                                                               asif
//! Store            what an image of one file lies in: a file, or an encrypted one       store, crypt
//! marks            the formats' marks, and headers whose mark was damaged
//! foreign          what is named and not read: packed images, those of other programs, archives
//! ```
//!
//! [`format`] is the table of the formats. [`open`] makes, opens and checks an image by its path, whatever its format;
//! [`draft`], [`convert`] and [`info`] are what the command `diskbench image` does.

pub mod asif;
pub mod convert;
pub mod crypt;
pub mod disk;
pub mod draft;
mod findings;
mod foreign;
pub mod format;
pub mod info;
mod marks;
pub mod open;
mod pieces;
pub mod raw;
pub mod small;
pub mod sparse_bundle;
pub mod sparse_image;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod whole;
