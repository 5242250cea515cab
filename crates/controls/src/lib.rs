//! Controls as data: checks over configuration documents, and the frameworks whose controls they
//! prove.
//!
//! Pure: no clock, no network, no runtime. A [`Check`] is a file with an expression of the Common
//! Expression Language (CEL); a [`Framework`] is a file whose controls name checks or their topics.
//! Both come with Reeve ([`Catalogue::builtin`]) and can be added to from a folder
//! ([`Catalogue::with_own`]). A check answers one of four ways ([`CheckAnswer`](reeve_recommend::judgement::evidence::CheckAnswer)) and shows the values that
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

pub use catalogue::{Catalogue, Folder};
pub use check::{Check, Remediation};
pub use chosen::{
    ALLOWED_SOURCES, FRAMEWORKS, LOG_BUCKET, LOG_GROUP, LOG_ROLE, PRIORITIES, TRUSTED_ACCOUNTS,
    given_values, is_recommended,
};
pub use error::CatalogueError;
pub use expression::{Expression, ExpressionError};
pub use framework::{Control, ControlState, Framework};
pub use input::{Input, InputError};
pub use own::{LiveCatalogue, OwnFile, OwnFileKind, OwnFiles};
pub use prepared::Prepared;
pub use remedy::change_by_row;
pub use sample::{Sample, SampleFault};
pub use subject::{Related, Subject};
pub use topic::Topic;
pub use verdict::{SeenValue, Verdict};
