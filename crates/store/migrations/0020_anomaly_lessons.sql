-- What anomalies turned out to be, by people's answers and by the outcome of their remedies.

CREATE TABLE anomaly_lessons (
    anomaly_id TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    at_ms      BIGINT NOT NULL,
    document   TEXT NOT NULL
);
CREATE INDEX anomaly_lessons_at ON anomaly_lessons (at_ms);
