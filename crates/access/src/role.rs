//! Roles and what each may do.
//!
//! The first five are the audit specification's, word for word. The others are Reeve's: the specification's approval
//! matrix names manager, director and security, and somebody has to run the installation.

use crate::permission::Permission::{self, *};

/// A role. A principal holds one or more; their permissions add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Full access to the log, export, alerts.
    AuditAdministrator,
    /// View, search, export; the "security" of the approval matrix.
    SecurityAnalyst,
    /// View, generate reports.
    ComplianceOfficer,
    /// Views team activities; approves medium impact.
    Manager,
    /// Views own activities only.
    RegularUser,
    /// Runs agents, executes and dismisses recommendations, looks after connections.
    Operator,
    /// Approves high impact together with security.
    Director,
    /// Runs the installation: everything, the approval of one's own requests excepted.
    Administrator,
}

impl Role {
    /// Every role.
    pub const ALL: &'static [Role] = &[
        Role::AuditAdministrator,
        Role::SecurityAnalyst,
        Role::ComplianceOfficer,
        Role::Manager,
        Role::RegularUser,
        Role::Operator,
        Role::Director,
        Role::Administrator,
    ];

    /// The name on the wire and in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::AuditAdministrator => "audit_administrator",
            Role::SecurityAnalyst => "security_analyst",
            Role::ComplianceOfficer => "compliance_officer",
            Role::Manager => "manager",
            Role::RegularUser => "regular_user",
            Role::Operator => "operator",
            Role::Director => "director",
            Role::Administrator => "administrator",
        }
    }

    /// From the wire name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Role::ALL.iter().copied().find(|role| role.as_str() == text)
    }

    /// What the role may do.
    #[must_use]
    pub const fn permissions(self) -> &'static [Permission] {
        match self {
            Role::AuditAdministrator => &[
                AuditViewAll, AuditSearch, AuditAppend, AuditExport, AuditAlerts, AuditReports, AuditRetention,
                AuditIntegrations, AuditVerify, IntelligenceView,
            ],
            Role::SecurityAnalyst => {
                &[AuditViewAll, AuditSearch, AuditExport, AuditVerify, IntelligenceView, ApproveSecurity, EstateView]
            }
            Role::ComplianceOfficer => &[AuditViewAll, AuditReports, AuditVerify, IntelligenceView],
            Role::Manager => &[AuditViewTeam, AuditSearch, IntelligenceView, EstateView, ApproveManager],
            Role::RegularUser => &[AuditViewOwn, AuditSearch],
            Role::Operator => &[
                AuditViewOwn, AuditSearch, AuditAppend, IntelligenceView, IntelligenceOperate, IntelligenceConfigure, EstateView, EstateManage,
            ],
            Role::Director => &[AuditViewTeam, AuditSearch, IntelligenceView, EstateView, ApproveManager, ApproveDirector],
            Role::Administrator => Permission::ALL,
        }
    }
}
