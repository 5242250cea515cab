//! Selections: fields with modifiers and values, as conditions on an entry that came from
//! CloudTrail.

use ipnet::IpNet;
use reeve_audit::Obstacle;
use reeve_audit::query::{
    Bound, Expr, FieldPath, Match, Pattern, PatternPiece, QueryColumn, QueryComparison, TextMatch,
};

use super::SigmaProblem;
use super::condition::{self, Selections};
use super::yaml::{Value, YamlNode};

/// Fields that the CloudTrail import moves into fields of an entry.
const MOVED: [(&str, QueryColumn); 5] = [
    ("eventName", QueryColumn::ActionOperation),
    ("userAgent", QueryColumn::ActorUserAgent),
    ("awsRegion", QueryColumn::ResourceRegion),
    ("requestID", QueryColumn::RequestId),
    ("recipientAccountId", QueryColumn::ResourceAccountId),
];

/// Members of a record that hold objects. Asked for as a whole, SIGMA means their JSON text, which
/// an entry does not keep.
const OBJECTS: [&str; 4] = [
    "requestParameters",
    "responseElements",
    "userIdentity",
    "additionalEventData",
];

/// Reads the detection of a rule; `None` with problems.
pub(super) fn read(document: &YamlNode, problems: &mut Vec<SigmaProblem>) -> Option<Expr> {
    let before = problems.len();
    let Some(detection) = document.member("detection") else {
        problems.push(SigmaProblem::new(document.line, "detection is missing"));
        return None;
    };
    let Value::Map(members) = &detection.value else {
        problems.push(SigmaProblem::new(
            detection.line,
            "detection must be a mapping",
        ));
        return None;
    };

    let mut selections = Selections::new();
    for (name, node) in members {
        match name.as_str() {
            "condition" => {}
            "timeframe" => {
                problems.push(SigmaProblem::new(node.line, "timeframe is not supported"))
            }
            _ => selections.extend(selection(node, problems).map(|expr| (name.clone(), expr))),
        }
    }

    let Some(condition) = detection.member("condition") else {
        problems.push(SigmaProblem::new(detection.line, "condition is missing"));
        return None;
    };
    let Some(text) = condition.scalar() else {
        problems.push(SigmaProblem::new(
            condition.line,
            "a list of conditions is not supported",
        ));
        return None;
    };

    if problems.len() > before {
        return None;
    }

    condition::read(text, condition.line, &selections)
        .map_err(|problem| problems.push(problem))
        .ok()
}

/// A mapping means all of its fields; a list any of its members.
fn selection(node: &YamlNode, problems: &mut Vec<SigmaProblem>) -> Option<Expr> {
    match &node.value {
        Value::Map(fields) => {
            let terms: Vec<_> = fields
                .iter()
                .map(|(name, values)| field(name, values, problems))
                .collect();
            terms.into_iter().collect::<Option<Vec<_>>>().map(Expr::and)
        }
        Value::List(items) => {
            let terms: Vec<_> = items.iter().map(|item| selection(item, problems)).collect();
            terms.into_iter().collect::<Option<Vec<_>>>().map(Expr::or)
        }
        Value::Scalar { text, .. } => {
            let words = TextMatch::new(text.trim_matches('*'), false)
                .filter(|_| !text.trim_matches('*').contains('*'));
            let expr = words.map(Expr::Text);
            if expr.is_none() {
                problems.push(SigmaProblem::new(
                    node.line,
                    "a keyword must have words and no wildcard inside",
                ));
            }
            expr
        }
    }
}

fn field(name: &str, values: &YamlNode, problems: &mut Vec<SigmaProblem>) -> Option<Expr> {
    let mut refuse = |message: String| {
        problems.push(SigmaProblem::new(values.line, message));
        None
    };

    let mut parts = name.split('|');
    let field = parts.next().unwrap_or_default();
    let mut modifiers: Vec<&str> = parts.collect();
    let all = modifiers
        .iter()
        .position(|modifier| *modifier == "all")
        .map(|at| modifiers.remove(at))
        .is_some();

    if modifiers.len() > 1 {
        return refuse(format!(
            "the modifiers {} together are not supported",
            modifiers.join("|")
        ));
    }

    let Some(paths) = paths(field) else {
        return refuse(format!(
            "the field {field} as a whole is not supported; name a member of it"
        ));
    };

    let items = match &values.value {
        Value::List(items) => items.as_slice(),
        Value::Scalar { .. } => std::slice::from_ref(values),
        Value::Map(_) => return refuse(format!("{field} must have a value or a list of values")),
    };
    let mut terms = Vec::new();

    for item in items {
        match condition_on(&paths, modifiers.first().copied(), item) {
            Ok(term) => terms.push(term),
            Err(message) => {
                problems.push(SigmaProblem::new(item.line, format!("{name}: {message}")))
            }
        }
    }

    if terms.len() < items.len() || items.is_empty() {
        return None;
    }

    Some(if all {
        Expr::and(terms)
    } else {
        Expr::or(terms)
    })
}

/// Returns the places in which the CloudTrail import keeps a member of a record: one or two.
fn paths(field: &str) -> Option<Vec<FieldPath>> {
    if let Some((_, column)) = MOVED.iter().find(|(name, _)| *name == field) {
        return Some(vec![FieldPath::Column(*column)]);
    }

    let segments: Vec<String> = field.split('.').map(str::to_owned).collect();
    if OBJECTS.contains(&field) || segments.iter().any(String::is_empty) {
        return None;
    }

    let mut kept = vec!["cloudtrail".to_owned()];
    kept.extend(segments.iter().cloned());
    let kept = FieldPath::Metadata(kept);

    Some(match segments.split_first() {
        // What a change asked for is the state after it.
        Some((first, rest)) if first == "requestParameters" => {
            vec![FieldPath::After(rest.to_vec()), kept]
        }
        // An address moves; the name of a service stays.
        Some((first, _)) if first == "sourceIPAddress" => {
            vec![FieldPath::Column(QueryColumn::ActorIpAddress), kept]
        }
        _ => vec![kept],
    })
}

fn condition_on(
    paths: &[FieldPath],
    modifier: Option<&str>,
    item: &YamlNode,
) -> Result<Expr, Obstacle> {
    let Some(text) = item.scalar() else {
        return Err("a value must be a text, number or boolean".into());
    };

    let anywhere = |op: Match| {
        let terms = paths
            .iter()
            .filter_map(|path| Some(Expr::field(path.clone(), fitting(path, &op)?)));
        Expr::or(terms)
    };

    if item.is_null() {
        return Ok(Expr::negate(anywhere(Match::Exists)));
    }

    match modifier {
        None => Ok(anywhere(Match::from(written(text)))),
        Some("contains") => Ok(anywhere(Match::from(around(&written(text), true, true)))),
        Some("startswith") => Ok(anywhere(Match::from(around(&written(text), false, true)))),
        Some("endswith") => Ok(anywhere(Match::from(around(&written(text), true, false)))),
        Some("exists") => match text {
            "true" => Ok(anywhere(Match::Exists)),
            "false" => Ok(Expr::negate(anywhere(Match::Exists))),
            _ => Err("must be true or false".into()),
        },
        Some("cidr") => {
            let net: IpNet = text
                .parse()
                .map_err(|_| format!("{text:?} is not a network"))?;
            let address = paths
                .iter()
                .find(|path| **path == FieldPath::Column(QueryColumn::ActorIpAddress));
            let address = address.ok_or("cidr is supported on sourceIPAddress alone")?;
            Ok(Expr::field(address.clone(), Match::Cidr(net.trunc())))
        }
        Some(side @ ("lt" | "lte" | "gt" | "gte")) => {
            let bound = text.parse::<f64>().ok().filter(|number| number.is_finite());
            let bound = bound.ok_or_else(|| format!("{text:?} is not a number"))?;
            let side = match side {
                "lt" => QueryComparison::Less,
                "lte" => QueryComparison::AtMost,
                "gt" => QueryComparison::Greater,
                _ => QueryComparison::AtLeast,
            };
            Ok(anywhere(Match::Compare(side, Bound::Number(bound))))
        }
        Some(other) => Err(format!("the modifier {other} is not supported").into()),
    }
}

/// An address is compared as an address; a text that is none is never one.
fn fitting(path: &FieldPath, op: &Match) -> Option<Match> {
    match (path, op) {
        (FieldPath::Column(QueryColumn::ActorIpAddress), Match::Exact(text)) => {
            reeve_audit::parse_address(text).map(Match::Ip)
        }
        _ => Some(op.clone()),
    }
}

/// A value with its wildcards. `\*` and `\?` mean the characters themselves.
fn written(text: &str) -> Pattern {
    let mut pattern = Pattern::default();
    let mut characters = text.chars().peekable();

    while let Some(character) = characters.next() {
        let escaped = character == '\\' && matches!(characters.peek(), Some('*' | '?' | '\\'));
        let literal = if escaped {
            characters.next()
        } else {
            Some(character)
        };
        pattern.push(match (literal, escaped) {
            (Some('*'), false) => PatternPiece::AnyText,
            (Some('?'), false) => PatternPiece::AnyCharacter,
            (literal, _) => PatternPiece::Text(literal.into_iter().collect()),
        });
    }

    pattern
}

/// A pattern with any text before it, after it, or both.
fn around(inner: &Pattern, before: bool, after: bool) -> Pattern {
    let star = |wanted: bool| wanted.then_some(PatternPiece::AnyText);
    Pattern::new(
        star(before)
            .into_iter()
            .chain(inner.pieces().iter().cloned())
            .chain(star(after)),
    )
}
