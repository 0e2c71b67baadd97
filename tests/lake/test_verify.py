"""Files of a lake that are gone, cut short or changed in any bit are found."""

import pytest
from tracelake.lake.verify import damaged_files

from tests.settings import A, two_sessions


@pytest.fixture
def setting(tmp_path):
    made = two_sessions(tmp_path)
    made.run()
    return made


def found(setting, *, read_data=False):
    return [tuple(damage) for damage in damaged_files(setting.paths, setting.manifest, read_data=read_data)]


def test_a_sound_lake_has_no_damage(setting):
    assert found(setting) == found(setting, read_data=True) == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda file: file.unlink(), "missing"),
        (lambda file: file.write_bytes(b"x"), "1 bytes, {} were written"),
        (lambda file: file.write_bytes(file.read_bytes()[:-1]), "bytes, {} were written"),
    ],
)
def test_a_file_that_is_gone_or_of_another_size_is_found(setting, damage, reason):
    manifest = setting.manifest
    names = [name for name in manifest.live_files if name.split("/")[0] in ("entries", "_conversations", "_prices")]
    assert len(names) == 5
    for name in names:
        file, size = setting.paths.segments / name, manifest.live_files[name].bytes
        content = file.read_bytes()
        damage(file)
        ((where, why),) = damaged_files(setting.paths, manifest)
        assert where == f"segments/{name}"
        assert why.endswith(reason.format(size))
        file.write_bytes(content)


def test_a_flipped_bit_anywhere_is_found_by_reading(setting):
    manifest = setting.manifest
    for number, (name, state) in enumerate(manifest.live_files.items()):
        file = setting.paths.segments / name
        content = bytearray(file.read_bytes())
        for place in (0, state.bytes // 2, state.bytes - 1, number * 37 % state.bytes):
            content[place] ^= 1 << number % 8
            file.write_bytes(content)
            assert [tuple(one) for one in damaged_files(setting.paths, manifest)] == []
            assert [tuple(one) for one in damaged_files(setting.paths, manifest, read_data=True)] == [
                (f"segments/{name}", "its checksum does not fit")
            ]
            content[place] ^= 1 << number % 8
        file.write_bytes(content)
    assert found(setting, read_data=True) == []


def test_a_file_that_cannot_be_read_is_found(setting):
    (name,) = [name for name in setting.manifest.live_files if name.startswith("entries/")]
    manifest, file = setting.manifest, setting.paths.segments / name
    file.unlink()
    file.symlink_to(file.name)
    ((where, why),) = damaged_files(setting.paths, manifest)
    assert (where, why) == (f"segments/{name}", "Too many levels of symbolic links")


def test_check_says_so_and_a_full_extraction_heals_it(setting, program):
    (name,) = [name for name in setting.manifest.live_files if name.startswith("entries/")]
    file = setting.paths.segments / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    done = program("check", "--read-data", "--lake", setting.paths.root, "--json")
    assert (done.returncode, name in done.stdout) == (1, True)
    assert "extract --full" in done.stderr
    healed = program("extract", setting.source, "--full", "--lake", setting.paths.root, "--quiet")
    assert healed.returncode == 0, healed.stderr
    assert program("check", "--read-data", "--lake", setting.paths.root).returncode == 0
    assert setting.texts()[f"{A}.jsonl", 1] == "t1"
