//! Files that go along with messages: the PDF of a report, up to the size that the configuration
//! allows.

use std::path::PathBuf;

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_notify::notification::{Attachment, AttachmentStore};
use reeve_reports::ReportRun;

/// Beginning of the source of a report's PDF; the run's identifier follows.
const REPORT_RUN: &str = "report_run:";

/// Returns the PDF of a run, to be read when a message is sent.
pub(crate) fn report(run: &ReportRun) -> Attachment {
    Attachment {
        name: run.file_name("pdf"),
        media_type: "application/pdf".to_owned(),
        source: format!("{REPORT_RUN}{}", run.id.0),
    }
}

/// Files of the data directory.
pub(crate) struct Attachments {
    /// Folder with the files of reports, one folder a run.
    pub(crate) reports_dir: PathBuf,
    /// Most bytes of a file; larger ones are left to the link.
    pub(crate) limit_bytes: u64,
}

#[async_trait]
impl AttachmentStore for Attachments {
    async fn attachment_read(&self, attachment: &Attachment) -> Result<Vec<u8>, Obstacle> {
        let run = attachment
            .source
            .strip_prefix(REPORT_RUN)
            .and_then(|text| text.parse::<uuid::Uuid>().ok());
        let run = run.ok_or(
            "its format is not supported by this version of Reeve; use the download link.",
        )?;
        let path = self.reports_dir.join(run.to_string()).join("report.pdf");
        let gone = |error: std::io::Error| {
            tracing::warn!(path = %path.display(), %error, "a file was not attached");
            Obstacle::from("it has been deleted.")
        };
        let bytes = tokio::fs::metadata(&path).await.map_err(gone)?.len();

        if bytes > self.limit_bytes {
            let limit = self.limit_bytes;
            return Err(Obstacle::from(format!(
                "it has {bytes} bytes, and at most {limit} go with a message. Use the download link."
            )));
        }

        tokio::fs::read(&path).await.map_err(gone)
    }
}
