"use strict";
/* Shared by both pages: data in the page, colours of the theme, charts drawn when they are seen. */

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const byId = (id) => document.getElementById(id);
const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Okabe and Ito's palette; its black is the page's ink, its yellow darker on white. */
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
function lineColour(i) {
  const all = [isDark() ? "#4aa3df" : "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
    "#56B4E9", colour("--ink"), isDark() ? "#F0E442" : "#8f8400"];
  return all[i % all.length];
}
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const lineDash = (i) => DASHES[(i + Math.floor(i / 8)) % DASHES.length];
function faint(hex, opacity) {
  const n = parseInt(hex.slice(1), 16);
  return `rgba(${n >> 16}, ${(n >> 8) & 255}, ${n & 255}, ${opacity})`;
}

/* Plotly reads some HTML tags in its texts: names are shown as they are. */
const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;")
  .replace(/>/g, "&gt;");

/* An axis of names: long ones lose their middle, the pointer shows them whole. */
const LONGEST = 32;
const shortened = (text) => String(text).length > LONGEST
  ? `${String(text).slice(0, 18)}…${String(text).slice(-12)}` : String(text);
const namedAxis = (names, more) => Object.assign({ type: "category",
  tickvals: names.map((_, i) => i), ticktext: names.map((name) => plain(shortened(name))) }, more);

/* Whole powers of ten on a logarithmic axis of few decades: no lone 2 and 5 between them. */
function wholePowers(traces, key) {
  const name = key[0] + (key.length > 5 ? key.slice(5) : "");
  let [low, high] = [Infinity, -Infinity];
  for (const trace of traces) {
    if ((trace[`${key[0]}axis`] || key[0]) !== name || !Array.isArray(trace[key[0]])) continue;
    for (const value of trace[key[0]]) {
      if (value > 0) { low = Math.min(low, value); high = Math.max(high, value); }
    }
  }
  const decades = Math.log10(high / low);
  return decades > 1 && decades < 6 ? { dtick: 1 } : {};
}

function layout(traces, changes) {
  const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--line"),
    linecolor: colour("--line"), automargin: true };
  const linear = { exponentformat: "power", minexponent: 6, separatethousands: true };
  const full = Object.assign({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: colour("--ink"), family: getComputedStyle(document.body).fontFamily, size: 13 },
    margin: { l: 50, r: 12, t: 12, b: 40 }, showlegend: false, dragmode: DRAG, hovermode: "closest",
    hoverlabel: { namelength: -1 },
  }, changes);
  for (const key of Object.keys(full)) {
    if (!/^[xy]axis/.test(key)) continue;
    const kind = full[key].type === "log"
      ? Object.assign({ exponentformat: "power" }, wholePowers(traces, key)) : linear;
    full[key] = Object.assign({}, axis, kind, full[key]);
  }
  return full;
}
const CONFIG = { responsive: true, displayModeBar: false };
/* A finger that is put on a chart wants to scroll the page. */
const DRAG = matchMedia("(pointer: coarse)").matches ? false : "zoom";

const charts = new Map();
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const chart = charts.get(entry.target.id);
    chart.isVisible = entry.isIntersecting;
    if (entry.isIntersecting && chart.isStale) draw(chart);
  }
}, { rootMargin: "200px" });

function draw(chart) {
  chart.isStale = false;
  const made = chart.make();
  const isText = typeof made === "string";
  chart.target.classList.toggle("nothing", isText);
  if (isText) {
    Plotly.purge(chart.target);
    chart.target.textContent = made;
    return;
  }
  if (!chart.target.querySelector(".plotly")) chart.target.textContent = "";
  const [traces, changes] = made;
  Plotly.react(chart.target, traces, layout(traces, changes), CONFIG);
}
/* make() returns traces and layout, or a sentence where there is nothing to draw; it is called when
   the chart is near the window, and again after refresh() or a change of theme. */
function chart(id, make) {
  const target = byId(id);
  if (!target) return;
  charts.set(id, { target, make, isStale: true, isVisible: false });
  seen.observe(target);
}
function refresh(...ids) {
  for (const id of ids) {
    const found = charts.get(id);
    if (!found) continue;
    found.isStale = true;
    if (found.isVisible) draw(found);
  }
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  document.dispatchEvent(new Event("theme"));
  refresh(...charts.keys());
});

const number = (value, digits = 5) => value === null || value === undefined ? "–"
  : typeof value !== "number" ? String(value)
  : Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value)
  : Number(value.toPrecision(digits)) !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)
    ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));

/* Rows of text into a table; the first cell of a row names it. */
function fillTable(table, headings, rows) {
  const head = document.createElement("thead");
  const line = head.insertRow();
  headings.forEach((word, i) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = word;
    if (i === 0) cell.className = "left";
    line.append(cell);
  });
  const body = document.createElement("tbody");
  for (const row of rows) {
    const entry = body.insertRow();
    row.forEach((value, i) => {
      const cell = document.createElement(i === 0 ? "th" : "td");
      if (i === 0) cell.scope = "row";
      cell.textContent = number(value);
      if (String(value).length > 40) cell.className = "wide";
      entry.append(cell);
    });
  }
  const caption = table.caption;
  table.replaceChildren(...(caption ? [caption] : []), head, body);
}

/* <select data-shows="group"> shows the parts of the group that have its value. */
for (const select of document.querySelectorAll("select[data-shows]")) {
  const show = () => {
    for (const part of document.querySelectorAll(`[data-group="${select.dataset.shows}"]`)) {
      part.hidden = part.dataset.value !== select.value;
    }
  };
  select.addEventListener("change", show);
  show();
}
