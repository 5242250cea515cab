//! The `reeve-verify` program.

use std::process::ExitCode;

use clap::Parser as _;
use reeve_verify::cli;

fn main() -> ExitCode {
    cli::run(&cli::Arguments::parse())
}
