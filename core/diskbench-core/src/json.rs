//! Reading JSON with errors that name the key, and writing it in the one form that checksums are made of.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use crate::error::{Error, Result};

/// Parses a text; the error names the key that is wrong and where it is.
///
/// # Errors
/// Exit code 2, one line.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        explain(&path, error.inner())
    })?;
    reader.end().map_err(|error| explain(".", &error))?;
    Ok(value)
}

fn explain(path: &str, error: &serde_json::Error) -> Error {
    if error.is_eof() {
        return Error::input(format!("the JSON ends too early ({error}): create the file again"));
    }
    if error.is_syntax() {
        return Error::input(format!(
            "this is not JSON ({error}): correct it or create the file again"
        ));
    }
    let place = if path == "." || path == "?" { String::new() } else { format!("{path}: ") };
    Error::input(format!("{place}{error}: correct it and run again"))
}

/// The value as a tree with sorted keys.
///
/// # Errors
/// Exit code 1; our own types always can be written.
pub(crate) fn tree<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value)
        .map_err(|error| Error::fault(format_args!("cannot write JSON: {error}")))
}

/// Keys sorted, no spaces, UTF-8 not escaped: the text that checksums are made of.
///
/// In Python: `json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)`.
/// The two agree because there are no floats (see [`has_float`]).
pub(crate) fn canonical(value: &Value) -> String {
    // serde_json keeps an object in a BTreeMap, so its compact form is sorted by bytes, which for UTF-8 is
    // the order of code points, which is Python's. A test holds this: one feature flag would change it.
    value.to_string()
}

/// The same tree for people to read, with a line feed at its end.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Whether a number with a decimal point or exponent (or one beyond 64 bits) is anywhere in the tree.
pub(crate) fn has_float(value: &Value) -> bool {
    has_number(value, Number::is_f64)
}

/// Whether an integer beyond 63 bits is anywhere in the tree: the columns of the tables are `BIGINT`.
pub(crate) fn has_huge(value: &Value) -> bool {
    has_number(value, |number| number.as_i64().is_none_or(|number| number == i64::MIN))
}

/// Whether a text of more characters is anywhere in the tree.
pub(crate) fn has_longer(value: &Value, most: usize) -> bool {
    match value {
        Value::String(text) => text.chars().nth(most).is_some(),
        Value::Array(items) => items.iter().any(|item| has_longer(item, most)),
        Value::Object(items) => items.values().any(|item| has_longer(item, most)),
        _ => false,
    }
}

fn has_number(value: &Value, is_one: fn(&Number) -> bool) -> bool {
    match value {
        Value::Number(number) => is_one(number),
        Value::Array(items) => items.iter().any(|item| has_number(item, is_one)),
        Value::Object(items) => items.values().any(|item| has_number(item, is_one)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{canonical, has_float, has_huge, has_longer};
    use serde_json::{Value, json};

    #[test]
    fn the_canonical_form_is_what_python_writes() {
        // Made with Python 3.11:
        // json.dumps({"b": [1, True, None], "a": "ü\"\\\n\x01\x7f/", "Z": {"é": -1, "z": 2}},
        //            sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        let value =
            json!({"b": [1, true, null], "a": "ü\"\\\n\u{1}\u{7f}/", "Z": {"é": -1, "z": 2}});
        let python =
            "{\"Z\":{\"z\":2,\"é\":-1},\"a\":\"ü\\\"\\\\\\n\\u0001\u{7f}/\",\"b\":[1,true,null]}";
        assert_eq!(canonical(&value), python);
    }

    #[test]
    fn a_float_is_found_wherever_it_hides() {
        let value: Value = serde_json::from_str("{\"a\":[{\"b\":1.0}]}").unwrap();
        assert!(has_float(&value));
        assert!(!has_float(&json!({"a": [{"b": 1}]})));
    }

    #[test]
    fn the_largest_integer_of_a_column_is_the_largest_here() {
        assert!(has_huge(&json!([{"a": 9_223_372_036_854_775_808_u64}])));
        assert!(!has_huge(&json!([{"a": 9_223_372_036_854_775_807_u64}, null, "x"])));
    }

    #[test]
    fn a_text_is_as_long_as_it_has_characters() {
        assert!(!has_longer(&json!([{"a": "üü"}, 3, null]), 2));
        assert!(has_longer(&json!([{"a": "üüx"}]), 2));
    }
}
