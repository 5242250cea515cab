//! Event types: signing in and out, sessions, passwords, refusals.

use super::{Area, EventKind, Severity, Source, kinds};

kinds! { Authentication:
    LOGIN = "authentication.login", Info, Shared,
        "A user signed in, or an attempt to sign in was refused.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "actor.session_id", "metadata.reason", "metadata.attempts", "metadata.request_id"];
    LOGOUT = "authentication.logout", Info, Shared,
        "A user signed out.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "actor.session_id", "resource.id", "metadata.request_id"];
    SESSION_EXPIRED = "authentication.session_expired", Info, Shared,
        "A session reached the end of its time.",
        ["actor.session_id", "resource.type", "resource.id"];
    PASSWORD_CHANGE = "authentication.password_change", Medium, Shared,
        "A password was changed, by its owner or by an administrator.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "resource.type", "resource.id", "metadata.request_id"];
    TOKEN_REFUSED = "authentication.token_refused", Medium, Shared,
        "An API token was refused because it is unknown, expired or revoked.",
        ["actor.ip_address", "actor.user_agent", "metadata.attempts", "metadata.window_s"];
    DENIED = "authorization.denied", Low, Shared,
        "A request was refused because its caller lacks a permission.",
        ["actor.email", "actor.ip_address", "actor.user_agent", "resource.type", "resource.id", "metadata.needed", "metadata.request_id"];
    MFA = "authentication.mfa", Info, Planned,
        "A second factor was verified or refused.",
        [];
    SINGLE_SIGN_ON = "authentication.sso", Info, Planned,
        "A user signed in through an identity provider.",
        [];
    PASSWORD_RESET = "authentication.password_reset", Info, Others,
        "A user of another system recovered a forgotten password.",
        [];
    ASSUME_ROLE = "authentication.assume_role", Info, Others,
        "A principal took on a role.",
        [];
    TOKEN_ISSUE = "authentication.token_issue", Info, Others,
        "Temporary credentials were issued.",
        [];
    LOCK = "authentication.lock", Info, Others,
        "An account was locked.",
        [];
}
