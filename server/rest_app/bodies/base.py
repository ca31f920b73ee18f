"""What all bodies share: no unknown fields, and the names that their examples use."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

RUN_ID: Final = "20260131-flights-ab12"
PATH: Final = "Zq3xV0p1mT8kYw7LrD2s5A"
TOKEN: Final = "ddr_uT4vXb1o9Qe7Rz3mWk6yLc2sHd8nPf5a"  # noqa: S105 - of nobody
URL: Final = f"https://ddr.example.org/r/{PATH}/mcp"
TIME: Final = "2026-01-31T12:00:00Z"

Name = Annotated[str, Field(min_length=1, max_length=200)]
EntityId = Annotated[str, Field(min_length=1, max_length=200)]


class Body(BaseModel):
    """Unknown fields are refused, so that a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


def shown(example: dict[str, Any]) -> ConfigDict:
    """The configuration of a body with this example."""
    return ConfigDict(json_schema_extra={"examples": [example]})


class ProblemBody(BaseModel):
    """RFC 9457: what is wrong, and the way out."""

    model_config = shown(
        {
            "type": "urn:ddr:problem:not-finished",
            "title": "Forbidden",
            "status": 403,
            "detail": "run 20260131-flights-ab12 goes on, and is not this token's",
        }
    )

    type: str
    title: str
    status: int
    detail: str
