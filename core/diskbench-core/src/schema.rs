//! The JSON Schemas of records and cells, made from the types themselves.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};

use crate::cell::Cell;
use crate::cli::SchemaOf;
use crate::error::Result;
use crate::json;
use crate::record::Record;

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

/// Adds the bounds of integer types, which `format` does not enforce, so that schema validators refuse what this
/// program refuses. 64-bit integers get the bounds of the tables' columns. Narrower ranges are kept.
fn bound(schema: &mut Schema) {
    let (least, largest) = match schema.get("format").and_then(serde_json::Value::as_str) {
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint64") => (0, i64::MAX),
        _ => return,
    };
    let own = |key: &str| schema.get(key).and_then(serde_json::Value::as_i64);
    let least = own("minimum").map_or(least, |own| own.max(least));
    let largest = own("maximum").map_or(largest, |own| own.min(largest));
    schema.insert("minimum".to_owned(), least.into());
    schema.insert("maximum".to_owned(), largest.into());
}
