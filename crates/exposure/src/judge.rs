//! Judgement of an estate: policies and settings first, then the network.

use crate::answers::ExposureAnswers;
use crate::bucket::{self, AccessPoints};
use crate::configuration::ExposureConfiguration;
use crate::estate::Estate;
use crate::finding::{Audience, Exposure, ExposureStep};
use crate::granted;
use crate::network::Way;
use crate::reach::ExposureReach;
use crate::shared;
use crate::source::{ExposureSource, Family};
use crate::value;

impl Estate<'_> {
    /// Returns the answer about each resource that could be exposed, by identifier: its exposures,
    /// or the edge that stops outsiders.
    #[must_use]
    pub fn exposures(&self) -> Vec<Exposure> {
        self.exposures_without(None)
    }

    /// Returns the exposures that are left if a setting is closed.
    pub(crate) fn exposures_without(&self, closed: Option<&str>) -> Vec<Exposure> {
        let mut answers = ExposureAnswers::default();
        let mut points = AccessPoints::new();
        for one in self.others.iter().filter(|one| one.kind == "access_point") {
            if let Some(bucket) = value::text(one.document, "Bucket") {
                points.entry(bucket).or_default().push(*one);
            }
        }

        let mut invoked: Vec<(usize, Vec<ExposureStep>)> = Vec::new();
        for one in &self.others {
            match one.kind {
                "bucket" => bucket::judge(one, &points, &mut answers, closed),
                "snapshot" | "image" | "database_snapshot" => {
                    shared::judge(one, &mut answers, closed);
                }
                "kubernetes_cluster" => cluster(one, &mut answers, closed),
                _ => _ = granted::judge(one, &mut answers, closed),
            }
        }
        for (at, resource) in self.resources.iter().enumerate() {
            if resource.kind == "function" {
                let path = granted::judge(&resource.configuration(), &mut answers, closed);
                invoked.extend(path.map(|path| (at, path)));
            }
        }

        ExposureReach::new(self, answers, closed)
            .run(invoked)
            .into_exposures()
    }
}

/// Judges the endpoint of a Kubernetes cluster.
fn cluster<'a>(
    configuration: &ExposureConfiguration<'a>,
    answers: &mut ExposureAnswers<'a>,
    closed: Option<&str>,
) {
    let document = configuration.document;
    let key = (configuration.id, configuration.kind, configuration.owner());
    let Some(settings) = value::at(document, "resourcesVpcConfig") else {
        let step = ExposureStep::new(
            "setting",
            configuration.id,
            "the endpoint's settings were not read",
        );
        answers.missed(key, vec![step], false);
        return;
    };
    if !value::is_true(settings, "endpointPublicAccess") {
        let step = ExposureStep::new("setting", configuration.id, "the endpoint is private");
        answers.missed(key, vec![step], true);
        return;
    }

    let ranges = value::texts(settings, "publicAccessCidrs");
    let internet = [
        ExposureSource::internet(Family::V4),
        ExposureSource::internet(Family::V6),
    ];
    let is_open = ranges.is_empty()
        || ranges.iter().any(|range| {
            let range = range.parse().ok();
            range.is_some_and(|range| internet.iter().any(|source| source.is_admitted_by(&range)))
        });
    let says = match ranges.is_empty() {
        true => "the endpoint is public, for every address".to_owned(),
        false => format!("the endpoint is public, for {}", ranges.join(", ")),
    };
    let step = ExposureStep::new("setting", configuration.id, says).keyed("public endpoint");
    match is_open && !step.is_closed_by(closed) {
        true => {
            let access = vec!["tcp 443".to_owned()];
            answers.granted(key, Audience::Internet, access, vec![step]);
        }
        false => _ = answers.missed_way(key, Way::stopped(Vec::new(), step)),
    }
}
