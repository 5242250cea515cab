//! Calls that all items of a listing share: asked once before it, and put into every document.

use std::collections::HashSet;

use aws_config::SdkConfig;
use reeve_connect_aws_ec2::{AwsEc2Fault, Cursor, FaultKind};
use reeve_estate::document::NOT_READ;
use serde_json::Value;

use super::call;
use super::path;
use super::read::{DescribeHalt, DescribeReader, filled, is_among};
use super::row::{Shared, SharedPart};

/// Answer of a shared call, as far as items take it.
pub(super) enum SharedAnswer {
    /// The call was denied.
    Hidden,
    Whole(Value),
    /// Identifiers that the answer lists. Nothing else of it is kept, however many there are.
    Listed(HashSet<String>),
    /// Values of a list, of all pages.
    Values(Vec<Value>),
}

impl DescribeReader<'_> {
    /// Asks a call whose answer all items take. An address that cannot be reached is as good as a
    /// denied call: S3 Control has a host of its own, and the buckets themselves can be read.
    pub(super) async fn share(
        &mut self,
        config: &SdkConfig,
        shared: &'static Shared,
    ) -> Result<(), DescribeHalt> {
        match self.shared_answer(config, shared).await {
            Ok(answer) => self.shared.push((shared, answer)),
            Err(fault) if is_among(&fault, shared.absent) => {}
            Err(fault) if leaves_a_mark(shared, fault.kind) => {
                let told = if shared.is_apart {
                    &mut self.left_out
                } else {
                    &mut self.denied
                };
                told.get_or_insert(fault);
                self.shared.push((shared, SharedAnswer::Hidden));
            }
            Err(fault) => return Err(fault.into()),
        }
        Ok(())
    }

    async fn shared_answer(
        &self,
        config: &SdkConfig,
        shared: &Shared,
    ) -> Result<SharedAnswer, AwsEc2Fault> {
        let (send, next) = shared.next;
        let (place, service, path) = (&self.place, shared.service, shared.ask.action);
        let mut cursor = Cursor::new();
        let (mut ids, mut values) = (HashSet::new(), Vec::new());

        loop {
            let mut parameters = filled(shared.ask, &Value::Null);
            parameters.extend(cursor.token().map(|token| (send, token)));
            let answer = call::ask(config, place, service, shared.ask, path, &parameters).await?;
            match shared.part {
                SharedPart::Whole | SharedPart::First(_) => return Ok(SharedAnswer::Whole(answer)),
                SharedPart::IsListed { listed, .. } => ids.extend(path::texts(&answer, listed)),
                SharedPart::All(listed) | SharedPart::Own { listed, .. } => {
                    values.extend(path::at(&answer, listed).into_iter().cloned());
                }
            }

            let token = path::text(&answer, next);
            if !cursor.advance(place.call(shared.ask.permission), token.as_deref())? {
                return Ok(match shared.part {
                    SharedPart::IsListed { .. } => SharedAnswer::Listed(ids),
                    _ => SharedAnswer::Values(values),
                });
            }
        }
    }
}

/// Returns `true` if documents are read although a shared call of theirs failed. A call that was
/// throttled, or made with a wrong key, would fail for the rest too.
fn leaves_a_mark(shared: &Shared, fault: FaultKind) -> bool {
    match fault {
        FaultKind::Denied | FaultKind::Unreachable => true,
        FaultKind::Throttled | FaultKind::Unauthenticated => false,
        _ => shared.is_apart,
    }
}

/// Puts an item's part of a shared answer into it; a mark if the call was denied.
pub(super) fn take(item: &mut Value, shared: &Shared, answer: &SharedAnswer) {
    let part = match (answer, shared.part) {
        (SharedAnswer::Whole(answer), SharedPart::First(first)) => {
            match path::text(answer, first) {
                Some(text) => Value::String(text),
                None => return,
            }
        }
        (SharedAnswer::Whole(answer), _) => answer.clone(),
        (SharedAnswer::Values(values), SharedPart::Own { of, id, .. }) => {
            let id = path::text(item, id);
            let own = values
                .iter()
                .filter(|value| id.is_some() && path::text(value, of) == id);
            Value::Array(own.cloned().collect())
        }
        (SharedAnswer::Values(values), _) => Value::Array(values.clone()),
        (SharedAnswer::Listed(ids), SharedPart::IsListed { id, .. }) => {
            let Some(id) = path::text(item, id) else {
                return;
            };
            Value::Bool(ids.contains(&id))
        }
        _ => Value::String(NOT_READ.to_owned()),
    };
    if let Value::Object(members) = item {
        members.insert(shared.into.to_owned(), part);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::row::{DescribeService, Protocol, ask};
    use super::*;

    fn shared(part: SharedPart) -> Shared {
        Shared {
            into: "s",
            service: DescribeService {
                name: "x",
                host: "x",
                protocol: Protocol::Rest,
                is_global: false,
            },
            ask: ask("x:Y", "Y", &[]),
            next: ("", ""),
            absent: &[],
            part,
            is_apart: false,
        }
    }

    #[test]
    fn settings_of_a_region_are_read_one_by_one() {
        let together = shared(SharedPart::Whole);
        let apart = Shared {
            is_apart: true,
            ..shared(SharedPart::Whole)
        };
        assert!(leaves_a_mark(&together, FaultKind::Denied));
        assert!(!leaves_a_mark(&together, FaultKind::Broken));
        assert!(leaves_a_mark(&apart, FaultKind::Broken));
        assert!(!leaves_a_mark(&apart, FaultKind::Throttled));

        let none = SharedAnswer::Whole(json!({ "ids": [] }));
        let mut item = json!({});
        take(&mut item, &shared(SharedPart::First("ids")), &none);
        assert_eq!(item, json!({}), "a region without a detector");
    }

    #[test]
    fn an_item_takes_its_part_of_a_shared_answer() {
        let listed = shared(SharedPart::IsListed {
            listed: "set.id",
            id: "id",
        });
        let ids =
            |ids: &[&str]| SharedAnswer::Listed(ids.iter().copied().map(str::to_owned).collect());
        let on = json!({ "on": true });
        let logs = vec![json!({ "network": "b" }), json!({ "network": "c" })];
        for (shared, answer, expect) in [
            (
                &shared(SharedPart::Whole),
                SharedAnswer::Whole(on.clone()),
                on,
            ),
            (
                &shared(SharedPart::Whole),
                SharedAnswer::Hidden,
                json!(NOT_READ),
            ),
            (
                &shared(SharedPart::First("ids")),
                SharedAnswer::Whole(json!({ "ids": ["b", "c"] })),
                json!("b"),
            ),
            (
                &shared(SharedPart::All("logs")),
                SharedAnswer::Values(logs.clone()),
                json!(logs),
            ),
            (
                &shared(SharedPart::Own {
                    listed: "logs",
                    of: "network",
                    id: "id",
                }),
                SharedAnswer::Values(logs.clone()),
                json!([logs[1]]),
            ),
            (&listed, ids(&["a", "c"]), json!(true)),
            (&listed, ids(&["a", "b"]), json!(false)),
            (&listed, SharedAnswer::Hidden, json!(NOT_READ)),
        ] {
            let mut item = json!({ "id": "c" });
            take(&mut item, shared, &answer);
            assert_eq!(item, json!({ "id": "c", "s": expect }));
        }
    }
}
