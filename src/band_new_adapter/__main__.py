"""The two commands, and the one boundary at which errors become text."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

from band_new_adapter import interrupts
from band_new_adapter.errors import INTERRUPTED, USAGE, NotPutBack, ToolError


def band_new_adapter() -> NoReturn:
    """`band-new-adapter NAME`."""
    sys.exit(_main("single", "band-new-adapter"))


def band_adapter() -> NoReturn:
    """`band-adapter VERB`."""
    sys.exit(_main("several", "band-adapter"))


def _main(app: str, name: str) -> int:
    """Run one command; return its exit code. Only a bug raises."""
    try:
        # First of all: a signal while the rest is imported is to end well too.
        interrupts.listen()
        _prepare_streams()
        import typer

        from band_new_adapter import cli

        try:
            code = getattr(cli, app)(prog_name=name, standalone_mode=False) or 0
        except typer.TyperException as error:
            context = getattr(error, "ctx", None)
            command = context.command_path if context else name
            remedy = f"{command} --help shows what there is."
            return _fail(error.format_message(), remedy, USAGE)
        except typer.Abort:
            return _interrupted()
        # Typer makes this code of a KeyboardInterrupt.
        return _interrupted() if code == INTERRUPTED else code
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        # What a signal interrupts may go wrong in a way of its own.
        if interrupts.pending() and not isinstance(error, NotPutBack):
            return _interrupted()
        if not isinstance(error, ToolError):
            raise
        return _fail(error.message, error.remedy, error.exit_code)


def _prepare_streams() -> None:
    """Have any character printed, and a stream that the caller closed take it all.

    Nobody is there to ask or to read then, and the work is to be done all the same;
    and the number of the stream is not to be that of the next file.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _interrupted() -> int:
    interrupts.ignore()
    if sys.stderr.isatty():
        # The question that was open is on this line still, or the ^C of the terminal.
        print(file=sys.stderr)
    return _fail("Interrupted: nothing changed.", "", INTERRUPTED)


def _fail(message: str, remedy: str, exit_code: int) -> int:
    if "--json" in sys.argv[1:]:
        import json

        document = {
            "status": "interrupted" if exit_code == INTERRUPTED else "error",
            "exit": exit_code,
            "message": message,
            "remedy": remedy,
        }
        print(json.dumps(document, indent=2))
    else:
        print("\n".join(filter(None, (message, remedy))), file=sys.stderr)
    return exit_code


if __name__ == "__main__":
    band_adapter()
