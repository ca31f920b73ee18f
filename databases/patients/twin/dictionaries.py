"""Write the tables that explain codes; they are the same for every seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from databases.patients.twin import vocabulary
from databases.patients.twin.hospital import CAREGIVERS, provider_names
from databases.patients.twin.vocabulary import coded

if TYPE_CHECKING:
    from databases.patients.twin.writing import Writer

_LINKS = {
    "input": ("inputevents", "Fluids/Intake"),
    "ingredient": ("ingredientevents", "Ingredients - general (Not In Use)"),
    "procedure": ("procedureevents", "Procedures"),
    "datetime": ("datetimeevents", "Access Lines - Invasive"),
}


def write(writer: Writer) -> int:
    """All of them; returns the number of rows."""
    import numpy as np

    words = vocabulary.words()
    ill = [words["diagnoses"][name] for name in vocabulary.courses()]
    diagnoses = [*ill, *words["background"]["diagnoses"]]
    procedures = list(zip(*coded("procedures"), strict=True))
    for table, pairs in (("d_icd_diagnoses", diagnoses), ("d_icd_procedures", procedures)):
        ordered = sorted((str(code), str(title)) for code, title in pairs)
        codes, titles = zip(*ordered, strict=True)
        writer.put(
            table,
            {"icd_code": codes, "icd_version": np.full(len(codes), 10), "long_title": titles},
        )
    billed = sorted(zip(*coded("billed"), strict=True))
    codes, meanings = zip(*billed, strict=True)
    writer.put("d_hcpcs", {"code": codes, "short_description": meanings})
    lab = vocabulary.laboratory()
    order = np.argsort(lab.itemid)
    writer.put(
        "d_labitems",
        {
            "itemid": lab.itemid[order],
            "label": [lab.labels[n] for n in order],
            "fluid": [lab.kinds[n] for n in order],
            "category": [lab.categories[n] for n in order],
        },
    )
    writer.put("provider", {"provider_id": sorted(provider_names())})
    writer.put("caregiver", {"caregiver_id": np.arange(1, CAREGIVERS + 1)})
    items = _items(writer)
    return len(diagnoses) + len(procedures) + len(billed) + len(lab.itemid) + items


def _items(writer: Writer) -> int:
    """d_items."""
    import pandas as pd

    frames = []
    for name, table in (("vital", "chartevents"), ("output", "outputevents")):
        found = vocabulary.charted(name)
        frames.append(
            pd.DataFrame(
                {
                    "itemid": found.itemid,
                    "label": found.labels,
                    "abbreviation": found.kinds,
                    "linksto": table,
                    "category": found.categories,
                    "unitname": found.units,
                    "param_type": "Numeric",
                    "lownormalvalue": found.low / found.scale,
                    "highnormalvalue": found.high / found.scale,
                }
            )
        )
    for name, (table, category) in _LINKS.items():
        things = vocabulary.things(name)
        frames.append(
            pd.DataFrame(
                {
                    "itemid": things.itemid,
                    "label": things.labels,
                    "abbreviation": things.labels,
                    "linksto": table,
                    "category": category,
                    "unitname": things.units,
                    "param_type": "Solution" if name == "input" else "Processes",
                }
            )
        )
    whole = pd.concat(frames, ignore_index=True).sort_values("itemid")
    writer.put("d_items", {str(name): whole[name].to_numpy() for name in whole.columns})
    return len(whole) + CAREGIVERS + len(provider_names())
