//! Places for checkpoints, their witnesses, and the addresses that may be reached: the sections
//! `publish`, `cosign` and `outbound`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use reeve_connect_outbound::{OutboundPolicy, Url};
use reeve_tlog::WitnessKey;
use serde::Deserialize;

/// Bytes of a file of certificate authorities.
const MOST_PEM: usize = 1 << 20;

/// `[publish]`: copies of the newest checkpoint, kept where whoever rewrites the log cannot rewrite
/// them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Publish {
    /// Seconds between deliveries while the log grows.
    pub(crate) after_change_s: u64,
    /// Seconds after which the newest is delivered again although nothing changed.
    pub(crate) every_s: u64,
    /// A file, best on another disk.
    pub(crate) file: Option<PathBuf>,
    /// Bucket that checkpoints are published in.
    pub(crate) s3: Option<PublishS3>,
    /// An address that is sent each checkpoint with POST.
    pub(crate) webhook: Option<PublishWebhook>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishS3 {
    pub(crate) bucket: String,
    pub(crate) region: String,
    /// Put before the names of objects.
    #[serde(default)]
    pub(crate) prefix: String,
    /// Another endpoint than AWS's.
    pub(crate) endpoint: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishWebhook {
    pub(crate) url: String,
    /// A bearer token for it.
    pub(crate) token: Option<String>,
}

/// The table `[cosign]`: witnesses that sign checkpoints.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Cosign {
    /// Seconds between rounds while the log grows.
    pub(crate) every_s: u64,
    /// Number of witnesses that must cosign before a checkpoint counts as cosigned; all unless
    /// given.
    pub(crate) needed: Option<usize>,
    pub(crate) witnesses: Vec<WitnessEntry>,
}

/// One of `[[cosign.witnesses]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WitnessEntry {
    pub(crate) url: String,
    /// Its verifier key for cosignatures.
    pub(crate) vkey: String,
}

/// `[outbound]`: what webhooks and witnesses may be reached at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OutboundSection {
    /// Networks that may be reached although they are not public, such as `10.1.0.0/16`.
    pub(crate) allow: Vec<String>,
    /// Plain http to public addresses.
    pub(crate) plain_http: bool,
    /// A file of certificate authorities (PEM) that are trusted beside the system's own: those of a
    /// mail server or a receiver within the house.
    pub(crate) ca_file: Option<PathBuf>,
}

impl Default for Publish {
    fn default() -> Self {
        Publish {
            after_change_s: 10,
            every_s: 3_600,
            file: None,
            s3: None,
            webhook: None,
        }
    }
}

impl Default for Cosign {
    fn default() -> Self {
        Cosign {
            every_s: 10,
            needed: None,
            witnesses: Vec::new(),
        }
    }
}

impl Publish {
    pub(super) fn check(&self) -> Result<()> {
        if self.after_change_s == 0 || self.every_s == 0 {
            bail!("publish.after_change_s and publish.every_s must be at least 1");
        }
        self.webhook
            .iter()
            .try_for_each(|webhook| webhook.url().map(|_| ()))
    }
}

impl Cosign {
    pub(super) fn check(&self) -> Result<()> {
        let count = self.witnesses.len();
        if self.every_s == 0
            || self
                .needed
                .is_some_and(|needed| needed == 0 || needed > count)
        {
            bail!(
                "cosign.every_s must be at least 1, and cosign.needed between 1 and the number of witnesses, {count}"
            );
        }

        self.witnesses
            .iter()
            .try_for_each(|witness| witness.url().map(|_| ()))?;
        self.keys().map(|_| ())
    }

    /// The witnesses' keys, in order.
    pub(crate) fn keys(&self) -> Result<Vec<WitnessKey>> {
        let key = |witness: &WitnessEntry| {
            witness
                .vkey
                .parse()
                .with_context(|| format!("cosign: {}", witness.vkey))
        };
        self.witnesses.iter().map(key).collect()
    }
}

impl PublishWebhook {
    pub(crate) fn url(&self) -> Result<Url> {
        self.url
            .parse()
            .with_context(|| format!("publish.webhook.url: {} is not an address", self.url))
    }
}

impl WitnessEntry {
    pub(crate) fn url(&self) -> Result<Url> {
        self.url
            .parse()
            .with_context(|| format!("cosign: {} is not an address", self.url))
    }
}

/// A file of certificates; one without any is a mistake that would be noticed only when a mail
/// fails.
fn authorities(path: &Path) -> Result<Vec<u8>> {
    let location = || format!("outbound.ca_file: {}", path.display());
    let pem = std::fs::read(path).with_context(location)?;
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----")
        || pem.len() > MOST_PEM
    {
        bail!(
            "{} is not a PEM file of certificates of at most {MOST_PEM} bytes",
            location()
        );
    }

    Ok(pem)
}

impl OutboundSection {
    /// The policy it describes.
    pub(crate) fn policy(&self) -> Result<OutboundPolicy> {
        let network = |text: &String| {
            text.parse()
                .with_context(|| format!("outbound.allow: {text} is not a network"))
        };

        let authorities = match &self.ca_file {
            Some(path) => authorities(path)?,
            None => Vec::new(),
        };
        let allow = self.allow.iter().map(network).collect::<Result<_>>()?;
        Ok(OutboundPolicy {
            allow,
            plain_http: self.plain_http,
            authorities,
        })
    }
}
