//! Files that a manifest lists, and the entry of the log that names their hashes: the part that
//! manifests of exports and of reports share. Refuses other versions, names with a folder in them,
//! and members of other types.
//!
//! A manifest is not signed. It is believed because it carries the proof of the entry that Reeve
//! wrote when the files were complete, and because that entry says the same as the manifest.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use reeve_tlog::{Checkpoint, Epochs, Hash};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::error::{CannotVerify, is_absence, with_causes};
use crate::kept::{self, Witnesses};
use crate::proof::verify_proof;

/// Largest number of faults listed; further ones are counted.
const TOLD: usize = 100;
/// Longest manifest that is read, bytes.
const LONGEST: u64 = 16 << 20;
const BUFFER: usize = 256 << 10;

/// Outcome of checking the files of a manifest.
#[derive(Debug)]
pub struct ManifestReport {
    /// Kind of file: `export` or `report`.
    pub kind: &'static str,
    /// Name of the log.
    pub origin: String,
    /// Identifier of the export, or of the report's run.
    pub id: String,
    /// Format of the files.
    pub format: String,
    /// Entries proven to be in the log.
    pub entries: u64,
    /// Size of the tree that proves it.
    pub size: u64,
    /// Root of that tree.
    pub root: Hash,
    /// Faults, at most 100.
    pub faults: Vec<String>,
    pub faults_total: u64,
    /// Checks that this format does not allow, and other remarks.
    pub not_checked: Vec<String>,
}

impl ManifestReport {
    pub(crate) fn new(kind: &'static str, id: &str, format: &str) -> ManifestReport {
        ManifestReport {
            kind,
            origin: String::new(),
            id: id.to_owned(),
            format: format.to_owned(),
            entries: 0,
            size: 0,
            root: Hash::ZERO,
            faults: Vec::new(),
            faults_total: 0,
            not_checked: Vec::new(),
        }
    }

    pub(crate) fn fault(&mut self, message: impl Into<String>) {
        self.faults_total += 1;
        if self.faults.len() < TOLD {
            self.faults.push(message.into());
        }
    }

    /// Returns `true` if everything that was checked holds.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.faults_total == 0
    }

    /// The report as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut value = json!({
            "intact": self.is_intact(),
            "format": self.format,
            "entries": self.entries,
            "tree": { "origin": self.origin, "size": self.size, "root": self.root.to_string() },
            "faults": self.faults,
            "faults_total": self.faults_total,
            "not_checked": self.not_checked,
        });
        value[self.kind] = json!(self.id);

        value
    }
}

impl std::fmt::Display for ManifestReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, id) = (self.kind, &self.id);
        if self.is_intact() {
            writeln!(
                f,
                "intact: {kind} {id} holds {} entries of {}",
                self.entries, self.origin
            )?;
        } else {
            writeln!(
                f,
                "BROKEN: {kind} {id} of {}: {} faults",
                self.origin, self.faults_total
            )?;
            self.faults
                .iter()
                .try_for_each(|fault| writeln!(f, "  {fault}"))?;
        }

        writeln!(f, "  format       {}", self.format)?;
        writeln!(
            f,
            "  in the tree  {} entries, root {}",
            self.size, self.root
        )?;

        self.not_checked
            .iter()
            .try_for_each(|message| writeln!(f, "  not checked  {message}"))
    }
}

/// Returns `true` if a file looks like a manifest.
pub(crate) fn is_manifest(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(".manifest.json"))
}

/// Reads a manifest of a format such as `reeve/export-manifest/v1`.
pub(crate) fn read(path: &Path, format: &str) -> Result<Value, CannotVerify> {
    let value = value(path)?;
    let found = value["format"].as_str().unwrap_or_default();
    if found == format {
        return Ok(value);
    }

    let any_version = format.trim_end_matches(|digit: char| digit.is_ascii_digit());
    if found.starts_with(any_version) {
        return Err(CannotVerify::Version {
            file: path.display().to_string(),
            found: found.to_owned(),
        });
    }

    Err(invalid(
        path,
        format!("it is not a manifest of Reeve's: \"format\" is not {format:?}"),
    ))
}

/// Returns the format that a manifest names.
pub(crate) fn format_of(path: &Path) -> Result<String, CannotVerify> {
    Ok(value(path)?["format"]
        .as_str()
        .unwrap_or_default()
        .to_owned())
}

fn value(path: &Path) -> Result<Value, CannotVerify> {
    let length = std::fs::metadata(path)
        .map_err(CannotVerify::unreadable(path))?
        .len();
    if length > LONGEST {
        return Err(invalid(
            path,
            "it is longer than a manifest can be".to_owned(),
        ));
    }

    let bytes = std::fs::read(path).map_err(CannotVerify::unreadable(path))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| invalid(path, format!("it is not JSON: {error}")))
}

fn invalid(path: &Path, message: String) -> CannotVerify {
    CannotVerify::unreadable(path)(std::io::Error::new(
        std::io::ErrorKind::InvalidData,
        message,
    ))
}

pub(crate) fn malformed(path: &Path) -> CannotVerify {
    invalid(path, "a member is missing or of another type".to_owned())
}

/// A file that a manifest lists.
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
    /// Entries in it; 0 where the manifest gives none.
    pub(crate) entries: u64,
}

pub(crate) fn listed(value: &Value) -> Option<Listed> {
    let name = value.get("name")?.as_str()?.to_owned();
    let plain =
        !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != "..";
    let sha256 = value.get("sha256")?.as_str()?.to_owned();
    let entries = value
        .get("entries")
        .and_then(Value::as_u64)
        .unwrap_or_default();

    plain.then_some(Listed {
        name,
        bytes: value.get("bytes")?.as_u64()?,
        sha256,
        entries,
    })
}

/// The statement of a manifest about its files, and the proof of the entry that repeats it.
pub(crate) struct AttestedStatement {
    /// Member of the manifest, and of the entry's metadata, with the statement.
    member: &'static str,
    event_type: &'static str,
    pub(crate) id: String,
    /// The statement, which the entry must repeat.
    pub(crate) said: Value,
    checkpoint: String,
    entry_proof: String,
}

impl AttestedStatement {
    /// Reads the statement of a manifest; `None` where a member is missing or of another type.
    pub(crate) fn parse(
        manifest: &Value,
        member: &'static str,
        event_type: &'static str,
        id: &str,
    ) -> Option<AttestedStatement> {
        let text = |name: &str| manifest.get(name)?.as_str().map(str::to_owned);
        let said = manifest.get(member)?.clone();
        let id = said.get(id)?.as_str()?.to_owned();
        let (checkpoint, entry_proof) = (text("checkpoint")?, text("entry_proof")?);

        Some(AttestedStatement {
            member,
            event_type,
            id,
            said,
            checkpoint,
            entry_proof,
        })
    }
}

/// Checks the entry that a manifest proves, and that it says what the manifest says. Returns the
/// checkpoint that vouches for both.
pub(crate) fn check_statement(
    statement: &AttestedStatement,
    keys: &Epochs,
    witnesses: &Witnesses,
    report: &mut ManifestReport,
) -> Result<Option<Checkpoint>, CannotVerify> {
    let (member, event_type) = (statement.member, statement.event_type);
    let proven = match verify_proof(statement.entry_proof.as_bytes(), keys)? {
        Ok(proven) => proven,
        Err(fault) => {
            report.fault(format!(
                "the proof of the {event_type} entry is invalid: {}",
                with_causes(&fault)
            ));
            return Ok(None);
        }
    };

    if let Err(fault) = kept::count(&proven.note, witnesses) {
        report.fault(fault.to_string());
    }

    let entry: Value = serde_json::from_slice(&proven.entry.to_canonical()).unwrap_or_default();
    for (pointer, expected) in [
        ("/event_type", event_type),
        ("/action/status", "success"),
        ("/submitted_by/type", "reeve"),
        ("/resource/id", statement.id.as_str()),
    ] {
        if entry.pointer(pointer).and_then(Value::as_str) != Some(expected) {
            report.fault(format!(
                "the proven entry is not the one of this {member}: {pointer} is not {expected}"
            ));
        }
    }

    if entry.pointer(&format!("/metadata/{member}")) != Some(&statement.said) {
        report.fault(format!(
            "the manifest's member {member:?} is not what the {event_type} entry of the log says"
        ));
    }

    if statement.checkpoint != proven.note.to_string() {
        report.fault("the manifest's checkpoint is not the one that its entry is proven under");
    }

    let checkpoint = proven.checkpoint;
    (report.origin, report.size, report.root) =
        (checkpoint.origin.clone(), checkpoint.size, checkpoint.root);
    Ok(Some(checkpoint))
}

/// Checks the length and the SHA-256 of a file beside the manifest.
pub(crate) fn check_hash(
    folder: &Path,
    listed: &Listed,
    report: &mut ManifestReport,
) -> Result<(), CannotVerify> {
    let path = folder.join(&listed.name);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => {
            report.fault(format!("{} is missing", listed.name));
            return Ok(());
        }
        Err(error) => return Err(CannotVerify::unreadable(&path)(error)),
    };

    let (mut sha256, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; BUFFER]);
    loop {
        match file
            .read(&mut buffer)
            .map_err(CannotVerify::unreadable(&path))?
        {
            0 => break,
            count => {
                sha256.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }

    if bytes != listed.bytes {
        report.fault(format!(
            "{} has {bytes} bytes and not {}",
            listed.name, listed.bytes
        ));
    } else if hex::encode(sha256.finalize()) != listed.sha256 {
        report.fault(format!(
            "{} was changed: its SHA-256 differs from the {}'s",
            listed.name, report.kind
        ));
    }

    Ok(())
}
