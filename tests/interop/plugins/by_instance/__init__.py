"""A plugin of this SDK as an instance: every kind of answer, and what only one of the two hosts can do."""

import asyncio

from hermes_hookspecs import AddContext, Approve, Block, Continue, Modify, hookimpl, registrar

ENTERED = []


class Guard:
    @hookimpl(tryfirst=True)
    def pre_tool_call(self, tool_name, args):
        if tool_name == "delete":
            return Block("nothing is deleted here")
        if tool_name == "deploy":
            return Approve("a deployment needs a person", rule_key="deploy")
        if tool_name == "fetch":
            return Modify({"timeout": 5})
        return None

    @hookimpl
    async def transform_tool_result(self, arguments, result):
        await asyncio.sleep(0)
        return result.replace(arguments["secret"], "***") if "secret" in arguments else None

    @hookimpl
    def transform_terminal_output(self, output, exit_code, cwd):
        return f"{output} [exit code {exit_code}, cwd {cwd!r}]"

    @hookimpl(fail_closed=True)
    def transform_llm_output(self, response_text):
        raise LookupError("the list of secrets is gone")

    @hookimpl
    def pre_llm_call(self, user_message):
        return AddContext(f"about {user_message}")

    @hookimpl
    def pre_verify(self, attempt):
        return None if attempt else Continue("run the tests first")

    @hookimpl(wrapper=True)
    def post_tool_call(self, tool_name):
        ENTERED.append(tool_name)
        return (yield)


register = registrar(Guard())
