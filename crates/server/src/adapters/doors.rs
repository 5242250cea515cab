//! Test against server-side request forgery: every configurable address (webhooks, channels,
//! endpoints, witnesses) with every spelling of an internal address. Threat lists have no address:
//! operators import them. A connection without an endpoint uses AWS's own names.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::response::Redirect;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_connect_aws::{AwsBucket, AwsConnection, BucketPlace};
use reeve_connect_notify::People;
use reeve_connect_outbound::{Lookup, Outbound, OutboundLimits, OutboundPolicy, SystemLookup};
use reeve_connect_webhook::Sender;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Observe as _, Provider,
};
use reeve_notify::notification::{
    Channel, ChannelId, ChannelKind, ChannelSecret, ChannelSettings, FieldForm, Gravity, Message,
    Notifier as _,
};
use reeve_notify::webhook::{WebhookMessage, WebhookSender as _};
use reeve_tlog::{Checkpoint, Cosigner, NoteSigner, SignedNote, leaf_hash};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::publish::witness::Witness;
use super::publish::{PublishDestination as _, Published, WebhookDestination};

/// Doors beside the channel types, which are those of their table.
const DOORS: [&str; 6] = [
    "webhook",
    "connection",
    "connection with a role",
    "publication: bucket",
    "publication: webhook",
    "witness",
];

/// This machine, its link, and what is mapped to them, as people and resolvers spell it.
const SPELLINGS: [&str; 20] = [
    "127.0.0.1",
    "127.8.9.1",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "017700000001",
    "0177.0.0.1",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "169.254.169.254",
    "[fe80::1]",
];

/// Says that a name is the allowed neighbour, and from the second time on that it is this machine.
struct Rebinding(AtomicUsize);

#[async_trait]
impl Lookup for Rebinding {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        assert!(host.ends_with("rebind.example"), "{host}");
        let first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(vec![
            if first { NEIGHBOUR } else { "127.0.0.1" }.parse().unwrap(),
        ])
    }
}

/// An address that the configuration allows.
const NEIGHBOUR: &str = "127.0.0.2";

/// A service on 127.0.0.1 that counts who connects to it, and a neighbour on the same port that
/// sends everybody there.
async fn inside() -> (u16, Arc<AtomicUsize>) {
    let reached = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let counter = reached.clone();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    let away = format!("http://127.0.0.1:{port}/");
    let router = Router::new().fallback(move || async move { Redirect::temporary(&away) });
    let neighbour = TcpListener::bind(SocketAddr::new(NEIGHBOUR.parse().unwrap(), port))
        .await
        .unwrap();
    tokio::spawn(async move { axum::serve(neighbour, router).await.unwrap() });

    (port, reached)
}

fn message() -> Message {
    Message {
        title: "t".into(),
        gravity: Gravity::Info,
        items: Vec::new(),
        about: "a".into(),
        to: Vec::new(),
        attachment: None,
    }
}

fn channel(settings: ChannelSettings) -> Channel {
    Channel {
        id: ChannelId("c".into()),
        name: "c".into(),
        settings,
        topics: Vec::new(),
        enabled: true,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

pub(super) fn connection(endpoint: &str, role: bool) -> Connection {
    Connection {
        id: ConnectionId("c".into()),
        name: "c".into(),
        provider: Provider::Aws,
        account: String::new(),
        regions: vec!["us-east-1".into()],
        credentials: ConnectionCredentials::AccessKey {
            access_key_id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret_access_key: "secret".into(),
            session_token: None,
        },
        assume_role: role.then(|| "arn:aws:iam::123456789012:role/observer".into()),
        external_id: None,
        endpoint: Some(endpoint.to_owned()),
        allow_actions: false,
        status: ConnectionStatus::New,
        last_sync: None,
        last_error: None,
        created_at: Timestamp::UNIX_EPOCH,
    }
}

fn note() -> String {
    let signer = NoteSigner::from_seed("log.example", &[1; 32]).unwrap();
    Checkpoint::new("log.example", 1, leaf_hash(b"x"))
        .sign(&[&signer])
        .unwrap()
        .to_string()
}

/// Sends a message over a channel type whose every address is the given one, the secret address of
/// a webhook too.
async fn attempt_channel(
    kind: ChannelKind,
    client: &Outbound,
    host: &str,
    url: &str,
) -> Result<(), Obstacle> {
    let settings = kind.row().settings.iter().map(|field| {
        let value = match field.form {
            FieldForm::Address => json!(url),
            FieldForm::Host => json!(host),
            FieldForm::Mailbox => json!("a@example.com"),
            FieldForm::Mailboxes => json!(["b@example.com"]),
            FieldForm::Choice => json!(field.choices.last().unwrap().0),
            FieldForm::Port => json!(url.rsplit(':').next().unwrap().parse::<u16>().unwrap()),
            FieldForm::Text | FieldForm::Key | FieldForm::Uuid => Value::Null,
        };
        (field.name.to_owned(), value)
    });
    let settings = ChannelSettings::parse(kind, &settings.collect()).unwrap();
    let secret = match kind.row().secret.form {
        FieldForm::Address => url.to_owned(),
        FieldForm::Key => "k".repeat(32),
        _ => String::new(),
    };

    let people = People::over(client.policy().clone(), client.clone());
    let attempt = people
        .send(&channel(settings), &ChannelSecret(secret), &message())
        .await;
    if attempt.ok {
        Ok(())
    } else {
        Err(attempt.error.unwrap_or(attempt.answer).into())
    }
}

/// Result of one attempt: the reason of its failure, or none.
async fn knock(door: &str, client: &Outbound, host: &str, port: u16) -> Result<(), Obstacle> {
    let policy = client.policy().clone();
    let url = format!("http://{host}:{port}");
    if let Some(kind) = ChannelKind::parse(door) {
        return attempt_channel(kind, client, host, &url).await;
    }

    match door {
        "webhook" => {
            let message = WebhookMessage {
                url,
                id: "m".into(),
                at: Timestamp::UNIX_EPOCH,
                body: "{}".into(),
                secrets: Vec::new(),
            };
            let attempt = Sender::over(policy, client.clone()).send(&message).await;
            if attempt.ok {
                Ok(())
            } else {
                Err(attempt.error.unwrap_or(attempt.answer).into())
            }
        }
        "connection" | "connection with a role" => {
            let aws = AwsConnection::open(&connection(&url, door != "connection"), client).await;
            aws.map_err(|error| error.message)?
                .identity()
                .await
                .map(|_| ())
                .map_err(|error| error.message.into())
        }
        "publication: bucket" => {
            let place = BucketPlace {
                bucket: "b".into(),
                region: "us-east-1".into(),
                endpoint: Some(url),
                key: Some(("AKIAIOSFODNN7EXAMPLE".into(), "secret".into())),
                ..BucketPlace::default()
            };
            let bucket = AwsBucket::open(&place, client).await;
            bucket
                .put("checkpoint", Vec::new())
                .await
                .map_err(Obstacle::of)
        }
        "publication: webhook" => {
            let destination = WebhookDestination::new(
                client.clone(),
                url.parse().unwrap(),
                Some("secret".into()),
            );
            let home = tempfile::tempdir().unwrap();
            let log = super::publish::tests::log(home.path(), 0..0).await;
            destination
                .deliver(&Published::read(&log, note()).unwrap())
                .await
                .map_err(|error| format!("{error:#}").into())
        }
        _ => {
            let key = Cosigner::from_seed("witness.example/w1", &[2; 32])
                .unwrap()
                .key();
            let witness = Witness::new(client.clone(), url.parse().unwrap(), key).unwrap();
            let note = SignedNote::parse(note().as_bytes()).unwrap();
            witness
                .submit(0, &[], &note)
                .await
                .map(|_| ())
                .map_err(|error| format!("{error:#}").into())
        }
    }
}

fn client(policy: &OutboundPolicy, lookup: Arc<dyn Lookup>) -> Outbound {
    let limits = OutboundLimits {
        time: Duration::from_secs(10),
        body: 1 << 20,
        redirects: 0,
    };
    Outbound::with_lookup(policy.clone(), limits, lookup)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_door_leads_inside() {
    let (port, reached) = inside().await;
    let strict = OutboundPolicy::default();
    let neighbourly = OutboundPolicy {
        allow: vec![format!("{NEIGHBOUR}/32").parse().unwrap()],
        ..OutboundPolicy::default()
    };
    let (mut knocks, mut refused) = (0, 0);

    let channel_types = ChannelKind::ALL.iter().map(|kind| kind.as_str());
    let doors: Vec<_> = channel_types.chain(DOORS).collect();
    for door in doors.iter().copied() {
        let (before, so_far) = (reached.load(Ordering::SeqCst), knocks);
        for host in SPELLINGS {
            for policy in [&strict, &neighbourly] {
                let outcome =
                    knock(door, &client(policy, Arc::new(SystemLookup)), host, port).await;
                let reason = outcome.expect_err(&format!("{door}: {host} was taken"));
                let refusals = [
                    "not a public address",
                    "is not a host name",
                    "cannot be resolved",
                ];
                assert!(
                    refusals.iter().any(|part| reason.as_str().contains(part)),
                    "{door}: {host}: {reason}"
                );
                (knocks, refused) = (knocks + 1, refused + 1);
            }
        }
        // The mail door resolves with the system alone, and speaks no HTTP that could redirect.
        if door != "email" {
            let rebinding = client(&neighbourly, Arc::new(Rebinding(AtomicUsize::new(0))));
            for _ in 0..3 {
                assert!(
                    knock(door, &rebinding, "rebind.example", port)
                        .await
                        .is_err(),
                    "{door}: rebinding"
                );
            }
            let redirected = knock(
                door,
                &client(&neighbourly, Arc::new(SystemLookup)),
                NEIGHBOUR,
                port,
            )
            .await;
            let reason = redirected.expect_err(&format!("{door}: a redirect was followed"));
            assert!(reason.as_str().contains("redirect"), "{door}: {reason}");
            (knocks, refused) = (knocks + 4, refused + 4);
        }
        let inside = reached.load(Ordering::SeqCst) - before;
        eprintln!(
            "{door}: {} attempts, {inside} reached the inside",
            knocks - so_far
        );
        assert_eq!(inside, 0, "{door}");
    }

    assert_eq!(
        (knocks, refused),
        (
            doors.len() * SPELLINGS.len() * 2 + (doors.len() - 1) * 4,
            knocks
        )
    );

    assert_eq!(reached.load(Ordering::SeqCst), 0);
}
