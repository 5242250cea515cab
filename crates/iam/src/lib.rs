//! Evaluation of AWS access policies: who may do what, and what principals can reach with their
//! permissions.
//!
//! [`PolicySet::decide`] is the one evaluator: identity policies, policies of resources, permissions
//! boundaries, session policies, and service and resource control policies of organisations, with
//! conditions that are true, false or unknown. The crate does no I/O and calls no cloud.

mod account;
pub mod arn;
mod aws_managed;
mod caller;
mod condition;
mod context;
mod decision;
mod document;
mod evaluation;
mod json_lines;
mod operator;
mod origin;
mod outside;
mod pattern;
mod policy_set;
mod reach;
mod technique;
mod truth;
mod unused;
mod variable;

pub use account::{
    AccountBuilder, AccountError, AccountPolicies, FileRequest, IamGroup, IamPrincipalKind,
    Principal, RequestError, Workload, read_requests,
};
pub use caller::{IamCaller, Naming};
pub use context::{IamContext, KeyValue};
pub use decision::{AccessDecision, Blocker, BlockerKind, DecisionOutcome, StatementRef};
pub use document::{
    IamPolicy, Patterns, PolicyCondition, PolicyEffect, PolicyError, PolicyStatement,
    PrincipalName, Principals,
};
pub use evaluation::AccessRequest;
pub use json_lines::json_lines;
pub use operator::{ConditionComparison, Operator, Order, Quantifier};
pub use origin::is_bounded_origin;
pub use outside::{OutsideAccess, OutsideGrade, Outsider, outside_access};
pub use pattern::{is_all, matches};
pub use policy_set::{Level, NamedPolicy, Organization, PolicyKind, PolicySet};
pub use reach::{
    ADMIN, AccessReach, BlockedBy, PathStep, ReachGrade, UNKNOWN, UsedPermission, administrators,
    reach,
};
pub use technique::{
    NeededOn, NeededPermission, Technique, TechniqueEffect, TechniqueTarget, techniques,
};
pub use truth::Truth;
pub use unused::{
    ActionUse, LeastDocument, LeastPolicies, LeastPolicyError, Unrecorded, least_policies,
};
