-- How much the calls of a seat's trajectory take together, all but the latest one's.

ALTER TABLE seats ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
