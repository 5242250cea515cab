//! Collections of a running service that people list, show, create from files and remove by name:
//! alert rules, reports, budgets.

use std::io::{Read as _, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use super::show::clean;
use super::target::{Remote, Reply};

/// Longest answer that is read, bytes.
const MOST: usize = 64 * 1024 * 1024;
/// Resources of a page.
pub(super) const PAGE: u32 = 1000;

/// Resources of one kind.
pub(super) struct Collection {
    /// Path of the collection below `/api/v1/`.
    pub(super) path: &'static str,
    /// Further parameters of a list, as `&direction=out`.
    pub(super) filter: &'static str,
    /// Name of one of them, for people.
    pub(super) noun: &'static str,
    /// Command that lists them.
    pub(super) list: &'static str,
    /// Prints one on a line.
    pub(super) line: fn(&mut dyn Write, &Value) -> Result<()>,
}

impl Collection {
    /// Returns all, page by page.
    pub(super) async fn all(&self, service: &Remote) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut cursor = String::new();

        loop {
            let page = answer(
                service,
                service.get(&format!(
                    "{}?limit={PAGE}{}{cursor}",
                    self.path, self.filter
                )),
            )
            .await?;
            all.extend(items(&page).cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(all),
            }
        }
    }

    /// Returns the one of an identifier or a name.
    pub(super) async fn find(&self, service: &Remote, name: &str) -> Result<Value> {
        let found = self
            .all(service)
            .await?
            .into_iter()
            .find(|one| one["id"] == name || one["name"] == name);
        found.with_context(|| {
            format!(
                "there is no {} {name:?}; {} shows them",
                self.noun, self.list
            )
        })
    }

    /// Returns the path of the one of an identifier or a name.
    pub(super) async fn place(&self, service: &Remote, name: &str) -> Result<String> {
        Ok(format!(
            "{}/{}",
            self.path,
            text(&self.find(service, name).await?, "id")
        ))
    }

    /// Prints all: a line each, or as JSON.
    pub(super) async fn list(&self, service: &Remote, json: bool) -> Result<ExitCode> {
        let all = self.all(service).await?;
        if json {
            print(&json!({ "items": all }))?;
            return Ok(ExitCode::SUCCESS);
        }

        let mut out = std::io::stdout().lock();
        all.iter().try_for_each(|one| (self.line)(&mut out, one))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Adds those of a file: one JSON object, or an array of them.
    pub(super) async fn create(
        &self,
        service: &Remote,
        file: &Path,
        json: bool,
    ) -> Result<ExitCode> {
        let read = read(file)?;
        let bodies = if let Value::Array(bodies) = read {
            bodies
        } else {
            vec![read]
        };

        for body in &bodies {
            self.show(
                &answer(service, service.post(self.path).json(body)).await?,
                json,
            )?;
        }

        Ok(ExitCode::SUCCESS)
    }

    /// Prints one: a line, or the answer as it is.
    pub(super) fn show(&self, one: &Value, json: bool) -> Result<ExitCode> {
        if json {
            print(one)?
        } else {
            (self.line)(&mut std::io::stdout().lock(), one)?
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the answer to a request; a refusal names the fields that are wrong.
pub(super) async fn answer(service: &Remote, request: RequestBuilder) -> Result<Value> {
    match service.ask(request, MOST).await? {
        Reply::Done(body) if body.is_empty() => Ok(Value::Null),
        Reply::Done(body) => serde_json::from_slice(&body).context("the answer is not JSON"),
        Reply::Refused(problem) | Reply::Failed(problem) => {
            let fields = problem["errors"].as_array().into_iter().flatten();
            let fields = fields
                .map(|field| format!("\n  {}: {}", text(field, "field"), text(field, "message")));
            bail!("{}{}", service.words(&problem), fields.collect::<String>())
        }
        Reply::Busy(_) => bail!("{} is busy", service.base()),
        Reply::TooMuch => bail!("the answer has more than {MOST} bytes"),
    }
}

/// Items of a list.
pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list["items"].as_array().into_iter().flatten()
}

/// A member as it can be shown in a terminal; `-` where there is none.
pub(super) fn text(value: &Value, name: &str) -> String {
    clean(value[name].as_str().unwrap_or("-"))
}

/// Prints an answer as JSON.
pub(super) fn print(value: &Value) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{value:#}")?)
}

/// Content of a file; `-` is standard input.
pub(super) fn bytes(file: &Path) -> Result<Vec<u8>> {
    if file != Path::new("-") {
        return std::fs::read(file)
            .with_context(|| format!("{} could not be read", file.display()));
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Content of a text file; `-` is standard input.
pub(super) fn contents(file: &Path) -> Result<String> {
    String::from_utf8(bytes(file)?).with_context(|| format!("{} could not be read", file.display()))
}

/// Content of a JSON file.
pub(super) fn read(file: &Path) -> Result<Value> {
    serde_json::from_str(&contents(file)?)
        .with_context(|| format!("{} is not JSON", file.display()))
}
