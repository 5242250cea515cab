//! `reeve prices`: price tables of a running service.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use super::collection::{Collection, answer, bytes, text};
use super::target::Remote;
use crate::cli::PricesCommand;

const TABLES: Collection = Collection {
    path: "prices",
    filter: "",
    noun: "price table",
    list: "reeve prices show",
    line,
};

pub(super) async fn run(command: PricesCommand) -> Result<ExitCode> {
    match command {
        PricesCommand::Show(args) => TABLES.list(&Remote::new(&args.service)?, args.json).await,
        PricesCommand::Import(args) => {
            let service = Remote::new(&args.service)?;
            let file = bytes(&args.file)?;
            TABLES.show(
                &answer(&service, service.post(TABLES.path).body(file)).await?,
                args.json,
            )
        }
        PricesCommand::Remove(args) => {
            let service = Remote::new(&args.service)?;
            let path = format!("{}/{}/{}", TABLES.path, args.provider, args.kind);
            answer(&service, service.delete(&path)).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A table on one line: cloud, kind, origin, number of prices, list with its age.
fn line(out: &mut dyn Write, table: &Value) -> Result<()> {
    let (provider, kind, origin) = (
        text(table, "provider"),
        text(table, "kind"),
        text(table, "origin"),
    );

    let regions = if table["regions"] == 1 {
        "1 region".to_owned()
    } else {
        format!("{} regions", table["regions"])
    };
    let prices = format!("{} prices in {regions}", table["prices"]);

    let old = if table["outdated"] == true {
        ", outdated"
    } else {
        ""
    };

    let list = format!(
        "{} of {}, {} days old{old}",
        text(table, "source"),
        text(table, "date"),
        table["age_days"]
    );

    Ok(writeln!(
        out,
        "{provider:<6} {kind:<10} {origin:<9} {prices:<32} {list}"
    )?)
}
