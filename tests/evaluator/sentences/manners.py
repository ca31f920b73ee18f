"""Sentences that differ in who is meant, how surely it is said, and how it is laid out."""

from __future__ import annotations

from tests.evaluator import facts as f
from tests.evaluator.sentences.labels import LITTLE, NO, YES, Case

WHO: list[Case] = [
    (f.MEAN, LITTLE, "Carrier 07's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "The mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "Its mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "Over all carriers the mean departure delay is 20.0 minutes."),
    (
        f.MEAN,
        LITTLE,
        "Carrier 03 is one of many. Overall, the mean departure delay is 20.0 minutes.",
    ),
    (f.MEAN, NO, "Carrier 07's mean departure delay is 20.0, against 11.9 for carrier 03."),
    (f.MEAN, YES, "Carrier 07's mean departure delay is 11.9, far below carrier 03's 20.0."),
    (
        f.MEAN,
        LITTLE,
        "Carrier 03 meets carrier 07 daily. Carrier 07's mean departure delay is 20.0 minutes.",
    ),
    (
        f.MEAN,
        LITTLE,
        "Other carriers average a departure delay of 20.0 minutes, but carrier 03 averages 26.0.",
    ),
    (
        f.MEAN,
        LITTLE,
        "The other carriers' mean departure delay is 20.0 minutes; carrier 03 is worse.",
    ),
    (f.MEAN, YES, "Kestrel (03) has a mean departure delay of 20.0 minutes; Osprey (04) of 8.1."),
    (
        f.MEAN,
        LITTLE,
        "Osprey (04) has a mean departure delay of 20.0 minutes; Kestrel (03) of 8.1.",
    ),
    (f.MEAN, YES, "Carrier 03 stands out. The carrier's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "Hour 03 has a mean departure delay of 20.0 minutes."),
]

STANCE: list[Case] = [
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay may be 20.0 minutes."),
    (f.MEAN, LITTLE, "Perhaps carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "I guess that carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "It is possibly carrier 03's mean departure delay that is 20.0 minutes."),
    (f.MEAN, LITTLE, "If carrier 03's mean departure delay were 20.0 minutes, it would be last."),
    (f.MEAN, LITTLE, "Is carrier 03's mean departure delay 20.0 minutes?"),
    (f.MEAN, NO, "Carrier 03's mean departure delay is not 20.0 minutes."),
    (f.MEAN, NO, "Carrier 03's mean departure delay isn't 20.0 minutes."),
    (f.MEAN, NO, "Carrier 03's mean departure delay is 26.0 rather than 20.0 minutes."),
    (f.MEAN, NO, "It is false that carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, NO, "It is not the case that carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, NO, "That carrier 03's mean departure delay is 20.0 minutes is not true."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay is 19.0 or 20.0 minutes."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay is between 15 and 25 minutes."),
    (f.MEAN, YES, "Carrier 03's mean departure delay, not only its median, is 20.0 minutes."),
]

GUESSES: list[Case] = [
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay is 18.0, 19.0, 20.0, 21.0, 22.0 or 23.0."),
    (
        f.MEAN,
        NO,
        "Carrier 03's mean departure delay is 19.0. Carrier 03's mean departure delay is 20.0.",
    ),
    (
        f.MEAN,
        NO,
        "Carrier 03's departure delay is 19 minutes. Carrier 03's departure delay is 20 minutes.",
    ),
    (
        f.MEAN,
        NO,
        "Carrier 03's departure delay is 18 minutes. Its delay at departure reached 19 on average. "
        "Carrier 03 has 20 minutes of departure delay. Departure delay of carrier 03: 22.",
    ),
    (
        f.HIGHER,
        NO,
        "Carrier 03's mean departure delay is higher than the rest's. Carrier 03's mean departure delay is lower than the rest's.",
    ),
    (
        f.MISSING,
        NO,
        "Departure delay is missing in 5.2% of carrier 03's rows. Departure delay is missing in 5.6% of carrier 03's rows.",
    ),
    (
        f.PEAK,
        NO,
        "Carrier 03's mean arrival delay is highest in July 2019. Carrier 03's mean arrival delay is highest in May 2019.",
    ),
    (
        f.TOP_NAME,
        NO,
        "The most frequent destination of carrier 03 is A017. The most frequent destination of carrier 03 is A018.",
    ),
    (f.MEAN, LITTLE, "answer supported"),
    (f.MEAN, LITTLE, "Carrier 03: answer supported, departure delay supported, label: supported."),
    (f.MEAN, LITTLE, "Carrier 03's departure delay was examined in depth."),
]

LAYOUT: list[Case] = [
    (
        f.MEAN,
        YES,
        "| Carrier | flights | mean departure delay (min) |\n|---|---|---|\n| 03 | 54,635 | 20.0 |\n| 04 | 5,635 | 2.0 |",
    ),
    (
        f.MEAN,
        NO,
        "| Carrier | flights | mean departure delay (min) |\n|---|---|---|\n| 03 | 54,635 | 2.0 |\n| 04 | 5,635 | 20.0 |",
    ),
    (
        f.MEAN,
        YES,
        "| Metric | Carrier 03 | Rest |\n|---|---|---|\n| Mean departure delay (min) | 20.0 | 11.9 |",
    ),
    (
        f.MEAN,
        NO,
        "| Metric | Carrier 03 | Rest |\n|---|---|---|\n| Mean departure delay (min) | 11.9 | 20.0 |",
    ),
    (
        f.MEAN,
        YES,
        "# Carrier 03\n\n## Punctuality\n\n- Mean departure delay: 20.0 min (market 12.6)\n- More below",
    ),
    (
        f.MEAN,
        LITTLE,
        "# Carrier 04\n\n## Punctuality\n\n- Mean departure delay: 20.0 min (market 12.6)\n- More below",
    ),
    (f.MEAN, YES, "1. **Kestrel** departs late:\n   its mean departure delay is\n   20.0 minutes."),
    (
        f.COUNT,
        YES,
        "Carrier 03 (Kestrel) operated 54,635 flights (16.2% of the dataset), serving 47 destinations "
        "from 3 origins; its average departure delay of 20.0 min is well above the overall 12.6 min.",
    ),
    (
        f.DISTINCT,
        YES,
        "Carrier 03 (Kestrel) operated 54,635 flights (16.2% of the dataset), serving 47 destinations "
        "from 3 origins; its average departure delay of 20.0 min is well above the overall 12.6 min.",
    ),
    (
        f.MEAN,
        YES,
        "Carrier 03 (Kestrel) operated 54,635 flights (16.2% of the dataset), serving 47 destinations "
        "from 3 origins; its average departure delay of 20.0 min is well above the overall 12.6 min.",
    ),
]
