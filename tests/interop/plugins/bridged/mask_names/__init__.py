"""Masks a name in what tools give back and in answers; `redaction` masks keys in the same texts."""

import asyncio

from hermes_sdk import hookimpl


@hookimpl
async def transform_tool_result(result):
    await asyncio.sleep(0)
    return result.replace("Ada Lovelace", "[a person]")


@hookimpl
def transform_llm_output(response_text):
    return response_text.replace("Ada Lovelace", "[a person]")
