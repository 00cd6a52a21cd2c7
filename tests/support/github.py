"""A server that speaks GitHub's interfaces over a real bare repository; what it is asked and what it answers is held
against GitHub's published descriptions (fixtures/github/, made by fixtures/scripts/published_github.py)."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jsonschema  # type: ignore[import-untyped]
from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit, Tree
from dulwich.objectspec import parse_commit
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain
from graphql import GraphQLError, build_schema, graphql_sync, parse, validate

from .servers import body_of

PUBLISHED = Path(__file__).resolve().parent.parent.parent / "fixtures" / "github"
REST: dict[str, Any] = json.loads((PUBLISHED / "rest.json").read_text())
SCHEMA = build_schema((PUBLISHED / "schema.graphql").read_text())
NAME = "user/reports"
TOKEN = "t0ken"
_SIGNATURE = b"-----BEGIN PGP SIGNATURE-----\n\nnone\n-----END PGP SIGNATURE-----"


def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).utcoffset() is not None


def _is_address(value: object) -> bool:
    return not isinstance(value, str) or all(urlsplit(value)[:2])


FORMATS = jsonschema.FormatChecker(formats=())
FORMATS.checks("date-time", raises=ValueError)(_is_moment)
FORMATS.checks("uri")(_is_address)


def checked(schema: Any, value: Any, *, closed: bool = False) -> None:
    """Raise where a value is not what a schema of OpenAPI 3.0 says. A `closed` one has no other properties than those
    that the schema names: GitHub passes over what it does not know, so that a misspelt one would do nothing."""

    def plain(one: Any) -> Any:
        if isinstance(one, list):
            return [plain(each) for each in one]
        if not isinstance(one, dict):
            return one
        made = {key: plain(each) for key, each in one.items() if key != "nullable"}
        if one.get("nullable") and "type" in made:
            made["type"] = [made["type"], "null"]
        if closed and isinstance(one.get("properties"), dict):
            made["additionalProperties"] = False
        return made

    jsonschema.validate(value, plain(schema), format_checker=FORMATS)


#: what GitHub says of an error that the description of an operation does not list: `basic-error`
ERROR = REST["post /repos/{owner}/{repo}/git/blobs"]["answers"]["404"]


class Refusal(Exception):
    """An answer that is none."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.value = status, {"message": message, "documentation_url": "https://docs.github.com", **more}


class Hub:
    """One repository as GitHub serves it. `protected` are branches that a token may not move; with `utc` it forgets the
    zones of dates and the last newline of messages, so that commits have other ids. `answers` are used up in the place
    of the next ones: (part of the path, status, headers, body, whether what was asked is done all the same).

    `wrong` is what was asked or answered otherwise than GitHub has published: a client takes the server's breaking off
    for a lost answer, and a test that expects one would pass."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.protected: set[str] = set()
        self.utc = False
        self.answers: list[tuple[str, int, dict[str, str], Any, bool]] = []
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.before: Callable[[str], None] = lambda _: None
        backends: Any = {f"/{NAME}.git": Repo(str(path))}
        self._smart = make_wsgi_chain(DictBackend(backends))

    @property
    def repo(self) -> Any:
        """The repository, read anew."""
        return Repo(str(self.path))

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if path.startswith(f"/{NAME}.git"):
            return self._smart(environ, start)
        self.asked.append(f"{method} {path.removeprefix('/api/v3/repos/' + NAME)}")
        self.before(self.asked[-1])
        raw = body_of(environ)
        try:
            return self._sent(start, *self._answered(method, path, raw, environ))
        except Exception as error:
            self.wrong.append(f"{self.asked[-1]}: {error}")
            raise

    def _sent(self, start: Any, status: int, value: Any, headers: dict[str, str]) -> list[bytes]:
        start(f"{status} x", [("Content-Type", "application/json"), *headers.items()])
        return [json.dumps(value).encode()]

    def _answered(self, method: str, path: str, raw: bytes, environ: Any) -> tuple[int, Any, dict[str, str]]:
        """(status, body, headers), both sides held against what is published."""
        canned = next((one for one in self.answers if one[0] in self.asked[-1]), None)
        if canned is not None:
            self.answers.remove(canned)
        name, answering = self._operation(method, path, raw, environ)
        status, value = answering() if canned is None or canned[4] else (0, None)
        if canned is not None:
            status, value = canned[1], canned[3]
        self._check_answer(name, status, value)
        return status, value, {} if canned is None else canned[2]

    def _operation(self, method: str, path: str, raw: bytes, environ: Any) -> tuple[str, Callable[[], tuple[int, Any]]]:
        """What is asked, checked, and what answers it."""
        assert environ["HTTP_ACCEPT"] == "application/vnd.github+json" and environ["HTTP_USER_AGENT"]
        assert environ["HTTP_X_GITHUB_API_VERSION"] == "2022-11-28"
        token = environ.get("HTTP_AUTHORIZATION")
        if token not in (None, f"Bearer {TOKEN}") or (method != "GET" and token is None):
            return "", lambda: (401, {"message": "Bad credentials", "status": "401"})
        if path == "/api/graphql":
            asked = json.loads(raw)
            assert method == "POST" and not validate(SCHEMA, parse(asked["query"])), asked["query"]
            return "graphql", lambda: (200, self._graphql(asked))
        assert path.startswith(f"/api/v3/repos/{NAME}"), path
        name, call, words = self._route(method, path.removeprefix(f"/api/v3/repos/{NAME}"))
        for key, value in parse_qsl(environ.get("QUERY_STRING", ""), strict_parsing=bool(environ.get("QUERY_STRING"))):
            checked(REST[name]["query"][key], int(value) if REST[name]["query"][key]["type"] == "integer" else value)
        if REST[name]["body"] is None:
            assert not raw
            return name, lambda: self._called(call, words)
        assert environ["CONTENT_TYPE"] == "application/json"
        body = json.loads(raw)
        checked(REST[name]["body"], body, closed=True)
        return name, lambda: self._called(call, (*words, body))

    def _called(self, call: Callable[..., tuple[int, Any]], words: tuple[Any, ...]) -> tuple[int, Any]:
        try:
            return call(*words)
        except Refusal as refusal:
            return refusal.status, refusal.value

    def _check_answer(self, name: str, status: int, value: Any) -> None:
        if name == "graphql" and status == 200:
            assert "data" in value or value["errors"], value
            assert all(isinstance(one["message"], str) for one in value.get("errors", ())), value
            return
        schema = REST.get(name, {"answers": {}})["answers"].get(str(status))
        if schema is None:  # who may not ask or asks too often is told so by any operation
            usual = status in (401, 403, 404, 429) or status >= 500
            assert usual or name == "graphql", f"GitHub does not answer {status} to {name}"
            schema = ERROR
        checked(schema, value)

    def _route(self, method: str, part: str) -> tuple[str, Callable[..., tuple[int, Any]], tuple[str, ...]]:
        for verb, name, pattern, call in (
            ("GET", "", "", self.about), ("GET", "/branches", "/branches", self.branches),
            ("GET", "/branches/{branch}", "/branches/(.+)", self.branch), ("GET", "/git/ref/{ref}", "/git/ref/(.+)", self.ref),
            ("POST", "/git/refs", "/git/refs", self.new_ref), ("PATCH", "/git/refs/{ref}", "/git/refs/(.+)", self.move_ref),
            ("POST", "/git/blobs", "/git/blobs", self.blob), ("POST", "/git/trees", "/git/trees", self.tree),
            ("POST", "/git/commits", "/git/commits", self.commit),
            ("GET", "/compare/{basehead}", r"/compare/(.+)\.\.\.(.+)", self.compare),
        ):  # fmt: skip
            match = re.fullmatch(pattern, part)
            if verb == method and match:
                return f"{method.lower()} /repos/{{owner}}/{{repo}}{name}", call, match.groups()
        raise AssertionError(f"GitHub has no {method} {part}")

    # --- questions --------------------------------------------------------------------------------------------------

    def about(self) -> tuple[int, Any]:
        return 200, {"name": "reports", "full_name": NAME, "default_branch": "main"}

    def _heads(self) -> dict[str, bytes]:
        refs = self.repo.refs
        return {name[11:].decode(): refs[name] for name in sorted(refs.allkeys()) if name.startswith(b"refs/heads/")}

    def branches(self) -> tuple[int, Any]:
        return 200, [
            {"name": name, "commit": {"sha": oid.decode(), "url": "https://x/y"}, "protected": name in self.protected}
            for name, oid in self._heads().items()
        ]

    def branch(self, name: str) -> tuple[int, Any]:
        if name not in self._heads():
            raise Refusal(404, "Branch not found")
        return 200, {"name": name, "protected": name in self.protected}

    def _ref(self, name: str, oid: bytes) -> Any:
        return {
            "ref": name, "node_id": "x", "url": "https://x/y",
            "object": {"type": "commit", "sha": oid.decode(), "url": "https://x/y"},
        }  # fmt: skip

    def ref(self, name: str) -> tuple[int, Any]:
        oid = self.repo.refs.read_ref(b"refs/" + name.encode())
        if not self._heads():
            raise Refusal(409, "Git Repository is empty.")
        if oid is None:
            raise Refusal(404, "Not Found")
        return 200, self._ref("refs/" + name, oid)

    def compare(self, base: str, head: str) -> tuple[int, Any]:
        repo = self.repo
        if base.encode() not in repo.object_store or head.encode() not in repo.object_store:
            raise Refusal(404, "Not Found")
        walker = repo.get_walker(include=[head.encode()], exclude=[base.encode()], reverse=True)
        rows = [self._shown(entry.commit) for entry in walker]
        behind = len(list(repo.get_walker(include=[base.encode()], exclude=[head.encode()])))
        status = "diverged" if rows and behind else "ahead" if rows else "behind" if behind else "identical"
        return 200, {
            "url": "https://x/y", "status": status, "ahead_by": len(rows), "behind_by": behind, "total_commits": len(rows),
            "commits": rows,
        }  # fmt: skip

    def _shown(self, one: Any) -> Any:
        return {
            "url": "https://x/y", "sha": one.id.decode(),
            "commit": {"url": "https://x/y", "message": one.message.decode(),
                       "tree": {"sha": one.tree.decode(), "url": "https://x/y"}},
            "parents": [{"sha": oid.decode(), "url": "https://x/y"} for oid in one.parents],
        }  # fmt: skip

    # --- objects ----------------------------------------------------------------------------------------------------

    def _kept(self, item: Any) -> str:
        self.repo.object_store.add_object(item)
        return str(item.id.decode())

    def blob(self, body: Any) -> tuple[int, Any]:
        raw = base64.b64decode(body["content"]) if body.get("encoding") == "base64" else body["content"].encode()
        return 201, {"sha": self._kept(Blob.from_string(raw)), "url": "https://x/y"}

    def tree(self, body: Any) -> tuple[int, Any]:
        made: Any = Tree()
        if not body["tree"]:
            raise Refusal(422, "Invalid tree info")
        for row in body["tree"]:
            sha = row.get("sha")
            if "content" in row:
                sha = self._kept(Blob.from_string(row["content"].encode()))
            if row["type"] != "commit" and sha.encode() not in self.repo.object_store:
                raise Refusal(422, f"tree.sha {sha} is not a valid {row['type']}")
            made.add(row["path"].encode(), int(row["mode"], 8), sha.encode())
        rows = [
            {"path": row["path"], "mode": row["mode"], "type": row["type"], "sha": sha.decode()}
            for row, (_, _, sha) in zip(
                sorted(body["tree"], key=lambda one: one["path"]), sorted(made.iteritems()), strict=True
            )
        ]
        return 201, {"sha": self._kept(made), "url": "https://x/y", "truncated": False, "tree": rows}

    def _dated(self, made: Any, who: str, row: Any) -> None:
        moment = datetime.fromisoformat(row["date"])
        zone = moment.utcoffset()
        assert zone is not None
        setattr(made, who, f"{row['name']} <{row['email']}>".encode())
        setattr(made, f"{'author' if who == 'author' else 'commit'}_time", int(moment.timestamp()))
        setattr(
            made, f"{'author' if who == 'author' else 'commit'}_timezone", 0 if self.utc else int(zone.total_seconds())
        )

    def commit(self, body: Any) -> tuple[int, Any]:
        made: Any = Commit()
        for oid in (body["tree"], *body["parents"]):
            if oid.encode() not in self.repo.object_store:
                raise Refusal(422, "Object does not exist")
        made.tree, made.parents = body["tree"].encode(), [oid.encode() for oid in body["parents"]]
        self._dated(made, "author", body["author"])
        self._dated(made, "committer", body["committer"])
        made.message = (body["message"].rstrip("\n") if self.utc else body["message"]).encode()
        sha = self._kept(made)
        url = {"url": "https://x/y", "html_url": "https://x/y"}
        return 201, {
            "sha": sha, "node_id": "x", **url, "message": body["message"], "author": body["author"],
            "committer": body["committer"], "tree": {"sha": body["tree"], "url": "https://x/y"},
            "parents": [{"sha": oid, **url} for oid in body["parents"]],
            "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None},
        }  # fmt: skip

    # --- refs -------------------------------------------------------------------------------------------------------

    def new_ref(self, body: Any) -> tuple[int, Any]:
        name, sha = body["ref"].encode(), body["sha"].encode()
        if not self._heads():
            raise Refusal(409, "Git Repository is empty.")
        if sha not in self.repo.object_store:
            raise Refusal(422, "Object does not exist")
        if not self.repo.refs.add_if_new(name, sha):
            raise Refusal(422, "Reference already exists")
        return 201, self._ref(body["ref"], sha)

    def move_ref(self, name: str, body: Any) -> tuple[int, Any]:
        full, sha = b"refs/" + name.encode(), body["sha"].encode()
        repo = self.repo
        now = repo.refs.read_ref(full)
        if now is None:
            raise Refusal(422, "Reference does not exist")
        if name.removeprefix("heads/") in self.protected:
            raise Refusal(422, "Cannot update this protected ref.")
        if not body.get("force") and now not in {entry.commit.id for entry in repo.get_walker([sha])}:
            raise Refusal(422, "Update is not a fast forward")
        assert repo.refs.set_if_equals(full, now, sha)
        return 200, self._ref("refs/" + name, sha)

    # --- GraphQL ----------------------------------------------------------------------------------------------------

    def _graphql(self, asked: Any) -> Any:
        result = graphql_sync(
            SCHEMA, asked["query"], root_value={"createCommitOnBranch": self._on_branch}, variable_values=asked["variables"],
            type_resolver=lambda *_: "Commit",
        )  # fmt: skip
        made: dict[str, Any] = {"data": result.data}
        if result.errors:
            made["errors"] = [
                {"type": (one.extensions or {}).get("type", "UNPROCESSABLE"), "message": one.message, "path": one.path}
                for one in result.errors
            ]
        return made

    def _on_branch(self, info: Any, input: Any) -> Any:
        branch, repo = input["branch"]["branchName"], self.repo
        assert input["branch"]["repositoryNameWithOwner"] == NAME
        ref = b"refs/heads/" + branch.encode()
        now = repo.refs.read_ref(ref)
        if now is None:
            raise GraphQLError(f"No ref {branch}", extensions={"type": "NOT_FOUND"})
        if branch in self.protected:
            raise GraphQLError(
                "Protected branch rules not configured for this branch", extensions={"type": "FORBIDDEN"}
            )
        if now != input["expectedHeadOid"].encode():
            words = f'Expected branch to point to "{input["expectedHeadOid"]}" but it did not. Pull and try again.'
            raise GraphQLError(words, extensions={"type": "STALE_DATA"})
        rows = {
            entry.path: (entry.mode, entry.sha)
            for entry in repo.object_store.iter_tree_contents(parse_commit(repo, now).tree)
        }
        changes = input.get("fileChanges") or {}
        for one in changes.get("deletions") or ():
            del rows[one["path"].encode()]
        for one in changes.get("additions") or ():
            oid = self._kept(Blob.from_string(base64.b64decode(one["contents"]))).encode()
            rows[one["path"].encode()] = (rows.get(one["path"].encode(), (0o100644,))[0], oid)
        made: Any = Commit()
        made.tree = self._tree_of(rows)
        made.parents = [now]
        made.author, made.committer = b"Owner <owner@example.com>", b"GitHub <noreply@github.com>"
        made.author_time = made.commit_time = int(time.time())
        made.author_timezone = made.commit_timezone = 0
        body = input["message"].get("body")
        made.message = (input["message"]["headline"] + (f"\n\n{body}" if body else "")).encode()
        made.gpgsig = _SIGNATURE
        self._kept(made)
        assert repo.refs.set_if_equals(ref, now, made.id)
        commit: dict[str, Any] = {
            "oid": made.id.decode(), "message": made.message.decode(), "tree": {"oid": made.tree.decode()},
        }  # fmt: skip
        commit["parents"] = lambda info, first: {"nodes": [{"oid": now.decode()}], "totalCount": 1}
        return {"clientMutationId": input.get("clientMutationId"), "commit": commit}

    def _tree_of(self, rows: dict[bytes, tuple[int, bytes]]) -> bytes:
        blobs: Any = [(path, oid, mode) for path, (mode, oid) in rows.items()]
        return bytes(commit_tree(self.repo.object_store, blobs))
