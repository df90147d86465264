//! What an image of ours is, read back from its bytes on the disk; and every mistake in making one is seen before a file
//! is written.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use diskimage::format::ImageFormat;

use super::Portable;
use super::tests::{self, place};
use crate::cell::{Cell, Driver, Encryption, Format};
use crate::clock::Still;
use crate::image::ImageDriver;
use crate::image::folder::ImageFolder;
use crate::interrupt::Stop;
use crate::protocol::{Engine, Keep, Nobody, Outcome};
use crate::record::ImageFacts;
use crate::testing::{cell, format_of};

fn of(format: Format, encryption: Encryption) -> Cell {
    Cell { driver: Driver::Portable, format, encryption, nominal_bytes: 409_600_000, ..cell() }
}

fn driver(cell: &Cell, work: &Path) -> Portable {
    tests::driver(cell, &place(cell, work), &Stop::never())
}

#[test]
fn every_image_is_read_back_as_what_it_is_attached_anew_and_by_another_process() {
    use Encryption::{Aes128, Aes256, None as Plain};
    // Bands and chunks as hdiutil(1) and the captures of ASIF have them; only ASIF's header has a size of sectors.
    let sizes = |format| match format {
        ImageFormat::Udrw => vec![(None, None)],
        ImageFormat::Udsp => vec![(Some(1_048_576), None)],
        ImageFormat::Udsb => vec![(Some(8_388_608), None)],
        ImageFormat::Asif => {
            vec![(Some(1_048_576), Some(512)), (Some(1_048_576), Some(4096))]
        }
    };
    let with_sizes = |format| sizes(format).into_iter().map(move |sizes| (format, sizes));
    for (format, (bands, sectors)) in ImageFormat::ALL.into_iter().flat_map(with_sizes) {
        let format = format_of(format);
        for (encryption, key_bits) in [(Plain, None), (Aes128, Some(128)), (Aes256, Some(256))] {
            let block_bytes = sectors.filter(|bytes| *bytes != 512);
            let cell = Cell { block_bytes, ..of(format, encryption) };
            let work = tempfile::tempdir().unwrap();
            let expected = ImageFacts {
                on_image: Some(true),
                format: Some(format.to_string()),
                encrypted: Some(key_bits.is_some()),
                cipher: key_bits.map(|_| "AES".to_owned()),
                key_bits,
                band_bytes: bands,
                sector_bytes: sectors,
                nominal_bytes: Some(409_600_000),
                file_system: Some("diskbench".into()),
            };
            let mut first = driver(&cell, work.path());
            let volume = first.create().unwrap().value;
            assert_eq!(first.effective().unwrap(), expected);
            first.detach(volume).unwrap();
            first.effective().unwrap_err();
            let volume = first.attach().unwrap().value;
            assert_eq!(first.effective().unwrap(), expected);
            drop((volume, first));
            let mut second = driver(&cell, work.path());
            let _volume = second.attach().unwrap().value;
            assert_eq!(second.effective().unwrap(), expected);
        }
    }
}

#[test]
fn an_image_that_is_made_otherwise_fails_before_a_file_is_written() {
    use Encryption::{Aes128, Aes256, None as Plain};
    use Format::{Asif, Udrw, Udsb, Udsp};
    let banded = |format, bytes| Cell { band_bytes: Some(bytes), ..of(format, Plain) };
    let long = |format| Cell { nominal_bytes: 819_200_000, ..of(format, Aes256) };
    let large = |encryption| Cell { block_bytes: Some(4096), ..of(Asif, encryption) };
    for (requested, made, what) in [
        (of(Udrw, Aes256), of(Udrw, Aes128), "key bits 128 instead of 256"),
        (of(Udsp, Aes128), of(Udsp, Aes256), "key bits 256 instead of 128"),
        (of(Udsb, Aes256), of(Udsb, Aes128), "key bits 128 instead of 256"),
        (of(Asif, Aes256), of(Asif, Aes128), "key bits 128 instead of 256"),
        (of(Udrw, Aes256), of(Udrw, Plain), "encrypted false instead of true"),
        (of(Udsb, Aes128), of(Udsb, Plain), "encrypted false instead of true"),
        (of(Udsp, Plain), of(Udsp, Aes128), "encrypted true instead of false"),
        (of(Udsb, Plain), of(Asif, Plain), "format ASIF instead of UDSB"),
        (of(Udsp, Aes256), of(Udrw, Aes256), "format UDRW instead of UDSP"),
        (of(Asif, Plain), of(Udsb, Plain), "format UDSB instead of ASIF"),
        (banded(Udsb, 4_194_304), of(Udsb, Plain), "band bytes 8388608 instead of 4194304"),
        (banded(Udsp, 4_194_304), banded(Udsp, 2_097_152), "band bytes 2097152 instead of 4194304"),
        (of(Asif, Plain), large(Plain), "sector bytes 4096 instead of 512"),
        (large(Aes128), of(Asif, Aes128), "sector bytes 512 instead of 4096"),
        (of(Udrw, Aes256), long(Udrw), "nominal bytes 819200000 instead of 409600000"),
        (of(Udsp, Aes256), long(Udsp), "nominal bytes 819200000 instead of 409600000"),
        (of(Udsb, Aes256), long(Udsb), "nominal bytes 819200000 instead of 409600000"),
        (of(Asif, Aes256), long(Asif), "nominal bytes 819200000 instead of 409600000"),
    ] {
        let work = tempfile::tempdir().unwrap();
        let mut driver = driver(&made, work.path());
        let (clock, mut nobody, mut outcome) = (Still, Nobody, Outcome::default());
        let mut engine = Engine::new(&requested, &mut driver, &clock, &mut nobody);
        let error = engine.run(&requested.phases[0], Keep::Everything, &mut outcome).unwrap_err();
        let line = error.line();
        assert!(line.contains("not what was requested: ") && line.contains(what), "{line}");
        assert_eq!(outcome.steps.len(), 1, "no step but create: {line}");
        let image = outcome.image.unwrap();
        assert_eq!(image.requested, ImageFacts::requested(&requested));
        assert_eq!(image.effective.format, Some(made.format.to_string()));
        assert!(driver.attach().is_ok(), "it was left detached: {line}");
    }
}

#[test]
fn a_volume_of_another_kind_is_seen() {
    let work = tempfile::tempdir().unwrap();
    let cell = of(Format::Udrw, Encryption::None);
    let mut driver = driver(&cell, work.path());
    let _volume = driver.create().unwrap().value;
    let image = ImageFolder::of(&cell, work.path()).image_of(&cell).unwrap();
    OpenOptions::new().write(true).open(image).unwrap().write_all_at(b"NXSB", 0).unwrap();
    let volume = ImageFacts::requested(&cell).differences(&driver.effective().unwrap());
    assert_eq!(volume.as_deref(), Some("file system other instead of diskbench"));
}
