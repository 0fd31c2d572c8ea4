"""Process entry: run the command line, and turn every way to end into an exit code and at most one line."""

from __future__ import annotations

import sys
from typing import NoReturn

UNUSABLE = 3
BUG = 70
INTERRUPTED = 130
# What DuckDB raises when Ctrl-C meets a running query; the KeyboardInterrupt itself is lost.
QUERY_INTERRUPTED = "Query interrupted"


def main() -> NoReturn:
    """Run and exit with a code of SPEC 11."""
    sys.exit(run())


def run(arguments: list[str] | None = None) -> int:
    """Run one command line (default: the process's own) on the standard streams. Never raises."""
    try:
        from chatmem.render.sink import prepare_streams

        prepare_streams()
        return _guarded(arguments)
    except KeyboardInterrupt:
        return _interrupted()


def _guarded(arguments: list[str] | None) -> int:
    from chatmem.cli.app import invoke
    from chatmem.errors import ChatmemError
    from chatmem.render.diagnostics import diagnostics
    from chatmem.render.sink import settle_stdout

    diagnostics.reset()
    try:
        code = invoke(arguments)
        sys.stdout.flush()
        return code
    except ChatmemError as error:
        diagnostics.error(str(error))
        return error.exit_code
    except BrokenPipeError:
        settle_stdout()
        return 0
    except OSError as error:
        return _system(error)
    except Exception as error:
        if isinstance(error, RuntimeError) and QUERY_INTERRUPTED in str(error):
            return _interrupted()
        return _bug(error)


def _interrupted() -> int:
    from chatmem.render.diagnostics import diagnostics

    diagnostics.error("interrupted; what was done is kept, run the same command again to go on")
    return INTERRUPTED


def _system(error: OSError) -> int:
    """A full disk, a failing device: no bug of ours, and worth its own words."""
    from chatmem.render.diagnostics import diagnostics
    from chatmem.render.sink import settle_stdout

    place = f": {error.filename}" if error.filename else ""
    diagnostics.error(f"{error.strerror or error}{place}; mend the cause and run the same command again")
    settle_stdout()
    return UNUSABLE


def _bug(error: Exception) -> int:
    import traceback

    from chatmem.render.diagnostics import diagnostics

    diagnostics.error(f"a bug: {type(error).__name__}: {error}; run it again with -v for the details and report them")
    for line in traceback.format_exception(error):
        for part in line.rstrip().split("\n"):
            diagnostics.detail(part)
    return BUG


if __name__ == "__main__":
    main()
