"""Sentences about volumes, means, extremes and shares."""

from __future__ import annotations

from tests.evaluator import facts as f
from tests.evaluator.sentences.labels import LITTLE, NO, YES, Case

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
