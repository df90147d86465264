//! A terminal that does not show what is typed.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// The byte that Ctrl-C types while the terminal is silent.
pub const CTRL_C: u8 = 3;

/// As long as this lives nothing that is typed is shown. Ctrl-C is no signal meanwhile but ends the line as
/// [`CTRL_C`], so that nobody dies and leaves a terminal behind that stays silent.
#[derive(Debug)]
pub struct Silence<'a> {
    terminal: &'a File,
    before: libc::termios,
}

impl<'a> Silence<'a> {
    /// Silences a terminal.
    ///
    /// # Errors
    /// Whatever the system says, for example that this is no terminal.
    pub fn of(terminal: &'a File) -> io::Result<Self> {
        let mut found = MaybeUninit::<libc::termios>::zeroed();
        // SAFETY: the descriptor is open for as long as `terminal` is borrowed; `found` is large enough.
        let result = unsafe { libc::tcgetattr(terminal.as_raw_fd(), found.as_mut_ptr()) };
        if result == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all zeroes are a valid value, and the call has filled it in.
        let before = unsafe { found.assume_init() };
        let mut silent = before;
        silent.c_lflag &= !(libc::ECHO | libc::ISIG);
        if let Some(ends_a_line) = silent.c_cc.get_mut(libc::VEOL) {
            *ends_a_line = CTRL_C;
        }
        set(terminal, &silent)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        // A terminal that has gone away needs no echo.
        drop(set(self.terminal, &self.before));
    }
}

fn set(terminal: &File, settings: &libc::termios) -> io::Result<()> {
    // SAFETY: the descriptor is open for as long as `terminal` is borrowed, and so are the settings.
    let result = unsafe { libc::tcsetattr(terminal.as_raw_fd(), libc::TCSAFLUSH, settings) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::{CTRL_C, Silence};
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::FromRawFd;
    use std::ptr::null_mut;

    /// Who types at a terminal, and who reads there.
    fn terminal() -> (File, File) {
        let (mut types, mut reads) = (-1, -1);
        // SAFETY: both numbers outlive the call; a name and settings are not asked for.
        let result = unsafe {
            libc::openpty(&raw mut types, &raw mut reads, null_mut(), null_mut(), null_mut())
        };
        assert_eq!(result, 0);
        // SAFETY: the call has just made this descriptor, for us.
        let types = unsafe { File::from_raw_fd(types) };
        // SAFETY: and this one.
        (types, unsafe { File::from_raw_fd(reads) })
    }

    #[test]
    fn what_is_typed_in_silence_is_not_shown_and_ctrl_c_ends_the_line() {
        let (mut types, reads) = terminal();
        let mut found = [0; 16];
        let silence = Silence::of(&reads).unwrap();
        types.write_all(&[b'a', b'b', CTRL_C]).unwrap();
        let length = (&reads).read(&mut found).unwrap();
        assert_eq!(&found[..length], [b'a', b'b', CTRL_C]);
        drop(silence);
        types.write_all(b"cd\n").unwrap();
        let length = (&reads).read(&mut found).unwrap();
        assert_eq!(&found[..length], b"cd\n");
        // What the terminal shows comes back to who types: the second line only.
        types.read_exact(&mut found[..2]).unwrap();
        assert_eq!(&found[..2], b"cd");
    }

    #[test]
    fn what_is_no_terminal_cannot_be_silenced() {
        assert!(Silence::of(&tempfile::tempfile().unwrap()).is_err());
    }
}
