"""Finding, loading and managing plugins; import from the modules, this package itself loads nothing."""
