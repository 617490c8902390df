"""Is disabled: nothing of it may ever run."""

raise SystemExit("this plugin is disabled")
