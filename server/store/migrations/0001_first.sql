-- Each row is one core record: the columns by which it is found, and the record itself as JSON.
-- Totals are never stored.

CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE trajectories (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    entity_id TEXT NOT NULL,
    trial INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    stop_reason TEXT,
    body TEXT NOT NULL,
    UNIQUE (run_id, entity_id, trial, attempt)
);

CREATE TABLE turns (
    trajectory_id TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (trajectory_id, turn)
);

CREATE TABLE insights (
    trajectory_id TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (trajectory_id, position),
    UNIQUE (trajectory_id, id)
);

CREATE TABLE evaluations (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (run_id, position)
);

CREATE TABLE verdicts (
    evaluation_id TEXT NOT NULL REFERENCES evaluations (id) ON DELETE CASCADE,
    item_id TEXT NOT NULL,
    trajectory_id TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    level TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (evaluation_id, item_id, trajectory_id, level)
);

CREATE INDEX verdicts_by_trajectory ON verdicts (trajectory_id);
