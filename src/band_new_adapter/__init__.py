"""From nothing to a green Band adapter package, in one command."""

from __future__ import annotations

__version__ = "0.2.0"
"""The version of this tool, and of the template that it carries."""
