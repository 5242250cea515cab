//! Configuration: a TOML file, then `REEVE_` environment variables, then flags. Unknown keys are
//! refused.

mod publication;
mod tiers;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use reeve_access::PublicUrl;
use serde::Deserialize;

use crate::cli::ServeArgs;
use crate::syslog::SyslogSection;
pub(crate) use publication::{Cosign, OutboundSection, Publish};
pub(crate) use tiers::{TierSection, TiersSection};

/// Most seconds between readings of the load of a database: each belongs to an interval of five
/// minutes.
const LONGEST_BETWEEN_LOADS_S: u64 = 300;

/// Everything that can be configured.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) data_dir: PathBuf,
    /// Start once over files of a version that signed neither its manifest nor its anchor. A flag
    /// alone: in a file it would stay.
    #[serde(skip)]
    pub(crate) accept_unsigned: bool,
    /// Address to listen on.
    pub(crate) listen: SocketAddr,
    /// Address that serves health, readiness and metrics without sign-in; by default there is none.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Bearer token with which `/metrics` may be read on the address of the interface.
    pub(crate) metrics_token: Option<String>,
    /// Address at which a standby on another machine reaches this server; by default the one it
    /// listens on.
    pub(crate) internal_url: Option<String>,
    /// State store: a URL `sqlite://...` or `postgres://...`; by default SQLite in the data
    /// directory.
    pub(crate) state_url: Option<String>,
    /// File for the last acknowledged (size, root); put it on another disk to notice a swapped one.
    pub(crate) anchor: Option<PathBuf>,
    /// Name of the log in checkpoints; by default made at the first start.
    pub(crate) log_origin: Option<String>,
    /// Address at which people reach Reeve, for links in messages; without it an administrator may
    /// set one in the workspace.
    pub(crate) public_url: Option<String>,
    /// Most bytes of a file that goes with an e-mail; larger ones are linked.
    pub(crate) mail_attachment_limit_bytes: u64,
    /// Mark cookies `Secure`: set it when TLS ends in front of Reeve.
    pub(crate) secure_cookies: bool,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub(crate) trusted_proxies: Vec<IpAddr>,
    /// Largest request body, bytes.
    pub(crate) max_body_bytes: usize,
    /// Most bytes of request bodies held in memory at once.
    pub(crate) bodies_limit_bytes: usize,
    /// Most connections of clients at once.
    pub(crate) max_connections: usize,
    /// Seconds between syncs of a connection.
    pub(crate) sync_every_s: u64,
    /// Seconds between readings of the load of a database.
    pub(crate) databases_every_s: u64,
    /// Seconds between runs of an agent.
    pub(crate) agents_every_s: u64,
    /// Runs of agents that go side by side.
    pub(crate) agents_at_once: usize,
    /// Seconds between looks whether a bill in `charges/` has changed.
    pub(crate) charges_every_s: u64,
    /// Seal the log into segments after this many entries.
    pub(crate) seal_after_entries: usize,
    /// Seal the log into segments after this many bytes.
    pub(crate) seal_after_bytes: usize,
    /// Seal the log into segments after this many seconds.
    pub(crate) seal_after_s: u64,
    /// Let appends wait while this many bytes are unsealed.
    pub(crate) tail_limit_bytes: usize,
    /// Seconds that one search of the log may take.
    pub(crate) search_limit_s: u64,
    /// Most bytes of one export.
    pub(crate) export_limit_bytes: u64,
    /// Days that files of exports are kept.
    pub(crate) export_keep_days: u32,
    /// Folder below which exports may be delivered; without it none may.
    pub(crate) export_folder: Option<PathBuf>,
    /// Folder with checks and frameworks of people's own; `checks` in the data directory unless set.
    pub(crate) checks_folder: Option<PathBuf>,
    /// S3 buckets to which exports may be delivered with the machine's own AWS credentials; by
    /// default none.
    pub(crate) ambient_buckets: Vec<String>,
    /// Days of metric samples to keep.
    pub(crate) samples_days: u32,
    /// Days that versions of resources' configurations are kept after they have ended.
    pub(crate) configuration_days: u32,
    /// Hour of the day, UTC, in which the log verifies itself and the state is digested.
    pub(crate) self_check_hour: u8,
    /// Seconds between two such checks, in place of once a day.
    pub(crate) self_check_every_s: Option<u64>,
    /// Places at which checkpoints are published.
    pub(crate) publish: Publish,
    /// Witnesses that cosign checkpoints.
    pub(crate) cosign: Cosign,
    /// Addresses at which webhooks and witnesses may be reached.
    pub(crate) outbound: OutboundSection,
    /// Places of the farther tiers of the log; by default there are none.
    pub(crate) tiers: TiersSection,
    /// Listeners for syslog; by default there are none.
    pub(crate) syslog: Vec<SyslogSection>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            data_dir: PathBuf::from("reeve-data"),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            accept_unsigned: false,
            metrics_listen: None,
            metrics_token: None,
            internal_url: None,
            state_url: None,
            anchor: None,
            log_origin: None,
            public_url: None,
            mail_attachment_limit_bytes: 10_000_000,
            secure_cookies: false,
            trusted_proxies: Vec::new(),
            max_body_bytes: 32 * 1024 * 1024,
            bodies_limit_bytes: 256 * 1024 * 1024,
            max_connections: 1000,
            sync_every_s: 300,
            databases_every_s: 60,
            agents_every_s: 900,
            agents_at_once: 2,
            charges_every_s: 60,
            seal_after_entries: 200_000,
            seal_after_bytes: 192 << 20,
            seal_after_s: 86_400,
            tail_limit_bytes: 288 << 20,
            search_limit_s: 10,
            export_limit_bytes: reeve_exports::LIMIT_BYTES,
            export_keep_days: 7,
            export_folder: None,
            checks_folder: None,
            ambient_buckets: Vec::new(),
            samples_days: 400,
            configuration_days: 400,
            self_check_hour: 3,
            self_check_every_s: None,
            publish: Publish::default(),
            cosign: Cosign::default(),
            outbound: OutboundSection::default(),
            tiers: TiersSection::default(),
            syslog: Vec::new(),
        }
    }
}

impl Config {
    /// Reads file, environment and flags.
    pub(crate) fn load(args: &ServeArgs) -> Result<Self> {
        let mut table = match &args.config {
            None => toml::Table::new(),
            Some(path) => read(path)?,
        };
        from_environment(&mut table, std::env::vars())?;
        let mut config = Config::parse(table)?;
        if let Some(dir) = &args.data_dir {
            config.data_dir.clone_from(dir);
        }

        config.accept_unsigned = args.accept_unsigned;
        if let Some(listen) = args.listen {
            config.listen = listen;
        }

        config.check()?;
        Ok(config)
    }

    /// Reads a file alone: a service inside another program does not take that program's
    /// environment for its own.
    pub(crate) fn from_file(path: &Path) -> Result<Self> {
        let config = Config::parse(read(path)?)?;
        config.check()?;
        Ok(config)
    }

    /// Returns the address at which people reach Reeve.
    pub(crate) fn public_url(&self) -> Option<PublicUrl> {
        self.public_url.as_deref().and_then(PublicUrl::parse)
    }

    fn parse(table: toml::Table) -> Result<Self> {
        table.try_into().context("the configuration is not valid")
    }

    fn check(&self) -> Result<()> {
        if self.sync_every_s < 10 || self.agents_every_s < 10 {
            bail!("sync_every_s and agents_every_s must be at least 10");
        }
        if !(1..=LONGEST_BETWEEN_LOADS_S).contains(&self.databases_every_s) {
            bail!("databases_every_s must be 1 to {LONGEST_BETWEEN_LOADS_S}");
        }
        if self.agents_at_once == 0 {
            bail!("agents_at_once must be at least 1");
        }
        if self.charges_every_s == 0 {
            bail!("charges_every_s must be at least 1");
        }
        if self.seal_after_entries == 0 {
            bail!("seal_after_entries must be at least 1");
        }
        if self.tail_limit_bytes <= self.seal_after_bytes {
            bail!("tail_limit_bytes must be more than seal_after_bytes");
        }
        if self.self_check_hour > 23 || self.self_check_every_s == Some(0) {
            bail!("self_check_hour must be 0 to 23, and self_check_every_s at least 1");
        }
        if self
            .metrics_token
            .as_ref()
            .is_some_and(|token| token.len() < 16)
        {
            bail!("metrics_token must have at least 16 characters");
        }

        if self.max_connections == 0 {
            bail!("max_connections must be at least 1");
        }
        if self.bodies_limit_bytes < self.max_body_bytes {
            bail!("bodies_limit_bytes must be at least max_body_bytes");
        }
        if self.search_limit_s == 0 {
            bail!("search_limit_s must be at least 1");
        }
        if self.export_limit_bytes == 0 || self.export_keep_days == 0 {
            bail!("export_limit_bytes and export_keep_days must be at least 1");
        }

        // Requirement B-194: an operator may allow less than 10 GB an export, and never more.
        if self.export_limit_bytes > reeve_exports::LIMIT_BYTES {
            bail!(
                "export_limit_bytes must be at most {}, which is 10 GB",
                reeve_exports::LIMIT_BYTES
            );
        }

        if self.public_url.is_some() && self.public_url().is_none() {
            bail!(
                "public_url must be an https or http address without a query, such as https://reeve.example.com"
            );
        }

        if self
            .internal_url
            .as_deref()
            .is_some_and(|url| PublicUrl::parse(url).is_none())
        {
            bail!(
                "internal_url must be an https or http address without a query, such as http://10.0.0.5:8080"
            );
        }

        self.publish.check()?;
        self.cosign.check()?;
        self.outbound.policy().map(|_| ())?;
        self.tiers.check()?;
        self.syslog.iter().try_for_each(SyslogSection::check)?;

        Ok(())
    }
}

fn read(path: &Path) -> Result<toml::Table> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} could not be read", path.display()))?;
    text.parse()
        .with_context(|| format!("{} is not TOML", path.display()))
}

/// Variables that are not configuration keys.
const OTHER: &[&str] = &[
    "REEVE_ADMIN_TOKEN",
    "REEVE_ADMIN_EMAIL",
    "REEVE_URL",
    "REEVE_TOKEN",
    "REEVE_BACKUP_PASSPHRASE",
];

fn from_environment(
    table: &mut toml::Table,
    variables: impl Iterator<Item = (String, String)>,
) -> Result<()> {
    for (name, text) in variables {
        let Some(key) = name.strip_prefix("REEVE_") else {
            continue;
        };
        if OTHER.contains(&name.as_str())
            || key.starts_with("TEST_")
            || key.starts_with("CI_")
            || key.starts_with("E2E_")
        {
            continue;
        }
        // A value that reads as TOML is taken as such (numbers, booleans, lists), anything else as
        // text.
        let value = format!("value = {text}")
            .parse::<toml::Table>()
            .ok()
            .and_then(|mut one| one.remove("value"));
        table.insert(
            key.to_lowercase(),
            value.unwrap_or(toml::Value::String(text)),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Config> {
        let mut table = toml::Table::new();
        from_environment(
            &mut table,
            pairs
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
        )?;

        Ok(table.try_into()?)
    }

    #[test]
    fn an_export_is_at_most_10_gb_and_may_be_limited_further() {
        assert_eq!(Config::default().export_limit_bytes, 10_000_000_000);
        for (limit, sound) in [
            (0, false),
            (1, true),
            (10_000_000_000, true),
            (10_000_000_001, false),
        ] {
            let config = Config {
                export_limit_bytes: limit,
                ..Config::default()
            };
            assert_eq!(config.check().is_ok(), sound, "{limit}");
        }
    }

    #[test]
    fn the_public_address_takes_paths() {
        for (url, sound) in [
            ("https://reeve.example.com", true),
            ("http://10.0.0.1:8080/reeve/", true),
            ("reeve.example.com", false),
            ("https://reeve.example.com/?a=b", false),
            ("https://user:secret@reeve.example.com", false),
            ("ftp://reeve.example.com", false),
        ] {
            let config = Config {
                public_url: Some(url.to_owned()),
                ..Config::default()
            };
            assert_eq!(config.check().is_ok(), sound, "{url}");
        }
    }

    #[test]
    fn the_environment_sets_keys_and_unknown_ones_are_refused() {
        let config = with(&[
            ("REEVE_SYNC_EVERY_S", "60"),
            ("REEVE_DATA_DIR", "/srv/reeve"),
            ("PATH", "/bin"),
        ])
        .unwrap();

        assert_eq!(
            (config.sync_every_s, config.data_dir),
            (60, PathBuf::from("/srv/reeve"))
        );
        assert!(with(&[("REEVE_ADMIN_TOKEN", "secret")]).is_ok());

        let refused = with(&[("REEVE_LISTN", "1.2.3.4:1")])
            .unwrap_err()
            .to_string();
        assert!(refused.contains("listn"), "{refused}");
    }
}
