"""Environments of hermes-agent, and plugins for them."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "compat")]  # for the modules beside this one, and the environments


@pytest.fixture(scope="session")
def contract_site(tmp_path_factory):
    """What a plugin of the SDK needs in hermes-agent's environment: `hermes_hookspecs` and pluggy, nothing else."""
    from agent_site import link_contract

    return link_contract(tmp_path_factory.mktemp("contract-site"))
