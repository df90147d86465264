//! A client that is written from the protocol's description, word by word.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread;

use crate::crypt::{Container, KeySize};
use crate::disk::VirtualDisk;
use crate::nbd::Export;
use crate::raw::RawDisk;
use crate::sparse_image::SparseImage;
use crate::testing::memory::MemoryStore;
use crate::testing::{content, key};

const MIB: u64 = 1 << 20;
const DISK: u64 = 8 * MIB;

const OPTION: u64 = 0x4948_4156_454f_5054;
const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;

/// A sparse image of 8 MiB with content in the second and third.
fn image(store: &MemoryStore) -> Box<dyn VirtualDisk> {
    let mut image = SparseImage::create(Box::new(store.clone()), DISK, None).unwrap();
    image.write_at(&content(1, 2 * MIB), MIB).unwrap();
    Box::new(image)
}

struct Client(UnixStream);

impl Client {
    fn send(&mut self, parts: &[&[u8]]) {
        self.0.write_all(&parts.concat()).unwrap();
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).unwrap();
        bytes
    }

    fn number(&mut self, length: usize) -> u64 {
        self.bytes(length).iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn option(&mut self, option: u32, data: &[u8]) {
        let length = data.len() as u32;
        self.send(&[&OPTION.to_be_bytes(), &option.to_be_bytes(), &length.to_be_bytes(), data]);
    }

    /// The next answer to an option: its kind and data.
    fn answer(&mut self, option: u32) -> (u32, Vec<u8>) {
        assert_eq!(self.number(8), OPTION_REPLY);
        assert_eq!(self.number(4), u64::from(option));
        let (kind, length) = (self.number(4) as u32, self.number(4) as usize);
        (kind, self.bytes(length))
    }

    /// All until the acknowledgement, or an error.
    fn answers(&mut self, option: u32) -> Vec<(u32, Vec<u8>)> {
        let mut all = Vec::new();
        loop {
            let (kind, data) = self.answer(option);
            all.push((kind, data));
            if kind == 1 || kind >> 31 == 1 {
                return all;
            }
        }
    }

    fn greeting(&mut self) {
        assert_eq!(self.bytes(16), b"NBDMAGICIHAVEOPT");
        // fixed newstyle, no zeroes
        assert_eq!(self.number(2), 3);
        self.send(&[&3_u32.to_be_bytes()]);
    }

    /// Structured replies, the map of extents, and NBD_OPT_GO.
    fn go(&mut self) -> u16 {
        self.greeting();
        self.option(8, b"");
        assert_eq!(self.answers(8), [(1, vec![])]);
        let query = b"base:allocation";
        let asked = [&[0; 4][..], &[0, 0, 0, 1], &[0, 0, 0, 15], query].concat();
        self.option(10, &asked);
        assert_eq!(self.answers(10), [(4, [&[0, 0, 0, 1][..], query].concat()), (1, vec![])]);
        self.option(7, &[0; 6]);
        let answers = self.answers(7);
        let export = &answers[0].1;
        assert_eq!((answers[0].0, &export[..2]), (3, &[0, 0][..]));
        assert_eq!(export[2..10], DISK.to_be_bytes());
        assert_eq!(answers.last().unwrap(), &(1, vec![]));
        u16::from_be_bytes([export[10], export[11]])
    }

    fn request(&mut self, flags: u16, command: u16, offset: u64, length: u32, data: &[u8]) {
        self.send(&[
            &0x2560_9513_u32.to_be_bytes(),
            &flags.to_be_bytes(),
            &command.to_be_bytes(),
            &77_u64.to_be_bytes(),
            &offset.to_be_bytes(),
            &length.to_be_bytes(),
            data,
        ]);
    }

    /// A structured reply of one chunk: its kind and data.
    fn reply(&mut self) -> (u64, Vec<u8>) {
        assert_eq!(self.number(4), 0x668e_33ef);
        assert_eq!(self.number(2), 1);
        let kind = self.number(2);
        assert_eq!(self.number(8), 77);
        let length = self.number(4) as usize;
        (kind, self.bytes(length))
    }

    fn read(&mut self, offset: u64, length: u32) -> (u64, Vec<u8>) {
        self.request(0, 0, offset, length, b"");
        self.reply()
    }

    /// The number of an error.
    fn refused(&mut self) -> u32 {
        let (kind, data) = self.reply();
        assert_eq!(kind, 1 << 15 | 1);
        u32::from_be_bytes([data[0], data[1], data[2], data[3]])
    }
}

/// Serves a client that does this; gives how the server ended.
fn served(export: &Export, client: impl FnOnce(&mut Client)) -> std::io::Result<()> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    thread::scope(|scope| {
        let server = scope.spawn(|| {
            let ended = export.serve(&ours, &ours);
            ours.shutdown(std::net::Shutdown::Both).unwrap();
            ended
        });
        client(&mut Client(theirs));
        server.join().unwrap()
    })
}

#[test]
fn a_client_is_told_what_there_is() {
    let export = Export::new(image(&MemoryStore::default()), false);
    served(&export, |client| {
        client.greeting();
        client.option(3, b"");
        assert_eq!(client.answers(3), [(2, vec![0; 4]), (1, vec![])]);
        // TLS is not known, nor is an export with a name
        client.option(5, b"");
        assert_eq!(client.answers(5), [(1 << 31 | 1, vec![])]);
        client.option(6, &[&[0, 0, 0, 1][..], b"x", &[0, 0]].concat());
        assert_eq!(client.answers(6), [(1 << 31 | 6, vec![])]);
        // no map of extents without structured replies
        client.option(9, &[0; 8]);
        assert_eq!(client.answers(9), [(1 << 31 | 3, vec![])]);
        client.option(2, b"");
        assert_eq!(client.answers(2), [(1, vec![])]);
    })
    .unwrap();
}

#[test]
fn a_client_of_the_oldest_kind_is_served_too() {
    let export = Export::new(image(&MemoryStore::default()), false);
    served(&export, |client| {
        client.bytes(18);
        client.send(&[&1_u32.to_be_bytes()]);
        client.option(1, b"");
        assert_eq!(client.number(8), DISK);
        client.number(2);
        assert_eq!(client.bytes(124), [0; 124]);
        client.request(0, 0, MIB, 512, b"");
        assert_eq!((client.number(4), client.number(4), client.number(8)), (0x6744_6698, 0, 77));
        assert_eq!(client.bytes(512), content(1, 2 * MIB)[..512]);
        // beyond the end
        client.request(0, 0, DISK, 512, b"");
        assert_eq!((client.number(4), client.number(4), client.number(8)), (0x6744_6698, 22, 77));
        client.request(0, 2, 0, 0, b"");
    })
    .unwrap();
}

#[test]
fn what_is_read_is_the_disk_and_its_map_of_extents_shows_the_holes() {
    let export = Export::new(image(&MemoryStore::default()), false);
    served(&export, |client| {
        // flags, read-only, DF, several connections
        assert_eq!(client.go(), 1 | 1 << 1 | 1 << 7 | 1 << 8);
        let expected = [&MIB.to_be_bytes()[..], &content(1, 2 * MIB)[..1000]].concat();
        assert_eq!(client.read(MIB, 1000), (1, expected));
        let (kind, data) = client.read(MIB - 2, 4);
        assert_eq!((kind, &data[8..]), (1, &[&[0, 0][..], &content(1, 2 * MIB)[..2]].concat()[..]));
        // all of it, from a place within a hole on: hole, data, hole
        client.request(0, 7, 512, (DISK - 512) as u32, b"");
        let extent =
            |length: u64, state: u32| [(length as u32).to_be_bytes(), state.to_be_bytes()].concat();
        let extents = [extent(MIB - 512, 3), extent(2 * MIB, 0), extent(5 * MIB, 3)].concat();
        assert_eq!(client.reply(), (5, [&[0, 0, 0, 1][..], &extents].concat()));
        // one of them
        client.request(1 << 3, 7, 0, DISK as u32, b"");
        assert_eq!(client.reply(), (5, [&[0, 0, 0, 1][..], &extent(MIB, 3)].concat()));
    })
    .unwrap();
}

#[test]
fn an_image_that_is_served_for_reading_is_not_changed() {
    let export = Export::new(image(&MemoryStore::default()), false);
    served(&export, |client| {
        client.go();
        client.request(0, 1, 0, 3, b"abc");
        assert_eq!(client.refused(), 1);
        for command in [4, 6] {
            client.request(0, command, MIB, 512, b"");
            assert_eq!(client.refused(), 1);
        }
        let expected = [&MIB.to_be_bytes()[..], &content(1, 2 * MIB)[..3]].concat();
        assert_eq!(client.read(MIB, 3), (1, expected));
        // no command, beyond the end, too long
        client.request(0, 99, 0, 1, b"");
        assert_eq!(client.refused(), 95);
        client.request(0, 0, DISK - 1, 2, b"");
        assert_eq!(client.refused(), 22);
    })
    .unwrap();
}

#[test]
fn written_zeros_of_an_encrypted_raw_image_are_zeros_to_every_reader_and_trimmed_ranges_are_holes()
{
    const HEADER: usize = 122_368;
    let store = MemoryStore::default();
    let key = key(KeySize::Aes128, "open sesame");
    let container = Container::create(Box::new(store.clone()), &key).unwrap();
    let image = RawDisk::create(Box::new(container), DISK).unwrap();
    let export = Export::new(Box::new(image), true);
    served(&export, |client| {
        client.go();
        for (command, place) in [(6, 0), (4, 2 * MIB)] {
            client.request(0, 1, place, MIB as u32, &content(1, MIB));
            assert_eq!(client.reply(), (0, vec![]));
            client.request(0, command, place, MIB as u32, b"");
            assert_eq!(client.reply(), (0, vec![]));
            assert_eq!(client.read(place, MIB as u32).1[8..], vec![0; MIB as usize]);
        }
        client.request(0, 2, 0, 0, b"");
    })
    .unwrap();
    let payload = store.bytes().split_off(HEADER);
    let is_hole = |block: &[u8]| block.iter().all(|byte| *byte == 0);
    let (written, rest) = payload.split_at(MIB as usize);
    assert!(!written.chunks(512).any(is_hole), "encrypted zeros are noise");
    assert!(is_hole(&rest[MIB as usize..2 * MIB as usize]));
}

#[test]
fn what_was_flushed_is_there_when_the_client_and_the_server_die() {
    // by a flush, by FUA, and by the client's leaving
    for (flags, flush) in [(0, true), (1, false), (0, false)] {
        let store = MemoryStore::default();
        let export = Export::new(image(&store), true);
        let ended = served(&export, |client| {
            // flush, FUA, trim, write zeroes
            assert_eq!(client.go(), 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8);
            client.request(flags, 4, MIB, MIB as u32, b"");
            assert_eq!(client.reply(), (0, vec![]));
            client.request(flags, 1, 6 * MIB, 3, b"abc");
            assert_eq!(client.reply(), (0, vec![]));
            if flush {
                client.request(0, 3, 0, 0, b"");
                assert_eq!(client.reply(), (0, vec![]));
            }
            if flush || flags > 0 {
                // what comes now is lost, as with a process that is killed
                store.die_after(0);
            }
            // in the middle of a request
            client.send(&[&0x2560_9513_u32.to_be_bytes(), &[0; 3]]);
            client.0.shutdown(std::net::Shutdown::Write).unwrap();
        });
        assert!(ended.is_err());
        drop(export);
        store.revive();
        let mut image = SparseImage::open(Box::new(store)).unwrap();
        let mut found = [1; 3];
        image.read_at(&mut found, 6 * MIB).unwrap();
        assert_eq!(&found, b"abc", "{flags} {flush}");
        image.read_at(&mut found, MIB).unwrap();
        assert_eq!(found, [0; 3], "{flags} {flush}");
    }
}

#[test]
fn a_client_s_flush_is_as_strong_as_the_file_system_of_the_image_can() {
    use system::flush::Durability::{Fsync, Full};
    let (full, weak) = (MemoryStore::default(), MemoryStore::default().without_full_flush());
    for (store, strength) in [(full, Full), (weak, Fsync)] {
        let export = Export::new(image(&store), true);
        store.flushes();
        served(&export, |client| {
            client.go();
            client.request(0, 1, 0, 3, b"abc");
            assert_eq!(client.reply(), (0, vec![]));
            client.request(0, 3, 0, 0, b"");
            assert_eq!(client.reply(), (0, vec![]));
            assert_eq!(store.flushes().last(), Some(&strength));
            client.request(0, 2, 0, 0, b"");
        })
        .unwrap();
    }
}

#[test]
fn a_flush_that_failed_for_lack_of_space_succeeds_when_there_is_space_again() {
    let store = MemoryStore::default();
    let export = Export::new(image(&store), true);
    served(&export, |client| {
        client.go();
        client.request(0, 1, 0, 3, b"abc");
        assert_eq!(client.reply(), (0, vec![]));
        store.fail_once_after(0);
        client.request(0, 3, 0, 0, b"");
        client.refused();
        client.request(0, 3, 0, 0, b"");
        assert_eq!(client.reply(), (0, vec![]));
        // what comes now is lost, as with a process that is killed
        store.die_after(0);
        client.request(0, 2, 0, 0, b"");
    })
    .unwrap_err();
    drop(export);
    store.revive();
    let mut found = [0; 3];
    SparseImage::open(Box::new(store)).unwrap().read_at(&mut found, 0).unwrap();
    assert_eq!(&found, b"abc");
}

#[test]
fn two_clients_share_one_disk() {
    let export = Export::new(image(&MemoryStore::default()), true);
    served(&export, |one| {
        one.go();
        served(&export, |other| {
            other.go();
            one.request(0, 1, 10, 3, b"abc");
            assert_eq!(one.reply(), (0, vec![]));
            assert_eq!(other.read(10, 3).1[8..], *b"abc");
            other.request(0, 2, 0, 0, b"");
        })
        .unwrap();
        assert_eq!(one.read(10, 3).1[8..], *b"abc");
        one.request(0, 2, 0, 0, b"");
    })
    .unwrap();
}

#[test]
fn who_does_not_speak_the_protocol_is_left() {
    let export = Export::new(image(&MemoryStore::default()), true);
    let long = [&OPTION.to_be_bytes()[..], &[0, 0, 0, 7], &[0xff; 4]].concat();
    for bytes in
        [&[0; 4][..], &[&[0, 0, 0, 3][..], &[7; 16]].concat(), &[&[0, 0, 0, 3][..], &long].concat()]
    {
        let ended = served(&export, |client| {
            client.bytes(18);
            client.send(&[bytes]);
            // the server hangs up
            client.0.read_to_end(&mut Vec::new()).unwrap();
        });
        assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::InvalidData);
    }
    let ended = served(&export, |client| {
        client.go();
        client.request(0, 1, 0, u32::MAX, b"");
        client.0.read_to_end(&mut Vec::new()).unwrap();
    });
    assert_eq!(ended.unwrap_err().kind(), std::io::ErrorKind::InvalidData);
}

#[test]
fn what_the_image_cannot_do_is_reported_and_a_wrong_request_is_not() {
    let store = MemoryStore::default();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let known = Arc::clone(&lines);
    let report = move |line: &str| known.lock().unwrap().push(line.to_owned());
    let export = Export::new(image(&store), true).reporting(Box::new(report));
    served(&export, |client| {
        client.go();
        store.die_after(0);
        client.request(0, 1, MIB, 4, b"abcd");
        client.refused();
        // beyond the end
        client.request(0, 0, DISK, 512, b"");
        client.refused();
        store.revive();
        client.request(0, 2, 0, 0, b"");
    })
    .unwrap();
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("cannot write 4 bytes at 1048576: "), "{lines:?}");
}
