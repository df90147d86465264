//! Texts of errors, made fit for one line.

use std::io;

/// The text of an operating-system error without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text.get(..end).unwrap_or(&text).to_lowercase(),
        None => text,
    }
}

/// Control characters (a line feed in a file name, say) become spaces, so that an error stays one line; so do those
/// that turn the direction of writing or are not seen, with which a name can look like another one.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_format(c) { ' ' } else { c }).collect()
}

/// Unicode's categories of format characters and of ends of lines and paragraphs (Cf, Zl, Zp; Unicode 16), as in
/// `workflow/scripts/console.py`.
const fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::{one_line, plain};
    use std::io;

    #[test]
    fn what_a_terminal_obeys_turns_round_or_hides_is_a_space() {
        let found: Vec<u64> = ('\0'..=char::MAX)
            .filter(|c| *c != ' ' && one_line(&c.to_string()) == " ")
            .map(|c| u64::from(u32::from(c)))
            .collect();
        // How many characters of the categories Cc, Cf, Zl and Zp there are by Python's unicodedata 15.1, and their sum.
        assert_eq!((found.len(), found.iter().sum::<u64>()), (237, 92_333_743));
    }

    #[test]
    fn the_number_of_an_os_error_is_not_shown() {
        assert_eq!(plain(&io::Error::from_raw_os_error(libc::ENOENT)), "no such file or directory");
    }
}
