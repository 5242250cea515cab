//! Traits of an entry's parameters, with the same meaning in every cloud.

use reeve_audit::Json;
use reeve_learn::behavior::prior::Meaning;
use reeve_learn::behavior::words::WordClass;
use reeve_learn::behavior::{Trait, Traits};

use super::identity::BehaviorIdentity;
use super::leaves::{self, Leaf};
use super::{BehaviorSource, any_case};

/// Targets from which on they are many.
const MANY: usize = 4;

/// Adds the traits of the parameters.
pub(super) fn read(
    source: &BehaviorSource<'_>,
    identity: &BehaviorIdentity,
    (service, operation): (&str, &str),
    traits: &mut Traits,
) {
    let class = Meaning::from_operation(service, operation).class;
    let guards = matches!(class, WordClass::Watching | WordClass::Safeguard);
    let account = [
        source.account(),
        identity.principal.split(':').next().unwrap_or_default(),
    ];
    let mut reader = Reader::new(traits, account, guards);
    for tree in source.parameters() {
        leaves::each(tree, &mut |leaf| reader.leaf(leaf));
    }

    if reader.targets >= MANY {
        reader.traits.insert(Trait::Many);
    }

    already(source, account, guards, traits);
    whole(source, traits);
    about(source, identity, operation, traits);
}

struct Reader<'a> {
    traits: &'a mut Traits,
    accounts: [&'a str; 2],
    targets: usize,
    ports: Option<f64>,
    /// `true` if the operation concerns monitoring or a protection, whose members named `enable`
    /// switch it.
    guards: bool,
    /// `true` while the statement of the policy being read allows; its effect comes before its
    /// other members.
    allows: bool,
}

impl<'a> Reader<'a> {
    fn new(traits: &'a mut Traits, accounts: [&'a str; 2], guards: bool) -> Self {
        Self {
            traits,
            accounts,
            targets: 0,
            ports: None,
            guards,
            allows: true,
        }
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) {
        // Whom access is taken from is told in the same words as whom it is given to: read as the
        // latter, taking public access away scored as high as giving it.
        if leaf.taken {
            return self.put(Trait::TakesAway);
        }
        match leaf.value {
            Json::String(text) => {
                self.text(leaf, text);
                self.number(leaf, text.parse().ok());
            }
            Json::Number(number) => self.number(leaf, Some(*number)),
            Json::Bool(set) => self.switch(leaf, *set),
            _ => {}
        }
    }

    fn text(&mut self, leaf: &Leaf<'_>, text: &str) {
        let lower = text.to_ascii_lowercase();
        match leaf.name {
            "effect" => self.allows = lower != "deny",
            "instancetype" | "vmsize" | "machinetype" | "instance_type" if costly(&lower) => {
                self.put(Trait::Costly)
            }
            _ => {}
        }

        if lower == "true" || lower == "false" {
            self.switch(leaf, lower == "true");
        }

        if self.allows {
            self.opening(leaf, &lower);
            if self.foreign(leaf, &lower) {
                self.put(Trait::NamesForeignAccount);
            }
        }

        self.state(leaf, &lower);
        if brings_code(leaf) && !text.is_empty() {
            self.put(Trait::BringsCode);
        }
        if leaf.name.contains("customer") && leaf.name.contains("encryption") {
            self.put(Trait::ForeignKey);
        }
        if names_file(leaf.name) && extortion(&lower) {
            self.put(Trait::Extortion);
        }

        self.targets += usize::from(matches!(leaf.name, "names" | "secretidlist"));
        if leaf.name.ends_with("id") || leaf.name.ends_with("ids") || leaf.name.ends_with("idset") {
            self.targets +=
                usize::from(leaf.name.contains("instance") || leaf.name.contains("secret"));
        }
    }

    /// Everybody as receiver; rights to everything.
    fn opening(&mut self, leaf: &Leaf<'_>, text: &str) {
        let principal = leaf.name.contains("principal") || leaf.above.contains("principal");
        let everybody = text.ends_with("/0") && text.contains(['.', ':'])
            || principal
                && !leaf.narrowed
                && matches!(text, "*" | "allusers" | "allauthenticatedusers")
            || leaf.name.contains("accountid") && text == "all"
            || made_public(leaf.name, text)
            || matches!(
                leaf.name,
                "group" | "groups" | "groupnames" | "valuestoadd" | "sourceaddressprefix"
            ) && matches!(text, "all" | "*" | "internet")
            || text.contains("public-read") && leaf.name.contains("acl")
            || text.contains("groups/global/allusers")
            || text.contains("groups/global/authenticatedusers")
            || matches!(text, "allusers" | "allauthenticatedusers");

        if everybody {
            self.put(Trait::OpensToAll);
        }

        let policy = text.rsplit('/').next().unwrap_or(text);
        let admin = leaf.name.contains("policyarn")
            && (policy == "administratoraccess" || policy == "iamfullaccess")
            || leaf.name == "role"
                && (text == "roles/owner"
                    || text == "roles/editor"
                    || text.starts_with("roles/iam.") && text.ends_with("admin"))
            || leaf.name.contains("role")
                && matches!(
                    policy,
                    "owner" | "user access administrator" | "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
                )
            || leaf.name == "action" && matches!(text, "*" | "*:*" | "iam:*");

        if admin {
            self.put(Trait::GivesAdmin);
        }
        if gives_reading(leaf.name, text) {
            self.put(Trait::GivesReading);
        }
    }

    /// Names of an account other than its own, where somebody is let in.
    fn foreign(&self, leaf: &Leaf<'_>, text: &str) -> bool {
        let receiver = [
            "userid",
            "valuestoadd",
            "principal",
            "aws",
            "accountid",
            "accounts",
            "organization",
            "sourceaccount",
            "calleraccount",
        ];

        let named = receiver
            .iter()
            .any(|one| leaf.name.contains(one) || leaf.above.contains("principal"));
        let account = if text.len() == 12 {
            text
        } else {
            text.split(':').nth(4).unwrap_or_default()
        };
        let is_account = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());

        named && is_account && !self.accounts.contains(&account)
    }

    /// A state that a member is set to.
    fn state(&mut self, leaf: &Leaf<'_>, text: &str) {
        let state = [
            "status",
            "state",
            "delete",
            "enforcement",
            "mode",
            "logging",
            "access",
        ];

        if !state.iter().any(|one| leaf.name.contains(one)) {
            return;
        }

        let off = matches!(
            text,
            "suspended" | "disabled" | "off" | "disable" | "none" | "inactive" | "paused"
        );
        let on = matches!(text, "enabled" | "on" | "active");

        if is_public_access(leaf.name) {
            // Of access the direction is the other way round: to switch it off protects.
            return match (on, off) {
                (true, _) => self.put(Trait::OpensToAll),
                (_, true) => self.put(Trait::SwitchesOn),
                _ => {}
            };
        }

        match (on, off) {
            (_, true) => self.put(Trait::SwitchesOff),
            (true, _) => self.put(Trait::SwitchesOn),
            _ if text.is_empty() && leaf.name == "logging" => self.put(Trait::SwitchesOff),
            _ => {}
        }
    }

    fn switch(&mut self, leaf: &Leaf<'_>, set: bool) {
        let name = leaf.name;
        let guards = [
            "logging",
            "multiregion",
            "globalservice",
            "logfilevalidation",
            "versioning",
            "deletionprotection",
            "monitoring",
            "blockpublic",
            "restrictpublic",
            "ignorepublic",
            "managementevents",
            "encrypt",
            "backup",
        ];

        let opens = [
            "publiclyaccessible",
            "allowblobpublicaccess",
            "publicaccess",
        ];

        let destroys = [
            "skipfinalsnapshot",
            "deleteautomatedbackups",
            "forcedeletewithoutrecovery",
            "bypassgovernance",
        ];

        let abroad = ["includepublic", "includeshared"];
        let is = |names: &[&str]| names.iter().any(|one| name.contains(one));

        // `UpdateDetector` says `enable`, a setting of monitoring `isEnabled` or `autoEnable`.
        let enables = self.guards
            && (name.starts_with("enable")
                || name.ends_with("enable")
                || name.ends_with("enabled"));
        if is(&opens) && !name.contains("block") {
            self.put(if set {
                Trait::OpensToAll
            } else {
                Trait::SwitchesOn
            });
        } else if is(&destroys) && set {
            self.put(Trait::NoWayBack);
        } else if is(&abroad) && set {
            self.put(Trait::LooksAbroad);
        } else if is(&guards) || enables {
            self.put(if set {
                Trait::SwitchesOn
            } else {
                Trait::SwitchesOff
            });
        }
    }

    fn number(&mut self, leaf: &Leaf<'_>, number: Option<f64>) {
        let Some(number) = number else { return };
        const REMOTE: [f64; 4] = [22.0, 3389.0, 5985.0, 5986.0];

        let reaches = |from: f64, to: f64| REMOTE.iter().any(|port| (from..=to).contains(port));
        match leaf.name {
            "fromport" => self.ports = Some(number),
            "toport" if reaches(self.ports.unwrap_or(number), number) => {
                self.put(Trait::RemotePort)
            }
            "destinationportrange" | "port" | "ports" if reaches(number, number) => {
                self.put(Trait::RemotePort)
            }
            "maxcount" | "desiredcapacity" | "instancecount" if number >= 20.0 => {
                self.put(Trait::Costly)
            }
            _ => {}
        }
    }

    fn put(&mut self, one: Trait) {
        self.traits.insert(one);
    }
}

/// Takes off the traits that the state before the change already had, and tells an opening that is
/// gone: an entry with both states is judged by their difference.
fn already(source: &BehaviorSource<'_>, accounts: [&str; 2], guards: bool, traits: &mut Traits) {
    const STATES: [Trait; 5] = [
        Trait::OpensToAll,
        Trait::GivesAdmin,
        Trait::NamesForeignAccount,
        Trait::SwitchesOff,
        Trait::Costly,
    ];

    let Some(before) = source.entry.changes.before.as_ref() else {
        return;
    };

    let mut had = Traits::default();
    let mut reader = Reader::new(&mut had, accounts, guards);
    leaves::each(before, &mut |leaf| reader.leaf(leaf));

    for state in STATES.into_iter().filter(|state| had.has(*state)) {
        if traits.has(state) {
            *traits = traits.without(state);
        } else if state == Trait::OpensToAll || state == Trait::NamesForeignAccount {
            traits.insert(Trait::TakesAway);
        }
    }
}

/// Derives the traits that need the parameters as a whole.
fn whole(source: &BehaviorSource<'_>, traits: &mut Traits) {
    for tree in source.parameters() {
        let has = |name: &str| any_case(tree, name).is_some_and(|value| !value.is_empty());
        let permission =
            any_case(tree, "launchPermission").or_else(|| any_case(tree, "createVolumePermission"));
        let adds = permission
            .is_some_and(|given| any_case(given, "add").is_some_and(|added| !added.is_empty()));
        if adds || has("valuesToAdd") {
            traits.insert(Trait::Shares);
        }
        // S3 switches the log of a bucket off by a status without a target.
        if let Some(status) = any_case(tree, "BucketLoggingStatus") {
            let on = any_case(status, "LoggingEnabled").is_some_and(|target| !target.is_empty());
            *traits = traits.without(if on {
                Trait::SwitchesOff
            } else {
                Trait::SwitchesOn
            });
            traits.insert(if on {
                Trait::SwitchesOn
            } else {
                Trait::SwitchesOff
            });
        }
        // Azure's storage and databases let every network in by default, or none.
        if let Some(rules) =
            any_case(tree, "properties").and_then(|all| any_case(all, "networkAcls"))
        {
            match any_case(rules, "defaultAction").and_then(Json::as_str) {
                Some("Allow") => traits.insert(Trait::OpensToAll),
                Some("Deny") => traits.insert(Trait::SwitchesOn),
                _ => {}
            }
        }
        // An empty object in the place of data that the source hides: it was there.
        if any_case(tree, "userData")
            .is_some_and(|value| value.as_object().is_some() || value.as_str().is_some())
        {
            traits.insert(Trait::BringsCode);
        }
        if any_case(tree, "AWSServiceName").is_some() {
            traits.insert(Trait::ForCloudService);
        }
    }
}

/// Tells apart actions on the principal's own identity and on another's.
fn about(
    source: &BehaviorSource<'_>,
    identity: &BehaviorIdentity,
    operation: &str,
    traits: &mut Traits,
) {
    if operation.contains("ServiceLinkedRole") {
        traits.insert(Trait::ForCloudService);
    }

    let named = source
        .parameters()
        .find_map(|tree| any_case(tree, "userName").and_then(Json::as_str));
    match named {
        Some(name) if name == identity.own_name => traits.insert(Trait::OnOwnIdentity),
        Some(_) => traits.insert(Trait::OnOtherIdentity),
        None => {}
    }
}

/// Returns `true` for read-only policies and roles that the cloud itself defines; names chosen by
/// users prove nothing.
fn gives_reading(name: &str, text: &str) -> bool {
    let policy = text
        .split_once(":aws:policy/")
        .map_or("", |(_, path)| path.rsplit('/').next().unwrap_or(path));
    let aws =
        policy.ends_with("readonlyaccess") || matches!(policy, "viewonlyaccess" | "securityaudit");
    let google = text == "roles/browser" || text.starts_with("roles/") && text.ends_with("viewer");
    let azure = text.ends_with("/acdd72a7-3385-48ef-bd42-f606fba81ae7");
    name.contains("policyarn") && aws || name == "role" && google || name.contains("role") && azure
}

/// Returns `true` for a member that lets everybody in when it is on, as `publicNetworkAccess`.
fn is_public_access(name: &str) -> bool {
    name.contains("public")
        && !["block", "prevent", "restrict", "ignore"]
            .iter()
            .any(|one| name.contains(one))
}

/// Returns `true` if a member about visibility or access is set to everybody.
fn made_public(name: &str, text: &str) -> bool {
    let says_who = [
        "visibility",
        "access",
        "acl",
        "exposure",
        "sharing",
        "permission",
        "audience",
    ];

    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let public = matches!(
        plain.as_str(),
        "public" | "publicread" | "publicreadwrite" | "anyone" | "anonymous" | "unauthenticated"
    );
    public && says_who.iter().any(|one| name.contains(one))
        || name.contains("authtype") && text == "none"
}

fn brings_code(leaf: &Leaf<'_>) -> bool {
    let user_data = leaf.name == "userdata"
        || leaf.name == "attribute" && leaf.value.as_str() == Some("userData");
    user_data
        || matches!(
            leaf.name,
            "commands" | "script" | "zipfile" | "layers" | "startup-script" | "commandtoexecute"
        )
        || leaf.above == "userdata"
}

fn names_file(name: &str) -> bool {
    matches!(name, "key" | "object" | "name" | "filename" | "blob")
}

/// The words that extortion notes are named with.
fn extortion(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    has("ransom")
        || has("decrypt") && (has("how") || has("readme") || has("instruction") || has("files"))
        || has("recover") && (has("how_to") || has("your_files") || has("your-files"))
}

/// Machines with accelerators, or whole ones.
fn costly(kind: &str) -> bool {
    let family = kind.split('.').next().unwrap_or(kind);
    let accelerated = ["p", "g", "gr", "inf", "trn", "dl", "vt"]
        .iter()
        .any(|letter| {
            family
                .strip_prefix(letter)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });

    let graviton_only =
        family.len() == 3 && family.ends_with('g') && !family.starts_with(['p', 'g']);
    accelerated && !graviton_only
        || kind.contains("metal")
        || kind.starts_with("standard_n")
        || kind.starts_with("a2-")
        || kind.starts_with("a3-")
}
