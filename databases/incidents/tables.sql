-- The tables as an agent sees them; databases/incidents/builder.py fills them.

CREATE TABLE teams (
    team_id VARCHAR NOT NULL,
    team_name VARCHAR NOT NULL,
    site VARCHAR NOT NULL,
    cover VARCHAR NOT NULL
);
CREATE TABLE agents (
    agent_id VARCHAR NOT NULL,
    team_id VARCHAR NOT NULL,
    grade VARCHAR NOT NULL,
    weekly_hours INTEGER NOT NULL
);
CREATE TABLE categories (
    category_id VARCHAR NOT NULL,
    category_name VARCHAR NOT NULL,
    target_days INTEGER NOT NULL
);
CREATE TABLE incidents (
    incident_number BIGINT NOT NULL,
    team_id VARCHAR NOT NULL,
    agent_id VARCHAR NOT NULL,
    category_id VARCHAR NOT NULL,
    opened_at TIMESTAMP NOT NULL,
    priority INTEGER NOT NULL,
    channel VARCHAR NOT NULL,
    first_response_min INTEGER NOT NULL,
    resolution_days DOUBLE,
    reopen_count INTEGER NOT NULL,
    satisfaction INTEGER,
    summary VARCHAR NOT NULL
);
CREATE TABLE changes (
    change_number BIGINT NOT NULL,
    team_id VARCHAR NOT NULL,
    category_id VARCHAR NOT NULL,
    carried_out_on DATE NOT NULL,
    outcome VARCHAR NOT NULL,
    downtime_min INTEGER
);

COMMENT ON TABLE teams IS 'Service teams. One row per team.';
COMMENT ON COLUMN teams.team_id IS 'Identifies the team; agents, incidents and changes refer to it.';
COMMENT ON COLUMN teams.team_name IS 'Name of the team.';
COMMENT ON COLUMN teams.site IS 'Where the team works.';
COMMENT ON COLUMN teams.cover IS 'When it is on duty: office hours, or around the clock.';

COMMENT ON TABLE agents IS 'People who work on incidents, without their names. One row per agent; an agent belongs to one team.';
COMMENT ON COLUMN agents.agent_id IS 'Identifies the agent; incidents.agent_id refers to it.';
COMMENT ON COLUMN agents.team_id IS 'Team of the agent; refers to teams.team_id.';
COMMENT ON COLUMN agents.grade IS 'Experience: junior, senior or lead.';
COMMENT ON COLUMN agents.weekly_hours IS 'Contracted working time in hours per week.';

COMMENT ON TABLE categories IS 'Kinds of incidents and changes. One row per category.';
COMMENT ON COLUMN categories.category_id IS 'Identifies the category; incidents.category_id and changes.category_id refer to it.';
COMMENT ON COLUMN categories.category_name IS 'What the incident or change is about.';
COMMENT ON COLUMN categories.target_days IS 'Time within which an incident of this category should be resolved, in days.';

COMMENT ON TABLE incidents IS 'Incidents that were reported in one year. One row per incident, sorted by team and time.';
COMMENT ON COLUMN incidents.incident_number IS 'Identifies the incident; a running number.';
COMMENT ON COLUMN incidents.team_id IS 'Team that handled it; refers to teams.team_id.';
COMMENT ON COLUMN incidents.agent_id IS 'Agent who handled it; refers to agents.agent_id.';
COMMENT ON COLUMN incidents.category_id IS 'What it is about; refers to categories.category_id.';
COMMENT ON COLUMN incidents.opened_at IS 'When it was reported, local time of the team.';
COMMENT ON COLUMN incidents.priority IS 'Urgency from 1 (critical) to 4 (low).';
COMMENT ON COLUMN incidents.channel IS 'How it was reported.';
COMMENT ON COLUMN incidents.first_response_min IS 'Time from the report to the first answer, in minutes.';
COMMENT ON COLUMN incidents.resolution_days IS 'Time to resolution: from the report until it was resolved, in days. NULL = still open when the data were taken.';
COMMENT ON COLUMN incidents.reopen_count IS 'How often it was opened again after it had been resolved; 0 = never.';
COMMENT ON COLUMN incidents.satisfaction IS 'Answer of the person who reported it, from 1 (bad) to 5 (good). NULL = no answer, or still open.';
COMMENT ON COLUMN incidents.summary IS 'What was written when it was reported.';

COMMENT ON TABLE changes IS 'Changes that teams made to the systems they look after. One row per change, sorted by team and day.';
COMMENT ON COLUMN changes.change_number IS 'Identifies the change; a running number.';
COMMENT ON COLUMN changes.team_id IS 'Team that made it; refers to teams.team_id.';
COMMENT ON COLUMN changes.category_id IS 'What was changed; refers to categories.category_id.';
COMMENT ON COLUMN changes.carried_out_on IS 'Day of the change, local date of the team.';
COMMENT ON COLUMN changes.outcome IS 'How it ended: successful, or rolled back.';
COMMENT ON COLUMN changes.downtime_min IS 'How long the system was unavailable because of it, in minutes. NULL = not at all.';
