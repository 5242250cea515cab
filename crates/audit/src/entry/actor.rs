//! The actor of an entry: the user, agent or system that performed the action.

use std::net::IpAddr;

use super::ActorType;

/// User, agent or system that performed the action; every member is optional.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Actor {
    /// Type of the actor.
    pub kind: Option<ActorType>,
    /// The id the source knows it by.
    pub id: Option<String>,
    pub email: Option<String>,
    /// The address it came from.
    pub ip_address: Option<IpAddr>,
    /// The program it used.
    pub user_agent: Option<String>,
    /// The session it acted in.
    pub session_id: Option<String>,
}

impl Actor {
    /// A party of this kind and id.
    pub fn new(kind: ActorType, id: impl Into<String>) -> Self {
        Self {
            kind: Some(kind),
            id: Some(id.into()),
            ..Self::default()
        }
    }

    /// A person, by the identifier that the source uses.
    pub fn user(id: impl Into<String>) -> Self {
        Self::new(ActorType::User, id)
    }

    /// One of Reeve's agents.
    pub fn agent(id: impl Into<String>) -> Self {
        Self::new(ActorType::Agent, id)
    }

    /// Reeve itself: type `system`, identifier `reeve`.
    pub fn system() -> Self {
        Self::new(ActorType::System, "reeve")
    }

    /// Sets the e-mail address.
    pub fn with_email(mut self, email: impl Into<String>) -> Self {
        self.email = Some(email.into());
        self
    }

    /// Sets the address it came from.
    pub fn with_ip_address(mut self, ip_address: IpAddr) -> Self {
        self.ip_address = Some(ip_address);
        self
    }

    /// Sets the program it used.
    pub fn with_user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// Sets the session it acted in.
    pub fn with_session_id(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = Some(session_id.into());
        self
    }

    /// Returns `true` if no member is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
