//! Access: users, teams, roles, permissions, tokens and passwords with their rules, row visibility
//! over the audit log, and the searches that people keep and share.
//!
//! Every decision of the product goes through [`Principal::may`] or [`RowFilter`]; no other crate
//! checks role names.

mod authenticate;
pub mod event_type_pattern;
mod grant;
mod instant;
mod name;
pub mod password;
pub mod permission;
pub mod principal;
pub mod public_url;
pub mod role;
pub mod saved_search;
mod scope;
pub mod store;
mod team;
pub mod token;
mod user;
pub mod value_list;
pub mod visibility;
pub mod workspace;

pub use authenticate::Authenticator;
pub use event_type_pattern::EventTypePattern;
pub use grant::TokenRequest;
pub use permission::Permission;
pub use principal::{Principal, PrincipalKind, TokenGrant};
pub use public_url::PublicUrl;
pub use role::Role;
pub use saved_search::{MAX_SAVED_SEARCHES, SavedSearch, SavedSearchStore, SharedWith};
pub use scope::AuditScope;
pub use store::{AccessError, AccessSession, AccessStore, ApiToken, SignInMethod};
pub use team::{Team, TeamId};
pub use token::{SESSION_PREFIX, Secret, TOKEN_PREFIX, TokenHash};
pub use user::{AdministratorAccount, User, UserId, read_roles};
pub use value_list::{
    ListError, MAX_VALUE_LISTS, ValueList, ValueListStore, named_lists, with_lists,
};
pub use visibility::RowFilter;
pub use workspace::{Workspace, WorkspaceStore};
