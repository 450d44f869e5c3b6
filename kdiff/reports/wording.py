"""Every phrase that more than one format says: plurals, verdict, counts, what became of an object, how a value is written.

What comes from a tree is `visible` already in what these functions return; formats escape for their own markup on top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from kdiff.model.change import Change, Effect, FieldChange, Op
from kdiff.model.codec import Absent
from kdiff.model.failure import Note
from kdiff.model.hazard import SEVERITIES, Hazard
from kdiff.model.impact import Counts, Dependents, ImageChange, Impact, Rollout
from kdiff.model.json_text import json_text
from kdiff.model.mask import MASKED
from kdiff.model.report import Report
from kdiff.model.value import Value
from kdiff.reports.escape import quoted, visible

SIGN: dict[str, str] = {"removed": "-", "added": "+", "changed": "~", "renamed": "~", "moved": ">"}
OP_SIGN: dict[Op, str] = {"add": "+", "remove": "-", "replace": "~", "reorder": "="}

EFFECT: dict[Effect, str] = {
    "rollout": "replaces its pods",
    "recreate": "is deleted and created anew",
    "delete": "is deleted",
    "create": "is created",
    "scale": "scales",
    "none-until-resumed": "waits until its target is resumed",
    "orphaned": "keeps running, managed by nobody",
    "metadata-only": "metadata only",
}

# What the status says already: a new name is a new object and the end of the old one.
_SAID_BY_STATUS = {("added", "create"), ("removed", "delete"), ("renamed", "create"), ("renamed", "delete")}


def plural(count: int, noun: str, many: str | None = None) -> str:
    """`1 object`, `3 objects`."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def listed(items: Iterable[str], limit: int | None = None) -> str:
    """Items separated by commas; beyond `limit` the rest is counted."""
    given = list(items)
    if limit is None or len(given) <= limit:
        return ", ".join(given)
    return ", ".join(given[:limit]) + f" and {len(given) - limit} more"


def verdict(report: Report) -> str:
    """One sentence: what differs, how much of it is dangerous, and whether all was compared."""
    totals, targets = report.summary.objects, report.summary.targets
    compared = f"{plural(targets.compared, 'target')} with {plural(totals.unchanged, 'object')}"
    if report.changes:
        kinds = [f"{n} {word}" for word, n in object_counts(report).items() if n]
        text = f"{plural(len(report.changes), 'object')} {'differs' if len(report.changes) == 1 else 'differ'}"
        text += f" in {targets.changed} of {plural(targets.total, 'target')}" if targets.total else ""
        text += f": {', '.join(kinds)}."
        if report.impact.routine:
            text += " Routine: only versions of images and charts change."
    elif report.outcome == "unchanged":
        text = f"Nothing differs: {compared} {'was' if targets.compared == 1 else 'were'} compared."
    else:
        text = f"Nothing differs in what was compared: {compared}."
    worst = hazard_counts(report)
    if worst:
        text += f" {worst}."
    if report.failures:
        text += f" Not compared: {plural(max(targets.failed, len({(f.scope, f.target) for f in report.failures})), 'target')}."
    elif report.outcome == "incomplete":
        text += " Something was not compared: see the notes."
    return text


def object_counts(report: Report) -> dict[str, int]:
    """Status word to number, the order in which every format prints them."""
    totals = report.summary.objects
    return {
        "removed": totals.removed,
        "changed": totals.changed,
        "renamed": totals.renamed,
        "moved": totals.moved,
        "added": totals.added,
    }


def hazard_counts(report: Report) -> str:
    """`3 hazards: 1 blocking, 2 caution`, or "" when there is none that is not waived."""
    totals = report.summary.hazards
    parts = [(severity, getattr(totals, severity)) for severity in SEVERITIES]
    total = sum(n for _, n in parts)
    return f"{plural(total, 'hazard')}: " + ", ".join(f"{n} {severity}" for severity, n in parts if n) if total else ""


def count_lines(report: Report) -> tuple[str, str]:
    """The numbers at the end: objects, and targets with what rendering them took."""
    totals, targets = report.summary.objects, report.summary.targets
    counts = ", ".join(f"{n} {word}" for word, n in object_counts(report).items())
    objects = f"{counts}, {totals.unchanged} unchanged ({plural(totals.base, 'object')} at base, {totals.head} at head)"
    runs = targets.rendered_base + targets.rendered_head
    rendered = f"{plural(runs, 'build')}, {plural(targets.reused, 'rendering')} reused"
    return objects, (
        f"{plural(targets.total, 'target')}: {targets.compared} compared, {targets.changed} changed, {targets.failed} failed; {rendered}"
    )


def sides(report: Report) -> str:
    """`git:main (1a2b3c4) -> .`."""
    return f"{_side(report.base.label, report.base.revision)} -> {_side(report.head.label, report.head.revision)}"


def _side(label: str, revision: str | None) -> str:
    return visible(label) + (f" ({visible(revision[:12])})" if revision and revision not in label else "")


def tool_line(report: Report) -> str:
    """`kdiff 0.1.0, kustomize v5.8.1 (kubectl)`."""
    tool = report.tool
    text = visible(f"{tool.name} {tool.version}")
    if tool.kustomize_version:
        text += f", kustomize {visible(tool.kustomize_version)}"
        text += f" ({visible(tool.renderer)})" if tool.renderer and tool.renderer != "kustomize" else ""
    return text


def target_names(ids: Iterable[str]) -> str:
    """Target ids in one line; the root is said in words."""
    return ", ".join("the root" if t == "." else visible(t) for t in ids) or "nothing"


def change_facts(change: Change, rollout: Rollout | None = None) -> tuple[str, ...]:
    """Short phrases on what becomes of the object, most important first."""
    facts: list[str] = []
    for effect in change.effects:
        if effect == "rollout" and rollout is not None and rollout.replicas is not None:
            facts.append(f"replaces {plural(rollout.replicas, 'pod')}")
        elif (change.status, effect) not in _SAID_BY_STATUS:
            facts.append(EFFECT[effect])
    if change.status == "renamed" and change.base_id:
        facts.append(f"renamed from {visible(change.base_id)}" + (", by likeness of the name" if change.proof == "pattern" else ""))
    elif change.base_id and change.base_id != change.id:
        facts.append(f"was {visible(change.base_id)}")
    if change.status in ("added", "removed") and not change.effects:  # so the cluster neither creates nor deletes it
        facts.append("another target renders it already" if change.status == "added" else "another target still renders it")
    if change.moved is not None:
        here = change.moved.to == (change.targets.head or change.targets.base)  # the change is listed there
        to = "" if here else f" to {target_names(change.moved.to)}"
        facts.append(f"moved{' here' * here} from {target_names(change.moved.from_)}{to}")
    if change.counterpart is not None:
        word = "perhaps now" if change.status == "removed" else "perhaps it was"
        other = change.counterpart
        where = visible(other.id) if other.scope is None else f"in {target_names([other.scope])}"
        facts.append(f"{word} {where} ({other.similarity:.0%} alike)")
    return tuple(facts)


def value_text(value: Value | Absent) -> str:
    """A value in one line as JSON writes it, so that its type shows: `8080` is a number, `"8080"` is not."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Absent):
        return MASKED
    return visible(json_text(value, sort_keys=True))


def is_multiline(value: Value | Absent) -> bool:
    """True for a string that reads better as lines."""
    return isinstance(value, str) and "\n" in value.rstrip("\n")


def field_remarks(field: FieldChange) -> tuple[str, ...]:
    """What a reader must know besides the two values."""
    remarks: list[str] = []
    if field.class_ == "order":
        remarks.append("only the order differs")
    elif field.class_ == "format":
        remarks.append("same meaning, written differently")
    if isinstance(field.before, str) and isinstance(field.after, str):
        remarks += string_remarks(field.before, field.after)
    return tuple(remarks)


def string_remarks(before: str, after: str) -> list[str]:
    """What two strings differ in that is hard to see."""
    remarks = []
    if before.endswith("\n") != after.endswith("\n") and "\n" in before + after:
        remarks.append("final newline removed" if before.endswith("\n") else "final newline added")
    if ("\r\n" in before) != ("\r\n" in after):
        remarks.append("line ends: CRLF to LF" if "\r\n" in before else "line ends: LF to CRLF")
    if (
        before != after
        and _without_trailing_blanks(before) == _without_trailing_blanks(after)
        and before.rstrip("\n") != after.rstrip("\n")
    ):
        remarks.append("only blanks at line ends differ")
    return remarks


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip(" \t\r") for line in text.split("\n")).rstrip("\n")


def show_trailing_blanks(line: str) -> str:
    """A `visible` line whose blanks at the end can be seen: a space as a middle dot, a tab as an escape."""
    body = line.rstrip(" \t")
    return body + line[len(body) :].replace(" ", "·").replace("\t", "\\t")


def diff_line(line: str) -> str:
    """A line of a unified diff for people: its sign, then the rest with blanks at the end made visible."""
    return line[:1] + show_trailing_blanks(line[1:]) if line[1:] else line.rstrip(" ")


def note_text(note: Note) -> str:
    """`kind: object: message`, without what the message says itself."""
    about = f"{visible(short_id(note.object))}: " if note.object and note.object not in note.message else ""
    about += f"{target_names([note.target])}: " if note.target and note.target not in note.message else ""
    kind = "" if note.message.startswith(note.kind) else f"{visible(note.kind)}: "
    return f"{kind}{about}{visible(note.message)}"


def hazard_subject(hazard: Hazard) -> str:
    """What the hazard is about: object, else target, else the first of its objects with a count."""
    if hazard.object:
        return visible(hazard.object)
    if hazard.target:
        return visible(hazard.target)
    return (
        visible(hazard.objects[0]) + (f" and {len(hazard.objects) - 1} more" if len(hazard.objects) > 1 else "") if hazard.objects else ""
    )


def hazard_place(hazard: Hazard) -> str:
    """Where in the tree it comes from, or ""."""
    if hazard.source is not None:
        line = f":{hazard.source.line}" if hazard.source.line is not None else ""
        return visible(hazard.source.file) + line
    return visible(hazard.where) if hazard.where else ""


def image_version(image: ImageChange) -> str:
    """`1.2 -> 1.3`, `new: 1.3`, `gone: 1.2`."""
    if image.from_ is None:
        return f"new: {visible(image.to or '')}"
    if image.to is None:
        return f"gone: {visible(image.from_)}"
    return f"{visible(image.from_)} -> {visible(image.to)}"


def rollouts_line(rollouts: tuple[Rollout, ...], pods: int) -> str:
    """`2 workloads replace their pods (5 pods, one unknown)`."""
    unknown = sum(r.replicas is None for r in rollouts)
    more = f", {unknown} with an unknown number" if unknown else ""
    verb = "replaces its" if len(rollouts) == 1 else "replace their"
    return f"{plural(len(rollouts), 'workload')} {verb} pods ({plural(pods, 'pod')}{more})"


def rollout_causes(rollout: Rollout, change: Change | None) -> list[str]:
    """Why pods are replaced: fields of the pod template as `change` calls them, and objects whose content they take up.

    A field that merely follows an object's new name is left out beside that object.
    """
    fields = {field.pointer: field for field in change.fields} if change is not None else {}
    causes = []
    for cause in rollout.because:
        field = fields.get(cause)
        if field is None:
            causes.append(visible(short_id(cause)))
        elif field.follows not in rollout.because:
            causes.append(visible(field.path.removeprefix("spec.template.").removeprefix("spec.")))
    return causes


def short_id(object_id: str) -> str:
    """An object id without its apiVersion, for places where many are named: `Deployment shop/web`. A pointer stays."""
    kind, space, name = object_id.partition(" ")
    return kind.rpartition("/")[2] + space + name if space else object_id


def _dependents_line(dependents: Dependents, limit: int | None, short: Callable[[str], str]) -> str:
    """`a: 3 depend on it: Kind b, c, Other d; 4 more through those`; `short` makes names of ids, a kind is said once for its names."""
    direct = listed(_without_repeated_kinds([visible(short(name)) for name in dependents.direct]), limit)
    more = f"; {dependents.transitive} more through those" if dependents.transitive else ""
    verb = "depends" if len(dependents.direct) == 1 else "depend"
    return f"{visible(short(dependents.of))}: {len(dependents.direct)} {verb} on it: {direct}{more}"


def reach_lines(impact: Impact, limit: int | None) -> list[str]:
    """What else hangs on the changed objects and targets, the widest reach first; what is so in several scopes is said once."""
    found = [(d, short_id) for d in impact.dependents] + [(d, str) for d in impact.target_dependents]
    found.sort(key=lambda pair: -len(pair[0].direct) - pair[0].transitive)
    lines = Counter(_dependents_line(d, limit, short) for d, short in found)
    return [line + (f" (in {times} scopes)" if times > 1 else "") for line, times in lines.items()]


def _without_repeated_kinds(names: list[str]) -> list[str]:
    kinds = [name.rpartition(" ")[0] for name in names]
    return [
        name.rpartition(" ")[2] if kind and kind == before else name for name, kind, before in zip(names, kinds, ["", *kinds], strict=False)
    ]


def counts_text(counts: Counts) -> str:
    """`-1 ~2 +3`, statuses without objects left out."""
    parts = [("-", counts.removed), ("~", counts.changed + counts.renamed), (">", counts.moved), ("+", counts.added)]
    return " ".join(f"{sign}{n}" for sign, n in parts if n)


def counts_row(by: Mapping[str, Counts], limit: int | None = None) -> str:
    """`Deployment ~2, ConfigMap -1 +1`, most objects first; beyond `limit` the rest is counted."""
    order = sorted(by.items(), key=lambda item: (-_total(item[1]), item[0]))
    return listed(
        (f"{'(none)' if name in ('', '-') else visible(name)} {counts_text(counts)}" for name, counts in order if _total(counts)), limit
    )


def _total(counts: Counts) -> int:
    return counts.added + counts.removed + counts.changed + counts.renamed + counts.moved
