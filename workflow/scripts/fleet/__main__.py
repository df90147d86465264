"""Measures one study on several hosts, from one coordinator: reports/manual/fleet.qmd.

Usage: bash workflow/run.sh fleet certificate   on the coordinator: a certificate for each host of
                                                workflow/config/fleet.yaml
         --revoke HOST   revokes a host's certificate; restart a running coordinator. The next
                         call of `certificate` makes a new one for a host of fleet.yaml
       bash workflow/run.sh fleet worker        on a host: offers it to the coordinator until Ctrl-C
         --once          ends when its part of a study is over: for a batch system such as
                         Slurm (workflow/config/slurm-worker.sh)
       bash workflow/run.sh fleet plan [--config KEY=VALUE ...]
                                                on the coordinator: the plan on each host
       bash workflow/run.sh fleet run [--config KEY=VALUE ...]
                                                on the coordinator: measures, makes the site
         --wait MINUTES     how long a host may be away when all others are done (30)
         --no-site          only measures and files
Exit codes: those of run.sh. The first call installs Dask into .diskbench/tools/fleet.
"""

import argparse
import asyncio
import subprocess
from datetime import datetime
from pathlib import Path

from arguments import Parser, minutes
from console import ExitCode, StudyError, log_to, run, say, show
from fleet import config
from lock import held, is_held
from record import RUNS
from study.config import checked_study
from study.studies import chosen

LOG = Path(".diskbench/logs/fleet.log")
# of the only coordinator, in the folder of certificates
LOCK = "coordinator.lock"


def main() -> int:
    """Parse the command line and run the command."""
    parser = Parser(prog="bash workflow/run.sh fleet")
    commands = parser.add_subparsers(required=True, dest="command", parser_class=Parser)

    certificate = commands.add_parser("certificate")
    certificate.set_defaults(do=_certificate)
    certificate.add_argument("--revoke", metavar="HOST")

    worker = commands.add_parser("worker")
    worker.set_defaults(do=_worker)
    worker.add_argument("--once", action="store_true")

    for name in ("plan", "run"):
        command = commands.add_parser(name)
        command.set_defaults(do=_run)
        command.add_argument(
            "--config", nargs="+", action="extend", default=[], metavar="KEY=VALUE"
        )
        command.add_argument("--wait", type=minutes, default=config.WAIT_MINUTES)
        command.add_argument("--no-site", action="store_true")

    asked = parser.parse_args()
    log_to(LOG.with_name("fleet-call.log"))
    return asked.do(asked)


def _certificate(asked: argparse.Namespace) -> int:
    from fleet.certificates import FOLDER, CertificateStore

    fleet = config.read()
    store = CertificateStore()
    revoked = asked.revoke
    if revoked is not None and revoked not in fleet.hosts and not store.trusts(revoked):
        raise StudyError(
            ExitCode.BAD_INPUT,
            f"fleet.yaml has no host '{revoked}': it has {', '.join(fleet.hosts) or 'none'}",
        )
    if revoked is not None:
        was = store.revoke(revoked)
        say(
            f"revoked the certificate of {revoked}; restart a running coordinator"
            if was
            else f"{revoked} had no certificate"
        )
        return ExitCode.DONE
    config.refuse_no_hosts(fleet)
    for slug in fleet.hosts:
        if line := store.elsewhere(slug, fleet.coordinator):
            say(f"{slug}: {line}: a new one is made")
    made = store.make(fleet.coordinator, list(fleet.hosts.values()))
    for slug in made:
        say(
            f"made {store.certificates / slug}.certificate: copy it to {FOLDER}/host.certificate in"
            f" the project on {slug} (scp), then delete it here; who has it can act as {slug}"
        )
    if made and is_held(FOLDER / LOCK):
        say("a coordinator is running here: restart it, or it refuses the new certificates")
    show(f"the coordinator: certificate valid until {_day(store.coordinator_ends)}")
    for slug in fleet.hosts:
        show(f"{slug}: certificate valid until {_day(store.ends(slug))}")
    return ExitCode.DONE


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _worker(asked: argparse.Namespace) -> int:
    from fleet import settings
    from fleet.certificates import FOLDER, read_certificate
    from fleet.worker import offer

    settings.apply(LOG)
    return asyncio.run(offer(read_certificate(FOLDER / "host.certificate"), asked.once))


def _run(asked: argparse.Namespace) -> int:
    from fleet import settings, summary, version
    from fleet.certificates import FOLDER, CertificateStore
    from fleet.coordinator import Run
    from fleet.filing import Archive
    from fleet.progress import Board

    fleet = config.read()
    config.refuse_no_hosts(fleet)
    words = config.asked_words(asked.config)
    known = _studies(words)
    config.refuse_unknown_studies(fleet, known)
    of_hosts = {slug: host.words(words, known) for slug, host in fleet.hosts.items()}
    settings.apply(LOG)
    board = Board(list(fleet.hosts))
    only_plan = asked.command == "plan"
    here = version.of(Path())
    one = Run(fleet, of_hosts, CertificateStore(), board, Archive(RUNS), here, only_plan)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with held(
        FOLDER / LOCK, "a coordinator already runs in this folder: wait for it, then run again"
    ):
        asyncio.run(one.go(asked.wait * 60))
    if only_plan:
        return ExitCode.INTERRUPTED if one.stopping else summary.tell_plans(board, asked.config)
    code = summary.tell(board, RUNS, asked.config, asked.no_site, asked.wait)
    if one.stopping:
        return ExitCode.INTERRUPTED
    if not asked.no_site:
        made = subprocess.run(
            ["bash", "workflow/run.sh", "--config", "study=none"], check=False
        ).returncode
        code = made or code
    return code


def _studies(words: dict[str, str]) -> list[str]:
    """The slugs of all studies, so that a misspelt one is reported once, not by every host."""
    study = checked_study(config.study_with(words))
    chosen(study)
    return list(study["studies"])


if __name__ == "__main__":
    run(main)
