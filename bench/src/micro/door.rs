//! The door: from JSON text to an entry that is checked, stamped and spelled canonically, and back
//! from canonical bytes.

use std::hint::black_box;

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;
use reeve_audit::entry::Entry;
use reeve_audit::{BatchContent, Draft, MAX_BATCH, parse_batch};

use super::measure::{Row, measure};

const MEMORY: &str = "none (memory)";

/// Measures the reading of entries.
pub(crate) fn rows(entries: &[Vec<u8>]) -> anyhow::Result<Vec<Row>> {
    let now =
        Timestamp::from_millisecond(1_795_000_000_000).context("the sample's time of receipt")?;
    let draft = |text: &[u8]| {
        Draft::from_bytes(text, now).map_err(|errors| anyhow!("a sample was refused: {errors:?}"))
    };

    let drafts = entries
        .iter()
        .map(|text| draft(text))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let lines = entries.join(&b'\n');

    Ok(vec![
        measure(
            "parse, check and spell canonically, one by one",
            MEMORY,
            entries.len(),
            || {
                for text in entries {
                    black_box(draft(text)?);
                }
                Ok(())
            },
        )?,
        measure(
            "the same as one NDJSON submission",
            MEMORY,
            entries.len(),
            || {
                let batch = parse_batch(&lines, BatchContent::Ndjson, now, MAX_BATCH);
                black_box(batch.map_err(|error| anyhow!("the sample was refused: {error}"))?);
                Ok(())
            },
        )?,
        measure("read canonical bytes back", MEMORY, drafts.len(), || {
            for draft in &drafts {
                black_box(Entry::from_canonical(&draft.canonical)?);
            }
            Ok(())
        })?,
    ])
}
