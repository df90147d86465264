//! Runs other programs: with a time limit, without user input, with separate output streams.
//!
//! Every program (for a fact about the machine, or to serve an image) is run here. Its stdin is empty unless given, its
//! stdout and stderr are separate pipes, its language is English (`LC_ALL=C`), and after its time limit the whole
//! process group is ended.

mod beside;
mod run;
#[cfg(test)]
pub(crate) mod script;
pub mod tools;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use zeroize::Zeroizing;

use crate::interrupt::Stop;
use crate::record::{CommandEnd, CommandRecord, LONGEST_LIST};

pub(crate) use beside::Beside;

/// Time limit of a query for a fact. Most answer at once; `diskutil` waits for every client of Disk Arbitration, such as
/// a backup at night, and `tmutil` was seen to take 11 seconds.
const FACT: Duration = Duration::from_secs(60);

/// Time limit of a query for the state of the machine, which is looked at around every pass of a cell: the kernel and
/// powerd answer within milliseconds, and a program that hangs must not hold the cell.
const STATE: Duration = Duration::from_secs(10);

/// A program to be run.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    program: String,
    arguments: Vec<Argument>,
    input: Option<Zeroizing<Vec<u8>>>,
    limit: Duration,
    stop: Option<Stop>,
}

/// An argument, and its form in records and messages.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Argument {
    value: OsString,
    shown: String,
}

impl Call {
    /// A program by name, such as `hdiutil`; [`tools`] has the paths.
    pub(crate) fn new(program: &str) -> Self {
        Self {
            program: program.to_owned(),
            arguments: Vec::new(),
            input: None,
            limit: FACT,
            stop: None,
        }
    }

    /// With an argument.
    pub(crate) fn arg(mut self, argument: impl Into<String>) -> Self {
        let shown = argument.into();
        self.arguments.push(Argument { value: shown.clone().into(), shown });
        self
    }

    /// With arguments.
    pub(crate) fn args<'a>(self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// With a path, which is replaced by this word in records: no record contains a path.
    pub(crate) fn path(mut self, path: &Path, shown: &str) -> Self {
        self.arguments.push(Argument { value: path.into(), shown: shown.to_owned() });
        self
    }

    /// With this on its stdin, which then ends.
    pub(crate) fn input(mut self, bytes: Zeroizing<Vec<u8>>) -> Self {
        self.input = Some(bytes);
        self
    }

    /// With this much time.
    pub(crate) const fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Ended at once when a signal asks to stop; without this it may come to its end first.
    pub(crate) fn stoppable(mut self, stop: &Stop) -> Self {
        self.stop = Some(stop.clone());
        self
    }

    /// Whether a signal ends it at once.
    #[cfg(test)]
    pub(crate) const fn may_be_stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Name of the program.
    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    /// The arguments as they are given.
    pub(crate) fn values(&self) -> impl Iterator<Item = &OsStr> {
        self.arguments.iter().map(|argument| argument.value.as_os_str())
    }

    /// How much time it has.
    pub(crate) const fn time(&self) -> Duration {
        self.limit
    }

    /// The arguments as in records.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.arguments.iter().map(|argument| argument.shown.clone()).collect()
    }
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Killed(i32),
    /// Its time was up: it was ended, with all that it had started.
    TimedOut,
    /// Cancelled: the program and its children were ended.
    Stopped,
    /// It could not be started, for this reason.
    NotStarted(String),
}

/// What came of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// How it ended.
    pub end: End,
    /// Its output; of an ended program, until then.
    pub stdout: Vec<u8>,
    /// What it said.
    pub stderr: String,
    /// How long it took, in nanoseconds.
    pub elapsed_ns: u64,
}

impl Answer {
    /// Whether it ended by itself with exit code 0.
    pub(crate) fn is_good(&self) -> bool {
        self.end == End::Exited(0)
    }
}

/// Runs programs: the system, or a test double.
pub(crate) trait Runner {
    /// Runs a program to its end.
    fn run(&mut self, call: &Call) -> Answer;

    /// Waits before a program is run again: tests do not.
    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// The system.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct System;

impl Runner for System {
    fn run(&mut self, call: &Call) -> Answer {
        run::run(call)
    }
}

/// A runner that records its calls.
pub(crate) struct Programs {
    runner: Box<dyn Runner>,
    log: Vec<CommandRecord>,
}

impl Programs {
    /// The programs of this system.
    pub(crate) fn of_system() -> Self {
        Self::by(Box::new(System))
    }

    /// Programs by this runner.
    pub(crate) fn by(runner: Box<dyn Runner>) -> Self {
        Self { runner, log: Vec::new() }
    }

    /// Runs a program and notes it.
    pub(crate) fn run(&mut self, call: &Call) -> Answer {
        let answer = self.runner.run(call);
        let (end, code) = match &answer.end {
            End::Exited(code) => (CommandEnd::Exited, Some(*code)),
            End::Killed(signal) => (CommandEnd::Killed, Some(*signal)),
            End::TimedOut => (CommandEnd::TimedOut, None),
            End::Stopped => (CommandEnd::Stopped, None),
            End::NotStarted(_) => (CommandEnd::NotStarted, None),
        };
        // A step runs some hundred at most; a record keeps no more than this.
        if self.log.len() < LONGEST_LIST {
            self.log.push(CommandRecord {
                program: call.program.clone(),
                arguments: call.shown(),
                end,
                code,
                elapsed_ns: answer.elapsed_ns,
            });
        }
        answer
    }

    /// Waits before a program is run again.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.runner.wait(time);
    }

    /// The calls since the last query.
    pub(crate) fn take_log(&mut self) -> Vec<CommandRecord> {
        std::mem::take(&mut self.log)
    }
}

/// How often a program is asked for a fact while it does not answer in time.
const ASKED: u32 = 3;

/// What a program prints on stdout, if it ends well and in time. Its stderr is dropped: warnings do not belong into
/// a fact.
pub(crate) fn fact(program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    fact_by(&mut System, &Call::new(program).args(arguments.iter().copied()))
}

fn fact_by(runner: &mut dyn Runner, call: &Call) -> Option<Vec<u8>> {
    let mut answers = (0..ASKED).map(|_| runner.run(call));
    let answer = answers.find(|answer| answer.end != End::TimedOut)?;
    answer.is_good().then_some(answer.stdout)
}

/// The same as text, without the white space around it; nothing else is no fact.
pub(crate) fn fact_text(program: &str, arguments: &[&str]) -> Option<String> {
    text(fact(program, arguments)?)
}

/// What a program prints about the state of this moment. Where there is no answer in time it is not asked again: later
/// is another moment.
pub(crate) fn state_text(program: &str, arguments: &[&str]) -> Option<String> {
    state_by(&mut System, Call::new(program).args(arguments.iter().copied()))
}

fn state_by(runner: &mut dyn Runner, call: Call) -> Option<String> {
    let answer = runner.run(&call.limit(STATE));
    text(answer.is_good().then_some(answer.stdout)?)
}

fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::script::{ended, exited, good};
    use super::{Answer, Call, End, Programs, Runner, fact_by, state_by, text};
    use std::time::Duration;

    /// Gives these answers, one after the other.
    struct Answers(Vec<Answer>);

    impl Runner for Answers {
        fn run(&mut self, _: &Call) -> Answer {
            self.0.remove(0)
        }
    }

    fn fact(answers: Vec<Answer>) -> Option<Vec<u8>> {
        fact_by(&mut Answers(answers), &Call::new("sw_vers"))
    }

    #[test]
    fn a_fact_is_asked_for_again_where_there_is_no_answer() {
        let silence = || ended(End::TimedOut, "", "");
        assert_eq!(fact(vec![silence(), silence(), good("26.4")]), Some("26.4".into()));
        assert_eq!(fact(vec![silence(), silence(), silence()]), None);
    }

    /// Hangs until its time is up, and counts that time.
    struct Hanging(Duration);

    impl Runner for Hanging {
        fn run(&mut self, call: &Call) -> Answer {
            self.0 += call.time();
            ended(End::TimedOut, "", "")
        }
    }

    #[test]
    fn a_program_that_hangs_holds_a_look_at_the_machine_for_seconds() {
        let mut hanging = Hanging(Duration::ZERO);
        assert_eq!(state_by(&mut hanging, Call::new("pmset")), None);
        assert_eq!(hanging.0, Duration::from_secs(10));
        let mut answers = Answers(vec![good("{ 1.20 1.30 1.40 }\n")]);
        let load = state_by(&mut answers, Call::new("sysctl"));
        assert_eq!(load.as_deref(), Some("{ 1.20 1.30 1.40 }"));
    }

    #[test]
    fn no_more_calls_are_noted_than_a_record_may_have() {
        let mut programs = Programs::by(Box::new(Answers(vec![good(""); 1_001])));
        for _ in 0..1_001 {
            programs.run(&Call::new("hdiutil"));
        }
        assert_eq!(programs.take_log().len(), 1_000);
        assert!(programs.take_log().is_empty());
    }

    #[test]
    fn a_program_that_does_not_know_is_believed_at_once() {
        for answer in [exited(1, "", "unknown oid"), ended(End::Killed(9), "x", "")] {
            assert_eq!(fact(vec![answer]), None);
        }
        assert_eq!(text(b"26.4\n".to_vec()), Some("26.4".into()));
        for nothing in [&b"\n"[..], b"\xff"] {
            assert_eq!(text(nothing.to_vec()), None);
        }
    }
}
