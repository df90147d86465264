//! Passphrases: one line each, or all up to a NUL byte, from standard input or from a descriptor that the caller
//! opened. Never from the command line or the environment, which other processes can read; and never shown.

use std::fs::File;
use std::io::{self, IsTerminal, Read};

use diskimage::crypt::Passphrase;
use system::descriptor;
use system::echo::{CTRL_C, Silence};
use zeroize::Zeroizing;

use crate::error::{Error, Result, plain};
use crate::terminal::raw_stderr;

/// Longest passphrase in bytes: more than anyone types, to limit reading.
const LONGEST: usize = 4096;

/// The number of standard input.
pub(crate) const STDIN: i32 = 0;

/// What a passphrase is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It opens an image.
    Open,
    /// A new image is made with it: a slip of the finger would be noticed too late.
    Make,
}

/// Where a passphrase ends that is not typed, unless its source does before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Before a line feed, or a carriage return and a line feed: files of Windows have both.
    Line,
    /// Before a NUL byte. Line feeds belong to it: `echo secret | hdiutil create -stdinpass` makes an image with one.
    Nul,
}

/// Reads the next passphrase of a descriptor, without its end. Nothing after the end is read, so that the next
/// passphrase can come from the same descriptor. On a terminal there is a prompt, without echo.
///
/// # Errors
/// Exit code 2 when the passphrase is missing, empty or too long; 130 after Ctrl-C.
pub(crate) fn read(number: i32, purpose: Use, end: End) -> Result<Passphrase> {
    let file = descriptor::duplicate(number).map_err(|error| unreadable(number, &error))?;
    let mut line = match (file.is_terminal(), end) {
        (true, End::Line) => typed(&file, purpose),
        (true, End::Nul) => Err(Error::input(
            "--passphrase-nul is for piped input, and stdin is a terminal: leave it out, or pipe the passphrase",
        )),
        (false, End::Line) => {
            until(&mut &file, b'\n', None).map_err(|error| unreadable(number, &error))
        }
        (false, End::Nul) => {
            until(&mut &file, b'\0', None).map_err(|error| unreadable(number, &error))
        }
    }?;
    // Handed over, not copied: no second copy stays behind.
    Passphrase::new(std::mem::take(&mut *line)).map_err(|error| Error::input(error.to_string()))
}

fn unreadable(number: i32, error: &io::Error) -> Error {
    Error::input(format!(
        "cannot read the passphrase from descriptor {number}: {}; pipe one line, for example: \
         printf '%s' \"$passphrase\" | diskbench image info --passphrase-stdin PATH",
        plain(error)
    ))
}

/// Prompts on the terminal.
fn typed(terminal: &File, purpose: Use) -> Result<Zeroizing<Vec<u8>>> {
    if purpose == Use::Open {
        return ask(terminal, "Passphrase: ");
    }
    let first = ask(terminal, "New passphrase: ")?;
    if ask(terminal, "Repeat the new passphrase: ")? != first {
        return Err(Error::input("the two passphrases differ: run again and type the same twice"));
    }
    Ok(first)
}

fn ask(terminal: &File, prompt: &str) -> Result<Zeroizing<Vec<u8>>> {
    let unusable = |error: io::Error| {
        Error::input(format!(
            "cannot ask for the passphrase: {}; pipe it to standard input instead",
            plain(&error)
        ))
    };
    let silence = Silence::of(terminal).map_err(unusable)?;
    raw_stderr(prompt);
    let mut input = terminal;
    let typed = until(&mut input, b'\n', Some(CTRL_C));
    drop(silence);
    raw_stderr("\n");
    let typed = typed.map_err(unusable)?;
    if typed.last() == Some(&CTRL_C) {
        return Err(Error::stopped("nothing was done; run the same command again"));
    }
    Ok(typed)
}

/// The bytes up to this end, or up to and including the other one, or all. Read one at a time, so that no byte after
/// the end is consumed.
fn until(input: &mut dyn Read, end: u8, other_end: Option<u8>) -> io::Result<Zeroizing<Vec<u8>>> {
    // Large enough from the start: a vector that grows leaves its old bytes behind.
    let mut found = Zeroizing::new(Vec::with_capacity(LONGEST));
    let mut byte = Zeroizing::new([0_u8]);
    loop {
        match input.read(&mut *byte) {
            Ok(0) => return Ok(found),
            Ok(_) if *byte == [end] => {
                if end == b'\n' && found.last() == Some(&b'\r') {
                    found.pop();
                }
                return Ok(found);
            }
            Ok(_) if found.len() == LONGEST => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("it is longer than {LONGEST} bytes"),
                ));
            }
            Ok(_) => found.extend_from_slice(&*byte),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if other_end.is_some() && found.last().copied() == other_end {
            return Ok(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, until};
    use std::io::Read;

    #[test]
    fn a_line_ends_before_its_line_feed_and_what_follows_is_left() {
        let mut input: &[u8] = b"one two \nthree";
        assert_eq!(*until(&mut input, b'\n', None).unwrap(), b"one two ");
        assert_eq!(*until(&mut input, b'\n', None).unwrap(), b"three");
        assert!(until(&mut input, b'\n', None).unwrap().is_empty());
        let mut typed: &[u8] = b"on\x03e\n";
        assert_eq!(*until(&mut typed, b'\n', Some(3)).unwrap(), b"on\x03");
    }

    #[test]
    fn a_line_of_windows_ends_before_its_carriage_return() {
        let mut input: &[u8] = b"one\r\n\r\rtwo\r\r\nthree\r";
        for line in [&b"one"[..], b"\r\rtwo\r", b"three\r"] {
            assert_eq!(*until(&mut input, b'\n', None).unwrap(), line);
        }
        let mut input: &[u8] = b"one\r\n\0two\r\0";
        for passphrase in [&b"one\r\n"[..], b"two\r"] {
            assert_eq!(*until(&mut input, b'\0', None).unwrap(), passphrase);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut longest = std::io::repeat(b'x').take(LONGEST as u64);
        assert_eq!(until(&mut longest, b'\n', None).unwrap().len(), LONGEST);
        assert!(until(&mut std::io::repeat(b'x'), b'\n', None).is_err());
    }
}
