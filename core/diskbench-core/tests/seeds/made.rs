//! Making the seeds: some by the core's own writers, some byte by byte from what is known of the formats, so that a
//! reader is not only shown what its own writer makes. All are small in pieces (see `pieces`).
//!
//! What is encrypted has random keys: made anew it differs from the checked-in seed, and is as good.

use diskbench_core::image::file_volume::FileVolume;
use diskimage::asif::Asif;
use diskimage::crypt::{Container, KeySize, NewKey, Passphrase};
use diskimage::disk::VirtualDisk;
use diskimage::raw::RawDisk;
use diskimage::sparse_image::SparseImage;
use diskimage::store::Store;
use serde_json::{Value, json};
use system::flush::Durability;

use crate::common::{self, udif};
use crate::pieces::pack;
use crate::targets::PASSPHRASE;
use diskimage::testing::memory::MemoryStore;

type Seed = (&'static str, String, Vec<u8>);

/// Target, name and content of every seed.
pub fn all() -> Vec<Seed> {
    [
        sparse_images(),
        asifs(),
        compressed(),
        clients(),
        encrypted(),
        plists(),
        volumes(),
        descriptions(),
        disks(),
    ]
    .concat()
}

/// The packed file in three states: as it is, with its second half missing, and with one byte of its first page changed.
fn variants(target: &'static str, name: &str, memory: &MemoryStore, change_at: u64) -> Vec<Seed> {
    let seed = |name: String, memory: &MemoryStore| (target, name, pack(memory));
    let mut seeds = vec![seed(format!("sound-{name}"), memory)];
    let cut = crate::pieces::unpack(&pack(memory));
    cut.clone().set_len(memory.len_bytes() / 2).unwrap();
    seeds.push(seed(format!("damaged-{name}-cut-short"), &cut));
    let changed = crate::pieces::unpack(&pack(memory));
    let mut byte = [0];
    changed.clone().read_at(&mut byte, change_at).unwrap();
    changed.put(&[!byte[0]], change_at);
    seeds.push(seed(format!("damaged-{name}-byte-{change_at:#x}"), &changed));
    seeds
}

fn big(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// A sector in each packing.
fn compressed() -> Vec<Seed> {
    let sector = |byte: u8| vec![byte; 512];
    // Python's `bz2.compress(b"\x11" * 512, 1)` and `lzma.compress(b"\x22" * 512, preset=1)`.
    let bzip2 =
        bytes("425a68313141592653596ada1ccf000001a000a00000082000308049ea06ae2ee48a70a120d5b4399e");
    let lzma = bytes(
        "fd377a585a000004e6d6b4460200210110000000a8708e86e001ff00085d00116ffbbeb25bb00000b11e8c6c\
         b424cd4d000124800400000038b4ec61b1c467fb020000000004595a",
    );
    // An LZFSE block that is not packed, and a literal of ADC for each 128 bytes.
    let lzfse = [&b"bvx-"[..], &512_u32.to_le_bytes(), &sector(0x33), b"bvx$"].concat();
    let adc = [&[0xff_u8][..], &[0x44; 128]].concat().repeat(4);
    let blocks = [
        udif::stored(&sector(0x55)),
        (udif::BZIP2, bzip2, sector(0x11)),
        (udif::LZMA, lzma, sector(0x22)),
        udif::stored(&sector(0)),
        (udif::LZFSE, lzfse, sector(0x33)),
        (udif::ADC, adc, sector(0x44)),
        (udif::PLAIN, sector(0x66), sector(0x66)),
    ];
    let each = blocks.chunks(1).zip(["zlib", "bzip2", "lzma", "zeros", "lzfse", "adc", "plain"]);
    let named = each.chain([(&blocks[..], "all")]);
    named
        .flat_map(|(blocks, name)| {
            let memory = MemoryStore::of(udif::image(blocks));
            // The number of segments.
            let trailer = memory.len_bytes() - 512;
            let mut seeds = variants("udif", name, &memory, trailer + 63);
            seeds.truncate(if name == "all" { 3 } else { 1 });
            seeds
        })
        .collect()
}

/// What clients send: the words of the protocol's description.
fn clients() -> Vec<Seed> {
    let option = |number: u32, data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap();
        [&b"IHAVEOPT"[..], &big(&[number, length]), data].concat()
    };
    let request = |command: u16, offset: u64, length: u32| {
        let mut bytes = big(&[0x2560_9513]);
        bytes.extend([&0_u16.to_be_bytes()[..], &command.to_be_bytes(), b"a cookie"].concat());
        bytes.extend([&offset.to_be_bytes()[..], &length.to_be_bytes()].concat());
        bytes
    };
    let context = [&big(&[0, 1, 15])[..], b"base:allocation"].concat();
    let greeting = big(&[3]);
    // Structured replies, the map of extents, and NBD_OPT_GO without a name or further questions.
    let agreed = [
        greeting.clone(),
        option(3, b""),
        option(8, b""),
        option(10, &context),
        option(7, &[0; 6]),
    ]
    .concat();
    // Write, flush, read, zeros, trim, map, leave.
    let use_it = [
        [request(1, 5000, 700), vec![7; 700]].concat(),
        request(3, 0, 0),
        request(0, 4096, 4096),
        request(6, 5100, 100),
        request(4, 1 << 20, 1 << 20),
        request(7, 0, 3 << 20),
        request(2, 0, 0),
    ]
    .concat();
    let seed = |name: &str, parts: &[&[u8]]| ("nbd", name.to_owned(), parts.concat());
    vec![
        seed("sound-structured", &[&agreed, &use_it]),
        seed("sound-simple", &[&greeting, &option(1, b""), &use_it]),
        seed("sound-abort", &[&greeting, &option(2, b"")]),
        seed("damaged-oldstyle", &[&big(&[0])]),
        seed("damaged-option", &[&greeting, b"IHAVENOT"]),
        seed("damaged-request", &[&agreed, &[0; 28]]),
    ]
}

fn sparse_images() -> Vec<Seed> {
    let memory = MemoryStore::default();
    let mut disk = SparseImage::create(Box::new(memory.clone()), 5 << 20, None).unwrap();
    use_disk(&mut disk);
    let mut seeds = variants("sparse_image", "written", &memory, 4);

    // The header of an image that Apple's tools made in 2012: 80000 sectors in bands of 1 MiB, seven of them there.
    let real = MemoryStore::of_length(4096 + 7 * (1 << 20));
    real.put(b"sprs", 0);
    real.put(&big(&[3, 0x800, 1, 80_000, 0, 0, 0, 80_000]), 4);
    real.put(&big(&[1, 2, 0x14, 0x26, 0x27, 0x28, 5]), 64);
    real.put(b"first", 4096);
    real.put(b"fifth band, seventh slot", 4096 + 6 * (1 << 20));
    seeds.extend(variants("sparse_image", "header-of-2012", &real, 0));

    // 1100 bands of one sector: the first 1008 in the header node, the rest behind an index node.
    let behind = 4096 + 1008 * 512;
    let nodes = MemoryStore::of_length(behind + 4096 + 92 * 512);
    nodes.put(b"sprs", 0);
    nodes.put(&big(&[3, 1, 1, 1100]), 4);
    nodes.put(&behind.to_be_bytes(), 20);
    nodes.put(&1100_u64.to_be_bytes(), 28);
    nodes.put(&big(&(1..=1008).rev().collect::<Vec<_>>()), 64);
    nodes.put(b"sprs", behind);
    nodes.put(&big(&[1, 1, 0, 0]), behind + 4);
    nodes.put(&big(&(1009..=1100).collect::<Vec<_>>()), behind + 56);
    nodes.put(b"band 1101 of two nodes", behind + 4096 + 91 * 512);
    seeds.extend(variants("sparse_image", "two-nodes", &nodes, behind + 1));

    // More bands of 1 MiB than an id of 32 bits can name: a fuzzer found that its end could not be written.
    let many = MemoryStore::of_length(4096 + (1 << 20));
    many.put(b"sprs", 0);
    many.put(&big(&[3, 0x800, 1, 80_000, 0, 0, 0x8000, 80_000]), 4);
    many.put(&big(&[1]), 64);
    seeds.push(("sparse_image", "damaged-more-bands-than-ids".to_owned(), pack(&many)));
    seeds
}

fn asifs() -> Vec<Seed> {
    let memory = MemoryStore::default();
    let mut disk = Asif::create(Box::new(memory.clone()), 5 << 20).unwrap();
    use_disk(&mut disk);
    let mut seeds = variants("asif", "written", &memory, 4);

    // By hand, with chunks of 32 KiB: one table with one group of 2048 data entries and a bitmap. Chunk 0 of the disk
    // is full, 1 is partly there (only its second sector), all others are missing.
    const CHUNK: u64 = 32 << 10;
    let hand = MemoryStore::of_length(5 * CHUNK);
    hand.put(b"shdw", 0);
    hand.put(&big(&[1, 512, 0, 0, 512, 0, 1024]), 4);
    hand.put(&[7; 16], 0x20);
    let (sectors, most_sectors) = (200_u64, 64 * CHUNK / 512);
    hand.put(&[sectors.to_be_bytes(), most_sectors.to_be_bytes()].concat(), 0x30);
    hand.put(&big(&[CHUNK as u32, 512 << 16]), 0x40);
    let directory =
        |sequence: u64, table: u64| [sequence.to_be_bytes(), table.to_be_bytes()].concat();
    hand.put(&directory(4, 0), 512);
    hand.put(&directory(5, 1), 1024);
    let (full, partly) = (1_u64 << 62, 3_u64 << 62);
    let table = CHUNK;
    hand.put(&[(full | 2).to_be_bytes(), (partly | 3).to_be_bytes()].concat(), table);
    hand.put(&4_u64.to_be_bytes(), table + 2048 * 8);
    // 2 bits for each of a chunk's 64 sectors, the lowest first
    hand.put(&[0x55; 16], 4 * CHUNK);
    hand.put(&[0b0100], 4 * CHUNK + 16);
    hand.put(b"full chunk", 2 * CHUNK);
    hand.put(b"in no sector", 3 * CHUNK);
    hand.put(b"second sector", 3 * CHUNK + 512);
    seeds.extend(variants("asif", "by-hand", &hand, 0x38));
    seeds
}

fn encrypted() -> Vec<Seed> {
    let passphrase = Passphrase::new(PASSPHRASE.to_vec()).unwrap();
    let mut seeds = Vec::new();
    for (size, name) in [(KeySize::Aes128, "aes-128"), (KeySize::Aes256, "aes-256")] {
        let key = NewKey { size, passphrase: &passphrase, iterations: Some(1) };
        let memory = MemoryStore::default();
        let container = Container::create(Box::new(memory.clone()), &key).unwrap();
        let mut disk = RawDisk::create(Box::new(container), 8192).unwrap();
        disk.write_at(b"secret", 700).unwrap();
        disk.flush(Durability::None).unwrap();
        // what wraps the keys: the low byte of the cipher's number
        seeds.extend(variants("container", name, &memory, 0x60 + 0x5b));

        let mut header = vec![0; 0x60 + 616];
        memory.clone().read_at(&mut header, 0).unwrap();
        seeds.push(("encrcdsa", format!("sound-{name}"), header.clone()));
        let mut other_rounds = header.clone();
        other_rounds[0x60 + 11] = 2;
        seeds.push(("encrcdsa", format!("damaged-{name}-other-rounds"), other_rounds));
        let mut huge = header;
        huge[0x60 + 8] = 0xff;
        seeds.push(("encrcdsa", format!("damaged-{name}-endless-rounds"), huge));
    }
    seeds
}

fn plists() -> Vec<Seed> {
    let plist = |size: &str, band: &str, kind: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
             \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n<dict>\n\
             \t<key>CFBundleInfoDictionaryVersion</key>\n\t<string>6.0</string>\n\
             \t<key>band-size</key>\n\t<integer>{band}</integer>\n\
             \t<key>bundle-backingstore-version</key>\n\t<integer>1</integer>\n\
             \t<key>diskimage-bundle-type</key>\n\t<string>{kind}</string>\n\
             \t<key>size</key>\n\t<integer>{size}</integer>\n</dict>\n</plist>\n"
        )
        .into_bytes()
    };
    let kind = "com.apple.diskimage.sparsebundle";
    [
        ("sound-of-2012", plist("40960000", "8388608", kind)),
        ("damaged-no-bands", plist("40960000", "0", kind)),
        ("damaged-negative-size", plist("-512", "8388608", kind)),
        ("damaged-huge-size", plist("99999999999999999999", "8388608", kind)),
        ("damaged-other-bundle", plist("40960000", "8388608", "com.example.other")),
        ("damaged-no-plist", b"<plist version=\"1.0\"><dict><key>size</key>".to_vec()),
        ("damaged-array", b"<plist version=\"1.0\"><array/></plist>".to_vec()),
    ]
    .map(|(name, bytes)| ("info_plist", name.to_owned(), bytes))
    .to_vec()
}

fn volumes() -> Vec<Seed> {
    let memory = MemoryStore::default();
    let disk = RawDisk::create(Box::new(memory.clone()), 1 << 20).unwrap();
    let mut volume = FileVolume::format(Box::new(disk)).unwrap();
    for (id, size) in [(1, 10_000), (2, 4096), (3, 1), (4, 70_001)] {
        let stored = volume.begin(id, size).unwrap();
        volume.write_at(&stored, b"a file"[..size.min(6) as usize].as_ref(), 0).unwrap();
        volume.commit(id, &stored, Durability::None).unwrap();
    }
    volume.delete(&[2]).unwrap();
    volume.flush(Durability::None).unwrap();
    drop(volume);
    variants("volume", "four-files", &memory, 0)
}

fn descriptions() -> Vec<Seed> {
    let text = |value: &Value| serde_json::to_vec_pretty(value).unwrap();
    let cell = common::cell();
    let mut churn = cell.clone();
    churn["phases"][2]["steps"] = json!([
        {"step": "attach"}, {"step": "write"}, {"step": "settle", "seconds": 1},
        {"step": "delete", "which": "largest", "files": 2}, {"step": "detach"},
        {"step": "compact"}, {"step": "measure", "state": "compacted"}, {"step": "discard"}
    ]);
    let mut seeds = vec![
        ("cell", "sound-usage-phases".to_owned(), text(&cell)),
        ("cell", "sound-every-step".to_owned(), text(&churn)),
    ];
    let mut refused = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut cell = cell.clone();
        change(&mut cell);
        seeds.push(("cell", format!("damaged-{name}"), text(&cell)));
    };
    refused("endless", &|cell| cell["sets"] = json!(4_000_000_000_u32));
    refused("huge", &|cell| cell["sizes_bytes"] = json!([u64::MAX, u64::MAX]));
    refused("path", &|cell| cell["host"] = json!("../../x"));
    refused("read-first", &|cell| cell["phases"][0]["steps"][4] = json!({"step": "read"}));

    let study = common::Study::new();
    let mut small = cell;
    small["sets"] = json!(1);
    small["phases"][0]["steps"] = json!([{"step": "create"}, {"step": "write"}, {"step": "detach"}, {"step": "measure", "state": "new"}]);
    study.run(&small).done();
    let mut record = study.record("fresh");
    // Facts of no machine in particular.
    record["host"]["os"] =
        json!({"name": "debian", "version": "12", "build": "6.1", "kernel": "Linux 6.1"});
    for key in ["model", "chip"] {
        record["host"][key] = Value::Null;
    }
    record["host"]["storage"]["device_model"] = Value::Null;
    let mut sealed = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut record = record.clone();
        change(&mut record);
        record["sha256"] = json!(diskbench_core::record::digest::of_record(record.clone()));
        seeds.push(("record", name.to_owned(), text(&record)));
    };
    sealed("sound-measured", &|_| {});
    sealed("damaged-float", &|record| record["ceiling"] = json!(1.5));
    sealed("damaged-sample-too-many", &|record| {
        let again = record["samples"][0].clone();
        record["samples"].as_array_mut().unwrap().push(again);
    });
    seeds
}

/// Actions on disks: see `model` for the form.
fn disks() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for format in 0..4_u8 {
        for encryption in 0..3_u8 {
            let mut bytes = vec![format, encryption, 0xff, 0x17];
            for action in [
                [0, 0, 0, 40, 0, 9],
                [0, 0, 0x20, 0, 0x10, 3],
                [8, 0, 0, 0, 0, 0],
                [6, 9, 0, 0, 8, 0],
                [12, 0, 0, 0, 0, 4],
                [0, 0, 0x40, 0, 0x20, 77],
                [9, 0, 0, 0, 0, 0],
                [10, 0, 0, 0, 0, 0],
                [15, 0, 0, 0xff, 0xff, 0],
            ] {
                bytes.extend(action);
            }
            seeds.push(("disk", format!("sound-{format}-{encryption}"), bytes));
        }
    }
    seeds.push(("disk", "damaged-nothing".to_owned(), vec![1]));
    seeds
}

fn use_disk(disk: &mut dyn VirtualDisk) {
    disk.write_at(b"here and", 1000).unwrap();
    disk.write_at(b"there", (3 << 20) - 2).unwrap();
    disk.flush(Durability::None).unwrap();
    disk.discard(3 << 20, 512).unwrap();
    disk.flush(Durability::None).unwrap();
}
