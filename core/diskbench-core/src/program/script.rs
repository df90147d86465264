//! A test double of runners: [`Player`] answers with a function, [`Script`] is one with a list of expected calls and
//! answers. It does not wait: times of waiting are only summed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use super::{Answer, Call, End, Programs, Runner};

/// The calls of a runner, readable at any time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Rc<RefCell<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    calls: Vec<String>,
    waited: Duration,
}

impl Notes {
    /// Every call, as [`line`] gives it.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.0.borrow().calls.clone()
    }

    /// The calls of these beginnings.
    pub(crate) fn calls_of(&self, beginnings: &[&str]) -> Vec<String> {
        let is_one = |call: &String| beginnings.iter().any(|start| call.starts_with(start));
        self.calls().into_iter().filter(is_one).collect()
    }

    /// The sum of simulated waiting.
    pub(crate) fn waited(&self) -> Duration {
        self.0.borrow().waited
    }
}

/// A call as one line: the program and its arguments as in records, with words for paths.
pub(crate) fn line(call: &Call) -> String {
    let mut words = vec![call.program().to_owned()];
    words.extend(call.shown());
    words.join(" ")
}

/// A program that ended by itself.
pub(crate) fn exited(code: i32, stdout: &str, stderr: &str) -> Answer {
    ended(End::Exited(code), stdout, stderr)
}

/// A program that printed this and ended well.
pub(crate) fn good(stdout: &str) -> Answer {
    exited(0, stdout, "")
}

/// A program that ended in this way.
pub(crate) fn ended(end: End, stdout: &str, stderr: &str) -> Answer {
    Answer { end, stdout: stdout.into(), stderr: stderr.into(), elapsed_ns: 1_000_000 }
}

/// Calls in the order in which they must come, each with its answer. Any other call, and one that is still missing at
/// the end, fails the test.
#[derive(Debug, Default)]
pub(crate) struct Script {
    expected: VecDeque<(String, Answer)>,
}

impl Script {
    /// Then this call, as [`line`] gives it, with this answer.
    pub(crate) fn then(mut self, call: &str, answer: Answer) -> Self {
        self.expected.push_back((call.to_owned(), answer));
        self
    }

    /// The simulated programs, with their calls.
    pub(crate) fn programs(mut self) -> (Programs, Notes) {
        Player::programs(move |call| {
            let call = line(call);
            match self.expected.pop_front() {
                Some((expected, answer)) if expected == call => answer,
                Some((expected, _)) => panic!("asked `{call}` instead of `{expected}`"),
                None => panic!("asked `{call}` after the script's end"),
            }
        })
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let missing: Vec<&String> = self.expected.iter().map(|(call, _)| call).collect();
        assert!(missing.is_empty() || std::thread::panicking(), "never asked: {missing:?}");
    }
}

/// Programs simulated by a function from a call to its answer, which can keep state.
pub(crate) struct Player<F> {
    play: F,
    notes: Notes,
}

impl<F: FnMut(&Call) -> Answer + 'static> Player<F> {
    /// The programs simulated by this function, with their calls.
    pub(crate) fn programs(play: F) -> (Programs, Notes) {
        let notes = Notes::default();
        (Programs::by(Box::new(Self { play, notes: notes.clone() })), notes)
    }
}

impl<F: FnMut(&Call) -> Answer> Runner for Player<F> {
    fn run(&mut self, call: &Call) -> Answer {
        self.notes.0.borrow_mut().calls.push(line(call));
        (self.play)(call)
    }

    fn wait(&mut self, time: Duration) {
        self.notes.0.borrow_mut().waited += time;
    }
}

#[test]
#[should_panic(expected = "instead of")]
fn a_script_refuses_what_it_does_not_expect() {
    let (mut programs, _) = Script::default().then("hdiutil info", good("")).programs();
    programs.run(&Call::new("hdiutil").arg("attach"));
}
