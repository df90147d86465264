//! The program, called as its users call it, and its images, read by the readers of others: a module a subject.

mod clock;
mod common;
mod content;
mod effective;
mod faults;
mod image;
mod independent_encrypted;
mod independent_readers;
mod interruptions;
mod memory;
mod modules;
mod old_encryption;
mod output;
mod partitions;
mod passphrases;
mod portable;
mod quiet;
mod refusals;
mod refusing;
mod restart;
mod run;
mod salvage;
mod serve;
mod stand_in;
mod timed_region;
mod udif;
