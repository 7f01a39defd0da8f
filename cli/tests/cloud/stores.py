"""Servers of object stores on this machine, and what the tests see of their buckets."""

import contextlib
import pathlib
import socket
import subprocess
import threading
import time
from collections.abc import Iterator

import boto3
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


class Bucket:
    """A bucket or container: its URL, and the environment of a command that reads and writes it."""

    scheme: str
    url: str
    # A bucket that does not exist.
    other: str
    environment: dict[str, str]

    def __init__(self, name: str):
        self.url, self.other = f"{self.scheme}://{name}", f"{self.scheme}://other"

    def put(self, key: str, data: bytes):
        raise NotImplementedError

    def get(self, key: str) -> bytes:
        raise NotImplementedError

    def keys(self, prefix="") -> list[str]:
        raise NotImplementedError

    def delete(self, key: str):
        raise NotImplementedError

    def uploads(self) -> int | None:
        """How many uploads have not ended, if the store tells. Azure forgets the parts of such uploads after a week."""
        return None


class S3Bucket(Bucket):
    """A bucket of Amazon S3, as moto has it."""

    scheme = "s3"

    def __init__(self, endpoint: str, name: str):
        super().__init__(name)
        self.name, self.environment = name, self.environment_of(endpoint)
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
        self.client = boto3.client("s3", endpoint_url=endpoint, **keys)
        self.client.create_bucket(Bucket=name)

    @staticmethod
    def environment_of(endpoint: str) -> dict[str, str]:
        return {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def put(self, key: str, data: bytes):
        self.client.put_object(Bucket=self.name, Key=key, Body=data)

    def get(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def keys(self, prefix="") -> list[str]:
        return [found["Key"] for found in self.client.list_objects_v2(Bucket=self.name, Prefix=prefix).get("Contents", [])]

    def delete(self, key: str):
        self.client.delete_object(Bucket=self.name, Key=key)

    def uploads(self) -> int | None:
        return len(self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", []))


class GoogleBucket(S3Bucket):
    """A bucket of Google Cloud Storage. Its XML interface is that of S3, with other headers."""

    scheme = "gs"

    @staticmethod
    def environment_of(endpoint: str) -> dict[str, str]:
        return {"GOOGLE_BASE_URL": endpoint, "GOOGLE_ALLOW_HTTP": "true", "GOOGLE_BEARER_TOKEN": "token"}


class AzureBucket(Bucket):
    """A container of Azure Blob Storage, as Azurite has it."""

    scheme = "az"
    # The emulator's well-known account and key: https://learn.microsoft.com/azure/storage/common/storage-connect-azurite
    ACCOUNT = "devstoreaccount1"
    KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    def __init__(self, endpoint: str, name: str):
        from azure.storage.blob import BlobServiceClient

        super().__init__(name)
        self.environment = {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": endpoint}
        service = BlobServiceClient(f"{endpoint}/{self.ACCOUNT}", credential=self.KEY)
        self.client = service.create_container(name)

    def put(self, key: str, data: bytes):
        self.client.upload_blob(key, data, overwrite=True)

    def get(self, key: str) -> bytes:
        return self.client.download_blob(key).readall()

    def keys(self, prefix="") -> list[str]:
        return [blob.name for blob in self.client.list_blobs(name_starts_with=prefix)]

    def delete(self, key: str):
        self.client.delete_blob(key)


class GoogleHeaders:
    """Tells moto what headers of Google mean."""

    # Moto accepts any credentials.
    NAME = "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none"

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        if environ.get("HTTP_AUTHORIZATION", "").startswith("Bearer"):
            environ["HTTP_AUTHORIZATION"] = self.NAME
        if environ.get("HTTP_X_GOOG_IF_GENERATION_MATCH") == "0":
            environ["HTTP_IF_NONE_MATCH"] = "*"
        return self.application(environ, start_response)


@contextlib.contextmanager
def moto() -> Iterator[str]:
    """The URL of a server for the interfaces of S3 and Google."""
    application = GoogleHeaders(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", free_port(), application, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@contextlib.contextmanager
def azurite(program: pathlib.Path) -> Iterator[str]:
    """The URL of a server for the interface of Azure."""
    port = free_port()
    options = ["--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck", "--blobPort", str(port)]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        else:
            raise TimeoutError(f"{program} takes no connections")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
