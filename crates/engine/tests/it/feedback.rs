//! Effects of feedback: rejected kinds rank lower, confidence moves in the right direction, a few
//! answers change little, "not now" is no vote, and explanations count the outcomes.

use std::sync::Arc;

use jiff::SignedDuration;
use reeve_engine::FeedbackInput;
use reeve_estate::ResourceKind;
use reeve_recommend::agent::Agent;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::{AgentStore, Clock as _, RecommendationFilter};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::ranking::FeedbackWeights;
use reeve_recommend::recommendation::{
    Feedback, FeedbackOutcome, Recommendation, RecommendationId, RecommendationType,
};

use crate::models::shelf::Shelf;
use crate::world::{World, operator, person, said};

/// Ten machines to resize and one that idles, found by an agent that learns from outcomes.
async fn eleven() -> (World, Agent) {
    let world = World::new().learning(Arc::new(Shelf::default()));
    for n in 0..10 {
        world.machine(&format!("i-{n}"), "m5.xlarge", 5.0);
    }

    world.machine("idle", "t3.large", 0.1);
    let agent = world.agent("safe_mode", false).await;
    world.run(&agent).await;
    (world, agent)
}

/// Resources of what waits, in the list's order.
async fn listed(world: &World) -> Vec<String> {
    let open = RecommendationFilter {
        status: vec![Status::Open],
        ..RecommendationFilter::default()
    };
    let (found, _) = world.memory.recommendation_list(&open).await.unwrap();

    // The advice about the account is of another kind.
    let own = found
        .into_iter()
        .filter(|recommendation| recommendation.plan.is_some());
    own.map(|recommendation| recommendation.subject.id.0)
        .collect()
}

async fn answer(world: &World, resource: &str, outcome: &str, rating: Option<i64>) {
    let recommendation = world.on(resource).await.remove(0);
    world
        .engine
        .recommendations
        .feedback(
            &recommendation.id,
            said(outcome, rating, Some("a word")),
            &operator(),
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn a_rejected_kind_sinks_and_one_click_does_not_do_it() {
    let (world, agent) = eleven().await;
    let before = world.only("i-9").await;
    assert_eq!(before.kind, RecommendationType::RightSize);
    assert_eq!(
        (
            before.ranking.weight,
            before.ranking.in_favour,
            before.ranking.against
        ),
        (1.0, 0, 0)
    );

    let expected = before.confidence / 100.0 * before.savings_monthly.unwrap().usd();
    assert!(
        (before.ranking.expected_value - expected).abs() < 0.01,
        "{:?}",
        before.ranking
    );

    assert_eq!(
        listed(&world).await.last().unwrap(),
        "idle",
        "it saves least"
    );

    // One person, one recommendation, twenty clicks: one answer.
    for _ in 0..20 {
        answer(&world, "i-0", "not_applicable", None).await;
    }

    let once = world.only("i-9").await.ranking;
    assert_eq!((once.in_favour, once.against), (0, 1), "{once:?}");
    assert!((0.9..1.0).contains(&once.weight), "{once:?}");
    assert_eq!(listed(&world).await.last().unwrap(), "idle");
    assert_eq!(
        world.only("i-0").await.status,
        Status::Dismissed,
        "it does not come back"
    );

    for resource in ["i-1", "i-2", "i-3", "i-4"] {
        answer(&world, resource, "not_applicable", None).await;
    }

    assert_eq!(
        listed(&world).await[0],
        "idle",
        "what people reject goes below"
    );

    let sunk = world.only("i-9").await.ranking;
    assert!((0.6..0.7).contains(&sunk.weight), "{sunk:?}");
    assert!(
        sunk.words
            .contains("of 5 answers to its kind 0 in favour and 5 against"),
        "{}",
        sunk.words
    );

    // The agent's next run says the same, and new findings of the kind begin there.
    world.machine("i-new", "m5.xlarge", 5.0);
    world.run(&agent).await;
    let fresh = world.only("i-new").await;
    assert_eq!(fresh.ranking.against, 5);
    assert_eq!(listed(&world).await[0], "idle");

    // Praise lifts it again.
    for resource in ["i-5", "i-6", "i-7", "i-8"] {
        answer(&world, resource, "implemented_successfully", Some(5)).await;
    }

    assert!(world.only("i-9").await.ranking.weight > sunk.weight);
}

#[tokio::test]
async fn not_applicable_speaks_of_like_resources_alone() {
    let (world, _) = eleven().await;
    let mut recommendation = world.only("i-9").await;
    let at = world.clock.now();
    let said_of = |recommendation: &Recommendation, by: &str, outcome: &str, rating| Feedback {
        id: format!("{by}-{outcome}"),
        recommendation: recommendation.id.clone(),
        outcome: FeedbackOutcome::parse(outcome).unwrap(),
        rating,
        comments: None,
        by: by.to_owned(),
        at,
    };

    let weight = |all: &[Recommendation], said: &[Feedback], recommendation: &Recommendation| {
        FeedbackWeights::new(all, said, at)
            .rank(recommendation)
            .weight
    };

    let rejected = Recommendation {
        id: RecommendationId("other".to_owned()),
        ..recommendation.clone()
    };
    let all = [rejected.clone()];
    let no = [said_of(&rejected, "ann", "not_applicable", None)];
    assert!(weight(&all, &no, &recommendation) < 1.0);
    recommendation.subject.kind = ResourceKind::Database;
    assert_eq!(
        weight(&all, &no, &recommendation),
        1.0,
        "a database is another thing"
    );

    let went_wrong = [said_of(&rejected, "ann", "implemented_issues", Some(1))];
    let elsewhere = weight(&all, &went_wrong, &recommendation);
    assert!(
        elsewhere < 1.0 && elsewhere > weight(&all, &went_wrong, &rejected),
        "{elsewhere}: less than where it happened"
    );
    assert_eq!(
        weight(
            &all,
            &[said_of(&rejected, "ann", "not_now", None)],
            &rejected
        ),
        1.0,
        "no vote"
    );

    // Two people who disagree are one answer in between; stars count as much as the outcome.
    let both = [
        no[0].clone(),
        said_of(&rejected, "bob", "implemented_successfully", None),
    ];
    assert_eq!(weight(&all, &both, &rejected), 1.0);

    let stars = |n| {
        weight(
            &all,
            &[said_of(
                &rejected,
                "ann",
                "implemented_successfully",
                Some(n),
            )],
            &rejected,
        )
    };

    assert!(
        stars(1) < stars(3) && stars(3) < stars(5),
        "{} {} {}",
        stars(1),
        stars(3),
        stars(5)
    );

    let later = at + SignedDuration::from_hours(24 * 360);
    let faded = FeedbackWeights::new(&all, &no, later)
        .rank(&rejected)
        .weight;
    assert!(faded > weight(&all, &no, &rejected), "answers fade");
}

#[tokio::test]
async fn confidence_moves_the_right_way_and_not_wildly() {
    let (world, agent) = eleven().await;
    let confidence = async || {
        world.run(&agent).await;
        world.only("i-9").await.confidence
    };
    let first = world.only("i-9").await.confidence;
    answer(&world, "i-0", "implemented_issues", Some(1)).await;
    let after_one = confidence().await;
    assert!(
        after_one < first && first - after_one < 5.0,
        "{first} -> {after_one}"
    );
    for resource in ["i-1", "i-2", "i-3", "i-4"] {
        answer(&world, resource, "implemented_issues", None).await;
    }

    let after_five = confidence().await;
    assert!(
        after_five < after_one && after_five > 50.0,
        "{after_one} -> {after_five}"
    );
    for resource in ["i-5", "i-6", "i-7", "i-8"] {
        answer(&world, resource, "implemented_successfully", Some(5)).await;
    }

    let after_praise = confidence().await;
    assert!(
        after_praise > after_five && after_praise < first,
        "{after_five} -> {after_praise}"
    );
    answer(&world, "i-9", "not_now", None).await;
    world.run(&agent).await;
    let factors = world.only("i-9").await.explanation.factors;
    let factor = factors
        .iter()
        .find(|factor| factor.contains("Calibrated on "))
        .unwrap();
    assert!(
        factor.contains("on the outcomes of 9 earlier"),
        "the count is shown, and not now is none of it: {factor}"
    );
}

#[tokio::test]
async fn not_now_sets_aside_and_comes_back() {
    let (world, _) = eleven().await;
    let recommendation = world.only("i-1").await;
    let until = world.clock.now() + SignedDuration::from_hours(24 * 3);
    let wrong = FeedbackInput {
        until: Some(until),
        ..said("implemented_successfully", None, None)
    };
    let wrong = world
        .engine
        .recommendations
        .feedback(&recommendation.id, wrong, &operator())
        .await;

    assert!(
        matches!(wrong, Err(EngineError::Invalid(_))),
        "a date goes with not_now"
    );

    let later = FeedbackInput {
        until: Some(until),
        ..said("not_now", None, Some("release week"))
    };
    world
        .engine
        .recommendations
        .feedback(&recommendation.id, later, &operator())
        .await
        .unwrap();

    let aside = world.again(&recommendation).await;
    assert_eq!(
        (aside.status, aside.snoozed_until),
        (Status::Snoozed, Some(until))
    );
    assert_eq!(
        aside.status_reason.as_deref(),
        Some("not now: release week")
    );
    assert_eq!(world.only("i-2").await.ranking.weight, 1.0);
    world.clock.advance(SignedDuration::from_hours(24 * 3));
    world.engine.scheduler.due().await.unwrap();
    assert_eq!(world.again(&recommendation).await.status, Status::Open);
}

#[tokio::test]
async fn similar_cases_and_their_rate_are_counts_of_what_happened() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.execute(&recommendation).await;
    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let cases = async |resource: &str| {
        world.machine(resource, "t3.large", 5.0);
        world.run(&agent).await;
        let why = world.only(resource).await.explanation;
        (why.similar_cases, why.success_rate)
    };
    assert_eq!(cases("i-2").await, (1, Some(100.0)));

    // A person knows better than the action's end.
    let issues = said("implemented_issues", Some(2), Some("slower at month end"));
    world
        .engine
        .recommendations
        .feedback(&recommendation.id, issues, &person("max", &[]))
        .await
        .unwrap();

    assert_eq!(cases("i-3").await, (1, Some(0.0)));
    // Done by hand counts, not applicable was never carried out.
    answer(&world, "i-2", "implemented_successfully", None).await;
    answer(&world, "i-3", "not_applicable", None).await;
    assert_eq!(cases("i-4").await, (2, Some(50.0)));
}

#[tokio::test]
async fn a_persons_own_undoing_is_no_failure_unless_they_say_so() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let action = world.execute(&recommendation).await;
    let undoing = world
        .engine
        .execution
        .rollback(&action.id, &operator())
        .await
        .unwrap();
    world.ended(&undoing).await;

    assert!(world.again(&recommendation).await.taken_back_by.is_some());

    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let cases = async |resource: &str| {
        world.machine(resource, "t3.large", 5.0);
        world.run(&agent).await;
        let why = world.only(resource).await.explanation;
        (why.similar_cases, why.success_rate)
    };

    assert_eq!(
        cases("i-2").await,
        (0, None),
        "nobody knows whether it was right"
    );

    let issues = said(
        "implemented_issues",
        None,
        Some("answers took twice as long"),
    );

    world
        .engine
        .recommendations
        .feedback(&recommendation.id, issues, &operator())
        .await
        .unwrap();

    assert_eq!(cases("i-3").await, (1, Some(0.0)));
}
