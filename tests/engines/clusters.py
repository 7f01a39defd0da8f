"""Small clusters of several processes on this machine."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def spark() -> Iterator[Any]:
    """A session with a cluster of two executors, each a process of its own with one core, on the loopback address."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.network.timeout": "600s",
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.autoBroadcastJoinThreshold": "-1",  # joins need a shuffle, as those of large tables do
        "spark.sql.files.openCostInBytes": str(128 << 20),  # a partition for each file, however small
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("slider-attacks")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()


@contextlib.contextmanager
def ray() -> Iterator[Any]:
    """A cluster of two nodes with one core each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray
    from ray import cluster_utils

    node = {"num_cpus": 1, "object_store_memory": 1 << 30}
    cluster: Any = cluster_utils.Cluster(initialize_head=True, head_node_args=node)
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
