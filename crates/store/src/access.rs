//! Users, teams, tokens and sessions: the port [`AccessStore`].

mod session;
mod team;
mod token;
mod user;

use async_trait::async_trait;
use reeve_access::{
    AccessError, AccessSession, AccessStore, ApiToken, Team, TeamId, TokenHash, User, UserId,
};

use crate::database::Store;

type Result<T> = std::result::Result<T, AccessError>;

#[async_trait]
impl AccessStore for Store {
    async fn user_insert(&self, user: &User) -> Result<()> {
        Ok(user::insert(self, user).await?)
    }
    async fn user_update(&self, read: &User, user: &User) -> Result<()> {
        Ok(user::update(self, read, user).await?)
    }
    async fn user_delete(&self, id: &UserId) -> Result<()> {
        Ok(user::delete(self, id).await?)
    }
    async fn user_get(&self, id: &UserId) -> Result<User> {
        Ok(user::get(self, id).await?)
    }
    async fn user_by_email(&self, email: &str) -> Result<User> {
        Ok(user::by_email(self, email).await?)
    }
    async fn user_list(&self) -> Result<Vec<User>> {
        Ok(user::list(self).await?)
    }
    async fn team_insert(&self, team: &Team) -> Result<()> {
        Ok(team::insert(self, team).await?)
    }
    async fn team_update(&self, team: &Team) -> Result<()> {
        Ok(team::update(self, team).await?)
    }
    async fn team_delete(&self, id: &TeamId) -> Result<()> {
        Ok(team::delete(self, id).await?)
    }
    async fn team_list(&self) -> Result<Vec<Team>> {
        Ok(team::list(self).await?)
    }
    async fn team_members(&self, teams: &[TeamId]) -> Result<Vec<User>> {
        Ok(user::of_teams(self, teams).await?)
    }
    async fn token_insert(&self, token: &ApiToken) -> Result<()> {
        Ok(token::insert(self, token).await?)
    }
    async fn token_get(&self, id: &str) -> Result<ApiToken> {
        Ok(token::get(self, id).await?)
    }
    async fn token_by_hash(&self, hash: &TokenHash) -> Result<ApiToken> {
        Ok(token::by_hash(self, hash).await?)
    }
    async fn token_list(&self, user: Option<&UserId>) -> Result<Vec<ApiToken>> {
        Ok(token::list(self, user).await?)
    }
    async fn token_delete(&self, id: &str) -> Result<()> {
        Ok(token::delete(self, id).await?)
    }
    async fn token_touch(&self, id: &str, at_ms: i64) -> Result<()> {
        Ok(token::touch(self, id, at_ms).await?)
    }
    async fn session_insert(&self, session: &AccessSession) -> Result<()> {
        Ok(session::insert(self, session).await?)
    }
    async fn session_by_hash(&self, hash: &TokenHash) -> Result<AccessSession> {
        Ok(session::by_hash(self, hash).await?)
    }
    async fn session_list(&self, user: Option<&UserId>) -> Result<Vec<AccessSession>> {
        Ok(session::list(self, user).await?)
    }
    async fn session_delete(&self, id: &str) -> Result<()> {
        Ok(session::delete(self, id).await?)
    }
    async fn session_expire(&self, now_ms: i64) -> Result<Vec<AccessSession>> {
        Ok(session::expire(self, now_ms).await?)
    }
}
