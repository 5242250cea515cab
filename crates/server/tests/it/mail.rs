//! A real mail server for the tests of the whole program.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// aiosmtpd, which takes mail over TLS and after a password alone.
pub(crate) struct MailServer {
    lines: Lines<BufReader<ChildStdout>>,
    pub(crate) port: u64,
    /// Certificate of its authority, PEM.
    pub(crate) authority: String,
    /// Ends the server when it is dropped.
    _child: Child,
}

impl MailServer {
    pub(crate) async fn start() -> MailServer {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty());
        let python = python.map_or_else(|| here.join("../../.venv/bin/python"), Into::into);
        let mut child = Command::new(python)
            .arg(here.join("../connect/notify/tests/smtp_server.py"))
            .args(["starttls", "127.0.0.1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

        let announced: Value =
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let authority = announced["ca"].as_str().unwrap().to_owned();
        MailServer {
            lines,
            port: announced["port"].as_u64().unwrap(),
            authority,
            _child: child,
        }
    }

    /// Waits for the next mail: from, to, text, user.
    pub(crate) async fn mail(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// Variable that lets a service reach it and trust its certificate, which is put into a folder.
    pub(crate) fn outbound(&self, folder: &Path) -> String {
        let authorities = folder.join("ca.pem");
        std::fs::write(&authorities, &self.authority).unwrap();
        format!(
            r#"{{ allow = ["127.0.0.0/8"], ca_file = "{}" }}"#,
            authorities.display()
        )
    }

    /// A channel of this name that writes by way of the server.
    pub(crate) fn channel(&self, name: &str, secret: &str) -> Value {
        json!({ "name": name, "type": "email", "secret": secret, "settings": { "host": "127.0.0.1", "port": self.port,
            "username": "reeve", "from": "reeve@acme.example", "to": ["everybody@acme.example"] } })
    }
}
