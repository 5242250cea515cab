//! Verification of one segment: its bytes against the manifest, each payload against its
//! commitment, each column against the payload. Layout: `docs/formats/segment.md`. Rows are read in
//! batches; a fault in one row group does not affect the others.

mod batch;
mod cut;
mod exported;
mod fault;
mod rows;

use std::fs::File;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;
use reeve_tlog::Hash;
use sha2::{Digest, Sha256};

use crate::error::{CannotVerify, Stop, is_absence};
use crate::finding::{Finding, Findings};
use crate::manifest::{Listed, MANIFEST};
use crate::progress::Progress;
use crate::records::Records;
use crate::sequence::{EntryMark, IdHasher};
use crate::submitters::Submitters;
use crate::tier_folder::TierFolder;
use batch::SegmentBatch;
pub(crate) use exported::each_row;
pub(crate) use fault::SegmentFault;
use rows::Rows;

/// The versions that are known; the newest first.
const FORMATS: [(&str, u8); 4] = [
    ("reeve/segment/v4", 4),
    ("reeve/segment/v3", 3),
    ("reeve/segment/v2", 2),
    ("reeve/segment/v1", 1),
];
/// Rows read at a time; canonical bytes may be 1 MiB a row.
const BATCH_ROWS: usize = 1_024;
const HASH_BUFFER: usize = 1 << 20;
/// Files up to this size are kept in memory while they are checked, one a core.
const MAX_KEPT: u64 = 64 << 20;

/// A row that was checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedRow {
    pub(crate) sequence: u64,
    /// The leaf to go on with.
    pub(crate) leaf: Hash,
    /// Identifier and time; `None` where the payload cannot be read.
    pub(crate) mark: Option<EntryMark>,
}

/// Result of checking a segment.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// Every row, in the order of the file.
    pub(crate) rows: Vec<CheckedRow>,
    /// `true` if the file exists.
    pub(crate) present: bool,
    /// `true` if the file lies in a tier whose folder was not given.
    pub(crate) elsewhere: bool,
    pub(crate) findings: Findings,
    pub(crate) submitters: Submitters,
    /// Entries that tell of deletions: sequence and canonical bytes.
    pub(crate) evidence: Vec<(u64, Vec<u8>)>,
    /// Event types that the class of the specification does not cover, with one entry each.
    pub(crate) other_types: Vec<(String, u64)>,
}

/// The files to check: a data directory, of whose manifest so many bytes were read, and folders of
/// farther tiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentFiles<'f> {
    pub(crate) dir: &'f Path,
    pub(crate) known: usize,
    pub(crate) tiers: &'f [TierFolder],
}

/// Place of a segment's file.
enum Found {
    At(PathBuf),
    /// In a tier whose folder was not given, or is not there.
    Elsewhere,
}

impl SegmentFiles<'_> {
    /// Returns the place of a segment; of one that was moved its tier, or a copy that the service
    /// fetched.
    fn find(self, listed: &Listed) -> Found {
        let Some(moved) = &listed.moved else {
            return Found::At(self.dir.join(&listed.path));
        };
        let name = moved.tier.as_str();
        let of_tier = self.tiers.iter().filter(|given| given.tier == name);
        let folder = of_tier
            .map(|given| &given.folder)
            .find(|folder| folder.is_dir());
        if let Some(folder) = folder {
            return Found::At(folder.join(&listed.path));
        }
        let fetched = listed.path.replacen("lake/entries/", "lake/fetched/", 1);
        let fetched = self.dir.join(fetched);
        match fetched.is_file() {
            true => Found::At(fetched),
            false => Found::Elsewhere,
        }
    }
}

/// Checks a segment.
pub(crate) fn check(
    files: SegmentFiles<'_>,
    listed: &Listed,
    records: &mut Records,
    hasher: &IdHasher,
    progress: &Progress,
) -> Result<Checked, CannotVerify> {
    let mut checked = Checked::default();
    let whole = (listed.first_sequence, listed.last_sequence);
    let finding = |message: String| Finding::new(&listed.path, message).entries(whole.0, whole.1);
    if !Path::new(&listed.path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        checked.findings.add(finding(format!(
            "{MANIFEST} lists a segment outside of the data directory"
        )));
        return Ok(checked);
    }

    if listed.expired.is_some() {
        return Ok(checked);
    }

    let path = match files.find(listed) {
        Found::At(path) => path,
        Found::Elsewhere => {
            checked.elsewhere = true;
            return Ok(checked);
        }
    };
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if is_absence(&error) => {
            if changed_since(files, listed) {
                return Err(CannotVerify::Restless(path));
            }
            checked.findings.add(finding(format!(
                "the segment is missing, but {MANIFEST} lists it"
            )));
            return Ok(checked);
        }
        Err(error) => return Err(CannotVerify::unreadable(&path)(error)),
    };

    checked.present = true;
    let (bytes, sha256, whole) = digest(&mut file).map_err(CannotVerify::unreadable(&path))?;

    if bytes != listed.bytes {
        let wrong = finding(format!(
            "the segment has another length than {MANIFEST} says"
        ));
        checked.findings.add(wrong.differs(listed.bytes, bytes));
    }

    if sha256 != listed.sha256 {
        let wrong = finding(format!(
            "the segment's SHA-256 is not the one in {MANIFEST}"
        ));
        checked.findings.add(wrong.differs(&listed.sha256, sha256));
    }

    let mut rows = Rows::new(listed, records, hasher, progress);
    let caught = catch_unwind(AssertUnwindSafe(|| match whole {
        Some(bytes) => read(&bytes, listed, &mut rows),
        None => read(&Large(file), listed, &mut rows),
    }));
    let outcome = caught.unwrap_or(Err(Stop::Fault(SegmentFault::Undecodable)));
    if let Some(fault) = Stop::fault_of(outcome)? {
        rows.findings
            .add(finding(format!("the segment cannot be read: {fault}")));
    }

    checked.submitters = rows.submitters;
    checked.evidence = std::mem::take(&mut rows.evidence);
    checked.other_types = rows.other_types();
    let (found, rows) = rows.finish();
    checked.findings.take(found);
    checked.rows = rows;

    Ok(checked)
}

/// Returns `true` if the service has marked the segment as expired, has erased entries of it, or moved
/// it, since the manifest was read. The next verification holds the mark against the log.
fn changed_since(files: SegmentFiles<'_>, listed: &Listed) -> bool {
    let whole = std::fs::read(files.dir.join(MANIFEST)).unwrap_or_default();
    let added = whole.get(files.known..).unwrap_or_default();
    let manifest = String::from_utf8_lossy(added);
    let path = format!("\"path\":\"{}\"", listed.path);
    let range = format!(
        "\"first_sequence\":{},\"last_sequence\":{},",
        listed.first_sequence, listed.last_sequence
    );
    manifest.lines().any(|line| {
        let is_moved = line.contains("\"kind\":\"move\"") && line.contains(&path);
        let is_expired = line.contains("\"kind\":\"expire\"") && line.contains(&path);
        let is_erased = line.contains("\"kind\":\"erase\"") && line.contains(&range);
        is_moved || (is_expired && line.contains("\"expired\":{")) || is_erased
    })
}

/// Length and SHA-256 of a file, and its bytes where they are few enough to be kept: read once,
/// hashed and decoded in place.
fn digest(file: &mut File) -> std::io::Result<(u64, String, Option<Bytes>)> {
    let length = file.metadata()?.len();
    if length <= MAX_KEPT {
        let mut bytes = Vec::with_capacity(length as usize);
        file.read_to_end(&mut bytes)?;
        let sha256 = hex::encode(Sha256::digest(&bytes));
        return Ok((bytes.len() as u64, sha256, Some(bytes.into())));
    }

    let mut hasher = Sha256::new();
    let mut buffer = vec![0; HASH_BUFFER];
    let mut length = 0;

    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((length, hex::encode(hasher.finalize()), None)),
            count => {
                hasher.update(&buffer[..count]);
                length += count as u64;
            }
        }
    }
}

/// Source of a segment's bytes.
trait Source {
    type Reader: ChunkReader + 'static;
    fn reader(&self) -> Result<Self::Reader, SegmentFault>;
}

impl Source for Bytes {
    type Reader = Bytes;
    fn reader(&self) -> Result<Bytes, SegmentFault> {
        Ok(self.clone())
    }
}

/// A file that is read piece by piece.
struct Large(File);

impl Source for Large {
    type Reader = File;
    fn reader(&self) -> Result<File, SegmentFault> {
        self.0.try_clone().map_err(SegmentFault::File)
    }
}

/// Reads all row groups. A fault is one of the file as a whole; those of single row groups become
/// findings here.
fn read(
    source: &impl Source,
    listed: &Listed,
    rows: &mut Rows<'_>,
) -> Result<(), Stop<SegmentFault>> {
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = source
        .reader()
        .and_then(|reader| ArrowReaderMetadata::load(&reader, plain).map_err(SegmentFault::Parquet))
        .map_err(Stop::Fault)?;

    if let Some(found) = tags(&metadata, listed, &mut rows.findings) {
        let file = listed.path.clone();
        return Err(CannotVerify::Version { file, found }.into());
    }

    SegmentBatch::check_schema(metadata.schema(), version(&metadata)).map_err(Stop::Fault)?;

    let views = ArrowReaderOptions::new().with_schema(SegmentBatch::views(metadata.schema()));
    let metadata = ArrowReaderMetadata::try_new(metadata.metadata().clone(), views)
        .map_err(|error| Stop::Fault(SegmentFault::Parquet(error)))?;

    for group in 0..metadata.metadata().num_row_groups() {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            row_group(source, &metadata, group, rows)
        }));
        let outcome = caught.unwrap_or(Err(Stop::Fault(SegmentFault::Undecodable)));
        if let Some(fault) = Stop::fault_of(outcome)? {
            let message = format!("row group {group} cannot be read to its end: {fault}");
            rows.findings.add(Finding::new(&listed.path, message));
        }
    }

    Ok(())
}

fn row_group(
    source: &impl Source,
    metadata: &ArrowReaderMetadata,
    group: usize,
    rows: &mut Rows<'_>,
) -> Result<(), Stop<SegmentFault>> {
    let reader = source.reader().map_err(Stop::Fault)?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(reader, metadata.clone())
        .with_row_groups(vec![group])
        .with_batch_size(BATCH_ROWS)
        .build()
        .map_err(|error| Stop::Fault(SegmentFault::Parquet(error)))?;

    for batch in reader {
        let batch = batch.map_err(|error| Stop::Fault(SegmentFault::Arrow(error)))?;
        let batch = SegmentBatch::new(&batch).map_err(Stop::Fault)?;
        rows.check(&batch)?;
    }

    Ok(())
}

/// The version that the file says it has; the newest where it says nothing that is known.
fn version(metadata: &ArrowReaderMetadata) -> u8 {
    let key_values = metadata.metadata().file_metadata().key_value_metadata();
    let pair = key_values
        .into_iter()
        .flatten()
        .find(|pair| pair.key == "reeve.format");
    let name = pair.and_then(|pair| pair.value.as_deref());

    FORMATS
        .iter()
        .find(|(known, _)| Some(*known) == name)
        .map_or(FORMATS[0].1, |(_, version)| *version)
}

/// Holds the file's own key-value metadata against the manifest. Answers a version that this
/// program does not know.
fn tags(
    metadata: &ArrowReaderMetadata,
    listed: &Listed,
    findings: &mut Findings,
) -> Option<String> {
    let key_values = metadata.metadata().file_metadata().key_value_metadata();
    let value = |key: &str| {
        let pair = key_values
            .into_iter()
            .flatten()
            .find(|pair| pair.key == key);
        pair.and_then(|pair| pair.value.as_deref())
            .unwrap_or("nothing")
    };
    let format = value("reeve.format");
    let known = FORMATS.iter().any(|(name, _)| *name == format);

    if !known && format.starts_with("reeve/segment/v") && findings.total == 0 {
        return Some(format.to_owned());
    }

    for (key, expected) in [
        (
            "reeve.format",
            if known { format } else { FORMATS[0].0 }.to_owned(),
        ),
        ("reeve.class", listed.class.clone()),
        ("reeve.first_sequence", listed.first_sequence.to_string()),
        ("reeve.last_sequence", listed.last_sequence.to_string()),
    ] {
        let found = value(key);
        if found != expected {
            let message = format!("the segment's own {key} is not what {MANIFEST} says");
            findings.add(Finding::new(&listed.path, message).differs(expected, found));
        }
    }

    None
}
