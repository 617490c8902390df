"""Homes that a case stands in: the same files for both hosts."""

from plugin_source import source_of

INFO = "Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
GROUP = "[hermes_agent.plugins]\n{name} = {target}\n"


def stage(case, home):
    """Write a home for a case; return the directory of its pip-installed plugins, or None without any."""
    home.mkdir(parents=True)
    names = ", ".join(plugin.name for plugin in case.plugins)
    (home / "config.yaml").write_text(f"plugins:\n  enabled: [{names}]\n" if case.enabled else "{}\n", "utf-8")
    site = home.parent / "site"
    for plugin in case.plugins:
        if plugin.form == "directory":
            directory = home / "plugins" / (plugin.directory or plugin.name)
            directory.mkdir(parents=True)
            (directory / "plugin.yaml").write_text(f"name: {plugin.name}\nversion: '1.0'\n", "utf-8")
            (directory / "__init__.py").write_text(source_of(plugin), "utf-8")
        else:
            install(plugin, site)
    return site if site.exists() else None


def install(plugin, site):
    """Lay a plugin out as pip does."""
    module = plugin.name.replace("-", "_")
    info = site / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    target = module if plugin.form == "module" else f"{module}:register"
    (info / "METADATA").write_text(INFO.format(name=plugin.name), "utf-8")
    (info / "entry_points.txt").write_text(GROUP.format(name=plugin.name, target=target), "utf-8")
    (site / f"{module}.py").write_text(source_of(plugin), "utf-8")
