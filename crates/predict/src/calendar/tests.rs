//! Calendars: zones, changes of clocks, recurrences, and texts that mean harm.

#![allow(clippy::unwrap_used)]

use jiff::Timestamp;

use super::recur::Recurrence;
use super::value::wall;
use super::*;

fn calendar(text: &str) -> Calendar {
    Calendar {
        id: CalendarId("c-1".into()),
        name: "events".into(),
        kind: CalendarKind::Traffic,
        time_zone: None,
        text: text.to_owned(),
        subscription: None,
        created_by: "ann@example.com".into(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        version: 1,
    }
}

/// Begin of each occurrence of one event's lines in 2026 and 2027.
fn begins(lines: &str) -> Result<Vec<String>, CalendarError> {
    let text = format!(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\n{lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    let (from, until) = (
        "2026-01-01T00:00:00Z".parse().unwrap(),
        "2028-01-01T00:00:00Z".parse().unwrap(),
    );
    Ok(calendar(&text)
        .occurrences(from, until)?
        .into_iter()
        .map(|one| one.start.to_string())
        .collect())
}

/// Computed with python-dateutil 2.9, a second implementation; the beginning counts first, as RFC
/// 5545 has it.
#[test]
fn recurrences_agree_with_another_implementation() {
    let cases = [
        (
            "20260105T093000",
            "FREQ=DAILY;INTERVAL=3",
            "20260105T0930 20260108T0930 20260111T0930 20260114T0930 20260117T0930 20260120T0930 20260123T0930 20260126T0930",
        ),
        (
            "20260105T093000",
            "FREQ=WEEKLY;BYDAY=MO,WE,FR",
            "20260105T0930 20260107T0930 20260109T0930 20260112T0930 20260114T0930 20260116T0930 20260119T0930 20260121T0930",
        ),
        (
            "20260105T093000",
            "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU",
            "20260105T0930 20260106T0930 20260118T0930 20260120T0930 20260201T0930 20260203T0930 20260215T0930 20260217T0930",
        ),
        (
            "20260105T093000",
            "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=TU,SU",
            "20260105T0930 20260106T0930 20260111T0930 20260120T0930 20260125T0930 20260203T0930 20260208T0930 20260217T0930",
        ),
        (
            "20260131T180000",
            "FREQ=MONTHLY",
            "20260131T1800 20260331T1800 20260531T1800 20260731T1800 20260831T1800 20261031T1800 20261231T1800 20270131T1800",
        ),
        (
            "20260128T020000",
            "FREQ=MONTHLY;BYDAY=-1WE",
            "20260128T0200 20260225T0200 20260325T0200 20260429T0200 20260527T0200 20260624T0200 20260729T0200 20260826T0200",
        ),
        (
            "20260113T020000",
            "FREQ=MONTHLY;BYDAY=2TU",
            "20260113T0200 20260210T0200 20260310T0200 20260414T0200 20260512T0200 20260609T0200 20260714T0200 20260811T0200",
        ),
        (
            "20260105T020000",
            "FREQ=MONTHLY;BYMONTHDAY=1,-1",
            "20260105T0200 20260131T0200 20260201T0200 20260228T0200 20260301T0200 20260331T0200 20260401T0200 20260430T0200",
        ),
        (
            "20260102T020000",
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
            "20260102T0200 20260129T0200 20260226T0200 20260330T0200 20260429T0200 20260528T0200 20260629T0200 20260730T0200",
        ),
        (
            "20260213T000000",
            "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
            "20260213T0000 20260313T0000 20261113T0000 20270813T0000 20281013T0000 20290413T0000 20290713T0000 20300913T0000",
        ),
        (
            "20240229T120000",
            "FREQ=YEARLY",
            "20240229T1200 20280229T1200 20320229T1200 20360229T1200 20400229T1200 20440229T1200 20480229T1200 20520229T1200",
        ),
        (
            "20261127T000000",
            "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
            "20261127T0000 20271125T0000 20281123T0000 20291122T0000 20301128T0000 20311127T0000 20321125T0000 20331124T0000",
        ),
        (
            "20260101T000000",
            "FREQ=YEARLY;BYDAY=20MO",
            "20260101T0000 20260518T0000 20270517T0000 20280515T0000 20290514T0000 20300520T0000 20310519T0000 20320517T0000",
        ),
        (
            "20260101T080000",
            "FREQ=YEARLY;BYYEARDAY=1,100,-1",
            "20260101T0800 20260410T0800 20261231T0800 20270101T0800 20270410T0800 20271231T0800 20280101T0800 20280409T0800",
        ),
        (
            "20260105T093000",
            "FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0,30",
            "20260105T0930 20260105T1700 20260105T1730 20260106T0900 20260106T0930 20260106T1700 20260106T1730 20260107T0900",
        ),
        (
            "20260105T220000",
            "FREQ=HOURLY;INTERVAL=5;BYDAY=MO,TU",
            "20260105T2200 20260106T0300 20260106T0800 20260106T1300 20260106T1800 20260106T2300 20260112T0400 20260112T0900",
        ),
        (
            "20260105T093000",
            "FREQ=DAILY;COUNT=3",
            "20260105T0930 20260106T0930 20260107T0930",
        ),
        (
            "20260105T093000",
            "FREQ=DAILY;UNTIL=20260107T093000",
            "20260105T0930 20260106T0930 20260107T0930",
        ),
        (
            "20260105T093000",
            "FREQ=YEARLY;INTERVAL=2;BYMONTH=1,6;BYDAY=SU;BYHOUR=8",
            "20260105T0930 20260111T0830 20260118T0830 20260125T0830 20260607T0830 20260614T0830 20260621T0830 20260628T0830",
        ),
    ];
    for (start, rule, expected) in cases {
        let start = wall(start, &TimeZone::UTC).unwrap();
        let until = "2060-01-01T00:00:00".parse().unwrap();
        let found = Recurrence::read(rule, &start)
            .unwrap()
            .walls(start.at, until, &mut 500_000)
            .unwrap();
        let found: Vec<String> = found
            .iter()
            .take(8)
            .map(|at| at.strftime("%Y%m%dT%H%M").to_string())
            .collect();
        assert_eq!(found.join(" "), expected, "{rule}");
    }
}

#[test]
fn a_wall_time_stays_across_the_change_of_clocks() {
    // Berlin: summer time from 2026-03-29 to 2026-10-25.
    let weekly =
        "SUMMARY:Sale\r\nDTSTART;TZID=Europe/Berlin:20260322T090000\r\nRRULE:FREQ=WEEKLY;COUNT=3";
    assert_eq!(
        begins(weekly).unwrap(),
        [
            "2026-03-22T08:00:00Z",
            "2026-03-29T07:00:00Z",
            "2026-04-05T07:00:00Z"
        ]
    );

    // 02:30 does not exist on the 29th: the offset before it holds. It comes twice on October 25:
    // the first counts.
    let night = "DTSTART;TZID=Europe/Berlin:20260328T023000\r\nRRULE:FREQ=DAILY;COUNT=3";
    assert_eq!(
        begins(night).unwrap(),
        [
            "2026-03-28T01:30:00Z",
            "2026-03-29T01:30:00Z",
            "2026-03-30T00:30:00Z"
        ]
    );

    let twice = "DTSTART;TZID=Europe/Berlin:20261024T023000\r\nRRULE:FREQ=DAILY;COUNT=3";
    assert_eq!(
        begins(twice).unwrap(),
        [
            "2026-10-24T00:30:00Z",
            "2026-10-25T00:30:00Z",
            "2026-10-26T01:30:00Z"
        ]
    );

    // UNTIL is told in UTC and counts on the wall.
    let until =
        "DTSTART;TZID=America/New_York:20260307T090000\r\nRRULE:FREQ=DAILY;UNTIL=20260309T130000Z";
    assert_eq!(
        begins(until).unwrap(),
        [
            "2026-03-07T14:00:00Z",
            "2026-03-08T13:00:00Z",
            "2026-03-09T13:00:00Z"
        ]
    );

    let windows = "DTSTART;TZID=\"W. Europe Standard Time\":20260701T090000";
    assert_eq!(begins(windows).unwrap(), ["2026-07-01T07:00:00Z"]);
}

#[test]
fn exceptions_more_dates_moves_and_cancellations_count() {
    let text = "BEGIN:VCALENDAR\nX-WR-TIMEZONE:Europe/Berlin\nBEGIN:VEVENT\nUID:a\nSUMMARY:Patch\\, all\nDTSTART:20260105T220000\n\
        DURATION:PT2H\nRRULE:FREQ=WEEKLY;COUNT=4\nEXDATE:20260112T220000\nRDATE:20260107T220000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:a\nRECURRENCE-ID:20260119T220000\nSUMMARY:Patch moved\nDTSTART:20260120T220000\nDURATION:PT1H\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:b\nSTATUS:CANCELLED\nDTSTART:20260108T220000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:c\nSUMMARY:Holi\n day\nDTSTART;VALUE=DATE:20260110\nBEGIN:VALARM\nTRIGGER:-PT15M\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n";

    let found = calendar(text)
        .occurrences(
            Timestamp::UNIX_EPOCH,
            "2027-01-01T00:00:00Z".parse().unwrap(),
        )
        .unwrap();

    let lines: Vec<String> = found
        .iter()
        .map(|one| format!("{} {} {}", one.label, one.start, one.end))
        .collect();
    assert_eq!(
        lines,
        [
            "Patch, all 2026-01-05T21:00:00Z 2026-01-05T23:00:00Z",
            "Patch, all 2026-01-07T21:00:00Z 2026-01-07T23:00:00Z",
            "Holiday 2026-01-09T23:00:00Z 2026-01-10T23:00:00Z",
            "Patch moved 2026-01-20T21:00:00Z 2026-01-20T22:00:00Z",
            "Patch, all 2026-01-26T21:00:00Z 2026-01-26T23:00:00Z",
        ]
    );

    assert!(
        found
            .iter()
            .all(|one| one.zone.as_deref() == Some("Europe/Berlin"))
    );

    assert_eq!(
        found.iter().map(|one| one.whole_day).collect::<Vec<_>>(),
        [false, false, true, false, false]
    );
}

#[test]
fn what_cannot_be_read_is_refused_by_line_and_name() {
    let check = |lines: &str, words: &str| {
        let error = begins(lines).unwrap_err().to_string();
        assert!(error.contains(words), "{lines}: {error}");
    };

    check(
        "DTSTART;TZID=Mars/Olympus:20260101T000000",
        "line 4: DTSTART: the time zone \"Mars/Olympus\" is not known",
    );
    check(
        "DTSTART:20260230T000000",
        "line 4: DTSTART: \"20260230T000000\" is no date or time",
    );
    check("DTSTART:2026", "DTSTART");
    check(
        "DTSTART:20260101T000000Z\r\nDTEND:20250101T000000Z",
        "it ends before it begins",
    );
    check(
        "DTSTART:20260101T000000Z\r\nDURATION:-P1D",
        "is no duration",
    );
    check("DTSTART:20260101T000000Z\r\nDURATION:P1M", "is no duration");
    check(
        "DTSTART:20260101T000000Z\r\nRRULE:FREQ=SECONDLY",
        "line 5: RRULE: FREQ \"SECONDLY\" is not read",
    );
    check(
        "DTSTART:20260101T000000Z\r\nRRULE:FREQ=DAILY;INTERVAL=0",
        "INTERVAL takes numbers from 1",
    );
    check(
        "DTSTART:20260101T000000Z\r\nRRULE:FREQ=DAILY;COUNT=1;UNTIL=20270101",
        "exclude each other",
    );
    check(
        "DTSTART:20260101T000000Z\r\nRRULE:FREQ=YEARLY;BYWEEKNO=20",
        "\"BYWEEKNO\" is not read",
    );
    check(
        "DTSTART:20260101T000000Z\r\nRRULE:FREQ=DAILY;BYDAY=1MO",
        "BYDAY counts weekdays in months and years",
    );
    check(
        "DTSTART:20260101T000000Z\r\nRRULE:FREQ=DAILY\r\nRRULE:FREQ=WEEKLY",
        "one recurrence at most",
    );
    check("SUMMARY:no start", "DTSTART is missing");
    check("DTSTART;TZID=\"Europe:20260101", "a quote is not closed");
    check("nonsense", "line 4: it has no colon");

    for text in [
        "",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR\n",
        "BEGIN:VTODO\nEND:VTODO\n",
        "BEGIN:VCALENDAR\n",
    ] {
        assert!(calendar(text).events().is_err(), "{text:?}");
    }
}

#[test]
fn a_text_that_means_harm_costs_little() {
    let nested = "BEGIN:VCALENDAR\n".to_owned() + &"BEGIN:VEVENT\n".repeat(50_000);
    assert!(
        calendar(&nested)
            .events()
            .unwrap_err()
            .to_string()
            .contains("nest too deep")
    );

    let huge = "x".repeat(MOST_BYTES + 1);
    assert!(
        calendar(&huge)
            .events()
            .unwrap_err()
            .to_string()
            .contains("at most")
    );

    let folded = "BEGIN:VCALENDAR\nSUMMARY:x\n".to_owned()
        + &" yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n".repeat(2_000);
    assert!(
        calendar(&folded)
            .events()
            .unwrap_err()
            .to_string()
            .contains("longer than")
    );

    let events = "BEGIN:VEVENT\nDTSTART:20260101\nEND:VEVENT\n".repeat(MOST_EVENTS + 1);
    let many = format!("BEGIN:VCALENDAR\n{events}END:VCALENDAR\n");
    assert!(
        calendar(&many)
            .events()
            .unwrap_err()
            .to_string()
            .contains("more than 5000 events")
    );

    // Rules that never match, or match for ever, end by the bound on steps.
    let never = "DTSTART:00010101T000000Z\r\nRRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30";
    assert!(
        begins(never)
            .unwrap_err()
            .to_string()
            .contains("too many steps")
    );

    let always = "DTSTART:19000101T000000Z\r\nRRULE:FREQ=HOURLY;BYMINUTE=0,1,2,3,4,5,6,7,8,9";
    assert!(
        begins(always)
            .unwrap_err()
            .to_string()
            .contains("too many steps")
    );
}
