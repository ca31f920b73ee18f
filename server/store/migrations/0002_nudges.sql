-- Replies that neither called a tool nor finished: model calls that are no turns.

CREATE TABLE nudges (
    trajectory_id TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (trajectory_id, position)
);
