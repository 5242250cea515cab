//! Settings of `storage_optimizer`.

use crate::settings::settings;

settings! {
    history_days: days = "analyze_use.history", 30, (14.0, 90.0),
        "Days of samples that a judgement looks at";
    measured_days: days = "analyze_use.measured", 10, (7.0, 60.0),
        "Days that must have been measured before anything is proposed";
    headroom_percent: percent = "analyze_use.headroom", 30.0, (10.0, 300.0),
        "Share by which the new performance exceeds the highest measured use";
    convert_gp2: flag = "convert_gp2.enabled", true, (0.0, 0.0),
        "Whether gp2 volumes are proposed as gp3";
    convert_provisioned: flag = "convert_provisioned.enabled", true, (0.0, 0.0),
        "Whether io1 and io2 volumes are proposed as gp3 where their use allows it";
    accept_lower_durability: flag = "convert_provisioned.accept_lower_durability", false, (0.0, 0.0),
        "Whether io2 volumes (durability 99.999 %) may become gp3 (99.8 %)";
    reduce_provisioned: flag = "reduce_provisioned.enabled", true, (0.0, 0.0),
        "Whether less provisioned performance is proposed for gp3 volumes";
    shrink: flag = "shrink_volumes.enabled", true, (0.0, 0.0),
        "Whether it is advised to move the data of hardly used volumes to smaller ones";
    shrink_below_percent: percent = "shrink_volumes.used_below", 40.0, (5.0, 60.0),
        "Share of a volume that was in use at most, for the advice to be given";
    shrink_headroom_percent: percent = "shrink_volumes.headroom", 50.0, (20.0, 300.0),
        "Share by which the smaller volume exceeds the forecast use";
    clean_snapshots: flag = "clean_snapshots.enabled", true, (0.0, 0.0),
        "Whether the deletion of old snapshots is proposed";
    snapshot_days: days = "clean_snapshots.older_than", 90, (7.0, 3650.0),
        "Days after which a snapshot is old";
    keep_newest: count = "clean_snapshots.keep_newest", 1, (1.0, 100.0),
        "Newest snapshots of each volume that are kept however old they are";
    keep_of_deleted: count = "clean_snapshots.keep_of_deleted", 1, (0.0, 100.0),
        "Newest snapshots that are kept of a volume that no longer exists; 0 deletes the last copy of its data";
    abort_uploads: flag = "abort_uploads.enabled", true, (0.0, 0.0),
        "Whether a rule that aborts incomplete uploads is proposed for buckets without one";
    abort_days: days = "abort_uploads.after", 7, (1.0, 365.0),
        "Days after which the proposed rule aborts an incomplete upload";
    expire_versions: flag = "expire_versions.enabled", true, (0.0, 0.0),
        "Whether a rule that deletes old versions is proposed for versioned buckets without one";
    version_days: days = "expire_versions.after", 90, (7.0, 3650.0),
        "Days after which the proposed rule deletes a version that is no longer current";
    keep_versions: count = "expire_versions.keep_newest", 1, (0.0, 100.0),
        "Newest old versions of each object that the proposed rule keeps however old they are";
    tier_objects: flag = "tier_objects.enabled", true, (0.0, 0.0),
        "Whether a rule that moves rarely read objects to a colder storage class is proposed";
    tier_days: days = "tier_objects.after", 90, (30.0, 365.0),
        "Least age of the objects that the proposed rule moves, in days; ages of 30, 60, 90, 180 and 365 days are compared";
    tier_measured_days: days = "tier_objects.measured", 30, (30.0, 180.0),
        "Days that the access logs must cover before anything is proposed";
    tier_least_savings: count = "tier_objects.least_savings", 1, (0.0, 1_000_000.0),
        "Least saving a month after requests and retrieval, US dollars";
}
