//! A background program that ends with this one.

use std::process::{Child, Stdio};

use system::process;

use super::{Call, run};

/// A program that was started and not waited for; dropping this ends it, with all that it has started.
#[derive(Debug)]
pub(crate) struct Beside {
    child: Child,
}

impl Beside {
    /// Starts a program without input and output; none if it cannot be started. It has its own process group, so that
    /// Ctrl-C does not end it early.
    pub(crate) fn start(call: &Call) -> Option<Self> {
        let mut command = run::command(call);
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.ok().map(|child| Self { child })
    }

    /// Whether it has been running until now.
    pub(crate) fn still_runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if self.still_runs() {
            // That fails only when all have ended by themselves.
            drop(process::kill_group(self.child.id()));
        }
        // Reaped, so as not to leave a zombie; it is killed, so it ends at once.
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::{Beside, Call};
    use crate::testing::PATIENCE;
    use std::time::{Duration, Instant};

    fn shell(script: &str) -> Option<Beside> {
        Beside::start(&Call::new("sh").args(["-c", script]))
    }

    #[test]
    fn it_runs_until_it_is_dropped_and_not_longer() {
        let mut beside = shell("sleep 3600").unwrap();
        assert!(beside.still_runs());
        let start = Instant::now();
        drop(beside);
        assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn one_that_ends_by_itself_is_noticed_and_one_that_is_missing_is_none() {
        let mut beside = shell("exit 1").unwrap();
        let start = Instant::now();
        while beside.still_runs() && start.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!beside.still_runs());
        assert!(Beside::start(&Call::new("no-such-program")).is_none());
    }
}
