-- Incident of an anomaly: the anomaly that it began with. Anomalies of earlier releases have none, and are an incident each.

ALTER TABLE anomalies ADD COLUMN incident TEXT;
CREATE INDEX anomalies_by_incident ON anomalies (incident);
