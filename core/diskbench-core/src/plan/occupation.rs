//! The use of a storage while a plan's cells run in turn.

use std::collections::HashMap;
use std::path::Path;

use crate::cell::Cell;
use crate::image::folder::{Found, ImageFolder};
use crate::protocol::forecast::Forecast;
use crate::record::Op;
use crate::run::checkpoint;

/// What one cell will do, replayed phases included.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Bytes to write.
    pub written: u64,
    /// Bytes to read.
    pub read: u64,
    /// Seconds of waiting.
    pub settle: u64,
    /// Earlier phases that are run again first.
    pub replayed: Vec<String>,
    /// Whether only the part after a restart remains.
    pub after_restart: bool,
}

/// The use of a storage while the plan's cells run in turn.
#[derive(Debug, Default)]
pub(super) struct Occupation {
    /// Bytes of each image, and the phase it has come to in this plan or an earlier run.
    images: HashMap<String, ImageState>,
    /// Bytes that lay there before and so are not free any more.
    there_before: u64,
    /// Most bytes at once, beyond those.
    pub peak: u64,
}

#[derive(Debug, Default, Clone)]
struct ImageState {
    bytes: u64,
    finished: Option<usize>,
    /// The rest of the cell that waits for a restart.
    rest: Option<Box<Forecast>>,
}

impl Occupation {
    /// Simulates one cell: returns what it does, and keeps what it leaves.
    pub(super) fn occupy(&mut self, folder: &Path, cell: &Cell, forecasts: &[Forecast]) -> Work {
        let key = cell.image_key();
        let index = cell.phase_index();
        if !self.images.contains_key(&key) {
            let state = left_behind(folder, cell, forecasts);
            self.there_before = self.there_before.saturating_add(state.bytes);
            self.images.insert(key.clone(), state);
        }
        let before = index.checked_sub(1);
        let state = self.images.get(&key).cloned().unwrap_or_default();
        let needs_image = before.and_then(|i| forecasts.get(i)).is_some_and(|f| f.has_image);
        let first = if !needs_image || state.finished == before { index } else { 0 };
        let mut work = Work::default();
        let others = self
            .images
            .iter()
            .filter(|(other, _)| **other != key)
            .fold(0, |sum: u64, (_, state)| sum.saturating_add(state.bytes));
        let rest = state.rest.as_deref();
        work.after_restart = rest.is_some();
        let first = if rest.is_some() { index } else { first };
        for (phase, forecast) in forecasts.iter().enumerate().skip(first) {
            let forecast = rest.unwrap_or(forecast);
            work.written = work.written.saturating_add(forecast.bytes(Op::Write));
            work.read = work.read.saturating_add(forecast.bytes(Op::Read));
            if phase == index {
                work.settle = forecast.settle_seconds;
            } else {
                work.replayed.push(forecast.phase.clone());
            }
            let now = others.saturating_add(forecast.peak_bytes);
            self.peak = self.peak.max(now.saturating_sub(self.there_before));
        }
        let last = index + 1 == cell.phases.len();
        let bytes = if last { 0 } else { forecasts.get(index).map_or(0, |f| f.ledger.bytes()) };
        self.images.insert(key, ImageState { bytes, finished: Some(index), rest: None });
        work
    }
}

/// Image state left by an earlier run: bytes and, if it can be resumed, the last finished phase.
fn left_behind(folder: &Path, cell: &Cell, forecasts: &[Forecast]) -> ImageState {
    // An unreadable folder is refused later, with the reason.
    let image = ImageFolder::of(cell, folder);
    let Ok(Found::Ours(state_file)) = image.look() else {
        return ImageState::default();
    };
    let bytes = image.taken_bytes(&state_file);
    if let Some(after) = checkpoint::after_restart(image.path(), cell) {
        return ImageState { bytes, finished: None, rest: Some(Box::new(after)) };
    }
    let before = cell.phase_index().checked_sub(1);
    let fits = before
        .and_then(|index| forecasts.get(index))
        .is_some_and(|f| state_file.fits(cell, &f.ledger));
    ImageState { bytes, finished: before.filter(|_| fits), rest: None }
}
