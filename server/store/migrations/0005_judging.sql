-- What judges and people say beyond verdicts, and what a judge has been asked already.

CREATE TABLE answers (
    key TEXT PRIMARY KEY, -- sha-256 of the judge, its parameters and the question
    body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE calibrations (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE rankings (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE comparisons (
    ranking_id TEXT NOT NULL REFERENCES rankings (id) ON DELETE CASCADE,
    pair TEXT NOT NULL, -- entity, competitors and order, so that none is asked twice
    body TEXT NOT NULL,
    PRIMARY KEY (ranking_id, pair)
) WITHOUT ROWID;

CREATE TABLE judgements (
    kind TEXT NOT NULL, -- what is said: a label, a rating, a failure mode, a hallucination
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    subject TEXT NOT NULL, -- of what: an insight, or an item at a trajectory's level
    said_by TEXT NOT NULL, -- a person or a judge with its parameters
    body TEXT NOT NULL,
    PRIMARY KEY (kind, run_id, subject, said_by)
) WITHOUT ROWID;
