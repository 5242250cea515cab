-- Whether a list lies as a file, beside the document, so that nobody has to read a list of megabytes to ask.

ALTER TABLE threat_lists ADD COLUMN from_file BIGINT NOT NULL DEFAULT 0;
-- A quote inside a list's text is escaped, so that only the document's own member reads like this.
UPDATE threat_lists SET from_file = 1 WHERE document LIKE '%"from_file":true%';
