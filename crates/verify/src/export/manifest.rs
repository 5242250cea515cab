//! Reading a manifest. Refuses other versions, names with a folder in them, and members of other types.

use std::path::Path;

use serde_json::Value;

use crate::error::CannotVerify;

const FORMAT: &str = "reeve/export-manifest/v1";
/// Longest manifest that is read, bytes.
const LONGEST: u64 = 16 << 20;

/// Returns `true` if a file looks like the manifest of an export.
pub(crate) fn is_manifest(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".manifest.json"))
}

/// A file that a manifest lists.
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    pub(super) entries: u64,
}

/// Format of the files.
pub(super) enum Format {
    Json,
    Parquet,
    /// A format that does not carry whole entries.
    Lossy(String),
}

impl Format {
    pub(super) fn name(&self) -> &str {
        match self {
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::Lossy(name) => name,
        }
    }
}

/// A manifest.
pub(super) struct Manifest {
    pub(super) id: String,
    pub(super) format: Format,
    /// Description of the export, which the `audit.export` entry must repeat.
    pub(super) export: Value,
    pub(super) files: Vec<Listed>,
    pub(super) proof: Listed,
    pub(super) entries: u64,
    pub(super) span: Option<(u64, u64)>,
    pub(super) checkpoint: String,
    pub(super) entry_proof: String,
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Manifest, CannotVerify> {
        let unreadable = |error| CannotVerify::unreadable(path)(error);
        let length = std::fs::metadata(path).map_err(unreadable)?.len();
        let invalid = |message: String| unreadable(std::io::Error::new(std::io::ErrorKind::InvalidData, message));
        if length > LONGEST {
            return Err(invalid("it is longer than a manifest can be".to_owned()));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| invalid(format!("it is not JSON: {error}")))?;
        let format = value["format"].as_str().unwrap_or_default();
        if format != FORMAT {
            if format.starts_with("reeve/export-manifest/v") {
                return Err(CannotVerify::Version { file: path.display().to_string(), found: format.to_owned() });
            }
            return Err(invalid(format!("it is not the manifest of an export: \"format\" is not {FORMAT:?}")));
        }
        Self::parse(&value).ok_or_else(|| invalid("a member is missing or of another type".to_owned()))
    }

    fn parse(value: &Value) -> Option<Manifest> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let export = value.get("export")?;
        let span = match (value.get("first_sequence")?, value.get("last_sequence")?) {
            (Value::Null, Value::Null) => None,
            (first, last) => Some((first.as_u64()?, last.as_u64()?)),
        };
        Some(Manifest {
            id: export.get("id")?.as_str()?.to_owned(),
            format: match export.get("format")?.as_str()? {
                "json" => Format::Json,
                "parquet" => Format::Parquet,
                name => Format::Lossy(name.to_owned()),
            },
            files: export.get("files")?.as_array()?.iter().map(listed).collect::<Option<_>>()?,
            proof: listed(value.get("proof")?)?,
            entries: export.get("entries")?.as_u64()?,
            span,
            checkpoint: text("checkpoint")?,
            entry_proof: text("entry_proof")?,
            export: export.clone(),
        })
    }
}

fn listed(value: &Value) -> Option<Listed> {
    let name = value.get("name")?.as_str()?.to_owned();
    let plain = !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != "..";
    let sha256 = value.get("sha256")?.as_str()?.to_owned();
    let entries = value.get("entries").and_then(Value::as_u64).unwrap_or_default();
    plain.then_some(Listed { name, bytes: value.get("bytes")?.as_u64()?, sha256, entries })
}
