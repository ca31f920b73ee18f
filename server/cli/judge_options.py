"""The options of every command that asks a judge, in one place, each with its help."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server.cli import run_options as opt

if TYPE_CHECKING:
    from server.asking import JudgeOptions

Estimate = Annotated[
    bool, typer.Option("--estimate", help="Say what the judge would take; ask nothing.")
]
Criteria = Annotated[
    str,
    typer.Option(
        help="What counts as supported: strict, lenient, or a file of your own.", metavar="CRITERIA"
    ),
]
Uncalibrated = Annotated[
    bool,
    typer.Option(
        "--uncalibrated",
        help="Let a judge score that has not shown that it can; said beside every score.",
    ),
]


def asks_judges(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its judges in the place of its parameter `judging`, which is
    JudgeOptions. What the options say is read before the command begins; raises UsageError then."""
    own, shared = _signature(command), _signature(_options).parameters
    listed: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        listed += shared.values() if name == "judging" else [parameter]

    @wraps(command)
    def asked(**given: Any) -> None:
        judging = _options(**{name: given.pop(name) for name in shared})
        command(**given, judging=judging)

    asked.__signature__ = own.replace(parameters=listed)  # type: ignore[attr-defined]
    asked.__annotations__ = {each.name: each.annotation for each in listed}
    return asked


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    # JudgeOptions is known to type checkers alone: the module of it is not imported for --help.
    return inspect.signature(function, locals={"JudgeOptions": object}, eval_str=True)


def _options(
    *,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="The model that judges: provider/name or scripted:FILE; given again, one more "
            "beside it.",
            metavar="MODEL",
        ),
    ] = None,
    base_url: opt.BaseUrl = None,
    sampling: opt.Sampling = None,
    prices: opt.Prices = None,
    concurrency: Annotated[
        int | None, typer.Option(help="Questions to the judge under way at a time; 4.", metavar="N")
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="How long one request to the judge may take.", metavar="SECONDS")
    ] = 600.0,
    structured: Annotated[
        bool | None,
        typer.Option(
            "--structured/--no-structured",
            help="Ask for replies by a JSON schema; where the model is known to take one, unless "
            "given.",
            show_default=False,
        ),
    ] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Ask the judge again what it has been asked before.")
    ] = False,
    endpoint_allowed: opt.EndpointAllowed = None,
    budget_usd: Annotated[
        float | None,
        typer.Option(help="Dollars for the judge; asked before each call.", metavar="DOLLARS"),
    ] = None,
) -> JudgeOptions:
    """What they say. Raises UsageError."""
    from server.asking import JudgeOptions
    from server.config import read_sampling

    return JudgeOptions(
        judges=tuple(judge or ()),
        base_url=base_url,
        sampling=read_sampling(sampling) if sampling else {},
        prices=prices,
        concurrency=concurrency,
        timeout_s=timeout,
        structured=structured,
        afresh=afresh,
        endpoint_allowed=endpoint_allowed,
        budget_usd=budget_usd,
    )
