//! The `reeve-verify` program.
fn main() {}
