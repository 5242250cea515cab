-- Alert rules, their firings, and how far the log has been evaluated for them.

CREATE TABLE alert_rules (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    revision      BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL
);

-- One row: grows with every change of a rule.
CREATE TABLE alert_generation (
    id         BIGINT NOT NULL PRIMARY KEY,
    generation BIGINT NOT NULL
);
INSERT INTO alert_generation (id, generation) VALUES (1, 0);

-- One row: the next sequence to look at, and the latest time of recording seen.
CREATE TABLE alert_progress (
    id            BIGINT NOT NULL PRIMARY KEY,
    next_sequence BIGINT NOT NULL,
    clock_ms      BIGINT
);

-- The values of a group may be longer than an index takes, hence the hash.
CREATE TABLE alert_groups (
    rule_id    TEXT COLLATE "binary" NOT NULL,
    revision   BIGINT NOT NULL,
    group_hash TEXT COLLATE "binary" NOT NULL,
    group_key  TEXT NOT NULL,
    state      TEXT NOT NULL,
    PRIMARY KEY (rule_id, revision, group_hash)
);

CREATE TABLE alert_tallies (
    rule_id    TEXT COLLATE "binary" NOT NULL,
    revision   BIGINT NOT NULL,
    document   TEXT NOT NULL,
    PRIMARY KEY (rule_id, revision)
);

CREATE TABLE alert_firings (
    id             TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    rule_id        TEXT COLLATE "binary" NOT NULL,
    status         TEXT NOT NULL,
    detected_at_ms BIGINT NOT NULL,
    sequence       BIGINT NOT NULL,
    recorded       BIGINT NOT NULL,
    version        BIGINT NOT NULL,
    document       TEXT NOT NULL,
    handling       TEXT NOT NULL,
    first_at_ms    BIGINT NOT NULL,
    last_at_ms     BIGINT NOT NULL,
    entry_count    BIGINT NOT NULL,
    entries        TEXT NOT NULL
);
CREATE INDEX alert_firings_detected ON alert_firings (detected_at_ms, sequence);
CREATE INDEX alert_firings_rule ON alert_firings (rule_id, detected_at_ms);
CREATE INDEX alert_firings_unrecorded ON alert_firings (sequence) WHERE recorded = 0;
