"""Takes out the files that this kind of plugin does not have."""

import shutil
from pathlib import Path

KIND = "{{ cookiecutter.kind }}"
PACKAGING = "{{ cookiecutter.__packaging }}"
LICENSE = "{{ cookiecutter.license }}"
CODE = Path("{{ cookiecutter.__code }}")

PLUGIN = ("__init__.py", "plugin.yaml", "settings.py", "py.typed")
NOT_IN = {
    "gateway-hook": (*PLUGIN, "hook.sh", "config.yaml"),
    "shell-hook": (*PLUGIN, "HOOK.yaml", "handler.py"),
}
OTHERS = ("HOOK.yaml", "handler.py", "hook.sh", "config.yaml")

for name in NOT_IN.get(KIND, OTHERS):
    (CODE / name).unlink()
if PACKAGING == "directory":
    (CODE / "py.typed").unlink(missing_ok=True)
    for path in CODE.iterdir():  # the project is the plugin's directory
        path.rename(path.name)
    CODE.rmdir()
    CODE = Path()
if KIND in NOT_IN:
    Path("session.yaml").unlink()
if LICENSE == "none":
    Path("LICENSE").unlink()
if KIND == "shell-hook":
    (CODE / "hook.sh").chmod(0o755)
for path in list(Path().rglob("__pycache__")):  # pip compiles the template where it installs it
    shutil.rmtree(path)
