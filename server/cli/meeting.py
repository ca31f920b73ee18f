"""Agents from outside on a terminal: how far each came, what it says of itself, what was refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from core.agent_class import APART
from core.authorship import other_authors
from core.contact import beside, is_refused
from core.outside import UNANSWERED
from core.wording import counted
from server.cli.output import one_line
from server.contacts import Contacts, reported

if TYPE_CHECKING:
    from core.contact import Met
    from core.outside import OutsideCall
    from core.run import RunSpec
    from core.trajectory import Client, Trajectory
    from server.cli.output import Output

_MOST: Final = 20
"""Refused calls that are listed one by one."""
_CLIENTS: Final = 3
_CHARACTERS: Final = 160


def show_meetings(
    spec: RunSpec, trajectories: Sequence[Trajectory], contacts: Contacts, out: Output
) -> None:
    """The class of a run's agent, and each trajectory's contact in a line."""
    out.say(f"\nclass: {spec.agent_class} ({APART})")
    found = [(each, contacts.of(each)) for each in trajectories]
    heads = ["entity", ">trial", "contact", ">calls", ">refused", ">cancelled", "errors", "client"]
    rows = [
        [
            each.entity_id,
            str(each.trial),
            met.stage,
            str(met.calls),
            str(met.refused),
            str(met.cancelled),
            _counts(_errors(met)),
            _clients(met.clients),
        ]
        for each, met in found
    ]
    out.table(heads, rows)
    several = spec.trials > 1
    words_of = {_named(each, several): _reported(each) for each in trajectories}
    for words, whose in _grouped(words_of):
        out.say(f"{', '.join(whose)} says of itself, unmeasured: {words}")
    show_other_authors(spec.agent, other_authors(trajectories), out)


def show_other_authors(agent: str, others: Mapping[str, int], out: Output) -> None:
    """Say how many insights are not the agent's own words; `others` are their authors."""
    for author, number in others.items():
        are, them = ("is", "it") if number == 1 else ("are", "them")
        told = counted(number, "insight")
        out.say(f"{told} {are} not {agent}'s own: {author} was asked for {them} later")


def show_met(trajectory: Trajectory, met: Met, out: Output) -> None:
    """One trajectory's contact, above its turns."""
    out.say(f"contact: {met.stage}")
    if met.calls:
        out.say(
            f"{counted(met.calls, 'call')} ({_counts(met.tools)}): "
            f"{met.refused} refused, {met.cancelled} cancelled, {met.unanswered} unanswered"
        )
    if errors := _errors(met):
        out.say(f"errors: {_counts(errors)}")
    if met.messages:
        out.say(f"beside calls: {_counts(met.messages)}")
    if met.clients:
        out.say(f"client: {_clients(met.clients)}")
    if words := _reported(trajectory):
        out.say(f"says of itself, unmeasured: {words}")


def show_beside(calls: Sequence[OutsideCall], out: Output) -> None:
    """The calls that are in no turn because they were refused."""
    refused = [call for call in beside(calls) if is_refused(call)]
    if not refused:
        return
    out.say(f"\n{counted(len(refused), 'call')} refused:")
    for call in refused[:_MOST]:
        assert call.result is not None
        text = " ".join(call.result.text.split())
        cut = text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}…"
        out.say(f"  call {call.position}, {one_line(call.name)} ({call.result.error_kind}): {cut}")
    if (left := len(refused) - _MOST) > 0:
        out.say(f"  and {left:,} more; all of them with --json")


def as_json(met: Met, calls: Sequence[OutsideCall]) -> dict[str, Any]:
    """What a trajectory's JSON has beside the record; its own keys say what was reported."""
    return {
        "contact": met.model_dump(mode="json"),
        "calls_beside_turns": [call.model_dump(mode="json") for call in beside(calls)],
    }


def _errors(met: Met) -> dict[str, int]:
    unanswered = met.unanswered - met.errors.get(UNANSWERED, 0)
    more = {UNANSWERED: met.unanswered} if unanswered else {}
    return {**met.errors, **more}


def _counts(found: Mapping[str, int]) -> str:
    """'execute_query 5, finish 1'"""
    return ", ".join(f"{one_line(name)} {n:,}" for name, n in found.items())


def _clients(clients: Sequence[Client]) -> str:
    named = [
        f"{client.name} {client.version}" + (f" ({client.protocol})" if client.protocol else "")
        for client in clients[:_CLIENTS]
    ]
    left = len(clients) - _CLIENTS
    return one_line(", ".join(named)) + (f" and {left} more" if left > 0 else "")


def _reported(trajectory: Trajectory) -> str:
    """'claude-code 2.1, model claude-x, 1,200 / 30 tokens in / out, $0.10'; '' of one that told nothing."""
    told = reported(trajectory)
    parts = [told["agent"] or "", f"model {told['model']}" if told["model"] else ""]
    if usage := trajectory.reported_usage:
        counts = (usage.input_tokens, usage.output_tokens)
        if any(count is not None for count in counts):
            sizes = ("-" if count is None else f"{count:,}" for count in counts)
            parts.append(f"{' / '.join(sizes)} tokens in / out")
        if usage.cost_usd is not None:
            parts.append(f"${usage.cost_usd:.4f}")
    return one_line(", ".join(part for part in parts if part))


def _named(trajectory: Trajectory, several: bool) -> str:
    return f"{trajectory.entity_id} (trial {trajectory.trial})" if several else trajectory.entity_id


def _grouped(words: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Each text once, with the entities that it is of; those without one are left out."""
    found: dict[str, list[str]] = {}
    for entity_id, text in words.items():
        if text:
            found.setdefault(text, []).append(entity_id)
    return list(found.items())
