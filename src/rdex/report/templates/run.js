"use strict";
const run = read("data");
const x = run.nfev;
const xaxis = () => ({ type: byId("xscale").value, title: { text: "evaluations" } });
const line = (y, name, i, more) => Object.assign({ x, y, name, mode: "lines",
  line: { color: lineColour(i), dash: lineDash(i), width: 2 } }, more);
const LEGEND = { showlegend: true, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 } };
const FLOOR = 1e-12;

function phase() {
  if (run.feasible_from === null) return [];
  return [{ type: "rect", xref: "x", yref: "paper", y0: 0, y1: 1, layer: "below",
    x0: run.feasible_from, x1: x[x.length - 1], line: { width: 0 },
    fillcolor: faint(lineColour(2), 0.12) }];
}
chart("objective", () => {
  const isLog = byId("yscale").value === "gap";
  const last = run.f[run.f.length - 1];
  const shape = (f) => f === null ? null : isLog ? Math.abs(f - last) + FLOOR : f;
  const is = (wanted) => run.f.map((f, i) => (run.cv[i] === 0) === wanted ? shape(f) : null);
  const dotted = line(is(false), "least violating", 6);
  dotted.line.dash = "dot";
  const traces = [line(is(true), "feasible", 0)];
  if (run.cv.some((v) => v !== 0)) traces.push(dotted);
  return [traces, Object.assign({ xaxis: xaxis(), shapes: phase(),
    yaxis: { type: isLog ? "log" : "linear", title: { text: isLog ? "|f − last f| + 1e-12" : "f" } },
  }, LEGEND)];
});
chart("violation", () => {
  const positive = (v) => v > 0 ? v : null;
  const traces = [line(run.cv.map(positive), "mean violation", 1),
    line(run.eps.map(positive), "ε", 6)];
  const isEmpty = !traces.some((trace) => trace.y.some((y) => y !== null));
  return [traces, Object.assign({ xaxis: xaxis(), shapes: phase(),
    yaxis: { type: "log", title: { text: "violation" } },
    annotations: isEmpty ? [{ text: "feasible at every record", xref: "paper", yref: "paper",
      x: 0.5, y: 0.5, showarrow: false }] : [] }, LEGEND)];
});
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
  marker: { color: run.scaled.map((v) => v > 0 ? lineColour(1) : lineColour(0)) } }],
{ xaxis: { type: "category" }, yaxis: { title: { text: "violation / scale" },
  rangemode: "tozero" },
annotations: run.scaled.some((v) => v !== 0) ? [] : [{ text: "no constraint is violated",
  xref: "paper", yref: "paper", x: 0.5, y: 0.5, showarrow: false }] }]);

const every = Math.max(1, Math.floor(x.length / 20));
const rows = x.map((_, i) => i).filter((i) => i % every === 0 || i === x.length - 1);
fillTable(byId("history-table"), ["evaluations", "f", "mean violation", "ε", "N", "success rate",
  "feasible share", "biased share"], rows.map((i) => [String(x[i]), run.f[i], run.cv[i],
  run.eps[i], run.n[i], run.success_rate[i], run.feasible_share[i], run.rho[i]]));
fillTable(byId("memory-table"), ["slot", "F", "CR"], run.memory_F.map((y, k) =>
  [String(k + 1), y[y.length - 1], run.memory_CR[k][y.length - 1]]));
byId("yscale").addEventListener("change", () => refresh("objective"));
byId("xscale").addEventListener("change", () => refresh(...charts.keys()));
