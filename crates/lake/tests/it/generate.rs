//! Random entries and random queries that often meet.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use reeve_audit::entry::SOURCE_ID_PREFIX;
use reeve_audit::query::{
    Bound, Expr, FieldPath, ListName, Match, Pattern, PatternPiece, Query, QueryColumn,
    QueryComparison, Range, TextMatch, ValueList,
};
use reeve_audit::{
    Action, ActionMethod, ActionStatus, Actor, ActorType, Entry, EventId, EventType, Json,
    ResourceRef, Severity, Submitter, SubmitterField, SubmitterType, json,
};

/// 2026-11-20T10:00:00Z.
pub(crate) const NOW_S: i64 = 1_795_168_800;

const TYPES: [&str; 7] = [
    "authentication.login",
    "authentication.logout",
    "resource.modify",
    "resource.delete",
    "resource.view",
    "policy.modify",
    "cost.report.made",
];
/// Values of every text field, so that any value may stand in any field.
const VALUES: [&str; 22] = [
    "alice",
    "Alice",
    "ALICE@example.com",
    "alice@Example.com",
    "bob smith",
    "i-0abc",
    "I-0ABC",
    "0abc-i",
    "eu-west-1",
    "eu-west-2",
    "prod-db-1",
    "ec2_instance",
    "Straße",
    "STRASSE",
    "école",
    "ÉCOLE normale",
    "5",
    "5.0",
    "2026-11-20T09:00:00Z",
    "a\"b\\c\nd",
    "2\u{212a}8",
    "ὈΔΥΣΣΕΎΣ",
];
const ADDRESSED: [&str; 4] = [
    "ALICE@example.com",
    "alice@Example.com",
    "bob@example.com",
    "zo\u{eb}@example.com",
];
const KEYS: [&str; 6] = ["env", "Env", "size", "k8s.io/name", "list", "0"];
const ADDRESSES: [&str; 5] = [
    "10.0.0.1",
    "10.0.1.7",
    "192.168.1.1",
    "2001:db8::1",
    "::ffff:10.0.0.1",
];

fn pick<'a>(random: &mut StdRng, values: &[&'a str]) -> &'a str {
    values.choose(random).unwrap()
}

fn maybe(random: &mut StdRng) -> Option<String> {
    random
        .random_bool(0.7)
        .then(|| pick(random, &VALUES).to_owned())
}

fn json(random: &mut StdRng, depth: usize) -> Json {
    match random.random_range(0..if depth == 0 { 5 } else { 7 }) {
        0 => Json::Null,
        1 => Json::Bool(random.random()),
        2 => Json::Number([5.0, -1.5, 1e21, 0.0][random.random_range(0..4)]),
        3 | 4 => pick(random, &VALUES).into(),
        5 => Json::Array(
            (0..random.random_range(0..3))
                .map(|_| json(random, depth - 1))
                .collect(),
        ),
        _ => Json::Object(object(random, depth - 1)),
    }
}

fn object(random: &mut StdRng, depth: usize) -> json::Object {
    let mut object = json::Object::new();
    for _ in 0..random.random_range(0..4) {
        let key = pick(random, &KEYS);
        object.insert(key, json(random, depth));
    }
    object
}

/// An entry of the days before now, with some members missing.
pub(crate) fn entry(random: &mut StdRng, number: usize) -> Entry {
    let mut entry = Entry::new(EventType::new(pick(random, &TYPES)).unwrap());
    let id = if random.random_bool(0.5) {
        format!("evt-{number}")
    } else {
        format!("EVT {number} é")
    };
    entry.event_id = EventId::new(id).unwrap();

    entry.timestamp =
        Timestamp::from_millisecond(NOW_S * 1_000 - random.random_range(0..4 * 86_400_000))
            .unwrap();
    entry.severity = *Severity::ALL.choose(random).unwrap();
    entry.actor = Actor {
        kind: random
            .random_bool(0.6)
            .then(|| *ActorType::ALL.choose(random).unwrap()),
        id: maybe(random),
        email: random
            .random_bool(0.7)
            .then(|| pick(random, &ADDRESSED).to_owned()),
        ip_address: random
            .random_bool(0.6)
            .then(|| pick(random, &ADDRESSES).parse().unwrap()),
        user_agent: maybe(random),
        session_id: maybe(random),
    };

    entry.resource = ResourceRef {
        kind: maybe(random),
        id: maybe(random),
        cloud_provider: maybe(random),
        account_id: maybe(random),
        region: maybe(random),
        tags: (0..random.random_range(0..3))
            .map(|_| {
                (
                    pick(random, &KEYS).to_owned(),
                    pick(random, &VALUES).to_owned(),
                )
            })
            .collect(),
    };

    entry.action = Action {
        operation: maybe(random),
        status: random
            .random_bool(0.6)
            .then(|| *ActionStatus::ALL.choose(random).unwrap()),
        method: random
            .random_bool(0.6)
            .then(|| *ActionMethod::ALL.choose(random).unwrap()),
    };

    if random.random_bool(0.5) {
        entry.changes.before = Some(Json::Object(object(random, 2)));
    }

    if random.random_bool(0.5) {
        entry.changes.after = Some(if random.random_bool(0.2) {
            Json::Null
        } else {
            Json::Object(object(random, 2))
        });
    }

    entry.metadata.request_id = maybe(random);
    entry.metadata.tags = (0..random.random_range(0..3))
        .map(|_| pick(random, &VALUES).to_owned())
        .collect();
    entry.metadata.extra = object(random, 2);
    entry.submitted_by = submitter(random).map(Arc::new);
    if let Some(by) = &entry.submitted_by
        && by.kind == SubmitterType::Source
    {
        let id = format!("{SOURCE_ID_PREFIX}trail/{}", entry.event_id);
        entry.event_id = EventId::new(id).unwrap();
    }

    entry
}

/// None as in old entries, Reeve itself, a source, or others.
fn submitter(random: &mut StdRng) -> Option<Submitter> {
    match SubmitterType::ALL
        .choose(random)
        .filter(|_| random.random_bool(0.8))?
    {
        SubmitterType::Reeve => Some(Submitter::new(SubmitterType::Reeve)),
        SubmitterType::Source => Some(Submitter {
            id: Some("trail".to_owned()),
            ..Submitter::new(SubmitterType::Source)
        }),
        kind => Some(Submitter {
            kind: *kind,
            id: maybe(random),
            email: random
                .random_bool(0.7)
                .then(|| pick(random, &ADDRESSED).to_owned()),
            ip_address: random
                .random_bool(0.6)
                .then(|| pick(random, &ADDRESSES).parse().unwrap()),
            session_id: maybe(random),
            token_id: maybe(random),
            token_name: maybe(random),
        }),
    }
}

/// Returns the time at which the entry was received: some time after it happened.
pub(crate) fn received(random: &mut StdRng, entry: &Entry) -> Timestamp {
    entry.timestamp + SignedDuration::from_millis(random.random_range(0..100_000))
}

/// A query over the whole language, three levels deep at most.
pub(crate) fn query(random: &mut StdRng) -> Query {
    Query {
        expr: expr(random, 3),
    }
}

fn expr(random: &mut StdRng, depth: usize) -> Expr {
    match random.random_range(0..if depth == 0 { 6 } else { 10 }) {
        0 if random.random_bool(0.2) => Expr::All,
        0..=3 => Expr::field(path(random), condition(random)),
        4 => Expr::field(
            if random.random_bool(0.7) {
                QueryColumn::Timestamp
            } else {
                QueryColumn::RecordedAt
            },
            on_time(random),
        ),
        5 => text(random),
        6 | 7 => Expr::and(
            (0..random.random_range(2..4))
                .map(|_| expr(random, depth - 1))
                .collect::<Vec<_>>(),
        ),
        8 => Expr::or(
            (0..random.random_range(2..4))
                .map(|_| expr(random, depth - 1))
                .collect::<Vec<_>>(),
        ),
        _ => Expr::negate(expr(random, depth - 1)),
    }
}

fn text(random: &mut StdRng) -> Expr {
    let value = cased(random);
    if random.random_bool(0.3) {
        return TextMatch::of_pattern(&pattern(random, &value)).map_or(Expr::All, Expr::Text);
    }

    let part: String = if random.random_bool(0.5) {
        value.chars().take(3).collect()
    } else {
        value
    };

    TextMatch::new(&part, random.random_bool(0.4)).map_or(Expr::All, Expr::Text)
}

/// A text with some of its characters replaced by wildcards.
fn pattern(random: &mut StdRng, text: &str) -> Pattern {
    Pattern::new(
        text.chars()
            .map(|character| match random.random_range(0..8) {
                0 => PatternPiece::AnyCharacter,
                1 => PatternPiece::AnyText,
                _ => PatternPiece::Text(character.to_string()),
            }),
    )
}

/// A regular expression, read from a query: only the reader makes them.
fn regular(random: &mut StdRng) -> Match {
    let written = pick(
        random,
        &[
            "/.*alice.*/",
            "/eu-west-[12]|5/",
            "/\\W*\\w+\\W*/",
            "/.{3,6}/",
            "/10\\..*/",
            "/true|null/",
        ],
    );
    match Query::parse(&format!("user:{written}")).unwrap().expr {
        Expr::Field { op, .. } => op,
        other => panic!("{other}"),
    }
}

fn between(random: &mut StdRng) -> Match {
    let bound = |random: &mut StdRng| match random.random_range(0..5) {
        0 => Bound::Number(random.random_range(-2.0..7.0)),
        1 => Bound::Address(pick(random, &ADDRESSES).parse().unwrap()),
        2 => match on_time(random) {
            Match::Compare(_, bound) => bound,
            other => panic!("{other}"),
        },
        _ => Bound::Text(cased(random)),
    };

    let low = Some((
        [QueryComparison::Greater, QueryComparison::AtLeast][random.random_range(0..2)],
        bound(random),
    ));
    let high = Some((
        [QueryComparison::Less, QueryComparison::AtMost][random.random_range(0..2)],
        bound(random),
    ));
    let open = random.random_range(0..4);

    Match::Between(Box::new(Range {
        low: low.filter(|_| open != 0),
        high: high.filter(|_| open != 1),
    }))
}

fn listed(random: &mut StdRng) -> Match {
    let values = [
        "10.0.0.0/16",
        "2001:db8::1",
        "ALICE",
        "straße",
        "alice@example.com",
        "5",
        "eu-west-1",
        "a b",
    ];
    let kept = values.into_iter().filter(|_| random.random_bool(0.5));

    Match::Listed(ListName::new("some").with_values(Arc::new(ValueList::new(kept))))
}

fn path(random: &mut StdRng) -> FieldPath {
    let inside = |random: &mut StdRng| {
        (0..random.random_range(1..3))
            .map(|_| pick(random, &KEYS).to_owned())
            .collect::<Vec<_>>()
    };
    match random.random_range(0..24) {
        0 => FieldPath::User,
        1 => FieldPath::Tags,
        2 => FieldPath::MetadataTags,
        3 => FieldPath::ApiVersion,
        4 => FieldPath::ResourceTags,
        5 => FieldPath::ResourceTag(pick(random, &KEYS).to_owned()),
        6 => FieldPath::Changes,
        7 => FieldPath::Before(inside(random)),
        8 => FieldPath::After(inside(random)),
        9 => FieldPath::Metadata(inside(random)),
        10 | 11 => FieldPath::Submitter(*SubmitterField::ALL.choose(random).unwrap()),
        _ => FieldPath::Column(*QueryColumn::ALL.choose(random).unwrap()),
    }
}

fn condition(random: &mut StdRng) -> Match {
    let word = match random.random_range(0..8) {
        0 => pick(random, &TYPES).to_owned(),
        1 => pick(random, Severity::NAMES).to_owned(),
        2 if random.random_bool(0.5) => pick(random, SubmitterType::NAMES).to_owned(),
        2 => pick(random, ActionStatus::NAMES).to_owned(),
        3 => pick(random, &ADDRESSES).to_owned(),
        4 => format!("evt-{}", random.random_range(0..500)),
        _ => cased(random),
    };

    let start = |random: &mut StdRng, word: &str| {
        word.chars()
            .take(random.random_range(0..5))
            .collect::<String>()
    };

    match random.random_range(0..17) {
        12 => Match::from(pattern(random, &word)),
        13 => regular(random),
        14 | 15 => between(random),
        16 => listed(random),
        0..=3 => Match::Exact(word),
        4 => Match::Identical(word),
        5 | 6 => Match::Prefix(start(random, &word)),
        7 => {
            let middle: String = word.chars().skip(4).take(2).collect();
            Match::from(Pattern::starred([
                start(random, &word).as_str(),
                &middle,
                "",
            ]))
        }
        8 => Match::Exists,
        9 => Match::Ip(pick(random, &ADDRESSES).parse().unwrap()),
        10 => Match::Cidr(
            pick(
                random,
                &[
                    "10.0.0.0/16",
                    "0.0.0.0/0",
                    "2001:db8::/32",
                    "192.168.1.1/32",
                ],
            )
            .parse()
            .unwrap(),
        ),
        _ if random.random_bool(0.5) => Match::Compare(
            side(random),
            Bound::Severity(*Severity::ALL.choose(random).unwrap()),
        ),
        _ if random.random_bool(0.5) => {
            Match::Compare(side(random), Bound::Number(random.random_range(-2.0..7.0)))
        }
        _ => on_time(random),
    }
}

fn side(random: &mut StdRng) -> QueryComparison {
    *[
        QueryComparison::Greater,
        QueryComparison::AtLeast,
        QueryComparison::Less,
        QueryComparison::AtMost,
    ]
    .choose(random)
    .unwrap()
}

fn on_time(random: &mut StdRng) -> Match {
    let before = random.random_range(0..4 * 86_400_000);
    Match::Compare(
        side(random),
        if random.random_bool(0.5) {
            Bound::Now(-before)
        } else {
            let at = i128::from(NOW_S * 1_000 - before) * 1_000_000
                + i128::from(random.next_u32() % 3) * 400_000;
            Bound::Time(Timestamp::from_nanosecond(at).unwrap())
        },
    )
}

fn cased(random: &mut StdRng) -> String {
    let value = pick(random, &VALUES);
    match random.random_range(0..3) {
        0 => value.to_uppercase(),
        1 => value.to_lowercase(),
        _ => value.to_owned(),
    }
}
