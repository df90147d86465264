//! A gate: a system call at which the program waits until a test continues it.
//!
//! So a test can interfere at an exact moment, on fast and busy machines.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use super::{PATIENCE, Study, faults_library};

/// A call of a kind on a file whose name begins so (doubles/examples/faults).
///
/// Where no library is loaded before a program, on a Mac, nothing waits: that file is only looked out for, and what a
/// test does then may come too late.
pub struct Gate<'a> {
    study: &'a Study,
    path: PathBuf,
    kind: &'a str,
    number: u32,
    name: &'a str,
}

impl<'a> Gate<'a> {
    /// At the first such call.
    pub fn new(study: &'a Study, kind: &'a str, name: &'a str) -> Self {
        Self::at(study, kind, 1, name)
    }

    /// At the so many-th such call.
    pub fn at(study: &'a Study, kind: &'a str, number: u32, name: &'a str) -> Self {
        let path = study.path("tmp/gate");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self { study, path, kind, number, name }
    }

    /// Has the program, or what it starts, wait there.
    pub fn before<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        if cfg!(target_os = "linux") {
            command
                .env("LD_PRELOAD", faults_library())
                .env("DISKBENCH_FAULT", format!("{} {1}-{1} hold", self.kind, self.number))
                .env("DISKBENCH_FAULT_GATE", &self.path)
                .env("DISKBENCH_FAULT_NAMES", self.name)
                .env("DISKBENCH_FAULT_REPORT", self.study.path("tmp/report"))
                .env("DISKBENCH_FAULT_UNDER", self.study.path(""));
        }
        command
    }

    /// Waits until it is there; it goes on when what this gives is dropped, or when it has handled a signal.
    pub fn reached(self, child: &mut Child) -> Option<File> {
        if !cfg!(target_os = "linux") {
            self.study.wait_for(self.name);
            return None;
        }
        let begun = Instant::now();
        loop {
            // Refused until the program has opened the other end.
            let flags = libc::O_NONBLOCK;
            let opened = OpenOptions::new().write(true).custom_flags(flags).open(&self.path);
            if let Ok(writer) = opened {
                fs::remove_file(&self.path).unwrap();
                return Some(writer);
            }
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "it ended before its gate: {ended:?}");
            assert!(begun.elapsed() < PATIENCE, "it never came to its gate");
            thread::sleep(Duration::from_millis(2));
        }
    }
}
