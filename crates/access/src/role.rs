//! Roles and what each may do.
//!
//! The first five are those of requirements B-167 to B-171. The others are Reeve's:
//! the approval matrix names manager, director and security, and somebody has to
//! run the installation. `log_source` only appends: the token of a log shipper is the credential
//! that is spread most widely, so it must neither read the log nor change the estate.
//!
//! Requirements B-167 and B-168 give searching to the first two. The others that view hold
//! `audit.search` for their view alone: a query only leaves out rows of what they see anyway (see
//! [`crate::RowFilter`]), and carries no export, alert or report with it. Exporting, reporting and
//! alerting are granted as requirements B-167 to B-169 say (`docs/howto/roles.md`).

use crate::permission::Permission::{self, *};

/// A role. A principal holds one or more; their permissions add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Full access to the log, export, alerts.
    AuditAdministrator,
    /// View, search, export; the "security" of the approval matrix.
    SecurityAnalyst,
    /// Views entries and generates reports.
    ComplianceOfficer,
    /// Views team activities; approves medium impact.
    Manager,
    /// Views own activities only.
    RegularUser,
    /// Runs agents, executes and dismisses recommendations, looks after connections.
    Operator,
    /// Approves high impact together with security.
    Director,
    /// Hands in entries of another system, and reads nothing.
    LogSource,
    /// Runs the installation: everything, the approval of one's own requests excepted.
    Administrator,
}

impl Role {
    /// Every role, in the order of declaration.
    pub const ALL: &'static [Role] = &[
        Role::AuditAdministrator,
        Role::SecurityAnalyst,
        Role::ComplianceOfficer,
        Role::Manager,
        Role::RegularUser,
        Role::Operator,
        Role::Director,
        Role::LogSource,
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
            Role::LogSource => "log_source",
            Role::Administrator => "administrator",
        }
    }

    /// From the wire name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Role::ALL.iter().copied().find(|role| role.as_str() == text)
    }

    /// Permissions of the role.
    #[must_use]
    pub const fn permissions(self) -> &'static [Permission] {
        match self {
            Role::AuditAdministrator => &[
                AuditViewAll,
                AuditSearch,
                AuditAppend,
                AuditExport,
                AuditAlerts,
                AuditTriage,
                AuditReports,
                AuditRetention,
                AuditIntegrations,
                AuditVerify,
                AuditLake,
                IntelligenceView,
            ],
            Role::SecurityAnalyst => &[
                AuditViewAll,
                AuditSearch,
                AuditExport,
                AuditTriage,
                AuditVerify,
                IntelligenceView,
                IntelligenceTriage,
                ApproveSecurity,
                EstateView,
            ],
            Role::ComplianceOfficer => &[
                AuditViewAll,
                AuditSearch,
                AuditReports,
                AuditVerify,
                IntelligenceView,
            ],
            Role::Manager => &[
                AuditViewTeam,
                AuditSearch,
                IntelligenceView,
                EstateView,
                ApproveManager,
            ],
            Role::RegularUser => &[AuditViewOwn, AuditSearch],
            Role::Operator => &[
                AuditViewOwn,
                AuditSearch,
                AuditAppend,
                IntelligenceView,
                IntelligenceOperate,
                IntelligenceTriage,
                IntelligenceConfigure,
                EstateView,
                EstateManage,
            ],
            Role::Director => &[
                AuditViewTeam,
                AuditSearch,
                IntelligenceView,
                EstateView,
                ApproveManager,
                ApproveDirector,
            ],
            Role::LogSource => &[AuditAppend],
            Role::Administrator => Permission::ALL,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Role by permission; `x` is granted. Columns in the order of [`Role::ALL`].
    const TABLE: &[(Permission, &str)] = &[
        // AA SA CO Mgr Reg Op Dir Log Adm
        (AuditViewAll, "xxx.....x"),
        (AuditViewTeam, "...x..x.x"),
        (AuditViewOwn, "....xx..x"),
        (AuditSearch, "xxxxxxx.x"),
        (AuditAppend, "x....x.xx"),
        (AuditExport, "xx......x"),
        (AuditAlerts, "x.......x"),
        (AuditTriage, "xx......x"),
        (AuditReports, "x.x.....x"),
        (AuditRetention, "x.......x"),
        (AuditIntegrations, "x.......x"),
        (AuditVerify, "xxx.....x"),
        (AuditLake, "x.......x"),
        (IntelligenceView, "xxxx.xx.x"),
        (IntelligenceOperate, ".....x..x"),
        (IntelligenceTriage, ".x...x..x"),
        (IntelligenceConfigure, ".....x..x"),
        (ApproveManager, "...x..x.x"),
        (ApproveDirector, "......x.x"),
        (ApproveSecurity, ".x......x"),
        (EstateView, ".x.x.xx.x"),
        (EstateManage, ".....x..x"),
        (Administer, "........x"),
    ];

    #[test]
    fn every_role_has_exactly_its_permissions() {
        let listed: Vec<_> = TABLE.iter().map(|(permission, _)| *permission).collect();
        assert_eq!(
            listed,
            Permission::ALL,
            "the table names every permission once, in order"
        );

        for (permission, row) in TABLE {
            for (role, cell) in Role::ALL.iter().zip(row.chars()) {
                let granted = role.permissions().contains(permission);
                assert_eq!(
                    granted,
                    cell == 'x',
                    "{} and {}",
                    role.as_str(),
                    permission.as_str()
                );
            }
        }
    }

    #[test]
    fn names_there_and_back() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(*role));
        }

        assert_eq!(Role::parse("root"), None);

        let names: std::collections::BTreeSet<_> =
            Permission::ALL.iter().map(|p| p.as_str()).collect();
        assert_eq!(
            names.len(),
            Permission::ALL.len(),
            "no two permissions share a name"
        );
    }

    #[test]
    fn nobody_signs_both_halves_of_a_high_impact_approval_but_the_administrator() {
        for role in Role::ALL
            .iter()
            .filter(|role| **role != Role::Administrator)
        {
            let may = |permission| role.permissions().contains(&permission);
            assert!(
                !(may(ApproveDirector) && may(ApproveSecurity)),
                "{}",
                role.as_str()
            );
        }
    }
}
