//! Answering a client's requests, one after the other.

use std::io::{ErrorKind, Read, Result, Write};

use system::memory::in_memory;

use crate::bytes::part_mut;
use crate::content::{Extent, extents_in};
use crate::error::{ImageError, Kind};
use crate::nbd::handshake::{ALLOCATION_ID, Agreed};
use crate::nbd::message::{array, u32_of, u64_of, wrong};
use crate::nbd::{Export, MOST_BYTES};

const REQUEST_MAGIC: u32 = 0x2560_9513;
const SIMPLE_MAGIC: u32 = 0x6744_6698;
const CHUNK_MAGIC: u32 = 0x668e_33ef;

/// Commands.
const READ: u16 = 0;
const WRITE: u16 = 1;
const LEAVE: u16 = 2;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const WRITE_ZEROES: u16 = 6;
const BLOCK_STATUS: u16 = 7;

/// Flags of commands: make it last before answering; and one extent is enough.
const FUA: u16 = 1 << 0;
const ONE_EXTENT: u16 = 1 << 3;

/// Kinds of chunks, and the flag of the last one.
const DONE: u16 = 1;
const NONE: u16 = 0;
const OFFSET_DATA: u16 = 1;
const EXTENTS: u16 = 5;
const ERROR: u16 = 1 << 15 | 1;

/// What an extent is that the image does not hold: a hole, of zeros. In an encrypted raw image clients of this server
/// read zeros there, and programs that decrypt the image themselves read noise.
const HOLE_OF_ZEROS: u32 = 1 | 2;

/// Errors, by Linux's numbers.
const EPERM: u32 = 1;
const EIO: u32 = 5;
const EINVAL: u32 = 22;
const ENOSPC: u32 = 28;
const EOVERFLOW: u32 = 75;
const ENOTSUP: u32 = 95;

/// Most extents in one reply; for the rest the client asks again.
const MOST_EXTENTS: usize = 1024;

/// A request.
struct Request {
    flags: u16,
    command: u16,
    cookie: u64,
    offset: u64,
    length: u32,
}

/// What a request came to.
enum Done {
    /// It is done, and there is nothing to tell.
    Nothing,
    /// The first bytes of the buffer are what was asked for.
    Data,
    /// The extents.
    Extents(Vec<Extent>),
}

/// Why a request is not done: the protocol's number, and a line for people. The image fails, or the request is wrong.
enum Refused {
    Failed(u32, String),
    Wrong(u32, String),
}

impl Refused {
    fn parts(&self) -> (u32, &str) {
        let (Self::Failed(number, line) | Self::Wrong(number, line)) = self;
        (*number, line)
    }
}

impl From<ImageError> for Refused {
    fn from(error: ImageError) -> Self {
        let full = error.io().is_some_and(|error| error.kind() == ErrorKind::StorageFull);
        let line = error.to_string();
        match error.kind() {
            _ if full => Self::Failed(ENOSPC, line),
            Kind::Invalid => Self::Wrong(EINVAL, line),
            _ => Self::Failed(EIO, line),
        }
    }
}

/// Answers requests until the client leaves, or its stream ends.
///
/// # Errors
/// Those of the stream; `InvalidData` for what is no request.
pub(crate) fn serve(
    export: &Export,
    agreed: &Agreed,
    from: &mut impl Read,
    to: &mut impl Write,
) -> Result<()> {
    let mut buffer = Vec::new();
    while let Some(request) = next_request(from)? {
        if request.command == LEAVE {
            break;
        }
        if request.command == WRITE {
            if request.length > MOST_BYTES {
                return Err(wrong("a write is too long"));
            }
            resize(&mut buffer, request.length);
            from.read_exact(part_mut(&mut buffer, ..in_memory(request.length.into())))?;
        }
        let done = carry_out(export, agreed, &request, &mut buffer);
        if let Err(Refused::Failed(_, line)) = &done {
            (export.report)(&failed(&request, line));
        }
        let data = part_mut(&mut buffer, ..);
        if agreed.structured {
            reply_structured(to, &request, done, data)?;
        } else {
            reply_simple(to, &request, &done, data)?;
        }
        to.flush()?;
    }
    Ok(())
}

/// What is said of a request that the image did not carry out.
fn failed(request: &Request, line: &str) -> String {
    let Request { command, offset, length, .. } = request;
    match *command {
        FLUSH => format!("the image cannot be flushed: {line}"),
        READ | BLOCK_STATUS => format!("cannot read {length} bytes at {offset}: {line}"),
        _ => format!("cannot write {length} bytes at {offset}: {line}"),
    }
}

/// None at the end of the stream.
fn next_request(from: &mut impl Read) -> Result<Option<Request>> {
    match u32_of(from) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Ok(REQUEST_MAGIC) => {}
        other => return other.and(Err(wrong("a request was expected"))),
    }
    Ok(Some(Request {
        flags: u16::from_be_bytes(array(from)?),
        command: u16::from_be_bytes(array(from)?),
        cookie: u64_of(from)?,
        offset: u64_of(from)?,
        length: u32_of(from)?,
    }))
}

fn resize(buffer: &mut Vec<u8>, length: u32) {
    let length = in_memory(length.into());
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
}

fn carry_out(
    export: &Export,
    agreed: &Agreed,
    request: &Request,
    buffer: &mut Vec<u8>,
) -> std::result::Result<Done, Refused> {
    let Request { flags, command, offset, length, .. } = *request;
    let changes = matches!(command, WRITE | TRIM | WRITE_ZEROES);
    if changes && !export.writable {
        return Err(Refused::Wrong(EPERM, "the image is served for reading only".to_owned()));
    }
    let range = offset..offset.saturating_add(length.into());
    if command != FLUSH && range.end > export.len_bytes {
        let number = if changes { ENOSPC } else { EINVAL };
        return Err(Refused::Wrong(number, "the range reaches beyond the disk's end".to_owned()));
    }
    let mut image = export.image();
    let done = match command {
        READ if length > MOST_BYTES => {
            return Err(Refused::Wrong(
                EOVERFLOW,
                format!("read at most {MOST_BYTES} bytes at once"),
            ));
        }
        READ => {
            resize(buffer, length);
            image.read_at(part_mut(buffer, ..in_memory(length.into())), offset)?;
            Done::Data
        }
        WRITE => {
            image.write_at(part_mut(buffer, ..in_memory(length.into())), offset)?;
            Done::Nothing
        }
        TRIM => {
            image.discard(offset, length.into())?;
            Done::Nothing
        }
        WRITE_ZEROES => {
            image.write_zeros(offset, length.into())?;
            Done::Nothing
        }
        FLUSH => Done::Nothing,
        BLOCK_STATUS if agreed.allocation && length > 0 => {
            let most = if flags & ONE_EXTENT == 0 { MOST_EXTENTS } else { 1 };
            Done::Extents(extents_in(image.as_mut(), &range, most)?)
        }
        BLOCK_STATUS => {
            return Err(Refused::Wrong(EINVAL, "no map of extents was agreed on".to_owned()));
        }
        _ => return Err(Refused::Wrong(ENOTSUP, "this command is not supported".to_owned())),
    };
    if export.writable && (command == FLUSH || changes && flags & FUA != 0) {
        image.make_last()?;
    }
    Ok(done)
}

fn reply_simple(
    to: &mut impl Write,
    request: &Request,
    done: &std::result::Result<Done, Refused>,
    data: &mut [u8],
) -> Result<()> {
    let number = done.as_ref().err().map_or(0, |refused| refused.parts().0);
    to.write_all(&SIMPLE_MAGIC.to_be_bytes())?;
    to.write_all(&number.to_be_bytes())?;
    to.write_all(&request.cookie.to_be_bytes())?;
    match done {
        Ok(Done::Data) => to.write_all(part_mut(data, ..in_memory(request.length.into()))),
        _ => Ok(()),
    }
}

fn reply_structured(
    to: &mut impl Write,
    request: &Request,
    done: std::result::Result<Done, Refused>,
    data: &mut [u8],
) -> Result<()> {
    let offset = request.offset.to_be_bytes();
    match done {
        Ok(Done::Nothing) => chunk(to, request, NONE, &[]),
        Ok(Done::Data) => {
            let data = part_mut(data, ..in_memory(request.length.into()));
            chunk(to, request, OFFSET_DATA, &[&offset, data])
        }
        Ok(Done::Extents(extents)) => {
            let mut told = ALLOCATION_ID.to_be_bytes().to_vec();
            for Extent { range, data } in extents {
                // no longer than the request, whose length has 32 bits
                told.extend(
                    u32::try_from(range.end - range.start).unwrap_or(u32::MAX).to_be_bytes(),
                );
                told.extend((if data { 0 } else { HOLE_OF_ZEROS }).to_be_bytes());
            }
            chunk(to, request, EXTENTS, &[&told])
        }
        Err(refused) => {
            let (number, line) = refused.parts();
            let length = u16::try_from(line.len()).unwrap_or_default();
            let line = if length == 0 { &[] } else { line.as_bytes() };
            chunk(to, request, ERROR, &[&number.to_be_bytes(), &length.to_be_bytes(), line])
        }
    }
}

/// The only chunk of a reply.
fn chunk(to: &mut impl Write, request: &Request, kind: u16, parts: &[&[u8]]) -> Result<()> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).map_err(|_| wrong("a reply is too long"))?;
    to.write_all(&CHUNK_MAGIC.to_be_bytes())?;
    to.write_all(&DONE.to_be_bytes())?;
    to.write_all(&kind.to_be_bytes())?;
    to.write_all(&request.cookie.to_be_bytes())?;
    to.write_all(&length.to_be_bytes())?;
    parts.iter().try_for_each(|part| to.write_all(part))
}
