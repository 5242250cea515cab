//! `reeve analyze exposures`: resources that outsiders reach, with the path, or the edge that stops.

use std::process::ExitCode;

use anyhow::Result;
use reeve_controls::Input;
use reeve_estate::Provider;
use reeve_exposure::{Audience, Estate, ExposureConfiguration};

use super::configurations::{self, Configurations};
use super::file::FileSink;
use crate::cli::ExposuresArgs;

/// Most settings that are tried as choke points, each by judging the estate without it.
const MOST_TRIED: usize = 20;

/// Judges the configurations of files; elements that cannot be read are said on standard error.
pub(super) fn run(args: &ExposuresArgs) -> Result<ExitCode> {
    let Configurations { inputs, unread } = configurations::read(&args.files)?;
    let default_account = args.account.as_deref().unwrap_or_default();
    let estate = Estate::new(
        inputs
            .iter()
            .filter(|input| input.provider == Provider::Aws)
            .map(|input| configuration(input, default_account)),
    );
    let exposures = estate.exposures();

    let mut sink = FileSink::create(args.output.output.as_deref())?;
    if args.choke_points {
        for point in estate.choke_points(&exposures, MOST_TRIED) {
            sink.json_line(&point)?;
        }
    } else {
        let is_wanted = |audience: &Audience| !args.exposed || *audience != Audience::None;
        for exposure in exposures
            .iter()
            .filter(|one| is_wanted(&one.reachable_from))
        {
            sink.json_line(exposure)?;
        }
    }
    sink.finish()?;

    let is_exposed = exposures.iter().any(|exposure| exposure.is_exposed());
    let is_bad = unread > 0 || (args.fail && is_exposed);
    Ok(ExitCode::from(u8::from(is_bad)))
}

fn configuration<'i>(input: &'i Input, default_account: &'i str) -> ExposureConfiguration<'i> {
    let mut configuration = ExposureConfiguration {
        id: &input.id,
        kind: input.kind.as_str(),
        account: &input.account,
        document: &input.document,
    };
    if configuration.owner().is_empty() {
        configuration.account = default_account;
    }
    configuration
}
