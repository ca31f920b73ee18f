"""Write what is measured of a patient: laboratory results, cultures, and figures of outpatient clinics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from databases.patients.twin import vocabulary
from databases.patients.twin.courses import measured
from databases.patients.twin.hospital import provider, provider_names
from databases.patients.twin.hostile import planted
from databases.patients.twin.vocabulary import coded, courses, listed
from databases.patients.twin.writing import NONE, NUMBER_AS_TEXT, days, texts, times

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from databases.patients.twin.axis import Spread
    from databases.patients.twin.courses import State
    from databases.patients.twin.draws import Draws, Ints
    from databases.patients.twin.writing import Writer

PANEL = 8
"""Items of a specimen."""


def labevents(writer: Writer, draws: Draws, state: State, counts: Ints, *, hostile: bool) -> None:
    """Specimens of eight results; the last one of a patient may have fewer."""
    import numpy as np

    block, items = state.block, vocabulary.laboratory()
    specimens = -(-counts // PANEL)
    drawn = block.whole_time(750).spread(specimens, draws, "lab", block.entity)
    stay = _stay_of(drawn)
    levels = state.levels(drawn.owner, drawn.time, stay)
    who = block.entity[drawn.owner]
    lot = draws.below("panel", 1000, who, drawn.place)
    panel = np.searchsorted(vocabulary.words()["lab"]["panel_permille"], lot, side="right")
    specimen_id = writer.ids("specimen", len(who))
    # From specimens to results.
    row = np.repeat(np.arange(len(who)), PANEL)
    inside = np.tile(np.arange(PANEL), len(who))
    kept = drawn.place[row] * PANEL + inside < counts[drawn.owner[row]]
    row, inside = row[kept], inside[kept]
    item = panel[row] * PANEL + inside
    place = drawn.place[row] * PANEL + inside
    value = measured(
        draws, items, state, levels[row], name="lab", who=who[row], item=item, place=place
    )
    odd = (value < items.low[item]) | (value > items.high[item])
    taken = drawn.time[row]
    columns: dict[str, Any] = {
        "labevent_id": writer.ids("labevent", len(row)),
        "subject_id": block.subject[drawn.owner[row]],
        "hadm_id": np.where(stay >= 0, block.hadm[stay], NONE)[row],
        "specimen_id": specimen_id[row],
        "itemid": items.itemid[item],
        "order_provider_id": texts(provider(draws, "lab", who, drawn.place)[row], provider_names()),
        "charttime": times(taken),
        "storetime": times(taken + 55),
        "valuenum": value / items.scale[item],
        "valueuom": texts(_known(item, items.units), items.units),
        "ref_range_lower": items.low[item] / items.scale[item],
        "ref_range_upper": items.high[item] / items.scale[item],
        "flag": texts(np.where(odd, 0, NONE), ["abnormal"]),
        "priority": texts(draws.below("priority", 2, who, drawn.place)[row], ["ROUTINE", "STAT"]),
        "comments": planted(draws, "lab", hostile, who[row], place),
    }
    writer.put("labevents", columns, value=NUMBER_AS_TEXT.format("valuenum"))


def microbiology(
    writer: Writer, draws: Draws, state: State, counts: Ints, *, hostile: bool
) -> None:
    """Cultures; while an infection runs, its organism grows and is tested against antibiotics."""
    import numpy as np

    block = state.block
    drawn = block.in_hospital().spread(counts, draws, "culture", block.entity)
    who, place = block.entity[drawn.owner], drawn.place
    infection = list(courses()).index("infection")
    level = state.levels(drawn.owner, drawn.time, drawn.stretch)[:, infection]
    grows = draws.chance("grows", np.minimum(level, 900), who, place)
    kind = draws.below("specimen kind", 4, who, place)
    organism = state.habit(
        draws, "organism", 5, who, drawn.stretch - _first_stay(state)[drawn.owner]
    )
    drug = draws.below("antibiotic", 6, who, place)
    grade = draws.below("dilution", 6, who, place)
    spec_ids, spec_names = coded("specimens")
    org_ids, org_names = coded("organisms")
    ab_ids, ab_names = coded("antibiotics")
    columns = {
        "microevent_id": writer.ids("microevent", len(who)),
        "subject_id": block.subject[drawn.owner],
        "hadm_id": block.hadm[drawn.stretch],
        "micro_specimen_id": writer.ids("micro specimen", len(who)),
        "order_provider_id": texts(provider(draws, "culture", who, place), provider_names()),
        "chartdate": days(drawn.time),
        "charttime": times(drawn.time),
        "spec_itemid": np.array(spec_ids, np.int64)[kind],
        "spec_type_desc": texts(kind, spec_names),
        "test_seq": np.ones(len(who), np.int64),
        "storedate": days(drawn.time + 2 * 24 * 60),
        "storetime": times(drawn.time + 2 * 24 * 60),
        "test_itemid": 90_200 + kind,
        "test_name": texts(kind, [f"{name} CULTURE" for name in spec_names]),
        "org_itemid": np.where(grows, np.array(org_ids, np.int64)[organism], NONE),
        "org_name": texts(np.where(grows, organism, NONE), org_names),
        "isolate_num": np.where(grows, 1, NONE),
        "ab_itemid": np.where(grows, np.array(ab_ids, np.int64)[drug], NONE),
        "ab_name": texts(np.where(grows, drug, NONE), ab_names),
        "dilution_text": texts(np.where(grows, grade, NONE), [f"<={2**n}" for n in range(6)]),
        "dilution_comparison": texts(np.where(grows, 0, NONE), ["<="]),
        "dilution_value": np.where(grows, 2.0**grade, np.nan),
        "interpretation": texts(np.where(grows, np.minimum(grade // 2, 2), NONE), ["S", "I", "R"]),
        "comments": planted(draws, "culture", hostile, who, place),
    }
    writer.put("microbiologyevents", columns)


def omr(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """Figures of clinics, outside stays: weight goes up with the heart's failure."""
    import numpy as np

    block = state.block
    drawn = block.whole_time(20).spread(counts, draws, "omr", block.entity)
    who, place = block.entity[drawn.owner], drawn.place
    level = state.levels(drawn.owner, drawn.time, np.full(len(who), -1))
    heart = level[:, list(courses()).index("heart")]
    kind = draws.below("omr kind", 4, who, place)
    height = draws.between("height", 590, 760, who)
    weight = draws.between("weight", 1200, 2300, who) + heart * 180 // 1000
    weight = weight + draws.noise("weight noise", 12, who, place)
    pressure = draws.between("pressure", 108, 148, who) + draws.noise("pressure", 7, who, place)
    lower = pressure * 6 // 10 + draws.noise("pressure low", 3, who, place)
    index = weight * 7030 // (height * height // 100)
    figure = np.select([kind == 1, kind == 2], [weight, index], default=height)
    columns = {
        "subject_id": block.subject[drawn.owner],
        "chartdate": days(drawn.time),
        "seq_num": np.ones(len(who), np.int64),
        "result_name": texts(kind, listed("outpatient")),
        "upper": pressure,
        "lower": lower,
        "figure": figure / 10.0,
        "kind": kind,
    }
    shown = NUMBER_AS_TEXT.format("figure")
    writer.put(
        "omr",
        columns,
        result_value=f"CASE WHEN kind = 0 THEN upper || '/' || lower ELSE {shown} END",
    )


def _stay_of(drawn: Spread) -> Ints:
    """The stay that an event of the whole time falls into; -1 = none. See Block.whole_time."""
    import numpy as np

    return np.where(drawn.stretch % 2 == 1, drawn.stretch // 2, -1)


def _first_stay(state: State) -> Ints:
    import numpy as np

    found: Ints = np.cumsum(state.block.stays) - state.block.stays
    return found


def _known(item: Ints, units: tuple[str, ...]) -> NDArray[np.int64]:
    """Places in the list of units; an item without a unit has NULL."""
    import numpy as np

    has = np.array([bool(unit) for unit in units])
    return np.where(has[item], item, NONE)
