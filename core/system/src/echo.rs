//! A terminal that does not show what is typed.

use std::fs::File;
use std::io;

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// The byte that Ctrl-C types while the terminal is silent.
pub const CTRL_C: u8 = 3;

/// As long as this lives nothing that is typed is shown. Ctrl-C is no signal meanwhile but ends the line as
/// [`CTRL_C`], so that nobody dies and leaves a terminal behind that stays silent.
#[derive(Debug)]
pub struct Silence<'a> {
    terminal: &'a File,
    before: Termios,
}

impl<'a> Silence<'a> {
    /// Silences a terminal.
    ///
    /// # Errors
    /// Any error of the system, for example that this is not a terminal.
    pub fn of(terminal: &'a File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        silent.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
        tcsetattr(terminal, OptionalActions::Flush, &silent)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        // A terminal that has gone away needs no echo.
        tcsetattr(self.terminal, OptionalActions::Flush, &self.before).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::{CTRL_C, Silence};
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    /// Who types at a terminal, and who reads there.
    fn terminal() -> (File, File) {
        let types = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&types).unwrap();
        unlockpt(&types).unwrap();
        let name = ptsname(&types, Vec::new()).unwrap();
        let mut reads = File::options();
        reads.read(true).write(true).custom_flags(OpenptFlags::NOCTTY.bits().cast_signed());
        (types.into(), reads.open(name.to_str().unwrap()).unwrap())
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
