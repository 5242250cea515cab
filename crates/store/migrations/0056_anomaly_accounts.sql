-- Account of an anomaly, for users whose scope names accounts. The rows of earlier releases are filled from their documents.

ALTER TABLE anomalies ADD COLUMN account TEXT;
CREATE INDEX anomalies_by_account ON anomalies (account);
