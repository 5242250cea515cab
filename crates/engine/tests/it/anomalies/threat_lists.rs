//! Lists of indicators of threats, and their feeds.

use jiff::SignedDuration;
use reeve_anomalies::threat::feed::FeedFormat;
use reeve_audit::ActionStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::Clock as _;

use super::anomalies;
use crate::world::{World, operator};

#[tokio::test]
async fn threat_lists_are_checked_and_recorded_and_files_are_left_to_their_folder() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let refused = anomalies
        .threat_list_put(
            "mine",
            "203.0.113.7\nnonsense".to_owned(),
            None,
            &operator(),
        )
        .await;

    assert!(
        matches!(refused, Err(EngineError::Invalid(errors)) if errors[0].path == "indicators[2]")
    );

    let put = anomalies
        .threat_list_put("mine", "203.0.113.7".to_owned(), None, &operator())
        .await
        .unwrap();
    assert_eq!((put.indicators, put.by.as_str()), (1, "olga@example.com"));

    let system = Caller::system();
    let at = world.clock.now();
    anomalies
        .threat_list_put("feed.txt", "198.51.100.0/24".to_owned(), Some(at), &system)
        .await
        .unwrap();
    let by_hand = anomalies
        .threat_list_put("feed.txt", String::new(), None, &operator())
        .await;
    assert!(matches!(by_hand, Err(EngineError::Conflict(_))));
    assert!(matches!(
        anomalies
            .threat_list_delete("feed.txt", false, &operator())
            .await,
        Err(EngineError::Conflict(_))
    ));

    anomalies
        .threat_list_delete("feed.txt", true, &system)
        .await
        .unwrap();
    anomalies
        .threat_list_delete("mine", false, &operator())
        .await
        .unwrap();
    assert!(kept.lists.lock().is_empty());

    let with = |status: ActionStatus| -> Vec<String> {
        let entries = world
            .entries()
            .into_iter()
            .filter(|entry| entry.action.status == Some(status));
        entries.filter_map(|entry| entry.action.operation).collect()
    };

    let expected = [
        "threat_list.put",
        "threat_list.put",
        "threat_list.delete",
        "threat_list.delete",
    ];
    assert_eq!(with(ActionStatus::Success), expected);

    assert_eq!(with(ActionStatus::Pending), expected, "each was announced");
    assert!(
        with(ActionStatus::Failed).is_empty(),
        "what was refused at once was not tried"
    );
}

#[tokio::test]
async fn a_feed_that_fails_keeps_its_list_and_names_the_failure() {
    let world = World::new();
    let (anomalies, kept) = anomalies(&world);
    let feed = |hours| {
        (
            "https://feeds.example/list".to_owned(),
            FeedFormat::Text,
            hours,
        )
    };
    let refused = anomalies
        .threat_feed_put("feed", feed(0), &operator())
        .await;
    assert!(
        matches!(refused, Err(EngineError::Invalid(errors)) if errors[0].path == "every_hours")
    );

    *kept.answer.lock() = Some("203.0.113.7,scanner".to_owned());
    let put = anomalies
        .threat_feed_put("feed", feed(6), &operator())
        .await;
    assert_eq!(put.unwrap().error, None);
    let text = || kept.lists.lock()[0].text.clone();
    assert_eq!(text(), "203.0.113.7,scanner");

    // Nothing is read before its time.
    *kept.answer.lock() = None;
    let system = Caller::system();
    assert_eq!(anomalies.threat_feeds_refresh(&system).await.unwrap(), 0);

    world.clock.advance(SignedDuration::from_hours(6));
    let answers = [
        (None, "the server answered with 503"),
        (Some("<html>"), "indicators[1] "),
        (Some("# nothing"), "the answer has no indicator"),
    ];
    for (answer, failure) in answers {
        *kept.answer.lock() = answer.map(str::to_owned);
        assert_eq!(anomalies.threat_feeds_refresh(&system).await.unwrap(), 1);
        let feed = kept.feeds.lock()[0].clone();
        let error = feed.error.unwrap();
        assert!(error.contains(failure), "{error}");
        assert!(feed.succeeded_at < feed.last_at);
        assert_eq!(text(), "203.0.113.7,scanner");
        world.clock.advance(SignedDuration::from_mins(15));
    }

    *kept.answer.lock() = Some("203.0.113.8".to_owned());
    assert_eq!(anomalies.threat_feeds_refresh(&system).await.unwrap(), 1);
    assert_eq!(kept.feeds.lock()[0].error, None);
    assert_eq!(text(), "203.0.113.8");
}
