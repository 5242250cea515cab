//! Reports, their runs, and templates.

mod definition;
mod run;
mod summary;

pub use definition::{ReportBody, ReportCreate, ReportFilters, ReportPatch, ReportScheduleBody};
pub use run::{DownloadParams, ReportDeliveryBody, ReportRunBody, RunListParams, RunProgressBody};
pub use summary::{ControlBody, ControlQuestionBody, ReportTemplateBody, TemplateControlBody, templates};
