//! The requests of a run, whole and in order, in a file: made before any clock starts, sent by the
//! kernel from its page cache.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::generate::{Generator, SEED};
use crate::results::say;
use crate::service::TOKEN;

/// Entries in a request.
pub(crate) const BATCH: u64 = 500;
/// One in so many entries can be asked for by its identifier later.
const REMEMBERED: u64 = 997;

/// File of the requests, and their places in it.
pub(crate) struct Bodies {
    pub(crate) path: PathBuf,
    /// Offset and length of each request.
    pub(crate) places: Vec<(u64, u64)>,
    /// Entries in all of them.
    pub(crate) entries: u64,
    /// Bytes of the entries' JSON, line ends not counted.
    pub(crate) raw_bytes: u64,
    /// Time of the newest entry, milliseconds.
    pub(crate) end_ms: i64,
    /// Identifiers of some of the entries.
    pub(crate) ids: Vec<String>,
}

impl Bodies {
    /// Writes the requests for `entries` entries to `dir`.
    pub(crate) fn write(dir: &Path, entries: u64) -> Result<Self> {
        let path = dir.join("requests");
        let mut out = BufWriter::with_capacity(4 << 20, File::create(&path)?);
        let mut generator = Generator::new(SEED);
        let mut bodies = Self {
            path,
            places: Vec::new(),
            entries,
            raw_bytes: 0,
            end_ms: 0,
            ids: Vec::new(),
        };

        let (mut at, mut made, mut body) = (0, 0, Vec::with_capacity(1 << 20));
        while made < entries {
            body.clear();
            let count = BATCH.min(entries - made);
            for number in made..made + count {
                generator.push(&mut body);
                body.push(b'\n');
                if number.is_multiple_of(REMEMBERED) {
                    bodies
                        .ids
                        .push(String::from_utf8_lossy(&generator.event().id).into_owned());
                }
            }
            made += count;
            bodies.raw_bytes += body.len() as u64 - count;
            let request = crate::wire::request(
                "POST",
                "/api/v1/audit-logs",
                TOKEN,
                "application/x-ndjson",
                &body,
            );
            out.write_all(&request)?;
            bodies.places.push((at, request.len() as u64));
            at += request.len() as u64;
            if made.is_multiple_of(2_000_000) {
                say(&format!("  {} million entries made", made / 1_000_000));
            }
        }

        bodies.end_ms = generator.now_ms();
        // What is still to be written would be written while the clock runs.
        out.into_inner()
            .map_err(std::io::IntoInnerError::into_error)?
            .sync_all()?;
        Ok(bodies)
    }

    /// Number and size of the entries, for the results.
    pub(crate) fn words(&self) -> String {
        let (mib, mean) = (self.raw_bytes >> 20, self.mean_bytes());
        format!(
            "{} entries, {mib} MiB of raw JSON, {mean:.1} bytes an entry",
            self.entries
        )
    }

    /// Bytes of raw JSON an entry.
    pub(crate) fn mean_bytes(&self) -> f64 {
        self.raw_bytes as f64 / self.entries.max(1) as f64
    }
}

/// Writes `count` entries, one a line, to stdout.
pub(crate) fn print(count: u64, seed: u64) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    let (mut generator, mut line) = (Generator::new(seed), Vec::with_capacity(2_048));

    for _ in 0..count {
        line.clear();
        generator.push(&mut line);
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(out.flush()?)
}
