"""Shell scripts for tests, made at random: words with all kinds of quoting, and commands in all kinds of places.

In each of them a program `probe` is called. Which words it gets is known from a real bash.
"""

import shlex

VALUES = (
    *("r", "ab", "'a b'", '"a b"', "rm", "a\\ b", "$'a\\nb'", "$(printf ab)", "'*'", "'~'", "~", "x=1", "'a'b", '""'),
    *("aab", "{a,b}", "RM", "a:~"),
)
PIECES = (
    *(
        "r",
        "ab",
        "/",
        "-",
        "_",
        "=",
        "\\r",
        "\\ ",
        "\\\\",
        "\\$",
        "'a b'",
        "'$x'",
        "''",
        '""',
        '"a b"',
        '"$x"',
        '"${x}m"',
    ),
    *('"\\$x"', '"\\a"', '"a\\"b"', "$'\\x72'", "$'a\\'b'", "$'\\t'", '$"a"', "$x", "${x}", "$y", "${y}", "${x:-d}"),
    *(
        "${z:-d}",
        "${x:1}",
        "${x%b}",
        "${x#a}",
        "${x##*a}",
        "${x^^}",
        "${x,,}",
        "${x//a/q}",
        "${x/a}",
        "${x:0:1}",
        "$(printf r)",
    ),
    *(
        "$(echo m)",
        "`echo m`",
        "$(printf '%s' \"$x\")",
        "{a,b}",
        "{1..3}",
        "{a,}",
        '{"a b",c}',
        "{$x,b}",
        "${y}{a,b}",
        "{",
        "}",
    ),
    *(",", "~/x", ":", "$@", "$1", '"$@"', "$*", '"$1"', "$", "\\\n", "!", "#", "$((1+1))", "+", "%", "@", "^", "é"),
)
WORDS = (
    "a",
    "b",
    "'c d'",
    "$x",
    '"$x"',
    "$1",
    '"$@"',
    "${y:-e}",
    "$(echo f)",
    "\"$(echo 'g h')\"",
    "$i",
    "${x%a}",
    "${#x}",
)
RESULTS = ("true", "false")


def words(choose):
    """Return a script that calls `probe` with odd words; `choose` picks one of a sequence."""
    setting = f"x={choose(VALUES)}; y={choose(VALUES)}; set -- {choose(VALUES)} {choose(VALUES)}"
    given = [" ".join("".join(choose(PIECES) for _ in range(choose(range(1, 5)))) for _ in range(choose(range(1, 4))))]
    return f"{setting}; probe {' '.join(given)}"


class Scripts:
    """Makes scripts of nested commands.

    Args:
        choose: Picks one of a sequence.
    """

    def __init__(self, choose):
        self.choose = choose
        self.names = 0

    def make(self, depth):
        """Return one statement."""
        if depth <= 0 or self.choose(range(5)) == 0:
            return self.probe()
        forms = (self.compound, self.nested_shell, self.variables, self.twice, self.flowing)
        return self.choose(forms)(lambda: self.make(depth - 1))

    def word(self):
        return self.choose(WORDS)

    def value(self):
        return self.choose(("a", "b", "n", "$x", "$1"))

    def probe(self):
        return " ".join(["probe", *(self.word() for _ in range(self.choose(range(3))))])

    def name(self, kind):
        self.names += 1
        return f"{kind}{self.names}"

    def compound(self, inner):
        function = self.name("f")
        return self.choose(
            (
                lambda: f"if {self.choose(RESULTS)}; then {inner()}; else {inner()}; fi",
                lambda: f"for i in {self.word()} {self.word()}; do {inner()}; done",
                lambda: f"{function}() {{ {inner()}; }}; {function} {self.word()}",
                lambda: f"({inner()})",
                lambda: f"{{ {inner()}; }}",
                lambda: f"case {self.word()} in a) {inner()};; *) {inner()};; esac",
                lambda: f"{inner()} && {inner()}",
                lambda: f"{inner()} || {inner()}",
                lambda: f"! {inner()}",
                lambda: f"while true; do x={self.value()}; break; done; {inner()}",
            )
        )()

    def nested_shell(self, inner):
        file = self.name("s")
        return self.choose(
            (
                lambda: f"eval {shlex.quote(inner())}",
                lambda: f"bash -c {shlex.quote(inner())} _ {self.word()}",
                lambda: f"bash <<E\n{inner()}\nE\n",
                lambda: f"bash <<'E'\n{inner()}\nE\n",
                lambda: f"( trap {shlex.quote(inner())} EXIT; true )",
                lambda: f"echo {shlex.quote(inner())} > {file}; bash {file} {self.word()}",
                lambda: f"echo {shlex.quote(self.probe())} | bash",
                lambda: f"echo {shlex.quote(self.probe())} > {file}; . ./{file} {self.word()}",
                lambda: f"x={self.word()} bash -c 'probe $x'",
            )
        )()

    def variables(self, inner):
        return self.choose(
            (
                lambda: f"x={self.value()}; {inner()}",
                lambda: f"export x={self.value()}; {inner()}",
                lambda: f"\\export x={self.value()}; {inner()}",
                lambda: f": ${{x:={self.value()}}}; {inner()}",
                lambda: f"set -- {self.word()} {self.word()}; {inner()}",
                lambda: f"set -e x y; {inner()}",
                lambda: f"shift; {inner()}",
                lambda: f"cmd=probe; $cmd {self.word()}",
                lambda: f'a=(probe {self.word()}); "${{a[@]}}"',
                lambda: f"(x={self.value()}; {inner()}); {inner()}",
                lambda: f"x={self.value()} | true; {inner()}",
            )
        )()

    def twice(self, inner):
        """Things that may be done again, or not at all."""
        function, file = self.name("f"), self.name("t")
        return self.choose(
            (
                lambda: f"{self.choose(RESULTS)} && x={self.value()}; {inner()}",
                lambda: f"{function}() {{ x={self.value()}; return; x={self.value()}; }}; {function}; {inner()}",
                lambda: f"for i in {self.value()} n; do x=$i; break; x={self.value()}; done; {inner()}",
                lambda: f"if {self.choose(RESULTS)}; then set -- {self.value()}; fi; {inner()}",
                lambda: (
                    f"{function}() {{ probe {self.value()}; }}; if {self.choose(RESULTS)}; "
                    f"then {function}() {{ probe {self.value()}; }}; fi; {function}"
                ),
                lambda: (
                    f"echo probe {self.value()} > {file}; {self.choose(RESULTS)} && "
                    f"echo probe {self.value()} > {file}; bash {file}"
                ),
                lambda: f"echo probe {self.value()} > {file}; echo probe {self.value()} >> {file}; . ./{file}",
                lambda: f'a=(a b); false || a=({self.value()}); probe "${{a[@]}}"',
                lambda: f"probe() {{ :; }}; command probe {self.value()}; unset -f probe; {inner()}",
            )
        )()

    def flowing(self, inner):
        return self.choose(
            (
                lambda: f"echo {self.word()} | {{ {inner()}; }}",
                lambda: f"echo {self.word()} {self.word()} | xargs probe",
                lambda: f"printf '%s\\n' {self.value()} | xargs -I% bash -c 'probe %'",
                lambda: f"echo \"'{self.value()}' {self.value()}\" | xargs probe",
                lambda: f"echo $({inner()})",
                lambda: f"while read l; do {inner()}; done <<< 'm n'",
                lambda: f"env v=1 probe {self.word()}",
                lambda: f"{inner()} > /dev/null 2>&1",
                lambda: f"find . -maxdepth 0 -exec probe {self.word()} \\;",
                lambda: f"timeout 5 nice probe {self.word()}",
                lambda: f"cat <(probe {self.word()})",
                lambda: f"cat <<E\n$({inner()})\nE\n",
            )
        )()
