//! The report as text, for people.

use std::fmt;

use super::Report;
use crate::key::KeySource;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_intact() { "intact" } else { "BROKEN" };
        writeln!(f, "{verdict}: {} ({})", self.origin, self.target)?;

        match self.freshness.is_checked() {
            true => writeln!(
                f,
                "  freshness    checked against {}",
                self.freshness.against.join(", ")
            )?,
            false => writeln!(
                f,
                "  freshness    not checked: no checkpoint from elsewhere was given (see below)"
            )?,
        }

        for finding in &self.findings {
            writeln!(f, "  - {finding}")?;
        }

        let unlisted = self.findings_total - self.findings.len() as u64;
        if unlisted > 0 {
            writeln!(f, "  - and {unlisted} more")?;
        }

        if self.missing.total > 0 {
            writeln!(
                f,
                "  missing      {} entries: {}",
                grouped(self.missing.total),
                self.missing
            )?;
        }

        for range in &self.expired {
            writeln!(
                f,
                "  expired      {} entries from {} to {} by version {} of the policies (entry {})",
                grouped(range.entries),
                range.first,
                range.last,
                range.policy_version,
                range.tombstone
            )?;
        }

        for range in &self.erased {
            writeln!(
                f,
                "  erased       {} entries from {} to {} by request {} (entry {})",
                grouped(range.entries),
                range.first,
                range.last,
                range.request,
                range.tombstone
            )?;
        }

        if self.counts.elsewhere > 0 {
            writeln!(
                f,
                "  elsewhere    {} entries in {} segments of the warm and cold tiers: commitments checked, payloads not",
                grouped(self.counts.elsewhere),
                grouped(self.counts.segments_elsewhere)
            )?;
        }

        self.checked(f)?;
        for note in &self.notes {
            writeln!(f, "  note         {note}")?;
        }

        for text in &self.not_checked {
            writeln!(f, "  not checked  {text}")?;
        }

        Ok(())
    }
}

impl Report {
    fn checked(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = &self.counts;
        writeln!(
            f,
            "  entries      {} of {} checked",
            grouped(counts.entries()),
            grouped(self.size)
        )?;

        if counts.commitments_only == 0 {
            let (sealed, segments) = (grouped(counts.sealed_entries), grouped(counts.segments));
            writeln!(
                f,
                "  sealed       {sealed} entries in {segments} segments, payloads and columns"
            )?;
            writeln!(
                f,
                "  attested     {} search indexes and files of identifiers",
                grouped(counts.attested)
            )?;
            let (unsealed, frames, files) = (
                grouped(counts.unsealed_entries),
                grouped(counts.wal_frames),
                grouped(counts.wal_files),
            );
            writeln!(
                f,
                "  unsealed     {unsealed} entries in {frames} frames of {files} write-ahead files"
            )?;
        }

        self.submitted(f)?;
        let unknown = || "unknown".to_owned();
        writeln!(
            f,
            "  root         {}",
            self.root.map_or_else(unknown, |hash| hash.to_string())
        )?;

        writeln!(
            f,
            "  chain        {}",
            self.chain_hash
                .map_or_else(unknown, |hash| hash.to_string())
        )?;

        let (tiles, bundles) = (grouped(counts.tiles), grouped(counts.bundles));
        if counts.commitments_only == 0 {
            writeln!(
                f,
                "  tree         {tiles} tiles of inner hashes, and the commitment of each sealed entry"
            )?;
        } else {
            writeln!(
                f,
                "  tree         {tiles} hash tiles and {bundles} entry bundles"
            )?;
        }

        let source = match self.key.source {
            KeySource::Pinned => "pinned",
            KeySource::Directory => "from the directory itself",
        };
        let (signed, id) = (grouped(counts.checkpoints), self.key.verifier.id());
        let rotated = match self.key.epochs.rotations().len() {
            0 => String::new(),
            times => format!(
                "; rotated {times} times, {} is in charge",
                self.key.epochs.newest().id()
            ),
        };

        writeln!(
            f,
            "  signatures   {signed} checkpoints by key {id}, {source}{rotated}"
        )?;
        let (seconds, rate) = (
            self.elapsed.as_secs_f64(),
            grouped(self.entries_per_s() as u64),
        );
        write!(f, "  took         {seconds:.2} s, {rate} entries/s")?;

        match self.entries_per_core_s() {
            Some(rate) => writeln!(f, ", {} per core", grouped(rate as u64)),
            None => writeln!(f),
        }
    }
}

impl Report {
    fn submitted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let submitters = self.counts.submitters;
        if submitters.total() == 0 {
            return Ok(());
        }

        let (reeve, others) = (grouped(submitters.reeve), grouped(submitters.others));
        write!(
            f,
            "  submitted    {reeve} entries by Reeve itself, {others} by others"
        )?;

        if submitters.unknown > 0 {
            write!(
                f,
                ", {} recorded before submitters were noted",
                grouped(submitters.unknown)
            )?;
        }

        if submitters.reserved > 0 {
            let reserved = grouped(submitters.reserved);
            write!(
                f,
                "; {reserved} of the others' are of types that only Reeve may write"
            )?;
        }

        writeln!(f)
    }
}

/// Formats a number in groups of three digits (`1,234,567`).
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);

    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
