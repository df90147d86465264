//! The JSON Schemas of records and cells, made from the types themselves.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::cell::Cell;
use crate::cli::SchemaOf;
use crate::error::Result;
use crate::json;
use crate::record::Record;

/// The schema as text, draft 2020-12.
///
/// # Errors
/// Never for our own types.
pub fn text(what: SchemaOf) -> Result<String> {
    match what {
        SchemaOf::Record => {
            of::<Record>("A record: the JSON file that one cell of diskbench leaves behind")
        }
        SchemaOf::Cell => of::<Cell>("A cell's description: what diskbench is to measure"),
    }
}

fn of<T: JsonSchema>(title: &str) -> Result<String> {
    // The form that is written: there, what may be null is still never missing.
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    Ok(json::pretty(&json::tree(&schema)?))
}
