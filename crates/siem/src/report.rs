//! One alert in the form that all formats are read into.

use std::collections::BTreeMap;
use std::net::IpAddr;

use jiff::Timestamp;
use reeve_audit::Severity;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::severity_name;

/// An alert as its sender reports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlertReport {
    /// Identifier that the sender gives the alert; the hash of the record where it gives none.
    pub sender_id: String,
    /// `true` if the sender gave the identifier: only such an alert can be closed there.
    pub has_sender_id: bool,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(with = "severity_name")]
    pub severity: Severity,
    /// `false` if the sender named no severity and `medium` was assumed.
    pub names_severity: bool,
    /// Time of the alert; of its arrival where the sender gives none.
    pub at: Timestamp,
    /// `true` if the sender has closed it.
    pub is_closed: bool,
    /// Rule of the sender that raised it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// ATT&CK techniques, as `T1078` or `T1078.004`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub techniques: Vec<String>,
    /// User or program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Cloud account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Page of the alert at the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Fields of the sender that no field above was read from, by their dotted path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub further: BTreeMap<String, Value>,
}

impl AlertReport {
    /// Returns the key that reports of one cause share: the rule, or else the title, and whom and
    /// what it is about.
    #[must_use]
    pub fn cause(&self) -> String {
        let address = self.address.map(|address| address.to_string());
        let parts = [
            self.rule.as_ref().unwrap_or(&self.title),
            self.principal.as_ref().unwrap_or(&String::new()),
            address.as_ref().unwrap_or(&String::new()),
            self.account.as_ref().unwrap_or(&String::new()),
            self.resource.as_ref().unwrap_or(&String::new()),
        ]
        .map(|part| part.to_lowercase());

        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_be_bytes());
            hash.update(part.as_bytes());
        }
        hex::encode(hash.finalize())
    }
}
