//! The cancellation flag, set by SIGINT, SIGTERM and SIGHUP and polled between blocks and steps; and a flag that the
//! program was suspended and continued (SIGCONT after Ctrl-Z).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use system::signals;

use crate::error::{Error, Result};

/// How often a wait polls the cancellation flag.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A flag that anyone can look at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    flag: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

impl Stop {
    /// A flag that no signal sets.
    pub(crate) fn never() -> Self {
        Self::default()
    }

    /// A flag that SIGINT (Ctrl-C), SIGTERM and SIGHUP (a closed terminal) set. Ignored signals stay ignored, for runs
    /// under `nohup` or in the background of a shell without job control. SIGXFSZ is caught, so that a limit on file
    /// sizes fails a write instead of killing the process.
    ///
    /// # Errors
    /// When the system refuses a signal handler.
    pub(crate) fn on_signals() -> Result<Self> {
        let stop = Self::never();
        let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
        for signal in signals.into_iter().filter(|signal| !signals::is_ignored(*signal)) {
            register(signal, Arc::clone(&stop.flag))?;
        }
        register(libc::SIGCONT, Arc::clone(&stop.continued))?;
        register(libc::SIGXFSZ, Arc::default())?;
        Ok(stop)
    }

    /// Sets the flag, as a signal does.
    #[cfg(test)]
    pub(crate) fn request(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the program was suspended and continued since the last call.
    pub(crate) fn take_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Records that the program continues.
    #[cfg(test)]
    pub(crate) fn note_continued(&self) {
        self.continued.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub(crate) fn requested(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// An error when the flag is set.
    ///
    /// # Errors
    /// Exit code 130.
    pub(crate) fn check(&self) -> Result<()> {
        if self.requested() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Waits, but not longer than until the flag is set.
    ///
    /// # Errors
    /// Exit code 130 when the flag is set.
    pub(crate) fn wait(&self, seconds: u64) -> Result<()> {
        let start = Instant::now();
        let length = Duration::from_secs(seconds);
        loop {
            self.check()?;
            let left = length.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK_EVERY));
        }
    }
}

fn register(signal: i32, flag: Arc<AtomicBool>) -> Result<()> {
    signal_hook::flag::register(signal, flag)
        .map(drop)
        .map_err(|error| Error::fault(format_args!("cannot catch signal {signal}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::Stop;
    use crate::exit_code::ExitCode;
    use crate::testing::PATIENCE;
    use std::time::Instant;

    #[test]
    fn a_wait_ends_at_once_when_it_is_asked_to() {
        let stop = Stop::never();
        stop.request();
        let start = Instant::now();
        assert_eq!(stop.wait(3600).unwrap_err().exit(), ExitCode::Interrupted);
        assert!(start.elapsed() < PATIENCE);
    }
}
