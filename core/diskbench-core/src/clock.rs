//! The clock that steps are timed with, and waiting.

use crate::error::Result;
use crate::interrupt::Stop;

/// Tells the time and lets it pass.
pub(crate) trait Clock {
    /// Nanoseconds since some moment.
    fn now_ns(&self) -> u64;

    /// Waits.
    ///
    /// # Errors
    /// When a signal asked to stop.
    fn settle(&self, seconds: u64) -> Result<()>;
}

/// A clock for forecasts, on which nothing takes time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Still;

impl Clock for Still {
    fn now_ns(&self) -> u64 {
        0
    }

    fn settle(&self, _seconds: u64) -> Result<()> {
        Ok(())
    }
}

/// The machine's clock, on which waits end early when a signal asks to stop.
impl Clock for Stop {
    fn now_ns(&self) -> u64 {
        system::clock::awake_ns()
    }

    fn settle(&self, seconds: u64) -> Result<()> {
        self.wait(seconds)
    }
}
