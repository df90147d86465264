//! ASIF, built from its description (`core/diskimage/src/asif/`). Two directories, of which the one with the higher
//! number is active; tables of groups of data entries, each followed by an entry for their bitmap; chunks in any order,
//! with gaps.

use diskimage::format::ImageFormat;

use crate::common::random::Random;
use crate::{Format, Image, put, readers};

/// A group has four entries for each byte of a sector, and one for its bitmap.
const fn group(sector: usize) -> usize {
    4 * sector
}

const FULL: u64 = 1 << 62;
const UNMAPPED: u64 = 2 << 62;
const PARTIAL: u64 = 3 << 62;

/// The entries of the last table begin behind so many bytes of a directory.
const ENTRY: usize = 8;

pub const FORMAT: Format = Format {
    sound: |random| Layout::of(random).image(),
    faults: &[
        ("the version is 2", |image, _| set(image, 0x04, &2_u32.to_be_bytes())),
        ("a flag is set", |image, random| {
            let at = [0x0c, 0x47, 0x50, 0x60, 0x64, 0x68, 0x6c, 0x1ff][random.below(8)];
            set(image, at, &[1])
        }),
        ("a directory lies in the header", |image, random| {
            set(image, 0x10, &(random.below(512) as u64).to_be_bytes())
        }),
        ("the directories overlap", |image, _| {
            let one = number(image, 0x10);
            set(image, 0x18, &(one + 8).to_be_bytes())
        }),
        ("both directories have one number and differ", |image, _| {
            let [one, other] = [0x10, 0x18].map(|at| at_of(number(image, at)));
            let sequence = number(image, one);
            let differ = number(image, one + 8) != number(image, other + 8);
            set(image, other, &sequence.to_be_bytes()) && differ
        }),
        ("a chunk lies beyond the file's end", |image, random| {
            let Some(at) = an_entry(image, random) else { return false };
            let beyond = number(image, at) + (1 << 40);
            set(image, at, &beyond.to_be_bytes())
        }),
        ("two chunks of the disk lie in one of the file", |image, random| {
            let (one, other) = (an_entry(image, random), an_entry(image, random));
            let (Some(one), Some(other)) = (one, other) else { return false };
            let chunk = number(image, one) & ((1 << 55) - 1);
            let status = number(image, other) >> 62 << 62;
            one != other && set(image, other, &(status | chunk).to_be_bytes())
        }),
        ("an entry has a bit that is not known", |image, random| {
            let Some(at) = an_entry(image, random) else { return false };
            let strange = number(image, at) | 1 << random.of_range(55..=61);
            set(image, at, &strange.to_be_bytes())
        }),
        ("an entry without data names a chunk", |image, random| {
            let Some(at) = an_entry(image, random) else { return false };
            let status = if random.percent(50) { 0 } else { UNMAPPED };
            let chunk = number(image, at) & ((1 << 55) - 1);
            set(image, at, &(status | chunk).to_be_bytes())
        }),
        ("a partial chunk has no bitmap", |image, _| {
            let layout = found(image);
            let partial = layout.entries.iter().any(|at| number(image, *at) >> 62 == 3);
            partial && set(image, layout.bitmap_entry, &[0; 8])
        }),
        ("a sector has the state 2 or 3", |image, random| {
            let layout = found(image);
            let partial = layout.entries.iter().position(|at| number(image, *at) >> 62 == 3);
            let Some(place) = partial else { return false };
            let slice = layout.chunk / layout.sector / 4;
            let at = at_of(number(image, layout.bitmap_entry)) * layout.chunk
                + layout.places[place] * slice
                + random.below(slice);
            let strange = bytes(image)[at] | 2 << (2 * random.below(4));
            // Only sectors of the disk are looked at.
            let sectors =
                image.disk.len() - (layout.places[place] * layout.chunk).min(image.disk.len());
            sectors >= layout.chunk && set(image, at, &[strange])
        }),
        ("the file ends within a chunk", |image, random| {
            let layout = found(image);
            let length = bytes(image).len();
            let last = length / layout.chunk - 1;
            let is_full = layout.entries.iter().any(|at| number(image, *at) == FULL | last as u64);
            if is_full {
                let cut = random.of_range(1..=layout.chunk);
                bytes(image).truncate(length - cut);
            }
            is_full
        }),
    ],
    others: |path| {
        let bytes = std::fs::read(path).unwrap();
        vec![("the slow reader", readers::file(ImageFormat::Asif, &bytes).map(|(disk, _)| disk))]
    },
};

/// Sizes in bytes and counts.
struct Layout<'a> {
    random: &'a mut Random,
    sector: usize,
    chunk: usize,
    /// Chunks of the disk, and of the largest disk.
    chunks: usize,
    most_chunks: usize,
    length: usize,
    file: Vec<u8>,
    /// Chunks of the file that are not used yet.
    free: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn of(random: &'a mut Random) -> Self {
        // The smallest chunk holds one group.
        let (sector, chunk) =
            [(512, 32 << 10), (512, 64 << 10), (512, 1 << 20), (4096, 256 << 10)][random.below(4)];
        let chunks = random.of_range(1..=if chunk < 1 << 18 { 20 } else { 3 });
        let length = (chunks - 1) * chunk + sector * random.of_range(1..=chunk / sector);
        let most_chunks = chunks + random.of_range(1..=5000);
        // Two directories in the first chunk, tables, bitmaps, metadata and data, and a few that nothing names.
        let in_file = 4 + chunks + 2 + random.below(3);
        let mut free: Vec<usize> = (1..in_file).collect();
        random.shuffle(&mut free);
        let file = vec![0; in_file * chunk];
        Self { random, sector, chunk, chunks, most_chunks, length, file, free }
    }

    fn take(&mut self) -> usize {
        self.free.pop().unwrap()
    }

    fn image(mut self) -> Image {
        let (sector, chunk) = (self.sector, self.chunk);
        let (group, entry_bytes) = (group(sector), ENTRY);
        let per_table = chunk / (entry_bytes * (group + 1)) * group;
        let tables = self.most_chunks.div_ceil(per_table);
        let directory = entry_bytes * (tables + 1);
        let metadata = if self.random.percent(70) { self.most_chunks - 1 } else { 0 };
        // What nobody names may hold anything.
        let start = chunk;
        let noise = self.random.bytes(4096);
        for place in (start..self.file.len()).step_by(noise.len()) {
            put(&mut self.file, place, &noise);
        }

        let first = 512 + 8 * self.random.below(64);
        let second = first + directory + 8 * self.random.below(64);
        let mut places = [first, second];
        self.random.shuffle(&mut places);
        let [active, older] = places;
        let sequence = self.random.of_range(1..=1000) as u64;
        put(&mut self.file, active, &sequence.to_be_bytes());
        put(&mut self.file, older, &(sequence - 1).to_be_bytes());

        let table = self.take();
        let table_bytes = |number: usize| {
            let chunks = (self.most_chunks - number * per_table).min(per_table);
            chunks.div_ceil(group) * entry_bytes * (group + 1)
        };
        let (first_bytes, last_bytes) = (table_bytes(0), table_bytes(tables - 1));
        put(&mut self.file, active + entry_bytes, &(table as u64).to_be_bytes());
        put(&mut self.file, table * chunk, &vec![0; first_bytes]);
        let disk = self.data(table * chunk);
        if metadata > 0 {
            let mut last = table;
            if tables > 1 {
                last = self.take();
                put(&mut self.file, last * chunk, &vec![0; last_bytes]);
                put(&mut self.file, active + entry_bytes * tables, &(last as u64).to_be_bytes());
            }
            let within = metadata % per_table;
            let at = last * chunk + entry_bytes * (within / group * (group + 1) + within % group);
            let place = self.take();
            put(&mut self.file, at, &(FULL | place as u64).to_be_bytes());
            let content = metadata_of();
            put(&mut self.file, place * chunk, &vec![0; 4096]);
            put(&mut self.file, place * chunk, &content);
        }
        self.header(active, older, metadata);
        Image { files: [(String::new(), self.file)].into(), disk }
    }

    fn header(&mut self, active: usize, older: usize, metadata: usize) {
        let sectors = |chunks: usize| (chunks * self.chunk / self.sector) as u64;
        let most = sectors(self.most_chunks);
        let mut header = vec![0; 512];
        put(&mut header, 0, b"shdw\0\0\0\x01\0\0\x02\0");
        let directories = if self.random.percent(50) { [active, older] } else { [older, active] };
        for (at, number) in [
            (0x10, directories[0] as u64),
            (0x18, directories[1] as u64),
            (0x30, (self.length / self.sector) as u64),
            (0x38, most),
            (0x48, metadata as u64),
        ] {
            put(&mut header, at, &number.to_be_bytes());
        }
        put(&mut header, 0x20, &self.random.bytes(16));
        put(&mut header, 0x40, &u32::try_from(self.chunk).unwrap().to_be_bytes());
        put(&mut header, 0x44, &u16::try_from(self.sector).unwrap().to_be_bytes());
        put(&mut self.file, 0, &header);
    }

    /// The chunks of the disk and their entries, in the first table.
    fn data(&mut self, table: usize) -> Vec<u8> {
        let (sector, chunk) = (self.sector, self.chunk);
        let slice = chunk / sector / 4;
        let mut disk = vec![0; self.chunks * chunk];
        let mut bitmap = None;
        for number in 0..self.chunks {
            let kind = self.random.below(4);
            let entry = match kind {
                0 => 0,
                1 => UNMAPPED,
                _ => {
                    let place = self.take();
                    let content = self.random.bytes(chunk);
                    put(&mut self.file, place * chunk, &content);
                    if kind == 2 {
                        put(&mut disk, number * chunk, &content);
                        FULL | place as u64
                    } else {
                        let bitmap = *bitmap.get_or_insert_with(|| self.free.pop().unwrap());
                        let mut states = vec![0; slice];
                        let often = self.random.of_range(0..=100);
                        let there = (self.length - number * chunk).min(chunk) / sector;
                        for at in 0..there {
                            if self.random.percent(often) {
                                states[at / 4] |= 1 << (2 * (at % 4));
                                let bytes = &content[at * sector..(at + 1) * sector];
                                put(&mut disk, number * chunk + at * sector, bytes);
                            }
                        }
                        put(&mut self.file, bitmap * chunk + number * slice, &states);
                        PARTIAL | place as u64
                    }
                }
            };
            put(&mut self.file, table + ENTRY * number, &entry.to_be_bytes());
        }
        if let Some(bitmap) = bitmap {
            let at = table + ENTRY * group(sector);
            put(&mut self.file, at, &(bitmap as u64).to_be_bytes());
        }
        disk.truncate(self.length);
        disk
    }
}

fn metadata_of() -> Vec<u8> {
    let list = b"<plist version=\"1.0\"><dict><key>internal metadata</key><dict><key>stable uuid</key>\
        <string>DC5C7A3B-1915-43C2-944D-46C6C304B3B7</string></dict><key>user metadata</key><dict/></dict></plist>";
    let mut bytes = b"meta\0\0\0\x01\0\0\x02\0".to_vec();
    bytes.extend((list.len() as u64).to_be_bytes());
    bytes.resize(512, 0);
    bytes.extend(list);
    bytes
}

fn bytes(image: &mut Image) -> &mut Vec<u8> {
    image.files.get_mut("").unwrap()
}

fn set(image: &mut Image, at: usize, value: &[u8]) -> bool {
    put(bytes(image), at, value);
    true
}

fn number(image: &mut Image, at: usize) -> u64 {
    u64::from_be_bytes(bytes(image)[at..at + 8].try_into().unwrap())
}

fn at_of(number: u64) -> usize {
    usize::try_from(number & ((1 << 55) - 1)).unwrap()
}

/// Where things lie in an image that was laid out.
struct Found {
    sector: usize,
    chunk: usize,
    /// Where the entries lie of the chunks that hold data, and the chunks' numbers.
    entries: Vec<usize>,
    places: Vec<usize>,
    bitmap_entry: usize,
}

fn found(image: &mut Image) -> Found {
    let chunk = usize::try_from(number(image, 0x40) >> 32).unwrap();
    let sector = usize::try_from(number(image, 0x40) >> 16 & 0xffff).unwrap();
    let [one, other] = [0x10, 0x18].map(|at| at_of(number(image, at)));
    let active = if number(image, one) > number(image, other) { one } else { other };
    let table = at_of(number(image, active + ENTRY)) * chunk;
    let chunks = image.disk.len().div_ceil(chunk);
    let places: Vec<usize> =
        (0..chunks).filter(|place| number(image, table + ENTRY * place) >> 62 & 1 == 1).collect();
    let entries = places.iter().map(|place| table + ENTRY * place).collect();
    Found { sector, chunk, entries, places, bitmap_entry: table + ENTRY * group(sector) }
}

fn an_entry(image: &mut Image, random: &mut Random) -> Option<usize> {
    let entries = found(image).entries;
    entries.get(random.below(entries.len())).copied()
}
