//! A study of one cell in its own folder: writes descriptions, runs the program, checks what remains.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that fails is a finding"
)]
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each file of tests uses its own part of this"
)]

pub mod gate;
pub mod image;
pub mod keramics;
pub mod programs;
pub mod random;
pub mod stand_in;

use std::fs;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock, Once};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use system::signals;

/// Longest that anything here may take, on the busiest machine.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Reports a test, or a part of one, that cannot run here: on the real stderr, as what a passing test prints is not
/// shown.
pub fn skipped(why: &str) {
    io::stderr().write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

/// A folder with everything that one run needs, its own measuring lock included.
pub struct Study {
    root: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The one line on stderr, after making sure that it is one and that the exit code is this.
    pub fn refused_with(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "{self:?}");
        let mut lines = self.stderr.lines();
        let line = lines.next().unwrap_or_else(|| panic!("nothing on stderr: {self:?}"));
        assert_eq!(lines.next(), None, "more than one line: {self:?}");
        line.strip_prefix("diskbench: ").unwrap_or_else(|| panic!("no `diskbench: `: {self:?}"))
    }

    pub fn done(&self) -> &Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

impl Study {
    pub fn new() -> Self {
        Self::new_in(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// The same somewhere else.
    pub fn new_in(place: &Path) -> Self {
        heed_signals();
        let study = Self { root: tempfile::tempdir_in(place).unwrap() };
        fs::create_dir(study.work()).unwrap();
        fs::create_dir(study.path("tmp")).unwrap();
        study
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The folder to work in.
    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// What lies in the folder to work in.
    pub fn left(&self) -> Vec<String> {
        names(&self.work())
    }

    /// The record of a phase.
    pub fn record(&self, phase: &str) -> Value {
        serde_json::from_slice(&fs::read(self.record_path(phase)).unwrap()).unwrap()
    }

    pub fn record_path(&self, phase: &str) -> PathBuf {
        self.path("records").join(format!("{phase}.json"))
    }

    /// Writes a description and gives its path.
    pub fn write_cell(&self, cell: &Value) -> PathBuf {
        let path = self.path("cell.json");
        fs::write(&path, cell.to_string()).unwrap();
        path
    }

    /// Writes a plan of this one cell, which is due on this folder, and gives its path.
    pub fn write_plan(&self, folder: &Path, cell: &Value) -> String {
        let path = self.path("plan.json");
        let plan = json!({
            "plan_version": 1, "study": "test", "seed": 1, "assumed_bytes_per_second": 100_000,
            "assumed_from": "a guess", "storages": [{"slug": "internal", "folder": folder}],
            "records_folder": self.path("records"),
            "cells": [{"record": self.record_path("fresh"), "due": true, "cell": cell}],
        });
        fs::write(&path, plan.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The program, with these arguments and a lock of its own.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskbench"));
        command.args(arguments).env("TMPDIR", self.path("tmp")).stdin(Stdio::null());
        command
    }

    pub fn call(&self, arguments: &[&str]) -> Ended {
        Ended::of(&self.command(arguments).output().unwrap())
    }

    /// The program with this on its standard input.
    pub fn call_with(&self, arguments: &[&str], input: &str) -> Ended {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(input.as_bytes()).unwrap();
        file.rewind().unwrap();
        Ended::of(&self.command(arguments).stdin(Stdio::from(file)).output().unwrap())
    }

    /// The program about to measure this cell.
    pub fn run_command(&self, cell: &Value, more: &[&str]) -> Command {
        let record = self.record_path(cell["phase"].as_str().unwrap_or("fresh"));
        let mut command = self.run_in(&self.write_cell(cell), &self.work(), &record);
        command.args(more);
        command
    }

    /// The program about to measure the cell of a description in this folder.
    pub fn run_in(&self, description: &Path, folder: &Path, record: &Path) -> Command {
        let mut command = self.command(&["run", "--progress", "none"]);
        command.arg("--cell").arg(description).arg("--folder").arg(folder);
        command.arg("--record").arg(record);
        command
    }

    /// Measures this cell.
    pub fn run(&self, cell: &Value) -> Ended {
        self.run_with(cell, &[])
    }

    pub fn run_with(&self, cell: &Value, more: &[&str]) -> Ended {
        Ended::of(&self.run_command(cell, more).output().unwrap())
    }

    /// Begins to measure this cell, in the background.
    pub fn begin(&self, cell: &Value) -> Child {
        self.run_command(cell, &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The same with a log, for [`Study::wait_for_log`].
    pub fn begin_with_log(&self, cell: &Value) -> Child {
        let log = self.path("cell.log");
        let mut command = self.run_command(cell, &["--log", log.to_str().unwrap()]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Waits until the log says this.
    pub fn wait_for_log(&self, text: &str) {
        let start = Instant::now();
        let log = || fs::read_to_string(self.path("cell.log")).unwrap_or_default();
        while !log().contains(text) {
            assert!(start.elapsed() < PATIENCE, "no {text} after {PATIENCE:?}: {}", log());
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until a file whose name begins like this lies somewhere in the folder to work in.
    pub fn wait_for(&self, prefix: &str) {
        let start = Instant::now();
        while !files(&self.work()).iter().any(|name| name.starts_with(prefix)) {
            assert!(
                start.elapsed() < PATIENCE,
                "no {prefix} after {PATIENCE:?}: {:?}",
                files(&self.work())
            );
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A small cell of three phases, for this machine: 2 sets of 3 sizes, 84,097 bytes a set.
pub fn cell() -> Value {
    cell_of(&release())
}

/// The same for a machine of this release.
fn cell_of(release: &str) -> Value {
    json!({
        "cell_version": 1, "host": "test-host", "release": release,
        "protocol": "usage-phases", "scale": "smoke", "storage": "internal",
        "driver": "native", "format": "native", "encryption": "none", "repeat": 1, "phase": "fresh",
        "seed": 305_419_896, "sets": 2, "sizes_bytes": [10_000, 4096, 70_001],
        "nominal_bytes": 100_000_000_000_u64,
        "io": {"block_bytes": 8192, "cache": "none", "durability": "fsync"},
        "phases": [
            {"phase": "fresh", "steps": [
                {"step": "create"}, {"step": "detach"}, {"step": "measure", "state": "new"},
                {"step": "attach"}, {"step": "write"}, {"step": "detach"},
                {"step": "attach"}, {"step": "read"}, {"step": "delete", "which": "last-sets", "sets": 1},
                {"step": "detach"}, {"step": "measure", "state": "partly-emptied"}]},
            {"phase": "partly-filled", "steps": [
                {"step": "attach"}, {"step": "write"}, {"step": "detach"}, {"step": "attach"},
                {"step": "read"}, {"step": "delete", "which": "all"}, {"step": "detach"}]},
            {"phase": "emptied", "steps": [
                {"step": "attach"}, {"step": "write"}, {"step": "detach"}, {"step": "attach"},
                {"step": "read"}, {"step": "detach"}]}
        ]
    })
}

/// The same cell at another phase.
pub fn at(phase: &str) -> Value {
    let mut cell = cell();
    cell["phase"] = json!(phase);
    cell
}

/// A cell as an image of this format, or with native files.
pub fn image(mut cell: Value, format: &str, encryption: &str) -> Value {
    cell["driver"] = json!(if format == "native" { "native" } else { "portable" });
    cell["format"] = json!(format);
    cell["encryption"] = json!(encryption);
    cell
}

/// A cell that takes a while: 360 files of 1 MB, each flushed.
pub fn long_cell(phase: &str) -> Value {
    let mut cell = at(phase);
    cell["sets"] = json!(120);
    cell["sizes_bytes"] = json!([1_000_000, 1_000_000, 1_000_000]);
    cell["phases"][0]["steps"][8]["sets"] = json!(119);
    cell
}

/// The same cell at its first phase, which does not end by itself.
pub fn endless_cell() -> Value {
    endless(long_cell("fresh"), 0)
}

/// A cell that waits for an hour in this phase, once the files are written: whatever is to happen in the middle of it
/// finds it there, on the fastest machine and on the busiest.
pub fn endless(mut cell: Value, phase: usize) -> Value {
    let steps = cell["phases"][phase]["steps"].as_array_mut().unwrap();
    let write = steps.iter().position(|step| step["step"] == "write").unwrap();
    steps.insert(write + 1, json!({"step": "settle", "seconds": 3600}));
    cell
}

/// What this machine's release is called: it is named where a cell of another release is refused.
pub fn release() -> String {
    static RELEASE: LazyLock<String> = LazyLock::new(|| {
        let refused = Study::new().run(&cell_of("another-1-2"));
        let rest = refused.refused_with(2).strip_prefix("this machine runs ").unwrap();
        rest.split_once(',').unwrap().0.to_owned()
    });
    RELEASE.clone()
}

/// Lets programs that tests start heed signals that the tests were started to ignore, as under `nohup` or in the
/// background of a shell: they inherit that, but no handler.
fn heed_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            if signals::is_ignored(signal) {
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// The library that makes calls fail or wait; cargo builds examples before tests, into a folder beside the program's.
pub fn faults_library() -> PathBuf {
    let place = Path::new(env!("CARGO_BIN_EXE_diskbench"));
    let path = place.parent().unwrap().join("examples/libfaults.so");
    assert!(path.exists(), "{} is not built: cargo build --examples", path.display());
    path
}

/// A script of a shell, where `"$0" "$@"` is this command.
pub fn shell(script: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The names of all files below a folder; it may change meanwhile.
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

/// Sends a signal to a child of ours.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for a child to end.
pub fn ended(mut child: Child) -> Ended {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ended::of(&child.wait_with_output().unwrap())
}
