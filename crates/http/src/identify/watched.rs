//! The access store as the HTTP face uses it: every change of who may do what makes what is
//! remembered of tokens worthless at once, whoever makes it. Nothing else changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use reeve_access::{
    AccessError, AccessSession, AccessStore, ApiToken, Team, TeamId, TokenHash, User, UserId,
};

/// Counter of changes of access rights through this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct WatchedChanges(Arc<AtomicU64>);

impl WatchedChanges {
    /// The number of now. Whatever was read from the store after asking for it is as good as the
    /// number.
    pub(super) fn now(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Counts a change once the write has ended, however it ended: also when whoever asked for it
    /// went away in between.
    fn counted(&self) -> Counted<'_> {
        Counted(self)
    }
}

struct Counted<'a>(&'a WatchedChanges);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// A store whose changes are counted.
pub(crate) struct Watched {
    store: Arc<dyn AccessStore>,
    changes: WatchedChanges,
}

impl Watched {
    pub(crate) fn over(store: Arc<dyn AccessStore>) -> (Arc<dyn AccessStore>, WatchedChanges) {
        let changes = WatchedChanges::default();
        (
            Arc::new(Watched {
                store,
                changes: changes.clone(),
            }),
            changes,
        )
    }
}

#[async_trait]
impl AccessStore for Watched {
    async fn user_insert(&self, user: &User) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.user_insert(user).await
    }

    async fn user_update(&self, read: &User, user: &User) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.user_update(read, user).await
    }

    async fn user_delete(&self, id: &UserId) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.user_delete(id).await
    }

    async fn user_get(&self, id: &UserId) -> Result<User, AccessError> {
        self.store.user_get(id).await
    }

    async fn user_by_email(&self, email: &str) -> Result<User, AccessError> {
        self.store.user_by_email(email).await
    }

    async fn user_list(&self) -> Result<Vec<User>, AccessError> {
        self.store.user_list().await
    }

    async fn team_insert(&self, team: &Team) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.team_insert(team).await
    }

    async fn team_update(&self, team: &Team) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.team_update(team).await
    }

    async fn team_delete(&self, id: &TeamId) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.team_delete(id).await
    }

    async fn team_list(&self) -> Result<Vec<Team>, AccessError> {
        self.store.team_list().await
    }

    async fn team_members(&self, teams: &[TeamId]) -> Result<Vec<User>, AccessError> {
        self.store.team_members(teams).await
    }

    async fn token_insert(&self, token: &ApiToken) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.token_insert(token).await
    }

    async fn token_get(&self, id: &str) -> Result<ApiToken, AccessError> {
        self.store.token_get(id).await
    }

    async fn token_by_hash(&self, hash: &TokenHash) -> Result<ApiToken, AccessError> {
        self.store.token_by_hash(hash).await
    }

    async fn token_list(&self, user: Option<&UserId>) -> Result<Vec<ApiToken>, AccessError> {
        self.store.token_list(user).await
    }

    async fn token_delete(&self, id: &str) -> Result<(), AccessError> {
        let _counted = self.changes.counted();
        self.store.token_delete(id).await
    }

    async fn token_touch(&self, id: &str, at_ms: i64) -> Result<(), AccessError> {
        self.store.token_touch(id, at_ms).await
    }

    async fn session_insert(&self, session: &AccessSession) -> Result<(), AccessError> {
        self.store.session_insert(session).await
    }

    async fn session_by_hash(&self, hash: &TokenHash) -> Result<AccessSession, AccessError> {
        self.store.session_by_hash(hash).await
    }

    async fn session_list(&self, user: Option<&UserId>) -> Result<Vec<AccessSession>, AccessError> {
        self.store.session_list(user).await
    }

    async fn session_delete(&self, id: &str) -> Result<(), AccessError> {
        self.store.session_delete(id).await
    }

    async fn session_expire(&self, now_ms: i64) -> Result<Vec<AccessSession>, AccessError> {
        self.store.session_expire(now_ms).await
    }
}
