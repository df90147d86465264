//! Programs of the tests are the examples of this crate: `stand_in` imitates the programs of a Mac, `faults` makes calls
//! of the system fail. It is a crate of its own so that building them needs none of the crates that tests compare with.
