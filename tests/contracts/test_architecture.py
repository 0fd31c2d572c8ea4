"""Who may import whom (DESIGN section 1), where SQL may stand, and who prints: read from the source itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "chatmem"
MODULES = sorted(p.relative_to(PACKAGE).with_suffix("").as_posix() for p in PACKAGE.rglob("*.py"))

# What a module of a folder (or a module of the top level) may import from this package besides its own folder.
# A name ends with `/` for a whole folder. What only annotations need (under TYPE_CHECKING) is free.
MAY_IMPORT: dict[str, set[str]] = {
    "model": set(),
    "acting": set(),
    "errors": set(),
    "config": {"errors"},
    "tokens": set(),
    "discover": set(),
    "readers/": {"acting", "model", "errors"},
    "archive/": {"model", "errors"},
    "embed/": {"archive/vectors", "errors"},
    "search/": {"archive/", "policy/", "tokens", "embed/", "errors", "model"},
    "evidence/": {
        "archive/",
        "policy/",
        "facts/never_store",
        "search/",
        "tokens",
        "embed/",
        "config",
        "errors",
        "model",
    },
    "facts/": {"archive/", "policy/", "tokens", "embed/", "config", "llm", "errors"},
    "prompt/": {
        "archive/",
        "policy/",
        "tokens",
        "embed/",
        "facts/",
        "search/",
        "evidence/",
        "config",
        "llm",
        "recall",
        "errors",
        "model",
    },
    "llm": {"config"},
    "policy/": {"search/stopwords"},
    "render/": {"acting", "errors", "evidence/answer", "prompt/parts"},
    "__init__": set(),
    "import_report": {"readers/base", "model"},
    "metered": {"readers/unpack"},
    "claims": {"archive/ledger", "import_report", "readers/", "errors", "model"},
    "settle": {"archive/", "readers/clean", "model"},
    "ingest": {
        "archive/",
        "claims",
        "embed/",
        "facts/",
        "import_report",
        "metered",
        "settle",
        "readers/",
        "errors",
        "model",
    },
    "upkeep": {"archive/", "embed/", "errors"},
    "reembed": {"archive/", "embed/", "errors"},
    "cursors": {"archive/"},
    "export": {"archive/", "recall", "model"},
    "recall": {
        "archive/",
        "cursors",
        "embed/",
        "facts/outdated",
        "search/",
        "evidence/",
        "config",
        "tokens",
        "errors",
        "model",
    },
    "tools": {"archive/", "evidence/", "recall", "config", "tokens", "errors"},
    "mcp_server": {"archive/", "tools", "errors"},
    "batch": {"archive/", "search/", "evidence/", "recall", "config", "tokens", "errors", "model"},
}
# The command line puts everything together.
FREE = ("cli/", "__main__")
SQL = re.compile(r"\b(SELECT\s.+\sFROM|INSERT\s+INTO|DELETE\s+FROM|UPDATE\s.+\sSET|CREATE\s+TABLE|ATTACH\s)", re.DOTALL)
QUERIES = {"execute", "executemany", "sql", "cursor"}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{module}.py").read_text("utf-8"))


def in_use(module: str) -> Iterator[ast.stmt | ast.expr]:
    """All nodes of a module that run: not those under `if TYPE_CHECKING:`."""
    waiting: list[ast.AST] = [tree(module)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.stmt | ast.expr):
            yield node
        waiting += ast.iter_child_nodes(node)


def imported(module: str) -> Iterator[str]:
    """Dotted names of everything that a module imports, at its top or inside its functions."""
    for node in in_use(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(module: str) -> set[str]:
    """The modules of this package that a module imports, as paths (`archive/read`)."""
    found = set()
    for name in imported(module):
        parts = name.split(".")
        if parts[0] != "chatmem":
            continue
        paths = ["/".join(parts[1:end]) for end in range(len(parts), 1, -1)]
        found.add(next((p for p in paths if p in MODULES), f"{paths[-1]}/__init__" if paths else "__init__"))
    return found


def allowed(module: str, wanted: str) -> bool:
    folder = module.rpartition("/")[0]
    key = f"{folder}/" if folder else module
    if module.startswith(FREE) or (folder and wanted.startswith(f"{folder.split('/')[0]}/")):
        return True
    return any(wanted == may or (may.endswith("/") and wanted.startswith(may)) for may in MAY_IMPORT[key])


def speaks_sql(module: str) -> bool:
    texts = [n.value for n in in_use(module) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    calls = {n.func.attr for n in in_use(module) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    return any(SQL.search(t) for t in texts) or bool(QUERIES & calls)


def called(module: str) -> set[str]:
    return {ast.unparse(n.func) for n in in_use(module) if isinstance(n, ast.Call)}


def outside(*folders: str) -> list[str]:
    return [m for m in MODULES if not m.startswith(folders)]


def inside(folder: str) -> list[str]:
    return [m for m in MODULES if m.startswith(folder)]


def test_the_walk_sees_the_package() -> None:
    assert {"model", "cli/app", "render/sink", "archive/store", "readers/chatgpt"} <= set(MODULES)
    assert "archive/read" in ours("evidence/gather")
    assert {"archive/store", "archive/read"} <= ours("export")
    assert speaks_sql("archive/read")
    assert not speaks_sql("model")
    assert "json.loads" in called("archive/read")
    assert "rich.text.Text" in set(imported("render/as_rich"))


def test_a_module_imports_only_what_its_place_allows() -> None:
    strangers = {m: [wanted for wanted in sorted(ours(m)) if not allowed(m, wanted)] for m in MODULES}

    assert not {m: wanted for m, wanted in strangers.items() if wanted}


def test_nothing_but_the_process_entry_imports_the_command_line() -> None:
    assert [m for m in outside("cli/") if any(o.startswith("cli") for o in ours(m))] == ["__main__"]


def test_rendering_knows_results_and_never_the_database() -> None:
    assert not [m for m in inside("render/") if any(n.split(".")[0] == "duckdb" for n in imported(m))]


def test_readers_know_neither_the_clock_nor_the_settings() -> None:
    clock = {"datetime.now", "datetime.utcnow", "time.time", "date.today", "os.getenv", "datetime.today"}

    assert not [m for m in inside("readers/") if called(m) & clock]


def test_only_archive_and_search_speak_sql() -> None:
    assert not [m for m in outside("archive/", "search/") if speaks_sql(m)]


def test_only_render_prints() -> None:
    printing = re.compile(r"(print|pprint|input|sys\.(stdout|stderr)\.write\w*|typer\.s?echo|os\.write)")
    talkers = [m for m in outside("render/") if any(printing.fullmatch(c) for c in called(m))]
    painters = [m for m in outside("render/") if any(n.split(".")[0] == "rich" for n in imported(m))]

    assert (talkers, painters) == ([], [])


def test_no_export_is_parsed_as_one_piece() -> None:
    assert not [m for m in MODULES if called(m) & {"json.load", "ijson.parse_all"}]


def test_every_module_with_code_opens_with_what_it_is_for() -> None:
    assert not [m for m in MODULES if tree(m).body and not ast.get_docstring(tree(m))]
