//! Makes calls of the system fail, be short or be slow: a library that tests load before the program (`LD_PRELOAD`), and
//! no part of it. What the program calls is then found here first, and handed on or not.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `DISKBENCH_FAULT_UNDER` | only calls on files and folders below this one are counted |
//! | `DISKBENCH_FAULT` | `KIND FIRST-LAST ACTION`, such as `pwrite 12-12 fail:28`; without it nothing goes wrong |
//! | `DISKBENCH_FAULT_REPORT` | a file that gets a line `KIND PATH` for each fault made, or, without a fault, for each call |
//!
//! Calls of a kind are counted from 1 on in each process. `fail:N` gives the error of that number, `short` moves half of
//! the bytes, `slow:N` waits N milliseconds first. For Linux with glibc; a Mac would need `DYLD_INTERPOSE`.

#![cfg(target_os = "linux")]
#![expect(
    unsafe_code,
    reason = "it stands between the program and the C library, where there is nothing else"
)]

mod calls;
mod kind;
mod places;
mod plan;
mod real;
