//! Large accounts.

use serde_json::json;

use super::fixture::*;
use crate::reach::reach;

#[test]
fn a_thousand_principals_are_searched() {
    let mut fixture = Fixture::default();
    let services = [
        "lambda.amazonaws.com",
        "ec2.amazonaws.com",
        "glue.amazonaws.com",
        "ecs-tasks.amazonaws.com",
    ];
    for number in 0..500 {
        let trust = match number % 5 {
            4 => trusting_account(),
            rest => trusting(json!({"Service": services[rest]})),
        };
        let bucket = format!("arn:aws:s3:::bucket-{number}/*");
        let statements = json!([{"Effect": "Allow", "Action": "s3:*", "Resource": bucket}]);
        fixture = fixture.role(&format!("role-{number:03}"), trust, statements, &[]);
    }
    fixture = fixture.admin_role(
        "admin",
        trusting(json!({"Service": "cloudformation.amazonaws.com"})),
    );
    for number in 0..500 {
        let name = format!("user-{number:03}");
        fixture = match number % 10 {
            0 => fixture.user(
                &name,
                json!([]),
                &["arn:aws:iam::aws:policy/PowerUserAccess"],
                &[],
            ),
            1 => fixture.user(
                &name,
                json!([allow(json!([
                    "iam:PassRole",
                    "ec2:*",
                    "lambda:*",
                    "glue:*"
                ]))]),
                &[],
                &[],
            ),
            2 => fixture.user(
                &name,
                json!([]),
                &["arn:aws:iam::aws:policy/ReadOnlyAccess"],
                &[],
            ),
            3 => fixture.user(
                &name,
                json!([allow(json!(["iam:PassRole", "cloudformation:*"]))]),
                &[],
                &[],
            ),
            _ => fixture.user(&name, json!([allow(json!("s3:GetObject"))]), &[], &[]),
        };
    }

    let ways = reach(&fixture.account());
    let admins = ways.iter().filter(|way| way.reaches == "admin");
    assert!(admins.count() >= 50);
}
