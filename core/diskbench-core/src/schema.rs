//! The JSON Schemas of records and cells, made from the types themselves.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::cell::Cell;
use crate::cli::SchemaOf;
use crate::error::Result;
use crate::json;
use crate::record::{LONGEST_TEXT, Record};

/// The schema as text, draft 2020-12.
///
/// # Errors
/// Never for our own types.
pub(crate) fn text(what: SchemaOf) -> Result<String> {
    match what {
        SchemaOf::Record => {
            of::<Record>("A record: the JSON file that one cell of diskbench leaves behind")
        }
        SchemaOf::Cell => of::<Cell>("A cell's description: what diskbench is to measure"),
    }
}

fn of<T: JsonSchema>(title: &str) -> Result<String> {
    // The form that is written: there, what may be null is still never missing.
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .with_transform(RecursiveTransform(bound))
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    Ok(json::pretty(&json::tree(&schema)?))
}

/// Adds the bounds of integer types, which `format` does not enforce, and of free texts, so that schema validators refuse
/// what this program refuses. 64-bit integers get the bounds of the tables' columns. Narrower ranges are kept.
fn bound(schema: &mut Schema) {
    if is_free_text(schema) {
        schema.insert("maxLength".to_owned(), LONGEST_TEXT.into());
    }
    let (least, largest) = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint64") => (0, i64::MAX),
        _ => return,
    };
    let own = |key: &str| schema.get(key).and_then(Value::as_i64);
    let least = own("minimum").map_or(least, |own| own.max(least));
    let largest = own("maximum").map_or(largest, |own| own.min(largest));
    schema.insert("minimum".to_owned(), least.into());
    schema.insert("maximum".to_owned(), largest.into());
}

/// Whether it is a text, or null, of which nothing else is said.
fn is_free_text(schema: &Schema) -> bool {
    let is_text = schema.get("type").is_some_and(|named| match named {
        Value::Array(names) => names.iter().any(|name| name == "string"),
        name => name == "string",
    });
    is_text && !["const", "enum", "pattern"].into_iter().any(|key| schema.get(key).is_some())
}
