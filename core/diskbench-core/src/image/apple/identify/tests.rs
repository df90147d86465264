//! Answers about an image, with the keys of `hdiutil imageinfo -plist` and `diskutil image info`.

use plist::{Dictionary, Value};

use super::{of_diskutil, of_hdiutil};
use crate::image::macos::answer;
use crate::record::ImageFacts;

fn list(body: &str) -> Dictionary {
    answer::dictionary(format!("<plist><dict>{body}</dict></plist>").as_bytes()).unwrap()
}

fn told(format: Option<&str>, encrypted: Option<bool>, nominal_bytes: Option<u64>) -> ImageFacts {
    let format = format.map(str::to_owned);
    ImageFacts { format, encrypted, nominal_bytes, ..ImageFacts::default() }
}

#[test]
fn hdiutil_says_format_length_and_whether_an_image_is_encrypted() {
    let whole = "<key>Format</key><string>UDSB</string><key>Format Description</key><string>sparse</string>\
                 <key>Properties</key><dict><key>Encrypted</key><true/></dict>\
                 <key>Size Information</key><dict><key>Sector Count</key><integer>80000</integer>\
                 <key>Total Bytes</key><integer>40960000</integer></dict>";
    assert_eq!(of_hdiutil(&list(whole)), told(Some("UDSB"), Some(true), Some(40_960_000)));
    let packed = "<key>Format</key><string>UDZO</string>";
    assert_eq!(of_hdiutil(&list(packed)), told(Some("UDZO"), None, None));
    for nothing in [
        "",
        "<key>Format</key><string>read/write</string><key>Properties</key><string>UDSB</string>",
        "<key>Size Information</key><dict><key>Total Bytes</key><string>many</string></dict>",
    ] {
        assert_eq!(of_hdiutil(&list(nothing)), ImageFacts::default(), "{nothing}");
    }
}

#[test]
fn diskutil_says_format_whether_an_image_is_encrypted_and_length_in_two_ways() {
    let newer = "<key>Image Format</key><string>ASIF</string><key>Size Info</key><dict>\
                 <key>Total Bytes</key><integer>50000003072</integer></dict>";
    assert_eq!(of_diskutil(&list(newer)), told(Some("ASIF"), None, Some(50_000_003_072)));
    // The form of DiskImages2, `EncryptionInfo::serialize_to_dict`: of a plain image there is only the first key.
    let encryption = "<key>Encryption Info</key><dict><key>Is Encrypted</key><true/>\
                      <key>Encryption Method</key><string>AES</string><key>Key Size</key><integer>256</integer>\
                      </dict>";
    let plain = "<key>Encryption Info</key><dict><key>Is Encrypted</key><false/></dict>";
    for (more, encrypted) in [(encryption, true), (plain, false)] {
        let said = of_diskutil(&list(&format!("{newer}{more}")));
        assert_eq!(said, told(Some("ASIF"), Some(encrypted), Some(50_000_003_072)));
    }
    let older = "<key>Image Format</key><string>RAW</string><key>Size</key><integer>4096</integer>";
    assert_eq!(of_diskutil(&list(older)), told(Some("UDRW"), None, Some(4096)));
    let unheard = "<key>Image Format</key><string>Read/Write</string>";
    assert_eq!(of_diskutil(&list(unheard)), ImageFacts::default());
    assert_eq!(
        of_diskutil(&Dictionary::from_iter([("Size", Value::from(-1))])),
        told(None, None, None)
    );
}
