
"use strict";
// Draws the diffs of the report when they are asked for, and filters what is listed. Text goes in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const changes = all(".change");
  const leaves = all(".leaf");
  const chips = all(".chip[data-object]");
  const filter = { status: new Set(), severity: new Set(), kind: "", namespace: "", target: "", words: [] };
  const FIRST_LINES = 1500; // of one diff; the rest is drawn on demand
  let view = "unified";

  const make = (tag, className, ...content) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...content);
    return element;
  };

  // --- diffs: a line is a text, or its parts in turn: equal, different, equal, ...
  const sign = (line) => (typeof line === "string" ? line : line[0])[0];
  const contentOf = (line) => {
    if (typeof line === "string") return [line.slice(1)];
    return line.map((part, n) => (n % 2 ? make("mark", "", part) : n ? part : part.slice(1)));
  };
  const cell = (line, number) => {
    if (line === null) return [make("td", "n"), make("td", "none")];
    const kind = { "-": "minus", "+": "plus" }[sign(line)] || "same";
    return [make("td", "n", String(number)), make("td", kind, ...contentOf(line))];
  };
  const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

  // Calls `row` with (line of base, its number, line of head, its number); `pair` sets a removed line beside the added one.
  function walk(lines, pair, gap, row) {
    let base = 1, head = 1, removed = [], added = [];
    const flush = () => {
      for (let n = 0; n < Math.max(removed.length, added.length); n++) {
        const [left, right] = [removed[n] ?? null, added[n] ?? null];
        row(left, left === null ? null : base++, right, right === null ? null : head++);
      }
      removed = []; added = [];
    };
    lines.forEach((line, n) => {
      const mark = sign(line);
      const hunk = typeof line === "string" && mark === "@" && HUNK.exec(line);
      if (hunk) {
        flush();
        if (n || Number(hunk[1]) > 1) gap(`line ${hunk[2] === "0" ? hunk[1] : hunk[2]}`);
        [base, head] = [Number(hunk[1]), Number(hunk[2])];
      } else if (mark === "-" && pair) removed.push(line);
      else if (mark === "+" && pair) added.push(line);
      else if (mark === "-") row(line, base++, null, null);
      else if (mark === "+") row(null, null, line, head++);
      else if (mark === "\\") gap(line.slice(2));
      else { flush(); row(line, base++, line, head++); }
    });
    flush();
  }

  function unifiedRows(lines) {
    const rows = [];
    walk(lines, false, (text) => rows.push(gapRow(text, 3)), (left, base, right, head) => {
      const line = left ?? right;
      const [, content] = cell(line, 0);
      rows.push(make("tr", "", make("td", "n", base === null ? "" : String(base)), make("td", "n", head === null ? "" : String(head)), content));
    });
    return rows;
  }
  function splitRows(lines) {
    const rows = [];
    walk(lines, true, (text) => rows.push(gapRow(text, 4)), (left, base, right, head) => {
      rows.push(make("tr", "", ...cell(left, base), ...cell(right, head)));
    });
    return rows;
  }
  function gapRow(text, width) {
    const content = make("td", "", text);
    content.colSpan = width;
    return make("tr", "gap", content);
  }
  // Widths of a fixed table come from its first row, which may be a gap.
  function columns(kinds) {
    return make("colgroup", "", ...kinds.map((kind) => { const col = make("col"); if (kind === "n") col.width = "48"; return col; }));
  }
  function diffTable(lines) {
    const split = view === "split";
    const rows = split ? splitRows(lines) : unifiedRows(lines);
    const body = make("tbody", "", ...rows.slice(0, FIRST_LINES));
    const table = make("table", split ? "diff split" : "diff", columns(split ? ["n", "", "n", ""] : ["n", "n", ""]), body);
    if (rows.length <= FIRST_LINES) return [table];
    const more = make("button", "", `${rows.length - FIRST_LINES} more lines`);
    more.type = "button";
    more.addEventListener("click", () => { body.append(...rows.slice(FIRST_LINES)); more.remove(); });
    return [table, more];
  }
  function fieldsTable(fields) {
    const rows = fields.map(([mark, path, before, after]) => {
      const values = [];
      if (before !== null) values.push(make("del", "", before));
      if (before !== null && after !== null) values.push(" → ");
      if (after !== null) values.push(make("ins", "", after));
      return make("tr", "", make("td", "op", make("code", "", mark)), make("td", "path", make("code", "", path)), make("td", "", make("code", "", ...values)));
    });
    return make("table", "fields", make("tbody", "", ...rows));
  }
  function membersList(members, count) {
    const items = members.map(([kind, names, targets, effects]) =>
      make("li", "", make("code", "", `${kind} ${names.join(", ")}`), ` in ${targets}`, effects ? ` (${effects})` : ""));
    return make("details", "", make("summary", "", `The same edit of ${count} objects`), make("ul", "", ...items));
  }
  function draw(change) {
    const body = change.querySelector(".body");
    if (body.dataset.drawn === view) return;
    const row = data.rows[change.id];
    const parts = [];
    if (row.members) parts.push(membersList(row.members, row.objects.length));
    if (row.remarks && row.remarks.length) parts.push(make("ul", "", ...row.remarks.map((text) => make("li", "", text))));
    if (view === "fields" && row.fields && row.fields.length) parts.push(fieldsTable(row.fields));
    else if (row.lines && row.lines.length) parts.push(...diffTable(row.lines));
    if (!parts.length) parts.push(make("p", "quiet", "Its content is the same."));
    body.replaceChildren(...parts);
    body.dataset.drawn = view;
  }
  changes.forEach((change) => change.addEventListener("toggle", () => { if (change.open) draw(change); }));
  function setView(name) {
    view = name;
    all("[data-view]", document.querySelector(".views") || document.createElement("p"))
      .forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.view === name)));
    changes.filter((change) => change.open).forEach(draw);
  }
  all(".views button").forEach((button) => button.addEventListener("click", () => setView(button.dataset.view)));

  // --- filters: a row is listed while one of its objects passes them all
  const texts = new Map();
  function textOf(row) {
    if (!texts.has(row)) {
      const lines = (row.lines || []).map((line) => (typeof line === "string" ? line : line.join("")));
      const values = (row.fields || []).flat().filter((value) => value !== null);
      texts.set(row, [...lines, ...values, ...(row.remarks || [])].join("\n").toLowerCase());
    }
    return texts.get(row);
  }
  function passes(object, rowText) {
    const heading = `${object.text} ${object.status} ${object.targets.join(" ").toLowerCase()}`;
    return (!filter.status.size || filter.status.has(object.status))
      && (!filter.severity.size || filter.severity.has(object.severity))
      && (!filter.kind || filter.kind === object.kind)
      && (!filter.namespace || filter.namespace === object.namespace)
      && (!filter.target || object.targets.includes(filter.target))
      && filter.words.every((word) => heading.includes(word) || rowText().includes(word));
  }
  function apply() {
    const shown = new Set();
    for (const change of changes) {
      const row = data.rows[change.id];
      const found = row.objects.filter((n) => passes(data.objects[n], () => textOf(row)));
      found.forEach((n) => shown.add(n));
      change.hidden = !found.length;
    }
    leaves.forEach((leaf) => { leaf.hidden = !shown.has(Number(leaf.dataset.object)); });
    all(".branch").forEach((branch) => { branch.hidden = !branch.querySelector(".leaf:not([hidden])"); });
    chips.forEach((chip) => chip.classList.toggle("dim", !shown.has(Number(chip.dataset.object))));
    const filtered = shown.size < data.objects.length;
    if (byId("counter")) byId("counter").textContent = filtered ? `${shown.size} of ${data.objects.length}` : String(data.objects.length);
    byId("shown").textContent = filtered ? `${shown.size} of ${data.objects.length} objects` : "";
    byId("reset").hidden = !(filter.status.size || filter.severity.size || filter.kind || filter.namespace || filter.target || filter.words.length);
    if (byId("nothing")) byId("nothing").hidden = shown.size > 0;
  }
  all(".toggle").forEach((button) => button.addEventListener("click", () => {
    const chosen = filter[button.dataset.filter];
    const on = !chosen.delete(button.dataset.value);
    if (on) chosen.add(button.dataset.value);
    button.setAttribute("aria-pressed", String(on));
    apply();
  }));
  all("select[data-filter]").forEach((select) => select.addEventListener("change", () => { filter[select.dataset.filter] = select.value; apply(); }));
  const search = byId("search");
  let pause = 0;
  const readSearch = () => { filter.words = search.value.toLowerCase().split(/\s+/).filter(Boolean); apply(); };
  search.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(readSearch, 80);
  });
  byId("reset").addEventListener("click", () => {
    filter.status.clear(); filter.severity.clear();
    filter.kind = filter.namespace = filter.target = ""; filter.words = [];
    search.value = "";
    all("select[data-filter]").forEach((select) => { select.value = ""; });
    all(".toggle").forEach((button) => button.setAttribute("aria-pressed", "false"));
    apply();
  });

  // --- moving about
  let here = -1;
  function goTo(change) {
    here = changes.indexOf(change);
    const objects = new Set(data.rows[change.id].objects);
    leaves.forEach((leaf) => leaf.classList.toggle("here", objects.has(Number(leaf.dataset.object))));
    const leaf = leaves.find((item) => item.classList.contains("here"));
    if (leaf) leaf.scrollIntoView({ block: "nearest" });
    change.querySelector("summary").focus({ preventScroll: true });
    change.scrollIntoView({ block: "nearest" });
  }
  function step(by) {
    for (let n = here + by; n >= 0 && n < changes.length; n += by) {
      if (!changes[n].hidden) { goTo(changes[n]); return; }
    }
  }
  function openAll(open) {
    changes.filter((change) => !change.hidden).forEach((change) => { change.open = open; if (open) draw(change); });
    if (byId("all")) { byId("all").setAttribute("aria-pressed", String(open)); byId("all").textContent = open ? "close all" : "open all"; }
  }
  const allOpen = () => byId("all") && byId("all").getAttribute("aria-pressed") === "true";
  if (byId("all")) byId("all").addEventListener("click", () => openAll(!allOpen()));
  changes.forEach((change) => change.querySelector("summary").addEventListener("focus", () => { here = changes.indexOf(change); }));
  function followHash() {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.tagName !== "DETAILS") return;
    target.open = true;
    if (target.classList.contains("change")) {
      target.hidden = false;
      draw(target);
      goTo(target);
    }
    target.scrollIntoView({ block: "start" });
  }
  window.addEventListener("hashchange", followHash);
  document.addEventListener("click", (event) => { // a link to where we already are
    const link = event.target instanceof Element && event.target.closest("a[href^='#']");
    if (link && (link.getAttribute("href") || link.href.baseVal) === location.hash) followHash();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") { if (event.target === search) { search.value = ""; readSearch(); } event.target.blur(); }
      return;
    }
    const action = {
      "j": () => step(1), "k": () => step(-1), "/": () => { search.focus(); search.select(); },
      "s": () => setView(view === "split" ? "unified" : "split"), "e": () => openAll(!allOpen()),
    }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  byId("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.body).getPropertyValue("--ground").trim() === "#12151a";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });
  window.addEventListener("beforeprint", () => openAll(true));

  // --- the picture: drag and wheel move it, the pointer traces what depends on what
  const graph = byId("graph");
  if (graph) {
    const whole = graph.viewBox.baseVal;
    const full = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
    const edges = all(".edge", graph);
    const chipOf = new Map(all(".chip", graph).map((chip) => [chip.dataset.chip, chip]));
    const set = (box) => Object.assign(whole, box);
    const scale = () => Math.min(graph.clientWidth / whole.width, graph.clientHeight / whole.height);
    const zoom = (factor, clientX, clientY) => {
      const area = graph.getBoundingClientRect();
      const [px, py] = [(clientX - area.left) / area.width, (clientY - area.top) / area.height];
      const width = Math.min(Math.max(whole.width / factor, 120), full.width * 4);
      const height = whole.height * (width / whole.width);
      set({ x: whole.x + (whole.width - width) * px, y: whole.y + (whole.height - height) * py, width, height });
    };
    const middle = (factor) => {
      const area = graph.getBoundingClientRect();
      zoom(factor, area.left + area.width / 2, area.top + area.height / 2);
    };
    // The window is as high as the picture needs; its box takes the shape of the window, and nothing is drawn larger than made.
    const fit = () => {
      graph.style.height = "";
      const natural = full.height * Math.min(1, graph.clientWidth / full.width);
      if (natural < graph.clientHeight) graph.style.height = `${Math.ceil(natural)}px`;
      const ratio = graph.clientWidth / Math.max(1, graph.clientHeight);
      const width = Math.max(full.width, full.height * ratio, graph.clientWidth);
      set({ x: full.x, y: full.y, width, height: width / ratio });
    };
    fit();
    byId("zoom-in").addEventListener("click", () => middle(1.4));
    byId("zoom-out").addEventListener("click", () => middle(1 / 1.4));
    byId("zoom-fit").addEventListener("click", fit);
    graph.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY);
    }, { passive: false });
    let drag = null;
    graph.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, moved: false }; });
    window.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (Math.abs(dx) + Math.abs(dy) < 4 && !drag.moved) return;
      set({ x: whole.x - dx / scale(), y: whole.y - dy / scale() });
      drag = { x: event.clientX, y: event.clientY, moved: true };
      graph.classList.add("dragged");
    });
    window.addEventListener("pointerup", () => {
      if (drag && drag.moved) graph.addEventListener("click", (event) => event.preventDefault(), { capture: true, once: true });
      drag = null;
      graph.classList.remove("dragged");
    });
    graph.addEventListener("pointerover", (event) => {
      const chip = event.target.closest(".chip");
      all(".lit", graph).forEach((item) => item.classList.remove("lit"));
      const found = chip ? edges.filter((edge) => edge.dataset.from === chip.dataset.chip || edge.dataset.to === chip.dataset.chip) : [];
      graph.classList.toggle("traced", found.length > 0);
      for (const edge of found) {
        edge.classList.add("lit");
        chipOf.get(edge.dataset.from).classList.add("lit");
        chipOf.get(edge.dataset.to).classList.add("lit");
      }
    });
    graph.addEventListener("pointerleave", () => graph.classList.remove("traced"));
  }

  apply();
  if (changes.length && changes.length <= 3) changes.forEach((change) => { change.open = true; draw(change); });
  followHash();
  document.documentElement.dataset.ready = "true";
})();
