//! An alert rule: settings that people write, and the state that Reeve keeps beside them.

use jiff::Timestamp;
use reeve_audit::Severity;
use reeve_estate::TimeSpan;
use serde::{Deserialize, Serialize};

use crate::settings::RuleSettings;

/// A rule's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleId(pub String);

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident => $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $type { $($(#[$variant_doc])* #[serde(rename = $name)] $variant,)+ }

        impl $type {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name on the wire and in the store.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Reads the name on the wire.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text)
            }
        }
    };
}
pub(crate) use names;

names!(
    /// State of a rule.
    RuleState {
        /// Draft: not enabled yet, not evaluated.
        Draft => "draft",
        /// Evaluated with every entry.
        Enabled => "enabled",
        /// Switched off. Not evaluated.
        Disabled => "disabled",
    }
);

names!(
    /// Classes of security alerts (requirements B-103 to B-107).
    AlertClass {
        /// Repeated failures to sign in.
        FailedAuthentication => "failed_authentication",
        /// A principal gains permissions.
        PrivilegeEscalation => "privilege_escalation",
        /// Unusual reconnaissance or data access.
        SuspiciousActivity => "suspicious_activity",
        /// A change that a policy forbids.
        PolicyViolation => "policy_violation",
        /// Logs, keys or protections are removed.
        ResourceTampering => "resource_tampering",
    }
);

/// Number of entries within a time at which a rule fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleThreshold {
    /// Entries, at least 1.
    pub count: u32,
    /// Length of the window, milliseconds.
    pub window_ms: i64,
}

impl RuleThreshold {
    /// Returns the length of the window as it is written, such as `5m`.
    #[must_use]
    pub fn window(&self) -> TimeSpan {
        TimeSpan::from_seconds(u64::try_from(self.window_ms / 1000).unwrap_or(0))
    }
}

/// Receivers of a firing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notification {
    /// Types of notification channels, `webhook`, or names or identifiers of single channels.
    pub channels: Vec<String>,
    /// E-mail addresses that are written to in place of the channel's own.
    pub recipients: Vec<String>,
}

impl Notification {
    /// Returns the names of the channels to tell. Recipients without a channel are reached through
    /// every e-mail channel, as those of reports are; otherwise the rule would be accepted and tell
    /// nobody.
    #[must_use]
    pub fn receiving_channels(&self) -> Vec<String> {
        match self.channels.is_empty() && !self.recipients.is_empty() {
            true => vec!["email".to_owned()],
            false => self.channels.clone(),
        }
    }
}

/// An alert rule with its state and version.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertRule {
    /// Identifier of the rule.
    pub id: RuleId,
    /// Settings that were checked.
    pub settings: RuleSettings,
    /// State of the rule.
    pub state: RuleState,
    /// Firings until this time notify nobody.
    pub silenced_until: Option<Timestamp>,
    /// Number that grows whenever the counts are reset: the condition, threshold or grouping
    /// changed, or the rule was enabled.
    pub revision: u64,
    /// Grows by one with every change.
    pub version: u64,
    /// Name of the user who made it.
    pub created_by: String,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl AlertRule {
    /// Returns the rule with other settings, as the next version. What changes the meaning of
    /// counts begins a new revision.
    #[must_use]
    pub fn with_settings(&self, settings: RuleSettings, now: Timestamp) -> AlertRule {
        let revision = self.revision + u64::from(!settings.counts_like(&self.settings));
        AlertRule {
            settings,
            revision,
            version: self.version + 1,
            updated_at: now,
            ..self.clone()
        }
    }

    /// Returns the rule in another state, as the next version. Enabling counts from nothing.
    #[must_use]
    pub fn with_state(&self, state: RuleState, now: Timestamp) -> AlertRule {
        let begins = state == RuleState::Enabled && self.state != RuleState::Enabled;
        AlertRule {
            state,
            revision: self.revision + u64::from(begins),
            version: self.version + 1,
            updated_at: now,
            ..self.clone()
        }
    }

    /// Returns the rule silenced until a time, or no longer silenced, as the next version.
    #[must_use]
    pub fn silenced(&self, until: Option<Timestamp>, now: Timestamp) -> AlertRule {
        AlertRule {
            silenced_until: until,
            version: self.version + 1,
            updated_at: now,
            ..self.clone()
        }
    }

    /// Returns `true` if firings notify nobody at a time.
    #[must_use]
    pub fn is_silenced(&self, at: Timestamp) -> bool {
        self.silenced_until.is_some_and(|until| until > at)
    }

    /// Severity of its firings.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.settings.severity
    }
}
