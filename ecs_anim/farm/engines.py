"""Who does the tasks: processes of this machine, or Dask's workers, of a cluster that is there or of a local one."""

import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from ecs_anim.farm.processes import Processes
from ecs_anim.support.errors import InputError

LOCAL = "local"  # a Dask cluster of this machine
ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://[\w.\-\[\]:]+:\d{1,5}")
SECONDS = 10  # in which a scheduler answers


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_engine(workers: int | None, dask: str | None, threads: int | None) -> Iterator[Executor]:
    """An executor of so many workers: one a processor by default. Raises InputError."""
    count = processors() if workers is None else workers
    if dask is not None:
        with _dask(count, dask, threads) as executor:
            yield executor
        return
    executor = Processes(count, drawing_threads=threads)
    try:
        yield executor
    except BaseException:
        executor.end()
        raise
    executor.shutdown()


@contextmanager
def _dask(workers: int, address: str, threads: int | None) -> Iterator[Executor]:
    """Dask's workers, each one task at a time. Raises InputError where there is no Dask, or nobody at the address."""
    if address != LOCAL and not ADDRESS.fullmatch(address):
        raise InputError(f"--dask {address}: should be tcp://HOST:PORT, or nothing for a cluster on this machine")
    try:
        import distributed
    except ImportError:
        raise InputError("--dask: Dask needs the farm extra: pip install 'ecs-anim[farm]'") from None
    with _cluster(distributed, workers, address, threads) as where:
        try:
            client = distributed.Client(where, timeout=SECONDS, set_as_default=False)
        except OSError:
            raise InputError(f"--dask {address}: no scheduler answers there; start one: dask scheduler") from None
        with client, client.get_executor(pure=False) as executor:
            yield executor


@contextmanager
def _cluster(distributed: Any, workers: int, address: str, threads: int | None) -> Iterator[Any]:
    """What a client connects to."""
    if address != LOCAL:
        yield address
        return
    environment = {} if threads is None else {"LP_NUM_THREADS": str(threads)}
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, env=environment, silence_logs=50
    ) as cluster:
        yield cluster
