"""Both ways with hermes-agent: the bridge into it, and the names that plugins written for it import."""
