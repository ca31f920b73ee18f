"""Build the filings database from a folder: read each file, keep its facts and its texts, tell what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.document import Document
from core.errors import ScenarioError
from databases.builder import Built
from databases.filings import official
from databases.filings.companyfacts import Submissions, read_json
from databases.filings.fiscal import calendar
from databases.filings.pseudonyms import Pseudonyms
from databases.filings.reading import LIST, files_in, is_json, is_sqlite, read
from databases.filings.records import Company, Report, Source, Text
from databases.filings.selection import selected
from databases.filings.storing import Store, merged

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext


def load(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Fill an empty database from the files that `--from` names, or that `--fetch` brings.

    Raises ScenarioError with file and line or key where a file is damaged, is no report, or tells of
    a company what another one has told already; UsageError where the options do not fit.
    """
    options = context.options
    folder = Path(str(options["from"])) if options["from"] else None
    listed = folder / LIST if folder else None
    official_list = options["official"] or (listed if listed and listed.is_file() else "")
    wanted = selected(str(options["entities"]), str(official_list))
    paths = files_in(folder) if folder else []
    if options["fetch"]:
        # Imported here: who builds from files needs no client.
        from databases.filings.fetching import fetch

        paths += fetch(context, wanted)
    loader = _Loader(connection, context, wanted)
    for source in _read(paths, context, loader):
        loader.take(source)
    return loader.finish()


def _read(paths: Sequence[Path], context: BuildContext, loader: _Loader) -> Iterator[Source]:
    for place, path in enumerate(paths):
        context.progress(f"reading {path.name}", 0.05 + 0.6 * place / len(paths))
        if is_sqlite(path):
            yield from official.sources(path)
            continue
        data = read(path)
        if is_json(path):
            found = read_json(data, path)
            if isinstance(found, Submissions):
                loader.note(found, path)
            else:
                yield found
        else:
            # Imported here: lxml is needed for reports alone.
            from databases.filings.inline import read_report

            yield read_report(data, path)


class _Loader:
    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        context: BuildContext,
        wanted: tuple[str, ...] | None,
    ) -> None:
        self._context, self._wanted = context, wanted
        self._store = Store(connection)
        self._aliases = Pseudonyms(context.seed) if context.options["anonymise"] else None
        self._told: dict[str, list[tuple[bool, int, Company]]] = defaultdict(list)
        self._companies: dict[str, Company] = {}
        self._reports: dict[str, Report] = {}
        self._labels: dict[str, tuple[str, str | None]] = {}
        self._places: dict[tuple[str, bool], str] = {}
        self._texts: list[tuple[Report, list[Text]]] = []
        self._listed: dict[str, Submissions] = {}

    def note(self, listed: Submissions, path: Path) -> None:
        """Keep what the SEC says of a company and its reports; it names no fact."""
        if listed.company.cik in self._listed:
            raise ScenarioError(f"{path}: the company {listed.company.cik} is listed twice")
        self._listed[listed.company.cik] = listed

    def take(self, source: Source) -> None:
        """Keep one file's facts and texts."""
        if self._wanted is not None and source.company.cik not in self._wanted:
            return
        self._refuse_twice(source)
        if self._aliases is not None:
            source = self._aliases.replaced(source)
        last = max(report.period_end for report in source.reports).toordinal()
        self._told[source.company.cik].append((source.is_whole, -last, source.company))
        self._store.add(source.reports)
        for report in source.reports:
            self._reports[report.key] = merged(self._reports.get(report.key), report)
        self._texts += [(report, texts) for report, texts in source.texts.items() if texts]
        for concept, label in source.labels.items():
            # Of two spellings the same one, whatever the order of the files.
            known = self._labels.get(concept, label)
            self._labels[concept] = min(known, label, key=lambda told: (told[0], told[1] or ""))

    def finish(self) -> Built:
        """The tables, the documents, and the mapping of names where they were replaced."""
        if not self._told:
            raise ScenarioError(
                "none of the files is about a company that --entities names"
                if self._wanted is not None
                else "there is no report and no company's facts among the files"
            )
        for cik, told in self._told.items():
            self._companies[cik] = _united([company for *_, company in sorted(told, key=_rank)])
        for listed in self._listed.values():
            self._enrich(listed)
        self._context.progress("writing the tables, sorted by company, concept and period", 0.7)
        self._add_year_ends()
        self._store.finish(self._companies, self._reports, self._labels)
        self._context.documents.add_all(_documents(self._texts, self._reports))
        return Built(
            secrets=self._aliases.to_json() if self._aliases else None, notes=self._notes()
        )

    def _add_year_ends(self) -> None:
        """Of companies whose source does not say when their fiscal year ends, but shows it."""
        for cik, company in self._companies.items():
            reports = [report for report in self._reports.values() if report.cik == cik]
            known = calendar(company, reports)
            if company.fiscal_year_end is None and known is not None:
                end = f"{known.month:02d}-{known.day:02d}"
                self._companies[cik] = replace(company, fiscal_year_end=end)

    def _enrich(self, listed: Submissions) -> None:
        source = Source("", listed.company, {report: [] for report in listed.reports})
        if self._aliases is not None:
            if not self._aliases.knows(listed.company.cik):
                return
            source = self._aliases.replaced(source)
        if (known := self._companies.get(source.company.cik)) is None:
            return
        self._companies[known.cik] = _united([known, source.company])
        for report in source.reports:
            if report.key in self._reports:
                self._reports[report.key] = merged(self._reports[report.key], report)

    def _refuse_twice(self, source: Source) -> None:
        """Two files of one kind must not tell of the same company and report."""
        for report in source.reports:
            is_whole = source.is_whole
            told = (report.cik if is_whole else report.key, is_whole)
            if told in self._places and self._places[told] != source.place:
                what = "facts of the company" if is_whole else "report"
                raise ScenarioError(
                    f"{source.place}: the {what} {told[0]} stands in {self._places[told]} too; "
                    "take one of the two files away"
                )
            self._places[told] = source.place

    def _notes(self) -> list[str]:
        missing = sorted(set(self._wanted or ()) - self._seen(), key=int)
        if not missing:
            return []
        return [f"of these companies no file was found: {', '.join(missing)}"]

    def _seen(self) -> set[str]:
        return self._aliases.originals() if self._aliases else set(self._companies)


def _united(told: Sequence[Company]) -> Company:
    """What is said of one company; where it differs, what the first says."""
    said = told[0]
    for other in told[1:]:
        open_ = {name: value for name, value in vars(other).items() if vars(said)[name] is None}
        said = replace(said, **open_)
    return said


def _rank(told: tuple[bool, int, Company]) -> tuple[bool, int]:
    """Reports before company facts, the last report first."""
    return told[:2]


def _documents(
    texts: Iterable[tuple[Report, list[Text]]], reports: Mapping[str, Report]
) -> Iterator[Document]:
    for told, parts in texts:
        report = reports[told.key]
        for place, part in enumerate(parts, 1):
            yield Document(
                id=f"{report.key}/{place:03d}-{part.kind}",
                entity_id=report.cik,
                kind=part.kind,
                title=part.title,
                text=part.text,
                written_on=report.filed_on or report.period_end,
                values={"fiscal_year": float(report.fiscal_year)} if report.fiscal_year else {},
            )
