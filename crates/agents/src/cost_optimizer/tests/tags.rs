//! Required tags: the source of the value, abstentions, and the rules beside them.

use reeve_estate::{ResourceId, ResourceKind};
use reeve_recommend::agent::settings::{AgentSettings, SettingValue};
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::recommendation::RecommendationType;

use super::estate::{Case, resource};

const KIND: RecommendationType = RecommendationType::ResourceTagging;

/// A machine without tags whose attached volumes have these owners.
fn machine(required: &[&str], owners: &[&str]) -> Case {
    let mut case = Case::machine("m5.large");
    let required = required.iter().map(|name| (*name).to_owned()).collect();
    case.settings =
        AgentSettings([("required_tags".to_owned(), SettingValue::Names(required))].into());

    for (number, owner) in owners.iter().enumerate() {
        let mut volume = resource(&format!("vol-{number}"), ResourceKind::Volume, "ebs", None);
        volume.tags.insert("Owner".to_owned(), (*owner).to_owned());
        case.volumes.push(volume);
    }
    case
}

fn tagging(case: &Case) -> Result<Proposal, Abstention> {
    let judged = case.judge();
    let proposal = judged
        .proposals
        .into_iter()
        .find(|proposal| proposal.kind == KIND);
    let abstention = || {
        judged
            .abstentions
            .into_iter()
            .find(|one| one.kind == Some(KIND))
            .unwrap()
    };

    proposal.ok_or_else(abstention)
}

#[test]
fn the_value_comes_from_the_attached_volumes_or_from_the_setting() {
    let from_volumes = tagging(&machine(&["Owner"], &["ann", "ann"])).unwrap();
    assert_eq!(
        (from_volumes.title.as_str(), from_volumes.rule),
        ("Tag i-1-name with Owner=ann", "required_tags")
    );
    assert!(
        from_volumes.explanation.factors[1].contains("2 of 2 attached volumes"),
        "{from_volumes:?}"
    );
    assert!(
        (from_volumes.confidence - 75.0).abs() < 0.1,
        "two volumes are little: {}",
        from_volumes.confidence
    );

    let steps = from_volumes.plan.unwrap().steps;
    assert!(
        steps
            .iter()
            .any(|step| step.description.contains("Tag i-1 with Owner=ann")),
        "{steps:?}"
    );

    let configured = tagging(&machine(&["Owner", "CostCenter=4711"], &[])).unwrap();
    assert_eq!(
        configured.title, "Tag i-1-name with CostCenter=4711",
        "the first with a known value"
    );
    assert_eq!(configured.confidence, 90.0, "no past day can try it");
    assert_eq!(
        tagging(&machine(&["Owner=bob"], &["ann"])).unwrap().title,
        "Tag i-1-name with Owner=ann"
    );
}

#[test]
fn an_unknown_or_contradicted_value_is_an_abstention() {
    let code = |case: &Case| tagging(case).unwrap_err().code;
    assert_eq!(code(&machine(&["Owner"], &[])), "no_tag_value");

    let contradicted = tagging(&machine(&["Owner=bob"], &["ann", "eve"])).unwrap_err();
    assert!(
        contradicted.detail.contains("2 different values") && !contradicted.decisive,
        "{contradicted:?}"
    );
    assert_eq!(
        code(&machine(&["Owner"], &["ann"]).tag("Owner", "bob")),
        "tags_complete"
    );
}

#[test]
fn nothing_is_required_unless_configured_and_other_rules_go_on() {
    assert!(
        Case::machine("m5.large")
            .judge()
            .abstentions
            .iter()
            .all(|one| one.kind != Some(KIND))
    );

    let ignored = machine(&["Owner"], &["ann"])
        .tag("reeve:ignore", "true")
        .judge();
    assert!(ignored.proposals.is_empty(), "{ignored:?}");

    let mut member = machine(&["Owner"], &["ann"]);
    member.resource.group = Some(ResourceId::new("web"));
    assert!(
        tagging(&member).is_ok() && member.codes().contains(&"group_member"),
        "groups keep their members' sizes"
    );

    let database = Case {
        settings: member.settings,
        ..Case::database("db.m5.large")
    };
    assert!(
        database
            .judge()
            .abstentions
            .iter()
            .all(|one| one.kind != Some(KIND)),
        "databases are not tagged yet"
    );
}
