//! Running another program for a fact: never waiting for it without end, never letting it ask anything.

// Used on macOS only, where facts come from programs; tested wherever tests run.
#![cfg_attr(
    not(any(target_os = "macos", test)),
    expect(dead_code, reason = "facts are files on Linux")
)]

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::platform::process;

/// Longest that a program may take: each of them answers within a second, unless it hangs for good.
const LIMIT: Duration = Duration::from_secs(10);

/// How often to look whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What a program prints on stdout, if it ends well and in time. Its stderr is dropped: warnings do not belong into
/// a fact.
pub fn output(program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    output_within(LIMIT, program, arguments)
}

fn output_within(limit: Duration, program: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    // Read beside waiting: a program with much to say would otherwise wait for us.
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.read_to_end(&mut bytes).ok().map(|_| bytes);
        // Nobody may be waiting any more.
        drop(sender.send(read));
    });
    // Stdout may stay open longer than the program runs, in what it has started: the limit holds for both.
    let start = Instant::now();
    let bytes = answer.recv_timeout(limit).ok().flatten();
    let status = bytes.as_ref().and_then(|_| ended_by(start + limit, &mut child));
    if status.is_none() {
        // The program and all that it started; that fails only when they have ended by themselves.
        drop(process::kill_group(child.id()));
        drop(child.wait());
    }
    bytes.filter(|_| status.is_some_and(|status| status.success()))
}

/// How a program ended, if it does in time.
fn ended_by(end: Instant, child: &mut Child) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < end => thread::sleep(LOOK_EVERY),
            ended => return ended.ok().flatten(),
        }
    }
}

/// The same as text, without the line feed at its end.
pub fn text(program: &str, arguments: &[&str]) -> Option<String> {
    let text = String::from_utf8(output(program, arguments)?).ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{output_within, text};
    use std::time::{Duration, Instant};

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

    #[test]
    fn neither_a_program_that_hangs_nor_what_it_started_is_waited_for_without_end() {
        for script in ["sleep 60", "sleep 60 & exit 0", "exec >&-; sleep 60"] {
            let start = Instant::now();
            let limit = Duration::from_millis(200);
            assert_eq!(output_within(limit, "sh", &["-c", script]), None, "{script}");
            assert!(start.elapsed() < Duration::from_secs(30), "{script}");
        }
    }
}
