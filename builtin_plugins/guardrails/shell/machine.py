"""Programs that change the machine: services, accounts, disks, processes, containers and what they hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..paths import plain, quoted
from .flow import SOMETHING, Stream
from .unknown import unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

_SYSTEM: Final = frozenset(
    (
        *("shutdown", "reboot", "halt", "poweroff", "init", "telinit", "kexec", "swapoff", "swapon", "mount", "umount"),
        *("fdisk", "sfdisk", "gdisk", "parted", "wipefs", "blkdiscard", "mkswap", "cryptsetup", "lvremove", "vgremove"),
        *("setcap", "update-alternatives", "dpkg-reconfigure", "grub-install", "efibootmgr", "losetup", "dmsetup"),
        *("insmod", "modprobe", "rmmod", "sysctl", "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "setenforce"),
        *("useradd", "userdel", "usermod", "adduser", "deluser", "groupadd", "passwd", "chpasswd", "visudo", "chsh"),
        *(
            "dbus-send",
            "gdbus",
            "busctl",
            "launchctl",
            "defaults",
            "diskutil",
            "csrutil",
            "killall",
            "killall5",
            "iptables-restore",
            "ip6tables-restore",
            "update-rc.d",
            "chfn",
            "wall",
            "pkill",
            "skill",
            "hdparm",
            "mdadm",
            "zpool",
            "zfs",
        ),
    )
)
_OF_AN_AGENT: Final = re.compile(
    r"--accept-hooks|--home\b|\b(?:plugins (?:enable|disable|install|update|remove)|approvals revoke|login|auth|"
    r"hooks (?:approve|revoke|test|doctor)|config (?:set|edit|migrate)|pair (?:approve|revoke)|"
    r"memories (?:delete|import))\b"
)
"""What changes the agent that runs the command, or lets something of it run: its user does that."""
_ASKING: Final = re.compile(r"(?:status|show|list|list-\S+|is-\S+|cat|help|--help|--version|-l|-L|-h|-V)\Z")
_PUBLISHES: Final = r"(?:npm )?(?:un)?publish\b"
_REMOVED: Final = r"(?:-\S+ )*(?:remove|purge|autoremove|erase|del|uninstall)\b"
_DISCARDS: Final = {
    "docker": r"(?:(?:system|volume|image|container|builder) prune|volume rm|(?:compose )?down .*-v|rm .*-\w*f)",
    "podman": r"(?:(?:system|volume|image|container) prune|volume rm|rm .*-\w*f)",
    "kubectl": r"(?:delete|drain|replace .*--force)\b",
    "helm": r"(?:uninstall|delete)\b",
    "terraform": r"(?:-\S+ )*(?:destroy|apply .*-(?:destroy|auto-approve)|state rm)",
    "tofu": r"(?:-\S+ )*(?:destroy|apply .*-(?:destroy|auto-approve)|state rm)",
    "pulumi": r"destroy\b|up .*(?:-y|--yes)",
    "virsh": r"(?:destroy|undefine)\b|\S+-delete\b",
    "gpg": r".*--delete-",
    "gpg2": r".*--delete-",
    **dict.fromkeys(("apt", "apt-get", "dnf", "yum", "zypper", "apk", "snap", "flatpak", "brew"), _REMOVED),
    "pacman": r"-R",
    "dpkg": r".*(?:-[rP]\b|--purge|--remove)",
    "rpm": r"-\w*e|--erase",
    "aws": r"(?:s3 (?:rm|rb)|s3api delete|\S+ (?:delete|terminate)-)",
    "gcloud": r".*\bdelete\b",
    "gh": r"(?:repo|release|run|secret|gist|issue) delete|api .*(?:-X|--method)[ =]?DELETE",
    "redis-cli": r"(?i:.*\bflush(?:all|db)\b)",
    "npm": _PUBLISHES,
    "pnpm": _PUBLISHES,
    "yarn": _PUBLISHES,
    "bun": _PUBLISHES,
    "cargo": r"(?:publish|yank)\b",
    "gem": r"(?:push|yank)\b",
    "twine": r"upload\b",
    "poetry": r"publish\b",
    "uv": r"publish\b",
    "hatch": r"publish\b",
    "pdm": r"publish\b",
    "flit": r"publish\b",
    "dropdb": r"",
    "mysqladmin": r".*\bdrop\b",
    "az": r".*\bdelete\b",
    "gsutil": r"(?:-\S+ )*(?:rm|rb)\b",
    "rclone": r"(?:purge|delete|sync|rmdirs?)\b",
    "heroku": r"\S*:destroy",
    "fly": r".*\bdestroy\b",
    "flyctl": r".*\bdestroy\b",
    "doctl": r".*\bdelete\b",
    "vercel": r"(?:rm|remove)\b",
    "svn": r"revert\b",
    "hg": r"(?:update|up) .*(?:-C|--clean)|purge|strip",
}
_SETS: Final = frozenset(
    ("add", "del", "delete", "set", "flush", "replace", "change", "modify", "up", "down", "append")
)
_SHOWS_KEYS: Final = {
    "gcloud": (r"print-(?:access|identity)-token|application-default", ".config/gcloud/credentials.db"),
    "aws": (r"export-credentials|get-session-token|get-secret-value|get-login-password", ".aws/credentials"),
    "az": (r"get-access-token|secret show", ".azure/accessTokens.json"),
    "gh": (r"auth token|--show-token", ".config/gh/hosts.yml"),
    "kubectl": (r"config view .*--raw|get secrets?\b.* -o", ".kube/config"),
    "pass": (r"", ".password-store/all"),
    "op": (r"\b(?:read|item get)\b", ".config/op/config"),
    "secret-tool": (r"lookup|search", ".local/share/keyrings/login.keyring"),
    "security": (r"find-|dump-keychain|export", "Library/Keychains/login.keychain-db"),
    "gpg": (r"--export-secret", ".gnupg/private-keys-v1.d/all"),
    "gpg2": (r"--export-secret", ".gnupg/private-keys-v1.d/all"),
}
"""Program -> what of it prints secrets, and the file that they are kept in."""
_CONTAINERS: Final = {
    "docker": ("run", "exec", "create"),
    "podman": ("run", "exec", "create"),
    "kubectl": ("exec", "run"),
}


def system(call: Invocation) -> Stream:
    """Take a program that changes the machine, unless it is only asked something."""
    asks = any(_ASKING.match(text) for text in call.texts[:1])
    if not asks or call.name in ("shutdown", "halt"):  # their -h ends the machine
        call.does("system", "changes the machine")
    for word in call.words:
        if plain(word).startswith("/dev/"):
            call.path("write", word)
    return SOMETHING


def services(call: Invocation) -> Stream:
    """Take `systemctl` and `service`: anything but a question."""
    verbs = [text for text in call.texts if not text.startswith("-")]
    if verbs and not any(_ASKING.match(text) for text in verbs):
        call.does("system", "changes services")
    return SOMETHING


def manual(call: Invocation) -> Stream:
    """Take `man`, which runs a pager."""
    for pager in call.options("-P --pager -H -C -L -m -M -S -e -r -p").of("-P", "--pager", "-H"):
        call.shell_text(pager)
    return SOMETHING


def network(call: Invocation) -> Stream:
    """Take `ip` and its like: what they show is asked every day, what they set is not."""
    if any(text in _SETS for text in call.texts):
        call.does("system", "changes the network")
    return unknown(call)


def shows_keys(call: Invocation) -> Stream:
    """Take a program that prints what it keeps secret, or goes on as any other."""
    pattern, path = _SHOWS_KEYS[call.name]
    if re.search(pattern, call.line):
        call.path("read", quoted(f"{call.shell.state.home}/{path}"))
    return managed(call)


def users_of_files(call: Invocation) -> Stream:
    """Take `fuser`: with -k it ends whatever has a file open."""
    if call.options("-n -s").has("-k", "--kill"):
        call.does("system", "ends processes")
    return unknown(call)


def kill(call: Invocation) -> Stream:
    """Take `kill`: of one process it is everyday work, of all of them it is not."""
    if any(text in ("-1", "1", "0") for text in call.texts[1:]) or call.texts == ["1"]:
        call.does("system", "ends every process")
    return SOMETHING


def make_filesystem(call: Invocation) -> Stream:
    """Take `mkfs` and its kinds."""
    call.does("system", "makes a file system")
    call.paths("write", call.options("-t -L -b").operands)
    return SOMETHING


def managed(call: Invocation) -> Stream:
    """Take tools whose sub-commands throw things away, or run commands in containers."""
    starts = _starts(call.texts)
    pattern = _DISCARDS.get(call.name)
    if pattern is not None and any(re.match(pattern, " ".join(call.texts[start:])) for start in starts):
        call.does("discard", "throws things away for good")
    if call.name.startswith("apt") and "Invoke" in call.line:
        call.opaque("a setting that runs a command")
    if any(text in _CONTAINERS.get(call.name, ()) for start in starts for text in call.texts[start : start + 2]):
        call.opaque("a command in a container")
        return SOMETHING
    if "cp" in call.texts[:2] and ":" not in plain(call.words[-1]):
        call.path("write", call.words[-1])
    return unknown(call)


def agent(call: Invocation) -> Stream:
    """Take the agent's own command: what changes its plugins, approvals and settings."""
    if _OF_AN_AGENT.search(call.line):
        call.does("system", "changes the agent itself")
    return unknown(call)


def _starts(texts: list[str]) -> list[int]:
    """Return where a sub-command may stand: behind the options in front of it, and behind what may be their values."""
    starts, place = [0], 0
    while place < len(texts) and texts[place][:1] in ("-", "+"):
        place += 1
        starts.append(place)
        if place < len(texts) and texts[place][:1] not in ("-", "+"):
            starts.append(place + 1)
            if texts[place + 1 : place + 2] and texts[place + 1][:1] in ("-", "+"):
                place += 1
    return starts


def packages(call: Invocation) -> Stream:
    """Take `npm` and its like, which run commands of packages."""
    if call.name == "bun" and any(re.match(r"-[ep]|--(?:eval|print)", text) for text in call.texts):
        call.opaque("bun code on the command line")
    options = call.options("-c -p --call --package")
    for text in options.of("-c", "--call"):
        call.shell_text(text)
    return managed(call)


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(_SYSTEM, system),
    **dict.fromkeys(
        ("systemctl", "service", "rc-service", "sv", "hostnamectl", "timedatectl", "localectl", "loginctl"), services
    ),
    **dict.fromkeys(_DISCARDS, managed),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "bunx"), packages),
    **dict.fromkeys(("ip", "ifconfig", "route", "tc", "nmcli"), network),
    **dict.fromkeys(_SHOWS_KEYS, shows_keys),
    **dict.fromkeys(("hermes", "hermes-sdk"), agent),
    "kill": kill,
    "fuser": users_of_files,
    "man": manual,
}
