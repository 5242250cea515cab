//! Event types: settings, users, teams, tokens, policies, integrations, saved searches.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Configuration:
    SETTINGS_MODIFY = "settings.modify", Medium, Shared,
        "Settings of the workspace were changed.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "resource.type", "resource.id", "changes.before", "changes.after"];
    USER_CREATE = "user.create", Info, Shared,
        "A user was added.",
        ["resource.type", "resource.id", "changes.after"];
    USER_MODIFY = "user.modify", Info, Shared,
        "A user's name, roles, teams or activity was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    USER_DELETE = "user.delete", Info, Shared,
        "A user was removed with their tokens and sessions.",
        ["resource.type", "resource.id", "changes.before"];
    TEAM_CREATE = "team.create", Info, Shared,
        "A team was added.",
        ["resource.type", "resource.id", "changes.after"];
    TEAM_MODIFY = "team.modify", Info, Shared,
        "A team was renamed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    TEAM_DELETE = "team.delete", Info, Shared,
        "A team was removed.",
        ["resource.type", "resource.id", "changes.before"];
    TOKEN_CREATE = "token.create", Medium, Shared,
        "An API token was issued.",
        ["resource.type", "resource.id", "changes.after"];
    TOKEN_DELETE = "token.delete", Info, Shared,
        "An API token was revoked.",
        ["resource.type", "resource.id", "changes.before"];
    POLICY_MODIFY = "policy.modify", Info, Shared,
        "A policy changed: an agent, guardrail, exclusion, predictive rule, calendar, webhook or notification channel.",
        ["resource.type", "resource.id"];
    INTEGRATION_CREATE = "integration.create", Info, Shared,
        "An integration was added: a connection to a cloud account, a source or a stream.",
        ["resource.type", "resource.id", "changes.after"];
    INTEGRATION_MODIFY = "integration.modify", Info, Shared,
        "An integration was changed, paused, resumed or set back.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    INTEGRATION_DELETE = "integration.delete", Info, Shared,
        "An integration was removed.",
        ["resource.type", "resource.id", "changes.before"];
    INTEGRATION_TEST = "integration.test", Info, Shared,
        "The credentials of a connection, or the receiver of a stream, were tried.",
        ["resource.type", "resource.id"];
    PRICE_FILE_IMPORT = "price_file.import", Info, Reeve,
        "A price file was imported; its prices go before the bundled ones.",
        ["resource.type", "resource.id", "changes.after"];
    PRICE_FILE_DELETE = "price_file.delete", Info, Reeve,
        "An imported price file was removed; the bundled prices are in force again.",
        ["resource.type", "resource.id", "changes.before"];
    SAVED_SEARCH_CREATE = "saved_search.create", Info, Shared,
        "A search was saved.",
        ["resource.type", "resource.id", "changes.after"];
    SAVED_SEARCH_MODIFY = "saved_search.modify", Info, Shared,
        "A saved search was changed.",
        ["resource.type", "resource.id", "changes.before", "changes.after"];
    SAVED_SEARCH_DELETE = "saved_search.delete", Info, Shared,
        "A saved search was removed.",
        ["resource.type", "resource.id", "changes.before"];
}
