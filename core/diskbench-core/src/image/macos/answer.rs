//! The property list in what a program prints.

use std::io::Cursor;

use plist::{Dictionary, Value};

/// The list ends with this.
const END: &[u8] = b"</plist>";

/// Deeper than this no answer nests its lists: the I/O Registry's go some 40 deep. The parser goes as deep as they do.
const DEEPEST: usize = 200;

/// Reads the property list; lines before and after it are passed over.
///
/// # Errors
/// What is wrong, in words for a message.
pub(crate) fn property_list(stdout: &[u8]) -> Result<Value, String> {
    let start = find(stdout, b"<?xml").or_else(|| find(stdout, b"<plist"));
    let Some(list) = start.and_then(|start| stdout.get(start..)) else {
        return Err(
            if stdout.is_empty() { "it is empty" } else { "it is not a property list" }.into()
        );
    };
    let end = find(list, END).ok_or("it is cut short")? + END.len();
    let list = list.get(..end).unwrap_or(list);
    if depth(list) > DEEPEST {
        return Err("it nests too deeply".into());
    }
    Value::from_reader_xml(Cursor::new(list)).map_err(|_| "it is a damaged property list".into())
}

/// The same, of an answer that is a dictionary.
///
/// # Errors
/// What is wrong, in words for a message.
pub(crate) fn dictionary(stdout: &[u8]) -> Result<Dictionary, String> {
    property_list(stdout)?.into_dictionary().ok_or_else(|| "it is not a dictionary".into())
}

/// A text in a dictionary, unless it is empty.
pub(crate) fn text<'a>(dictionary: &'a Dictionary, key: &str) -> Option<&'a str> {
    dictionary.get(key)?.as_string().map(str::trim).filter(|text| !text.is_empty())
}

/// How deep lists are nested.
fn depth(list: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for piece in list.split(|byte| *byte == b'<') {
        if piece.starts_with(b"array") || piece.starts_with(b"dict") {
            if !piece.get(..6).is_some_and(|start| start.contains(&b'/')) {
                depth += 1;
            }
        } else if piece.starts_with(b"/array") || piece.starts_with(b"/dict") {
            depth = depth.saturating_sub(1);
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::{dictionary, property_list, text};
    use proptest::prelude::{any, proptest};

    const LIST: &str =
        "<plist version=\"1.0\"><dict><key>a</key><string> b </string></dict></plist>";

    #[test]
    fn lines_around_the_list_are_passed_over() {
        for answer in [
            LIST.to_owned(),
            format!("hdiutil: WARNING: 'hdiutil attach' is deprecated.\n{LIST}\n"),
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{LIST}\nand more"),
        ] {
            let found = dictionary(answer.as_bytes()).unwrap();
            assert_eq!(text(&found, "a"), Some("b"));
            assert_eq!(text(&found, "c"), None);
        }
    }

    #[test]
    fn what_is_no_list_is_said() {
        for (answer, error) in [
            ("", "it is empty"),
            ("/dev/disk4\n", "it is not a property list"),
            ("<plist><dict><key>a</key>", "it is cut short"),
            ("<plist><dict><key>a</key></dict></plist>", "it is a damaged property list"),
            ("<plist><array/></plist>", "it is not a dictionary"),
        ] {
            assert_eq!(dictionary(answer.as_bytes()).unwrap_err(), error, "{answer}");
        }
    }

    #[test]
    fn a_list_that_is_a_trap_is_refused() {
        let deep = format!("<plist>{}{}</plist>", "<array>".repeat(300), "</array>".repeat(300));
        assert_eq!(property_list(deep.as_bytes()).unwrap_err(), "it nests too deeply");
        let wide = format!("<plist><array>{}</array></plist>", "<array/>".repeat(300));
        property_list(wide.as_bytes()).unwrap();
    }

    proptest! {
        #[test]
        fn nothing_that_is_printed_can_break_the_reader(
            before in any::<Vec<u8>>(),
            cut in 0..LIST.len(),
            byte in any::<u8>(),
        ) {
            let mut answer = before.clone();
            answer.extend_from_slice(LIST.as_bytes());
            answer[before.len() + cut] = byte;
            drop(property_list(&answer));
            drop(property_list(&answer[..before.len() + cut]));
            drop(property_list(&before));
        }
    }
}
