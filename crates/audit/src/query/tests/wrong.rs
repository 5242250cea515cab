//! Wrong queries: where they are refused, why, and what is suggested.

use crate::query::*;

#[test]
fn wrong_queries_say_where_and_why() {
    for (query, position, message, hint) in [
        (
            "actor.emial:x",
            0,
            "there is no field `actor.emial`",
            "did you mean actor.email?",
        ),
        (
            "alice usr:x",
            6,
            "there is no field `usr`",
            "did you mean user?",
        ),
        ("(alice", 0, "this `(` is never closed", "add a `)`"),
        (
            "alice)",
            5,
            "this `)` closes nothing",
            "remove it, or quote the text it belongs to",
        ),
        (
            "\"alice",
            0,
            "this quote is never closed",
            "add a closing \", or write \\\" for a quote inside",
        ),
        ("alice AND", 9, "a term is missing at the end", ""),
        ("alice AND )", 10, "a term is missing before `)`", ""),
        (
            "OR alice",
            0,
            "a term is missing before OR",
            "to search for the word itself, write \"or\"",
        ),
        (
            "alice OR OR bob",
            9,
            "a term is missing before OR",
            "to search for the word itself, write \"or\"",
        ),
        ("()", 1, "a term is missing before `)`", ""),
        (
            "user: alice",
            5,
            "a value is missing here",
            "write it without a space before it, or * for any value",
        ),
        (
            "timestamp:>yesterday",
            11,
            "`yesterday` is not a time",
            "times are written 2026-11-20, 2026-11-20T10:00:00Z, now or now-24h (units s, m, h, d, w)",
        ),
        (
            "status:faild",
            7,
            "action.status is never `faild`",
            "did you mean failed?",
        ),
        (
            "severity:>=grave",
            11,
            "severity is never `grave`",
            "it is one of info, low, medium, high, critical",
        ),
        (
            "ip:300.1.1.1",
            3,
            "`300.1.1.1` is neither an address nor a network",
            "write 10.0.0.1, 10.0.0.0/8, 10.0.* or 2001:db8::/32",
        ),
        (
            "user:>5",
            6,
            "`>` compares times, numbers and severities, which this field does not hold",
            "write field:[a TO b], field:value, field:val* or field:*",
        ),
        (
            "changes:x",
            8,
            "a whole state can only be asked for with `*`",
            "name a member, such as changes.after.size, or write changes.after:*",
        ),
        (
            "actor.id=alice",
            0,
            "`actor.id` is a field and needs a colon",
            "write actor.id:alice",
        ),
        (
            "status!=failed",
            0,
            "`status` is a field and needs a colon",
            "write -status:failed",
        ),
        ("?*", 0, "there is no letter or digit to search for", ""),
        (
            "user:/(a/",
            5,
            "the regular expression is wrong: unclosed group",
            "to mean the text itself, put it in double quotes",
        ),
        (
            "resource.id:/arn/[a-z]+/",
            12,
            "a `/` inside a regular expression is written `\\/`",
            "to mean the text itself, put it in double quotes",
        ),
        (
            "metadata.rows:[1 5]",
            14,
            "a range is written [a TO b], or {a TO b} to leave its ends out",
            "to mean the text itself, put it in double quotes",
        ),
        (
            "metadata.rows:[1 TO many]",
            14,
            "`many` is not of the same kind as the other end",
            "both ends are numbers, or times, or texts; quote them to compare texts",
        ),
        (
            "user:[a* TO b]",
            5,
            "an end of a range cannot have a wildcard",
            "write * alone for an open end",
        ),
        (
            "status:[a TO b]",
            7,
            "action.status has names, which have no order",
            "write field:(a OR b)",
        ),
        (
            "ip:[10.0.0.1 TO ::1]",
            3,
            "the two ends are addresses of different families",
            "",
        ),
        (
            "user:@",
            6,
            "a value is missing here",
            "write it without a space before it, or * for any value",
        ),
        (
            "metadata.peer:@10.0.0.0/33",
            15,
            "`10.0.0.0/33` is neither an address nor a network",
            "write 10.0.0.1, 10.0.0.0/8, 10.0.* or 2001:db8::/32",
        ),
        (
            "timestamp:@list",
            11,
            "a time is on no list",
            "write a range, such as [2026-11-01 TO 2026-11-20]",
        ),
        ("é @@", 2, "there is no letter or digit to search for", ""),
        (
            "foo(bar)",
            3,
            "`(` cannot follow a word directly",
            "put a space before it, or quote the text it belongs to",
        ),
        (
            "timestamp:>2026*",
            11,
            "a comparison cannot have a wildcard",
            "quote the value to mean the star or question mark itself",
        ),
    ] {
        let error = Query::parse(query).unwrap_err();
        let hint = Some(hint)
            .filter(|hint| !hint.is_empty())
            .map(str::to_owned);
        assert_eq!(
            (error.position, error.message.as_str(), error.hint),
            (position, message, hint),
            "{query}"
        );
    }
}

#[test]
fn wrong_queries_show_the_part() {
    for (query, position, part) in [
        ("actor.emial:x", 0, "actor.emial"),
        ("größe user:é usr:x", 13, "usr"),
        ("日本 timestamp:>yesterday 語", 14, "yesterday"),
        ("status:\"né\" x", 7, "\"né\""),
        ("ip:300.1.1.1 a", 3, "300.1.1.1"),
        ("é (alice", 2, "("),
        ("é alice)", 7, ")"),
        ("é \"alice b", 2, "\"alice b"),
        ("alice AND", 9, ""),
        ("a OR OR b", 5, "OR"),
        ("é actor.id=alice", 2, "actor.id=alice"),
        ("a ?*", 2, "?*"),
        ("é user:[1 2]", 7, "[1"),
        ("user: x", 5, ""),
        ("é foo(bar)", 5, "("),
    ] {
        let error = Query::parse(query).unwrap_err();
        assert_eq!(
            (error.position, error.part.as_str()),
            (position, part),
            "{query}"
        );
        let found: String = query
            .chars()
            .skip(position)
            .take(part.chars().count())
            .collect();
        assert_eq!(found, part, "{query}");
    }
    assert_eq!(filter("status", "faild").unwrap_err().part, "faild");
}

#[test]
fn length_and_depth_are_bounded() {
    let refused = |query: &str| Query::parse(query).unwrap_err();
    assert!(Query::parse(&"a".repeat(MAX_QUERY_BYTES)).is_ok());
    assert_eq!(refused(&"a".repeat(MAX_QUERY_BYTES + 1)).position, 0);
    assert!(Query::parse(&"é ".repeat(MAX_QUERY_TERMS)).is_ok());

    let many = refused(&"é ".repeat(MAX_QUERY_TERMS + 1));
    assert_eq!(
        (many.position, many.message.as_str()),
        (2 * MAX_QUERY_TERMS, "the query has more than 256 terms")
    );
    assert!(Query::parse(&format!("user:({})", "a OR ".repeat(MAX_QUERY_TERMS) + "a")).is_err());
    assert!(Query::parse(&format!("user:{}", "a*".repeat(MAX_WILDCARDS))).is_ok());

    let wild = refused(&format!("user:{}", "a*".repeat(MAX_WILDCARDS + 1)));
    assert_eq!(
        (wild.position, wild.message.as_str()),
        (5, "the value has 17 wildcards `*`; the limit is 16")
    );
    assert!(filter("user", &"a*".repeat(MAX_WILDCARDS + 1)).is_err());
    assert!(filter("user", &"a".repeat(MAX_QUERY_BYTES + 1)).is_err());

    for open in ["(", "NOT ", "-", "user:("] {
        assert!(
            Query::parse(&format!("{}a", open.repeat(MAX_QUERY_DEPTH + 1))).is_err(),
            "{open}"
        );
    }

    let deep = format!(
        "{}a{}",
        "(".repeat(MAX_QUERY_DEPTH),
        ")".repeat(MAX_QUERY_DEPTH)
    );
    assert!(Query::parse(&deep).is_ok());
}
