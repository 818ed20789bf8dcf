"""A mail server for tests. Prints a line of JSON for each event: its port, and each message that it has received.

    python server.py [--password PASSWORD] [--tls CERTIFICATE KEY] [--slow SECONDS]

The recipient's address chooses the answer:

- later…: the first attempt is answered with 451, the next ones are accepted.
- refused…: 550 to the address.
- full…: 552 to the content.
- lost…: receives the content, and closes the connection without an answer.
- dropped…: closes the connection at the first attempt to name the recipient.
"""
import argparse
import asyncio
import json
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

options = argparse.ArgumentParser()
options.add_argument("--password")
options.add_argument("--tls", nargs=2)
options.add_argument("--slow", type=float, default=0)
options = options.parse_args()


def say(**event):
    print(json.dumps(event), flush=True)


class Handler:
    def __init__(self):
        self.seen = set()

    def is_first(self, address):
        is_first = address not in self.seen
        self.seen.add(address)
        return is_first

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("later") and self.is_first(address):
            return "451 4.7.1 Greylisted, try again later"
        if address.startswith("refused"):
            return "550 5.1.1 No such user"
        if address.startswith("dropped") and self.is_first(address):
            server.transport.abort()
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        to = envelope.rcpt_tos[0]
        if to.startswith("full"):
            return "552 5.2.2 Mailbox full"
        await asyncio.sleep(options.slow)
        say(to=to, sender=envelope.mail_from, content=envelope.content.decode(), login=session.auth_data, tls=session.ssl is not None)
        if to.startswith("lost"):
            server.transport.abort()
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    is_right = data.password.decode() == options.password
    return AuthResult(success=is_right, handled=is_right, auth_data=data.login.decode())


async def main():
    handler = Handler()
    context = None
    if options.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*options.tls)
    more = {}
    if options.password:
        more = {"authenticator": authenticate, "auth_required": True, "auth_require_tls": context is not None}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(handler, tls_context=context, require_starttls=context is not None, enable_SMTPUTF8=True, **more), "127.0.0.1", 0)
    say(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
