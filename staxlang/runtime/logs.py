"""What `STAX_LOG` asks for, through `logging`; to standard error where the program has set up no handler."""

from __future__ import annotations

import logging
import sys


def log(topic: str, text: str) -> None:
    logger = logging.getLogger("staxlang")
    if not logger.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("stax %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    logger.info("[%s] %s", topic, text)
