"""A client of caller-memory, a memory of callers for voice agents."""

from .client import ApiError, CallerMemory, CallerMemoryError, NoAnswer
from .models import (
    Caller,
    CallsEndRequest,
    RecallAndEnrichRequest,
    RecallAndEnrichResponse,
    TranscriptEntry,
)

__all__ = [
    "ApiError",
    "Caller",
    "CallerMemory",
    "CallerMemoryError",
    "CallsEndRequest",
    "NoAnswer",
    "RecallAndEnrichRequest",
    "RecallAndEnrichResponse",
    "TranscriptEntry",
]
