//! `reeve openapi`: the description of the HTTP interface on stdout.

use std::io::Write as _;

use anyhow::Result;

pub(crate) async fn run() -> Result<()> {
    let text = reeve_http::router::openapi().to_pretty_json()?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}
