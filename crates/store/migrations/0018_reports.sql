-- Reports that people keep, and their runs.

CREATE TABLE reports (
    id             TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name           TEXT COLLATE "binary" NOT NULL UNIQUE,
    next_run_at_ms BIGINT,
    version        BIGINT NOT NULL,
    document       TEXT NOT NULL
);
CREATE INDEX reports_due ON reports (next_run_at_ms) WHERE next_run_at_ms IS NOT NULL;

-- A run outlives its report.
CREATE TABLE report_runs (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    report_id     TEXT COLLATE "binary" NOT NULL,
    kind          TEXT NOT NULL,
    state         TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    touched_at_ms BIGINT NOT NULL,
    ended_at_ms   BIGINT,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    summary       TEXT
);
CREATE INDEX report_runs_report ON report_runs (report_id, created_at_ms);
CREATE INDEX report_runs_created ON report_runs (created_at_ms);
CREATE INDEX report_runs_waiting ON report_runs (created_at_ms) WHERE ended_at_ms IS NULL;
CREATE INDEX report_runs_ended ON report_runs (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
