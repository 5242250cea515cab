//! Event type of an API call: calls with a meaning of their own by name, all others by their verb.

use reeve_audit::EventType;

/// Calls whose name says more than their verb.
const CALLS: [(&str, &str); 37] = [
    ("ConsoleLogin", "authentication.login"),
    ("ExternalIdPDirectoryLogin", "authentication.login"),
    ("UserAuthentication", "authentication.login"),
    ("Authenticate", "authentication.login"),
    ("Federate", "authentication.login"),
    ("Logout", "authentication.logout"),
    ("CheckMfa", "authentication.mfa"),
    ("CredentialChallenge", "authentication.mfa"),
    ("CredentialVerification", "authentication.mfa"),
    ("PasswordUpdated", "authentication.password_change"),
    ("ChangePassword", "authentication.password_change"),
    ("UpdateLoginProfile", "authentication.password_change"),
    ("PasswordRecoveryRequested", "authentication.password_reset"),
    ("PasswordRecoveryCompleted", "authentication.password_reset"),
    ("SwitchRole", "authentication.assume_role"),
    ("ExitRole", "authentication.logout"),
    ("RenewRole", "authentication.assume_role"),
    ("GetFederationToken", "authentication.token_issue"),
    ("GetSessionToken", "authentication.token_issue"),
    ("GetSigninToken", "authentication.token_issue"),
    ("GetRoleCredentials", "authentication.token_issue"),
    ("AddPermission", "policy.modify"),
    ("RemovePermission", "policy.modify"),
    ("PutBucketAcl", "policy.modify"),
    ("PutObjectAcl", "policy.modify"),
    ("PutBucketPublicAccessBlock", "policy.modify"),
    ("DeleteBucketPublicAccessBlock", "policy.modify"),
    ("PutAccountPublicAccessBlock", "policy.modify"),
    ("CreateGrant", "policy.modify"),
    ("RevokeGrant", "policy.modify"),
    ("RetireGrant", "policy.modify"),
    ("ScheduleKeyDeletion", "resource.delete"),
    ("CreateTags", "resource.tag"),
    ("DeleteTags", "resource.tag"),
    ("StartSession", "resource.execute"),
    ("ResumeSession", "resource.execute"),
    ("TerminateSession", "resource.execute"),
];

/// Event types by the verb a call begins with.
const VERBS: [(&str, &[&str]); 6] = [
    (
        "resource.view",
        &[
            "Describe",
            "List",
            "Get",
            "Head",
            "BatchGet",
            "BatchDescribe",
            "BatchList",
            "Lookup",
            "Search",
            "Query",
            "Scan",
            "Select",
            "View",
            "Check",
            "Validate",
            "Verify",
            "Estimate",
            "Preview",
            "Simulate",
            "Download",
            "Discover",
            "Filter",
            "Decode",
        ],
    ),
    (
        "resource.create",
        &[
            "Create",
            "Run",
            "Launch",
            "Allocate",
            "Register",
            "Import",
            "Copy",
            "Restore",
            "Provision",
            "Request",
            "Issue",
            "Publish",
            "Upload",
            "Purchase",
            "Clone",
            "BatchCreate",
            "Initiate",
        ],
    ),
    (
        "resource.delete",
        &[
            "Delete",
            "Terminate",
            "Deregister",
            "Release",
            "Purge",
            "Destroy",
            "Deprovision",
            "BatchDelete",
            "Abort",
            "Unregister",
        ],
    ),
    (
        "resource.state",
        &[
            "Start",
            "Stop",
            "Reboot",
            "Restart",
            "Failover",
            "Suspend",
            "Resume",
            "Pause",
            "Hibernate",
            "Shutdown",
            "Enter",
            "Exit",
        ],
    ),
    (
        "resource.modify",
        &[
            "Put",
            "Update",
            "Modify",
            "Attach",
            "Detach",
            "Associate",
            "Disassociate",
            "Set",
            "Reset",
            "Change",
            "Replace",
            "Add",
            "Remove",
            "Authorize",
            "Revoke",
            "Enable",
            "Disable",
            "Assign",
            "Unassign",
            "Apply",
            "Upgrade",
            "Move",
            "Rename",
            "Merge",
            "Accept",
            "Reject",
            "Leave",
            "Join",
            "Invite",
            "Cancel",
            "Complete",
            "Configure",
            "Increase",
            "Decrease",
            "Extend",
            "Rotate",
            "Lock",
            "Unlock",
            "Promote",
            "Switchover",
            "Transfer",
            "BatchUpdate",
            "BatchPut",
            "BatchWrite",
            "Grant",
            "Activate",
            "Deactivate",
            "Connect",
            "Disconnect",
            "Swap",
            "Monitor",
            "Unmonitor",
            "Withdraw",
            "Advertise",
            "Archive",
            "Unarchive",
        ],
    ),
    (
        "resource.execute",
        &[
            "Invoke",
            "Send",
            "Execute",
            "Decrypt",
            "Encrypt",
            "ReEncrypt",
            "Sign",
            "Generate",
            "Test",
            "Converse",
            "Call",
        ],
    ),
];

/// The event type of a record with this `eventName`, `eventType` and `readOnly`.
pub fn event_type(
    event_name: Option<&str>,
    event_kind: Option<&str>,
    read_only: Option<bool>,
) -> EventType {
    EventType::from_static(name(event_name, event_kind, read_only))
}

fn name(
    event_name: Option<&str>,
    event_kind: Option<&str>,
    read_only: Option<bool>,
) -> &'static str {
    if event_kind == Some("AwsCloudTrailInsight") {
        return "system.insight";
    }

    let Some(call) = event_name else {
        return "system.event";
    };

    let plain = call.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'v');
    if let Some((_, event_type)) = CALLS
        .iter()
        .find(|(name, _)| *name == call || *name == plain)
    {
        return event_type;
    }

    if call.starts_with("AssumeRole") || call == "AssumeRoot" {
        return "authentication.assume_role";
    }

    let verb = VERBS
        .iter()
        .find(|(_, verbs)| verbs.iter().any(|verb| begins(call, verb)))
        .map(|(event_type, _)| *event_type);
    match verb {
        Some("resource.view") => "resource.view",
        // What may be done, by whom: policies, permission boundaries.
        Some(_)
            if call.contains("Policy")
                || call.contains("Policies")
                || call.contains("PermissionsBoundary") =>
        {
            "policy.modify"
        }
        _ if tags(call) => "resource.tag",
        Some(event_type) => event_type,
        None if read_only == Some(true) => "resource.view",
        None if event_kind == Some("AwsServiceEvent") => "system.event",
        None => "resource.execute",
    }
}

fn tags(call: &str) -> bool {
    begins(call, "Tag")
        || begins(call, "Untag")
        || call.starts_with("AddTags")
        || call.starts_with("RemoveTags")
        || call.ends_with("Tagging")
}

/// Returns `true` if `call` begins with the word `verb`.
fn begins(call: &str, verb: &str) -> bool {
    call.strip_prefix(verb)
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_verbs() {
        for (call, expect) in [
            ("ConsoleLogin", "authentication.login"),
            ("AssumeRoleWithWebIdentity", "authentication.assume_role"),
            ("GetFederationToken", "authentication.token_issue"),
            ("UpdateLoginProfile", "authentication.password_change"),
            ("DescribeInstances", "resource.view"),
            ("GetBucketPolicy", "resource.view"),
            ("GetObjectTagging", "resource.view"),
            ("RunInstances", "resource.create"),
            ("CreateUser", "resource.create"),
            ("TerminateInstances", "resource.delete"),
            ("DeleteBucket", "resource.delete"),
            ("ModifyInstanceAttribute", "resource.modify"),
            ("UpdateFunctionCode20150331v2", "resource.modify"),
            ("AddPermission20150331v2", "policy.modify"),
            ("AttachUserPolicy", "policy.modify"),
            ("PutRolePermissionsBoundary", "policy.modify"),
            ("UpdateAssumeRolePolicy", "policy.modify"),
            ("CreateTags", "resource.tag"),
            ("UntagResource", "resource.tag"),
            ("PutBucketTagging", "resource.tag"),
            ("StopInstances", "resource.state"),
            ("StartSession", "resource.execute"),
            ("InvokeModel", "resource.execute"),
            ("Settle", "resource.execute"),
            ("Gettysburg", "resource.execute"),
        ] {
            assert_eq!(
                event_type(Some(call), Some("AwsApiCall"), None).as_str(),
                expect,
                "{call}"
            );
        }

        assert_eq!(
            event_type(Some("Frobnicate"), None, Some(true)).as_str(),
            "resource.view"
        );
        assert_eq!(event_type(None, None, None).as_str(), "system.event");
    }

    #[test]
    fn every_name_in_the_tables_is_an_event_type() {
        for name in CALLS
            .iter()
            .map(|(_, name)| *name)
            .chain(VERBS.iter().map(|(name, _)| *name))
        {
            assert!(EventType::new(name).is_ok(), "{name}");
        }
    }
}
