//! Action of a principal, reduced to the facts that behavior analysis reads.

/// One event: who did what to which resource, from where, when, with which outcome.
///
/// Texts may be empty where nothing is known; nothing is then concluded from them. `service` and
/// `operation` are as their source calls them (`iam`, `CreateAccessKey`;
/// `Microsoft.Storage/storageAccounts`, `listKeys/action`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActivityEvent {
    /// Time of the action, in milliseconds since the epoch.
    pub at_ms: i64,
    /// Identifier of the principal, the same for all of its actions.
    pub principal: String,
    /// Kind of the principal.
    pub kind: BehaviorPrincipalKind,
    /// The group whose members do similar things: a role, a team, the users of an account.
    pub peers: String,
    /// The service it was asked of.
    pub service: String,
    /// The operation, as the service calls it.
    pub operation: String,
    /// Kind of the resource, such as `virtual_machine`.
    pub resource_kind: String,
    pub resource: String,
    /// From where, and in which region.
    pub place: BehaviorPlace,
    /// The program that was used.
    pub tool: String,
    /// The principal that this event makes its doer become (a role that is assumed).
    pub becomes: String,
    /// Outcome of the action.
    pub outcome: BehaviorOutcome,
    /// Coarse properties of the action's parameters.
    pub traits: Traits,
}

/// Network from which an action came and region in which it took place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BehaviorPlace {
    /// Prefix of the address it came from: `/24` of IPv4, `/48` of IPv6; empty when it is not
    /// known.
    pub network: String,
    /// `true` if the source address is public.
    pub public: bool,
    /// The region it was done in.
    pub region: String,
    /// The country it came from, as its source says; empty where it does not. Nothing is looked up.
    pub country: String,
}

/// Kind of a party.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum BehaviorPrincipalKind {
    #[default]
    Unknown,
    /// The owner of an account, who may do everything.
    Root,
    /// A person, or whoever has a person's key.
    Person,
    /// Whoever has taken on a role.
    Role,
    /// A program of the organisation.
    Program,
    /// The cloud itself, or a service of it.
    Service,
    /// The source names no principal.
    Anonymous,
}

impl BehaviorPrincipalKind {
    /// Returns the noun for this kind in explanations.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Unknown => "principal",
            Self::Root => "account owner",
            Self::Person => "user",
            Self::Role => "role",
            Self::Program => "program",
            Self::Service => "service",
            Self::Anonymous => "anonymous caller",
        }
    }
}

/// Outcome of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BehaviorOutcome {
    #[default]
    Done,
    /// It was refused for want of permission.
    Denied,
    /// It failed for another reason, so that it had no effect.
    Failed,
    /// It was only tried out (a dry run).
    Rehearsed,
}

macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Something that the parameters of an event say, whatever the service.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Trait { $($(#[$doc])* $name,)+ }

        impl Trait {
            /// Every trait, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

traits! {
    /// Opens something to everybody: any address, any principal, public reading.
    OpensToAll,
    /// Gives rights to administer, or all rights.
    GivesAdmin,
    /// Gives rights of the cloud's own that only read.
    GivesReading,
    /// Names an account other than the one it happens in, as receiver or as trusted.
    NamesForeignAccount,
    /// Shares a copy of data (snapshot, image, object) with somebody.
    Shares,
    /// Brings code or commands that will run.
    BringsCode,
    /// Switches a safeguard off, suspends it, or narrows it.
    SwitchesOff,
    /// Switches a safeguard on.
    SwitchesOn,
    /// Opens a port of remote administration.
    RemotePort,
    /// Signed in without a second factor.
    NoSecondFactor,
    /// Signed in, or acts in a session, with a second factor or through an identity provider.
    SecondFactor,
    /// Uses a key that does not expire.
    LongLivedKey,
    /// Uses credentials that a machine was given.
    MachineCredentials,
    /// Was passed on by a service of the cloud.
    PassedOn,
    /// Is about the doer's own identity.
    OnOwnIdentity,
    /// Is about somebody else's identity.
    OnOtherIdentity,
    /// Asks for things that are public or shared by others.
    LooksAbroad,
    /// Names many targets at once.
    Many,
    /// Asks for machines of a costly kind, or very many.
    Costly,
    /// Encrypts with a key that is not the account's own.
    ForeignKey,
    /// Carries the wording of extortion.
    Extortion,
    /// Destroys what could restore (no last snapshot, backups with it).
    NoWayBack,
    /// Made by the cloud for one of its own services.
    ForCloudService,
    /// Takes away access that somebody had.
    TakesAway,
}

/// A set of traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(u32);

impl Traits {
    /// Adds a trait; a second time changes nothing.
    pub fn insert(&mut self, one: Trait) {
        self.0 |= 1 << one as u32;
    }

    /// Returns `true` if the set contains the trait.
    pub fn has(self, one: Trait) -> bool {
        self.0 & (1 << one as u32) != 0
    }

    /// The set with one more.
    pub fn with(mut self, one: Trait) -> Self {
        self.insert(one);
        self
    }

    /// The set without one.
    pub fn without(self, one: Trait) -> Self {
        Self(self.0 & !(1 << one as u32))
    }
}

impl FromIterator<Trait> for Traits {
    fn from_iter<I: IntoIterator<Item = Trait>>(traits: I) -> Self {
        traits.into_iter().fold(Self::default(), Self::with)
    }
}
