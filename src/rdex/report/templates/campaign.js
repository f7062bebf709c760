"use strict";
const main = read("data");
const blocks = new Map();
/* What belongs to one problem is parsed when it is first asked for. */
function block(j) {
  if (!blocks.has(j)) blocks.set(j, read(`problem-${j}`));
  return blocks.get(j);
}
const problemSelect = byId("problem");
const chosen = () => [...document.querySelectorAll("#algorithms input:checked")]
  .map((box) => Number(box.value));
const style = (a) => ({ color: lineColour(a), dash: lineDash(a), width: 2 });
const FLOOR = 1e-10;

function colourSwatches() {
  for (const swatch of document.querySelectorAll(".swatch")) {
    const a = Number(swatch.dataset.algorithm);
    swatch.style.borderTopColor = lineColour(a);
    swatch.style.borderTopStyle = { solid: "solid", dot: "dotted" }[lineDash(a)] || "dashed";
  }
}

/* First kept checkpoint at which half of the runs are feasible; -1 if never. */
const feasibleFrom = (data, a) => data.share[a].findIndex((part) => part >= 0.5);

/* Corners of a line of steps. */
function corners(x, y) {
  const found = [];
  for (let i = 0; i < x.length; i += 1) {
    if (i > 0) found.push([x[i], y[i - 1]]);
    found.push([x[i], y[i]]);
  }
  return found;
}
/* Median and quartile band of one algorithm. A quartile that cannot be drawn (no value, or zero
   on a log scale) lies on the edge of the chart: at `bottom` or `top`. */
function band(x, [low, middle, high], a, bottom, top) {
  const name = plain(main.algorithms[a]);
  const line = { x, y: middle, mode: "lines", name,
    line: Object.assign({ shape: "hv" }, style(a)) };
  const here = x.map((_, i) => i).filter((i) => low[i] !== null || high[i] !== null);
  if (here.length === 0) return [line];
  const at = here.map((i) => x[i]);
  const outline = [...corners(at, here.map((i) => high[i] === null ? top : high[i])),
    ...corners(at, here.map((i) => low[i] === null ? bottom : low[i])).reverse()];
  return [{ x: outline.map((p) => p[0]), y: outline.map((p) => p[1]), mode: "lines",
    fill: "toself", fillcolor: faint(lineColour(a), 0.16), line: { width: 0 },
    hoverinfo: "skip" }, line];
}
/* All bands of a chart; transform gives null for what cannot be drawn. */
function allBands(data, values, transform) {
  const quartiles = chosen().map((a) => values[a].map((row) => row.map(transform)));
  const known = quartiles.flat(2).filter((y) => y !== null);
  const bottom = known.reduce((x, y) => Math.min(x, y), Infinity);
  const top = known.reduce((x, y) => Math.max(x, y), -Infinity);
  return [chosen().flatMap((a, i) => band(data.nfev, quartiles[i], a, bottom, top)),
    known.length === 0];
}

function phases(data) {
  const shown = chosen();
  const opacity = Math.min(0.1, 0.2 / shown.length);
  return shown.flatMap((a) => {
    const from = feasibleFrom(data, a);
    return from < 0 ? [] : [{ type: "rect", xref: "x", yref: "paper", y0: 0, y1: 1, layer: "below",
      x0: data.nfev[from], x1: data.nfev[data.nfev.length - 1], line: { width: 0 },
      fillcolor: faint(lineColour(a), opacity) }];
  });
}
const steps = () => ({ type: byId("xscale").value, title: { text: "evaluations" } });
const none = (text) => [{ text, xref: "paper", yref: "paper", x: 0.5, y: 0.5, showarrow: false }];

function drawObjective() {
  const data = block(Number(problemSelect.value));
  const isLog = byId("yscale").value === "gap";
  const transform = isLog ? (gap) => gap === null ? null : gap + FLOOR
    : (gap) => gap === null ? null : data.best + gap;
  const [traces, isEmpty] = allBands(data, data.gap, transform);
  return [traces, { xaxis: steps(), shapes: phases(data),
    yaxis: { type: isLog ? "log" : "linear", title: { text: isLog ? "f − best + 1e-10" : "f" } },
    annotations: isEmpty ? none("less than a quarter of the runs is ever feasible") : [] }];
}
function drawViolation() {
  const data = block(Number(problemSelect.value));
  const positive = (v) => v > 0 ? v : null;
  const [traces, isEmpty] = allBands(data, data.v, positive);
  return [traces, { xaxis: steps(), shapes: phases(data),
    yaxis: { type: "log", title: { text: "violation" } },
    annotations: isEmpty ? none("feasible at every checkpoint") : [] }];
}
function drawShare() {
  const data = block(Number(problemSelect.value));
  return [chosen().map((a) => ({ x: data.nfev, y: data.share[a], mode: "lines",
    name: plain(main.algorithms[a]), line: Object.assign({ shape: "hv" }, style(a)) })),
  { xaxis: steps(), yaxis: { range: [-0.02, 1.02], title: { text: "share of feasible runs" } } }];
}
function drawQuality() {
  const data = block(Number(problemSelect.value));
  const traces = chosen().map((a) => ({ type: "box", y: data.quality[a],
    name: plain(main.algorithms[a]), boxpoints: "all", jitter: 0.5, pointpos: 0,
    marker: { size: 4, color: lineColour(a), opacity: 0.6 }, line: { color: lineColour(a) },
    fillcolor: faint(lineColour(a), 0.15) }));
  return [traces, { yaxis: { title: { text: "Q" } }, xaxis: { type: "category" } }];
}
function showConvergence() {
  const j = Number(problemSelect.value);
  const data = block(j);
  const last = data.nfev.length - 1;
  fillTable(byId("convergence-table"),
    ["algorithm", "lower quartile f", "median f", "upper quartile f", "median violation",
      "runs feasible", "median feasible from"],
    chosen().map((a) => {
      const from = feasibleFrom(data, a);
      const [low, middle, high] = data.end[a];
      return [main.algorithms[a], low, middle, high, data.v[a][1][last], data.share[a][last],
        from < 0 ? "never" : data.nfev[from]];
    }));
  fillTable(byId("quality-table"), ["algorithm", "smallest", "median", "largest", "runs"],
    chosen().map((a) => {
      const known = data.quality[a].filter((q) => q !== null).sort((x, y) => x - y);
      return [main.algorithms[a], known[0], data.qmedian[a], known[known.length - 1],
        data.quality[a].length];
    }));
  for (const name of document.querySelectorAll(".problem-name")) {
    name.textContent = main.problems[j];
  }
  refresh("objective", "violation", "share", "quality");
}

function attained() {
  const value = byId("ecdf-problem").value;
  return value === "all" ? main.ecdf : block(Number(value)).ecdf;
}
function drawEcdf() {
  const shares = attained();
  return [chosen().map((a) => ({ x: main.budget, y: shares[a], mode: "lines",
    name: plain(main.algorithms[a]), line: Object.assign({ shape: "hv" }, style(a)) })),
  { xaxis: { type: byId("xscale").value, title: { text: "share of the budget" } },
    yaxis: { range: [-0.02, 1.02], title: { text: "share of runs and targets" } } }];
}
function showEcdf() {
  const shares = attained();
  const parts = [0.01, 0.03, 0.1, 0.3, 1];
  const at = parts.map((part) => {
    const beyond = main.budget.findIndex((b) => b > part + 1e-12);
    return (beyond < 0 ? main.budget.length : beyond) - 1;
  });
  fillTable(byId("ecdf-table"), ["algorithm", ...parts.map((part) => `${100 * part} %`)],
    chosen().map((a) => [main.algorithms[a], ...at.map((i) => i < 0 ? 0 : shares[a][i])]));
  refresh("ecdf");
}

chart("objective", drawObjective);
chart("violation", drawViolation);
chart("share", drawShare);
chart("quality", drawQuality);
chart("ecdf", drawEcdf);
problemSelect.addEventListener("change", showConvergence);
byId("yscale").addEventListener("change", () => refresh("objective"));
byId("xscale").addEventListener("change", () => refresh("objective", "violation", "share", "ecdf"));
byId("ecdf-problem").addEventListener("change", showEcdf);
byId("algorithms").addEventListener("change", () => { showConvergence(); showEcdf(); });
document.addEventListener("theme", colourSwatches);
colourSwatches();
showConvergence();
showEcdf();

/* Runs: columns, some of them as numbers of repeated values. */
const PAGE = 25;
let runs = null;
let first = 0;
function showRuns() {
  if (!runs) runs = read("runs");
  const cell = (name, i) => {
    const column = runs.columns[name];
    return Array.isArray(column) ? column[i] : column.values[column.at[i]];
  };
  const algorithm = byId("run-algorithm").value;
  const problem = byId("run-problem").value;
  const found = [];
  for (let i = 0; i < runs.count; i += 1) {
    if ((algorithm === "" || cell("algorithm", i) === algorithm)
      && (problem === "" || cell("problem_id", i) === problem)) found.push(i);
  }
  first = Math.max(0, Math.min(first, PAGE * Math.floor((found.length - 1) / PAGE)));
  const page = found.slice(first, first + PAGE);
  fillTable(byId("runs-table"), runs.names.map((name) => name.replace(/_/g, " ")),
    page.map((i) => runs.names.map((name) => cell(name, i))));
  byId("runs-state").textContent = found.length
    ? `${first + 1} to ${first + page.length} of ${found.length} runs` : "no such run";
  byId("runs-before").disabled = first === 0;
  byId("runs-after").disabled = first + PAGE >= found.length;
}
function turn(by) { first = Math.max(0, first + by); showRuns(); }
if (byId("runs-table")) {
  byId("runs-details").addEventListener("toggle", () => { if (!runs) showRuns(); });
  for (const id of ["run-algorithm", "run-problem"]) {
    byId(id).addEventListener("change", () => { first = 0; showRuns(); });
  }
  byId("runs-before").addEventListener("click", () => turn(-PAGE));
  byId("runs-after").addEventListener("click", () => turn(PAGE));
}

/* Downloads are made of texts in the page. */
const KINDS = { csv: "text/csv", md: "text/markdown", tex: "application/x-tex",
  json: "application/json" };
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-download]");
  if (!button) return;
  const [name, ending] = button.dataset.download.split(".");
  const text = ending === "json"
    ? JSON.stringify({ reference: main.reference, tables: main.tables }, null, 2)
    : read("downloads")[name][ending];
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: KINDS[ending] }));
  link.download = `${name}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
