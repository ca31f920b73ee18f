"""What people are asked, how their answers are read, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.checklist import Checklist
from core.errors import ConfigError, UsageError
from core.evaluation import Label, Verdict
from core.labels import FormAnswer, PersonLabel, PersonRating
from core.trajectory import Insight, StopReason, Trajectory
from server import label_files
from server.cli.asking_people import ask_people
from server.cli.output import Output
from server.judge_agreement import agree, correct, majority
from server.labelling import Ask, Kind, asks, subject_of
from server.metric_files import merged
from server.quality_form import means
from server.rating_agreement import agree as rated
from server.rating_agreement import columns_of
from tests.server.support import START, draft, spec

RUN = spec()
_LABELS: tuple[Label, Label, Label] = ("supported", "contradicted", "insufficient")


def explored(entity_id: str, *texts: str, report: str | None = None) -> Trajectory:
    """A trajectory with these insights."""
    made = draft(RUN, entity_id, id=f"{RUN.id}.{entity_id}.1.1", stop_reason=StopReason.FINISHED)
    insights = [
        Insight(id=str(n), trajectory_id=made.id, level="message", turn=n, text=text, author="a")
        for n, text in enumerate(texts, 1)
    ]
    if report:
        insights.append(
            Insight(id="r", trajectory_id=made.id, level="trajectory", text=report, author="a")
        )
    return made.model_copy(update={"insights": tuple(insights)})


def checklist() -> Checklist:
    """Two open items and a closed one for each of two entities."""
    items: list[dict[str, Any]] = [
        {
            "id": f"{entity}-{n}",
            "entity_id": entity,
            "question": f"How many of kind {n} has {entity}?",
            "answer": f"It has {n} of them.",
            "category": "a",
            "source": "test",
        }
        for entity in ("01", "02")
        for n in (1, 2)
    ]
    closed = {"kind": "closed", "options": ("up", "down"), "answer": "up"}
    items.append({**items[0], "id": "01-3", "question": "Which way?", **closed})
    return Checklist.model_validate(
        {
            "id": "small",
            "version": "1",
            "scenario_id": "small",
            "hash": "h",
            "license": {"name": "CC0-1.0", "source": "test"},
            "items": items,
            "summary": {"01": "All is well."},
        }
    )


TRAJECTORIES = [
    explored("01", "It has 1 of them.", "=HYPERLINK() it has 2", report="One, and two."),
    explored("02", "Nothing to see."),
]


def asked(kind: Kind = "label", **options: Any) -> list[Ask]:
    return asks(kind, RUN, TRAJECTORIES, checklist(), **options)


def test_a_label_is_asked_where_something_was_said_and_hides_the_judge() -> None:
    found = asked(sample="100%")
    assert len(found) == 3 * 2 + 2, "02 has no report"
    first = next(ask for ask in found if ask.subject.endswith("01-1|message"))
    assert first.shown == {
        "question": "How many of kind 1 has 01?",
        "answer": "It has 1 of them.",
        "insights": "[Turn 1] It has 1 of them.\n[Turn 2] =HYPERLINK() it has 2",
    }
    closed = next(ask for ask in found if ask.subject.endswith("01-3|trajectory"))
    assert closed.shown["options"] == "up | down"
    assert closed.shown["report"] == "One, and two."
    told = asked(sample="100%", judged={first.subject: "supported"})
    shown = {ask.subject: ask.shown["the judge says"] for ask in told}
    assert shown[first.subject] == "supported"
    assert shown[closed.subject] == "unscored"


def test_everybody_is_asked_the_same_sample() -> None:
    some = [ask.subject for ask in asked(sample="3")]
    assert len(some) == 3
    assert some == [ask.subject for ask in asked(sample="3")]
    every = [ask.subject for ask in asked(sample="100%")]
    assert some == [subject for subject in every if subject in some]


@pytest.mark.parametrize(
    ("answer", "label"),
    [("s", "supported"), ("Contradicted", "contradicted"), (" i ", "insufficient")],
)
def test_labels_are_read(answer: str, label: str) -> None:
    made = asked()[0].make(answer, "why", START)
    assert isinstance(made, PersonLabel)
    assert (made.label, made.note, made.is_blind, made.created_at) == (label, "why", True, START)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("label", "yes"),
        ("label", ""),
        ("rating", "11"),
        ("rating", "0"),
        ("rating", "1.5"),
        ("rating", "nan"),
        ("rating", "good"),
        ("form", "0"),
        ("form", "6"),
        ("form", "4.5"),
    ],
)
def test_what_is_no_answer_is_refused(kind: Kind, answer: str) -> None:
    with pytest.raises(ValueError, match="answer"):
        asked(kind)[0].make(answer, "", START)


def test_ratings_are_out_of_ten_or_of_one() -> None:
    ask = asked("rating")[0]
    assert "- It has 1 of them." in ask.shown["what there was to find"]
    assert "In short: All is well." in ask.shown["what there was to find"]
    for answer, score in (("7", 0.7), ("1", 0.1), ("1.0", 1.0), ("0.25", 0.25)):
        made = ask.make(answer, "", START)
        assert isinstance(made, PersonRating)
        assert made.score == pytest.approx(score)


def test_the_form_has_its_three_sections() -> None:
    found = asked("form")
    sections = [ask.subject.split("|")[1] for ask in found if ask.subject.startswith("01|")]
    assert sections == ["overview"] * 2 + ["insights"] * 9 + ["summary"] * 2
    assert not any("summary" in ask.subject for ask in found if ask.subject.startswith("02|"))
    made = [(ask.subject, who, ask.make(n, "", START)) for ask in found for who, n in people()]
    tables = {(m.section, m.question): m for m in means([x for x in made if is_form(x)])}  # type: ignore[misc]
    assert tables["all", "all"].mean == pytest.approx(4.5)
    assert tables["summary", "all"].n == 2 * 2
    assert tables["overview", "goal"].people == 2


def people() -> list[tuple[str, str]]:
    return [("ann", "5"), ("bob", "4")]


def is_form(said: tuple[str, str, object]) -> bool:
    return isinstance(said[2], FormAnswer)


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_a_file_goes_out_and_its_answers_come_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    found = asked(sample="100%")
    label_files.write(path, found)
    text = path.read_text("utf-8")
    assert label_files.read(path, found, by="ann", now=START) == []
    if name.endswith(".csv"):
        lines = text.replace('"",', ",").splitlines()
        head = lines[0].split(",")
        assert head[:4] == list(label_files.COLUMNS)
        filled = text.replace("|message,,,,", "|message,s,so it is,bob,", 1)
        assert filled != text
    else:
        filled = text.replace('"answer_here": ""', '"answer_here": "s"', 1)
    path.write_text(filled, "utf-8")
    (given,) = label_files.read(path, found, by="ann", now=START)
    assert isinstance(given.record, PersonLabel)
    assert given.record.label == "supported"
    assert given.by == ("bob" if name.endswith(".csv") else "ann")


def test_a_cell_is_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    trajectories = [explored("01", report="=1+1")]
    label_files.write(path, asks("label", RUN, trajectories, checklist(), sample="100%"))
    assert "'=1+1" in path.read_text("utf-8")


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
@pytest.mark.parametrize(
    "said", ["one\u2028two\x85three\x0cfour\rfive", "x" * 200_000, "\n=1+1", "'=1+1", '"\x00";']
)
def test_what_goes_out_can_be_read_whatever_an_agent_said(
    tmp_path: Path, name: str, said: str
) -> None:
    path = tmp_path / name
    found = asks("label", RUN, [explored("01", report=said)], checklist(), sample="100%")
    label_files.write(path, found)
    rows = label_files.rows_of(path)
    assert [row["shown: report"] for row in rows] == [ask.shown["report"] for ask in found]


def test_no_file_is_written_over_and_nobody_else_reads_the_answers(tmp_path: Path) -> None:
    mine, link, path = tmp_path / "mine.csv", tmp_path / "link.csv", tmp_path / "new.csv"
    mine.write_text("mine", "utf-8")
    link.symlink_to(tmp_path / "elsewhere.csv")
    for taken in (mine, link):
        with pytest.raises(UsageError, match="there already"):
            label_files.write(taken, asked())
    assert mine.read_text("utf-8") == "mine"
    assert not (tmp_path / "elsewhere.csv").exists()
    label_files.write(path, asked())
    assert path.stat().st_mode & 0o077 == 0


def test_an_insight_cannot_pose_as_one_of_another_turn() -> None:
    (shown, *_) = (
        ask.shown["insights"]
        for ask in asks("label", RUN, [explored("01", "a\n[Turn 7] b")], checklist(), sample="100%")
        if "insights" in ask.shown
    )
    assert [line[:1] for line in shown.splitlines()] == ["[", " "]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"subject": "x", "answer_here": "s"}', "nothing here is named 'x'"),
        ('{"subject": "SUBJECT", "answer_here": "maybe"}', "'maybe' is no answer"),
        ("[1]", "row 1: an object belongs here"),
        ("{", "row 1: not JSON"),
        ("[" * 100_000, "row 1: not JSON"),
        ('{"subject": "SUBJECT", "answer_here": "s"}\n' * 2, "has answered"),
    ],
)
def test_a_file_with_a_fault_is_refused_with_its_place(tmp_path: Path, line: str, why: str) -> None:
    found = asked()
    path = tmp_path / "in.jsonl"
    path.write_text(line.replace("SUBJECT", found[0].subject), "utf-8")
    with pytest.raises(ConfigError, match=why):
        label_files.read(path, found, by="ann", now=START)


class Typed:
    """What a person types, line by line."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def __call__(self) -> str:
        return self.lines.pop(0) + "\n" if self.lines else ""


def test_a_person_answers_skips_goes_back_and_quits() -> None:
    found = asked(sample="100%")
    kept: list[tuple[str, Any]] = []
    typed = Typed("s plainly", "skip", "nonsense", "c", "back", "i", "s", "quit", "never read")
    n = ask_people(
        found,
        set(),
        lambda subject, record: kept.append((subject, record)),
        Output(json=True, quiet=True),
        now=lambda: START,
        lines=typed,
    )
    labels = [(subject, record.label, record.note) for subject, record in kept]
    assert n == 4
    assert labels == [
        (found[0].subject, "supported", "plainly"),
        (found[2].subject, "contradicted", ""),
        (found[2].subject, "insufficient", ""),  # thought better of it
        (found[3].subject, "supported", ""),
    ]
    assert typed.lines == ["never read"]


def test_what_was_answered_is_asked_no_more() -> None:
    found = asked(sample="100%")
    done = {found[0].subject, found[1].subject, found[3].subject}
    kept: list[str] = []
    out = Output(json=True, quiet=True)
    typed = Typed(*["s"] * 20)
    ask_people(found, done, lambda s, _: kept.append(s), out, now=lambda: START, lines=typed)
    assert kept == [ask.subject for ask in found if ask.subject not in done]
    assert len(typed.lines) == 20 - len(kept)


def verdict(subject: str, label: Label | None) -> Verdict:
    trajectory_id, item_id, level = subject.split("|")
    return Verdict.model_validate(
        {
            "evaluation_id": "e",
            "trajectory_id": trajectory_id,
            "item_id": item_id,
            "level": level,
            "label": label,
            "unscored_reason": None if label else "unreadable",
        }
    )


def said(subject: str, who: str, label: Label) -> tuple[str, str, PersonLabel]:
    trajectory_id, item_id, level = subject.split("|")
    made = PersonLabel.model_validate(
        {
            "trajectory_id": trajectory_id,
            "item_id": item_id,
            "level": level,
            "label": label,
            "created_at": START,
        }
    )
    return subject, who, made


def test_a_judge_is_held_against_what_most_people_say() -> None:
    subjects = [subject_of(f"t{n % 4}", str(n), "message") for n in range(12)]
    yes, no, open_ = _LABELS
    judge: Sequence[Label | None] = [*[yes] * 6, *[open_] * 5, None]
    truth: Sequence[Label] = [*[yes] * 5, *[no] * 2, *[open_] * 5]
    verdicts = [verdict(s, label) for s, label in zip(subjects, judge, strict=True)]
    labels = [
        said(s, who, label)
        for s, label in zip(subjects, truth, strict=True)
        for who in ("ann", "bob")
    ]
    labels[1] = said(subjects[0], "bob", "insufficient")
    found = agree("e", verdicts, labels, {})
    assert (found.n, found.unscored, found.divided) == (10, 1, 1)
    assert found.agreement == pytest.approx(0.8)
    assert found.confusion["contradicted"] == {"insufficient": 1, "supported": 1}
    assert found.confusion["insufficient"] == {"insufficient": 4}
    assert found.macro_f1 == pytest.approx((2 * 4 / 9 + 0 + 2 * 4 / 9) / 3)
    assert found.alpha is not None
    assert 0.8 < found.alpha < 1
    assert found.alpha_with_judge is not None
    assert found.alpha_with_judge < found.alpha
    assert [p.name for p in found.people] == ["ann", "bob"]
    assert found.macro_f1_interval is not None

    accuracy = correct(verdicts, labels, {}, set(subjects))
    assert set(accuracy) == {"message"}
    level = accuracy["message"]
    assert (level.n, level.labelled) == (11, 10)
    assert level.judged == pytest.approx(6 / 11)
    assert level.powered == pytest.approx(6 / 11 + (4 - 5) / 10)
    assert correct(verdicts, labels, {}, set(subjects[:4]))["message"].n == 4


def test_the_most_of_people_decide_and_a_tie_is_none() -> None:
    assert majority(["supported", "supported", "contradicted"]) == "supported"
    assert majority(["supported", "contradicted"]) is None
    assert majority([]) is None


def test_metrics_are_held_against_peoples_ratings(tmp_path: Path) -> None:
    trajectories = [explored("01", "It has 1 of them.", "It has 2 of them."), explored("02", "No.")]
    trajectories.append(explored("01", "It has 1 of them.").model_copy(update={"id": "third"}))
    verdicts = [verdict(subject_of(t.id, "x", "message"), "supported") for t in trajectories]
    columns = columns_of(trajectories, checklist(), {"e1": verdicts})
    assert columns["message accuracy of e1"] == dict.fromkeys((t.id for t in trajectories), 1.0)
    f1 = columns["ROUGE-1 F1"]
    assert f1[trajectories[0].id] == 1.0
    assert f1[trajectories[1].id] == 0.0

    path = tmp_path / "metric.csv"
    path.write_text("entity,trial,G-Eval,remark\n01,1,0.9,good\n02,1,0.2,bad\n", "utf-8")
    merged_columns = merged(columns, path, trajectories)
    assert merged_columns["G-Eval"] == {
        trajectories[0].id: 0.9,
        trajectories[1].id: 0.2,
        "third": 0.9,
    }
    ratings = [
        (t.id, who, PersonRating(trajectory_id=t.id, given=given, best=10, created_at=START))
        for t, givens in zip(trajectories, ((10, 9), (1, 2), (6, 7)), strict=True)
        for who, given in zip(("ann", "bob"), givens, strict=True)
    ]
    found = rated(ratings, merged_columns)
    assert (found.rated, found.people) == (3, ("ann", "bob"))
    assert found.icc is not None
    assert found.icc > 0.9
    by_name = {m.metric: m for m in found.metrics}
    assert by_name["ROUGE-1 F1"].spearman == pytest.approx(1.0)
    assert by_name["G-Eval"].people == pytest.approx((0.95 + 0.15 + 0.65) / 3)
    assert by_name["G-Eval"].gap == pytest.approx((0.05 + 0.05 + 0.25) / 3)
    assert by_name["message accuracy of e1"].pearson is None, "it does not vary"
    assert found.metrics[-1].spearman is None

    path.write_text("entity,x\n07,1\n", "utf-8")
    with pytest.raises(ConfigError, match="'07'"):
        merged(columns, path, trajectories)
    path.write_text("entity,x\n01,good\n", "utf-8")
    with pytest.raises(ConfigError, match="no figures"):
        merged(columns, path, trajectories)
