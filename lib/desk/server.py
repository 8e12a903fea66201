"""Gunicorn's settings of the desk: `gunicorn --config python:desk.server desk.wsgi`.

A client that sends half of its headers holds a thread. Gunicorn has no limit for that, so the system's own is set on
the socket that listens, and each connection inherits it. One byte every few seconds still holds a thread: against that
a proxy in front, see docs/desk.md.

A connection that is kept open is closed after `keepalive` seconds. A client that keeps it longer (httpx: 5 s) may send
a request just then, and lose it: gunicorn's own 2 s lost 2 of 1,747 requests on a busy machine.
"""

import socket
import struct

preload_app = True  # once for all workers: each would else load pandas and the rest while its first readers wait
SECONDS = 5  # without a byte, until a connection is closed
keepalive = 10  # seconds between two requests of a connection


def when_ready(server) -> None:
    for listener in server.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("@ll", SECONDS, 0))
