//! Looks at everything that a run under a fault left, and whether a second one completes.

use std::fs;

use serde_json::Value;

use super::case::{Action, Case};
use super::kind::Kind;
use super::library::{self, Before};
use super::tiny::PHASES;
use crate::common::{Ended, Study, files, names};
use crate::portable::passphrase;

/// The exit codes that a fault may end with: done, bad input, full, a folder of no use, failed. Not busy: nobody is there.
const NAMED: [i32; 5] = [0, 2, 3, 4, 7];

/// What came of one fault.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; nothing when the fault was not made.
    pub code: Option<i32>,
    /// What was done, and how it ended.
    pub line: String,
    /// What is wrong about it.
    pub findings: Vec<String>,
}

/// Runs a case and judges it.
pub fn judge(case: &Case, before: &Before) -> Outcome {
    let study = before.again();
    let older = fs::read(study.record_path(case.phase)).ok();
    let (ended, made) = library::run_under(&study, case);
    let Some(ended) = ended else {
        let line = format!("it hangs: {case}");
        return Outcome { code: Some(-1), line: line.clone(), findings: vec![line] };
    };
    let mut look = Look { study: &study, case, older, findings: Vec::new() };
    if made.is_empty() {
        look.says(ended.code == 0, "nothing was made to fail, and it fails");
        return Outcome { code: None, line: format!("{case}: not made"), findings: look.findings };
    }
    look.ending(&ended);
    look.records(&ended, &made);
    look.image(&ended);
    look.second_run();
    let told = ended.stderr.trim().replace('\n', " | ");
    let told = told.replace(&study.path("").display().to_string(), "");
    let at = made.first().map(String::as_str).unwrap_or_default();
    let line = format!("{case} at {at}: {} {told}", ended.code);
    let findings = look.findings.iter().map(|what| format!("{what}: {line}")).collect();
    Outcome { code: Some(ended.code), line, findings }
}

struct Look<'a> {
    study: &'a Study,
    case: &'a Case,
    /// A record that was there before.
    older: Option<Vec<u8>>,
    findings: Vec<String>,
}

impl Look<'_> {
    fn says(&mut self, good: bool, what: &str) {
        if !good {
            self.findings.push(what.to_owned());
        }
    }

    fn ending(&mut self, ended: &Ended) {
        let harmless = !matches!(self.case.action, Action::Fail(_));
        self.says(NAMED.contains(&ended.code), "the exit code is none that says what is wrong");
        self.says(!harmless || ended.code == 0, "what is short or slow makes it fail");
        let lines = ended.stderr.lines();
        // A further line says which of two records is kept beside the other.
        let told = ["measured again: ", "the measured record stays: "];
        let lines: Vec<&str> =
            lines.filter(|line| !told.iter().any(|words| line.contains(words))).collect();
        self.says(ended.code == 0 || !lines.is_empty(), "no line says why");
        self.says(lines.len() <= 2, "more than a line for the fault and one for what is left");
        for line in lines {
            let clear = line.starts_with("diskbench: ") && !line.contains("os error");
            self.says(clear && !line.contains("panicked"), "a line is not clear");
        }
    }

    /// The new record, if there is one: not the older one, and not its temporary file. A failed one lies beside an older
    /// one, which was measured.
    fn record(&self) -> Option<Value> {
        let active = self.study.record_path(self.case.phase);
        let folder = self.study.path("records");
        let beside = names(&folder).into_iter().filter(|name| !name.starts_with('.'));
        let beside =
            beside.filter(|name| name.starts_with(&format!("{}.superseded-", self.case.phase)));
        let places = std::iter::once(active).chain(beside.map(|name| folder.join(name)));
        let bytes = places
            .filter_map(|place| fs::read(place).ok())
            .find(|bytes| Some(bytes) != self.older.as_ref())?;
        Some(serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    fn records(&mut self, ended: &Ended, made: &[String]) {
        self.nothing_is_lost();
        if ended.code == 0 {
            self.none_is_there_twice();
        }
        let Some(record) = self.record() else {
            self.says(![0, 7].contains(&ended.code), "there is no record");
            return;
        };
        match record["status"].as_str() {
            Some("measured") => {
                self.says(
                    [0, 3, 4].contains(&ended.code),
                    "a measured record, and the cell failed",
                );
                let reached = record["durability"]["reached"] == "fsync";
                self.says(reached, "durability is not what was asked for");
                let unsafe_data = self.case.kind == Kind::Fsync
                    && matches!(self.case.action, Action::Fail(_))
                    && made.iter().any(|line| line.contains("/files/") || line.contains("/image."));
                self.says(
                    !unsafe_data,
                    "a record says that data reached the disk, and fsync failed",
                );
            }
            Some("failed") => {
                self.says(ended.code == 7, "a failed record, and the exit code is another");
                let active = fs::read(self.study.record_path(self.case.phase)).ok();
                let stays = self.older.is_none() || active == self.older;
                self.says(stays, "a failed record has taken the place of a measured one");
                let reason = record["reason"].as_str().unwrap_or_default();
                self.says(reason.ends_with("run again"), "the reason does not end with what to do");
                self.says(!reason.contains('/'), "the reason names a path");
            }
            _ => self.says(false, "a record of neither status"),
        }
    }

    /// Every record is whole, and the older one is there under one name or the other.
    fn nothing_is_lost(&mut self) {
        let folder = self.study.path("records");
        let found = names(&folder);
        let records: Vec<&String> = found.iter().filter(|name| !name.starts_with('.')).collect();
        if let Some(older) = self.older.clone() {
            let kept =
                found.iter().any(|name| fs::read(folder.join(name)).ok().as_ref() == Some(&older));
            self.says(kept, "the older record is gone");
        }
        if !records.is_empty() {
            let verified = self.study.call(&["verify", folder.to_str().unwrap()]);
            self.says(verified.code == 0, &format!("verify says {}", verified.stderr.trim()));
        }
    }

    /// Once a record is written, an older one is there under its other name only.
    fn none_is_there_twice(&mut self) {
        let folder = self.study.path("records");
        let found = names(&folder);
        let mut texts: Vec<Vec<u8>> =
            found.iter().filter_map(|name| fs::read(folder.join(name)).ok()).collect();
        texts.sort();
        texts.dedup();
        // The older record is a copy of the one of the phase before.
        let copies = usize::from(self.older.is_some());
        self.says(texts.len() + copies == found.len(), "a record is there twice");
    }

    /// What is left of the image: of a cell that was measured it is sound.
    fn image(&mut self, ended: &Ended) {
        let left = self.study.left();
        let probes = left.iter().filter(|name| name.starts_with(".diskbench-probe")).count();
        self.says(left.len() - probes <= 1, "more than one folder is left");
        let last = Some(&self.case.phase) == PHASES.last();
        let measured = ended.code == 0 && self.record().is_some();
        if !measured || last {
            return;
        }
        for folder in left.iter().filter(|name| !name.starts_with('.')) {
            let folder = self.study.work().join(folder);
            for image in names(&folder).iter().filter(|name| name.starts_with("image.")) {
                let checked = self.check(folder.join(image).to_str().unwrap());
                let what =
                    format!("the image is not sound: {} {}", checked.code, checked.stderr.trim());
                self.says(checked.code == 0, &what);
            }
        }
    }

    fn check(&self, image: &str) -> Ended {
        if self.case.tiny.encryption == "none" {
            return self.study.call(&["image", "check", image]);
        }
        let words = passphrase(&self.case.tiny.cell(self.case.phase));
        self.study.call_with(&["image", "check", image, "--passphrase-stdin"], &words)
    }

    /// Without a fault the same call completes, after a sweep (of every other case) as well as without.
    fn second_run(&mut self) {
        let work = self.study.work();
        let sweep = ["sweep", "--folder", work.to_str().unwrap()];
        if self.case.first.is_multiple_of(2) {
            let swept = self.study.call(&sweep);
            self.says(swept.code == 0, &format!("sweep says {}", swept.stderr.trim()));
        }
        let again = self.study.run(&self.case.tiny.cell(self.case.phase));
        self.says(again.code == 0, &format!("the second run says {}", again.stderr.trim()));
        let record = self.record().unwrap_or_default();
        self.says(record["status"] == "measured", "the second run has no measured record");
        self.nothing_is_lost();
        let hidden = files(&self.study.path("records")).iter().any(|name| name.starts_with('.'));
        self.says(!hidden, "half a record is left after the second run");
        self.none_is_there_twice();
        let swept = self.study.call(&sweep);
        let left = self.study.left();
        self.says(swept.code == 0 && left.is_empty(), &format!("after all {left:?} is left"));
    }
}
