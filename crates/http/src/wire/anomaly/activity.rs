//! Activity behind a security anomaly, and the anomalies that may belong to the same attack.

use reeve_alerts::AttackId;
use reeve_anomalies::attack::AttackTechnique;
use reeve_anomalies::{MOST_ACCOUNTS, RelatedAnomaly, SecurityActivity};
use serde::Serialize;
use utoipa::ToSchema;

/// Calls or sign-ins behind a security anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SecurityActivityBody {
    /// `true` for sign-ins from one address.
    pub sign_ins: bool,
    /// Calls or sign-ins that succeeded.
    pub succeeded: u64,
    /// Calls or sign-ins that failed or were refused.
    pub refused: u64,
    /// Accounts that were tried or used: those whose entries the caller may see.
    pub accounts: Vec<String>,
    /// Number of all accounts; a lower bound where `more_accounts` is `true`.
    pub account_count: u64,
    /// `true` if there are more accounts than are counted.
    pub more_accounts: bool,
    /// Addresses of the callers.
    pub addresses: Vec<String>,
    pub succeeded_operations: Vec<String>,
    /// Operations that failed or were refused.
    pub refused_operations: Vec<String>,
    /// Resources that the calls named.
    pub resources: Vec<String>,
    /// Identifiers of the first and the newest entries of the log, oldest first, at most 20.
    pub entry_ids: Vec<String>,
    /// Techniques of ATT&CK that the calls show.
    pub techniques: Vec<AttackTechniqueBody>,
    /// Reason why no call shows a technique; absent where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_technique: Option<String>,
}

/// Technique of MITRE ATT&CK.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AttackTechniqueBody {
    /// Identifier, such as `T1098.001`.
    pub id: String,
    pub name: String,
    /// Tactic that it serves, such as `persistence`.
    pub tactic: String,
    /// Address of its page.
    pub url: String,
}

impl From<&AttackTechnique> for AttackTechniqueBody {
    fn from(technique: &AttackTechnique) -> Self {
        AttackTechniqueBody {
            id: technique.id.to_owned(),
            name: technique.name.to_owned(),
            tactic: technique.tactic.as_str().to_owned(),
            url: AttackId::parse(technique.id).map_or_else(String::new, |id| id.url()),
        }
    }
}

impl SecurityActivityBody {
    /// The activity for a caller who may see the entries of some accounts.
    pub(crate) fn seen_by(activity: &SecurityActivity, may_see: impl Fn(&str) -> bool) -> Self {
        let texts = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect();
        SecurityActivityBody {
            sign_ins: activity.sign_ins,
            succeeded: activity.succeeded,
            refused: activity.refused,
            accounts: activity
                .accounts
                .iter()
                .filter(|account| may_see(account))
                .cloned()
                .collect(),
            account_count: activity.accounts.len() as u64,
            more_accounts: activity.accounts.len() >= MOST_ACCOUNTS,
            addresses: activity.addresses.iter().map(ToString::to_string).collect(),
            succeeded_operations: texts(&activity.succeeded_operations),
            refused_operations: texts(&activity.refused_operations),
            resources: texts(&activity.resources),
            entry_ids: activity.entries.clone(),
            techniques: activity
                .attack_techniques()
                .map(AttackTechniqueBody::from)
                .collect(),
            no_technique: activity.no_technique.clone(),
        }
    }
}

/// An anomaly that may belong to the same attack.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RelatedAnomalyBody {
    pub id: String,
    pub title: String,
    /// Common property: `the same address 203.0.113.7`, `begun within 30 minutes of it`.
    pub common: String,
}

impl From<&RelatedAnomaly> for RelatedAnomalyBody {
    fn from(related: &RelatedAnomaly) -> Self {
        RelatedAnomalyBody {
            id: related.id.0.clone(),
            title: related.title.clone(),
            common: related.common.clone(),
        }
    }
}
