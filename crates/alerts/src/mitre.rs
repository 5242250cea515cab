//! Identifiers of MITRE ATT&CK (<https://attack.mitre.org>): tactics such as `TA0006` and
//! techniques such as `T1110.003`.

use reeve_estate::named;

/// Address of the knowledge base; pages of tactics and techniques are below it.
pub const ATTACK_URL: &str = "https://attack.mitre.org";

named!(
    /// Tactics of the enterprise matrix, by the names that SIGMA rules use.
    Tactic {
        Reconnaissance => "reconnaissance",
        ResourceDevelopment => "resource-development",
        InitialAccess => "initial-access",
        Execution => "execution",
        Persistence => "persistence",
        PrivilegeEscalation => "privilege-escalation",
        DefenseEvasion => "defense-evasion",
        CredentialAccess => "credential-access",
        Discovery => "discovery",
        LateralMovement => "lateral-movement",
        Collection => "collection",
        CommandAndControl => "command-and-control",
        Exfiltration => "exfiltration",
        Impact => "impact",
    }
);

impl Tactic {
    /// Returns the identifier, such as `TA0006`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Tactic::Reconnaissance => "TA0043",
            Tactic::ResourceDevelopment => "TA0042",
            Tactic::InitialAccess => "TA0001",
            Tactic::Execution => "TA0002",
            Tactic::Persistence => "TA0003",
            Tactic::PrivilegeEscalation => "TA0004",
            Tactic::DefenseEvasion => "TA0005",
            Tactic::CredentialAccess => "TA0006",
            Tactic::Discovery => "TA0007",
            Tactic::LateralMovement => "TA0008",
            Tactic::Collection => "TA0009",
            Tactic::CommandAndControl => "TA0011",
            Tactic::Exfiltration => "TA0010",
            Tactic::Impact => "TA0040",
        }
    }
}

/// Identifier of a tactic or technique.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttackId(String);

impl AttackId {
    /// Reads `TA0006`, `T1110` or `T1110.003`, in capitals or not.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let id = text.to_ascii_uppercase();
        let is_number = |text: &str, length| {
            text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
        };

        let is_technique = |text: &str| match text.split_once('.') {
            Some((technique, part)) => is_number(technique, 4) && is_number(part, 3),
            None => is_number(text, 4),
        };

        let is_known = match id.strip_prefix("TA") {
            Some(number) => is_number(number, 4),
            None => id.strip_prefix('T').is_some_and(is_technique),
        };
        is_known.then_some(AttackId(id))
    }

    /// Reads a tag of a SIGMA rule, such as `attack.t1110.003` or `attack.credential-access`;
    /// `None` for other tags.
    #[must_use]
    pub fn of_sigma_tag(tag: &str) -> Option<Self> {
        let name = tag.strip_prefix("attack.")?.replace('_', "-");
        let tactic = Tactic::parse(&name).map(Tactic::id);
        AttackId::parse(tactic.unwrap_or(&name))
    }

    /// Returns the identifier as MITRE writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address of its page.
    #[must_use]
    pub fn url(&self) -> String {
        match self.0.starts_with("TA") {
            true => format!("{ATTACK_URL}/tactics/{}/", self.0),
            false => format!("{ATTACK_URL}/techniques/{}/", self.0.replace('.', "/")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tactics_and_techniques_are_read() {
        let url = |text: &str| AttackId::parse(text).map(|id| id.url());
        assert_eq!(
            url("ta0006").as_deref(),
            Some("https://attack.mitre.org/tactics/TA0006/")
        );
        assert_eq!(
            url("T1110.003").as_deref(),
            Some("https://attack.mitre.org/techniques/T1110/003/")
        );

        for wrong in [
            "",
            "T",
            "TA",
            "T110",
            "T1110.",
            "T1110.03",
            "TA00061",
            "T1110.003.1",
            "X1110",
            "TÄ006",
        ] {
            assert_eq!(AttackId::parse(wrong), None, "{wrong}");
        }

        let tag = |text: &str| AttackId::of_sigma_tag(text).map(|id| id.0);
        assert_eq!(
            tag("attack.privilege-escalation").as_deref(),
            Some("TA0004")
        );
        assert_eq!(tag("attack.defense_evasion").as_deref(), Some("TA0005"));
        assert_eq!(tag("attack.t1098.001").as_deref(), Some("T1098.001"));
        assert_eq!((tag("cve.2024-1"), tag("attack.g0016")), (None, None));
    }
}
