import pytest
from libraries import Late

distributed = Late("distributed")


@pytest.fixture(scope="package")
def cluster():
    """Two workers with two threads each."""
    import dask

    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        yield client
