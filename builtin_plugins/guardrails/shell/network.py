"""Programs that reach hosts: their addresses, what they write, and what they run elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..hosts import SCHEME, host_of_remote
from ..paths import UNKNOWN, is_unknown, plain, quoted
from .flow import SOMETHING, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation, Options

_DOWNLOAD: Final = Stream(origin="download")
_CURL: Final = (
    "-o -d -H -X -u -A -e -b -c -x -U -T -F -K -m -w -D -E -r -y -Y -z -C -Q -t -P -h --output --data --header "
    "--request --user --user-agent --referer --cookie --cookie-jar --proxy --proxy-user --upload-file --form --config "
    "--max-time --write-out --dump-header --cert --key --cacert --capath --range --resolve --connect-to --data-raw "
    "--data-binary --data-urlencode --json --url --retry --retry-delay --connect-timeout --output-dir --interface "
    "--unix-socket --socks5 --socks5-hostname --socks4 --preproxy --doh-url --limit-rate --max-redirs --form-string "
    "--netrc-file --oauth2-bearer --aws-sigv4 --ciphers --dns-servers --happy-eyeballs-timeout-ms --trace "
    "--trace-ascii --stderr --url-query --variable --etag-save --etag-compare --max-filesize --pinnedpubkey "
    "--proto --ssh-key"
)
_WGET: Final = (
    "-O -P -o -a -i -e -t -T -U -Q -w -B -A -R -D -I -X -l --output-document --directory-prefix --output-file "
    "--input-file --execute --tries --timeout --user-agent --post-file --post-data --body-file --body-data --header "
    "--user --password --use-askpass --config --level --method --referer --limit-rate --load-cookies "
    "--save-cookies --wait"
)
_SSH: Final = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -P"


def curl(call: Invocation) -> Stream:
    """Take curl: addresses, proxies, files that it sends and writes."""
    options = call.options(_CURL)
    for word in [*options.operands, *options.of("--url")]:
        call.url(word)
    for word in options.of("-x", "--proxy", "--preproxy", "--socks4", "--socks5", "--socks5-hostname", "--doh-url"):
        call.url(word)
    for word in options.of("--connect-to", "--resolve"):
        target = plain(word).lstrip("+").split(":")
        call.connect(target[2] if len(target) > 2 and target[2] else target[0])  # noqa: PLR2004
    for word in options.of("-K", "--config"):
        call.path("read", word)
        call.opaque("options in a file")
    for name in ("-d", "--data", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "-H", "--header"):
        for word in options.of(name):
            head, mark, _ = plain(word).partition("@")
            if mark and ("=" in head or not head):
                call.path("read", word[len(head) + 1 :])
    call.paths("read", options.of("-T", "--upload-file"))
    written = options.of("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--stderr")
    return _saved(call, [*written, *options.of("--output-dir")], remote=options.has("-O", "--remote-name"))


def wget(call: Invocation) -> Stream:
    """Take wget, which writes what it gets unless it is told otherwise."""
    options = call.options(_WGET)
    for word in options.operands:
        call.url(word)
    for word in options.of("-i", "--input-file", "-e", "--execute", "--config", "--use-askpass"):
        call.opaque(f"wget takes more from {plain(word)}")
    call.paths("read", options.of("--post-file", "--body-file"))
    documents = options.of("-O", "--output-document")
    written = [*documents, *options.of("-P", "--directory-prefix", "-o", "--output-file")]
    return _saved(call, written, remote=not documents)


def _saved(call: Invocation, written: list[str], *, remote: bool) -> Stream:
    """Note what a download writes; returns what it prints."""
    printed = not remote
    for word in written:
        if plain(word) in ("-", "/dev/stdout"):
            printed = True
            continue
        call.into(word, [plain(each).partition("?")[0] for each in call.words if SCHEME.match(plain(each))])
        printed = False
        for cwd in call.shell.state.cwds:
            call.shell.state.wrote(call.shell.state.resolved(word, cwd), _DOWNLOAD)
    if remote:
        call.path("write", ".")
        for word in call.words:
            name = plain(word).partition("?")[0].rpartition("/")[2]
            if name and SCHEME.match(plain(word)):
                call.path("write", quoted(name))
            for cwd in call.shell.state.cwds if name and SCHEME.match(plain(word)) else ():
                call.shell.state.wrote(call.shell.state.resolved(quoted(name), cwd), _DOWNLOAD)
    return _DOWNLOAD if printed else SOMETHING


def ssh(call: Invocation) -> Stream:
    """Take ssh: the host, and the command that runs there, which is judged as if it ran here."""
    options = call.options(_SSH, until_operand=True)
    for word in options.of("-o"):
        name, _, value = re.sub(r"[\s=]+", "=", plain(word).strip(), count=1).partition("=")
        if name.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            call.shell_text(quoted(value))
    for word in options.of("-J"):
        for jump in plain(word).split(","):
            call.connect(jump.rpartition("@")[2])
    if options.has("-F"):
        call.opaque("a configuration of ssh that is named on the command line")
    if not options.operands:
        return SOMETHING
    _remote(call, options.operands[0])
    rest = options.operands[1:]
    if rest:
        return call.shell_text(quoted(" ").join(rest))
    return call.command(["sh"]) if call.stdin.there else SOMETHING


def _remote(call: Invocation, word: str) -> None:
    text = plain(word)
    if SCHEME.match(text):
        call.url(word)
    else:
        call.connect(text.rpartition("@")[2])


def copy(call: Invocation) -> Stream:
    """Take scp, rsync and sftp: sources, then where to; either may be elsewhere."""
    options = call.options(f"{_SSH} -e --rsh --rsync-path --exclude --include --files-from --filter")
    if call.name == "rsync":
        options = call.options("-e -f -T -M -B --rsh --rsync-path --exclude --include --files-from --filter")
    for word in [*options.of("-e", "--rsh", "--rsync-path"), *(options.of("-S") if call.name == "scp" else ())]:
        call.shell_text(word)
    for word in options.of("-o"):
        if "command" in plain(word).lower():
            call.opaque("an option of ssh that runs a program")
    for place, word in enumerate(options.operands):
        last = place == len(options.operands) - 1 and place > 0
        host = host_of_remote(plain(word).replace(UNKNOWN, "?"))
        if SCHEME.match(plain(word)):
            call.url(word)
        elif host is not None or call.name == "sftp":
            call.connect(
                UNKNOWN if is_unknown(plain(word).partition(":")[0]) else host or plain(word).rpartition("@")[2]
            )
        else:
            _copied(call, options, word, last=last)
    return SOMETHING


def _copied(call: Invocation, options: Options, word: str, *, last: bool) -> None:
    if last:
        call.into(word, [source.rpartition(":")[2] for source in options.operands[:-1]])
    else:
        recursive = options.has("-r", "-a", "--recursive", "--archive") or bool(options.of("--files-from"))
        call.path("read", word, recursive=recursive)
    if any(flag.startswith("--del") for flag in options.flags) if last else options.has("--remove-source-files"):
        call.path("delete", word, recursive=True)


def connect(call: Invocation) -> Stream:
    """Take a program whose first operand is a host."""
    options = call.options("-p -w -i -e -c -s -x -X -P -q -t -W -k -l --exec --sh-exec --port -T")
    if call.name in ("nc", "ncat", "netcat") and options.has("-e", "-c", "--exec", "--sh-exec", "--lua-exec"):
        call.opaque("a connection that runs a program")
    for word in options.operands[: 3 if call.name in ("dig", "nslookup", "host") else 1]:
        text = plain(word)
        if call.name == "dig" and (text.startswith("+") or text.isupper()):
            continue
        call.url(word) if SCHEME.match(text) else call.connect(text.lstrip("@").rpartition("@")[2])
    return Stream(origin="download")


def mirror(call: Invocation) -> Stream:
    """Take `lftp`, whose commands are a language of its own."""
    if call.options("-e -c -f -u -p").values.keys() & {"-e", "-c", "-f"} or call.stdin.there:
        call.opaque("commands of lftp")
    return connect(call)


def socat(call: Invocation) -> Stream:
    """Take socat: addresses that connect, write files or run programs."""
    for word in call.options().operands:
        kind, _, rest = plain(word).partition(":")
        if kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            call.shell_text(quoted(rest.partition(",")[0]), stdin=_DOWNLOAD)
        elif kind.upper() in ("FILE", "OPEN", "CREATE", "GOPEN"):
            call.path("write", quoted(rest.partition(",")[0]))
        elif "listen" not in kind.lower() and rest:
            call.connect(rest.partition(":")[0])
    return Stream(origin="download")


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(("curl", "xh", "http", "https"), curl),
    **dict.fromkeys(("wget", "wget2", "aria2c", "axel"), wget),
    **dict.fromkeys(("ssh", "mosh", "autossh"), ssh),
    **dict.fromkeys(("scp", "rsync", "sftp"), copy),
    **dict.fromkeys(
        ("nc", "ncat", "netcat", "telnet", "ftp", "tftp", "ping", "ping6", "dig", "nslookup", "host"), connect
    ),
    **dict.fromkeys(("lynx", "w3m", "links", "whois", "traceroute"), connect),
    "lftp": mirror,
    "socat": socat,
}
