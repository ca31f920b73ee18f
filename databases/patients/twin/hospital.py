"""Write what surrounds the measurements: patients, stays, transfers, services, diagnoses, what is billed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from databases.patients.twin import vocabulary
from databases.patients.twin.axis import expand
from databases.patients.twin.people import DAY
from databases.patients.twin.vocabulary import coded, listed
from databases.patients.twin.writing import NONE, days, no_time, texts, times

if TYPE_CHECKING:
    from databases.patients.twin.courses import State
    from databases.patients.twin.draws import Draws, Ints
    from databases.patients.twin.writing import Writer

PROVIDERS = 400
CAREGIVERS = 120


def write(writer: Writer, draws: Draws, state: State) -> Ints:
    """All of them; returns the rows that each patient got."""
    import numpy as np

    _patients(writer, draws, state)
    _admissions(writer, draws, state)
    counts = np.ones(state.block.people, np.int64)
    for table in (_transfers, _services, _diagnoses, _groups, _procedures, _icustays):
        counts = counts + table(writer, draws, state)
    return counts + state.block.stays


def provider(draws: Draws, name: str, *place: Ints) -> Ints:
    """Somebody who orders."""
    return draws.below(f"{name}: provider", PROVIDERS, *place)


def provider_names() -> list[str]:
    """P10AAA ...: as their ids look."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return [f"P{10 + n % 90}{letters[n % 26]}{letters[n // 26]}X" for n in range(PROVIDERS)]


def _patients(writer: Writer, draws: Draws, state: State) -> None:
    block = state.block
    dead = draws.chance("dies", 60, block.entity)
    last = block.start + 3 * 365 * DAY + draws.below("dod", 300 * DAY, block.entity)
    columns = {
        "subject_id": block.subject,
        "gender": texts(draws.below("gender", 2, block.entity), ["F", "M"]),
        "anchor_age": block.age,
        "anchor_year": block.year,
        "anchor_year_group": texts(
            draws.below("group", 5, block.entity),
            ["2008 - 2010", "2011 - 2013", "2014 - 2016", "2017 - 2019", "2020 - 2022"],
        ),
        "dod": no_time(days(last), ~dead),
    }
    writer.put("patients", columns)


def _admissions(writer: Writer, draws: Draws, state: State) -> None:
    block = state.block
    who, number = block.entity[block.owner], block.number
    kind = state.habit(draws, "admission type", 5, who, number)
    urgent = kind == 0
    came = block.admitted - draws.between("waited", 90, 600, who, number)
    columns = {
        "subject_id": block.subject[block.owner],
        "hadm_id": block.hadm,
        "admittime": times(block.admitted),
        "dischtime": times(block.discharged),
        "admission_type": texts(kind, listed("admissions")),
        "admit_provider_id": texts(provider(draws, "admission", who, number), provider_names()),
        "admission_location": texts(draws.below("from", 5, who, number), listed("places")),
        "discharge_location": texts(state.habit(draws, "to", 4, who, number), listed("homes")),
        "insurance": texts(draws.below("insurance", 4, who), listed("insurances")),
        "language": texts(draws.below("language", 5, who), listed("languages")),
        "marital_status": texts(draws.below("marital", 4, who), listed("marital")),
        "race": texts(draws.below("race", 5, who), listed("races")),
        "edregtime": no_time(times(came), ~urgent),
        "edouttime": no_time(times(block.admitted + 30), ~urgent),
        "hospital_expire_flag": number * 0,
    }
    writer.put("admissions", columns)


def _transfers(writer: Writer, draws: Draws, state: State) -> Ints:
    """Admission to a ward, intensive care where there is any, the ward again, and discharge."""
    import numpy as np

    block = state.block
    intensive = np.zeros(len(block.owner), np.int64)
    intensive[block.icu] = 1
    enter, leave = block.admitted.copy(), block.admitted.copy()
    enter[block.icu], leave[block.icu] = block.icu_in, block.icu_out
    stay, step = expand(2 + 2 * intensive)
    is_icu, last = intensive[stay] == 1, step == (1 + 2 * intensive[stay])
    begun = np.select(
        [step == 0, last, step == 1], [block.admitted[stay], block.discharged[stay], enter[stay]],
        default=leave[stay],
    )  # fmt: skip
    ended = np.select(
        [(step == 0) & is_icu, step == 1], [enter[stay], leave[stay]], block.discharged[stay]
    )
    who, number = block.entity[block.owner[stay]], block.number[stay]
    ward = state.habit(draws, "ward", 6, who, number)
    unit = np.where(is_icu & (step == 1), 6 + draws.below("icu unit", 5, who, number), ward)
    columns = {
        "subject_id": block.subject[block.owner[stay]],
        "hadm_id": block.hadm[stay],
        "transfer_id": 30_000_000 + writer.ids("transfer", len(stay)),
        "eventtype": texts(
            np.where(step == 0, 0, np.where(last, 2, 1)), ["admit", "transfer", "discharge"]
        ),
        "careunit": texts(np.where(last, NONE, unit), [*listed("units"), *listed("icus")]),
        "intime": times(begun),
        "outtime": no_time(times(ended), last),
    }
    writer.put("transfers", columns)
    return np.bincount(block.owner[stay], minlength=block.people)


def _services(writer: Writer, draws: Draws, state: State) -> Ints:
    import numpy as np

    block = state.block
    changes = 1 + draws.chance("service changes", 300, block.entity[block.owner], block.number)
    stay, step = expand(changes.astype(np.int64))
    who, number = block.entity[block.owner[stay]], block.number[stay]
    first = state.habit(draws, "service", 6, who, number)
    second = (first + 1 + draws.below("next service", 5, who, number)) % 6
    columns = {
        "subject_id": block.subject[block.owner[stay]],
        "hadm_id": block.hadm[stay],
        "transfertime": times(block.admitted[stay] + step * DAY),
        "prev_service": texts(np.where(step == 0, NONE, first), listed("services")),
        "curr_service": texts(np.where(step == 0, first, second), listed("services")),
    }
    writer.put("services", columns)
    return np.bincount(block.owner[stay], minlength=block.people)


def _diagnoses(writer: Writer, draws: Draws, state: State) -> Ints:
    """The courses of the stay come first, then others that the patient is wont to have."""
    import numpy as np

    block = state.block
    codes, _ = coded("diagnoses")
    ill = state.in_stay()
    ranks = np.cumsum(ill, axis=1)
    stay_c, course = np.nonzero(ill)
    others = draws.between("other diagnoses", 3, 7, block.entity[block.owner], block.number)
    stay_o, step = expand(others)
    who, number = block.entity[block.owner[stay_o]], block.number[stay_o]
    first = state.habit(draws, "diagnosis", len(codes), who, number)
    # A stride of 7 visits all 20 codes: none stands twice in a stay.
    other = (first + 7 * step) % len(codes)
    stay = np.concatenate([stay_c, stay_o])
    rank = np.concatenate([ranks[stay_c, course], ranks[stay_o, -1] + step + 1])
    code = np.concatenate([course, len(ill[0]) + other])
    order = np.argsort(stay * 100 + rank, kind="stable")
    stay, rank, code = stay[order], rank[order], code[order]
    named = [vocabulary.words()["diagnoses"][name][0] for name in vocabulary.courses()]
    columns = {
        "subject_id": block.subject[block.owner[stay]],
        "hadm_id": block.hadm[stay],
        "seq_num": rank,
        "icd_code": texts(code, [*named, *codes]),
        "icd_version": np.full(len(stay), 10),
    }
    writer.put("diagnoses_icd", columns)
    return np.bincount(block.owner[stay], minlength=block.people)


def _groups(writer: Writer, draws: Draws, state: State) -> Ints:
    import numpy as np

    block = state.block
    codes, meanings = coded("groups")
    stay, step = expand(np.full(len(block.owner), 2))
    who, number = block.entity[block.owner[stay]], block.number[stay]
    group = state.habit(draws, "group", len(codes), who, number)
    apr = step == 0
    risk = np.minimum(state.in_stay().sum(axis=1), 3)[stay] + 1
    columns = {
        "subject_id": block.subject[block.owner[stay]],
        "hadm_id": block.hadm[stay],
        "drg_type": texts(step, ["APR", "HCFA"]),
        "drg_code": texts(group, codes),
        "description": texts(group, meanings),
        "drg_severity": np.where(apr, risk, NONE),
        "drg_mortality": np.where(
            apr, np.maximum(risk - draws.below("risk", 2, who, number), 1), NONE
        ),
    }
    writer.put("drgcodes", columns)
    return np.bincount(block.owner[stay], minlength=block.people)


def _procedures(writer: Writer, draws: Draws, state: State) -> Ints:
    import numpy as np

    block = state.block
    codes, _ = coded("procedures")
    counts = draws.below("procedures", 4, block.entity[block.owner], block.number)
    stay, step = expand(counts)
    who, number = block.entity[block.owner[stay]], block.number[stay]
    code = (state.habit(draws, "procedure", len(codes), who, number) + step) % len(codes)
    columns = {
        "subject_id": block.subject[block.owner[stay]],
        "hadm_id": block.hadm[stay],
        "seq_num": step + 1,
        "chartdate": days(block.admitted[stay] + step * DAY),
        "icd_code": texts(code, codes),
        "icd_version": np.full(len(stay), 10),
    }
    writer.put("procedures_icd", columns)
    return np.bincount(block.owner[stay], minlength=block.people)


def _icustays(writer: Writer, draws: Draws, state: State) -> Ints:
    import numpy as np

    block = state.block
    owner, number = block.owner[block.icu], block.number[block.icu]
    who = block.entity[owner]
    unit = draws.below("icu unit", 5, who, number)
    moved = draws.chance("icu moved", 100, who, number)
    columns = {
        "subject_id": block.subject[owner],
        "hadm_id": block.hadm[block.icu],
        "stay_id": block.stay,
        "first_careunit": texts(unit, listed("icus")),
        "last_careunit": texts((unit + moved) % 5, listed("icus")),
        "intime": times(block.icu_in),
        "outtime": times(block.icu_out),
        # Ten-thousandths of a day, as whole numbers until the last division.
        "los": (block.icu_out - block.icu_in) * 10_000 // DAY / 10_000,
    }
    writer.put("icustays", columns)
    return np.bincount(owner, minlength=block.people)
