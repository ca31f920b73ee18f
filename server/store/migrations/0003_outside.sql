-- Agents from outside: what they were given, what they called, and what else they said.

CREATE TABLE seats (
    path TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    token_hash TEXT NOT NULL,
    place INTEGER NOT NULL DEFAULT 0, -- which of its keys is explored now
    trajectory_id TEXT REFERENCES trajectories (id) ON DELETE SET NULL, -- NULL until there was contact
    heard_at REAL, -- of the last message, seconds since 1970
    is_closed INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL,
    UNIQUE (run_id, position)
) WITHOUT ROWID;

CREATE TABLE calls (
    trajectory_id TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    turn INTEGER, -- NULL for a call that explores nothing
    worker TEXT, -- the process that works on it; NULL once it is answered
    started_at REAL NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (trajectory_id, position)
);

CREATE INDEX calls_by_turn ON calls (trajectory_id, turn);
CREATE INDEX calls_beside ON calls (trajectory_id) WHERE turn IS NULL;
CREATE INDEX calls_under_way ON calls (trajectory_id) WHERE worker IS NOT NULL;

CREATE TABLE contacts (
    path TEXT NOT NULL REFERENCES seats (path) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    method TEXT NOT NULL,
    client TEXT NOT NULL, -- as JSON; empty where it was not said
    count INTEGER NOT NULL,
    first_at REAL NOT NULL,
    last_at REAL NOT NULL,
    PRIMARY KEY (path, place, method, client)
) WITHOUT ROWID;

CREATE TABLE cancels (
    path TEXT NOT NULL,
    request_id TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (path, request_id)
) WITHOUT ROWID;

CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
) WITHOUT ROWID;
