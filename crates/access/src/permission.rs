//! Permissions: what a route requires.

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident => $text:literal),+ $(,)?) => {
        /// One thing a principal may or may not do. Every HTTP route names exactly one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Permission { $($(#[$doc])* $name),+ }

        impl Permission {
            /// Every permission, in the order of the table.
            pub const ALL: &'static [Permission] = &[$(Permission::$name),+];

            /// The name in errors and documents.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Permission::$name => $text),+ }
            }
        }
    };
}

permissions!(
    /// See every entry of the log.
    AuditViewAll => "audit.view.all",
    /// See the entries of one's team.
    AuditViewTeam => "audit.view.team",
    /// See one's own entries.
    AuditViewOwn => "audit.view.own",
    /// Search the log: filter and count what one may see, and nothing beyond it.
    AuditSearch => "audit.search",
    /// Submit entries to the log.
    AuditAppend => "audit.append",
    /// Export entries as files.
    AuditExport => "audit.export",
    /// Create and change alert rules.
    AuditAlerts => "audit.alerts",
    /// Acknowledge, assign and resolve firings of alert rules.
    AuditTriage => "audit.triage",
    /// Generate and schedule reports.
    AuditReports => "audit.reports",
    /// Change retention and holds.
    AuditRetention => "audit.retention",
    /// Configure streams to other platforms.
    AuditIntegrations => "audit.integrations",
    /// Verify the log's integrity.
    AuditVerify => "audit.verify",
    /// Have other engines read the sealed entries: the catalogue of tables.
    AuditLake => "audit.lake",
    /// See agents, recommendations, actions.
    IntelligenceView => "intelligence.view",
    /// Execute, dismiss, snooze, schedule, give feedback, run agents and playbooks.
    IntelligenceOperate => "intelligence.operate",
    /// Judge anomalies and alerts of other tools, and handle incidents; no change to the estate.
    IntelligenceTriage => "intelligence.triage",
    /// Create and configure agents and guardrails.
    IntelligenceConfigure => "intelligence.configure",
    /// Approve as manager (medium impact).
    ApproveManager => "approve.manager",
    /// Approve as director (half of high impact).
    ApproveDirector => "approve.director",
    /// Approve as security (the other half of high impact).
    ApproveSecurity => "approve.security",
    /// See connections and resources.
    EstateView => "estate.view",
    /// Add, change, sync and remove connections.
    EstateManage => "estate.manage",
    /// Manage users, teams, tokens and settings.
    Administer => "administer",
);
