"use strict";
const run = read("data");
const x = run.nfev;
const xaxis = () => ({ type: byId("xscale").value, title: { text: "evaluations" } });
const line = (y, name, i, more) => Object.assign({ x, y, name, mode: "lines",
  line: { color: lineColour(i), dash: lineDash(i), width: 2, shape: "hv" } }, more);
const LEGEND = { showlegend: true, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 } };
const FLOOR = 1e-12;

/* From the best f to some way above the line: a few bad points must not flatten everything. */
function objectiveRange(isLog, shape) {
  const known = run.f.filter((f) => f !== null);
  const dots = run.points.f.filter((f) => f !== null).sort((a, b) => a - b);
  if (isLog || known.length === 0 || dots.length === 0) return {};
  const low = Math.min(...known, dots[0]);
  const high = Math.max(known[known.length - 1], dots[Math.floor(0.8 * (dots.length - 1))]);
  const room = 0.05 * (high - low || Math.abs(high) || 1);
  return { range: [shape(low) - room, shape(high) + room] };
}
chart("objective", () => {
  const isLog = byId("yscale").value === "gap";
  const last = run.f[run.f.length - 1];
  const shape = (f) => f === null ? null : isLog ? Math.abs(f - last) + FLOOR : f;
  const is = (wanted) => run.f.map((f, i) => (run.cv[i] === 0) === wanted ? shape(f) : null);
  const dots = (wanted) => run.points.f.map((f, i) =>
    run.points.feasible[i] === wanted ? shape(f) : null);
  const marks = (wanted, name, more) => ({ x: run.points.number, y: dots(wanted), name,
    mode: "markers", marker: Object.assign({ size: 5, opacity: 0.55 }, more) });
  const dotted = line(is(false), "best, not feasible yet", 6);
  dotted.line.dash = "dot";
  const traces = [];
  const has = run.constraints.length > 0;
  if (run.points.feasible.includes(false)) {
    traces.push(marks(false, "infeasible", { symbol: "circle-open", color: lineColour(1) }));
  }
  if (run.points.feasible.includes(true)) {
    traces.push(marks(true, has ? "feasible" : "evaluations", { color: lineColour(2) }));
  }
  if (run.cv.some((v) => v !== 0)) traces.push(dotted);
  if (run.cv.some((v) => v === 0)) traces.push(line(is(true), has ? "best feasible" : "best", 0));
  return [traces, Object.assign({ xaxis: xaxis(), yaxis: Object.assign({
    type: isLog ? "log" : "linear", title: { text: (isLog ? "|f − last f| + 1e-12" : "f") + plain(run.f_unit) } },
  objectiveRange(isLog, shape)) }, LEGEND)];
});
const positive = (v) => v > 0 ? v : null;
function positiveChart(values, name, nothing) {
  if (!values.some((v) => v > 0)) return nothing;
  const solid = line(values.map(positive), name, 1);
  solid.line.dash = "solid";
  return [[solid], { xaxis: xaxis(),
    yaxis: { type: "log", title: { text: name } } }];
}
chart("violation", () => positiveChart(run.cv, "violation", "The best point is feasible at every record."));
chart("epsilon", () => positiveChart(run.eps, "ε", "ε is 0 at every record."));
chart("activity", () => {
  const until = run.activity.until.map(String);
  return [[{ type: "heatmap", x: until, y: run.constraints.map(plain), z: run.activity.share,
    zmin: 0, zmax: 1, xgap: 1, ygap: 1, hovertemplate: "%{y}: %{z:.0%} violate it<extra></extra>",
    colorscale: [[0, colour("--raised")], [1, lineColour(1)]],
    showscale: innerWidth > 600,
    colorbar: { title: { text: "violated" }, tickformat: ".0%", thickness: 12 } }],
  { xaxis: { type: "category", title: { text: "evaluations up to" } },
    yaxis: namedAxis(run.constraints, { autorange: "reversed" }) }];
});
chart("parallel", () => {
  const { share, f, names } = run.designs;
  if (share.length < 2) return "No other feasible design comes near the answer.";
  const answer = share.length - 1;
  const traces = share.map((row, i) => ({ x: names.map(plain), y: row, mode: "lines",
    name: `f = ${number(f[i], 6)}`, text: run.designs.x[i].map((v) => (typeof v === "string" ? plain(v) : number(v))),
    hovertemplate: "%{x} = %{text}", opacity: i === answer ? 1 : 0.45,
    line: { color: lineColour(i === answer ? 1 : 0), width: i === answer ? 4 : 1.2 } }));
  return [traces, { xaxis: namedAxis(names), yaxis: { range: [-0.03, 1.03],
    tickvals: [0, 0.5, 1], ticktext: ["lower", "middle", "upper"] } }];
});
run.slices.forEach((slice, i) => chart(`slice-${i}`, () => {
  const upper = slice.f.map((f, k) => f + slice.error[k]);
  const lower = slice.f.map((f, k) => f - slice.error[k]);
  const part = (wanted) => slice.f.map((f, k) => slice.holds[k] === wanted
    || slice.holds[k - 1] === wanted ? f : null);
  const at = slice.x.reduce((best, v, k) =>
    Math.abs(v - slice.at) < Math.abs(slice.x[best] - slice.at) ? k : best, 0);
  const curve = (y, dash) => ({ x: slice.x, y, mode: slice.listed ? "lines+markers" : "lines",
    line: { color: lineColour(0), width: 2, dash } });
  return [[{ x: [...slice.x, ...slice.x.slice().reverse()], y: [...upper, ...lower.reverse()],
    fill: "toself", fillcolor: faint(lineColour(0), 0.15), line: { width: 0 }, mode: "lines",
    hoverinfo: "skip" }, curve(part(false), "dot"), curve(part(true), "solid"),
  { x: [slice.at], y: [slice.f[at]], mode: "markers",
    marker: { symbol: "circle-open", size: 11, color: lineColour(1), line: { width: 3 } } }],
  { xaxis: { type: slice.log ? "log" : "linear" }, yaxis: {} }];
}));
chart("size", () => [[line(run.n, "N", 0)], { xaxis: xaxis(), yaxis: { rangemode: "tozero" } }]);
chart("shares", () => [[line(run.success_rate, "success rate", 0),
  line(run.feasible_share, "feasible share of the front", 1),
  line(run.rho, "share of biased trials", 2)],
Object.assign({ xaxis: xaxis(), yaxis: { range: [-0.02, 1.02] } }, LEGEND)]);
for (const name of ["F", "CR"]) {
  chart(`memory-${name}`, () => [run[`memory_${name}`].map((y, k) => line(y, `slot ${k + 1}`, k)),
    { xaxis: xaxis(), yaxis: { range: [-0.02, 1.02] } }]);
}
chart("by-constraint", () => [[{ type: "bar", x: run.constraints.map(plain), y: run.scaled,
  marker: { color: lineColour(1) } }],
{ bargap: Math.max(0.2, 0.8 - 0.1 * run.constraints.length), xaxis: namedAxis(run.constraints),
  yaxis: { title: { text: "violation / scale" }, rangemode: "tozero" } }]);

const every = Math.max(1, Math.floor(x.length / 20));
const rows = x.map((_, i) => i).filter((i) => i % every === 0 || i === x.length - 1);
const columns = [["f", run.f], ["mean violation", run.cv], ["ε", run.eps], ["N", run.n],
  ["success rate", run.success_rate], ["feasible share", run.feasible_share],
  ["biased share", run.rho]].filter(([, values]) => values.some((v) => v !== null));
fillTable(byId("history-table"), ["evaluations", ...columns.map(([name]) => name)],
  rows.map((i) => [String(x[i]), ...columns.map(([, values]) => values[i])]));
if (byId("memory-table")) {
  fillTable(byId("memory-table"), ["slot", "F", "CR"], run.memory_F.map((y, k) =>
    [String(k + 1), y[y.length - 1], run.memory_CR[k][y.length - 1]]));
}
byId("yscale").addEventListener("change", () => refresh("objective"));
byId("xscale").addEventListener("change", () => refresh(...charts.keys()));
