//! Policy documents (IAM User Guide, "IAM JSON policy elements reference").
//!
//! An element is one text or a list. Actions are compared without regard to letter case, so their
//! patterns are kept in lower case. Unknown elements are refused nowhere: AWS refused them when the
//! policy was stored.

use serde_json::Value;

use crate::operator::Operator;
use crate::pattern::matches;

/// Effect of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyEffect {
    Allow,
    Deny,
}

/// Patterns of `Action` or `Resource`; of `NotAction` or `NotResource` if negated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    pub negated: bool,
    pub patterns: Vec<String>,
}

/// Member of `Principal` or `NotPrincipal`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrincipalName {
    /// `*`, also as `{"AWS": "*"}`.
    Everyone,
    /// An account, or the ARN of an account, user, role or session.
    Aws(String),
    Service(String),
    Federated(String),
    CanonicalUser(String),
}

/// `Principal`; `NotPrincipal` if negated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Principals {
    pub negated: bool,
    pub names: Vec<PrincipalName>,
}

/// Condition of a statement: one operator on one key. All conditions must be satisfied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyCondition {
    pub operator: Operator,
    /// The operator as the policy writes it.
    pub operator_name: String,
    /// The key in lower case.
    pub key: String,
    pub values: Vec<String>,
}

/// Statement of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyStatement {
    /// `Sid`, or the number of the statement in its policy.
    pub name: String,
    pub effect: PolicyEffect,
    /// Only policies of resources have principals.
    pub principals: Option<Principals>,
    /// In lower case.
    pub actions: Patterns,
    /// The patterns of actions as the policy writes them.
    pub action_names: Vec<String>,
    /// Trust policies of roles have no resources: they are about their role.
    pub resources: Option<Patterns>,
    pub conditions: Vec<PolicyCondition>,
}

/// Policy document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IamPolicy {
    /// `true` for version 2012-10-17: the older language has no variables.
    pub has_variables: bool,
    pub statements: Vec<PolicyStatement>,
}

/// Reason for which a value is no policy document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The text is not JSON.
    #[error("the policy is not JSON: {0}")]
    NotJson(String),
    /// The document is no object.
    #[error("the policy is not an object")]
    NoObject,
    /// `Statement` is missing.
    #[error("the policy has no Statement")]
    NoStatement,
    /// An element of a statement is missing or has a form that IAM does not know.
    #[error("statement {number}: {element} {problem}")]
    Element {
        number: usize,
        element: &'static str,
        problem: &'static str,
    },
}

impl IamPolicy {
    /// Reads a document: an object, or a text with one, which may be URL-encoded as the API of IAM
    /// returns it.
    ///
    /// # Errors
    /// The value is no policy document.
    pub fn read(value: &Value) -> Result<IamPolicy, PolicyError> {
        if let Value::String(text) = value {
            let text = if text.trim_start().starts_with('%') {
                decoded(text)
            } else {
                text.clone()
            };
            let value: Value = serde_json::from_str(&text)
                .map_err(|error| PolicyError::NotJson(error.to_string()))?;
            // A text in a text would recur without end.
            if value.is_string() {
                return Err(PolicyError::NoObject);
            }
            return IamPolicy::read(&value);
        }

        let members = value.as_object().ok_or(PolicyError::NoObject)?;
        let statements = members.get("Statement").ok_or(PolicyError::NoStatement)?;
        let statements: Result<Vec<PolicyStatement>, PolicyError> = elements(statements)
            .iter()
            .enumerate()
            .map(|(at, statement)| {
                let statement = PolicyStatement::read(at + 1, statement)?;
                if statement.actions == Patterns::default() {
                    return Err(PolicyError::Element {
                        number: at + 1,
                        element: "Action",
                        problem: "is missing",
                    });
                }
                Ok(statement)
            })
            .collect();

        Ok(IamPolicy {
            has_variables: members.get("Version").and_then(Value::as_str) == Some("2012-10-17"),
            statements: statements?,
        })
    }
}

impl PolicyStatement {
    /// Reads a statement; the number names it if it has no `Sid`. A statement without `Action`
    /// covers no action.
    ///
    /// # Errors
    /// It is no object, its effect is neither `Allow` nor `Deny`, or an element has a form that IAM
    /// does not know.
    pub fn read(number: usize, value: &Value) -> Result<PolicyStatement, PolicyError> {
        let fault = |element, problem| PolicyError::Element {
            number,
            element,
            problem,
        };
        if !value.is_object() {
            return Err(fault("it", "is not an object"));
        }

        let effect = match value.get("Effect").and_then(Value::as_str) {
            Some("Allow") => PolicyEffect::Allow,
            Some("Deny") => PolicyEffect::Deny,
            _ => return Err(fault("Effect", "is neither Allow nor Deny")),
        };
        let sid = value.get("Sid").and_then(Value::as_str).unwrap_or_default();

        let mut actions = patterns(value, "Action", "NotAction").unwrap_or_default();
        let action_names = actions.patterns.clone();
        for pattern in &mut actions.patterns {
            pattern.make_ascii_lowercase();
        }

        Ok(PolicyStatement {
            name: match sid {
                "" => format!("statement {number}"),
                sid => sid.to_owned(),
            },
            effect,
            principals: principals(value).map_err(|problem| fault("Principal", problem))?,
            actions,
            action_names,
            resources: patterns(value, "Resource", "NotResource"),
            conditions: conditions(value).map_err(|problem| fault("Condition", problem))?,
        })
    }

    /// Returns `true` if the statement is about an action, such as `s3:GetObject`.
    #[must_use]
    pub fn covers_action(&self, action: &str) -> bool {
        self.covers_lower_action(&action.to_ascii_lowercase())
    }

    /// Returns the same for an action in lower case.
    pub(crate) fn covers_lower_action(&self, action: &str) -> bool {
        let is_named = self
            .actions
            .patterns
            .iter()
            .any(|pattern| matches(pattern, action));
        is_named != self.actions.negated
    }

    /// Returns `true` if the statement allows every action on every resource by name, under whatever
    /// conditions.
    #[must_use]
    pub fn allows_everything(&self) -> bool {
        let names_all = |patterns: &Patterns| {
            let mut named = patterns.patterns.iter();
            !patterns.negated && named.any(|one| one == "*" || one == "*:*")
        };
        self.effect == PolicyEffect::Allow
            && names_all(&self.actions)
            && self.resources.as_ref().is_some_and(names_all)
    }

    /// Returns the principals that the statement names itself, without those of `NotPrincipal`.
    pub fn named_principals(&self) -> impl Iterator<Item = &PrincipalName> {
        let named = self.principals.iter().filter(|one| !one.negated);
        named.flat_map(|one| &one.names)
    }
}

/// Returns the elements of a list, or the one value that stands for a list of it.
pub(crate) fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        one => std::slice::from_ref(one),
    }
}

fn texts(value: &Value) -> Vec<String> {
    let texts = elements(value).iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn patterns(statement: &Value, name: &str, negated_name: &str) -> Option<Patterns> {
    let found = |name: &str, negated: bool| {
        let patterns = texts(statement.get(name)?);
        Some(Patterns { negated, patterns })
    };
    found(name, false).or_else(|| found(negated_name, true))
}

fn principals(statement: &Value) -> Result<Option<Principals>, &'static str> {
    let (value, negated) = match (statement.get("Principal"), statement.get("NotPrincipal")) {
        (Some(value), _) => (value, false),
        (None, Some(value)) => (value, true),
        (None, None) => return Ok(None),
    };
    let aws = |name: String| match name.as_str() {
        "*" => PrincipalName::Everyone,
        _ => PrincipalName::Aws(name),
    };

    let mut names = Vec::new();
    match value {
        Value::Object(members) => {
            for (kind, values) in members {
                let make = match kind.as_str() {
                    "AWS" => aws,
                    "Service" => PrincipalName::Service,
                    "Federated" => PrincipalName::Federated,
                    "CanonicalUser" => PrincipalName::CanonicalUser,
                    _ => {
                        return Err(
                            "has a member that is none of AWS, Service, Federated and CanonicalUser",
                        );
                    }
                };
                names.extend(texts(values).into_iter().map(make));
            }
        }
        Value::String(_) | Value::Array(_) => names.extend(texts(value).into_iter().map(aws)),
        _ => return Err("is neither a text nor an object"),
    }

    Ok(Some(Principals { negated, names }))
}

fn conditions(statement: &Value) -> Result<Vec<PolicyCondition>, &'static str> {
    let Some(operators) = statement.get("Condition") else {
        return Ok(Vec::new());
    };
    let operators = operators.as_object().ok_or("is not an object")?;

    let mut found = Vec::new();
    for (name, keys) in operators {
        let keys = keys.as_object().ok_or("has an operator without keys")?;
        for (key, values) in keys {
            let values = elements(values).iter().filter_map(scalar_text);
            found.push(PolicyCondition {
                operator: Operator::read(name),
                operator_name: name.clone(),
                key: key.to_ascii_lowercase(),
                values: values.collect(),
            });
        }
    }
    Ok(found)
}

/// Returns a text, boolean or number as conditions compare it.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Decodes `%7B` and its kind; what is no such sequence stays.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        found.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&found).into_owned()
}
