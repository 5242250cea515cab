//! Reports over the audit log: compliance templates and custom reports, what they ask of the log,
//! and what was found.
//!
//! Pure: no clock, no disk, no runtime. A host reads the entries of a [`ReportPlan`] in order of their
//! sequence, hands each to [`ReportEvaluation::observe`], and writes the entries that the answer cites
//! with [`document`]. Memory does not grow with the log: counts of distinct values, groups and
//! samples are bounded, and say so when a bound was met.
//!
//! A report states what the log shows and what it cannot show. A control without entries is "no
//! entries found", not "passed".

mod configuration;
mod coverage;
mod definition;
mod distinct;
pub mod document;
mod evaluation;
mod findings;
mod period;
mod plan;
mod port;
mod review;
mod run;
mod scope;
mod settings;
mod source;
mod stored;
mod story;
mod template;
mod templates;

pub use configuration::{
    CheckedChanges, CheckedControl, CheckedCounts, CheckingAgent, ConfigurationReader,
    ConfigurationRequest, FailingResult, MOST_FAILING, RECORDED, ReportConfiguration,
    ResultException,
};
pub use coverage::{
    ConnectionCoverage, Coverage, ExpectedConnection, INTERRUPTION, SourceCoverage, submitter_of,
    submitter_words,
};
pub use definition::{
    Filters, GroupField, ReportDefinition, ReportId, ReportKind, ReportMetric, ReportRequest,
};
pub use evaluation::{MOST_CITED, ReportEvaluation, SAMPLE};
pub use findings::{
    Asked, Cited, ControlStatus, Distinct, GroupRow, ReportAnswer, ReportFindings, Top,
};
pub use period::{LONGEST_DAYS, PeriodChoice, ReportPeriod, TimeBucket};
pub use plan::{QuestionKind, ReportPlan, ReportQuestion};
pub use port::{ReportStore, RunFilter};
pub use review::{LONGEST_COMMENT, Review};
pub use run::{ReportRun, RunFile, RunFiles, RunId, RunProgress, RunState};
pub use scope::{OutsideScope, visible_reviews};
pub use settings::{DefinitionDraft, RequestDraft, read_definition, read_request};
pub use source::EventSource;
pub use story::{run_entry, run_metadata};
pub use template::{Control, ControlQuestion, Template, TemplateError};
pub use templates::{template, templates};
