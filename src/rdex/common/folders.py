"""Where files that can be made again live."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The folder for compiled kernels and downloaded data, not yet created.

    `RDEX_CACHE_DIR` names it; otherwise it is `rdex` in the platform's usual place.
    """
    named = os.environ.get("RDEX_CACHE_DIR")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "rdex"
