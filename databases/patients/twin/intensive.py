"""Write what intensive care charts: vital signs, fluids and drugs, what leaves the body, procedures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from databases.patients.twin import vocabulary
from databases.patients.twin.courses import measured
from databases.patients.twin.hospital import CAREGIVERS
from databases.patients.twin.writing import NONE, NUMBER_AS_TEXT, days, same, texts, times

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from databases.patients.twin.axis import Spread
    from databases.patients.twin.courses import State
    from databases.patients.twin.draws import Draws, Ints
    from databases.patients.twin.writing import Writer

TABLES = (
    "chartevents", "outputevents", "inputevents", "ingredientevents", "procedureevents",
    "datetimeevents",
)  # fmt: skip
"""All of them hold events of stays in intensive care; a patient without one has no rows."""


def charted(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """chartevents: vital signs, which the courses move."""
    items = vocabulary.charted("vital")
    item, value, columns = _measurements(writer, draws, state, counts, stream="chart", name="vital")
    columns["valuenum"] = value / items.scale[item]
    columns["warning"] = item * 0
    writer.put("chartevents", columns, value=NUMBER_AS_TEXT.format("valuenum"))


def left_the_body(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """outputevents: urine falls as the kidneys fail."""
    _, value, columns = _measurements(writer, draws, state, counts, stream="output", name="output")
    columns["value"] = value.astype(float)
    writer.put("outputevents", columns)


def given(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """inputevents: fluids and drugs, those of a course while it is treated."""
    import numpy as np

    things = vocabulary.things("input")
    drawn, shared, _ = _events(writer, draws, state, counts, "input")
    who, place = state.block.entity[drawn.owner], drawn.place
    thing = _thing(draws, state, drawn, things, "input")
    lasts = draws.between("input lasts", 15, 240, who, place)
    amount = things.typical[thing] * draws.between("input amount", 50, 150, who, place)
    order = writer.ids("input order", len(who))
    columns = {
        **shared,
        "starttime": times(drawn.time),
        "endtime": times(drawn.time + lasts),
        "itemid": things.itemid[thing],
        "amount": amount / 100,
        "amountuom": texts(thing, things.units),
        "orderid": order,
        "linkorderid": order,
        "ordercategoryname": same("01-Drips", len(who)),
        "ordercomponenttypedescription": same("Main order parameter", len(who)),
        "ordercategorydescription": same("Continuous Med", len(who)),
        "patientweight": draws.between("weight", 1200, 2300, who) * 45 // 100 / 10,
        "totalamount": things.typical[thing].astype(float),
        "totalamountuom": texts(thing, things.units),
        "isopenbag": np.zeros(len(who), np.int64),
        "continueinnextdept": np.zeros(len(who), np.int64),
        "statusdescription": same("FinishedRunning", len(who)),
        "originalamount": things.typical[thing].astype(float),
    }
    writer.put("inputevents", columns)


def ingredients(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """ingredientevents."""
    things = vocabulary.things("ingredient")
    drawn, shared, _ = _events(writer, draws, state, counts, "ingredient")
    who, place = state.block.entity[drawn.owner], drawn.place
    thing = _thing(draws, state, drawn, things, "ingredient")
    amount = things.typical[thing] * draws.between("ingredient amount", 50, 150, who, place)
    order = writer.ids("ingredient order", len(who))
    columns = {
        **shared,
        "starttime": times(drawn.time),
        "endtime": times(drawn.time + 60),
        "itemid": things.itemid[thing],
        "amount": amount / 100,
        "amountuom": texts(thing, things.units),
        "orderid": order,
        "linkorderid": order,
        "statusdescription": same("FinishedRunning", len(who)),
        "originalamount": things.typical[thing].astype(float),
    }
    writer.put("ingredientevents", columns)


def procedures(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """procedureevents: those of a course while it is treated."""
    import numpy as np

    things = vocabulary.things("procedure")
    drawn, shared, _ = _events(writer, draws, state, counts, "procedure")
    who, place = state.block.entity[drawn.owner], drawn.place
    thing = _thing(draws, state, drawn, things, "procedure")
    timed = things.typical[thing] > 1
    varied = things.typical[thing] * draws.between("procedure lasts", 50, 150, who, place) // 100
    value = np.where(timed, varied, 1)
    order = writer.ids("procedure order", len(who))
    columns = {
        **shared,
        "starttime": times(drawn.time),
        "endtime": times(drawn.time + value),
        "itemid": things.itemid[thing],
        "value": value.astype(float),
        "valueuom": texts(thing, things.units),
        "orderid": order,
        "linkorderid": order,
        "ordercategoryname": same("Procedures", len(who)),
        "ordercategorydescription": same("Task", len(who)),
        "patientweight": draws.between("weight", 1200, 2300, who) * 45 // 100 / 10,
        "isopenbag": who * 0,
        "continueinnextdept": who * 0,
        "statusdescription": same("FinishedRunning", len(who)),
        "originalamount": value.astype(float),
    }
    writer.put("procedureevents", columns)


def dated(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """datetimeevents."""
    things = vocabulary.things("datetime")
    drawn, shared, _ = _events(writer, draws, state, counts, "date")
    thing = _thing(draws, state, drawn, things, "date")
    columns = {
        **shared,
        "charttime": times(drawn.time),
        "itemid": things.itemid[thing],
        "value": days(state.block.icu_in[drawn.stretch]),
        "valueuom": texts(thing, things.units),
        "warning": thing * 0,
    }
    writer.put("datetimeevents", columns)


def _events(
    writer: Writer, draws: Draws, state: State, counts: Ints, name: str
) -> tuple[Spread, dict[str, Any], NDArray[np.int64]]:
    """Events of stays in intensive care, the columns that all tables share, and the levels."""
    block = state.block
    drawn = block.in_intensive_care().spread(counts, draws, name, block.entity)
    stay = block.icu[drawn.stretch]
    who = block.entity[drawn.owner]
    shared = {
        "subject_id": block.subject[drawn.owner],
        "hadm_id": block.hadm[stay],
        "stay_id": block.stay[drawn.stretch],
        "caregiver_id": 1 + draws.below(f"{name}: caregiver", CAREGIVERS, who, drawn.place),
        "storetime": times(drawn.time + 20),
    }
    return drawn, shared, state.levels(drawn.owner, drawn.time, stay)


def _measurements(
    writer: Writer, draws: Draws, state: State, counts: Ints, *, stream: str, name: str
) -> tuple[Ints, Ints, dict[str, Any]]:
    """What is measured at each event, its value in units of the last digit, and the common columns.

    `stream` names the draws of when, `name` those of what; vocabulary.charted knows the items by it.
    """
    items = vocabulary.charted(name)
    drawn, shared, levels = _events(writer, draws, state, counts, stream)
    who = state.block.entity[drawn.owner]
    item = draws.below(name, len(items.itemid), who, drawn.place)
    value = measured(draws, items, state, levels, name=name, who=who, item=item, place=drawn.place)
    columns = {
        **shared,
        "charttime": times(drawn.time),
        "itemid": items.itemid[item],
        "valueuom": texts(item, items.units),
    }
    return item, value, columns


def _thing(
    draws: Draws, state: State, drawn: Spread, things: vocabulary.Things, name: str
) -> NDArray[np.int64]:
    """What it is: one that no course needs, or half of the time one of a course under treatment."""
    import numpy as np

    who, place = state.block.entity[drawn.owner], drawn.place
    plain = np.flatnonzero(things.course == NONE)
    usual = plain[state.habit(draws, name, len(plain), who, place)]
    if len(plain) == len(things.course):
        return usual
    special = np.flatnonzero(things.course != NONE)
    pick = special[draws.below(f"{name}: special", len(special), who, place)]
    stay = state.block.icu[drawn.stretch]
    treated = state.under_treatment(drawn.owner, drawn.time, stay)
    fits = treated[np.arange(len(who)), things.course[pick]]
    return np.where(fits & draws.chance(f"{name}: treats", 700, who, place), pick, usual)
