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

/* A strip per algorithm at the lower edge, from where half of its runs are feasible. */
function phases(data) {
  return chosen().flatMap((a, i) => {
    const from = feasibleFrom(data, a);
    return from < 0 ? [] : [{ type: "line", xref: "x", yref: "paper", y0: 0.008 * (2 * i + 1),
      y1: 0.008 * (2 * i + 1), x0: data.nfev[from], x1: data.nfev[data.nfev.length - 1],
      line: { width: 3, color: lineColour(a) } }];
  });
}
const steps = () => ({ type: byId("xscale").value, title: { text: "evaluations" } });

function drawObjective() {
  const data = block(Number(problemSelect.value));
  const isLog = byId("yscale").value === "gap";
  const transform = isLog ? (gap) => gap === null ? null : gap + FLOOR
    : (gap) => gap === null ? null : data.best + gap;
  const [traces, isEmpty] = allBands(data, data.gap, transform);
  if (isEmpty) return "Less than a quarter of the runs is ever feasible.";
  return [traces, { xaxis: steps(), shapes: phases(data),
    yaxis: { type: isLog ? "log" : "linear", title: { text: isLog ? "f − best + 1e-10" : "f" } } }];
}
function drawViolation() {
  const data = block(Number(problemSelect.value));
  const positive = (v) => v > 0 ? v : null;
  const [traces, isEmpty] = allBands(data, data.v, positive);
  if (isEmpty) return "At least three quarters of the runs are feasible at every checkpoint.";
  return [traces, { xaxis: steps(), shapes: phases(data),
    yaxis: { type: "log", title: { text: "violation" } } }];
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
    ["algorithm", "lower quartile f", "median f", "upper quartile f", "median f − best",
      "median violation", "share feasible", "half feasible from"],
    chosen().map((a) => {
      const from = feasibleFrom(data, a);
      const [low, middle, high] = data.end[a];
      return [main.algorithms[a], low, middle, high, data.gap[a][1][last], data.v[a][1][last],
        data.share[a][last],
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
  return value.startsWith("group:") ? main.reached[value.slice(6)] : block(Number(value)).reached;
}
function ecdfOf(shares, more) {
  return [chosen().map((a) => ({ x: main.cost, y: shares[a], mode: "lines",
    name: plain(main.algorithms[a]), line: Object.assign({ shape: "hv" }, style(a)) })),
  Object.assign({ xaxis: { title: { text: main.cost_label } },
    yaxis: { range: [-0.02, 1.02], title: { text: "share of runs and targets" } } }, more)];
}
function showEcdf() {
  const shares = attained();
  const last = main.cost.length - 1;
  const powers = [];
  for (let e = Math.ceil(main.cost[0]); e < main.cost[last]; e += 1) powers.push(e);
  const at = powers.map((e) => {
    const beyond = main.cost.findIndex((cost) => cost > e + 1e-6);
    return beyond - 1;
  });
  fillTable(byId("ecdf-table"), ["algorithm", ...powers.map((e) => `10^${e}`), "end"],
    chosen().map((a) => [main.algorithms[a], ...[...at, last].map((i) =>
      i < 0 ? "0" : number(shares[a][i], 3))]));
  refresh("ecdf", ...main.groups.map((_, i) => `group-${i}`));
}
function drawExpected() {
  const times = block(Number(byId("ert-problem").value)).ert;
  if (times.every((row) => row.every((time) => time === null))) return "No run ends feasible.";
  return [chosen().map((a) => ({ x: main.precisions, y: times[a], mode: "lines+markers",
    name: plain(main.algorithms[a]), line: style(a), marker: { size: 6 } })),
  { xaxis: { type: "log", autorange: "reversed", title: { text: "target: f − best" } },
    yaxis: { title: { text: main.cost_label.replace("evaluations", "expected evaluations") } } }];
}
function showExpected() {
  const times = block(Number(byId("ert-problem").value)).ert;
  fillTable(byId("ert-table"), ["algorithm", ...main.precisions.map((p) => p.toExponential(0))],
    chosen().map((a) => [main.algorithms[a], ...times[a].map((time) =>
      time === null ? null : time.toFixed(2))]));
  refresh("ert");
}

/* Small pictures of all problems: medians on one scale of powers of ten each. */
function drawMultiples() {
  for (const button of byId("multiples").children) {
    const data = block(Number(button.dataset.problem));
    const last = data.nfev[data.nfev.length - 1];
    const lines = chosen().map((a) => data.gap[a][1].map((gap) =>
      gap === null ? null : Math.log10(gap + FLOOR)));
    const known = lines.flat().filter((y) => y !== null);
    const top = Math.max(...known);
    const height = Math.max(top - Math.min(...known), 1);
    const paths = chosen().map((a, i) => {
      let text = "";
      lines[i].forEach((y, k) => {
        if (y === null) return;
        const at = `${(4 + 112 * data.nfev[k] / last).toFixed(1)} ${(4 + 52 * (top - y) / height).toFixed(1)}`;
        text += text === "" ? `M${at}` : `L${at}`;
      });
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", text);
      path.setAttribute("stroke", lineColour(a));
      path.setAttribute("stroke-dasharray", { solid: "none", dot: "2 3" }[lineDash(a)] || "5 3");
      return path;
    });
    const label = document.createElementNS("http://www.w3.org/2000/svg", "text");
    Object.entries({ x: 60, y: 33, "text-anchor": "middle" }).forEach(
      ([key, value]) => label.setAttribute(key, value));
    label.textContent = "rarely feasible";
    button.querySelector("svg").replaceChildren(...(known.length ? paths : [label]));
    button.setAttribute("aria-pressed", String(button.dataset.problem === problemSelect.value));
  }
}

chart("objective", drawObjective);
chart("violation", drawViolation);
chart("share", drawShare);
chart("quality", drawQuality);
chart("ecdf", () => ecdfOf(attained()));
chart("ert", drawExpected);
main.groups.forEach((name, i) => chart(`group-${i}`, () => ecdfOf(main.reached[name],
  { xaxis: {}, yaxis: { range: [-0.02, 1.02] } })));
problemSelect.addEventListener("change", () => { showConvergence(); drawMultiples(); });
byId("multiples").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  problemSelect.value = byId("ert-problem").value = button.dataset.problem;
  showConvergence();
  showExpected();
  drawMultiples();
});
byId("ert-problem").addEventListener("change", showExpected);
byId("yscale").addEventListener("change", () => refresh("objective"));
byId("xscale").addEventListener("change", () => refresh("objective", "violation", "share"));
byId("ecdf-problem").addEventListener("change", showEcdf);
function showAll() { showConvergence(); showEcdf(); showExpected(); drawMultiples(); }
byId("algorithms").addEventListener("change", showAll);
document.addEventListener("theme", () => { colourSwatches(); drawMultiples(); });
colourSwatches();
showAll();

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
