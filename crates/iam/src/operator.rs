//! Condition operators (IAM User Guide, "IAM JSON policy elements: Condition operators").

/// Comparison of numbers and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    pub(crate) fn accepts(self, found: std::cmp::Ordering) -> bool {
        match self {
            Order::Equal => found.is_eq(),
            Order::Less => found.is_lt(),
            Order::LessOrEqual => found.is_le(),
            Order::Greater => found.is_gt(),
            Order::GreaterOrEqual => found.is_ge(),
        }
    }
}

/// Comparison of one value of a request with one of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionComparison {
    Text,
    TextIgnoringCase,
    /// With `*` and `?`.
    Like,
    Number(Order),
    Date(Order),
    Bool,
    Binary,
    Ip,
    /// `ArnEquals` and `ArnLike` are the same: parts with `*` and `?`.
    Arn,
    /// The key is absent.
    Null,
    /// An operator that this program does not know: its result is unknown.
    Unsupported,
}

/// Reading of keys with several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    ForAllValues,
    ForAnyValue,
}

/// Operator of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    pub comparison: ConditionComparison,
    /// `true` for `StringNotEquals` and similar ones.
    pub negated: bool,
    /// An absent key satisfies it.
    pub if_exists: bool,
    pub quantifier: Option<Quantifier>,
}

impl Operator {
    /// Reads a name such as `ForAnyValue:StringLikeIfExists`, without regard to letter case.
    #[must_use]
    pub fn read(name: &str) -> Operator {
        let name = name.to_ascii_lowercase();
        let (quantifier, name) = match name.split_once(':') {
            Some(("forallvalues", name)) => (Some(Quantifier::ForAllValues), name),
            Some(("foranyvalue", name)) => (Some(Quantifier::ForAnyValue), name),
            _ => (None, name.as_str()),
        };
        let (name, if_exists) = match name.strip_suffix("ifexists") {
            Some(name) => (name, true),
            None => (name, false),
        };

        let (comparison, negated) = comparison(name);
        Operator {
            comparison,
            negated,
            if_exists,
            quantifier,
        }
    }

    /// Returns `true` if the operator refuses values in place of naming them, or if a request
    /// without the key satisfies it: `Null` asks whether a key is there, and `ForAllValues` is
    /// satisfied without it.
    #[must_use]
    pub fn refuses(self) -> bool {
        self.negated
            || self.if_exists
            || self.comparison == ConditionComparison::Null
            || self.quantifier == Some(Quantifier::ForAllValues)
    }
}

fn comparison(name: &str) -> (ConditionComparison, bool) {
    let order = |name: &str| match name {
        "equals" => Some((Order::Equal, false)),
        "notequals" => Some((Order::Equal, true)),
        "lessthan" => Some((Order::Less, false)),
        "lessthanequals" => Some((Order::LessOrEqual, false)),
        "greaterthan" => Some((Order::Greater, false)),
        "greaterthanequals" => Some((Order::GreaterOrEqual, false)),
        _ => None,
    };
    if let Some((order, negated)) = name.strip_prefix("numeric").and_then(order) {
        return (ConditionComparison::Number(order), negated);
    }
    if let Some((order, negated)) = name.strip_prefix("date").and_then(order) {
        return (ConditionComparison::Date(order), negated);
    }

    match name {
        "stringequals" => (ConditionComparison::Text, false),
        "stringnotequals" => (ConditionComparison::Text, true),
        "stringequalsignorecase" => (ConditionComparison::TextIgnoringCase, false),
        "stringnotequalsignorecase" => (ConditionComparison::TextIgnoringCase, true),
        "stringlike" => (ConditionComparison::Like, false),
        "stringnotlike" => (ConditionComparison::Like, true),
        "bool" => (ConditionComparison::Bool, false),
        "binaryequals" => (ConditionComparison::Binary, false),
        "ipaddress" => (ConditionComparison::Ip, false),
        "notipaddress" => (ConditionComparison::Ip, true),
        "arnequals" | "arnlike" => (ConditionComparison::Arn, false),
        "arnnotequals" | "arnnotlike" => (ConditionComparison::Arn, true),
        "null" => (ConditionComparison::Null, false),
        other => (ConditionComparison::Unsupported, other.contains("not")),
    }
}
