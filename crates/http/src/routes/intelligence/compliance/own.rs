//! Files of people's own checks and frameworks: those in force, and the faults of the others.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_controls::{ControlCatalogue, OwnFile, OwnFileKind};

use super::{Counts, counts};
use crate::app::App;
use crate::error::Problem;
use crate::extract::Caller;
use crate::wire::compliance::{OwnCheckFaultBody, OwnCheckFileBody, OwnChecksBody};

/// Files of own checks and frameworks, with the faults of those that are refused.
#[utoipa::path(get, path = "/api/v1/intelligence/own-checks", tag = "intelligence",
    responses((status = 200, body = OwnChecksBody)))]
pub(in crate::routes::intelligence) async fn files(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<OwnChecksBody>, Problem> {
    let catalogue = app.checks.current();
    let visible = app.visible(&caller.principal).await?;
    let counts = counts(&app, &visible).await?;
    let mut files: Vec<OwnCheckFileBody> = catalogue
        .own()
        .taken
        .iter()
        .filter(|file| match file.kind {
            OwnFileKind::Framework => visible.has_framework(&file.id),
            OwnFileKind::Check => {
                let check = catalogue.check(&file.id);
                check.is_some_and(|check| visible.has_check(&catalogue, check))
            }
        })
        .filter_map(|file| file_body(&catalogue, file, &counts))
        .collect();
    files.sort_by_key(|file| {
        (
            file.severity.as_ref().map(|one| one.0 as u8),
            file.title.clone(),
        )
    });

    let refused = catalogue.own().refused.iter();
    Ok(Json(OwnChecksBody {
        files,
        refused: refused
            .map(|fault| OwnCheckFaultBody {
                path: fault.file.clone(),
                line: fault.line.map(|line| line as u64),
                field: Some(fault.field.clone()).filter(|field| !field.is_empty()),
                reason: fault.reason.clone(),
            })
            .collect(),
        revision: catalogue.revision().to_owned(),
    }))
}

fn file_body(
    catalogue: &ControlCatalogue,
    file: &OwnFile,
    counts: &Counts,
) -> Option<OwnCheckFileBody> {
    let (title, severity) = match file.kind {
        OwnFileKind::Check => {
            let check = catalogue.check(&file.id)?;
            (check.title.clone(), Some(check.severity.into()))
        }
        OwnFileKind::Framework => (catalogue.framework(&file.id)?.title.clone(), None),
    };
    let is_check = file.kind == OwnFileKind::Check;
    Some(OwnCheckFileBody {
        path: file.path.clone(),
        is_framework: !is_check,
        id: file.id.clone(),
        title,
        severity,
        sha256: file.hash.clone(),
        results: is_check.then(|| counts.get(&file.id).copied().unwrap_or_default()),
    })
}
