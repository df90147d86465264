//! Runs with the library of the example `faults` loaded.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::case::Case;
use super::kind::Kind;
use super::tiny::{PHASES, Tiny};
use crate::common::{Ended, PATIENCE, Study, faults_library};

/// In the folder that the environment names, in memory say, for there are very many.
fn new_study() -> Study {
    env::var_os("DISKBENCH_FAULTS_FOLDER")
        .map_or_else(Study::new, |place| Study::new_in(Path::new(&place)))
}

/// A study in which everything before a phase is done, and a record of the phase is there from earlier.
pub struct Before {
    study: Study,
    phase: &'static str,
}

impl Before {
    pub fn new(tiny: Tiny, phase: &'static str) -> Self {
        let study = new_study();
        fs::create_dir(study.path("records")).unwrap();
        if phase != PHASES[0] {
            study.run(&tiny.cell(PHASES[0])).done();
            fs::copy(study.record_path(PHASES[0]), study.record_path(phase)).unwrap();
        }
        Self { study, phase }
    }

    /// The same once more, to be spoilt.
    pub fn again(&self) -> Study {
        let study = new_study();
        if self.phase == PHASES[0] {
            return study;
        }
        let mut copy = Command::new("cp");
        copy.args(["-a", "--sparse=always"]).arg(self.study.work()).arg(self.study.path("records"));
        assert!(copy.arg(study.path("")).status().unwrap().success());
        study
    }
}

/// The run of a phase, under a fault or under none; what the library reports goes into the file `report`.
fn command(study: &Study, tiny: Tiny, phase: &str) -> Command {
    let log = study.path("cell.log");
    let mut command = study.run_command(&tiny.cell(phase), &["--log", log.to_str().unwrap()]);
    command
        .env("LD_PRELOAD", faults_library())
        .env("DISKBENCH_FAULT_UNDER", study.path(""))
        .env("DISKBENCH_FAULT_REPORT", study.path("report"));
    command
}

/// The kinds of all calls of a phase in which nothing goes wrong.
pub fn learn(tiny: Tiny, before: &Before) -> Vec<Kind> {
    let (study, phase) = (before.again(), before.phase);
    Ended::of(&command(&study, tiny, phase).output().unwrap()).done();
    let kind = |line: &str| {
        let name = line.split(' ').next().unwrap_or_default().to_owned();
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    };
    fs::read_to_string(study.path("report")).unwrap().lines().filter_map(kind).collect()
}

/// Measures a phase under a fault: how it ended (nothing when it hangs), and the places where the fault was made.
pub fn run_under(study: &Study, case: &Case) -> (Option<Ended>, Vec<String>) {
    let mut command = command(study, case.tiny, case.phase);
    command.env("DISKBENCH_FAULT", case.fault()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let ended = loop {
        if child.try_wait().unwrap().is_some() {
            break Some(Ended::of(&child.wait_with_output().unwrap()));
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let root = study.path("").display().to_string();
    let report = fs::read_to_string(study.path("report")).unwrap_or_default();
    (ended, report.lines().map(|line| line.replace(&root, "")).collect())
}

/// Measures a phase in which only calls on the records are counted, and the process is killed before one of them.
pub fn kill_at_the_records(study: &Study, tiny: Tiny, phase: &str, faults: &str) -> Ended {
    let mut command = command(study, tiny, phase);
    command.env("DISKBENCH_FAULT_UNDER", study.path("records")).env("DISKBENCH_FAULT", faults);
    Ended::of(&command.output().unwrap())
}
