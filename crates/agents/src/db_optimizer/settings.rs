//! Settings of `db_optimizer`.

use crate::settings::settings;

settings! {
    queries: flag = "query_pattern_analysis.enabled", true, (0.0, 0.0),
        "Whether statements are searched for patterns: top consumers, loops, scans, spills, lock waits";
    indexes: flag = "index_recommendations.enabled", true, (0.0, 0.0),
        "Whether missing, unused, duplicate and redundant indexes are found";
    least_saving: percent = "create_missing_indexes.least_saving", 30.0, (5.0, 95.0),
        "Share of its statements' cost that a new index must save";
    /// GiB.
    index_budget: count = "create_missing_indexes.storage", 10, (1.0, 10_000.0),
        "Storage that all new indexes of a database may take together, GiB";
    unused_days: days = "remove_unused_indexes.unused_for", 14, (1.0, 365.0),
        "Days without a scan before an index is called unused";
    parameters: flag = "parameter_tuning.enabled", true, (0.0, 0.0),
        "Whether parameters of the server are judged";
    buffer_pool: flag = "adjust_buffer_pool.enabled", true, (0.0, 0.0),
        "Whether shared_buffers and innodb_buffer_pool_size are judged";
    /// GiB.
    memory: count = "parameter_tuning.memory", 0, (0.0, 24_576.0),
        "Memory of the databases' machines, GiB; 0 where it is not known, and buffers are not judged then";
    replicas: flag = "read_replica_suggestions.enabled", true, (0.0, 0.0),
        "Whether read replicas are suggested by the load of statements";
    replica_rate: count = "suggest_read_replicas.above", 1_000, (10.0, 1_000_000.0),
        "Statements a second from which a read replica is suggested";
}
