//! What a process was told about signals before it began.

/// Whether this process ignores a signal: `nohup` and a shell's `&` hand that on to what they start.
pub fn is_ignored(signal: libc::c_int) -> bool {
    let mut found = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: nothing is set, since the second argument is null; `found` is large enough and outlives the call.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), found.as_mut_ptr()) };
    // SAFETY: all zeroes were a valid value before, and the call fills it in when it succeeds.
    let found = unsafe { found.assume_init() };
    result == 0 && found.sa_sigaction == libc::SIG_IGN
}

#[cfg(test)]
mod tests {
    use super::is_ignored;

    #[test]
    fn a_broken_pipe_is_ignored_as_rust_programs_do_and_a_child_s_end_is_not() {
        assert!(is_ignored(libc::SIGPIPE));
        assert!(!is_ignored(libc::SIGCHLD));
    }
}
