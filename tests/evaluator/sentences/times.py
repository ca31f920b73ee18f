"""Sentences about periods, hours, conditions and changes."""

from __future__ import annotations

from tests.evaluator import facts as f
from tests.evaluator.sentences.labels import LITTLE, NO, YES, Case

TIMES: list[Case] = [
    (
        f.JULY,
        YES,
        "Carrier 03's mean arrival delay (min) is highest in July 2019 (28.4) and lowest in October 2019 (-2.1).",
    ),
    (
        f.OCTOBER,
        YES,
        "Carrier 03's mean arrival delay (min) is highest in July 2019 (28.4) and lowest in October 2019 (-2.1).",
    ),
    (
        f.JULY,
        NO,
        "Carrier 03's mean arrival delay (min) is highest in July 2019 (-2.1) and lowest in October 2019 (28.4).",
    ),
    (
        f.OCTOBER,
        NO,
        "Carrier 03's mean arrival delay (min) is highest in July 2019 (-2.1) and lowest in October 2019 (28.4).",
    ),
    (
        f.JULY,
        NO,
        "Carrier 03's mean arrival delay (min) is highest in October 2019 (28.4) and lowest in July 2019 (-2.1).",
    ),
    (
        f.JULY,
        NO,
        "Carrier 03's mean arrival delay (min) is highest in August 2019 (28.4) and lowest in October 2019 (-2.1).",
    ),
    (f.JULY, YES, "Arrival delays of carrier 03 are worst in July 2019, averaging 28.4 minutes."),
    (f.JULY, YES, "In July 2019, carrier 03 recorded its highest mean arrival delay (28.4 min)."),
    (
        f.JULY,
        YES,
        "July 2019 was carrier 03's worst month for arrival delay: 28.4 minutes on average.",
    ),
    (f.JULY, YES, "Carrier 03's arrival delay peaks in July (mean 28.4 min)."),
    (
        f.JULY,
        NO,
        "Carrier 03's arrival delay peaks in July 2018 (mean 28.4 min).",
    ),
    (f.JULY, LITTLE, "Carrier 03's mean arrival delay is highest in June and July 2019 (28.4)."),
    (
        f.JULY,
        YES,
        "Kestrel's average arrival delay peaked in July 2019 at 28.4 minutes, possibly due to "
        "storms, before falling to -2.1 minutes in October 2019.",
    ),
    (
        f.OCTOBER,
        YES,
        "Kestrel's average arrival delay peaked in July 2019 at 28.4 minutes, possibly due to "
        "storms, before falling to -2.1 minutes in October 2019.",
    ),
    (f.JULY_LEVEL, YES, "In 2019-07 carrier 03's mean arrival delay was 28.4 minutes."),
    (
        f.JULY_LEVEL,
        YES,
        "Carrier 03's monthly mean arrival delay ranges from -2.1 min (October 2019) to 28.4 min (July 2019).",
    ),
    (f.JULY_LEVEL, LITTLE, "Carrier 03's mean arrival delay is 28.4 minutes."),
    (f.JULY_LEVEL, LITTLE, "In Q3 2019 carrier 03's mean arrival delay was 28.4 minutes."),
    (f.JULY_LEVEL, LITTLE, "On 2019-07-14 carrier 03's mean arrival delay was 28.4 minutes."),
    (f.JULY_LEVEL, NO, "In July 2019 carrier 03's mean arrival delay was 21.4 minutes."),
    (
        f.PEAK,
        YES,
        "Carrier 03's mean arrival delay is second highest in June 2019 and highest in July 2019.",
    ),
    (
        f.PEAK,
        NO,
        "Carrier 03's mean arrival delay is lowest in July 2019 and highest in October 2019.",
    ),
    (f.PEAK, NO, "Carrier 03's mean arrival delay is highest in June 2019."),
    (
        f.WORST_DAY,
        YES,
        "On 2019-03-08 carrier 03's mean departure delay (min) was 114.2, its worst day.",
    ),
    (
        f.WORST_DAY,
        YES,
        "The worst day for carrier 03 was 8 March 2019, with a mean departure delay of 114.2 minutes.",
    ),
    (
        f.WORST_DAY,
        YES,
        "On March 8, 2019, carrier 03's departure delay averaged 114.2 minutes, the highest of any day.",
    ),
    (
        f.WORST_DAY,
        NO,
        "On 2019-03-09 carrier 03's mean departure delay (min) was 114.2, its worst day.",
    ),
    (
        f.HOUR_19,
        YES,
        "Carrier 03's mean departure delay (min) is highest at scheduled hour 19 (24.3) and lowest at scheduled hour 6 (1.2).",
    ),
    (
        f.HOUR_6,
        YES,
        "Carrier 03's mean departure delay (min) is highest at scheduled hour 19 (24.3) and lowest at scheduled hour 6 (1.2).",
    ),
    (
        f.HOUR_6,
        NO,
        "Carrier 03's mean departure delay (min) is highest at scheduled hour 6 (24.3) and lowest at scheduled hour 19 (1.2).",
    ),
    (f.HOUR_19, YES, "At 7 pm carrier 03's mean departure delay peaks at 24.3 minutes."),
    (
        f.HOUR_19,
        YES,
        "Flights scheduled at hour 19 have the highest mean departure delay for carrier 03: 24.3 min.",
    ),
    (
        f.HOUR_19,
        LITTLE,
        "Flights scheduled at hour 18 have the highest mean departure delay for carrier 03: 24.3 min.",
    ),
    (f.SATURDAY, YES, "Carrier 03's mean departure delay is lowest on Saturday (9.4)."),
    (f.SATURDAY, YES, "On Saturdays carrier 03's departure delay averages only 9.4 minutes."),
    (f.SATURDAY, LITTLE, "On Sundays carrier 03's departure delay averages only 9.4 minutes."),
    (
        f.TREND,
        YES,
        "Carrier 03's mean departure delay is 18.3 in the first half of the period and 21.7 in the second half.",
    ),
    (
        f.TREND,
        LITTLE,
        "Carrier 03's mean departure delay is 18.3 in the first half of the period and 19.7 in the second half.",
    ),
    (
        f.TREND,
        YES,
        "From the first half to the second half carrier 03's mean departure delay rose by 3.4 minutes.",
    ),
    (
        f.TREND,
        NO,
        "From the first half to the second half carrier 03's mean departure delay fell by 3.4 minutes.",
    ),
]

RESTRICTED: list[Case] = [
    (f.WET, YES, "On rainy departures carrier 03 leaves 35.2 minutes late on average."),
    (f.WET, LITTLE, "On rainy departures to A017 carrier 03 leaves 35.2 minutes late on average."),
    (
        f.WET,
        YES,
        "For carrier 03, where precipitation (in) of weather is above 0, the mean departure delay (min) is 35.2, against 18.7 otherwise.",
    ),
    (
        f.WET,
        NO,
        "For carrier 03, where precipitation (in) of weather is above 0, the mean departure delay (min) is 18.7, against 35.2 otherwise.",
    ),
    (
        f.WET,
        LITTLE,
        "For carrier 03 the mean of departure delay (min) is 35.2, against 11.9 for the rest.",
    ),
    (
        f.WET,
        YES,
        "In wet hours carrier 03's mean departure delay rises to 35.2 minutes from 18.7 in dry ones.",
    ),
    (
        f.WET,
        YES,
        "Carrier 03's mean departure delay is 35.2 minutes when it rains and 18.7 when dry.",
    ),
    (f.WET, YES, "Carrier 03's mean departure delay is 18.7 in dry hours and 35.2 in wet hours."),
    (
        f.WET,
        LITTLE,
        "Carrier 03's mean departure delay is 35.2 in dry hours and 18.7 in wet hours.",
    ),
    (
        f.WET,
        YES,
        "Rain hurts carrier 03: the mean departure delay is 35.2 minutes in rain versus 18.7 otherwise.",
    ),
    (f.WET, LITTLE, "In wet hours of July 2019 carrier 03's mean departure delay is 35.2 minutes."),
    (
        f.MEAN,
        LITTLE,
        "For carrier 03, where precipitation (in) of weather is above 0, the mean departure delay (min) is 20.0, against 18.7 otherwise.",
    ),
    (f.MEAN, LITTLE, "In July 2019 carrier 03's mean departure delay was 20.0 minutes."),
    (f.MEAN, LITTLE, "On Saturdays carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "At scheduled hour 19 carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "In the evening carrier 03's mean departure delay is 20.0 minutes."),
    (
        f.MEAN,
        LITTLE,
        "In the second half of the year carrier 03's mean departure delay is 20.0 minutes.",
    ),
    (f.MEAN, LITTLE, "In rain carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "When it rains, carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "On its flights to A017 carrier 03's mean departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay on long-haul flights is 20.0 minutes."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay for EMBRAER aircraft is 20.0 minutes."),
    (
        f.MEAN,
        LITTLE,
        "Excluding cancelled flights, carrier 03's mean departure delay is 20.0 minutes.",
    ),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay at vuzak 19 is 20.0 minutes."),
]

CHANGES: list[Case] = [
    (f.GAP, YES, "Carrier 03's departure delay is 8.1 minutes higher than the rest's."),
    (f.GAP, NO, "Carrier 03's departure delay is 8.1 minutes lower than the rest's."),
    (f.GAP, YES, "Carrier 03's departure delay averages 20.0 minutes against 11.9 for the rest."),
    (f.GAP, NO, "Carrier 03's departure delay averages 11.9 minutes against 20.0 for the rest."),
    (f.GAP, LITTLE, "Carrier 03's departure delay averages 8.1 minutes against 7.9 for the rest."),
    (f.HIGHER, YES, "Carrier 03's mean departure delay is higher than that of other carriers."),
    (f.HIGHER, NO, "Carrier 03's mean departure delay is lower than that of other carriers."),
    (f.HIGHER, NO, "Carrier 03's mean departure delay is not higher than that of other carriers."),
    (f.HIGHER, LITTLE, "Carrier 03's mean departure delay rose in July."),
    (
        f.HIGHER,
        LITTLE,
        "Carrier 03's mean departure delay was compared with that of other carriers.",
    ),
    (
        f.AGAINST,
        YES,
        "Carrier 03's mean departure delay is higher than the rest: 20.0 minutes against 11.9.",
    ),
    (
        f.AGAINST,
        NO,
        "Carrier 03's mean departure delay is lower than the rest: 20.0 minutes against 31.9.",
    ),
    (
        f.CORRELATION,
        YES,
        "Departure delay (min) and distance (mi) of carrier 03 are correlated (r = 0.34).",
    ),
    (
        f.CORRELATION,
        YES,
        "For carrier 03 the correlation between departure delay and distance is 0.34.",
    ),
    (
        f.CORRELATION,
        NO,
        "For carrier 03 the correlation between departure delay and distance is -0.34.",
    ),
    (
        f.NEGATIVE,
        YES,
        "For carrier 03 the correlation between departure delay and distance is -0.34.",
    ),
    (
        f.NEGATIVE,
        YES,
        "Over carrier 03's rows departure delay (min) falls with distance (mi) (r = -0.34), against 0.02 for the rest.",
    ),
    (f.CORRELATION, LITTLE, "Carrier 03's mean departure delay over a distance of 0.34 is high."),
]
