//! Deliveries, notices, and how far the log has been read for them: the port [`DeliveryStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_notify::delivery::{
    DeliveryId, DeliveryStore, DeliveryTarget, NotificationDelivery, Outgoing,
};
use reeve_notify::notification::{Notice, NoticeId};
use sqlx::any::AnyRow;
use sqlx::{Any, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::delivery::{DeliveryRow, NoticeRow};
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

/// The outbox's one row.
const OUTBOX: i64 = 1;

/// Deliveries read in one round at most.
const A_ROUND: i64 = 500;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl DeliveryStore for Store {
    async fn outbox_cursor(&self) -> Result<Option<u64>> {
        Ok(cursor(self).await?)
    }
    async fn outbox_advance(
        &self,
        from: Option<u64>,
        to: u64,
        outgoing: &[Outgoing],
        notices: &[Notice],
    ) -> Result<()> {
        Ok(advance(self, from, to, outgoing, notices).await?)
    }
    async fn delivery_insert(&self, outgoing: &Outgoing) -> Result<()> {
        Ok(insert(self, outgoing).await?)
    }
    async fn delivery_update(&self, delivery: &NotificationDelivery) -> Result<()> {
        Ok(update(self, delivery).await?)
    }
    async fn delivery_get(&self, id: &DeliveryId) -> Result<NotificationDelivery> {
        Ok(get(self, id).await?)
    }
    async fn delivery_body(&self, id: &DeliveryId) -> Result<String> {
        Ok(body(self, id).await?)
    }
    async fn delivery_list(
        &self,
        target: &DeliveryTarget,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<NotificationDelivery>, u64)> {
        Ok(list(self, target, limit, offset).await?)
    }
    async fn delivery_about(
        &self,
        target: &DeliveryTarget,
        subject: &str,
    ) -> Result<Option<NotificationDelivery>> {
        Ok(about(self, target, subject).await?)
    }
    async fn delivery_due(
        &self,
        now: Timestamp,
        of_each: u64,
    ) -> Result<Vec<NotificationDelivery>> {
        Ok(due(self, now, of_each).await?)
    }
    async fn delivery_prune(&self, before: Timestamp) -> Result<u64> {
        Ok(prune(self, before).await?)
    }
    async fn notice_due(&self, now: Timestamp) -> Result<Vec<Notice>> {
        Ok(notices_due(self, now).await?)
    }
    async fn notice_gather(&self, notices: &[Notice], digests: &[Outgoing]) -> Result<()> {
        Ok(gather(self, notices, digests).await?)
    }
}

/// Forgets the deliveries of a target that is removed.
pub(crate) async fn forget(
    tx: &mut Transaction<'_, Any>,
    target: &str,
) -> std::result::Result<(), Fault> {
    sqlx::query("DELETE FROM deliveries WHERE target_id = $1")
        .bind(target.to_owned())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn cursor(store: &Store) -> std::result::Result<Option<u64>, Fault> {
    let row = sqlx::query("SELECT next_sequence FROM outbox WHERE id = $1")
        .bind(OUTBOX)
        .fetch_optional(store.read())
        .await?;
    Ok(row
        .map(|row| row.try_get::<i64, _>(0))
        .transpose()?
        .map(|next| u64::try_from(next).unwrap_or_default()))
}

async fn advance(
    store: &Store,
    from: Option<u64>,
    to: u64,
    outgoing: &[Outgoing],
    notices: &[Notice],
) -> std::result::Result<(), Fault> {
    let moved = || Fault::Conflict("another process has read the log in the meantime".to_owned());
    let mut tx = store.begin().await?;

    match from {
        None => {
            sqlx::query("INSERT INTO outbox (id, next_sequence) VALUES ($1, $2)")
                .bind(OUTBOX)
                .bind(version(to))
                .execute(&mut *tx)
                .await
                .map_err(|error| {
                    Fault::or_taken(error, || {
                        "another process has begun to read the log".to_owned()
                    })
                })?;
        }
        Some(from) => {
            let done = sqlx::query(
                "UPDATE outbox SET next_sequence = $3 WHERE id = $1 AND next_sequence = $2",
            )
            .bind(OUTBOX)
            .bind(version(from))
            .bind(version(to))
            .execute(&mut *tx)
            .await?;
            if done.rows_affected() == 0 {
                return Err(moved());
            }
        }
    }

    for one in outgoing {
        insert_in(&mut tx, one).await?;
    }

    for notice in notices {
        sqlx::query(
            "INSERT INTO notices (id, subject, due_at_ms, at_ms, document) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (subject) DO NOTHING",
        )
        .bind(&notice.id.0)
        .bind(&notice.subject)
        .bind(notice.due_at.as_millisecond())
        .bind(notice.at.as_millisecond())
        .bind(encode(&NoticeRow::from(notice))?)
        .execute(&mut *tx)
        .await?;
    }

    Ok(tx.commit().await?)
}

/// Adds a delivery unless its target already has one for the subject.
async fn insert_in(
    tx: &mut Transaction<'_, Any>,
    outgoing: &Outgoing,
) -> std::result::Result<(), Fault> {
    let delivery = &outgoing.delivery;
    sqlx::query(
        "INSERT INTO deliveries (id, target_kind, target_id, subject, status, created_at_ms, next_attempt_at_ms,
            finished_at_ms, version, document, body)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (target_id, subject) DO NOTHING",
    )
    .bind(&delivery.id.0)
    .bind(delivery.target.kind())
    .bind(delivery.target.id())
    .bind(&delivery.subject)
    .bind(delivery.status.as_str())
    .bind(delivery.created_at.as_millisecond())
    .bind(delivery.next_attempt_at.map(Timestamp::as_millisecond))
    .bind(delivery.finished_at.map(Timestamp::as_millisecond))
    .bind(version(delivery.version))
    .bind(encode(&DeliveryRow::from(delivery))?)
    .bind(&outgoing.body)
    .execute(&mut **tx)
    .await?;

    Ok(())
}

async fn insert(store: &Store, outgoing: &Outgoing) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    insert_in(&mut tx, outgoing).await?;
    Ok(tx.commit().await?)
}

async fn update(store: &Store, delivery: &NotificationDelivery) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "delivery",
        select: "SELECT version FROM deliveries WHERE id = $1",
        id: &delivery.id.0,
        version: delivery.version,
    };

    let update = sqlx::query(
        "UPDATE deliveries SET status = $3, next_attempt_at_ms = $4, finished_at_ms = $5, version = $6, document = $7
         WHERE id = $1 AND version = $2",
    )
    .bind(&delivery.id.0)
    .bind(record.expected())
    .bind(delivery.status.as_str())
    .bind(delivery.next_attempt_at.map(Timestamp::as_millisecond))
    .bind(delivery.finished_at.map(Timestamp::as_millisecond))
    .bind(version(delivery.version))
    .bind(encode(&DeliveryRow::from(delivery))?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            "the delivery exists already".to_owned()
        })
        .await
}

async fn get(store: &Store, id: &DeliveryId) -> std::result::Result<NotificationDelivery, Fault> {
    let row = sqlx::query("SELECT id, document FROM deliveries WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    delivery(&row.ok_or_else(|| Fault::not_found("delivery", &id.0))?)
}

async fn body(store: &Store, id: &DeliveryId) -> std::result::Result<String, Fault> {
    let row = sqlx::query("SELECT body FROM deliveries WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    Ok(row
        .ok_or_else(|| Fault::not_found("delivery", &id.0))?
        .try_get(0)?)
}

async fn list(
    store: &Store,
    target: &DeliveryTarget,
    limit: u64,
    offset: u64,
) -> std::result::Result<(Vec<NotificationDelivery>, u64), Fault> {
    let mut filter = Filter::default();
    filter.text("target_kind = ?", target.kind());
    filter.text("target_id = ?", target.id());
    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM deliveries", ""))
        .fetch_one(store.read())
        .await?;
    let total = u64::try_from(count.try_get::<i64, _>(0)?).unwrap_or_default();
    let page = filter.page(
        "SELECT id, document FROM deliveries",
        " ORDER BY created_at_ms DESC, id DESC",
        limit,
        offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    Ok((
        rows.iter()
            .map(delivery)
            .collect::<std::result::Result<_, _>>()?,
        total,
    ))
}

async fn about(
    store: &Store,
    target: &DeliveryTarget,
    subject: &str,
) -> std::result::Result<Option<NotificationDelivery>, Fault> {
    let row =
        sqlx::query("SELECT id, document FROM deliveries WHERE target_id = $1 AND subject = $2")
            .bind(target.id())
            .bind(subject)
            .fetch_optional(store.read())
            .await?;
    row.as_ref().map(delivery).transpose()
}

async fn due(
    store: &Store,
    now: Timestamp,
    of_each: u64,
) -> std::result::Result<Vec<NotificationDelivery>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM (
             SELECT id, document, next_attempt_at_ms,
                 ROW_NUMBER() OVER (PARTITION BY target_id ORDER BY next_attempt_at_ms, id) AS place
             FROM deliveries WHERE status = 'pending' AND next_attempt_at_ms <= $1) AS waiting
         WHERE place <= $2 ORDER BY next_attempt_at_ms, id LIMIT $3",
    )
    .bind(now.as_millisecond())
    .bind(version(of_each))
    .bind(A_ROUND)
    .fetch_all(store.read())
    .await?;
    rows.iter().map(delivery).collect()
}

async fn prune(store: &Store, before: Timestamp) -> std::result::Result<u64, Fault> {
    let done = sqlx::query("DELETE FROM deliveries WHERE finished_at_ms < $1")
        .bind(before.as_millisecond())
        .execute(store.write())
        .await?;
    Ok(done.rows_affected())
}

async fn notices_due(store: &Store, now: Timestamp) -> std::result::Result<Vec<Notice>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM notices WHERE due_at_ms <= $1 ORDER BY at_ms, id LIMIT 10000",
    )
    .bind(now.as_millisecond())
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            let found = decode::<NoticeRow>(row.try_get(1)?);
            found
                .and_then(|row| row.into_notice(NoticeId(id.clone())))
                .map_err(unreadable("notice", &id))
        })
        .collect()
}

async fn gather(
    store: &Store,
    notices: &[Notice],
    digests: &[Outgoing],
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    for notice in notices {
        let done = sqlx::query("DELETE FROM notices WHERE id = $1")
            .bind(&notice.id.0)
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Err(Fault::Conflict(
                "another process has collected these notifications".to_owned(),
            ));
        }
    }

    for digest in digests {
        insert_in(&mut tx, digest).await?;
    }

    Ok(tx.commit().await?)
}

fn delivery(row: &AnyRow) -> std::result::Result<NotificationDelivery, Fault> {
    let id: String = row.try_get(0)?;
    decode::<DeliveryRow>(row.try_get(1)?)
        .and_then(DeliveryRow::into_delivery)
        .map_err(unreadable("delivery", &id))
}
