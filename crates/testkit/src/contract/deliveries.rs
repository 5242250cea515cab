//! Contract of every store of webhooks, channels and deliveries.

use std::sync::Arc;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use reeve_estate::StoreError;
use reeve_notify::delivery::{
    DeliveryAttempt, DeliveryId, DeliveryStatus, DeliveryStore, DeliveryTarget,
    NotificationDelivery, Outgoing, Topic,
};
use reeve_notify::notification::{
    Channel, ChannelId, ChannelKind, ChannelSecret, ChannelSettings, ChannelStore, Gravity, Item,
    Message, Notice, NoticeId,
};
use reeve_notify::webhook::{
    Secret, Secrets, Webhook, WebhookEvent, WebhookFilter, WebhookFormat, WebhookId, WebhookStore,
};
use reeve_recommend::agent::{AgentId, Timing};

/// A store of all three ports.
pub trait All: WebhookStore + ChannelStore + DeliveryStore {}
impl<T: WebhookStore + ChannelStore + DeliveryStore> All for T {}

fn at(second: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_700_000_000 + second)?)
}

/// A subscription with something in every field.
///
/// # Errors
/// None in practice: the times are constants.
pub fn webhook(id: &str, second: i64) -> Result<Webhook> {
    let event = WebhookEvent::RecommendationReady;
    Ok(Webhook {
        id: WebhookId(id.into()),
        name: "To the \"pager\"; é".into(),
        event,
        format: WebhookFormat::Json,
        url: "https://hooks.example/a?b=c".into(),
        filter: WebhookFilter::parse("priority=high,type=security", event)?,
        enabled: true,
        disabled_reason: Some("the receiver answered 410 Gone".into()),
        created_at: at(second)?,
        updated_at: at(second + 1)?,
        version: 1,
    })
}

/// Settings of a channel, from JSON.
///
/// # Errors
/// The text is no JSON object, or no settings of the type.
pub fn settings(kind: ChannelKind, json: &str) -> Result<ChannelSettings> {
    Ok(ChannelSettings::parse(kind, &serde_json::from_str(json)?)?)
}

/// A channel with something in every field.
///
/// # Errors
/// None in practice: the times are constants.
pub fn channel(id: &str, second: i64, settings: ChannelSettings) -> Result<Channel> {
    Ok(Channel {
        id: ChannelId(id.into()),
        name: "Those on call".into(),
        settings,
        topics: vec![Topic::Anomalies, Topic::Approvals],
        enabled: true,
        created_at: at(second)?,
        updated_at: at(second)?,
        version: 1,
    })
}

fn outgoing(target: &DeliveryTarget, subject: &str, now: Timestamp) -> Outgoing {
    let delivery =
        NotificationDelivery::new(target.clone(), "recommendation_ready", subject.into(), now);
    Outgoing {
        delivery,
        body: format!("{{\"of\":\"{subject}\"}}"),
    }
}

fn attempt(now: Timestamp, status: u16) -> DeliveryAttempt {
    DeliveryAttempt {
        at: now,
        duration_ms: 12,
        status: Some(status),
        answer: "é".into(),
        error: Some("why".into()),
        ok: status < 300,
        gone: false,
        retry_after_s: Some(30),
    }
}

fn is_conflict(result: &Result<(), StoreError>) -> bool {
    matches!(result, Err(StoreError::Conflict(_)))
}

/// Runs the suite on an empty store.
///
/// # Errors
/// The store failed. A violated contract panics.
pub async fn run(store: Arc<dyn All>) -> Result<()> {
    subscriptions(&*store).await?;
    channels(&*store).await?;
    the_cursor(&*store).await?;
    deliveries_that_are_due(&*store).await?;
    digests(&*store).await?;
    one_reader_wins(store).await
}

async fn subscriptions(store: &dyn All) -> Result<()> {
    let (first, second) = (webhook("w-1", 0)?, webhook("w-2", 1)?);
    let secrets = Secrets::first(Secret::from_random(&[1; 32]));
    store.webhook_insert(&first, &secrets).await?;
    store
        .webhook_insert(&second, &Secrets::first(Secret::from_random(&[2; 32])))
        .await?;
    assert!(is_conflict(&store.webhook_insert(&first, &secrets).await));
    assert_eq!(store.webhook_get(&first.id).await?, first);
    assert!(store.webhook_secrets(&first.id).await? == secrets);
    assert_eq!(store.webhook_list().await?, [first.clone(), second.clone()]);

    let changed = Webhook {
        enabled: false,
        disabled_reason: None,
        filter: WebhookFilter::default(),
        version: 2,
        ..first.clone()
    };
    store.webhook_update(&changed, None).await?;

    assert_eq!(store.webhook_get(&first.id).await?, changed);
    assert!(
        store.webhook_secrets(&first.id).await? == secrets,
        "they stay"
    );
    assert!(
        is_conflict(&store.webhook_update(&changed, None).await),
        "a stale version"
    );

    let rotated = secrets.rotated(Secret::from_random(&[3; 32]), at(10)?);
    let next = Webhook {
        version: 3,
        ..changed
    };
    store.webhook_update(&next, Some(&rotated)).await?;
    assert!(store.webhook_secrets(&first.id).await? == rotated);

    let target = DeliveryTarget::Webhook(second.id.clone());
    store
        .delivery_insert(&outgoing(&target, "kept", at(0)?))
        .await?;
    store.webhook_delete(&second.id).await?;
    assert!(matches!(
        store.webhook_get(&second.id).await,
        Err(StoreError::NotFound { .. })
    ));
    assert!(matches!(
        store.webhook_secrets(&second.id).await,
        Err(StoreError::NotFound { .. })
    ));
    assert!(matches!(
        store.webhook_delete(&second.id).await,
        Err(StoreError::NotFound { .. })
    ));
    assert_eq!(
        store.delivery_list(&target, 10, 0).await?.1,
        0,
        "its deliveries went along"
    );

    Ok(())
}

async fn channels(store: &dyn All) -> Result<()> {
    let email = r#"{ "host": "mail.example", "username": "reeve", "from": "Reeve <reeve@acme.example>",
        "to": ["ops@acme.example", "sec@acme.example"] }"#;
    let mut all = vec![settings(ChannelKind::Email, email)?];
    for kind in ChannelKind::ALL {
        if *kind != ChannelKind::Email {
            all.push(settings(*kind, "{}")?);
        }
    }

    let mut kept = Vec::new();
    for (index, settings) in all.into_iter().enumerate() {
        let channel = channel(&format!("c-{index}"), index as i64, settings)?;
        store
            .channel_insert(&channel, &ChannelSecret(format!("secret {index}")))
            .await?;
        kept.push(channel);
    }

    assert_eq!(store.channel_list().await?, kept);

    let changed = Channel {
        topics: Vec::new(),
        enabled: false,
        version: 2,
        ..kept[0].clone()
    };
    store.channel_update(&changed, None).await?;

    assert_eq!(store.channel_get(&changed.id).await?, changed);
    assert_eq!(store.channel_secret(&changed.id).await?.0, "secret 0");
    assert!(is_conflict(&store.channel_update(&changed, None).await));
    store
        .channel_update(
            &Channel {
                version: 3,
                ..changed.clone()
            },
            Some(&ChannelSecret(String::new())),
        )
        .await?;

    assert_eq!(store.channel_secret(&changed.id).await?.0, "");
    store.channel_delete(&kept[3].id).await?;
    assert!(matches!(
        store.channel_delete(&kept[3].id).await,
        Err(StoreError::NotFound { .. })
    ));
    assert!(matches!(
        store.channel_secret(&kept[3].id).await,
        Err(StoreError::NotFound { .. })
    ));

    Ok(())
}

async fn the_cursor(store: &dyn All) -> Result<()> {
    let target = DeliveryTarget::Webhook(WebhookId("w-cursor".into()));
    assert_eq!(store.outbox_cursor().await?, None);
    store.outbox_advance(None, 7, &[], &[]).await?;
    assert_eq!(store.outbox_cursor().await?, Some(7));
    assert!(
        is_conflict(&store.outbox_advance(None, 9, &[], &[]).await),
        "it has begun already"
    );

    let one = outgoing(&target, "r-1", at(0)?);
    store
        .outbox_advance(Some(7), 9, std::slice::from_ref(&one), &[])
        .await?;
    let stale = store
        .outbox_advance(Some(7), 9, &[outgoing(&target, "r-2", at(0)?)], &[])
        .await;
    assert!(is_conflict(&stale), "{stale:?}");
    assert_eq!(store.outbox_cursor().await?, Some(9));

    // What was kept with a refused move is not kept; the same subject is told once.
    store
        .outbox_advance(Some(9), 10, &[outgoing(&target, "r-1", at(0)?)], &[])
        .await?;
    let (found, total) = store.delivery_list(&target, 10, 0).await?;

    for delivery in &found {
        assert_eq!(
            store
                .delivery_about(&target, &delivery.subject)
                .await?
                .as_ref(),
            Some(delivery)
        );
    }

    assert_eq!(store.delivery_about(&target, "nothing").await?, None);
    assert_eq!((found, total), (vec![one.delivery.clone()], 1));
    assert_eq!(store.delivery_body(&one.delivery.id).await?, one.body);
    assert!(matches!(
        store.delivery_get(&DeliveryId("no".into())).await,
        Err(StoreError::NotFound { .. })
    ));
    store
        .delivery_update(&one.delivery.after(attempt(at(0)?, 200), at(0)?))
        .await?;

    Ok(())
}

async fn deliveries_that_are_due(store: &dyn All) -> Result<()> {
    let (loud, quiet) = (
        DeliveryTarget::Webhook(WebhookId("w-loud".into())),
        DeliveryTarget::Channel(ChannelId("c-quiet".into())),
    );
    for n in 0..5 {
        store
            .delivery_insert(&outgoing(&loud, &format!("l-{n}"), at(n)?))
            .await?;
    }

    let last = outgoing(&quiet, "q-0", at(50)?);
    store.delivery_insert(&last).await?;
    let due = store.delivery_due(at(3)?, 100).await?;
    assert_eq!(
        due.iter()
            .map(|one| one.subject.as_str())
            .collect::<Vec<_>>(),
        ["l-0", "l-1", "l-2", "l-3"]
    );

    let due = store.delivery_due(at(60)?, 2).await?;
    let subjects: Vec<_> = due.iter().map(|one| one.subject.as_str()).collect();
    assert_eq!(
        subjects,
        ["l-0", "l-1", "q-0"],
        "a loud target hides no other"
    );

    // Claimed by one, it is nobody else's until the claim is over.
    let claimed = due[0].claimed(at(60)?);
    store.delivery_update(&claimed).await?;
    assert!(
        is_conflict(&store.delivery_update(&due[0].claimed(at(60)?)).await),
        "claimed twice"
    );
    assert!(
        !store
            .delivery_due(at(60)?, 100)
            .await?
            .iter()
            .any(|one| one.id == claimed.id)
    );

    assert!(
        store
            .delivery_due(at(60 + 120)?, 100)
            .await?
            .iter()
            .any(|one| one.id == claimed.id),
        "after a crash"
    );

    let failed = claimed.after(attempt(at(61)?, 503), at(61)?);
    store.delivery_update(&failed).await?;
    assert_eq!(store.delivery_get(&failed.id).await?, failed);
    assert!(
        !store
            .delivery_due(at(61 + 29)?, 100)
            .await?
            .iter()
            .any(|one| one.id == failed.id),
        "it asked for 30 s"
    );

    assert!(
        store
            .delivery_due(at(61 + 30)?, 100)
            .await?
            .iter()
            .any(|one| one.id == failed.id)
    );

    let done = failed.after(attempt(at(70)?, 204), at(70)?);
    store.delivery_update(&done).await?;
    assert_eq!(
        store.delivery_get(&done.id).await?.status,
        DeliveryStatus::Delivered
    );
    assert!(
        !store
            .delivery_due(at(100_000)?, 100)
            .await?
            .iter()
            .any(|one| one.id == done.id)
    );

    let (page, total) = store.delivery_list(&loud, 2, 1).await?;
    assert_eq!(
        (
            page.iter()
                .map(|one| one.subject.as_str())
                .collect::<Vec<_>>(),
            total
        ),
        (vec!["l-3", "l-2"], 5)
    );

    assert_eq!(
        store.delivery_prune(at(70)?).await?,
        1,
        "the one of the cursor's test, which ended before"
    );

    assert_eq!(
        store.delivery_prune(at(71)?).await?,
        1,
        "what waits is kept"
    );
    Ok(())
}

fn notice(id: &str, subject: &str, second: i64, due: i64) -> Result<Notice> {
    Ok(Notice {
        id: NoticeId(id.into()),
        agent: AgentId("a-1".into()),
        topic: Topic::Actions,
        timing: Timing::DailyDigest,
        subject: subject.into(),
        message: Message {
            title: "é".into(),
            gravity: Gravity::Error,
            items: vec![Item {
                title: "t".into(),
                facts: vec![("a".into(), "b".into())],
                link: None,
            }],
            about: subject.into(),
            to: Vec::new(),
            attachment: None,
        },
        at: at(second)?,
        due_at: at(due)?,
    })
}

async fn digests(store: &dyn All) -> Result<()> {
    let notices = [
        notice("n-1", "s-1", 5, 100)?,
        notice("n-2", "s-2", 4, 100)?,
        notice("n-3", "s-3", 6, 200)?,
    ];
    let from = store.outbox_cursor().await?;
    store.outbox_advance(from, 20, &[], &notices).await?;
    store
        .outbox_advance(Some(20), 21, &[], &[notice("n-4", "s-1", 5, 100)?])
        .await?;
    assert!(store.notice_due(at(99)?).await?.is_empty());

    let due = store.notice_due(at(100)?).await?;
    assert_eq!(
        due,
        [notices[1].clone(), notices[0].clone()],
        "the oldest first, each once"
    );

    let target = DeliveryTarget::Channel(ChannelId("c-digest".into()));
    let digest = outgoing(&target, "daily_digest:a-1", at(100)?);
    store
        .notice_gather(&due, std::slice::from_ref(&digest))
        .await?;
    let again = store
        .notice_gather(&due, &[outgoing(&target, "another", at(100)?)])
        .await;
    assert!(is_conflict(&again), "{again:?}");
    assert_eq!(
        store.delivery_list(&target, 10, 0).await?,
        (vec![digest.delivery], 1)
    );
    assert_eq!(
        store
            .notice_due(at(200)? + SignedDuration::from_secs(1))
            .await?,
        [notices[2].clone()]
    );

    Ok(())
}

async fn one_reader_wins(store: Arc<dyn All>) -> Result<()> {
    let target = DeliveryTarget::Webhook(WebhookId("w-race".into()));
    let mut readers = Vec::new();

    for n in 0..8 {
        let (store, one) = (
            store.clone(),
            outgoing(&target, &format!("race-{n}"), at(0)?),
        );
        readers.push(tokio::spawn(async move {
            store.outbox_advance(Some(21), 22, &[one], &[]).await
        }));
    }

    let mut won = 0;
    for reader in readers {
        match reader.await? {
            Ok(()) => won += 1,
            Err(error) => assert!(matches!(error, StoreError::Conflict(_)), "{error}"),
        }
    }

    assert_eq!((won, store.delivery_list(&target, 10, 0).await?.1), (1, 1));
    Ok(())
}
