//! The auditor over the running data directory. It reads with readers of its own and takes a
//! snapshot first, so appends and seals continue meanwhile.

use std::path::PathBuf;

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_http::verification::{VerificationFault, Verified, Verifier};
use reeve_verify::{DirectoryOptions, Progress, Report, TierFolder, verify_directory};
use tokio::sync::oneshot;

/// Verifies a data directory.
pub(crate) struct DirectoryVerifier {
    pub(crate) data_dir: PathBuf,
    /// The anchor, where it is kept apart.
    pub(crate) anchor: Option<PathBuf>,
    /// Folders of the farther tiers.
    pub(crate) tiers: Vec<TierFolder>,
}

#[async_trait]
impl Verifier for DirectoryVerifier {
    async fn verify(&self) -> Result<Verified, Obstacle> {
        let (data_dir, anchor) = (self.data_dir.clone(), self.anchor.clone());
        let tiers = self.tiers.clone();
        let (tell, receiver) = oneshot::channel();

        // A thread of its own: the end of the service does not wait for it.
        std::thread::Builder::new()
            .name("reeve-verify".into())
            .spawn(move || {
                let options = DirectoryOptions {
                    anchor,
                    tiers,
                    ..DirectoryOptions::default()
                };
                let outcome = verify_directory(&data_dir, &options, &Progress::hidden());
                // Nobody waits any more when the service is ending.
                let _ = tell.send(outcome.map(found).map_err(Obstacle::of));
            })
            .map_err(|error| Obstacle::of(format_args!("no thread could be started: {error}")))?;

        receiver
            .await
            .unwrap_or_else(|_| Err(Obstacle::of("the verification ended without an answer")))
    }
}

fn found(report: Report) -> Verified {
    Verified {
        size: report.size,
        root: report.root.map(|root| root.to_string()),
        intact: report.counts.sealed_entries + report.counts.unsealed_entries,
        expired: report.expired.iter().map(|range| range.entries).sum(),
        elsewhere: report.counts.elsewhere,
        missing: report.missing.total,
        missing_ranges: report.missing.ranges,
        segments: report.counts.segments,
        checkpoints: report.counts.checkpoints,
        findings: report
            .findings
            .into_iter()
            .map(|finding| VerificationFault {
                file: finding.file,
                sequences: finding.sequences,
                what: finding.message,
            })
            .collect(),
        findings_total: report.findings_total,
        notes: report.notes,
        not_checked: report.not_checked,
    }
}
