//! Makes system calls fail, transfer less, be slow or wait: a library that tests preload (`LD_PRELOAD`), not part of the
//! program. It intercepts the program's calls.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `DISKBENCH_FAULT_UNDER` | only calls on files and folders below this one are counted |
//! | `DISKBENCH_FAULT_NAMES` | and whose names begin so, where it is set |
//! | `DISKBENCH_FAULT` | `KIND FIRST-LAST ACTION`, such as `pwrite 12-12 fail:28`, or several with `;` between them; without it nothing goes wrong |
//! | `DISKBENCH_FAULT_REPORT` | a file that gets a line `KIND PATH` for each fault made, or, without a fault, for each call |
//! | `DISKBENCH_FAULT_GATE` | a FIFO, for `hold` |
//! | `DISKBENCH_FAULT_CLOCK` | `SECONDS FILE`: once there is such a file, the clock of the day is so many seconds ahead |
//!
//! Calls of a kind are counted from 1 on in each process. `fail:N` gives the error of that number, `short` moves half of
//! the bytes, `slow:N` waits N milliseconds first, `kill` ends the process by SIGKILL before the call. `hold` opens the
//! gate for reading first, and waits until its writer closes it or a signal was handled: whoever opens the gate for writing
//! finds the program at that very call. For Linux with glibc; a Mac would need `DYLD_INTERPOSE`.

#![cfg(target_os = "linux")]
#![expect(
    unsafe_code,
    reason = "it stands between the program and the C library, where there is nothing else"
)]

mod calls;
mod clock;
mod gate;
mod kind;
mod places;
mod plan;
mod real;
