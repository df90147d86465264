//! The layers of a portable image, each by itself: `cargo bench --bench layers`.
//!
//! Threads: what is one block or one portion long is done by one thread, what is longer by all of them.

#![expect(clippy::expect_used, reason = "a bench may stop and tell")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use diskimage::crypt::{Container, KeySize, NewKey, Passphrase, token};
use diskimage::disk::VirtualDisk;
use diskimage::error::{Result, internal};
use diskimage::raw::RawDisk;
use diskimage::store::Store;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use system::flush::Durability;

/// What one thread takes as a whole, and the study's block size.
const LENGTHS: [(&str, usize); 2] = [("one thread", 64 << 10), ("all threads", 1 << 20)];

/// Length of the disks in bytes.
const DISK: u64 = 64 << 20;

const SIZES: [KeySize; 2] = [KeySize::Aes128, KeySize::Aes256];

fn passphrase() -> Passphrase {
    Passphrase::new(b"bench".to_vec()).expect("it is not empty")
}

fn key(size: KeySize, passphrase: &Passphrase) -> NewKey<'_> {
    NewKey { size, passphrase, iterations: Some(1) }
}

fn blocks(criterion: &mut Criterion) {
    let passphrase = passphrase();
    for size in SIZES {
        let token = token(&key(size, &passphrase)).expect("random numbers");
        let mut group = criterion.benchmark_group(format!("{size:?}"));
        for (threads, length) in LENGTHS {
            let mut bytes = vec![0x5a; length];
            group.throughput(Throughput::Bytes(length as u64));
            group.bench_function(BenchmarkId::new("encrypt", threads), |bencher| {
                bencher.iter(|| token.encrypt(&mut bytes, 0));
            });
            group.bench_function(BenchmarkId::new("decrypt", threads), |bencher| {
                bencher.iter(|| token.decrypt(&mut bytes, 0));
            });
        }
        group.finish();
    }
}

fn keys(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("keys");
    // A vector stands for a block of 512 bytes.
    group.throughput(Throughput::Bytes(512));
    let mac = Hmac::<Sha1>::new_from_slice(&[1; 20]).expect("any length will do");
    group.bench_function("HMAC-SHA1 of a block's number", |bencher| {
        bencher.iter(|| {
            let mut mac = mac.clone();
            mac.update(&black_box(1_u32).to_be_bytes());
            mac.finalize()
        });
    });
    const ROUNDS: u32 = 10_000;
    group.throughput(Throughput::Elements(u64::from(ROUNDS)));
    group.bench_function("PBKDF2 rounds", |bencher| {
        let mut key = [0; 24];
        bencher.iter(|| pbkdf2::pbkdf2_hmac::<Sha1>(b"bench", &[0; 20], ROUNDS, &mut key));
    });
    group.finish();
}

fn disks(criterion: &mut Criterion) {
    let passphrase = passphrase();
    let encrypted = || {
        let container =
            Container::create(Box::new(Memory(Vec::new())), &key(SIZES[1], &passphrase));
        Box::new(container.expect("memory"))
    };
    let stores: [(&str, Box<dyn Store>); 2] =
        [("plain", Box::new(Memory(Vec::new()))), ("AES-256", encrypted())];
    let mut group = criterion.benchmark_group("raw image in memory");
    group.throughput(Throughput::Bytes(1 << 20));
    for (name, store) in stores {
        let mut disk = RawDisk::create(store, DISK).expect("memory");
        let mut block = vec![0x5a; 1 << 20];
        let mut at = 0;
        let mut next = move || {
            at = (at + (1 << 20)) % DISK;
            at
        };
        group.bench_function(BenchmarkId::new("write", name), |bencher| {
            bencher.iter(|| disk.write_at(&block, next()).expect("memory"));
        });
        group.bench_function(BenchmarkId::new("read", name), |bencher| {
            bencher.iter(|| disk.read_at(&mut block, next()).expect("memory"));
        });
    }
    group.finish();
}

/// A store that costs no more than copying.
struct Memory(Vec<u8>);

impl Memory {
    fn place(&mut self, offset: u64, length: usize) -> Result<&mut [u8]> {
        let start = usize::try_from(offset).map_err(internal)?;
        let place = self.0.get_mut(start..).and_then(|rest| rest.get_mut(..length));
        place.ok_or_else(|| internal("a range beyond the end"))
    }
}

impl Store for Memory {
    fn len_bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<()> {
        buffer.copy_from_slice(self.place(offset, buffer.len())?);
        Ok(())
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        self.place(offset, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, len_bytes: u64) -> Result<()> {
        self.0.resize(usize::try_from(len_bytes).map_err(internal)?, 0);
        Ok(())
    }

    fn punch(&mut self, offset: u64, length: u64) -> Result<()> {
        self.place(offset, usize::try_from(length).map_err(internal)?)?.fill(0);
        Ok(())
    }

    fn flush(&mut self, _durability: Durability) -> Result<()> {
        Ok(())
    }

    fn holes_are_zeros(&self) -> bool {
        true
    }
}

criterion_group!(layers, blocks, keys, disks);
criterion_main!(layers);
