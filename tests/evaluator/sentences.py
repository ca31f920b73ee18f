"""Sentences of analysts, profilers and language models, each with the label that it deserves."""

from __future__ import annotations

from core.checklist import Signals
from core.evaluation import Label
from tests.evaluator import facts as f

YES: Label = "supported"
NO: Label = "contradicted"
LITTLE: Label = "insufficient"

Case = tuple[Signals, Label, str]

VOLUME: list[Case] = [
    (f.COUNT, YES, "Carrier 03 has 54,635 rows in flights, 16.2% of all 336,776."),
    (f.SHARE, YES, "Carrier 03 has 54,635 rows in flights, 16.2% of all 336,776."),
    (f.COUNT, NO, "Carrier 03 has 58,012 rows in flights, 16.2% of all 336,776."),
    (f.SHARE, LITTLE, "Carrier 03 has 54,635 rows in flights, 17.2% of all 336,776."),
    (f.COUNT, LITTLE, "Carrier 04 has 54,635 rows in flights, 16.2% of all 336,776."),
    (f.COUNT, LITTLE, "All carriers have 54,635 rows in flights."),
    (f.COUNT, YES, "Carrier 03 flew 54,635 flights in all."),
    (f.COUNT, YES, "Carrier 03's total number of flights is 54,635."),
    (f.COUNT, YES, "There are 54,635 flights for carrier 03."),
    (f.COUNT, YES, "Carrier 03 flew over 54,000 flights."),
    (f.COUNT, LITTLE, "Carrier 03 flew over 55,000 flights."),
    (f.COUNT, YES, "Carrier 03 flew nearly 55,000 flights."),
    (f.COUNT, YES, "Carrier 03 flew 54.6k flights."),
    (f.COUNT, YES, "Carrier 03 flew 54.6 thousand flights."),
    (f.COUNT, LITTLE, "Carrier 03 flew 0.1 million flights."),
    (f.COUNT, LITTLE, "Carrier 03 flew between 54,000 and 55,000 flights."),
    (f.COUNT, YES, "A query of flights returned 54,635 rows for carrier_id = '03'."),
    (f.COUNT, LITTLE, "Carrier 03 has 54,635 flights to A017."),
    (
        f.COUNT,
        YES,
        "Kestrel is the largest operator in the dataset with 54,635 flights, accounting for "
        "roughly 16.2% of all traffic.",
    ),
    (
        f.SHARE,
        YES,
        "Kestrel is the largest operator in the dataset with 54,635 flights, accounting for "
        "roughly 16.2% of all traffic.",
    ),
    (f.SHARE, YES, "- **Volume:** Carrier 03 operated **54,635** flights (16.2% of the total)."),
    (f.SHARE, LITTLE, "Carrier 03 accounts for 16.2% of the flights to A017."),
    (f.DISTINCT, YES, "Carrier 03 has 47 different values of destination."),
    (f.DISTINCT, YES, "Carrier 03 serves 47 destinations."),
    (f.DISTINCT, YES, "Carrier 03 serves forty-seven destinations."),
    (f.DISTINCT, YES, "The number of distinct destinations of carrier 03 is 47."),
    (f.DISTINCT, NO, "Carrier 03 has 46 different values of destination."),
    (f.DISTINCT, LITTLE, "Carrier 03's mean destination distance is 47."),
    (f.DISTINCT, LITTLE, "Carrier 03 has 47% of its rows with a destination."),
]

MEANS: list[Case] = [
    (
        f.MEAN,
        YES,
        "For carrier 03 the mean of departure delay (min) is 20.0, against 11.9 for the rest.",
    ),
    (
        f.MEAN,
        NO,
        "For carrier 03 the mean of departure delay (min) is 11.9, against 20.0 for the rest.",
    ),
    (
        f.AGAINST,
        YES,
        "For carrier 03 the mean of departure delay (min) is 20.0, against 11.9 for the rest.",
    ),
    (
        f.AGAINST,
        NO,
        "For carrier 03 the mean of departure delay (min) is 20.0, against 31.9 for the rest.",
    ),
    (f.AGAINST, LITTLE, "For carrier 03 the mean of departure delay (min) is 20.0."),
    (
        f.MEAN,
        YES,
        "Carrier 03's average departure delay is 20.0 minutes, compared with 11.9 for others.",
    ),
    (
        f.MEAN,
        YES,
        "Compared with 11.9 for the rest, carrier 03's mean departure delay is 20.0 minutes.",
    ),
    (
        f.MEAN,
        YES,
        "Kestrel's average departure delay (20.0 min) is well above the market average (11.9 min).",
    ),
    (
        f.MEAN,
        YES,
        "**Carrier 03 (Kestrel)** — average departure delay: **20.0 min** (overall: 12.6 min)",
    ),
    (
        f.MEAN,
        YES,
        "Carrier 03 (Kestrel) departs late: departure delay averages 20.0 min vs. 11.9 min.",
    ),
    (
        f.MEAN,
        YES,
        "While the rest average 11.9 minutes, carrier 03's departure delay averages 20.0 minutes.",
    ),
    (f.MEAN, YES, "Carrier 03 was examined. Its mean departure delay is 20.0 minutes."),
    (f.MEAN, YES, "Carrier 03's mean departure delay is about 20 minutes."),
    (f.MEAN, YES, "Carrier 03's mean departure delay is 0.333 hours."),
    (f.MEAN, YES, "avg(departure_delay_min) = 20.0 for carrier 03"),
    (f.MEAN, YES, "Carrier 03’s mean departure delay is 20.0 min."),
    (f.MEAN, YES, "Carrier\u00a003’s mean departure delay is 20.0\u202fmin."),
    (f.MEAN, YES, "CARRIER 03'S MEAN DEPARTURE DELAY IS 20.0 MIN."),
    (
        f.MEAN,
        YES,
        "Carrier 03's mean departure delay (20.0 min) is the highest among the 16 carriers.",
    ),
    (f.MEAN, YES, "With a mean departure delay of 20.0 minutes, carrier 03 is the least punctual."),
    (f.MEAN, YES, "Carrier 03 shows poor punctuality: its mean departure delay is 20.0 minutes."),
    (
        f.MEAN,
        YES,
        "Carrier 03's mean departure delay is about 20 minutes, which may reflect congestion.",
    ),
    (
        f.MEAN,
        YES,
        "Carrier 03 averages a departure delay of 20.0 minutes – 8.1 minutes more than the rest.",
    ),
    (f.MEAN, YES, "Departure delay: carrier 03 = 20.0 min, rest = 11.9 min"),
    (f.MEAN, LITTLE, "Departure delay: carrier 03 = 11.9 min, rest = 20.0 min"),
    (
        f.MEAN,
        YES,
        "Carrier 03 and carrier 07 have mean departure delays of 20.0 and 11.9 respectively.",
    ),
    (
        f.MEAN,
        NO,
        "Carrier 07 and carrier 03 have mean departure delays of 20.0 and 11.9 respectively.",
    ),
    (
        f.MEAN,
        LITTLE,
        "Carrier 03's departure and arrival delays average 15.2 and 20.0, respectively.",
    ),
    (f.MEAN, LITTLE, "The median departure delay of carrier 03 is 20.0 minutes."),
    (f.MEAN, LITTLE, "The highest departure delay (min) of carrier 03 is 20.0."),
    (f.MEAN, LITTLE, "The standard deviation of carrier 03's departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "The 90th percentile of carrier 03's departure delay is 20.0 minutes."),
    (f.MEAN, LITTLE, "Departure delay (min) is missing in 20.0% of carrier 03's rows."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay is 20.0%."),
    (f.MEAN, NO, "Carrier 03's mean departure delay is 20.0 hours."),
    (f.MEAN, NO, "Carrier 03's mean departure delay is −20.0 minutes."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay increased by 20.0 minutes."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay is 20.0 minutes higher than the rest's."),
    (f.MEAN, LITTLE, "Carrier 03's mean departure delay ranges from 11 to 20.0 minutes."),
    (
        f.MEDIAN,
        YES,
        "For carrier 03 the median of departure delay (min) is -2, against 1 for the rest.",
    ),
    (f.MEDIAN, YES, "Carrier 03's median departure delay is 2 minutes early."),
    (f.MEDIAN, LITTLE, "Carrier 03's mean departure delay is -2 minutes."),
    (f.LONGEST, YES, "The highest departure delay (min) of carrier 03 is 1,301."),
    (f.LONGEST, YES, "Carrier 03's longest departure delay was 1,301 minutes."),
    (f.LONGEST, YES, "Carrier 03's maximum departure delay is 21.7 hours."),
    (f.LONGEST, LITTLE, "Carrier 03's mean departure delay is 1,301 minutes."),
    (
        f.SEATS,
        YES,
        "The mean seat count of aircraft over carrier 03's rows is 161.2, against 130.4 for the rest.",
    ),
    (f.SEATS, YES, "Carrier 03's aircraft have 161.2 seats on average."),
    (f.SEATS, YES, "Carrier 03 uses aircraft with an average of 161.2 seats, vs. 130.4 elsewhere."),
    (
        f.MEAN,
        YES,
        "Carrier 03 (Kestrel): mean departure_delay_min is 19.97, median is -2.0, max is 1,301.",
    ),
    (
        f.MEDIAN,
        YES,
        "Carrier 03 (Kestrel): mean departure_delay_min is 19.97, median is -2.0, max is 1,301.",
    ),
    (
        f.LONGEST,
        YES,
        "Carrier 03 (Kestrel): mean departure_delay_min is 19.97, median is -2.0, max is 1,301.",
    ),
]

SISTERS: list[Case] = [
    (f.MEAN, YES, "Carrier 03's mean departure delay is 20.0 and its mean arrival delay is 15.2."),
    (
        f.ARRIVAL_MEAN,
        YES,
        "Carrier 03's mean departure delay is 20.0 and its mean arrival delay is 15.2.",
    ),
    (f.MEAN, NO, "Carrier 03's mean departure delay is 15.2 and its mean arrival delay is 20.0."),
    (
        f.ARRIVAL_MEAN,
        NO,
        "Carrier 03's mean departure delay is 15.2 and its mean arrival delay is 20.0.",
    ),
    (
        f.MEAN,
        LITTLE,
        "For carrier 03 departure delay is high, arrival delay averages 20.0 minutes.",
    ),
    (f.MEAN, NO, "Carrier 03's mean departure delay of 15.2 (arrival: 20.0) is high."),
]

SHARES: list[Case] = [
    (
        f.MISSING,
        YES,
        "Departure delay (min) is missing in 5.2% of carrier 03's rows, against 2.3% for the rest.",
    ),
    (
        f.MISSING,
        NO,
        "Departure delay (min) is missing in 2.3% of carrier 03's rows, against 5.2% for the rest.",
    ),
    (f.MISSING, YES, "5.2% of carrier 03's flights were cancelled, against 2.3% elsewhere."),
    (f.MISSING, YES, "Carrier 03 cancelled 5.2% of its flights."),
    (f.MISSING, YES, "Carrier 03's cancellation rate is 5.2%, more than double the market's 2.3%."),
    (f.MISSING, YES, "Carrier 03's share of cancelled flights is 0.052."),
    (f.MISSING, LITTLE, "Carrier 03 cancelled 5.2 flights a day."),
    (f.MISSING, LITTLE, "In July 2019 carrier 03 cancelled 5.2% of its flights."),
    (
        f.TOP,
        YES,
        "The most frequent destination of carrier 03 is A017, with 23.4% of its rows (12,801).",
    ),
    (
        f.TOP_COUNT,
        YES,
        "The most frequent destination of carrier 03 is A017, with 23.4% of its rows (12,801).",
    ),
    (
        f.TOP,
        LITTLE,
        "The most frequent destination of carrier 03 is A018, with 23.4% of its rows (12,801).",
    ),
    (
        f.TOP_COUNT,
        LITTLE,
        "The most frequent destination of carrier 03 is A018, with 23.4% of its rows (12,801).",
    ),
    (f.TOP, YES, "A017 is carrier 03's most common destination (12,801 flights, 23.4%)."),
    (f.TOP, YES, "23.4% of carrier 03's flights go to A017, its top destination."),
    (
        f.TOP,
        YES,
        "Carrier 03's top three destinations are A017 (23.4%), A044 (11.2%) and A102 (8.0%).",
    ),
    (
        f.TOP,
        LITTLE,
        "Carrier 03's top three destinations are A044 (23.4%), A017 (11.2%) and A102 (8.0%).",
    ),
    (f.TOP, LITTLE, "At destination A017 carrier 03 has 38.1% of all rows."),
    (f.FLEET, YES, "Of carrier 03's rows 72.4% have manufacturer EMBRAER in aircraft."),
    (f.FLEET, LITTLE, "Of carrier 03's rows 72.4% have manufacturer AIRBUS in aircraft."),
    (f.FLEET, YES, "Carrier 03's fleet is dominated by EMBRAER aircraft (72.4% of its flights)."),
    (f.TOP_NAME, YES, "The most frequent destination of carrier 03 is A017."),
    (f.TOP_NAME, LITTLE, "The most frequent destination of carrier 03 is A018."),
]

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

SECTIONS: dict[str, list[Case]] = {
    "volume": VOLUME,
    "means": MEANS,
    "sisters": SISTERS,
    "shares": SHARES,
    "times": TIMES,
    "restricted": RESTRICTED,
    "changes": CHANGES,
    "who": WHO,
    "stance": STANCE,
    "guesses": GUESSES,
    "layout": LAYOUT,
}
