//! Mail to a real server (aiosmtpd) over TLS, by STARTTLS and from the first byte: its certificate
//! is refused unless its authority is configured, its name must be the server's, and a wrong
//! password is no for good.

use std::path::Path;
use std::process::Stdio;

use reeve_connect_notify::People;
use reeve_connect_outbound::OutboundPolicy;
use reeve_notify::notification::{Channel, ChannelSecret, Notifier as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::{email, email_channel, message};

struct Server {
    lines: Lines<BufReader<ChildStdout>>,
    port: u16,
    authority: Vec<u8>,
    /// Ends the server when it is dropped.
    _child: Child,
}

impl Server {
    async fn start(how: &str, address: &str) -> Server {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = std::env::var_os("REEVE_TEST_PYTHON").filter(|path| !path.is_empty());
        let python = python.map_or_else(|| here.join("../../../.venv/bin/python"), Into::into);
        let mut child = Command::new(&python)
            .arg(here.join("tests/smtp_server.py"))
            .args([how, address])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{}: {error}; tools/setup test brings it", python.display())
            });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();

        let output = lines
            .next_line()
            .await
            .unwrap()
            .expect("the server ended: is aiosmtpd installed?");
        let output: Value = serde_json::from_str(&output).unwrap();
        let port = u16::try_from(output["port"].as_u64().unwrap()).unwrap();
        let authority = output["ca"].as_str().unwrap().as_bytes().to_vec();

        Server {
            lines,
            port,
            authority,
            _child: child,
        }
    }

    async fn mail(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap()
    }
}

fn people(authorities: &[u8]) -> People {
    let allow = vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
    People::new(OutboundPolicy {
        allow,
        authorities: authorities.to_vec(),
        ..OutboundPolicy::default()
    })
}

fn mail_channel(host: &str, port: u16, encryption: &str) -> Channel {
    let mut given = email(host, port);
    given["encryption"] = json!(encryption);
    email_channel(&given)
}

#[tokio::test]
async fn mail_goes_over_tls_to_whom_the_configuration_trusts() {
    let secret = ChannelSecret("hunter2".into());
    for name in ["starttls", "tls"] {
        let mut server = Server::start(name, "127.0.0.1").await;
        let to = mail_channel("127.0.0.1", server.port, name);
        let refused = people(&[]).send(&to, &secret, &message(1)).await;
        assert!(!refused.ok && !refused.gone, "{name}: {refused:?}");
        let why = refused.error.unwrap().to_lowercase();
        assert!(
            why.contains("certificate") || why.contains("issuer"),
            "{name}: {why}"
        );

        let other = Server::start(name, "127.0.0.1").await;
        let stranger = people(&other.authority)
            .send(&to, &secret, &message(1))
            .await;
        assert!(
            !stranger.ok,
            "{name}: the certificate of another authority was taken"
        );

        let trusting = people(&server.authority);
        let sent = trusting.send(&to, &secret, &message(1)).await;
        assert!(sent.ok && sent.status == Some(250), "{name}: {sent:?}");
        // The first mail there is: nothing came of those that were refused.
        let mail = server.mail().await;
        assert_eq!(
            (mail["user"].as_str(), mail["to"][0].as_str()),
            (Some("reeve"), Some("ops@acme.example")),
            "{name}"
        );
        let text = mail["text"].as_str().unwrap();
        let head = text.split("\r\n\r\n").next().unwrap();
        assert!(
            text.contains("Subject: Daily: 1") && !head.contains("\r\nBcc:"),
            "{name}: {head}"
        );
        // The same content as plain text and as HTML, the better form last; what comes from the
        // estate is no markup.
        let parts = mail["parts"].as_array().unwrap();
        let part = |at: usize| {
            (
                parts[at]["type"].as_str().unwrap(),
                parts[at]["content"].as_str().unwrap(),
            )
        };
        let ((plain_type, plain), (html_type, html)) = (part(0), part(1));
        assert_eq!(
            (parts.len(), plain_type, html_type),
            (2, "text/plain", "text/html"),
            "{name}"
        );
        for fact in 0..10 {
            assert!(
                plain.contains(&format!("fact {fact}: <https://evil")),
                "{name}: {plain}"
            );
            assert!(
                html.contains(&format!("fact {fact}</th>")),
                "{name}: {html}"
            );
        }
        let page = "https://reeve.acme.example/intelligence/recommendations/i-0";
        assert!(
            plain
                .lines()
                .any(|line| line.trim() == format!("Open in Reeve: {page}")),
            "{name}: {plain}"
        );
        assert!(
            html.contains(&format!("<a href=\"{page}\"")) && html.matches("<a ").count() == 1,
            "{name}: {html}"
        );
        assert!(
            html.contains("&lt;!channel&gt; &amp; i-0") && !html.contains("<https"),
            "{name}: {html}"
        );

        let wrong = trusting
            .send(&to, &ChannelSecret("guess".into()), &message(1))
            .await;
        assert!(
            !wrong.ok && wrong.gone && wrong.status == Some(535),
            "{name}: {wrong:?}"
        );
    }
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    // It names localhost and 127.0.0.1; 127.0.0.2 is the same machine and not the same name.
    let server = Server::start("tls", "127.0.0.2").await;
    let to = mail_channel("127.0.0.2", server.port, "tls");
    let refused = people(&server.authority)
        .send(&to, &ChannelSecret("hunter2".into()), &message(1))
        .await;
    let why = refused.error.unwrap_or_default();
    assert!(!refused.ok && why.contains("not valid for name"), "{why}");
}

#[test]
fn malformed_authorities_are_reported() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let to = mail_channel("127.0.0.1", 9, "tls");
    let odd = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let output =
        runtime.block_on(people(odd).send(&to, &ChannelSecret("hunter2".into()), &message(1)));
    assert!(!output.ok && output.error.is_some(), "{output:?}");
}
