//! Alert rules, firings, previews and diagnoses on the wire.

mod firing;
mod import;
mod rule;

pub use import::{AlertImport, AlertImportBody, RefusedRuleBody, RuleProblemBody};

pub(crate) use firing::group;
pub use firing::{
    AlertBucketBody, AlertCheckBody, AlertDiagnosisBody, AlertPreviewBody, AlertPreviewFiringBody,
    AlertPreviewRequest, AlertTestBody, AlertTestedTargetBody, FiringBody, FiringEntryBody,
    FiringHandling, FiringParams,
};
pub(crate) use rule::state;
pub use rule::{
    AlertDegradedBody, AlertGroupByBody, AlertNotificationBody, AlertRuleBody, AlertRuleCreate,
    AlertRulePatch, AlertSilenceRequest, AlertThresholdBody, ReadyRuleBody,
};
