//! A whole data directory: key, anchor, checkpoint, segments, tiles and write-ahead log, each held
//! against the others.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use reeve_tlog::{Epochs, NoteVerifier};

use crate::anchor::Anchor;
use crate::audit::Audit;
use crate::cpu;
use crate::deletions;
use crate::derived;
use crate::error::{CannotVerify, read_if_there, with_causes};
use crate::expiry::Expiries;
use crate::finding::{Finding, Findings};
use crate::kept::{self, KeptCheckpoint, Witnesses};
use crate::key::{self, Key, KeySource, VKEY};
use crate::manifest::{MANIFEST, Manifest, ManifestFiles};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::report::{Freshness, Report, VerifiedCounts};
use crate::sealed;
use crate::sequence::SequenceChecks;
use crate::snapshot::{self, CHECKPOINT, Snapshot, WalFile};
use crate::tier_folder::TierFolder;
use crate::wal::Wal;
use crate::walk::{Milestone, Walk};

/// The newest checkpoint that witnesses have cosigned.
const COSIGNED: &str = "ledger/checkpoint.cosigned";

/// Options for verifying a data directory.
#[derive(Debug, Clone, Default)]
pub struct DirectoryOptions {
    /// Log's key, from a place that an attacker with access to the directory cannot change. By
    /// default the directory's own, which proves less.
    pub public_key: Option<NoteVerifier>,
    /// The anchor's file, when it is not `anchor/head` in the directory.
    pub anchor: Option<PathBuf>,
    /// Signed checkpoints of before that the log must extend.
    pub checkpoints: Vec<KeptCheckpoint>,
    /// Witnesses that must have cosigned.
    pub witnesses: Witnesses,
    /// Take a manifest and an anchor of a version that did not sign them as notes, not as findings.
    pub accept_unsigned: bool,
    /// Folders of the warm and the cold tier, or copies of their buckets.
    pub tiers: Vec<TierFolder>,
}

/// Verifies a data directory, also one that a service is writing to: then up to what it held at the
/// beginning.
pub fn verify_directory(
    dir: &Path,
    options: &DirectoryOptions,
    progress: &Progress,
) -> Result<Report, CannotVerify> {
    let (started, cpu) = (Instant::now(), cpu::used());
    let Snapshot {
        mut anchor,
        checkpoint,
        manifest,
        wal,
        strange,
    } = snapshot::take(dir, options.anchor.as_deref())?;

    let mut findings = Findings::default();
    let (key, wrong_keys) = key::of_directory(dir, options.public_key.as_ref())?;
    wrong_keys
        .into_iter()
        .chain(anchor.findings.iter().cloned())
        .for_each(|finding| findings.add(finding));
    let mut notes: Vec<String> = strange
        .into_iter()
        .map(|name| format!("{name} is not a file of the log"))
        .collect();
    let accepts = unsigned(
        &manifest,
        &anchor,
        &wal,
        options.accept_unsigned,
        &mut findings,
        &mut notes,
    );
    anchor.check_signatures(&key.epochs, accepts, &mut findings);

    let goes_on = |size: u64| wal.iter().any(|file| file.first == size);
    let manifest = manifest.read(&key.epochs, goes_on, &mut findings, &mut notes)?;

    if key.source == KeySource::Directory {
        notes.push(format!(
            "the key was read from {VKEY} in the directory itself, so a log rewritten as a whole would pass; keep the key elsewhere and give it with --public-key"
        ));
    }

    let readable = manifest.is_some();
    // Without a manifest the log is read from where its first file begins; what is before it is
    // lost.
    let manifest = manifest.unwrap_or_else(|| Manifest {
        sealed_size: wal.first().map_or(0, |file| file.first),
        ..Manifest::default()
    });
    let mut counts = VerifiedCounts::default();
    let mut milestones = milestones_of(&anchor, &manifest);
    let signed = signed_checkpoint(
        checkpoint.as_deref(),
        &key.epochs,
        &mut findings,
        &mut notes,
    );
    milestones.extend(signed);

    milestones.extend(epoch_milestones(&key));
    milestones.extend(kept::milestones(
        &options.checkpoints,
        &key.epochs,
        &mut findings,
    ));

    let cosigned = match options.witnesses.keys.is_empty() {
        true => None,
        false => read_if_there(&dir.join(COSIGNED))?,
    };
    milestones.extend(cosigned_checkpoint(
        cosigned.as_deref(),
        &options.witnesses,
        &key.epochs,
        &mut findings,
        &mut notes,
    ));
    let cosigned_at = cosignature_times(options, cosigned.as_deref(), &key.epochs);

    counts.checkpoints += milestones
        .iter()
        .filter(|milestone| milestone.signed)
        .count() as u64;
    let walk = Walk::new(dir, manifest.sealed_size, milestones, &mut findings)?;
    let sequence =
        SequenceChecks::new(anchor.size().max(manifest.sealed_size)).with_cosignatures(cosigned_at);
    let mut audit = Audit {
        findings,
        notes,
        missing: Missing::default(),
        expiries: Expiries::default(),
        counts,
        walk,
        sequence,
    };
    origin(&manifest, &key.verifier, &mut audit);

    unlisted(dir, &manifest, &mut audit)?;
    progress.expect(anchor.size().max(manifest.sealed_size));

    if readable {
        sealed::check(dir, &options.tiers, &manifest, &mut audit, progress)?;
    } else {
        audit.walk.lose(0);
        audit.notes.push(format!(
            "{MANIFEST} is unreadable, so nothing sealed was checked"
        ));
    }

    // Read again: a key that took over since the beginning may have attested what was merged or
    // made anew meanwhile.
    let (newest, _) = key::of_directory(dir, options.public_key.as_ref())?;
    derived::check(dir, &manifest, &newest.epochs, &mut audit)?;
    let live = leftovers(wal, manifest.sealed_size, &mut audit);
    let mut log = Wal::new(&key.epochs, anchor.size(), manifest.sealed_size);
    log.check(&live, &mut audit, progress)?;
    let size = log.next;
    chain_points(dir, &manifest, &mut audit)?;
    deletions::check(&mut audit);
    audit.sequence.finish(&mut audit.findings, &mut audit.notes);
    conclude(size, &anchor, &mut audit);
    progress.finish();
    let freshness = Freshness::new(
        options.anchor.as_deref(),
        &options.checkpoints,
        &options.witnesses,
    );

    Ok(audit.report(
        dir,
        key,
        freshness,
        size,
        (started.elapsed(), cpu::since(cpu)),
    ))
}

/// Times at which witnesses cosigned the checkpoints that are at hand.
fn cosignature_times(
    options: &DirectoryOptions,
    cosigned: Option<&[u8]>,
    keys: &Epochs,
) -> Vec<crate::sequence::CosignedAt> {
    let kept = options.checkpoints.iter().map(|kept| kept.bytes.as_slice());
    kept.chain(cosigned)
        .flat_map(|note| kept::times(note, &options.witnesses, keys))
        .collect()
}

/// Says of a directory without a signed manifest that it is one. Returns `true` if an anchor
/// without a signature goes with it.
fn unsigned(
    manifest: &ManifestFiles,
    anchor: &Anchor,
    wal: &[WalFile],
    accept: bool,
    findings: &mut Findings,
    notes: &mut Vec<String>,
) -> bool {
    let has_entries =
        manifest.unsigned.is_some() || anchor.size() > 0 || wal.iter().any(|file| file.first > 0);
    if manifest.journal.is_some() || !has_entries {
        return false;
    }

    let message = "there is no signed manifest: the log is of a version that signed neither it nor the anchor, or the signed files were removed";
    if accept {
        notes.push(format!(
            "{MANIFEST}: {message}; it was accepted with --accept-unsigned"
        ));
    } else {
        findings.add(Finding::new(
            MANIFEST,
            format!("{message}; --accept-unsigned makes this a note"),
        ));
    }

    true
}

/// So many files that count for nothing are named.
const STRAYS_NOTED: usize = 20;

/// Says what the two slots of the anchor and the manifest claim.
fn milestones_of(anchor: &Anchor, manifest: &Manifest) -> Vec<Milestone> {
    let mut milestones: Vec<Milestone> = anchor
        .slots
        .iter()
        .map(|slot| Milestone {
            size: slot.size,
            root: Some(slot.root),
            chain_hash: Some(slot.chain_hash),
            file: anchor.file.clone(),
            offset: Some(slot.offset),
            source_name: "the anchor",
            signed: slot.is_verified,
            elsewhere: false,
        })
        .collect();

    milestones.push(Milestone {
        size: manifest.sealed_size,
        root: manifest.root,
        chain_hash: manifest.chain_hash,
        file: MANIFEST.to_owned(),
        offset: None,
        source_name: "the manifest",
        signed: false,
        elsewhere: false,
    });

    milestones
}

/// The newest checkpoint, its signature verified.
fn signed_checkpoint(
    bytes: Option<&[u8]>,
    keys: &Epochs,
    findings: &mut Findings,
    notes: &mut Vec<String>,
) -> Option<Milestone> {
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
        notes.push(format!(
            "{CHECKPOINT} is missing or empty, as a power cut may leave it"
        ));
        return None;
    };
    match keys.open(bytes) {
        Ok(checkpoint) => Some(Milestone::signed(
            &checkpoint,
            CHECKPOINT,
            "the signed checkpoint",
        )),
        Err(error) => {
            findings.add(Finding::new(
                CHECKPOINT,
                format!("the checkpoint is refused: {}", with_causes(&error)),
            ));
            None
        }
    }
}

/// Returns the milestones that the records of key epochs give.
fn epoch_milestones(key: &Key) -> impl Iterator<Item = Milestone> {
    key.epochs.rotations().iter().map(|epoch| Milestone {
        size: epoch.size,
        root: Some(epoch.root),
        chain_hash: None,
        file: format!("{}/{}", key::EPOCHS, epoch.number),
        offset: None,
        source_name: "the record of a key epoch",
        signed: true,
        elsewhere: false,
    })
}

/// The newest checkpoint with cosignatures, where witnesses are asked for.
fn cosigned_checkpoint(
    bytes: Option<&[u8]>,
    witnesses: &Witnesses,
    keys: &Epochs,
    findings: &mut Findings,
    notes: &mut Vec<String>,
) -> Option<Milestone> {
    let checkpoint = kept::cosigned(COSIGNED, bytes, witnesses, keys, findings, notes)?;
    Some(Milestone::cosigned(&checkpoint, COSIGNED))
}

fn origin(manifest: &Manifest, key: &NoteVerifier, audit: &mut Audit) {
    if let Some(origin) = manifest
        .origin
        .as_deref()
        .filter(|origin| *origin != key.name())
    {
        let wrong = Finding::new(MANIFEST, "the manifest is that of another log than the key");
        audit.findings.add(wrong.differs(key.name(), origin));
    }
}

/// Notes segments that the manifest does not list: they count for nothing.
fn unlisted(dir: &Path, manifest: &Manifest, audit: &mut Audit) -> Result<(), CannotVerify> {
    let listed: HashSet<&str> = manifest
        .segments
        .iter()
        .map(|segment| segment.path.as_str())
        .collect();
    let (mut folders, mut strays) = (vec!["lake/entries".to_owned()], Vec::new());

    while let Some(folder) = folders.pop() {
        let path = dir.join(&folder);
        let items = match std::fs::read_dir(&path) {
            Ok(items) => items,
            Err(error) if crate::error::is_absence(&error) => continue,
            Err(error) => return Err(CannotVerify::unreadable(&path)(error)),
        };
        for item in items {
            let item = item.map_err(CannotVerify::unreadable(&path))?;
            let name = format!("{folder}/{}", item.file_name().to_string_lossy());
            if item.path().is_dir() {
                folders.push(name);
            } else if !listed.contains(name.as_str()) {
                strays.push(name);
            }
        }
    }

    strays.sort();
    let noted = strays.iter().take(STRAYS_NOTED);
    audit
        .notes
        .extend(noted.map(|name| format!("{name} is not in {MANIFEST}; it counts for nothing")));

    if strays.len() > STRAYS_NOTED {
        audit.notes.push(format!(
            "{} more files are not in {MANIFEST}",
            strays.len() - STRAYS_NOTED
        ));
    }

    Ok(())
}

/// Drops the files of the write-ahead log whose entries are sealed.
fn leftovers(files: Vec<WalFile>, sealed_size: u64, audit: &mut Audit) -> Vec<WalFile> {
    let (sealed, live): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.first < sealed_size);
    for file in sealed {
        audit.notes.push(format!(
            "{} is a leftover of a seal; its entries are in segments",
            file.name
        ));
    }
    live
}

/// Adds a note if the index of chain hashes is wrong; the service rebuilds it.
fn chain_points(dir: &Path, manifest: &Manifest, audit: &mut Audit) -> Result<(), CannotVerify> {
    let bytes = read_if_there(&dir.join("ledger/chain"))?;
    let (Some(bytes), None) = (bytes, audit.walk.lost) else {
        return Ok(());
    };

    let points = manifest.sealed_size / 256 + 1;
    let held = audit
        .walk
        .points
        .iter()
        .zip(bytes.chunks(32))
        .take(points as usize);

    let wrong = held
        .zip(0u64..)
        .find(|((expected, found), _)| expected.as_bytes() != *found);
    if let Some((_, at)) = wrong {
        audit.notes.push(format!(
            "ledger/chain is wrong at point {at}; it can be rebuilt and does not affect the verdict"
        ));
    }

    Ok(())
}

/// At the end of the log: is it as long as was acknowledged, and is all of it signed?
fn conclude(size: u64, anchor: &Anchor, audit: &mut Audit) {
    audit.walk.finish(size, &mut audit.findings);
    if !anchor.present {
        let file = &anchor.file;
        audit.notes.push(format!(
            "there is no anchor at {file}, so a truncated log would not be detected"
        ));
    }

    let signed = audit.walk.signed_size;
    match audit.walk.lost {
        Some(lost) => {
            let message = "tree and chain cannot be known from this entry on, so no root or signature after it could be checked";
            audit
                .findings
                .add(Finding::new("ledger", message).entry(lost));
        }
        None if signed < size => {
            let message = "no valid signed checkpoint covers these entries";
            audit
                .findings
                .add(Finding::new(CHECKPOINT, message).entries(signed, size - 1));
        }
        None => {}
    }
}
