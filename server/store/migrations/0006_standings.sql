-- What the leaderboard shows of a run or a ranking, summed up once. Everything here is derived and can be
-- deleted at any time: it is made anew from the records. `revisions` counts the changes of the records that
-- it was derived from, whoever makes them, so that what is older than the records is never shown.

CREATE TABLE revisions (
    subject TEXT PRIMARY KEY, -- the id of a run or of a ranking
    revision INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE standings (
    subject TEXT PRIMARY KEY,
    revision INTEGER NOT NULL, -- of the subject, when its records were read
    formula TEXT NOT NULL, -- sha-256 of the code that summed them up
    body TEXT NOT NULL
);

INSERT INTO revisions SELECT id, 0 FROM runs;
INSERT INTO revisions SELECT id, 0 FROM rankings;

CREATE TRIGGER run_came AFTER INSERT ON runs BEGIN
    INSERT OR REPLACE INTO revisions VALUES (NEW.id, 0);
END;
CREATE TRIGGER run_changed AFTER UPDATE ON runs BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.id;
END;
CREATE TRIGGER run_went AFTER DELETE ON runs BEGIN
    DELETE FROM revisions WHERE subject = OLD.id;
    DELETE FROM standings WHERE subject = OLD.id;
END;

CREATE TRIGGER trajectory_came AFTER INSERT ON trajectories BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.run_id;
END;
CREATE TRIGGER trajectory_changed AFTER UPDATE ON trajectories BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.run_id;
END;
CREATE TRIGGER trajectory_went AFTER DELETE ON trajectories BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = OLD.run_id;
END;

-- Turns and nudges come while a trajectory is open, and its end is a change of its row: nothing is
-- counted with every turn. They change when they are priced anew.
CREATE TRIGGER turn_changed AFTER UPDATE ON turns BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM trajectories WHERE id = NEW.trajectory_id);
END;
CREATE TRIGGER nudge_changed AFTER UPDATE ON nudges BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM trajectories WHERE id = NEW.trajectory_id);
END;
CREATE TRIGGER insight_came_late AFTER INSERT ON insights
WHEN (SELECT stop_reason FROM trajectories WHERE id = NEW.trajectory_id) IS NOT NULL BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM trajectories WHERE id = NEW.trajectory_id);
END;
CREATE TRIGGER insight_changed AFTER UPDATE ON insights BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM trajectories WHERE id = NEW.trajectory_id);
END;

CREATE TRIGGER evaluation_came AFTER INSERT ON evaluations BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.run_id;
END;
CREATE TRIGGER evaluation_changed AFTER UPDATE ON evaluations BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.run_id;
END;
CREATE TRIGGER evaluation_went AFTER DELETE ON evaluations BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = OLD.run_id;
END;
CREATE TRIGGER verdict_came AFTER INSERT ON verdicts BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM evaluations WHERE id = NEW.evaluation_id);
END;
CREATE TRIGGER verdict_changed AFTER UPDATE ON verdicts BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM evaluations WHERE id = NEW.evaluation_id);
END;
CREATE TRIGGER verdict_went AFTER DELETE ON verdicts BEGIN
    UPDATE revisions SET revision = revision + 1
    WHERE subject = (SELECT run_id FROM evaluations WHERE id = OLD.evaluation_id);
END;

CREATE TRIGGER ranking_came AFTER INSERT ON rankings BEGIN
    INSERT OR REPLACE INTO revisions VALUES (NEW.id, 0);
END;
CREATE TRIGGER ranking_changed AFTER UPDATE ON rankings BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.id;
END;
CREATE TRIGGER ranking_went AFTER DELETE ON rankings BEGIN
    DELETE FROM revisions WHERE subject = OLD.id;
    DELETE FROM standings WHERE subject = OLD.id;
END;
CREATE TRIGGER comparison_came AFTER INSERT ON comparisons BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.ranking_id;
END;
CREATE TRIGGER comparison_changed AFTER UPDATE ON comparisons BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = NEW.ranking_id;
END;
CREATE TRIGGER comparison_went AFTER DELETE ON comparisons BEGIN
    UPDATE revisions SET revision = revision + 1 WHERE subject = OLD.ranking_id;
END;
