//! Walks over relations and flows: what is declared beside what is observed, bounds and groups.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use jiff::Timestamp;
use reeve_estate::{
    KnownDescription, Metric, Relation, RelationKind, Resource, ResourceId, ResourceKind,
    SampleSeries,
};
use reeve_testkit::contract::estate::running;

use crate::comovement::add_comovements;
use crate::edge::{EdgeEvidence, EdgeSource, EdgeStrength};
use crate::map::{DependencyBounds, DependencyMap, NodeKind};
use crate::observed::{ObservedDependency, Peer};
use crate::walk::DependencyWalk;

const AT: Timestamp = Timestamp::UNIX_EPOCH;

fn resource(id: &str, kind: &str, group: Option<&str>) -> Resource {
    Resource {
        group: group.map(ResourceId::new),
        ..running(id, ResourceKind::named(kind).unwrap(), None)
    }
}

fn known(id: &str, kind: &str, relations: &[(RelationKind, &str)]) -> KnownDescription {
    let relations: Vec<Relation> = relations
        .iter()
        .map(|(kind, target)| Relation::to(*kind, *target))
        .collect();
    let group = relations
        .iter()
        .find(|one| one.kind == RelationKind::MemberOf)
        .map(|one| one.target.0.clone());
    KnownDescription {
        resource: Some(resource(id, kind, group.as_deref())),
        id: ResourceId::new(id),
        hash: None,
        relations,
        seen_at: None,
    }
}

fn flow(dependent: &str, dependency: &str) -> ObservedDependency {
    let peer = |id: &str| Peer {
        kind: NodeKind::Resource,
        id: id.to_owned(),
    };
    ObservedDependency {
        dependent: peer(dependent),
        dependency: peer(dependency),
        bytes: 1,
        evidence: EdgeEvidence {
            source: EdgeSource::Flow,
            strength: EdgeStrength::Strong,
            detail: "TCP 443 on 7 of 7 days with records".to_owned(),
            last_at: Some(AT),
        },
    }
}

/// A map around the first of these, of all of them.
fn map(
    all: &[KnownDescription],
    flows: Vec<ObservedDependency>,
    watched: &[&str],
    most: usize,
) -> DependencyMap {
    let mut walk = DependencyWalk::new(most);
    assert!(walk.take_node(&all[0].id.0, NodeKind::Resource, 0, true));
    for one in flows {
        walk.observe(one, 1);
    }
    for one in all {
        for relation in &one.relations {
            let kind = one.resource.as_ref().map(|resource| resource.kind);
            walk.relate(
                (&one.id, kind),
                relation.kind,
                &relation.target,
                (&one.id, 1),
            );
        }
        if let Some(met) = walk.nodes.get_mut(&one.id.0) {
            met.known = Some(one.clone());
            met.is_watched = watched.contains(&one.id.as_str());
        }
    }
    let edges = walk.edges(&HashMap::from([(ResourceKind::LoadBalancer, AT)]));
    let left_out = walk.left_out();
    DependencyMap {
        center: all[0].id.0.clone(),
        nodes: walk.into_nodes(),
        edges,
        left_out,
        bounds: DependencyBounds::default(),
        at: AT,
    }
}

fn words(map: &DependencyMap) -> Vec<String> {
    map.edges
        .iter()
        .map(|edge| {
            let sources: Vec<&str> = edge
                .evidence
                .iter()
                .map(|one| one.source.as_str())
                .collect();
            format!(
                "{} > {}: {} ({})",
                edge.dependent,
                edge.dependency,
                edge.standing,
                sources.join(", ")
            )
        })
        .collect()
}

#[test]
fn a_flow_is_compared_with_the_way_through_listener_and_target_group() {
    let all = [
        known("lb", "load_balancer", &[(RelationKind::RoutesTo, "tg")]),
        known(
            "tg",
            "target_group",
            &[
                (RelationKind::RoutesTo, "i-1"),
                (RelationKind::RoutesTo, "i-2"),
            ],
        ),
        known(
            "i-1",
            "virtual_machine",
            &[(RelationKind::ProtectedBy, "sg-app")],
        ),
        known("i-2", "virtual_machine", &[]),
        known("db", "database", &[(RelationKind::ProtectedBy, "sg-db")]),
        known("sg-app", "security_group", &[]),
        known(
            "sg-db",
            "security_group",
            &[(RelationKind::Admits, "sg-app")],
        ),
        known("cache", "cache_cluster", &[]),
    ];
    let flows = vec![flow("lb", "i-1"), flow("i-1", "db"), flow("i-1", "cache")];
    let found = map(&all, flows, &["i-1", "i-2"], 60);
    assert_eq!(
        words(&found),
        [
            "db > sg-db: declared (relation)",
            "i-1 > cache: observed_not_declared (flow)",
            "i-1 > db: declared_and_observed (flow, security_group)",
            "i-1 > sg-app: declared (relation)",
            "lb > tg: declared_and_observed (listener, flow)",
            "tg > i-1: declared_and_observed (target_group, flow)",
            "tg > i-2: declared_not_observed (target_group)",
        ]
    );
    let listener = found
        .edges
        .iter()
        .find(|edge| edge.dependent == "lb")
        .unwrap();
    assert!(listener.evidence.iter().all(|one| one.last_at == Some(AT)));
    assert!(found.dependents("db").contains("lb"), "{found:?}");
}

#[test]
fn an_edge_whose_ends_have_no_flow_log_is_not_called_unused() {
    let all = [
        known("tg", "target_group", &[(RelationKind::RoutesTo, "i-1")]),
        known("i-1", "virtual_machine", &[]),
    ];
    assert_eq!(
        words(&map(&all, Vec::new(), &[], 60)),
        ["tg > i-1: declared (target_group)"]
    );
}

#[test]
fn members_of_a_group_are_one_node_and_bounds_say_what_they_leave_out() {
    let member = |id: &str| known(id, "virtual_machine", &[(RelationKind::MemberOf, "asg")]);
    let mut all = vec![
        known("db", "database", &[]),
        known("asg", "scaling_group", &[]),
    ];
    all.extend(["i-1", "i-2", "i-3"].map(member));
    let flows = || ["i-1", "i-2", "i-3"].map(|id| flow(id, "db")).to_vec();
    let mut middle_first = all.clone();
    middle_first[0].relations = vec![Relation::to(RelationKind::RoutesTo, "asg")];

    // Met by their flows, the members are there before their relations are read.
    let mut walked = map(&middle_first, flows(), &[], 60);
    assert_eq!(walked.nodes.len(), 5);
    walked = walked.collapsed();
    let group = walked.node("asg").unwrap();
    assert_eq!(group.members, ["i-1", "i-2", "i-3"]);
    let drawn: Vec<(&str, &str)> = walked
        .edges
        .iter()
        .map(|edge| (edge.dependent.as_str(), edge.dependency.as_str()))
        .collect();
    assert_eq!(drawn, [("asg", "db"), ("db", "asg")]);

    let bounded = map(&middle_first, flows(), &[], 3);
    assert_eq!((bounded.nodes.len(), bounded.left_out), (3, 2));
}

#[test]
fn correlated_metrics_strengthen_an_edge_and_alone_have_no_direction() {
    let all = [
        known(
            "lb",
            "load_balancer",
            &[
                (RelationKind::RoutesTo, "i-1"),
                (RelationKind::LocatedIn, "far"),
            ],
        ),
        known("i-1", "virtual_machine", &[]),
        known("far", "virtual_machine", &[]),
        known("i-9", "virtual_machine", &[]),
    ];
    let mut found = map(&all, vec![flow("i-1", "i-9")], &[], 60);
    let series = |id: &str, phase: f64| SampleSeries {
        resource: ResourceId::new(id),
        metric: Metric::CpuUtilization,
        points: (0..864_i64)
            .map(|index| {
                let value = ((index as f64 / 31.0 + phase).floor() * 7.3).sin();
                (Timestamp::from_second(index * 300).unwrap(), value)
            })
            .collect(),
        period_s: 300,
    };
    add_comovements(
        &mut found,
        &[
            series("lb", 0.0),
            series("i-1", 0.0),
            series("i-9", 0.0),
            series("far", 11.0),
        ],
    );
    assert_eq!(
        words(&found),
        [
            "i-1 > i-9: observed_not_declared (flow)",
            "lb > far: declared (relation)",
            "lb > i-1: declared (listener, metrics)",
            "lb > i-9: correlated (metrics)",
        ]
    );
    assert!(
        !found
            .edges
            .iter()
            .any(|edge| edge.dependency == "far" && !edge.is_directed())
    );
    assert!(
        found
            .edges
            .iter()
            .any(|edge| edge.dependency == "i-9" && !edge.is_directed())
    );
}
