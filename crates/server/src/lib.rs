//! The `reeve` program as a library: [`main`] is the program, and [`serve`] starts the service in a
//! process of one's own, with agent types of one's own. Everything it does is in the modules below.

mod account;
mod active;
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
mod syslog;
mod tasks;
mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;

pub use commands::serve::{Startup, serve};

/// Longest time for threads that still work when the program is done.
const LAST_THREADS: std::time::Duration = std::time::Duration::from_millis(300);

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    telemetry::init(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("reeve: the runtime did not start: {error}");
            return ExitCode::from(2);
        }
    };

    let ended = runtime.block_on(commands::run(cli));
    // Dropping a runtime waits for its blocking threads, such as a search with seconds to go, whose
    // result nobody wants any more.
    runtime.shutdown_timeout(LAST_THREADS);

    match ended {
        Ok(code) => code,
        Err(error) => {
            eprintln!("reeve: {error:#}");
            ExitCode::from(2)
        }
    }
}
