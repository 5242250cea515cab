//! `reeve audit search`: a table or bars for people, JSON lines for programs.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use jiff::{SignedDuration, Timestamp};
use reeve_recommend::words::thousands;
use serde_json::json;

use reeve_audit::format::Format;
use reeve_audit::{events, format_instant, parse_instant};

use super::reading::{Ask, Found, MOST, ReadingCounts};
use super::show::{Layout, Screen, ShowRow, Tone, bars};
use super::target::{LogAt, TargetReading, open_to_read};
use super::when;
use crate::cli::{SearchArgs, Span};

/// Searches and prints; 1 when nothing was found.
pub(crate) async fn run(args: &SearchArgs) -> Result<ExitCode> {
    let screen = Screen::new(&args.look);
    let (from, to) = when::period(&args.period, &screen.zone, Timestamp::now())?;
    let request = json!({
        "query": args.query, "start_time": from.map(format_instant), "end_time": to.map(format_instant),
        "limit": (!args.all).then_some(args.limit), "aggregations": args.by, "histogram": args.histogram.is_some(),
    });
    let reading = TargetReading {
        kind: &events::AUDIT_SEARCH,
        command: "reeve audit search",
        request,
    };
    let log = open_to_read(&args.target, reading).await?;
    let ask = Ask {
        from,
        to,
        total: true,
        sort: args.sort,
        ..Ask::newest(&args.query, MOST)
    };

    let found = if args.by.is_empty() && args.histogram.is_none() {
        list(&log, args, ask, &screen).await
    } else {
        count(&log, args, ask, &screen).await
    };

    log.close().await;
    Ok(if found? > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// Prints entries page by page; how many.
async fn list(log: &LogAt, args: &SearchArgs, mut ask: Ask, screen: &Screen) -> Result<u64> {
    let most = if args.all { u64::MAX } else { args.limit };
    let mut out = std::io::stdout().lock();
    let (mut shown, mut total) = (0, 0);
    let mut layout = None;

    loop {
        ask.limit = u32::try_from((most - shown).min(u64::from(MOST)))?;
        let page = log.page(&ask).await?;
        if ask.total {
            total = page.total;
        }
        if args.look.json {
            for found in &page.entries {
                Format::Json.write_entry(&mut out, &found.view())?;
            }
        } else {
            let rows: Vec<ShowRow> = page
                .entries
                .iter()
                .map(|found| ShowRow::new(found, screen))
                .collect();
            if layout.is_none() && !rows.is_empty() {
                let made = Layout::new(&rows, screen);
                writeln!(out, "{}", made.heading(screen, Timestamp::now()))?;
                layout = Some(made);
            }
            if let Some(layout) = &layout {
                rows.iter()
                    .try_for_each(|row| writeln!(out, "{}", layout.line(row, screen)))?;
            }
        }
        shown += page.entries.len() as u64;
        match page.next {
            Some(next) if shown < most => (ask.cursor, ask.total) = (Some(next), false),
            _ => break,
        }
    }

    out.flush()?;
    if !args.look.json {
        let zone = screen.zone_name(Timestamp::now());
        let rest = if shown < total {
            "; --all or a greater --limit shows more"
        } else {
            ""
        };
        let order = args.sort.map_or_else(
            || "newest first".to_owned(),
            |sort| format!("sorted by {sort}"),
        );
        eprintln!(
            "{} of {} entries, {order}, times in {zone}{rest}",
            thousands(shown),
            thousands(total)
        );
    }

    Ok(shown)
}

/// Prints counts; how many entries match.
async fn count(log: &LogAt, args: &SearchArgs, mut ask: Ask, screen: &Screen) -> Result<u64> {
    if args.by.len() > 10 {
        bail!("--by can be given ten times at most");
    }

    ask.limit = 0;
    ask.counts.clone_from(&args.by);
    ask.values = u32::try_from(args.limit.min(1000))?;
    let span = match args.histogram {
        Some(Span::Auto) => Some(fitting(log, &ask).await?),
        given => given,
    };
    ask.counts
        .extend(span.map(|span| format!("timestamp:{}", name(span))));
    let Found {
        total, mut counts, ..
    } = log.page(&ask).await?;
    let mut out = std::io::stdout().lock();
    let over_time = span.and_then(|span| Some((span, counts.pop()?)));

    for (field, counts) in args.by.iter().zip(&counts) {
        if args.look.json {
            writeln!(out, "{}", as_json(field, counts, total))?;
        } else {
            by_value(&mut out, field, counts, screen)?;
        }
    }

    if let Some((span, counts)) = over_time {
        if args.look.json {
            writeln!(
                out,
                "{}",
                as_json(&format!("timestamp:{}", name(span)), &counts, total)
            )?;
        } else {
            histogram(&mut out, span, counts, screen)?;
        }
    }

    out.flush()?;
    if !args.look.json {
        eprintln!("{} entries", thousands(total));
    }

    Ok(total)
}

fn as_json(field: &str, counts: &ReadingCounts, total: u64) -> serde_json::Value {
    let inner = |at: usize| counts.nested.get(at).map(nested_json);
    let one = |(at, (value, count)): (usize, &(String, u64))| {
        let mut one = json!({ "value": value, "count": count });
        inner(at)
            .into_iter()
            .for_each(|inner| one["nested"] = inner);
        one
    };
    let values: Vec<_> = counts.values.iter().enumerate().map(one).collect();

    json!({ "field": field, "values": values, "distinct": counts.distinct, "other": counts.other,
        "missing": counts.missing, "total": total })
}

fn nested_json(counts: &ReadingCounts) -> serde_json::Value {
    let values: Vec<_> = counts
        .values
        .iter()
        .map(|(value, count)| json!({ "value": value, "count": count }))
        .collect();
    json!({ "values": values, "distinct": counts.distinct, "other": counts.other, "missing": counts.missing })
}

fn by_value(
    out: &mut impl std::io::Write,
    field: &str,
    counts: &ReadingCounts,
    screen: &Screen,
) -> Result<()> {
    let mut values = Vec::new();
    for (at, (value, count)) in counts.values.iter().enumerate() {
        values.push((value.clone(), *count));
        let inner = counts
            .nested
            .get(at)
            .map(|inner| inner.values.as_slice())
            .unwrap_or_default();
        values.extend(
            inner
                .iter()
                .map(|(inner, count)| (format!("{value} > {inner}"), *count)),
        );
    }

    let rest = [
        ("(other values)", counts.other),
        ("(no value)", counts.missing),
    ];
    values.extend(
        rest.into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name.to_owned(), count)),
    );

    writeln!(
        out,
        "{}",
        screen.paint(Tone::Strong, &super::show::clean(field).to_uppercase())
    )?;

    let tone = |value: &str| match field {
        "severity" => Tone::of_severity(value),
        "status" | "action.status" => Tone::of_status(value),
        _ if value.starts_with('(') => Tone::Faint,
        _ => Tone::Plain,
    };

    bars(&values, screen, tone)
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}

const fn name(span: Span) -> &'static str {
    match span {
        Span::Minute => "minute",
        Span::Hour => "hour",
        Span::Day | Span::Auto => "day",
        Span::Week => "week",
        Span::Month => "month",
    }
}

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The span that gives a period at most some sixty lines. Where an end is not given, the entries'
/// own months tell it.
async fn fitting(log: &LogAt, ask: &Ask) -> Result<Span> {
    let (mut from, mut to) = (
        ask.from,
        ask.to.or_else(|| ask.from.map(|_| Timestamp::now())),
    );
    for unit in ["month", "day", "hour"] {
        if let (Some(from), Some(to)) = (from, to)
            && (ask.from.is_some()
                || to.duration_since(from).as_secs() > 40 * DAY
                || unit == "hour")
        {
            break;
        }
        let page = log
            .page(&Ask {
                counts: vec![format!("timestamp:{unit}")],
                total: false,
                ..ask.clone()
            })
            .await?;
        let Some(counts) = page
            .counts
            .first()
            .filter(|counts| !counts.values.is_empty())
        else {
            return Ok(Span::Day);
        };
        let at =
            |value: Option<&(String, u64)>| value.and_then(|(text, _)| parse_instant(text).ok());
        let length = if unit == "month" { 31 * DAY } else { DAY };
        from = ask.from.or(at(counts.values.first()));
        to = ask.to.or(at(counts.values.last())
            .and_then(|at| at.checked_add(SignedDuration::from_secs(length)).ok()));
    }

    let seconds = match (from, to) {
        (Some(from), Some(to)) => to.duration_since(from).as_secs(),
        _ => DAY,
    };
    Ok(match seconds {
        seconds if seconds <= HOUR => Span::Minute,
        seconds if seconds <= 3 * DAY => Span::Hour,
        seconds if seconds <= 60 * DAY => Span::Day,
        seconds if seconds <= 365 * DAY => Span::Week,
        _ => Span::Month,
    })
}

/// Bars over time; spans without entries between two that have some are shown too.
fn histogram(
    out: &mut impl std::io::Write,
    span: Span,
    counts: ReadingCounts,
    screen: &Screen,
) -> Result<()> {
    let zone = screen.zone_name(Timestamp::now());
    writeln!(
        out,
        "{}",
        screen.paint(
            Tone::Strong,
            &format!("{} ({zone})", name(span).to_uppercase())
        )
    )?;

    let step = match span {
        Span::Minute => Some(60),
        Span::Hour => Some(HOUR),
        Span::Day | Span::Auto => Some(DAY),
        Span::Week => Some(7 * DAY),
        Span::Month => None,
    };

    let format = match span {
        Span::Minute | Span::Hour => "%Y-%m-%d %H:%M",
        Span::Month if screen.zone == jiff::tz::TimeZone::UTC => "%Y-%m",
        Span::Day | Span::Week if screen.zone == jiff::tz::TimeZone::UTC => "%Y-%m-%d",
        // Spans are counted in UTC: elsewhere they begin at an hour that must be seen.
        _ => "%Y-%m-%d %H:%M",
    };

    let mut rows: Vec<(String, u64)> = Vec::new();
    let mut expected: Option<Timestamp> = None;

    for (text, count) in &counts.values {
        let at = parse_instant(text)?;
        let label = |at: Timestamp| {
            at.to_zoned(screen.zone.clone())
                .strftime(format)
                .to_string()
        };
        if let (Some(step), Some(mut gap)) = (step, expected) {
            let missing = at.duration_since(gap).as_secs() / step;
            if missing > 24 {
                rows.push((
                    format!("({} without)", thousands(missing.unsigned_abs())),
                    0,
                ));
            } else {
                while gap < at {
                    rows.push((label(gap), 0));
                    gap = gap.checked_add(SignedDuration::from_secs(step))?;
                }
            }
        }
        rows.push((label(at), *count));
        expected = step.and_then(|step| at.checked_add(SignedDuration::from_secs(step)).ok());
    }

    bars(&rows, screen, |_| Tone::Plain)
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}
