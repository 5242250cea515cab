-- Who outside is told of what: subscriptions, channels, what is sent to them, and how far the log has been read for it.

CREATE TABLE webhooks (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    secret        TEXT NOT NULL
);

CREATE TABLE notification_channels (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    secret        TEXT NOT NULL
);

CREATE TABLE deliveries (
    id                 TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    target_kind        TEXT NOT NULL,
    target_id          TEXT COLLATE "binary" NOT NULL,
    subject            TEXT COLLATE "binary" NOT NULL,
    status             TEXT NOT NULL,
    created_at_ms      BIGINT NOT NULL,
    next_attempt_at_ms BIGINT,
    finished_at_ms     BIGINT,
    version            BIGINT NOT NULL,
    document           TEXT NOT NULL,
    body               TEXT NOT NULL,
    UNIQUE (target_id, subject)
);
CREATE INDEX deliveries_due ON deliveries (next_attempt_at_ms) WHERE status = 'pending';
CREATE INDEX deliveries_of ON deliveries (target_id, created_at_ms);

CREATE TABLE notices (
    id        TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    subject   TEXT COLLATE "binary" NOT NULL UNIQUE,
    due_at_ms BIGINT NOT NULL,
    at_ms     BIGINT NOT NULL,
    document  TEXT NOT NULL
);
CREATE INDEX notices_due ON notices (due_at_ms);

-- One row: the next sequence to look at.
CREATE TABLE outbox (
    id            BIGINT NOT NULL PRIMARY KEY,
    next_sequence BIGINT NOT NULL
);
