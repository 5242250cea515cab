//! Removal of secrets from a provider's description, by a table of member names.

use serde_json::Value;

/// Text in the place of a removed value.
pub const REMOVED: &str = "[removed]";

/// Members whose value is a secret, in lower case without `_` and `-`.
const SECRET: &[&str] = &[
    "accesstoken",
    "apikey",
    "authtoken",
    "clientsecret",
    "connectionstring",
    "keymaterial",
    "passwd",
    "plaintext",
    "privatekey",
    "secretaccesskey",
    "secretbinary",
    "secretkey",
    "secretstring",
    "sessiontoken",
    "sharedkey",
    "presharedkey",
    // Start scripts carry tokens more often than not.
    "userdata",
    "customdata",
    "startupscript",
];

/// Members that hold variables of a program, whose values are secrets and whose names are not.
const VARIABLES: &[&str] = &["variables", "environmentvariables"];

/// Replaces the secrets of a description by [`REMOVED`].
pub(super) fn remove(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-')).collect();
                let plain = plain.to_ascii_lowercase();
                if is_secret(&plain, value) {
                    *value = Value::String(REMOVED.to_owned());
                } else if VARIABLES.contains(&plain.as_str()) {
                    remove_values(value);
                } else {
                    remove(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove),
        _ => {}
    }
}

/// Text under a name of the table, or under a name that ends in `password`. `PasswordResetRequired`
/// is a yes or no, `PasswordLastUsed` a time: neither ends so.
fn is_secret(name: &str, value: &Value) -> bool {
    let secret = SECRET.contains(&name) || name.ends_with("password");
    let empty = value.is_null() || value.is_boolean() || value.as_str().is_some_and(str::is_empty);
    secret && !empty
}

/// Replaces the values of variables, in either form: `{name: value}` or `[{name, value}]`.
fn remove_values(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for value in members.values_mut() {
                *value = Value::String(REMOVED.to_owned());
            }
        }
        Value::Array(items) => {
            for member in items.iter_mut().filter_map(Value::as_object_mut).flatten() {
                if member.0.eq_ignore_ascii_case("value") {
                    *member.1 = Value::String(REMOVED.to_owned());
                }
            }
        }
        other => *other = Value::String(REMOVED.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(given: Value, expect: Value) {
        let mut value = given;
        remove(&mut value);
        assert_eq!(value, expect);
    }

    #[test]
    fn secrets_go_and_their_surroundings_stay() {
        check(
            json!({ "MasterUserPassword": "x" }),
            json!({ "MasterUserPassword": REMOVED }),
        );
        check(
            json!([{ "deep": { "secret_access_key": "x", "SecretId": "s" } }]),
            json!([{ "deep": { "secret_access_key": REMOVED, "SecretId": "s" } }]),
        );
        check(
            json!({ "Environment": { "Variables": { "TOKEN": "x", "STAGE": "prod" } } }),
            json!({ "Environment": { "Variables": { "TOKEN": REMOVED, "STAGE": REMOVED } } }),
        );
        check(
            json!({ "environmentVariables": [{ "name": "TOKEN", "value": "x" }] }),
            json!({ "environmentVariables": [{ "name": "TOKEN", "value": REMOVED }] }),
        );
    }

    #[test]
    fn members_that_only_sound_like_secrets_stay() {
        let description = json!({
            "PasswordLastUsed": "2026-01-01T00:00:00Z", "PasswordResetRequired": false, "password": "",
            "metadataOptions": { "httpTokens": "required" }, "MasterUserSecret": { "SecretArn": "arn:x" },
        });
        check(description.clone(), description);
    }
}
