//! `reeve keys rotate`: replaces the log's signing key, in a data directory that no service has
//! open. A running service does it itself: `POST /api/v1/audit-logs/keys/rotate`.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use serde_json::json;

use reeve_audit::{ActionMethod, ActionStatus, Draft, Entry, Json, Obstacle, ResourceRef, events};
use reeve_ledger::Planned;

use crate::account::Account;
use crate::cli::RotateArgs;
use crate::config::Config;
use crate::service::open_log;

/// Rotates the key and says which is in charge.
pub(super) async fn rotate(args: &RotateArgs) -> Result<ExitCode> {
    if !args.data_dir.join("ledger").is_dir() {
        bail!(
            "{} is not a data directory: it has no folder \"ledger\"",
            args.data_dir.display()
        );
    }

    let config = Config {
        data_dir: args.data_dir.clone(),
        anchor: args.anchor.clone(),
        ..Config::default()
    };

    let log = open_log(&config)
        .await
        .context("the log could not be opened; a running service rotates its own key")?;
    let rotated = log.ledger.rotate_key(entry).await;
    log.ledger.close().await;
    let epoch = rotated?;
    eprintln!(
        "{} was in charge up to {} entries; its private key is destroyed.",
        epoch.old, epoch.size
    );
    eprintln!(
        "Give the new verifier key to witnesses. Auditors who hold the old one need nothing: the record leads on."
    );
    writeln!(std::io::stdout(), "{}", epoch.new)?;

    Ok(ExitCode::SUCCESS)
}

fn entry(planned: &Planned) -> Result<Draft, Obstacle> {
    let entry = Entry::for_event(&events::KEY_ROTATE)
        .by(Account::current().actor())
        .on(ResourceRef::new("audit_log", "audit-logs"))
        .with_action("rotate_key", ActionStatus::Success, ActionMethod::Cli)
        .before(Json::from(json!({ "public_key": planned.old })))
        .after(Json::from(json!({ "public_key": planned.new })));
    Draft::by_reeve(entry, Timestamp::now()).map_err(|errors| format!("{errors:?}").into())
}
