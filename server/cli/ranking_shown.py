"""A ranking as it is shown: the table, then all that may have swayed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.wording import counted
from server.cli.output import one_line

if TYPE_CHECKING:
    from core.ranking import Rating
    from evaluator.correlation import Correlation
    from evaluator.rating.doubts import Effect, Share
    from server.cli.output import Output
    from server.contest import Contest
    from server.ranked import Ranked
    from server.ranking import RankingWork


def show(ranked: Ranked, contest: Contest, remarks: tuple[str, ...], out: Output) -> None:
    """For people."""
    ranking, scale = ranked.ranking, ranked.scale
    ddr = " (protocol ddr)" if ranking.protocol == "ddr" else ""
    judges = ", ".join(ranking.judges_served or ranking.judges_asked)
    out.say(
        f"ranking {ranking.id}{ddr}: usefulness of novel insights on "
        f"{counted(scale.entities, 'entity', 'entities')} of {ranking.scenario_id}, "
        f"judged by {judges}; {scale.method}"
    )
    several = len({rating.component for rating in scale.ratings if rating.rank}) > 1
    if not scale.entities:
        out.say("nobody met anybody, so there is no order")
    heads = ["whose", ">rank", ">95 %", ">strength", ">95 %", ">beats next"]
    heads += [">won", ">lost", ">tied", ">forfeits", ">novel / all"]
    by_name = {name: run for run, name in contest.names.items()}
    rows = []
    for place, rating in enumerate(scale.ratings):
        after = scale.ratings[place + 1 : place + 2]
        run = by_name[rating.competitor]
        rows.append(
            [
                *_row(rating, _beats(ranked, rating, after)),
                f"{contest.novel[run]}/{contest.handed_in[run]}",
            ]
        )
        if several:
            rows[-1][0] += f" [{rating.component}]"
    out.table(heads, rows)
    for warning in scale.warnings:
        out.say(f"warning: {warning}")
    if scale.prior:
        out.say(f"prior: {scale.prior}")
    for rating in scale.ratings:
        if rating.note:
            out.say(f"{one_line(rating.competitor)}: {rating.note}")
    _show_doubts(ranked, out)
    _show_missing(ranked, contest, out)
    for level, found in ranked.correlations.items():
        out.say(f"strength and {level}-wise accuracy: {_correlated(found)}")
    for text in (*ranking.although, *remarks):
        out.say(f"they differ in {text}")
    if ranked.spending.calls:
        out.say(
            f"{counted(ranked.spending.calls, 'call')}, {ranked.spending.tokens} tokens in / out, "
            f"cost {ranked.spending.cost}"
        )


def _row(rating: Rating, beats: str) -> list[str]:
    lost = f"+{rating.forfeits_won} -{rating.forfeits_lost}"
    return [
        rating.competitor,
        "-" if rating.rank is None else str(rating.rank),
        _range(rating.rank_low, rating.rank_high, "d"),
        "-" if rating.strength is None else f"{rating.strength:.2f}",
        _range(rating.low, rating.high, ".2f"),
        beats,
        str(rating.wins),
        str(rating.losses),
        str(rating.ties),
        lost if rating.forfeits_won or rating.forfeits_lost else "",
    ]


def _beats(ranked: Ranked, rating: Rating, after: tuple[Rating, ...]) -> str:
    for other in after:
        chance = ranked.scale.beats.get((rating.competitor, other.competitor))
        if chance is not None and rating.strength is not None:
            return f"{chance:.2f}"
    return ""


def _show_doubts(ranked: Ranked, out: Output) -> None:
    settled, scale = ranked.settled, ranked.scale
    if (rate := settled.flip_rate) is not None:
        out.say(
            f"flip rate {rate:.2f}: of {counted(settled.both_orders, 'pair')} in both orders "
            f"{settled.flipped} named another winner each time, {settled.wavering} a winner and a tie; "
            "both count as ties"
        )
    if ranked.first_slot.of:
        out.say(f"shown first won {_shared(ranked.first_slot)} of the decided comparisons")
    for what, effect in (("length", ranked.length), ("number of insights", ranked.number)):
        if effect is not None:
            out.say(f"{what}: {_effect(effect)}")
    if scale.nu is not None and scale.entities:
        out.say(f"ties: nu {scale.nu:.2f} (between equals, against a win of either)")
    if scale.order is not None:
        between = _range(scale.order.low, scale.order.high, ".2f") or "no interval"
        out.say(f"order: whoever is shown first has {scale.order.value:+.2f} ({between})")
    for judge, (kin, won) in ranked.own_family.items():
        if kin:
            told = f"; its own won {_shared(won)} of their decided games with others" if won else ""
            out.say(f"the judge {judge} is of the family of {', '.join(kin)}{told}")
    for who, votes in ranked.people.items():
        out.say(f"{who} voted blind on {counted(votes, 'pair')} of it")
    for (one, other), (alike, of) in ranked.agreement.items():
        out.say(f"{one} and {other} agree on {alike} of {counted(of, 'game')}")


def _show_missing(ranked: Ranked, contest: Contest, out: Output) -> None:
    for reason, count in ranked.settled.unscored.items():
        out.say(f"{counted(count, 'comparison')} without a winner: {reason}")
    if ranked.settled.half_read:
        out.say(f"{counted(ranked.settled.half_read, 'pair')} left out, with one order read")
    if contest.both_empty:
        out.say(f"{counted(contest.both_empty, 'pair')} left out: neither had anything novel")
    for reason, count in contest.left_out.items():
        out.say(f"{counted(count, 'trajectory', 'trajectories')} left out: {reason}")
    if unscored := contest.unscored_items.total():
        out.say(
            f"{counted(unscored, 'item')} unscored: insights that only they would use count as novel"
        )


def as_json(ranked: Ranked, work: RankingWork) -> dict[str, Any]:
    """The ranking for --json."""
    ranking, scale, contest = ranked.ranking, ranked.scale, work.contest
    settled = ranked.settled
    return {
        "ranking": ranking.id,
        "scenario": ranking.scenario_id,
        "protocol": ranking.protocol,
        "method": scale.method,
        "entities": scale.entities,
        "judges_asked": ranking.judges_asked,
        "judges_served": ranking.judges_served,
        "prompt_hash": ranking.prompt_hash,
        "runs": {
            run: {
                "competitor": name,
                "evaluation": ranking.evaluations[run],
                "insights": contest.handed_in[run],
                "novel": contest.novel[run],
                "unscored_items": contest.unscored_items[run],
            }
            for run, name in contest.names.items()
        },
        "ratings": [rating.model_dump(mode="json") for rating in scale.ratings],
        "beats": [
            {"competitor": one, "other": other, "probability": chance}
            for (one, other), chance in scale.beats.items()
        ],
        "nu": scale.nu,
        "order": None if scale.order is None else vars(scale.order),
        "prior": scale.prior,
        "warnings": scale.warnings,
        "comparisons": ranked.asked,
        "pairs_in_both_orders": settled.both_orders,
        "flip_rate": settled.flip_rate,
        "wavering": settled.wavering,
        "half_read": settled.half_read,
        "unscored": settled.unscored,
        "first_slot": _share_json(ranked.first_slot),
        "length": _effect_json(ranked.length),
        "number": _effect_json(ranked.number),
        "own_family": {
            judge: {"competitors": kin, "won": won and _share_json(won)}
            for judge, (kin, won) in ranked.own_family.items()
        },
        "people": ranked.people,
        "agreement": [
            {"judges": judges, "alike": alike, "of": of}
            for judges, (alike, of) in ranked.agreement.items()
        ],
        "accuracy": {level: vars(found) for level, found in ranked.correlations.items()},
        "both_empty": contest.both_empty,
        "left_out": dict(contest.left_out),
        "although": ranking.although,
        "remarks": work.remarks,
        "failed": work.failed,
        **ranked.spending.as_json(),
    }


def _share_json(share: Share) -> dict[str, Any]:
    return {"value": share.value, **vars(share)}


def _effect_json(effect: Effect | None) -> dict[str, Any] | None:
    if effect is None:
        return None
    return {**vars(effect), "more_won": _share_json(effect.more_won)}


def _range(low: float | None, high: float | None, form: str) -> str:
    if low is None or high is None:
        return ""
    return f"{low:{form}} to {high:{form}}"


def _shared(share: Share) -> str:
    between = _range(share.low, share.high, ".2f")
    told = f"{share.count}/{share.of}"
    return f"{told} ({between})" if between else told


def _effect(effect: Effect) -> str:
    told = (
        f"{effect.value:+.2f} ({_range(effect.low, effect.high, '.2f')}) for each e times as much"
    )
    return f"{told}; who had more won {_shared(effect.more_won)} of the decided games"


def _correlated(found: Correlation) -> str:
    if found.spearman is None or found.kendall is None:
        few = f"{found.n} competitors are too few, or too alike, for a coefficient"
        return f"{few}; ranks differ by {found.rank_differences:g} in sum"
    return (
        f"Spearman {found.spearman:.2f}, Kendall {found.kendall:.2f}, ranks differ by "
        f"{found.rank_differences:g} in sum ({found.n} competitors)"
    )
