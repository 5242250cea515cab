//! Answers as they are collected: the exposures of each resource, and the ways that were stopped.

use std::collections::BTreeMap;

use crate::finding::{Audience, Exposure, ExposureGrade, ExposureStep};
use crate::network::Way;
use crate::ports::Ports;

/// Way that ends before the resource.
#[derive(Debug)]
struct Miss {
    path: Vec<ExposureStep>,
    is_certain: bool,
}

#[derive(Debug)]
struct Answer<'a> {
    kind: &'a str,
    account: &'a str,
    exposures: Vec<Exposure>,
    /// Ports that earlier exposures have.
    covered: Ports,
    miss: Option<Miss>,
    is_uncertain: bool,
}

/// Answers by identifier and kind.
#[derive(Debug, Default)]
pub(crate) struct ExposureAnswers<'a> {
    all: BTreeMap<(&'a str, &'a str), Answer<'a>>,
}

impl<'a> ExposureAnswers<'a> {
    fn of(&mut self, id: &'a str, kind: &'a str, account: &'a str) -> &mut Answer<'a> {
        self.all.entry((id, kind)).or_insert(Answer {
            kind,
            account,
            exposures: Vec::new(),
            covered: Ports::default(),
            miss: None,
            is_uncertain: false,
        })
    }

    /// Adds an exposure to the network. Returns `true` if it has ports that no exposure before it
    /// has; others are not kept.
    pub(crate) fn reached(
        &mut self,
        (id, kind, account): (&'a str, &'a str, &'a str),
        grade: ExposureGrade,
        path: Vec<ExposureStep>,
        ports: &Ports,
    ) -> bool {
        let answer = self.of(id, kind, account);
        if ports.without(&answer.covered).is_empty() {
            return false;
        }

        answer.covered = answer.covered.or(ports);
        answer.exposures.push(Exposure {
            resource: id.to_owned(),
            kind: kind.to_owned(),
            account: account.to_owned(),
            reachable_from: Audience::Internet,
            grade: Some(grade),
            access: ports.named(),
            path,
            stopped_by: None,
        });
        true
    }

    /// Adds an exposure that a policy or setting makes.
    pub(crate) fn granted(
        &mut self,
        (id, kind, account): (&'a str, &'a str, &'a str),
        audience: Audience,
        access: Vec<String>,
        path: Vec<ExposureStep>,
    ) {
        self.of(id, kind, account).exposures.push(Exposure {
            resource: id.to_owned(),
            kind: kind.to_owned(),
            account: account.to_owned(),
            reachable_from: audience,
            grade: Some(ExposureGrade::Direct),
            access,
            path,
            stopped_by: None,
        });
    }

    /// Adds a way that was stopped. The one that came furthest is kept: it says most.
    pub(crate) fn missed(
        &mut self,
        (id, kind, account): (&'a str, &'a str, &'a str),
        path: Vec<ExposureStep>,
        is_certain: bool,
    ) {
        let answer = self.of(id, kind, account);
        answer.is_uncertain |= !is_certain;
        let rank = |path: &[ExposureStep], is_certain: bool| (!is_certain, path.len());
        let is_better = answer
            .miss
            .as_ref()
            .is_none_or(|kept| rank(&path, is_certain) > rank(&kept.path, kept.is_certain));
        if is_better {
            answer.miss = Some(Miss { path, is_certain });
        }
    }

    /// Adds the outcome of following traffic. Returns the path and ports of an open way.
    pub(crate) fn missed_way(
        &mut self,
        of: (&'a str, &'a str, &'a str),
        way: Way,
    ) -> Option<(Vec<ExposureStep>, Ports)> {
        match way {
            Way::Open { path, ports } => Some((path, ports)),
            Way::Stopped { path, is_certain } => {
                self.missed(of, path, is_certain);
                None
            }
        }
    }

    /// Returns all answers, by identifier.
    pub(crate) fn into_exposures(self) -> Vec<Exposure> {
        let mut all = Vec::new();
        for ((id, _), answer) in self.all {
            if !answer.exposures.is_empty() {
                let mut exposures = answer.exposures;
                exposures.sort();
                exposures.dedup();
                all.extend(exposures);
                continue;
            }

            let mut path = answer.miss.map(|miss| miss.path).unwrap_or_default();
            let stopped_by = path
                .pop()
                .unwrap_or_else(|| ExposureStep::new("policy", id, "nothing lets an outsider in"));
            all.push(Exposure {
                resource: id.to_owned(),
                kind: answer.kind.to_owned(),
                account: answer.account.to_owned(),
                reachable_from: match answer.is_uncertain {
                    true => Audience::Unknown,
                    false => Audience::None,
                },
                grade: None,
                access: Vec::new(),
                path,
                stopped_by: Some(stopped_by),
            });
        }
        all
    }
}
