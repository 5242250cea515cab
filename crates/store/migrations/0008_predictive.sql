-- Predictive rules, the forecasts they decided on, and the calendars they know events from.

CREATE TABLE predictive_rules (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    -- When it was evaluated and what came of it: the schedule's, and no change of the rule.
    evaluated_at_ms BIGINT,
    last_result     TEXT
);

CREATE TABLE predictions (
    id       TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    rule_id  TEXT COLLATE "binary" NOT NULL REFERENCES predictive_rules (id) ON DELETE CASCADE,
    resource TEXT COLLATE "binary" NOT NULL,
    outcome  TEXT NOT NULL,
    at_ms    BIGINT NOT NULL,
    document TEXT NOT NULL
);
CREATE INDEX predictions_by_rule ON predictions (rule_id, at_ms);
CREATE INDEX predictions_by_time ON predictions (at_ms);

CREATE TABLE calendars (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL
);
