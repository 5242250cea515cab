-- State of the alert evaluator as deltas and snapshots in place of a row for each group, and the rules that met a bound.

-- Base64. One row for each step of the evaluator in which a rule took an entry, until the next snapshot.
CREATE TABLE alert_deltas (
    next_sequence BIGINT NOT NULL PRIMARY KEY,
    body          TEXT NOT NULL
);

-- Base64. The whole state in parts.
CREATE TABLE alert_snapshot (
    part BIGINT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL
);

CREATE TABLE alert_degraded (
    rule_id  TEXT COLLATE "binary" NOT NULL,
    revision BIGINT NOT NULL,
    bound    TEXT NOT NULL,
    since_ms BIGINT NOT NULL,
    at_ms    BIGINT NOT NULL,
    PRIMARY KEY (rule_id, revision)
);
