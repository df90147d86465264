//! Running another program for a fact: never waiting for it without end, never letting it ask anything.

// Used on macOS only, where facts come from programs; tested wherever tests run.
#![cfg_attr(
    not(any(target_os = "macos", test)),
    expect(dead_code, reason = "facts are files on Linux")
)]

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest that a program may take: each of them answers within a second, unless it hangs for good.
const LIMIT: Duration = Duration::from_secs(10);

/// How often to look whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What a program prints on stdout, if it ends well and in time. Its stderr is dropped: warnings do not belong into
/// a fact.
pub fn output(program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    // Read beside waiting: a program with much to say would otherwise wait for us.
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).ok().map(|_| bytes)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < LIMIT => thread::sleep(LOOK_EVERY),
            _ => {
                // Both only fail when it has ended by itself.
                drop(child.kill());
                drop(child.wait());
                return None;
            }
        }
    };
    let bytes = reader.join().ok().flatten()?;
    status.success().then_some(bytes)
}

/// The same as text, without the line feed at its end.
pub fn text(program: &str, arguments: &[&str]) -> Option<String> {
    let text = String::from_utf8(output(program, arguments)?).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_program_s_words_are_its_stdout_and_only_when_it_ends_well() {
        assert_eq!(text("sh", &["-c", "echo fact; echo warning >&2"]), Some("fact".into()));
        assert_eq!(text("sh", &["-c", "echo fact; exit 1"]), None);
        assert_eq!(text("no-such-program", &[]), None);
    }

    #[test]
    fn a_program_cannot_ask_anything() {
        assert_eq!(text("sh", &["-c", "read answer || echo nobody"]), Some("nobody".into()));
    }
}
