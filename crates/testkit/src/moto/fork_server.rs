//! The process that moto's servers are forked from: one for all tests of a program.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, ensure};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::program;

/// Program of the process; it ends at the end of its input, which is at the latest when this
/// process ends.
const CODE: &str = include_str!("fork_server.py");

static SERVER: Mutex<Option<MotoForkServer>> = Mutex::new(None);

struct MotoForkServer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// A server of moto. It ends with this value.
#[derive(Debug)]
pub(super) struct MotoProcess {
    number: u32,
}

impl MotoProcess {
    /// Runs a Python program with arguments.
    ///
    /// # Errors
    /// The interpreter cannot be started, or moto not imported.
    pub(super) fn start(code: &str, arguments: &[&str]) -> anyhow::Result<MotoProcess> {
        let number = ask(&json!({ "code": code, "arguments": arguments }))?;
        Ok(MotoProcess { number })
    }

    /// Returns `true` if the server ended by itself.
    ///
    /// # Errors
    /// The process that it was forked from ended.
    pub(super) fn has_ended(&self) -> anyhow::Result<bool> {
        ask(&json!({ "ended": self.number }))
    }
}

impl Drop for MotoProcess {
    fn drop(&mut self) {
        // It fails only when all of them are gone already.
        ask::<()>(&json!({ "stop": self.number })).ok();
    }
}

fn ask<Answer: DeserializeOwned>(request: &Value) -> anyhow::Result<Answer> {
    let mut server = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let running = match server.take() {
        Some(running) => running,
        None => MotoForkServer::start()?,
    };
    // A server that failed to answer is not asked again.
    let running = server.insert(running);
    let answer = running.ask(request);
    if answer.is_err() {
        *server = None;
    }
    answer
}

impl MotoForkServer {
    fn start() -> anyhow::Result<MotoForkServer> {
        // The interpreter stands beside the program, as in every virtual environment.
        let python = program().with_file_name("python3");
        let mut child = Command::new(&python)
            .args(["-c", CODE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| {
                format!(
                    "cannot start {}: make the .venv with moto[server], or set REEVE_TEST_MOTO",
                    python.display()
                )
            })?;
        let requests = child.stdin.take().context("its input is missing")?;
        let answers = child.stdout.take().context("its output is missing")?;
        Ok(MotoForkServer {
            child,
            requests,
            answers: BufReader::new(answers),
        })
    }

    fn ask<Answer: DeserializeOwned>(&mut self, request: &Value) -> anyhow::Result<Answer> {
        writeln!(self.requests, "{request}").context("moto's process has ended")?;
        let mut line = String::new();
        let length = self.answers.read_line(&mut line)?;
        ensure!(length > 0, "moto cannot be imported, or its process ended");
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for MotoForkServer {
    fn drop(&mut self) {
        // Both fail only when the process is gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
