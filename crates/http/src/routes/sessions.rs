//! Signing in and out.
//!
//! Signing in costs an Argon2 hash whether or not the user exists, and is limited per network and
//! per account (`attempts.rs`), so that neither time nor trying tells anything.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use reeve_access::{
    AccessError, AccessSession, Permission, Principal, PrincipalKind, SESSION_PREFIX, Secret,
    SignInMethod, TokenHash, User, password,
};
use reeve_audit::{FieldCode, ResourceRef, events};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, From};
use crate::guard::{Access, Guarded};
use crate::wire::access::{AuditScopeBody, MeBody, SessionBody, SignIn};
use crate::wire::form::list::List;
use crate::{identify, log_entry, time};

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Public, routes!(sign_in))
        .add(Access::SignedIn, routes!(current, sign_out))
        .add(Access::Needs(Permission::Administer), routes!(list))
}

/// Sign in with e-mail address and password, or with an API token, and get a session cookie. A
/// session made with a token has the token's roles and ends with it.
#[utoipa::path(post, path = "/api/v1/sessions", tag = "access", request_body = SignIn,
    responses((status = 201, body = MeBody), (status = 401, body = ProblemBody), (status = 429, body = ProblemBody)))]
async fn sign_in(
    State(app): State<Arc<App>>,
    from: From,
    Body(body): Body<SignIn>,
) -> Result<Response, Problem> {
    check_lengths(&body)?;
    let network = identify::network(from.origin.ip_address.as_deref());
    let site = identify::site(from.origin.ip_address.as_deref());
    let account = body.email.as_deref().map(str::to_lowercase);
    let admitted = app.sign_ins.on_network(&network, app.now());
    let admitted =
        admitted.and_then(|()| site.map_or(Ok(()), |site| app.sign_ins.on_site(&site, app.now())));
    let admitted = admitted.and_then(|()| match &account {
        Some(account) => app.sign_ins.on_account(account, &network, app.now()),
        None => Ok(()),
    });

    if let Err(seconds) = admitted {
        let entry = log_entry::login_limited(body.email.as_deref(), &from.origin, &from.request_id);
        app.refused(format!("login {network}"), entry).await;
        return Err(too_many(seconds));
    }

    let (user, token) = match verify(&app, &body).await {
        Ok(verified) => verified,
        Err(problem) => {
            // No password was compared: it was not an attempt.
            if problem.status() == StatusCode::TOO_MANY_REQUESTS {
                return Err(problem);
            }
            let reason = if problem.status() == StatusCode::UNAUTHORIZED {
                "wrong credentials"
            } else {
                "malformed request"
            };
            let entry = log_entry::login_refused(
                body.email.as_deref(),
                &from.origin,
                &from.request_id,
                reason,
            );
            app.record(entry).await?;
            return Err(problem);
        }
    };

    let secret = Secret::generate(SESSION_PREFIX).map_err(Problem::internal)?;
    let session = session(&app, &user, token.as_deref(), &secret, &from);
    let entry = log_entry::login(&user, &session, &from.origin, &from.request_id);
    app.access.session_insert(&session).await?;

    // Nobody knows the secret yet: a session that cannot be recorded opens nothing, and goes again.
    if let Err(problem) = app.record(entry).await {
        app.access.session_delete(&session.id).await?;
        return Err(problem);
    }
    if let Some(account) = &account {
        app.sign_ins.succeeded(account, &network, app.now());
    }

    let lasts_s = (session.expires_at_ms - session.created_at_ms) / 1000;
    let principal = identify::by_session(&app, secret.reveal()).await?;
    let principal = principal
        .ok_or_else(|| Problem::new(Code::Unauthenticated, "The session has ended already."))?;
    let me = me(&principal, Some(session.expires_at_ms), app.settings.demo);

    Ok((
        StatusCode::CREATED,
        [cookie(from.is_secure, secret.reveal(), lasts_s)],
        Json(me),
    )
        .into_response())
}

/// Longest e-mail address, bytes (RFC 5321, section 4.5.3.1).
const MAX_EMAIL_BYTES: usize = 254;
/// Longest text that is looked up as a token, bytes.
const MAX_TOKEN_BYTES: usize = 256;

/// Refuses texts that no account and no token has, before anything is kept or computed for them.
fn check_lengths(body: &SignIn) -> Result<(), Problem> {
    let fields = [
        ("email", &body.email, MAX_EMAIL_BYTES),
        ("password", &body.password, password::MAX_BYTES),
        ("token", &body.token, MAX_TOKEN_BYTES),
    ];

    match fields
        .iter()
        .find(|(_, given, most)| given.as_ref().is_some_and(|text| text.len() > *most))
    {
        Some((field, _, most)) => Err(Problem::field(
            *field,
            FieldCode::TooLong,
            format!("must have at most {most} bytes"),
        )),
        None => Ok(()),
    }
}

pub(super) fn too_many(seconds: u64) -> Problem {
    let seconds = seconds.max(1);
    let message =
        format!("Too many sign-in attempts. Try again in {seconds} s, or use an API token.");
    Problem::new(Code::TooManyRequests, message).retry_after(seconds)
}

/// A new session, which does not outlive the token that it was made with.
fn session(
    app: &App,
    user: &User,
    token: Option<&Principal>,
    secret: &Secret,
    from: &From,
) -> AccessSession {
    let now_ms = app.now().as_millisecond();
    let grant = token.and_then(|principal| principal.token.as_ref());
    let longest = now_ms + app.settings.session_s * 1000;

    AccessSession {
        id: uuid::Uuid::now_v7().to_string(),
        user: user.id.clone(),
        hash: TokenHash::from_secret(secret.reveal()),
        method: grant.map_or(SignInMethod::Password, |grant| {
            SignInMethod::Token(grant.id.clone())
        }),
        created_at_ms: now_ms,
        expires_at_ms: grant
            .and_then(|grant| grant.expires_at_ms)
            .map_or(longest, |end| end.min(longest)),
        ip_address: from.origin.ip_address.clone(),
        user_agent: from.origin.user_agent.clone(),
    }
}

/// The user who signs in, and the principal of the token when it was one.
async fn verify(app: &App, body: &SignIn) -> Result<(User, Option<Arc<Principal>>), Problem> {
    let wrong_token = || {
        Problem::new(
            Code::Unauthenticated,
            "The API token is not valid, has expired or was revoked.",
        )
    };

    let wrong = || Problem::new(Code::WrongCredentials, "Check both and try again.");
    match (&body.email, &body.password, &body.token) {
        (None, None, Some(token)) => {
            let principal = identify::by_token(app, token)
                .await
                .map_err(|_| wrong_token())?;
            let user = app
                .access
                .user_get(&principal.user)
                .await
                .map_err(|_| wrong_token())?;
            Ok((user, Some(principal)))
        }
        (Some(email), Some(given), None) => {
            let user = match app.access.user_by_email(&email.to_lowercase()).await {
                Ok(user) => Some(user),
                Err(AccessError::NotFound { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            let hash = user.as_ref().and_then(|user| user.password_hash.clone());
            let given = given.clone();
            let right = app
                .passwords
                .run(move || password::verify(&given, hash.as_deref()))
                .await?;
            user.filter(|user| right && user.is_admitted(app.now().as_millisecond()))
                .map(|user| (user, None))
                .ok_or_else(wrong)
        }
        _ => Err(Problem::field(
            "email",
            FieldCode::MissingField,
            "give email and password, or token",
        )),
    }
}

/// Returns the user who is signed in.
#[utoipa::path(get, path = "/api/v1/sessions/current", tag = "access", responses((status = 200, body = MeBody), (status = 401, body = ProblemBody)))]
async fn current(State(app): State<Arc<App>>, caller: Caller) -> Json<MeBody> {
    Json(me(&caller.principal, None, app.settings.demo))
}

/// Ends the session of the caller.
#[utoipa::path(delete, path = "/api/v1/sessions/current", tag = "access", responses((status = 204)))]
async fn sign_out(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    let resource = ResourceRef::new("session", caller.session.clone().unwrap_or_default());
    let entry = log_entry::did(&caller, &events::LOGOUT, "logout", resource);
    let own = caller
        .session
        .as_deref()
        .filter(|_| caller.kind == PrincipalKind::Session);
    let end = async {
        match own {
            Some(id) => app.access.session_delete(id).await,
            None => Ok(()),
        }
    };

    match app.change(entry, end).await {
        // Another request of the same session was faster.
        Err(problem) if problem.status() == StatusCode::NOT_FOUND => {}
        other => other?,
    }

    // Whichever of the two the browser has.
    let ended = AppendHeaders([cookie(true, "", 0), cookie(false, "", 0)]);
    Ok((StatusCode::NO_CONTENT, ended).into_response())
}

/// Lists the sessions of all users.
#[utoipa::path(get, path = "/api/v1/sessions", tag = "access", responses((status = 200, body = List<SessionBody>)))]
async fn list(State(app): State<Arc<App>>) -> Result<Json<List<SessionBody>>, Problem> {
    let items: Vec<SessionBody> = app
        .access
        .session_list(None)
        .await?
        .into_iter()
        .map(session_body)
        .collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

fn session_body(session: AccessSession) -> SessionBody {
    SessionBody {
        id: session.id,
        user_id: session.user.0,
        created_at: time::text_ms(session.created_at_ms),
        expires_at: time::text_ms(session.expires_at_ms),
        ip_address: session.ip_address,
        user_agent: session.user_agent,
    }
}

/// A `Set-Cookie` header for the session: not for scripts, not for other sites.
fn cookie(is_secure: bool, value: &str, max_age_s: i64) -> (header::HeaderName, String) {
    let (name, secure) = if is_secure {
        (identify::SECURE_COOKIE, "; Secure")
    } else {
        (identify::COOKIE, "")
    };

    let text =
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age_s}{secure}");
    (header::SET_COOKIE, text)
}

/// Permissions that mean something to a caller with a scope.
const IN_SCOPE: [Permission; 8] = [
    Permission::AuditViewAll,
    Permission::AuditViewTeam,
    Permission::AuditViewOwn,
    Permission::AuditSearch,
    Permission::AuditExport,
    Permission::AuditReports,
    Permission::IntelligenceView,
    Permission::EstateView,
];

fn me(principal: &Principal, expires_at_ms: Option<i64>, demo: bool) -> MeBody {
    MeBody {
        id: principal.user.0.clone(),
        email: principal.email.clone(),
        name: principal.name.clone(),
        roles: principal
            .roles
            .iter()
            .map(|role| role.as_str().to_owned())
            .collect(),
        permissions: Permission::ALL
            .iter()
            .filter(|permission| principal.may(**permission))
            .filter(|permission| principal.scope.is_none() || IN_SCOPE.contains(permission))
            .map(|permission| permission.as_str().to_owned())
            .collect(),
        session_id: principal.session.clone(),
        expires_at: expires_at_ms.map(time::text_ms),
        scope: principal.scope.as_deref().map(AuditScopeBody::from),
        demo,
    }
}
