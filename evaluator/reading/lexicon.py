"""The words that a claim is read by: directions, statistics, comparisons, hedges, negations."""

from __future__ import annotations

from typing import Literal

Sense = Literal["up", "down", "flat", "either"]
"""Which way a word points; 'either' depends on the metric (worst, older, later)."""

Manner = Literal["trend", "comparative", "superlative", "weak"]
"""Over time, against something, the extreme of all, or a bare adjective."""


def words(text: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(text.split())


def _cues(sense: Sense, manner: Manner, line: str) -> dict[str, tuple[Sense, Manner]]:
    return dict.fromkeys(line.split(), (sense, manner))


DIRECTIONS: dict[str, tuple[Sense, Manner]] = {
    **_cues(
        "up",
        "trend",
        "increase increases increased increasing rise rises rose risen rising grow grows grew grown "
        "growing growth climb climbs climbed climbing surge surges surged surging jump jumps jumped "
        "soar soars soared upward upwards uptrend accelerate accelerates accelerated expand expands "
        "expanded double doubles doubled triple tripled escalate escalates escalated lengthen "
        "lengthens lengthened swell swells swelled",
    ),
    **_cues(
        "up",
        "comparative",
        "higher more greater larger bigger longer above exceed exceeds exceeded exceeding surpass "
        "surpasses surpassed outpace outpaces outstrip outstrips heavier stronger overrepresented busier farther",
    ),
    **_cues(
        "up",
        "superlative",
        "highest most greatest largest biggest longest peak peaks peaked peaking maximum max top "
        "tops topped heaviest strongest busiest dominant dominates dominated leading primary main "
        "farthest chief principal favourite favorite",
    ),
    **_cues("up", "weak", "high elevated large long disproportionately"),
    **_cues(
        "down",
        "trend",
        "decrease decreases decreased decreasing decline declines declined declining fall falls fell "
        "fallen falling drop drops dropped dropping shrink shrinks shrank shrunk shrinking reduce "
        "reduces reduced downward downwards downtrend dip dips dipped slump slumps slumped plunge "
        "plunges plunged ease eases eased halve halves halved diminish diminishes diminished "
        "contract contracts contracted shorten shortens shortened subside subsides subsided",
    ),
    **_cues(
        "down",
        "comparative",
        "lower less fewer smaller shorter below beneath lighter weaker underrepresented quieter nearer undercuts",
    ),
    **_cues(
        "down",
        "superlative",
        "lowest least fewest smallest shortest minimum trough troughs bottom bottoms bottomed "
        "lightest weakest quietest nearest rarest",
    ),
    **_cues("down", "weak", "low small short modest"),
    **_cues(
        "flat",
        "comparative",
        "stable unchanged flat steady constant uniform similar same equal identical comparable "
        "consistent alike balanced indistinguishable",
    ),
    **_cues(
        "either",
        "superlative",
        "worst best oldest newest youngest latest earliest fastest slowest extreme",
    ),
    **_cues(
        "either",
        "comparative",
        "worse better older newer younger later earlier faster slower improve improved improves "
        "improving worsen worsens worsened worsening deteriorate deteriorates deteriorated",
    ),
}

STATISTICS: dict[str, str] = {
    **dict.fromkeys(["mean", "average", "averages", "averaged", "averaging", "avg"], "mean"),
    **dict.fromkeys(["median", "p50"], "median"),
    **dict.fromkeys(
        ["share", "shares", "percent", "percentage", "proportion", "fraction", "pct"], "share"
    ),
    **dict.fromkeys(
        [
            "count",
            "counts",
            "number",
            "total",
            "totals",
            "totaling",
            "totalling",
            "rows",
            "records",
        ],
        "count",
    ),
    **dict.fromkeys(["distinct", "different", "unique", "nunique"], "distinct"),
    **dict.fromkeys(["maximum", "max", "maxima", "record"], "max"),
    **dict.fromkeys(["minimum", "minima"], "min"),
    **dict.fromkeys(["rank", "ranks", "ranked", "ranking"], "rank"),
    **dict.fromkeys(
        ["deviation", "deviations", "std", "stdev", "stddev", "sd", "variance", "iqr"], "spread"
    ),
    **dict.fromkeys(["percentile", "percentiles", "quartile", "p90", "p95", "p99"], "quantile"),
    **dict.fromkeys(
        [
            "correlation",
            "correlations",
            "correlated",
            "correlates",
            "correlate",
            "correlating",
            "corr",
            "pearson",
            "spearman",
        ],
        "correlation",
    ),
    **dict.fromkeys(["sum", "sums", "cumulative"], "sum"),
    **dict.fromkeys(["missing", "null", "nulls", "absent", "blank", "unrecorded"], "missing"),
}
"""Words that name what was computed. The statistics that no item can ask for (spread, sum, ...)
are here so that their figures are not taken for a mean."""

EXTREMES_UP = words("highest longest largest greatest biggest latest top farthest peak heaviest")
EXTREMES_DOWN = words("lowest shortest smallest least earliest lightest")
"""They name max and min only where no mean, median, share or count stands beside them."""

TAGS = {"r": "correlation", "rho": "correlation", "p": "p_value", "n": "count", "sd": "spread"}
"""Letters that say what the figure after '=' is."""

COMPARISONS = words("against versus vs than unlike")
COMPARISONS_WITH = {
    "compared": ("with", "to", "against"),
    "comparison": ("with", "to"),
    "relative": ("to",),
    "contrast": ("to", "with"),
    "opposed": ("to",),
    "next": ("to",),
}

EXCEEDING = words(
    "above below over under exceed exceeds exceeding exceeded beyond surpass surpasses surpassed beat "
    "beats trails outpaces outstrips"
)
"""Words that compare where they lead to somebody else: 'above the market average'."""

IDIOMATIC = words(
    "push pushes pushed pushing take takes took taken taking set sets get gets got come comes came "
    "coming touch touches touched touching reach reaches reached late early earlier ahead before "
    "behind after past later sd std stdev stddev on cover covers covered covering span spans spanned "
    "spanning travel travels travelled"
)
"""Words at which an idiom may start (sayings.py)."""

DATED = words(
    "january february march april may june july august september october november december jan feb "
    "mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday "
    "sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays mon tue tues wed thu thur "
    "thurs fri sat sun weekend weekends weekday weekdays winter winters spring springs summer summers "
    "autumn autumns morning mornings afternoon afternoons evening evenings night nights overnight "
    "midnight noon midday hour hours month quarter q1 q2 q3 q4 first second third fourth last final "
    "latter"
)
"""Words at which a period may start."""

POPULATION = words(
    "others rest remaining remainder peers peer competitors rivals market industry overall "
    "everyone elsewhere population benchmark otherwise norm networkwide systemwide "
    "fleetwide counterparts"
)
"""Words for those who are not the entity."""

ALL_OF = words("all other every average typical remaining each")
"""Before the entities' noun they make it the population: 'all carriers', 'other carriers'."""

NEGATIONS = words(
    "not no never neither nor cannot hardly isn't wasn't aren't weren't doesn't don't didn't "
    "hasn't haven't hadn't can't won't without"
)
DENIALS = words("false untrue incorrect wrong myth refuted disproved disproven")

HEDGES = words(
    "might could possibly perhaps maybe guess guessing guessed presumably probably supposedly "
    "suppose assume assuming assumed if whether would unclear unknown unverified uncertain "
    "conceivably suspect suspected hypothesis hypothesise hypothesize hypothetically speculate "
    "expected should imagine say"
)
MAY_VERBS = words("be have not also well reach average exceed total stand lie run amount")
"""After them 'may' is no month."""

Bound = Literal["over", "under"]
_OVER: Bound = "over"
_UNDER: Bound = "under"

BOUNDS_ALONE: dict[str, Bound] = {
    **dict.fromkeys(
        ["over", "above", "exceeding", "exceeds", "exceeded", "beyond", ">", "≥"], _OVER
    ),
    **dict.fromkeys(["under", "below", "nearly", "almost", "<", "≤"], _UNDER),
}
BOUNDS: dict[tuple[str, str], Bound] = {
    **dict.fromkeys([(w, "than") for w in ("more", "greater", "higher", "longer")], _OVER),
    **dict.fromkeys([(w, "than") for w in ("less", "fewer", "lower", "shorter")], _UNDER),
    ("at", "least"): "over",
    ("at", "most"): "under",
}
"""Words before a figure that make it a bound."""

TURNS = words("while whereas but although though however yet")
"""Words at which a sentence turns to something else."""

CONDITIONS = words("where when whenever if whose having once")
RESTRICTING = words(
    "in on at during for under amid among within given outside after before since until excluding "
    "except per inside throughout"
)
"""A preposition that, with a thing that the fact does not know, narrows what is spoken of."""
LOOSE = words("to from with by of across through via over as about into between and or")
"""Prepositions that may narrow it."""

ADJUNCTS = RESTRICTING | CONDITIONS | words("with of across over from to by as through")
"""Words with which a leading adjunct starts."""

RATES = words("per each every")
PERIODIC = words("daily weekly monthly hourly yearly")
PREDICATES = words("is are was were has have had averages averaged")

TIME_WORDS = words(
    "month months monthly year years yearly week weeks weekly day days daily hour hours hourly "
    "quarter quarters trend trends season seasons seasonal seasonally time weekday weekdays weekend "
    "weekends date dates"
)
GROUP_WORDS = words(
    "most least highest lowest largest smallest longest shortest more less fewer higher lower "
    "greater larger smaller share percent ranks rank ranked top disproportionately dominant of "
    "overrepresented underrepresented"
)
THRESHOLD_WORDS = words(
    "above below over under exceed exceeds exceeding least most than beyond threshold"
)

FUNCTION = words(
    "a an the this that these those it its they their them he she his her we our i you your who "
    "which what is are was were be been being has have had having do does did will can shall there "
    "here of in on at to from with by for as into onto upon about across through over under above "
    "below between among within during after before since until per via than then so such both "
    "either each any some all every own only just even also too very much many more most less least "
    "and or but nor not no yet while whereas although though however because therefore thus hence "
    "if when where whenever whose once up down out off near s t vs versus against along together "
    "respectively namely including includes include like e g i etc one"
)
GENERAL = words(
    "show shows showed shown showing stand stands stood record records recorded average averages "
    "averaged averaging reach reaches reached reaching hit hits total totals account accounts "
    "accounted accounting make makes made run runs ran running operate operates operated operating "
    "serve serves served serving amount amounts amounted come comes came sit sits sat see sees saw "
    "seen find finds found observe observed observes note noted report reported reports remain "
    "remains remained occur occurs occurred happen happens happened contain contains contained "
    "exhibit exhibits exhibited experience experiences experienced hold holds held represent "
    "represents represented constitute constitutes comprise comprises use uses used using rank ranks "
    "ranked lie lies lay equal equals mean indicate indicates reveal reveals confirm confirms "
    "confirmed demonstrate demonstrates register registers registered post posts posted log logs "
    "logged display displays compute computed calculate calculated measure measured measures "
    "estimate estimated give gives gave given take takes took get gets tend tends vary varies varying "
    "range ranges ranging become becomes go goes went stays stay stayed keep keeps kept carry carries "
    "carried turn turns turned appear appears seem seems suggest suggests suggesting meaning means "
    "row entry entries observation observations case cases instance instances value values figure "
    "figures rate rates level levels data dataset table column field sample period result results "
    "analysis finding findings insight pattern patterns evidence difference gap margin metric "
    "statistic order magnitude distribution set group unit units point points order context view "
    "terms detail fact general particular addition summary line example comparison contrast database "
    "network market overall rest others other another same day days date dates time times month "
    "months year years hour hours week weeks minute minutes calendar single sole alone exactly "
    "roughly approximately around about nearly almost well far notably significantly substantially "
    "clearly considerably slightly somewhat still by frequent common often usually based question "
    "coefficient coefficients direction directions opposite move moves moved moving relationship link "
    "linked association condition conditions average avg mere pure namely "
    "scope subset entire whole full complete respect regard half worth close number id name named "
    "called code minus plus strong weak moderate positive negative high low big large small good bad "
    "poor notable noteworthy striking remarkable key major next last previous following corresponding "
    "respective"
)
"""Words of any analyst's prose: they neither name a subject nor narrow it."""

ABBREVIATIONS = words(
    "vs e.g i.e eg ie approx avg no min max std dev dep arr jan feb mar apr jun jul aug sep sept oct "
    "nov dec mr mrs ms dr st inc ltd co corp fig cf est ca hr hrs mins sec resp incl excl dept etc "
    "num pct temp dest vol"
)
