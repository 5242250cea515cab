-- Address of a calendar's subscription, sealed with the installation's key: many providers put a secret into it.

ALTER TABLE calendars ADD COLUMN address TEXT;
