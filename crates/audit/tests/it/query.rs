//! Properties of the query language over random texts, trees and entries.

use jiff::Timestamp;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use reeve_audit::query::{
    Bound, Expr, FieldPath, ListName, Match, Pattern, PatternPiece, Query, QueryColumn,
    QueryComparison, Range, TextMatch,
};

use crate::generate::{self, word};

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![word(), any::<String>(), "[a-z\"\\\\*() :=<>-]{0,6}"]
}

fn text_op() -> impl Strategy<Value = Match> {
    prop_oneof![
        piece().prop_map(Match::Exact),
        piece().prop_map(Match::Identical),
        piece()
            .prop_filter("a prefix is not empty", |p| !p.is_empty())
            .prop_map(Match::Prefix),
        pattern()
            .prop_filter("neither a text nor a prefix nor a star", is_glob)
            .prop_map(Match::Glob),
        prop::sample::select(vec!["/i-[0-9a-f]+/", "/(a|b) \\/x\\\\/", "/.*prod.*/"])
            .prop_map(regular),
        word().prop_map(|name| Match::Listed(ListName::new(name))),
        (option::of((low(), piece())), option::of((high(), piece())))
            .prop_filter("one end is closed", |(low, high)| low.is_some()
                || high.is_some())
            .prop_map(|(low, high)| between(low, high, Bound::Text)),
        Just(Match::Exists),
    ]
}

/// A pattern of wildcards and texts of every kind.
fn pattern() -> impl Strategy<Value = Pattern> {
    let one = prop_oneof![
        piece().prop_map(PatternPiece::Text),
        "[a-z\" ]{1,5}".prop_map(PatternPiece::Text),
        Just(PatternPiece::AnyText),
        Just(PatternPiece::AnyCharacter),
    ];
    vec(one, 1..7).prop_map(Pattern::new)
}

fn is_glob(pattern: &Pattern) -> bool {
    let plain = matches!(
        pattern.pieces(),
        [PatternPiece::Text(_), PatternPiece::AnyText] | [PatternPiece::AnyText]
    );
    pattern.is_wild() && !plain
}

/// A regular expression, read from a query: only the reader makes them.
fn regular(written: &str) -> Match {
    match Query::parse(&format!("user:{written}")).unwrap().expr {
        Expr::Field { op, .. } => op,
        other => panic!("{other}"),
    }
}

fn low() -> impl Strategy<Value = QueryComparison> {
    prop::sample::select(vec![QueryComparison::Greater, QueryComparison::AtLeast])
}

fn high() -> impl Strategy<Value = QueryComparison> {
    prop::sample::select(vec![QueryComparison::Less, QueryComparison::AtMost])
}

fn between<T>(
    low: Option<(QueryComparison, T)>,
    high: Option<(QueryComparison, T)>,
    bound: impl Fn(T) -> Bound,
) -> Match {
    let end = |end: Option<(QueryComparison, T)>| end.map(|(side, value)| (side, bound(value)));
    Match::Between(Box::new(Range {
        low: end(low),
        high: end(high),
    }))
}

/// A range of numbers or times with both ends: with one it reads back as a comparison.
fn range() -> impl Strategy<Value = Match> {
    let number = -1e9..1e9f64;
    let time = (0i64..4_000_000_000_000).prop_map(|ms| Timestamp::from_millisecond(ms).unwrap());
    prop_oneof![
        (low(), number.clone(), high(), number).prop_map(|(a, from, b, to)| between(
            Some((a, from)),
            Some((b, to)),
            Bound::Number
        )),
        (low(), time.clone(), high(), time).prop_map(|(a, from, b, to)| between(
            Some((a, from)),
            Some((b, to)),
            Bound::Time
        )),
    ]
}

/// A range of addresses of one family.
fn addresses() -> impl Strategy<Value = Match> {
    let of = |family: fn(&std::net::IpAddr) -> bool| {
        any::<std::net::IpAddr>().prop_filter("of one family", family)
    };

    let pair = prop_oneof![
        (of(std::net::IpAddr::is_ipv4), of(std::net::IpAddr::is_ipv4)),
        (of(std::net::IpAddr::is_ipv6), of(std::net::IpAddr::is_ipv6)),
    ];
    (low(), high(), pair)
        .prop_map(|(a, b, (from, to))| between(Some((a, from)), Some((b, to)), Bound::Address))
}

fn network() -> impl Strategy<Value = Match> {
    prop::sample::select(vec!["10.0.0.0/8", "192.168.1.1/32", "2001:db8::/32"])
        .prop_map(|net| Match::Cidr(net.parse().unwrap()))
}

fn bound() -> impl Strategy<Value = Bound> {
    prop_oneof![
        (0i64..4_000_000_000_000)
            .prop_map(|ms| Bound::Time(Timestamp::from_millisecond(ms).unwrap())),
        (-1_000_000i64..1_000_000).prop_map(|s| Bound::Now(s * 1000)),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite())
            .prop_map(|n| Bound::Number(n + 0.0)),
    ]
}

fn side() -> impl Strategy<Value = QueryComparison> {
    prop::sample::select(vec![
        QueryComparison::Greater,
        QueryComparison::AtLeast,
        QueryComparison::Less,
        QueryComparison::AtMost,
    ])
}

fn path() -> impl Strategy<Value = FieldPath> {
    let segments = || vec(prop_oneof![word(), "[a-z.\" :]{0,5}"], 1..3);
    prop_oneof![
        segments().prop_map(FieldPath::Before),
        segments().prop_map(FieldPath::After),
        segments()
            .prop_filter("a field of its own", |s| ![
                "tags",
                "request_id",
                "api_version"
            ]
            .contains(&s.join(".").as_str()))
            .prop_map(FieldPath::Metadata),
        prop_oneof![word(), "[a-z.\" :]{1,5}"].prop_map(FieldPath::ResourceTag),
    ]
}

fn leaf() -> impl Strategy<Value = Expr> {
    let free = prop::sample::select(vec![
        QueryColumn::ActorId,
        QueryColumn::ResourceId,
        QueryColumn::EventId,
        QueryColumn::ActionOperation,
        QueryColumn::EventType,
    ]);

    let lists = prop::sample::select(vec![
        FieldPath::User,
        FieldPath::Tags,
        FieldPath::MetadataTags,
        FieldPath::ResourceTags,
    ]);

    let times = prop::sample::select(vec![QueryColumn::Timestamp, QueryColumn::RecordedAt]);
    prop_oneof![
        Just(Expr::All),
        (free, text_op()).prop_map(|(column, op)| Expr::field(column, op)),
        (lists, text_op()).prop_map(|(field, op)| Expr::field(field, op)),
        (path(), text_op()).prop_map(|(field, op)| Expr::field(field, op)),
        (path(), side(), bound())
            .prop_map(|(field, side, bound)| Expr::field(field, Match::Compare(side, bound))),
        (times, side(), bound())
            .prop_filter("times compare with times", |(_, _, bound)| !matches!(
                bound,
                Bound::Number(_)
            ))
            .prop_map(|(column, side, bound)| Expr::field(column, Match::Compare(side, bound))),
        any::<std::net::IpAddr>()
            .prop_map(|ip| Expr::field(QueryColumn::ActorIpAddress, Match::Ip(ip))),
        (path(), range()).prop_map(|(field, op)| Expr::field(field, op)),
        (path(), network()).prop_map(|(field, op)| Expr::field(field, op)),
        prop_oneof![network(), addresses()]
            .prop_map(|op| Expr::field(QueryColumn::ActorIpAddress, op)),
        (word(), any::<bool>())
            .prop_map(|(text, prefix)| TextMatch::new(&text, prefix).map_or(Expr::All, Expr::Text)),
        pattern().prop_map(|pattern| TextMatch::of_pattern(&pattern).map_or(Expr::All, Expr::Text)),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(Expr::and),
            vec(inner.clone(), 1..4).prop_map(Expr::or),
            inner.prop_map(Expr::negate),
        ]
    })
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).unwrap()
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), queryish in "[a-z\"\\\\*?/@{}() :=<>.\\[\\]-]{0,40}|(user:|NOT |-|\\(|\\)| OR | AND |\"|a|timestamp:>|now-1h|ip:1.|metadata.a:|\\[1 TO |\\*\\]|5\\}|/a+/|@list|@10.0.0.0/8|te\\?t){0,20}") {
        for text in [text, queryish] {
            if let Ok(query) = Query::parse(&text) {
                prop_assert_eq!(Query::parse(&query.to_string()).unwrap(), query);
            }
        }
    }

    #[test]
    fn a_printed_query_reads_back(expr in expr()) {
        let printed = expr.to_string();
        let read = Query::parse(&printed).map_err(|e| TestCaseError::fail(format!("{printed}: {e}")))?;
        prop_assert_eq!(read.expr, expr, "{}", printed);
    }

    #[test]
    fn logic_holds(a in expr(), b in expr(), entry in generate::entry(), recorded in 0i64..4_000_000_000_000, now in 0i64..4_000_000_000_000) {
        let (recorded, now) = (at(recorded), at(now));
        let finds = |expr: &Expr| expr.matches(&entry, recorded, now);
        let not = Expr::negate;
        prop_assert_eq!(finds(&not(a.clone())), !finds(&a));
        prop_assert_eq!(finds(&Expr::and([a.clone(), b.clone()])), finds(&a) && finds(&b));
        prop_assert_eq!(finds(&Expr::or([a.clone(), b.clone()])), finds(&a) || finds(&b));
        prop_assert_eq!(finds(&not(Expr::and([a.clone(), b.clone()]))), finds(&Expr::or([not(a.clone()), not(b.clone())])));
        prop_assert_eq!(finds(&not(Expr::or([a.clone(), b.clone()]))), finds(&Expr::and([not(a.clone()), not(b.clone())])));
        prop_assert_eq!(finds(&a.resolve(now)), finds(&a));
    }

    #[test]
    fn every_value_of_an_entry_finds_it(entry in generate::entry()) {
        let finds = |query: String| Query::parse(&query).unwrap().matches(&entry, at(0), at(0));
        let json = entry.to_json(at(0));

        for name in ["actor.id", "actor.user_agent", "resource.id", "resource.region", "action.operation", "metadata.request_id", "event_id"] {
            let value = name.split('.').try_fold(&json, |value, key| value.get(key)).and_then(|value| value.as_str());
            prop_assert_eq!(finds(format!("{name}:*")), value.is_some());
            if let Some(value) = value {
                let quoted = format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
                prop_assert!(finds(format!("{name}:{quoted}")), "{name}:{quoted}");
                let identical = format!("{name}:={quoted}");
                prop_assert!(finds(identical));
                if value.chars().any(char::is_alphanumeric) {
                    prop_assert!(finds(quoted.clone()), "{quoted}");
                }
            }
        }
    }
}
