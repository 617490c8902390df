"""A messaging gateway around the host's agent: chats come in through adapters, each has its own conversation."""
