//! The `reeve` program. Everything it does is in the library; this file only starts it.

use std::process::ExitCode;

/// Appending makes and frees some dozen small strings an entry, on several threads at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    reeve_server::main()
}
