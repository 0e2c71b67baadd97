"""Every engine gives one item per task, whatever the tasks do."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from tracelake.engines import Failure, check_engine, choose_engine, local, serial
from tracelake.errors import LakeWriteError, TracelakeError, UsageError, describe

from tests.engines import jobs

BOTH = pytest.mark.parametrize("run", [serial.run, local.run], ids=["serial", "local"])


@BOTH
def test_one_result_per_task(run):
    assert sorted(run(range(20), jobs.square, 2)) == [number**2 for number in range(20)]


@BOTH
def test_no_tasks_no_results(run):
    assert list(run([], jobs.square, 2)) == []


@BOTH
def test_an_exception_is_a_failure_of_its_task_alone(run):
    items = list(run([1, 2, 3, 4], jobs.awkward, 2))
    assert sorted(item for item in items if not isinstance(item, Failure)) == [1, 2, 4]
    [failure] = [item for item in items if isinstance(item, Failure)]
    assert failure == Failure(3, "AwkwardError: a: b", None)


@BOTH
def test_our_own_errors_come_back_as_they_are(run):
    [failure] = run(["t"], jobs.full_disk, 1)
    assert isinstance(failure.error, LakeWriteError)
    assert str(failure.error) == "cannot write /x: No space left on device"


@BOTH
def test_a_reason_is_one_line(run):
    [failure] = run(["t"], jobs.multiline, 1)
    assert failure.reason == "ValueError: first second"


def test_an_exception_without_a_message_is_described_by_its_type():
    assert describe(MemoryError()) == "MemoryError"


def test_serial_keeps_the_order_and_the_process():
    assert list(serial.run([2, 1], jobs.where)) == [(2, os.getpid()), (1, os.getpid())]


def test_local_spreads_over_the_workers(tmp_path):
    pids = set(local.run([tmp_path, tmp_path], jobs.meet, 2))
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_local_starts_in_the_order_given(tmp_path):
    file = str(tmp_path / "started")
    list(local.run([(file, name) for name in "cab"], jobs.note, 1))
    assert (tmp_path / "started").read_text() == "cab"


def test_a_killed_worker_costs_its_task_and_no_other():
    tasks = [1, 2, -3, 4, 5, -6, *range(7, 30)]
    items = list(local.run(tasks, jobs.deadly, 2))
    assert sorted(item for item in items if not isinstance(item, Failure)) == [1, 2, 4, 5, *range(7, 30)]
    failures = {item.task: item.reason for item in items if isinstance(item, Failure)}
    assert failures == {-3: local.KILLED, -6: local.KILLED}


def test_a_task_whose_worker_was_killed_once_is_run_again(tmp_path):
    tasks = [str(tmp_path / name) for name in "abc"]
    for other in tasks[1:]:
        Path(other).touch()
    assert sorted(local.run(tasks, jobs.deadly_once, 2)) == tasks


def test_a_result_that_cannot_be_pickled_is_a_failure():
    [failure] = local.run(["t"], jobs.unpicklable, 1)
    assert failure.task == "t"
    assert "pickle" in failure.reason


def test_where_no_process_can_live_it_says_so(monkeypatch):
    monkeypatch.setattr(local, "_prepare_worker", jobs.no_life)
    with pytest.raises(TracelakeError, match=r"no worker process can be started .*--engine serial"):
        list(local.run([1, 2], jobs.square, 2))


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def wait_until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_closing_early_ends_the_processes_at_once(tmp_path):
    tasks = [(tmp_path, "quick", 0), *((tmp_path, f"slow{number}", 60) for number in range(5))]
    started = time.monotonic()
    with closing(local.run(tasks, jobs.note_and_sleep, 2)) as items:
        assert next(items) == "quick"
        wait_until(lambda: len(list(tmp_path.iterdir())) >= 3)
    assert time.monotonic() - started < 20
    pids = {int(path.read_text()) for path in tmp_path.iterdir()}
    wait_until(lambda: not any(map(alive, pids)))


PROGRAM = """
import sys
from tests.engines import jobs
from tracelake.engines import local
list(local.run([(sys.argv[1], f"t{n}", 60) for n in range(4)], jobs.note_and_sleep, 2))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_the_program(tmp_path, how):
    """Also with a main program that cannot be imported again: this one comes from stdin."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "pipeline"), str(root)])}
    program = subprocess.Popen(
        [sys.executable, "-", str(tmp_path)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    program.stdin.write(PROGRAM.encode())
    program.stdin.close()
    wait_until(lambda: len([path for path in tmp_path.iterdir() if path.read_text()]) == 2)
    program.send_signal(how)
    program.wait(20)
    pids = {int(path.read_text()) for path in tmp_path.iterdir()}
    wait_until(lambda: not any(map(alive, pids)))
    noise = program.stderr.read().decode()
    program.stderr.close()
    assert noise.count("Traceback") == (1 if how == signal.SIGINT else 0), noise


@pytest.mark.parametrize(
    ("engine", "workers", "tasks", "size", "chosen"),
    [
        ("auto", 2, 10, 8_000_000, local.run),
        ("auto", 2, 10, 7_999_999, serial.run),
        ("auto", 2, 1, 10**9, serial.run),
        ("auto", 1, 10, 10**9, serial.run),
        ("serial", 2, 10, 10**9, serial.run),
        ("local", 1, 1, 1, local.run),
    ],
)
def test_processes_only_where_there_is_work_for_them(engine, workers, tasks, size, chosen):
    assert choose_engine(engine, workers, tasks, size) is chosen


def test_a_wrong_request_is_one_clear_line():
    with pytest.raises(UsageError, match="no engine 'ray'; choose one of auto, serial, local"):
        check_engine("ray", None)
    with pytest.raises(UsageError, match="must be 1 or more, not 0"):
        check_engine("auto", 0)
    assert check_engine("auto", 3) == 3
    assert check_engine("auto", None) == os.cpu_count()
