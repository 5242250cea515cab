//! Words of an operation's name: its verb, and the class of its object.
//!
//! Clouds name operations in words that people understand: `CreateAccessKey`,
//! `Microsoft.Authorization/roleAssignments/write`, `google.iam.admin.v1.SetIAMPolicy`. Reading
//! those words rather than a list of known names judges services that nobody has heard of yet.

mod class;
mod verb;

pub use class::WordClass;
pub use verb::Verb;

/// The words of an operation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Words {
    /// Lower-case words of the service and of the operation, in their order; numbers and versions
    /// left out.
    all: Vec<String>,
    /// Position at which the operation's last part begins: `listKeys` of `vaults/listKeys/action`.
    last: usize,
    /// Position at which the operation begins, behind the service's words.
    operation: usize,
}

impl Words {
    /// Of an operation of a service.
    pub fn from_operation(service: &str, operation: &str) -> Self {
        let mut all = Vec::new();
        split(service, &mut all);
        all.retain(|word| !FILLING.contains(&word.as_str()));
        let start = all.len();
        let parts: Vec<&str> = operation
            .split(['.', '/', ':', ' '])
            .filter(|part| !part.is_empty())
            .collect();
        let named = parts
            .iter()
            .rposition(|part| !part.eq_ignore_ascii_case("action"))
            .unwrap_or(0);
        let mut last = start;

        for (at, part) in parts.iter().enumerate() {
            if at == named {
                last = all.len();
            }
            split(part, &mut all);
        }

        Self {
            all,
            last,
            operation: start,
        }
    }

    /// Returns `true` if the name of the service or operation has the word; a plural counts for its
    /// singular.
    pub fn has(&self, word: &str) -> bool {
        self.all.iter().any(|one| same(one, word))
    }

    /// Returns `true` if the name has any of the words.
    pub fn has_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// Returns `true` if the name has all of the words.
    pub fn has_all(&self, words: &[&str]) -> bool {
        words.iter().all(|word| self.has(word))
    }

    /// Returns `true` if the operation itself, not its service, has any of the words.
    pub fn operation_has(&self, words: &[&str]) -> bool {
        self.operation()
            .iter()
            .any(|one| words.iter().any(|word| same(one, word)))
    }

    /// Returns `true` if the service's name has any of the words.
    pub fn service_has(&self, words: &[&str]) -> bool {
        self.all[..self.operation]
            .iter()
            .any(|one| words.iter().any(|word| same(one, word)))
    }

    /// Returns the words of the operation's name, without those of its service.
    pub fn operation(&self) -> &[String] {
        &self.all[self.operation..]
    }

    /// The words of the operation's last part, which says what is done.
    pub fn last_part(&self) -> &[String] {
        &self.all[self.last..]
    }
}

/// Words of a service's name that say nothing.
const FILLING: [&str; 8] = [
    "amazonaws",
    "com",
    "aws",
    "amazon",
    "microsoft",
    "googleapis",
    "google",
    "azure",
];

fn same(one: &str, word: &str) -> bool {
    one == word || one.strip_suffix('s') == Some(word)
}

/// Adds the words of `text`: `GetSSMParametersByPath2` has get, ssm, parameters, by, path.
fn split(text: &str, into: &mut Vec<String>) {
    let chars: Vec<char> = text.chars().take(256).collect();
    let mut word = String::new();
    let mut end = |word: &mut String| {
        let whole = std::mem::take(word);
        if whole.chars().count() > 1 {
            into.push(whole);
        }
    };

    for (at, c) in chars.iter().enumerate() {
        if !c.is_alphabetic() {
            end(&mut word);
            continue;
        }
        let small = |at: Option<usize>| {
            at.and_then(|at| chars.get(at))
                .is_some_and(|c| c.is_lowercase())
        };
        if c.is_uppercase()
            && (small(at.checked_sub(1)) || small(Some(at + 1)) && !plural_capital(&chars, at))
        {
            end(&mut word);
        }
        word.extend(c.to_lowercase());
    }

    end(&mut word);
}

/// Returns `true` if the lower-case letter after this capital is only its plural, as in `ListIDs`
/// or `GetWebACLs`.
fn plural_capital(chars: &[char], at: usize) -> bool {
    at > 0
        && chars[at - 1].is_uppercase()
        && chars.get(at + 1) == Some(&'s')
        && chars.get(at + 2).is_none_or(|c| !c.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        for (service, operation, all, last) in [
            (
                "iam.amazonaws.com",
                "CreateAccessKey",
                "iam create access key",
                "create access key",
            ),
            (
                "lambda",
                "UpdateFunctionCode20150331v2",
                "lambda update function code",
                "update function code",
            ),
            (
                "wafv2",
                "ListWebACLs",
                "wafv list web acls",
                "list web acls",
            ),
            (
                "rds",
                "DeleteDBInstance",
                "rds delete db instance",
                "delete db instance",
            ),
            (
                "ec2-instance-connect",
                "SendSSHPublicKey",
                "ec instance connect send ssh public key",
                "send ssh public key",
            ),
            (
                "Microsoft.KeyVault",
                "vaults/listKeys/action",
                "key vault vaults list keys action",
                "list keys action",
            ),
            (
                "",
                "google.iam.admin.v1.SetIAMPolicy",
                "google iam admin set iam policy",
                "set iam policy",
            ),
            (
                "compute",
                "v1.compute.firewalls.insert",
                "compute compute firewalls insert",
                "insert",
            ),
            ("", "", "", ""),
        ] {
            let words = Words::from_operation(service, operation);
            assert_eq!(words.all.join(" "), all);
            assert_eq!(words.last_part().join(" "), last);
        }
    }

    #[test]
    fn service_and_operation_are_distinguished() {
        let words = Words::from_operation("logs", "DeleteLogGroup");
        assert!(
            words.service_has(&["log"])
                && words.operation_has(&["log"])
                && words.has_all(&["log", "group"])
        );
        assert!(!words.service_has(&["group"]) && !words.has("trail"));
    }
}
