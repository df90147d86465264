"""However many records are refused, the terminal shows a few lines, and one file all of them."""

import duckdb
import pytest

from console import ExitCode, StudyError
from study import commands


@pytest.fixture
def tell(tmp_path, monkeypatch, capsys):
    """Refuses so many records; exit code, lines at the terminal and lines of the list."""
    monkeypatch.setattr(commands, "REFUSED", tmp_path / "logs" / "refused.txt")

    def told(count):
        path = tmp_path / f"{count}.duckdb"
        with duckdb.connect(str(path)) as database:
            database.execute(
                "create table refused_record as "
                "select printf('host/%05d' || chr(10) || '.json', n) as path, 'not whole' as reason "
                f"from range({count}) as numbers(n)"
            )
        code = commands.tell_refused(path)
        listed = commands.REFUSED
        lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
        return code, capsys.readouterr().err.splitlines(), lines

    return told


def test_thousands_are_counted_and_listed_in_a_file(tell):
    code, said, listed = tell(5_000)
    assert code == 6
    assert len(said) <= 20
    assert said[-1].startswith("diskbench: refused: 4990 more; all 5000 are listed in ")
    assert len(set(listed)) == 5_000
    assert listed[0] == "refused: data/runs/host/00000 .json: not whole"


def test_a_few_are_all_shown_and_the_list_of_an_earlier_call_stays(tell):
    _, _, listed = tell(13)
    code, said, still_listed = tell(12)
    assert (code, len(said), len(set(said))) == (6, 12, 12)
    assert (len(listed), still_listed) == (13, listed)


def test_none_is_no_line_and_code_0(tell):
    assert tell(0) == (0, [], [])


def test_a_database_that_cannot_be_read_is_named_with_what_to_do(tmp_path):
    path = tmp_path / "diskbench.duckdb"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StudyError, match="delete it, then run again") as error:
        commands.tell_refused(path)
    assert error.value.line.startswith(f"{path} cannot be read (")
    assert error.value.code == ExitCode.UNEXPECTED
