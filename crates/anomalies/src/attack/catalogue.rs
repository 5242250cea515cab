//! Techniques of MITRE ATT&CK that calls of clouds show, with the tactic that each serves here.
//!
//! Names and identifiers are those of the enterprise matrix, version 17. A technique that ATT&CK
//! lists under several tactics has the one that its calls in a cloud serve.

use reeve_alerts::Tactic;

/// Technique of ATT&CK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttackTechnique {
    /// Identifier, such as `T1098.001`.
    pub id: &'static str,
    pub name: &'static str,
    /// Tactic that it serves.
    pub tactic: Tactic,
}

impl AttackTechnique {
    /// Returns identifier, name and tactic as a sentence of evidence.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "ATT&CK technique {} ({}), tactic {}",
            self.id, self.name, self.tactic
        )
    }
}

/// Returns the technique of an identifier.
#[must_use]
pub fn technique_by_id(id: &str) -> Option<&'static AttackTechnique> {
    TECHNIQUES.iter().find(|technique| technique.id == id)
}

const fn of(id: &'static str, name: &'static str, tactic: Tactic) -> AttackTechnique {
    AttackTechnique { id, name, tactic }
}

/// Technique of credentials that are used in an unusual way.
pub(crate) const VALID_ACCOUNTS: &AttackTechnique = &of(
    "T1078.004",
    "Valid Accounts: Cloud Accounts",
    Tactic::InitialAccess,
);

/// Every technique that [`super::table`] names.
pub(super) const TECHNIQUES: &[AttackTechnique] = &[
    of(
        "T1078.004",
        "Valid Accounts: Cloud Accounts",
        Tactic::InitialAccess,
    ),
    of("T1110", "Brute Force", Tactic::CredentialAccess),
    of(
        "T1110.003",
        "Brute Force: Password Spraying",
        Tactic::CredentialAccess,
    ),
    of("T1552", "Unsecured Credentials", Tactic::CredentialAccess),
    of(
        "T1552.005",
        "Unsecured Credentials: Cloud Instance Metadata API",
        Tactic::CredentialAccess,
    ),
    of(
        "T1555.006",
        "Credentials from Password Stores: Cloud Secrets Management Stores",
        Tactic::CredentialAccess,
    ),
    of(
        "T1069.003",
        "Permission Groups Discovery: Cloud Groups",
        Tactic::Discovery,
    ),
    of(
        "T1087.004",
        "Account Discovery: Cloud Account",
        Tactic::Discovery,
    ),
    of("T1526", "Cloud Service Discovery", Tactic::Discovery),
    of("T1580", "Cloud Infrastructure Discovery", Tactic::Discovery),
    of("T1619", "Cloud Storage Object Discovery", Tactic::Discovery),
    of("T1648", "Serverless Execution", Tactic::Execution),
    of("T1651", "Cloud Administration Command", Tactic::Execution),
    of(
        "T1021.007",
        "Remote Services: Cloud Services",
        Tactic::LateralMovement,
    ),
    of(
        "T1021.008",
        "Remote Services: Direct Cloud VM Connections",
        Tactic::LateralMovement,
    ),
    of(
        "T1550.001",
        "Use Alternate Authentication Material: Application Access Token",
        Tactic::LateralMovement,
    ),
    of("T1098", "Account Manipulation", Tactic::Persistence),
    of(
        "T1098.001",
        "Account Manipulation: Additional Cloud Credentials",
        Tactic::Persistence,
    ),
    of(
        "T1136.003",
        "Create Account: Cloud Account",
        Tactic::Persistence,
    ),
    of("T1525", "Implant Internal Image", Tactic::Persistence),
    of("T1546", "Event Triggered Execution", Tactic::Persistence),
    of(
        "T1556.006",
        "Modify Authentication Process: Multi-Factor Authentication",
        Tactic::Persistence,
    ),
    of(
        "T1098.003",
        "Account Manipulation: Additional Cloud Roles",
        Tactic::PrivilegeEscalation,
    ),
    of(
        "T1484.002",
        "Domain or Tenant Policy Modification: Trust Modification",
        Tactic::PrivilegeEscalation,
    ),
    of(
        "T1548.005",
        "Abuse Elevation Control Mechanism: Temporary Elevated Cloud Access",
        Tactic::PrivilegeEscalation,
    ),
    of(
        "T1562.001",
        "Impair Defenses: Disable or Modify Tools",
        Tactic::DefenseEvasion,
    ),
    of(
        "T1562.007",
        "Impair Defenses: Disable or Modify Cloud Firewall",
        Tactic::DefenseEvasion,
    ),
    of(
        "T1562.008",
        "Impair Defenses: Disable or Modify Cloud Logs",
        Tactic::DefenseEvasion,
    ),
    of(
        "T1578.001",
        "Modify Cloud Compute Infrastructure: Create Snapshot",
        Tactic::DefenseEvasion,
    ),
    of(
        "T1578.002",
        "Modify Cloud Compute Infrastructure: Create Cloud Instance",
        Tactic::DefenseEvasion,
    ),
    of(
        "T1666",
        "Modify Cloud Resource Hierarchy",
        Tactic::DefenseEvasion,
    ),
    of("T1530", "Data from Cloud Storage", Tactic::Collection),
    of(
        "T1537",
        "Transfer Data to Cloud Account",
        Tactic::Exfiltration,
    ),
    of(
        "T1567.002",
        "Exfiltration Over Web Service: Exfiltration to Cloud Storage",
        Tactic::Exfiltration,
    ),
    of("T1485", "Data Destruction", Tactic::Impact),
    of("T1486", "Data Encrypted for Impact", Tactic::Impact),
    of("T1489", "Service Stop", Tactic::Impact),
    of("T1490", "Inhibit System Recovery", Tactic::Impact),
    of("T1496", "Resource Hijacking", Tactic::Impact),
    of("T1531", "Account Access Removal", Tactic::Impact),
];
