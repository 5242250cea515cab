-- Reviews of the exceptions of reports: a person's comment, which later runs of the report show. A review outlives its run.

CREATE TABLE report_reviews (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    report_id     TEXT COLLATE "binary" NOT NULL,
    created_at_ms BIGINT NOT NULL,
    document      TEXT NOT NULL
);
CREATE INDEX report_reviews_report ON report_reviews (report_id, created_at_ms);
