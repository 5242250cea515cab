//! `reeve analyze`: files of one's own through the real program.

mod access;
mod anomalies;
mod causes;
mod costs;
mod entries;
mod exposures;
mod files;
mod forecast;
mod interruptions;
mod scaling;
mod sizing;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use reeve_testkit::service::reeve_command;

fn analyze(arguments: &[&str]) -> Command {
    let mut command = reeve_command().unwrap();
    command.arg("analyze").args(arguments);
    command
}

/// Runs the command with a text on stdin, with `-` as the file.
fn analyze_text(arguments: &[&str], text: &str) -> Output {
    let mut command = analyze(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();

    // A program that refuses its input early closes the pipe; its exit code and message are what
    // the test reads.
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).ok());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();

    output
}

/// A file of the open data; said and left out where the folder is missing.
fn open_data(path: &str) -> Option<PathBuf> {
    let given = std::env::var_os("REEVE_TEST_DATA").map(PathBuf::from);
    let root = given
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let path = root.join(path);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}
