"""What config.yaml may say about the host."""

from hermes_sdk.config import Config
from hermes_sdk.host.settings import HostSettings


def test_an_empty_configuration_gives_the_defaults(home):
    assert HostSettings.from_config(Config.load(home)) == HostSettings()


def test_every_setting_is_read(home):
    (home / "config.yaml").write_text("""
agent: {max_turns: 7, max_retries: 0}
approvals: {timeout: 12.5}
terminal: {timeout: 30}
security: {redact_secrets: false}
delegation: {max_spawn_depth: 0, max_concurrent_children: 9, child_timeout_seconds: 60}
hooks: {output_spill: {enabled: false, max_chars: 5, preview_head: 0, preview_tail: 1}}
""")
    settings = HostSettings.from_config(Config.load(home))
    assert (settings.max_iterations, settings.retry.max_retries, settings.approval_timeout) == (7, 0, 12.5)
    assert (settings.terminal_timeout, settings.redact_secrets) == (30.0, False)
    assert (settings.max_depth, settings.max_children, settings.child_timeout) == (0, 9, 60.0)
    spill = settings.spill
    assert (spill.enabled, spill.max_chars, spill.preview_head, spill.preview_tail) == (False, 5, 0, 1)


def test_a_value_that_cannot_be_used_is_reported_with_its_place_and_left_out(home, caplog):
    (home / "config.yaml").write_text(
        "approvals: {timeout: soon}\nagent: {max_turns: 0}\nsecurity: {redact_secrets: 1}\n"
    )
    assert HostSettings.from_config(Config.load(home)) == HostSettings()
    assert "config.yaml:1:13: approvals.timeout is 'soon', wanted a positive number of seconds" in caplog.text
    assert "config.yaml:2:9: agent.max_turns is 0, wanted a whole number from 1" in caplog.text
    assert "security.redact_secrets is 1, wanted true or false" in caplog.text


def test_a_section_that_is_no_mapping_is_reported_once_and_left_out(home, caplog):
    (home / "config.yaml").write_text("delegation: none\nhooks: {output_spill: true}\napprovals:\n")
    assert HostSettings.from_config(Config.load(home)) == HostSettings()
    assert [record.getMessage().partition("config.yaml:")[2] for record in caplog.records] == [
        "1:1: delegation is 'none', wanted a mapping; nothing below it counts",
        "2:9: hooks.output_spill is True, wanted a mapping; nothing below it counts",
    ]
