"""ctx.llm: the user's model for plugins' own questions."""

import asyncio

import pytest

from hermes_sdk.config import Config
from hermes_sdk.host.models.base import ModelReply, Usage
from hermes_sdk.host.models.scripted import ScriptedModel
from hermes_sdk.host.plugin_llm import PluginLlm, PluginLlmTrustError


class Asked(ScriptedModel):
    """Keeps the requests and gives one answer."""

    def __init__(self, answer="fine"):
        super().__init__(name="user/model")
        self.answer = answer
        self.requests = []

    def complete(self, request):
        self.requests.append(request)
        return ModelReply(self.answer, usage=Usage(3, 4))


@pytest.fixture
def config(home):
    return Config.of(home, {"plugins": {"entries": {"free": {"llm": {"allow_model_override": True}}}}})


def test_a_question_goes_to_the_users_model(config):
    model = Asked()
    llm = PluginLlm(model, config, "asker")
    result = llm.complete([{"role": "user", "content": "why"}], temperature=0.0, purpose="test")
    assert (result.text, result.model, result.provider, result.agent_id) == (
        "fine",
        "user/model",
        "scripted",
        "default",
    )
    assert (result.usage.input_tokens, result.usage.total_tokens) == (3, 7)
    assert result.audit["plugin_id"] == "asker"
    wanted = {"model": "user/model", "messages": [{"role": "user", "content": "why"}], "temperature": 0.0}
    assert model.requests == [wanted]


def test_another_model_needs_the_users_leave(config):
    model = Asked()
    llm = PluginLlm(model, config)
    with pytest.raises(PluginLlmTrustError, match=r"plugins\.entries\.asker\.llm\.allow_model_override: true"):
        llm.bound_to("asker").complete([], model="other/model")
    with pytest.raises(PluginLlmTrustError, match="allow_provider_override"):
        llm.bound_to("free").complete([], provider="other")
    assert llm.bound_to("asker").complete([], model="user/model").text == "fine"
    assert llm.bound_to("free").complete([], model="other/model").model == "other/model"
    assert model.requests[-1]["model"] == "other/model"


@pytest.mark.parametrize(
    ("answer", "parsed", "kind"),
    [
        ('{"a": 1}', {"a": 1}, "json"),
        ('Here you are:\n```json\n{"a": 1}\n```', {"a": 1}, "json"),
        ("I would rather not", None, "text"),
    ],
)
def test_a_structured_answer_is_parsed_where_it_can_be(config, answer, parsed, kind):
    model = Asked(answer)
    image = {"type": "image", "data": b"\x89PNG"}
    result = PluginLlm(model, config).complete_structured(
        instructions="read it", input=[{"type": "text", "text": "this"}, image], json_schema={"type": "object"}
    )
    assert (result.parsed, result.content_type, result.text) == (parsed, kind, answer)
    parts = model.requests[0]["messages"][0]["content"]
    assert [part["type"] for part in parts] == ["text", "text", "image_url", "text"]
    assert parts[2]["image_url"]["url"] == "data:image/png;base64,iVBORw=="


def test_a_structured_question_needs_instructions_and_input(config):
    llm = PluginLlm(Asked(), config)
    with pytest.raises(ValueError, match="needs instructions"):
        llm.complete_structured(instructions=" ", input=["x"])
    with pytest.raises(ValueError, match="needs data or a url"):
        llm.complete_structured(instructions="x", input=[{"type": "image"}])


def test_the_async_forms_do_the_same(config):
    llm = PluginLlm(Asked('{"a": 1}'), config)

    async def ask():
        block = {"type": "text", "text": "x"}
        structured = await llm.acomplete_structured(instructions="x", input=[block], json_mode=True)
        return (await llm.acomplete([])).text, structured.parsed

    assert asyncio.run(ask()) == ('{"a": 1}', {"a": 1})


def test_a_plugin_asks_from_inside_a_hook_without_meeting_itself(start, load, ledger, say):
    load("""
        def register(ctx):
            ctx.register_hook("pre_llm_call", lambda **_: ctx.llm.complete([{"role": "user", "content": "x"}]).text)
    """)
    agent = start(model=ScriptedModel([say("ok", sees=("in short",))], plugin_answers=["in short"]))
    agent.run_turn("hello")
    assert agent.model.mismatches == []
    assert len(ledger.payloads("pre_api_request")) == 1, "the plugin's own request fires no hooks"
