"""Download a company's facts and its last annual report from the SEC's public service, politely and only once."""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.errors import ScenarioError, UsageError
from databases.files import replace_file
from databases.filings.companyfacts import Submissions, read_json
from databases.filings.reading import MAX_BYTES, read
from databases.filings.records import Report

if TYPE_CHECKING:
    import httpx

    from databases.builder import BuildContext

MOST_PER_SECOND = 10.0
"""What the SEC allows one user."""
TRIES = 6
LONGEST_WAIT_S = 600.0
TIMEOUT_S = 60.0
_CONTACT = re.compile(r"[^\s@]+.*\s[^\s@]+@[^\s@]+\.[^\s@]+|[^\s@]+@[^\s@]+\.[^\s@]+")
_ACCESSION = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_ENCODINGS = frozenset(("", "identity", "gzip", "deflate"))
"""One at most: what is packed in layers grows a thousandfold with each, before its size is seen."""
_NAME = re.compile(r"[\w.-]{1,150}")
_FACTS = "{data}/api/xbrl/companyfacts/CIK{cik:0>10}.json"
_SUBMISSIONS = "{data}/submissions/CIK{cik:0>10}.json"
_DOCUMENT = "{archive}/Archives/edgar/data/{cik}/{accession}/{document}"


class Clock(Protocol):
    """Time as a client sees it; a test brings its own."""

    def now(self) -> float:
        """Seconds."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class _Wall:
    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def fetch(context: BuildContext, wanted: tuple[str, ...] | None) -> list[Path]:
    """What was downloaded of these companies, now or before: facts, submissions, last annual report.

    Raises UsageError without companies or without a contact, ScenarioError where the service does not
    answer; what has come by then is kept, and the next call goes on from there.
    """
    options = context.options
    if wanted is None:
        raise UsageError(
            "--fetch needs to know which companies: --entities 320193,1318605, official, or a file"
        )
    folder = context.downloads
    folder.mkdir(parents=True, exist_ok=True)
    client = Client(
        contact=str(options["contact"]),
        rate=float(options["rate"]),
        data_url=str(options["data_url"]),
        archive_url=str(options["archive_url"]),
        progress=lambda what: context.progress(what, 0.04),
    )
    found = []
    with client.opened():
        for place, cik in enumerate(wanted):
            context.progress(f"fetching company {cik}", 0.01 + 0.04 * place / len(wanted))
            found += client.company(cik, folder)
    return found


@dataclass
class Client:
    """Asks for one file after another, no faster than it may, and keeps what comes."""

    contact: str
    rate: float
    data_url: str
    archive_url: str
    progress: Callable[[str], None] = lambda _: None
    clock: Clock = field(default_factory=_Wall)
    requests: int = 0
    """How many were made."""
    _http: httpx.Client | None = None
    _next: float = 0.0

    def __post_init__(self) -> None:
        if not _CONTACT.fullmatch(self.contact.strip()) or not self.contact.isprintable():
            raise UsageError(
                "the SEC asks who downloads, and refuses those who do not say: "
                "--contact 'Your Name you@example.org'"
            )
        if not 0 < self.rate <= MOST_PER_SECOND:
            raise UsageError(f"rate is above 0 and at most {MOST_PER_SECOND:.0f} requests a second")

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Keep connections open while it lasts."""
        import httpx

        headers = {"User-Agent": self.contact.strip(), "Accept-Encoding": "gzip, deflate"}
        with httpx.Client(headers=headers, timeout=TIMEOUT_S, follow_redirects=False) as http:
            self._http = http
            try:
                yield
            finally:
                self._http = None

    def company(self, cik: str, folder: Path) -> list[Path]:
        """Facts, submissions and the last annual report of one company; asks for what is not there."""
        facts = folder / f"companyfacts-CIK{cik:0>10}.json.gz"
        listed = folder / f"submissions-CIK{cik:0>10}.json.gz"
        self._keep(_FACTS.format(data=self.data_url, cik=cik), facts, cik)
        self._keep(_SUBMISSIONS.format(data=self.data_url, cik=cik), listed, cik)
        found = read_json(read(listed), listed)
        if not isinstance(found, Submissions):
            raise ScenarioError(f"{listed}: is no list of submissions; delete it and fetch again")
        report = _last_annual(found)
        if report is None or report.accession is None:
            return [facts, listed]
        if not _ACCESSION.fullmatch(report.accession):
            raise ScenarioError(f"{listed}: {report.accession!r} is no accession number")
        document = found.documents[report.accession]
        if not _NAME.fullmatch(document) or not document.lower().endswith((".htm", ".html")):
            raise ScenarioError(
                f"{listed}: {report.accession}: {document!r} is no report's file name"
            )
        url = _DOCUMENT.format(
            archive=self.archive_url,
            cik=cik,
            accession=report.accession.replace("-", ""),
            document=document,
        )
        whole = folder / f"CIK{cik:0>10}-{report.accession}.htm.gz"
        self._keep(url, whole, cik)
        return [facts, listed, whole]

    def _keep(self, url: str, path: Path, cik: str) -> None:
        if path.is_file():
            return
        body = self._get(url, cik)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        fresh = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(gzip.compress(body, mtime=0))
            replace_file(fresh, path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise

    def _get(self, url: str, cik: str) -> bytes:
        import httpx

        said = ""
        for attempt in range(TRIES):
            self._wait()
            self.requests += 1
            try:
                status, headers, body = self._answer(url)
            except httpx.HTTPError as exc:
                said = f"{type(exc).__name__}: {exc}"
                self._pause(2.0**attempt, url)
                continue
            if status == 200:
                return body
            said = f"HTTP {status}"
            if status == 404:
                raise ScenarioError(
                    f"{url}: there is no such file (404); is {cik} the number of a company?"
                )
            if status not in (403, 429, 500, 502, 503, 504):
                break
            # The service answers 403 too where one asks too often; it lifts it after ten minutes.
            self._pause(_seconds(headers.get("Retry-After"), 2.0**attempt), url)
        raise ScenarioError(
            f"{url}: could not be downloaded ({said}); what has come is kept: give the command again "
            "later, with --set rate=1 where it says 403 or 429"
        )

    def _answer(self, url: str) -> tuple[int, httpx.Headers, bytes]:
        assert self._http is not None
        with self._http.stream("GET", url) as response:
            packed = response.headers.get("Content-Encoding", "").strip().lower()
            if packed not in _ENCODINGS:
                raise ScenarioError(
                    f"{url}: is packed in a way that was not asked for ({packed!r})"
                )
            parts, size = [], 0
            for part in response.iter_bytes():
                size += len(part)
                if size > MAX_BYTES:
                    raise ScenarioError(f"{url}: is larger than {MAX_BYTES // 1_000_000} MB")
                parts.append(part)
            return response.status_code, response.headers, b"".join(parts)

    def _wait(self) -> None:
        """Let so much time pass between two requests as the rate asks."""
        now = self.clock.now()
        if now < self._next:
            self.clock.sleep(self._next - now)
            now = self._next
        self._next = now + 1 / self.rate

    def _pause(self, seconds: float, url: str) -> None:
        self.progress(f"waiting {seconds:.0f} s before {url} is asked for again")
        self.clock.sleep(min(seconds, LONGEST_WAIT_S))


def _last_annual(found: Submissions) -> Report | None:
    annual = [report for report in found.reports if report.form == "10-K"]
    return max(annual, key=lambda report: report.period_end, default=None)


def _seconds(said: str | None, otherwise: float) -> float:
    """Retry-After is a number of seconds or a date."""
    if not said:
        return otherwise
    if said.strip().isdecimal():
        return float(said)
    try:
        until = email.utils.parsedate_to_datetime(said)
        until = until if until.tzinfo else until.replace(tzinfo=UTC)  # -0000 is a zone not told
    except ValueError:
        return otherwise
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
