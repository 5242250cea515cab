//! The state, taken out of one database and put into another, of the same kind and of the other
//! one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use reeve_access::AccessStore as _;
use reeve_recommend::ports::AgentStore as _;
use reeve_store::{Store, TransferError, import};
use reeve_testkit::contract::access::user;
use reeve_testkit::contract::agents::{action, recommendation};
use serde_json::json;

use crate::place::{Place, on_both, vault};

on_both!(
    everything_comes_back => super::everything_comes_back,
    a_copy_is_of_one_moment => super::a_copy_is_of_one_moment,
    a_refused_import_leaves_nothing => super::a_refused_import_leaves_nothing,
);

/// Fills several tables, with quotes, umlauts, absent values, negative and fractional numbers.
async fn fill(store: &Store) -> Result<()> {
    for n in 0..40 {
        store
            .user_insert(&user(
                &format!("u-{n}"),
                &format!("{n}'\"\\ü漢@example.com"),
                &[],
            ))
            .await?;
    }

    store
        .setting_put("odd", &json!({ "a": [1, -2.5, null, "x\ny"] }))
        .await?;
    for n in 0..5_i64 {
        store
            .recommendation_insert(&recommendation(&format!("r-{n}"), &format!("i-{n}"))?)
            .await?;
        store
            .action_insert(&action(&format!("a-{n}"), &format!("r-{n}"), n)?)
            .await?;
    }

    Ok(())
}

async fn copy(store: &Store) -> Result<Vec<u8>> {
    let mut copy = Vec::new();
    store.export(&mut copy).await?;
    Ok(copy)
}

/// The copies of two databases are the same but for where the second came from.
fn same(first: &[u8], second: &[u8]) {
    let lines = |copy: &[u8]| {
        let text = String::from_utf8(copy.to_vec()).unwrap();
        let mut lines: Vec<String> = text
            .lines()
            .filter(|line| !line.contains("restored_from") && !line.starts_with("{\"rows\""))
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(first), lines(second));
}

async fn everything_comes_back(place: &Place) -> Result<()> {
    let store = place.open().await?;
    fill(&store).await?;
    let taken = copy(&store).await?;
    let mut others = vec![Place::sqlite()?];
    others.extend(Place::postgres().await?);

    for other in others {
        let rows = import(&other.url, "backup-1", &mut taken.as_slice()).await?;
        assert!(rows >= 50, "{rows}");
        let restored = other.open().await?;
        assert_eq!(restored.user_list().await?, store.user_list().await?);
        same(&taken, &copy(&restored).await?);
        restored.close().await;
        // Interrupted after the database and repeated: it is the same backup's already. Another
        // one's it is not.
        assert_eq!(
            import(&other.url, "backup-1", &mut taken.as_slice()).await?,
            0
        );
        let refused = import(&other.url, "backup-2", &mut taken.as_slice()).await;
        assert!(
            matches!(refused, Err(TransferError::InUse { .. })),
            "{refused:?}"
        );
    }

    Ok(())
}

async fn a_copy_is_of_one_moment(place: &Place) -> Result<()> {
    let store = place.open().await?;
    // Two settings that always change together: a copy between the two would show it.
    store.setting_put("a", &json!(0)).await?;
    let copied = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, copied) = (store.clone(), copied.clone());
        tokio::spawn(async move {
            let mut n = 0;
            while !copied.load(Ordering::Relaxed) {
                n += 1;
                store
                    .user_insert(&user(&format!("u-{n}"), &format!("{n}@example.com"), &[]))
                    .await?;
                store.setting_put("a", &json!(n)).await?;
            }
            anyhow::Ok(n)
        })
    };

    for _ in 0..10 {
        let text = String::from_utf8(copy(&store).await?)?;
        let users = text
            .lines()
            .filter(|line| line.starts_with("[\"u-"))
            .count();
        let noted = text.lines().find_map(|line| {
            line.strip_prefix("[\"a\",\"")?
                .strip_suffix("\"]")?
                .parse::<usize>()
                .ok()
        });
        let noted = noted.ok_or_else(|| anyhow::anyhow!("no setting in {text}"))?;
        assert!(
            users == noted || users == noted + 1,
            "{users} users, and {noted} noted"
        );
    }

    copied.store(true, Ordering::Relaxed);
    assert!(writer.await?? > 0, "nothing was written meanwhile");
    Ok(())
}

async fn a_refused_import_leaves_nothing(place: &Place) -> Result<()> {
    let source_place = Place::sqlite()?;
    let source = source_place.open().await?;
    fill(&source).await?;
    let text = String::from_utf8(copy(&source).await?)?;
    let lines: Vec<&str> = text.lines().collect();
    let cut = lines[..lines.len() - 1].join("\n");
    let fewer = text
        .replacen("\n[\"u-7\"", "\n#[\"u-7\"", 1)
        .lines()
        .filter(|line| !line.starts_with('#'))
        .fold(String::new(), |text, line| text + line + "\n");

    for (wrong, expected) in [
        (String::new(), "cut off"),
        (cut, "cut off"),
        (fewer, "number of rows"),
        (text.replace("\"schema\":", "\"schema\":9"), "newer version"),
        (
            text.replace("reeve/state/v1", "reeve/state/v9"),
            "not of the format",
        ),
        (
            text.replace(
                "\"table\":\"users\"",
                "\"table\":\"users; DROP TABLE teams\"",
            ),
            "no such table",
        ),
        (
            text.replace("\"table\":\"users\"", "\"table\":\"sessions\""),
            "no such table",
        ),
        (text.replace("[\"u-3\",", "["), "does not fit"),
    ] {
        let refused = import(&place.url, "backup", &mut wrong.as_bytes())
            .await
            .unwrap_err()
            .to_string();
        assert!(refused.contains(expected), "{refused}");
    }

    // The database is as new as it was.
    let rows = import(&place.url, "backup", &mut text.as_bytes()).await?;
    assert!(rows >= 50, "{rows}");

    let store = Store::open(&place.url, vault(1)).await?;
    assert_eq!(store.user_list().await?.len(), 40);
    Ok(())
}
