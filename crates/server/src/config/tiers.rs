//! Places of the farther tiers of the log: the section `tiers`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use reeve_verify::TierFolder;
use serde::Deserialize;

/// `[tiers]`: where segments go whose hot and warm periods have passed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TiersSection {
    /// Bytes of the local disk for segments that were fetched from a farther tier.
    pub(crate) fetched_bytes: u64,
    /// Place of the warm tier; without one segments stay on the local disk.
    pub(crate) warm: Option<TierSection>,
    /// Place of the cold tier; without one segments stay where they are.
    pub(crate) cold: Option<TierSection>,
}

/// `[tiers.warm]` and `[tiers.cold]`: a folder, or a bucket of S3 or of what speaks its protocol.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TierSection {
    /// A folder that exists, best on another disk.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) bucket: Option<String>,
    pub(crate) region: Option<String>,
    /// Put before the names of objects.
    #[serde(default)]
    pub(crate) prefix: String,
    /// Another endpoint than AWS's.
    pub(crate) endpoint: Option<String>,
    /// Access key; without one the machine's own credentials are used.
    pub(crate) access_key_id: Option<String>,
    pub(crate) secret_access_key: Option<String>,
}

impl std::fmt::Debug for TierSection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TierSection")
            .field("folder", &self.folder)
            .field("bucket", &self.bucket)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl Default for TiersSection {
    fn default() -> Self {
        TiersSection {
            fetched_bytes: 4 << 30,
            warm: None,
            cold: None,
        }
    }
}

impl TiersSection {
    /// Returns the folders among the places.
    pub(crate) fn folders(&self) -> Vec<TierFolder> {
        let places = [("warm", &self.warm), ("cold", &self.cold)];
        let folder = |(tier, place): (&str, &Option<TierSection>)| {
            let folder = place.as_ref()?.folder.clone()?;
            Some(TierFolder {
                tier: tier.to_owned(),
                folder,
            })
        };
        places.into_iter().filter_map(folder).collect()
    }

    pub(super) fn check(&self) -> Result<()> {
        for (name, section) in [("warm", &self.warm), ("cold", &self.cold)] {
            if let Some(section) = section {
                section.check(name)?;
            }
        }
        if let (Some(warm), Some(cold)) = (&self.warm, &self.cold)
            && warm.address() == cold.address()
        {
            bail!(
                "tiers.warm and tiers.cold must be two places, not {}",
                warm.address()
            );
        }
        Ok(())
    }
}

impl TierSection {
    fn check(&self, name: &str) -> Result<()> {
        match (&self.folder, &self.bucket) {
            (Some(folder), None) => {
                if !folder.is_absolute() {
                    bail!(
                        "tiers.{name}.folder must be an absolute path, not {}",
                        folder.display()
                    );
                }
                let more = self.region.is_some()
                    || !self.prefix.is_empty()
                    || self.endpoint.is_some()
                    || self.access_key_id.is_some();
                if more {
                    bail!(
                        "tiers.{name}: region, prefix, endpoint and access_key_id go with a bucket, not with a folder"
                    );
                }
            }
            (None, Some(_)) if self.region.is_none() => bail!("tiers.{name}.region is missing"),
            (None, Some(_)) => {}
            _ => bail!("tiers.{name} needs either folder or bucket"),
        }
        if self.access_key_id.is_some() != self.secret_access_key.is_some() {
            bail!("tiers.{name}.access_key_id and tiers.{name}.secret_access_key go together");
        }
        Ok(())
    }

    /// Returns the address of the place, as people and entries name it.
    pub(crate) fn address(&self) -> String {
        match (&self.folder, &self.bucket) {
            (Some(folder), _) => folder.display().to_string(),
            (None, bucket) => {
                let bucket = bucket.as_deref().unwrap_or_default();
                let address = format!("s3://{bucket}/{}", self.prefix.trim_matches('/'));
                address.trim_end_matches('/').to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_bucket() {
        for (text, refused) in [
            ("[warm]\nfolder = '/mnt/warm'", None),
            ("[warm]\nbucket = 'b'\nregion = 'eu-central-1'", None),
            ("fetched_bytes = 0", None),
            ("[warm]", Some("needs either")),
            ("[cold]\nfolder = '/a'\nbucket = 'b'", Some("needs either")),
            ("[warm]\nfolder = 'warm'", Some("absolute path")),
            ("[cold]\nbucket = 'b'", Some("tiers.cold.region is missing")),
            (
                "[warm]\nfolder = '/a'\nprefix = 'b'",
                Some("go with a bucket"),
            ),
            (
                "[warm]\nbucket = 'b'\nregion = 'r'\naccess_key_id = 'a'",
                Some("go together"),
            ),
            (
                "[warm]\nfolder = '/a'\n[cold]\nfolder = '/a'",
                Some("must be two places"),
            ),
        ] {
            let section: TiersSection = toml::from_str(text).unwrap();
            let error = section.check().err().map(|error| error.to_string());
            match refused {
                None => assert_eq!(error, None, "{text}"),
                Some(part) => assert!(error.unwrap().contains(part), "{text}"),
            }
        }
    }
}
