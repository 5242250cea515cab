//! Reading a manifest. Refuses other versions, names with a folder in them, and members of other
//! types.

use std::path::Path;

use serde_json::Value;

use crate::attested::{self, AttestedStatement, Listed, listed};
use crate::error::CannotVerify;

/// Format of the manifest of an export.
const FORMAT: &str = "reeve/export-manifest/v1";

/// Format of the files.
pub(super) enum ManifestFormat {
    Json,
    Parquet,
    /// A format that does not carry whole entries.
    Lossy(String),
}

impl ManifestFormat {
    pub(super) fn name(&self) -> &str {
        match self {
            ManifestFormat::Json => "json",
            ManifestFormat::Parquet => "parquet",
            ManifestFormat::Lossy(name) => name,
        }
    }
}

pub(super) struct ExportManifest {
    pub(super) statement: AttestedStatement,
    pub(super) format: ManifestFormat,
    pub(super) files: Vec<Listed>,
    pub(super) proof: Listed,
    pub(super) entries: u64,
    pub(super) span: Option<(u64, u64)>,
}

impl ExportManifest {
    pub(super) fn read(path: &Path) -> Result<ExportManifest, CannotVerify> {
        let value = attested::read(path, FORMAT)?;
        Self::parse(&value).ok_or_else(|| attested::malformed(path))
    }

    fn parse(value: &Value) -> Option<ExportManifest> {
        let statement = AttestedStatement::parse(value, "export", "audit.export", "id")?;
        let export = &statement.said;
        let span = match (value.get("first_sequence")?, value.get("last_sequence")?) {
            (Value::Null, Value::Null) => None,
            (first, last) => Some((first.as_u64()?, last.as_u64()?)),
        };

        Some(ExportManifest {
            format: match export.get("format")?.as_str()? {
                "json" => ManifestFormat::Json,
                "parquet" => ManifestFormat::Parquet,
                name => ManifestFormat::Lossy(name.to_owned()),
            },
            files: export
                .get("files")?
                .as_array()?
                .iter()
                .map(listed)
                .collect::<Option<_>>()?,
            proof: listed(value.get("proof")?)?,
            entries: export.get("entries")?.as_u64()?,
            span,
            statement,
        })
    }
}
