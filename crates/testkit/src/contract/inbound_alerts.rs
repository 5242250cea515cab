//! Contract of every [`AlertSourceStore`] and [`InboundAlertStore`] over one place.

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use reeve_access::TokenHash;
use reeve_audit::Severity;
use reeve_estate::StoreError;
use reeve_siem::{
    AlertFormat, AlertReport, AlertSource, AlertSourceId, AlertSourceStore, AlertStatus,
    AlertVerdict, AlertWeight, AssetPresence, Callback, CallbackMethod, CloseCallback,
    FieldMapping, InboundAlert, InboundAlertFilter, InboundAlertId, InboundAlertStore, JudgedAlert,
    SenderAlert, SourceState, TrackRecord,
};

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + second)?)
}

/// A source with something in every field.
///
/// # Errors
/// None in practice: the times are constants.
pub fn source(id: &str, name: &str) -> Result<AlertSource> {
    Ok(AlertSource {
        id: AlertSourceId(id.to_owned()),
        name: name.to_owned(),
        format: AlertFormat::Json,
        mapping: FieldMapping::default(),
        callback: Some(CloseCallback {
            method: CallbackMethod::Post,
            url: "https://siem.example/é/{id}".to_owned(),
            body: "{\"status\":\"closed\"}".to_owned(),
        }),
        has_credentials: true,
        enabled: true,
        expire_after_days: 30,
        created_at: at(0)?,
        updated_at: at(1)?,
        version: 1,
    })
}

/// An open alert of a source.
///
/// # Errors
/// None in practice.
pub fn alert(source: &str, sender_id: &str, second: i64) -> Result<InboundAlert> {
    let source = AlertSourceId(source.to_owned());
    let report = AlertReport {
        sender_id: sender_id.to_owned(),
        has_sender_id: true,
        title: "Odd \"login\"; é".to_owned(),
        description: Some("why".to_owned()),
        severity: Severity::High,
        names_severity: true,
        at: at(second)?,
        is_closed: false,
        rule: Some("rule-1".to_owned()),
        techniques: vec!["T1078".to_owned()],
        principal: Some("ann@example.com".to_owned()),
        address: Some("203.0.113.7".parse()?),
        account: Some("111122223333".to_owned()),
        resource: Some("i-0abc".to_owned()),
        url: Some("https://siem.example/a".to_owned()),
        further: [("extra".to_owned(), serde_json::json!([1, "two"]))].into(),
    };
    let record = TrackRecord::default();
    Ok(InboundAlert {
        id: InboundAlertId::of(&source, sender_id),
        cause: report.cause(),
        sender_alerts: vec![SenderAlert {
            id: sender_id.to_owned(),
            is_closed: false,
        }],
        status: AlertStatus::Open,
        weight: AlertWeight::of(report.severity, true, record, &AssetPresence::NotNamed),
        judgement: None,
        end: None,
        callback: None,
        received_at: at(second)?,
        last_at: at(second)?,
        version: 1,
        source,
        report,
    })
}

/// Runs the contract over an empty store.
///
/// # Errors
/// The store failed.
///
/// # Panics
/// The store breaks the contract.
pub async fn run<S: AlertSourceStore + InboundAlertStore>(store: &S) -> Result<()> {
    sources(store).await?;
    alerts(store).await
}

async fn sources(store: &dyn AlertSourceStore) -> Result<()> {
    let (one, two) = (source("s-1", "Elastic")?, source("s-2", "Splunk")?);
    let token = TokenHash::from_secret("rva_one");
    store
        .alert_source_insert(&one, &token, Some("ApiKey x"))
        .await?;
    let other = TokenHash::from_secret("rva_two");
    store.alert_source_insert(&two, &other, None).await?;
    let taken = AlertSource {
        id: AlertSourceId("s-3".to_owned()),
        ..two.clone()
    };
    let again = store
        .alert_source_insert(&taken, &TokenHash::from_secret("x"), None)
        .await;
    assert!(matches!(again, Err(StoreError::Conflict(_))));

    assert_eq!(store.alert_source_list().await?, [one.clone(), two.clone()]);
    assert_eq!(
        store.alert_source_by_token(&token).await?.as_ref(),
        Some(&one)
    );
    assert_eq!(
        store.alert_source_credentials(&one.id).await?.as_deref(),
        Some("ApiKey x")
    );
    assert_eq!(store.alert_source_credentials(&two.id).await?, None);

    let next = AlertSource {
        version: 2,
        enabled: false,
        ..one.clone()
    };
    let rotated = TokenHash::from_secret("rva_next");
    store
        .alert_source_update(&next, Some(&rotated), None)
        .await?;
    assert_eq!(store.alert_source_by_token(&token).await?, None);
    assert!(store.alert_source_credentials(&one.id).await?.is_some());
    let stale = store.alert_source_update(&next, None, None).await;
    assert!(matches!(stale, Err(StoreError::Conflict(_))));
    let without = AlertSource { version: 3, ..next };
    store
        .alert_source_update(&without, None, Some(None))
        .await?;
    assert_eq!(store.alert_source_credentials(&one.id).await?, None);

    assert_eq!(
        store.alert_source_state(&one.id).await?,
        SourceState::default()
    );
    let state = SourceState {
        last_push_at: Some(at(5)?),
        taken: 7,
        ..SourceState::default()
    };
    store.alert_source_state_put(&one.id, &state).await?;
    assert_eq!(store.alert_source_state(&one.id).await?, state);
    Ok(())
}

async fn alerts<S: AlertSourceStore + InboundAlertStore>(store: &S) -> Result<()> {
    let (mut one, two) = (alert("s-1", "a", 0)?, alert("s-2", "a", 10)?);
    store.inbound_alert_insert(&one).await?;
    store.inbound_alert_insert(&two).await?;
    let again = store.inbound_alert_insert(&one).await;
    assert!(matches!(again, Err(StoreError::Conflict(_))));
    assert_eq!(store.inbound_alert_get(&one.id).await?, one);

    // A second report of the cause.
    let found = store
        .inbound_alert_of_cause(&one.source, &one.cause, at(0)?)
        .await?;
    assert_eq!(found.as_ref(), Some(&one));
    let late = store
        .inbound_alert_of_cause(&one.source, &one.cause, at(1)?)
        .await?;
    assert_eq!(late, None);
    one.sender_alerts.push(SenderAlert {
        id: "b".to_owned(),
        is_closed: false,
    });
    (one.version, one.last_at) = (2, at(20)?);
    store.inbound_alert_update(&one).await?;
    for sender in ["a", "b"] {
        let found = store.inbound_alert_by_sender(&one.source, sender).await?;
        assert_eq!(found.as_ref(), Some(&one), "{sender}");
    }
    assert_eq!(store.inbound_alert_by_sender(&two.source, "b").await?, None);

    let all = store
        .inbound_alert_list(&InboundAlertFilter::default())
        .await?;
    assert_eq!(all, (vec![one.clone(), two.clone()], 2));
    let filter = InboundAlertFilter {
        source: Some(two.source.clone()),
        status: Some(AlertStatus::Open),
        limit: 1,
        ..InboundAlertFilter::default()
    };
    assert_eq!(
        store.inbound_alert_list(&filter).await?,
        (vec![two.clone()], 1)
    );

    // Open alerts by their last report; neither is a member of an incident.
    let expired = store
        .inbound_alert_expired(&one.source, at(19)?, 10)
        .await?;
    assert_eq!(expired, []);
    let expired = store
        .inbound_alert_expired(&one.source, at(20)?, 10)
        .await?;
    assert_eq!(expired, [one.clone()]);
    assert_eq!(store.inbound_alert_of_closed(10).await?, []);

    // Closing, with a call that is due.
    one.status = AlertStatus::Closed;
    one.judgement = Some(JudgedAlert {
        verdict: AlertVerdict::FalsePositive,
        comments: None,
        by: "ann@example.com".to_owned(),
        at: at(30)?,
    });
    one.callback = Some(Callback {
        pending: vec!["a".to_owned()],
        tries: 0,
        next_at: Some(at(40)?),
        error: None,
        done_at: None,
    });
    one.version = 3;
    store.inbound_alert_update(&one).await?;
    assert_eq!(store.inbound_alert_callbacks(at(39)?, 10).await?, []);
    assert_eq!(
        store.inbound_alert_callbacks(at(40)?, 10).await?,
        [one.clone()]
    );
    let closed = store
        .inbound_alert_of_cause(&one.source, &one.cause, at(0)?)
        .await?;
    assert_eq!(closed, None);

    let counts = store.inbound_alert_counts(&one.source).await?;
    assert_eq!((counts.alerts, counts.open), (1, 0));
    assert_eq!(
        (counts.record.judged, counts.record.false_positives),
        (1, 1)
    );
    assert_eq!(counts.last_alert_at.context("no alert")?, at(20)?);

    store.alert_source_delete(&one.source).await?;
    let (left, _) = store
        .inbound_alert_list(&InboundAlertFilter::default())
        .await?;
    assert_eq!(left, [two]);
    assert_eq!(store.inbound_alert_by_sender(&one.source, "a").await?, None);
    Ok(())
}
