"""The options of `ddr run`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Scenario = Annotated[
    str | None, typer.Option(help="Which scenario to explore.", metavar="SCENARIO")
]
Model = Annotated[
    list[str] | None,
    typer.Option(
        help="provider/name, scripted:FILE or replay:RUN; given again, one more run beside it.",
        metavar="MODEL",
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="An endpoint of your own that the models are asked at.", metavar="URL"),
]
Sampling = Annotated[
    list[str] | None,
    typer.Option(
        help="Handed to the provider: temperature=0,max_tokens=4096.", metavar="KEY=VALUE,..."
    ),
]
InsightModel = Annotated[
    str | None,
    typer.Option(
        help="Writes the message-wise insights; the agent's own unless given.", metavar="MODEL"
    ),
]
AgentName = Annotated[
    str | None,
    typer.Option(
        help="Who explores: react (with a model), profiler, or what a plug-in brings.",
        metavar="AGENT",
    ),
]
Entities = Annotated[
    str | None,
    typer.Option(help="all (the default), sample:N, or ids: 01,02.", metavar="WHICH"),
]
Trials = Annotated[int | None, typer.Option(help="Times per entity; 1 unless given.", metavar="N")]
Concurrency = Annotated[
    int | None,
    typer.Option(
        help="Entities under way at a time, of all models together; 1 unless given.", metavar="N"
    ),
]
Hands = Annotated[
    str | None, typer.Option(help="sql, python or both (the default).", metavar="HANDS")
]
LimitList = Annotated[
    list[str] | None,
    typer.Option(
        help="As max_turns=30,max_seconds=600; none unless given.", metavar="KEY=VALUE,..."
    ),
]
AnnounceBudget = Annotated[
    bool,
    typer.Option(
        "--announce-budget",
        help="Tell the model before each turn what is left of the limits; such scores stand apart.",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        help="Dollars for all models of this call; asked before each call.", metavar="DOLLARS"
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option(help="A TOML or JSON file with the models' prices.", metavar="FILE"),
]
PromptFolder = Annotated[
    Path | None,
    typer.Option(help="A folder whose files replace prompts of the agent react.", metavar="FOLDER"),
]
Insights = Annotated[
    str | None,
    typer.Option(
        help="per-turn (the default), later (by the command insights) or none.", metavar="WHEN"
    ),
]
FinalReport = Annotated[
    str | None,
    typer.Option(help="After a limit: ask for the report (the default) or none.", metavar="HOW"),
]
Protocol = Annotated[
    str | None, typer.Option(help="ddr: the paper's own rules.", metavar="PROTOCOL")
]
GoalName = Annotated[
    str | None,
    typer.Option(
        help="Where entities have goals: none (the default), dataset (its own) or generic.",
        metavar="GOAL",
    ),
]
EndpointAllowed = Annotated[
    str | None,
    typer.Option(
        help="Why restricted data may go to an endpoint off this machine.", metavar="REASON"
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(help="How long one request to a model may take; 600.", metavar="SECONDS"),
]
Seed = Annotated[int | None, typer.Option(help="For sample:N; 0 unless given.", metavar="N")]
Config = Annotated[
    Path | None,
    typer.Option(help="A TOML file with the same keys as these options.", metavar="FILE"),
]
Resume = Annotated[
    str | None,
    typer.Option(help="Go on with a run: its id, a unique prefix, or last.", metavar="RUN"),
]
RetryErrors = Annotated[
    bool, typer.Option("--retry-errors", help="With --resume: what ended by a fault as well.")
]
Unsafe = Annotated[
    bool,
    typer.Option(
        "--unsafe-python-without-sandbox",
        help="Let the agent's Python do whatever you may do on this machine.",
    ),
]
Estimate = Annotated[
    bool,
    typer.Option("--estimate", help="Say what it would take, by stored runs; explore nothing."),
]
Pilot = Annotated[
    int | None,
    typer.Option(
        help="With --estimate: explore so many of the entities first, which costs money.",
        metavar="N",
    ),
]
