"""What a twin's phone tells of its surroundings: devices, networks and places, from habits and mood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from databases.wearables.columns import POWERS, Columns, entropy, ratio, stretches, where

if TYPE_CHECKING:
    from databases.draws import Whole
    from databases.wearables.state import Days


def bluetooth(days: Days) -> Columns:
    """Low mood: fewer devices of other people come near."""
    own = days.trait("own devices", 1, 4) * (days.between("own about", 0, 99) >= 12)
    others = (
        days.typical("other devices", 42, 16)
        * (1024 + days.noise("devices", 200) + days.outgoing("devices", 330))
        // 1024
    )
    others = np.where(
        days.weekend, others * days.trait("weekend devices", 400, 1000) // 1000, others
    )
    others = np.clip(days.scaled("devices", others, -650, -250), 1, 900)
    seen = {
        "own": own * days.between("own scans", 4, 30),
        "others": others * days.between("other scans", 11, 30) // 10,
    }
    devices = {"own": own, "others": others, "all": own + others}
    seen["all"] = seen["own"] + seen["others"]
    found: Columns = {
        "sensed": days.sensed("bluetooth", 450, 900),
        "scans": seen["all"],
        "devices": devices["all"],
    }
    top = {}
    for whose, scans in seen.items():
        number = devices[whose]
        mean = scans // np.maximum(number, 1)
        most = mean + (scans - mean) * days.between(f"most {whose}", 60, 500) // 1000
        least = np.minimum(np.maximum(1, mean // 3), scans)
        known = days.between(f"known {whose}", 0, 99) < 55
        top[whose] = np.where(known, most * days.between(f"usual {whose}", 400, 1000) // 1000, 0)
        found |= {
            f"scans_{whose}": scans,
            f"devices_{whose}": number,
            f"mean_scans_{whose}": np.where(number > 0, ratio(scans, np.maximum(number, 1)), 0.0),
            f"sd_scans_{whose}": where(number > 1, ratio((most - least) * 3, 10)),
            f"scans_most_seen_of_day_{whose}": most,
            f"scans_most_seen_of_days_{whose}": top[whose],
            f"scans_most_seen_of_study_{whose}": top[whose],
            f"scans_least_seen_of_day_{whose}": least,
            f"scans_least_seen_of_days_{whose}": np.zeros(len(scans)),
            f"scans_least_seen_of_study_{whose}": np.zeros(len(scans)),
        }
    return found | {"scans_of_top_device": top["all"]}


def wifi(days: Days) -> Columns:
    """Low mood: fewer networks are passed. Only phones with Android tell them."""
    points = days.typical("access points", 20, 8) * (1024 + days.noise("points", 350)) // 1024
    points = np.where(days.weekend, points * 6 // 10, points)
    points = np.clip(days.scaled("points", points, -600, -200), 1, 150)
    scans = points + days.typical("wifi scans", 560, 180) * (1024 + days.noise("wifi", 250)) // 1024
    scans = np.maximum(points, scans)
    top = scans * days.between("top point", 200, 800) // 1000
    return {
        "sensed": (days.trait("platform", 0, 9) < 4) & days.sensed("wifi", 400, 900),
        "scans": scans,
        "access_points": points,
        "scans_of_top_access_point": where(days.between("known point", 0, 99) < 85, top),
    }


def location(days: Days) -> Columns:
    """Low mood: more time at home, fewer places, shorter ways, less time at places of study."""
    home = days.typical("home", 780, 120) + days.noise("home", 70)
    home -= days.outgoing("home", 150)
    home += np.where(days.weekend, days.trait("weekend home", -120, 220), 0)
    home = np.where(days.trip, days.between("trip home", 0, 90), home + days.shift("home", 60, 260))
    home = np.clip(home, 0, 1440)
    places = np.where(days.trip, 9, days.trait("places", 2, 6) + days.between("places", -1, 2))
    places = np.clip(days.scaled("places", 10 * places, -600, -200) // 10, 1, 20)
    way = days.typical("way", 12000, 4200) * days.between("way", 600, 1400) // 1000
    way = way * np.maximum(150, 1024 + days.outgoing("way", 500)) // 1024
    way = np.where(days.weekend, way * days.trait("weekend way", 500, 1900) // 1000, way)
    way = np.maximum(200, days.scaled("way", way, -650, -250))
    way = np.where(days.trip, way * 8 + 90000, way)
    return (
        {"sensed": days.sensed("location", 450, 900)}
        | _ways(days, way)
        | _stays(days, home, places)
        | _mapped(days, home)
    )


def _ways(days: Days, way: Whole) -> Columns:
    reach = way * days.between("reach", 90, 320) // 1000
    radius = reach * days.between("radius", 150, 420) // 1000
    flight = days.between("flight", 60, 420)
    lasting = days.between("flight time", 12, 70)
    moved = np.clip(way // 180, 1, 700)
    degrees = np.clip(radius // 400 - 60 + days.between("degrees", 0, 9), -150, 15)
    variance = np.round(POWERS[degrees + 160], 10)
    speed = ratio(way * 60, moved * 1000, 2)
    return {
        "mean_flight_s": lasting,
        "mean_flight_m": flight,
        "sd_flight_s": ratio(lasting * days.between("flight spread", 4, 12), 10, 1),
        "sd_flight_m": ratio(flight * days.between("flight width", 4, 15), 10, 1),
        "distance_travelled_m": way,
        "total_distance_m": way * days.between("total", 900, 1080) // 1000,
        "diameter_m": reach,
        "farthest_from_home_m": reach * days.between("off home", 550, 1000) // 1000,
        "gyration_radius_m": radius,
        "place_gyration_radius_m": radius * days.between("places apart", 0, 900) // 1000,
        "pause_share": ratio(1440 - moved, 1440),
        "static_share": ratio(1440 - moved * 9 // 10, 1440),
        "mean_speed": speed,
        "variance_of_speed": np.round(speed * speed * 1.5, 2),
        "position_variance": variance,
        "log_position_variance": degrees / 10.0,
    }


def _stays(days: Days, home: Whole, places: Whole) -> Columns:
    visited = np.maximum(1, places * 2 // 3)
    rest = np.maximum(0, 1440 - home)
    changes = np.where(places > 1, places * 2 + days.between("changes", 0, 6), 0)
    total = days.between("resting", 1230, 1430)
    figures = stretches(days, "stay", places, total)
    first = np.maximum(home, rest // 2) * days.between("first place", 900, 1000) // 1000
    second = np.where(
        places > 1, (1440 - first) * days.between("second place", 300, 800) // 1000, 0
    )
    third = np.where(places > 2, (1440 - first - second) // 2, 0)
    spread = np.where(places > 1, figures["sd"], 0.0)
    return {
        "time_at_home_min": home,
        "home_cluster_min": home * days.between("sensed home", 880, 1000) // 1000,
        "home_cluster": np.ones(len(home)),
        "different_places": places,
        "visited_places": visited,
        "place_changes": changes,
        "place_entropy": entropy(days, "place", places),
        "place_entropy_per_place": np.round(entropy(days, "place", places) / places, 4),
        "visited_place_entropy": entropy(days, "visited", visited),
        "routine_index": ratio(days.typical("routine", 560, 90) + days.noise("routine", 90), 1000),
        "weekly_pattern_index": ratio(
            days.typical("routine", 590, 90) + days.noise("week", 95), 1000
        ),
        "off_place_share": ratio(days.between("off place", 0, 40), 1000),
        "place_1_min": first,
        "place_2_min": second,
        "place_3_min": third,
        "mean_stay_min": figures["mean"],
        "longest_stay_min": figures["longest"],
        "shortest_stay_min": figures["shortest"],
        "sd_stay_min": spread,
    }


def _mapped(days: Days, home: Whole) -> Columns:
    away = np.maximum(0, 1440 - home)
    usual = days.trait("study", 80, 420)
    study = np.where(
        days.weekend, usual * days.trait("weekend study time", 0, 500) // 1000, usual
    ) * days.between("study", 300, 1500)
    study = np.minimum(away * 8 // 10, days.scaled("study", study // 1000, -700, -200))
    goes = days.between("sports", 0, 99) < days.trait("sporty", 5, 60)
    sports = np.where(goes, np.minimum(away // 5, days.between("sports time", 15, 110)), 0)
    green = np.minimum(
        away // 5, days.trait("green", 0, 120) * days.between("green", 0, 1500) // 1000
    )
    found: Columns = {}
    for name, time in (("at_study", study), ("at_sports", sports), ("in_green", green)):
        found |= {f"minutes_{name}": time, f"percentage_{name}": ratio(100 * time, 1440, 3)}
    return found
