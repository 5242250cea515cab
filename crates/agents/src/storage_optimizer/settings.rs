//! Settings of `storage_optimizer`.

use reeve_recommend::{Setting, SettingValue, Settings};

const HISTORY: Setting = Setting {
    path: "analyze_use.history",
    description: "Days of samples that a judgement looks at",
    default: SettingValue::Days(30),
    range: (14.0, 90.0),
};
const MEASURED: Setting = Setting {
    path: "analyze_use.measured",
    description: "Days that must have been measured before anything is proposed",
    default: SettingValue::Days(10),
    range: (7.0, 60.0),
};
const HEADROOM: Setting = Setting {
    path: "analyze_use.headroom",
    description: "Share by which the new performance exceeds the highest measured use",
    default: SettingValue::Percent(30.0),
    range: (10.0, 300.0),
};
const CONVERT_GP2: Setting = Setting {
    path: "convert_gp2.enabled",
    description: "Whether gp2 volumes are proposed as gp3",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const CONVERT_PROVISIONED: Setting = Setting {
    path: "convert_provisioned.enabled",
    description: "Whether io1 and io2 volumes are proposed as gp3 where their use allows it",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const LOWER_DURABILITY: Setting = Setting {
    path: "convert_provisioned.accept_lower_durability",
    description: "Whether io2 volumes (durability 99.999 %) may become gp3 (99.8 %)",
    default: SettingValue::Flag(false),
    range: (0.0, 0.0),
};
const REDUCE_PROVISIONED: Setting = Setting {
    path: "reduce_provisioned.enabled",
    description: "Whether less provisioned performance is proposed for gp3 volumes",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const SHRINK: Setting = Setting {
    path: "shrink_volumes.enabled",
    description: "Whether it is advised to move the data of hardly used volumes to smaller ones",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const SHRINK_BELOW: Setting = Setting {
    path: "shrink_volumes.used_below",
    description: "Share of a volume that was in use at most, for the advice to be given",
    default: SettingValue::Percent(40.0),
    range: (5.0, 60.0),
};
const SHRINK_HEADROOM: Setting = Setting {
    path: "shrink_volumes.headroom",
    description: "Share by which the smaller volume exceeds the forecast use",
    default: SettingValue::Percent(50.0),
    range: (20.0, 300.0),
};

const CLEAN_SNAPSHOTS: Setting = Setting {
    path: "clean_snapshots.enabled",
    description: "Whether the deletion of old snapshots is proposed",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const SNAPSHOT_AGE: Setting = Setting {
    path: "clean_snapshots.older_than",
    description: "Days after which a snapshot is old",
    default: SettingValue::Days(90),
    range: (7.0, 3650.0),
};
const KEEP_NEWEST: Setting = Setting {
    path: "clean_snapshots.keep_newest",
    description: "Newest snapshots of each volume that are kept however old they are",
    default: SettingValue::Count(1),
    range: (1.0, 100.0),
};
const KEEP_OF_DELETED: Setting = Setting {
    path: "clean_snapshots.keep_of_deleted",
    description: "Newest snapshots that are kept of a volume that no longer exists; 0 deletes the last copy of its data",
    default: SettingValue::Count(1),
    range: (0.0, 100.0),
};
const ABORT_UPLOADS: Setting = Setting {
    path: "abort_uploads.enabled",
    description: "Whether a rule that aborts incomplete uploads is proposed for buckets without one",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const ABORT_AFTER: Setting = Setting {
    path: "abort_uploads.after",
    description: "Days after which the proposed rule aborts an incomplete upload",
    default: SettingValue::Days(7),
    range: (1.0, 365.0),
};
const EXPIRE_VERSIONS: Setting = Setting {
    path: "expire_versions.enabled",
    description: "Whether a rule that deletes old versions is proposed for versioned buckets without one",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const EXPIRE_AFTER: Setting = Setting {
    path: "expire_versions.after",
    description: "Days after which the proposed rule deletes a version that is no longer current",
    default: SettingValue::Days(90),
    range: (7.0, 3650.0),
};
const KEEP_VERSIONS: Setting = Setting {
    path: "expire_versions.keep_newest",
    description: "Newest old versions of each object that the proposed rule keeps however old they are",
    default: SettingValue::Count(1),
    range: (0.0, 100.0),
};

const TIER_OBJECTS: Setting = Setting {
    path: "tier_objects.enabled",
    description: "Whether a rule that moves rarely read objects to a colder storage class is proposed",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
};
const TIER_AFTER: Setting = Setting {
    path: "tier_objects.after",
    description: "Least age of the objects that the proposed rule moves, in days; ages of 30, 60, 90, 180 and 365 days are compared",
    default: SettingValue::Days(90),
    range: (30.0, 365.0),
};
const TIER_MEASURED: Setting = Setting {
    path: "tier_objects.measured",
    description: "Days that the access logs must cover before anything is proposed",
    default: SettingValue::Days(30),
    range: (30.0, 180.0),
};
const TIER_LEAST: Setting = Setting {
    path: "tier_objects.least_savings",
    description: "Least saving a month after requests and retrieval, US dollars",
    default: SettingValue::Count(1),
    range: (0.0, 1_000_000.0),
};

/// All of them.
pub(super) const ALL: &[Setting] = &[
    HISTORY,
    MEASURED,
    HEADROOM,
    CONVERT_GP2,
    CONVERT_PROVISIONED,
    LOWER_DURABILITY,
    REDUCE_PROVISIONED,
    SHRINK,
    SHRINK_BELOW,
    SHRINK_HEADROOM,
    CLEAN_SNAPSHOTS,
    SNAPSHOT_AGE,
    KEEP_NEWEST,
    KEEP_OF_DELETED,
    ABORT_UPLOADS,
    ABORT_AFTER,
    EXPIRE_VERSIONS,
    EXPIRE_AFTER,
    KEEP_VERSIONS,
    TIER_OBJECTS,
    TIER_AFTER,
    TIER_MEASURED,
    TIER_LEAST,
];

/// The settings of one agent, as the rules read them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Thresholds {
    pub(super) history_days: i64,
    pub(super) measured_days: i64,
    pub(super) headroom_percent: f64,
    pub(super) convert_gp2: bool,
    pub(super) convert_provisioned: bool,
    pub(super) accept_lower_durability: bool,
    pub(super) reduce_provisioned: bool,
    pub(super) shrink: bool,
    pub(super) shrink_below_percent: f64,
    pub(super) shrink_headroom_percent: f64,
    pub(super) clean_snapshots: bool,
    pub(super) snapshot_days: i64,
    pub(super) keep_newest: u64,
    pub(super) keep_of_deleted: u64,
    pub(super) abort_uploads: bool,
    pub(super) abort_days: i64,
    pub(super) expire_versions: bool,
    pub(super) version_days: i64,
    pub(super) keep_versions: u64,
    pub(super) tier_objects: bool,
    pub(super) tier_days: i64,
    pub(super) tier_measured_days: i64,
    pub(super) tier_least_savings: u64,
}

impl From<&Settings> for Thresholds {
    fn from(settings: &Settings) -> Self {
        Thresholds {
            history_days: settings.days(&HISTORY),
            measured_days: settings.days(&MEASURED),
            headroom_percent: settings.percent(&HEADROOM),
            convert_gp2: settings.flag(&CONVERT_GP2),
            convert_provisioned: settings.flag(&CONVERT_PROVISIONED),
            accept_lower_durability: settings.flag(&LOWER_DURABILITY),
            reduce_provisioned: settings.flag(&REDUCE_PROVISIONED),
            shrink: settings.flag(&SHRINK),
            shrink_below_percent: settings.percent(&SHRINK_BELOW),
            shrink_headroom_percent: settings.percent(&SHRINK_HEADROOM),
            clean_snapshots: settings.flag(&CLEAN_SNAPSHOTS),
            snapshot_days: settings.days(&SNAPSHOT_AGE),
            keep_newest: settings.count(&KEEP_NEWEST),
            keep_of_deleted: settings.count(&KEEP_OF_DELETED),
            abort_uploads: settings.flag(&ABORT_UPLOADS),
            abort_days: settings.days(&ABORT_AFTER),
            expire_versions: settings.flag(&EXPIRE_VERSIONS),
            version_days: settings.days(&EXPIRE_AFTER),
            keep_versions: settings.count(&KEEP_VERSIONS),
            tier_objects: settings.flag(&TIER_OBJECTS),
            tier_days: settings.days(&TIER_AFTER),
            tier_measured_days: settings.days(&TIER_MEASURED),
            tier_least_savings: settings.count(&TIER_LEAST),
        }
    }
}
