//! The report of last uses: jobs that are in progress first, several pages, marks where a call is
//! refused. moto has no `GenerateServiceLastAccessedDetails`; the endpoint here refuses what IAM
//! refuses: jobs that were not begun, and principals that do not exist.

use std::sync::Mutex;

use async_trait::async_trait;
use reeve_estate::{
    Described, DescriptionReading, DescriptionSink, Observe, ReadOutcome, StoreError,
};
use serde_json::{Value, json};

use crate::strict::{Answers, answering};
use crate::{connection, open};

const ANN: &str = "arn:aws:iam::123456789012:user/ann";
const WORKER: &str = "arn:aws:iam::123456789012:role/worker";

#[derive(Default)]
struct Kept {
    documents: Mutex<Vec<Value>>,
    readings: Mutex<Vec<DescriptionReading>>,
}

#[async_trait]
impl DescriptionSink for Kept {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        let reports = page
            .iter()
            .filter(|one| one.resource.kind.as_str() == "last_access_report")
            .map(|one| one.document.json().clone());
        self.documents.lock().unwrap().extend(reports);
        Ok(())
    }

    async fn end(&self, reading: DescriptionReading) -> Result<(), StoreError> {
        if reading.kind.as_str() == "last_access_report" {
            self.readings.lock().unwrap().push(reading);
        }
        Ok(())
    }
}

/// Value of a field of a form, without its escapes.
fn field(body: &str, name: &str) -> String {
    let beginning = format!("{name}=");
    let value = body
        .split('&')
        .find_map(|pair| pair.strip_prefix(beginning.as_str()));
    let value = value.unwrap_or_default();
    value.replace("%3A", ":").replace("%2F", "/")
}

fn answer(action: &str, inner: &str) -> String {
    format!("<{action}Response><{action}Result>{inner}</{action}Result></{action}Response>")
}

/// IAM with one user, who has one key, and two roles; `is_denied` refuses the jobs.
fn iam(is_denied: bool) -> Answers {
    let jobs: Mutex<Vec<(String, usize)>> = Mutex::new(Vec::new());
    Box::new(move |action, body, _| {
        let user = format!(
            "<member><UserName>ann</UserName><Arn>{ANN}</Arn><Path>/</Path>\
             <PasswordLastUsed>2026-02-03T04:05:06Z</PasswordLastUsed></member>"
        );
        let role = |arn: &str, path: &str, last: &str| {
            format!(
                "<member><RoleName>r</RoleName><Arn>{arn}</Arn><Path>{path}</Path><RoleLastUsed>{last}</RoleLastUsed></member>"
            )
        };
        let inner = match action {
            "ListUsers" => format!("<Users>{user}</Users><IsTruncated>false</IsTruncated>"),
            "GetAccountAuthorizationDetails" if body.contains("Role") => format!(
                "<RoleDetailList>{}{}</RoleDetailList>",
                role(
                    WORKER,
                    "/",
                    "<LastUsedDate>2026-01-01T10:00:00Z</LastUsedDate>"
                ),
                role(
                    "arn:aws:iam::123456789012:role/aws-service-role/x",
                    "/aws-service-role/x/",
                    ""
                ),
            ),
            "ListAccessKeys" => "<AccessKeyMetadata><member><UserName>ann</UserName>\
                 <AccessKeyId>AKIAANN</AccessKeyId></member></AccessKeyMetadata>"
                .to_owned(),
            "GetAccessKeyLastUsed" => {
                "<AccessKeyLastUsed><LastUsedDate>2026-03-01T00:00:00Z</LastUsedDate>\
                 <ServiceName>s3</ServiceName><Region>us-east-1</Region></AccessKeyLastUsed>"
                    .to_owned()
            }
            "GenerateServiceLastAccessedDetails" if is_denied => return None,
            "GenerateServiceLastAccessedDetails" => {
                let arn = field(body, "Arn");
                if arn != ANN && arn != WORKER {
                    return Some(Err((404, "NoSuchEntity")));
                }
                let mut jobs = jobs.lock().unwrap();
                jobs.push((arn, 0));
                format!("<JobId>job-{}</JobId>", jobs.len() - 1)
            }
            "GetServiceLastAccessedDetails" => {
                let job = field(body, "JobId");
                let number = job
                    .strip_prefix("job-")
                    .and_then(|n| n.parse::<usize>().ok());
                let mut jobs = jobs.lock().unwrap();
                let Some((arn, polls)) = number.and_then(|number| jobs.get_mut(number)) else {
                    return Some(Err((404, "NoSuchEntity")));
                };
                *polls += 1;
                let service = |name: &str, last: &str| {
                    format!(
                        "<member><ServiceName>{name}</ServiceName><ServiceNamespace>{name}</ServiceNamespace>{last}</member>"
                    )
                };
                let used = "<LastAuthenticated>2026-02-20T11:12:13Z</LastAuthenticated>";
                match (*polls, field(body, "Marker").as_str(), arn.as_str()) {
                    (1, ..) => "<JobStatus>IN_PROGRESS</JobStatus>".to_owned(),
                    (_, "", WORKER) => format!(
                        "<JobStatus>COMPLETED</JobStatus><ServicesLastAccessed>{}{}</ServicesLastAccessed><Marker>more</Marker>",
                        service("s3", used),
                        service("sqs", "")
                    ),
                    (_, "more", WORKER) | (_, "", ANN) => format!(
                        "<JobStatus>COMPLETED</JobStatus><ServicesLastAccessed>{}</ServicesLastAccessed>",
                        service("ec2", used)
                    ),
                    _ => return Some(Err((400, "InvalidInput"))),
                }
            }
            _ => return None,
        };
        Some(Ok(answer(action, &inner)))
    })
}

async fn read(is_denied: bool) -> (Vec<Value>, DescriptionReading) {
    let endpoint = answering(iam(is_denied)).await;
    let kept = Kept::default();
    let connection = connection(&endpoint, &["us-east-1"]);
    open(&connection).await.describe(&kept).await.unwrap();
    let reading = kept.readings.into_inner().unwrap().remove(0);
    (kept.documents.into_inner().unwrap(), reading)
}

#[tokio::test]
async fn jobs_are_awaited_and_their_pages_joined() {
    let (documents, reading) = read(false).await;
    assert_eq!(
        (reading.outcome, reading.message.as_str()),
        (ReadOutcome::Complete, "")
    );
    let expect = json!({
        "Principals": {
            ANN: { "LastUsed": "2026-03-01", "Services": { "ec2": "2026-02-20" } },
            WORKER: { "LastUsed": "2026-01-01", "Services": { "s3": "2026-02-20", "ec2": "2026-02-20" } },
        },
        "AccessKeys": { "AKIAANN": { "UserName": "ann", "LastUsed": "2026-03-01" } },
    });
    assert_eq!(documents, [expect]);
}

#[tokio::test]
async fn services_that_were_not_read_are_marked_and_not_taken_for_unused() {
    let (documents, reading) = read(true).await;
    assert_eq!(
        (reading.outcome, reading.permission.as_str()),
        (
            ReadOutcome::Complete,
            "iam:GenerateServiceLastAccessedDetails"
        )
    );
    for principal in [ANN, WORKER] {
        assert_eq!(
            documents[0]["Principals"][principal]["Services"],
            "[not read]"
        );
    }
    assert_eq!(
        documents[0]["AccessKeys"]["AKIAANN"]["LastUsed"],
        "2026-03-01"
    );
}
