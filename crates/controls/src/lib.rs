//! Controls as data: checks over configuration documents, and the frameworks whose controls they
//! prove.
//!
//! Pure: no clock, no network, no runtime. A [`ControlCheck`] is a file with an expression of the Common
//! Expression Language (CEL); a [`Framework`] is a file whose controls name checks or their topics.
//! Both come with Reeve ([`ControlCatalogue::builtin`]) and can be added to from a folder
//! ([`ControlCatalogue::with_own`]). A check answers one of four ways ([`CheckAnswer`](reeve_recommend::judgement::evidence::CheckAnswer)) and shows the values that
//! it saw: what could not be read is "unknown", never "passed".

mod catalogue;
mod check;
mod chosen;
mod error;
mod expression;
mod framework;
mod input;
mod own;
mod prepared;
mod remedy;
mod sample;
mod sample_run;
mod subject;
mod topic;
mod verdict;

pub use catalogue::{ControlCatalogue, Folder};
pub use check::{ControlCheck, Remediation};
pub use chosen::{
    ALLOWED_SOURCES, FRAMEWORKS, LOG_BUCKET, LOG_GROUP, LOG_ROLE, PRIORITIES, TRUSTED_ACCOUNTS,
    given_values, is_recommended,
};
pub use error::CatalogueError;
pub use expression::{Expression, ExpressionError};
pub use framework::{Control, ControlState, Framework};
pub use input::{Input, InputError};
pub use own::{LiveCatalogue, OwnFile, OwnFileKind, OwnFiles};
pub use prepared::PreparedControl;
pub use remedy::change_by_row;
pub use sample::{ControlSample, SampleFault};
pub use subject::{ControlSubject, Related};
pub use topic::Topic;
pub use verdict::{ControlVerdict, SeenValue};
