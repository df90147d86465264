//! The driver.

use std::cell::RefCell;
use std::rc::Rc;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::image::folder::ImageFolder;
use crate::image::marker::Marker;
use crate::image::{Done, ImageDriver, Peak, Reached, Sizes, Volume};
use crate::interrupt::Stop;
use crate::program::Programs;
use crate::transfer::Mover;

/// Why a cell cannot be measured by the programs of this machine, if so; with what to do.
#[must_use]
pub fn refusal(_cell: &Cell) -> Option<String> {
    Some("driver apple is not built yet".to_owned())
}

/// Bytes of the disk that an image takes at most, when so much lies on its volume.
#[must_use]
pub fn most_bytes(_cell: &Cell, peak: Peak) -> u64 {
    peak.bytes
}

/// The driver.
pub struct Apple {
    _programs: Programs,
}

impl Apple {
    /// A driver for the image in this folder; `marker` is what the folder is marked with when it is made.
    ///
    /// # Errors
    /// Never for cells that are not refused.
    pub fn new(
        _cell: &Cell,
        _folder: Rc<RefCell<ImageFolder>>,
        _marker: Marker,
        _mover: Mover,
        _stop: Stop,
    ) -> Result<Self> {
        Ok(Self { _programs: Programs::of_system() })
    }
}

impl ImageDriver for Apple {
    fn create(&mut self) -> Result<Done<Box<dyn Volume>>> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn attach(&mut self) -> Result<Done<Box<dyn Volume>>> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn detach(&mut self, _volume: Box<dyn Volume>) -> Result<Done<bool>> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn compact(&mut self) -> Result<Done<()>> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn restart(&mut self) -> Result<Done<()>> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn delete(&mut self) -> Result<Done<()>> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn sizes(&mut self) -> Result<Sizes> {
        Err(Error::unsupported("driver apple is not built yet"))
    }

    fn reached(&self) -> Reached {
        Reached { cache: crate::cell::Cache::None, durability: crate::cell::Durability::None }
    }
}
