//! Shows the progress of a cell, or of the copy of an image, from a thread that only reads counters: timed code never
//! waits for a terminal.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::meter::Meter;
use crate::terminal::raw_stderr;
use crate::units::{duration, gigabytes, rate};

/// How often a line on a terminal changes.
const LINE_EVERY: Duration = Duration::from_millis(100);

/// How often a thread that prints plain lines looks whether one is due.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Least time between two plain lines.
const LINES_EVERY: Duration = Duration::from_secs(10);

/// Readings that the current rate is taken over: on a terminal the last second.
const WINDOW: usize = 10;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// One line that changes.
    Line,
    /// Plain lines: one at the start, then every ten seconds or every set, whichever is rarer, one at the end. A stream
    /// has no sets.
    Lines,
    /// Nothing.
    Silent,
}

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Files to write and read; none for a stream, which has no files.
    pub files: Option<u64>,
    /// Bytes to write and read.
    pub bytes: u64,
}

/// Shows progress until the cell's result is reported.
#[derive(Debug)]
pub(crate) struct Progress {
    view: View,
    meter: Meter,
    style: Style,
    start: Instant,
    end: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to show the progress of a cell.
    pub(crate) fn start(style: Style, label: String, totals: Totals, meter: Meter) -> Self {
        let view = View { label, totals };
        let end = Arc::new((Mutex::new(false), Condvar::new()));
        let start = Instant::now();
        let thread = match style {
            Style::Silent => None,
            Style::Line | Style::Lines => {
                let (view, meter, end) = (view.clone(), meter.clone(), Arc::clone(&end));
                if style == Style::Lines {
                    raw_stderr(&format!("{}\n", view.first()));
                }
                Some(thread::spawn(move || watch(&view, style, &meter, &end)))
            }
        };
        Self { view, meter, style, start, end, thread }
    }

    /// Ends with a last line that says how the cell ended: `measured`, `failed` ...
    pub(crate) fn finish(mut self, how: &str) {
        self.stop();
        let text = self.view.last(how, &self.meter, self.start.elapsed());
        match self.style {
            Style::Silent => {}
            Style::Line => raw_stderr(&format!("\r\x1b[2K{text}\n")),
            Style::Lines => raw_stderr(&format!("{text}\n")),
        }
    }

    fn stop(&mut self) {
        let (flag, bell) = &*self.end;
        *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
        bell.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that only prints has nothing to say about how it ended.
            drop(thread.join());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.stop();
            if self.style == Style::Line {
                raw_stderr("\r\x1b[2K");
            }
        }
    }
}

fn watch(view: &View, style: Style, meter: &Meter, end: &(Mutex<bool>, Condvar)) {
    let tick = if style == Style::Line { LINE_EVERY } else { LOOK_EVERY };
    let start = Instant::now();
    let mut readings: Vec<(Duration, u64)> = vec![(Duration::ZERO, 0)];
    let (mut shown_at, mut shown_set) = (Duration::ZERO, 0);
    let (flag, bell) = end;
    let mut ended = flag.lock().unwrap_or_else(PoisonError::into_inner);
    while !*ended {
        let waited = bell.wait_timeout(ended, tick).unwrap_or_else(PoisonError::into_inner);
        ended = waited.0;
        if *ended {
            return;
        }
        let now = start.elapsed();
        readings.push((now, meter.bytes()));
        if readings.len() > WINDOW + 1 {
            readings.remove(0);
        }
        let text = view.line(meter.files(), &readings);
        if style == Style::Line {
            raw_stderr(&format!("\r\x1b[2K{text}"));
        } else if now - shown_at >= LINES_EVERY
            && (view.totals.files.is_none() || meter.set() != shown_set)
        {
            raw_stderr(&format!("{text}\n"));
            (shown_at, shown_set) = (now, meter.set());
        }
    }
}

/// The texts.
#[derive(Debug, Clone)]
struct View {
    label: String,
    totals: Totals,
}

impl View {
    fn first(&self) -> String {
        let bytes = gigabytes(self.totals.bytes);
        match self.totals.files {
            Some(files) => format!("{}: {files} files, {bytes} to write and read", self.label),
            None => format!("{}: {bytes}", self.label),
        }
    }

    /// `readings`: times since the start with the bytes done until then, the oldest first.
    fn line(&self, files: u64, readings: &[(Duration, u64)]) -> String {
        let (first, last) = (readings.first().copied(), readings.last().copied());
        let (then, bytes_then) = first.unwrap_or_default();
        let (now, bytes) = last.unwrap_or_default();
        let current = rate(bytes.saturating_sub(bytes_then), nanoseconds(now.saturating_sub(then)));
        let average = rate(bytes, nanoseconds(now));
        let left = match self.totals.bytes.saturating_sub(bytes).checked_div(average) {
            Some(seconds) => format!("{} left", duration(seconds)),
            None => "waiting".to_owned(),
        };
        let files = match self.totals.files {
            Some(all) => format!("{files}/{all} files, "),
            None => String::new(),
        };
        format!(
            "{}: {files}{} of {}, {}/s, {left}",
            self.label,
            gigabytes(bytes),
            gigabytes(self.totals.bytes),
            gigabytes(current),
        )
    }

    fn last(&self, how: &str, meter: &Meter, time: Duration) -> String {
        let files = match self.totals.files {
            Some(_) => format!("{} files, ", meter.files()),
            None => String::new(),
        };
        format!("{}: {how}: {files}{} in {}", self.label, gigabytes(meter.bytes()), elapsed(time))
    }
}

/// `0.6 s` for short times, else as `duration`.
fn elapsed(time: Duration) -> String {
    if time < Duration::from_secs(10) {
        format!("{}.{} s", time.as_secs(), time.subsec_millis() / 100)
    } else {
        duration(time.as_secs())
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Progress, Style, Totals, View};
    use crate::meter::Meter;
    use std::time::Duration;

    fn view() -> View {
        View { label: "fresh".into(), totals: Totals { files: Some(320), bytes: 100_000_000_000 } }
    }

    #[test]
    fn what_is_quickly_over_is_told_in_tenths_of_a_second() {
        assert_eq!(super::elapsed(Duration::from_millis(640)), "0.6 s");
        assert_eq!(super::elapsed(Duration::from_millis(9_999)), "9.9 s");
        assert_eq!(super::elapsed(Duration::from_secs(75)), "1 min 15 s");
    }

    #[test]
    fn a_line_says_files_bytes_current_rate_and_time_left() {
        // 10 GB in 10 s, the last 3 GB of them in the last second: 90 GB remain at 1 GB/s.
        let readings =
            [(Duration::from_secs(9), 7_000_000_000), (Duration::from_secs(10), 10_000_000_000)];
        assert_eq!(
            view().line(42, &readings),
            "fresh: 42/320 files, 10.00 GB of 100.00 GB, 3.00 GB/s, 1 min 30 s left"
        );
    }

    #[test]
    fn nothing_is_promised_before_the_first_byte() {
        let readings = [(Duration::ZERO, 0), (Duration::from_secs(1), 0)];
        assert!(view().line(0, &readings).ends_with("0.00 GB/s, waiting"));
    }

    #[test]
    fn the_first_and_last_lines_say_what_there_is_to_do_and_what_was_done() {
        assert_eq!(view().first(), "fresh: 320 files, 100.00 GB to write and read");
        let meter = Meter::new();
        meter.add_bytes(5_000_000);
        meter.add_file(1);
        let last = view().last("measured", &meter, Duration::from_secs(75));
        assert_eq!(last, "fresh: measured: 1 files, 0.01 GB in 1 min 15 s");
    }

    #[test]
    fn a_stream_has_bytes_but_no_files() {
        let view = View { label: "x".into(), totals: Totals { files: None, bytes: 4_000_000_000 } };
        assert_eq!(view.first(), "x: 4.00 GB");
        let readings = [(Duration::ZERO, 0), (Duration::from_secs(1), 1_000_000_000)];
        assert_eq!(view.line(0, &readings), "x: 1.00 GB of 4.00 GB, 1.00 GB/s, 3 s left");
        let last = view.last("done", &Meter::new(), Duration::from_secs(20));
        assert_eq!(last, "x: done: 0.00 GB in 20 s");
    }

    #[test]
    fn a_thread_that_shows_nothing_is_not_started() {
        let progress = Progress::start(
            Style::Silent,
            String::new(),
            Totals { files: Some(0), bytes: 0 },
            Meter::new(),
        );
        assert!(progress.thread.is_none());
        progress.finish("measured");
    }
}
