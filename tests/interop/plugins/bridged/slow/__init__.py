"""Hangs when it is asked for context; its deadline is in config.yaml."""

import time


def register(ctx):
    ctx.register_hook("pre_llm_call", lambda **payload: time.sleep(60))
