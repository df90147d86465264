//! The driver on a Mac that is played.
