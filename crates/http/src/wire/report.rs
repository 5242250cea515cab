//! Reports, their runs, and templates.

mod definition;
mod review;
mod run;
mod summary;

pub use definition::{ReportBody, ReportCreate, ReportFilters, ReportPatch, ReportScheduleBody};
pub use review::{ReportReviewBody, ReportReviewCreate};
pub use run::{DownloadParams, ReportDeliveryBody, ReportRunBody, RunListParams, RunProgressBody};
pub use summary::{
    ControlBody, ControlQuestionBody, ReportSummaryBody, ReportTemplateBody, TemplateControlBody,
    templates,
};
