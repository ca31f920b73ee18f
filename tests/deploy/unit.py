"""A unit of systemd as data, and the directives that systemd 252 (Debian 12) or an older one knows."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.dockerfile import ROOT

PATH = ROOT / "deploy" / "ddr.service"

_KNOWN = """
Unit: Description Documentation Requires Wants BindsTo PartOf Conflicts Before After OnFailure
Unit: StartLimitIntervalSec StartLimitBurst StartLimitAction RequiresMountsFor ConditionPathExists

Service: Type ExecStart ExecStartPre ExecStartPost ExecReload ExecStop ExecStopPost ExecCondition
Service: Restart RestartSec TimeoutStartSec TimeoutStopSec TimeoutSec RuntimeMaxSec WatchdogSec
Service: SuccessExitStatus RestartPreventExitStatus NotifyAccess OOMPolicy PIDFile
Service: KillMode KillSignal SendSIGKILL FinalKillSignal

Service: User Group DynamicUser SupplementaryGroups WorkingDirectory RootDirectory UMask
Service: Environment EnvironmentFile PassEnvironment UnsetEnvironment LoadCredential
Service: RuntimeDirectory StateDirectory CacheDirectory LogsDirectory ConfigurationDirectory
Service: RuntimeDirectoryMode StateDirectoryMode CacheDirectoryMode LogsDirectoryMode
Service: StandardInput StandardOutput StandardError SyslogIdentifier
Service: LimitNOFILE LimitNPROC LimitCORE LimitAS LimitMEMLOCK Nice OOMScoreAdjust

Service: NoNewPrivileges CapabilityBoundingSet AmbientCapabilities SecureBits KeyringMode
Service: ProtectSystem ProtectHome ProtectProc ProcSubset ProtectHostname ProtectClock
Service: ProtectKernelTunables ProtectKernelModules ProtectKernelLogs ProtectControlGroups
Service: PrivateTmp PrivateDevices PrivateNetwork PrivateUsers PrivateIPC PrivateMounts
Service: ReadWritePaths ReadOnlyPaths InaccessiblePaths ExecPaths NoExecPaths TemporaryFileSystem
Service: BindPaths BindReadOnlyPaths RestrictAddressFamilies RestrictFileSystems RestrictNamespaces
Service: LockPersonality MemoryDenyWriteExecute RestrictRealtime RestrictSUIDSGID RemoveIPC
Service: SystemCallFilter SystemCallErrorNumber SystemCallArchitectures SystemCallLog

Service: MemoryMax MemoryHigh MemoryMin MemorySwapMax CPUQuota CPUWeight TasksMax IOWeight
Service: IPAddressAllow IPAddressDeny DevicePolicy DeviceAllow Delegate Slice

Install: WantedBy RequiredBy Also Alias
"""


def known() -> dict[str, set[str]]:
    """The directives that there are, by section."""
    found: dict[str, set[str]] = {}
    for line in filter(None, _KNOWN.splitlines()):
        section, _, names = line.partition(": ")
        found.setdefault(section, set()).update(names.split())
    return found


@dataclass(frozen=True)
class Directive:
    """One line of it."""

    section: str
    name: str
    value: str


def directives(path: Path = PATH) -> list[Directive]:
    """Every directive in its order; some stand there several times."""
    found: list[Directive] = []
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if not text or text[0] in "#;":
            continue
        if text.startswith("["):
            section = text.strip("[]")
            continue
        name, separator, value = text.partition("=")
        assert separator, f"no directive: {line}"
        found.append(Directive(section, name, value))
    return found


def values(name: str) -> list[str]:
    """What a directive of [Service] says, each time that it stands there."""
    return [each.value for each in directives() if (each.section, each.name) == ("Service", name)]


def command() -> list[str]:
    """ExecStart, as words."""
    (line,) = values("ExecStart")
    return shlex.split(line)
