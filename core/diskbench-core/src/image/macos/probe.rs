//! What `diskutil image` knows, by its own words.
//!
//! Its help texts are only partly known, and may change: an answer that does not speak clearly decides nothing, and the
//! table's version rule stays.

use std::time::Duration;

use crate::program::{Answer, Call, End, Runner, System};

/// What `diskutil` says of itself. Nothing: it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Help {
    /// Whether there is `diskutil image` at all.
    pub image: Option<bool>,
    /// Whether it makes ASIF images.
    pub asif: Option<bool>,
}

/// Every call of `diskutil image` waits for a daemon: 2.5 to 8.2 s on a busy Mac (measured by the project cowshed). A
/// program that is silent for so much longer hangs.
const LIMIT: Duration = Duration::from_secs(30);

/// What a program says that does not know a verb.
const NO_VERB: &str = "did not recognize verb";

/// Asks `diskutil` of this system.
pub(crate) fn help() -> Help {
    ask(&mut System)
}

/// Asks `diskutil`.
pub(crate) fn ask(runner: &mut dyn Runner) -> Help {
    let mut said = |arguments: &[&str]| {
        words(&runner.run(&Call::new("diskutil").args(arguments.iter().copied()).limit(LIMIT)))
    };
    let Some(attach) = said(&["image", "attach", "--help"]) else { return Help::default() };
    if attach.contains(NO_VERB) {
        return Help { image: Some(false), asif: Some(false) };
    }
    // Only a text that knows one of the verb's options is about the verb.
    let image = (attach.contains("--mountpoint") || attach.contains("--nomount")).then_some(true);
    let Some(create) = said(&["image", "create", "blank", "--help"]) else {
        return Help { image, ..Help::default() };
    };
    if create.contains(NO_VERB) {
        return Help { image, asif: Some(false) };
    }
    // A text that lists the formats says what is not among them.
    let lists_formats = create.contains("--format") && create.contains("udsb");
    Help { image, asif: lists_formats.then(|| create.contains("asif")) }
}

/// All that a program printed and said, in small letters; nothing when it did not end by itself.
fn words(answer: &Answer) -> Option<String> {
    matches!(answer.end, End::Exited(_)).then(|| {
        let printed = String::from_utf8_lossy(&answer.stdout);
        format!("{printed}\n{}", answer.stderr).to_lowercase()
    })
}

#[cfg(test)]
mod tests {
    use super::{Help, ask};
    use crate::program::{Answer, Call, End, Runner};

    /// Answers the two questions, one after the other.
    struct Says(Vec<(End, &'static str)>);

    impl Runner for Says {
        fn run(&mut self, call: &Call) -> Answer {
            assert_eq!(call.program(), "diskutil");
            let (end, words) = self.0.remove(0);
            Answer { end, stdout: Vec::new(), stderr: words.into(), elapsed_ns: 1 }
        }
    }

    fn told(answers: &[(i32, &'static str)]) -> Help {
        ask(&mut Says(answers.iter().map(|(code, words)| (End::Exited(*code), *words)).collect()))
    }

    /// From the synopsis in diskutil(8) of macOS 26.
    const ATTACH: &str =
        "usage: diskutil image attach [--readOnly] [--nobrowse] [--mountPoint P] [--noMount] URL";
    const CREATE: &str = "usage: diskutil image create blank [--format RAW|ASIF|UDSB] [--size S] [--volumeName N] [-fs|--fs APFS] PATH";

    #[test]
    fn a_diskutil_that_does_not_know_the_verb_is_believed() {
        let old =
            told(&[(1, "diskutil did not recognize verb \"image\"; type \"diskutil\" for a list")]);
        assert_eq!(old, Help { image: Some(false), asif: Some(false) });
    }

    #[test]
    fn what_is_listed_is_known_and_what_is_not_is_not() {
        let all = told(&[(0, ATTACH), (64, CREATE)]);
        assert_eq!(all, Help { image: Some(true), asif: Some(true) });
        let before =
            told(&[(0, ATTACH), (0, "create blank [--format RAW|UDSB] [--volumeName N] PATH")]);
        assert_eq!(before, Help { image: Some(true), asif: Some(false) });
    }

    #[test]
    fn what_says_nothing_clearly_decides_nothing() {
        assert_eq!(told(&[(1, ""), (1, "")]), Help::default());
        assert_eq!(told(&[(64, "Usage: diskutil"), (64, "Usage: diskutil")]), Help::default());
        let hangs = ask(&mut Says(vec![(End::TimedOut, ATTACH)]));
        assert_eq!(hangs, Help::default());
    }
}
