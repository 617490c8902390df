"use strict";

// Everything of the recording is shown by textContent. Only the rows in sight are elements, so that ten thousand scroll
// like ten.

const data = JSON.parse(document.getElementById("data").textContent);
const rows = document.getElementById("rows");
const filters = { plugin: document.getElementById("plugin"), hook: document.getElementById("hook"), search: document.getElementById("search"), acting: document.getElementById("acting") };
const count = document.getElementById("count");
const HEIGHT = 30;
const BLOCKS = ["block", "withhold", "skip", "failed"];

let shown = data.rows;
let chosen = -1;

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const sizer = make("div");
sizer.id = "sizer";
rows.append(sizer);
const detail = make("section");
detail.id = "detail";
detail.hidden = true;
detail.setAttribute("aria-live", "polite");
detail.tabIndex = -1;
document.body.append(detail);

function tone(what) {
  if (BLOCKS.some((each) => what.startsWith(each))) return "block";
  if (what.startsWith("approve")) return "ask";
  return /^(modify|transform|rewrite|context|wrapped|continue)/.test(what) ? "change" : "";
}

function drawRow(row, index) {
  const element = make("div", `row ${row.hook ? "hook" : "host"}${row.name === "TurnStarted" ? " turn" : ""}${index === chosen ? " chosen" : ""}`);
  element.style.top = `${index * HEIGHT}px`;
  element.setAttribute("role", "listitem");
  element.dataset.index = index;
  const name = make("span", "name", `${"  ".repeat(row.depth)}${row.name}${row.tool ? ` ${row.tool}` : ""}`);
  const text = make("span", "text");
  const acted = (row.steps || []).filter((step) => step.acts);
  if (acted.length) {
    text.append(make("span", "who", [...new Set(acted.map((step) => step.plugin))].join(", ")), " ");
    text.append(make("span", tone(row.text), row.text));
  } else {
    text.textContent = row.hook ? (row.steps.length ? `${row.steps.length} looked on` : "") : row.text;
  }
  element.append(make("span", "n", row.n), make("span", "at", `${(row.at / 1000).toFixed(3)} s`), name, text, make("span", "ms", row.ms ? `${row.ms.toFixed(2)} ms` : ""));
  return element;
}

function draw() {
  sizer.style.height = `${shown.length * HEIGHT}px`;
  const first = Math.max(0, Math.floor(rows.scrollTop / HEIGHT) - 10);
  const last = Math.min(shown.length, Math.ceil((rows.scrollTop + rows.clientHeight) / HEIGHT) + 10);
  sizer.replaceChildren(...shown.slice(first, last).map((row, offset) => drawRow(row, first + offset)));
}

function drawDetail() {
  const row = shown[chosen];
  detail.hidden = !row;
  if (!row) return;
  const parts = [make("h2", "", `${row.n} ${row.name}${row.tool ? ` ${row.tool}` : ""}: ${row.text || "nothing said"}`)];
  if (row.steps && row.steps.length) {
    const list = make("ol");
    for (const step of row.steps) {
      const item = make("li");
      item.append(make("span", "who", step.plugin), make("span", "soft", ` (${step.source}${step.ms === null ? "" : `, ${step.ms.toFixed(3)} ms`}) `), make("span", tone(step.what), step.what));
      if (step.detail) item.append(`: ${step.detail}`);
      if (step.diff.length) {
        const diff = make("pre");
        for (const line of step.diff) diff.append(make("span", line.startsWith("-") ? "minus" : line.startsWith("+") ? "plus" : "same", line));
        item.append(diff);
      }
      list.append(item);
    }
    parts.push(list);
  }
  const more = make("details");
  more.append(make("summary", "", row.hook ? "what was sent" : "all of it"), make("pre", "", row.more));
  if (!row.hook) more.open = true;
  parts.push(more);
  detail.replaceChildren(...parts);
}

function choose(index, scroll) {
  chosen = Math.max(0, Math.min(shown.length - 1, index));
  drawDetail(); // first: it takes room from the rows
  if (scroll) {
    const top = chosen * HEIGHT;
    if (top < rows.scrollTop) rows.scrollTop = top;
    if (top + HEIGHT > rows.scrollTop + rows.clientHeight) rows.scrollTop = top + HEIGHT - rows.clientHeight;
  }
  draw();
}

function filter() {
  const words = filters.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const plugin = filters.plugin.value;
  const hook = filters.hook.value;
  shown = data.rows.filter((row) => {
    if (hook && row.name !== hook) return false;
    const acted = (row.steps || []).filter((step) => step.acts);
    if (filters.acting.checked && !acted.length) return false;
    if (plugin && !(row.steps || []).some((step) => step.plugin === plugin && (step.acts || !filters.acting.checked))) return false;
    if (!words.length) return true;
    row.text_all ??= `${row.name} ${row.tool} ${row.text} ${row.more} ${JSON.stringify(row.steps || "")}`.toLowerCase();
    return words.every((word) => row.text_all.includes(word));
  });
  count.textContent = `${shown.length.toLocaleString()} of ${data.rows.length.toLocaleString()} entries`;
  chosen = -1;
  rows.scrollTop = 0;
  drawDetail();
  draw();
}

function options(select, values) {
  for (const value of [...new Set(values)].sort()) {
    const option = make("option", "", value);
    option.value = value;
    select.append(option);
  }
}

document.getElementById("about").textContent = [data.recorded_at, data.redacted ? "redacted" : "not redacted", `plugins: ${data.plugins.join(", ") || "none"}`].filter(Boolean).join(" · ");
options(filters.plugin, data.rows.flatMap((row) => (row.steps || []).map((step) => step.plugin)));
options(filters.hook, data.rows.map((row) => row.name));
for (const each of Object.values(filters)) each.addEventListener("input", filter);
document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
rows.addEventListener("scroll", draw);
addEventListener("resize", draw);
rows.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) choose(Number(row.dataset.index), false);
});
rows.addEventListener("keydown", (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 20, PageUp: -20 };
  if (event.key in steps) choose(chosen + steps[event.key], true);
  else if (event.key === "Home") choose(0, true);
  else if (event.key === "End") choose(shown.length - 1, true);
  else if (event.key === "Escape") { chosen = -1; drawDetail(); draw(); }
  else return;
  event.preventDefault();
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target.tagName !== "INPUT") {
    event.preventDefault();
    filters.search.focus();
  }
});
filter();
