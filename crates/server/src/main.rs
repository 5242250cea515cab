//! The `reeve` program. Everything it does stands in the modules below; this file only starts it.

mod account;
mod adapters;
mod backup;
mod cli;
mod commands;
mod config;
mod connections;
mod demo;
mod exports;
mod private;
mod service;
mod tasks;
mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;

/// Appending makes and frees some dozen small strings an entry, on several threads at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    telemetry::init(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("reeve: the runtime did not start: {error}");
            return ExitCode::from(2);
        }
    };
    match runtime.block_on(commands::run(cli)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("reeve: {error:#}");
            ExitCode::from(2)
        }
    }
}
