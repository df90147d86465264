//! Which program does what, on which macOS: one table, and what is asked of a program before it is believed.
