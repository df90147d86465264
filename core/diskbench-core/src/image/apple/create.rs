//! Making an image.

use std::fs;
use std::io;

use crate::cell::Encryption;
use crate::error::{Error, Result};
use crate::image::apple::capabilities::{Tool, Verb};
use crate::image::apple::failure::Failure;
use crate::image::apple::session::Session;
use crate::image::folder::ImageFolder;
use crate::image::notes;

const DOING: &str = "making the image";

impl Session {
    /// Makes the image with an empty volume on it; gives a note.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn create(&mut self) -> Result<Option<String>> {
        self.facts = None;
        let ((), again) = self.persist(Verb::Create, Self::create_once)?;
        Ok(notes([self.made()].into_iter().chain(again)))
    }

    fn create_once(&mut self, tool: Tool) -> std::result::Result<(), Failure> {
        let failed = |error: io::Error| Failure::Permanent(Error::io_in_step(DOING, &error));
        // Remains of an earlier try.
        if let Some(folder) = self.image.parent() {
            ImageFolder::at(folder.to_owned()).remove_image().map_err(failed)?;
        }
        let call = self.wanted.create(tool, &self.image, &self.stop);
        self.ask(DOING, &call)?;
        match fs::symlink_metadata(&self.image) {
            Ok(found) if found.is_dir() == self.wanted.format().is_bundle() => Ok(()),
            // Programs append their suffix to a name with another or none; ours has it already.
            Ok(_) => Err(Failure::strange(DOING, "the new file is not of the requested kind")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Failure::strange(DOING, "no image is at its path"))
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn made(&self) -> String {
        let image = format!("{} image of {} bytes", self.cell.format, self.wanted.len_bytes());
        match self.cell.encryption {
            Encryption::None => image,
            encryption => format!("{image} with {encryption}"),
        }
    }
}
