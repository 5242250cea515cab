-- Anomalies, each told once: a key is class and place.

CREATE TABLE anomalies (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    key           TEXT COLLATE "binary" NOT NULL,
    class         TEXT NOT NULL,
    status        TEXT NOT NULL,
    place         TEXT COLLATE "binary" NOT NULL,
    started_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    UNIQUE (key, started_at_ms)
);
CREATE INDEX anomalies_by_start ON anomalies (started_at_ms);
CREATE INDEX anomalies_by_status ON anomalies (status);
CREATE INDEX anomalies_by_place ON anomalies (place);
