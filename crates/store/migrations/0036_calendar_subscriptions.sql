-- State of a calendar's subscription: when its address was read, and what came of it. The schedule's, and no change of the calendar.

ALTER TABLE calendars ADD COLUMN refresh TEXT;
