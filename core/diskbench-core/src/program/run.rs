//! Running one program.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use system::{clock, process};

use super::{Answer, Call, End, tools};
use crate::error::plain;

/// How often to look whether it has ended, or whether a signal asks to stop. The first looks come closer together:
/// most programs answer at once.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A killed program is waited for no longer than this; others end within milliseconds.
const REAP_TIMEOUT: Duration = Duration::from_secs(5);

/// Limit of kept output in bytes: an inventory of a thousand images has some 2 MB.
const MOST_OUTPUT: u64 = 16 << 20;

/// Runs a program to its end, or to the end of its time.
pub(super) fn run(call: &Call) -> Answer {
    let start = clock::always_ns();
    let mut answer = match command(call).spawn() {
        Ok(child) => attend(call, child),
        Err(error) => Answer {
            end: End::NotStarted(plain(&error)),
            stdout: Vec::new(),
            stderr: String::new(),
            elapsed_ns: 0,
        },
    };
    answer.elapsed_ns = clock::always_ns() - start;
    answer
}

/// The program with its arguments, in its own process group.
pub(super) fn command(call: &Call) -> Command {
    let mut command = Command::new(tools::path(call.program()));
    command
        .args(call.values())
        .env("LC_ALL", "C")
        .env("LANG", "C")
        .env_remove(tools::COMPATIBILITY)
        .stdin(if call.input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command
}

fn attend(call: &Call, mut child: Child) -> Answer {
    let limit = tools::limit(call.limit);
    let begun = Instant::now();
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), call.input.clone()) {
        // In a thread: a program that does not read must not block us. If it does not read, its exit status shows the
        // consequence.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let ended = ended(call, &mut child, begun, limit);
    // Its children may keep the pipes open for longer, at most for the remaining time.
    let left = limit.saturating_sub(begun.elapsed());
    let grace = if matches!(ended, Ended::ByItself(_)) { left } else { Duration::ZERO };
    let (stdout, whole) = stdout.map_or((Vec::new(), true), |pipe| take(&pipe, grace));
    let grace = if whole { grace } else { Duration::ZERO };
    let (stderr, _) = stderr.map_or((Vec::new(), true), |pipe| take(&pipe, grace));
    let end = match ended {
        Ended::ByItself(status) if whole => how(status),
        Ended::ByItself(_) => {
            // That fails only when all have ended by themselves.
            drop(process::kill_group(child.id()));
            End::TimedOut
        }
        Ended::ByUs(end) => end,
    };
    Answer { end, stdout, stderr: String::from_utf8_lossy(&stderr).into_owned(), elapsed_ns: 0 }
}

enum Ended {
    ByItself(ExitStatus),
    ByUs(End),
}

fn ended(call: &Call, child: &mut Child, begun: Instant, limit: Duration) -> Ended {
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ended::ByItself(status),
            Ok(None) => {}
            Err(error) => return Ended::ByUs(End::NotStarted(plain(&error))),
        }
        let stopped = call.stop.as_ref().is_some_and(crate::interrupt::Stop::requested);
        if stopped || begun.elapsed() >= limit {
            // The program and all that it started; that fails only when they have ended by themselves.
            drop(process::kill_group(child.id()));
            reap(child);
            return Ended::ByUs(if stopped { End::Stopped } else { End::TimedOut });
        }
        thread::sleep(pause);
        pause = longer(pause);
    }
}

/// The next pause: short programs are not waited for, long ones cost little.
fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LOOK_EVERY)
}

/// Reaps a killed child for at most [`REAP_TIMEOUT`]; a child in uninterruptible I/O is abandoned.
fn reap(child: &mut Child) {
    let begun = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && begun.elapsed() < REAP_TIMEOUT {
        thread::sleep(LOOK_EVERY);
    }
}

fn how(status: ExitStatus) -> End {
    status.code().map_or_else(|| End::Killed(status.signal().unwrap_or_default()), End::Exited)
}

/// Reads a pipe in a thread: a program with much output would otherwise block.
fn collect(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, pieces) = mpsc::channel();
    thread::spawn(move || {
        let mut pipe = pipe;
        let mut buffer = vec![0; 64 << 10];
        let mut total = 0_u64;
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            total = total.saturating_add(count as u64);
            let piece = buffer.split_at(count).0.to_vec();
            // Beyond the limit it is read and discarded, so that the program continues. The receiver may be gone.
            if total <= MOST_OUTPUT && sender.send(piece).is_err() {
                return;
            }
        }
    });
    pieces
}

/// What came through a pipe, and whether that was all of it.
fn take(pieces: &Receiver<Vec<u8>>, longest: Duration) -> (Vec<u8>, bool) {
    let end = Instant::now() + longest;
    let mut all = Vec::new();
    loop {
        match pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(piece) => all.extend_from_slice(&piece),
            Err(RecvTimeoutError::Disconnected) => return (all, true),
            Err(RecvTimeoutError::Timeout) => return (all, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Call, End, fact_text};
    use super::{LOOK_EVERY, longer, run};
    use crate::interrupt::Stop;
    use crate::testing::PATIENCE;
    use std::time::{Duration, Instant};
    use zeroize::Zeroizing;

    fn shell(script: &str) -> Call {
        Call::new("sh").args(["-c", script])
    }

    #[test]
    fn however_long_a_program_takes_its_end_is_looked_for_as_often() {
        let pauses: Vec<Duration> =
            std::iter::successors(Some(LOOK_EVERY / 8), |pause| Some(longer(*pause)))
                .take(10)
                .collect();
        assert_eq!(pauses[..3], [LOOK_EVERY / 8, LOOK_EVERY / 4, LOOK_EVERY / 2]);
        assert!(pauses[3..].iter().all(|pause| *pause == LOOK_EVERY));
    }

    #[test]
    fn what_is_printed_and_what_is_said_are_kept_apart() {
        let answer = run(&shell("echo fact; echo warning >&2; exit 3"));
        assert_eq!(answer.stdout, b"fact\n");
        assert_eq!(answer.stderr, "warning\n");
        assert_eq!(answer.end, End::Exited(3));
        assert!(answer.elapsed_ns > 0);
    }

    #[test]
    fn a_fact_is_what_is_printed_by_a_program_that_ends_well() {
        assert_eq!(fact_text("sh", &["-c", "echo fact; echo warning >&2"]), Some("fact".into()));
        assert_eq!(fact_text("sh", &["-c", "echo fact; exit 1"]), None);
        assert_eq!(fact_text("no-such-program", &[]), None);
    }

    #[test]
    fn a_program_speaks_english_and_cannot_ask_anything() {
        let answer = run(&shell("echo $LC_ALL; read answer || echo nobody"));
        assert_eq!(answer.stdout, b"C\nnobody\n");
    }

    #[test]
    fn a_program_tells_the_release_that_there_is_and_not_an_older_one() {
        let command = super::command(&Call::new("sw_vers"));
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert_eq!(removed, [(std::ffi::OsStr::new("SYSTEM_VERSION_COMPAT"), None)]);
    }

    #[test]
    fn a_program_reads_just_what_it_is_given() {
        let input = Zeroizing::new(b"secret without a line end".to_vec());
        assert_eq!(run(&shell("cat").input(input)).stdout, b"secret without a line end");
        let unread = Zeroizing::new(vec![b'x'; 10 << 20]);
        assert_eq!(run(&shell("exit 0").input(unread)).end, End::Exited(0));
    }

    #[test]
    fn a_program_with_much_to_say_comes_to_its_end() {
        let answer = run(&shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"));
        assert_eq!((answer.end, answer.stdout.len()), (End::Exited(0), 3_000_000));
    }

    #[test]
    fn neither_a_program_that_hangs_nor_what_it_started_is_waited_for_without_end() {
        for script in [
            "sleep 3600",
            "sleep 3600 & exit 0",
            "exec >&-; sleep 3600",
            "trap '' TERM; sleep 3600",
        ] {
            let start = Instant::now();
            let answer = run(&shell(script).limit(Duration::from_millis(200)));
            assert_eq!(answer.end, End::TimedOut, "{script}");
            assert!(start.elapsed() < PATIENCE, "{script}");
        }
    }

    #[test]
    fn a_program_that_may_be_stopped_ends_when_a_signal_asks_for_it() {
        let stop = Stop::never();
        stop.request();
        assert_eq!(run(&shell("sleep 60").stoppable(&stop)).end, End::Stopped);
        assert_eq!(run(&shell("exit 0").limit(Duration::from_secs(9))).end, End::Exited(0));
    }

    #[test]
    fn a_program_that_is_killed_or_missing_says_so() {
        assert_eq!(run(&shell("kill -9 $$")).end, End::Killed(9));
        assert!(matches!(run(&Call::new("no-such-program")).end, End::NotStarted(_)));
    }
}
