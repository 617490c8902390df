"""A small agent that is real where a plugin can tell: sessions, turns, tools, approvals, children, models."""
