//! Snapshots: which are proposed for deletion, which stay, and for what reason.

use jiff::SignedDuration;
use reeve_estate::{
    Document, Money, Relation, RelationKind, Resource, ResourceKind, ResourceState,
};
use reeve_recommend::agent::Impact;
use reeve_recommend::agent::settings::SettingValue;
use reeve_recommend::judgement::{Facts, Judgement, RelationIndex};
use serde_json::json;

use super::{Case, judge};
use crate::cost_optimizer::tests::estate::{now, resource};

/// A volume with snapshots of these ages in days, of which the first is judged.
struct Copies {
    case: Case,
    snapshots: Vec<(Resource, &'static str)>,
    volume: Option<Resource>,
    others: Vec<(Resource, Relation)>,
    document: Document,
    unread: Option<ResourceKind>,
}

fn aged(id: &str, kind: ResourceKind, days: i64) -> Resource {
    let mut one = resource(id, kind, "ec2", None);
    one.state = ResourceState::Available;
    one.created_at = Some(now() - SignedDuration::from_hours(24 * days));
    one
}

impl Copies {
    fn of(ages: &[i64]) -> Copies {
        let snapshots = ages.iter().enumerate();
        let snapshots = snapshots
            .map(|(at, days)| {
                (
                    aged(&format!("snap-{at}"), ResourceKind::Snapshot, *days),
                    "vol-1",
                )
            })
            .collect();

        Copies {
            case: Case::volume("gp3", 100.0, None, None),
            snapshots,
            volume: Some(aged("vol-1", ResourceKind::Volume, 900)),
            others: Vec::new(),
            document: Document::new(
                json!({ "status": "completed", "storageTier": "standard", "volumeSize": "100" }),
            ),
            unread: None,
        }
    }

    fn set(mut self, path: &str, value: SettingValue) -> Copies {
        self.case = self.case.set(path, value);
        self
    }

    fn bent(mut self, bend: impl FnOnce(&mut Resource)) -> Copies {
        bend(&mut self.snapshots[0].0);
        self
    }

    fn judge(&self) -> Judgement {
        let mut index = RelationIndex::default();
        for (snapshot, volume) in &self.snapshots {
            index.add(
                snapshot.clone(),
                vec![Relation::to(RelationKind::CreatedFrom, *volume)],
            );
        }

        for (other, relation) in &self.others {
            index.add(other.clone(), vec![relation.clone()]);
        }

        if let Some(volume) = &self.volume {
            index.add(volume.clone(), Vec::new());
        }

        let judged = &self.snapshots[0].0;
        let kinds = [
            ResourceKind::Volume,
            ResourceKind::Snapshot,
            ResourceKind::Image,
            ResourceKind::LaunchTemplate,
        ];

        for kind in kinds.into_iter().filter(|kind| Some(*kind) != self.unread) {
            index.note_complete(&judged.connection, kind, "");
        }

        self.case.with(|facts| {
            judge(&Facts {
                resource: judged,
                document: Some(&self.document),
                relations: &index,
                ..*facts
            })
        })
    }

    fn code(&self) -> &'static str {
        let judgement = self.judge();
        assert!(
            judgement.proposals.is_empty(),
            "{}",
            judgement.proposals[0].title
        );
        judgement.abstentions[0].code
    }
}

#[test]
fn a_superseded_snapshot_is_deleted_and_names_what_stays() {
    let judgement = Copies::of(&[400, 200, 10]).judge();
    let [found] = judgement.proposals.as_slice() else {
        panic!("{:?}", judgement.abstentions)
    };

    assert_eq!(
        (found.rule, found.reason_codes[0].as_str()),
        ("clean_snapshots", "superseded")
    );

    let plan = found.plan.as_ref().unwrap();
    let change = plan.change.as_ref().unwrap();
    assert_eq!(
        (change.name.as_str(), plan.reversible),
        ("delete_snapshot", false)
    );
    assert!(
        plan.steps[1].description.ends_with("snap-2 stay"),
        "{}",
        plan.steps[1].description
    );
    assert!(found.impact_level >= Impact::Medium, "it needs a signature");
    assert!(found.explanation.risk >= Impact::Medium);
    assert_eq!(found.savings_monthly, None::<Money>, "blocks are shared");
    assert!(
        found.impact.cost.contains("at most $5.00 a month"),
        "{}",
        found.impact.cost
    );

    let said = found.explanation.factors.texts().join("\n");
    assert_eq!(
        (found.confidence, found.trust.cap_percent),
        (90.0, Some(90.0)),
        "{said}"
    );

    assert!(
        said.contains("400 days old, and ") && !said.contains("Safe on"),
        "no past day tried it: {said}"
    );
    assert_eq!(
        Copies::of(&[100, 200, 300]).code(),
        "kept",
        "it is the newest"
    );

    assert_eq!(
        Copies::of(&[400, 200, 10])
            .set("clean_snapshots.keep_newest", SettingValue::Count(3))
            .code(),
        "kept"
    );
}

#[test]
fn the_last_copy_of_a_deleted_volume_stays_unless_a_setting_says_otherwise() {
    let gone = |ages: &[i64]| Copies {
        volume: None,
        ..Copies::of(ages)
    };
    let two = gone(&[400, 300]).judge();
    assert_eq!(two.proposals[0].reason_codes[0], "volume_gone");

    assert_eq!(gone(&[400]).code(), "kept");

    let all = gone(&[400])
        .set("clean_snapshots.keep_of_deleted", SettingValue::Count(0))
        .judge();
    assert!(
        all.proposals[0].explanation.factors[2].ends_with("stay: none"),
        "{:?}",
        all.proposals[0].explanation
    );
}

#[test]
fn what_is_used_managed_or_not_known_stays() {
    let copies = || Copies::of(&[400, 200, 10]);
    assert_eq!(Copies::of(&[60, 20, 10]).code(), "too_young");
    assert_eq!(
        copies()
            .set("clean_snapshots.older_than", SettingValue::Days(500))
            .code(),
        "too_young"
    );

    assert_eq!(
        copies()
            .set("clean_snapshots.enabled", SettingValue::Flag(false))
            .code(),
        "switched_off"
    );

    let tagged = |key: &'static str| {
        copies()
            .bent(|one| _ = one.tags.insert(key.to_owned(), "true".to_owned()))
            .code()
    };
    assert_eq!(tagged("reeve:ignore"), "opted_out");

    assert_eq!(tagged("aws:backup:source-resource"), "managed_by_service");
    assert_eq!(tagged("dlm:managed"), "managed_by_service");
    assert_eq!(
        copies()
            .bent(|one| one.state = ResourceState::Changing)
            .code(),
        "not_complete"
    );

    assert_eq!(
        copies().bent(|one| one.created_at = None).code(),
        "age_not_known"
    );

    let document = |json: serde_json::Value| {
        Copies {
            document: Document::new(json),
            ..copies()
        }
        .code()
    };
    assert_eq!(document(json!({ "status": "error" })), "not_complete");

    assert_eq!(
        document(json!({ "status": "completed", "storageTier": "archive" })),
        "archived"
    );
    for kind in [ResourceKind::Image, ResourceKind::Volume] {
        assert_eq!(
            Copies {
                unread: Some(kind),
                ..copies()
            }
            .code(),
            "relations_not_read"
        );
    }

    let made = |kind, days| {
        let made = (
            aged("made", kind, days),
            Relation::to(RelationKind::CreatedFrom, "snap-0"),
        );
        Copies {
            others: vec![made],
            ..copies()
        }
    };
    assert_eq!(made(ResourceKind::Image, 300).code(), "used_by_image");

    assert_eq!(
        made(ResourceKind::LaunchTemplate, 300).code(),
        "used_by_image"
    );
    assert_eq!(made(ResourceKind::Volume, 30).code(), "in_use");
    assert_eq!(
        made(ResourceKind::Volume, 120).judge().proposals.len(),
        1,
        "a volume does not need its snapshot"
    );

    let mut copied = copies();
    copied
        .snapshots
        .iter_mut()
        .for_each(|(_, volume)| *volume = "vol-ffffffff");
    assert_eq!(
        copied.code(),
        "volume_not_known",
        "all copies name the same volume, which does not exist"
    );

    let mut unfinished = Copies::of(&[400, 200]);
    unfinished.snapshots[1].0.state = ResourceState::Changing;
    assert_eq!(
        unfinished.code(),
        "kept",
        "a snapshot that is not complete supersedes none"
    );
}
