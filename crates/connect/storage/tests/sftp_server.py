"""An SFTP server for tests that takes a password: asyncssh, with a host key made at the start.

Argument: the folder that users are put into. Prints one JSON line {port, fingerprint} when it listens; the user is `reeve`, the password
`hunter2`. It ends with its standard input.
"""

import asyncio
import json
import sys

import asyncssh


class Door(asyncssh.SSHServer):
    def begin_auth(self, _username):
        return True

    def password_auth_supported(self):
        return True

    def validate_password(self, username, password):
        return (username, password) == ("reeve", "hunter2")


class Files(asyncssh.SFTPServer):
    def __init__(self, channel):
        super().__init__(channel, chroot=sys.argv[1].encode())


async def serve():
    key = asyncssh.generate_private_key("ecdsa-sha2-nistp256")
    server = await asyncssh.create_server(Door, "127.0.0.1", 0, server_host_keys=[key], sftp_factory=Files)
    print(json.dumps({"port": server.get_port(), "fingerprint": key.get_fingerprint("sha256")}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(serve())
