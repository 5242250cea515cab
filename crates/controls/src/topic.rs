//! Topics: what a check is about. Controls of frameworks name topics, so that a new check counts
//! for every framework without a change to any.

use reeve_estate::named;

named!(
    /// Subject matter of a check.
    Topic {
        /// Data, services or copies that anybody may reach or read.
        PublicAccess => "public_access",
        /// Resources that other accounts may use.
        CrossAccountAccess => "cross_account_access",
        /// Rights beyond what is needed.
        LeastPrivilege => "least_privilege",
        /// Passwords and how people prove who they are.
        Authentication => "authentication",
        /// A second factor at sign-in.
        MultiFactor => "multi_factor",
        /// Age and rotation of keys, secrets and certificates.
        CredentialRotation => "credential_rotation",
        /// Accounts and keys that nobody uses.
        UnusedAccess => "unused_access",
        /// Secrets outside a store made for them.
        SecretHandling => "secret_handling",
        /// Data on disks, in buckets and in databases is encrypted.
        EncryptionAtRest => "encryption_at_rest",
        /// Data on the wire is encrypted, with protocols that are not broken.
        EncryptionInTransit => "encryption_in_transit",
        /// Keys of encryption: rotation, policy, deletion.
        KeyManagement => "key_management",
        /// Actions and accesses are recorded.
        AuditLogging => "audit_logging",
        /// Records cannot be changed or lost.
        LogProtection => "log_protection",
        /// Records and copies are kept long enough.
        Retention => "retention",
        /// Alarms, metrics and health.
        Monitoring => "monitoring",
        /// Services that look for attacks.
        ThreatDetection => "threat_detection",
        /// Changes of configuration are recorded.
        ConfigurationRecording => "configuration_recording",
        /// Networks are split, and their default rules let nothing through.
        NetworkSegmentation => "network_segmentation",
        /// Administration from the internet.
        RemoteAdministration => "remote_administration",
        /// Copies from which data can be restored.
        Backup => "backup",
        /// Protection from deletion by mistake.
        DeletionProtection => "deletion_protection",
        /// Survival of the loss of a machine or zone.
        Availability => "availability",
        /// Versions that still receive corrections.
        Patching => "patching",
        /// Search for known weaknesses.
        VulnerabilityScanning => "vulnerability_scanning",
        /// Machines and services set up as their makers recommend.
        SecureConfiguration => "secure_configuration",
        /// Knowledge of what exists and who owns it.
        Inventory => "inventory",
    }
);
