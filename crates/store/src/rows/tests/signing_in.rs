//! Sessions and tokens as earlier programs kept them.

use reeve_access::{AccessSession, ApiToken, Role, SignInMethod, TokenHash, UserId};

use super::*;

fn session(method: SignInMethod) -> AccessSession {
    AccessSession {
        id: "s-1".into(),
        user: UserId("u-1".into()),
        hash: TokenHash::from_secret("s-1"),
        method,
        created_at_ms: 1,
        expires_at_ms: 2,
        ip_address: Some("2001:db8::1".into()),
        user_agent: None,
    }
}

#[test]
fn session_v1() {
    check(
        &session::SessionRow::from(&session(SignInMethod::Password)),
        fixture!("session-v1"),
    );

    let row: session::SessionRow = decode(fixture!("session-v1")).unwrap();
    assert_eq!(
        row.method(),
        SignInMethod::Unknown,
        "how it began was not kept"
    );

    for method in [
        SignInMethod::Password,
        SignInMethod::Token("k-1".into()),
        SignInMethod::Unknown,
    ] {
        let written = encode(&session::SessionRow::from(&session(method.clone()))).unwrap();
        assert_eq!(
            decode::<session::SessionRow>(&written).unwrap().method(),
            method
        );
    }
}

#[test]
fn token_v1() {
    let token = ApiToken {
        id: "k-1".into(),
        user: UserId("u-1".into()),
        name: "ci".into(),
        hash: TokenHash::from_secret("k-1"),
        roles: vec![Role::Operator],
        event_types: vec![],
        parent: None,
        created_at_ms: 1,
        expires_at_ms: None,
        last_used_at_ms: None,
    };
    check(&token::TokenRow::from(&token), fixture!("token-v1"));

    let row: token::TokenRow = decode(fixture!("token-v1")).unwrap();
    assert_eq!((row.roles().unwrap(), row.parent), (token.roles, None));
}
