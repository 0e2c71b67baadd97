"""C-13: both lists of the specification, wrappers, command strings, and what cannot be parsed."""

import time

import pytest
from tracelake.citations import echo
from tracelake.citations.echo import is_echo, names_git_dir

ECHO = [
    "git log -1", "sh -c 'git show HEAD'", "/usr/bin/git log", 'git -C "a b" log',
    "env X=1 sh -c 'cd y && git log'", "git --no-pager -c a=b log", "cat .git/HEAD", "sr-checks run",
    "echo q | sr-file write a", "X=1", "ls .git", "find . -path ./.git -prune -o -print",
]  # fmt: skip
NOT_ECHO = ["git status", "git diff", "git commit -m x", "echo 'git log'", "make", "cat README.md"]


@pytest.mark.parametrize("command", ECHO)
def test_echoes(command: str):
    assert is_echo(command)


@pytest.mark.parametrize("command", NOT_ECHO)
def test_no_echoes(command: str):
    assert not is_echo(command)


@pytest.mark.parametrize(
    "command",
    [
        "git --git-dir=.git status", "cat < .git/HEAD", "tac <> x/.git/y", "$X foo", "# only a comment", "echo 'open",
        "A=1 B=2", "export A=1", "[[ -f x ]]",
        "time git log", "coproc git log", "! git log", "f() { git log; }", "(git tag)", "{ git var X; }",
        "if true; then git blame x; fi", "while read l; do git show $l; done < f", "x=$(git log)", "echo `git log`",
        "cat <<EOF\n$(git log)\nEOF", "diff <(git show a) b", "make && git notes", "make & git stash list",
        "$'git' log", "g'i't log", '"git" log', "git\\\n log", "\\git log", "D=.git; ls $D", "[ -d .git ]",
        "ls a\\\\.git\\\\b", "./.git/hooks/pre-commit", "eval 'git log'", "eval git log",
    ],
)  # fmt: skip
def test_what_a_shell_would_run(command: str):
    assert is_echo(command)


@pytest.mark.parametrize(
    "command",
    [
        "sudo -u me git log", "doas -u me git log", "env -u A B=c git log", "ls | xargs -I{} -n 1 git show {}",
        "nohup git log", "ionice -c 3 git log", "stdbuf -o L git log", "nice -n 5 git log", "timeout -s KILL 5 git log",
        "setsid -f git log", "unbuffer git log", "watch -n 1 git log", "torify git log", "proxychains -q git log",
        "caffeinate -t 5 git log", "script -q out git log", "flock -w 3 lock git log", "chroot / git log",
        "runuser -u me git log", "runuser --user=me git log", "command git log", "exec -a x git log",
        "builtin git log", "sudo timeout 5 env A=b git log",
        "find . -exec git log {} \\;", "find . -ok true {} + -execdir git show {} ';'",
        "bash -lc 'git log'", "zsh -c -- 'git log'", "su me -c 'git log'", "runuser -c 'git log'",
        "flock lock -c 'git log'", "script -c 'git log' out", "sudo sh -c 'git log'",
    ],
)  # fmt: skip
def test_wrapped_programs(command: str):
    assert is_echo(command)


@pytest.mark.parametrize(
    "command",
    [
        "", " \n\t", "command -v git log", "command -V git log", "su git log", "runuser git log", "X=1 make",
        "export A=1 && make", "find . -exec git log {}", "git commit -m 'git log'", "cat <<'EOF'\n$(git log)\nEOF",
        "[ -f x ] && make", "[[ -d .git ]] && make", "git branch -v", "sh script.sh", "bash -c \"$CMD\"",
        "cat .gitignore", "ls x.git/y", "git checkout -b log", "git -C log status", "timeout 5 make", "sr2 run",
        'ls "$DIR"/.git',
    ],
)  # fmt: skip
def test_what_stays_citable(command: str):
    assert not is_echo(command)


def test_an_unknown_word_is_tried_dropped_and_in_its_place():
    assert is_echo('git -C "$DIR" log')
    assert is_echo("git $OPTIONS log")
    assert not is_echo('git -C "$DIR" status')


def nested(depth: int, command: str) -> str:
    for _ in range(depth):
        command = "sh -c '" + command.replace("'", "'\\''") + "'"
    return command


def test_command_strings_to_depth_four():
    assert is_echo(nested(4, "git log"))
    assert not is_echo(nested(4, "make"))
    assert is_echo(nested(5, "make"))


def test_a_command_string_that_cannot_be_parsed_is_an_echo():
    assert is_echo("sh -c 'echo (' && make")


def test_hopeless_nesting_is_an_echo():
    assert is_echo("(" * 5000 + "make" + ")" * 5000)


@pytest.mark.parametrize("word", [".git", ".git/x", "a/.git", "a/.git/b", "--x=.git", "-C=a\\.git", "a\\.git\\b"])
def test_words_that_name_a_git_directory(word: str):
    assert names_git_dir(word)


@pytest.mark.parametrize("word", ["", "git", ".gitignore", "x.git", "x.git/y", ".github/a", "x=.git"])
def test_other_words(word: str):
    assert not names_git_dir(word)


def test_a_repeated_command_is_parsed_once(monkeypatch: pytest.MonkeyPatch):
    is_echo.cache_clear()
    is_echo("make once")
    monkeypatch.setattr(echo, "_parser", None)
    assert not is_echo("make once")


@pytest.mark.parametrize("opener", ["cat <<EOF ", "<<A;", "cat <<EOF \\\n", "cat <<'A' <<B "])
def test_a_megabyte_of_unfinished_here_documents_is_judged_at_once(opener):
    """1.2 MB of openers on one line: an echo, because nobody writes that, and without a search for each of them."""
    command = opener * (1_200_000 // len(opener))
    began = time.perf_counter()
    assert is_echo(command)
    assert time.perf_counter() - began < 1


def test_many_shifts_in_one_here_document_are_still_read():
    """A program of 2,000 lines with a `<<` each, written by a here-document, is no echo."""
    assert not is_echo("cat > a.cc <<'EOF'\n" + "std::cout << 1;\n" * 2000 + "EOF\n")
