"""chatmem config"""

from __future__ import annotations

import typer

app = typer.Typer(help="Show the settings and where they come from.", no_args_is_help=True)


@app.command()
def show() -> None:
    """Print every setting, as TOML that the configuration file takes."""
    from dataclasses import asdict

    from chatmem import config
    from chatmem.render import settings_report
    from chatmem.render.sink import Sink

    settings, origins = config.resolve()
    settings_report.print_settings(Sink(), asdict(settings), origins)


@app.command()
def path() -> None:
    """Print the path of the configuration file (it need not exist)."""
    from chatmem import config
    from chatmem.render.sink import Sink

    Sink().line(str(config.config_path()))
