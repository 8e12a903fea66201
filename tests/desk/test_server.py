"""What gunicorn is told: a client that sends half of its headers is let go."""

import socket
from types import SimpleNamespace

import httpx
import pytest
from desk import server
from gunicorn.config import Config


def test_a_connection_without_a_byte_is_ended_and_one_that_sends_is_read(monkeypatch):
    monkeypatch.setattr(server, "SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server.when_ready(SimpleNamespace(LISTENERS=[SimpleNamespace(sock=listening)]))
        with socket.create_connection(listening.getsockname()) as client:
            connection, _ = listening.accept()
            connection.setblocking(True)
            client.sendall(b"GET / HTTP/1.1\r\n")
            assert connection.recv(100) == b"GET / HTTP/1.1\r\n"
            with pytest.raises(BlockingIOError):
                connection.recv(100)
            connection.close()


def test_a_connection_is_kept_longer_than_the_api_s_clients_keep_theirs():
    config = Config()
    config.set("keepalive", server.keepalive)
    assert config.keepalive > httpx.Limits().keepalive_expiry and server.preload_app
