//! Reading one kind in one region: pages as they arrive, further calls for each item, and how it
//! ended.

use aws_config::SdkConfig;
use jiff::Timestamp;
use reeve_connect_aws_ec2::form::escaped as escaped_text;
use reeve_connect_aws_ec2::{AwsEc2Fault, Cursor, FaultKind, Place};
use reeve_estate::document::NOT_READ;
use reeve_estate::{
    Described, DescriptionReading, DescriptionSink, ReadOutcome, ResourceId, ResourceKind,
    StoreError,
};
use serde_json::{Value, json};

use super::call;
use super::item;
use super::path;
use super::report;
use super::row::{Ask, DescribeDetail, KindRow, Protocol, Shared};
use super::shared::{SharedAnswer, take};
use crate::session::AwsConnection;

/// Reason for which reading a kind ended early.
pub(super) enum DescribeHalt {
    /// A call to the provider failed.
    Fault(AwsEc2Fault),
    /// The store that takes the descriptions failed.
    Store(StoreError),
}

impl From<AwsEc2Fault> for DescribeHalt {
    fn from(fault: AwsEc2Fault) -> Self {
        DescribeHalt::Fault(fault)
    }
}

impl From<StoreError> for DescribeHalt {
    fn from(error: StoreError) -> Self {
        DescribeHalt::Store(error)
    }
}

/// One kind in one region.
pub(super) struct DescribeReader<'r> {
    pub(super) aws: &'r AwsConnection,
    pub(super) row: &'static KindRow,
    pub(super) kind: ResourceKind,
    pub(super) place: Place,
    pub(super) sink: &'r dyn DescriptionSink,
    pub(super) seen: u64,
    /// First further or shared call that was denied: the rest of the description is there.
    pub(super) denied: Option<AwsEc2Fault>,
    /// First shared call that failed and is apart from the rest of the description.
    pub(super) left_out: Option<AwsEc2Fault>,
    /// Resource whose description alone is wanted.
    pub(super) only: Option<&'r ResourceId>,
    /// Answers of the shared calls.
    pub(super) shared: Vec<(&'static Shared, SharedAnswer)>,
    /// Number of items that were asked about by calls which are limited.
    pub(super) asked: usize,
}

impl DescribeReader<'_> {
    /// Reads everything and tells the sink how it ended.
    pub(super) async fn run(mut self) -> Result<(), StoreError> {
        let begun_at = Timestamp::now();
        let fault = match self.pages().await {
            Ok(()) => None,
            Err(DescribeHalt::Fault(fault)) => Some(fault),
            Err(DescribeHalt::Store(error)) => return Err(error),
        };
        let now = Timestamp::now();
        let outcome = outcome(fault.as_ref());

        let failure = fault.or(self.denied).or(self.left_out);
        let message = failure
            .as_ref()
            .map_or_else(String::new, |fault| fault.message.clone());
        let region = if self.row.service.is_global {
            String::new()
        } else {
            self.place.region.clone()
        };

        let permission = failure
            .map_or(self.row.list.permission, |fault| fault.operation)
            .to_owned();
        let complete_at = (outcome == ReadOutcome::Complete).then_some(now);
        let (kind, seen) = (self.kind, self.seen);
        let reading = DescriptionReading {
            kind,
            region,
            outcome,
            permission,
            seen,
            message,
            begun_at,
            read_at: now,
            complete_at,
        };

        self.sink.end(reading).await
    }

    /// Reads all pages.
    pub(super) async fn pages(&mut self) -> Result<(), DescribeHalt> {
        let config = self.aws.config(&self.place.region);
        if let Some(prepare) = self.row.prepare {
            self.ask(&config, prepare, &Value::Null).await?;
        }
        for shared in self.row.shared {
            self.share(&config, shared).await?;
        }

        let mut cursor = Cursor::new();
        loop {
            let (send, next) = self.row.next;
            let mut parameters = filled(self.row.list, &Value::Null);
            parameters.extend(cursor.token().map(|token| (send, token)));
            let list = self.row.list;
            let answer = call::ask(
                &config,
                &self.place,
                self.row.service,
                list,
                list.action,
                &parameters,
            )
            .await;
            let answer = match answer {
                Err(fault) if is_among(&fault, self.row.absent) => {
                    let missing = self.described(json!({ "Missing": true }));
                    return self.hand_over(missing.into_iter().collect()).await;
                }
                answer => answer?,
            };
            let page = self.page(&answer).await?;
            self.hand_over(page).await?;
            let token = path::text(&answer, next);
            if !cursor.advance(self.place.call(self.row.list.permission), token.as_deref())? {
                return Ok(());
            }
        }
    }

    async fn hand_over(&mut self, page: Vec<Described>) -> Result<(), DescribeHalt> {
        self.seen += page.len() as u64;
        if !page.is_empty() {
            self.sink.page(page).await?;
        }
        Ok(())
    }

    async fn page(&mut self, answer: &Value) -> Result<Vec<Described>, DescribeHalt> {
        let mut page = Vec::new();
        for found in path::at(answer, self.row.items) {
            let mut item = match found {
                Value::String(text) => json!({ self.row.item_name: text }),
                other => other.clone(),
            };
            if self.is_other(&item) {
                continue;
            }
            for (shared, answer) in &self.shared {
                take(&mut item, shared, answer);
            }
            for item in self.detailed(item).await? {
                page.extend(self.described(item));
            }
        }

        Ok(page)
    }

    /// Returns `true` if an item is known to be another resource than the one that is wanted. Where
    /// further calls name it, it is not known yet.
    fn is_other(&self, item: &Value) -> bool {
        self.only.is_some_and(|only| {
            let known = json!({ "account": self.place.account, "region": self.region_of(item) });
            let id = path::filled(self.row.id, &merged(item, known));
            id.is_some_and(|id| id != only.as_str())
        })
    }

    fn described(&self, item: Value) -> Option<Described> {
        item::described(self.row, self.kind, &self.place, self.aws.regions(), item)
    }

    /// Asks the further calls about an item.
    async fn detailed(&mut self, mut item: Value) -> Result<Vec<Value>, DescribeHalt> {
        if self.row.kind == "credential_report" {
            return Ok(vec![report::read(&item)]);
        }

        let mut items = Vec::new();
        for detail in self.row.details {
            let owner = path::text(&item, detail.owner);
            let is_own = detail.owner.is_empty() || owner.as_ref() == Some(&self.place.account);
            if !is_own || !counted(&mut self.asked, detail.most) {
                continue;
            }
            let config = self.aws.config(&self.region_of(&item));
            match self.detail(&config, detail, &item).await? {
                None => {}
                Some(values) if detail.into.is_empty() => {
                    let mut merged = values.into_iter().map(|value| merged(&item, value));
                    // Several values are several items; the calls after this one are about the
                    // first alone.
                    match merged.next() {
                        Some(first) => {
                            items.extend(merged);
                            item = first;
                        }
                        None => return Ok(Vec::new()),
                    }
                    if item::region(self.row, &item)
                        .is_some_and(|region| !self.aws.regions().contains(&region))
                    {
                        return Ok(Vec::new());
                    }
                }
                Some(values) => put(&mut item, detail, values),
            }
        }

        items.insert(0, item);
        Ok(items)
    }

    /// Returns the values of a further call; `None` if there is nothing of that name. A denied call
    /// leaves a mark.
    async fn detail(
        &mut self,
        config: &SdkConfig,
        detail: &DescribeDetail,
        item: &Value,
    ) -> Result<Option<Vec<Value>>, DescribeHalt> {
        if detail.each.is_empty() {
            return self.answers(config, detail, item).await;
        }

        let mut all = Vec::new();
        for value in path::texts(item, detail.each) {
            let item = merged(item, json!({ "value": value }));
            let answers = self.answers(config, detail, &item).await?;
            let is_hidden = |values: &Vec<Value>| values.iter().any(|value| value == NOT_READ);
            if answers.as_ref().is_some_and(is_hidden) {
                return Ok(answers);
            }
            all.extend(answers.into_iter().flatten());
        }
        Ok(Some(all))
    }

    async fn answers(
        &mut self,
        config: &SdkConfig,
        detail: &DescribeDetail,
        item: &Value,
    ) -> Result<Option<Vec<Value>>, DescribeHalt> {
        let answer = match self.ask(config, detail.ask, item).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(None),
            // That there is none is known too.
            Err(fault) if is_among(&fault, detail.absent) => {
                return Ok(detail.is_list.then(Vec::new));
            }
            Err(fault) if fault.kind == FaultKind::Denied => {
                self.denied.get_or_insert(fault);
                let unread = !detail.into.is_empty();
                return Ok(unread.then(|| vec![Value::String(NOT_READ.to_owned())]));
            }
            Err(fault) => return Err(fault.into()),
        };
        Ok(Some(match detail.from {
            "" => vec![answer],
            from => path::at(&answer, from).into_iter().cloned().collect(),
        }))
    }

    /// Asks a call with its templates filled in by an item; `None` if the item lacks a member that
    /// the call needs.
    async fn ask(
        &self,
        config: &SdkConfig,
        ask: Ask,
        item: &Value,
    ) -> Result<Option<Value>, AwsEc2Fault> {
        let parameters = filled(ask, item);
        let action = match self.row.service.protocol {
            Protocol::Rest => path::filled(ask.action, &escaped(item)),
            _ => Some(ask.action.to_owned()),
        };

        match action {
            Some(action) if parameters.len() == ask.parameters.len() => call::ask(
                config,
                &self.place,
                self.row.service,
                ask,
                &action,
                &parameters,
            )
            .await
            .map(Some),
            _ => Ok(None),
        }
    }

    fn region_of(&self, item: &Value) -> String {
        item::region(self.row, item).unwrap_or_else(|| self.place.region.clone())
    }
}

/// Counts an item of a call that is limited; `false` if enough were asked about.
fn counted(asked: &mut usize, most: usize) -> bool {
    if most == usize::MAX {
        return true;
    }
    *asked += 1;
    *asked <= most
}

/// Returns how a reading ended, by the call that failed.
pub(super) fn outcome(fault: Option<&AwsEc2Fault>) -> ReadOutcome {
    match fault.map(|fault| fault.kind) {
        None => ReadOutcome::Complete,
        Some(FaultKind::Denied) => ReadOutcome::Denied,
        Some(FaultKind::Throttled) => ReadOutcome::Throttled,
        Some(_) => ReadOutcome::Failed,
    }
}

pub(super) fn is_among(fault: &AwsEc2Fault, codes: &[&str]) -> bool {
    fault
        .code
        .as_deref()
        .is_some_and(|code| codes.contains(&code))
}

pub(super) fn filled(ask: Ask, item: &Value) -> Vec<(&'static str, String)> {
    ask.parameters
        .iter()
        .filter_map(|(name, template)| Some((*name, path::filled(template, item)?)))
        .collect()
}

/// The texts of an item, encoded as parts of a path.
fn escaped(item: &Value) -> Value {
    let members = item.as_object().into_iter().flatten();
    let texts = members
        .filter_map(|(name, value)| Some((name.clone(), json!(escaped_text(value.as_str()?)))));
    Value::Object(texts.collect())
}

fn merged(item: &Value, value: Value) -> Value {
    match (item.clone(), value) {
        (Value::Object(mut members), Value::Object(more)) => {
            members.extend(more);
            Value::Object(members)
        }
        (item, _) => item,
    }
}

/// Puts the values of a further call into an item.
fn put(item: &mut Value, detail: &DescribeDetail, mut values: Vec<Value>) {
    let value = match values.len() {
        0 if detail.is_list => Value::Array(Vec::new()),
        0 => return,
        // An empty element of XML is an empty text.
        1 if detail.is_list && values[0] == "" => Value::Array(Vec::new()),
        // A call that was denied leaves a mark in the place of a list too.
        1 if !detail.is_list || values[0].is_string() => values.swap_remove(0),
        _ => Value::Array(values),
    };
    if let Value::Object(members) = item {
        members.insert(detail.into.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::{ask, list};
    use super::*;

    #[test]
    fn a_limited_call_asks_about_the_first_items_alone() {
        let mut asked = 0;
        let found: Vec<bool> = (0..4).map(|_| counted(&mut asked, 2)).collect();
        assert_eq!(found, [true, true, false, false]);
        assert!(counted(&mut asked, usize::MAX), "a call without a limit");
    }

    #[test]
    fn a_list_stays_one_whatever_its_length() {
        let detail = list("l", ask("x:Y", "Y", &[]), "", &[]);
        for (values, expect) in [
            (vec![], json!({ "l": [] })),
            (vec![json!("")], json!({ "l": [] })),
            (vec![json!(NOT_READ)], json!({ "l": NOT_READ })),
            (vec![json!({ "a": 1 })], json!({ "l": [{ "a": 1 }] })),
            (vec![json!({}), json!({})], json!({ "l": [{}, {}] })),
        ] {
            let mut item = json!({});
            put(&mut item, &detail, values);
            assert_eq!(item, expect);
        }
    }
}
