"""`ddr stopping --endpoint URL`: how likely the finish was after each turn, with progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from server.cli.interrupts import INTERRUPTED

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.finish_scores import Endpoint
    from server.settings import Settings
    from server.stopping import RunStopping
    from server.store import Repository


def endpoint_of(
    url: str | None,
    model: str | None,
    *,
    chat_template: Path | None,
    template: Sequence[str] | None,
    concurrency: int | None,
    timeout_s: float | None,
    endpoint_allowed: str | None,
    afresh: bool,
) -> Endpoint | None:
    """What the options say; None where no endpoint is to be asked. Raises UsageError, ConfigError."""
    from server.config import read_template
    from server.finish_scores import Endpoint

    if url is None:
        for name, given in (
            ("--model", model),
            ("--chat-template", chat_template),
            ("--template", template),
            ("--afresh", afresh),
        ):
            if given:
                raise UsageError(f"{name} says something of an endpoint: name it by --endpoint URL")
        return None
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--endpoint {url}: write http://... or https://...")
    if not model:
        raise UsageError("--endpoint wants --model NAME: what the model is called there")
    beside: dict[str, Any] = {}
    if concurrency is not None:
        beside["concurrency"] = max(1, concurrency)
    if timeout_s is not None:
        beside["timeout_s"] = timeout_s
    return Endpoint(
        url=url,
        model=model,
        chat_template=chat_template,
        arguments=read_template(template) if template else {},
        endpoint_allowed=endpoint_allowed,
        afresh=afresh,
        **beside,
    )


def measured(
    found: Sequence[RunStopping],
    asked: Endpoint,
    store: Repository,
    settings: Settings,
    out: Output,
) -> list[RunStopping]:
    """The same with what the endpoint tells; after Ctrl-C with what it told so far."""
    from server.board import Board
    from server.cli.ticking import carry_out
    from server.finish_scores import Measuring, cases
    from server.stopping import Finish
    from server.store.measured import Measurements

    todo = [cases(each.spec, store, settings, asked) for each in found]
    told: list[RunStopping] = []
    stopped: str | None = None
    for each, mine in zip(found, todo, strict=True):
        if stopped:
            told.append(each)
            continue
        work = Measuring(asked, mine, Measurements(store))
        carry_out(
            lambda telling, work=work: work.measure(telling.watch),  # type: ignore[misc]
            Board(),
            out,
            doing="measuring",
            stop=work.stop,
            nouns="prefixes",
        )
        stopped = work.stopped
        if work.recalled:
            out.note(
                f"{work.recalled:,} of {len(work.prefixes):,} were told before: --afresh asks again"
            )
        finish = Finish(asked.model, work.form, tuple(work.prefixes), work.stopped)
        told.append(replace(each, finish=finish))
    return told


def exit_of(found: Sequence[RunStopping]) -> int:
    """130 where a person stopped the measuring, 1 where the endpoint failed, else 0."""
    whys = [each.finish.stopped for each in found if each.finish and each.finish.stopped]
    return 0 if not whys else INTERRUPTED if whys[0] == "Ctrl-C" else 1
