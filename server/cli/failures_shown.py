"""What `ddr failures` found, as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.evaluation import LEVELS
from core.wording import counted
from evaluator.failing import SOURCES, Source, Tallied, by_category, tally
from evaluator.grounding import Share, grounded_share, states, untraced_share
from evaluator.missed import GROUPS
from server.failures import claim_share
from server.failures_found import Found, correlations, spoken_of, untraced
from server.runs import competitor

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.failures import Grounded

_UNTRACED_SHOWN = 8


def show(found: Sequence[Found], out: Output, *, hallucination: bool) -> None:
    """Run by run, and what they say together."""
    for each in found:
        out.say(f"run {each.basis.spec.id}: {competitor(each.basis.spec)}")
        if each.grounded is not None:
            _show_grounding(each.grounded, out)
            _show_precision(each, out, hallucination=hallucination)
        if each.basis.evaluation is not None:
            _show_missed(each.cases, each.basis.evaluation.id, out)
        out.say()
    together = correlations(found)
    for what, value in together.items():
        r, p = value["pearson"], value["pearson_p"]
        said = "does not vary" if r is None else f"Pearson r {r:.3f} (p {p:.3f})"
        out.say(f"{what} against accuracy over {value['n']} runs: {said}")


def _show_grounding(found: Grounded, out: Output) -> None:
    rows = []
    for level in LEVELS:
        own = grounded_share(found.own, found.clusters, level)
        if own.out_of:
            rows.append(
                [
                    level,
                    str(own.out_of),
                    _with_ends(own),
                    _plain(grounded_share(found.another, found.clusters, level)),
                    _plain(grounded_share(found.altered, found.clusters, level)),
                    _plain(grounded_share(found.own, found.clusters, level, sure=True)),
                    _plain(grounded_share(found.altered, found.clusters, level, sure=True)),
                ]
            )
    if not rows:
        out.say("no insight states a number")
        return
    heads = ["numbers of", ">out of", ">grounded", ">by another's", ">if altered"]
    out.table([*heads, ">beyond chance", ">if altered"], rows)
    counts = ", ".join(f"{count} {name}" for name, count in states(found.own).items())
    out.say(f"numbers by state: {counts}")
    lost = untraced(found.own)
    for insight, text in lost[:_UNTRACED_SHOWN]:
        out.say(f"  not found: {text} ({insight})")
    if len(lost) > _UNTRACED_SHOWN:
        out.say(f"  and {len(lost) - _UNTRACED_SHOWN} more; --json has them all")


def _show_precision(each: Found, out: Output, *, hallucination: bool) -> None:
    found = each.grounded
    assert found is not None
    out.say(
        f"insights with a number that is not found (a proxy of hallucination): "
        f"{_of(found.untraced)}; with every figure altered it would be "
        f"{_plain(untraced_share(found.altered, found.clusters))}"
    )
    if found.untraced_right is not None and found.untraced_right.out_of:
        out.say(f"  among those that support an item: {_of(found.untraced_right)}")
    if found.contradicted is not None:
        out.say(f"insights that contradict an item: {_of(found.contradicted)}")
    if each.claims:
        parts = [
            f"{name} {_of(claim_share(each.claims, found.clusters, name))}"
            for name in ("grounded", "wrong", "unsupported")
        ]
        out.say(f"evidence run again: {'; '.join(parts)}")
    for rate in each.rates:
        out.say(
            f"hallucination by {rate.judge}: {_of(rate.rate)} true and not derivable; not derivable "
            f"{_of(rate.not_derivable)}; {rate.unknown} not known"
        )
    if hallucination and not each.rates:
        out.say("no judge has been asked about hallucination yet: add --judge MODEL")


def _show_missed(cases: Sequence[Tallied], evaluation: str, out: Output) -> None:
    if not cases:
        out.say(f"no item was missed (evaluation {evaluation})")
        return
    sources = [
        source
        for source in SOURCES
        if source == "computed" or any(getattr(each, source) for each in cases)
    ]
    spoken = {source: spoken_of(cases, source) for source in sources}
    counts = {source: tally(spoken[source], source) for source in sources}
    rows = []
    for group, names in (*GROUPS.items(), ("", (None,))):
        for name in names:
            cells = [_portion(counts[s][name], len(spoken[s])) for s in sources]
            rows.append([group, name or "not known", *cells])
    heads = [f">{source} (of {len(spoken[source])})" for source in sources]
    title = f"{counted(len(cases), 'missed item')} by evaluation {evaluation}"
    out.table(["", "why", *heads], rows, title=title)
    for source in sources:
        _show_categories(spoken[source], source, out)


def _show_categories(cases: Sequence[Tallied], source: Source, out: Output) -> None:
    rows = []
    for category, counts in by_category(cases, source).items():
        total = sum(counts.values())
        groups = [sum(counts[name] for name in names) for names in GROUPS.values()]
        cells = [_portion(count, total) for count in (*groups, counts[None])]
        rows.append([category, str(total), *cells])
    heads = [f">{group}" for group in GROUPS]
    out.table(["category", ">missed", *heads, ">not known"], rows, title=f"per category, {source}")


def _portion(count: int, total: int) -> str:
    return f"{count} ({100 * count / total:.0f}%)" if total else "-"


def _plain(found: Share) -> str:
    return "-" if found.value is None else f"{100 * found.value:.1f}%"


def _with_ends(found: Share) -> str:
    if found.low is None or found.high is None:
        return _plain(found)
    return f"{_plain(found)} ({100 * found.low:.1f}-{100 * found.high:.1f})"


def _of(found: Share) -> str:
    return f"{_with_ends(found)} of {found.out_of}"
