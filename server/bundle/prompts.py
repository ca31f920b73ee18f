"""The prompts of a run and of its judges, each in a file whose name is its sha-256."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from core.errors import BundleError, ConfigError, UnknownNameError
from core.evaluation import Evaluation
from core.run import RunSpec
from evaluator.asking import Prompts as JudgePrompts
from server import inputs
from server.bundle.manifest import LeftOut
from server.settings import Settings


def prompts_of(
    spec: RunSpec, evaluations: Sequence[Evaluation], settings: Settings
) -> Iterator[tuple[str, str] | LeftOut]:
    """(hash, text) of each that is known here; why another is not there."""
    if spec.prompts_hash is not None:
        try:
            yield spec.prompts_hash, inputs.kept_prompts(settings, spec.prompts_hash).hashed_text()
        except ConfigError as exc:
            yield LeftOut(what=f"{spec.id}: the agent's prompts", why=str(exc))
    for each in evaluations:
        if each.prompt_hash is None:
            continue
        text = _of_judge(each)
        if text is not None:
            yield each.prompt_hash, text
        else:
            why = f"this code has others; their hash is {each.prompt_hash[:12]}"
            yield LeftOut(what=f"{each.id}: the judge's prompts", why=why)


def _of_judge(evaluation: Evaluation) -> str | None:
    try:
        prompts = JudgePrompts(evaluation.criteria, evaluation.protocol)
    except UnknownNameError:  # criteria of somebody's own
        return None
    for together in (False, True):
        text = prompts.hashed_text(together=together)
        if sha256(text.encode()) == evaluation.prompt_hash:
            return text
    return None


def check_prompts(name: str, content: bytes) -> None:
    """Raise BundleError where a file of prompts is not what its name says."""
    if name != f"prompts/{sha256(content)}.json":
        raise BundleError(f"{name}: its name is not its sha-256")


def keep_agents(content: bytes, settings: Settings) -> None:
    """Keep an agent's prompts, so that insights can be asked for under them. Raises BundleError."""
    from agent.prompting import Prompts

    try:
        found = Prompts(**dict(json.loads(content)))
    except (ValueError, TypeError) as exc:
        raise BundleError("prompts of the agent that this code does not know") from exc
    if not all(isinstance(text, str) for text in vars(found).values()):
        raise BundleError("prompts of the agent that are no texts")
    inputs.keep_prompts(settings, found)


def sha256(content: bytes) -> str:
    """In hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
