//! Blank images by Apple's tools, of which a new image of ours differs in its two UUIDs only.

use sha2::{Digest, Sha256};

use crate::asif::tests::open;
use crate::asif::{Asif, check};
use crate::disk::VirtualDisk;
use crate::testing::memory::MemoryStore;

/// The 19 images in `DiskTemplates/` of nicholas-lonsinger/kernova at commit a1c138d9, unpacked: gigabytes of the disk,
/// UUID in the header, UUID in the metadata, SHA-256 of the file. The files themselves are not ours to publish.
#[rustfmt::skip]
const BLANK: [(u64, &str, &str, &str); 19] = [
    (10, "d9c2082c983f48779e6632960451150d", "47d4f646-0893-411d-8138-550ad7227273", "38d72ae80f4791b0bc5691c1b903cdf61d8d278a2d748e20825e17ed2c2c265b"),
    (15, "d94311b3bd1b4605b1e22e6d119b9ce3", "47a8d7f2-f8e9-48a3-825b-6d18e8577e03", "1199a647192914c205fe04d2e0b92989ccdb64755a2b65ecf4c6d626614455a5"),
    (20, "9baf4994af354d4b8b80ed4c7b8cf9a0", "e2cedb8c-3436-4ed5-a2c4-57fd51d81bb6", "ade02a54ebec6c789b3260391a762487963e6d3116f7b78d594b74b49a628afc"),
    (25, "fb01705500704ba5b240fbc6be67f916", "3bf8bb55-f5b2-436e-95d3-b8646dfcf7a6", "fdda398359ad1866b422ec671c6997b92030e1d9ee0b0113d49124e2ae1454b8"),
    (50, "34e097c98c1d41fba80f5c267b840489", "8fc9b1d9-1025-4878-bb65-12aec2d2ec4d", "836c1e0bbb9c2fcb3a94cee7baaabbb37c242de3468ecdbb0e5de55a2e814e11"),
    (75, "59e180f08e4647feb71bafa349fd0ff9", "c8b259dd-61db-4d1e-8ca1-e0d641ba1fc7", "247671a59192edd91f9ee0112957db4886b52acd8f8260bc6effc659e2798ddb"),
    (100, "7f8a7dd5538349228302aed580ac149a", "76433c2b-4294-4c25-a6df-9f690dedf9ff", "79c47b075e0df306a64e8a343d05aa2f8a75acc6240d5afa99c439611e4aabce"),
    (150, "a5357662ec554a60bce66045debec456", "bcab201f-8885-4c07-9f6c-56736d14e2a7", "350a17c36637d0ca1147be4dda0ae4aaee685df3e608ae7832d5f572cc70ee89"),
    (200, "d353abfdfe0a4b869ceb1217564097c9", "dcb18f70-1175-4553-9865-0e75fd7f4415", "5ad275d6edc9128b4f6d67bf026ee43ebe8dbf516c2634eddbd197599552ee83"),
    (250, "b9d38a9872d544708443652b7136d0b8", "5fbc4e82-e5eb-4611-a53e-7dfabb756b6d", "7d41f74ac2ec578ff4724e960a692844d3dcb9fa08fe706710b3dff45ac7cded"),
    (500, "ec7f7b60aa064f3e8d0b9a5ec71b964f", "3980f66f-bd07-46c5-97e1-03a02d2eec0f", "5079bf551d4fd2c68ae4e774133b46a467a254b2bc21c1d7c8ba29ba15788e85"),
    (750, "877225453cff49339bb6a5827b191380", "1a3750c4-d1a7-4481-9d29-9772c9da1e31", "2171ede0dc156fb4ab6d4c5686723b3ae11c08118bec8bf8f4ea955a17a1b4d6"),
    (1000, "45e40726ed9d46579489096ce126d417", "0d9ef204-d971-49b8-95e0-7c72b7146036", "79469a3d9801091983326bde63fce75ffae21a6b858cd1b5e72e1a2ce0d0f771"),
    (1500, "720c16245c6c42a299b778a17384d2b6", "d7c763bd-fd1f-4b69-bd19-94619fa7649c", "41b8d82c2aace5c92194a55ee27fa416dbfadd9234df5708e3cdf30488298a1f"),
    (2000, "7e839f9ec11044a49112d57f06e532ab", "c23b43c8-f0b8-47d8-a562-dda38958b308", "1b94aab0ab7752e757543ea8921c5576f53ca94331c6f6962f127e9bea8be105"),
    (2500, "31456031d4164588a22e2fae6eb0eafb", "e39bdc06-8126-44be-99c7-5ab654e1b62b", "9abc502ba3e2308bd7c8493d2dc38787b6b85bc17d3987345c9fb09e374e9834"),
    (5000, "a308c8dfa42d44c492ef7008419e8f2d", "db861770-c9db-4b3c-9fd8-16617d90538f", "b5b43bf281422d1f51e32711c0c3d1fd45e5f3e6eee68b13e163c142fd786eea"),
    (7500, "4ac1ce60cf534268b107b0c0b64f7908", "66153d86-b24c-45f2-94f1-b5dfc881a303", "ae7f392859391ac75942256c975c1462bf1ec3cb2883667684ccd7a0dd2c6f9e"),
    (10000, "adac326c1d33485788fd2b4faba33044", "13a30dcd-0100-4777-82ba-40bce5c25ec8", "bc15c968f7253757938cae81a149313a2880543bf55a75b624d8ee838fcc3c3b"),
];

#[test]
fn with_the_uuids_of_one_of_apples_a_new_image_is_that_image_and_is_read() {
    for (gigabytes, in_header, in_metadata, sha256) in BLANK {
        let memory = MemoryStore::default();
        Asif::create(Box::new(memory.clone()), gigabytes * 1_000_000_000).unwrap();
        let mut bytes = memory.bytes();
        let uuid = u128::from_str_radix(in_header, 16).unwrap();
        bytes[0x20..0x30].copy_from_slice(&uuid.to_be_bytes());
        bytes[0x20_02F4..][..36].copy_from_slice(in_metadata.as_bytes());
        let found: String =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, sha256, "{gigabytes} GB");

        let memory = MemoryStore::of(bytes);
        assert_eq!(check(&mut memory.clone()).unwrap(), []);
        assert_eq!(open(&memory).len_bytes(), gigabytes * 1_000_000_000);
    }
}
