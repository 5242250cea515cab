//! Files as people have them, and as they should not.
#![allow(clippy::unwrap_used)]

use super::*;

fn read(text: &'static str) -> Result<SeriesFile> {
    SeriesFile::from_input(
        Input::from_bytes("a.csv", text.as_bytes()),
        &Choice::default(),
    )
}

fn said(text: &'static str) -> String {
    format!("{:#}", read(text).unwrap_err())
}

#[test]
fn times_of_every_usual_kind() {
    let expect = 1_700_000_000_000;
    for text in [
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20.000Z",
        "2023-11-14 22:13:20",
        "2023-11-14T22:13:20",
        "2023-11-14 22:13:20.000",
        "2023-11-14T23:13:20+01:00",
        "2023-11-14 22:13:20+00:00",
        "2023-11-14 22:13:20 UTC",
        "2023-11-14 22:13:20 GMT",
        "2023-11-15T03:43:20+0530",
        "2023-11-15 03:43:20 +0530",
        "2023-11-14 14:13:20-08",
        "1700000000",
        "1700000000000",
        "1700000000000000",
        "1700000000000000000",
        "1700000000.0",
        "1.7e9",
    ] {
        assert_eq!(stamp::millis(text), Some(expect), "{text}");
    }

    assert_eq!(stamp::millis("2023-11-14 22:13:20.123"), Some(expect + 123));
    assert_eq!(stamp::millis("1700000000.123"), Some(expect + 123));
    assert_eq!(stamp::millis("2023-11-14"), Some(1_699_920_000_000));
    assert_eq!(stamp::millis("2023-11-14 22:13"), Some(expect - 20_000));
    assert_eq!(stamp::millis("0"), Some(0));
    assert_eq!(stamp::millis("-1"), Some(-1_000));

    for text in [
        "2023-11-14 22:13:20 CET",
        "2023-11-14 22:13:20+99",
        "",
        "timestamp",
        "14/11/2023",
        "2023-13-01",
        "2023-11-14 48:00:00",
        "nan",
        "1e400",
        "12:00",
        "e",
        "-",
    ] {
        assert_eq!(stamp::millis(text), None, "{text}");
    }
}

#[test]
fn rows_keep_their_order_and_their_text() {
    let file = read(
        "\u{feff}timestamp,value\r\n2023-11-14 22:13:25, 2.50\r\n\"2023-11-14 22:13:20\",\"1\"\r\n",
    )
    .unwrap();
    let texts: Vec<_> = file
        .rows
        .iter()
        .map(|row| (row.line, row.timestamp.as_str(), row.text.as_str()))
        .collect();

    assert_eq!(
        texts,
        [
            (2, "2023-11-14 22:13:25", " 2.50"),
            (3, "2023-11-14 22:13:20", "1")
        ]
    );

    assert_eq!(file.in_time_order(), [1, 0]);
    assert_eq!(
        file.points(),
        [(1_700_000_000_000, 1.0), (1_700_000_005_000, 2.5)]
    );
}

#[test]
fn gaps_and_shared_times() {
    let file = read("t,v\n0,1\n1,\n2,NaN\n3,null\n3,#N/A\n4,inf\n4,3\n4,6\n4,9\n").unwrap();
    assert_eq!(file.rows.len(), 9);
    assert_eq!(file.points(), [(0, 1.0), (4_000, 6.0)]);
}

#[test]
fn columns_by_name_by_place_and_as_asked() {
    for text in [
        "host,Value,unit,TIMESTAMP\nweb,1.5,percent,0\n",
        "0,1.5\n",
        "0;1.5\n",
        "when\thow much\n0\t1.5\n",
        "how much,timestamp\n1.5,0\n",
    ] {
        assert_eq!(read(text).unwrap().points(), [(0, 1.5)], "{text}");
    }

    let value = |name: &'static str| Choice {
        value: Some(name),
        ..Choice::default()
    };

    let many = || Input::from_bytes("a.csv", b"date,HUFL,OT\n0,1,2\n");
    let file = SeriesFile::from_input(many(), &value("ot")).unwrap();
    assert_eq!(file.points(), [(0, 2.0)]);

    let error = SeriesFile::from_input(many(), &Choice::default()).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "a.csv: the header names no column of values; choose one with --value-column: date, HUFL, OT"
    );

    let error = SeriesFile::from_input(many(), &value("OX")).unwrap_err();
    assert_eq!(
        format!("{error:#}"),
        "a.csv: the header has no --value-column \"OX\"; it has date, HUFL, OT"
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let text = "timestamp,value\n2026-11-20 10:00:00,1\n20/11/2026,2\n";
    assert!(
        said(text).starts_with("a.csv: line 3, column 1 (timestamp): \"20/11/2026\" is not a time"),
        "{}",
        said(text)
    );

    let text = "timestamp,value\r\n0,1\r\n\r\n1,\"1,234\"\n";
    assert!(
        said(text).starts_with("a.csv: line 4, column 2 (value): \"1,234\" is not a number"),
        "{}",
        said(text)
    );

    let text = "timestamp,value\n0,1\n1\n";
    assert_eq!(
        said(text),
        "a.csv: line 3 has no column 2 (value): it has 1 column"
    );
    assert!(said("").contains("is empty"));
    assert!(said("timestamp,value\n").starts_with("a.csv: it has a header and no rows below it"));
    assert_eq!(
        said("timestamp,value\n0,NaN\n1,\n"),
        "a.csv: column 2 (value) holds no number in any of 2 rows"
    );
    assert!(said("[{\"timestamp\": 0, \"value\": 1}]").contains("is JSON"));

    let utf16 = SeriesFile::from_input(
        Input::from_bytes("a.csv", b"\xff\xfet\0"),
        &Choice::default(),
    )
    .unwrap_err();
    assert!(format!("{utf16:#}").contains("UTF-16"));

    let latin = SeriesFile::from_input(
        Input::from_bytes("a.csv", b"timestamp,value\n0,\xb5\n"),
        &Choice::default(),
    )
    .unwrap_err();
    assert!(format!("{latin:#}").starts_with("a.csv: line 2, column 2 (value): it is not UTF-8"));
}

#[test]
fn decimal_commas_stand_where_semicolons_divide() {
    for text in [
        "zeit;wert\n0;1,5\n1;-2,25\n",
        "0;1,5\n1;-2,25\n",
        "time;value\n0;1.5\n1;-2.25\n",
        "0\t1.5\n1\t-2.25\n",
    ] {
        assert_eq!(
            read(text).unwrap().points(),
            [(0, 1.5), (1_000, -2.25)],
            "{text}"
        );
    }

    // Semicolons within a cell divide nothing.
    let text = "timestamp,value,tags\n0,1.5,a;b\n1,2.5,c;d\n";
    assert_eq!(read(text).unwrap().points(), [(0, 1.5), (1_000, 2.5)]);
    assert!(
        said("t;v\n0;1,5\n1;2.5\n").contains("lines 2 and 3"),
        "{}",
        said("t;v\n0;1,5\n1;2.5\n")
    );
    assert!(said("t;v\n0;1.234,5\n").contains("is not a number"));
}

#[test]
fn rows_of_several_series_are_not_one() {
    let several = "timestamp,host,value\n0,web-1,1\n0,web-2,50\n60,web-1,2\n60,web-2,51\n";
    let expect = "a.csv: it holds several series: column 2 (host) has web-1, web-2; choose one with --only host=web-1";
    assert_eq!(said(several), expect);

    // At times of their own, and by a name that says nothing.
    assert!(
        said("timestamp,host,value\n0,a,1\n7,b,50\n60,a,2\n67,b,51\n").contains("(host) has a, b")
    );
    assert!(said("timestamp,wo,value\n0,a,1\n0,b,50\n60,a,2\n60,b,51\n").contains("(wo) has a, b"));

    for one in [
        "timestamp,host,value\n0,web-1,1\n60,web-1,2\n",
        "timestamp,state,value\n0,ok,1\n60,ok,2\n120,slow,9\n180,slow,9\n",
        "timestamp,value,low,high\n0,1,0,2\n60,2,0,2\n60,2,1,2\n",
    ] {
        assert!(read(one).is_ok(), "{one}");
    }

    let only = |text: &str| {
        let only = Some(ChosenLabels::parse(text).unwrap());
        SeriesFile::from_input(
            Input::from_bytes("a.csv", several.as_bytes()),
            &Choice {
                only,
                ..Choice::default()
            },
        )
    };

    assert_eq!(
        only("HOST=web-2").unwrap().points(),
        [(0, 50.0), (60_000, 51.0)]
    );
    assert_eq!(
        format!("{:#}", only("host=web-3").unwrap_err()),
        "a.csv: no row has host=web-3"
    );
    assert!(format!("{:#}", only("rack=1").unwrap_err()).contains("has no --only column"));
    assert!(ChosenLabels::parse("host").is_err());
}
