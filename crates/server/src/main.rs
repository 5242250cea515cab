//! The `reeve` program.
fn main() {}
