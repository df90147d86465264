//! Another passphrase for an image. Its keys stay, wrapped anew, so nothing of the content is written.
//!
//! At every moment, also when the power fails, the header names one whole protector: the new one is written to a spare
//! place first, then named, then written to where the old one lay, and named there. So it ends as Apple's tools write
//! it.

use std::ops::Range;

use crate::crypt::header::{Entry, Header, PROTECTOR, entries};
use crate::crypt::{Passphrase, token};
use crate::error::{ImageError, Result, internal, unsupported};
use crate::store::Store;

/// Alignment of free positions in a header, in bytes.
const STEP: usize = 0x200;

/// Makes the protector that `old` opens one that `new` opens. Gives how many others there are, which still open the
/// image.
///
/// # Errors
/// `PassphraseNeeded` or `WrongPassphrase`; `Damaged` or `Unsupported` as [`super::public_facts`]; `Unsupported` when
/// the header has no room.
pub(crate) fn change(
    store: &mut dyn Store,
    old: Option<&Passphrase>,
    new: &Passphrase,
    iterations: Option<u32>,
) -> Result<usize> {
    let (bytes, header) = Header::load(store)?;
    let (number, keys) = token::keys(&header, old)?;
    let entries = entries(&bytes)?;
    let entry = entries.iter().filter(|entry| entry.is_for_passphrase()).nth(number);
    let entry = entry.ok_or_else(|| internal("no such protector"))?;
    if entry.length < PROTECTOR as u64 {
        return Err(no_room());
    }
    let protector = token::protector(&keys, new, iterations)?.bytes();
    let spare = spare(&bytes, &entries)?;
    for place in [spare, entry.start] {
        write(store, &protector, place)?;
        write(store, &place.to_be_bytes(), entry.place_at as u64)?;
    }
    write(store, &[0; PROTECTOR], spare)?;
    Ok(entries.len() - 1)
}

/// Writes, and makes it last before anything else is written.
fn write(store: &mut dyn Store, bytes: &[u8], offset: u64) -> Result<()> {
    store.write_at(bytes, offset)?;
    store.make_last()
}

/// A place in the header where nothing is.
fn spare(header: &[u8], entries: &[Entry]) -> Result<u64> {
    let is_taken = |place: &Range<usize>| {
        entries.iter().any(|entry| {
            let end = entry.start.saturating_add(entry.length);
            entry.start < place.end as u64 && place.start as u64 <= end
        })
    };
    (STEP..header.len())
        .step_by(STEP)
        .map(|start| start..start + PROTECTOR)
        .filter(|place| !is_taken(place))
        .find(|place| {
            let bytes = header.get(place.clone());
            bytes.is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0))
        })
        .map(|place| place.start as u64)
        .ok_or_else(no_room)
}

fn no_room() -> ImageError {
    unsupported(
        "its header has no room for another passphrase: convert it to a new image instead (diskbench image convert)",
    )
}

#[cfg(test)]
mod tests {
    use super::change;
    use crate::crypt::{Container, KeySize, Passphrase};
    use crate::error::Kind;
    use crate::store::Store;
    use crate::testing::memory::MemoryStore;
    use crate::testing::{content, key};

    const CONTENT: usize = 5000;

    fn passphrase(words: &str) -> Passphrase {
        Passphrase::new(words.as_bytes().to_vec()).unwrap()
    }

    fn made(words: &str) -> MemoryStore {
        let memory = MemoryStore::default();
        let key = key(KeySize::Aes256, words);
        let mut container = Container::create(Box::new(memory.clone()), &key).unwrap();
        container.set_len(CONTENT as u64).unwrap();
        container.write_at(&content(3, CONTENT as u64), 0).unwrap();
        container.make_last().unwrap();
        memory
    }

    /// Whether a passphrase opens it; checks that its content is unchanged.
    fn opens(memory: &MemoryStore, words: &str) -> bool {
        match Container::open(Box::new(memory.clone()), Some(&passphrase(words))) {
            Ok(mut container) => {
                let mut found = vec![0; CONTENT];
                container.read_at(&mut found, 0).unwrap();
                assert!(found == content(3, CONTENT as u64), "other content");
                true
            }
            Err(error) => {
                assert_eq!(error.kind(), Kind::WrongPassphrase, "{error}");
                false
            }
        }
    }

    #[test]
    fn each_step_is_flushed_as_strongly_as_the_file_system_can() {
        use system::flush::Durability::{Fsync, Full};
        let (full, weak) = (made("old"), made("old").without_full_flush());
        for (mut memory, strength) in [(full, Full), (weak, Fsync)] {
            memory.flushes();
            change(&mut memory, Some(&passphrase("old")), &passphrase("new"), Some(9)).unwrap();
            let flushes = memory.flushes();
            assert!(flushes.len() > 1 && flushes.iter().all(|one| *one == strength), "{flushes:?}");
        }
    }

    #[test]
    fn the_new_passphrase_opens_it_and_the_old_one_does_not() {
        let mut memory = made("old");
        let before = memory.bytes();
        let others =
            change(&mut memory, Some(&passphrase("old")), &passphrase("new"), Some(9)).unwrap();
        assert_eq!(others, 0);
        assert!(opens(&memory, "new") && !opens(&memory, "old"));
        // All that differs lies in the one protector (0x60, 616 bytes), as in an image that was made so.
        let after = memory.bytes();
        let differ: Vec<usize> = (0..after.len()).filter(|at| before[*at] != after[*at]).collect();
        assert_eq!((before.len(), &after[0x68..0x6c]), (after.len(), &[0, 0, 0, 9][..]));
        assert!(differ.iter().all(|at| (0x60..0x60 + 616).contains(at)), "{differ:?}");
    }

    #[test]
    fn at_every_moment_one_of_the_two_opens_it() {
        let whole = made("old");
        change(&mut whole.clone(), Some(&passphrase("old")), &passphrase("new"), Some(9)).unwrap();
        let changes = whole.changes() - made("old").changes();
        assert_eq!(changes, 5);
        let mut opened_by = Vec::new();
        for change_count in 0..=changes {
            let mut memory = made("old");
            memory.die_after(change_count);
            let done = change(&mut memory, Some(&passphrase("old")), &passphrase("new"), Some(9));
            // Killed after the last change it could not flush.
            assert!(done.is_err());
            memory.revive();
            opened_by.push((opens(&memory, "old"), opens(&memory, "new")));
        }
        let (old, new) = ((true, false), (false, true));
        assert_eq!(opened_by, [old, old, new, new, new, new]);
    }

    #[test]
    fn a_wrong_passphrase_changes_nothing() {
        let mut memory = made("old");
        let before = memory.bytes();
        for (given, kind) in
            [(Some(passphrase("other")), Kind::WrongPassphrase), (None, Kind::PassphraseNeeded)]
        {
            let refused = change(&mut memory, given.as_ref(), &passphrase("new"), Some(9));
            assert_eq!(refused.unwrap_err().kind(), kind);
        }
        assert!(memory.bytes() == before);
    }

    #[test]
    fn another_passphrase_of_the_image_stays() {
        let mut memory = made("first");
        // A second protector with the same keys, at 0x2000, and an entry for it: where the first lay, which moves.
        let bytes = memory.bytes();
        let first = bytes[0x60..0x60 + 616].to_vec();
        let entry =
            |at: u64| [&[0, 0, 0, 1][..], &at.to_be_bytes(), &616_u64.to_be_bytes()].concat();
        memory.put(&2_u32.to_be_bytes(), 0x48);
        memory.put(&[entry(0x1000), entry(0x2000)].concat(), 0x4c);
        memory.put(&[0; 616 - 20], 0x74);
        memory.put(&first, 0x1000);
        memory.put(&first, 0x2000);
        let changed = |memory: &mut MemoryStore, old: &str, new: &str| {
            change(memory, Some(&passphrase(old)), &passphrase(new), Some(9))
        };
        assert_eq!(changed(&mut memory, "first", "second").unwrap(), 1);
        assert!(opens(&memory, "first") && opens(&memory, "second"));
        assert_eq!(changed(&mut memory, "first", "third").unwrap(), 1);
        assert!(!opens(&memory, "first") && opens(&memory, "second") && opens(&memory, "third"));
    }

    #[test]
    fn a_header_without_room_is_left_alone() {
        let mut memory = made("old");
        let full = vec![1; 122_368 - 0x60 - 616];
        memory.put(&full, 0x60 + 616);
        let refused = change(&mut memory, Some(&passphrase("old")), &passphrase("new"), Some(9));
        assert_eq!(refused.unwrap_err().kind(), Kind::Unsupported);
        assert!(opens(&memory, "old"));
    }
}
