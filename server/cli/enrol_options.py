"""The options that `ddr enrol` has beside those of `ddr run`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Scenario = Annotated[
    str | None, typer.Option(help="Which scenario is explored.", metavar="SCENARIO")
]
AgentName = Annotated[
    str | None, typer.Option(help="What your agent is called in tables.", metavar="NAME")
]
Trials = Annotated[int | None, typer.Option(help="Times per entity; 3 unless given.", metavar="N")]
MaxTurns = Annotated[
    int | None, typer.Option(help="Exploring calls per entity; no limit unless given.", metavar="N")
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(help="Time per entity; no limit unless given.", metavar="SECONDS"),
]
Idle = Annotated[
    float | None,
    typer.Option(help="Silent for so long it counts as gone; 1800.", metavar="SECONDS"),
]
Shell = Annotated[
    str | None,
    typer.Option(help="yes or no: whether it can run commands beside our tools.", metavar="YES|NO"),
]
Web = Annotated[
    str | None, typer.Option(help="yes or no: whether it can reach the web.", metavar="YES|NO")
]
Queue = Annotated[
    bool,
    typer.Option("--queue", help="One connection per trial: the next entity after each finish."),
]
EndpointAllowed = Annotated[
    str | None,
    typer.Option(help="Why restricted data may go to your agent's model.", metavar="REASON"),
]
Url = Annotated[
    str | None,
    typer.Option(
        help="The server's address; http://127.0.0.1:8910, with --exec one of its own.",
        metavar="URL",
    ),
]
Write = Annotated[
    str | None,
    typer.Option(
        help="Write each seat's configuration for this client: opencode, codex, claude-code, "
        "gemini, openai-agents, langchain, pydantic-ai, inspect, fastmcp, mcp.",
        metavar="CLIENT",
    ),
]
To = Annotated[
    Path | None,
    typer.Option(
        help="Where --write makes a folder per seat; a new one named after the run.",
        metavar="FOLDER",
    ),
]
Exec = Annotated[
    str | None,
    typer.Option(
        "--exec",
        help="Start this for each seat, in an empty folder with DDR_URL and DDR_TOKEN set. It is split "
        "into words; no shell reads it unless you write one: sh -c '...'. Filled in are {url} "
        "{token} {config} {entity} {trial} {prompt} {here} (the folder you are in) {folder} (its own); "
        "{command} at its beginning is what starts the client of --write.",
        metavar="COMMAND",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(help="With --exec: agents at a time; 1 unless given.", metavar="N", min=1),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        help="With --exec: an agent is ended after so long; no limit unless given.",
        metavar="SECONDS",
    ),
]
Resume = Annotated[
    str | None,
    typer.Option(help="Fresh seats for what this run lacks; earlier ones end.", metavar="RUN"),
]
Retry = Annotated[
    bool,
    typer.Option("--retry", help="With --resume: what was abandoned or never met as well."),
]
Close = Annotated[str | None, typer.Option(help="End what is open in this run.", metavar="RUN")]
