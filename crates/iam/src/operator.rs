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
pub enum Comparison {
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
    pub comparison: Comparison,
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
            || self.comparison == Comparison::Null
            || self.quantifier == Some(Quantifier::ForAllValues)
    }
}

fn comparison(name: &str) -> (Comparison, bool) {
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
        return (Comparison::Number(order), negated);
    }
    if let Some((order, negated)) = name.strip_prefix("date").and_then(order) {
        return (Comparison::Date(order), negated);
    }

    match name {
        "stringequals" => (Comparison::Text, false),
        "stringnotequals" => (Comparison::Text, true),
        "stringequalsignorecase" => (Comparison::TextIgnoringCase, false),
        "stringnotequalsignorecase" => (Comparison::TextIgnoringCase, true),
        "stringlike" => (Comparison::Like, false),
        "stringnotlike" => (Comparison::Like, true),
        "bool" => (Comparison::Bool, false),
        "binaryequals" => (Comparison::Binary, false),
        "ipaddress" => (Comparison::Ip, false),
        "notipaddress" => (Comparison::Ip, true),
        "arnequals" | "arnlike" => (Comparison::Arn, false),
        "arnnotequals" | "arnnotlike" => (Comparison::Arn, true),
        "null" => (Comparison::Null, false),
        other => (Comparison::Unsupported, other.contains("not")),
    }
}
