"""Safe access to an untrusted SQLite database. The module reads only plain tables, and limits the memory and the
processor time of queries.

A database can contain code that SQLite executes: views, triggers, generated columns and virtual tables. An SQLite
authorizer permits only reads of columns and the functions in the queries of this package.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import OpenFile, opened
from ecs_anim.trajectories.source import TRAJECTORIES

HEADER = 100  # bytes of the header
READER_VERSION, WAL = 19, 2  # byte in the header, and its value for databases with a write-ahead log
LONGEST = 1 << 24  # most bytes of a value, such as an outline
LONGEST_ROW = 1 << 12  # most bytes of a row of numbers; thousands of rows are in memory together
PATIENCE = 1.0  # [s], waiting time for a process that writes
SLOWEST = 5.0  # [s] of processor time for each part of a result
STEPS = 10_000  # instructions of SQLite's virtual machine between two time checks
SETTINGS = ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0")
READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA)
FUNCTIONS = ("lag", "like")
TABLES = """SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0
 AND sql LIKE 'CREATE TABLE%' AND sql NOT LIKE '%WITHOUT ROWID%'"""


class Database:
    """An open database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self._deadline = connection, 0.0
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        connection.set_authorizer(_permission)
        connection.set_progress_handler(self._is_late, STEPS)

    def tables(self) -> set[str]:
        """Return the names of all tables that have row numbers."""
        return {str(name) for (name,) in self.rows(TABLES)}

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's stored columns."""
        return [str(row[1]) for row in self.rows(f"PRAGMA table_info({table})")]

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query's result. Raises sqlite3.Error in the same cases as `Database.parts`."""
        for part in self.parts(query, 1, LONGEST):
            yield from part

    def parts(self, query: str, size: int, longest: int = LONGEST_ROW) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a query's result in lists of up to `size` rows.

        Raises sqlite3.Error for an SQLite error and for a value of `longest` bytes or more. Also raises sqlite3.Error
        if SQLite takes longer than `SLOWEST` for one list.
        """
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        self._start_clock()
        cursor = self._connection.execute(query)
        while found := cursor.fetchmany(size):
            yield found
            self._start_clock()

    def _start_clock(self) -> None:
        self._deadline = time.thread_time() + SLOWEST

    def _is_late(self) -> bool:
        return time.thread_time() > self._deadline


@contextmanager
def connected(path: Path) -> Iterator[Database]:
    """Open a database for reading. Raises InputError if the file is not a readable database.

    The function checks the file with `opened` before SQLite opens the file by name.
    """
    with opened(path, TRAJECTORIES) as file:
        head = _head(file, path)
    try:
        address = f"{path.absolute().as_uri()}?{_mode(head, path)}"
        with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection:
            yield Database(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's messages quote damaged text
        raise InputError(f"{path}: cannot read the database: {_reason(error)}") from None


def _permission(action: int, name: str | None, detail: str | None, _: str | None, view: str | None) -> int:
    """Return whether SQLite may execute an action of a query.

    `view` is the name of the view or trigger that contains the action.
    """
    is_ours = action in READS or (action == sqlite3.SQLITE_FUNCTION and detail in FUNCTIONS)
    return sqlite3.SQLITE_OK if is_ours and view is None else sqlite3.SQLITE_DENY


def _reason(error: Exception) -> str:
    match str(error):
        case "interrupted":
            return f"a query takes longer than {SLOWEST:g} s. Write the recording again."
        case "string or blob too big":
            return "a value in the file is too long for a number or an outline. Write the recording again."
        case reason:
            return reason


def _head(file: OpenFile, path: Path) -> bytes:
    """Return the header of a database file.

    Raises InputError if the file is shorter than the header states (file format, 1.3).
    """
    head = file.first(HEADER)
    if len(head) < HEADER:
        raise InputError(f"{path}: cannot read the database, because the file is incomplete. Copy the file again.")
    page, changes, pages, valid_for = (
        int.from_bytes(head[at : at + size], "big") for at, size in ((16, 2), (24, 4), (28, 4), (92, 4))
    )
    if changes == valid_for and file.size < pages * (65536 if page == 1 else page):
        raise InputError(f"{path}: cannot read the database, because the file is incomplete. Copy the file again.")
    return head


def _mode(head: bytes, path: Path) -> str:
    """Return the mode in which SQLite must open the database.

    If the write-ahead log of a database is missing, SQLite would create two files beside the database. With the
    returned mode, SQLite does not create these two files.
    """
    log = path.with_name(f"{path.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    return "mode=ro&immutable=1" if head[READER_VERSION] == WAL and not has_log else "mode=ro"
