//! A disk with a partition table, written field by field.

/// Bytes of a mebibyte.
pub const MIB: usize = 1 << 20;

/// Writes a field.
pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// A disk of 4 MiB with a GPT for this size of a sector: EFI from 1 MiB, APFS from 2 MiB, and an entry that is not used
/// between them.
pub fn gpt(sector: usize) -> Vec<u8> {
    let mut bytes = vec![0; 4 * MIB];
    let entry = |guid: &[u8], start: usize, length: usize, name: &str| {
        let mut entry = [guid, &[7; 16]].concat();
        let last = (start + length) / sector - 1;
        entry.extend(((start / sector) as u64).to_le_bytes());
        entry.extend((last as u64).to_le_bytes());
        entry.extend([0; 8]);
        entry.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
        entry.resize(128, 0);
        entry
    };
    // C12A7328-F81F-11D2-BA4B-00A0C93EC93B and 7C3457EF-0000-11AA-AA11-00306543ECAC, as they lie on a disk.
    let efi = b"\x28\x73\x2a\xc1\x1f\xf8\xd2\x11\xba\x4b\x00\xa0\xc9\x3e\xc9\x3b";
    let apfs = b"\xef\x57\x34\x7c\x00\x00\xaa\x11\xaa\x11\x00\x30\x65\x43\xec\xac";
    let mut list = entry(efi, MIB, MIB, "EFI System Partition");
    list.extend([0; 128]);
    list.extend(entry(apfs, 2 * MIB, MIB, "Größe"));
    list.resize(128 * 128, 0);
    let mut header = b"EFI PART\0\0\x01\0\x5c\0\0\0".to_vec();
    header.resize(92, 0);
    put(&mut header, 72, &2_u64.to_le_bytes());
    put(&mut header, 80, &128_u32.to_le_bytes());
    put(&mut header, 84, &128_u32.to_le_bytes());
    put(&mut header, 88, &crc32fast::hash(&list).to_le_bytes());
    let sum = crc32fast::hash(&header);
    put(&mut header, 16, &sum.to_le_bytes());
    put(&mut bytes, sector, &header);
    put(&mut bytes, 2 * sector, &list);
    // A protective MBR.
    put(&mut bytes, 450, &[0xee]);
    put(&mut bytes, 510, &[0x55, 0xaa]);
    put(&mut bytes, MIB + 0x52, b"FAT32   ");
    put(&mut bytes, 2 * MIB + 32, b"NXSB");
    bytes
}
