r"""Foreign text made inert for where it is shown: terminals, CI logs, Markdown, HTML, workflow commands.

Everything that comes from a tree (names, values, messages) passes here once, in the format that prints it. What could act or
deceive becomes a visible escape such as `\x1b` or `\u202e`.
"""

from __future__ import annotations

import html
import re

from kdiff.model.mask import MASKED, TOKEN, has_token

# C0 and C1 controls, unusual blanks, bidirectional and zero-width marks, fillers, variation selectors, lone surrogates,
# private use, noncharacters and tag characters: all that a terminal obeys, hides or leaves blank (Unicode TR36, TR39).
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u2800\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

# GitHub's and Azure's runners look for these anywhere in a line (actions/runner ActionCommand.TryParse), `::` at its start.
_LOG_COMMAND = re.compile(r"##(?=\[|vso\[|teamcity\[)")
_LINE_COMMAND = re.compile(r"^(\s*):(?=:)")

# What begins markup anywhere in a line of GFM: code, emphasis, links, HTML, tables, math, entities, bare URLs.
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&]|:(?=//)|(?<=www)\.)")
_MENTION = re.compile(r"@|#(?=\d)")


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    return _NAMED.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def is_safe(text: str) -> bool:
    """True when `visible` would show `text` as it is."""
    return _UNSAFE.search(text) is None


def visible(text: str, *, keep_tabs: bool = False) -> str:
    """`text` as one line without anything that acts: controls, marks and newlines become escapes, tokens `<masked>`."""
    if has_token(text):
        text = TOKEN.sub(MASKED, text)
    if not is_safe(text):
        parts = text.split("\t") if keep_tabs else [text]
        text = "\t".join(_UNSAFE.sub(_escaped, part) for part in parts)
    return _LOG_COMMAND.sub(r"#\\x23", text) if "##" in text else text


def quoted(text: str) -> str:
    """`text` in double quotes, as JSON would write it, with everything invisible escaped."""
    return '"' + visible(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def log_line(line: str) -> str:
    """A finished line that no CI runner takes for a command (GitHub's `::error`, also after blanks)."""
    return _LINE_COMMAND.sub(r"\1\\x3a", line)


def markdown_text(text: str) -> str:
    """Foreign prose within a line of Markdown: no markup, link, HTML, mention or issue reference comes of it."""
    return _MENTION.sub(r"`\g<0>`", _MARKDOWN.sub(r"\\\1", visible(text)))


def markdown_code(text: str, *, in_table: bool = False) -> str:
    """A code span whose fence is longer than any run of backticks inside. In a table a bar is escaped (GFM, tables)."""
    text = visible(text) or " "
    if in_table:
        text = text.replace("|", "\\|")
    fence = "`" * (longest_run(text, "`") + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def markdown_fence(body: str, language: str = "") -> str:
    """A fenced block around lines that are already `visible`; the fence is longer than any run of backticks inside."""
    fence = "`" * max(3, longest_run(body, "`") + 1)
    end = "" if body.endswith("\n") else "\n"
    return f"{fence}{language}\n{body}{end}{fence}\n"


def longest_run(text: str, char: str) -> int:
    """Length of the longest run of `char` in `text`."""
    return max((len(m) for m in re.findall(re.escape(char) + "+", text)), default=0)


def html_text(text: str) -> str:
    """Foreign text for an HTML element or a quoted attribute."""
    return html.escape(visible(text), quote=True)


def html_code(text: str) -> str:
    """`<code>` with inert content, for places where Markdown is not read, such as `<summary>`."""
    return f"<code>{html_text(text)}</code>"


def html_prose(text: str) -> str:
    """Foreign prose as HTML that mentions nobody, for places where Markdown is not read."""
    return html_text(text).replace("@", "<code>@</code>")


def command_data(text: str) -> str:
    """Message of a GitHub workflow command (docs: workflow commands, @actions/core escapeData)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Property of a GitHub workflow command (@actions/core escapeProperty)."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")
