//! Verb of an operation.

use super::Words;

/// Verb of an operation: the way it treats its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Reads the object without a change.
    Read,
    Create,
    Change,
    /// Gives somebody or something a part in it.
    Grant,
    /// Deletes or detaches the object.
    Remove,
    /// Stops it, or switches it off.
    Stop,
    /// Starts it, or switches it on.
    Start,
    /// Makes it do something.
    Run,
    /// Takes on the identity of another principal.
    Assume,
    SignIn,
    SignOut,
    /// Changes labels of the object alone.
    Tag,
    /// An operation whose name contains no known verb.
    Other,
}

/// Words by verb. A word stands once.
const LEXICON: [(Verb, &[&str]); 11] = [
    (
        Verb::Read,
        &[
            "describe",
            "list",
            "get",
            "head",
            "lookup",
            "search",
            "query",
            "scan",
            "select",
            "view",
            "check",
            "validate",
            "verify",
            "estimate",
            "preview",
            "simulate",
            "discover",
            "filter",
            "decode",
            "read",
            "show",
            "count",
            "test",
            "fetch",
            "download",
            "heartbeat",
            "decrypt",
            "watch",
            "poll",
            "viewed",
            "browse",
            "report",
        ],
    ),
    (
        Verb::Create,
        &[
            "create",
            "launch",
            "allocate",
            "register",
            "import",
            "copy",
            "restore",
            "provision",
            "request",
            "publish",
            "upload",
            "purchase",
            "clone",
            "initiate",
            "insert",
            "new",
            "generate",
            "make",
            "created",
            "deploy",
            "backup",
            "export",
        ],
    ),
    (
        Verb::Change,
        &[
            "put",
            "update",
            "modify",
            "set",
            "change",
            "replace",
            "edit",
            "patch",
            "write",
            "configure",
            "reset",
            "rotate",
            "apply",
            "upgrade",
            "move",
            "rename",
            "merge",
            "increase",
            "decrease",
            "extend",
            "promote",
            "transfer",
            "swap",
            "updated",
            "changed",
            "modified",
            "resize",
            "scale",
            "regenerate",
        ],
    ),
    (
        Verb::Grant,
        &[
            "attach",
            "add",
            "associate",
            "authorize",
            "grant",
            "share",
            "assign",
            "allow",
            "permit",
            "trust",
            "invite",
            "accept",
            "join",
            "elevate",
            "bind",
            "approve",
        ],
    ),
    (
        Verb::Remove,
        &[
            "delete",
            "remove",
            "terminate",
            "deregister",
            "release",
            "purge",
            "destroy",
            "deprovision",
            "abort",
            "unregister",
            "detach",
            "disassociate",
            "revoke",
            "drop",
            "erase",
            "wipe",
            "unassign",
            "clear",
            "withdraw",
            "deleted",
            "removed",
        ],
    ),
    (
        Verb::Stop,
        &[
            "stop",
            "disable",
            "suspend",
            "pause",
            "deactivate",
            "leave",
            "cancel",
            "shutdown",
            "hibernate",
            "schedule",
            "unmonitor",
            "mute",
            "suppress",
            "reboot",
            "restart",
            "failover",
            "deallocate",
            "poweroff",
            "kill",
            "disconnect",
        ],
    ),
    (
        Verb::Start,
        &[
            "start",
            "enable",
            "resume",
            "activate",
            "reactivate",
            "poweron",
            "monitor",
        ],
    ),
    (
        Verb::Run,
        &[
            "run", "invoke", "send", "execute", "converse", "call", "exec", "evaluate",
        ],
    ),
    (
        Verb::Assume,
        &["assume", "federate", "switch", "impersonate", "assumed"],
    ),
    (
        Verb::SignIn,
        &["login", "signin", "authenticate", "logon", "authentication"],
    ),
    (Verb::SignOut, &["logout", "signout", "logoff"]),
];

impl Verb {
    /// The verb of an operation: the first known word of its last part, else of all its parts.
    pub fn classify(words: &Words) -> Self {
        let last = words.last_part().iter().find_map(|word| known(word));
        let verb = last
            .or_else(|| words.operation().iter().find_map(|word| known(word)))
            .unwrap_or(Self::Other);
        verb.in_context(words)
    }

    /// Words whose meaning others decide.
    fn in_context(self, words: &Words) -> Self {
        match self {
            Self::Read | Self::Create | Self::Other if mints_token(words) => Self::Assume,
            // A report of what there is changes nothing.
            Self::Create
                if words.operation_has(&["generate"])
                    && words.operation_has(&["report", "detail"]) =>
            {
                Self::Read
            }
            Self::Start | Self::Stop | Self::Create
                if words.operation_has(&["session"]) && words.has_any(&["ssm", "shell"]) =>
            {
                Self::Run
            }
            Self::Create | Self::Remove | Self::Change | Self::Grant | Self::Other
                if words.operation_has(&["tag", "tagging", "untag", "label"]) =>
            {
                Self::Tag
            }
            // To have done with listing keys one holds them.
            other => other,
        }
    }

    /// Returns `true` if the verb changes nothing.
    pub fn only_looks(self) -> bool {
        matches!(self, Self::Read | Self::SignOut)
    }
}

/// Tokens that make their holder somebody else.
fn mints_token(words: &Words) -> bool {
    words.operation_has(&["token"])
        && words.operation_has(&["federation", "session", "access", "signin", "bearer"])
        || words.operation_has(&["credential"]) && words.operation_has(&["role"])
}

fn known(word: &str) -> Option<Verb> {
    LEXICON
        .iter()
        .find(|(_, words)| words.contains(&word))
        .map(|(verb, _)| *verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_of_three_clouds() {
        for (service, operation, verb) in [
            ("iam", "CreateAccessKey", Verb::Create),
            ("ec2", "DescribeInstances", Verb::Read),
            ("secretsmanager", "BatchGetSecretValue", Verb::Read),
            ("cloudtrail", "StopLogging", Verb::Stop),
            ("kms", "ScheduleKeyDeletion", Verb::Stop),
            ("ssm", "StartSession", Verb::Run),
            ("ec2", "StartInstances", Verb::Start),
            ("sts", "GetFederationToken", Verb::Assume),
            ("sts", "AssumeRoleWithSAML", Verb::Assume),
            ("signin", "ConsoleLogin", Verb::SignIn),
            ("iam", "CreateLoginProfile", Verb::Create),
            ("signin", "PasswordUpdated", Verb::Change),
            ("ec2", "CreateTags", Verb::Tag),
            (
                "Microsoft.Authorization",
                "Microsoft.Authorization/roleAssignments/write",
                Verb::Change,
            ),
            (
                "Microsoft.Compute",
                "Microsoft.Compute/virtualMachines/runCommand/action",
                Verb::Run,
            ),
            (
                "Microsoft.Storage",
                "Microsoft.Storage/storageAccounts/listKeys/action",
                Verb::Read,
            ),
            ("compute", "v1.compute.firewalls.insert", Verb::Create),
            ("storage", "storage.buckets.delete", Verb::Remove),
            ("iamcredentials", "GenerateAccessToken", Verb::Assume),
            ("iam", "GenerateCredentialReport", Verb::Read),
            ("x", "Frobnicate", Verb::Other),
        ] {
            assert_eq!(
                Verb::classify(&Words::from_operation(service, operation)),
                verb,
                "{operation}"
            );
        }
    }

    #[test]
    fn no_word_has_two_verbs() {
        let mut words: Vec<&str> = LEXICON
            .iter()
            .flat_map(|(_, words)| words.iter().copied())
            .collect();
        let all = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), all);
    }
}
