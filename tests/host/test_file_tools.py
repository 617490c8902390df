"""read_file, write_file, patch and search_files, on real files."""

import json
import stat

import pytest

from hermes_sdk.host.patch_format import PatchError, parse_patch


@pytest.fixture
def agent(start):
    return start()


@pytest.fixture
def tool(agent):
    """Return a function that runs a tool and gives its parsed result."""

    def tool(name, **args):
        return json.loads(agent.dispatch_tool(name, args))

    return tool


def test_a_file_is_read_with_line_numbers(tool, workdir):
    (workdir / "a.txt").write_text("one\ntwo\nthree\n")
    assert tool("read_file", path="a.txt") == {"content": "1|one\n2|two\n3|three", "total_lines": 3}
    page = tool("read_file", path="a.txt", offset=2, limit=1)
    assert page == {"content": "2|two", "total_lines": 3, "truncated": True, "next_offset": 3}


def test_a_huge_file_is_read_in_pages(tool, workdir):
    (workdir / "big.txt").write_text(("x" * 999 + "\n") * 500)
    page = tool("read_file", path="big.txt")
    assert len(page["content"]) <= 100_000
    assert page["truncated"]
    (workdir / "line.txt").write_text("y" * 200_000)
    assert tool("read_file", path="line.txt")["content"].endswith("y [cut]")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("al.txt", "did you mean 'all.txt'?"),
        (".", "is a directory, not a file"),
        ("/dev/zero", "is a device or pipe, not a file"),
        ("binary", "is a binary file of 3 bytes"),
        ("", "is no path"),
    ],
)
def test_what_cannot_be_read_is_said(tool, workdir, path, message):
    (workdir / "all.txt").write_text("")
    (workdir / "binary").write_bytes(b"a\0b")
    assert message in tool("read_file", path=path)["error"]


def test_a_file_is_written_whole_and_keeps_its_mode(tool, workdir):
    assert tool("write_file", path="deep/down/a.sh", content="é\n")["bytes_written"] == 3
    path = workdir / "deep/down/a.sh"
    path.chmod(0o755)
    tool("write_file", path=str(path), content="new\n")
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert [entry.name for entry in path.parent.iterdir()] == ["a.sh"]


def test_writing_through_a_link_keeps_the_link(tool, workdir):
    (workdir / "real.txt").write_text("old")
    (workdir / "link.txt").symlink_to("real.txt")
    tool("write_file", path="link.txt", content="new")
    assert (workdir / "link.txt").is_symlink()
    assert (workdir / "real.txt").read_text() == "new"


def test_what_cannot_be_written_is_said(tool, workdir):
    (workdir / "file").write_text("")
    assert "cannot be written" in tool("write_file", path="file/inside", content="x")["error"]
    assert "is no regular file" in tool("write_file", path=".", content="x")["error"]
    assert tool("write_file", path="x")["error"] == "argument 'content' is missing"


def test_text_is_replaced_where_it_is_unique(tool, workdir):
    (workdir / "a.py").write_text("a = 1\nb = 1\n")
    result = tool("patch", path="a.py", old_string="a = 1", new_string="a = 2")
    assert (workdir / "a.py").read_text() == "a = 2\nb = 1\n"
    assert "-a = 1\n+a = 2\n" in result["diff"]
    assert "stands 2 times" in tool("patch", path="a.py", old_string=" = ", new_string="=")["error"]
    assert tool("patch", path="a.py", old_string=" = ", new_string="=", replace_all=True)["replacements"] == 2
    assert "the nearest line is 'b=1'" in tool("patch", path="a.py", old_string="b =1", new_string="")["error"]


PATCH = """*** Begin Patch
*** Update File: a.py
@@ def second
 def second():
-    return 1
+    return 2
*** Add File: notes.txt
+remember
*** Delete File: old.txt
*** End Patch
"""


def test_a_patch_edits_several_files_at_once(tool, workdir):
    (workdir / "a.py").write_text("def first():\n    return 1\n\ndef second():\n    return 1\n")
    (workdir / "old.txt").write_text("gone\n")
    result = tool("patch", mode="patch", patch=PATCH.replace("@@ def second\n", "@@\n"))
    assert result["success"], result
    assert (workdir / "a.py").read_text().endswith("def second():\n    return 2\n")
    assert (workdir / "a.py").read_text().startswith("def first():\n    return 1\n")
    assert (workdir / "notes.txt").read_text() == "remember\n"
    assert not (workdir / "old.txt").exists()


def test_a_patch_that_does_not_fit_changes_nothing(tool, workdir):
    (workdir / "a.py").write_text("something else\n")
    (workdir / "old.txt").write_text("stays\n")
    assert "these lines are not in the file" in tool("patch", patch=PATCH)["error"]
    assert (workdir / "old.txt").exists()
    assert not (workdir / "notes.txt").exists()


def test_a_hint_finds_the_second_of_two_places():
    (file,) = parse_patch("*** Update File: a\n@@ two\n-x\n+y\n")
    assert file.apply("one\nx\ntwo\nx\n") == "one\nx\ntwo\ny\n"


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ("nonsense", r"line 1: expected '\*\*\* Update File: PATH'"),
        ("*** Update File: a\n?x", "line 2: a line begins with"),
        ("", "the patch names no file"),
    ],
)
def test_a_patch_that_cannot_be_read_says_where(patch, message):
    with pytest.raises(PatchError, match=message):
        parse_patch(patch)


def test_a_moved_file_has_its_new_name(tool, workdir):
    (workdir / "a.txt").write_text("x\n")
    tool("patch", patch="*** Update File: a.txt\n*** Move to: b.txt\n-x\n+y\n")
    assert not (workdir / "a.txt").exists()
    assert (workdir / "b.txt").read_text() == "y\n"


# -- search ---------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(workdir):
    (workdir / "src").mkdir()
    (workdir / ".git").mkdir()
    (workdir / "src/app.py").write_text("import os\n\ndef main():\n    pass\n")
    (workdir / "src/app.txt").write_text("main\n")
    (workdir / ".git/main").write_text("main\n")
    (workdir / "src/blob").write_bytes(b"main\0")


@pytest.mark.usefixtures("tree")
def test_content_is_found_with_path_and_line(tool):
    found = tool("search_files", pattern="main")
    assert found == {
        "total_count": 2,
        "matches": [
            {"path": "src/app.py", "line": 3, "content": "def main():"},
            {"path": "src/app.txt", "line": 1, "content": "main"},
        ],
    }
    only = tool("search_files", pattern="main", file_glob="*.py", context=1)
    assert only["matches"] == [{"path": "src/app.py", "line": 3, "content": "\ndef main():\n    pass"}]
    assert tool("search_files", pattern="main", output_mode="files_only")["files"] == ["src/app.py", "src/app.txt"]
    assert tool("search_files", pattern="main", output_mode="count")["counts"] == {"src/app.py": 1, "src/app.txt": 1}
    page = tool("search_files", pattern="main", limit=1)
    assert (page["truncated"], page["next_offset"], len(page["matches"])) == (True, 1, 1)


@pytest.mark.usefixtures("tree")
def test_files_are_found_by_name(tool):
    assert tool("search_files", pattern="*.py", target="files") == {"total_count": 1, "files": ["src/app.py"]}
    assert tool("search_files", pattern="x", path="src/app.txt")["total_count"] == 0


@pytest.mark.usefixtures("tree")
def test_mistakes_in_a_search_are_said(tool):
    assert "is no regular expression" in tool("search_files", pattern="(")["error"]
    assert "no such file or directory" in tool("search_files", pattern="x", path="nowhere")["error"]
