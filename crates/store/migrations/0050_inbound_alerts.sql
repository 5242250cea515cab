-- Alerts of other tools, and the sources that push them.

CREATE TABLE alert_sources (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    token_hash    TEXT COLLATE "binary" NOT NULL UNIQUE,
    secret        TEXT,
    document      TEXT NOT NULL,
    state         TEXT
);

CREATE TABLE inbound_alerts (
    id             TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    source_id      TEXT COLLATE "binary" NOT NULL,
    status         TEXT NOT NULL,
    cause          TEXT COLLATE "binary" NOT NULL,
    verdict        TEXT,
    received_at_ms BIGINT NOT NULL,
    last_at_ms     BIGINT NOT NULL,
    callback_at_ms BIGINT,
    version        BIGINT NOT NULL,
    document       TEXT NOT NULL
);
CREATE INDEX inbound_alerts_newest ON inbound_alerts (last_at_ms);
CREATE INDEX inbound_alerts_of_source ON inbound_alerts (source_id, last_at_ms);
CREATE INDEX inbound_alerts_of_cause ON inbound_alerts (source_id, cause, last_at_ms);
CREATE INDEX inbound_alerts_callbacks ON inbound_alerts (callback_at_ms) WHERE callback_at_ms IS NOT NULL;

-- Which alert stands for which alert of a sender: several reports of one cause are one alert.
CREATE TABLE inbound_alert_reports (
    source_id TEXT COLLATE "binary" NOT NULL,
    sender_id TEXT COLLATE "binary" NOT NULL,
    alert_id  TEXT COLLATE "binary" NOT NULL,
    PRIMARY KEY (source_id, sender_id)
);
