//! Any bytes to the readers of notes, checkpoints, keys, proof files and tile paths.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reeve_fuzz::proof(data));
