-- The five tables as an agent sees them. `map_*` hold the pseudonyms and live in memory only.

CREATE TABLE carriers (
    carrier_id VARCHAR NOT NULL,
    carrier_name VARCHAR NOT NULL
);
INSERT INTO carriers
SELECT m.id, m.name FROM source_airlines s JOIN map_carriers m ON m.code = s.carrier
ORDER BY m.id;

CREATE TABLE airports (
    airport_id VARCHAR NOT NULL,
    altitude_ft INTEGER NOT NULL,
    utc_offset_h INTEGER NOT NULL,
    dst_rule VARCHAR NOT NULL
);
INSERT INTO airports
SELECT m.id, (round(s.alt / 10.0) * 10)::INTEGER, s.tz,
    CASE s.dst WHEN 'A' THEN 'seasonal' WHEN 'N' THEN 'none' ELSE 'unknown' END
FROM source_airports s JOIN map_airports m ON m.code = s.faa
ORDER BY m.id;

CREATE TABLE aircraft (
    aircraft_id VARCHAR NOT NULL,
    built_year INTEGER,
    category VARCHAR NOT NULL,
    manufacturer VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    engine_count INTEGER NOT NULL,
    seat_count INTEGER NOT NULL,
    cruise_speed_mph INTEGER,
    engine_type VARCHAR NOT NULL
);
INSERT INTO aircraft
SELECT m.id, s.year + getvariable('shift_years'), s.type,
    -- Home-built aircraft carry their builder's name: a private person.
    CASE WHEN p.name IS NULL THEN s.manufacturer ELSE 'PRIVATE BUILDER' END,
    CASE WHEN p.name IS NULL THEN s.model ELSE 'HOME BUILT' END,
    s.engines, s.seats, s.speed, s.engine
FROM source_planes s
JOIN map_aircraft m ON m.code = s.tailnum
LEFT JOIN private_builders p ON p.name = s.manufacturer
ORDER BY m.id;

CREATE TABLE weather (
    airport_id VARCHAR NOT NULL,
    observed_on DATE NOT NULL,
    observed_hour INTEGER NOT NULL,
    temperature_f DOUBLE,
    dew_point_f DOUBLE,
    humidity_pct DOUBLE,
    wind_direction_deg INTEGER,
    wind_speed_mph DOUBLE,
    wind_gust_mph DOUBLE,
    precipitation_in DOUBLE NOT NULL,
    pressure_mbar DOUBLE,
    visibility_mi DOUBLE NOT NULL,
    observed_at_utc TIMESTAMP NOT NULL
);
INSERT INTO weather
SELECT m.id, make_date(s.year, s.month, s.day) + getvariable('shift_days')::INTEGER, s.hour,
    s.temp, s.dewp, s.humid, s.wind_dir, round(s.wind_speed, 2), round(s.wind_gust, 2),
    s.precip, s.pressure, s.visib, s.time_hour + to_days(getvariable('shift_days')::INTEGER)
FROM source_weather s JOIN map_airports m ON m.code = s.origin
ORDER BY m.id, s.time_hour;

CREATE TABLE flights (
    flight_date DATE NOT NULL,
    scheduled_departure_hhmm INTEGER NOT NULL,
    actual_departure_hhmm INTEGER,
    departure_delay_min INTEGER,
    scheduled_arrival_hhmm INTEGER NOT NULL,
    actual_arrival_hhmm INTEGER,
    arrival_delay_min INTEGER,
    carrier_id VARCHAR NOT NULL,
    flight_number INTEGER NOT NULL,
    aircraft_id VARCHAR,
    origin_id VARCHAR NOT NULL,
    destination_id VARCHAR NOT NULL,
    air_time_min INTEGER,
    distance_mi INTEGER NOT NULL,
    scheduled_hour INTEGER NOT NULL,
    scheduled_minute INTEGER NOT NULL,
    scheduled_at_utc TIMESTAMP NOT NULL
);
INSERT INTO flights
SELECT make_date(s.year, s.month, s.day) + getvariable('shift_days')::INTEGER AS flight_date,
    s.sched_dep_time, s.dep_time, s.dep_delay, s.sched_arr_time, s.arr_time, s.arr_delay,
    c.id, n.new_number, t.id, o.id, d.id, s.air_time, s.distance, s.hour, s.minute,
    s.time_hour + to_days(getvariable('shift_days')::INTEGER)
FROM source_flights s
JOIN map_carriers c ON c.code = s.carrier
JOIN map_flight_numbers n ON n.carrier = s.carrier AND n.number = s.flight
LEFT JOIN map_aircraft t ON t.code = s.tailnum
JOIN map_airports o ON o.code = s.origin
JOIN map_airports d ON d.code = s.dest
ORDER BY c.id, flight_date, s.sched_dep_time, n.new_number, o.id;

COMMENT ON TABLE carriers IS 'The companies that operate the flights. One row per carrier.';
COMMENT ON COLUMN carriers.carrier_id IS 'Identifies the carrier; flights.carrier_id refers to it.';
COMMENT ON COLUMN carriers.carrier_name IS 'Name of the carrier (a pseudonym).';

COMMENT ON TABLE airports IS 'Airports. One row per airport, also of airports that no flight in this database uses; a few destinations have no row here.';
COMMENT ON COLUMN airports.airport_id IS 'Identifies the airport (a pseudonym); flights.origin_id, flights.destination_id and weather.airport_id refer to it.';
COMMENT ON COLUMN airports.altitude_ft IS 'Altitude above sea level in feet, rounded to 10.';
COMMENT ON COLUMN airports.utc_offset_h IS 'Offset of standard time from UTC in hours; negative is west of Greenwich.';
COMMENT ON COLUMN airports.dst_rule IS 'Daylight saving time: seasonal (clocks change twice a year), none, or unknown.';

COMMENT ON TABLE aircraft IS 'Aircraft on record. One row per aircraft; flights of aircraft that are not on record find no row here.';
COMMENT ON COLUMN aircraft.aircraft_id IS 'Identifies the aircraft (a pseudonym); flights.aircraft_id refers to it.';
COMMENT ON COLUMN aircraft.built_year IS 'Year of construction, shifted by as many years as the dates; NULL = not on record.';
COMMENT ON COLUMN aircraft.category IS 'Fixed wing with one or several engines, or rotorcraft.';
COMMENT ON COLUMN aircraft.manufacturer IS 'Manufacturer as registered; one maker may occur under several spellings. PRIVATE BUILDER = built by a private person.';
COMMENT ON COLUMN aircraft.model IS 'Model designation as registered.';
COMMENT ON COLUMN aircraft.engine_count IS 'Number of engines.';
COMMENT ON COLUMN aircraft.seat_count IS 'Number of seats.';
COMMENT ON COLUMN aircraft.cruise_speed_mph IS 'Average cruising speed in miles per hour; NULL = not on record, which is nearly always so.';
COMMENT ON COLUMN aircraft.engine_type IS 'Kind of engine.';

COMMENT ON TABLE weather IS 'Hourly weather at the airports of departure. One row per airport and hour in which an observation was made; some hours are missing.';
COMMENT ON COLUMN weather.airport_id IS 'Airport of the observation; joins flights.origin_id.';
COMMENT ON COLUMN weather.observed_on IS 'Local date of the observation; joins flights.flight_date.';
COMMENT ON COLUMN weather.observed_hour IS 'Local hour of the observation, 0 to 23; joins flights.scheduled_hour. One local hour occurs twice in the year, when clocks go back.';
COMMENT ON COLUMN weather.temperature_f IS 'Air temperature in degrees Fahrenheit; NULL = not measured.';
COMMENT ON COLUMN weather.dew_point_f IS 'Dew point in degrees Fahrenheit; NULL = not measured.';
COMMENT ON COLUMN weather.humidity_pct IS 'Relative humidity in per cent; NULL = not measured.';
COMMENT ON COLUMN weather.wind_direction_deg IS 'Direction that the wind comes from in degrees: 360 = north, 90 = east, 0 = calm; NULL = variable or not measured.';
COMMENT ON COLUMN weather.wind_speed_mph IS 'Wind speed in miles per hour, as recorded, faults of the instrument included; NULL = not measured.';
COMMENT ON COLUMN weather.wind_gust_mph IS 'Speed of gusts in miles per hour; NULL = no gust reported, which is so in four hours of five.';
COMMENT ON COLUMN weather.precipitation_in IS 'Precipitation in the hour, in inches; 0 = none recorded.';
COMMENT ON COLUMN weather.pressure_mbar IS 'Air pressure at sea level in millibars; NULL = not measured, which is so in one hour of ten.';
COMMENT ON COLUMN weather.visibility_mi IS 'Visibility in miles; 10 is the most that is reported.';
COMMENT ON COLUMN weather.observed_at_utc IS 'The hour of the observation in UTC; joins flights.scheduled_at_utc without doubt. See there for daylight saving time.';

COMMENT ON TABLE flights IS 'Scheduled departures of one year from three airports. One row per flight, cancelled ones included, sorted by carrier and scheduled time.';
COMMENT ON COLUMN flights.flight_date IS 'Local date of the scheduled departure. All dates of this database are shifted by the same whole number of weeks: weekdays are true, public holidays are not where the calendar has them.';
COMMENT ON COLUMN flights.scheduled_departure_hhmm IS 'Scheduled departure, local time as hour * 100 + minute (1730 is 17:30). Not a number to average.';
COMMENT ON COLUMN flights.actual_departure_hhmm IS 'Actual departure, local time as hour * 100 + minute; 2400 is midnight. NULL = the flight was cancelled.';
COMMENT ON COLUMN flights.departure_delay_min IS 'Actual minus scheduled departure in minutes; negative = early. NULL = the flight was cancelled.';
COMMENT ON COLUMN flights.scheduled_arrival_hhmm IS 'Scheduled arrival, local time of the destination as hour * 100 + minute. Not a number to average.';
COMMENT ON COLUMN flights.actual_arrival_hhmm IS 'Actual arrival, local time of the destination as hour * 100 + minute; 2400 is midnight. NULL = cancelled, or arrival not recorded.';
COMMENT ON COLUMN flights.arrival_delay_min IS 'Actual minus scheduled arrival in minutes; negative = early. NULL = cancelled, diverted, or arrival not recorded.';
COMMENT ON COLUMN flights.carrier_id IS 'Carrier that operates the flight; refers to carriers.carrier_id.';
COMMENT ON COLUMN flights.flight_number IS 'Number of the flight (a pseudonym), unique within a carrier only: the same number of two carriers means two things.';
COMMENT ON COLUMN flights.aircraft_id IS 'Aircraft that flew; refers to aircraft.aircraft_id, where not every aircraft is on record. NULL = not known, which is so for cancelled flights only.';
COMMENT ON COLUMN flights.origin_id IS 'Airport of departure; refers to airports.airport_id.';
COMMENT ON COLUMN flights.destination_id IS 'Airport of arrival; refers to airports.airport_id, where a few destinations have no row.';
COMMENT ON COLUMN flights.air_time_min IS 'Time in the air in minutes. NULL = cancelled, diverted, or not recorded.';
COMMENT ON COLUMN flights.distance_mi IS 'Distance between the two airports in miles, as scheduled.';
COMMENT ON COLUMN flights.scheduled_hour IS 'Local hour of the scheduled departure, 0 to 23.';
COMMENT ON COLUMN flights.scheduled_minute IS 'Minute of the scheduled departure, 0 to 59.';
COMMENT ON COLUMN flights.scheduled_at_utc IS 'Scheduled departure in UTC, cut to the full hour (scheduled_hour is local). The offset to local time is that of the true moment, shifted with it: clocks do not change on the days that the calendar gives.';
