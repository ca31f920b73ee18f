-- What Python cells drew. An agent of ours is told in words that it did; people look at the picture itself.

CREATE TABLE figures (
    trajectory_id TEXT NOT NULL REFERENCES trajectories (id) ON DELETE CASCADE,
    place INTEGER NOT NULL, -- of the call among those of its trajectory that drew, from 1
    number INTEGER NOT NULL, -- among the call's figures, from 1
    answer TEXT NOT NULL, -- sha-256 of the call's answer, by which it is found in its turn
    png BLOB NOT NULL,
    PRIMARY KEY (trajectory_id, place, number)
);
