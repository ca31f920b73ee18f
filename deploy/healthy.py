"""Whether the server in this container is well: exit code 0 where /healthz answers so, else 1 and why.

    python3 healthy.py [http://127.0.0.1:8910/healthz]

Only the standard library, so that it starts quickly. A server with a certificate of its own is asked by
https, and the certificate is taken as it is: it names a host, not the loopback address asked here.
"""

import ssl
import sys
import urllib.error
import urllib.request

URL = "http://127.0.0.1:8910/healthz"
ANSWER_S = 4


def status(url: str) -> int:
    """The status of the answer. Raises OSError where there is none."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    # No proxy of the environment stands between a server and itself.
    handlers = (urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting))
    try:
        with urllib.request.build_opener(*handlers).open(url, timeout=ANSWER_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as exc:
        return exc.code


def main(url: str = URL) -> int:
    """The exit code."""
    said = []
    for asked in (url, url.replace("http://", "https://", 1)):
        try:
            if (found := status(asked)) == 200:
                return 0
            said.append(f"{asked}: status {found}")
        except (OSError, ValueError) as exc:
            said.append(f"{asked}: {exc}")
    sys.stderr.write("\n".join(said) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
