"""The bill of materials: every dependency as locked, in CycloneDX 1.6.

It needs cyclonedx-python-lib, which `install.sh` installs.
"""

from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from proofs.supply.locks import Dependency

ALGORITHMS = {"sha256": HashAlgorithm.SHA_256, "sha512": HashAlgorithm.SHA_512}


def write(
    path: Path, version: str, dependencies: list[Dependency], licences: dict[Dependency, str]
) -> None:
    """Write the bill; raises ValueError where it does not keep to the schema of CycloneDX."""
    bom = Bom()
    bom.metadata.component = Component(
        name="diskbench", version=version, type=ComponentType.APPLICATION, bom_ref="diskbench"
    )
    # what two locks have alike is there once
    for dependency in {_purl(one): one for one in dependencies}.values():
        bom.components.add(_component(dependency, licences.get(dependency)))
    bom.register_dependency(bom.metadata.component, bom.components)
    text = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error is not None:
        raise ValueError(str(error))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def _component(dependency: Dependency, licence: str | None) -> Component:
    # a release on PyPI is several files: their hashes are in the lock, none is that of all
    one_file = dependency.hashes if len(dependency.hashes) == 1 else ()
    return Component(
        name=dependency.name,
        version=dependency.version,
        type=ComponentType.LIBRARY,
        bom_ref=str(_purl(dependency)),
        purl=_purl(dependency),
        hashes=[HashType(alg=ALGORITHMS[name], content=value) for name, value in one_file],
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
    )


def _purl(dependency: Dependency) -> PackageURL:
    scope, _, name = dependency.name.rpartition("/")
    return PackageURL(dependency.ecosystem, scope or None, name, dependency.version)
