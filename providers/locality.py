"""Tell whether what is sent to a model stays on this machine, and keep it there."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from core.run import ModelSpec

WITHOUT_ENDPOINT = ("scripted", "replay")
"""Models that are asked nothing over a wire."""


def leaves_machine(spec: ModelSpec) -> bool:
    """Whether what is sent to a model leaves this machine; where it is not certain, it does."""
    return spec.provider not in WITHOUT_ENDPOINT and not _is_loopback(_host(spec))


def pass_proxies_by(spec: ModelSpec) -> None:
    """Exempt a loopback endpoint from the environment's proxies, which would carry it away."""
    host = _host(spec)
    if not _is_loopback(host):
        return
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [known for known in os.environ.get(name, "").split(",") if known]
        if host not in hosts:
            os.environ[name] = ",".join([*hosts, host])


def _host(spec: ModelSpec) -> str:
    return urlsplit(spec.base_url or "").hostname or ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
