//! Contract of every [`RuleStore`].

use std::sync::Arc;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_predict::calendar::{Calendar, CalendarId, CalendarKind, Refresh, Subscription};
use reeve_predict::{
    Expected, Outcome, Prediction, PredictionFilter, PredictionId, PredictiveReason,
    PredictiveRule, RuleId, RuleStore, TrafficSettings, presets,
};
use reeve_recommend::agent::AgentScope;
use reeve_recommend::recommendation::RecommendationId;

/// A rule with every field filled, version 1, never evaluated.
///
/// # Errors
/// A text is not a valid time.
pub fn rule(id: &str, at_ms: i64) -> Result<PredictiveRule> {
    let mut rule = presets(Timestamp::from_millisecond(at_ms)?).remove(0);
    rule.id = RuleId(id.to_owned());
    rule.condition.value = Some(1e9);
    rule.condition.calendars = vec![CalendarId("cal-1".into())];
    rule.scope = AgentScope {
        accounts: vec!["123456789012".into()],
        services: vec!["rds".into()],
    };
    rule.resources = vec!["db-1".into()];

    Ok(rule)
}

/// A prediction with every field filled.
///
/// # Errors
/// A text is not a valid time.
pub fn prediction(id: &str, rule: &PredictiveRule, at_ms: i64) -> Result<Prediction> {
    let at = Timestamp::from_millisecond(at_ms)?;
    Ok(Prediction {
        id: PredictionId(id.into()),
        rule: rule.id.clone(),
        rule_version: rule.version,
        at,
        connection: ConnectionId("c-1".into()),
        resource: ResourceId::new("db-1"),
        resource_name: "orders".into(),
        signal: rule.condition.signal,
        samples: None,
        foreseen: rule.condition.foreseen,
        outcome: Outcome::Foreseen,
        probability_percent: Some(87.5),
        expected_at: Some(at + SignedDuration::from_hours(70)),
        earliest_at: Some(at + SignedDuration::from_hours(60)),
        latest_at: Some(at + SignedDuration::from_hours(90)),
        over_at: Some(at + SignedDuration::from_hours(91)),
        peak: Some(12.5),
        value: Some(2.5e9),
        limit: Some(0.1 + 0.2),
        limit_source: "the rule's own value".into(),
        observed_from: Some(at - SignedDuration::from_hours(700)),
        observed_until: Some(at),
        points: 8_400,
        forecast: vec![Expected {
            at,
            p05: 1.5,
            p50: 2.0,
            p95: 2.5,
        }],
        event: Some("Sale".into()),
        reasons: vec![PredictiveReason::Grows { per_day: 2.0 }],
        recommendation: Some(RecommendationId("rec-1".into())),
        not_recommended: Some("dismissed".into()),
    })
}

/// A calendar with every field filled, version 1.
///
/// # Errors
/// A text is not a valid time.
pub fn calendar(id: &str, at_ms: i64) -> Result<Calendar> {
    let at = Timestamp::from_millisecond(at_ms)?;
    Ok(Calendar {
        id: CalendarId(id.into()),
        name: "Sales".into(),
        kind: CalendarKind::Traffic,
        time_zone: Some("Europe/Berlin".into()),
        text: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".into(),
        subscription: None,
        created_by: "ann@example.com".into(),
        created_at: at,
        updated_at: at,
        version: 1,
    })
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn RuleStore>) -> Result<()> {
    rules(&*store).await?;
    traffic(&*store).await?;
    predictions(&*store).await?;
    calendars(&*store).await
}

async fn rules(store: &dyn RuleStore) -> Result<()> {
    let (first, second) = (rule("r-1", 1_000)?, rule("r-2", 2_000)?);
    store.rule_insert(&second).await?;
    store.rule_insert(&first).await?;
    assert!(
        matches!(
            store.rule_insert(&first).await,
            Err(StoreError::Conflict(_))
        ),
        "one identifier once"
    );

    assert_eq!(store.rule_get(&first.id).await?, first);
    assert_eq!(
        store.rule_list().await?,
        [first.clone(), second.clone()],
        "oldest first"
    );

    let next = PredictiveRule {
        name: "other".into(),
        enabled: false,
        version: 2,
        ..first.clone()
    };
    store.rule_update(&next).await?;

    assert!(
        matches!(store.rule_update(&next).await, Err(StoreError::Conflict(_))),
        "versions are compared"
    );

    // What an evaluation leaves is no change of the rule, whatever version it saw.
    let at = Some(Timestamp::from_millisecond(5_000)?);
    store
        .rule_evaluated(&PredictiveRule {
            evaluated_at: at,
            last_result: Some("3 resources".into()),
            ..first.clone()
        })
        .await?;

    let stored = store.rule_get(&first.id).await?;
    assert_eq!(
        (stored.evaluated_at, stored.last_result.as_deref()),
        (at, Some("3 resources"))
    );
    assert_eq!((stored.version, stored.name.as_str()), (2, "other"));

    let gone = rule("r-9", 1_000)?;
    store.rule_evaluated(&gone).await?;

    for missing in [
        store.rule_get(&gone.id).await.err(),
        store.rule_delete(&gone.id).await.err(),
    ] {
        assert!(
            matches!(missing, Some(StoreError::NotFound { .. })),
            "{missing:?}"
        );
    }

    assert!(matches!(
        store.rule_update(&gone).await,
        Err(StoreError::NotFound { .. })
    ));
    Ok(())
}

async fn traffic(store: &dyn RuleStore) -> Result<()> {
    assert_eq!(
        store.traffic_settings_get().await?,
        TrafficSettings::default()
    );

    let first = TrafficSettings {
        learn_patterns: false,
        version: 1,
        ..TrafficSettings::default()
    };
    store.traffic_settings_put(&first).await?;
    let second = TrafficSettings {
        event_awareness: false,
        version: 2,
        ..first
    };
    store.traffic_settings_put(&second).await?;
    assert!(
        matches!(
            store.traffic_settings_put(&second).await,
            Err(StoreError::Conflict(_))
        ),
        "versions are compared"
    );

    assert_eq!(store.traffic_settings_get().await?, second);
    Ok(())
}

async fn predictions(store: &dyn RuleStore) -> Result<()> {
    let (first, second) = (rule("r-1", 1_000)?, rule("r-2", 2_000)?);
    let made: Vec<Prediction> = (0..5)
        .map(|at| prediction(&format!("p-{at}"), &first, at * 1_000))
        .collect::<Result<_>>()?;
    store.prediction_insert(&first.id, &made, 3).await?;
    let abstained = Prediction {
        outcome: Outcome::Abstained,
        ..prediction("p-other", &second, 10_000)?
    };
    store
        .prediction_insert(&second.id, std::slice::from_ref(&abstained), 3)
        .await?;
    let (all, total) = store.prediction_list(&PredictionFilter::default()).await?;
    assert_eq!(
        (all.len(), total),
        (4, 4),
        "the newest three and another rule's"
    );
    assert_eq!(all[0], abstained, "newest first");

    let of_first = PredictionFilter {
        rule: Some(first.id.clone()),
        limit: 2,
        ..PredictionFilter::default()
    };
    let (page, total) = store.prediction_list(&of_first).await?;
    assert_eq!((page, total), (vec![made[4].clone(), made[3].clone()], 3));

    let (none, total) = store
        .prediction_list(&PredictionFilter {
            outcome: Some(Outcome::NotForeseen),
            ..PredictionFilter::default()
        })
        .await?;

    assert!(none.is_empty() && total == 0);

    let (of_resource, _) = store
        .prediction_list(&PredictionFilter {
            resource: Some("db-1".into()),
            offset: 3,
            ..PredictionFilter::default()
        })
        .await?;

    assert_eq!(of_resource, [made[2].clone()]);
    store.rule_delete(&first.id).await?;
    assert_eq!(
        store.prediction_list(&PredictionFilter::default()).await?.1,
        1,
        "they go with their rule"
    );
    store.prediction_insert(&first.id, &made, 3).await?;
    assert_eq!(
        store.prediction_list(&PredictionFilter::default()).await?.1,
        1,
        "a rule that is gone keeps none"
    );

    Ok(())
}

async fn calendars(store: &dyn RuleStore) -> Result<()> {
    let (first, second) = (calendar("cal-1", 1_000)?, calendar("cal-2", 2_000)?);
    store.calendar_insert(&second).await?;
    store.calendar_insert(&first).await?;
    assert!(
        matches!(
            store.calendar_insert(&first).await,
            Err(StoreError::Conflict(_))
        ),
        "one identifier once"
    );

    assert_eq!(
        store.calendar_list().await?,
        [first.clone(), second.clone()],
        "oldest first"
    );

    let next = Calendar {
        kind: CalendarKind::Maintenance,
        time_zone: None,
        version: 2,
        ..first.clone()
    };
    store.calendar_update(&next).await?;

    assert!(
        matches!(
            store.calendar_update(&next).await,
            Err(StoreError::Conflict(_))
        ),
        "versions are compared"
    );

    assert_eq!(store.calendar_get(&first.id).await?, next);

    let refresh = Refresh {
        etag: Some("\"7\"".into()),
        checked_at: Some(second.created_at),
        problem: Some("away".into()),
    };
    store.calendar_refreshed(&first.id, &refresh).await?;
    assert_eq!(
        store.calendar_get(&first.id).await?,
        next,
        "an imported text has no state"
    );

    let url = "https://calendar.example.com/secret.ics".to_owned();
    let followed = Calendar {
        subscription: Some(Subscription {
            url,
            refresh: Refresh::default(),
        }),
        version: 2,
        ..second
    };
    store.calendar_update(&followed).await?;

    store.calendar_refreshed(&followed.id, &refresh).await?;
    let kept = store.calendar_get(&followed.id).await?;
    assert_eq!(
        kept.subscription.map(|one| one.refresh),
        Some(refresh),
        "kept without a new version"
    );
    assert_eq!(kept.version, 2);
    store.calendar_delete(&first.id).await?;

    for missing in [
        store.calendar_get(&first.id).await.err(),
        store.calendar_delete(&first.id).await.err(),
    ] {
        assert!(
            matches!(missing, Some(StoreError::NotFound { .. })),
            "{missing:?}"
        );
    }

    Ok(())
}
