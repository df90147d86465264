//! Many cases, on all processors, and what came of them.

use std::collections::BTreeMap;
use std::env;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::case::{self, Case};
use super::judge::judge;
use super::library::{self, Before};
use super::tiny::{PHASES, Tiny};

/// What came of all cases.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many faults ended with each exit code.
    codes: BTreeMap<i32, usize>,
    /// Faults that were not made, since the run made fewer calls this time.
    unmade: usize,
    /// What is wrong, a line each.
    pub findings: Vec<String>,
}

impl Tally {
    pub fn of(tiny: Tiny, choose: impl Fn(Vec<Case>) -> Vec<Case>) -> Self {
        let mut tally = Self::default();
        for phase in PHASES {
            let before = Before::new(tiny, phase);
            let calls = library::learn(tiny, &before);
            tally.add(&choose(case::all(tiny, phase, &calls)), &before);
        }
        tally
    }

    /// Tries all of these.
    fn add(&mut self, cases: &[Case], before: &Before) {
        let tally = Mutex::new(self);
        let next = AtomicUsize::new(0);
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let outcome = judge(case, before);
                        if env::var_os("DISKBENCH_FAULTS_TOLD").is_some() {
                            println!("{}", outcome.line);
                        }
                        outcome.findings.iter().for_each(|finding| println!("  {finding}"));
                        let mut tally = tally.lock().unwrap();
                        match outcome.code {
                            Some(code) => *tally.codes.entry(code).or_default() += 1,
                            None => tally.unmade += 1,
                        }
                        tally.findings.extend(outcome.findings);
                    }
                });
            }
        });
    }

    /// How many faults were made.
    pub fn made(&self) -> usize {
        self.codes.values().sum()
    }

    /// A line for a person.
    pub fn line(&self, name: &str) -> String {
        let codes: Vec<String> =
            self.codes.iter().map(|(code, count)| format!("{count} ended with {code}")).collect();
        let (made, unmade, findings) = (self.made(), self.unmade, self.findings.len());
        format!(
            "{name:13} {made:5} faults ({unmade} not made): {}; {findings} findings",
            codes.join(", ")
        )
    }

    /// The same for a program.
    pub fn json(&self, name: &str) -> Value {
        let codes: BTreeMap<String, usize> =
            self.codes.iter().map(|(code, count)| (code.to_string(), *count)).collect();
        json!({
            "image": name, "made": self.made(), "unmade": self.unmade, "codes": codes,
            "findings": self.findings.len()
        })
    }
}
