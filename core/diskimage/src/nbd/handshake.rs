//! Agreeing with a client on what it is served.

use std::io::{Read, Result, Write};

use crate::nbd::message::{array, text, u32_of, wrong};
use crate::nbd::{Export, MOST_BYTES};

const NBD_MAGIC: &[u8; 8] = b"NBDMAGIC";
const OPTION_MAGIC: &[u8; 8] = b"IHAVEOPT";
const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;

/// What server and client can do: the fixed newstyle, and no 124 zeros behind the oldest answer.
const FIXED_NEWSTYLE: u16 = 1 << 0;
const NO_ZEROES: u16 = 1 << 1;

/// Options.
const EXPORT_NAME: u32 = 1;
const ABORT: u32 = 2;
const LIST: u32 = 3;
const INFO: u32 = 6;
const GO: u32 = 7;
const STRUCTURED_REPLY: u32 = 8;
const LIST_META_CONTEXT: u32 = 9;
const SET_META_CONTEXT: u32 = 10;

/// Answers.
const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFORMATION: u32 = 3;
const META_CONTEXT: u32 = 4;
const UNSUPPORTED: u32 = 1 << 31 | 1;
const INVALID: u32 = 1 << 31 | 3;
const UNKNOWN: u32 = 1 << 31 | 6;

/// Kinds of information.
const INFO_EXPORT: u16 = 0;
const INFO_BLOCK_SIZE: u16 = 3;

/// Longest message of an option in bytes: a name of 4096 bytes, and as much again for lists.
const MOST_OPTION: u32 = 8192;

/// The map of extents.
const ALLOCATION: &[u8] = b"base:allocation";

/// The number of the map of extents in answers.
pub(crate) const ALLOCATION_ID: u32 = 1;

/// What was agreed on.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Agreed {
    /// Replies have a structure.
    pub structured: bool,
    /// The client may ask for the map of extents.
    pub allocation: bool,
}

/// Greets a client and answers its options; none when it leaves.
///
/// # Errors
/// Those of the stream; `InvalidData` for a client that does not speak the protocol.
pub(crate) fn agree(
    export: &Export,
    from: &mut impl Read,
    to: &mut impl Write,
) -> Result<Option<Agreed>> {
    to.write_all(NBD_MAGIC)?;
    to.write_all(OPTION_MAGIC)?;
    to.write_all(&(FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes())?;
    to.flush()?;
    let client = u32_of(from)?;
    if client & u32::from(FIXED_NEWSTYLE) == 0 {
        return Err(wrong("the client knows no newstyle"));
    }
    let mut agreed = Agreed::default();
    loop {
        let (option, data) = next_option(from)?;
        match option {
            EXPORT_NAME => {
                if !data.is_empty() {
                    return Err(wrong("no export has this name"));
                }
                to.write_all(&export.len_bytes.to_be_bytes())?;
                to.write_all(&export.flags().to_be_bytes())?;
                if client & u32::from(NO_ZEROES) == 0 {
                    to.write_all(&[0; 124])?;
                }
                to.flush()?;
                return Ok(Some(agreed));
            }
            ABORT => {
                // it may have left already
                drop(answer(to, option, ACK, &[]).and_then(|()| to.flush()));
                return Ok(None);
            }
            _ => {
                let last = answers(export, &mut agreed, option, &data, to)?;
                to.flush()?;
                if last {
                    return Ok(Some(agreed));
                }
            }
        }
    }
}

fn next_option(from: &mut impl Read) -> Result<(u32, Vec<u8>)> {
    if &array::<8>(from)? != OPTION_MAGIC {
        return Err(wrong("an option was expected"));
    }
    let (option, length) = (u32_of(from)?, u32_of(from)?);
    if length > MOST_OPTION {
        return Err(wrong("an option is too long"));
    }
    let mut data = vec![0; usize::try_from(length).unwrap_or_default()];
    from.read_exact(&mut data)?;
    Ok((option, data))
}

/// Answers an option; says whether it was the last.
fn answers(
    export: &Export,
    agreed: &mut Agreed,
    option: u32,
    data: &[u8],
    to: &mut impl Write,
) -> Result<bool> {
    match option {
        LIST => {
            // one export, whose name is empty
            answer(to, option, SERVER, &0_u32.to_be_bytes())?;
            answer(to, option, ACK, &[])?;
        }
        STRUCTURED_REPLY => {
            agreed.structured = true;
            answer(to, option, ACK, &[])?;
        }
        INFO | GO => match text(&mut &*data) {
            Err(_) => answer(to, option, INVALID, &[])?,
            Ok(name) if !name.is_empty() => answer(to, option, UNKNOWN, &[])?,
            Ok(_) => {
                inform(export, option, to)?;
                return Ok(option == GO);
            }
        },
        LIST_META_CONTEXT | SET_META_CONTEXT => match queries(data) {
            Ok(queries) if agreed.structured => {
                let all = option == LIST_META_CONTEXT
                    && (queries.is_empty() || queries.iter().any(|query| query == b"base:"));
                let found = all || queries.iter().any(|query| query == ALLOCATION);
                if option == SET_META_CONTEXT {
                    agreed.allocation = found;
                }
                if found {
                    let context = [&ALLOCATION_ID.to_be_bytes(), ALLOCATION].concat();
                    answer(to, option, META_CONTEXT, &context)?;
                }
                answer(to, option, ACK, &[])?;
            }
            _ => answer(to, option, INVALID, &[])?,
        },
        _ => answer(to, option, UNSUPPORTED, &[])?,
    }
    Ok(false)
}

fn inform(export: &Export, option: u32, to: &mut impl Write) -> Result<()> {
    let mut facts = INFO_EXPORT.to_be_bytes().to_vec();
    facts.extend(export.len_bytes.to_be_bytes());
    facts.extend(export.flags().to_be_bytes());
    answer(to, option, INFORMATION, &facts)?;
    let mut sizes = INFO_BLOCK_SIZE.to_be_bytes().to_vec();
    // any byte can be asked for, a page at a time is best
    for size in [1, 4096, MOST_BYTES] {
        sizes.extend(size.to_be_bytes());
    }
    answer(to, option, INFORMATION, &sizes)?;
    answer(to, option, ACK, &[])
}

/// The contexts that are asked for, of the export whose name is empty.
fn queries(mut data: &[u8]) -> Result<Vec<Vec<u8>>> {
    if !text(&mut data)?.is_empty() {
        return Err(wrong("no export has this name"));
    }
    let count = u32_of(&mut data)?;
    (0..count).map(|_| text(&mut data)).collect()
}

fn answer(to: &mut impl Write, option: u32, kind: u32, data: &[u8]) -> Result<()> {
    let length = u32::try_from(data.len()).map_err(|_| wrong("an answer is too long"))?;
    to.write_all(&REPLY_MAGIC.to_be_bytes())?;
    for number in [option, kind, length] {
        to.write_all(&number.to_be_bytes())?;
    }
    to.write_all(data)
}
