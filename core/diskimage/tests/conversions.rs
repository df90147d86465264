//! A disk stays what it is through any conversions, over all formats, plain and encrypted, with bands of any size.

#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use diskimage::content::sha256;
use diskimage::convert::{Zeros, copy};
use diskimage::crypt::{KeySize, NewKey, Passphrase};
use diskimage::format::ImageFormat;
use diskimage::open::{Opened, Spec, check, create, open};
use diskimage::store::Access;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use sha2::{Digest, Sha256};
use system::flush::Durability;

/// A chain has so many conversions.
const STEPS: usize = 5;

/// Unit of what is made up, in bytes: smaller than a page, so that it lies across pages, bands and chunks.
const SECTOR: usize = 512;

/// A kind of image: its format, cipher, and bands in bytes.
type Kind = (ImageFormat, Option<KeySize>, Option<u64>);

fn kind() -> impl Strategy<Value = Kind> {
    let cipher = prop_oneof![Just(None), Just(Some(KeySize::Aes128)), Just(Some(KeySize::Aes256))];
    (select(ImageFormat::ALL.to_vec()), cipher, 8_u64..2048).prop_map(
        |(format, cipher, sectors)| {
            let bands = format.row().band_bytes.map(|_| sectors * SECTOR as u64);
            (format, cipher, bands)
        },
    )
}

/// A disk of up to 3 MiB: stretches of zeros and of bytes that do not repeat.
fn disk() -> impl Strategy<Value = Vec<u8>> {
    vec((1_usize..700, any::<bool>(), any::<u32>()), 1..10).prop_map(|stretches| {
        let mut disk = Vec::new();
        for (sectors, zeros, seed) in stretches {
            let mut state = u64::from(seed) << 1 | 1;
            for _ in 0..sectors * SECTOR {
                // Knuth's MMIX generator
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                disk.push(if zeros { 0 } else { state.to_be_bytes()[0] });
            }
        }
        disk
    })
}

fn opened(path: &Path, kind: Kind, passphrase: &Passphrase) -> Opened {
    open(path, Access::Read, kind.1.map(|_| passphrase)).unwrap()
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

#[test]
fn any_chain_of_five_conversions_leaves_the_disk_and_its_checksum() {
    let passphrase = Passphrase::new(b"correct horse".to_vec()).unwrap();
    let mut runner = TestRunner::new(Config { cases: 24, ..Config::default() });
    let chains = (disk(), vec(kind(), STEPS));
    let done = runner.run(&chains, |(disk, kinds)| {
        let folder = tempfile::tempdir().unwrap();
        let raw = folder.path().join("disk.img");
        fs::write(&raw, &disk).unwrap();
        let (mut last, mut was) = (raw, (ImageFormat::Udrw, None, None));
        for (number, kind) in kinds.into_iter().enumerate() {
            let path = folder.path().join(format!("{number}.{}", kind.0.row().extensions[0]));
            let key = kind.1.map(|size| NewKey {
                size,
                passphrase: passphrase.clone(),
                iterations: Some(1),
            });
            let plain = Spec::plain(kind.0, disk.len() as u64);
            let spec = Spec { band_bytes: kind.2, key, ..plain };
            let mut from = opened(&last, was, &passphrase).image;
            let mut to = create(&path, &spec).unwrap().image;
            let zeros = Zeros::of(kind.0, kind.1.is_some());
            copy(from.as_mut(), to.as_mut(), zeros, &mut |_| ControlFlow::Continue(())).unwrap();
            to.flush(Durability::None).unwrap();
            drop((from, to));
            assert_eq!(check(&path, kind.1.map(|_| &passphrase)).unwrap(), []);
            remove(&last);
            (last, was) = (path, kind);
        }
        let mut end = opened(&last, was, &passphrase).image;
        let sum = sha256(end.as_mut(), &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(sum[..], Sha256::digest(&disk)[..]);
        let mut found = vec![0xa5; disk.len()];
        end.read_at(&mut found, 0).unwrap();
        assert!(found == disk);
        Ok(())
    });
    done.unwrap();
}
