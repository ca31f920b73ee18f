"""What a sentence can deserve, and how a case is written down."""

from __future__ import annotations

from core.checklist import Signals
from core.evaluation import Label

YES: Label = "supported"
NO: Label = "contradicted"
LITTLE: Label = "insufficient"

Case = tuple[Signals, Label, str]
"""(the fact, the label that the sentence deserves, the sentence)"""
