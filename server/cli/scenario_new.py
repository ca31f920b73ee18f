"""`ddr scenarios new`: look at data of one's own and write a scenario's folder, to be edited and built."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from core.hints import typed
from core.wording import counted
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from databases.target import Target
    from server.cli.output import Output
    from server.cli.scenario_draft import Drawn

EXAMPLE = example(
    "ddr scenarios new clinic.csv",
    "ddr scenarios new clinic/ --entity patients.patient_id --noun patient",
    "ddr scenarios new postgresql+psycopg://reader@localhost/clinic --password-env CLINIC_PASSWORD",
)


def new(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A folder of CSV or Parquet files, one of them, a DuckDB or SQLite file, or an SQLAlchemy URL.",
        ),
    ],
    *,
    id_: Annotated[
        str | None, typer.Option("--id", help="The scenario's name.", metavar="NAME")
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option(help="The column that names what is explored.", metavar="TABLE.COLUMN"),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="A column with its name for people.", metavar="COLUMN")
    ] = None,
    noun: Annotated[
        str | None, typer.Option(help="What one of them is called: patient.", metavar="WORD")
    ] = None,
    title: Annotated[str | None, typer.Option(help="In a few words.", metavar="TEXT")] = None,
    license_: Annotated[
        str, typer.Option("--license", help="The data's terms.", metavar="NAME")
    ] = "proprietary",
    unrestricted: Annotated[
        bool, typer.Option("--unrestricted", help="The data may leave this machine.")
    ] = False,
    encoding: Annotated[
        str, typer.Option(help="Of CSV files: utf-8, latin-1, utf-16.", metavar="NAME")
    ] = "utf-8",
    password_env: Annotated[
        str | None,
        typer.Option(help="The environment variable with the URL's password.", metavar="NAME"),
    ] = None,
    out_folder: Annotated[
        Path | None,
        typer.Option("--out", help="Write a package to ship into this folder.", metavar="DIR"),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look at your data, find its keys, ask for the entity, and write the scenario to be edited.

    Nothing is built, and no copy of the data stays: edit what was written, then build it.
    """
    from databases.catalog import is_shipped
    from databases.manifest import ID
    from databases.own.writing import Server, packaged, write_folder
    from server import settings as places
    from server.cli.output import Output
    from server.cli.scenario_draft import Asking, from_files, from_server

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    path = _file(source)
    name = id_ or _named(source if path is None else path.name)
    if not re.fullmatch(ID, name):  # before anything is made of it
        raise UsageError(
            f"--id {name!r}: small letters, digits, - and _, a letter first, 40 at most"
        )
    if is_shipped(name):
        raise UsageError(f"{name} is the name of a scenario that is shipped: give another --id")
    # Behind a scenario of any name: none may be called like a package that is there.
    module = re.sub(r"\W", "_", f"{name}_scenario")
    place = out_folder or settings.home / "scenarios" / name
    if (place / (module if out_folder else "scenario.toml")).exists():
        raise UsageError(f"{place} holds a scenario already: take another --id, or remove it")
    asking = Asking(
        out,
        name,
        entity,
        label,
        noun,
        title,
        license_,
        not unrestricted,
        not json and sys.stdin.isatty(),
    )
    with out.progress("looking") as progress:

        def tell(what: str, share: float) -> None:
            progress.update(share, 1, what)

        if path is None:
            target = _target(source, password_env)
            server = Server(source, target.dialect, password_env)
            drawn = from_server(target, server, asking, tell)
        else:
            drawn = from_files(path, settings.home, encoding, asking, tell)
    files = drawn.files
    if out_folder:
        files = packaged(module, drawn.heading, _without_source(files))
    write_folder(place, files, private=out_folder is None)
    _tell(out, place, files, drawn)
    if path is None:
        out.say(
            "a server is served as it is, nothing renamed or replaced: it must be fit to be seen"
        )
    if out_folder:
        out.hint(f"\nnext: edit the files, pip install {place}, and build it with --from")
    else:
        out.hint(f"\nnext: edit the files, then: {typed(f'scenarios build {name}')}")
    out.result({"id": name, "folder": str(place), "files": sorted(files), **drawn.told()})


def _without_source(files: dict[str, str]) -> dict[str, str]:
    """For a package: each who builds it names their own copy of the data."""
    import tomlkit

    document = tomlkit.parse(files["scenario.toml"])
    if "build" in document:
        document["build"]["options"]["from"] = ""
    return {**files, "scenario.toml": tomlkit.dumps(document)}


def _file(source: str) -> Path | None:
    """The path that a source is; None for a server's URL."""
    scheme, has_scheme, rest = source.partition("://")
    if not has_scheme:
        return Path(source).expanduser().absolute()
    if scheme.partition("+")[0] in ("sqlite", "duckdb"):
        return Path(rest.removeprefix("/").partition("?")[0]).absolute()
    return None


def _target(url: str, password_env: str | None) -> Target:
    import os

    from databases.target import Target, has_password, with_password

    if has_password(url):
        raise UsageError(
            "a password does not belong on a command line or into a file: leave it out of the URL, and "
            "name the variable that holds it in --password-env"
        )
    location = url
    if password_env:
        if not (password := os.environ.get(password_env)):
            raise UsageError(f"the environment variable {password_env} is not set")
        location = with_password(url, password)
    kind = url.partition("://")[0].partition("+")[0]
    return Target(dialect="postgresql" if kind == "postgresql" else "sqlalchemy", location=location)


def _named(text: str) -> str:
    base = text.rpartition("/")[2].partition(".")[0].partition("?")[0]
    plain = re.sub(r"[^a-z0-9]+", "-", base.lower()).strip("-")[:40]
    return plain if plain[:1].isalpha() else f"own-{plain}"[:40].rstrip("-")


def _tell(out: Output, place: Path, files: dict[str, str], drawn: Drawn) -> None:
    out.say(f"written to {place}: {', '.join(sorted(files))}")
    for reference in drawn.references:
        out.say(f"  {reference}")
    out.say(f"the entities: {counted(drawn.entities, drawn.heading.noun)}, by {drawn.entity}")
    if drawn.left_out:
        out.say(f"left out, since no row of another table belongs to them: {drawn.left_out:,}")
