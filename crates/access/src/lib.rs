//! Who may do what: principals, roles, permissions, row visibility over the audit log, tokens and passwords; and the
//! searches that people keep and share.
//!
//! Every decision of the product goes through [`Principal::may`] or [`RowFilter`]; no other crate asks for a role by name.

pub mod password;
pub mod permission;
pub mod principal;
pub mod role;
pub mod saved_search;
pub mod store;
pub mod token;
pub mod visibility;
pub mod workspace;

pub use permission::Permission;
pub use principal::{Principal, PrincipalKind, Team, TeamId, TokenGrant, User, UserId};
pub use role::Role;
pub use saved_search::{MAX_SAVED_SEARCHES, SavedSearch, SavedSearchStore, SharedWith};
pub use store::{AccessError, AccessStore, ApiToken, Session, SignInMethod};
pub use token::{Secret, TokenHash};
pub use visibility::RowFilter;
pub use workspace::{Workspace, WorkspaceStore};
