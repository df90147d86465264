//! What a program said, fit for a record: the message without the warnings before it, on one line, without paths.

use crate::program::Answer;

/// Longer than this no message is, in characters.
const LONGEST: usize = 300;

/// A line with this names the process that blocks unmounting.
const BLOCKING: &str = "dissented by";

/// Further lines about the same error.
const ABOUT_BLOCKING: &str = "dissenter";

/// The message: the last line of stderr, or of stdout, which `diskutil` also uses. With the blocking process, if a line
/// names one.
pub(super) fn of(answer: &Answer) -> String {
    let lines = lines(answer);
    let is_about = |line: &&String| line.to_lowercase().contains(ABOUT_BLOCKING);
    let blocking = lines.iter().rev().find(|line| line.to_lowercase().contains(BLOCKING));
    let last = lines.iter().rev().find(|line| !is_about(line) && Some(*line) != blocking);
    let parts: Vec<String> =
        [last, blocking].into_iter().flatten().map(|line| plain(line)).collect();
    parts.join("; ")
}

/// All relevant lines of stdout, then of stderr, without warnings and property lists.
pub(super) fn lines(answer: &Answer) -> Vec<String> {
    let stdout = String::from_utf8_lossy(&answer.stdout);
    let printed = if stdout.contains("<plist") { "" } else { &*stdout };
    printed
        .lines()
        .chain(answer.stderr.lines())
        .map(straight)
        .filter(|line| !line.trim().is_empty() && !is_warning(line))
        .collect()
}

/// The line with only the last part of paths, without control characters, truncated.
pub(super) fn plain(line: &str) -> String {
    let line: String =
        line.trim().chars().map(|one| if one.is_control() { ' ' } else { one }).collect();
    let mut short: String = without_paths(&line).chars().take(LONGEST).collect();
    short.truncate(short.trim_end().len());
    short
}

fn is_warning(line: &str) -> bool {
    let line = line.to_lowercase();
    line.contains("warning:")
        || line.contains("is deprecated")
        || line.contains("will be deprecated")
}

/// With straight apostrophes: the programs use both kinds.
fn straight(line: &str) -> String {
    line.replace(['\u{2018}', '\u{2019}'], "'")
}

/// Every path reduced to its last part. A path may contain spaces, so it is assumed to reach to the last `/` before its
/// closing quote or bracket, the next path, or the end: losing a word is better than showing the name of a folder.
fn without_paths(line: &str) -> String {
    /// Stands for the `/` of "I/O", which is no path.
    const SLASH: &str = "\u{1}";
    let line = line.replace("/dev/disk", "disk").replace("I/O", &format!("I{SLASH}O"));
    let mut text = String::new();
    let mut rest = line.as_str();
    while let Some(start) = start_of_path(rest) {
        let (before, path) = rest.split_at(start);
        text.push_str(before);
        let own = path.get(..end_of_path(before, path)).unwrap_or(path);
        text.push_str(last_part(own));
        rest = path.get(own.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    text.replace(SLASH, "/")
}

/// What follows the last `/` of a path, unless that ends it.
fn last_part(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let ends = |at: usize| {
        let after = path.get(at + 1..).and_then(|after| after.chars().next());
        after.is_none_or(|after| matches!(after, ':' | ',' | ';'))
    };
    let last = path.match_indices('/').map(|(at, _)| at).rfind(|at| !ends(*at));
    last.and_then(|at| path.get(at + 1..)).unwrap_or(path)
}

/// Where a path begins: at a `/` or `~/` that does not go on a word.
fn start_of_path(line: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, &str)| {
        let before = line.get(..*at).and_then(|before| before.chars().next_back());
        before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '.' | '_' | '-'))
    };
    line.match_indices('/').find(begins).map(|(at, _)| at)
}

/// Where the path ends that follows `before`.
fn end_of_path(before: &str, path: &str) -> usize {
    let closing = match before.chars().next_back() {
        Some('(') => path.rfind(')'),
        Some(quote @ ('"' | '\'')) => {
            path.get(1..).and_then(|rest| rest.find(quote)).map(|at| at + 1)
        }
        Some('\u{201c}') => path.find('\u{201d}'),
        _ => None,
    };
    closing.or_else(|| path.find(" /")).unwrap_or(path.len())
}
