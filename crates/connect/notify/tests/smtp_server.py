"""A mail server for tests: aiosmtpd with a certificate of an authority of its own, made at the start.

Arguments: `starttls` or `tls`, and the address to listen on. Prints one JSON line {port, ca} when it listens, then one for each mail {from, to, text, user, parts}, the parts decoded.
Mail is taken after TLS and a password alone; it ends with its standard input.
"""

import asyncio
import datetime
import email
import email.policy
import ipaddress
import json
import ssl
import sys
import tempfile

from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(name, key, issuer, issuer_key, authority):
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    )
    if not authority:
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return made.sign(issuer_key, hashes.SHA256())


def named(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def tell(**what):
    print(json.dumps(what), flush=True)


def allowed(_server, _session, _envelope, _mechanism, data):
    good = (data.login, data.password) == (b"reeve", b"hunter2")
    return AuthResult(success=good, handled=False, auth_data=data.login.decode())


class Mailbox:
    async def handle_DATA(self, _server, session, envelope):
        text = envelope.content.decode("utf-8", "replace")
        parts = [
            {"type": part.get_content_type(), "content": part.get_content()}
            for part in email.message_from_bytes(envelope.content, policy=email.policy.default).walk()
            if part.get_content_maintype() == "text"
        ]
        tell(**{"from": envelope.mail_from, "to": envelope.rcpt_tos, "text": text, "user": session.auth_data, "parts": parts})
        return "250 taken"


def session():
    implicit = sys.argv[1] == "tls"
    return SMTP(
        Mailbox(),
        tls_context=None if implicit else CONTEXT,
        require_starttls=not implicit,
        auth_required=True,
        # Under implicit TLS the connection is encrypted already, which aiosmtpd does not know.
        auth_require_tls=not implicit,
        authenticator=allowed,
    )


async def serve():
    loop = asyncio.get_running_loop()
    context = CONTEXT if sys.argv[1] == "tls" else None
    server = await loop.create_server(session, sys.argv[2], 0, ssl=context)
    tell(port=server.sockets[0].getsockname()[1], ca=authority.public_bytes(PEM).decode())
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
authority = certificate(named("Reeve test authority"), authority_key, named("Reeve test authority"), authority_key, True)
leaf = certificate(named("localhost"), key, authority.subject, authority_key, False)
PEM = serialization.Encoding.PEM
with tempfile.NamedTemporaryFile() as kept:
    plain = serialization.NoEncryption()
    kept.write(key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, plain) + leaf.public_bytes(PEM))
    kept.flush()
    CONTEXT = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    CONTEXT.load_cert_chain(kept.name)

asyncio.run(serve())
