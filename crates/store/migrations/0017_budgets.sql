-- Budgets, how each stands, and the thresholds that were reached.

CREATE TABLE budgets (
    id            TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    name          TEXT COLLATE "binary" NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    document      TEXT NOT NULL,
    -- How it stands; nothing until it has been evaluated since its last change.
    standing      TEXT
);

-- One a budget, period, threshold and amount, whoever notices it and however often.
CREATE TABLE budget_alerts (
    id           TEXT COLLATE "binary" NOT NULL PRIMARY KEY,
    budget_id    TEXT COLLATE "binary" NOT NULL,
    period_start TEXT COLLATE "binary" NOT NULL,
    basis        TEXT COLLATE "binary" NOT NULL,
    percent      BIGINT NOT NULL,
    -- A budget whose amount is changed has other thresholds.
    amount       TEXT COLLATE "binary" NOT NULL,
    raised_at_ms BIGINT NOT NULL,
    recorded     BIGINT NOT NULL,
    document     TEXT NOT NULL,
    UNIQUE (budget_id, period_start, basis, percent, amount)
);
CREATE INDEX budget_alerts_newest ON budget_alerts (raised_at_ms, id);
