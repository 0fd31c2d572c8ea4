"""One import: what each record becomes, whom a problem is told of, how far the progress is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from chatmem.archive.store import Store
from chatmem.import_report import ImportRequest
from chatmem.ingest import run_import
from chatmem.readers.base import ReadOptions
from tests.imports import conversation, export, held, imported, line, session, shown, turn, uuid
