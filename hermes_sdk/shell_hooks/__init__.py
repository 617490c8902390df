"""Scripts as plugins: the ``hooks:`` block of config.yaml, run as processes whenever a hook fires."""
