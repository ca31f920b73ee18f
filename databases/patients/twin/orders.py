"""Write what is ordered and given: orders, pharmacy, prescriptions, doses, services as billed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from databases.patients.twin import vocabulary
from databases.patients.twin.axis import Spread, expand
from databases.patients.twin.hospital import provider, provider_names
from databases.patients.twin.hostile import planted
from databases.patients.twin.people import DAY
from databases.patients.twin.vocabulary import coded, listed
from databases.patients.twin.writing import NONE, days, same, texts, times

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from databases.patients.twin.courses import State
    from databases.patients.twin.draws import Draws, Ints
    from databases.patients.twin.writing import Writer

_POE_ID = "subject_id || '-' || poe_seq"
_TREATS = 700
"""Orders of a thousand that are for a course under treatment."""


@dataclass(frozen=True)
class Medication:
    """The orders of drugs among a block's orders, by patient and time."""

    orders: Spread
    drug: Ints
    poe_seq: Ints
    pharmacy_id: Ints
    stop: Ints
    number: Ints
    """Counts the patient's orders of drugs from 0."""


def poe(writer: Writer, draws: Draws, state: State, counts: Ints, drugs: Ints) -> Medication:
    """All orders; so many of each patient's are for drugs, evenly among the others."""
    import numpy as np

    block = state.block
    drawn = block.in_hospital().spread(counts, draws, "order", block.entity)
    owner, place = drawn.owner, drawn.place
    who, whole = block.entity[owner], counts[owner]
    is_drug = (place + 1) * drugs[owner] // whole > place * drugs[owner] // whole
    kinds = listed("orders")
    kind = np.where(is_drug, len(kinds), draws.below("order kind", len(kinds), who, place))
    seq = place + 1
    columns = {
        "poe_seq": seq,
        "subject_id": block.subject[owner],
        "hadm_id": block.hadm[drawn.stretch],
        "ordertime": times(drawn.time),
        "order_type": texts(kind, [*kinds, "Medications"]),
        "transaction_type": texts(
            draws.below("transaction", 3, who, place) // 2, ["New", "Change"]
        ),
        "order_provider_id": texts(provider(draws, "order", who, place), provider_names()),
        "order_status": same("Inactive", len(who)),
    }
    writer.put("poe", columns, poe_id=_POE_ID)
    picked = np.flatnonzero(is_drug)
    orders = Spread(owner[picked], place[picked], drawn.stretch[picked], drawn.time[picked])
    number = place[picked] * drugs[orders.owner] // counts[orders.owner]
    lasts = draws.between("order lasts", 1, 3, block.entity[orders.owner], number) * DAY
    stop = np.minimum(orders.time + lasts, block.discharged[orders.stretch] + 60)
    return Medication(
        orders=orders,
        drug=_drug(draws, state, orders, number),
        poe_seq=seq[picked],
        pharmacy_id=writer.ids("pharmacy", len(picked)),
        stop=stop,
        number=number,
    )


def poe_detail(
    writer: Writer, draws: Draws, state: State, counts: Ints, orders: Ints, *, hostile: bool
) -> None:
    """Fields of orders, evenly over them. `orders`: how many each patient has."""
    import numpy as np

    block = state.block
    owner, place = expand(counts)
    who = block.entity[owner]
    said = texts(draws.below("field", 3, who, place), ["Admit to", "Code status", "Consult Status"])
    values = ["Inpatient", "Resuscitate (Full code)", "Consult requested"]
    text = planted(draws, "field", hostile, who, place)
    places = np.where(text.codes >= 0, text.codes + len(values), said.codes)
    columns = {
        "poe_seq": place * orders[owner] // counts[owner] + 1,
        "subject_id": block.subject[owner],
        "field_name": said,
        "field_value": texts(places, [*values, *text.categories]),
    }
    writer.put("poe_detail", columns, poe_id=_POE_ID)


def prescribed(writer: Writer, draws: Draws, state: State, given: Medication) -> None:
    """One row of pharmacy and of prescriptions for each order of a drug."""
    import numpy as np

    block, drugs, orders, drug = state.block, vocabulary.drugs(), given.orders, given.drug
    who = block.entity[orders.owner]
    shared = {
        "subject_id": block.subject[orders.owner],
        "hadm_id": block.hadm[orders.stretch],
        "pharmacy_id": given.pharmacy_id,
        "poe_seq": given.poe_seq,
        "starttime": times(orders.time),
        "stoptime": times(given.stop),
        "route": texts(drug, drugs.routes),
        "doses_per_24_hrs": drugs.a_day[drug].astype(float),
    }
    intravenous = np.array([route == "IV" for route in drugs.routes])[drug]
    pharmacy = {
        "medication": texts(drug, drugs.names),
        "proc_type": texts(intravenous.astype(np.int64), ["Unit Dose", "IV Piggyback"]),
        "status": same("Discontinued via patient discharge", len(drug)),
        "entertime": times(orders.time),
        "verifiedtime": times(orders.time + 12),
        "frequency": texts(drugs.a_day[drug] - 1, ["DAILY", "BID", "TID", "Q6H"]),
        "duration": np.maximum((given.stop - orders.time) // DAY, 1).astype(float),
        "duration_interval": same("Days", len(drug)),
        "dispensation": same("Omnicell", len(drug)),
    }
    writer.put("pharmacy", {**shared, **pharmacy}, poe_id=_POE_ID)
    codes = [f"{name[:4].upper().strip()}{n:02d}" for n, name in enumerate(drugs.names)]
    prescription = {
        "order_provider_id": texts(provider(draws, "drug", who, given.number), provider_names()),
        "drug_type": same("MAIN", len(drug)),
        "drug": texts(drug, drugs.names),
        "formulary_drug_cd": texts(drug, codes),
        "gsn": texts(drug, [f"{4000 + 37 * n:06d}" for n in range(len(codes))]),
        "ndc": texts(drug, [f"{90_000_000_000 + 7919 * n}" for n in range(len(codes))]),
        "prod_strength": texts(drug, drugs.strengths),
        "form_rx": texts(drug, drugs.forms),
        "dose_val_rx": texts(drug, drugs.doses),
        "dose_unit_rx": texts(drug, drugs.units),
        "form_val_disp": same("1", len(drug)),
        "form_unit_disp": texts(drug, drugs.forms),
    }
    writer.put("prescriptions", {**shared, **prescription}, poe_id=_POE_ID)


def emar(
    writer: Writer, draws: Draws, state: State, given: Medication, *, counts: Ints, drugs: Ints
) -> None:
    """Doses, evenly over a patient's orders of drugs, in order of time, each with its detail."""
    import numpy as np

    block, known = state.block, vocabulary.drugs()
    owner, place = expand(counts)
    number = place * drugs[owner] // counts[owner]
    first = -(-(number * counts[owner]) // drugs[owner])
    after = -(-((number + 1) * counts[owner]) // drugs[owner])
    order = (np.cumsum(drugs) - drugs)[owner] + number
    start, stop = given.orders.time[order], given.stop[order]
    time = start + 30 + (place - first) * (stop - start) // np.maximum(after - first, 1)
    sorting = np.argsort(owner * (1 << 40) + time, kind="stable")
    owner, order, time = owner[sorting], order[sorting], time[sorting]
    who, drug = block.entity[owner], given.drug[order]
    seq = place + 1
    lot = draws.below("dose event", 100, who, place)
    event = np.where(lot < 90, 0, np.where(lot < 96, 1, 2))
    on_time = draws.between("dose late", -10, 40, who, place)
    columns = {
        "subject_id": block.subject[owner],
        "hadm_id": block.hadm[given.orders.stretch[order]],
        "emar_seq": seq,
        "poe_seq": given.poe_seq[order],
        "pharmacy_id": given.pharmacy_id[order],
        "charttime": times(time + on_time),
        "medication": texts(drug, known.names),
        "event_txt": texts(event, ["Administered", "Not Given", "Flushed"]),
        "scheduletime": times(time),
        "storetime": times(time + on_time + 2),
    }
    emar_id = "subject_id || '-' || emar_seq"
    writer.put("emar", columns, emar_id=emar_id, poe_id=_POE_ID)
    if not writer.wants("emar_detail"):
        return
    given_dose = np.where(event == 0, drug, NONE)
    detail = {
        "subject_id": block.subject[owner],
        "emar_seq": seq,
        "administration_type": same("Standard Maintenance Medication", len(drug)),
        "pharmacy_id": given.pharmacy_id[order],
        "barcode_type": same("if", len(drug)),
        "dose_due": texts(drug, known.doses),
        "dose_due_unit": texts(drug, known.units),
        "dose_given": texts(given_dose, known.doses),
        "dose_given_unit": texts(given_dose, known.units),
        "product_description": texts(drug, known.names),
        "route": texts(drug, known.routes),
    }
    writer.put("emar_detail", detail, emar_id=emar_id)


def hcpcsevents(writer: Writer, draws: Draws, state: State, counts: Ints) -> None:
    """Services as billed, during stays."""
    import numpy as np

    block = state.block
    drawn = block.in_hospital().spread(counts, draws, "billed", block.entity)
    who = block.entity[drawn.owner]
    codes, meanings = coded("billed")
    code = state.habit(draws, "billed", len(codes), who, drawn.place)
    columns = {
        "subject_id": block.subject[drawn.owner],
        "hadm_id": block.hadm[drawn.stretch],
        "chartdate": days(drawn.time),
        "hcpcs_cd": texts(code, codes),
        "seq_num": np.ones(len(who), np.int64),
        "short_description": texts(code, meanings),
    }
    writer.put("hcpcsevents", columns)


def _drug(draws: Draws, state: State, orders: Spread, number: Ints) -> NDArray[np.int64]:
    """What each order is for: a course under treatment, or what the patient is wont to take."""
    import numpy as np

    drugs = vocabulary.drugs()
    who = state.block.entity[orders.owner]
    treated = state.under_treatment(orders.owner, orders.time, orders.stretch)
    ill = treated.sum(axis=1)
    # Which of the courses under treatment: the n-th that is.
    pick = draws.below("drug for", np.maximum(ill, 1), who, number)
    rank = np.cumsum(treated, axis=1) - 1
    course = np.argmax(treated & (rank == pick[:, None]), axis=1)
    usual = state.habit(draws, "drug", drugs.usual, who, number)
    for_course = (ill > 0) & draws.chance("drug treats", _TREATS * ill // (ill + 1), who, number)
    return np.where(for_course, drugs.treating()[course], usual)
