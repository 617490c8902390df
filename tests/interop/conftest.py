"""Environments of hermes-agent, and plugins for them."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "compat"), str(HERE.parents[1] / "benchmarks")]
"""For the modules beside this one, the environments, and the model server that benchmarks use too."""
sys.path.append(str(HERE.parent / "builtin"))  # for the collector that telemetry is tried with


@pytest.fixture(scope="session")
def contract_site(tmp_path_factory):
    """What a plugin of the SDK needs in hermes-agent's environment: `hermes_hookspecs` and pluggy, nothing else."""
    from _harness.agent_site import link_contract

    return link_contract(tmp_path_factory.mktemp("contract-site"))


@pytest.fixture(scope="session")
def framework_site(tmp_path_factory):
    """All of hermes-sdk, as if it were installed beside the release of hermes-agent that "upstream" means."""
    from _harness.agent_site import link_framework
    from agent_process import python_of
    from versions import UPSTREAM

    return link_framework(tmp_path_factory.mktemp("framework-site"), python_of(UPSTREAM).parents[1])
