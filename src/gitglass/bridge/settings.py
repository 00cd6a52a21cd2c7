"""The settings of an untrusted repository that dulwich's tools may see: values, and none that name a program.

dulwich runs filters, credential helpers, hooks, editors and signing programs that the configuration names. This is a
list of the harmless settings rather than of the harmful ones: a program that a later dulwich runs is then not in it.
"""

from dulwich.config import ConfigFile

from ..config.config import Config

#: sections (with any subsection) and their settings, in lower case
_HARMLESS: dict[bytes, frozenset[bytes]] = {
    b"core": frozenset(
        {b"abbrev", b"bare", b"bigfilethreshold", b"commentchar", b"compression", b"filemode", b"ignorecase",
         b"logallrefupdates", b"maxtreedepth", b"precomposeunicode", b"quotepath", b"repositoryformatversion",
         b"symlinks"}
    ),
    b"branch": frozenset({b"description", b"merge", b"mergeoptions", b"rebase", b"remote", b"pushremote"}),
    b"diff": frozenset({b"algorithm", b"context", b"interhunkcontext", b"renamelimit", b"renames"}),
    b"extensions": frozenset({b"objectformat", b"noop", b"partialclone", b"preciousobjects", b"refstorage"}),
    b"i18n": frozenset({b"commitencoding", b"logoutputencoding"}),
    b"init": frozenset({b"defaultbranch"}),
    b"log": frozenset({b"date", b"follow", b"mailmap", b"showroot"}),
    b"pack": frozenset({b"compression", b"depth", b"window"}),
    b"remote": frozenset({b"fetch", b"promisor", b"partialclonefilter", b"push", b"pushurl", b"tagopt", b"url"}),
    b"submodule": frozenset({b"active", b"branch", b"path", b"url"}),
    b"uploadpack": frozenset({b"allowanysha1inwant", b"allowfilter", b"allowreachablesha1inwant", b"hiderefs"}),
    b"user": frozenset({b"email", b"name"}),
}  # fmt: skip


def harmless(config: Config) -> ConfigFile:
    """The harmless settings of a repository as a dulwich configuration, in their order."""
    settings = ConfigFile()
    for key, value in config.items():
        section, _, rest = key.partition(b".")
        subsection, _, name = rest.rpartition(b".")
        if name.lower() in _HARMLESS.get(section.lower(), ()):
            section_name = (section, subsection) if subsection else (section,)
            settings.add(section_name, name, b"true" if value is None else value)
    return settings
