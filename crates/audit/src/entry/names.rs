//! Closed lists of names: severity, kind of actor, outcome and way of an action.

use std::fmt;
use std::str::FromStr;

use crate::suggest;

/// A name that is not in its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// Value that was given.
    pub given: String,
    /// Values that are allowed.
    pub allowed: &'static [&'static str],
}

impl UnknownName {
    /// The allowed name that was probably meant.
    pub fn suggestion(&self) -> Option<&'static str> {
        suggest::closest(&self.given, self.allowed.iter().copied())
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be one of {}", self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownName {}

macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($(#[$vdoc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$vdoc])* $variant,)+ }

        impl $type {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Every name, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, UnknownName> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(UnknownName { given: text.to_owned(), allowed: Self::NAMES }),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

names! {
    /// Severity of an entry, mildest first.
    Severity {
        /// Information without any concern; the default.
        Info = "info",
        /// Worth a look when there is time.
        Low = "low",
        /// Should be looked at.
        Medium = "medium",
        /// Must be looked at soon.
        High = "high",
        /// Must be looked at now.
        Critical = "critical",
    }
}

names! {
    /// Type of an actor.
    ActorType {
        User = "user",
        /// A service of a cloud or of the organisation.
        Service = "service",
        /// Reeve itself, outside its agents.
        System = "system",
        /// One of Reeve's agents.
        Agent = "agent",
        /// Holder of an API key without a user.
        ApiKey = "api_key",
        /// A role that a principal assumed.
        Role = "role",
        /// A caller without credentials.
        Anonymous = "anonymous",
    }
}

names! {
    /// The way an entry came to Reeve.
    SubmitterType {
        /// Reeve wrote it about itself.
        Reeve = "reeve",
        /// With an API token, over HTTP.
        Token = "token",
        /// In a browser session, over HTTP.
        Session = "session",
        /// By a program on Reeve's own machine that writes into the data directory, such as `reeve
        /// audit import`.
        Local = "local",
        /// From a source of entries: with its token, from its queue, or by its listener.
        Source = "source",
    }
}

names! {
    /// Outcome of an action.
    ActionStatus {
        Success = "success",
        /// The action was tried and failed.
        Failed = "failed",
        /// The action was refused.
        Denied = "denied",
        /// The action has begun and has no outcome yet.
        Pending = "pending",
    }
}

names! {
    /// The way an action came in.
    ActionMethod {
        Api = "api",
        /// Through a web console.
        Console = "console",
        /// From a command line.
        Cli = "cli",
        Automation = "automation",
        Webhook = "webhook",
        /// By the system itself.
        System = "system",
        /// Started by a schedule, not by a request.
        Scheduled = "scheduled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back() {
        for severity in Severity::ALL {
            assert_eq!(severity.as_str().parse(), Ok(*severity));
        }

        assert!(Severity::Medium > Severity::Info);

        let wrong = "faild".parse::<ActionStatus>();
        assert_eq!(
            wrong.map_err(|e| (e.suggestion(), e.to_string())),
            Err((
                Some("failed"),
                "must be one of success, failed, denied, pending".into()
            ))
        );

        assert!("Info".parse::<Severity>().is_err());
    }
}
