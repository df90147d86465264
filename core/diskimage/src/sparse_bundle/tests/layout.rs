//! Byte for byte, after descriptions of bundles that others made.

use std::fs;

use super::{bands, place, sound};
use crate::disk::VirtualDisk;
use crate::sparse_bundle::SparseBundle;

const INFO: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<plist version=\"1.0\">
<dict>
\t<key>CFBundleInfoDictionaryVersion</key>
\t<string>6.0</string>
\t<key>band-size</key>
\t<integer>8388608</integer>
\t<key>bundle-backingstore-version</key>
\t<integer>1</integer>
\t<key>diskimage-bundle-type</key>
\t<string>com.apple.diskimage.sparsebundle</string>
\t<key>size</key>
\t<integer>40960000</integer>
</dict>
</plist>
";

#[test]
fn a_new_bundle_is_what_hdiutil_makes() {
    let (_folder, path) = place();
    let mut disk = SparseBundle::create(&path, 40_960_000, None, None).unwrap();
    // What a real one of this size has.
    assert_eq!(INFO.len(), 495);
    for name in ["Info.plist", "Info.bckup"] {
        assert_eq!(fs::read_to_string(path.join(name)).unwrap(), INFO);
    }
    for name in ["token", "lock"] {
        assert_eq!(fs::metadata(path.join(name)).unwrap().len(), 0, "{name}");
    }
    assert_eq!(bands(&path), []);
    disk.write_at(&[1], 40_959_999).unwrap();
    assert_eq!(bands(&path), [("4".into(), 40_960_000 - 4 * 8_388_608)]);
    drop(disk);
    sound(&path);
}
